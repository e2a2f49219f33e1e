/* soak.c: long runs.
 *
 *   soak --calls N    N mixed calls of all compute functions: the memory of the process must not
 *                     grow after the first round, and every round must give the bits of the first
 *   soak --steps N    a floating tree without forces, N steps of the Taylor integrator: the largest
 *                     relative change of energy and momentum, and how it grows. The root mean
 *                     square of E(n + m) - E(n) grows as m^slope: 0.5 for unbiased rounding (a
 *                     random walk), 1 for biased rounding
 *   soak --loops N    the four-bar swings for N steps of 2 ms of the Taylor integrator, closed and
 *                     as the open tree: the largest change of the energy, and of the closure
 *
 * All print a line for the scorecard; the exit status is 1 if the target is missed. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/rng.h"

enum { ORDER = 3, STATES = 16, NV = 32, NQ = 40 };

typedef struct robot {
  jn_model *model;
  jn_data *data;
  jn_batch *batch;
  jn_simulation *simulation;
  size_t nq, nv;
  double q[STATES * NQ], v[STATES * NV * (ORDER + 2)], tau[STATES * NV * (ORDER + 1)];
} robot;

static double x[NV * NV * 8], y[NV * NV * 8], z[NV * NV * 8];

static void stop(const char *what) {
  fprintf(stderr, "soak: %s\n", what);
  exit(1);
}

static void open_robot(robot *r, const char *name, uint64_t seed) {
  double dq[NV];
  rng random = rng_new(seed);
  if (jn_model_load(name, NULL, NULL, &r->model, NULL)) stop(name);
  r->nq = (size_t)jn_model_nq(r->model), r->nv = (size_t)jn_model_nv(r->model);
  if (r->nq > NQ || r->nv > NV) stop("the robot is too large");
  for (int s = 0; s < STATES; s++) {
    double *q = r->q + (size_t)s * r->nq;
    for (size_t i = 0; i < r->nv; i++) dq[i] = rng_range(&random, -1, 1);
    jn_model_home(r->model, q);
    if (jn_integrate(r->model, q, dq, q)) stop("integrate");
  }
  for (size_t i = 0; i < STATES * r->nv * (ORDER + 2); i++) r->v[i] = rng_range(&random, -1, 1);
  for (size_t i = 0; i < STATES * r->nv * (ORDER + 1); i++) r->tau[i] = rng_range(&random, -1, 1);
}

static void add(uint64_t *hash, jn_status status, const double *values, size_t n) {
  if (status) stop(jn_status_text(status));
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, values + i, sizeof bits);
    *hash = (*hash ^ bits) * 0x100000001b3u;
  }
}

/* One round over all states; returns the number of calls. */
static long round_of_calls(robot *r, uint64_t *hash) {
  const jn_model *m = r->model;
  jn_data *d = r->data;
  const size_t nv = r->nv, n = (ORDER + 1) * nv, rows = (ORDER + 2) * nv, n2 = nv * nv;
  long calls = 0;
  for (size_t s = 0; s < STATES; s++) {
    const double *q = r->q + s * r->nq, *v = r->v + s * rows, *tau = r->tau + s * n;
    double e[3];
    jn_momentum o = {.kinetic = e, .potential = e + 1};
    add(hash, jn_inverse_dynamics(m, d, ORDER, q, v, NULL, x), x, n);
    add(hash, jn_forward_dynamics(m, d, ORDER, q, v, tau, NULL, x), x, n);
    add(hash, jn_mass_matrix(m, d, q, x), x, n2);
    add(hash, jn_inverse_mass(m, d, q, x), x, n2);
    add(hash, jn_equations_of_motion(m, d, 0, q, v, NULL, x, y, z, NULL, NULL), y, n2);
    add(hash, jn_momentum_energy(m, d, 0, q, v, &o), e, 2);
    add(hash, jn_kinematics(m, d, ORDER, q, v), NULL, 0);
    add(hash, jn_frame_twist(m, d, 1, JN_MIXED, ORDER, x), x, 6 * (ORDER + 1));
    add(hash, jn_frame_jacobian(m, d, 1, JN_SPATIAL, 0, x), x, 6 * nv);
    add(hash, jn_inverse_partials(m, d, 0, q, v, NULL, x, y), x, n2);
    add(hash, jn_forward_partials(m, d, 0, q, v, tau, NULL, x, y, z), y, n2);
    add(hash, jn_simulation_set_state(r->simulation, 0, q, v), NULL, 0);
    add(hash, jn_simulation_step(r->simulation, 1, NULL), NULL, 0);
    add(hash, jn_simulation_state(r->simulation, NULL, x, y), x, r->nq);
    calls += 14;
  }
  add(hash, jn_batch_inverse_dynamics(m, r->batch, ORDER, STATES, r->q, r->v, z, NULL), z, n);
  return calls + 1;
}

