/* commands_linearize.c: linearize. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/integrate.h>
#include <jounce/linearise.h>

#include "commands.h"
#include "job.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_linearize_help[] =
    "usage: jounce linearize MODEL [--state FILE] [--hold] [--input full|joints] [options]\n\n"
    "The dynamics near a state (q, v, tau), without charts: z' = A z + B du for the state\n"
    "(q exp(xi), v + dv), z = (xi, dv). The pose of a floating base varies as C exp(xi), angular\n"
    "first, so nothing is singular at any attitude. Writes {\"order\", \"representation\",\n"
    "\"states\": [2n names], \"inputs\": [m names], \"A\": [2n][2n], \"B\": [2n][m]}, with --step\n"
    "\"Ad\" and \"Bd\" too. Reads q, q', V, tau and base_wrench. Without --state: at home, at "
    "rest.\n\n"
    "MODEL is a URDF (.urdf, .xml), a native model (.json) or a built-in robot.\n"
    "  --fixed, --floating    hold the root link, or let it float, against what the file says\n"
    "  --strict               refuse inertias that violate the triangle inequality\n"
    "  --state FILE           STATE file (JSON); '-' reads standard input\n"
    "  --pad                  take what the state lacks as zero\n"
    "  --hold                 tau is what keeps v' = 0 instead of the state's\n"
    "  --input NAME           full (default): all of tau with the base wrench; joints: without\n"
    "  --representation NAME  in which the base twist varies and the base wrench is held: "
    "spatial,\n"
    "                         body, hybrid or mixed; default the state's\n"
    "  --right                the pose varies as exp(xi) C\n"
    "  --step H               also the system of steps of H seconds with the input held\n"
    "  --order R              A and B with their time derivatives k = 0..R along the motion that\n"
    "                         tau ... tau^(R) makes: lists\n"
    "  --time T, --samples N  along the motion of T seconds that constant forces make from the\n"
    "                         state on: \"t\": [N+1 instants], A ... Bd lists over them; N\n"
    "                         defaults to 10\n"
    "  --gravity X,Y,Z        instead of the state's or the model's\n"
    "  --damping              include the joints' viscous damping of the model file\n"
    "  --format NAME          json, csv, npy or text; default json, on a terminal text\n"
    "  --text                 the same as --format text\n"
    "  --output FILE          write there instead of standard output\n"
    "csv: quantity, k, row and a column for each state, then for each input.\n"
    "npy: [A B], array [k][2n][2n + m].\n\n"
    "example:\n"
    "  jounce linearize tilthex --hold --representation body --input joints --text\n"
    "  echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]},\n"
    "         \"tau\": {\"joint1\": [2], \"joint2\": [0]}}' |\n"
    "    jounce linearize double_pendulum --state - --step 0.01\n";

static const char *const input_names[] = {"full", "joints", NULL};

typedef struct linearize_job {
  cli_job job;
  jn_linearise_options options;
  int input, representation, right, hold, stepped, timed, samples;
  double step, time;
  int count; /* matrices of each kind: orders or instants */
  size_t nv, n, m;
  double *A, *B, *Ad, *Bd, *t, *work;
} linearize_job;

/* v_body = D v_representation of a free joint at q, by columns e */
static void to_body(int representation, const double *q, const double *e, double *out) {
  jn_pose C = {jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3]))),
               {q[4], q[5], q[6]}};
  jn_twist V = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}}, b = V;
  if (representation == JN_SPATIAL) b = jn_Ad_inv(C, V);
  if (representation == JN_HYBRID) b.w = jn_m3_apply_t(C.R, V.w);
  if (representation == JN_HYBRID || representation == JN_MIXED) b.v = jn_m3_apply_t(C.R, V.v);
  const double x[6] = {b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z};
  memcpy(out, x, sizeof x);
}

static void from_body(int representation, const double *q, const double *e, double *out) {
  jn_pose C = {jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3]))),
               {q[4], q[5], q[6]}};
  jn_twist V = {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}}, r = V;
  if (representation == JN_SPATIAL) r = jn_Ad(C, V);
  if (representation == JN_HYBRID) r.w = jn_m3_apply(C.R, V.w);
  if (representation == JN_HYBRID || representation == JN_MIXED) r.v = jn_m3_apply(C.R, V.v);
  const double x[6] = {r.w.x, r.w.y, r.w.z, r.v.x, r.v.y, r.v.z};
  memcpy(out, x, sizeof x);
}

