/* test_retime_paths.c: given speeds at the ends, paths whose own time is uneven, waypoints without times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/retime.h"

typedef struct joint {
  jn_model *model;
  jn_data *data;
  jn_limit_range range[JN_LIMIT_KINDS];
} joint;

static joint joint_new(void) {
  joint x;
  jn_error error = {0};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &x.model, &error));
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  no_limits(1, x.range);
  return x;
}

static void joint_free(joint *x) {
  jn_data_free(x->data);
  jn_model_free(x->model);
}

static void limit(joint *x, jn_limit_kind kind, double size) {
  x->range[kind] = (jn_limit_range){-size, size};
}

static double speed_at(const jn_trajectory *motion, int end) {
  double u[2];
  assert_ok(jn_trajectory_clock(motion, end ? jn_trajectory_end(motion) : 0, 1, u));
  return u[1];
}

/* q = u + 0.2 u^2 from 0 to d = 1.2 with the acceleration A and the speeds v_0, v_1 at the ends: up to
 * v^2 = A d + (v_0^2 + v_1^2)/2, then down; T = (2 v - v_0 - v_1)/A. At the start q' = u', at the end
 * 1.4 u'. */
static void given_speeds_are_met(void **state) {
  (void)state;
  joint x = joint_new();
  jn_error error = {0};
  jn_trajectory *path = NULL;
  const double c[3] = {0, 1, 0.2}, d = 1.2, A = 5;
  const double cases[][2] = {{0.8, 0.5}, {0, 0.7}, {1.1, 0}, {2, 1.2}};
  assert_ok(jn_trajectory_polynomial(x.model, 0, 1, 2, c, NULL, &path, &error));
  limit(&x, JN_LIMIT_ACCELERATION, A);
  for (int rates = 0; rates < 2; rates++) {
    if (rates) limit(&x, JN_LIMIT_JERK, 200);
    for (size_t i = 0; i < COUNT(cases); i++) {
      jn_retime_options o = jn_retime_options_default();
      jn_retime_report report = {0};
      jn_trajectory *motion = NULL;
      o.ends = JN_ENDS_GIVEN;
      o.without_rates = !rates;
      const double v0 = o.speed[0] = cases[i][0], v1 = 1.4 * (o.speed[1] = cases[i][1]);
      const jn_status status =
          jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, &report, &error);
      if (status) print_error("%s\n", error.message);
      assert_ok(status);
      const double T = (2 * sqrt(A * d + (v0 * v0 + v1 * v1) / 2) - v0 - v1) / A;
      print_message("ends %.1f, %.1f, %s: %.5f s, without rates at least %.5f s\n", o.speed[0],
                    o.speed[1], rates ? "rates" : "no rates", report.duration, T);
      for (int end = 0; end < 2; end++)
        check_residual("speed at an end", fabs(speed_at(motion, end) - o.speed[end]), 1e-9);
      assert_true(report.duration > T);
      if (!rates) check_residual("duration with given speeds", report.duration / T - 1, 4e-3);
      assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
      jn_trajectory_free(motion);
    }
  }
  /* a clock that starts slowly where the path is at rest changes much in its first cell: the motion is
   * examined as a whole, and found again slower */
  const double rest[3] = {0, 0.4, 1}, when[3] = {0, 1, 2};
  for (int fine = 0; fine < 2; fine++) {
    jn_retime_options slow = jn_retime_options_default();
    jn_trajectory *still = NULL, *motion = NULL;
    slow.ends = JN_ENDS_GIVEN;
    slow.intervals = fine ? 64 : 32;
    slow.speed[0] = 0.1;
    assert_ok(jn_trajectory_minimum(x.model, 3, 3, when, rest, NULL, NULL, &still, &error));
    assert_ok(jn_retime(x.model, x.data, still, x.range, &slow, NULL, &motion, NULL, &error));
    check_residual("a slow start", fabs(speed_at(motion, 0) - 0.1), 1e-9);
    assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
    jn_trajectory_free(still);
    jn_trajectory_free(motion);
  }
  /* on fine grids rounding errors take a part of the limits of rates: of the slowing that given speeds need
   * anyway, or more than that */
  static const int counts[] = {1000, 4000, 20000};
  double before = 0;
  for (size_t i = 0; i < COUNT(counts); i++) {
    jn_retime_options many = jn_retime_options_default();
    jn_retime_report report = {0};
    jn_trajectory *motion = NULL;
    many.ends = JN_ENDS_GIVEN;
    many.speed[0] = 0.8, many.speed[1] = 0.5;
    many.intervals = counts[i];
    assert_ok(jn_retime(x.model, x.data, path, x.range, &many, NULL, &motion, &report, &error));
    print_message("%d intervals: slowed down by %.6f\n", report.intervals, report.slowed);
    for (int end = 0; end < 2; end++)
      check_residual("speed at an end", fabs(speed_at(motion, end) - many.speed[end]), 1e-9);
    if (before > 0)
      check_residual("duration on a fine grid", fabs(report.duration / before - 1), 2e-3);
    assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
    before = report.duration;
    jn_trajectory_free(motion);
  }
  /* too fast: the largest is named, and it can be had */
  jn_retime_options o = jn_retime_options_default();
  jn_trajectory *motion = NULL;
  o.ends = JN_ENDS_GIVEN;
  o.speed[0] = 40, o.speed[1] = 0;
  assert_status(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error),
                JN_ERR_INFEASIBLE);
  const char *most = strstr(error.message, "it can be ");
  assert_non_null(most);
  o.speed[0] = 0.999 * atof(most + 10);
  print_message("%s\n", error.message);
  assert_true(o.speed[0] > 2.5 && o.speed[0] < sqrt(2 * A * d));
  assert_ok(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error));
  check_residual("the largest speed", fabs(speed_at(motion, 0) - o.speed[0]), 1e-9);
  jn_trajectory_free(motion);
  o.objective = JN_OBJECTIVE_MIXED, o.weight = 1;
  motion = NULL;
  assert_status(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error),
                JN_ERR_ARGUMENT);
  jn_trajectory_free(path);
  joint_free(&x);
}

