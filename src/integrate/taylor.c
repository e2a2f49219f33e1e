/* taylor.c: Taylor integrator of any order.
 *
 * One call of forward dynamics of order r gives v_0 ... v_N, N = r + 1, the Taylor coefficients of
 * the velocity. Those of the configuration follow in local coordinates, where every vector is a
 * configuration:
 *
 *   angle, displacement   (k+1) x_(k+1) = v_k
 *   rotation R0 exp(xi)   xi' = w + xi x w/2 + d(|xi|^2) xi x (xi x w)
 *                         d(t) = 1/12 + t/720 + t^2/30240 + ...
 *   position p0 + R z     z' = v - w x z                                z in the moving frame
 *
 * The polynomial is evaluated in these coordinates. The result is therefore on the group, whatever
 * the truncation error. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "integrate/joint_jet.h"
#include "integrate/simulation.h"
#include "model/data.h"

#define LONGEST 1048576.0 /* s, of a step without any bound */
#define UNIT 4.5e-16      /* rounding of a number of the state, relative */
#define GROWTH 16.0       /* most of a step to the next */
#define USUAL 1.5         /* growth up to which the last two terms are trusted without a look */
#define DEFECT 4.0        /* bound on the defect times the step, in units of the tolerance */
#define MISSED 0.01       /* part of a friction that the polynomial of a fixed step may miss */
#define NOISE 16.0        /* a defect below this many times its own rounding is none */

/* x^-n */
static double reciprocal_power(double x, int n) {
  double p = 1;
  for (int i = 0; i < n; i++) p /= x;
  return p;
}

/* Coefficients of d, from the Bernoulli numbers: |B_(2m+2)|/(2m+2)! = 2 zeta(2m+2)/(2 pi)^(2m+2) */
void jn_taylor_begin(jn_simulation *s) {
  static const double first[3] = {1.0 / 12, 1.0 / 720, 1.0 / 30240};
  const double turn = 6.283185307179586476925;
  for (int m = 0; m <= s->rows / 2; m++) {
    double zeta = 0;
    for (int n = 40; n >= 1; n--) zeta += reciprocal_power(n, 2 * m + 2);
    s->at.bernoulli[m] = m < 3 ? first[m] : 2 * zeta * reciprocal_power(turn, 2 * m + 2);
  }
}

/* Coefficients 1 ... N+1 of the configuration. */
static void configuration_jets(const jn_simulation *s) {
  const size_t nv = (size_t)s->nv;
  int N = s->degree;
  for (int k = 0; k <= N; k++)
    for (size_t i = 0; i < nv; i++)
      s->at.X[(size_t)(k + 1) * nv + i] = s->at.V[(size_t)k * nv + i] / (k + 1);
  for (int i = 0; i < s->model->nbody; i++) {
    const jn_joint *j = &s->model->joint[i];
    if (!joint_has_quaternion(j)) continue;
    rotation_jet(N, (size_t)s->rows + 1, s->at.bernoulli, s->at.rotation, s->at.powers, nv,
                 s->at.V + j->iv, s->at.X + j->iv);
    if (j->type == JN_JOINT_FREE) position_jet(N, nv, s->at.V + j->iv, s->at.X + j->iv + 3);
  }
}

/* Forward dynamics of order K from the force coefficients: gives V up to order K+1. */
static jn_status dynamics(jn_simulation *s, int K) {
  const size_t nv = (size_t)s->nv, n = ((size_t)K + 1) * nv;
  double *tau = s->at.tau;
  memcpy(tau, s->at.force, sizeof *tau * n);
  jn_jet_to_derivatives(K, s->nv, tau);
  jn_status status = jn_accelerate(s, K, s->start.q, s->start.v, tau, &s->external, s->at.V + nv);
  if (!status) jn_jet_to_taylor(K + 1, s->nv, s->at.V);
  return status;
}

/* Coefficient k of y = tanh(u), u = v/width: y' = g u', g = 1 - y^2; coefficient k of g is stored
 * as well. */
static double slip_order(const jn_simulation *s, int k, size_t i) {
  const size_t nv = (size_t)s->nv;
  double *y = s->at.slip + i, *g = s->at.slip + (size_t)s->rows * nv + i,
         width = s->o.forces.friction_width;
  const double *v = s->at.V + i;
  double sum = 0;
  if (k == 0) y[0] = jn_tanh(v[0] / width);
  for (int j = 1; j <= k; j++) sum += j * v[(size_t)j * nv] / width * g[(size_t)(k - j) * nv];
  if (k) y[(size_t)k * nv] = sum / k;
  sum = k ? 0 : 1;
  for (int j = 0; j <= k; j++) sum -= y[(size_t)j * nv] * y[(size_t)(k - j) * nv];
  g[(size_t)k * nv] = sum;
  return y[(size_t)k * nv];
}

