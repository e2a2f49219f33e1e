/* test_trajectory_file.c: descriptions and samples give the motion of the C functions; damage. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/trajectory_text.h"
#include "helpers/tree.h"

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
    worst = worse(worst, largest_difference(q, p, nq));
    for (size_t k = 0; k < 6; k++)
      worst = worse(worst,
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
    jn_fit_options o = jn_fit_options_default();
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

/* A flying robot: base on SE(3), some joints constant, others with their own times. */
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
  jn_trajectory_free(S);
  char *text = NULL;
  assert_ok(jn_trajectory_to_json(T, m, NULL, &text, &e));
  assert_ok(jn_trajectory_parse(text, strlen(text), NULL, m, NULL, NULL, NULL, &S, &e));
  assert_true(distance(m, T, S) == 0);
  jn_text_free(text, NULL);
  jn_trajectory_free(T), jn_trajectory_free(S);
  /* and a fit, whose rotation is a quaternion curve */
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
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = 1e-4;
  double rms[13];
  jn_fit_report report = {.rms = rms, .max = NULL, .lambda = NULL};
  if (jn_trajectory_load(temporary("base.npz"), m, &o, &report, NULL, &T, &e))
    fail_msg("%s", e.message);
  check_residual("rms of a column", fabs(rms[7] - 1e-4), 1e-9);
  assert_ok(jn_trajectory_save(T, m, temporary("saved.json"), &e));
  assert_ok(jn_trajectory_load(temporary("saved.json"), m, NULL, NULL, NULL, &S, &e));
  assert_true(distance(m, T, S) == 0);
  jn_trajectory_free(S);
  /* a description that names a sample file in its folder; npy without column names */
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

/* A motion on SE(3) and joints beside it; the digits of high degrees are those of the knots. */
static void splines_are_saved_by_their_knots(void **state) {
  (void)state;
  enum { DEGREE = 31, VALUES = 40 };
  jn_model *m = model_of("tilthex");
  const size_t nq = (size_t)jn_model_nq(m);
  double knots[VALUES + DEGREE + 1], *q = doubles(VALUES * nq);
  for (int i = 0; i < VALUES; i++) {
    const jn_quat r = jn_quat_exp(jn_v3(0.3 * sin(i), 0.2 * i, cos(i)));
    double *row = q + (size_t)i * nq;
    row[0] = r.w, row[1] = r.x, row[2] = r.y, row[3] = r.z;
    for (size_t c = 4; c < nq; c++) row[c] = sin((double)i * (double)c);
  }
  jn_trajectory *T, *S, *slow;
  jn_error e = {0};
  assert_ok(jn_bspline_knots(1, 5, DEGREE, VALUES, knots));
  knots[DEGREE + 3] = knots[DEGREE + 2];
  assert_ok(jn_trajectory_bspline(m, DEGREE, VALUES, knots, q, NULL, &T, &e));
  char *text = NULL;
  assert_ok(jn_trajectory_scaled(T, 1.5, NULL, &slow));
  assert_ok(jn_trajectory_to_json(slow, m, NULL, &text, &e));
  if (jn_trajectory_parse(text, strlen(text), NULL, m, NULL, NULL, NULL, &S, &e))
    fail_msg("%s", e.message);
  assert_true(strstr(text, "knots") && !strstr(text, "breaks"));
  assert_true(distance(m, slow, S) == 0 && distance(m, T, S) > 0);
  jn_text_free(text, NULL);
  jn_trajectory_free(T), jn_trajectory_free(S), jn_trajectory_free(slow);
  jn_model_free(m);
  free(q);
}

