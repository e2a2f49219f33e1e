/* classical_aba.h (core): articulated-body algorithm of order r over angular velocities and
 * classical accelerations (classical.h), for forward dynamics of robots whose joints beyond the base
 * are revolute. The factors and the backward pass are those of aba.h.
 *
 * With A_k = (w', a)_k, w' = (k+1) w_(k+1), and B_k = [w'_k] + W_k, W = [w][w], order k is
 *   A_k = X_0 (T A_parent,k) + S (k+1) v_(k+1) + b
 *   b   = ((k+1) sum_(i>=1) Q_i^T uw_(k+1-i),  g_k + sum_(i>=1) Q_i^T ua_(k-i))
 *   F_k = IA A_k + p,   p = (J w' + w x J w for w' = 0, m W_k c at c)
 * with what the joint sees of its parent
 *   uw = R^T wparent,   ua = R^T (aparent + Bparent p),   g_k = R^T Wparent,k p
 * There are no jets of velocities of points, of gravity and of momenta: in a convolution a link reads
 * w, and x and y of uw, ua and F. */
#ifndef JOUNCE_CORE_BODY_CLASSICAL_ABA_H
#define JOUNCE_CORE_BODY_CLASSICAL_ABA_H

#include "core/body/aba.h"
#include "core/body/classical.h"

/* Where the numbers of a link are, in arrays of the other algorithms:
 *   V[k].w  w_k            U[k].w, U[k].v  uw_k, ua_k        F[k]  F_k
 *   C       of one order, for the children: A in w and a; W in B[0]: xx yy zz, B[1]: yz zx xy
 * Only x and y of U and F are stored: a rotation about z leaves z alone. */
INLINE void store_xy(v3 *to, v3 a) { to->x = a.x, to->y = a.y; }

/* W c for W = (xx yy zz, yz zx xy) */
INLINE v3 square_apply(const v3 *W, const double *c) {
  const v3 d = W[0], o = W[1];
  return v3_make(c[0] * d.x + c[1] * o.z + c[2] * o.y, c[1] * d.y + c[0] * o.z + c[2] * o.x,
                 c[2] * d.z + c[0] * o.y + c[1] * o.x);
}

/* W of order k, and the wrench of the link for A_k = 0 */
INLINE six square_wrench(const link_view *at, int k) {
  const jn_link *l = at->link;
  const square P = square_of(k, &at->V[0].w, sizeof(six) / sizeof(v3));
  const v3 s = P.same, W[2] = {v3_make(-(s.y + s.z), -(s.x + s.z), -(s.x + s.y)), P.other},
           f = v3_times(l->m, square_apply(W, l->c4));
  at->C->B[0] = W[0];
  at->C->B[1] = W[1];
  return six_make(v3_add(spin_products(l, P), c_cross_v3(l->c4, f)), f);
}

/* Bias terms of order k, after w_k, ua_(k-1) and F_(k-1):
 * X_(k+1), b, p without IA b, and F_k = sum_(i>=1) Q_i F_(k-i), the known part of F to the parent.
 * ua_k = g_k so far. */
