/* clock_solver.c: one interior-point solve for the fastest clock; see clock_solver.h.
 *
 * Rows are divided by b^(1/2) where they hold b'', so that v = r2 b'' + r1 b' + ... is linear (but
 * for damping) and its bound is b^(-1/2), a convex function of b. With true slacks
 *
 *   z+ = high R - v,   z- = low R + v,    R = 1 or b^(-1/2),  s = dR/db
 *   gradients  a+ = (v_0 - high s, v_1, v_2),   a- = -(v_0 + low s, v_1, v_2)  of (b, b', b'')
 *
 * a step solves  (H + sum lambda/z a a^T - 3/4 b^(-5/2) sum (high lambda+ + low lambda-) e e^T) dx
 *                = -(grad + sum (sigma mu / z) a)
 *
 * with the last term left out where the matrix would not be positive. The matrix has seven
 * diagonals. One step length serves x and lambda. b^(-1/2) lies above its tangents, so that a step
 * that keeps the linearised slacks positive keeps the true ones positive; with damping the slacks
 * are tested. A deadline adds a row that all points share, a = dT/dc: the matrix becomes
 * K + lambda/z a a^T, solved by the formula of Sherman and Morrison. T is convex, and z its own
 * unknown: T + z = deadline holds in the end. */
#include "motion/clock_solver.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/cpu.h"
#include "motion/clock_cost.h"
#include "motion/clock_rows.h"
#include "motion/clock_spline.h"

static const double least_shift =
    1e-12; /* of the diagonal, where a pivot fails; then 100 times more */
static const double only_a_start =
    5e-3; /* a tolerance from here on asks for a start, not for the optimum */
static const double most_gradient = 1e-4; /* relative: stationary, whatever the tolerance */
static const double gradient_of_tolerance = 1e3;
static const double left_of_tolerance = 1e-3; /* decrease that is left, relative to the tolerance */
static const double least_slack = 1e-3;       /* of a deadline, relative */
static const double first_part = 1e-2;        /* of the largest b, to start a bisection from zero */
static const double no_clock = 1e-200;        /* b that is zero */
typedef struct solver {
  const jn_clock_problem *p;
  const jn_clock_passes *passes;
  jn_allocator hooks;
  int n, points; /* unknowns */
  double pairs;  /* two-sided rows at points */
  jn_clock_spline spline;
  jn_clock_rows r;
  double *c, *dc, *old, *start, *rhs; /* [n] */
  double *f[3];                       /* [points] scratch */
  double *og[3];                      /* [points]: gradient of the costs */
  double *da, *Ka;                    /* [n] of the deadline: a, K^-1 a */
  double T, cost;                     /* duration; sum w cost */
  double late_l, late_z, late_r;      /* of the deadline: lambda, z, T + z - deadline */
  double late_d, late_dz;             /* steps of lambda and z */
  void *lists[4];
} solver;

/* Rows. */

int jn_clock_row(const jn_clock_problem *p, int k, const double *column[6]) {
  const int third = k >= p->second;
  const size_t at = (size_t)(third ? k - p->second : k) * (size_t)p->stride;
  const double *const second_parts[] = {p->s0, p->s1, p->sg, p->sd}, *const third_parts[] = {
                                                                         p->r0, p->r1, p->rg,
                                                                         p->r2, p->d0, p->d1};
  const int count = third ? 4 + 2 * p->damped : 3 + p->damped;
  for (int c = 0; c < count; c++) column[c] = (third ? third_parts : second_parts)[c] + at;
  return count;
}

static int is_active(const jn_clock_problem *p, int k, int chunk) {
  return !p->active || p->active[(size_t)k * (size_t)jn_clock_chunks(p->points) + (size_t)chunk];
}

int jn_clock_chunks(int points) { return (points + JN_CLOCK_PIECE - 1) / JN_CLOCK_PIECE; }

