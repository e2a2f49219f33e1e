/* commands_simulate.c: simulate. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jounce/integrate.h>
#include <jounce/trajectory.h>

#include "job.h"
#include "report.h"
#include "table.h"

#define MOST_STEPS 1e9 /* of a run with --step */
#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static const char *const scheme_names[] = {
#define NAME(code, name) name,
    JN_SCHEMES(NAME)
#undef NAME
        NULL};

const char cli_simulate_help[] =
    "usage: jounce simulate MODEL --time T [--state FILE] [options]\n\n"
    "Moves a robot from a state through T seconds. 'tau', 'base_wrench', 'tau_ext' and 'wrench' "
    "of\n"
    "the state act all the time, constant in the representation they are given in; what is not\n"
    "given is zero. Writes a table: t, configuration (a free base: quaternion qw qx qy qz and\n"
    "position), velocities, energy; and how well energy and momentum were kept, where nothing\n"
    "changes them: in JSON and text with the table, else on standard error.\n"
    "Without --state: from home, at rest.\n\n"
    "  --time T               seconds\n"
    "  --scheme NAME          taylor (default), rkmk54, rkmk4, momentum, variational\n"
    "  --tolerance E          bound on the local error of a step; default 1e-12\n"
    "  --step H               fixed step instead, at most 1e9 of them; rkmk4 and variational need\n"
    "                         one\n"
    "  --order N              taylor: degree of the polynomials, from 2; default from the "
    "tolerance\n"
    "  --samples N            lines of the table, evenly in time; default 101\n"
    "  --forces FILE          CSV of forces over time, beside those of the state, joined by\n"
    "                         straight lines: first line 't,NAME,...' with names of degrees of\n"
    "                         freedom as this command writes them (elbow, base:wx)\n"
    "  --damping, --friction  include the joints' own of the model file\n"
    "  --drift                only the summary, no table\n"
    "  --plot FILE            draw the motion (.svg or .png; needs gnuplot)\n"
    "  --report FILE          one HTML page with summary, figures and numbers; needs no network\n"
    "  --state FILE           STATE file (JSON); '-' reads standard input\n"
    "  --pad                  take what the state lacks as zero\n"
    "  --gravity X,Y,Z        instead of the state's or the model's\n"
    "  --fixed, --floating    hold the root link, or let it float, against what the file says\n"
    "  --strict               refuse inertias that violate the triangle inequality\n"
    "  --format NAME          json, csv, npy or text; default json, on a terminal text\n"
    "  --output FILE          write there instead of standard output\n\n"
    "example:\n"
    "  echo '{\"joints\": {\"joint1\": [1.5, 0], \"joint2\": [0.2, 0]}}' |\n"
    "    jounce simulate double_pendulum --state - --time 10 --format csv --samples 11\n"
    "  jounce simulate tilthex --time 2 --drift\n"
    "  echo '{\"joints\": {\"joint1\": [1.5, 0], \"joint2\": [0.2, 0]}}' |\n"
    "    jounce simulate double_pendulum --state - --time 5 --drift --report motion.html\n";

typedef struct motion {
  cli_job job;
  double time, step, tolerance;
  int time_given, step_given, tolerance_given;
  int scheme, samples, friction, drift;
  const char *plot, *report, *forces;
  /* made from them */
  jn_simulation *simulation;
  jn_force_table table;
  double *table_times, *table_tau;
  int columns;
  double *rows; /* [samples x columns] */
  /* found */
  double seconds;
  double energy, energy_drift,
      kinetic;                      /* at the start; largest deviation; largest kinetic energy */
  double momentum_drift;            /* relative */
  int energy_kept, momentum_kept;   /* nothing changes it */
  double com[3], momentum[6], mass; /* at the start */
} motion;

static double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int any(const double *x, int n) {
  for (int i = 0; x && i < n; i++) {
    if (x[i] != 0) return 1;
  }
  return 0;
}

/* Names of the columns. */

static void velocity_name(const jn_model *model, int joint, int i, char *out, size_t size) {
  const jn_joint *j = jn_model_joint(model, joint);
  cli_dof_name(model, joint, i, out, size - 1);
  if (j->nq == j->nv) strcat(out, "'");
}

