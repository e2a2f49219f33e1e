/* test_io_json_reader.c: reading of JSON values: each typed read, and the file, line, key and words
 * of what it refuses. */
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "io/json_reader.h"

/* A text that is open during one test; ' stands for ". */
static jn_json_text text;
static jn_json root;
static jn_error error;

static jn_status open_text(const char *quoted) {
  char bytes[2048];
  const size_t size = strlen(quoted);
  assert_true(size < sizeof bytes);
  for (size_t i = 0; i < size; i++) bytes[i] = (char)(quoted[i] == '\'' ? '"' : quoted[i]);
  jn_json_close(&text);
  memset(&error, 0, sizeof error);
  jn_status status = jn_json_open(&text, bytes, size, "a.json", NULL, &error);
  root = jn_json_root(&text);
  assert_int_equal(status, text.status);
  return status;
}

static jn_json member(const char *key) { return jn_json_member(&root, key); }

static int close_text(void **state) {
  (void)state;
  jn_json_close(&text);
  return 0;
}

static void assert_refused_as(jn_status status, const char *message) {
  assert_int_equal(text.status, status);
  assert_int_equal(error.status, status);
  assert_string_equal(error.message, message);
}

static void assert_refused_with(const char *message) { assert_refused_as(JN_ERR_SYNTAX, message); }

static void values_are_read_as_written(void **state) {
  (void)state;
  static const char *const words[] = {"left", "right", NULL};
  double x, three[3], rows[2][3];
  int n, yes, no;
  jn_quat quat;
  assert_ok(
      open_text("{'x': -2.5, 'n': 7, 'list': [1, 2, 3], 'rows': [[1, 2, 3], [4, 5, 6]],"
                " 'quat': [0, 0.6, 0, 0.8], 'yes': true, 'no': false, 'name': 'elbow',"
                " 'side': 'right', 'empty': '', 'null': null}"));
  const jn_json v[] = {member("x"),    member("n"),    member("list"), member("rows"),
                       member("quat"), member("yes"),  member("no"),   member("name"),
                       member("side"), member("empty")};
  assert_true(jn_json_number(&v[0], &x) && x == -2.5);
  assert_true(jn_json_whole(&v[1], 7, 7, &n) && n == 7);
  assert_true(jn_json_numbers(&v[2], 3, three) && three[0] == 1 && three[2] == 3);
  assert_true(jn_json_rows(&v[3], 2, rows) && rows[0][2] == 3 && rows[1][0] == 4);
  assert_true(jn_json_quat(&v[4], &quat) && quat.w == 0 && quat.x == 0.6 && quat.z == 0.8);
  assert_true(jn_json_bool(&v[5], &yes) && yes == 1 && jn_json_bool(&v[6], &no) && no == 0);
  assert_string_equal(jn_json_string(&v[7]), "elbow");
  assert_string_equal(jn_json_name(&v[7]), "elbow");
  assert_int_equal(jn_json_word(&v[8], words), 1);
  assert_string_equal(jn_json_string(&v[9]), "");
  assert_true(jn_json_object(&root) && jn_json_list(&v[2]));
  const jn_json none = member("nothing"), null = member("null");
  assert_true(!none.value && !jn_json_is(&none, JSON_NULL) && jn_json_is(&null, JSON_NULL));
  assert_int_equal(text.status, JN_OK);
}

/* One read of the member `v`; the value 0 of `read` below is a failure. */
enum { NUMBER, WHOLE, NUMBERS, ROWS, QUAT, BOOL, STRING, NAME, WORD, OBJECT, LIST, READS };

static int read(int what, const jn_json *v) {
  static const char *const words[] = {"left", "right", NULL};
  double x, three[3], rows[2][3];
  int n;
  jn_quat quat;
  switch (what) {
    case NUMBER:
      return jn_json_number(v, &x);
    case WHOLE:
      return jn_json_whole(v, -1, 7, &n);
    case NUMBERS:
      return jn_json_numbers(v, 3, three);
    case ROWS:
      return jn_json_rows(v, 2, rows);
    case QUAT:
      return jn_json_quat(v, &quat);
    case BOOL:
      return jn_json_bool(v, &n);
    case STRING:
      return jn_json_string(v) != NULL;
    case NAME:
      return jn_json_name(v) != NULL;
    case WORD:
      return jn_json_word(v, words) >= 0;
    case OBJECT:
      return jn_json_object(v);
    default:
      return jn_json_list(v);
  }
}

