/* forces.c: the joint forces of a simulation at order 0, and the ready-made forces as functions of
 * time (table, polynomial, Fourier sum) with all their derivatives. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/numbers.h"
#include "integrate/simulation.h"
#include "model/data.h"

static jn_pose free_pose(const double *q) {
  return jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
}

/* Converts the twist of a free joint between representations, at order 0. */
static void convert_twist(jn_representation from, jn_representation to, const double *q,
                          const double *V, double *out) {
  double R[18], p[6], result[6];
  jn_jet_convert_twist(0, from, to, free_pose(q), V, R, p, result);
  memcpy(out, result, sizeof result);
}

static void wrench_to_body(jn_representation from, const double *q, double *W) {
  const jn_pose C = free_pose(q);
  double R[9], result[6];
  const double p[3] = {C.p.x, C.p.y, C.p.z};
  memcpy(R, C.R.m, sizeof R);
  jn_jet_convert_wrench(0, from, JN_BODY, R, p, W, result);
  memcpy(W, result, sizeof result);
}

void jn_edge_velocity(const jn_simulation *s, const double *q, const double *v, int to_body,
                      double *out) {
  jn_representation rep = s->o.representation;
  for (int i = 0; i < s->nv; i++) out[i] = v[i];
  for (int i = 0; i < s->model->nbody && rep != JN_BODY; i++) {
    const jn_joint *j = &s->model->joint[i];
    if (j->type != JN_JOINT_FREE) continue;
    convert_twist(to_body ? rep : JN_BODY, to_body ? JN_BODY : rep, q + j->iq, out + j->iv,
                  out + j->iv);
  }
}

/* The time at which the forces are looked at: before a break, their values from the left. */
static double before_break(const jn_simulation *s, double t) {
  return t < s->t_break ? t : jn_simulation_before(s->t_break);
}

/* What a function returned, and its numbers x[n]. */
static jn_status check_function(jn_simulation *s, jn_status status, const char *which, double t,
                                const double *x, size_t n) {
  if (status) return jn_stop(s, status, "the function forces.%s failed at t = %g", which, t);
  if (jn_all_finite(x, n)) return JN_OK;
  return jn_stop(s, JN_ERR_NOT_FINITE, "the function forces.%s is not finite at t = %g%s", which, t,
                 s->o.step > 0 ? "; if the motion grows, shorten the step" : "");
}

jn_status jn_functions_at(jn_simulation *s, double t, jn_point x, double *out) {
  const jn_forces *f = &s->o.forces;
  const size_t nv = (size_t)s->nv;
  jn_status status;
  t = before_break(s, t);
  if (nv) memset(out, 0, sizeof *out * nv);
  if (f->time) {
    status = f->time(f->time_context, t, 0, out);
    if ((status = check_function(s, status, "time", t, out, nv))) return status;
  }
  if (f->state) {
    double *v = s->at.a, *more = s->at.tau;
    if (!jn_point_is_finite(s, x)) return JN_ERR_NOT_FINITE; /* sets v */
    memset(more, 0, sizeof *more * nv);
    status = f->state(f->state_context, t, x.q, v, more);
    if ((status = check_function(s, status, "state", t, more, nv))) return status;
    for (size_t i = 0; i < nv; i++) out[i] += more[i];
  }
  return JN_OK;
}

/* drive = constant force + user's functions of time and state, in the options' representation. */
static jn_status actuators(jn_simulation *s, double t, jn_point x) {
  double *drive = s->at.drive;
  const size_t nv = (size_t)s->nv;
  if (!s->o.forces.time && !s->o.forces.state) {
    if (nv) memcpy(drive, s->at.constant, sizeof *drive * nv);
    return JN_OK;
  }
  jn_status status = jn_functions_at(s, t, x, drive);
  if (status) return status;
  if (s->record && nv) memcpy(s->record, drive, sizeof *drive * nv);
  for (size_t i = 0; i < nv; i++) drive[i] += s->at.constant[i];
  return jn_all_finite(drive, nv) ? JN_OK : JN_ERR_NOT_FINITE;
}