/* Column number n: t, q, v, energy. */
static void column_name(const motion *m, int n, char *out, size_t size) {
  const jn_model *model = m->job.model;
  int nq = jn_model_nq(model), nv = jn_model_nv(model);
  snprintf(out, size, "%s", n == 0 ? "t" : "energy");
  for (int i = 0; n > 0 && n <= nq + nv && i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    int iq = n - 1 - j->iq, iv = n - 1 - nq - j->iv;
    if (iq >= 0 && iq < j->nq && n <= nq) jn_coordinate_name(model, n - 1, out);
    if (iv >= 0 && iv < j->nv) velocity_name(model, i, iv, out, size);
  }
}

/* The table of forces. */

static int find_dof(const jn_model *model, const char *name) {
  char known[JN_MAX_NAME + 16];
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv; c++) {
      cli_dof_name(model, i, c, known, sizeof known);
      if (strcmp(known, name) == 0) return j->iv + c;
    }
  }
  return -1;
}

typedef char dof_name[JN_MAX_NAME + 16];

static const char *dof_word(const void *context, int index) {
  return ((const dof_name *)context)[index];
}

/* The model has no degree of freedom of this name: says so, with those it has. */
static void unknown_dof(const motion *m, const char *name) {
  const jn_model *model = m->job.model;
  char hint[1024] = "";
  dof_name *names = malloc(((size_t)jn_model_nv(model) + 1) * sizeof *names);
  for (int i = 0; names && i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (int c = 0; c < j->nv; c++) cli_dof_name(model, i, c, names[j->iv + c], sizeof *names);
  }
  cli_words words = {dof_word, names, jn_model_nv(model)};
  if (names) cli_suggest(name, words, hint, sizeof hint);
  cli_error("%s:1: the model has no degree of freedom '%s'%s", m->forces, name, hint);
  free(names);
}

/* The heading: which degree of freedom each column drives. Returns how many, or -1. */
static int read_heading(const motion *m, char *line, int *dofs) {
  int count = 0;
  char *field = strtok(line, ",\r\n");
  if (!field || strcmp(field, "t") != 0) {
    cli_error("%s:1: the first column must be 't'", m->forces);
    return -1;
  }
  while ((field = strtok(NULL, ",\r\n"))) {
    int dof = find_dof(m->job.model, field);
    if (dof < 0) {
      unknown_dof(m, field);
      return -1;
    }
    for (int i = 0; i < count; i++) {
      if (dofs[i] != dof) continue;
      cli_error("%s:1: column '%s' is named twice", m->forces, field);
      return -1;
    }
    dofs[count++] = dof;
  }
  return count;
}

