/* text.c: a text that grows. */
#include "generate/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/decimal.h"

void jn_text_append(jn_text *t, const char *bytes, size_t count) {
  if (t->failed) return;
  if (t->length + count + 1 > t->room) {
    const size_t room = 2 * (t->length + count) + 4096;
    char *larger = jn_block_new(&t->hooks, room, 1);
    if (!larger) {
      t->failed = 1;
      return;
    }
    if (t->length) memcpy(larger, t->bytes, t->length);
    jn_block_free(&t->hooks, t->bytes);
    t->bytes = larger;
    t->room = room;
  }
  memcpy(t->bytes + t->length, bytes, count);
  t->length += count;
  t->bytes[t->length] = 0;
}

void jn_text_put(jn_text *t, const char *text) { jn_text_append(t, text, strlen(text)); }

void jn_text_format(jn_text *t, const char *format, ...) {
  char line[1000];
  va_list arguments;
  va_start(arguments, format);
  jn_format_list(line, sizeof line, format, arguments);
  va_end(arguments);
  jn_text_put(t, line);
}

void jn_text_number(jn_text *t, double x) {
  char digits[NUMBER_TEXT];
  jn_write_number(x, 17, digits);
  jn_text_put(t, digits);
  /* an integer in C: 1 -> 1.0 */
  if (!strpbrk(digits, ".en")) jn_text_put(t, ".0");
}

void jn_text_numbers(jn_text *t, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (i) jn_text_put(t, i % 6 ? ", " : ",\n    ");
    jn_text_number(t, x[i]);
  }
}

void jn_text_name(jn_text *t, const char *name) {
  for (; *name; name++) {
    const char c = *name >= ' ' && *name <= '~' && *name != '\\' && *name != '*' ? *name : '?';
    jn_text_append(t, &c, 1);
  }
}

void jn_text_drop(jn_text *t) {
  jn_block_free(&t->hooks, t->bytes);
  t->bytes = NULL;
  t->length = t->room = 0;
}
