/* link.h (core): one link of the body formulation.
 *
 * Gravity: everything is seen from a frame that falls freely with the (constant) acceleration g and agrees
 * with the world in position and velocity at this instant. There gravity is nil to all orders, and the
 * world moves with the twist (0, -g t): its jet W has the one entry W_1 = (0, -g). */
#ifndef JOUNCE_CORE_LINK_H
#define JOUNCE_CORE_LINK_H

/* twist of the parent carried to T: w' = R^T w, v' = R^T (v + w x p) */
static inline six offset_motion(const jn_link *l, six V) {
  return (six){c3_apply_t(l->R, V.w), c3_apply_t(l->R, v3_add(V.v, v3_cross_c(V.w, l->p)))};
}
/* wrench at T carried to the parent: f' = R f, n' = R n + p x f' */
static inline six offset_force(const jn_link *l, six F) {
  v3 f = c3_apply(l->R, F.v);
  return (six){v3_add(c3_apply(l->R, F.w), c_cross_v3(l->p, f)), f};
}

/* H_k = (J w_k, v_k + w_k x c) */
static inline six link_spin(const jn_link *l, six V) {
  return (six){c_symmetric(l->J, V.w), v3_add(V.v, v3_cross_c(V.w, l->c))};
}

/* Wrench that moves the link, at the link's origin, of order k:
 *   n_k = (k+1) J w_(k+1) + sum w_i x J w_(k-i)       about the centre of mass (v x m v sums to zero)
 *   f_k = m ((k+1) v_(k+1) + sum w_i x v_(k-i))       v of the centre of mass
 * `top`: the (k+1) terms; zero for the part known before the order is solved. */
static inline six link_wrench(const jn_link *l, int k, const six *V, const six *H, six top) {
  v3 n = top.w, f = top.v;
  for (int i = 0; i <= k; i++) {
    n = v3_add(n, v3_cross(V[i].w, H[k - i].w));
    f = v3_add(f, v3_cross(V[i].w, H[k - i].v));
  }
  f = v3_make(l->m * f.x, l->m * f.y, l->m * f.z);
  return (six){v3_add(n, c_cross_v3(l->c, f)), f};
}

/* All orders 0..K of the joint transform and of the link's twist. Vp: the parent's twist jet, u: room for
 * K+1 twists. The transforms of free joints were made when their twists were read (edge.h). */
static inline void link_motion(const jn_link *l, int K, const real *q, const real *v, int vs, const six *Vp,
                               real *X, six *u, six *V) {
  if (l->kind != JN_K_FREE) {
    joint_place(l, q, X);
    for (int k = 1; k <= K; k++) joint_step(l, k, q, v, vs, X);
  }
  for (int k = 0; k <= K; k++) u[k] = offset_motion(l, Vp[k]);
  if (l->kind == JN_K_FREE && l->parent < 0) {
    /* the world only falls: V_k = Q_(k-1)^T u_1 + v_k */
    for (int k = 0; k <= K; k++) {
      six t = six_zero();
      if (k) t.v = m3_apply_t(X + 21 * (k - 1), u[1].v);
      V[k] = joint_add_velocity(l, t, v + k * vs);
    }
    return;
  }
  for (int k = 0; k <= K; k++) V[k] = joint_add_velocity(l, joint_motion(l->kind, k, 0, X, u), v + k * vs);
}

#endif
