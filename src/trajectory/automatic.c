/* automatic.c: recorded numbers of joints become splines with variances. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trajectory/recording.h"
#include "trajectory/trajectory.h"

/* One fit of several joints. */
#define ROUNDING 2.3e-16             /* of a time, relative */
#define LEAST_CELL 1e9               /* roundings of the times */
static const double most_motion = 3; /* at rest, in half widths of bands */
typedef struct automatic {
  jn_trajectory *T;
  int count, from_iq;
  const double *times, *q; /* [count], [count x nq] */
  size_t nq;
  double *t, *y; /* [count] from 0; [MOST_NUMBERS x count] */
  const jn_fit_options *o;
  const jn_fit_report *report;
  jn_error *error;
  fit_space space;
} automatic;

static int is_constant(const double *y, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (y[i] != y[0]) return 0;
  return 1;
}

/* y = columns iq .. iq + numbers - 1 */
static void take_columns(automatic *f, int iq, int numbers) {
  const size_t n = (size_t)f->count, column = (size_t)(iq - f->from_iq);
  for (size_t k = 0; k < (size_t)numbers; k++)
    for (size_t i = 0; i < n; i++) f->y[k * n + i] = f->q[i * f->nq + column + k];
}

/* x^(k), k > 0, of a number and its variance at cell j, u of the way through it. */
static double value(const recording *r, int number, int j, double u, int k, double *variance) {
  const smoother *m = r->m;
  const int w = m->u->degree + 1;
  const double *c = m->c + (size_t)number * (size_t)m->u->controls + j;
  double b[WIDEST], x = 0;
  jn_uniform_basis(m->u, u, k, b);
  for (int a = 0; a < w; a++) x += b[a] * c[a];
  *variance = m->sigma2 * m->V[(size_t)m->u->controls * (size_t)w + (size_t)j] *
              jn_smoother_variance(m, j, b, b);
  return x;
}

/* The highest derivative whose band is narrower than the derivative is large, both as root mean
 * squares over the motion. */
static int reliable_order(const recording *r, int number) {
  const int cells = r->m->u->cells, every = cells > 4096 ? cells / 4096 : 1;
  int k = 0;
  for (; k + 1 < r->m->u->degree; k++) {
    double squares = 0, variances = 0, variance;
    for (int j = 0; j < cells; j += every) {
      const double x = value(r, number, j, 0.5, k + 1, &variance);
      squares += x * x;
      variances += variance;
    }
    if (!(BAND * BAND * variances < squares)) break;
  }
  return k;
}

static void write_report(const automatic *f, recording *r, int iq, int number) {
  const jn_fit_report *out = f->report;
  const smoother *m = r->m;
  if (!out) return;
  const size_t at = (size_t)(iq + number - f->from_iq);
  double squares = 0, most = 0, lambda = HUGE_VAL, product;
  if (m) {
    const size_t y = (size_t)number * (size_t)f->count, c = (size_t)number * (size_t)m->u->controls;
    jn_uniform_residual(m->u, &r->s, r->s.y + y, m->c + c, r->residual, NULL, &product);
    for (int i = 0; i < f->count; i++) {
      if (r->s.w && !(r->s.w[i] > 0)) continue;
      squares += r->residual[i] * r->residual[i];
      most = fmax(most, fabs(r->residual[i]));
    }
  }
  for (int k = 0; m && k < m->rows; k++) lambda = fmin(lambda, m->lambda[k]);
  if (out->rms) out->rms[at] = m ? sqrt(squares / r->s.used) : 0;
  if (out->max) out->max[at] = most;
  if (out->lambda) out->lambda[at] = m ? lambda : 0;
  if (out->degree) out->degree[at] = m ? m->u->degree : 0;
  if (out->noise) out->noise[at] = r->noise;
  if (out->correlation) out->correlation[at] = r->z.correlation;
  if (out->cutoff) out->cutoff[at] = r->cutoff;
  if (out->step) out->step[at] = r->step;
  if (out->outliers) out->outliers[at] = r->outliers;
  if (out->reliable) out->reliable[at] = m ? reliable_order(r, number) : f->o->degree - 1;
}

static jn_status refuse_motion(const automatic *f, int iq, const char *where) {
  char name[32] = "";
  if (f->nq > 1) snprintf(name, sizeof name, "q[%d]: ", iq);
  return jn_fail(
      f->error, JN_ERR_FIT, NULL, 0,
      "%sthe motion does not rest at its %s: leave its ends free (ends, --ends free), or "
      "accept it (force, --force)",
      name, where);
}

