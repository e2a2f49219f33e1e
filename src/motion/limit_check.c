/* limit_check.c: samples, extrema, and the speeds that every sample allows. */
#include <jounce/dynamics.h>
#include <jounce/rotors.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "base/numbers.h"
#include "motion/limit_rows.h"

static const double fastest = 1 / JN_LIMIT_FASTEST; /* higher speeds are not considered */
static const double just_before = 1e-12;            /* of a time, relative: just before a break */
static const double beyond = 1e9;                   /* use of a range without width */
static const double least_limit = 1e-9;             /* scale of a limit of zero */
enum { PLACES = 8 };                                /* samples of a piece at least */
static const double least_width = 1e-7;             /* of an interval with an extremum, relative */
static const double bound_slack = 1e-4;  /* of the slack of a limit: rounding at the bound */
static const double above_zero = 1e-300; /* scale of a bound of zero */
static const double same_speed = 1e-13;  /* relative: no sample lowers it further */
static const double no_speed = 1e-9;     /* no time scale satisfies the limits */
static const double jump_of_joint = 1e-4,
                    jump_of_path = 1e-7; /* of the largest values: rounding below */
static const double slack = 1e-9;        /* relative tolerance for rounding at a limit */

/* Samples: c [samples x rows x kinds x 4]; the value at speed x is c_0 + c_1 x + c_2 x^2 + c_3 x^3.
 */
struct jn_limit_check {
  jn_allocator hooks;
  const jn_model *model;
  jn_data *data; /* during jn_limit_check_new */
  const jn_trajectory *trajectory;
  const jn_closed_motion *closed; /* during jn_limit_check_new; NULL: the open tree */
  int nq, nv, rows, rotors;       /* rotors: 0 if none has a limit */
  jn_limit_range *range;          /* [rows x kinds] */
  jn_limit_peak *peak;            /* [rows x kinds] */
  int limited, broken;
  double scale;
  int grid;                    /* the first samples, ordered in time; extrema found later follow */
  int edges, edge_room, *edge; /* samples just before a break; the next one is at it */
  int samples, room;
  double *t, *c, *at;              /* at [samples x nq]: configurations of a closed motion */
  double *q, *v, *tau, *g, *f, *P; /* scratch; of rotors: forces [4 x rotors], P [rotors x 6] */
  double *d, *scaled; /* of a closed motion: forces of damping [2 x nv], v at a speed */
};

/* Makes room for one more element of `size` bytes in a list with room for `room`. */
static int grow(const jn_allocator *hooks, void **list, int room, int more, size_t size) {
  void *larger = jn_block_new(hooks, (size_t)more, size);
  if (!larger) return 0;
  if (room) memcpy(larger, *list, (size_t)room * size);
  jn_block_free(hooks, *list);
  *list = larger;
  return 1;
}

static int grow_samples(jn_limit_check *job) {
  const int room = job->room, more = room ? 2 * room : 16;
  void *t = job->t, *c = job->c, *at = job->at;
  if (job->samples < room) return 1;
  if (room > INT32_MAX / 2) return 0;
  int grown = grow(&job->hooks, &t, room, more, sizeof *job->t);
  job->t = t;
  grown = grown && grow(&job->hooks, &c, room, more,
                        (size_t)job->rows * JN_LIMIT_KINDS * 4 * sizeof *job->c);
  job->c = c;
  if (job->closed)
    grown = grown && grow(&job->hooks, &at, room, more, ((size_t)job->nq + 1) * sizeof *job->at);
  job->at = at;
  if (grown) job->room = more;
  return grown;
}

static double *coefficients(const jn_limit_check *job, int sample, int iv, int kind) {
  return job->c +
         (((size_t)sample * (size_t)job->rows + (size_t)iv) * JN_LIMIT_KINDS + (size_t)kind) * 4;
}

/* The thrusts of sample n, from the forces and those of gravity. */
static void add_thrusts(const jn_limit_check *job, int n) {
  const jn_representation representation = jn_data_settings(job->data)->representation;
  const double *f = job->f, *g = f + 2 * job->rotors;
  jn_limit_thrusts(job->model, representation, job->P, job->q, job->v, job->tau, job->f);
  jn_limit_thrusts(job->model, representation, job->P, job->q, job->v, job->g,
                   job->f + 2 * job->rotors);
  for (int i = 0; i < job->rotors; i++) {
    double *c = coefficients(job, n, job->nv + i, JN_LIMIT_EFFORT),
           *rate = coefficients(job, n, job->nv + i, JN_LIMIT_EFFORT_RATE);
    c[0] = g[i], c[2] = f[i] - g[i];
    rate[1] = g[job->rotors + i], rate[3] = f[job->rotors + i] - rate[1];
  }
}