INLINE six classical_bias(const link_view *at, int k, int nv, int root) {
  const jn_link *l = at->link;
  real *X = at->X;
  six *U = at->U, *F = at->F;
  sincos_end(k + 1, 2, sincos_begin(k + 1, 2, at->v, nv, X), at->v, nv, X);
  rotz_sum w = rotz_start(v3_zero()), a = w;
  rotz_pair f = rotz_pair_start(six_zero());
  EACH(i, 2, k) {
    const real c = X[2 * i], s = X[2 * i + 1];
    w = rotz_add(w, c, s, U[k + 1 - i].w);
    a = rotz_add(a, c, s, U[k - i].v);
    f.w = rotz_add(f.w, c, s, F[k - i].w);
    f.v = rotz_add(f.v, c, s, F[k - i].v);
  }
  if (k) { /* c_1 = 0 */
    a = rotz_add_sine(a, X[3], U[k - 1].v);
    f.w = rotz_add_sine(f.w, X[3], F[k - 1].w);
    f.v = rotz_add_sine(f.v, X[3], F[k - 1].v);
    store_xy(&F[k].w, rotz_end_t(f.w));
    store_xy(&F[k].v, rotz_end_t(f.v));
    w = rotz_add(w, X[2 * (k + 1)], X[2 * (k + 1) + 1], U[0].w);
  }
  w = rotz_add_sine(w, X[3], U[k].w);
  v3 g = v3_zero();
  if (!root) {
    const v3 arm = square_apply(at->Cp->B, l->p4);
    g = turn_from_parent(JN_K_REVOLUTE, l, X, link_transform_of(at, 1), &arm);
  }
  store_xy(&U[k].v, g);
  *at->b = six_make(v3_times(k + 1, v3_with_z(rotz_end(w), v3_zero())),
                    v3_add(g, v3_with_z(rotz_end(a), v3_zero())));
  return square_wrench(at, k);
}

/* Order 0 of a link, root: the base: X_0, w_0 and the bias terms, without IA b, which aba_inertias adds. */
INLINE void classical_start(const link_view *at, int nv, int root) {
  const jn_link *l = at->link;
  link_transform *XT = link_transform_of(at, 1);
  if (XT) link_transform_make(l, at->q, at->X, XT);
  const v3 u = root ? v3_zero() : turn_from_parent(JN_K_REVOLUTE, l, at->X, XT, &at->Vp[0].w);
  store_xy(&at->U[0].w, u);
  at->V[0].w = v3_add_z(u, at->v[0]);
  *at->p = classical_bias(at, 0, nv, root);
}

/* Backward pass of order k of one link: as bias_link of aba.h. sum: of the parent */
INLINE void classical_pass(const link_view *at, int k, six *sum) {
  six f = *at->p;
  at->e[0] -= f.w.z;
  f = six_add(f, six_scale(at->e[0] * at->D[0], at->UA[0]));
  if (k) {
    const six *F = &at->F[k];
    f.w.x += F->w.x, f.w.y += F->w.y;
    f.v.x += F->v.x, f.v.y += F->v.y;
  }
  wrench_to_parent(JN_K_REVOLUTE, at->link, at->X, link_transform_of(at, 1), f, sum);
}

/* IA b for b_z = 0 of the angular part */
INLINE six inertia_bias(const sym6 *I, six b) {
  const real x = b.w.x, y = b.w.y, *A = I->A, *B = I->B;
  const six linear = six_make(m3_apply(B, b.v), sym3_apply(I->C, b.v));
  return six_make(v3_make(linear.w.x + A[XX] * x + A[XY] * y, linear.w.y + A[XY] * x + A[YY] * y,
                          linear.w.z + A[XZ] * x + A[YZ] * y),
                  v3_make(linear.v.x + B[0] * x + B[3] * y, linear.v.y + B[1] * x + B[4] * y,
                          linear.v.z + B[2] * x + B[5] * y));
}

/* Forward pass of one link: v_(k+1), A_k, and the bias terms of the next order. */
INLINE void classical_solve(const link_view *at, int nv, int k, int more, int root) {
  const jn_link *l = at->link;
  const double inverse = (double)1 / (k + 1);
  const link_transform *XT = link_transform_of(at, 1);
  six u = root ? six_make(v3_zero(), k ? v3_zero() : *at->Yp) : six_make(at->Cp->w, at->Cp->a);
  real y[6];
  u = twist_from_parent(JN_K_REVOLUTE, l, at->X, XT, &u);
  const six a = solve_joint(JN_K_REVOLUTE, 1, at, 0, u, y, 0, 0), A = six_add(a, *at->b);
  at->v[(k + 1) * nv] = inverse * y[0];
  at->C->w = A.w;
  at->C->a = A.v;
  if (!more) return;
  const six f = aba_wrench(at, 0, a);
  store_xy(&at->F[k].w, f.w);
  store_xy(&at->F[k].v, f.v);
  at->V[k + 1].w = v3_times(inverse, A.w);
  store_xy(&at->U[k + 1].w, v3_times(inverse, u.w));
  store_xy(&at->U[k].v, v3_add(at->U[k].v, u.v));
  const six p = classical_bias(at, k + 1, nv, root);
  *at->p = six_add(p, inertia_bias(at->IA, *at->b));
}

