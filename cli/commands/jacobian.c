/* jacobian.c: jacobian. */
#include <jounce/jacobian.h>

#include "commands.h"
#include "job/observer.h"

typedef struct jacobian_job {
  cli_job job;
  int representation, point_given, frame;
  const char *link;
  double point[3];
  cli_observer observer;
} jacobian_job;

/* Returns the array for J: [(R+1) x 6 x nv], of a point [(R+1) x 3 x nv]. */
static double *describe(jacobian_job *j) {
  static const char *const rows[] = {"wx", "wy", "wz", "vx", "vy", "vz", "wx", "wy", "wz"};
  cli_job *job = &j->job;
  cli_result *r = &job->result;
  const int nv = jn_model_nv(job->model), of_point = j->point_given;
  /* a point has linear rows only; pinocchio has them first */
  const int linear = of_point || (job->layout && job->layout_kind == JN_LAYOUT_PINOCCHIO);
  const char *representation = cli_representation_names[j->representation];
  const char *const *dofs = cli_job_dofs(job);
  const cli_axis k = CLI_AXIS(job->order + 1), dof = CLI_AXIS(nv, .labels = dofs),
                 none = CLI_NO_AXIS;
  const cli_axis row = CLI_AXIS(of_point ? 3 : 6, .labels = rows + (linear ? 3 : 0));
  r->title = cli_take_text(
      &r->memory, "Jacobian of %s%s%s%s in %s, order %d%s%s", of_point ? "a point of " : "",
      cli_clean(j->link).text, j->observer.relative_to ? " relative to " : "",
      j->observer.relative_to ? cli_clean(j->observer.relative_to).text : "",
      cli_job_name(job).text, job->order, of_point ? "" : "; twist in representation ",
      of_point ? "" : representation);
  r->text = (cli_text_style){
      .blocks = 1, .gap = 1, .indent = 2, .label_width = 3, .width = 12, .digits = 5};
  r->index[CLI_K] = "k", r->index[CLI_ROW] = "row", r->columns = dof;
  cli_result_number(r, "order", job->order);
  cli_result_string(r, "link", jn_model_frame(job->model, j->frame)->name);
  if (of_point)
    CLI_ADD(r, CLI_TO_JSON, "point", .axis = {[CLI_COLUMN] = CLI_AXIS(3)}, .data = j->point);
  else
    cli_result_string(r, "representation", representation);
  cli_result_names(r, "dofs", dofs, nv);
  return CLI_ADD(r, CLI_TO_ALL, "jacobian", .axis = {k, none, row, dof}, .label = "J",
                 .layout = of_point ? CLI_ROWS : CLI_JACOBIANS);
}

static int check_usage(cli_job *job) {
  const jacobian_job *j = (const jacobian_job *)job;
  if (j->point_given && cli_is_observed(&j->observer))
    return cli_bad_usage(
        "jacobian: --point, written in the world, cannot be combined with --relative-to");
  if (j->link) return CLI_DONE;
  return cli_bad_usage(
      "jacobian: --link is missing: the link or frame (see 'jounce jacobian --help')");
}

static int run_jacobian(cli_job *job) {
  jacobian_job *j = (jacobian_job *)job;
  const int R = job->order;
  if ((j->frame = cli_job_link(job, j->link)) < 0) return CLI_BAD_INPUT;
  int code = cli_observer_find(job, &j->observer);
  if (!code) code = cli_job_state(job, &(cli_need){R, R, 0, 0, 0, job->pad, 0}, R > 0 ? R - 1 : 0);
  double *J = code ? NULL : describe(j);
  if (!J) return CLI_BAD_INPUT;
  jn_status status = jn_kinematics(job->model, job->data, R - 1, job->state.q, job->state.v);
  if (!status && j->point_given) {
    jn_vec3 point = {j->point[0], j->point[1], j->point[2]};
    status = jn_point_jacobian(job->model, job->data, j->frame, point, R, J);
  } else if (!status) {
    const jn_representation rep = (jn_representation)j->representation;
    status =
        cli_is_observed(&j->observer)
            ? jn_relative_jacobian(job->model, job->data, j->frame, rep, &j->observer.frames, R, J)
            : jn_frame_jacobian(job->model, job->data, j->frame, rep, R, J);
  }
  code = cli_job_status(job, status);
  return code ? code : cli_job_write(job);
}

int cli_jacobian(int argc, char **argv) {
  jacobian_job j = {.job = CLI_JOB_DEFAULT};
  j.job.closes = 1;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&j.job),
      CLI_OPT_INT("order", &j.job.order, 0, JN_MAX_ORDER), /* no --gravity */
      CLI_OPT_INPUT("state", &j.job.state_path),
      CLI_OPT_FLAG("pad", &j.job.pad, 1),
      CLI_FORMULATION_OPTION(&j.job),
      CLI_LAYOUT_OPTION(&j.job),
      CLI_OUTPUT_OPTIONS(&j.job),
      CLI_OPT_CHOICE("representation", &j.representation, cli_representation_names),
      CLI_RELATIVE_OPTIONS(&j.observer),
      CLI_OPT_TEXT("link", &j.link),
      CLI_OPT_VECTOR("point", j.point, &j.point_given),
  };
  return cli_job_run(&j.job, table, COUNT(table), argc, argv, check_usage, run_jacobian);
}
