/* xacro_text.c: scopes of xacro, and texts with ${expressions} and $(substitutions). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/decimal.h"
#include "io/xacro/xacro.h"

/* ---- failures and limits */

/* "; in macro 'wheel' called at FILE:LINE", innermost first */
static void write_calls(const xacro *x, char *text, size_t room) {
  enum { MOST = 5 };
  int n = 0;
  for (const xacro_call *c = x->call; c != NULL && n <= MOST; c = c->up, n++) {
    const size_t used = strlen(text);
    if (n == MOST)
      snprintf(text + used, room - used, ", ...");
    else if (c->macro != NULL)
      snprintf(text + used, room - used, "%s macro '%.60s' called at %.100s:%d",
               n == 0 ? "; in" : ", in", c->macro, x->files[c->file].name, c->line);
    else
      snprintf(text + used, room - used, "%s at %.100s:%d", n == 0 ? "; included" : ", included",
               x->files[c->file].name, c->line);
  }
}

void jn_xacro_fail(xacro *x, jn_status status, const char *format, ...) {
  char text[JN_MAX_MESSAGE], calls[JN_MAX_MESSAGE] = "";
  va_list list;
  if (x->status != JN_OK) return;
  va_start(list, format);
  jn_format_list(text, sizeof text, format, list);
  va_end(list);
  write_calls(x, calls, sizeof calls);
  const int file = x->at != NULL ? x->at->file : 0, line = x->at != NULL ? x->at->line : 0;
  x->status = x->expression != NULL
                  ? jn_fail(x->error, status, x->files[file].name, line, "${%.100s}: %s%s",
                            x->expression, text, calls)
                  : jn_fail(x->error, status, x->files[file].name, line, "%s%s", text, calls);
}

#ifndef XACRO_WORK /* lower where inputs are fuzzed */
#define XACRO_WORK JN_MAX_XACRO_WORK
#endif

int jn_xacro_work(xacro *x, int64_t amount) {
  if (x->status != JN_OK) return 0;
  x->work += amount;
  if (x->work <= XACRO_WORK) return 1;
  jn_xacro_fail(x, JN_ERR_LIMIT, "the expansion takes more than %d steps", XACRO_WORK);
  return 0;
}

int jn_xacro_scan(xacro *x, const char *text) {
  return jn_xacro_work(x, (int64_t)(strlen(text) / 64));
}

int jn_xacro_enter(xacro *x) {
  if (!jn_xacro_work(x, 1)) return 0;
  if (x->depth == JN_MAX_XACRO_DEPTH) {
    jn_xacro_fail(x, JN_ERR_LIMIT,
                  "elements, macros and expressions are nested deeper than %d: does a macro call "
                  "itself?",
                  JN_MAX_XACRO_DEPTH);
    return 0;
  }
  x->depth++;
  return 1;
}

void jn_xacro_leave(xacro *x) { x->depth--; }

/* ---- scopes */

xacro_scope *jn_xacro_scope_new(xacro *x, xacro_scope *parent, int is_namespace) {
  xacro_scope *s = jn_xacro_new(x, sizeof *s);
  if (s != NULL) *s = (xacro_scope){parent, is_namespace, NULL, NULL};
  return s;
}

static xacro_symbol *own_symbol(xacro *x, const xacro_scope *s, const char *name) {
  int n = 0;
  xacro_symbol *symbol = s->symbols;
  for (; symbol != NULL && strcmp(symbol->name, name) != 0; symbol = symbol->next) n++;
  jn_xacro_work(x, n / 8);
  return symbol;
}

void jn_xacro_define(xacro *x, xacro_scope *s, const char *name, xacro_value value, int is_lazy) {
  jn_xacro_bind(x, s, name, jn_xacro_literal(x, value), is_lazy);
}

void jn_xacro_bind(xacro *x, xacro_scope *s, const char *name, xacro_value value, int is_lazy) {
  if (x->status != JN_OK) return;
  xacro_symbol *symbol = own_symbol(x, s, name);
  if (symbol == NULL) {
    symbol = jn_xacro_new(x, sizeof *symbol);
    if (symbol == NULL) return;
    symbol->next = s->symbols;
    symbol->name = name;
    s->symbols = symbol;
  }
  symbol->value = value;
  symbol->is_lazy = is_lazy && value.kind == XACRO_TEXT;
  symbol->is_open = 0;
  symbol->at = x->at;
}

