/* elastic.c: elastic: the motors of elastic joints along a trajectory.
 *
 *   theta = q + tau/K,  B theta'' = tau_m - tau,  thus  tau_m = B (q'' + tau''/K) + tau
 *
 * As a check, the two-mass model (links, motors and the springs between them) is simulated under
 * tau_m. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/elastic.h>
#include <jounce/integrate.h>

#include "job/path.h"
#include "output/names.h"

enum { MOST_STEPS = 300000 }; /* of the simulation */

enum { JOINT, MOTOR, BEND, SPEED, SPRING, TORQUE, DEVIATION, FIGURES };
enum { JUMPS = 3 };
static const char *const jumps[JUMPS][2] = {
    {"velocity", "velocity"}, {"torque", "position"}, {"torque rate", "velocity"}};
static const char *const titles[FIGURES] = {
    "joint position", "motor position", "deflection (motor - joint)", "motor velocity",
    "spring torque",  "motor torque",   "deviation in simulation"};

typedef struct elastic {
  cli_path path;
  const char *stiffness_text, *inertia_text;
  double most;
  int no_simulation;
  int n, *dof;                      /* elastic degrees of freedom */
  double *K, *B;                    /* [nv]; 0: rigid */
  chart_figure figure[2 * FIGURES]; /* of angles, then of lengths */
  cli_sheet sheet;
  jn_data *data; /* for the order of the simulation */
  int order;
  double *v, *tau, *theta, *tau_m;
  /* results */
  double deviation, deviation_t;
  int deviation_dof, jump;
  double jump_t;
  const char *const *jump_of; /* what jumps, and what of a motor would have to */
} elastic;

/* "8000" or "8000,4000,100": one number for all joints or one for each. */
static int read_list(const elastic *x, const char *option, const char *text, double *out) {
  int found = 0;
  double first = 0;
  const char *at = text;
  if (!text) return cli_bad_usage("elastic: %s is missing (see 'jounce elastic --help')", option);
  for (; *at; found++) {
    char *end;
    double y = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !isfinite(y) || !(y > 0))
      return cli_bad_usage(
          "elastic: %s: positive numbers expected, separated by commas, found '%s'", option, text);
    if (found < x->n) out[x->dof[found]] = y;
    if (found == 0) first = y;
    at = *end ? end + 1 : end;
  }
  if (found == 1)
    for (int i = 0; i < x->n; i++) out[x->dof[i]] = first;
  if (found == 1 || found == x->n) return CLI_DONE;
  return cli_bad_usage("elastic: %s: one number or %d expected, one for each joint, found %d",
                       option, x->n, found);
}

static int choose_joints(elastic *x) {
  const jn_model *model = x->path.job.model;
  size_t nv = (size_t)jn_model_nv(model);
  x->dof = cli_take(&x->path.job.result.memory, nv, sizeof *x->dof);
  x->K = cli_take_numbers(&x->path.job.result.memory, nv, 2, 1);
  if (!x->dof || !x->K) return CLI_BAD_INPUT;
  x->B = x->K + nv;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv && j->nq == j->nv; c++) x->dof[x->n++] = j->iv + c;
  }
  if (x->n == 0)
    return cli_bad_input("elastic: %s has no joint that can be elastic", x->path.job.model_path);
  int code = read_list(x, "--stiffness", x->stiffness_text, x->K);
  return code ? code : read_list(x, "--motor-inertia", x->inertia_text, x->B);
}

/* tau_m^(0..order) [(order+1) x nv] at t, and x->v, x->tau, x->theta; q may be NULL */
static jn_status motor_torque(elastic *x, jn_data *data, double t, int order, double *q,
                              double *tau_m) {
  const jn_model *model = x->path.job.model;
  double *state = x->tau + (size_t)(order + 3) * (size_t)jn_model_nv(model);
  jn_status status = jn_trajectory_at(x->path.trajectory, t, order + 2,
                                      (jn_representation)x->path.representation, state, x->v);
  if (!status)
    status =
        jn_elastic_motors(model, data, order, x->K, x->B, state, x->v, x->tau, x->theta, tau_m);
  if (!status && q) memcpy(q, state, (size_t)jn_model_nq(model) * sizeof *q);
  return status;
}

