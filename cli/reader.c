/* reader.c: hostile JSON -> numbers. */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/limits.h>

#include "../src/io/json_lines.h"
#include "table.h"

/* The bytes of a file, up to the limit; NULL after a message. */
static char *read_bytes(const char *path, const char *shown, size_t *size) {
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
  char *text = read_bytes(path, shown, &size);
  if (!text) return NULL;
  size_t blank = 0;
  while (blank < size && strchr(" \t\r\n", text[blank]) && text[blank]) blank++;
  if (blank == size) {
    cli_error("%s:1: %s is empty", shown, strcmp(path, "-") == 0 ? "the input" : "the file");
    free(text);
    return NULL;
  }
  json_lines lines;
  jn_error limit = {0};
  if (jn_json_lines_new(&lines, text, size, NULL, shown, &limit)) {
    cli_error("%s", limit.message);
    free(text);
    return NULL;
  }
  jn_json_lines_free(&lines);
  json_error_t error;
  int lacks_memory;
  json_t *root = jn_json_load(text, size, &lacks_memory, &error);
  free(text);
  if (!root && lacks_memory) {
    cli_error("%s: out of memory", shown);
    return NULL;
  }
  if (!root) {
    if (error.line < 1) error.line = 1;
    cli_error("%s:%d: not valid JSON: %s", shown, error.line, error.text);
    return NULL;
  }
  if (!json_is_object(root)) {
    cli_error("%s:1: a JSON object {...} expected", shown);
    json_decref(root);
    return NULL;
  }
  return root;
}

cli_key cli_key_of(const char *text) {
  cli_key key;
  snprintf(key.text, sizeof key.text, "%s", text);
  return key;
}

cli_key cli_key_below(const cli_key *key, const char *name) {
  cli_key below;
  if (key->text[0]) {
    snprintf(below.text, sizeof below.text, "%.320s.%.300s", key->text, name);
  } else {
    snprintf(below.text, sizeof below.text, "%.300s", name);
  }
  return below;
}

cli_key cli_key_item(const cli_key *key, int index) {
  cli_key item;
  snprintf(item.text, sizeof item.text, "%.600s[%d]", key->text, index);
  return item;
}

int cli_refuse(const cli_reader *reader, const cli_key *key, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cli_error("%s: %s%s%s", reader->file, key->text, key->text[0] ? ": " : "", text);
  return CLI_BAD_INPUT;
}

static const char *kind_of(const json_t *value) {
  if (!value) return "nothing";
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      return "an object";
    case JSON_ARRAY:
      return "a list";
    case JSON_STRING:
      return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
      return "a number";
    case JSON_TRUE:
      return "true";
    case JSON_FALSE:
      return "false";
    default:
      return "null";
  }
}

int cli_expect_object(const cli_reader *reader, const cli_key *key, const json_t *value) {
  if (json_is_object(value)) return 0;
  return cli_refuse(reader, key, "an object {...} expected, found %s", kind_of(value));
}

/* "; did you mean 'a'? known: a, b": the whole list, for keys are few */
static void describe_keys(const char *name, const char *const *known, char *out, size_t size) {
  cli_suggest(name, cli_words_of(known), out, size);
  if (strncmp(out, "; known", 7) == 0) return;
  for (int i = 0; known[i]; i++) {
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", i ? ", " : *out ? " known: " : "; known: ", known[i]);
  }
}

int cli_expect_keys(const cli_reader *reader, const cli_key *key, json_t *object,
                    const char *const *known) {
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    int found = 0;
    for (int i = 0; known[i] && !found; i++) found = strcmp(known[i], name) == 0;
    if (found) continue;
    char hint[512];
    cli_key at = cli_key_below(key, name);
    describe_keys(name, known, hint, sizeof hint);
    return cli_refuse(reader, &at, "unknown key%s", hint);
  }
  return 0;
}

int cli_read_number(const cli_reader *reader, const cli_key *key, const json_t *value,
                    double *out) {
  if (!json_is_number(value)) {
    return cli_refuse(reader, key, "a number expected, found %s", kind_of(value));
  }
  *out = json_number_value(value);
  if (!isfinite(*out)) return cli_refuse(reader, key, "the number is not finite");
  return 0;
}

