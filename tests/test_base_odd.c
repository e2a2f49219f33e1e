/* test_base_odd.c: the small tools at their limits: memory, texts, folders, files, JSON paths. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/block.h"
#include "base/fail.h"
#include "base/numbers.h"
#include "base/pool.h"
#include "base/temporary.h"
#include "io/file.h"
#include "io/json_reader.h"
#include "io/text.h"

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

static void memory_at_its_limits(void **state) {
  (void)state;
  counter c;
  const jn_allocator hooks = counting(&c);
  jn_arena arena = {0};
  assert_null(jn_arena_new(&arena, &hooks, SIZE_MAX - 8));
  assert_non_null(jn_arena_new(&arena, &hooks, 8));
  jn_arena_free(&arena, &hooks);
  /* a pool that gets no block takes from the hooks below */
  jn_pool pool = {.below = hooks};
  c.fail_at = c.calls + 1, c.fail_once = 1;
  jn_pool_reserve(&pool, 4096);
  assert_true(pool.block == NULL && pool.size == 0);
  const jn_allocator from = jn_pool_hooks(&pool);
  void *block = from.allocate(100, from.context);
  assert_non_null(block);
  assert_int_equal(c.live, 1);
  from.release(block, from.context);
  jn_pool_free(&pool);
  assert_int_equal(c.live, 0);
}

static void singular_matrices_have_no_factors(void **state) {
  (void)state;
  double A[6][6] = {{0}}, x[6];
  const double b[6] = {1, 2, 3, 4, 5, 6};
  int order[6];
  for (int i = 0; i < 6; i++) A[i][5 - i] = i + 1;
  assert_int_equal(jn_lu_factor(A, order, 0), 1);
  jn_lu_solve((const double(*)[6])A, order, b, x);
  for (int i = 0; i < 6; i++) assert_true(x[5 - i] == 1);
  for (int i = 0; i < 36; i++) A[i / 6][i % 6] = i / 6 == 3 || i % 6 == 2 ? 0 : 1.0 / (1 + i);
  assert_int_equal(jn_lu_factor(A, order, 1e-12), 0);
}

