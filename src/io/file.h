/* file.h: whole files in and out. */
#ifndef JOUNCE_SRC_FILE_H
#define JOUNCE_SRC_FILE_H

#include <jounce/base.h>
#include <stdio.h>

/* The bytes of a file in a block of their own, at most JN_MAX_FILE. */
jn_status jn_file_read(const char *path, const jn_allocator *hooks, char **text, size_t *size,
                       jn_error *error);

/* Calls `write`, which returns JN_OK or a failure it has explained. The file appears complete or
 * not at all; devices and pipes are written to. */
typedef jn_status (*jn_file_writer)(FILE *file, void *context);
jn_status jn_file_write(const char *path, jn_file_writer write, void *context, jn_error *error);

/* The ending of the last part of a path, with its dot; NULL when there is none. */
const char *jn_file_ending(const char *path);
int jn_same_ending(const char *ending, const char *wanted); /* letters of any case */

#endif