int cli_read_numbers(const cli_reader *reader, const cli_key *key, const json_t *value, int n,
                     double *out) {
  if (!json_is_array(value)) {
    return cli_refuse(reader, key, "a list of %d numbers expected, found %s", n, kind_of(value));
  }
  if (json_array_size(value) != (size_t)n) {
    return cli_refuse(reader, key, "%d numbers expected, found %zu", n, json_array_size(value));
  }
  for (int i = 0; i < n; i++) {
    cli_key item = cli_key_item(key, i);
    if (cli_read_number(reader, &item, json_array_get(value, (size_t)i), &out[i]))
      return CLI_BAD_INPUT;
  }
  return 0;
}

/* "q, q', ..., q^(4)": the items of a list that needs them */
static void describe(const cli_list *list, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (int k = 0; k < list->needed && used < size; k++) {
    if (k == 2 && list->needed > 4) {
      snprintf(out + used, size - used, ", ...");
      used = strlen(out);
      k = list->needed - 1;
    }
    char name[64];
    cli_derivative_name(list->symbol, list->first + k, name, sizeof name);
    snprintf(out + used, size - used, "%s%s", k ? ", " : "", name);
    used = strlen(out);
  }
}

static int too_few(const cli_reader *reader, const cli_key *key, const cli_list *list,
                   size_t given) {
  char items[160], unit[48];
  describe(list, items, sizeof items);
  if (list->flat) {
    snprintf(unit, sizeof unit, given == 1 ? "number" : "numbers");
  } else {
    snprintf(unit, sizeof unit, "%s of %d numbers", given == 1 ? "list" : "lists", list->width);
  }
  return cli_refuse(reader, key, "%zu %s given, order %d needs %d (%s); give more or use --pad",
                    given, unit, reader->order, list->needed, items);
}

int cli_read_rows(cli_reader *reader, const cli_key *key, const json_t *value,
                  const cli_list *list) {
  size_t width = (size_t)list->width;
  memset(reader->rows, 0, (size_t)list->needed * width * sizeof *reader->rows);
  if (value && !json_is_array(value)) {
    return cli_refuse(reader, key, "a list of %s expected, found %s",
                      list->flat ? "numbers" : "lists of numbers", kind_of(value));
  }
  size_t given = value ? json_array_size(value) : 0;
  for (int k = 0; k < list->needed && (size_t)k < given; k++) {
    const json_t *item = json_array_get(value, (size_t)k);
    double *row = reader->rows + (size_t)k * width;
    cli_key at = cli_key_item(key, k);
    int status = list->flat ? cli_read_number(reader, &at, item, row)
                            : cli_read_numbers(reader, &at, item, list->width, row);
    if (status) return status;
  }
  if (given < (size_t)list->needed && !reader->pad) return too_few(reader, key, list, given);
  return 0;
}

static int read_quat(const cli_reader *reader, const cli_key *key, const json_t *value,
                     jn_quat *quat) {
  double x[4], square = 0;
  if (cli_read_numbers(reader, key, value, 4, x)) return CLI_BAD_INPUT;
  for (int i = 0; i < 4; i++) square += x[i] * x[i];
  if (!(fabs(square - 1) <= JN_ROTATION_TOLERANCE)) {
    return cli_refuse(reader, key, "not a unit quaternion (w, x, y, z): its length is %.9g",
                      sqrt(square));
  }
  double s = 1 / sqrt(square);
  *quat = (jn_quat){x[0] * s, x[1] * s, x[2] * s, x[3] * s};
  return 0;
}

static int read_matrix(const cli_reader *reader, const cli_key *key, const json_t *value,
                       jn_mat3 *R) {
  if (!json_is_array(value) || json_array_size(value) != 3) {
    return cli_refuse(reader, key, "three rows of 3 numbers expected");
  }
  for (int i = 0; i < 3; i++) {
    cli_key row = cli_key_item(key, i);
    if (cli_read_numbers(reader, &row, json_array_get(value, (size_t)i), 3, R->m[i]))
      return CLI_BAD_INPUT;
  }
  return 0;
}

int cli_read_rotation(const cli_reader *reader, const cli_key *key, json_t *object, int *found,
                      jn_mat3 *R, jn_quat *quat) {
  json_t *matrix = json_object_get(object, "R"), *numbers = json_object_get(object, "quat");
  *found = 0;
  if (matrix && numbers) return cli_refuse(reader, key, "both 'R' and 'quat' given; leave one");
  if (matrix) {
    cli_key at = cli_key_below(key, "R");
    *found = 1;
    return read_matrix(reader, &at, matrix, R);
  }
  if (numbers) {
    cli_key at = cli_key_below(key, "quat");
    *found = 2;
    return read_quat(reader, &at, numbers, quat);
  }
  return 0;
}
