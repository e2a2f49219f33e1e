/* retime.c: the fastest clock along a path: rows of the problem, rounds, and the motion. */
#include "motion/retime.h"

#include <jounce/dynamics.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "motion/tool.h"

jn_retime_options jn_retime_options_default(void) {
  return (jn_retime_options){.speed = {HUGE_VAL, HUGE_VAL}, .tolerance = 1e-6};
}

enum { STATES = 64 };                /* points of the path at a time */
static const double unlimited = 1e6; /* the other side of a one-sided limit, relative to it */
static const double inside = 1e-9;   /* a static force this near to its limit leaves no room */

/* Failures. */

typedef struct dof_name {
  char text[JN_MAX_NAME + 16];
} dof_name;

static dof_name name_of(const retiming *x, int iv) {
  dof_name name = {""};
  for (int i = 0; i < jn_model_body_count(x->model); i++) {
    const jn_joint *j = jn_model_joint(x->model, i);
    if (iv >= j->iv && iv < j->iv + j->nv)
      jn_model_dof_name(x->model, i, iv - j->iv, name.text, sizeof name.text);
  }
  return name;
}

/* Keeps the worst breach that no clock can change. */
static void note_breach(retiming *x, int iv, jn_limit_kind kind, double u, double value,
                        double limit, const char *remedy) {
  const double size = fabs(value - limit) / fmax(fabs(limit), 1e-9);
  if (x->breach.remedy && size <= x->breach.size) return;
  x->breach = (limit_breach){iv, kind, u, value, limit, size, remedy};
}

static jn_status fail_at_breach(const retiming *x) {
  const limit_breach *b = &x->breach;
  if (!b->remedy) return JN_OK;
  return jn_fail(
      x->error, JN_ERR_INFEASIBLE, NULL, 0,
      "no clock keeps the limits: the %s%s of '%s' is %.6g at t = %.6g of the path, beyond "
      "its limit %.6g by %.4g: %s",
      jn_limit_kind_name(b->kind), b->kind == JN_LIMIT_EFFORT ? " at rest" : "",
      name_of(x, b->iv).text, b->value, b->u, b->limit, fabs(b->value - b->limit), b->remedy);
}

/* Limits. */

static const jn_limit_range *range_of(const retiming *x, int iv, int kind) {
  return &x->range[(size_t)iv * JN_LIMIT_KINDS + (size_t)kind];
}

/* the larger of the finite limits */
static double size_of(const jn_limit_range *r) {
  return fmax(isfinite(r->low) ? fabs(r->low) : 0, isfinite(r->high) ? fabs(r->high) : 0);
}

static int is_limited(const retiming *x, int iv, int kind) {
  const jn_limit_range *r = range_of(x, iv, kind);
  if (x->options.without_rates && (kind == JN_LIMIT_JERK || kind == JN_LIMIT_EFFORT_RATE)) return 0;
  return isfinite(r->low) || isfinite(r->high);
}

static jn_status check_options(const jn_model *model, const jn_retime_options *o, jn_error *error) {
  for (int i = 0; i < 2; i++)
    if (!(o->speed[i] > 0))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "the speed at an end must be positive, found %.6g", o->speed[i]);
  if (o->tools < 0 || (o->tools && !o->tool))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "limits of tools expected");
  for (int i = 0; i < o->tools; i++)
    if (o->tool[i].frame < 0 || o->tool[i].frame >= jn_model_frame_count(model) ||
        !(o->tool[i].speed > 0))
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "tool %d: a frame of the model and a positive speed expected", i);
  return JN_OK;
}

