/* trajectory.c: creates, copies and evaluates a trajectory. */
#include "trajectory/trajectory.h"

#include <float.h>
#include <jounce/jet.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* first and last clock time */
static double clock_start(const jn_trajectory *T) {
  return T->clocks ? jn_clock_start(&T->clock[T->clocks - 1]) : T->start;
}
static double clock_end(const jn_trajectory *T) {
  return T->clocks ? jn_clock_end(&T->clock[T->clocks - 1]) : T->end;
}

/* t = start + scale (clock time - start), and the inverse */
static double outer_time(const jn_trajectory *T, double t) {
  return T->scale == 1 ? t : clock_start(T) + T->scale * (t - clock_start(T));
}
static double inner_time(const jn_trajectory *T, double t) {
  return T->scale == 1 ? t : clock_start(T) + (t - clock_start(T)) / T->scale;
}

/* Clock time of t. A time within four units of rounding of the start or the end is taken for it: it
 * may be a product or a sum of other times. Returns 0 if t lies further outside. */
int jn_trajectory_time(const jn_trajectory *T, double t, double *at) {
  const double start = clock_start(T), last = clock_end(T), end = outer_time(T, last),
               slack = 4 * DBL_EPSILON * fmax(fabs(start), fabs(end));
  if (!(t >= start - slack && t <= end + slack)) return 0;
  const double inner = inner_time(T, t);
  *at = t <= start || inner < start ? start : t >= end || inner > last ? last : inner;
  return 1;
}

/* What a file may ask for. */

jn_status jn_afford(jn_trajectory *T, size_t count, size_t size, double operations) {
  size_t bytes;
  if (!jn_size_multiply(count, size, &bytes) || bytes > T->memory || operations > T->operations)
    return JN_ERR_LIMIT;
  if (T->memory != SIZE_MAX) T->memory -= bytes;
  T->operations -= operations;
  return JN_OK;
}

void jn_repay(jn_trajectory *T, size_t bytes) {
  if (T->memory != SIZE_MAX) T->memory += bytes;
}

/* Splines. */

static size_t knots(const jn_spline *s) {
  return s->controls ? (size_t)s->controls + (size_t)s->degree + 1 : 0;
}

static void spline_place(jn_spline *s, double *block) {
  size_t pieces = (size_t)s->pieces, n = (size_t)s->n, terms = (size_t)s->terms;
  const size_t rows = s->controls ? (size_t)s->controls : pieces * ((size_t)s->degree + 1);
  s->breaks = block;
  s->c = s->breaks + pieces + 1;
  s->knots = s->c + rows * n;
  s->origin = s->knots + knots(s);
  s->w = s->origin + pieces;
  s->a = s->w + pieces * terms;
  s->b = s->a + pieces * terms * n;
}

/* length of the block in doubles; 0 if it overflows */
static size_t spline_size(const jn_spline *s) {
  const size_t of_one = (s->controls ? 0 : (size_t)s->degree + 1) + 2 * (size_t)s->terms;
  size_t rows, all;
  const int fits = jn_size_multiply((size_t)s->pieces, of_one, &rows) &&
                   jn_size_multiply(rows + (size_t)s->controls, (size_t)s->n, &all) &&
                   all < SIZE_MAX / 32;
  return fits ? all + (size_t)s->pieces * (2 + (size_t)s->terms) + 1 + knots(s) : 0;
}

jn_status jn_spline_new(jn_trajectory *T, jn_spline shape, int *index) {
  if (T->splines == T->room) {
    int room = T->room ? 2 * T->room : 4;
    jn_spline *more = jn_block_new(&T->hooks, (size_t)room, sizeof *more);
    if (!more) return JN_ERR_MEMORY;
    if (T->splines) memcpy(more, T->spline, (size_t)T->splines * sizeof *more);
    jn_block_free(&T->hooks, T->spline);
    T->spline = more;
    T->room = room;
  }
  const size_t size = spline_size(&shape);
  if (size && jn_afford(T, size, sizeof(double), 0)) return JN_ERR_LIMIT;
  double *block = size ? jn_block_new(&T->hooks, size, sizeof *block) : NULL;
  if (!block) return JN_ERR_MEMORY;
  spline_place(&shape, block);
  T->spline[T->splines] = shape;
  *index = T->splines++;
  return JN_OK;
}

