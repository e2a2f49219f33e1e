/* fail.h (private): fills a jn_error with file, line and message. */
#ifndef JOUNCE_SRC_FAIL_H
#define JOUNCE_SRC_FAIL_H

#include <jounce/base.h>
#include <stdarg.h>

/* Fills `error` (may be NULL) with "file:line: message" and returns `status`. `file` may be NULL or
 * empty, `line` 0. Control characters become '?', so that a hostile file cannot send escape
 * sequences to a terminal. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
jn_status
jn_fail(jn_error *error, jn_status status, const char *file, int line, const char *format, ...);
/* The same with the arguments as a list. */
jn_status jn_fail_list(jn_error *error, jn_status status, const char *file, int line,
                       const char *format, va_list arguments);

/* Replaces control characters by '?'. `room` is the size of the array; a text that fills it was
 * perhaps cut, and loses a multi-byte UTF-8 character at its end. */
void jn_clean_text(char *text, size_t room);

#endif
