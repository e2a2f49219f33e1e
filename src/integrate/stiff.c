/* stiff.c: damping and friction that decay much faster than the motion. An explicit scheme then
 * needs steps of a few decay times, 1/rate, for ever: they are limited by stability and not by
 * accuracy. If that seems to be so, a long step of radau is tried, and radau goes on if it is
 * within the tolerance; until its own steps are as short, because something happens as fast as the
 * decay. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "integrate/simulation.h"
#include "model/data.h"

/* An explicit step h may be limited by the decay if h rate is in this range: rkmk54 is stable up to
 * 3.3, a Taylor polynomial of degree 4 up to 2.8, of degree 15 up to 6.8. */
#define SLOWEST 2.5
#define FASTEST 40.0
/* Steps in a row before radau is tried, how much longer its step must be, steps between trials. */
enum { PATIENCE = 40, FIRST_PAUSE = 200, LONGEST_PAUSE = 100000 };
/* The rate is found in one step of so many. */
enum { RATE_EVERY = 8 };
#define TRIAL 16.0
/* Steps of radau with h rate below RESOLVED before the explicit scheme goes on. */
enum { BACK = 10 };
#define RESOLVED 4.0

void jn_resistance(jn_simulation *s, jn_point x) {
  const double width = s->o.forces.friction_width;
  for (size_t i = 0; i < (size_t)s->nv; i++) {
    double d = s->at.damping[i] + s->at.model_damping[i];
    if (s->at.friction[i] != 0) {
      const double y = jn_tanh(x.v[i] / width);
      d += s->at.friction[i] / width * (1 - y * y);
    }
    s->at.slope[i] = d > 0 ? d : 0;
  }
}

/* The largest eigenvalue of M^-1 D by one iteration x = M^-1 D x from the last step's x. */
static jn_status find_rate(jn_simulation *s) {
  const size_t nv = (size_t)s->nv;
  double *x = s->at.mode, *f = s->at.drive, *a = s->at.tau;
  jn_resistance(s, s->start);
  for (int fresh = 0; fresh < 2; fresh++) {
    for (size_t i = 0; i < nv; i++) {
      if (fresh) x[i] = 1;
      f[i] = s->at.slope[i] * x[i];
    }
    s->stiff.rate = jn_largest(f, nv);
    if (s->stiff.rate > 0) break;
  }
  if (!(s->stiff.rate > 0)) return JN_OK; /* nothing resists */
  jn_status status = jn_solve_mass(s, s->start.q, f, a);
  if (status) return status;
  s->stiff.rate = jn_largest(a, nv);
  for (size_t i = 0; i < nv; i++) x[i] = a[i] / s->stiff.rate;
  return JN_OK;
}

/* Tries a step of radau much longer than the last one. */
static int try_radau(jn_simulation *s, double t_max, jn_status *status) {
  const double h = s->h, next = s->h_next;
  s->h_next = TRIAL * h;
  *status = jn_radau_step(s, t_max, 0.5 * TRIAL * h);
  s->stiff.count = 0;
  s->stiff.implicit = *status == JN_OK;
  if (*status != JN_ERR_LIMIT && *status != JN_ERR_NOT_FINITE) return 1;
  s->message[0] = '\0';
  s->h_next = next;
  s->stiff.pause = s->stiff.pause ? 2 * s->stiff.pause : FIRST_PAUSE;
  if (s->stiff.pause > LONGEST_PAUSE) s->stiff.pause = LONGEST_PAUSE;
  s->stiff.wait = s->stiff.pause;
  return 0;
}

/* Counts the steps in a row with `sign`; one shortened by t_max says nothing. */
static void count(jn_simulation *s, double t_max, int sign) {
  if (s->h < t_max - s->t_start) s->stiff.count = sign ? s->stiff.count + 1 : 0;
}

jn_status jn_stiff_step(jn_simulation *s, double t_max) {
  jn_status status = s->stiff.age++ % RATE_EVERY ? JN_OK : find_rate(s);
  if (status) return status;
  if (s->stiff.wait > 0) s->stiff.wait--;
  if (!s->stiff.implicit && s->stiff.count >= PATIENCE && s->stiff.wait == 0 &&
      try_radau(s, t_max, &status))
    return status;
  if (s->stiff.implicit) {
    if ((status = jn_radau_step(s, t_max, 0))) return status;
    count(s, t_max, s->h * s->stiff.rate < RESOLVED);
    if (s->stiff.count < BACK) return JN_OK;
    s->stiff.implicit = s->stiff.count = 0;
    s->h_next = s->o.scheme == JN_TAYLOR ? 0 : s->h;
    return JN_OK;
  }
  s->has_stages = 0;
  status = s->o.scheme == JN_TAYLOR ? jn_taylor_step(s, t_max) : jn_rk_step(s, t_max);
  if (status) return status;
  const double x = s->h * s->stiff.rate;
  count(s, t_max, x > SLOWEST && x < FASTEST);
  return JN_OK;
}

