/* simulate.c: simulate. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jounce/integrate.h>
#include <jounce/table.h>
#include <jounce/trajectory.h>

#include "job/along.h"
#include "job/joints.h"
#include "job/closure.h"
#include "output/names.h"
#include "job/path.h"
#include "output/progress.h"
#include "job/reader.h"
#include "output/stream.h"
#include "job/world.h"

#define MOST_STEPS 1e9      /* with --step */
enum { CURVE_ROWS = 1001 }; /* of figures and scenes: from the dense output of the integrator */

static const char *const scheme_names[] = {
#define NAME(code, name) name,
    JN_SCHEMES(NAME)
#undef NAME
        NULL};

typedef struct motion {
  cli_job job;
  double time, step, tolerance;
  int time_given, step_given, tolerance_given;
  int scheme, samples, max_steps, friction, drift;
  const char *plot, *report, *forces;
  /* derived from the options */
  jn_simulation *simulation;
  jn_force_table table;
  cli_along along; /* forces along a trajectory */
  cli_world world; /* sides of constraints that move */
  int columns;
  cli_stream stream;
  double *row;      /* [columns] */
  int seen;         /* rows so far, those of an earlier run included */
  jn_status unread; /* of rows of an earlier run */
  double *curve;    /* [curve_rows x columns]: what is drawn; NULL: nothing */
  int curve_rows, curve_next;
  const char **names; /* [columns] */
  int *kinds;         /* [columns]: the figure they are drawn in */
  /* results */
  double seconds;
  double energy, energy_drift;      /* at the start; largest deviation from it */
  double kinetic;                   /* largest kinetic energy */
  double momentum_drift;            /* relative */
  int energy_kept, momentum_kept;   /* 1: it should be conserved */
  double com[3], momentum[6], mass; /* at the start */
  double *residual, closure;        /* [rows]; largest residual of the constraints */
} motion;

static int any(const double *x, int n) {
  for (int i = 0; x && i < n; i++)
    if (x[i] != 0) return 1;
  return 0;
}

/* The columns: t, q, v, q and v of joints that follow others, energy. */

enum { ROTATION, TURNING, POSITION, MOVING, ANGLE, ANGLE_RATE, LENGTH, LENGTH_RATE, ENERGY, KINDS };
static const chart_figure kinds[KINDS] = {{"orientation (quaternion)", "", 0},
                                          {"angular velocity", "rad/s", 0},
                                          {"position", "m", 0},
                                          {"linear velocity", "m/s", 0},
                                          {"joint angle", "rad", 0},
                                          {"joint rate", "rad/s", 0},
                                          {"joint displacement", "m", 0},
                                          {"joint velocity", "m/s", 0},
                                          {"energy change", "J", 1}};

/* Joints that follow others: their names (`names` not NULL), or their q and v after those of the
 * others in a row. Returns how many numbers that are. */
static int follower_columns(motion *m, const char **names, double *row) {
  const jn_model *model = m->job.model;
  const int nq = jn_model_nq(model), nv = jn_model_nv(model);
  int at = 1 + nq + nv;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->leader < 0) continue;
    const jn_joint *leader = jn_model_joint(model, j->leader);
    const int slides = cli_is_length(j->type, 0);
    for (int rate = 0; rate < 2; rate++, at++) {
      const double lead = row && leader->nv ? row[1 + (rate ? nq + leader->iv : leader->iq)] : 0;
      if (row) row[at] = j->ratio * lead + (rate ? 0 : j->offset);
      if (!names) continue;
      names[at] = cli_take_text(&m->job.result.memory, "%s%s", j->name, rate ? "'" : "");
      m->kinds[at] = slides ? rate ? LENGTH_RATE : LENGTH : rate ? ANGLE_RATE : ANGLE;
    }
  }
  return at - (1 + nq + nv);
}

