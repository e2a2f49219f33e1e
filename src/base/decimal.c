/* decimal.c: numbers as decimal text, independent of the locale. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/decimal.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* newlocale of "C" allocates nothing in glibc and musl; where it fails, a message has the separator
 * of the locale. A C library without locale objects has no other locale than "C". */
int jn_format_list(char *text, size_t size, const char *format, va_list arguments) {
#ifdef LC_ALL_MASK
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = uselocale(plain); /* of this thread; 0 changes nothing */
#endif
  const int length = vsnprintf(text, size, format, arguments);
#ifdef LC_ALL_MASK
  uselocale(before);
  if (plain != (locale_t)0) freelocale(plain);
#endif
  return length;
}

int jn_format(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = jn_format_list(text, size, format, arguments);
  va_end(arguments);
  return length;
}

void jn_use_point(char *number) {
  static const char others[] = " +-0123456789einfaEINFA";
  char *point = number + strspn(number, others), *tail = point + strcspn(point, others);
  if (tail == point) return;
  *point = '.';
  memmove(point + 1, tail, strlen(tail) + 1);
}

const char *jn_write_number(double value, int digits, char text[NUMBER_TEXT]) {
  snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
  jn_use_point(text);
  return text;
}
