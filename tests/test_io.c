/* test_io.c: model files in and out. Broken files are refused with status, line and name; odd ones
 * are accepted; no input crashes, leaks or half builds; what is saved is loaded again bit for bit.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jounce/io.h>

#include "io/number.h"
#include "io/text.h"

/* ---- an allocator that counts, and fails at the k-th request when told to */

typedef struct counter {
  long live, calls, fail_at; /* fail_at 0: never */
  int fail_once;             /* only that request, not all from it on */
  size_t bytes, peak;
} counter;

static void *count_allocate(size_t size, void *context) {
  counter *c = context;
  c->calls++;
  if (c->fail_at != 0 && (c->fail_once ? c->calls == c->fail_at : c->calls >= c->fail_at))
    return NULL;
  size_t *block = malloc(size + 16);
  if (block == NULL) return NULL;
  block[0] = size;
  c->live++;
  c->bytes += size;
  if (c->bytes > c->peak) c->peak = c->bytes;
  memset((char *)block + 16, 0xa5, size < 4096 ? size : 4096);
  return (char *)block + 16;
}

static void count_release(void *block, void *context) {
  counter *c = context;
  size_t *start = (size_t *)(void *)((char *)block - 16);
  c->live--;
  c->bytes -= start[0];
  free(start);
}

static jn_allocator counting(counter *c) {
  memset(c, 0, sizeof *c);
  return (jn_allocator){count_allocate, count_release, c};
}

/* ---- files */

static char folder[] = "/tmp/jounce_test_io_XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  DIR *dir = opendir(folder);
  char path[600];
  for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') remove(path);
  }
  if (dir != NULL) closedir(dir);
  return rmdir(folder);
}

static const char *temporary(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static char *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_int_equal(fread(text, 1, *size, file), *size);
  text[*size] = '\0';
  fclose(file);
  return text;
}

typedef jn_status parser(const char *, size_t, const char *, const jn_allocator *, jn_spec **,
                         jn_error *);

static jn_spec *parse_ok(parser *parse, const char *text) {
  jn_spec *spec = NULL;
  jn_error error;
  if (parse(text, strlen(text), "text", NULL, &spec, &error) != JN_OK)
    fail_msg("%s", error.message);
  return spec;
}

static void assert_refused(parser *parse, const char *text, size_t size, jn_status status,
                           const char *words) {
  jn_spec *spec = NULL;
  jn_error error;
  counter c;
  jn_allocator hooks = counting(&c);
  jn_status got = parse(text, size, "text", &hooks, &spec, &error);
  if (got != status || strstr(error.message, words) == NULL)
    fail_msg("status %d (wanted %d), message: %s", got, status,
             got != JN_OK ? error.message : "none");
  assert_null(spec);
  assert_int_equal(error.status, status);
  assert_int_equal(c.live, 0);
}

static int has_finding(const jn_spec *spec, jn_severity severity, int line, const char *words) {
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    if (f.severity == severity && f.line == line && strstr(f.text, words) != NULL) return 1;
  }
  return 0;
}

/* ---- numbers */

static void numbers_are_read_strictly(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0", 0},
              {"-0.5", -0.5},
              {"+1e3", 1000},
              {".5", .5},
              {"5.", 5},
              {"  7\t", 7},
              {"1E-2", 0.01},
              {"0.1", 0.1},
              {"1e-320", 1e-320},
              {"1e-400", 0},
              {"00012", 12},
              {"1.7976931348623157e308", 1.7976931348623157e308},
              {"9007199254740993", 9007199254740992.0}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    double x = nan("");
    number_result result = jn_read_numbers(good[i].text, 1, &x, NULL);
    assert_true(result == NUMBER_OK || result == NUMBER_UNDERFLOW);
    assert_memory_equal(&x, &good[i].value, sizeof x);
  }
  static const char *const bad[] = {
      "",      " ",      "x",   "1x",    "0x10", "0x1p3",    "nan", "NaN",   "inf", "-Infinity",
      "1,5",   "1e",     "1e+", ".",     "+",    "-",        "--1", "1e5.0", "1 2", "1_000",
      "1e999", "-1e999", "1f",  "1.0.0", "e5",   "\xd9\xa1", "1\v", "${x}"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double x = 3;
    const char *at;
    number_result result = jn_read_numbers(bad[i], 1, &x, &at);
    if (result == NUMBER_OK || result == NUMBER_UNDERFLOW) fail_msg("'%s' was accepted", bad[i]);
    assert_true(strlen(jn_number_complaint(result, at)) > 0);
  }
  /* 17 digits read back as the same bits, at every magnitude */
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = seed ^ (seed >> 29);
    double x, back;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    char text[NUMBER_TEXT];
    number_result result = jn_read_numbers(jn_write_number(x, 17, text), 1, &back, NULL);
    assert_true(result == NUMBER_OK || result == NUMBER_UNDERFLOW);
    assert_memory_equal(&x, &back, sizeof x);
  }
}

static void near_words_are_found(void **state) {
  (void)state;
  static const char *const words[] = {"mass", "com", "inertia", NULL};
  assert_string_equal(jn_nearest_word("maas", words), "mass");
  assert_string_equal(jn_nearest_word("inertai", words), "inertia");
  assert_null(jn_nearest_word("colour", words));
  assert_null(jn_nearest_word("", words));
  assert_true(
      jn_is_utf8("r\xc3\xb6"
                 "bot \xe6\x89\x8b \xf0\x9f\xa6\xbe"));
  assert_false(jn_is_utf8("\xff"));
  assert_false(jn_is_utf8("\xc0\x80"));
  assert_false(jn_is_utf8("\xed\xa0\x80"));
  assert_false(jn_is_utf8("\xe6\x89"));
  assert_false(jn_is_utf8("\xf4\x90\x80\x80"));
}

