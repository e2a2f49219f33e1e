/* classical.h (core): recursive Newton-Euler algorithm of order r over angular velocities and
 * classical accelerations, in link frames. The velocity of a link's origin is not needed: products
 * of two jets are those of the angular velocity with itself, shared by force and moment, and the
 * rotations of the joint.
 *
 *   w: angular velocity, a: acceleration of the origin minus gravity, both in the link frame
 *   B = [w'] + [w][w]: the acceleration of a point p of the link is a + B p
 *   e: origin of the link from that of T, in link axes; zero but for sliding joints
 *
 *   forward    w_k = sum_i Q_i^T (R^T wparent)_(k-i) + (S v_k).w                     k = 0..r+1
 *              a_k = sum_i Q_i^T (R^T (aparent + Bparent p))_(k-i)                   k = 0..r
 *                    + sum_i B_i e_(k-i) + 2 sum_i w_i x e'_(k-i) + e''_k
 *              f_k = m (a + B c)_k
 *              n_k = J (k+1) w_(k+1) + sum_i w_i x J w_(k-i) + c x f_k
 *   backward   as in rnea.h
 *
 * The six products P = sum_i w_i w_(k-i)^T give both: [w][w] = P - tr(P) 1, and w x J w is linear
 * in P with the entries of J. A free base has a = v' + w x v - g. */
#ifndef JOUNCE_CORE_BODY_CLASSICAL_H
#define JOUNCE_CORE_BODY_CLASSICAL_H

#include "core/body/rnea.h"

/* sum_i w_i w_(k-i)^T: xx yy zz, and yz zx xy. w_i: `stride` vectors apart */
typedef struct square {
  v3 same, other;
} square;
INLINE square square_of(int k, const v3 *w, int stride) {
  v3 same = v3_zero();
  pair_sum other = pair_zero();
  EACH(i, 0, (k - 1) / 2) {
    if (k == 0) break;
    const v3 a = w[stride * i], b = w[stride * (k - i)];
    same = v3_add(same, v3_mul(a, b));
    other = pair_add(pair_add(other, a, b), b, a);
  }
  same = v3_add(same, same);
  if (k % 2 == 0) {
    const v3 a = w[stride * (k / 2)];
    same = v3_add(same, v3_mul(a, a));
    other = pair_add(other, a, a);
  }
  square s = {same, pair_end(other)};
  return s;
}

/* B of order k from w' = (k+1) w_(k+1) and the products, by columns */
INLINE void point_rates(v3 rate, square P, v3 *B) {
  const real x = v3_x(rate), y = v3_y(rate), z = v3_z(rate), xx = v3_x(P.same), yy = v3_y(P.same),
             zz = v3_z(P.same), yz = v3_x(P.other), zx = v3_y(P.other), xy = v3_z(P.other);
  B[0] = v3_make(-(yy + zz), xy + z, zx - y);
  B[1] = v3_make(xy - z, -(xx + zz), yz + x);
  B[2] = v3_make(zx + y, yz - x, -(xx + yy));
}

/* sum_i w_i x J w_(k-i): with u = (J_yz, J_zx, J_xy) it is
 *   (J_z - J_y) P_yz + u_x (P_yy - P_zz) + u_y P_xy - u_z P_zx, and so on in turn
 * u = 0 of a diagonal J is worth a branch: it saves a tenth of all products. */
INLINE v3 spin_products(const jn_link *l, square P) {
  const v3 n = v3_mul(c_vector(l->Jd4 + 4), P.other);
  if (l->diagonal) return n;
  const double *J = l->J4, off[4] = {J[6], J[2], J[1], 0};
  const v3 s = P.same,
           difference = v3_make(v3_y(s) - v3_z(s), v3_z(s) - v3_x(s), v3_x(s) - v3_y(s));
  return v3_add(v3_add(n, v3_mul(c_vector(off), difference)), c_cross_v3(off, P.other));
}
/* J w' + sum_i w_i x J w_(k-i) */
INLINE v3 spin_moment(const jn_link *l, v3 rate, square P) {
  const v3 n = l->diagonal ? v3_mul(c_vector(l->Jd4), rate) : c_columns(l->J4, rate);
  return v3_add(n, spin_products(l, P));
}

