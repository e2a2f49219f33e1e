/* retime.c: the fastest clock along a path: rows of the problem, rounds, and the motion. */
#include "motion/retime.h"

#include <jounce/dynamics.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"

jn_retime_options jn_retime_options_default(void) {
  return (jn_retime_options){.intervals = 1000, .tolerance = 1e-7};
}

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

/* v, v', v'' (derivatives by u) at u into x->v */
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

/* Rows. */

/* m, c, g and m_u + 2c, c_u, g_u at the point of x->q, x->v from three motions with clocks (first and
 * second derivative of u) (1, 0), (2, 0), (1, 1) */
static jn_status coefficients(retiming *x, double *m, double *c, double *g, double *mc, double *cu,
                              double *gu) {
  static const double clocks[3][2] = {{1, 0}, {2, 0}, {1, 1}};
  const int nv = x->nv;
  double *tau[3] = {x->tau, x->tau + 2 * nv, x->tau + 4 * nv};
  for (int k = 0; k < 3; k++) {
    const double a = clocks[k][0], b = clocks[k][1];
    for (int i = 0; i < nv; i++) {
      const double v1 = x->v[i], v2 = x->v[nv + i], v3 = x->v[2 * nv + i];
      x->w[i] = v1 * a;
      x->w[nv + i] = v2 * a * a + v1 * b;
      x->w[2 * nv + i] = v3 * a * a * a + 3 * v2 * a * b;
    }
    jn_status status = jn_inverse_dynamics(x->model, x->data, 1, x->q, x->w, NULL, tau[k]);
    if (status) return status;
  }
  for (int i = 0; i < nv; i++) {
    const double A = tau[0][i], B = tau[1][i], D = tau[2][i];
    const double A1 = tau[0][nv + i], B1 = tau[1][nv + i], D1 = tau[2][nv + i];
    c[i] = (B - A) / 3, g[i] = A - c[i], m[i] = D - A;
    cu[i] = (B1 - 2 * A1) / 6, gu[i] = A1 - cu[i], mc[i] = D1 - A1;
  }
  return JN_OK;
}

/* The rows of all limits; their order: without b'' first. */
static void list_rows(retiming *x) {
  static const int kinds[2][2] = {{JN_LIMIT_ACCELERATION, JN_LIMIT_EFFORT},
                                  {JN_LIMIT_JERK, JN_LIMIT_EFFORT_RATE}};
  int rows = 0;
  for (int third = 0; third < 2; third++) {
    for (int k = 0; k < 2; k++)
      for (int iv = 0; iv < x->nv; iv++)
        if (is_limited(x, iv, kinds[third][k])) {
          x->row[rows] = (limit_row){iv, (jn_limit_kind)kinds[third][k], 1};
          x->forces |= k;
          rows++;
        }
    x->row[rows++] = (limit_row){-1, JN_LIMIT_KINDS, 1}; /* of the clock itself */
    *(third ? &x->p.third : &x->p.second) = third ? rows - x->p.second : rows;
  }
}

static void fill_point(retiming *x, int n, const double *f[6]) {
  const int nv = x->nv;
  const double *v1 = x->v, *v2 = v1 + nv, *v3 = v2 + nv;
  jn_clock_problem *p = &x->p;
  for (int k = 0; k < p->second + p->third; k++) {
    const limit_row *r = &x->row[k];
    const int third = k >= p->second, i = r->iv;
    const size_t at = (size_t)(third ? k - p->second : k) * (size_t)p->stride + (size_t)n;
    if (i < 0) continue;
    const double s = 1 / r->scale, d = x->damping[i];
    if (r->kind == JN_LIMIT_ACCELERATION) {
      p->s0[at] = v2[i] * s, p->s1[at] = 0.5 * v1[i] * s;
    } else if (r->kind == JN_LIMIT_EFFORT) {
      p->s0[at] = f[1][i] * s, p->s1[at] = 0.5 * f[0][i] * s, p->sg[at] = f[2][i] * s;
      p->sd[at] = d * v1[i] * s;
    } else if (r->kind == JN_LIMIT_JERK) {
      p->r0[at] = v3[i] * s, p->r1[at] = 1.5 * v2[i] * s, p->r2[at] = 0.5 * v1[i] * s;
    } else {
      p->r0[at] = f[4][i] * s, p->r1[at] = 0.5 * f[3][i] * s, p->r2[at] = 0.5 * f[0][i] * s;
      p->rg[at] = f[5][i] * s;
      p->d0[at] = d * v2[i] * s, p->d1[at] = 0.5 * d * v1[i] * s;
    }
  }
}