static const char *const wanted[READS] = {"a number",
                                          "a number",
                                          "a list of 3 numbers",
                                          "a list of 2 lists of 3 numbers",
                                          "a list of 4 numbers",
                                          "true or false",
                                          "a string",
                                          "a string",
                                          "one of left, right",
                                          "an object {...}",
                                          "a list"};

/* every read of every other type, and of nothing */
static void wrong_types_are_refused_with_line_key_and_both_types(void **state) {
  (void)state;
  static const struct {
    const char *text, *found;
    unsigned fits; /* the reads that take it */
  } values[] = {{"1", "a number", 1u << NUMBER | 1u << WHOLE},
                {"'left'", "a string", 1u << STRING | 1u << NAME | 1u << WORD},
                {"{}", "an object", 1u << OBJECT},
                {"[]", "a list", 1u << LIST | 1u << NUMBERS | 1u << ROWS | 1u << QUAT},
                {"true", "true", 1u << BOOL},
                {"false", "false", 1u << BOOL},
                {"null", "null", 0}};
  for (int what = 0; what < READS; what++) {
    char made[200], message[400];
    for (size_t i = 0; i < COUNT(values); i++) {
      if (values[i].fits >> what & 1) continue;
      snprintf(made, sizeof made, "{'a':\n{'b': [0, {\n\n'v':\n %s}]}}", values[i].text);
      assert_ok(open_text(made));
      const jn_json a = member("a"), b = jn_json_member(&a, "b"), first = jn_json_first(&b),
                    second = jn_json_next(&first), v = jn_json_member(&second, "v");
      assert_int_equal(read(what, &v), 0);
      snprintf(message, sizeof message, "a.json:4: a.b[1].v: %s expected, found %s", wanted[what],
               values[i].found);
      assert_refused_with(message);
      assert_int_equal(error.line, 4);
      assert_string_equal(error.file, "a.json");
    }
    /* a missing value has the line of its object, which has that of its key */
    assert_ok(open_text("{\n'a':\n{'b': 0}}"));
    const jn_json a = member("a"), v = jn_json_member(&a, "v");
    assert_int_equal(read(what, &v), 0);
    snprintf(message, sizeof message, "a.json:2: a.v: missing: %s expected", wanted[what]);
    assert_refused_with(message);
  }
}

