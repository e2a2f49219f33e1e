/* test_clock.c: motions by another clock: the chain rule, composition, breaks, files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

enum { DEGREE = 3, CLOCK = 7, TOP = 6 };

/* Every joint type: rotations too are functions of three angles, each a polynomial. */
static jn_model *random_model(uint64_t seed) {
  check_seed(seed);
  jn_spec *spec =
      random_spec(seed, 5, seed % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, TYPES_ALL & ~TYPE(FIXED));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

/* u(t) = t + a t^2 + ... on [0, 1], increasing; u[CLOCK + 1] */
static void random_clock(uint64_t seed, double *u) {
  rng r = rng_new(seed);
  u[0] = 0.1;
  u[1] = 1;
  for (int k = 2; k <= CLOCK; k++) u[k] = rng_range(&r, -0.03, 0.03);
}

/* rows t, u, u', u'', u''' of a polynomial */
static void rows_of(const double *u, int count, const double *times, double *row) {
  for (int i = 0; i < count; i++) {
    double y[CLOCK + 1];
    memcpy(y, u, sizeof y);
    row[5 * i] = times[i];
    for (int k = 0; k < 4; k++) {
      for (int j = CLOCK - 1; j >= k; j--) y[j] += times[i] * y[j + 1];
      row[5 * i + 1 + k] = jn_jet_derivative(k, y[k]);
    }
  }
}

/* coefficients of c(u(t)), c [(DEGREE+1) x nv] */
static double *composed(const double *c, const double *u, size_t nv) {
  enum { ALL = DEGREE * CLOCK + 1 };
  double *out = doubles(ALL * nv), power[ALL] = {1}, next[ALL];
  for (int k = 0; k <= DEGREE; k++) {
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < ALL; j++) out[j * nv + i] += c[(size_t)k * nv + i] * power[j];
    memset(next, 0, sizeof next);
    for (int a = 0; a < ALL; a++)
      for (int b = 0; b <= CLOCK && a + b < ALL; b++) next[a + b] += power[a] * u[b];
    memcpy(power, next, sizeof power);
  }
  return out;
}

/* The largest difference of two motions, each order relative to its size. */
static double difference(const jn_model *model, const jn_trajectory *a, const jn_trajectory *b,
                         double t, int order) {
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  const size_t n = (size_t)(order + 2) * nv;
  double *x = doubles(nq + n), *y = doubles(nq + n), worst;
  assert_ok(jn_trajectory_at(a, t, order, JN_HYBRID, x, x + nq));
  assert_ok(jn_trajectory_at(b, t, order, JN_HYBRID, y, y + nq));
  worst = fmax(largest_difference(x, y, nq), row_error(order + 2, nv, x + nq, y + nq, NULL));
  free(x);
  free(y);
  return worst;
}

/* Rounding: derivative k of a piece of degree 7 and length h multiplies it by 7!/(7-k)! / h^k.
 * A polynomial of a polynomial clock is a polynomial: both are evaluated to order 6. */
static void derivatives_follow_the_chain_rule(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    jn_model *model = random_model(seed);
    const size_t nv = (size_t)jn_model_nv(model);
    const double times[4] = {0, 0.3, 0.45, 1};
    double u[CLOCK + 1], row[20], *c = doubles((DEGREE + 1) * nv);
    rng r = rng_new(seed + 7);
    jn_trajectory *path = NULL, *moved = NULL, *direct = NULL;
    jn_error error = {0};
    random_clock(seed, u);
    rows_of(u, 4, times, row);
    for (size_t i = 0; i < (DEGREE + 1) * nv; i++) c[i] = rng_range(&r, -1, 1);
    double *all = composed(c, u, nv);
    assert_ok(jn_trajectory_polynomial(model, 0, 2, DEGREE, c, NULL, &path, &error));
    assert_ok(jn_trajectory_clocked(path, 4, row, NULL, &moved, &error));
    assert_ok(jn_trajectory_polynomial(model, 0, 1, DEGREE * CLOCK, all, NULL, &direct, &error));
    assert_true(jn_trajectory_start(moved) == 0 && jn_trajectory_end(moved) == 1);
    double shown[3], back[3];
    assert_ok(jn_trajectory_clock(moved, 0.37, 2, shown));
    rows_of(u, 1, (const double[1]){0.37}, row);
    check_residual("the clock itself", largest_difference(shown, row + 1, 3), 1e-12);
    assert_ok(jn_trajectory_clock(direct, 0.37, 2, back));
    assert_true(back[0] == 0.37 && back[1] == 1 && back[2] == 0);
    for (double t = 0.01; t < 1; t += 0.07)
      check_residual("clocked against composed polynomials, order 6",
                     difference(model, moved, direct, t, TOP), 5040 * U / pow(0.15, 7));
    for (double t = 0.01; t < 1; t += 0.07)
      check_residual("the same, order 2", difference(model, moved, direct, t, 2),
                     840 * U / pow(0.15, 4));
    jn_trajectory_free(path);
    jn_trajectory_free(moved);
    jn_trajectory_free(direct);
    jn_model_free(model);
    free(c);
    free(all);
  }
}