/* Lists the rows of every chunk; returns the length of their data. */
static size_t list_rows(solver *x) {
  const jn_clock_problem *p = x->p;
  const size_t second = (size_t)jn_clock_columns(0, p->damped),
               third = (size_t)jn_clock_columns(1, p->damped);
  size_t size = 0;
  int listed = 0;
  for (int c = 0; c < jn_clock_chunks(p->points); c++) {
    jn_clock_chunk *to = &x->r.chunk[c];
    *to = (jn_clock_chunk){.first = listed, .data = size};
    for (int k = 0; k < p->second + p->third; k++) {
      if (!is_active(p, k, c)) continue;
      x->r.row[listed++] = k;
      *(k < p->second ? &to->second : &to->third) += 1;
    }
    const int left = p->points - c * JN_CLOCK_PIECE;
    x->pairs += (double)(to->second + to->third) * (left < JN_CLOCK_PIECE ? left : JN_CLOCK_PIECE);
    size += JN_CLOCK_PIECE * ((size_t)to->second * second + (size_t)to->third * third);
  }
  return size;
}

/* The data of group g, and of a row there. */
static double *group_data(const solver *x, int g) {
  const jn_clock_chunk *c = &x->r.chunk[g / JN_CLOCK_CHUNK];
  const size_t size = (size_t)c->second * (size_t)jn_clock_columns(0, x->r.damped) +
                      (size_t)c->third * (size_t)jn_clock_columns(1, x->r.damped);
  return x->r.data + c->data + (size_t)(g % JN_CLOCK_CHUNK) * size * JN_CLOCK_GROUP;
}
static double *row_data(const solver *x, const jn_clock_chunk *c, double *group, int n) {
  const int second = n < c->second ? n : c->second, third = n - second;
  return group + JN_CLOCK_GROUP * (size_t)(second * jn_clock_columns(0, x->r.damped) +
                                           third * jn_clock_columns(1, x->r.damped));
}

/* Copies the numbers of the rows; copies of the last point follow it. */
static void pack_rows(solver *x) {
  const jn_clock_problem *p = x->p;
  for (int g = 0; g < x->r.groups; g++) {
    const jn_clock_chunk *c = &x->r.chunk[g / JN_CLOCK_CHUNK];
    const int count = c->second + c->third, from = g * JN_CLOCK_GROUP,
              left = p->points - from < JN_CLOCK_GROUP ? p->points - from : JN_CLOCK_GROUP;
    double *d = group_data(x, g);
    for (int n = 0; n < count; n++) {
      const double *column[6];
      const int columns = jn_clock_row(p, x->r.row[c->first + n], column);
      d += JN_COLUMN_K * JN_CLOCK_GROUP;
      for (int i = 0; i < columns; i++, d += JN_CLOCK_GROUP) {
        const double *k = column[i] + from;
        if (left == JN_CLOCK_GROUP)
          memcpy(d, k, JN_CLOCK_GROUP * sizeof *d);
        else
          for (int l = 0; l < JN_CLOCK_GROUP; l++) d[l] = k[l < left ? l : left - 1];
      }
    }
  }
}

/* Takes the multipliers of an earlier solve on the same grid, where they are larger than those of the
 * barrier. */
static void take_multipliers(solver *x, const solver *kept) {
  for (int g = 0; g < x->r.groups; g++) {
    const jn_clock_chunk *c = &x->r.chunk[g / JN_CLOCK_CHUNK],
                         *old = &kept->r.chunk[g / JN_CLOCK_CHUNK];
    const int count = c->second + c->third, olds = old->second + old->third;
    double *group = group_data(x, g), *from = group_data(kept, g);
    for (int n = 0, o = 0; n < count; n++) {
      const int k = x->r.row[c->first + n];
      while (o < olds && kept->r.row[old->first + o] < k) o++;
      if (o == olds || kept->r.row[old->first + o] != k) continue;
      double *to = row_data(x, c, group, n);
      const double *l = row_data(kept, old, from, o);
      for (int i = 0; i < 2 * JN_CLOCK_GROUP; i++) to[i] = l[i] > to[i] ? l[i] : to[i];
    }
  }
  for (int i = 0; i < x->points; i++)
    if (kept->r.l[i] > x->r.l[i]) x->r.l[i] = kept->r.l[i];
}

