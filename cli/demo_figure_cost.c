/* demo_figure_cost.c: the figure of the study's costs as a gnuplot script. */
#include "demo.h"

#include <math.h>

#include "plot.h"

/* Panel 0..3 of a 2 x 2 page, with room for a legend at the right. */
static void place(FILE *f, int panel, const char *title) {
  const double left = panel % 2 ? 0.52 : 0.07, bottom = panel / 2 ? 0.075 : 0.575;
  fprintf(f, "set lmargin at screen %g\nset rmargin at screen %g\n", left, left + 0.345);
  fprintf(f, "set bmargin at screen %g\nset tmargin at screen %g\n", bottom, bottom + 0.375);
  fprintf(f, "set title '{/:Bold %s}' offset 0,-0.3\n", title);
  if (panel % 2) {
    fprintf(f, "set key at screen 0.872,%g left center Left reverse vertical maxrows 8\n",
            bottom + 0.19);
  } else {
    fputs("unset key\n", f);
  }
}

/* A logarithmic y axis around the values, with labels at 1, 2 and 5. */
static void log_axis(FILE *f, double least, double most) {
  fprintf(f, "set yrange [%g:%g]\nset ytics (", 0.8 * least, 1.25 * most);
  for (int e = -2; e <= 6; e++) {
    fprintf(f, "%s%ge%d, %ge%d, %ge%d", e > -2 ? ", " : "", 1.0, e, 2.0, e, 5.0, e);
  }
  fputs(")\n", f);
}

/* Time against bodies, a line for each order; a line of slope 1 below them. */
static void bodies_panel(FILE *f, const study_cost *cost, int algorithm) {
  static const int marks[STUDY_ROWS] = {7, 5, 9, 11, 13, 15};
  const cost_point(*points)[COST_BODIES] = cost->bodies[algorithm][JN_FORM_BODY];
  const cost_point *last = &points[0][cost->sizes - 1];
  const double guide = 0.55 * last->minimum / last->bodies;
  place(f, algorithm,
        algorithm ? "(b) forward dynamics against bodies" : "(a) inverse dynamics against bodies");
  fputs(
      "set logscale xy\nset xlabel 'bodies N' offset 0,0.3\n"
      "set ylabel 'time a call [µs]' offset 0.3,0\nset xtics (",
      f);
  for (int n = 0; n < cost->sizes; n++) fprintf(f, "%s%d", n ? ", " : "", points[0][n].bodies);
  fprintf(f, ")\nset xrange [5:%g]\n", 1.2 * last->bodies);
  log_axis(f, guide * points[0][0].bodies, points[STUDY_ORDER][cost->sizes - 1].minimum);
  fputs("plot \\\n", f);
  for (int r = STUDY_ORDER; r >= 0; r--) {
    fprintf(f,
            "  'data/cost.csv' using (pick('bodies', '%s', 'body') && $3 == %d ? $2 : NaN):6 "
            "with linespoints linewidth 1.7 pointtype %d pointsize 0.7 linecolor rgb o%d "
            "title 'r = %d', \\\n",
            cost_algorithm_names[algorithm], r, marks[r], r, r);
  }
  fprintf(f,
          "  [%d:%d] %g*x with lines linewidth 1.2 dashtype (5,4) linecolor rgb c8 title "
          "'∝ N'\n",
          points[0][0].bodies, last->bodies, guide);
}

/* Both algorithms in both forms against the order. */
static void quartet(FILE *f, const char *sweep, const char *x) {
  for (int i = 0; i < 4; i++) {
    fprintf(
        f,
        "  'data/cost.csv' using (pick('%s', '%s', '%s') ? %s : NaN):6 with linespoints "
        "linewidth 1.7 dashtype %s pointtype %d pointsize 0.7 linecolor rgb c%d title '%s, %s', "
        "\\\n",
        sweep, cost_algorithm_names[i / 2], cost_formulation_names[i % 2], x, i % 2 ? "(8,5)" : "1",
        i % 2 ? 6 : 7, i / 2 + 1, cost_algorithm_names[i / 2], cost_formulation_names[i % 2]);
  }
}

static void orders_panel(FILE *f, const study_cost *cost) {
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < 4; i++) {
    least = fmin(least, cost->orders[i / 2][i % 2][0].minimum);
    most = fmax(most, cost->orders[i / 2][i % 2][COST_TOP_ORDER].minimum);
  }
  const double top = 1.5 * most, edge = COST_TOP_ORDER + 1, guide = top / (edge * edge);
  place(f, 2, "(c) against order, 101 bodies");
  fputs(
      "set xrange [0.93:11.9]\nset xlabel 'r + 1' offset 0,0.3\n"
      "set xtics (1, 2, 3, 4, 5, 6, 7, 8, 9, '' 10, 11)\n",
      f);
  log_axis(f, least, top);
  fprintf(f, "set label 1 '∝ (r + 1)^2' at 7.0,%g right textcolor rgb c8\nplot \\\n",
          guide * 7.0 * 7.0 * 1.3);
  quartet(f, "order", "$3 + 1");
  fprintf(f, "  [3:11] %g*x**2 with lines linewidth 1.2 dashtype (5,4) linecolor rgb c8\n", guide);
  fputs("unset label 1\n", f);
}

static void paper_panel(FILE *f) {
  place(f, 3, "(d) 7 bodies, beside the paper");
  fputs(
      "unset logscale\nset xrange [-0.2:5.2]\nset yrange [0:*]\nset ytics autofreq\n"
      "set xlabel 'order r' offset 0,0.3\nset xtics 1\n$paper << END\n",
      f);
  for (int r = 0; r < STUDY_ROWS; r++) {
    fprintf(f, "%d,%g,%g\n", r, study_paper_us[0][r], study_paper_us[1][r]);
  }
  fputs("END\nplot \\\n", f);
  for (int a = 1; a >= 0; a--) {
    fprintf(
        f,
        "  $paper using 1:%d with linespoints linewidth 1.7 pointtype 9 pointsize 0.8 linecolor "
        "rgb c%d title '%s, paper', \\\n",
        2 + a, a ? 5 : 6, cost_algorithm_names[a]);
  }
  quartet(f, "paper", "$3");
  fputs("  NaN notitle\n", f);
}

void study_cost_figure(FILE *f, const study *s) {
  static const char *const colours[] = {"#440154", "#414487", "#2a788e",
                                        "#22a884", "#7ad151", "#d9b300"};
  plot_begin(f, "cost", 1120, 820);
  for (int r = 0; r < STUDY_ROWS; r++) fprintf(f, "o%d = '%s'\n", r, colours[r]);
  fputs(
      "pick(a, b, c) = strcol(1) eq a && strcol(4) eq b && strcol(5) eq c\n"
      "set format '%g'\nset multiplot\n",
      f);
  bodies_panel(f, &s->cost, COST_INVERSE);
  bodies_panel(f, &s->cost, COST_FORWARD);
  orders_panel(f, &s->cost);
  paper_panel(f);
  fputs("unset multiplot\n", f);
}
