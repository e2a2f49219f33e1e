/* retime_rounds.c: solves for the clock, looks at the motion between grid points, tightens the
 * limits that are exceeded there, and makes the motion. */
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/clock_cost.h"
#include "motion/clock_rows.h"
#include "motion/retime.h"
#include "trajectory/trajectory.h"

enum { ROUNDS = 4 };                     /* solves at most on the fine grid */
enum { COARSE = 128 };                   /* cells of the coarse grid at most */
enum { MOST = 1 << 16 };                 /* cells of an automatic grid at most */
static const double cell_seconds = 4e-3; /* of an automatic grid, on average */
static const double part_used =
    0.4; /* of a limit by the coarse clock, to be a row of the fine grid */
static const double enough = 1e-3; /* excess that is left to slowing down */
static const double margin = 2e-7; /* and what is not seen between the points looked at */
static const double later = 1.01;  /* a given duration relative to the least, at least */

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
  const int N = x->p.cells;
  const double end = jn_trajectory_end(x->path), f = 1 / factor;
  double t = 0, lost = 0;
  for (int i = 0; i <= N; i++) {
    double *row = x->clock + 5 * (size_t)i;
    const double speed = sqrt(x->b[i]);
    row[0] = t;
    row[1] = i == N ? end : x->start + x->p.h * i;
    row[2] = speed * f;
    row[3] = 0.5 * x->b1[i] * f * f;
    row[4] = 0.5 * speed * x->b2[i] * f * f * f;
    if (i == N) break;
    /* a sum without rounding errors that grow */
    const double dt = factor * cell_time(x->p.h, x->b[i], x->b1[i], x->b2[i], x->b2[i + 1]) - lost,
                 next = t + dt;
    lost = (next - t) - dt;
    t = next;
  }
}

/* The motion at the points of the grid. */

/* the motion at u - u_0 = target of a cell u - u_0 = sum a_k s^k, s = (t - t_0)/h, near s */
static void set_motion(retiming *x, const double a[8], double h, double s, double target,
                       size_t at) {
  double d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  for (int step = 0; step < 20; step++) {
    /* the polynomial and its derivatives, divided by their factorials */
    d0 = a[7], d1 = d2 = d3 = 0;
    for (int k = 6; k >= 0; k--)
      d3 = d3 * s + d2, d2 = d2 * s + d1, d1 = d1 * s + d0, d0 = d0 * s + a[k];
    const double move = (target - d0) / d1;
    if (fabs(move) < 1e-8) break;
    s = fmin(1, fmax(0, s + move));
  }
  const double speed = d1 / h;
  x->b[at] = speed * speed;
  x->b1[at] = 4 * d2 / (h * h);
  x->b2[at] = 12 * d3 / (h * h * h) / speed;
}

/* b = u'^2, b' = 2 u'', b'' = 2 u'''/u' of the motion at all points. The motion's clock is a
 * polynomial of degree 7 in t between knots (jn_trajectory_clocked); t is found by Newton's method. */
static void clock_of_motion(retiming *x) {
  const int N = x->p.cells;
  int next = 0; /* break */
  for (int cell = 0; cell < N; cell++) {
    const double *row = x->clock + 5 * (size_t)cell;
    double a[8], h = jn_clock_powers(row, row + 5, a);
    for (int part = 1; part < 4; part++)
      set_motion(x, a, h, 0.25 * part, 0.25 * part * (row[6] - row[1]),
                 (size_t)jn_retime_quarter(x, 4 * cell + part));
    for (; next < x->break_count && (cell == N - 1 || x->breaks[next] < row[6]); next++) {
      const double u = x->breaks[next] - row[1];
      set_motion(x, a, h, u / (row[6] - row[1]), u, (size_t)(x->regular + next));
    }
  }
}

/* x->use: by how much the part of row k that depends on the speed is too large, at all points of the
 * motion at `speed` times its own; the row after the last is the velocity. Side 1: for the upper
 * limit, -1: for the lower, 0: for the nearer. Returns the largest. */
