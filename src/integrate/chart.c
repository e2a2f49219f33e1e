/* chart.c: the equations of motion in a chart around the start of a step.
 *
 *   y = (xi, v, theta, theta'),   q = q_start exp(xi)
 *
 * The Munthe-Kaas schemes integrate y; dense output interpolates it.
 *
 * The momentum scheme has other coordinates for the base. Instead of xi: its rotation vector and
 * the displacement of the centre of mass c. Instead of its twist: the angular momentum L about c
 * and the linear momentum P, in world axes:
 *
 *   c' = P/m
 *   P' = m g + f
 *   L' = n, the moment about c
 *
 * The base's position and twist are solved from them. Without applied forces and gravity, L and P
 * are constant to the last bit and c moves on a straight line; the spatial momentum
 * (L + c x P, P) is then conserved as well. */
#include <jounce/kinematics.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "integrate/simulation.h"
#include "model/data.h"

/* Centre of mass, centroidal momentum and, unless matrix is NULL, the centroidal momentum matrix,
 * all with the base's position set to the origin. */
static jn_status centroidal(jn_simulation *s, jn_point x, double *com, double *L, double *matrix) {
  jn_momentum out = {.com = com, .centroidal = L, .matrix = matrix};
  double p[3];
  memcpy(p, x.q + 4, sizeof p);
  memset(x.q + 4, 0, sizeof p);
  jn_status status = jn_momentum_energy(s->model, s->data, 0, x.q, x.v, &out);
  memcpy(x.q + 4, p, sizeof p);
  return status;
}

jn_status jn_momentum_set(jn_simulation *s, jn_point x) {
  jn_status status = centroidal(s, x, x.p + 6, x.p, NULL);
  for (int i = 0; i < 3; i++) x.p[6 + i] += x.q[4 + i];
  return status;
}

/* The base's position p and twist V_b from c, L, P and the joints:
 *   p = c - c_0,   c_0: centre of mass with the base at the origin
 *   A_b V_b = (L, P) - A_j v_j,   A: centroidal momentum matrix */
jn_status jn_momentum_solve(jn_simulation *s, jn_point x) {
  double com[3], L[6], A[6][6], b[6];
  memset(x.v, 0, sizeof *x.v * 6);
  jn_status status = centroidal(s, x, com, L, s->at.matrix);
  if (status) return status;
  for (int i = 0; i < 3; i++) x.q[4 + i] = x.p[6 + i] - com[i];
  for (int r = 0; r < 6; r++) {
    b[r] = x.p[r] - L[r];
    for (int c = 0; c < 6; c++) A[r][c] = s->at.matrix[(size_t)r * (size_t)s->nv + (size_t)c];
  }
  int order[6];
  if (!jn_lu_factor(A, order, 0)) return JN_ERR_SINGULAR;
  jn_lu_solve((const double(*)[6])A, order, b, b);
  if (!jn_all_finite(b, 6)) return JN_ERR_NOT_FINITE;
  memcpy(x.v, b, sizeof b);
  return JN_OK;
}

/* (L', P') = sum of the external wrenches about c: gravity, the base's actuators (body
 * representation) and the applied wrenches. */
static jn_status outer_wrench(jn_simulation *s, jn_point x, const double *tau, double *rate) {
  const jn_vec3 o = load_vec(x.p + 6);
  jn_wrench sum = jn_wrench_make(jn_v3(0, 0, 0), jn_v3_scale(s->mass, s->gravity));
  if (s->applied.wrench_count > 0) {
    jn_status status = jn_kinematics(s->model, s->data, -1, x.q, NULL);
    if (status) return status;
  }
  for (int i = -1; i < s->applied.wrench_count; i++) {
    const jn_applied_wrench *a = i < 0 ? NULL : &s->applied.wrenches[i];
    const double *w = a ? a->wrench : tau;
    jn_representation rep = a ? a->representation : JN_BODY;
    jn_wrench W = jn_wrench_make(load_vec(w), load_vec(w + 3));
    jn_pose C = jn_pose_make(jn_quat_to_m3(jn_quat_make(x.q[0], x.q[1], x.q[2], x.q[3])),
                             load_vec(x.q + 4));
    if (a) {
      if (s->model->frame[a->frame].body < 0) continue;
      jn_status status = jn_frame_pose(s->model, s->data, a->frame, &C);
      if (status) return status;
    }
    /* to world axes at the frame's origin, then moved to c */
    jn_vec3 arm = jn_v3_sub(rep == JN_SPATIAL ? jn_v3(0, 0, 0) : C.p, o);
    if (rep == JN_BODY || rep == JN_MIXED) W.n = jn_m3_apply(C.R, W.n);
    if (rep == JN_BODY) W.f = jn_m3_apply(C.R, W.f);
    W.n = jn_v3_add(W.n, jn_v3_cross(arm, W.f));
    sum = jn_wrench_add(sum, W);
  }
  store_vec(rate, sum.n);
  store_vec(rate + 3, sum.f);
  return JN_OK;
}

