/* scalar.c: the text of double precision in single precision. `double` becomes `float`, and constants
 * get the suffix f; comments and strings stay. */
#include <float.h>
#include <string.h>

#include "generate/generate.h"

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* the end of a comment or string that starts at s, or s */
static const char *skip_quoted(const char *s) {
  if (s[0] == '/' && s[1] == '*') {
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
  }
  if (*s != '"' && *s != '\'') return s;
  const char quote = *s++;
  while (*s && *s != quote) s += s[0] == '\\' && s[1] ? 2 : 1;
  return *s ? s + 1 : s;
}

/* the end of the number at s; floating: it has a point or an exponent, and no suffix */
static const char *skip_number(const char *s, int *floating) {
  const int hexadecimal = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  *floating = 0;
  for (; is_word(*s) || *s == '.'; s++) {
    if (*s == '.') *floating = 1;
    if (hexadecimal || (*s != 'e' && *s != 'E')) continue;
    *floating = 1;
    if (s[1] == '-' || s[1] == '+') s++;
  }
  *floating &= is_digit(s[-1]) || s[-1] == '.';
  return s;
}

/* whether a decimal number is above the largest of single precision */
static int is_beyond(const char *s, const char *end) {
  const double most = (double)FLT_MAX;
  double x = 0;
  int exponent = 0, scale = 0, point = 0;
  for (; s < end && *s != 'e' && *s != 'E'; s++) {
    if (is_digit(*s)) x = 10 * x + (*s - '0'), scale -= point;
    point |= *s == '.';
  }
  const int down = s < end && s[1] == '-';
  for (; s < end; s++)
    if (is_digit(*s)) exponent = 10 * exponent + (*s - '0');
  scale += down ? -exponent : exponent;
  for (; scale > 0 && x <= most; scale--) x *= 10;
  for (; scale < 0 && x > most; scale++) x /= 10;
  return x > most;
}

/* the number with a suffix; the largest one instead of what would be infinite */
static void put_single(jn_text *t, const char *number, size_t length) {
  if (is_beyond(number, number + length)) {
    jn_text_put(t, "3.4e38f");
    return;
  }
  jn_text_append(t, number, length);
  jn_text_put(t, "f");
}

void jn_generate_single(jn_text *t) {
  if (t->failed) return;
  jn_text out = {.hooks = t->hooks};
  for (const char *s = t->bytes; *s;) {
    const char *from = s;
    int floating = 0;
    if ((s = skip_quoted(from)) != from) {
      jn_text_append(&out, from, (size_t)(s - from));
    } else if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) {
      s = skip_number(s, &floating);
      if (floating)
        put_single(&out, from, (size_t)(s - from));
      else
        jn_text_append(&out, from, (size_t)(s - from));
    } else if (is_word(*s)) {
      while (is_word(*s)) s++;
      if (s - from == 6 && memcmp(from, "double", 6) == 0)
        jn_text_put(&out, "float");
      else
        jn_text_append(&out, from, (size_t)(s - from));
    } else {
      jn_text_append(&out, s++, 1);
    }
  }
  jn_text_drop(t);
  *t = out;
}