/* sum_i Q_i^T u_(k-i); u after Q_0^T for joints about z, as in joint.h */
INLINE v3 joint_turn(jn_kind kind, int k, const real *X, const v3 *u) {
  const int x = kind == JN_K_HELICAL ? 4 : 2, width = kind == JN_K_FREE ? 21 : 9;
  if (kind == JN_K_FIXED || kind == JN_K_PRISMATIC) return u[k];
  if (kind == JN_K_SPHERICAL || kind == JN_K_FREE) {
    v3 s = v3_zero();
    for (int i = 0; i <= k; i++) s = v3_add(s, m3_apply_t(X + width * i, u[k - i]));
    return s;
  }
  rotz_sum s = rotz_start(u[k]);
  EACH(i, 2, k) s = rotz_add(s, X[x * i], X[x * i + 1], u[k - i]);
  if (k > 0) s = rotz_add_sine(s, X[x + 1], u[k - 1]); /* c_1 = 0 */
  return v3_with_z(rotz_end(s), u[k]);
}

/* a vector of the parent at the joint, after Q_0^T for joints about z */
INLINE v3 turn_from_parent(jn_kind kind, const jn_link *l, const real *X, const link_transform *XT,
                           const v3 *a) {
  if (XT) return transform_vector(XT, a);
  const v3 b = offset_back(l, a);
  return kind == JN_K_REVOLUTE || kind == JN_K_HELICAL ? joint_rotate_t(kind, X, b) : b;
}

/* e of orders 0..K+1: a displacement along z, or e' = v - w x e of a free joint */
static inline void joint_reach(const jn_link *l, int K, const real *q, const real *X, const real *v,
                               int nv, v3 *e) {
  if (l->kind != JN_K_FREE) {
    e[0] = joint_displacement(l, q);
    for (int k = 1; k <= K + 1; k++)
      e[k] = v3_times(1.0 / k, joint_add_velocity(l, six_zero(), v + (k - 1) * nv).v);
    return;
  }
  e[0] = m3_apply_t(X, load_v3(q + 4));
  for (int k = 1; k <= K + 1; k++) {
    v3 s = load_v3(v + (k - 1) * nv + 3);
    for (int i = 0; i < k; i++) s = v3_sub(s, v3_cross(load_v3(v + i * nv), e[k - 1 - i]));
    e[k] = v3_times(1.0 / k, s);
  }
}
/* sum_i B_i e_(k-i) + 2 sum_i w_i x e'_(k-i) + e''_k */
INLINE v3 reach_acceleration(int k, const acceleration *C, const v3 *e) {
  v3 a = v3_times((double)(k + 1) * (k + 2), e[k + 2]);
  for (int i = 0; i <= k; i++) {
    a = v3_add(a, v3_columns(C[i].B, e[k - i]));
    a = v3_add(a, v3_cross(C[i].w, v3_times(2.0 * (k - i + 1), e[k - i + 1])));
  }
  return a;
}

/* Order k of B and of n = J w' + w x J w, from w to order k+1; then the wrench on the link. */
INLINE void classical_rates(const jn_link *l, int k, acceleration *C, v3 *n) {
  const square P = square_of(k, &C[0].w, sizeof(acceleration) / sizeof(v3));
  const v3 rate = v3_times(k + 1, C[k + 1].w);
  point_rates(rate, P, C[k].B);
  *n = spin_moment(l, rate, P);
}
INLINE six classical_wrench(const jn_link *l, const acceleration *C, v3 n) {
  const v3 f = v3_times(l->m, v3_add(C->a, v3_columns_c(C->B, l->c4)));
  return six_make(v3_add(n, c_cross_v3(l->c4, f)), f);
}

/* A free base: w_0..w_K, a_0..a_(K-1) and F_0..F_(K-1) of its own motion and weight. y: room for a
 * jet of minus gravity. */
INLINE void classical_base(const link_view *at, int nv, int K, v3 *restrict y) {
  acceleration *restrict C = at->C;
  const real *v = at->v;
  EACH(k, 0, K) C[k].w = load_v3(v + k * nv);
  y[0] = gravity_start(at->link, at->X, NULL, at->Yp);
  EACH(k, 0, K - 1) {
    cross_sum a = cross_zero(), g = cross_zero();
    EACH(i, 0, k) a = cross_add(a, C[i].w, load_v3(v + (k - i) * nv + 3));
    EACH(i, 0, k - 1) g = cross_add(g, y[k - 1 - i], C[i].w);
    if (k > 0) y[k] = v3_times((double)1 / k, cross_end(g));
    C[k].a = v3_add(v3_times(k + 1, load_v3(v + (k + 1) * nv + 3)), v3_add(cross_end(a), y[k]));
    v3 n;
    classical_rates(at->link, k, C, &n);
    at->F[k] = classical_wrench(at->link, &C[k], n);
  }
}