static void odd_descriptions_are_accepted(void **state) {
  (void)state;
  static const struct {
    const char *model, *text;
  } good[] = {
      {"pendulum", "{'kind': 'fourier', 'w': 1, 'end': 1, 'joints': {'joint1': {'a': [1]}}}"},
      {"pendulum",
       "{'kind': 'fourier', 'w': 1, 'end': 1, 'joints': {'joint1': {'b': [[0], [1]]}}}"},
      {"pendulum",
       "{'kind': 'bspline', 'degree': 1, 'knots': [0, 0, 1, 1], 'joints': {'joint1': [1, 2]}}"},
      {"pendulum",
       "{'kind': 'minimum', 'times': [0, 1], 'joints': {'joint1': {'values': [1, 2],"
       " 'end_derivatives': [1, null]}}}"},
      {"pendulum",
       "{'kind': 'minimum', 'times': [0, 1], 'derivative': 1, 'joints': {'joint1': [1, 2]}}"},
      {"pendulum",
       "{'kind': 'fit', 'degree': 1, 'hold': false, 'lambda': 0, 'times': [0, 1, 2], 'joints':"
       " {'joint1': {'values': [1, 2, 4]}}}"},
      {"pendulum",
       "{'kind': 'fit', 'degree': 1, 'hold': true, 'tolerance': 0.4, 'pieces': 1, 'times': [0, 1, "
       "2],"
       " 'joints': {'joint1': [1, 2, 4]}}"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1, 2], 'coefficients': [[1], [2]],"
       " 'w': [[1, 2], [3, 4]], 'a': [[1, 0], [0, 1]], 'b': [[1, 0], [0, 1]], 'origin': [0, 1]}}}"},
      {"arm6", "{'kind': 'polynomial', 'end': 1, 'joints': {'joint1': [0, 1]}}"},
      {"tilthex",
       "{'joints': {'base': {'kind': 'hold', 'value': [1, 0, 0, 0, 0, 0, 0]}, 'q2':"
       " {'kind': 'polynomial', 'end': 1, 'coefficients': [0, 1]}}}"},
      {"tilthex",
       "{'kind': 'pieces', 'base': {'breaks': [0, 1], 'axes': [], 'coefficients':"
       " [[[0, 0, 0], [1, 0, 0]]], 'quat': [1, 0, 0, 0]}}"},
      {"humanoid",
       "{'kind': 'pieces', 'joints': {'waist': {'breaks': [0, 1], 'axes': [], 'coefficients':"
       " [[[]]], 'quat': [1, 0, 0, 0]}}}"},
  };
  for (size_t i = 0; i < COUNT(good); i++) {
    jn_model *m = model_of(good[i].model);
    jn_trajectory *T = NULL, *S = NULL;
    jn_error e = {0};
    if (parse_quoted(m, "x.json", good[i].text, &T, &e))
      fail_msg("%s\ngave %s", good[i].text, e.message);
    assert_ok(jn_trajectory_save(T, m, temporary("odd.json"), &e));
    if (jn_trajectory_load(temporary("odd.json"), m, NULL, NULL, NULL, &S, &e))
      fail_msg("%s\ngave %s", good[i].text, e.message);
    assert_true(distance(m, T, S) == 0);
    jn_trajectory_free(T), jn_trajectory_free(S);
    jn_model_free(m);
  }
}

/* derivatives that are not given at an end are zero */
static void ends_are_at_rest_by_default(void **state) {
  (void)state;
  jn_model *m = model_of("pendulum");
  jn_error e = {0};
  jn_trajectory *T = NULL;
  char text[400];
  snprintf(text, sizeof text,
           "{'joints': {'%s': {'kind': 'minimum', 'derivative': 3, 'times': [0, 1, 2],"
           " 'values': [0, 1, 0.5], 'start_derivatives': [0.5]}}}",
           jn_model_joint(m, jn_model_body_count(m) - 1)->name);
  if (parse_quoted(m, "x.json", text, &T, &e)) fail_msg("%s", e.message);
  double q[8], v[16];
  const size_t nv = (size_t)jn_model_nv(m);
  assert_ok(jn_trajectory_at(T, 0, 1, JN_BODY, q, v));
  assert_true(fabs(v[0] - 0.5) < 1e-12 && fabs(v[nv]) < 1e-12);
  assert_ok(jn_trajectory_at(T, 2, 1, JN_BODY, q, v));
  assert_true(fabs(v[0]) < 1e-12 && fabs(v[nv]) < 1e-12);
  jn_trajectory_free(T);
  jn_model_free(m);
}