static jn_status check_ranges(const retiming *x) {
  for (int i = 0; i < x->nv * JN_LIMIT_KINDS; i++) {
    const int iv = i / JN_LIMIT_KINDS, kind = i % JN_LIMIT_KINDS;
    const jn_limit_range *r = &x->range[i];
    const int sorted = r->low <= r->high, rest = kind == JN_LIMIT_POSITION ||
                                                 kind == JN_LIMIT_EFFORT ||
                                                 (r->low <= 0 && r->high >= 0);
    if (!sorted || !rest)
      return jn_fail(x->error, JN_ERR_ARGUMENT, NULL, 0, "%s of '%s': the limits %.6g and %.6g %s",
                     jn_limit_kind_name((jn_limit_kind)kind), name_of(x, iv).text, r->low, r->high,
                     sorted ? "do not allow rest" : "are in the wrong order");
  }
  return JN_OK;
}

/* The path. */

/* q and v, v', v'' (derivatives by u) at u */
static jn_status path_at(retiming *x, double u) {
  return jn_trajectory_at(x->path, u, 1, x->representation, x->q, x->v);
}

/* Largest |v|, |v'| of every degree of freedom: x->size [2 x nv]. */
static jn_status measure(retiming *x) {
  const double start = jn_trajectory_start(x->path), length = jn_trajectory_end(x->path) - start;
  for (int n = 0; n <= 64; n++) {
    jn_status status = path_at(x, n == 64 ? start + length : start + length * n / 64);
    if (status) return status;
    for (int i = 0; i < 2 * x->nv; i++) x->size[i] = fmax(x->size[i], fabs(x->v[i]));
  }
  return JN_OK;
}

/* The number of derivatives that vanish at u: 0, 1, or 2 and more. */
static jn_status contact(retiming *x, double u, int *zeros) {
  jn_status status = path_at(x, u);
  *zeros = 2;
  for (int i = 2 * x->nv - 1; i >= 0 && !status; i--)
    if (fabs(x->v[i]) > 1e-6 * x->size[i] && x->size[i] > 0) *zeros = i / x->nv;
  return status;
}

/* The path with a start and an end that are at rest. With q ~ u^k at an end, k = 3 suits limits of
 * rates and k = 2 limits of forces. A path that moves there is run through by p(s), p ~ s^e:
 * polynomials p(s) = 1 - P(1 - s) from 0 to 1 with exponents e at 0 and f at 1. */
static jn_status rest_ends(retiming *x) {
  static const double table[3][3][6] = {
      /* p', p'', p''' at 0, then at 1; [e-1][f-1] */
      {{1, 0, 0, 1, 0, 0}, {1.5, 0, -3, 0, -3, -3}, {2, 0, -12, 0, 0, 12}},
      {{0, 3, -3, 1.5, 0, -3}, {0, 6, -12, 0, -6, -12}, {0, 12, -48, 0, 0, 24}},
      {{0, 0, 12, 2, 0, -12}, {0, 0, 24, 0, -12, -48}, {0, 0, 60, 0, 0, 60}}};
  const double start = jn_trajectory_start(x->path), end = jn_trajectory_end(x->path),
               length = end - start;
  int zeros[2], e[2];
  if (x->options.ends == JN_ENDS_FREE) return JN_OK;
  for (int side = 0; side < 2; side++) {
    jn_status status = contact(x, side ? end : start, &zeros[side]);
    if (status) return status;
    const int want = x->options.without_rates ? 1 : 2;
    e[side] = zeros[side] >= want ? 1 : zeros[side] == 1 ? 2 : want + 1;
  }
  if (e[0] == 1 && e[1] == 1) return JN_OK;
  const double *p = table[e[0] - 1][e[1] - 1];
  const double row[10] = {start, start, p[0], p[1] / length, p[2] / (length * length),
                          end,   end,   p[3], p[4] / length, p[5] / (length * length)};
  jn_trajectory *rest = NULL;
  jn_status status = jn_trajectory_clocked(x->path, 2, row, &x->hooks, &rest, x->error);
  if (status) return status;
  jn_trajectory_free(x->own);
  x->path = x->own = rest;
  return JN_OK;
}

