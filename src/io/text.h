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

/* Edits (insert, delete, replace, swap of neighbours) from one word to the other. `fold`: letters
 * of either case are equal. Words longer than JN_MAX_NAME are JN_MAX_NAME apart. */
int jn_edit_distance(const char *a, const char *b, int fold);

/* The word of `words` (ended by NULL) nearest to `word`, at most two edits away; NULL when none is.
 */
const char *jn_nearest_word(const char *word, const char *const *words);

/* "text" in JSON, control characters escaped. Returns 0 when it is not UTF-8: bytes that are not
 * become U+FFFD. */
int jn_write_string(FILE *file, const char *text);

/* A spreadsheet takes a cell that starts with = + - @ (or a tab or carriage return) for a formula
 * and computes it. 1 for such a text, also after apostrophes. */
int jn_is_formula(const char *text);
/* A text as a field of a CSV line: in quotes when it has one of the characters `special`. A formula
 * gets an apostrophe in front, which makes it a text; readers of tables remove it. */
void jn_write_cell(FILE *file, const char *text, const char *special);

/* The arguments of a function that parses a text: not NULL, and not too large. */
jn_status jn_text_check(const char *text, size_t size, const void *out, const char *name,
                        jn_error *error);

/* 1 when `text` is well-formed UTF-8. */
int jn_is_utf8(const char *text);

#endif
