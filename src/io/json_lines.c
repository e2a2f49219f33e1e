/* json_lines.c: scans a JSON text without recursion, twice: to count its values, then to record
 * their lines. */
#include "io/json_lines.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "io/text.h"

/* estimated memory of the parser in bytes: an object, an array, any other value with its key */
enum { OBJECT_BYTES = 208, ARRAY_BYTES = 128, VALUE_BYTES = 96 };

typedef struct container {
  unsigned node;
  int is_object, wants_key, key_line, keys;
} container;

typedef struct scan {
  const char *p, *end;
  int line;
  json_node *node; /* NULL: count only */
  unsigned count;
  uint64_t heap;
  int depth;
  container open[JN_MAX_JSON_DEPTH + 1]; /* [0]: the text itself */
} scan;

static void skip_string(scan *s) {
  s->p++;
  while (s->p < s->end && *s->p != '"') {
    if (*s->p == '\\' && s->p + 1 < s->end) s->p++;
    if (*s->p == '\n') s->line++;
    s->p++;
  }
  if (s->p < s->end) s->p++;
}

static void skip_scalar(scan *s) {
  static const char ends[11] = ",:\"{}[] \t\r\n";
  while (s->p < s->end && !memchr(ends, *s->p, sizeof ends)) s->p++;
}

static unsigned add_node(scan *s, int bytes) {
  const container *in = &s->open[s->depth];
  s->heap += (uint64_t)bytes;
  if (s->node != NULL)
    s->node[s->count] = (json_node){in->is_object ? in->key_line : s->line, s->count + 1};
  return s->count++;
}

static jn_status open_container(scan *s, int is_object, const char *file, jn_error *error) {
  if (s->depth == JN_MAX_JSON_DEPTH)
    return jn_fail(error, JN_ERR_LIMIT, file, s->line, "values are nested deeper than %d",
                   JN_MAX_JSON_DEPTH);
  unsigned node = add_node(s, is_object ? OBJECT_BYTES : ARRAY_BYTES);
  s->open[++s->depth] = (container){node, is_object, is_object, s->line, 0};
  return JN_OK;
}

static jn_status run(scan *s, json_node *node, const char *text, size_t size, const char *file,
                     jn_error *error) {
  *s = (scan){.p = text, .end = text + size, .line = 1, .node = node};
  while (s->p < s->end) {
    const char c = *s->p;
    container *in = &s->open[s->depth];
    if (c == '\n') s->line++;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ':') {
      s->p++;
    } else if (c == ',') {
      in->wants_key = in->is_object;
      s->p++;
    } else if (c == '{' || c == '[') {
      jn_status status = open_container(s, c == '{', file, error);
      if (status != JN_OK) return status;
      s->p++;
    } else if (c == '}' || c == ']') {
      if (s->depth > 0) {
        if (s->node != NULL) s->node[in->node].end = s->count;
        s->depth--;
      }
      s->p++;
    } else if (c == '"' && in->wants_key) {
      in->wants_key = 0;
      in->key_line = s->line;
      if (++in->keys > JN_MAX_JSON_KEYS)
        return jn_fail(error, JN_ERR_LIMIT, file, s->line, "an object has more than %d keys",
                       JN_MAX_JSON_KEYS);
      skip_string(s);
    } else {
      add_node(s, VALUE_BYTES);
      if (c == '"')
        skip_string(s);
      else
        skip_scalar(s);
    }
    if (s->heap > JN_MAX_JSON_HEAP)
      return jn_fail(error, JN_ERR_LIMIT, file, s->line,
                     "the values up to here need more than %d MiB",
                     (int)(JN_MAX_JSON_HEAP / (1024 * 1024)));
  }
  return JN_OK;
}

jn_status jn_json_lines_new(json_lines *lines, const char *text, size_t size,
                            const jn_allocator *allocator, const char *file, jn_error *error) {
  scan s;
  lines->hooks = jn_allocator_or_default(allocator);
  lines->node = NULL;
  jn_status status = run(&s, NULL, text, size, file, error);
  if (status != JN_OK) return status;
  lines->count = s.count;
  lines->node = jn_block_new(&lines->hooks, s.count, sizeof *lines->node);
  if (lines->node == NULL) return jn_fail(error, JN_ERR_MEMORY, file, 0, "out of memory");
  return run(&s, lines->node, text, size, file, error);
}

void jn_json_lines_free(json_lines *lines) {
  jn_block_free(&lines->hooks, lines->node);
  lines->node = NULL;
}

/* Jansson stores a token byte by byte. Without memory it drops a byte and reports nothing: a
 * name or a number would be wrong. Fed one byte at a time, it asks for the next byte before the
 * token ends, and errno is checked then. */
typedef struct feed {
  const char *at, *end;
  int lacks_memory;
} feed;

static size_t give_byte(void *buffer, size_t room, void *context) {
  feed *f = context;
  (void)room;
  f->lacks_memory |= errno == ENOMEM;
  if (f->lacks_memory || f->at == f->end) return 0;
  *(char *)buffer = *f->at++;
  return 1;
}

json_t *jn_json_load(const char *text, size_t size, int *lacks_memory, json_error_t *where) {
  feed f = {text, text + size, 0};
  const int saved = errno;
  errno = 0;
  json_t *root =
      json_load_callback(give_byte, &f, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, where);
  *lacks_memory = f.lacks_memory | (errno == ENOMEM) | (where->text[0] == '\0');
  errno = saved;
  return root;
}

void jn_json_dump_free(char *text) {
  json_free_t release;
  json_get_alloc_funcs(NULL, &release);
  if (text != NULL) release(text);
}
