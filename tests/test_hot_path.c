/* test_hot_path.c: every public function is either called by bench/hot, which checks that it only
 * computes, or is listed as set-up; and a jn_data is one block. */
#include "helpers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/calls.h"
#include "helpers/counter.h"
#include "helpers/files.h"

static int is_listed(const char *name) {
  for (int i = 0; i < call_count; i++)
    if (strcspn(calls[i].name, "/") == strlen(name) &&
        strncmp(calls[i].name, name, strlen(name)) == 0)
      return 1;
  for (int i = 0; setup_functions[i]; i++)
    if (strcmp(setup_functions[i], name) == 0) return 1;
  return 0;
}

static int functions, missing;

/* JN_API type jn_name( */
static void visit_header(const char *path) {
  if (!strstr(path, ".h")) return; /* a folder */
  char *text = slurp(path, NULL);
  for (char *at = text; (at = strstr(at, "JN_API ")) != NULL; at++) {
    const char *open = at + strcspn(at, "(;"), *from = open;
    if (*open != '(' || strncmp(at, "JN_API __", 9) == 0) continue;
    while (from > at && strchr("abcdefghijklmnopqrstuvwxyz0123456789_", from[-1])) from--;
    char name[100];
    snprintf(name, sizeof name, "%.*s", (int)(open - from), from);
    if (strncmp(name, "jn_", 3) != 0) continue;
    functions++;
    if (is_listed(name)) continue;
    print_error(
        "%s of %s is new: list it in tests/helpers/calls_list.h if it computes, or in "
        "setup_functions of calls_pure.c\n",
        name, path);
    missing++;
  }
  free(text);
}

static void every_public_function_is_watched_or_set_up(void **state) {
  (void)state;
  walk_folder(TEST_INCLUDE "/jounce", visit_header);
  walk_folder(TEST_INCLUDE "/jounce/textbook", visit_header);
  assert_true(functions > 190);
  assert_int_equal(missing, 0);
  /* negative control */
  assert_false(is_listed("jn_no_such_function"));
  assert_false(is_listed("jn_inverse"));
}

static void data_is_one_allocation(void **state) {
  (void)state;
  robot r = robot_random(6001, 30, JN_JOINT_FREE, TYPES_ALL, 3);
  counter c;
  const jn_allocator hooks = counting(&c);
  jn_data *d;
  assert_ok(jn_data_new(r.model, 9, &hooks, &d));
  assert_int_equal(c.calls, 1);
  jn_data_free(d);
  assert_int_equal(c.live, 0);
  robot_free(&r);
}

static void no_call_changes_the_settings(void **state) {
  (void)state;
  long done = 0;
  for (int form = JN_FORM_BODY; form <= JN_FORM_CLASSICAL; form++)
    for (int rep = JN_SPATIAL; rep <= JN_MIXED; rep++) {
      subject s = subject_new(6002, 3, rep % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, TYPES_ALL, 2,
                              (jn_representation)rep, (jn_formulation)form);
      for (int i = 0; i < call_count; i++) {
        const jn_settings *now = jn_data_settings(s.r.data), was = *now;
        done += call_run(&s, &calls[i]) == JN_OK;
        if (now->representation != was.representation || now->formulation != was.formulation ||
            now->damping != was.damping || now->strict != was.strict ||
            now->gravity.z != was.gravity.z)
          fail_msg("%s changes the settings", calls[i].name);
      }
      subject_free(&s);
    }
  assert_true(done > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_public_function_is_watched_or_set_up),
      cmocka_unit_test(data_is_one_allocation),
      cmocka_unit_test(no_call_changes_the_settings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