static void a_message_is_whole_and_harmless(void **state) {
  (void)state;
  jn_error error;
  jn_fail(&error, JN_ERR_MODEL, "a.urdf", 7, "link '%s': x", "e\033[2Jvil\n");
  assert_string_equal(error.message, "a.urdf:7: link 'e?[2Jvil?': x");
  assert_int_equal(error.line, 7);
  char path[2000];
  memset(path, 'p', sizeof path);
  strcpy(path + sizeof path - 10, "/end.urdf");
  jn_fail(&error, JN_ERR_FILE, path, 0, "cannot open");
  assert_non_null(strstr(error.message, "/end.urdf: cannot open"));
  assert_true(strlen(error.file) < JN_MAX_PATH);
  char text[3000];
  for (size_t i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xc3\xb6", 3);
  jn_fail(&error, JN_ERR_FILE, "f", 0, "%s", text);
  assert_true(jn_is_utf8(error.message));
  assert_int_equal(jn_fail(NULL, JN_ERR_FILE, "f", 0, "x"), JN_ERR_FILE);
  for (int s = -1; s < 20; s++) assert_true(strlen(jn_status_text((jn_status)s)) > 0);
  assert_string_equal(jn_version(), JN_VERSION);
}

/* ---- the spec itself */

static void a_spec_keeps_what_it_is_given(void **state) {
  (void)state;
  counter c;
  jn_allocator hooks = counting(&c);
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new(NULL, &hooks, &spec), JN_OK);
  assert_string_equal(jn_spec_name(spec), "robot");
  assert_true(jn_spec_gravity(spec).z == -9.81);
  enum { COUNT = 5000 };
  for (int i = 0; i < COUNT; i++) {
    char name[16], child[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(child, sizeof child, "l%d", i + 1);
    jn_link_desc link = jn_link_default(name);
    link.mass = i;
    assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
    jn_joint_desc joint = jn_joint_default(name, JN_JOINT_HELICAL, i % 2 ? name : NULL, child);
    joint.pitch = i;
    assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
    jn_frame_desc frame = {child, name, joint.origin, i};
    assert_int_equal(jn_spec_add_frame(spec, &frame), JN_OK);
  }
  jn_link_desc *first = jn_spec_link(spec, 0);
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "l%d", i);
    assert_string_equal(jn_spec_link(spec, i)->name, name);
    assert_true(jn_spec_link(spec, i)->mass == i && jn_spec_joint(spec, i)->pitch == i);
    assert_int_equal(jn_spec_frame(spec, i)->line, i);
    assert_true((jn_spec_joint(spec, i)->parent == NULL) == (i % 2 == 0));
  }
  assert_ptr_equal(first, jn_spec_link(spec, 0));
  assert_int_equal(jn_spec_find_link(spec, "l4999"), 4999);
  assert_int_equal(jn_spec_find_link(spec, "l5000"), -1);
  assert_int_equal(jn_spec_find_link(spec, NULL), -1);
  assert_null(jn_spec_link(spec, -1));
  assert_null(jn_spec_link(spec, COUNT));
  assert_null(jn_spec_joint(spec, COUNT));
  assert_null(jn_spec_frame(spec, COUNT));
  assert_string_equal(jn_spec_file(spec), "");
  assert_int_equal(jn_spec_set_file(spec, "a.urdf"), JN_OK);
  assert_string_equal(jn_spec_file(spec), "a.urdf");
  assert_int_equal(jn_spec_set_gravity(spec, (jn_vec3){1, 2, 3}), JN_OK);
  assert_true(jn_spec_gravity(spec).x == 1);
  jn_spec_free(spec);
  jn_spec_free(NULL);
  assert_int_equal(c.live, 0);
}

static void a_spec_refuses_bad_arguments(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  char name[JN_MAX_NAME + 2];
  memset(name, 'n', sizeof name);
  name[JN_MAX_NAME + 1] = '\0';
  assert_int_equal(jn_spec_new("r", NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_new(name, NULL, &spec), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_new(name + 1, NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default(name);
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_LIMIT);
  link.name = name + 1;
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  link.name = "";
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_ARGUMENT);
  link.name = NULL;
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_link(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_link(NULL, &link), JN_ERR_ARGUMENT);
  jn_joint_desc joint = jn_joint_default("j", JN_JOINT_TYPE_COUNT, "a", "b");
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  joint.type = JN_JOINT_FREE;
  joint.child = NULL;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  joint.child = name;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_LIMIT);
  joint.child = "b";
  joint.mimic = name;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_LIMIT);
  joint.mimic = NULL;
  joint.placement = (jn_placement)7;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  jn_frame_desc frame = {"f", NULL, joint.origin, 0};
  assert_int_equal(jn_spec_add_frame(spec, &frame), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_frame(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_set_file(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_set_gravity(NULL, joint.point), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_finding(spec, JN_NOTE, 0, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_finding(spec, (jn_severity)9, 0, "x"), JN_ERR_ARGUMENT);
  assert_string_equal(jn_spec_finding(spec, 3).text, "");
  assert_string_equal(jn_joint_type_name(JN_JOINT_TYPE_COUNT), "unknown");
  jn_spec_free(spec);
}

static void findings_are_limited_and_keep_the_worst(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new("r", NULL, &spec), JN_OK);
  for (int i = 0; i < JN_MAX_FINDINGS - 1; i++)
    assert_int_equal(jn_spec_add_finding(spec, JN_NOTE, i, "note"), JN_OK);
  assert_int_equal(jn_spec_add_finding(spec, JN_WARNING, 1, "one more"), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_add_finding(spec, JN_SERIOUS, 1, "two more"), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_finding_count(spec), JN_MAX_FINDINGS);
  assert_int_equal(jn_spec_finding(spec, JN_MAX_FINDINGS - 1).severity, JN_SERIOUS);
  jn_spec_free(spec);
}

static void the_number_of_bodies_is_limited(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new("r", NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default("l");
  for (int i = 0; i < JN_MAX_BODIES; i++)
    if (jn_spec_add_link(spec, &link) != JN_OK) fail_msg("link %d was refused", i);
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_link_count(spec), JN_MAX_BODIES);
  jn_spec_free(spec);
}

/* ---- URDF */

static const char urdf_sample[] =
    "<robot name=\"sample\">\n"
    "  <link name=\"base\"/>\n"
    "  <link name=\"arm\">\n"
    "    <inertial>\n"
    "      <origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>\n"
    "      <mass value=\"1.5\"/>\n"
    "      <inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"2\" iyz=\"0.3\" izz=\"2.5\"/>\n"
    "    </inertial>\n"
    "  </link>\n"
    "  <link name=\"hand\"/>\n"
    "  <link name=\"tool\"/>\n"
    "  <joint name=\"elbow\" type=\"revolute\">\n"
    "    <parent link=\"base\"/>\n"
    "    <child link=\"arm\"/>\n"
    "    <origin xyz=\"0 0 0.5\" rpy=\"0 1.5707963267948966 0\"/>\n"
    "    <axis xyz=\"0 1 0\"/>\n"
    "    <dynamics damping=\"0.1\" friction=\"0.2\"/>\n"
    "    <limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"4\" acceleration=\"5\" "
    "jerk=\"6\"/>\n"
    "    <mimic joint=\"other\" multiplier=\"2\" offset=\"0.5\"/>\n"
    "    <safety_controller k_velocity=\"10\"/>\n"
    "  </joint>\n"
    "  <joint name=\"wrist\" type=\"continuous\">\n"
    "    <parent link=\"arm\"/>\n"
    "    <child link=\"hand\"/>\n"
    "    <origin quat_xyzw=\"0 0 0.6 0.8\"/>\n"
    "    <limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"4\"/>\n"
    "  </joint>\n"
    "  <joint name=\"weld\" type=\"fixed\">\n"
    "    <parent link=\"hand\"/>\n"
    "    <child link=\"tool\"/>\n"
    "    <axis xyz=\"0 0 0\"/>\n"
    "  </joint>\n"
    "  <transmission name=\"t1\"/>\n"
    "  <transmission name=\"t2\"/>\n"
    "  <wheel/>\n"
    "</robot>\n";

static void urdf_is_read_as_written(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, urdf_sample);
  assert_string_equal(jn_spec_name(spec), "sample");
  assert_string_equal(jn_spec_file(spec), "text");
  assert_int_equal(jn_spec_link_count(spec), 4);
  assert_int_equal(jn_spec_joint_count(spec), 3);

  /* inertia turned by 90 degrees about z: x -> y, y -> -x */
  const jn_link_desc *arm = jn_spec_link(spec, 1);
  const double want[3][3] = {{2, -0.1, -0.3}, {-0.1, 1, 0.2}, {-0.3, 0.2, 2.5}};
  assert_int_equal(arm->line, 3);
  assert_true(arm->mass == 1.5 && arm->com.x == 1 && arm->com.y == 2 && arm->com.z == 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      assert_true(fabs(arm->inertia.m[i][j] - want[i][j]) < 1e-15);
      assert_true(arm->inertia.m[i][j] == arm->inertia.m[j][i]);
    }
  assert_true(jn_spec_link(spec, 0)->mass == 0);

  const jn_joint_desc *elbow = jn_spec_joint(spec, 0);
  assert_int_equal(elbow->line, 12);
  assert_int_equal(elbow->type, JN_JOINT_REVOLUTE);
  assert_int_equal(elbow->placement, JN_BY_FRAME);
  assert_string_equal(elbow->parent, "base");
  assert_string_equal(elbow->child, "arm");
  assert_true(elbow->origin.p.z == 0.5 && fabs(elbow->origin.R.m[0][2] - 1) < 1e-15);
  assert_true(elbow->axis[0].y == 1 && elbow->axis[0].x == 0);
  assert_true(elbow->damping == 0.1 && elbow->friction == 0.2 && elbow->armature == 0);
  assert_true(elbow->limits.lower == -1 && elbow->limits.upper == 2 && elbow->limits.velocity == 3);
  assert_true(elbow->limits.effort == 4 && elbow->limits.acceleration == 5 &&
              elbow->limits.jerk == 6);
  assert_string_equal(elbow->mimic, "other");
  assert_true(elbow->mimic_multiplier == 2 && elbow->mimic_offset == 0.5);

  /* x y z w: 0.6 is the z component; default axis x; a continuous joint has no range */
  const jn_joint_desc *wrist = jn_spec_joint(spec, 1);
  assert_true(fabs(wrist->origin.R.m[1][0] - 0.96) < 1e-15 &&
              fabs(wrist->origin.R.m[0][0] - 0.28) < 1e-15);
  assert_true(wrist->axis[0].x == 1 && wrist->axis[0].z == 0);
  assert_true(isinf(wrist->limits.lower) && isinf(wrist->limits.upper) &&
              wrist->limits.velocity == 3);
  assert_int_equal(jn_spec_joint(spec, 2)->type, JN_JOINT_FIXED);

  assert_true(has_finding(spec, JN_WARNING, 19, "independent"));
  assert_true(has_finding(spec, JN_NOTE, 33, "<transmission>"));
  assert_false(has_finding(spec, JN_NOTE, 34, "<transmission>"));
  assert_true(has_finding(spec, JN_NOTE, 35, "<wheel>"));
  jn_spec_free(spec);
}

