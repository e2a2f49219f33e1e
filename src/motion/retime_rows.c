/* retime_rows.c: the rows of the problem: every limit at every point of a grid. */
#include <jounce/dynamics.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/clock_cost.h"
#include "motion/retime.h"
#include "motion/tool.h"

enum { STATES = JN_RETIME_STATES };
static const double no_motion = 1e-12; /* of a joint along the path */
static const double widest_cap = 1e4;  /* of b, relative to the uniform clock */
static const double unlimited = 1e6;   /* the other side of a one-sided limit, relative to it */
static const double least = 1e-100;    /* of b: slower is not computed */
static const double inside = 1e-9;     /* a static force this near to its limit leaves no room */

/* Failures. */

/* Keeps the worst breach that no clock can change. */
static void note_breach(retiming *x, int iv, jn_limit_kind kind, double u, double value,
                        double limit, const char *remedy) {
  const double size = fabs(value - limit) / fmax(fabs(limit), JN_LEAST_LIMIT);
  if (x->breach.remedy && size <= x->breach.size) return;
  x->breach = (limit_breach){iv, kind, u, value, limit, size, remedy};
}

/* The limits of one quantity alone, a limit of zero as 1: so that its peak is the farthest from zero. */
static void range_alone(const retiming *x, int iv, jn_limit_kind kind, jn_limit_range *range) {
  const jn_limit_range *r = &x->range[iv * JN_LIMIT_KINDS + (int)kind];
  for (int i = 0; i < x->rows * JN_LIMIT_KINDS; i++)
    range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
  jn_limit_range *to = &range[iv * JN_LIMIT_KINDS + (int)kind];
  if (r->low != 0 && r->high != 0)
    *to = *r;
  else
    *to = (jn_limit_range){r->low == 0 ? -1 : -HUGE_VAL, r->high == 0 ? 1 : HUGE_VAL};
}

/* Names the peak of one quantity along the path at its own speed. */
static jn_status fail_at_peak(const retiming *x, int iv, jn_limit_kind kind) {
  jn_limit_range *range = jn_block_new(&x->hooks, (size_t)x->rows * JN_LIMIT_KINDS, sizeof *range);
  if (!range) return JN_ERR_MEMORY;
  range_alone(x, iv, kind, range);
  jn_limit_check *check = NULL;
  const jn_status status =
      jn_limit_check_new(x->model, x->data, x->given, range, 200, &x->hooks, &check, x->error);
  jn_block_free(&x->hooks, range);
  if (status) return status;
  const jn_limit_peak p = *jn_limit_check_peak(check, iv, kind);
  jn_limit_check_free(check);
  const jn_limit_range *r = &x->range[iv * JN_LIMIT_KINDS + (int)kind];
  const double limit = p.value > 0 ? r->high : r->low, beyond = fabs(p.value - limit);
  const char *quantity = jn_limit_quantity(x->model, iv, kind);
  if (p.value == 0 || !isfinite(limit))
    return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0,
                   "the limit of the %s of '%s' is 0: it is zero along the path with its own "
                   "timing, but not with any other, from t = %.6g of the path on: raise the limit",
                   quantity, jn_limit_name(x->model, iv).text, jn_trajectory_start(x->given));
  return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0,
                 "no timing of the path keeps the limits: the %s of '%s' is %.6g at t = %.6g of "
                 "the path with its own timing, beyond its limit %.6g by %.4g: %s",
                 quantity, jn_limit_name(x->model, iv).text, p.value, p.t, limit + 0.0, beyond,
                 kind == JN_LIMIT_VELOCITY && limit == 0
                     ? "the limit forbids this motion, but the path moves the joint"
                     : "raise the limit, moving slower does not help");
}

/* The use of a limit along the path at its own speed, or at rest. */
static double use_of_peak(const retiming *x, const jn_limit_peak *p, int at_rest) {
  if (!p || !p->limited || p->kind == JN_LIMIT_POSITION) return 0;
  if (!at_rest) return p->used;
  const jn_limit_range *r = &x->range[p->iv * JN_LIMIT_KINDS + (int)p->kind];
  const double limit = p->resting > 0 ? r->high : r->low;
  return p->kind == JN_LIMIT_EFFORT && limit != 0 && isfinite(limit) ? p->resting / limit : 0;
}

