/* limits.c: samples, extrema, and the speeds that every sample allows. */
#include "limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/dynamics.h>

static const double fastest = 1 / LIMIT_FASTEST; /* higher speeds are not considered */
static const double slack = 1e-9;                /* relative tolerance for rounding at a limit */

int limit_job_new(limit_job *job, cli_path *path) {
  cli_memory *m = &path->job.result.memory;
  job->path = path;
  job->nq = jn_model_nq(path->job.model);
  job->nv = jn_model_nv(path->job.model);
  const size_t nq = (size_t)job->nq, nv = (size_t)job->nv;
  job->range = cli_take(m, nv * LIMIT_KINDS, sizeof *job->range);
  job->q = cli_take_numbers(m, nq + 8 * nv, 1, 1);
  if (m->failed) return CLI_BAD_INPUT;
  job->v = job->q + nq;
  job->tau = job->v + 3 * nv;
  job->g = job->tau + 2 * nv;
  for (size_t i = 0; i < nv * LIMIT_KINDS; i++) job->range[i] = (limit_range){-HUGE_VAL, HUGE_VAL};
  return CLI_DONE;
}

void limit_job_free(limit_job *job) {
  free(job->t);
  free(job->c);
}

static double *coefficients(const limit_job *job, int sample, int iv, int kind) {
  return job->c +
         (((size_t)sample * (size_t)job->nv + (size_t)iv) * LIMIT_KINDS + (size_t)kind) * 4;
}

/* Adds a sample at time t. */
static jn_status add_sample(limit_job *job, double t) {
  const cli_path *p = job->path;
  const jn_model *model = p->job.model;
  const int nv = job->nv, n = job->samples;
  void *times = job->t, *c = job->c;
  int room = job->room,
      grown = cli_grow(&times, n, &room, sizeof *job->t) &&
              cli_grow(&c, n, &job->room, (size_t)nv * LIMIT_KINDS * 4 * sizeof *job->c);
  job->t = times, job->c = c;
  if (!grown) return JN_ERR_MEMORY;
  jn_status status =
      jn_trajectory_at(p->trajectory, t, 1, (jn_representation)p->representation, job->q, job->v);
  if (!status) status = jn_inverse_dynamics(model, p->job.data, 1, job->q, job->v, NULL, job->tau);
  if (!status)
    status = jn_equations_of_motion(model, p->job.data, 1, job->q, job->v, NULL, NULL, NULL, job->g,
                                    NULL, NULL);
  if (status) return status;
  const double *v = job->v, *a = v + nv, *j = a + nv, *tau = job->tau, *g = job->g;
  job->t[n] = t;
  memset(coefficients(job, n, 0, 0), 0, (size_t)nv * LIMIT_KINDS * 4 * sizeof *job->c);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *joint = jn_model_joint(model, i);
    const double d = p->job.damping ? joint->damping : 0;
    for (int k = joint->iv; k < joint->iv + joint->nv; k++) {
      if (joint->nq == joint->nv)
        coefficients(job, n, k, LIMIT_POSITION)[0] = job->q[joint->iq + k - joint->iv];
      coefficients(job, n, k, LIMIT_VELOCITY)[1] = v[k];
      coefficients(job, n, k, LIMIT_ACCELERATION)[2] = a[k];
      coefficients(job, n, k, LIMIT_JERK)[3] = j[k];
      double *f = coefficients(job, n, k, LIMIT_EFFORT);
      f[0] = g[k], f[1] = d * v[k], f[2] = tau[k] - f[0] - f[1];
      f = coefficients(job, n, k, LIMIT_EFFORT_RATE);
      f[1] = g[nv + k], f[2] = d * a[k], f[3] = tau[nv + k] - f[1] - f[2];
    }
  }
  job->samples++;
  return JN_OK;
}