/* the piece with breaks[i] <= t < breaks[i+1]; before the first the first, after the last the
 * last */
int jn_spline_piece(const jn_spline *s, double t) {
  return jn_last_at(s->breaks, 1, 0, s->pieces, t);
}

/* adds the jet of a cos(w s) + b sin(w s): x_k += (w/scale)^k/k! (a cos + b sin)^(k) */
static void add_harmonic(double w, double s, double a, double b, double scale, int order,
                         double *x) {
  double c = cos(w * s), d = sin(w * s), p = a * c + b * d, q = b * c - a * d, f = 1;
  for (int k = 0; k <= order; k++) {
    x[k] += f * (k % 4 == 0 ? p : k % 4 == 1 ? q : k % 4 == 2 ? -p : -q);
    f *= w / scale / (k + 1);
  }
}

enum { RUN = 8, FEW_POWERS = JN_MAX_SPLINE + 1 }; /* functions at a time, of a degree below */

/* x[(order+1) x width] of functions channel ... channel + count - 1, count <= width; y[(degree+1) x width].
 * `width` is a constant in every call. */
static inline __attribute__((always_inline)) void spline_jets(const jn_spline *s, double t,
                                                              double last, double scale,
                                                              int channel, int width, int count,
                                                              int order, double *restrict y,
                                                              double *restrict x) {
  const int held = t < s->breaks[0] || (t >= s->breaks[s->pieces] && s->breaks[s->pieces] < last);
  const int i = jn_spline_piece(s, t), d = s->degree;
  const size_t n = (size_t)s->n;
  if (held) t = t < s->breaks[0] ? s->breaks[0] : s->breaks[s->pieces];
  const double h = s->breaks[i + 1] - s->breaks[i], u = (t - s->breaks[i]) / h;
  double f = 1;
  int top = held ? 0 : order;

  for (int k = 0; k < (order + 1) * width; k++) x[k] = 0;
  if (s->controls) {
    jn_bspline_jets(s, t, i, scale, channel, width, count, top, y, x);
    return;
  }
  /* Taylor coefficients at u by repeated synthetic division */
  const double *a = s->c + (size_t)i * (size_t)(d + 1) * n + (size_t)channel;
  for (int k = 0; k <= d; k++)
    for (int c = 0; c < width; c++) y[k * width + c] = c < count ? a[(size_t)k * n + (size_t)c] : 0;
  for (int k = 0; k <= top && k <= d; k++) {
    for (int j = d - 1; j >= k; j--)
      for (int c = 0; c < width; c++) y[j * width + c] += u * y[(j + 1) * width + c];
    for (int c = 0; c < width; c++) x[k * width + c] = f * y[k * width + c];
    f /= h * scale;
  }
}

void jn_spline_jet(const jn_spline *s, double t, double last, double scale, int channel, int order,
                   double *x) {
  double y[JN_MAX_DEGREE + 1];
  spline_jets(s, t, last, scale, channel, 1, 1, order, y, x);
  if (!s->terms) return;
  const int held = t < s->breaks[0] || (t >= s->breaks[s->pieces] && s->breaks[s->pieces] < last);
  const int i = jn_spline_piece(s, t);
  if (held) t = t < s->breaks[0] ? s->breaks[0] : s->breaks[s->pieces];
  for (int m = 0; m < s->terms; m++) {
    size_t at = (size_t)i * (size_t)s->terms + (size_t)m, n = (size_t)s->n;
    add_harmonic(s->w[at], t - s->origin[i], s->a[at * n + (size_t)channel],
                 s->b[at * n + (size_t)channel], scale, held ? 0 : order, x);
  }
}

