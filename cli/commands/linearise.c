/* linearise.c: linearise. */
#include <math.h>
#include <string.h>

#include <jounce/integrate.h>
#include <jounce/jet.h>
#include <jounce/linearise.h>

#include "job/closure.h"
#include "commands.h"
#include "job/job.h"
#include "output/names.h"

static const char *const input_names[] = {"full", "joints", NULL};

typedef struct linearise_job {
  cli_job job;
  jn_linearise_options options;
  int input, representation, right, hold, stepped, timed, samples;
  double step, time;
  int count; /* number of A: orders or instants */
  size_t nv, n, m;
  double *A, *B, *Ad, *Bd, *t, *work;
  /* of models with constraints: minimal states */
  double *projector, *A_minimal, *B_minimal;
  int mobility, *independent, changed; /* changed: at changed_at, other minimal states */
  double changed_at;
  const char **times; /* headings of the instants */
} linearise_job;

/* Changes the representation of the twists and wrenches of free joints. */
static void represent(linearise_job *l) {
  cli_robot_state *s = &l->job.state;
  const jn_representation from = s->representation, to = (jn_representation)l->representation;
  for (int i = 0; i < jn_model_body_count(l->job.model) && from != to; i++) {
    const jn_joint *j = jn_model_joint(l->job.model, i);
    if (j->type != JN_JOINT_FREE) continue;
    const double *q = s->q + j->iq;
    const jn_pose C = {jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3]))),
                       {q[4], q[5], q[6]}};
    double *v = s->v + j->iv, *tau = s->tau + j->iv, R[2 * 9], p[2 * 3], V[6], W[6];
    jn_jet_convert_twist(0, from, to, C, v, R, p, V);
    jn_jet_convert_wrench(0, from, to, R, p, tau, W);
    memcpy(v, V, sizeof V);
    memcpy(tau, W, sizeof W);
  }
  s->representation = to;
  jn_data_settings(l->job.data)->representation = s->representation;
}

static int has_free_joint(const jn_model *m) {
  for (int i = 0; i < jn_model_body_count(m); i++)
    if (jn_model_joint(m, i)->type == JN_JOINT_FREE) return 1;
  return 0;
}

static int check_options(linearise_job *l) {
  const int order = l->job.order, moving = order > 0 || l->timed;
  if (l->stepped && !(l->step > 0))
    return cli_bad_usage("linearise: --step: a positive number of seconds expected, found %.9g",
                         l->step);
  if (l->timed && !(l->time > 0))
    return cli_bad_usage("linearise: --time: a positive number of seconds expected, found %.9g",
                         l->time);
  if (l->samples && !l->timed)
    return cli_bad_usage("linearise: --samples needs --time, the seconds they are spread over");
  if (l->timed && order > 0)
    return cli_bad_usage("linearise: --time and --order exclude each other");
  if (l->stepped && order > 0)
    return cli_bad_usage("linearise: --step and --order exclude each other");
  if (moving && l->representation >= 0 && l->representation != (int)l->job.state.representation)
    return cli_bad_usage(
        "linearise: with --order or --time the state must be given in --representation %s",
        cli_representation_names[l->representation]);
  if (!l->samples) l->samples = 10;
  if (!cli_is_closed(&l->job)) return CLI_DONE;
  if (l->right)
    return cli_bad_usage(
        "linearise: --right does not apply to models with constraints; --open leaves the "
        "constraints out");
  if (l->representation >= 0 && l->representation != JN_BODY)
    return cli_bad_usage(
        "linearise: with constraints the twist of a free joint varies in body "
        "representation: --representation body");
  if (order > 0 && l->job.state.representation != JN_BODY && has_free_joint(l->job.model))
    return cli_bad_usage(
        "linearise: with constraints and --order give the state in body representation: "
        "\"representation\": \"body\"");
  l->representation = JN_BODY;
  return CLI_DONE;
}

