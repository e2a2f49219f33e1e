/* dynamics.c: id, fd and hybrid. */
#include "commands.h"

#include <math.h>

#include "job/closure.h"
#include "job/joints.h"
#include "output/names.h"
#include "job/observer.h"

/* Options of id and fd. */
#define DYNAMICS_OPTIONS(job)                                                    \
  CLI_MODEL_OPTIONS(job), CLI_STATE_OPTIONS(job), CLI_FORMULATION_OPTION(job),   \
      CLI_DAMPING_OPTION(job), CLI_OUTPUT_OPTIONS(job), CLI_LAYOUT_OPTION(job),  \
      CLI_ASSEMBLE_OPTIONS(job), CLI_JOINTS_OPTION(job), CLI_ACTIVE_OPTION(job), \
      CLI_CLOSURE_OPTION(job), CLI_WORLD_OPTION(job)

/* x[(R+1) x nv]: row k is derivative first + k of `symbol`. */
typedef struct quantity {
  const char *key, *base_key; /* JSON: of the joints, of a floating base */
  const char *flat_key;       /* JSON, with --layout */
  const char *symbol, *kind;
  int first;
  double *x;
  double *error; /* [R+1], estimated; NULL: none */
} quantity;

static quantity forces_of(const cli_job *job) {
  return (quantity){"tau", "base_wrench", "tau", "tau", "force", 0, job->state.tau, NULL};
}

static quantity motion_of(const cli_job *job) {
  double *x = job->state.v + jn_model_nv(job->model);
  return (quantity){"joints", "base_twist", "a", "v", "motion", 1, x, NULL};
}

static int state_is_given(cli_job *job) {
  if (job->state_path || job->pad) return CLI_DONE;
  return cli_bad_usage(
      "%s: --state is missing: which state, and which forces? 'jounce state MODEL > state.json' "
      "writes a file to fill in; --pad alone: at home, at rest, without forces",
      job->command);
}

static void add_joint(cli_job *job, const quantity *s, int joint, const char *key,
                      unsigned formats) {
  const jn_joint *j = jn_model_joint(job->model, joint);
  const char **components = cli_take(&job->result.memory, (size_t)j->nv, sizeof(char *));
  for (int c = 0; components && c < j->nv; c++) components[c] = jn_joint_component(j->type, c);
  const cli_axis k = CLI_AXIS(job->order + 1, .stride = (size_t)jn_model_nv(job->model));
  const cli_axis component = {j->nv, j->nv != 1, components, 0, 1};
  CLI_ADD(&job->result, formats, key, .axis = {[CLI_ROW] = component, k}, .turned = 1,
          .data = s->x + j->iv, .label = j->nv ? cli_joint_name(job->model, joint) : "",
          .kind = s->kind, .symbol = s->symbol, .first = s->first);
}

/* A joint that follows another one: no force; ratio times the motion of its leader. */
static void add_follower(cli_job *job, const quantity *s, int joint) {
  const jn_joint *j = jn_model_joint(job->model, joint),
                 *leader = jn_model_joint(job->model, j->leader);
  const size_t nv = (size_t)jn_model_nv(job->model), rows = (size_t)job->order + 1;
  double *x = cli_take_numbers(&job->result.memory, rows, 1, 1);
  for (size_t k = 0; x && k < rows; k++)
    x[k] = s->first && leader->nv ? j->ratio * s->x[k * nv + (size_t)leader->iv] : 0;
  const cli_axis k = CLI_AXIS(job->order + 1, .stride = 1), one = {1, 0, NULL, 0, 1};
  CLI_ADD(&job->result, CLI_TO_JSON | CLI_TO_LINES, j->name, .axis = {[CLI_ROW] = one, k},
          .turned = 1, .data = x, .label = cli_joint_name(job->model, joint), .kind = s->kind,
          .symbol = s->symbol, .first = s->first);
}

