/* expand.h: expansion of xacro texts in tests. */
#ifndef TEST_EXPAND_H
#define TEST_EXPAND_H

#include <jounce/jounce.h>

/* Expands twice, the second time counting memory, of which none may be lost. */
jn_status expand(const char *text, const jn_load_options *options, char **out, jn_error *error);
/* What stands between <r> and </r>, without line breaks and indentation. */
char *inside(const char *body, const jn_load_options *options);
void becomes(const char *body, const char *wanted);
/* The text must be refused with that status and message. */
void fails(const char *text, jn_status wanted, const char *words);
/* A file of the test's folder */
jn_status load_xacro(const char *name, const jn_load_options *options, jn_spec **spec,
                     jn_error *error);

#endif
