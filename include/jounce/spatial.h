/* spatial.h: SE(3), twists, wrenches and rigid-body inertia, over rotation.h. Small structs by value,
 * pure functions. Six-vectors are angular first. Nothing fails: a non-finite input gives a non-finite
 * result. Accuracy: as in rotation.h. */
#ifndef JOUNCE_SPATIAL_H
#define JOUNCE_SPATIAL_H

#include <jounce/rotation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x_outer = R x_inner + p */
typedef struct jn_pose {
  jn_mat3 R;
  jn_vec3 p;
} jn_pose;

/* angular, linear velocity */
typedef struct jn_twist {
  jn_vec3 w, v;
} jn_twist;

/* torque, force */
typedef struct jn_wrench {
  jn_vec3 n, f;
} jn_wrench;

/* Rigid-body inertia in some frame: mass m, first moment h = m c, inertia tensor J about the
 * frame's origin, xx = sum m (y^2 + z^2), xy = -sum m x y, and so on. */
typedef struct jn_inertia {
  double m;
  jn_vec3 h;
  double xx, xy, xz, yy, yz, zz;
} jn_inertia;

/* Poses. */

static inline jn_pose jn_pose_make(jn_mat3 R, jn_vec3 p) {
  jn_pose C;
  C.R = R;
  C.p = p;
  return C;
}

static inline jn_pose jn_pose_identity(void) {
  return jn_pose_make(jn_m3_identity(), jn_v3(0.0, 0.0, 0.0));
}

/* R x + p */
static inline jn_vec3 jn_pose_apply(jn_pose C, jn_vec3 x) {
  return jn_v3_add(jn_m3_apply(C.R, x), C.p);
}

/* A B: first B, then A */
static inline jn_pose jn_pose_mul(jn_pose A, jn_pose B) {
  return jn_pose_make(jn_m3_mul(A.R, B.R), jn_pose_apply(A, B.p));
}

/* (R^T, -R^T p) */
static inline jn_pose jn_pose_inv(jn_pose C) {
  return jn_pose_make(jn_m3_transpose(C.R), jn_v3_neg(jn_m3_apply_t(C.R, C.p)));
}

/* Twists and wrenches. */

static inline jn_twist jn_twist_make(jn_vec3 w, jn_vec3 v) {
  jn_twist V;
  V.w = w;
  V.v = v;
  return V;
}

static inline jn_twist jn_twist_zero(void) {
  return jn_twist_make(jn_v3(0.0, 0.0, 0.0), jn_v3(0.0, 0.0, 0.0));
}

static inline jn_twist jn_twist_add(jn_twist a, jn_twist b) {
  return jn_twist_make(jn_v3_add(a.w, b.w), jn_v3_add(a.v, b.v));
}

static inline jn_twist jn_twist_sub(jn_twist a, jn_twist b) {
  return jn_twist_make(jn_v3_sub(a.w, b.w), jn_v3_sub(a.v, b.v));
}

static inline jn_twist jn_twist_scale(double s, jn_twist a) {
  return jn_twist_make(jn_v3_scale(s, a.w), jn_v3_scale(s, a.v));
}

static inline jn_twist jn_twist_neg(jn_twist a) {
  return jn_twist_make(jn_v3_neg(a.w), jn_v3_neg(a.v));
}

static inline jn_wrench jn_wrench_make(jn_vec3 n, jn_vec3 f) {
  jn_wrench W;
  W.n = n;
  W.f = f;
  return W;
}

static inline jn_wrench jn_wrench_zero(void) {
  return jn_wrench_make(jn_v3(0.0, 0.0, 0.0), jn_v3(0.0, 0.0, 0.0));
}

static inline jn_wrench jn_wrench_add(jn_wrench a, jn_wrench b) {
  return jn_wrench_make(jn_v3_add(a.n, b.n), jn_v3_add(a.f, b.f));
}

static inline jn_wrench jn_wrench_sub(jn_wrench a, jn_wrench b) {
  return jn_wrench_make(jn_v3_sub(a.n, b.n), jn_v3_sub(a.f, b.f));
}

static inline jn_wrench jn_wrench_scale(double s, jn_wrench a) {
  return jn_wrench_make(jn_v3_scale(s, a.n), jn_v3_scale(s, a.f));
}