static int name_columns(motion *m) {
  const jn_model *model = m->job.model;
  cli_result *r = &m->job.result;
  const int nq = jn_model_nq(model);
  char name[JN_MAX_NAME + 32];
  m->columns = 2 + nq + jn_model_nv(model) + follower_columns(m, NULL, NULL);
  m->row = cli_take_numbers(&r->memory, (size_t)m->columns, 1, 1);
  m->names = cli_take(&r->memory, (size_t)m->columns, sizeof(char *));
  m->kinds = cli_take(&r->memory, (size_t)m->columns, sizeof *m->kinds);
  if (r->memory.failed) return CLI_BAD_INPUT;
  m->names[0] = "t", m->kinds[0] = -1;
  m->names[m->columns - 1] = "energy", m->kinds[m->columns - 1] = ENERGY;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    const int plain = j->nq == j->nv;
    for (int c = 0; c < j->nq; c++) {
      const int at = 1 + j->iq + c;
      jn_coordinate_name(model, j->iq + c, name);
      m->names[at] = cli_take_text(&r->memory, "%s", name);
      m->kinds[at] = !plain                      ? c < 4 ? ROTATION : POSITION
                     : cli_is_length(j->type, c) ? LENGTH
                                                 : ANGLE;
    }
    for (int c = 0; c < j->nv; c++) {
      const int at = 1 + nq + j->iv + c;
      m->names[at] =
          cli_take_text(&r->memory, "%s%s", cli_dof_name(model, j->iv + c).text, plain ? "'" : "");
      m->kinds[at] = !plain                      ? c < 3 ? TURNING : MOVING
                     : cli_is_length(j->type, c) ? LENGTH_RATE
                                                 : ANGLE_RATE;
    }
  }
  follower_columns(m, m->names, NULL);
  return CLI_DONE;
}

/* Marks the columns of joints that --joints leaves out: they are neither written nor drawn. */
static int leave_out(motion *m) {
  const jn_model *model = m->job.model;
  const int nq = jn_model_nq(model), nv = jn_model_nv(model);
  unsigned char *shown, *out;
  int code = cli_joints_find(&m->job, &shown), at = 1 + nq + nv;
  if (code || !shown) return code;
  m->stream.left_out = out = cli_take(&m->job.result.memory, (size_t)m->columns, 1);
  if (!out) return CLI_BAD_INPUT;
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (!shown[i]) {
      memset(out + 1 + j->iq, 1, (size_t)j->nq);
      memset(out + 1 + nq + j->iv, 1, (size_t)j->nv);
    }
    if (j->leader >= 0) memset(out + at, !shown[j->leader], 2), at += 2; /* as its leader */
  }
  for (int i = 0; i < m->columns; i++)
    if (out[i]) m->kinds[i] = -1;
  return CLI_DONE;
}

/* Takes the forces from a table with a column 't' and columns named after degrees of freedom. */
static int take_forces(motion *m, const jn_table *t) {
  cli_result *r = &m->job.result;
  const size_t nv = (size_t)jn_model_nv(m->job.model), rows = (size_t)t->rows;
  const char *const *dofs = cli_job_dofs(&m->job);
  double *times = cli_take_numbers(&r->memory, rows, 1, 1),
         *tau = cli_take_numbers(&r->memory, rows, nv, 1);
  if (!dofs || !times || !tau) return CLI_BAD_INPUT;
  if (t->columns == 0 || strcmp(t->names[0], "t") != 0)
    return cli_bad_input("%s:1: the first column must be 't'", m->forces);
  for (int c = 1; c < t->columns; c++) {
    size_t dof = 0;
    while (dof < nv && strcmp(dofs[dof], t->names[c]) != 0) dof++;
    if (dof == nv) {
      char hint[1024];
      return cli_bad_input("%s:1: the model has no degree of freedom '%s'%s", m->forces,
                           t->names[c],
                           cli_suggest(t->names[c], cli_words_of(dofs), hint, sizeof hint));
    }
    for (size_t i = 0; i < rows; i++)
      tau[i * nv + dof] = t->values[i * (size_t)t->columns + (size_t)c];
  }
  for (size_t i = 0; i < rows; i++) {
    times[i] = t->values[i * (size_t)t->columns];
    if (i == 0 || times[i] > times[i - 1]) continue;
    return cli_bad_input("%s: row %zu: times must increase", m->forces, i + 1);
  }
  if (rows == 0) return cli_bad_input("%s: no line of numbers", m->forces);
  if (times[0] > m->time || times[rows - 1] < 0)
    return cli_bad_input(
        "%s: the times, from %.9g to %.9g, have nothing in common with the run from 0 to %.9g s: "
        "write times since its start",
        m->forces, times[0], times[rows - 1], m->time);
  m->table = (jn_force_table){t->rows, (int)nv, times, tau};
  return CLI_DONE;
}