static jn_status refuse(const automatic *f, int iq, const recording *r) {
  char name[32] = "";
  if (f->nq > 1) snprintf(name, sizeof name, "q[%d]: ", iq);
  return jn_fail(f->error, JN_ERR_FIT, NULL, 0,
                 "%sthe fit of the samples cannot be trusted: %s; give the noise (tolerance, "
                 "--tolerance in the program; 0: through every sample)%s",
                 name, r->why, r->m ? ", or accept it (force, --force)" : "");
}

/* Fits the numbers in y; `cells` as in recording_options. Nothing moves, or nothing is found: r->m
 * is NULL, the status JN_OK. */
static jn_status find_numbers(automatic *f, int numbers, int cells, int ends, recording *r) {
  const recording_options o = {.cells = cells,
                               .rest = {ends & JN_REST_AT_START, ends & JN_REST_AT_END},
                               .keep_outliers = f->o->keep_outliers};
  int moves = 0;
  memset(r, 0, sizeof *r);
  for (int k = 0; k < numbers; k++) {
    const double *y = f->y + (size_t)k * (size_t)f->count;
    moves |= !is_constant(y, (size_t)f->count);
    r->mean[k] = y[0];
  }
  return moves ? jn_recording_fit(&f->space, f->count, f->t, numbers, f->y, &o, r) : JN_OK;
}

static jn_status fit_numbers(automatic *f, int iq, int numbers, int cells, recording *r) {
  jn_status status = find_numbers(f, numbers, cells, f->o->ends, r);
  if (status) return status;
  if (r->why[0] && !(f->o->force && r->m)) return refuse(f, iq, r);
  if (!r->m) return JN_OK;
  /* cells much longer than the rounding of the times */
  if (!(r->m->u->h > LEAST_CELL * ROUNDING * (fabs(f->times[0]) + f->t[f->count - 1])))
    return jn_fail(f->error, JN_ERR_FIT, NULL, 0,
                   "times far from zero lose the digits of the derivatives: subtract the first "
                   "from all");
  return JN_OK;
}

/* How far x' and x'' of a number are from zero at the start or the end, in half widths of bands:
 *
 *   d^2 = x^T C^-1 x / 1.96^2,   x = (x', x''),   C = L L^T its covariance */
static double motion_at(const recording *r, int number, int end) {
  const smoother *m = r->m;
  const uniform *u = m->u;
  const int j = end ? u->cells - 1 : 0;
  double b[2][WIDEST], C[2], x[2];
  for (int k = 0; k < 2; k++) {
    jn_uniform_basis(u, end, k + 1, b[k]);
    x[k] = value(r, number, j, end, k + 1, &C[k]);
  }
  const double factor = m->sigma2 * m->V[(size_t)u->controls * (size_t)(u->degree + 1) + (size_t)j],
               slope = factor * jn_smoother_variance(m, j, b[0], b[1]) / C[0];
  const double left = x[1] - slope * x[0], variance = C[1] - slope * slope * C[0];
  return sqrt(x[0] * x[0] / C[0] + (variance > 0 ? left * left / variance : 0)) / BAND;
}

/* Where rest is asked for, a fit with free ends must not move. */
static jn_status check_rest(automatic *f, int iq, int numbers, int cells) {
  static const char *const names[] = {"start", "end"};
  static const int rest[] = {JN_REST_AT_START, JN_REST_AT_END};
  recording r;
  if (!f->o->ends || f->o->force) return JN_OK;
  jn_status status = find_numbers(f, numbers, cells, JN_FIT_ENDS_FREE, &r);
  for (int end = 0; end < 2 && !status && r.m; end++)
    for (int k = 0; k < numbers && f->o->ends & rest[end] && !status; k++)
      if (!(motion_at(&r, k, end) < most_motion)) status = refuse_motion(f, iq + k, names[end]);
  jn_recording_free(f->T, &r);
  return status;
}

/* Power coefficients of a number, in column `column` of the spline; r->m NULL: constant. */
static void fill_spline(jn_spline *s, const recording *r, int number, int column) {
  const smoother *m = r->m;
  const size_t w = (size_t)s->degree + 1, n = (size_t)s->n;
  for (int j = 0; j < s->pieces; j++) {
    double *c = s->c + (size_t)j * w * n + (size_t)column;
    for (size_t k = 0; m && k < w; k++) {
      const double *x = m->c + (size_t)number * (size_t)m->u->controls + j;
      double sum = 0;
      for (size_t a = 0; a < w; a++) sum += m->u->piece[k * w + a] * x[a];
      c[k * n] = sum;
    }
    c[0] += r->mean[number];
  }
}

