/* test_retime_objectives.c: clocks of the least squared torque or torque rate, against closed forms and a
 * dense solver. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/retime.h"
#include "helpers/rng.h"

/* A pendulum without gravity: tau = I q''. */
typedef struct inertia {
  jn_model *model;
  jn_data *data;
  jn_trajectory *path;
  jn_limit_range range[JN_LIMIT_KINDS];
  double I;
} inertia;

static inertia inertia_new(int derivative, double d) {
  inertia x;
  jn_error error = {0};
  /* unevenly in space, so that the clock has something to do */
  const double times[3] = {0, 1, 2}, q[3] = {0, 0.4 * d, d}, at = 0, v[2] = {0, 1};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &x.model, &error));
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  jn_data_settings(x.data)->gravity = jn_v3(0, 0, 0);
  assert_ok(jn_trajectory_minimum(x.model, derivative, 3, times, q, NULL, NULL, &x.path, &error));
  assert_ok(jn_inverse_dynamics(x.model, x.data, 0, &at, v, NULL, &x.I));
  no_limits(1, x.range);
  x.range[JN_LIMIT_VELOCITY] = (jn_limit_range){-20, 20};
  x.range[JN_LIMIT_EFFORT] = (jn_limit_range){-100 * x.I, 100 * x.I};
  return x;
}

static void inertia_free(inertia *x) {
  jn_trajectory_free(x->path);
  jn_data_free(x->data);
  jn_model_free(x->model);
}

/* the integral of tau^2 or tau'^2 along a motion, by Simpson's rule */
static double integral(const inertia *x, const jn_trajectory *motion, int rate) {
  enum { STEPS = 40000 };
  const double T = jn_trajectory_end(motion);
  double sum = 0;
  for (int n = 0; n <= STEPS; n++) {
    double q, v[3], tau[2];
    assert_ok(jn_trajectory_at(motion, T * n / STEPS, 1, JN_BODY, &q, v));
    assert_ok(jn_inverse_dynamics(x->model, x->data, 1, &q, v, NULL, tau));
    sum += tau[rate] * tau[rate] * (n == 0 || n == STEPS ? 1 : n % 2 ? 4 : 2);
  }
  return sum * T / STEPS / 3;
}

/* From rest to rest over d in the time T: the least integral of tau^2 is 12 I^2 d^2/T^3 (a cubic), that of
 * tau'^2 with tau = 0 at both ends 720 I^2 d^2/T^5 (minimum jerk). T + W 12 I^2 d^2/T^3 is least at
 * T = (36 W I^2 d^2)^(1/4). */
static void cubics_and_quintics_are_found(void **state) {
  (void)state;
  const double d = 1.5, T = 3;
  for (int kind = 0; kind < 3; kind++) {
    const int rate = kind == 1;
    inertia x = inertia_new(rate ? 3 : 2, d);
    const double I2 = x.I * x.I * d * d;
    jn_retime_options o = jn_retime_options_default();
    jn_retime_report report = {0};
    jn_trajectory *motion = NULL;
    jn_error error = {0};
    o.intervals = 400;
    o.objective = kind == 0   ? JN_OBJECTIVE_EFFORT
                  : kind == 1 ? JN_OBJECTIVE_EFFORT_RATE
                              : JN_OBJECTIVE_MIXED;
    o.duration = kind < 2 ? T : 0;
    o.weight = 5 / I2;
    o.without_rates = !rate;
    const jn_status status =
        jn_retime(x.model, x.data, x.path, x.range, &o, NULL, &motion, &report, &error);
    if (status) print_error("%s\n", error.message);
    assert_ok(status);
    const double t = report.duration,
                 least = rate ? 720 * I2 / (t * t * t * t * t) : 12 * I2 / (t * t * t);
    const double found = integral(&x, motion, rate);
    print_message("%s: %.6f s, %.2e above the least, %d steps\n",
                  rate   ? "rate"
                  : kind ? "mixed"
                         : "torque",
                  t, found / least - 1, report.steps);
    check_residual("cost of the report", fabs(report.cost / found - 1), 1e-4);
    assert_true(found > least * (1 - 1e-9)); /* nothing is less than the closed form */
    check_residual("least integral", found / least - 1, 2e-4);
    if (kind < 2)
      check_residual("share of the duration that is not used", 1 - t / T, 2e-3);
    else
      check_residual("duration of the least sum", fabs(t / pow(36 * o.weight * I2, 0.25) - 1),
                     1e-3);
    if (kind < 2) assert_true(t <= T);
    assert_int_equal(broken_limits(x.model, x.data, motion, x.range), 0);
    jn_trajectory_free(motion);
    inertia_free(&x);
  }
}

