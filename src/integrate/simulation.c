/* simulation.c: stepping, setting and reading the state, dense output. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fail.h"
#include "core/constraints/project.h"
#include "integrate/simulation.h"
#include "model/data.h"

const char *jn_scheme_name(jn_scheme scheme) {
  static const char *const names[] = {
#define NAME(code, name) name,
      JN_SCHEMES(NAME)
#undef NAME
  };
  return (unsigned)scheme < JN_SCHEME_COUNT ? names[scheme] : "";
}

void jn_point_copy(const jn_simulation *s, jn_point from, jn_point to) {
  if (s->np) memcpy(to.q, from.q, sizeof *to.q * (size_t)s->np);
}

void jn_settings_restore(jn_simulation *s) {
  jn_settings *settings = jn_data_settings(s->data);
  settings->gravity = s->gravity;
  settings->damping = s->o.forces.model_damping != 0;
}

jn_status jn_stop(jn_simulation *s, jn_status status, const char *format, ...) {
  if (s->message[0]) return status;
  va_list arguments;
  va_start(arguments, format);
  jn_format_list(s->message, sizeof s->message, format, arguments);
  va_end(arguments);
  jn_clean_text(s->message, sizeof s->message);
  return status;
}

const char *jn_simulation_message(const jn_simulation *s) { return s ? s->message : ""; }

jn_status jn_dense(jn_simulation *s, double time, jn_point x) {
  return s->by_radau                ? jn_radau_dense(s, time, x)
         : s->o.scheme == JN_TAYLOR ? jn_taylor_dense(s, time, x)
                                    : jn_chart_dense(s, time, x);
}

void jn_forget(jn_simulation *s) {
  s->has_step = s->has_rate = s->has_dense = s->has_stages = s->history = 0;
}

jn_status jn_set_momentum(jn_simulation *s, jn_point x) {
  if (s->o.scheme == JN_MOMENTUM) return jn_momentum_set(s, x);
  return s->o.scheme == JN_VARIATIONAL ? jn_variational_momentum(s, x) : JN_OK;
}

jn_status jn_simulation_set_state(jn_simulation *s, double t, const double *q, const double *v) {
  if (!s || (s->nv && (!q || !v))) return JN_ERR_ARGUMENT;
  if (!isfinite(t)) return JN_ERR_NOT_FINITE;
  size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  if (!jn_all_finite(q, nq) || !jn_all_finite(v, nv)) return JN_ERR_NOT_FINITE;
  jn_point x = s->trial;
  for (int i = 0; i < s->np; i++) x.q[i] = 0;
  if (nq) memcpy(x.q, q, sizeof *q * nq);
  if (nv) {
    memset(s->at.a, 0, sizeof(double) * nv);
    jn_status status =
        jn_integrate(s->model, q, s->at.a, s->out.q); /* refuses an invalid configuration */
    if (status) return status;
    jn_edge_velocity(s, q, v, 1, x.v);
    if (!jn_all_finite(x.v, nv)) return JN_ERR_NOT_FINITE;
  }
  for (int i = 0; s->ne && i < s->model->nbody; i++) {
    const jn_joint *j = &s->model->joint[i];
    for (int c = 0; c < j->nv && j->nq == j->nv; c++) {
      x.theta[j->iv + c] = q[j->iq + c];
      x.theta_dot[j->iv + c] = v[j->iv + c];
    }
  }
  jn_status status = JN_OK;
  s->t_break = HUGE_VAL;
  if (s->closed) {
    s->message[0] = '\0';
    if ((status = jn_world_at(s, t, 0))) return status;
    if ((status = jn_project_check(s->model, s->data, x.q, x.v, &s->checked))) return status;
    if ((status = jn_close_begin(s, x.q))) return status;
  }
  if ((status = jn_close_state(s, t, x))) return status;
  jn_point_copy(s, x, s->now);
  s->off = s->landed = s->compared = 0;
  s->t = t;
  s->t_low = 0;
  s->h_next = 0;
  s->err_old = JN_FIRST_ERROR;
  s->has_signs = 0;
  s->shortest = s->rough = 0;
  s->message[0] = '\0';
  memset(&s->stiff, 0, sizeof s->stiff);
  if ((s->implicit || s->stability > 0) && nv) memset(s->at.mode, 0, sizeof(double) * nv);
  jn_forget(s);
  return JN_OK;
}