/* memory that the process has written to, heap and stack; statm is not exact */
static long resident_bytes(void) {
  char line[256];
  long kilobytes = -1;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "Anonymous:", 10)) kilobytes = strtol(line + 10, NULL, 10);
  if (kilobytes < 0) stop("/proc/self/smaps_rollup");
  fclose(file);
  return 1024 * kilobytes;
}

static int soak(double calls) {
  static const char *const names[] = {"tilthex", "double_pendulum", "tilthex:2x3"};
  enum { ROBOTS = sizeof names / sizeof names[0], WARM = 16 };
  static robot robots[ROBOTS];
  uint64_t first[ROBOTS] = {0};
  long rounds = 0, different = 0, start = 0;
  double done = 0;
  for (int i = 0; i < ROBOTS; i++) {
    robot *r = &robots[i];
    jn_simulation_options o = jn_simulation_options_default();
    o.tolerance = 1e-9;
    open_robot(r, names[i], (uint64_t)i + 1);
    if (jn_data_new(r->model, ORDER, NULL, &r->data) ||
        jn_batch_new(r->model, ORDER, 1, NULL, &r->batch) ||
        jn_simulation_new(r->model, &o, NULL, &r->simulation, NULL))
      stop("out of memory");
  }
  for (; done < calls || rounds < WARM + 2; rounds++) {
    if (rounds <= WARM) start = resident_bytes(); /* the first reading itself allocates a buffer */
    for (int i = 0; i < ROBOTS; i++) {
      uint64_t hash = 0;
      done += (double)round_of_calls(&robots[i], &hash);
      if (rounds == 0) first[i] = hash;
      different += hash != first[i];
    }
  }
  const long growth = resident_bytes() - start;
  for (int i = 0; i < ROBOTS; i++) {
    jn_simulation_free(robots[i].simulation);
    jn_batch_free(robots[i].batch);
    jn_data_free(robots[i].data);
    jn_model_free(robots[i].model);
  }
  const int pass = growth == 0 && different == 0;
  printf("%.0f calls in %ld rounds: %ld bytes more, %ld rounds with other bits than the first\n",
         done, rounds, growth, different);
  printf(
      "score {\"line\": 18, \"measured\": \"%.2g calls: %ld bytes more, %ld of %ld rounds "
      "differ\", \"target\": \"0 bytes more, 0 rounds differ\", \"pass\": %s}\n",
      done, growth, different, rounds, pass ? "true" : "false");
  return !pass;
}

typedef struct totals {
  double energy, momentum[6];
} totals;

static totals totals_of(const robot *r, const double *q, const double *v) {
  totals t;
  jn_momentum o = {.kinetic = &t.energy, .momentum = t.momentum};
  if (jn_momentum_energy(r->model, r->data, 0, q, v, &o)) stop("energy");
  return t;
}

static double norm(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return sqrt(s);
}

/* least-squares slope of log rms(E(n + m) - E(n)) over log m, m = 1, 2, 4, ... a tenth of the
 * run */
static double slope_of(const double *energy, long count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  int points = 0;
  for (long m = 1; m <= count / 10; m *= 2) {
    double sum = 0;
    for (long i = 0; i + m < count; i++)
      sum += (energy[i + m] - energy[i]) * (energy[i + m] - energy[i]);
    const double a = log((double)m), b = 0.5 * log(sum / (double)(count - m));
    printf("lag %8ld  rms change of energy %.3e\n", m, exp(b) / fabs(energy[0]));
    sx += a, sy += b, sxx += a * a, sxy += a * b, points++;
  }
  return (points * sxy - sx * sy) / (points * sxx - sx * sx);
}

typedef struct run {
  long steps;
  double seconds, energy, momentum, slope, closure;
} run;

/* max_step 0: steps as long as the tolerance allows */
static run drift_of(double wanted, double max_step) {
  static robot r;
  run out = {0};
  const long every = wanted > 1e5 ? 8 : 1, count = (long)(wanted / (double)every);
  double *energy = malloc(sizeof *energy * (size_t)(count + 1));
  const jn_vec3 none = {0, 0, 0};
  jn_simulation_options o = jn_simulation_options_default();
  o.tolerance = 1e-16;
  o.max_step = max_step;
  o.gravity = &none;
  o.representation = JN_BODY; /* the robot drifts kilometres away */
  open_robot(&r, "tilthex", 7);
  if (!energy || jn_data_new(r.model, 0, NULL, &r.data) ||
      jn_simulation_new(r.model, &o, NULL, &r.simulation, NULL) ||
      jn_simulation_set_state(r.simulation, 0, r.q, r.v))
    stop("out of memory");
  jn_data_settings(r.data)->gravity = none;
  jn_data_settings(r.data)->representation = JN_BODY;
  const totals first = totals_of(&r, r.q, r.v);
  for (long i = 0; i < count; i++) {
    for (long k = 0; k < every; k++)
      if (jn_simulation_step(r.simulation, HUGE_VAL, NULL)) stop("step");
    if (jn_simulation_state(r.simulation, &out.seconds, x, y)) stop("state");
    const totals now = totals_of(&r, x, y);
    double change[6];
    for (int k = 0; k < 6; k++) change[k] = now.momentum[k] - first.momentum[k];
    energy[i] = now.energy;
    out.energy = fmax(out.energy, fabs(now.energy - first.energy) / first.energy);
    out.momentum = fmax(out.momentum, norm(change + 3, 3) / norm(first.momentum + 3, 3));
  }
  out.slope = slope_of(energy, count);
  out.steps = jn_simulation_statistics(r.simulation).steps;
  jn_simulation_free(r.simulation);
  jn_data_free(r.data);
  jn_model_free(r.model);
  free(energy);
  printf("%ld steps, %.6g s: |dE/E| %.2e, |dp|/|p| %.2e, slope %.2f\n", out.steps, out.seconds,
         out.energy, out.momentum, out.slope);
  return out;
}

