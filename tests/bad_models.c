/* bad_models.c: models with one fault each are refused with status, line and message, and no memory
 * is lost; odd but valid ones are accepted. The models are the files of data/broken and data/odd,
 * and texts made by the table data/faults.inc. Prints a line for the scorecard. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

#include "data/faults.inc"

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

/* ---- texts made from the table */

static int made_refused, made_accepted, made_once_refused, made_once_accepted;

/* The valid text. If `slot` >= 0 that slot is replaced by `put`, and its owner and line are given.
 * Free with free(). */
static char *fill_slots(const char *template, int slot, const char *put, char owner[64],
                        int *line) {
  char *text = malloc(strlen(template) + 64), *to = text;
  int count = 0;
  if (!text) fail_msg("out of memory");
  *line = 1;
  for (const char *c = template; *c; c++) {
    if (*c == '\n' && count <= slot) ++*line;
    if (*c != '@') {
      *to++ = *c;
      continue;
    }
    const char *bar = strchr(c, '|'), *end = strchr(bar, '@');
    if (count++ == slot) {
      size_t n = strcspn(c + 1, ".|");
      snprintf(owner, 64, "%.*s", (int)n, c + 1);
      to += sprintf(to, "%s", put);
    } else {
      to += sprintf(to, "%.*s", (int)(end - bar - 1), bar + 1);
    }
    c = end;
  }
  *to = '\0';
  return text;
}

static int line_at(const char *text, const char *place) {
  int line = 1;
  for (; text < place; text++) line += *text == '\n';
  return line;
}

/* Parses and builds; frees the result. */
static jn_status try_text(int format, const char *text, jn_error *error, long *lost) {
  counter c;
  jn_allocator hooks = counting(&c);
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  parser *parse = format == URDF ? jn_spec_parse_urdf : jn_spec_parse_json;
  memset(error, 0, sizeof *error);
  jn_status status = parse(text, strlen(text), "made", &hooks, &spec, error);
  if (status != JN_OK && spec != NULL) fail_msg("half a spec: %s", error->message);
  if (status == JN_OK) status = jn_model_build(spec, NULL, &hooks, &model, error);
  if (status != JN_OK && model != NULL) fail_msg("half a model: %s", error->message);
  jn_model_free(model);
  jn_spec_free(spec);
  *lost = c.live;
  return status;
}

/* Is the text refused with this status, line (0: any) and message? */
static int refused(int format, const char *text, const char *fault, jn_status want, int line,
                   const char *words) {
  jn_error error;
  long lost;
  char place[32] = "made:";
  if (line > 0) snprintf(place, sizeof place, "made:%d: ", line);
  jn_status status = try_text(format, text, &error, &lost);
  if (status == want && error.status == want && lost == 0 && (line == 0 || error.line == line) &&
      strncmp(error.message, place, strlen(place)) == 0 && strstr(error.message, words) != NULL)
    return 1;
  print_error("%s: want '%s' at line %d with \"%s\"; got '%s', %ld blocks lost: %s\n", fault,
              jn_status_text(want), line, words, jn_status_text(status), lost, error.message);
  return 0;
}

/* every slot with every text that is not a number */
static void text_that_is_not_a_number_is_refused_in_every_slot(void **state) {
  (void)state;
  int wrong = 0;
  for (int format = URDF; format <= JSON; format++) {
    const char *template = format == URDF ? urdf_template : json_template, *at = template;
    for (int slot = 0; (at = strchr(at, '@')) != NULL; slot++) {
      const char *bar = strchr(at, '|');
      const int vector = format == URDF ? strcspn(bar, " ") < strcspn(bar, "@") : bar[1] == '[';
      const char *const *list = format == URDF ? vector ? urdf_no_vector : urdf_no_number
                                : vector       ? json_no_vector
                                               : json_no_number;
      const size_t count = format == URDF ? vector ? COUNT(urdf_no_vector) : COUNT(urdf_no_number)
                           : vector ? COUNT(json_no_vector)
                                          : COUNT(json_no_number);
      for (size_t i = 0; i < count; i++) {
        char owner[64], words[80], fault[200];
        int line;
        char *text = fill_slots(template, slot, list[i], owner, &line);
        /* a syntax error of JSON names no owner */
        const int syntax = format == JSON && strchr("N0+.1", list[i][0]) != NULL && !vector;
        /* "joint 'elbow': ..."; a key at the top: "made:2: gravity..." */
        const int owned = memchr(at, '.', (size_t)(bar - at)) != NULL;
        snprintf(words, sizeof words, owned ? "'%s'" : ": %s", owner);
        snprintf(fault, sizeof fault, "%s %.*s = %s", format == URDF ? "URDF" : "JSON",
                 (int)(bar - at - 1), at + 1, list[i]);
        if (refused(format, text, fault, JN_ERR_SYNTAX, line,
                    syntax || strstr(list[i], "1e999") ? "" : words))
          made_refused++;
        else
          wrong++;
        free(text);
      }
      at = strchr(bar, '@') + 1;
    }
  }
  assert_int_equal(wrong, 0);
}