/* Velocity and acceleration must not jump. */
static jn_status check_jumps(retiming *x) {
  const double start = jn_trajectory_start(x->path), end = jn_trajectory_end(x->path);
  const int nv = x->nv;
  double *left = x->tau; /* 2 nv */
  for (double u = jn_trajectory_next_break(x->path, start); u < end;
       u = jn_trajectory_next_break(x->path, u)) {
    jn_status status = path_at(x, u - 1e-12 * (fabs(u) + end - start));
    if (!status) memcpy(left, x->v, 2 * (size_t)nv * sizeof *left);
    if (!status) status = path_at(x, u);
    if (status) return status;
    for (int i = 0; i < 2 * nv; i++)
      if (fabs(x->v[i] - left[i]) > 1e-5 * x->size[i] + 1e-12)
        return jn_fail(x->error, JN_ERR_ARGUMENT, NULL, 0,
                       "the %s of '%s' jumps at t = %.6g of the path: no clock but a stop runs "
                       "through it; use a path with a continuous second derivative (minimum of "
                       "derivative 2 or more, splines of degree 3 or more), or split it there",
                       i < nv ? "velocity" : "acceleration", name_of(x, i % nv).text, u);
  }
  return JN_OK;
}

/* Both sides of the breaks of the path; of very many, as many as fit. */
static jn_status list_breaks(retiming *x) {
  enum { MOST = 20000 };
  const double end = jn_trajectory_end(x->path);
  for (int pass = 0; pass < 2; pass++) {
    int n = 0;
    for (double u = jn_trajectory_next_break(x->path, x->start); u < end && n < MOST;
         u = jn_trajectory_next_break(x->path, u), n += 2)
      if (pass) x->breaks[n] = u - 1e-12 * (fabs(u) + end - x->start), x->breaks[n + 1] = u;
    x->break_count = n;
    if (pass || !n) break;
    if (!(x->breaks = jn_block_new(&x->hooks, (size_t)n, sizeof *x->breaks))) return JN_ERR_MEMORY;
  }
  return JN_OK;
}

/* Rows. */

/* Forces and their rates at STATES points from three motions a point with clocks (first and second
 * derivative of u) (1, 0), (2, 0), (1, 1): x->tau[3 x count x 2 nv] */
static jn_status three_motions(retiming *x, int count) {
  static const double clocks[3][2] = {{1, 0}, {2, 0}, {1, 1}};
  const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
  for (int k = 0; k < 3; k++) {
    const double a = clocks[k][0], b = clocks[k][1];
    if (k) memcpy(x->q + (size_t)(k * count) * nq, x->q, (size_t)count * nq * sizeof *x->q);
    for (int n = 0; n < count; n++) {
      const double *v1 = x->v + (size_t)n * 3 * nv, *v2 = v1 + nv, *v3 = v2 + nv;
      double *w1 = x->w + (size_t)(k * count + n) * 3 * nv, *w2 = w1 + nv, *w3 = w2 + nv;
      for (size_t i = 0; i < nv; i++) {
        w1[i] = v1[i] * a;
        w2[i] = v2[i] * a * a + v1[i] * b;
        w3[i] = v3[i] * a * a * a + 3 * v2[i] * a * b;
      }
    }
  }
  return jn_batch_inverse_dynamics(x->model, x->batch, 1, 3 * (size_t)count, x->q, x->w, x->tau,
                                   NULL);
}

/* m, c, g and m_u + 2c, c_u, g_u of a degree of freedom at point n of `count` */
typedef struct force_terms {
  double m, c, g, mc, cu, gu;
} force_terms;
static force_terms force_of(const retiming *x, int n, int count, int i) {
  const size_t nv = (size_t)x->nv, next = (size_t)count * 2 * nv;
  const double *A = x->tau + (size_t)n * 2 * nv + (size_t)i, *B = A + next, *D = B + next;
  const double c = (B[0] - A[0]) / 3, cu = (B[nv] - 2 * A[nv]) / 6;
  return (force_terms){D[0] - A[0], c, A[0] - c, D[nv] - A[nv], cu, A[nv] - cu};
}

