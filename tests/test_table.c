/* test_table.c: tables as CSV, NPY and NPZ: round trips, other people's files, damage. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/rng.h"

static const char *const endings[] = {"t.csv", "t.npy", "t.npz"};

static jn_table *random_table(uint64_t seed, int rows, int columns) {
  rng r = rng_new(seed);
  jn_table *t;
  assert_ok(jn_table_new(rows, columns, NULL, &t));
  for (int i = 0; i < rows * columns; i++)
    t->values[i] = rng_range(&r, -1, 1) * pow(10, rng_below(&r, 600) - 300);
  if (rows * columns > 3)
    t->values[1] = 0, t->values[2] = 5e-324, t->values[3] = -1.7976931348623157e308;
  for (int i = 0; i < columns; i++)
    snprintf(t->names[i], JN_COLUMN_NAME, i == 1 ? "a \"b\", c;d" : "column%d", i);
  return t;
}

static void every_format_reads_back_bit_for_bit(void **state) {
  (void)state;
  for (int rows = 0; rows < 40; rows += 13)
    for (int f = 0; f < 3; f++) {
      jn_table *t = random_table((uint64_t)rows, rows, 5), *u;
      jn_error error = {0};
      assert_ok(jn_table_save(t, temporary(endings[f]), &error));
      if (jn_table_load(temporary(endings[f]), NULL, &u, &error)) fail_msg("%s", error.message);
      assert_true(u->rows == rows && u->columns == 5);
      assert_true(same_bits(t->values, u->values, (size_t)rows * 5));
      for (int i = 0; i < 5; i++)
        assert_string_equal(u->names[i], f == JN_TABLE_NPY ? "" : t->names[i]);
      assert_int_equal(jn_table_find(u, "column3"), f == JN_TABLE_NPY ? -1 : 3);
      jn_table_free(t), jn_table_free(u);
    }
}

static jn_status parse(jn_table_format format, const char *text, jn_table **t, jn_error *error) {
  return jn_table_parse(format, text, strlen(text), "x.csv", NULL, t, error);
}

static void csv_of_other_programs(void **state) {
  (void)state;
  static const char *const good[] = {
      "t,a,b\n0,1,2\n1,3,4\n",
      "\xef\xbb\xbft,a,b\r\n0,1,2\r\n1,3,4\r\n",
      "# made by hand\n\nt, a , \"b\"\n0, 1, +2.0e0\n\n1,3,4",
      "t;a;b\n0;1;2\n1;3;4\n",
      "t\ta\tb\n0\t1\t2\n1\t3\t4\n",
      "0,1,2\n1,3,4\n",
  };
  const double want[6] = {0, 1, 2, 1, 3, 4};
  for (size_t i = 0; i < COUNT(good); i++) {
    jn_table *t;
    jn_error error = {0};
    if (parse(JN_TABLE_CSV, good[i], &t, &error)) fail_msg("%zu: %s", i, error.message);
    assert_true(t->rows == 2 && t->columns == 3 && same_bits(t->values, want, 6));
    assert_int_equal(jn_table_find(t, "b"), i == 5 ? -1 : 2);
    jn_table_free(t);
  }
}

static void bad_csv_is_refused_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"", "no line of numbers"},
      {"t,a\n0,1\n1\n", "x.csv:3: 2 numbers expected"},
      {"t,a\n0,1\n1,2,3\n", "x.csv:3: more than"},
      {"t,a\n0,1\n\n1,x\n", "x.csv:4: column 2: 'x'"},
      {"t,a\n0,\n", "x.csv:2: column 2: '': a number is missing"},
      {"t,a\n0,nan\n", "numbers must be finite"},
      {"t,a\n0,1e999\n", "too large"},
      {"t,a\n0,0x10\n", "hexadecimal"},
      {"t,a,t\n0,1,2\n", "x.csv:1: column 't' is named twice"},
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    jn_table *t = NULL;
    jn_error error = {0};
    assert_true(parse(JN_TABLE_CSV, bad[i].text, &t, &error) != JN_OK);
    assert_null(t);
    if (!strstr(error.message, bad[i].words)) fail_msg("%s", error.message);
  }
  jn_table *t = NULL;
  jn_error error = {0};
  assert_status(jn_table_parse(JN_TABLE_CSV, "t\0a\n", 4, "x", NULL, &t, &error), JN_ERR_SYNTAX);
  assert_status(jn_table_load("x.txt", NULL, &t, &error), JN_ERR_FILE);
  assert_status(jn_table_load("/nonexistent/x.csv", NULL, &t, &error), JN_ERR_FILE);
  assert_status(jn_table_new(JN_MAX_SAMPLES + 1, 1, NULL, &t), JN_ERR_LIMIT);
  assert_status(jn_table_new(1, JN_MAX_COLUMNS + 1, NULL, &t), JN_ERR_LIMIT);
}

/* An NPY file with a header of our choice. */
static size_t make_npy(char *out, const char *header, const void *data, size_t size) {
  size_t n = strlen(header);
  memcpy(out, "\x93NUMPY\x01\x00", 8);
  out[8] = (char)(n & 0xff), out[9] = (char)(n >> 8);
  memcpy(out + 10, header, n);
  memcpy(out + 10 + n, data, size);
  return 10 + n + size;
}