static int read_forces(motion *m) {
  if (!m->forces) return CLI_DONE;
  size_t size = 0;
  jn_table *table = NULL;
  jn_error error = {0};
  char *text = NULL;
  jn_status status = cli_read_file(m->forces, &text, &size, &error);
  if (text) status = jn_table_parse(JN_TABLE_CSV, text, size, m->forces, NULL, &table, &error);
  free(text);
  int code = status ? cli_fail(status, &error, m->forces) : take_forces(m, table);
  jn_table_free(table);
  return code;
}

/* The run. */

/* whether a constraint holds a link to the world */
static int is_grounded(const cli_job *job) {
  const unsigned char *active = job->constraints.active;
  for (int i = 0; cli_is_closed(job) && i < jn_model_constraint_count(job->model); i++) {
    const jn_constraint *c = jn_model_constraint(job->model, i);
    if (active && !active[i]) continue;
    if (c->type != JN_CONSTRAINT_COUPLING && (c->a.body < 0 || c->b.body < 0)) return 1;
  }
  return 0;
}

static int prepare(motion *m) {
  cli_job *job = &m->job;
  const cli_robot_state *s = &job->state;
  int nv = jn_model_nv(job->model);
  jn_vec3 gravity = jn_data_settings(job->data)->gravity;
  double *tau = s->tau;
  for (int i = 0; s->external.tau && i < nv; i++) tau[i] += s->external.tau[i];
  jn_simulation_options o = jn_simulation_options_default();
  o.scheme = (jn_scheme)m->scheme;
  if (m->tolerance_given) o.tolerance = m->tolerance;
  if (m->step_given) o.step = m->step;
  o.order = job->order;
  o.representation = s->representation;
  o.gravity = &gravity;
  o.forces.tau = tau;
  o.forces.wrench_count = s->external.wrench_count;
  o.forces.wrenches = s->external.wrenches;
  o.forces.model_damping = job->damping;
  o.forces.model_friction = m->friction;
  if (m->forces) {
    o.forces.time = jn_force_table_time;
    o.forces.next_break = jn_force_table_next_break;
    o.forces.time_context = &m->table;
  }
  if (m->along.file) {
    o.forces.time = cli_along_forces;
    o.forces.next_break = cli_along_next_break;
    o.forces.time_context = &m->along;
  }
  const int driven = m->forces || m->along.file; /* by forces of time */
  jn_constraints open = {.active = cli_take(&job->result.memory,
                                            (size_t)jn_model_constraint_count(job->model) + 1, 1)};
  if (!open.active) return CLI_BAD_INPUT;
  const jn_constraints given = {.active = job->constraints.active, .proximal = job->proximal};
  o.constraints = cli_is_closed(job) ? &given : &open;
  o.world = m->world.paths;
  o.world_count = m->world.count;
  int base = jn_model_is_floating(job->model) && !is_grounded(job) ? 6 : 0;
  m->energy_kept = !any(tau, nv) && !s->external.wrench_count && !driven && !job->damping &&
                   !m->friction && !m->world.count;
  m->momentum_kept = base && !any(tau, base) && !s->external.wrench_count && !driven;
  jn_error error = {0};
  jn_status status = jn_simulation_new(job->model, &o, NULL, &m->simulation, &error);
  if (status) {
    cli_error("simulate: %s", error.message[0] ? error.message : jn_status_text(status));
    return status == JN_ERR_ARGUMENT ? CLI_BAD_USAGE : CLI_BAD_INPUT;
  }
  status = jn_simulation_set_state(m->simulation, 0, s->q, s->v);
  if (!status) cli_warn_digits(job);
  const char *message = jn_simulation_message(m->simulation);
  if (status && message[0]) return cli_bad_input("simulate: %s", message);
  return cli_closure_fault(job, status, jn_simulation_constraint_fault(m->simulation));
}

