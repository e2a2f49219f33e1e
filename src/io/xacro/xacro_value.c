/* xacro_value.c: values of xacro's expressions, and their texts as Python writes them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "io/number.h"
#include "io/xacro/xacro.h"

const char *jn_xacro_kind_name(xacro_kind kind) {
  static const char *const names[] = {"None",      "bool",     "int",      "float",
                                      "str",       "list",     "tuple",    "dict",
                                      "namespace", "a module", "function", "block"};
  return names[kind];
}

/* ---- memory */

void *jn_xacro_new(xacro *x, size_t bytes) {
  if (x->status != JN_OK) return NULL;
  if (bytes > JN_MAX_XACRO_HEAP || x->heap > JN_MAX_XACRO_HEAP - bytes) {
    jn_xacro_fail(x, JN_ERR_LIMIT, "the expansion needs more than %d MiB",
                  JN_MAX_XACRO_HEAP / (1024 * 1024));
    return NULL;
  }
  x->heap += bytes + 16;
  void *block = jn_arena_new(&x->tree.arena, &x->hooks, bytes);
  if (block == NULL) jn_xacro_fail(x, JN_ERR_MEMORY, "out of memory");
  return block;
}

const char *jn_xacro_copy(xacro *x, const char *text, size_t length) {
  char *copy = jn_xacro_new(x, length + 1);
  if (copy == NULL) return "";
  memcpy(copy, text, length);
  return copy;
}

void jn_xacro_append(xacro *x, xacro_buffer *b, const char *text, size_t length) {
  if (b->text == NULL || b->room - b->used <= length) { /* room for a final zero */
    const size_t room = 2 * (b->used + length) + 64;
    char *more = jn_xacro_new(x, room);
    if (more == NULL) return;
    if (b->used > 0) memcpy(more, b->text, b->used);
    b->text = more;
    b->room = room;
  }
  memcpy(b->text + b->used, text, length);
  b->used += length;
  b->text[b->used] = '\0';
}

const char *jn_xacro_text(xacro *x, xacro_buffer *b) {
  return x->status == JN_OK && b->text != NULL ? b->text : "";
}

/* ---- lists and dicts */

xacro_value jn_xacro_list_new(xacro *x, xacro_kind kind) {
  xacro_list *list = jn_xacro_new(x, sizeof *list);
  return list != NULL ? (xacro_value){.kind = kind, .as.list = list} : jn_xacro_none();
}

xacro_value jn_xacro_dict_new(xacro *x) {
  xacro_dict *dict = jn_xacro_new(x, sizeof *dict);
  return dict != NULL ? (xacro_value){.kind = XACRO_DICT, .as.dict = dict} : jn_xacro_none();
}

void jn_xacro_push(xacro *x, xacro_list *list, xacro_value value) {
  if (x->status != JN_OK || !jn_xacro_work(x, 1)) return;
  if (list->count == list->room) {
    const int room = list->room > 0 ? 2 * list->room : 4;
    xacro_value *more = jn_xacro_new(x, (size_t)room * sizeof *more);
    if (more == NULL) return;
    if (list->count > 0) memcpy(more, list->items, (size_t)list->count * sizeof *more);
    list->items = more;
    list->room = room;
  }
  list->items[list->count++] = value;
}

static int find_key(xacro *x, const xacro_dict *dict, xacro_value key) {
  for (int i = 0; i < dict->keys.count; i++)
    if (jn_xacro_is_equal(x, dict->keys.items[i], key)) return i;
  return -1;
}

void jn_xacro_put(xacro *x, xacro_dict *dict, xacro_value key, xacro_value value) {
  if (x->status != JN_OK) return;
  const int i = find_key(x, dict, key);
  if (i >= 0) {
    dict->values.items[i] = value;
    return;
  }
  jn_xacro_push(x, &dict->values, value);
  if (dict->values.count > dict->keys.count) jn_xacro_push(x, &dict->keys, key);
}

const xacro_value *jn_xacro_get(xacro *x, const xacro_dict *dict, xacro_value key) {
  const int i = find_key(x, dict, key);
  return i >= 0 ? &dict->values.items[i] : NULL;
}

xacro_list *jn_xacro_items(xacro *x, xacro_value v) {
  if (v.kind == XACRO_LIST || v.kind == XACRO_TUPLE) return v.as.list;
  if (v.kind == XACRO_DICT) return &v.as.dict->keys;
  if (v.kind != XACRO_TEXT) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "'%s' is not a sequence", jn_xacro_kind_name(v.kind));
    return NULL;
  }
  const xacro_value letters = jn_xacro_list_new(x, XACRO_LIST);
  uint32_t code;
  for (const char *t = v.as.text; x->status == JN_OK && *t != '\0';) {
    const size_t n = jn_utf8(t, &code) > 0 ? jn_utf8(t, &code) : 1;
    jn_xacro_push(x, letters.as.list, jn_xacro_string(jn_xacro_copy(x, t, n)));
    t += n;
  }
  return x->status == JN_OK ? letters.as.list : NULL;
}

