/* printed.h: helpers of the tests of printed formulas (docs/errata.md): small dense algebra on
 * stacked six-vectors. */
#ifndef TEST_PRINTED_H
#define TEST_PRINTED_H

#include <stddef.h>

enum { MOST = 10, N6 = 6 * MOST }; /* bodies, and their six-vectors */

/* max |x_i - y_i| / max |y_i| */
double relative(const double *x, const double *y, size_t n);

/* out = A x or A^T x, A [rows x columns], at most N6 each; out may be x */
void times(const double *A, size_t rows, size_t columns, int transposed, const double *x,
           double *out);
/* out += f x */
void add(double f, const double *x, size_t n, double *out);
/* ad[n x n]: ad_V of every twist of V[n] on the diagonal */
void ad_blocks(const double *V, size_t n, double *ad);

#endif
