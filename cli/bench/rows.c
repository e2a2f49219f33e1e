/* rows.c: `jounce bench`: random states of a robot and the calls that are measured. */
#include <jounce/jounce.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "output/message.h"
#include "output/progress.h"
#include "random.h"

enum { ROUNDS = 200, STATES = 256 };

/* One call each. */
#define CALL(name) static jn_status run_##name(bench *b)
#define ONE b->model, b->data, b->order, b->q
#define MANY b->model, b->batch, b->order, b->states, b->q
jn_status bench_inverse(bench *b) { return jn_inverse_dynamics(ONE, b->v, NULL, b->out); }
jn_status bench_forward(bench *b) { return jn_forward_dynamics(ONE, b->v, b->tau, NULL, b->out); }
CALL(hybrid) { return jn_hybrid_dynamics(ONE, b->given, b->v, b->tau, NULL); }
CALL(fk) { return jn_kinematics(ONE, b->v); }
CALL(mass) { return jn_mass_matrix(b->model, b->data, b->q, b->out); }
CALL(inverse_mass) { return jn_inverse_mass(b->model, b->data, b->q, b->out); }
CALL(linearise) {
  return jn_linearise(b->model, b->data, NULL, b->q, b->v0, b->tau, NULL, b->out,
                      b->out + 4 * b->nv * b->nv);
}
CALL(inverse_partials) { return jn_inverse_partials(ONE, b->v, NULL, b->out, b->out + b->square); }
CALL(forward_partials) {
  return jn_forward_partials(ONE, b->v0, b->tau, NULL, b->out, b->out + b->square, NULL);
}
CALL(all_forward_partials) {
  return jn_forward_partials(ONE, b->v0, b->tau, NULL, b->out, b->out + b->square,
                             b->out + 2 * b->square);
}
CALL(constrained_inverse) {
  return jn_constrained_inverse_dynamics(ONE, b->v, NULL, NULL, b->out, b->lambda);
}
CALL(constrained_forward) {
  return jn_constrained_forward_dynamics(ONE, b->v0, b->tau, NULL, NULL, b->out, b->lambda);
}
CALL(constrained_inverse_partials) {
  const jn_inverse_closed o = {b->out, b->out + b->square, NULL, NULL};
  return jn_constrained_inverse_partials(ONE, b->v, NULL, NULL, &o);
}
CALL(constrained_forward_partials) {
  const jn_forward_closed o = {b->out, b->out + b->square, NULL, NULL, NULL, NULL};
  return jn_constrained_forward_partials(ONE, b->v0, b->tau, NULL, NULL, &o);
}
/* one column of M^-1 for every constraint row: what the constraints need besides the dynamics */
CALL(constrained_columns) {
  return jn_inverse_mass_apply(b->model, b->data, b->q, jn_model_constraint_rows(b->model),
                               b->columns, b->out);
}
#define SOME b->model, b->batch, b->order, b->per_call, b->q
CALL(batch_constrained_inverse) {
  return jn_batch_constrained_inverse_dynamics(SOME, b->v, NULL, b->out, b->lambda, NULL);
}
CALL(batch_constrained_forward) {
  return jn_batch_constrained_forward_dynamics(SOME, b->v0, b->tau, NULL, b->out, b->lambda, NULL);
}
CALL(batch_id) { return jn_batch_inverse_dynamics(MANY, b->v, b->out, NULL); }
CALL(batch_fd) { return jn_batch_forward_dynamics(MANY, b->v0, b->tau, b->out, NULL); }
CALL(batch_hybrid) { return jn_batch_hybrid_dynamics(MANY, b->given, b->v, b->tau, NULL); }
#undef CALL
#undef ONE
#undef MANY
#undef SOME

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static jn_status measure_by(double (*now)(void), bench *b, bench_call f, double seconds,
                            double each, bench_time *time) {
  double round[ROUNDS];
  jn_status status = f(b); /* the first call meets memory and code that were never touched */
  if (status) return status;
  double t = now();
  f(b);
  double once = now() - t;
  int calls = once > 0 ? (int)(seconds / ROUNDS / once) : 100;
  if (calls < 1) calls = 1;
  if (calls > 100000) calls = 100000;
  int n = 0;
  for (double start = cli_seconds(); n < ROUNDS && (n < 5 || cli_seconds() - start < seconds);
       n++) {
    t = now();
    for (int i = 0; i < calls; i++) f(b);
    round[n] = (now() - t) / calls / each * 1e9;
  }
  qsort(round, (size_t)n, sizeof *round, compare);
  *time = (bench_time){round[0], round[n / 2], n};
  return JN_OK;
}