void jn_function_jet(const jn_trajectory *T, const jn_instant *at, int index, int channel,
                     int order, double *x) {
  jn_spline_jet(&T->spline[index], at->t, T->end, at->clock ? 1 : T->scale, channel, order, x);
  if (at->clock) jn_jet_after(order, at->clock, at->work, x);
}

/* The object. */

jn_status jn_trajectory_begin(const jn_model *model, const jn_allocator *allocator,
                              jn_trajectory **out, jn_error *error) {
  if (!model) return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "no model given");
  jn_allocator hooks = jn_allocator_or_default(allocator);
  size_t joints = (size_t)jn_model_body_count(model);
  jn_trajectory *T = jn_block_new(&hooks, 1, sizeof *T);
  if (!T) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  T->hooks = hooks;
  T->nq = jn_model_nq(model);
  T->nv = jn_model_nv(model);
  T->joints = (int)joints;
  T->scale = 1;
  T->memory = SIZE_MAX;
  T->operations = HUGE_VAL;
  T->joint = jn_block_new(&hooks, joints, sizeof *T->joint);
  T->motion = jn_block_new(&hooks, joints, sizeof *T->motion);
  T->variance = jn_block_new(&hooks, (size_t)T->nq + 1, sizeof *T->variance);
  if (!T->joint || !T->motion || !T->variance) {
    jn_trajectory_free(T);
    return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  }
  for (int i = 0; i < T->joints; i++) {
    T->joint[i] = *jn_model_joint(model, i);
    T->joint[i].name = NULL;
    T->motion[i].spline = -1;
  }
  *out = T;
  return JN_OK;
}

/* made by jn_add_constant: no time span of its own yet */
static int is_constant(const jn_spline *s) { return s->breaks[0] == s->breaks[s->pieces]; }

jn_status jn_trajectory_finish(jn_trajectory *T, jn_error *error) {
  T->start = HUGE_VAL;
  T->end = -HUGE_VAL;
  for (int i = 0; i < T->splines; i++) {
    const jn_spline *s = &T->spline[i];
    if (!jn_all_finite(s->breaks, spline_size(s)))
      return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0,
                     "the trajectory has numbers that are not finite: times too close together, or "
                     "values too large");
    if (is_constant(s)) continue;
    T->start = fmin(T->start, s->breaks[0]);
    T->end = fmax(T->end, s->breaks[s->pieces]);
  }
  if (!(T->start < T->end))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "nothing moves: describe the motion of at least one joint");
  for (int i = 0; i < T->splines; i++) {
    if (!is_constant(&T->spline[i])) continue;
    T->spline[i].breaks[0] = T->start;
    T->spline[i].breaks[1] = T->end;
  }
  return JN_OK;
}

void jn_trajectory_free(jn_trajectory *T) {
  if (!T) return;
  jn_allocator hooks = T->hooks;
  for (int i = 0; i < T->splines; i++) jn_block_free(&hooks, T->spline[i].breaks);
  for (int i = 0; T->motion && i < T->joints; i++) jn_block_free(&hooks, T->motion[i].axes);
  for (int i = 0; T->variance && i < T->nq; i++)
    if (!T->variance[i].shared) jn_block_free(&hooks, T->variance[i].V);
  jn_block_free(&hooks, T->variance);
  for (int i = 0; i < T->clocks; i++) jn_block_free(&hooks, T->clock[i].row);
  jn_block_free(&hooks, T->clock);
  jn_block_free(&hooks, T->spline);
  jn_block_free(&hooks, T->motion);
  jn_block_free(&hooks, T->joint);
  jn_block_free(&hooks, T);
}

