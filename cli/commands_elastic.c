/* commands_elastic.c: elastic: the motors of elastic joints along a trajectory.
 *
 *   theta = q + tau/K,  B theta'' = tau_m - tau,  thus  tau_m = B (q'' + tau''/K) + tau
 *
 * and the two-mass model (links, motors, springs between) simulated under tau_m, as a check. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/integrate.h>

#include "path.h"
#include "table.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const char cli_elastic_help[] =
    "usage: jounce elastic MODEL TRAJ --stiffness K --motor-inertia B [options]\n\n"
    "Motor positions and motor torques that move a robot with elastic joints along a trajectory:\n"
    "theta = q + tau/K, tau_m = B theta'' + tau with theta'' from the second derivative of the\n"
    "joint torque. Then links and motors are simulated under tau_m, open loop, and the deviation\n"
    "from the trajectory is shown. Joints with a rotation of their own and the base are rigid.\n"
    "Columns: 't', the numbers of q, \"theta:elbow\", \"theta:elbow'\", \"tau:elbow\" (the "
    "spring's),\n"
    "\"tau_m:elbow\" (the motor's).\n\n"
    "  --stiffness K          N m/rad; one number, or one for each joint: 8000,8000,4000\n"
    "  --motor-inertia B      kg m^2 at the joint; likewise\n"
    "  --deviation E          exit status 3 when the simulation leaves the trajectory by more;\n"
    "                         default 1e-6. An unstable motion grows what rounding leaves\n"
    "  --no-simulation        leave the check out\n\n" CLI_PATH_HELP
    "  --samples N            rows of the table, evenly in time; default 201\n" CLI_PATH_HELP_END
    "  --format NAME          json, csv, npy, npz or text; default json, on a terminal text: the\n"
    "                         least and the largest of every column\n\n"
    "example:\n"
    "  echo '{\"kind\": \"minimum\", \"derivative\": 5, \"times\": [0, 1.5],\n"
    "    \"joints\": {\"joint1\": [0, 1], \"joint2\": [0, -0.5]}}' > reach.json\n"
    "  jounce elastic double_pendulum reach.json --stiffness 500,200 --motor-inertia 0.1 --text\n";

enum { JOINT, MOTOR, BEND, SPEED, SPRING, TORQUE, DEVIATION, FIGURES };
static const char *const titles[FIGURES] = {
    "joint position", "motor position", "deflection (motor - joint)", "motor velocity",
    "spring torque",  "motor torque",   "deviation in simulation"};

typedef struct elastic {
  cli_path path;
  const char *stiffness_text, *inertia_text;
  double most;
  int no_simulation;
  int n, *dof;   /* elastic degrees of freedom */
  double *K, *B; /* [nv]; 0: rigid */
  chart_figure figure[FIGURES];
  char speed_unit[32];
  cli_sheet sheet;
  jn_data *data; /* of the simulation's order */
  int order;
  double *v, *tau;
  /* found */
  double deviation, deviation_t;
  int deviation_dof, jump;
  double jump_t;
} elastic;

/* "8000" or "8000,4000,100": one for all or one for each. */
static int read_list(const elastic *x, const char *option, const char *text, int zero,
                     double *out) {
  int found = 0;
  double first = 0;
  const char *at = text;
  if (!text) {
    cli_error("elastic: %s is missing (see 'jounce elastic --help')", option);
    return CLI_BAD_USAGE;
  }
  for (; *at; found++) {
    char *end;
    double y = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !isfinite(y) || y < 0 || (y == 0 && !zero)) {
      cli_error("elastic: %s: %s numbers expected, parted by commas, found '%s'", option,
                zero ? "nonnegative" : "positive", text);
      return CLI_BAD_USAGE;
    }
    if (found < x->n) out[x->dof[found]] = y;
    if (found == 0) first = y;
    at = *end ? end + 1 : end;
  }
  if (found == 1)
    for (int i = 0; i < x->n; i++) out[x->dof[i]] = first;
  if (found == 1 || found == x->n) return CLI_DONE;
  cli_error("elastic: %s: one number or %d expected, one for each joint, found %d", option, x->n,
            found);
  return CLI_BAD_USAGE;
}