static char *edit(int format, const char *find, const char *put, int *line) {
  char owner[64];
  int unused;
  char *text = fill_slots(format == URDF ? urdf_template : json_template, -1, "", owner, &unused);
  char *at = strstr(text, find);
  if (!at) fail_msg("\"%s\" is not in the template", find);
  char *made = malloc(strlen(text) + strlen(put) + 1);
  if (!made) fail_msg("out of memory");
  sprintf(made, "%.*s%s%s", (int)(at - text), text, put, at + strlen(find));
  *line = line_at(text, at);
  free(text);
  return made;
}

static void texts_with_one_fault_are_refused(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < COUNT(faults); i++) {
    const struct fault *f = &faults[i];
    int line, unused;
    char *text = edit(f->format, f->find, f->put, &line);
    if (f->at) {
      char *whole = edit(f->format, f->find, f->find, &unused), *place = strstr(whole, f->at);
      if (!place) fail_msg("\"%s\" is not in the template", f->at);
      line = f->at[0] ? line_at(whole, place) : 0;
      free(whole);
    }
    if (refused(f->format, text, f->put, f->status, line, f->words))
      made_refused++;
    else
      wrong++;
    free(text);
  }
  assert_int_equal(wrong, 0);
}

static void odd_texts_are_accepted(void **state) {
  (void)state;
  int wrong = 0;
  for (int i = -2; i < (int)COUNT(oddities); i++) {
    jn_error error;
    long lost;
    int line;
    /* -2, -1: the valid texts themselves */
    char *text = i < 0 ? edit(i + 2, "name", "name", &line)
                       : edit(oddities[i].format, oddities[i].find, oddities[i].put, &line);
    jn_status status = try_text(i < 0 ? i + 2 : oddities[i].format, text, &error, &lost);
    if (status == JN_OK && lost == 0)
      made_accepted++;
    else
      print_error("%s: %ld blocks lost; %s\n", i < 0 ? "template" : oddities[i].put, lost,
                  error.message),
          wrong++;
    free(text);
  }
  assert_int_equal(wrong, 0);
}

static int odd_files;

static void visit_odd(const char *path) {
  jn_model *model = NULL;
  if (strstr(path, "/parts") != NULL) return;    /* of other files */
  if (strchr(strrchr(path, '/'), '.') == NULL) { /* a folder */
    walk_folder(path, visit_odd);
    return;
  }
  jn_error error;
  if (jn_model_load(path, NULL, NULL, &model, &error) != JN_OK) fail_msg("%s", error.message);
  jn_model_free(model);
  odd_files++;
}

static void odd_files_are_accepted(void **state) {
  (void)state;
  walk_folder(TEST_DATA "/odd", visit_odd);
}

/* ---- files */

static int broken_files;

static void visit_broken(const char *path) {
  const char *name = strstr(path, "/broken/") + strlen("/broken/");
  if (strchr(name, '.') == NULL) {
    walk_folder(path, visit_broken);
    return;
  }
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

/* lint accepts every file that can be parsed, cycles included */
static void visit_lint(const char *path) {
  jn_spec *spec = NULL;
  if (strchr(strrchr(path, '/'), '.') == NULL) walk_folder(path, visit_lint);
  if (jn_spec_load(path, NULL, &spec, NULL) != JN_OK) return;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  jn_spec_free(spec);
}

static void lint_accepts_broken_files(void **state) {
  (void)state;
  walk_folder(TEST_DATA "/broken", visit_lint);
}

/* faults that only a program can make: matrices that are not rotations, and names with terminal
 * escape sequences */
static void invalid_poses_are_refused(void **state) {
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
  made_once_refused = made_refused, made_once_accepted = made_accepted;
  static void (*const again[])(void **) = {broken_files_are_refused_with_place_and_reason,
                                           texts_with_one_fault_are_refused, odd_texts_are_accepted,
                                           invalid_poses_are_refused};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_that_is_not_a_number_is_refused_in_every_slot),
      cmocka_unit_test(texts_with_one_fault_are_refused),
      cmocka_unit_test(odd_texts_are_accepted),
      cmocka_unit_test(odd_files_are_accepted),
      cmocka_unit_test(broken_files_are_refused_with_place_and_reason),
      cmocka_unit_test(every_broken_file_is_in_the_table),
      cmocka_unit_test(lint_accepts_broken_files),
      cmocka_unit_test(invalid_poses_are_refused),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  const int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  const int bad = made_once_refused + broken_files, odd = made_once_accepted + odd_files;
  printf(
      "score {\"line\": 11, \"measured\": \"%d refused with code, line and name, %d odd ones "
      "accepted\", "
      "\"target\": \"250 refused, 100 accepted, 0 half-built\", \"pass\": %s}\n",
      bad, odd, !failed && bad >= 250 && odd >= 100 ? "true" : "false");
  return failed;
}
