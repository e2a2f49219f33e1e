/* clock.c: clocks: the time of a path as a function of time, and motions that run by them. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"

enum { COLUMNS = 5, POWERS = 8 }; /* t, u, u', u'', u'''; degree 7 */
#define ROUNDING 2.3e-16          /* of a time, relative */
#define SLACK 1e-9 /* relative: a clock may fall back, or leave the path, by so much */

static const double *row_of(const jn_clock *c, int i) { return c->row + (size_t)i * COLUMNS; }

double jn_clock_start(const jn_clock *c) { return c->row[0]; }
double jn_clock_end(const jn_clock *c) { return row_of(c, c->count - 1)[0]; }

/* the piece with x_i <= x < x_(i+1), x the times (column 0) or the values (column 1) */
static int find_row(const jn_clock *c, int column, double x) {
  return jn_last_at(c->row + column, COLUMNS, 0, c->count - 1, x);
}

/* u - u_i = sum_k a_k s^k, s = (t - t_i)/h, from the values and three derivatives at both ends:
 *   u = a_0 + ... + a_3 s^3 + s^4 g(s - 1),   g = sum_k g_k (s - 1)^k */
double jn_clock_powers(const double *p, const double *q, double a[POWERS]) {
  const double h = q[0] - p[0], h2 = h * h / 2, h3 = h * h * h / 6;
  a[0] = 0, a[1] = h * p[2], a[2] = h2 * p[3], a[3] = h3 * p[4];
  const double r0 = (q[1] - p[1]) - (a[1] + a[2] + a[3]),
               r1 = h * q[2] - (a[1] + 2 * a[2] + 3 * a[3]), r2 = h2 * q[3] - (a[2] + 3 * a[3]),
               r3 = h3 * q[4] - a[3];
  const double g0 = r0, g1 = r1 - 4 * g0, g2 = r2 - 4 * g1 - 6 * g0,
               g3 = r3 - 4 * g2 - 6 * g1 - 4 * g0;
  a[4] = g0 - g1 + g2 - g3, a[5] = g1 - 2 * g2 + 3 * g3, a[6] = g2 - 3 * g3, a[7] = g3;
  return h;
}

/* Taylor coefficients 0..order of u at t */
static void clock_jet(const jn_clock *c, double t, int order, double *x) {
  const int i = find_row(c, 0, t);
  const double *p = row_of(c, i);
  double a[POWERS], f = 1;
  const double h = jn_clock_powers(p, p + COLUMNS, a), s = (t - p[0]) / h;
  for (int k = 0; k <= order; k++) x[k] = 0;
  for (int k = 0; k <= order && k < POWERS; k++) {
    for (int j = POWERS - 2; j >= k; j--) a[j] += s * a[j + 1];
    x[k] = f * a[k];
    f /= h;
  }
  /* at a row its own value, without the rounding of the sum */
  x[0] = s >= 1 ? p[COLUMNS + 1] : p[1] + x[0];
}

/* x(u) <- x(u(t)) = sum_k x_k (u - u_0)^k by Horner's rule; d: coefficients of u; work[order+1] */
void jn_jet_after(int order, const double *d, double *work, double *x) {
  work[0] = x[order];
  for (int k = 1; k <= order; k++) work[k] = 0;
  for (int m = order - 1; m >= 0; m--) {
    /* work <- work (u - u_0) + x_m */
    for (int k = order; k >= 1; k--) {
      double sum = 0;
      for (int j = 0; j < k; j++) sum += work[j] * d[k - j];
      work[k] = sum;
    }
    work[0] = x[m];
  }
  memcpy(x, work, sizeof *x * (size_t)(order + 1));
}

/* breaks are met to rounding: a time just before one means the break */
static double snapped(const jn_trajectory *T, double u) {
  const double near = 8 * ROUNDING * (fabs(T->start) + fabs(T->end));
  for (int i = 0; i < T->splines; i++) {
    const int p = jn_spline_piece(&T->spline[i], u);
    const double next = T->spline[i].breaks[p + 1];
    if (next > u && next - u <= near) return next;
  }
  return u;
}

void jn_clock_jet(const jn_trajectory *T, double t, int order, double *work, double *d) {
  double *other = work + order + 1;
  clock_jet(&T->clock[T->clocks - 1], t, order, d);
  for (int k = T->clocks - 2; k >= 0; k--) {
    clock_jet(&T->clock[k], d[0], order, other);
    jn_jet_after(order, d, work, other);
    memcpy(d, other, sizeof *d * (size_t)(order + 1));
  }
  d[0] = snapped(T, fmin(fmax(d[0], T->start), T->end));
  double f = 1;
  for (int k = 1; k <= order; k++) f /= T->scale, d[k] *= f;
}

/* The time at which a clock shows u, by bisection: clocks increase. */
static double inverse(const jn_clock *c, double u) {
  const double *p = row_of(c, find_row(c, 1, u));
  double low = p[0], high = p[COLUMNS], x;
  if (u <= p[1]) return p[0];
  if (u >= p[COLUMNS + 1]) return p[COLUMNS];
  for (int i = 0; i < 200; i++) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    clock_jet(c, middle, 0, &x);
    if (x < u)
      low = middle;
    else
      high = middle;
  }
  return high;
}