/* Evaluates a property at its first use, in the scope where it is defined. */
static void settle(xacro *x, xacro_scope *s, xacro_symbol *symbol) {
  if (symbol->is_open) {
    jn_xacro_fail(x, JN_ERR_SYNTAX,
                  "the property '%.100s' is defined by itself: lazy_eval=\"false\" evaluates a "
                  "property where it is defined",
                  symbol->name);
    return;
  }
  const xml_node *at = x->at;
  const char *expression = x->expression;
  if (!jn_xacro_enter(x)) return;
  symbol->is_open = 1;
  x->at = symbol->at;
  x->expression = NULL;
  const xacro_value v = jn_xacro_eval(x, s, symbol->value.as.text);
  symbol->value = jn_xacro_literal(x, v);
  symbol->is_lazy = symbol->is_open = 0;
  x->at = at;
  x->expression = expression;
  jn_xacro_leave(x);
}

xacro_symbol *jn_xacro_find(xacro *x, xacro_scope *s, const char *name) {
  for (; s != NULL && jn_xacro_work(x, 1); s = s->parent) {
    xacro_symbol *symbol = own_symbol(x, s, name);
    if (symbol == NULL) continue;
    if (symbol->is_lazy) settle(x, s, symbol);
    return x->status == JN_OK ? symbol : NULL;
  }
  return NULL;
}

xacro_symbol *jn_xacro_argument(xacro *x, const char *name) {
  xacro_symbol *a = x->arguments;
  while (a != NULL && strcmp(a->name, name) != 0) a = a->next;
  return a;
}

/* ---- $(...) */

static const char *next_word(const char **text, size_t *length) {
  *text += strspn(*text, " \t\n\r");
  const char *word = *text;
  *length = strcspn(word, " \t\n\r");
  *text += *length;
  return word;
}

static const char *current_folder(xacro *x) {
  char *folder = jn_xacro_new(x, JN_FILE_PATH);
  return folder != NULL && getcwd(folder, JN_FILE_PATH) != NULL ? folder : ".";
}

static const char *folder_of_file(xacro *x) {
  char folder[JN_FILE_PATH];
  char *real = jn_xacro_new(x, JN_FILE_PATH);
  jn_file_folder(x->files[x->file].name, folder);
  return real != NULL && realpath(folder, real) != NULL ? real : ".";
}

/* $(eval EXPRESSION): the names are those of arguments, and no properties. */
static const char *eval_arguments(xacro *x, const char *expression) {
  xacro_scope *s = jn_xacro_scope_new(x, NULL, 0);
  for (const xacro_symbol *a = x->arguments; a != NULL && s != NULL; a = a->next)
    jn_xacro_define(x, s, a->name, a->value, 0);
  if (x->status != JN_OK) return "";
  const xacro_value v = jn_xacro_expression(x, s, expression);
  return x->status == JN_OK ? jn_xacro_str(x, v) : "";
}

/* find NAME, arg NAME, cwd, dirname, optenv NAME DEFAULT, eval EXPRESSION */
static const char *substitute(xacro *x, const char *text) {
  size_t n, m;
  const char *rest = text, *command = next_word(&rest, &n), *operand = next_word(&rest, &m);
  const char *name = jn_xacro_copy(x, operand, m);
  if (n == 3 && strncmp(command, "cwd", n) == 0) return current_folder(x);
  if (n == 7 && strncmp(command, "dirname", n) == 0) return folder_of_file(x);
  if (n == 6 && strncmp(command, "optenv", n) == 0) { /* the environment is not read */
    rest += strspn(rest, " \t\n\r");
    return jn_xacro_copy(x, rest, strlen(rest));
  }
  if (m > 0 && n == 4 && strncmp(command, "find", n) == 0) return jn_xacro_package(x, name);
  if (m > 0 && n == 4 && strncmp(command, "eval", n) == 0) return eval_arguments(x, operand);
  if (m > 0 && n == 3 && strncmp(command, "arg", n) == 0) {
    const xacro_symbol *a = jn_xacro_argument(x, name);
    if (a != NULL) return a->value.as.text;
    jn_xacro_fail(x, JN_ERR_SYNTAX,
                  "$(arg %.100s): the argument is not defined: give it with --arg %.100s:=VALUE",
                  name, name);
    return "";
  }
  jn_xacro_fail(x, JN_ERR_SYNTAX,
                n == 3 && strncmp(command, "env", n) == 0
                    ? "$(%.100s): the environment is not available: " XACRO_ADVICE
                    : "$(%.100s) is not supported (known: find, arg, cwd, dirname, optenv, "
                      "eval): " XACRO_ADVICE,
                text);
  return "";
}