static jn_status copy_variances(const jn_trajectory *from, jn_trajectory *to) {
  to->variance = jn_block_new(&to->hooks, (size_t)from->nq + 1, sizeof *to->variance);
  if (!to->variance) return JN_ERR_MEMORY;
  for (int i = 0; i < from->nq; i++) {
    const jn_variance *a = &from->variance[i];
    jn_variance *b = &to->variance[i];
    *b = *a;
    if (!a->V) continue;
    const size_t size = jn_variance_doubles(a->degree, a->cells);
    b->V = a->shared ? b[-1].V : jn_block_new(&to->hooks, size, sizeof *b->V);
    if (!b->V) return JN_ERR_MEMORY;
    if (!a->shared) memcpy(b->V, a->V, size * sizeof *b->V);
  }
  return JN_OK;
}

static jn_status copy_clocks(const jn_trajectory *from, jn_trajectory *to) {
  if (!from->clocks) return JN_OK;
  to->clock = jn_block_new(&to->hooks, (size_t)from->clocks, sizeof *to->clock);
  if (!to->clock) return JN_ERR_MEMORY;
  for (int i = 0; i < from->clocks; i++) {
    const size_t n = 5 * (size_t)from->clock[i].count;
    jn_clock *c = &to->clock[to->clocks];
    c->count = from->clock[i].count;
    if (!(c->row = jn_block_new(&to->hooks, n, sizeof *c->row))) return JN_ERR_MEMORY;
    memcpy(c->row, from->clock[i].row, n * sizeof *c->row);
    to->clocks++;
  }
  return JN_OK;
}

static jn_status copy_parts(const jn_trajectory *from, jn_trajectory *to) {
  to->joint = jn_block_new(&to->hooks, (size_t)from->joints, sizeof *to->joint);
  to->motion = jn_block_new(&to->hooks, (size_t)from->joints, sizeof *to->motion);
  if (!to->joint || !to->motion) return JN_ERR_MEMORY;
  memcpy(to->joint, from->joint, (size_t)from->joints * sizeof *to->joint);
  for (int i = 0; i < from->splines; i++) {
    const jn_spline *s = &from->spline[i];
    int index;
    jn_status status = jn_spline_new(to, *s, &index);
    if (status) return status;
    memcpy(to->spline[index].breaks, s->breaks, spline_size(s) * sizeof(double));
  }
  for (int i = 0; i < from->joints; i++) {
    to->motion[i] = from->motion[i];
    to->motion[i].axes = NULL;
    size_t n = 3 * (size_t)from->motion[i].factors;
    if (!n) continue;
    if (!(to->motion[i].axes = jn_block_new(&to->hooks, n, sizeof(double)))) return JN_ERR_MEMORY;
    memcpy(to->motion[i].axes, from->motion[i].axes, n * sizeof(double));
  }
  jn_status status = copy_variances(from, to);
  return status ? status : copy_clocks(from, to);
}

jn_status jn_trajectory_scaled(const jn_trajectory *trajectory, double factor,
                               const jn_allocator *allocator, jn_trajectory **out) {
  if (!trajectory || !out || !(factor > 0) || !isfinite(factor)) return JN_ERR_ARGUMENT;
  const double scale = trajectory->scale * factor, start = clock_start(trajectory);
  if (!(scale > 0) || !isfinite(start + scale * (clock_end(trajectory) - start)))
    return JN_ERR_NOT_FINITE;
  jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_trajectory *T = jn_block_new(&hooks, 1, sizeof *T);
  if (!T) return JN_ERR_MEMORY;
  *T = *trajectory;
  T->joint = NULL;
  T->motion = NULL;
  T->hooks = hooks;
  T->scale = scale;
  T->memory = SIZE_MAX;
  T->spline = NULL;
  T->variance = NULL;
  T->splines = T->room = 0;
  T->clock = NULL;
  T->clocks = 0;
  jn_status status = copy_parts(trajectory, T);
  if (status)
    jn_trajectory_free(T);
  else
    *out = T;
  return status;
}

double jn_trajectory_start(const jn_trajectory *T) { return T ? clock_start(T) : 0; }