/* The configuration of a closed motion that is nearest in time: of the last sample while the grid is
 * made, of the grid later. */
static const double *nearest(const jn_limit_check *job, double t) {
  const size_t stride = (size_t)job->nq + 1;
  const int count = job->grid ? job->grid : job->samples;
  int i = jn_last_at(job->t, 1, 0, count, t);
  if (i + 1 < job->grid && job->t[i + 1] - t < t - job->t[i]) i++;
  return job->at + stride * (size_t)i;
}

/* tau[2 x nv] at x times the speed, with constraints */
static jn_status closed_forces(jn_limit_check *job, double x, double *tau) {
  const jn_constraints constraints = {.active = job->closed->active};
  double power = x;
  for (int k = 0; k < 3; k++, power *= x)
    for (int i = 0; i < job->nv; i++)
      job->scaled[k * job->nv + i] = power * job->v[k * job->nv + i];
  return jn_constrained_inverse_dynamics(job->model, job->data, 1, job->q, job->scaled, NULL,
                                         &constraints, tau, NULL);
}

/* tau, and its parts g and d, both with their rates, of a closed motion: with
 *   tau(x) = g + d x + c x^2,   tau'(x) = g' x + d' x^2 + c' x^3
 * from x = 1, 2 and, where there is damping, -1. */
static jn_status closed_sample(jn_limit_check *job, double t) {
  const int nv = job->nv, damped = jn_data_settings(job->data)->damping;
  double *at = job->at + ((size_t)job->nq + 1) * (size_t)job->samples;
  const double *near = job->samples ? nearest(job, t) : job->closed->q;
  jn_status status = jn_closed_motion_at(job->model, job->data, job->trajectory, job->closed, t, 1,
                                         near, job->q, job->v);
  if (!status) memcpy(at, job->q, (size_t)job->nq * sizeof *at);
  if (!status) status = closed_forces(job, 1, job->tau);
  if (!status) status = closed_forces(job, 2, job->g);
  if (!status && damped) status = closed_forces(job, -1, job->d);
  for (int i = 0; i < nv && !status; i++) {
    const double *one = job->tau + i, *back = job->d + i;
    double *g = job->g + i, *d = job->d + i;
    const double d0 = damped ? 0.5 * (one[0] - back[0]) : 0,
                 d1 = damped ? 0.5 * (one[nv] + back[nv]) : 0, rest = one[0] - d0,
                 rate = one[nv] - d1;
    /* g + 2 d + 4 c at x = 2, 2 g' + 4 d' + 8 c' */
    g[0] = rest - (g[0] - 2 * d0 - rest) / 3;
    g[nv] = rate - (g[nv] - 4 * d1 - 2 * rate) / 6;
    d[0] = d0, d[nv] = d1;
  }
  return status;
}

/* tau, g and d, each with its rate, at time t */
static jn_status forces_at(jn_limit_check *job, double t) {
  const jn_model *model = job->model;
  const jn_settings *settings = jn_data_settings(job->data);
  const int nv = job->nv;
  if (job->closed) return closed_sample(job, t);
  jn_status status =
      jn_trajectory_at(job->trajectory, t, 1, settings->representation, job->q, job->v);
  if (!status) status = jn_inverse_dynamics(model, job->data, 1, job->q, job->v, NULL, job->tau);
  if (!status)
    status = jn_equations_of_motion(model, job->data, 1, job->q, job->v, NULL, NULL, NULL, job->g,
                                    NULL, NULL);
  for (int i = 0; i < jn_model_body_count(model) && !status; i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    const double d = settings->damping ? joint->damping : 0;
    for (int k = joint->iv; k < joint->iv + joint->nv; k++)
      job->d[k] = d * job->v[k], job->d[nv + k] = d * job->v[nv + k];
  }
  return status;
}

