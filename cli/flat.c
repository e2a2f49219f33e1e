/* flat.c: arrays in the layout of another library, from numbers in ours. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "table.h"

/* The degree of freedom at place i of v as its joint and component. */
static void place_of(const jn_model *model, int i, int *joint, int *component) {
  int low = 0, high = jn_model_body_count(model) - 1;
  while (low < high) { /* iv rises; joints without freedoms share it with the next */
    int mid = low + (high - low + 1) / 2;
    if (jn_model_joint(model, mid)->iv <= i) {
      low = mid;
    } else {
      high = mid - 1;
    }
  }
  while (jn_model_joint(model, low)->nv == 0) low--;
  *joint = low;
  *component = i - jn_model_joint(model, low)->iv;
}

void cli_job_dofs(cli_output *out, const cli_job *job,
                  void (*write)(cli_output *out, const char *name)) {
  if (!job->layout) {
    cli_each_dof(out, job->model, write);
    return;
  }
  char name[JN_MAX_NAME + 16];
  for (int i = 0; i < jn_model_nv(job->model); i++) {
    int joint, component;
    place_of(job->model, jn_layout_v_index(job->layout)[i], &joint, &component);
    cli_dof_name(job->model, joint, component, name, sizeof name);
    write(out, name);
  }
}

/* A copy of what is about to be moved; NULL after a message. */
static double *copy_of(const double *x, size_t count) {
  double *copy = cli_room(count, 1, 1);
  if (copy && count) memcpy(copy, x, count * sizeof *x);
  return copy;
}

int cli_job_rows(const cli_job *job, size_t rows, double *x) {
  if (!job->layout) return CLI_DONE;
  double *copy = copy_of(x, rows * (size_t)jn_model_nv(job->model));
  if (!copy) return CLI_BAD_INPUT;
  jn_layout_export_rows(job->layout, rows, copy, x);
  free(copy);
  return CLI_DONE;
}

int cli_job_matrices(const cli_job *job, size_t count, double *M) {
  size_t nv = (size_t)jn_model_nv(job->model);
  if (!job->layout) return CLI_DONE;
  double *copy = copy_of(M, count * nv * nv);
  if (!copy) return CLI_BAD_INPUT;
  jn_layout_export_matrices(job->layout, count, copy, M);
  free(copy);
  return CLI_DONE;
}

int cli_job_partials(const cli_job *job, size_t count, double *D) {
  size_t nv = (size_t)jn_model_nv(job->model);
  if (!job->layout || jn_layout_kind_of(job->layout) == JN_LAYOUT_JOUNCE) return CLI_DONE;
  double *copy = copy_of(D, count * nv * nv);
  if (!copy) return CLI_BAD_INPUT;
  jn_status status = jn_layout_export_partials(job->layout, job->state.q, count, copy, D);
  free(copy);
  return cli_job_status(job, status);
}

int cli_job_jacobians(const cli_job *job, size_t count, double *J) {
  if (!job->layout) return CLI_DONE;
  double *copy = copy_of(J, 6 * count * (size_t)jn_model_nv(job->model));
  if (!copy) return CLI_BAD_INPUT;
  jn_layout_export_jacobians(job->layout, count, copy, J);
  free(copy);
  return CLI_DONE;
}

static void csv_column(cli_output *out, const char *name) {
  fputc(',', out->file);
  cli_csv_text(out, name);
}
static void text_column(cli_output *out, const char *name) {
  fprintf(out->file, " %14s", cli_clean(name).text);
}

static void write_json(cli_output *out, const cli_job *job, const char *key, int rows,
                       const double *x) {
  int nv = jn_model_nv(job->model);
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, job->order);
  cli_json_key(out, "layout");
  cli_json_text(out, cli_layout_names[job->layout_kind]);
  cli_json_key(out, "dofs");
  cli_json_begin(out, '[');
  cli_job_dofs(out, job, cli_json_text);
  cli_json_end(out);
  cli_json_key(out, key);
  cli_json_rows(out, rows, nv, x, (size_t)nv);
  cli_json_end(out);
}

static void write_csv(cli_output *out, const cli_job *job, int first, int rows, const double *x) {
  fputc('k', out->file);
  cli_job_dofs(out, job, csv_column);
  fputc('\n', out->file);
  for (int k = 0; k < rows; k++) {
    fprintf(out->file, "%d", first + k);
    for (int i = 0; i < jn_model_nv(job->model); i++) {
      fputc(',', out->file);
      cli_write_number(out, *x++);
    }
    fputc('\n', out->file);
  }
}

static void write_text(cli_output *out, const cli_job *job, const char *title, const char *symbol,
                       int first, int rows, const double *x) {
  fprintf(out->file, "%s of %s, order %d, layout %s\n%-8s", title,
          cli_clean(jn_model_name(job->model)).text, job->order, cli_layout_names[job->layout_kind],
          "");
  cli_job_dofs(out, job, text_column);
  fputc('\n', out->file);
  for (int k = 0; k < rows; k++) {
    char name[64];
    cli_derivative_name(symbol, first + k, name, sizeof name);
    fprintf(out->file, "%-8s", name);
    for (int i = 0; i < jn_model_nv(job->model); i++) fprintf(out->file, " %14.7g", *x++);
    fputc('\n', out->file);
  }
}

int cli_job_flat(const cli_job *job, const char *title, const char *key, const char *symbol,
                 int first, int rows, double *values) {
  cli_output out;
  int code = cli_job_rows(job, (size_t)rows, values);
  if (code || (code = cli_output_open(&out, &job->output, job->command, 0))) return code;
  size_t shape[2] = {(size_t)rows, (size_t)jn_model_nv(job->model)};
  switch (out.format) {
    case CLI_JSON:
      write_json(&out, job, key, rows, values);
      break;
    case CLI_CSV:
      write_csv(&out, job, first, rows, values);
      break;
    case CLI_NPY:
    case CLI_NPZ: /* not offered here */
      cli_npy(&out, 2, shape, values);
      break;
    case CLI_TABLE:
      write_text(&out, job, title, symbol, first, rows, values);
      break;
  }
  return cli_output_close(&out);
}