/* Any other link, after its parent. u, e: room for jets of K+1 and K+2 vectors. */
INLINE void classical_visit_of(jn_kind kind, const link_view *at, int nv, int K, v3 *restrict u,
                               v3 *restrict e) {
  const jn_link *l = at->link;
  const int slides = kind == JN_K_PRISMATIC || kind == JN_K_HELICAL || kind == JN_K_FREE;
  const acceleration *restrict Cp = at->Cp;
  acceleration *restrict C = at->C;
  const real *v = at->v;
  link_transform *XT = kind == JN_K_REVOLUTE ? link_transform_of(at, K - 1) : NULL;
  if (XT) link_transform_make(l, at->q, at->X, XT);
  if (kind != JN_K_FREE) EACH(k, 1, K) joint_step_of(kind, l, k, at->q, v, nv, at->X);
  EACH(k, 0, K) {
    u[k] = Cp ? turn_from_parent(kind, l, at->X, XT, &Cp[k].w) : v3_zero();
    const v3 w = joint_turn(kind, k, at->X, u);
    C[k].w = joint_add_velocity_of(kind, l, six_make(w, w), v + k * nv).w;
  }
  if (slides) joint_reach(l, K, at->q, at->X, v, nv, e);
  EACH(k, 0, K - 1) {
    v3 a = k == 0 ? *at->Yp : v3_zero();
    if (Cp) a = v3_add(Cp[k].a, v3_columns_c(Cp[k].B, l->p4));
    u[k] = turn_from_parent(kind, l, at->X, XT, &a);
  }
  EACH(k, 0, K - 1) {
    v3 n;
    classical_rates(l, k, C, &n);
    C[k].a = joint_turn(kind, k, at->X, u);
    if (slides) C[k].a = v3_add(C[k].a, reach_acceleration(k, C, e));
    at->F[k] = classical_wrench(l, &C[k], n);
  }
}
/* the less common kinds share one copy */
APART void classical_visit_any(const link_view *at, int nv, int K, v3 *u, v3 *e) {
  classical_visit_of(at->link->kind, at, nv, K, u, e);
}

/* A link of any kind. t, u, e: room for jets of K+1, K+1 and K+2 vectors; t of the common kinds may be in
 * registers. */
INLINE void classical_visit(const link_view *at, int nv, int K, v3 *t, v3 *u, v3 *e) {
  if (at->link->kind == JN_K_REVOLUTE)
    BY_ROTATION(at->link, classical_visit_of(JN_K_REVOLUTE, at, nv, K, t, e));
  else if (at->link->kind == JN_K_FREE && !at->Cp)
    classical_base(at, nv, K, t);
  else
    classical_visit_any(at, nv, K, u, e);
}

#ifndef JN_BAKED
/* All links of a model, in the working memory. Jets of a constant length stay in registers. */
INLINE void classical_outward(const jn_model *m, const jn_work *w, int K) {
  enum { SHORT = 8 };
  v3 jet[SHORT], *u = &jet_of(w, 0)->w, *e = &jet_of(w, 1)->w,
                 *t = __builtin_constant_p(K) && K < SHORT ? jet : u;
  place_joints(m, w);
  for (int i = 0; i < m->nlink; i++) classical_visit(link_view_of(w, i), m->nv, K, t, u, e);
}

/* Motions C that only the children of a link read share memory, so that a pack stays in the first
 * cache. By increasing depth, links are parents in turn: a ring of places. A link without
 * children takes a free one, or one more that they share. */
static inline void classical_slots(const jn_model *m, const jn_work *w) {
  int ring = 1;
  for (int pass = 0; pass < 2; pass++) {
    int parents = 0, now = 0, before = 0; /* so far; the present one, by place and by view */
    for (int i = 0; i < m->nlink; i++) {
      link_view *at = link_view_of(w, i);
      if (at->parent > before) now++, before = at->parent;
      if (at->carries && parents + 1 - now > ring) ring = parents + 1 - now;
      at->C = C_of(w, at->carries || parents - now < ring ? parents % ring : ring);
      at->Cp = at->parent < 0 ? NULL : C_of(w, now % ring);
      parents += at->carries;
    }
  }
}
#endif

#endif