static void urdf_misspelt_attributes_are_found(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_urdf,
                           "<robot><link name='a'/><link name='b'/>\n"
                           "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>\n"
                           "<dynamics dampin='1' D='3' K='4' ros:x='1'/>\n"
                           "</joint></robot>");
  assert_true(has_finding(spec, JN_WARNING, 3, "did you mean 'damping'?"));
  assert_true(has_finding(spec, JN_NOTE, 3, "'D' 'K'"));
  assert_true(has_finding(spec, JN_NOTE, 2, "unlimited"));
  assert_int_equal(jn_spec_finding_count(spec), 3);
  jn_spec_free(spec);
}

/* ---- native JSON */

static void json_is_read_as_written(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(
      jn_spec_parse_json,
      "{\"name\": \"sample\", \"gravity\": [1, 2, 3],\n"
      " \"bodies\": [\n"
      "  {\"name\": \"a\", \"joint\": {\"name\": \"base\", \"type\": \"free\"}, \"mass\": 2,\n"
      "   \"home\": {\"R\": [[0, -1, 0], [1, 0, 0], [0, 0, 1]], \"p\": [4, 5, 6]},\n"
      "   \"com\": [0.1, 0.2, 0.3], \"inertia\": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},\n"
      "  {\"name\": \"b\", \"parent\": \"a\",\n"
      "   \"joint\": {\"name\": \"q\", \"type\": \"universal\", \"point\": [7, 8, 9],\n"
      "             \"axes\": [[1, 0, 0], [0, 1, 0]], \"colour\": 1}},\n"
      "  {\"name\": \"c\", \"parent\": null,\n"
      "   \"joint\": {\"name\": \"r\", \"type\": \"continuous\", \"axis\": [0, 3, 0],\n"
      "             \"origin\": {\"quat\": [0.8, 0, 0, 0.6]}, \"armature\": 0.5, \"damping\": "
      "0.25,\n"
      "             \"friction\": 0.125, \"limits\": {\"lower\": -1, \"jerk\": 8}}},\n"
      "  {\"name\": \"d\", \"parent\": \"c\", \"maas\": 3,\n"
      "   \"joint\": {\"name\": \"s\", \"type\": \"helical\", \"axis\": [0, 0, 1], \"pitch\": "
      "-0.5}}\n"
      " ],\n"
      " \"frames\": [{\"name\": \"tip\", \"link\": \"b\", \"p\": [0, 0, 1]}]}\n");
  assert_true(jn_spec_gravity(spec).y == 2);
  assert_int_equal(jn_spec_link_count(spec), 4);
  const jn_link_desc *a = jn_spec_link(spec, 0);
  assert_int_equal(a->line, 3);
  assert_true(a->home.R.m[0][1] == -1 && a->home.R.m[1][0] == 1 && a->home.p.z == 6);
  assert_true(a->mass == 2 && a->com.y == 0.2 && a->inertia.m[1][0] == 4 &&
              a->inertia.m[0][2] == 3);
  const jn_joint_desc *q = jn_spec_joint(spec, 1), *r = jn_spec_joint(spec, 2),
                      *s = jn_spec_joint(spec, 3);
  assert_null(jn_spec_joint(spec, 0)->parent);
  assert_int_equal(jn_spec_joint(spec, 0)->type, JN_JOINT_FREE);
  assert_string_equal(q->parent, "a");
  assert_int_equal(q->line, 7);
  assert_int_equal(q->placement, JN_BY_SCREW);
  assert_true(q->axis[0].x == 1 && q->axis[1].y == 1 && q->point.y == 8);
  assert_null(r->parent);
  assert_int_equal(r->type, JN_JOINT_REVOLUTE);
  assert_int_equal(r->placement, JN_BY_FRAME);
  assert_true(r->axis[0].y == 3 && fabs(r->origin.R.m[1][0] - 0.96) < 1e-15);
  assert_true(r->armature == 0.5 && r->damping == 0.25 && r->friction == 0.125);
  assert_true(r->limits.lower == -1 && isinf(r->limits.upper) && r->limits.jerk == 8);
  assert_true(s->pitch == -0.5);
  const jn_frame_desc *tip = jn_spec_frame(spec, 0);
  assert_string_equal(tip->link, "b");
  assert_int_equal(tip->line, 16);
  assert_true(tip->pose.p.z == 1 && tip->pose.R.m[0][0] == 1);
  assert_true(has_finding(spec, JN_WARNING, 8, "unknown key 'colour'"));
  assert_true(has_finding(spec, JN_WARNING, 13, "did you mean 'mass'?"));
  assert_true(has_finding(spec, JN_WARNING, 14, "'point' is missing"));
  assert_int_equal(jn_spec_finding_count(spec), 3);
  jn_spec_free(spec);
}

/* ---- what is saved is loaded again bit for bit */

static void assert_same_text(const char *a, const char *b) {
  if (a == NULL || b == NULL)
    assert_true(a == b);
  else
    assert_string_equal(a, b);
}