static double uses(retiming *x, int k, double speed, int side) {
  const jn_clock_problem *p = &x->p;
  const int third = k >= p->second;
  const size_t row = (size_t)(third ? k - p->second : k) * (size_t)p->stride;
  const double *restrict b = x->b, *restrict b1 = x->b1, *restrict b2 = x->b2;
  const double x1 = speed, x2 = x1 * x1, x3 = x2 * x1;
  double *restrict use = x->use, most = 0;
  if (k == p->second + p->third) {
    for (int i = 0; i < x->all; i++) use[i] = x1 * sqrt(b[i] / x->cap[i]);
  } else if (third) {
    const double *restrict r0 = p->r0 + row, *restrict r1 = p->r1 + row, *restrict r2 = p->r2 + row,
                           *restrict rg = p->rg + row;
    for (int i = 0; i < x->all; i++)
      use[i] = sqrt(b[i]) * (x3 * (r2[i] * b2[i] + r1[i] * b1[i] + r0[i] * b[i]) + x1 * rg[i]);
    for (int i = 0; p->damped && i < x->all; i++)
      use[i] += x2 * (p->d1[row + (size_t)i] * b1[i] + p->d0[row + (size_t)i] * b[i]);
    const double high = 1 / p->high[k], low = -1 / p->low[k], one = side > 0 ? high : low;
    if (side)
      for (int i = 0; i < x->all; i++) use[i] *= one;
    else
      for (int i = 0; i < x->all; i++) use[i] *= use[i] > 0 ? high : low;
  } else {
    const double *restrict s0 = p->s0 + row, *restrict s1 = p->s1 + row, *restrict sg = p->sg + row;
    for (int i = 0; i < x->all; i++) use[i] = x2 * (s1[i] * b1[i] + s0[i] * b[i]);
    for (int i = 0; p->damped && i < x->all; i++)
      use[i] += x1 * p->sd[row + (size_t)i] * sqrt(b[i]);
    const double high = p->high[k], low = -p->low[k], one = side > 0 ? high : low;
    if (side)
      for (int i = 0; i < x->all; i++) use[i] /= one - sg[i];
    else
      for (int i = 0; i < x->all; i++) use[i] /= (use[i] > 0 ? high : low) - sg[i];
  }
  if (x->tight) {
    const double *restrict tight = x->tight + (size_t)k * (size_t)p->stride;
    for (int i = 0; i < x->all; i++) use[i] /= tight[i];
  }
  for (int i = 0; i < x->all; i++) most = use[i] > most ? use[i] : most;
  return most;
}

static int is_own(const retiming *x, int k) {
  return k < x->p.second + x->p.third && x->row[k].iv < 0;
}

/* the points of the problem in a cell and at its ends */
static int points_of(const retiming *x, int cell, int *points) {
  int count = 0;
  for (int part = 0; part <= 4; part++) {
    const int at = jn_retime_quarter(x, 4 * cell + part);
    if (at < x->p.points) points[count++] = at;
  }
  return count;
}

/* Divides the limits of row k in a cell by the ratio, in the part that depends on the speed. */
static void tighten(retiming *x, int k, int cell, double ratio) {
  const jn_clock_problem *p = &x->p;
  const int third = k >= p->second;
  /* ends at the damping, which is NULL without */
  double *const of_second[] = {p->s0, p->s1, p->sd, NULL}, *const of_third[] = {p->r0, p->r1, p->r2,
                                                                                p->rg, p->d0, p->d1,
                                                                                NULL};
  int points[5], count = points_of(x, cell, points);
  for (int i = 0; i < count; i++) {
    const size_t at = (size_t)points[i];
    x->tight[(size_t)k * (size_t)p->stride + at] *= ratio;
    if (k == p->second + p->third) {
      p->cap[at] /= ratio * ratio;
      continue;
    }
    for (double *const *part = third ? of_third : of_second; *part; part++)
      (*part)[(size_t)(third ? k - p->second : k) * (size_t)p->stride + at] *= ratio;
  }
}

