/* commands_eom.c: eom. */
#include "commands.h"

#include <stdlib.h>

#include "job.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

typedef struct eom_job {
  cli_job job;
  int with_momentum;
  double *M, *C, *g, *h, *tau_ext;
  jn_momentum momentum;
} eom_job;

static int make_room(eom_job *e) {
  size_t nv = (size_t)jn_model_nv(e->job.model), rows = (size_t)e->job.order + 1;
  e->M = cli_room(rows, nv, nv);
  e->C = e->M ? cli_room(rows, nv, nv) : NULL;
  e->g = e->C ? cli_room(rows, nv, 1) : NULL;
  e->h = e->g ? cli_room(rows, nv, 1) : NULL;
  e->tau_ext = e->h ? cli_room(rows, nv, 1) : NULL;
  if (!e->tau_ext) return CLI_BAD_INPUT;
  if (!e->with_momentum) return CLI_DONE;

  /* one block: com 3, momentum 6, centroidal 6, kinetic 1, potential 1, matrix 6 nv */
  double *x = cli_room(rows, 17 + 6 * nv, 1);
  if (!x) return CLI_BAD_INPUT;
  e->momentum =
      (jn_momentum){x, x + 3 * rows, x + 9 * rows, x + 15 * rows, x + 16 * rows, x + 17 * rows};
  return CLI_DONE;
}

static int compute(eom_job *e) {
  cli_job *job = &e->job;
  const cli_state *s = &job->state;
  jn_status status = jn_equations_of_motion(job->model, job->data, job->order, s->q, s->v,
                                            &s->external, e->M, e->C, e->g, e->h, e->tau_ext);
  if (!status && e->with_momentum) {
    status = jn_momentum_energy(job->model, job->data, job->order, s->q, s->v, &e->momentum);
  }
  int code = cli_job_status(job, status);
  size_t rows = (size_t)job->order + 1;
  if (code || (code = cli_job_matrices(job, rows, e->M)) ||
      (code = cli_job_matrices(job, rows, e->C)) || (code = cli_job_rows(job, rows, e->g)) ||
      (code = cli_job_rows(job, rows, e->h)) || (code = cli_job_rows(job, rows, e->tau_ext)))
    return code;
  return e->with_momentum ? cli_job_rows(job, 6 * rows, e->momentum.matrix) : CLI_DONE;
}

/* n numbers, or a list of such rows for the orders */
static void write_vector(cli_output *out, const eom_job *e, const char *key, int n,
                         const double *x) {
  cli_json_key(out, key);
  if (e->job.order > 0) {
    cli_json_rows(out, e->job.order + 1, n, x, (size_t)n);
  } else {
    cli_json_row(out, n, x, 1);
  }
}

static void write_scalar(cli_output *out, const eom_job *e, const char *key, const double *x) {
  cli_json_key(out, key);
  if (e->job.order > 0) {
    cli_json_row(out, e->job.order + 1, x, 1);
  } else {
    cli_json_number(out, x[0]);
  }
}

static void write_matrix(cli_output *out, const eom_job *e, const char *key, int rows, int columns,
                         const double *x) {
  cli_json_key(out, key);
  cli_json_matrices(out, e->job.order + 1, e->job.order == 0, rows, columns, x);
}

static void write_momentum(cli_output *out, const eom_job *e) {
  const jn_momentum *m = &e->momentum;
  cli_json_key(out, "momentum");
  cli_json_begin(out, '{');
  write_vector(out, e, "com", 3, m->com);
  write_vector(out, e, "momentum", 6, m->momentum);
  write_vector(out, e, "centroidal", 6, m->centroidal);
  write_scalar(out, e, "kinetic", m->kinetic);
  write_scalar(out, e, "potential", m->potential);
  write_matrix(out, e, "matrix", 6, jn_model_nv(e->job.model), m->matrix);
  cli_json_end(out);
}

static void write_json(cli_output *out, const eom_job *e) {
  int nv = jn_model_nv(e->job.model);
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, e->job.order);
  cli_json_key(out, "dofs");
  cli_json_begin(out, '[');
  cli_job_dofs(out, &e->job, cli_json_text);
  cli_json_end(out);
  write_matrix(out, e, "M", nv, nv, e->M);
  write_matrix(out, e, "C", nv, nv, e->C);
  write_vector(out, e, "g", nv, e->g);
  write_vector(out, e, "h", nv, e->h);
  write_vector(out, e, "tau_ext", nv, e->tau_ext);
  if (e->with_momentum) write_momentum(out, e);
  cli_json_end(out);
}

static void csv_column(cli_output *out, const char *name) {
  fputc(',', out->file);
  cli_csv_text(out, name);
}

