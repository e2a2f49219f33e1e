/* work_precision.c: processor time against accuracy for each integrator. Two robots move for 3 s
 * from the same state. Each scheme runs with a series of tolerances (taylor, rkmk54) or steps
 * (rkmk4, momentum, variational). The error is the largest difference of the final state from that
 * of taylor with order 28 and tolerance 1e-17. Prints processor time and calls of forward dynamics
 * at errors of 1e-4, 1e-7 and 1e-10, interpolated between the two nearest runs.
 *
 * Check: at an error of 1e-10, taylor takes at most a third of the time of rkmk54 on the aerial
 * manipulator.
 *
 * With a file name as argument: measures longer and writes all runs as CSV (drawn in
 * docs/simulation.md). */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DOFS = 16, SWEEPS = 5, RUNS = 16, TARGETS = 3 };
#define SECONDS 3.0
#define RATIO 3.0 /* least ratio of the times of rkmk54 and taylor */

static const double targets[TARGETS] = {1e-4, 1e-7, 1e-10};

/* Sweeps of the tolerance by decades, or of the step by halves. */
static const struct {
  jn_scheme scheme;
  int fixed, count;
} sweeps[SWEEPS] = {{JN_TAYLOR, 0, 14},
                    {JN_RKMK54, 0, 12},
                    {JN_RKMK4, 1, 10},
                    {JN_MOMENTUM, 1, 9},
                    {JN_VARIATIONAL, 1, 8}};

typedef struct run {
  double parameter; /* tolerance or step */
  double error, seconds;
  double q[DOFS], v[DOFS]; /* at the end */
  jn_statistics statistics;
} run;