/* Row k was left out around a cell and is exceeded there: it takes part from now on. */
static int activate(retiming *x, int k, int cell) {
  const int chunks = jn_clock_chunks(x->p.points);
  int points[5], count = points_of(x, cell, points), more = 0;
  if (!x->p.active || k == x->p.second + x->p.third) return 0;
  for (int i = 0; i < count; i++) {
    unsigned char *a = x->active + (size_t)k * (size_t)chunks + points[i] / JN_CLOCK_PIECE;
    more |= !*a;
    *a = 1;
  }
  return more;
}

/* Looks between the points of every cell and tightens what is exceeded there; the largest use. */
static jn_status look_and_tighten(retiming *x, double *worst) {
  const jn_clock_problem *p = &x->p;
  const int rows = p->second + p->third;
  const size_t all = (size_t)(rows + 1) * (size_t)p->stride;
  *worst = 0;
  for (int k = 0; k <= rows; k++) {
    if (is_own(x, k)) continue;
    const double most = uses(x, k, 1, 0);
    *worst = fmax(*worst, most);
    if (most <= 1 + 0.03 * enough) continue;
    if (!x->tight) {
      if (!(x->tight = jn_block_new(&x->hooks, all, sizeof *x->tight))) return JN_ERR_MEMORY;
      for (size_t i = 0; i < all; i++) x->tight[i] = 1;
    }
    int next = 0; /* break */
    for (int cell = 0; cell < p->cells; cell++) {
      double here = 0;
      for (int part = 0; part <= 4; part++)
        here = fmax(here, x->use[jn_retime_quarter(x, 4 * cell + part)]);
      const double end = x->clock[5 * (size_t)cell + 6];
      for (; next < x->break_count && x->breaks[next] < end; next++)
        here = fmax(here, x->use[x->regular + next]);
      if (here > 1 + 0.03 * enough && !activate(x, k, cell))
        tighten(x, k, cell, here * (1 + 0.03 * enough));
    }
  }
  return JN_OK;
}

/* The top of the parabola through three equidistant values, if it is between them. */
static double top(double a, double b, double c) {
  const double slope = 0.5 * (c - a), bend = a - 2 * b + c;
  if (!(bend < 0) || fabs(slope) > -bend) return fmax(b, fmax(a, c));
  return b - 0.5 * slope * slope / bend;
}

/* Values at FINE + 1 places of a cell of the polynomial through its five values: weights */
enum { FINE = 32 };
typedef double fine_weights[FINE + 1][5];

static void make_weights(fine_weights w) {
  for (int n = 0; n <= FINE; n++)
    for (int i = 0; i < 5; i++) {
      w[n][i] = 1;
      for (int k = 0; k < 5; k++)
        if (k != i) w[n][i] *= (4.0 * n / FINE - k) / (i - k);
    }
}

/* The largest value in a cell from its five values; if it may be above `from`. The polynomial counts
 * where it is near the parabolas: not across a jump in the cell. */
static double top_of_cell(fine_weights w, const double y[5], double from) {
  const double rough =
      fmax(top(y[0], y[1], y[2]), fmax(top(y[1], y[2], y[3]), top(y[2], y[3], y[4])));
  double most = rough, before = y[0], last = y[0];
  if (rough < from) return rough;
  for (int n = 1; n <= FINE; n++) {
    const double at =
        w[n][0] * y[0] + w[n][1] * y[1] + w[n][2] * y[2] + w[n][3] * y[3] + w[n][4] * y[4];
    most = fmax(most, n > 1 ? top(before, last, at) : at);
    before = last, last = at;
  }
  return most < rough + 1e-3 ? most : rough;
}

