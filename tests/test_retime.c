/* test_retime.c: the fastest clock against closed forms, a dense solver, the forward and backward
 * pass of TOPP-RA, random starts, random paths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/retime.h"
#include "helpers/rng.h"

static const char *const robots[] = {"arm6", "arm7", "quadruped", "tilthex"};

/* One joint. */

typedef struct one {
  jn_model *model;
  jn_data *data;
  jn_trajectory *path;
  jn_limit_range range[JN_LIMIT_KINDS];
} one;

static one one_joint(int derivative, double from, double to) {
  one x;
  jn_error error = {0};
  const double times[2] = {0, 1}, q[2] = {from, to};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &x.model, &error));
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  assert_ok(jn_trajectory_minimum(x.model, derivative, 2, times, q, NULL, NULL, &x.path, &error));
  no_limits(1, x.range);
  return x;
}

static void one_free(one *x) {
  jn_trajectory_free(x->path);
  jn_data_free(x->data);
  jn_model_free(x->model);
}

static void limit(one *x, jn_limit_kind kind, double size) {
  x->range[kind] = (jn_limit_range){-size, size};
}

static double time_of(const one *x, const jn_retime_options *o) {
  jn_trajectory *motion = NULL;
  jn_retime_report report = {0};
  jn_error error = {0};
  jn_status status =
      jn_retime(x->model, x->data, x->path, x->range, o, NULL, &motion, &report, &error);
  if (status) print_error("%s\n", error.message);
  assert_ok(status);
  assert_int_equal(broken_limits(x->model, x->data, motion, x->range), 0);
  assert_true(report.duration == jn_trajectory_end(motion));
  jn_trajectory_free(motion);
  return report.duration;
}

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
    if (cases[i].velocity > 0) limit(&x, JN_LIMIT_VELOCITY, cases[i].velocity);
    if (cases[i].acceleration > 0) limit(&x, JN_LIMIT_ACCELERATION, cases[i].acceleration);
    if (cases[i].jerk > 0) limit(&x, JN_LIMIT_JERK, cases[i].jerk);
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      jn_retime_options o = jn_retime_options_default();
      o.intervals = fine ? 1600 : 200;
      o.tolerance = 1e-7;
      o.without_rates = cases[i].without_rates;
      error[fine] = time_of(&x, &o) / cases[i].time - 1;
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
  limit(&x, JN_LIMIT_EFFORT, F);
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
    error[fine] = time_of(&x, &o) / T - 1;
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
  limit(&x, JN_LIMIT_ACCELERATION, A);
  limit(&x, JN_LIMIT_POWER, P);
  jn_retime_options o = jn_retime_options_default();
  o.without_rates = 1;
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    o.intervals = fine ? 1600 : 200;
    error[fine] = time_of(&x, &o) / T - 1;
    assert_true(error[fine] > -1e-6);
  }
  print_message("power: %.2e and %.2e slower than the closed form\n", error[0], error[1]);
  check_residual("power and acceleration", fmax(error[0], error[1]), 2.5e-3);
  /* power alone falls as the cube of the speed: one time scale from the peak */
  jn_limit_check *check = NULL;
  jn_error text = {0};
  no_limits(1, x.range);
  limit(&x, JN_LIMIT_POWER, P);
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
    limit(&x, JN_LIMIT_EFFORT, 12);
    if (rates) limit(&x, JN_LIMIT_EFFORT_RATE, 150);
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