/* The peak with the largest use; its limited is 0 if there is none. */
static jn_status worst_peak(const retiming *x, int at_rest, jn_limit_peak *worst) {
  jn_limit_check *check = NULL;
  const jn_status status =
      jn_limit_check_new(x->model, x->data, x->given, x->range, 200, &x->hooks, &check, x->error);
  double most = 0;
  *worst = (jn_limit_peak){0};
  for (int i = 0; i < x->rows * JN_LIMIT_KINDS && !status; i++) {
    const jn_limit_peak *p =
        jn_limit_check_peak(check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS));
    const double use = use_of_peak(x, p, at_rest);
    if (use > most) most = use, *worst = *p;
  }
  jn_limit_check_free(check);
  return status;
}

jn_status jn_retime_fail_at_rest(const retiming *x, double excess) {
  jn_limit_peak p;
  const jn_status status = worst_peak(x, 1, &p);
  if (status) return status;
  if (!p.limited || !(use_of_peak(x, &p, 1) > 0.999))
    return jn_fail(x->error, JN_ERR_SINGULAR, NULL, 0,
                   "the motion breaks a limit by %.4g between grid points: take more intervals",
                   excess);
  const jn_limit_range *r = &x->range[p.iv * JN_LIMIT_KINDS + (int)p.kind];
  const double limit = p.resting > 0 ? r->high : r->low;
  return jn_fail(
      x->error, JN_ERR_INFEASIBLE, NULL, 0,
      "no timing of the path keeps the limits: the %s at rest of '%s' is %.9g at t = %.6g of "
      "the path, and its limit %.9g leaves no room: change the path, the load or the limit",
      jn_limit_quantity(x->model, p.iv, p.kind), jn_limit_name(x->model, p.iv).text, p.resting,
      p.resting_t, limit);
}

static jn_status fail_at_worst(const retiming *x) {
  jn_limit_peak p;
  const jn_status status = worst_peak(x, 0, &p);
  if (status) return status;
  if (p.limited) return fail_at_peak(x, p.iv, p.kind);
  return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0,
                 "no timing of the path keeps the limits, however slow");
}

static jn_status fail_at_breach(const retiming *x) {
  const limit_breach *b = &x->breach;
  if (!b->remedy) return JN_OK;
  if (b->kind == JN_LIMIT_VELOCITY) return fail_at_peak(x, b->iv, b->kind);
  return jn_fail(
      x->error, JN_ERR_INFEASIBLE, NULL, 0,
      "no timing of the path keeps the limits: the %s%s of '%s' is %.6g at t = %.6g of the path, "
      "beyond its limit %.6g by %.4g: %s",
      jn_limit_quantity(x->model, b->iv, b->kind), b->kind == JN_LIMIT_EFFORT ? " at rest" : "",
      jn_limit_name(x->model, b->iv).text, b->value, jn_retime_given_time(x, b->u), b->limit,
      fabs(b->value - b->limit), b->remedy);
}

/* Limits. */

static const jn_limit_range *range_of(const retiming *x, int iv, int kind) {
  return &x->range[(size_t)iv * JN_LIMIT_KINDS + (size_t)kind];
}

/* the larger of the finite limits */
static double size_of(const jn_limit_range *r) {
  return fmax(isfinite(r->low) ? fabs(r->low) : 0, isfinite(r->high) ? fabs(r->high) : 0);
}

static int is_limited(const retiming *x, int iv, int kind) {
  const jn_limit_range *r = range_of(x, iv, kind);
  if (x->options.without_rates && (kind == JN_LIMIT_JERK || kind == JN_LIMIT_EFFORT_RATE)) return 0;
  return isfinite(r->low) || isfinite(r->high);
}

/* Rows. */

