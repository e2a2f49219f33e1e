/* variational.c: the discrete Euler-Lagrange equations on the group, in position-momentum form.
 *
 * In a step of length h a body turns from R to R exp(w) and its centre of mass moves by d. Its
 * kinetic part of the discrete Lagrangian is (m |d|^2 + w^T I w)/(2 h). The derivatives are the
 * momenta at both ends of the step:
 *
 *   f  = m d/h                                         in world axes
 *   n0 = dexp_left(w)^-T I w/h                         about the centre of mass, body axes at 0
 *   n1 = dexp_right(w)^-T I w/h = exp(w)^T n0          the same, body axes at 1
 *
 * n0 and n1 are the same angular momentum in world axes. With J^T the projection on the joints, and
 * potential and forces as kicks of half a step at each end:
 *
 *   J(q0)^T (n0, f) = p0 + h/2 (tau0 - g(q0))          solved for dq, q1 = q0 exp(dq)
 *   p1 = J(q1)^T (n1, f) + h/2 (tau1 - g(q1))
 *   v1 = M(q1)^-1 p1
 *
 * The Newton matrix is approximated by M(q0)/h. Its inverse is a forward dynamics call at rest:
 * O(n) per iteration.
 *
 * Constraints c(q, t) = 0, u the velocity of the world's sides, act by impulses at both ends of a step (RATTLE):
 *
 *   J(q0)^T (n0, f) = p0 + h/2 (tau0 - g(q0)) + J_c(q0)^T x    with c(q1) = 0
 *   p1 = J(q1)^T (n1, f) + h/2 (tau1 - g(q1)) + J_c(q1)^T y    with J_c(q1) v1 = u1
 *
 * The iteration projects its steps on J_c(q0) delta = 0 and moves q1 to the manifold. */
#include <jounce/kinematics.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "core/constraints/project.h"
#include "integrate/simulation.h"
#include "model/data.h"

enum { MOST_ITERATIONS = 60 };

static void set_gravity(jn_simulation *s, int on) {
  jn_settings *settings = jn_data_settings(s->data);
  settings->gravity = on ? s->gravity : jn_v3(0, 0, 0);
  settings->damping = 0;
}

/* inverse dynamics at rest: M a + g (gravity on or off) - J^T (wrenches) */
static jn_status at_rest(jn_simulation *s, const double *q, const double *a, int gravity,
                         const jn_external *external, double *out) {
  double *v = s->at.k;
  size_t nv = (size_t)s->nv;
  memset(v, 0, sizeof *v * 2 * nv);
  if (a) memcpy(v + nv, a, sizeof *v * nv);
  set_gravity(s, gravity);
  s->statistics.dynamics++;
  return jn_inverse_dynamics(s->model, s->data, 0, q, v, external, out);
}

jn_status jn_variational_momentum(jn_simulation *s, jn_point x) {
  return s->nv ? at_rest(s, x.q, x.v, 0, NULL, x.p) : JN_OK;
}

/* Poses of the bodies, in the world. */
static jn_status place(jn_simulation *s, const double *q, jn_pose *poses) {
  jn_status status = jn_kinematics(s->model, s->data, -1, q, NULL);
  for (int i = 0; i < s->model->nbody && !status; i++)
    status = jn_frame_pose(s->model, s->data, s->model->body[i].frame, &poses[i]);
  return status;
}

/* Momenta of the bodies at the start (end = 0) or the end (end = 1) of the step, as wrenches in
 * their frames. */
static void momenta(jn_simulation *s, int end, double h) {
  const jn_pose *C0 = s->poses, *C1 = s->poses + s->model->nbody;
  for (int i = 0; i < s->model->nbody; i++) {
    const jn_inertia I = s->model->body[i].inertia;
    double m;
    jn_vec3 c;
    jn_mat3 J;
    jn_inertia_about_com(I, &m, &c, &J);
    const jn_vec3 w = jn_so3_log(jn_m3_mul(jn_m3_transpose(C0[i].R), C1[i].R));
    const jn_vec3 d = jn_v3_add(jn_v3_sub(C1[i].p, C0[i].p),
                                jn_v3_sub(jn_m3_apply(C1[i].R, c), jn_m3_apply(C0[i].R, c)));
    const jn_mat3 A = end ? jn_so3_dexp_right_inv(w) : jn_so3_dexp_left_inv(w);
    const jn_vec3 n = jn_m3_apply_t(A, jn_v3_scale(1 / h, jn_m3_apply(J, w)));
    const jn_vec3 f = jn_m3_apply_t(end ? C1[i].R : C0[i].R, jn_v3_scale(m / h, d));
    store_vec(s->at.momenta + 6 * i, jn_v3_add(n, jn_v3_cross(c, f)));
    store_vec(s->at.momenta + 6 * i + 3, f);
  }
}

