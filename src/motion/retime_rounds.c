/* retime_rounds.c: solves for the clock, looks at the motion between grid points, tightens the
 * limits that are exceeded there, and makes the motion. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/clock_cost.h"
#include "motion/clock_rows.h"
#include "motion/retime.h"
#include "trajectory/trajectory.h"

enum { ROUNDS = 4 };                     /* solves at most on the fine grid */
enum { FEW = 150 };                      /* cells: the motion is examined as a whole */
enum { COARSE = 128 };                   /* cells of the coarse grid at most */
enum { MOST = 1 << 16 };                 /* cells of an automatic grid at most */
enum { TOO_FINE = 8192 };                /* rounding errors may be too large for more cells */
static const double cell_seconds = 4e-3; /* of an automatic grid, on average */
/* of a limit by the coarse clock, to be a row of the fine grid: without and with b'', which changes most */
static const double part_used[2] = {0.8, 0.4};
static const double enough = 1e-3;   /* excess that is left to slowing down */
static const double margin = 2e-7;   /* and what is not seen between the points looked at */
static const double doubtful = 2e-5; /* error of rows interpolated by degree 3; of degree 5: 1e-7 */
static const double later = 1.01;    /* a given duration relative to the least, at least */
static const double barrier_again = 3e-3; /* of a solve that starts from its own clock */
static const double tie = 1e-4;           /* weight of the duration among clocks of the same cost */
static const double least_room = 1e-4;    /* of a force at rest to its limit */
static const double most_rounding = 1e-5; /* of a limit of rates, used by rounding errors */

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
  const int coarse = !x->quarters; /* only a start for the fine grid */
  /* `round` > 0: some rows are other ones than in the solve before */
  const int again = round > 0 && !x->p.cost && x->solution.kept;
  const jn_clock_settings settings = {.tolerance = !coarse ? x->options.tolerance
                                                   : warm  ? 0.01
                                                           : 0.05,
                                      .warm = again ? 2 : warm,
                                      .keep = !coarse && !x->cost,
                                      .barrier = again                ? barrier_again
                                                 : warm && !x->p.cost ? 0.1
                                                                      : 1,
                                      .most = 200,
                                      .progress = x->options.progress ? report_progress : NULL,
                                      .context = &w};
  jn_status status = jn_clock_solve(&x->p, &settings, &x->scratch, &x->solution);
  report->rounds = round + 1;
  report->intervals = x->p.cells;
  report->steps += x->solution.iterations;
  if (x->solution.iterations > report->longest) report->longest = x->solution.iterations;
  if (status == JN_ERR_ARGUMENT)
    return jn_fail(x->error, JN_ERR_STATE, NULL, 0, "stopped by the caller");
  if (status == JN_ERR_SINGULAR)
    return jn_fail(x->error, status, NULL, 0, "the search for the timing did not converge: take %s",
                   x->p.cells > TOO_FINE
                       ? "fewer intervals: the entries of its matrix grow with their fourth "
                         "power, and rounding errors with them"
                       : "more intervals, or a path whose third derivative varies less");
  if (status == JN_ERR_INFEASIBLE) return jn_retime_fail_at_rest(x, 0);
  return status;
}

/* From coarse to fine. */

/* The row that limits b'' most strongly in every chunk of points takes part in any case: without one, b''
 * could become anything there. So do the limits of the clock itself, unless every point has a row that is
 * `stronger` times as strong. */
static void choose_strongest(retiming *x, int chunks) {
  const double stronger = 10;
  const jn_clock_problem *p = &x->p;
  double *most = x->use; /* |r2| at every point */
  unsigned char *own = x->active + (size_t)(p->second - 1) * (size_t)chunks,
                *own_third = x->active + (size_t)(p->second + p->third - 1) * (size_t)chunks;
  const double *own_r2 = p->r2 + (size_t)(p->third - 1) * (size_t)p->stride;
  memset(most, 0, (size_t)p->stride * sizeof *most);
  for (int k = 0; k < p->third - 1; k++) {
    const double *restrict r2 = p->r2 + (size_t)k * (size_t)p->stride;
    for (int i = 0; i < p->points; i++) {
      const double size = fabs(r2[i]);
      most[i] = size > most[i] ? size : most[i];
    }
  }
  for (int c = 0; c < chunks; c++) {
    const int from = c * JN_CLOCK_PIECE,
              to = from + JN_CLOCK_PIECE < p->points ? from + JN_CLOCK_PIECE : p->points;
    int top = from, weak = 0;
    for (int i = from; i < to; i++) {
      if (most[i] > most[top]) top = i;
      weak |= most[i] < stronger * own_r2[i];
    }
    if (weak) own[c] = own_third[c] = 1;
    int strongest = p->third - 1;
    for (int k = 0; k < p->third - 1 && most[top] > 0; k++)
      if (fabs(p->r2[(size_t)k * (size_t)p->stride + (size_t)top]) == most[top]) strongest = k;
    x->active[(size_t)(p->second + strongest) * (size_t)chunks + (size_t)c] = 1;
  }
}