static void samples_are_found_by_their_names(void **state) {
  (void)state;
  jn_fit_options o = jn_fit_options_default();
  jn_error e = {0};
  jn_trajectory *T = NULL;
  o.degree = 1, o.tolerance = 0;
  /* a joint with the name of the time column has no column */
  jn_model *m = model_of_text(
      "{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"t\","
      " \"type\": \"prismatic\", \"axis\": [0, 0, 1]}},"
      "{\"name\": \"b\", \"parent\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"c\","
      " \"type\": \"cylindrical\", \"axis\": [0, 0, 1], \"point\": [0, 0, 0]}},"
      "{\"name\": \"w\", \"parent\": \"b\", \"mass\": 1, \"joint\": {\"name\": \"f\","
      " \"type\": \"fixed\"}}]}");
  static const struct {
    const char *text, *words;
    int hold;
  } cases[] = {
      {"t,c:d,c:a\n0,1,2\n1,2,3\n2,3,4\n", "no column 't' (option hold", 0},
      {"t,c:d,c:a\n0,1,2\n1,2,3\n2,3,4\n", NULL, 1},
      {"time,q:0,c:d,c:a\n0,1,2,3\n1,2,3,4\n2,3,4,5\n", NULL, 0},
      {"t,c:d\n0,1\n1,2\n2,3\n", "no column 'c:a'", 1},
      {"time,q:0,f,c:a,c:d\n0,1,2,3,4\n1,2,3,4,5\n2,3,4,5,6\n", NULL, 1}, /* f is fixed */
      {"x,c:d\n0,1\n1,2\n2,3\n", "no column 't' or 'time'", 1},
      {"t,x\n0,1\n1,2\n2,3\n", "no column belongs to a joint", 1},
      {"0,1,2\n1,2,3\n2,3,4\n", "without names: 4 expected", 1},
      {"0,1,2,3\n1,2,3,4\n2,3,4,5\n", NULL, 1},
      {"t,c:d,c:a\n0,1,2\n0,2,3\n2,3,4\n", "increase", 1},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    put("named.csv", cases[i].text);
    o.hold = cases[i].hold;
    jn_status status = jn_trajectory_load(temporary("named.csv"), m, &o, NULL, NULL, &T, &e);
    if ((status == JN_OK) != (cases[i].words == NULL)) fail_msg("%zu: %s", i, e.message);
    if (status == JN_OK)
      jn_trajectory_free(T);
    else if (!strstr(e.message, cases[i].words) || !strstr(e.message, "named.csv: "))
      fail_msg("%zu: %s", i, e.message);
  }
  /* samples in the folder of a description, and with motions of other joints */
  put("named.csv", "t,c:d,c:a\n0,1,2\n1,2,3\n2,3,4\n");
  put("by.json",
      "{\"samples\": \"named.csv\", \"degree\": 1, \"tolerance\": 0, \"joints\": {\"t\": "
      "{\"kind\": \"hold\","
      " \"value\": 1}}}");
  double rms[3], max[3];
  jn_fit_report report = {.rms = NULL, .max = max, .lambda = NULL};
  assert_ok(jn_trajectory_load(temporary("by.json"), m, NULL, &report, NULL, &T, &e));
  jn_trajectory_free(T);
  report = (jn_fit_report){.rms = rms, .max = NULL, .lambda = max};
  assert_ok(jn_trajectory_load(temporary("by.json"), m, NULL, &report, NULL, &T, &e));
  jn_trajectory_free(T);
  /* an error after the samples names the description */
  put("wrong.json",
      "{\"samples\": \"named.csv\", \"degree\": 1, \"tolerance\": 0, \"time_scale\": -1}");
  assert_status(jn_trajectory_load(temporary("wrong.json"), m, &o, NULL, NULL, &T, &e),
                JN_ERR_SYNTAX);
  assert_non_null(strstr(e.message, "wrong.json:1: time_scale: a number above zero expected"));
  assert_non_null(strstr(e.file, "wrong.json"));
  char text[6000];
  memset(text, 'x', sizeof text);
  memcpy(text, "{\"samples\": \"", 13);
  strcpy(text + 5900, ".csv\"}");
  assert_status(jn_trajectory_parse(text, strlen(text), "x", m, NULL, NULL, NULL, &T, &e),
                JN_ERR_FILE);
  assert_non_null(strstr(e.message, "too long"));
  /* a base motion in addition to samples */
  jn_model *flying = model_of("tilthex:1x1");
  put("named.csv", "t,q2\n0,1\n1,2\n2,3\n");
  put("base.json",
      "{\"samples\": \"named.csv\", \"degree\": 1, \"tolerance\": 0, \"base\": {\"kind\": \"hold\","
      " \"value\": [1, 0, 0, 0, 0, 0, 0]}}");
  assert_ok(jn_trajectory_load(temporary("base.json"), flying, NULL, NULL, NULL, &T, &e));
  jn_trajectory_free(T);
  jn_model_free(flying);
  jn_model *standing = model_of("arm6"); /* its first joint is fixed */
  put("named.csv", "t,joint1\n0,1\n1,2\n2,3\n");
  o.hold = 1;
  assert_ok(jn_trajectory_load(temporary("named.csv"), standing, &o, NULL, NULL, &T, &e));
  jn_trajectory_free(T);
  jn_model_free(standing);
  jn_model_free(m);
}