double jn_trajectory_end(const jn_trajectory *T) { return T ? outer_time(T, clock_end(T)) : 0; }

double jn_trajectory_next_break(const jn_trajectory *T, double t) {
  double next = HUGE_VAL;
  if (!T || isnan(t)) return next;
  double u = inner_time(T, t), d[1], work[2];
  if (T->clocks) {
    next = outer_time(T, jn_clock_next_break(T, u));
    jn_clock_jet(T, fmin(fmax(u, clock_start(T)), clock_end(T)), 0, work, d);
    u = d[0];
  }
  for (int i = 0; i < T->splines; i++) {
    const jn_spline *s = &T->spline[i];
    /* start one piece before the one of t: scaling rounds the times */
    int p = jn_spline_piece(s, u);
    for (p = p > 0 ? p - 1 : 0; p <= s->pieces; p++) {
      double at = outer_time(T, jn_clock_inverse(T, s->breaks[p]));
      if (!(at > t)) continue;
      next = fmin(next, at);
      break;
    }
  }
  return next;
}

/* the largest frequency of the terms of a piece whose coefficients are not zero */
static double fastest_term(const jn_spline *s, int piece) {
  const size_t n = (size_t)s->n, first = (size_t)piece * (size_t)s->terms;
  double w = 0;
  for (size_t m = first; m < first + (size_t)s->terms; m++)
    for (size_t c = m * n; c < (m + 1) * n; c++)
      if (s->a[c] != 0 || s->b[c] != 0) w = fmax(w, fabs(s->w[m]));
  return w;
}

int jn_trajectory_places(const jn_trajectory *T, double from, double to, double least) {
  enum { PLAIN = 8, PER_PERIOD = 16 };
  double most = least, rate = 1;
  if (!T || !(to > from)) return 1;
  double u = inner_time(T, from + (to - from) / 2), d[1], work[2];
  if (T->clocks) {
    jn_clock_jet(T, fmin(fmax(u, clock_start(T)), clock_end(T)), 0, work, d);
    u = d[0], rate = jn_clock_fastest(T);
  }
  const double length = (to - from) / T->scale * rate; /* in the splines' time, at most */
  for (int i = 0; i < T->splines; i++) {
    const jn_spline *s = &T->spline[i];
    const int p = jn_spline_piece(s, u);
    if (s->terms) most = fmax(most, length * PER_PERIOD * fastest_term(s, p) / 6.283185307179586);
    /* a polynomial varies at its ends within its length / degree; splines less where they are joined */
    const int ends = p == 0 || p == s->pieces - 1;
    if (s->degree > PLAIN)
      most = fmax(most, PLAIN * (1 + (double)s->degree / (ends ? 1 : s->pieces)) * length /
                            (s->breaks[p + 1] - s->breaks[p]));
  }
  return most > JN_MAX_SAMPLES ? JN_MAX_SAMPLES + 1 : (int)most;
}

/* Jets: Taylor coefficients 0..K of v, K = order + 1, of one joint or a run of them, converted to
 * derivatives at the end. They need 37 (K + 2) doubles of work and jn_rotation_work(K). */

void jn_add_shift(const jn_shift *shift, int iq, int order, double *x) {
  for (int k = 0; shift && shift->iq == iq && k <= order; k++) x[k] += shift->x[k];
}

/* v[(K+1) x n] */
static void plain_jets(const jn_trajectory *T, int i, const jn_instant *at, int K,
                       const jn_shift *shift, int n, double *work, double *q, double *v) {
  const jn_motion *m = &T->motion[i];
  const int skip = m->rotation ? 4 : 0, count = T->joint[i].nq - skip;
  for (int c = 0; c < count; c++) {
    jn_function_jet(T, at, m->spline, m->first + c, K + 1, work);
    jn_add_shift(shift, T->joint[i].iq + skip + c, K + 1, work);
    q[c] = work[0];
    for (int k = 0; k <= K; k++) v[(size_t)k * (size_t)n + (size_t)c] = (k + 1) * work[k + 1];
  }
}

