/* test_retime_refused.c: what jn_retime refuses, and how it names it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/one_joint.h"
#include "helpers/retime.h"

#include "helpers/plain_numbers.h"

static int stop(void *context, int round, int step, double duration, double worst) {
  (void)context, (void)round, (void)duration, (void)worst;
  return step == 5;
}

/* Limits that leave no room: the message has the quantity, the place and the amount of the peak along the
 * path at its own speed; here in closed form. q = 1.5 (10 s^3 - 15 s^4 + 6 s^5). */
static void limits_of_zero_are_named(void **state) {
  (void)state;
  const double r = sqrt(3.0) / 6; /* the acceleration 90 s (1 - s)(1 - 2 s) peaks at 1/2 -+ r */
  const struct {
    jn_limit_kind kind;
    double low, high;
    const char *name;
    double value, t; /* NAN: not in closed form */
  } cases[] = {{JN_LIMIT_VELOCITY, 0, 0, "velocity", 1.5 * 30 / 16, 0.5},
               {JN_LIMIT_VELOCITY, -3, 0, "velocity", 1.5 * 30 / 16, 0.5},
               {JN_LIMIT_ACCELERATION, -1, 0, "acceleration", 90 * (0.25 - r * r) * 2 * r, 0.5 - r},
               {JN_LIMIT_ACCELERATION, 0, 1, "acceleration", -90 * (0.25 - r * r) * 2 * r, 0.5 + r},
               {JN_LIMIT_JERK, 0, 0, "jerk", 90, (double)NAN},
               {JN_LIMIT_JERK, 0, 1, "jerk", -45, 0.5},
               {JN_LIMIT_JERK, -1e-250, 1e-250, "jerk", 90, (double)NAN},
               {JN_LIMIT_VELOCITY, -1e-250, 1e-250, "velocity", 1.5 * 30 / 16, 0.5},
               {JN_LIMIT_EFFORT_RATE, 0, 0, "effort_rate", (double)NAN, (double)NAN},
               {JN_LIMIT_POWER, 0, 0, "power", (double)NAN, (double)NAN},
               {JN_LIMIT_POWER, -1, 0, "power", (double)NAN, (double)NAN}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    one x = one_joint(3, 0, 1.5);
    jn_trajectory *out = NULL;
    jn_error error = {0};
    char quantity[40];
    double value, t, limit, beyond;
    x.range[cases[i].kind] = (jn_limit_range){cases[i].low, cases[i].high};
    assert_status(jn_retime(x.model, x.data, x.path, x.range, NULL, NULL, &out, NULL, &error),
                  JN_ERR_INFEASIBLE);
    locale_t own, before = plain_begin(&own);
    const int found = sscanf(
        error.message,
        "no timing of the path keeps the limits: the %39s of 'joint1' is %lf at t = %lf of the "
        "path with its own timing, beyond its limit %lf by %lf",
        quantity, &value, &t, &limit, &beyond);
    plain_end(own, before);
    if (found != 5) print_error("%s\n", error.message);
    assert_int_equal(found, 5);
    assert_string_equal(quantity, cases[i].name);
    assert_true(fabs(beyond / fabs(value - limit) - 1) < 1e-3 && limit + 1 == 1);
    if (isfinite(cases[i].value)) assert_true(fabs(value / cases[i].value - 1) < 1e-5);
    if (isfinite(cases[i].t)) assert_true(fabs(t - cases[i].t) < 1e-5);
    assert_null(out);
    one_free(&x);
  }
  /* a straight line at its own speed has no acceleration, but its start from rest has */
  one x = one_joint(3, 0, 1);
  jn_error error = {0};
  const double line[2] = {0, 1};
  jn_trajectory_free(x.path);
  assert_ok(jn_trajectory_polynomial(x.model, 0, 1, 1, line, NULL, &x.path, &error));
  one_limit(&x, JN_LIMIT_ACCELERATION, 0);
  one_refused(&x, NULL, JN_ERR_INFEASIBLE, "the limit of the acceleration of 'joint1' is 0: ");
  one_free(&x);
  /* a force at rest beyond its limit between the points of the grid, 4.905 sin q at pi/2: a fast motion
   * keeps the limit, because it brakes there; a slow one cannot */
  one y = one_joint(3, 0.3, 2.8);
  one_limit(&y, JN_LIMIT_EFFORT, 4.90499981);
  one_limit(&y, JN_LIMIT_EFFORT_RATE, 300);
  one_time(&y, NULL);
  one_limit(&y, JN_LIMIT_VELOCITY, 0.1);
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 200;
  one_refused(&y, &o, JN_ERR_INFEASIBLE, "and its limit 4.90499981 leaves no room");
  one_free(&y);
}

