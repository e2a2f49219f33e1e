/* boundary.h (core): converts between the user's state (derivatives, any representation) and that
 * of the algorithms (Taylor coefficients, body representation). */
#ifndef JOUNCE_CORE_BOUNDARY_H
#define JOUNCE_CORE_BOUNDARY_H

#include <string.h>

#include "core/body/free_joint.h"

static inline v3 settings_gravity(const jn_settings *set) {
  const double g[4] = {set->gravity.x, set->gravity.y, set->gravity.z, 0};
  return c_vector(g);
}
static inline int is_prescribed(const unsigned char *prescribed, const jn_link *l) {
  return prescribed && prescribed[l->joint];
}

static inline pose_jet free_pose(const jn_link *l, const jn_work *w) {
  return free_pose_of(X_of(w, l->ix));
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

/* Shifts spatial twists and wrenches of free joints between the origin and the joint's position:
 * free_shift on order-major rows x. */
INLINE void boundary_shift(const jn_model *m, const jn_work *w, real *x, int rows_used, int sign,
                           int moment) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    free_shift(q_of(w, l->iq), m->nv, x + l->iv, rows_used, sign, moment);
  }
}
/* From rows of derivatives about the origin to Taylor coefficients x about the joints' positions. */
INLINE void boundary_rows_in(const jn_model *m, const jn_work *w, const real *from, real *x,
                             int rows_used, int moment) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    free_rows_in(q_of(w, l->iq), m->nv, from + l->iv, x + l->iv, rows_used, moment);
  }
}
static inline void boundary_about_joint(const jn_model *m, const jn_work *w) {
  for (int i = 0; i < m->nfree; i++)
    store_v3(reference_of(w, m->link[m->free_link[i]].iv), v3_zero());
}

/* whether the root floats; it is then the first free joint */
static inline int boundary_has_base(const jn_model *m) { return m->nfree && !m->free_link[0]; }

/* copies rows from..to of an order-major array of jets */
static inline void boundary_copy(const jn_model *m, real *to_rows, const real *x, int from,
                                 int to) {
  const size_t nv = (size_t)m->nv, at = (size_t)from * nv;
  memcpy(to_rows + at, x + at, sizeof(real) * nv * (size_t)(to - from + 1));
}

/* rows 0..K of derivatives -> Taylor coefficients */
INLINE void boundary_scale_in(int nv, int K, const real *given, real *x) {
  if (nv) memcpy(x, given, sizeof(real) * (size_t)nv * (size_t)(K + 1));
  scale_rows(0, K, nv, x, 1);
}

/* The jets of a free base (core/body/base.h), which the body formulation converts with; NULL for
 * other joints, and in the formulations in world axes, which have the transforms X. */
static inline base_jet *free_base(const jn_link *l, const jn_work *w, int world) {
  return !world && l->parent < 0 ? base_of(w) : NULL;
}

/* One free joint in boundary_motion; the base apart, of which the compiler makes more. */
INLINE void boundary_motion_joint(const jn_model *m, const jn_link *l, base_jet *b,
                                  const jn_work *w, int rep, int from, int to) {
  free_motion_in(l, rep, from, to, m->nv, q_of(w, l->iq), b ? v3_zero() : free_position(l, w),
                 io_of(w, l->iv), v_of(w, l->iv), X_of(w, l->ix), b);
}
APART void boundary_motion_other(const jn_model *m, const jn_link *l, const jn_work *w, int rep,
                                 int from, int to) {
  boundary_motion_joint(m, l, NULL, w, rep, from, to);
}
/* w->io -> w->v: velocities of orders from..to, and the transforms of free joints, which the
 * conversion needs. world: see jn_recursion. */
INLINE void boundary_motion(const jn_model *m, const jn_work *w, int rep, int from, int to,
                            int world) {
  boundary_copy(m, v_of(w, 0), io_of(w, 0), from, to);
  const int first = !world && boundary_has_base(m);
  if (first) boundary_motion_joint(m, &m->link[0], base_of(w), w, rep, from, to);
  for (int i = first; i < m->nfree; i++)
    boundary_motion_other(m, &m->link[m->free_link[i]], w, rep, from, to);
}

/* A copy in w->io of what is given in x, of a free joint beyond the base: its conversion needs all
 * lower orders. */
