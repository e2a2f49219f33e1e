/* xacro.c: expands the elements of xacro: properties, macros, blocks, conditions, includes.
 *
 * The sources stay as they are; the expansion is a second tree whose elements know where they come
 * from. A scope holds the properties and macros of a macro call, looked up in the scope of the
 * caller next, as in ROS's xacro. */
#include "io/xacro/xacro.h"

#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/text.h"

static void expand(xacro *x, xacro_scope *s, const xml_node *in, xml_node *out);
static void expand_node(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out);

static const char *attribute(const xml_node *n, const char *name) {
  return jn_xml_attribute(n->attributes, name);
}

static const char *required(xacro *x, const xml_node *n, const char *name) {
  const char *value = attribute(n, name);
  if (value == NULL)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "<%.60s> has no attribute '%s'", n->name, name);
  return value != NULL ? value : "";
}

/* ---- the expanded tree */

static xml_node *new_node(xacro *x, const char *name, xml_node *parent) {
  xml_node *node = jn_xacro_new(x, sizeof *node);
  if (node == NULL) return NULL;
  node->name = name;
  node->file = x->at->file;
  node->line = x->at->line;
  node->origin = x->call;
  jn_xml_append(parent, node);
  return node;
}

/* Sets an attribute of an expanded element. */
static void set_attribute(xacro *x, xml_node *node, const char *name, const char *value) {
  size_t n = 0;
  for (; node->attributes[n] != NULL; n += 2)
    if (strcmp(node->attributes[n], name) == 0) {
      node->attributes[n + 1] = value;
      return;
    }
  const char **more = jn_xacro_new(x, (n + 3) * sizeof *more);
  if (more == NULL) return;
  memcpy(more, node->attributes, n * sizeof *more);
  more[n] = name;
  more[n + 1] = value;
  node->attributes = more;
}

/* Declarations of namespaces of a macro or an included file go to the element around it. */
static void lift_namespaces(xacro *x, const xml_node *from, xml_node *to) {
  for (const char **a = from->attributes; a[0] != NULL && x->status == JN_OK; a += 2)
    if (strncmp(a[0], "xmlns:", 6) == 0 && strcmp(a[0], "xmlns:xacro") != 0 &&
        attribute(to, a[0]) == NULL)
      set_attribute(x, to, a[0], a[1]);
}

static void expand_attributes(xacro *x, xacro_scope *s, const xml_node *from, xml_node *to) {
  size_t n = 0, used = 0;
  while (from->attributes[n] != NULL) n++;
  const char **out = jn_xacro_new(x, (n + 1) * sizeof *out);
  if (out == NULL) return;
  for (size_t i = 0; i < n && x->status == JN_OK; i += 2) {
    const char *name = from->attributes[i];
    if (strncmp(name, "xacro:", 6) == 0 || strcmp(name, "xmlns:xacro") == 0) continue;
    out[used++] = name;
    out[used++] = jn_xacro_eval_str(x, s, from->attributes[i + 1]);
  }
  to->attributes = out;
}

static void expand_element(xacro *x, xacro_scope *s, const char *name, const xml_node *n,
                           xml_node *parent) {
  xml_node *out = new_node(x, name, parent);
  if (out == NULL) return;
  expand_attributes(x, s, n, out);
  if (x->status == JN_OK) expand(x, s, n, out);
}

static void expand_text(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out) {
  const char *text = jn_xacro_eval_str(x, s, n->text);
  xml_node *node = x->status == JN_OK && text[0] != '\0' ? new_node(x, NULL, out) : NULL;
  if (node != NULL) node->text = text;
}

/* ---- properties */

static int is_name(const char *name) {
  static const char *const keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    NULL};
  if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9')) return 0;
  for (const char *t = name; *t != '\0'; t++)
    if (!((*t >= 'a' && *t <= 'z') || (*t >= 'A' && *t <= 'Z') || (*t >= '0' && *t <= '9') ||
          *t == '_' || (unsigned char)*t >= 0x80))
      return 0;
  for (int i = 0; keywords[i] != NULL; i++)
    if (strcmp(name, keywords[i]) == 0) return 0;
  return strncmp(name, "__", 2) != 0;
}