/* JSON: {joint: ...}. CSV and text: a line for each degree of freedom, the base first. `given`:
 * only the joints with this value in `prescribed`; -1: all. shown[nbody]: as --joints says. */
static void add_joints(cli_job *job, const quantity *s, const char *title, int given,
                       const unsigned char *shown) {
  cli_result *r = &job->result;
  const int floating = jn_model_is_floating(job->model);
  cli_result_begin(r, s->key, title);
  for (int i = 0; i < jn_model_body_count(job->model); i++) {
    const jn_joint *j = jn_model_joint(job->model, i);
    const int ball = j->type == JN_JOINT_SPHERICAL;
    const int wrapped = s->first && (ball || j->type == JN_JOINT_FREE);
    const int driver = j->leader >= 0 ? j->leader : i;
    if (given >= 0 && job->state.prescribed[driver] != given) continue;
    if (shown && !shown[i]) continue;
    if (j->leader >= 0) add_follower(job, s, i);
    if (j->nv == 0) continue;
    if (i == 0 && floating) {
      add_joint(job, s, 0, "base", CLI_TO_LINES);
      continue;
    }
    if (wrapped) cli_result_begin(r, j->name, NULL);
    add_joint(job, s, i, !wrapped ? j->name : ball ? "omega" : "twist", CLI_TO_JSON | CLI_TO_LINES);
    if (wrapped) cli_result_end(r);
  }
  cli_result_end(r);
}

static void start_result(cli_job *job) {
  cli_result *r = &job->result;
  r->text = (cli_text_style){.label_width = CLI_FIT, .width = 14, .digits = 7, .corner = "dof"};
  r->label = "joint", r->index[CLI_ROW] = "component";
  r->column = "k", r->columns = (cli_axis)CLI_AXIS(job->order + 1);
  cli_result_number(r, "order", job->order);
}

/* The estimated relative error of every order; a line below the result where more than half of the
 * digits are lost. */
static void add_error(cli_job *job, const quantity *s) {
  cli_result *r = &job->result;
  int worst = 0;
  if (!s->error) return;
  CLI_ADD(r, CLI_TO_JSON, "relative_error", .axis = {[CLI_COLUMN] = CLI_AXIS(job->order + 1)},
          .data = s->error);
  for (int k = 1; k <= job->order; k++)
    if (s->error[k] > s->error[worst]) worst = k;
  if (s->error[worst] < 1e-8) return;
  r->footer = cli_take_text(
      &r->memory,
      "%sonly about %d digits of v^(%d) are left: rounding of the input changes it by %.1g of the "
      "largest; masses, lengths or forces differ by many orders of magnitude\n",
      job->output.format == CLI_TABLE ? "" : "jounce: fd: ", (int)floor(-log10(s->error[worst])),
      worst + 1, s->error[worst]);
}

/* With --layout: one array of all degrees of freedom. */
static int write_flat(cli_job *job, const char *title, const quantity *s, double *lambda) {
  cli_result *r = &job->result;
  const char *layout = cli_layout_names[job->layout_kind];
  const char *const *dofs = cli_job_dofs(job);
  const cli_axis k = CLI_AXIS(job->order + 1, .first = s->first);
  r->title = cli_take_text(&r->memory, "%s of %s, order %d, layout %s", title,
                           cli_job_name(job).text, job->order, layout);
  r->text = (cli_text_style){.label_width = 8, .width = 14, .digits = 7, .corner = ""};
  r->index[CLI_K] = "k";
  r->columns = (cli_axis)CLI_AXIS(jn_model_nv(job->model), .labels = dofs);
  cli_result_number(r, "order", job->order);
  cli_result_string(r, "layout", layout);
  cli_result_names(r, "dofs", dofs, r->columns.size);
  CLI_ADD(r, CLI_TO_ALL, s->flat_key, .axis = {[CLI_K] = k, [CLI_COLUMN] = r->columns},
          .data = s->x, .layout = CLI_ROWS, .symbol = s->symbol, .first = s->first);
  add_error(job, s);
  if (lambda) cli_closure_forces(job, CLI_TO_JSON, lambda);
  return cli_job_write(job);
}

