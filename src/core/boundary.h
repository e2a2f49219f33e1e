/* boundary.h (core): converts between the user's state (derivatives, any representation) and that
 * of the algorithms (Taylor coefficients, body representation). */
#ifndef JOUNCE_CORE_BOUNDARY_H
#define JOUNCE_CORE_BOUNDARY_H

#include <string.h>

#include "core/body/base.h"

static inline v3 settings_gravity(const jn_settings *set) {
  const double g[4] = {set->gravity.x, set->gravity.y, set->gravity.z, 0};
  return c_vector(g);
}
static inline int is_prescribed(const unsigned char *prescribed, const jn_link *l) {
  return prescribed && prescribed[l->joint];
}

static inline pose_jet free_pose(const jn_link *l, const jn_work *w) {
  real *X = X_of(w, l->ix);
  return (pose_jet){X, X + 18, 21, 21};
}
/* position of a free joint relative to the point of the user's spatial twists and wrenches: q's p
 * (boundary_about_origin), or 0 when they are about the joint itself (boundary_about_joint) */
static inline v3 free_position(const jn_link *l, const jn_work *w) {
  return load_v3(reference_of(w, l->iv));
}
static inline void boundary_about_origin(const jn_model *m, const jn_work *w) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    store_v3(reference_of(w, l->iv), load_v3(q_of(w, l->iq) + 4));
  }
}

/* Shifts spatial twists and wrenches of free joints between the origin and the joint's position p:
 *   twists  v = v + sign p x w        wrenches (moment = 1)  n = n + sign p x f
 * x: order-major rows of *derivatives*; sign: -1 from the origin to p, +1 back. Far from the origin
 * digits cancel here, so the numbers must be exactly those of the user. */
static inline void boundary_shift(const jn_model *m, const jn_work *w, real *x, int rows_used,
                                  int sign, int moment) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    v3 p = load_v3(q_of(w, l->iq) + 4);
    for (int k = 0; k < rows_used; k++) {
      real *row = x + (size_t)k * m->nv + l->iv, *moved = moment ? row : row + 3,
           *by = moment ? row + 3 : row;
      v3 a = load_v3(moved), b = load_v3(by);
      store_v3(moved, sign > 0 ? v3_add_cross_exact(a, p, b) : v3_add_cross_exact(a, b, p));
    }
  }
}
static inline void boundary_about_joint(const jn_model *m, const jn_work *w) {
  for (int i = 0; i < m->nfree; i++)
    store_v3(reference_of(w, m->link[m->free_link[i]].iv), v3_zero());
}

/* copies rows from..to of an order-major array of jets */
static inline void boundary_copy(const jn_model *m, real *to_rows, const real *x, int from,
                                 int to) {
  const size_t nv = (size_t)m->nv, at = (size_t)from * nv;
  memcpy(to_rows + at, x + at, sizeof(real) * nv * (size_t)(to - from + 1));
}

/* Whether link l is a free base, which the body formulation converts by base.h. Other free joints,
 * and those of the formulations in world axes, are converted with their transforms X. */
static inline int is_base(const jn_link *l, int world) { return !world && l->parent < 0; }

/* w->io -> w->v: velocities of orders from..to, and the transforms of free joints, which the
 * conversion needs. world: see jn_recursion. */
static inline void boundary_motion_free(const jn_model *m, const jn_link *l, const jn_work *w,
                                        int rep, int from, int to) {
  const int nv = m->nv;
  const real *q = q_of(w, l->iq), *in = io_of(w, l->iv);
  real *v = v_of(w, l->iv), *X = X_of(w, l->ix);
  for (int k = from; k <= to; k++) {
    if (k) joint_step(l, k, q, v, nv, X);
    if (rep != JN_BODY) twist_to_body(rep, k, free_pose(l, w), free_position(l, w), in, nv, v, nv);
  }
}
INLINE void boundary_motion(const jn_model *m, const jn_work *w, int rep, int from, int to,
                            int world) {
  const int nv = m->nv;
  boundary_copy(m, v_of(w, 0), io_of(w, 0), from, to);
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    const real *q = q_of(w, l->iq);
    real *X = X_of(w, l->ix);
    if (from == 0) joint_place(l, q, q[0], q[0], X);
    if (!is_base(l, world)) {
      boundary_motion_free(m, l, w, rep, from, to);
    } else if (rep != JN_BODY) {
      base_jet *b = base_of(w);
      if (from == 0) base_place(b, X);
      EACH(k, from, to) {
        if (k) base_step(rep, k, b);
        base_twist_in(rep, k, b, io_of(w, l->iv) + k * nv, v_of(w, l->iv) + k * nv);
      }
    }
  }
}

