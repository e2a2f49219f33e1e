/* test_rotor_limits.c: limits of thrusts and thrust rates: against the rotors' own functions,
 * differences, and closed forms of vertical flight. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/retime.h"
#include "helpers/tree.h"

typedef struct flight {
  jn_model *model;
  jn_data *data;
  jn_limit_range *range;
  int nv, rotors;
} flight;

static flight flight_new(void) {
  flight x;
  jn_error error = {0};
  assert_ok(jn_model_load("tilthex", NULL, NULL, &x.model, &error));
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  x.nv = jn_model_nv(x.model), x.rotors = jn_model_rotor_count(x.model);
  assert_int_equal(jn_limit_rows(x.model), x.nv + x.rotors);
  x.range = calloc((size_t)(x.nv + x.rotors) * JN_LIMIT_KINDS, sizeof *x.range);
  assert_non_null(x.range);
  no_limits(x.nv + x.rotors, x.range);
  return x;
}

static void flight_free(flight *x) {
  free(x->range);
  jn_data_free(x->data);
  jn_model_free(x->model);
}

static jn_limit_range *limit_of(const flight *x, int rotor, jn_limit_kind kind) {
  return &x->range[(x->nv + rotor) * JN_LIMIT_KINDS + (int)kind];
}

/* Thrusts and rates [2 x rotors] at t, by inverse dynamics in body representation. */
static void thrusts_at(const flight *x, const jn_trajectory *timed, double t, double *f) {
  double *q = doubles((size_t)jn_model_nq(x->model)), *v = doubles(3 * (size_t)x->nv),
         *tau = doubles(2 * (size_t)x->nv), W[12];
  jn_settings *settings = jn_data_settings(x->data);
  const jn_representation before = settings->representation;
  settings->representation = JN_BODY;
  assert_ok(jn_trajectory_at(timed, t, 1, JN_BODY, q, v));
  assert_ok(jn_inverse_dynamics(x->model, x->data, 1, q, v, NULL, tau));
  for (int i = 0; i < 12; i++) W[i] = tau[i < 6 ? i : x->nv + i - 6];
  assert_ok(jn_rotor_thrusts(x->model, 1, W, f, NULL));
  settings->representation = before;
  free(q);
  free(v);
  free(tau);
}

/* In every representation the peaks are those of jn_rotor_thrusts; the rate is the slope. */
static void peaks_are_those_of_the_rotors(void **state) {
  (void)state;
  retime_case c = retime_case_new("tilthex", 3, 3, 0);
  flight x = {c.model, c.data, c.range, jn_model_nv(c.model), jn_model_rotor_count(c.model)};
  double *f = doubles(2 * (size_t)x.rotors), *near = doubles(4 * (size_t)x.rotors);
  no_limits(x.nv + x.rotors, x.range);
  for (int i = 0; i < x.rotors; i++) {
    *limit_of(&x, i, JN_LIMIT_EFFORT) = (jn_limit_range){-100, 100};
    *limit_of(&x, i, JN_LIMIT_EFFORT_RATE) = (jn_limit_range){-1000, 1000};
  }
  for (size_t r = 0; r < COUNT(representations); r++) {
    jn_limit_check *check = NULL;
    jn_error error = {0};
    jn_data_settings(x.data)->representation = representations[r];
    assert_ok(jn_limit_check_new(x.model, x.data, c.path, x.range, 400, NULL, &check, &error));
    assert_int_equal(jn_limit_check_limited(check), 2 * x.rotors);
    for (int i = 0; i < x.rotors; i++)
      for (int rate = 0; rate < 2; rate++) {
        const jn_limit_peak *p =
            jn_limit_check_peak(check, x.nv + i, rate ? JN_LIMIT_EFFORT_RATE : JN_LIMIT_EFFORT);
        thrusts_at(&x, c.path, p->t, f);
        check_residual("thrust at its peak", fabs(f[rate * x.rotors + i] - p->value), 1e-10);
        if (rate || p->t < 1e-3 || p->t > 4 - 1e-3) continue;
        /* the thrust is stationary there */
        check_residual("thrust rate at the peak of the thrust", fabs(f[x.rotors + i]), 1e-4);
        for (int side = 0; side < 2; side++)
          thrusts_at(&x, c.path, p->t + (side ? 1e-4 : -1e-4), near + side * 2 * x.rotors);
        assert_true(fabs(near[i]) <= fabs(f[i]) && fabs(near[2 * x.rotors + i]) <= fabs(f[i]));
      }
    jn_limit_check_free(check);
  }
  free(f);
  free(near);
  retime_case_free(&c);
}