static void assert_same_spec(jn_spec *a, jn_spec *b) {
  assert_string_equal(jn_spec_name(a), jn_spec_name(b));
  jn_vec3 ga = jn_spec_gravity(a), gb = jn_spec_gravity(b);
  assert_memory_equal(&ga, &gb, sizeof ga);
  assert_int_equal(jn_spec_link_count(a), jn_spec_link_count(b));
  assert_int_equal(jn_spec_joint_count(a), jn_spec_joint_count(b));
  assert_int_equal(jn_spec_frame_count(a), jn_spec_frame_count(b));
  for (int i = 0; i < jn_spec_link_count(a); i++) {
    const jn_link_desc *x = jn_spec_link(a, i), *y = jn_spec_link(b, i);
    assert_string_equal(x->name, y->name);
    assert_memory_equal(&x->mass, &y->mass, sizeof x->mass);
    assert_memory_equal(&x->com, &y->com, sizeof x->com);
    assert_memory_equal(&x->inertia, &y->inertia, sizeof x->inertia);
    assert_memory_equal(&x->home, &y->home, sizeof x->home);
  }
  for (int i = 0; i < jn_spec_joint_count(a); i++) {
    const jn_joint_desc *x = jn_spec_joint(a, i), *y = jn_spec_joint(b, i);
    assert_string_equal(x->name, y->name);
    assert_same_text(x->parent, y->parent);
    assert_same_text(x->child, y->child);
    assert_same_text(x->mimic, y->mimic);
    assert_int_equal(x->type, y->type);
    assert_int_equal(x->placement, y->placement);
    assert_memory_equal(&x->origin, &y->origin, sizeof x->origin);
    assert_memory_equal(x->axis, y->axis, sizeof x->axis);
    assert_memory_equal(&x->point, &y->point, sizeof x->point);
    assert_memory_equal(&x->limits, &y->limits, sizeof x->limits);
    assert_memory_equal(&x->pitch, &y->pitch, sizeof x->pitch);
    assert_memory_equal(&x->armature, &y->armature, sizeof x->armature);
    assert_memory_equal(&x->damping, &y->damping, sizeof x->damping);
    assert_memory_equal(&x->friction, &y->friction, sizeof x->friction);
    assert_memory_equal(&x->mimic_multiplier, &y->mimic_multiplier, sizeof x->mimic_multiplier);
    assert_memory_equal(&x->mimic_offset, &y->mimic_offset, sizeof x->mimic_offset);
  }
  for (int i = 0; i < jn_spec_frame_count(a); i++) {
    const jn_frame_desc *x = jn_spec_frame(a, i), *y = jn_spec_frame(b, i);
    assert_string_equal(x->name, y->name);
    assert_string_equal(x->link, y->link);
    assert_memory_equal(&x->pose, &y->pose, sizeof x->pose);
  }
}

static void assert_saves_and_loads(jn_spec *spec) {
  jn_error error;
  jn_spec *again = NULL;
  const char *path = temporary("saved.json");
  if (jn_spec_save_json(spec, path, &error) != JN_OK) fail_msg("%s", error.message);
  if (jn_spec_load(path, NULL, &again, &error) != JN_OK) fail_msg("%s", error.message);
  assert_same_spec(spec, again);
  jn_spec_free(again);
}

static void assert_path_saves_and_loads(const char *path) {
  jn_error error;
  jn_spec *spec = NULL;
  if (jn_spec_load(path, NULL, &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_saves_and_loads(spec);
  jn_spec_free(spec);
}

static void builtin_robots_save_and_load(void **state) {
  (void)state;
  for (int i = 0; jn_builtin_name(i) != NULL; i++) assert_path_saves_and_loads(jn_builtin_name(i));
  assert_path_saves_and_loads("tilthex:5x20");
  assert_path_saves_and_loads("tilthex:1x1");
  assert_path_saves_and_loads("chain:1000");
}

static int walk_folder(const char *path, void (*visit)(const char *path)) {
  DIR *dir = opendir(path);
  int count = 0;
  if (dir == NULL) return 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    char full[1200];
    if (e->d_name[0] == '.') continue;
    snprintf(full, sizeof full, "%s/%s", path, e->d_name);
    visit(full);
    count++;
  }
  closedir(dir);
  return count;
}

static int shared_files;
static void visit_shared(const char *path) {
  static const char *const names[] = {"model.urdf", "model.json"};
  for (int i = 0; i < 2; i++) {
    char full[1400];
    snprintf(full, sizeof full, "%s/%s", path, names[i]);
    if (access(full, R_OK) != 0) continue;
    shared_files++;
    assert_path_saves_and_loads(full);
    jn_model *model = NULL;
    jn_error error;
    if (jn_model_load(full, NULL, NULL, &model, &error) != JN_OK) fail_msg("%s", error.message);
    jn_model_free(model);
  }
}

static void real_robots_load_build_and_save(void **state) {
  (void)state;
#ifdef TEST_SHARED
  walk_folder(TEST_SHARED "/robots", visit_shared);
  walk_folder(TEST_SHARED "/vectors", visit_shared);
#endif
  if (shared_files == 0) skip();
  print_message("           %d model files\n", shared_files);
}

static int odd_files;
static void visit_odd(const char *path) {
  jn_model *model = NULL;
  jn_error error;
  counter c;
  jn_allocator hooks = counting(&c);
  if (jn_model_load(path, NULL, &hooks, &model, &error) != JN_OK) fail_msg("%s", error.message);
  jn_model_free(model);
  assert_int_equal(c.live, 0);
  assert_path_saves_and_loads(path);
  odd_files++;
}

static void odd_but_valid_files_are_accepted(void **state) {
  (void)state;
  walk_folder(TEST_DATA "/odd", visit_odd);
  assert_true(odd_files >= 25);
}

static void every_double_survives_saving(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new("a \"quoted\" \\ n\xc3\xa4me\n\t\x01", NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default("x");
  link.mass = 4.9406564584124654e-324;
  link.com = (jn_vec3){-0.0, 1.7976931348623157e308, 0.1 + 0.2};
  link.inertia.m[0][1] = -0.0;
  link.home.R.m[0][1] = -0.0;
  link.home.p = (jn_vec3){1.0 / 3, 2e-308, -1e-5};
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  jn_joint_desc joint = jn_joint_default("j", JN_JOINT_SPHERICAL, NULL, "x");
  joint.axis[0] = (jn_vec3){3, 4, 5};
  joint.axis[1] = (jn_vec3){-0.0, 4, 5};
  joint.pitch = 0.7;
  joint.limits.velocity = 0;
  joint.mimic = "k";
  joint.mimic_multiplier = -2;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  joint.type = JN_JOINT_FIXED;
  joint.axis[1] = (jn_vec3){1, 0, 0};
  joint.child = "nowhere"; /* not a tree: still saved as it is, joints apart from bodies */
  joint.placement = JN_BY_FRAME;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  assert_saves_and_loads(spec);
  jn_spec_free(spec);
}

static int files_in_folder(void) {
  DIR *dir = opendir(folder);
  int count = 0;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) count += e->d_name[0] != '.';
  closedir(dir);
  return count;
}

static void saving_is_all_or_nothing(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  assert_int_equal(jn_spec_builtin("pendulum", NULL, &spec, &error), JN_OK);
  char path[600], link[600];
  snprintf(path, sizeof path, "%s", temporary("kept.json"));
  snprintf(link, sizeof link, "%s", temporary("link.json"));
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_OK);
  size_t before_size, after_size;
  char *before = slurp(path, &before_size);
  int files = files_in_folder();

  /* what JSON cannot say is refused, and the old file stays */
  jn_spec_link(spec, 0)->mass = nan("");
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "'link1'"));
  jn_spec_link(spec, 0)->mass = 1;
  jn_spec_link(spec, 0)->name = "\xff";
  assert_int_equal(jn_spec_save_json(spec, path, &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "UTF-8"));
  jn_spec_link(spec, 0)->name = "link1";
  char *after = slurp(path, &after_size);
  assert_int_equal(before_size, after_size);
  assert_memory_equal(before, after, before_size);
  assert_int_equal(files_in_folder(), files);
  free(before);
  free(after);

  /* a symbolic link is followed, a full or closed place is reported */
  assert_int_equal(symlink("kept.json", link), 0);
  assert_int_equal(jn_spec_save_json(spec, link, &error), JN_OK);
  struct stat info;
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(jn_spec_save_json(spec, "/nonexistent/x.json", &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "/nonexistent/x.json: cannot write"));
  assert_int_equal(jn_spec_save_json(spec, folder, &error), JN_ERR_FILE);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(jn_spec_save_json(spec, "/dev/full", &error), JN_ERR_FILE);
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
  }
  assert_int_equal(jn_spec_save_json(spec, "/dev/null", &error), JN_OK);
  assert_int_equal(jn_spec_save_json(NULL, path, &error), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_save_json(spec, NULL, &error), JN_ERR_ARGUMENT);
  jn_spec_free(spec);
}

