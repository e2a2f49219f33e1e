/* test_table.c: tables as CSV, NPY and NPZ: round trips, files of other programs, damage. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/archive.h"
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
      "  t,a\t,b\t \n  # a remark\n   \n\t\n 0,1,2\t\n1,3,4\n",
      "0,1,2\n1,3,4\n",
  };
  const double want[6] = {0, 1, 2, 1, 3, 4};
  for (size_t i = 0; i < COUNT(good); i++) {
    jn_table *t;
    jn_error error = {0};
    if (parse(JN_TABLE_CSV, good[i], &t, &error)) fail_msg("%zu: %s", i, error.message);
    assert_true(t->rows == 2 && t->columns == 3 && same_bits(t->values, want, 6));
    assert_int_equal(jn_table_find(t, "b"), i == 6 ? -1 : 2);
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
      {"0,1\n1,1 2\n", "x.csv:2: column 2: '1 2': too many numbers"},
      {"1 2\nx\n", "x.csv:2: column 1: 'x': this is not a number"},
      {"0,1\n1,0.00000000000000000000000000000000000000000000000000000000000000000000000001\n",
       "x.csv:2: column 2"},
      {"0,0.00000000000000000000000000000000000000000000000000000000000000000000000001\n,1\n",
       "a number is missing"},
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
  char name[600] = "t,";
  memset(name + 2, 'n', 500);
  strcpy(name + 502, "\n0,1\n");
  assert_status(parse(JN_TABLE_CSV, name, &t, &error), JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "the name of column 2 is longer than"));
}

static void arguments_that_make_no_sense_are_refused(void **state) {
  (void)state;
  jn_table *t = NULL, *u;
  jn_error error = {0};
  char path[600];
  assert_status(jn_table_new(-1, 1, NULL, &t), JN_ERR_ARGUMENT);
  assert_status(jn_table_new(1, -1, NULL, &t), JN_ERR_ARGUMENT);
  assert_status(jn_table_new(1, 1, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_table_parse(JN_TABLE_CSV, NULL, 1, "x", NULL, &t, &error), JN_ERR_ARGUMENT);
  assert_status(jn_table_parse(JN_TABLE_CSV, "1", 1, "x", NULL, NULL, &error), JN_ERR_ARGUMENT);
  for (int f = -1; f < 4; f += 4)
    assert_status(jn_table_parse((jn_table_format)f, "1", 1, "x", NULL, &t, &error),
                  JN_ERR_ARGUMENT);
  assert_null(t);
  assert_status(jn_table_load(NULL, NULL, &t, &error), JN_ERR_FILE);
  assert_status(jn_table_load("x", NULL, &t, &error), JN_ERR_FILE);
  t = random_table(1, 3, 2);
  assert_int_equal(jn_table_find(NULL, "t"), -1);
  assert_int_equal(jn_table_find(t, NULL), -1);
  jn_table_free(NULL);
  assert_status(jn_table_print(NULL, JN_TABLE_CSV, stdout), JN_ERR_ARGUMENT);
  assert_status(jn_table_print(t, JN_TABLE_CSV, NULL), JN_ERR_ARGUMENT);
  for (int f = -1; f < 4; f += 4)
    assert_status(jn_table_print(t, (jn_table_format)f, stdout), JN_ERR_ARGUMENT);
  assert_status(jn_table_save(NULL, "x.csv", &error), JN_ERR_ARGUMENT);
  assert_status(jn_table_save(t, "x.txt", &error), JN_ERR_FILE);
  /* a full device */
  FILE *full = fopen("/dev/full", "wb");
  assert_non_null(full);
  setvbuf(full, NULL, _IONBF, 0);
  assert_status(jn_table_print(t, JN_TABLE_CSV, full), JN_ERR_FILE);
  fclose(full);
  snprintf(path, sizeof path, "%s", temporary("full.csv"));
  assert_int_equal(symlink("/dev/full", path), 0);
  assert_status(jn_table_save(t, path, &error), JN_ERR_FILE);
  u = random_table(2, 2000, 3); /* more than a buffer: it fails while writing */
  assert_status(jn_table_save(u, path, &error), JN_ERR_FILE);
  jn_table_free(u);
  /* an archive has at most 65535 entries, and 4 GiB */
  const int rows = t->rows, columns = t->columns;
  t->columns = 65536;
  assert_status(jn_table_save(t, temporary("large.npz"), &error), JN_ERR_LIMIT);
  t->columns = 60, t->rows = JN_MAX_SAMPLES;
  assert_status(jn_table_save(t, temporary("large.npz"), &error), JN_ERR_LIMIT);
  t->rows = rows, t->columns = columns;
  jn_table_free(t);
}