static void remove_property(xacro_scope *s, const char *name) {
  for (; s != NULL; s = s->parent)
    for (xacro_symbol **link = &s->symbols; *link != NULL;)
      if (strcmp((*link)->name, name) == 0)
        *link = (*link)->next;
      else
        link = &(*link)->next;
}

/* The scope in which a property is defined: its own, scope="parent" or "global". */
static xacro_scope *target(xacro *x, xacro_scope *s, const char *name, const char *scope) {
  if (scope == NULL || scope[0] == '\0' || strcmp(scope, "local") == 0) return s;
  if (strcmp(scope, "global") == 0) {
    while (s->parent != NULL) s = s->parent;
    return s;
  }
  if (strcmp(scope, "parent") != 0) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "property '%.100s': scope=\"%.60s\": parent or global expected",
                  name, scope);
    return s;
  }
  if (s->parent == NULL) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "property '%.100s': scope=\"parent\" outside of a macro", name);
    return s;
  }
  const int in_macro = !s->is_namespace;
  for (s = s->parent; in_macro && s->is_namespace;) s = s->parent; /* the top is no namespace */
  return s;
}

static void define_property(xacro *x, xacro_scope *s, const xml_node *n) {
  const char *value = attribute(n, "value"), *otherwise = attribute(n, "default"),
             *scope = attribute(n, "scope"), *lazy = attribute(n, "lazy_eval"),
             *remove = attribute(n, "remove");
  const char *name = jn_xacro_eval_str(x, s, required(x, n, "name"));
  const int removes = remove != NULL && x->status == JN_OK && jn_xacro_condition(x, s, remove);
  if (x->status != JN_OK) return;
  if (!is_name(name)) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "property '%.100s': this is not a name, or a reserved one",
                  name);
    return;
  }
  if ((value != NULL) + (otherwise != NULL) + removes > 1) {
    jn_xacro_fail(x, JN_ERR_SYNTAX,
                  "property '%.100s': value, default and remove exclude each other", name);
    return;
  }
  if (removes) {
    remove_property(s, name);
    return;
  }
  if (otherwise != NULL) {
    if (jn_xacro_find(x, s, name) != NULL || x->status != JN_OK) return;
    value = otherwise;
  }
  xacro_scope *in = target(x, s, name, scope);
  int is_lazy = in == s && (scope == NULL || strcmp(scope, "global") != 0);
  if (lazy != NULL && x->status == JN_OK && !jn_xacro_condition(x, s, lazy)) is_lazy = 0;
  if (value == NULL) { /* a block */
    xacro_buffer b = {NULL, 0, 0};
    jn_xacro_append(x, &b, "**", 2);
    jn_xacro_append(x, &b, name, strlen(name));
    jn_xacro_define(x, in, jn_xacro_text(x, &b), (xacro_value){XACRO_BLOCK, {.block = n}}, 0);
    return;
  }
  const xacro_value v = is_lazy ? jn_xacro_string(value) : jn_xacro_eval(x, s, value);
  jn_xacro_define(x, in, name, v, is_lazy);
}

/* ---- macros */

static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The end of a default value that starts at t: ${...}, $(...), or a text without blanks outside of
 * quotes; NULL: none of them. */
static const char *after_default(const char *t) {
  if (t[0] == '$' && (t[1] == '{' || t[1] == '('))
    for (const char *end = t; (end = strchr(end, t[1] == '{' ? '}' : ')')) != NULL; end++)
      if (end[1] == '\0' || is_blank(end[1])) return end + 1;
  while (*t != '\0' && !is_blank(*t)) {
    const char quote = *t++;
    if (quote != '\'' && quote != '"') continue;
    const char *end = strchr(t, quote);
    if (end == NULL) return NULL;
    t = end + 1;
  }
  return t;
}