/* Adds a sample at time t. */
static jn_status add_sample(jn_limit_check *job, double t) {
  const jn_model *model = job->model;
  const int nv = job->nv, n = job->samples;
  if (!grow_samples(job)) return JN_ERR_MEMORY;
  jn_status status = forces_at(job, t);
  if (status) return status;
  const double *v = job->v, *a = v + nv, *j = a + nv, *tau = job->tau, *g = job->g, *d = job->d;
  job->t[n] = t;
  memset(coefficients(job, n, 0, 0), 0, (size_t)job->rows * JN_LIMIT_KINDS * 4 * sizeof *job->c);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    for (int k = joint->iv; k < joint->iv + joint->nv; k++) {
      if (joint->nq == joint->nv)
        coefficients(job, n, k, JN_LIMIT_POSITION)[0] = job->q[joint->iq + k - joint->iv];
      coefficients(job, n, k, JN_LIMIT_VELOCITY)[1] = v[k];
      coefficients(job, n, k, JN_LIMIT_ACCELERATION)[2] = a[k];
      coefficients(job, n, k, JN_LIMIT_JERK)[3] = j[k];
      double *f = coefficients(job, n, k, JN_LIMIT_EFFORT),
             *power = coefficients(job, n, k, JN_LIMIT_POWER);
      f[0] = g[k], f[1] = d[k], f[2] = tau[k] - f[0] - f[1];
      for (int c = 0; c < 3; c++) power[c + 1] = v[k] * f[c];
      f = coefficients(job, n, k, JN_LIMIT_EFFORT_RATE);
      f[1] = g[nv + k], f[2] = d[nv + k], f[3] = tau[nv + k] - f[1] - f[2];
    }
  }
  if (job->rotors) add_thrusts(job, n);
  job->samples++;
  return JN_OK;
}

/* Remembers the last sample as that before a break. */
static jn_status add_edge(jn_limit_check *job) {
  const int more = job->edge_room ? 2 * job->edge_room : 16;
  void *edge = job->edge;
  if (job->edges == job->edge_room) {
    if (!grow(&job->hooks, &edge, job->edge_room, more, sizeof *job->edge)) return JN_ERR_MEMORY;
    job->edge = edge;
    job->edge_room = more;
  }
  job->edge[job->edges++] = job->samples - 1;
  return JN_OK;
}

/* Samples every piece of the trajectory from start to end, its ends included, at `least` places or more, and
 * as closely as its harmonics need. */
static jn_status sample_all(jn_limit_check *job, double start, double end, int samples, int least) {
  jn_status status = JN_OK;
  for (double t = start; t < end && !status;) {
    double next = fmin(jn_trajectory_next_break(job->trajectory, t), end);
    if (!(next > t)) break;
    const double share = samples * (next - t) / (end - start);
    const int n = jn_trajectory_places(job->trajectory, t, next, fmax(share, least));
    if (n > JN_MAX_SAMPLES - job->samples) return JN_ERR_LIMIT;
    for (int i = 0; i < n && !status; i++) status = add_sample(job, t + (next - t) * i / n);
    /* the limit from the left at the end of the piece */
    if (!status) status = add_sample(job, next - just_before * (fabs(next) + next - t));
    if (!status && next < end) status = add_edge(job);
    t = next;
  }
  if (!status) status = add_sample(job, end);
  job->grid = job->samples;
  return status;
}

static double value_at(const double *c, double x) {
  return ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
}

/* Of a range without width: far beyond it, and more so the farther the value is from it. */
static double outside(double distance) {
  return copysign(beyond * (1 + fabs(distance) / (1 + fabs(distance))), distance);
}

/* 1 and -1 at the limits; with one limit only, relative to its magnitude */
static double use_of(const jn_limit_range *r, double value) {
  if (isfinite(r->low) && isfinite(r->high)) {
    double half = 0.5 * (r->high - r->low), middle = 0.5 * (r->high + r->low);
    return half > 0 ? (value - middle) / half : value == middle ? 0 : outside(value - middle);
  }
  /* one limit: nothing is used far from it */
  if (isfinite(r->high)) return fmax(0, 1 + (value - r->high) / fmax(fabs(r->high), least_limit));
  return fmin(0, -1 + (value - r->low) / fmax(fabs(r->low), least_limit));
}

static const jn_limit_range *range_of(const jn_limit_check *job, int iv, int kind) {
  return &job->range[(size_t)iv * JN_LIMIT_KINDS + (size_t)kind];
}

