/* differences.h: derivatives by central differences, to compare exact ones with. */
#ifndef TEST_DIFFERENCES_H
#define TEST_DIFFERENCES_H

#include <stddef.h>

#include <jounce/jounce.h>

/* out[nq]: q displaced along degree of freedom c of v: q + h for a joint with one degree of
 * freedom, R exp(h e) or C exp(h e) for a spherical or free one. */
void move_along(const jn_model *model, const double *q, int c, double h, double *out);

/* f(s) -> out[n] */
typedef void (*curve_of)(void *context, double s, double *out);

/* df/ds at 0, out[n]: central differences at h, h/2, ..., h/16 and Richardson extrapolation. */
void derivative(curve_of f, void *context, double h, size_t n, double *out);

#endif