static void npy_types_orders_and_shapes(void **state) {
  (void)state;
  static const unsigned char big[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
  static const unsigned char small[] = {0xff, 0xff, 0x05, 0x00};
  static const unsigned char eights[] = {0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                         0,    0,    0,    0,    0,    0,    0,    0x80};
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
      {"{\"descr\" :  \"<f8\", 'shape': ( 6,)}", six, 48, 6, 1, 1, 6},
      {"{'descr': '|u1', 'shape': (2 , 2)}", small, 4, 2, 2, 255, 0},
      {"{'descr': '|b1', 'shape': (4,)}", small, 4, 4, 1, 255, 0},
      {"{'descr': '|i1', 'shape': (4,)}", small, 4, 4, 1, -1, 0},
      {"{'descr': '<u2', 'shape': (2,)}", small, 4, 2, 1, 65535, 5},
      {"{'descr': '>i4', 'shape': (1,)}", small, 4, 1, 1, -64256, -64256},
      {"{'descr': '=i8', 'shape': (2,)}", big, 16, 2, 1, 63551, 192},
      {"{'descr': '<i8', 'shape': (2,)}", eights, 16, 2, 1, -3, -0x1p63},
      {"{'descr': '<u8', 'shape': (2,)}", eights, 16, 2, 1, 0x1p64, 0x1p63},
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
  /* headers up to 4095 bytes are read; longer ones, and one that is cut off, are refused */
  char *header = malloc(6000), *file = malloc(7000);
  for (int length = 4095; length < 5000; length += length < 4097 ? 1 : 300) {
    memset(header, ' ', 6000), header[length] = '\0';
    memcpy(header, "{'descr': '<f8', 'shape': (6,)}", 31);
    n = make_npy(file, header, six, 48);
    jn_status status = jn_table_parse(JN_TABLE_NPY, file, n, "x.npy", NULL, &t, &e);
    assert_status(status, length == 4095 ? JN_OK : JN_ERR_SYNTAX);
    if (status)
      assert_non_null(strstr(e.message, "the header is truncated or too long"));
    else
      jn_table_free(t);
  }
  header[100] = '\0';
  make_npy(file, header, six, 48);
  for (n = 12; n < 110; n += 7) {
    char *part = malloc(n); /* a block of exactly that size */
    memcpy(part, file, n);
    assert_status(jn_table_parse(JN_TABLE_NPY, part, n, "x.npy", NULL, &t, &e), JN_ERR_SYNTAX);
    assert_non_null(strstr(e.message, "the header is truncated or too long"));
    free(part);
  }
  free(header), free(file);
  static const char *const bad[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }\n",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2), }\n",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }\n",
      "{'descr': '<c16', 'fortran_order': False, 'shape': (3, 1), }\n",
      "{'descr': [('t', '<f8')], 'fortran_order': False, 'shape': (3,), }\n",
      "{'descr': '<f8', 'fortran_order': False, }\n",
      "{'descr': '<f9', 'shape': (3,), }\n",
      "{'descr': '<f2', 'shape': (3,), }\n",
      "{'descr': '<i3', 'shape': (3,), }\n",
      "{'descr': '<i16', 'shape': (3,), }\n",
      "{'descr': '<f16', 'shape': (3,), }\n",
      "{'descr': '<c8', 'shape': (3,), }\n",
      "{'descr': '!f8', 'shape': (3,), }\n",
      "{'descr': '",
      "{'descr' '<f8', 'shape': (3,), }\n",
      "{'descr': f8, 'shape': (3,), }\n",
      "{'descr': '<f8', 'shape': [3], }\n",
      "{'descr': '<f8', 'shape': (3, }\n",
      "{'descr': '<f8', 'shape': (3, 2, 1), }\n",
      "{'descr': '<f8', 'shape': (99999999999,), }\n",
      "{'descr': '<f8', 'shape': (20000000, 0), }\n",
      "{'descr': '<f8', 'shape': (0, 20000), }\n",
      "{'descr': '<f8', 'shape': (10000, 10000), }\n",
      "{'descr': '<f8', 'shape': (7,), }\n",
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

static void add_entry(archive *z, const char *name, const char *header, size_t data) {
  static const char zeros[64];
  add_array(z, name, header, zeros, data);
}

static size_t comment_size; /* of the comment behind the archive */
static jn_status read_archive(archive *z, const jn_allocator *hooks, jn_table **t, jn_error *e) {
  size_t size;
  unsigned char *b = archive_bytes(z, comment_size, &size);
  *t = NULL;
  jn_status status = jn_table_parse(JN_TABLE_NPZ, (const char *)b, size, "x.npz", hooks, t, e);
  free(b);
  return status;
}

#define ROWS2 "{'descr': '<f8', 'shape': (2,)}"

static void archives_of_other_programs(void **state) {
  (void)state;
  static archive z;
  jn_table *t;
  jn_error e = {0};
  /* a comment of any length behind the archive */
  memset(&z, 0, sizeof z);
  add_entry(&z, "time.npy", ROWS2, 16);
  static const size_t comments[] = {1, 21, 22, 300, 65535, 65536};
  for (size_t i = 0; i < COUNT(comments); i++) {
    comment_size = comments[i];
    jn_status status = read_archive(&z, NULL, &t, &e);
    assert_status(status, comment_size < 65536 ? JN_OK : JN_ERR_SYNTAX);
    if (!status) assert_int_equal(t->rows, 2);
    jn_table_free(t);
  }
  comment_size = 0;
  /* the time column determines the rows; arrays of two dimensions become columns; others are
   * skipped */
  memset(&z, 0, sizeof z);
  add_entry(&z, "other.npy", "{'descr': '<f8', 'shape': (3,)}", 24);
  add_entry(&z, "time.npy", ROWS2, 16);
  add_entry(&z, "xy", "{'descr': '<f4', 'shape': (2, 2)}", 16);
  add_entry(&z, "text.npy", "{'descr': '<U4', 'shape': (2,)}", 32);
  add_entry(&z, "one.npy", "{'descr': '<f8', 'shape': ()}", 8);
  add_entry(&z, "high.npy", "{'descr': '<f8', 'shape': (20000000, 0)}", 0);
  add_entry(&z, "wide.npy", "{'descr': '<f8', 'shape': (0, 20000)}", 0);
  add_entry(&z, "cube.npy", "{'descr': '<f8', 'shape': (2, 1, 1)}", 16);
  add_bytes(&z, "notes.txt", "note", 4);
  if (read_archive(&z, NULL, &t, &e)) fail_msg("%s", e.message);
  assert_true(t->rows == 2 && t->columns == 3);
  assert_string_equal(t->names[0], "time");
  assert_string_equal(t->names[1], "xy:0");
  assert_string_equal(t->names[2], "xy:1");
  jn_table_free(t);
  /* a number by itself is no column, also where there is one row */
  memset(&z, 0, sizeof z);
  add_entry(&z, "time.npy", "{'descr': '<f8', 'shape': (1,)}", 8);
  add_entry(&z, "one.npy", "{'descr': '<f8', 'shape': ()}", 8);
  assert_ok(read_archive(&z, NULL, &t, &e));
  assert_true(t->rows == 1 && t->columns == 1);
  jn_table_free(t);
  static const char *const times[] = {"stamp.npy", "time.npy", "t.npy"};
  for (size_t i = 0; i < COUNT(times); i++) { /* a better name of times, before or after others */
    memset(&z, 0, sizeof z);
    add_entry(&z, "a.npy", "{'descr': '<f8', 'shape': (3,)}", 24);
    add_entry(&z, times[i], ROWS2, 16);
    if (i > 0) add_entry(&z, times[i - 1], "{'descr': '<f8', 'shape': (4,)}", 32);
    add_entry(&z, "b.npy", "{'descr': '<f8', 'shape': (5,)}", 40);
    assert_ok(read_archive(&z, NULL, &t, &e));
    assert_true(t->rows == 2 && t->columns == 1);
    jn_table_free(t);
  }
}

static void archives_with_one_fault_are_refused(void **state) {
  (void)state;
  static archive z;
  static const char *const words[] = {
      "has no array of numbers: 'a': numbers of an unsupported type",
      "column 'a' is named twice",
      "too many columns",
      "the name is too long",
      "is compressed",
      "is damaged",
      "is damaged",
      "is damaged",
      "is damaged",
      "is truncated",
      "is truncated",
      "is damaged",
      "not an NPZ archive",
      "is damaged",
      "overlaps the array",
      "overlaps the array",
      "array 'a': the archive is damaged: the checksum",
      "array 'a': the archive is damaged: the checksum",
      "array 'b': the array is truncated: its shape has more",
      "array 'b': an unknown version of NPY",
      "array 'b': the header has no shape",
      "no array of numbers: 'a': numbers of an uns"};
  for (int fault = 0; fault < (int)COUNT(words); fault++) {
    jn_table *t;
    jn_error e = {0};
    char name[JN_COLUMN_NAME + 20] = "a.npy";
    jn_status status;
    memset(&z, 0, sizeof z);
    if (fault == 3) memset(name, 'n', sizeof name - 1);
    if (fault > 1) add_entry(&z, name, ROWS2, 16);
    unsigned char *d = z.directory + z.last;
    if (fault == 0) add_entry(&z, "a.npy", "{'descr': '<U4', 'shape': (2,)}", 32);
    if (fault == 1) add_entry(&z, "a.npy", ROWS2, 16), add_entry(&z, "a.npy", ROWS2, 16);
    if (fault == 2) {
      memset(&z, 0, sizeof z);
      add_entry(&z, "a.npy", "{'descr': '<f8', 'shape': (0, 9000)}", 0);
      add_entry(&z, "b.npy", "{'descr': '<f8', 'shape': (0, 9000)}", 0);
    }
    if (fault == 4) d[10] = 8;                                       /* deflated */
    if (fault == 5) d[20]++;                                         /* compressed size differs */
    if (fault == 6) put_bytes(d + 42, 0x7fffffff, 4);                /* past the end */
    if (fault == 7) put_bytes(d + 42, z.size + z.directory_size, 4); /* near the end */
    if (fault == 8) put_bytes(d + 42, 1, 4);                         /* no entry there */
    if (fault == 9) put_bytes(z.bytes + 26, 0xffff, 2);              /* a name past the end */
    if (fault == 10) put_bytes(d + 20, 5000, 4), put_bytes(d + 24, 5000, 4);
    if (fault == 11) put_bytes(d + 30, 60000, 2); /* extra fields longer than the file */
    if (fault == 14 || fault == 15) { /* two entries with the bytes of one; in a wrong order */
      add_entry(&z, "b.npy", ROWS2, 16);
      put_bytes(z.directory + z.last + 42, 0, 4);
      if (fault == 15) put_bytes(d + 42, z.size / 2, 4);
    }
    if (fault == 16) z.bytes[z.size - 3] ^= 1; /* of the data */
    if (fault == 17) d[16] ^= 1;               /* of the checksum */
    if (fault == 18) add_entry(&z, "b.npy", "{'descr': '<f8', 'shape': (9,)}", 16);
    if (fault == 19) add_bytes(&z, "b.npy", "\x93NUMPY\x07\x00zzzz", 12);
    if (fault == 20) add_entry(&z, "b.npy", "{'descr': '<f8'}", 16);
    if (fault == 21)
      memset(&z, 0, sizeof z), add_entry(&z, "a", "{'descr': '<f2', 'shape': (2,)}", 4),
          add_entry(&z, "b", "{'descr': '<U2', 'shape': (2,)}", 16);
    if (fault == 12) {
      static char blank[70000];
      t = NULL;
      status = jn_table_parse(JN_TABLE_NPZ, blank, sizeof blank, "x.npz", NULL, &t, &e);
    } else {
      if (fault == 13) z.count++; /* an entry that is missing */
      status = read_archive(&z, NULL, &t, &e);
    }
    assert_true(status == JN_ERR_SYNTAX || status == JN_ERR_LIMIT);
    assert_null(t);
    if (!strstr(e.message, words[fault])) fail_msg("%d: %s", fault, e.message);
  }
}

/* Every byte of an archive changed, and every length: refused or read, never a crash or a leak. */
/* byte for byte as numpy writes, and an archive that Python's zipfile accepts */
static void files_are_those_of_numpy_and_zipfile(void **state) {
  (void)state;
  jn_table *t;
  jn_error error = {0};
  assert_ok(jn_table_new(2, 3, NULL, &t));
  for (int i = 0; i < 6; i++) t->values[i] = i - 2.5;
  for (int i = 0; i < 3; i++) snprintf(t->names[i], JN_COLUMN_NAME, "c%d", i);
  size_t size[3];
  uint64_t hash[3];
  for (int f = 0; f < 3; f++) {
    assert_ok(jn_table_save(t, temporary(endings[f]), &error));
    char *text = slurp(temporary(endings[f]), size + f);
    hash[f] = 0;
    for (size_t i = 0; i < size[f]; i++)
      hash[f] = (hash[f] ^ (unsigned char)text[i]) * 0x100000001b3;
    if (f == JN_TABLE_CSV) assert_string_equal(text, "c0,c1,c2\n-2.5,-1.5,-0.5\n0.5,1.5,2.5\n");
    if (f == JN_TABLE_NPY) {
      char want[129];
      snprintf(want, sizeof want, "\x93NUMPY\x01%c\x76%c%-117s\n", 1, 1,
               "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
      want[7] = want[9] = 0;
      assert_memory_equal(text, want, 128);
      assert_int_equal(size[f], 128 + 48);
      assert_memory_equal(text + 128, t->values, 48);
    }
    free(text);
  }
  if (size[2] != 718 || hash[2] != 0x465d027e74031733)
    fail_msg("npz: %zu bytes, 0x%llx", size[2], (unsigned long long)hash[2]);
  jn_table_free(t);
}

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
        cut = malloc(n + 1); /* so that a sanitizer detects reads past the end */
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

/* A number of a named column that is none is refused with the column's name. */
static void what_is_not_finite_is_named(void **state) {
  (void)state;
  static archive z;
  const double numbers[2] = {1, HUGE_VAL};
  size_t size;
  jn_table *t;
  jn_error e = {0};
  memset(&z, 0, sizeof z);
  add_array(&z, "turn.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", numbers,
            sizeof numbers);
  unsigned char *bytes = archive_bytes(&z, 0, &size);
  assert_status(jn_table_parse(JN_TABLE_NPZ, (char *)bytes, size, "x.npz", NULL, &t, &e),
                JN_ERR_NOT_FINITE);
  assert_string_equal(e.message, "x.npz: row 1, column 1 'turn' is not finite");
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_reads_back_bit_for_bit),
      cmocka_unit_test(csv_of_other_programs),
      cmocka_unit_test(bad_csv_is_refused_with_its_line),
      cmocka_unit_test(arguments_that_make_no_sense_are_refused),
      cmocka_unit_test(npy_types_orders_and_shapes),
      cmocka_unit_test(archives_of_other_programs),
      cmocka_unit_test(archives_with_one_fault_are_refused),
      cmocka_unit_test(what_is_not_finite_is_named),
      cmocka_unit_test(files_are_those_of_numpy_and_zipfile),
      cmocka_unit_test(damaged_files_are_refused_or_read),
      cmocka_unit_test(the_same_where_the_decimal_point_is_a_comma),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