/* Forces and their rates at STATES points from three motions a point with clocks (first and second
 * derivative of u) (1, 0), (2, 0), (1, 1): x->tau[3 x count x 2 nv]; thrusts likewise */
static jn_status three_motions(retiming *x, int count) {
  static const double clocks[3][2] = {{1, 0}, {2, 0}, {1, 1}};
  const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
  for (int k = 0; k < 3; k++) {
    const double a = clocks[k][0], b = clocks[k][1];
    if (k) memcpy(x->q + (size_t)(k * count) * nq, x->q, (size_t)count * nq * sizeof *x->q);
    for (int n = 0; n < count; n++) {
      const double *v1 = x->v + (size_t)n * 3 * nv, *v2 = v1 + nv, *v3 = v2 + nv;
      double *w1 = x->w + (size_t)(k * count + n) * 3 * nv, *w2 = w1 + nv, *w3 = w2 + nv;
      for (size_t i = 0; i < nv; i++) {
        w1[i] = v1[i] * a;
        w2[i] = v2[i] * a * a + v1[i] * b;
        w3[i] = v3[i] * a * a * a + 3 * v2[i] * a * b;
      }
    }
  }
  const jn_status status =
      jn_batch_inverse_dynamics(x->model, x->batch, 1, 3 * (size_t)count, x->q, x->w, x->tau, NULL);
  for (size_t n = 0; n < 3 * (size_t)count && x->rotors && !status; n++)
    jn_limit_thrusts(x->model, x->representation, x->P, x->q + n * nq, x->w + n * 3 * nv,
                     x->tau + n * 2 * nv, x->thrust + n * 2 * (size_t)x->rotors);
  return status;
}

/* Of a row of the limits at a block of points: derivatives of the path by u; of the force m, c, g and
 * m_u + 2c, c_u, g_u; its damping. */
typedef struct terms {
  double v1[STATES], v2[STATES], v3[STATES];
  double m[STATES], c[STATES], g[STATES], mc[STATES], cu[STATES], gu[STATES];
  double damping;
} terms;

static void terms_of(const retiming *x, int count, int i, terms *t) {
  const int of_rotor = i >= x->nv;
  const size_t nv = (size_t)x->nv;
  t->damping = of_rotor ? 0 : x->damping[i];
  for (int n = 0; n < count && !of_rotor; n++) {
    const double *v = x->v + (size_t)n * 3 * nv + (size_t)i;
    t->v1[n] = v[0], t->v2[n] = v[nv], t->v3[n] = v[2 * nv];
  }
  if (!x->forces) return;
  const size_t rows = (size_t)(of_rotor ? x->rotors : x->nv), next = (size_t)count * 2 * rows;
  const double *A = of_rotor ? x->thrust + (i - x->nv) : x->tau + i;
  for (int n = 0; n < count; n++, A += 2 * rows) {
    const double *B = A + next, *D = B + next;
    t->c[n] = (B[0] - A[0]) / 3, t->cu[n] = (B[rows] - 2 * A[rows]) / 6;
    t->g[n] = A[0] - t->c[n], t->gu[n] = A[rows] - t->cu[n];
    t->m[n] = D[0] - A[0], t->mc[n] = D[rows] - A[rows];
  }
}

/* The rows of all limits; their order: without b'' first. */
void jn_retime_list_rows(retiming *x) {
  static const int kinds[2][3] = {{JN_LIMIT_ACCELERATION, JN_LIMIT_EFFORT, JN_LIMIT_KINDS},
                                  {JN_LIMIT_JERK, JN_LIMIT_EFFORT_RATE, JN_LIMIT_POWER}};
  int rows = 0;
  x->forces = x->options.objective != JN_OBJECTIVE_TIME;
  for (int third = 0; third < 2; third++) {
    for (int k = 0; k < 3; k++)
      for (int iv = 0; iv < x->rows && kinds[third][k] < JN_LIMIT_KINDS; iv++)
        if (is_limited(x, iv, kinds[third][k])) {
          x->row[rows] = (limit_row){iv, (jn_limit_kind)kinds[third][k], 1};
          x->forces |= k > 0;
          rows++;
        }
    x->row[rows++] = (limit_row){-1, JN_LIMIT_KINDS, 1}; /* of the clock itself */
    *(third ? &x->p.third : &x->p.second) = third ? rows - x->p.second : rows;
  }
}

