/* chart.h: a table of named columns and the figures its columns are drawn in, by gnuplot here and
 * in a page by report.h. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

enum { CHART_CURVES = 12 }; /* in one panel; more are parted */

typedef struct chart_figure {
  const char *title;
  const char *unit; /* of its axis; "" for pure numbers */
  int from_start;   /* draw what a column adds to its first number */
} chart_figure;

typedef struct chart {
  int rows, columns;
  const double *values;     /* [rows x columns]; column 0 is what the others are drawn over */
  const char *const *names; /* [columns] */
  const char *axis;         /* of column 0: "t [s]" */
  const int *figure_of;     /* [columns]: the figure a column is drawn in; -1: none */
  int figures;
  const chart_figure *figure; /* those without columns are left out */
  int log_x, log_y;
} chart;

/* A figure's columns parted evenly into panels of at most CHART_CURVES. */
typedef struct chart_panel {
  int figure, part, parts;
  int first, count; /* the columns of the figure number first ... first + count - 1 */
} chart_panel;
int chart_figure_columns(const chart *c, int figure);
/* Panel number n of the chart; returns 0 when there are not so many. */
int chart_panel_at(const chart *c, int n, chart_panel *out);
/* The column of the table that is number i of the panel. */
int chart_panel_column(const chart *c, const chart_panel *panel, int i);

/* Whether a name can be drawn to (.svg or .png, without quotes): an exit status, after a message
 * that starts with the command. */
int chart_check_path(const char *command, const char *path);
/* Draws all panels into one picture; an exit status. */
int chart_draw(const chart *c, const char *command, const char *path);

#endif
