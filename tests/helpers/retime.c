/* retime.c: random paths with limits, and two independent solvers; see retime.h. */
#include "helpers/retime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/rng.h"

void no_limits(int rows, jn_limit_range *range) {
  for (int i = 0; i < rows * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
}

static void random_limits(retime_case *c, rng *r) {
  const int nv = jn_model_nv(c->model);
  jn_limit_check *check = NULL;
  jn_error error = {0};
  no_limits(jn_limit_rows(c->model), c->range);
  for (int i = 0; i < nv * JN_LIMIT_KINDS; i++) c->range[i] = (jn_limit_range){-1e9, 1e9};
  assert_ok(jn_limit_check_new(c->model, c->data, c->path, c->range, 200, NULL, &check, &error));
  for (int i = 0; i < nv; i++) {
    const jn_limit_peak *p = jn_limit_check_peak(check, i, JN_LIMIT_EFFORT);
    double *size = doubles(JN_LIMIT_KINDS);
    size[JN_LIMIT_POSITION] = HUGE_VAL;
    size[JN_LIMIT_VELOCITY] = rng_range(r, 2, 3);
    size[JN_LIMIT_ACCELERATION] = rng_range(r, 10, 20);
    size[JN_LIMIT_JERK] = rng_range(r, 50, 100);
    size[JN_LIMIT_EFFORT] =
        0.1 + fmax(1.3 * fabs(p->resting), 0.8 * fabs(p->value)) * rng_range(r, 1, 1.5);
    size[JN_LIMIT_EFFORT_RATE] = size[JN_LIMIT_EFFORT] * rng_range(r, 6, 12);
    size[JN_LIMIT_POWER] = size[JN_LIMIT_EFFORT] * rng_range(r, 1, 2);
    for (int k = 0; k < JN_LIMIT_KINDS; k++)
      c->range[i * JN_LIMIT_KINDS + k] = (jn_limit_range){-size[k], size[k]};
    free(size);
  }
  jn_limit_check_free(check);
  /* rotors: the model's, so that every path keeps them at rest; the rate tighter at random */
  jn_limit_range *all = calloc((size_t)jn_limit_rows(c->model) * JN_LIMIT_KINDS, sizeof *all);
  assert_non_null(all);
  assert_ok(jn_model_limits(c->model, all));
  for (int i = nv * JN_LIMIT_KINDS; i < jn_limit_rows(c->model) * JN_LIMIT_KINDS; i++) {
    const double f = i % JN_LIMIT_KINDS == JN_LIMIT_EFFORT_RATE ? rng_range(r, 0.2, 0.4) : 1;
    c->range[i] = (jn_limit_range){f * all[i].low, f * all[i].high};
  }
  free(all);
}

/* a path through random configurations around the home position */
static jn_trajectory *random_path(const jn_model *model, rng *r, double size, int derivative,
                                  int spline) {
  enum { POINTS = 5, DEGREE = 5, CONTROL = 9 };
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  const int count = spline ? CONTROL : POINTS;
  double *q = doubles(nq * CONTROL), *dq = doubles(nv), times[POINTS] = {0, 1, 2, 3, 4},
         knots[CONTROL + DEGREE + 1];
  jn_trajectory *path = NULL;
  jn_error error = {0};
  jn_model_home(model, q);
  for (int i = 1; i < count; i++) {
    for (size_t k = 0; k < nv; k++)
      dq[k] = size * rng_range(r, -1.2, 1.2) * (jn_model_is_floating(model) && k < 6 ? 0.5 : 1);
    assert_ok(jn_integrate(model, q, dq, q + (size_t)i * nq));
  }
  assert_ok(jn_bspline_knots(0, 4, DEGREE, CONTROL, knots));
  assert_ok(spline ? jn_trajectory_bspline(model, DEGREE, CONTROL, knots, q, NULL, &path, &error)
                   : jn_trajectory_minimum(model, derivative, POINTS, times, q, NULL, NULL, &path,
                                           &error));
  free(q);
  free(dq);
  return path;
}

/* 1 if the rotors can hold the robot everywhere on the path, with some room */
static int is_held(const retime_case *c) {
  const int rows = jn_limit_rows(c->model);
  jn_limit_check *check = NULL;
  jn_error error = {0};
  int held = 1;
  assert_ok(jn_model_limits(c->model, c->range));
  for (int i = 0; i < jn_model_nv(c->model) * JN_LIMIT_KINDS; i++)
    c->range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
  assert_ok(jn_limit_check_new(c->model, c->data, c->path, c->range, 200, NULL, &check, &error));
  for (int row = jn_model_nv(c->model); row < rows; row++) {
    const jn_limit_peak *p = jn_limit_check_peak(check, row, JN_LIMIT_EFFORT);
    const jn_limit_range *r = &c->range[row * JN_LIMIT_KINDS + JN_LIMIT_EFFORT];
    held &= p->resting > 1.2 * r->low && p->resting < 0.9 * r->high;
  }
  jn_limit_check_free(check);
  return held;
}

/* The robot with damping at its hinges, which has effect if the settings ask for it. */
static jn_model *damped_robot(const char *robot) {
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error error = {0};
  assert_ok(jn_spec_load(robot, NULL, &spec, &error));
  for (int i = 0; i < jn_spec_joint_count(spec); i++)
    if (jn_spec_joint(spec, i)->type == JN_JOINT_REVOLUTE)
      jn_spec_joint(spec, i)->damping = RETIME_DAMPING;
  assert_ok(jn_model_build(spec, NULL, NULL, &model, &error));
  jn_spec_free(spec);
  return model;
}

/* Paths of flying robots become smaller until their rotors can hold them. */
retime_case retime_case_new(const char *robot, uint64_t seed, int derivative, int spline) {
  retime_case c = {0};
  rng r;
  c.model = damped_robot(robot);
  assert_ok(jn_data_new(c.model, 1, NULL, &c.data));
  jn_data_settings(c.data)->representation = JN_MIXED;
  c.range = calloc((size_t)jn_limit_rows(c.model) * JN_LIMIT_KINDS, sizeof *c.range);
  assert_non_null(c.range);
  for (double size = 1;; size *= 0.8) {
    r = rng_new(seed * 7919);
    c.path = random_path(c.model, &r, size, derivative, spline);
    if (is_held(&c)) break;
    jn_trajectory_free(c.path);
  }
  random_limits(&c, &r);
  return c;
}

void retime_case_free(retime_case *c) {
  jn_trajectory_free(c->path);
  jn_data_free(c->data);
  jn_model_free(c->model);
  free(c->range);
}

retiming retime_case_rows(const retime_case *c, int intervals, int without_rates) {
  return retime_case_rows_for(c, intervals, without_rates, JN_OBJECTIVE_TIME);
}

retiming retime_case_rows_for(const retime_case *c, int intervals, int without_rates,
                              jn_retime_objective objective) {
  static jn_error error;
  retiming x = {.model = c->model, .data = c->data, .path = c->path, .range = c->range};
  x.options = jn_retime_options_default();
  x.options.intervals = intervals;
  x.options.without_rates = without_rates;
  x.options.objective = objective;
  x.error = &error;
  x.hooks = jn_allocator_or_default(NULL);
  x.nv = jn_model_nv(c->model);
  x.nq = jn_model_nq(c->model);
  x.rows = jn_limit_rows(c->model);
  x.rotors = jn_limit_rotors(c->model, c->range) ? jn_model_rotor_count(c->model) : 0;
  x.representation = jn_data_settings(c->data)->representation;
  assert_ok(jn_retime_begin(&x));
  assert_ok(jn_retime_grid(&x, intervals, 0, NULL, 0));
  return x;
}

void retime_rows_free(retiming *x) { jn_retime_release(x); }

int broken_limits(const jn_model *model, jn_data *data, const jn_trajectory *motion,
                  const jn_limit_range *range) {
  jn_limit_check *check = NULL;
  jn_error error = {0};
  assert_ok(jn_limit_check_new(model, data, motion, range, 1000, NULL, &check, &error));
  const int broken = jn_limit_check_broken(check);
  for (int i = 0; broken && i < jn_limit_rows(model) * JN_LIMIT_KINDS; i++) {
    const jn_limit_peak *p =
        jn_limit_check_peak(check, i / JN_LIMIT_KINDS, (jn_limit_kind)(i % JN_LIMIT_KINDS));
    if (p->broken)
      print_error("%s of %d: %.12g of its limit at %g\n", jn_limit_kind_name(p->kind), p->iv,
                  p->used, p->t);
  }
  jn_limit_check_free(check);
  return broken;
}

double share_at_limits(const jn_model *model, jn_data *data, const jn_trajectory *motion,
                       const jn_limit_range *range, double least, int *broken) {
  jn_limit_check *check = NULL;
  jn_error error = {0};
  double sum = 0;
  assert_ok(jn_limit_check_new(model, data, motion, range, 1000, NULL, &check, &error));
  const int samples = jn_limit_check_samples(check);
  for (int n = 1; n < samples; n++) {
    double most = 0;
    for (int i = 0; i < jn_limit_rows(model) * JN_LIMIT_KINDS; i++)
      most = fmax(most, fabs(jn_limit_check_use(check, n, i / JN_LIMIT_KINDS,
                                                (jn_limit_kind)(i % JN_LIMIT_KINDS), 1)));
    if (most >= least) sum += jn_limit_check_time(check, n) - jn_limit_check_time(check, n - 1);
  }
  *broken = jn_limit_check_broken(check);
  jn_limit_check_free(check);
  return sum / (jn_trajectory_end(motion) - jn_trajectory_start(motion));
}

void assert_same_path(const jn_model *model, const jn_trajectory *path,
                      const jn_trajectory *motion) {
  const size_t nq = (size_t)jn_model_nq(model);
  double *x = doubles(2 * nq), last = -HUGE_VAL;
  for (int n = 0; n <= 40; n++) {
    double u;
    const double t = jn_trajectory_end(motion) * n / 40;
    assert_ok(jn_trajectory_clock(motion, t, 0, &u));
    assert_true(u > last);
    assert_ok(jn_trajectory_at(motion, t, -1, JN_BODY, x, NULL));
    assert_ok(jn_trajectory_at(path, u, -1, JN_BODY, x + nq, NULL));
    check_residual("configurations of the path", largest_difference(x, x + nq, nq), 1e-12);
    last = u;
  }
  free(x);
}

/* The dense solver. Unknowns c; b, b', b'' at a point from the polynomial of its cell. */

typedef struct dense {
  const jn_clock_problem *p;
  int n, rows;
  double *S;             /* [points x 3 x n] */
  double *w;             /* [points] */
  const double *squares; /* [points x forces x 4] of (b, b', b'', 1); NULL: none */
  int forces, rates;
} dense;

/* b, b', b'' at x in a cell over the coefficients before, at, after and after the next knot */
static void cell_basis(double h, double x, double B[3][4]) {
  const double s = x / h, r = 1 - s;
  const double value[4] = {r * r * r / 6, (3 * s * s * s - 6 * s * s + 4) / 6,
                           (3 * r * r * r - 6 * r * r + 4) / 6, s * s * s / 6};
  const double slope[4] = {-r * r / 2, (9 * s * s - 12 * s) / 6, -(9 * r * r - 12 * r) / 6,
                           s * s / 2};
  const double bend[4] = {r, 3 * s - 2, 3 * r - 2, s};
  for (int k = 0; k < 4; k++)
    B[0][k] = value[k], B[1][k] = slope[k] / h, B[2][k] = bend[k] / (h * h);
}

static void dense_rows(dense *d) {
  const jn_clock_problem *p = d->p;
  const int N = p->cells;
  for (int i = 0; i < p->points; i++) {
    double at = jn_clock_point(p, 0, i) / p->h, B[3][4];
    int cell = (int)floor(at + 1e-9);
    if (cell > N - 1) cell = N - 1;
    cell_basis(p->h, (at - cell) * p->h, B);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 4; j++) {
        const int c = cell - 1 + j;
        double *row = d->S + ((size_t)i * 3 + (size_t)k) * (size_t)d->n;
        if (c < 0) {
          row[0] += 3 * B[k][j], row[1] -= 3 * B[k][j], row[2] += B[k][j];
        } else if (c > N) {
          row[N] += 3 * B[k][j], row[N - 1] -= 3 * B[k][j], row[N - 2] += B[k][j];
        } else {
          row[c] += B[k][j];
        }
      }
    /* the trapezoidal rule: cells in two parts, the end cells in four */
    const double part = p->h / (JN_CLOCK_EXTRA + 1);
    d->w[i] = i > N && i <= N + 2 * JN_CLOCK_EXTRA ? part
              : i == 0 || i == N                   ? part / 2
              : i == 1 || i == N - 1               ? (p->h / 2 + part) / 2
                                                   : p->h / 2;
  }
}