jn_status limit_sample(limit_job *job) {
  const cli_path *p = job->path;
  jn_status status = JN_OK;
  for (double t = p->start; t < p->end && !status;) {
    double next = fmin(jn_trajectory_next_break(p->trajectory, t), p->end);
    double share = p->samples * (next - t) / (p->end - p->start);
    int n = share < 8 ? 8 : (int)share;
    if (!(next > t)) break;
    for (int i = 0; i < n && !status; i++) status = add_sample(job, t + (next - t) * i / n);
    /* the limit from the left at the end of the piece */
    if (!status) status = add_sample(job, next - 1e-12 * (fabs(next) + next - t));
    t = next;
  }
  if (!status) status = add_sample(job, p->end);
  job->grid = job->samples;
  return status;
}

static double value_at(const double *c, double x) {
  return ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
}

/* 1 and -1 at the limits; with one limit only, relative to its magnitude */
static double use_of(const limit_range *r, double value) {
  if (isfinite(r->low) && isfinite(r->high)) {
    double half = 0.5 * (r->high - r->low), middle = 0.5 * (r->high + r->low);
    return half > 0 ? (value - middle) / half : value == middle ? 0 : copysign(1e9, value - middle);
  }
  if (isfinite(r->high)) return 1 + (value - r->high) / fmax(fabs(r->high), 1e-9);
  return -1 + (value - r->low) / fmax(fabs(r->low), 1e-9);
}

static const limit_range *range_of(const limit_job *job, int iv, int kind) {
  return &job->range[(size_t)iv * LIMIT_KINDS + (size_t)kind];
}

static int is_limited(const limit_job *job, int iv, int kind) {
  const limit_range *r = range_of(job, iv, kind);
  return isfinite(r->low) || isfinite(r->high);
}

double limit_use(const limit_job *job, int sample, int iv, int kind, double x) {
  return use_of(range_of(job, iv, kind), value_at(coefficients(job, sample, iv, kind), x));
}

/* Extrema. */

/* |use| at a time between samples, from a temporary sample at the end of the list */
static jn_status probe(limit_job *job, double t, int iv, int kind, double x, double *use) {
  jn_status status = add_sample(job, t);
  if (status) return status;
  *use = fabs(limit_use(job, job->samples - 1, iv, kind, x));
  job->samples--;
  return JN_OK;
}

/* Finds the largest |use| between two times by golden-section search and adds it as a sample. */
static jn_status refine(limit_job *job, double a, double b, int iv, int kind, double x) {
  const double golden = 0.6180339887498949;
  double c = b - golden * (b - a), d = a + golden * (b - a), fc, fd;
  jn_status status = probe(job, c, iv, kind, x, &fc);
  if (!status) status = probe(job, d, iv, kind, x, &fd);
  for (int i = 0; i < 60 && !status && b - a > 1e-12 * (fabs(a) + fabs(b)); i++) {
    if (fc > fd) {
      b = d, d = c, fd = fc, c = b - golden * (b - a);
      status = probe(job, c, iv, kind, x, &fc);
    } else {
      a = c, c = d, fc = fd, d = a + golden * (b - a);
      status = probe(job, d, iv, kind, x, &fd);
    }
  }
  return status ? status : add_sample(job, fc > fd ? c : d);
}

/* Refines every local maximum on the grid that reaches `from`. */
static jn_status refine_all(limit_job *job, int iv, int kind, double x, double from) {
  jn_status status = JN_OK;
  double before = fabs(limit_use(job, 0, iv, kind, x)), at = before;
  for (int n = 0; n < job->grid && !status; n++) {
    double after = n + 1 < job->grid ? fabs(limit_use(job, n + 1, iv, kind, x)) : at;
    int top = n > 0 && n + 1 < job->grid && at >= before && at >= after;
    if (top && at >= from && (at > before || at > after))
      status = refine(job, job->t[n - 1], job->t[n + 1], iv, kind, x);
    before = at, at = after;
  }
  return status;
}

