/* trajectory.c: creates, copies and evaluates a trajectory. */
#include "trajectory/trajectory.h"

#include <jounce/jet.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Tolerance of t at the start and the end: it may be a sum or product of other times. */
static double slack(const jn_trajectory *T) {
  return 1e-12 * (fabs(T->start) + fabs(T->end) + (T->end - T->start));
}

/* t = start + scale (spline time - start), and the inverse */
static double outer_time(const jn_trajectory *T, double t) {
  return T->scale == 1 ? t : T->start + T->scale * (t - T->start);
}
static double inner_time(const jn_trajectory *T, double t) {
  return T->scale == 1 ? t : T->start + (t - T->start) / T->scale;
}

/* Splines. */

static void spline_place(jn_spline *s, double *block) {
  size_t pieces = (size_t)s->pieces, n = (size_t)s->n, terms = (size_t)s->terms;
  s->breaks = block;
  s->c = s->breaks + pieces + 1;
  s->origin = s->c + pieces * ((size_t)s->degree + 1) * n;
  s->w = s->origin + pieces;
  s->a = s->w + pieces * terms;
  s->b = s->a + pieces * terms * n;
}

/* length of the block in doubles; 0 if it overflows */
static size_t spline_size(const jn_spline *s) {
  const size_t of_one = (size_t)s->degree + 1 + 2 * (size_t)s->terms;
  size_t rows, all;
  const int fits = jn_size_multiply((size_t)s->pieces, of_one, &rows) &&
                   jn_size_multiply(rows, (size_t)s->n, &all) && all < SIZE_MAX / 32;
  return fits ? all + (size_t)s->pieces * (2 + (size_t)s->terms) + 1 : 0;
}

jn_status jn_spline_new(jn_trajectory *T, int pieces, int degree, int n, int terms, int *index) {
  if (T->splines == T->room) {
    int room = T->room ? 2 * T->room : 4;
    jn_spline *more = jn_block_new(&T->hooks, (size_t)room, sizeof *more);
    if (!more) return JN_ERR_MEMORY;
    if (T->splines) memcpy(more, T->spline, (size_t)T->splines * sizeof *more);
    jn_block_free(&T->hooks, T->spline);
    T->spline = more;
    T->room = room;
  }
  jn_spline s = {pieces, degree, n, terms, NULL, NULL, NULL, NULL, NULL, NULL};
  size_t size = spline_size(&s);
  double *block = size ? jn_block_new(&T->hooks, size, sizeof *block) : NULL;
  if (!block) return JN_ERR_MEMORY;
  spline_place(&s, block);
  T->spline[T->splines] = s;
  *index = T->splines++;
  return JN_OK;
}

/* the piece with breaks[i] <= t < breaks[i+1]; before the first the first, after the last the
 * last */