/* Rotation and, of a free joint, position. Its twist is (w, p'), the mixed representation, until it
 * is converted. */
static void rotation_jets(const jn_trajectory *T, int i, const jn_instant *at, int K,
                          const jn_shift *shift, jn_representation representation, double *work,
                          double *q, double *v) {
  double *w = work, *V = w + 3 * (K + 1), *R = V + 6 * (K + 1), *p = R + 9 * (K + 2),
         *rest = p + 3 * (K + 2);
  jn_quat r;
  if (T->joint[i].type == JN_JOINT_SPHERICAL) {
    jn_rotation_jet(T, i, at, K, shift, rest, &r, v);
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
    return;
  }
  jn_rotation_jet(T, i, at, K, shift, rest, &r, w);
  q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  for (int k = 0; k <= K; k++) memcpy(V + 6 * k, w + 3 * k, 3 * sizeof *V);
  plain_jets(T, i, at, K, shift, 6, rest, q + 4, V + 3);
  if (representation == JN_MIXED) {
    memcpy(v, V, 6 * ((size_t)K + 1) * sizeof *v);
  } else {
    const jn_pose C = jn_pose_make(jn_quat_to_m3(r), jn_v3(q[4], q[5], q[6]));
    jn_jet_convert_twist(K, JN_MIXED, representation, C, V, R, p, v);
  }
}

/* The number of joints from i on, RUN at most, with one degree of freedom each that are neighbouring
 * polynomials of one spline. */
static int run_of(const jn_trajectory *T, int i, const jn_instant *at, const jn_shift *shift) {
  const jn_motion *m = &T->motion[i];
  int count = 0;
  if (at->clock || shift) return 0;
  while (count < RUN && i + count < T->joints) {
    const jn_motion *next = m + count;
    const jn_joint *j = &T->joint[i + count];
    if (j->nq != 1 || j->nv != 1 || next->rotation || next->spline != m->spline ||
        next->first != m->first + count || j->iq != T->joint[i].iq + count ||
        j->iv != T->joint[i].iv + count)
      break;
    count++;
  }
  if (count < 2) return 0;
  const jn_spline *s = &T->spline[m->spline];
  return s->terms == 0 && s->degree < FEW_POWERS ? count : 0;
}

/* q[count] and v[(K+1) x count] of such joints */
static void run_jets(const jn_trajectory *T, int i, int count, const jn_instant *at, int K,
                     double *work, double *q, double *v) {
  double y[FEW_POWERS * RUN];
  const jn_motion *m = &T->motion[i];
  spline_jets(&T->spline[m->spline], at->t, T->end, T->scale, m->first, RUN, count, K + 1, y, work);
  for (int c = 0; c < count; c++) q[c] = work[c];
  for (int k = 0; k <= K; k++)
    for (int c = 0; c < count; c++) v[k * count + c] = (k + 1) * work[(k + 1) * RUN + c];
}

/* Evaluates joint by joint, and stops at one that is not finite. q and v may be NULL; with `write`
 * 0 they are only a sign that they are wanted. */