/* The rows of all limits; their order: without b'' first. */
static void list_rows(retiming *x) {
  static const int kinds[2][3] = {{JN_LIMIT_ACCELERATION, JN_LIMIT_EFFORT, JN_LIMIT_KINDS},
                                  {JN_LIMIT_JERK, JN_LIMIT_EFFORT_RATE, JN_LIMIT_POWER}};
  int rows = 0;
  for (int third = 0; third < 2; third++) {
    for (int k = 0; k < 3; k++)
      for (int iv = 0; iv < x->nv && kinds[third][k] < JN_LIMIT_KINDS; iv++)
        if (is_limited(x, iv, kinds[third][k])) {
          x->row[rows] = (limit_row){iv, (jn_limit_kind)kinds[third][k], 1};
          x->forces |= k > 0;
          rows++;
        }
    x->row[rows++] = (limit_row){-1, JN_LIMIT_KINDS, 1}; /* of the clock itself */
    *(third ? &x->p.third : &x->p.second) = third ? rows - x->p.second : rows;
  }
}

/* row k at points first ... first + count - 1 */
static void fill_row(retiming *x, int k, int first, int count) {
  const size_t nv = (size_t)x->nv;
  jn_clock_problem *p = &x->p;
  const limit_row *r = &x->row[k];
  const int third = k >= p->second, i = r->iv;
  if (i < 0) return;
  const double s = 1 / r->scale, d = x->damping[i];
  for (int n = 0; n < count; n++) {
    const size_t at = (size_t)(third ? k - p->second : k) * (size_t)p->stride + (size_t)(first + n);
    const double *v = x->v + (size_t)n * 3 * nv + (size_t)i;
    const double v1 = v[0], v2 = v[nv], v3 = v[2 * nv];
    if (r->kind == JN_LIMIT_ACCELERATION) {
      p->s0[at] = v2 * s, p->s1[at] = 0.5 * v1 * s;
    } else if (r->kind == JN_LIMIT_JERK) {
      p->r0[at] = v3 * s, p->r1[at] = 1.5 * v2 * s, p->r2[at] = 0.5 * v1 * s;
    } else {
      const force_terms f = force_of(x, n, count, i);
      if (r->kind == JN_LIMIT_EFFORT) {
        p->s0[at] = f.c * s, p->s1[at] = 0.5 * f.m * s, p->sg[at] = f.g * s;
        if (p->damped) p->sd[at] = d * v1 * s;
      } else if (r->kind == JN_LIMIT_POWER) {
        /* v_1 b^(1/2) (m b'/2 + c b + g) + d v_1^2 b */
        p->r0[at] = v1 * f.c * s, p->r1[at] = 0.5 * v1 * f.m * s, p->rg[at] = v1 * f.g * s;
        if (p->damped) p->d0[at] = d * v1 * v1 * s;
      } else {
        p->r0[at] = f.cu * s, p->r1[at] = 0.5 * f.mc * s, p->r2[at] = 0.5 * f.m * s;
        p->rg[at] = f.gu * s;
        if (p->damped) p->d0[at] = d * v2 * s, p->d1[at] = 0.5 * d * v1 * s;
      }
    }
  }
}

/* What no clock can change at point n of `count`: positions, static forces, joints that may not
 * move. */
static void check_point(retiming *x, double u, int n, int count) {
  for (int i = 0; i < x->nv; i++) {
    const int iq = x->coordinate[i];
    const jn_limit_range *r = range_of(x, i, JN_LIMIT_POSITION);
    if (iq >= 0 && is_limited(x, i, JN_LIMIT_POSITION)) {
      const double q = x->q[(size_t)n * (size_t)x->nq + (size_t)iq], slack = inside * size_of(r);
      if (q > r->high + slack || q < r->low - slack)
        note_breach(x, i, JN_LIMIT_POSITION, u, q, q > r->high ? r->high : r->low,
                    "change the path");
    }
    r = range_of(x, i, JN_LIMIT_EFFORT);
    if (is_limited(x, i, JN_LIMIT_EFFORT)) {
      const double slack = inside * size_of(r), g = force_of(x, n, count, i).g;
      if (g > r->high - slack || g < r->low + slack)
        note_breach(x, i, JN_LIMIT_EFFORT, u, g, g > r->high - slack ? r->high : r->low,
                    "change the path, the load or the limit");
    }
    for (int kind = JN_LIMIT_VELOCITY; kind <= JN_LIMIT_JERK; kind++) {
      r = range_of(x, i, kind);
      const double v = x->v[(size_t)(3 * n + kind - JN_LIMIT_VELOCITY) * (size_t)x->nv + (size_t)i];
      if (!is_limited(x, i, kind) || r->low < 0 || r->high > 0 || fabs(v) < 1e-12) continue;
      note_breach(x, i, (jn_limit_kind)kind, u, v, 0,
                  "the joint may not move, but the path moves it");
    }
  }
}