static jn_trajectory *ascent(const flight *x, int derivative, double height) {
  const size_t nq = (size_t)jn_model_nq(x->model);
  double *q = doubles(2 * nq);
  const double times[2] = {0, 1};
  jn_trajectory *path = NULL;
  jn_error error = {0};
  jn_model_home(x->model, q);
  memcpy(q + nq, q, nq * sizeof *q);
  q[nq + 6] += height;
  assert_ok(jn_trajectory_minimum(x->model, derivative, 2, times, q, NULL, NULL, &path, &error));
  free(q);
  return path;
}

/* Straight up by d: every thrust is f_i = k_i (g + a). With k_i g at rest, the limits of thrust bound the
 * acceleration, -B <= a <= A, and T = (2 d (A + B)/(A B))^(1/2); a limit of the thrust rate alone bounds
 * the jerk by J, and T = (32 d/J)^(1/3). */
static void ascents_are_as_fast_as_thrust_allows(void **state) {
  (void)state;
  const double d = 2, g = 9.81;
  for (int rates = 0; rates < 2; rates++) {
    flight x = flight_new();
    jn_trajectory *path = ascent(&x, rates ? 3 : 2, d), *timed = NULL;
    double *f = doubles(2 * (size_t)x.rotors), A = HUGE_VAL, B = HUGE_VAL, J = HUGE_VAL;
    jn_error error = {0};
    jn_data_settings(x.data)->representation = JN_MIXED;
    jn_trajectory *still = NULL;
    assert_ok(jn_trajectory_scaled(path, 1e6, NULL, &still));
    thrusts_at(&x, still, 0, f);
    jn_trajectory_free(still);
    for (int i = 0; i < x.rotors; i++) {
      const jn_rotor *rotor = jn_model_rotor(x.model, i);
      const double k = f[i] / g, rate = rotor->limits.thrust_rate;
      if (rates)
        *limit_of(&x, i, JN_LIMIT_EFFORT_RATE) = (jn_limit_range){-rate, rate};
      else
        *limit_of(&x, i, JN_LIMIT_EFFORT) = (jn_limit_range){rotor->lower, rotor->upper};
      A = fmin(A, rotor->upper / k - g), B = fmin(B, g - rotor->lower / k), J = fmin(J, rate / k);
    }
    const double want = rates ? cbrt(32 * d / J) : sqrt(2 * d * (A + B) / (A * B));
    jn_retime_options o = jn_retime_options_default();
    o.intervals = 1600;
    o.without_rates = !rates;
    assert_ok(jn_retime(x.model, x.data, path, x.range, &o, NULL, &timed, NULL, &error));
    const double slower = jn_trajectory_end(timed) / want - 1;
    print_message("ascent, %s: %.4f s, %.1e slower than the closed form\n",
                  rates ? "thrust rate" : "thrust", jn_trajectory_end(timed), slower);
    assert_true(slower > -1e-6);
    check_residual(rates ? "ascent under thrust rates" : "ascent under thrusts", slower,
                   rates ? 1e-5 : 2.5e-3);
    assert_int_equal(broken_limits(x.model, x.data, timed, x.range), 0);
    jn_trajectory_free(timed);
    jn_trajectory_free(path);
    free(f);
    flight_free(&x);
  }
}

