/* test_base.c: allocator hooks, the choice of the instruction set, truncated texts, random numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/cpu.h"
#include "base/fail.h"
#include "base/pool.h"
#include "helpers/check.h"

#include "../cli/random.h"

static void missing_hooks_are_malloc_and_free(void **state) {
  (void)state;
  int context;
  const jn_allocator none = {NULL, NULL, &context}, all = jn_allocator_or_default(NULL);
  const jn_allocator hooks = jn_allocator_or_default(&none);
  assert_true(hooks.allocate == all.allocate && hooks.release == all.release);
  assert_ptr_equal(hooks.context, &context);
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("r", &none, &spec));
  jn_spec_free(spec);
}

static void sizes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  const size_t half = (size_t)1 << (4 * sizeof(size_t));
  const jn_allocator hooks = jn_allocator_or_default(NULL);
  size_t product = 7;
  assert_true(jn_size_multiply(half, half - 1, &product) && product == half * (half - 1));
  assert_true(jn_size_multiply(SIZE_MAX, 0, &product) && product == 0);
  assert_true(jn_size_multiply(SIZE_MAX, 1, &product) && product == SIZE_MAX);
  assert_false(jn_size_multiply(half, half, &product));
  assert_false(jn_size_multiply(2, SIZE_MAX, &product));
  assert_null(jn_block_new(&hooks, half, half));
  void *block = jn_block_new(&hooks, 0, 8);
  assert_non_null(block);
  jn_block_free(&hooks, block);
}

/* A pool serves blocks from one allocation, the hooks below what does not fit; empty, it starts again. */
static void a_pool_is_one_block(void **state) {
  (void)state;
  jn_pool pool = {.below = jn_allocator_or_default(NULL)};
  const jn_allocator hooks = jn_pool_hooks(&pool);
  void *early = jn_block_new(&hooks, 3, 8); /* nothing reserved yet */
  assert_non_null(early);
  jn_block_free(&hooks, early);
  jn_pool_reserve(&pool, 1000);
  for (int round = 0; round < 2; round++) {
    char *a = jn_block_new(&hooks, 1, 65), *b = jn_block_new(&hooks, 100, 8);
    char *large = jn_block_new(&hooks, 100, 8);
    assert_true(a == pool.block && b == a + 128);
    assert_true(large && (large < pool.block || large >= pool.block + pool.size));
    memset(large, 1, 800);
    for (int i = 0; i < 800; i++) assert_true(b[i] == 0);
    memset(b, 2, 800); /* zeros again in the next round */
    jn_block_free(&hooks, a);
    jn_block_free(&hooks, large);
    assert_int_equal(pool.used, 128 + 832);
    jn_block_free(&hooks, b);
    assert_int_equal(pool.used, 0);
  }
  assert_null(jn_block_new(&hooks, SIZE_MAX, 1));
  jn_pool_reserve(&pool, 100); /* it is larger already */
  assert_int_equal(pool.size, 1000);
  jn_pool_free(&pool);
}

static void the_best_engine_that_runs_and_is_wanted_is_taken(void **state) {
  (void)state;
  static const struct {
    int can[JN_ISA_COUNT];
    const char *want;
    jn_isa get;
  } cases[] = {{{1, 1, 1}, NULL, JN_ISA_AVX512},      {{1, 1, 0}, NULL, JN_ISA_AVX2},
               {{1, 0, 0}, NULL, JN_ISA_PLAIN},       {{1, 1, 1}, "avx2", JN_ISA_AVX2},
               {{1, 1, 1}, "plain", JN_ISA_PLAIN},    {{1, 0, 0}, "avx512", JN_ISA_PLAIN},
               {{1, 1, 1}, "nonsense", JN_ISA_PLAIN}, {{1, 1, 1}, "", JN_ISA_AVX512}};
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_int_equal(jn_isa_pick(cases[i].can, cases[i].want), cases[i].get);
}

static void strictness_comes_from_the_environment(void **state) {
  (void)state;
  static const char *const on[] = {"1", "yes", "00"}, *const off[] = {"", "0"};
  const char *old = getenv("JOUNCE_STRICT");
  char *kept = old ? strdup(old) : NULL;
  for (size_t i = 0; i < COUNT(on); i++) {
    setenv("JOUNCE_STRICT", on[i], 1);
    assert_true(jn_strict_default());
  }
  for (size_t i = 0; i < COUNT(off); i++) {
    setenv("JOUNCE_STRICT", off[i], 1);
    assert_false(jn_strict_default());
  }
  unsetenv("JOUNCE_STRICT");
  assert_false(jn_strict_default());
  if (kept) setenv("JOUNCE_STRICT", kept, 1);
  free(kept);
}

