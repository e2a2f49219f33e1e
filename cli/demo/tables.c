/* tables.c: the study's numbers as tables, text and JSON. */
#include "demo/demo.h"

#include <math.h>

#include "output/message.h"

const char *const study_table_names[STUDY_TABLES] = {"round trip", "paper",         "bodies",
                                                     "orders",     "baseline",      "roundtrip.csv",
                                                     "cost.csv",   "exponents.csv", "baseline.csv"};

static void round_tables(study *s) {
  cli_cells *t = &s->tables[TABLE_ROUND], *csv = &s->tables[CSV_ROUND];
  cli_cells_begin(t, "Round trip: motion -> inverse dynamics -> forward dynamics -> motion",
                  "order~r largest difference relative largest residual relative motion force");
  cli_cells_group(t, "motion v^(r+1)", 1, 3);
  cli_cells_group(t, "force tau^(r)", 4, 3);
  cli_cells_group(t, "spatial", 7, 2);
  cli_cells_begin(csv, NULL, "formulation order motion difference force residual");
  for (int r = 0; r < STUDY_ROWS; r++) {
    const study_error *b = &s->round.error[JN_FORM_BODY][r];
    const study_error *f = &s->round.error[JN_FORM_SPATIAL][r];
    cli_cells_add(t, "%d %.3e %.1e %.1e %.3e %.1e %.1e %.1e %.1e", r, b->motion, b->difference,
                  b->difference / b->motion, b->force, b->residual, b->residual / b->force,
                  f->difference / f->motion, f->residual / f->force);
  }
  for (int i = 0; i < 2 * STUDY_ROWS; i++) {
    const study_error *e = &s->round.error[i / STUDY_ROWS][i % STUDY_ROWS];
    cli_cells_add(csv, "%s %d %.17g %.17g %.17g %.17g", cost_formulation_names[i / STUDY_ROWS],
                  i % STUDY_ROWS, e->motion, e->difference, e->force, e->residual);
  }
  t->note =
      "Maxima over time and degrees of freedom, SI units. relative: divided by the maximum of "
      "that\n"
      "  order. residual: inverse dynamics of the output of forward dynamics, minus its input.";
}

/* Columns of inverse and of forward dynamics, side by side. */
static void algorithm_groups(cli_cells *t, int columns) {
  cli_cells_group(t, "inverse dynamics", 1, columns);
  cli_cells_group(t, "forward dynamics", 1 + columns, columns);
}

static void paper_table(const study *s, cli_cells *t) {
  cli_cells_begin(t, "Time per call, 7 bodies, microseconds",
                  "order~r paper body median spatial ratio paper body median spatial ratio");
  algorithm_groups(t, 5);
  for (int r = 0; r < STUDY_ROWS; r++) {
    cli_cells_add(t, "%d", r);
    for (int a = 0; a < 2; a++) {
      const cost_point *body = cost_at(&s->cost, COST_PAPER, a, JN_FORM_BODY, r, 0);
      const cost_point *spatial = cost_at(&s->cost, COST_PAPER, a, JN_FORM_SPATIAL, r, 0);
      const double paper = study_paper_us[a][r];
      cli_cells_add(t, "%.2f %.2f %.2f %.2f %.1f", paper, body->minimum, body->median,
                    spatial->minimum, paper / body->median);
    }
  }
  t->note =
      "paper: published mean on an Intel Core i7-12700H (up to 4.7 GHz). body, spatial: minimum "
      "on\n"
      "  this machine. median: of the body formulation. ratio: paper/median.";
}

static void bodies_table(const study *s, cli_cells *t) {
  const study_cost *cost = &s->cost;
  cli_cells_begin(t, "Time per call against the number of bodies, body formulation, microseconds",
                  "bodies r~=~0 r~=~1 r~=~2 r~=~3 r~=~4 r~=~5 r~=~0 r~=~1 r~=~2 r~=~3 r~=~4 r~=~5");
  algorithm_groups(t, 6);
  for (int n = 0; n < cost->sizes; n++) {
    cli_cells_add(t, "%d", cost_at(cost, COST_BODIES, 0, 0, 0, n)->bodies);
    for (int i = 0; i < 12; i++) {
      double x = cost_at(cost, COST_BODIES, i / 6, JN_FORM_BODY, i % 6, n)->minimum;
      cli_cells_add(t, "%.*f", x < 10 ? 2 : x < 1000, x);
    }
  }
  for (int f = 0; f < 2; f++) {
    cli_cells_add(t, f ? "(spatial)" : "exponent");
    for (int i = 0; i < 12; i++) cli_cells_add(t, "%.2f", cost->bodies_exponent[i / 6][f][i % 6]);
  }
  t->note =
      "exponent: least-squares slope of log time on log bodies over all sizes, for the body and\n"
      "  the spatial formulation. The paper states linear cost.";
}