/* Wrenches through the joints, W[(R+1) x nbody x 6]. */
static void add_reactions(cli_job *job, int representation, double *W, const unsigned char *shown) {
  cli_result *r = &job->result;
  const int bodies = jn_model_body_count(job->model);
  const cli_axis row = CLI_AXIS(6, .labels = cli_wrench_components, .stride = 1),
                 k = CLI_AXIS(job->order + 1, .stride = 6 * (size_t)bodies);
  cli_result_begin(r, "reactions",
                   cli_take_text(&r->memory, "reactions (torque, force), %s representation",
                                 cli_representation_names[representation]));
  for (int i = 0; i < bodies; i++) {
    const char *name = cli_joint_name(job->model, i);
    if (shown && !shown[i]) continue;
    CLI_ADD(r, CLI_TO_JSON | CLI_TO_LINES, name, .axis = {[CLI_ROW] = row, k}, .turned = 1,
            .data = W + 6 * (size_t)i, .label = name, .kind = "reaction", .symbol = "W");
  }
  cli_result_end(r);
}

/* The joints of --joints; arrays and other layouts have all of them. */
static int find_shown(cli_job *job, unsigned char **shown) {
  if (job->joints && job->layout)
    return cli_bad_usage(
        "%s: --joints cannot be combined with --layout, whose arrays have all joints",
        job->command);
  if (job->joints) job->result.without |= 1u << CLI_NPY;
  return cli_joints_find(job, shown);
}

/* One quantity of all joints, constraint forces if lambda is not NULL, reactions if W is not, and what
 * `more` adds (may be NULL). */
static int write_dynamics(cli_job *job, const char *title, quantity s, double *lambda,
                          const cli_observer *observer, double *W, int (*more)(cli_job *job)) {
  cli_result *r = &job->result;
  const cli_axis k = CLI_AXIS(job->order + 1), dof = CLI_AXIS(jn_model_nv(job->model));
  const int floating = jn_model_is_floating(job->model);
  unsigned char *shown;
  int code = find_shown(job, &shown);
  if (code) return code;
  if (job->layout) return write_flat(job, title, &s, lambda);
  start_result(job);
  if (lambda || W) r->kind = "kind";
  r->title = cli_take_text(&r->memory, "%s of %s, order %d%s%s%s", title, cli_job_name(job).text,
                           job->order, floating ? " (base: " : "",
                           floating ? cli_representation_names[job->state.representation] : "",
                           floating ? " representation)" : "");
  add_joints(job, &s, NULL, -1, shown);
  if (floating && (!shown || shown[0])) add_joint(job, &s, 0, s.base_key, CLI_TO_JSON);
  if (dof.size == 0) add_joint(job, &s, 0, "", CLI_TO_TEXT); /* the heading of an empty table */
  CLI_ADD(r, CLI_TO_NPY, "", .axis = {[CLI_ROW] = k, dof}, .data = s.x);
  add_error(job, &s);
  if (lambda) cli_closure_forces(job, CLI_TO_JSON | CLI_TO_LINES, lambda);
  if (W) add_reactions(job, observer->reactions, W, shown);
  if (more && (code = more(job))) return code;
  return cli_job_write(job);
}

/* Reads the state and, with --assemble, moves it onto the constraints; *lambda: room for their
 * forces, NULL without them. */
static int begin(cli_job *job, const cli_need *need, double **lambda) {
  *lambda = NULL;
  int code = cli_job_state(job, need, job->order);
  if (code || !cli_is_closed(job)) return code;
  *lambda = cli_closure_room(job);
  if (!*lambda || cli_constraints_world(job, job->order + 2)) return CLI_BAD_INPUT;
  return job->assemble ? cli_close(job, need->motion_rows) : CLI_DONE;
}

typedef struct id_job {
  cli_job job;
  cli_observer observer;
} id_job;