static void wrong_lengths_and_values_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int what;
    jn_status status;
    const char *message;
  } cases[] = {
      {"[1, 2]", NUMBERS, JN_ERR_SYNTAX, "a.json:1: v: 3 numbers expected, found 2"},
      {"[1, 2, 3, 4]", NUMBERS, JN_ERR_SYNTAX, "a.json:1: v: 3 numbers expected, found 4"},
      {"[1,\n2,\n'x']", NUMBERS, JN_ERR_SYNTAX,
       "a.json:3: v[2]: a number expected, found a string"},
      {"[[1, 2, 3]]", ROWS, JN_ERR_SYNTAX, "a.json:1: v: 2 lists of 3 numbers expected, found 1"},
      {"[[1, 2, 3],\n[4, 5]]", ROWS, JN_ERR_SYNTAX, "a.json:2: v[1]: 3 numbers expected, found 2"},
      {"[[1, 2, 3], [4, 5,\nnull]]", ROWS, JN_ERR_SYNTAX,
       "a.json:2: v[1][2]: a number expected, found null"},
      {"[1, 0, 0]", QUAT, JN_ERR_SYNTAX, "a.json:1: v: 4 numbers expected, found 3"},
      {"[1, 0, 0, 0, 0]", QUAT, JN_ERR_SYNTAX, "a.json:1: v: 4 numbers expected, found 5"},
      {"[1, 0, 0, 0.5]", QUAT, JN_ERR_POSE,
       "a.json:1: v: a unit quaternion [w, x, y, z] expected: the sum of squares is 1.25, not 1 "
       "within 1e-06"},
      {"[1.0000006, 0, 0, 0]", QUAT, JN_ERR_POSE,
       "a.json:1: v: a unit quaternion [w, x, y, z] expected: the sum of squares is 1.0000012, not "
       "1 within 1e-06"},
      {"1.5", WHOLE, JN_ERR_SYNTAX, "a.json:1: v: a whole number from -1 to 7 expected, found 1.5"},
      {"-2", WHOLE, JN_ERR_SYNTAX, "a.json:1: v: a whole number from -1 to 7 expected, found -2"},
      {"8", WHOLE, JN_ERR_SYNTAX, "a.json:1: v: a whole number from -1 to 7 expected, found 8"},
      {"1e300", WHOLE, JN_ERR_SYNTAX,
       "a.json:1: v: a whole number from -1 to 7 expected, found 1e+300"},
      {"''", NAME, JN_ERR_SYNTAX, "a.json:1: v: the name is empty"},
      {"''", WORD, JN_ERR_SYNTAX, "a.json:1: v: one of left, right expected, found ''"},
      {"'rihgt'", WORD, JN_ERR_SYNTAX,
       "a.json:1: v: one of left, right expected, found 'rihgt'; did you mean 'right'?"},
      {"'up'", WORD, JN_ERR_SYNTAX, "a.json:1: v: one of left, right expected, found 'up'"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    char made[200];
    snprintf(made, sizeof made, "{'v': %s}", cases[i].text);
    assert_ok(open_text(made));
    const jn_json v = member("v");
    assert_int_equal(read(cases[i].what, &v), 0);
    assert_refused_as(cases[i].status, cases[i].message);
  }
  /* one number, and the longest name */
  char made[JN_MAX_NAME + 20] = "{'v': '";
  double x;
  assert_ok(open_text("{'v': []}"));
  const jn_json none = member("v");
  assert_int_equal(jn_json_numbers(&none, 1, &x), 0);
  assert_refused_with("a.json:1: v: 1 number expected, found 0");
  for (int over = 0; over < 2; over++) {
    memset(made + 7, 'n', JN_MAX_NAME + 1);
    strcpy(made + 7 + JN_MAX_NAME + over, "'}");
    assert_ok(open_text(made));
    const jn_json v = member("v");
    assert_int_equal(read(NAME, &v), !over);
  }
  assert_refused_as(JN_ERR_LIMIT, "a.json:1: v: the name is longer than 255 bytes");
}

static void a_rotation_is_a_matrix_or_a_quaternion(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int found;
    const char *message;
  } cases[] = {
      {"{'p': 1}", 0, NULL},
      {"{'R': [[1, 0, 0], [0, 0, 1], [0, 2, 0]]}", 1, NULL},
      {"{'quat': [0, 1, 0, 0]}", 2, NULL},
      {"{'quat': [0, 1, 0, 0],\n'R': 1}", 0,
       "a.json:1: quat: both 'R' and 'quat' are given: keep one"},
      {"{\n'R': 1}", 0, "a.json:2: R: a list of 3 lists of 3 numbers expected, found a number"},
      {"{\n'quat': 1}", 0, "a.json:2: quat: a list of 4 numbers expected, found a number"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_mat3 R = {{{0}}};
    jn_quat quat = {0, 0, 0, 0};
    assert_ok(open_text(cases[i].text));
    assert_int_equal(jn_json_rotation(&root, &R, &quat), cases[i].found);
    assert_true(R.m[2][1] == (cases[i].found == 1 ? 2 : 0));
    assert_true(quat.x == (cases[i].found == 2 ? 1 : 0));
    if (cases[i].message) assert_refused_with(cases[i].message);
    assert_int_equal(text.status == JN_OK, cases[i].message == NULL);
  }
}

static void unknown_keys_are_refused_with_the_nearest_one(void **state) {
  (void)state;
  static const char *const known[] = {"mass", "com", "inertia", NULL};
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{}", NULL},
      {"{'com': 0, 'mass': 1}", NULL},
      {"{'com': 0,\n'maas': 1, 'x': 2}", "a.json:2: maas: unknown key; did you mean 'mass'?"},
      {"{'com': 0,\n\n'colour': 1}", "a.json:3: colour: unknown key; known: mass, com, inertia"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_ok(open_text(cases[i].text));
    assert_int_equal(jn_json_keys(&root, known), cases[i].message == NULL);
    if (cases[i].message) assert_refused_with(cases[i].message);
  }
  char hint[JN_JSON_HINT];
  assert_ok(open_text("{'mass': 1, 'cmo': 2}"));
  const jn_json mass = jn_json_first(&root), cmo = jn_json_next(&mass);
  assert_true(jn_json_is_known(&mass, known, hint));
  assert_false(jn_json_is_known(&cmo, known, hint));
  assert_string_equal(hint, "; did you mean 'com'?");
  assert_int_equal(text.status, JN_OK);
}

