/* test_io_opened.c: which files a model loader opens. The test is linked with open and fopen wrapped
 * (tests/CMakeLists.txt), so that every path that is opened is seen. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "io/load.h"

/* ---- what is opened */

enum { MOST = 64 };
static char opened[MOST][PATH_MAX];
static int opened_count, watching;

static void see(const char *path) {
  char real[PATH_MAX];
  if (!watching) return;
  watching = 0; /* what a failing assertion opens does not count */
  if (opened_count == MOST) fail_msg("more than %d files are opened", MOST);
  snprintf(opened[opened_count++], PATH_MAX, "%s", realpath(path, real) ? real : path);
  watching = 1;
}

FILE *__real_fopen(const char *path, const char *mode);
int __real_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_open(const char *path, int flags, ...);

FILE *__wrap_fopen(const char *path, const char *mode) {
  see(path);
  return __real_fopen(path, mode);
}
int __wrap_open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  see(path);
  return __real_open(path, flags, mode);
}

static jn_status load_watched(const char *path, const jn_load_options *options) {
  jn_spec *spec = NULL;
  opened_count = 0, watching = 1;
  const jn_status status = jn_spec_load_with(path, options, NULL, &spec, NULL);
  watching = 0;
  jn_spec_free(spec);
  return status;
}

