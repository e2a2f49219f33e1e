/* command.c: bench: the time of a call. */
#include "commands.h"

#include <jounce/batch.h>
#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "job/job.h"
#include "output/progress.h"
#include "random.h"

enum { MODELS = 32 };

typedef bench_sample sample;

typedef struct counted {
  bench *b;
  bench_call run;
} counted;
static void run_counted(void *argument) {
  counted *c = argument;
  c->run(c->b);
}

/* time of 200 plain products of 6x6 matrices, the fastest of many rounds */
static double calibrate(void) {
  double A[6][6], B[6][6], C[6][6], best = HUGE_VAL;
  for (int i = 0; i < 36; i++) A[i / 6][i % 6] = 0.1 * i, B[i / 6][i % 6] = 1 - 0.01 * i;
  for (int r = 0; r < 400; r++) {
    double t = cli_seconds();
    for (int n = 0; n < 200; n++) bench_product(A, B, C);
    t = cli_seconds() - t;
    if (t < best) best = t;
  }
  return best * 1e9;
}

/* What to measure. */
typedef struct measurement {
  double seconds;
  int counting, generated;
  const char *only; /* algorithm; NULL: all */
  sample *list;
  int *count;
} measurement;

/* Measures one row and appends it to the list, unless the robot does not have it. */
static jn_status measure_row(const measurement *m, bench *b, const bench_row *row, const char *name,
                             int formulation, jn_representation representation) {
  sample *s = &m->list[*m->count];
  *s = (sample){.model = name,
                .algorithm = row->algorithm,
                .formulation = cli_formulation_names[formulation],
                .representation = cli_representation_names[representation],
                .mode = row->mode,
                .order = b->order,
                .bodies = jn_model_body_count(b->model),
                .freedoms = jn_model_nv(b->model),
                .instructions = -1};
  jn_data_settings(b->data)->formulation = (jn_formulation)formulation;
  jn_data_settings(b->data)->representation = representation;
  jn_batch_settings(b->batch)->representation = representation;
  b->representation = representation;
  /* rounds of batches with constraints as short as the others */
  b->per_call = strcmp(row->mode, "batch") ? 1 : row->flags & BENCH_CLOSED ? 16 : b->states;
  bench_time time = {0};
  jn_status status = row->open ? row->open(b) : JN_OK;
  if (!status)
    status = (row->flags & BENCH_PROCESSOR ? bench_measure_processor : bench_measure)(
        b, row->run, m->seconds, (double)b->per_call, &time);
  if (status == JN_ERR_ARGUMENT) return JN_OK; /* not for this robot, order or formulation */
  if (status) return status;
  s->ns = time.median, s->spread = time.median - time.minimum;
  if (m->counting && !strcmp(row->mode, "single") && !(row->flags & BENCH_MATRICES))
    s->instructions = bench_count(run_counted, &(counted){b, row->run});
  ++*m->count;
  return JN_OK;
}

static int is_floating(const jn_model *model) {
  for (int i = 0; i < jn_model_body_count(model); i++)
    if (jn_model_joint(model, i)->nv == 6) return 1;
  return 0;
}

/* All rows of one robot at one order. again: those that have a representation once more, in spatial. */
static jn_status measure_rows(const measurement *m, bench *b, const char *name, int again) {
  const int floating = is_floating(b->model);
  jn_status status = JN_OK;
  for (int i = 0; !status && i < bench_row_count; i++) {
    const bench_row *row = &bench_rows[i];
    const int represented = floating && (row->flags & BENCH_REPRESENTATIONS);
    if (m->only && strcmp(m->only, row->algorithm)) continue;
    if ((row->flags & BENCH_ORDER_ZERO) && b->order) continue;
    if ((row->flags & BENCH_MATRICES) && b->nv > BENCH_MATRIX_DOFS) continue;
    if ((row->flags & BENCH_CLOSED) && !b->closed) continue;
    if ((row->flags & BENCH_GENERATED) && !m->generated) continue;
    const jn_representation first = row->flags & BENCH_SPATIAL ? JN_SPATIAL : JN_BODY;
    for (int f = 0; !status && !again && cli_formulation_names[f]; f++)
      if (f == 0 || (row->flags & BENCH_FORMULATIONS))
        status = measure_row(m, b, row, name, f, first);
    if (!status && represented && again == b->closed)
      status = measure_row(m, b, row, name, 0, JN_SPATIAL);
  }
  return status;
}

