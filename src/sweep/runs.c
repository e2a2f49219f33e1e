/* runs.c: what is computed for a sample. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "sweep/sweep.h"

/* Columns. */

enum { MOST = JN_MAX_NAME + 64 };

typedef struct namer {
  jn_sweep *s;
  const char **names;
  int count, failed;
} namer;

static void add(namer *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(namer *n, const char *format, ...) {
  char text[MOST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n->names && !(n->names[n->count] = jn_arena_copy(&n->s->arena, &n->s->hooks, text)))
    n->failed = 1;
  n->count++;
}

/* "''", or "^(3)" from the third derivative on */
static void order_mark(int k, char text[16]) {
  if (k < 3)
    snprintf(text, 16, "%.*s", k, "''");
  else
    snprintf(text, 16, "^(%d)", k);
}

/* "peak tau'':elbow" for every degree of freedom */
static void add_dofs(namer *n, const char *symbol, int k) {
  char dof[JN_MAX_NAME + 16], mark[16];
  order_mark(k, mark);
  for (int i = 0; i < jn_model_nv(n->s->model); i++) {
    jn_sweep_dof(n->s->model, i, dof, sizeof dof);
    add(n, "%s%s:%s", symbol, mark, dof);
  }
}

/* "lambda':pin:0" for every row of the constraints */
static void add_rows(namer *n, int k) {
  char mark[16];
  order_mark(k, mark);
  for (int i = 0; i < jn_model_constraint_count(n->s->model); i++) {
    const jn_constraint *c = jn_model_constraint(n->s->model, i);
    for (int r = 0; r < c->rows; r++) add(n, "lambda%s:%s:%d", mark, c->name, r);
  }
}

/* whether the quantity has a limit in some sample */
static int is_limited(const jn_sweep *s, int row, int kind) {
  const jn_limit_range *r = &s->range[row * JN_LIMIT_KINDS + kind];
  if (isfinite(r->low) || isfinite(r->high)) return 1;
  for (int i = 0; i < s->parameters; i++)
    if (s->parameter[i].target == SET_LIMIT && s->parameter[i].index == row &&
        s->parameter[i].component % JN_LIMIT_KINDS == kind)
      return 1;
  return 0;
}

static void name_results(namer *n) {
  jn_sweep *s = n->s;
  char text[JN_MAX_NAME + 16];
  const int nv = jn_model_nv(s->model);
  switch (s->run) {
    case RUN_ID:
      for (int k = 0; k <= s->order; k++) add_dofs(n, "tau", k);
      for (int k = 0; k <= s->order; k++) add_rows(n, k);
      break;
    case RUN_FD:
      for (int k = 1; k <= s->order + 1; k++) add_dofs(n, "v", k);
      for (int k = 0; k <= s->order; k++) add_rows(n, k);
      break;
    case RUN_TRAJ:
      for (int k = 0; k <= s->order; k++) add_dofs(n, "peak tau", k);
      add_dofs(n, "rms tau", 0);
      add(n, "peak power");
      break;
    case RUN_LIMITS:
      add(n, "used");
      add(n, "speed");
      add(n, "broken");
      for (int i = 0; i < jn_limit_rows(s->model) * JN_LIMIT_KINDS; i++) {
        const int row = i / JN_LIMIT_KINDS, kind = i % JN_LIMIT_KINDS;
        if (!is_limited(s, row, kind)) continue;
        if (row < nv)
          jn_sweep_dof(s->model, row, text, sizeof text);
        else
          jn_limit_row_name(s->model, row, text, sizeof text);
        add(n, "used %s:%s", jn_limit_quantity(s->model, row, (jn_limit_kind)kind), text);
      }
      break;
    case RUN_RETIME:
      add(n, "duration");
      break;
    default:
      if (s->control.given) {
        for (int k = 0; k < 2; k++) add_dofs(n, "peak tau", k);
        add_dofs(n, "error", 0);
      }
      add_dofs(n, "peak v", 0);
      for (int i = 0; i < jn_model_nq(s->model); i++) {
        jn_coordinate_name(s->model, i, text);
        add(n, "final q:%s", text);
      }
      add_dofs(n, "final v", 0);
  }
}

static void name_columns(namer *n) {
  const jn_sweep *s = n->s;
  for (int i = s->fixed; i < s->parameters; i++) add(n, "%s", s->parameter[i].name);
  name_results(n);
  add(n, "status");
}

static void name_channels(namer *n) {
  const jn_sweep *s = n->s;
  const int forces = s->run == RUN_TRAJ || (s->run == RUN_SIMULATE && s->control.given);
  if (forces) add_dofs(n, "tau", 0);
  if (forces && (s->run == RUN_SIMULATE || s->order > 0)) add_dofs(n, "tau", 1);
  if (s->run == RUN_SIMULATE && !forces) add_dofs(n, "v", 0);
}

static jn_status make_names(jn_sweep *s, void (*names)(namer *n), int *count,
                            const char *const **out) {
  namer n = {s, NULL, 0, 0};
  names(&n);
  n.names = jn_arena_new(&s->arena, &s->hooks, sizeof *n.names * ((size_t)n.count + 1));
  if (!n.names) return JN_ERR_MEMORY;
  *count = n.count;
  n.count = 0;
  names(&n);
  *out = n.names;
  return n.failed ? JN_ERR_MEMORY : JN_OK;
}

jn_status jn_sweep_name(jn_sweep *s) {
  jn_status status = make_names(s, name_columns, &s->info.columns, &s->info.names);
  if (status) return status;
  s->info.parameters = s->parameters - s->fixed;
  return make_names(s, name_channels, &s->info.channels, &s->info.channel_names);
}

/* Runs. */

/* The closed motion of a model with constraints, from where the trajectory has its joints at the start;
 * NULL: the open tree. */
static const jn_closed_motion *begin_closed(jn_sweep_worker *w, jn_closed_motion *closed,
                                            jn_status *status) {
  const jn_sweep *s = w->sweep;
  double *q = w->spare_numbers; /* that of the controller, which such a model has not */
  *status = JN_OK;
  if (!s->driven) return NULL;
  *status = jn_trajectory_at(w->motion, jn_trajectory_start(w->motion), -1, JN_BODY, q, NULL);
  *closed = (jn_closed_motion){s->driven, q, NULL};
  return closed;
}

/* row k of results keeps the largest |x| */
static void keep_peak(double *to, const double *x, int n) {
  for (int i = 0; i < n; i++) to[i] = fmax(to[i], fabs(x[i]));
}

static void to_band(const jn_sweep *s, double *band, int channel, int instant, const double *x,
                    int n) {
  for (int i = 0; band && i < n; i++)
    band[(size_t)(channel + i) * (size_t)s->instants + (size_t)instant] = x[i];
}

static double instant(const jn_sweep *s, double start, double end, int k) {
  return k == s->instants - 1 ? end : start + (end - start) * k / (s->instants - 1);
}

static jn_status run_traj(jn_sweep_worker *w, double *x, double *band) {
  const jn_sweep *s = w->sweep;
  const int nv = jn_model_nv(s->model);
  const double start = jn_trajectory_start(w->motion), end = jn_trajectory_end(w->motion);
  double *rms = x + nv * (s->order + 1), *most = rms + nv, *near = w->spare_numbers;
  jn_closed_motion room;
  jn_status status;
  const jn_closed_motion *closed = begin_closed(w, &room, &status);
  if (status) return status;
  for (int k = 0; k < s->instants; k++) {
    const double t = instant(s, start, end, k);
    double power = 0;
    status =
        jn_closed_motion_at(w->model, w->data, w->motion, closed, t, s->order, near, w->q, w->v);
    if (!status)
      status = closed ? jn_constrained_inverse_dynamics(w->model, w->data, s->order, w->q, w->v,
                                                        NULL, NULL, w->tau, NULL)
                      : jn_inverse_dynamics(w->model, w->data, s->order, w->q, w->v, NULL, w->tau);
    if (status) return status;
    if (closed) memcpy(near, w->q, (size_t)jn_model_nq(s->model) * sizeof *near);
    keep_peak(x, w->tau, nv * (s->order + 1));
    for (int i = 0; i < nv; i++) {
      rms[i] += w->tau[i] * w->tau[i];
      power += w->tau[i] * w->v[i];
    }
    *most = fmax(*most, fabs(power));
    to_band(s, band, 0, k, w->tau, nv * (s->order > 0 ? 2 : 1));
  }
  for (int i = 0; i < nv; i++) rms[i] = sqrt(rms[i] / s->instants);
  return JN_OK;
}

/* the limits of the model with those of the parameters */
static void set_limits(jn_sweep_worker *w) {
  const jn_sweep *s = w->sweep;
  const size_t size = sizeof *w->range * (size_t)jn_limit_rows(s->model) * JN_LIMIT_KINDS;
  memcpy(w->range, s->range, size);
  for (int i = 0; i < s->parameters; i++) {
    const sweep_parameter *p = &s->parameter[i];
    if (p->target != SET_LIMIT) continue;
    jn_limit_range *r = &w->range[p->index * JN_LIMIT_KINDS + p->component % JN_LIMIT_KINDS];
    if (p->component != JN_LIMIT_KINDS && p->component != JN_LIMIT_POSITION) r->low = -w->value[i];
    if (p->component == JN_LIMIT_POSITION)
      r->low = w->value[i];
    else
      r->high = w->value[i];
  }
}

static jn_status run_limits(jn_sweep_worker *w, double *x) {
  const jn_sweep *s = w->sweep;
  jn_limit_check *check = NULL;
  set_limits(w);
  jn_closed_motion room;
  jn_status status;
  const jn_closed_motion *closed = begin_closed(w, &room, &status);
  if (!status)
    status = jn_limit_check_closed(w->model, w->data, w->motion, closed, w->range, s->instants,
                                   &w->hooks, &check, NULL);
  if (status) return status;
  const double scale = jn_limit_check_scale(check);
  double *used = x + 3;
  x[1] = scale > 0 ? 1 / scale : 0;
  x[2] = jn_limit_check_broken(check);
  for (int i = 0; i < jn_limit_rows(s->model) * JN_LIMIT_KINDS; i++) {
    if (!is_limited(s, i / JN_LIMIT_KINDS, i % JN_LIMIT_KINDS)) continue;
    *used =
        jn_limit_check_peak(check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS))->used;
    x[0] = fmax(x[0], *used++);
  }
  jn_limit_check_free(check);
  return JN_OK;
}