/* ---- tests */

int jn_xacro_as_number(xacro_value v, double *out) {
  if (v.kind == XACRO_FLOAT)
    *out = v.as.number;
  else if (v.kind == XACRO_INT || v.kind == XACRO_BOOL)
    *out = (double)v.as.whole;
  else
    return 0;
  return 1;
}

int jn_xacro_is_true(xacro_value v) {
  switch (v.kind) {
    case XACRO_NONE:
      return 0;
    case XACRO_BOOL:
    case XACRO_INT:
      return v.as.whole != 0;
    case XACRO_FLOAT:
      return v.as.number != 0;
    case XACRO_TEXT:
      return v.as.text[0] != '\0';
    case XACRO_LIST:
    case XACRO_TUPLE:
      return v.as.list->count > 0;
    case XACRO_DICT:
      return v.as.dict->keys.count > 0;
    default:
      return 1;
  }
}

static int is_whole(xacro_value v) { return v.kind == XACRO_INT || v.kind == XACRO_BOOL; }

static int are_lists_equal(xacro *x, const xacro_list *a, const xacro_list *b) {
  if (a->count != b->count || !jn_xacro_enter(x)) return 0;
  int same = 1;
  for (int i = 0; i < a->count && same; i++) same = jn_xacro_is_equal(x, a->items[i], b->items[i]);
  jn_xacro_leave(x);
  return same;
}

int jn_xacro_is_equal(xacro *x, xacro_value a, xacro_value b) {
  double p, q;
  if (x->status != JN_OK || !jn_xacro_work(x, 1)) return 0;
  if (is_whole(a) && is_whole(b)) return a.as.whole == b.as.whole;
  if (jn_xacro_as_number(a, &p) && jn_xacro_as_number(b, &q)) return p == q;
  if (a.kind != b.kind) return 0;
  switch (a.kind) {
    case XACRO_NONE:
      return 1;
    case XACRO_TEXT:
      return jn_xacro_scan(x, a.as.text) && strcmp(a.as.text, b.as.text) == 0;
    case XACRO_LIST:
    case XACRO_TUPLE:
      return a.as.list == b.as.list || are_lists_equal(x, a.as.list, b.as.list);
    case XACRO_DICT: {
      if (a.as.dict->keys.count != b.as.dict->keys.count || !jn_xacro_enter(x)) return 0;
      int same = 1;
      for (int i = 0; i < a.as.dict->keys.count && same; i++) {
        const xacro_value *other = jn_xacro_get(x, b.as.dict, a.as.dict->keys.items[i]);
        same = other != NULL && jn_xacro_is_equal(x, a.as.dict->values.items[i], *other);
      }
      jn_xacro_leave(x);
      return same;
    }
    case XACRO_SCOPE:
      return a.as.scope == b.as.scope;
    default: /* modules and functions; a block is no value of an expression */
      return a.as.whole == b.as.whole;
  }
}

int jn_xacro_compare(xacro *x, xacro_value a, xacro_value b) {
  double p, q;
  if (x->status != JN_OK || !jn_xacro_work(x, 1)) return 0;
  if (is_whole(a) && is_whole(b)) return (a.as.whole > b.as.whole) - (a.as.whole < b.as.whole);
  if (jn_xacro_as_number(a, &p) && jn_xacro_as_number(b, &q)) return (p > q) - (p < q);
  if (a.kind == XACRO_TEXT && b.kind == XACRO_TEXT)
    return jn_xacro_scan(x, a.as.text) ? strcmp(a.as.text, b.as.text) : 0;
  if ((a.kind == XACRO_LIST || a.kind == XACRO_TUPLE) && a.kind == b.kind) {
    int order = 0;
    if (!jn_xacro_enter(x)) return 0;
    const xacro_list *l = a.as.list, *m = b.as.list;
    for (int i = 0; i < l->count && i < m->count && order == 0; i++)
      if (!jn_xacro_is_equal(x, l->items[i], m->items[i]))
        order = jn_xacro_compare(x, l->items[i], m->items[i]);
    jn_xacro_leave(x);
    return order != 0 ? order : (l->count > m->count) - (l->count < m->count);
  }
  jn_xacro_fail(x, JN_ERR_SYNTAX, "'%s' and '%s' have no order", jn_xacro_kind_name(a.kind),
                jn_xacro_kind_name(b.kind));
  return 0;
}