/* b, b', b'' of the coefficients; copies of the last point follow it */
static void set_clock(solver *x, const double *c, double *b, double *b1, double *b2) {
  jn_clock_spline_values(&x->spline, c, b, b1, b2);
  for (int i = x->points; i < x->r.groups * JN_CLOCK_GROUP; i++)
    b[i] = b[x->points - 1], b1[i] = b1[x->points - 1], b2[i] = b2[x->points - 1];
}

static double duration(const solver *x) {
  double sum = 0;
  for (int i = 0; i < x->points; i++) sum += x->r.w[i] / sqrt(x->r.b[i]);
  return sum;
}

static int has_deadline(const solver *x) { return x->p->deadline < HUGE_VAL; }

/* w cost, its gradient and Hessian; the rows are added to them */
static void start_costs(solver *x) {
  const jn_clock_rows *r = &x->r;
  x->cost = 0;
  for (int i = 0; i < r->groups * JN_CLOCK_GROUP && r->costs; i++) {
    const int at = i < x->points ? i : x->points - 1;
    const clock_cost c =
        jn_clock_cost_at(x->p->cost, (size_t)x->p->stride, at, r->b[i], r->b1[i], r->b2[i]);
    x->cost += r->w[i] * c.value;
    r->drop[i] = r->w[i] * c.concave;
    for (int k = 0; k < 6; k++) r->H[k][i] = r->w[i] * c.h[k];
    for (int k = 0; k < 3; k++) x->og[k][i] = r->g[k][i] = r->w[i] * c.g[k];
  }
}

/* lambda += a dlambda; then everything at the current b. Returns sum lambda z. */
static double linearise(solver *x, double a) {
  double sums[2];
  if (has_deadline(x)) x->late_l += a * x->late_d;
  x->r.time = x->p->time + x->late_l;
  start_costs(x);
  x->passes->linearise(&x->r, a, sums);
  x->T = sums[1];
  if (!has_deadline(x)) return sums[0];
  /* z is the true slack, unless that is much smaller, or there is none */
  const double left = x->p->deadline - x->T;
  if (left > x->late_z) x->late_z = left;
  x->late_r = x->T + x->late_z - x->p->deadline;
  return sums[0] + x->late_l * x->late_z;
}

/* steps of lambda; the largest -dz/z and -dlambda/lambda */
static void find_steps(solver *x, double mu, double worst[2]) {
  x->passes->steps(&x->r, mu, worst);
  if (!has_deadline(x)) return;
  double dT = 0;
  for (int i = 0; i < x->n; i++) dT += x->da[i] * x->dc[i];
  x->late_dz = -x->late_r - dT;
  x->late_d = mu / x->late_z - x->late_l * (1 + x->late_dz / x->late_z);
  worst[0] = fmax(worst[0], -x->late_dz / x->late_z);
  worst[1] = fmax(worst[1], -x->late_d / x->late_l);
}

/* 1 if every slack at the current b is positive */
static int is_feasible(solver *x) {
  double least[2];
  x->passes->slacks(&x->r, 0, least);
  return least[0] > 0;
}

/* Steps. */

/* Without the concave part where the matrix would not be positive. */
static int factor_all(solver *x) {
  jn_clock_assemble(&x->spline, x->r.H);
  if (jn_clock_factor(&x->spline)) return 1;
  for (int i = 0; i < x->points; i++) x->r.H[0][i] += x->r.drop[i];
  jn_clock_assemble(&x->spline, x->r.H);
  for (double more = 0; more<1; more = more> 0 ? 100 * more : least_shift) {
    for (int i = 0; i < x->n; i++) x->spline.K0[i] *= 1 + more;
    if (jn_clock_factor(&x->spline)) return 1;
  }
  return 0;
}