/* The speed of a frame: against differences of its position, and as a limit. */
static void tools_keep_their_speed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    check_seed(seed);
    retime_case c = retime_case_new("arm6", seed, 3, 0);
    const int frame = jn_model_frame_count(c.model) - 1;
    const size_t nq = (size_t)jn_model_nq(c.model), nv = (size_t)jn_model_nv(c.model);
    jn_retime_options o = jn_retime_options_default();
    jn_trajectory *fast = NULL, *slow = NULL;
    jn_error error = {0};
    double top, t, *q = doubles(nq), *v = doubles(nv);
    o.intervals = 300;
    assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &fast, NULL, &error));
    assert_ok(jn_tool_peak(c.model, c.data, fast, frame, 1000, NULL, &top, &t));
    jn_pose at[2];
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
      assert_ok(jn_trajectory_at(fast, t + (side ? h : -h), -1, JN_MIXED, q, v));
      assert_ok(jn_kinematics(c.model, c.data, -1, q, NULL));
      assert_ok(jn_frame_pose(c.model, c.data, frame, &at[side]));
    }
    const jn_vec3 d = jn_v3_sub(at[1].p, at[0].p);
    check_residual("speed of a frame", fabs(jn_v3_norm(d) / (2 * h) / top - 1), 1e-6);
    const jn_tool_limit tool = {frame, 0.6 * top};
    o.tools = 1, o.tool = &tool;
    assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &slow, NULL, &error));
    assert_ok(jn_tool_peak(c.model, c.data, slow, frame, 1000, NULL, &top, NULL));
    print_message("tool: %.5f of its limit, %.3f s instead of %.3f s\n", top / tool.speed,
                  jn_trajectory_end(slow), jn_trajectory_end(fast));
    assert_true(top <= tool.speed * (1 + 1e-9) && top > 0.99 * tool.speed);
    assert_true(jn_trajectory_end(slow) > jn_trajectory_end(fast));
    assert_int_equal(broken_limits(c.model, c.data, slow, c.range), 0);
    jn_tool_limit wrong = {frame + 1, 1};
    o.tool = &wrong;
    jn_trajectory *none = NULL;
    assert_status(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &none, NULL, &error),
                  JN_ERR_ARGUMENT);
    assert_status(jn_tool_peak(c.model, c.data, slow, frame + 1, 1000, NULL, &top, NULL),
                  JN_ERR_ARGUMENT);
    jn_trajectory_free(fast);
    jn_trajectory_free(slow);
    free(q);
    free(v);
    retime_case_free(&c);
  }
}

/* Solvers. */

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
      const double uniform = jn_clock_uniform(&x.p, 1);
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

/* Strict settings give the same bits on every instruction set: the passes over the rows have no fused
 * operations, and sums do not depend on the width of a register. */
