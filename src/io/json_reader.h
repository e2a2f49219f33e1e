/* json_reader.h (private): checked reading of a JSON text. A value knows its line and its key path.
 * The first failure is recorded as
 *
 *   file:line: path: sentence         arm.json:12: body 'arm': com: 3 numbers expected, found 2
 *
 * and every later read does nothing: a caller may read on and ask for the status at the end. */
#ifndef JOUNCE_SRC_JSON_READER_H
#define JOUNCE_SRC_JSON_READER_H

#include <jounce/spatial.h>

#include "io/json_lines.h"

typedef struct jn_json_text {
  const char *file;
  jn_error *error;  /* may be NULL */
  jn_status status; /* of the first failure */
  json_lines lines;
  json_t *root;
} jn_json_text;

typedef struct jn_json {
  jn_json_text *text;
  json_t *value;                /* NULL: missing */
  unsigned node;                /* for its line; a missing value has the line of its object */
  const struct jn_json *parent; /* must live as long as this value; NULL: the whole text */
  const char *key;              /* NULL: an element of a list */
  int index;
  const char *kind; /* "body": an object with a name is "body 'arm'" in paths, not "bodies[1]" */
} jn_json;

enum { JN_JSON_PATH = 400, JN_JSON_HINT = 400 };

/* Parses a text, which must be one object. Call jn_json_close in any case. */
jn_status jn_json_open(jn_json_text *text, const char *bytes, size_t size, const char *file,
                       const jn_allocator *allocator, jn_error *error);
void jn_json_close(jn_json_text *text);
jn_json jn_json_root(jn_json_text *text);

jn_json jn_json_member(const jn_json *object, const char *key);
/* Members of an object or elements of a list, in the order of the text:
 *   for (jn_json v = jn_json_first(&list); v.value; v = jn_json_next(&v))
 * The loop ends after a failure. */
jn_json jn_json_first(const jn_json *container);
jn_json jn_json_next(const jn_json *item);

int jn_json_is(const jn_json *v, json_type type); /* all numbers are JSON_REAL; 0: missing */
int jn_json_line(const jn_json *v);               /* 0: a text without lines */
/* "joints.elbow[2]", "body 'arm': joint 'elbow': axis"; "" for the whole text */
void jn_json_path(const jn_json *v, char path[JN_JSON_PATH]);

/* Records a failure at a value, unless there is one already. Returns 0. */
int jn_json_fail(const jn_json *v, jn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define jn_refuse(v, ...) jn_json_fail(v, JN_ERR_SYNTAX, __VA_ARGS__)
/* "a number expected, found a string", or "missing: a number expected" */
int jn_json_expected(const jn_json *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Readers. 1: done; 0: a failure, now or before. A missing value is a failure (JN_ERR_SYNTAX). */
int jn_json_object(const jn_json *v);
int jn_json_list(const jn_json *v);
int jn_json_number(const jn_json *v, double *x);
int jn_json_whole(const jn_json *v, int least, int most, int *x);
/* a list of exactly n numbers; of exactly `rows` lists of 3 numbers */
int jn_json_numbers(const jn_json *v, int n, double *x);
int jn_json_rows(const jn_json *v, int rows, double (*x)[3]);
/* Calls `read` with each element of the list `key` of an object; nothing without it. kind: of them, in
 * messages. */
void jn_json_each(const jn_json *object, const char *key, const char *kind,
                  void (*read)(const jn_json *element, void *context), void *context);
/* a unit quaternion [w, x, y, z], else JN_ERR_POSE; not normalised */
int jn_json_quat(const jn_json *v, jn_quat *quat);
int jn_json_bool(const jn_json *v, int *x);
/* owned by the text, NULL after a failure; a name has 1 to JN_MAX_NAME bytes (more: JN_ERR_LIMIT) */
const char *jn_json_string(const jn_json *v);
const char *jn_json_name(const jn_json *v);
/* the index of a string in `words` (ended by NULL); -1: a failure */
int jn_json_word(const jn_json *v, const char *const *words);

/* The rotation of an object: 1: *R ("R", not checked to be a rotation), 2: *quat ("quat"), 0:
 * neither, or a failure. */
int jn_json_rotation(const jn_json *object, jn_mat3 *R, jn_quat *quat);

/* Refuses keys of the object that are not in `known` (ended by NULL). */
int jn_json_keys(const jn_json *object, const char *const *known);
/* Is the key of a member in `known`? If not, hint is "; did you mean 'mass'?" or "; known: ...". */
int jn_json_is_known(const jn_json *member, const char *const *known, char hint[JN_JSON_HINT]);

#endif
