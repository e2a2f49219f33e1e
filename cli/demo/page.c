/* page.c: the study as charts, figures and pages. Both pages are made from web/study.html:
 * index.html with figures drawn by gnuplot, the page of --report with interactive figures. */
#include "demo/demo.h"

#include <stdlib.h>
#include <string.h>

#include "output/message.h"
#include "output/progress.h"
#include "output/report.h"

enum {
  MOST_ROWS = 401,
  MOST_POINTS = 150
}; /* rows of a chart over time; points of a drawn curve */
enum { CHART_MOTION, CHART_FORCES, CHART_COST, COSTS = 4, CHARTS = CHART_COST + COSTS };

typedef struct view {
  const study *study;
  int still; /* figures drawn by gnuplot, no scripts */
  chart charts[CHARTS], forward;
  /* against bodies, against order, compared with the paper, with automatic differentiation */
  cli_sheet costs[COSTS];
} view;

static const struct {
  const char *name;
  plot_picture picture;
  int first; /* first chart of the picture */
} pictures[] = {{"motion", {NULL, 1, 3, 178, MOST_POINTS, 0}, CHART_MOTION},
                {"forces", {NULL, 1, 3, 178, MOST_POINTS, 0}, CHART_FORCES},
                {"cost", {NULL, COSTS, 2, 330, 0, 0}, CHART_COST}};
static const char *const chart_files[CHARTS] = {"motion.csv",      "forces.csv",
                                                "cost_bodies.csv", "cost_orders.csv",
                                                "cost_paper.csv",  "cost_baseline.csv"};

/* Stores a measured point in the table of its sweep. */
static void place_point(const cost_point *p, cli_sheet *costs) {
  const int a = p->algorithm, f = p->formulation;
  const char *algorithm = cost_algorithm_names[a];
  if (p->sweep == COST_BODIES) {
    double *row = cli_sheet_row(&costs[0], p->size);
    if (f != JN_FORM_BODY) return;
    row[0] = p->bodies, row[1 + a * STUDY_ROWS + p->order] = p->minimum;
    cli_sheet_column(&costs[0], 1 + a * STUDY_ROWS + p->order, a, "%s order %d", algorithm,
                     p->order);
    return;
  }
  const int paper = p->sweep == COST_PAPER, column = 2 + (paper ? 3 : 2) * a + f;
  double *row = cli_sheet_row(&costs[1 + paper], p->order);
  row[0] = paper ? p->order : p->order + 1;
  row[1] = paper ? study_paper_us[0][p->order] : p->order;
  row[column] = p->minimum;
  if (paper) row[4] = study_paper_us[1][p->order];
  cli_sheet_column(&costs[1 + paper], column, 0, "%s %s", algorithm, cost_formulation_names[f]);
}