/* Reads "name", "name:=value", "name:=^" or "name:=^|value" and moves *text past it. */
static void read_parameter(xacro *x, const char **text, xacro_parameter *p) {
  const char *t = *text, *name = t;
  while (*t != '\0' && !is_blank(*t) && *t != ':' && *t != '=') t++;
  const char *end = t;
  while (is_blank(*t)) t++;
  const char *sign = *t == ':' ? t + 1 : t;
  if (end == name || *sign != '=') { /* no default */
    t = name;
    while (*t != '\0' && !is_blank(*t)) t++;
    p->name = jn_xacro_copy(x, name, (size_t)(t - name));
    *text = t;
    return;
  }
  p->name = jn_xacro_copy(x, name, (size_t)(end - name));
  for (t = sign + 1; is_blank(*t);) t++;
  if (*t == '^') {
    p->forwards = 1;
    t += t[1] == '|' ? 2 : 1;
  }
  const char *after = after_default(t);
  if (after == NULL)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "parameter '%.100s': its default value has no closing quote",
                  p->name);
  else if (after > t)
    p->text = jn_xacro_copy(x, t, (size_t)(after - t));
  *text = after != NULL ? after : t;
}

static void define_macro(xacro *x, xacro_scope *s, const xml_node *n) {
  const char *name = required(x, n, "name"), *text = attribute(n, "params");
  if (x->status != JN_OK) return;
  if (strncmp(name, "xacro:", 6) == 0) name += 6;
  if (strchr(name, '.') != NULL || strcmp(name, "call") == 0 || name[0] == '\0') {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "macro '%.100s': this name is reserved", name);
    return;
  }
  xacro_macro *m = jn_xacro_new(x, sizeof *m);
  int room = 0;
  for (const char *t = text; m != NULL && t != NULL && x->status == JN_OK;) {
    while (is_blank(*t)) t++;
    if (*t == '\0') break;
    if (m->parameter_count == room) {
      room = room > 0 ? 2 * room : 8;
      xacro_parameter *more = jn_xacro_new(x, (size_t)room * sizeof *more);
      if (more == NULL) return;
      if (m->parameter_count > 0)
        memcpy(more, m->parameters, (size_t)m->parameter_count * sizeof *more);
      m->parameters = more;
    }
    read_parameter(x, &t, &m->parameters[m->parameter_count++]);
  }
  if (x->status != JN_OK) return;
  m->name = name;
  m->element = n;
  m->next = s->macros; /* found before older ones of that name */
  s->macros = m;
}

static xacro_macro *find_macro(xacro *x, xacro_scope *s, const char *name) {
  for (; s != NULL; s = s->is_namespace ? NULL : s->parent) {
    int64_t n = 1;
    for (xacro_macro *m = s->macros; m != NULL; m = m->next, n++)
      if (strcmp(m->name, name) == 0) return m;
    if (!jn_xacro_work(x, n)) return NULL;
  }
  return NULL;
}

/* The macro of a name that may begin with namespaces, and the scope that calls it. */
static xacro_macro *resolve(xacro *x, xacro_scope **s, const char *name) {
  xacro_macro *m = find_macro(x, *s, name);
  if (m != NULL) return m;
  xacro_scope *in = *s;
  for (const char *dot; x->status == JN_OK && (dot = strchr(name, '.')) != NULL; name = dot + 1) {
    const xacro_symbol *found = jn_xacro_find(x, in, jn_xacro_copy(x, name, (size_t)(dot - name)));
    if (found == NULL || found->value.kind != XACRO_SCOPE) return NULL;
    in = found->value.as.scope;
  }
  *s = in;
  return x->status == JN_OK ? find_macro(x, in, name) : NULL;
}

static int parameter_of(const xacro_macro *m, const char *name) {
  for (int i = 0; i < m->parameter_count; i++)
    if (strcmp(m->parameters[i].name, name) == 0) return i;
  return -1;
}

static void read_arguments(xacro *x, const xacro_macro *m, const xml_node *n, xacro_scope *s,
                           xacro_scope *inner) {
  for (const char **a = n->attributes; a[0] != NULL && x->status == JN_OK; a += 2) {
    if (strcmp(n->name, "xacro:call") == 0 && strcmp(a[0], "macro") == 0) continue;
    if (parameter_of(m, a[0]) < 0) {
      jn_xacro_fail(x, JN_ERR_SYNTAX, "macro '%.60s' has no parameter '%.100s'", m->name, a[0]);
      return;
    }
    const xacro_value v = jn_xacro_eval(x, s, a[1]);
    jn_xacro_define(x, inner, a[0], v, 0);
  }
}

