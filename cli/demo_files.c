/* demo_files.c: the study's numbers as CSV, 17 significant digits. A column name ends with the
 * order of the time derivative. */
#include "demo.h"

#include "message.h"
#include "output.h"

static void heading(FILE *file, const char *const *names, int count, int first, int last) {
  fputc('t', file);
  for (int k = first; k <= last; k++) {
    for (int i = 0; i < count; i++) fprintf(file, ",%s_%d", names[i], k);
  }
  fputc('\n', file);
}

static void row(cli_output *out, double t, int n, const double *x) {
  cli_write_number(out, t);
  for (int i = 0; i < n; i++) {
    fputc(',', out->file);
    cli_write_number(out, x[i]);
  }
  fputc('\n', out->file);
}

/* One of the three tables over time. */
typedef enum series { SERIES_MOTION, SERIES_FORCES, SERIES_FORWARD } series;

static int write_series(const study *s, series which, const char *name) {
  cli_output out = {.format = CLI_CSV, .file = demo_create(s->options.output, name)};
  if (!out.file) return CLI_BAD_INPUT;
  if (which == SERIES_FORCES) {
    heading(out.file, study_force_names, STUDY_NV, 0, STUDY_ORDER);
  } else {
    heading(out.file, study_curve_names, STUDY_CURVES, which == SERIES_MOTION ? 0 : 2,
            STUDY_DERIVATIVES);
  }
  for (int n = 0; n < s->round.steps; n++) {
    const study_sample *x = &s->round.samples[n];
    if (which == SERIES_MOTION) {
      row(&out, x->t, (STUDY_DERIVATIVES + 1) * STUDY_CURVES, x->motion.curves[0]);
    } else if (which == SERIES_FORCES) {
      row(&out, x->t, STUDY_ROWS * STUDY_NV, x->forces[0]);
    } else {
      row(&out, x->t, STUDY_ROWS * STUDY_CURVES, x->forward[0]);
    }
  }
  return demo_close(out.file, s->options.output, name);
}

static int write_round(const study *s, const char *name) {
  cli_output out = {.format = CLI_CSV, .file = demo_create(s->options.output, name)};
  if (!out.file) return CLI_BAD_INPUT;
  fputs("formulation,order,motion,difference,force,residual\n", out.file);
  for (int f = 0; f < 2; f++) {
    for (int r = 0; r < STUDY_ROWS; r++) {
      const study_error *e = &s->round.error[f][r];
      fprintf(out.file, "%s,", cost_formulation_names[f]);
      const double x[] = {e->motion, e->difference, e->force, e->residual};
      row(&out, r, 4, x);
    }
  }
  return demo_close(out.file, s->options.output, name);
}

static void write_point(cli_output *out, const char *sweep, const cost_point *p) {
  fprintf(out->file, "%s,%d,%d,%s,%s,", sweep, p->bodies, p->order,
          cost_algorithm_names[p->algorithm], cost_formulation_names[p->formulation]);
  cli_write_number(out, p->minimum);
  fputc(',', out->file);
  cli_write_number(out, p->median);
  fprintf(out->file, ",%d\n", p->rounds);
}

static int write_cost(const study *s, const char *name) {
  const study_cost *cost = &s->cost;
  cli_output out = {.format = CLI_CSV, .file = demo_create(s->options.output, name)};
  if (!out.file) return CLI_BAD_INPUT;
  fputs("sweep,bodies,order,algorithm,formulation,minimum_us,median_us,rounds\n", out.file);
  for (int i = 0; i < 4; i++) {
    int a = i / 2, f = i % 2;
    for (int r = 0; r < STUDY_ROWS; r++) write_point(&out, "paper", &cost->paper[a][f][r]);
    for (int r = 0; r <= COST_TOP_ORDER; r++) write_point(&out, "order", &cost->orders[a][f][r]);
    for (int r = 0; r < STUDY_ROWS; r++) {
      for (int n = 0; n < cost->sizes; n++) write_point(&out, "bodies", &cost->bodies[a][f][r][n]);
    }
  }
  return demo_close(out.file, s->options.output, name);
}

static int write_exponents(const study *s, const char *name) {
  const study_cost *cost = &s->cost;
  cli_output out = {.format = CLI_CSV, .file = demo_create(s->options.output, name)};
  if (!out.file) return CLI_BAD_INPUT;
  fputs("of,algorithm,formulation,order,exponent\n", out.file);
  for (int i = 0; i < 4; i++) {
    int a = i / 2, f = i % 2;
    const char *algorithm = cost_algorithm_names[a], *formulation = cost_formulation_names[f];
    for (int r = 0; r < STUDY_ROWS; r++) {
      fprintf(out.file, "bodies,%s,%s,%d,", algorithm, formulation, r);
      cli_write_number(&out, cost->bodies_exponent[a][f][r]);
      fputc('\n', out.file);
    }
    fprintf(out.file, "order+1,%s,%s,2-%d,", algorithm, formulation, COST_TOP_ORDER);
    cli_write_number(&out, cost->order_exponent[a][f]);
    fprintf(out.file, "\norder,%s,%s,2-%d,", algorithm, formulation, COST_TOP_ORDER);
    cli_write_number(&out, cost->order_exponent_r[a][f]);
    fputc('\n', out.file);
  }
  return demo_close(out.file, s->options.output, name);
}

int study_write_csv(const study *s) {
  int code = write_series(s, SERIES_MOTION, "data/motion.csv");
  if (code == CLI_DONE) code = write_series(s, SERIES_FORCES, "data/forces.csv");
  if (code == CLI_DONE) code = write_series(s, SERIES_FORWARD, "data/forward.csv");
  if (code == CLI_DONE) code = write_round(s, "data/roundtrip.csv");
  if (code == CLI_DONE) code = write_cost(s, "data/cost.csv");
  if (code == CLI_DONE) code = write_exponents(s, "data/exponents.csv");
  return code;
}
