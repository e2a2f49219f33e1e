/* xacro_expression.c: expressions in the style of Python, parsed and evaluated in one pass by
 * recursive descent.
 *
 *   test        or [if or else test]
 *   or          binary operators by precedence: or, and, not, comparisons, + -, * / // %
 *   unary       + - power
 *   power       postfix [** unary]
 *   postfix     atom { (arguments) | [index] | .name }
 *   atom        number, text, name, (test, ...), [test, ...], [test for name in or if or]
 *
 * What must not be evaluated (the other branch of a condition, the second operand of `or`) is parsed
 * with `skip` set: nothing fails then but the syntax. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/number.h"
#include "io/xacro/xacro.h"

typedef struct evaluator {
  xacro *x;
  xacro_scope *scope;
  const char *at; /* the next character */
  int skip;
} evaluator;

static xacro_value test(evaluator *e);
static xacro_value binary(evaluator *e, int lowest);
static xacro_value unary(evaluator *e);

static xacro_value wrong(evaluator *e, const char *what) {
  jn_xacro_fail(e->x, JN_ERR_SYNTAX, "%s", what);
  return jn_xacro_none();
}

static int is_ok(const evaluator *e) { return e->x->status == JN_OK; }
static int is_live(const evaluator *e) { return e->x->status == JN_OK && !e->skip; }

/* ---- characters */

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static void blanks(evaluator *e) {
  while (*e->at == ' ' || (*e->at >= '\t' && *e->at <= '\r')) e->at++;
}

/* Is this sign next? Then it is taken. */
static int sign(evaluator *e, const char *text) {
  blanks(e);
  const size_t n = strlen(text);
  if (strncmp(e->at, text, n) != 0) return 0;
  e->at += n;
  return 1;
}

static size_t name_length(const char *t) {
  size_t n = 0;
  if (!is_letter(*t)) return 0;
  while (is_letter(t[n]) || is_digit(t[n])) n++;
  return n;
}

static int word(evaluator *e, const char *text) {
  blanks(e);
  const size_t n = strlen(text);
  if (name_length(e->at) != n || strncmp(e->at, text, n) != 0) return 0;
  e->at += n;
  return 1;
}

static const char *take_name(evaluator *e) {
  blanks(e);
  const size_t n = name_length(e->at);
  if (n == 0) {
    wrong(e, "a name expected");
    return "";
  }
  const char *name = jn_xacro_copy(e->x, e->at, n);
  e->at += n;
  return name;
}

static const char *after_text(const char *t) {
  const char quote = *t++;
  for (; *t != '\0' && *t != quote; t++)
    if (*t == '\\' && t[1] != '\0') t++;
  return *t != '\0' ? t + 1 : t;
}

/* Does this keyword come before the end of the current expression, outside of brackets? */
static int is_ahead(evaluator *e, const char *keyword) {
  int open = 0;
  const char *t = e->at;
  while (*t != '\0') {
    const size_t n = name_length(t);
    if (n > 0) {
      if (open == 0 && strlen(keyword) == n && strncmp(t, keyword, n) == 0) return 1;
      /* the condition of [... for ... if ...], or of another if */
      if (open == 0 && keyword[0] == 'i' &&
          ((n == 3 && strncmp(t, "for", n) == 0) || (n == 4 && strncmp(t, "else", n) == 0)))
        return 0;
      t += n;
    } else if (is_digit(*t)) {
      while (is_digit(*t) || is_letter(*t)) t++;
    } else if (*t == '\'' || *t == '"') {
      t = after_text(t);
    } else {
      if (*t == '(' || *t == '[') open++;
      if (*t == ')' || *t == ']') open--;
      if (open < 0 || (open == 0 && (*t == ',' || *t == ':'))) break;
      t++;
    }
  }
  jn_xacro_work(e->x, (t - e->at) / 16);
  return 0;
}

/* ---- atoms */