jn_status bench_measure(bench *b, bench_call f, double seconds, double each, bench_time *time) {
  return measure_by(cli_seconds, b, f, seconds, each, time);
}

jn_status bench_measure_processor(bench *b, bench_call f, double seconds, double each,
                                  bench_time *time) {
  return measure_by(processor_seconds, b, f, seconds, each, time);
}

void bench_close(bench *b) {
  bench_path_close(b);
  bench_around_close(b);
  bench_generated_close(b);
  jn_batch_free(b->batch);
  jn_data_free(b->data);
  cli_release(&b->memory);
}

jn_status bench_open(bench *b, jn_model *model, int order) {
  uint64_t seed = 1;
  memset(b, 0, sizeof *b);
  b->model = model;
  b->order = order;
  b->nq = (size_t)jn_model_nq(model), b->nv = (size_t)jn_model_nv(model);
  b->states = jn_model_body_count(model) > 200 ? 16 : STATES;
  size_t rows = (size_t)order + 2, most = b->states * rows * b->nv;
  b->square = (rows - 1) * b->nv * b->nv;
  size_t matrices = b->nv > BENCH_MATRIX_DOFS ? b->nv * b->nv : b->square * (rows + 4);
  cli_memory *m = &b->memory;
  b->q = cli_take_numbers(m, b->states, b->nq, 1);
  b->v = cli_take_numbers(m, b->states, rows, b->nv);
  b->v0 = cli_take_numbers(m, b->states, b->nv, 1);
  b->tau = cli_take_numbers(m, b->states, rows, b->nv);
  b->out = cli_take_numbers(m, most > matrices ? most : matrices, 1, 1);
  b->given = cli_take(m, (size_t)jn_model_body_count(model), 1);
  if (m->failed) return JN_ERR_MEMORY;
  for (int i = 1; i < jn_model_body_count(model); i += 2) b->given[i] = 1;
  for (size_t s = 0; s < b->states; s++) {
    jn_model_home(model, b->q + s * b->nq);
    for (int i = 0; i < jn_model_body_count(model); i++) {
      const jn_joint *j = jn_model_joint(model, i);
      for (int k = 0; k < j->nq && j->nq < 4; k++)
        b->q[s * b->nq + (size_t)(j->iq + k)] = cli_uniform(&seed);
    }
  }
  for (size_t i = 0; i < most; i++) b->v[i] = cli_uniform(&seed);
  for (size_t i = 0; i < b->states * b->nv; i++) b->v0[i] = cli_uniform(&seed);
  jn_status status = jn_data_new(model, order, NULL, &b->data);
  if (!status) status = jn_batch_new(model, order, 1, NULL, &b->batch);
  if (status) return status;
  jn_data_settings(b->data)->representation = JN_BODY;
  jn_batch_settings(b->batch)->representation = JN_BODY;
  return JN_OK;
}

/* Moves the states onto the constraints of the model. */
jn_status bench_close_states(bench *b) {
  const size_t rows = (size_t)jn_model_constraint_rows(b->model),
               n = ((size_t)b->order + 2) * b->nv;
  jn_status status = JN_OK;
  b->closed = 1;
  b->lambda = cli_take_numbers(&b->memory, b->states, (size_t)b->order + 1, rows);
  b->columns = cli_take_numbers(&b->memory, rows, b->nv, 1);
  if (b->memory.failed) return JN_ERR_MEMORY;
  for (size_t i = 0; i < rows * b->nv; i++) b->columns[i] = i % 3 ? 0.5 : -1;
  for (size_t s = 0; s < b->states && !status; s++) {
    /* near the home configuration, which satisfies them or nearly so */
    double *q = b->q + s * b->nq, *v = b->v + s * n;
    uint64_t seed = s + 1;
    jn_model_home(b->model, q);
    for (int i = 0; i < jn_model_body_count(b->model); i++) {
      const jn_joint *j = jn_model_joint(b->model, i);
      if (j->nq == 1) q[j->iq] += 0.02 * cli_uniform(&seed);
    }
    status = jn_assemble(b->model, b->data, b->order + 2, NULL, NULL, q, v);
    memcpy(b->v0 + s * b->nv, v, sizeof(double) * b->nv);
  }
  return status;
}

