/* reader.c: untrusted JSON -> numbers. */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/limits.h>

#include "io/json_lines.h"
#include "result.h"

char *cli_read_file(const char *path, const char *shown, size_t *size) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!file) {
    cli_error("%s: cannot be read: %s", shown, strerror(errno));
    return NULL;
  }
  size_t room = 1 << 16, used = 0;
  char *text = malloc(room);
  while (text) {
    used += fread(text + used, 1, room - used, file);
    if (used < room || used > JN_MAX_FILE) break;
    char *larger = realloc(text, room *= 2);
    if (!larger) free(text);
    text = larger;
  }
  int failed = ferror(file), reason = errno;
  if (file != stdin) fclose(file);
  if (!text) {
    cli_error("%s: out of memory", shown);
  } else if (failed) {
    cli_error("%s: cannot be read: %s", shown, strerror(reason));
  } else if (used > JN_MAX_FILE) {
    cli_error("%s: larger than %d bytes", shown, JN_MAX_FILE);
  } else {
    *size = used;
    return text;
  }
  free(text);
  return NULL;
}

json_t *cli_read_json(const char *path, const char *shown) {
  size_t size = 0;
  char *text = cli_read_file(path, shown, &size);
  if (!text) return NULL;
  json_lines lines;
  jn_error limit = {0};
  json_error_t error;
  json_t *root = NULL;
  int lacks_memory;
  size_t blank = 0;
  while (blank < size && strchr(" \t\r\n", text[blank]) && text[blank]) blank++;
  if (blank == size) {
    cli_error("%s:1: %s is empty", shown, strcmp(path, "-") == 0 ? "the input" : "the file");
  } else if (jn_json_lines_new(&lines, text, size, NULL, shown, &limit)) {
    cli_error("%s", limit.message);
  } else {
    jn_json_lines_free(&lines);
    root = jn_json_load(text, size, &lacks_memory, &error);
    if (!root && lacks_memory) cli_error("%s: out of memory", shown);
    if (!root && !lacks_memory)
      cli_error("%s:%d: not valid JSON: %s", shown, error.line < 1 ? 1 : error.line, error.text);
  }
  free(text);
  if (!root || json_is_object(root)) return root;
  cli_error("%s:1: a JSON object {...} expected", shown);
  json_decref(root);
  return NULL;
}

cli_value cli_member(const cli_value *object, const char *name) {
  cli_value v = {object->reader, json_object_get(object->json, name), ""};
  snprintf(v.key, sizeof v.key, "%.320s%s%.300s", object->key, object->key[0] ? "." : "", name);
  return v;
}

cli_value cli_element(const cli_value *list, int index) {
  cli_value v = {list->reader, json_array_get(list->json, (size_t)index), ""};
  snprintf(v.key, sizeof v.key, "%.600s[%d]", list->key, index);
  return v;
}

int cli_refuse(const cli_value *value, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return cli_bad_input("%s: %s%s%s", value->reader->file, value->key, value->key[0] ? ": " : "",
                       text);
}