/* lines of members and elements, also where equal values repeat and where others are nested */
static void every_value_has_its_line_and_path(void **state) {
  (void)state;
  static const struct {
    int line;
    const char *path;
  } want[] = {{1, "a"}, {2, "b"}, {4, "c"}, {6, "d"}, {7, "e"}},
    inner[] = {{2, "b[0]"}, {2, "b[1]"}, {3, "b[2]"}};
  char path[JN_JSON_PATH];
  size_t n = 0;
  assert_ok(
      open_text("{'a': null,\n'b': [[], {'x': [1]},\nnull],\n'c':\nnull,\n'd': {'b': {}},\n"
                "'e': null}"));
  for (jn_json v = jn_json_first(&root); v.value; v = jn_json_next(&v), n++) {
    const jn_json same = member(want[n].path);
    jn_json_path(&v, path);
    assert_string_equal(path, want[n].path);
    assert_int_equal(jn_json_line(&v), want[n].line);
    assert_int_equal(jn_json_line(&same), want[n].line);
    assert_true(same.value == v.value);
  }
  assert_int_equal(n, COUNT(want));
  const jn_json b = member("b");
  n = 0;
  for (jn_json v = jn_json_first(&b); v.value; v = jn_json_next(&v), n++) {
    jn_json_path(&v, path);
    assert_string_equal(path, inner[n].path);
    assert_int_equal(jn_json_line(&v), inner[n].line);
  }
  assert_int_equal(n, COUNT(inner));
  jn_json_path(&root, path);
  assert_string_equal(path, "");
  /* nothing follows, and nothing is in a number */
  const jn_json e = member("e"), inside = jn_json_first(&e), after = jn_json_next(&inside);
  assert_true(!inside.value && !after.value);
  assert_int_equal(jn_json_line(&after), 7);
}

/* an object of a kind has its name in the path, if it has one */
static void named_objects_are_named_in_the_path(void **state) {
  (void)state;
  static const struct {
    const char *text, *path;
  } cases[] = {
      {"{'bodies': [{'name': 'arm', 'joint': {'name': 'q', 'axis': 1}}]}",
       "body 'arm': joint 'q': axis"},
      {"{'bodies': [{'name': 'arm', 'joint': {'axis': 1}}]}", "body 'arm': joint.axis"},
      {"{'bodies': [{'name': '', 'joint': {'name': 3, 'axis': 1}}]}", "bodies[0].joint.axis"},
      {"{'bodies': [{'joint': {'name': 'q', 'axis': 1}}]}", "bodies[0]: joint 'q': axis"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    char path[JN_JSON_PATH];
    assert_ok(open_text(cases[i].text));
    const jn_json bodies = member("bodies");
    jn_json body = jn_json_first(&bodies), joint = jn_json_member(&body, "joint");
    body.kind = "body";
    joint.kind = "joint";
    const jn_json axis = jn_json_member(&joint, "axis");
    jn_json_path(&axis, path);
    assert_string_equal(path, cases[i].path);
  }
}

/* a path that is too long is cut between characters; the message keeps its sentence */
static void long_keys_leave_room_for_the_sentence(void **state) {
  (void)state;
  char made[1024] = "{'";
  for (int i = 0; i < 300; i++) strcat(made, "\303\244");
  strcat(made, "': 1}");
  for (int shift = 0; shift < 2; shift++) {
    assert_ok(open_text(made));
    const jn_json v = jn_json_first(&root);
    assert_false(jn_json_list(&v));
    const char *end = strstr(error.message, ": a list expected, found a number");
    assert_non_null(end);
    assert_true(end - error.message < JN_JSON_PATH + 20);
    assert_true(end[-1] == '\244' && end[-2] == '\303');
    memmove(made + 3, made + 2, strlen(made + 2) + 1);
    made[2] = 'x';
  }
}

static void the_first_failure_is_kept_and_nothing_is_read_after_it(void **state) {
  (void)state;
  static const char *const words[] = {"one", NULL};
  assert_ok(open_text("{'n': 1, 's': 'one', 'l': [1, 2, 3], 'o': {}, 't': true}"));
  const jn_json n = member("n"), s = member("s"), l = member("l"), o = member("o"), t = member("t");
  double x = 9, three[3] = {9, 9, 9};
  int i = 9;
  assert_int_equal(jn_json_fail(&n, JN_ERR_LIMIT, "more than %d", 3), 0);
  assert_int_equal(jn_refuse(&s, "another"), 0);
  assert_int_equal(jn_json_expected(&s, "another"), 0);
  assert_false(jn_json_number(&n, &x) || jn_json_whole(&n, 0, 9, &i) || jn_json_bool(&t, &i));
  assert_false(jn_json_numbers(&l, 3, three) || jn_json_list(&l) || jn_json_object(&o));
  assert_true(!jn_json_string(&s) && !jn_json_name(&s) && jn_json_word(&s, words) == -1);
  assert_false(jn_json_keys(&o, words));
  assert_true(!jn_json_first(&l).value && !member("n").value);
  assert_true(x == 9 && three[0] == 9);
  assert_refused_as(JN_ERR_LIMIT, "a.json:1: n: more than 3");
}

static void texts_that_are_no_object_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "a.json:1: the text is empty"},
      {" \n\t\r\n", "a.json:1: the text is empty"},
      {"\n[1]", "a.json:2: an object {...} expected, found a list"},
      {"{'a': 1,\n 'a': 2}",
       "a.json:2: not valid JSON: column 4: duplicate object key near '\"a\"'"},
      {"{'a': '\\u0000'}", "a.json:1: not valid JSON: column 14: a null character in a string"},
      {" <robot/>", "a.json:1: this is XML, not JSON: a URDF file needs the ending .urdf"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_status(open_text(cases[i].text), JN_ERR_SYNTAX);
    assert_refused_with(cases[i].message);
    assert_null(member("a").value);
  }
  char deep[JN_MAX_JSON_DEPTH + 8] = "{'a':\n";
  memset(deep + 6, '[', JN_MAX_JSON_DEPTH);
  assert_status(open_text(deep), JN_ERR_LIMIT);
  assert_refused_as(JN_ERR_LIMIT, "a.json:2: values are nested deeper than 64");
}