/* Short pieces at both ends of the path, all within the first and the last of few cells. The motion is examined as
 * a whole and must be slower; found again with ends that are faster by so much, it breaks the limit as before,
 * because its speed at the start is given. */
static void few_cells_hide_what_a_given_speed_breaks(void **state) {
  (void)state;
  joint x = joint_new();
  jn_error error = {0};
  jn_trajectory *path = NULL, *motion = NULL;
  const double times[4] = {0, 0.00402192, 0.469643, 0.475747},
               q[4] = {0, -6.36899e-05, 0.465557, 0.465654};
  assert_ok(jn_trajectory_minimum(x.model, 4, 4, times, q, NULL, NULL, &path, &error));
  limit(&x, JN_LIMIT_ACCELERATION, 2.00288);
  limit(&x, JN_LIMIT_JERK, 1.85078);
  jn_retime_options o = jn_retime_options_default();
  o.ends = JN_ENDS_GIVEN;
  o.intervals = 16;
  o.speed[0] = 0.062, o.speed[1] = 0.02684;
  assert_status(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error),
                JN_ERR_SINGULAR);
  print_message("%s\n", error.message);
  assert_non_null(strstr(error.message, "the motion breaks a limit by 0.001"));
  assert_non_null(strstr(error.message, "between grid points: take more intervals"));
  assert_null(motion);
  /* slower by a tenth it can be had */
  o.speed[0] = 0.0558;
  assert_ok(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error));
  check_residual("speed at an end", fabs(speed_at(motion, 0) - o.speed[0]), 1e-9);
  assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
  jn_trajectory_free(motion);
  /* and so with more intervals */
  o.intervals = 512, o.speed[0] = 0.062;
  motion = NULL;
  assert_ok(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error));
  check_residual("speed at an end", fabs(speed_at(motion, 0) - o.speed[0]), 1e-9);
  assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
  jn_trajectory_free(motion);
  jn_trajectory_free(path);
  joint_free(&x);
}