/* Relative error of the momentum, against that of free fall. */
static double momentum_error(const motion *m, double t, const double *now) {
  jn_vec3 g = jn_data_settings(m->job.data)->gravity;
  jn_vec3 P = jn_v3(m->momentum[3], m->momentum[4], m->momentum[5]);
  jn_vec3 c = jn_v3(m->com[0], m->com[1], m->com[2]), mg = jn_v3_scale(m->mass, g);
  jn_vec3 way = jn_v3_add(jn_v3_scale(t, c), jn_v3_scale(0.5 * t * t / m->mass, P));
  jn_vec3 n =
      jn_v3_add(jn_v3(m->momentum[0], m->momentum[1], m->momentum[2]), jn_v3_cross(way, mg));
  jn_vec3 f = jn_v3_add(P, jn_v3_scale(t, mg));
  jn_vec3 path = jn_v3_add(c, jn_v3_scale(t / m->mass, jn_v3_add(P, jn_v3_scale(0.5 * t, mg))));
  double linear = jn_v3_norm(f) + 1e-300;
  double angular = jn_v3_norm(n) + jn_v3_norm(path) * jn_v3_norm(f) + 1e-300;
  double dn = jn_v3_norm(jn_v3_sub(jn_v3(now[0], now[1], now[2]), n));
  double df = jn_v3_norm(jn_v3_sub(jn_v3(now[3], now[4], now[5]), f));
  return fmax(dn / angular, df > 0 ? df / linear : 0.0);
}

static double energy_of(motion *m, const double *row, double *kinetic, jn_status *status) {
  const int nq = jn_model_nq(m->job.model);
  double potential = 0;
  const jn_momentum out = {.kinetic = kinetic, .potential = &potential};
  *status = jn_momentum_energy(m->job.model, m->job.data, 0, row + 1, row + 1 + nq, &out);
  return *kinetic + potential;
}

/* Rows of the curves up to the time t that the integrator has reached. */
static jn_status draw_to(motion *m, double t) {
  const int nq = jn_model_nq(m->job.model);
  jn_status status = JN_OK;
  while (m->curve_next < m->curve_rows && !status) {
    const int n = m->curve_next;
    double *row = m->curve + (size_t)n * (size_t)m->columns, kinetic = 0;
    const double at = n == m->curve_rows - 1 ? m->time : m->time * n / (m->curve_rows - 1);
    if (at > t) break;
    row[0] = at;
    status = at > 0 ? jn_simulation_at(m->simulation, at, row + 1, row + 1 + nq)
                    : jn_simulation_state(m->simulation, NULL, row + 1, row + 1 + nq);
    if (!status) row[m->columns - 1] = energy_of(m, row, &kinetic, &status);
    if (!status) m->curve_next++;
  }
  return status;
}

/* Energy of a row, which has t, q and v; updates the drifts. */
static jn_status measure(motion *m, double *row) {
  double kinetic, potential, momentum[6], com[3];
  jn_momentum out = {
      .com = com, .momentum = momentum, .kinetic = &kinetic, .potential = &potential};
  const int nq = jn_model_nq(m->job.model);
  jn_status status = jn_momentum_energy(m->job.model, m->job.data, 0, row + 1, row + 1 + nq, &out);
  if (status) return status;
  double energy = kinetic + potential;
  row[m->columns - 1] = energy;
  if (m->seen++ == 0) {
    m->energy = energy;
    m->mass = jn_model_moving_mass(m->job.model);
    memcpy(m->com, com, sizeof com);
    memcpy(m->momentum, momentum, sizeof momentum);
  }
  m->kinetic = fmax(m->kinetic, kinetic);
  m->energy_drift = fmax(m->energy_drift, fabs(energy - m->energy));
  if (m->momentum_kept)
    m->momentum_drift = fmax(m->momentum_drift, momentum_error(m, row[0], momentum));
  if (m->residual) {
    const int rows = jn_model_constraint_rows(m->job.model);
    status = cli_world_at(&m->world, &m->job, row[0]);
    if (!status)
      status = jn_constraint_closure(m->job.model, m->job.data, 0, row + 1, NULL,
                                     &m->job.constraints, m->residual, NULL, NULL);
    if (status) return status;
    for (int i = 0; i < rows; i++) m->closure = fmax(m->closure, fabs(m->residual[i]));
  }
  return JN_OK;
}
/* Completes and writes the row, which has q and v. */
static jn_status write_row(motion *m, double t) {
  m->row[0] = t;
  follower_columns(m, NULL, m->row);
  jn_status status = measure(m, m->row);
  if (!status) cli_stream_row(&m->stream, m->row);
  return status;
}
/* a row of an earlier run */
static void take_row(void *context, const double *row) {
  motion *m = context;
  if (row != m->row) memcpy(m->row, row, (size_t)m->columns * sizeof *row);
  if (!m->unread) m->unread = measure(m, m->row);
}

