#include "helpers/poison_motions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/tree.h"

enum { COUNT_Q = 5, SAMPLES = 48, ORDER = 2, OUT = 64, LIMITS = 7 * JN_LIMIT_KINDS };

/* A free base and a hinge that carries a ball; x: numbers of one call, then its waypoints. */
typedef struct motion_call {
  const jn_model *model;
  jn_trajectory *other; /* that some functions start from */
  jn_data *data;
  const double *x, *q;
  double *out; /* outputs other than a motion */
} motion_call;
typedef jn_status motion_maker(const motion_call *c, jn_trajectory **T);

static jn_status make_polynomial(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_polynomial(c->model, c->x[0], c->x[1], 2, c->x + 2, NULL, T, NULL);
}
static jn_status make_fourier(const motion_call *c, jn_trajectory **T) {
  const size_t nv = (size_t)jn_model_nv(c->model);
  return jn_trajectory_fourier(c->model, c->x[0], c->x[1], 2, c->x[2], c->x + 3, c->x + 3 + 2 * nv,
                               NULL, T, NULL);
}
static jn_status make_half_cosine(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_half_cosine(c->model, COUNT_Q, c->x, c->q, NULL, T, NULL);
}
static jn_status make_bspline(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_bspline(c->model, 3, COUNT_Q, c->x, c->q, NULL, T, NULL);
}
static jn_status make_minimum(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_minimum(c->model, 3, COUNT_Q, c->x, c->q, NULL, NULL, T, NULL);
}
static jn_status make_fit(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_fit(c->model, SAMPLES, c->x, c->q, NULL, NULL, NULL, T, NULL);
}
static jn_status make_smooth(const motion_call *c, jn_trajectory **T) {
  jn_fit_options o = jn_fit_options_default();
  o.lambda = c->x[SAMPLES], o.degree = 5;
  return jn_trajectory_fit(c->model, SAMPLES, c->x, c->q, &o, NULL, NULL, T, NULL);
}
static jn_status make_close(const motion_call *c, jn_trajectory **T) {
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = c->x[SAMPLES], o.degree = 5;
  return jn_trajectory_fit(c->model, SAMPLES, c->x, c->q, &o, NULL, NULL, T, NULL);
}
static jn_status make_scaled(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_scaled(c->other, c->x[0], NULL, T);
}
static jn_status make_clocked(const motion_call *c, jn_trajectory **T) {
  return jn_trajectory_clocked(c->other, 2, c->x, NULL, T, NULL);
}
static jn_status give_knots(const motion_call *c, jn_trajectory **T) {
  (void)T;
  return jn_bspline_knots(c->x[0], c->x[1], 3, COUNT_Q, c->out);
}
static jn_status give_times(const motion_call *c, jn_trajectory **T) {
  (void)T;
  return jn_path_times(c->model, COUNT_Q, c->q, NULL, c->out);
}
static jn_status give_motion(const motion_call *c, jn_trajectory **T) {
  (void)T;
  return jn_trajectory_at(c->other, c->x[0], ORDER, JN_SPATIAL, c->out, c->out + 12);
}
static jn_status give_clock(const motion_call *c, jn_trajectory **T) {
  (void)T;
  return jn_trajectory_clock(c->other, c->x[0], ORDER, c->out);
}
static jn_status give_band(const motion_call *c, jn_trajectory **T) {
  (void)T;
  return jn_trajectory_band(c->other, c->x[0], ORDER, JN_SPATIAL, c->out, c->out + 12);
}
static jn_status give_force_band(const motion_call *c, jn_trajectory **T) {
  (void)T;
  return jn_trajectory_force_band(c->model, c->data, c->other, c->x[0], 0, c->out);
}

