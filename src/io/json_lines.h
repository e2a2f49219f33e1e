/* json_lines.h (private): line numbers of the values of a JSON text. The JSON library has lines
 * for syntax errors only. A pass over the text before it finds the line of every value, and
 * checks depth and size. */
#ifndef JOUNCE_SRC_JSON_LINES_H
#define JOUNCE_SRC_JSON_LINES_H

#include <jansson.h>
#include <jounce/base.h>

/* One value, in the order of the text (a value before its members). `end` is the index after its
 * last descendant, so that the next sibling of node i is node[i].end. A member of an object has the
 * line of its key. */
typedef struct json_node {
  int line;
  unsigned end;
} json_node;

typedef struct json_lines {
  jn_allocator hooks;
  json_node *node; /* [count] */
  unsigned count;
} json_lines;

/* JN_ERR_LIMIT: nested deeper than JN_MAX_JSON_DEPTH, an object with more than JN_MAX_JSON_KEYS
 * keys, or values for which a parser would need more than JN_MAX_JSON_HEAP bytes. The text need not
 * be well-formed; if it is not, the nodes are meaningless. */
jn_status jn_json_lines_new(json_lines *lines, const char *text, size_t size,
                            const jn_allocator *allocator, const char *file, jn_error *error);
void jn_json_lines_free(json_lines *lines);

/* Parses the text into a tree. All numbers are JSON_REAL; duplicate keys are refused. On failure
 * NULL: *lacks_memory says whether memory ran out, which the library may report as a syntax error;
 * *where is its report. */
json_t *jn_json_load(const char *text, size_t size, int *lacks_memory, json_error_t *where);

/* Releases a text of jansson, whose memory may come from the application (json_set_alloc_funcs). */
void jn_json_dump_free(char *text);

#endif