static int choose_joints(elastic *x) {
  const jn_model *model = x->path.job.model;
  size_t nv = (size_t)jn_model_nv(model);
  x->dof = calloc(nv + 1, sizeof *x->dof);
  x->K = cli_room(nv, 2, 1);
  if (!x->dof || !x->K) return CLI_BAD_INPUT;
  x->B = x->K + nv;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv && j->nq == j->nv; c++) x->dof[x->n++] = j->iv + c;
  }
  if (x->n == 0) {
    cli_error("elastic: %s has no joint that can be elastic", x->path.job.model_path);
    return CLI_BAD_INPUT;
  }
  int code = read_list(x, "--stiffness", x->stiffness_text, 0, x->K);
  return code ? code : read_list(x, "--motor-inertia", x->inertia_text, 0, x->B);
}

/* tau_m^(0..order) at t, rows of nv; q may be NULL */
static jn_status motor_torque(elastic *x, jn_data *data, double t, int order, double *q,
                              double *tau_m) {
  const jn_model *model = x->path.job.model;
  const int nv = jn_model_nv(model);
  double *state = x->tau + (size_t)(order + 3) * (size_t)nv;
  jn_status status = jn_trajectory_at(x->path.trajectory, t, order + 2,
                                      (jn_representation)x->path.representation, state, x->v);
  if (!status) status = jn_inverse_dynamics(model, data, order + 2, state, x->v, NULL, x->tau);
  if (status) return status;
  if (q) memcpy(q, state, (size_t)jn_model_nq(model) * sizeof *q);
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < nv; i++) {
      double tau = x->tau[(size_t)k * (size_t)nv + (size_t)i];
      if (x->K[i] > 0)
        tau += x->B[i] * (x->v[(size_t)(k + 1) * (size_t)nv + (size_t)i] +
                          x->tau[(size_t)(k + 2) * (size_t)nv + (size_t)i] / x->K[i]);
      tau_m[(size_t)k * (size_t)nv + (size_t)i] = tau;
    }
  return JN_OK;
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
  char name[JN_MAX_NAME + 16];
  int nq = jn_model_nq(model), at = 1;
  snprintf(x->speed_unit, sizeof x->speed_unit, "%s/s", cli_joint_unit(model, 0));
  for (int f = 0; f < FIGURES; f++)
    x->figure[f] = (chart_figure){
        titles[f], f == SPEED ? x->speed_unit : cli_joint_unit(model, f == SPRING || f == TORQUE),
        0};
  cli_sheet_column(&x->sheet, 0, -1, "t");
  for (int i = 0; i < nq; i++) {
    int plain = 0;
    for (int j = 0; j < jn_model_body_count(model); j++) {
      const jn_joint *joint = jn_model_joint(model, j);
      plain |= i >= joint->iq && i < joint->iq + joint->nq && joint->nq == joint->nv;
    }
    jn_coordinate_name(model, i, name);
    cli_sheet_column(&x->sheet, at++, plain ? JOINT : -1, "%s", name);
  }
  static const struct {
    const char *prefix, *suffix;
    int figure;
  } groups[] = {{"theta:", "", MOTOR}, {"theta:", "'", SPEED}, {"bend:", "", BEND},
                {"tau:", "", SPRING},  {"tau_m:", "", TORQUE}, {"deviation:", "", DEVIATION}};
  for (int g = 0; g < COUNT(groups) - x->no_simulation; g++)
    for (int i = 0; i < x->n; i++) {
      int c, joint = cli_dof_joint(model, x->dof[i], &c);
      cli_dof_name(model, joint, c, name, sizeof name);
      cli_sheet_column(&x->sheet, at++, groups[g].figure, "%s%s%s", groups[g].prefix, name,
                       groups[g].suffix);
    }
}

static int coordinate_of(const jn_model *model, int iv) {
  int c, joint = cli_dof_joint(model, iv, &c);
  return jn_model_joint(model, joint)->iq + c;
}

static jn_status fill_row(elastic *x, int n, double *tau_m) {
  const jn_model *model = x->path.job.model;
  const size_t nv = (size_t)jn_model_nv(model);
  const int nq = jn_model_nq(model);
  double *row = cli_sheet_row(&x->sheet, n), *at = row + 1 + nq;
  row[0] = cli_path_time(&x->path, n);
  jn_status status = motor_torque(x, x->path.job.data, row[0], 0, row + 1, tau_m);
  for (int i = 0; i < x->n && !status; i++) {
    const size_t d = (size_t)x->dof[i];
    double bend = x->tau[d] / x->K[d];
    at[i] = row[1 + coordinate_of(model, (int)d)] + bend;
    at[x->n + i] = x->v[d] + x->tau[nv + d] / x->K[d];
    at[2 * x->n + i] = bend;
    at[3 * x->n + i] = x->tau[d];
    at[4 * x->n + i] = tau_m[d];
  }
  return status;
}