static inline real *boundary_given(const jn_model *m, const jn_work *w, const jn_link *l, int rep,
                                   int to, real *x) {
  if (rep == JN_BODY || free_base(l, w, 0)) return x;
  real *given = io_of(w, l->iv);
  for (int k = 0; k <= to; k++) memcpy(given + k * m->nv, x + k * m->nv, sizeof(real) * 6);
  return given;
}
/* The base in boundary_motion_of: rows are shifted, scaled and converted in registers. */
INLINE void boundary_motion_of_base(const jn_model *m, const jn_work *w, int rep, int K,
                                    const real *given) {
  const jn_link *l = &m->link[0];
  const int nv = m->nv;
  real *q = q_of(w, l->iq), *v = v_of(w, l->iv), *X = X_of(w, l->ix);
  v3 row[3];
  rotation_rows(q, row);
  free_place(q, row, X);
  if (rep == JN_BODY) return;
  base_jet *b = base_of(w);
  base_place(b, row);
  const v3 p = load_v3(q + 4);
  /* all rows first: they do not wait for R */
  EACH(k, 0, K) base_give(b + k, free_row_in(rep, k, p, given + k * nv, 0));
  base_twists_in(rep, 0, K, nv, b, v);
}
/* Another free joint. */
APART void boundary_motion_of_other(const jn_model *m, const jn_link *l, const jn_work *w, int rep,
                                    int K, const real *given) {
  real *q = q_of(w, l->iq), *v = v_of(w, l->iv), *in = boundary_given(m, w, l, rep, K, v);
  if (rep == JN_SPATIAL) free_rows_in(q, m->nv, given + l->iv, in, K + 1, 0);
  free_motion_in(l, rep, 0, K, m->nv, q, free_position(l, w), in, v, X_of(w, l->ix), NULL);
}
/* The user's rows of derivatives -> w->v of orders 0..K, and the transforms of free joints; spatial
 * twists are about the origin. Body formulation. */
INLINE void boundary_motion_of(const jn_model *m, const jn_work *w, int rep, int K,
                               const real *given) {
  boundary_scale_in(m->nv, K, given, v_of(w, 0));
  const int first = boundary_has_base(m);
  if (first) boundary_motion_of_base(m, w, rep, K, given);
  for (int i = first; i < m->nfree; i++)
    boundary_motion_of_other(m, &m->link[m->free_link[i]], w, rep, K, given);
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
    free_motion_out(rep, from, to, m->nv, free_position(l, w), v_of(w, l->iv), X_of(w, l->ix),
                    free_base(l, w, world), io_of(w, l->iv));
  }
}
INLINE void boundary_force_out(const jn_model *m, const jn_work *w, int rep, int from, int to,
                               int world) {
  boundary_copy(m, io_of(w, 0), tau_of(w, 0), from, to);
  for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    free_force_out(rep, from, to, m->nv, free_position(l, w), tau_of(w, l->iv), X_of(w, l->ix),
                   free_base(l, w, world), io_of(w, l->iv));
  }
}

/* The same of free joints, but as derivatives, about the origin if spatial: orders 1..r+1 of the
 * motion, 0..r of the forces. */
INLINE void boundary_motion_row(const jn_model *m, const jn_link *l, base_jet *b, const jn_work *w,
                                int rep, int r) {
  const v3 p = load_v3(q_of(w, l->iq) + 4);
  const int nv = m->nv;
  real *out = io_of(w, l->iv), *v = v_of(w, l->iv);
  if (b) {
    base_advance(rep, r + 1, nv, b, v);
    base_follow(rep, r + 1, b, v + (r + 1) * nv);
    EACH(k, 1, r + 1) free_row_out(rep, k, p, base_twist_out(rep, k, b), out + k * nv, 0);
    return;
  }
  free_motion_out(rep, 0, r + 1, nv, free_position(l, w), v, X_of(w, l->ix), NULL, out);
  for (int k = 1; k <= r + 1; k++) free_row_out(rep, k, p, load_six(out + k * nv), out + k * nv, 0);
}
INLINE void boundary_force_row(const jn_model *m, const jn_link *l, base_jet *b, const jn_work *w,
                               int rep, int r) {
  const v3 p = load_v3(q_of(w, l->iq) + 4);
  const int nv = m->nv;
  real *out = io_of(w, l->iv), *tau = tau_of(w, l->iv);
  if (b) {
    base_wrenches_out(rep, 0, r, nv, b, tau);
    EACH(k, 0, r) free_row_out(rep, k, p, six_make(b[k].n, b[k].f), out + k * nv, 1);
    return;
  }
  free_force_out(rep, 0, r, nv, free_position(l, w), tau, X_of(w, l->ix), NULL, out);
  for (int k = 0; k <= r; k++) free_row_out(rep, k, p, load_six(out + k * nv), out + k * nv, 1);
}
APART void boundary_other_rows(const jn_model *m, const jn_link *l, const jn_work *w, int rep,
                               int r, int motion) {
  if (motion)
    boundary_motion_row(m, l, NULL, w, rep, r);
  else
    boundary_force_row(m, l, NULL, w, rep, r);
}
INLINE void boundary_motion_rows(const jn_model *m, const jn_work *w, int rep, int r, int world) {
  const int first = !world && boundary_has_base(m);
  if (first) boundary_motion_row(m, &m->link[0], base_of(w), w, rep, r);
  for (int i = first; i < m->nfree; i++)
    boundary_other_rows(m, &m->link[m->free_link[i]], w, rep, r, 1);
}
INLINE void boundary_force_rows(const jn_model *m, const jn_work *w, int rep, int r, int world) {
  const int first = !world && boundary_has_base(m);
  if (first) boundary_force_row(m, &m->link[0], base_of(w), w, rep, r);
  for (int i = first; i < m->nfree; i++)
    boundary_other_rows(m, &m->link[m->free_link[i]], w, rep, r, 0);
}

