/* radau.c: Radau IIA with five stages (Hairer, Wanner: Solving ODEs II, IV.8), in the chart of the
 * Munthe-Kaas schemes. Order 9, L-stable: a decay of any rate is damped, whatever the step.
 *
 * The stages Y_i = y + Z_i solve Z = h A F(Y). With A^-1 = T L T^-1 the simplified Newton iteration
 * falls apart into one real and two complex systems
 *
 *   (mu - J) dw = r,     mu = (eigenvalue of A^-1)/h
 *
 * J has what can be stiff: springs, damping, friction, motors. With the positions x (joints,
 * motors), the velocities u, x' = u and
 *
 *   M u' = -D u - K x + ...          M: mass matrix and motor inertias
 *
 * the system for mu is one symmetric matrix of half the size,
 *
 *   (mu M + D + K/mu) dx = (M (r_u + mu r_x) + D r_x)/mu,     du = mu dx - r_x
 *
 * whose real part is positive definite: L D L^T needs no pivots. What J leaves out (gravity,
 * centrifugal forces, the user's functions) only slows the iteration down, by h times its rate. */
#include <jounce/mass_matrix.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "integrate/simulation.h"
#include "model/data.h"

enum { S = 5, MOST_ITERATIONS = 15 };
#define FIXED_TOLERANCE 1e-13 /* of the stages of a fixed step */
#define LEAST_ERROR 1e-8      /* bounds the growth of a step */

static const double c[S] = {0.057104196114517682193, 0.27684301363812382768, 0.58359043236891682006,
                            0.86024013565621944785, 1};
static const double T[S][S] = {
    {0.013576867344947943248, -0.011478515255229514708, 0.014019858892875410281,
     -0.01024204781790882707, -0.047673877290295723863},
    {0.0016179004017190874764, -0.0076688307491801628852, -0.024708578426518526813,
     0.050172864517371058163, 0.094331819181611436981},
    {0.079157853347447207645, 0.019398463998828950911, -0.081800353703751170836,
     -0.23053953404341794672, -0.10270304538012589979},
    {0.41225608268046145198, 0.40760117128019906662, -0.19968242788680252594,
     0.37789390224886124954, -0.46674413033249435929},
    {1, 1, 0, 1, 0}};
static const double T_inverse[S][S] = {
    {27.697693775684088409, 12.783337911304406015, 3.2084893867134298598, -0.95149041224891622127,
     0.74155049602598960335},
    {-33.041880213519000008, -17.376953479063567019, -0.17212906325400556115,
     -0.099169777982542642588, 0.53122811583830666718},
    {8.6114439798752919777, -9.6999914095288082313, -1.9147286396968742849, -2.4186920060849400264,
     1.0474634879353374187},
    {5.3441864378349115989, 4.5936155677591610045, -3.0363603234594242986, 1.0506601902314588639,
     -0.27277861186429627054},
    {-3.7480598074398048601, 3.9849657363438846673, 1.0444156416080187929, -1.1840985681379484872,
     0.4499177701567803689}};
/* L = diag(first, second, third), blocks ((a, b), (-b, a)) */
static const struct {
  double a, b;
} eigenvalue[3] = {{6.2867047517292766452, 0},
                   {5.7009532986717894192, 3.2102656003085498884},
                   {3.6556943254635722582, 6.543736899360077294}};
/* y_end - (embedded formula of order 5 with the derivative at the start) = h k_0/a_0 + sum e_i
 * Z_i */
static const double e[S] = {-4.4189977167963817226, 0.57923485225667005447, -0.19923756095346800874,
                            0.094167483691945488975, -0.031813168885493824096};
/* weights of the barycentric formula at 0, c_1, ..., c_5 */
static const double barycentric[S + 1] = {-126,
                                          199.88739542347735947,
                                          -127.02285306879499662,
                                          92.102833136133220138,
                                          -64.167375490815582985,
                                          25.2};
static const jn_weights weights = {S,
                                   {0.14371356079122594132, 0.28135601514946206019,
                                    0.31182652297574125408, 0.2231039010835707444, 0.04},
                                   {0.13550691343148811621, 0.20346456801027136079,
                                    0.12984754760823244083, 0.031180970950008082174, 0},
                                   0.31};