static int is_below(const char *path, const char *folder) {
  const size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* ---- tests */

static int loaded, included;

/* The file itself is opened, and besides it only files below its folder. */
static void only_files_below(const char *path) {
  char real[PATH_MAX], folder[PATH_MAX];
  if (!realpath(path, real)) fail_msg("%s: no such file", path);
  snprintf(folder, sizeof folder, "%s", real);
  *strrchr(folder, '/') = '\0';
  load_watched(path, NULL);
  for (int i = 0; i < opened_count; i++) {
    if (!is_below(opened[i], folder)) fail_msg("%s opens %s", path, opened[i]);
    included += strcmp(opened[i], real) != 0;
  }
  loaded += opened_count > 0 && strcmp(opened[0], real) == 0;
}

static void files_of_the_tests_open_nothing_elsewhere(void **state) {
  (void)state;
  static const char *const folders[] = {TEST_DATA "/odd",         TEST_DATA "/odd/mjcf",
                                        TEST_DATA "/odd/xacro",   TEST_DATA "/broken",
                                        TEST_DATA "/broken/mjcf", TEST_DATA "/broken/xacro"};
  for (size_t i = 0; i < COUNT(folders); i++) walk_folder(folders[i], only_files_below);
  print_message("%d files opened, %d more by them\n", loaded, included);
  assert_true(loaded > 250);
  assert_true(included >= 4);
}

/* Names of meshes, textures and other files are names, whether the files are there or not. */
static void names_in_a_model_are_not_opened(void **state) {
  (void)state;
  static const char body[] =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
  char text[4000];
  put("shape.stl", "solid x\nendsolid x\n");
  put("skin.png", "x");
  snprintf(text, sizeof text,
           "<?xml version='1.0'?><robot name='r'><link name='a'>%s<visual><geometry><mesh "
           "filename='shape.stl'/></geometry><material name='m'><texture filename='skin.png'/>"
           "</material></visual><collision><geometry><mesh filename='file:///etc/hostname'/>"
           "</geometry></collision></link><gazebo><plugin filename='package://p/x.so'/></gazebo>"
           "</robot>",
           body);
  put("robot.urdf", text);
  assert_ok(load_watched(temporary("robot.urdf"), NULL));
  assert_int_equal(opened_count, 1);
  put("robot.xml",
      "<mujoco><asset><mesh name='s' file='shape.stl'/><texture name='t' file='skin.png'/>"
      "<hfield name='h' file='/etc/hostname'/></asset><worldbody><geom type='mesh' mesh='s'/><body>"
      "<joint/><geom size='0.1'/></body></worldbody></mujoco>");
  assert_ok(load_watched(temporary("robot.xml"), NULL));
  assert_int_equal(opened_count, 1);
}

/* Included and loaded files are opened; those of a package with its folder alone. */
static void named_folders_open_their_files(void **state) {
  (void)state;
  put("part.xacro", "<robot><link name='in'/></robot>");
  put("numbers.yaml", "m: 2\n");
  put("top.xacro",
      "<robot name='r' xmlns:xacro='x'><xacro:include filename='part.xacro'/><xacro:property "
      "name='y' "
      "value=\"${xacro.load_yaml('numbers.yaml')}\"/><link name='a${y[\"m\"]}'/></robot>");
  load_watched(temporary("top.xacro"), NULL);
  assert_int_equal(opened_count, 3);
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", TEST_DATA "/odd/mjcf");
  put("uses.xml", "<mujoco><include file='arm.xml'/></mujoco>");
  assert_true(load_watched(temporary("uses.xml"), NULL) != JN_OK);
  assert_int_equal(opened_count, 1);
  const jn_load_options options = {.package_path = path};
  assert_ok(load_watched(temporary("uses.xml"), &options));
  assert_int_equal(opened_count, 2);
}

/* Who asks is told of the files that a model includes, but not of the model itself. */
static void take_path(void *context, const char *path) {
  char *list = context;
  snprintf(list + strlen(list), 900 - strlen(list), "%s ", strrchr(path, '/') + 1);
}

static void check_told(const char *path, const char *text, int expands, const char *want) {
  char list[900] = "", *urdf = NULL;
  const jn_load_options options = {.package_path = test_folder()};
  const jn_opened told_of = {take_path, list};
  const size_t size = text ? strlen(text) : 0;
  jn_spec *spec = NULL;
  jn_error e = {0};
  if (jn_spec_load_from(path, text, size, &options, &told_of, NULL, &spec, &e))
    fail_msg("%s", e.message);
  assert_string_equal(list, want);
  jn_spec_free(spec);
  if (!expands) return;
  *list = '\0';
  if (jn_xacro_expand_from(path, text, size, &options, &told_of, NULL, &urdf, &e))
    fail_msg("%s", e.message);
  assert_string_equal(list, want);
  jn_text_free(urdf, NULL);
}

static void who_asks_is_told_of_included_files(void **state) {
  (void)state;
  static const char
      included_link[] = "<robot><link name='in'/></robot>",
      model[] =
          "<robot name='r' xmlns:xacro='x'><xacro:include filename='%s%spart.xacro'/>"
          "<xacro:property name='y' value=\"${xacro.load_yaml('%s%snumbers.yaml')}\"/>"
          "<xacro:if value='${y[\"m\"] == 2}'/></robot>";
  static const char mjcf[] = "<mujoco><include file='body.xml'/></mujoco>";
  char text[4 * PATH_MAX], path[PATH_MAX];
  const char *folder = test_folder();
  put("part.xacro", included_link);
  put("numbers.yaml", "m: 2\n");
  put("body.xml",
      "<mujoco><worldbody><body><joint/><geom size='0.1'/></body></worldbody></mujoco>");
  put("all.xml", mjcf);
  snprintf(text, sizeof text, model, "", "", "", "");
  put("top.xacro", text);
  snprintf(path, sizeof path, "%s", temporary("top.xacro"));
  check_told(path, NULL, 1, "part.xacro numbers.yaml ");
  /* a text has no folder */
  snprintf(text, sizeof text, model, folder, "/", folder, "/");
  check_told("text", text, 1, "part.xacro numbers.yaml ");
  snprintf(path, sizeof path, "%s", temporary("all.xml"));
  check_told(path, NULL, 0, "body.xml ");
  check_told("text", mjcf, 0, "body.xml ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_the_tests_open_nothing_elsewhere),
      cmocka_unit_test(names_in_a_model_are_not_opened),
      cmocka_unit_test(named_folders_open_their_files),
      cmocka_unit_test(who_asks_is_told_of_included_files),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
