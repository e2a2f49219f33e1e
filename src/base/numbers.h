/* numbers.h (private): checks and sums over arrays of numbers, and small dense systems. */
#ifndef JOUNCE_BASE_NUMBERS_H
#define JOUNCE_BASE_NUMBERS_H

#include <jounce/base.h>
#include <stddef.h>

int jn_all_finite(const double *x, size_t n);
/* Copies x[n] to out if all are finite; else JN_ERR_NOT_FINITE, and out is left as it was. */
jn_status jn_deliver(const double *x, size_t n, double *out);
int jn_all_below(const double *x, size_t n, double most); /* every |x_i| < most */
double jn_magnitude(const double *x, size_t n);           /* sum of |x_i| */
double jn_largest(const double *x, size_t n);             /* largest |x_i|; NaN if one is */

/* The last i from low to high - 1 with x[i stride] <= t, x increasing; `low` if there is none. */
static inline int jn_last_at(const double *x, int stride, int low, int high, double t) {
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (x[(size_t)middle * (size_t)stride] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* A = L U in place with partial pivoting, the permutation of the rows in `order`; returns 0 when a
 * pivot is not larger than `smallest`. Then x = A^-1 b; x may be b. */
int jn_lu_factor(double A[6][6], int order[6], double smallest);
void jn_lu_solve(const double LU[6][6], const int order[6], const double *b, double *x);

#endif
