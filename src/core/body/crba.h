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

/* A free joint in another representation than body, v_body = A v, R = X_0, p its position:
 *   column   A v = (R^T w, R^T (v + w x p)) spatial, (R^T w, R^T v) hybrid, (w, R^T v) mixed
 *   project  A^T F = (R n + p x R f, R f), (R n, R f), (n, R f) */
INLINE six free_joint_column(int rep, const real *X, v3 p, int j) {
  const real one = real_of(1), zero = one - one;
  const v3 unit =
               v3_make(j % 3 == 0 ? one : zero, j % 3 == 1 ? one : zero, j % 3 == 2 ? one : zero),
           R[3] = {load_v3(X), load_v3(X + 3), load_v3(X + 6)}, row = v3_columns(R, unit);
  if (j > 2) return six_make(v3_zero(), row);
  if (rep == JN_MIXED) return six_make(unit, v3_zero());
  return six_make(row, rep == JN_SPATIAL ? v3_columns(R, v3_cross(unit, p)) : v3_zero());
}
INLINE six free_project(int rep, const v3 *E, v3 p, six F) {
  const v3 f = v3_columns(E, F.v), n = rep == JN_MIXED ? F.w : v3_columns(E, F.w);
  return six_make(rep == JN_SPATIAL ? v3_add(n, v3_cross(p, f)) : n, f);
}
/* rows and columns of a free joint; F up to column `end` */
APART void crba_free(const jn_link *l, const real *X, v3 p, int rep, const composite_inertia *Ic,
                     six *F, int end, size_t nv, real *M) {
  const v3 E[3] = {v3_make(X[0], X[3], X[6]), v3_make(X[1], X[4], X[7]), v3_make(X[2], X[5], X[8])};
  for (int j = 0; j < 6; j++) F[l->iv + j] = composite_apply(Ic, free_joint_column(rep, X, p, j));
  for (int c = l->iv; c < end; c++) {
    real s[6];
    store_six(s, free_project(rep, E, p, F[c]));
    for (int j = 0; j < 6; j++) M[(size_t)(l->iv + j) * nv + (size_t)c] = s[j];
  }
}

/* traces of the composite inertia that the diagonal of M is a part of */
INLINE void crba_scale(const jn_link *l, const composite_inertia *a, real *scale) {
  const real angular = v3_x(a->J[0]) + v3_y(a->J[1]) + v3_z(a->J[2]), linear = 3 * a->m;
  for (int j = 0; j < l->nv; j++) {
    const six s = joint_column(l, j);
    scale[j] = v3_dot(s.w, s.w) * angular + v3_dot(s.v, s.v) * linear;
  }
}

/* Columns F_c of link l, and its rows of the upper half of M up to column `end`. p: position of a free
 * joint, for spatial representation. */
INLINE void crba_rows(const jn_link *l, const real *X, v3 p, int rep, const composite_inertia *Ic,
                      six *F, int end, size_t nv, real *M) {
  if (l->kind == JN_K_REVOLUTE) {
    real *row = M + (size_t)l->iv * nv;
    F[l->iv] = six_make(Ic->J[2], v3_z_cross(Ic->h));
    for (int c = l->iv; c < end; c++) row[c] = v3_z(F[c].w);
  } else if (l->kind == JN_K_FREE && rep != JN_BODY) {
    crba_free(l, X, p, rep, Ic, F, end, nv, M);
  } else {
    for (int j = 0; j < l->nv; j++) F[l->iv + j] = composite_apply(Ic, joint_column(l, j));
    for (int c = l->iv; c < end; c++) {
      real s[6];
      joint_project(l, F[c], s);
      for (int j = 0; j < l->nv; j++) M[(size_t)(l->iv + j) * nv + (size_t)c] = s[j];
    }
  }
  for (int j = 0; j < l->nv; j++) M[(size_t)(l->iv + j) * (nv + 1)] += l->armature;
}

#ifndef JN_BAKED
/* Upper half of M in representation `rep`. X_0 of free joints must be there. scale [nv]: sizes of the
 * inertias that are summed in the diagonal (body representation); NULL: not wanted. */
static inline void crba_pass(const jn_model *m, const jn_work *w, int rep, real *M, real *scale) {
  const size_t nv = (size_t)m->nv;
  composite_inertia *Ic = (composite_inertia *)(void *)IA_of(w, 0);
  six *F = UA_of(w, 0);
  place_joints(m, w);
  for (int i = 0; i < m->nlink; i++) composite_rigid(&m->link[i], &Ic[i]);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i], *last = &m->link[l->last];
    const real *X = X_of(w, l->ix);
    const int end = last->iv + last->nv;
    const v3 p = l->kind == JN_K_FREE ? load_v3(reference_of(w, l->iv)) : v3_zero();
    crba_rows(l, X, p, rep, &Ic[i], F, end, nv, M);
    if (scale) crba_scale(l, &Ic[i], scale + l->iv);
    if (l->parent < 0) continue;
    composite_add(l, q_of(w, l->iq), X, &Ic[i], &Ic[l->parent]);
    crba_columns(l, X, F + l->iv, end - l->iv);
  }
}
#endif

#endif