/* ---- built-in robots */

static void builtin_robots_build(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int bodies, nq, nv, floating;
    double mass;
  } want[] = {{"tilthex", 7, 13, 12, 1, 4.0},       {"tilthex:5x20", 101, 107, 106, 1, 27.5},
              {"tilthex:1x1", 2, 8, 7, 1, 2.75},    {"pendulum", 1, 1, 1, 0, 1.0},
              {"double_pendulum", 2, 2, 2, 0, 2.0}, {"arm6", 7, 6, 6, 0, 28.2},
              {"arm7", 8, 7, 7, 0, 23.6},           {"quadruped", 13, 19, 18, 1, 14.1},
              {"humanoid", 15, 41, 35, 1, 70.5},    {"chain", 10, 10, 10, 0, 5.0},
              {"chain:300", 300, 300, 300, 0, 150}};
  jn_build_options strict = {JN_ROOT_AS_GIVEN, 1};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    jn_model *model = NULL;
    jn_error error;
    counter c;
    jn_allocator hooks = counting(&c);
    if (jn_model_load(want[i].name, &strict, &hooks, &model, &error) != JN_OK)
      fail_msg("%s", error.message);
    assert_int_equal(jn_model_nq(model), want[i].nq);
    assert_int_equal(jn_model_nv(model), want[i].nv);
    assert_int_equal(jn_model_is_floating(model), want[i].floating);
    assert_true(fabs(jn_model_mass(model) - want[i].mass) < 1e-9);
    assert_int_equal(jn_model_body_count(model), want[i].bodies);
    jn_model_free(model);
    assert_int_equal(c.live, 0);
  }
  for (int i = 0; jn_builtin_name(i) != NULL; i++) {
    jn_spec *spec = NULL;
    assert_non_null(jn_builtin_about(i));
    assert_int_equal(jn_spec_builtin(jn_builtin_name(i), NULL, &spec, NULL), JN_OK);
    jn_spec_free(spec);
  }
  assert_null(jn_builtin_name(-1));
  assert_null(jn_builtin_about(100));
}

static void tilthex_is_the_papers(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_builtin("tilthex", NULL, &spec, NULL), JN_OK);
  static const double x[8] = {0, 0, 0.09, 0.09, 0.09, -0.09, -0.09, -0.09};
  static const double z[8] = {0, 0, -0.16, -0.28, -0.40, -0.16, -0.28, -0.40};
  static const char *const parent[8] = {0, 0, "B1", "B2", "B3", "B1", "B5", "B6"};
  for (int n = 1; n <= 7; n++) {
    const jn_link_desc *link = jn_spec_link(spec, n - 1);
    const jn_joint_desc *joint = jn_spec_joint(spec, n - 1);
    char name[8];
    snprintf(name, sizeof name, "B%d", n);
    assert_string_equal(link->name, name);
    assert_string_equal(joint->child, name);
    assert_true(link->com.x == 0 && link->com.y == 0 && link->com.z == 0);
    assert_true(fabs(link->home.p.x - x[n]) < 1e-15 && link->home.p.y == 0);
    assert_true(fabs(link->home.p.z - z[n]) < 1e-15);
    assert_true(link->mass == (n == 1 ? 2.5 : 0.25));
    assert_true(link->inertia.m[0][0] == (n == 1 ? 0.03 : 0.002) &&
                link->inertia.m[2][2] == (n == 1 ? 0.05 : 0.001));
    assert_same_text(joint->parent, parent[n]);
    if (n == 1) {
      assert_string_equal(joint->name, "base");
      assert_int_equal(joint->type, JN_JOINT_FREE);
      continue;
    }
    snprintf(name, sizeof name, "q%d", n);
    assert_string_equal(joint->name, name);
    assert_int_equal(joint->type, JN_JOINT_REVOLUTE);
    int k = (n - 2) % 3;
    assert_true(joint->axis[0].y == (k == 0) && joint->axis[0].x == (k == 1) &&
                joint->axis[0].z == (k == 2));
    assert_true(fabs(joint->point.z - (z[n] + 0.06)) < 1e-15 && joint->point.x == link->home.p.x);
  }
  jn_spec_free(spec);
}

