/* stream.h: a long table that is written row by row while it is computed. The program keeps one row
 * and, for figures, every n-th of them. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "output/chart.h"
#include "memory.h"
#include "output/output.h"
#include "output/sheet.h"

typedef struct cli_stream {
  /* set by the caller */
  const char *command;
  int rows, columns;             /* of the whole table */
  const char *const *names;      /* [columns] */
  const unsigned char *left_out; /* [columns]: 1 for columns that are not written; NULL: none */
  int hidden;                    /* rows are not written, only measured */
  int figures;                   /* keep rows for figures */
  int all;                       /* keep every row (npz) */
  int block;                     /* --resume continues after a multiple of so many rows */
  /* --resume: called for every row that is kept; NULL: nothing to do */
  void (*take)(void *context, const double *row);
  void *context;
  /* results */
  cli_output out;
  int next;               /* rows so far */
  cli_extremes *extremes; /* [columns] */
  double *written;        /* [columns]: room for the columns that are written */
  double *kept;           /* [kept_rows x columns]: row 0, `every`, 2 `every`, ... */
  int kept_rows, every;
  char *expected; /* --resume: the next row as the earlier run wrote it; NULL: not known */
  int differs;    /* ... but is another one now */
} cli_stream;

/* Opens the output. Returns an exit status; call cli_stream_end if it is 0. */
int cli_stream_open(cli_stream *s, const cli_output_options *options, unsigned without,
                    cli_memory *memory);
/* What comes before the rows: names of columns. In JSON within the open object. */
void cli_stream_head(cli_stream *s);
/* --resume, instead of cli_stream_head: the rows of an earlier run that are kept, `next` of them.
 * row[columns]: receives the last of them. The first row that is computed again must be the one of
 * the earlier run: else the run is refused by cli_stream_end. Returns an exit status. */
int cli_stream_resume(cli_stream *s, double *row);
void cli_stream_row(cli_stream *s, const double *row);
/* What comes after the rows. */
void cli_stream_foot(cli_stream *s);
/* As cli_output_end. */
int cli_stream_end(cli_stream *s, int code);

/* The rows that were kept, as a chart. */
chart cli_stream_chart(const cli_stream *s);

#endif