/* One line of numbers into row `n` of the table. */
static int read_line(motion *m, int number, char *line, const int *dofs, int count, int n) {
  char *at = line, *end;
  size_t nv = (size_t)jn_model_nv(m->job.model);
  for (int i = 0; i <= count; i++) {
    double x = strtod(at, &end);
    int last = i == count;
    if (end == at || !isfinite(x) ||
        (last ? *end != '\0' && *end != '\n' && *end != '\r' : *end != ',')) {
      cli_error("%s:%d: %d finite numbers expected, parted by commas", m->forces, number,
                count + 1);
      return CLI_BAD_INPUT;
    }
    if (i == 0)
      m->table_times[n] = x;
    else
      m->table_tau[(size_t)n * nv + (size_t)dofs[i - 1]] = x;
    at = end + 1;
  }
  if (n > 0 && !(m->table_times[n] > m->table_times[n - 1])) {
    cli_error("%s:%d: times must rise", m->forces, number);
    return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

static int read_lines(motion *m, FILE *file, char *line, int size, int *dofs) {
  size_t nv = (size_t)jn_model_nv(m->job.model);
  int count, n = 0, room = 0;
  if (!fgets(line, size, file)) {
    if (ferror(file))
      cli_error("%s: cannot be read: %s", m->forces, strerror(errno));
    else
      cli_error("%s: the file is empty", m->forces);
    return CLI_BAD_INPUT;
  }
  if ((count = read_heading(m, line, dofs)) < 0) return CLI_BAD_INPUT;
  for (int number = 2; fgets(line, size, file); number++) {
    if (line[strspn(line, " \t\r\n")] == '\0') continue;
    if (n == room) {
      room = room ? 2 * room : 64;
      double *times = realloc(m->table_times, (size_t)room * sizeof *times);
      if (times) m->table_times = times;
      double *tau = realloc(m->table_tau, ((size_t)room * nv + 1) * sizeof *tau);
      if (tau) m->table_tau = tau;
      if (!times || !tau) {
        cli_error("%s: out of memory", m->forces);
        return CLI_BAD_INPUT;
      }
    }
    memset(m->table_tau + (size_t)n * nv, 0, nv * sizeof(double));
    if (read_line(m, number, line, dofs, count, n)) return CLI_BAD_INPUT;
    n++;
  }
  if (ferror(file)) {
    cli_error("%s: cannot be read to its end: %s", m->forces, strerror(errno));
    return CLI_BAD_INPUT;
  }
  if (n == 0) {
    cli_error("%s: no line of numbers", m->forces);
    return CLI_BAD_INPUT;
  }
  m->table = (jn_force_table){n, (int)nv, m->table_times, m->table_tau};
  return CLI_DONE;
}

static int read_forces(motion *m) {
  if (!m->forces) return CLI_DONE;
  enum { SIZE = 1 << 20 };
  FILE *file = fopen(m->forces, "r");
  char *line = malloc(SIZE);
  int *dofs = malloc(((size_t)jn_model_nv(m->job.model) + 1) * sizeof *dofs), code = CLI_BAD_INPUT;
  if (!file)
    cli_error("%s: cannot be read: %s", m->forces, strerror(errno));
  else if (!line || !dofs)
    cli_error("%s: out of memory", m->forces);
  else
    code = read_lines(m, file, line, SIZE, dofs);
  if (file) fclose(file);
  free(line);
  free(dofs);
  return code;
}

/* The run. */

static int prepare(motion *m) {
  cli_job *job = &m->job;
  const cli_state *s = &job->state;
  int nv = jn_model_nv(job->model);
  jn_vec3 gravity = jn_data_settings(job->data)->gravity;
  double *tau = s->tau;
  for (int i = 0; s->external.tau && i < nv; i++) tau[i] += s->external.tau[i];
  jn_simulation_options o = jn_simulation_default();
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
  int base = jn_model_is_floating(job->model) ? 6 : 0;
  m->energy_kept =
      !any(tau, nv) && !s->external.wrench_count && !m->forces && !job->damping && !m->friction;
  m->momentum_kept = base && !any(tau, base) && !s->external.wrench_count && !m->forces;
  jn_error error = {0};
  jn_status status = jn_simulation_new(job->model, &o, NULL, &m->simulation, &error);
  if (status) {
    cli_error("simulate: %s", error.message[0] ? error.message : jn_status_text(status));
    return status == JN_ERR_ARGUMENT ? CLI_BAD_USAGE : CLI_BAD_INPUT;
  }
  return cli_job_status(job, jn_simulation_set_state(m->simulation, 0, s->q, s->v));
}

/* Momentum that a free fall would have by now. */
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

/* Row n of the table is filled but for the energy; drifts are kept. */
static jn_status measure(motion *m, int n, double t) {
  double *row = m->rows + (size_t)n * (size_t)m->columns, kinetic, potential, momentum[6], com[3];
  jn_momentum out = {
      .com = com, .momentum = momentum, .kinetic = &kinetic, .potential = &potential};
  int nq = jn_model_nq(m->job.model);
  row[0] = t;
  jn_status status = jn_momentum_energy(m->job.model, m->job.data, 0, row + 1, row + 1 + nq, &out);
  if (status) return status;
  double energy = kinetic + potential;
  row[m->columns - 1] = energy;
  if (n == 0) {
    m->energy = energy;
    m->mass = jn_model_moving_mass(m->job.model);
    memcpy(m->com, com, sizeof com);
    memcpy(m->momentum, momentum, sizeof momentum);
  }
  m->kinetic = fmax(m->kinetic, kinetic);
  m->energy_drift = fmax(m->energy_drift, fabs(energy - m->energy));
  if (m->momentum_kept) m->momentum_drift = fmax(m->momentum_drift, momentum_error(m, t, momentum));
  return JN_OK;
}

static void progress(const motion *m, double t, double *shown) {
  double now = clock_seconds();
  if (!isatty(STDERR_FILENO) || now - *shown < 0.3) return;
  fprintf(stderr, "\r[%3d %%] t = %.6g s", (int)(100 * t / m->time), t);
  *shown = now;
}

static jn_status run(motion *m) {
  int nq = jn_model_nq(m->job.model), next = 1;
  double shown = clock_seconds(), t = 0;
  jn_simulation *sim = m->simulation;
  jn_status status = jn_simulation_state(sim, NULL, m->rows + 1, m->rows + 1 + nq);
  if (!status) status = measure(m, 0, 0);
  while (!status && next < m->samples) {
    status = jn_simulation_step(sim, m->time, NULL);
    if (!status) status = jn_simulation_state(sim, &t, NULL, NULL);
    while (!status && next < m->samples) {
      double at = next == m->samples - 1 ? m->time : m->time * next / (m->samples - 1);
      double *row = m->rows + (size_t)next * (size_t)m->columns;
      if (at > t) break;
      status = jn_simulation_at(sim, at, row + 1, row + 1 + nq);
      if (!status) status = measure(m, next++, at);
    }
    progress(m, t, &shown);
  }
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%40s\r", "");
  int joint = status == JN_ERR_SINGULAR ? jn_simulation_singular_joint(sim) : -1;
  if (status) cli_error("simulate: stopped at t = %.17g", t);
  if (joint >= 0)
    cli_error("simulate: joint '%s' moves no mass", cli_joint_name(m->job.model, joint));
  return status;
}

/* Results. */

static void summary_json(cli_output *out, const motion *m) {
  jn_statistics s = jn_simulation_statistics(m->simulation);
  cli_json_begin(out, '{');
  cli_json_key(out, "scheme");
  cli_json_text(out, scheme_names[m->scheme]);
  cli_json_key(out, "time");
  cli_json_number(out, m->time);
  cli_json_key(out, "steps");
  cli_json_number(out, (double)s.steps);
  cli_json_key(out, "rejected");
  cli_json_number(out, (double)s.rejected);
  cli_json_key(out, "dynamics_calls");
  cli_json_number(out, (double)s.dynamics);
  cli_json_key(out, "dynamics_order");
  cli_json_int(out, s.order);
  cli_json_key(out, "seconds");
  cli_json_number(out, m->seconds);
  cli_json_key(out, "energy");
  cli_json_number(out, m->energy);
  cli_json_key(out, "energy_change");
  cli_json_number(out, m->energy_drift);
  cli_json_key(out, "energy_kept");
  cli_json_bool(out, m->energy_kept);
  cli_json_key(out, "energy_drift");
  if (m->energy_kept && m->kinetic > 0)
    cli_json_number(out, m->energy_drift / m->kinetic);
  else
    cli_json_text(out, NULL);
  cli_json_key(out, "momentum_drift");
  if (m->momentum_kept)
    cli_json_number(out, m->momentum_drift);
  else
    cli_json_text(out, NULL);
  cli_json_end(out);
}

static void summary_text(FILE *file, const motion *m) {
  jn_statistics s = jn_simulation_statistics(m->simulation);
  fprintf(file,
          "%s: %.6g s in %ld steps (%ld rejected), %ld calls of dynamics of order %d, %.3g s\n",
          scheme_names[m->scheme], m->time, s.steps, s.rejected, s.dynamics, s.order, m->seconds);
  fprintf(file, "energy %.9g J, changed by at most %.3g J", m->energy, m->energy_drift);
  if (m->energy_kept && m->kinetic > 0)
    fprintf(file, ", %.3g of the largest kinetic energy", m->energy_drift / m->kinetic);
  else if (!m->energy_kept)
    fputs(" (forces do work)", file);
  fputc('\n', file);
  if (m->momentum_kept) fprintf(file, "momentum kept to %.3g\n", m->momentum_drift);
}

static void write_json(cli_output *out, const motion *m) {
  char name[JN_MAX_NAME + 32];
  cli_json_begin(out, '{');
  cli_json_key(out, "model");
  cli_json_text(out, jn_model_name(m->job.model));
  cli_json_key(out, "summary");
  summary_json(out, m);
  if (!m->drift) {
    cli_json_key(out, "columns");
    cli_json_begin(out, '[');
    for (int i = 0; i < m->columns; i++) {
      column_name(m, i, name, sizeof name);
      cli_json_text(out, name);
    }
    cli_json_end(out);
    cli_json_key(out, "rows");
    cli_json_rows(out, m->samples, m->columns, m->rows, (size_t)m->columns);
  }
  cli_json_end(out);
}

static void write_lines(cli_output *out, const motion *m) {
  char name[JN_MAX_NAME + 32];
  int text = out->format == CLI_TABLE;
  for (int i = 0; i < m->columns; i++) {
    column_name(m, i, name, sizeof name);
    if (text) {
      fprintf(out->file, " %13.40s", cli_clean(name).text);
    } else {
      if (i) fputc(',', out->file);
      cli_csv_text(out, name);
    }
  }
  fputc('\n', out->file);
  for (int n = 0; n < m->samples; n++) {
    const double *row = m->rows + (size_t)n * (size_t)m->columns;
    for (int i = 0; i < m->columns; i++) {
      if (text) {
        fprintf(out->file, " %13.6g", row[i]);
      } else {
        if (i) fputc(',', out->file);
        cli_write_number(out, row[i]);
      }
    }
    fputc('\n', out->file);
  }
}

static int write_motion(const motion *m) {
  cli_output out;
  unsigned without = m->drift ? 1u << CLI_CSV | 1u << CLI_NPY : 0;
  int code = cli_output_open(&out, &m->job.output, "simulate", without);
  if (code) return code;
  size_t shape[2] = {(size_t)m->samples, (size_t)m->columns};
  if (out.format == CLI_JSON)
    write_json(&out, m);
  else if (out.format == CLI_NPY)
    cli_npy(&out, 2, shape, m->rows);
  else if (!m->drift)
    write_lines(&out, m);
  if (out.format == CLI_TABLE) summary_text(out.file, m);
  if (out.format == CLI_CSV || out.format == CLI_NPY) summary_text(stderr, m);
  return cli_output_close(&out);
}

/* The figure: a panel for each kind of number, configuration left, velocity right. */

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

static int column_kind(const motion *m, int n) {
  const jn_model *model = m->job.model;
  int nq = jn_model_nq(model), nv = jn_model_nv(model);
  for (int i = 0; n > 0 && n <= nq + nv && i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    int iq = n - 1 - j->iq, iv = n - 1 - nq - j->iv, plain = j->nq == j->nv;
    if (n <= nq && iq >= 0 && iq < j->nq) {
      if (!plain) return iq < 4 ? ROTATION : POSITION;
      return cli_is_length(j->type, iq) ? LENGTH : ANGLE;
    }
    if (n > nq && iv >= 0 && iv < j->nv) {
      if (!plain) return iv < 3 ? TURNING : MOVING;
      return cli_is_length(j->type, iv) ? LENGTH_RATE : ANGLE_RATE;
    }
  }
  return n > 0 ? ENERGY : -1;
}

/* The table and its figures; names and kinds are [columns]. */
typedef struct motion_chart {
  chart chart;
  char (*texts)[JN_MAX_NAME + 32];
  const char **names;
  int *kinds;
} motion_chart;

static void chart_free(motion_chart *c) {
  free(c->texts);
  free(c->names);
  free(c->kinds);
}

static int chart_of(const motion *m, motion_chart *c) {
  size_t n = (size_t)m->columns;
  c->texts = malloc(n * sizeof *c->texts);
  c->names = malloc(n * sizeof *c->names);
  c->kinds = malloc(n * sizeof *c->kinds);
  if (!c->texts || !c->names || !c->kinds) {
    cli_error("simulate: out of memory");
    return CLI_BAD_INPUT;
  }
  for (int i = 0; i < m->columns; i++) {
    column_name(m, i, c->texts[i], sizeof c->texts[i]);
    c->names[i] = c->texts[i];
    c->kinds[i] = column_kind(m, i);
  }
  c->chart = (chart){.rows = m->samples,
                     .columns = m->columns,
                     .values = m->rows,
                     .names = c->names,
                     .axis = "t [s]",
                     .figure_of = c->kinds,
                     .figures = KINDS,
                     .figure = kinds};
  return CLI_DONE;
}

static int write_report(const motion *m, const chart *c) {
  char text[512], number[64];
  jn_statistics s = jn_simulation_statistics(m->simulation);
  snprintf(text, sizeof text, "Motion of %s", cli_clean(jn_model_name(m->job.model)).text);
  FILE *page = report_open(m->report, text, "Simulated by jounce " JN_VERSION ".");
  if (!page) return CLI_BAD_INPUT;
  report_cards_begin(page);
  snprintf(number, sizeof number, "%.6g s", m->time);
  snprintf(text, sizeof text,
           "in %ld steps (%ld rejected) of the scheme %s, %.3g s on this machine", s.steps,
           s.rejected, scheme_names[m->scheme], m->seconds);
  report_card(page, number, text);
  snprintf(number, sizeof number, "%.6g J", m->energy);
  snprintf(text, sizeof text, "energy at the start; it changed by at most %.3g J%s",
           m->energy_drift, m->energy_kept ? "" : " (forces do work)");
  report_card(page, number, text);
  if (m->energy_kept && m->kinetic > 0) {
    snprintf(number, sizeof number, "%.2g", m->energy_drift / m->kinetic);
    report_card(page, number, "error of the energy, relative to the largest kinetic energy");
  }
  if (m->momentum_kept) {
    snprintf(number, sizeof number, "%.2g", m->momentum_drift);
    report_card(page, number, "error of the momentum, relative");
  }
  report_cards_end(page);
  report_chart(page, c, "motion.csv");
  return report_close(page, m->report);
}

/* The picture and the page that were asked for. */
static int show(const motion *m) {
  motion_chart c = {0};
  int code = m->plot || m->report ? chart_of(m, &c) : CLI_DONE;
  if (!code && m->plot) code = chart_draw(&c.chart, "simulate", m->plot);
  if (!code && m->report) code = write_report(m, &c.chart);
  chart_free(&c);
  return code;
}

static int check_usage(const motion *m) {
  if (!m->time_given || !(m->time > 0)) {
    cli_error("simulate: --time is missing or not positive (see 'jounce simulate --help')");
    return CLI_BAD_USAGE;
  }
  if ((m->step_given && !(m->step > 0)) || (m->step_given && m->tolerance_given)) {
    cli_error("simulate: give --step H > 0 or --tolerance E, not both");
    return CLI_BAD_USAGE;
  }
  if (m->step_given && m->time / m->step > MOST_STEPS) {
    cli_error("simulate: --step is so small that the run would take %.3g steps; at most 1e9",
              m->time / m->step);
    return CLI_BAD_USAGE;
  }
  return m->plot ? chart_check_path("simulate", m->plot) : CLI_DONE;
}

static int run_simulate(motion *m, const cli_option *table, int count, int argc, char **argv) {
  cli_job *job = &m->job;
  int code = cli_job_begin(job, table, count, argc, argv);
  if (code || (code = check_usage(m)) || (code = cli_job_model(job))) return code;
  /* forces are there for who names them: what hybrid dynamics calls for */
  cli_need need = {0, 1, 1, 1, 1, job->pad || !job->state_path};
  if ((code = cli_job_state(job, &need, 0)) || (code = read_forces(m)) || (code = prepare(m)) ||
      (m->plot && (code = report_check_path(m->plot))) ||
      (m->report && (code = report_check_path(m->report))))
    return code;
  m->columns = 2 + jn_model_nq(job->model) + jn_model_nv(job->model);
  m->rows = cli_room((size_t)m->samples, (size_t)m->columns, 1);
  if (!m->rows) return CLI_BAD_INPUT;
  double start = clock_seconds();
  code = cli_job_status(job, run(m));
  m->seconds = clock_seconds() - start;
  if (code || (code = write_motion(m))) return code;
  return show(m);
}

int cli_simulate(int argc, char **argv) {
  motion m = {.job = CLI_JOB_DEFAULT, .scheme = JN_TAYLOR, .samples = 101};
  cli_job *job = &m.job;
  const cli_option table[] = {CLI_MODEL_OPTIONS(job),
                              CLI_OPT_INT("order", &job->order, 2, JN_MAX_ORDER),
                              CLI_OPT_TEXT("state", &job->state_path),
                              CLI_OPT_FLAG("pad", &job->pad, 1),
                              CLI_OPT_VECTOR("gravity", job->gravity, &job->gravity_given),
                              CLI_DAMPING_OPTION(job),
                              CLI_OUTPUT_OPTIONS(job),
                              CLI_OPT_NUMBER("time", &m.time, &m.time_given),
                              CLI_OPT_NUMBER("step", &m.step, &m.step_given),
                              CLI_OPT_NUMBER("tolerance", &m.tolerance, &m.tolerance_given),
                              CLI_OPT_CHOICE("scheme", &m.scheme, scheme_names),
                              CLI_OPT_INT("samples", &m.samples, 2, 100000000),
                              CLI_OPT_FLAG("friction", &m.friction, 1),
                              CLI_OPT_FLAG("drift", &m.drift, 1),
                              CLI_OPT_TEXT("plot", &m.plot),
                              CLI_OPT_TEXT("report", &m.report),
                              CLI_OPT_TEXT("forces", &m.forces)};
  int code = run_simulate(&m, table, COUNT(table), argc, argv);
  jn_simulation_free(m.simulation);
  free(m.rows);
  free(m.table_times);
  free(m.table_tau);
  cli_job_end(job);
  return code;
}
