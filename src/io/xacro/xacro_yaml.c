/* xacro_yaml.c: load_yaml. libyaml reads the text; scalars mean what YAML 1.1 says. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/block.h"
#include "io/xacro/xacro.h"

typedef struct anchor anchor;
struct anchor {
  anchor *next;
  const char *name;
  xacro_value value;
};

typedef struct level { /* an open list or dict */
  xacro_value value, key;
  int has_key;
} level;

typedef struct yaml_text {
  xacro *x;
  xml_node at; /* the place in the file, for messages */
  anchor *anchors;
  level levels[JN_MAX_JSON_DEPTH];
  int depth, has_root;
  xacro_value root;
} yaml_text;

/* ---- scalars */

static int is_word(const char *text, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(text, *words) == 0) return 1;
  return 0;
}

/* [-+] digits, 0 octal, 0x hexadecimal; `_` between digits */
static int read_whole(const char *text, int64_t *out) {
  const char *t = text + (*text == '-' || *text == '+');
  int base = 10;
  int64_t n = 0;
  if (t[0] == '0' && (t[1] == 'x' || t[1] == 'b') && t[2] != '\0')
    base = t[1] == 'x' ? 16 : 2, t += 2;
  else if (t[0] == '0' && t[1] != '\0')
    base = 8, t++;
  if (*t == '\0' || *t == '_') return 0;
  for (; *t != '\0'; t++) {
    const int digit = *t >= '0' && *t <= '9'          ? *t - '0'
                      : (*t | 32) >= 'a' && *t != '_' ? (*t | 32) - 'a' + 10
                                                      : -1;
    if (*t == '_') continue;
    if (digit < 0 || digit >= base || n > INT64_MAX / 32) return 0;
    n = base * n + digit;
  }
  *out = *text == '-' ? -n : n;
  return 1;
}

/* [-+] digits . digits [e sign digits]: the point and the sign are needed */
static int read_real(xacro *x, const char *text, double *out) {
  char plain[64];
  size_t n = 0;
  const char *t = text + (*text == '-' || *text == '+');
  if (strcmp(t, ".inf") == 0 || strcmp(t, ".Inf") == 0 || strcmp(t, ".INF") == 0) {
    *out = *text == '-' ? -(double)INFINITY : (double)INFINITY;
    return 1;
  }
  if (strcmp(text, ".nan") == 0 || strcmp(text, ".NaN") == 0 || strcmp(text, ".NAN") == 0) {
    *out = (double)NAN;
    return 1;
  }
  const char *point = strchr(text, '.'), *e = strpbrk(text, "eE");
  if (point == NULL || (e != NULL && e[1] != '-' && e[1] != '+')) return 0;
  for (t = text; *t != '\0'; t++) {
    if (*t == '_') continue;
    if (n + 1 == sizeof plain || strchr("+-.eE0123456789", *t) == NULL) return 0;
    plain[n++] = *t;
  }
  plain[n] = '\0';
  return jn_xacro_read_float(x, plain, out);
}

static xacro_value plain_scalar(xacro *x, const char *text) {
  static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
  static const char *const trues[] = {"yes",  "Yes", "YES", "true", "True",
                                      "TRUE", "on",  "On",  "ON",   NULL};
  static const char *const falses[] = {"no",    "No",  "NO",  "false", "False",
                                       "FALSE", "off", "Off", "OFF",   NULL};
  int64_t n;
  double d;
  if (is_word(text, nulls)) return jn_xacro_none();
  if (is_word(text, trues)) return jn_xacro_bool(1);
  if (is_word(text, falses)) return jn_xacro_bool(0);
  if (read_whole(text, &n)) return jn_xacro_whole(n);
  if (read_real(x, text, &d)) return jn_xacro_number(d);
  return jn_xacro_string(jn_xacro_copy(x, text, strlen(text)));
}

static xacro_value with_unit(xacro *x, const char *text, double unit) {
  double d = 0;
  const xacro_value v = jn_xacro_expression(x, x->top, jn_xacro_copy(x, text, strlen(text)));
  if (x->status == JN_OK && !jn_xacro_as_number(v, &d))
    jn_xacro_fail(x, JN_ERR_SYNTAX, "'%.60s' is not a number", text);
  return jn_xacro_number(d * unit);
}