static inline jn_wrench jn_wrench_neg(jn_wrench a) {
  return jn_wrench_make(jn_v3_neg(a.n), jn_v3_neg(a.f));
}

/* the power of wrench W on twist V, both in one frame: w.n + v.f */
static inline double jn_power(jn_twist V, jn_wrench W) {
  return jn_v3_dot(V.w, W.n) + jn_v3_dot(V.v, W.f);
}

/* Ad_C V: a twist from the inner frame of C to the outer. (R w, R v + p x R w) */
static inline jn_twist jn_Ad(jn_pose C, jn_twist V) {
  const jn_vec3 w = jn_m3_apply(C.R, V.w);
  return jn_twist_make(w, jn_v3_add(jn_m3_apply(C.R, V.v), jn_v3_cross(C.p, w)));
}

/* Ad_C^-1 V: a twist from the outer frame to the inner. (R^T w, R^T (v - p x w)) */
static inline jn_twist jn_Ad_inv(jn_pose C, jn_twist V) {
  return jn_twist_make(jn_m3_apply_t(C.R, V.w),
                       jn_m3_apply_t(C.R, jn_v3_sub(V.v, jn_v3_cross(C.p, V.w))));
}

/* Ad_C^T W: a wrench from the outer frame to the inner. (R^T (n - p x f), R^T f) */
static inline jn_wrench jn_Ad_t(jn_pose C, jn_wrench W) {
  return jn_wrench_make(jn_m3_apply_t(C.R, jn_v3_sub(W.n, jn_v3_cross(C.p, W.f))),
                        jn_m3_apply_t(C.R, W.f));
}

/* Ad_{C^-1}^T W: a wrench from the inner frame to the outer. (R n + p x R f, R f) */
static inline jn_wrench jn_Ad_inv_t(jn_pose C, jn_wrench W) {
  const jn_vec3 f = jn_m3_apply(C.R, W.f);
  return jn_wrench_make(jn_v3_add(jn_m3_apply(C.R, W.n), jn_v3_cross(C.p, f)), f);
}

/* ad_V U = [V, U] = (w x u.w, w x u.v + v x u.w) */
static inline jn_twist jn_ad(jn_twist V, jn_twist U) {
  return jn_twist_make(jn_v3_cross(V.w, U.w),
                       jn_v3_add(jn_v3_cross(V.w, U.v), jn_v3_cross(V.v, U.w)));
}

/* ad_V^T W = (n x w + f x v, f x w) */
static inline jn_wrench jn_ad_t(jn_twist V, jn_wrench W) {
  return jn_wrench_make(jn_v3_add(jn_v3_cross(W.n, V.w), jn_v3_cross(W.f, V.v)),
                        jn_v3_cross(W.f, V.w));
}

/* out = [A, B; C, D] */
static inline void jn_blocks_matrix(jn_mat3 A, jn_mat3 B, jn_mat3 C, jn_mat3 D, double out[6][6]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[i][j] = A.m[i][j];
      out[i][j + 3] = B.m[i][j];
      out[i + 3][j] = C.m[i][j];
      out[i + 3][j + 3] = D.m[i][j];
    }
}

/* [R, 0; hat(p) R, R] */
static inline void jn_Ad_matrix(jn_pose C, double out[6][6]) {
  jn_blocks_matrix(C.R, jn_m3_hat(jn_v3(0.0, 0.0, 0.0)), jn_m3_mul(jn_m3_hat(C.p), C.R), C.R, out);
}

/* [hat(w), 0; hat(v), hat(w)] */
static inline void jn_ad_matrix(jn_twist V, double out[6][6]) {
  jn_blocks_matrix(jn_m3_hat(V.w), jn_m3_hat(jn_v3(0.0, 0.0, 0.0)), jn_m3_hat(V.v), jn_m3_hat(V.w),
                   out);
}

/* The exponential of SE(3) and its differential. */

/* y + p w x y + q w x (w x y) */
static inline jn_vec3 jn_so3_quadratic_apply(double p, double q, jn_vec3 w, jn_vec3 y) {
  const jn_vec3 wy = jn_v3_cross(w, y);
  return jn_v3_add(y, jn_v3_add(jn_v3_scale(p, wy), jn_v3_scale(q, jn_v3_cross(w, wy))));
}