/* theta' = q' + tau'/K must not jump: looked for at every break. */
static jn_status find_jump(elastic *x, double *tau_m) {
  const size_t nv = (size_t)jn_model_nv(x->path.job.model);
  double *left = cli_room(nv, 1, 1);
  jn_status status = left ? JN_OK : JN_ERR_MEMORY;
  const cli_path *p = &x->path;
  for (double t = jn_trajectory_next_break(p->trajectory, p->start);
       t < p->end && !status && !x->jump; t = jn_trajectory_next_break(p->trajectory, t)) {
    for (int side = 0; side < 2 && !status; side++) {
      status = motor_torque(x, p->job.data, side ? t : t - 1e-12 * (fabs(t) + p->end - p->start), 0,
                            NULL, tau_m);
      for (size_t i = 0; i < nv && !status; i++) {
        double rate = x->K[i] > 0 ? x->tau[nv + i] / x->K[i] : 0;
        if (side == 0)
          left[i] = rate;
        else if (fabs(rate - left[i]) > 1e-7 * (1 + fabs(rate)) && !x->jump)
          x->jump = 1, x->jump_t = t;
      }
    }
  }
  free(left);
  return status;
}

/* Links and motors under tau_m, from the trajectory's start. */
static jn_status simulate(elastic *x, jn_error *error) {
  const cli_path *p = &x->path;
  const jn_model *model = p->job.model;
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  jn_vec3 gravity = jn_data_settings(p->job.data)->gravity;
  jn_simulation *sim = NULL;
  double *room = cli_room(nq + 4 * nv, 1, 1), *q = room, *v = q + nq, *theta = v + nv,
         *rate = theta + nv;
  if (!room) return JN_ERR_MEMORY;
  jn_simulation_options o = jn_simulation_default();
  o.representation = (jn_representation)p->representation;
  o.gravity = &gravity;
  o.forces.time = feed_forward;
  o.forces.next_break = next_break;
  o.forces.time_context = x;
  o.forces.motor_stiffness = x->K;
  o.forces.motor_inertia = x->B;
  o.forces.model_damping = p->job.damping;
  jn_status status = jn_simulation_new(model, &o, NULL, &sim, error);
  if (!status) {
    x->order = jn_simulation_statistics(sim).order;
    free(x->v);
    free(x->tau);
    x->v = cli_room((size_t)x->order + 4, nv, 1);
    x->tau = cli_room((size_t)x->order + 5, nq + nv, 1);
    status = x->v && x->tau ? jn_data_new(model, x->order + 2, NULL, &x->data) : JN_ERR_MEMORY;
  }
  if (!status) {
    *jn_data_settings(x->data) = *jn_data_settings(p->job.data);
    status = motor_torque(x, x->data, p->start, 0, q, v);
  }
  if (!status) {
    memcpy(v, x->v, nv * sizeof *v);
    for (int i = 0; i < x->n; i++) {
      const size_t d = (size_t)x->dof[i];
      theta[d] = q[coordinate_of(model, (int)d)] + x->tau[d] / x->K[d];
      rate[d] = v[d] + x->tau[nv + d] / x->K[d];
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
  jn_simulation_free(sim);
  free(room);
  return status;
}

/* Results. */

static void sentence(const elastic *x, char *text, size_t size) {
  char name[JN_MAX_NAME + 16];
  const jn_model *model = x->path.job.model;
  int c, joint = cli_dof_joint(model, x->deviation_dof, &c);
  cli_dof_name(model, joint, c, name, sizeof name);
  if (x->no_simulation)
    snprintf(text, size, "not simulated");
  else
    snprintf(text, size,
             "simulated with springs and motors: at most %.3g off the trajectory ('%s' at %.4g s)",
             x->deviation, cli_clean(name).text, x->deviation_t);
}

static int write_elastic(const elastic *x) {
  cli_output out;
  char text[512];
  int code = cli_output_open(&out, &x->path.job.output, "elastic", CLI_WITH_NPZ);
  if (code) return code;
  sentence(x, text, sizeof text);
  if (out.format == CLI_JSON) {
    cli_json_begin(&out, '{');
    cli_path_json(&out, &x->path);
    cli_json_key(&out, "deviation");
    if (x->no_simulation)
      cli_json_text(&out, NULL);
    else
      cli_json_number(&out, x->deviation);
    cli_sheet_json(&out, &x->sheet);
    cli_json_end(&out);
  } else if (out.format == CLI_TABLE) {
    cli_path_text(out.file, &x->path);
    cli_sheet_text(&out, &x->sheet);
    fprintf(out.file, "%s\n", text);
  } else {
    code = cli_sheet_print(&out, &x->sheet);
    fprintf(stderr, "%s\n", text);
  }
  int closed = cli_output_close(&out);
  return code ? code : closed;
}

static int show(const elastic *x) {
  char number[64], torque[64], what[400], text[512];
  const int first = 1 + jn_model_nq(x->path.job.model) + 4 * x->n;
  int at = first, row = 0;
  for (int n = 0; n < x->path.samples; n++)
    for (int i = first; i < first + x->n; i++)
      if (fabs(cli_sheet_row(&x->sheet, n)[i]) > fabs(cli_sheet_row(&x->sheet, row)[at]))
        at = i, row = n;
  snprintf(torque, sizeof torque, "%.4g %s", fabs(cli_sheet_row(&x->sheet, row)[at]),
           x->sheet.figure[x->sheet.figure_of[at]].unit);
  snprintf(what, sizeof what, "largest %s, at %.4g s", cli_clean(x->sheet.names[at]).text,
           cli_sheet_row(&x->sheet, row)[0]);
  snprintf(number, sizeof number, "%.2g", x->deviation);
  sentence(x, text, sizeof text);
  const char *cards[] = {torque, what, number, text, NULL};
  if (x->no_simulation) cards[2] = NULL;
  return cli_path_show(&x->path, &x->sheet, "Elastic joints", cards);
}

static int run_elastic(elastic *x) {
  cli_path *p = &x->path;
  int nq = jn_model_nq(p->job.model), nv = jn_model_nv(p->job.model);
  int code = choose_joints(x);
  if (code) return code;
  x->v = cli_room(4, (size_t)nv, 1);
  x->tau = cli_room(5, (size_t)(nq + nv), 1);
  double *tau_m = cli_room((size_t)nv, 1, 1);
  if (x->v && x->tau && tau_m)
    code = cli_sheet_new(&x->sheet, p->samples, 1 + nq + (6 - x->no_simulation) * x->n, x->figure,
                         FIGURES);
  else
    code = CLI_BAD_INPUT;
  if (!code) name_columns(x);
  for (int n = 0; n < p->samples && !code; n++)
    code = cli_job_status(&p->job, fill_row(x, n, tau_m));
  if (!code) code = cli_job_status(&p->job, find_jump(x, tau_m));
  free(tau_m);
  if (code) return code;
  if (x->jump)
    cli_error(
        "elastic: the torque rate jumps at t = %.6g, so that a motor's velocity would have to: use "
        "a "
        "smoother motion (minimum of derivative 4 or more, splines of degree 5 or more)",
        x->jump_t);
  jn_error error = {0};
  jn_status status = x->no_simulation ? JN_OK : simulate(x, &error);
  if (status) {
    cli_error("elastic: simulation: %s", error.message[0] ? error.message : jn_status_text(status));
    return CLI_BAD_INPUT;
  }
  if ((code = write_elastic(x)) || (code = show(x))) return code;
  return x->jump || (!x->no_simulation && !(x->deviation <= x->most)) ? CLI_CHECK_FAILED : CLI_DONE;
}

int cli_elastic(int argc, char **argv) {
  elastic x = {.path = CLI_PATH_DEFAULT, .most = 1e-6};
  int order = 2;
  x.path.fit = jn_fit_default();
  const cli_option table[] = {
      CLI_PATH_OPTIONS(&x.path), CLI_OPT_TEXT("stiffness", &x.stiffness_text),
      CLI_OPT_TEXT("motor-inertia", &x.inertia_text), CLI_OPT_NUMBER("deviation", &x.most, NULL),
      CLI_OPT_FLAG("no-simulation", &x.no_simulation, 1)};
  int code = cli_path_begin(&x.path, table, COUNT(table), argc, argv, &order);
  if (!code) code = run_elastic(&x);
  cli_sheet_free(&x.sheet);
  jn_data_free(x.data);
  free(x.dof);
  free(x.K);
  free(x.v);
  free(x.tau);
  cli_path_end(&x.path);
  return code;
}
