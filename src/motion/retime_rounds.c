/* retime_rounds.c: solves for the clock, looks at the motion between grid points, tightens the
 * limits that are exceeded there, and makes the motion. */
#include <jounce/dynamics.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/retime.h"

enum { ROUNDS = 4, INSIDE = 3 };   /* solves at most; points looked at in a cell at the end */
static const double enough = 1e-3; /* excess that is left to slowing down */
static const double margin = 2e-7; /* and what is not seen between the points looked at */

/* The time of a cell: the integral of b^(-1/2), b cubic, by Gauss and Legendre with 8 nodes. */
static double cell_time(double h, double b, double b1, double b2, double b2_next) {
  static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363},
                      weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                   0.1012285362903763};
  double sum = 0;
  for (int k = 0; k < 4; k++)
    for (int side = -1; side <= 1; side += 2) {
      const double s = 0.5 * h * (1 + side * node[k]);
      sum += weight[k] / sqrt(b + s * (b1 + s * (0.5 * b2 + s * (b2_next - b2) / (6 * h))));
    }
  return 0.5 * h * sum;
}

/* Rows of the clock: t, u, u' = b^(1/2), u'' = b'/2, u''' = b^(1/2) b''/2, slowed down by `factor`. */
static void make_clock(retiming *x, double factor) {
  const jn_clock_solution *s = &x->solution;
  const int N = x->p.cells;
  const double end = jn_trajectory_end(x->path), f = 1 / factor;
  double t = 0, lost = 0;
  for (int i = 0; i <= N; i++) {
    double *row = x->clock + 5 * (size_t)i;
    const double speed = sqrt(s->b[i]);
    row[0] = t;
    row[1] = i == N ? end : x->start + x->p.h * i;
    row[2] = speed * f;
    row[3] = 0.5 * s->b1[i] * f * f;
    row[4] = 0.5 * speed * s->b2[i] * f * f * f;
    if (i == N) break;
    /* a sum without rounding errors that grow */
    const double dt = factor * cell_time(x->p.h, s->b[i], s->b1[i], s->b2[i], s->b2[i + 1]) - lost,
                 next = t + dt;
    lost = (next - t) - dt;
    t = next;
  }
}

static jn_status make_motion(retiming *x, double factor, jn_trajectory **out) {
  make_clock(x, factor);
  return jn_trajectory_clocked(x->path, x->p.cells + 1, x->clock, &x->hooks, out, x->error);
}

/* Values of the motion at time t: x->v, and x->tau where forces are limited. */
static jn_status motion_at(retiming *x, const jn_trajectory *motion, double t) {
  jn_status status = jn_trajectory_at(motion, t, 1, x->representation, x->q, x->v);
  if (!status && x->forces)
    status = jn_inverse_dynamics(x->model, x->data, 1, x->q, x->v, NULL, x->tau);
  return status;
}

/* The value of row k relative to its limit, at least 0; the part of it that speed cannot change. */
static double use_of_row(const retiming *x, int k, double rest, double *fixed) {
  const limit_row *r = &x->row[k];
  const double *v = x->v;
  const int nv = x->nv;
  double y = r->kind == JN_LIMIT_ACCELERATION ? v[nv + r->iv]
             : r->kind == JN_LIMIT_JERK       ? v[2 * nv + r->iv]
             : r->kind == JN_LIMIT_EFFORT     ? x->tau[r->iv]
                                              : x->tau[nv + r->iv];
  y /= r->scale;
  const double side = y > 0 ? x->p.high[k] : -x->p.low[k];
  *fixed = r->kind == JN_LIMIT_EFFORT ? rest / side : 0;
  return y / side;
}

/* v / limit of a degree of freedom */
static double use_of_speed(const retiming *x, int i) {
  const jn_limit_range *r = &x->range[(size_t)i * JN_LIMIT_KINDS + JN_LIMIT_VELOCITY];
  const double limit = x->v[i] > 0 ? r->high : r->low;
  return isfinite(limit) && x->v[i] != 0 ? x->v[i] / limit : 0;
}

/* (use - fixed)/(1 - fixed): by how much the part that depends on the speed is too large */
static double ratio_of(double use, double fixed) { return (use - fixed) / (1 - fixed); }