/* Coefficient k of the force from coefficients 0 ... k of positions and velocities. */
static void force_order(const jn_simulation *s, int k) {
  const size_t nv = (size_t)s->nv, row = (size_t)k * nv;
  const jn_arrays *a = &s->at;
  for (int b = 0; b < s->model->nbody; b++) {
    const jn_joint *j = &s->model->joint[b];
    for (int c = 0; c < j->nv; c++) {
      size_t i = (size_t)(j->iv + c);
      double x = j->nq != j->nv ? 0.0 : k ? a->X[row + i] : s->start.q[j->iq + c];
      double *tau = a->force + row + i;
      if (s->ne && a->motor_stiffness[i] > 0) {
        *tau = a->motor_stiffness[i] * (a->theta[row + i] - x);
        a->theta[row + 2 * nv + i] =
            (a->drive[row + i] - *tau) / (a->motor_inertia[i] * (k + 1) * (k + 2));
      }
      if (a->stiffness[i] != 0) *tau -= a->stiffness[i] * (k ? x : x - a->rest[i]);
      if (a->damping[i] != 0) *tau -= a->damping[i] * a->V[row + i];
      if (a->friction[i] != 0) *tau -= a->friction[i] * slip_order(s, k, i);
    }
  }
}

/* Jets with forces that depend on the state. A dynamics call of order K gives v up to order K+1;
 * from it follows the next order of the force, or the next two if it depends on positions only. */
static jn_status jets_with_feedback(jn_simulation *s) {
  const size_t nv = (size_t)s->nv;
  int r = s->order, known = 0;
  if (s->ne) {
    memcpy(s->at.theta, s->start.theta, sizeof(double) * nv);
    memcpy(s->at.theta + nv, s->start.theta_dot, sizeof(double) * nv);
  }
  memset(s->at.X, 0, sizeof(double) * nv);
  for (size_t i = 0; i < nv; i++) s->at.X[nv + i] = s->at.V[i];
  for (int K = s->feedback == 2 || r == 0 ? 0 : 1;;) {
    for (; known <= K; known++) force_order(s, known);
    jn_status status = dynamics(s, K);
    if (status || K == r) return status;
    for (int k = 1; k <= K + 1; k++)
      for (size_t i = 0; i < nv; i++)
        s->at.X[(size_t)(k + 1) * nv + i] = s->at.V[(size_t)k * nv + i] / (k + 1);
    K += s->feedback == 2 ? 1 : 2;
    if (K > r) K = r;
  }
}

/* All Taylor coefficients at the start of the step. */
static jn_status jets(jn_simulation *s) {
  const size_t nv = (size_t)s->nv, rows = (size_t)s->order + 1;
  double *drive = s->at.drive;
  jn_status status = jn_force_of_time(s, s->t_start, s->order);
  if (!status && s->closed) status = jn_world_at(s, s->t_start, s->order);
  if (status) return status;
  if (s->watched) {
    memcpy(s->at.push, drive, sizeof(double) * rows * nv);
    for (size_t i = 0; i < nv; i++) s->at.push[i] -= s->at.constant[i];
    jn_jet_to_taylor(s->order, s->nv, s->at.push);
  }
  if (s->external.wrench_count > s->applied.wrench_count)
    for (size_t k = 0; k < rows; k++) {
      memcpy(s->at.base_wrench + 6 * k, drive + k * nv, sizeof(double) * 6);
      memset(drive + k * nv, 0, sizeof(double) * 6);
    }
  jn_jet_to_taylor(s->order, s->nv, drive);
  memcpy(s->at.force, drive, sizeof(double) * rows * nv);
  memcpy(s->at.V, s->start.v, sizeof(double) * nv);
  status = s->feedback ? jets_with_feedback(s) : dynamics(s, s->order);
  if (!status) configuration_jets(s);
  return status;
}

/* Max norm of the coefficients of order k: positions and motors relative to 1, velocities relative
 * to 1 + max |v|. */