/* exp(w, v) = (exp(hat(w)), dexp_left(w) v) */
static inline jn_pose jn_se3_exp(jn_twist x) {
  const jn_dexp_terms s = jn_so3_dexp_terms(x.w);
  return jn_pose_make(jn_so3_exp(x.w), jn_so3_quadratic_apply(s.b, s.c, x.w, x.v));
}

/* log(R, p) = (w, dexp_left(w)^-1 p) with w = log R, |w| <= pi */
static inline jn_twist jn_se3_log(jn_pose C) {
  const jn_vec3 w = jn_so3_log(C.R);
  return jn_twist_make(w, jn_so3_quadratic_apply(-0.5, jn_so3_dexp_inv_terms(w).d, w, C.p));
}

/* A twist is a dual vector w + eps v, eps^2 = 0. F = 1 + p hat(w) + q hat(w)^2, p and q functions
 * of |w|, is extended to a dual function, F(w + eps v) (y.w + eps y.v):
 *   angular  F y.w
 *   linear   F y.v + p v x y.w + q (w x (v x y.w) + v x (w x y.w))
 *            + w.v (p' w x y.w + q' w x (w x y.w)) */
static inline jn_twist jn_se3_quadratic_apply(double p, double q, double dp, double dq, jn_twist x,
                                              jn_twist y) {
  const double wv = jn_v3_dot(x.w, x.v);
  const jn_vec3 wy = jn_v3_cross(x.w, y.w), vy = jn_v3_cross(x.v, y.w);
  const jn_vec3 wwy = jn_v3_cross(x.w, wy);
  const jn_vec3 first = jn_v3_add(jn_v3_scale(p, vy), jn_v3_scale(wv * dp, wy));
  const jn_vec3 second =
      jn_v3_add(jn_v3_scale(q, jn_v3_add(jn_v3_cross(x.w, vy), jn_v3_cross(x.v, wy))),
                jn_v3_scale(wv * dq, wwy));
  return jn_twist_make(jn_v3_add(y.w, jn_v3_add(jn_v3_scale(p, wy), jn_v3_scale(q, wwy))),
                       jn_v3_add(jn_so3_quadratic_apply(p, q, x.w, y.v), jn_v3_add(first, second)));
}

/* For C(t) = exp(x(t)):
 *   C' C^-1 = dexp_left(x, x'),   C^-1 C' = dexp_right(x, x')
 *   dexp_left(x, y) = sum ad_x^k y/(k+1)! = dexp_right(-x, y) = Ad_exp(x) dexp_right(x, y) */
static inline jn_twist jn_se3_dexp_left(jn_twist x, jn_twist y) {
  const jn_dexp_terms s = jn_so3_dexp_terms(x.w);
  return jn_se3_quadratic_apply(s.b, s.c, s.db, s.dc, x, y);
}

static inline jn_twist jn_se3_dexp_right(jn_twist x, jn_twist y) {
  return jn_se3_dexp_left(jn_twist_neg(x), y);
}

/* the inverses in y, for |x.w| < 2 pi */
static inline jn_twist jn_se3_dexp_left_inv(jn_twist x, jn_twist y) {
  const jn_dexp_inv_terms s = jn_so3_dexp_inv_terms(x.w);
  return jn_se3_quadratic_apply(-0.5, s.d, 0.0, s.dd, x, y);
}

static inline jn_twist jn_se3_dexp_right_inv(jn_twist x, jn_twist y) {
  return jn_se3_dexp_left_inv(jn_twist_neg(x), y);
}

/* Inertia. */