static int run_id(cli_job *job) {
  cli_observer *o = &((id_job *)job)->observer;
  cli_robot_state *s = &job->state;
  const int R = job->order;
  double *lambda, *W = NULL;
  int code = cli_reactions_check(job, o);
  if (code || (code = cli_observer_find(job, o))) return code;
  code = begin(job, &(cli_need){R, R + 2, 0, R + 1, 0, job->pad, 0}, &lambda);
  if (code) return code;
  const jn_model *m = job->model;
  code = cli_closure_status(
      job, lambda ? jn_constrained_inverse_dynamics(m, job->data, R, s->q, s->v, &s->external,
                                                    &job->constraints, s->tau, lambda)
                  : jn_inverse_dynamics(m, job->data, R, s->q, s->v, &s->external, s->tau));
  if (code) return code;
  if (o->reactions_given) {
    W = cli_take_numbers(&job->result.memory, (size_t)R + 1, (size_t)jn_model_body_count(m), 6);
    if (!W) return CLI_BAD_INPUT;
    code = cli_job_status(job, jn_joint_reactions(m, job->data, R, s->q, s->v, &s->external,
                                                  (jn_representation)o->reactions, &o->frames, W));
  }
  return code ? code : write_dynamics(job, "inverse dynamics", forces_of(job), lambda, o, W, NULL);
}

int cli_id(int argc, char **argv) {
  id_job id = {.job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1}};
  const cli_option table[] = {DYNAMICS_OPTIONS(&id.job), CLI_REACTION_OPTIONS(&id.observer)};
  return cli_job_run(&id.job, table, COUNT(table), argc, argv, NULL, run_id);
}

typedef struct fd_job {
  cli_job job;
  int articulated, articulated_given; /* a jn_representation */
} fd_job;

/* --articulated: "articulated": {body: {"MA": [6][6], "WA": [k][6]}} */
static int add_articulated(cli_job *job) {
  const fd_job *fd = (const fd_job *)job;
  const int bodies = jn_model_body_count(job->model), R = job->order;
  const cli_robot_state *s = &job->state;
  cli_result *r = &job->result;
  r->without |= CLI_TO_LINES | CLI_TO_NPY; /* matrices of every body: JSON only */
  double *MA = cli_take_numbers(&r->memory, (size_t)bodies, 6, 6),
         *WA = cli_take_numbers(&r->memory, (size_t)R + 1, (size_t)bodies, 6);
  if (!MA || !WA) return CLI_BAD_INPUT;
  const int code = cli_job_status(
      job, jn_articulated_bodies(job->model, job->data, R, s->q, NULL, s->v, s->tau, &s->external,
                                 (jn_representation)fd->articulated, MA, WA));
  if (code) return code;
  const cli_axis six = CLI_AXIS(6), k = CLI_AXIS(R + 1, .stride = 6 * (size_t)bodies),
                 one = CLI_AXIS(6, .stride = 1);
  cli_result_begin(r, "articulated", NULL);
  for (int i = 0; i < bodies; i++) {
    cli_result_begin(r, jn_model_body(job->model, i)->name, NULL);
    CLI_ADD(r, CLI_TO_JSON, "MA", .axis = {[CLI_ROW] = six, six}, .data = MA + 36 * (size_t)i);
    CLI_ADD(r, CLI_TO_JSON, "WA", .axis = {[CLI_ROW] = k, one}, .data = WA + 6 * (size_t)i);
    cli_result_end(r);
  }
  cli_result_end(r);
  return CLI_DONE;
}

static int check_fd(cli_job *job) {
  const fd_job *fd = (const fd_job *)job;
  if (fd->articulated_given && job->layout_given)
    return cli_bad_usage("fd: --articulated has jounce's layout only: leave out --layout");
  return state_is_given(job);
}

