/* result.h: the result of a command: values, names and arrays, in the order of its JSON. All
 * commands share one writer per format. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "memory.h"
#include "output/output.h"

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

/* An axis of an array; {0}: the array does not have it. */
typedef struct cli_axis {
  int size, shown;           /* shown 0: size 1, left out of JSON and NPY */
  const char *const *labels; /* [size] names of the indices; NULL: numbers */
  int first;                 /* number of index 0 */
  size_t stride;             /* in the data; 0: as in a C array */
} cli_axis;

/* The axes: order of the time derivative, a second order, row and column of a matrix. */
enum { CLI_K, CLI_J, CLI_ROW, CLI_COLUMN, CLI_AXES };
/* CLI_AXIS(size, more members ...) */
#define CLI_AXIS(...) \
  { .shown = 1, .size = __VA_ARGS__ }
#define CLI_NO_AXIS \
  { 0 }

/* How --layout applies to an array: not at all, to rows of nv, matrices nv x nv, derivatives by q
 * nv x nv, Jacobians 6 x nv. */
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
  cli_axis axis[CLI_AXES]; /* outermost first in JSON and NPY */
  double *data;            /* NULL: allocated with the result, zeroed */
  const char *label;       /* CSV and text; NULL: the key */
  cli_export layout;
  int turned;       /* JSON: the columns are the outer axis, the rows the inner one */
  const char *kind; /* CSV: value in the column `kind` of the result */
  /* Text: index k is derivative first + k of `symbol` (NULL: the label). With `by` the heading is
   * "d symbol / d by^(j)"; blocks with j > k + reach are zero and left out. */
  const char *symbol, *by;
  int first, reach;
} cli_array;

/* Style of the text format. */
enum { CLI_FIT = -1 };
typedef struct cli_text_style {
  int blocks;              /* a heading above each matrix; else a label before each line */
  int orders;              /* > 0: order 0 of all arrays, then order 1, ... */
  int gap;                 /* spaces before each name of a list; 0: no lists of names */
  int indent, label_width; /* of labels; CLI_FIT: width of the longest in the section */
  int width, digits;       /* of numbers */
  const char *corner;      /* first heading of the line of column headings; NULL: no such line */
  int heading_most;        /* bytes of a column heading; 0: unlimited */
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
  const char *footer; /* end of the text; to standard error with CSV and NPY; may be NULL */
  unsigned without;   /* formats not supported, as in cli_output_open */
  cli_text_style text;
  /* Headings of a CSV file: of the labels of the arrays, of the indices k, j and row, of the kinds
   * (NULL: no such column), then the labels of `columns`, or `column` and a number. */
  const char *label, *index[CLI_COLUMN], *kind, *column;
  cli_axis columns;
  cli_item *items; /* added by the functions below */
  int count, room;
  cli_memory memory; /* released with the result */
} cli_result;

/* Add parts to a result. Names and data must live until the result is written. */
void cli_result_fields(cli_result *result, const cli_field *fields, int count);
void cli_result_number(cli_result *result, const char *key, double x);
void cli_result_string(cli_result *result, const char *key, const char *text);
void cli_result_names(cli_result *result, const char *key, const char *const *names, int count);
/* Returns the data; NULL when out of memory. CLI_ADD takes the members of the array. */
double *cli_result_array(cli_result *result, cli_array array);
#define CLI_ADD(result, to, name, ...) \
  cli_result_array(result, (cli_array){.formats = to, .key = name, __VA_ARGS__})
/* Starts a JSON object (`key` NULL: none, without an end) and a section of the text, with `title`
 * above its first array (NULL: no section). */
void cli_result_begin(cli_result *result, const char *key, const char *title);
void cli_result_end(cli_result *result);

/* Returns an exit status, after a message if it is not 0. */
int cli_result_write(const cli_result *result, const cli_output_options *options,
                     const char *command);
void cli_result_free(cli_result *result);

/* The k-th derivative of a symbol: "q", "q'", "q''", "q^(3)", ... */
void cli_derivative_name(const char *symbol, int k, char *out, size_t size);

#endif
