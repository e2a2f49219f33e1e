/* test_io_damage.c: damaged texts, failed allocations, threads: refused or accepted, never a crash,
 * never a leak. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/rng.h"
#include "io/text.h"

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

static void every_prefix_is_handled(void **state) {
  (void)state;
  int accepted = 0;
  size_t size;
  /* each prefix in a block of exactly its size, so that reading past its end is detected */
  for (size_t n = 0; n <= strlen(urdf_sample); n++) {
    char *part = malloc(n + (n == 0));
    memcpy(part, urdf_sample, n);
    try_everything(jn_spec_parse_urdf, part, n, &accepted);
    free(part);
  }
  char *json = slurp(JSON_SAMPLE, &size);
  for (size_t n = 0; n <= size; n++) {
    char *part = malloc(n + (n == 0));
    memcpy(part, json, n);
    try_everything(jn_spec_parse_json, part, n, &accepted);
    free(part);
  }
  free(json);
  char *mjcf = slurp(MJCF_SAMPLE, &size);
  for (size_t n = 0; n <= size; n++) {
    char *part = malloc(n + (n == 0));
    memcpy(part, mjcf, n);
    try_everything(jn_spec_parse_mjcf, part, n, &accepted);
    free(part);
  }
  free(mjcf);
  char *xacro = slurp(XACRO_SAMPLE, &size);
  for (size_t n = 0; n <= size; n++) {
    char *part = malloc(n + (n == 0));
    memcpy(part, xacro, n);
    try_everything(jn_spec_parse_xacro, part, n, &accepted);
    free(part);
  }
  free(xacro);
  assert_true(accepted >= 4);
}

static void flipped_bytes_are_handled(void **state) {
  (void)state;
  static const char tokens[][8] = {"<",       ">", "\"", "/>",   "nan", "1e999", "-",    "{",
                                   "}",       "[", "]",  ",",    ":",   "null",  "true", "&#0;",
                                   "\\u0000", "0", "'",  "<!--", "e",   "\n"};
  rng r = rng_new(20240229);
  int accepted = 0;
  static parser *const parsers[] = {jn_spec_parse_urdf, jn_spec_parse_json, jn_spec_parse_mjcf,
                                    jn_spec_parse_xacro};
  size_t json_size, mjcf_size, xacro_size;
  char *json = slurp(JSON_SAMPLE, &json_size), *mjcf = slurp(MJCF_SAMPLE, &mjcf_size),
       *xacro = slurp(XACRO_SAMPLE, &xacro_size);
  for (int round = 0; round < 12000; round++) {
    const char *const samples[] = {urdf_sample, json, mjcf, xacro}, *from = samples[round % 4];
    const size_t sizes[] = {strlen(urdf_sample), json_size, mjcf_size, xacro_size};
    size_t size = sizes[round % 4];
    char *text = malloc(size + 64);
    memcpy(text, from, size);
    int edits = 1 + rng_below(&r, 3);
    for (int e = 0; e < edits; e++) {
      size_t at = rng_bits(&r) % size;
      int kind = rng_below(&r, 4);
      if (kind == 0) {
        text[at] = (char)(text[at] ^ (1 << rng_below(&r, 8)));
      } else if (kind == 1) {
        text[at] = (char)rng_bits(&r);
      } else if (kind == 2) { /* delete */
        size_t n = 1 + rng_bits(&r) % 8;
        if (n > size - at) n = size - at;
        memmove(text + at, text + at + n, size - at - n);
        size -= n;
        if (size == 0) break;
      } else { /* insert */
        const char *token = tokens[rng_bits(&r) % COUNT(tokens)];
        memmove(text + at + strlen(token), text + at, size - at);
        memcpy(text + at, token, strlen(token));
        size += strlen(token);
      }
    }
    char *exact = malloc(size + (size == 0));
    memcpy(exact, text, size);
    try_everything(parsers[round % 4], exact, size, &accepted);
    free(exact);
    free(text);
  }
  free(json);
  free(mjcf);
  free(xacro);
  print_message("           %d of 9000 still a model\n", accepted);
  assert_true(accepted > 0);
}

static void every_failed_allocation_is_survived(void **state) {
  (void)state;
  static const char *const paths[] = {"sample.urdf",
                                      TEST_DATA "/odd/extensions.json",
                                      TEST_DATA "/odd/listed_joints.json",
                                      TEST_DATA "/odd/wild.urdf",
                                      "quadruped",
                                      "tilthex:3x4",
                                      "tilthex:1x20",
                                      "chain:40",
                                      "arm7"};
  put("sample.urdf", urdf_sample);
  for (size_t i = 0; i < COUNT(paths); i++) {
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
    /* lint as well: the findings so far are kept */
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

static void *parse_in_a_thread(void *context) {
  size_t size;
  char *json = slurp(JSON_SAMPLE, &size);
  for (int i = 0; i < 200; i++) {
    counter c;
    jn_allocator hooks = counting(&c);
    jn_spec *spec = NULL;
    if (jn_spec_parse_urdf(urdf_sample, strlen(urdf_sample), "t", &hooks, &spec, NULL) == JN_OK)
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

/* an allocator hook that itself parses a URDF text does not disturb the outer parser */
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
  assert_int_equal(jn_spec_parse_urdf(urdf_sample, strlen(urdf_sample), "t", &hooks, &spec, NULL),
                   JN_OK);
  jn_spec_free(spec);
  assert_int_equal(c.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_prefix_is_handled),
      cmocka_unit_test(flipped_bytes_are_handled),
      cmocka_unit_test(every_failed_allocation_is_survived),
      cmocka_unit_test(threads_load_side_by_side),
      cmocka_unit_test(a_hook_may_load_a_model_itself),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