/* The rows that may become active: those whose use by the clock that the grid began with is above `part` in a
 * chunk of points or next to it. */
static void choose_rows(retiming *x) {
  const jn_clock_problem *p = &x->p;
  const int chunks = jn_clock_chunks(p->points);
  for (int k = 0; k < p->second + p->third; k++) {
    unsigned char *active = x->active + (size_t)k * (size_t)chunks;
    const double *peak = x->peak + (size_t)k * (size_t)x->chunks, part = part_used[k >= p->second];
    for (int c = 0; c < chunks; c++) {
      const int before = c > 0 ? c - 1 : 0, after = c + 1 < chunks ? c + 1 : c;
      active[c] =
          !jn_retime_is_own(x, k) && (peak[before] > part || peak[c] > part || peak[after] > part);
    }
  }
  choose_strongest(x, chunks);
  x->p.active = x->active;
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
  const jn_status status =
      jn_retime_grid(x, cells, cells == cells_of(l), l->cells ? l->c : NULL, l->cells);
  if (status) return status;
  if (l->cells) choose_rows(x);
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
  x->finest = asked ? cells_of(l) : 0;
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
    done += left <= STEP + 1 ? left : left % STEP ? left % STEP : STEP;
    if (left == 0) break;
  }
  return solve_level(x, l, cells_of(l), report);
}

/* Other objectives. */

/* the cost of the motion that is slowed down by a factor, by Simpson's rule in every cell */
static double cost_of_motion(const retiming *x, double factor) {
  const double s = 1 / (factor * factor), weight[3] = {1, 4, 1};
  double sum = 0;
  for (int cell = 0; cell < x->p.cells && x->cost; cell++)
    for (int half = 0; half < 3; half++) {
      const int i = jn_retime_in_cell(x, cell, 2 * half);
      sum += weight[half] * jn_clock_cost_at(x->cost, (size_t)x->p.stride, i, s * x->b[i],
                                             s * x->b1[i], s * x->b2[i])
                                .value;
    }
  return sum * x->p.h / 6;
}

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
  x->p.cost = x->cost;
  if (o->duration > 0) {
    /* start near the duration: the fastest clock slowed down keeps the limits too */
    const double root = fmin(1, fastest * x->lead / (0.95 * o->duration));
    x->p.deadline = o->duration / x->lead;
    for (int i = 0; i <= x->p.cells; i++) x->solution.c[i] *= root * root;
  }
  /* of clocks that cost the same, near an end at rest for instance, the faster one */
  jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
  x->p.time = mixed ? 1 / o->weight : tie * cost_of_motion(x, 1) / fastest;
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
  const jn_status status =
      jn_trajectory_clocked(x->path, x->p.cells + 1, x->clock, &x->hooks, out, x->error);
  if (status == JN_ERR_ARGUMENT || status == JN_ERR_NOT_FINITE)
    return jn_fail(x->error, JN_ERR_SINGULAR, NULL, 0,
                   "the motion stops or turns back between grid points: take more intervals");
  return status;
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
  if (!status && *factor < 1) return jn_retime_fail_at_rest(x, 0); /* slower is not better */
  for (int i = 0; i < x->options.tools && !status; i++) {
    const jn_tool_limit *tool = &x->options.tool[i];
    double speed;
    status = jn_tool_peak(x->model, x->data, motion, tool->frame, 1000, &x->hooks, &speed, NULL);
    if (!status) *factor = fmax(*factor, speed / tool->speed);
  }
  return status;
}

/* What rounding errors of the clock's rows add to the use of a limit of rates: an error of u by eps |u| adds
 * up to 52.5 eps |u|/dt^3 to u''', the largest third derivative of a step of degree 7, and 2 r2 times that to a
 * rate; about a tenth of that was seen, a fifth is assumed. The motion that is looked at has other errors than
 * the result. */
static double use_of_rounding(const retiming *x) {
  const double u = fmax(fabs(x->start), fabs(x->start + x->p.h * x->p.cells));
  double dt = HUGE_VAL;
  for (int i = 0; i < x->p.cells; i++) {
    const double *row = x->clock + 5 * (size_t)i;
    dt = row[5] - row[0] < dt ? row[5] - row[0] : dt;
  }
  return 2 * x->steepest * 10.5 * DBL_EPSILON * u / (dt * dt * dt);
}

/* 1 if the points of a cell may not show what happens in it: few cells, an uneven path, more pieces than cells, a
 * clock that changes by more than a factor of two in a cell, a force at rest next to its limit, or rounding
 * errors that count. */
static int is_rough(const retiming *x) {
  double most = 1;
  for (int i = 0; i < x->p.cells; i++) {
    const double ratio = x->clock[5 * (size_t)i + 2] / x->clock[5 * (size_t)i + 7];
    most = fmax(most, fmax(ratio, 1 / ratio));
  }
  return x->p.cells < FEW || x->uneven || x->break_count > x->p.cells || most > 2 ||
         x->room < least_room || use_of_rounding(x) > most_rounding;
}

