/* demo_motion.c: the reference motion of the study and its round trip through the dynamics. */
#include "demo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/io.h>
#include <jounce/jet.h>

#include "message.h"

#define PI 3.14159265358979323846
#define DEGREE (PI / 180.0)

const char *const study_curve_names[STUDY_CURVES] = {"x",  "y",  "z",  "yaw", "q2",
                                                     "q3", "q4", "q5", "q6",  "q7"};
const char *const study_force_names[STUDY_NV] = {"nx", "ny", "nz", "fx", "fy", "fz",
                                                 "t2", "t3", "t4", "t5", "t6", "t7"};

enum { TOP = STUDY_DERIVATIVES };

/* Taylor coefficients of sin and cos of rate*t */
static void harmonic(double rate, double t, double s[TOP + 1], double c[TOP + 1]) {
  double phase[TOP + 1] = {rate * t, rate};
  jn_jet_sincos(TOP, phase, s, c);
}

/* circle of radius 1 m in 20 s; yaw 25 deg sin(2 pi t/30); joints half a cosine in 30 s */
static void reference_curves(double t, double x[TOP + 1][STUDY_CURVES]) {
  static const double start[] = {10, -5, 15, -10, 7, -12}, amplitude[] = {60, 50, 40, 55, 45, 35};
  double s[TOP + 1], c[TOP + 1];
  memset(x, 0, (TOP + 1) * sizeof x[0]);
  harmonic(2 * PI / 20, t, s, c);
  for (int k = 0; k <= TOP; k++) {
    x[k][0] = c[k];
    x[k][1] = s[k];
  }
  harmonic(2 * PI / 30, t, s, c);
  for (int k = 0; k <= TOP; k++) x[k][3] = 25 * DEGREE * s[k];
  harmonic(PI / STUDY_SECONDS, t, s, c);
  for (int j = 0; j < STUDY_JOINTS; j++) {
    double eta = amplitude[j] * DEGREE;
    for (int k = 0; k <= TOP; k++) x[k][4 + j] = -eta / 2 * c[k];
    x[0][4 + j] += start[j] * DEGREE + eta / 2;
  }
}

void study_reference(double t, study_motion *out) {
  double yaw[TOP + 1], s[TOP + 1], c[TOP + 1], R[TOP + 1][9], p[TOP + 1][3], V[TOP][6];
  reference_curves(t, out->curves);

  /* C = (R_z(yaw), p), and its twist V = C' C^-1 */
  for (int k = 0; k <= TOP; k++) yaw[k] = out->curves[k][3];
  jn_jet_sincos(TOP, yaw, s, c);
  for (int k = 0; k <= TOP; k++) {
    const double Rk[9] = {c[k], -s[k], 0, s[k], c[k], 0, 0, 0, k == 0 ? 1 : 0};
    memcpy(R[k], Rk, sizeof Rk);
    memcpy(p[k], out->curves[k], sizeof p[k]);
  }
  jn_jet_twist_from_pose(TOP - 1, JN_SPATIAL, R[0], p[0], V[0]);
  memcpy(out->base.R.m, R[0], sizeof R[0]);
  out->base.p = jn_v3(p[0][0], p[0][1], p[0][2]);

  jn_jet_to_derivatives(TOP - 1, 6, V[0]);
  jn_jet_to_derivatives(TOP, STUDY_CURVES, out->curves[0]);
  for (int k = 0; k < TOP; k++) {
    memcpy(out->v[k], V[k], sizeof V[k]);
    memcpy(out->v[k] + 6, out->curves[k + 1] + 4, STUDY_JOINTS * sizeof(double));
  }
}

/* Derivatives 2..7 of position, yaw and joints from v and forward dynamics' v', v'', ... */
static void curves_of(const study_motion *motion, const double a[STUDY_ROWS][STUDY_NV],
                      double out[STUDY_ROWS][STUDY_CURVES]) {
  double V[TOP][6], R[TOP + 1][9], p[TOP + 1][3];
  memcpy(V[0], motion->v[0], sizeof V[0]);
  for (int k = 1; k < TOP; k++) memcpy(V[k], a[k - 1], sizeof V[k]);
  jn_jet_to_taylor(TOP - 1, 6, V[0]);
  jn_jet_pose_from_twist(TOP - 1, JN_SPATIAL, motion->base, V[0], R[0], p[0]);
  jn_jet_to_derivatives(TOP, 3, p[0]);
  for (int r = 0; r < STUDY_ROWS; r++) {
    memcpy(out[r], p[r + 2], 3 * sizeof(double));
    out[r][3] = a[r][2]; /* turning about z only: w_z = yaw' */
    memcpy(out[r] + 4, a[r] + 6, STUDY_JOINTS * sizeof(double));
  }
}

