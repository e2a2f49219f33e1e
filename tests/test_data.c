/* test_data.c: working memory: orders up to the limit, the caller's own block, failed allocations, a
 * model of 10000 bodies. */
#include <jounce/data.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/tree.h"

static void orders_up_to_the_limit_work_and_no_further(void **state) {
  (void)state;
  jn_spec *spec;
  jn_link_desc l = link_of("body", 1, jn_v3(0.1, 0.2, 0.3), 0.1, 0.2, 0.25);
  jn_joint_desc j = joint_of("joint", JN_JOINT_REVOLUTE, NULL, "body", shift(0.3, 0.2, 0.1));
  j.axis[0] = jn_v3(0, 1, 0);
  assert_ok(jn_spec_new("test", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &l));
  assert_ok(jn_spec_add_joint(spec, &j));
  jn_model *m = build(spec);
  jn_data *d = NULL;
  assert_ok(jn_data_new(m, JN_MAX_ORDER, NULL, &d));
  assert_int_equal(jn_data_order(d), JN_MAX_ORDER);
  double q = 0.3, *v = doubles(JN_MAX_ORDER + 2), *tau = doubles(JN_MAX_ORDER + 1);
  assert_ok(jn_inverse_dynamics(m, d, JN_MAX_ORDER, &q, v, NULL, tau));
  assert_true(tau[0] != 0 && all_equal_to(tau + 1, JN_MAX_ORDER, 0));
  /* q' = 1: tau is a sinusoid of time, at every order */
  v[0] = 1;
  assert_ok(jn_inverse_dynamics(m, d, 140, &q, v, NULL, tau));
  for (int k = 0; k + 2 <= 140; k++)
    check_residual("tau^(k+2) = -tau^(k) to order 140", fabs(tau[k + 2] + tau[k]) / fabs(tau[0]),
                   1e-12);
  jn_data_free(d);
  d = NULL;
  assert_status(jn_data_new(m, JN_MAX_ORDER + 1, NULL, &d), JN_ERR_LIMIT);
  assert_status(jn_data_new(m, -1, NULL, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_new(NULL, 0, NULL, &d), JN_ERR_ARGUMENT);
  assert_null(d);
  assert_int_equal(jn_data_size(m, JN_MAX_ORDER + 1), 0);
  assert_int_equal(jn_data_size(m, -1), 0);
  free(v), free(tau);
  jn_model_free(m);
  jn_spec_free(spec);
}

static void data_can_be_placed_in_the_callers_own_block(void **state) {
  (void)state;
  robot r = robot_random(5003, 5, JN_JOINT_FREE, TYPES_ALL, 3);
  size_t size = jn_data_size(r.model, 3);
  char *block = aligned_alloc(64, (size + 127) / 64 * 64);
  jn_data *d = NULL;
  assert_true(size > 0 && block);
  memset(block, 0x5A, (size + 127) / 64 * 64);
  assert_status(jn_data_place(r.model, 3, block, size - 1, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_place(r.model, 3, block + 8, size + 56, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_place(r.model, 3, NULL, size, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_place(r.model, JN_MAX_ORDER + 1, block, size, &d), JN_ERR_LIMIT);
  assert_true(block[0] == 0x5A);
  assert_ok(jn_data_place(r.model, 3, block, size, &d));
  *jn_data_settings(d) = *jn_data_settings(r.data);
  double *want = robot_inverse(&r, r.v, NULL), *got = doubles(r.n);
  assert_ok(jn_inverse_dynamics(r.model, d, 3, r.q, r.v, NULL, got));
  assert_true(same_bits(got, want, r.n));
  for (size_t i = size; i < (size + 127) / 64 * 64; i++) assert_true(block[i] == 0x5A);
  jn_data_free(d); /* does nothing */
  free(want), free(got), free(block);
  robot_free(&r);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  jn_spec *spec = random_spec(5004, 6, JN_JOINT_FREE, TYPES_ALL);
  int finished = 0, failures = 0;
  for (long n = 1; n < 200 && !finished; n++) {
    counter c;
    const jn_allocator hooks = counting(&c);
    c.fail_at = n, c.fail_once = 1;
    jn_model *m = NULL;
    jn_data *d = NULL;
    jn_error error;
    jn_status status = jn_model_build(spec, NULL, &hooks, &m, &error);
    if (!status) status = jn_data_new(m, 2, &hooks, &d);
    if (status) {
      assert_status(status, JN_ERR_MEMORY);
      assert_null(d);
      failures++;
    } else {
      finished = 1;
    }
    jn_data_free(d);
    jn_model_free(m);
    assert_int_equal(c.live, 0);
  }
  assert_true(finished && failures > 10);
  jn_spec_free(spec);
}

/* A horizontal chain of n equal links, each turning about y: at rest joint i carries the weight of
 * all links after it. */
static void a_chain_of_10000_bodies_builds_and_runs_to_order_10(void **state) {
  (void)state;
  enum { N = 10000, K = 10 };
  const double length = 0.0625, g = 9.81;
  jn_spec *spec;
  assert_ok(jn_spec_new("test", NULL, &spec));
  for (int i = 0; i < N; i++) {
    char name[16], parent[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(parent, sizeof parent, "l%d", i - 1);
    jn_link_desc l = link_of(name, 1, jn_v3(length / 2, 0, 0), 0.01, 0.01, 0.01);
    jn_joint_desc j =
        joint_of(name, JN_JOINT_REVOLUTE, i ? parent : NULL, name, shift(i ? length : 0, 0, 0));
    j.axis[0] = jn_v3(0, 1, 0);
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  jn_model *m = build(spec);
  jn_data *d;
  assert_int_equal(jn_model_body_count(m), N);
  assert_int_equal(jn_model_find_body(m, "l9999"), N - 1);
  assert_ok(jn_data_new(m, K, NULL, &d));
  double *q = doubles(N), *v = doubles((K + 2) * N), *tau = doubles((K + 1) * N);
  assert_ok(jn_inverse_dynamics(m, d, K, q, v, NULL, tau));
  double all = g * length * N * (double)N / 2;
  for (int i = 0; i < N; i++) {
    double n = N - i, want = -g * length * n * n / 2;
    check_residual("10000 bodies at rest", fabs(tau[i] - want) / all, 1e-12);
  }
  assert_true(all_equal_to(tau + N, K * N, 0));
  /* in motion: neighbours compared with each other, energy with power */
  double E[K + 1], P[K + 1], p[K + 1], size[K + 1];
  jn_momentum out = {0};
  out.kinetic = E, out.potential = P;
  for (int k = 0; k <= K + 1; k++)
    for (int i = 0; i < N; i++) v[k * N + i] = (i % 2 ? -1 : 1) * cos(0.001 * i + k);
  assert_ok(jn_inverse_dynamics(m, d, K, q, v, NULL, tau));
  assert_ok(jn_momentum_energy(m, d, K, q, v, &out));
  jn_jet_to_taylor(K, N, v), jn_jet_to_taylor(K, N, tau), jn_jet_to_taylor(K, 1, E),
      jn_jet_to_taylor(K, 1, P);
  jet_dot(K, N, v, tau, p, size);
  for (int k = 0; k < K; k++)
    check_residual("10000 bodies: power to order 9",
                   fabs((k + 1) * (E[k + 1] + P[k + 1]) - p[k]) / size[k], 1e-11);
  jn_jet_to_derivatives(K, N, v);
  double V[6 * (K + 1)];
  assert_ok(jn_kinematics(m, d, K, q, v));
  assert_ok(jn_frame_twist(m, d, N - 1, JN_SPATIAL, K, V));
  double turn = 0;
  for (int i = 0; i < N; i++) turn += v[i];
  check_residual("10000 bodies: the last one's turn", fabs(V[1] - turn), 1e-10);
  free(q), free(v), free(tau);
  jn_data_free(d);
  jn_model_free(m);
  jn_spec_free(spec);
}

static void strict_settings_use_no_vector_instructions(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_data *data;
  assert_ok(jn_data_new(model, 0, NULL, &data));
  const char *best = jn_data_engine(data);
  jn_data_settings(data)->strict = 1;
  assert_string_equal(jn_data_engine(data), "plain");
  jn_data_settings(data)->strict = 0;
  assert_ptr_equal(jn_data_engine(data), best);
  jn_data_free(data), jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strict_settings_use_no_vector_instructions),
      cmocka_unit_test(orders_up_to_the_limit_work_and_no_further),
      cmocka_unit_test(data_can_be_placed_in_the_callers_own_block),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(a_chain_of_10000_bodies_builds_and_runs_to_order_10),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
