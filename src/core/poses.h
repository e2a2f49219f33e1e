/* poses.h (core): world poses of the links of one state, and applied wrenches in link frames. */
#ifndef JOUNCE_CORE_POSES_H
#define JOUNCE_CORE_POSES_H

#include "core/boundary.h"

/* R_0, P_0 = 0 and O of every link in the world from X_0, O relative to the base. Returns the base's
 * position. */
static inline v3 place_world(const jn_model *m, const jn_work *w) {
  v3 base = v3_zero();
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const real *q = q_of(w, l->iq), *X = X_of(w, l->ix);
    const int root = l->parent < 0;
    v3 O;
    if (root)
      place_link(l, q, X, NULL, base, R_of(w, i), &O);
    else
      place_link(l, q, X, R_of(w, l->parent), load_v3(O_of(w, l->parent)), R_of(w, i), &O);
    if (i == 0) base = O;
    store_v3(O_of(w, i), root ? v3_zero() : O);
    store_v3(P_of(w, i), v3_zero());
  }
  return base;
}

/* Order 0 of all link poses, after the joint transforms. */
static inline void place_poses(const jn_model *m, jn_data *data) {
  const v3 base = place_world(m, &data->w);
  double p[3];
  store_v3(p, base);
  data->base = (jn_vec3){p[0], p[1], p[2]};
}
static inline v3 base_position(const jn_data *data) {
  return v3_make(data->base.x, data->base.y, data->base.z);
}
#ifndef JN_BAKED
/* Present pose of a link in world axes, relative to the base's position. */
static inline jn_pose link_pose_now(const jn_data *data, int link) {
  const double *R = R_of(&data->w, link), *O = O_of(&data->w, link);
  jn_pose C = {.p = jn_v3(O[0], O[1], O[2])};
  for (int j = 0; j < 9; j++) C.R.m[j / 3][j % 3] = R[j];
  return C;
}
/* The same of a frame `inner` of the link. */
static inline jn_pose pose_now(const jn_data *data, int link, jn_pose inner) {
  return jn_pose_mul(link_pose_now(data, link), inner);
}
static inline jn_twist twist_from(const double *x) {
  return (jn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
#endif

static inline pose_jet link_pose(const jn_work *w, int i) {
  return (pose_jet){R_of(w, i), P_of(w, i), 9, 3};
}

/* Order k >= 1 of the world pose of link i, and G_k = sum_i [P_i] R_(k-i). `stride`, `linear`:
 * layout of a six in the engine that computed V. */
static inline void link_pose_step(const jn_work *w, int i, int k, int stride, int linear) {
  pose_jet c = link_pose(w, i);
  const size_t at = (size_t)stride * (size_t)i * (size_t)w->rows;
  pose_step_at(k, (const real *)w->V + at, stride, linear, c);
  m3 G = m3_zero();
  for (int j = 1; j <= k; j++) m3_add_hat_mul(load_v3(c.p + 3 * j), c.R + 9 * (k - j), G.m);
  real *g = G_of(w, i) + 9 * k;
  for (int j = 0; j < 9; j++) g[j] = G.m[j];
}

/* The same from spatial twists V:  R' = [w] R,  P' = v + w x (O + P). */
static inline void spatial_pose_step_of(const jn_work *w, int i, int k, const six *V) {
  pose_jet c = link_pose(w, i);
  v3 d = v3_add(V[k - 1].v, v3_cross(V[k - 1].w, load_v3(O_of(w, i))));
  m3 r = m3_zero(), G = m3_zero();
  for (int j = 0; j < k; j++) {
    m3_add_hat_mul(V[k - 1 - j].w, c.R + 9 * j, r.m);
    if (j) d = v3_add(d, v3_cross(V[k - 1 - j].w, load_v3(c.p + 3 * j)));
  }
  double f = (double)1 / k;
  for (int j = 0; j < 9; j++) c.R[9 * k + j] = f * r.m[j];
  store_v3(c.p + 3 * k, v3_times(f, d));
  for (int j = 1; j <= k; j++) m3_add_hat_mul(load_v3(c.p + 3 * j), c.R + 9 * (k - j), G.m);
  real *g = G_of(w, i) + 9 * k;
  for (int j = 0; j < 9; j++) g[j] = G.m[j];
}

static inline void spatial_pose_step(const jn_work *w, int i, int k) {
  spatial_pose_step_of(w, i, k, Vs_of(w, i));
}

/* Order k of one applied wrench (Taylor coefficients in[k x 6]) in the frame of link i. (RE, pE):
 * the frame it is applied at, in the link's frame, by columns of four. position: the link's, in the
 * world (p = position + P).
 *   body     n = RE n + pE x f        f = RE f
 *   mixed    n = RE n + pE x f        f = R^T f
 *   hybrid   n = R^T n + pE x f       f = R^T f
 *   spatial  n = R^T (n - p x f)      f = R^T f
 * f on the right of n is the converted one, except in the last line. */
static inline six external_order(int rep, const jn_work *w, int i, int k, const double *RE,
                                 const double *pE, v3 position, const real *in) {
  pose_jet c = link_pose(w, i);
  v3 n,
      f = rep == JN_BODY ? c_columns(RE, load_v3(in + 6 * k + 3)) : unrotate_order(k, c, in + 3, 6);
  if (rep == JN_BODY || rep == JN_MIXED) {
    n = c_columns(RE, load_v3(in + 6 * k));
  } else if (rep == JN_HYBRID) {
    n = unrotate_order(k, c, in, 6);
  } else {
    const real *G = G_of(w, i);
    n = v3_zero();
    for (int j = 0; j <= k; j++) {
      v3 nj = load_v3(in + 6 * (k - j)), fj = load_v3(in + 6 * (k - j) + 3);
      n = v3_add(n, m3_apply_t(c.R + 9 * j, v3_add_cross_exact(nj, fj, position)));
      /* R^T (f x P) = ([P] R)^T f */
      if (j) n = v3_add(n, m3_apply_t(G + 9 * j, fj));
    }
    return (six){n, f};
  }
  return (six){v3_add(n, c_cross_v3(pE, f)), f};
}

#endif
