/* slope.h: the slope test. A jet at t predicts a quantity at t + h; halving h must divide the error by
 * 2^(order+1). It checks every order at once, without reference data. */
#ifndef TEST_SLOPE_H
#define TEST_SLOPE_H

#include <stddef.h>

/* out[n]: the quantity at t + h */
typedef void (*value_at)(void *context, double h, double *out);

/* log2 of the ratio of the errors at the smallest h and h/2 (of 1/2, 1/4, ..., 1/512) that are clearly
 * above rounding, with Taylor coefficients jet[(order+1) x n]; -1: none is. */
double slope_of_jet(int order, size_t n, const double *jet, value_at at, void *context);

#endif