static void raise_to(double *most, double x) {
  if (isnan(x) || fabs(x) > *most) *most = fabs(x);
}

/* Sizes and differences of one instant into the maxima. */
static void compare(const study_motion *motion, const double tau[STUDY_ROWS][STUDY_NV],
                    const double a[STUDY_ROWS][STUDY_NV], const double again[STUDY_ROWS][STUDY_NV],
                    study_error *error) {
  for (int r = 0; r < STUDY_ROWS; r++) {
    for (int i = 0; i < STUDY_NV; i++) {
      raise_to(&error[r].motion, motion->v[r + 1][i]);
      raise_to(&error[r].difference, a[r][i] - motion->v[r + 1][i]);
      raise_to(&error[r].force, tau[r][i]);
      raise_to(&error[r].residual, again[r][i] - tau[r][i]);
    }
  }
}

/* One instant: tau = ID(motion), a = FD(tau), again = ID(a). Writes the sample where the
 * formulation is the body's. */
static jn_status round_trip(const jn_model *model, jn_data *data, int formulation,
                            study_sample *sample, study_round *out) {
  double q[7 + STUDY_JOINTS], v[STUDY_ROWS + 1][STUDY_NV];
  double tau[STUDY_ROWS][STUDY_NV], a[STUDY_ROWS][STUDY_NV], again[STUDY_ROWS][STUDY_NV];
  const study_motion *motion = &sample->motion;
  jn_status status = jn_model_set_pose(model, 0, motion->base, q);
  if (status) return status;
  memcpy(q + 7, motion->curves[0] + 4, STUDY_JOINTS * sizeof(double));

  jn_data_settings(data)->formulation = (jn_formulation)formulation;
  status = jn_inverse_dynamics(model, data, STUDY_ORDER, q, motion->v[0], NULL, tau[0]);
  if (status) return status;
  status = jn_forward_dynamics(model, data, STUDY_ORDER, q, motion->v[0], tau[0], NULL, a[0]);
  if (status) return status;
  memcpy(v[0], motion->v[0], sizeof v[0]);
  memcpy(v[1], a, sizeof a);
  status = jn_inverse_dynamics(model, data, STUDY_ORDER, q, v[0], NULL, again[0]);
  if (status) return status;

  compare(motion, tau, a, again, out->error[formulation]);
  if (formulation == JN_FORM_BODY) {
    memcpy(sample->forces, tau, sizeof tau);
    curves_of(motion, a, sample->forward);
    return JN_OK;
  }
  for (int r = 0; r < STUDY_ROWS; r++) {
    for (int i = 0; i < STUDY_NV; i++) {
      raise_to(&out->apart[r], tau[r][i] - sample->forces[r][i]);
    }
  }
  return JN_OK;
}

/* The largest of relative residuals, and of relative distances between the formulations. */
static void judge(study_round *out) {
  for (int f = 0; f < 2; f++) {
    for (int r = 0; r < STUDY_ROWS; r++) {
      raise_to(&out->worst, out->error[f][r].residual / out->error[f][r].force);
    }
  }
  for (int r = 0; r < STUDY_ROWS; r++) {
    raise_to(&out->agreement, out->apart[r] / out->error[0][r].force);
  }
}

int study_run_round(int quick, study_round *out) {
  jn_model *model = NULL;
  jn_data *data = NULL;
  jn_status status = jn_model_load("tilthex", NULL, NULL, &model, NULL);
  if (status == JN_OK) status = jn_data_new(model, STUDY_ORDER, NULL, &data);
  out->steps = quick ? 300 : 3000;
  out->dt = STUDY_SECONDS / out->steps;
  out->samples = calloc((size_t)out->steps, sizeof *out->samples);
  if (!out->samples) status = JN_ERR_MEMORY;
  for (int n = 0; n < out->steps && status == JN_OK; n++) {
    study_sample *sample = &out->samples[n];
    sample->t = n * STUDY_SECONDS / out->steps;
    study_reference(sample->t, &sample->motion);
    for (int f = 0; f < 2 && status == JN_OK; f++) {
      status = round_trip(model, data, f, sample, out);
    }
    if (n % 100 == 0) demo_progress(0.05 * n / out->steps, "round trip");
  }
  jn_data_free(data);
  jn_model_free(model);
  judge(out);
  if (status == JN_OK) return CLI_DONE;
  cli_error("demo: %s", jn_status_text(status));
  return CLI_BAD_INPUT;
}

void study_round_free(study_round *round) {
  free(round->samples);
  round->samples = NULL;
}