INLINE void boundary_force_in(const jn_link *l, const jn_work *w, int nv, int rep, int k,
                              const real *in, real *tau, int world) {
  joint_force_in(l, rep, k, nv, link_is_free(l) ? free_position(l, w) : v3_zero(), in,
                 X_of(w, l->ix), free_base(l, w, world), tau);
}

/* In place: w->v, w->tau hold what is given, what is computed. */
INLINE void boundary_motion_in_place(const jn_model *m, const jn_work *w, int rep, int to) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    real *v = v_of(w, l->iv), *in = boundary_given(m, w, l, rep, to, v);
    free_motion_in(l, rep, 0, to, m->nv, q_of(w, l->iq), free_position(l, w), in, v, X_of(w, l->ix),
                   free_base(l, w, 0));
  }
}
INLINE void boundary_force_in_place(const jn_model *m, const jn_work *w, int rep, int to) {
  for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    real *tau = tau_of(w, l->iv), *in = boundary_given(m, w, l, rep, to, tau);
    free_force_out(rep, 0, to, m->nv, free_position(l, w), in, X_of(w, l->ix), free_base(l, w, 0),
                   tau);
  }
}

/* One free joint in boundary_drive. */
INLINE void boundary_drive_joint(const jn_link *l, base_jet *b, const jn_work *w, int rep,
                                 int damping, int nv, int k, int given, int world) {
  real *v = v_of(w, l->iv), *tau = tau_of(w, l->iv), *e = e_of(w, l->iv), *X = X_of(w, l->ix);
  if (world) joint_step(l, k + 1, q_of(w, l->iq), v, nv, X);
  if (given) {
    joint_motion_in(l, rep, k + 1, nv, free_position(l, w), io_of(w, l->iv), X, b, v);
    for (int j = 0; j < 6; j++) e[j] = (double)(k + 1) * v[(k + 1) * nv + j];
  } else {
    drive_joint(l, rep, k, nv, free_position(l, w), force_of(w, l->iv), v, X, b, damping, tau, e);
  }
}

APART void boundary_drive_other(const jn_model *m, const jn_link *l, const jn_work *w, int rep,
                                int damping, int k, const unsigned char *prescribed, int world) {
  boundary_drive_joint(l, free_base(l, w, world), w, rep, damping, m->nv, k,
                       is_prescribed(prescribed, l), world);
}

/* boundary_drive of all joints as if nothing had to be converted */
static inline void boundary_drive_rows(const jn_model *m, const jn_work *w, int damping, int k,
                                       const unsigned char *prescribed) {
  const int nv = m->nv;
  const size_t row = sizeof(real) * (size_t)nv;
  memcpy(w->e, force_of(w, k * nv), row);
  if (prescribed) { /* whole rows: v_(k+1) of the others, and tau_k of these, are computed later */
    real *v = v_of(w, (k + 1) * nv), *e = e_of(w, 0);
    memcpy(v, io_of(w, (k + 1) * nv), row);
    memcpy(tau_of(w, k * nv), force_of(w, k * nv), row);
    for (int i = 0; i < m->nlink; i++) {
      const jn_link *l = &m->link[i];
      if (prescribed[l->joint])
        for (int j = l->iv; j < l->iv + l->nv; j++) e[j] = (double)(k + 1) * v[j];
    }
  }
  for (int i = 0; damping && i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int j = l->iv; j < l->iv + l->nv && !is_prescribed(prescribed, l); j++)
      *e_of(w, j) -= l->damping * *v_of(w, k * nv + j);
  }
}
/* and of the free joints, converted */
INLINE void boundary_drive_free(const jn_model *m, const jn_work *w, int rep, int damping, int k,
                                const unsigned char *prescribed, int world) {
  const int first = !world && boundary_has_base(m);
  if (first) {
    const jn_link *l = &m->link[0];
    boundary_drive_joint(l, base_of(w), w, rep, damping, m->nv, k, is_prescribed(prescribed, l), 0);
  }
  for (int i = first; i < m->nfree; i++)
    boundary_drive_other(m, &m->link[m->free_link[i]], w, rep, damping, k, prescribed, world);
}

/* Input of order k in w->e: (k+1) v_(k+1) of prescribed joints, else the force minus damping. w->io
 * holds the given motion, w->force the given forces. w->tau receives the forces in body
 * representation, unless they are so already. rep: the user's representation; world: see
 * jn_recursion. */
INLINE void boundary_drive(const jn_model *m, const jn_work *w, int rep, int damping, int k,
                           const unsigned char *prescribed, int world) {
  boundary_drive_rows(m, w, damping, k, prescribed);
  if (world || rep != JN_BODY) boundary_drive_free(m, w, rep, damping, k, prescribed, world);
}

#endif
