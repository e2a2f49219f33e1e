/* test_tables_odd.c: odd tables and descriptions of motions: units behind names, gaps, rows that are
 * too short, columns that are nearly right, paths without times, and memory that fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/table.h>
#include <jounce/trajectory.h>

#include "helpers/archive.h"
#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/trajectory_text.h"
#include "io/tables/stamps.h"
#include "io/tables/trajectory_file.h"

/* ---- stamps */

static jn_table *column(const char *name, int n) {
  jn_table *t = NULL;
  assert_ok(jn_table_new(n, 1, NULL, &t));
  snprintf(t->names[0], JN_COLUMN_NAME, "%s", name);
  return t;
}

static void units_stand_behind_the_name(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int found;
    double unit; /* 0: not said */
  } cases[] = {{"Time [SEC]", 1, 1},        {"time_secs", 1, 1},   {"time(seconds)", 1, 1},
               {"time ms", 1, 1e-3},        {"field.stamp", 1, 0}, {"%time", 1, 0},
               {"TIMESTAMP_US", 1, 1e-6},   {"times", 0, 0},       {"time_of_day", 0, 0},
               {"time_microseconds", 0, 0}, {"torque", 0, 0},      {"stamp{s}", 0, 0},
               {"header.stamp_ns", 1, 1e-9}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_table *t = column(cases[i].name, 1);
    double unit = -1;
    if ((jn_stamps_column(t, &unit) == 0) != cases[i].found) fail_msg("%s", cases[i].name);
    if (cases[i].found) assert_true(unit == cases[i].unit);
    jn_table_free(t);
  }
}