/* The columns of row k, as the solver has them, from point `first` on; NULL: there is none. */
enum { COLUMNS = 6 };
static void columns_of(const jn_clock_problem *p, int k, int first, double *column[COLUMNS]) {
  const int third = k >= p->second;
  const size_t at = (size_t)(third ? k - p->second : k) * (size_t)p->stride + (size_t)first;
  double *const all[2][COLUMNS] = {
      {p->s0, p->s1, p->sg, p->damped ? p->sd : NULL, NULL, NULL},
      {p->r0, p->r1, p->rg, p->r2, p->damped ? p->d0 : NULL, p->damped ? p->d1 : NULL}};
  for (int c = 0; c < COLUMNS; c++) column[c] = all[third][c] ? all[third][c] + at : NULL;
}

static void clear(double *x, int count) {
  if (x) memset(x, 0, (size_t)count * sizeof *x);
}

/* row k at points first ... first + count - 1 */
static void fill_row(retiming *x, int k, int first, int count, const terms *t) {
  jn_clock_problem *p = &x->p;
  const limit_row *r = &x->row[k];
  const double s = 1 / r->scale, half = 0.5 * s, d = t->damping * s;
  double *column[COLUMNS];
  columns_of(p, k, first, column);
  double *restrict k0 = column[0], *restrict k1 = column[1], *restrict kg = column[2],
                   *restrict k2 = column[3], *restrict e0 = column[4], *restrict e1 = column[5];
  if (r->kind == JN_LIMIT_ACCELERATION) {
    for (int n = 0; n < count; n++) k0[n] = t->v2[n] * s, k1[n] = t->v1[n] * half;
    clear(kg, count), clear(k2, count);
  } else if (r->kind == JN_LIMIT_JERK) {
    for (int n = 0; n < count; n++)
      k0[n] = t->v3[n] * s, k1[n] = t->v2[n] * (3 * half), k2[n] = t->v1[n] * half;
    clear(kg, count), clear(e0, count), clear(e1, count);
  } else if (r->kind == JN_LIMIT_EFFORT) {
    for (int n = 0; n < count; n++)
      k0[n] = t->c[n] * s, k1[n] = t->m[n] * half, kg[n] = t->g[n] * s;
    for (int n = 0; n < count && k2; n++) k2[n] = d * t->v1[n]; /* of b^(1/2) */
  } else if (r->kind == JN_LIMIT_POWER) {
    /* v_1 b^(1/2) (m b'/2 + c b + g) + d v_1^2 b */
    for (int n = 0; n < count; n++)
      k0[n] = t->v1[n] * t->c[n] * s, k1[n] = t->v1[n] * t->m[n] * half,
      kg[n] = t->v1[n] * t->g[n] * s;
    for (int n = 0; n < count && e0; n++) e0[n] = d * t->v1[n] * t->v1[n];
    clear(k2, count), clear(e1, count);
  } else {
    for (int n = 0; n < count; n++) {
      k0[n] = t->cu[n] * s, k1[n] = t->mc[n] * half, k2[n] = t->m[n] * half;
      kg[n] = t->gu[n] * s;
    }
    for (int n = 0; n < count && e0; n++) e0[n] = d * t->v2[n], e1[n] = 0.5 * d * t->v1[n];
  }
}

/* Zeros after the last point, and in the rows of the clock itself. */
static void clear_rest(const retiming *x) {
  for (int k = 0; k < x->p.second + x->p.third; k++) {
    const int first = x->row[k].iv < 0 ? 0 : x->all;
    double *column[COLUMNS];
    columns_of(&x->p, k, first, column);
    for (int c = 0; c < COLUMNS; c++) clear(column[c], x->p.stride - first);
  }
}

