/* event.c: roots of the user's functions along the last step, by the dense output. */
#include <math.h>

#include "integrate/simulation.h"

/* how often a step is looked at from within, for functions that come back to their side */
enum { LOOKS = 8 };

static jn_status evaluate(jn_simulation *s, int i, double time, double *g) {
  jn_status status = jn_dense(s, time, s->out);
  if (status) return status;
  jn_edge_velocity(s, s->out.q, s->out.v, 0, s->out.v);
  *g = s->events[i].g(s->events[i].context, s->t_start + time, s->out.q, s->out.v);
  return isfinite(*g) ? JN_OK : JN_ERR_NOT_FINITE;
}

static double side(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

/* The root between a and b, g(a) and g(b) of different signs: inverse quadratic interpolation as
 * long as it is safe, bisection otherwise (Chandrupatla). Ends with the far side, b, next to the
 * root. */
static jn_status locate(jn_simulation *s, int i, double a, double ga, double b, double gb,
                        double *root) {
  double sa = side(ga), c = a, gc = ga, part = 0.5;
  for (int pass = 0; pass < 100; pass++) {
    double x = a + part * (b - a), g;
    if (x == a || x == b) break;
    jn_status status = evaluate(s, i, x, &g);
    if (status) return status;
    /* c: the point that was dropped last */
    const int near = side(g) == sa;
    if (near)
      c = a, gc = ga, a = x, ga = g;
    else
      c = b, gc = gb, b = x, gb = g;
    if (fabs(b - a) <= 4e-16 * s->h + 2e-16 * fabs(b)) break;
    /* seen from the newest point x, with the other end of the bracket y and the old point c */
    double y = near ? b : a, gy = near ? gb : ga;
    double xi = (x - y) / (c - y), phi = (g - gy) / (gc - gy), t = 0.5;
    if (gc != g && gc != gy && phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      t = g / (gy - g) * gc / (gy - gc) + (c - x) / (y - x) * g / (gc - g) * gy / (gc - gy);
    double least = 2e-16 * s->h / fabs(b - a);
    t = t < least ? least : t > 1 - least ? 1 - least : t;
    part = (x + t * (y - x) - a) / (b - a);
  }
  *root = b;
  return JN_OK;
}

/* One event: looks at the step up to `limit` for the first crossing. */
static jn_status first_crossing(jn_simulation *s, int i, double limit, double *time, int *found) {
  double a = 0, ga, sign;
  *found = 0;
  jn_status status = evaluate(s, i, 0, &ga);
  if (status) return status;
  sign = s->has_signs ? s->at.sign[i] : side(ga);
  for (int look = 1; look <= LOOKS; look++) {
    double b = look == LOOKS ? limit : limit * look / LOOKS, gb;
    if ((status = evaluate(s, i, b, &gb))) return status;
    double now = side(gb);
    if (now != 0 && sign == 0) sign = now;
    if (now != 0 && now != sign) {
      /* at the place of the last event g may still be on the wrong side by rounding */
      *found = s->events[i].direction == 0 || s->events[i].direction * now > 0;
      *time = 0;
      if (*found && side(ga) == now) return JN_OK; /* from the start of the step on */
      if (*found) return locate(s, i, a, ga, b, gb, time);
      sign = now;
    }
    a = b;
    ga = gb;
  }
  return JN_OK;
}

jn_status jn_find_event(jn_simulation *s, double *time, int *event) {
  int count = s->o.event_count, found = -1;
  double limit = *time;
  for (int i = 0; i < count; i++) {
    double at;
    int crossed;
    jn_status status = first_crossing(s, i, limit, &at, &crossed);
    if (status) return status;
    if (crossed && (found < 0 || at < limit)) {
      limit = at;
      found = i;
    }
  }
  /* the side each function is on where the step will end */
  for (int i = 0; i < count; i++) {
    double g, before = s->has_signs ? s->at.sign[i] : 0;
    jn_status status = evaluate(s, i, limit, &g);
    if (status) return status;
    s->at.sign[i] = side(g) != 0 ? side(g) : i == found ? -before : before;
  }
  s->has_signs = 1;
  *time = limit;
  *event = found;
  return JN_OK;
}
