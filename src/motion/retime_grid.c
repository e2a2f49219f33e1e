/* retime_grid.c: speeds at the ends that are met exactly; paths that are run evenly, in space or in time. */
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/retime.h"

#define END_SPEED 1e-3 /* of b at an end, relative: the given speed is not met */

static int is_given(const retiming *x, int side) {
  const double speed = x->options.speed[side];
  return x->options.ends == JN_ENDS_GIVEN && speed > 0 && speed < HUGE_VAL;
}

double jn_retime_end_speed(const retiming *x, int side) {
  if (x->options.ends == JN_ENDS_REST) return 0;
  return x->options.speed[side] / x->rate[side] * (is_given(x, side) ? x->lead : 1);
}

double jn_retime_least_slowing(const retiming *x) {
  return is_given(x, 0) || is_given(x, 1) ? x->lead : 1;
}

void jn_retime_slow_more(retiming *x, double lead) {
  const jn_clock_problem *p = &x->p;
  x->lead = lead;
  for (int side = 0; side < 2; side++) {
    if (!is_given(x, side)) continue;
    const int at = side ? p->cells : 0;
    const double speed = jn_retime_end_speed(x, side),
                 tight =
                     x->tight
                         ? x->tight[(size_t)(p->second + p->third) * (size_t)p->stride + (size_t)at]
                         : 1;
    p->cap[at] = fmin(x->cap[at] / (tight * tight), speed * speed);
  }
}

/* b += (wanted - b at the end) (1 - s/w)^4, w a quarter of the path: a change of the size of the
 * solver's tolerance, too wide to matter to b'' */
static void move_end(retiming *x, int side, double wanted) {
  const int N = x->p.cells, w = N / 4, end = side ? N : 0;
  double *c = x->solution.c, now = x->b[end];
  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0; i <= w; i++) {
      const double s = 1 - (double)i / w;
      c[side ? N - i : i] += (wanted - now) * s * s * s * s;
    }
    jn_clock_values(&x->p, c, x->b, x->b1, x->b2);
    now = x->b[end];
  }
}

jn_status jn_retime_meet_ends(retiming *x) {
  static const char *const name[2] = {"start", "end"};
  jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
  for (int side = 0; side < 2; side++) {
    if (!is_given(x, side)) continue;
    const double speed = jn_retime_end_speed(x, side), wanted = speed * speed;
    const double now = x->b[side ? x->p.cells : 0];
    if (fabs(now / wanted - 1) > END_SPEED)
      return jn_fail(
          x->error, JN_ERR_INFEASIBLE, NULL, 0,
          "no timing keeps the limits with the speed %.6g at the %s of the path: it can be "
          "%.6g at most",
          x->options.speed[side], name[side], sqrt(now) * x->rate[side] / x->lead);
    move_end(x, side, wanted);
  }
  return JN_OK;
}

/* A path that is run evenly. */

enum { PARTS = 512, LAST = PARTS + 1, SAMPLES = 4 };

/* From weights a[1 ... LAST] of the path, one a knot, the coefficients a[0 ... LAST + 2] of ds/du: a share
 * of it even, the rest in proportion to the weights, smoothed; symmetric about the ends. */
static void place_density(double *a, double *next, double even) {
  enum { PASSES = 100 };
  double sum = 0;
  for (int i = 1; i <= LAST; i++) sum += a[i] * (i == 1 || i == LAST ? 0.5 : 1);
  for (int i = 1; i <= LAST; i++) a[i] = even + (1 - even) * a[i] * PARTS / sum;
  for (int pass = 0; pass <= PASSES; pass++) {
    a[0] = a[2], a[LAST + 1] = a[LAST - 1], a[LAST + 2] = a[LAST - 2];
    if (pass == PASSES) break;
    for (int i = 1; i <= LAST; i++) next[i] = 0.25 * (a[i - 1] + 2 * a[i] + a[i + 1]);
    memcpy(a + 1, next + 1, LAST * sizeof *a);
  }
}

