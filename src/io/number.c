/* number.c: reads decimal numbers from text, independent of the locale. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_digits(const char *p) {
  while (is_digit(*p)) p++;
  return p;
}

/* the end of the number that starts at p; NULL if there is none */
static const char *scan_number(const char *p) {
  if (*p == '+' || *p == '-') p++;
  const char *whole = p;
  p = skip_digits(p);
  size_t digits = (size_t)(p - whole);
  if (*p == '.') {
    const char *fraction = ++p;
    p = skip_digits(p);
    digits += (size_t)(p - fraction);
  }
  if (digits == 0) return NULL;
  if (*p == 'e' || *p == 'E') {
    p++;
    if (*p == '+' || *p == '-') p++;
    const char *exponent = p;
    p = skip_digits(p);
    if (p == exponent) return NULL;
  }
  return *p == '\0' || *p == ',' || is_space(*p) ? p : NULL;
}

/* The locale object is made for each call: no global state. */
static number_result convert(const char *text, double *out) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c == (locale_t)0) return NUMBER_MEMORY;
  int saved = errno;
  errno = 0;
  double value = strtod_l(text, NULL, c);
  int range = errno == ERANGE;
  errno = saved;
  freelocale(c);
  if (!isfinite(value)) return NUMBER_OVERFLOW;
  *out = value;
  return range ? NUMBER_UNDERFLOW : NUMBER_OK;
}

number_result jn_read_number(const char **cursor, double *out) {
  while (is_space(**cursor)) ++*cursor;
  if (**cursor == '\0') return NUMBER_EMPTY;
  const char *stop = scan_number(*cursor);
  if (stop == NULL || *stop == ',') return NUMBER_SYNTAX;
  /* strtod stops where scan_number did: at white space or the end of the text */
  number_result result = convert(*cursor, out);
  if (result == NUMBER_OK || result == NUMBER_UNDERFLOW) *cursor = stop;
  return result;
}

number_result jn_read_numbers(const char *text, size_t count, double *out, const char **at) {
  const char *p = text;
  number_result worst = NUMBER_OK;
  for (size_t i = 0; i < count; i++) {
    number_result result = jn_read_number(&p, &out[i]);
    if (at != NULL) *at = p;
    if (result == NUMBER_UNDERFLOW)
      worst = result;
    else if (result != NUMBER_OK)
      return result;
  }
  while (is_space(*p)) p++;
  if (at != NULL) *at = p;
  return *p == '\0' ? worst : NUMBER_SYNTAX;
}

number_result jn_read_comma_numbers(const char *text, size_t count, double *out) {
  const char *p = text;
  number_result worst = NUMBER_OK;
  for (size_t i = 0; i < count; i++) {
    while (is_space(*p)) p++;
    const char *stop = scan_number(p);
    if (stop == NULL) return NUMBER_SYNTAX;
    number_result result = convert(p, &out[i]); /* the C locale: strtod stops at a comma */
    if (result == NUMBER_UNDERFLOW)
      worst = result;
    else if (result != NUMBER_OK)
      return result;
    for (p = stop; is_space(*p); p++) continue;
    if (*p != (i + 1 < count ? ',' : '\0')) return NUMBER_SYNTAX;
    p++;
  }
  return worst;
}

static int starts_with(const char *text, const char *word) {
  if (*text == '+' || *text == '-') text++;
  for (; *word != '\0'; word++, text++)
    if ((*text | 0x20) != *word) return 0;
  return 1;
}

const char *jn_number_complaint(number_result result, const char *text) {
  if (result == NUMBER_EMPTY) return "too few numbers";
  if (result == NUMBER_OVERFLOW) return "the number is too large for a double";
  if (result == NUMBER_MEMORY) return "out of memory";
  const char *digits = text + (*text == '+' || *text == '-');
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
    return "hexadecimal numbers are not accepted";
  if (starts_with(text, "nan") || starts_with(text, "inf")) return "numbers must be finite";
  if (strncmp(text, "${", 2) == 0 || strncmp(text, "$(", 2) == 0)
    return "this is an unexpanded xacro expression: run xacro on the file first";
  digits = skip_digits(digits);
  if (digits[0] == ',' && is_digit(digits[1]))
    return "a comma in a number: write a decimal point, and spaces between numbers";
  const char *stop = scan_number(text);
  if (stop != NULL && *stop == ',') return "a comma: write spaces between numbers";
  return stop != NULL ? "too many numbers" : "this is not a number";
}