static xacro_value take_number(evaluator *e) {
  char token[64];
  size_t n = 0;
  int is_whole = 1;
  const char *t = e->at;
  if (t[0] == '0' && (t[1] == 'x' || t[1] == 'X')) {
    int64_t value = 0;
    for (t += 2; is_digit(*t) || ((*t | 0x20) >= 'a' && (*t | 0x20) <= 'f'); t++) {
      if (value >> 59 != 0) return wrong(e, "the number is too large");
      value = 16 * value + (is_digit(*t) ? *t - '0' : (*t | 0x20) - 'a' + 10);
    }
    if (t == e->at + 2) return wrong(e, "a number has no digits");
    e->at = t;
    return jn_xacro_whole(value);
  }
  /* it begins with a digit or a point */
  while (is_digit(t[n]) || t[n] == '.' || (t[n] | 0x20) == 'e' ||
         ((t[n] == '+' || t[n] == '-') && (t[n - 1] | 0x20) == 'e')) {
    if (!is_digit(t[n])) is_whole = 0;
    if (n + 1 == sizeof token) return wrong(e, "the number has too many digits");
    token[n] = t[n];
    n++;
  }
  token[n] = '\0';
  int64_t whole;
  double number;
  e->at += n;
  if (is_letter(*e->at)) return wrong(e, "a number ends with a letter");
  if (is_whole && token[0] == '0' && strspn(token, "0") < n)
    return wrong(e, "a whole number starts with 0");
  if (is_whole && jn_xacro_read_int(token, &whole)) return jn_xacro_whole(whole);
  if (is_whole) return wrong(e, "the number is too large");
  if (!jn_xacro_read_float(e->x, token, &number)) return wrong(e, "this is not a number");
  return jn_xacro_number(number);
}

static void append_escape(evaluator *e, xacro_buffer *b, char c) {
  static const char letters[] = "ntr\\'\"", means[] = "\n\t\r\\'\"";
  const char *found = strchr(letters, c);
  if (found != NULL) {
    jn_xacro_append(e->x, b, &means[found - letters], 1);
  } else if (strchr("01234567abfvxuUN\n", c) != NULL) {
    wrong(e, "this escape of a string is not supported: " XACRO_ADVICE);
  } else {
    jn_xacro_append(e->x, b, "\\", 1);
    jn_xacro_append(e->x, b, &c, 1);
  }
}

/* texts side by side are one */
static xacro_value take_text(evaluator *e) {
  xacro_buffer b = {NULL, 0, 0};
  for (blanks(e); *e->at == '\'' || *e->at == '"'; blanks(e)) {
    const char quote = *e->at++;
    if (e->at[0] == quote && e->at[1] == quote)
      return wrong(e, "''' is not supported: " XACRO_ADVICE);
    for (; *e->at != quote; e->at++) {
      if (*e->at == '\0') return wrong(e, "a string has no closing quote");
      if (*e->at == '\\' && e->at[1] != '\0')
        append_escape(e, &b, *++e->at);
      else
        jn_xacro_append(e->x, &b, e->at, 1);
      if (!is_ok(e)) return jn_xacro_none();
    }
    e->at++;
  }
  return jn_xacro_string(jn_xacro_text(e->x, &b));
}

static xacro_value look_up(evaluator *e, const char *name) {
  static const char *const refused[] = {"lambda", "import", "await", "yield", "async", NULL};
  xacro_value found;
  if (strcmp(name, "True") == 0) return jn_xacro_bool(1);
  if (strcmp(name, "False") == 0) return jn_xacro_bool(0);
  if (strcmp(name, "None") == 0) return jn_xacro_none();
  for (int i = 0; refused[i] != NULL; i++)
    if (strcmp(name, refused[i]) == 0) {
      jn_xacro_fail(e->x, JN_ERR_SYNTAX, "'%s' is not supported: " XACRO_ADVICE, name);
      return jn_xacro_none();
    }
  if (e->skip) return jn_xacro_none();
  const xacro_symbol *symbol = jn_xacro_find(e->x, e->scope, name);
  if (symbol != NULL) return symbol->value;
  if (is_ok(e) && jn_xacro_find_function(NULL, name, &found)) return found;
  jn_xacro_fail(e->x, JN_ERR_SYNTAX, "'%.100s' is not defined", name);
  return jn_xacro_none();
}

