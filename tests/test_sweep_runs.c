/* test_sweep_runs.c: what a sample of each run computes, against the library's own calls and against
 * differences; samples that fail have their status. */
#include "helpers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/files.h"

#include "helpers/plain_numbers.h"

static jn_spec *robot_spec(const char *name) {
  jn_spec *spec = NULL;
  if (strchr(name, '.'))
    assert_ok(jn_spec_load(name, NULL, &spec, NULL));
  else
    assert_ok(jn_spec_builtin(name, NULL, &spec, NULL));
  return spec;
}

static jn_sweep *open_sweep(const char *robot, const char *job) {
  jn_sweep *s = NULL;
  jn_error error = {0};
  jn_spec *spec = robot_spec(robot);
  if (jn_sweep_parse(job, strlen(job), "job", spec, NULL, NULL, &s, &error))
    fail_msg("%s\n%s", job, error.message);
  jn_spec_free(spec);
  return s;
}

/* all rows; bands may be NULL */
static double *rows_of(const jn_sweep *s, double *bands) {
  const jn_sweep_info *f = jn_sweep_about(s);
  jn_sweep_worker *w = NULL;
  double *rows = doubles((size_t)f->samples * (size_t)f->columns);
  assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
  assert_ok(jn_sweep_evaluate(w, 0, f->samples, rows, bands, NULL, NULL));
  jn_sweep_worker_free(w);
  return rows;
}

static int column(const jn_sweep *s, const char *name) {
  const jn_sweep_info *f = jn_sweep_about(s);
  for (int i = 0; i < f->columns; i++)
    if (strcmp(f->names[i], name) == 0) return i;
  fail_msg("no column '%s'", name);
  return -1;
}

#define MOTION                                                                   \
  "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1], " \
  "\"joint2\": [0, 1]}}"

/* to where squares of velocities are beyond the largest number */
#define FAR                                                                      \
  "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1], " \
  "\"joint2\": [0, 1e200]}}"

/* the duration is that of jn_retime with the same limits */
static void retime_has_the_fastest_duration(void **state) {
  (void)state;
  jn_sweep *s = open_sweep(
      "double_pendulum",
      "{\"run\": \"retime\", \"trajectory\": " MOTION
      ", \"set\": {\"limit:velocity:joint2\": 2, "
      "\"limit:lower:joint1\": -3, \"limit:upper:joint1\": 3, \"limit:acceleration:joint1\": 9, "
      "\"limit:acceleration:joint2\": 9, \"limit:lower:joint2\": -3}, "
      "\"vary\": {\"limit:velocity:joint1\": {\"values\": [1, 2]}}}");
  const jn_sweep_info *f = jn_sweep_about(s);
  assert_int_equal(f->columns, 3);
  assert_string_equal(f->names[1], "duration");
  double *rows = rows_of(s, NULL);
  jn_model *m = NULL;
  jn_data *d = NULL;
  jn_trajectory *T = NULL;
  assert_ok(jn_model_load("double_pendulum", NULL, NULL, &m, NULL));
  assert_ok(jn_data_new(m, 1, NULL, &d));
  assert_ok(jn_trajectory_parse(MOTION, strlen(MOTION), "motion", m, NULL, NULL, NULL, &T, NULL));
  jn_limit_range range[2 * JN_LIMIT_KINDS];
  for (int i = 0; i < 2; i++) {
    jn_trajectory *fastest = NULL;
    jn_retime_report report;
    jn_model_limits(m, range);
    for (int j = 0; j < 2; j++) {
      jn_limit_range *r = range + j * JN_LIMIT_KINDS;
      r[JN_LIMIT_VELOCITY].high = j ? 2 : i + 1;
      r[JN_LIMIT_VELOCITY].low = -r[JN_LIMIT_VELOCITY].high;
      r[JN_LIMIT_ACCELERATION].high = 9, r[JN_LIMIT_ACCELERATION].low = -9;
      r[JN_LIMIT_POSITION].low = -3;
      if (!j) r[JN_LIMIT_POSITION].high = 3;
    }
    assert_ok(jn_retime(m, d, T, range, NULL, NULL, &fastest, &report, NULL));
    assert_true(rows[3 * i + 2] == 0);
    check_residual("duration", fabs(rows[3 * i + 1] - report.duration), 1e-12 * report.duration);
    assert_true(report.duration > 1.0 / (i + 1)); /* 1 rad at most so fast */
    jn_trajectory_free(fastest);
  }
  assert_true(rows[1] > rows[4]);
  free(rows);
  jn_trajectory_free(T);
  jn_data_free(d);
  jn_model_free(m);
  jn_sweep_free(s);
}

