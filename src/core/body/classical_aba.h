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

/* Where the numbers of a link are, in arrays of aba.h:
 *   V[k].w  w_k            U[k].w, U[k].v  uw_k, ua_k (x and y)
 *   H[0]    W of one order: xx yy zz, and yz zx xy          H[1]  A of one order */
INLINE six *squares_of(const link_view *at) { return &at->H[0]; }
INLINE six *accelerations_of(const link_view *at) { return &at->H[1]; }

/* W c for W = (xx yy zz, yz zx xy) */
INLINE v3 square_apply(const six *W, const double *c) {
  const v3 d = W->w, o = W->v;
  return v3_make(c[0] * v3_x(d) + c[1] * v3_z(o) + c[2] * v3_y(o),
                 c[1] * v3_y(d) + c[0] * v3_z(o) + c[2] * v3_x(o),
                 c[2] * v3_z(d) + c[0] * v3_y(o) + c[1] * v3_x(o));
}

/* W of order k, and the wrench of the link for A_k = 0 */
INLINE six square_wrench(const link_view *at, int k) {
  const jn_link *l = at->link;
  const square P = square_of(k, &at->V[0].w, sizeof(six) / sizeof(v3));
  const real xx = v3_x(P.same), yy = v3_y(P.same), zz = v3_z(P.same);
  const six W = six_make(v3_make(-(yy + zz), -(xx + zz), -(xx + yy)), P.other);
  const v3 f = v3_times(l->m, square_apply(&W, l->c4));
  *squares_of(at) = W;
  return six_make(v3_add(spin_products(l, P), c_cross_v3(l->c4, f)), f);
}

/* Bias terms of order k of a link beyond the base, after w_k, ua_(k-1) and F_(k-1):
 * X_(k+1), b, p without IA b, and F_k = sum_(i>=1) Q_i F_(k-i). up: the parent */
INLINE six classical_bias(const link_view *at, const link_view *up, int k, int nv) {
  const jn_link *l = at->link;
  real *X = at->X;
  six *U = at->U, *F = at->F;
  const link_transform *XT = link_transform_of(at, 1);
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
    F[k] = rotz_pair_end_t(f, six_zero());
    w = rotz_add(w, X[2 * (k + 1)], X[2 * (k + 1) + 1], U[0].w);
  }
  w = rotz_add_sine(w, X[3], U[k].w);
  const v3 arm = square_apply(squares_of(up), l->p4),
           g = turn_from_parent(JN_K_REVOLUTE, l, X, XT, &arm);
  U[k].v = g;
  *at->b = six_make(v3_times(k + 1, v3_with_z(rotz_end(w), v3_zero())),
                    v3_add(g, v3_with_z(rotz_end(a), v3_zero())));
  return square_wrench(at, k);
}

/* The base: w_0 or w_(k+1) from its velocity, gravity, and p of that order. */
INLINE void classical_root_bias(const link_view *at, int k, int nv, int rep) {
  const int floating = at->link->kind == JN_K_FREE;
  at->V[k].w = floating ? load_v3(at->v + k * nv) : v3_zero();
  at->Y[k] = k && floating ? gravity_step(k, at->V, at->Y) : at->Y[0];
  *at->b = six_zero();
  *at->p = square_wrench(at, k);
  if (floating && rep != JN_BODY) root_advance(at, rep, k, nv);
}

/* Order 0 of a link: X_0, w_0 and the bias terms, without IA b, which aba_inertias adds. */
INLINE void classical_start(const link_view *at, const link_view *up, int nv, int rep) {
  const jn_link *l = at->link;
  link_transform *XT = link_transform_of(at, 1);
  if (XT) link_transform_make(l, at->q, at->X, XT);
  if (!up) {
    at->Y[0] = gravity_start(l, at->X, XT, at->Yp);
    classical_root_bias(at, 0, nv, rep);
    return;
  }
  at->U[0].w = turn_from_parent(JN_K_REVOLUTE, l, at->X, XT, &up->V[0].w);
  at->V[0].w = v3_add_z(at->U[0].w, at->v[0]);
  *at->p = classical_bias(at, up, 0, nv);
}

/* Forward pass of the base: A_k, and v_(k+1) from a = v' + w x v - gravity. */
INLINE void classical_solve_root(const link_view *at, int nv, int k, int more, int rep) {
  six *A = accelerations_of(at);
  if (at->link->kind != JN_K_FREE) {
    *A = six_make(v3_zero(), k ? v3_zero() : at->Y[0]);
    if (more) *at->p = six_zero();
    return;
  }
  real *v = at->v, y[6];
  *A = solve_joint(JN_K_FREE, 6, at, 0, six_zero(), y, 0, 1);
  cross_sum s = cross_zero();
  EACH(i, 0, k) s = cross_add(s, load_v3(v + i * nv), load_v3(v + (k - i) * nv + 3));
  const double inverse = (double)1 / (k + 1);
  store_v3(v + (k + 1) * nv, v3_times(inverse, A->w));
  store_v3(v + (k + 1) * nv + 3, v3_times(inverse, v3_sub(A->v, v3_add(cross_end(s), at->Y[k]))));
  if (more) classical_root_bias(at, k + 1, nv, rep);
}

/* Forward pass of any other link: v_(k+1), A_k, and the bias terms of the next order. */
INLINE void classical_solve(const link_view *at, const link_view *up, int nv, int k, int more) {
  const double inverse = (double)1 / (k + 1);
  real y[6];
  const six u = twist_from_parent(JN_K_REVOLUTE, at->link, at->X, link_transform_of(at, 1),
                                  accelerations_of(up)),
            a = solve_joint(JN_K_REVOLUTE, 1, at, 0, u, y, 0, 0), A = six_add(a, *at->b);
  at->v[(k + 1) * nv] = inverse * y[0];
  *accelerations_of(at) = A;
  if (!more) return;
  at->F[k] = aba_wrench(at, 0, a);
  at->V[k + 1].w = v3_times(inverse, A.w);
  at->U[k + 1].w = v3_times(inverse, u.w);
  at->U[k].v = v3_add(at->U[k].v, u.v);
  const six p = classical_bias(at, up, k + 1, nv);
  *at->p = six_add(p, sym6_apply(at->IA, *at->b));
}

#ifndef JN_BAKED
/* Does it serve this model? */
static inline int classical_forward(const jn_model *m) {
  if (m->link[0].kind != JN_K_FREE && m->link[0].kind != JN_K_FIXED) return 0;
  for (int i = 1; i < m->nlink; i++)
    if (m->link[i].kind != JN_K_REVOLUTE) return 0;
  return 1;
}

static inline void classical_aba_start(const jn_model *m, const jn_work *w, int rep) {
  place_joints(m, w);
  classical_start(link_view_of(w, 0), NULL, m->nv, rep);
  for (int i = 1; i < m->nlink; i++) {
    const link_view *at = link_view_of(w, i);
    classical_start(at, link_view_of(w, at->parent), m->nv, rep);
  }
}

/* Forward pass of order k, after aba_inward. */
INLINE void classical_aba_outward(const jn_model *m, const jn_work *w, int k, int more, int rep) {
  classical_solve_root(link_view_of(w, 0), m->nv, k, more, rep);
  for (int i = 1; i < m->nlink; i++) {
    const link_view *at = link_view_of(w, i);
    classical_solve(at, link_view_of(w, at->parent), m->nv, k, more);
  }
}
#endif

#endif