static double size_of_order(const jn_simulation *s, int k) {
  const size_t nv = (size_t)s->nv, row = (size_t)k * nv;
  double scale = 1, most = 0;
  for (size_t i = 0; i < nv; i++)
    if (fabs(s->at.V[i]) + 1 > scale) scale = fabs(s->at.V[i]) + 1;
  for (size_t i = 0; i < nv; i++) {
    double x = fabs(s->at.X[row + i]), v = fabs(s->at.V[row + i]) / scale;
    double y = s->ne ? fabs(s->at.theta[row + i]) : 0.0;
    if (!(x <= most)) most = x;
    if (!(v <= most)) most = v;
    if (!(y <= most)) most = y;
  }
  return most;
}

/* Step length of Jorba and Zou: the last two terms equal the tolerance; with a safety factor. */
static double step_length(const jn_simulation *s) {
  int N = s->degree;
  double h = LONGEST;
  for (int k = N - 1; k <= N; k++) {
    double x = size_of_order(s, k);
    if (x > 0) h = fmin(h, jn_pow(s->o.tolerance / x, 1.0 / k));
  }
  return h * jn_exp(-0.7 / (N - 1));
}

/* x_0 + x_1 u + ... + x_N u^N, by Horner's rule */
static void evaluate(const double *x, int N, size_t n, double u, double *out) {
  for (size_t i = 0; i < n; i++) out[i] = x[(size_t)N * n + i];
  for (int k = N - 1; k >= 0; k--)
    for (size_t i = 0; i < n; i++) out[i] = out[i] * u + x[(size_t)k * n + i];
}

jn_status jn_taylor_dense(jn_simulation *s, double time, jn_point x) {
  const size_t nv = (size_t)s->nv;
  double *xi = s->at.tau;
  if (nv == 0) return JN_OK;
  evaluate(s->at.X, s->degree + 1, nv, time, xi);
  evaluate(s->at.V, s->degree, nv, time, x.v);
  for (int i = 0; i < s->model->nbody; i++) {
    const jn_joint *j = &s->model->joint[i];
    chart_point(j->type == JN_JOINT_FREE  ? GROUP_FREE
                : joint_has_quaternion(j) ? GROUP_SPHERICAL
                                          : GROUP_PLAIN,
                j->nv, s->start.q + j->iq, xi + j->iv, x.q + j->iq);
  }
  if (!s->ne) return JN_OK;
  /* theta and its rate, whose coefficients are (k+1) theta_(k+1) */
  int N = s->degree;
  evaluate(s->at.theta, N, nv, time, x.theta);
  for (size_t i = 0; i < nv; i++) {
    double rate = N * s->at.theta[(size_t)N * nv + i];
    for (int k = N - 1; k >= 1; k--) rate = rate * time + k * s->at.theta[(size_t)k * nv + i];
    x.theta_dot[i] = rate;
  }
  return JN_OK;
}

/* x_1 + 2 x_2 u + ... + N x_N u^(N-1) */
static void evaluate_rate(const double *x, int N, size_t n, double u, double *out) {
  for (size_t i = 0; i < n; i++) out[i] = N * x[(size_t)N * n + i];
  for (int k = N - 1; k >= 1; k--)
    for (size_t i = 0; i < n; i++) out[i] = out[i] * u + k * x[(size_t)k * n + i];
}

/* v' by forward dynamics at the state x, `time` seconds after the start of the step */
static jn_status acceleration(jn_simulation *s, double time, jn_point x, double *a) {
  jn_status status = s->closed ? jn_world_at(s, s->t_start + time, 0) : JN_OK;
  if (!status && s->closed) status = jn_close_stage(s, x);
  if (status || (status = jn_force_at(s, s->t_start + time, x, 0))) return status;
  return jn_accelerate(s, 0, x.q, x.v, s->at.tau, &s->applied, a);
}

static double largest_difference(const double *x, const double *y, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= most)) most = fabs(x[i] - y[i]);
  return most;
}

/* Defect of the rotations: xi' - dexp_right(xi)^-1 w, xi from the polynomials */
static double rotation_defect(const jn_simulation *s, double time, const double *v) {
  const size_t nv = (size_t)s->nv;
  double most = 0;
  for (int i = 0; i < s->model->nbody; i++) {
    const jn_joint *j = &s->model->joint[i];
    if (!joint_has_quaternion(j)) continue;
    double xi[3] = {0}, rate[3] = {0};
    for (int k = s->degree + 1; k >= 0; k--)
      for (int c = 0; c < 3; c++) {
        const double x = s->at.X[(size_t)k * nv + (size_t)(j->iv + c)];
        xi[c] = xi[c] * time + x;
        if (k > 0) rate[c] = rate[c] * time + k * x;
      }
    const jn_vec3 w = jn_m3_apply(jn_so3_dexp_right_inv(load_vec(xi)), load_vec(v + j->iv));
    const double d = jn_v3_norm(jn_v3_sub(load_vec(rate), w));
    if (!(d <= most)) most = d;
  }
  return most;
}

