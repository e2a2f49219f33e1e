/* table.c: tables of numbers with column names; reading and writing CSV. */
#include <jounce/table.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/names.h"
#include "io/file.h"
#include "io/tables/npy.h"
#include "io/number.h"
#include "io/text.h"
#include "io/tables/trajectory_file.h"

jn_status jn_table_new(int rows, int columns, const jn_allocator *allocator, jn_table **out) {
  if (rows < 0 || columns < 0 || !out) return JN_ERR_ARGUMENT;
  if (rows > JN_MAX_SAMPLES || columns > JN_MAX_COLUMNS) return JN_ERR_LIMIT;
  jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_table *t = jn_block_new(&hooks, 1, sizeof *t);
  if (!t) return JN_ERR_MEMORY;
  t->rows = rows;
  t->columns = columns;
  t->hooks = hooks;
  t->values = jn_block_new(&hooks, (size_t)rows, (size_t)columns * sizeof *t->values);
  t->names = jn_block_new(&hooks, (size_t)columns, sizeof *t->names);
  if (!t->values || !t->names) {
    jn_table_free(t);
    return JN_ERR_MEMORY;
  }
  *out = t;
  return JN_OK;
}

void jn_table_free(jn_table *t) {
  if (!t) return;
  jn_allocator hooks = t->hooks;
  jn_block_free(&hooks, t->values);
  jn_block_free(&hooks, t->names);
  jn_block_free(&hooks, t);
}

int jn_table_find(const jn_table *t, const char *name) {
  for (int i = 0; t && name && i < t->columns; i++)
    if (strcmp(t->names[i], name) == 0) return i;
  return -1;
}

jn_status jn_table_new_from(size_t rows, size_t columns, size_t size, const char *name,
                            const jn_allocator *allocator, jn_table **out, jn_error *error) {
  jn_status status = rows > JN_MAX_SAMPLES || columns > JN_MAX_COLUMNS ? JN_ERR_LIMIT : JN_OK;
  const double need = (double)columns * ((double)rows * sizeof(double) + JN_COLUMN_NAME),
               most = (double)JN_MAX_TABLE_FACTOR * (double)size + JN_MAX_TABLE_HEAP;
  if (!status && need > most)
    return jn_fail(error, JN_ERR_LIMIT, name, 0,
                   "%zu rows of %zu columns need more memory than a file of this size may ask for",
                   rows, columns);
  if (!status) status = jn_table_new((int)rows, (int)columns, allocator, out);
  if (status)
    jn_fail(error, status, name, 0, "%s (%zu rows of %zu columns)", jn_status_text(status), rows,
            columns);
  return status;
}

jn_status jn_table_check_names(const jn_table *t, const char *file, int line, jn_error *error) {
  const size_t n = (size_t)t->columns;
  jn_name *sorted = jn_block_new(&t->hooks, n, sizeof *sorted);
  if (!sorted) return jn_fail(error, JN_ERR_MEMORY, file, 0, "out of memory");
  for (size_t i = 0; i < n; i++) sorted[i] = (jn_name){t->names[i], (int)i};
  jn_names_sort(sorted, t->columns);
  jn_status status = JN_OK;
  for (size_t i = 1; i < n && !status; i++)
    if (sorted[i].name[0] && strcmp(sorted[i].name, sorted[i - 1].name) == 0)
      status =
          jn_fail(error, JN_ERR_SYNTAX, file, line, "column '%s' is named twice", sorted[i].name);
  jn_block_free(&t->hooks, sorted);
  return status;
}

/* CSV. */

typedef struct lines {
  const char *at, *end;
  const char *file;
  int number;
  jn_error *error;
} lines;

/* The next line that is neither blank nor a comment: its start, and its end in *end. NULL after the
 * last one. */
