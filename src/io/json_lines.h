/* json_lines.h: where the values of a JSON text stand. The JSON library knows lines only for syntax
 * errors; one pass over the text before it gives the line of every value, and checks depth and
 * size. */
#ifndef JOUNCE_SRC_JSON_LINES_H
#define JOUNCE_SRC_JSON_LINES_H

#include <jansson.h>
#include <jounce/base.h>

/* One value, in the order of the text (a value before its members); `end` is the index behind its
 * last descendant, so that the next sibling of node i is node[i].end. A member has the line of its
 * key. */
typedef struct json_node {
  int line;
  unsigned end;
} json_node;

typedef struct json_lines {
  jn_allocator hooks;
  json_node *node; /* and one behind the last, without a line, for what is no value */
  unsigned count;
} json_lines;

/* JN_ERR_LIMIT: nested deeper than JN_MAX_JSON_DEPTH, or values that would take a parser more than
 * JN_MAX_JSON_HEAP bytes. The text need not be well-formed; for a text that is not, the nodes mean
 * nothing. */
jn_status jn_json_lines_new(json_lines *lines, const char *text, size_t size,
                            const jn_allocator *allocator, const char *file, jn_error *error);
void jn_json_lines_free(json_lines *lines);

/* The text as a tree, all numbers as JSON_REAL, a key given twice refused. NULL: *lacks_memory says
 * whether for want of memory, which the library may call a syntax error; *where is what it says. */
json_t *jn_json_load(const char *text, size_t size, int *lacks_memory, json_error_t *where);

#endif