static int make_costs(view *v) {
  static const chart_figure figures[] = {
      {"inverse dynamics, body formulation", "µs per call", 0},
      {"forward dynamics, body formulation", "µs per call", 0},
      {"against the order, 101 bodies", "µs per call", 0},
      {"7 bodies, compared with the paper", "µs per call", 0},
      {"automatic differentiation (figure 4(c)), 101 bodies", "µs per call", 0}};
  static const char *const labels[] = {"bodies", "r = 0", "r = 1", "r = 2", "r = 3",
                                       "r = 4",  "r = 5", "r = 0", "r = 1", "r = 2",
                                       "r = 3",  "r = 4", "r = 5"};
  const study_cost *cost = &v->study->cost;
  cli_sheet *sheets = v->costs;
  int code = cli_sheet_new(&sheets[0], cost->sizes, 1 + 2 * STUDY_ROWS, figures, 2);
  if (!code) code = cli_sheet_new(&sheets[1], COST_TOP_ORDER + 1, 6, figures + 2, 1);
  if (!code) code = cli_sheet_new(&sheets[2], STUDY_ROWS, 7, figures + 3, 1);
  const study_baseline *baseline = &v->study->baseline;
  if (!code)
    code = cli_sheet_new(&sheets[3], baseline->rows, 1 + 2 * BASELINE_COLUMNS, figures + 4, 1);
  if (code) return code;
  cli_sheet_column(&sheets[3], 0, -1, "order");
  for (int i = 0; i < 2 * BASELINE_COLUMNS; i++) {
    const int a = i / BASELINE_COLUMNS, c = i % BASELINE_COLUMNS;
    cli_sheet_column(&sheets[3], 1 + i, 0, "%s %s", cost_algorithm_names[a],
                     study_baseline_names[c]);
    for (int r = 0; r < baseline->rows; r++) {
      double *row = cli_sheet_row(&sheets[3], r);
      row[0] = r, row[1 + i] = baseline->us[a][c][r];
    }
  }
  for (int i = 0; i < cost->count; i++) place_point(&cost->points[i], sheets);
  cli_sheet_column(&sheets[0], 0, -1, "bodies");
  cli_sheet_column(&sheets[1], 0, -1, "order_plus_1");
  cli_sheet_column(&sheets[1], 1, -1, "order");
  cli_sheet_column(&sheets[2], 0, -1, "order");
  for (int a = 0; a < 2; a++)
    cli_sheet_column(&sheets[2], 1 + 3 * a, 0, "%s paper", cost_algorithm_names[a]);

  chart *c = &v->charts[CHART_COST];
  for (int i = 0; i < COSTS; i++) {
    c[i] = cli_sheet_chart(&sheets[i]);
    c[i].log_x = i < 2;
    c[i].log_y = i != 2;
  }
  c[0].axis = "bodies N", c[0].slope = 1, c[0].slope_name = "∝ N", c[0].labels = labels;
  c[1].axis = "r + 1", c[1].slope = 2, c[1].slope_name = "∝ (r + 1)^2";
  c[2].axis = c[3].axis = "order r";
  return CLI_DONE;
}

static void make_series(view *v) {
  const study_series *series = v->study->round.series;
  const int steps = v->study->round.steps;
  for (int i = 0; i < 2; i++) {
    chart whole = cli_sheet_chart(&series[i].sheet);
    whole.labels = series[i].labels;
    v->charts[i] = chart_thin(&whole, (steps - 1) / (MOST_ROWS - 1));
  }
  v->forward = cli_sheet_chart(&series[STUDY_FORWARD].sheet);
  v->forward.labels = series[STUDY_FORWARD].labels;
  v->charts[CHART_MOTION].overlay = &v->forward;
  v->charts[CHART_MOTION].overlay_name = "forward";
}

static void draw_figures(study *s, const view *v) {
  char reason[PLOT_REASON];
  s->figures = !s->options.no_plots;
  if (!s->figures) snprintf(s->note, sizeof s->note, "No figures (--no-plots).");
  for (int i = 0; i < COUNT(pictures) && s->figures; i++) {
    plot_picture picture = pictures[i].picture;
    picture.charts = &v->charts[pictures[i].first];
    cli_progress(0.92 + 0.02 * i, "figures");
    s->figures = plot_save(&picture, s->options.output, pictures[i].name, reason);
    if (!s->figures) snprintf(s->note, sizeof s->note, "No figures: %s", reason);
  }
}

/* Picture i: its charts as interactive figures, or the SVG file. */
static void figure(FILE *page, const view *v, int i) {
  const char *name = pictures[i].name;
  char path[4096];
  for (int k = 0; k < pictures[i].picture.count && !v->still; k++)
    report_chart(page, &v->charts[pictures[i].first + k], chart_files[pictures[i].first + k]);
  if (!v->still || !v->study->figures) return;
  snprintf(path, sizeof path, "%s/figures/%s.svg", v->study->options.output, name);
  fputs("<figure>\n", page);
  plot_copy_svg(fopen(path, "r"), page);
  fprintf(page,
          "<figcaption><a href=\"figures/%s.svg\">SVG</a>, <a href=\"figures/%s.png\">PNG</a>"
          "</figcaption>\n</figure>\n",
          name, name);
}