static void npy_types_orders_and_shapes(void **state) {
  (void)state;
  static const unsigned char big[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
  static const unsigned char small[] = {0xff, 0xff, 0x05, 0x00};
  const float single[2] = {1.5f, -2};
  const double six[6] = {1, 2, 3, 4, 5, 6};
  char b[512];
  jn_table *t;
  jn_error e = {0};
  struct {
    const char *header;
    const void *data;
    size_t size;
    int rows, columns;
    double first, last;
  } good[] = {
      {"{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }\n", big, 16, 2, 1, 1.5, -2},
      {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }\n", small, 4, 2, 1, -1, 5},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}\n", single, 8, 1, 2, 1.5, -2},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n", six, 48, 3, 2, 1, 6},
  };
  for (size_t i = 0; i < COUNT(good); i++) {
    size_t n = make_npy(b, good[i].header, good[i].data, good[i].size);
    if (jn_table_parse(JN_TABLE_NPY, b, n, "x.npy", NULL, &t, &e)) fail_msg("%s", e.message);
    assert_true(t->rows == good[i].rows && t->columns == good[i].columns);
    assert_true(t->values[0] == good[i].first &&
                t->values[t->rows * t->columns - 1] == good[i].last);
    jn_table_free(t);
  }
  size_t n = make_npy(b, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }\n", six, 48);
  assert_ok(jn_table_parse(JN_TABLE_NPY, b, n, "x.npy", NULL, &t, &e));
  assert_true(t->values[1] == 4 && t->values[2] == 2);
  jn_table_free(t);
  static const char *const bad[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }\n",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2), }\n",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }\n",
      "{'descr': '<c16', 'fortran_order': False, 'shape': (3, 1), }\n",
      "{'descr': [('t', '<f8')], 'fortran_order': False, 'shape': (3,), }\n",
      "{'descr': '<f8', 'fortran_order': False, }\n",
      "{'descr': '<f9', 'shape': (3,), }\n",
      "",
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    n = make_npy(b, bad[i], six, 48);
    t = NULL;
    assert_true(jn_table_parse(JN_TABLE_NPY, b, n, "x.npy", NULL, &t, &e) != JN_OK);
    assert_null(t);
  }
  assert_status(jn_table_parse(JN_TABLE_NPY, "hello", 5, "x.npy", NULL, &t, &e), JN_ERR_SYNTAX);
}

/* Every byte of an archive changed, and every length: refused or read, never a crash or a leak. */
static void damaged_files_are_refused_or_read(void **state) {
  (void)state;
  counter c;
  jn_allocator hooks = counting(&c);
  long refused = 0, read = 0;
  for (int f = 0; f < 3; f++) {
    jn_table *t = random_table(3, 4, 3);
    size_t size;
    assert_ok(jn_table_save(t, temporary(endings[f]), NULL));
    jn_table_free(t);
    char *bytes = slurp(temporary(endings[f]), &size);
    for (size_t i = 0; i < size; i++)
      for (int k = 0; k < 4; k++) {
        char was = bytes[i], *cut;
        jn_error error = {0};
        t = NULL;
        bytes[i] = (char)(k == 0 ? 0xff : k == 1 ? 0 : was ^ (1 << (i % 8)));
        size_t n = k == 3 ? i : size;
        if (k == 3) bytes[i] = was;
        cut = malloc(n + 1); /* so that a sanitizer sees reads beyond the end */
        memcpy(cut, bytes, n);
        jn_status status =
            jn_table_parse((jn_table_format)f, cut, n, "damaged", &hooks, &t, &error);
        assert_true((status == JN_OK) == (t != NULL));
        assert_true(status == JN_OK || error.message[0]);
        *(status ? &refused : &read) += 1;
        jn_table_free(t);
        free(cut);
        bytes[i] = was;
      }
    free(bytes);
  }
  printf("  %ld refused, %ld read\n", refused, read);
  assert_true(refused > 500 && read > 500);
  assert_int_equal(c.live, 0);
}

static void the_same_where_the_decimal_point_is_a_comma(void **state) {
  (void)state;
  void (*const again[])(void **) = {every_format_reads_back_bit_for_bit, csv_of_other_programs};
  with_comma_locale(again, COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_reads_back_bit_for_bit),
      cmocka_unit_test(csv_of_other_programs),
      cmocka_unit_test(bad_csv_is_refused_with_its_line),
      cmocka_unit_test(npy_types_orders_and_shapes),
      cmocka_unit_test(damaged_files_are_refused_or_read),
      cmocka_unit_test(the_same_where_the_decimal_point_is_a_comma),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
