/* motion.c: the reference motion of the study and its round trip through the dynamics. */
#include "demo/demo.h"

#include <math.h>
#include <string.h>

#include <jounce/io.h>
#include <jounce/jet.h>

#include "output/message.h"
#include "output/progress.h"

#define PI 3.14159265358979323846
#define DEGREE (PI / 180.0)

enum { TOP = STUDY_DERIVATIVES };

/* The reference motion of table 3 at one instant; row k is the k-th derivative. */
typedef struct reference {
  double curves[TOP + 1][STUDY_CURVES];
  jn_pose base;
  double v[TOP][STUDY_NV]; /* base twist (spatial), joint rates */
} reference;

/* Columns of a series: all curves of order first, ..., all of order last. A figure shows one group
 * of curves of one order. */
typedef struct layout {
  const char *const *names;
  const char *groups; /* the group of each curve */
  int first, last;
  const char *titles[3], *units[3];
} layout;

const char *const study_series_names[] = {"motion.csv", "forces.csv", "forward.csv"};
static const char *const curve_names[] = {"x", "y", "z", "yaw", "q2", "q3", "q4", "q5", "q6", "q7"};
static const char *const force_names[] = {"nx", "ny", "nz", "fx", "fy", "fz",
                                          "t2", "t3", "t4", "t5", "t6", "t7"};
#define MOTION_TITLES \
  { "base position", "base yaw", "joint angles" }
static const layout layouts[STUDY_SERIES] = {
    {curve_names, "0001222222", 0, TOP, MOTION_TITLES, {"m", "rad", "rad"}},
    {force_names,
     "111000222222",
     0,
     STUDY_ORDER,
     {"base force", "base torque about the world's origin", "joint torques"},
     {"N", "N m", "N m"}},
    {curve_names, "0001222222", 2, TOP, MOTION_TITLES, {"m", "rad", "rad"}}};

static void name_figure(study_series *s, int figure, const char *title, const char *unit, int k) {
  char(*text)[64] = s->texts[figure];
  char order[32], power[16];
  snprintf(order, sizeof order, ", derivative %d", k);
  snprintf(power, sizeof power, "/s^%d", k);
  snprintf(text[0], sizeof text[0], "%s%s", title, k ? order : "");
  snprintf(text[1], sizeof text[1], "%s%s", unit, k > 1 ? power : k ? "/s" : "");
  s->figure[figure] = (chart_figure){text[0], text[1], 0};
}

static int open_series(study_series *s, const layout *l, int rows) {
  const int width = (int)strlen(l->groups);
  int code = cli_sheet_new(&s->sheet, rows, 1 + (l->last - l->first + 1) * width, s->figure,
                           STUDY_FIGURES);
  if (code) return code;
  cli_sheet_column(&s->sheet, 0, -1, "t");
  s->labels[0] = "t";
  for (int k = l->first, at = 1; k <= l->last; k++) {
    for (int g = 0; g < 3; g++) name_figure(s, 3 * k + g, l->titles[g], l->units[g], k);
    for (int i = 0; i < width; i++, at++) {
      cli_sheet_column(&s->sheet, at, 3 * k + l->groups[i] - '0', "%s_%d", l->names[i], k);
      s->labels[at] = l->names[i];
    }
  }
  return CLI_DONE;
}

static void fill_row(const study_series *s, int n, double t, const double *x) {
  double *row = cli_sheet_row(&s->sheet, n);
  row[0] = t;
  memcpy(row + 1, x, (size_t)(s->sheet.table->columns - 1) * sizeof *row);
}

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

