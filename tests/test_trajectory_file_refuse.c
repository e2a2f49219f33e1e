/* test_trajectory_file_refuse.c: descriptions of motions with a fault are refused, and the message
 * says where. */
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

static void bad_descriptions_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"", "x.json:1: the text is empty"},
      {"[1]", "x.json:1: an object {...} expected, found a list"},
      {"{\"kind\": \"minimum\"", "x.json:1: not valid JSON: column 18: "},
      {"{\"kind\": \"minimum\"}", "x.json:1: nothing moves"},
      {"\n{\n\"kidn\": \"minimum\"}", "x.json:3: kidn: unknown key; did you mean 'kind'?"},
      {"{\"joints\": {\"joint1\": [1]}}",
       "x.json:1: joints.joint1.kind: missing: one of hold, polynomial, fourier, half_cosine, "
       "bspline, minimum, fit, pieces expected"},
      {"{\"joints\": {\"joint1\": [1]},\n\"kind\": \"minimal\"}",
       "x.json:2: kind: one of hold, polynomial, fourier, half_cosine, bspline, minimum, fit, "
       "pieces expected, found 'minimal'; did you mean 'minimum'?"},
      {"{\"kind\": \"minimum\", \"joints\": {\"elbow\": [1]}}",
       "x.json:1: joints.elbow: the model has no joint of this name"},
      {"{\"kind\": \"minimum\", \"joints\": {\"joint1\": [1, 2]}}",
       "x.json:1: joints.joint1.times: missing: a list expected"},
      {"{\"kind\": \"minimum\", \"times\": [0], \"joints\": {\"joint1\": [1, 2]}}",
       "x.json:1: joints.joint1: 1 times and 2 values"},
      {"{\"kind\": \"minimum\", \"times\": [0, 0], \"joints\": {\"joint1\": [1, 2]}}",
       "x.json:1: joints.joint1: times must increase"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [1,\nnull]}}",
       "x.json:2: joints.joint1[1]: a number expected, found null"},
      {"{\"kind\": \"minimum\", \"derivative\": 2.5, \"times\": [0, 1], \"joints\": {\"joint1\": "
       "[1, "
       "2]}}",
       "x.json:1: derivative: a whole number from 1 to 16 expected, found 2.5"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [1, [2, 3]]}}",
       "x.json:1: joints.joint1[1]: 1 number expected, found 2"},
      {"{\"kind\": \"bspline\", \"derivative\": 3, \"end\": 1, \"degree\": 1, \"joints\": "
       "{\"joint1\": "
       "[1, 2]}}",
       "x.json:1: derivative: unknown key: only the kind 'minimum' has"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [1, 2], \"joint2\": "
       "{\"kind\": \"polynomial\", \"end\": 1, \"derivative\": 2, \"coefficients\": [0, 1]}}}",
       "x.json:1: joints.joint2.derivative: unknown key: only the kind 'minimum' has"},
      /* keys without an effect */
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"degrees\": true, \"joints\": {\"joint1\": "
       "[1, 2]}}",
       "x.json:1: degrees: unknown key: only the kinds 'fit', 'samples' have it"},
      {"{\"kind\": \"fit\", \"times\": [0, 1], \"time_unit\": \"ms\", \"joints\": {\"joint1\": "
       "[1, 2]}, \"degree\": 1, \"tolerance\": 0}",
       "x.json:1: time_unit: unknown key: only the kind 'samples' has it"},
      {"{\"kind\": \"half_cosine\", \"times\": [0, 1], \"joints\": {\"joint1\": {\"values\": [1, "
       "2], \"start_derivatives\": [1]}}}",
       "x.json:1: joints.joint1.start_derivatives: unknown key: only the kind 'minimum' has it"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"degree\": 9, \"joints\": {\"joint1\": [1, "
       "2]}}",
       "x.json:1: degree: unknown key: only the kinds 'bspline', 'fit', 'pieces', 'samples' have"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"base\": [[1]]}",
       "x.json:1: base: the model's base is not floating"},
      {"{\"kind\": \"polynomial\", \"end\": 0, \"joints\": {\"joint1\": [1, 2]}}",
       "x.json:1: joints.joint1: the end must be after the start"},
      {"{\"kind\": \"hold\", \"joints\": {\"joint1\": 1}}", "nothing moves"},
      {"{\"samples\": \"nothing.csv\"}",
       "x.json:1: samples: 'nothing.csv': cannot open: no such file"},
      {"{\"kind\": \"minimum\", \"times\": [0, 1], \"time_scale\": 0, \"joints\": {\"joint1\": [1, "
       "2]}}",
       "x.json:1: time_scale: a number above zero expected, found 0"},
      {"{\"kind\": \"minimum\", \"times\": [1, 4], \"time_scale\": 1e308, \"joints\": {\"joint1\": "
       "[1, "
       "2]}}",
       "x.json:1: time_scale: 1e+308 is too large: the duration of the motion overflows"},
      {"{\"kind\": \"pieces\", \"joints\": {\"joint1\": {\"breaks\": [0], \"coefficients\": []}}}",
       "x.json:1: joints.joint1.coefficients: a list for each piece between 'breaks' expected"},
      {"{\"kind\": \"pieces\", \"joints\": {\"joint1\": {\"breaks\": [0, 1], \"coefficients\": "
       "[[]]}}}",
       "x.json:1: joints.joint1.coefficients: 1 to 101 powers expected, found 0"},
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
  jn_fit_options o = jn_fit_options_default();
  o.degree = 2, o.tolerance = 0;
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