/* Derivatives by their order: v'' and v^(2) are one parameter; columns from the third on are tau^(3). */
static void orders_have_two_spellings(void **state) {
  (void)state;
  double *rows[2];
  for (int i = 0; i < 2; i++) {
    char job[512];
    snprintf(job, sizeof job,
             "{\"run\": \"id\", \"order\": 3, \"vary\": {\"v%s:joint1\": {\"grid\": [2, 5, 1]}}}",
             i ? "^(2)" : "''");
    jn_sweep *s = open_sweep("double_pendulum", job);
    assert_int_equal(column(s, "tau^(3):joint1") < 0, 0);
    rows[i] = rows_of(s, NULL);
    assert_true(rows[i][0] == 2); /* a grid of one point: its first number */
    assert_true(same_bits(rows[0], rows[i], (size_t)jn_sweep_about(s)->columns));
    jn_sweep_free(s);
  }
  free(rows[0]), free(rows[1]);
}

/* Bands of forces: tau' is the slope of tau, for every type of joint; without "order" there is no tau'. */
static void rates_of_a_controlled_simulation_are_slopes(void **state) {
  (void)state;
  jn_sweep *s = open_sweep(
      TEST_DATA "/odd/all_joint_types.json",
      "{\"run\": \"simulate\", \"scheme\": \"rkmk4\", \"step\": 2e-4, \"instants\": 101, "
      "\"control\": {\"kp\": {\"base\": 3, \"j_spherical\": 0.5, \"j_revolute\": 1}, "
      "\"kd\": {\"j_spherical\": 0.05, \"j_planar\": 0.1, \"base\": 0.3}}, \"time\": 0.02, "
      "\"representation\": \"body\", \"trajectory\": {\"kind\": \"minimum\", \"times\": [0, 1], "
      "\"hold\": true, \"joints\": {\"j_revolute\": [0, 1]}}, "
      "\"samples\": 1, \"vary\": {\"tau:j_revolute\": {\"uniform\": [0.1, 0.2]}}}");
  const jn_sweep_info *f = jn_sweep_about(s);
  const int nv = f->channels / 2, n = f->instants;
  double *bands = doubles((size_t)f->channels * (size_t)n), *rows = rows_of(s, bands), worst = 0;
  assert_true(rows[f->columns - 1] == 0);
  for (int i = 0; i < nv; i++) {
    const double *tau = bands + i * n, *rate = bands + (nv + i) * n;
    const double size = largest(rate, (size_t)n) + 1e-3;
    for (int k = 2; k < n - 2; k++) {
      const double h = f->times[k + 1] - f->times[k],
                   slope = (8 * (tau[k + 1] - tau[k - 1]) - tau[k + 2] + tau[k - 2]) / (12 * h);
      worst = fmax(worst, fabs(slope - rate[k]) / size);
    }
  }
  check_residual("tau' against the slope of tau", worst, 1e-5);
  free(bands), free(rows);
  jn_sweep_free(s);
  s = open_sweep("double_pendulum",
                 "{\"run\": \"traj\", \"order\": 0, \"instants\": 3, \"trajectory\": [" MOTION
                 ", " MOTION
                 "], \"set\": {\"time_scale\": 2}, "
                 "\"vary\": {\"trajectory\": {\"values\": [0, 1]}}}");
  assert_int_equal(jn_sweep_about(s)->channels, 2);
  assert_int_equal(jn_sweep_about(s)->durations, 1);
  rows = rows_of(s, NULL);
  const int columns = jn_sweep_about(s)->columns;
  assert_true(same_bits(rows + 1, rows + columns + 1, (size_t)columns - 1)); /* equal motions */
  free(rows);
  jn_sweep_free(s);
}

/* more references than are kept, and steps that differ from sample to sample: a row is that of its
 * sample alone */
