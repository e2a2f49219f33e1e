/* test_retime_solver.c: the solver of jn_retime against random starts, a dense solver, the forward and backward
 * pass of TOPP-RA, and itself on very fine grids. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/retime.h"
#include "helpers/rng.h"

/* From 20 random starts the durations agree. */
static void random_starts_agree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check_seed(seed);
    retime_case c = retime_case_new("arm7", seed, 3, 0);
    retiming x = retime_case_rows(&c, 150, 0);
    const jn_allocator hooks = jn_allocator_or_default(NULL);
    jn_clock_settings o = {.tolerance = 1e-10, .barrier = 1, .most = 300};
    rng r = rng_new(seed);
    assert_ok(jn_clock_solve(&x.p, &o, &hooks, &x.solution));
    const double want = x.solution.time;
    o.warm = 1;
    for (int start = 0; start < 20; start++) {
      const double uniform = jn_clock_uniform(&x.p, 1, 0);
      const double a = rng_range(&r, 0, 0.8), w = rng_range(&r, 0.02, 0.2), p = rng_range(&r, 0, 6);
      for (int i = 0; i <= x.p.cells; i++)
        x.solution.c[i] = uniform * (1 + a * sin(w * i + p)) * pow(10, rng_range(&r, -0.01, 0.01));
      o.barrier = pow(10, rng_range(&r, -2, 1));
      assert_ok(jn_clock_solve(&x.p, &o, &hooks, &x.solution));
      check_residual("durations from random starts", fabs(x.solution.time / want - 1), 1e-8);
    }
    retime_rows_free(&x);
    retime_case_free(&c);
  }
}

/* The same problem on a small grid by a dense barrier method that shares nothing with the solver:
 * dense matrices of the splines, Newton with backtracking, differences of nothing. */
static void a_dense_solver_agrees(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    check_seed(seed);
    for (int damping = 0; damping < 2; damping++) {
      retime_case c = retime_case_new("arm6", seed, 3, 0);
      jn_data_settings(c.data)->damping = damping;
      retiming x = retime_case_rows(&c, 20, 0);
      assert_int_equal(x.p.damped, damping);
      const jn_allocator hooks = jn_allocator_or_default(NULL);
      const jn_clock_settings o = {.tolerance = 1e-10, .barrier = 1, .most = 300};
      assert_ok(jn_clock_solve(&x.p, &o, &hooks, &x.solution));
      check_residual("duration against a dense solver",
                     fabs(dense_duration(&x.p) / x.solution.time - 1), 1e-6);
      retime_rows_free(&x);
      retime_case_free(&c);
    }
  }
}

/* Without limits of rates, against the forward and backward pass of TOPP-RA. The paths begin and end
 * as u^2: with u^3 the fastest clock is infinitely fast at the ends, which only a grid allows. */
static void topp_ra_agrees(void **state) {
  (void)state;
  for (int robot = 0; robot < 2; robot++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      check_seed(seed);
      retime_case c = retime_case_new(robot ? "arm7" : "arm6", seed, 2, 0);
      for (int i = 0; i < jn_model_nv(c.model); i++) /* TOPP-RA does not know it */
        c.range[i * JN_LIMIT_KINDS + JN_LIMIT_POWER] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
      retiming x = retime_case_rows(&c, 1000, 1);
      const double want = topp_ra_duration(&x.p);
      retime_rows_free(&x);
      jn_retime_options o = jn_retime_options_default();
      jn_retime_report report = {0};
      jn_trajectory *moved = NULL;
      jn_error error = {0};
      o.without_rates = 1;
      assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &moved, &report, &error));
      print_message("TOPP-RA %.5f, here %.5f (slowed down by %.5f, %d rounds)\n", want,
                    report.duration, report.slowed, report.rounds);
      check_residual("duration against TOPP-RA", fabs(report.duration / want - 1), 5e-3);
      jn_trajectory_free(moved);
      retime_case_free(&c);
    }
}

/* What rounding errors of u in the rows of a clock may add to a rate: (2 r2) 10.5 eps |u|/dt^3, as
 * retime_rounds.c assumes; dt of the shortest of the cells. */
static double use_of_rounding(const retime_case *c, const jn_trajectory *motion, int cells) {
  const double end = jn_trajectory_end(c->path), T = jn_trajectory_end(motion);
  retiming x = retime_case_rows(c, 500, 0);
  double fastest = 0;
  for (int n = 0; n <= 2000; n++) {
    double u[2];
    assert_ok(jn_trajectory_clock(motion, T * n / 2000, 1, u));
    fastest = fmax(fastest, u[1]);
  }
  const double dt = end / cells / fastest;
  const double use = 2 * x.steepest * 10.5 * DBL_EPSILON * end / (dt * dt * dt);
  retime_rows_free(&x);
  return use;
}

