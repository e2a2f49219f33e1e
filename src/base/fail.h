/* fail.h: complete sentences for a jn_error. */
#ifndef JOUNCE_SRC_FAIL_H
#define JOUNCE_SRC_FAIL_H

#include <jounce/base.h>
#include <stdarg.h>

/* Fills `error` (may be NULL) with "file:line: sentence" and returns `status`. `file` may be NULL
 * or empty, `line` 0. Control characters become '?', so that a hostile file cannot steer a
 * terminal. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
jn_status
jn_fail(jn_error *error, jn_status status, const char *file, int line, const char *format, ...);
/* The same with the arguments as a list. */
jn_status jn_fail_list(jn_error *error, jn_status status, const char *file, int line,
                       const char *format, va_list arguments);

/* Control characters become '?', and a cut end does not keep half of a UTF-8 character. `room` is
 * the size of the array. */
void jn_clean_text(char *text, size_t room);

#endif