void jn_force_to_body(const jn_simulation *s, const double *q, double *tau) {
  for (int i = 0; i < s->model->nbody && s->o.representation != JN_BODY; i++) {
    const jn_joint *j = &s->model->joint[i];
    if (j->type == JN_JOINT_FREE) wrench_to_body(s->o.representation, q + j->iq, tau + j->iv);
  }
}

jn_status jn_solve_mass(jn_simulation *s, const double *q, const double *f, double *a) {
  jn_settings *settings = jn_data_settings(s->data);
  double *rest = s->at.a;
  memset(rest, 0, sizeof *rest * (size_t)s->nv);
  settings->gravity = jn_v3(0, 0, 0);
  settings->damping = 0;
  s->statistics.dynamics++;
  jn_status status = jn_forward_dynamics(s->model, s->data, 0, q, rest, f, NULL, a);
  jn_settings_restore(s);
  return status;
}

/* Force of spring, damping and friction on degree of freedom iv; `all` includes the model's own
 * damping. */
static double at_joint(const jn_simulation *s, size_t iv, double q, double v, int all) {
  const jn_arrays *a = &s->at;
  double tau = -a->damping[iv] * v;
  if (all) tau -= a->model_damping[iv] * v;
  if (a->stiffness[iv] != 0) tau -= a->stiffness[iv] * (q - a->rest[iv]);
  if (a->friction[iv] != 0) tau -= a->friction[iv] * jn_tanh(v / s->o.forces.friction_width);
  return tau;
}

jn_status jn_force_at(jn_simulation *s, double t, jn_point x, int all) {
  const jn_model *m = s->model;
  double *tau = s->at.tau, *drive = s->at.drive;
  jn_status status = actuators(s, t, x);
  if (status || s->nv == 0) return status;
  memcpy(tau, drive, sizeof *tau * (size_t)s->nv);
  jn_force_to_body(s, x.q, tau);
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    for (int c = 0; c < j->nv; c++) {
      size_t iv = (size_t)(j->iv + c);
      double q = j->nq == j->nv ? x.q[j->iq + c] : 0.0;
      if (s->ne && s->at.motor_stiffness[iv] > 0) {
        tau[iv] = s->at.motor_stiffness[iv] * (x.theta[iv] - q);
        drive[iv] -= tau[iv];
      }
      tau[iv] += at_joint(s, iv, q, x.v[iv], all);
    }
  }
  return JN_OK;
}

jn_status jn_force_of_time(jn_simulation *s, double t, int order) {
  const jn_forces *f = &s->o.forces;
  double *drive = s->at.drive;
  size_t nv = (size_t)s->nv, n = ((size_t)order + 1) * nv;
  memset(drive, 0, sizeof *drive * n);
  if (f->time) {
    jn_status status = f->time(f->time_context, t, order, drive);
    if ((status = check_function(s, status, "time", t, drive, n))) return status;
  }
  for (size_t i = 0; i < nv; i++) drive[i] += s->at.constant[i];
  return jn_all_finite(drive, n) ? JN_OK : JN_ERR_NOT_FINITE;
}

double jn_look_spacing(const jn_simulation *s, double h) {
  const jn_forces *f = &s->o.forces;
  if (!s->watched) return HUGE_VAL;
  if (!f->state && f->time_context) {
    if (f->time == jn_force_table_time && f->next_break) return HUGE_VAL; /* linear */
    if (f->time == jn_force_polynomial_time)
      return h / (2.0 + 2.0 * ((const jn_force_polynomial *)f->time_context)->degree);
    if (f->time == jn_force_fourier_time) {
      /* a quarter of half a period of the highest harmonic */
      const jn_force_fourier *sum = f->time_context;
      const double w = fabs(sum->w) * (sum->terms > 1 ? sum->terms - 1 : 0);
      return w > 0 ? 0.785 / w : HUGE_VAL;
    }
  }
  return 0.25 * s->o.resolution;
}