/* Clocks of clocks, of scaled motions, and scaled again: one clock with the same values. */
static void clocks_compose(void **state) {
  (void)state;
  jn_model *model = random_model(3);
  const size_t nv = (size_t)jn_model_nv(model);
  double *c = doubles(4 * nv);
  rng r = rng_new(5);
  for (size_t i = 0; i < 4 * nv; i++) c[i] = rng_range(&r, -1, 1);
  jn_trajectory *path = NULL, *scaled = NULL, *one = NULL, *two = NULL, *both = NULL, *slow = NULL;
  jn_error error = {0};
  assert_ok(jn_trajectory_polynomial(model, 1, 3, 3, c, NULL, &path, &error));
  assert_ok(jn_trajectory_scaled(path, 2, NULL, &scaled)); /* 1 .. 5 */
  /* u = 1 + 2 t, then t = s^2: spline time 1 + s^2 of the path */
  const double first[10] = {0, 1, 2, 0, 0, 2, 5, 2, 0, 0};
  const double second[10] = {0.5, 0.25, 1, 2, 0, 1.25, 1.5625, 2.5, 2, 0};
  const double direct[10] = {0.5, 1.25, 1, 2, 0, 1.25, 2.5625, 2.5, 2, 0};
  assert_ok(jn_trajectory_clocked(scaled, 2, first, NULL, &one, &error));
  assert_ok(jn_trajectory_clocked(one, 2, second, NULL, &two, &error));
  assert_ok(jn_trajectory_clocked(path, 2, direct, NULL, &both, &error));
  assert_true(jn_trajectory_start(two) == 0.5 && jn_trajectory_end(two) == 1.25);
  for (double t = 0.5; t <= 1.25; t += 0.05)
    check_residual("a clock of a clock of a scaled path", difference(model, two, both, t, 4), 1e-9);
  assert_ok(jn_trajectory_scaled(two, 3, NULL, &slow));
  assert_true(fabs(jn_trajectory_end(slow) - 2.75) < 1e-15);
  double q[64], v[256], w[256];
  assert_ok(jn_trajectory_at(slow, 0.5 + 3 * 0.4, 2, JN_BODY, q, v));
  assert_ok(jn_trajectory_at(two, 0.9, 2, JN_BODY, q, w));
  for (size_t i = 0; i < 4 * nv; i++)
    check_residual("a scaled clock", fabs(v[i] - w[i] / pow(3, (double)(1 + i / nv))), 1e-11);
  jn_trajectory *all[] = {path, scaled, one, two, both, slow};
  for (size_t i = 0; i < COUNT(all); i++) jn_trajectory_free(all[i]);
  jn_model_free(model);
  free(c);
}

/* Breaks of the path and rows of the clock are breaks of the moved; at a break the derivatives are
 * those from the right. */
static void breaks_are_found_through_the_clock(void **state) {
  (void)state;
  jn_model *model;
  jn_error error = {0};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &model, &error));
  const double times[3] = {0, 0.3, 1}, q[3] = {0, 1, 0};
  const double clock[15] = {0, 0, 0.8, 0, 0, 0.5, 0.45, 1, 0, 0, 1.1, 1, 0.8, 0, 0};
  jn_trajectory *path = NULL, *moved = NULL;
  assert_ok(jn_trajectory_half_cosine(model, 3, times, q, NULL, &path, &error));
  assert_ok(jn_trajectory_clocked(path, 3, clock, NULL, &moved, &error));
  const double at = jn_trajectory_next_break(moved, 0);
  double x, v[2], left[2], right[2];
  assert_true(at > 0.2 && at < 0.5);
  assert_ok(jn_trajectory_at(moved, at, 0, JN_BODY, &x, v));
  assert_ok(jn_trajectory_at(moved, at - 1e-9, 0, JN_BODY, &x, left));
  assert_ok(jn_trajectory_at(moved, at + 1e-9, 0, JN_BODY, &x, right));
  assert_true(fabs(right[1] - left[1]) > 1);
  assert_true(fabs(v[1] - right[1]) < 1e-4);
  assert_true(jn_trajectory_next_break(moved, at) == 0.5);
  assert_true(jn_trajectory_next_break(moved, 0.5) == 1.1);
  assert_true(jn_trajectory_next_break(moved, 1.1) == HUGE_VAL);
  jn_trajectory_free(path);
  jn_trajectory_free(moved);
  jn_model_free(model);
}

