/* commands_bench.c: bench: the time of a call. */
#include "commands.h"

#include <jounce/batch.h>
#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "job.h"
#include "progress.h"
#include "random.h"

enum { MODELS = 32, ROUNDS = 200, STATES = 256, MATRIX_DOFS = 64, PATH_DOFS = 24 };

typedef bench_sample sample;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* One call each. */
#define CALL(name) static jn_status run_##name(bench *b)
#define ONE b->model, b->data, b->order, b->q
#define MANY b->model, b->batch, b->order, b->states, b->q
jn_status bench_inverse(bench *b) { return jn_inverse_dynamics(ONE, b->v, NULL, b->out); }
jn_status bench_forward(bench *b) { return jn_forward_dynamics(ONE, b->v, b->tau, NULL, b->out); }
CALL(hybrid) { return jn_hybrid_dynamics(ONE, b->given, b->v, b->tau, NULL); }
CALL(fk) { return jn_kinematics(ONE, b->v); }
CALL(mass) { return jn_mass_matrix(b->model, b->data, b->q, b->out); }
CALL(inverse_mass) { return jn_inverse_mass(b->model, b->data, b->q, b->out); }
CALL(linearise) {
  return jn_linearise(b->model, b->data, NULL, b->q, b->v0, b->tau, NULL, b->out,
                      b->out + 4 * b->nv * b->nv);
}
CALL(inverse_partials) { return jn_inverse_partials(ONE, b->v, NULL, b->out, b->out + b->square); }
CALL(forward_partials) {
  return jn_forward_partials(ONE, b->v0, b->tau, NULL, b->out, b->out + b->square, NULL);
}
CALL(all_forward_partials) {
  return jn_forward_partials(ONE, b->v0, b->tau, NULL, b->out, b->out + b->square,
                             b->out + 2 * b->square);
}
CALL(constrained_inverse) {
  return jn_constrained_inverse_dynamics(ONE, b->v, NULL, NULL, b->out, b->lambda);
}
CALL(constrained_forward) {
  return jn_constrained_forward_dynamics(ONE, b->v0, b->tau, NULL, NULL, b->out, b->lambda);
}
CALL(constrained_inverse_partials) {
  const jn_inverse_closed o = {b->out, b->out + b->square, NULL, NULL};
  return jn_constrained_inverse_partials(ONE, b->v, NULL, NULL, &o);
}
CALL(constrained_forward_partials) {
  const jn_forward_closed o = {b->out, b->out + b->square, NULL, NULL, NULL, NULL};
  return jn_constrained_forward_partials(ONE, b->v0, b->tau, NULL, NULL, &o);
}
/* one column of M^-1 for every constraint row: what the constraints need besides the dynamics */
CALL(constrained_columns) {
  return jn_inverse_mass_apply(b->model, b->data, b->q, jn_model_constraint_rows(b->model),
                               b->columns, b->out);
}
CALL(batch_constrained_inverse) {
  return jn_batch_constrained_inverse_dynamics(MANY, b->v, NULL, b->out, b->lambda, NULL);
}
CALL(batch_constrained_forward) {
  return jn_batch_constrained_forward_dynamics(MANY, b->v0, b->tau, NULL, b->out, b->lambda, NULL);
}
CALL(batch_id) { return jn_batch_inverse_dynamics(MANY, b->v, b->out, NULL); }
CALL(batch_fd) { return jn_batch_forward_dynamics(MANY, b->v0, b->tau, b->out, NULL); }
CALL(batch_hybrid) { return jn_batch_hybrid_dynamics(MANY, b->given, b->v, b->tau, NULL); }
#undef CALL
#undef ONE
#undef MANY

jn_status bench_measure(bench *b, bench_call f, double seconds, double each, bench_time *time) {
  double round[ROUNDS], t = cli_seconds();
  jn_status status = f(b);
  if (status) return status;
  double once = cli_seconds() - t;
  int calls = once > 0 ? (int)(seconds / ROUNDS / once) : 100;
  if (calls < 1) calls = 1;
  if (calls > 100000) calls = 100000;
  int n = 0;
  for (double start = cli_seconds(); n < ROUNDS && (n < 5 || cli_seconds() - start < seconds);
       n++) {
    t = cli_seconds();
    for (int i = 0; i < calls; i++) f(b);
    round[n] = (cli_seconds() - t) / calls / each * 1e9;
  }
  qsort(round, (size_t)n, sizeof *round, compare);
  *time = (bench_time){round[0], round[n / 2], n};
  return JN_OK;
}

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

void bench_close(bench *b) {
  bench_path_close(b);
  jn_batch_free(b->batch);
  jn_data_free(b->data);
  cli_release(&b->memory);
}