static jn_status evaluate(const jn_trajectory *T, double t, int K, jn_representation representation,
                          const jn_shift *shift, double *work, double *q, double *v, int write) {
  const size_t nv = (size_t)T->nv, rows = (size_t)K + 1;
  jn_instant at = {t, NULL, work};
  if (T->clocks) {
    double *clock = work + K + 2;
    work = clock + K + 2;
    jn_clock_jet(T, t, K + 1, work, clock);
    at = (jn_instant){clock[0], clock, at.work};
  }
  double qj[RUN], *vj = work, *rest = vj + RUN * rows;
  for (int i = 0, next; i < T->joints; i = next) {
    const jn_joint *j = &T->joint[i];
    const int run = run_of(T, i, &at, shift);
    const size_t n = (size_t)(run ? run : j->nv), nq = (size_t)(run ? run : j->nq);
    next = i + (run ? run : 1);
    if (run)
      run_jets(T, i, run, &at, K, rest, qj, vj);
    else if (T->motion[i].rotation)
      rotation_jets(T, i, &at, K, shift, representation, rest, qj, vj);
    else
      plain_jets(T, i, &at, K, shift, j->nv, rest, qj, vj);
    if (v) jn_jet_to_derivatives(K, (int)n, vj);
    if ((q && !jn_all_finite(qj, nq)) || (v && !jn_all_finite(vj, rows * n)))
      return JN_ERR_NOT_FINITE;
    if (q && write) memcpy(q + j->iq, qj, nq * sizeof *q);
    for (size_t k = 0; v && write && k < rows; k++)
      memcpy(v + k * nv + j->iv, vj + k * n, n * sizeof *v);
  }
  return JN_OK;
}

enum { SMALL = 15, FEW = 512 };

/* Writes the outputs only if all of their numbers are finite. */
static jn_status evaluate_all(const jn_trajectory *T, double t, int K,
                              jn_representation representation, const jn_shift *shift, double *work,
                              double *q, double *v) {
  const size_t nq = q ? (size_t)T->nq : 0, n = v ? ((size_t)K + 1) * (size_t)T->nv : 0;
  if (nq + n > FEW) {
    jn_status status = evaluate(T, t, K, representation, shift, work, q, v, 0);
    return status ? status : evaluate(T, t, K, representation, shift, work, q, v, 1);
  }
  double kept[FEW];
  jn_status status =
      evaluate(T, t, K, representation, shift, work, q ? kept : NULL, v ? kept + nq : NULL, 1);
  if (status) return status;
  if (nq) memcpy(q, kept, nq * sizeof *q);
  if (n) memcpy(v, kept + nq, n * sizeof *v);
  return JN_OK;
}

/* A function of its own, so that small orders do not need its large stack frame. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static jn_status
evaluate_large(const jn_trajectory *T, double t, int K, jn_representation representation,
               const jn_shift *shift, double *q, double *v) {
  double work[60 * (JN_MAX_ORDER + 5)];
  return evaluate_all(T, t, K, representation, shift, work, q, v);
}

jn_status jn_trajectory_clock(const jn_trajectory *T, double t, int order, double *u) {
  double at, work[2 * (JN_MAX_ORDER + 1)];
  if (!T || !u || order < 0 || order > JN_MAX_ORDER || !jn_trajectory_time(T, t, &at))
    return JN_ERR_ARGUMENT;
  if (T->clocks) {
    jn_clock_jet(T, at, order, work, u);
  } else {
    for (int k = 0; k <= order; k++) u[k] = k == 0 ? at : k == 1 ? 1 / T->scale : 0;
  }
  jn_jet_to_derivatives(order, 1, u);
  return jn_all_finite(u, (size_t)order + 1) ? JN_OK : JN_ERR_NOT_FINITE;
}

jn_status jn_trajectory_shifted(const jn_trajectory *T, double t, int order,
                                jn_representation representation, const jn_shift *shift, double *q,
                                double *v) {
  double at;
  if (!T || order < -1 || order > JN_MAX_ORDER || (int)representation < 0 ||
      representation > JN_MIXED || !jn_trajectory_time(T, t, &at))
    return JN_ERR_ARGUMENT;
  const int K = v ? order + 1 : 0;
  if (K > SMALL) return evaluate_large(T, at, K, representation, shift, q, v);
  double work[60 * (SMALL + 4)];
  return evaluate_all(T, at, K, representation, shift, work, q, v);
}

jn_status jn_trajectory_at(const jn_trajectory *T, double t, int order,
                           jn_representation representation, double *q, double *v) {
  return jn_trajectory_shifted(T, t, order, representation, NULL, q, v);
}