/* p[S] = values at u of the six polynomials of the nodes 0, c_1 ...; without that of 0, where Z =
 * 0 */
static void interpolation(double u, double *p) {
  double sum = 0, x[S + 1];
  for (int i = 0; i <= S; i++) {
    const double d = u - (i ? c[i - 1] : 0);
    if (d == 0) {
      for (int j = 0; j < S; j++) p[j] = j == i - 1;
      return;
    }
    sum += x[i] = barycentric[i] / d;
  }
  for (int i = 0; i < S; i++) p[i] = x[i + 1] / sum;
}

/* Complex numbers are pairs of arrays (re, im); im NULL: real. */

/* (x + i y) = (a + i b)/(p + i q) */
static void divide(double a, double b, double p, double q, double *x, double *y) {
  const double n = p * p + q * q;
  *x = (a * p + b * q) / n;
  *y = (b * p - a * q) / n;
}

/* L D L^T of the symmetric matrix in the lower triangle, m x m; the upper one is scratch. */
static void factor(size_t m, double *re, double *im) {
  for (size_t k = 0; k < m; k++)
    for (size_t i = k + 1; i < m; i++) {
      /* l = a_ik/d_k, a_ij -= l a_jk; row k keeps column k as it was */
      const double a = re[i * m + k], b = im ? im[i * m + k] : 0;
      double x, y;
      divide(a, b, re[k * m + k], im ? im[k * m + k] : 0, &x, &y);
      re[k * m + i] = a;
      re[i * m + k] = x;
      if (im) im[k * m + i] = b, im[i * m + k] = y;
      for (size_t j = k + 1; j <= i; j++) {
        const double p = re[k * m + j], q = im ? im[k * m + j] : 0;
        re[i * m + j] -= x * p - y * q;
        if (im) im[i * m + j] -= x * q + y * p;
      }
    }
}

/* x = A^-1 x, given L D L^T */
static void solve_factored(size_t m, const double *re, const double *im, double *x, double *y) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++) {
      const double p = re[i * m + j], q = im ? im[i * m + j] : 0;
      x[i] -= p * x[j] - q * y[j];
      y[i] -= p * y[j] + q * x[j];
    }
  for (size_t i = 0; i < m; i++)
    divide(x[i], y[i], re[i * m + i], im ? im[i * m + i] : 0, &x[i], &y[i]);
  for (size_t i = m; i-- > 0;)
    for (size_t j = i + 1; j < m; j++) {
      const double p = re[j * m + i], q = im ? im[j * m + i] : 0;
      x[i] -= p * x[j] - q * y[j];
      y[i] -= p * y[j] + q * x[j];
    }
}

/* Number i of the positions (joints, motors) in y; that of its velocity follows after `to_rate`. */
static size_t position(const jn_simulation *s, size_t i, size_t *to_rate) {
  const size_t nv = (size_t)s->nv;
  *to_rate = i < nv ? nv : (size_t)s->ne;
  return i < nv ? i : nv + i;
}

/* Motor inertia and stiffness of degree of freedom i; without a motor 1 and 0. */
static double motor(const jn_simulation *s, size_t i, double *K) {
  *K = s->ne ? s->at.motor_stiffness[i] : 0;
  return *K > 0 ? s->at.motor_inertia[i] : 1;
}

/* mu M + D + K/mu for one mu, and its factors */
static void system_of(jn_simulation *s, double a, double b, double *re, double *im) {
  const size_t nv = (size_t)s->nv, m = nv + (size_t)s->ne;
  const double n = a * a + b * b, ra = a / n, rb = -b / n; /* 1/mu */
  memset(re, 0, sizeof *re * m * m);
  if (im) memset(im, 0, sizeof *im * m * m);
  for (size_t i = 0; i < nv; i++) {
    for (size_t j = 0; j <= i; j++) {
      re[i * m + j] = a * s->at.mass[i * nv + j];
      if (im) im[i * m + j] = b * s->at.mass[i * nv + j];
    }
    double k, B = motor(s, i, &k), K = k + fmax(s->at.stiffness[i], 0);
    re[i * m + i] += s->at.slope[i] + K * ra;
    if (im) im[i * m + i] += K * rb;
    if (!s->ne) continue;
    const size_t o = nv + i;
    re[o * m + o] = a * B + k * ra;
    re[o * m + i] = -k * ra;
    if (im) im[o * m + o] = b * B + k * rb, im[o * m + i] = -k * rb;
  }
  factor(m, re, im);
}

