/* reader.h: checked reading of numbers from JSON, with messages that name file and key. */
#ifndef CLI_READER_H
#define CLI_READER_H

#include <jansson.h>
#include <jounce/spatial.h>

#include "message.h"

typedef struct cli_reader {
  const char *file;
  int order, pad; /* of lists of derivatives */
  double *rows;   /* room for the longest list, filled by cli_read_rows */
} cli_reader;

/* A value and its place in the file. */
typedef struct cli_value {
  const cli_reader *reader;
  json_t *json;  /* NULL: missing */
  char key[640]; /* "joints.elbow.omega"; "" for the whole file */
} cli_value;

/* The bytes of a file ("-": standard input), at most JN_MAX_FILE, released with free; `shown` is
 * its name in messages. NULL after a message. */
char *cli_read_file(const char *path, const char *shown, size_t *size);
/* Reads a whole file ("-": standard input) as one JSON object without duplicate keys. NULL after a
 * message. */
json_t *cli_read_json(const char *path, const char *shown);

cli_value cli_member(const cli_value *object, const char *name);
cli_value cli_element(const cli_value *list, int index);

/* Message "file: key: ..."; returns CLI_BAD_INPUT. */
int cli_refuse(const cli_value *value, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The functions below return 0 or CLI_BAD_INPUT after a message. */
int cli_expect_object(const cli_value *value);
/* every key of the object is one of `known` */
int cli_expect_keys(const cli_value *object, const char *const *known);
/* a finite number */
int cli_read_number(const cli_value *value, double *out);
/* exactly n finite numbers */
int cli_read_numbers(const cli_value *value, int n, double *out);

/* A list of derivatives: `needed` items of `width` numbers each, or plain numbers when `flat`.
 * Too few items: zeros if reader->pad, else refused with the number needed. A missing value counts
 * as an empty list. Fills reader->rows[needed x width]. */
typedef struct cli_list {
  int width, flat, needed;
  const char *symbol; /* "q": the items are its derivatives */
  int first;          /* the first item is this derivative */
} cli_list;
int cli_read_rows(const cli_value *value, const cli_list *list);

/* A rotation: "R" (found = 1: *R), "quat" (found = 2: *quat, normalised) or none (found = 0). */
int cli_read_rotation(const cli_value *object, int *found, jn_mat3 *R, jn_quat *quat);

#endif
