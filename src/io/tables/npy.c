/* npy.c: reads and writes NPY (one array) and NPZ (an uncompressed zip archive of arrays). */
#include "io/tables/npy.h"

#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/file.h"
#include "io/tables/stamps.h"

typedef struct place {
  const char *file;
  char array[JN_COLUMN_NAME + 4]; /* name of the array in an archive, or "" */
  jn_error *error;
} place;

static jn_status refuse(const place *p, jn_status status, const char *what) {
  return jn_fail(p->error, status, p->file, 0, "%s%s%s%s", p->array[0] ? "array '" : "", p->array,
                 p->array[0] ? "': " : "", what);
}

static uint64_t little(const unsigned char *b, int n) {
  uint64_t x = 0;
  for (int i = n - 1; i >= 0; i--) x = x << 8 | b[i];
  return x;
}

/* Arrays. */

typedef struct array {
  size_t rows, columns, dimensions;
  int fortran, size, is_big; /* bytes of a number */
  char kind;                 /* f, i, u, b */
  const unsigned char *data;
  const char *why; /* it is not read */
  int foreign;     /* an array of another kind, not a damaged one */
} array;

/* Not an array of rows and columns of numbers: an archive may have such ones. */
static jn_status foreign(array *a, const char *why) {
  a->why = why;
  a->foreign = 1;
  return JN_ERR_SYNTAX;
}

static jn_status damaged(array *a, jn_status status, const char *why) {
  a->why = why;
  return status;
}

/* the value of 'key' in the header's dictionary; NULL: none */
static const char *value_of(const char *header, const char *key) {
  char quoted[32];
  for (int q = 0; q < 2; q++) {
    snprintf(quoted, sizeof quoted, q ? "\"%s\"" : "'%s'", key);
    const char *at = strstr(header, quoted);
    if (!at) continue;
    at += strlen(quoted);
    while (*at == ' ') at++;
    if (*at != ':') continue;
    at++;
    while (*at == ' ') at++;
    return at;
  }
  return NULL;
}

static jn_status read_type(const char *at, array *a) {
  if (!at || (*at != '\'' && *at != '"'))
    return foreign(a, "the array has a structured type: save plain columns of numbers");
  char order = at[1];
  a->kind = at[2];
  a->size = at[3] >= '1' && at[3] <= '8' ? at[3] - '0' : 0;
  a->is_big = order == '>';
  int known = strchr("<>|=", order) && order && (at[4] == '\'' || at[4] == '"') &&
              ((a->kind == 'f' && (a->size == 4 || a->size == 8)) ||
               ((a->kind == 'i' || a->kind == 'u' || a->kind == 'b') &&
                (a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8)));
  return known ? JN_OK
               : foreign(a, "numbers of an unsupported type: save floats (f4, f8) or integers");
}

static jn_status read_shape(const char *at, array *a) {
  size_t shape[2] = {1, 1};
  a->dimensions = 0;
  if (!at || *at++ != '(') return damaged(a, JN_ERR_SYNTAX, "the header has no shape");
  while (*at == ' ') at++;
  while (*at >= '0' && *at <= '9') {
    uint64_t n = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
      n = n * 10 + (uint64_t)(*at - '0');
      if (n > (uint64_t)jn_file_limit()) return damaged(a, JN_ERR_LIMIT, "the shape is too large");
    }
    if (a->dimensions == 2)
      return foreign(a, "more than two dimensions: rows and columns expected");
    shape[a->dimensions++] = (size_t)n;
    while (*at == ' ' || *at == ',') at++;
  }
  if (*at != ')') return damaged(a, JN_ERR_SYNTAX, "the shape cannot be read");
  a->rows = shape[0];
  a->columns = shape[1];
  return JN_OK;
}