/* `for names in or [if or] ...` of [element for ...]: appends the values of the element */
static void each(evaluator *e, const char *element, xacro_list *out) {
  enum { MOST = 8 };
  const char *names[MOST];
  int count = 0;
  if (!jn_xacro_enter(e->x)) return;
  const int has_bracket = sign(e, "(");
  do {
    if (count == MOST) wrong(e, "too many names after 'for'");
    if (is_ok(e)) names[count++] = take_name(e);
  } while (is_ok(e) && sign(e, ","));
  if (has_bracket && is_ok(e) && !sign(e, ")")) wrong(e, "')' expected");
  if (is_ok(e) && !word(e, "in")) wrong(e, "'in' expected after 'for'");
  const xacro_value over = is_ok(e) ? binary(e, 0) : jn_xacro_none();
  xacro_list *items = is_live(e) ? jn_xacro_items(e->x, over) : NULL;
  const char *rest = e->at, *end = NULL;
  xacro_scope *outer = e->scope, *inner = is_live(e) ? jn_xacro_scope_new(e->x, outer, 0) : NULL;
  const int total = items != NULL ? items->count : 0;
  /* one more round without an item finds the end */
  for (int i = 0; i <= total && is_ok(e); i++) {
    const int is_last = i == total;
    e->at = rest;
    e->skip += is_last;
    e->scope = is_last ? outer : inner;
    for (int k = 0; k < count && !is_last && is_ok(e); k++) {
      xacro_value item = items->items[i];
      if (count > 1) {
        const xacro_list *parts = jn_xacro_items(e->x, item);
        if (parts != NULL && parts->count != count)
          wrong(e, "'for' has more or fewer names than the value has parts");
        item = is_ok(e) ? parts->items[k] : jn_xacro_none();
      }
      jn_xacro_bind(e->x, inner, names[k], item, 0);
    }
    int is_taken = 1, is_nested = 0;
    while (is_ok(e) && word(e, "if")) {
      const xacro_value c = binary(e, 0);
      if (!e->skip && !jn_xacro_is_true(c)) is_taken = 0;
    }
    e->skip += !is_taken;
    if (is_ok(e) && word(e, "for")) {
      is_nested = 1;
      each(e, element, out);
    }
    end = e->at;
    if (!is_nested && is_live(e)) {
      e->at = element;
      const xacro_value v = test(e);
      jn_xacro_push(e->x, out, v);
    }
    e->skip -= !is_taken;
    e->skip -= is_last;
  }
  e->scope = outer;
  if (end != NULL) e->at = end;
  jn_xacro_leave(e->x);
}

/* The values of "test, ..." or "test for ..." up to the sign `end`. Returns 1 if there was a comma.
 */
static int values(evaluator *e, const char *end, xacro_list *out) {
  int comma = 0;
  blanks(e);
  if (is_ahead(e, "for")) {
    const char *element = e->at;
    e->skip++;
    test(e);
    e->skip--;
    if (is_ok(e) && !word(e, "for")) wrong(e, "'for' expected");
    if (is_ok(e)) each(e, element, out);
    if (is_ok(e) && !sign(e, end)) wrong(e, "a bracket is not closed");
    return 1;
  }
  while (is_ok(e) && !sign(e, end)) {
    const xacro_value v = test(e);
    jn_xacro_push(e->x, out, v);
    if (is_ok(e) && sign(e, ",")) {
      comma = 1;
    } else if (is_ok(e)) {
      if (!sign(e, end)) wrong(e, "a bracket is not closed, or an operator is missing");
      break;
    }
  }
  return comma;
}

