/* demo_report.c: the study as one page that holds its numbers and interactive figures. */
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "message.h"
#include "report.h"

enum { MOST_ROWS = 401, NAME = 32 };

/* A chart that owns its arrays. */
typedef struct filled_chart {
  chart chart;
  double *values;
  char (*texts)[NAME];
  const char **names;
  int *figure_of;
  chart_figure *figures;
  char (*figure_texts)[2][96]; /* title, unit */
} filled_chart;

static void release(filled_chart *c) {
  free(c->values);
  free(c->texts);
  free(c->names);
  free(c->figure_of);
  free(c->figures);
  free(c->figure_texts);
}

static int reserve(filled_chart *c, int rows, int columns, int figures, const char *axis) {
  size_t n = (size_t)columns, m = (size_t)figures;
  *c = (filled_chart){.values = calloc((size_t)rows * n, sizeof(double)),
                      .texts = calloc(n, NAME),
                      .names = calloc(n, sizeof(char *)),
                      .figure_of = calloc(n, sizeof(int)),
                      .figures = calloc(m, sizeof(chart_figure)),
                      .figure_texts = calloc(m, sizeof *c->figure_texts)};
  if (!c->values || !c->texts || !c->names || !c->figure_of || !c->figures || !c->figure_texts) {
    cli_error("demo: out of memory");
    return CLI_BAD_INPUT;
  }
  for (size_t i = 0; i < n; i++) c->names[i] = c->texts[i];
  for (size_t i = 0; i < m; i++)
    c->figures[i] = (chart_figure){c->figure_texts[i][0], c->figure_texts[i][1], 0};
  c->figure_of[0] = -1;
  snprintf(c->texts[0], NAME, "%.*s", (int)strcspn(axis, " "), axis);
  c->chart = (chart){.rows = rows,
                     .columns = columns,
                     .values = c->values,
                     .names = c->names,
                     .axis = axis,
                     .figure_of = c->figure_of,
                     .figures = figures,
                     .figure = c->figures};
  return CLI_DONE;
}

/* Curves that share a figure for each order of derivative. */
typedef struct curve_group {
  const char *title, *unit;
  int first, count;
} curve_group;

static void name_figure(filled_chart *c, int figure, const curve_group *group, int k) {
  static const char *const words[] = {"", ", first derivative", ", second derivative",
                                      ", third derivative"};
  char(*text)[96] = c->figure_texts[figure];
  if (k < COUNT(words))
    snprintf(text[0], sizeof text[0], "%s%s", group->title, words[k]);
  else
    snprintf(text[0], sizeof text[0], "%s, derivative %d", group->title, k);
  if (k < 2)
    snprintf(text[1], sizeof text[1], "%s%s", group->unit, k ? "/s" : "");
  else
    snprintf(text[1], sizeof text[1], "%s/s^%d", group->unit, k);
}

/* Rows of derivatives over time: `orders` times `width` curves. */
static int series_chart(FILE *page, const study *s, const curve_group *groups, int orders,
                        int width, const char *const *names,
                        const double *(*row)(const study_sample *sample), const char *download) {
  const int every = s->round.steps > MOST_ROWS ? (s->round.steps - 1) / (MOST_ROWS - 1) : 1;
  const int rows = (s->round.steps - 1) / every + 1, columns = 1 + orders * width;
  filled_chart c;
  int code = reserve(&c, rows, columns, 3 * orders, "t [s]");
  for (int k = 0; !code && k < orders; k++) {
    for (int g = 0; g < 3; g++) {
      name_figure(&c, 3 * k + g, &groups[g], k);
      for (int i = groups[g].first; i < groups[g].first + groups[g].count; i++)
        c.figure_of[1 + k * width + i] = 3 * k + g;
    }
    for (int i = 0; i < width; i++)
      snprintf(c.texts[1 + k * width + i], NAME, "%s_%d", names[i], k);
  }
  for (int n = 0; !code && n < rows; n++) {
    const study_sample *sample = &s->round.samples[n * every];
    double *x = c.values + (size_t)n * (size_t)columns;
    x[0] = sample->t;
    memcpy(x + 1, row(sample), (size_t)(orders * width) * sizeof *x);
  }
  if (!code) report_chart(page, &c.chart, download);
  release(&c);
  return code;
}

static const double *motion_row(const study_sample *sample) { return sample->motion.curves[0]; }
static const double *forces_row(const study_sample *sample) { return sample->forces[0]; }