static void what_is_kept_of_the_reference_changes_nothing(void **state) {
  (void)state;
  static const char *const jobs[] = {
      "{\"run\": \"simulate\", \"scheme\": \"rkmk4\", \"step\": 4e-4, \"instants\": 3, "
      "\"control\": {\"kp\": 5}, \"trajectory\": " MOTION
      ", \"vary\": {\"v:joint1\": {\"values\": "
      "[0, 1]}}}",
      "{\"run\": \"simulate\", \"tolerance\": 1e-6, \"instants\": 3, \"control\": {\"kp\": "
      "{\"joint1\": 5}}, \"trajectory\": " MOTION
      ", \"vary\": {\"v:joint1\": {\"values\": [0, "
      "3]}}}"};
  for (size_t i = 0; i < COUNT(jobs); i++) {
    jn_sweep *s = open_sweep("double_pendulum", jobs[i]);
    const size_t columns = (size_t)jn_sweep_about(s)->columns;
    double *both = rows_of(s, NULL), *alone = doubles(columns);
    jn_sweep_worker *w = NULL;
    assert_ok(jn_sweep_worker_new(s, NULL, &w, NULL));
    assert_ok(jn_sweep_evaluate(w, 1, 1, alone, NULL, NULL, NULL));
    assert_true(both[columns - 1] == 0 && same_bits(alone, both + columns, columns));
    jn_sweep_worker_free(w);
    free(both), free(alone);
    jn_sweep_free(s);
  }
}

/* The status of the last sample of a job; its results are NaN. */
static void fails_with(const char *robot, const char *job, jn_status want) {
  jn_sweep *s = open_sweep(robot, job);
  const jn_sweep_info *f = jn_sweep_about(s);
  double *rows = rows_of(s, NULL);
  const double *row = rows + (f->samples - 1) * (uint64_t)f->columns;
  if ((jn_status)row[f->columns - 1] != want)
    fail_msg("%s: %s", job, jn_status_text((jn_status)row[f->columns - 1]));
  for (int i = f->parameters; i < f->columns - 1; i++) assert_true(isnan(row[i]));
  free(rows);
  jn_sweep_free(s);
}

static void samples_that_fail_have_their_status(void **state) {
  (void)state;
  /* longer than the trajectory */
  fails_with("double_pendulum",
             "{\"run\": \"simulate\", \"time\": 1.5, \"control\": {}, \"trajectory\": " MOTION
             ", \"vary\": {\"v:joint1\": {\"values\": [0]}}}",
             JN_ERR_ARGUMENT);
  /* an infinite number, drawn */
  fails_with("double_pendulum",
             "{\"run\": \"id\", \"samples\": 1, \"seed\": 2, \"vary\": {\"q:joint1\": "
             "{\"normal\": [1.7e308, 1e308]}}}",
             JN_ERR_NOT_FINITE);
  /* forces beyond the largest number */
  for (int varies = 0; varies < 2; varies++)
    fails_with("double_pendulum",
               varies ? "{\"run\": \"id\", \"set\": {\"v:joint2\": 1e200, \"q:joint2\": 1}, "
                        "\"vary\": {\"mass:link1\": {\"values\": [1]}}}"
                      : "{\"run\": \"id\", \"set\": {\"q:joint2\": 1}, "
                        "\"vary\": {\"v:joint2\": {\"values\": [1e200]}}}",
               JN_ERR_NOT_FINITE);
  /* the same along the reference */
  fails_with("double_pendulum",
             "{\"run\": \"simulate\", \"scheme\": \"rkmk4\", \"step\": 0.25, \"control\": {}, "
             "\"trajectory\": {\"kind\": \"minimum\", "
             "\"times\": [0, 1], \"joints\": {\"joint1\": [0, 1], \"joint2\": [0, 1e200]}}, "
             "\"vary\": {\"v:joint1\": {\"values\": [0]}}}",
             JN_ERR_NOT_FINITE);
  /* at the start: of the reference, whose jerk is beyond the largest number, and of the state */
  fails_with("double_pendulum",
             "{\"run\": \"simulate\", \"scheme\": \"rkmk4\", \"step\": 0.25, \"control\": {}, "
             "\"trajectory\": {\"kind\": \"minimum\", "
             "\"times\": [0, 1e-60], \"joints\": {\"joint1\": [0, 1], \"joint2\": [0, 1e200]}}, "
             "\"vary\": {\"v:joint1\": {\"values\": [0]}}}",
             JN_ERR_NOT_FINITE);
  fails_with("double_pendulum",
             "{\"run\": \"simulate\", \"scheme\": \"rkmk4\", \"step\": 0.25, \"control\": {}, "
             "\"set\": {\"q:joint2\": 1}, \"trajectory\": " MOTION
             ", \"vary\": {\"v:joint1\": {\"values\": [1e200]}}}",
             JN_ERR_NOT_FINITE);
  /* along a trajectory, and forward */
  for (int limits = 0; limits < 2; limits++)
    fails_with("double_pendulum",
               limits ? "{\"run\": \"limits\", \"trajectory\": " FAR
                        ", \"vary\": {\"limit:effort:joint1\": {\"values\": [1]}}}"
                      : "{\"run\": \"traj\", \"trajectory\": " FAR
                        ", \"vary\": {\"mass:link1\": {\"values\": [1]}}}",
               JN_ERR_NOT_FINITE);
  fails_with("double_pendulum",
             "{\"run\": \"fd\", \"set\": {\"v:joint2\": 1e200, \"q:joint2\": 1}, "
             "\"vary\": {\"mass:link1\": {\"values\": [1]}}}",
             JN_ERR_NOT_FINITE);
  /* no motion is slow enough for it: gravity needs more force */
  fails_with("double_pendulum",
             "{\"run\": \"retime\", \"trajectory\": " MOTION
             ", \"vary\": {\"limit:effort:joint1\": {\"values\": [1e-3]}}}",
             JN_ERR_INFEASIBLE);
}

