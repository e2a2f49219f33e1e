/* random.h: random numbers that are the same on every machine. */
#ifndef CLI_RANDOM_H
#define CLI_RANDOM_H

#include <stdint.h>

/* The next number of a linear congruential generator, in -1 ... 1. */
static inline double cli_uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

#endif
