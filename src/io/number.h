/* number.h: decimal numbers in (and, from base/decimal.h, out), independent of the locale. */
#ifndef JOUNCE_SRC_NUMBER_H
#define JOUNCE_SRC_NUMBER_H

#include <stddef.h>

#include "base/decimal.h"

typedef enum number_result {
  NUMBER_OK,
  NUMBER_UNDERFLOW, /* accepted: the value is zero or has lost digits */
  NUMBER_EMPTY,
  NUMBER_SYNTAX,
  NUMBER_OVERFLOW,
  NUMBER_MEMORY
} number_result;

/* Reads one number from the text at *cursor, white space before it skipped, and moves the cursor
 * behind it. A number is [+-] digits [. digits] [e [+-] digits] and ends at white space or at the
 * text's end: no hexadecimal, no nan, no inf, no other text. On failure *cursor is where the number
 * should be. */
number_result jn_read_number(const char **cursor, double *out);

/* Exactly `count` numbers and nothing else. On failure *at (may be NULL) is the place of the
 * trouble. */
number_result jn_read_numbers(const char *text, size_t count, double *out, const char **at);

/* Why `text` was refused, as the end of a sentence: "is not a number", "uses a decimal comma", ...
 */
const char *jn_number_complaint(number_result result, const char *text);

#endif