/* b^(-1/2) sum tau^2 or b^(1/2) sum L^2 at a point, from the forces themselves: its value, and its
 * gradient and Hessian times w are added. Without damping. */
static double squares(const dense *d, int i, const double y[3], double G[3], double Q[3][3],
                      double w) {
  const double p = d->rates ? 0.5 : -0.5, b = y[0], power = pow(b, p);
  double sum = 0;
  for (int k = 0; k < d->forces; k++) {
    const double *a = d->squares + 4 * ((size_t)i * (size_t)d->forces + (size_t)k);
    const double f = a[0] * y[0] + a[1] * y[1] + a[2] * y[2] + a[3];
    sum += power * f * f;
    for (int m = 0; m < 3; m++) {
      G[m] += w * (2 * power * f * a[m] + (m == 0 ? p * power / b * f * f : 0));
      for (int n = 0; n < 3; n++)
        Q[m][n] += w * (2 * power * a[m] * a[n] + 2 * p * power / b * f * (m == 0 ? a[n] : 0) +
                        2 * p * power / b * f * (n == 0 ? a[m] : 0) +
                        (m == 0 && n == 0 ? p * (p - 1) * power / (b * b) * f * f : 0));
    }
  }
  return sum;
}

/* the barrier function; its gradient and Hessian by c if they are not NULL */
static double barrier(const dense *d, const double *c, double mu, double *g, double *H) {
  const jn_clock_problem *p = d->p;
  const int n = d->n;
  double f = 0;
  if (g) memset(g, 0, (size_t)n * sizeof *g);
  if (H) memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int i = 0; i < p->points; i++) {
    const double *S = d->S + (size_t)i * 3 * (size_t)n;
    double y[3] = {0}, G[3] = {0}, Q[3][3] = {{0}};
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < n; j++) y[k] += S[k * n + j] * c[j];
    const double b = y[0], root = sqrt(b);
    if (!(b > 0) || !(b < p->cap[i])) return HUGE_VAL;
    const double w = p->time * d->w[i];
    f += w / root - mu * log(p->cap[i] - b);
    G[0] += -0.5 * w / (b * root) + mu / (p->cap[i] - b);
    Q[0][0] += 0.75 * w / (b * b * root) + mu / ((p->cap[i] - b) * (p->cap[i] - b));
    if (d->squares) f += d->w[i] * squares(d, i, y, G, Q, d->w[i]);
    for (int k = 0; k < d->rows; k++) {
      const int third = k >= p->second;
      const size_t at = (size_t)(third ? k - p->second : k) * (size_t)p->stride + (size_t)i;
      /* a row as it is stated: multiplied by b^(1/2) where it has b'' */
      double v, D[3]; /* value, gradient, second derivatives */
      double M[3][3] = {{0}};
      if (third) {
        const double in = p->r2[at] * y[2] + p->r1[at] * y[1] + p->r0[at] * b + p->rg[at];
        const double d0 = p->damped ? p->d0[at] : 0, d1 = p->damped ? p->d1[at] : 0;
        v = root * in + d1 * y[1] + d0 * b;
        D[0] = 0.5 * in / root + root * p->r0[at] + d0;
        D[1] = root * p->r1[at] + d1;
        D[2] = root * p->r2[at];
        M[0][0] = -0.25 * in / (b * root) + p->r0[at] / root;
        M[0][1] = M[1][0] = 0.5 * p->r1[at] / root;
        M[0][2] = M[2][0] = 0.5 * p->r2[at] / root;
      } else {
        const double sd = p->damped ? p->sd[at] : 0;
        v = p->s1[at] * y[1] + p->s0[at] * b + p->sg[at] + sd * root;
        D[0] = p->s0[at] + 0.5 * sd / root;
        D[1] = p->s1[at];
        D[2] = 0;
        M[0][0] = -0.25 * sd / (b * root);
      }
      const double up = p->high[k] - v, lo = p->low[k] + v;
      if (!(up > 0) || !(lo > 0)) return HUGE_VAL;
      f -= mu * (log(up) + log(lo));
      const double first = mu / up - mu / lo, second = mu / (up * up) + mu / (lo * lo);
      for (int a = 0; a < 3; a++) {
        G[a] += first * D[a];
        for (int e = 0; e < 3; e++) Q[a][e] += second * D[a] * D[e] + first * M[a][e];
      }
    }
    for (int a = 0; a < 3 && g; a++)
      for (int j = 0; j < n; j++) g[j] += G[a] * S[a * n + j];
    for (int a = 0; a < 3 && H; a++)
      for (int e = 0; e < 3; e++)
        for (int j = 0; j < n; j++)
          for (int l = 0; l < n; l++) H[j * n + l] += Q[a][e] * S[a * n + j] * S[e * n + l];
  }
  return f;
}