static jn_status read_array(const char *bytes, size_t size, array *a) {
  const unsigned char *b = (const unsigned char *)bytes;
  char header[4096];
  *a = (array){0};
  if (size < 6 || memcmp(b, "\x93NUMPY", 6) != 0)
    return foreign(a, "this is not an NPY array: it does not start with \\x93NUMPY");
  if (size < 12) return damaged(a, JN_ERR_SYNTAX, "the header is truncated or too long");
  const size_t start = b[6] == 1 ? 10 : 12;
  const uint64_t length = little(b + 8, b[6] == 1 ? 2 : 4);
  if (b[6] < 1 || b[6] > 3) return damaged(a, JN_ERR_SYNTAX, "an unknown version of NPY");
  if (start + length > size)
    return damaged(a, JN_ERR_SYNTAX, "the header is truncated or too long");
  if (length >= sizeof header) return foreign(a, "the header is truncated or too long");
  memcpy(header, b + start, (size_t)length);
  header[length] = '\0';
  const char *order = value_of(header, "fortran_order");
  jn_status status = read_type(value_of(header, "descr"), a);
  if (status || (status = read_shape(value_of(header, "shape"), a))) return status;
  a->fortran = order && strncmp(order, "True", 4) == 0;
  a->data = b + start + length;
  /* rows and columns are at most jn_file_limit() each */
  const uint64_t need = (uint64_t)a->rows * a->columns;
  if (need > (uint64_t)jn_file_limit() || need * (uint64_t)a->size > size - start - length)
    return damaged(a, JN_ERR_SYNTAX, "the array is truncated: its shape has more numbers");
  return JN_OK;
}

static double number_at(const array *a, size_t index) {
  const unsigned char *b = a->data + index * (size_t)a->size;
  unsigned char turned[8] = {0};
  double d;
  float f;
  for (int i = 0; i < a->size; i++) turned[i] = b[a->is_big ? a->size - 1 - i : i];
  const uint64_t x = little(turned, a->size);
  if (a->kind == 'f' && a->size == 8) {
    memcpy(&d, &x, sizeof d);
    return d;
  }
  if (a->kind == 'f') {
    const uint32_t y = (uint32_t)x;
    memcpy(&f, &y, sizeof f);
    return (double)f;
  }
  if (a->kind != 'i') return (double)x;
  const uint64_t sign = (uint64_t)1 << (8 * a->size - 1);
  return x & sign ? -(double)((~x + 1) & (sign | (sign - 1))) : (double)x;
}

static void copy_array(const array *a, jn_table *t, int first) {
  for (size_t r = 0; r < a->rows; r++)
    for (size_t c = 0; c < a->columns; c++)
      t->values[r * (size_t)t->columns + (size_t)first + c] =
          number_at(a, a->fortran ? c * a->rows + r : r * a->columns + c);
}

jn_status jn_npy_parse(const char *bytes, size_t size, const char *name,
                       const jn_allocator *allocator, jn_table **out, jn_error *error) {
  place p = {name, "", error};
  array a;
  jn_status status = read_array(bytes, size, &a);
  if (status) return refuse(&p, status, a.why);
  if ((status = jn_table_new_from(a.rows, a.columns, size, name, allocator, out, error)))
    return status;
  copy_array(&a, *out, 0);
  return JN_OK;
}

/* Archives. */