static void descriptions_with_one_fault_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *model, *text, *words;
  } bad[] = {
      {"pendulum", "7", "not valid JSON: column 1: "},
      {"pendulum", "{'joints': 3}", "joints: an object {...} expected, found a number"},
      {"pendulum", "{'samples': 3}", "samples: a string expected, found a number"},
      {"pendulum", "{'kidn': 1, 'xyzzy': 2, 'plugh': 3}",
       "kidn: unknown key; did you mean 'kind'?"},
      {"pendulum", "{'xyzzy': 2}", "xyzzy: unknown key; known: comment, joints, base,"},
      {"pendulum", "{'joints': {'joint1': {'kind': 'hold', 'xyzzy': 2}}}",
       "joints.joint1.xyzzy: unknown key; known: kind, value,"},
      {"pendulum", "{'joints': {'joint1': {'kind': 'hold', 'valeu': 2}}}",
       "joints.joint1.valeu: unknown key; did you mean 'value'?"},
      {"pendulum", "{'joints': {'joint1': {'kind': 'xyzzy'}}}",
       "joints.joint1.kind: one of hold, polynomial, fourier, half_cosine, bspline, minimum, fit, "
       "pieces expected, found 'xyzzy'"},
      {"pendulum", "{'joints': {'joint1': {'kind': 3}}}", "pieces expected, found a number"},
      {"pendulum", "{'joints': {'joint1': {'kind': 'hold'}}}",
       "joints.joint1.value: missing: a number expected"},
      {"pendulum", "{'joints': {'joint1': {'kind': 'hold', 'value': 'x'}}}",
       "joints.joint1.value: a number expected, found a string"},
      {"pendulum", "{'joints': {'base': {'kind': 'hold', 'value': 0}}}",
       "joints.base: the model has no joint of this name"},
      {"pendulum", "{'kind': 'polynomial', 'joints': {'joint1': [1]}}",
       "joints.joint1.end: missing: a number expected"},
      {"pendulum", "{'kind': 'polynomial', 'end': 1, 'joints': {'joint1': []}}",
       "joints.joint1: 1 to 101 coefficients expected, found 0"},
      {"pendulum", "{'kind': 'polynomial', 'end': 1, 'joints': {'joint1': 3}}",
       "joints.joint1: a list expected, found a number"},
      {"pendulum", "{'kind': 'polynomial', 'end': 'x', 'joints': {'joint1': [1]}}",
       "end: a number expected, found a string"},
      {"pendulum", "{'kind': 'fourier', 'w': 1, 'end': 1, 'joints': {'joint1': [1]}}",
       "joints.joint1: an object with 'a' and 'b' expected, found a list"},
      {"pendulum", "{'kind': 'fourier', 'w': 1, 'end': 1, 'joints': {'joint1': {}}}",
       "joints.joint1: 'a' or 'b' is missing"},
      {"pendulum", "{'kind': 'fourier', 'w': 1, 'end': 0, 'joints': {'joint1': {'a': [1]}}}",
       "joints.joint1: the end must be after the start"},
      {"pendulum",
       "{'kind': 'minimum', 'derivative': -1, 'times': [0, 1], 'joints': {'joint1': [1, 2]}}",
       "derivative: a whole number from 1 to 16 expected, found -1"},
      {"pendulum",
       "{'kind': 'minimum', 'derivative': 17, 'times': [0, 1], 'joints': {'joint1': [1, 2]}}",
       "derivative: a whole number from 1 to 16 expected, found 17"},
      {"pendulum",
       "{'kind': 'minimum', 'times': [0, 1], 'joints': {'joint1': {'values': [1, 2],"
       " 'end_derivatives': [0, 0, 0]}}}",
       "joints.joint1.end_derivatives: at most 2 derivatives expected"},
      {"pendulum",
       "{'kind': 'minimum', 'times': [0, 1], 'joints': {'joint1': {'values': [1, 2],"
       " 'end_derivatives': ['x']}}}",
       "joints.joint1.end_derivatives[0]: a number expected, found a string"},
      {"pendulum",
       "{'kind': 'bspline', 'degree': 2, 'start': 0, 'end': 1, 'joints': {'joint1': [1, 2]}}",
       "joints.joint1: a B-spline of degree 2 needs at least 3 values"},
      {"pendulum",
       "{'kind': 'bspline', 'degree': 2, 'knots': [0, 1], 'joints': {'joint1': [1, 2, 3]}}",
       "knots: 6 knots expected (values + degree + 1), found 2"},
      {"pendulum", "{'kind': 'bspline', 'degree': 2, 'knots': 7, 'joints': {'joint1': [1, 2, 3]}}",
       "knots: a list expected, found a number"},
      {"pendulum", "{'kind': 'bspline', 'degree': 2, 'joints': {'joint1': [1, 2, 3]}}",
       "joints.joint1.end: missing: a number expected"},
      {"pendulum", "{'kind': 'fit', 'times': [0, 1, 2], 'joints': {'joint1': [1, 2]}}",
       "joints.joint1: 3 times and 2 values"},
      {"pendulum", "{'kind': 'fit', 'hold': 3, 'times': [0, 1], 'joints': {'joint1': [1, 2]}}",
       "hold: true or false expected, found a number"},
      {"pendulum", "{'kind': 'fit', 'times': [0, 1], 'joints': {'joint1': {'values': 3}}}",
       "joints.joint1.values: a list expected, found a number"},
      {"pendulum", "{'kind': 'pieces', 'joints': {'joint1': {'coefficients': [[1]]}}}",
       "joints.joint1.breaks: missing: a list expected"},
      {"pendulum", "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1]}}}",
       "joints.joint1.coefficients: a list for each piece between 'breaks' expected"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1], 'coefficients': [[1], [1]]}}}",
       "joints.joint1.coefficients: a list for each piece between 'breaks' expected"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [1, 1], 'coefficients': [[1]]}}}",
       "joints.joint1.breaks: the numbers must increase"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1, 2], 'coefficients': [[1, 2], "
       "[1]]}}}",
       "joints.joint1.coefficients[1]: a list of length 2 expected, found 1"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1, 2], 'coefficients': [['x'], "
       "[1]]}}}",
       "joints.joint1.coefficients[0][0]: a number expected, found a string"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1], 'coefficients': [[1]],"
       " 'w': [[1]], 'a': [[1]], 'b': [[1]], 'origin': [0, 1]}}}",
       "joints.joint1.origin: a list of length 1 expected, found 2"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1], 'coefficients': [[1]],"
       " 'w': [[1]], 'a': [[1]], 'b': [[1]]}}}",
       "joints.joint1.origin: missing: a list expected"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1], 'coefficients': [[1]],"
       " 'w': [[1]], 'a': [[1, 2]]}}}",
       "joints.joint1.a[0]: a list of length 1 expected, found 2"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1], 'coefficients': [[1]],"
       " 'w': [[1]], 'a': {'x': [1]}, 'b': [[1]], 'origin': [0]}}}",
       "joints.joint1.a: a list expected, found an object"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1, 2], 'coefficients': [[1], [1]],"
       " 'w': [[1], [1]], 'a': [[1]], 'b': [[1], [1]], 'origin': [0, 1]}}}",
       "joints.joint1.a[1]: missing: a list expected"},
      {"pendulum", "{'kind': 'pieces', 'joints': {'joint1': {'knots': [0, 1], 'values': 3}}}",
       "joints.joint1.values: a list expected, found a number"},
      {"pendulum", "{'kind': 'pieces', 'joints': {'joint1': {'knots': 3, 'values': [1, 2]}}}",
       "joints.joint1.knots: a list expected, found a number"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'knots': [0, 0, 1, 1], 'degree': 32,"
       " 'values': [1, 2]}}}",
       "joints.joint1.degree: a whole number from 1 to 31 expected, found 32"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'knots': [0, 0, 1], 'degree': 1,"
       " 'values': [1, 2]}}}",
       "joints.joint1.knots: 4 knots expected (values + degree + 1), found 3"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'knots': [0, 0, 1, 1, 2], 'degree': 2,"
       " 'values': [1, 2]}}}",
       "joints.joint1.values: a B-spline of degree 2 needs at least 3 values"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'knots': [0, 2, 1, 3], 'degree': 1,"
       " 'values': [1, 2]}}}",
       "joints.joint1.knots: the numbers must not decrease"},
      {"pendulum",
       "{'kind': 'pieces', 'joints': {'joint1': {'knots': [0, 1, 1, 3], 'degree': 1,"
       " 'values': [1, 2]}}}",
       "joints.joint1.knots: the motion has no duration: number 1 must be less than number 2"},
      {"tilthex",
       "{'kind': 'pieces', 'base': {'degree': 1, 'knots': [0, 0, 1, 1], 'axes': [[0, 0, 1]],"
       " 'values': [[0, 0, 0, 0], [0, 0, 0]], 'quat': [1, 0, 0, 0]}}",
       "base.values[1]: 4 numbers expected, found 3"},
      {"tilthex", "{'kind': 'hold', 'base': {}, 'joints': {'q2': 1}}",
       "base.value: missing: a list of 7 numbers expected"},
      {"tilthex", "{'kind': 'hold', 'base': [2, 0, 0, 0, 0, 0, 0]}", "base: a rotation or pose"},
      {"tilthex", "{'kind': 'hold', 'base': [1, 0, 0]}", "base: 7 numbers expected, found 3"},
      {"tilthex", "{'kind': 'hold', 'base': 1}",
       "base: a list of 7 numbers expected, found a number"},
      {"tilthex",
       "{'kind': 'hold', 'base': [1, 0, 0, 0, 0, 0, 0], 'joints': {'base': [1, 0, 0, 0, 0, 0, 0]}}",
       "joints.base: the joint has two motions: keep one"},
      {"tilthex", "{'kind': 'pieces', 'base': {'breaks': [0, 1], 'axes': 3}}",
       "base.axes: a list expected, found a number"},
      {"tilthex",
       "{'kind': 'pieces', 'base': {'breaks': [0, 1], 'axes': [[0, 0, 1]], 'coefficients':"
       " [[[0, 0, 0, 0]]]}}",
       "base.quat: missing: a list of 4 numbers expected"},
      {"tilthex",
       "{'kind': 'pieces', 'base': {'breaks': [0, 1], 'axes': [[0, 0, 1]], 'coefficients':"
       " [[[0, 0, 0, 0]]], 'quat': [1, 1, 0, 0]}}",
       "base.quat: a unit quaternion [w, x, y, z] expected: the sum of squares is 2,"},
      {"tilthex",
       "{'kind': 'pieces', 'base': {'breaks': [0, 1], 'axes': [[0, 0, 1]], 'coefficients':"
       " [[[0, 0, 0]]], 'quat': [1, 1, 0, 0]}}",
       "base.coefficients[0][0]: 4 numbers expected, found 3"},
      {"tilthex", "{'samples': '/none.csv', 'base': {'kind': 'hold', 'value': 1}}",
       "samples: '/none.csv': only a file in the folder"},
      {"arm6", "{'kind': 'hold', 'joints': {'mount': 1}}",
       "joints.mount: a fixed joint does not move"},
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    jn_model *m = model_of(bad[i].model);
    for (int named = 0; named < 2; named++) {
      jn_trajectory *T = NULL;
      jn_error e = {0};
      if (!parse_quoted(m, named ? "folder/x.json" : NULL, bad[i].text, &T, &e))
        fail_msg("accepted: %s", bad[i].text);
      assert_null(T);
      if (!strstr(e.message, bad[i].words)) fail_msg("%s\ngave %s", bad[i].text, e.message);
      assert_int_equal(strncmp(e.message, "folder/x.json:1: ", 17) == 0, named);
      assert_int_equal(e.line, 1);
    }
    jn_model_free(m);
  }
}

