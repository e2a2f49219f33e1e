/* test_trajectory_file.c: descriptions and samples: the same motion as from C, refusals, damage. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/tree.h"

static jn_model *model_of(const char *name) {
  jn_model *model;
  jn_error error;
  if (jn_model_load(name, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  return model;
}

static jn_status parse(const jn_model *model, const char *text, jn_trajectory **T,
                       jn_error *error) {
  return jn_trajectory_parse(text, strlen(text), "x.json", model, NULL, NULL, NULL, T, error);
}

/* Largest difference of two motions, orders 0..5, and of their times. */
static double distance(const jn_model *model, const jn_trajectory *T, const jn_trajectory *S) {
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *q = doubles(nq), *p = doubles(nq), *v = doubles(6 * nv), *u = doubles(6 * nv);
  double start = jn_trajectory_start(T), end = jn_trajectory_end(T);
  double worst = fabs(start - jn_trajectory_start(S)) + fabs(end - jn_trajectory_end(S));
  for (int i = 0; i <= 30; i++) {
    double t = start + (end - start) * i / 30;
    assert_ok(jn_trajectory_at(T, t, 4, JN_SPATIAL, q, v));
    assert_ok(jn_trajectory_at(S, t, 4, JN_SPATIAL, p, u));
    worst = fmax(worst, largest_difference(q, p, nq));
    for (size_t k = 0; k < 6; k++)
      worst = fmax(worst,
                   largest_difference(v + k * nv, u + k * nv, nv) / (1 + largest(u + k * nv, nv)));
  }
  free(q), free(p), free(v), free(u);
  return worst;
}

static void descriptions_are_the_motions_of_the_library(void **state) {
  (void)state;
  jn_model *m = model_of("double_pendulum");
  static const double t[3] = {0, 1, 3}, q[6] = {0, 1, 0.5, -1, 2, 0},
                      c[6] = {1, 2, 0.5, -1, 0.25, 3};
  jn_trajectory *want, *got;
  jn_error e = {0};
  for (int i = 0; i < 6; i++) {
    static const char *const text[6] = {
        "{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 1, 3],"
        " \"joints\": {\"joint1\": [0, 0.5, 2], \"joint2\": {\"values\": [1, -1, 0]}}}",
        "{\"kind\": \"half_cosine\", \"times\": [0, 1, 3],"
        " \"joints\": {\"joint1\": [0, 0.5, 2], \"joint2\": [1, -1, 0]}}",
        "{\"start\": 1, \"end\": 2, \"joints\": {\"joint1\": {\"kind\": \"polynomial\","
        " \"coefficients\": [1, 0.5, 0.25]}, \"joint2\": {\"kind\": \"polynomial\","
        " \"coefficients\": [2, -1, 3]}}}",
        "{\"kind\": \"fourier\", \"start\": 1, \"end\": 2, \"w\": 3, \"joints\": {"
        " \"joint1\": {\"a\": [1, 0.5], \"b\": [0, 0.25]},"
        " \"joint2\": {\"a\": [2, -1], \"b\": [0, 3]}}}",
        "{\"kind\": \"bspline\", \"degree\": 2, \"start\": -1, \"end\": 1,"
        " \"joints\": {\"joint1\": [0, 0.5, 2], \"joint2\": [1, -1, 0]}}",
        "{\"kind\": \"fit\", \"degree\": 2, \"tolerance\": 0.1, \"times\": [0, 1, 3],"
        " \"joints\": {\"joint1\": [0, 0.5, 2], \"joint2\": [1, -1, 0]}}"};
    const double b[4] = {0, 0, 0.25, 3}, a[4] = {1, 2, 0.5, -1};
    double knots[6];
    jn_fit_options o = jn_fit_default();
    o.degree = 2, o.tolerance = 0.1;
    jn_bspline_knots(-1, 1, 2, 3, knots);
    jn_status status = i == 0   ? jn_trajectory_minimum(m, 4, 3, t, q, NULL, NULL, &want, &e)
                       : i == 1 ? jn_trajectory_half_cosine(m, 3, t, q, NULL, &want, &e)
                       : i == 2 ? jn_trajectory_polynomial(m, 1, 2, 2, c, NULL, &want, &e)
                       : i == 3 ? jn_trajectory_fourier(m, 1, 2, 2, 3, a, b, NULL, &want, &e)
                       : i == 4 ? jn_trajectory_bspline(m, 2, 3, knots, q, NULL, &want, &e)
                                : jn_trajectory_fit(m, 3, t, q, &o, NULL, NULL, &want, &e);
    if (status || parse(m, text[i], &got, &e)) fail_msg("%d: %s", i, e.message);
    check_residual("description against library", distance(m, got, want), 1e-13);
    jn_trajectory_free(want), jn_trajectory_free(got);
  }
  jn_model_free(m);
}