static double time_of(const motion *m, int row) {
  return row >= m->samples - 1 ? m->time : m->time * row / (m->samples - 1);
}
/* With --resume the integrator starts anew at every so many rows, from the numbers in the table: a
 * run that continues from there takes the same steps. The time at which it does so next. */
static double next_start(const motion *m) {
  if (!m->job.output.resume) return m->time;
  return time_of(m, (m->stream.next - 1) / m->stream.block * m->stream.block + m->stream.block);
}
static jn_status start_anew(motion *m, double t) {
  if (!m->job.output.resume || (m->stream.next - 1) % m->stream.block) return JN_OK;
  return jn_simulation_set_state(m->simulation, t, m->row + 1,
                                 m->row + 1 + jn_model_nq(m->job.model));
}

/* Why the run ended at t. */
static int stopped(const motion *m, double t, jn_status status) {
  const char *message = jn_simulation_message(m->simulation);
  return cli_bad_input("simulate: stopped at t = %.17g: %s", t,
                       message[0] ? message : jn_status_text(status));
}

/* A looser tolerance lowers the order of taylor where that follows from it, and shortens steps;
 * taylor and rkmk54 take steps of radau where damping is stiff. */
static int too_many_steps(const motion *m, double t) {
  const int raise = m->scheme == JN_TAYLOR && !m->job.order && !m->forces && !m->along.file;
  return cli_bad_input(
      "simulate: stopped at t = %.17g: %d steps, rejected ones included, reach only "
      "%.3g of the time; raise --max-steps, or %s%s",
      t, m->max_steps, t / m->time, raise ? "give a higher --order" : "loosen --tolerance",
      m->scheme == JN_MOMENTUM ? ", or use --scheme radau if damping is stiff" : "");
}

/* Steps, and writes the rows in each step. Returns an exit status. */
static int run(motion *m) {
  const int nq = jn_model_nq(m->job.model);
  const double started = cli_seconds();
  double t = 0;
  jn_simulation *sim = m->simulation;
  jn_status status = jn_simulation_state(sim, NULL, m->row + 1, m->row + 1 + nq);
  if (!status) status = draw_to(m, 0);
  if (!status && m->stream.next == 0) status = write_row(m, 0);
  while (!status && m->stream.next < m->samples && !m->stream.differs) {
    const jn_statistics n = jn_simulation_statistics(sim);
    if (!m->step_given && n.steps + n.rejected >= m->max_steps) break;
    status = jn_simulation_step(sim, next_start(m), NULL);
    if (!status) status = jn_simulation_state(sim, &t, NULL, NULL);
    if (!status) status = draw_to(m, t);
    while (!status && m->stream.next < m->samples) {
      const double at = time_of(m, m->stream.next);
      if (at > t) break;
      status = jn_simulation_at(sim, at, m->row + 1, m->row + 1 + nq);
      if (!status) status = write_row(m, at);
      if (!status) status = start_anew(m, at);
    }
    cli_progress(t / m->time, "t = %.6g s", t);
  }
  cli_progress_end();
  m->seconds = cli_seconds() - started;
  if (status) return stopped(m, t, status);
  return m->stream.next < m->samples && !m->stream.differs ? too_many_steps(m, t) : CLI_DONE;
}

/* Results. */

static const char *summary(motion *m) {
  cli_result *r = &m->job.result;
  jn_statistics s = jn_simulation_statistics(m->simulation);
  const int relative = m->energy_kept && m->kinetic > 0;
  return cli_take_text(
      &r->memory,
      "%s: %.6g s in %ld steps (%ld rejected), %ld calls of dynamics of order %d, %.3g s\n"
      "energy %.9g J, changed by at most %.3g J%s\n%s%s",
      scheme_names[m->scheme], m->time, s.steps, s.rejected, s.dynamics, s.order, m->seconds,
      m->energy, m->energy_drift,
      relative         ? cli_take_text(&r->memory, ", %.3g of the largest kinetic energy",
                                       m->energy_drift / m->kinetic)
      : m->energy_kept ? ""
                       : " (forces do work)",
      m->momentum_kept
          ? cli_take_text(&r->memory, "momentum conserved to %.3g\n", m->momentum_drift)
          : "",
      m->residual ? cli_take_text(&r->memory, "constraints satisfied to %.3g\n", m->closure) : "");
}

