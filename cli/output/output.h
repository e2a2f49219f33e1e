/* output.h: output file and format. Numbers have 17 significant digits, if --precision says nothing
 * else, and a decimal point in every locale. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "output/file.h"

typedef enum cli_format { CLI_JSON, CLI_CSV, CLI_NPY, CLI_TABLE, CLI_NPZ } cli_format;
extern const char *const cli_format_names[]; /* "json", "csv", "npy", "text", "npz", NULL */

/* What the user asked for. */
typedef struct cli_output_options {
  int format;       /* a cli_format; -1: by the ending of the path; text on a terminal; else JSON */
  const char *path; /* NULL: standard output */
  int precision;    /* significant digits; 0: 17, in text what the command chooses */
  int resume;       /* continue the file that an earlier run has left (stream.h) */
} cli_output_options;
#define CLI_OUTPUT_DEFAULT \
  { -1, NULL, 0, 0 }

#define CLI_WITH_NPZ (1u << 31)

#define CLI_JSON_DEPTH 16
typedef struct cli_output {
  cli_format format;
  FILE *file;
  const char *path; /* NULL: standard output */
  jn_file to;
  int precision; /* as in cli_output_options */
  int resume;
  int not_finite; /* 1: a number was not finite */
  int depth, after_key;
  char closing[CLI_JSON_DEPTH];
  int items[CLI_JSON_DEPTH];
} cli_output;

/* `without`: a bit (1 << format) for each format that the command does not support; npz needs
 * CLI_WITH_NPZ. The functions return an exit status. cli_output_end completes the file and reports a
 * failed write; with a code other than 0 it gives the file up and returns the code. A result with a
 * number that is not finite is written, with null or nan in its place, and is an error. */
int cli_output_open(cli_output *out, const cli_output_options *options, const char *command,
                    unsigned without);
/* The two parts of it: choose the format; open the file. */
int cli_output_choose(cli_output *out, const cli_output_options *options, const char *command,
                      unsigned without);
int cli_output_start(cli_output *out);
int cli_output_end(cli_output *out, int code);
int cli_output_close(cli_output *out); /* cli_output_end(out, 0) */

/* "%.17g", or as many digits as --precision says, with a decimal point */
void cli_write_number(cli_output *out, double x);

/* JSON, piece by piece. Brackets: '{' or '['; not written in other formats. */
void cli_json_begin(cli_output *out, char bracket);
void cli_json_end(cli_output *out);
void cli_json_key(cli_output *out, const char *key);
void cli_json_text(cli_output *out, const char *text); /* NULL: null */
FILE *cli_json_value(cli_output *out);                 /* of JSON: the caller writes the value */
void cli_json_int(cli_output *out, int value);
void cli_json_bool(cli_output *out, int value);
void cli_json_number(cli_output *out, double value);
/* n numbers x[0], x[stride], ... on one line */
void cli_json_row(cli_output *out, int n, const double *x, size_t stride);
/* a list of `rows` rows of n numbers; rows are `stride` apart */
void cli_json_rows(cli_output *out, int rows, int n, const double *x, size_t stride);
/* Writes a text fit for a terminal: control characters become '?'. */
void cli_write_clean(FILE *file, const char *text);
/* A name fit for a terminal. */
typedef struct cli_name {
  char text[320];
} cli_name;
cli_name cli_clean(const char *name);
/* The same with at most `most` bytes, cut between two characters. */
cli_name cli_clean_cut(const char *name, int most);

/* A field of a CSV line, in quotes if necessary, without separators. */
void cli_csv_text(cli_output *out, const char *text);

/* A named value: a member of a JSON object, a field of a CSV line. */
typedef struct cli_field {
  const char *key;
  enum { CLI_F_NULL, CLI_F_TEXT, CLI_F_NUMBER, CLI_F_BOOL } kind;
  const char *text; /* NULL: null */
  double number;    /* a number, or 0 and 1 for false and true */
} cli_field;
#define TEXT_FIELD(key, x) \
  { key, CLI_F_TEXT, x, 0 }
#define NUMBER_FIELD(key, x) \
  { key, CLI_F_NUMBER, NULL, x }
#define BOOL_FIELD(key, x) \
  { key, CLI_F_BOOL, NULL, x }
/* a number if it is known, else null */
#define MAYBE_FIELD(key, known, x) \
  { key, (known) ? CLI_F_NUMBER : CLI_F_NULL, NULL, x }

/* Members of the open JSON object; not written in other formats. */
void cli_json_fields(cli_output *out, const cli_field *fields, int count);
/* Starts a list of records. JSON: a list, member `key` (may be NULL) of the open object; end it
 * with cli_json_end. CSV: writes `heading`. A record is an object in JSON and a line in CSV; in
 * text a command writes its own lines. */
void cli_records(cli_output *out, const char *key, const char *heading);
void cli_record(cli_output *out, const cli_field *fields, int count);

#endif