/* Defect of the motors: theta'' - (drive - K (theta - q))/B, with the right-hand side of
 * jn_force_at in s->at.drive */
static double motor_defect(const jn_simulation *s, double time) {
  const size_t nv = (size_t)s->nv;
  double most = 0;
  for (size_t i = 0; s->ne && i < nv; i++) {
    double rate = 0;
    for (int k = s->degree; k >= 2; k--)
      rate = rate * time + k * (k - 1) * s->at.theta[(size_t)k * nv + i];
    const double K = s->at.motor_stiffness[i],
                 d = K > 0 ? fabs(rate - s->at.drive[i] / s->at.motor_inertia[i]) : 0;
    if (!(d <= most)) most = d;
  }
  return most;
}

/* x_0 + x_1 u + ... + x_N u^N of one degree of freedom, and its rate */
static double at_time(const double *x, int N, size_t n, double u, double *rate) {
  double sum = x[(size_t)N * n], slope = 0;
  for (int k = N - 1; k >= 0; k--) {
    slope = slope * u + sum;
    sum = sum * u + x[(size_t)k * n];
  }
  *rate = slope;
  return sum;
}

/* tanh(v/width) minus its polynomial, of degree of freedom i at `time` */
static double slip_missed(const jn_simulation *s, size_t i, double time, double *rate) {
  const size_t nv = (size_t)s->nv;
  double unused;
  const double v = at_time(s->at.V + i, s->degree, nv, time, rate);
  return jn_tanh(v / s->o.forces.friction_width) -
         at_time(s->at.slip + i, s->order, nv, time, &unused);
}

/* Friction that slides is constant to the last digit: its series does not know that it turns around
 * with v, within the width, and the polynomials agree with each other beyond that. So the friction of
 * the velocities is compared with its polynomial, at places of the step and, between them, where v
 * turns. f[nv]: the largest differences; returns the largest of tanh. */
static double slips_missed(const jn_simulation *s, double *f) {
  enum { PLACES = 8 };
  const size_t nv = (size_t)s->nv;
  const double part = s->h / PLACES;
  double largest = 0;
  for (size_t i = 0; i < nv; i++) {
    double most = 0, before = s->at.V[nv + i], rate, unused;
    for (int j = 1; j <= PLACES && s->at.friction[i] != 0; j++) {
      double missed = slip_missed(s, i, part * j, &rate), turned = 0;
      if (before * rate < 0)
        turned = slip_missed(s, i, part * (j - rate / (rate - before)), &unused);
      if (!(fabs(missed) <= fabs(most))) most = missed;
      if (!(fabs(turned) <= fabs(most))) most = turned;
      before = rate;
    }
    f[i] = s->at.friction[i] * most;
    if (!(fabs(most) <= largest)) largest = fabs(most);
  }
  return largest;
}

/* error = M^-1 times what friction missed, times h, in units of the tolerance */
static jn_status slip_defect(jn_simulation *s, double *error) {
  const size_t nv = (size_t)s->nv;
  const double scale = 1 + jn_largest(s->next.v, nv);
  double *f = s->at.rate, *a = f + nv;
  *error = 0;
  if (slips_missed(s, f) == 0) return JN_OK;
  if (!jn_all_finite(f, nv)) return JN_ERR_NOT_FINITE;
  jn_status status = jn_solve_mass(s, s->start.q, f, a);
  if (!status) *error = s->h * jn_largest(a, nv) / scale / (DEFECT * s->o.tolerance);
  return status;
}

/* A fixed step in which the polynomial is not that of the friction. */
static jn_status check_slip(jn_simulation *s) {
  if (s->feedback < 2 || slips_missed(s, s->at.rate) <= MISSED) return JN_OK;
  return jn_stop(s, JN_ERR_LIMIT,
                 "friction turns around at t = %g within friction_width = %g of a velocity, faster "
                 "than the polynomials of a fixed step of %g s can follow: shorten it, or use a "
                 "tolerance, or scheme rkmk4",
                 s->t_start, s->o.forces.friction_width, s->h);
}

