/* free_joint.h (core): one free joint between the user's state (derivatives, any representation) and
 * that of the algorithms (Taylor coefficients, body representation). Rows of `nv` reals per order;
 * p0: position relative to the point of the user's spatial twists and wrenches.
 * b: jets of a free base of the body formulation (base.h), about its own position. NULL: another free
 * joint, or another formulation, converted with the transforms X. */
#ifndef JOUNCE_CORE_BODY_FREE_JOINT_H
#define JOUNCE_CORE_BODY_FREE_JOINT_H

#include "core/body/base.h"

INLINE pose_jet free_pose_of(real *X) { return pose_jet_make(X, X + 18, 21, 21); }

/* Shifts spatial twists and wrenches between the origin and the joint's position p:
 *   twists  v = v + sign p x w        wrenches (moment = 1)  n = n + sign p x f
 * x: rows of *derivatives*; sign: -1 from the origin to p, +1 back. Far from the origin digits
 * cancel here, so the numbers must be exactly those of the user. */
INLINE void free_shift(const real *q, int nv, real *x, int rows_used, int sign, int moment) {
  const v3 p = load_v3(q + 4);
  for (int k = 0; k < rows_used; k++) {
    real *row = x + (size_t)k * (size_t)nv;
    real *moved = moment ? row : row + 3, *by = moment ? row + 3 : row;
    const v3 a = load_v3(moved), b = load_v3(by);
    store_v3(moved, sign > 0 ? v3_add_cross_exact(a, p, b) : v3_add_cross_exact(a, b, p));
  }
}
/* Taylor coefficient k from the derivative of a twist or wrench in `rep`; spatial: about the origin,
 * then about the joint's position p. */
INLINE six free_row_in(int rep, int k, v3 p, const real *row, int moment) {
  v3 a = load_first(row), b = load_second(row);
  if (rep == JN_SPATIAL && moment) a = v3_add_cross_exact(a, b, p);
  if (rep == JN_SPATIAL && !moment) b = v3_add_cross_exact(b, a, p);
  return six_make(v3_scale_order(k, a, 1), v3_scale_order(k, b, 1));
}
/* The same of rows of spatial twists or wrenches. */
INLINE void free_rows_in(const real *q, int nv, const real *from, real *x, int rows_used,
                         int moment) {
  const v3 p = load_v3(q + 4);
  EACH(k, 0, rows_used - 1)
  store_six(x + k * nv, free_row_in(JN_SPATIAL, k, p, from + k * nv, moment));
}
/* Back. */
INLINE void free_row_out(int rep, int k, v3 p, six x, real *row, int moment) {
  v3 a = v3_scale_order(k, x.w, 0), b = v3_scale_order(k, x.v, 0);
  if (rep == JN_SPATIAL && moment) a = v3_add_cross_exact(a, p, b);
  if (rep == JN_SPATIAL && !moment) b = v3_add_cross_exact(b, p, a);
  store_v3(row, a);
  store_v3(row + 3, b);
}

/* Velocities of orders from..to, and what the conversion needs: b, or X. In body representation `in`
 * is v itself or was copied to it, and a free base needs X_0 alone. */
INLINE void free_motion_in(const jn_link *l, int rep, int from, int to, int nv, const real *q,
                           v3 p0, const real *in, real *v, real *X, base_jet *b) {
  v3 row[3];
  if (from == 0 && b) {
    rotation_rows(q, row);
    free_place(q, row, X);
    if (rep != JN_BODY) base_place(b, row);
  } else if (from == 0) {
    joint_place(l, q, q[0], q[0], X);
  }
  if (!b) {
    for (int k = from; k <= to; k++) {
      if (k) joint_step(l, k, q, v, nv, X);
      if (rep != JN_BODY) twist_to_body(rep, k, free_pose_of(X), p0, in, nv, v, nv);
    }
  } else if (rep != JN_BODY) {
    EACH(k, from, to) base_give(b + k, load_six(in + k * nv));
    base_twists_in(rep, from, to, nv, b, v);
  }
}

/* Back: out of orders from..to, which holds v (or tau) of the other joints. */
INLINE void free_motion_out(int rep, int from, int to, int nv, v3 p0, const real *v, real *X,
                            base_jet *b, real *out) {
  if (b) {
    base_advance(rep, to, nv, b, v); /* lower orders are known */
    base_follow(rep, to, b, v + to * nv);
    EACH(k, from, to) store_six(out + k * nv, base_twist_out(rep, k, b));
  } else {
    for (int k = from; k <= to; k++) twist_from_body(rep, k, free_pose_of(X), p0, v, nv, out, nv);
  }
}
INLINE void free_force_out(int rep, int from, int to, int nv, v3 p0, const real *tau, real *X,
                           base_jet *b, real *out) {
  if (b) {
    base_wrenches_out(rep, from, to, nv, b, tau);
    EACH(k, from, to) store_six(out + k * nv, six_make(b[k].n, b[k].f));
  } else {
    for (int k = from; k <= to; k++)
      wrench_from_body(rep, k, free_pose_of(X), p0, tau, nv, out, nv);
  }
}

/* The velocity of order k of any joint, lower orders being known, and X to order k. */
INLINE void joint_motion_in(const jn_link *l, int rep, int k, int nv, v3 p0, const real *in,
                            real *X, base_jet *b, real *v) {
  if (l->kind != JN_K_FREE || rep == JN_BODY)
    for (int j = 0; j < l->nv; j++) v[k * nv + j] = in[k * nv + j];
  else if (b) {
    base_give(b + k, load_six(in + k * nv));
    base_twists_in(rep, k, k, nv, b, v);
  } else
    twist_to_body(rep, k, free_pose_of(X), p0, in, nv, v, nv);
}
/* The force of order k of any joint, in body representation. */
INLINE void joint_force_in(const jn_link *l, int rep, int k, int nv, v3 p0, const real *in, real *X,
                           base_jet *b, real *tau) {
  if (l->kind != JN_K_FREE || rep == JN_BODY)
    for (int j = 0; j < l->nv; j++) tau[k * nv + j] = in[k * nv + j];
  else if (b)
    base_wrench_in(rep, k, b, in + k * nv, tau + k * nv);
  else
    wrench_to_body(rep, k, free_pose_of(X), p0, in, nv, tau, nv);
}
/* The same, after the motion v of lower orders, and in e minus damping. */
INLINE void drive_joint(const jn_link *l, int rep, int k, int nv, v3 p0, const real *in,
                        const real *v, real *X, base_jet *b, int damping, real *tau, real *e) {
  if (b && k && rep != JN_BODY) base_advance(rep, k, nv, b, v);
  joint_force_in(l, rep, k, nv, p0, in, X, b, tau);
  const int n = b ? 6 : l->nv;
  for (int j = 0; j < n; j++) {
    e[j] = tau[k * nv + j];
    if (damping) e[j] -= l->damping * v[k * nv + j];
  }
}

#endif
