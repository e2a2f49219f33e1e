/* sheet.h: tables of results: cli_sheet for numbers in named columns with their figures, cli_cells
 * for short texts with headings. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include <jounce/table.h>

#include "output/chart.h"
#include "output/output.h"

/* Takes one more row, or the first one. */
void cli_extremes_take(cli_extremes *extremes, int columns, const double *row, int is_first);
/* Writes a line for every column but the first. left_out[columns]: 1 for columns without a line;
 * NULL: none. precision: significant digits, 0: the usual ones. */
void cli_extremes_print(FILE *file, const cli_extremes *extremes, int columns,
                        const char *const *names, const unsigned char *left_out, int precision);

typedef struct cli_sheet {
  jn_table *table; /* column 0 is the time, or another x axis */
  int *figure_of;  /* [columns] */
  const char **names;
  const char **labels;    /* [columns], in legends */
  cli_extremes *extremes; /* [columns], by cli_sheet_measure */
  const chart_figure *figure;
  int figures;
} cli_sheet;

/* Returns an exit status, after a message if it is not 0. The caller owns the figures. */
int cli_sheet_new(cli_sheet *sheet, int rows, int columns, const chart_figure *figure, int figures);
void cli_sheet_free(cli_sheet *sheet);
/* Sets the name of a column and its figure (-1: none). */
void cli_sheet_column(cli_sheet *sheet, int column, int figure, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Legends show what follows the ':' of its name: the title of the figure says the rest. */
void cli_sheet_shorten(cli_sheet *sheet, int column);
double *cli_sheet_row(const cli_sheet *sheet, int row);

chart cli_sheet_chart(const cli_sheet *sheet);
/* "columns" and "rows" of an open JSON object */
void cli_sheet_json(cli_output *out, const cli_sheet *sheet);
/* Writes csv, npy or npz. Returns an exit status. */
int cli_sheet_print(cli_output *out, const cli_sheet *sheet);
/* Finds the extremes of all columns. */
void cli_sheet_measure(const cli_sheet *sheet);

enum { CELL = 32, CELL_GROUPS = 4 };

typedef struct cli_cells {
  const char *title;
  const char *note;   /* text below the table, lines separated by "\n  "; may be NULL */
  int columns, count; /* number of cells, row by row; the first row is the heading */
  int room, failed;   /* failed: out of memory */
  char (*cells)[CELL];
  int groups;
  struct {
    const char *title;
    int first, columns;
  } group[CELL_GROUPS]; /* titles above groups of columns, left to right */
} cli_cells;

/* Starts a table with its heading; at most CELL_GROUPS groups. */
void cli_cells_begin(cli_cells *c, const char *title, const char *head);
void cli_cells_group(cli_cells *c, const char *title, int first, int columns);
/* Adds cells: the formatted text is split at blanks; '~' becomes a blank within a cell. */
void cli_cells_add(cli_cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_cells_free(cli_cells *c);

void cli_cells_text(FILE *file, const cli_cells *c);
void cli_cells_html(FILE *file, const cli_cells *c);
void cli_cells_csv(FILE *file, const cli_cells *c); /* without title, groups and note */
void cli_cells_json(cli_output *out, const char *key,
                    const cli_cells *c); /* key: a list of {column: cell, ...} */

#endif
