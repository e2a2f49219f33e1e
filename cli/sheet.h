/* sheet.h: tables of results. A cli_sheet holds numbers in named columns with the figures that show
 * them; cli_cells holds short texts with headings. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include <jounce/table.h>

#include "chart.h"
#include "output.h"

typedef struct cli_sheet {
  jn_table *table; /* column 0 is the time, or another x axis */
  int *figure_of;  /* [columns] */
  const char **names;
  const chart_figure *figure;
  int figures;
} cli_sheet;

/* An exit status, after a message when it is not 0. Figures stay the caller's. */
int cli_sheet_new(cli_sheet *sheet, int rows, int columns, const chart_figure *figure, int figures);
void cli_sheet_free(cli_sheet *sheet);
/* Names a column and the figure that shows it (-1: none). */
void cli_sheet_column(cli_sheet *sheet, int column, int figure, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
double *cli_sheet_row(const cli_sheet *sheet, int row);

chart cli_sheet_chart(const cli_sheet *sheet);
/* "columns" and "rows" of an open JSON object */
void cli_sheet_json(cli_output *out, const cli_sheet *sheet);
/* csv, npy, npz; an exit status */
int cli_sheet_print(cli_output *out, const cli_sheet *sheet);
/* For people: the least and the largest number of every column, and when. */
void cli_sheet_text(cli_output *out, const cli_sheet *sheet);

enum { CELL = 32, CELL_GROUPS = 4 };

typedef struct cli_cells {
  const char *title;
  const char *note;   /* below the table; lines are separated by "\n  "; or NULL */
  int columns, count; /* cells in use, row by row; the first row is the heading */
  int room, failed;   /* failed: memory ran out, cells are missing */
  char (*cells)[CELL];
  int groups;
  struct {
    const char *title;
    int first, columns;
  } group[CELL_GROUPS]; /* headings above the heading, left to right */
} cli_cells;

/* Begins a table with its heading. At most CELL_GROUPS groups. */
void cli_cells_begin(cli_cells *c, const char *title, const char *head);
void cli_cells_group(cli_cells *c, const char *title, int first, int columns);
/* Adds cells: a text is split at its blanks. '~' stands for a blank within a cell. */
void cli_cells_add(cli_cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_cells_free(cli_cells *c);

void cli_cells_text(FILE *file, const cli_cells *c);
void cli_cells_html(FILE *file, const cli_cells *c);
void cli_cells_csv(FILE *file, const cli_cells *c); /* without title, groups and note */

#endif