/* Blocks in order, then defaults for what is missing. */
static void fill_parameters(xacro *x, const xacro_macro *m, const xml_node *n, xacro_scope *s,
                            xacro_scope *inner) {
  xml_node *blocks = jn_xacro_new(x, sizeof *blocks);
  const char **none = jn_xacro_new(x, sizeof *none);
  if (blocks == NULL || none == NULL) return;
  blocks->attributes = none;
  expand(x, s, n, blocks);
  const xml_node *block = blocks->first;
  for (int i = 0; i < m->parameter_count && x->status == JN_OK; i++) {
    const xacro_parameter *p = &m->parameters[i];
    if (p->name[0] == '*') {
      while (block != NULL && block->name == NULL) block = block->next;
      if (block == NULL) {
        jn_xacro_fail(x, JN_ERR_SYNTAX, "macro '%.60s' needs an element for the block '%.60s'",
                      m->name, p->name);
        return;
      }
      jn_xacro_define(x, inner, p->name, (xacro_value){XACRO_BLOCK, {.block = block}}, 0);
      block = block->next;
    } else if (attribute(n, p->name) == NULL) {
      const xacro_symbol *forwarded = p->forwards ? jn_xacro_find(x, s, p->name) : NULL;
      if (x->status != JN_OK) return;
      if (forwarded == NULL && p->text == NULL) {
        jn_xacro_fail(x, JN_ERR_SYNTAX, "macro '%.60s' needs the parameter '%.100s'", m->name,
                      p->name);
        return;
      }
      const xacro_value v = forwarded != NULL ? forwarded->value : jn_xacro_eval(x, s, p->text);
      jn_xacro_define(x, inner, p->name, v, 0);
    }
  }
  while (block != NULL && block->name == NULL) block = block->next;
  if (block != NULL)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "macro '%.60s' does not use the element <%.60s>", m->name,
                  block->name);
}

static void call_macro(xacro *x, xacro_scope *s, const xml_node *n, const char *name,
                       xml_node *out) {
  xacro_macro *m = resolve(x, &s, name);
  if (m == NULL) {
    jn_xacro_fail(x, JN_ERR_SYNTAX,
                  "there is no macro '%.100s': is the file that defines it included?", name);
    return;
  }
  xacro_scope *inner = jn_xacro_scope_new(x, s, 0);
  xacro_call *frame = jn_xacro_new(x, sizeof *frame);
  if (inner == NULL || frame == NULL) return;
  read_arguments(x, m, n, s, inner);
  fill_parameters(x, m, n, s, inner);
  if (x->status != JN_OK) return;
  *frame = (xacro_call){x->call, m->name, n->file, n->line};
  x->call = frame;
  expand(x, inner, m->element, out);
  x->call = frame->up;
  lift_namespaces(x, m->element, out);
}

static void insert_block(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out) {
  xacro_buffer b = {NULL, 0, 0};
  const char *name = required(x, n, "name");
  jn_xacro_append(x, &b, "**", 2);
  jn_xacro_append(x, &b, name, strlen(name));
  const char *stars = jn_xacro_text(x, &b);
  if (x->status != JN_OK) return;
  const xacro_symbol *several = jn_xacro_find(x, s, stars);
  if (several != NULL) {
    expand(x, s, several->value.as.block, out);
    return;
  }
  const xacro_symbol *one = jn_xacro_find(x, s, stars + 1);
  if (one == NULL)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "there is no block '%.100s'", name);
  else if (jn_xacro_enter(x)) {
    x->at = one->value.as.block;
    expand_node(x, s, one->value.as.block, out);
    jn_xacro_leave(x);
  }
}

/* ---- files */

static int keep_all(const xml_node *parent, const char *element) {
  (void)parent, (void)element;
  return 1;
}

/* The root element of a file of that name, read once; NULL after a failure, or where it is absent
 * and optional. Returns its number in *file. */
