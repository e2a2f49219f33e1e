/* number.h (private): reads decimal numbers (base/decimal.h writes them), independent of the
 * locale. */
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

/* Reads one number at *cursor, after white space, and moves *cursor to its end. A number is
 *   [+-] digits [. digits] [e [+-] digits]
 * and ends at white space or at the end of the text. Hexadecimal numbers, nan and inf are refused.
 * On failure *cursor is where the number should be. */
number_result jn_read_number(const char **cursor, double *out);

/* Reads exactly `count` numbers and nothing else. On failure *at (at may be NULL) is the place of
 * the error. */
number_result jn_read_numbers(const char *text, size_t count, double *out, const char **at);

/* The same for numbers with a comma and optional white space between each two of them. */
number_result jn_read_comma_numbers(const char *text, size_t count, double *out);

/* Why `text` was refused, for a message: "this is not a number", "too few numbers", ... */
const char *jn_number_complaint(number_result result, const char *text);

#endif