/* Continues after the rows of an earlier run. Returns an exit status. */
static int resume(motion *m) {
  cli_stream *x = &m->stream;
  const double *q = m->row + 1;
  x->take = take_row;
  x->context = m;
  int code = cli_stream_resume(x, m->row);
  if (code || x->next == 0) return code;
  jn_status status = m->unread;
  if (!status)
    status = jn_simulation_set_state(m->simulation, m->row[0], q, q + jn_model_nq(m->job.model));
  return cli_closure_fault(&m->job, status, jn_simulation_constraint_fault(m->simulation));
}

/* Writes the table while it is computed, then the summary. Returns an exit status. */
static int write_motion(motion *m) {
  cli_stream *x = &m->stream;
  cli_output *out = &x->out;
  cli_json_begin(out, '{');
  cli_json_fields(out, &(cli_field)TEXT_FIELD("model", jn_model_name(m->job.model)), 1);
  int code = CLI_DONE;
  if (out->resume)
    code = resume(m);
  else
    cli_stream_head(x);
  if (!code) code = run(m);
  if (code || x->differs) return code;
  cli_stream_foot(x);
  jn_statistics s = jn_simulation_statistics(m->simulation);
  const cli_field fields[] = {
      TEXT_FIELD("scheme", scheme_names[m->scheme]),
      NUMBER_FIELD("time", m->time),
      NUMBER_FIELD("steps", (double)s.steps),
      NUMBER_FIELD("rejected", (double)s.rejected),
      NUMBER_FIELD("dynamics_calls", (double)s.dynamics),
      NUMBER_FIELD("dynamics_order", s.order),
      NUMBER_FIELD("seconds", m->seconds),
      NUMBER_FIELD("energy", m->energy),
      NUMBER_FIELD("energy_change", m->energy_drift),
      BOOL_FIELD("energy_kept", m->energy_kept),
      MAYBE_FIELD("energy_drift", m->energy_kept && m->kinetic > 0, m->energy_drift / m->kinetic),
      MAYBE_FIELD("momentum_drift", m->momentum_kept, m->momentum_drift),
      MAYBE_FIELD("closure", m->residual != NULL, m->closure)};
  if (out->format == CLI_JSON) {
    cli_json_key(out, "summary");
    cli_json_begin(out, '{');
    cli_json_fields(out, fields, COUNT(fields));
    cli_json_end(out);
  } else {
    fputs(summary(m), out->format == CLI_TABLE ? out->file : stderr);
  }
  cli_json_end(out);
  return m->job.result.memory.failed ? CLI_BAD_INPUT : CLI_DONE;
}

/* Scene: the applied forces at each row, and those of the constraints. */
static int make_replay(motion *m, cli_replay *r) {
  cli_job *job = &m->job;
  const size_t nq = (size_t)jn_model_nq(job->model), nv = (size_t)jn_model_nv(job->model);
  const int every = cli_replay_every(job, m->curve_rows), closed = cli_is_closed(job);
  double *tau = cli_take_numbers(&job->result.memory, nv, 2, 1), *a = tau ? tau + nv : NULL;
  double *lambda =
      cli_take_numbers(&job->result.memory, (size_t)jn_model_constraint_rows(job->model) + 1, 1, 1);
  jn_external external = job->state.external;
  external.tau = NULL; /* part of tau */
  int code = cli_replay_new(r, job, (m->curve_rows - 1) / every + 1, NULL);
  if (code || !tau || !lambda) return CLI_BAD_INPUT;
  for (int n = 0; n < m->curve_rows && !code; n += every) {
    const double *row = m->curve + (size_t)n * (size_t)m->columns, *v = row + 1 + nq;
    cli_instant now = {row[0], row + 1, v, tau, closed ? lambda : NULL, 1, 1};
    jn_status status = JN_OK;
    memset(tau, 0, sizeof *tau * nv);
    if (m->forces) status = jn_force_table_time(&m->table, row[0], 0, tau);
    if (m->along.file) status = cli_along_forces(&m->along, row[0], 0, tau);
    for (size_t i = 0; i < nv; i++) tau[i] += job->state.tau[i];
    if (!status && closed) status = cli_world_at(&m->world, job, row[0]);
    if (!status && closed &&
        jn_constrained_forward_dynamics(job->model, job->data, 0, row + 1, v, tau, &external,
                                        &job->constraints, a, lambda))
      now.lambda = NULL; /* redundant or singular there: no arrows */
    if (!status) status = cli_replay_take(r, job, &now);
    code = cli_job_status(job, status);
  }
  if (!code) cli_replay_end(r, job);
  return code;
}

