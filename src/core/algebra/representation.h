/* representation.h (core): converts twists and wrenches of a moving frame between representations,
 * one order at a time.
 *
 * The jet of the pose is (R, p0 + p): p0 is the present position, p_0 = 0. Only the terms marked
 * (p0) depend on the distance from the origin. With p' = R v:
 *   body     (w, v)
 *   spatial  (R w, p' + (p0 + p) x R w)
 *   hybrid   (R w, p')
 *   mixed    (w, p')
 * Order k needs the pose to order k; order k of the pose needs the body twist to order k-1. */
#ifndef JOUNCE_CORE_ALGEBRA_REPRESENTATION_H
#define JOUNCE_CORE_ALGEBRA_REPRESENTATION_H

#include <jounce/data.h>

#include "core/algebra/algebra.h"

/* the jet of a pose: R and p of order k at R + k * rs, p + k * ps */
typedef struct pose_jet {
  real *R, *p;
  int rs, ps;
} pose_jet;
static inline pose_jet pose_jet_make(real *R, real *p, int rs, int ps) {
  pose_jet c = {R, p, rs, ps};
  return c;
}

/* Order k of the pose from the body twist V, `vs` reals per order, its linear part `vl` reals after
 * the angular one:
 *   k R_k = sum_(i<k) R_i [w_(k-1-i)],   k p_k = sum_(i<k) R_i v_(k-1-i) */
static inline void pose_step_at(int k, const real *V, int vs, int vl, pose_jet c) {
  m3 r = m3_zero();
  v3 d = v3_zero();
  for (int i = 0; i < k; i++) {
    const real *t = V + (k - 1 - i) * vs, *R = c.R + i * c.rs;
    m3_add_mul_hat(R, load_v3(t), r.m);
    d = v3_add(d, m3_apply(R, load_v3(t + vl)));
  }
  double f = (double)1 / k;
  for (int j = 0; j < 9; j++) c.R[k * c.rs + j] = f * r.m[j];
  store_v3(c.p + k * c.ps, v3_times(f, d));
}
static inline void pose_step(int k, const real *V, int vs, pose_jet c) {
  pose_step_at(k, V, vs, 3, c);
}

/* sum_i R_i x_(k-i) and sum_i R_i^T x_(k-i), x in rows of `stride` reals */
static inline v3 rotate_order(int k, pose_jet c, const real *x, int stride) {
  v3 s = v3_zero();
  for (int i = 0; i <= k; i++)
    s = v3_add(s, m3_apply(c.R + i * c.rs, load_v3(x + (k - i) * stride)));
  return s;
}
static inline v3 unrotate_order(int k, pose_jet c, const real *x, int stride) {
  v3 s = v3_zero();
  for (int i = 0; i <= k; i++)
    s = v3_add(s, m3_apply_t(c.R + i * c.rs, load_v3(x + (k - i) * stride)));
  return s;
}
/* sum_(1<=i<=k) p_i x y_(k-i) */
static inline v3 cross_order(int k, pose_jet c, const real *y, int stride) {
  v3 s = v3_zero();
  for (int i = 1; i <= k; i++)
    s = v3_add(s, v3_cross(load_v3(c.p + i * c.ps), load_v3(y + (k - i) * stride)));
  return s;
}

/* Order k of a twist, from body V (rows of `vs` reals) to another representation `rep` (rows of
 * `os` reals). */
static inline void twist_from_body(int rep, int k, pose_jet c, v3 p0, const real *V, int vs,
                                   real *out, int os) {
  real *o = out + k * os;
  v3 w = rep == JN_MIXED ? load_v3(V + k * vs) : rotate_order(k, c, V, vs);
  v3 v = rotate_order(k, c, V + 3, vs);
  store_v3(o, w);
  if (rep == JN_SPATIAL) {
    v = v3_add(v, cross_order(k, c, out, os));
    v = v3_add_cross_exact(v, p0, w); /* (p0) */
  }
  store_v3(o + 3, v);
}

/* Order k of a twist, from `rep` to body. */
static inline void twist_to_body(int rep, int k, pose_jet c, v3 p0, const real *in, int is, real *V,
                                 int vs) {
  real *o = V + k * vs;
  if (rep == JN_BODY) {
    for (int j = 0; j < 6; j++) o[j] = in[k * is + j];
    return;
  }
  if (rep == JN_SPATIAL) {
    /* R v = p' = v_s - (p0 + p) x w_s, solved for v_k, which needs no lower orders of p':
     *   v_k = R_0^T (p'_k - sum_(i>=1) R_i v_(k-i)) */
    v3 w = load_v3(in + k * is), v = load_v3(in + k * is + 3);
    v = v3_sub(v3_add_cross_exact(v, w, p0), cross_order(k, c, in, is)); /* (p0) */
    for (int i = 1; i <= k; i++)
      v = v3_sub(v, m3_apply(c.R + i * c.rs, load_v3(V + (k - i) * vs + 3)));
    store_v3(o, unrotate_order(k, c, in, is));
    store_v3(o + 3, m3_apply_t(c.R, v));
    return;
  }
  store_v3(o, rep == JN_MIXED ? load_v3(in + k * is) : unrotate_order(k, c, in, is));
  store_v3(o + 3, unrotate_order(k, c, in + 3, is));
}

/* Order k of a wrench, from body W to `rep` and back: the dual maps. */
static inline void wrench_from_body(int rep, int k, pose_jet c, v3 p0, const real *W, int ws,
                                    real *out, int os) {
  real *o = out + k * os;
  v3 f = rotate_order(k, c, W + 3, ws);
  v3 n = rep == JN_MIXED ? load_v3(W + k * ws) : rotate_order(k, c, W, ws);
  store_v3(o + 3, f);
  if (rep == JN_SPATIAL) {
    n = v3_add(n, cross_order(k, c, out + 3, os));
    n = v3_add_cross_exact(n, p0, f); /* (p0) */
  }
  store_v3(o, n);
}

static inline void wrench_to_body(int rep, int k, pose_jet c, v3 p0, const real *in, int is,
                                  real *W, int ws) {
  real *o = W + k * ws;
  if (rep == JN_BODY) {
    for (int j = 0; j < 6; j++) o[j] = in[k * is + j];
    return;
  }
  if (rep == JN_SPATIAL) {
    /* R n = n_s - (p0 + p) x f_s,   n_k = R_0^T (... - sum_(i>=1) R_i n_(k-i)) */
    v3 f = load_v3(in + k * is + 3), n = load_v3(in + k * is);
    n = v3_sub(v3_add_cross_exact(n, f, p0), cross_order(k, c, in + 3, is)); /* (p0) */
    for (int i = 1; i <= k; i++) n = v3_sub(n, m3_apply(c.R + i * c.rs, load_v3(W + (k - i) * ws)));
    store_v3(o, m3_apply_t(c.R, n));
    store_v3(o + 3, unrotate_order(k, c, in + 3, is));
    return;
  }
  store_v3(o, rep == JN_MIXED ? load_v3(in + k * is) : unrotate_order(k, c, in, is));
  store_v3(o + 3, unrotate_order(k, c, in + 3, is));
}

#endif
