/* elastic_joint.c: an arm whose joints are elastic. Motor and link of joint i are coupled by a
 * spring K:
 *
 *   inverse dynamics   tau(q, q', q'') = K (theta - q)
 *   motor              B theta'' + K (theta - q) = tau_m
 *
 * The motion q determines everything:
 *
 *   theta = q + tau/K,   theta'' = q'' + tau''/K,   tau_m = B theta'' + tau
 *
 * The reference needs a bounded snap, and tau'' is the second derivative of inverse dynamics.
 *
 * Three ways to follow a point-to-point motion, each in simulation:
 *   1  feed-forward as if the joints were rigid: the arm lags and oscillates
 *   2  feed-forward with tau'': exact up to the tolerance of the integrator
 *   3  feedback linearisation at 1 kHz, with an initial error, which decays as its poles determine
 *
 *   cc examples/elastic_joint.c -Iinclude -Lbuild -ljounce -lm && ./a.out */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NV = 6, TOP = 24 }; /* joints; highest order of inverse dynamics */
#define DURATION 1.5

static const double K[NV] = {8000, 8000, 4000, 400, 100, 100}; /* N m/rad */
static const double B[NV] = {1.2, 1.2, 0.8, 0.1, 0.05, 0.05};  /* kg m^2, at the joint */
static const double from[NV] = {-0.8, 0.9, 0.6, 0.4, -0.5, 0.2};
static const double to[NV] = {0.9, 0.3, 1.4, -0.6, 0.7, 1.2};

typedef struct arm {
  jn_model *model;
  jn_data *data;
  int rigid; /* feed-forward 1 */
} arm;

/* q(t) = from + (to - from) s(t/T), s = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7: velocity, acceleration
 * and jerk are zero at both ends, the snap is bounded. q, and derivatives 1..rows into v. */
static void reference(double t, int rows, double *q, double *v) {
  static const double c[8] = {0, 0, 0, 0, 35, -84, 70, -20};
  double u = t / DURATION, s[TOP + 4] = {0}, scale = 1;
  if (t < 0 || t >= DURATION) {
    s[0] = t >= DURATION;
  } else {
    for (int k = 0; k <= rows && k < 8; k++, scale /= DURATION)
      for (int i = 7; i >= k; i--) {
        double f = c[i] * scale;
        for (int j = 0; j < k; j++) f *= i - j;
        s[k] = s[k] * u + f;
      }
  }
  for (int i = 0; i < NV; i++) {
    q[i] = from[i] + (to[i] - from[i]) * s[0];
    for (int k = 1; k <= rows; k++) v[(k - 1) * NV + i] = (to[i] - from[i]) * s[k];
  }
}

/* The motors' torque along the reference, with as many derivatives as the integrator needs. */
static jn_status feed_forward(void *context, double t, int order, double *tau_m) {
  const arm *a = context;
  double q[NV], v[(TOP + 4) * NV], tau[(TOP + 1) * NV];
  if (order + 2 > TOP) return JN_ERR_ORDER;
  reference(t, order + 4, q, v);
  jn_status status = jn_inverse_dynamics(a->model, a->data, order + 2, q, v, NULL, tau);
  if (status) return status;
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < NV; i++) {
      double bend = a->rigid ? 0 : tau[(k + 2) * NV + i] / K[i];
      tau_m[k * NV + i] = B[i] * (v[(k + 1) * NV + i] + bend) + tau[k * NV + i];
    }
  return JN_OK;
}

static double next_break(void *context, double t) {
  (void)context;
  return t < 0 ? 0 : t < DURATION ? DURATION : HUGE_VAL;
}

/* The motors' torque that makes q^(4) = r^(4) + sum of gains times errors, from the measured state.
 */