/* The forces or rates of a problem [points x joints x 4], from its rows of limits. */
static double *forces_of(const retiming *x, int rates) {
  const jn_clock_problem *p = &x->p;
  double *f = doubles((size_t)p->points * (size_t)x->nv * 4);
  int found = 0;
  for (int k = 0; k < p->second + p->third; k++) {
    const limit_row *r = &x->row[k];
    if (r->iv < 0 || r->kind != (rates ? JN_LIMIT_EFFORT_RATE : JN_LIMIT_EFFORT)) continue;
    found++;
    for (int i = 0; i < p->points; i++) {
      const size_t at = (size_t)(rates ? k - p->second : k) * (size_t)p->stride + (size_t)i;
      double *to = f + 4 * ((size_t)i * (size_t)x->nv + (size_t)r->iv);
      to[0] = r->scale * (rates ? p->r0 : p->s0)[at];
      to[1] = r->scale * (rates ? p->r1 : p->s1)[at];
      to[2] = rates ? r->scale * p->r2[at] : 0;
      to[3] = r->scale * (rates ? p->rg : p->sg)[at];
    }
  }
  assert_int_equal(found, x->nv);
  return f;
}

/* On a small grid: time T + the integral, against the dense solver, which takes the forces from the rows
 * of the limits; and from random starts. */
static void dense_solvers_and_random_starts_agree(void **state) {
  (void)state;
  const jn_allocator hooks = jn_allocator_or_default(NULL);
  for (uint64_t seed = 1; seed <= 4; seed++)
    for (int rates = 0; rates < 2; rates++) {
      check_seed(seed);
      retime_case c = retime_case_new("arm6", seed, 3, 0);
      retiming x =
          retime_case_rows_for(&c, 20, 0, rates ? JN_OBJECTIVE_EFFORT_RATE : JN_OBJECTIVE_MIXED);
      jn_clock_settings o = {.tolerance = 1e-10, .barrier = 1, .most = 300};
      double *forces = forces_of(&x, rates), T;
      x.p.time = rates ? 3e4 : 3e3, x.p.cost = x.cost;
      const double want = dense_objective(&x.p, forces, x.nv, rates, &T);
      assert_ok(jn_clock_solve(&x.p, &o, &hooks, &x.solution));
      const double found = x.p.time * x.solution.time + x.solution.cost;
      print_message("seed %d, %s: T %.5f, objective %.6g, %d steps\n", (int)seed,
                    rates ? "rates" : "torques", x.solution.time, found, x.solution.iterations);
      check_residual("objective against a dense solver", fabs(found / want - 1), 1e-6);
      check_residual("its duration", fabs(x.solution.time / T - 1), 1e-4);
      rng r = rng_new(seed);
      o.warm = 1;
      for (int start = 0; start < 10; start++) {
        const double uniform = jn_clock_uniform(&x.p, 1, 0), a = rng_range(&r, 0, 0.8),
                     w = rng_range(&r, 0.1, 1), phase = rng_range(&r, 0, 6);
        for (int i = 0; i <= x.p.cells; i++)
          x.solution.c[i] = uniform * (1 + a * sin(w * i + phase));
        assert_ok(jn_clock_solve(&x.p, &o, &hooks, &x.solution));
        check_residual("objective from random starts",
                       fabs((x.p.time * x.solution.time + x.solution.cost) / found - 1), 1e-8);
      }
      free(forces);
      retime_rows_free(&x);
      retime_case_free(&c);
    }
}