jn_status bench_open(bench *b, jn_model *model, int order) {
  uint64_t seed = 1;
  memset(b, 0, sizeof *b);
  b->model = model;
  b->order = order;
  b->nq = (size_t)jn_model_nq(model), b->nv = (size_t)jn_model_nv(model);
  b->states = jn_model_body_count(model) > 200 ? 16 : STATES;
  size_t rows = (size_t)order + 2, most = b->states * rows * b->nv;
  b->square = (rows - 1) * b->nv * b->nv;
  size_t matrices = b->nv > MATRIX_DOFS ? b->nv * b->nv : b->square * (rows + 4);
  cli_memory *m = &b->memory;
  b->q = cli_take_numbers(m, b->states, b->nq, 1);
  b->v = cli_take_numbers(m, b->states, rows, b->nv);
  b->v0 = cli_take_numbers(m, b->states, b->nv, 1);
  b->tau = cli_take_numbers(m, b->states, rows, b->nv);
  b->out = cli_take_numbers(m, most > matrices ? most : matrices, 1, 1);
  b->given = cli_take(m, (size_t)jn_model_body_count(model), 1);
  if (m->failed) return JN_ERR_MEMORY;
  for (int i = 1; i < jn_model_body_count(model); i += 2) b->given[i] = 1;
  for (size_t s = 0; s < b->states; s++) {
    jn_model_home(model, b->q + s * b->nq);
    for (int i = 0; i < jn_model_body_count(model); i++) {
      const jn_joint *j = jn_model_joint(model, i);
      for (int k = 0; k < j->nq && j->nq < 4; k++)
        b->q[s * b->nq + (size_t)(j->iq + k)] = cli_uniform(&seed);
    }
  }
  for (size_t i = 0; i < most; i++) b->v[i] = cli_uniform(&seed);
  for (size_t i = 0; i < b->states * b->nv; i++) b->v0[i] = cli_uniform(&seed);
  jn_status status = jn_data_new(model, order, NULL, &b->data);
  if (!status) status = jn_batch_new(model, order, 1, NULL, &b->batch);
  if (status) return status;
  jn_data_settings(b->data)->representation = JN_BODY;
  jn_batch_settings(b->batch)->representation = JN_BODY;
  return JN_OK;
}

/* Moves the states onto the constraints of the model. */
static jn_status close_states(bench *b) {
  const size_t rows = (size_t)jn_model_constraint_rows(b->model),
               n = ((size_t)b->order + 2) * b->nv;
  jn_status status = JN_OK;
  b->closed = 1;
  b->lambda = cli_take_numbers(&b->memory, b->states, (size_t)b->order + 1, rows);
  b->columns = cli_take_numbers(&b->memory, rows, b->nv, 1);
  if (b->memory.failed) return JN_ERR_MEMORY;
  for (size_t i = 0; i < rows * b->nv; i++) b->columns[i] = i % 3 ? 0.5 : -1;
  for (size_t s = 0; s < b->states && !status; s++) {
    /* near the home configuration, which satisfies them or nearly so */
    double *q = b->q + s * b->nq, *v = b->v + s * n;
    uint64_t seed = s + 1;
    jn_model_home(b->model, q);
    for (int i = 0; i < jn_model_body_count(b->model); i++) {
      const jn_joint *j = jn_model_joint(b->model, i);
      if (j->nq == 1) q[j->iq] += 0.02 * cli_uniform(&seed);
    }
    status = jn_assemble(b->model, b->data, b->order + 2, NULL, NULL, q, v);
    memcpy(b->v0 + s * b->nv, v, sizeof(double) * b->nv);
  }
  return status;
}

