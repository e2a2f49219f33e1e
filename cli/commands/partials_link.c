/* partials_link.c: partials --link: of the twist, momentum or wrench of a link or frame. */
#include <jounce/derivatives.h>

#include "commands/partials.h"
#include "job/closure.h"
#include "job/observer.h"

const char *const cli_quantity_names[] = {"twist",         "momentum", "force", "subtree-momentum",
                                          "subtree-force", "reaction", NULL};

typedef struct quantity {
  jn_quantity of;
  const char *symbol, *dq, *dv; /* of text; keys of JSON */
  int wrench, rows;             /* rows of v beyond order + 1 */
} quantity;
static const quantity quantities[] = {
    {JN_LINK_MOTION, "V", "dtwist_dq", "dtwist_dv", 0, 0},
    {JN_LINK_MOMENTUM, "h", "dmomentum_dq", "dmomentum_dv", 1, 0},
    {JN_LINK_FORCE, "f", "dforce_dq", "dforce_dv", 1, 1},
    {JN_JOINT_MOMENTUM, "h", "dmomentum_dq", "dmomentum_dv", 1, 0},
    {JN_JOINT_FORCE, "f", "dforce_dq", "dforce_dv", 1, 1},
    {JN_JOINT_REACTION, "W", "dreaction_dq", "dreaction_dv", 1, 1},
};
static const char *const twist_rows[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

static void describe(partials_job *p, int frame, const char *what) {
  cli_job *job = &p->job;
  cli_result *r = &job->result;
  const char *representation = cli_representation_names[p->representation];
  r->title =
      cli_take_text(&r->memory, "partial derivatives of %s of %s in %s, order %d; %s", what,
                    cli_clean(p->link).text, cli_job_name(job).text, job->order, representation);
  r->text = (cli_text_style){
      .blocks = 1, .gap = 1, .indent = 2, .label_width = 3, .width = 12, .digits = 5};
  r->label = "quantity";
  r->index[CLI_K] = "k", r->index[CLI_J] = "j", r->index[CLI_ROW] = "row";
  cli_result_number(r, "order", job->order);
  cli_result_string(r, "link", jn_model_frame(job->model, frame)->name);
  cli_result_string(r, "representation", representation);
  cli_result_names(r, "dofs", cli_job_dofs(job), jn_model_nv(job->model));
}

static int by_state(partials_job *p, int frame) {
  cli_job *job = &p->job;
  cli_result *r = &job->result;
  const quantity *x = &quantities[p->of];
  const int R = job->order, nv = jn_model_nv(job->model), rows = R + 1 + x->rows;
  describe(p, frame, cli_quantity_names[p->of]);
  r->columns = (cli_axis)CLI_AXIS(nv, .labels = cli_job_dofs(job));
  const cli_axis k = CLI_AXIS(R + 1), none = {.size = 0}, j = CLI_AXIS(rows),
                 row = CLI_AXIS(6, .labels = x->wrench ? cli_wrench_components : twist_rows);
  double *dq = CLI_ADD(r, CLI_TO_ALL, x->dq, .axis = {k, none, row, r->columns},
                       .symbol = x->symbol, .by = "q");
  double *dv = CLI_ADD(r, CLI_TO_ALL, x->dv, .axis = {k, j, row, r->columns}, .symbol = x->symbol,
                       .by = "v", .reach = x->rows);
  if (r->memory.failed) return CLI_BAD_INPUT;
  return cli_job_status(job, jn_frame_partials(job->model, job->data, x->of, frame,
                                               (jn_representation)p->representation, R,
                                               job->state.q, job->state.v, dq, dv));
}

static int by_placement(partials_job *p, int frame) {
  cli_job *job = &p->job;
  cli_result *r = &job->result;
  const int R = job->order, nv = jn_model_nv(job->model), n = 6 * jn_model_body_count(job->model);
  const char *const *names = cli_parameter_names(job, 1);
  describe(p, frame, "pose, twist and Jacobian by the placement of joints");
  cli_result_names(r, "parameters", names, n);
  r->columns = (cli_axis)CLI_AXIS(n, .labels = names);
  const cli_axis k = CLI_AXIS(R + 1), none = CLI_NO_AXIS, six = CLI_AXIS(6, .labels = twist_rows),
                 dof = CLI_AXIS(nv, .labels = cli_job_dofs(job));
  double *pose =
      CLI_ADD(r, CLI_TO_JSON | CLI_TO_LINES, "dpose_dplacement",
              .axis = {none, none, six, r->columns}, .symbol = "pose", .by = "placement");
  double *twist = CLI_ADD(r, CLI_TO_ALL, "dtwist_dplacement", .axis = {k, none, six, r->columns},
                          .symbol = "V", .by = "placement");
  /* [k][6][n][6 bodies]; the columns of a row of J are far apart in text */
  double *J = CLI_ADD(r, CLI_TO_JSON | CLI_TO_CSV, "djacobian_dplacement",
                      .axis = {k, six, dof, r->columns});
  if (r->memory.failed) return CLI_BAD_INPUT;
  return cli_job_status(job, jn_frame_geometry_partials(
                                 job->model, job->data, frame, (jn_representation)p->representation,
                                 R, job->state.q, job->state.v, pose, twist, J));
}

int cli_link_partials(cli_job *job) {
  partials_job *p = (partials_job *)job;
  const int R = job->order, rows = R + 1 + (p->by == BY_STATE && quantities[p->of].rows);
  const int frame = cli_job_link(job, p->link);
  if (frame < 0) return CLI_BAD_INPUT;
  int code = cli_partials_open(job, "--link");
  if (!code)
    code = cli_job_state(job, &(cli_need){R, rows, 0, 0, 0, job->pad || !job->state_path, 0}, R);
  if (!code) code = p->by == BY_GEOMETRY ? by_placement(p, frame) : by_state(p, frame);
  return code ? code : cli_job_write(job);
}