/* the largest b that the velocities of point n allow */
static jn_status velocity_cap(const retiming *x, int n, double *out) {
  const double *v = x->v + (size_t)n * 3 * (size_t)x->nv;
  double cap = HUGE_VAL;
  for (int i = 0; i < x->nv; i++) {
    const jn_limit_range *r = range_of(x, i, JN_LIMIT_VELOCITY);
    const double limit = v[i] > 0 ? r->high : r->low, root = limit / v[i];
    if (v[i] != 0 && isfinite(limit) && root * root < cap) cap = root * root;
  }
  for (int i = 0; i < x->options.tools; i++) {
    const jn_tool_limit *tool = &x->options.tool[i];
    double speed;
    const jn_status status =
        jn_tool_speed(x->model, x->data, tool->frame, x->q + (size_t)n * (size_t)x->nq, v, &speed);
    if (status) return status;
    const double root = tool->speed / speed;
    if (speed > 0 && root * root < cap) cap = root * root;
  }
  *out = cap;
  return JN_OK;
}

/* the scales of rows and both sides of their limits */
static void scale_rows(retiming *x) {
  jn_clock_problem *p = &x->p;
  for (int k = 0; k < p->second + p->third; k++) {
    limit_row *r = &x->row[k];
    p->high[k] = p->low[k] = 1;
    if (r->iv < 0) continue;
    const jn_limit_range *l = range_of(x, r->iv, (int)r->kind);
    r->scale = size_of(l);
    if (!(r->scale > 0)) r->scale = 1e-9; /* a limit of zero; it is only kept if nothing moves */
    p->high[k] = isfinite(l->high) ? l->high / r->scale : unlimited;
    p->low[k] = isfinite(l->low) ? -l->low / r->scale : unlimited;
    if (p->high[k] == 0 && p->low[k] == 0) p->high[k] = p->low[k] = 1;
  }
}

static jn_status fill_rows(retiming *x) {
  jn_clock_problem *p = &x->p;
  scale_rows(x);
  for (int first = 0; first < x->all; first += STATES) {
    const int count = x->all - first < STATES ? x->all - first : STATES;
    jn_status status = JN_OK;
    for (int n = 0; n < count && !status; n++)
      status =
          jn_trajectory_at(x->path, jn_retime_point(x, first + n), 1, x->representation,
                           x->q + (size_t)n * (size_t)x->nq, x->v + (size_t)n * 3 * (size_t)x->nv);
    if (!status && x->forces) status = three_motions(x, count);
    if (status) return status;
    for (int n = 0; n < count; n++) {
      check_point(x, jn_retime_point(x, first + n), n, count);
      if ((status = velocity_cap(x, n, &x->cap[first + n]))) return status;
      p->cap[first + n] = x->cap[first + n];
    }
    for (int k = 0; k < p->second + p->third; k++) fill_row(x, k, first, count);
  }
  return fail_at_breach(x);
}

static double largest_of(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    const double size = fabs(a[i]);
    most = size > most ? size : most;
  }
  return most;
}