/* the slope of b^(-1/2) */
static double slope(const solver *x, int i) {
  const double R = x->r.R[i];
  return -0.5 * R * R * R;
}

/* rhs = -(grad + mu sum a/z) */
static void right_side(solver *x, double mu) {
  const double late = has_deadline(x) ? (mu + x->late_l * x->late_r) / x->late_z : 0,
               time = x->p->time + late;
  const jn_clock_rows *r = &x->r;
  for (int k = 0; k < 3; k++) {
    const double *restrict e = r->e[k];
    double *restrict f = x->f[k];
    for (int i = 0; i < x->points; i++) f[i] = -mu * e[i];
    for (int i = 0; i < x->points && r->costs; i++) f[i] -= x->og[k][i];
  }
  for (int i = 0; i < x->points; i++) x->f[0][i] -= time * r->w[i] * slope(x, i);
  jn_clock_to_coefficients(&x->spline, x->f, x->rhs);
}

/* (K + lambda/z a a^T) dc = rhs:  dc = y - K^-1 a (a.y)/(z/lambda + a.K^-1 a),  y = K^-1 rhs */
static void solve_step(solver *x) {
  jn_clock_substitute(&x->spline, x->rhs, x->dc);
  if (!has_deadline(x)) return;
  double ay = 0, aKa = 0;
  for (int i = 0; i < x->points; i++)
    x->f[0][i] = x->r.w[i] * slope(x, i), x->f[1][i] = x->f[2][i] = 0;
  jn_clock_to_coefficients(&x->spline, x->f, x->da);
  jn_clock_substitute(&x->spline, x->da, x->Ka);
  for (int i = 0; i < x->n; i++) ay += x->da[i] * x->dc[i], aKa += x->da[i] * x->Ka[i];
  const double t = ay / (x->late_z / x->late_l + aKa);
  for (int i = 0; i < x->n; i++) x->dc[i] -= t * x->Ka[i];
}

/* With damping, the true slacks decide: halve the steps until they are positive. */
static void step_coefficients(solver *x, double a[2]) {
  memcpy(x->old, x->c, (size_t)x->n * sizeof *x->c);
  for (int trial = 0; trial < 40; trial++, a[0] *= 0.5, a[1] *= 0.5) {
    for (int i = 0; i < x->n; i++) x->c[i] = x->old[i] + a[0] * x->dc[i];
    set_clock(x, x->c, x->r.b, x->r.b1, x->r.b2);
    if (!x->p->damped || is_feasible(x)) break;
  }
  x->late_z += a[0] * x->late_dz;
}

/* 1 if the largest entry of the gradient g of the Lagrangian is small relative to the objective's; less so
 * for a clock that is only a start. Rounding errors of the terms lambda r2/h^2 keep it from that on very
 * fine grids: there the step before must show that what is left, |g| |dc|, does not count. */
static int is_stationary(solver *x, double tolerance, int step) {
  const int start = tolerance >= only_a_start;
  const double enough = start ? 0.1 : fmin(most_gradient, gradient_of_tolerance * tolerance),
               objective = x->p->time + x->cost / x->T;
  double worst = 0, scale = 0, left = 0;
  jn_clock_to_coefficients(&x->spline, x->r.g, x->rhs);
  for (int i = 0; i < x->n; i++) worst = fmax(worst, fabs(x->rhs[i]));
  for (int i = 0; i < x->points; i++) {
    const double size = -x->r.w[i] * slope(x, i);
    scale = size > scale ? size : scale;
  }
  if (worst < enough * scale * objective) return 1;
  if (start || step == 0) return 0;
  for (int i = 0; i < x->n; i++) left += fabs(x->rhs[i] * x->dc[i]);
  return left < left_of_tolerance * tolerance * objective * x->T;
}