static const struct row {
  const char *algorithm, *mode;
  bench_call run;
  int formulations; /* 1: all of them; 0: the default alone */
  int order_zero;   /* 1: exists at order 0 alone */
  int matrices;     /* 1: too large for robots with many degrees of freedom */
  enum { ALL_MODELS, CLOSED_MODELS, PATHS } only; /* models with constraints; order 1, few dofs */
} rows[] = {
    {"inverse", "single", bench_inverse, 1, 0, 0, ALL_MODELS},
    {"forward", "single", bench_forward, 1, 0, 0, ALL_MODELS},
    /* before hybrid dynamics, which write v and tau */
    {"constrained_inverse", "single", run_constrained_inverse, 0, 0, 0, CLOSED_MODELS},
    {"constrained_forward", "single", run_constrained_forward, 0, 0, 0, CLOSED_MODELS},
    {"constrained_columns", "single", run_constrained_columns, 0, 1, 0, CLOSED_MODELS},
    {"constrained_inverse_partials", "single", run_constrained_inverse_partials, 0, 0, 1,
     CLOSED_MODELS},
    {"constrained_forward_partials", "single", run_constrained_forward_partials, 0, 0, 1,
     CLOSED_MODELS},
    {"constrained_inverse", "batch", run_batch_constrained_inverse, 0, 0, 0, CLOSED_MODELS},
    {"constrained_forward", "batch", run_batch_constrained_forward, 0, 0, 0, CLOSED_MODELS},
    {"hybrid", "single", run_hybrid, 1, 0, 0, ALL_MODELS},
    {"kinematics", "single", run_fk, 1, 0, 0, ALL_MODELS},
    {"mass_matrix", "single", run_mass, 0, 1, 0, ALL_MODELS},
    {"inverse_mass", "single", run_inverse_mass, 0, 1, 1, ALL_MODELS},
    {"linearise", "single", run_linearise, 0, 1, 1, ALL_MODELS},
    {"inverse_partials", "single", run_inverse_partials, 0, 0, 1, ALL_MODELS},
    {"forward_partials", "single", run_forward_partials, 0, 0, 1, ALL_MODELS},
    {"forward_by_tau", "single", run_all_forward_partials, 0, 0, 1, ALL_MODELS},
    {"inverse", "batch", run_batch_id, 0, 0, 0, ALL_MODELS},
    {"forward", "batch", run_batch_fd, 0, 0, 0, ALL_MODELS},
    {"hybrid", "batch", run_batch_hybrid, 0, 0, 0, ALL_MODELS},
    {"retime", "200", bench_retime_200, 0, 0, 0, PATHS},
    {"retime", "1000", bench_retime_1000, 0, 0, 0, PATHS},
    {"retime", "5000", bench_retime_5000, 0, 0, 0, PATHS},
};

/* Appends all measurements of one robot at one order to the list. */
static int measure_robot(const char *name, jn_model *model, int order, int closed, double seconds,
                         int counting, sample *list, int *count) {
  bench b;
  jn_status status = bench_open(&b, model, order);
  if (!status && closed) status = close_states(&b);
  for (int i = 0; !status && i < COUNT(rows); i++) {
    if (rows[i].order_zero && order) continue;
    if (rows[i].matrices && b.nv > MATRIX_DOFS) continue;
    if (rows[i].only == CLOSED_MODELS && !b.closed) continue;
    if (rows[i].only == PATHS && (order != 1 || b.nv == 0 || b.nv > PATH_DOFS)) continue;
    if (rows[i].only == PATHS && !b.path && (status = bench_path_open(&b))) break;
    for (int f = 0; cli_formulation_names[f] && (f == 0 || rows[i].formulations); f++) {
      sample *s = &list[*count];
      int batch = !strcmp(rows[i].mode, "batch");
      *s = (sample){.model = name,
                    .algorithm = rows[i].algorithm,
                    .formulation = cli_formulation_names[f],
                    .mode = rows[i].mode,
                    .order = order,
                    .bodies = jn_model_body_count(model),
                    .instructions = -1};
      jn_data_settings(b.data)->formulation = (jn_formulation)f;
      bench_time time = {0};
      jn_status one = bench_measure(&b, rows[i].run, seconds, batch ? (double)b.states : 1, &time);
      if (one == JN_ERR_ARGUMENT) continue; /* this formulation does not have it */
      s->ns = time.median, s->spread = time.median - time.minimum;
      if (!one && counting && !batch && !rows[i].matrices && rows[i].only != PATHS)
        s->instructions = bench_count(run_counted, &(counted){&b, rows[i].run});
      status = one;
      if (!status) ++*count;
    }
  }
  bench_close(&b);
  if (status) cli_error("bench: %s: %s", name, jn_status_text(status));
  return status ? CLI_BAD_INPUT : 0;
}

static const sample *find(const sample *list, int n, const sample *like, const char *formulation,
                          const char *mode, int order) {
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i].model, like->model) && !strcmp(list[i].algorithm, like->algorithm) &&
        !strcmp(list[i].formulation, formulation) && !strcmp(list[i].mode, mode) &&
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

