/* json_reader.c: checked reading of a JSON text. */
#include "io/json_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "io/number.h"
#include "io/text.h"

/* ---- the text */

static void load(jn_json_text *t, const char *bytes, size_t size) {
  static const char xml[] = "this is XML, not JSON: a URDF file needs the ending .urdf";
  json_error_t where;
  char syntax[sizeof where.text + 64];
  int lacks_memory;
  size_t start = 0;
  t->root = jn_json_load(bytes, size, &lacks_memory, &where);
  if (t->root) return;
  while (start < size && bytes[start] && strchr(" \t\r\n", bytes[start])) start++;
  snprintf(syntax, sizeof syntax, "not valid JSON: column %d: %s", where.column,
           json_error_code(&where) == json_error_null_character ? "a null character in a string"
                                                                : where.text);
  t->status = jn_fail(t->error, lacks_memory ? JN_ERR_MEMORY : JN_ERR_SYNTAX, t->file,
                      where.line > 0 && start < size ? where.line : 1, "%s",
                      lacks_memory          ? "out of memory"
                      : start == size       ? "the text is empty"
                      : bytes[start] == '<' ? xml
                                            : syntax);
}

jn_status jn_json_open(jn_json_text *t, const char *bytes, size_t size, const char *file,
                       const jn_allocator *allocator, jn_error *error) {
  *t = (jn_json_text){.file = file, .error = error};
  t->status = jn_json_lines_new(&t->lines, bytes, size, allocator, file, error);
  if (!t->status) load(t, bytes, size);
  const jn_json root = jn_json_root(t);
  jn_json_object(&root);
  return t->status;
}

void jn_json_close(jn_json_text *t) {
  json_decref(t->root);
  jn_json_lines_free(&t->lines);
  t->root = NULL;
}

/* ---- values */

/* The element or member at a place of a container, and its node. */
static void take(jn_json *v, json_t *element, void *member, unsigned node) {
  v->key = json_object_iter_key(member);
  v->value = member ? json_object_iter_value(member) : element;
  v->node = v->value ? node : v->parent->node;
}

jn_json jn_json_root(jn_json_text *t) { return (jn_json){.text = t, .value = t->root}; }

jn_json jn_json_member(const jn_json *object, const char *key) {
  jn_json v = {.text = object->text, .node = object->node, .parent = object, .key = key};
  if (v.text->status || !json_object_get(object->value, key)) return v;
  void *i = json_object_iter(object->value);
  unsigned node = object->node + 1;
  for (; strcmp(json_object_iter_key(i), key) != 0; i = json_object_iter_next(object->value, i))
    node = v.text->lines.node[node].end;
  take(&v, NULL, i, node);
  return v;
}

jn_json jn_json_first(const jn_json *container) {
  jn_json v = {.text = container->text, .node = container->node, .parent = container};
  if (v.text->status) return v;
  take(&v, json_array_get(container->value, 0), json_object_iter(container->value), v.node + 1);
  return v;
}

jn_json jn_json_next(const jn_json *item) {
  jn_json v = *item;
  json_t *container = item->parent->value;
  v.value = NULL;
  v.index++;
  if (v.text->status || !item->value) return v;
  void *i = item->key ? json_object_key_to_iter(item->key) : NULL;
  take(&v, json_array_get(container, (size_t)v.index), json_object_iter_next(container, i),
       v.text->lines.node[v.node].end);
  return v;
}

int jn_json_is(const jn_json *v, json_type type) {
  return v->value && json_typeof(v->value) == type;
}

int jn_json_line(const jn_json *v) {
  return v->text->lines.node ? v->text->lines.node[v->node].line : 0;
}

/* ---- messages */

/* the name of an object with a kind; NULL: none */
static const char *name_of(const jn_json *v) {
  const char *name = v->kind ? json_string_value(json_object_get(v->value, "name")) : NULL;
  return name && name[0] ? name : NULL;
}

