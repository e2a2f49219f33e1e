/* chart.h: a table with named columns and the description of its figures. gnuplot (plot.h) and, in
 * a page, uPlot (report.h) draw the same description. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stddef.h>

enum {
  CHART_CURVES = 12, /* per panel; a figure with more curves is split evenly */
  CHART_ALONE = 8, /* a figure with more curves has a panel for every group, if there are groups */
  CHART_SHARED = -1,     /* the group of a column that is drawn with every group */
  CHART_NUMBERS = 500000 /* of a chart in a page; of longer tables every n-th row is taken */
};

typedef struct chart_figure {
  const char *title;
  const char *unit; /* of the y axis; "" if dimensionless */
  int from_start;   /* draw differences from the first row */
} chart_figure;

/* Least and largest value of a column, and column 0 (the time) of the first rows that have them. */
typedef struct cli_extremes {
  double least, at_least, largest, at_largest;
} cli_extremes;

/* Points that are drawn over the curves of the same names. */
typedef struct chart_samples {
  int rows, count;
  const double *t;      /* [rows] */
  const double *values; /* [count x rows] */
  const char **names;   /* [count] */
} chart_samples;

typedef struct chart {
  int rows, columns;
  const double *values;      /* [rows x columns]; column 0 is the x axis */
  const char *const *names;  /* [columns], as in the CSV file */
  const char *const *labels; /* [columns], for legends; NULL: the names */
  const char *axis;          /* label of the x axis: "t [s]" */
  const int *figure_of;      /* [columns]: the figure that shows a column; -1: none */
  int figures;
  const chart_figure *figure; /* figures without columns are not drawn */
  int log_x, log_y;
  int filled; /* pages: the curves of a figure are quantiles, filled between the outer ones */
  int whole_every, whole_rows; /* the values are every n-th row of a longer table; 0: the table */
  int every;                   /* row n of the chart is row n * every of values; 0 means 1 */
  double slope;                /* of a dashed reference line y ~ x^slope; 0: no line */
  const char *slope_name;      /* label of that line */
  /* A second table with the same x and figures, drawn dashed on top. Its columns are numbered after
   * those of the first. May be NULL. */
  const struct chart *overlay;
  const char *overlay_name;
  /* The table that a page offers as numbers; NULL: the one that is drawn. If it is another one, the
   * values drawn are at most CHART_NUMBERS and every row is drawn. */
  const struct chart *table;
  const chart_samples *samples; /* in pages; NULL: none */
  /* in pictures; NULL: none. A page finds groups and limits in its scene. */
  const int *group_of;      /* [columns]: the limb of the joint, or CHART_SHARED */
  const char *const *group; /* [groups]: names */
  int groups;
  const double *limit;          /* [columns x 2]: lower and upper, drawn dashed; infinite: none */
  const cli_extremes *extremes; /* [columns]: of the motion, also between the rows */
} chart;

/* A figure, or one group of it, or a part with at most CHART_CURVES columns. */
typedef struct chart_panel {
  int figure, part, parts;
  int group;        /* -1: all columns of the figure */
  int first, count; /* columns of the figure and group: number first to first + count - 1 */
  int over;         /* number of overlay columns */
} chart_panel;
/* Panel n of the chart. Returns 0 if there are fewer. */
int chart_panel_at(const chart *c, int n, chart_panel *out);
/* The column of curve i < count + over of the panel. */
int chart_panel_column(const chart *c, const chart_panel *panel, int i);

/* "joint torque: left_arm (1 of 2)" */
void chart_panel_title(const chart *c, const chart_panel *panel, char *title, size_t size);
/* Is a column the limit of the others ("velocity:+limit")? */
int chart_is_limit(const chart *c, int column);

/* Value and legend entry of a column; overlay columns follow those of the chart. */
double chart_value(const chart *c, int row, int column);
const char *chart_label(const chart *c, int column);
/* The value that is drawn. */
double chart_drawn(const chart *c, const chart_panel *panel, int column, int row);

/* The n for which every n-th row of a table has at most CHART_NUMBERS numbers. */
int chart_every(int rows, int columns);
/* Every n-th row of a chart. */
chart chart_thin(const chart *c, int n);

#endif
