/* sample.h: random cases for the comparison with quad.h, and statistics of the errors. */
#ifndef TEST_SAMPLE_H
#define TEST_SAMPLE_H

#include "helpers/tree.h"
#include "oracle/quad.h"

/* 1 to 30 bodies: chain, star, comb or random tree, every joint type, any base; masses over three
 * decades; joints on sinusoids up to 3 or 10 rad/s. */
robot sample_robot(uint64_t seed, int order, int floating);

/* errors of one order, one from each case */
typedef struct sample {
  double *x;
  size_t count, room;
} sample;
void sample_add(sample *s, double x);
double sample_quantile(sample *s, double p); /* sorts; 1: the largest */
void sample_free(sample *s);

quad *to_quads(const double *x, size_t n);
/* max |x_i - y_i| over i in [from, to), and max |x_i| */
double quad_distance(const quad *x, const double *y, size_t from, size_t to);
double quad_difference(const quad *x, const quad *y, size_t from, size_t to);
double quad_largest(const quad *x, size_t from, size_t to);

#endif