/* Divides the limits of a cell's two knots by the ratio, in the part that depends on the speed. */
static void tighten(retiming *x, int k, int cell, double ratio) {
  const jn_clock_problem *p = &x->p;
  const int third = k >= p->second;
  const size_t first = (size_t)(third ? k - p->second : k) * (size_t)p->stride;
  double *const of_second[] = {p->s0, p->s1, p->sd, NULL}, *const of_third[] = {p->r0, p->r1, p->r2,
                                                                                p->rg, p->d0, p->d1,
                                                                                NULL};
  int points[3 + JN_CLOCK_EXTRA] = {cell, cell + 1}, count = 2;
  if (cell > 0 && cell < p->cells - 1) points[count++] = jn_clock_middle(p, cell);
  for (int e = 1; e <= JN_CLOCK_EXTRA && cell == 0; e++) points[count++] = p->cells + e;
  for (int e = 1; e <= JN_CLOCK_EXTRA && cell == p->cells - 1; e++)
    points[count++] = p->cells + JN_CLOCK_EXTRA + e;
  for (double *const *part = third ? of_third : of_second; *part; part++)
    for (int i = 0; i < count; i++) (*part)[first + (size_t)points[i]] *= ratio;
}

/* Looks between the points of every cell and tightens what is exceeded; the largest ratio. */
static jn_status look_and_tighten(retiming *x, const jn_trajectory *motion, double *worst) {
  const jn_clock_problem *p = &x->p;
  const int rows = p->second + p->third;
  double *most = jn_block_new(&x->hooks, (size_t)rows + 1, sizeof *most);
  jn_status status = most ? JN_OK : JN_ERR_MEMORY;
  *worst = 0;
  for (int i = 0; i < p->cells && !status; i++) {
    const double *row = x->clock + 5 * (size_t)i;
    double speed = 0;
    for (int k = 0; k < rows; k++) most[k] = 0;
    for (int part = 1; part < 4 && !status; part += 2) {
      status = motion_at(x, motion, row[0] + 0.25 * part * (row[5] - row[0]));
      for (int d = 0; d < x->nv && !status; d++) speed = fmax(speed, use_of_speed(x, d));
      for (int k = 0; k < rows && !status; k++) {
        if (x->row[k].iv < 0) continue;
        const size_t at = (size_t)k * (size_t)p->stride + (size_t)i;
        double fixed, rest = k < p->second ? 0.5 * (p->sg[at] + p->sg[at + 1]) : 0,
                      use = use_of_row(x, k, rest, &fixed);
        most[k] = fmax(most[k], ratio_of(use, fixed));
      }
    }
    *worst = fmax(*worst, speed);
    if (speed > 1) p->cap[i] /= speed * speed, p->cap[i + 1] /= speed * speed;
    for (int k = 0; k < rows; k++) {
      *worst = fmax(*worst, most[k]);
      if (most[k] > 1 + 0.03 * enough) tighten(x, k, i, most[k] * (1 + 0.03 * enough));
    }
  }
  jn_block_free(&x->hooks, most);
  return status;
}

/* The top of the parabola through three equidistant values, if it is between them. */
static double top(double a, double b, double c) {
  const double slope = 0.5 * (c - a), bend = a - 2 * b + c;
  if (!(bend < 0) || fabs(slope) > -bend) return fmax(b, fmax(a, c));
  return b - 0.5 * slope * slope / bend;
}

/* The slow-down that removes every excess: looks at the knots and INSIDE points of every cell.
 * Velocity falls with the speed, the changing part of forces with its square, rates at least with
 * the speed, jerk with its cube. */