/* of all cells, from x->use */
static double top_of_cells(const retiming *x, fine_weights w) {
  double top = 0;
  for (int cell = 0; cell < x->p.cells; cell++) {
    double y[5], most = 0;
    for (int part = 0; part <= 4; part++) {
      y[part] = x->use[jn_retime_quarter(x, 4 * cell + part)];
      most = y[part] > most ? y[part] : most;
    }
    if (most > 0.99) top = fmax(top, top_of_cell(w, y, 0.999));
  }
  for (int i = x->regular; i < x->all; i++) top = fmax(top, x->use[i]);
  return top;
}

/* By how much the motion at `speed` must be slowed down so that nothing is exceeded between the
 * points either. Velocity falls with the speed, the changing part of forces with its square, rates
 * at least with the speed, jerk with its cube. */
static double slow_down(retiming *x, double speed, double *excess) {
  const jn_clock_problem *p = &x->p;
  const int rows = p->second + p->third;
  double factor = 1;
  fine_weights weights;
  make_weights(weights);
  *excess = 0;
  for (int k = 0; k <= rows; k++) {
    if (is_own(x, k)) continue;
    const double power = k >= p->second && k < rows && x->row[k].kind == JN_LIMIT_JERK ? 1.0 / 3
                         : k < p->second && !p->damped                                 ? 0.5
                                                                                       : 1;
    if (uses(x, k, speed, 0) < 0.99) continue;
    for (int side = 1; side >= (k < rows ? -1 : 1); side -= 2) {
      if (uses(x, k, speed, side) < 0.99) continue;
      const double most = top_of_cells(x, weights);
      *excess = fmax(*excess, most - 1);
      if (most > 1 - margin) factor = fmax(factor, 1 + power * (most - 1 + margin));
    }
  }
  return factor;
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

static jn_status solve_round(retiming *x, int warm, int round, double worst,
                             jn_retime_report *report) {
  watch w = {x, round, worst};
  const int coarse = x->all == x->p.points; /* only a start for the fine grid */
  const jn_clock_settings settings = {.tolerance = coarse ? 1e-2 : x->options.tolerance,
                                      .warm = warm,
                                      .barrier = warm && !x->p.cost ? 0.03 : 1,
                                      .most = 200,
                                      .progress = x->options.progress ? report_progress : NULL,
                                      .context = &w};
  jn_status status = jn_clock_solve(&x->p, &settings, &x->hooks, &x->solution);
  report->rounds = round + 1;
  report->intervals = x->p.cells;
  report->steps += x->solution.iterations;
  if (x->solution.iterations > report->longest) report->longest = x->solution.iterations;
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

/* From coarse to fine. */

/* The rows that may become active: those that are used by more than PART in some chunk of points, by
 * the clock x->b. */
static void choose_rows(retiming *x) {
  const jn_clock_problem *p = &x->p;
  const int chunks = jn_clock_chunks(p->points), all = x->all;
  x->all = p->points;
  for (int k = 0; k < p->second + p->third; k++) {
    unsigned char *active = x->active + (size_t)k * (size_t)chunks;
    if (!is_own(x, k)) uses(x, k, 1, 0);
    for (int i = 0; i < p->points; i++)
      if (is_own(x, k) || x->use[i] > part_used) active[i / JN_CLOCK_PIECE] = 1;
  }
  x->all = all;
  x->p.active = x->active;
}

/* The coefficients of the same spline on cells of half the width; c[2 n - 1], n = cells + 1. The
 * coefficient beyond an end continues the quadratic cell there. */
static void halve(double *c, int n) {
  const double before = 3 * c[0] - 3 * c[1] + c[2];
  double next = 3 * c[n - 1] - 3 * c[n - 2] + c[n - 3];
  for (int i = n - 1; i >= 0; i--) {
    const double at = c[i], last = i > 0 ? c[i - 1] : before;
    c[2 * i] = (last + 6 * at + next) / 8;
    if (i > 0) c[2 * i - 1] = 0.5 * (last + at);
    next = at;
  }
}

/* A grid of `coarse` cells halved `halvings` times, from a clock on the grid before: c[cells + 1]. */
typedef struct levels {
  int coarse, halvings;
  double *c;
  int cells; /* of c; 0: none yet */
} levels;

static int cells_of(const levels *l) { return l->coarse << l->halvings; }

/* Keeps the clock that was found as the start of the next grid. */
static jn_status keep_clock(retiming *x, levels *l) {
  const size_t n = (size_t)x->p.cells + 1;
  jn_block_free(&x->hooks, l->c);
  if (!(l->c = jn_block_new(&x->hooks, n, sizeof *l->c))) return JN_ERR_MEMORY;
  memcpy(l->c, x->solution.c, n * sizeof *l->c);
  l->cells = x->p.cells;
  return JN_OK;
}

/* Solves on the grid of `cells`, from the clock of the grid before if there is one. */
static jn_status solve_level(retiming *x, levels *l, int cells, jn_retime_report *report) {
  jn_status status = jn_retime_grid(x, cells, cells == cells_of(l));
  if (status) return status;
  if (l->cells) {
    memcpy(x->solution.c, l->c, (size_t)(l->cells + 1) * sizeof *l->c);
    for (int n = l->cells; n < cells; n *= 2) halve(x->solution.c, n + 1);
    jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
    choose_rows(x);
  }
  return solve_round(x, l->cells > 0, 0, 0, report);
}

/* Solves from coarse to fine, each grid STEP halvings finer than the one before. Where a coarse grid
 * fails, the fine one is solved by itself, so that what is wrong is said of it. */
static jn_status first_solve(retiming *x, levels *l, jn_retime_report *report) {
  enum { STEP = 3 };
  const int asked = x->options.intervals;
  int done = 0, evened = 0, changed;
  l->coarse = asked ? asked : COARSE;
  while (l->coarse > (asked && asked <= 4 * COARSE ? COARSE / 2 : COARSE))
    l->coarse = (l->coarse + 1) / 2, l->halvings++;
  if (!asked) l->halvings = STEP; /* not known yet: the first grid is not the last */
  while (done < l->halvings) {
    jn_status status = solve_level(x, l, l->coarse << done, report);
    if (!status) status = keep_clock(x, l);
    if (status == JN_ERR_STATE || status == JN_ERR_MEMORY) return status;
    x->error->message[0] = 0;
    if (!asked && done == 0 && !status && evened < 2) {
      /* cells of similar times; then once more */
      jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
      if ((status = jn_retime_even_clock(x, &changed))) return status;
      if (changed) {
        evened++, l->cells = 0;
        continue;
      }
    }
    if (!asked && done == 0) {
      l->halvings = 0;
      const double T = fmax(x->solution.time, x->options.duration);
      while (!status && cells_of(l) * cell_seconds < T && cells_of(l) < MOST) l->halvings++;
    }
    if (status) break;
    const int left = l->halvings - done;
    done += left > STEP && left % STEP ? left % STEP : STEP < left ? STEP : left;
    if (left == 0) break;
  }
  return solve_level(x, l, cells_of(l), report);
}

/* Other objectives. */

/* From the fastest clock, which x->solution has: the clock of the least cost, within the duration. */
static jn_status solve_objective(retiming *x, int round, double worst, jn_retime_report *report) {
  const jn_retime_options *o = &x->options;
  const double fastest = x->solution.time;
  if (o->duration > 0 && fastest * later > o->duration)
    return jn_fail(
        x->error, JN_ERR_INFEASIBLE, NULL, 0,
        "the duration %.6g s is too short: the fastest motion takes %.6g s, and at least "
        "%.6g s are needed",
        o->duration, fastest, later * fastest);
  memcpy(x->fast, x->solution.c, (size_t)(x->p.cells + 1) * sizeof *x->fast);
  if (!x->cost) return JN_OK;
  /* the cost counts by its weight; slowing down at the end takes its share of the duration */
  const int mixed = o->objective == JN_OBJECTIVE_MIXED;
  x->p.time = mixed ? 1 / o->weight : 0;
  x->p.cost = x->cost;
  if (o->duration > 0) {
    /* start near the duration: the fastest clock slowed down keeps the limits too */
    const double root = fmin(1, fastest * x->lead / (0.95 * o->duration));
    x->p.deadline = o->duration / x->lead;
    for (int i = 0; i <= x->p.cells; i++) x->solution.c[i] *= root * root;
  }
  const jn_status status = solve_round(x, 1, round, worst, report);
  x->p.time = 1, x->p.cost = NULL, x->p.deadline = HUGE_VAL;
  return status;
}

/* Solves again after limits were tightened. */
static jn_status solve_again(retiming *x, int round, double worst, jn_retime_report *report) {
  if (x->cost) memcpy(x->solution.c, x->fast, (size_t)(x->p.cells + 1) * sizeof *x->fast);
  const jn_status status = solve_round(x, 1, round, worst, report);
  return status || !x->cost ? status : solve_objective(x, round, worst, report);
}

/* the cost of the motion that is slowed down by a factor, by Simpson's rule in every cell */
static double cost_of_motion(const retiming *x, double factor) {
  const double s = 1 / (factor * factor);
  double sum = 0;
  for (int j = 0; j <= 4 * x->p.cells && x->cost; j += 2) {
    const int i = jn_retime_quarter(x, j), end = j == 0 || j == 4 * x->p.cells;
    const double weight = j % 4 ? 4 : end ? 1 : 2;
    sum += weight * jn_clock_cost_at(x->cost, (size_t)x->p.stride, i, s * x->b[i], s * x->b1[i],
                                     s * x->b2[i])
                        .value;
  }
  return sum * x->p.h / 6;
}

/* The motion. */

static jn_status make_motion(retiming *x, jn_trajectory **out, jn_retime_report *report) {
  if (report->slowed > jn_retime_least_slowing(x) && jn_retime_least_slowing(x) > 1)
    return jn_fail(x->error, JN_ERR_SINGULAR, NULL, 0,
                   "the speeds at the ends cannot be met: a limit is exceeded by %.4g between grid "
                   "points: take more intervals",
                   report->excess);
  jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
  make_clock(x, report->slowed);
  report->cost = cost_of_motion(x, report->slowed);
  report->duration = x->clock[5 * (size_t)x->p.cells];
  if (x->options.duration > 0 && report->duration > x->options.duration)
    return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0,
                   "the motion takes %.6g s, longer than the duration %.6g s: take more intervals",
                   report->duration, x->options.duration);
  return jn_trajectory_clocked(x->path, x->p.cells + 1, x->clock, &x->hooks, out, x->error);
}

/* How much slower a motion must be so that jn_limit_check_new finds nothing broken. */
static jn_status examine(const retiming *x, const jn_limit_range *range,
                         const jn_trajectory *motion, double *factor) {
  jn_limit_check *check = NULL;
  jn_status status =
      jn_limit_check_new(x->model, x->data, motion, range, 1000, &x->hooks, &check, x->error);
  *factor = 1;
  if (!status && jn_limit_check_broken(check)) *factor = jn_limit_check_scale(check) * (1 + margin);
  jn_limit_check_free(check);
  for (int i = 0; i < x->options.tools && !status; i++) {
    const jn_tool_limit *tool = &x->options.tool[i];
    double speed;
    status = jn_tool_peak(x->model, x->data, motion, tool->frame, 1000, &x->hooks, &speed, NULL);
    if (!status) *factor = fmax(*factor, speed / tool->speed);
  }
  return status;
}

/* 1 if the points of a cell may not show what happens in it: an uneven path, more pieces than cells, or a
 * clock that changes by more than a factor of two in a cell. */
static int is_rough(const retiming *x) {
  double most = 1;
  for (int i = 0; i < x->p.cells; i++) {
    const double ratio = x->clock[5 * (size_t)i + 2] / x->clock[5 * (size_t)i + 7];
    most = fmax(most, fmax(ratio, 1 / ratio));
  }
  return x->uneven || x->break_count > x->p.cells || most > 2;
}

/* Examines a rough motion as a whole: *factor, by which it must be slower. */
static jn_status examine_rough(retiming *x, const jn_trajectory *motion, double *factor) {
  const size_t count = (size_t)x->rows * JN_LIMIT_KINDS;
  *factor = 1;
  if (!is_rough(x)) return JN_OK;
  jn_limit_range *range = jn_block_new(&x->hooks, count, sizeof *range);
  if (!range) return JN_ERR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const int kind = (int)(i % JN_LIMIT_KINDS),
              left_out = x->options.without_rates &&
                         (kind == JN_LIMIT_JERK || kind == JN_LIMIT_EFFORT_RATE);
    range[i] = left_out ? (jn_limit_range){-HUGE_VAL, HUGE_VAL} : x->range[i];
  }
  const jn_status status = examine(x, range, motion, factor);
  jn_block_free(&x->hooks, range);
  return status;
}