jn_status jn_simulation_set_motor(jn_simulation *s, const double *theta, const double *theta_dot) {
  if (!s || !s->ne || !theta || !theta_dot) return JN_ERR_ARGUMENT;
  size_t ne = (size_t)s->ne;
  if (!jn_all_finite(theta, ne) || !jn_all_finite(theta_dot, ne)) return JN_ERR_NOT_FINITE;
  memcpy(s->now.theta, theta, sizeof *theta * ne);
  memcpy(s->now.theta_dot, theta_dot, sizeof *theta * ne);
  jn_forget(s);
  return JN_OK;
}

jn_status jn_simulation_set_tau(jn_simulation *s, const double *tau) {
  if (!s || (s->nv && !tau)) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(tau, (size_t)s->nv)) return JN_ERR_NOT_FINITE;
  if (s->nv) memcpy(s->at.constant, tau, sizeof *tau * (size_t)s->nv);
  s->has_rate = 0;
  return JN_OK;
}

jn_status jn_simulation_state(const jn_simulation *s, double *t, double *q, double *v) {
  if (!s) return JN_ERR_ARGUMENT;
  if (t) *t = s->t;
  if (q && s->nq) memcpy(q, s->now.q, sizeof *q * (size_t)s->nq);
  if (v) jn_edge_velocity(s, s->now.q, s->now.v, 0, v);
  return JN_OK;
}

jn_status jn_simulation_motor(const jn_simulation *s, double *theta, double *theta_dot) {
  if (!s || !s->ne) return JN_ERR_ARGUMENT;
  if (theta) memcpy(theta, s->now.theta, sizeof *theta * (size_t)s->ne);
  if (theta_dot) memcpy(theta_dot, s->now.theta_dot, sizeof *theta * (size_t)s->ne);
  return JN_OK;
}

jn_statistics jn_simulation_statistics(const jn_simulation *s) {
  const jn_statistics none = {0};
  return s ? s->statistics : none;
}

int jn_simulation_singular_joint(const jn_simulation *s) {
  return s ? jn_data_singular_joint(s->data) : -1;
}

/* t += h as a compensated sum: t_low keeps the rounding error */
static void advance_time(jn_simulation *s, double h) {
  double y = h + s->t_low, t = s->t + y;
  s->t_low = y - (t - s->t);
  s->t = t;
}

/* Ends the step early, at an event: the state there comes from the dense output. */
static jn_status cut_short(jn_simulation *s, double time) {
  jn_status status = jn_dense(s, time, s->out);
  if (status) return status;
  jn_point_copy(s, s->out, s->next);
  s->has_rate = 0;
  s->has_stages = 0;
  s->history = 0;
  if (s->closed) return jn_close_point(s, s->t_start + time, s->next);
  return s->o.scheme == JN_VARIATIONAL ? jn_variational_momentum(s, s->next) : JN_OK;
}

int jn_point_is_finite(const jn_simulation *s, jn_point x) {
  if (!jn_all_finite(x.q, (size_t)s->np)) return 0;
  if (s->nv) jn_edge_velocity(s, x.q, x.v, 0, s->at.a);
  return jn_all_finite(s->at.a, (size_t)s->nv);
}

/* One step of the scheme to s->next, not past t_max. */
static jn_status scheme_step(jn_simulation *s, double t_max) {
  const int adaptive = !(s->o.step > 0);
  jn_status status = adaptive ? JN_OK : jn_check_decay(s, jn_clip_step(s, s->o.step, t_max));
  if (status) return status;
  s->by_radau = 0;
  switch (s->o.scheme) {
    case JN_TAYLOR:
    case JN_RKMK54:
      return adaptive && s->implicit    ? jn_stiff_step(s, t_max)
             : s->o.scheme == JN_TAYLOR ? jn_taylor_step(s, t_max)
                                        : jn_rk_step(s, t_max);
    case JN_VARIATIONAL:
      return jn_variational_step(s, t_max);
    case JN_RADAU:
      return jn_radau_step(s, t_max, 0);
    default:
      return jn_rk_step(s, t_max);
  }
}

/* Where the step must end at the latest: t_max, or a break of the forces before it. */
static double end_of_step(jn_simulation *s, double t_max) {
  const jn_forces *f = &s->o.forces;
  s->t_break = HUGE_VAL;
  double at = f->next_break ? f->next_break(f->time_context, s->t) : HUGE_VAL;
  if (!(at > s->t)) at = HUGE_VAL;
  at = fmin(at, jn_world_next_break(s, s->t));
  return at <= t_max ? s->t_break = at : t_max;
}