static int run_fd(cli_job *job) {
  cli_robot_state *s = &job->state;
  const int R = job->order;
  double *lambda, *a, *error;
  if (((fd_job *)job)->articulated_given && cli_is_closed(job))
    return cli_bad_usage("fd: --articulated ignores the constraints: confirm with --open");
  int code = begin(job, &(cli_need){R, 1, R + 1, R + 1, 0, job->pad, cli_is_closed(job)}, &lambda);
  if (code) return code;
  const jn_model *m = job->model;
  a = motion_of(job).x;
  error = cli_take_numbers(&job->result.memory, (size_t)R + 1, 1, 1);
  if (!error) return CLI_BAD_INPUT;
  code = cli_closure_status(
      job, lambda ? jn_constrained_forward_dynamics(m, job->data, R, s->q, s->v, s->tau,
                                                    &s->external, &job->constraints, a, lambda)
                  : jn_forward_dynamics_error(m, job->data, R, s->q, s->v, s->tau, &s->external, a,
                                              error));
  if (code) return code;
  quantity motion = motion_of(job);
  if (!lambda) motion.error = error;
  return write_dynamics(job, "forward dynamics", motion, lambda, NULL, NULL,
                        ((fd_job *)job)->articulated_given ? add_articulated : NULL);
}

int cli_fd(int argc, char **argv) {
  fd_job fd = {.job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1}};
  const cli_option table[] = {DYNAMICS_OPTIONS(&fd.job),
                              CLI_PROXIMAL_OPTION(&fd.job),
                              {"--articulated", CLI_CHOICE, &fd.articulated, 0, 0,
                               cli_representation_names, &fd.articulated_given}};
  return cli_job_run(&fd.job, table, COUNT(table), argc, argv, check_fd, run_fd);
}

/* Forces of the joints whose motion is given, motion of the others; NPY has both for all joints. */
static int write_hybrid(cli_job *job, double *lambda) {
  cli_result *r = &job->result;
  const cli_axis kind = CLI_AXIS(1), k = CLI_AXIS(job->order + 1),
                 dof = CLI_AXIS(jn_model_nv(job->model));
  const quantity force = forces_of(job), motion = motion_of(job);
  const quantity *of_base = job->state.prescribed[0] ? &force : &motion;
  unsigned char *shown;
  int code = find_shown(job, &shown);
  if (code) return code;
  start_result(job);
  r->kind = "kind";
  r->title = cli_take_text(&r->memory, "hybrid dynamics of %s, order %d", cli_job_name(job).text,
                           job->order);
  add_joints(job, &force, "forces where motion is given", 1, shown);
  add_joints(job, &motion, "motion where forces are given", 0, shown);
  if (jn_model_is_floating(job->model) && (!shown || shown[0]))
    add_joint(job, of_base, 0, of_base->base_key, CLI_TO_JSON);
  CLI_ADD(r, CLI_TO_NPY, "", .axis = {[CLI_J] = kind, k, dof}, .data = force.x);
  CLI_ADD(r, CLI_TO_NPY, "", .axis = {[CLI_J] = kind, k, dof}, .data = motion.x);
  if (lambda) cli_closure_forces(job, CLI_TO_JSON | CLI_TO_LINES, lambda);
  return cli_job_write(job);
}

typedef struct hybrid_job {
  cli_job job;
  const char *forces; /* --given-force: degrees of freedom; NULL: joints, as the state says */
} hybrid_job;

