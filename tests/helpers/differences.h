/* differences.h: derivatives by central differences, the ruler for exact ones. */
#ifndef TEST_DIFFERENCES_H
#define TEST_DIFFERENCES_H

#include <stddef.h>

#include <jounce/jounce.h>

/* out[nq]: q moved along column c of v, by h in a joint with one freedom, by R exp(h e) or
 * C exp(h e) in a spherical or free one. */
void move_along(const jn_model *model, const double *q, int c, double h, double *out);

/* f(s) -> out[n] */
typedef void (*curve_of)(void *context, double s, double *out);

/* df/ds at 0, out[n]: central differences at h, h/2, ..., h/16 and Richardson's extrapolation. */
void derivative(curve_of f, void *context, double h, size_t n, double *out);

#endif