/* More pieces than cells: tightened between the points of the grid, the limits are still exceeded by more than the
 * ends were made faster for, in every trial. */
static void few_cells_cannot_meet_a_given_speed(void **state) {
  (void)state;
  enum { POINTS = 56 };
  joint x = joint_new();
  jn_error error = {0};
  jn_trajectory *path = NULL, *motion = NULL;
  double times[POINTS] = {0}, q[POINTS] = {0};
  for (int i = 1; i < POINTS; i++) {
    const double step = 0.3 + 0.25 * sin(1.3 * i * i + 9);
    times[i] = times[i - 1] + step;
    q[i] = q[i - 1] + step * (1 + 0.8 * sin(2.1 * i + 9));
  }
  assert_ok(jn_trajectory_minimum(x.model, 4, POINTS, times, q, NULL, NULL, &path, &error));
  limit(&x, JN_LIMIT_ACCELERATION, 0.15);
  jn_retime_options o = jn_retime_options_default();
  o.ends = JN_ENDS_GIVEN;
  o.intervals = 16;
  o.speed[0] = 0.1277, o.speed[1] = 0;
  assert_status(jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error),
                JN_ERR_SINGULAR);
  print_message("%s\n", error.message);
  assert_non_null(
      strstr(error.message, "the speeds at the ends cannot be met: a limit is exceeded"));
  assert_null(motion);
  /* with more intervals it can be had */
  o.intervals = 1024;
  const jn_status status =
      jn_retime(x.model, x.data, path, x.range, &o, NULL, &motion, NULL, &error);
  if (status) print_error("%s\n", error.message);
  assert_ok(status);
  check_residual("speed at an end", fabs(speed_at(motion, 0) - o.speed[0]), 1e-9);
  assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
  jn_trajectory_free(motion);
  jn_trajectory_free(path);
  joint_free(&x);
}

/* A spline whose control points increase, so that it does too: it creeps but for one large step. The fastest
 * motion is that of an even path, from rest to rest by jerk alone: (32 d/J)^(1/3). */
static void cells_take_similar_times(void **state) {
  (void)state;
  enum { DEGREE = 5, MOST = 40 };
  joint x = joint_new();
  jn_error error = {0};
  const double J = 60, d = 3.5, want = cbrt(32 * d / J);
  limit(&x, JN_LIMIT_JERK, J);
  for (int rush = 0; rush < 3; rush++) {
    const int count = rush == 0 ? 9 : rush == 1 ? 12 : MOST;
    double knots[MOST + DEGREE + 1], q[MOST];
    for (int i = 0; i < count; i++) {
      /* three equal ones at the ends: at rest, as u^3 */
      const double s = (double)(i < 2 ? 0 : i > count - 3 ? count - 5 : i - 2) / (count - 5);
      q[i] = d * (0.2 * s + (i > count / 3 ? 0.8 : 0));
    }
    assert_ok(jn_bspline_knots(0, 1, DEGREE, count, knots));
    jn_trajectory *path = NULL, *motion = NULL;
    jn_retime_report report = {0};
    assert_ok(jn_trajectory_bspline(x.model, DEGREE, count, knots, q, NULL, &path, &error));
    assert_ok(jn_retime(x.model, x.data, path, x.range, NULL, NULL, &motion, &report, &error));
    /* the longest cell: rows of the outermost clock are breaks of the motion */
    double longest = 0, last = 0;
    for (double t = 0; t < report.duration;) {
      const double next = fmin(jn_trajectory_next_break(motion, t), report.duration);
      if (next > last + 1e-9) longest = fmax(longest, next - last), last = next;
      t = next;
    }
    print_message(
        "%d control points: %.6f s, %.2e slower than the closed form, %d intervals, the longest "
        "%.1f ms\n",
        count, report.duration, report.duration / want - 1, report.intervals, 1e3 * longest);
    assert_true(report.duration > want * (1 - 1e-7));
    /* beyond, it is a local minimum, and much faster than one time scale only */
    if (rush < 2)
      check_residual("uneven path against the closed form", report.duration / want - 1, 2e-3);
    check_residual("longest cell", longest, 16e-3);
    assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
    assert_same_path(x.model, path, motion);
    jn_trajectory_free(path);
    jn_trajectory_free(motion);
  }
  joint_free(&x);
}