static void builtin_names_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *name;
    jn_status status;
    const char *words;
  } bad[] = {{"tilthex:0x3", JN_ERR_ARGUMENT, "at least 1 arm"},
             {"tilthex:axb", JN_ERR_ARGUMENT, "tilthex:AxB"},
             {"tilthex:", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:3", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:3x", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:-1x3", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:2x3x4", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:1000x1000", JN_ERR_LIMIT, "more than 1000000"},
             {"tilthex:99999999999x1", JN_ERR_LIMIT, "more than"},
             {"chain:0", JN_ERR_ARGUMENT, "chain:N"},
             {"chain:1000001", JN_ERR_LIMIT, "more than 1000000"},
             {"chain:x", JN_ERR_ARGUMENT, "chain:N"},
             {"pendulum:2", JN_ERR_ARGUMENT, "no sizes"},
             {"tilthx", JN_ERR_FILE, "did you mean 'tilthex'"},
             {"robot9000", JN_ERR_FILE, "built-in robot"},
             {"", JN_ERR_ARGUMENT, "no file name"},
             {"x.sdf", JN_ERR_FILE, "unknown ending"},
             {"x.urdf.xacro", JN_ERR_FILE, "expand it first"},
             {"./noending", JN_ERR_FILE, "unknown ending"},
             {"/nonexistent.urdf", JN_ERR_FILE, "cannot open"},
             {"/nonexistent.json", JN_ERR_FILE, "cannot open"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    jn_spec *spec = NULL;
    jn_error error;
    assert_int_equal(jn_spec_load(bad[i].name, NULL, &spec, &error), bad[i].status);
    if (strstr(error.message, bad[i].words) == NULL) fail_msg("%s: %s", bad[i].name, error.message);
    assert_null(spec);
  }
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_load(NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_load("pendulum", NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_builtin(NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_model_load("pendulum", NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_urdf(NULL, 0, NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_json(NULL, 0, NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_urdf("", 0, NULL, NULL, &spec, NULL), JN_ERR_SYNTAX);
  assert_int_equal(jn_spec_parse_json("", 0, NULL, NULL, &spec, NULL), JN_ERR_SYNTAX);
  assert_null(spec);
}

/* ---- broken files: status, line (0: any) and words of the message */

static const struct {
  const char *file;
  jn_status status;
  int line;
  const char *words;
} broken[] = {
#include "data/broken.inc"
};
enum { BROKEN = sizeof broken / sizeof broken[0] };

static void broken_files_are_refused_with_place_and_reason(void **state) {
  (void)state;
  int wrong = 0;
  for (int i = 0; i < BROKEN; i++) {
    char path[1200], place[300];
    snprintf(path, sizeof path, "%s/broken/%s", TEST_DATA, broken[i].file);
    if (broken[i].line > 0)
      snprintf(place, sizeof place, "/%s:%d: ", broken[i].file, broken[i].line);
    else
      snprintf(place, sizeof place, "/%s:", broken[i].file);
    counter c;
    jn_allocator hooks = counting(&c);
    jn_model *model = NULL;
    jn_error error;
    memset(&error, 0, sizeof error);
    jn_status status = jn_model_load(path, NULL, &hooks, &model, &error);
    if (status != broken[i].status || error.status != status || model != NULL || c.live != 0 ||
        strstr(error.message, place) == NULL || strstr(error.message, broken[i].words) == NULL ||
        (broken[i].line > 0 && error.line != broken[i].line)) {
      print_error("%s: status %d, wanted %d; %ld blocks lost; message: %s\n", broken[i].file,
                  status, broken[i].status, c.live, error.message);
      wrong++;
    }
    jn_model_free(model);
  }
  assert_int_equal(wrong, 0);
}

static int broken_files;
static void visit_broken(const char *path) {
  const char *name = strrchr(path, '/') + 1;
  for (int i = 0; i < BROKEN; i++)
    if (strcmp(broken[i].file, name) == 0) {
      broken_files++;
      return;
    }
  fail_msg("%s is not in the table", name);
}

static void every_broken_file_is_in_the_table(void **state) {
  (void)state;
  walk_folder(TEST_DATA "/broken", visit_broken);
  assert_int_equal(broken_files, BROKEN);
  print_message("           %d broken files, %d odd ones\n", broken_files, odd_files);
}

/* lint stands every file that parses at all, cycles included */
static void visit_lint(const char *path) {
  jn_spec *spec = NULL;
  if (jn_spec_load(path, NULL, &spec, NULL) != JN_OK) return;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  jn_spec_free(spec);
}

static void lint_stands_broken_files(void **state) {
  (void)state;
  walk_folder(TEST_DATA "/broken", visit_lint);
}

/* ---- limits, on both sides */

typedef struct builder {
  char *text;
  size_t used, room;
} builder;

static void add(builder *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (b->room - b->used < 1024) {
    b->room = 2 * b->room + 4096;
    b->text = realloc(b->text, b->room);
  }
  b->used += (size_t)vsnprintf(b->text + b->used, b->room - b->used, format, arguments);
  va_end(arguments);
}

static void limits_hold_on_both_sides(void **state) {
  (void)state;
  for (int over = 0; over < 2; over++) {
    /* depth: robot, then the rest */
    builder b = {0};
    add(&b, "<robot>");
    for (int i = 1; i < JN_MAX_XML_DEPTH + over; i++) add(&b, "<gazebo>");
    for (int i = 1; i < JN_MAX_XML_DEPTH + over; i++) add(&b, "</gazebo>");
    add(&b, "</robot>");
    if (over)
      assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
    else
      jn_spec_free(parse_ok(jn_spec_parse_urdf, b.text));

    /* attributes */
    b.used = 0;
    add(&b, "<robot><link name='a'");
    for (int i = 1; i < JN_MAX_XML_ATTRIBUTES + over; i++) add(&b, " a%d='1'", i);
    add(&b, "/></robot>");
    if (over)
      assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "attributes");
    else
      jn_spec_free(parse_ok(jn_spec_parse_urdf, b.text));

    /* JSON depth: object, list, ... */
    b.used = 0;
    add(&b, "{\"bodies\": [], \"comment\": ");
    for (int i = 1; i < JN_MAX_JSON_DEPTH + over; i++) add(&b, "[");
    for (int i = 1; i < JN_MAX_JSON_DEPTH + over; i++) add(&b, "]");
    add(&b, "}");
    if (over)
      assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
    else
      jn_spec_free(parse_ok(jn_spec_parse_json, b.text));

    /* names of links, joints, frames and of the robot */
    char name[JN_MAX_NAME + 2];
    memset(name, 'n', sizeof name);
    name[JN_MAX_NAME + over] = '\0';
#define FIXED(name, parent, child, more)                                                      \
  "<robot><joint type='fixed' name='" name "'><parent link='" parent "'/><child link='" child \
  "'/>" more "</joint></robot>"
    static const char *const urdf[] = {
        "<robot name='%s'/>",        "<robot><link name='%s'/></robot>",
        (FIXED("%s", "a", "b", "")), (FIXED("j", "%s", "b", "")),
        (FIXED("j", "a", "%s", "")), (FIXED("j", "a", "b", "<mimic joint='%s'/>"))};
#undef FIXED
    static const char *const json[] = {
        "{'name': '%s', 'bodies': []}", "{'bodies': [{'name': '%s'}]}",
        "{'bodies': [{'name': 'a', 'joint': {'name': '%s', 'type': 'free'}}]}",
        "{'bodies': [{'name': 'a', 'parent': '%s', 'joint': {'name': 'j', 'type': 'free'}}]}",
        "{'bodies': [], 'frames': [{'name': '%s', 'link': 'a'}]}"};
    for (size_t i = 0; i < 11; i++) {
      char text[1024];
      snprintf(text, sizeof text, i < 6 ? urdf[i] : json[i - 6], name);
      parser *parse = i < 6 ? jn_spec_parse_urdf : jn_spec_parse_json;
      for (char *c = text; i >= 6 && *c != '\0'; c++)
        if (*c == '\'') *c = '"';
      if (over)
        assert_refused(parse, text, strlen(text), JN_ERR_LIMIT, "longer than 255 bytes");
      else
        jn_spec_free(parse_ok(parse, text));
    }
    free(b.text);
  }
}

static void file_size_is_limited(void **state) {
  (void)state;
  const char *ends[2] = {"<robot/>", "{\"bodies\": []}"};
  parser *parse[2] = {jn_spec_parse_urdf, jn_spec_parse_json};
  char *text = malloc((size_t)JN_MAX_FILE + 1);
  for (int i = 0; i < 2; i++) {
    jn_spec *spec = NULL;
    jn_error error;
    memset(text, ' ', (size_t)JN_MAX_FILE + 1);
    memcpy(text, ends[i], strlen(ends[i]));
    if (parse[i](text, JN_MAX_FILE, "text", NULL, &spec, &error) != JN_OK)
      fail_msg("%s", error.message);
    jn_spec_free(spec);
    assert_refused(parse[i], text, (size_t)JN_MAX_FILE + 1, JN_ERR_LIMIT, "larger than 64 MiB");
  }
  free(text);

  char path[600];
  snprintf(path, sizeof path, "%s", temporary("large.urdf"));
  FILE *file = fopen(path, "wb");
  assert_int_equal(ftruncate(fileno(file), (off_t)JN_MAX_FILE + 1), 0);
  fclose(file);
  jn_spec *spec = NULL;
  jn_error error;
  counter c;
  jn_allocator hooks = counting(&c);
  assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "larger than 64 MiB"));
  assert_int_equal(c.live, 0);
  assert_int_equal(truncate(path, (off_t)JN_MAX_FILE), 0);
  assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_SYNTAX);
  assert_int_equal(c.live, 0);
  remove(path);

  /* a folder has no bytes to read */
  snprintf(path, sizeof path, "%s", temporary("folder.urdf"));
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_ERR_FILE);
  rmdir(path);
}

static void hostile_shapes_cost_little(void **state) {
  (void)state;
  enum { MANY = 1000000 };
  builder b = {0};
  for (int i = 0; i < MANY; i++) add(&b, "<a>");
  assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_SYNTAX, "root element");
  b.used = 0;
  add(&b, "<robot>");
  for (int i = 0; i < MANY; i++) add(&b, "<a>");
  assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
  b.used = 0;
  for (int i = 0; i < MANY; i++) add(&b, "[");
  assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
  b.used = 0;
  for (int i = 0; i < MANY; i++) add(&b, "{\"a\":");
  assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_LIMIT, "nested deeper");
  b.used = 0;
  for (int i = 0; i < MANY; i++) add(&b, "]}");
  assert_refused(jn_spec_parse_json, b.text, b.used, JN_ERR_SYNTAX, "JSON");

  b.used = 0;
  add(&b, "<robot><link ");
  for (int i = 0; i < 200000; i++) add(&b, "a%d='' ", i);
  add(&b, "/></robot>");
  assert_refused(jn_spec_parse_urdf, b.text, b.used, JN_ERR_LIMIT, "attributes");

  /* one name of 20 MB */
  size_t large = 20 * 1000 * 1000;
  char *text = malloc(large + 100);
  memset(text, 'x', large + 100);
  memcpy(text, "<robot><link name='", 19);
  memcpy(text + large, "'/></robot>", 11);
  assert_refused(jn_spec_parse_urdf, text, large + 11, JN_ERR_LIMIT, "longer than 255 bytes");
  memcpy(text, "{\"bodies\": [{\"name\": \"", 22);
  memcpy(text + large, "\"}]}", 4);
  assert_refused(jn_spec_parse_json, text, large + 4, JN_ERR_LIMIT, "longer than 255 bytes");

  /* as many empty objects as a file can hold */
  size_t size = JN_MAX_FILE;
  text = realloc(text, size);
  for (size_t i = 0; i + 3 <= size; i += 3) memcpy(text + i, "{},", 3);
  text[0] = '[';
  assert_refused(jn_spec_parse_json, text, size, JN_ERR_LIMIT, "MiB");
  free(text);

  /* a long number is read, and a long line of unknown elements gives at most the limit of findings
   */
  b.used = 0;
  add(&b, "<robot><link name='a'><inertial><mass value='1.");
  for (int i = 0; i < 100000; i++) add(&b, "0");
  add(&b, "1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>");
  for (int i = 0; i < 20000; i++) add(&b, "<x/>");
  add(&b, "</robot>");
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, b.text);
  assert_true(jn_spec_link(spec, 0)->mass == 1);
  assert_int_equal(jn_spec_finding_count(spec), JN_MAX_FINDINGS);
  jn_spec_free(spec);
  free(b.text);
}

