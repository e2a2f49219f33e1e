/* test_io_broken.c: broken files are refused with status, line (0: any) and words of the message.
 */
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

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static void (*const again[])(void **) = {broken_files_are_refused_with_place_and_reason};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_files_are_refused_with_place_and_reason),
      cmocka_unit_test(every_broken_file_is_in_the_table),
      cmocka_unit_test(lint_stands_broken_files),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