/* A flying robot: base on SE(3), some joints held, others with times of their own. */
static const char flight[] =
    "{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 1, 2.5], \"time_scale\": 1.25,\n"
    " \"base\": {\"values\": [[1, 0, 0, 0, 0, 0, 1], [0.6, 0, 0.8, 0, 1, 0, 1],\n"
    "                       [0, 0.6, 0, 0.8, 1, 2, 0]],\n"
    "   \"start_derivatives\": [[0.1, 0.2, 0.3, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, "
    "0]]},\n"
    " \"joints\": {\"q2\": [0, 1, 0], \"q3\": {\"kind\": \"half_cosine\", \"times\": [0.5, 2],"
    " \"values\": [0, 1]},\n"
    "   \"q4\": {\"kind\": \"hold\", \"value\": 0.7}}}";

static void what_is_saved_loads_bit_for_bit(void **state) {
  (void)state;
  jn_model *m = model_of("tilthex");
  jn_trajectory *T, *S;
  jn_error e = {0};
  double q[13], v[24];
  if (parse(m, flight, &T, &e)) fail_msg("%s", e.message);
  assert_true(jn_trajectory_end(T) == 3.125);
  assert_ok(jn_trajectory_at(T, 0, 0, JN_MIXED, q, v));
  assert_true(q[9] == 0.7 && q[10] == 0 && v[8] == 0);
  check_residual("derivatives at the start",
                 fabs(v[0] - 0.08) + fabs(v[1] - 0.16) + fabs(v[2] - 0.24) + fabs(v[14] - 0.64),
                 1e-14);
  assert_ok(jn_trajectory_save(T, m, temporary("saved.json"), &e));
  if (jn_trajectory_load(temporary("saved.json"), m, NULL, NULL, NULL, &S, &e))
    fail_msg("%s", e.message);
  assert_true(distance(m, T, S) == 0);
  jn_trajectory_free(T), jn_trajectory_free(S);
  /* and a fit, whose rotation is a quaternion's */
  jn_table *t;
  assert_ok(jn_table_new(30, 14, NULL, &t));
  snprintf(t->names[0], JN_COLUMN_NAME, "t");
  for (int i = 0; i < 13; i++) assert_ok(jn_coordinate_name(m, i, t->names[1 + i]));
  assert_string_equal(t->names[1], "base:qw");
  assert_string_equal(t->names[8], "q2");
  for (int i = 0; i < 30; i++) {
    double *row = t->values + 14 * i, x = 0.1 * i;
    jn_quat r = jn_quat_exp(jn_v3(sin(x), 0.5 * x, cos(x)));
    const double values[14] = {x, r.w, r.x, r.y, r.z, x, x * x, 1, sin(x), cos(x), 0, 0, 0, 0};
    memcpy(row, values, sizeof values);
  }
  assert_ok(jn_table_save(t, temporary("base.npz"), &e));
  jn_fit_options o = jn_fit_default();
  o.tolerance = 1e-4;
  double rms[13];
  jn_fit_report report = {rms, NULL, NULL};
  if (jn_trajectory_load(temporary("base.npz"), m, &o, &report, NULL, &T, &e))
    fail_msg("%s", e.message);
  check_residual("rms of a column", fabs(rms[7] - 1e-4), 1e-9);
  assert_ok(jn_trajectory_save(T, m, temporary("saved.json"), &e));
  assert_ok(jn_trajectory_load(temporary("saved.json"), m, NULL, NULL, NULL, &S, &e));
  assert_true(distance(m, T, S) == 0);
  jn_trajectory_free(S);
  /* a description that names the samples, beside it; npy without names */
  put("named.json", "{\"samples\": \"base.npz\", \"tolerance\": 1e-4}");
  assert_ok(jn_trajectory_load(temporary("named.json"), m, NULL, NULL, NULL, &S, &e));
  assert_true(distance(m, T, S) == 0);
  jn_trajectory_free(S);
  assert_ok(jn_table_save(t, temporary("base.npy"), &e));
  assert_ok(jn_trajectory_load(temporary("base.npy"), m, &o, NULL, NULL, &S, &e));
  assert_true(distance(m, T, S) == 0);
  jn_trajectory_free(T), jn_trajectory_free(S);
  jn_table_free(t);
  jn_model_free(m);
}

