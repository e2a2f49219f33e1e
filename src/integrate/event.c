/* event.c: roots of the user's event functions within the last step, on the dense output. */
#include <math.h>

#include "integrate/simulation.h"

/* Looks at g per step, at least and at most; one in each `resolution`. */
enum { LEAST_LOOKS = 4, MOST_LOOKS = 1000 };
/* relative to the step, or to the interval looked at */
#define LEAST_INTERVAL 1e-13 /* of a search for a dip */
#define DIP_WIDTH 1e-12      /* at which it ends */
#define SLOPE_WIDTH 1e-5     /* of differences */
#define ROUNDING 2e-16       /* of a time */

double jn_event_reach(const jn_simulation *s) {
  return s->o.event_count > 0 ? MOST_LOOKS * s->o.resolution : HUGE_VAL;
}

static jn_status evaluate(jn_simulation *s, int i, double time, double *g) {
  jn_status status = jn_dense(s, time, s->out);
  if (status) return status;
  if (!jn_point_is_finite(s, s->out)) /* sets the velocities at.a */
    return jn_stop(s, JN_ERR_NOT_FINITE, "the state is not finite at t = %g", s->t_start + time);
  *g = s->events[i].g(s->events[i].context, s->t_start + time, s->out.q, s->at.a);
  if (isfinite(*g)) return JN_OK;
  return jn_stop(s, JN_ERR_NOT_FINITE, "event %d is not finite at t = %g", i, s->t_start + time);
}