/* Free joints of the state into another representation; forces keep their power. */
static void represent(linearize_job *l) {
  cli_state *s = &l->job.state;
  const int from = (int)s->representation, to = l->representation;
  for (int i = 0; i < jn_model_body_count(l->job.model) && from != to; i++) {
    const jn_joint *j = jn_model_joint(l->job.model, i);
    if (j->type != JN_JOINT_FREE) continue;
    double body[6], *v = s->v + j->iv, *tau = s->tau + j->iv, force[6];
    for (int c = 0; c < 6; c++) {
      double e[6] = {0}, column[6];
      e[c] = 1;
      to_body(to, s->q + j->iq, e, body);
      from_body(from, s->q + j->iq, body, column);
      force[c] = 0;
      for (int k = 0; k < 6; k++) force[c] += column[k] * tau[k];
    }
    to_body(from, s->q + j->iq, v, body);
    from_body(to, s->q + j->iq, body, v);
    memcpy(tau, force, sizeof force);
  }
  s->representation = (jn_representation)to;
  jn_data_settings(l->job.data)->representation = s->representation;
}

static int check_options(linearize_job *l) {
  cli_job *job = &l->job;
  const int moving = job->order > 0 || l->timed;
  if (l->stepped && (!isfinite(l->step) || l->step <= 0)) {
    cli_error("linearize: --step: a positive number of seconds expected, found %.9g", l->step);
  } else if (l->timed && (!isfinite(l->time) || l->time <= 0)) {
    cli_error("linearize: --time: a positive number of seconds expected, found %.9g", l->time);
  } else if (l->samples && !l->timed) {
    cli_error("linearize: --samples needs --time, the seconds they are spread over");
  } else if (l->timed && job->order > 0) {
    cli_error("linearize: --time and --order exclude each other");
  } else if (l->stepped && job->order > 0) {
    cli_error("linearize: --step and --order exclude each other");
  } else if (moving && l->representation >= 0 &&
             l->representation != (int)job->state.representation) {
    cli_error("linearize: with --order or --time the state must be given in --representation %s",
              cli_representation_names[l->representation]);
  } else {
    if (!l->samples) l->samples = 10;
    return CLI_DONE;
  }
  return CLI_BAD_USAGE;
}

static int make_room(linearize_job *l) {
  const jn_model *model = l->job.model;
  l->nv = (size_t)jn_model_nv(model), l->n = 2 * l->nv;
  l->options.trivialisation = l->right ? JN_RIGHT : JN_LEFT;
  l->options.input = l->input ? JN_INPUT_JOINTS : JN_INPUT_FULL;
  l->m = (size_t)jn_linearise_inputs(model, &l->options);
  l->count = l->timed ? l->samples + 1 : l->job.order + 1;
  const size_t count = (size_t)l->count, rates = jn_linearise_rates_size(model, l->job.order);
  const size_t work = rates > 4 * l->n * l->n ? rates : 4 * l->n * l->n;
  if (!(l->A = cli_room(count, l->n, l->n)) || !(l->B = cli_room(count, l->n, l->m)) ||
      !(l->Ad = cli_room(count, l->n, l->n)) || !(l->Bd = cli_room(count, l->n, l->m)) ||
      !(l->t = cli_room(count, 1, 1)) || !(l->work = cli_room(work, 1, 1)))
    return CLI_BAD_INPUT;
  return CLI_DONE;
}

/* tau that keeps v' and all that follows at zero */
static jn_status hold(linearize_job *l) {
  cli_job *job = &l->job;
  cli_state *s = &job->state;
  memset(s->v + l->nv, 0, sizeof(double) * ((size_t)job->order + 1) * l->nv);
  return jn_inverse_dynamics(job->model, job->data, job->order, s->q, s->v, &s->external, s->tau);
}

static jn_status at_state(linearize_job *l, size_t i) {
  cli_job *job = &l->job;
  cli_state *s = &job->state;
  double *A = l->A + i * l->n * l->n, *B = l->B + i * l->n * l->m;
  jn_status status =
      jn_linearise(job->model, job->data, &l->options, s->q, s->v, s->tau, &s->external, A, B);
  if (!status && l->stepped)
    status = jn_zero_order_hold((int)l->n, (int)l->m, A, B, l->step, l->work,
                                l->Ad + i * l->n * l->n, l->Bd + i * l->n * l->m);
  return status;
}