static xacro_value scalar(yaml_text *y, const yaml_event_t *event) {
  static const struct {
    const char *tag;
    double unit;
  } units[] = {{"!radians", 1},   {"!degrees", 3.14159265358979323846 / 180},
               {"!meters", 1},    {"!millimeters", 0.001},
               {"!foot", 0.3048}, {"!inches", 0.0254}};
  const char *text = (const char *)event->data.scalar.value,
             *tag = (const char *)event->data.scalar.tag;
  double d;
  if (strlen(text) != event->data.scalar.length) {
    jn_xacro_fail(y->x, JN_ERR_SYNTAX, "a string with a zero byte");
    return jn_xacro_none();
  }
  if (tag == NULL || strcmp(tag, "!") == 0)
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && tag == NULL
               ? plain_scalar(y->x, text)
               : jn_xacro_string(jn_xacro_copy(y->x, text, strlen(text)));
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(tag, units[i].tag) == 0) return with_unit(y->x, text, units[i].unit);
  if (strcmp(tag, YAML_STR_TAG) == 0)
    return jn_xacro_string(jn_xacro_copy(y->x, text, strlen(text)));
  if (strcmp(tag, YAML_FLOAT_TAG) == 0 && jn_xacro_read_float(y->x, text, &d))
    return jn_xacro_number(d);
  jn_xacro_fail(y->x, JN_ERR_SYNTAX, "the tag '%.60s' is not supported: " XACRO_ADVICE, tag);
  return jn_xacro_none();
}

/* ---- lists and dicts */

/* <<: what the other dict has and this one has not */
static void merge(yaml_text *y, xacro_dict *into, xacro_value from) {
  if (from.kind != XACRO_DICT) {
    jn_xacro_fail(y->x, JN_ERR_SYNTAX, "'<<' needs an alias of a mapping");
    return;
  }
  for (int i = 0; i < from.as.dict->keys.count && y->x->status == JN_OK; i++)
    if (jn_xacro_get(y->x, into, from.as.dict->keys.items[i]) == NULL)
      jn_xacro_put(y->x, into, from.as.dict->keys.items[i], from.as.dict->values.items[i]);
}

/* Is the next value that of '<<'? */
static int is_merged(const yaml_text *y) {
  const level *in = &y->levels[y->depth > 0 ? y->depth - 1 : 0];
  return in->has_key && in->key.kind == XACRO_TEXT && strcmp(in->key.as.text, "<<") == 0;
}

static void add(yaml_text *y, xacro_value v) {
  if (y->x->status != JN_OK) return;
  if (y->depth == 0) {
    if (y->has_root) jn_xacro_fail(y->x, JN_ERR_SYNTAX, "a second document");
    y->root = v;
    y->has_root = 1;
    return;
  }
  level *in = &y->levels[y->depth - 1];
  if (in->value.kind == XACRO_LIST) {
    jn_xacro_push(y->x, in->value.as.list, v);
  } else if (!in->has_key) {
    if (v.kind == XACRO_LIST || v.kind == XACRO_DICT)
      jn_xacro_fail(y->x, JN_ERR_SYNTAX, "a list or mapping cannot be a key");
    in->key = v;
    in->has_key = 1;
  } else {
    if (is_merged(y))
      merge(y, in->value.as.dict, v);
    else
      jn_xacro_put(y->x, in->value.as.dict, in->key, v);
    in->has_key = 0;
  }
}

static void keep_anchor(yaml_text *y, const yaml_char_t *name, xacro_value v) {
  if (name == NULL || y->x->status != JN_OK) return;
  anchor *a = jn_xacro_new(y->x, sizeof *a);
  if (a == NULL) return;
  *a = (anchor){y->anchors, jn_xacro_copy(y->x, (const char *)name, strlen((const char *)name)), v};
  y->anchors = a;
}

