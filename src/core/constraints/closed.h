/* closed.h (private): directional derivatives of dynamics with constraints.
 *
 * Along a motion with constraint forces lambda, a variation displaces link i by D_i and
 *   d tau = (variation of the open tree's forces) - d(J^T lambda)
 *   d psi = d(J v) = 0 at every order that is solved for
 * The wrenches w lambda enter the variation as applied wrenches that turn with their links
 * (partials.h). What is left of their variation, on link a and with opposite sign on b:
 *   dw lambda + ad_(D_a)^T w lambda + w d lambda
 * dw follows from the variations of the points and axes, dP = D.v + D.w x P, du = D.w x u. With
 * dV = D' - ad_V D,
 *   d psi = dw . (V_a - V_b) + w . (dV_a - dV_b)
 * All are jets. In forward dynamics M^-1 and the decomposition of L^-1 J^T solve every order.
 *
 * Fields y are velocities that do not vary. dJ y, which the conditions of least norm need, follows
 * from the variations of the screws, dS = ad_D S (and jn_variation_own_screw). */
#ifndef JOUNCE_CORE_CONSTRAINTS_CLOSED_H
#define JOUNCE_CORE_CONSTRAINTS_CLOSED_H

#include "core/derivatives/partials.h"

typedef struct closed_variation closed_variation;
struct closed_variation {
  const variation *x;
  const unsigned char *active; /* [ncut]; NULL: all */
  const double *lambda;        /* Taylor coefficients, [(K+1) x nrow] */
  int fields;                  /* how many: 0, 1 or 2 */
  const void *blocks;          /* of the decomposition */
  /* delta[nrow x lanes]: the least-norm solution of Z^T Z delta = -rest */
  void (*solve)(const closed_variation *c, int lanes, const double *rest, double *delta);
};

#endif
