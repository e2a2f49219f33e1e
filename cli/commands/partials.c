/* partials.c: partials. */
#include <jounce/derivatives.h>

#include "commands.h"
#include "commands/partials.h"
#include "job/closure.h"

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
                 .reach = ((const partials_job *)job)->dynamics == OF_INVERSE);
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
  const int R = job->order, F = ((const partials_job *)job)->dynamics == OF_FORWARD;
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
  const int R = job->order, F = ((const partials_job *)job)->dynamics == OF_FORWARD,
            closed = cli_is_closed(job);
  const int nv = jn_model_nv(job->model);
  cli_result *r = &job->result;
  cli_need need = {R, F ? 1 : R + 2, F ? R + 1 : 0, R + 1, 0, job->pad || !job->state_path, closed};
  if (closed && job->layout)
    return cli_bad_usage("partials: --layout has no constraint forces; --open leaves them out");
  int code = cli_job_state(job, &need, R);
  if (!code && closed) code = cli_constraints_world(job, R + 2);
  if (!code && closed && job->assemble) code = cli_close(job, need.motion_rows);
  if (code) return code;
  if (F) cli_warn_digits(job);
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

/* --hybrid: of what hybrid dynamics computes, y (tau^(k) where motion is given, v^(k+1) elsewhere), by q,
 * v and what is given, u (v^(j+1) or tau^(j)). */
