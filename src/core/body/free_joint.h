/* free_joint.h (core): one free joint between the user's state (derivatives, any representation) and
 * that of the algorithms (Taylor coefficients, body representation). Rows of `nv` reals per order;
 * p0: position relative to the point of the user's spatial twists and wrenches. */
#ifndef JOUNCE_CORE_BODY_FREE_JOINT_H
#define JOUNCE_CORE_BODY_FREE_JOINT_H

#include "core/body/joint.h"

INLINE pose_jet free_pose_of(real *X) { return pose_jet_make(X, X + 18, 21, 21); }

/* Shifts spatial twists and wrenches between the origin and the joint's position p:
 *   twists  v = v + sign p x w        wrenches (moment = 1)  n = n + sign p x f
 * x: rows of *derivatives*; sign: -1 from the origin to p, +1 back. Far from the origin digits
 * cancel here, so the numbers must be exactly those of the user. */
static inline void free_shift(const real *q, int nv, real *x, int rows_used, int sign, int moment) {
  const v3 p = load_v3(q + 4);
  for (int k = 0; k < rows_used; k++) {
    real *row = x + (size_t)k * (size_t)nv, *moved = moment ? row : row + 3,
         *by = moment ? row + 3 : row;
    v3 a = load_v3(moved), b = load_v3(by);
    store_v3(moved, sign > 0 ? v3_add_cross_exact(a, p, b) : v3_add_cross_exact(a, b, p));
  }
}

/* Velocities of orders from..to, and the transforms, which the conversion needs. In body
 * representation `in` is v itself or was copied to it. `lazy`: leave out the transform of a free
 * base above order 0, which the body formulation does not use in body representation. */
static inline void free_motion_in(const jn_link *l, int rep, int from, int to, int lazy, int nv,
                                  const real *q, v3 p0, const real *in, real *v, real *X) {
  if (from == 0) joint_place(l, q, q[0], q[0], X);
  for (int k = from; k <= to; k++) {
    if (k && (!lazy || rep != JN_BODY || l->parent >= 0)) joint_step(l, k, q, v, nv, X);
    if (rep != JN_BODY) twist_to_body(rep, k, free_pose_of(X), p0, in, nv, v, nv);
  }
}

/* The force of order k of any joint, in body representation. */
static inline void joint_force_in(const jn_link *l, int rep, int k, int nv, v3 p0, const real *in,
                                  real *X, real *tau) {
  if (l->kind == JN_K_FREE)
    wrench_to_body(rep, k, free_pose_of(X), p0, in, nv, tau, nv);
  else
    for (int j = 0; j < l->nv; j++) tau[k * nv + j] = in[k * nv + j];
}
/* The same, and in e minus damping. */
static inline void drive_joint(const jn_link *l, int rep, int k, int nv, v3 p0, const real *in,
                               const real *v, real *X, int damping, real *tau, real *e) {
  joint_force_in(l, rep, k, nv, p0, in, X, tau);
  for (int j = 0; j < l->nv; j++) {
    e[j] = tau[k * nv + j];
    if (damping) e[j] -= l->damping * v[k * nv + j];
  }
}

#endif