/* The integrand of the objective at points first ... first + count - 1: the part of row i. */
static void fill_cost(retiming *x, int i, int first, int count, const terms *t) {
  const size_t stride = (size_t)x->p.stride;
  if (x->rotors && i < 6) return; /* the rotors' thrusts instead */
  for (int n = 0; n < count; n++) {
    const size_t at = (size_t)(first + n);
    const double d = t->damping, force[4] = {t->c[n], 0.5 * t->m[n], 0, t->g[n]},
                 rate[4] = {t->cu[n], 0.5 * t->mc[n], 0.5 * t->m[n], t->gu[n]},
                 damping[4] = {d * t->v2[n], 0.5 * d * t->v1[n], 0, 0};
    if (x->options.objective == JN_OBJECTIVE_EFFORT_RATE)
      jn_clock_cost_rate(x->cost, stride, at, rate, damping);
    else
      jn_clock_cost_force(x->cost, stride, at, force, d * t->v1[n]);
  }
}

/* The smallest and the largest of numbers `step` apart. */
static jn_limit_range span_of(const double *a, int count, size_t step) {
  jn_limit_range r = {a[0], a[0]};
  for (int n = 1; n < count; n++) {
    const double y = a[(size_t)n * step];
    r.low = y < r.low ? y : r.low;
    r.high = y > r.high ? y : r.high;
  }
  return r;
}

/* Positions of degree of freedom i beyond their limits. */
static void check_positions(retiming *x, int i, int first, int count) {
  const jn_limit_range *r = range_of(x, i, JN_LIMIT_POSITION);
  const double slack = inside * size_of(r), *q = x->q + x->coordinate[i];
  const jn_limit_range span = span_of(q, count, (size_t)x->nq);
  if (span.high <= r->high + slack && span.low >= r->low - slack) return;
  for (int n = 0; n < count; n++, q += x->nq)
    if (*q > r->high + slack || *q < r->low - slack)
      note_breach(x, i, JN_LIMIT_POSITION, jn_retime_point(x, first + n), *q,
                  *q > r->high ? r->high : r->low, "change the path");
}

/* Static forces of row i that take all of their limit. */
static void check_static(retiming *x, int i, int first, int count, const terms *t) {
  const jn_limit_range *r = range_of(x, i, JN_LIMIT_EFFORT), span = span_of(t->g, count, 1);
  const double size = size_of(r), slack = inside * size,
               room = fmin(r->high - span.high, span.low - r->low);
  if (room < x->room * size) x->room = room / size;
  if (span.high <= r->high - slack && span.low >= r->low + slack) return;
  for (int n = 0; n < count; n++) {
    const double g = t->g[n];
    if (g > r->high - slack || g < r->low + slack)
      note_breach(x, i, JN_LIMIT_EFFORT, jn_retime_point(x, first + n), g,
                  g > r->high - slack ? r->high : r->low, "change the path, the load or the limit");
  }
}

/* What no clock can change: positions, static forces, joints that may not move; of row i. */
static void check_row(retiming *x, int i, int first, int count, const terms *t) {
  const jn_limit_range *r = range_of(x, i, JN_LIMIT_VELOCITY);
  if (i < x->nv && x->coordinate[i] >= 0 && is_limited(x, i, JN_LIMIT_POSITION))
    check_positions(x, i, first, count);
  if (is_limited(x, i, JN_LIMIT_EFFORT)) check_static(x, i, first, count, t);
  if (i >= x->nv || (r->high != 0 && r->low != 0)) return;
  for (int n = 0; n < count; n++)
    if ((r->high == 0 && t->v1[n] > no_motion) || (r->low == 0 && t->v1[n] < -no_motion))
      note_breach(x, i, JN_LIMIT_VELOCITY, jn_retime_point(x, first + n), t->v1[n], 0, "");
}