/* Trajectories that vary, followed for the same time: each sample is that of its trajectory alone. */
static void a_trajectory_of_several_is_cut_to_the_time(void **state) {
  (void)state;
  double *rows[3];
  int columns = 0;
  for (int i = 0; i < 3; i++) {
    char job[1024];
    snprintf(job, sizeof job,
             "{\"run\": \"simulate\", \"time\": 0.5, \"instants\": 3, \"control\": {\"kp\": 2}, "
             "\"scheme\": \"rkmk4\", \"step\": 0.125, \"trajectory\": [" MOTION
             ", {\"kind\": \"minimum\", \"times\": [0, 2], \"joints\": {\"joint1\": [0, 1], "
             "\"joint2\": [1, 0]}}], %s}",
             i == 2 ? "\"vary\": {\"trajectory\": {\"values\": [0, 1]}}"
             : i    ? "\"set\": {\"trajectory\": 1}, \"vary\": {\"v:joint1\": {\"values\": [0]}}"
                    : "\"set\": {\"trajectory\": 0}, \"vary\": {\"v:joint1\": {\"values\": [0]}}");
    jn_sweep *s = open_sweep("double_pendulum", job);
    const jn_sweep_info *f = jn_sweep_about(s);
    assert_int_equal(f->durations, 0);
    assert_true(f->times[2] == 0.5);
    columns = f->columns;
    rows[i] = rows_of(s, NULL);
    assert_true(rows[i][columns - 1] == 0);
    jn_sweep_free(s);
  }
  for (int i = 0; i < 2; i++) /* but for the parameter */
    assert_true(same_bits(rows[i] + 1, rows[2] + i * columns + 1, (size_t)columns - 1));
  assert_false(same_bits(rows[0] + 1, rows[1] + 1, (size_t)columns - 1));
  for (int i = 0; i < 3; i++) free(rows[i]);
}

/* the rows of two jobs of a robot have the same bits */
static void same_rows(const jn_spec *spec, const char *first, const char *second) {
  double *rows[2];
  size_t numbers[2];
  for (int i = 0; i < 2; i++) {
    const char *job = i ? second : first;
    jn_sweep *s = NULL;
    jn_error error = {0};
    if (jn_sweep_parse(job, strlen(job), "job", spec, NULL, NULL, &s, &error))
      fail_msg("%s\n%s", job, error.message);
    const jn_sweep_info *f = jn_sweep_about(s);
    numbers[i] = (size_t)f->samples * (size_t)f->columns;
    rows[i] = rows_of(s, NULL);
    assert_true(rows[i][numbers[i] - 1] == 0);
    jn_sweep_free(s);
  }
  assert_int_equal(numbers[0], numbers[1]);
  assert_true(same_bits(rows[0], rows[1], numbers[0]));
  free(rows[0]), free(rows[1]);
}