static void polynomials_have_a_largest_degree(void **state) {
  (void)state;
  static const char *const formats[2] = {
      "{'kind': 'polynomial', 'end': 1, 'joints': {'joint1': [%s]}}",
      "{'kind': 'pieces', 'joints': {'joint1': {'breaks': [0, 1], 'coefficients': [[%s]]}}}"};
  jn_model *m = model_of("pendulum");
  for (int over = 0; over < 2; over++)
    for (int i = 0; i < 2; i++) {
      char numbers[400] = "0", text[600];
      jn_trajectory *T = NULL;
      jn_error e = {0};
      for (int k = 0; k < JN_MAX_DEGREE + over; k++) strcat(numbers, ",0");
      snprintf(text, sizeof text, formats[i], numbers);
      jn_status status = parse_quoted(m, "x", text, &T, &e);
      if ((status != JN_OK) != over) fail_msg("%d: %s", i, e.message);
      if (over) assert_non_null(strstr(e.message, "1 to 101"));
      jn_trajectory_free(T);
    }
  jn_model_free(m);
}

/* Short texts that ask for much: rows of a base from single numbers, a path of one among many
 * joints, pieces of which only the first has its powers. */
static void a_motion_may_need_memory_in_proportion_to_its_text(void **state) {
  (void)state;
  static const char *const models[] = {"tilthex", "chain:1000", "pendulum"},
                           *const where[] = {"1: needs", "joints.joint1: needs",
                                             "joints.joint1: needs"};
  for (int kind = 0; kind < 3; kind++) {
    jn_model *m = model_of(models[kind]);
    jn_trajectory *T = NULL;
    jn_error e = {0};
    counter c;
    const jn_allocator hooks = counting(&c);
    growing_text t = {0};
    if (kind == 0) {
      append(&t, "{\"kind\": \"minimum\", \"times\": [0, 1], \"base\": [1");
      for (int i = 0; i < 250000; i++) append(&t, ",1");
      append(&t, "]}");
    } else if (kind == 1) {
      append(&t, "{\"kind\": \"minimum\", \"times\": \"path\", \"joints\": {\"joint1\": [0");
      for (int i = 1; i < 2000; i++) append(&t, ",%d", i % 2);
      append(&t, "]}}");
    } else {
      append(&t, "{\"kind\": \"pieces\", \"joints\": {\"joint1\": {\"breaks\": [0");
      for (int i = 1; i <= 20000; i++) append(&t, ",%d", i);
      append(&t, "], \"coefficients\": [[0");
      for (int i = 0; i < JN_MAX_DEGREE; i++) append(&t, ",0");
      append(&t, "]");
      for (int i = 1; i < 20000; i++) append(&t, ",[]");
      append(&t, "]}}}");
    }
    assert_status(jn_trajectory_parse(t.text, t.used, "x", m, NULL, NULL, &hooks, &T, &e),
                  JN_ERR_LIMIT);
    assert_null(T);
    if (!strstr(e.message, "needs more memory than a file of this size may ask for") ||
        !strstr(e.message, where[kind]))
      fail_msg("%s: %s", models[kind], e.message);
    assert_int_equal(c.live, 0);
    free(t.text);
    jn_model_free(m);
  }
}

