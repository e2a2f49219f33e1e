/* crba.h (core): the mass matrix by the composite-rigid-body algorithm (CRBA), body formulation.
 *
 * From the leaves to the root, the columns F_c = Ic S_c of all degrees of freedom c in the subtree
 * of a joint j are transformed to the parent together:
 *   M[j][c]      = S_j^T F_c
 *   F_c (parent) = T^T X_0^T F_c */
#ifndef JOUNCE_CORE_BODY_CRBA_H
#define JOUNCE_CORE_BODY_CRBA_H

#include "core/body/link_view.h"

/* composite inertia: J about the link's origin by columns, first moment h, mass m */
typedef struct composite_inertia {
  v3 J[3], h;
  real m;
} composite_inertia;

static_assert(sizeof(composite_inertia) <= sizeof(sym6), "composites lie in IA");

INLINE void composite_rigid(const jn_link *l, composite_inertia *a) {
  for (int j = 0; j < 3; j++) a->J[j] = c_vector(l->I4 + 4 * j);
  a->h = v3_times(l->m, c_vector(l->c4));
  a->m = real_of(l->m);
}
/* M V = (J w + h x v, m v - h x w) */
INLINE six composite_apply(const composite_inertia *a, six V) {
  return six_make(v3_add(v3_columns(a->J, V.w), v3_cross(a->h, V.v)),
                  v3_sub(v3_scale(a->m, V.v), v3_cross(a->h, V.w)));
}
INLINE v3 rotz_apply(const real *X, v3 a) {
  return v3_with_z(rotz_end_t(rotz_of(X[0], X[1], a)), a);
}
INLINE void composite_rotz(composite_inertia *a, const real *X) {
  for (int j = 0; j < 3; j++) a->J[j] = rotz_apply(X, a->J[j]);
  v3 x = a->J[0], y = a->J[1];
  a->J[0] = v3_sub(v3_scale(X[0], x), v3_scale(X[1], y));
  a->J[1] = v3_add(v3_scale(X[1], x), v3_scale(X[0], y));
  a->h = rotz_apply(X, a->h);
}
/* E J E^T, E h; E by columns */
INLINE void composite_rotate(composite_inertia *a, const v3 *E) {
  v3 Et[3], T[3];
  v3_transpose(E, Et);
  for (int j = 0; j < 3; j++) T[j] = v3_columns(E, a->J[j]);
  for (int j = 0; j < 3; j++) a->J[j] = v3_columns(T, Et[j]);
  a->h = v3_columns(E, a->h);
}
/* shift to an origin at -p, with s = h + m p / 2:  J += 2 p.s 1 - p s^T - s p^T,  h += m p */
INLINE void composite_shift(composite_inertia *a, v3 p) {
  v3 mp = v3_scale(a->m, p), s = v3_add(a->h, v3_times(0.5, mp));
  real k = 2 * v3_dot(p, s), zero = k - k;
  a->h = v3_add(a->h, mp);
  a->J[0] = v3_add(
      a->J[0], v3_sub(v3_make(k, zero, zero), v3_add(v3_scale(v3_x(s), p), v3_scale(v3_x(p), s))));
  a->J[1] = v3_add(
      a->J[1], v3_sub(v3_make(zero, k, zero), v3_add(v3_scale(v3_y(s), p), v3_scale(v3_y(p), s))));
  a->J[2] = v3_add(
      a->J[2], v3_sub(v3_make(zero, zero, k), v3_add(v3_scale(v3_z(s), p), v3_scale(v3_z(p), s))));
}
/* P += the composite a of the link, transformed to its parent, as joint_add_inertia */
INLINE void composite_add(const jn_link *l, const real *q, const real *X, composite_inertia *a,
                          composite_inertia *P) {
  v3 p = v3_add(c_vector(l->pT4), joint_displacement(l, q));
  if (l->kind == JN_K_REVOLUTE || l->kind == JN_K_HELICAL) composite_rotz(a, X);
  if (l->kind == JN_K_SPHERICAL || l->kind == JN_K_FREE) {
    const v3 E[3] = {v3_make(X[0], X[3], X[6]), v3_make(X[1], X[4], X[7]),
                     v3_make(X[2], X[5], X[8])};
    composite_rotate(a, E);
  }
  composite_shift(a, p);
  if (l->rotation == JN_ROTATION_GENERAL) {
    const v3 E[3] = {c_vector(l->Rc), c_vector(l->Rc + 4), c_vector(l->Rc + 8)};
    composite_rotate(a, E);
  }
  for (int j = 0; j < 3; j++) {
    const int aligned = l->rotation == JN_ROTATION_AXES;
    const v3 J =
        aligned ? v3_times(l->axes.sign[j], v3_pick(&a->J[l->axes.from[j]], &l->axes)) : a->J[j];
    P->J[j] = v3_add(P->J[j], J);
  }
  P->h = v3_add(P->h, l->rotation == JN_ROTATION_AXES ? v3_pick(&a->h, &l->axes) : a->h);
  P->m += a->m;
}