static void a_truncated_text_ends_with_a_complete_character(void **state) {
  (void)state;
  static const struct {
    const char *text, *clean;
    size_t room;
  } cases[] = {{"a\xc3\xb6", "a\xc3\xb6", 4},
               {"a\xc3\xb6", "a\xc3\xb6", 5},
               {"a\xc3", "a", 3},
               {"a\xc2", "a", 3},
               {"a\xc3", "a?", 5},
               {"\xc3\x61", "?a", 3},
               {"a\xf0\x9f\xa4", "a", 5},
               {"\x80\x80\x80", "???", 4},
               {"", "", 1},
               {"\xe6\x89", "", 3},
               {"a\tb\x7f", "a?b?", 9}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[16];
    strcpy(text, cases[i].text);
    jn_clean_text(text, cases[i].room);
    assert_string_equal(text, cases[i].clean);
  }
}

/* every code below 0x20000 by its UTF-8 sequence; the others are not in use */
static void controls_of_terminals_are_replaced(void **state) {
  (void)state;
  static const uint32_t few[] = {0xad,   0x61c,  0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
                                 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2062,
                                 0x2063, 0x2064, 0x2065, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a,
                                 0x206b, 0x206c, 0x206d, 0x206e, 0x206f, 0xfeff};
  int replaced = 0;
  for (uint32_t code = 1; code < 0x20000; code++) {
    char text[8] = "", was[8];
    int n = 0;
    if (code >= 0xd800 && code <= 0xdfff) continue;
    if (code < 0x80) {
      text[n++] = (char)code;
    } else if (code < 0x800) {
      text[n++] = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
      text[n++] = (char)(0xe0 | code >> 12);
      text[n++] = (char)(0x80 | (code >> 6 & 63));
    } else {
      text[n++] = (char)(0xf0 | code >> 18);
      text[n++] = (char)(0x80 | (code >> 12 & 63));
      text[n++] = (char)(0x80 | (code >> 6 & 63));
    }
    if (code >= 0x80) text[n++] = (char)(0x80 | (code & 63));
    text[n] = '\0';
    strcpy(was, text);
    int control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    for (size_t i = 0; i < COUNT(few); i++) control |= code == few[i];
    jn_clean_text(text, sizeof text);
    if (strcmp(text, control ? "?" : was) != 0) fail_msg("U+%04X gives %s", (unsigned)code, text);
    replaced += control;
  }
  assert_int_equal(replaced, 31 + 33 + COUNT(few));
}

/* Every code of Unicode, encoded by arithmetic, is read back; surrogates, longer forms of short codes
 * and codes above the last are not. */
static void every_code_of_unicode_is_read(void **state) {
  (void)state;
  for (uint32_t code = 1; code < 0x120000; code++) {
    const int least = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    const int is_surrogate = code / 0x800 == 0xd800 / 0x800;
    for (int n = least; n <= (code % 97 ? least : 4); n++) {
      static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
      char text[8] = {0};
      uint32_t rest = code, found = 0;
      for (int i = n - 1; i > 0; i--) text[i] = (char)(0x80 + rest % 64), rest /= 64;
      text[0] = (char)(lead[n] + rest);
      const int good = n == least && !is_surrogate && code < 0x110000;
      assert_int_equal(jn_utf8(text, &found), good ? n : 0);
      if (good) assert_int_equal(found, code);
    }
    const int marks = code == 0xad || code == 0x61c || code == 0x180e || code == 0x200b ||
                      code == 0x200e || code == 0x200f || code - 0x2028 < 7 || code - 0x2060 < 16 ||
                      code == 0xfeff || code - 0xe0000 < 128;
    assert_int_equal(jn_is_control(code), code < 32 || code - 127 < 33 || marks);
  }
}

/* Numbers of the program are spread evenly over -1 ... 1: their mean, and that of their squares and of
 * products of neighbours. */
static void random_numbers_are_even(void **state) {
  (void)state;
  enum { MANY = 100000 };
  uint64_t seed = 1;
  double mean = 0, square = 0, product = 0, before = 0;
  for (int i = 0; i < MANY; i++) {
    const double x = cli_uniform(&seed);
    assert_true(x >= -1 && x < 1);
    mean += x / MANY, square += x * x / MANY, product += x * before / MANY;
    before = x;
  }
  check_residual("mean", fabs(mean), 0.01);
  check_residual("mean square", fabs(square - 1.0 / 3), 0.01);
  check_residual("products of neighbours", fabs(product), 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_hooks_are_malloc_and_free),
      cmocka_unit_test(sizes_that_do_not_fit_are_refused),
      cmocka_unit_test(the_best_engine_that_runs_and_is_wanted_is_taken),
      cmocka_unit_test(strictness_comes_from_the_environment),
      cmocka_unit_test(a_truncated_text_ends_with_a_complete_character),
      cmocka_unit_test(controls_of_terminals_are_replaced),
      cmocka_unit_test(a_pool_is_one_block),
      cmocka_unit_test(every_code_of_unicode_is_read),
      cmocka_unit_test(random_numbers_are_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