static xacro_value atom(evaluator *e) {
  blanks(e);
  const char c = *e->at;
  if (is_digit(c) || (c == '.' && is_digit(e->at[1]))) return take_number(e);
  if (c == '\'' || c == '"') return take_text(e);
  if ((c == 'u' || c == 'U') && (e->at[1] == '\'' || e->at[1] == '"')) {
    e->at++;
    return take_text(e);
  }
  if (c == '[' || c == '(') {
    e->at++;
    xacro_value list = jn_xacro_list_new(e->x, c == '[' ? XACRO_LIST : XACRO_TUPLE);
    if (!is_ok(e)) return list;
    const int comma = values(e, c == '[' ? "]" : ")", list.as.list);
    if (c == '(' && !comma && list.as.list->count == 1) return list.as.list->items[0];
    return list;
  }
  if (is_letter(c)) {
    const char *name = take_name(e);
    return is_ok(e) ? look_up(e, name) : jn_xacro_none();
  }
  if (c == '{') return wrong(e, "{...} is not supported: use dict(...), or " XACRO_ADVICE);
  if (c == '\0') return wrong(e, "the expression ends too early");
  return wrong(e, "an operand expected");
}

/* ---- calls, indices, attributes */

static xacro_value call(evaluator *e, xacro_value function, xacro_value subject,
                        const char *method) {
  enum { MOST = 64 };
  const char **names = NULL; /* not on the stack, since calls nest */
  xacro_value arguments = jn_xacro_list_new(e->x, XACRO_LIST);
  if (!is_ok(e)) return arguments;
  blanks(e);
  if (is_ahead(e, "for")) { /* f(test for ...) */
    xacro_value all = jn_xacro_list_new(e->x, XACRO_LIST);
    if (is_ok(e)) values(e, ")", all.as.list);
    if (is_ok(e)) jn_xacro_push(e->x, arguments.as.list, all);
  } else {
    while (is_ok(e) && !sign(e, ")")) {
      blanks(e);
      if (*e->at == '*') return wrong(e, "*arguments are not supported: " XACRO_ADVICE);
      const size_t n = name_length(e->at);
      const char *start = e->at, *name = NULL;
      e->at += n;
      blanks(e);
      if (n > 0 && e->at[0] == '=' && e->at[1] != '=') {
        name = jn_xacro_copy(e->x, start, n);
        e->at++;
      } else {
        e->at = start;
      }
      const xacro_value v = test(e);
      if (arguments.as.list->count == MOST) return wrong(e, "too many arguments");
      if (name != NULL && names == NULL) names = jn_xacro_new(e->x, MOST * sizeof *names);
      if (names != NULL) names[arguments.as.list->count] = name;
      jn_xacro_push(e->x, arguments.as.list, v);
      if (is_ok(e) && !sign(e, ",")) {
        if (!sign(e, ")")) wrong(e, "a bracket is not closed, or an operator is missing");
        break;
      }
    }
  }
  if (!is_live(e)) return jn_xacro_none();
  if (method != NULL) {
    if (names != NULL) return wrong(e, "keyword arguments are not supported here: " XACRO_ADVICE);
    return jn_xacro_method(e->x, subject, method, arguments.as.list);
  }
  return jn_xacro_apply(e->x, function, arguments.as.list, names);
}

static xacro_value index_of(evaluator *e, xacro_value v) {
  xacro_value from = jn_xacro_none(), to = jn_xacro_none();
  int is_slice = 0;
  if (!sign(e, ":")) {
    from = test(e);
    if (is_ok(e)) is_slice = sign(e, ":");
  } else {
    is_slice = 1;
  }
  blanks(e);
  if (is_slice && *e->at != ']' && *e->at != ':') to = test(e);
  if (is_ok(e) && sign(e, ":"))
    return wrong(e, "the step of a slice is not supported: " XACRO_ADVICE);
  if (is_ok(e) && !sign(e, "]")) return wrong(e, "']' expected");
  if (!is_live(e)) return jn_xacro_none();
  return is_slice ? jn_xacro_slice(e->x, v, from, to) : jn_xacro_item(e->x, v, from);
}