static jn_status feed_forward(void *context, double t, int order, double *tau_m) {
  elastic *x = context;
  return order > x->order ? JN_ERR_ORDER : motor_torque(x, x->data, t, order, NULL, tau_m);
}

static double next_break(void *context, double t) {
  return jn_trajectory_next_break(((elastic *)context)->path.trajectory, t);
}

/* Columns: t, q, theta, theta', deflection, tau, tau_m, deviation. */

static void name_columns(elastic *x) {
  const jn_model *model = x->path.job.model;
  int at = 1 + jn_model_nq(model);
  for (int f = 0; f < FIGURES; f++) {
    const int force = f == SPRING || f == TORQUE, speed = f == SPEED;
    x->figure[f] = (chart_figure){titles[f], force ? "N m" : speed ? "rad/s" : "rad", 0};
    x->figure[FIGURES + f] =
        (chart_figure){cli_take_text(&x->path.job.result.memory, "%s (prismatic)", titles[f]),
                       force   ? "N"
                       : speed ? "m/s"
                               : "m",
                       0};
  }
  cli_path_columns(&x->sheet, model, JOINT, FIGURES + JOINT, -1, -1);
  static const struct {
    const char *prefix, *suffix;
    int figure;
  } groups[] = {{"theta:", "", MOTOR}, {"theta:", "'", SPEED}, {"bend:", "", BEND},
                {"tau:", "", SPRING},  {"tau_m:", "", TORQUE}, {"deviation:", "", DEVIATION}};
  for (int g = 0; g < COUNT(groups) - x->no_simulation; g++)
    for (int i = 0; i < x->n; i++) {
      int c, joint = cli_dof_joint(model, x->dof[i], &c);
      const int length = cli_is_length(jn_model_joint(model, joint)->type, c);
      cli_sheet_column(&x->sheet, at++, groups[g].figure + length * FIGURES, "%s%s%s",
                       groups[g].prefix, cli_dof_name(model, x->dof[i]).text, groups[g].suffix);
    }
}

static int coordinate_of(const jn_model *model, int iv) {
  int c, joint = cli_dof_joint(model, iv, &c);
  return jn_model_joint(model, joint)->iq + c;
}

/* All columns but the deviations, at t. */
static jn_status fill_row(cli_path *path, double t, double *row) {
  elastic *x = (elastic *)path;
  const jn_model *model = x->path.job.model;
  const size_t nv = (size_t)jn_model_nv(model);
  double *at = row + 1 + jn_model_nq(model), *tau_m = x->tau_m;
  row[0] = t;
  jn_status status = motor_torque(x, x->path.job.data, t, 0, row + 1, tau_m);
  for (int i = 0; i < x->n && !status; i++) {
    const size_t d = (size_t)x->dof[i];
    at[i] = row[1 + coordinate_of(model, (int)d)] + x->theta[d];
    at[x->n + i] = x->theta[nv + d];
    at[2 * x->n + i] = x->theta[d];
    at[3 * x->n + i] = x->tau[d];
    at[4 * x->n + i] = tau_m[d];
  }
  return status;
}

/* Finds the first discontinuity of theta = q + tau/K or of theta' = q' + tau'/K, at the breaks of the
 * trajectory; q does not jump. */
static jn_status find_jump(elastic *x, double *tau_m) {
  const size_t nv = (size_t)jn_model_nv(x->path.job.model);
  double *left = cli_take_numbers(&x->path.job.result.memory, JUMPS * nv, 1, 1);
  jn_status status = left ? JN_OK : JN_ERR_MEMORY;
  const cli_path *p = &x->path;
  for (double t = jn_trajectory_next_break(p->trajectory, p->start);
       t < p->end && !status && !x->jump; t = jn_trajectory_next_break(p->trajectory, t)) {
    for (int side = 0; side < 2 && !status; side++) {
      status = motor_torque(x, p->job.data, side ? t : t - 1e-12 * (fabs(t) + p->end - p->start), 0,
                            NULL, tau_m);
      for (size_t i = 0; i < JUMPS * nv && !status; i++) {
        /* q'; tau/K and q' + tau'/K */
        const double value = !(x->K[i % nv] > 0) ? 0 : i < nv ? x->v[i] : x->theta[i - nv];
        if (side == 0)
          left[i] = value;
        else if (fabs(value - left[i]) > 1e-7 * (1 + fabs(value)) && !x->jump)
          x->jump = 1, x->jump_of = jumps[i / nv], x->jump_t = t;
      }
    }
  }
  return status;
}

