/* rotors.c: rotors. */
#include <jounce/rotors.h>

#include <jounce/jet.h>

#include <math.h>
#include <string.h>

#include "commands.h"
#include "job/job.h"

/* What the rotors cannot do is a failure if it is larger than this, relative to the wrench. */
#define REST_OF_WEIGHT 1e-9

enum { FOOTER = 4096 };

typedef struct rotor_job {
  int n, rank, rows; /* rows 0: no thrusts, the base is fixed */
  double *A, *wrench, *thrust, *speed, *rest, *thrust_use, *rate_use;
  char *footer;
  int has_speeds, failed;
} rotor_job;

/* The base wrench of the state's motion in body representation, from the first six of tau. */
static void body_wrench(cli_job *job, double *out) {
  const int R = job->order;
  const size_t rows = (size_t)R + 1, nv = (size_t)jn_model_nv(job->model);
  cli_memory *memory = &job->result.memory;
  double *V = cli_take_numbers(memory, rows, 6, 1), *W = cli_take_numbers(memory, rows, 6, 1);
  double *rotation = cli_take_numbers(memory, rows + 1, 9, 1);
  double *p = cli_take_numbers(memory, rows + 1, 3, 1),
         *twist = cli_take_numbers(memory, rows, 6, 1);
  if (memory->failed) return;
  const double *q = job->state.q;
  const jn_pose C = {jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6])};
  for (size_t k = 0; k < rows; k++) {
    memcpy(V + 6 * k, job->state.v + k * nv, 6 * sizeof *V);
    memcpy(W + 6 * k, job->state.tau + k * nv, 6 * sizeof *W);
  }
  jn_jet_to_taylor(R, 6, V);
  jn_jet_to_taylor(R, 6, W);
  jn_jet_convert_twist(R, job->state.representation, JN_BODY, C, V, rotation, p, twist);
  jn_jet_convert_wrench(R, job->state.representation, JN_BODY, rotation, p, W, out);
  jn_jet_to_derivatives(R, 6, out);
}

/* Notes in the footer which rotors are saturated, and why. */
static void note_saturation(const cli_job *job, rotor_job *x) {
  jn_rotor_load load[JN_MAX_ROTORS];
  if (jn_rotor_loads(job->model, job->order, x->thrust, load)) return;
  for (int i = 0; i < x->n; i++) {
    const int s = load[i].saturated;
    x->thrust_use[i] = load[i].thrust;
    x->rate_use[i] = load[i].rate;
    if (!s) continue;
    cli_append(x->footer, FOOTER, "%s%s (%s)", x->failed ? ", " : "saturated: ",
               cli_clean(jn_model_rotor(job->model, i)->name).text,
               s & JN_ROTOR_TOO_STRONG ? "thrust above its limit"
               : s & JN_ROTOR_TOO_SLOW ? "below its idle speed"
                                       : "thrust rate above its limit");
    x->failed = 1;
  }
  if (x->failed) cli_append(x->footer, FOOTER, "\n");
}

/* The share of the wrench that the rotors cannot do, at order 0. */
static double rest_share(const rotor_job *x) {
  double rest = 0, wrench = 0;
  for (int c = 0; c < 6; c++) {
    rest = fmax(rest, fabs(x->rest[c]));
    wrench = fmax(wrench, fabs(x->wrench[c]));
  }
  return wrench > 0 ? rest / wrench : 0;
}

static int solve(cli_job *job, rotor_job *x) {
  cli_robot_state *s = &job->state;
  const int R = job->order;
  int code = cli_job_status(
      job, jn_inverse_dynamics(job->model, job->data, R, s->q, s->v, &s->external, s->tau));
  if (code) return code;
  body_wrench(job, x->wrench);
  code = cli_job_status(job, jn_rotor_thrusts(job->model, R, x->wrench, x->thrust, x->rest));
  if (code) return code;
  note_saturation(job, x);
  const jn_status status = jn_rotor_speeds(job->model, R, x->thrust, x->speed);
  x->has_speeds = status == JN_OK;
  if (status)
    cli_append(x->footer, FOOTER, "no speeds: %s\n",
               status == JN_ERR_INFEASIBLE ? "a thrust is negative"
                                           : "the speed of a rotor at rest has no derivative");
  if (x->rank < 6 && rest_share(x) > REST_OF_WEIGHT) {
    cli_append(x->footer, FOOTER,
               "the rotors have rank %d and cannot produce %.3g of this wrench: see 'rest'\n",
               x->rank, rest_share(x));
    x->failed = 1;
  }
  x->failed |= !x->has_speeds;
  if (*x->footer) job->result.footer = x->footer;
  return job->result.memory.failed ? CLI_BAD_INPUT : CLI_DONE;
}

