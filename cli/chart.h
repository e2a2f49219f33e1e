/* chart.h: a table of named columns and the figures that show them. The same description is drawn
 * by gnuplot (plot.h) and, in a page, by uPlot (report.h). */
#ifndef CLI_CHART_H
#define CLI_CHART_H

enum { CHART_CURVES = 12 }; /* in one panel; a figure with more is split evenly */

typedef struct chart_figure {
  const char *title;
  const char *unit; /* of its y axis; "" for pure numbers */
  int from_start;   /* draw the change of each column from its first number */
} chart_figure;

typedef struct chart {
  int rows, columns;
  const double *values;      /* [rows x columns]; column 0 is the x axis */
  const char *const *names;  /* [columns], as in the CSV file */
  const char *const *labels; /* [columns], for legends; NULL: the names */
  const char *axis;          /* label of the x axis: "t [s]" */
  const int *figure_of;      /* [columns]: the figure that shows a column; -1: none */
  int figures;
  const chart_figure *figure; /* figures without columns are left out */
  int log_x, log_y;
  int every;              /* row n is row n * every of values; 0 counts as 1 */
  double slope;           /* on logarithmic axes: a dashed reference line y ~ x^slope; 0: none */
  const char *slope_name; /* its label */
  /* A second table with the same x and the same figures, drawn dashed over the first. Its columns
   * are numbered from `columns` on. NULL: none */
  const struct chart *overlay;
  const char *overlay_name;
} chart;

/* A figure, or a part of one with more than CHART_CURVES columns. */
typedef struct chart_panel {
  int figure, part, parts;
  int first, count; /* columns first ... first + count - 1 of the figure */
  int over;         /* then so many columns of the overlay */
} chart_panel;
/* Panel number n of the chart; returns 0 when it has fewer. */
int chart_panel_at(const chart *c, int n, chart_panel *out);
/* The column that curve i < count + over of the panel shows. */
int chart_panel_column(const chart *c, const chart_panel *panel, int i);

/* Both number the overlay's columns after the chart's own. */
double chart_value(const chart *c, int row, int column);
const char *chart_label(const chart *c, int column);
/* What a curve of a panel shows at a row. */
double chart_drawn(const chart *c, const chart_panel *panel, int column, int row);

/* Every n-th row of a chart. */
chart chart_thin(const chart *c, int n);

#endif