/* Looks, tightens and solves again; then slows down until nothing is exceeded. */
static jn_status settle(retiming *x, jn_retime_report *report) {
  double worst = 0;
  jn_status status = JN_OK;
  for (int round = 1; !status; round++) {
    jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
    make_clock(x, 1);
    clock_of_motion(x);
    status = look_and_tighten(x, &worst);
    if (status || worst < 1 + enough || round == ROUNDS) break;
    status = solve_again(x, round, worst, report);
  }
  report->slowed = jn_retime_least_slowing(x);
  if (!status && report->slowed > 1) {
    status = jn_retime_meet_ends(x);
    make_clock(x, 1);
    clock_of_motion(x);
  }
  /* after the first time only rounding is left */
  for (int trial = 0; trial < 8 && !status; trial++) {
    double excess;
    const double factor = slow_down(x, 1 / report->slowed, &excess);
    if (trial == 0) report->excess = excess;
    if (factor == 1) break;
    report->slowed *= factor;
  }
  return status;
}

/* Given speeds and durations are those of the motion that is slowed down: how much it must be faster before.
 * The solver's duration is that of the trapezoidal rule, which may be shorter. */
static double lead_needed(const retiming *x, const jn_retime_report *report) {
  if (jn_retime_least_slowing(x) > 1) return report->slowed;
  if (!x->cost || !(x->options.duration > 0)) return 0;
  return x->lead * report->slowed * x->clock[5 * (size_t)x->p.cells] / x->options.duration;
}