/* J^T (momenta) and the armatures' momenta for joint displacements dq, at the start (end = 0) or
 * the end (end = 1) of the step */
static jn_status project(jn_simulation *s, const double *q, int end, double h, const double *dq,
                         double *out) {
  const jn_model *m = s->model;
  const jn_external external = {m->nbody, s->impulses, NULL};
  momenta(s, end, h);
  jn_status status = at_rest(s, q, NULL, 0, &external, out);
  if (status) return status;
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    double f = j->armature / h;
    if (j->type == JN_JOINT_SPHERICAL && f != 0) {
      const jn_vec3 x = load_vec(dq + j->iv);
      const jn_mat3 A = end ? jn_so3_dexp_right_inv(x) : jn_so3_dexp_left_inv(x);
      const jn_vec3 y = jn_m3_apply_t(A, jn_v3_scale(f, x));
      store_vec(out + j->iv, jn_v3_sub(load_vec(out + j->iv), y));
    } else if (j->type != JN_JOINT_FREE) {
      for (int c = j->iv; c < j->iv + j->nv; c++) out[c] -= f * dq[c];
    }
  }
  for (int i = 0; i < s->nv; i++) out[i] = -out[i];
  return JN_OK;
}

/* p = from + h/2 (tau - g) at the state x */
static jn_status kick(jn_simulation *s, double t, jn_point x, double h, const double *from,
                      double *p) {
  jn_status status = jn_force_at(s, t, x, 1);
  if (status) return status;
  double *g = s->at.y;
  jn_external external = s->applied;
  if ((status = at_rest(s, x.q, NULL, 1, &external, g))) return status;
  for (int i = 0; i < s->nv; i++) p[i] = from[i] + 0.5 * h * (s->at.tau[i] - g[i]);
  return JN_OK;
}

/* Initial guess of dq: extrapolated from the last two steps, else h v + h^2 v'/2. */
static jn_status guess(jn_simulation *s, double h, double *dq) {
  size_t nv = (size_t)s->nv;
  const double *last = s->at.step + nv, *before = last + nv;
  if (s->history >= 2 && h == s->history_h) {
    for (size_t i = 0; i < nv; i++) dq[i] = 2 * last[i] - before[i];
    return JN_OK;
  }
  double *y = s->at.y, *dy = s->at.dense;
  set_gravity(s, 1);
  jn_chart_start(s, y);
  jn_status status = jn_force_at(s, s->t_start, s->start, 1);
  if (!status && s->closed) status = jn_world_at(s, s->t_start, 0);
  if (!status) status = jn_accelerate(s, 0, s->start.q, s->start.v, s->at.tau, &s->applied, dy);
  for (size_t i = 0; i < nv && !status; i++) dq[i] = h * (s->start.v[i] + 0.5 * h * dy[i]);
  return status;
}

/* Residual of the equation for dq. The base's position is zero at the start of the step (s->trial),
 * so that no digits are lost far from the origin. */
static jn_status try_dq(jn_simulation *s, double h, const double *dq, double *residual) {
  const double *rhs = s->at.residual + s->nv;
  jn_status status = jn_integrate(s->model, s->trial.q, dq, s->out.q);
  if (!status) status = place(s, s->out.q, s->poses + s->model->nbody);
  if (status) return status;
  status = project(s, s->trial.q, 0, h, dq, residual);
  for (int i = 0; i < s->nv && !status; i++) residual[i] = rhs[i] - residual[i];
  return status;
}

/* Bounds on the corrections of positions (rad, m) and of velocities: converged to rounding; near
 * rounding, where they need not decrease any more; diverged */
#define ROUNDING 1e-15
#define NEAR_ROUNDING 1e-11
#define DIVERGED 1e3
#define VELOCITY_ROUNDING 1e-13
#define VELOCITY_NEAR_ROUNDING 1e-9

/* JN_ERR_LIMIT, and why: `what` is not found. */
static jn_status too_long(jn_simulation *s, double h, const char *what) {
  return jn_stop(
      s, JN_ERR_LIMIT,
      "a variational step of %g s from t = %g is too long: %d iterations do not give the "
      "%s at its end (the fastest joint moves by %g rad or m in it); shorten the step, "
      "or use scheme taylor or radau",
      h, s->t_start, MOST_ITERATIONS, what, h * jn_largest(s->start.v, (size_t)s->nv));
}

/* delta = M^-1 r. With constraints M delta = r + J_c(q0)^T x, J_c(q0) delta = 0, then r := M delta is
 * what is left without the constraint forces; and the way from q1 to the manifold is added to
 * delta, divided by h. */