/* A column that nearly has the name of the last of 300 joints is found among few columns; of many
 * only a million pairs of names are compared. */
static void mistyped_columns_are_searched_up_to_a_number(void **state) {
  (void)state;
  enum { JOINTS = 300 };
  growing_text text = {0};
  append(&text, "{\"bodies\": [{\"name\": \"b0\", \"mass\": 1}");
  for (unsigned i = 1; i <= JOINTS; i++)
    append(
        &text,
        ", {\"name\": \"b%u\", \"parent\": \"b%u\", \"mass\": 1, \"joint\": {\"name\": \"%08x\", "
        "\"type\": \"prismatic\", \"axis\": [0, 0, 1]}}",
        i, i - 1, i * 2654435761u);
  append(&text, "]}");
  jn_model *m = model_of_text(text.text);
  free(text.text);
  jn_fit_options o = jn_fit_options_default();
  o.degree = 1, o.tolerance = 0, o.hold = 1;
  for (int many = 0; many < 2; many++) {
    growing_text t = {0};
    jn_trajectory *T = NULL;
    jn_error e = {0};
    append(&t, "t,%08x,%07x", 2654435761u,
           JOINTS * 2654435761u >> 4); /* the last digit is missing */
    const int columns = many ? 4000 : 20;
    for (int i = 0; i < columns; i++) append(&t, ",%d", i);
    for (int row = 0; row < 3; row++) {
      append(&t, "\n%d,%d,0", row, row);
      for (int i = 0; i < columns; i++) append(&t, ",0.5");
    }
    put("wide.csv", t.text);
    free(t.text);
    const jn_status status = jn_trajectory_load(temporary("wide.csv"), m, &o, NULL, NULL, &T, &e);
    assert_status(status, many ? JN_OK : JN_ERR_SYNTAX);
    if (!many) assert_non_null(strstr(e.message, "belongs to no joint: rename it"));
    jn_trajectory_free(T);
  }
  jn_model_free(m);
}