static void bad_descriptions_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"", "not a JSON object"},
      {"[1]", "{...} expected"},
      {"{\"kind\": \"minimum\"", "x.json:1"},
      {"{\"kind\": \"minimum\"}", "nothing moves"},
      {"{\"kidn\": \"minimum\"}", "did you mean 'kind'"},
      {"{\"joints\": {\"joint1\": [1]}}", "'joint1': 'kind': is missing"},
      {"{\"kind\": \"minimal\", \"joints\": {\"joint1\": [1]}}", "did you mean 'minimum'"},
      {"{\"kind\": \"minimum\", \"joints\": {\"elbow\": [1]}}", "no joint 'elbow'"},
      {"{\"kind\": \"minimum\", \"joints\": {\"joint1\": [1, 2]}}", "'times': is missing"},
      {"{\"kind\": \"minimum\", \"times\": [0], \"joints\": {\"joint1\": [1, 2]}}",
       "1 times and 2"},
      {"{\"kind\": \"minimum\", \"times\": [0, 0], \"joints\": {\"joint1\": [1, 2]}}", "must rise"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [1, null]}}",
       "a number expected"},
      {"{\"kind\": \"minimum\", \"derivative\": 2.5, \"times\": [0, 1], \"joints\": {\"joint1\": "
       "[1, "
       "2]}}",
       "whole number"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [1, [2, 3]]}}",
       "a list of 1 numbers"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"base\": [[1]]}", "does not float"},
      {"{\"kind\": \"polynomial\", \"end\": 0, \"joints\": {\"joint1\": [1, 2]}}",
       "after the start"},
      {"{\"kind\": \"hold\", \"joints\": {\"joint1\": 1}}", "nothing moves"},
      {"{\"samples\": \"nothing.csv\"}", "nothing.csv"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"time_scale\": 0, \"joints\": {\"joint1\": [1, "
       "2]}}",
       "time_scale"},
      {"{\"kind\": \"pieces\", \"joints\": {\"joint1\": {\"breaks\": [0], \"coefficients\": []}}}",
       "for each piece"},
      {"{\"kind\": \"pieces\", \"joints\": {\"joint1\": {\"breaks\": [0, 1], \"coefficients\": "
       "[[]]}}}",
       "powers expected"},
  };
  jn_model *m = model_of("double_pendulum");
  for (size_t i = 0; i < COUNT(bad); i++) {
    jn_trajectory *T = NULL;
    jn_error e = {0};
    if (!parse(m, bad[i].text, &T, &e)) fail_msg("accepted: %s", bad[i].text);
    assert_null(T);
    if (!strstr(e.message, bad[i].words)) fail_msg("%s\ngave %s", bad[i].text, e.message);
  }
  put("half.csv", "t,joint1\n0,0\n1,1\n2,0\n");
  jn_trajectory *T = NULL;
  jn_error e = {0};
  jn_fit_options o = jn_fit_default();
  o.degree = 2;
  assert_status(jn_trajectory_load(temporary("half.csv"), m, &o, NULL, NULL, &T, &e),
                JN_ERR_SYNTAX);
  assert_non_null(strstr(e.message, "no column 'joint2'"));
  o.hold = 1;
  assert_ok(jn_trajectory_load(temporary("half.csv"), m, &o, NULL, NULL, &T, &e));
  jn_trajectory_free(T);
  put("none.csv", "time,elbow\n0,0\n1,1\n2,0\n");
  assert_status(jn_trajectory_load(temporary("none.csv"), m, &o, NULL, NULL, &T, &e),
                JN_ERR_SYNTAX);
  assert_status(jn_trajectory_load("x.txt", m, NULL, NULL, NULL, &T, &e), JN_ERR_FILE);
  jn_model_free(m);
}

/* Every byte of a description changed, and every request for memory failed. */
static void damaged_descriptions_leak_nothing(void **state) {
  (void)state;
  jn_model *m = model_of("tilthex");
  counter c;
  jn_allocator hooks = counting(&c);
  char *text = strdup(flight);
  size_t size = strlen(text);
  long refused = 0, read = 0;
  for (size_t i = 0; i < 2 * size; i++) {
    jn_trajectory *T = NULL;
    jn_error e = {0};
    size_t at = i / 2;
    char was = text[at];
    text[at] = i % 2 ? '9' : (char)(was ^ 2);
    jn_status status = jn_trajectory_parse(text, size, "x", m, NULL, NULL, &hooks, &T, &e);
    assert_true((status == JN_OK) == (T != NULL));
    assert_true(status == JN_OK || e.message[0]);
    *(status ? &refused : &read) += 1;
    jn_trajectory_free(T);
    text[at] = was;
  }
  printf("  %ld refused, %ld read\n", refused, read);
  assert_true(refused > 100 && read > 20);
  assert_int_equal(c.live, 0);
  for (long fail = 1;; fail++) {
    jn_trajectory *T = NULL;
    c.calls = 0, c.fail_at = fail;
    jn_status status = jn_trajectory_parse(text, size, "x", m, NULL, NULL, &hooks, &T, NULL);
    jn_trajectory_free(T);
    assert_int_equal(c.live, 0);
    if (status == JN_OK) break;
    assert_true(status == JN_ERR_MEMORY || status == JN_ERR_POSE || status == JN_ERR_SYNTAX);
  }
  free(text);
  jn_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptions_are_the_motions_of_the_library),
      cmocka_unit_test(what_is_saved_loads_bit_for_bit),
      cmocka_unit_test(bad_descriptions_are_refused),
      cmocka_unit_test(damaged_descriptions_leak_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