static void orders_table(const study *s, cli_cells *t) {
  const double *plus_1 = s->cost.order_exponent[0], *plain = s->cost.order_exponent_r[0];
  cli_cells_begin(t, "Time per call against the order, 101 bodies, microseconds",
                  "order~r body spatial body spatial");
  algorithm_groups(t, 2);
  for (int r = 0; r <= COST_TOP_ORDER; r++) {
    cli_cells_add(t, "%d", r);
    for (int i = 0; i < 4; i++)
      cli_cells_add(t, "%.1f", cost_at(&s->cost, COST_ORDERS, i / 2, i % 2, r, 0)->minimum);
  }
  cli_cells_add(t, "exponent~of~r+1 %.2f %.2f %.2f %.2f", plus_1[0], plus_1[1], plus_1[2],
                plus_1[3]);
  cli_cells_add(t, "exponent~of~r %.2f %.2f %.2f %.2f", plain[0], plain[1], plain[2], plain[3]);
  t->note =
      "exponent: least-squares slope of log time on log(r+1) and on log r, r = 2..10.\n"
      "  The paper states quadratic cost.";
}

static void baseline_tables(study *s, cli_cells *t, cli_cells *csv) {
  const study_baseline *b = &s->baseline;
  cli_cells_begin(t, "Automatic differentiation of order 0, 101 bodies, microseconds (figure 4(c))",
                  "order~r jounce Taylor duals jounce Taylor duals");
  algorithm_groups(t, BASELINE_COLUMNS);
  cli_cells_begin(csv, NULL, "order algorithm numbers minimum_us");
  for (int r = 0; r < b->rows; r++) {
    cli_cells_add(t, "%d", r);
    for (int i = 0; i < 2 * BASELINE_COLUMNS; i++) {
      const int a = i / BASELINE_COLUMNS, c = i % BASELINE_COLUMNS;
      const double us = b->us[a][c][r];
      cli_cells_add(t, "%.*f", us < 1000 ? 1 : 0, us);
      cli_cells_add(csv, "%d %s %s %.17g", r, cost_algorithm_names[a],
                    c == 0   ? "jounce"
                    : c == 1 ? "taylor"
                             : "duals",
                    us);
    }
  }
  cli_cells_add(t, "growth");
  for (int i = 0; i < 2 * BASELINE_COLUMNS; i++)
    cli_cells_add(t, "%.2f", b->growth[i / BASELINE_COLUMNS][i % BASELINE_COLUMNS]);
  t->note =
      "growth: factor per order, mean of the last three. The paper: exponential for CasADi (it\n"
      "  prints no numbers), (r+1)^2 for its algorithms. A product takes (r+1)(r+2)/2\n"
      "  multiplications of Taylor numbers, 3^r of nested duals.";
}

static void cost_csv(const study *s, cli_cells *t) {
  static const char *const sweeps[] = {"paper", "order", "bodies"};
  cli_cells_begin(t, NULL, "sweep bodies order algorithm formulation minimum_us median_us rounds");
  for (int i = 0; i < s->cost.count; i++) {
    const cost_point *p = &s->cost.points[i];
    cli_cells_add(t, "%s %d %d %s %s %.17g %.17g %d", sweeps[p->sweep], p->bodies, p->order,
                  cost_algorithm_names[p->algorithm], cost_formulation_names[p->formulation],
                  p->minimum, p->median, p->rounds);
  }
}

static void widen(study *s, int of, double x) {
  if (x < s->least[of]) s->least[of] = x;
  if (x > s->most[of]) s->most[of] = x;
}