static void stamps_are_read_with_their_faults(void **state) {
  (void)state;
  enum { ROWS = 100 };
  static const struct {
    int rows, at, second; /* rows that are late or early */
    double first, step, shift;
    jn_status status;
    const char *words; /* in the note or the message */
  } cases[] = {
      {0, -1, -1, 0, 1, 0, JN_OK, ""},
      {1, -1, -1, 5, 1, 0, JN_OK, ""},
      {ROWS, -1, -1, 0, 0.01, 0, JN_OK, ""},
      {ROWS, 50, -1, 0, 0.01, 0.5, JN_OK, "times: 1 gap, the longest of 0.51 s after row 50"},
      {ROWS, 50, 70, 0, 0.01, 0.5, JN_OK, "times: 2 gaps, the longest of 1.01 s after row 70"},
      {ROWS, 70, 50, 0, 0.01, 0.5, JN_OK, "times: 2 gaps, the longest of 1.01 s after row 50"},
      {ROWS, -1, -1, 2e17, 64, 0, JN_OK, "steps of 64 taken as us"}, /* too fast for ns */
      {30, -1, -1, 2000, 10, 0, JN_OK, ""},
      {39, 20, -1, 0, 0.01, 0.5, JN_OK, ""}, /* written by hand */
      {ROWS, 50, -1, 1.7e9, 0.01, 0.5, JN_OK, "s, 1 gap, the longest of 0.5"},
      {ROWS, 50, -1, 2000, 0.0625, 0, JN_OK, "times: counted from the first, 2000 s"},
      {ROWS, 50, -1, 2000, 1, 0, JN_OK, "taken as ms"},
      {ROWS, 30, -1, 0, 0.01, -0.015, JN_ERR_ARGUMENT, "(1 such row): sort the rows, or remove it"},
      {ROWS, 30, 60, 0, 0.01, -0.015, JN_ERR_ARGUMENT,
       "(2 such rows): sort the rows, or remove them"},
      {ROWS, 30, -1, 0, 0.25, -0.25, JN_ERR_ARGUMENT, "(1 such row): remove one of them"},
      {ROWS, 30, 60, 0, 0.25, -0.25, JN_ERR_ARGUMENT, "(2 such rows): remove them"},
      {2, -1, -1, 0, -1, 0, JN_ERR_ARGUMENT, "decrease from row 1 to row 2"},
      /* seconds since 1970 with steps that no recording has */
      {ROWS, -1, -1, 1.7e9, 1000.5, 0, JN_ERR_ARGUMENT, "steps of 1000: in which unit?"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const int n = cases[i].rows;
    jn_table *t = column("t", n > 0 ? n : 1);
    double times[ROWS] = {0};
    char note[STAMPS_NOTE], message[STAMPS_NOTE] = "";
    for (int k = 0; k < n; k++) {
      const int late = cases[i].shift > 0;
      t->values[k] = cases[i].first + cases[i].step * k;
      if (late)
        t->values[k] += cases[i].shift * ((k >= cases[i].at && cases[i].at >= 0) +
                                          2 * (k >= cases[i].second && cases[i].second >= 0));
      else if (k == cases[i].at || k == cases[i].second)
        t->values[k] += cases[i].shift;
    }
    t->rows = n;
    const jn_status status = jn_stamps_read(t, 0, 0, times, note, message, sizeof message);
    const char *said = status ? message : note;
    if (status != cases[i].status || (cases[i].words[0] ? !strstr(said, cases[i].words) : said[0]))
      fail_msg("case %zu: %s: '%s'", i, jn_status_text(status), said);
    if (n == 1) assert_true(times[0] == 5);
    t->rows = n > 0 ? n : 1;
    jn_table_free(t);
  }
}

/* ---- tables */

static void odd_tables_are_read_or_refused(void **state) {
  (void)state;
  growing_text wide = {0};
  append(&wide, "a");
  for (int i = 0; i < 50; i++) append(&wide, ",c%d", i);
  append(&wide, "\n");
  for (int i = 0; i < 300; i++) append(&wide, "1\n");
  const struct {
    const char *text, *words; /* NULL: read */
    int line;
  } cases[] = {{"t,'=x,'x\n1,2,3\n", NULL, 0},
               {"t,,\n1,2,3\n", NULL, 0},
               {wide.text, "51 numbers expected, as in the lines before, found 1", 2},
               {"t,a,b\n,,\n,,\n,,\n", "a number is missing", 4},
               {"t,t\n1,2\n", "column 't' is named twice", 1}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_table *t = NULL;
    jn_error e = {0};
    const jn_status status =
        jn_table_parse(JN_TABLE_CSV, cases[i].text, strlen(cases[i].text), "x.csv", NULL, &t, &e);
    if ((status == JN_OK) != (cases[i].words == NULL)) fail_msg("case %zu: %s", i, e.message);
    if (status) {
      if (!strstr(e.message, cases[i].words)) fail_msg("%s", e.message);
      assert_int_equal(e.line, cases[i].line);
      continue;
    }
    assert_int_equal(t->columns, 3);
    assert_string_equal(t->names[1], i ? "" : "=x");
    assert_string_equal(t->names[2], i ? "" : "'x");
    jn_table_free(t);
  }
  free(wide.text);
  jn_table *t = NULL;
  jn_error e = {0};
  assert_status(jn_table_parse_named("x.txt", "1\n", 2, NULL, &t, &e), JN_ERR_FILE);
  assert_non_null(strstr(e.message, "unknown ending"));
}

/* ---- descriptions */

static void descriptions_are_refused_with_a_reason(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': [0, 1], 'joint2': [0, 1, 2]}}",
       "3 values where another joint has 2"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {}}", "no joint has values"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': [0, 0]}}",
       "two waypoints or more expected, each different"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': [0, 1], 'gone': [0, 1]}}",
       "the model has no joint of this name"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': {'derivative': 3}}}",
       "no joint has values"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': ['a', 1], 'joint2': [0, 1]}}",
       "joints.joint1[0]: a number expected"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': [0, 1], 'joint2': {'values': [0, "
       "1], 'times': [0, 1, 2]}}}",
       "3 times and 2 values"},
      {"{'kind': 'minimum', 'times': 'path', 'joints': {'base': [0, 1]}}", ""},
      {"{'kind': 'minimum', 'times': 'road', 'joints': {'joint1': [0, 1]}}", "times: "},
      {"{'times': [0, 1], 'clocks': [[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]], "
       "'kind': 'minimum', 'joints': {'joint1': [0, 1]}}",
       "at most 16 clocks expected"},
      {"{'kind': 'fit', 'ends': 'free', 'times': [0, 1, 2, 3, 4, 5], 'force': true, 'degree': 3, "
       "'joints': "
       "{'joint1': [0, 1, 0, 1, 0, 1]}}",
       NULL},
      {"{'kind': 'fit', 'ends': 'rest', 'times': [0, 1, 2, 3, 4, 5], 'force': true, 'degree': 3, "
       "'joints': "
       "{'joint1': [0, 1, 0, 1, 0, 1]}}",
       NULL},
  };
  jn_model *m = model_of("double_pendulum");
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_trajectory *T = NULL;
    jn_error e = {0};
    const jn_status status = parse_quoted(m, "x.json", cases[i].text, &T, &e);
    if ((status == JN_OK) != (cases[i].words == NULL) ||
        (status && !strstr(e.message, cases[i].words)))
      fail_msg("%s: %s", cases[i].text, e.message);
    assert_true((status == JN_OK) == (T != NULL));
    jn_trajectory_free(T);
  }
  jn_model_free(m);
}