static xacro_value postfix(evaluator *e) {
  xacro_value v = atom(e);
  while (is_ok(e) && jn_xacro_work(e->x, 1)) {
    blanks(e);
    if (*e->at == '(') {
      e->at++;
      if (is_live(e) && v.kind != XACRO_FUNCTION)
        return wrong(e, "this is not a function, and cannot be called");
      v = call(e, v, jn_xacro_none(), NULL);
    } else if (*e->at == '[') {
      e->at++;
      v = index_of(e, v);
    } else if (*e->at == '.' && !is_digit(e->at[1])) {
      e->at++;
      const char *name = take_name(e);
      blanks(e);
      const int is_call = is_ok(e) && *e->at == '(';
      if (is_call && (e->skip || jn_xacro_is_method(v, name))) {
        e->at++;
        v = call(e, jn_xacro_none(), v, name);
      } else if (is_call && (v.kind == XACRO_TEXT || v.kind == XACRO_LIST || v.kind == XACRO_DICT ||
                             v.kind == XACRO_TUPLE)) {
        jn_xacro_fail(e->x, JN_ERR_SYNTAX, "the method %s.%.60s() is not supported: " XACRO_ADVICE,
                      jn_xacro_kind_name(v.kind), name);
      } else {
        v = is_live(e) ? jn_xacro_attribute(e->x, v, name) : jn_xacro_none();
      }
    } else {
      break;
    }
  }
  return v;
}

/* ---- operators */

enum { OR = 1, AND, NOT, COMPARE, SUM, PRODUCT };

/* The next operator of two operands, not yet taken; 0: none. `length`: of its text. */
static int operator_ahead(evaluator *e, const char **op, size_t *length) {
  static const struct {
    const char *text;
    int level;
  } signs[] = {{"==", COMPARE}, {"!=", COMPARE}, {"<=", COMPARE}, {">=", COMPARE},
               {"<", COMPARE},  {">", COMPARE},  {"+", SUM},      {"-", SUM},
               {"//", PRODUCT}, {"*", PRODUCT},  {"/", PRODUCT},  {"%", PRODUCT}};
  static const struct {
    const char *text;
    int level;
  } words[] = {{"or", OR}, {"and", AND}, {"in", COMPARE}, {"is", COMPARE}, {"not", COMPARE}};
  blanks(e);
  const size_t n = name_length(e->at);
  for (size_t i = 0; n > 0 && i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].text) == n && strncmp(e->at, words[i].text, n) == 0) {
      evaluator look = *e;
      *op = words[i].text;
      look.at += n;
      if (words[i].text[1] == 's' && word(&look, "not")) *op = "is not";
      if (words[i].text[0] == 'n') { /* not in */
        if (!word(&look, "in")) return 0;
        *op = "not in";
      }
      *length = (size_t)(look.at - e->at);
      return words[i].level;
    }
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (strncmp(e->at, signs[i].text, strlen(signs[i].text)) == 0) {
      *op = signs[i].text;
      *length = strlen(signs[i].text);
      return signs[i].level;
    }
  if (*e->at == '&' || *e->at == '|' || *e->at == '^' || *e->at == '~')
    wrong(e, "bitwise operators are not supported: write 'and', 'or', 'not'");
  return 0;
}

/* a < b < c is a < b and b < c */
static xacro_value comparison(evaluator *e, xacro_value left, const char *op) {
  int is = 1, skipped = 0;
  size_t length;
  for (;;) {
    const xacro_value right = binary(e, SUM);
    if (is_live(e)) is = jn_xacro_relation(e->x, op, left, right);
    left = right;
    if (!is_ok(e) || operator_ahead(e, &op, &length) != COMPARE) break;
    e->at += length;
    if (!is && !e->skip) {
      e->skip++;
      skipped = 1;
    }
  }
  e->skip -= skipped;
  return jn_xacro_bool(is);
}

