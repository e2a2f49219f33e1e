/* decimal.h (private): numbers as decimal text, independent of the locale. */
#ifndef JOUNCE_SRC_DECIMAL_H
#define JOUNCE_SRC_DECIMAL_H

#include <stdarg.h>
#include <stddef.h>

/* Room for any double with 17 digits. */
enum { NUMBER_TEXT = 32 };

/* "%.<digits>g" with a decimal point in every locale. Returns `text`. */
const char *jn_write_number(double value, int digits, char text[NUMBER_TEXT]);

/* Replaces the decimal separator of the locale in a number, which may be several bytes, by a point.
 */
void jn_use_point(char *number);

/* snprintf and vsnprintf with a decimal point in every locale, for messages. Numbers of a file are
 * written by the functions above, which need no locale object. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int jn_format(char *text, size_t size, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
int jn_format_list(char *text, size_t size, const char *format, va_list arguments);

#endif