static int run_hybrid_partials(cli_job *job) {
  const int R = job->order, nv = jn_model_nv(job->model);
  const cli_robot_state *s = &job->state;
  cli_result *r = &job->result;
  int code = cli_partials_open(job, "--hybrid");
  if (!code) code = cli_job_state(job, &(cli_need){R, R + 2, R + 1, R + 1, 1, job->pad, 0}, R);
  if (code) return code;
  const char *const *dofs = cli_job_dofs(job);
  const char **given = cli_take(&r->memory, (size_t)nv + 1, sizeof *given);
  for (int i = 0; given && i < jn_model_body_count(job->model); i++) {
    const jn_joint *j = jn_model_joint(job->model, i);
    for (int c = 0; c < j->nv; c++) given[j->iv + c] = s->prescribed[i] ? "motion" : "force";
  }
  r->title = cli_take_text(&r->memory,
                           "partial derivatives of hybrid dynamics of %s, order %d: y is computed, "
                           "u given",
                           cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .orders = R + 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->columns = (cli_axis)CLI_AXIS(nv, .labels = dofs);
  r->index[CLI_K] = "k", r->index[CLI_J] = "j", r->index[CLI_ROW] = "row";
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  cli_result_names(r, "given", given, nv);
  const cli_axis k = CLI_AXIS(R + 1), none = CLI_NO_AXIS, j = CLI_AXIS(R + 1), row = CLI_AXIS(nv);
  double *dq =
      CLI_ADD(r, CLI_TO_ALL, "dy_dq", .axis = {k, none, row, r->columns}, .symbol = "y", .by = "q");
  double *dv =
      CLI_ADD(r, CLI_TO_ALL, "dy_dv", .axis = {k, none, row, r->columns}, .symbol = "y", .by = "v");
  double *du =
      CLI_ADD(r, CLI_TO_ALL, "dy_du", .axis = {k, j, row, r->columns}, .symbol = "y", .by = "u");
  if (r->memory.failed) return CLI_BAD_INPUT;
  code = cli_job_status(job, jn_hybrid_partials(job->model, job->data, R, s->q, s->prescribed, s->v,
                                                s->tau, &s->external, dq, dv, du));
  return code ? code : cli_job_write(job);
}

const char *const *cli_parameter_names(cli_job *job, int geometry) {
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

int cli_partials_open(const cli_job *job, const char *what) {
  return cli_is_closed(job)
             ? cli_bad_usage("partials: %s ignores the constraints: confirm with --open", what)
             : CLI_DONE;
}

/* --regressor, --geometry: d tau^(k) by inertial parameters, by the placement of joints; with --forward
 * d v^(k+1) by inertial parameters. */
static int run_parameters(cli_job *job) {
  const int R = job->order, geometry = ((const partials_job *)job)->by == BY_GEOMETRY,
            F = ((const partials_job *)job)->dynamics == OF_FORWARD;
  const int nv = jn_model_nv(job->model), bodies = jn_model_body_count(job->model);
  const cli_robot_state *s = &job->state;
  cli_result *r = &job->result;
  cli_need need = {R, F ? 1 : R + 2, F ? R + 1 : 0, R + 1, 0, job->pad || !job->state_path, 0};
  int code = cli_partials_open(job, geometry ? "--geometry" : "--regressor");
  if (!code) code = cli_job_state(job, &need, R);
  if (code) return code;
  const int n = (geometry ? 6 : 10) * bodies;
  const char *const *dofs = cli_job_dofs(job), *const *names = cli_parameter_names(job, geometry);
  const cli_axis none = CLI_NO_AXIS, k = CLI_AXIS(R + 1), row = CLI_AXIS(nv, .labels = dofs);
  const cli_axis column = CLI_AXIS(n, .labels = names);
  r->title = cli_take_text(&r->memory, "%s of %s, order %d",
                           geometry ? "forces by the placement of joints"
                           : F      ? "accelerations by inertial parameters"
                                    : "regressor",
                           cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->index[CLI_K] = "k", r->index[CLI_ROW] = "row", r->columns = column;
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  cli_result_names(r, "parameters", names, n);
  double *pi =
      geometry ? NULL : CLI_ADD(r, CLI_TO_VIEW, "values", .axis = {none, none, none, column});
  double *out = CLI_ADD(r, CLI_TO_ALL,
                        geometry ? "dtau_dplacement"
                        : F      ? "dacc_dparameters"
                                 : "regressor",
                        .axis = {k, none, row, column});
  if (r->memory.failed) return CLI_BAD_INPUT;
  if (pi) fill_parameters(job->model, pi);
  const jn_model *m = job->model;
  code = cli_job_status(
      job, geometry ? jn_geometry_partials(m, job->data, R, s->q, s->v, &s->external, out)
           : F      ? jn_inertia_partials(m, job->data, R, s->q, s->v, s->tau, &s->external, out)
                    : jn_regressor(m, job->data, R, s->q, s->v, out));
  return code ? code : cli_job_write(job);
}

static int check_partials(cli_job *job) {
  const partials_job *p = (const partials_job *)job;
  const int plain = p->dynamics != OF_HYBRID && p->by == BY_STATE && !p->link;
  if (!p->link && (p->of_given || p->representation_given))
    return cli_bad_usage("partials: --of and --representation need --link NAME");
  if (p->link && p->dynamics != OF_INVERSE)
    return cli_bad_usage(
        "partials: --link differentiates quantities of a link: leave out --forward and --hybrid");
  if (p->link && p->by == BY_REGRESSOR)
    return cli_bad_usage(
        "partials: --link differentiates by the state or, with --geometry, by the placement of "
        "joints: leave out --regressor");
  if (p->link && p->by == BY_GEOMETRY && p->of_given)
    return cli_bad_usage(
        "partials: --link with --geometry differentiates pose, twist and Jacobian: leave out --of");
  if (p->dynamics == OF_FORWARD && p->by == BY_GEOMETRY)
    return cli_bad_usage(
        "partials: --geometry differentiates inverse dynamics: leave out --forward");
  if (p->dynamics == OF_HYBRID && p->by != BY_STATE)
    return cli_bad_usage(
        "partials: --regressor and --geometry do not apply to hybrid dynamics: leave out --hybrid");
  if (p->dynamics == OF_HYBRID && !job->state_path)
    return cli_bad_usage(
        "partials: --hybrid needs --state: joints named in its 'tau' have their "
        "force given ('jounce hybrid --help')");
  if (plain || !job->layout_given) return CLI_DONE;
  return cli_bad_usage(
      "partials: --layout applies to the derivatives of inverse and forward dynamics by the state: "
      "leave it out");
}

static int run_one(cli_job *job) {
  const partials_job *p = (const partials_job *)job;
  if (p->link) return cli_link_partials(job);
  if (p->dynamics == OF_HYBRID) return run_hybrid_partials(job);
  return p->by == BY_STATE ? run_partials(job) : run_parameters(job);
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
      CLI_OPT_FLAG("forward", &p.dynamics, OF_FORWARD),
      CLI_OPT_FLAG("hybrid", &p.dynamics, OF_HYBRID),
      CLI_OPT_FLAG("regressor", &p.by, BY_REGRESSOR),
      CLI_OPT_FLAG("geometry", &p.by, BY_GEOMETRY),
      CLI_OPT_TEXT("link", &p.link),
      {"--of", CLI_CHOICE, &p.of, 0, 0, cli_quantity_names, &p.of_given},
      {"--representation", CLI_CHOICE, &p.representation, 0, 0, cli_representation_names,
       &p.representation_given},
      CLI_ASSEMBLE_OPTIONS(&p.job),
      CLI_ACTIVE_OPTION(&p.job),
      CLI_WORLD_OPTION(&p.job),
  };
  return cli_job_run(&p.job, table, COUNT(table), argc, argv, check_partials, run_one);
}
