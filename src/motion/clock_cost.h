/* clock_cost.h (private): integrals of squared forces or force rates along a clock.
 *
 * At a point, y = (b, b', b'', 1). A force is x.y + e b^(1/2) (e: damping), its rate
 * b^(1/2) L.y + M.y. With dt = b^(-1/2) du the integrand of both is
 *
 *   b^(-1/2) F_0 + F_1 + b^(1/2) F_2,   F_k = y^T Q_k y
 *   force: F_0 = (x.y)^2,  F_1 = 2 e x.y,      F_2 = e^2
 *   rate:  F_0 = (M.y)^2,  F_1 = 2 (L.y)(M.y), F_2 = (L.y)^2
 *
 * b^(-1/2) (x.y)^2 is convex in y, and with it the integral of squared forces without damping.
 * b^(1/2) (L.y)^2 is not: its Hessian is that of a convex function less 3/4 b^(-3/2) F_2 in b. */
#ifndef JOUNCE_SRC_CLOCK_COST_H
#define JOUNCE_SRC_CLOCK_COST_H

#include <stddef.h>

enum {
  JN_COST_NUMBERS = 10,
  JN_COST_FORMS = 3
}; /* of a symmetric Q: 00 01 02 03 11 12 13 22 23 33 */

/* Q_k at point i: form[(k x 10 + number) x stride + i] */
typedef struct clock_cost {
  double value, g[3], h[6]; /* gradient, Hessian 00 01 02 11 12 22 without its concave part */
  double concave;           /* to be subtracted from h[0] */
} clock_cost;
clock_cost jn_clock_cost_at(const double *form, size_t stride, int i, double b, double b1,
                            double b2);

/* Adds a force, x and e, or a rate, L and M, to the forms of point i. */
void jn_clock_cost_force(double *form, size_t stride, size_t i, const double x[4], double e);
void jn_clock_cost_rate(double *form, size_t stride, size_t i, const double L[4],
                        const double M[4]);

#endif