static void what_cannot_be_kept_is_named(void **state) {
  (void)state;
  jn_error error = {0};
  one x = one_joint(3, 0, 1.5);
  one_refused(&x, NULL, JN_ERR_ARGUMENT, "no limit bounds the speed");
  one_limit(&x, JN_LIMIT_EFFORT, 1);
  one_refused(&x, NULL, JN_ERR_INFEASIBLE, "the effort at rest of 'joint1' is");
  no_limits(1, x.range);
  one_limit(&x, JN_LIMIT_JERK, 10);
  x.range[JN_LIMIT_POSITION] = (jn_limit_range){-1, 1};
  one_refused(&x, NULL, JN_ERR_INFEASIBLE, "the position of 'joint1' is 1.5");
  no_limits(1, x.range);
  one_limit(&x, JN_LIMIT_VELOCITY, 0);
  one_refused(&x, NULL, JN_ERR_INFEASIBLE, "the limit forbids this motion");
  no_limits(1, x.range);
  x.range[JN_LIMIT_VELOCITY] = (jn_limit_range){1, 2};
  one_refused(&x, NULL, JN_ERR_ARGUMENT, "exclude zero");
  x.range[JN_LIMIT_VELOCITY] = (jn_limit_range){2, 1};
  one_refused(&x, NULL, JN_ERR_ARGUMENT, "wrong order");
  no_limits(1, x.range);
  one_limit(&x, JN_LIMIT_JERK, 10);
  jn_retime_options o = jn_retime_options_default();
  o.progress = stop;
  one_refused(&x, &o, JN_ERR_STATE, "stopped");
  o = jn_retime_options_default();
  o.intervals = 15;
  one_refused(&x, &o, JN_ERR_ARGUMENT, "16 to");
  o.intervals = JN_MAX_INTERVALS + 1;
  one_refused(&x, &o, JN_ERR_LIMIT, "at most 1000000 intervals");
  o.intervals = 16;
  one_time(&x, &o);
  o = jn_retime_options_default();
  o.tolerance = (double)NAN;
  one_refused(&x, &o, JN_ERR_ARGUMENT, "tolerance");
  jn_trajectory_free(x.path);
  const double times[3] = {0, 1, 2}, q[3] = {0, 1, 0.5};
  assert_ok(jn_trajectory_half_cosine(x.model, 3, times, q, NULL, &x.path, &error));
  one_refused(&x, NULL, JN_ERR_ARGUMENT, "the acceleration of 'joint1' jumps at t = 1 ");
  /* times are those of the path given, also where it was run through by a smooth start first */
  const double uneven[3] = {0, 0.7, 2};
  jn_trajectory_free(x.path);
  assert_ok(jn_trajectory_minimum(x.model, 1, 3, uneven, q, NULL, NULL, &x.path, &error));
  one_refused(&x, NULL, JN_ERR_ARGUMENT, "the velocity of 'joint1' jumps at t = 0.7 ");
  const double still[2] = {0.5, 0.5};
  jn_trajectory_free(x.path);
  assert_ok(jn_trajectory_minimum(x.model, 3, 2, times, still, NULL, NULL, &x.path, &error));
  one_refused(&x, NULL, JN_ERR_ARGUMENT, "the path does not move");
  /* a force at rest that is too large at the end of a path that moves there */
  jn_trajectory_free(x.path);
  const double line[2] = {0, 1.5};
  assert_ok(jn_trajectory_polynomial(x.model, 0, 1, 1, line, NULL, &x.path, &error));
  no_limits(1, x.range);
  one_limit(&x, JN_LIMIT_EFFORT, 1);
  one_refused(&x, NULL, JN_ERR_INFEASIBLE, "at t = 1 of the path");
  one_free(&x);
}

/* 4.905 sin q with its top at knot 27 of 64, where the joint still gains speed: the uniform clock is found
 * from every other point, and even 0.9^60 of it is too fast for the room that is left at that one. */
static void no_start_for_a_force_at_rest_next_to_its_limit(void **state) {
  (void)state;
  const double s = 27.0 / 64, part = s * s * s * (10 - 15 * s + 6 * s * s), from = 0.3;
  one x = one_joint(3, from, from + (1.57079632679489662 - from) / part);
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64;
  one_limit(&x, JN_LIMIT_EFFORT, 4.905 * (1 + 5e-9));
  one_refused(&x, &o, JN_ERR_INFEASIBLE, "and its limit 4.90500002 leaves no room");
  one_limit(&x, JN_LIMIT_EFFORT, 1.05 * 4.905);
  one_time(&x, &o);
  one_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_of_zero_are_named),
      cmocka_unit_test(what_cannot_be_kept_is_named),
      cmocka_unit_test(no_start_for_a_force_at_rest_next_to_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