static int is_limited(const jn_limit_check *job, int iv, int kind) {
  const jn_limit_range *r = range_of(job, iv, kind);
  return isfinite(r->low) || isfinite(r->high);
}

/* Is a quantity limited that has no bound where the velocity (order 1) or acceleration (2) of iv jumps? */
static int is_limited_at_jump(const jn_limit_check *job, int iv, int order) {
  int found = is_limited(job, iv, JN_LIMIT_JERK) ||
              (order == 1 && is_limited(job, iv, JN_LIMIT_ACCELERATION));
  for (int row = 0; row < job->rows && !found; row++)
    found = is_limited(job, row, JN_LIMIT_EFFORT_RATE) ||
            (order == 1 &&
             (is_limited(job, row, JN_LIMIT_EFFORT) || is_limited(job, row, JN_LIMIT_POWER)));
  return found;
}

/* Refuses a motion whose velocity or acceleration jumps where that breaks a limit at any speed. */
static jn_status check_jumps(const jn_limit_check *job, jn_error *error) {
  static const int kind[] = {JN_LIMIT_VELOCITY, JN_LIMIT_ACCELERATION};
  for (int order = 1; order <= 2; order++) {
    double path = 0;
    for (int i = 0; i < job->nv * job->grid && job->edges; i++)
      path = fmax(path, fabs(coefficients(job, i / job->nv, i % job->nv, kind[order - 1])[order]));
    for (int iv = 0; iv < job->nv && job->edges; iv++) {
      double joint = 0;
      if (!is_limited_at_jump(job, iv, order)) continue;
      for (int n = 0; n < job->grid; n++)
        joint = fmax(joint, fabs(coefficients(job, n, iv, kind[order - 1])[order]));
      for (int e = 0; e < job->edges; e++) {
        const int n = job->edge[e];
        const double left = coefficients(job, n, iv, kind[order - 1])[order],
                     right = coefficients(job, n + 1, iv, kind[order - 1])[order];
        if (fabs(right - left) > jump_of_joint * joint + jump_of_path * path)
          return jn_fail(
              error, JN_ERR_INFEASIBLE, NULL, 0,
              "the %s of '%s' jumps at t = %.6g: %s without bound there, at any speed; "
              "use a smoother motion, or leave out %s",
              order == 1 ? "velocity" : "acceleration", jn_limit_name(job->model, iv).text,
              job->t[n + 1],
              order == 1 ? "accelerations and forces are" : "jerks and rates of forces are",
              order == 1 ? "their limits (velocities alone can be checked)" : "their limits");
      }
    }
  }
  return JN_OK;
}

static double use_at(const jn_limit_check *job, int sample, int iv, int kind, double x) {
  return use_of(range_of(job, iv, kind), value_at(coefficients(job, sample, iv, kind), x));
}

/* Extrema. */

/* |use| at a time between samples, from a temporary sample at the end of the list */
static jn_status probe(jn_limit_check *job, double t, int iv, int kind, double x, double *use) {
  jn_status status = add_sample(job, t);
  if (status) return status;
  *use = fabs(use_at(job, job->samples - 1, iv, kind, x));
  job->samples--;
  return JN_OK;
}

/* A maximum that is known by three samples: the times before, at and after it, and |use| there. */
typedef struct summit {
  double t[3], use[3];
} summit;

/* The top of the parabola through the samples: its height, and its time in *t if that is not NULL. */
static double parabola_top(const summit *s, double *t) {
  const double l = s->t[1] - s->t[0], r = s->t[2] - s->t[1];
  const double a = (s->use[1] - s->use[0]) / l, c = (s->use[2] - s->use[1]) / r,
               bend = (c - a) / (l + r), slope = a + bend * l;
  /* use = use_1 + slope (t - t_1) + bend (t - t_1)^2 */
  const double move = bend < 0 ? -0.5 * slope / bend : 0;
  if (t) *t = s->t[1] + move;
  return s->use[1] + 0.5 * slope * move;
}

/* Searches for the largest |use| between the outer samples, by parabolas, and by golden section where
 * they do not halve the interval in two steps, until it is found to 1e-7 of the interval; adds it
 * as a sample. */