/* Along the motion from the state on. */
static jn_status along(linearize_job *l) {
  cli_job *job = &l->job;
  cli_state *s = &job->state;
  const jn_settings *settings = jn_data_settings(job->data);
  jn_simulation_options o = jn_simulation_default();
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
  jn_status status = jn_simulation_new(job->model, &o, NULL, &simulation, NULL);
  if (!status) status = jn_simulation_set_state(simulation, 0, s->q, s->v);
  for (int i = 0; i < l->count && !status; i++) {
    l->t[i] = l->time * i / l->samples;
    status = jn_simulation_run_to(simulation, l->t[i], NULL);
    if (!status) status = jn_simulation_state(simulation, NULL, s->q, s->v);
    if (!status) status = at_state(l, (size_t)i);
  }
  jn_simulation_free(simulation);
  return status;
}

static int compute(linearize_job *l) {
  cli_job *job = &l->job;
  cli_state *s = &job->state;
  jn_status status = l->hold ? hold(l) : JN_OK;
  if (!status && l->representation >= 0) represent(l);
  if (!status && l->timed) {
    status = along(l);
  } else if (!status && job->order > 0) {
    status = jn_linearise_rates(job->model, job->data, &l->options, job->order, s->q, s->v, s->tau,
                                &s->external, l->work, l->A, l->B);
  } else if (!status) {
    status = at_state(l, 0);
  }
  return cli_job_status(job, status);
}

/* Calls `write` with the name of every number of xi (kind 0: "d elbow", "d base:rx", "d base:px"),
 * of dv (1: "d elbow'", "d base:wx", "d base:vx") or of du (2: "tau elbow"). */
static void each_name(cli_output *out, const linearize_job *l, int kind,
                      void (*write)(cli_output *out, const char *name)) {
  const jn_model *model = l->job.model;
  char name[JN_MAX_NAME + 16], text[JN_MAX_NAME + 32];
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    const int turns = j->type == JN_JOINT_FREE || j->type == JN_JOINT_SPHERICAL;
    for (int c = 0; c < j->nv; c++) {
      if (kind == 2 && (size_t)(j->iv + c) < l->nv - l->m) continue;
      cli_dof_name(model, i, c, name, sizeof name);
      char *component = strrchr(name, ':');
      if (kind == 0 && turns && component) component[1] = c < 3 ? 'r' : 'p';
      snprintf(text, sizeof text, "%s%s%s", kind == 2 ? "tau " : "d ", name,
               kind == 1 && !turns ? "'" : "");
      write(out, text);
    }
  }
}

static void write_json(cli_output *out, const linearize_job *l) {
  const int plain = !l->timed && l->job.order == 0, n = (int)l->n, m = (int)l->m;
  cli_json_begin(out, '{');
  cli_json_key(out, "order");
  cli_json_int(out, l->job.order);
  cli_json_key(out, "representation");
  cli_json_text(out, cli_representation_names[l->job.state.representation]);
  cli_json_key(out, "states");
  cli_json_begin(out, '[');
  each_name(out, l, 0, cli_json_text);
  each_name(out, l, 1, cli_json_text);
  cli_json_end(out);
  cli_json_key(out, "inputs");
  cli_json_begin(out, '[');
  each_name(out, l, 2, cli_json_text);
  cli_json_end(out);
  if (l->timed) {
    cli_json_key(out, "t");
    cli_json_row(out, l->count, l->t, 1);
  }
  cli_json_key(out, "A");
  cli_json_matrices(out, l->count, plain, n, n, l->A);
  cli_json_key(out, "B");
  cli_json_matrices(out, l->count, plain, n, m, l->B);
  if (l->stepped) {
    cli_json_key(out, "Ad");
    cli_json_matrices(out, l->count, plain, n, n, l->Ad);
    cli_json_key(out, "Bd");
    cli_json_matrices(out, l->count, plain, n, m, l->Bd);
  }
  cli_json_end(out);
}

static void csv_column(cli_output *out, const char *name) {
  fputc(',', out->file);
  cli_csv_text(out, name);
}