/* Rounding errors of second differences grow with the square of the number of intervals. The search
 * ends where they hide what is left of the gradient. The motion is slowed down by the estimate above of what
 * they add to the rates. Half of it is seen between the points: limits are tightened by that, and the motion is
 * slowed down by that once more. */
static void very_fine_grids_are_solved(void **state) {
  (void)state;
  jn_error error = {0};
  jn_limit_range range[2 * JN_LIMIT_KINDS];
  retime_case c = {.range = range};
  const double times[3] = {0, 0.7, 2}, q[6] = {0, 0, 1.2, -0.8, 0.3, 0.5};
  assert_ok(jn_model_load("double_pendulum", NULL, NULL, &c.model, &error));
  assert_ok(jn_data_new(c.model, 1, NULL, &c.data));
  assert_ok(jn_trajectory_minimum(c.model, 3, 3, times, q, NULL, NULL, &c.path, &error));
  no_limits(2, range);
  for (int i = 0; i < 2; i++) {
    range[i * JN_LIMIT_KINDS + JN_LIMIT_EFFORT] = (jn_limit_range){-20, 20};
    range[i * JN_LIMIT_KINDS + JN_LIMIT_EFFORT_RATE] = (jn_limit_range){-150, 150};
    range[i * JN_LIMIT_KINDS + JN_LIMIT_JERK] = (jn_limit_range){-300, 300};
  }
  static const int intervals[] = {2000, 8192, 20000};
  double T[3], rounding[3];
  for (int i = 0; i < 3; i++) {
    jn_retime_options o = jn_retime_options_default();
    jn_retime_report report = {0};
    jn_trajectory *motion = NULL;
    o.intervals = intervals[i];
    assert_ok(jn_retime(c.model, c.data, c.path, range, &o, NULL, &motion, &report, &error));
    assert_int_equal(broken_limits(c.model, c.data, motion, range), 0);
    T[i] = report.duration;
    rounding[i] = use_of_rounding(&c, motion, report.intervals);
    print_message("%d intervals: %.6f s, slowed down by %.6f, %.2g for rounding, %d steps\n",
                  report.intervals, T[i], report.slowed, rounding[i], report.steps);
    check_residual("slowed down", report.slowed - 1, 1.5 * rounding[i] + 1e-4);
    jn_trajectory_free(motion);
  }
  check_residual("duration, 8192 intervals", fabs(T[1] / T[0] - 1), 1e-4);
  check_residual("duration, 20000 intervals", fabs(T[2] / T[0] - 1), 2 * rounding[2]);
  jn_trajectory_free(c.path);
  jn_data_free(c.data);
  jn_model_free(c.model);
}

/* A motion with the constant clock speed b^(1/2). */
static void run_evenly(retiming *x, double b) {
  const int N = x->p.cells;
  for (int i = 0; i <= N; i++) {
    const double row[5] = {x->p.h * i / sqrt(b), x->start + x->p.h * i, sqrt(b), 0, 0};
    memcpy(x->clock + 5 * i, row, sizeof row);
    x->solution.c[i] = b;
  }
  jn_clock_values(&x->p, x->solution.c, x->b, x->b1, x->b2);
  jn_retime_motion(x);
}

/* Uses that are known from one motion are not those of the next; at a lower speed some fall, others do not. */
static void every_motion_is_examined_anew(void **state) {
  (void)state;
  retime_case c = retime_case_new("arm6", 3, 3, 0);
  retiming x = retime_case_rows(&c, 64, 0);
  assert_ok(jn_retime_grid(&x, 64, 1, NULL, 0));
  double worst, factor, excess, again;
  int more;
  run_evenly(&x, 0.2 * x.p.uniform);
  assert_ok(jn_retime_tighten(&x, &worst, &more));
  assert_ok(jn_retime_slow_down(&x, 1, &factor, &excess));
  assert_true(worst < 0.98 && factor == 1 && excess == 0);
  for (double speed = 1; speed > 0.7; speed *= 0.9) {
    /* twice as fast as the limits allow, and the same motion at lower speeds */
    run_evenly(&x, 4 * x.p.uniform);
    assert_ok(jn_retime_slow_down(&x, speed, &factor, &again));
    assert_true(factor > 1 && again > 0.1);
    run_evenly(&x, 4 * x.p.uniform);
    assert_ok(jn_retime_slow_down(&x, 1, &factor, &excess));
    assert_ok(jn_retime_slow_down(&x, speed, &factor, &excess));
    check_residual("excess from known uses", fabs(excess - again), 1e-12);
  }
  retime_rows_free(&x);
  retime_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_starts_agree),
      cmocka_unit_test(a_dense_solver_agrees),
      cmocka_unit_test(topp_ra_agrees),
      cmocka_unit_test(very_fine_grids_are_solved),
      cmocka_unit_test(every_motion_is_examined_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