static void texts_that_are_cut_lose_half_a_letter(void **state) {
  (void)state;
  static const struct {
    const char *text, *clean;
  } cases[] = {{"ab\xe2\x82", "ab"},              /* two bytes of three */
               {"ab\xf0\x9f\x98", "ab"},          /* three of four */
               {"\xf8\x80\x80\x80\x80", "?????"}, /* no letter has five */
               {"ab\x80", "ab?"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[8];
    snprintf(text, sizeof text, "%s", cases[i].text);
    jn_clean_text(text, strlen(text) + 1);
    assert_string_equal(text, cases[i].clean);
  }
  char longer[JN_MAX_NAME + 2];
  memset(longer, 'x', JN_MAX_NAME + 1);
  longer[JN_MAX_NAME + 1] = '\0';
  assert_int_equal(jn_edit_distance(longer, "x", 0), JN_MAX_NAME);
  assert_int_equal(jn_edit_distance("x", longer, 0), JN_MAX_NAME);
  assert_int_equal(jn_edit_distance("x", "xy", 0), 1);
}

static void temporary_folders_are_where_the_environment_says(void **state) {
  (void)state;
  char path[600], top[600], *old = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
  snprintf(top, sizeof top, "%s", test_folder());
  assert_int_equal(setenv("TMPDIR", top, 1), 0);
  assert_true(temporary_folder("here", path, sizeof path));
  assert_memory_equal(path, top, strlen(top));
  assert_int_equal(rmdir(path), 0);
  assert_false(temporary_folder("here", path, strlen(top)));
  assert_int_equal(setenv("TMPDIR", "/none/such", 1), 0);
  assert_false(temporary_folder("here", path, sizeof path));
  for (int empty = 0; empty < 2; empty++) {
    if (empty)
      assert_int_equal(setenv("TMPDIR", "", 1), 0);
    else
      unsetenv("TMPDIR");
    assert_true(temporary_folder("jounce-here", path, sizeof path));
    assert_memory_equal(path, "/tmp/jounce-here-", 17);
    assert_int_equal(rmdir(path), 0);
  }
  if (old) setenv("TMPDIR", old, 1);
  free(old);
}

/* ---- files */

static void files_are_found_below_their_folder_only(void **state) {
  (void)state;
  char folder[JN_FILE_PATH], longest[JN_FILE_PATH + 10], path[JN_FILE_PATH], which[JN_FILE_PATH];
  const char *why;
  jn_named_file found;
  unsigned long long device = 7, inode = 7;
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  jn_file_folder("/model.urdf", folder);
  assert_string_equal(folder, "/");
  jn_file_identity(temporary("none"), &device, &inode);
  assert_true(device == 0 && inode == 0);
  /* the root holds all files */
  put("there.txt", "text");
  assert_null(jn_file_open_below("/", "/", temporary("there.txt") + 1, &found));
  fclose(found.stream);
  assert_string_equal(jn_file_open_below(test_folder(), test_folder(), "/etc/passwd", &found),
                      "an absolute path is not accepted: name it relative to the model");
  assert_string_equal(jn_file_open_below(test_folder(), test_folder(), longest, &found),
                      "the path is too long");
  const jn_folders none = {.count = 0};
  assert_string_equal(jn_file_open_in(&none, longest, &found), "the path is too long");
  assert_string_equal(jn_file_open_below(temporary("none"), ".", "x", &found),
                      "cannot open: no such file");
  static const char *const up[] = {"..", "a/..", "a/../b", "../b"};
  for (size_t i = 0; i < COUNT(up); i++) {
    assert_false(jn_file_below(temporary("x.json"), up[i], path, &why));
    assert_non_null(strstr(why, "only a file in the folder"));
  }
  static const char *const inside[] = {"a..b", "..a", "a.."};
  for (size_t i = 0; i < COUNT(inside); i++) {
    assert_false(jn_file_below(temporary("x.json"), inside[i], path, &why));
    assert_non_null(strstr(why, "no such file"));
  }
  assert_false(jn_file_below(NULL, "none-such-file-here", path, &why));
  /* lists of folders */
  jn_arena arena = {0};
  const jn_allocator hooks = jn_allocator_or_default(NULL);
  jn_folders tops = {.count = 0};
  assert_string_equal(jn_file_folders(&tops, &arena, &hooks, longest, NULL, which),
                      "the path is too long");
  growing_text list = {0};
  for (int i = 0; i < JN_MOST_FOLDERS + 1; i++) append(&list, "%s::", test_folder());
  assert_string_equal(jn_file_folders(&tops, &arena, &hooks, list.text, NULL, which),
                      "there are more than 63 folders");
  assert_int_equal(tops.count, JN_MOST_FOLDERS);
  jn_arena_free(&arena, &hooks);
  free(list.text);
}

static void paths_that_are_too_long_are_not_written(void **state) {
  (void)state;
  static const int lengths[] = {JN_FILE_PATH + 5, JN_FILE_PATH - 3, JN_FILE_PATH - 30};
  for (size_t i = 0; i < COUNT(lengths); i++) {
    char path[JN_FILE_PATH + 10];
    jn_file f;
    jn_error e = {0};
    for (int k = 0; k < lengths[i]; k++) path[k] = k % 100 ? 'x' : '/';
    path[lengths[i]] = '\0';
    assert_status(jn_file_open(&f, path, &e), JN_ERR_FILE);
    assert_non_null(strstr(e.message, "cannot write: "));
    assert_true(f.stream == NULL && f.temporary[0] == '\0');
    assert_status(jn_file_commit(&f, &e), JN_ERR_STATE); /* nothing is open */
    assert_status(jn_file_resume(&f, path, &e), JN_ERR_FILE);
    assert_true(f.stream == NULL && f.temporary[0] == '\0');
    jn_file_leave(&f);
  }
  setenv("JOUNCE_MAX_FILE", "1000", 1);
  jn_error e = {0};
  assert_status(jn_file_too_large(&e, "x", "the file is"), JN_ERR_LIMIT);
  unsetenv("JOUNCE_MAX_FILE");
  assert_non_null(strstr(e.message, "larger than 1000 MiB; set JOUNCE_MAX_FILE=1024 in"));
  assert_status(jn_file_too_large(&e, "x", "the file is"), JN_ERR_LIMIT);
  assert_non_null(strstr(e.message, "larger than 64 MiB; set JOUNCE_MAX_FILE=256 in"));
}

static void the_first_character_tells_the_format(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t size;
    jn_status status;
    const char *words;
  } cases[] = {{"\r\n\t {\"bodies\": [{\"name\": \"a\"}]}", 31, JN_OK, ""},
               {" \r\n\t ", 5, JN_ERR_SYNTAX, ""},
               {"\xfe\xff\0<", 4, JN_ERR_SYNTAX, ""},
               {"\xff\xfe<\0", 4, JN_ERR_SYNTAX, ""}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = NULL;
    jn_error e = {0};
    const jn_status status = jn_spec_parse(cases[i].text, cases[i].size, "x", NULL, &spec, &e);
    if (status != cases[i].status) fail_msg("case %zu: %s", i, e.message);
    assert_true((status == JN_OK) == (spec != NULL));
    jn_spec_free(spec);
  }
}