/* The same by what happens in the cells that are not sure. */
static jn_status examine_cells(const retiming *x, const jn_limit_range *range,
                               const jn_trajectory *motion, double *factor) {
  double *parts = jn_block_new(&x->hooks, 2 * (size_t)x->p.cells, sizeof *parts), scale = 1;
  int count = 0;
  if (!parts) return JN_ERR_MEMORY;
  for (int cell = 0; cell < x->p.cells; cell++) {
    if (!x->unsure[cell]) continue;
    const double *row = x->clock + 5 * (size_t)cell;
    if (!cell || !x->unsure[cell - 1]) parts[2 * count++] = row[0];
    parts[2 * count - 1] = row[5];
  }
  const jn_status status = count ? jn_limit_scale_of_parts(x->model, x->data, motion, range, count,
                                                           parts, &x->hooks, &scale)
                                 : JN_OK;
  jn_block_free(&x->hooks, parts);
  *factor = scale == 1 ? 1 : scale * (1 + margin);
  return status || *factor >= 1 ? status : jn_retime_fail_at_rest(x, 0); /* slower is not better */
}

/* Examines a motion, a rough one as a whole: *factor, by which it must be slower. */
static jn_status examine_motion(retiming *x, const jn_trajectory *motion, double *factor) {
  const size_t count = (size_t)x->rows * JN_LIMIT_KINDS;
  *factor = 1;
  jn_limit_range *range = jn_block_new(&x->hooks, count, sizeof *range);
  if (!range) return JN_ERR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const int kind = (int)(i % JN_LIMIT_KINDS),
              left_out = x->options.without_rates &&
                         (kind == JN_LIMIT_JERK || kind == JN_LIMIT_EFFORT_RATE);
    range[i] = left_out ? (jn_limit_range){-HUGE_VAL, HUGE_VAL} : x->range[i];
  }
  const jn_status status =
      is_rough(x) ? examine(x, range, motion, factor) : examine_cells(x, range, motion, factor);
  jn_block_free(&x->hooks, range);
  return status;
}

/* The same grid with rows that are computed at all quarters, for a path that is not smooth enough to
 * interpolate them. */
static jn_status make_exact(retiming *x) {
  const size_t n = (size_t)x->p.cells + 1;
  double *kept = jn_block_new(&x->hooks, 2 * n, sizeof *kept);
  if (!kept) return JN_ERR_MEMORY;
  memcpy(kept, x->solution.c, n * sizeof *kept);
  memcpy(kept + n, x->fast, n * sizeof *kept);
  x->all_exact = 1;
  const jn_status status = jn_retime_grid(x, x->p.cells, 1, kept, x->p.cells);
  if (!status) {
    memcpy(x->fast, kept + n, n * sizeof *kept);
    choose_rows(x);
  }
  jn_block_free(&x->hooks, kept);
  return status;
}

/* Looks, tightens and solves again; then slows down until nothing is exceeded. */
static jn_status settle(retiming *x, jn_retime_report *report) {
  double worst = 0;
  int more, taken = 0; /* rows taken in: in this round, and in how many */
  jn_status status = JN_OK;
  for (int round = 1; !status; round++) {
    jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
    make_clock(x, 1);
    jn_retime_motion(x);
    status = jn_retime_tighten(x, &worst, &more);
    if (!status && x->doubt > doubtful) {
      status = make_exact(x);
      round--;
      continue;
    }
    taken += more;
    if (status || worst < 1 + enough || round == ROUNDS + (taken < ROUNDS ? taken : ROUNDS)) break;
    status = solve_again(x, round, worst, report);
  }
  const double least = jn_retime_least_slowing(x);
  if (!status && least > 1) {
    status = jn_retime_meet_ends(x);
    make_clock(x, 1);
    jn_retime_motion(x);
  }
  /* what rounding errors need; of a slowness that is due anyway, a part */
  const double rounding = status ? 0 : use_of_rounding(x),
               spare = rounding > margin ? 1 + rounding : 1, first = fmax(1, least / spare);
  report->slowed = first;
  /* After the first time only rounding is left, unless a force at rest takes most of its limit and
   * slowing down changes only the rest: then by secants of the excess, which do not reach too far, as it is
   * convex in the slowness. */
  double before = 0, at = 1; /* the excess in the trial before, and its slowness */
  for (int trial = 0; trial < 8 && !status; trial++) {
    double factor, excess;
    status = jn_retime_slow_down(x, 1 / report->slowed, &factor, &excess);
    if (trial == 0) report->excess = excess;
    if (status) return status;
    if (factor > 1 && trial > 0 && excess < before)
      factor = fmax(factor, 1 + (excess + margin) * (1 - at / report->slowed) / (before - excess));
    before = excess, at = report->slowed;
    if (factor == 1) {
      report->slowed = report->slowed > first ? report->slowed * spare : fmax(least, spare);
      return JN_OK;
    }
    report->slowed *= factor;
  }
  return status ? status : jn_retime_fail_at_rest(x, report->excess);
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
    if (!(status = examine_motion(x, motion, &factor)) && factor == 1) {
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
