/* demo_jacobians_report.c: cost against order and joints; tables, files, figures and a page. */
#include "demo_jacobians.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "message.h"
#include "output.h"
#include "page.h"
#include "plot.h"

#define NONE ((double)NAN)

/* as printed; NONE: nothing */
static const double paper_fk[TOP][4] = {{5.18703e-16, 2.28878e-16, NONE, NONE},
                                        {1.75542e-15, 3.88578e-16, 1.08502e-7, NONE},
                                        {NONE, 1.50195e-15, 2.83273e-7, 15.6074},
                                        {NONE, 2.27058e-15, 5.10762e-7, 54.8067},
                                        {NONE, NONE, 8.10141e-7, 150.261}};
static const double paper_id[5][2] = {{5.62864e-16, NONE},
                                      {4.33414e-15, NONE},
                                      {NONE, 1.04706e-6},
                                      {NONE, 1.2258e-6},
                                      {NONE, 2.0509e-6}};
static const double paper_jacobian[TOP][QUANTITIES] = {
    {1.49629, 1.49629, 1.49629, 23.5579, 23.5579},
    {15.6296, 22.2720, 20.1281, 143.064, 99.2641},
    {87.0878, 87.6064, 76.7999, 148.885, 120.504},
    {193.816, 209.061, 163.068, 842.994, 944.174},
    {766.013, 547.351, 887.600, 2277.34, 3241.04}};

static const int sizes[COST_SIZES] = {5, 10, 20, 40, 70, 100, 140, 200};

/* ---- cost */

static jn_status call(mover *m, int route, int N, double *memory, double *J) {
  if (route == 1) return cmtm_twists(m, N, memory, J);
  jn_status status = jn_kinematics(m->model, m->data, N - 1, m->q, m->v);
  int frame = jn_model_body(m->model, m->nb - 1)->frame;
  if (!status && route == 2) status = jn_frame_jacobian(m->model, m->data, frame, JN_BODY, N, J);
  return status;
}

/* The least time of a call over rounds of about a millisecond, in microseconds. */
static int measure(mover *m, int N, int quick, scaling_point *point) {
  double *memory = cli_room((size_t)m->nb + 1, jn_cmtm_size(N), 1);
  double *J = cli_room((size_t)N + 1, 6, (size_t)(m->nv > m->nb ? m->nv : m->nb));
  jn_status status = memory && J ? JN_OK : JN_ERR_MEMORY;
  point->order = N;
  point->joints = m->nv;
  mover_at(m, 0, N);
  for (int route = 0; route < ROUTES && !status; route++) {
    double least = HUGE_VAL, end = demo_seconds() + (quick ? 0.01 : 0.1);
    status = call(m, route, N, memory, J);
    /* at least so many rounds that one of them is undisturbed */
    for (int calls = 1, rounds = 0; (rounds < 12 || demo_seconds() < end) && !status; rounds++) {
      const double start = demo_seconds();
      for (int i = 0; i < calls && !status; i++) status = call(m, route, N, memory, J);
      const double seconds = demo_seconds() - start;
      least = fmin(least, seconds / calls);
      if (seconds < 5e-4) calls *= 2;
    }
    point->us[route] = 1e6 * least;
  }
  free(memory);
  free(J);
  if (status) cli_error("demo: %s", jn_status_text(status));
  return status ? CLI_BAD_INPUT : CLI_DONE;
}

int jacobians_scaling(jacobian_demo *d) {
  mover m;
  int code = mover_chain(100, COST_ORDERS, &m);
  for (int N = 1; N <= COST_ORDERS && !code; N++) {
    demo_progress(0.1 + 0.05 * N, "cost against order");
    code = measure(&m, N, d->options.quick, &d->orders[N - 1]);
  }
  mover_free(&m);
  for (int i = 0; i < COST_SIZES && !code; i++) {
    demo_progress(0.7 + 0.03 * i, "cost against joints");
    code = mover_chain(sizes[i], TOP, &m);
    if (!code) code = measure(&m, TOP, d->options.quick, &d->joints[i]);
    mover_free(&m);
  }
  return code;
}