/* A spline on equal cells; cells 0: a constant. */
static jn_status new_spline(automatic *f, int cells, int numbers, int *index) {
  const int pieces = cells ? cells : 1;
  const double start = f->times[0], end = f->times[f->count - 1];
  const jn_spline shape = {.pieces = pieces, .degree = cells ? f->o->degree : 0, .n = numbers};
  jn_status status = jn_spline_new(f->T, shape, index);
  if (status) return status;
  double *at = f->T->spline[*index].breaks;
  for (int j = 0; j < pieces; j++) at[j] = start + f->t[f->count - 1] / pieces * j;
  at[pieces] = end;
  return JN_OK;
}

/* The variance of number iq; takes over V of the fit. */
static void take_variance(automatic *f, recording *r, int iq, int numbers) {
  for (int k = 0; k < numbers; k++) {
    jn_variance *v = &f->T->variance[iq + k];
    *v = (jn_variance){.kind = JN_VARIANCE_KNOWN};
    if (!r->m) continue;
    v->degree = r->m->u->degree;
    v->cells = r->m->u->cells;
    v->start = f->times[0];
    v->h = r->m->u->h;
    v->sigma2 = r->m->sigma2;
    v->rounding = r->rounding;
    v->shared = k > 0;
    v->V = k > 0 ? v[-1].V : r->m->V;
  }
  if (r->m) r->m->V = NULL;
}

/* A joint is fitted by groups: the four numbers of a quaternion, and every other number by itself.
 * All share their cells: the finest that a group needs. */
static jn_status fit_joint(automatic *f, int joint) {
  const jn_joint *j = &f->T->joint[joint];
  const int turns = j->nq != j->nv ? 4 : 0, groups = j->nq - turns + (turns > 0);
  jn_motion *m = &f->T->motion[joint];
  int cells = f->o->pieces, index = -1;
  jn_status status = JN_OK;
  for (int pass = groups > 1 && !cells ? 0 : 1; pass < 2; pass++)
    for (int first = 0, size; first < j->nq && !status; first += size) {
      recording r = {0};
      size = first < turns ? turns : 1;
      take_columns(f, j->iq + first, size);
      if (pass) status = check_rest(f, j->iq + first, size, cells);
      if (!status) status = fit_numbers(f, j->iq + first, size, pass ? cells : 0, &r);
      if (!status && r.m && r.m->u->cells > cells) cells = r.m->u->cells;
      if (!status && pass && index < 0) status = new_spline(f, cells, j->nq, &index);
      for (int k = 0; k < size && !status && pass; k++) {
        fill_spline(&f->T->spline[index], &r, k, first + k);
        write_report(f, &r, j->iq + first, k);
      }
      if (!status && pass) take_variance(f, &r, j->iq + first, size);
      jn_recording_free(f->T, &r);
    }
  m->spline = m->rotation_spline = index;
  m->rotation = turns ? JN_CURVE_QUATERNION : JN_CURVE_NONE;
  m->rotation_first = 0;
  m->first = turns;
  return status;
}

static jn_status beyond_limit(jn_error *error) {
  return jn_fail(error, JN_ERR_LIMIT, NULL, 0,
                 "the fit needs more memory or time than a file of this size may ask for: take a "
                 "lower degree or fewer pieces");
}

jn_status jn_add_recording(jn_trajectory *T, int from, int to, int count, const double *times,
                           const double *q, size_t nq, const jn_fit_options *o,
                           const jn_fit_report *report, jn_error *error) {
  automatic f = {T, count, T->joint[from].iq, times, q, nq, NULL, NULL, o, report, error, {0}};
  jn_status status = JN_OK;
  if (count < FEWEST_SAMPLES && !o->force)
    return jn_fail(error, JN_ERR_FIT, NULL, 0,
                   "%d samples cannot tell motion from noise: give at least %d, or the noise "
                   "(tolerance, --tolerance in the program; 0: through every sample)",
                   count, FEWEST_SAMPLES);
  const size_t row = (1 + MOST_NUMBERS) * sizeof *f.t;
  if (jn_afford(T, (size_t)count, row, 0)) return beyond_limit(error);
  f.t = jn_block_new(&T->hooks, (size_t)count, row);
  if (!f.t) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  f.y = f.t + count;
  for (int i = 0; i < count; i++) f.t[i] = times[i] - times[0];
  jn_fit_space_init(&f.space, T, o->degree);
  for (int i = from; i < to && !status; i++) {
    if (T->joint[i].nq > 0) status = fit_joint(&f, i);
  }
  jn_fit_space_free(&f.space);
  jn_block_free(&T->hooks, f.t);
  jn_repay(T, (size_t)count * row);
  if (status == JN_ERR_MEMORY) return jn_fail(error, status, NULL, 0, "out of memory");
  if (status == JN_ERR_LIMIT) return beyond_limit(error);
  return status;
}