/* --given-force: of each degree of freedom force or motion is given. Writes all of both. */
static int run_by_freedom(cli_job *job) {
  const int R = job->order, nv = jn_model_nv(job->model);
  cli_robot_state *s = &job->state;
  cli_result *r = &job->result;
  if (cli_is_closed(job) || job->joints)
    return cli_bad_usage("hybrid: --given-force cannot be combined with %s",
                         job->joints ? "--joints" : "constraints: leave them out with --open");
  int code = cli_job_state(job, &(cli_need){R, R + 2, R + 1, R + 1, 0, 1, 0}, R);
  if (code) return code;
  unsigned char *given = cli_take(&r->memory, (size_t)nv + 1, 1);
  const char **words = cli_take(&r->memory, (size_t)nv + 1, sizeof *words);
  if (!given || !words) return CLI_BAD_INPUT;
  if ((code = cli_dofs_find(job, "--given-force", ((hybrid_job *)job)->forces, given))) return code;
  for (int i = 0; i < nv; i++) words[i] = given[i] ? "force" : "motion", given[i] = !given[i];
  code = cli_job_status(job, jn_hybrid_dynamics_by_freedom(job->model, job->data, R, s->q, given,
                                                           s->v, s->tau, &s->external));
  if (code) return code;
  const char *const *dofs = cli_job_dofs(job);
  r->title = cli_take_text(&r->memory, "hybrid dynamics of %s by degree of freedom, order %d",
                           cli_job_name(job).text, R);
  r->text = (cli_text_style){.blocks = 1, .gap = 1, .width = 12, .digits = 5};
  r->label = "quantity", r->index[CLI_K] = "k";
  r->columns = (cli_axis)CLI_AXIS(nv, .labels = dofs);
  cli_result_number(r, "order", R);
  cli_result_names(r, "dofs", dofs, nv);
  cli_result_names(r, "given", words, nv);
  const unsigned to = CLI_TO_JSON | CLI_TO_LINES;
  const cli_axis k = CLI_AXIS(R + 1), kind = CLI_AXIS(1), dof = CLI_AXIS(nv);
  double *acc = motion_of(job).x;
  CLI_ADD(r, to, "tau", .axis = {[CLI_K] = k, [CLI_COLUMN] = r->columns}, .data = s->tau,
          .symbol = "tau");
  CLI_ADD(r, to, "acc", .axis = {[CLI_K] = k, [CLI_COLUMN] = r->columns}, .data = acc,
          .symbol = "v", .first = 1);
  CLI_ADD(r, CLI_TO_NPY, "", .axis = {[CLI_J] = kind, k, dof}, .data = s->tau);
  CLI_ADD(r, CLI_TO_NPY, "", .axis = {[CLI_J] = kind, k, dof}, .data = acc);
  return cli_job_write(job);
}

static int run_hybrid(cli_job *job) {
  cli_robot_state *s = &job->state;
  const int R = job->order;
  double *lambda;
  if (((hybrid_job *)job)->forces) return run_by_freedom(job);
  int code =
      begin(job, &(cli_need){R, R + 2, R + 1, R + 1, 1, job->pad, cli_is_closed(job)}, &lambda);
  if (code) return code;
  const jn_model *m = job->model;
  code = cli_closure_status(
      job, lambda ? jn_constrained_hybrid_dynamics(m, job->data, R, s->q, s->prescribed, s->v,
                                                   s->tau, &s->external, &job->constraints, lambda)
                  : jn_hybrid_dynamics(m, job->data, R, s->q, s->prescribed, s->v, s->tau,
                                       &s->external));
  if (code) return code;
  int given = 0; /* joints whose motion is */
  for (int i = 0; i < jn_model_body_count(m); i++)
    given += s->prescribed[i] && jn_model_joint(m, i)->nv > 0;
  if (!given) cli_warn_digits(job);
  return write_hybrid(job, lambda);
}

int cli_hybrid(int argc, char **argv) {
  hybrid_job h = {.job = {.output = CLI_OUTPUT_DEFAULT, .closes = 1}};
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&h.job),      CLI_STATE_OPTIONS(&h.job),
      CLI_FORMULATION_OPTION(&h.job), CLI_DAMPING_OPTION(&h.job),
      CLI_OUTPUT_OPTIONS(&h.job),     CLI_JOINTS_OPTION(&h.job),
      CLI_ACTIVE_OPTION(&h.job),      CLI_CLOSURE_OPTION(&h.job),
      CLI_WORLD_OPTION(&h.job),       CLI_OPT_TEXT("given-force", &h.forces),
  };
  return cli_job_run(&h.job, table, COUNT(table), argc, argv, state_is_given, run_hybrid);
}