/* What no clock can change: positions, static forces, joints that may not move. */
static void check_point(retiming *x, double u, const double *g) {
  for (int i = 0; i < x->nv; i++) {
    const int iq = x->coordinate[i];
    const jn_limit_range *r = range_of(x, i, JN_LIMIT_POSITION);
    if (iq >= 0 && is_limited(x, i, JN_LIMIT_POSITION)) {
      const double q = x->q[iq], slack = inside * size_of(r);
      if (q > r->high + slack || q < r->low - slack)
        note_breach(x, i, JN_LIMIT_POSITION, u, q, q > r->high ? r->high : r->low,
                    "change the path");
    }
    r = range_of(x, i, JN_LIMIT_EFFORT);
    if (g && is_limited(x, i, JN_LIMIT_EFFORT)) {
      const double slack = inside * size_of(r);
      if (g[i] > r->high - slack || g[i] < r->low + slack)
        note_breach(x, i, JN_LIMIT_EFFORT, u, g[i], g[i] > r->high - slack ? r->high : r->low,
                    "change the path, the load or the limit");
    }
    for (int kind = JN_LIMIT_VELOCITY; kind <= JN_LIMIT_JERK; kind++) {
      r = range_of(x, i, kind);
      const double v = x->v[(kind - JN_LIMIT_VELOCITY) * x->nv + i];
      if (!is_limited(x, i, kind) || r->low < 0 || r->high > 0 || fabs(v) < 1e-12) continue;
      note_breach(x, i, (jn_limit_kind)kind, u, v, 0,
                  "the joint may not move, but the path moves it");
    }
  }
}

static double velocity_cap(const retiming *x) {
  double cap = HUGE_VAL;
  for (int i = 0; i < x->nv; i++) {
    const jn_limit_range *r = range_of(x, i, JN_LIMIT_VELOCITY);
    const double v = x->v[i], limit = v > 0 ? r->high : r->low;
    if (v != 0 && isfinite(limit)) cap = fmin(cap, (limit / v) * (limit / v));
  }
  return cap;
}

static jn_status fill_rows(retiming *x) {
  const size_t nv = (size_t)x->nv;
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
  for (int n = 0; n < p->points; n++) {
    double *f = x->force;
    const double *part[6] = {f, f + nv, f + 2 * nv, f + 3 * nv, f + 4 * nv, f + 5 * nv};
    const double u = jn_clock_point(p, x->start, n);
    jn_status status = path_at(x, u);
    if (!status && x->forces)
      status = coefficients(x, f, f + nv, f + 2 * nv, f + 3 * nv, f + 4 * nv, f + 5 * nv);
    if (status) return status;
    check_point(x, u, x->forces ? part[2] : NULL);
    p->cap[n] = velocity_cap(x);
    fill_point(x, n, part);
  }
  return fail_at_breach(x);
}

static double largest_of(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
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
    const int count = third ? 6 : 4;
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
  for (int n = 0; n < p->points; n++) cap = fmin(cap, p->cap[n]);
  if (!isfinite(cap) && second + third == 0)
    return jn_fail(
        x->error, JN_ERR_ARGUMENT, NULL, 0,
        "no limit bounds the speed: limit the velocity, acceleration or force of a joint "
        "that moves");
  for (size_t n = 0; n < stride; n++) p->s1[second * stride + n] = s1 / WEAK;
  for (int n = 0; n < p->points; n++) p->cap[n] = fmin(p->cap[n], 1e200);
  const double b = jn_clock_uniform(p);
  if (!(b > 0))
    return jn_fail(x->error, JN_ERR_INFEASIBLE, NULL, 0, "no clock keeps the limits, however slow");
  for (int n = 0; n < p->points; n++) {
    double own = 0;
    for (size_t k = 0; k < second; k++) own = fmax(own, fabs(p->s1[k * stride + (size_t)n]));
    p->r2[third * stride + (size_t)n] =
        third ? r2 / WEAK : 0.5 * SWITCH * p->h * (own + 0.1 * s1) / sqrt(b);
    p->cap[n] = fmin(p->cap[n], 1e4 * b);
  }
  return JN_OK;
}