/* r = (mu - J)^-1 r for the complex vector r = x - i y of y's layout; y NULL: real */
static void solve_system(jn_simulation *s, double a, double b, const double *re, const double *im,
                         double *x, double *y) {
  const size_t nv = (size_t)s->nv, ne = (size_t)s->ne, m = nv + ne;
  double *g = s->at.solve, *gi = g + m, *w = gi + m, *wi = w + m;
  size_t rate;
  /* w = r_u + mu r_x */
  for (size_t i = 0; i < m; i++) {
    const size_t at = position(s, i, &rate);
    const double p = x[at], q = y ? -y[at] : 0;
    w[i] = x[at + rate] + a * p - b * q;
    wi[i] = (y ? -y[at + rate] : 0) + a * q + b * p;
  }
  /* g = (M w + D r_x)/mu */
  for (size_t i = 0; i < m; i++) {
    const size_t at = position(s, i, &rate);
    double k, p = 0, q = 0;
    if (i < nv) {
      p = s->at.slope[i] * x[at];
      q = y ? -s->at.slope[i] * y[at] : 0;
      for (size_t j = 0; j < nv; j++) {
        p += s->at.mass[i * nv + j] * w[j];
        q += s->at.mass[i * nv + j] * wi[j];
      }
    } else {
      const double B = motor(s, i - nv, &k);
      p = B * w[i], q = B * wi[i];
    }
    divide(p, q, a, b, &g[i], &gi[i]);
  }
  solve_factored(m, re, im, g, gi);
  for (size_t i = 0; i < m; i++) {
    const size_t at = position(s, i, &rate);
    const double p = x[at], q = y ? -y[at] : 0;
    x[at] = g[i];
    x[at + rate] = a * g[i] - b * gi[i] - p;
    if (y) y[at] = -gi[i], y[at + rate] = -(a * gi[i] + b * g[i] - q);
  }
}

/* The factors of the three systems, one after the other. */
static double *factors(const jn_simulation *s, int which, double **im) {
  const size_t m = (size_t)(s->nv + s->ne), n = m * m;
  double *at = s->at.factor + (which ? (size_t)(2 * which - 1) * n : 0);
  *im = which ? at + n : NULL;
  return at;
}

static void prepare(jn_simulation *s, double h) {
  for (int i = 0; i < 3; i++) {
    double *im, *re = factors(s, i, &im);
    system_of(s, eigenvalue[i].a / h, eigenvalue[i].b / h, re, im);
  }
}

/* Initial guess: the polynomials of the last step, unless that is too far; else y + c_i h y'. */
static void guess(jn_simulation *s, double h) {
  const size_t n = (size_t)s->n;
  const int old = s->has_stages && h <= 2 * s->h_stages;
  double *Z = s->at.Z;
  const double *before = Z + S * n;
  for (int i = 0; i < S; i++) {
    double p[S];
    if (old) interpolation(1 + c[i] * h / s->h_stages, p);
    for (size_t k = 0; k < n; k++) {
      double z = -before[(S - 1) * n + k];
      for (int j = 0; j < S && old; j++) z += p[j] * before[(size_t)j * n + k];
      Z[(size_t)i * n + k] = old ? z : 0;
    }
    for (size_t k = 0; k < (size_t)s->nv && !old; k++)
      Z[(size_t)i * n + k] = c[i] * h * s->start.v[k];
  }
}

