/* group_joint.h (private): the configuration group, one joint at a time, over plain numbers. Part of
 * generated roll-outs too. */
#ifndef JOUNCE_CORE_GROUP_JOINT_H
#define JOUNCE_CORE_GROUP_JOINT_H

#include "base/vec.h"

/* coordinates of a joint: plain numbers, a quaternion, a quaternion and a position */
enum { GROUP_PLAIN, GROUP_SPHERICAL, GROUP_FREE };

static inline jn_quat load_quat(const double *q) { return jn_quat_make(q[0], q[1], q[2], q[3]); }
static inline void store_quat(double *q, jn_quat r) {
  q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
}

/* q exp(w), scaled by (3 - |q|^2)/2 ~ 1/|q|, so that the length of q does not drift */
static inline jn_quat quat_step(const double *q, jn_vec3 w) {
  const jn_quat a = load_quat(q);
  return jn_quat_scale(1.5 - 0.5 * jn_quat_norm2(a), jn_quat_mul(a, jn_quat_exp(w)));
}

/* out = q exp(dq); out may be q. n: degrees of freedom */
static inline void group_joint_step(int kind, int n, const double *q, const double *dq,
                                    double *out) {
  if (kind == GROUP_PLAIN) {
    for (int c = 0; c < n; c++) out[c] = q[c] + dq[c];
    return;
  }
  const jn_vec3 w = load_vec(dq);
  if (kind == GROUP_FREE) {
    /* p + R dexp_left(w) v */
    const jn_dexp_terms s = jn_so3_dexp_terms(w);
    const jn_vec3 d = jn_so3_quadratic_apply(s.b, s.c, w, load_vec(dq + 3));
    store_vec(out + 4, jn_v3_add(load_vec(q + 4), jn_m3_apply(jn_quat_to_m3(load_quat(q)), d)));
  }
  store_quat(out, quat_step(q, w));
}

/* dq = log(q0^-1 q1) */
static inline void group_joint_difference(int kind, int n, const double *q0, const double *q1,
                                          double *dq) {
  if (kind == GROUP_PLAIN) {
    for (int c = 0; c < n; c++) dq[c] = q1[c] - q0[c];
    return;
  }
  const jn_vec3 w = jn_quat_log(jn_quat_mul(jn_quat_conj(load_quat(q0)), load_quat(q1)));
  store_vec(dq, w);
  if (kind != GROUP_FREE) return;
  /* dexp_left(w)^-1 R0^T (p1 - p0) */
  const jn_vec3 d =
      jn_m3_apply_t(jn_quat_to_m3(load_quat(q0)), jn_v3_sub(load_vec(q1 + 4), load_vec(q0 + 4)));
  store_vec(dq + 3, jn_so3_quadratic_apply(-0.5, jn_so3_dexp_inv_terms(w).d, w, d));
}

/* xi' of q exp(xi) from the velocity: xi' = dexp_right(xi)^-1 v */
static inline void group_joint_rate(int kind, int n, const double *xi, const double *v,
                                    double *rate) {
  if (kind == GROUP_FREE) {
    const jn_twist y = jn_se3_dexp_right_inv(jn_twist_make(load_vec(xi), load_vec(xi + 3)),
                                             jn_twist_make(load_vec(v), load_vec(v + 3)));
    store_vec(rate, y.w);
    store_vec(rate + 3, y.v);
  } else if (kind == GROUP_SPHERICAL) {
    const jn_vec3 w = jn_v3_neg(load_vec(xi));
    store_vec(rate, jn_so3_quadratic_apply(-0.5, jn_so3_dexp_inv_terms(w).d, w, load_vec(v)));
  } else {
    for (int c = 0; c < n; c++) rate[c] = v[c];
  }
}

#endif
