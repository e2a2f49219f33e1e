/* random.h (private): random numbers as a function of (seed, sample, dimension): no state. */
#ifndef JOUNCE_SRC_SWEEP_RANDOM_H
#define JOUNCE_SRC_SWEEP_RANDOM_H

#include <stdint.h>

/* Philox 4x64-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011):
 * a bijection of the 256-bit counter for each 128-bit key. */
void jn_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4]);

/* Uniform in the open interval (0, 1), a multiple of 2^-52 plus 2^-53: number `dimension` of a
 * sample. Word dimension mod 4 of jn_philox at the counter (sample, dimension/4, 0, 0), key
 * (seed, 0). */
double jn_sweep_uniform(uint64_t seed, uint64_t sample, unsigned dimension);

/* The quantile function of the standard normal distribution, 0 < p < 1, to 1e-15 relative (AS 241,
 * Wichura 1988). */
double jn_normal_quantile(double p);

#endif