static void take_peak(const limit_job *job, int iv, int kind, limit_peak *p) {
  const limit_range *r = range_of(job, iv, kind);
  double most = -1, still = -1;
  *p = (limit_peak){.iv = iv, .kind = kind, .limited = 1};
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

jn_status limit_peaks(limit_job *job, limit_peak *peak) {
  jn_status status = JN_OK;
  for (int iv = 0; iv < job->nv; iv++)
    for (int kind = 0; kind < LIMIT_KINDS; kind++) {
      if (!is_limited(job, iv, kind)) continue;
      double most = 0;
      for (int n = 0; n < job->grid; n++) most = fmax(most, fabs(limit_use(job, n, iv, kind, 1)));
      /* only the highest maxima can become the peak */
      if ((status = refine_all(job, iv, kind, 1, 0.98 * most))) return status;
      take_peak(job, iv, kind, &peak[iv * LIMIT_KINDS + kind]);
    }
  return status;
}

/* Speeds. */

typedef struct span {
  double low, high; /* speeds that break a limit */
} span;

typedef struct spans {
  span *list;
  int count, room;
} spans;

static int add_span(spans *s, double low, double high) {
  void *list = s->list;
  int grown = cli_grow(&list, s->count, &s->room, sizeof *s->list);
  s->list = list;
  if (grown) s->list[s->count++] = (span){low, high};
  return grown;
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

/* Speeds at which p is above the bound (side 1) or below (side -1). */
static int break_spans(spans *s, const double *c, double bound, int side) {
  double flipped[4], ends[4];
  if (!isfinite(bound)) return 1;
  for (int i = 0; i < 4; i++) flipped[i] = side * c[i];
  /* tolerate rounding at the bound */
  bound = side * bound;
  bound += 1e-4 * slack * fmax(fabs(bound), 1e-300);
  int n = stretches(flipped, ends);
  for (int i = 0; i + 1 < n; i++) {
    double a = ends[i], b = ends[i + 1];
    int low = value_at(flipped, a) > bound, high = value_at(flipped, b) > bound;
    if (!low && !high) continue;
    double r = low != high ? root(flipped, bound, a, b) : 0;
    if (!add_span(s, low ? a : r, high ? b : r)) return 0;
  }
  return 1;
}

static int by_high(const void *a, const void *b) {
  double x = ((const span *)a)->high, y = ((const span *)b)->high;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* The largest speed outside all spans; 0: none. */
static double largest_speed(spans *s) {
  double x = fastest;
  qsort(s->list, (size_t)s->count, sizeof *s->list, by_high);
  for (int i = 0; i < s->count && s->list[i].high >= x; i++)
    if (s->list[i].low < x) x = s->list[i].low;
  return x;
}

static jn_status collect(const limit_job *job, int from, spans *s) {
  for (int n = from; n < job->samples; n++)
    for (int iv = 0; iv < job->nv; iv++)
      for (int kind = 0; kind < LIMIT_KINDS; kind++) {
        if (!is_limited(job, iv, kind)) continue;
        const limit_range *r = range_of(job, iv, kind);
        const double *c = coefficients(job, n, iv, kind);
        if (!break_spans(s, c, r->high, 1) || !break_spans(s, c, r->low, -1)) return JN_ERR_MEMORY;
      }
  return JN_OK;
}

jn_status limit_scale(limit_job *job, double *scale) {
  spans s = {NULL, 0, 0};
  jn_status status = collect(job, 0, &s);
  double x = status ? 0 : largest_speed(&s);
  for (int round = 0; round < 30 && !status && x > 0 && x < fastest; round++) {
    /* the extrema at this speed become samples and may require a lower speed */
    int known = job->samples;
    for (int iv = 0; iv < job->nv && !status; iv++)
      for (int kind = LIMIT_VELOCITY; kind < LIMIT_KINDS && !status; kind++)
        if (is_limited(job, iv, kind)) status = refine_all(job, iv, kind, x, 0.99);
    if (!status) status = collect(job, known, &s);
    double lower = status ? x : largest_speed(&s);
    if (lower >= x * (1 - 1e-13)) break;
    x = lower;
  }
  free(s.list);
  if (status) return status;
  *scale = x > 1e-9 ? 1 / x : 0;
  return JN_OK;
}