static void instruction_sets_agree(void **state) {
  (void)state;
  static const char *const names[] = {"plain", "avx2", "avx512"};
  const char *isa = getenv("JOUNCE_ISA"), *strict = getenv("JOUNCE_STRICT");
  char *kept[2] = {isa ? strdup(isa) : NULL, strict ? strdup(strict) : NULL};
  assert_int_equal(setenv("JOUNCE_STRICT", "1", 1), 0);
  for (uint64_t seed = 1; seed <= 2; seed++) {
    check_seed(seed);
    double want[3] = {0};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(setenv("JOUNCE_ISA", names[i], 1), 0);
      retime_case c = retime_case_new("arm6", seed, 3, 0);
      jn_settings *settings = jn_data_settings(c.data);
      assert_true(settings->strict);
      settings->damping = (int)seed - 1;
      jn_retime_options o = jn_retime_options_default();
      jn_trajectory *motion = NULL;
      jn_error error = {0};
      double u[3];
      o.intervals = 300;
      assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &motion, NULL, &error));
      assert_ok(jn_trajectory_clock(motion, 1.25, 2, u));
      for (int k = 0; k < 3; k++) {
        if (i == 0) want[k] = u[k];
        assert_true(u[k] == want[k]);
      }
      jn_trajectory_free(motion);
      retime_case_free(&c);
    }
  }
  static const char *const variables[2] = {"JOUNCE_ISA", "JOUNCE_STRICT"};
  for (int i = 0; i < 2; i++) {
    unsetenv(variables[i]);
    if (kept[i]) setenv(variables[i], kept[i], 1);
    free(kept[i]);
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
      retime_case c = retime_case_new(robots[robot], seed, 2, 0);
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

/* Paths. */

/* What was found on random paths. */
typedef struct findings {
  int paths, failed, broken;
  int steps;                /* most Newton steps of a solve on one grid */
  int first, total, rounds; /* of the first round, coarse grids included; in all; most rounds */
  double used;    /* least share of the time in which some limit is used by 99 % or more */
  double seconds; /* of processor time, without the checks */
} findings;

static void try_path(const char *robot, uint64_t seed, findings *f) {
  check_seed(seed);
  retime_case c = retime_case_new(robot, seed, seed % 3 == 0 ? 4 : 3, seed % 2);
  jn_data_settings(c.data)->damping = seed % 2;
  jn_trajectory *moved = NULL;
  jn_retime_report report = {0};
  jn_error error = {0};
  const clock_t before = clock();
  const jn_status status =
      jn_retime(c.model, c.data, c.path, c.range, NULL, NULL, &moved, &report, &error);
  f->seconds += (double)(clock() - before) / CLOCKS_PER_SEC;
  f->paths++;
  if (status) {
    print_error("%s, seed %d: %s\n", robot, (int)seed, error.message);
    f->failed++;
  } else {
    int broken;
    const double used = share_at_limits(c.model, c.data, moved, c.range, 0.99, &broken);
    if (broken) broken_limits(c.model, c.data, moved, c.range);
    f->broken += broken > 0;
    f->used = fmin(f->used, used);
    if (report.steps > 60)
      print_error("%s, seed %d: %d Newton steps, %d in the first round, %d intervals\n", robot,
                  (int)seed, report.steps, report.first_steps, report.intervals);
    if (report.longest > f->steps) f->steps = report.longest;
    if (report.first_steps > f->first) f->first = report.first_steps;
    if (report.rounds > f->rounds) f->rounds = report.rounds;
    if (report.steps > f->total) f->total = report.steps;
    assert_same_path(c.model, c.path, moved);
  }
  jn_trajectory_free(moved);
  retime_case_free(&c);
}

static findings try_paths(const char *robot, int first, int count) {
  findings f = {.used = 1};
  for (int i = 0; i < count; i++) try_path(robot, (uint64_t)first + (uint64_t)i, &f);
  print_message(
      "%s: %d paths, %d failed, %d with a broken limit, at a limit %.1f %% of the time or "
      "more, %d Newton steps a solve, %d in the first round, %d in all %d rounds, %.1f ms on "
      "average\n",
      robot, f.paths, f.failed, f.broken, 100 * f.used, f.steps, f.first, f.total, f.rounds,
      1e3 * f.seconds / f.paths);
  return f;
}

/* Random paths of robots with a fixed and a floating base, half of them with damping: no failure,
 * nothing broken after it, and a limit is used almost all the time. `--paths 200` tries more. */
static void random_paths_are_run_at_their_limits(void **state) {
  (void)state;
  for (size_t robot = 0; robot < COUNT(robots); robot++) {
    const findings f = try_paths(robots[robot], 1, 3);
    assert_int_equal(f.failed, 0);
    assert_int_equal(f.broken, 0);
    assert_true(f.used >= 0.85);
    check_residual("Newton steps, on all grids and in all rounds", f.total, 60);
  }
  /* a force at rest that takes most of its limit: slowing down helps little */
  const findings f = try_paths("quadruped", 70010, 1);
  assert_int_equal(f.failed, 0);
  assert_int_equal(f.broken, 0);
}

static void refused(const one *x, const jn_retime_options *o, jn_status want, const char *text) {
  jn_trajectory *out = NULL;
  jn_error error = {0};
  jn_status got = jn_retime(x->model, x->data, x->path, x->range, o, NULL, &out, NULL, &error);
  if (got != want || !strstr(error.message, text))
    print_error("'%s' expected, found %d '%s'\n", text, (int)got, error.message);
  assert_status(got, want);
  assert_non_null(strstr(error.message, text));
  assert_null(out);
}

/* The motion ends at rest also where the path does not; or, if asked for, it does not. */
static void ends_are_at_rest_or_free(void **state) {
  (void)state;
  jn_error error = {0};
  one x = one_joint(3, 0, 1);
  limit(&x, JN_LIMIT_VELOCITY, 2);
  limit(&x, JN_LIMIT_ACCELERATION, 5);
  limit(&x, JN_LIMIT_JERK, 40);
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
  refused(&x, &given, JN_ERR_ARGUMENT, "speed at an end");
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
  limit(&x, JN_LIMIT_ACCELERATION, 5);
  limit(&x, JN_LIMIT_JERK, 40);
  const double times[4] = {0, 1, 2, 3}, q[4] = {0, 1, 1, 0};
  double v[8];
  fill(v, 8, 0);
  assert_ok(jn_trajectory_minimum(x.model, 3, 4, times, q, v, NULL, &x.path, &error));
  /* twice from rest to rest over d = 1 with A = 5, J = 40: A/J + ((A/J)^2 + 4 d/A)^(1/2) each */
  const double least = 2 * (5.0 / 40 + sqrt(25.0 / 1600 + 4.0 / 5));
  const double T = time_of(&x, NULL);
  print_message("dwell: %.4f s, without it %.4f s\n", T, least);
  assert_true(T > least && T < least + 0.3);
  /* a stop in the middle: the path is at rest there, and so is every motion along it */
  jn_trajectory_free(x.path);
  const double way[3] = {0, 1, 2};
  assert_ok(jn_trajectory_minimum(x.model, 3, 3, times, way, v, NULL, &x.path, &error));
  const double stop_T = time_of(&x, NULL);
  print_message("stop: %.5f s, twice from rest to rest %.5f s\n", stop_T, least);
  assert_true(stop_T > least * (1 - 1e-6));
  check_residual("a stop in the middle", stop_T / least - 1, 1e-3);
  one_free(&x);
}

/* Rounding errors of second differences grow with the square of the number of intervals. The search
 * ends where they hide what is left of the gradient, and the motion is slowed down by what they add to the
 * rates. */
static void very_fine_grids_are_solved(void **state) {
  (void)state;
  jn_model *model;
  jn_data *data;
  jn_trajectory *path;
  jn_error error = {0};
  jn_limit_range range[2 * JN_LIMIT_KINDS];
  const double times[3] = {0, 0.7, 2}, q[6] = {0, 0, 1.2, -0.8, 0.3, 0.5};
  assert_ok(jn_model_load("double_pendulum", NULL, NULL, &model, &error));
  assert_ok(jn_data_new(model, 1, NULL, &data));
  assert_ok(jn_trajectory_minimum(model, 3, 3, times, q, NULL, NULL, &path, &error));
  no_limits(2, range);
  for (int i = 0; i < 2; i++) {
    range[i * JN_LIMIT_KINDS + JN_LIMIT_EFFORT] = (jn_limit_range){-20, 20};
    range[i * JN_LIMIT_KINDS + JN_LIMIT_EFFORT_RATE] = (jn_limit_range){-150, 150};
    range[i * JN_LIMIT_KINDS + JN_LIMIT_JERK] = (jn_limit_range){-300, 300};
  }
  static const int intervals[] = {2000, 8192, 20000};
  double T[3];
  for (int i = 0; i < 3; i++) {
    jn_retime_options o = jn_retime_options_default();
    jn_retime_report report = {0};
    jn_trajectory *motion = NULL;
    o.intervals = intervals[i];
    assert_ok(jn_retime(model, data, path, range, &o, NULL, &motion, &report, &error));
    assert_int_equal(broken_limits(model, data, motion, range), 0);
    T[i] = report.duration;
    print_message("%d intervals: %.6f s, slowed down by %.6f, %d steps\n", report.intervals, T[i],
                  report.slowed, report.steps);
    jn_trajectory_free(motion);
  }
  check_residual("duration, 8192 intervals", fabs(T[1] / T[0] - 1), 1e-4);
  check_residual("duration, 20000 intervals", fabs(T[2] / T[0] - 1), 2e-3);
  jn_trajectory_free(path);
  jn_data_free(data);
  jn_model_free(model);
}

/* The checks of many trajectories are those of single calls. */
static void limits_of_many(const jn_model *model, const jn_settings *settings, jn_data *data,
                           int count, const jn_trajectory **path, const jn_limit_range *range) {
  enum { MOST = 8, SAMPLES = 60 };
  jn_limit_check *check[MOST], *single;
  jn_status status[MOST];
  jn_error error = {0};
  assert_true(count > 2 && count <= MOST);
  for (int threads = 0; threads <= 2; threads++) {
    assert_ok(jn_limit_check_batch(model, settings, threads, (size_t)count, path, range, SAMPLES,
                                   NULL, check, status, &error));
    for (int i = 0; i < count; i++) {
      assert_ok(jn_limit_check_new(model, data, path[i], range, SAMPLES, NULL, &single, &error));
      for (int row = 0; row < jn_limit_rows(model); row++)
        for (int kind = 0; kind < JN_LIMIT_KINDS; kind++) {
          const jn_limit_peak *a = jn_limit_check_peak(single, row, (jn_limit_kind)kind),
                              *b = jn_limit_check_peak(check[i], row, (jn_limit_kind)kind);
          assert_true(a->value == b->value && a->t == b->t && a->broken == b->broken);
        }
      assert_int_equal(status[i], JN_OK);
      jn_limit_check_free(single);
      jn_limit_check_free(check[i]);
    }
  }
  const jn_trajectory *second = path[1];
  path[1] = NULL;
  assert_status(jn_limit_check_batch(model, settings, 2, (size_t)count, path, range, SAMPLES, NULL,
                                     check, status, &error),
                JN_ERR_ARGUMENT);
  path[1] = second;
  assert_true(!check[1] && status[1] == JN_ERR_ARGUMENT && status[0] == JN_OK);
  assert_non_null(strstr(error.message, "a trajectory is NULL"));
  for (int i = 0; i < count; i++) jn_limit_check_free(check[i]);
  assert_status(
      jn_limit_check_batch(model, settings, 2, 1, path, range, 1, NULL, check, NULL, &error),
      JN_ERR_ARGUMENT);
  assert_status(
      jn_limit_check_batch(model, settings, -1, 1, path, range, SAMPLES, NULL, check, NULL, &error),
      JN_ERR_ARGUMENT);
}

/* Many paths on several threads give the motions of single calls; one that fails is named. */
static void batches_are_single_calls(void **state) {
  (void)state;
  enum { COUNT_OF_PATHS = 5 };
  retime_case c[COUNT_OF_PATHS];
  const jn_trajectory *path[COUNT_OF_PATHS];
  jn_trajectory *out[COUNT_OF_PATHS] = {NULL};
  jn_retime_report report[COUNT_OF_PATHS];
  jn_status status[COUNT_OF_PATHS];
  jn_error error = {0};
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 100;
  for (int i = 0; i < COUNT_OF_PATHS; i++)
    c[i] = retime_case_new("arm6", (uint64_t)i + 1, 3, 0), path[i] = c[i].path;
  for (int threads = 0; threads <= 2; threads++) {
    const jn_settings *settings = jn_data_settings(c[0].data);
    assert_ok(jn_retime_batch(c[0].model, settings, threads, COUNT_OF_PATHS, path, c[0].range, &o,
                              NULL, out, report, status, &error));
    for (int i = 0; i < COUNT_OF_PATHS; i++) {
      jn_trajectory *single = NULL;
      assert_ok(
          jn_retime(c[0].model, c[0].data, path[i], c[0].range, &o, NULL, &single, NULL, &error));
      assert_true(jn_trajectory_end(single) == jn_trajectory_end(out[i]));
      assert_true(report[i].duration == jn_trajectory_end(single) && status[i] == JN_OK);
      jn_trajectory_free(single);
      jn_trajectory_free(out[i]);
    }
  }
  limits_of_many(c[0].model, jn_data_settings(c[0].data), c[0].data, COUNT_OF_PATHS, path,
                 c[0].range);
  c[0].range[JN_LIMIT_KINDS + JN_LIMIT_VELOCITY] = (jn_limit_range){0, 0};
  path[3] = NULL;
  assert_status(jn_retime_batch(c[0].model, NULL, 2, COUNT_OF_PATHS, path, c[0].range, &o, NULL,
                                out, NULL, status, &error),
                JN_ERR_INFEASIBLE);
  assert_non_null(strstr(error.message, "may not move"));
  assert_true(status[3] == JN_ERR_ARGUMENT && out[0] == NULL && out[3] == NULL);
  assert_status(
      jn_retime_batch(c[0].model, NULL, -1, 1, path, c[0].range, &o, NULL, out, NULL, NULL, &error),
      JN_ERR_ARGUMENT);
  for (int i = 0; i < COUNT_OF_PATHS; i++) retime_case_free(&c[i]);
}

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
    const int found = sscanf(
        error.message,
        "no clock keeps the limits: the %39s of 'joint1' is %lf at t = %lf of the path at its "
        "own speed, beyond its limit %lf by %lf",
        quantity, &value, &t, &limit, &beyond);
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
  limit(&x, JN_LIMIT_ACCELERATION, 0);
  refused(&x, NULL, JN_ERR_INFEASIBLE, "the limit 0 of the acceleration of 'joint1' leaves");
  one_free(&x);
  /* no room for a force at rest, between the points of the grid: 4.905 sin q is largest at pi/2 */
  one y = one_joint(3, 0.3, 2.8);
  limit(&y, JN_LIMIT_EFFORT, 4.90499981);
  limit(&y, JN_LIMIT_EFFORT_RATE, 300);
  refused(&y, NULL, JN_ERR_INFEASIBLE, "and its limit 4.90499981 leaves no room");
  one_free(&y);
}