static void coordinates_have_names(void **state) {
  (void)state;
  static const char *const want[] = {"base:qw", "base:qx", "base:qy", "base:qz", "base:x", "base:y",
                                     "base:z",  "l:x",     "l:y",     "l:a",     "u:a1",   "u:a2",
                                     "s:qw",    "s:qx",    "s:qy",    "s:qz",    "r"};
  jn_model *m = model_of_text(
      "{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"j\","
      " \"type\": \"free\"}}, {\"name\": \"b\", \"parent\": \"a\", \"mass\": 1,"
      " \"joint\": {\"name\": \"l\", \"type\": \"planar\", \"axis\": [0, 0, 1]}},"
      " {\"name\": \"c\", \"parent\": \"b\", \"mass\": 1, \"joint\": {\"name\": \"u\","
      " \"type\": \"universal\", \"axes\": [[0, 0, 1], [1, 0, 0]], \"point\": [0, 0, 0]}},"
      " {\"name\": \"d\", \"parent\": \"c\", \"mass\": 1, \"joint\": {\"name\": \"s\","
      " \"type\": \"spherical\", \"point\": [0, 0, 0]}},"
      " {\"name\": \"e\", \"parent\": \"d\", \"mass\": 1, \"joint\": {\"name\": \"r\","
      " \"type\": \"revolute\", \"axis\": [0, 0, 1], \"point\": [0, 0, 0]}}]}");
  char name[JN_MAX_NAME + 16];
  assert_int_equal(jn_model_nq(m), (int)COUNT(want));
  for (int i = 0; i < (int)COUNT(want); i++) {
    assert_ok(jn_coordinate_name(m, i, name));
    assert_string_equal(name, want[i]);
  }
  assert_status(jn_coordinate_name(NULL, 0, name), JN_ERR_ARGUMENT);
  assert_status(jn_coordinate_name(m, 0, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_coordinate_name(m, -1, name), JN_ERR_ARGUMENT);
  assert_status(jn_coordinate_name(m, (int)COUNT(want), name), JN_ERR_ARGUMENT);
  jn_model_free(m);
}

static void any_name_of_a_joint_is_saved_or_refused(void **state) {
  (void)state;
  static const char *const names[] = {"a\"b\\c\n\001", "r\xc3\xb6", "\xff"};
  for (size_t i = 0; i < COUNT(names); i++) {
    jn_spec *spec;
    jn_error e = {0};
    jn_trajectory *T, *S;
    assert_ok(jn_spec_new("named", NULL, &spec));
    jn_link_desc a = link_of("a", 1, jn_v3(0, 0, 0), 1, 1, 1), b = a;
    jn_joint_desc j = jn_joint_default(names[i], JN_JOINT_PRISMATIC, NULL, "a"), k = j;
    char second[64];
    snprintf(second, sizeof second, "%s2", names[i]);
    b.name = "b", k.name = second, k.parent = "a", k.child = "b";
    assert_ok(jn_spec_add_link(spec, &a));
    assert_ok(jn_spec_add_link(spec, &b));
    assert_ok(jn_spec_add_joint(spec, &j));
    assert_ok(jn_spec_add_joint(spec, &k));
    jn_model *m = build(spec);
    static const double c[4] = {0, 1, 2, 3};
    assert_ok(jn_trajectory_polynomial(m, 0, 1, 1, c, NULL, &T, &e));
    jn_status status = jn_trajectory_save(T, m, temporary("named.json"), &e);
    assert_status(status, i == 2 ? JN_ERR_MODEL : JN_OK);
    if (!status) {
      assert_ok(jn_trajectory_load(temporary("named.json"), m, NULL, NULL, NULL, &S, &e));
      assert_true(distance(m, T, S) == 0);
      jn_trajectory_free(S);
    }
    jn_trajectory_free(T);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

/* Changes every byte of a description, and fails every memory request. */
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
    assert_status(status, JN_ERR_MEMORY);
  }
  free(text);
  jn_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(descriptions_are_the_motions_of_the_library),
      cmocka_unit_test(what_is_saved_loads_bit_for_bit),
      cmocka_unit_test(splines_are_saved_by_their_knots),
      cmocka_unit_test(odd_descriptions_are_accepted),
      cmocka_unit_test(ends_are_at_rest_by_default),
      cmocka_unit_test(samples_are_found_by_their_names),
      cmocka_unit_test(mistyped_columns_are_searched_up_to_a_number),
      cmocka_unit_test(coordinates_have_names),
      cmocka_unit_test(any_name_of_a_joint_is_saved_or_refused),
      cmocka_unit_test(damaged_descriptions_leak_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
