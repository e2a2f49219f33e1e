/* text.h (private): a text that grows, in the user's memory. */
#ifndef JOUNCE_GENERATE_TEXT_H
#define JOUNCE_GENERATE_TEXT_H

#include <jounce/base.h>

/* After a failed allocation nothing more is appended; `failed` says so at the end. */
typedef struct jn_text {
  jn_allocator hooks;
  char *bytes; /* with a final zero; NULL: empty */
  size_t length, room;
  int failed;
} jn_text;

void jn_text_append(jn_text *t, const char *bytes, size_t count);
void jn_text_put(jn_text *t, const char *text);
/* Formats at most 1000 bytes. */
void jn_text_format(jn_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number that reads back as the same bits, with a decimal point in every locale. */
void jn_text_number(jn_text *t, double x);
/* "x0, x1, ...", broken into lines */
void jn_text_numbers(jn_text *t, const double *x, size_t n);
/* A name inside a comment: printable ASCII, without the end of the comment. */
void jn_text_name(jn_text *t, const char *name);
void jn_text_drop(jn_text *t);

#endif
