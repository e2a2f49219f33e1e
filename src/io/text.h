/* text.h (private): messages for errors and findings, spelling suggestions, UTF-8 and JSON
 * strings. */
#ifndef JOUNCE_SRC_TEXT_H
#define JOUNCE_SRC_TEXT_H

#include <jounce/io.h>
#include <stdio.h>

#include "base/fail.h"

/* Adds a formatted finding; that there are too many (JN_ERR_LIMIT) counts as success. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
jn_status
jn_note(jn_spec *spec, jn_severity severity, int line, const char *format, ...);

/* The same with the arguments as a list. */
jn_status jn_note_list(jn_spec *spec, jn_severity severity, int line, const char *format,
                       va_list arguments);

/* Explains in `error` why a spec did not take one more of `what` ("links"). Returns `status`. */
jn_status jn_fail_adding(jn_error *error, jn_status status, const char *file, int line,
                         const char *subject, const char *what);

/* The word of `words` (a list that ends with NULL) nearest to `word`, at most two edits away; NULL
 * if there is none. */
const char *jn_nearest_word(const char *word, const char *const *words);

/* Writes `text` as a JSON string. Returns 0 if it is not UTF-8. */
int jn_write_string(FILE *file, const char *text);

/* Is `text` well-formed UTF-8? */
int jn_is_utf8(const char *text);

#endif