/* Rows without any number are dropped: they are moved behind the others. */
static void drop_rows(retiming *x) {
  jn_clock_problem *p = &x->p;
  const size_t stride = (size_t)p->stride;
  int kept[2] = {0, 0};
  for (int k = 0; k < p->second + p->third; k++) {
    const int third = k >= p->second, from = third ? k - p->second : k, to = kept[third];
    double *const second_parts[] = {p->s0, p->s1, p->sg, p->sd}, *const third_parts[] = {
                                                                     p->r0, p->r1, p->r2,
                                                                     p->rg, p->d0, p->d1};
    double *const *parts = third ? third_parts : second_parts;
    const int count = third ? (p->damped ? 6 : 4) : (p->damped ? 4 : 3);
    double most = 0;
    for (int c = 0; c < count; c++)
      if (parts[c] != p->sg)
        most = fmax(most, largest_of(parts[c] + (size_t)from * stride, stride));
    if (x->row[k].iv >= 0 && !(most > 0)) continue;
    for (int c = 0; c < count; c++)
      memmove(parts[c] + (size_t)to * stride, parts[c] + (size_t)from * stride,
              stride * sizeof(double));
    const int index = third ? kept[0] + to : to;
    x->row[index] = x->row[k];
    p->high[index] = p->high[k], p->low[index] = p->low[k];
    kept[third]++;
  }
  p->second = kept[0], p->third = kept[1];
}

/* Limits on the clock itself, in the last row without and with b'': much weaker than the others,
 * they bound it where the path stands still. Without limits of rates, b' may jump at the optimum,
 * which a spline cannot: it gets SWITCH cells for it. */
static jn_status limit_clock(retiming *x) {
  enum { WEAK = 100, SWITCH = 3 };
  jn_clock_problem *p = &x->p;
  const size_t stride = (size_t)p->stride, second = (size_t)p->second - 1,
               third = (size_t)p->third - 1;
  const double s1 = largest_of(p->s1, second * stride), r2 = largest_of(p->r2, third * stride);
  double cap = HUGE_VAL;
  for (int k = 0; k < p->second + p->third; k++) {
    const limit_row *r = &x->row[k];
    if (r->iv >= 0 && !(size_of(range_of(x, r->iv, (int)r->kind)) > 0))
      return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0,
                     "no clock keeps the limits: the %s of '%s' may not differ from zero, but the "
                     "path changes it",
                     jn_limit_kind_name(r->kind), name_of(x, r->iv).text);
  }
  for (int n = 0; n < x->all; n++) cap = fmin(cap, p->cap[n]);
  if (!isfinite(cap) && second + third == 0)
    return jn_fail(
        x->error, JN_ERR_ARGUMENT, NULL, 0,
        "no limit bounds the speed: limit the velocity, acceleration or force of a joint "
        "that moves");
  for (size_t n = 0; n < stride; n++) p->s1[second * stride + n] = s1 / WEAK;
  for (int side = 0; side < 2 && x->options.ends == JN_ENDS_FREE; side++) {
    const double speed = x->options.speed[side];
    double *at = &p->cap[side ? p->cells : 0];
    *at = fmin(*at, speed * speed);
  }
  for (int n = 0; n < x->all; n++) p->cap[n] = fmin(p->cap[n], 1e200);
  const double b = jn_clock_uniform(p, p->points > 512 ? 8 : 1);
  if (!(b > 0))
    return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0, "no clock keeps the limits, however slow");
  for (int n = 0; n < x->all; n++) {
    double own = 0;
    for (size_t k = 0; k < second && !(r2 > 0); k++)
      own = fmax(own, fabs(p->s1[k * stride + (size_t)n]));
    p->r2[third * stride + (size_t)n] =
        r2 > 0 ? r2 / WEAK : 0.5 * SWITCH * p->h * (own + 0.1 * s1) / sqrt(b);
    p->cap[n] = fmin(p->cap[n], 1e4 * b);
  }
  return JN_OK;
}

/* Memory. */

int jn_retime_quarter(const retiming *x, int j) {
  const int N = x->p.cells, cell = j / 4, part = j % 4;
  if (part == 0) return cell;
  if (cell == 0) return N + part;
  if (cell == N - 1) return N + JN_CLOCK_EXTRA + 4 - part;
  return part == 2 ? jn_clock_middle(&x->p, cell) : x->p.points + 2 * (cell - 1) + part / 2;
}