/* How far a rounding error of the state and of the time moves v', the largest component. */
static jn_status rounding_of_rate(jn_simulation *s, double time, jn_point x, const double *a,
                                  double *noise) {
  const size_t nv = (size_t)s->nv;
  jn_point y = s->out;
  double *dq = s->at.tau, *b = s->at.rate;
  jn_point_copy(s, x, y);
  for (size_t i = 0; i < nv; i++) {
    dq[i] = i % 2 ? -UNIT : UNIT;
    y.v[i] += dq[i] * fabs(x.v[i]);
  }
  for (int i = 0; i < s->model->nbody; i++) {
    const jn_joint *j = &s->model->joint[i];
    for (int c = 0; c < j->nv && j->nq == j->nv; c++) dq[j->iv + c] *= fabs(x.q[j->iq + c]);
  }
  jn_group_step(s->model, x.q, dq, y.q);
  jn_status status = acceleration(s, time, y, b);
  *noise = status ? 0 : largest_difference(a, b, nv);
  return status;
}

/* The defect of the polynomials at the end of the step (s->next), times its length, in units of the
 * tolerance: (v' - forward dynamics) h, (xi' - dexp^-1 w) h, (theta'' - motors) h. What rounding
 * explains is not counted. */
static jn_status defect(jn_simulation *s, double *error) {
  const size_t nv = (size_t)s->nv;
  const double h = s->h, scale = 1 + jn_largest(s->next.v, nv);
  double *rate = s->at.rate, *a = rate + nv;
  if (!jn_point_is_finite(s, s->next)) return JN_ERR_NOT_FINITE;
  jn_status status = acceleration(s, h, s->next, a);
  if (status) return status;
  evaluate_rate(s->at.V, s->degree, nv, h, rate);
  const double turn = rotation_defect(s, h, s->next.v), motors = motor_defect(s, h),
               d = fmax(largest_difference(rate, a, nv), motors);
  *error = h * fmax(d / scale, turn) / (DEFECT * s->o.tolerance);
  if (!(*error > 1)) return isnan(*error) ? JN_ERR_NOT_FINITE : JN_OK;
  double noise;
  if ((status = rounding_of_rate(s, h, s->next, a, &noise))) return status;
  if (d <= NOISE * noise && turn <= NOISE * UNIT * scale) *error = 1;
  return JN_OK;
}

/* h_next: GROWTH times the last step; 0 at the start. */
static jn_status adaptive_step(jn_simulation *s, double t_max) {
  double wish = step_length(s);
  if (s->h_next > 0 && wish > s->h_next) wish = s->h_next;
  const int check = s->watched || s->o.world_count || !(GROWTH * wish < USUAL * s->h_next);
  jn_trial trial = jn_trial_new(s, wish);
  for (;;) {
    double error = 0, cut = HUGE_VAL;
    jn_trial_begin(s, &trial, t_max);
    s->h = trial.h;
    jn_status status = jn_taylor_dense(s, s->h, s->next);
    if (!status && s->feedback == 2) status = slip_defect(s, &error);
    if (!status && error <= 1 && check) status = defect(s, &error);
    if (!status && error <= 1) status = jn_watch(s, NULL, &error, &cut);
    const int end = jn_trial_ends(s, &trial, error, &status);
    if (end < 0) return status;
    if (end > 0) break;
    /* the defect grows with the power N of time, if it is one of truncation */
    const double part = status ? 0.2 : 0.9 * jn_pow(error, -1.0 / (s->degree + 1));
    trial.wish = fmin(trial.h * (part < 0.1 ? 0.1 : part > 0.7 ? 0.7 : part), cut);
  }
  /* a step shortened by t_max does not shorten the next one */
  if (trial.count || !(trial.h < trial.wish) || !(s->h_next > 0)) s->h_next = GROWTH * trial.wish;
  return JN_OK;
}

jn_status jn_taylor_step(jn_simulation *s, double t_max) {
  const int adaptive = !(s->o.step > 0);
  jn_status status = s->nv ? jets(s) : JN_OK;
  if (status) return status;
  s->has_rate = 0;
  s->has_dense = 1;
  if (adaptive && s->nv) return adaptive_step(s, t_max);
  s->h = jn_clip_step(s, adaptive ? LONGEST : s->o.step, t_max);
  status = jn_taylor_dense(s, s->h, s->next);
  return status ? status : check_slip(s);
}