/* A joint that follows another one has no motion of its own. */
static void followers_are_left_out(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_model *m = NULL;
  jn_trajectory *T = NULL;
  jn_error e = {0};
  assert_ok(jn_spec_builtin("double_pendulum", NULL, &spec, NULL));
  const int second = jn_spec_find_joint(spec, "joint2");
  jn_spec_joint(spec, second)->mimic = "joint1";
  assert_ok(jn_model_build(spec, NULL, NULL, &m, NULL));
  assert_status(
      parse_quoted(m, "x.json",
                   "{'kind': 'minimum', 'times': [0, 1], 'joints': {'joint2': [0, 1]}}", &T, &e),
      JN_ERR_SYNTAX);
  assert_non_null(strstr(e.message, "the joint follows another one: leave it out"));
  jn_model_free(m);
  jn_spec_free(spec);
}

static void columns_that_are_nearly_right_are_named(void **state) {
  (void)state;
  static const struct {
    const char *table, *description, *words; /* words NULL: accepted */
  } cases[] = {
      {"t,joint1,jiont2\n0,0,0\n1,1,1\n2,0,1\n3,1,0\n",
       "{'samples': 's.csv', 'degree': 1, 'tolerance': 0}",
       "no column 'joint2'; did you mean 'jiont2'?"},
      {"t,joint1,jiont2\n0,0,0\n1,1,1\n2,0,1\n3,1,0\n",
       "{'samples': 's.csv', 'hold': true, 'degree': 1, 'tolerance': 0}",
       "'jiont2' belongs to no joint: rename it"},
      {"t,joint1,,x\n0,0,0,0\n1,1,1,0\n2,0,1,1\n3,1,0,0\n",
       "{'samples': 's.csv', 'hold': true, 'degree': 1, 'tolerance': 0}", NULL},
      {"t,joint1,jiont2\n0,0,0\n1,1,1\n2,0,1\n3,1,0\n",
       "{'samples': 's.csv', 'degree': 1, 'tolerance': 0, 'joints': {'joint2': {'kind': 'hold', "
       "'value': 1}}}",
       NULL},
      {"t,x,joint1,jiont2\n0,0,0,0\n1,1,1,1\n2,0,1,1\n3,1,0,1\n",
       "{'samples': 's.csv', 'degree': 1, 'tolerance': 0}", "did you mean 'jiont2'?"},
      {"t,joint1,q:1\n0,0,0\n1,1,1\n2,0,1\n3,1,0\n",
       "{'samples': 's.csv', 'degree': 1, 'tolerance': 0}", NULL},
  };
  jn_model *m = model_of("double_pendulum");
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[400], path[600], note[STAMPS_NOTE] = "before";
    const jn_reading reading = {.note = note}, silent = {.note = NULL};
    jn_trajectory *T = NULL;
    jn_error e = {0};
    snprintf(text, sizeof text, "%s", cases[i].description);
    for (char *t = text; *t; t++)
      if (*t == '\'') *t = '"';
    put("s.csv", cases[i].table);
    put("motion.json", text);
    snprintf(path, sizeof path, "%s", temporary("motion.json"));
    const jn_status status =
        jn_trajectory_load_from(path, m, NULL, NULL, NULL, i % 2 ? &reading : &silent, &T, &e);
    if ((status == JN_OK) != (cases[i].words == NULL) ||
        (status && !strstr(e.message, cases[i].words)))
      fail_msg("case %zu: %s", i, e.message);
    if (i % 2) assert_string_equal(note, "");
    jn_trajectory_free(T);
    /* every request for memory fails in turn */
    counter c;
    const jn_allocator hooks = counting(&c);
    jn_status got = JN_ERR_MEMORY;
    for (long k = 1; got == JN_ERR_MEMORY; k++) {
      counting(&c);
      c.fail_at = k, c.fail_once = 1;
      T = NULL;
      got = jn_trajectory_load_from(path, m, NULL, NULL, &hooks, NULL, &T, &e);
      jn_trajectory_free(T);
      assert_int_equal(c.live, 0);
    }
    assert_status(got, status);
  }
  jn_model_free(m);
}