static int motion_chart(FILE *page, const study *s) {
  static const curve_group groups[] = {
      {"base position", "m", 0, 3}, {"base yaw", "rad", 3, 1}, {"joint angles", "rad", 4, 6}};
  return series_chart(page, s, groups, STUDY_DERIVATIVES + 1, STUDY_CURVES, study_curve_names,
                      motion_row, "motion.csv");
}

static int forces_chart(FILE *page, const study *s) {
  static const curve_group groups[] = {{"base force", "N", 3, 3},
                                       {"base torque about the world's origin", "N m", 0, 3},
                                       {"joint torques", "N m", 6, 6}};
  return series_chart(page, s, groups, STUDY_ROWS, STUDY_NV, study_force_names, forces_row,
                      "forces.csv");
}

/* Microseconds against bodies: a figure for each algorithm, body form, a curve for each order. */
static int bodies_chart(FILE *page, const study *s) {
  const study_cost *cost = &s->cost;
  filled_chart c;
  int code = reserve(&c, cost->sizes, 1 + 2 * STUDY_ROWS, 2, "bodies");
  for (int a = 0; !code && a < 2; a++) {
    snprintf(c.figure_texts[a][0], sizeof c.figure_texts[a][0], "%s dynamics, body form",
             cost_algorithm_names[a]);
    snprintf(c.figure_texts[a][1], sizeof c.figure_texts[a][1], "µs a call");
    for (int r = 0; r < STUDY_ROWS; r++) {
      const int column = 1 + a * STUDY_ROWS + r;
      c.figure_of[column] = a;
      snprintf(c.texts[column], NAME, "%s order %d", cost_algorithm_names[a], r);
      for (int n = 0; n < cost->sizes; n++) {
        double *x = c.values + (size_t)n * (size_t)c.chart.columns;
        x[0] = cost->bodies[a][JN_FORM_BODY][r][n].bodies;
        x[column] = cost->bodies[a][JN_FORM_BODY][r][n].minimum;
      }
    }
  }
  c.chart.log_x = c.chart.log_y = 1;
  if (!code) report_chart(page, &c.chart, "cost_bodies.csv");
  release(&c);
  return code;
}

/* Microseconds against order at 101 bodies: a figure for each algorithm, a curve for each form. */
static int orders_chart(FILE *page, const study *s) {
  filled_chart c;
  int code = reserve(&c, COST_TOP_ORDER + 1, 5, 2, "order");
  for (int a = 0; !code && a < 2; a++) {
    snprintf(c.figure_texts[a][0], sizeof c.figure_texts[a][0], "%s dynamics, 101 bodies",
             cost_algorithm_names[a]);
    snprintf(c.figure_texts[a][1], sizeof c.figure_texts[a][1], "µs a call");
    for (int f = 0; f < 2; f++) {
      const int column = 1 + 2 * a + f;
      c.figure_of[column] = a;
      snprintf(c.texts[column], NAME, "%s %s", cost_algorithm_names[a], cost_formulation_names[f]);
      for (int r = 0; r <= COST_TOP_ORDER; r++) {
        double *x = c.values + (size_t)r * (size_t)c.chart.columns;
        x[0] = r;
        x[column] = s->cost.orders[a][f][r].minimum;
      }
    }
  }
  if (!code) report_chart(page, &c.chart, "cost_orders.csv");
  release(&c);
  return code;
}

int study_write_report(const study *s, const sheet *sheets) {
  char lead[256];
  snprintf(lead, sizeof lead,
           "A hexarotor with two arms, its inverse and forward dynamics with time derivatives to "
           "order %d, and what they cost: the study of Ali et al. 2026, section 7, by jounce "
           "" JN_VERSION ". %d steps of %g s.",
           STUDY_ORDER, s->round.steps, s->round.dt);
  FILE *page = report_open(s->options.report, "An aerial manipulator", lead);
  if (!page) return CLI_BAD_INPUT;
  study_page_cards(page, s);
  fputs("<h2>The round trip</h2>\n", page);
  sheet_html(page, &sheets[STUDY_ROUND_SHEET]);
  fputs("<h2>Motion</h2>\n", page);
  int code = motion_chart(page, s);
  fputs("<h2>Forces</h2>\n", page);
  if (!code) code = forces_chart(page, s);
  fputs("<h2>The cost of a call</h2>\n", page);
  if (!code) code = bodies_chart(page, s);
  if (!code) code = orders_chart(page, s);
  for (int i = STUDY_PAPER_SHEET; i < STUDY_SHEETS; i++) {
    fprintf(page, "<h3>%s</h3>\n", sheets[i].title);
    sheet_html(page, &sheets[i]);
  }
  int closed = report_close(page, s->options.report);
  return code ? code : closed;
}
