/* reader.h: input files of the program; "-" is standard input. */
#ifndef CLI_READER_H
#define CLI_READER_H

#include "io/json_reader.h"

/* The bytes of a file, at most JN_MAX_FILE, released with free. */
jn_status cli_read_file(const char *path, char **text, size_t *size, jn_error *error);
/* Reads a file as one JSON object. Call jn_json_close in any case. */
jn_status cli_open_json(jn_json_text *json, const char *path, jn_error *error);

#endif