/* Solves again for a motion that is slowed down more. */
static jn_status lead_more(retiming *x, jn_retime_report *report) {
  jn_status status = JN_OK;
  for (int trial = 0; trial < 3 && !status && lead_needed(x, report) > x->lead; trial++) {
    jn_retime_slow_more(x, lead_needed(x, report) * (1 + 0.5 * enough));
    status = solve_again(x, ROUNDS, 0, report);
    if (!status) status = settle(x, report);
  }
  return status;
}

jn_status jn_retime_rounds(retiming *x, jn_trajectory **out, jn_retime_report *report) {
  levels l = {0};
  double factor = 2;
  jn_status status = first_solve(x, &l, report);
  jn_block_free(&x->hooks, l.c);
  report->first_steps = report->steps;
  if (!status) status = solve_objective(x, 0, 0, report);
  if (!status) status = settle(x, report);
  for (int trial = 0; trial < 6 && !status && factor > 1; trial++) {
    jn_trajectory *motion = NULL;
    if ((status = lead_more(x, report)) || (status = make_motion(x, &motion, report))) break;
    if (!(status = examine_rough(x, motion, &factor)) && factor == 1) {
      *out = motion;
      return JN_OK;
    }
    jn_trajectory_free(motion);
    report->slowed *= factor;
    report->excess = fmax(report->excess, factor - 1);
    make_clock(x, 1);
  }
  if (status) return status;
  return jn_fail(x->error, JN_ERR_SINGULAR, NULL, 0,
                 "the motion breaks a limit by %.4g between grid points: take more intervals",
                 factor - 1);
}
