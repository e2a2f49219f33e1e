/* numbers.c: checks and sums over arrays of numbers, and small dense systems. */
#include "base/numbers.h"

#include <math.h>
#include <string.h>

int jn_all_finite(const double *x, size_t n) {
  /* 0 * x is 0 for every finite x and NaN for the others */
  typedef double two __attribute__((vector_size(16), aligned(8)));
  two a = {0, 0}, b = a, c = a, d = a;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    a += 0.0 * *(const two *)(x + i);
    b += 0.0 * *(const two *)(x + i + 2);
    c += 0.0 * *(const two *)(x + i + 4);
    d += 0.0 * *(const two *)(x + i + 6);
  }
  for (; i + 2 <= n; i += 2) a += 0.0 * *(const two *)(x + i);
  if (i < n) b[0] += 0.0 * x[i];
  a = (a + b) + (c + d);
  return a[0] + a[1] == 0.0;
}

jn_status jn_deliver(const double *x, size_t n, double *out) {
  if (!jn_all_finite(x, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(out, x, sizeof *x * n);
  return JN_OK;
}

int jn_all_below(const double *x, size_t n, double most) {
  double top = 0;
  int numbers = 1;
  for (size_t i = 0; i < n; i++) {
    numbers &= x[i] == x[i];
    const double a = fabs(x[i]);
    top = a > top ? a : top; /* not fmax, which is a call */
  }
  return numbers && top < most;
}

double jn_magnitude(const double *x, size_t n) {
  double s[8] = {0};
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (size_t j = 0; j < 8; j++) s[j] += fabs(x[i + j]);
  for (; i < n; i++) s[0] += fabs(x[i]);
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

double jn_largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

int jn_lu_factor(double A[6][6], int order[6], double smallest) {
  for (int r = 0; r < 6; r++) order[r] = r;
  for (int k = 0; k < 6; k++) {
    int best = k;
    for (int r = k + 1; r < 6; r++)
      if (fabs(A[r][k]) > fabs(A[best][k])) best = r;
    if (!(fabs(A[best][k]) > smallest)) return 0;
    for (int c = 0; c < 6; c++) {
      const double swap = A[k][c];
      A[k][c] = A[best][c];
      A[best][c] = swap;
    }
    const int swap = order[k];
    order[k] = order[best];
    order[best] = swap;
    for (int r = k + 1; r < 6; r++) {
      A[r][k] /= A[k][k];
      for (int c = k + 1; c < 6; c++) A[r][c] -= A[r][k] * A[k][c];
    }
  }
  return 1;
}

void jn_lu_solve(const double LU[6][6], const int order[6], const double *b, double *x) {
  double y[6];
  for (int r = 0; r < 6; r++) {
    y[r] = b[order[r]];
    for (int c = 0; c < r; c++) y[r] -= LU[r][c] * y[c];
  }
  for (int r = 5; r >= 0; r--) {
    for (int c = r + 1; c < 6; c++) y[r] -= LU[r][c] * y[c];
    y[r] /= LU[r][r];
  }
  for (int r = 0; r < 6; r++) x[r] = y[r];
}