static jn_status refine(jn_limit_check *job, summit s, int iv, int kind, double x) {
  const double golden = 0.3819660112501051, width = s.t[2] - s.t[0];
  double before = HUGE_VAL; /* the interval two steps ago */
  for (int i = 0; i < 60; i++) {
    const double l = s.t[1] - s.t[0], r = s.t[2] - s.t[1], least = least_width * width;
    double t, use;
    parabola_top(&s, &t);
    if (l + r <= 2.1 * least || !(l > 0) || !(r > 0)) break;
    /* near the best sample: a step away from it, into the longer side */
    if (fabs(t - s.t[1]) < least) t = s.t[1] + (r > l ? least : -least);
    const int inside = t > s.t[0] && t < s.t[2];
    if (!inside || (i % 2 && l + r > 0.5 * before))
      t = r > l ? s.t[1] + golden * r : s.t[1] - golden * l;
    if (i % 2) before = l + r;
    const jn_status status = probe(job, t, iv, kind, x, &use);
    if (status) return status;
    const int right = t > s.t[1], better = use > s.use[1];
    /* the better of both becomes the middle, the other one an end */
    const int end = right == better ? 0 : 2;
    s.t[end] = better ? s.t[1] : t, s.use[end] = better ? s.use[1] : use;
    if (better) s.t[1] = t, s.use[1] = use;
  }
  return add_sample(job, s.t[1]);
}

/* |use| at sample n and its neighbours; 0: it is no maximum of the grid */
static int is_summit(const jn_limit_check *job, int n, int iv, int kind, double x, summit *s) {
  for (int k = 0; k < 3; k++) {
    s->t[k] = job->t[n - 1 + k];
    s->use[k] = fabs(use_at(job, n - 1 + k, iv, kind, x));
  }
  return s->use[1] >= s->use[0] && s->use[1] >= s->use[2] &&
         (s->use[1] > s->use[0] || s->use[1] > s->use[2]);
}

/* how high the maximum may be: the parabola's rise above the sample, three times */
static double highest(const summit *s) {
  const double top = parabola_top(s, NULL);
  return isfinite(top) ? s->use[1] + 3 * fmax(0, top - s->use[1]) : HUGE_VAL;
}

/* Refines the maxima of the grid that may exceed `from`; if `highest_only`, the one that promises
 * most, and then those that may exceed what was found. */
static jn_status refine_all(jn_limit_check *job, int iv, int kind, double x, double from,
                            int highest_only) {
  summit s;
  int best = -1;
  double most = from;
  for (int n = 1; n + 1 < job->grid && highest_only; n++)
    if (is_summit(job, n, iv, kind, x, &s) && highest(&s) > most) most = highest(&s), best = n;
  for (int pass = highest_only ? 0 : 1; pass < 2; pass++)
    for (int n = pass ? 1 : best; n > 0 && n + 1 < job->grid; n += pass ? 1 : job->grid) {
      if ((pass && n == best) || !is_summit(job, n, iv, kind, x, &s) || highest(&s) <= from)
        continue;
      const jn_status status = refine(job, s, iv, kind, x);
      if (status) return status;
      if (highest_only) from = fmax(from, fabs(use_at(job, job->samples - 1, iv, kind, x)));
    }
  return JN_OK;
}

static void take_peak(const jn_limit_check *job, int iv, int kind, jn_limit_peak *p) {
  const jn_limit_range *r = range_of(job, iv, kind);
  double most = -1, still = -1;
  *p = (jn_limit_peak){.iv = iv, .kind = (jn_limit_kind)kind, .limited = 1};
  for (int n = 0; n < job->samples; n++) {
    const double *c = coefficients(job, n, iv, kind);
    double use = use_of(r, value_at(c, 1)), rest = fabs(use_of(r, c[0]));
    if (fabs(use) > most) {
      most = fabs(use);
      p->t = job->t[n];
      p->value = value_at(c, 1);
      p->limit = use > 0 ? r->high : r->low;
      if (!isfinite(p->limit)) p->limit = use > 0 ? r->low : r->high;
    }
    if (rest > still) still = rest, p->resting = c[0], p->resting_t = job->t[n];
  }
  p->used = most;
  p->hopeless = still > 1 + slack;
  p->broken = most > 1 + slack;
  p->excess = p->broken ? fabs(p->value - p->limit) : 0;
}