/* ---- texts of values */

/* repr(float): the fewest digits that give the same double; exponents from 1e16 and below 1e-4 */
static void write_float(xacro *x, double value, char text[NUMBER_TEXT + 8]) {
  char short_text[NUMBER_TEXT], digits[NUMBER_TEXT];
  if (!isfinite(value)) {
    snprintf(text, NUMBER_TEXT, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  int p = 1;
  for (; p < 17; p++) { /* 17 are always enough */
    double back = 0;
    const char *at = jn_write_number(value, p, short_text);
    const number_result result = jn_read_number(&at, &back);
    if (result == NUMBER_MEMORY) jn_xacro_fail(x, JN_ERR_MEMORY, "out of memory");
    if (result == NUMBER_MEMORY || (result <= NUMBER_UNDERFLOW && back == value)) break;
  }
  jn_write_number(value, p, short_text);
  /* short_text = [-] digits [. digits] [e exponent] */
  const char *t = short_text;
  int n = 0, point = -1, exponent = 0;
  const int is_negative = *t == '-';
  for (t += is_negative; *t != '\0' && *t != 'e'; t++) {
    if (*t == '.')
      point = n;
    else
      digits[n++] = *t;
  }
  if (point < 0) point = n;
  if (*t == 'e')
    for (const char *e = t + 2; *e != '\0'; e++) exponent = 10 * exponent + (*e - '0');
  if (*t == 'e' && t[1] == '-') exponent = -exponent;
  int first = 0;
  while (first < n - 1 && digits[first] == '0') first++;
  digits[n] = '\0';
  const int place = digits[first] == '0' ? 1 : point - first + exponent; /* of the point */
  const char *d = digits + first;
  const int count = n - first;
  char *out = text;
  if (is_negative) *out++ = '-';
  if (place > 16 || place < -3) {
    out += snprintf(out, NUMBER_TEXT, "%c%s%se%c%02d", d[0], count > 1 ? "." : "", d + 1,
                    place > 0 ? '+' : '-', place > 0 ? place - 1 : 1 - place);
    return;
  }
  if (place <= 0) {
    out += snprintf(out, NUMBER_TEXT, "0.%.*s%s", -place, "0000", d);
  } else if (place >= count) {
    out += snprintf(out, NUMBER_TEXT, "%s%.*s.0", d, place - count, "0000000000000000");
  } else {
    out += snprintf(out, NUMBER_TEXT, "%.*s.%s", place, d, d + place);
  }
}

static void write_quoted(xacro *x, xacro_buffer *b, const char *text) {
  const char *quote = strchr(text, '\'') != NULL && strchr(text, '"') == NULL ? "\"" : "'";
  jn_xacro_append(x, b, quote, 1);
  for (; *text != '\0' && x->status == JN_OK; text++) {
    const char *as = *text == '\n'     ? "\\n"
                     : *text == '\t'   ? "\\t"
                     : *text == '\r'   ? "\\r"
                     : *text == '\\'   ? "\\\\"
                     : *text == *quote ? "\\'"
                                       : NULL;
    jn_xacro_append(x, b, as != NULL ? as : text, as != NULL ? 2 : 1);
  }
  jn_xacro_append(x, b, quote, 1);
}

static void write_list(xacro *x, xacro_buffer *b, const xacro_list *list, int is_tuple) {
  jn_xacro_append(x, b, is_tuple ? "(" : "[", 1);
  for (int i = 0; i < list->count && x->status == JN_OK; i++) {
    if (i > 0) jn_xacro_append(x, b, ", ", 2);
    jn_xacro_write(x, b, list->items[i], 1);
  }
  if (is_tuple && list->count == 1) jn_xacro_append(x, b, ",", 1);
  jn_xacro_append(x, b, is_tuple ? ")" : "]", 1);
}

static void write_dict(xacro *x, xacro_buffer *b, const xacro_dict *dict) {
  jn_xacro_append(x, b, "{", 1);
  for (int i = 0; i < dict->keys.count && x->status == JN_OK; i++) {
    if (i > 0) jn_xacro_append(x, b, ", ", 2);
    jn_xacro_write(x, b, dict->keys.items[i], 1);
    jn_xacro_append(x, b, ": ", 2);
    jn_xacro_write(x, b, dict->values.items[i], 1);
  }
  jn_xacro_append(x, b, "}", 1);
}

void jn_xacro_write(xacro *x, xacro_buffer *b, xacro_value v, int quoted) {
  char text[NUMBER_TEXT + 8] = "";
  if (x->status != JN_OK || !jn_xacro_work(x, 1) || !jn_xacro_enter(x)) return;
  switch (v.kind) {
    case XACRO_NONE:
      snprintf(text, sizeof text, "None");
      break;
    case XACRO_BOOL:
      snprintf(text, sizeof text, "%s", v.as.whole ? "True" : "False");
      break;
    case XACRO_INT:
      snprintf(text, sizeof text, "%lld", (long long)v.as.whole);
      break;
    case XACRO_FLOAT:
      write_float(x, v.as.number, text);
      break;
    case XACRO_TEXT:
      if (quoted)
        write_quoted(x, b, v.as.text);
      else
        jn_xacro_append(x, b, v.as.text, strlen(v.as.text));
      break;
    case XACRO_LIST:
    case XACRO_TUPLE:
      write_list(x, b, v.as.list, v.kind == XACRO_TUPLE);
      break;
    case XACRO_DICT:
      write_dict(x, b, v.as.dict);
      break;
    default:
      jn_xacro_fail(x, JN_ERR_SYNTAX, "a %s cannot be written as text", jn_xacro_kind_name(v.kind));
  }
  if (text[0] != '\0') jn_xacro_append(x, b, text, strlen(text));
  jn_xacro_leave(x);
}

const char *jn_xacro_str(xacro *x, xacro_value v) {
  xacro_buffer b = {NULL, 0, 0};
  if (v.kind == XACRO_TEXT) return v.as.text;
  jn_xacro_write(x, &b, v, 0);
  return jn_xacro_text(x, &b);
}

/* ---- texts that are numbers */

static const char *skip_blanks(const char *t) {
  while (*t == ' ' || (*t >= '\t' && *t <= '\r')) t++;
  return t;
}

int jn_xacro_read_int(const char *text, int64_t *out) {
  const char *t = skip_blanks(text);
  const int is_negative = *t == '-';
  int64_t n = 0;
  if (*t == '-' || *t == '+') t++;
  if (*t < '0' || *t > '9') return 0;
  for (; *t >= '0' && *t <= '9'; t++) {
    const int digit = *t - '0';
    if (n > (INT64_MAX - digit) / 10) return 0;
    n = 10 * n + digit;
  }
  if (*skip_blanks(t) != '\0') return 0;
  *out = is_negative ? -n : n;
  return 1;
}

int jn_xacro_read_float(xacro *x, const char *text, double *out) {
  static const struct {
    const char *name;
    double value;
  } words[] = {{"inf", (double)INFINITY}, {"infinity", (double)INFINITY}, {"nan", (double)NAN}};
  char word[12];
  const char *t = skip_blanks(text);
  const char *at = t;
  const number_result result = jn_read_number(&at, out);
  if (result <= NUMBER_UNDERFLOW) return *skip_blanks(at) == '\0';
  if (result == NUMBER_MEMORY) jn_xacro_fail(x, JN_ERR_MEMORY, "out of memory");
  if (result == NUMBER_OVERFLOW) { /* 1e999 is infinite in Python, too */
    *out = *t == '-' ? -(double)INFINITY : (double)INFINITY;
    return *skip_blanks(t + strcspn(t, " \t\n\r")) == '\0';
  }
  const int is_negative = *t == '-';
  if (*t == '-' || *t == '+') t++;
  size_t n = 0;
  for (; n + 1 < sizeof word && ((t[n] >= 'a' && t[n] <= 'z') || (t[n] >= 'A' && t[n] <= 'Z')); n++)
    word[n] = (char)(t[n] | 0x20);
  word[n] = '\0';
  if (*skip_blanks(t + n) != '\0') return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i].name) == 0) {
      *out = is_negative ? -words[i].value : words[i].value;
      return 1;
    }
  return 0;
}

xacro_value jn_xacro_literal(xacro *x, xacro_value v) {
  int64_t n;
  double d;
  if (v.kind != XACRO_TEXT || !jn_xacro_scan(x, v.as.text)) return v;
  const char *t = v.as.text;
  const size_t length = strlen(t);
  if (length >= 2 && t[0] == '\'' && t[length - 1] == '\'')
    return jn_xacro_string(jn_xacro_copy(x, t + 1, length - 2));
  if (strchr(t, '_') != NULL) return v;
  if (jn_xacro_read_int(t, &n)) return jn_xacro_whole(n);
  if (t[strspn(t, "+-0123456789 \t\n\r")] == '\0') return v; /* too large: all its digits count */
  if (jn_xacro_read_float(x, t, &d)) return jn_xacro_number(d);
  if (strcmp(t, "true") == 0 || strcmp(t, "True") == 0) return jn_xacro_bool(1);
  if (strcmp(t, "false") == 0 || strcmp(t, "False") == 0) return jn_xacro_bool(0);
  return v;
}