/* lambda = mu/z */
static void start_multipliers(solver *x, double mu) {
  x->passes->start(&x->r, mu, NULL);
  if (!has_deadline(x)) return;
  x->late_z = fmax(x->p->deadline - duration(x), least_slack * x->p->deadline);
  x->late_l = mu / x->late_z;
  x->late_d = x->late_dz = 0;
}

/* The steps of x and lambda have their own lengths, because K is far larger than the Hessian of the duration;
 * with costs, whose Hessian counts, they have one. sigma follows the shorter one, half as fast, or long
 * steps with a small sigma and short ones with a large one would alternate. After STUCK short steps in
 * a row the multipliers are too small for where b is: they begin again, ten times as large. */
static jn_status iterate(solver *x, const jn_clock_settings *o, jn_clock_solution *out) {
  enum { STUCK = 4 };
  const double count = 2 * x->pairs + x->points + has_deadline(x),
               near = 0.99; /* to the boundary */
  double sigma = 0.3, a[2] = {0, 0};
  int shorts = 0;
  for (int step = 0;; step++) {
    const double gap = linearise(x, a[1]), value = x->p->time * x->T + x->cost;
    out->time = x->T, out->cost = x->cost, out->gap = gap / value, out->iterations = step;
    if (!isfinite(gap) || !isfinite(value)) return JN_ERR_SINGULAR;
    if (o->progress && o->progress(o->context, step, x->T, out->gap)) return JN_ERR_ARGUMENT;
    const double late = has_deadline(x) ? fabs(x->late_r) / x->T : 0;
    if (out->gap < o->tolerance && late < o->tolerance && is_stationary(x, o->tolerance, step))
      return JN_OK;
    if (step >= o->most || !factor_all(x)) return JN_ERR_SINGULAR;
    const double mu = sigma * gap / count;
    double worst[2];
    right_side(x, mu);
    solve_step(x);
    set_clock(x, x->dc, x->r.db, x->r.db1, x->r.db2);
    find_steps(x, mu, worst);
    if (x->r.costs) worst[0] = worst[1] = fmax(worst[0], worst[1]);
    for (int i = 0; i < 2; i++) a[i] = worst[i] > near ? near / worst[i] : 1;
    step_coefficients(x, a);
    const double shorter = fmin(a[0], a[1]);
    sigma = sqrt(sigma * fmin(0.9, fmax(0.1, 1 - shorter)));
    shorts = shorter < 0.1 ? shorts + 1 : 0;
    if (shorts < STUCK) continue;
    start_multipliers(x, 10 * gap / count);
    sigma = 0.3, a[1] = 0, shorts = 0;
  }
}

double jn_clock_uniform(const jn_clock_problem *p, int every, double near) {
  const double enough = 1.03;
  double low = 0, high = HUGE_VAL;
  for (int i = 0; i < p->points; i++) high = p->cap[i] < high ? p->cap[i] : high;
  for (int trial = 0; trial < 400 && (low == 0 || high > enough * low); trial++) {
    const double guess = trial == 0              ? near / sqrt(enough)
                         : trial == 1 && low > 0 ? enough * low
                                                 : 0,
                 b = guess > 0 && guess < high ? guess
                     : low > 0                 ? sqrt(low * high)
                                               : first_part * high,
                 root = sqrt(b);
    int good = b > 0;
    for (int k = 0; k < p->second + p->third && good; k++) {
      const int third = k >= p->second;
      const double bound = third ? 1 / root : 1, up = p->high[k] * bound, lo = -p->low[k] * bound;
      const double *column[6];
      jn_clock_row(p, k, column);
      const double *damping = p->damped ? column[third ? 4 : 3] : NULL;
      for (int i = 0; i < p->points && good; i += every) {
        /* b' = b'' = 0 */
        const double v = column[0][i] * b + column[2][i] + (p->damped ? damping[i] * root : 0);
        good = v < up && v > lo;
      }
    }
    if (good)
      low = b;
    else
      high = b;
    if (!(high > no_clock)) return 0;
  }
  return low;
}