static void loading_is_linear_and_bounded(void **state) {
  (void)state;
  /* 20000 links in a chain, in both formats */
  builder u = {0}, j = {0};
  enum { LINKS = 20000 };
  add(&u, "<robot>");
  add(&j, "{\"bodies\": [");
  for (int i = 0; i < LINKS; i++) {
    add(&u, "<link name='l%d'/>", i);
    add(&j, "%s{\"name\": \"l%d\", \"mass\": 1", i ? ",\n" : "", i);
    if (i > 0) {
      add(&u, "<joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>", i,
          i - 1, i);
      add(&j, ", \"parent\": \"l%d\", \"joint\": {\"name\": \"j%d\", \"type\": \"fixed\"}", i - 1,
          i);
    }
    add(&j, "}");
  }
  add(&u, "</robot>");
  add(&j, "]}");
  parser *parse[2] = {jn_spec_parse_urdf, jn_spec_parse_json};
  builder *text[2] = {&u, &j};
  for (int i = 0; i < 2; i++) {
    counter c;
    jn_allocator hooks = counting(&c);
    jn_spec *spec = NULL;
    jn_model *model = NULL;
    jn_error error;
    if (parse[i](text[i]->text, text[i]->used, "text", &hooks, &spec, &error) != JN_OK)
      fail_msg("%s", error.message);
    assert_int_equal(jn_spec_link_count(spec), LINKS);
    assert_true(c.peak <= 32 * text[i]->used + (1 << 20));
    assert_int_equal(jn_spec_lint(spec), JN_OK);
    if (jn_model_build(spec, NULL, &hooks, &model, &error) != JN_OK) fail_msg("%s", error.message);
    jn_model_free(model);
    jn_spec_free(spec);
    assert_int_equal(c.live, 0);
    free(text[i]->text);
  }
}

/* ---- damaged text: refused or accepted, never a crash, never a leak */

static void try_everything(parser *parse, const char *text, size_t size, int *accepted) {
  counter c;
  jn_allocator hooks = counting(&c);
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error error;
  memset(&error, 0, sizeof error);
  if (parse(text, size, "text", &hooks, &spec, &error) == JN_OK) {
    assert_non_null(spec);
    assert_int_equal(jn_spec_lint(spec), JN_OK);
    if (jn_model_build(spec, NULL, &hooks, &model, &error) == JN_OK) ++*accepted;
    jn_model_free(model);
    jn_spec_free(spec);
  } else {
    assert_null(spec);
    assert_true(error.status != JN_OK && error.message[0] != '\0');
    assert_true(jn_is_utf8(error.message) || parse == jn_spec_parse_json);
  }
  assert_int_equal(c.live, 0);
}

static char *sample_json(size_t *size) {
  return slurp(TEST_DATA "/odd/all_joint_types.json", size);
}

static void every_prefix_is_handled(void **state) {
  (void)state;
  int accepted = 0;
  size_t size;
  /* each prefix in a block of its own size, so that reading beyond it is seen */
  for (size_t n = 0; n < sizeof urdf_sample; n++) {
    char *part = malloc(n + (n == 0));
    memcpy(part, urdf_sample, n);
    try_everything(jn_spec_parse_urdf, part, n, &accepted);
    free(part);
  }
  char *json = sample_json(&size);
  for (size_t n = 0; n <= size; n++) {
    char *part = malloc(n + (n == 0));
    memcpy(part, json, n);
    try_everything(jn_spec_parse_json, part, n, &accepted);
    free(part);
  }
  free(json);
  assert_true(accepted >= 2);
}

static uint32_t next_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33);
}

