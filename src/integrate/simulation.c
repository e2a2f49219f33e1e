/* simulation.c: stepping, setting and reading the state, dense output. */
#include <math.h>
#include <string.h>

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

double jn_clip_step(const jn_simulation *s, double h, double t_max) {
  double left = t_max - s->t_start;
  if (h >= left * (1 - 1e-9)) return left;
  return !(s->o.step > 0) && 2 * h > left ? 0.5 * left : h;
}

jn_status jn_dense(jn_simulation *s, double time, jn_point x) {
  return s->o.scheme == JN_TAYLOR ? jn_taylor_dense(s, time, x) : jn_chart_dense(s, time, x);
}

/* Discards what is kept of the last step. */
static void forget(jn_simulation *s) { s->has_step = s->has_rate = s->has_dense = s->history = 0; }

/* The momenta that the momentum and variational schemes keep beside the velocities. */
static jn_status set_momentum(jn_simulation *s, jn_point x) {
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
  jn_status status = set_momentum(s, x);
  if (status) return status;
  jn_point_copy(s, x, s->now);
  s->t = t;
  s->t_low = 0;
  s->h_next = 0;
  s->err_old = 1e-4;
  s->has_signs = 0;
  forget(s);
  return JN_OK;
}

jn_status jn_simulation_set_motor(jn_simulation *s, const double *theta, const double *theta_dot) {
  if (!s || !s->ne || !theta || !theta_dot) return JN_ERR_ARGUMENT;
  size_t ne = (size_t)s->ne;
  if (!jn_all_finite(theta, ne) || !jn_all_finite(theta_dot, ne)) return JN_ERR_NOT_FINITE;
  memcpy(s->now.theta, theta, sizeof *theta * ne);
  memcpy(s->now.theta_dot, theta_dot, sizeof *theta * ne);
  forget(s);
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
  s->history = 0;
  return s->o.scheme == JN_VARIATIONAL ? jn_variational_momentum(s, s->next) : JN_OK;
}

/* Are all numbers of the state finite, also the velocities in the user's representation? */
static int is_finite(const jn_simulation *s, jn_point x) {
  if (s->nv) jn_edge_velocity(s, x.q, x.v, 0, s->at.a);
  return jn_all_finite(x.q, (size_t)s->np) && jn_all_finite(s->at.a, (size_t)s->nv);
}

static jn_status step(jn_simulation *s, double t_max, int *event) {
  double limit = t_max, end;
  const jn_forces *f = &s->o.forces;
  if (s->o.step > 0 && !(s->t + s->o.step > s->t)) return JN_ERR_LIMIT; /* t would not advance */
  if (f->next_break && !(s->o.step > 0)) {
    double at = f->next_break(f->time_context, s->t);
    if (at > s->t && at < limit) limit = at;
  }
  jn_point_copy(s, s->now, s->start);
  s->t_start = s->t;
  s->has_step = s->has_dense = 0;
  jn_status status = s->o.scheme == JN_TAYLOR        ? jn_taylor_step(s, limit)
                     : s->o.scheme == JN_VARIATIONAL ? jn_variational_step(s, limit)
                                                     : jn_rk_step(s, limit);
  if (status) return status;
  end = s->h;
  if (s->o.event_count > 0) {
    double time = end;
    if ((status = jn_find_event(s, &time, event))) return status;
    if (*event >= 0 && time < end && (status = cut_short(s, time))) return status;
    end = time;
  }
  if (!is_finite(s, s->next)) return JN_ERR_NOT_FINITE;
  jn_point_copy(s, s->next, s->now);
  int to_the_end = end == s->h && s->h == limit - s->t_start;
  advance_time(s, end);
  if (to_the_end) s->t = limit, s->t_low = 0;
  s->has_step = 1;
  s->statistics.steps++;
  s->statistics.last_step = end;
  return JN_OK;
}

jn_status jn_simulation_step(jn_simulation *s, double t_max, int *event) {
  int unused;
  if (!event) event = &unused;
  *event = -1;
  if (!s) return JN_ERR_ARGUMENT;
  if (isnan(t_max) || t_max < s->t) return JN_ERR_ARGUMENT;
  if (t_max == s->t) return JN_OK;
  jn_status status = step(s, t_max, event);
  if (status) {
    *event = -1;
    forget(s);
  }
  return status;
}

jn_status jn_simulation_run_to(jn_simulation *s, double t, int *event) {
  int met = -1;
  if (event) *event = -1;
  if (!s || !isfinite(t) || t < s->t) return JN_ERR_ARGUMENT;
  while (s->t < t && met < 0) {
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
    if (status) return status;
    if (!is_finite(s, x)) return JN_ERR_NOT_FINITE;
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