/* without a file name, without an error, and when memory runs out */
static void errors_and_names_are_optional_and_memory_may_run_out(void **state) {
  (void)state;
  static const char bytes[] = "{\"a\": [1, 2]}";
  jn_json_text t;
  jn_error e = {0};
  assert_ok(jn_json_open(&t, bytes, sizeof bytes - 1, NULL, NULL, NULL));
  jn_json top = jn_json_root(&t), a = jn_json_member(&top, "a");
  assert_false(jn_json_object(&a));
  assert_int_equal(t.status, JN_ERR_SYNTAX);
  jn_json_close(&t);
  assert_ok(jn_json_open(&t, bytes, sizeof bytes - 1, NULL, NULL, &e));
  top = jn_json_root(&t), a = jn_json_member(&top, "a");
  assert_false(jn_json_object(&a));
  assert_string_equal(e.message, "a: an object {...} expected, found a list");
  jn_json_close(&t);
  for (int fail = 0; fail < 2; fail++) {
    counter c;
    const jn_allocator hooks = counting(&c);
    c.fail_at = fail;
    assert_status(jn_json_open(&t, bytes, sizeof bytes - 1, "a.json", &hooks, &e),
                  fail ? JN_ERR_MEMORY : JN_OK);
    assert_int_equal(c.live, fail ? 0 : 1);
    jn_json_close(&t);
    assert_int_equal(c.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_read_as_written),
      cmocka_unit_test(wrong_types_are_refused_with_line_key_and_both_types),
      cmocka_unit_test(wrong_lengths_and_values_are_refused),
      cmocka_unit_test(a_rotation_is_a_matrix_or_a_quaternion),
      cmocka_unit_test(unknown_keys_are_refused_with_the_nearest_one),
      cmocka_unit_test(every_value_has_its_line_and_path),
      cmocka_unit_test(named_objects_are_named_in_the_path),
      cmocka_unit_test(long_keys_leave_room_for_the_sentence),
      cmocka_unit_test(the_first_failure_is_kept_and_nothing_is_read_after_it),
      cmocka_unit_test(texts_that_are_no_object_are_refused),
      cmocka_unit_test(errors_and_names_are_optional_and_memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, close_text);
}