/* At a break of the world's motion its velocity may jump: an impact. */
static jn_status leave_break(jn_simulation *s) {
  jn_point x = s->now;
  if (!s->landed || !s->closed) return JN_OK;
  jn_status status = jn_world_at(s, s->t, 0);
  if (!status)
    status = jn_impact(s->model, s->data, x.q, x.v, &s->checked, s->trial.v, s->at.impulse);
  if (status == JN_ERR_CLOSURE)
    return jn_stop(s, status, "the pose of a constraint's side in the world jumps at t = %g", s->t);
  if (status) return status;
  if (s->nv) memcpy(x.v, s->trial.v, sizeof *x.v * (size_t)s->nv);
  s->landed = 0;
  return jn_close_point(s, s->t, x);
}

static jn_status overflow(jn_simulation *s) {
  return jn_stop(s, JN_ERR_NOT_FINITE,
                 "a number overflows in the step of %g s from t = %g: the solution grows without "
                 "bound%s",
                 s->h, s->t_start,
                 s->o.step > 0 ? ", or the fixed step is too long: shorten it" : "");
}

static jn_status step(jn_simulation *s, double t_max, int *event) {
  if (s->o.step > 0 && !(s->t + s->o.step > s->t)) /* t would not advance */
    return jn_stop(s, JN_ERR_LIMIT,
                   "a step of %g s is lost in the rounding of t = %g: use a longer step", s->o.step,
                   s->t);
  if (s->off)
    return jn_stop(s, JN_ERR_CLOSURE,
                   "the state does not satisfy the constraints: set one that does (jn_assemble)");
  const double limit = end_of_step(s, t_max);
  jn_status status = leave_break(s);
  if (status) return status;
  jn_point_copy(s, s->now, s->start);
  s->t_start = s->t;
  s->has_step = s->has_dense = 0;
  if ((status = scheme_step(s, limit)) || (status = jn_world_compare(s))) return status;
  if (!jn_point_is_finite(s, s->next)) return overflow(s);
  if (s->closed && s->o.scheme != JN_VARIATIONAL) {
    if ((status = jn_close_point(s, s->t_start + s->h, s->next))) return status;
    s->has_rate = 0; /* k[6] is that of the state before */
  }
  double end = s->h;
  if (s->o.event_count > 0) {
    if ((status = jn_find_event(s, &end, event))) return status;
    if (*event >= 0 && end < s->h) {
      if ((status = cut_short(s, end))) return status;
      if (!jn_point_is_finite(s, s->next)) return overflow(s);
    }
  }
  jn_point_copy(s, s->next, s->now);
  int to_the_end = end == s->h && s->h == limit - s->t_start;
  advance_time(s, end);
  if (to_the_end) s->t = limit, s->t_low = 0;
  if (s->t >= s->t_break) s->has_rate = 0; /* k[6] has the force before the break */
  s->landed = s->o.world_count && s->t >= s->t_break;
  s->has_step = 1;
  s->statistics.steps++;
  s->statistics.last_step = end;
  return JN_OK;
}

/* A message for every failure: what a call of the dynamics or of a function says is its status. */
static void explain(jn_simulation *s, jn_status status) {
  const int joint = status == JN_ERR_SINGULAR ? jn_data_singular_joint(s->data) : -1;
  const jn_constraint *c =
      jn_model_constraint(s->model, jn_data_constraint_fault(s->data).constraint);
  if (c && status == JN_ERR_RANK)
    jn_stop(s, status,
            "the constraints contradict each other, or their rank changes, at t = %g: constraint "
            "'%.100s'; proximal, such as 1e-9, passes a change of rank",
            s->t_start, c->name);
  if (c && status == JN_ERR_CLOSURE)
    jn_stop(s, status,
            "the step from t = %g leaves constraint '%.100s' too far to be moved back to it: %s",
            s->t_start, c->name,
            s->o.step > 0 ? "shorten the step" : "lower the tolerance, or set max_step");
  if (joint >= 0)
    jn_stop(
        s, status,
        "joint '%.100s' moves no mass, or none off its axis, at t = %g: its acceleration is not "
        "determined; give it an armature, or the links beyond it mass",
        s->model->joint[joint].name, s->t_start);
  else
    jn_stop(
        s, status, "the step from t = %g failed: %s%s", s->t_start, jn_status_text(status),
        status == JN_ERR_NOT_FINITE && s->o.step > 0
            ? "; the fixed step is too long for the forces: shorten it, or use scheme radau with "
              "a tolerance"
            : "");
}

