/* rng.h: random numbers that are the same everywhere (splitmix64). */
#ifndef TEST_RNG_H
#define TEST_RNG_H

#include <stdint.h>

#include <jounce/spatial.h>

typedef struct rng {
  uint64_t state;
} rng;

rng rng_new(uint64_t seed);
uint64_t rng_bits(rng *r);
double rng_range(rng *r, double low, double high);
int rng_below(rng *r, int n); /* 0..n-1 */
double rng_normal(rng *r);    /* about normal, variance 1: a sum of twelve numbers, within 6 */
jn_vec3 rng_vec3(rng *r, double size);
jn_vec3 rng_direction(rng *r); /* unit */
jn_mat3 rng_rotation(rng *r);
jn_pose rng_pose(rng *r, double size);

#endif