jn_status jn_retime_velocity_cap(const retiming *x, int n, double *out) {
  const double *v = x->v + (size_t)n * 3 * (size_t)x->nv;
  double cap = HUGE_VAL;
  for (int i = 0; i < x->nv; i++) {
    const jn_limit_range *r = range_of(x, i, JN_LIMIT_VELOCITY);
    const double limit = v[i] > 0 ? r->high : r->low, root = limit / v[i];
    if (v[i] != 0 && isfinite(limit) && root * root < cap) cap = root * root;
  }
  for (int i = 0; i < x->options.tools; i++) {
    const jn_tool_limit *tool = &x->options.tool[i];
    double speed;
    const jn_status status =
        jn_tool_speed(x->model, x->data, tool->frame, x->q + (size_t)n * (size_t)x->nq, v, &speed);
    if (status) return status;
    const double root = tool->speed / speed;
    if (speed > 0 && root * root < cap) cap = root * root;
  }
  *out = cap;
  return JN_OK;
}

/* the scales of rows and both sides of their limits */
static void scale_rows(retiming *x) {
  jn_clock_problem *p = &x->p;
  for (int k = 0; k < p->second + p->third; k++) {
    limit_row *r = &x->row[k];
    p->high[k] = p->low[k] = 1;
    if (r->iv < 0) continue;
    const jn_limit_range *l = range_of(x, r->iv, (int)r->kind);
    r->scale = size_of(l);
    if (!(r->scale > 0))
      r->scale = JN_LEAST_LIMIT; /* a limit of zero; it is only kept if nothing moves */
    p->high[k] = isfinite(l->high) ? l->high / r->scale : unlimited;
    p->low[k] = isfinite(l->low) ? -l->low / r->scale : unlimited;
    if (p->high[k] == 0 && p->low[k] == 0) p->high[k] = p->low[k] = 1;
  }
}

/* States of the path at points first ... first + count - 1, and forces. */
static jn_status block_of_states(retiming *x, int first, int count) {
  jn_status status = JN_OK;
  for (int n = 0; n < count && !status; n++)
    status =
        jn_trajectory_at(x->path, jn_retime_point(x, first + n), 1, x->representation,
                         x->q + (size_t)n * (size_t)x->nq, x->v + (size_t)n * 3 * (size_t)x->nv);
  return status || !x->forces ? status : three_motions(x, count);
}

static double largest_of(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    const double size = fabs(a[i]);
    most = size > most ? size : most;
  }
  return most;
}

/* The largest numbers of row k at these points; the peaks of its use by the clock x->b. */
static void measure_row(retiming *x, int k, int first, int count, int with_peaks) {
  const int third = k >= x->p.second, chunks = jn_clock_chunks(x->p.points),
            from = first / JN_CLOCK_PIECE,
            to = (first + count + JN_CLOCK_PIECE - 1) / JN_CLOCK_PIECE;
  double *column[COLUMNS], *most = third ? &x->steepest : &x->sharpest;
  columns_of(&x->p, k, first, column);
  const double here = largest_of(column[third ? 3 : 1], (size_t)count);
  if (here > *most) *most = here;
  if (with_peaks && from < chunks) jn_retime_use_part(x, k, 1, from, to < chunks ? to : chunks);
}

static jn_status fill_points(retiming *x, int with_peaks) {
  jn_clock_problem *p = &x->p;
  terms t;
  scale_rows(x);
  clear_rest(x);
  x->steepest = x->sharpest = 0;
  if (with_peaks) jn_retime_roots(x);
  for (int first = 0; first < x->all; first += STATES) {
    const int count = x->all - first < STATES ? x->all - first : STATES;
    jn_status status = block_of_states(x, first, count);
    for (int n = 0; n < count && !status; n++) {
      status = jn_retime_velocity_cap(x, n, &x->cap[first + n]);
      p->cap[first + n] = x->cap[first + n];
    }
    if (status) return status;
    for (int i = 0; i < x->nv + x->rotors; i++) {
      terms_of(x, count, i, &t);
      check_row(x, i, first, count, &t);
      for (int k = 0; k < p->second + p->third; k++)
        if (x->row[k].iv == i) {
          fill_row(x, k, first, count, &t);
          measure_row(x, k, first, count, with_peaks);
        }
      if (x->cost) fill_cost(x, i, first, count, &t);
    }
  }
  return fail_at_breach(x);
}

