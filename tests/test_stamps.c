/* test_stamps.c: tables of samples as people record them: units of time, stamps since 1970, faults of
 * the order, degrees, wrapped angles, names that are nearly right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/rng.h"
#include "helpers/plain_numbers.h"

enum { N = 300 };
static const double turn = 6.283185307179586, degree = 57.29577951308232;

/* A hinge without limits (0), with limits (1), or with a limit of the velocity only (2). */
static jn_model *hinge(int limits) {
  static const char *const text[] = {"type='continuous'", "type='revolute'", "type='continuous'"},
                           *const range[] = {
                               "", "<limit lower='-3' upper='3' velocity='5' effort='9'/>",
                               "<limit velocity='2' effort='9'/>"};
  char urdf[1024];
  jn_model *model;
  jn_spec *spec;
  snprintf(urdf, sizeof urdf,
           "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/>"
           "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
           "<joint name='elbow' %s><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>%s"
           "</joint></robot>",
           text[limits], range[limits]);
  assert_ok(jn_spec_parse(urdf, strlen(urdf), "r.urdf", NULL, &spec, NULL));
  assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
  jn_spec_free(spec);
  return model;
}

static double angle(int i) { return 0.5 * sin(3 * 0.01 * i) + 0.2; }

/* A table of N samples: stamps[N] written with `digits` digits behind the point. */
static void write_table(const char *head, const double *stamp, int digits, const double *q) {
  const size_t line = 64;
  char *text = malloc(line * (N + 2)), *at = text;
  at += snprintf(at, line, "%s\n", head);
  for (int i = 0; i < N; i++) at += snprintf(at, line, "%.*f,%.17g\n", digits, stamp[i], q[i]);
  put("samples.csv", text);
  free(text);
}

static void samples_of(double *q) {
  rng r = rng_new(21);
  for (int i = 0; i < N; i++) q[i] = angle(i) + 1e-4 * rng_normal(&r);
}

static jn_status load(const jn_model *model, const jn_fit_options *o, const jn_fit_report *report,
                      jn_trajectory **T, jn_error *e) {
  *T = NULL;
  return jn_trajectory_load(temporary("samples.csv"), model, o, report, NULL, T, e);
}