static void add_result(cli_job *job, const rotor_job *x) {
  static const char *const six[] = {"tx", "ty", "tz", "fx", "fy", "fz", NULL};
  cli_result *r = &job->result;
  const char **names = cli_take(&r->memory, (size_t)x->n, sizeof *names);
  for (int i = 0; names && i < x->n; i++) names[i] = jn_model_rotor(job->model, i)->name;
  const unsigned to = CLI_TO_JSON | CLI_TO_LINES, speed_to = x->has_speeds ? to : 0;
  const cli_axis none = CLI_NO_AXIS, k = {.size = x->rows, .shown = 1};
  const cli_axis component = CLI_AXIS(6, .labels = six), rotor = CLI_AXIS(x->n, .labels = names);
  r->title =
      cli_take_text(&r->memory, "%d rotors of %s, rank %d%s", x->n, cli_job_name(job).text, x->rank,
                    !x->rows          ? " (the base is fixed: no thrusts)"
                    : job->state_path ? ": thrusts of this motion"
                                      : ": thrusts at home and at rest");
  r->text = (cli_text_style){.blocks = 1, .gap = 1, .width = 13, .digits = 6};
  r->label = "quantity", r->index[CLI_K] = "k", r->index[CLI_ROW] = "row", r->columns = rotor;
  cli_result_number(r, "order", job->order);
  cli_result_names(r, "rotors", names, x->n);
  cli_result_number(r, "rank", x->rank);
  CLI_ADD(r, to, "A", .axis = {none, none, component, rotor}, .data = x->A,
          .label = "A: wrench on the base, body representation, for a thrust of 1 N");
  if (!x->rows) return;
  CLI_ADD(r, CLI_TO_VIEW, "wrench", .axis = {k, none, none, component}, .data = x->wrench,
          .label = "wrench on the base, body representation");
  CLI_ADD(r, to | CLI_TO_NPY, "thrust", .axis = {k, none, none, rotor}, .data = x->thrust);
  CLI_ADD(r, speed_to, "speed", .axis = {k, none, none, rotor}, .data = x->speed);
  CLI_ADD(r, to, "thrust_use", .axis = {none, none, none, rotor}, .data = x->thrust_use,
          .label = "thrust / its limit");
  CLI_ADD(r, to, "rate_use", .axis = {none, none, none, rotor}, .data = x->rate_use,
          .label = "thrust rate / its limit");
  if (x->rank < 6)
    CLI_ADD(r, CLI_TO_VIEW, "rest", .axis = {k, none, none, component}, .data = x->rest,
            .label = "what the rotors cannot produce: wrench - A thrust");
}

static int run_rotors(cli_job *job) {
  rotor_job x = {.n = jn_model_rotor_count(job->model)};
  const int R = job->order;
  if (!x.n)
    return cli_bad_input(
        "%s has no rotors: add the key 'rotors' to a native model, or give a side file with it: "
        "--with FILE (docs/files.md)",
        job->model_path);
  int code = cli_job_state(job, &(cli_need){R, R + 2, 0, R + 1, 0, job->pad, 0}, R);
  if (code) return code;
  cli_memory *memory = &job->result.memory;
  const size_t rows = (size_t)R + 1, n = (size_t)x.n;
  x.A = cli_take_numbers(memory, 6, n, 1);
  x.wrench = cli_take_numbers(memory, rows, 6, 1);
  x.rest = cli_take_numbers(memory, rows, 6, 1);
  x.thrust = cli_take_numbers(memory, rows, n, 1);
  x.speed = cli_take_numbers(memory, rows, n, 1);
  x.thrust_use = cli_take_numbers(memory, n, 1, 1);
  x.rate_use = cli_take_numbers(memory, n, 1, 1);
  x.footer = cli_take(memory, FOOTER, 1);
  if (memory->failed) return CLI_BAD_INPUT;
  jn_rotor_allocation(job->model, x.A, NULL, &x.rank);
  if (jn_model_is_floating(job->model)) {
    x.rows = R + 1;
    code = solve(job, &x);
    if (code) return code;
  }
  add_result(job, &x);
  code = cli_job_write(job);
  return code ? code : x.failed ? CLI_CHECK_FAILED : CLI_DONE;
}

int cli_rotors(int argc, char **argv) {
  cli_job job = CLI_JOB_DEFAULT;
  const cli_option table[] = {CLI_MODEL_OPTIONS(&job), CLI_STATE_OPTIONS(&job),
                              CLI_DAMPING_OPTION(&job), CLI_OUTPUT_OPTIONS(&job)};
  return cli_job_run(&job, table, COUNT(table), argc, argv, NULL, run_rotors);
}