static void download(FILE *page, const cli_cells *table, const char *name) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (file) cli_cells_csv(file, table);
  if (file && fclose(file) == 0) report_download(page, text, size, name);
  free(text);
}

/* Numbers and short texts of the page. */
static void word(FILE *page, const char *name, const study *s, int still) {
  const study_cost *cost = &s->cost;
  const int top = STUDY_ORDER, last = cost->sizes - 1;
  char text[300] = "";
#define WORD(key, ...) \
  if (!strcmp(name, key)) snprintf(text, sizeof text, __VA_ARGS__)
  WORD("worst", "%.1e", s->round.worst);
  WORD("verdict", "%s", s->round.worst <= STUDY_LIMIT ? "within" : "ABOVE");
  WORD("limit", "%.0e", STUDY_LIMIT);
  WORD("bodies exponent", "%.2f to %.2f", s->least[0], s->most[0]);
  WORD("order exponent", "%.2f to %.2f", s->least[1], s->most[1]);
  WORD("sizes", "%d to %d", cost_at(cost, COST_BODIES, 0, 0, 0, 0)->bodies,
       cost_at(cost, COST_BODIES, 0, 0, 0, last)->bodies);
  WORD("times", "%.1f and %.1f µs", cost_at(cost, COST_PAPER, 0, JN_FORM_BODY, top, 0)->median,
       cost_at(cost, COST_PAPER, 1, JN_FORM_BODY, top, 0)->median);
  WORD("published", "%.1f and %.1f µs", study_paper_us[0][top], study_paper_us[1][top]);
  WORD("steps", "%d steps of %g s", s->round.steps, s->round.dt);
  WORD("processor", "%s", s->processor);
  WORD("note", "%s", still ? s->note : "");
  WORD("command", "jounce demo%s", s->options.quick ? " --quick" : "");
#undef WORD
  report_text(page, text);
}

/* Fills web/study.html. */
static int fill(FILE *page, const char *name, const void *context) {
  const view *v = context;
  for (int i = 0; i < STUDY_TABLES; i++) {
    if (strcmp(name, study_table_names[i]) != 0) continue;
    if (i < TABLES_SHOWN)
      cli_cells_html(page, &v->study->tables[i]);
    else
      download(page, &v->study->tables[i], name);
  }
  for (int i = 0; i < COUNT(pictures); i++) {
    if (!strcmp(name, pictures[i].name)) figure(page, v, i);
  }
  for (int i = 0; i < STUDY_SERIES; i++) {
    if (strcmp(name, study_series_names[i]) != 0) continue;
    fprintf(page, v->still ? "<a href=\"data/%s\" download>%s</a>" : "%s", name, name);
  }
  word(page, name, v->study, v->still);
  return 0;
}

static int write_page(const view *v, const char *path) {
  jn_file file;
  FILE *page =
      report_open(&file, path, "An aerial manipulator and the time derivatives of its dynamics",
                  "A hexarotor with two arms of three joints each: the study of Ali et "
                  "al. 2026, section 7, computed by jounce " JN_VERSION ".");
  if (!page) return CLI_BAD_INPUT;
  report_template(page, report_study_html, fill, v);
  return v->still ? report_close_still(&file) : report_close(&file);
}

int study_write_pages(study *s) {
  view v = {.study = s, .still = 1};
  char path[4096];
  snprintf(path, sizeof path, "%s/index.html", s->options.output);
  int code = make_costs(&v);
  make_series(&v);
  if (!code) draw_figures(s, &v);
  if (!code) code = write_page(&v, path);
  v.still = 0;
  if (!code && s->options.report) code = write_page(&v, s->options.report);
  for (int i = 0; i < COSTS; i++) cli_sheet_free(&v.costs[i]);
  return code;
}