/* A base that is free or fixed: w, gravity and p of order k. */
INLINE void classical_root_bias(const link_view *at, int k, int nv) {
  const int floating = at->link->kind == JN_K_FREE;
  at->V[k].w = floating ? load_v3(at->v + k * nv) : v3_zero();
  if (k && floating) at->Y[k] = gravity_step(k, at->V, at->Y);
  *at->p = square_wrench(at, k);
}
APART void classical_start_root(const link_view *at, int nv) {
  const jn_link *l = at->link;
  if (l->kind == JN_K_REVOLUTE) {
    classical_start(at, nv, 1);
    return;
  }
  at->Y[0] = gravity_start(l, at->X, NULL, at->Yp);
  classical_root_bias(at, 0, nv);
}

/* Forward pass of the base: A_k, and v_(k+1) of a free one from a = v' + w x v - gravity. */
APART void classical_solve_root(const link_view *at, int nv, int k, int more) {
  if (at->link->kind == JN_K_REVOLUTE) {
    classical_solve(at, nv, k, more, 1);
    return;
  }
  acceleration *A = at->C;
  A->w = A->a = v3_zero();
  if (at->link->kind == JN_K_FREE) {
    const double inverse = (double)1 / (k + 1);
    real *v = at->v, y[6];
    const six solved = solve_joint(JN_K_FREE, 6, at, 0, six_zero(), y, 0, 1);
    cross_sum s = cross_zero();
    EACH(i, 0, k) s = cross_add(s, load_v3(v + i * nv), load_v3(v + (k - i) * nv + 3));
    A->w = solved.w, A->a = solved.v;
    store_v3(v + (k + 1) * nv, v3_times(inverse, solved.w));
    store_v3(v + (k + 1) * nv + 3,
             v3_times(inverse, v3_sub(solved.v, v3_add(cross_end(s), at->Y[k]))));
  } else if (k == 0) {
    A->a = at->Y[0];
  }
  if (more) classical_root_bias(at, k + 1, nv);
}

#ifndef JN_BAKED
/* Does it serve this model? */
static inline int classical_forward(const jn_model *m) {
  const jn_kind base = m->link[0].kind;
  if (base != JN_K_FREE && base != JN_K_FIXED && base != JN_K_REVOLUTE) return 0;
  for (int i = 1; i < m->nlink; i++)
    if (m->link[i].kind != JN_K_REVOLUTE) return 0;
  return 1;
}

static inline void classical_aba_start(const jn_model *m, const jn_work *w) {
  place_joints(m, w);
  classical_start_root(link_view_of(w, 0), m->nv);
  for (int i = 1; i < m->nlink; i++) classical_start(link_view_of(w, i), m->nv, 0);
}

/* Order k: backward and forward pass, as aba_inward and aba_outward. */
INLINE void classical_aba_order(const jn_model *m, const jn_work *w, int k, int more) {
  for (int i = m->nlink - 1; i > 0; i--) {
    const link_view *at = link_view_of(w, i);
    classical_pass(at, k, link_view_of(w, at->parent)->p);
  }
  bias_root(link_view_of(w, 0), 0, *link_view_of(w, 0)->p);
  classical_solve_root(link_view_of(w, 0), m->nv, k, more);
  for (int i = 1; i < m->nlink; i++) classical_solve(link_view_of(w, i), m->nv, k, more, 0);
}
#endif

#endif
