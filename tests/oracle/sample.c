#include "oracle/sample.h"

#include <math.h>
#include <stdlib.h>

#include "helpers/check.h"

robot sample_robot(uint64_t seed, int order, int floating) {
  static const jn_joint_type bases[] = {JN_JOINT_FIXED,     JN_JOINT_FREE,   JN_JOINT_FREE,
                                        JN_JOINT_REVOLUTE,  JN_JOINT_PLANAR, JN_JOINT_PRISMATIC,
                                        JN_JOINT_SPHERICAL, JN_JOINT_FIXED};
  rng r = rng_new(seed ^ 0x5EED);
  int bodies = 1 + rng_below(&r, 30);
  jn_joint_type base = floating ? JN_JOINT_FREE : bases[rng_below(&r, COUNT(bases))];
  double omega = rng_below(&r, 2) ? 3 : 10;
  jn_spec *spec = random_spec(seed, bodies, base, TYPES_ALL);
  for (int i = 0; i < jn_spec_link_count(spec); i++) {
    jn_link_desc *l = jn_spec_link(spec, i);
    double f = pow(10, rng_range(&r, -1, 1));
    l->mass *= f;
    for (int j = 0; j < 9; j++) l->inertia.m[j / 3][j % 3] *= f;
  }
  return robot_new(spec, order, seed, omega);
}

void sample_add(sample *s, double x) {
  if (s->count == s->room) {
    s->room = 2 * s->room + 64;
    s->x = realloc(s->x, s->room * sizeof *s->x);
    if (!s->x) fail_msg("out of memory");
  }
  s->x[s->count++] = isnan(x) ? HUGE_VAL : x;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double sample_quantile(sample *s, double p) {
  if (!s->count) return 0;
  qsort(s->x, s->count, sizeof *s->x, by_size);
  size_t i = (size_t)ceil(p * (double)s->count);
  return s->x[i ? i - 1 : 0];
}

void sample_free(sample *s) { free(s->x); }

quad *to_quads(const double *x, size_t n) {
  quad *y = quads(n);
  for (size_t i = 0; i < n; i++) y[i] = x[i];
  return y;
}

double quad_distance(const quad *x, const double *y, size_t from, size_t to) {
  double most = 0;
  for (size_t i = from; i < to; i++) {
    double d = (double)quad_abs(x[i] - (quad)y[i]);
    most = isnan(d) ? HUGE_VAL : fmax(most, d);
  }
  return most;
}

double quad_difference(const quad *x, const quad *y, size_t from, size_t to) {
  double most = 0;
  for (size_t i = from; i < to; i++) {
    double d = (double)quad_abs(x[i] - y[i]);
    most = isnan(d) ? HUGE_VAL : fmax(most, d);
  }
  return most;
}

double quad_largest(const quad *x, size_t from, size_t to) {
  double most = 0;
  for (size_t i = from; i < to; i++) most = fmax(most, (double)quad_abs(x[i]));
  return most;
}