static int find_piece(const jn_spline *s, double t) {
  int low = 0, high = s->pieces;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (t >= s->breaks[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
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

void jn_spline_jet(const jn_spline *s, double t, double last, double scale, int channel, int order,
                   double *x) {
  const int held = t < s->breaks[0] || (t >= s->breaks[s->pieces] && s->breaks[s->pieces] < last);
  const int i = find_piece(s, t), d = s->degree;
  const size_t n = (size_t)s->n;
  if (held) t = t < s->breaks[0] ? s->breaks[0] : s->breaks[s->pieces];
  const double h = s->breaks[i + 1] - s->breaks[i], u = (t - s->breaks[i]) / h;
  const double *c = s->c + (size_t)i * (size_t)(d + 1) * n + (size_t)channel;
  double y[JN_MAX_DEGREE + 1], f = 1;
  int top = held ? 0 : order;

  /* Taylor coefficients at u by repeated synthetic division */
  for (int k = 0; k <= d; k++) y[k] = c[(size_t)k * n];
  for (int k = 0; k <= order; k++) x[k] = 0;
  for (int k = 0; k <= top && k <= d; k++) {
    for (int j = d - 1; j >= k; j--) y[j] += u * y[j + 1];
    x[k] = f * y[k];
    f /= h * scale;
  }
  for (int m = 0; m < s->terms; m++) {
    size_t at = (size_t)i * (size_t)s->terms + (size_t)m;
    add_harmonic(s->w[at], t - s->origin[i], s->a[at * n + (size_t)channel],
                 s->b[at * n + (size_t)channel], scale, top, x);
  }
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
    const size_t size = (size_t)(a->cells + a->degree) * (size_t)(a->degree + 1);
    b->V = a->shared ? b[-1].V : jn_block_new(&to->hooks, size, sizeof *b->V);
    if (!b->V) return JN_ERR_MEMORY;
    if (!a->shared) memcpy(b->V, a->V, size * sizeof *b->V);
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
    jn_status status = jn_spline_new(to, s->pieces, s->degree, s->n, s->terms, &index);
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
  return copy_variances(from, to);
}

jn_status jn_trajectory_scaled(const jn_trajectory *trajectory, double factor,
                               const jn_allocator *allocator, jn_trajectory **out) {
  if (!trajectory || !out || !(factor > 0) || !isfinite(factor)) return JN_ERR_ARGUMENT;
  double scale = trajectory->scale * factor;
  if (!(scale > 0) || !isfinite(scale * (trajectory->end - trajectory->start)))
    return JN_ERR_NOT_FINITE;
  jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_trajectory *T = jn_block_new(&hooks, 1, sizeof *T);
  if (!T) return JN_ERR_MEMORY;
  *T = *trajectory;
  T->hooks = hooks;
  T->scale = scale;
  T->spline = NULL;
  T->joint = NULL;
  T->motion = NULL;
  T->variance = NULL;
  T->splines = T->room = 0;
  jn_status status = copy_parts(trajectory, T);
  if (status)
    jn_trajectory_free(T);
  else
    *out = T;
  return status;
}

double jn_trajectory_start(const jn_trajectory *T) { return T ? T->start : 0; }

double jn_trajectory_end(const jn_trajectory *T) { return T ? outer_time(T, T->end) : 0; }

double jn_trajectory_next_break(const jn_trajectory *T, double t) {
  double next = HUGE_VAL;
  if (!T || isnan(t)) return next;
  for (int i = 0; i < T->splines; i++) {
    const jn_spline *s = &T->spline[i];
    /* start one piece before the one of t: scaling rounds the times */
    int p = find_piece(s, inner_time(T, t));
    for (p = p > 0 ? p - 1 : 0; p <= s->pieces; p++) {
      double at = outer_time(T, s->breaks[p]);
      if (!(at > t)) continue;
      next = fmin(next, at);
      break;
    }
  }
  return next;
}

/* Jets: Taylor coefficients 0..K of v, K = order + 1, converted to derivatives at the end. They
 * need 27 (K + 2) doubles of work and jn_rotation_work(K). */

void jn_add_shift(const jn_shift *shift, int iq, int order, double *x) {
  for (int k = 0; shift && shift->iq == iq && k <= order; k++) x[k] += shift->x[k];
}

static void plain_jets(const jn_trajectory *T, int i, double t, int K, const jn_shift *shift,
                       int nv, double *work, double *q, double *v) {
  const jn_motion *m = &T->motion[i];
  const int skip = m->rotation ? 4 : 0, count = T->joint[i].nq - skip;
  for (int c = 0; c < count; c++) {
    jn_spline_jet(&T->spline[m->spline], t, T->end, T->scale, m->first + c, K + 1, work);
    jn_add_shift(shift, T->joint[i].iq + skip + c, K + 1, work);
    if (q) q[c] = work[0];
    for (int k = 0; v && k <= K; k++) v[(size_t)k * (size_t)nv + (size_t)c] = (k + 1) * work[k + 1];
  }
}

/* Rotation and, of a free joint, position. Its twist is (w, p'), the mixed representation, until it
 * is converted. */
static void rotation_jets(const jn_trajectory *T, int i, double t, int K, const jn_shift *shift,
                          jn_representation representation, double *work, double *q, double *v) {
  const jn_joint *j = &T->joint[i];
  const size_t nv = (size_t)T->nv;
  double *w = work, *V = w + 3 * (K + 1), *U = V + 6 * (K + 1), *R = U + 6 * (K + 1),
         *p = R + 9 * (K + 2), *rest = p + 3 * (K + 2);
  double position[3] = {0, 0, 0};
  jn_quat r;
  jn_rotation_jet(T, i, t, K, shift, rest, &r, w);
  if (q) q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  if (j->type == JN_JOINT_SPHERICAL) {
    for (int k = 0; v && k <= K; k++) memcpy(v + (size_t)k * nv, w + 3 * k, 3 * sizeof *v);
    return;
  }
  for (int k = 0; k <= K; k++) memcpy(V + 6 * k, w + 3 * k, 3 * sizeof *V);
  plain_jets(T, i, t, K, shift, 6, rest, position, V + 3);
  if (q) memcpy(q + 4, position, sizeof position);
  if (!v) return;
  if (representation != JN_MIXED) {
    jn_pose C = jn_pose_make(jn_quat_to_m3(r), jn_v3(position[0], position[1], position[2]));
    jn_jet_convert_twist(K, JN_MIXED, representation, C, V, R, p, U);
  }
  for (int k = 0; k <= K; k++)
    memcpy(v + (size_t)k * nv, (representation != JN_MIXED ? U : V) + 6 * k, 6 * sizeof *v);
}

static jn_status evaluate(const jn_trajectory *T, double t, int K, jn_representation representation,
                          const jn_shift *shift, double *work, double *q, double *v) {
  for (int i = 0; i < T->joints; i++) {
    const jn_joint *j = &T->joint[i];
    double *qi = q ? q + j->iq : NULL, *vi = v ? v + j->iv : NULL;
    if (T->motion[i].rotation)
      rotation_jets(T, i, t, K, shift, representation, work, qi, vi);
    else
      plain_jets(T, i, t, K, shift, T->nv, work, qi, vi);
  }
  if (v) jn_jet_to_derivatives(K, T->nv, v);
  if ((q && !jn_all_finite(q, (size_t)T->nq)) ||
      (v && !jn_all_finite(v, (size_t)(K + 1) * (size_t)T->nv)))
    return JN_ERR_NOT_FINITE;
  return JN_OK;
}

enum { SMALL = 31 };

/* A function of its own, so that small orders do not need its large stack frame. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static jn_status
evaluate_large(const jn_trajectory *T, double t, int K, jn_representation representation,
               const jn_shift *shift, double *q, double *v) {
  double work[50 * (JN_MAX_ORDER + 5)];
  return evaluate(T, t, K, representation, shift, work, q, v);
}

int jn_trajectory_time(const jn_trajectory *T, double t, double *at) {
  const double x = inner_time(T, t);
  *at = fmax(T->start, fmin(T->end, x));
  return x >= T->start - slack(T) && x <= T->end + slack(T);
}

jn_status jn_trajectory_shifted(const jn_trajectory *T, double t, int order,
                                jn_representation representation, const jn_shift *shift, double *q,
                                double *v) {
  double at;
  if (!T || order < -1 || order > JN_MAX_ORDER || (int)representation < 0 ||
      representation > JN_MIXED || !jn_trajectory_time(T, t, &at))
    return JN_ERR_ARGUMENT;
  int K = v ? order + 1 : 0;
  if (K > SMALL) return evaluate_large(T, at, K, representation, shift, q, v);
  double work[50 * (SMALL + 4)];
  return evaluate(T, at, K, representation, shift, work, q, v);
}

jn_status jn_trajectory_at(const jn_trajectory *T, double t, int order,
                           jn_representation representation, double *q, double *v) {
  return jn_trajectory_shifted(T, t, order, representation, NULL, q, v);
}