/* ---- arrays of an archive that are left out */

#define N "30"
static void put_archive(const char *name, const archive *z) {
  size_t size;
  unsigned char *b = archive_bytes(z, 0, &size);
  FILE *f = fopen(temporary(name), "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(b, 1, size, f), size);
  fclose(f);
  free(b);
}

/* 30 rows: t, joint1, and one more array */
static jn_status load_arrays(const jn_model *m, const char *times, const char *name,
                             const char *type, const char *shape, int hold, jn_error *e) {
  static archive z;
  double t[30], q[60] = {0};
  char header[200], path[600];
  memset(&z, 0, sizeof z);
  for (int i = 0; i < 30; i++) t[i] = 0.01 * i;
  add_array(&z, "joint1.npy", "{'descr': '<f8', 'shape': (" N ",)}", q, 240);
  if (times) add_array(&z, "t.npy", times, t, 240);
  snprintf(header, sizeof header, "{'descr': '%s', 'shape': (%s)}", type, shape);
  add_array(&z, name, header, q, 480);
  put_archive("arrays.npz", &z);
  snprintf(path, sizeof path, "%s", temporary("arrays.npz"));
  jn_fit_options o = jn_fit_options_default();
  jn_trajectory *T = NULL;
  o.hold = hold, o.tolerance = 0, o.degree = 1;
  jn_status status = jn_trajectory_load(path, m, &o, NULL, NULL, &T, e);
  assert_true((status == JN_OK) == (T != NULL));
  jn_trajectory_free(T);
  return status;
}

static void arrays_left_out_are_refused_where_they_are_needed(void **state) {
  (void)state;
  static const char times[] = "{'descr': '<f8', 'shape': (" N ",)}",
                    half[] = "{'descr': '<f2', 'shape': (" N ",)}";
  static const struct {
    const char *times, *name, *type, *shape;
    int hold; /* 2: with and without */
    const char *words;
  } cases[] = {
      {times, "joint2.npy", "<f8", "30,", 2, ""},
      {times, "joint2.npy", "<f2", "30,", 2, "array 'joint2' is needed, but it was left out: numb"},
      {times, "joint2.npy", "<c8", "30,", 2, "array 'joint2' is needed, but it was left out: numb"},
      {times, "joint2.npy", "<f8", "29,", 2, "29 rows, where the table has 30"},
      {times, "joint2.npy", "<f8", "30, 1, 1", 2, "more than two dimensions"},
      {times, "joint2.npy", "<f8", "", 2, "a single number, not a column"},
      {times, "joint2.npy", "<f8", "99,", 2, "array 'joint2': the array is truncated"},
      {times, "joint2:x.npy", "<f2", "30,", 2, "array 'joint2:x' is needed"},
      {times, "q.npy", "<f2", "30, 2", 2, "array 'q' is needed"},
      {times, "q:1.npy", "<f2", "30,", 2, "array 'q:1' is needed"},
      {half, "joint2.npy", "<f8", "30,", 2, "array 't' is needed, but it was left out: numbers of"},
      /* nearly the name of a joint without samples, which would stay at home */
      {times, "joint22.npy", "<f2", "30,", 1,
       "'joint2', and array 'joint22' was left out: numbers"},
      {times, "Joint2.npy", "<f8", "29,", 1, "'joint2', and array 'Joint2' was left out: 29 rows"},
      /* what nobody asks for */
      {times, "base.npy", "<f2", "30,", 1, ""},
      {times, "quality.npy", "<f2", "30,", 1, ""},
      {times, "joint1:note.npy", "<U4", "3,", 1, ""},
      {times, "rate.npy", "<f8", "", 1, ""},
      {times, "names.npy", "<U4", "2,", 1, ""},
      {times, "gains.npy", "<f8", "7,", 1, ""},
      {times, "time.npy", "<U4", "30,", 1, ""},
      {NULL, "stamp.npy", "<f2", "30,", 2, "array 'stamp' is needed"},
  };
  jn_model *m = model_of("double_pendulum");
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int hold = 0; hold < 2; hold++) {
      jn_error e = {0};
      if (cases[i].hold < 2 && hold != cases[i].hold) continue;
      const jn_status status =
          load_arrays(m, cases[i].times, cases[i].name, cases[i].type, cases[i].shape, hold, &e);
      if (!*cases[i].words != !status || !strstr(e.message, cases[i].words))
        fail_msg("case %zu: %s", i, e.message);
    }
  /* beside a description: of a joint that has a motion of its own, and of another one */
  put("motion.json",
      "{\"samples\": \"arrays.npz\", \"degree\": 1, \"tolerance\": 0, \"joints\": "
      "{\"joint2\": {\"kind\": \"hold\", \"value\": 1}}}");
  put("other.json",
      "{\"samples\": \"arrays.npz\", \"degree\": 1, \"tolerance\": 0, \"hold\": true}");
  for (int other = 0; other < 2; other++) {
    counter c;
    const jn_allocator hooks = counting(&c);
    jn_error e = {0};
    char path[600];
    (void)load_arrays(m, times, "joint2.npy", "<f2", "30,", 0, &e);
    snprintf(path, sizeof path, "%s", temporary(other ? "other.json" : "motion.json"));
    jn_status status = JN_ERR_MEMORY;
    for (long k = 1; status == JN_ERR_MEMORY; k++) {
      jn_trajectory *T = NULL;
      counting(&c);
      c.fail_at = k, c.fail_once = 1;
      status = jn_trajectory_load(path, m, NULL, NULL, &hooks, &T, &e);
      jn_trajectory_free(T);
      assert_int_equal(c.live, 0);
    }
    if (status != (other ? JN_ERR_SYNTAX : JN_OK)) fail_msg("%s", e.message);
  }
  jn_model_free(m);
}