static const xml_node *read_source(xacro *x, const char *name, int optional, int *file) {
  char *text = NULL;
  size_t size = 0;
  jn_named_file *found = jn_xacro_new(x, sizeof *found);
  if (found == NULL || !jn_xacro_open(x, "include", name, optional, found)) return NULL;
  *file = jn_xacro_read(x, found, &text, &size);
  if (*file < 0) return NULL;
  if (x->files[*file].root == NULL)
    x->status = jn_xml_tree_read(&x->tree, text, size, x->files[*file].name, *file, NULL,
                                 &x->files[*file].root, x->error);
  jn_block_free(&x->hooks, text);
  return x->status == JN_OK ? x->files[*file].root : NULL;
}

static void include(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out) {
  const char *name = jn_xacro_eval_str(x, s, required(x, n, "filename")), *ns = attribute(n, "ns"),
             *optional = attribute(n, "optional");
  const int is_optional = optional != NULL && jn_xacro_condition(x, s, optional);
  if (x->status != JN_OK) return;
  if (strpbrk(name, "*?[") != NULL) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "include \"%.200s\": patterns are not supported: " XACRO_ADVICE,
                  name);
    return;
  }
  if (x->include_depth == JN_MAX_INCLUDE_DEPTH) {
    jn_xacro_fail(x, JN_ERR_LIMIT, "includes are nested deeper than %d", JN_MAX_INCLUDE_DEPTH);
    return;
  }
  int file = 0;
  const xml_node *root = read_source(x, name, is_optional, &file);
  xacro_call *frame = jn_xacro_new(x, sizeof *frame);
  if (root == NULL || frame == NULL) return;
  if (ns != NULL && ns[0] != '\0') {
    xacro_scope *inner = jn_xacro_scope_new(x, s, 1);
    const char *called = jn_xacro_eval_str(x, s, ns);
    jn_xacro_define(x, s, called, (xacro_value){XACRO_SCOPE, {.scope = inner}}, 0);
    s = inner;
  }
  *frame = (xacro_call){x->call, NULL, n->file, n->line};
  const int outer = x->file;
  x->call = frame;
  x->file = file;
  x->include_depth++;
  if (x->status == JN_OK) expand(x, s, root, out);
  x->include_depth--;
  x->file = outer;
  x->call = frame->up;
  lift_namespaces(x, root, out);
}

/* ---- elements */

static void define_argument(xacro *x, xacro_scope *s, const xml_node *n) {
  const char *name = required(x, n, "name"), *value = required(x, n, "default");
  if (x->status != JN_OK || jn_xacro_argument(x, name) != NULL) return;
  xacro_symbol *a = jn_xacro_new(x, sizeof *a);
  if (a == NULL) return;
  a->name = name;
  a->value = jn_xacro_string(jn_xacro_eval_str(x, s, value));
  a->next = x->arguments;
  x->arguments = a;
}

/* What is written as a name must not end it, nor its line. */
static int is_written(const char *name) {
  return name[0] != '\0' && strcspn(name, " \t\n\r<>&\"'/=") == strlen(name);
}

static void add_attribute(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out) {
  const char *name = jn_xacro_eval_str(x, s, required(x, n, "name"));
  const char *value = jn_xacro_eval_str(x, s, required(x, n, "value"));
  if (x->status != JN_OK) return;
  const char *around = n->parent->name; /* n is not the root */
  const int has_element = strncmp(around, "xacro:", 6) != 0 || strcmp(around, "xacro:element") == 0;
  if (!has_element || name[0] == '\0')
    jn_xacro_fail(x, JN_ERR_SYNTAX,
                  "<xacro:attribute> needs a name and an element around it: " XACRO_ADVICE);
  else if (!is_written(name))
    jn_xacro_fail(x, JN_ERR_SYNTAX, "<xacro:attribute>: '%.60s' is not the name of an attribute",
                  name);
  else
    set_attribute(x, out, name, value);
}

static void rename_element(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out) {
  const char *name = jn_xacro_eval_str(x, s, required(x, n, "xacro:name"));
  if (x->status != JN_OK) return;
  if (!is_written(name) || strncmp(name, "xacro:", 6) == 0)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "<xacro:element>: '%.60s' is not the name of an element", name);
  else
    expand_element(x, s, name, n, out);
}