static void quit(const char *what, jn_status status) {
  fprintf(stderr, "%s: %s\n", what, jn_status_text(status));
  exit(1);
}
#define OK(call)                       \
  do {                                 \
    jn_status status_ = (call);        \
    if (status_) quit(#call, status_); \
  } while (0)

static double processor_time(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* From a state away from home with everything in motion; returns a status, for a step that is too
 * long for its scheme. */
static jn_status simulate(const jn_model *model, const jn_simulation_options *options, run *out) {
  double q[DOFS], v[DOFS], dq[DOFS];
  jn_simulation *simulation;
  jn_model_home(model, q);
  for (int i = 0; i < jn_model_nv(model); i++) {
    dq[i] = 0.4 * sin(1.0 + 1.7 * i);
    v[i] = 1.5 * cos(0.5 + 2.3 * i);
  }
  OK(jn_integrate(model, q, dq, q));
  OK(jn_simulation_new(model, options, NULL, &simulation, NULL));
  const double start = processor_time();
  OK(jn_simulation_set_state(simulation, 0, q, v));
  jn_status status = jn_simulation_run_to(simulation, SECONDS, NULL);
  out->seconds = processor_time() - start;
  if (!status) OK(jn_simulation_state(simulation, NULL, out->q, out->v));
  out->statistics = jn_simulation_statistics(simulation);
  jn_simulation_free(simulation);
  return status;
}

static jn_simulation_options options_of(int sweep, double parameter) {
  jn_simulation_options options = jn_simulation_options_default();
  options.scheme = sweeps[sweep].scheme;
  options.representation = JN_BODY;
  if (sweeps[sweep].fixed)
    options.step = parameter;
  else
    options.tolerance = parameter;
  return options;
}

/* The largest difference of two final states: rotation vectors, positions, angles, velocities. */
static double difference(const jn_model *model, const run *a, const run *b) {
  double d[DOFS], worst = 0;
  OK(jn_difference(model, a->q, b->q, d));
  for (int i = 0; i < jn_model_nv(model); i++)
    worst = fmax(worst, fmax(fabs(d[i]), fabs(a->v[i] - b->v[i])));
  return worst;
}

/* The runs of one sweep, the shortest time of several; returns how many there are. */
static int sweep_runs(const jn_model *model, const run *exact, int sweep, int thorough, run *runs) {
  int count = 0;
  for (int i = 0; i < sweeps[sweep].count; i++) {
    const double parameter = sweeps[sweep].fixed ? 0.02 * pow(2, -i) : pow(10, -3 - i);
    const jn_simulation_options options = options_of(sweep, parameter);
    double least = HUGE_VAL, total = 0;
    run *r = &runs[count];
    jn_status status = JN_OK;
    for (int n = 0; n < (thorough ? 200 : 2) && total < (thorough ? 0.08 : 0.005) && !status; n++) {
      status = simulate(model, &options, r);
      least = fmin(least, r->seconds);
      total += r->seconds;
    }
    if (status == JN_ERR_LIMIT) continue; /* a step too long for the scheme */
    OK(status);
    r->parameter = parameter;
    r->seconds = least;
    r->error = difference(model, exact, r);
    count++;
  }
  return count;
}

/* Seconds and calls at an error, between the two nearest runs; 0: not reached. */
static double cost_at(const run *runs, int count, double error, double *calls) {
  for (int i = 0; i < count; i++) {
    const run *r = &runs[i], *before = i ? r - 1 : r;
    if (r->error > error) continue;
    const double part = before->error > r->error ? log(before->error / error) /
                                                       log(before->error / fmax(r->error, 1e-300))
                                                 : 1;
    const double from = (double)before->statistics.dynamics, to = (double)r->statistics.dynamics;
    *calls = from * pow(to / from, part);
    return before->seconds * pow(r->seconds / before->seconds, part);
  }
  return 0;
}

/* One robot; fills the times of taylor and rkmk54 at the last target. */
static void compare(const char *name, FILE *csv, double times[2]) {
  static run runs[RUNS], exact;
  jn_model *model = NULL;
  OK(jn_model_load(name, NULL, NULL, &model, NULL));
  jn_simulation_options best = options_of(0, 1e-17);
  best.order = 28;
  OK(simulate(model, &best, &exact));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    const char *scheme = jn_scheme_name(sweeps[sweep].scheme);
    if (sweeps[sweep].scheme == JN_MOMENTUM && !jn_model_is_floating(model)) continue;
    const int count = sweep_runs(model, &exact, sweep, csv != NULL, runs);
    for (int i = 0; csv && i < count; i++)
      fprintf(csv, "%s,%s,%.17g,%.17g,%.17g,%ld,%ld,%d\n", name, scheme, runs[i].parameter,
              runs[i].error, runs[i].seconds, runs[i].statistics.dynamics, runs[i].statistics.steps,
              runs[i].statistics.order);
    printf("%-16s %-12s", name, scheme);
    for (int t = 0; t < TARGETS; t++) {
      double calls, seconds = cost_at(runs, count, targets[t], &calls);
      if (seconds > 0)
        printf(" %9.3g %8.0f", 1e3 * seconds, calls);
      else
        printf(" %9s %8s", "-", "-");
      if (sweep < 2 && t == TARGETS - 1) times[sweep] = seconds;
    }
    putchar('\n');
  }
  jn_model_free(model);
}

int main(int argc, char **argv) {
  FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
  double flying[2], fixed[2];
  if (csv) fputs("robot,scheme,parameter,error,seconds,calls,steps,order\n", csv);
  printf("%-29s", "ms and calls at an error of");
  for (int t = 0; t < TARGETS; t++) printf(" %18.0e", targets[t]);
  putchar('\n');
  compare("tilthex", csv, flying);
  compare("double_pendulum", csv, fixed);
  if (csv && fclose(csv)) return 1;
  printf("tilthex at 1e-10: taylor %.3g ms, rkmk54 %.3g ms: 1/%.1f\n", 1e3 * flying[0],
         1e3 * flying[1], flying[1] / flying[0]);
  return flying[0] > 0 && RATIO * flying[0] <= flying[1] ? 0 : 1;
}
