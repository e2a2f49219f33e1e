/* band.c: Cholesky factorisation of band matrices. Row i of A holds A(i, i-w) ... A(i, i). */
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"

/* A(i, j), j <= i <= j + w */
#define AT(A, i, j) (A)[(size_t)(i) * (size_t)(w + 1) + (size_t)((j) - (i) + w)]

int jn_band_factor(int n, int w, double *A, const double *sign) {
  for (int i = 0; i < n; i++) {
    int from = i > w ? i - w : 0;
    for (int j = from; j <= i; j++) {
      double s = AT(A, i, j);
      if (sign)
        for (int k = from; k < j; k++) s -= AT(A, i, k) * sign[k] * AT(A, j, k);
      else
        for (int k = from; k < j; k++) s -= AT(A, i, k) * AT(A, j, k);
      if (sign) s *= sign[j];
      if (j < i) {
        AT(A, i, j) = s / AT(A, j, j);
      } else {
        if (!(s > 0)) return 0;
        AT(A, i, i) = sqrt(s);
      }
    }
  }
  return 1;
}

void jn_band_solve(int n, int w, const double *L, const double *sign, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = i > w ? i - w : 0; k < i; k++) x[i] -= AT(L, i, k) * x[k];
    x[i] /= AT(L, i, i);
  }
  for (int i = 0; i < n && sign; i++) x[i] *= sign[i];
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n && k <= i + w; k++) x[i] -= AT(L, k, i) * x[k];
    x[i] /= AT(L, i, i);
  }
}
