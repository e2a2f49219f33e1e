/* test_retime_coarse.c: clocks on grids that are too coarse for their path, and motions whose grid points do
 * not show what happens between them. */
#include <math.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/one_joint.h"
#include "helpers/retime.h"

/* A pendulum through four angles, from 0 on. */
static one through(int derivative, const double *times, const double *angles) {
  one x = one_joint(derivative, 0, 1);
  jn_error e = {0};
  jn_trajectory_free(x.path);
  assert_ok(jn_trajectory_minimum(x.model, derivative, 4, times, angles, NULL, NULL, &x.path, &e));
  return x;
}

/* Between points that are far apart the speed of a clock may pass zero: no motion, and a message of what helps.
 * Finer grids have one. */
static void a_clock_that_stops_between_its_points_is_refused(void **state) {
  (void)state;
  static const struct {
    int intervals;
    double t, q[4];
  } cases[] = {{20, 0.5, {0, -1.5065243126049959, 0.77924717223033957, 1.6967046851641809}},
               {18, 0.4, {0, -0.85858858209873956, 0.62424808471464699, 0.19977673759387882}}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const double times[4] = {0, cases[i].t, 1, 2};
    one x = through(2, times, cases[i].q);
    jn_retime_options o = jn_retime_options_default();
    one_limit(&x, JN_LIMIT_JERK, 30);
    one_limit(&x, JN_LIMIT_EFFORT, 8);
    o.intervals = cases[i].intervals;
    one_refused(&x, &o, JN_ERR_SINGULAR,
                "the motion stops or turns back between grid points: take more intervals");
    /* both keep the limits; a cell of the second takes five times the mean, which is evened out; the third
     * derivative of the path jumps, and what is exceeded there between points slows them down, by 7 % at
     * most */
    o.intervals = 500;
    const double fine = one_time(&x, &o), best = one_time(&x, NULL);
    check_residual("500 intervals against the automatic grid", fabs(fine / best - 1), 0.07);
    one_free(&x);
  }
}

/* A duration that the fastest motion just has, but not the one of least effort on a coarse grid. */
static void a_duration_that_a_coarse_grid_misses_is_refused(void **state) {
  (void)state;
  const double times[4] = {0, 0.4, 1, 2},
               q[4] = {0, -1.6819574036074556, 1.5079488876825677, 0.81630299801755113};
  one x = through(2, times, q);
  jn_retime_options o = jn_retime_options_default();
  one_limit(&x, JN_LIMIT_ACCELERATION, 5);
  o.intervals = 16;
  o.duration = 1.0002 * one_time(&x, &o);
  o.objective = JN_OBJECTIVE_EFFORT;
  one_refused(&x, &o, JN_ERR_INFEASIBLE, " s: take more intervals");
  o.intervals = 500;
  assert_true(one_time(&x, &o) <= o.duration);
  one_free(&x);
}

/* A path of arm6 whose first joint moves steadily and whose fourth jumps in the middle. */
typedef struct arm {
  jn_model *model;
  jn_data *data;
  jn_trajectory *path;
  jn_limit_range range[6 * JN_LIMIT_KINDS];
} arm;
enum { POINTS = 21 };
static arm arm_new(double slow) {
  arm x;
  jn_error e = {0};
  double t[POINTS], q[6 * POINTS] = {0};
  assert_ok(jn_model_load("arm6", NULL, NULL, &x.model, &e));
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  for (int i = 0; i < POINTS; i++) t[i] = i, q[6 * i] = 0.1 * i, q[6 * i + 3] = i > POINTS / 2;
  assert_ok(jn_trajectory_minimum(x.model, 3, POINTS, t, q, NULL, NULL, &x.path, &e));
  no_limits(6, x.range);
  for (int i = 0; i < 6; i++) {
    jn_limit_range *r = x.range + i * JN_LIMIT_KINDS;
    r[JN_LIMIT_VELOCITY] = i ? (jn_limit_range){-slow, slow} : (jn_limit_range){-10, 10};
    r[JN_LIMIT_ACCELERATION] = (jn_limit_range){-50, 50};
  }
  return x;
}
static void arm_free(arm *x) {
  jn_trajectory_free(x->path);
  jn_data_free(x->data);
  jn_model_free(x->model);
}
static jn_trajectory *arm_motion(arm *x, const jn_retime_options *o) {
  jn_trajectory *T = NULL;
  jn_error e = {0};
  if (jn_retime(x->model, x->data, x->path, x->range, o, NULL, &T, NULL, &e))
    fail_msg("%s", e.message);
  assert_same_path(x->model, x->path, T);
  return T;
}

/* A motion of fewer cells than pieces of its path is examined as a whole: with the speed of tools, without
 * limits of rates that are not to be kept. */