/* A base is "base", whatever its joint is called. */
static void gains_of_a_base_have_two_names(void **state) {
  (void)state;
  char job[2][1024];
  jn_spec *spec = robot_spec(TEST_DATA "/odd/all_joint_types.json");
  for (int i = 0; i < 2; i++)
    snprintf(
        job[i], sizeof job[i],
        "{\"run\": \"simulate\", \"instants\": 3, \"scheme\": \"rkmk4\", \"step\": 0.25, "
        "\"control\": {\"kp\": {\"%s\": 3}}, \"trajectory\": {\"kind\": \"minimum\", \"times\": "
        "[0, 1], \"hold\": true, \"joints\": {\"base\": [[1, 0, 0, 0, 0, 0, 1], "
        "[1, 0, 0, 0, 0.5, 0, 1.5]]}}, \"vary\": {\"gravity:x\": {\"values\": [0.1]}}}",
        i ? "j_free" : "base");
  same_rows(spec, job[0], job[1]);
  jn_spec_free(spec);
}

/* Joints that are all driven depend on each other in a loop: then none is taken as it is given. */
static void of_dependent_joints_none_is_driven(void **state) {
  (void)state;
  jn_spec *fourbar = robot_spec("fourbar"), *spec = NULL;
  char *text = NULL;
  int found = 0;
  assert_ok(jn_spec_to_json(fourbar, NULL, &text, NULL));
  for (char *at = text; (at = strstr(at, "\"passive\": true")); found++)
    memcpy(at, "\"passive\":false", 15);
  assert_true(found > 0);
  assert_ok(jn_spec_parse_json(text, strlen(text), NULL, NULL, &spec, NULL));
  same_rows(spec, "{\"run\": \"id\", \"vary\": {\"q:crank\": {\"values\": [0.2, 0.3]}}}",
            "{\"run\": \"id\", \"driven\": [], "
            "\"vary\": {\"q:crank\": {\"values\": [0.2, 0.3]}}}");
  jn_text_free(text, NULL);
  jn_spec_free(spec);
  jn_spec_free(fourbar);
}