/* the integral of sum tau^2 or tau'^2 along a motion; thrusts instead of the wrench of a floating base */
static double squared(const jn_model *model, jn_data *data, const jn_trajectory *motion, int rate) {
  enum { STEPS = 4000 };
  const int nv = jn_model_nv(model), rotors = jn_model_rotor_count(model);
  const double T = jn_trajectory_end(motion);
  double *q = doubles((size_t)jn_model_nq(model)), *v = doubles(3 * (size_t)nv),
         *tau = doubles(2 * (size_t)nv), *f = doubles(2 * (size_t)rotors + 1), W[12], sum = 0;
  jn_settings *settings = jn_data_settings(data);
  const jn_representation before = settings->representation;
  settings->representation = JN_BODY;
  for (int n = 0; n <= STEPS; n++) {
    double here = 0;
    assert_ok(jn_trajectory_at(motion, T * n / STEPS, 1, JN_BODY, q, v));
    assert_ok(jn_inverse_dynamics(model, data, 1, q, v, NULL, tau));
    for (int i = 0; i < 12 && rotors; i++) W[i] = tau[i < 6 ? i : nv + i - 6];
    if (rotors) assert_ok(jn_rotor_thrusts(model, 1, W, f, NULL));
    for (int i = 0; i < rotors; i++) here += f[rate * rotors + i] * f[rate * rotors + i];
    for (int i = rotors ? 6 : 0; i < nv; i++) here += tau[rate * nv + i] * tau[rate * nv + i];
    sum += here * (n == 0 || n == STEPS ? 1 : n % 2 ? 4 : 2);
  }
  settings->representation = before;
  free(q);
  free(v);
  free(tau);
  free(f);
  return sum * T / STEPS / 3;
}

/* Random paths with damping and limits: within the duration, nothing broken, and the cost is below that of
 * the fastest motion slowed down to the same duration. */
static void random_paths_cost_less(void **state) {
  (void)state;
  static const char *const robots[] = {"arm6", "tilthex"};
  for (size_t robot = 0; robot < COUNT(robots); robot++)
    for (uint64_t seed = 1; seed <= 3; seed++)
      for (int rates = 0; rates < 2; rates++) {
        check_seed(seed);
        retime_case c = retime_case_new(robots[robot], seed, 3, 0);
        jn_data_settings(c.data)->damping = seed % 2;
        jn_retime_options o = jn_retime_options_default();
        jn_retime_report fast = {0}, found = {0};
        jn_trajectory *motion = NULL, *least = NULL, *scaled = NULL;
        jn_error error = {0};
        o.intervals = 200;
        assert_ok(jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &motion, &fast, &error));
        o.duration = 1.3 * fast.duration;
        o.objective = rates ? JN_OBJECTIVE_EFFORT_RATE : JN_OBJECTIVE_EFFORT;
        const jn_status status =
            jn_retime(c.model, c.data, c.path, c.range, &o, NULL, &least, &found, &error);
        if (status) print_error("%s\n", error.message);
        assert_ok(status);
        assert_true(found.duration <= o.duration);
        assert_int_equal(broken_limits(c.model, c.data, least, c.range), 0);
        assert_ok(jn_trajectory_scaled(motion, found.duration / fast.duration, NULL, &scaled));
        const double other = squared(c.model, c.data, scaled, rates),
                     own = squared(c.model, c.data, least, rates);
        print_message(
            "%s %d %s: %.4f s of %.4f s, cost %.5g instead of %.5g, %d steps, %d rounds\n",
            robots[robot], (int)seed, rates ? "rate" : "torque", found.duration, o.duration, own,
            other, found.longest, found.rounds);
        /* where hovering costs most, the fastest motion is the best: then both are the same */
        assert_true(own < other * (1 + 1e-4));
        check_residual("cost of the report", fabs(found.cost / own - 1), 1e-3);
        jn_trajectory_free(motion);
        jn_trajectory_free(least);
        jn_trajectory_free(scaled);
        retime_case_free(&c);
      }
}

