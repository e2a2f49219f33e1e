/* bench.h: measurements of `jounce bench`. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <jounce/batch.h>

#include "memory.h"

/* Random states of a robot: joints near home, derivatives in -1 ... 1. */
typedef struct bench {
  jn_model *model;
  const jn_spec *spec; /* of the model, to measure its loading; NULL: unknown */
  jn_data *data;
  jn_batch *batch;
  int order;
  jn_representation representation; /* of the calls now measured */
  size_t nv, nq, states, square;    /* square: (r+1) nv^2 */
  double *q, *v, *v0, *tau, *out;   /* [states] of each */
  unsigned char *given;             /* [bodies]: motion is given in hybrid dynamics */
  int closed;                       /* the states satisfy the constraints of the model */
  double *lambda, *columns;         /* of models with constraints */
  struct bench_path *path;          /* through five of the states */
  struct bench_around *around;      /* bench_around.c */
  struct bench_generated *generated;
  size_t per_call; /* states of a call of generated code */
  cli_memory memory;
} bench;

enum { BENCH_MATRIX_DOFS = 64, BENCH_PATH_DOFS = 24 };

jn_status bench_open(bench *b, jn_model *model, int order);
/* Moves the states onto the constraints of the model. */
jn_status bench_close_states(bench *b);
void bench_close(bench *b);

/* One call each. */
typedef jn_status (*bench_call)(bench *);
jn_status bench_inverse(bench *b);
jn_status bench_forward(bench *b);

/* A row: `open` (may be NULL) prepares what the call needs and may be called again; JN_ERR_ARGUMENT
 * from either: this robot, order or formulation does not have it. */
typedef struct bench_row {
  const char *algorithm, *mode;
  bench_call open, run;
  enum {
    BENCH_FORMULATIONS = 1,    /* each of them, not the default alone */
    BENCH_REPRESENTATIONS = 2, /* of a floating base: body, and the default, spatial */
    BENCH_SPATIAL = 4,         /* spatial alone */
    BENCH_ORDER_ZERO = 8,      /* exists at order 0 alone */
    BENCH_MATRICES = 16,       /* too large for robots with many degrees of freedom */
    BENCH_CLOSED = 32,         /* models with constraints */
    BENCH_GENERATED = 64,      /* runs a compiler: if asked for */
    BENCH_PROCESSOR =
        128 /* of many milliseconds, on one core: processor time, not that on the wall */
  } flags;
} bench_row;
extern const bench_row bench_rows[];
extern const int bench_row_count;

/* bench_retime.c: the fastest clock with 200, 1000, 5000 intervals; order 1, few degrees of freedom */
jn_status bench_path_open(bench *b);
void bench_path_close(bench *b);
jn_status bench_retime_200(bench *b);
jn_status bench_retime_1000(bench *b);
jn_status bench_retime_5000(bench *b);

/* bench_around.c: what surrounds the dynamics */
jn_status bench_open_taylor(bench *b); /* automatic differentiation: baseline.h */
jn_status bench_open_dual(bench *b);
jn_status bench_ad_inverse(bench *b);
jn_status bench_ad_forward(bench *b);
jn_status bench_open_rkmk4(bench *b); /* a step of a millisecond, from the first state */
jn_status bench_open_taylor_steps(bench *b);
jn_status bench_step(bench *b);
jn_status bench_load(bench *b);     /* native JSON in memory to a model */
jn_status bench_open_fit(bench *b); /* 10^4 samples of every joint */
jn_status bench_fit(bench *b);
void bench_around_close(bench *b);

/* generated.c: the code of jn_generate, an operation by itself, compiled by ${CC:-cc} -march=native */
jn_status bench_open_generated_inverse(bench *b);
jn_status bench_open_generated_forward(bench *b);
jn_status bench_open_lanes_inverse(bench *b); /* 8 states in a call */
jn_status bench_open_lanes_forward(bench *b);
jn_status bench_generated_inverse(bench *b);
jn_status bench_generated_forward(bench *b);
void bench_generated_close(bench *b);

/* Time per state in ns over the rounds of about `seconds`; a call has `each` states. */
typedef struct bench_time {
  double minimum, median;
  int rounds;
} bench_time;
jn_status bench_measure(bench *b, bench_call call, double seconds, double each, bench_time *time);
/* The same by the processor's time. */
jn_status bench_measure_processor(bench *b, bench_call call, double seconds, double each,
                                  bench_time *time);

typedef struct bench_sample {
  const char *model, *algorithm, *formulation, *representation, *mode;
  int order, bodies, freedoms;
  double ns, spread;
  long instructions; /* -1: not counted */
  double before;     /* ns of the same row of another run; 0: unknown */
} bench_sample;

/* Fills `before` from a file of `bench --format json`. Returns an exit status, after a message if it
 * is not 0. */
int bench_against(const char *path, bench_sample *list, int n);

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