/* ---- texts */

/* A piece of a text: its end, and its kind */
typedef enum piece { PIECE_TEXT, PIECE_EXPRESSION, PIECE_SUBSTITUTION, PIECE_DOLLARS } piece;

static const char *next_piece(xacro *x, const char *t, piece *kind) {
  size_t dollars = strspn(t, "$");
  if (dollars == 0) {
    *kind = PIECE_TEXT;
    return t + strcspn(t, "$");
  }
  if (dollars > 1 && (t[dollars] == '{' || t[dollars] == '(')) { /* $${ is ${ as a text */
    *kind = PIECE_DOLLARS;
    return t + dollars + 1;
  }
  if (t[1] == '{' || t[1] == '(') {
    *kind = t[1] == '{' ? PIECE_EXPRESSION : PIECE_SUBSTITUTION;
    const char *end = strchr(t, t[1] == '{' ? '}' : ')');
    if (end == NULL)
      jn_xacro_fail(x, JN_ERR_SYNTAX, "'%.60s' has no '%c'", t, t[1] == '{' ? '}' : ')');
    return end != NULL ? end + 1 : t + strlen(t);
  }
  *kind = PIECE_TEXT;
  if (dollars > 1) jn_xacro_fail(x, JN_ERR_SYNTAX, "'%.60s': $$ is not followed by { or (", t);
  return t + 1 + strcspn(t + 1, "{($");
}

static xacro_value eval_piece(xacro *x, xacro_scope *s, piece kind, const char *t, size_t n) {
  if (kind == PIECE_TEXT) return jn_xacro_string(jn_xacro_copy(x, t, n));
  if (kind == PIECE_DOLLARS) return jn_xacro_string(jn_xacro_copy(x, t + 1, n - 1));
  /* inside ${...} and $(...) texts are evaluated, too */
  const char *inside = jn_xacro_eval_str(x, s, jn_xacro_copy(x, t + 2, n - 3));
  if (x->status != JN_OK) return jn_xacro_none();
  return kind == PIECE_EXPRESSION ? jn_xacro_expression(x, s, inside)
                                  : jn_xacro_string(substitute(x, inside));
}

xacro_value jn_xacro_eval(xacro *x, xacro_scope *s, const char *text) {
  xacro_buffer b = {NULL, 0, 0};
  xacro_value first = jn_xacro_none();
  int count = 0;
  if (strchr(text, '$') == NULL) return jn_xacro_string(text);
  if (!jn_xacro_enter(x)) return first;
  for (const char *t = text, *end; *t != '\0' && x->status == JN_OK; t = end, count++) {
    piece kind;
    end = next_piece(x, t, &kind);
    if (x->status != JN_OK) break;
    const xacro_value v = eval_piece(x, s, kind, t, (size_t)(end - t));
    if (count == 0) first = v;
    if (count == 1) jn_xacro_write(x, &b, first, 0);
    if (count > 0) jn_xacro_write(x, &b, v, 0);
  }
  jn_xacro_leave(x);
  if (x->status != JN_OK) return jn_xacro_none();
  return count == 1 ? first : jn_xacro_string(jn_xacro_text(x, &b));
}

const char *jn_xacro_eval_str(xacro *x, xacro_scope *s, const char *text) {
  const xacro_value v = jn_xacro_eval(x, s, text);
  return x->status == JN_OK ? jn_xacro_str(x, v) : "";
}

int jn_xacro_condition(xacro *x, xacro_scope *s, const char *text) {
  const xacro_value v = jn_xacro_eval(x, s, text);
  int64_t n;
  if (x->status != JN_OK) return 0;
  if (v.kind != XACRO_TEXT) return jn_xacro_is_true(v);
  if (strcmp(v.as.text, "true") == 0 || strcmp(v.as.text, "True") == 0) return 1;
  if (strcmp(v.as.text, "false") == 0 || strcmp(v.as.text, "False") == 0) return 0;
  if (jn_xacro_read_int(v.as.text, &n)) return n != 0;
  jn_xacro_fail(x, JN_ERR_SYNTAX, "the condition \"%.100s\" is '%.60s': true or false expected",
                text, v.as.text);
  return 0;
}