/* (L', P') from v', where constraint forces of the world act: rate[nv] = v' on entry */
static jn_status momentum_rate(jn_simulation *s, jn_point x, double *rate) {
  const size_t nv = (size_t)s->nv;
  double *v = s->at.a, L[12];
  const jn_momentum out = {.centroidal = L};
  memcpy(v, x.v, sizeof *v * nv);
  memcpy(v + nv, rate, sizeof *v * nv);
  jn_status status = jn_momentum_energy(s->model, s->data, 1, x.q, v, &out);
  if (!status) memcpy(rate, L + 6, sizeof(double) * 6);
  return status;
}

void jn_chart_start(const jn_simulation *s, double *y) {
  size_t nv = (size_t)s->nv, ne = (size_t)s->ne;
  memset(y, 0, sizeof *y * nv);
  memcpy(y + nv, s->start.v, sizeof *y * nv);
  if (s->o.scheme == JN_MOMENTUM) memcpy(y + nv, s->start.p, sizeof *y * 6);
  if (!ne) return;
  memcpy(y + 2 * nv, s->start.theta, sizeof *y * ne);
  memcpy(y + 2 * nv + ne, s->start.theta_dot, sizeof *y * ne);
}

jn_status jn_chart_point(jn_simulation *s, const double *y, jn_point x) {
  size_t nv = (size_t)s->nv, ne = (size_t)s->ne;
  jn_group_step(s->model, s->start.q, y, x.q);
  if (!jn_all_finite(x.q, (size_t)s->nq)) return JN_ERR_NOT_FINITE;
  if (nv) memcpy(x.v, y + nv, sizeof *y * nv);
  if (ne) {
    memcpy(x.theta, y + 2 * nv, sizeof *y * ne);
    memcpy(x.theta_dot, y + 2 * nv + ne, sizeof *y * ne);
  }
  if (s->o.scheme != JN_MOMENTUM) return JN_OK;
  memcpy(x.p, y + nv, sizeof *y * 6);
  for (int i = 6; i < 9; i++) {
    /* compensated sum: p[i + 3] is the rounding error of c, so that c stays on its line over a
     * million steps */
    double c = s->start.p[i], d = y[i - 3] + s->start.p[i + 3];
    x.p[i] = c + d;
    x.p[i + 3] = d - (x.p[i] - c);
  }
  return jn_momentum_solve(s, x);
}

jn_status jn_chart_derivative(jn_simulation *s, double t, const double *y, double *dy) {
  size_t nv = (size_t)s->nv, ne = (size_t)s->ne;
  jn_point x = s->trial;
  jn_status status = jn_chart_point(s, y, x);
  if (!status && s->closed) status = jn_world_at(s, t, 0);
  if (!status && s->closed) status = jn_close_stage(s, x);
  if (status || (status = jn_force_at(s, t, x, 0))) return status;
  status = jn_accelerate(s, 0, x.q, x.v, s->at.tau, &s->applied, dy + nv);
  if (status) return status;
  jn_chart_rate(s->model, y, x.v, dy);
  if (s->o.scheme == JN_MOMENTUM)
    for (int i = 0; i < 3; i++) dy[3 + i] = x.p[3 + i] / s->mass;
  for (size_t i = 0; i < ne; i++) {
    double K = s->at.motor_stiffness[i], *rate = dy + 2 * nv + i;
    rate[0] = K > 0 ? x.theta_dot[i] : 0.0;
    rate[ne] = K > 0 ? s->at.drive[i] / s->at.motor_inertia[i] : 0.0;
  }
  if (s->o.scheme != JN_MOMENTUM) return JN_OK;
  return s->closed && s->grounded ? momentum_rate(s, x, dy + nv)
                                  : outer_wrench(s, x, s->at.tau, dy + nv);
}

/* Dense output: the Dormand-Prince interpolant of order 4, or the cubic Hermite polynomial. */
jn_status jn_chart_dense(jn_simulation *s, double time, jn_point x) {
  size_t n = (size_t)s->n;
  const double *k0 = s->at.k, *k6 = s->at.k + 6 * n;
  double h = s->h, u = time / h, *y = s->at.y;
  if (!s->has_dense) {
    jn_settings_restore(s);
    jn_chart_start(s, y);
    jn_status status = jn_chart_derivative(s, s->t_start, y, s->at.k);
    if (!status) status = jn_chart_derivative(s, s->t_start + h, s->at.y_end, s->at.k + 6 * n);
    if (status) return status;
    memset(s->at.dense, 0, sizeof(double) * n);
    s->has_dense = 1;
  }
  jn_chart_start(s, y);
  for (size_t i = 0; i < n; i++) {
    double d = s->at.y_end[i] - y[i], b = h * k0[i] - d, c = d - h * k6[i] - b;
    y[i] += u * (d + (1 - u) * (b + u * (c + (1 - u) * s->at.dense[i])));
  }
  return jn_chart_point(s, y, x);
}