/* The peaks at speed 1, with the extrema between samples. */
static jn_status find_peaks(jn_limit_check *job) {
  jn_status status = JN_OK;
  for (int iv = 0; iv < job->rows; iv++)
    for (int kind = 0; kind < JN_LIMIT_KINDS; kind++) {
      if (!is_limited(job, iv, kind)) continue;
      double most = 0;
      for (int n = 0; n < job->grid; n++) most = fmax(most, fabs(use_at(job, n, iv, kind, 1)));
      if ((status = refine_all(job, iv, kind, 1, most, 1))) return status;
      take_peak(job, iv, kind, &job->peak[iv * JN_LIMIT_KINDS + kind]);
    }
  return status;
}

/* Speeds. */

typedef struct span {
  double low, high; /* speeds that break a limit */
} span;

typedef struct spans {
  double ceiling; /* every speed above it breaks some limit */
  span *list;     /* below the ceiling */
  int count, room;
} spans;

static int add_span(const jn_allocator *hooks, spans *s, double low, double high) {
  void *list = s->list;
  if (s->count == s->room) {
    const int more = s->room ? 2 * s->room : 16;
    if (s->room > INT32_MAX / 2 || !grow(hooks, &list, s->room, more, sizeof *s->list)) return 0;
    s->list = list;
    s->room = more;
  }
  s->list[s->count++] = (span){low, high};
  return 1;
}

/* The root of p - bound in an interval where p is monotone and p - bound changes sign. */
static double root(const double *c, double bound, double a, double b) {
  int rises = value_at(c, b) > bound;
  for (int i = 0; i < 200; i++) {
    double m = 0.5 * (a + b);
    if (!(m > a && m < b)) break;
    if ((value_at(c, m) > bound) == rises)
      b = m;
    else
      a = m;
  }
  return a;
}

/* ends[] of the intervals of (0, fastest) where p is monotone: roots of p' */
static int stretches(const double *c, double *ends) {
  double a = 3 * c[3], b = 2 * c[2], d = b * b - 4 * a * c[1], x[2];
  int n = 0, count = 0;
  if (d >= 0) {
    /* the root without cancellation first, the other from the product of both */
    double q = -0.5 * (b + copysign(sqrt(d), b));
    x[n++] = q / a;
    x[n++] = c[1] / q;
  }
  ends[count++] = 0;
  if (n == 2 && x[0] > x[1]) {
    const double swap = x[0];
    x[0] = x[1], x[1] = swap;
  }
  for (int i = 0; i < n; i++)
    if (x[i] > 0 && x[i] < fastest) ends[count++] = x[i];
  ends[count++] = fastest;
  return count;
}

/* Speeds below the ceiling at which p is above the bound (side 1) or below (side -1). */
static int break_spans(const jn_allocator *hooks, spans *s, const double *c, double bound,
                       int side) {
  double flipped[4], ends[4];
  if (!isfinite(bound)) return 1;
  for (int i = 0; i < 4; i++) flipped[i] = side * c[i];
  /* tolerate rounding at the bound */
  bound = side * bound;
  bound += bound_slack * slack * fmax(fabs(bound), above_zero);
  int n = stretches(flipped, ends);
  for (int i = 0; i + 1 < n && ends[i] < s->ceiling; i++) {
    double a = ends[i], b = fmin(ends[i + 1], s->ceiling);
    int low = value_at(flipped, a) > bound, high = value_at(flipped, b) > bound;
    if (!low && !high) continue;
    double r = low != high ? root(flipped, bound, a, b) : 0;
    if (high && b == s->ceiling)
      s->ceiling = low ? a : r;
    else if (!add_span(hooks, s, low ? a : r, high ? b : r))
      return 0;
  }
  return 1;
}

/* Sorts by falling upper end; Shell's method with the gaps of Knuth. */
static void sort_spans(spans *s) {
  int gap = 1;
  while (gap < s->count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int i = gap; i < s->count; i++) {
      const span x = s->list[i];
      int j = i;
      for (; j >= gap && s->list[j - gap].high < x.high; j -= gap) s->list[j] = s->list[j - gap];
      s->list[j] = x;
    }
}

/* The largest speed outside all spans; 0: none. */
static double largest_speed(spans *s) {
  double x = s->ceiling;
  sort_spans(s);
  for (int i = 0; i < s->count && s->list[i].high >= x; i++)
    if (s->list[i].low < x) x = s->list[i].low;
  return x;
}