/* A x = b by Cholesky; 0: A is not positive definite */
static int cholesky(int n, double *A, double *x) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > 0)) return 0;
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
    }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    x[i] /= A[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
    x[i] /= A[i * n + i];
  }
  return 1;
}

/* Newton with backtracking at one mu */
static void centre(const dense *d, double mu, double *c) {
  const int n = d->n;
  double *g = doubles((size_t)n), *H = doubles((size_t)(n * n)), *A = doubles((size_t)(n * n)),
         *x = doubles((size_t)n), *next = doubles((size_t)n);
  for (int step = 0; step < 200; step++) {
    const double f = barrier(d, c, mu, g, H);
    double shift = 0, slope = 0, a = 1;
    for (;;) {
      memcpy(A, H, (size_t)(n * n) * sizeof *A);
      for (int i = 0; i < n; i++) A[i * n + i] *= 1 + shift, x[i] = -g[i];
      if (cholesky(n, A, x)) break;
      shift = shift > 0 ? 4 * shift : 1e-8;
    }
    for (int i = 0; i < n; i++) slope += g[i] * x[i];
    if (-slope < 1e-13 * fabs(f)) break;
    for (int half = 0; half < 60; half++, a *= 0.5) {
      for (int i = 0; i < n; i++) next[i] = c[i] + a * x[i];
      if (barrier(d, next, mu, NULL, NULL) <= f + 0.1 * a * slope) break;
    }
    memcpy(c, next, (size_t)n * sizeof *c);
  }
  double *all[] = {g, H, A, x, next};
  for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
}

