/* xacro_operators.c: what expressions do with values: arithmetic, comparisons, items, slices, names.
 */
#include <math.h>
#include <string.h>

#include "io/xacro/xacro.h"

static xacro_value wrong(xacro *x, const char *what) {
  jn_xacro_fail(x, JN_ERR_SYNTAX, "%s", what);
  return jn_xacro_none();
}

/* ---- items and names */

/* start and end of a slice of `count` items; negative numbers count from the end */
static int bound(xacro *x, xacro_value v, int count, int otherwise) {
  if (v.kind == XACRO_NONE) return otherwise;
  if (v.kind != XACRO_INT) {
    wrong(x, "the bounds of a slice must be integers");
    return 0;
  }
  const int64_t n = v.as.whole < 0 ? v.as.whole + count : v.as.whole;
  return n < 0 ? 0 : n > count ? count : (int)n;
}

static xacro_value join(xacro *x, const xacro_list *parts, int begin, int end) {
  xacro_buffer b = {NULL, 0, 0};
  for (int i = begin; i < end && x->status == JN_OK; i++)
    jn_xacro_append(x, &b, parts->items[i].as.text, strlen(parts->items[i].as.text));
  return jn_xacro_string(jn_xacro_text(x, &b));
}

xacro_value jn_xacro_slice(xacro *x, xacro_value v, xacro_value from, xacro_value to) {
  if (v.kind == XACRO_DICT) return wrong(x, "a dict has no slices");
  const xacro_list *items = jn_xacro_items(x, v);
  if (items == NULL) return jn_xacro_none();
  const int begin = bound(x, from, items->count, 0), end = bound(x, to, items->count, items->count);
  if (v.kind == XACRO_TEXT) return join(x, items, begin, end);
  xacro_value part = jn_xacro_list_new(x, v.kind);
  for (int i = begin; i < end && x->status == JN_OK; i++)
    jn_xacro_push(x, part.as.list, items->items[i]);
  return part;
}

xacro_value jn_xacro_item(xacro *x, xacro_value v, xacro_value key) {
  if (v.kind == XACRO_DICT) {
    const xacro_value *found = jn_xacro_get(x, v.as.dict, key);
    if (found != NULL) return *found;
    jn_xacro_fail(x, JN_ERR_SYNTAX, "the dict has no key '%.100s'", jn_xacro_str(x, key));
    return jn_xacro_none();
  }
  const xacro_list *items = jn_xacro_items(x, v);
  if (items == NULL) return jn_xacro_none();
  if (key.kind != XACRO_INT && key.kind != XACRO_BOOL)
    return wrong(x, "an index must be an integer");
  const int64_t i = key.as.whole < 0 ? key.as.whole + items->count : key.as.whole;
  if (i < 0 || i >= items->count) {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "index %lld of %d items", (long long)key.as.whole,
                  items->count);
    return jn_xacro_none();
  }
  return items->items[i];
}

xacro_value jn_xacro_attribute(xacro *x, xacro_value v, const char *name) {
  static const char *const modules[] = {"math", "python", "xacro"};
  xacro_value found;
  if (strncmp(name, "__", 2) == 0) return wrong(x, "names with two underscores are refused");
  if (v.kind == XACRO_DICT) return jn_xacro_item(x, v, jn_xacro_string(name));
  if (v.kind == XACRO_SCOPE) {
    const xacro_symbol *symbol = jn_xacro_find(x, v.as.scope, name);
    if (symbol != NULL) return symbol->value;
  } else if (v.kind == XACRO_MODULE && jn_xacro_find_function(modules[v.as.whole], name, &found)) {
    return found;
  }
  jn_xacro_fail(x, JN_ERR_SYNTAX, "%s has no '%.100s'", jn_xacro_kind_name(v.kind), name);
  return jn_xacro_none();
}

/* ---- arithmetic */

static xacro_value overflow(xacro *x) { return wrong(x, "the integer is too large"); }

static int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static xacro_value whole_arithmetic(xacro *x, const char *op, int64_t a, int64_t b) {
  int64_t out = 0;
  if ((*op == '/' || *op == '%') && b == 0) return wrong(x, "division by zero");
  if (strcmp(op, "/") == 0) return jn_xacro_number((double)a / (double)b);
  if (b == -1 && *op != '*' && *op != '+' && *op != '-') { /* INT64_MIN / -1 */
    if (*op == '%') return jn_xacro_whole(0);
    return a == INT64_MIN ? overflow(x) : jn_xacro_whole(-a);
  }
  if (strcmp(op, "//") == 0) return jn_xacro_whole(floor_divide(a, b));
  if (*op == '%') return jn_xacro_whole(a - floor_divide(a, b) * b);
  const int is_over = *op == '+'   ? __builtin_add_overflow(a, b, &out)
                      : *op == '-' ? __builtin_sub_overflow(a, b, &out)
                                   : __builtin_mul_overflow(a, b, &out);
  return is_over ? overflow(x) : jn_xacro_whole(out);
}