/* Steps of 10 ms, as of a controller; and for comparison the longest steps that the tolerance
 * allows, which have larger rounding errors. */
static int drift(double wanted) {
  const run a = drift_of(wanted, 0.01), b = drift_of(wanted, 0);
  const int pass = a.energy <= 1e-12 && a.slope <= 0.6 && b.slope <= 0.6;
  printf(
      "score {\"line\": 18, \"measured\": \"%ld steps: |dE/E| %.2g, slope %.2f\", \"detail\": "
      "\"steps of 10 ms, linear momentum %.2g; as many of %.2g s, the longest the tolerance "
      "allows: "
      "|dE/E| %.2g, slope %.2f\", \"target\": \"|dE/E| <= 1e-12 in steps of 10 ms, slope <= 0.6\", "
      "\"pass\": %s}\n",
      a.steps, a.energy, a.slope, a.momentum, b.seconds / (double)b.steps, b.energy, b.slope,
      pass ? "true" : "false");
  return !pass;
}

/* The four-bar swings under gravity, let go with the crank at 1 rad; `open`: without its pin. */
static run loop_of(long steps, int open) {
  run out = {0};
  jn_model *model;
  jn_data *data;
  jn_simulation *s;
  jn_spec *spec;
  double q[3] = {1, 0, 0}, v[3] = {0}, rest[3], T, V, first = 0, most = 0;
  const unsigned char driven[4] = {0, 1, 0, 0}, none[1] = {0};
  const jn_constraints released = {.active = none};
  jn_simulation_options o = jn_simulation_options_default();
  o.step = 2e-3;
  if (open) o.constraints = &released;
  if (jn_spec_load("fourbar", NULL, &spec, NULL) ||
      jn_model_build(spec, NULL, NULL, &model, NULL) || jn_data_new(model, 0, NULL, &data) ||
      jn_assemble(model, data, 1, driven, NULL, q, v) ||
      jn_simulation_new(model, &o, NULL, &s, NULL) || jn_simulation_set_state(s, 0, q, v))
    stop("four-bar");
  const jn_momentum energies = {.kinetic = &T, .potential = &V};
  for (long i = 0; i <= steps; i++) {
    if (i && jn_simulation_step(s, HUGE_VAL, NULL)) stop(jn_simulation_message(s));
    if (jn_simulation_state(s, &out.seconds, q, v) ||
        jn_momentum_energy(model, data, 0, q, v, &energies) ||
        jn_constraint_closure(model, data, 0, q, NULL, NULL, rest, NULL, NULL))
      stop("state");
    if (i == 0) first = T + V;
    most = fmax(most, T);
    out.energy = fmax(out.energy, fabs(T + V - first));
    for (int k = 0; k < 3 && !open; k++) out.closure = fmax(out.closure, fabs(rest[k]));
  }
  out.energy /= most;
  out.steps = steps;
  jn_simulation_free(s);
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
  return out;
}

static int loops(double wanted) {
  const run a = loop_of((long)wanted, 0), b = loop_of((long)wanted, 1);
  const int pass = a.energy <= 10 * b.energy && a.closure <= 4e-15;
  printf(
      "score {\"line\": 18, \"measured\": \"four-bar, %ld steps: |dE| %.2g, closure %.2g m\", "
      "\"detail\": \"of the largest kinetic energy; the open tree in the same steps: %.2g\", "
      "\"target\": \"|dE| <= 10 times the open tree's, closure <= 4e-15 m\", \"pass\": %s}\n",
      a.steps, a.energy, a.closure, b.energy, pass ? "true" : "false");
  return !pass;
}

int main(int argc, char **argv) {
  char *end = NULL;
  const double n = argc == 3 ? strtod(argv[2], &end) : 0;
  if (argc == 3 && *end == '\0' && n >= 1 && n <= 1e12) {
    if (!strcmp(argv[1], "--calls")) return soak(n);
    if (!strcmp(argv[1], "--steps") && n >= 100) return drift(n);
    if (!strcmp(argv[1], "--loops")) return loops(n);
  }
  fputs("usage: soak --calls N | --steps N | --loops N\n", stderr);
  return 2;
}