static int all_zero(const double *a, size_t n) {
  size_t i = 0;
  while (i < n && a[i] == 0) i++;
  return i == n;
}

/* Rows without any number but the static force are dropped: the others are moved into their place. */
static void drop_rows(retiming *x) {
  jn_clock_problem *p = &x->p;
  const size_t stride = (size_t)p->stride;
  int kept[2] = {0, 0};
  for (int k = 0; k < p->second + p->third; k++) {
    const int third = k >= p->second, behind = third ? k - p->second - kept[1] : k - kept[0];
    double *column[COLUMNS];
    columns_of(p, k, 0, column);
    int empty = x->row[k].iv >= 0;
    for (int c = 0; c < COLUMNS && empty; c++)
      empty = !column[c] || (!third && c == 2) || all_zero(column[c], stride);
    if (empty) continue;
    for (int c = 0; c < COLUMNS && behind; c++)
      if (column[c])
        memmove(column[c] - (size_t)behind * stride, column[c], stride * sizeof(double));
    const int index = third ? kept[0] + kept[1] : kept[0];
    x->row[index] = x->row[k];
    p->high[index] = p->high[k], p->low[index] = p->low[k];
    memmove(x->peak + (size_t)index * (size_t)x->chunks, x->peak + (size_t)k * (size_t)x->chunks,
            (size_t)x->chunks * sizeof(double));
    kept[third]++;
  }
  p->second = kept[0], p->third = kept[1];
}

/* Limits on the clock itself, in the last row without and with b'': much weaker than the others,
 * they bound it where the path stands still. Without limits of rates, b' may jump at the optimum,
 * which a spline cannot: it gets SWITCH cells for it. */
static jn_status limit_clock(retiming *x) {
  enum { WEAK = 100, SWITCH = 3 };
  jn_clock_problem *p = &x->p;
  const size_t stride = (size_t)p->stride, second = (size_t)p->second - 1,
               third = (size_t)p->third - 1;
  const double s1 = x->sharpest, r2 = x->steepest;
  double cap = HUGE_VAL;
  for (int k = 0; k < p->second + p->third; k++) {
    const limit_row *r = &x->row[k];
    if (r->iv >= 0 && !(size_of(range_of(x, r->iv, (int)r->kind)) > 0))
      return fail_at_peak(x, r->iv, r->kind);
  }
  for (int n = 0; n < x->all; n++) cap = p->cap[n] < cap ? p->cap[n] : cap;
  if (!isfinite(cap) && second + third == 0)
    return jn_fail(
        x->error, JN_ERR_ARGUMENT, NULL, 0,
        "no limit bounds the speed: limit the velocity, acceleration or force of a joint "
        "that moves");
  for (size_t n = 0; n < stride; n++) p->s1[second * stride + n] = s1 / WEAK;
  for (int side = 0; side < 2; side++) {
    const double speed = jn_retime_end_speed(x, side);
    double *at = &p->cap[side ? p->cells : 0];
    if (speed > 0) *at = fmin(*at, speed * speed);
  }
  for (int n = 0; n < x->all; n++)
    if (!(p->cap[n] < JN_NO_CAP)) p->cap[n] = JN_NO_CAP;
  const double b = p->uniform = jn_clock_uniform(p, 1 + p->points / 128, p->uniform);
  if (!(b > least)) return fail_at_worst(x);
  for (int n = 0; n < x->all; n++) {
    double own = 0;
    for (size_t k = 0; k < second && !(r2 > 0); k++)
      own = fmax(own, fabs(p->s1[k * stride + (size_t)n]));
    p->r2[third * stride + (size_t)n] =
        r2 > 0 ? r2 / WEAK : 0.5 * SWITCH * p->h * (own + 0.1 * s1) / sqrt(b);
    if (p->cap[n] > widest_cap * b) p->cap[n] = widest_cap * b;
  }
  return JN_OK;
}

jn_status jn_retime_fill_rows(retiming *x, int with_peaks) {
  const jn_status status = fill_points(x, with_peaks);
  if (status) return status;
  drop_rows(x);
  return limit_clock(x);
}
