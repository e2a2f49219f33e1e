/* decimal.c: a double as decimal text, independent of the locale. */
#include "base/decimal.h"

#include <stdio.h>
#include <string.h>

const char *jn_write_number(double value, int digits, char text[NUMBER_TEXT]) {
  snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
  /* replace the decimal separator of the locale, which may be several bytes, by a point */
  static const char others[] = "+-0123456789einfa";
  char *point = text + strspn(text, others), *tail = point + strcspn(point, others);
  if (tail == point) return text;
  *point = '.';
  memmove(point + 1, tail, strlen(tail) + 1);
  return text;
}
