/* group.c: the configuration space as a Lie group: q exp(dq) and log(q0^-1 q1). */
#include <math.h>
#include <string.h>

#include <jounce/integrate.h>

#include "base/vec.h"
#include "core/group.h"
#include "model/data.h"

static jn_quat load_quat(const double *q) { return jn_quat_make(q[0], q[1], q[2], q[3]); }

jn_quat jn_quat_step(const double *q, jn_vec3 w) {
  const jn_quat a = load_quat(q);
  return jn_quat_scale(1.5 - 0.5 * jn_quat_norm2(a), jn_quat_mul(a, jn_quat_exp(w)));
}

static jn_status check(const jn_model *model, const double *q) {
  if (!jn_all_finite(q, (size_t)model->nq)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    if (joint_has_quaternion(&model->joint[i]) && !quat_is_unit(q + model->joint[i].iq))
      return JN_ERR_POSE;
  return JN_OK;
}

/* one joint; out may be q */
static void integrate_joint(const jn_joint *j, const double *q, const double *dq, double *out) {
  if (!joint_has_quaternion(j)) {
    for (int c = 0; c < j->nv; c++) out[c] = q[c] + dq[c];
    return;
  }
  const jn_vec3 w = load_vec(dq);
  if (j->type == JN_JOINT_FREE) {
    /* p + R dexp_left(w) v */
    const jn_dexp_terms s = jn_so3_dexp_terms(w);
    const jn_vec3 d = jn_so3_quadratic_apply(s.b, s.c, w, load_vec(dq + 3));
    store_vec(out + 4, jn_v3_add(load_vec(q + 4), jn_m3_apply(jn_quat_to_m3(load_quat(q)), d)));
  }
  const jn_quat r = jn_quat_step(q, w);
  out[0] = r.w, out[1] = r.x, out[2] = r.y, out[3] = r.z;
}

void jn_group_step(const jn_model *model, const double *q, const double *dq, double *out) {
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    integrate_joint(j, q + j->iq, dq + j->iv, out + j->iq);
  }
}

jn_status jn_integrate(const jn_model *model, const double *q, const double *dq, double *q_out) {
  if (!model) return JN_ERR_ARGUMENT;
  if (model->nv == 0) return JN_OK;
  if (!q || !dq || !q_out) return JN_ERR_ARGUMENT;
  jn_status status = check(model, q);
  if (status) return status;
  /* two passes: nothing is written before all numbers are known to be finite */
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < model->nbody; i++) {
      const jn_joint *j = &model->joint[i];
      double x[7];
      integrate_joint(j, q + j->iq, dq + j->iv, x);
      if (pass == 0 && !jn_all_finite(x, (size_t)j->nq)) return JN_ERR_NOT_FINITE;
      if (pass == 1 && j->nq) memcpy(q_out + j->iq, x, sizeof *x * (size_t)j->nq);
    }
  return JN_OK;
}

static void difference_joint(const jn_joint *j, const double *q0, const double *q1, double *dq) {
  if (!joint_has_quaternion(j)) {
    for (int c = 0; c < j->nv; c++) dq[c] = q1[c] - q0[c];
    return;
  }
  const jn_vec3 w = jn_quat_log(jn_quat_mul(jn_quat_conj(load_quat(q0)), load_quat(q1)));
  store_vec(dq, w);
  if (j->type != JN_JOINT_FREE) return;
  /* dexp_left(w)^-1 R0^T (p1 - p0) */
  const jn_vec3 d =
      jn_m3_apply_t(jn_quat_to_m3(load_quat(q0)), jn_v3_sub(load_vec(q1 + 4), load_vec(q0 + 4)));
  store_vec(dq + 3, jn_so3_quadratic_apply(-0.5, jn_so3_dexp_inv_terms(w).d, w, d));
}

jn_status jn_difference(const jn_model *model, const double *q0, const double *q1, double *dq) {
  if (!model) return JN_ERR_ARGUMENT;
  if (model->nv == 0) return JN_OK;
  if (!q0 || !q1 || !dq) return JN_ERR_ARGUMENT;
  jn_status status = check(model, q0);
  if (status || (status = check(model, q1))) return status;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < model->nbody; i++) {
      const jn_joint *j = &model->joint[i];
      double x[6];
      difference_joint(j, q0 + j->iq, q1 + j->iq, x);
      if (pass == 0 && !jn_all_finite(x, (size_t)j->nv)) return JN_ERR_NOT_FINITE;
      if (pass == 1 && j->nv) memcpy(dq + j->iv, x, sizeof *x * (size_t)j->nv);
    }
  return JN_OK;
}

void jn_chart_rate(const jn_model *model, const double *xi, const double *v, double *rate) {
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    const double *x = xi + j->iv, *u = v + j->iv;
    double *r = rate + j->iv;
    if (j->type == JN_JOINT_FREE) {
      const jn_twist y = jn_se3_dexp_right_inv(jn_twist_make(load_vec(x), load_vec(x + 3)),
                                               jn_twist_make(load_vec(u), load_vec(u + 3)));
      store_vec(r, y.w);
      store_vec(r + 3, y.v);
    } else if (j->type == JN_JOINT_SPHERICAL) {
      const jn_vec3 w = jn_v3_neg(load_vec(x));
      store_vec(r, jn_so3_quadratic_apply(-0.5, jn_so3_dexp_inv_terms(w).d, w, load_vec(u)));
    } else {
      for (int c = 0; c < j->nv; c++) r[c] = u[c];
    }
  }
}