/* One iteration: Z += dZ. *size: the largest dZ in units of the tolerance. */
static jn_status iterate(jn_simulation *s, double h, double *size) {
  const size_t n = (size_t)s->n;
  double *Z = s->at.Z, *F = s->at.F, *y = s->at.y;
  for (int i = 0; i < S; i++) {
    jn_chart_start(s, y);
    for (size_t k = 0; k < n; k++) y[k] += Z[(size_t)i * n + k];
    s->record = s->watched ? s->at.push + (size_t)i * (size_t)s->nv : NULL;
    jn_status status = jn_chart_derivative(s, s->t_start + c[i] * h, y, F + (size_t)i * n);
    if (status) return status;
  }
  /* r = T^-1 F - L T^-1 Z/h */
  for (size_t k = 0; k < n; k++) {
    double f[S] = {0}, w[S] = {0};
    for (int i = 0; i < S; i++)
      for (int j = 0; j < S; j++) {
        f[i] += T_inverse[i][j] * F[(size_t)j * n + k];
        w[i] += T_inverse[i][j] * Z[(size_t)j * n + k];
      }
    F[k] = f[0] - eigenvalue[0].a / h * w[0];
    for (int p = 1; p < 3; p++) {
      const double a = eigenvalue[p].a / h, b = eigenvalue[p].b / h;
      const size_t at = (size_t)(2 * p - 1);
      F[at * n + k] = f[at] - (a * w[at] + b * w[at + 1]);
      F[(at + 1) * n + k] = f[at + 1] - (a * w[at + 1] - b * w[at]);
    }
  }
  for (int p = 0; p < 3; p++) {
    double *im, *re = factors(s, p, &im), *x = F + (p ? (size_t)(2 * p - 1) * n : 0);
    solve_system(s, eigenvalue[p].a / h, eigenvalue[p].b / h, re, im, x, p ? x + n : NULL);
  }
  /* dZ = T dw */
  for (size_t k = 0; k < n; k++) {
    double w[S];
    for (int i = 0; i < S; i++) w[i] = F[(size_t)i * n + k];
    for (int i = 0; i < S; i++) {
      double d = 0;
      for (int j = 0; j < S; j++) d += T[i][j] * w[j];
      F[(size_t)i * n + k] = d;
      Z[(size_t)i * n + k] += d;
    }
  }
  jn_chart_start(s, s->at.y_end);
  for (size_t k = 0; k < n; k++) s->at.y_end[k] += Z[(S - 1) * n + k];
  *size = 0;
  for (int i = 0; i < S; i++) {
    const double d = jn_scaled_error(s, F + (size_t)i * n);
    if (!(d <= *size)) *size = d;
  }
  return isfinite(*size) ? JN_OK : JN_ERR_NOT_FINITE;
}

/* Bounds on the error of the iteration, in units of the tolerance, and near rounding. */
#define CONVERGED 0.01
#define ROUNDING 1e-14

/* The stages of a step of length h. *converged: 0 if the iteration is too slow or diverges. */
static jn_status solve(jn_simulation *s, double h, int *converged) {
  const double tolerance = s->o.step > 0 ? FIXED_TOLERANCE : s->o.tolerance;
  double old = HUGE_VAL;
  *converged = 0;
  prepare(s, h);
  guess(s, h);
  for (int pass = 0; pass < MOST_ITERATIONS; pass++) {
    double size;
    jn_status status = iterate(s, h, &size);
    if (status) return status;
    size *= s->o.tolerance / tolerance;
    const double part = size / old;
    old = size;
    if (size * tolerance < ROUNDING && (pass || size == 0)) break;
    if (pass == 0) continue;
    if (part < 1 && part / (1 - part) * size < CONVERGED) break;
    /* diverges, or will not be there in time */
    if (part >= 2 || (pass > 2 && part > 0.9)) return JN_OK;
    if (pass == MOST_ITERATIONS - 1) return JN_OK;
  }
  *converged = 1;
  return JN_OK;
}

/* The error of the step, filtered by (1 - h J/a_0)^-1; a second time, at the start displaced by it,
 * if it seems too large: stiff components then vanish. */
static jn_status step_error(jn_simulation *s, double h, double *error) {
  const size_t n = (size_t)s->n;
  const double mu = eigenvalue[0].a / h;
  double *im, *re = factors(s, 0, &im), *d = s->at.dense, *k = s->at.F;
  memcpy(k, s->at.k, sizeof *k * n);
  for (int pass = 0;; pass++) {
    for (size_t i = 0; i < n; i++) {
      d[i] = k[i];
      for (int j = 0; j < S; j++) d[i] += mu * e[j] * s->at.Z[(size_t)j * n + i];
    }
    solve_system(s, mu, 0, re, im, d, NULL);
    *error = jn_scaled_error(s, d);
    if (pass || *error <= 1 || !isfinite(*error)) break;
    jn_chart_start(s, s->at.y);
    for (size_t i = 0; i < n; i++) s->at.y[i] += d[i];
    s->record = NULL;
    jn_status status = jn_chart_derivative(s, s->t_start, s->at.y, k);
    if (status) return status;
  }
  return isfinite(*error) ? JN_OK : JN_ERR_NOT_FINITE;
}

