/* test_retime_joint.c: the fastest clock of one joint against closed forms: double integrators, a pendulum,
 * power; reversals, ends, dwells and stops. */
#include <math.h>
#include <stdio.h>

#include "helpers/check.h"
#include "helpers/one_joint.h"
#include "helpers/retime.h"

/* From rest to rest over the distance d: with jerk J alone T = (32 d/J)^(1/3); with velocity V,
 * acceleration A and jerk J that are all reached T = d/V + V/A + A/J; with acceleration alone
 * T = 2 (d/A)^(1/2), and with velocity, too, d/V + V/A. The clock is smooth where the jerk of these
 * motions jumps, so that it is slower, by less and less as the grid becomes finer. */
static void double_integrators_are_as_fast_as_possible(void **state) {
  (void)state;
  const double d = 1.5, V = 1, A = 2, J = 8;
  const struct {
    const char *name;
    double velocity, acceleration, jerk, time, bound;
    int without_rates;
  } cases[] = {{"jerk", 0, 0, J, cbrt(32 * d / J), 1e-5, 0},
               {"velocity, acceleration, jerk", V, A, J, d / V + V / A + A / J, 2e-5, 0},
               {"acceleration", 0, A, 0, 2 * sqrt(d / A), 2e-3, 1},
               {"velocity, acceleration", V, A, 0, d / V + V / A, 2e-3, 1}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    one x = one_joint(cases[i].without_rates ? 2 : 3, 0.2, 0.2 + d);
    if (cases[i].velocity > 0) one_limit(&x, JN_LIMIT_VELOCITY, cases[i].velocity);
    if (cases[i].acceleration > 0) one_limit(&x, JN_LIMIT_ACCELERATION, cases[i].acceleration);
    if (cases[i].jerk > 0) one_limit(&x, JN_LIMIT_JERK, cases[i].jerk);
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      jn_retime_options o = jn_retime_options_default();
      o.intervals = fine ? 1600 : 200;
      o.tolerance = 1e-7;
      o.without_rates = cases[i].without_rates;
      error[fine] = one_time(&x, &o) / cases[i].time - 1;
      assert_true(error[fine] > -1e-7); /* nothing is faster than the closed form */
    }
    print_message("double integrator, %s: %.2e and %.2e slower\n", cases[i].name, error[0],
                  error[1]);
    check_residual(cases[i].without_rates ? "double integrator, no rates" : "double integrator",
                   error[1], cases[i].bound);
    if (!cases[i].without_rates) assert_true(error[1] < 0.5 * error[0]);
    one_free(&x);
  }
}

/* A pendulum under a torque limit F: bang-bang in the torque. With the energy E(q) of gravity,
 * I v^2/2 = F (q - q0) + E(q0) - E(q) while F drives, I v^2/2 = F (q1 - q) + E(q1) - E(q) while it
 * brakes; the smaller holds, and T is the integral of dq/v. */
static void pendulums_swing_as_fast_as_torque_allows(void **state) {
  (void)state;
  one x = one_joint(2, 0.3, 2.2);
  double q[2] = {0, 0}, v[2] = {0, 1}, tau[1], I, weight;
  jn_settings *settings = jn_data_settings(x.data);
  const jn_vec3 gravity = settings->gravity;
  settings->gravity = jn_v3(0, 0, 0);
  assert_ok(jn_inverse_dynamics(x.model, x.data, 0, q, v, NULL, tau));
  I = tau[0];
  settings->gravity = gravity;
  q[0] = 1, v[1] = 0;
  assert_ok(jn_inverse_dynamics(x.model, x.data, 0, q, v, NULL, tau));
  weight = tau[0] / sin(1.0); /* tau = weight sin(q) */
  const double F = 1.6 * fabs(weight), q0 = 0.3, q1 = 2.2;
  one_limit(&x, JN_LIMIT_EFFORT, F);
  double T = 0;
  enum { STEPS = 200000 };
  for (int n = 0; n < STEPS; n++) {
    /* q = q0 + (q1 - q0) (1 - cos s)/2 removes the singularities of 1/v at the ends */
    const double s = 3.14159265358979323846 * (n + 0.5) / STEPS,
                 at = q0 + (q1 - q0) * 0.5 * (1 - cos(s)), E = -weight * cos(at);
    const double up = F * (at - q0) - weight * cos(q0) - E,
                 down = F * (q1 - at) - weight * cos(q1) - E;
    T += (q1 - q0) * 0.5 * sin(s) / sqrt(2 * fmin(up, down) / I);
  }
  T *= 3.14159265358979323846 / STEPS;
  jn_retime_options o = jn_retime_options_default();
  o.without_rates = 1;
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    o.intervals = fine ? 1600 : 200;
    error[fine] = one_time(&x, &o) / T - 1;
    assert_true(error[fine] > -1e-6);
  }
  print_message("pendulum: %.2e and %.2e slower than bang-bang\n", error[0], error[1]);
  check_residual("pendulum under a torque limit", fmax(error[0], error[1]), 2.5e-3);
  one_free(&x);
}

