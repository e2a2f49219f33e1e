/* event.c: roots of the user's event functions within the last step, on the dense output. */
#include <math.h>

#include "integrate/simulation.h"

/* Samples of g per step: a function that changes sign twice between two of them is missed. */
enum { LOOKS = 8 };

static jn_status evaluate(jn_simulation *s, int i, double time, double *g) {
  jn_status status = jn_dense(s, time, s->out);
  if (status) return status;
  jn_edge_velocity(s, s->out.q, s->out.v, 0, s->out.v);
  *g = s->events[i].g(s->events[i].context, s->t_start + time, s->out.q, s->out.v);
  return isfinite(*g) ? JN_OK : JN_ERR_NOT_FINITE;
}

static double side(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

/* The root between a and b, where g has different signs: inverse quadratic interpolation where it
 * is safe, bisection otherwise (Chandrupatla). Gives the end b of the final bracket, on the far
 * side of the root. */
static jn_status locate(jn_simulation *s, int i, double a, double ga, double b, double gb,
                        double *root) {
  double sa = side(ga), c = a, gc = ga, part = 0.5;
  for (int pass = 0; pass < 100; pass++) {
    double x = a + part * (b - a), g;
    if (x == a || x == b) break;
    jn_status status = evaluate(s, i, x, &g);
    if (status) return status;
    /* c: the point dropped from the bracket */
    const int near = side(g) == sa;
    if (near)
      c = a, gc = ga, a = x, ga = g;
    else
      c = b, gc = gb, b = x, gb = g;
    if (fabs(b - a) <= 4e-16 * s->h + 2e-16 * fabs(b)) break;
    /* x: the newest point, y: the other end of the bracket, c: the dropped point */
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

/* The first crossing of event i between the start of the step and `limit`. */
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
      /* `sign` is the recorded side: just after an event, rounding may leave g on the other one */
      *found = s->events[i].direction == 0 || s->events[i].direction * now > 0;
      *time = 0;
      if (*found && side(ga) == now) return JN_OK; /* crossed at the start of the step */
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
  /* record the side of each function at the end of the step */
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