static const char *next_line(lines *l, const char **end) {
  while (l->at < l->end) {
    const char *start = l->at, *stop = memchr(start, '\n', (size_t)(l->end - start));
    if (!stop) stop = l->end;
    l->at = stop < l->end ? stop + 1 : stop;
    l->number++;
    while (stop > start && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t')) stop--;
    *end = stop;
    while (start < stop && *start == ' ') start++;
    if (start < stop && *start != '#') return start;
  }
  return NULL;
}

/* Copies one field to `out`, without quotes and surrounding white space. Returns the start of the
 * next field, or NULL after the last. *cut: the field did not fit in `room` and is truncated. */
static const char *next_field(const char *at, const char *end, char separator, char *out,
                              size_t room, int *cut) {
  size_t n = 0;
  int quoted = 0;
  *cut = 0;
  while (at < end && *at == ' ') at++;
  if (at < end && *at == '"') quoted = 1, at++;
  for (; at < end && (quoted || *at != separator); at++) {
    if (quoted && *at == '"') {
      if (at + 1 < end && at[1] == '"') {
        at++;
      } else {
        quoted = 0;
        continue;
      }
    }
    if (n + 1 < room)
      out[n++] = *at;
    else
      *cut = 1;
  }
  while (n > 0 && (out[n - 1] == ' ' || out[n - 1] == '\t')) n--;
  out[n] = '\0';
  return at < end ? at + 1 : NULL;
}

static char separator_of(const char *line, const char *end) {
  size_t n = (size_t)(end - line);
  static const char known[] = {',', ';', '\t'};
  for (size_t i = 0; i < sizeof known; i++)
    if (memchr(line, known[i], n)) return known[i];
  return ',';
}

static int count_fields(const char *line, const char *end, char separator) {
  char field[8];
  int n = 0, cut;
  for (const char *at = line; at; n++)
    at = next_field(at, end, separator, field, sizeof field, &cut);
  return n;
}

static int is_number(const char *text) {
  double x;
  const char *at = text;
  number_result r = jn_read_number(&at, &x);
  return (r == NUMBER_OK || r == NUMBER_UNDERFLOW) && *at == '\0';
}

static jn_status read_names(lines *l, const char *line, const char *end, char separator,
                            jn_table *t) {
  int cut;
  const char *at = line;
  for (int i = 0; i < t->columns; i++) {
    at = next_field(at, end, separator, t->names[i], JN_COLUMN_NAME, &cut);
    if (cut)
      return jn_fail(l->error, JN_ERR_LIMIT, l->file, l->number,
                     "the name of column %d is longer than %d bytes", i + 1, JN_COLUMN_NAME - 1);
    char *name = t->names[i];
    if (name[0] == '\'' && jn_is_formula(name)) memmove(name, name + 1, strlen(name));
  }
  return jn_table_check_names(t, l->file, l->number, l->error);
}

static jn_status read_row(lines *l, const char *line, const char *end, char separator,
                          const jn_table *t, double *row) {
  char field[64];
  int cut;
  const char *at = line;
  for (int i = 0; i < t->columns; i++) {
    if (!at)
      return jn_fail(l->error, JN_ERR_SYNTAX, l->file, l->number,
                     "%d numbers expected, as in the lines before, found %d", t->columns, i);
    at = next_field(at, end, separator, field, sizeof field, &cut);
    const char *cursor = field;
    number_result r = cut ? NUMBER_SYNTAX : jn_read_number(&cursor, &row[i]);
    if ((r != NUMBER_OK && r != NUMBER_UNDERFLOW) || *cursor)
      return jn_fail(l->error, JN_ERR_SYNTAX, l->file, l->number, "column %d: '%.40s': %s", i + 1,
                     field,
                     field[0] ? jn_number_complaint(r == NUMBER_OK ? NUMBER_SYNTAX : r, field)
                              : "a number is missing");
  }
  if (at)
    return jn_fail(l->error, JN_ERR_SYNTAX, l->file, l->number,
                   "more than the %d numbers of the lines before", t->columns);
  return JN_OK;
}

/* The error of the first line that has not as many numbers as there are columns. */
static jn_status short_line(lines *l, int columns, char separator) {
  for (const char *end, *line; (line = next_line(l, &end)) != NULL;) {
    const int found = count_fields(line, end, separator);
    if (found != columns)
      return jn_fail(l->error, JN_ERR_SYNTAX, l->file, l->number,
                     "%d numbers expected, as in the lines before, found %d", columns, found);
  }
  return jn_fail(l->error, JN_ERR_SYNTAX, l->file, l->number, "a number is missing");
}

static jn_status parse_csv(const char *text, size_t size, const char *name,
                           const jn_allocator *allocator, jn_table **out, jn_error *error) {
  /* skip byte order marks; concatenated files may have several */
  while (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
  lines l = {text, text + size, name, 0, error};
  char field[64];
  int cut, rows = 0;
  if (memchr(text, '\0', size))
    return jn_fail(error, JN_ERR_SYNTAX, name, 0,
                   "this is not a text file: it contains a zero byte");
  const char *end, *first = next_line(&l, &end);
  if (!first) return jn_fail(error, JN_ERR_SYNTAX, name, 1, "the file has no line of numbers");
  const lines after = l;
  const char separator = separator_of(first, end);
  int columns = count_fields(first, end, separator), named = 0;
  for (const char *at = first; at;) {
    at = next_field(at, end, separator, field, sizeof field, &cut);
    named |= cut || !is_number(field);
  }
  for (const char *stop; next_line(&l, &stop);) rows++;
  if (!named) rows++;
  lines again = named ? after : (lines){text, text + size, name, 0, error};
  /* a number and what ends it are two bytes: else some line is too short for a table */
  if ((double)rows * columns > 0.5 * ((double)size + 1))
    return short_line(&again, columns, separator);
  jn_table *t;
  jn_status status =
      jn_table_new_from((size_t)rows, (size_t)columns, size, name, allocator, &t, error);
  if (status) return status;
  lines heading = after;
  if (named) status = read_names(&heading, first, end, separator, t);
  for (int i = 0; i < t->rows && !status; i++) {
    const char *stop, *line = next_line(&again, &stop);
    status = read_row(&again, line, stop, separator, t, t->values + (size_t)i * (size_t)columns);
  }
  if (status)
    jn_table_free(t);
  else
    *out = t;
  return status;
}

static void print_csv(const jn_table *t, FILE *file) {
  for (int i = 0; i < t->columns; i++) {
    if (i) fputc(',', file);
    jn_write_cell(file, t->names[i], ",;\"\r\n\t #");
  }
  fputc('\n', file);
  for (int r = 0; r < t->rows; r++)
    for (int i = 0; i < t->columns; i++) {
      char digits[NUMBER_TEXT];
      fputs(jn_write_number(t->values[(size_t)r * (size_t)t->columns + (size_t)i], 17, digits),
            file);
      fputc(i == t->columns - 1 ? '\n' : ',', file);
    }
}

/* All formats. */

jn_status jn_table_parse(jn_table_format format, const char *bytes, size_t size, const char *name,
                         const jn_allocator *allocator, jn_table **out, jn_error *error) {
  if (!bytes || !out || (int)format < 0 || format > JN_TABLE_NPZ)
    return jn_fail(error, JN_ERR_ARGUMENT, name, 0,
                   "bytes or out is NULL, or the format is unknown");
  jn_table *t = NULL;
  jn_status status = format == JN_TABLE_CSV ? parse_csv(bytes, size, name, allocator, &t, error)
                     : format == JN_TABLE_NPY
                         ? jn_npy_parse(bytes, size, name, allocator, &t, error)
                         : jn_npz_parse(bytes, size, name, allocator, &t, error);
  if (status) return status;
  for (size_t i = 0; i < (size_t)t->rows * (size_t)t->columns; i++)
    if (!isfinite(t->values[i])) {
      int column = (int)(i % (size_t)t->columns);
      status = jn_fail(error, JN_ERR_NOT_FINITE, name, 0, "row %zu, column %d%s%s%s is not finite",
                       i / (size_t)t->columns, column + 1, t->names[column][0] ? " '" : "",
                       t->names[column], t->names[column][0] ? "'" : "");
      jn_table_free(t);
      return status;
    }
  *out = t;
  return JN_OK;
}

jn_status jn_table_print(const jn_table *t, jn_table_format format, FILE *file) {
  if (!t || !file || (int)format < 0 || format > JN_TABLE_NPZ) return JN_ERR_ARGUMENT;
  jn_status status = JN_OK;
  if (format == JN_TABLE_CSV)
    print_csv(t, file);
  else if (format == JN_TABLE_NPY)
    jn_npy_print(t, file);
  else
    status = jn_npz_print(t, file);
  return status ? status : ferror(file) ? JN_ERR_FILE : JN_OK;
}

static jn_status format_of(const char *path, jn_table_format *format, jn_error *error) {
  const char *ending = path ? jn_file_ending(path) : NULL;
  static const char *const endings[] = {".csv", ".npy", ".npz"};
  for (int i = 0; ending && i < 3; i++)
    if (jn_same_ending(ending, endings[i])) {
      *format = (jn_table_format)i;
      return JN_OK;
    }
  return jn_fail(error, JN_ERR_FILE, path, 0, "unknown ending: expected .csv, .npy or .npz");
}

jn_status jn_table_parse_named(const char *path, const char *bytes, size_t size,
                               const jn_allocator *allocator, jn_table **out, jn_error *error) {
  jn_table_format format = JN_TABLE_CSV;
  jn_status status = format_of(path, &format, error);
  return status ? status : jn_table_parse(format, bytes, size, path, allocator, out, error);
}

jn_status jn_table_load(const char *path, const jn_allocator *allocator, jn_table **out,
                        jn_error *error) {
  jn_table_format format = JN_TABLE_CSV;
  jn_status status = format_of(path, &format, error);
  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *bytes = NULL;
  size_t size = 0;
  if (status || (status = jn_file_read(path, &hooks, &bytes, &size, error))) return status;
  status = jn_table_parse(format, bytes, size, path, allocator, out, error);
  jn_block_free(&hooks, bytes);
  return status;
}

typedef struct printing {
  const jn_table *table;
  jn_table_format format;
  const char *path;
  jn_error *error;
} printing;

static jn_status print(FILE *file, void *context) {
  const printing *p = context;
  jn_status status = jn_table_print(p->table, p->format, file);
  if (status && status != JN_ERR_FILE)
    jn_fail(p->error, status, p->path, 0, "%s", jn_status_text(status));
  return status == JN_ERR_FILE ? JN_OK : status;
}

jn_status jn_table_save(const jn_table *table, const char *path, jn_error *error) {
  printing p = {table, JN_TABLE_CSV, path, error};
  if (!table) return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "table is NULL");
  jn_status status = format_of(path, &p.format, error);
  return status ? status : jn_file_write(path, print, &p, error);
}
