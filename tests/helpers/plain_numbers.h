/* plain_numbers.h: numbers in texts that a test writes and reads have a decimal point, whatever the
 * locale that the test runs in. Include it last. */
#ifndef TEST_PLAIN_NUMBERS_H
#define TEST_PLAIN_NUMBERS_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static inline locale_t plain_begin(locale_t *own) {
  *own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  return uselocale(*own);
}
static inline void plain_end(locale_t own, locale_t before) {
  uselocale(before);
  freelocale(own);
}
static inline int plain_vsnprintf(char *text, size_t size, const char *format, va_list list) {
  locale_t own, before = plain_begin(&own);
  const int n = vsnprintf(text, size, format, list);
  plain_end(own, before);
  return n;
}
__attribute__((format(printf, 3, 4))) static inline int plain_snprintf(char *text, size_t size,
                                                                       const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = plain_vsnprintf(text, size, format, list);
  va_end(list);
  return n;
}
static inline double plain_strtod(const char *text, char **end) {
  locale_t own, before = plain_begin(&own);
  const double x = strtod(text, end);
  plain_end(own, before);
  return x;
}
#define snprintf plain_snprintf
#define vsnprintf plain_vsnprintf
#define strtod plain_strtod

#endif