static int measure_robot(const measurement *m, const char *name, jn_model *model,
                         const jn_spec *spec, int order, int closed) {
  bench b;
  jn_status status = bench_open(&b, model, order);
  b.spec = spec;
  if (!status && closed) status = bench_close_states(&b);
  if (!status) status = measure_rows(m, &b, name, 0);
  if (!status && closed && is_floating(model)) {
    /* the constraints hold for velocities of one representation */
    jn_data_settings(b.data)->formulation = JN_FORM_BODY;
    jn_data_settings(b.data)->representation = JN_SPATIAL;
    status = bench_close_states(&b);
    if (!status) status = measure_rows(m, &b, name, 1);
  }
  bench_close(&b);
  if (status) cli_error("bench: %s: %s", name, jn_status_text(status));
  return status ? CLI_BAD_INPUT : 0;
}

static const sample *find(const sample *list, int n, const sample *like, const char *formulation,
                          const char *representation, const char *mode, int order) {
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i].model, like->model) && !strcmp(list[i].algorithm, like->algorithm) &&
        !strcmp(list[i].formulation, formulation) &&
        !strcmp(list[i].representation, representation) && !strcmp(list[i].mode, mode) &&
        list[i].order == order)
      return &list[i];
  return NULL;
}

/* A short name of a model file: the name of the file, or of its folder if the file is "model" or
 * "robot", without ending. A built-in robot: its name. */
static cli_name short_name(const char *path) {
  cli_name name = cli_clean(path);
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(name.text, '/'), *dot = strrchr(slash ? slash + 1 : name.text, '.');
    const char *last = slash ? slash + 1 : name.text;
    if (dot && dot > last && i == 0) *dot = '\0';
    if (slash && slash > name.text && (!strcmp(last, "model") || !strcmp(last, "robot")))
      *slash = '\0';
  }
  const char *slash = strrchr(name.text, '/');
  if (slash && slash[1]) memmove(name.text, slash + 1, strlen(slash + 1) + 1);
  return name;
}

/* A line for each model whose name in the table is a short one. */
static void name_models(FILE *f, const sample *list, int n) {
  for (int i = 0; i < n; i++)
    if ((i == 0 || strcmp(list[i].model, list[i - 1].model) != 0) &&
        strcmp(short_name(list[i].model).text, list[i].model) != 0)
      fprintf(f, "%s: %s\n", short_name(list[i].model).text, cli_clean(list[i].model).text);
}

static int by_ratio(const void *a, const void *b) {
  const sample *x = *(const sample *const *)a, *y = *(const sample *const *)b;
  const double d = x->ns / x->before - y->ns / y->before;
  return (d > 0) - (d < 0);
}
/* median and slowest rows against another run */
static void write_ratios(FILE *f, const char *path, const sample *list, int n) {
  enum { SHOWN = 8 };
  int rows = 0;
  const sample **order = calloc((size_t)n + 1, sizeof *order);
  for (int i = 0; i < n && order; i++)
    if (list[i].before > 0) order[rows++] = &list[i];
  if (rows) {
    qsort(order, (size_t)rows, sizeof *order, by_ratio);
    const sample *middle = order[rows / 2];
    fprintf(f, "against %s: median ratio %.3f of %d rows; the slowest:\n", path,
            middle->ns / middle->before, rows);
    for (int i = rows - 1; i >= 0 && i >= rows - SHOWN; i--)
      fprintf(f, "  %.3f  %s %s %s %s %s order %d\n", order[i]->ns / order[i]->before,
              order[i]->model, order[i]->algorithm, order[i]->formulation, order[i]->representation,
              order[i]->mode, order[i]->order);
  }
  free(order);
}

static double fastest(const sample *s) { return s->ns - s->spread; }

/* Growth of the times of retime, and what they contain. Fastest rounds. */
static void write_retime(FILE *f, const sample *list, int n) {
  int rows = 0;
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].algorithm, "retime")) continue;
    if (!rows++)
      fputs(
          "retime: processor time of the fastest round, us per interval and degree of freedom; "
          "constant where growth is linear\n",
          f);
    fprintf(f, "  %-16s %3d degrees of freedom, %4s intervals: %8.3f ms, %6.2f us\n",
            short_name(list[i].model).text, list[i].freedoms, list[i].mode,
            1e-6 * fastest(&list[i]),
            1e-3 * fastest(&list[i]) / (atoi(list[i].mode) * list[i].freedoms));
  }
  if (rows)
    fputs(
        "Mode is the number of intervals; limits of velocity, acceleration, jerk, torque, torque "
        "rate\nand power; refinement, tightening and the check between grid points "
        "included.\nPublished for 7 joints, 1000 intervals and jerk limits: 312 to 346 ms "
        "(copp, Rust, 2026)\n",
        f);
}