static void what_cannot_be_kept_is_named(void **state) {
  (void)state;
  jn_error error = {0};
  one x = one_joint(3, 0, 1.5);
  refused(&x, NULL, JN_ERR_ARGUMENT, "no limit bounds the speed");
  limit(&x, JN_LIMIT_EFFORT, 1);
  refused(&x, NULL, JN_ERR_INFEASIBLE, "the effort at rest of 'joint1' is");
  no_limits(1, x.range);
  limit(&x, JN_LIMIT_JERK, 10);
  x.range[JN_LIMIT_POSITION] = (jn_limit_range){-1, 1};
  refused(&x, NULL, JN_ERR_INFEASIBLE, "the position of 'joint1' is 1.5");
  no_limits(1, x.range);
  limit(&x, JN_LIMIT_VELOCITY, 0);
  refused(&x, NULL, JN_ERR_INFEASIBLE, "may not move");
  no_limits(1, x.range);
  x.range[JN_LIMIT_VELOCITY] = (jn_limit_range){1, 2};
  refused(&x, NULL, JN_ERR_ARGUMENT, "do not allow rest");
  x.range[JN_LIMIT_VELOCITY] = (jn_limit_range){2, 1};
  refused(&x, NULL, JN_ERR_ARGUMENT, "wrong order");
  no_limits(1, x.range);
  limit(&x, JN_LIMIT_JERK, 10);
  jn_retime_options o = jn_retime_options_default();
  o.progress = stop;
  refused(&x, &o, JN_ERR_STATE, "stopped");
  o = jn_retime_options_default();
  o.intervals = 15;
  refused(&x, &o, JN_ERR_ARGUMENT, "16 to");
  o.intervals = JN_MAX_INTERVALS + 1;
  refused(&x, &o, JN_ERR_LIMIT, "at most 1000000 intervals");
  o.intervals = 16;
  time_of(&x, &o);
  o = jn_retime_options_default();
  o.tolerance = (double)NAN;
  refused(&x, &o, JN_ERR_ARGUMENT, "tolerance");
  jn_trajectory_free(x.path);
  const double times[3] = {0, 1, 2}, q[3] = {0, 1, 0.5};
  assert_ok(jn_trajectory_half_cosine(x.model, 3, times, q, NULL, &x.path, &error));
  refused(&x, NULL, JN_ERR_ARGUMENT, "the acceleration of 'joint1' jumps at t = 1 ");
  /* times are those of the path given, also where it was run through by a smooth start first */
  const double uneven[3] = {0, 0.7, 2};
  jn_trajectory_free(x.path);
  assert_ok(jn_trajectory_minimum(x.model, 1, 3, uneven, q, NULL, NULL, &x.path, &error));
  refused(&x, NULL, JN_ERR_ARGUMENT, "the velocity of 'joint1' jumps at t = 0.7 ");
  const double still[2] = {0.5, 0.5};
  jn_trajectory_free(x.path);
  assert_ok(jn_trajectory_minimum(x.model, 3, 2, times, still, NULL, NULL, &x.path, &error));
  refused(&x, NULL, JN_ERR_ARGUMENT, "the path does not move");
  /* a force at rest that is too large at the end of a path that moves there */
  jn_trajectory_free(x.path);
  const double line[2] = {0, 1.5};
  assert_ok(jn_trajectory_polynomial(x.model, 0, 1, 1, line, NULL, &x.path, &error));
  no_limits(1, x.range);
  limit(&x, JN_LIMIT_EFFORT, 1);
  refused(&x, NULL, JN_ERR_INFEASIBLE, "at t = 1 of the path");
  one_free(&x);
}