/* ---- JSON */

static void deep_values_have_the_end_of_their_path(void **state) {
  (void)state;
  enum { DEPTH = 40 };
  jn_json_text text = {0};
  jn_error e = {0};
  jn_json at[DEPTH + 1];
  char bytes[200] = "{\"x\": ", path[JN_JSON_PATH], want[JN_JSON_PATH] = "";
  for (int i = 0; i < DEPTH; i++) strcat(bytes, "[");
  for (int i = 0; i < DEPTH; i++) strcat(bytes, "]");
  strcat(bytes, "}");
  assert_ok(jn_json_open(&text, bytes, strlen(bytes), "a.json", NULL, &e));
  const jn_json root = jn_json_root(&text);
  at[0] = jn_json_member(&root, "x");
  for (int i = 1; i < DEPTH; i++) at[i] = jn_json_first(&at[i - 1]);
  jn_json_path(&at[20], path);
  assert_memory_equal(path, "x[0][0]", 7);
  jn_json_path(&at[DEPTH - 1], path); /* 32 values of it */
  for (int i = 0; i < 32; i++) strcat(want, "[0]");
  assert_string_equal(path, want);
  jn_json_close(&text);
}

static void long_lists_of_words_are_cut(void **state) {
  (void)state;
  const char *words[300];
  jn_json_text text = {0};
  jn_error e = {0};
  for (int i = 0; i < 299; i++) words[i] = "a_word_that_is_not_meant";
  words[299] = NULL;
  assert_ok(jn_json_open(&text, "{\"x\": \"y\"}", 10, "a.json", NULL, &e));
  const jn_json root = jn_json_root(&text), x = jn_json_member(&root, "x");
  assert_int_equal(jn_json_word(&x, words), -1);
  assert_true(e.status == JN_ERR_SYNTAX && strlen(e.message) < JN_MAX_MESSAGE);
  assert_non_null(strstr(e.message, "a_word_that_is_not_meant, a_word"));
  jn_json_close(&text);
}

/* ---- lint */

static void joints_without_one_coordinate_cannot_mimic(void **state) {
  (void)state;
  static const char *const types[][2] = {{"spherical", "continuous"}, {"continuous", "spherical"}};
  for (int i = 0; i < 2; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n"
             "<joint name='lead' type='%s'><parent link='a'/><child link='b'/></joint>\n"
             "<joint name='it' type='%s'><parent link='b'/><child link='c'/>"
             "<mimic joint='lead'/></joint></robot>",
             types[i][0], types[i][1]);
    jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
    assert_ok(jn_spec_lint(spec));
    assert_true(has_finding(spec, JN_WARNING, 3,
                            "joint 'it' cannot mimic 'lead', both need one coordinate"));
    jn_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_at_its_limits),
      cmocka_unit_test(singular_matrices_have_no_factors),
      cmocka_unit_test(texts_that_are_cut_lose_half_a_letter),
      cmocka_unit_test(temporary_folders_are_where_the_environment_says),
      cmocka_unit_test(files_are_found_below_their_folder_only),
      cmocka_unit_test(paths_that_are_too_long_are_not_written),
      cmocka_unit_test(the_first_character_tells_the_format),
      cmocka_unit_test(deep_values_have_the_end_of_their_path),
      cmocka_unit_test(long_lists_of_words_are_cut),
      cmocka_unit_test(joints_without_one_coordinate_cannot_mimic),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
