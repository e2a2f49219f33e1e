/* bench.h: measurements of `jounce bench`. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <jounce/batch.h>

#include "memory.h"

/* Random states of a robot: joints near home, derivatives in -1 ... 1. */
typedef struct bench {
  jn_model *model;
  jn_data *data;
  jn_batch *batch;
  int order;
  size_t nv, nq, states, square;  /* square: (r+1) nv^2 */
  double *q, *v, *v0, *tau, *out; /* [states] of each */
  unsigned char *given;           /* [bodies]: motion is given in hybrid dynamics */
  int closed;                     /* the states satisfy the constraints of the model */
  double *lambda, *columns;       /* of models with constraints */
  struct bench_path *path;        /* through five of the states */
  cli_memory memory;
} bench;

jn_status bench_open(bench *b, jn_model *model, int order);
void bench_close(bench *b);

/* One call each. */
typedef jn_status (*bench_call)(bench *);
jn_status bench_inverse(bench *b);
jn_status bench_forward(bench *b);
/* The fastest clock with 200, 1000, 5000 intervals; order 1 or more. */
jn_status bench_path_open(bench *b);
void bench_path_close(bench *b);
jn_status bench_retime_200(bench *b);
jn_status bench_retime_1000(bench *b);
jn_status bench_retime_5000(bench *b);

/* Time per state in ns over the rounds of about `seconds`; a call has `each` states. */
typedef struct bench_time {
  double minimum, median;
  int rounds;
} bench_time;
jn_status bench_measure(bench *b, bench_call call, double seconds, double each, bench_time *time);

typedef struct bench_sample {
  const char *model, *algorithm, *formulation, *mode;
  int order, bodies;
  double ns, spread;
  long instructions; /* -1: not counted */
} bench_sample;

/* Writes the samples to `folder`/data/bench.csv and draws those of the first model, time against
 * order, to `folder`/figures. Returns an exit status, after a message if it is not 0. */
int bench_figure(const char *folder, const bench_sample *list, int n, double calibration);

/* C = A B in plain scalar code on every machine */
__attribute__((aligned(64))) void bench_product(double (*A)[6], double (*B)[6], double (*C)[6]);

/* Number of instructions that f(argument) executes, by single-stepping (Linux on x86-64); -1 on
 * other machines. Works for every instruction set, AVX-512 included. Takes about a microsecond per
 * instruction. */
long bench_count(void (*f)(void *), void *argument);

void bench_csv(void *file, const bench_sample *list, int n, double calibration);

#endif