/* limits of the last degree of freedom; those of the others are infinite */
static void limits_of(const motion_call *c, jn_limit_range *range) {
  const int rows = jn_limit_rows(c->model);
  for (int i = 0; i < rows * JN_LIMIT_KINDS; i++) range[i] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
  for (int kind = 0; kind < JN_LIMIT_KINDS; kind++)
    range[(rows - 1) * JN_LIMIT_KINDS + kind] =
        (jn_limit_range){c->x[2 * kind], c->x[2 * kind + 1]};
}
static jn_status give_limits(const motion_call *c, jn_trajectory **T) {
  jn_limit_range range[LIMITS];
  jn_limit_check *check = NULL;
  (void)T;
  limits_of(c, range);
  const jn_status status =
      jn_limit_check_new(c->model, c->data, c->other, range, 16, NULL, &check, NULL);
  if (status) return status;
  c->out[0] = jn_limit_check_scale(check);
  for (int kind = 0; kind < JN_LIMIT_KINDS; kind++) {
    const jn_limit_peak *p =
        jn_limit_check_peak(check, jn_model_nv(c->model) - 1, (jn_limit_kind)kind);
    if (!p->limited) continue;
    const double of[7] = {p->value, p->limit, p->t, p->used, p->excess, p->resting, p->resting_t};
    memcpy(c->out + 1 + 7 * kind, of, sizeof of);
  }
  jn_limit_check_free(check);
  return status;
}
static jn_status make_fastest(const motion_call *c, jn_trajectory **T) {
  jn_limit_range range[LIMITS];
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 16;
  limits_of(c, range);
  return jn_retime(c->model, c->data, c->other, range, &o, NULL, T, NULL, NULL);
}
/* stiffnesses, inertias, v, ..., v^(3) */
static jn_status give_motors(const motion_call *c, jn_trajectory **T) {
  const size_t nv = (size_t)jn_model_nv(c->model);
  double of[OUT]; /* undefined after a failure */
  (void)T;
  const jn_status status = jn_elastic_motors(c->model, c->data, 0, c->x, c->x + nv, c->q,
                                             c->x + 2 * nv, of, of + 3 * nv, of + 6 * nv);
  if (!status) memcpy(c->out, of, 7 * nv * sizeof *of);
  return status;
}
/* the target: its pose by rows, then twist and its derivative */
static jn_status give_joints(const motion_call *c, jn_trajectory **T) {
  const size_t nq = (size_t)jn_model_nq(c->model);
  jn_world_motion target = {.representation = JN_BODY, .twist = c->x + 12};
  jn_ik *ik = NULL;
  double of[OUT];
  (void)T;
  memcpy(&target.pose.R, c->x, 9 * sizeof *c->x);
  target.pose.p = jn_v3(c->x[9], c->x[10], c->x[11]);
  const int tool = jn_model_find_frame(c->model, jn_model_body(c->model, 1)->name);
  jn_status status = jn_ik_new(c->model, 0, tool, JN_CONSTRAINT_WELD, NULL, &ik);
  for (int i = 0; i < OUT; i++) of[i] = c->out[i];
  memcpy(of, c->q, nq * sizeof *of);
  for (size_t i = nq; i < nq + 2 * (size_t)jn_model_nv(c->model); i++) of[i] = 0;
  double before[OUT];
  memcpy(before, of, sizeof of);
  if (!status) status = jn_ik_solve(ik, 2, &target, NULL, of, of + nq);
  if (!status || memcmp(before, of, sizeof of)) memcpy(c->out, of, sizeof of);
  jn_ik_free(ik);
  return status;
}

/* numbers in x: a time each, those listed, or the coefficients; rows of q */
static const struct maker {
  const char *name;
  motion_maker *make;
  int numbers, rows;
} makers[] = {
    {"jn_trajectory_polynomial", make_polynomial, -1, 0},
    {"jn_trajectory_fourier", make_fourier, -2, 0},
    {"jn_trajectory_half_cosine", make_half_cosine, COUNT_Q, COUNT_Q},
    {"jn_trajectory_bspline", make_bspline, COUNT_Q + 4, COUNT_Q},
    {"jn_trajectory_minimum", make_minimum, COUNT_Q, COUNT_Q},
    {"jn_trajectory_fit", make_fit, SAMPLES, SAMPLES},
    {"jn_trajectory_fit/lambda", make_smooth, SAMPLES + 1, SAMPLES},
    {"jn_trajectory_fit/tolerance", make_close, SAMPLES + 1, SAMPLES},
    {"jn_trajectory_scaled", make_scaled, 1, 0},
    {"jn_trajectory_clocked", make_clocked, 10, 0},
    {"jn_bspline_knots", give_knots, 2, 0},
    {"jn_path_times", give_times, 0, COUNT_Q},
    {"jn_trajectory_at", give_motion, 1, 0},
    {"jn_trajectory_clock", give_clock, 1, 0},
    {"jn_trajectory_band", give_band, 1, 0},
    {"jn_trajectory_force_band", give_force_band, 1, 0},
    {"jn_limit_check_new", give_limits, 2 * JN_LIMIT_KINDS, 0},
    {"jn_retime", make_fastest, 2 * JN_LIMIT_KINDS, 0},
    {"jn_elastic_motors", give_motors, 42, 1},
    {"jn_ik_solve", give_joints, 24, 1},
};
/* Are its numbers limits? Infinite: none. */
static int takes_limits(const struct maker *f) {
  return f->make == give_limits || f->make == make_fastest;
}
static const double mark = 0x1.23456789abcdep+300;

/* What is wrong with a motion; NULL: nothing. */
static const char *judge(const jn_model *m, const jn_trajectory *T) {
  const double start = jn_trajectory_start(T), end = jn_trajectory_end(T);
  const size_t nq = (size_t)jn_model_nq(m), n = nq + (ORDER + 2) * (size_t)jn_model_nv(m);
  double x[OUT];
  if (!isfinite(start) || !isfinite(end) || end < start) return "its times are not finite";
  for (int i = 0; i <= 8; i++) {
    for (size_t k = 0; k < n; k++) x[k] = mark;
    const jn_status status =
        jn_trajectory_at(T, start + (end - start) * i / 8, ORDER, JN_SPATIAL, x, x + nq);
    for (size_t k = 0; k < n; k++) {
      if (!status && !isfinite(x[k])) return "a value is not finite";
      if (status && x[k] != mark) return "a failed evaluation has written";
    }
  }
  return NULL;
}