static jn_status collect(const jn_limit_check *job, int from, spans *s) {
  for (int n = from; n < job->samples; n++)
    for (int iv = 0; iv < job->rows; iv++)
      for (int kind = 0; kind < JN_LIMIT_KINDS; kind++) {
        if (!is_limited(job, iv, kind)) continue;
        const jn_limit_range *r = range_of(job, iv, kind);
        const double *c = coefficients(job, n, iv, kind);
        if (!break_spans(&job->hooks, s, c, r->high, 1) ||
            !break_spans(&job->hooks, s, c, r->low, -1))
          return JN_ERR_MEMORY;
      }
  return JN_OK;
}

/* The smallest time scale that satisfies all limits. */
static jn_status find_scale(jn_limit_check *job) {
  spans s = {.ceiling = fastest};
  jn_status status = collect(job, 0, &s);
  double x = status ? 0 : largest_speed(&s);
  for (int round = 0; round < 30 && !status && x > 0 && x < fastest; round++) {
    /* the extrema at this speed become samples and may require a lower speed */
    int known = job->samples;
    for (int iv = 0; iv < job->rows && !status; iv++)
      for (int kind = JN_LIMIT_VELOCITY; kind < JN_LIMIT_KINDS && !status; kind++)
        if (is_limited(job, iv, kind)) status = refine_all(job, iv, kind, x, 1, 0);
    if (!status) status = collect(job, known, &s);
    double lower = status ? x : largest_speed(&s);
    if (lower >= x * (1 - same_speed)) break;
    x = lower;
  }
  jn_block_free(&job->hooks, s.list);
  if (status) return status;
  job->scale = x > no_speed ? 1 / x : 0;
  return JN_OK;
}

/* The object. */

void jn_limit_check_free(jn_limit_check *job) {
  if (!job) return;
  jn_allocator hooks = job->hooks;
  void *const blocks[] = {job->range, job->peak, job->t, job->c, job->at, job->q, job->edge, job};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn_block_free(&hooks, blocks[i]);
}

/* memory, and the limits */
static jn_status prepare(jn_limit_check *job, const jn_limit_range *range) {
  const size_t nq = (size_t)job->nq, nv = (size_t)job->nv, rotors = (size_t)job->rotors,
               quantities = (size_t)job->rows * JN_LIMIT_KINDS;
  job->range = jn_block_new(&job->hooks, quantities + 1, sizeof *job->range);
  job->peak = jn_block_new(&job->hooks, quantities + 1, sizeof *job->peak);
  job->q = jn_block_new(&job->hooks, nq + 12 * nv + 10 * rotors + 1, sizeof *job->q);
  if (!job->range || !job->peak || !job->q) return JN_ERR_MEMORY;
  job->v = job->q + nq;
  job->tau = job->v + 3 * nv;
  job->g = job->tau + 2 * nv;
  job->d = job->g + 2 * nv;
  job->scaled = job->d + 2 * nv;
  job->f = job->scaled + 3 * nv;
  job->P = job->f + 4 * rotors;
  if (rotors) jn_rotor_allocation(job->model, NULL, job->P, NULL);
  memcpy(job->range, range, quantities * sizeof *range);
  return JN_OK;
}

/* The whole motion. */
static jn_status check_all(jn_limit_check *job, int samples) {
  jn_status status = sample_all(job, jn_trajectory_start(job->trajectory),
                                jn_trajectory_end(job->trajectory), samples, PLACES);
  if (!status) status = find_peaks(job);
  if (!status) status = find_scale(job);
  for (int i = 0; i < job->rows * JN_LIMIT_KINDS; i++)
    job->limited += job->peak[i].limited, job->broken += job->peak[i].broken;
  return status;
}

/* Parts of it: the scale alone, 1 if nothing is broken. */
static jn_status check_parts(jn_limit_check *job, int count, const double *parts) {
  jn_status status = JN_OK;
  double most = 0;
  for (int i = 0; i < count && !status; i++)
    status = sample_all(job, parts[2 * i], parts[2 * i + 1], 0, 3 * PLACES);
  for (int k = 0; k < job->rows * JN_LIMIT_KINDS && !status; k++) {
    const int iv = k / JN_LIMIT_KINDS, kind = k % JN_LIMIT_KINDS;
    if (!is_limited(job, iv, kind)) continue;
    status = refine_all(job, iv, kind, 1, 1, 0);
    for (int n = 0; n < job->samples && !status; n++)
      most = fmax(most, fabs(use_at(job, n, iv, kind, 1)));
  }
  job->scale = 1;
  return status || most <= 1 + slack ? status : find_scale(job);
}