static void arguments_that_make_no_sense_are_refused(void **state) {
  (void)state;
  static const char text[] = "{\"kind\": \"polynomial\", \"end\": 1, \"joints\": {}}";
  static const char *const others[] = {
      "{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"s\","
      " \"type\": \"spherical\", \"point\": [0, 0, 0]}}]}",
      "{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"s\","
      " \"type\": \"cylindrical\", \"axis\": [0, 0, 1], \"point\": [0, 0, 0]}}]}"};
  jn_model *m = model_of("double_pendulum"), *four = model_of("chain:4");
  jn_trajectory *T = NULL;
  jn_error e = {0};
  double rms[2];
  const jn_fit_report report = {.rms = rms, .max = NULL, .lambda = NULL};
  assert_status(jn_trajectory_parse(NULL, 0, "x", m, NULL, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_parse(text, 5, "x", m, NULL, NULL, NULL, NULL, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_parse(text, sizeof text - 1, "x", NULL, NULL, &report, NULL, &T, &e),
                JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_load(NULL, m, NULL, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_load("", m, NULL, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_load("x.csv", NULL, NULL, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_load("x.csv", m, NULL, NULL, NULL, NULL, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_load("x", m, NULL, NULL, NULL, &T, &e), JN_ERR_FILE);
  assert_status(jn_trajectory_load("/none/x.json", m, NULL, NULL, NULL, &T, &e), JN_ERR_FILE);
  assert_null(T);
  assert_ok(parse_quoted(m, "x", "{'kind': 'polynomial', 'end': 1, 'joints': {'joint1': [0, 1]}}",
                         &T, &e));
  const char *path = temporary("saved.json");
  assert_status(jn_trajectory_save(NULL, m, path, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_save(T, NULL, path, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_save(T, m, NULL, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_save(T, m, "", &e), JN_ERR_ARGUMENT);
  char *made = NULL;
  assert_status(jn_trajectory_to_json(NULL, m, NULL, &made, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_to_json(T, NULL, NULL, &made, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_to_json(T, m, NULL, NULL, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_to_json(T, four, NULL, &made, &e), JN_ERR_ARGUMENT);
  assert_null(made);
  /* of another model: other nq; same nq, other nv; same nq and nv, fewer joints */
  assert_status(jn_trajectory_save(T, four, "x.json", &e), JN_ERR_ARGUMENT);
  jn_model *other = model_of_text(others[1]);
  assert_status(jn_trajectory_save(T, other, "x.json", &e), JN_ERR_ARGUMENT);
  jn_model_free(other);
  jn_trajectory_free(T);
  assert_ok(parse_quoted(four, "x",
                         "{'kind': 'polynomial', 'end': 1, 'joints': {'joint1': [0, 1]}}", &T, &e));
  other = model_of_text(others[0]);
  assert_status(jn_trajectory_save(T, other, "x.json", &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "belongs to another model"));
  jn_model_free(other), jn_model_free(four), jn_model_free(m);
  jn_trajectory_free(T);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_descriptions_are_refused),
      cmocka_unit_test(descriptions_with_one_fault_are_refused),
      cmocka_unit_test(polynomials_have_a_largest_degree),
      cmocka_unit_test(a_motion_may_need_memory_in_proportion_to_its_text),
      cmocka_unit_test(arguments_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