/* slope of log y against log x, least squares, over n points */
static double exponent(int n, const scaling_point *p, int route, int against_order) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double x = log(against_order ? p[i].order : p[i].joints), y = log(p[i].us[route]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* ---- tables */

static void number(sheet *t, double x) {
  if (isnan(x))
    sheet_cell(t, "/");
  else
    sheet_cell(t, fabs(x) >= 1e-2 ? "%.4g" : "%.2e", x);
}

static void fk_sheet(const jacobian_demo *d, sheet *t) {
  static const char *const head[] = {"order", "RBDyn",   "AD",  "engine",   "spatial",
                                     "dv",    "dv here", "ddv", "ddv here", "4th order"};
  static const char *const names[] = {"velocity", "acceleration", "jerk", "snap", "crackle"};
  sheet_begin(t, "Table I: forward kinematics, largest error of a link's twist", 10);
  sheet_group(t, "paper", 1, 2);
  sheet_group(t, "here", 3, 2);
  sheet_group(t, "differences, step 1e-8", 5, 4);
  sheet_group(t, "1e-3", 9, 1);
  for (int i = 0; i < 10; i++) sheet_cell(t, "%s", head[i]);
  for (int k = 0; k < TOP; k++) {
    const double *f = d->fk[k];
    const double cells[9] = {paper_fk[k][0], paper_fk[k][1],      f[0],
                             f[1],           paper_fk[k][2],      k ? f[2] : NONE,
                             paper_fk[k][3], k > 1 ? f[3] : NONE, k ? f[4] : NONE};
    sheet_cell(t, "%s", names[k]);
    for (int i = 0; i < 9; i++) number(t, cells[i]);
  }
  snprintf(t->note, sizeof t->note,
           "Products of N-CMTMs (27), taken apart by (17), against: the engine's recursion in body "
           "and in "
           "spatial form, which share nothing with it but the joints' poses; and differences of "
           "the orders "
           "below. Human-like robot, %d degrees of freedom, %d parameters, %d bodies.",
           d->human.nv, d->human.nq, d->human.nb);
}

static void id_sheet(const jacobian_demo *d, sheet *t) {
  static const char *const head[] = {"order", "RBDyn", "engine", "dv", "dv here", "4th order"};
  static const char *const names[] = {"0 (momentum)", "0 (torque)", "1", "2", "3"};
  sheet_begin(t, "Table II: inverse dynamics, largest error", 6);
  sheet_group(t, "paper", 1, 1);
  sheet_group(t, "here", 2, 1);
  sheet_group(t, "step 1e-8", 3, 2);
  sheet_group(t, "1e-3", 5, 1);
  for (int i = 0; i < 6; i++) sheet_cell(t, "%s", head[i]);
  for (int k = 0; k < 5; k++) {
    const double *x = d->id[k];
    const double cells[5] = {paper_id[k][0], x[0], paper_id[k][1], k > 1 ? x[1] : NONE,
                             k > 1 ? x[2] : NONE};
    sheet_cell(t, "%s", names[k]);
    for (int i = 0; i < 5; i++) number(t, cells[i]);
  }
  snprintf(t->note, sizeof t->note,
           "CoRNEA (algorithm 1) against the engine's inverse dynamics. Forward dynamics "
           "(algorithm 2) of its "
           "torques gives the accelerations back to %.1e (paper: 6.9e-14), all derivatives to "
           "order 3 to %.1e.",
           d->forward[0], d->forward[1]);
}

static void jacobian_sheet(const jacobian_demo *d, sheet *t) {
  static const char *const head[] = {"order", "J", "K", "N", "B", "Q",       "J",
                                     "K",     "N", "B", "Q", "R", "relative"};
  sheet_begin(t, "Table III: a comprehensive Jacobian times the motion against the quantity, 1e-16",
              13);
  sheet_group(t, "paper", 1, 5);
  sheet_group(t, "here", 6, 6);
  sheet_group(t, "worst", 12, 1);
  for (int i = 0; i < 13; i++) sheet_cell(t, "%s", head[i]);
  for (int k = 0; k < TOP; k++) {
    double worst = 0;
    sheet_cell(t, "%d", k + 1);
    for (int q = 0; q < QUANTITIES; q++) sheet_cell(t, "%.5g", paper_jacobian[k][q]);
    for (int q = 0; q <= QUANTITIES; q++) {
      sheet_cell(t, "%.3g", 1e16 * d->left[k][q]);
      worst = fmax(worst, d->left[k][q] / d->size[k][q]);
    }
    sheet_cell(t, "%.1e", worst);
  }
  snprintf(
      t->note, sizeof t->note,
      "Largest over links and orders, Taylor coefficients, SI: J link motion, K link momentum, N "
      "link "
      "force, B joint momentum, Q joint force, R torque (against the engine; the paper has one "
      "column "
      "for Q and R). The paper's motion and masses are not known: compare the sizes. Relative: "
      "to the largest number of the quantity; limit %.0e.",
      LIMIT);
}

static void scaling_sheet(const jacobian_demo *d, sheet *t) {
  sheet_begin(t, "Cost of forward kinematics, microseconds a call", 9);
  sheet_group(t, "100 joints", 0, 4);
  sheet_group(t, "order 5", 5, 4);
  static const char *const head[] = {"order",  "engine", "N-CMTM", "Jacobian", "",
                                     "joints", "engine", "N-CMTM", "Jacobian"};
  for (int i = 0; i < 9; i++) sheet_cell(t, "%s", head[i]);
  for (int i = 0; i < COST_ORDERS; i++) {
    sheet_cell(t, "%d", d->orders[i].order);
    for (int r = 0; r < ROUTES; r++) sheet_cell(t, "%.1f", d->orders[i].us[r]);
    sheet_cell(t, " ");
    if (i < COST_SIZES) {
      sheet_cell(t, "%d", d->joints[i].joints);
      for (int r = 0; r < ROUTES; r++) sheet_cell(t, "%.1f", d->joints[i].us[r]);
    } else {
      for (int r = 0; r <= ROUTES; r++) sheet_cell(t, " ");
    }
  }
  snprintf(t->note, sizeof t->note,
           "engine: jn_kinematics, poses and twists with derivatives 0..N-1; N-CMTM: products (27) "
           "taken apart "
           "(17); Jacobian: of the tip with derivatives to order N, kinematics included. Exponent "
           "in the joints, "
           "20 to 200: %.2f, %.2f, %.2f; in the order, 4 to 12: %.2f, %.2f, %.2f.",
           exponent(6, d->joints + 2, 0, 0), exponent(6, d->joints + 2, 1, 0),
           exponent(6, d->joints + 2, 2, 0), exponent(9, d->orders + 3, 0, 1),
           exponent(9, d->orders + 3, 1, 1), exponent(9, d->orders + 3, 2, 1));
}

/* ---- files and figures */

static int write_sheet_csv(const jacobian_demo *d, const sheet *t, const char *name) {
  FILE *f = demo_create(d->options.output, name);
  if (!f) return CLI_BAD_INPUT;
  for (int i = 0; i < t->count; i++) {
    const char *cell = t->cells[i];
    fprintf(f, "%s%c", strcmp(cell, "/") == 0 || strcmp(cell, " ") == 0 ? "" : cell,
            (i + 1) % t->columns ? ',' : '\n');
  }
  return demo_close(f, d->options.output, name);
}

static int write_scaling_csv(const jacobian_demo *d) {
  static const char name[] = "data/jacobians_scaling.csv";
  FILE *f = demo_create(d->options.output, name);
  if (!f) return CLI_BAD_INPUT;
  fputs("sweep,order,joints,engine_us,ncmtm_us,jacobian_us\n", f);
  for (int i = 0; i < COST_ORDERS + COST_SIZES; i++) {
    const scaling_point *p = i < COST_ORDERS ? &d->orders[i] : &d->joints[i - COST_ORDERS];
    fprintf(f, "%s,%d,%d", i < COST_ORDERS ? "order" : "joints", p->order, p->joints);
    for (int r = 0; r < ROUTES; r++) fprintf(f, ",%.6g", p->us[r]);
    fputc('\n', f);
  }
  return demo_close(f, d->options.output, name);
}

static int draw(jacobian_demo *d, const char *figure, const char *sweep, int column,
                const char *axis) {
  char script[64];
  snprintf(script, sizeof script, "data/%s.gnuplot", figure);
  FILE *f = demo_create(d->options.output, script);
  if (!f) return CLI_BAD_INPUT;
  const int joints = column == 3;
  const scaling_point *p = joints ? &d->joints[COST_SIZES - 1] : &d->orders[COST_ORDERS - 1];
  plot_begin(f, figure, 640, 420);
  fprintf(f,
          "set key top left Left reverse\nset xlabel '%s'\nset ylabel 'time a call [µs]'\n"
          "set yrange [0:%g]\nset xrange [0:%g]\nset xtics %d\nplot \\\n",
          axis, 1.1 * p->us[1], joints ? 205.0 : 12.4, joints ? 20 : 1);
  static const char *const titles[ROUTES] = {"engine: forward kinematics",
                                             "N-CMTM, equations (27) and (17)",
                                             "engine and Jacobian of the tip, all orders"};
  for (int r = ROUTES - 1; r >= 0; r--) {
    const int route = r == 2 ? 1 : r == 1 ? 2 : 0;
    fprintf(
        f,
        "  'data/jacobians_scaling.csv' using (strcol(1) eq '%s' ? $%d : NaN):%d with linespoints "
        "linewidth 1.7 pointtype %d pointsize 0.7 linecolor rgb c%d title \"%s\"%s\n",
        sweep, column, 4 + route, 7 - 2 * (route == 1), route + 1, titles[route], r ? ", \\" : "");
  }
  int code = demo_close(f, d->options.output, script);
  if (!code && !plot_run(d->options.output, script, d->reason, sizeof d->reason)) d->drawn = 0;
  return code;
}

static int write_page(const jacobian_demo *d, const sheet *sheets, int count) {
  static const char name[] = "jacobians.html";
  static const char *const figures[] = {"jacobians_order", "jacobians_joints"};
  FILE *f = demo_create(d->options.output, name);
  if (!f) return CLI_BAD_INPUT;
  page_begin(f, "Jacobians of any order");
  fputs(
      "<h1>Jacobians of any order</h1>\n<p>Section VII of Samy, Ayusawa and Yoshida 2021 "
      "(generalized "
      "comprehensive motion theory) with this library: the paper's figures beside those measured "
      "here.</p>\n",
      f);
  for (int i = 0; i < count; i++) sheet_html(f, &sheets[i]);
  for (int i = 0; i < 2 && d->drawn; i++) {
    char path[8192];
    snprintf(path, sizeof path, "%s/figures/%s.svg", d->options.output, figures[i]);
    fputs("<figure>\n", f);
    page_svg(f, path);
    fprintf(f,
            "<figcaption>Forward kinematics against %s (figure 6%c of the "
            "paper).</figcaption>\n</figure>\n",
            i ? "the number of joints, N = 5" : "the order N, 100 joints", i ? 'b' : 'a');
  }
  page_end(f);
  return demo_close(f, d->options.output, name);
}

static int write_json(const jacobian_demo *d) {
  cli_output out;
  const cli_output_options options = {CLI_JSON, NULL};
  int code = cli_output_open(&out, &options, "demo", 0);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_json_key(&out, "dofs");
  cli_json_int(&out, d->human.nv);
  cli_json_key(&out, "worst");
  cli_json_number(&out, d->worst);
  cli_json_key(&out, "kinematics");
  cli_json_rows(&out, TOP, 5, d->fk[0], 5);
  cli_json_key(&out, "dynamics");
  cli_json_rows(&out, 5, 3, d->id[0], 3);
  cli_json_key(&out, "left");
  cli_json_rows(&out, TOP, QUANTITIES + 1, d->left[0], QUANTITIES + 1);
  cli_json_key(&out, "size");
  cli_json_rows(&out, TOP, QUANTITIES + 1, d->size[0], QUANTITIES + 1);
  cli_json_end(&out);
  return cli_output_close(&out);
}

int jacobians_report(jacobian_demo *d) {
  enum { SHEETS = 4 };
  static const char *const files[] = {"data/jacobians_table1.csv", "data/jacobians_table2.csv",
                                      "data/jacobians_table3.csv"};
  sheet sheets[SHEETS];
  fk_sheet(d, &sheets[0]);
  id_sheet(d, &sheets[1]);
  jacobian_sheet(d, &sheets[2]);
  scaling_sheet(d, &sheets[3]);
  int code = CLI_DONE;
  for (int i = 0; i < SHEETS && !code; i++) {
    if (sheets[i].failed) code = CLI_BAD_INPUT, cli_error("%s", jn_status_text(JN_ERR_MEMORY));
  }
  for (int i = 0; i < COUNT(files) && !code; i++) code = write_sheet_csv(d, &sheets[i], files[i]);
  if (!code) code = write_scaling_csv(d);
  d->drawn = !d->options.no_plots && plot_available();
  if (!code && d->drawn) code = draw(d, "jacobians_order", "order", 2, "order N, 100 joints");
  if (!code && d->drawn) code = draw(d, "jacobians_joints", "joints", 3, "joints, order N = 5");
  if (!code) code = write_page(d, sheets, SHEETS);
  if (!code && d->options.format == CLI_JSON) code = write_json(d);
  for (int i = 0; i < SHEETS && !code && d->options.format != CLI_JSON; i++) {
    sheet_text(stdout, &sheets[i]);
    putchar('\n');
  }
  if (!code && d->options.format != CLI_JSON) {
    printf("worst residual of a Jacobian, relative: %.1e (limit %.0e)\n", d->worst, LIMIT);
    if (d->drawn)
      printf("figures: %s/figures/jacobians_order.svg, jacobians_joints.svg\n", d->options.output);
    else
      printf("no figures%s%s\n", d->reason[0] ? ": " : "", d->reason);
    printf("page: %s/jacobians.html\n", d->options.output);
    if (fflush(stdout) || ferror(stdout))
      code = CLI_BAD_INPUT, cli_error("standard output: writing failed");
  }
  for (int i = 0; i < SHEETS; i++) sheet_free(&sheets[i]);
  return code;
}