/* remainders of CRC-32 as in zip, for each half byte; 0xedb88320 is its reflected polynomial */
static uint32_t checksum(uint32_t crc, const unsigned char *b, size_t n) {
  static const uint32_t half[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                    0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                    0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  for (size_t i = 0; i < n; i++) {
    crc ^= b[i];
    crc = crc >> 4 ^ half[crc & 15];
    crc = crc >> 4 ^ half[crc & 15];
  }
  return crc;
}

/* The bytes of an array. No two share any: `end` is where the last one ended, and the next one must
 * lie after it. */
typedef struct entry {
  const char *bytes;
  size_t size, end;
  uint32_t crc;
} entry;

static const unsigned char *find_directory(const unsigned char *b, size_t size) {
  /* the end record; a comment of up to 65535 bytes may follow it */
  for (size_t back = 22; back <= size && back < 22 + 65536; back++)
    if (little(b + size - back, 4) == 0x06054b50) return b + size - back;
  return NULL;
}

/* Reads the directory entry at *at and moves *at to the next; p->array gets its name. */
static jn_status read_entry(place *p, const unsigned char *b, size_t size, size_t *at, entry *e) {
  const char *wrong = "the archive is damaged";
  p->array[0] = '\0';
  if (*at > size || size - *at < 46 || little(b + *at, 4) != 0x02014b50)
    return refuse(p, JN_ERR_SYNTAX, wrong);
  const unsigned char *d = b + *at;
  const size_t method = little(d + 10, 2), packed = little(d + 20, 4), plain = little(d + 24, 4),
               n = little(d + 28, 2), more = little(d + 30, 2) + little(d + 32, 2),
               local = little(d + 42, 4);
  if (size - *at < 46 + n + more) return refuse(p, JN_ERR_SYNTAX, wrong);
  *at += 46 + n + more;
  snprintf(p->array, sizeof p->array, "%.*s", (int)n, (const char *)d + 46);
  if (n >= sizeof p->array) return refuse(p, JN_ERR_LIMIT, "the name is too long");
  if (n > 4 && strcmp(p->array + n - 4, ".npy") == 0) p->array[n - 4] = '\0';
  if (method != 0)
    return refuse(p, JN_ERR_SYNTAX,
                  "is compressed: save with numpy.savez, not numpy.savez_compressed");
  if (packed != plain || local > size || size - local < 30 || little(b + local, 4) != 0x04034b50)
    return refuse(p, JN_ERR_SYNTAX, wrong);
  const size_t skip = 30 + little(b + local + 26, 2) + little(b + local + 28, 2);
  if (size - local < skip || size - local - skip < plain)
    return refuse(p, JN_ERR_SYNTAX, "the archive is truncated");
  if (local < e->end)
    return refuse(p, JN_ERR_SYNTAX, "overlaps the array listed before it, or lies before it");
  e->end = local + skip + plain;
  e->bytes = (const char *)b + local + skip;
  e->size = plain;
  e->crc = (uint32_t)little(d + 16, 4);
  return JN_OK;
}

/* 0: not the name of times; the array with the highest one gives the number of rows */
static int time_rank(const char *name) {
  return strcmp(name, "t") == 0 ? 3 : strcmp(name, "time") == 0 ? 2 : jn_stamps_is_name(name);
}

/* Passes over the archive: the number of rows (of the times, else of the first array), the
 * number of columns, and the numbers. Left out are arrays with another number of rows, single
 * numbers, and entries that are not arrays of numbers; a last pass names them. */
enum { ROWS, COLUMNS, NUMBERS, LEFT_OUT };
typedef struct survey {
  int pass, found; /* 1 + time_rank of the array that gives the rows */
  size_t rows, columns;
  jn_table *table;
  jn_npz_visit visit; /* of the last pass */
  void *context;
} survey;

static jn_status add_columns(place *p, const array *a, survey *s) {
  if (s->pass == ROWS) {
    const int rank = 1 + time_rank(p->array);
    if (rank > s->found) s->rows = a->rows, s->found = rank;
    return JN_OK;
  }
  if (s->pass == NUMBERS) {
    for (size_t c = 0; c < a->columns; c++) {
      char *name = s->table->names[s->columns + c];
      if (a->dimensions == 2)
        snprintf(name, JN_COLUMN_NAME, "%.*s:%zu", JN_MAX_NAME, p->array, c);
      else
        snprintf(name, JN_COLUMN_NAME, "%.*s", JN_COLUMN_NAME - 1, p->array);
    }
    copy_array(a, s->table, (int)s->columns);
  }
  s->columns += a->columns;
  return s->columns > JN_MAX_COLUMNS ? refuse(p, JN_ERR_LIMIT, "too many columns") : JN_OK;
}

/* Why an array has no columns in the table; NULL: it has. */
static const char *left_out(const array *a, const survey *s, char *text, size_t size) {
  if (a->why) return a->why;
  if (a->dimensions == 0) return "a single number, not a column";
  if (a->rows > JN_MAX_SAMPLES || a->columns > JN_MAX_COLUMNS) return "too many rows or columns";
  if (s->pass == ROWS || a->rows == s->rows) return NULL;
  snprintf(text, size, "%zu rows, where the table has %zu", a->rows, s->rows);
  return text;
}

static jn_status visit_entry(place *p, const entry *e, survey *s) {
  array a;
  char text[80];
  if (s->pass == ROWS &&
      (checksum(0xffffffffu, (const unsigned char *)e->bytes, e->size) ^ 0xffffffffu) != e->crc)
    return refuse(p, JN_ERR_SYNTAX, "the archive is damaged: the checksum (CRC-32) differs");
  const jn_status status = read_array(e->bytes, e->size, &a);
  if (status && !a.foreign) return refuse(p, status, a.why);
  const char *why = left_out(&a, s, text, sizeof text);
  if (s->pass == LEFT_OUT) {
    if (why) s->visit(s->context, p->array, why);
    return JN_OK;
  }
  return why ? JN_OK : add_columns(p, &a, s);
}

static jn_status walk(place *p, const unsigned char *b, size_t size, survey *s) {
  const unsigned char *end = find_directory(b, size);
  if (!end) return refuse(p, JN_ERR_SYNTAX, "this is not an NPZ archive, or it is truncated");
  const size_t count = little(end + 10, 2);
  size_t at = little(end + 16, 4);
  s->columns = 0;
  entry e = {NULL, 0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    jn_status status = read_entry(p, b, size, &at, &e);
    if (status || (status = visit_entry(p, &e, s))) return status;
  }
  s->pass++;
  p->array[0] = '\0';
  return JN_OK;
}

/* Says why the first array was left out. */
static void refuse_array(void *context, const char *name, const char *why) {
  place *p = context;
  if (p->array[0]) return;
  snprintf(p->array, sizeof p->array, "%s", name);
  jn_fail(p->error, JN_ERR_SYNTAX, p->file, 0, "the archive has no array of numbers: '%s': %s",
          name, why);
}

static jn_status no_array(place *p, const unsigned char *b, size_t size) {
  place quiet = {p->file, "", NULL};
  survey s = {.pass = LEFT_OUT, .visit = refuse_array, .context = p};
  refuse(p, JN_ERR_SYNTAX, "the archive has no array of numbers");
  (void)walk(&quiet, b, size, &s);
  return JN_ERR_SYNTAX;
}

jn_status jn_npz_parse(const char *bytes, size_t size, const char *name,
                       const jn_allocator *allocator, jn_table **out, jn_error *error) {
  const unsigned char *b = (const unsigned char *)bytes;
  place p = {name, "", error};
  survey s = {0};
  jn_status status = walk(&p, b, size, &s);
  if (!status) status = walk(&p, b, size, &s);
  if (status) return status;
  if (!s.found) return no_array(&p, b, size);
  if ((status = jn_table_new_from(s.rows, s.columns, size, name, allocator, &s.table, error)))
    return status;
  (void)walk(&p, b, size, &s); /* succeeds like the pass before it */
  status = jn_table_check_names(s.table, name, 0, error);
  if (status)
    jn_table_free(s.table);
  else
    *out = s.table;
  return status;
}

void jn_npz_left_out(const char *bytes, size_t size, const jn_table *t, jn_npz_visit visit,
                     void *context) {
  place p = {0};
  p.file = "";
  survey s = {.pass = LEFT_OUT, .rows = (size_t)t->rows, .visit = visit, .context = context};
  (void)walk(&p, (const unsigned char *)bytes, size, &s);
}

/* Writing. */

static void put_little(unsigned char *b, uint64_t x, int n) {
  for (int i = 0; i < n; i++) b[i] = (unsigned char)(x >> (8 * i) & 0xff);
}

void jn_npy_header(unsigned char header[NPY_HEADER], const char *shape) {
  char text[NPY_HEADER];
  int length = snprintf(text, sizeof text,
                        "{'descr': '<f8', 'fortran_order': False, 'shape': %.64s}", shape);
  memset(header, ' ', NPY_HEADER);
  memcpy(header, "\x93NUMPY\x01", 8);
  put_little(header + 8, NPY_HEADER - 10, 2);
  memcpy(header + 10, text, (size_t)length);
  header[NPY_HEADER - 1] = '\n';
}

void jn_npy_number(unsigned char b[8], double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_little(b, bits, 8);
}

void jn_npy_print(const jn_table *t, FILE *file) {
  unsigned char header[NPY_HEADER], b[8];
  char shape[48];
  snprintf(shape, sizeof shape, "(%d, %d), ", t->rows, t->columns);
  jn_npy_header(header, shape);
  fwrite(header, 1, sizeof header, file);
  for (size_t i = 0; i < (size_t)t->rows * (size_t)t->columns; i++) {
    jn_npy_number(b, t->values[i]);
    fwrite(b, 1, sizeof b, file);
  }
}

/* the fields common to a local header and a directory entry: from the version to the lengths */
static void zip_fields(unsigned char *b, uint32_t crc, size_t size, size_t name) {
  put_little(b, 20, 2);
  put_little(b + 2, 0x0800, 2); /* the name is UTF-8 */
  put_little(b + 4, 0, 2);
  put_little(b + 6, 0, 2);
  put_little(b + 8, 0x21, 2); /* 1 January 1980 */
  put_little(b + 10, crc, 4);
  put_little(b + 14, size, 4);
  put_little(b + 18, size, 4);
  put_little(b + 22, name, 2);
  put_little(b + 24, 0, 2);
}

jn_status jn_npz_print(const jn_table *t, FILE *file) {
  const size_t size = NPY_HEADER + 8 * (size_t)t->rows, columns = (size_t)t->columns;
  unsigned char header[NPY_HEADER], b[46] = {0};
  size_t at = 0, directory = 0;
  if (columns > 65535 || (size + 512) * columns > 0xffffffffu) return JN_ERR_LIMIT;
  uint32_t *crc = jn_block_new(&t->hooks, columns, sizeof *crc);
  if (!crc) return JN_ERR_MEMORY;
  char shape[48];
  snprintf(shape, sizeof shape, "(%d,), ", t->rows);
  jn_npy_header(header, shape);
  for (int pass = 0; pass < 2; pass++) {
    size_t local = 0;
    for (size_t c = 0; c < columns; c++) {
      const char *name = t->names[c];
      const size_t n = strlen(name) + 4;
      if (pass == 0) {
        crc[c] = checksum(0xffffffffu, header, sizeof header);
        for (size_t r = 0; r < (size_t)t->rows; r++) {
          jn_npy_number(b, t->values[r * columns + c]);
          crc[c] = checksum(crc[c], b, 8);
        }
        crc[c] ^= 0xffffffffu;
        put_little(b, 0x04034b50, 4);
        zip_fields(b + 4, crc[c], size, n);
        fwrite(b, 1, 30, file);
        fprintf(file, "%s.npy", name);
        fwrite(header, 1, sizeof header, file);
        for (size_t r = 0; r < (size_t)t->rows; r++) {
          jn_npy_number(b, t->values[r * columns + c]);
          fwrite(b, 1, 8, file);
        }
        at += 30 + n + size;
      } else {
        memset(b, 0, sizeof b);
        put_little(b, 0x02014b50, 4);
        put_little(b + 4, 20, 2);
        zip_fields(b + 6, crc[c], size, n);
        put_little(b + 42, local, 4);
        fwrite(b, 1, 46, file);
        fprintf(file, "%s.npy", name);
        local += 30 + n + size;
        directory += 46 + n;
      }
    }
  }
  memset(b, 0, sizeof b);
  put_little(b, 0x06054b50, 4);
  put_little(b + 8, columns, 2);
  put_little(b + 10, columns, 2);
  put_little(b + 12, directory, 4);
  put_little(b + 16, at, 4);
  fwrite(b, 1, 22, file);
  jn_block_free(&t->hooks, crc);
  return JN_OK;
}
