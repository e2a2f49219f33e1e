/* fail.h (private): fills a jn_error with file, line and message. */
#ifndef JOUNCE_SRC_FAIL_H
#define JOUNCE_SRC_FAIL_H

#include <jounce/base.h>
#include <stdarg.h>
#include <stdint.h>

/* Fills `error` (may be NULL) with "file:line: message" and returns `status`. `file` may be NULL or
 * empty, `line` 0. The text is cleaned (jn_clean_text), so that a hostile file cannot send escape
 * sequences to a terminal. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
jn_status
jn_fail(jn_error *error, jn_status status, const char *file, int line, const char *format, ...);
/* The same with the arguments as a list. */
jn_status jn_fail_list(jn_error *error, jn_status status, const char *file, int line,
                       const char *format, va_list arguments);

/* The length of the UTF-8 sequence at `text`, which is not empty, and its code; 0 if it is not well
 * formed. */
size_t jn_utf8(const char *text, uint32_t *code);
/* Characters that a terminal obeys instead of showing them, or does not show at all: C0 and C1
 * controls, those that change the direction of the text or end the line, and those of no width
 * (but U+200C and U+200D, which words and signs need). */
int jn_is_control(uint32_t code);
/* Makes a text fit for a terminal: every control character, and every byte that is not UTF-8,
 * becomes '?'. `room` is the size of the array; a text that fills it was perhaps cut, and loses an
 * incomplete character at its end. */
void jn_clean_text(char *text, size_t room);

#endif