#define ONE_STATE "single", NULL
#define BATCH "batch", NULL
const bench_row bench_rows[] = {
    {"inverse", ONE_STATE, bench_inverse, BENCH_FORMULATIONS | BENCH_REPRESENTATIONS},
    {"forward", ONE_STATE, bench_forward, BENCH_FORMULATIONS | BENCH_REPRESENTATIONS},
    /* before hybrid dynamics, which write v and tau */
    {"constrained_inverse", ONE_STATE, run_constrained_inverse,
     BENCH_CLOSED | BENCH_REPRESENTATIONS},
    {"constrained_forward", ONE_STATE, run_constrained_forward,
     BENCH_CLOSED | BENCH_REPRESENTATIONS},
    {"constrained_columns", ONE_STATE, run_constrained_columns,
     BENCH_CLOSED | BENCH_ORDER_ZERO | BENCH_REPRESENTATIONS},
    {"constrained_inverse_partials", ONE_STATE, run_constrained_inverse_partials,
     BENCH_CLOSED | BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"constrained_forward_partials", ONE_STATE, run_constrained_forward_partials,
     BENCH_CLOSED | BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"constrained_inverse", BATCH, run_batch_constrained_inverse,
     BENCH_CLOSED | BENCH_REPRESENTATIONS},
    {"constrained_forward", BATCH, run_batch_constrained_forward,
     BENCH_CLOSED | BENCH_REPRESENTATIONS},
    {"hybrid", ONE_STATE, run_hybrid, BENCH_FORMULATIONS | BENCH_REPRESENTATIONS},
    {"kinematics", ONE_STATE, run_fk, BENCH_FORMULATIONS | BENCH_REPRESENTATIONS},
    {"mass_matrix", ONE_STATE, run_mass, BENCH_ORDER_ZERO | BENCH_REPRESENTATIONS},
    {"inverse_mass", ONE_STATE, run_inverse_mass,
     BENCH_ORDER_ZERO | BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"linearise", ONE_STATE, run_linearise,
     BENCH_ORDER_ZERO | BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"inverse_partials", ONE_STATE, run_inverse_partials, BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"forward_partials", ONE_STATE, run_forward_partials, BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"forward_by_tau", ONE_STATE, run_all_forward_partials, BENCH_MATRICES | BENCH_REPRESENTATIONS},
    {"inverse", BATCH, run_batch_id, BENCH_REPRESENTATIONS},
    {"forward", BATCH, run_batch_fd, BENCH_REPRESENTATIONS},
    {"hybrid", BATCH, run_batch_hybrid, BENCH_REPRESENTATIONS},
    /* automatic differentiation of order 0, in the default representation */
    {"inverse", "ad_taylor", bench_open_taylor, bench_ad_inverse, BENCH_SPATIAL},
    {"forward", "ad_taylor", bench_open_taylor, bench_ad_forward, BENCH_SPATIAL},
    {"inverse", "ad_dual", bench_open_dual, bench_ad_inverse, BENCH_SPATIAL},
    {"forward", "ad_dual", bench_open_dual, bench_ad_forward, BENCH_SPATIAL},
    {"retime", "200", bench_path_open, bench_retime_200, BENCH_PROCESSOR},
    {"retime", "1000", bench_path_open, bench_retime_1000, BENCH_PROCESSOR},
    {"retime", "5000", bench_path_open, bench_retime_5000, BENCH_PROCESSOR},
    {"step", "rkmk4", bench_open_rkmk4, bench_step, BENCH_ORDER_ZERO | BENCH_REPRESENTATIONS},
    {"step", "taylor", bench_open_taylor_steps, bench_step,
     BENCH_ORDER_ZERO | BENCH_REPRESENTATIONS},
    {"load", ONE_STATE, bench_load, BENCH_ORDER_ZERO},
    {"fit", "10000", bench_open_fit, bench_fit, BENCH_ORDER_ZERO | BENCH_PROCESSOR},
    {"inverse", "generated", bench_open_generated_inverse, bench_generated_inverse,
     BENCH_GENERATED | BENCH_REPRESENTATIONS},
    {"forward", "generated", bench_open_generated_forward, bench_generated_forward,
     BENCH_GENERATED | BENCH_REPRESENTATIONS},
    {"inverse", "lanes", bench_open_lanes_inverse, bench_generated_inverse,
     BENCH_GENERATED | BENCH_REPRESENTATIONS},
    {"forward", "lanes", bench_open_lanes_forward, bench_generated_forward,
     BENCH_GENERATED | BENCH_REPRESENTATIONS},
};
const int bench_row_count = (int)(sizeof bench_rows / sizeof *bench_rows);