/* Lines of an [(R+1) x rows x nv] array. */
static void csv_lines(cli_output *out, const eom_job *e, const char *quantity, int rows,
                      const double *x) {
  int nv = jn_model_nv(e->job.model);
  for (int k = 0; k <= e->job.order; k++) {
    for (int i = 0; i < rows; i++) {
      fprintf(out->file, "%s,%d,%d", quantity, k, i);
      for (int j = 0; j < nv; j++) {
        fputc(',', out->file);
        cli_write_number(out, *x++);
      }
      fputc('\n', out->file);
    }
  }
}

static void write_csv(cli_output *out, const eom_job *e) {
  int nv = jn_model_nv(e->job.model);
  fputs("quantity,k,row", out->file);
  cli_job_dofs(out, &e->job, csv_column);
  fputc('\n', out->file);
  csv_lines(out, e, "M", nv, e->M);
  csv_lines(out, e, "C", nv, e->C);
  csv_lines(out, e, "g", 1, e->g);
  csv_lines(out, e, "h", 1, e->h);
  csv_lines(out, e, "tau_ext", 1, e->tau_ext);
}

static void write_npy(cli_output *out, const eom_job *e) {
  size_t nv = (size_t)jn_model_nv(e->job.model);
  size_t shape[3] = {(size_t)e->job.order + 1, nv, nv};
  if (e->job.order > 0) {
    cli_npy(out, 3, shape, e->M);
  } else {
    cli_npy(out, 2, shape + 1, e->M);
  }
}

static void text_block(cli_output *out, const eom_job *e, const char *symbol, int rows, int columns,
                       const double *x) {
  char name[64];
  for (int k = 0; k <= e->job.order; k++) {
    cli_derivative_name(symbol, k, name, sizeof name);
    fprintf(out->file, "%s\n", name);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) fprintf(out->file, " %12.5g", *x++ + 0.0); /* no -0 */
      fputc('\n', out->file);
    }
  }
}

static void text_name(cli_output *out, const char *name) {
  fprintf(out->file, " %s", cli_clean(name).text);
}

static void write_text(cli_output *out, const eom_job *e) {
  int nv = jn_model_nv(e->job.model);
  fprintf(out->file, "M v' + C v + g + tau_ext = tau of %s, order %d\ndofs:",
          cli_clean(jn_model_name(e->job.model)).text, e->job.order);
  cli_job_dofs(out, &e->job, text_name);
  fputc('\n', out->file);
  text_block(out, e, "M", nv, nv, e->M);
  text_block(out, e, "C", nv, nv, e->C);
  text_block(out, e, "g", 1, nv, e->g);
  text_block(out, e, "h", 1, nv, e->h);
  text_block(out, e, "tau_ext", 1, nv, e->tau_ext);
  if (!e->with_momentum) return;
  const jn_momentum *m = &e->momentum;
  text_block(out, e, "centre of mass", 1, 3, m->com);
  text_block(out, e, "momentum", 1, 6, m->momentum);
  text_block(out, e, "centroidal momentum", 1, 6, m->centroidal);
  text_block(out, e, "kinetic energy", 1, 1, m->kinetic);
  text_block(out, e, "potential energy", 1, 1, m->potential);
  text_block(out, e, "centroidal momentum matrix", 6, nv, m->matrix);
}

static int run_eom(eom_job *e, const cli_option *table, int count, int argc, char **argv) {
  cli_job *job = &e->job;
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code || (code = cli_job_model(job))) return code;
  int R = job->order;
  cli_need need = {R, R + 1, 0, R + 1, 0, job->pad};
  if ((code = cli_job_state(job, &need, R))) return code;
  if ((code = make_room(e)) || (code = compute(e))) return code;
  cli_output out;
  if ((code = cli_output_open(&out, &job->output, "eom", 0))) return code;
  switch (out.format) {
    case CLI_JSON:
      write_json(&out, e);
      break;
    case CLI_CSV:
      write_csv(&out, e);
      break;
    case CLI_NPY:
      write_npy(&out, e);
      break;
    case CLI_NPZ:
    case CLI_TABLE:
      write_text(&out, e);
      break;
  }
  return cli_output_close(&out);
}

int cli_eom(int argc, char **argv) {
  eom_job e = {.job = CLI_JOB_DEFAULT};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&e.job),  CLI_STATE_OPTIONS(&e.job),
      CLI_DAMPING_OPTION(&e.job), CLI_LAYOUT_OPTION(&e.job),
      CLI_OUTPUT_OPTIONS(&e.job), CLI_OPT_FLAG("momentum", &e.with_momentum, 1),
  };
  int code = run_eom(&e, table, COUNT(table), argc, argv);
  free(e.M);
  free(e.C);
  free(e.g);
  free(e.h);
  free(e.tau_ext);
  free(e.momentum.com);
  cli_job_end(&e.job);
  return code;
}