static void flipped_bytes_are_handled(void **state) {
  (void)state;
  static const char tokens[][8] = {"<",       ">", "\"", "/>",   "nan", "1e999", "-",    "{",
                                   "}",       "[", "]",  ",",    ":",   "null",  "true", "&#0;",
                                   "\\u0000", "0", "'",  "<!--", "e",   "\n"};
  uint64_t seed = 20240229;
  int accepted = 0;
  size_t json_size;
  char *json = sample_json(&json_size);
  for (int round = 0; round < 6000; round++) {
    int is_json = round % 2;
    const char *from = is_json ? json : urdf_sample;
    size_t size = is_json ? json_size : sizeof urdf_sample - 1;
    char *text = malloc(size + 64);
    memcpy(text, from, size);
    int edits = 1 + (int)(next_random(&seed) % 3);
    for (int e = 0; e < edits; e++) {
      size_t at = next_random(&seed) % size;
      uint32_t kind = next_random(&seed) % 4;
      if (kind == 0) {
        text[at] = (char)(text[at] ^ (1 << next_random(&seed) % 8));
      } else if (kind == 1) {
        text[at] = (char)next_random(&seed);
      } else if (kind == 2) { /* delete */
        size_t n = 1 + next_random(&seed) % 8;
        if (n > size - at) n = size - at;
        memmove(text + at, text + at + n, size - at - n);
        size -= n;
        if (size == 0) break;
      } else { /* insert */
        const char *token = tokens[next_random(&seed) % (sizeof tokens / sizeof tokens[0])];
        memmove(text + at + strlen(token), text + at, size - at);
        memcpy(text + at, token, strlen(token));
        size += strlen(token);
      }
    }
    char *exact = malloc(size + (size == 0));
    memcpy(exact, text, size);
    try_everything(is_json ? jn_spec_parse_json : jn_spec_parse_urdf, exact, size, &accepted);
    free(exact);
    free(text);
  }
  free(json);
  print_message("           %d of 6000 still a model\n", accepted);
  assert_true(accepted > 0);
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  static const char *const paths[] = {"sample.urdf", TEST_DATA "/odd/extensions.json",
                                      TEST_DATA "/odd/listed_joints.json", "quadruped",
                                      "tilthex:3x4"};
  FILE *file = fopen(temporary("sample.urdf"), "wb");
  fputs(urdf_sample, file);
  fclose(file);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    const char *path = i == 0 ? temporary("sample.urdf") : paths[i];
    counter c;
    jn_allocator hooks = counting(&c);
    jn_model *model = NULL;
    jn_error error;
    jn_spec *spec = NULL;
    if (jn_model_load(path, NULL, &hooks, &model, &error) != JN_OK) fail_msg("%s", error.message);
    jn_model_free(model);
    long calls = c.calls;
    for (long n = 0; n < 2 * calls; n++) {
      counting(&c);
      c.fail_at = n / 2 + 1;
      c.fail_once = n % 2;
      model = NULL;
      assert_int_equal(jn_model_load(path, NULL, &hooks, &model, &error), JN_ERR_MEMORY);
      assert_int_equal(error.status, JN_ERR_MEMORY);
      assert_null(model);
      assert_int_equal(c.live, 0);
    }
    /* lint too: the findings so far stay */
    counting(&c);
    assert_int_equal(jn_spec_load(path, &hooks, &spec, &error), JN_OK);
    long loaded = c.calls;
    for (int k = 1; k < 20; k++) {
      c.fail_at = c.calls + k;
      jn_status status = jn_spec_lint(spec);
      assert_true(status == JN_OK || status == JN_ERR_MEMORY);
      if (k == 1) assert_int_equal(status, JN_ERR_MEMORY);
    }
    assert_true(c.calls > loaded);
    jn_spec_free(spec);
    assert_int_equal(c.live, 0);
    print_message("           %s: %ld allocations\n",
                  strrchr(path, '/') ? strrchr(path, '/') + 1 : path, calls);
  }
}

/* ---- the outside world: locales and threads */

static void the_locale_does_not_matter(void **state) {
  (void)state;
  char command[700];
  const char *old = getenv("LOCPATH");
  char *old_path = old != NULL ? strdup(old) : NULL;
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
    snprintf(command, sizeof command, "localedef -f UTF-8 -i de_DE %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    int made = system(command) >= 0;
    setenv("LOCPATH", folder, 1);
    if (!made || setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
      unsetenv("LOCPATH");
      free(old_path);
      skip();
    }
  }
  assert_string_equal(localeconv()->decimal_point, ",");
  builtin_robots_save_and_load(state);
  urdf_is_read_as_written(state);
  json_is_read_as_written(state);
  numbers_are_read_strictly(state);
  every_double_survives_saving(state);
  odd_but_valid_files_are_accepted(state);
  setlocale(LC_ALL, "C");
  if (old_path != NULL)
    setenv("LOCPATH", old_path, 1);
  else
    unsetenv("LOCPATH");
  free(old_path);
  snprintf(command, sizeof command, "rm -rf %s/de_DE.UTF-8", folder);
  assert_int_equal(system(command), 0);
}

static void *parse_in_a_thread(void *context) {
  size_t size;
  char *json = sample_json(&size);
  for (int i = 0; i < 200; i++) {
    counter c;
    jn_allocator hooks = counting(&c);
    jn_spec *spec = NULL;
    if (jn_spec_parse_urdf(urdf_sample, sizeof urdf_sample - 1, "t", &hooks, &spec, NULL) == JN_OK)
      ++*(int *)context;
    jn_spec_free(spec);
    spec = NULL;
    if (jn_spec_parse_json(json, size, "t", &hooks, &spec, NULL) == JN_OK) ++*(int *)context;
    jn_spec_free(spec);
    if (c.live != 0) *(int *)context = -1000000;
  }
  free(json);
  return NULL;
}

static void threads_load_side_by_side(void **state) {
  (void)state;
  pthread_t thread[4];
  int done[4] = {0};
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, parse_in_a_thread, &done[i]), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(done[i], 400);
  }
}

/* an allocator hook that itself reads a URDF text: the outer parser's memory is not mixed up */
static void *nested_allocate(size_t size, void *context) {
  counter *c = context;
  if (c->calls++ % 7 == 0) {
    jn_spec *spec = NULL;
    if (jn_spec_parse_urdf("<robot/>", 8, "inner", NULL, &spec, NULL) != JN_OK) return NULL;
    jn_spec_free(spec);
  }
  c->live++;
  return malloc(size);
}

static void nested_release(void *block, void *context) {
  ((counter *)context)->live--;
  free(block);
}

static void a_hook_may_load_a_model_itself(void **state) {
  (void)state;
  counter c = {0};
  jn_allocator hooks = {nested_allocate, nested_release, &c};
  jn_spec *spec = NULL;
  assert_int_equal(
      jn_spec_parse_urdf(urdf_sample, sizeof urdf_sample - 1, "t", &hooks, &spec, NULL), JN_OK);
  jn_spec_free(spec);
  assert_int_equal(c.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read_strictly),
      cmocka_unit_test(near_words_are_found),
      cmocka_unit_test(a_message_is_whole_and_harmless),
      cmocka_unit_test(a_spec_keeps_what_it_is_given),
      cmocka_unit_test(a_spec_refuses_bad_arguments),
      cmocka_unit_test(findings_are_limited_and_keep_the_worst),
      cmocka_unit_test(the_number_of_bodies_is_limited),
      cmocka_unit_test(urdf_is_read_as_written),
      cmocka_unit_test(urdf_misspelt_attributes_are_found),
      cmocka_unit_test(json_is_read_as_written),
      cmocka_unit_test(builtin_robots_save_and_load),
      cmocka_unit_test(real_robots_load_build_and_save),
      cmocka_unit_test(odd_but_valid_files_are_accepted),
      cmocka_unit_test(every_double_survives_saving),
      cmocka_unit_test(saving_is_all_or_nothing),
      cmocka_unit_test(builtin_robots_build),
      cmocka_unit_test(tilthex_is_the_papers),
      cmocka_unit_test(builtin_names_are_checked),
      cmocka_unit_test(broken_files_are_refused_with_place_and_reason),
      cmocka_unit_test(every_broken_file_is_in_the_table),
      cmocka_unit_test(lint_stands_broken_files),
      cmocka_unit_test(limits_hold_on_both_sides),
      cmocka_unit_test(file_size_is_limited),
      cmocka_unit_test(hostile_shapes_cost_little),
      cmocka_unit_test(loading_is_linear_and_bounded),
      cmocka_unit_test(every_prefix_is_handled),
      cmocka_unit_test(flipped_bytes_are_handled),
      cmocka_unit_test(every_failed_allocation_is_survived),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(threads_load_side_by_side),
      cmocka_unit_test(a_hook_may_load_a_model_itself),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