/* What precedes a value in its path: not the list of an element that has a name. */
static const jn_json *before(const jn_json *v) {
  return !v->key && name_of(v) ? v->parent->parent : v->parent;
}

void jn_json_path(const jn_json *v, char path[JN_JSON_PATH]) {
  enum { DEEPEST = 32 };
  const jn_json *chain[DEEPEST];
  int n = 0;
  for (; v->parent && n < DEEPEST; v = before(v)) chain[n++] = v;
  path[0] = '\0';
  while (n-- > 0) {
    const char *name = name_of(chain[n]);
    const size_t used = strlen(path), room = JN_JSON_PATH - used;
    const char *between = used == 0 ? "" : name || name_of(before(chain[n])) ? ": " : ".";
    if (name)
      snprintf(path + used, room, "%s%s '%s'", between, chain[n]->kind, name);
    else if (chain[n]->key)
      snprintf(path + used, room, "%s%s", between, chain[n]->key);
    else
      snprintf(path + used, room, "[%d]", chain[n]->index);
    jn_clean_text(path, JN_JSON_PATH);
  }
}

int jn_json_fail(const jn_json *v, jn_status status, const char *format, ...) {
  char path[JN_JSON_PATH], sentence[JN_MAX_MESSAGE];
  va_list arguments;
  if (v->text->status) return 0;
  va_start(arguments, format);
  jn_format_list(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  jn_json_path(v, path);
  v->text->status = jn_fail(v->text->error, status, v->text->file, jn_json_line(v), "%s%s%s", path,
                            path[0] ? ": " : "", sentence);
  return 0;
}

int jn_json_expected(const jn_json *v, const char *format, ...) {
  static const char *const types[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
      [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
  char what[JN_MAX_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  jn_format_list(what, sizeof what, format, arguments);
  va_end(arguments);
  if (!v->value) return jn_refuse(v, "missing: %s expected", what);
  return jn_refuse(v, "%s expected, found %s", what, types[json_typeof(v->value)]);
}

/* ---- typed readers */

static int is_a(const jn_json *v, json_type type, const char *what) {
  if (v->text->status) return 0;
  return jn_json_is(v, type) ? 1 : jn_json_expected(v, "%s", what);
}

int jn_json_object(const jn_json *v) { return is_a(v, JSON_OBJECT, "an object {...}"); }
int jn_json_list(const jn_json *v) { return is_a(v, JSON_ARRAY, "a list"); }

int jn_json_number(const jn_json *v, double *x) {
  if (!is_a(v, JSON_REAL, "a number")) return 0;
  *x = json_real_value(v->value);
  return 1;
}

int jn_json_whole(const jn_json *v, int least, int most, int *x) {
  double y = 0;
  char found[NUMBER_TEXT];
  if (!jn_json_number(v, &y)) return 0;
  if (y != floor(y) || y < least || y > most)
    return jn_refuse(v, "a whole number from %d to %d expected, found %s", least, most,
                     jn_write_number(y, 9, found));
  *x = (int)y;
  return 1;
}

static int has_length(const jn_json *v, int n, const char *of) {
  const size_t count = json_array_size(v->value);
  if (v->text->status) return 0;
  if (!jn_json_is(v, JSON_ARRAY)) return jn_json_expected(v, "a list of %d %s", n, of);
  return count == (size_t)n ? 1 : jn_refuse(v, "%d %s expected, found %zu", n, of, count);
}

int jn_json_numbers(const jn_json *v, int n, double *x) {
  if (!has_length(v, n, n == 1 ? "number" : "numbers")) return 0;
  for (jn_json e = jn_json_first(v); e.value; e = jn_json_next(&e)) jn_json_number(&e, x++);
  return !v->text->status;
}

void jn_json_each(const jn_json *object, const char *key, const char *kind,
                  void (*read)(const jn_json *element, void *context), void *context) {
  const jn_json list = jn_json_member(object, key);
  if (!list.value || !jn_json_list(&list)) return;
  for (jn_json e = jn_json_first(&list); e.value; e = jn_json_next(&e)) {
    e.kind = kind;
    read(&e, context);
  }
}

int jn_json_rows(const jn_json *v, int rows, double (*x)[3]) {
  if (!has_length(v, rows, "lists of 3 numbers")) return 0;
  for (jn_json e = jn_json_first(v); e.value; e = jn_json_next(&e)) jn_json_numbers(&e, 3, *x++);
  return !v->text->status;
}

int jn_json_quat(const jn_json *v, jn_quat *quat) {
  double x[4];
  char found[NUMBER_TEXT], within[NUMBER_TEXT];
  if (!jn_json_numbers(v, 4, x)) return 0;
  const double n2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
  if (!(fabs(n2 - 1) <= JN_ROTATION_TOLERANCE))
    return jn_json_fail(v, JN_ERR_POSE,
                        "a unit quaternion [w, x, y, z] expected: the sum of squares is %s, not 1 "
                        "within %s",
                        jn_write_number(n2, 9, found),
                        jn_write_number(JN_ROTATION_TOLERANCE, 3, within));
  *quat = jn_quat_make(x[0], x[1], x[2], x[3]);
  return 1;
}

int jn_json_bool(const jn_json *v, int *x) {
  *x = jn_json_is(v, JSON_TRUE);
  return is_a(v, *x ? JSON_TRUE : JSON_FALSE, "true or false");
}

const char *jn_json_string(const jn_json *v) {
  return is_a(v, JSON_STRING, "a string") ? json_string_value(v->value) : NULL;
}

const char *jn_json_name(const jn_json *v) {
  const char *name = jn_json_string(v);
  if (name && !name[0]) jn_refuse(v, "the name is empty");
  if (name && strlen(name) > JN_MAX_NAME)
    jn_json_fail(v, JN_ERR_LIMIT, "the name is longer than %d bytes", JN_MAX_NAME);
  return v->text->status ? NULL : name;
}

/* "a, b, c" */
static void join(const char *const *words, char *out, size_t room) {
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; words[i] && used < room; i++)
    used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", words[i]);
}

static int find(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

int jn_json_word(const jn_json *v, const char *const *words) {
  const char *word = json_string_value(v->value);
  char list[JN_JSON_HINT];
  if (v->text->status) return -1;
  int i = word ? find(word, words) : -1;
  if (i >= 0) return i;
  join(words, list, sizeof list);
  const char *near = word ? jn_nearest_word(word, words) : NULL;
  if (!word)
    jn_json_expected(v, "one of %s", list);
  else
    jn_refuse(v, "one of %s expected, found '%s'%s%s%s", list, word, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "");
  return -1;
}

int jn_json_rotation(const jn_json *object, jn_mat3 *R, jn_quat *quat) {
  const jn_json matrix = jn_json_member(object, "R"), numbers = jn_json_member(object, "quat");
  if (matrix.value && numbers.value)
    return jn_refuse(&numbers, "both 'R' and 'quat' are given: keep one");
  if (matrix.value) return jn_json_rows(&matrix, 3, R->m);
  return numbers.value && jn_json_quat(&numbers, quat) ? 2 : 0;
}

int jn_json_is_known(const jn_json *member, const char *const *known, char hint[JN_JSON_HINT]) {
  if (find(member->key, known) >= 0) return 1;
  const char *near = jn_nearest_word(member->key, known);
  int n = near ? snprintf(hint, JN_JSON_HINT, "; did you mean '%s'?", near)
               : snprintf(hint, JN_JSON_HINT, "; known: ");
  if (!near) join(known, hint + n, JN_JSON_HINT - (size_t)n);
  return 0;
}

int jn_json_keys(const jn_json *object, const char *const *known) {
  char hint[JN_JSON_HINT];
  for (jn_json m = jn_json_first(object); m.value; m = jn_json_next(&m))
    if (!jn_json_is_known(&m, known, hint)) return jn_refuse(&m, "unknown key%s", hint);
  return !object->text->status;
}
