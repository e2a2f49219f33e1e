/* test_io_broken.c: broken files are refused with status, line (0: any) and words of the message.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/counter.h"
#include "helpers/files.h"

static const struct {
  const char *file;
  jn_status status;
  int line;
  const char *words;
} broken[] = {
#include "data/broken.inc"
};
enum { BROKEN = COUNT(broken) };

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
  print_message("           %d broken files\n", broken_files);
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

/* what files cannot say, a program can: matrices that are no rotations, and names that steer a
 * terminal */
static void poses_that_are_none_are_refused(void **state) {
  (void)state;
  static const struct {
    double diagonal[3];
    jn_status status;
    const char *words;
  } cases[] = {{{1, 1, -1}, JN_ERR_POSE, "is a reflection (det = -1), not a rotation"},
               {{-1, -1, -1}, JN_ERR_POSE, "is a reflection (det = -1), not a rotation"},
               {{-1, -1, 1}, JN_OK, ""},
               {{1, 1, 1 + 4e-7}, JN_OK, ""},
               {{1, 1, -1.5}, JN_ERR_POSE, "not a rotation (|R^T R - 1| = 1.25, det = -1.5;"},
               {{1, 1, 0}, JN_ERR_POSE, "not a rotation (|R^T R - 1| = 1, det = 0;"},
               {{0, 0, 0}, JN_ERR_POSE, "not a rotation"},
               {{1e200, 1, 1}, JN_ERR_POSE, "not a rotation"},
               {{1, HUGE_VAL - HUGE_VAL, 1}, JN_ERR_MODEL, "the rotation matrix is not finite"},
               {{1, 1, -HUGE_VAL}, JN_ERR_MODEL, "the rotation matrix is not finite"}};
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int where = 0; where < 3; where++) {
      jn_spec *spec = NULL;
      jn_model *model = NULL;
      jn_error error = {0};
      jn_mat3 R = {{{0}}};
      for (int k = 0; k < 3; k++) R.m[k][k] = cases[i].diagonal[k];
      jn_link_desc link = jn_link_default("bo\033dy");
      jn_joint_desc joint = jn_joint_default("joint", JN_JOINT_REVOLUTE, NULL, link.name);
      jn_frame_desc frame = {"frame", link.name, joint.origin, 7};
      link.line = joint.line = 7;
      if (where == 0) link.home.R = R;
      if (where == 1) joint.origin.R = R;
      if (where == 2) frame.pose.R = R;
      assert_ok(jn_spec_new("made", NULL, &spec));
      assert_ok(jn_spec_add_link(spec, &link));
      assert_ok(jn_spec_add_joint(spec, &joint));
      assert_ok(jn_spec_add_frame(spec, &frame));
      static const char *const start[] = {
          "made:7: link 'bo?dy': ", "made:7: joint 'joint': ", "made:7: frame 'frame': "};
      assert_status(jn_model_build(spec, NULL, NULL, &model, &error), cases[i].status);
      if (cases[i].status != JN_OK &&
          (strncmp(error.message, start[where], strlen(start[where])) != 0 ||
           strstr(error.message, cases[i].words) == NULL))
        fail_msg("%s", error.message);
      assert_int_equal(error.status, cases[i].status);
      jn_model_free(model);
      jn_spec_free(spec);
    }
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static void (*const again[])(void **) = {broken_files_are_refused_with_place_and_reason,
                                           poses_that_are_none_are_refused};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_files_are_refused_with_place_and_reason),
      cmocka_unit_test(every_broken_file_is_in_the_table),
      cmocka_unit_test(lint_stands_broken_files),
      cmocka_unit_test(poses_that_are_none_are_refused),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