static xacro_value binary(evaluator *e, int lowest) {
  const char *op = "";
  size_t length = 0;
  int level;
  xacro_value left = jn_xacro_none();
  if (!jn_xacro_enter(e->x)) return left;
  if (lowest <= NOT && word(e, "not")) {
    const xacro_value v = binary(e, NOT);
    left = jn_xacro_bool(!jn_xacro_is_true(v));
  } else {
    left = unary(e);
  }
  while (is_ok(e) && (level = operator_ahead(e, &op, &length)) != 0 && level >= lowest &&
         jn_xacro_work(e->x, 1)) {
    e->at += length;
    if (level == OR || level == AND) {
      const int is_decided = is_live(e) && jn_xacro_is_true(left) == (level == OR);
      e->skip += is_decided;
      const xacro_value right = binary(e, level + 1);
      e->skip -= is_decided;
      if (!is_decided) left = right;
    } else if (level == COMPARE) {
      left = comparison(e, left, op);
    } else {
      const xacro_value right = binary(e, level + 1);
      left = is_live(e) ? jn_xacro_arithmetic(e->x, op, left, right) : jn_xacro_none();
    }
  }
  jn_xacro_leave(e->x);
  return left;
}

static xacro_value unary(evaluator *e) {
  if (!jn_xacro_enter(e->x)) return jn_xacro_none();
  xacro_value v;
  if (sign(e, "-")) {
    v = unary(e);
    if (is_live(e))
      v = v.kind == XACRO_FLOAT ? jn_xacro_number(-v.as.number)
                                : jn_xacro_arithmetic(e->x, "-", jn_xacro_whole(0), v);
  } else if (sign(e, "+")) {
    v = unary(e);
    if (is_live(e) && v.kind != XACRO_FLOAT)
      v = jn_xacro_arithmetic(e->x, "+", jn_xacro_whole(0), v);
  } else {
    v = postfix(e);
    if (is_ok(e) && sign(e, "**")) {
      const xacro_value power = unary(e);
      v = is_live(e) ? jn_xacro_power(e->x, v, power) : jn_xacro_none();
    }
  }
  jn_xacro_leave(e->x);
  return v;
}

static xacro_value test(evaluator *e) {
  xacro_value v = jn_xacro_none();
  if (!is_ok(e) || !jn_xacro_enter(e->x)) return v;
  if (!is_ahead(e, "if")) {
    if (is_ok(e)) v = binary(e, 0);
  } else {
    const char *first = e->at;
    e->skip++;
    binary(e, 0);
    e->skip--;
    if (is_ok(e) && !word(e, "if")) wrong(e, "'if' expected");
    const xacro_value c = is_ok(e) ? binary(e, 0) : v;
    const char *rest = e->at;
    const int is = jn_xacro_is_true(c);
    if (is_live(e) && is) {
      e->at = first;
      v = binary(e, 0);
      e->at = rest;
    }
    if (is_ok(e) && !word(e, "else")) wrong(e, "'else' expected after 'if'");
    e->skip += is;
    const xacro_value other = is_ok(e) ? test(e) : v;
    e->skip -= is;
    if (!is) v = other;
  }
  jn_xacro_leave(e->x);
  return v;
}

xacro_value jn_xacro_expression(xacro *x, xacro_scope *s, const char *text) {
  evaluator e = {x, s, text, 0};
  const char *outer = x->expression;
  x->expression = text;
  xacro_value v = test(&e);
  if (is_ok(&e) && sign(&e, ",")) { /* a, b is a tuple */
    xacro_value tuple = jn_xacro_list_new(x, XACRO_TUPLE);
    if (is_ok(&e)) jn_xacro_push(x, tuple.as.list, v);
    for (blanks(&e); is_ok(&e) && *e.at != '\0'; blanks(&e)) {
      v = test(&e);
      jn_xacro_push(x, tuple.as.list, v);
      if (is_ok(&e) && !sign(&e, ",")) break;
    }
    v = tuple;
  }
  blanks(&e);
  if (is_ok(&e) && *e.at != '\0')
    jn_xacro_fail(x, JN_ERR_SYNTAX, "'%.40s' is not expected here", e.at);
  x->expression = outer;
  return x->status == JN_OK ? v : jn_xacro_none();
}
