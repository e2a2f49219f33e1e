/* commands_partials.c: partials. */
#include <jounce/derivatives.h>

#include "commands.h"
#include "job.h"

typedef struct partials_job {
  cli_job job;
  int forward;
} partials_job;

/* Adds d symbol^(k) / d by^(j), matrices nv x nv for j = 0 ... count - 1; count 0: without j. */
static double *add_partial(cli_job *job, int forward, const char *key, const char *by, int count,
                           cli_export layout) {
  const int nv = jn_model_nv(job->model);
  const cli_axis k = CLI_AXIS(job->order + 1), row = CLI_AXIS(nv);
  const cli_axis j = {.size = count, .shown = count > 0};
  return CLI_ADD(&job->result, CLI_TO_ALL, key, .axis = {k, j, row, job->result.columns},
                 .layout = layout, .symbol = forward ? "v" : "tau", .by = by, .first = forward,
                 .reach = !forward);
}

static int run_partials(cli_job *job) {
  const int R = job->order, F = ((const partials_job *)job)->forward;
  const int nv = jn_model_nv(job->model);
  const cli_state *s = &job->state;
  cli_result *r = &job->result;
  cli_need need = {R, F ? 1 : R + 2, F ? R + 1 : 0, R + 1, 0, job->pad || !job->state_path, 0};
  int code = cli_job_state(job, &need, R);
  if (code) return code;
  const char *const *dofs = cli_job_dofs(job);
  r->title = cli_take_text(&r->memory, "partial derivatives of %s dynamics of %s, order %d",
                           F ? "forward" : "inverse", cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .orders = R + 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->columns = (cli_axis)CLI_AXIS(nv, .labels = dofs);
  r->index[CLI_K] = "k", r->index[CLI_J] = "j", r->index[CLI_ROW] = "row";
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  double *dq = add_partial(job, F, F ? "dacc_dq" : "dtau_dq", "q", 0, CLI_PARTIALS);
  double *dv = add_partial(job, F, F ? "dacc_dv" : "dtau_dv", "v", F ? 0 : R + 2, CLI_MATRICES);
  double *dtau = F ? add_partial(job, F, "dacc_dtau", "tau", R + 1, CLI_MATRICES) : NULL;
  if (r->memory.failed) return CLI_BAD_INPUT;
  code = cli_job_status(
      job, F ? jn_forward_partials(job->model, job->data, R, s->q, s->v, s->tau, &s->external, dq,
                                   dv, dtau)
             : jn_inverse_partials(job->model, job->data, R, s->q, s->v, &s->external, dq, dv));
  return code ? code : cli_job_write(job);
}

int cli_partials(int argc, char **argv) {
  partials_job p = {.job = CLI_JOB_DEFAULT};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&p.job), CLI_STATE_OPTIONS(&p.job),  CLI_DAMPING_OPTION(&p.job),
      CLI_LAYOUT_OPTION(&p.job), CLI_OUTPUT_OPTIONS(&p.job), CLI_OPT_FLAG("forward", &p.forward, 1),
  };
  return cli_job_run(&p.job, table, COUNT(table), argc, argv, NULL, run_partials);
}