static int make_room(linearise_job *l) {
  const jn_model *model = l->job.model;
  l->nv = (size_t)jn_model_nv(model), l->n = 2 * l->nv;
  l->options.trivialisation = l->right ? JN_RIGHT : JN_LEFT;
  l->options.input = l->input ? JN_INPUT_JOINTS : JN_INPUT_FULL;
  l->m = (size_t)jn_linearise_inputs(model, &l->options);
  l->count = l->timed ? l->samples + 1 : l->job.order + 1;
  const size_t count = (size_t)l->count,
               rates = cli_is_closed(&l->job)
                           ? jn_constrained_linearise_rates_size(model, l->job.order)
                           : jn_linearise_rates_size(model, l->job.order);
  const size_t work = rates > 4 * l->n * l->n ? rates : 4 * l->n * l->n;
  cli_memory *memory = &l->job.result.memory;
  l->A = cli_take_numbers(memory, count, l->n, l->n);
  l->B = cli_take_numbers(memory, count, l->n, l->m);
  l->Ad = cli_take_numbers(memory, count, l->n, l->n);
  l->Bd = cli_take_numbers(memory, count, l->n, l->m);
  l->t = cli_take_numbers(memory, count, 1, 1);
  l->work = cli_take_numbers(memory, work, 1, 1);
  if (cli_is_closed(&l->job)) {
    l->projector = cli_take_numbers(memory, count, l->n, l->n);
    l->A_minimal = cli_take_numbers(memory, count, l->n, l->n);
    l->B_minimal = cli_take_numbers(memory, count, l->n, l->m);
    l->independent = cli_take(memory, 2 * l->nv + 1, sizeof(int));
  }
  return memory->failed ? CLI_BAD_INPUT : CLI_DONE;
}

/* tau for v' = v'' = ... = 0 */
static jn_status hold(linearise_job *l) {
  cli_job *job = &l->job;
  cli_robot_state *s = &job->state;
  memset(s->v + l->nv, 0, sizeof(double) * ((size_t)job->order + 1) * l->nv);
  if (cli_is_closed(job))
    return jn_constrained_inverse_dynamics(job->model, job->data, job->order, s->q, s->v,
                                           &s->external, &job->constraints, s->tau, NULL);
  return jn_inverse_dynamics(job->model, job->data, job->order, s->q, s->v, &s->external, s->tau);
}

static jn_status at_state(linearise_job *l, size_t i) {
  cli_job *job = &l->job;
  cli_robot_state *s = &job->state;
  double *A = l->A + i * l->n * l->n, *B = l->B + i * l->n * l->m;
  jn_status status =
      jn_linearise(job->model, job->data, &l->options, s->q, s->v, s->tau, &s->external, A, B);
  if (!status && i == 0) cli_warn_digits(job);
  if (!status && l->stepped)
    status = jn_zero_order_hold((int)l->n, (int)l->m, A, B, l->step, l->work,
                                l->Ad + i * l->n * l->n, l->Bd + i * l->n * l->m);
  return status;
}

/* On the constraints: all states, and minimal ones; a step of these. The degrees of freedom of the
 * minimal states are those of instant 0: JN_ERR_RANK if they change. */
static jn_status on_constraints(linearise_job *l, size_t i) {
  cli_job *job = &l->job;
  cli_robot_state *s = &job->state;
  const size_t square = i * l->n * l->n, wide = i * l->n * l->m;
  int *now = l->independent + (i ? l->nv : 0), mobility = 0;
  const jn_linearise_closed out = {.A = l->A + square,
                                   .B = l->B + wide,
                                   .projector = l->projector + square,
                                   .mobility = &mobility,
                                   .independent = now,
                                   .A_minimal = l->A_minimal + square,
                                   .B_minimal = l->B_minimal + wide};
  jn_status status = jn_constrained_linearise(job->model, job->data, &l->options, s->q, s->v,
                                              s->tau, &s->external, &job->constraints, &out);
  if (i == 0) l->mobility = mobility;
  for (int k = 0; k < mobility && !status; k++)
    if (mobility != l->mobility || now[k] != l->independent[k]) l->changed = 1;
  if (!status && l->stepped)
    status = jn_zero_order_hold(2 * mobility, (int)l->m, out.A_minimal, out.B_minimal, l->step,
                                l->work, l->Ad + square, l->Bd + wide);
  return status;
}

