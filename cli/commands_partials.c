/* commands_partials.c: partials. */
#include <jounce/derivatives.h>

#include "closure.h"
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

/* The same of constraint forces, matrices rows x nv. */
static double *add_force_partial(cli_job *job, const char *key, const char *by, int count) {
  const cli_axis k = CLI_AXIS(job->order + 1), row = CLI_AXIS(jn_model_constraint_rows(job->model)),
                 j = {.size = count, .shown = count > 0};
  return CLI_ADD(&job->result, CLI_TO_JSON | CLI_TO_LINES, key,
                 .axis = {k, j, row, job->result.columns}, .symbol = "lambda", .by = by,
                 .reach = !((const partials_job *)job)->forward);
}

/* "pin[0]", "pin[1]", ...: the rows of all constraints */
static const char *const *row_names(cli_job *job) {
  const char **names = cli_take(&job->result.memory,
                                (size_t)jn_model_constraint_rows(job->model) + 1, sizeof(char *));
  for (int i = 0; names && i < jn_model_constraint_count(job->model); i++) {
    const jn_constraint *c = jn_model_constraint(job->model, i);
    for (int r = 0; r < c->rows; r++)
      names[c->row + r] = cli_take_text(&job->result.memory, "%s[%d]", cli_clean(c->name).text, r);
  }
  return names;
}

typedef struct matrices {
  double *dq, *dv, *dtau;
} matrices;

static jn_status differentiate(cli_job *job, matrices x, matrices lambda) {
  const int R = job->order, F = ((const partials_job *)job)->forward;
  const cli_robot_state *s = &job->state;
  if (!cli_is_closed(job))
    return F ? jn_forward_partials(job->model, job->data, R, s->q, s->v, s->tau, &s->external, x.dq,
                                   x.dv, x.dtau)
             : jn_inverse_partials(job->model, job->data, R, s->q, s->v, &s->external, x.dq, x.dv);
  const jn_forward_closed forward = {x.dq, x.dv, x.dtau, lambda.dq, lambda.dv, lambda.dtau};
  const jn_inverse_closed inverse = {x.dq, x.dv, lambda.dq, lambda.dv};
  return F ? jn_constrained_forward_partials(job->model, job->data, R, s->q, s->v, s->tau,
                                             &s->external, NULL, &forward)
           : jn_constrained_inverse_partials(job->model, job->data, R, s->q, s->v, &s->external,
                                             NULL, &inverse);
}

static int run_partials(cli_job *job) {
  const int R = job->order, F = ((const partials_job *)job)->forward, closed = cli_is_closed(job);
  const int nv = jn_model_nv(job->model);
  cli_result *r = &job->result;
  cli_need need = {R, F ? 1 : R + 2, F ? R + 1 : 0, R + 1, 0, job->pad || !job->state_path, closed};
  if (closed && job->layout)
    return cli_bad_usage("partials: --layout has no constraint forces; --open leaves them out");
  int code = cli_job_state(job, &need, R);
  if (!code && closed && job->assemble) code = cli_close(job, need.motion_rows);
  if (code) return code;
  const char *const *dofs = cli_job_dofs(job);
  r->title = cli_take_text(&r->memory, "partial derivatives of %s dynamics of %s, order %d",
                           F ? "forward" : "inverse", cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .orders = R + 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->columns = (cli_axis)CLI_AXIS(nv, .labels = dofs);
  r->index[CLI_K] = "k", r->index[CLI_J] = "j", r->index[CLI_ROW] = "row";
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  if (closed) cli_result_names(r, "rows", row_names(job), jn_model_constraint_rows(job->model));
  matrices x = {0}, lambda = {0};
  x.dq = add_partial(job, F, F ? "dacc_dq" : "dtau_dq", "q", 0, CLI_PARTIALS);
  x.dv = add_partial(job, F, F ? "dacc_dv" : "dtau_dv", "v", F ? 0 : R + 2, CLI_MATRICES);
  x.dtau = F ? add_partial(job, F, "dacc_dtau", "tau", R + 1, CLI_MATRICES) : NULL;
  if (closed) {
    lambda.dq = add_force_partial(job, "dlambda_dq", "q", 0);
    lambda.dv = add_force_partial(job, "dlambda_dv", "v", F ? 0 : R + 2);
    lambda.dtau = F ? add_force_partial(job, "dlambda_dtau", "tau", R + 1) : NULL;
  }
  if (r->memory.failed) return CLI_BAD_INPUT;
  code = cli_closure_status(job, differentiate(job, x, lambda));
  return code ? code : cli_job_write(job);
}

int cli_partials(int argc, char **argv) {
  partials_job p = {.job = CLI_JOB_DEFAULT};
  p.job.closes = 1;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&p.job),    CLI_STATE_OPTIONS(&p.job),
      CLI_DAMPING_OPTION(&p.job),   CLI_LAYOUT_OPTION(&p.job),
      CLI_OUTPUT_OPTIONS(&p.job),   CLI_OPT_FLAG("forward", &p.forward, 1),
      CLI_ASSEMBLE_OPTIONS(&p.job),
  };
  return cli_job_run(&p.job, table, COUNT(table), argc, argv, NULL, run_partials);
}
