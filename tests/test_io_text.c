/* test_io_text.c: numbers, words and messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/files.h"
#include "helpers/rng.h"
#include "io/number.h"
#include "io/text.h"

static void numbers_with_commas_have_one_between_each_two(void **state) {
  (void)state;
  static const char *const bad[] = {"",       "1,2",    "1,2,3,", "1,2,3,4", "1,5 2",     "1 2,3",
                                    ",1,2,3", "1,,2,3", "1;2;3",  "1,2,nan", "1,2,1e999", "1,2,x"};
  double x[3] = {0, 0, 0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_true(jn_read_comma_numbers(bad[i], 3, x) > NUMBER_UNDERFLOW);
  assert_int_equal(jn_read_comma_numbers(" 1, -2.5e0 ,\n.5 ", 3, x), NUMBER_OK);
  assert_true(x[0] == 1 && x[1] == -2.5 && x[2] == 0.5);
  assert_int_equal(jn_read_comma_numbers("1,2,1e-400", 3, x), NUMBER_UNDERFLOW);
}

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
  for (size_t i = 0; i < COUNT(good); i++) {
    double x = nan("");
    number_result result = jn_read_numbers(good[i].text, 1, &x, NULL);
    assert_true(result == NUMBER_OK || result == NUMBER_UNDERFLOW);
    assert_memory_equal(&x, &good[i].value, sizeof x);
  }
  static const char *const bad[] = {
      "",      " ",      "x",   "1x",    "0x10", "0x1p3",    "nan", "NaN",   "inf", "-Infinity",
      "1,5",   "1e",     "1e+", ".",     "+",    "-",        "--1", "1e5.0", "1 2", "1_000",
      "1e999", "-1e999", "1f",  "1.0.0", "e5",   "\xd9\xa1", "1\v", "${x}"};
  for (size_t i = 0; i < COUNT(bad); i++) {
    double x = 3;
    const char *at;
    number_result result = jn_read_numbers(bad[i], 1, &x, &at);
    if (result == NUMBER_OK || result == NUMBER_UNDERFLOW) fail_msg("'%s' was accepted", bad[i]);
    assert_true(strlen(jn_number_complaint(result, at)) > 0);
  }
  /* 17 digits read back as the same bits, at every magnitude */
  rng r = rng_new(1);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = rng_bits(&r);
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
  /* two swapped letters are one edit, two more letters are two */
  static const char *const alike[] = {"abdcxy", "bacdxy", "acbdxy", "abcd", NULL};
  assert_string_equal(jn_nearest_word("abdc", alike), "abcd");
  assert_string_equal(jn_nearest_word("bacd", alike), "abcd");
  assert_string_equal(jn_nearest_word("acbd", alike), "abcd");
  static const char *const long_words[] = {"a_word_of_more_than_two_dozens", "inertia", NULL};
  assert_string_equal(jn_nearest_word("inertja", long_words), "inertia");
  assert_null(jn_nearest_word("a_word_of_more_than_two_dozen", long_words));
  static const char *const longest[] = {"a_word_of_two_dozen_char",
                                        NULL}; /* 24 letters, compared */
  assert_string_equal(jn_nearest_word("a_word_of_two_dozen_chaz", longest), longest[0]);
  assert_string_equal(jn_nearest_word("b_word_of_two_dozen_cha", longest), longest[0]);
  assert_true(
      jn_is_utf8("r\xc3\xb6"
                 "bot \xe6\x89\x8b \xf0\x9f\xa6\xbe"));
  assert_false(jn_is_utf8("\xff"));
  assert_false(jn_is_utf8("\xc0\x80"));
  assert_false(jn_is_utf8("\xed\xa0\x80"));
  assert_false(jn_is_utf8("\xe6\x89"));
  assert_true(
      jn_is_utf8("\xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"));
  assert_false(jn_is_utf8("\xe0\x9f\xbf"));
  assert_false(jn_is_utf8("\xed\xbf\xbf"));
  assert_false(jn_is_utf8("\xf0\x8f\xbf\xbf"));
  assert_false(jn_is_utf8("\xf4\x90\x80\x80"));
}

static void edits_between_words_are_counted(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    int exact, folded;
  } words[] = {{"", "", 0, 0},         {"", "abc", 3, 3},        {"mass", "mass", 0, 0},
               {"mass", "MASS", 4, 0}, {"mass", "mas", 1, 1},    {"mass", "amss", 1, 1},
               {"mass", "Maas", 2, 1}, {"order", "oredr", 1, 1}, {"kitten", "sitting", 3, 3}};
  for (size_t i = 0; i < COUNT(words); i++) {
    assert_int_equal(jn_edit_distance(words[i].a, words[i].b, 0), words[i].exact);
    assert_int_equal(jn_edit_distance(words[i].b, words[i].a, 1), words[i].folded);
  }
  char name[JN_MAX_NAME + 2];
  memset(name, 'a', sizeof name);
  name[JN_MAX_NAME] = '\0';
  assert_int_equal(jn_edit_distance(name, "a", 0), JN_MAX_NAME - 1);
  name[JN_MAX_NAME] = 'a', name[JN_MAX_NAME + 1] = '\0';
  assert_int_equal(jn_edit_distance(name, name, 0), JN_MAX_NAME);
}