static const char *kind_of(const cli_value *value) {
  static const char *const names[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
      [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
  return value->json ? names[json_typeof(value->json)] : "nothing";
}

int cli_expect_object(const cli_value *value) {
  if (json_is_object(value->json)) return 0;
  return cli_refuse(value, "an object {...} expected, found %s", kind_of(value));
}

/* "; did you mean 'a'? known: a, b": the whole list, since there are few keys */
static void describe_keys(const char *name, const char *const *known, char *out, size_t size) {
  cli_suggest(name, cli_words_of(known), out, size);
  if (strncmp(out, "; known", 7) == 0) return;
  for (int i = 0; known[i]; i++)
    cli_append(out, size, "%s%s", i ? ", " : *out ? " known: " : "; known: ", known[i]);
}

int cli_expect_keys(const cli_value *object, const char *const *known) {
  const char *name;
  json_t *value;
  json_object_foreach(object->json, name, value) {
    int i = 0;
    while (known[i] && strcmp(known[i], name) != 0) i++;
    if (known[i]) continue;
    char hint[512];
    cli_value at = cli_member(object, name);
    describe_keys(name, known, hint, sizeof hint);
    return cli_refuse(&at, "unknown key%s", hint);
  }
  return 0;
}

int cli_read_number(const cli_value *value, double *out) {
  if (!json_is_number(value->json))
    return cli_refuse(value, "a number expected, found %s", kind_of(value));
  *out = json_number_value(value->json);
  return isfinite(*out) ? 0 : cli_refuse(value, "the number is not finite");
}

int cli_read_numbers(const cli_value *value, int n, double *out) {
  const size_t count = json_array_size(value->json);
  if (!json_is_array(value->json))
    return cli_refuse(value, "a list of %d numbers expected, found %s", n, kind_of(value));
  if (count != (size_t)n) return cli_refuse(value, "%d numbers expected, found %zu", n, count);
  for (int i = 0; i < n; i++) {
    cli_value item = cli_element(value, i);
    if (cli_read_number(&item, &out[i])) return CLI_BAD_INPUT;
  }
  return 0;
}

/* "q, q', ..., q^(4)": the items that a list needs */
static void describe(const cli_list *list, char *out, size_t size) {
  out[0] = '\0';
  for (int k = 0; k < list->needed; k++) {
    char name[64];
    if (k == 2 && list->needed > 4) {
      cli_append(out, size, ", ...");
      k = list->needed - 1;
    }
    cli_derivative_name(list->symbol, list->first + k, name, sizeof name);
    cli_append(out, size, "%s%s", k ? ", " : "", name);
  }
}

static int too_few(const cli_value *value, const cli_list *list, size_t given) {
  char items[160], unit[48];
  describe(list, items, sizeof items);
  if (list->flat) {
    snprintf(unit, sizeof unit, given == 1 ? "number" : "numbers");
  } else {
    snprintf(unit, sizeof unit, "%s of %d numbers", given == 1 ? "list" : "lists", list->width);
  }
  return cli_refuse(value, "%zu %s given, order %d needs %d (%s); give more or use --pad", given,
                    unit, value->reader->order, list->needed, items);
}

int cli_read_rows(const cli_value *value, const cli_list *list) {
  const size_t width = (size_t)list->width, given = json_array_size(value->json);
  double *rows = value->reader->rows;
  memset(rows, 0, (size_t)list->needed * width * sizeof *rows);
  if (value->json && !json_is_array(value->json))
    return cli_refuse(value, "a list of %s expected, found %s",
                      list->flat ? "numbers" : "lists of numbers", kind_of(value));
  for (int k = 0; k < list->needed && (size_t)k < given; k++) {
    cli_value at = cli_element(value, k);
    double *row = rows + (size_t)k * width;
    int code = list->flat ? cli_read_number(&at, row) : cli_read_numbers(&at, list->width, row);
    if (code) return code;
  }
  if (given < (size_t)list->needed && !value->reader->pad) return too_few(value, list, given);
  return 0;
}

static int read_quat(const cli_value *value, jn_quat *quat) {
  double x[4], square = 0;
  if (cli_read_numbers(value, 4, x)) return CLI_BAD_INPUT;
  for (int i = 0; i < 4; i++) square += x[i] * x[i];
  if (!(fabs(square - 1) <= JN_ROTATION_TOLERANCE))
    return cli_refuse(value, "not a unit quaternion (w, x, y, z): its length is %.9g",
                      sqrt(square));
  double s = 1 / sqrt(square);
  *quat = (jn_quat){x[0] * s, x[1] * s, x[2] * s, x[3] * s};
  return 0;
}

static int read_matrix(const cli_value *value, jn_mat3 *R) {
  if (!json_is_array(value->json) || json_array_size(value->json) != 3)
    return cli_refuse(value, "three rows of 3 numbers expected");
  for (int i = 0; i < 3; i++) {
    cli_value row = cli_element(value, i);
    if (cli_read_numbers(&row, 3, R->m[i])) return CLI_BAD_INPUT;
  }
  return 0;
}

int cli_read_rotation(const cli_value *object, int *found, jn_mat3 *R, jn_quat *quat) {
  const cli_value matrix = cli_member(object, "R"), numbers = cli_member(object, "quat");
  *found = matrix.json ? 1 : numbers.json ? 2 : 0;
  if (matrix.json && numbers.json)
    return cli_refuse(object, "both 'R' and 'quat' given; remove one");
  if (matrix.json) return read_matrix(&matrix, R);
  return numbers.json ? read_quat(&numbers, quat) : 0;
}
