/* clock_cost.c: integrals of squared forces or force rates along a clock; see clock_cost.h. */
#include "motion/clock_cost.h"

#include <math.h>

/* number of entry (a, b) */
static const int entry[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

/* Q_k += (x y^T + y x^T)/2 */
static void add_product(double *form, size_t stride, size_t i, int k, const double x[4],
                        const double y[4]) {
  for (int a = 0; a < 4; a++)
    for (int b = a; b < 4; b++)
      form[(size_t)(k * JN_COST_NUMBERS + entry[a][b]) * stride + i] +=
          0.5 * (x[a] * y[b] + x[b] * y[a]);
}

void jn_clock_cost_force(double *form, size_t stride, size_t i, const double x[4], double e) {
  const double twice[4] = {0, 0, 0, 2 * e}, one[4] = {0, 0, 0, e};
  add_product(form, stride, i, 0, x, x);
  if (e == 0) return;
  add_product(form, stride, i, 1, twice, x);
  add_product(form, stride, i, 2, one, one);
}

void jn_clock_cost_rate(double *form, size_t stride, size_t i, const double L[4],
                        const double M[4]) {
  const double twice[4] = {2 * M[0], 2 * M[1], 2 * M[2], 2 * M[3]};
  add_product(form, stride, i, 2, L, L);
  add_product(form, stride, i, 1, twice, L);
  add_product(form, stride, i, 0, M, M);
}

clock_cost jn_clock_cost_at(const double *form, size_t stride, int i, double b, double b1,
                            double b2) {
  const double y[4] = {b, b1, b2, 1}, root = sqrt(b);
  clock_cost c = {0};
  for (int k = 0; k < JN_COST_FORMS; k++) {
    const double *Q = form + (size_t)(k * JN_COST_NUMBERS) * stride + (size_t)i;
    double F = 0, G[4] = {0}; /* F and its gradient */
    for (int a = 0; a < 4; a++) {
      for (int d = 0; d < 4; d++) G[a] += 2 * Q[(size_t)entry[a][d] * stride] * y[d];
      F += 0.5 * G[a] * y[a];
    }
    /* (b^p F)' = b^p F' + p b^(p-1) F e,  p = -1/2, 0, 1/2; (b^p F)'' has p (p-1) b^(p-2) F e e^T,
     * 1/2 of it where p = 1/2 and the concave rest apart */
    const double p = 0.5 * (k - 1),
                 power = k == 0   ? 1 / root
                         : k == 1 ? 1
                                  : root,
                 slope = p * power / b, bend = k == 2 ? 0.5 : p * (p - 1);
    c.value += power * F;
    for (int a = 0; a < 3; a++) c.g[a] += power * G[a];
    c.g[0] += slope * F;
    for (int a = 0, n = 0; a < 3; a++)
      for (int d = a; d < 3; d++, n++) c.h[n] += 2 * power * Q[(size_t)entry[a][d] * stride];
    c.h[0] += 2 * slope * G[0] + bend * power / (b * b) * F;
    c.h[1] += slope * G[1];
    c.h[2] += slope * G[2];
    if (k == 2) c.concave = 0.75 * power / (b * b) * F;
  }
  return c;
}