static void expand_node(xacro *x, xacro_scope *s, const xml_node *n, xml_node *out) {
  if (n->name == NULL) {
    expand_text(x, s, n, out);
  } else if (strncmp(n->name, "xacro:", 6) != 0) {
    expand_element(x, s, n->name, n, out);
  } else {
    const char *name = n->name + 6;
    if (strcmp(name, "property") == 0) {
      define_property(x, s, n);
    } else if (strcmp(name, "macro") == 0) {
      define_macro(x, s, n);
    } else if (strcmp(name, "include") == 0) {
      include(x, s, n, out);
    } else if (strcmp(name, "arg") == 0) {
      define_argument(x, s, n);
    } else if (strcmp(name, "if") == 0 || strcmp(name, "unless") == 0) {
      const int is = jn_xacro_condition(x, s, required(x, n, "value"));
      if (x->status == JN_OK && is == (name[0] == 'i')) expand(x, s, n, out);
    } else if (strcmp(name, "insert_block") == 0) {
      insert_block(x, s, n, out);
    } else if (strcmp(name, "call") == 0) {
      const char *macro = jn_xacro_eval_str(x, s, required(x, n, "macro"));
      if (x->status == JN_OK) call_macro(x, s, n, macro, out);
    } else if (strcmp(name, "element") == 0) {
      rename_element(x, s, n, out);
    } else if (strcmp(name, "attribute") == 0) {
      add_attribute(x, s, n, out);
    } else {
      call_macro(x, s, n, name, out);
    }
  }
}

/* The children of `in`, expanded, go to `out`. */
static void expand(xacro *x, xacro_scope *s, const xml_node *in, xml_node *out) {
  const xml_node *at = x->at;
  if (!jn_xacro_enter(x)) return;
  for (const xml_node *n = in->first; n != NULL && x->status == JN_OK; n = n->next) {
    x->at = n;
    expand_node(x, s, n, out);
  }
  x->at = at;
  jn_xacro_leave(x);
}

/* ---- the whole */

/* "name:=value" of the options */
static void give_arguments(xacro *x, const jn_load_options *options) {
  const char *const *list = options != NULL ? options->arguments : NULL;
  for (; list != NULL && *list != NULL && x->status == JN_OK; list++) {
    const char *sign = strstr(*list, ":=");
    if (sign == NULL || sign == *list) {
      jn_xacro_fail(x, JN_ERR_ARGUMENT, "argument '%.100s': NAME:=VALUE expected", *list);
      return;
    }
    xacro_symbol *a = jn_xacro_new(x, sizeof *a);
    if (a == NULL) return;
    a->name = jn_xacro_copy(x, *list, (size_t)(sign - *list));
    a->value = jn_xacro_string(jn_xacro_copy(x, sign + 2, strlen(sign + 2)));
    a->next = x->arguments; /* the last one counts */
    x->arguments = a;
  }
}

jn_status jn_xacro_run(xacro *x, const char *text, size_t size, const char *name, const char *path,
                       const jn_load_options *options) {
  x->tree.hooks = x->hooks;
  x->tree.keep = keep_all;
  x->tree.keeps_text = 1;
  x->tree.most_depth = JN_MAX_XML_DEPTH;
  x->bytes = size;
  x->file_count = 1;
  x->files[0].name = name;
  if (path != NULL) jn_file_identity(path, &x->files[0].device, &x->files[0].inode);
  jn_xacro_folders(x, options, path);
  give_arguments(x, options);
  x->top = jn_xacro_scope_new(x, NULL, 0);
  if (x->status == JN_OK)
    x->status = jn_xml_tree_read(&x->tree, text, size, name, 0, NULL, &x->files[0].root, x->error);
  if (x->status != JN_OK) return x->status;
  const xml_node *root = x->at = x->files[0].root;
  if (strncmp(root->name, "xacro:", 6) == 0)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "the root element is <%.60s>: <robot> expected", root->name);
  else
    x->output = new_node(x, root->name, NULL);
  if (x->output == NULL) return x->status;
  expand_attributes(x, x->top, root, x->output);
  if (x->status == JN_OK) expand(x, x->top, root, x->output);
  return x->status;
}

void jn_xacro_free(xacro *x) { jn_xml_tree_free(&x->tree); }