static double inertia_of(const one *x) {
  const double q = 0, v[2] = {0, 1};
  double tau;
  assert_ok(jn_inverse_dynamics(x->model, x->data, 0, &q, v, NULL, &tau));
  return tau;
}

/* No gravity, acceleration A and power P: A until the velocity is V = P/(I A), then
 * I (v^2 - V^2)/2 = P t and I (v^3 - V^3)/3 = P x, to half the way; the same backwards. */
static void power_is_used_to_the_full(void **state) {
  (void)state;
  one x = one_joint(2, 0, 1.5);
  jn_data_settings(x.data)->gravity = jn_v3(0, 0, 0);
  const double d = 1.5, A = 8, I = inertia_of(&x), P = 6 * I, V = P / (I * A), x1 = V * V / (2 * A);
  const double v = cbrt(3 * P / I * (d / 2 - x1) + V * V * V);
  const double T = 2 * (V / A + I * (v * v - V * V) / (2 * P));
  one_limit(&x, JN_LIMIT_ACCELERATION, A);
  one_limit(&x, JN_LIMIT_POWER, P);
  jn_retime_options o = jn_retime_options_default();
  o.without_rates = 1;
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    o.intervals = fine ? 1600 : 200;
    error[fine] = one_time(&x, &o) / T - 1;
    assert_true(error[fine] > -1e-6);
  }
  print_message("power: %.2e and %.2e slower than the closed form\n", error[0], error[1]);
  check_residual("power and acceleration", fmax(error[0], error[1]), 2.5e-3);
  /* power alone falls as the cube of the speed: one time scale from the peak */
  jn_limit_check *check = NULL;
  jn_error text = {0};
  no_limits(1, x.range);
  one_limit(&x, JN_LIMIT_POWER, P);
  assert_ok(jn_limit_check_new(x.model, x.data, x.path, x.range, 200, NULL, &check, &text));
  const jn_limit_peak *p = jn_limit_check_peak(check, 0, JN_LIMIT_POWER);
  double q, w[3], tau[2];
  assert_ok(jn_trajectory_at(x.path, p->t, 1, JN_BODY, &q, w));
  assert_ok(jn_inverse_dynamics(x.model, x.data, 1, &q, w, NULL, tau));
  check_residual("power at its peak", fabs(tau[0] * w[0] / p->value - 1), 1e-12);
  check_residual("rate of power at its peak", fabs(tau[1] * w[0] + tau[0] * w[1]), 1e-4 * P);
  check_residual("time scale of a power limit",
                 fabs(jn_limit_check_scale(check) / cbrt(fabs(p->value) / P) - 1), 1e-9);
  jn_limit_check_free(check);
  one_free(&x);
}

/* A path that reverses twice: on the way the inertia along it vanishes, and with it the torque that
 * the clock can change. */
static void zero_inertia_along_the_path_is_passed(void **state) {
  (void)state;
  for (int rates = 0; rates < 2; rates++) {
    one x = one_joint(3, 0, 1);
    jn_error error = {0};
    const double times[4] = {0, 1, 2, 3}, q[4] = {0, 1.1, -0.9, 0.6};
    jn_trajectory_free(x.path);
    assert_ok(
        jn_trajectory_minimum(x.model, rates ? 3 : 2, 4, times, q, NULL, NULL, &x.path, &error));
    one_limit(&x, JN_LIMIT_EFFORT, 12);
    if (rates) one_limit(&x, JN_LIMIT_EFFORT_RATE, 150);
    jn_retime_options o = jn_retime_options_default();
    o.without_rates = !rates;
    jn_trajectory *motion = NULL;
    assert_ok(jn_retime(x.model, x.data, x.path, x.range, &o, NULL, &motion, NULL, &error));
    int broken;
    const double used = share_at_limits(x.model, x.data, motion, x.range, 0.99, &broken);
    assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
    print_message("reversals, %s: %.4f s, at a limit %.0f %% of the time\n",
                  rates ? "rates" : "no rates", jn_trajectory_end(motion), 100 * used);
    assert_true(used > 0.85);
    jn_trajectory_free(motion);
    one_free(&x);
  }
}

