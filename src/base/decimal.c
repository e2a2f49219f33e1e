/* decimal.c: a double as decimal text, independent of the locale. */
#include "base/decimal.h"

#include <stdio.h>
#include <string.h>

const char *jn_write_number(double value, int digits, char text[NUMBER_TEXT]) {
  snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
  /* whatever the locale puts between the digits is one point */
  const char *tail = text;
  while (*tail != '\0' && strchr("+-0123456789einfa", *tail) != NULL) tail++;
  if (*tail == '\0') return text;
  char *point = text + (tail - text);
  while (*tail != '\0' && strchr("+-0123456789einfa", *tail) == NULL) tail++;
  *point = '.';
  memmove(point + 1, tail, strlen(tail) + 1);
  return text;
}