static jn_status run_retime(jn_sweep_worker *w, double *x) {
  jn_trajectory *motion = NULL;
  jn_retime_report report;
  set_limits(w);
  jn_status status =
      jn_retime(w->model, w->data, w->motion, w->range, NULL, &w->hooks, &motion, &report, NULL);
  if (!status) x[0] = report.duration;
  jn_trajectory_free(motion);
  return status;
}

/* Simulation. */

static jn_status feedback(void *context, double t, const double *q, const double *v, double *tau) {
  return jn_sweep_control(context, t, q, v, tau);
}

static jn_status open_simulation(jn_sweep_worker *w, double start, jn_simulation **out) {
  const jn_sweep *s = w->sweep;
  jn_simulation_options o = jn_simulation_options_default();
  o.scheme = s->scheme;
  if (s->tolerance > 0) o.tolerance = s->tolerance;
  o.step = s->step;
  o.representation = s->representation;
  o.strict = s->strict;
  o.forces.tau = w->tau;
  o.forces.model_damping = s->damping;
  if (s->control.given) {
    o.forces.state = feedback;
    o.forces.state_context = w;
    o.resolution = HUGE_VAL;
  }
  jn_status status = jn_simulation_new(w->model, &o, &w->hooks, out, NULL);
  return status ? status : jn_simulation_set_state(*out, start, w->q, w->v);
}

