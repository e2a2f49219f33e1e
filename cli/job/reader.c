/* reader.c: input files of the program. */
#include "job/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "io/file.h"

/* a path in messages */
static const char *shown(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

jn_status cli_read_file(const char *path, char **text, size_t *size, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(NULL);
  const char *name = shown(path);
  if (name != path) return jn_stream_read(stdin, name, &hooks, text, size, error);
  return jn_file_read(path, &hooks, text, size, error);
}

jn_status cli_open_json(jn_json_text *json, const char *path, jn_error *error) {
  char *text = NULL;
  size_t size;
  *json = (jn_json_text){.status = cli_read_file(path, &text, &size, error)};
  if (text) jn_json_open(json, text, size, shown(path), NULL, error);
  free(text);
  return json->status;
}