/* Constrained forward dynamics beside what they cannot do without: forward dynamics of the open tree
 * and a column of M^-1 J^T for every row; and their last order beside order 0. Fastest rounds. */
static void write_constrained(FILE *f, const sample *list, int n) {
  for (const sample *s = list; s < list + n; s++) {
    if (strcmp(s->algorithm, "constrained_forward") || strcmp(s->mode, "single") || s->order)
      continue;
    const sample forward = {.model = s->model, .algorithm = "forward"},
                 column = {.model = s->model, .algorithm = "constrained_columns"};
    const sample *body = find(list, n, &forward, "body", "body", "single", 0),
                 *spatial = find(list, n, &forward, "spatial", "body", "single", 0),
                 *columns = find(list, n, &column, "body", "body", "single", 0), *last = s;
    for (const sample *x = s; x < list + n; x++)
      if (!strcmp(x->model, s->model) && !strcmp(x->algorithm, s->algorithm) &&
          !strcmp(x->mode, s->mode))
        last = x;
    if (body && spatial && columns)
      fprintf(f,
              "%s: constrained_forward of order 0 takes %.2f times forward + constrained_columns "
              "in the\nspatial formulation, which constraints are computed in, and %.2f times in "
              "the body one\n",
              short_name(s->model).text, fastest(s) / (fastest(spatial) + fastest(columns)),
              fastest(s) / (fastest(body) + fastest(columns)));
    if (last != s)
      fprintf(f, "%s: constrained_forward of order %d takes %.2f times order 0\n",
              short_name(s->model).text, last->order, fastest(last) / fastest(s));
  }
}

static void write_text(cli_output *out, const sample *list, int n, double calibration,
                       const char *against_path) {
  FILE *f = out->file;
  name_models(f, list, n);
  fprintf(f, "calibration %.0f ns (200 products of 6x6 matrices)\n", calibration);
  fprintf(f, "%-16s %6s %-28s %-8s %-8s %-9s %5s %12s %9s %8s %8s %8s %8s%s\n", "model", "bodies",
          "algorithm", "form", "rep", "mode", "order", "ns", "spread", ":form", ":rep", ":single",
          ":order0", against_path ? "  :before" : "");
  for (int i = 0; i < n; i++) {
    const sample *s = &list[i];
    const char *form = s->formulation, *rep = s->representation;
    const sample *body = find(list, n, s, "body", rep, s->mode, s->order);
    const sample *in_body = find(list, n, s, form, "body", s->mode, s->order);
    const sample *single = find(list, n, s, form, rep, "single", s->order);
    const sample *zero = find(list, n, s, form, rep, s->mode, 0);
    fprintf(f, "%-16s %6d %-28s %-8s %-8s %-9s %5d %12.0f %9.0f", short_name(s->model).text,
            s->bodies, s->algorithm, form, rep, s->mode, s->order, s->ns, s->spread);
    const int intervals = strcmp(s->algorithm, "retime") ? 0 : atoi(s->mode);
    const sample like = {.model = s->model, .algorithm = "inverse"};
    if (intervals) single = find(list, n, &like, "body", "body", "single", s->order);
    const sample *against[4] = {body, in_body, single, zero};
    for (int k = 0; k < 4; k++)
      if (against[k])
        fprintf(f, " %8.2f", s->ns / against[k]->ns / (k == 2 && intervals ? intervals : 1));
      else
        fprintf(f, " %8s", "-");
    if (s->before > 0)
      fprintf(f, " %8.3f", s->ns / s->before);
    else if (against_path)
      fprintf(f, " %8s", "-");
    if (s->instructions >= 0) fprintf(f, " %10ld instructions", s->instructions);
    fputc('\n', f);
  }
  write_retime(f, list, n);
  write_constrained(f, list, n);
  if (against_path) write_ratios(f, against_path, list, n);
}

static void write_json(cli_output *out, const sample *list, int n, double calibration) {
  cli_json_begin(out, '[');
  for (const sample *s = list; s < list + n; s++) {
    const cli_field fields[] = {
        TEXT_FIELD("model", s->model),
        TEXT_FIELD("algorithm", s->algorithm),
        TEXT_FIELD("formulation", s->formulation),
        TEXT_FIELD("representation", s->representation),
        TEXT_FIELD("mode", s->mode),
        NUMBER_FIELD("order", s->order),
        NUMBER_FIELD("bodies", s->bodies),
        NUMBER_FIELD("ns", s->ns),
        NUMBER_FIELD("spread_ns", s->spread),
        NUMBER_FIELD("calibration_ns", calibration),
        MAYBE_FIELD("instructions", s->instructions >= 0, (double)s->instructions),
        MAYBE_FIELD("before_ns", s->before > 0, s->before)};
    cli_record(out, fields, COUNT(fields));
  }
  cli_json_end(out);
}