static void files_keep_every_bit(void **state) {
  (void)state;
  jn_model *model = random_model(5);
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *c = doubles(4 * nv), u[CLOCK + 1], row[20], second[10];
  const double times[4] = {0, 0.21, 0.6, 1}, twice[2] = {0, 0.7};
  rng r = rng_new(5);
  for (size_t i = 0; i < 4 * nv; i++) c[i] = rng_range(&r, -1, 1);
  jn_trajectory *path = NULL, *one = NULL, *two = NULL, *slow = NULL, *again = NULL;
  jn_error error = {0};
  random_clock(9, u);
  rows_of(u, 4, times, row);
  u[0] = 0;
  rows_of(u, 2, twice, second);
  assert_ok(jn_trajectory_polynomial(model, 0, 3, 3, c, NULL, &path, &error));
  assert_ok(jn_trajectory_clocked(path, 4, row, NULL, &one, &error));
  assert_ok(jn_trajectory_clocked(one, 2, second, NULL, &two, &error));
  assert_ok(jn_trajectory_scaled(two, 1.37, NULL, &slow));
  assert_ok(jn_trajectory_save(slow, model, "clocked.json", &error));
  assert_ok(jn_trajectory_load("clocked.json", model, NULL, NULL, NULL, &again, &error));
  double *x = doubles(nq + 5 * nv), *y = doubles(nq + 5 * nv);
  for (double t = 0; t <= jn_trajectory_end(slow); t += 0.05) {
    assert_ok(jn_trajectory_at(slow, t, 3, JN_MIXED, x, x + nq));
    assert_ok(jn_trajectory_at(again, t, 3, JN_MIXED, y, y + nq));
    assert_true(same_bits(x, y, nq + 5 * nv));
  }
  jn_trajectory *all[] = {path, one, two, slow, again};
  for (size_t i = 0; i < COUNT(all); i++) jn_trajectory_free(all[i]);
  jn_model_free(model);
  free(c);
  free(x);
  free(y);
  remove("clocked.json");
}

static void bad_clocks_are_refused(void **state) {
  (void)state;
  jn_model *model;
  jn_error error = {0};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &model, &error));
  const double c[2] = {0, 1};
  jn_trajectory *path = NULL, *out = NULL;
  assert_ok(jn_trajectory_polynomial(model, 0, 1, 1, c, NULL, &path, &error));
  static const struct {
    double row[10];
    int count;
    jn_status status;
    const char *message;
  } bad[] = {
      {{0, 0, 1, 0, 0, 1, 1, 1, 0, 0}, 1, JN_ERR_ARGUMENT, "2 to"},
      {{2, 0, 1, 0, 0, 2, 1, 1, 0, 0}, 2, JN_ERR_ARGUMENT, "row 0 (t = 2, u = 0): times"},
      {{0, 0, 1, 0, 0, 1, 0, 1, 0, 0}, 2, JN_ERR_ARGUMENT, "must increase"},
      {{0, 0, -1, 0, 0, 1, 1, 1, 0, 0}, 2, JN_ERR_ARGUMENT, "must increase"},
      {{0, 0, 30, 0, 0, 1, 1, 30, 0, 0}, 2, JN_ERR_ARGUMENT, "must increase"},
      {{0, 0, 1, 0, 0, 1, 1.5, 1, 0, 0}, 2, JN_ERR_ARGUMENT, "the path only from 0 to 1"},
      {{0, -1, 1, 0, 0, 1, 1, 2, 0, 0}, 2, JN_ERR_ARGUMENT, "the path only from 0 to 1"},
      {{0, 0, 1, 0, (double)NAN, 1, 1, 1, 0, 0}, 2, JN_ERR_NOT_FINITE, "not finite"},
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    assert_status(jn_trajectory_clocked(path, bad[i].count, bad[i].row, NULL, &out, &error),
                  bad[i].status);
    assert_non_null(strstr(error.message, bad[i].message));
    assert_null(out);
  }
  assert_status(jn_trajectory_clocked(NULL, 2, bad[1].row, NULL, &out, NULL), JN_ERR_ARGUMENT);
  static const struct {
    const char *text, *message;
  } files[] = {
      {"{\"kind\": \"polynomial\", \"end\": 1, \"joints\": {\"joint1\": [0, 1]}, \"clocks\": 3}",
       "clocks"},
      {"{\"kind\": \"polynomial\", \"end\": 1, \"joints\": {\"joint1\": [0, 1]}, \"clocks\": [3]}",
       "clocks[0]"},
      {"{\"kind\": \"polynomial\", \"end\": 1, \"joints\": {\"joint1\": [0, 1]},"
       " \"clocks\": [[[0, 0, 1, 0, 0], [1, 2, 1, 0, 0]]]}",
       "the path only from 0 to 1"},
      {"{\"kind\": \"polynomial\", \"end\": 1, \"joints\": {\"joint1\": [0, 1]},"
       " \"clocks\": [[[0, 0, 1, 0], [1, 1, 1, 0]]]}",
       "5 numbers"},
  };
  for (size_t i = 0; i < COUNT(files); i++) {
    assert_int_not_equal(jn_trajectory_parse(files[i].text, strlen(files[i].text), "x.json", model,
                                             NULL, NULL, NULL, &out, &error),
                         JN_OK);
    if (!strstr(error.message, files[i].message)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, files[i].message));
  }
  jn_trajectory_free(path);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_follow_the_chain_rule),
      cmocka_unit_test(clocks_compose),
      cmocka_unit_test(breaks_are_found_through_the_clock),
      cmocka_unit_test(files_keep_every_bit),
      cmocka_unit_test(bad_clocks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
