/* limit_rows.c: what has limits: degrees of freedom, then rotors; see limit_rows.h. */
#include "motion/limit_rows.h"

#include <jounce/jet.h>
#include <jounce/rotors.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

static const char *const kind_names[JN_LIMIT_KINDS] = {
    "position", "velocity", "acceleration", "jerk", "effort", "effort_rate", "power"};

const char *jn_limit_kind_name(jn_limit_kind kind) {
  return (int)kind >= 0 && kind < JN_LIMIT_KINDS ? kind_names[kind] : NULL;
}

int jn_limit_rows(const jn_model *model) {
  return model ? jn_model_nv(model) + jn_model_rotor_count(model) : 0;
}

const char *jn_limit_quantity(const jn_model *model, int row, jn_limit_kind kind) {
  if (row < 0 || row >= jn_limit_rows(model)) return NULL;
  if (row < jn_model_nv(model)) return jn_limit_kind_name(kind);
  return kind == JN_LIMIT_EFFORT ? "thrust" : kind == JN_LIMIT_EFFORT_RATE ? "thrust_rate" : NULL;
}

limit_name jn_limit_name(const jn_model *model, int row) {
  limit_name name = {""};
  jn_limit_row_name(model, row, name.text, sizeof name.text);
  return name;
}

jn_status jn_limit_row_name(const jn_model *model, int row, char *name, size_t size) {
  if (!name || size == 0 || row < 0 || row >= jn_limit_rows(model)) return JN_ERR_ARGUMENT;
  const jn_rotor *rotor = jn_model_rotor(model, row - jn_model_nv(model));
  if (rotor) {
    snprintf(name, size, "%s", rotor->name);
    return JN_OK;
  }
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (row >= j->iv && row < j->iv + j->nv) jn_model_dof_name(model, i, row - j->iv, name, size);
  }
  return JN_OK;
}

/* 1 if the thrusts follow from the wrench of the base, whatever that is */
static int is_actuated(const jn_model *model) {
  int rank = 0;
  return jn_model_rotor_count(model) && jn_model_is_floating(model) &&
         !jn_rotor_allocation(model, NULL, NULL, &rank) && rank == 6;
}

static void rotor_limits(const jn_rotor *rotor, jn_limit_range *r) {
  const double rate = rotor->limits.thrust_rate;
  r[JN_LIMIT_EFFORT] = (jn_limit_range){rotor->lower, rotor->upper};
  r[JN_LIMIT_EFFORT_RATE] = (jn_limit_range){-rate, rate};
}

jn_status jn_model_limits(const jn_model *model, jn_limit_range *range) {
  if (!model || !range) return JN_ERR_ARGUMENT;
  const int nv = jn_model_nv(model), rows = jn_limit_rows(model);
  for (int i = 0; i < rows * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    const jn_limits *l = &j->limits;
    const double size[JN_LIMIT_KINDS] = {0,         l->velocity,    l->acceleration, l->jerk,
                                         l->effort, l->effort_rate, HUGE_VAL};
    if (j->nv != 1) continue;
    jn_limit_range *r = range + (size_t)j->iv * JN_LIMIT_KINDS;
    r[JN_LIMIT_POSITION] = (jn_limit_range){l->lower, l->upper};
    for (int k = 1; k < JN_LIMIT_KINDS; k++) r[k] = (jn_limit_range){-size[k], size[k]};
  }
  for (int row = nv; row < rows && is_actuated(model); row++)
    rotor_limits(jn_model_rotor(model, row - nv), range + (size_t)row * JN_LIMIT_KINDS);
  return JN_OK;
}

static int is_finite(const jn_limit_range *r) { return isfinite(r->low) || isfinite(r->high); }

int jn_limit_rotors(const jn_model *model, const jn_limit_range *range) {
  for (int i = jn_model_nv(model) * JN_LIMIT_KINDS; i < jn_limit_rows(model) * JN_LIMIT_KINDS; i++)
    if (is_finite(&range[i])) return 1;
  return 0;
}

jn_status jn_limit_ranges_check(const jn_model *model, const jn_limit_range *range,
                                jn_error *error) {
  for (int i = 0; i < jn_limit_rows(model) * JN_LIMIT_KINDS; i++) {
    const int row = i / JN_LIMIT_KINDS, kind = i % JN_LIMIT_KINDS;
    const char *quantity = jn_limit_quantity(model, row, (jn_limit_kind)kind);
    if (!(range[i].low <= range[i].high))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "%s of '%s': the limits %.6g and %.6g are in the wrong order",
                     kind_names[kind], jn_limit_name(model, row).text, range[i].low, range[i].high);
    if (!quantity && is_finite(&range[i]))
      return jn_fail(
          error, JN_ERR_ARGUMENT, NULL, 0,
          "rotor '%s' has no %s: only its thrust (effort) and its thrust rate have limits",
          jn_limit_name(model, row).text, kind_names[kind]);
  }
  if (jn_limit_rotors(model, range) && !is_actuated(model))
    return jn_fail(
        error, JN_ERR_ACTUATION, NULL, 0,
        "limits of rotors need a floating base and rotors that can apply every wrench: "
        "rank 6 of their allocation matrix (jn_rotor_allocation); leave them out, or add "
        "rotors");
  return JN_OK;
}

void jn_limit_thrusts(const jn_model *model, jn_representation representation, const double *P,
                      const double *q, const double *v, const double *tau, double *f) {
  const int nv = jn_model_nv(model), n = jn_model_rotor_count(model);
  const jn_pose C = {jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6])};
  double R[18], p[6], W[12], body[12];
  memcpy(W, tau, 6 * sizeof *W);
  memcpy(W + 6, tau + nv, 6 * sizeof *W);
  /* W and W' in axes of the base; f = P W */
  jn_jet_pose_from_twist(0, representation, C, v, R, p);
  jn_jet_convert_wrench(1, representation, JN_BODY, R, p, W, body);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int c = 0; c < 6; c++) sum += P[6 * i + c] * body[6 * k + c];
      f[k * n + i] = sum;
    }
}