static void write_text(cli_output *out, const sample *list, int n, double calibration) {
  FILE *f = out->file;
  name_models(f, list, n);
  fprintf(f, "calibration %.0f ns (200 products of 6x6 matrices)\n", calibration);
  fprintf(f, "%-16s %6s %-28s %-8s %-7s %5s %12s %9s %8s %8s %8s\n", "model", "bodies", "algorithm",
          "form", "mode", "order", "ns", "spread", ":body", ":single", ":order0");
  for (int i = 0; i < n; i++) {
    const sample *s = &list[i], *body = find(list, n, s, "body", s->mode, s->order);
    const sample *single = find(list, n, s, s->formulation, "single", s->order);
    const sample *zero = find(list, n, s, s->formulation, s->mode, 0);
    fprintf(f, "%-16s %6d %-28s %-8s %-7s %5d %12.0f %9.0f", short_name(s->model).text, s->bodies,
            s->algorithm, s->formulation, s->mode, s->order, s->ns, s->spread);
    const int intervals = atoi(s->mode); /* of retime */
    const sample like = {.model = s->model, .algorithm = "inverse"};
    if (intervals) single = find(list, n, &like, "body", "single", s->order);
    const sample *against[3] = {body, single, zero};
    for (int k = 0; k < 3; k++)
      if (against[k])
        fprintf(f, " %8.2f", s->ns / against[k]->ns / (k == 1 && intervals ? intervals : 1));
      else
        fprintf(f, " %8s", "-");
    if (s->instructions >= 0) fprintf(f, " %10ld instructions", s->instructions);
    fputc('\n', f);
  }
  for (int i = 0; i < n; i++)
    if (!strcmp(list[i].algorithm, "retime") && !strcmp(list[i].mode, "1000")) {
      fputs(
          "retime: mode is the number of intervals; limits of velocity, acceleration, jerk, torque "
          "and torque rate.\nPublished for 7 joints, 1000 intervals and jerk limits: 312 to 346 ms "
          "(copp, Rust, 2026)\n",
          f);
      break;
    }
}

static void write_json(cli_output *out, const sample *list, int n, double calibration) {
  cli_json_begin(out, '[');
  for (const sample *s = list; s < list + n; s++) {
    const cli_field fields[] = {TEXT_FIELD("model", s->model),
                                TEXT_FIELD("algorithm", s->algorithm),
                                TEXT_FIELD("formulation", s->formulation),
                                TEXT_FIELD("mode", s->mode),
                                NUMBER_FIELD("order", s->order),
                                NUMBER_FIELD("bodies", s->bodies),
                                NUMBER_FIELD("ns", s->ns),
                                NUMBER_FIELD("spread_ns", s->spread),
                                NUMBER_FIELD("calibration_ns", calibration),
                                NUMBER_FIELD("instructions", (double)s->instructions)};
    cli_record(out, fields, COUNT(fields) - (s->instructions < 0));
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
                       double seconds, int counting, sample *list, int *n) {
  int code = 0;
  for (int i = 0; i < count && !code; i++) {
    jn_spec *spec = NULL;
    jn_model *model = NULL;
    code = cli_job_load(job, names[i], &spec, &model);
    const int closed = !code && !job->open && jn_model_constraint_count(model) > 0;
    for (int r = low; r <= high && !code; r++) {
      cli_progress((i + (double)(r - low) / (high - low + 1)) / count, "%s, order %d of %d",
                   names[i], r, high);
      code = measure_robot(names[i], model, r, closed, seconds, counting, list, n);
    }
    jn_model_free(model);
    jn_spec_free(spec);
  }
  cli_progress_end();
  return code;
}

int cli_bench(int argc, char **argv) {
  static const char *const standard[] = {"tilthex", "tilthex:5x20", "tilthex:5x199",
                                         "arm7",    "quadruped",    "humanoid"};
  cli_job job = CLI_JOB_DEFAULT;
  const char *models[MODELS], *orders = "0-5", *figure = NULL;
  double seconds = 0.05;
  int seconds_given = 0, counting = 0, low, high, n = 0;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&job),         CLI_OUTPUT_OPTIONS(&job),
      CLI_OPT_TEXT("orders", &orders), CLI_OPT_FLAG("count", &counting, 1),
      CLI_OPT_TEXT("figure", &figure), CLI_OPT_NUMBER("seconds", &seconds, &seconds_given)};
  int count = cli_parse(table, COUNT(table), argc, argv, models, MODELS);
  if (count < 0) return CLI_BAD_USAGE;
  if (!read_orders(orders, &low, &high))
    return cli_bad_usage("bench: --orders: A-B with 0 <= A <= B <= 64 expected, found '%s'",
                         orders);
  if (!(seconds > 0 && seconds <= 60))
    return cli_bad_usage("bench: --seconds: a number above 0, at most 60, expected, found %.9g",
                         seconds);
  if (count == 0)
    for (; count < COUNT(standard); count++) models[count] = standard[count];
  sample *list = calloc((size_t)count * (size_t)(high - low + 1) * COUNT(rows) * 8, sizeof *list);
  if (!list) return CLI_BAD_INPUT;
  double calibration = calibrate();
  int code = measure_all(&job, models, count, low, high, seconds, counting, list, &n);
  if (!code && counting && n && list[0].instructions < 0) {
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
      write_text(&out, list, n, calibration);
    code = cli_output_close(&out);
  }
  free(list);
  return code;
}