static const char *run(const struct maker *f, motion_call *c, jn_status *status) {
  jn_trajectory *T = NULL;
  const char *what = NULL;
  double out[OUT];
  for (int i = 0; i < OUT; i++) out[i] = mark;
  c->out = out;
  *status = f->make(c, &T);
  if (*status && T) what = "after a failure there is a motion";
  for (int i = 0; i < OUT && !what; i++) {
    if (*status && out[i] != mark) what = "after a failure the outputs have changed";
    if (!*status && !isfinite(out[i])) what = "an output is not finite";
  }
  if (!*status && T) what = judge(c->model, T);
  jn_trajectory_free(T);
  return what;
}

/* good numbers of a maker */
static void fill_inputs(const struct maker *f, const jn_model *m, double *x, double *q) {
  const int nv = jn_model_nv(m), nq = jn_model_nq(m);
  const int n = f->numbers >= 0 ? f->numbers : 2 + 3 * nv - (f->numbers + 1) * (1 + nv);
  for (int i = 0; i < n; i++) x[i] = f->rows ? 0.1 * i : 0.3 * (i % 5);
  if (f->make == make_bspline)
    for (int i = 0; i < n; i++) x[i] = i < 4 ? 0 : i < 5 ? 1 : 2;
  if (f->make == make_polynomial || f->make == make_fourier || f->make == give_knots)
    x[0] = 0, x[1] = 2;
  if (f->make == make_smooth || f->make == make_close)
    x[SAMPLES] = f->make == make_smooth ? 1e-9 : 1e-3;
  if (f->make == make_scaled) x[0] = 2;
  if (takes_limits(f)) /* of position, velocity, ... */
    for (int i = 0; i < n; i++) x[i] = i % 2 ? 5 * (i + 1) : -5 * (i + 2);
  if (f->make == give_joints) {
    const double pose[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.3};
    memcpy(x, pose, sizeof pose);
  }
  if (f->make == make_clocked) {
    const double rows[10] = {0, 0.1, 0.8, 0, 0, 1, 0.9, 0.8, 0, 0};
    memcpy(x, rows, sizeof rows);
  }
  for (int r = 0; r < f->rows; r++) {
    jn_model_home(m, q + r * nq);
    for (int i = 4; i < 8; i++) q[r * nq + i] = 0.2 * sin(0.05 * r * i + i);
  }
}

long poison_motions(int kinds, const double *bad, int every, long *broken, const char **list) {
  static char names[1024];
  jn_spec *spec = random_spec(17, 2, JN_JOINT_FREE, TYPE(REVOLUTE));
  jn_model *m = build(spec);
  jn_data *data = NULL;
  const int nq = jn_model_nq(m);
  double *x = doubles(256), *q = doubles((size_t)(SAMPLES * nq)), t[SAMPLES];
  long calls = 0;
  jn_status status;
  if (jn_data_new(m, ORDER, NULL, &data)) fail_msg("out of memory");
  motion_call c = {.model = m, .data = data, .x = x, .q = q};
  for (size_t i = 0; i < COUNT(makers); i++) {
    const struct maker *f = &makers[i];
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", f->name);
    const int n = f->numbers >= 0
                      ? f->numbers
                      : 2 + 3 * jn_model_nv(m) - (f->numbers + 1) * (1 + jn_model_nv(m));
    /* a fit to start from: with bands */
    for (int k = 0; k < SAMPLES; k++) t[k] = 0.02 * k;
    fill_inputs(&makers[5], m, x, q);
    if (jn_trajectory_fit(m, SAMPLES, t, q, NULL, NULL, NULL, &c.other, NULL)) {
      jn_fit_options force = jn_fit_options_default();
      force.force = 1;
      if (jn_trajectory_fit(m, SAMPLES, t, q, &force, NULL, NULL, &c.other, NULL))
        fail_msg("the samples are refused");
    }
    fill_inputs(f, m, x, q);
    const char *what = run(f, &c, &status);
    if (status || what) {
      printf("%s fails on good numbers: %s\n", f->name, what ? what : jn_status_text(status));
      ++*broken;
    }
    for (int k = 0; k<n + f->rows * nq; k += f->rows> COUNT_Q ? every : 1)
      for (int b = 0; b < kinds; b++) {
        double *at = k < n ? x + k : q + (k - n), keep = *at;
        *at = bad[b];
        what = run(f, &c, &status);
        *at = keep;
        calls++;
        if (!what && !status && !isfinite(bad[b]) && !(takes_limits(f) && isinf(bad[b])))
          what = "success with what is no number";
        if (what && ++*broken < 20) printf("%s: %g in number %d: %s\n", f->name, bad[b], k, what);
      }
    jn_trajectory_free(c.other);
    c.other = NULL;
  }
  *list = names;
  free(x), free(q);
  jn_data_free(data);
  jn_model_free(m);
  jn_spec_free(spec);
  return calls;
}
