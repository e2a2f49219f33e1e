/* rk.c: Runge-Kutta-Munthe-Kaas schemes, that is Runge-Kutta in the chart q = q_start exp(xi).
 * dexp^-1 is used in closed form: its series is not truncated. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "integrate/simulation.h"
#include "model/data.h"

/* lower bounds of the error in the step controller, in units of the tolerance */
#define LEAST_ERROR 1e-10
#define LEAST_RATE 1e-3 /* 1/s, for the first step from rest */
#define LEAST_OLD_ERROR 1e-4

typedef struct tableau {
  int stages;
  double c[7], a[7][6], b[7];
} tableau;

static const tableau classical = {
    4, {0, 0.5, 0.5, 1}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

/* first same as last: the seventh stage is the first stage of the next step */
static const tableau dormand_prince = {
    6,
    {0, 0.2, 0.3, 0.8, 8.0 / 9, 1},
    {{0},
     {0.2},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};

/* b - b^ of the embedded method, and the last coefficient of the interpolant (Hairer, Norsett,
 * Wanner, II.6) */
static const double error_weights[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                        -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double dense_weights[7] = {-12715105075.0 / 11282082432,  0,
                                        87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                        701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                        69997945.0 / 29380423};

/* Weights of the stages for the impulse of a force and its moment: b, and b2_j = sum_i b_i a_ij. */
static jn_weights weights_of(const tableau *T) {
  jn_weights w = {.stages = T->stages, .gap = 0.5};
  for (int j = 0; j < T->stages; j++) {
    w.b[j] = T->b[j];
    for (int i = j + 1; i < T->stages; i++) w.b2[j] += T->b[i] * T->a[i][j];
  }
  return w;
}

/* Stores the user's forces of stage j, if they are watched. */
static void record(jn_simulation *s, int j) {
  s->record = s->watched ? s->at.push + (size_t)j * (size_t)s->nv : NULL;
}

/* sum_j w_j k_j, j < count, of coordinate i */
static double combine(const jn_simulation *s, const double *w, int count, size_t i) {
  double sum = 0;
  for (int j = 0; j < count; j++)
    if (w[j] != 0) sum += w[j] * s->at.k[(size_t)j * (size_t)s->n + i];
  return sum;
}

/* y_end after a step of length h, and its derivative in k[6] */
static jn_status stages(jn_simulation *s, const tableau *T, double h) {
  size_t n = (size_t)s->n;
  double *y = s->at.y, *y_end = s->at.y_end;
  jn_status status;
  for (int j = 1; j < T->stages; j++) {
    jn_chart_start(s, y);
    for (size_t i = 0; i < n; i++) y[i] += h * combine(s, T->a[j], j, i);
    record(s, j);
    status = jn_chart_derivative(s, s->t_start + T->c[j] * h, y, s->at.k + (size_t)j * n);
    if (status) return status;
  }
  jn_chart_start(s, y_end);
  for (size_t i = 0; i < n; i++) y_end[i] += h * combine(s, T->b, T->stages, i);
  record(s, 6);
  return jn_chart_derivative(s, s->t_start + h, y_end, s->at.k + 6 * n);
}

/* If the last step ended here, k[6] is reused; only the part that depends on the chart is set
 * again: xi' = v at xi = 0. */
jn_status jn_first_stage(jn_simulation *s) {
  size_t n = (size_t)s->n, nv = (size_t)s->nv;
  double *k = s->at.k;
  if (!s->has_rate) {
    jn_chart_start(s, s->at.y);
    record(s, 0);
    jn_status status = jn_chart_derivative(s, s->t_start, s->at.y, k);
    if (status) return status;
  } else {
    size_t first = s->o.scheme == JN_MOMENTUM ? 6 : 0;
    memcpy(k, k + 6 * n, sizeof *k * n);
    if (s->watched && nv) memcpy(s->at.push, s->at.push + 6 * nv, sizeof *k * nv);
    memcpy(k, s->start.v, sizeof *k * (first ? 3 : nv));
    memcpy(k + first, s->start.v + first, sizeof *k * (nv - first));
  }
  s->has_rate = 0;
  return JN_OK;
}

double jn_scaled_error(const jn_simulation *s, const double *e) {
  size_t n = (size_t)s->n, nv = (size_t)s->nv;
  size_t first = s->o.scheme == JN_MOMENTUM ? 6 : 0;
  double scale = 1 + jn_largest(s->at.y_end + nv + first, n - nv - first);
  double heavy = first ? 1 + jn_largest(s->at.y_end + nv, 6) : 1, worst = 0;
  for (size_t i = 0; i < n; i++) {
    const double x = fabs(e[i]) / (i < nv ? 1 : i < nv + first ? heavy : scale);
    if (!(x <= worst)) worst = x;
  }
  return worst / s->o.tolerance;
}

/* Difference of the pair, in units of the tolerance. */
static double step_error(const jn_simulation *s, double h) {
  double *e = s->at.y;
  for (size_t i = 0; i < (size_t)s->n; i++) e[i] = h * combine(s, error_weights, 7, i);
  return jn_scaled_error(s, e);
}

/* A fraction of the time scale on which the state changes, for an error estimate of order
 * `order`. */
double jn_first_step(const jn_simulation *s, double order) {
  size_t n = (size_t)s->n, nv = (size_t)s->nv;
  double scale = 1 + jn_largest(s->start.v, (size_t)nv);
  double rate = jn_largest(s->at.k, (size_t)nv) + jn_largest(s->at.k + nv, n - nv) / scale;
  return 0.5 * jn_pow(s->o.tolerance, 1 / order) / (rate > LEAST_RATE ? rate : LEAST_RATE);
}

static void finish(jn_simulation *s, double h, int pair) {
  size_t n = (size_t)s->n;
  s->h = h;
  for (size_t i = 0; i < n; i++) s->at.dense[i] = pair ? h * combine(s, dense_weights, 7, i) : 0.0;
  s->has_dense = s->has_rate = 1;
  jn_point_copy(s, s->trial, s->next); /* the last stage was evaluated at y_end */
}

/* PI controller; a step shortened by t_max does not reduce the next one */
static void choose_next(jn_simulation *s, const jn_trial *trial, double error) {
  double e = error > LEAST_ERROR ? error : LEAST_ERROR;
  double factor = 0.9 * jn_pow(e, -0.17) * jn_pow(s->err_old, 0.04);
  factor = factor > 5 ? 5 : factor < 0.2 ? 0.2 : trial->count && factor > 1 ? 1 : factor;
  double next = trial->h * factor;
  s->h_next = trial->h < trial->wish && next < trial->wish ? trial->wish : next;
  s->err_old = e > LEAST_OLD_ERROR ? e : LEAST_OLD_ERROR;
}

static jn_status adaptive_step(jn_simulation *s, const tableau *T, double t_max) {
  const jn_weights weights = s->watched ? weights_of(T) : (jn_weights){0};
  if (!(s->h_next > 0)) s->h_next = jn_first_step(s, 5);
  jn_trial trial = jn_trial_new(s, s->h_next);
  for (;;) {
    double error = HUGE_VAL, missed = 0, cut = HUGE_VAL;
    jn_trial_begin(s, &trial, t_max);
    jn_status status = stages(s, T, trial.h);
    if (!status) {
      error = step_error(s, trial.h);
      finish(s, trial.h, 1);
    }
    if (error <= 1) status = jn_watch(s, &weights, &missed, &cut);
    if (error <= 1) jn_look_for_slips(s, &missed, &cut);
    const int end = jn_trial_ends(s, &trial, fmax(error, missed), &status);
    if (end > 0) choose_next(s, &trial, error);
    if (end) return status;
    double factor = status             ? 0.2
                    : missed > 1       ? 0.5
                    : error < HUGE_VAL ? 0.9 * jn_pow(error, -0.2)
                                       : 0.2;
    trial.wish = fmin(trial.h * (factor < 0.2 ? 0.2 : factor), cut);
  }
}

jn_status jn_rk_step(jn_simulation *s, double t_max) {
  int pair = s->o.scheme == JN_RKMK54 || (s->o.scheme == JN_MOMENTUM && !(s->o.step > 0));
  const tableau *T = pair ? &dormand_prince : &classical;
  jn_status status = jn_first_stage(s);
  if (status) return status;
  if (!(s->o.step > 0)) return adaptive_step(s, T, t_max);
  double h = jn_clip_step(s, s->o.step, t_max);
  if ((status = stages(s, T, h))) return status;
  finish(s, h, pair);
  return JN_OK;
}