static jn_status correction(jn_simulation *s, double h, const double *dq, double *r,
                            double *delta) {
  jn_status status = jn_solve_mass(s, s->trial.q, r, delta);
  if (status || !s->closed) return status;
  double *way = s->at.way;
  if ((status = jn_world_at(s, s->t_start, -1))) return status;
  status =
      jn_project_velocity(s->model, s->data, s->start.q, delta, NULL, &s->closure, delta, NULL);
  if (!status) status = at_rest(s, s->trial.q, delta, 0, NULL, r);
  if (!status) status = jn_integrate(s->model, s->start.q, dq, s->next.q);
  if (!status) status = jn_world_at(s, s->t_start + h, -1);
  if (!status) status = jn_project_step(s->model, s->data, s->next.q, &s->closure, way);
  for (int i = 0; i < s->nv && !status; i++) delta[i] += way[i] / h;
  return status;
}

/* Quasi-Newton iteration until the correction is rounding, or stops decreasing near it. */
static jn_status solve(jn_simulation *s, double h) {
  int nv = s->nv;
  double *dq = s->at.step, *r = s->at.residual, *delta = r + 2 * nv, old = HUGE_VAL;
  jn_status status = guess(s, h, dq);
  for (int pass = 0; pass < MOST_ITERATIONS && !status; pass++) {
    if ((status = try_dq(s, h, dq, r))) break;
    if ((status = correction(s, h, dq, r, delta))) break;
    double size = h * jn_largest(delta, (size_t)nv);
    if (size < ROUNDING || (size < NEAR_ROUNDING && !(size < 0.5 * old))) return JN_OK;
    if (!(size < DIVERGED)) break;
    for (int i = 0; i < nv; i++) dq[i] += h * delta[i];
    old = size;
  }
  return status ? status : too_long(s, h, "positions");
}

/* p1 and v1. The forces at the end may depend on v1: fixed-point iteration. */
static jn_status end_of_step(jn_simulation *s, double h) {
  int nv = s->nv;
  double *p = s->at.residual + nv, *rest = s->at.residual;
  jn_status status = project(s, s->out.q, 1, h, s->at.step, p);
  if (status) return status;
  /* the residual that the solver leaves is added to the momentum, so that it does not accumulate */
  for (int i = 0; i < nv; i++) p[i] += rest[i];
  if ((status = jn_integrate(s->model, s->start.q, s->at.step, s->next.q))) return status;
  memcpy(s->next.v, s->start.v, sizeof(double) * (size_t)nv);
  if (s->closed && (status = jn_world_at(s, s->t_start + h, 0))) return status;
  double change = HUGE_VAL;
  for (int pass = 0; pass < MOST_ITERATIONS; pass++) {
    if ((status = kick(s, s->t_start + h, s->next, h, p, s->next.p))) return status;
    if ((status = jn_solve_mass(s, s->next.q, s->next.p, rest))) return status;
    if (s->closed && (status = jn_project_velocity(s->model, s->data, s->next.q, rest, NULL,
                                                   &s->closure, rest, NULL)))
      return status;
    double old = change;
    change = 0;
    for (int i = 0; i < nv; i++) {
      change = fmax(change, fabs(rest[i] - s->next.v[i]));
      s->next.v[i] = rest[i];
    }
    if (!s->depends_on_v || change == 0 || (change < VELOCITY_ROUNDING && !(change < old))) break;
  }
  if (s->depends_on_v && !(change < VELOCITY_NEAR_ROUNDING)) return too_long(s, h, "velocities");
  return s->closed ? jn_variational_momentum(s, s->next) : JN_OK;
}

jn_status jn_variational_step(jn_simulation *s, double t_max) {
  size_t nv = (size_t)s->nv;
  double h = jn_clip_step(s, s->o.step, t_max);
  s->h = h;
  s->has_rate = 0;
  if (nv == 0) return JN_OK;
  jn_status status = kick(s, s->t_start, s->start, h, s->start.p, s->at.residual + nv);
  if (status) return status;
  jn_point_copy(s, s->start, s->trial);
  if (jn_model_is_floating(s->model)) memset(s->trial.q + 4, 0, sizeof(double) * 3);
  if ((status = place(s, s->trial.q, s->poses)) || (status = solve(s, h))) return status;
  if ((status = end_of_step(s, h))) return status;
  /* store dq for the next initial guess and for dense output */
  double *dq = s->at.step;
  memcpy(dq + 2 * nv, dq + nv, sizeof *dq * nv);
  memcpy(dq + nv, dq, sizeof *dq * nv);
  s->history = h == s->history_h ? s->history + 1 : 1;
  s->history_h = h;
  memcpy(s->at.y_end, dq, sizeof *dq * nv);
  memcpy(s->at.y_end + nv, s->next.v, sizeof *dq * nv);
  jn_settings_restore(s);
  return JN_OK;
}
