/* demo_figures.c: the study's figures over time as gnuplot scripts, and the drawing of all. */
#include "demo.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "plot.h"

enum { WIDTH = 1120, CURVE_POINTS = 150 };

/* Curves that share a column of panels, a row for each derivative. */
typedef struct panel_group {
  const char *title, *symbol, *unit; /* unit of order 0 */
  int first, count;                  /* which curves of a row */
  const char *const *names;
} panel_group;

/* A grid of panels over time. */
typedef struct panel_grid {
  const panel_group *groups; /* three */
  int rows, height;
  const char *file; /* CSV: t, then `stride` columns a row */
  int stride;
  const double *(*row)(const study_sample *sample, int k);
  int forward; /* the first row that forward dynamics answers, or rows */
} panel_grid;

/* y axis: values are divided by 10^power, from low to high by step */
typedef struct panel_axis {
  int power;
  double low, high, step;
} panel_axis;

static panel_axis axis_of(const study *s, const panel_grid *grid, const panel_group *group, int k) {
  double low = 0, high = 0;
  for (int n = 0; n < s->round.steps; n++) {
    const double *x = grid->row(&s->round.samples[n], k) + group->first;
    for (int i = 0; i < group->count; i++) {
      low = fmin(low, x[i]);
      high = fmax(high, x[i]);
    }
  }
  panel_axis axis = {0, -1, 1, 1};
  double most = fmax(-low, high);
  if (!(most > 0) || !isfinite(most)) return axis;
  axis.power = 3 * (int)floor((log10(most) + 1) / 3);
  const double scale = pow(10, -axis.power), span = (high - low) * scale;

  /* about four intervals of 1, 2 or 5 times a power of ten */
  const double unit = pow(10, floor(log10(span / 4))), ratio = span / 4 / unit;
  axis.step = unit * (ratio > 7 ? 10 : ratio > 3.5 ? 5 : ratio > 1.5 ? 2 : 1);
  axis.low = low * scale - 0.06 * span;
  axis.high = high * scale + 0.06 * span;
  return axis;
}

static double panel_left(int column) { return 0.075 + 0.33 * column; }
#define PANEL_WIDTH 0.255

/* Edges of row k in the page. */
static void panel_edges(const panel_grid *grid, int k, double *upper, double *lower) {
  const double top = 1 - 56.0 / grid->height, bottom = 30.0 / grid->height;
  const double each = (top - bottom) / grid->rows;
  *upper = top - k * each;
  *lower = *upper - each + 18.0 / grid->height;
}

/* "p^(2)  [10^-3 m/s^2]" beside the axis */
static void panel_label(FILE *f, const panel_group *group, int k, int column, double y, int power) {
  fprintf(f, "set label 1 '%s", group->symbol);
  if (k > 0) fprintf(f, "^{(%d)}", k);
  fputs("  [", f);
  if (power) fprintf(f, "10^{%d} ", power);
  fputs(group->unit, f);
  if (k == 1) fputs("/s", f);
  if (k > 1) fprintf(f, "/s^{%d}", k);
  fprintf(f, "]' at screen %.4f,%.4f center rotate by 90\n", panel_left(column) - 0.052, y);
}

