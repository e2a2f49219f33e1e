/* eom.c: eom. */
#include <jounce/textbook/lagrange.h>

#include "commands.h"
#include "job/job.h"

typedef struct eom_job {
  cli_job job;
  int with_momentum, with_christoffel;
} eom_job;

static jn_momentum add_momentum(cli_result *r, cli_axis k, cli_axis dof) {
  const cli_axis none = CLI_NO_AXIS, three = CLI_AXIS(3), six = CLI_AXIS(6);
  const unsigned to = CLI_TO_VIEW;
  jn_momentum m;
  cli_result_begin(r, "momentum", NULL);
  m.com = CLI_ADD(r, to, "com", .axis = {k, none, none, three}, .label = "centre of mass");
  m.momentum = CLI_ADD(r, to, "momentum", .axis = {k, none, none, six});
  m.centroidal =
      CLI_ADD(r, to, "centroidal", .axis = {k, none, none, six}, .label = "centroidal momentum");
  m.kinetic = CLI_ADD(r, to, "kinetic", .axis = {k}, .label = "kinetic energy");
  m.potential = CLI_ADD(r, to, "potential", .axis = {k}, .label = "potential energy");
  m.armature = CLI_ADD(r, to, "armature", .axis = {k}, .label = "of which in the armature");
  m.matrix = CLI_ADD(r, to, "matrix", .axis = {k, none, six, dof}, .layout = CLI_ROWS,
                     .label = "centroidal momentum matrix");
  cli_result_end(r);
  return m;
}

/* Gamma[i][j][k]; of body twists, whatever the representation of the state. */
static jn_status add_christoffel(cli_job *job) {
  const int nv = jn_model_nv(job->model);
  const cli_axis i = CLI_AXIS(nv);
  double *Gamma = CLI_ADD(&job->result, CLI_TO_JSON, "christoffel",
                          .axis = {[CLI_J] = i, [CLI_ROW] = i, [CLI_COLUMN] = i});
  jn_settings *settings = jn_data_settings(job->data);
  const jn_representation word = settings->representation;
  if (!Gamma) return JN_ERR_MEMORY;
  settings->representation = JN_BODY;
  const jn_status status = jn_christoffel(job->model, job->data, job->state.q, Gamma);
  settings->representation = word;
  return status;
}

static int check_eom(cli_job *job) {
  return job->layout_given && ((const eom_job *)job)->with_christoffel
             ? cli_bad_usage("eom: --christoffel has jounce's layout only: leave out --layout")
             : CLI_DONE;
}

static int run_eom(cli_job *job) {
  const eom_job *e = (const eom_job *)job;
  const cli_robot_state *s = &job->state;
  const int R = job->order, nv = jn_model_nv(job->model);
  int code = cli_job_state(job, &(cli_need){R, R + 1, 0, R + 1, 0, job->pad, 0}, R);
  if (code) return code;

  /* k is not an axis of the arrays at order 0 */
  cli_result *r = &job->result;
  const char *const *dofs = cli_job_dofs(job);
  const unsigned to = CLI_TO_JSON | CLI_TO_LINES;
  const cli_axis k = {.size = R + 1, .shown = R > 0}, none = CLI_NO_AXIS, row = CLI_AXIS(nv);
  const cli_axis dof = CLI_AXIS(nv, .labels = dofs);
  r->title = cli_take_text(&r->memory, "M v' + C v + g + tau_ext = tau of %s, order %d",
                           cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->index[CLI_K] = "k", r->index[CLI_ROW] = "row", r->columns = dof;
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  double *M = CLI_ADD(r, to | CLI_TO_NPY, "M", .axis = {k, none, row, dof}, .layout = CLI_MATRICES);
  double *C = CLI_ADD(r, to, "C", .axis = {k, none, row, dof}, .layout = CLI_MATRICES);
  double *g = CLI_ADD(r, to, "g", .axis = {k, none, none, dof}, .layout = CLI_ROWS);
  double *h = CLI_ADD(r, to, "h", .axis = {k, none, none, dof}, .layout = CLI_ROWS);
  double *tau_ext = CLI_ADD(r, to, "tau_ext", .axis = {k, none, none, dof}, .layout = CLI_ROWS);
  jn_momentum m = e->with_momentum ? add_momentum(r, k, dof) : (jn_momentum){0};
  if (r->memory.failed) return CLI_BAD_INPUT;
  jn_status status = jn_equations_of_motion(job->model, job->data, R, s->q, s->v, &s->external, M,
                                            C, g, h, tau_ext);
  if (!status && e->with_momentum)
    status = jn_momentum_energy(job->model, job->data, R, s->q, s->v, &m);
  if (!status && e->with_christoffel) status = add_christoffel(job);
  code = cli_job_status(job, status);
  return code ? code : cli_job_write(job);
}

int cli_eom(int argc, char **argv) {
  eom_job e = {.job = CLI_JOB_DEFAULT};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&e.job),
      CLI_STATE_OPTIONS(&e.job),
      CLI_DAMPING_OPTION(&e.job),
      CLI_LAYOUT_OPTION(&e.job),
      CLI_OUTPUT_OPTIONS(&e.job),
      CLI_OPT_FLAG("momentum", &e.with_momentum, 1),
      CLI_OPT_FLAG("christoffel", &e.with_christoffel, 1),
  };
  return cli_job_run(&e.job, table, COUNT(table), argc, argv, check_eom, run_eom);
}