static jn_status before_now(jn_simulation *s, double t) {
  return jn_stop(s, JN_ERR_ARGUMENT,
                 "cannot run to t = %g: a finite time not before t = %g expected", t, s->t);
}

jn_status jn_simulation_step(jn_simulation *s, double t_max, int *event) {
  int unused;
  if (!event) event = &unused;
  *event = -1;
  if (!s) return JN_ERR_ARGUMENT;
  s->message[0] = '\0';
  if (isnan(t_max) || t_max < s->t) return before_now(s, t_max);
  if (t_max == s->t) return JN_OK;
  jn_status status = step(s, t_max, event);
  s->record = NULL;
  if (status) {
    explain(s, status);
    *event = -1;
    jn_forget(s);
  }
  return status;
}

/* Implicit steps know the derivatives of springs, damping, friction and motors, not those of the
 * function forces.state. They are longer than an oscillation only if the tolerance is above it;
 * taylor and rkmk54 take them where damping is stiff. */
static const char *against_stiffness(const jn_simulation *s) {
  if (s->o.forces.state)
    return ", or give stiff springs, damping and friction as such: no scheme takes long steps if "
           "the function forces.state is stiff";
  if (s->o.scheme == JN_RADAU) return "";
  if (s->o.scheme == JN_MOMENTUM) return ", or use scheme radau if the forces are stiff";
  return s->has_springs ? ", or use scheme radau with a tolerance above the oscillation of the "
                          "springs if they are stiff"
                        : "";
}

/* A looser tolerance lowers the order of taylor where that follows from it, and shortens steps. */
static const char *for_longer_steps(const jn_simulation *s) {
  if (s->o.step > 0) return "declare fewer breaks of the forces";
  return s->o.scheme == JN_TAYLOR && !s->o.order && !s->watched ? "give a higher order"
                                                                : "loosen the tolerance";
}

jn_status jn_simulation_run_to(jn_simulation *s, double t, int *event) {
  int met = -1;
  if (event) *event = -1;
  if (!s) return JN_ERR_ARGUMENT;
  s->message[0] = '\0';
  if (!isfinite(t) || t < s->t) return before_now(s, t);
  const long first = s->statistics.steps + s->statistics.rejected;
  const double fixed = s->o.step > 0 ? (t - s->t) / s->o.step : 0; /* besides those to a break */
  while (s->t < t && met < 0) {
    const long count = s->statistics.steps + s->statistics.rejected - first;
    if ((double)count >= fixed + (double)s->o.max_steps) {
      return jn_stop(s, JN_ERR_LIMIT,
                     "max_steps = %ld steps, rejected ones included, reach t = %g of %g: raise "
                     "max_steps, %s%s",
                     s->o.max_steps, s->t, t, for_longer_steps(s), against_stiffness(s));
    }
    jn_status status = jn_simulation_step(s, t, &met);
    if (status) return status;
  }
  if (event) *event = met;
  return JN_OK;
}

jn_status jn_simulation_at(jn_simulation *s, double t, double *q, double *v) {
  if (!s || !s->has_step || !(t >= s->t_start) || !(t <= s->t)) return JN_ERR_ARGUMENT;
  jn_point x = s->out;
  double time = t - s->t_start;
  if (time > s->h) time = s->h;
  if (t == s->t)
    jn_point_copy(s, s->now, x);
  else if (t == s->t_start)
    jn_point_copy(s, s->start, x);
  else {
    jn_status status = jn_dense(s, time, x);
    if (!status && s->closed) status = jn_close_point(s, t, x);
    if (status) return status;
    if (!jn_point_is_finite(s, x)) return JN_ERR_NOT_FINITE;
  }
  if (q && s->nq) memcpy(q, x.q, sizeof *q * (size_t)s->nq);
  if (v) jn_edge_velocity(s, x.q, x.v, 0, v);
  return JN_OK;
}

double jn_event_coordinate_g(void *context, double t, const double *q, const double *v) {
  const jn_event_coordinate *c = context;
  (void)t;
  (void)v;
  return q[c->iq] - c->value;
}