/* Memory. */

static jn_status place(retiming *x) {
  jn_clock_problem *p = &x->p;
  const size_t nv = (size_t)x->nv, nq = (size_t)x->nq, rows = 4 * nv + 2;
  p->cells = x->options.intervals;
  p->points = jn_clock_points(p->cells);
  p->stride = (p->points + 7) / 8 * 8;
  x->row = jn_block_new(&x->hooks, rows, sizeof *x->row);
  x->coordinate = jn_block_new(&x->hooks, nv + 1, sizeof *x->coordinate);
  x->numbers = jn_block_new(&x->hooks, nq + 24 * nv + 1, sizeof(double));
  if (!x->row || !x->coordinate || !x->numbers) return JN_ERR_MEMORY;
  double *at = x->numbers;
  x->q = at, at += nq;
  x->v = at, at += 3 * nv;
  x->w = at, at += 3 * nv;
  x->tau = at, at += 6 * nv;
  x->force = at, at += 6 * nv;
  x->size = at, at += 2 * nv;
  x->damping = at;
  for (int i = 0; i < jn_model_body_count(x->model); i++) {
    const jn_joint *j = jn_model_joint(x->model, i);
    for (int c = 0; c < j->nv; c++) {
      x->coordinate[j->iv + c] = j->nq == j->nv ? j->iq + c : -1;
      x->damping[j->iv + c] = jn_data_settings(x->data)->damping ? j->damping : 0;
    }
  }
  for (size_t i = 0; i < nv; i++) p->damped |= x->damping[i] > 0;
  list_rows(x);
  const size_t stride = (size_t)p->stride, second = (size_t)p->second * stride,
               third = (size_t)p->third * stride, knots = (size_t)p->cells + 1;
  x->table =
      jn_block_new(&x->hooks, 4 * second + 6 * third + 2 * rows + 4 * stride + knots + 5 * knots,
                   sizeof(double));
  if (!x->table) return JN_ERR_MEMORY;
  at = x->table;
  double **const of_second[] = {&p->s0, &p->s1, &p->sg, &p->sd};
  double **const of_third[] = {&p->r0, &p->r1, &p->r2, &p->rg, &p->d0, &p->d1};
  double **const of_points[] = {&p->cap, &x->solution.b, &x->solution.b1, &x->solution.b2};
  for (int i = 0; i < 4; i++) *of_second[i] = at, at += second;
  for (int i = 0; i < 6; i++) *of_third[i] = at, at += third;
  for (int i = 0; i < 4; i++) *of_points[i] = at, at += stride;
  p->high = at, at += rows;
  p->low = at, at += rows;
  x->solution.c = at, at += knots;
  x->clock = at;
  return JN_OK;
}

void jn_retime_release(retiming *x) {
  jn_block_free(&x->hooks, x->row);
  jn_block_free(&x->hooks, x->coordinate);
  jn_block_free(&x->hooks, x->numbers);
  jn_block_free(&x->hooks, x->table);
  jn_trajectory_free(x->own);
}

jn_status jn_retime_rows(retiming *x) {
  jn_status status = place(x);
  if (status) return status;
  jn_settings *settings = jn_data_settings(x->data);
  const int damping = settings->damping;
  if (!status) status = measure(x);
  if (!status) status = rest_ends(x);
  if (!status && x->own) {
    memset(x->size, 0, 2 * (size_t)x->nv * sizeof *x->size);
    status = measure(x);
  }
  if (!status) status = check_jumps(x);
  if (status) return status;
  x->start = jn_trajectory_start(x->path);
  x->p.h = (jn_trajectory_end(x->path) - x->start) / x->p.cells;
  settings->damping = 0; /* it is added to the rows */
  status = fill_rows(x);
  settings->damping = damping;
  if (status) return status;
  drop_rows(x);
  return limit_clock(x);
}

static jn_status run(retiming *x, jn_trajectory **out, jn_retime_report *report) {
  jn_status status = check_ranges(x);
  if (!status) status = jn_retime_rows(x);
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
  if (!model || !data || !path || !range || !out || o.intervals < 16 || !(o.tolerance > 0) ||
      !(o.tolerance < 1) || (int)o.ends < 0 || o.ends > JN_ENDS_FREE)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "an argument is NULL or out of range: 16 to %d intervals, tolerance between 0 "
                   "and 1",
                   JN_MAX_INTERVALS);
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