/* Steps in proportion to the root of the distance; the motion passes through the waypoints, and the fastest
 * clock does not depend on them: on a line it is the closed form. */
static void waypoints_need_no_times(void **state) {
  (void)state;
  joint x = joint_new();
  jn_error error = {0};
  const double q[4] = {0, 0.1, 1, 1.4}, same[3] = {0, 0.5, 0.5}, J = 50;
  double times[4] = {-1, -1, -1, -1};
  assert_ok(jn_path_times(x.model, 4, q, NULL, times));
  const double roots[3] = {sqrt(0.1), sqrt(0.9), sqrt(0.4)}, sum = roots[0] + roots[1] + roots[2];
  for (int i = 0; i < 3; i++)
    check_residual("steps of a path", fabs(times[i + 1] - times[i] - 3 * roots[i] / sum), 1e-14);
  assert_true(times[0] == 0);
  jn_trajectory *path = NULL, *motion = NULL;
  assert_ok(jn_trajectory_minimum(x.model, 3, 4, times, q, NULL, NULL, &path, &error));
  limit(&x, JN_LIMIT_JERK, J);
  assert_ok(jn_retime(x.model, x.data, path, x.range, NULL, NULL, &motion, NULL, &error));
  check_residual("a line without times", jn_trajectory_end(motion) / cbrt(32 * 1.4 / J) - 1, 1e-3);
  jn_trajectory_free(path);
  jn_trajectory_free(motion);
  assert_status(jn_path_times(x.model, 3, same, NULL, times), JN_ERR_ARGUMENT);
  assert_status(jn_path_times(x.model, 1, same, NULL, times), JN_ERR_ARGUMENT);
  assert_status(jn_path_times(x.model, 3, NULL, NULL, times), JN_ERR_ARGUMENT);
  /* as a file: the base, joints, both. Distances 1 and 4, 4 and 1, 5 and 17^(1/2) */
#define OF_JOINTS "\"joints\": {\"q2\": [0, 0, 0.6], \"q5\": [1, -3, -3.8]}"
  static const struct {
    const char *text;
    double step;
  } files[] = {
      {"\"base\": [[1, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 1, 0, 1], [1, 0, 0, 0, 1, 0, 5]]", 2.0 / 3},
      {OF_JOINTS, 4.0 / 3},
      {"\"base\": [[1, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 3, 0, 1], [1, 0, 0, 0, 3, 0, "
       "5]], " OF_JOINTS,
       2 / (1 + sqrt(sqrt(17.0) / 5))}};
  jn_model *flying = NULL;
  assert_ok(jn_model_load("tilthex", NULL, NULL, &flying, &error));
  for (size_t i = 0; i < COUNT(files); i++) {
    char text[256];
    snprintf(text, sizeof text, "{\"kind\": \"minimum\", \"times\": \"path\", %s}", files[i].text);
    assert_ok(jn_trajectory_parse(text, strlen(text), "path.json", flying, NULL, NULL, NULL, &path,
                                  &error));
    check_residual("break of a path", fabs(jn_trajectory_next_break(path, 0) - files[i].step),
                   1e-12);
    assert_true(fabs(jn_trajectory_end(path) - 2) < 1e-12);
    jn_trajectory_free(path);
  }
  jn_model_free(flying);
  joint_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(given_speeds_are_met),
      cmocka_unit_test(few_cells_hide_what_a_given_speed_breaks),
      cmocka_unit_test(few_cells_cannot_meet_a_given_speed),
      cmocka_unit_test(cells_take_similar_times),
      cmocka_unit_test(waypoints_need_no_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
