/* program.c: runs the program jounce, and handles the JSON that it reads and writes. */
#include "helpers/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "helpers/check.h"
#include "helpers/files.h"

char *output, *errors;
int judged_badly;

int program_set_up(void **state) { return make_folder(state); }

int program_tear_down(void **state) {
  free(output);
  free(errors);
  output = errors = NULL;
  return remove_folder(state);
}

int run(const char *format, ...) {
  char line[4096], command[8192];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  snprintf(command, sizeof command,
           "cd %s && jounce() { '%s' \"$@\"; } && { %s\n} >stdout.txt 2>stderr.txt", test_folder(),
           TEST_PROGRAM, line);
  int status = system(command);
  free(output);
  free(errors);
  output = slurp(temporary("stdout.txt"), NULL);
  errors = slurp(temporary("stderr.txt"), NULL);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void assert_clean(int status) {
  if (status != 0) {
    print_error("exit status %d: %s\n", status, errors);
    fail();
  }
}

json_t *parse(const char *text) {
  json_error_t error;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!root) {
    print_error("line %d: %s in\n%.300s\n", error.line, error.text, text);
    fail();
  }
  return root;
}

json_t *load_json(const char *directory, const char *name) {
  char path[2048];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  json_t *root = json_load_file(path, 0, NULL);
  assert_non_null(root);
  return root;
}

void save_json(const char *name, json_t *root) {
  assert_int_equal(json_dump_file(root, temporary(name), JSON_REAL_PRECISION(17)), 0);
}

json_t *item(const json_t *root, const char *a, const char *b) {
  json_t *found = json_object_get(root, a);
  if (b) found = json_object_get(found, b);
  if (!found) print_error("no '%s' '%s'\n", a, b ? b : "");
  assert_non_null(found);
  return found;
}

double at(const json_t *list, size_t i) { return json_number_value(json_array_get(list, i)); }

void compare(residual *r, const json_t *got, const json_t *want) {
  if (json_is_array(want)) {
    assert_true(json_is_array(got));
    assert_int_equal(json_array_size(got), json_array_size(want));
    for (size_t i = 0; i < json_array_size(want); i++) {
      compare(r, json_array_get(got, i), json_array_get(want, i));
    }
    return;
  }
  assert_true(json_is_number(got) && json_is_number(want));
  double w = json_number_value(want), d = fabs(json_number_value(got) - w);
  if (!(d <= r->difference)) r->difference = isnan(d) ? HUGE_VAL : d;
  if (fabs(w) > r->scale) r->scale = fabs(w);
}

double judge(const char *what, const residual *r, double tolerance) {
  double error = r->difference == 0 ? 0 : r->difference / (r->scale > 0 ? r->scale : 1);
  if (!(error <= tolerance)) {
    print_error("%s: %.3g of the largest entry, allowed %.3g\n", what, error, tolerance);
    judged_badly = 1;
  }
  return error;
}