/* The motion ends at rest also where the path does not; or, if asked for, it does not. */
static void ends_are_at_rest_or_free(void **state) {
  (void)state;
  jn_error error = {0};
  one x = one_joint(3, 0, 1);
  one_limit(&x, JN_LIMIT_VELOCITY, 2);
  one_limit(&x, JN_LIMIT_ACCELERATION, 5);
  one_limit(&x, JN_LIMIT_JERK, 40);
  jn_trajectory_free(x.path);
  const double c[3] = {0, 1, 0.2};
  assert_ok(jn_trajectory_polynomial(x.model, 0, 1, 2, c, NULL, &x.path, &error));
  double last[2];
  for (int mode = 0; mode < 2; mode++) {
    jn_retime_options o = jn_retime_options_default();
    jn_trajectory *moved = NULL;
    o.ends = mode ? JN_ENDS_FREE : JN_ENDS_REST;
    assert_ok(jn_retime(x.model, x.data, x.path, x.range, &o, NULL, &moved, NULL, &error));
    assert_int_equal(broken_limits(x.model, x.data, moved, x.range), 0);
    for (int side = 0; side < 2; side++) {
      double q, v[3];
      assert_ok(jn_trajectory_at(moved, side ? jn_trajectory_end(moved) : 0, 1, JN_BODY, &q, v));
      assert_true(fabs(q - (side ? 1.2 : 0)) < 1e-12);
      if (mode)
        assert_true(v[0] > 0.5);
      else
        assert_true(fabs(v[0]) < 1e-9 && fabs(v[1]) < 1e-9);
    }
    last[mode] = jn_trajectory_end(moved);
    jn_trajectory_free(moved);
  }
  assert_true(last[1] < last[0]);
  /* at most a given speed of the path's own time, and that where the limits allow it */
  jn_retime_options given = jn_retime_options_default();
  jn_trajectory *through = NULL;
  given.ends = JN_ENDS_FREE;
  given.speed[0] = 0.8, given.speed[1] = 0.5;
  assert_ok(jn_retime(x.model, x.data, x.path, x.range, &given, NULL, &through, NULL, &error));
  assert_int_equal(broken_limits(x.model, x.data, through, x.range), 0);
  for (int side = 0; side < 2; side++) {
    double u[2];
    assert_ok(jn_trajectory_clock(through, side ? jn_trajectory_end(through) : 0, 1, u));
    print_message("speed of the clock at an end: %.6f of %.1f\n", u[1], given.speed[side]);
    assert_true(u[1] <= given.speed[side] && u[1] > 0.998 * given.speed[side]);
  }
  jn_trajectory_free(through);
  given.speed[1] = 0;
  one_refused(&x, &given, JN_ERR_ARGUMENT, "speed at an end");
  /* a motion that was retimed can be retimed; its jerk switches within a cell, which costs a little */
  jn_trajectory *once = NULL, *twice = NULL;
  assert_ok(jn_retime(x.model, x.data, x.path, x.range, NULL, NULL, &once, NULL, &error));
  assert_ok(jn_retime(x.model, x.data, once, x.range, NULL, NULL, &twice, NULL, &error));
  print_message("retimed once %.5f, twice %.5f\n", jn_trajectory_end(once),
                jn_trajectory_end(twice));
  check_residual("a motion retimed twice",
                 fabs(jn_trajectory_end(twice) / jn_trajectory_end(once) - 1), 2e-2);
  jn_trajectory_free(once);
  jn_trajectory_free(twice);
  one_free(&x);
}

/* A path that stands still from 1 to 2: the dwell becomes shorter, and the rest is as fast as without
 * it. */
static void dwells_and_stops_are_run_through(void **state) {
  (void)state;
  jn_error error = {0};
  one x = one_joint(3, 0, 1);
  jn_trajectory_free(x.path);
  one_limit(&x, JN_LIMIT_ACCELERATION, 5);
  one_limit(&x, JN_LIMIT_JERK, 40);
  const double times[4] = {0, 1, 2, 3}, q[4] = {0, 1, 1, 0};
  double v[8];
  fill(v, 8, 0);
  assert_ok(jn_trajectory_minimum(x.model, 3, 4, times, q, v, NULL, &x.path, &error));
  /* twice from rest to rest over d = 1 with A = 5, J = 40: A/J + ((A/J)^2 + 4 d/A)^(1/2) each */
  const double least = 2 * (5.0 / 40 + sqrt(25.0 / 1600 + 4.0 / 5));
  const double T = one_time(&x, NULL);
  print_message("dwell: %.4f s, without it %.4f s\n", T, least);
  assert_true(T > least && T < least + 0.3);
  /* a stop in the middle: the path is at rest there, and so is every motion along it */
  jn_trajectory_free(x.path);
  const double way[3] = {0, 1, 2};
  assert_ok(jn_trajectory_minimum(x.model, 3, 3, times, way, v, NULL, &x.path, &error));
  const double stop_T = one_time(&x, NULL);
  print_message("stop: %.5f s, twice from rest to rest %.5f s\n", stop_T, least);
  assert_true(stop_T > least * (1 - 1e-6));
  check_residual("a stop in the middle", stop_T / least - 1, 1e-3);
  one_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_integrators_are_as_fast_as_possible),
      cmocka_unit_test(pendulums_swing_as_fast_as_torque_allows),
      cmocka_unit_test(power_is_used_to_the_full),
      cmocka_unit_test(zero_inertia_along_the_path_is_passed),
      cmocka_unit_test(ends_are_at_rest_or_free),
      cmocka_unit_test(dwells_and_stops_are_run_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