static void a_motion_of_few_cells_keeps_the_speed_of_tools(void **state) {
  (void)state;
  arm x = arm_new(1);
  const int frame = jn_model_frame_count(x.model) - 1;
  jn_retime_options o = jn_retime_options_default();
  double top[2];
  o.intervals = 32, o.without_rates = 1;
  jn_trajectory *plain = arm_motion(&x, &o);
  assert_ok(jn_tool_peak(x.model, x.data, plain, frame, 1000, NULL, &top[0], NULL));
  const jn_tool_limit tool = {frame, 0.5 * top[0]};
  o.tools = 1, o.tool = &tool;
  jn_trajectory *slow = arm_motion(&x, &o);
  assert_ok(jn_tool_peak(x.model, x.data, slow, frame, 1000, NULL, &top[1], NULL));
  print_message("tool: %.6f of its limit\n", top[1] / tool.speed);
  assert_true(top[1] <= tool.speed * (1 + 1e-9) && top[1] > 0.9 * tool.speed);
  assert_int_equal(broken_limits(x.model, x.data, slow, x.range), 0);
  /* limits of rates change nothing */
  for (int i = 0; i < 6; i++)
    x.range[i * JN_LIMIT_KINDS + JN_LIMIT_JERK] = (jn_limit_range){-1e-3, 1e-3};
  jn_trajectory *same = arm_motion(&x, &o);
  assert_true(jn_trajectory_end(same) == jn_trajectory_end(slow));
  assert_true(broken_limits(x.model, x.data, same, x.range) > 0);
  jn_trajectory_free(plain);
  jn_trajectory_free(slow);
  jn_trajectory_free(same);
  arm_free(&x);
}

/* The torque of joint 1 may exceed what it needs at rest by 0.1 %: the clock changes within a cell, and limits
 * are used most between the places that the grid looks at. (Broken by 2e-8 to 2e-3 once.) */
static void a_motion_next_to_its_force_at_rest_keeps_its_limits(void **state) {
  (void)state;
  static const struct {
    int seed, derivative, intervals;
  } cases[] = {{65, 3, 16}, {64, 4, 24},  {64, 4, 32},  {25, 3, 48},  {66, 3, 48}, {2, 3, 64},
               {34, 3, 64}, {22, 4, 100}, {51, 3, 128}, {61, 4, 200}, {87, 4, 200}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    retime_case c = retime_case_new("arm6", (uint64_t)cases[i].seed, cases[i].derivative, 0);
    const double start = jn_trajectory_start(c.path), end = jn_trajectory_end(c.path);
    enum { NV = 6, MOTION = 4000 };
    double peak = 0, q[NV], v[3 * NV], tau[NV], rest[2 * NV] = {0};
    for (int n = 0; n <= MOTION; n++) {
      assert_ok(jn_trajectory_at(c.path, start + (end - start) * n / MOTION, 0, JN_BODY, q, v));
      assert_ok(jn_inverse_dynamics(c.model, c.data, 0, q, rest, NULL, tau));
      peak = fmax(peak, fabs(tau[1]));
    }
    for (int j = 0; j < NV; j++)
      c.range[j * JN_LIMIT_KINDS + JN_LIMIT_EFFORT] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
    c.range[JN_LIMIT_KINDS + JN_LIMIT_EFFORT] = (jn_limit_range){-1.001 * peak, 1.001 * peak};
    jn_retime_options o = jn_retime_options_default();
    jn_trajectory *T = NULL;
    jn_error e = {0};
    o.intervals = cases[i].intervals;
    assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &T, NULL, &e));
    assert_int_equal(broken_limits(c.model, c.data, T, c.range), 0);
    jn_trajectory_free(T);
    retime_case_free(&c);
  }
}

/* The forces at rest of this path have room: then the grid is what is to blame. */
static void without_a_force_at_rest_the_grid_is_named(void **state) {
  (void)state;
  retime_case c = retime_case_new("arm6", 1, 3, 0);
  retiming x = retime_case_rows(&c, 32, 0);
  x.given = c.path;
  assert_status(jn_retime_fail_at_rest(&x, 0.25), JN_ERR_SINGULAR);
  assert_string_equal(x.error->message,
                      "the motion breaks a limit by 0.25 between grid points: take more intervals");
  retime_rows_free(&x);
  retime_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clock_that_stops_between_its_points_is_refused),
      cmocka_unit_test(a_duration_that_a_coarse_grid_misses_is_refused),
      cmocka_unit_test(a_motion_of_few_cells_keeps_the_speed_of_tools),
      cmocka_unit_test(a_motion_next_to_its_force_at_rest_keeps_its_limits),
      cmocka_unit_test(without_a_force_at_rest_the_grid_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
