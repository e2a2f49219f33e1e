/* xacro_write.c: the expanded URDF as a text, and as a spec whose lines are those of the sources. */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/load.h"
#include "io/text.h"
#include "io/xacro/xacro.h"
#include "model/spec.h"

/* ---- the text */

typedef struct writer {
  xacro *x;
  xacro_buffer text;
  const xml_node **origins; /* [line - 1]: the element that a line of the text belongs to; the last
                             * line is the empty one at the end */
  int lines, room;
} writer;

static void put(writer *w, const char *text) {
  jn_xacro_append(w->x, &w->text, text, strlen(text));
}

static void put_escaped(writer *w, const char *text, int in_attribute) {
  while (*text != '\0' && w->x->status == JN_OK) {
    const size_t n = strcspn(text, in_attribute ? "&<>\"\n\t\r" : "&<>\r");
    jn_xacro_append(w->x, &w->text, text, n);
    text += n;
    if (*text == '\0') break;
    const char c = *text++;
    put(w, c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\n' ? "&#10;"
           : c == '\t' ? "&#9;"
                       : "&#13;");
  }
}

static void own_line(writer *w, const xml_node *n) {
  if (w->x->status != JN_OK) return;
  if (w->lines == w->room) {
    const int room = w->room > 0 ? 2 * w->room : 256;
    const xml_node **more = jn_xacro_new(w->x, (size_t)room * sizeof *more);
    if (more == NULL) return;
    if (w->lines > 0) memcpy(more, w->origins, (size_t)w->lines * sizeof *more);
    w->origins = more;
    w->room = room;
  }
  w->origins[w->lines++] = n;
}

static void end_line(writer *w, const xml_node *n) {
  put(w, "\n");
  own_line(w, n);
}

static void indent(writer *w, int depth) {
  for (int i = 0; i < depth && w->x->status == JN_OK; i++) put(w, "  ");
}

static void put_characters(writer *w, const xml_node *n) {
  put_escaped(w, n->text, 0);
  for (const char *t = n->text; *t != '\0' && w->x->status == JN_OK; t++)
    if (*t == '\n') own_line(w, n->parent);
}

/* characters alone stay on the line of their element */
static int is_leaf(const xml_node *n) {
  return n->first == NULL || (n->first == n->last && n->first->name == NULL);
}

static void open_element(writer *w, const xml_node *n, int depth) {
  indent(w, depth);
  put(w, "<");
  put(w, n->name);
  for (const char **a = n->attributes; a[0] != NULL && w->x->status == JN_OK; a += 2) {
    put(w, " ");
    put(w, a[0]);
    put(w, "=\"");
    put_escaped(w, a[1], 1);
    put(w, "\"");
  }
  put(w, n->first == NULL ? "/>" : ">");
  if (n->first != NULL && is_leaf(n)) put_characters(w, n->first);
  if (n->first == NULL || !is_leaf(n)) end_line(w, n);
}

static void close_element(writer *w, const xml_node *n, int depth) {
  if (n->first == NULL) return;
  if (!is_leaf(n)) indent(w, depth);
  put(w, "</");
  put(w, n->name);
  put(w, ">");
  end_line(w, n);
}

static void write_tree(writer *w) {
  int depth = 0;
  const xml_node *n = w->x->output;
  put(w, "<?xml version=\"1.0\"?>");
  end_line(w, n);
  while (w->x->status == JN_OK) {
    if (n->name == NULL) {
      indent(w, depth);
      put_characters(w, n);
      end_line(w, n->parent);
    } else {
      open_element(w, n, depth);
      if (!is_leaf(n)) {
        n = n->first;
        depth++;
        continue;
      }
      close_element(w, n, depth);
    }
    while (n->next == NULL && n != w->x->output) {
      n = n->parent;
      close_element(w, n, --depth);
      if (n == w->x->output) return;
    }
    if (n == w->x->output) return;
    n = n->next;
  }
}

/* ---- lines of the sources */

static const xml_node *origin_of(const writer *w, int line) {
  return line > 0 ? w->origins[line - 1] : w->x->output;
}

/* The line in the main file: of the element, or of the call or include that led to it. */
static int main_line(const xml_node *n) {
  int line = n->file == 0 ? n->line : 0;
  for (const xacro_call *c = n->origin; c != NULL; c = c->up)
    if (c->file == 0) line = c->line;
  return line;
}

static int map_line(void *context, int line, char *prefix, size_t room) {
  const writer *w = context;
  prefix[0] = '\0';
  const xml_node *n = origin_of(w, line);
  const int in_main = main_line(n);
  if (n->file != 0 || n->line != in_main)
    snprintf(prefix, room, "%.200s:%d: ", w->x->files[n->file].name, n->line);
  return in_main;
}

/* "text:LINE: message" of the URDF reader becomes the message at the place in the sources. */
static jn_status place_error(writer *w, jn_status status, const jn_error *found, const char *name) {
  const xml_node *n = origin_of(w, found->line);
  char start[JN_MAX_PATH + 32];
  const char *message = found->message;
  snprintf(start, sizeof start, "%s:%d: ", name, found->line);
  if (strncmp(message, start, strlen(start)) == 0) message += strlen(start);
  w->x->at = n;
  w->x->call = n->origin;
  w->x->expression = NULL;
  w->x->status = JN_OK;
  jn_xacro_fail(w->x, status, "%s", message);
  return status;
}

