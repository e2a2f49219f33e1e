/* sheet.h: results over time: named columns, the figures they are drawn in, every format. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include <jounce/table.h>

#include "chart.h"
#include "output.h"

typedef struct cli_sheet {
  jn_table *table; /* column 0 is the time */
  int *figure_of;  /* [columns] */
  const char **names;
  const chart_figure *figure;
  int figures;
} cli_sheet;

/* An exit status, after a message when it is not 0. Figures stay the caller's. */
int cli_sheet_new(cli_sheet *sheet, int rows, int columns, const chart_figure *figure, int figures);
void cli_sheet_free(cli_sheet *sheet);
/* Names a column and says where it is drawn (-1: nowhere). */
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

#endif