static jn_limit_check *new_job(const jn_limit_check *job, const jn_limit_range *range) {
  jn_limit_check *made = jn_block_new(&job->hooks, 1, sizeof *made);
  if (!made) return NULL;
  *made = *job;
  made->nq = jn_model_nq(made->model);
  made->nv = jn_model_nv(made->model);
  made->rows = jn_limit_rows(made->model);
  made->rotors = jn_limit_rotors(made->model, range) ? jn_model_rotor_count(made->model) : 0;
  return made;
}

jn_status jn_limit_check_new(const jn_model *model, jn_data *data, const jn_trajectory *trajectory,
                             const jn_limit_range *range, int samples,
                             const jn_allocator *allocator, jn_limit_check **out, jn_error *error) {
  return jn_limit_check_closed(model, data, trajectory, NULL, range, samples, allocator, out,
                               error);
}

jn_status jn_limit_check_closed(const jn_model *model, jn_data *data,
                                const jn_trajectory *trajectory, const jn_closed_motion *closed,
                                const jn_limit_range *range, int samples,
                                const jn_allocator *allocator, jn_limit_check **out,
                                jn_error *error) {
  if (!model || !data || !trajectory || !range || !out || samples < 2 ||
      (closed && jn_model_nv(model) && (!closed->driven || !closed->q)))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "an argument is NULL, or samples < 2");
  jn_status status = jn_limit_ranges_check(model, range, error);
  if (status) return status;
  jn_limit_check *job = new_job(&(jn_limit_check){.hooks = jn_allocator_or_default(allocator),
                                                  .model = model,
                                                  .data = data,
                                                  .trajectory = trajectory,
                                                  .closed = closed},
                                range);
  if (!job) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  status = prepare(job, range);
  if (!status) status = check_all(job, samples);
  const int computed = !status;
  if (computed) status = check_jumps(job, error);
  job->data = NULL;
  job->closed = NULL;
  if (!status) {
    *out = job;
    return JN_OK;
  }
  jn_limit_check_free(job);
  if (computed) return status;
  if (status == JN_ERR_LIMIT)
    return jn_fail(error, status, NULL, 0,
                   "the harmonics of the motion need more than %d samples: check parts of it",
                   JN_MAX_SAMPLES);
  return jn_fail(error, status, NULL, 0, "%s", jn_status_text(status));
}

jn_status jn_limit_scale_of_parts(const jn_model *model, jn_data *data,
                                  const jn_trajectory *trajectory, const jn_limit_range *range,
                                  int count, const double *parts, const jn_allocator *hooks,
                                  double *scale) {
  jn_limit_check *job = new_job(
      &(jn_limit_check){.hooks = *hooks, .model = model, .data = data, .trajectory = trajectory},
      range);
  if (!job) return JN_ERR_MEMORY;
  jn_status status = prepare(job, range);
  if (!status) status = check_parts(job, count, parts);
  if (!status) *scale = job->scale;
  jn_limit_check_free(job);
  return status;
}

const jn_limit_peak *jn_limit_check_peak(const jn_limit_check *check, int iv, jn_limit_kind kind) {
  if (!check || iv < 0 || iv >= check->rows || (int)kind < 0 || kind >= JN_LIMIT_KINDS) return NULL;
  return &check->peak[iv * JN_LIMIT_KINDS + (int)kind];
}

int jn_limit_check_limited(const jn_limit_check *check) { return check ? check->limited : 0; }
int jn_limit_check_broken(const jn_limit_check *check) { return check ? check->broken : 0; }
double jn_limit_check_scale(const jn_limit_check *check) { return check ? check->scale : 0; }
int jn_limit_check_samples(const jn_limit_check *check) { return check ? check->grid : 0; }

double jn_limit_check_time(const jn_limit_check *check, int n) {
  return check && n >= 0 && n < check->grid ? check->t[n] : 0;
}

double jn_limit_check_use(const jn_limit_check *check, int n, int iv, jn_limit_kind kind,
                          double x) {
  const jn_limit_peak *p = jn_limit_check_peak(check, iv, kind);
  return p && p->limited && n >= 0 && n < check->grid ? use_at(check, n, iv, (int)kind, x) : 0;
}