/* ---- the functions */

int jn_is_xacro_element(const char *element) {
  static const char *const names[] = {"property", "macro", "include", "arg",       "if",
                                      "unless",   "call",  "element", "attribute", "insert_block"};
  if (strncmp(element, "xacro:", 6) != 0) return 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(element + 6, names[i]) == 0) return 1;
  return 0;
}

/* NULL, and `error`, if there is no memory. */
static xacro *begin(const jn_allocator *allocator, const char *name, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  xacro *x = jn_block_new(&hooks, 1, sizeof *x);
  if (x == NULL) {
    jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
    return NULL;
  }
  x->hooks = hooks;
  x->error = error;
  return x;
}

static void end(xacro *x) {
  const jn_allocator hooks = x->hooks;
  jn_xacro_free(x);
  jn_block_free(&hooks, x);
}

static jn_status make_text(writer *w, const char *text, size_t size, const char *name,
                           const char *path, const jn_load_options *options) {
  jn_xacro_run(w->x, text, size, name, path, options);
  w->x->at = w->x->files[0].root;
  if (w->x->status == JN_OK) write_tree(w);
  own_line(w, w->x->output);
  if (w->x->status == JN_OK && w->text.used > jn_file_limit())
    jn_xacro_fail(w->x, JN_ERR_LIMIT, "the expansion is larger than %d MiB",
                  (int)(jn_file_limit() / (1024 * 1024)));
  return w->x->status;
}

jn_status jn_xacro_parse(const char *text, size_t size, const char *name, const char *path,
                         const jn_load_options *options, const jn_opened *opened,
                         const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (name == NULL) name = "xacro";
  const jn_status refused = jn_text_check(text, size, out, name, error);
  if (refused) return refused;
  writer w = {begin(allocator, name, error), {NULL, 0, 0}, NULL, 0, 0};
  if (w.x == NULL) return JN_ERR_MEMORY;
  if (opened != NULL) w.x->tops.opened = *opened;
  jn_status status = make_text(&w, text, size, name, path, options);
  jn_spec *spec = NULL;
  if (status == JN_OK) {
    jn_error found = {JN_OK, 0, "", ""};
    status = jn_spec_parse_urdf(w.text.text, w.text.used, name, allocator, &spec, &found);
    if (status != JN_OK) place_error(&w, status, &found, name);
  }
  if (status == JN_OK) {
    status = jn_spec_map_lines(spec, map_line, &w);
    if (status != JN_OK) jn_fail(error, status, name, 0, "%s", jn_status_text(status));
  }
  if (status == JN_OK)
    *out = spec;
  else
    jn_spec_free(spec);
  end(w.x);
  return status;
}

jn_status jn_spec_parse_xacro(const char *text, size_t size, const char *name,
                              const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  return jn_xacro_parse(text, size, name, NULL, NULL, NULL, allocator, out, error);
}

static jn_status expand_as_text(const char *text, size_t size, const char *name, const char *path,
                                const jn_load_options *options, const jn_opened *opened,
                                const jn_allocator *allocator, char **out, jn_error *error) {
  const jn_status refused = jn_text_check(text, size, out, name, error);
  if (refused) return refused;
  writer w = {begin(allocator, name, error), {NULL, 0, 0}, NULL, 0, 0};
  if (w.x == NULL) return JN_ERR_MEMORY;
  if (opened != NULL) w.x->tops.opened = *opened;
  jn_status status = make_text(&w, text, size, name, path, options);
  if (status == JN_OK) {
    char *copy = jn_block_new(&w.x->hooks, w.text.used + 1, 1);
    if (copy == NULL)
      status = jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
    else
      *out = memcpy(copy, w.text.text, w.text.used + 1);
  }
  end(w.x);
  return status;
}

jn_status jn_xacro_expand_from(const char *path, const char *text, size_t size,
                               const jn_load_options *options, const jn_opened *opened,
                               const jn_allocator *allocator, char **out, jn_error *error) {
  if (text != NULL)
    return expand_as_text(text, size, path, NULL, options, opened, allocator, out, error);
  if (path == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "path or out is NULL");
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  char *read = NULL;
  jn_status status = jn_file_read(path, &hooks, &read, &size, error);
  if (status != JN_OK) return status;
  status = expand_as_text(read, size, path, path, options, opened, allocator, out, error);
  jn_block_free(&hooks, read);
  return status;
}

jn_status jn_xacro_expand_text(const char *text, size_t size, const char *name,
                               const jn_load_options *options, const jn_allocator *allocator,
                               char **out, jn_error *error) {
  return expand_as_text(text, size, name != NULL ? name : "xacro", NULL, options, NULL, allocator,
                        out, error);
}

jn_status jn_xacro_expand(const char *path, const jn_load_options *options,
                          const jn_allocator *allocator, char **out, jn_error *error) {
  return jn_xacro_expand_from(path, NULL, 0, options, NULL, allocator, out, error);
}

void jn_text_free(char *text, const jn_allocator *allocator) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_block_free(&hooks, text);
}
