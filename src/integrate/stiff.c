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