double jn_clock_inverse(const jn_trajectory *T, double u) {
  for (int k = 0; k < T->clocks; k++) u = inverse(&T->clock[k], u);
  return u;
}

double jn_clock_fastest(const jn_trajectory *T) {
  double rate = 1;
  for (int k = 0; k < T->clocks; k++) {
    double most = 0;
    for (int i = 0; i < T->clock[k].count; i++) most = fmax(most, row_of(&T->clock[k], i)[2]);
    rate *= most;
  }
  return rate;
}

double jn_clock_next_break(const jn_trajectory *T, double t) {
  double next = HUGE_VAL;
  /* from the outermost clock inwards: rows of clock k as times of the outermost */
  double at = t;
  for (int k = T->clocks - 1; k >= 0; k--) {
    const jn_clock *c = &T->clock[k];
    int i = find_row(c, 0, at);
    for (i = i > 0 ? i - 1 : 0; i < c->count; i++) {
      double x = row_of(c, i)[0];
      for (int j = k + 1; j < T->clocks; j++) x = inverse(&T->clock[j], x);
      if (!(x > t)) continue;
      next = fmin(next, x);
      break;
    }
    clock_jet(c, fmin(fmax(at, jn_clock_start(c)), jn_clock_end(c)), 0, &at);
  }
  return next;
}

/* Checks. */

static jn_status not_increasing(int i, const double *p, jn_error *error) {
  return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                 "clock: row %d (t = %.9g, u = %.9g): times and values must increase, also between "
                 "rows",
                 i, p[0], p[1]);
}

/* u increases in a piece if its Bernstein coefficients do */
static int increases(const double *p, const double *q) {
  const double h = q[0] - p[0], rise = q[1] - p[1];
  double b[POWERS];
  for (int side = 0; side < 2; side++) {
    const double *r = side ? q : p, s = side ? -h : h;
    const double d1 = s * r[2] / 7, d2 = s * s * r[3] / 42, d3 = s * s * s * r[4] / 210,
                 from = side ? rise : 0;
    const double value[4] = {from, from + d1, from + 2 * d1 + d2, from + 3 * d1 + 3 * d2 + d3};
    for (int k = 0; k < 4; k++) b[side ? 7 - k : k] = value[k];
  }
  for (int k = 1; k < POWERS; k++)
    if (!(b[k] >= b[k - 1] - SLACK * rise)) return 0;
  return h > 0 && rise > 0;
}

static jn_status check_rows(const jn_trajectory *T, int count, const double *row, jn_error *error) {
  const double start = jn_trajectory_start(T), end = jn_trajectory_end(T),
               slack = SLACK * (end - start);
  if (count < 2 || count > JN_MAX_SAMPLES)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "clock: 2 to %d rows expected", JN_MAX_SAMPLES);
  if (!jn_all_finite(row, (size_t)count * COLUMNS))
    return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0, "clock: a number is not finite");
  for (int i = 0; i + 1 < count; i++) {
    const double *p = row + (size_t)i * COLUMNS;
    if (!increases(p, p + COLUMNS)) return not_increasing(i, p, error);
  }
  const double first = row[1], last = row[(size_t)(count - 1) * COLUMNS + 1];
  if (!(first >= start - slack) || !(last <= end + slack))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "clock: its values run from %.9g to %.9g, the path only from %.9g to %.9g",
                   first, last, start, end);
  return JN_OK;
}

jn_status jn_clock_add(jn_trajectory *T, int count, const double *row, jn_error *error) {
  jn_status status = check_rows(T, count, row, error);
  if (status) return status;
  jn_clock *more = jn_block_new(&T->hooks, (size_t)T->clocks + 1, sizeof *more);
  double *own = jn_block_new(&T->hooks, (size_t)count * COLUMNS, sizeof *own);
  if (!more || !own) {
    jn_block_free(&T->hooks, more);
    jn_block_free(&T->hooks, own);
    return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  }
  const double start = jn_trajectory_start(T);
  memcpy(own, row, (size_t)count * COLUMNS * sizeof *own);
  for (int i = 0; i < count && T->scale != 1; i++) {
    /* the scale of the path becomes part of the clock */
    double *r = own + (size_t)i * COLUMNS;
    r[1] = start + (r[1] - start) / T->scale;
    for (int k = 2; k < COLUMNS; k++) r[k] /= T->scale;
  }
  if (T->clocks) memcpy(more, T->clock, (size_t)T->clocks * sizeof *more);
  jn_block_free(&T->hooks, T->clock);
  T->clock = more;
  T->clock[T->clocks++] = (jn_clock){count, own};
  T->scale = 1;
  return JN_OK;
}

jn_status jn_trajectory_clocked(const jn_trajectory *trajectory, int count, const double *clock,
                                const jn_allocator *allocator, jn_trajectory **out,
                                jn_error *error) {
  if (!trajectory || !clock || !out)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "an argument is NULL");
  jn_trajectory *T = NULL;
  jn_status status = jn_trajectory_scaled(trajectory, 1, allocator, &T);
  if (status) return jn_fail(error, status, NULL, 0, "%s", jn_status_text(status));
  status = jn_clock_add(T, count, clock, error);
  if (status)
    jn_trajectory_free(T);
  else
    *out = T;
  return status;
}