/* ---- fixed steps
 *
 * A decay exp(-rate t) is stable in an explicit step h if |R(-h rate)| <= 1, R the polynomial of
 * the scheme. M x'' + D x' + K x = 0 has a decay faster than L if for some vector y
 *
 *   L^2 y^T M y - L y^T D y + y^T K y < 0
 *
 * y: by iterations y = M^-1 D x, x = y; with constraint forces where there are some. */

#define FASTER 1.01 /* iterations end when the rate does not grow as much */
enum { MOST_ITERATIONS = 30 };

/* |e^-x minus the rest of its series, which gives the polynomial of degree N, + last x^6| */
static double growth(int N, double last, double x) {
  double term = 1, rest = 0;
  for (int k = 1; k <= N + 1 || fabs(term) > 1e-17; k++) {
    term *= -x / k;
    if (k > N) rest += term;
  }
  return fabs(jn_exp(-x) - rest + last * x * x * x * x * x * x);
}

double jn_stability_limit(const jn_simulation *s) {
  const int pair = s->o.scheme == JN_RKMK54, N = s->o.scheme == JN_TAYLOR ? s->degree
                                                 : pair                   ? 5
                                                                          : 4;
  const double last = pair ? 1.0 / 600 : 0; /* of Dormand and Prince */
  double low = N / 2.75, high = low;
  while (growth(N, last, high) <= 1) low = high, high += 0.125;
  for (int pass = 0; pass < 40; pass++) {
    const double x = 0.5 * (low + high);
    if (growth(N, last, x) <= 1)
      low = x;
    else
      high = x;
  }
  return low;
}

/* a = the acceleration by f from rest, with the constraint forces */
static jn_status respond(jn_simulation *s, const double *f, double *a) {
  if (!s->closed) return jn_solve_mass(s, s->start.q, f, a);
  jn_settings *settings = jn_data_settings(s->data);
  double *rest = s->at.a;
  jn_status status = jn_world_at(s, s->t_start, -1);
  memset(rest, 0, sizeof *rest * (size_t)s->nv);
  settings->gravity = jn_v3(0, 0, 0);
  settings->damping = 0;
  if (!status) status = jn_accelerate(s, 0, s->start.q, rest, f, NULL, a);
  jn_settings_restore(s);
  return status;
}

/* Rate of the fastest decay by damping that one iteration shows; 0: none, or springs prevail. */
static jn_status find_decay(jn_simulation *s, double *rate) {
  const size_t nv = (size_t)s->nv;
  double *x = s->at.mode, *f = s->at.drive, *a = s->at.tau, M = 0, D = 0, K = 0;
  if (!(jn_largest(x, nv) > 0))
    for (size_t i = 0; i < nv; i++) x[i] = 1;
  for (size_t i = 0; i < nv; i++) f[i] = (s->at.damping[i] + s->at.model_damping[i]) * x[i];
  jn_status status = respond(s, f, a);
  const double scale = status ? 0 : jn_largest(a, nv);
  *rate = 0;
  if (!(scale > 0)) return status;
  for (size_t i = 0; i < nv; i++) {
    const double y = x[i] = a[i] / scale, k = s->ne ? s->at.motor_stiffness[i] : 0;
    M += y * f[i] / scale;
    D += y * y * (s->at.damping[i] + s->at.model_damping[i]);
    K += y * y * (s->at.stiffness[i] + k);
  }
  const double root = D * D - 4 * M * K;
  if (M > 0 && root > 0) *rate = (D + sqrt(root)) / (2 * M);
  return JN_OK;
}

jn_status jn_check_decay(jn_simulation *s, double h) {
  const int passes = s->stiff.age == 0 ? MOST_ITERATIONS : 1;
  if (!(s->stability > 0) || s->stiff.age++ % RATE_EVERY) return JN_OK;
  double before = 0, rate = 0;
  for (int pass = 0; pass < passes && (pass < 2 || rate > FASTER * before); pass++) {
    before = rate;
    /* what fails here fails in the step as well */
    if (find_decay(s, &rate)) return JN_OK;
  }
  if (!(h * rate > s->stability)) return JN_OK;
  return jn_stop(s, JN_ERR_LIMIT,
                 "damping decays at %.3g per second at t = %g, for which a fixed step of %g s by "
                 "scheme %s is unstable: use a step of at most %.3g s, or scheme radau",
                 rate, s->t_start, h, jn_scheme_name(s->o.scheme), 0.99 * s->stability / rate);
}