static inline jn_mat3 jn_inertia_tensor(jn_inertia I) {
  const jn_mat3 J = {{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
  return J;
}

static inline jn_inertia jn_inertia_zero(void) {
  const jn_inertia I = {0.0, {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  return I;
}

/* mass m, first moment h, tensor sym(J) + 2 (p.g) 1 - (p g^T + g p^T) */
static inline jn_inertia jn_inertia_shift(double m, jn_vec3 h, jn_mat3 J, jn_vec3 p, jn_vec3 g) {
  jn_inertia I;
  I.m = m;
  I.h = h;
  I.xx = J.m[0][0] + 2.0 * (p.y * g.y + p.z * g.z);
  I.yy = J.m[1][1] + 2.0 * (p.x * g.x + p.z * g.z);
  I.zz = J.m[2][2] + 2.0 * (p.x * g.x + p.y * g.y);
  I.xy = 0.5 * (J.m[0][1] + J.m[1][0]) - (p.x * g.y + p.y * g.x);
  I.xz = 0.5 * (J.m[0][2] + J.m[2][0]) - (p.x * g.z + p.z * g.x);
  I.yz = 0.5 * (J.m[1][2] + J.m[2][1]) - (p.y * g.z + p.z * g.y);
  return I;
}

/* from mass, centre of mass c and the inertia tensor about it (its symmetric part):
 * J = I_com - m hat(c)^2 */
static inline jn_inertia jn_inertia_make(double m, jn_vec3 com, jn_mat3 I_com) {
  return jn_inertia_shift(m, jn_v3_scale(m, com), I_com, com, jn_v3_scale(0.5 * m, com));
}

/* the inertia of two bodies as one, both in one frame */
static inline jn_inertia jn_inertia_add(jn_inertia A, jn_inertia B) {
  A.m += B.m;
  A.h = jn_v3_add(A.h, B.h);
  A.xx += B.xx;
  A.xy += B.xy;
  A.xz += B.xz;
  A.yy += B.yy;
  A.yz += B.yz;
  A.zz += B.zz;
  return A;
}

/* the momentum of a body that moves with twist V: (J w + h x v, m v - h x w) */
static inline jn_wrench jn_inertia_apply(jn_inertia I, jn_twist V) {
  return jn_wrench_make(jn_v3_add(jn_m3_apply(jn_inertia_tensor(I), V.w), jn_v3_cross(I.h, V.v)),
                        jn_v3_sub(jn_v3_scale(I.m, V.v), jn_v3_cross(I.h, V.w)));
}

/* kinetic energy, V^T I V/2 */
static inline double jn_inertia_energy(jn_inertia I, jn_twist V) {
  return 0.5 * jn_power(V, jn_inertia_apply(I, V));
}

/* An inertia from the inner frame of C to the outer, Ad_{C^-1}^T I Ad_{C^-1}:
 *   h -> R h + m p
 *   J -> R J R^T - hat(p) hat(g) - hat(g) hat(p),   g = R h + m p/2 */
static inline jn_inertia jn_inertia_move(jn_pose C, jn_inertia I) {
  const jn_mat3 J = jn_m3_mul(jn_m3_mul(C.R, jn_inertia_tensor(I)), jn_m3_transpose(C.R));
  const jn_vec3 h = jn_m3_apply(C.R, I.h), mp = jn_v3_scale(I.m, C.p);
  return jn_inertia_shift(I.m, jn_v3_add(h, mp), J, C.p, jn_v3_add(h, jn_v3_scale(0.5, mp)));
}

/* Mass, centre of mass c = h/m (0 without mass) and the tensor about it, J + m hat(c)^2. Each
 * pointer may be NULL. */
static inline void jn_inertia_about_com(jn_inertia I, double *m, jn_vec3 *com, jn_mat3 *I_com) {
  const jn_vec3 h = I.h;
  const jn_vec3 c = I.m == 0.0 ? jn_v3(0.0, 0.0, 0.0) : jn_v3(h.x / I.m, h.y / I.m, h.z / I.m);
  const jn_inertia K = jn_inertia_shift(I.m, h, jn_inertia_tensor(I), c, jn_v3_scale(-0.5, h));
  if (m) *m = I.m;
  if (com) *com = c;
  if (I_com) *I_com = jn_inertia_tensor(K);
}

/* [J, hat(h); -hat(h), m 1] */
static inline void jn_inertia_matrix(jn_inertia I, double out[6][6]) {
  jn_blocks_matrix(jn_inertia_tensor(I), jn_m3_hat(I.h), jn_m3_hat(jn_v3_neg(I.h)),
                   jn_m3_scale(I.m, jn_m3_identity()), out);
}

#ifdef __cplusplus
}
#endif

#endif