static void exponents_csv(study *s, cli_cells *t) {
  const study_cost *cost = &s->cost;
  cli_cells_begin(t, NULL, "of algorithm formulation order exponent");
  for (int k = 0; k < 2; k++) s->least[k] = HUGE_VAL, s->most[k] = -HUGE_VAL;
  for (int i = 0; i < 4; i++) {
    const int a = i / 2, f = i % 2;
    const char *algorithm = cost_algorithm_names[a], *form = cost_formulation_names[f];
    for (int r = 0; r < STUDY_ROWS; r++) {
      const double x = cost->bodies_exponent[a][f][r];
      cli_cells_add(t, "bodies %s %s %d %.17g", algorithm, form, r, x);
      widen(s, 0, x);
    }
    cli_cells_add(t, "order+1 %s %s 2-%d %.17g", algorithm, form, COST_TOP_ORDER,
                  cost->order_exponent[a][f]);
    cli_cells_add(t, "order %s %s 2-%d %.17g", algorithm, form, COST_TOP_ORDER,
                  cost->order_exponent_r[a][f]);
    widen(s, 1, cost->order_exponent[a][f]);
  }
}

int study_tables(study *s) {
  round_tables(s);
  paper_table(s, &s->tables[TABLE_PAPER]);
  bodies_table(s, &s->tables[TABLE_BODIES]);
  orders_table(s, &s->tables[TABLE_ORDERS]);
  baseline_tables(s, &s->tables[TABLE_BASELINE], &s->tables[CSV_BASELINE]);
  cost_csv(s, &s->tables[CSV_COST]);
  exponents_csv(s, &s->tables[CSV_EXPONENTS]);
  for (int i = 0; i < STUDY_TABLES; i++) {
    if (!s->tables[i].failed) continue;
    return cli_bad_input("%s", jn_status_text(JN_ERR_MEMORY));
  }
  return CLI_DONE;
}

void study_write_text(FILE *file, const study *s) {
  const char *folder = s->options.output;
  fputs("An aerial manipulator and the time derivatives of its dynamics\n", file);
  fputs("(the study of Ali et al. 2026, section 7, on the built-in robot 'tilthex')\n\n", file);
  fprintf(file, "  motion     %g s in %d steps of %g s; 7 bodies, 12 degrees of freedom\n",
          STUDY_SECONDS, s->round.steps, s->round.dt);
  fprintf(file, "  processor  %s, one core\n", s->processor);
  fprintf(file, "  residual   relative force residual %.1e, limit %.0e: %s\n", s->round.worst,
          STUDY_LIMIT, s->round.worst <= STUDY_LIMIT ? "passed" : "FAILED");
  fprintf(file,
          "  agreement  forces of the body and spatial formulations differ by %.1e, relative\n",
          s->round.agreement);
  fprintf(file, "  scaling    time ~ bodies^%.2f to bodies^%.2f; ", s->least[0], s->most[0]);
  fprintf(file, "~ (r+1)^%.2f to (r+1)^%.2f at 101 bodies\n", s->least[1], s->most[1]);
  fprintf(file, "  baselines  automatic differentiation differs by %.1e in forces, relative\n\n",
          fmax(s->baseline.apart[0], s->baseline.apart[1]));
  for (int i = 0; i < TABLES_SHOWN; i++) {
    cli_cells_text(file, &s->tables[i]);
    fputc('\n', file);
  }
  fprintf(file, "page: %s/index.html   data: %s/data/*.csv", folder, folder);
  if (s->figures) fprintf(file, "   figures: %s/figures/*.svg, *.png", folder);
  fprintf(file, "\n%s%s", s->note, s->note[0] ? "\n" : "");
}

void study_write_json(cli_output *out, const study *s) {
  const cli_field fields[] = {
      TEXT_FIELD("demo", "study"),
      TEXT_FIELD("robot", "tilthex"),
      TEXT_FIELD("processor", s->processor),
      TEXT_FIELD("output", s->options.output),
      BOOL_FIELD("figures", s->figures),
      NUMBER_FIELD("steps", s->round.steps),
      NUMBER_FIELD("dt", s->round.dt),
      NUMBER_FIELD("worst_residual", s->round.worst),
      NUMBER_FIELD("limit", STUDY_LIMIT),
      BOOL_FIELD("passed", s->round.worst <= STUDY_LIMIT),
      NUMBER_FIELD("formulations_apart", s->round.agreement),
      NUMBER_FIELD("baselines_apart", fmax(s->baseline.apart[0], s->baseline.apart[1]))};
  cli_json_begin(out, '{');
  cli_json_fields(out, fields, COUNT(fields));
  cli_cells_json(out, "round_trip", &s->tables[CSV_ROUND]);
  cli_cells_json(out, "cost", &s->tables[CSV_COST]);
  cli_cells_json(out, "exponents", &s->tables[CSV_EXPONENTS]);
  cli_cells_json(out, "baseline", &s->tables[CSV_BASELINE]);
  cli_json_end(out);
}