/* The end of the step, and the derivative there for the next one. */
static jn_status finish(jn_simulation *s, double h) {
  s->record = s->watched ? s->at.push + 6 * (size_t)s->nv : NULL;
  jn_status status = jn_chart_derivative(s, s->t_start + h, s->at.y_end, s->at.k + 6 * s->n);
  if (status) return status;
  jn_point_copy(s, s->trial, s->next);
  s->h = h;
  s->by_radau = s->has_dense = s->has_rate = 1;
  return JN_OK;
}

static jn_status fixed_step(jn_simulation *s, double t_max) {
  const double h = jn_clip_step(s, s->o.step, t_max);
  int converged;
  jn_status status = solve(s, h, &converged);
  if (!status && !converged)
    status = jn_stop(s, JN_ERR_LIMIT,
                     "the equations of an implicit step of %g s are not solved by %d iterations: "
                     "shorten the step",
                     h, MOST_ITERATIONS);
  return status ? status : finish(s, h);
}

static jn_status adaptive_step(jn_simulation *s, double t_max, double least) {
  if (!(s->h_next > 0)) s->h_next = jn_first_step(s, 6);
  jn_trial trial = jn_trial_new(s, s->h_next);
  for (;;) {
    double error = HUGE_VAL, missed = 0, cut = HUGE_VAL;
    int converged = 0;
    if (trial.wish < least) return JN_ERR_LIMIT;
    jn_trial_begin(s, &trial, t_max);
    jn_status status = solve(s, trial.h, &converged);
    if (!status && converged) status = step_error(s, trial.h, &error);
    if (!status && error <= 1) {
      status = finish(s, trial.h);
      if (!status) status = jn_watch(s, &weights, &missed, &cut);
      if (!status) jn_look_for_slips(s, &missed, &cut);
    }
    if (!status && !converged && trial.last)
      return jn_stop(s, JN_ERR_LIMIT,
                     "the equations of the implicit step have no solution for any step size: a "
                     "force that depends on the state is too stiff or not smooth enough for scheme "
                     "radau");
    const int end = jn_trial_ends(s, &trial, fmax(error, missed), &status);
    if (end < 0) return status;
    double factor = error < HUGE_VAL ? 0.9 * jn_pow(fmax(error, LEAST_ERROR), -1.0 / 6) : 0.3;
    if (missed > 1) factor = 0.5;
    if (end > 0) {
      if (!s->by_radau && (status = finish(s, trial.h))) return status;
      factor = factor > 8 ? 8 : trial.count && factor > 1 ? 1 : factor;
      const double next = trial.h * factor;
      s->h_next = trial.h < trial.wish && next < trial.wish ? trial.wish : next;
      return JN_OK;
    }
    s->by_radau = 0;
    trial.wish = fmin(trial.h * (factor < 0.1 ? 0.1 : factor), cut);
  }
}

jn_status jn_radau_step(jn_simulation *s, double t_max, double least) {
  const size_t n = (size_t)s->n;
  jn_status status = jn_first_stage(s);
  if (status) return status;
  if (s->has_stages) memcpy(s->at.Z + S * n, s->at.Z, sizeof(double) * S * n);
  jn_resistance(s, s->start);
  if (s->nv && (status = jn_mass_matrix(s->model, s->data, s->start.q, s->at.mass))) return status;
  status = s->o.step > 0 ? fixed_step(s, t_max) : adaptive_step(s, t_max, least);
  s->has_stages = !status;
  s->h_stages = s->h;
  return status;
}

jn_status jn_radau_dense(jn_simulation *s, double time, jn_point x) {
  const size_t n = (size_t)s->n;
  double p[S], *y = s->at.y;
  interpolation(time / s->h, p);
  jn_chart_start(s, y);
  for (int i = 0; i < S; i++)
    for (size_t k = 0; k < n; k++) y[k] += p[i] * s->at.Z[(size_t)i * n + k];
  return jn_chart_point(s, y, x);
}