/* The same with time derivatives of orders 0..r. The matrices of minimal states are smaller than the
 * room for them: they are moved to where on_constraints has them. */
static jn_status on_constraints_rates(linearise_job *l) {
  cli_job *job = &l->job;
  cli_robot_state *s = &job->state;
  const jn_linearise_closed out = {.A = l->A,
                                   .B = l->B,
                                   .projector = l->projector,
                                   .mobility = &l->mobility,
                                   .independent = l->independent,
                                   .A_minimal = l->A_minimal,
                                   .B_minimal = l->B_minimal};
  const jn_status status =
      jn_constrained_linearise_rates(job->model, job->data, &l->options, job->order, s->q, s->v,
                                     s->tau, &s->external, &job->constraints, l->work, &out);
  const size_t p = 2 * (size_t)l->mobility;
  for (size_t k = (size_t)job->order; k > 0 && !status; k--) {
    memmove(l->A_minimal + k * l->n * l->n, l->A_minimal + k * p * p, sizeof(double) * p * p);
    memmove(l->B_minimal + k * l->n * l->m, l->B_minimal + k * p * l->m, sizeof(double) * p * l->m);
  }
  return status;
}

/* Linearises along the motion that starts at the state. */
static jn_status along(linearise_job *l) {
  cli_job *job = &l->job;
  cli_robot_state *s = &job->state;
  const jn_settings *settings = jn_data_settings(job->data);
  jn_simulation_options o = jn_simulation_options_default();
  jn_simulation *simulation = NULL;
  double *tau = l->work;
  for (size_t i = 0; i < l->nv; i++)
    tau[i] = s->tau[i] + (s->external.tau ? s->external.tau[i] : 0);
  o.scheme = JN_RKMK54;
  o.representation = s->representation;
  o.gravity = &settings->gravity;
  o.forces.tau = tau;
  o.forces.model_damping = settings->damping;
  o.forces.wrench_count = s->external.wrench_count;
  o.forces.wrenches = s->external.wrenches;
  const jn_constraints active = {.active = job->constraints.active};
  if (cli_is_closed(job)) o.constraints = &active;
  jn_status status = jn_simulation_new(job->model, &o, NULL, &simulation, NULL);
  if (!status) status = jn_simulation_set_state(simulation, 0, s->q, s->v);
  for (int i = 0; i < l->count && !status; i++) {
    l->t[i] = l->time * i / l->samples;
    status = jn_simulation_run_to(simulation, l->t[i], NULL);
    if (!status) status = jn_simulation_state(simulation, NULL, s->q, s->v);
    if (!status)
      status = cli_is_closed(job) ? on_constraints(l, (size_t)i) : at_state(l, (size_t)i);
    if (l->changed) {
      l->changed_at = l->t[i];
      break;
    }
  }
  jn_simulation_free(simulation);
  return status;
}

static int compute(linearise_job *l) {
  cli_job *job = &l->job;
  cli_robot_state *s = &job->state;
  jn_status status = l->hold ? hold(l) : JN_OK;
  if (!status && l->representation >= 0) represent(l);
  if (!status && l->timed) {
    status = along(l);
  } else if (!status && cli_is_closed(job)) {
    status = job->order > 0 ? on_constraints_rates(l) : on_constraints(l, 0);
  } else if (!status && job->order > 0) {
    status = jn_linearise_rates(job->model, job->data, &l->options, job->order, s->q, s->v, s->tau,
                                &s->external, l->work, l->A, l->B);
  } else if (!status) {
    status = at_state(l, 0);
  }
  if (!status && l->changed)
    return cli_bad_input(
        "linearise: at t = %.6g the minimal states would be those of other degrees of freedom: "
        "give "
        "a shorter --time, or linearise from there",
        l->changed_at);
  return cli_closure_status(job, status);
}

/* Names of xi ("d elbow", "d base:rx", "d base:px"), of dv ("d elbow'", "d base:wx", "d base:vx")
 * and of du ("tau elbow"), one after the other. */