/* "A-B" or "A" */
static int read_orders(const char *text, int *low, int *high) {
  char rest;
  if (sscanf(text, "%d-%d%c", low, high, &rest) != 2) {
    if (sscanf(text, "%d%c", low, &rest) != 1) return 0;
    *high = *low;
  }
  return *low >= 0 && *high >= *low && *high <= 64;
}

static int measure_all(const cli_job *job, const char *const *names, int count, int low, int high,
                       const measurement *m) {
  int code = 0;
  for (int i = 0; i < count && !code; i++) {
    jn_spec *spec = NULL;
    jn_model *model = NULL;
    code = cli_job_load(job, names[i], &spec, &model);
    const int closed = !code && !job->open && jn_model_constraint_count(model) > 0;
    for (int r = low; r <= high && !code; r++) {
      cli_progress((i + (double)(r - low) / (high - low + 1)) / count, "%s, order %d of %d",
                   names[i], r, high);
      code = measure_robot(m, names[i], model, spec, r, closed);
    }
    jn_model_free(model);
    jn_spec_free(spec);
  }
  cli_progress_end();
  return code;
}

static int is_algorithm(const char *name) {
  for (int i = 0; i < bench_row_count; i++)
    if (!strcmp(name, bench_rows[i].algorithm)) return 1;
  return 0;
}

int cli_bench(int argc, char **argv) {
  static const char *const standard[] = {"tilthex", "tilthex:5x20", "tilthex:5x199",
                                         "arm7",    "quadruped",    "humanoid"};
  cli_job job = CLI_JOB_DEFAULT;
  const char *models[MODELS], *orders = "0-5", *figure = NULL, *against = NULL;
  measurement m = {.seconds = 0.05};
  int seconds_given = 0, low, high, n = 0;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job),
                              CLI_OUTPUT_OPTIONS(&job),
                              CLI_OPT_TEXT("orders", &orders),
                              CLI_OPT_TEXT("only", &m.only),
                              CLI_OPT_FLAG("count", &m.counting, 1),
                              CLI_OPT_FLAG("generated", &m.generated, 1),
                              CLI_OPT_INPUT("against", &against),
                              CLI_OPT_TEXT("figure", &figure),
                              CLI_OPT_NUMBER("seconds", &m.seconds, &seconds_given)};
  int count = cli_parse(table, COUNT(table), argc, argv, models, MODELS);
  if (count < 0) return CLI_BAD_USAGE;
  if (!read_orders(orders, &low, &high))
    return cli_bad_usage("bench: --orders: A-B with 0 <= A <= B <= 64 expected, found '%s'",
                         orders);
  if (!(m.seconds > 0 && m.seconds <= 60))
    return cli_bad_usage("bench: --seconds: a number above 0, at most 60, expected, found %.9g",
                         m.seconds);
  if (m.only && !is_algorithm(m.only))
    return cli_bad_usage(
        "bench: --only: no algorithm '%s'; the first column of the table has their "
        "names, inverse or retime for instance",
        cli_clean(m.only).text);
  if (count == 0)
    for (; count < COUNT(standard); count++) models[count] = standard[count];
  sample *list =
      calloc((size_t)count * (size_t)(high - low + 1) * (size_t)bench_row_count * 8, sizeof *list);
  if (!list) return CLI_BAD_INPUT;
  double calibration = calibrate();
  m.list = list, m.count = &n;
  int code = measure_all(&job, models, count, low, high, &m);
  if (!code && against) code = bench_against(against, list, n);
  if (!code && m.counting && n && list[0].instructions < 0) {
    cli_error("bench: --count needs Linux on x86-64");
    code = CLI_BAD_INPUT;
  }
  if (!code && figure) code = bench_figure(figure, list, n, calibration);
  cli_output out;
  if (job.output.format < 0 && !job.output.path) job.output.format = CLI_TABLE;
  if (!code) code = cli_output_open(&out, &job.output, "bench", 1u << CLI_NPY);
  if (!code) {
    if (out.format == CLI_JSON)
      write_json(&out, list, n, calibration);
    else if (out.format == CLI_CSV)
      bench_csv(out.file, list, n, calibration);
    else
      write_text(&out, list, n, calibration, against);
    code = cli_output_close(&out);
  }
  free(list);
  return code;
}