APART void crba_columns_any(const jn_link *l, const real *X, six *F, int count) {
  for (int c = 0; c < count; c++) {
    const six G = joint_force(l->kind, 0, 0, X, F + c);
    F[c] = six_zero();
    wrench_to_parent(l->kind, l, X, NULL, G, F + c);
  }
}
/* the same for a revolute joint, with the rotation of the offset chosen once */
INLINE void crba_columns_of(jn_rotation_kind rotation, const jn_link *l, const real *X, six *F,
                            int count) {
  const v3 p = c_vector(l->pT4);
  for (int c = 0; c < count; c++) {
    six G = joint_apply_X0_t(JN_K_REVOLUTE, X, F[c]);
    G.w = v3_add(G.w, v3_cross(p, G.v));
    if (rotation == JN_ROTATION_AXES)
      G = six_make(v3_pick(&G.w, &l->axes), v3_pick(&G.v, &l->axes));
    if (rotation == JN_ROTATION_GENERAL) G = six_make(c_columns(l->Rc, G.w), c_columns(l->Rc, G.v));
    F[c] = G;
  }
}
INLINE void crba_columns(const jn_link *l, const real *X, six *F, int count) {
  if (l->kind != JN_K_REVOLUTE)
    crba_columns_any(l, X, F, count);
  else if (l->rotation == JN_ROTATION_IDENTITY)
    crba_columns_of(JN_ROTATION_IDENTITY, l, X, F, count);
  else if (l->rotation == JN_ROTATION_AXES)
    crba_columns_of(JN_ROTATION_AXES, l, X, F, count);
  else
    crba_columns_of(JN_ROTATION_GENERAL, l, X, F, count);
}

/* Upper half of M, body representation. X_0 of free joints must be there. */
static inline void crba_pass(const jn_model *m, const jn_work *w, real *M) {
  const size_t nv = (size_t)m->nv;
  composite_inertia *Ic = (composite_inertia *)(void *)IA_of(w, 0);
  six *F = UA_of(w, 0);
  place_joints(m, w);
  for (int i = 0; i < m->nlink; i++) composite_rigid(&m->link[i], &Ic[i]);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i], *last = &m->link[l->last];
    const real *X = X_of(w, l->ix);
    const int end = last->iv + last->nv;
    if (l->kind == JN_K_REVOLUTE) {
      real *row = M + (size_t)l->iv * nv;
      F[l->iv] = six_make(Ic[i].J[2], v3_z_cross(Ic[i].h));
      for (int c = l->iv; c < end; c++) row[c] = v3_z(F[c].w);
    } else {
      for (int j = 0; j < l->nv; j++) F[l->iv + j] = composite_apply(&Ic[i], joint_column(l, j));
      for (int c = l->iv; c < end; c++) {
        real s[6];
        joint_project(l, F[c], s);
        for (int j = 0; j < l->nv; j++) M[(size_t)(l->iv + j) * nv + (size_t)c] = s[j];
      }
    }
    for (int j = 0; j < l->nv; j++) M[(size_t)(l->iv + j) * (nv + 1)] += l->armature;
    if (l->parent < 0) continue;
    composite_add(l, q_of(w, l->iq), X, &Ic[i], &Ic[l->parent]);
    crba_columns(l, X, F + l->iv, end - l->iv);
  }
}

#endif