/* the results at instant k, where q and v are w->q and w->v */
static jn_status measure(jn_sweep_worker *w, int k, double t, double *x, double *band) {
  const jn_sweep *s = w->sweep;
  const int nv = jn_model_nv(s->model);
  if (!s->control.given) {
    keep_peak(x, w->v, nv);
    to_band(s, band, 0, k, w->v, nv);
    return JN_OK;
  }
  double *tau = w->a + nv;
  jn_status status = jn_sweep_control(w, t, w->q, w->v, tau);
  /* the constant forces in w->tau are a disturbance */
  for (int i = 0; i < nv && !status; i++) tau[i] += w->tau[i];
  if (!status) status = jn_forward_dynamics(w->model, w->data, 0, w->q, w->v, tau, NULL, w->a);
  if (!status) status = jn_sweep_control_rate(w, t, w->q, w->v, w->a, tau, w->e, w->rate);
  if (status) return status;
  keep_peak(x, tau, nv);
  keep_peak(x + nv, w->rate, nv);
  keep_peak(x + 2 * nv, w->e, nv);
  keep_peak(x + 3 * nv, w->v, nv);
  to_band(s, band, 0, k, tau, nv);
  to_band(s, band, nv, k, w->rate, nv);
  return JN_OK;
}

enum { MOST_STEPS = 1000000 };