/* What a writer writes: as JSON, else as a field of CSV. */
static void assert_written(const char *text, int json, const char *want) {
  char *got = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&got, &size);
  assert_non_null(file);
  if (json)
    assert_int_equal(jn_write_string(file, text), jn_is_utf8(text));
  else
    jn_write_cell(file, text, ",\"\n");
  assert_int_equal(fclose(file), 0);
  assert_string_equal(got, want);
  free(got);
}

static void names_are_written_so_that_they_read_back(void **state) {
  (void)state;
  assert_written("elbow", 1, "\"elbow\"");
  assert_written("a\"b\\c", 1, "\"a\\\"b\\\\c\"");
  assert_written("tab\tbell\x07 end\x7f", 1, "\"tab\\u0009bell\\u0007 end\\u007f\"");
  assert_written("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 1,
                 "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  /* not shown: escaped, beyond 16 bits as two */
  assert_written("\xe2\x80\x8b\xf3\xa0\x80\x81\xf3\xa0\x81\xbf", 1,
                 "\"\\u200b\\udb40\\udc01\\udb40\\udc7f\"");
  /* bytes that are not UTF-8: alone, overlong, surrogate, cut, beyond the last character */
  assert_written("\xff", 1, "\"\\ufffd\"");
  assert_written("\xc0\xaf", 1, "\"\\ufffd\\ufffd\"");
  assert_written("\xed\xa0\x80", 1, "\"\\ufffd\\ufffd\\ufffd\"");
  assert_written("a\xe2\x82", 1, "\"a\\ufffd\\ufffd\"");
  assert_written("\xf4\x90\x80\x80", 1, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
  assert_written("elbow", 0, "elbow");
  assert_written("a,b", 0, "\"a,b\"");
  assert_written("a\"b", 0, "\"a\"\"b\"");
}

static void a_message_is_complete_and_has_no_control_characters(void **state) {
  (void)state;
  jn_error error;
  jn_fail(&error, JN_ERR_MODEL, "a.urdf", 7, "link '%s': x", "e\033[2Jvil\n");
  assert_string_equal(error.message, "a.urdf:7: link 'e?[2Jvil?': x");
  assert_int_equal(error.line, 7);
  /* what is not shown: soft hyphen, zero width, word joiner, byte order mark, tags */
  static const char *const hidden[] = {"\xc2\xad",         "\xe2\x80\x8b",    "\xe2\x81\xa0",
                                       "\xe2\x81\xaf",     "\xef\xbb\xbf",    "\xe1\xa0\x8e",
                                       "\xf3\xa0\x80\x80", "\xf3\xa0\x81\xbf"};
  for (size_t i = 0; i < COUNT(hidden); i++) {
    jn_fail(&error, JN_ERR_MODEL, NULL, 0, "a%sb", hidden[i]);
    assert_string_equal(error.message, "a?b");
  }
  /* their neighbours, and the joiners that words and signs need */
  static const char shown[] =
      "\xc2\xac\xc2\xae\xe2\x80\x8a\xe2\x80\x8c\xe2\x80\x8d\xe2\x81\x9f"
      "\xe2\x81\xb0\xef\xbb\xbe\xf3\x9f\xbf\xbf\xf3\xa0\x82\x80";
  jn_fail(&error, JN_ERR_MODEL, NULL, 0, "%s", shown);
  assert_string_equal(error.message, shown);
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

/* Messages, findings and numbers of files; the locale of the caller is his again. */
static void numbers_are_written_with_a_point(void **state) {
  (void)state;
  jn_error error = {0};
  char text[NUMBER_TEXT], here[8];
  snprintf(here, sizeof here, "%.1f", 0.5);
  jn_fail(&error, JN_ERR_MODEL, "file", 3, "%g, %.3f and %s", -2.5, 1e3, "1,5");
  assert_string_equal(error.message, "file:3: -2.5, 1000.000 and 1,5");
  assert_string_equal(jn_write_number(6.25e-9, 9, text), "6.25e-09");
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("s", NULL, &spec));
  assert_ok(jn_note(spec, JN_NOTE, 4, "a mass of %g kg", 0.25));
  assert_string_equal(jn_spec_finding(spec, 0).text, "a mass of 0.25 kg");
  jn_spec_free(spec);
  snprintf(text, sizeof text, "%.1f", 0.5);
  assert_string_equal(text, here);
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static void (*const again[])(void **) = {numbers_are_read_strictly,
                                           numbers_with_commas_have_one_between_each_two,
                                           numbers_are_written_with_a_point};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_with_commas_have_one_between_each_two),
      cmocka_unit_test(numbers_are_read_strictly),
      cmocka_unit_test(near_words_are_found),
      cmocka_unit_test(edits_between_words_are_counted),
      cmocka_unit_test(names_are_written_so_that_they_read_back),
      cmocka_unit_test(a_message_is_complete_and_has_no_control_characters),
      cmocka_unit_test(numbers_are_written_with_a_point),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