/* of a floating base: [rows x 7] under its name is no pose, and a component may be too short */
static void arrays_of_other_models_that_are_left_out(void **state) {
  (void)state;
  static const char times[] = "{'descr': '<f8', 'shape': (" N ",)}";
  static const char root[] =
      "{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [[1,0,0],[0,1,0],[0,0,1]], "
      "\"joint\": {\"name\": \"root\", \"type\": \"free\"}}, {\"name\": \"c\", \"parent\": \"b\", "
      "\"mass\": 1, \"joint\": {\"name\": \"joint1\", \"type\": \"prismatic\", \"axis\": "
      "[0,0,1]}}]}";
  const struct {
    jn_model *model;
    const char *times, *name, *shape, *words;
  } cases[] = {{model_of("humanoid"), times, "base.npy", "7, 8", "7 rows, where the table has 30"},
               {model_of("humanoid"), times, "base:x.npy", "7", "7 rows, where the table has 30"},
               {model_of_text(root), times, "base:x.npy", "7", "7 rows, where the table has 30"},
               {model_of("arm6"), times, "joint2.npy", "7", "7 rows, where the table has 30"},
               {model_of("pendulum"), times, "q.npy", "7", ""},
               {model_of("pendulum"), NULL, "gains.npy", "7", "no column 't'"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_error e = {0};
    const jn_status status =
        load_arrays(cases[i].model, cases[i].times, cases[i].name, "<f8", cases[i].shape, 1, &e);
    if (!*cases[i].words != !status || !strstr(e.message, cases[i].words))
      fail_msg("case %zu: %s", i, e.message);
    jn_model_free(cases[i].model);
  }
}
#undef N

/* A described base needs no columns. */
static void a_base_is_described_beside_samples(void **state) {
  (void)state;
  static const char hinge[] =
      "\"mass\": 1, \"inertia\": [[1,0,0],[0,1,0],[0,0,1]], \"joint\": {\"type\": \"revolute\", "
      "\"axis\": [0,0,1], \"point\": [0,0,0], \"name\"";
  char text[900], path[600];
  snprintf(text, sizeof text,
           "{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [[1,0,0],[0,1,0],[0,0,1]], "
           "\"joint\": {\"name\": \"root\", \"type\": \"free\"}}, {\"name\": \"c\", \"parent\": "
           "\"b\", %s: \"hip\"}}, {\"name\": \"d\", \"parent\": \"c\", %s: \"knee\"}}]}",
           hinge, hinge);
  jn_model *m = model_of_text(text);
  put("s.csv", "t,hip,other\n0,0,0\n1,1,1\n2,0,1\n3,1,0\n");
  put("motion.json",
      "{\"samples\": \"s.csv\", \"degree\": 1, \"tolerance\": 0, \"base\": {\"kind\": \"hold\", "
      "\"value\": [1, 0, 0, 0, 4, 5, 6]}}");
  snprintf(path, sizeof path, "%s", temporary("motion.json"));
  jn_trajectory *T = NULL;
  jn_error e = {0};
  double q[9];
  if (jn_trajectory_load(path, m, NULL, NULL, NULL, &T, &e)) fail_msg("%s", e.message);
  assert_ok(jn_trajectory_at(T, 1, -1, JN_BODY, q, NULL));
  assert_true(q[4] == 4 && q[5] == 5 && q[6] == 6 && q[8] == 0);
  check_residual("a sample", fabs(q[7] - 1), 8 * U);
  jn_trajectory_free(T);
  jn_model_free(m);
}

static void memory_of_descriptions_fails(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{'kind': 'minimum', 'times': 'path', 'joints': {'joint1': [0, 1], 'joint2': [0, 1]}}",
      "{'joints': {'joint1': {'breaks': [0, 1], 'kind': 'pieces', 'coefficients': [[[0], [1]]]}}}"};
  jn_model *m = model_of("double_pendulum");
  for (size_t i = 0; i < COUNT(texts); i++) {
    char text[400];
    snprintf(text, sizeof text, "%s", texts[i]);
    for (char *t = text; *t; t++)
      if (*t == '\'') *t = '"';
    counter c;
    const jn_allocator hooks = counting(&c);
    jn_status status = JN_ERR_MEMORY;
    for (long k = 1; status; k++) {
      jn_trajectory *T = NULL;
      jn_error e = {0};
      counting(&c);
      c.fail_at = k, c.fail_once = 1;
      status = jn_trajectory_parse(text, strlen(text), "x", m, NULL, NULL, &hooks, &T, &e);
      jn_trajectory_free(T);
      assert_int_equal(c.live, 0);
      if (status != (c.calls >= k ? JN_ERR_MEMORY : JN_OK)) fail_msg("%s", e.message);
    }
  }
  jn_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_stand_behind_the_name),
      cmocka_unit_test(stamps_are_read_with_their_faults),
      cmocka_unit_test(odd_tables_are_read_or_refused),
      cmocka_unit_test(descriptions_are_refused_with_a_reason),
      cmocka_unit_test(followers_are_left_out),
      cmocka_unit_test(columns_that_are_nearly_right_are_named),
      cmocka_unit_test(arrays_left_out_are_refused_where_they_are_needed),
      cmocka_unit_test(arrays_of_other_models_that_are_left_out),
      cmocka_unit_test(a_base_is_described_beside_samples),
      cmocka_unit_test(memory_of_descriptions_fails),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