static const char *const *name_columns(linearise_job *l) {
  const jn_model *model = l->job.model;
  cli_result *r = &l->job.result;
  const size_t nv = l->nv, first_input = nv - l->m;
  const char **names = cli_take(&r->memory, l->n + l->m, sizeof(char *));
  for (size_t i = 0; names && i < nv; i++) {
    int c, joint = cli_dof_joint(model, (int)i, &c);
    const jn_joint_type type = jn_model_joint(model, joint)->type;
    const int turns = type == JN_JOINT_FREE || type == JN_JOINT_SPHERICAL;
    cli_dof dof = cli_dof_name(model, (int)i);
    names[nv + i] = cli_take_text(&r->memory, "d %s%s", dof.text, turns ? "" : "'");
    if (i >= first_input)
      names[l->n + i - first_input] = cli_take_text(&r->memory, "tau %s", dof.text);
    if (turns) strrchr(dof.text, ':')[1] = c < 3 ? 'r' : 'p';
    names[i] = cli_take_text(&r->memory, "d %s", dof.text);
  }
  return names;
}

/* Adds [A B] as one array, and A and B as parts of it. */
static void add_system(linearise_job *l, const char *name, unsigned formats, const char *key_A,
                       const double *A, const char *key_B, const double *B) {
  cli_result *r = &l->job.result;
  const size_t n = l->n, m = l->m, width = n + m, rows = (size_t)l->count * n;
  const int listed = l->timed || l->job.order > 0;
  const cli_axis part = {l->count, listed, l->times, 0, n * width}, none = CLI_NO_AXIS;
  const cli_axis row = CLI_AXIS((int)n, .stride = width), k = CLI_AXIS(l->count);
  double *AB = cli_take_numbers(&r->memory, rows, width, 1);
  for (size_t i = 0; AB && i < rows; i++) {
    memcpy(AB + i * width, A + i * n, n * sizeof *AB);
    memcpy(AB + i * width + n, B + i * m, m * sizeof *AB);
  }
  CLI_ADD(r, CLI_TO_VIEW, key_A, .axis = {part, none, row, CLI_AXIS((int)n)}, .data = AB);
  CLI_ADD(r, CLI_TO_VIEW, key_B, .axis = {part, none, row, CLI_AXIS((int)m)}, .data = AB + n);
  CLI_ADD(r, formats, name, .axis = {k, none, row, r->columns}, .data = AB);
}

/* "projector", "minimal_states", "A_minimal", "B_minimal", and their step */
static void add_minimal(linearise_job *l, const char *const *names) {
  cli_result *r = &l->job.result;
  const int n = (int)l->n, m = (int)l->m, p = l->mobility;
  const size_t square = (size_t)n * (size_t)n, wide = (size_t)n * (size_t)m;
  const cli_axis none = CLI_NO_AXIS, row = CLI_AXIS(2 * p, .stride = 2 * (size_t)p),
                 input = CLI_AXIS(2 * p, .stride = (size_t)m),
                 all = CLI_AXIS(n, .stride = (size_t)n);
  const int listed = l->timed || l->job.order > 0;
  const cli_axis part = {l->count, listed, l->times, 0, square},
                 inputs = {l->count, listed, l->times, 0, wide};
  const char **states = cli_take(&r->memory, 2 * (size_t)p + 1, sizeof(char *));
  for (int i = 0; names && states && i < p; i++) {
    states[i] = names[l->independent[i]];
    states[p + i] = names[(int)l->nv + l->independent[i]];
  }
  CLI_ADD(r, CLI_TO_VIEW, "projector", .axis = {part, none, all, CLI_AXIS(n)},
          .data = l->projector);
  cli_result_names(r, "minimal_states", states, 2 * p);
  CLI_ADD(r, CLI_TO_VIEW, "A_minimal", .axis = {part, none, row, CLI_AXIS(2 * p)},
          .data = l->A_minimal);
  CLI_ADD(r, CLI_TO_VIEW, "B_minimal", .axis = {inputs, none, input, CLI_AXIS(m)},
          .data = l->B_minimal);
  if (!l->stepped) return;
  cli_result_begin(r, NULL, cli_take_text(&r->memory, "step of %g s", l->step));
  CLI_ADD(r, CLI_TO_VIEW, "Ad_minimal", .axis = {part, none, row, CLI_AXIS(2 * p)}, .data = l->Ad);
  CLI_ADD(r, CLI_TO_VIEW, "Bd_minimal", .axis = {inputs, none, input, CLI_AXIS(m)}, .data = l->Bd);
}