/* Starts from a constant, or from the given coefficients scaled down, ever more. From a clock that is kept:
 * mixed with the one where the solve before began, which was slower everywhere. 0: not feasible. */
static int find_start(solver *x, int warm, const double *given, const solver *kept) {
  static const double share[] = {0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1};
  enum { SHARES = sizeof share / sizeof *share };
  double scale = warm ? (kept ? 1 : 0.99) : 0.95 * x->p->uniform, less = 0.998;
  x->late_l = 0;
  for (int trial = kept ? 0 : SHARES; trial < SHARES + 60; trial++) {
    const double w = kept ? share[trial < SHARES ? trial : SHARES - 1] : 0;
    for (int i = 0; i < x->n; i++)
      x->c[i] = scale * (!warm ? 1 : kept ? given[i] + w * (kept->start[i] - given[i]) : given[i]);
    set_clock(x, x->c, x->r.b, x->r.b1, x->r.b2);
    if (is_feasible(x)) {
      memcpy(x->start, kept ? kept->start : x->c, (size_t)x->n * sizeof *x->c);
      return 1;
    }
    if (trial < SHARES) continue;
    scale *= less;
    less = warm && less > 0.7 ? less * less : 0.9;
  }
  return 0;
}

/* Memory. */

/* Places all arrays in a block of doubles and returns its length; NULL: only the length. Arrays
 * begin at cache lines. */
static size_t place(solver *x, double *block) {
  jn_clock_rows *r = &x->r;
  jn_clock_spline *k = &x->spline;
  const size_t n = (size_t)(x->n + 7) / 8 * 8, m = (size_t)r->groups * JN_CLOCK_GROUP;
  double **const of_n[] = {&x->c,  &x->dc, &x->old, &x->start, &x->rhs, &k->K0, &k->K1, &k->K2,
                           &k->K3, &k->L1, &k->L2,  &k->L3,    &k->D,   &x->da, &x->Ka};
  double **const of_points[] = {&r->w,    &r->cap,  &r->b,    &r->b1,    &r->b2,    &r->db,
                                &r->db1,  &r->db2,  &r->R,    &r->l,     &r->dl,    &r->H[0],
                                &r->H[1], &r->H[2], &r->H[3], &r->H[4],  &r->H[5],  &r->g[0],
                                &r->g[1], &r->g[2], &r->e[0], &r->e[1],  &r->e[2],  &r->drop,
                                &x->f[0], &x->f[1], &x->f[2], &x->og[0], &x->og[1], &x->og[2]};
  const struct {
    double **const *list;
    size_t count, size;
  } groups[] = {{of_n, sizeof of_n / sizeof *of_n, n},
                {of_points, sizeof of_points / sizeof *of_points, m}};
  size_t used = 0;
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (size_t i = 0; i < groups[g].count; i++) {
      if (block) *groups[g].list[i] = block + used;
      used += groups[g].size;
    }
  return used;
}

/* The trapezoidal rule; every point of the end cells has its share. */
static void place_weights(solver *x) {
  const int N = x->p->cells, last = x->points - 1, all = x->r.groups * JN_CLOCK_GROUP;
  const double h = x->p->h, part = h / END;
  double *w = x->r.w;
  for (int i = 0; i < all; i++) {
    w[i] = i > N && i <= N + 2 * JN_CLOCK_EXTRA ? part : i <= last ? h / 2 : 0;
    x->r.cap[i] = x->p->cap[i < last ? i : last];
  }
  for (int i = 0; i < JN_CLOCK_GROUP; i++) x->r.inside[i] = all - JN_CLOCK_GROUP + i <= last;
  w[0] = w[N] = part / 2;
  w[1] = w[N - 1] = (h / 2 + part) / 2;
}

static double *cache_line(void *block) {
  return (double *)(void *)((char *)block + (64 - (uintptr_t)block % 64) % 64);
}