/* Simulates links and motors under tau_m from the start of the trajectory. */
static jn_status simulate(elastic *x, jn_error *error) {
  const cli_path *p = &x->path;
  const jn_model *model = p->job.model;
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  jn_vec3 gravity = jn_data_settings(p->job.data)->gravity;
  jn_simulation *sim = NULL;
  cli_memory *m = &x->path.job.result.memory;
  double *q = cli_take_numbers(m, nq + 4 * nv, 1, 1), *v = q + nq, *theta = v + nv;
  double *rate = theta + nv;
  if (!q) return JN_ERR_MEMORY;
  jn_simulation_options o = jn_simulation_options_default();
  o.representation = (jn_representation)p->representation;
  o.gravity = &gravity;
  o.forces.time = feed_forward;
  o.forces.next_break = next_break;
  o.forces.time_context = x;
  o.forces.motor_stiffness = x->K;
  o.forces.motor_inertia = x->B;
  o.forces.model_damping = p->job.damping;
  o.max_steps = 1000 + MOST_STEPS / p->samples; /* from one row to the next */
  jn_status status = jn_simulation_new(model, &o, NULL, &sim, error);
  if (!status) {
    x->order = jn_simulation_statistics(sim).order;
    x->v = cli_take_numbers(m, (size_t)x->order + 4, nv, 1);
    x->tau = cli_take_numbers(m, (size_t)x->order + 5, nq + nv, 1);
    x->theta = cli_take_numbers(m, (size_t)x->order + 3, nv, 1);
    status = x->v && x->tau && x->theta ? jn_data_new(model, x->order + 2, NULL, &x->data)
                                        : JN_ERR_MEMORY;
  }
  if (!status) {
    *jn_data_settings(x->data) = *jn_data_settings(p->job.data);
    status = motor_torque(x, x->data, p->start, 0, q, v);
  }
  if (!status) {
    memcpy(v, x->v, nv * sizeof *v);
    for (int i = 0; i < x->n; i++) {
      const size_t d = (size_t)x->dof[i];
      theta[d] = q[coordinate_of(model, (int)d)] + x->theta[d];
      rate[d] = x->theta[nv + d];
    }
    status = jn_simulation_set_state(sim, p->start, q, v);
    if (!status) status = jn_simulation_set_motor(sim, theta, rate);
  }
  for (int n = 0; n < p->samples && !status; n++) {
    double *row = cli_sheet_row(&x->sheet, n), *at = row + 1 + nq + 5 * x->n;
    if (n > 0) status = jn_simulation_run_to(sim, row[0], NULL);
    if (!status) status = jn_simulation_state(sim, NULL, q, NULL);
    for (int i = 0; i < x->n && !status; i++) {
      int iq = coordinate_of(model, x->dof[i]);
      at[i] = q[iq] - row[1 + iq];
      if (fabs(at[i]) > x->deviation)
        x->deviation = fabs(at[i]), x->deviation_t = row[0], x->deviation_dof = x->dof[i];
    }
  }
  double t = 0;
  if (sim) jn_simulation_state(sim, &t, NULL, NULL);
  if (status == JN_ERR_LIMIT && sim)
    snprintf(error->message, sizeof error->message,
             "stopped at t = %.6g: the motors vibrate too fast; check the units of --stiffness and "
             "--motor-inertia, or use --no-simulation",
             t);
  else if (status && !error->message[0])
    snprintf(error->message, sizeof error->message, "%s", jn_simulation_message(sim));
  jn_simulation_free(sim);
  return status;
}

/* Results. */

static void sentence(const elastic *x, char *text, size_t size) {
  const cli_dof name = cli_dof_name(x->path.job.model, x->deviation_dof);
  if (x->no_simulation)
    snprintf(text, size, "not simulated");
  else
    snprintf(text, size,
             "simulated with springs and motors: at most %.3g off the trajectory ('%s' at %.4g s)",
             x->deviation, cli_clean(name.text).text, x->deviation_t);
}

static void tables(FILE *page, const cli_path *path) {
  const elastic *x = (const elastic *)path;
  cli_path_extremes_table(page, &x->sheet, 1 + jn_model_nq(path->job.model) + 5 * x->n,
                          x->sheet.extremes);
}