static void reference_at(double t, reference *out) {
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
static void curves_of(const reference *motion, const double a[STUDY_ROWS][STUDY_NV],
                      double out[STUDY_ROWS][STUDY_CURVES]) {
  double V[TOP][6], R[TOP + 1][9], p[TOP + 1][3];
  memcpy(V[0], motion->v[0], sizeof V[0]);
  for (int k = 1; k < TOP; k++) memcpy(V[k], a[k - 1], sizeof V[k]);
  jn_jet_to_taylor(TOP - 1, 6, V[0]);
  jn_jet_pose_from_twist(TOP - 1, JN_SPATIAL, motion->base, V[0], R[0], p[0]);
  jn_jet_to_derivatives(TOP, 3, p[0]);
  for (int r = 0; r < STUDY_ROWS; r++) {
    memcpy(out[r], p[r + 2], 3 * sizeof(double));
    out[r][3] = a[r][2]; /* the base turns about z only: w_z = yaw' */
    memcpy(out[r] + 4, a[r] + 6, STUDY_JOINTS * sizeof(double));
  }
}

static void raise_to(double *most, double x) {
  if (isnan(x) || fabs(x) > *most) *most = fabs(x);
}

/* One instant: tau = ID(motion), a = FD(tau), again = ID(a). Row n of the series holds the results
 * of the body formulation; the forces of the spatial formulation are compared with them. */
static jn_status round_trip(const jn_model *model, jn_data *data, int formulation, int n, double t,
                            const reference *motion, study_round *out) {
  double q[7 + STUDY_JOINTS], v[STUDY_ROWS + 1][STUDY_NV], forward[STUDY_ROWS][STUDY_CURVES];
  double tau[STUDY_ROWS][STUDY_NV], a[STUDY_ROWS][STUDY_NV], again[STUDY_ROWS][STUDY_NV];
  jn_status status = jn_model_set_pose(model, 0, motion->base, q);
  memcpy(q + 7, motion->curves[0] + 4, STUDY_JOINTS * sizeof(double));
  jn_data_settings(data)->formulation = (jn_formulation)formulation;
  if (!status)
    status = jn_inverse_dynamics(model, data, STUDY_ORDER, q, motion->v[0], NULL, tau[0]);
  if (!status)
    status = jn_forward_dynamics(model, data, STUDY_ORDER, q, motion->v[0], tau[0], NULL, a[0]);
  if (status) return status;
  memcpy(v[0], motion->v[0], sizeof v[0]);
  memcpy(v[1], a, sizeof a);
  status = jn_inverse_dynamics(model, data, STUDY_ORDER, q, v[0], NULL, again[0]);
  if (status) return status;

  const study_series *forces = &out->series[STUDY_FORCES];
  if (formulation == JN_FORM_BODY) {
    curves_of(motion, a, forward);
    fill_row(&out->series[STUDY_MOTION], n, t, motion->curves[0]);
    fill_row(forces, n, t, tau[0]);
    fill_row(&out->series[STUDY_FORWARD], n, t, forward[0]);
  }
  for (int r = 0; r < STUDY_ROWS; r++) {
    study_error *e = &out->error[formulation][r];
    for (int i = 0; i < STUDY_NV; i++) {
      raise_to(&e->motion, motion->v[r + 1][i]);
      raise_to(&e->difference, a[r][i] - motion->v[r + 1][i]);
      raise_to(&e->force, tau[r][i]);
      raise_to(&e->residual, again[r][i] - tau[r][i]);
      raise_to(&out->apart[r], tau[r][i] - cli_sheet_row(&forces->sheet, n)[1 + r * STUDY_NV + i]);
    }
  }
  return JN_OK;
}

int study_run_round(int quick, study_round *out) {
  jn_model *model = NULL;
  jn_data *data = NULL;
  out->steps = quick ? 300 : 3000;
  out->dt = STUDY_SECONDS / out->steps;
  for (int i = 0; i < STUDY_SERIES; i++) {
    int code = open_series(&out->series[i], &layouts[i], out->steps);
    if (code) return code;
  }
  jn_status status = jn_model_load("tilthex", NULL, NULL, &model, NULL);
  if (status == JN_OK) status = jn_data_new(model, STUDY_ORDER, NULL, &data);
  for (int n = 0; n < out->steps && status == JN_OK; n++) {
    const double t = n * STUDY_SECONDS / out->steps;
    reference motion;
    reference_at(t, &motion);
    for (int f = 0; f < 2 && status == JN_OK; f++)
      status = round_trip(model, data, f, n, t, &motion, out);
    if (n % 100 == 0) cli_progress(0.05 * n / out->steps, "round trip");
  }
  jn_data_free(data);
  jn_model_free(model);
  for (int r = 0; r < STUDY_ROWS; r++) {
    for (int f = 0; f < 2; f++)
      raise_to(&out->worst, out->error[f][r].residual / out->error[f][r].force);
    raise_to(&out->agreement, out->apart[r] / out->error[0][r].force);
  }
  if (status == JN_OK) return CLI_DONE;
  return cli_bad_input("demo: %s", jn_status_text(status));
}