static double side(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

/* A point of the graph of g, and its slope. */
typedef struct look {
  double t, g, slope;
} look;

/* slope of g at x, by the difference to time x.t + d */
static jn_status find_slope(jn_simulation *s, int i, look *x, double d) {
  double g;
  jn_status status = evaluate(s, i, x->t + d, &g);
  if (!status) x->slope = (g - x->g) / d;
  return status;
}

/* The least value between a and b, where a falls and b rises, of the cubic with their values and
 * slopes; its time, kept off both ends. */
static look lowest(look a, look b) {
  const double h = b.t - a.t, d = (b.g - a.g) / h, p = a.slope + b.slope - 2 * d,
               q = 3 * d - 2 * a.slope - b.slope;
  /* slope of the cubic at u in 0 ... 1: a.slope + 2 q u + 3 p u^2, its root with a rise */
  double u = -a.slope / (q + sqrt(fmax(q * q - 3 * p * a.slope, 0)));
  const double g = a.g + u * h * (a.slope + u * (q + u * p));
  if (!(u > 0.05)) u = 0.05;
  if (u > 0.95) u = 0.95;
  return (look){a.t + u * h, g, 0};
}

/* Does g, on one side of zero at a and b, reach the other side in between? Searched where it comes
 * nearer to zero at a and leaves it at b. *found: a point on the other side. */
static jn_status find_dip(jn_simulation *s, int i, look a, look b, double *time, int *found) {
  const double sign = side(a.g);
  *found = 0;
  if (sign == 0 || !(b.t - a.t > LEAST_INTERVAL * s->h)) return JN_OK;
  jn_status status;
  for (int k = 0; k < 2; k++) { /* the end nearer to zero first: most often it decides */
    const int at_a = (fabs(a.g) < fabs(b.g)) == (k == 0);
    look *x = at_a ? &a : &b;
    if ((status = find_slope(s, i, x, (at_a ? SLOPE_WIDTH : -SLOPE_WIDTH) * (b.t - a.t))))
      return status;
    if (!((at_a ? sign : -sign) * x->slope < 0)) return JN_OK;
  }
  a.g *= sign, a.slope *= sign, b.g *= sign, b.slope *= sign;
  for (int pass = 0; pass < 60 && b.t - a.t > DIP_WIDTH * s->h; pass++) {
    look x = lowest(a, b);
    if (pass && x.g > 0.5 * fmin(a.g, b.g)) return JN_OK; /* it stays well away */
    if ((status = evaluate(s, i, x.t, &x.g))) return status;
    *time = x.t;
    if (side(x.g) == -sign) return *found = 1, JN_OK;
    if ((status = find_slope(s, i, &x, SLOPE_WIDTH * (b.t - a.t)))) return status;
    x.g *= sign, x.slope *= sign;
    if (x.slope < 0)
      a = x;
    else
      b = x;
  }
  return JN_OK;
}

/* The root between a and b, where g has different signs: inverse quadratic interpolation where it
 * is safe, bisection otherwise (Chandrupatla). Gives the end b of the final bracket, on the far
 * side of the root. */
static jn_status locate(jn_simulation *s, int i, double a, double ga, double b, double gb,
                        double *root) {
  double sa = side(ga), c = a, gc = ga, part = 0.5;
  for (int pass = 0; pass < 100; pass++) {
    double x = a + part * (b - a), g = 0;
    if (x == a || x == b) break;
    jn_status status = evaluate(s, i, x, &g);
    if (status) return status;
    /* c: the point dropped from the bracket */
    const int near = side(g) == sa;
    if (near)
      c = a, gc = ga, a = x, ga = g;
    else
      c = b, gc = gb, b = x, gb = g;
    if (fabs(b - a) <= 2 * ROUNDING * s->h + ROUNDING * fabs(b)) break;
    /* x: the newest point, y: the other end of the bracket, c: the dropped point */
    double y = near ? b : a, gy = near ? gb : ga;
    double xi = (x - y) / (c - y), phi = (g - gy) / (gc - gy), t = 0.5;
    if (gc != g && gc != gy && phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      t = g / (gy - g) * gc / (gy - gc) + (c - x) / (y - x) * g / (gc - g) * gy / (gc - gy);
    double least = ROUNDING * s->h / fabs(b - a);
    t = t < least ? least : t > 1 - least ? 1 - least : t;
    part = (x + t * (y - x) - a) / (b - a);
  }
  *root = b;
  return JN_OK;
}

/* One event function on its way through the step. */
typedef struct walk {
  double t, g; /* the last look */
  double sign; /* the side of zero it is known to be on; 0: unknown */
  int found;   /* 1: the event is at `time` */
  double time;
} walk;

/* Goes on to the look at b, where g = gb. `sign` is the recorded side: just after an event,
 * rounding may leave g on the other one. */
static jn_status walk_to(jn_simulation *s, int i, walk *w, double b, double gb) {
  const double now = side(gb);
  const int direction = s->events[i].direction;
  if (now != 0 && w->sign == 0) w->sign = now;
  if (now != 0 && now != w->sign) {
    w->found = direction == 0 || direction * now > 0;
    w->time = 0;
    if (w->found && side(w->g) == now) return JN_OK; /* crossed at the start of the step */
    if (w->found) return locate(s, i, w->t, w->g, b, gb, &w->time);
    w->sign = now;
  }
  w->t = b;
  w->g = gb;
  return JN_OK;
}

/* The first crossing of event i between the start of the step and `limit`. */
static jn_status first_crossing(jn_simulation *s, int i, double limit, walk *w) {
  const double wanted = limit / s->o.resolution;
  const int looks = wanted > MOST_LOOKS    ? MOST_LOOKS
                    : wanted > LEAST_LOOKS ? (int)ceil(wanted)
                                           : LEAST_LOOKS;
  *w = (walk){0};
  jn_status status = evaluate(s, i, 0, &w->g);
  if (status) return status;
  w->sign = s->has_signs ? s->at.sign[i] : side(w->g);
  for (int k = 1; k <= looks && !w->found; k++) {
    double b = k == looks ? limit : limit * k / looks, gb, m = 0, gm;
    int dips = 0;
    if ((status = evaluate(s, i, b, &gb))) return status;
    if (side(w->g) == side(gb) && side(gb) == w->sign)
      status = find_dip(s, i, (look){w->t, w->g, 0}, (look){b, gb, 0}, &m, &dips);
    if (dips && !status) status = evaluate(s, i, m, &gm);
    if (dips && !status) status = walk_to(s, i, w, m, gm);
    if (!status && !w->found) status = walk_to(s, i, w, b, gb);
    if (status) return status;
  }
  return JN_OK;
}

jn_status jn_find_event(jn_simulation *s, double *time, int *event) {
  int count = s->o.event_count, found = -1;
  double limit = *time;
  for (int i = 0; i < count; i++) {
    walk w;
    jn_status status = first_crossing(s, i, limit, &w);
    if (status) return status;
    if (w.found && (found < 0 || w.time < limit)) {
      limit = w.time;
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