static void draw_panel(FILE *f, const study *s, const panel_grid *grid, int k, int column) {
  const panel_group *group = &grid->groups[column];
  const panel_axis axis = axis_of(s, grid, group, k);
  const int every = s->round.steps / CURVE_POINTS > 0 ? s->round.steps / CURVE_POINTS : 1;
  double upper, lower;
  panel_edges(grid, k, &upper, &lower);
  fprintf(f, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", panel_left(column),
          panel_left(column) + PANEL_WIDTH);
  fprintf(f, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", upper, lower);
  fprintf(f, "set yrange [%g:%g]\nset ytics %g\n", axis.low, axis.high, axis.step);
  fprintf(f, "set format x '%s'\n", k == grid->rows - 1 ? "%g" : "");
  if (k == grid->rows - 1) fputs("set xlabel 'time t [s]' offset 0,0.5\n", f);
  panel_label(f, group, k, column, 0.5 * (upper + lower), axis.power);
  fputs("plot \\\n", f);
  for (int i = 0; i < group->count; i++) {
    fprintf(f,
            "  '%s' skip 1 every %d using 1:(1e%d*$%d) with lines linewidth %s linecolor rgb c%d, "
            "\\\n",
            grid->file, every, -axis.power, 2 + k * grid->stride + group->first + i,
            grid->forward < grid->rows ? "2.8" : "1.8", i + 1);
  }
  for (int i = 0; i < group->count && k >= grid->forward; i++) {
    fprintf(f,
            "  'data/forward.csv' skip 1 every %d using 1:(1e%d*$%d) with lines linewidth 0.9 "
            "dashtype (12,12) linecolor rgb 'black', \\\n",
            every, -axis.power, 2 + (k - grid->forward) * grid->stride + group->first + i);
  }
  fputs("  NaN\n", f);
  if (k == 0) fputs("unset arrow\n", f);
}

/* Title and legend above a column. */
static void draw_heading(FILE *f, const panel_grid *grid, int column) {
  const panel_group *group = &grid->groups[column];
  const double height = grid->height, title = 1 - 14 / height, legend = 1 - 36 / height;
  const int dashed = grid->forward < grid->rows, entries = group->count;
  const double each = (group->count > 3 ? 0.034 : 0.05), far = dashed ? 0.068 : 0;
  double x = panel_left(column) + 0.5 * (PANEL_WIDTH - entries * each - far);
  fprintf(f, "set label %d '{/:Bold %s}' at screen %.4f,%.4f center\n", 100 + column, group->title,
          panel_left(column) + 0.5 * PANEL_WIDTH, title);
  for (int i = 0; i < entries + dashed; i++, x += each) {
    char colour[16];
    if (i == entries) x += 0.006;
    snprintf(colour, sizeof colour, "c%d", i + 1);
    fprintf(f, "set arrow from screen %.4f,%.4f to screen %.4f,%.4f nohead linewidth %s ", x,
            legend, x + 0.016, legend,
            i == entries ? "0.9 dashtype (12,12)"
            : dashed     ? "2.8"
                         : "1.8");
    fprintf(f, "linecolor rgb %s\n", i == entries ? "'black'" : colour);
    fprintf(f, "set label %d '%s' at screen %.4f,%.4f left\n", 200 + 10 * column + i,
            i == entries ? "forward" : group->names[i], x + 0.019, legend);
  }
}

static void draw_grid(FILE *f, const study *s, const panel_grid *grid) {
  fprintf(f, "set multiplot\nunset key\nset xrange [0:%g]\nset xtics 5\nset format y '%%g'\n",
          STUDY_SECONDS);
  for (int c = 0; c < 3; c++) draw_heading(f, grid, c);
  for (int k = 0; k < grid->rows; k++) {
    for (int c = 0; c < 3; c++) {
      draw_panel(f, s, grid, k, c);
      if (k == 0 && c == 0) fputs("unset label\n", f);
    }
  }
  fputs("unset multiplot\n", f);
}

static const double *motion_row(const study_sample *sample, int k) {
  return sample->motion.curves[k];
}
static const double *forces_row(const study_sample *sample, int k) { return sample->forces[k]; }

static const char *const xyz[] = {"x", "y", "z"};
static const char *const yaw[] = {"ψ"};
static const char *const angles[] = {"q_2", "q_3", "q_4", "q_5", "q_6", "q_7"};
static const char *const torques[] = {"τ_2", "τ_3", "τ_4", "τ_5", "τ_6", "τ_7"};

static void motion_figure(FILE *f, const study *s) {
  static const panel_group groups[] = {{"base position p", "p", "m", 0, 3, xyz},
                                       {"base yaw ψ", "ψ", "rad", 3, 1, yaw},
                                       {"joint angles q", "q", "rad", 4, 6, angles}};
  const panel_grid grid = {
      groups, STUDY_DERIVATIVES + 1, 1120, "data/motion.csv", STUDY_CURVES, motion_row, 2};
  plot_begin(f, "motion", WIDTH, grid.height);
  draw_grid(f, s, &grid);
}

static void forces_figure(FILE *f, const study *s) {
  static const panel_group groups[] = {
      {"base force f", "f", "N", 3, 3, xyz},
      {"base torque n about the world origin", "n", "N m", 0, 3, xyz},
      {"joint torques τ", "τ", "N m", 6, 6, torques}};
  const panel_grid grid = {groups,   STUDY_ROWS, 880,       "data/forces.csv",
                           STUDY_NV, forces_row, STUDY_ROWS};
  plot_begin(f, "forces", WIDTH, grid.height);
  draw_grid(f, s, &grid);
}

int study_draw(study *s) {
  static const struct {
    const char *script;
    void (*write)(FILE *file, const study *s);
  } figures[] = {{"figures/motion.gp", motion_figure},
                 {"figures/forces.gp", forces_figure},
                 {"figures/cost.gp", study_cost_figure}};
  char reason[192];
  if (s->options.no_plots) {
    snprintf(s->figures_note, sizeof s->figures_note, "No figures, as asked (--no-plots).");
    return CLI_DONE;
  }
  if (!plot_available()) {
    snprintf(s->figures_note, sizeof s->figures_note,
             "No figures: gnuplot is not installed. Get it with: apt-get install gnuplot-nox");
    return CLI_DONE;
  }
  for (int i = 0; i < COUNT(figures); i++) {
    FILE *file = demo_create(s->options.output, figures[i].script);
    if (!file) return CLI_BAD_INPUT;
    figures[i].write(file, s);
    int code = demo_close(file, s->options.output, figures[i].script);
    if (code) return code;
    if (!plot_run(s->options.output, figures[i].script, reason, sizeof reason)) {
      snprintf(s->figures_note, sizeof s->figures_note, "No figures: %s: %s", figures[i].script,
               reason);
      return CLI_DONE;
    }
    demo_progress(0.92 + 0.02 * (i + 1), "figures");
  }
  s->figures = 1;
  return CLI_DONE;
}