/* a // b and a % b: the rest has the sign of b, and a = (a // b) b + a % b before rounding */
static xacro_value divided(const char *op, double a, double b) {
  double rest = fmod(a, b), quotient = (a - rest) / b;
  if (rest == 0) {
    rest = copysign(0, b);
  } else if ((rest < 0) != (b < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (*op == '%') return jn_xacro_number(rest);
  return jn_xacro_number(quotient == 0 ? copysign(0, a / b) : nearbyint(quotient));
}

static xacro_value number_arithmetic(xacro *x, const char *op, double a, double b) {
  if ((*op == '/' || *op == '%') && b == 0) return wrong(x, "division by zero");
  if (*op == '%' || strcmp(op, "//") == 0) return divided(op, a, b);
  return jn_xacro_number(*op == '+' ? a + b : *op == '-' ? a - b : *op == '*' ? a * b : a / b);
}

/* a + b for texts and lists, a * n */
static xacro_value repeat(xacro *x, xacro_value v, int64_t times) {
  if (v.kind == XACRO_TEXT) {
    xacro_buffer b = {NULL, 0, 0};
    const size_t n = strlen(v.as.text);
    jn_xacro_scan(x, v.as.text);
    for (int64_t i = 0; i < times && n > 0 && x->status == JN_OK && jn_xacro_work(x, 1); i++)
      jn_xacro_append(x, &b, v.as.text, n);
    return jn_xacro_string(jn_xacro_text(x, &b));
  }
  xacro_value out = jn_xacro_list_new(x, v.kind);
  for (int64_t i = 0; i < times && v.as.list->count > 0 && x->status == JN_OK; i++)
    for (int k = 0; k < v.as.list->count && x->status == JN_OK; k++)
      jn_xacro_push(x, out.as.list, v.as.list->items[k]);
  return out;
}

static int is_sequence(xacro_value v) {
  return v.kind == XACRO_TEXT || v.kind == XACRO_LIST || v.kind == XACRO_TUPLE;
}
static int is_whole(xacro_value v) { return v.kind == XACRO_INT || v.kind == XACRO_BOOL; }

xacro_value jn_xacro_arithmetic(xacro *x, const char *op, xacro_value a, xacro_value b) {
  double p, q;
  if (is_whole(a) && is_whole(b)) return whole_arithmetic(x, op, a.as.whole, b.as.whole);
  if (jn_xacro_as_number(a, &p) && jn_xacro_as_number(b, &q)) return number_arithmetic(x, op, p, q);
  if (*op == '+' && a.kind == XACRO_TEXT && b.kind == XACRO_TEXT) {
    xacro_buffer t = {NULL, 0, 0};
    jn_xacro_append(x, &t, a.as.text, strlen(a.as.text));
    jn_xacro_append(x, &t, b.as.text, strlen(b.as.text));
    return jn_xacro_string(jn_xacro_text(x, &t));
  }
  if (*op == '+' && a.kind == b.kind && is_sequence(a)) {
    xacro_value out = repeat(x, a, 1);
    for (int i = 0; x->status == JN_OK && i < b.as.list->count; i++)
      jn_xacro_push(x, out.as.list, b.as.list->items[i]);
    return out;
  }
  if (*op == '*' && is_sequence(a) && is_whole(b)) return repeat(x, a, b.as.whole);
  if (*op == '*' && is_sequence(b) && is_whole(a)) return repeat(x, b, a.as.whole);
  if (*op == '%' && a.kind == XACRO_TEXT) return jn_xacro_format(x, a.as.text, b);
  jn_xacro_fail(x, JN_ERR_SYNTAX, "%s %s %s cannot be computed", jn_xacro_kind_name(a.kind), op,
                jn_xacro_kind_name(b.kind));
  return jn_xacro_none();
}

static int contains(xacro *x, xacro_value in, xacro_value v) {
  if (in.kind == XACRO_TEXT && v.kind == XACRO_TEXT)
    return jn_xacro_scan(x, in.as.text) && jn_xacro_scan(x, v.as.text) &&
           strstr(in.as.text, v.as.text) != NULL;
  if (in.kind == XACRO_TEXT) {
    wrong(x, "only a string can be in a string");
    return 0;
  }
  if (in.kind == XACRO_SCOPE && v.kind == XACRO_TEXT)
    return jn_xacro_find(x, in.as.scope, v.as.text) != NULL;
  const xacro_list *items = jn_xacro_items(x, in);
  for (int i = 0; items != NULL && i < items->count && x->status == JN_OK; i++)
    if (jn_xacro_is_equal(x, items->items[i], v)) return 1;
  return 0;
}

/* a is b: lists and dicts are themselves alone, 1 is neither 1.0 nor True */
static int is_same(xacro *x, xacro_value a, xacro_value b) {
  if (a.kind != b.kind) return 0;
  if (a.kind == XACRO_LIST || a.kind == XACRO_TUPLE) return a.as.list == b.as.list;
  return a.kind == XACRO_DICT ? a.as.dict == b.as.dict : jn_xacro_is_equal(x, a, b);
}

int jn_xacro_relation(xacro *x, const char *op, xacro_value a, xacro_value b) {
  double p, q;
  if (strcmp(op, "==") == 0) return jn_xacro_is_equal(x, a, b);
  if (strcmp(op, "!=") == 0) return !jn_xacro_is_equal(x, a, b);
  if (strcmp(op, "is") == 0) return is_same(x, a, b);
  if (strcmp(op, "is not") == 0) return !is_same(x, a, b);
  if (strcmp(op, "in") == 0) return contains(x, b, a);
  if (strcmp(op, "not in") == 0) return !contains(x, b, a);
  if (jn_xacro_as_number(a, &p) && jn_xacro_as_number(b, &q) && (isnan(p) || isnan(q))) return 0;
  const int order = jn_xacro_compare(x, a, b);
  return op[0] == '<' ? (op[1] == '=' ? order <= 0 : order < 0)
                      : (op[1] == '=' ? order >= 0 : order > 0);
}
