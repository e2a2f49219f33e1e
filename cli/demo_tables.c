/* demo_tables.c: the study's numbers as tables, text and JSON. */
#include "demo.h"

#include "message.h"
#include "output.h"

static void round_sheet(const study *s, sheet *t) {
  sheet_begin(t, "Round trip: motion -> inverse dynamics -> forward dynamics -> motion", 9);
  sheet_group(t, "motion v^(r+1)", 1, 3);
  sheet_group(t, "force tau^(r)", 4, 3);
  sheet_group(t, "spatial form", 7, 2);
  static const char *const head[] = {"order r",  "largest",  "difference", "relative", "largest",
                                     "residual", "relative", "motion",     "force"};
  for (int i = 0; i < 9; i++) sheet_cell(t, "%s", head[i]);
  for (int r = 0; r < STUDY_ROWS; r++) {
    const study_error *b = &s->round.error[JN_FORM_BODY][r];
    const study_error *f = &s->round.error[JN_FORM_SPATIAL][r];
    sheet_cell(t, "%d", r);
    sheet_cell(t, "%.3e", b->motion);
    sheet_cell(t, "%.1e", b->difference);
    sheet_cell(t, "%.1e", b->difference / b->motion);
    sheet_cell(t, "%.3e", b->force);
    sheet_cell(t, "%.1e", b->residual);
    sheet_cell(t, "%.1e", b->residual / b->force);
    sheet_cell(t, "%.1e", f->difference / f->motion);
    sheet_cell(t, "%.1e", f->residual / f->force);
  }
  snprintf(t->note, sizeof t->note,
           "Largest over time and degrees of freedom, SI; relative to the largest of the order. "
           "Residual: inverse dynamics of what forward dynamics answered, against the force it "
           "was given.");
}

static void paper_sheet(const study *s, sheet *t) {
  sheet_begin(t, "Cost of a call, 7 bodies, microseconds", 11);
  for (int a = 0; a < 2; a++) {
    sheet_group(t, a ? "forward dynamics" : "inverse dynamics", 1 + 5 * a, 5);
  }
  sheet_cell(t, "order r");
  for (int a = 0; a < 2; a++) {
    static const char *const head[] = {"paper", "body", "median", "spatial", "ratio"};
    for (int i = 0; i < 5; i++) sheet_cell(t, "%s", head[i]);
  }
  for (int r = 0; r < STUDY_ROWS; r++) {
    sheet_cell(t, "%d", r);
    for (int a = 0; a < 2; a++) {
      const cost_point *body = &s->cost.paper[a][JN_FORM_BODY][r];
      sheet_cell(t, "%.2f", study_paper_us[a][r]);
      sheet_cell(t, "%.2f", body->minimum);
      sheet_cell(t, "%.2f", body->median);
      sheet_cell(t, "%.2f", s->cost.paper[a][JN_FORM_SPATIAL][r].minimum);
      sheet_cell(t, "%.1f", study_paper_us[a][r] / body->median);
    }
  }
  snprintf(t->note, sizeof t->note,
           "paper: published mean on an Intel Core i7-12700H (to 4.7 GHz); body, spatial: jounce "
           "here, least of many rounds; median: of the body form's rounds; ratio: "
           "paper/median.");
}

static void bodies_sheet(const study *s, sheet *t) {
  const study_cost *cost = &s->cost;
  sheet_begin(t, "Cost of a call against the number of bodies, body form, microseconds", 13);
  for (int a = 0; a < 2; a++) {
    sheet_group(t, a ? "forward dynamics" : "inverse dynamics", 1 + 6 * a, 6);
  }
  sheet_cell(t, "bodies");
  for (int i = 0; i < 12; i++) sheet_cell(t, "r = %d", i % 6);
  for (int n = 0; n < cost->sizes; n++) {
    sheet_cell(t, "%d", cost->bodies[0][0][0][n].bodies);
    for (int i = 0; i < 12; i++) {
      double x = cost->bodies[i / 6][JN_FORM_BODY][i % 6][n].minimum;
      sheet_cell(t, x < 10 ? "%.2f" : x < 1000 ? "%.1f" : "%.0f", x);
    }
  }
  for (int f = 0; f < 2; f++) {
    sheet_cell(t, f ? "(spatial)" : "exponent");
    for (int i = 0; i < 12; i++) sheet_cell(t, "%.2f", cost->bodies_exponent[i / 6][f][i % 6]);
  }
  snprintf(t->note, sizeof t->note,
           "Least-squares slope of log time on log bodies over all sizes, for the body and the "
           "spatial form. The paper: linear.");
}