static jn_status find_slow_down(retiming *x, const jn_trajectory *motion, double *factor,
                                double *excess) {
  const jn_clock_problem *p = &x->p;
  const int rows = p->second + p->third;
  const size_t width = (size_t)(rows + x->nv);
  double *last = jn_block_new(&x->hooks, 2 * width, sizeof *last), *before = last + width;
  if (!last) return JN_ERR_MEMORY;
  jn_status status = JN_OK;
  const int all = p->cells * (INSIDE + 1);
  *factor = 1;
  *excess = 0;
  for (int n = 0; n <= all && !status; n++) {
    const int cell = n == all ? p->cells - 1 : n / (INSIDE + 1);
    const double *row = x->clock + 5 * (size_t)cell,
                 share = (double)(n - cell * (INSIDE + 1)) / (INSIDE + 1);
    status = motion_at(x, motion, n == all ? row[5] : row[0] + share * (row[5] - row[0]));
    for (int k = 0; k < rows + x->nv && !status; k++) {
      double ratio = 0, power = 1;
      if (k >= rows) {
        ratio = use_of_speed(x, k - rows);
      } else if (x->row[k].iv >= 0) {
        const size_t at = (size_t)k * (size_t)p->stride + (size_t)cell;
        double fixed, rest = k < p->second ? p->sg[at] + share * (p->sg[at + 1] - p->sg[at]) : 0,
                      use = use_of_row(x, k, rest, &fixed);
        ratio = ratio_of(use, fixed);
        power = x->row[k].kind == JN_LIMIT_JERK ? 1.0 / 3 : k < p->second && !p->damped ? 0.5 : 1;
      }
      /* knots are kinks of the rates: the parabola must not bend around one */
      const int kink = k >= p->second && k < rows && (n - 1) % (INSIDE + 1) == 0;
      const double most = n > 1 && !kink ? top(before[k], last[k], ratio) : ratio;
      *excess = fmax(*excess, most - 1);
      if (most > 1 - margin) *factor = fmax(*factor, 1 + power * (most - 1 + margin));
      before[k] = last[k], last[k] = ratio;
    }
  }
  jn_block_free(&x->hooks, last);
  return status;
}

typedef struct watch {
  const retiming *x;
  int round;
  double worst;
} watch;

static int report_progress(void *context, int step, double time, double gap) {
  const watch *w = context;
  const jn_retime_options *o = &w->x->options;
  (void)gap;
  return o->progress(o->context, w->round, step, time, w->worst);
}

static jn_status solve_round(retiming *x, int round, double worst, jn_retime_report *report) {
  watch w = {x, round, worst};
  const jn_clock_settings settings = {.tolerance = x->options.tolerance,
                                      .warm = round > 0,
                                      .barrier = round > 0 ? 1e-3 : 1,
                                      .most = 200,
                                      .progress = x->options.progress ? report_progress : NULL,
                                      .context = &w};
  jn_status status = jn_clock_solve(&x->p, &settings, &x->hooks, &x->solution);
  report->rounds = round + 1;
  report->steps += x->solution.iterations;
  if (status == JN_ERR_ARGUMENT)
    return jn_fail(x->error, JN_ERR_STATE, NULL, 0, "stopped by the caller");
  if (status == JN_ERR_SINGULAR)
    return jn_fail(
        x->error, status, NULL, 0,
        "the search for the clock did not converge: take more intervals, or a path whose "
        "third derivative varies less");
  if (status == JN_ERR_INFEASIBLE)
    return jn_fail(x->error, status, NULL, 0,
                   "no clock keeps the limits: a force at rest is at its "
                   "limit");
  return status;
}

jn_status jn_retime_rounds(retiming *x, jn_trajectory **out, jn_retime_report *report) {
  jn_trajectory *motion = NULL;
  double worst = 0;
  jn_status status = JN_OK;
  for (int round = 0; round < ROUNDS; round++) {
    status = solve_round(x, round, worst, report);
    if (!status) status = make_motion(x, 1, &motion);
    if (!status) status = look_and_tighten(x, motion, &worst);
    if (status || worst < 1 + enough || round == ROUNDS - 1) break;
    jn_trajectory_free(motion);
    motion = NULL;
  }
  /* slow down until nothing is exceeded; the second time only rounding is left */
  report->slowed = 1;
  for (int trial = 0; trial < 4 && !status; trial++) {
    double factor = 1, excess = 0;
    status = find_slow_down(x, motion, &factor, &excess);
    if (trial == 0) report->excess = excess;
    if (status || factor == 1) break;
    jn_trajectory_free(motion);
    motion = NULL;
    report->slowed *= factor;
    status = make_motion(x, report->slowed, &motion);
  }
  if (status) {
    jn_trajectory_free(motion);
    return status;
  }
  report->duration = jn_trajectory_end(motion) - jn_trajectory_start(motion);
  *out = motion;
  return JN_OK;
}