static int show(elastic *x, const char *text) {
  char number[64], torque[400], what[400];
  const int tau_m = 1 + jn_model_nq(x->path.job.model) + 4 * x->n;
  const char *cards[] = {torque, what, number, text, NULL};
  cli_path_largest(&x->sheet, x->sheet.extremes, tau_m, x->n, torque, what, sizeof what);
  snprintf(number, sizeof number, "%.2g", x->deviation);
  if (x->no_simulation) cards[2] = NULL;
  chart c = cli_sheet_chart(&x->sheet);
  c.extremes = x->sheet.extremes;
  cli_replay replay = {0};
  x->path.tables = tables;
  int code = CLI_DONE;
  if (x->path.report)
    code = cli_replay_trajectory(&replay, &x->path.job, x->path.trajectory, NULL, NULL);
  return code ? code : cli_path_show(&x->path, &c, "Elastic joints", cards, &replay);
}

static int compute(elastic *x) {
  cli_path *p = &x->path;
  int nq = jn_model_nq(p->job.model), nv = jn_model_nv(p->job.model);
  int code = choose_joints(x);
  if (code) return code;
  cli_memory *m = &p->job.result.memory;
  x->v = cli_take_numbers(m, 4, (size_t)nv, 1);
  x->tau = cli_take_numbers(m, 5, (size_t)(nq + nv), 1);
  x->theta = cli_take_numbers(m, 3, (size_t)nv, 1);
  double *tau_m = x->tau_m = cli_take_numbers(m, (size_t)nv, 1, 1);
  if (m->failed) return CLI_BAD_INPUT;
  code = cli_sheet_new(&x->sheet, p->samples, 1 + nq + (6 - x->no_simulation) * x->n, x->figure,
                       2 * FIGURES);
  if (!code) name_columns(x);
  for (int n = 0; n < p->samples && !code; n++)
    code = cli_job_status(&p->job, fill_row(p, cli_path_time(p, n), cli_sheet_row(&x->sheet, n)));
  if (!code) code = cli_job_status(&p->job, find_jump(x, tau_m));
  if (code) return code;
  if (x->jump)
    cli_error(
        "elastic: the %s jumps at t = %.6g, and a motor %s would have to jump, too: "
        "use a smoother motion (minimum of derivative 4 or more, splines of degree 5 or more)",
        x->jump_of[0], x->jump_t, x->jump_of[1]);
  jn_error error = {0};
  jn_status status = x->no_simulation ? JN_OK : simulate(x, &error);
  if (status)
    return cli_bad_input("elastic: simulation: %s",
                         error.message[0] ? error.message : jn_status_text(status));
  char text[512];
  sentence(x, text, sizeof text);
  /* the extremes of the motion; of the deviations those of the rows */
  cli_sheet_measure(&x->sheet);
  p->row = fill_row;
  if ((code = cli_path_extremes(p, 1 + nq + 5 * x->n, x->sheet.extremes))) return code;
  const cli_field deviation = MAYBE_FIELD("deviation", !x->no_simulation, x->deviation);
  if ((code = cli_path_write(p, &x->sheet, deviation, text)) || (code = show(x, text))) return code;
  return x->jump || (!x->no_simulation && !(x->deviation <= x->most)) ? CLI_CHECK_FAILED : CLI_DONE;
}

static int run_elastic(cli_job *job) {
  elastic *x = (elastic *)job;
  int code = cli_path_load(&x->path, 2);
  if (!code) code = compute(x);
  cli_sheet_free(&x->sheet);
  jn_data_free(x->data);
  jn_trajectory_free(x->path.trajectory);
  return code;
}

int cli_elastic(int argc, char **argv) {
  elastic x = {.path = CLI_PATH_DEFAULT, .most = 1e-6};
  const cli_option table[] = {
      CLI_PATH_OPTIONS(&x.path), CLI_OPT_TEXT("stiffness", &x.stiffness_text),
      CLI_OPT_TEXT("motor-inertia", &x.inertia_text), CLI_OPT_NUMBER("deviation", &x.most, NULL),
      CLI_OPT_FLAG("no-simulation", &x.no_simulation, 1)};
  return cli_job_run(&x.path.job, table, COUNT(table), argc, argv, cli_path_check, run_elastic);
}