double dense_duration(const jn_clock_problem *p) {
  double T;
  dense_objective(p, NULL, 0, 0, &T);
  return T;
}

double dense_objective(const jn_clock_problem *p, const double *forces, int count, int rates,
                       double *duration) {
  dense d = {.p = p, .n = p->cells + 1, .rows = p->second + p->third};
  d.S = doubles((size_t)p->points * 3 * (size_t)d.n);
  d.w = doubles((size_t)p->points);
  d.squares = forces, d.forces = count, d.rates = rates;
  double *c = doubles((size_t)d.n), T = 0, cost = 0;
  dense_rows(&d);
  fill(c, (size_t)d.n, 0.5 * jn_clock_uniform(p, 1, 0));
  for (double mu = 1e-2; mu > 1e-11; mu *= 0.3) centre(&d, mu, c);
  for (int i = 0; i < p->points; i++) {
    double y[3] = {0}, G[3] = {0}, Q[3][3] = {{0}};
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < d.n; j++)
        y[k] += d.S[((size_t)i * 3 + (size_t)k) * (size_t)d.n + (size_t)j] * c[j];
    T += d.w[i] / sqrt(y[0]);
    if (forces) cost += d.w[i] * squares(&d, i, y, G, Q, 0);
  }
  free(d.S);
  free(d.w);
  free(c);
  *duration = T;
  return p->time * T + cost;
}

