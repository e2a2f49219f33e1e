/* group.c: the configuration space as a Lie group: q exp(dq) and log(q0^-1 q1). */
#include <math.h>
#include <string.h>

#include <jounce/integrate.h>

#include "core/group.h"
#include "core/group_joint.h"
#include "model/data.h"

static int kind_of(const jn_joint *j) {
  return j->type == JN_JOINT_FREE        ? GROUP_FREE
         : j->type == JN_JOINT_SPHERICAL ? GROUP_SPHERICAL
                                         : GROUP_PLAIN;
}

static jn_status check(const jn_model *model, const double *q) {
  if (!jn_all_finite(q, (size_t)model->nq)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    if (joint_has_quaternion(&model->joint[i]) && !quat_is_unit(q + model->joint[i].iq))
      return JN_ERR_POSE;
  return JN_OK;
}

static void integrate_joint(const jn_joint *j, const double *q, const double *dq, double *out) {
  group_joint_step(kind_of(j), j->nv, q, dq, out);
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
  group_joint_difference(kind_of(j), j->nv, q0, q1, dq);
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
    group_joint_rate(kind_of(j), j->nv, xi + j->iv, v + j->iv, rate + j->iv);
  }
}
