/* clock_rows.h (private): the limits of a clock as the solver passes over them, once or twice a step.
 *
 * Points stand in groups of JN_CLOCK_GROUP, groups in chunks. The rows of a chunk are those that may
 * become active there. Their numbers lie one after the other in the order of the passes: for every
 * group, for every row of its chunk, columns of JN_CLOCK_GROUP numbers
 *
 *   lambda+, lambda-, their steps, k0, k1, kg, then k2 (rows with b''), then e0, e1 (damping)
 *
 * The passes are compiled for every instruction set (src/inst/clock.c), without fused operations:
 * their results are the same bits everywhere. */
#ifndef JOUNCE_SRC_CLOCK_ROWS_H
#define JOUNCE_SRC_CLOCK_ROWS_H

#include <stddef.h>

enum { JN_CLOCK_GROUP = 8, JN_CLOCK_CHUNK = 2, JN_CLOCK_PIECE = JN_CLOCK_GROUP * JN_CLOCK_CHUNK };

enum { JN_COLUMN_UP, JN_COLUMN_LO, JN_COLUMN_DUP, JN_COLUMN_DLO, JN_COLUMN_K }; /* then numbers */

typedef struct jn_clock_chunk {
  int first, second, third; /* row[first ...]: rows without, then with b'' */
  size_t data;              /* of its first group */
} jn_clock_chunk;

/* Arrays of points are padded to whole groups. */
typedef struct jn_clock_rows {
  int groups, damped;
  int costs; /* 0: of H, g and e only the first is added to; the others, and pull, start from zero */
  const double *high, *low; /* of all rows */
  jn_clock_chunk *chunk;
  int *row;
  double *data;
  double *b, *b1, *b2, *R, *s;     /* the clock; b^(-1/2) and its slope */
  double *db, *db1, *db2;          /* its step */
  double *H[6], *g[3], *e[3];      /* local Hessian, gradient, sum a/z: rows are added */
  double *pull;                    /* sum of high lambda+ + low lambda- of rows with b'': added */
  double *sum;                     /* sum of lambda z: added */
  double *worst, *worst_l, *least; /* largest -dz/z, -dlambda/lambda; smallest z */
} jn_clock_rows;

/* columns of a row */
static inline int jn_clock_columns(int third, int damped) {
  return JN_COLUMN_K + (third ? 4 + 2 * damped : 3 + damped);
}

typedef struct jn_clock_passes {
  /* lambda += a dlambda; then everything at the current b */
  void (*linearise)(const jn_clock_rows *x, double a);
  /* dlambda, and the largest steps of every point (the larger of these and what is there) */
  void (*steps)(const jn_clock_rows *x, double mu);
  /* the smallest slack of every point */
  void (*slacks)(const jn_clock_rows *x);
  /* lambda = mu/z */
  void (*start)(const jn_clock_rows *x, double mu);
} jn_clock_passes;

#define JN_CLOCK_PASSES(isa)                                       \
  void jn_clock_linearise_##isa(const jn_clock_rows *x, double a); \
  void jn_clock_steps_##isa(const jn_clock_rows *x, double mu);    \
  void jn_clock_slacks_##isa(const jn_clock_rows *x);              \
  void jn_clock_start_##isa(const jn_clock_rows *x, double mu);
JN_CLOCK_PASSES(plain)
JN_CLOCK_PASSES(avx2)
JN_CLOCK_PASSES(avx512)

/* Those of the instruction set that the machine can run. */
const jn_clock_passes *jn_clock_passes_choose(void);

#endif
