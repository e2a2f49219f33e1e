/* result.h: what a command computed: values, names and arrays, in the order of its JSON. One writer
 * for each format serves every command. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "memory.h"
#include "output.h"

/* Formats that an array is written to. */
enum {
  CLI_TO_JSON = 1 << CLI_JSON,
  CLI_TO_CSV = 1 << CLI_CSV,
  CLI_TO_NPY = 1 << CLI_NPY, /* several arrays are joined along j */
  CLI_TO_TEXT = 1 << CLI_TABLE,
  CLI_TO_LINES = CLI_TO_CSV | CLI_TO_TEXT,
  CLI_TO_VIEW = CLI_TO_JSON | CLI_TO_TEXT,
  CLI_TO_ALL = CLI_TO_JSON | CLI_TO_LINES | CLI_TO_NPY
};

/* What an index of an array counts; {0}: the array has no such axis. */
typedef struct cli_axis {
  int size, shown;           /* shown 0: one index, no axis of JSON and NPY */
  const char *const *labels; /* [size]; NULL: the indices are numbers */
  int first;                 /* number of index 0 */
  size_t stride;             /* in the data; 0: as in a C array */
} cli_axis;

/* The order of time derivatives, a second order, the rows of a matrix, its columns. */
enum { CLI_K, CLI_J, CLI_ROW, CLI_COLUMN, CLI_AXES };
/* An axis with so many indices; more members may follow. */
#define CLI_AXIS(...) \
  { .shown = 1, .size = __VA_ARGS__ }
#define CLI_NO_AXIS \
  { 0 }

/* How an array goes into a layout (--layout): not at all, as rows of nv, as matrices nv x nv, as
 * derivatives by q, as Jacobians 6 x nv. */
typedef enum cli_export {
  CLI_AS_IS,
  CLI_ROWS,
  CLI_MATRICES,
  CLI_PARTIALS,
  CLI_JACOBIANS
} cli_export;

typedef struct cli_array {
  unsigned formats;
  const char *key;         /* JSON */
  cli_axis axis[CLI_AXES]; /* JSON and NPY: from the outside to the inside */
  double *data;            /* NULL: zeros, released with the result */
  const char *label;       /* CSV and text; NULL: the key */
  cli_export layout;
  int turned;       /* JSON: the columns are outside of the rows */
  const char *kind; /* CSV: in the column `kind` of the result */
  /* Text: index k is derivative first + k of `symbol` (NULL: the label). With `by` the heading is
   * "d symbol / d by^(j)", and blocks with j > k + reach, which are zero, are left out. */
  const char *symbol, *by;
  int first, reach;
} cli_array;

/* How a result looks as text. */
enum { CLI_FIT = -1 };
typedef struct cli_text_style {
  int blocks;              /* a heading above each matrix; else a label before each line */
  int orders;              /* > 0: what has k = 0 of all arrays, then k = 1, ... */
  int gap;                 /* spaces before each name of a list; 0: lists are not shown */
  int indent, label_width; /* of labels; CLI_FIT: as wide as those of the section */
  int width, digits;       /* of numbers */
  const char *corner;      /* above the labels, in a line of column headings; NULL: no such line */
  int heading_most;        /* bytes of a column heading; 0: all */
} cli_text_style;

/* A part of a result. */
typedef struct cli_item {
  enum { CLI_VALUE, CLI_NAMES, CLI_ARRAY, CLI_BEGIN, CLI_END } kind;
  cli_field field;
  const char *key, *title;
  const char *const *names;
  int count;
  cli_array array;
} cli_item;

typedef struct cli_result {
  const char *title;  /* first line of the text */
  const char *footer; /* last lines of the text; on standard error with CSV and NPY; may be NULL */
  unsigned without;   /* formats not offered, as in cli_output_open */
  cli_text_style text;
  /* Headings of a CSV file: of the arrays' labels, of the indices k, j and row, of the kinds (NULL:
   * no such column), then the labels of `columns`, or `column` and a number. */
  const char *label, *index[CLI_COLUMN], *kind, *column;
  cli_axis columns;
  cli_item *items; /* made by the functions below */
  int count, room;
  cli_memory memory; /* released with the result */
} cli_result;

/* The parts of a result, in order. What they point to must live until it is written. */
void cli_result_fields(cli_result *result, const cli_field *fields, int count);
void cli_result_number(cli_result *result, const char *key, double x);
void cli_result_string(cli_result *result, const char *key, const char *text);
void cli_result_names(cli_result *result, const char *key, const char *const *names, int count);
/* Returns its data; NULL without memory. CLI_ADD: with members of the array as arguments. */
double *cli_result_array(cli_result *result, cli_array array);
#define CLI_ADD(result, to, name, ...) \
  cli_result_array(result, (cli_array){.formats = to, .key = name, __VA_ARGS__})
/* A JSON object (`key` NULL: none, and no end), and a section of the text with `title` above its
 * first array (NULL: no section). */
void cli_result_begin(cli_result *result, const char *key, const char *title);
void cli_result_end(cli_result *result);

/* Exit status, after a message when it is not 0. */
int cli_result_write(const cli_result *result, const cli_output_options *options,
                     const char *command);
void cli_result_free(cli_result *result);

/* The k-th derivative of a symbol: "q", "q'", "q''", "q^(3)", ... */
void cli_derivative_name(const char *symbol, int k, char *out, size_t size);

#endif