/* `--paths N [ROBOT] [--first SEED]`: N random paths of every robot, and a line of the scorecard. */
static int campaign(int count, const char *only, int first) {
  findings all = {.used = 1};
  for (size_t robot = 0; robot < COUNT(robots); robot++) {
    if (only && strcmp(only, robots[robot])) continue;
    const findings f = try_paths(robots[robot], first, count);
    all.paths += f.paths, all.failed += f.failed, all.broken += f.broken;
    all.used = fmin(all.used, f.used);
    if (f.steps > all.steps) all.steps = f.steps;
    if (f.first > all.first) all.first = f.first;
    if (f.total > all.total) all.total = f.total;
    if (f.rounds > all.rounds) all.rounds = f.rounds;
  }
  const int pass = !all.failed && !all.broken && all.used >= 0.85 && all.total <= 60;
  printf(
      "score {\"line\": 20, \"measured\": \"%d failed, %d broken in %d paths\", \"detail\": \"at a "
      "limit %.1f %% of the time or more; %d Newton steps on one grid, %d with coarse grids, %d "
      "with tightening\", "
      "\"target\": \"0 and 0; 85 %%; 60 steps\", \"pass\": %s}\n",
      all.failed, all.broken, all.paths, 100 * all.used, all.steps, all.first, all.total,
      pass ? "true" : "false");
  return !pass;
}

int main(int argc, char **argv) {
  if (argc >= 3 && !strcmp(argv[1], "--paths")) {
    const int seeded = argc >= 5 && !strcmp(argv[argc - 2], "--first");
    return campaign(atoi(argv[2]), argc - 2 * seeded > 3 ? argv[3] : NULL,
                    seeded ? atoi(argv[argc - 1]) : 1);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_integrators_are_as_fast_as_possible),
      cmocka_unit_test(pendulums_swing_as_fast_as_torque_allows),
      cmocka_unit_test(power_is_used_to_the_full),
      cmocka_unit_test(zero_inertia_along_the_path_is_passed),
      cmocka_unit_test(tools_keep_their_speed),
      cmocka_unit_test(random_starts_agree),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(a_dense_solver_agrees),
      cmocka_unit_test(topp_ra_agrees),
      cmocka_unit_test(random_paths_are_run_at_their_limits),
      cmocka_unit_test(very_fine_grids_are_solved),
      cmocka_unit_test(batches_are_single_calls),
      cmocka_unit_test(ends_are_at_rest_or_free),
      cmocka_unit_test(dwells_and_stops_are_run_through),
      cmocka_unit_test(limits_of_zero_are_named),
      cmocka_unit_test(what_cannot_be_kept_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
