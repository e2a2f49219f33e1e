/* file.h (private): reads and writes whole files. */
#ifndef JOUNCE_SRC_FILE_H
#define JOUNCE_SRC_FILE_H

#include <jounce/base.h>
#include <stdio.h>

/* Reads a file into a new block, at most JN_MAX_FILE bytes. */
jn_status jn_file_read(const char *path, const jn_allocator *hooks, char **text, size_t *size,
                       jn_error *error);
/* The same for the rest of an open file; `path` is its name in messages. */
jn_status jn_stream_read(FILE *file, const char *path, const jn_allocator *hooks, char **text,
                         size_t *size, jn_error *error);

/* Writes a file by calling `write`, which returns JN_OK, or a failure that it has explained in its
 * own error. The file appears complete or not at all; devices and pipes are written to directly. */
typedef jn_status (*jn_file_writer)(FILE *file, void *context);
jn_status jn_file_write(const char *path, jn_file_writer write, void *context, jn_error *error);

/* The extension of a path, with its dot; NULL if it has none. */
const char *jn_file_ending(const char *path);
int jn_same_ending(const char *ending, const char *wanted); /* ignores the case of `ending` */

#endif