/* Draws the figure and writes the page that were requested. */
static void facts(FILE *page, const void *context) {
  const motion *m = context;
  if (m->job.state_path) report_fact(page, "State", m->job.state_path, "");
  if (m->forces) report_fact(page, "Forces", m->forces, "");
  if (m->along.file) report_fact(page, "Forces along", m->along.file, "");
}

static int show(motion *m) {
  cli_memory *t = &m->job.result.memory;
  jn_statistics s = jn_simulation_statistics(m->simulation);
  const chart table = cli_stream_chart(&m->stream);
  chart c = table;
  if (m->curve)
    c.rows = m->curve_next, c.values = m->curve, c.whole_rows = c.whole_every = 0, c.table = &table;
  c.figure_of = m->kinds, c.figures = KINDS, c.figure = kinds;
  const char *cards[11] = {
      cli_take_text(t, "%.6g s", m->time),
      cli_take_text(t, "in %ld steps (%ld rejected) of the scheme %s, %.3g s on this machine",
                    s.steps, s.rejected, scheme_names[m->scheme], m->seconds),
      cli_take_text(t, "%.6g J", m->energy),
      cli_take_text(t, "energy at the start; it changed by at most %.3g J%s", m->energy_drift,
                    m->energy_kept ? "" : " (forces do work)")};
  int n = 4;
  if (m->energy_kept && m->kinetic > 0) {
    cards[n++] = cli_take_text(t, "%.2g", m->energy_drift / m->kinetic);
    cards[n++] = "error of the energy, relative to the largest kinetic energy";
  }
  if (m->momentum_kept) {
    cards[n++] = cli_take_text(t, "%.2g", m->momentum_drift);
    cards[n++] = "error of the momentum, relative";
  }
  if (m->residual) {
    cards[n++] = cli_take_text(t, "%.2g", m->closure);
    cards[n++] = "largest residual of the constraints (m, rad)";
  }
  cli_replay replay = {0};
  int code = m->report ? make_replay(m, &replay) : CLI_DONE;
  const cli_page page = {.title = "Motion",
                         .download = "motion.csv",
                         .cards = cards,
                         .replay = &replay,
                         .facts = facts,
                         .context = m};
  return code ? code : cli_page_write(&m->job, m->plot, m->report, &c, &page);
}

static int check_usage(cli_job *job) {
  const motion *m = (const motion *)job;
  if (m->along.file && m->forces)
    return cli_bad_usage("simulate: give --along or --forces, not both");
  if (m->time_given ? !(m->time > 0) : !m->along.file)
    return cli_bad_usage(
        "simulate: --time is missing or not positive (see 'jounce simulate --help')");
  if ((m->step_given && !(m->step > 0)) || (m->step_given && m->tolerance_given))
    return cli_bad_usage("simulate: give --step H > 0 or --tolerance E, not both");
  if (m->step_given && m->time / m->step > MOST_STEPS)
    return cli_bad_usage(
        "simulate: --step is too small: the run would take %.3g steps; at most 1e9",
        m->time / m->step);
  if (job->output.resume && (m->plot || m->report || m->drift || job->joints))
    return cli_bad_usage(
        "simulate: --resume cannot be combined with --plot, --report, --drift or --joints, which "
        "need all rows or leave out columns");
  return m->plot ? chart_check_path("simulate", m->plot) : CLI_DONE;
}