/* A long duration that the least torque does not need: holding the robot costs, too. Near the ends, at rest, the
 * cost hardly depends on the clock; still every grid leads to the same motion. */
static void a_long_duration_is_not_used(void **state) {
  (void)state;
  static const double efforts[] = {20, 40};
  static const int intervals[] = {0, 100, 200, 1000};
  const double times[3] = {0, 0.7, 2}, q[6] = {0, 0, 1.2, -0.8, 0.3, 0.5};
  jn_model *model;
  jn_data *data;
  jn_trajectory *path = NULL;
  jn_error error = {0};
  assert_ok(jn_model_load("double_pendulum", NULL, NULL, &model, &error));
  assert_ok(jn_data_new(model, 1, NULL, &data));
  assert_ok(jn_trajectory_minimum(model, 3, 3, times, q, NULL, NULL, &path, &error));
  for (size_t e = 0; e < COUNT(efforts); e++)
    for (size_t i = 0; i < COUNT(intervals); i++) {
      jn_limit_range range[2 * JN_LIMIT_KINDS];
      jn_retime_options o = jn_retime_options_default();
      jn_retime_report report = {0};
      jn_trajectory *motion = NULL;
      no_limits(2, range);
      for (int k = 0; k < 2; k++)
        range[k * JN_LIMIT_KINDS + JN_LIMIT_EFFORT] = (jn_limit_range){-efforts[e], efforts[e]};
      o.objective = JN_OBJECTIVE_EFFORT, o.duration = 3, o.intervals = intervals[i];
      const jn_status status =
          jn_retime(model, data, path, range, &o, NULL, &motion, &report, &error);
      if (status) print_error("%s\n", error.message);
      assert_ok(status);
      print_message("torque %g, %d intervals: %.5f s, cost %.5f, %d steps\n", efforts[e],
                    intervals[i], report.duration, report.cost, report.longest);
      check_residual("cost of every grid", fabs(report.cost / 55.852 - 1), 5e-4);
      check_residual("its duration", fabs(report.duration / 1.509 - 1), 5e-3);
      jn_trajectory_free(motion);
    }
  jn_trajectory_free(path);
  jn_data_free(data);
  jn_model_free(model);
}

static void what_is_missing_is_named(void **state) {
  (void)state;
  inertia x = inertia_new(3, 1);
  const struct {
    jn_retime_objective objective;
    double duration, weight;
    jn_status status;
    const char *text;
  } cases[] = {{JN_OBJECTIVE_EFFORT, 0, 0, JN_ERR_ARGUMENT, "needs a duration"},
               {JN_OBJECTIVE_EFFORT_RATE, -1, 0, JN_ERR_ARGUMENT, "must not be negative"},
               {JN_OBJECTIVE_MIXED, 0, 0, JN_ERR_ARGUMENT, "positive weight"},
               {JN_OBJECTIVE_MIXED, 0, HUGE_VAL, JN_ERR_ARGUMENT, "positive weight"},
               {(jn_retime_objective)7, 0, 0, JN_ERR_ARGUMENT, "objective"},
               {JN_OBJECTIVE_EFFORT, 0.1, 0, JN_ERR_INFEASIBLE, "too short: the fastest"},
               {JN_OBJECTIVE_TIME, 0.1, 0, JN_ERR_INFEASIBLE, "too short: the fastest"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_retime_options o = jn_retime_options_default();
    jn_trajectory *motion = NULL;
    jn_error error = {0};
    o.objective = cases[i].objective, o.duration = cases[i].duration, o.weight = cases[i].weight;
    assert_status(jn_retime(x.model, x.data, x.path, x.range, &o, NULL, &motion, NULL, &error),
                  cases[i].status);
    if (!strstr(error.message, cases[i].text)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, cases[i].text));
  }
  inertia_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubics_and_quintics_are_found),
      cmocka_unit_test(dense_solvers_and_random_starts_agree),
      cmocka_unit_test(random_paths_cost_less),
      cmocka_unit_test(a_long_duration_is_not_used),
      cmocka_unit_test(what_is_missing_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
