/* partials.c: partials. */
#include <jounce/derivatives.h>

#include "job/closure.h"
#include "commands.h"
#include "job/job.h"

typedef struct partials_job {
  cli_job job;
  int forward;
  int kind; /* 0: by the state, or one of the following */
} partials_job;
enum { BY_REGRESSOR = 1, BY_GEOMETRY = 2 };

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
                                             &s->external, &job->constraints, &forward)
           : jn_constrained_inverse_partials(job->model, job->data, R, s->q, s->v, &s->external,
                                             &job->constraints, &inverse);
}

static int run_partials(cli_job *job) {
  const int R = job->order, F = ((const partials_job *)job)->forward, closed = cli_is_closed(job);
  const int nv = jn_model_nv(job->model);
  cli_result *r = &job->result;
  cli_need need = {R, F ? 1 : R + 2, F ? R + 1 : 0, R + 1, 0, job->pad || !job->state_path, closed};
  if (closed && job->layout)
    return cli_bad_usage("partials: --layout has no constraint forces; --open leaves them out");
  int code = cli_job_state(job, &need, R);
  if (!code && closed) code = cli_constraints_world(job, R + 2);
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

/* "B2:m" ... "B2:zz" of every body, or "q2:wx" ... "q2:vz" of every joint. */
static const char *const *parameter_names(cli_job *job, int geometry) {
  static const char *const inertial[] = {"m", "hx", "hy", "hz", "xx", "xy", "xz", "yy", "yz", "zz"};
  static const char *const placed[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  const int bodies = jn_model_body_count(job->model), each = geometry ? 6 : 10;
  const char **names =
      cli_take(&job->result.memory, (size_t)bodies * (size_t)each + 1, sizeof *names);
  for (int i = 0; names && i < bodies * each; i++)
    names[i] = geometry
                   ? cli_take_text(&job->result.memory, "%s:%s",
                                   jn_model_joint(job->model, i / each)->name, placed[i % each])
                   : cli_take_text(&job->result.memory, "%s:%s",
                                   jn_model_body(job->model, i / each)->name, inertial[i % each]);
  return names;
}

/* The inertial parameters themselves: m, h, xx xy xz yy yz zz of every body. */
static void fill_parameters(const jn_model *model, double *pi) {
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_inertia *I = &jn_model_body(model, i)->inertia;
    const double x[10] = {I->m, I->h.x, I->h.y, I->h.z, I->xx, I->xy, I->xz, I->yy, I->yz, I->zz};
    for (int c = 0; c < 10; c++) pi[10 * i + c] = x[c];
  }
}

/* --regressor, --geometry: d tau^(k) by inertial parameters, by the placement of joints. */
static int run_parameters(cli_job *job) {
  const int R = job->order, geometry = ((const partials_job *)job)->kind == BY_GEOMETRY;
  const int nv = jn_model_nv(job->model), bodies = jn_model_body_count(job->model);
  const cli_robot_state *s = &job->state;
  cli_result *r = &job->result;
  cli_need need = {R, R + 2, 0, R + 1, 0, job->pad || !job->state_path, 0};
  if (cli_is_closed(job))
    return cli_bad_usage(
        "partials: --regressor and --geometry leave constraints out: say so with --open");
  int code = cli_job_state(job, &need, R);
  if (code) return code;
  const int n = (geometry ? 6 : 10) * bodies;
  const char *const *dofs = cli_job_dofs(job), *const *names = parameter_names(job, geometry);
  const cli_axis none = CLI_NO_AXIS, k = CLI_AXIS(R + 1), row = CLI_AXIS(nv, .labels = dofs);
  const cli_axis column = CLI_AXIS(n, .labels = names);
  r->title = cli_take_text(&r->memory, "%s of %s, order %d",
                           geometry ? "forces by the placement of joints" : "regressor",
                           cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->index[CLI_K] = "k", r->index[CLI_ROW] = "row", r->columns = column;
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  cli_result_names(r, "parameters", names, n);
  double *pi =
      geometry ? NULL : CLI_ADD(r, CLI_TO_VIEW, "values", .axis = {none, none, none, column});
  double *out = CLI_ADD(r, CLI_TO_ALL, geometry ? "dtau_dplacement" : "regressor",
                        .axis = {k, none, row, column});
  if (r->memory.failed) return CLI_BAD_INPUT;
  if (pi) fill_parameters(job->model, pi);
  code = cli_job_status(
      job, geometry ? jn_geometry_partials(job->model, job->data, R, s->q, s->v, &s->external, out)
                    : jn_regressor(job->model, job->data, R, s->q, s->v, out));
  return code ? code : cli_job_write(job);
}

static int check_partials(cli_job *job) {
  const partials_job *p = (const partials_job *)job;
  if (p->kind && p->forward)
    return cli_bad_usage(
        "partials: --regressor and --geometry are of inverse dynamics: leave out "
        "--forward");
  return p->kind && job->layout_given
             ? cli_bad_usage(
                   "partials: --regressor and --geometry have jounce's layout only: leave "
                   "out --layout")
             : CLI_DONE;
}

static int run_either(cli_job *job) {
  return ((const partials_job *)job)->kind ? run_parameters(job) : run_partials(job);
}

int cli_partials(int argc, char **argv) {
  partials_job p = {.job = CLI_JOB_DEFAULT};
  p.job.closes = 1;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&p.job),
      CLI_STATE_OPTIONS(&p.job),
      CLI_DAMPING_OPTION(&p.job),
      CLI_LAYOUT_OPTION(&p.job),
      CLI_OUTPUT_OPTIONS(&p.job),
      CLI_OPT_FLAG("forward", &p.forward, 1),
      CLI_OPT_FLAG("regressor", &p.kind, BY_REGRESSOR),
      CLI_OPT_FLAG("geometry", &p.kind, BY_GEOMETRY),
      CLI_ASSEMBLE_OPTIONS(&p.job),
      CLI_ACTIVE_OPTION(&p.job),
      CLI_WORLD_OPTION(&p.job),
  };
  return cli_job_run(&p.job, table, COUNT(table), argc, argv, check_partials, run_either);
}