double jn_retime_point(const retiming *x, int i) {
  const int beyond = i - x->p.points;
  if (i >= x->regular) return x->breaks[i - x->regular];
  if (beyond < 0) return jn_clock_point(&x->p, x->start, i);
  return x->start + x->p.h * (1 + beyond / 2 + (beyond % 2 ? 0.75 : 0.25));
}

/* What the grid does not change. */
static jn_status place(retiming *x) {
  const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
  x->coordinate = jn_block_new(&x->hooks, nv + 1, sizeof *x->coordinate);
  x->numbers =
      jn_block_new(&x->hooks, STATES * (3 * nq + (3 + 9 + 6) * nv) + 3 * nv + 1, sizeof(double));
  if (!x->coordinate || !x->numbers) return JN_ERR_MEMORY;
  double *at = x->numbers;
  x->q = at, at += STATES * 3 * nq;
  x->v = at, at += STATES * 3 * nv;
  x->w = at, at += STATES * 9 * nv;
  x->tau = at, at += STATES * 6 * nv;
  x->size = at, at += 2 * nv;
  x->damping = at;
  for (int i = 0; i < jn_model_body_count(x->model); i++) {
    const jn_joint *j = jn_model_joint(x->model, i);
    for (int c = 0; c < j->nv; c++) {
      x->coordinate[j->iv + c] = j->nq == j->nv ? j->iq + c : -1;
      x->damping[j->iv + c] = jn_data_settings(x->data)->damping ? j->damping : 0;
    }
  }
  for (size_t i = 0; i < nv; i++) x->p.damped |= x->damping[i] > 0;
  jn_status status = jn_batch_new(x->model, 1, 1, &x->hooks, &x->batch);
  if (status) return status;
  *jn_batch_settings(x->batch) = *jn_data_settings(x->data);
  jn_batch_settings(x->batch)->formulation = JN_FORM_BODY;
  jn_batch_settings(x->batch)->damping = 0; /* it is added to the rows */
  return JN_OK;
}

static jn_status place_grid(retiming *x, int cells, int quarters) {
  jn_clock_problem *p = &x->p;
  const size_t rows = 5 * (size_t)x->nv + 2;
  p->cells = cells;
  p->points = jn_clock_points(cells);
  x->regular = p->points + (quarters ? 2 * (cells - 2) : 0);
  x->all = x->regular + (quarters ? x->break_count : 0);
  p->stride = (x->all + 7) / 8 * 8;
  x->row = jn_block_new(&x->hooks, rows, sizeof *x->row);
  x->active = jn_block_new(&x->hooks, rows * (size_t)jn_clock_chunks(p->points), 1);
  if (!x->row || !x->active) return JN_ERR_MEMORY;
  list_rows(x);
  const size_t stride = (size_t)p->stride, second = (size_t)p->second * stride,
               third = (size_t)p->third * stride, knots = (size_t)p->cells + 1;
  const int of_damping = p->damped ? 1 : 0;
  x->table = jn_block_new(&x->hooks,
                          (3 + (size_t)of_damping) * second + (4 + 2 * (size_t)of_damping) * third +
                              2 * rows + 6 * stride + knots + 5 * knots,
                          sizeof(double));
  if (!x->table) return JN_ERR_MEMORY;
  double *at = x->table;
  double **const of_second[] = {&p->s0, &p->s1, &p->sg, &p->sd};
  double **const of_third[] = {&p->r0, &p->r1, &p->r2, &p->rg, &p->d0, &p->d1};
  double **const of_points[] = {&p->cap, &x->cap, &x->b, &x->b1, &x->b2, &x->use};
  for (int i = 0; i < 3 + of_damping; i++) *of_second[i] = at, at += second;
  for (int i = 0; i < 4 + 2 * of_damping; i++) *of_third[i] = at, at += third;
  for (int i = 0; i < 6; i++) *of_points[i] = at, at += stride;
  p->high = at, at += rows;
  p->low = at, at += rows;
  x->solution.c = at, at += knots;
  x->clock = at;
  return JN_OK;
}

