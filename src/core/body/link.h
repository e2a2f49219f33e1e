/* link.h (core): one link of the body formulation: transforms to and from the parent, Newton-Euler
 * equation, gravity.
 *
 * Gravity enters as a fictitious acceleration -g of every centre of mass: y = -g in the link frame,
 * y' = y x w. It is not put into the twists (a world that accelerates by -g), because order k of
 * the wrench would then be the difference (k+1) y_k - k y_k, which loses digits. */
#ifndef JOUNCE_CORE_BODY_LINK_H
#define JOUNCE_CORE_BODY_LINK_H

#include "core/body/joint.h"

/* twist of the parent at T: w' = R^T w, v' = R^T v + w' x pT, pT = R^T p */
INLINE six offset_motion(const jn_link *l, const six *V) {
  v3 w = offset_back(l, &V->w);
  return six_make(w, v3_add(offset_back(l, &V->v), v3_cross_c(w, l->pT4)));
}
/* wrench at T added to the parent's: f' = R f, n' = R (n + pT x f) */
INLINE void offset_force(const jn_link *l, six F, six *Fp) {
  offset_add(l, v3_add(F.w, c_cross_v3(l->pT4, F.v)), &Fp->w);
  offset_add(l, F.v, &Fp->v);
}

/* the same including X_0 of joints about z; XT: combined transform, NULL unless precomputed */
INLINE six twist_from_parent(jn_kind kind, const jn_link *l, const real *X,
                             const link_transform *XT, const six *V) {
  return XT ? transform_twist(l, XT, V) : joint_apply_X0(kind, X, offset_motion(l, V));
}
INLINE void wrench_to_parent(jn_kind kind, const jn_link *l, const real *X,
                             const link_transform *XT, six F, six *Fp) {
  if (XT)
    transform_wrench(l, XT, F, Fp);
  else
    offset_force(l, joint_apply_X0_t(kind, X, F), Fp);
}

/* H_k = (J w_k, v_k + w_k x c) */
INLINE six link_spin(const jn_link *l, six V) {
  v3 c = v3_add(V.v, v3_cross_c(V.w, l->c4));
  if (DIAGONAL(l)) return six_make(v3_mul(c_vector(l->Jd4), V.w), c);
  return six_make(c_columns(l->J4, V.w), c);
}

/* Net wrench on the link at its origin, order k. About the centre of mass, where v x m v sums to
 * zero:
 *   n_k = (k+1) J w_(k+1) + sum_i w_i x J w_(k-i)
 *   f_k = m ((k+1) v_(k+1) + sum_i w_i x v_(k-i))
 *
 * `products` accumulates the sums; `top` holds the (k+1) terms, zero for the bias. For diagonal J
 * the two terms of a component of w x J w combine:
 *   (J_z - J_y) sum_i w_y,i w_z,(k-i) */
typedef struct products {
  cross_sum n, f;
  pair_sum d;
} products;
INLINE products products_zero(void) {
  products s = {cross_zero(), cross_zero(), pair_zero()};
  return s;
}
/* terms i = from..to */
INLINE products products_add(const jn_link *l, products s, int k, int from, int to, const six *V,
                             const six *H) {
  if (DIAGONAL(l)) {
    EACH_DOWN(i, from, to) {
      s.d = pair_add(s.d, V[i].w, V[k - i].w);
      s.f = cross_add(s.f, V[i].w, H[k - i].v);
    }
  } else {
    EACH_DOWN(i, from, to) {
      s.n = cross_add(s.n, V[i].w, SPIN_OF(l, V, H, k - i).w);
      s.f = cross_add(s.f, V[i].w, SPIN_OF(l, V, H, k - i).v);
    }
  }
  return s;
}
INLINE six products_end(const jn_link *l, products s, six top) {
  const v3 n = DIAGONAL(l) ? v3_mul(c_vector(l->Jd4 + 4), pair_end(s.d)) : cross_end(s.n);
  const v3 force = v3_times(l->m, v3_add(top.v, cross_end(s.f)));
  return six_make(v3_add(v3_add(top.w, n), c_cross_v3(l->c4, force)), force);
}
INLINE six link_wrench(const jn_link *l, int k, const six *V, const six *H, six top) {
  return products_end(l, products_add(l, products_zero(), k, 0, k, V, H), top);
}