static void open_level(yaml_text *y, int is_list, const yaml_char_t *name) {
  if (is_merged(y)) /* its content is not there yet */
    jn_xacro_fail(y->x, JN_ERR_SYNTAX, "'<<' needs an alias of a mapping");
  const xacro_value v = is_list ? jn_xacro_list_new(y->x, XACRO_LIST) : jn_xacro_dict_new(y->x);
  add(y, v);
  keep_anchor(y, name, v);
  if (y->depth == JN_MAX_JSON_DEPTH)
    jn_xacro_fail(y->x, JN_ERR_LIMIT, "lists and mappings are nested deeper than %d",
                  JN_MAX_JSON_DEPTH);
  if (y->x->status == JN_OK) y->levels[y->depth++] = (level){v, jn_xacro_none(), 0};
}

static void use_alias(yaml_text *y, const char *name) {
  const anchor *a = y->anchors;
  while (a != NULL && jn_xacro_work(y->x, 1) && strcmp(a->name, name) != 0) a = a->next;
  if (a == NULL)
    jn_xacro_fail(y->x, JN_ERR_SYNTAX, "the anchor '%.60s' is not defined", name);
  else
    add(y, a->value);
}

static void take(yaml_text *y, const yaml_event_t *event) {
  switch (event->type) {
    case YAML_SCALAR_EVENT: {
      const xacro_value v = scalar(y, event);
      add(y, v);
      keep_anchor(y, event->data.scalar.anchor, v);
      break;
    }
    case YAML_SEQUENCE_START_EVENT:
      open_level(y, 1, event->data.sequence_start.anchor);
      break;
    case YAML_MAPPING_START_EVENT:
      open_level(y, 0, event->data.mapping_start.anchor);
      break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      y->depth--;
      break;
    case YAML_ALIAS_EVENT:
      use_alias(y, (const char *)event->data.alias.anchor);
      break;
    default:
      break;
  }
}

static void parse(yaml_text *y, const char *text, size_t size) {
  yaml_parser_t parser;
  yaml_event_t event;
  if (!yaml_parser_initialize(&parser)) {
    jn_xacro_fail(y->x, JN_ERR_MEMORY, "out of memory");
    return;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  for (int is_over = 0; !is_over && y->x->status == JN_OK;) {
    if (!yaml_parser_parse(&parser, &event)) {
      y->at.line = (int)parser.problem_mark.line + 1;
      /* libyaml does not always say that a request of its own failed */
      if (parser.error == YAML_MEMORY_ERROR || parser.problem == NULL)
        jn_xacro_fail(y->x, JN_ERR_MEMORY, "out of memory");
      else
        jn_xacro_fail(y->x, JN_ERR_SYNTAX, "YAML: %.200s", parser.problem);
      break;
    }
    y->at.line = (int)event.start_mark.line + 1;
    if (jn_xacro_work(y->x, 1)) take(y, &event);
    is_over = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
}

xacro_value jn_xacro_yaml_text(xacro *x, int file, const char *text, size_t size) {
  yaml_text *y = jn_xacro_new(x, sizeof *y);
  if (y == NULL) return jn_xacro_none();
  const xml_node *at = x->at;
  const char *expression = x->expression;
  y->x = x;
  y->at.file = file;
  x->at = &y->at;
  x->expression = NULL;
  parse(y, text, size);
  x->at = at;
  x->expression = expression;
  return x->status == JN_OK ? y->root : jn_xacro_none();
}

xacro_value jn_xacro_yaml(xacro *x, const char *name) {
  jn_named_file *found = jn_xacro_new(x, sizeof *found);
  char *text = NULL;
  size_t size = 0;
  if (found == NULL || !jn_xacro_open(x, "load_yaml", name, 0, found)) return jn_xacro_none();
  const int file = jn_xacro_read(x, found, &text, &size);
  if (file >= 0 && text == NULL)
    jn_xacro_fail(x, JN_ERR_SYNTAX, "load_yaml \"%.200s\": this file is XML", name);
  if (x->status != JN_OK) return jn_xacro_none();
  const xacro_value root = jn_xacro_yaml_text(x, file, text, size);
  jn_block_free(&x->hooks, text);
  return root;
}