static int open_motion(motion *m) {
  cli_stream *s = &m->stream;
  s->command = "simulate";
  s->rows = m->samples;
  s->columns = m->columns;
  s->names = m->names;
  s->hidden = m->drift;
  s->block = m->samples > 10000 ? 1000 : (m->samples - 1) / 10 + 1;
  s->figures = m->plot || m->report;
  if (s->figures) {
    const int most = CHART_NUMBERS / m->columns;
    m->curve_rows = most < 2 ? 2 : most < CURVE_ROWS ? most : CURVE_ROWS;
    m->curve =
        cli_take_numbers(&m->job.result.memory, (size_t)m->curve_rows, (size_t)m->columns, 1);
    if (!m->curve) return CLI_BAD_INPUT;
  }
  return cli_stream_open(s, &m->job.output, m->drift ? CLI_TO_CSV | CLI_TO_NPY : 0,
                         &m->job.result.memory);
}

static int move(motion *m) {
  int code = read_forces(m);
  if (code || (code = prepare(m)) || (code = cli_check_pictures("simulate", m->plot, m->report)) ||
      (code = name_columns(m)) || (code = leave_out(m)) || (code = open_motion(m)))
    return code;
  code = cli_stream_end(&m->stream, write_motion(m));
  return code ? code : show(m);
}

static int run_simulate(cli_job *job) {
  motion *m = (motion *)job;
  /* forces are optional per joint, as in hybrid dynamics */
  cli_need need = {0, 1, 1, 1, 1, job->pad || job->assemble || !job->state_path, 0};
  int code = cli_job_state(job, &need, 0);
  if (!code && cli_is_closed(job)) {
    m->residual =
        cli_take_numbers(&job->result.memory, (size_t)jn_model_constraint_rows(job->model), 1, 1);
    if (!m->residual) code = CLI_BAD_INPUT;
    if (!code) code = cli_world_load(&m->world, job);
    if (!code) code = cli_job_status(job, cli_world_at(&m->world, job, 0));
    if (!code && job->assemble) code = cli_close(job, 1);
  }
  if (!code) code = cli_along_load(&m->along, job);
  if (!code && m->along.file && m->friction)
    cli_error(
        "simulate: the forces of --along do not overcome --friction: the motion stays behind the "
        "trajectory");
  if (!code && m->along.file && !m->time_given)
    m->time = jn_trajectory_end(m->along.motion) - jn_trajectory_start(m->along.motion);
  if (!code) code = move(m);
  jn_simulation_free(m->simulation);
  cli_along_free(&m->along);
  cli_world_free(&m->world);
  return code;
}

int cli_simulate(int argc, char **argv) {
  motion m = {.job = CLI_JOB_DEFAULT, .scheme = JN_TAYLOR, .samples = 101, .max_steps = 1000000};
  cli_job *job = &m.job;
  job->closes = 1;
  const cli_option table[] = {CLI_MODEL_OPTIONS(job),
                              CLI_OPT_INT("order", &job->order, 2, JN_MAX_ORDER),
                              CLI_OPT_INPUT("state", &job->state_path),
                              CLI_OPT_FLAG("pad", &job->pad, 1),
                              CLI_OPT_VECTOR("gravity", job->gravity, &job->gravity_given),
                              CLI_DAMPING_OPTION(job),
                              CLI_ASSEMBLE_OPTIONS(job),
                              CLI_ACTIVE_OPTION(job),
                              CLI_WORLD_OPTION(job),
                              CLI_PROXIMAL_OPTION(job),
                              CLI_OUTPUT_OPTIONS(job),
                              CLI_JOINTS_OPTION(job),
                              CLI_OPT_NUMBER("time", &m.time, &m.time_given),
                              CLI_OPT_NUMBER("step", &m.step, &m.step_given),
                              CLI_OPT_NUMBER("tolerance", &m.tolerance, &m.tolerance_given),
                              CLI_OPT_CHOICE("scheme", &m.scheme, scheme_names),
                              CLI_OPT_INT("samples", &m.samples, 2, 100000000),
                              CLI_OPT_INT("max-steps", &m.max_steps, 1, 2000000000),
                              CLI_OPT_FLAG("friction", &m.friction, 1),
                              CLI_OPT_FLAG("resume", &job->output.resume, 1),
                              CLI_OPT_FLAG("drift", &m.drift, 1),
                              CLI_OPT_OUTPUT("plot", &m.plot),
                              CLI_OPT_OUTPUT("report", &m.report),
                              CLI_OPT_INPUT("forces", &m.forces),
                              CLI_OPT_INPUT("along", &m.along.file)};
  return cli_job_run(job, table, COUNT(table), argc, argv, check_usage, run_simulate);
}