/* index of the last sample at or before t; -1: none */
static int table_find(const jn_force_table *table, double t) {
  return jn_last_at(table->times, 1, -1, table->count, t);
}

/* The k-th derivative of component c of a force at time t. */
typedef double (*force_value)(const void *force, double t, int k, size_t c);

/* Writes tau only if all its numbers are finite. */
static jn_status put_force(force_value value, const void *force, size_t nv, double t, int order,
                           double *tau) {
  double finite = 0.0 * t;
  for (int k = 0; k <= order; k++)
    for (size_t c = 0; c < nv; c++) finite += 0.0 * value(force, t, k, c);
  if (finite != 0) return JN_ERR_NOT_FINITE;
  for (int k = 0; k <= order; k++)
    for (size_t c = 0; c < nv; c++) tau[(size_t)k * nv + c] = value(force, t, k, c);
  return JN_OK;
}

static double table_value(const void *context, double t, int k, size_t c) {
  const jn_force_table *table = context;
  size_t nv = (size_t)table->nv;
  int i = table_find(table, t), last = table->count - 1;
  int inside = i >= 0 && i < last;
  const double *from = table->tau + nv * (size_t)(i < 0 ? 0 : i), *to = inside ? from + nv : from;
  double step = inside ? table->times[i + 1] - table->times[i] : 1.0;
  double part = inside ? (t - table->times[i]) / step : 0.0;
  if (k == 0) return (1.0 - part) * from[c] + part * to[c];
  return k == 1 ? (to[c] - from[c]) / step : 0;
}

jn_status jn_force_table_time(void *context, double t, int order, double *tau) {
  const jn_force_table *table = context;
  if (!table || table->count < 1 || !table->times || !table->tau) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(table->times, (size_t)table->count)) return JN_ERR_NOT_FINITE;
  return put_force(table_value, table, (size_t)table->nv, t, order, tau);
}

double jn_force_table_next_break(void *context, double t) {
  const jn_force_table *table = context;
  int i = table_find(table, t) + 1;
  return i < table->count ? table->times[i] : HUGE_VAL;
}

static double polynomial_value(const void *context, double t, int k, size_t c) {
  const jn_force_polynomial *f = context;
  double value = 0;
  for (int i = f->degree; i >= k; i--) {
    /* Horner's rule with the factors i (i-1) ... (i-k+1) of the k-th derivative */
    double factor = 1;
    for (int j = 0; j < k; j++) factor *= i - j;
    value = value * (t - f->t0) + factor * f->c[(size_t)i * (size_t)f->nv + c];
  }
  return value;
}

jn_status jn_force_polynomial_time(void *context, double t, int order, double *tau) {
  const jn_force_polynomial *f = context;
  if (!f || f->degree < 0 || !f->c) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(&f->t0, 1)) return JN_ERR_NOT_FINITE;
  return put_force(polynomial_value, f, (size_t)f->nv, t, order, tau);
}

static double fourier_value(const void *context, double t, int k, size_t c) {
  const jn_force_fourier *f = context;
  double value = 0;
  for (int i = 0; i < f->terms; i++) {
    /* d/dt (cos, sin) = w (-sin, cos) */
    const size_t at = (size_t)i * (size_t)f->nv + c;
    const double w = i * f->w;
    double C, S;
    jn_sincos(w * t, &S, &C);
    const double turned[4] = {C, -S, -C, S}, a = f->a[at] * turned[k % 4],
                 b = f->b[at] * turned[(k + 3) % 4];
    double power = 1;
    for (int j = 0; j < k; j++) power *= w;
    value += power * (a + b);
  }
  return value;
}

jn_status jn_force_fourier_time(void *context, double t, int order, double *tau) {
  const jn_force_fourier *f = context;
  if (!f || f->terms < 0 || (f->terms && (!f->a || !f->b))) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(&f->w, 1)) return JN_ERR_NOT_FINITE;
  return put_force(fourier_value, f, (size_t)f->nv, t, order, tau);
}