static jn_status linearise(const arm *a, double t, const double *q, const double *v,
                           const double *theta, const double *theta_dot, double *tau_m) {
  const double p = 25, gain[4] = {p * p * p * p, 4 * p * p * p, 6 * p * p, 4 * p}; /* (s + p)^4 */
  double r[NV], w[4 * NV], x[4 * NV], tau[3 * NV];
  for (int i = 0; i < NV; i++) {
    tau[i] = K[i] * (theta[i] - q[i]);
    tau[NV + i] = K[i] * (theta_dot[i] - v[i]);
  }
  /* acceleration and jerk from the springs, snap from the errors */
  memcpy(x, v, sizeof *x * NV);
  jn_status status = jn_forward_dynamics(a->model, a->data, 1, q, v, tau, NULL, x + NV);
  if (status) return status;
  reference(t, 4, r, w);
  for (int i = 0; i < NV; i++) {
    double snap = w[3 * NV + i] + gain[0] * (r[i] - q[i]);
    for (int k = 1; k < 4; k++) snap += gain[k] * (w[(k - 1) * NV + i] - x[(k - 1) * NV + i]);
    x[3 * NV + i] = snap;
  }
  status = jn_inverse_dynamics(a->model, a->data, 2, q, x, NULL, tau);
  for (int i = 0; i < NV; i++) tau_m[i] = B[i] * (x[NV + i] + tau[2 * NV + i] / K[i]) + tau[i];
  return status;
}

static double error_at(double t, const double *q) {
  double r[NV], w[NV], e = 0;
  reference(t, 1, r, w);
  for (int i = 0; i < NV; i++) e = fmax(e, fabs(q[i] - r[i]));
  return e;
}

/* One run; mode 0, 1: feed-forward, 2: feedback. Gives the largest error and the error at the
 * end. */
static jn_status follow(arm *a, int mode, double *largest, double *last) {
  jn_simulation *s;
  double q[NV], v[NV], theta[NV], theta_dot[NV], tau[NV], zero[NV] = {0};
  jn_simulation_options o = jn_simulation_options_default();
  o.forces.motor_stiffness = K;
  o.forces.motor_inertia = B;
  if (mode < 2) {
    o.forces.time = feed_forward;
    o.forces.next_break = next_break;
    o.forces.time_context = a;
  }
  a->rigid = mode == 0;
  jn_status status = jn_simulation_new(a->model, &o, NULL, &s, NULL);
  if (status) return status;
  /* at rest, the springs deflected by gravity: theta = q + tau/K */
  double rest[2 * NV] = {0};
  memcpy(q, from, sizeof q);
  status = jn_inverse_dynamics(a->model, a->data, 0, q, rest, NULL, tau);
  for (int i = 0; i < NV; i++) theta[i] = q[i] + tau[i] / K[i];
  if (mode == 2) q[0] += 0.03, theta[0] += 0.03;
  if (!status) status = jn_simulation_set_state(s, 0, q, zero);
  if (!status) status = jn_simulation_set_motor(s, theta, zero);
  *largest = 0;
  for (int n = 1; n <= 2000 && !status; n++) {
    double t = n * 1e-3;
    if (mode == 2) {
      jn_simulation_state(s, NULL, q, v);
      jn_simulation_motor(s, theta, theta_dot);
      status = linearise(a, t - 1e-3, q, v, theta, theta_dot, tau);
      if (!status) status = jn_simulation_set_tau(s, tau);
    }
    if (!status) status = jn_simulation_run_to(s, t, NULL);
    jn_simulation_state(s, NULL, q, v);
    *last = error_at(t, q);
    *largest = fmax(*largest, *last);
  }
  jn_simulation_free(s);
  return status;
}

int main(void) {
  static const char *const names[3] = {"1  rigid feed-forward", "2  elastic feed-forward",
                                       "3  feedback linearisation"};
  arm a = {NULL, NULL, 0};
  jn_error error;
  if (jn_model_load("arm6", NULL, NULL, &a.model, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (jn_model_nv(a.model) != NV || jn_data_new(a.model, TOP, NULL, &a.data)) return 1;
  printf("%-28s %16s %16s\n", "tracking error [rad]", "largest", "after 2 s");
  int good = 1;
  for (int mode = 0; mode < 3; mode++) {
    double largest, last;
    jn_status status = follow(&a, mode, &largest, &last);
    if (status) {
      fprintf(stderr, "%s: %s\n", names[mode], jn_status_text(status));
      return 1;
    }
    printf("%-28s %16.2e %16.2e\n", names[mode], largest, last);
    if (mode == 1) good = good && largest < 1e-8;
    if (mode == 2) good = good && last < 1e-4;
  }
  jn_data_free(a.data);
  jn_model_free(a.model);
  return good ? 0 : 3;
}