static void describe(linearise_job *l) {
  cli_result *r = &l->job.result;
  const int n = (int)l->n, m = (int)l->m;
  const char *representation = cli_representation_names[l->job.state.representation];
  const char *const *names = name_columns(l);
  if (l->timed) l->times = cli_take(&r->memory, (size_t)l->count, sizeof(char *));
  for (int i = 0; l->times && i < l->count; i++)
    l->times[i] = cli_take_text(&r->memory, "at t = %g", l->t[i]);
  r->title = cli_take_text(&r->memory, "z' = A z + B du of %s; base twist in %s representation",
                           cli_job_name(&l->job).text, representation);
  r->text = (cli_text_style){.blocks = 1, .gap = 2, .width = 11, .digits = 4};
  r->label = "quantity", r->index[CLI_K] = "k", r->index[CLI_ROW] = "row";
  r->columns = (cli_axis)CLI_AXIS(n + m, .labels = names);
  cli_result_number(r, "order", l->job.order);
  cli_result_string(r, "representation", representation);
  cli_result_names(r, "states", names, n);
  cli_result_names(r, "inputs", names ? names + n : NULL, m);
  if (l->timed)
    CLI_ADD(r, CLI_TO_JSON, "t", .axis = {[CLI_COLUMN] = CLI_AXIS(l->count)}, .data = l->t);
  add_system(l, "continuous", CLI_TO_CSV | CLI_TO_NPY, "A", l->A, "B", l->B);
  if (cli_is_closed(&l->job)) {
    add_minimal(l, names);
    return;
  }
  if (!l->stepped) return;
  cli_result_begin(r, NULL, cli_take_text(&r->memory, "step of %g s", l->step));
  add_system(l, "step", CLI_TO_CSV, "Ad", l->Ad, "Bd", l->Bd);
}

static int run_linearise(cli_job *job) {
  linearise_job *l = (linearise_job *)job;
  const int R = job->order;
  cli_need need = {
      R, 1, l->hold ? 0 : R + 1, R + 1, 0, job->pad || !job->state_path, cli_is_closed(job)};
  int code = cli_job_state(job, &need, R);
  if (!code && cli_is_closed(job) && job->assemble) code = cli_close(job, 1);
  if (code || (code = check_options(l)) || (code = make_room(l)) || (code = compute(l)))
    return code;
  describe(l);
  return cli_job_write(job);
}

int cli_linearise(int argc, char **argv) {
  linearise_job l = {.job = CLI_JOB_DEFAULT, .representation = -1};
  l.job.closes = 1;
  const cli_option table[] = {
      CLI_MODEL_OPTIONS(&l.job),
      CLI_STATE_OPTIONS(&l.job),
      CLI_DAMPING_OPTION(&l.job),
      CLI_OUTPUT_OPTIONS(&l.job),
      CLI_OPT_CHOICE("input", &l.input, input_names),
      CLI_OPT_CHOICE("representation", &l.representation, cli_representation_names),
      CLI_OPT_FLAG("right", &l.right, 1),
      CLI_OPT_FLAG("hold", &l.hold, 1),
      CLI_OPT_NUMBER("step", &l.step, &l.stepped),
      CLI_OPT_NUMBER("time", &l.time, &l.timed),
      CLI_OPT_INT("samples", &l.samples, 1, 100000),
      CLI_ASSEMBLE_OPTIONS(&l.job),
      CLI_ACTIVE_OPTION(&l.job),
  };
  return cli_job_run(&l.job, table, COUNT(table), argc, argv, NULL, run_linearise);
}