/* The clock u(s) of a density ds/du, a cubic B-spline with coefficients a; a[i] belongs to knot i - 1. */
static jn_status run_by_density(retiming *x, const double *a, double *rows) {
  const double start = jn_trajectory_start(x->path), length = jn_trajectory_end(x->path) - start,
               h = length / PARTS;
  double s = 0;
  for (int i = 0; i <= PARTS; i++) {
    double *row = rows + 5 * (size_t)i;
    const double rho = (a[i] + 4 * a[i + 1] + a[i + 2]) / 6, d1 = (a[i + 2] - a[i]) / (2 * h),
                 d2 = (a[i] - 2 * a[i + 1] + a[i + 2]) / (h * h), R = 1 / rho, R2 = R * R;
    /* u' = 1/rho, u'' = -rho_u/rho^3, u''' = (3 rho_u^2 - rho rho_uu)/rho^5 */
    row[0] = start + s;
    row[1] = i == PARTS ? start + length : start + h * i;
    row[2] = R;
    row[3] = -d1 * R2 * R;
    row[4] = (3 * d1 * d1 - rho * d2) * R2 * R2 * R;
    /* the integral of rho to the next knot */
    s += h * (a[i] + 11 * (a[i + 1] + a[i + 2]) + a[i + 3]) / 24;
  }
  return jn_retime_reclock(x, PARTS + 1, rows);
}

/* Weights: |v_1| of the path, every degree of freedom relative to its largest, at SAMPLES places around a
 * knot; *most: the largest relative to the mean. Without a: only that, from fewer places. */
static jn_status weigh_path(retiming *x, double *a, double *most) {
  const double start = jn_trajectory_start(x->path), length = jn_trajectory_end(x->path) - start;
  const int count = a ? SAMPLES * PARTS : 128;
  double sum = 0;
  *most = 0;
  for (int n = 0; n <= count; n++) {
    const double u = n == count ? start + length : start + length * n / count;
    const jn_status status = jn_trajectory_at(x->path, u, -1, x->representation, x->q, x->v);
    if (status) return status;
    double square = 0;
    for (int i = 0; i < x->nv; i++)
      if (x->size[i] > 0) square += x->v[i] / x->size[i] * (x->v[i] / x->size[i]);
    const double w = sqrt(square);
    if (a) a[1 + (n + SAMPLES / 2) / SAMPLES] += w;
    sum += w, *most = fmax(*most, w);
  }
  if (a) a[1] *= 2, a[LAST] *= 2; /* half as many samples */
  *most *= (count + 1) / sum;
  return JN_OK;
}

/* Weights: the time that the clock x->b takes; returns the largest relative to the mean. */
static double weigh_clock(const retiming *x, double *a) {
  const int N = x->p.cells;
  double sum = 0, most = 0;
  for (int i = 0; i < N; i++) {
    const double t = 1 / sqrt(x->b[i]) + 1 / sqrt(x->b[i + 1]);
    sum += t, most = fmax(most, t);
  }
  for (int i = 0; i <= PARTS; i++) {
    const double at = (double)i * N / PARTS;
    const int low = (int)at, high = low < N ? low + 1 : N;
    a[i + 1] = 1 / sqrt(x->b[low] + (at - low) * (x->b[high] - x->b[low]));
  }
  return most * N / sum;
}

/* A density that changes too fast for its clock is left alone: *changed is 0. */
static void even_out(retiming *x, double *a, double even, int *changed) {
  place_density(a, a + LAST + 3, even);
  *changed = !run_by_density(x, a, a + 2 * (LAST + 3));
  x->error->message[0] = 0;
  x->uneven |= *changed;
}

static double *density_new(const retiming *x) {
  return jn_block_new(&x->hooks, 2 * (LAST + 3) + 5 * LAST, sizeof(double));
}

jn_status jn_retime_even_path(retiming *x) {
  double most;
  jn_status status = weigh_path(x, NULL, &most);
  if (status || !(most > 3) || !isfinite(most)) return status;
  double *a = density_new(x);
  int changed;
  if (!a) return JN_ERR_MEMORY;
  if (!(status = weigh_path(x, a, &most))) even_out(x, a, 0.05, &changed);
  jn_block_free(&x->hooks, a);
  return status;
}

jn_status jn_retime_even_clock(retiming *x, int *changed) {
  double *a = density_new(x);
  *changed = 0;
  if (!a) return JN_ERR_MEMORY;
  const double most = weigh_clock(x, a);
  if (most > 4 && isfinite(most)) even_out(x, a, 0.5, changed);
  jn_block_free(&x->hooks, a);
  return *changed ? jn_retime_list_breaks(x) : JN_OK;
}
