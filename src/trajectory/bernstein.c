/* bernstein.c: polynomials on one piece by their Bernstein coefficients. */
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"

double jn_binomial(int n, int k) {
  double c = 1;
  for (int i = 1; i <= k; i++) c = c * (n - k + i) / i;
  return floor(c + 0.5);
}

void jn_bernstein_values(int n, double u, double *B) {
  B[0] = 1;
  for (int k = 1; k <= n; k++) {
    B[k] = u * B[k - 1];
    for (int i = k - 1; i > 0; i--) B[i] = u * B[i - 1] + (1 - u) * B[i];
    B[0] *= 1 - u;
  }
}

/* The m-th derivative has degree p = n - m and Bernstein coefficients n!/(n-m)! Delta^m b. The
 * integral of the product of two basis functions of degree p is
 *   C(p,i) C(p,j)/(C(2p,i+j) (2p+1)) */
void jn_bernstein_energy(int n, int m, double *Q) {
  int p = n - m;
  double f = 1;
  memset(Q, 0, sizeof *Q * (size_t)(n + 1) * (size_t)(n + 1));
  for (int i = 0; i < m; i++) f *= n - i;
  for (int i = 0; i <= p; i++)
    for (int j = 0; j <= p; j++) {
      double g =
          f * f * jn_binomial(p, i) * jn_binomial(p, j) / jn_binomial(2 * p, i + j) / (2 * p + 1);
      for (int a = 0; a <= m; a++)
        for (int b = 0; b <= m; b++) {
          double sign = (a + b) % 2 ? -1 : 1;
          Q[(i + a) * (n + 1) + j + b] += sign * g * jn_binomial(m, a) * jn_binomial(m, b);
        }
    }
}

/* Bernstein coefficient j on [a, b] is the blossom (polar form) at (a, ..., a, b, ..., b), with b
 * j times: de Boor's algorithm with one of these arguments at each level. */
void jn_bspline_span(int degree, const double *knots, int span, double *A) {
  const int n = degree + 1;
  const double *k = knots + span - degree;
  double x[JN_MAX_SPLINE + 1];
  for (int column = 0; column < n; column++)
    for (int j = 0; j < n; j++) {
      memset(x, 0, sizeof x);
      x[column] = 1;
      for (int level = 1; level < n; level++) {
        double t = level <= degree - j ? knots[span] : knots[span + 1];
        for (int i = degree; i >= level; i--) {
          double l = k[i], r = k[i + n - level], s = (t - l) / (r - l);
          x[i] = (1 - s) * x[i - 1] + s * x[i];
        }
      }
      A[j * n + column] = x[degree];
    }
}