static jn_status run(solver *x, const jn_clock_settings *settings, jn_clock_solution *out) {
  const jn_clock_problem *p = x->p;
  const size_t chunks = (size_t)jn_clock_chunks(p->points), rows = (size_t)(p->second + p->third);
  x->r.chunk = x->lists[0] = jn_block_new(&x->hooks, chunks, sizeof *x->r.chunk);
  x->r.row = x->lists[1] = jn_block_new(&x->hooks, chunks * rows + 1, sizeof *x->r.row);
  if (!x->r.chunk || !x->r.row) return JN_ERR_MEMORY;
  const size_t data = list_rows(x), size = place(x, NULL);
  void *block = x->lists[2] = jn_block_raw(&x->hooks, size + 8, sizeof(double)),
       *rows_block = x->lists[3] = jn_block_raw(&x->hooks, data + 8, sizeof(double));
  if (!block || !rows_block) return JN_ERR_MEMORY;
  place(x, cache_line(block));
  x->r.data = cache_line(rows_block);
  pack_rows(x);
  x->spline.cells = p->cells, x->spline.n = x->n, x->spline.h = p->h;
  jn_clock_ends(&x->spline);
  place_weights(x);
  const solver *kept = settings->warm == 2 ? out->kept : NULL;
  if (!find_start(x, settings->warm, out->c, kept)) return JN_ERR_INFEASIBLE;
  x->T = duration(x);
  start_costs(x);
  start_multipliers(x, settings->barrier * (p->time * x->T + x->cost) /
                           (2 * x->pairs + x->points + has_deadline(x)));
  if (kept) take_multipliers(x, kept);
  jn_status status = iterate(x, settings, out);
  memcpy(out->c, x->c, (size_t)x->n * sizeof *x->c);
  return status;
}

static void release(solver *x) {
  const jn_allocator hooks = x->hooks;
  for (size_t i = 0; i < sizeof x->lists / sizeof *x->lists; i++)
    jn_block_free(&hooks, x->lists[i]);
  jn_block_free(&hooks, x);
}

void jn_clock_forget(jn_clock_solution *x) {
  if (x->kept) release(x->kept);
  x->kept = NULL;
}

jn_status jn_clock_solve(const jn_clock_problem *p, const jn_clock_settings *settings,
                         const jn_allocator *hooks, jn_clock_solution *out) {
  if (p->cells < 4) return JN_ERR_ARGUMENT;
  solver *x = jn_block_new(hooks, 1, sizeof *x);
  if (!x) return JN_ERR_MEMORY;
  x->p = p, x->n = p->cells + 1, x->points = p->points, x->hooks = *hooks;
  x->passes = jn_clock_passes_choose();
  x->r.groups = (p->points + JN_CLOCK_GROUP - 1) / JN_CLOCK_GROUP;
  x->r.damped = p->damped;
  x->r.costs = p->cost != NULL;
  x->r.high = p->high, x->r.low = p->low;
  const jn_status status = run(x, settings, out);
  jn_clock_forget(out);
  if (settings->keep && !status)
    out->kept = x;
  else
    release(x);
  return status;
}

void jn_clock_values(const jn_clock_problem *p, const double *c, double *b, double *b1,
                     double *b2) {
  jn_clock_spline s = {.cells = p->cells, .n = p->cells + 1, .h = p->h};
  jn_clock_ends(&s);
  jn_clock_spline_values(&s, c, b, b1, b2);
}

const jn_clock_passes *jn_clock_passes_choose(void) {
#define PASSES(isa)                                                                              \
  {                                                                                              \
    jn_clock_linearise_##isa, jn_clock_steps_##isa, jn_clock_slacks_##isa, jn_clock_start_##isa, \
        jn_clock_use_##isa                                                                       \
  }
  static const jn_clock_passes table[] = {[JN_ISA_PLAIN] = PASSES(plain),
#ifdef JOUNCE_X86
                                          [JN_ISA_AVX2] = PASSES(avx2),
                                          [JN_ISA_AVX512] = PASSES(avx512)
#endif
  };
#undef PASSES
  return &table[jn_isa_choose()];
}