/* The columns of rotors: those of jn_limit_check. */
static void rotors_have_columns_of_their_limits(void **state) {
  (void)state;
  static const char motion[] =
      "{\"kind\": \"minimum\", \"times\": [0, 1], \"hold\": true, \"joints\": {\"base\": "
      "[[1, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0.5, 0, 1.5]]}}";
  char job[1024], name[200], text[100];
  jn_model *m = NULL;
  jn_data *d = NULL;
  jn_trajectory *T = NULL;
  jn_limit_check *check = NULL;
  jn_error error = {0};
  jn_spec *spec = robot_spec("tilthex");
  const jn_link_desc *link = jn_spec_link(spec, 0); /* of the mass it has */
  snprintf(job, sizeof job,
           "{\"run\": \"limits\", \"instants\": 40, \"trajectory\": %s, "
           "\"vary\": {\"mass:%s\": {\"values\": [%.17g]}}}",
           motion, link->name, link->mass);
  jn_sweep *s = open_sweep("tilthex", job);
  double *rows = rows_of(s, NULL);
  assert_ok(jn_model_load("tilthex", NULL, NULL, &m, NULL));
  assert_ok(jn_data_new(m, 1, NULL, &d));
  assert_ok(jn_trajectory_parse(motion, strlen(motion), "motion", m, NULL, NULL, NULL, &T, &error));
  const int nv = jn_model_nv(m), rotors = jn_model_rotor_count(m);
  jn_limit_range *range = calloc((size_t)(nv + rotors) * JN_LIMIT_KINDS, sizeof *range);
  assert_non_null(range);
  assert_ok(jn_model_limits(m, range));
  assert_ok(jn_limit_check_new(m, d, T, range, 40, NULL, &check, &error));
  assert_int_equal(rotors, 6);
  for (int i = 0; i < rotors; i++) {
    const jn_limit_peak *p = jn_limit_check_peak(check, nv + i, JN_LIMIT_EFFORT);
    assert_ok(jn_limit_row_name(m, nv + i, text, sizeof text));
    snprintf(name, sizeof name, "used thrust:%s", text);
    assert_true(p->used > 0);
    check_residual(name, fabs(rows[column(s, name)] - p->used) / p->used, 1e-12);
  }
  jn_limit_check_free(check);
  free(range);
  free(rows);
  jn_trajectory_free(T);
  jn_data_free(d);
  jn_model_free(m);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

/* A trajectory before the time zero is followed to its end; rounding of the time does no harm. */
static void time_may_be_negative(void **state) {
  (void)state;
  static const double ends[][2] = {{-2, 1}, {0, 1}, {5, 1}, {0, 1.0000000000005}};
  double first[64];
  for (size_t i = 0; i < COUNT(ends); i++) {
    char job[512];
    snprintf(job, sizeof job,
             "{\"run\": \"simulate\", \"time\": %.17g, \"instants\": 3, \"scheme\": \"rkmk4\", "
             "\"step\": 0.125, \"control\": {\"kp\": 2}, \"trajectory\": {\"kind\": \"minimum\", "
             "\"times\": [%g, %g], \"joints\": {\"joint1\": [0, 1], \"joint2\": [0, 1]}}, "
             "\"vary\": {\"v:joint1\": {\"values\": [0.5]}}}",
             ends[i][1], ends[i][0], ends[i][0] + 1);
    jn_sweep *s = open_sweep("double_pendulum", job);
    const int columns = jn_sweep_about(s)->columns;
    double *rows = rows_of(s, NULL);
    assert_true(columns <= 64 && rows[columns - 1] == 0);
    if (i == 0) memcpy(first, rows, (size_t)columns * sizeof *first);
    check_residual("the same motion at another time",
                   largest_difference(rows, first, (size_t)columns), 1e-9);
    free(rows);
    jn_sweep_free(s);
  }
}

/* Loads on two links; a time that varies though the motion is cut to "time"; no bands; a normal time
 * scale. What is asked for is what the job says of itself. */
static void jobs_say_what_they_are(void **state) {
  (void)state;
  jn_sweep *s =
      open_sweep("double_pendulum",
                 "{\"run\": \"simulate\", \"time\": 0.5, \"control\": {}, \"trajectory\": "
                 "[" MOTION
                 "], \"samples\": 3, \"bands\": 0, \"vary\": {\"time_scale\": "
                 "{\"normal\": [2, 0.1]}, \"payload:link1\": {\"uniform\": [0, 1]}, "
                 "\"payload:link2\": {\"uniform\": [0, 1]}, "
                 "\"payload:link2:z\": {\"uniform\": [0, 1]}}}");
  const jn_sweep_info *f = jn_sweep_about(s);
  assert_int_equal(f->channels, 0);
  assert_int_equal(f->instants, 0);
  assert_int_equal(f->band_every, 3);
  assert_int_equal(f->durations, 0);
  double *rows = rows_of(s, NULL);
  for (int i = 0; i < 3; i++) assert_true(rows[(i + 1) * f->columns - 1] == 0);
  free(rows);
  jn_sweep_free(s);
  s = open_sweep("double_pendulum",
                 "{\"run\": \"simulate\", \"time\": 0.5, \"instants\": 3, \"control\": {}, "
                 "\"trajectory\": " MOTION
                 ", \"samples\": 4, \"bands\": 2, "
                 "\"vary\": {\"time_scale\": {\"uniform\": [2, 3]}}}");
  f = jn_sweep_about(s);
  assert_int_equal(f->durations, 0); /* 0.5 s in all samples */
  assert_int_equal(f->band_every, 2);
  assert_true(f->times[0] == 0 && f->times[1] == 0.25 && f->times[2] == 0.5);
  jn_sweep_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(retime_has_the_fastest_duration),
      cmocka_unit_test(orders_have_two_spellings),
      cmocka_unit_test(rates_of_a_controlled_simulation_are_slopes),
      cmocka_unit_test(what_is_kept_of_the_reference_changes_nothing),
      cmocka_unit_test(samples_that_fail_have_their_status),
      cmocka_unit_test(time_may_be_negative),
      cmocka_unit_test(jobs_say_what_they_are),
      cmocka_unit_test(a_trajectory_of_several_is_cut_to_the_time),
      cmocka_unit_test(gains_of_a_base_have_two_names),
      cmocka_unit_test(of_dependent_joints_none_is_driven),
      cmocka_unit_test(rotors_have_columns_of_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