/* Names and the model's limits; what rotors do not have is refused, and what cannot be done. */
static void rows_of_rotors_are_named(void **state) {
  (void)state;
  flight x = flight_new();
  char name[64];
  jn_error error = {0};
  jn_limit_check *check = NULL;
  jn_trajectory *path = ascent(&x, 3, 1), *timed = NULL;
  assert_ok(jn_limit_row_name(x.model, x.nv + 1, name, sizeof name));
  assert_string_equal(name, jn_model_rotor(x.model, 1)->name);
  assert_ok(jn_limit_row_name(x.model, 5, name, sizeof name));
  assert_string_equal(name, "base:vz");
  assert_status(jn_limit_row_name(x.model, x.nv + x.rotors, name, sizeof name), JN_ERR_ARGUMENT);
  assert_string_equal(jn_limit_quantity(x.model, x.nv, JN_LIMIT_EFFORT_RATE), "thrust_rate");
  assert_string_equal(jn_limit_quantity(x.model, 0, JN_LIMIT_EFFORT_RATE), "effort_rate");
  assert_null(jn_limit_quantity(x.model, x.nv, JN_LIMIT_JERK));
  assert_ok(jn_model_limits(x.model, x.range));
  assert_true(limit_of(&x, 2, JN_LIMIT_EFFORT)->high == jn_model_rotor(x.model, 2)->upper);
  /* a thrust that does not hold the robot */
  limit_of(&x, 0, JN_LIMIT_EFFORT)->high = 1;
  assert_status(jn_retime(x.model, x.data, path, x.range, NULL, NULL, &timed, NULL, &error),
                JN_ERR_INFEASIBLE);
  assert_non_null(strstr(error.message, "the thrust at rest of 'p1' is"));
  *limit_of(&x, 0, JN_LIMIT_JERK) = (jn_limit_range){-1, 1};
  assert_status(jn_limit_check_new(x.model, x.data, path, x.range, 100, NULL, &check, &error),
                JN_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "rotor 'p1' has no jerk"));
  jn_trajectory_free(path);
  flight_free(&x);
}

/* Rotors of rank 3 (as printed in the paper) determine no thrusts: none has limits, and given ones are
 * refused. */
static void rotors_that_cannot_apply_every_wrench_are_refused(void **state) {
  (void)state;
  flight x = flight_new();
  jn_spec *spec = NULL;
  jn_error error = {0};
  const jn_rotor_ring ring = jn_rotor_ring_printed();
  const jn_rotor_limits limits = {0, HUGE_VAL, 10, 100};
  jn_link_desc link = jn_link_default("hull");
  link.mass = 4;
  link.inertia = jn_m3_identity();
  assert_ok(jn_spec_new("ring", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &link));
  assert_ok(jn_spec_add_rotor_ring(spec, "hull", &ring, &limits));
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "hull");
  assert_ok(jn_spec_add_joint(spec, &base));
  jn_data_free(x.data);
  jn_model_free(x.model);
  assert_ok(jn_model_build(spec, NULL, NULL, &x.model, &error));
  jn_spec_free(spec);
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  x.nv = 6, x.rotors = 6;
  jn_trajectory *path = ascent(&x, 3, 1), *timed = NULL;
  assert_ok(jn_model_limits(x.model, x.range));
  assert_true(isinf(limit_of(&x, 0, JN_LIMIT_EFFORT)->high));
  limit_of(&x, 0, JN_LIMIT_EFFORT)->high = 20;
  assert_status(jn_retime(x.model, x.data, path, x.range, NULL, NULL, &timed, NULL, &error),
                JN_ERR_ACTUATION);
  assert_non_null(strstr(error.message, "every wrench"));
  jn_trajectory_free(path);
  flight_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peaks_are_those_of_the_rotors),
      cmocka_unit_test(ascents_are_as_fast_as_thrust_allows),
      cmocka_unit_test(rows_of_rotors_are_named),
      cmocka_unit_test(rotors_that_cannot_apply_every_wrench_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
