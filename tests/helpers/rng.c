#include "helpers/rng.h"

rng rng_new(uint64_t seed) {
  rng r = {seed * 0x9E3779B97F4A7C15u + 0x1234567u};
  rng_bits(&r);
  return r;
}

uint64_t rng_bits(rng *r) {
  uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double rng_range(rng *r, double low, double high) {
  return low + (high - low) * ((double)(rng_bits(r) >> 11) * 0x1p-53);
}

int rng_below(rng *r, int n) { return (int)(rng_bits(r) % (uint64_t)n); }

jn_vec3 rng_vec3(rng *r, double size) {
  double x = rng_range(r, -size, size), y = rng_range(r, -size, size),
         z = rng_range(r, -size, size);
  return jn_v3(x, y, z);
}

jn_vec3 rng_direction(rng *r) {
  jn_vec3 a;
  do a = rng_vec3(r, 1);
  while (jn_v3_dot(a, a) > 1 || jn_v3_dot(a, a) < 0.01);
  return jn_v3_unit(a);
}

jn_mat3 rng_rotation(rng *r) {
  double angle = rng_range(r, -3, 3);
  return jn_so3_exp(jn_v3_scale(angle, rng_direction(r)));
}

jn_pose rng_pose(rng *r, double size) {
  jn_mat3 R = rng_rotation(r);
  return jn_pose_make(R, rng_vec3(r, size));
}

double rng_normal(rng *r) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += rng_range(r, -0.5, 0.5);
  return sum;
}
