/* reader.h: checked reading of numbers out of JSON, with messages that name file and key. */
#ifndef CLI_READER_H
#define CLI_READER_H

#include <jansson.h>
#include <jounce/spatial.h>

#include "message.h"

/* Path of a key: "joints.elbow.omega". */
typedef struct cli_key {
  char text[640];
} cli_key;

typedef struct cli_reader {
  const char *file;
  int order, pad; /* for lists of derivatives */
  double *rows;   /* room for the longest list, filled by cli_read_rows */
} cli_reader;

/* Reads a whole file ("-": standard input) as one JSON object without duplicate keys. NULL after a
 * message. */
json_t *cli_read_json(const char *path, const char *shown);

cli_key cli_key_of(const char *text);
cli_key cli_key_below(const cli_key *key, const char *name);
cli_key cli_key_item(const cli_key *key, int index);

/* Message "file: key: ..."; returns CLI_BAD_INPUT. */
int cli_refuse(const cli_reader *reader, const cli_key *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The functions below return 0 or CLI_BAD_INPUT after a message. */
int cli_expect_object(const cli_reader *reader, const cli_key *key, const json_t *value);
/* every key of the object is one of `known` */
int cli_expect_keys(const cli_reader *reader, const cli_key *key, json_t *object,
                    const char *const *known);
/* a finite number */
int cli_read_number(const cli_reader *reader, const cli_key *key, const json_t *value, double *out);
/* exactly n finite numbers */
int cli_read_numbers(const cli_reader *reader, const cli_key *key, const json_t *value, int n,
                     double *out);

/* A list of derivatives: `needed` items, each `width` numbers, or one bare number when `flat`.
 * Too few: zeros if reader->pad, else refused with the count needed. NULL counts as an empty list.
 * Fills reader->rows[needed x width]. */
typedef struct cli_list {
  int width, flat, needed;
  const char *symbol; /* "q": what the items are the derivatives of */
  int first;          /* the first item is this derivative */
} cli_list;
int cli_read_rows(cli_reader *reader, const cli_key *key, const json_t *value,
                  const cli_list *list);

/* A rotation given as "R" (found = 1: *R) or "quat" (found = 2: *quat, normalised), or 0: none. */
int cli_read_rotation(const cli_reader *reader, const cli_key *key, json_t *object, int *found,
                      jn_mat3 *R, jn_quat *quat);

#endif