/* Units and origins of time: all give the motion of the same samples in seconds. */
static void units_are_recognised(void **state) {
  (void)state;
  static const struct {
    const char *head;
    double unit, first; /* units in a second; the first stamp in seconds */
    int digits;
  } cases[] = {{"t,elbow", 1, 0, 4},
               {"time,elbow", 1, 12.5, 4},
               {"time_ms,elbow", 1e3, 0, 3},
               {"time [us],elbow", 1e6, 0, 1},
               {"t_ns,elbow", 1e9, 0, 0},
               {"t,elbow", 1e3, 0, 0},
               {"t,elbow", 1e6, 3, 0},
               {"t,elbow", 1e9, 3, 0},
               {"timestamp,elbow", 1, 1.7e9, 6},
               {"timestamp,elbow", 1e3, 1.7e9, 3},
               {"stamp,elbow", 1e6, 1.7e9, 0},
               {"header.stamp,elbow", 1e9, 1.7e9, 0},
               {"%time,elbow", 1e9, 1.7e9, 0}};
  jn_model *model = hinge(1);
  double stamp[N], q[N];
  samples_of(q);
  for (size_t c = 0; c < COUNT(cases); c++) {
    jn_trajectory *T;
    jn_error e = {0};
    const int relative = cases[c].first > 1e3;
    for (int i = 0; i < N; i++) stamp[i] = (cases[c].first + 0.01 * i) * cases[c].unit;
    write_table(cases[c].head, stamp, cases[c].digits, q);
    if (load(model, NULL, NULL, &T, &e)) fail_msg("case %zu: %s", c, e.message);
    const double start = relative ? 0 : cases[c].first;
    check_residual("start", fabs(jn_trajectory_start(T) - start), 1e-9);
    check_residual("duration", fabs(jn_trajectory_end(T) - start - 0.01 * (N - 1)), 1e-6);
    double x, v[2];
    assert_ok(jn_trajectory_at(T, start + 1.5, 0, JN_BODY, &x, v));
    check_residual("velocity", fabs(v[0] - 1.5 * cos(4.5)), 0.01);
    check_residual("acceleration", fabs(v[1] + 4.5 * sin(4.5)), 0.2);
    jn_trajectory_free(T);
  }
  /* in seconds by the name or the option, whatever the steps */
  for (int named = 0; named < 2; named++) {
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T;
    if (!named) o.time_unit = 1;
    for (int i = 0; i < N; i++) stamp[i] = 10 * i;
    write_table(named ? "time_s,elbow" : "t,elbow", stamp, 0, q);
    assert_ok(load(model, &o, NULL, &T, NULL));
    assert_true(jn_trajectory_end(T) == 10 * (N - 1));
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Stamps since 1970 keep their decimals, though a double of that size has no room for them: through exact
 * samples goes the motion of the same samples from zero on, to the last bit. */
static void decimals_of_stamps_are_kept(void **state) {
  (void)state;
  static const struct {
    const char *head;
    double unit;
    int digits;
  } cases[] = {{"t,elbow", 1, 3},
               {"timestamp,elbow", 1, 3},
               {"stamp_ms,elbow", 1e3, 0},
               {"stamp,elbow", 1e6, 0},
               {"t_ns,elbow", 1e9, 0}};
  jn_model *model = hinge(1);
  jn_fit_options o = jn_fit_options_default();
  double stamp[N], q[N], x[2], v[2][4];
  o.tolerance = 0;
  for (int i = 0; i < N; i++) q[i] = 0.5 * sin(20 * 0.001 * i);
  for (size_t c = 0; c < COUNT(cases); c++) {
    jn_trajectory *T[2];
    for (int late = 0; late < 2; late++) {
      jn_error e = {0};
      for (int i = 0; i < N; i++) stamp[i] = ((late ? 1.7e9 : 0) + 0.001 * i) * cases[c].unit;
      write_table(late ? cases[c].head : "t_s,elbow", stamp, late ? cases[c].digits : 3, q);
      if (!late) {
        for (int i = 0; i < N; i++) stamp[i] = 0.001 * i;
        write_table("t_s,elbow", stamp, 3, q);
      }
      if (load(model, &o, NULL, &T[late], &e)) fail_msg("case %zu: %s", c, e.message);
      assert_ok(jn_trajectory_at(T[late], 0.0505, 2, JN_BODY, &x[late], v[late]));
    }
    assert_true(x[0] == x[1]);
    for (int k = 0; k < 3; k++) assert_true(v[0][k] == v[1][k]);
    check_residual("jerk", fabs(v[1][2] + 4000 * cos(20 * 0.0505)), 0.1);
    for (int late = 0; late < 2; late++) jn_trajectory_free(T[late]);
  }
  /* no decimals: what rounding has taken is gone, and a motion through every sample is refused */
  rng r = rng_new(5);
  jn_trajectory *T;
  jn_error e = {0};
  for (int i = 0; i < N; i++) stamp[i] = 1.7e9 + 0.001 * (i + rng_range(&r, 0, 0.4));
  write_table("timestamp,elbow", stamp, 9, q);
  assert_int_equal(load(model, &o, NULL, &T, &e), JN_ERR_SYNTAX);
  assert_non_null(strstr(e.message, "subtract the first time from all in the file"));
  /* so few rows may be decimals by chance; one row is not about rounding */
  o.degree = 1;
  put("samples.csv", "timestamp,elbow\n1700000000.001,0\n1700000000.002,1\n1700000000.003,3\n");
  assert_int_equal(load(model, &o, NULL, &T, &e), JN_ERR_SYNTAX);
  assert_non_null(strstr(e.message, "subtract the first time from all in the file"));
  put("samples.csv", "timestamp,elbow\n1700000000.001,0\n");
  assert_true(load(model, &o, NULL, &T, &e) != JN_OK);
  assert_null(strstr(e.message, "subtract"));
  /* times without decimals, near zero; and in minutes, far from it */
  for (int far = 0; far < 2; far++) {
    for (int i = 0; i < N; i++) stamp[i] = far ? 1e6 + i : 0.001 * (i + rng_range(&r, 0, 0.4));
    o.time_unit = far ? 60 : 1;
    write_table("t,elbow", stamp, 17, q);
    assert_ok(load(model, &o, NULL, &T, &e));
    check_residual("duration",
                   fabs(jn_trajectory_end(T) - jn_trajectory_start(T) -
                        o.time_unit * (stamp[N - 1] - stamp[0])),
                   1e-9);
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Faults are named with their rows, and the remedy. */
static void faults_of_the_stamps_are_named(void **state) {
  (void)state;
  static const struct {
    int row;
    double shift;
    const char *first, *second;
  } cases[] = {{50, -0.01, "rows 50 and 51 have the same", "remove"},
               {70, -0.025, "row 71 has", "sort the rows"},
               {-1, 0, "they decrease from row 1 to row 300", "reverse"},
               {-2, 0, "steps of 12.34", "--time-unit"}};
  jn_model *model = hinge(1);
  double stamp[N], q[N];
  samples_of(q);
  for (size_t c = 0; c < COUNT(cases); c++) {
    jn_trajectory *T;
    jn_error e = {0};
    for (int i = 0; i < N; i++)
      stamp[i] = cases[c].row == -1 ? 3 - 0.01 * i : cases[c].row == -2 ? 12.34 * i : 0.01 * i;
    if (cases[c].row >= 0) stamp[cases[c].row] += cases[c].shift;
    write_table("t,elbow", stamp, 4, q);
    assert_status(load(model, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
    if (!strstr(e.message, cases[c].first) || !strstr(e.message, cases[c].second))
      fail_msg("%s", e.message);
    assert_null(T);
  }
  jn_model_free(model);
}

/* Degrees beyond the limits, or too fast, or with jumps by 360, are refused; the option converts. */
static void degrees_are_recognised(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    jn_model *model = hinge(kind != 2);
    double stamp[N], q[N];
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T;
    jn_error e = {0};
    rng r = rng_new(4);
    for (int i = 0; i < N; i++) {
      stamp[i] = 0.01 * i;
      /* beyond the limits; small and fast; turning; small and slow, 11 degrees */
      const double x = kind == 0   ? 1.2 * sin(3 * stamp[i])
                       : kind == 1 ? 0.05 * sin(16 * stamp[i])
                       : kind == 2 ? 4 * sin(2 * stamp[i])
                                   : 0.2 * sin(0.5 * stamp[i]);
      q[i] = 57.29577951308232 * (x + 1e-5 * rng_normal(&r));
      if (kind == 2) q[i] -= 360 * floor(q[i] / 360 + 0.5);
    }
    write_table("t,elbow", stamp, 4, q);
    assert_status(load(model, NULL, NULL, &T, &e), JN_ERR_FIT);
    if (!strstr(e.message, "--degrees")) fail_msg("%s", e.message);
    o.degrees = 1;
    if (load(model, &o, NULL, &T, &e)) fail_msg("%s", e.message);
    double x, v;
    const double t = 1.5, want = kind == 0   ? 3.6 * cos(3 * t)
                                 : kind == 1 ? 0.8 * cos(16 * t)
                                 : kind == 2 ? 8 * cos(2 * t)
                                             : 0.1 * cos(0.5 * t);
    assert_ok(jn_trajectory_at(T, t, -1, JN_BODY, &x, &v));
    check_residual("velocity from degrees", fabs(v - want), 0.01);
    jn_trajectory_free(T);
    jn_model_free(model);
  }
  /* radians are not taken for degrees: a joint that turns many times */
  jn_model *model = hinge(0);
  double stamp[N], q[N];
  jn_trajectory *T;
  for (int i = 0; i < N; i++) stamp[i] = 0.01 * i, q[i] = 60 * sin(stamp[i]);
  write_table("t,elbow", stamp, 4, q);
  assert_ok(load(model, NULL, NULL, &T, NULL));
  jn_trajectory_free(T);
  jn_model_free(model);
  /* limits that are a little too narrow, and noise that makes the way longer than the motion */
  model = hinge(1);
  rng r = rng_new(5);
  for (int i = 0; i < N; i++) q[i] = 4 * sin(stamp[i]) + 0.02 * rng_normal(&r);
  write_table("t,elbow", stamp, 4, q);
  assert_ok(load(model, NULL, NULL, &T, NULL));
  jn_trajectory_free(T);
  /* a simulated joint passes its limits by a turn */
  for (int i = 0; i < N; i++) q[i] = -2.5 * stamp[i];
  write_table("t,elbow", stamp, 4, q);
  assert_ok(load(model, NULL, NULL, &T, NULL));
  jn_trajectory_free(T);
  jn_model_free(model);
}

/* Jumps by a turn: removed of a continuous joint, refused with limits, removed with the option; in
 * both modes of the fit, and counted. */
static void jumps_by_a_turn_are_removed(void **state) {
  (void)state;
  for (int limits = 0; limits < 2; limits++)
    for (int mode = 0; mode < 2; mode++) {
      jn_model *model = hinge(limits);
      double stamp[N], q[N], turns = -1, x, v;
      jn_fit_options o = jn_fit_options_default();
      const jn_fit_report report = {.turns = &turns};
      jn_trajectory *T;
      jn_error e = {0};
      rng r = rng_new(4);
      if (mode) o.tolerance = 1e-3;
      for (int i = 0; i < N; i++) {
        stamp[i] = 0.01 * i;
        q[i] = 2.5 + 1.5 * sin(3 * stamp[i]) + 1e-4 * rng_normal(&r);
        q[i] -= turn * floor(q[i] / turn + 0.5);
      }
      write_table("t,elbow", stamp, 4, q);
      jn_status status = load(model, &o, &report, &T, &e);
      if (limits) {
        assert_status(status, JN_ERR_FIT);
        if (!strstr(e.message, "--unwrap")) fail_msg("%s", e.message);
        o.unwrap = 1;
        status = load(model, &o, &report, &T, &e);
      }
      if (status) fail_msg("%s", e.message);
      assert_true(turns == 3);
      assert_ok(jn_trajectory_at(T, 1.5, -1, JN_BODY, &x, &v));
      check_residual("velocity of a wrapped angle", fabs(v - 4.5 * cos(4.5)), 0.05);
      jn_trajectory_free(T);
      jn_model_free(model);
    }
}

/* x less the turns that leave it in [-period/2, period/2). */
static double wrapped(double x, double period) { return x - period * floor(x / period + 0.5); }

/* A recording of the angle q at 100 Hz, and what is said of it. */
static jn_status load_angles(int limits, const double *q, const jn_fit_options *o, double *turns,
                             jn_trajectory **T, jn_error *e) {
  jn_model *model = hinge(limits);
  double stamp[N];
  const jn_fit_report report = {.turns = turns};
  for (int i = 0; i < N; i++) stamp[i] = 0.01 * i;
  write_table("t,elbow", stamp, 4, q);
  *e = (jn_error){0};
  const jn_status status = load(model, o, &report, T, e);
  jn_model_free(model);
  return status;
}

/* The largest error of the velocity of q = 3.1415 + a sin(w t), away from the ends. */
static double velocity_error(const jn_trajectory *T, double a, double w) {
  double worst = 0, q, v;
  for (int i = 20; i < N - 20; i++) {
    const double t = 0.01 * i + 0.005;
    assert_ok(jn_trajectory_at(T, t, -1, JN_BODY, &q, &v));
    worst = fmax(worst, fabs(v - a * w * cos(w * t)));
  }
  return worst;
}

/* Jumps by a turn say nothing of the speed: wrapped radians within the velocity limit are
 * unwrapped; degrees, wrapped or not, are refused. */
static void wrapped_radians_are_no_degrees(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    double q[N], turns;
    jn_trajectory *T;
    jn_error e;
    rng r = rng_new(4);
    for (int i = 0; i < N; i++) {
      const double t = 0.01 * i, x = 3.1415 + 0.3 * sin(6 * t) + 1e-3 * rng_normal(&r);
      q[i] = kind == 0 ? wrapped(x, turn) : kind == 1 ? wrapped(degree * x, 360) : degree * x;
    }
    const jn_status status = load_angles(2, q, NULL, &turns, &T, &e);
    if (kind > 0) {
      assert_status(status, JN_ERR_FIT);
      if (!strstr(e.message, "--degrees")) fail_msg("%s", e.message);
      continue;
    }
    if (status) fail_msg("%s", e.message);
    assert_true(turns > 4);
    check_residual("velocity of wrapped radians", velocity_error(T, 0.3, 6), 0.1);
    jn_trajectory_free(T);
  }
}

/* Noise that crosses the wrap: samples that jump and come back are moved by the turn as well, in
 * every mode of the fit. */
static void short_flips_are_removed(void **state) {
  (void)state;
  for (int mode = 0; mode < 4; mode++) {
    double q[N], turns;
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T;
    jn_error e;
    rng r = rng_new(6);
    if (mode == 1 || mode == 3) o.tolerance = 0.02;
    if (mode == 2) o.lambda = 1e-4;
    if (mode == 3) o.unwrap = 1;
    for (int i = 0; i < N; i++)
      q[i] = wrapped(3.1415 + 0.1 * sin(2 * 0.01 * i) + 0.02 * rng_normal(&r), turn);
    if (load_angles(mode == 3, q, &o, &turns, &T, &e)) fail_msg("mode %d: %s", mode, e.message);
    assert_true(turns > 10);
    check_residual("velocity after flips", velocity_error(T, 0.1, 2), 0.15);
    jn_trajectory_free(T);
  }
  /* with limits, where no outlier is left out, the jumps are refused even if all come back */
  double q[N], turns;
  jn_fit_options o = jn_fit_options_default();
  jn_trajectory *T;
  jn_error e;
  o.tolerance = 1e-3;
  for (int i = 0; i < N; i++) q[i] = sin(0.02 * i) + (i % 50 == 7 ? turn : 0);
  assert_status(load_angles(1, q, &o, &turns, &T, &e), JN_ERR_FIT);
  if (!strstr(e.message, "--unwrap")) fail_msg("%s", e.message);
}

/* With a given tolerance the jumps themselves tell whether angles are wrapped: at two turns; not
 * with a sample that fits nowhere; not in a motion that is fast. */
static void jumps_tell_wrapped_angles(void **state) {
  (void)state;
  enum { TWO_TURNS, STRAY, FAR, ALIASED, FAST, STROBE, GAP, KINDS };
  for (int kind = 0; kind < KINDS; kind++)
    for (int mode = 0; mode < 3; mode++) {
      double q[N], turns, stamp[N];
      jn_fit_options o = jn_fit_options_default();
      jn_trajectory *T;
      jn_error e = {0};
      jn_model *model = hinge(0);
      const jn_fit_report report = {.turns = &turns};
      const int a_turn = kind <= ALIASED, refused = a_turn && kind != TWO_TURNS && mode < 2;
      rng r = rng_new(7);
      if (mode == 0) o.tolerance = 1e-3;
      if (mode == 1) o.lambda = kind == STROBE ? 0 : 1e-10;
      if (mode == 2) o.unwrap = a_turn, o.tolerance = 5e-4;
      for (int i = 0; i < N; i++) {
        const double t = 0.01 * (i + (kind == GAP && i > 150 ? 100 : 0)),
                     noise = 1e-4 * rng_normal(&r);
        stamp[i] = t;
        q[i] = kind == TWO_TURNS ? wrapped(2 * 3.1415 + 0.8 * sin(4 * t) + noise, 2 * turn)
               : kind == ALIASED ? wrapped(100 * sin(2 * t) + noise, turn)
               : a_turn          ? wrapped(3.1415 + 0.5 * sin(4 * t) + noise, turn)
               : kind == FAST    ? 800 * sin(t) + noise
               : kind == STROBE  ? 20 * sin(210 * t)
                                 : 6 * t + noise;
      }
      if (kind == STRAY) q[155] = 10;
      if (kind == FAR) q[155] = 12.5;
      write_table("t,elbow", stamp, 4, q);
      const jn_status status = load(model, &o, &report, &T, &e);
      if (refused) {
        assert_status(status, JN_ERR_FIT);
        if ((kind != ALIASED && !strstr(e.message, "sample 156")) || !strstr(e.message, "--unwrap"))
          fail_msg("%s", e.message);
      } else {
        if (status) fail_msg("kind %d, mode %d: %s", kind, mode, e.message);
        assert_true(a_turn ? turns > 2 : turns == 0);
        if (kind == TWO_TURNS)
          check_residual("velocity, wrapped at two turns", velocity_error(T, 0.8, 4), 0.2);
      }
      jn_trajectory_free(T);
      jn_model_free(model);
    }
  /* few samples do not tell */
  static const double t[] = {0, 1, 2}, out_and_back[] = {0, 5, 0};
  jn_model *model = hinge(0);
  jn_fit_options o = jn_fit_options_default();
  jn_trajectory *T = NULL;
  jn_error e = {0};
  double x;
  o.tolerance = 0;
  o.degree = 1;
  assert_status(jn_trajectory_fit(model, 3, t, out_and_back, &o, NULL, NULL, &T, &e), JN_ERR_FIT);
  if (!strstr(e.message, "sample 2 is 5 rad")) fail_msg("%s", e.message);
  o.force = 1;
  assert_ok(jn_trajectory_fit(model, 3, t, out_and_back, &o, NULL, NULL, &T, &e));
  assert_ok(jn_trajectory_at(T, 1, -1, JN_BODY, &x, NULL));
  check_residual("few samples, accepted", fabs(x - 5), 1e-6);
  jn_trajectory_free(T);
  jn_model_free(model);
}

/* The options as keys of a description. */
static void descriptions_have_the_options(void **state) {
  (void)state;
  jn_model *model = hinge(1);
  double stamp[N], q[N];
  jn_trajectory *T = NULL;
  jn_error e = {0};
  samples_of(q);
  for (int i = 0; i < N; i++) stamp[i] = 10 * i, q[i] *= 57.29577951308232;
  write_table("t,elbow", stamp, 0, q);
  put("motion.json",
      "{\"samples\": \"samples.csv\", \"degrees\": true, \"time_unit\": \"ms\","
      " \"ends\": \"free\", \"outliers\": \"keep\", \"unwrap\": true,"
      " \"force\": false}");
  if (jn_trajectory_load(temporary("motion.json"), model, NULL, NULL, NULL, &T, &e))
    fail_msg("%s", e.message);
  double x, v;
  assert_ok(jn_trajectory_at(T, 1.5, -1, JN_BODY, &x, &v));
  check_residual("velocity, by a description", fabs(v - 1.5 * cos(4.5)), 0.01);
  jn_trajectory_free(T);
  /* a spike is left out, or pulls the motion */
  q[N / 2] += 20;
  write_table("t,elbow", stamp, 0, q);
  double at[2];
  for (int keep = 0; keep < 2; keep++) {
    char text[160];
    snprintf(text, sizeof text,
             "{\"samples\": \"samples.csv\", \"degrees\": true, \"time_unit\": \"ms\","
             " \"outliers\": \"%s\", \"force\": true}",
             keep ? "keep" : "drop");
    put("motion.json", text);
    assert_ok(jn_trajectory_load(temporary("motion.json"), model, NULL, NULL, NULL, &T, &e));
    assert_ok(jn_trajectory_at(T, 0.01 * (N / 2), -1, JN_BODY, &at[keep], NULL));
    jn_trajectory_free(T);
  }
  q[N / 2] -= 20;
  check_residual("a spike is left out", fabs(at[0] - q[N / 2] / 57.29577951308232), 1e-2);
  assert_true(fabs(at[1] - at[0]) > 3e-3);
  put("motion.json", "{\"samples\": \"samples.csv\", \"ends\": \"test\"}");
  assert_true(jn_trajectory_load(temporary("motion.json"), model, NULL, NULL, NULL, &T, &e) !=
              JN_OK);
  assert_non_null(strstr(e.message, "did you mean 'rest'"));
  /* a column with a typing error */
  write_table("t,elbwo", stamp, 0, q);
  assert_true(load(model, NULL, NULL, &T, &e) != JN_OK);
  if (!strstr(e.message, "no column 'elbow'; did you mean 'elbwo'?")) fail_msg("%s", e.message);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_recognised),
      cmocka_unit_test(decimals_of_stamps_are_kept),
      cmocka_unit_test(faults_of_the_stamps_are_named),
      cmocka_unit_test(degrees_are_recognised),
      cmocka_unit_test(jumps_by_a_turn_are_removed),
      cmocka_unit_test(wrapped_radians_are_no_degrees),
      cmocka_unit_test(short_flips_are_removed),
      cmocka_unit_test(jumps_tell_wrapped_angles),
      cmocka_unit_test(descriptions_have_the_options),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