static void orders_sheet(const study *s, sheet *t) {
  const study_cost *cost = &s->cost;
  sheet_begin(t, "Cost of a call against the order, 101 bodies, microseconds", 5);
  sheet_group(t, "inverse dynamics", 1, 2);
  sheet_group(t, "forward dynamics", 3, 2);
  sheet_cell(t, "order r");
  for (int i = 0; i < 4; i++) sheet_cell(t, "%s", cost_formulation_names[i % 2]);
  for (int r = 0; r <= COST_TOP_ORDER; r++) {
    sheet_cell(t, "%d", r);
    for (int i = 0; i < 4; i++) sheet_cell(t, "%.1f", cost->orders[i / 2][i % 2][r].minimum);
  }
  sheet_cell(t, "exponent of r+1");
  for (int i = 0; i < 4; i++) sheet_cell(t, "%.2f", cost->order_exponent[i / 2][i % 2]);
  sheet_cell(t, "exponent of r");
  for (int i = 0; i < 4; i++) sheet_cell(t, "%.2f", cost->order_exponent_r[i / 2][i % 2]);
  snprintf(t->note, sizeof t->note,
           "Least-squares slope of log time on log(r+1) and on log r, r = 2..10. The paper: "
           "quadratic.");
}

int study_sheets(const study *s, sheet sheets[STUDY_SHEETS]) {
  round_sheet(s, &sheets[STUDY_ROUND_SHEET]);
  paper_sheet(s, &sheets[STUDY_PAPER_SHEET]);
  bodies_sheet(s, &sheets[STUDY_BODIES_SHEET]);
  orders_sheet(s, &sheets[STUDY_ORDERS_SHEET]);
  for (int i = 0; i < STUDY_SHEETS; i++) {
    if (!sheets[i].failed) continue;
    cli_error("%s", jn_status_text(JN_ERR_MEMORY));
    return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

static void widen(double x, double *least, double *most) {
  if (x < *least) *least = x;
  if (x > *most) *most = x;
}

void study_bodies_range(const study_cost *cost, double *least, double *most) {
  *least = *most = cost->bodies_exponent[0][0][0];
  for (int i = 0; i < 4; i++) {
    for (int r = 0; r < STUDY_ROWS; r++) {
      widen(cost->bodies_exponent[i / 2][i % 2][r], least, most);
    }
  }
}

void study_orders_range(const study_cost *cost, double *least, double *most) {
  *least = *most = cost->order_exponent[0][0];
  for (int i = 0; i < 4; i++) widen(cost->order_exponent[i / 2][i % 2], least, most);
}

void study_write_text(FILE *file, const study *s, const sheet *sheets) {
  double least, most;
  fputs("An aerial manipulator and the time derivatives of its dynamics\n", file);
  fputs("(the study of Ali et al. 2026, section 7, on the built-in robot 'tilthex')\n\n", file);
  fprintf(file, "  motion     %g s in %d steps of %g s; 7 bodies, 12 degrees of freedom\n",
          STUDY_SECONDS, s->round.steps, s->round.dt);
  fprintf(file, "  processor  %s, one core\n", s->processor);
  fprintf(file, "  residual   in force %.1e of the largest, limit %.0e: %s\n", s->round.worst,
          STUDY_LIMIT, s->round.worst <= STUDY_LIMIT ? "passed" : "FAILED");
  fprintf(file, "  two forms  body and spatial agree on the forces to %.1e of the largest\n",
          s->round.agreement);
  study_bodies_range(&s->cost, &least, &most);
  fprintf(file, "  scaling    time ~ bodies^%.2f to bodies^%.2f", least, most);
  study_orders_range(&s->cost, &least, &most);
  fprintf(file, "; ~ (r+1)^%.2f to (r+1)^%.2f at 101 bodies\n\n", least, most);
  for (int i = 0; i < STUDY_SHEETS; i++) {
    sheet_text(file, &sheets[i]);
    fputc('\n', file);
  }
  fprintf(file, "page: %s/index.html   data: %s/data/*.csv", s->options.output, s->options.output);
  if (s->figures) fprintf(file, "   figures: %s/figures/*.svg, *.png", s->options.output);
  fputc('\n', file);
  if (!s->figures) fprintf(file, "%s\n", s->figures_note);
}

static void json_round(cli_output *out, const study_round *round) {
  cli_json_key(out, "round_trip");
  cli_json_begin(out, '{');
  cli_json_key(out, "steps");
  cli_json_int(out, round->steps);
  cli_json_key(out, "dt");
  cli_json_number(out, round->dt);
  cli_json_key(out, "worst_residual");
  cli_json_number(out, round->worst);
  cli_json_key(out, "limit");
  cli_json_number(out, STUDY_LIMIT);
  cli_json_key(out, "passed");
  cli_json_bool(out, round->worst <= STUDY_LIMIT);
  cli_json_key(out, "formulations_apart");
  cli_json_number(out, round->agreement);
  for (int f = 0; f < 2; f++) {
    const double *x = &round->error[f][0].motion;
    const size_t stride = sizeof(study_error) / sizeof(double);
    static const char *const keys[] = {"motion", "difference", "force", "residual"};
    cli_json_key(out, cost_formulation_names[f]);
    cli_json_begin(out, '{');
    for (int i = 0; i < 4; i++) {
      cli_json_key(out, keys[i]);
      cli_json_row(out, STUDY_ROWS, x + i, stride);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

/* {"inverse": {"body": [...], "spatial": [...]}, "forward": ...}: a row of `n` numbers, or `rows`
 * of them, for each; the next starts `next` numbers on. */
static void json_quartet(cli_output *out, const char *key, int rows, int n, const double *x,
                         size_t stride, size_t next) {
  cli_json_key(out, key);
  cli_json_begin(out, '{');
  for (int a = 0; a < 2; a++) {
    cli_json_key(out, cost_algorithm_names[a]);
    cli_json_begin(out, '{');
    for (int f = 0; f < 2; f++, x += next) {
      cli_json_key(out, cost_formulation_names[f]);
      if (rows > 1) cli_json_begin(out, '[');
      for (int r = 0; r < rows; r++) {
        cli_json_row(out, n, x + (size_t)r * COST_BODIES * stride, stride);
      }
      if (rows > 1) cli_json_end(out);
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_cost(cli_output *out, const study_cost *cost) {
  const size_t stride = sizeof(cost_point) / sizeof(double);
  double sizes[COST_BODIES];
  for (int n = 0; n < cost->sizes; n++) sizes[n] = cost->bodies[0][0][0][n].bodies;
  cli_json_key(out, "cost");
  cli_json_begin(out, '{');
  cli_json_key(out, "unit");
  cli_json_text(out, "microseconds a call, least of many rounds");
  cli_json_key(out, "published_7_bodies");
  cli_json_begin(out, '{');
  for (int a = 0; a < 2; a++) {
    cli_json_key(out, cost_algorithm_names[a]);
    cli_json_row(out, STUDY_ROWS, study_paper_us[a], 1);
  }
  cli_json_end(out);
  json_quartet(out, "by_order_7_bodies", 1, STUDY_ROWS, &cost->paper[0][0][0].minimum, stride,
               stride * STUDY_ROWS);
  json_quartet(out, "by_order_101_bodies", 1, COST_TOP_ORDER + 1, &cost->orders[0][0][0].minimum,
               stride, stride * (COST_TOP_ORDER + 1));
  cli_json_key(out, "bodies");
  cli_json_row(out, cost->sizes, sizes, 1);
  json_quartet(out, "by_order_and_bodies", STUDY_ROWS, cost->sizes,
               &cost->bodies[0][0][0][0].minimum, stride, stride * STUDY_ROWS * COST_BODIES);
  json_quartet(out, "exponent_of_bodies_by_order", 1, STUDY_ROWS, cost->bodies_exponent[0][0], 1,
               STUDY_ROWS);
  json_quartet(out, "exponent_of_order_plus_1", 1, 1, cost->order_exponent[0], 1, 1);
  json_quartet(out, "exponent_of_order", 1, 1, cost->order_exponent_r[0], 1, 1);
  cli_json_end(out);
}

int study_write_json(const study *s) {
  const cli_output_options options = {CLI_JSON, NULL};
  cli_output out;
  int code = cli_output_open(&out, &options, "demo", 0);
  if (code) return code;
  cli_json_begin(&out, '{');
  cli_json_key(&out, "demo");
  cli_json_text(&out, "study");
  cli_json_key(&out, "robot");
  cli_json_text(&out, "tilthex");
  cli_json_key(&out, "processor");
  cli_json_text(&out, s->processor);
  json_round(&out, &s->round);
  json_cost(&out, &s->cost);
  cli_json_key(&out, "output");
  cli_json_text(&out, s->options.output);
  cli_json_key(&out, "figures");
  cli_json_bool(&out, s->figures);
  cli_json_end(&out);
  return cli_output_close(&out);
}