/* TOPP-RA (Pham and Pham 2018): x = b, u = b'/2; at grid point i  s1 2u + s0 x + sg within limits
 * and x_(i+1) = x_i + 2 h u. Backward: the largest x from which the next set can be reached;
 * forward: the largest u that stays in the sets. */

typedef struct line {
  double a, b, c; /* a u + b x <= c */
} line;

static int lines_at(const jn_clock_problem *p, int i, line *l) {
  int n = 0;
  for (int k = 0; k + 1 < p->second; k++) { /* the last row limits the clock itself */
    const size_t at = (size_t)k * (size_t)p->stride + (size_t)i;
    const double a = 2 * p->s1[at], b = p->s0[at], g = p->sg[at];
    l[n++] = (line){a, b, p->high[k] - g};
    l[n++] = (line){-a, -b, p->low[k] + g};
  }
  l[n++] = (line){0, 1, p->cap[i]};
  return n;
}

/* the interval of u at x; 0: it is empty */
static int range_of_u(const line *l, int n, double x, double *low, double *high) {
  *low = -HUGE_VAL, *high = HUGE_VAL;
  for (int k = 0; k < n; k++) {
    const double rest = l[k].c - l[k].b * x;
    if (l[k].a > 0)
      *high = fmin(*high, rest / l[k].a);
    else if (l[k].a < 0)
      *low = fmax(*low, rest / l[k].a);
    else if (rest < 0)
      return 0;
  }
  return *low <= *high;
}

double topp_ra_duration(const jn_clock_problem *p) {
  const int N = p->cells;
  double *K = doubles((size_t)N + 1), T = 0;
  line l[128];
  K[N] = p->cap[N];
  for (int i = N; i >= 0; i--) {
    /* the set is an interval from 0: bisection for its upper end */
    const int n = lines_at(p, i, l);
    double low = 0, high = p->cap[i], u0, u1;
    for (int step = 0; step < 100; step++) {
      const double x = 0.5 * (low + high);
      int good = range_of_u(l, n, x, &u0, &u1);
      if (good && i < N) good = x + 2 * p->h * u0 <= K[i + 1] && x + 2 * p->h * u1 >= 0;
      if (good)
        low = x;
      else
        high = x;
    }
    K[i] = low;
  }
  double x = K[0];
  for (int i = 0; i < N; i++) {
    const int n = lines_at(p, i, l);
    double u0, u1;
    assert_true(range_of_u(l, n, x, &u0, &u1));
    const double next = fmax(1e-12, fmin(K[i + 1], x + 2 * p->h * u1));
    T += 2 * p->h / (sqrt(x) + sqrt(next));
    x = next;
  }
  free(K);
  return T;
}