void jn_retime_release_grid(retiming *x) {
  jn_block_free(&x->hooks, x->row);
  jn_block_free(&x->hooks, x->active);
  jn_block_free(&x->hooks, x->table);
  jn_block_free(&x->hooks, x->tight);
  x->row = NULL;
  x->active = NULL;
  x->table = x->tight = NULL;
  x->p.active = NULL;
}

void jn_retime_release(retiming *x) {
  jn_retime_release_grid(x);
  jn_block_free(&x->hooks, x->coordinate);
  jn_block_free(&x->hooks, x->breaks);
  jn_block_free(&x->hooks, x->numbers);
  jn_batch_free(x->batch);
  jn_trajectory_free(x->own);
}

jn_status jn_retime_grid(retiming *x, int cells, int quarters) {
  jn_retime_release_grid(x);
  jn_status status = place_grid(x, cells, quarters);
  if (status) return status;
  x->breach.remedy = NULL;
  x->p.h = (jn_trajectory_end(x->path) - x->start) / cells;
  if ((status = fill_rows(x))) return status;
  drop_rows(x);
  return limit_clock(x);
}

jn_status jn_retime_begin(retiming *x) {
  jn_status status = place(x);
  if (!status) status = measure(x);
  if (!status) status = rest_ends(x);
  if (!status && x->own) {
    memset(x->size, 0, 2 * (size_t)x->nv * sizeof *x->size);
    status = measure(x);
  }
  if (!status) status = check_jumps(x);
  x->start = jn_trajectory_start(x->path);
  return status ? status : list_breaks(x);
}

static jn_status run(retiming *x, jn_trajectory **out, jn_retime_report *report) {
  jn_status status = check_ranges(x);
  if (!status) status = jn_retime_begin(x);
  if (!status) status = jn_retime_rounds(x, out, report);
  if (status && x->error && !x->error->message[0])
    jn_fail(x->error, status, NULL, 0, "%s", jn_status_text(status));
  return status;
}

jn_status jn_retime(const jn_model *model, jn_data *data, const jn_trajectory *path,
                    const jn_limit_range *range, const jn_retime_options *options,
                    const jn_allocator *allocator, jn_trajectory **out, jn_retime_report *report,
                    jn_error *error) {
  const jn_retime_options o = options ? *options : jn_retime_options_default();
  jn_error own = {0};
  if (o.intervals > JN_MAX_INTERVALS)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "at most %d intervals", JN_MAX_INTERVALS);
  if (!model || !data || !path || !range || !out || (o.intervals != 0 && o.intervals < 16) ||
      !(o.tolerance > 0) || !(o.tolerance < 1) || (int)o.ends < 0 || o.ends > JN_ENDS_FREE)
    return jn_fail(
        error, JN_ERR_ARGUMENT, NULL, 0,
        "an argument is NULL or out of range: 0 or 16 to %d intervals, tolerance between 0 "
        "and 1",
        JN_MAX_INTERVALS);
  const jn_status refused = check_options(model, &o, error);
  if (refused) return refused;
  if (jn_data_order(data) < 1)
    return jn_fail(error, JN_ERR_ORDER, NULL, 0, "data of order 1 needed");
  retiming x = {.model = model, .data = data, .path = path, .range = range, .options = o};
  x.error = &own;
  x.hooks = jn_allocator_or_default(allocator);
  x.nv = jn_model_nv(model);
  x.nq = jn_model_nq(model);
  x.representation = jn_data_settings(data)->representation;
  jn_retime_report made = {0};
  jn_trajectory *motion = NULL;
  jn_status status = run(&x, &motion, &made);
  jn_retime_release(&x);
  if (status) {
    if (error) *error = own;
    return status;
  }
  *out = motion;
  if (report) *report = made;
  return JN_OK;
}