static jn_status advance(jn_sweep_worker *w, jn_simulation *sim, double start, double end,
                         double *x, double *band) {
  const jn_sweep *s = w->sweep;
  double t = start;
  int k = 1;
  jn_status status = measure(w, 0, start, x, band);
  for (int steps = 0; k < s->instants && !status; steps++) {
    if (steps == MOST_STEPS) return JN_ERR_LIMIT;
    status = jn_simulation_step(sim, end, NULL);
    if (!status) status = jn_simulation_state(sim, &t, NULL, NULL);
    while (!status && k < s->instants && instant(s, start, end, k) <= t) {
      const double at = instant(s, start, end, k);
      status = jn_simulation_at(sim, at, w->q, w->v);
      if (!status) status = measure(w, k++, at, x, band);
    }
  }
  return status;
}

static jn_status run_simulate(jn_sweep_worker *w, double *x, double *band) {
  const jn_sweep *s = w->sweep;
  const size_t nq = (size_t)jn_model_nq(s->model), nv = (size_t)jn_model_nv(s->model);
  const double start = s->control.given ? jn_trajectory_start(w->motion) : 0,
               last = s->control.given ? jn_trajectory_end(w->motion) : HUGE_VAL,
               end = s->time > 0 ? start + s->time : last;
  jn_simulation *sim = NULL;
  if (end - last > 1e-12 * (last - start)) return JN_ERR_ARGUMENT;
  jn_status status = open_simulation(w, start, &sim);
  if (!status) status = advance(w, sim, start, end, x, band);
  if (!status) {
    double *final = x + (s->control.given ? 4 : 1) * nv;
    memcpy(final, w->q, nq * sizeof *final);
    memcpy(final + nq, w->v, nv * sizeof *final);
  }
  jn_simulation_free(sim);
  return status;
}

jn_status jn_sweep_run_one(jn_sweep_worker *w, double *results, double *band) {
  const jn_sweep *s = w->sweep;
  const size_t nv = (size_t)jn_model_nv(s->model), rows = (size_t)s->order + 1;
  jn_status status = JN_OK;
  switch (s->run) {
    case RUN_ID:
      status = s->driven ? jn_constrained_inverse_dynamics(w->model, w->data, s->order, w->q, w->v,
                                                           NULL, NULL, w->a, results + rows * nv)
                         : jn_inverse_dynamics(w->model, w->data, s->order, w->q, w->v, NULL, w->a);
      if (!status) memcpy(results, w->a, rows * nv * sizeof *results);
      return status;
    case RUN_FD:
      status =
          s->driven
              ? jn_constrained_forward_dynamics(w->model, w->data, s->order, w->q, w->v, w->tau,
                                                NULL, NULL, w->a, results + rows * nv)
              : jn_forward_dynamics(w->model, w->data, s->order, w->q, w->v, w->tau, NULL, w->a);
      if (!status) memcpy(results, w->a, rows * nv * sizeof *results);
      return status;
    case RUN_TRAJ:
      return run_traj(w, results, band);
    case RUN_LIMITS:
      return run_limits(w, results);
    case RUN_RETIME:
      return run_retime(w, results);
    default:
      return run_simulate(w, results, band);
  }
}