static inline void boundary_motion_in(const jn_model *m, const jn_work *w, int rep, int from,
                                      int to) {
  boundary_motion(m, w, rep, from, to, 1);
}

/* Back: w->v -> w->io, w->tau -> w->io; and forces in: w->force -> w->tau. */
INLINE void boundary_motion_out(const jn_model *m, const jn_work *w, int rep, int from, int to,
                                int world) {
  boundary_copy(m, io_of(w, 0), v_of(w, 0), from, to);
  for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    const real *v = v_of(w, l->iv);
    real *out = io_of(w, l->iv);
    if (is_base(l, world)) {
      base_jet *b = base_of(w);
      base_follow(rep, to, b, v + to * m->nv); /* lower orders are known */
      EACH(k, from, to) base_twist_out(rep, k, b, out + k * m->nv);
    } else {
      for (int k = from; k <= to; k++)
        twist_from_body(rep, k, free_pose(l, w), free_position(l, w), v, m->nv, out, m->nv);
    }
  }
}
INLINE void boundary_force_out(const jn_model *m, const jn_work *w, int rep, int from, int to,
                               int world) {
  boundary_copy(m, io_of(w, 0), tau_of(w, 0), from, to);
  for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    const real *tau = tau_of(w, l->iv);
    real *out = io_of(w, l->iv);
    if (is_base(l, world)) {
      EACH(k, from, to) base_wrench_out(rep, k, base_of(w), tau + k * m->nv, out + k * m->nv);
    } else {
      for (int k = from; k <= to; k++)
        wrench_from_body(rep, k, free_pose(l, w), free_position(l, w), tau, m->nv, out, m->nv);
    }
  }
}
static inline void boundary_force_in(const jn_link *l, const jn_work *w, int nv, int rep, int k,
                                     const real *in, real *tau, int world) {
  if (link_is_free(l) && rep != JN_BODY && is_base(l, world))
    base_wrench_in(rep, k, base_of(w), in + k * nv, tau + k * nv);
  else if (link_is_free(l))
    wrench_to_body(rep, k, free_pose(l, w), free_position(l, w), in, nv, tau, nv);
  else
    for (int j = 0; j < l->nv; j++) tau[k * nv + j] = in[k * nv + j];
}

/* order k+1 of a prescribed velocity */
static inline void boundary_given(const jn_link *l, const jn_work *w, int nv, int rep, int k,
                                  int world) {
  const real *in = io_of(w, l->iv);
  real *v = v_of(w, l->iv);
  if (link_is_free(l) && rep != JN_BODY && is_base(l, world))
    base_twist_in(rep, k + 1, base_of(w), in + (k + 1) * nv, v + (k + 1) * nv);
  else if (link_is_free(l))
    twist_to_body(rep, k + 1, free_pose(l, w), free_position(l, w), in, nv, v, nv);
  else
    for (int j = 0; j < l->nv; j++) v[(k + 1) * nv + j] = in[(k + 1) * nv + j];
}

/* Input of order k in w->e: (k+1) v_(k+1) of prescribed joints, else the force minus damping. w->io
 * holds the given motion, w->force the given forces. w->tau receives the forces in body
 * representation, unless they are so already. world: see jn_recursion. */
INLINE void boundary_drive(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                           const unsigned char *prescribed, int world) {
  const int nv = m->nv, rep = (int)set->representation;
  if (!prescribed && !world && !set->damping) {
    memcpy(w->e, force_of(w, k * nv), sizeof(real) * (size_t)nv);
    for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
      const jn_link *l = &m->link[m->free_link[i]];
      real *tau = tau_of(w, l->iv);
      boundary_force_in(l, w, nv, rep, k, force_of(w, l->iv), tau, world);
      memcpy(e_of(w, l->iv), tau + k * nv, sizeof(real) * 6);
    }
    return;
  }
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    real *v = v_of(w, l->iv), *tau = tau_of(w, l->iv), *e = e_of(w, l->iv);
    if (world && link_is_free(l)) joint_step(l, k + 1, q_of(w, l->iq), v, nv, X_of(w, l->ix));
    if (is_prescribed(prescribed, l)) {
      boundary_given(l, w, nv, rep, k, world);
      for (int j = 0; j < l->nv; j++) e[j] = (double)(k + 1) * v[(k + 1) * nv + j];
      continue;
    }
    boundary_force_in(l, w, nv, rep, k, force_of(w, l->iv), tau, world);
    for (int j = 0; j < l->nv; j++) {
      e[j] = tau[k * nv + j];
      if (set->damping) e[j] -= l->damping * v[k * nv + j];
    }
  }
}

#endif