static void csv_lines(cli_output *out, const linearize_job *l, const char *quantity,
                      const double *A, const double *B) {
  for (int k = 0; k < l->count; k++)
    for (size_t row = 0; row < l->n; row++) {
      fprintf(out->file, "%s,%d,%d", quantity, k, (int)row);
      for (size_t c = 0; c < l->n + l->m; c++) {
        fputc(',', out->file);
        cli_write_number(out, c < l->n ? *A++ : *B++);
      }
      fputc('\n', out->file);
    }
}

static void write_csv(cli_output *out, const linearize_job *l) {
  fputs("quantity,k,row", out->file);
  for (int kind = 0; kind < 3; kind++) each_name(out, l, kind, csv_column);
  fputc('\n', out->file);
  csv_lines(out, l, "continuous", l->A, l->B);
  if (l->stepped) csv_lines(out, l, "step", l->Ad, l->Bd);
}

static int write_npy(cli_output *out, const linearize_job *l) {
  const size_t shape[3] = {(size_t)l->count, l->n, l->n + l->m}, rows = shape[0] * shape[1];
  double *x = cli_room(rows, shape[2], 1);
  if (!x) return CLI_BAD_INPUT;
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < shape[2]; c++)
      x[r * shape[2] + c] = c < l->n ? l->A[r * l->n + c] : l->B[r * l->m + c - l->n];
  cli_npy(out, 3, shape, x);
  free(x);
  return CLI_DONE;
}

static void text_block(cli_output *out, const linearize_job *l, const char *symbol, size_t columns,
                       const double *x) {
  for (int k = 0; k < l->count; k++) {
    char name[64];
    if (l->timed)
      snprintf(name, sizeof name, "%s at t = %g", symbol, l->t[k]);
    else
      cli_derivative_name(symbol, k, name, sizeof name);
    fprintf(out->file, "%s\n", name);
    for (size_t i = 0; i < l->n; i++) {
      for (size_t j = 0; j < columns; j++) fprintf(out->file, " %11.4g", *x++ + 0.0); /* no -0 */
      fputc('\n', out->file);
    }
  }
}

static void text_name(cli_output *out, const char *name) {
  fprintf(out->file, "  %s", cli_clean(name).text);
}

static void write_text(cli_output *out, const linearize_job *l) {
  fprintf(out->file, "z' = A z + B du of %s; base twist in %s representation\nstates:",
          cli_clean(jn_model_name(l->job.model)).text,
          cli_representation_names[l->job.state.representation]);
  each_name(out, l, 0, text_name);
  each_name(out, l, 1, text_name);
  fputs("\ninputs:", out->file);
  each_name(out, l, 2, text_name);
  fputc('\n', out->file);
  text_block(out, l, "A", l->n, l->A);
  text_block(out, l, "B", l->m, l->B);
  if (!l->stepped) return;
  fprintf(out->file, "step of %g s\n", l->step);
  text_block(out, l, "Ad", l->n, l->Ad);
  text_block(out, l, "Bd", l->m, l->Bd);
}

static int run_linearize(linearize_job *l, const cli_option *table, int count, int argc,
                         char **argv) {
  cli_job *job = &l->job;
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code || (code = cli_job_model(job))) return code;
  int R = job->order;
  cli_need need = {R, 1, l->hold ? 0 : R + 1, R + 1, 0, job->pad || !job->state_path};
  if ((code = cli_job_state(job, &need, R))) return code;
  if ((code = check_options(l)) || (code = make_room(l)) || (code = compute(l))) return code;
  cli_output out;
  if ((code = cli_output_open(&out, &job->output, "linearize", 0))) return code;
  if (out.format == CLI_JSON) write_json(&out, l);
  if (out.format == CLI_CSV) write_csv(&out, l);
  if (out.format == CLI_TABLE) write_text(&out, l);
  if (out.format == CLI_NPY) code = write_npy(&out, l);
  int closed = cli_output_close(&out);
  return code ? code : closed;
}

int cli_linearize(int argc, char **argv) {
  linearize_job l = {.job = CLI_JOB_DEFAULT, .representation = -1};
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
  };
  int code = run_linearize(&l, table, COUNT(table), argc, argv);
  double *const rooms[] = {l.A, l.B, l.Ad, l.Bd, l.t, l.work};
  for (int i = 0; i < COUNT(rooms); i++) free(rooms[i]);
  cli_job_end(&l.job);
  return code;
}