/* the terms of order k that are not products */
INLINE six link_top(int k, six H, v3 y) {
  return six_make(v3_times(k + 1, H.w), v3_add(v3_times(k + 1, H.v), y));
}

/* y_0 = Q_0^T R^T y_parent,   k y_k = sum_(i<k) y_(k-1-i) x w_i */
INLINE v3 gravity_start(const jn_link *l, const real *X, const link_transform *XT,
                        const v3 *parent) {
  return XT ? transform_vector(XT, parent) : joint_rotate_t(l->kind, X, offset_back(l, parent));
}
INLINE v3 gravity_step(int k, const six *restrict V, const v3 *restrict y) {
  cross_sum s = cross_zero();
  EACH_DOWN(i, 0, k - 1) s = cross_add(s, y[k - 1 - i], V[i].w); /* the newest y last */
  return v3_times((double)1 / k, cross_end(s));
}

/* Orders 1..K of the joint transform and orders 0..K of the link's twist. Vp: the parent's twist
 * jet, NULL for the world; u: room for K+1 twists. The transforms of free joints are already there
 * (boundary.h). */
INLINE void link_motion_of(jn_kind kind, const jn_link *l, int K, const real *q, const real *v,
                           int vs, const six *restrict Vp, real *restrict X,
                           const link_transform *XT, six *restrict u, six *restrict V) {
  if (!Vp) {
    EACH(k, 0, K) V[k] = joint_add_velocity_of(kind, l, six_zero(), v + k * vs);
    return;
  }
  if (kind != JN_K_FREE)
    EACH_LOW_FIRST(__builtin_constant_p(kind), k, 1, K, joint_step_of(kind, l, k, q, v, vs, X));
  EACH(k, 0, K) u[k] = twist_from_parent(kind, l, X, XT, &Vp[k]);
  EACH_LOW_FIRST(__builtin_constant_p(kind), k, 0, K,
                 V[k] = joint_add_velocity_of(kind, l, joint_motion(kind, k, 0, X, u), v + k * vs));
}
/* the less common kinds share one copy */
APART void link_motion_any(const jn_link *l, int K, const real *q, const real *v, int vs,
                           const six *Vp, real *X, six *u, six *V) {
  link_motion_of(l->kind, l, K, q, v, vs, Vp, X, NULL, u, V);
}
INLINE void link_motion(const jn_link *l, int K, const real *q, const real *v, int vs,
                        const six *Vp, real *X, const link_transform *XT, six *u, six *V) {
  if (l->kind == JN_K_REVOLUTE)
    link_motion_of(JN_K_REVOLUTE, l, K, q, v, vs, Vp, X, XT, u, V);
  else
    link_motion_any(l, K, q, v, vs, Vp, X, u, V);
}

/* Joint forces tau_k = S^T F_k + armature and damping, and F_parent += ... (Fp NULL: the world). */
INLINE void link_force_of(jn_kind kind, const jn_link *l, int r, const six *restrict F,
                          const real *restrict X, const link_transform *XT, const real *v,
                          real *restrict tau, int nv, int damping, six *restrict Fp) {
  EACH(k, 0, r) joint_project_of(kind, l, F[k], tau + k * nv);
  if (l->armature > 0 || damping)
    for (int k = 0; k <= r; k++)
      for (int j = 0; j < l->nv; j++) {
        tau[k * nv + j] += (l->armature * (k + 1)) * v[(k + 1) * nv + j];
        if (damping) tau[k * nv + j] += l->damping * v[k * nv + j];
      }
  if (!Fp) return;
  EACH_LOW_FIRST(__builtin_constant_p(kind), k, 0, r,
                 wrench_to_parent(kind, l, X, XT, joint_force(kind, k, 0, X, F), &Fp[k]));
}
APART void link_force_any(const jn_link *l, int r, const six *F, const real *X, const real *v,
                          real *tau, int nv, int damping, six *Fp) {
  link_force_of(l->kind, l, r, F, X, NULL, v, tau, nv, damping, Fp);
}
INLINE void link_force(const jn_link *l, int r, const six *F, const real *X,
                       const link_transform *XT, const real *v, real *tau, int nv, int damping,
                       six *Fp) {
  if (l->kind == JN_K_REVOLUTE)
    link_force_of(JN_K_REVOLUTE, l, r, F, X, XT, v, tau, nv, damping, Fp);
  else
    link_force_any(l, r, F, X, v, tau, nv, damping, Fp);
}

#endif
