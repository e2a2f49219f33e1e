/* clock_rows.h (private): the limits of a clock as the solver passes over them, once or twice a step.
 *
 * Points are stored in groups of JN_CLOCK_GROUP, groups in chunks. The rows of a chunk are those that may
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

/* Arrays of points are padded to whole groups by copies of the last point, but for the weights, which are
 * zero there. */
typedef struct jn_clock_rows {
  int groups, damped;
  int costs;                     /* 1: H, g and drop begin with what is there; 0: with zero */
  double time;                   /* weight of the duration */
  double inside[JN_CLOCK_GROUP]; /* of the last group: 1, after the last point 0 */
  const double *high, *low;      /* of all rows */
  jn_clock_chunk *chunk;
  int *row;
  double *data;
  double *w, *cap;            /* weights, largest b */
  double *b, *b1, *b2, *R;    /* the clock; b^(-1/2): every pass but the second sets it */
  double *db, *db1, *db2;     /* its step */
  double *l, *dl;             /* lambda of b <= cap, and its step */
  double *H[6], *g[3], *e[3]; /* local Hessian, gradient, sum a/z */
  double *drop;               /* the concave part of H[0] */
} jn_clock_rows;

/* columns of a row */
static inline int jn_clock_columns(int third, int damped) {
  return JN_COLUMN_K + (third ? 4 + 2 * damped : 3 + damped);
}

/* The use of one row of limits at groups of points by a motion at `speed` times its own: the part that
 * depends on the speed relative to the room for it. Arrays need not begin at cache lines. */
typedef enum jn_clock_kind { JN_CLOCK_CAP, JN_CLOCK_SECOND, JN_CLOCK_THIRD } jn_clock_kind;
typedef struct jn_clock_use {
  jn_clock_kind kind; /* b <= cap; rows without and with b'' */
  int groups, damped;
  int side;            /* 1: of the upper limit, -1: of the lower, 0: of the nearer */
  const double *k[6];  /* columns (jn_clock_row) */
  const double *tight; /* by which they were multiplied; NULL: 1 */
  const double *cap, *b, *b1, *b2, *root; /* root = b^(1/2) */
  double high, low, speed;
  double *use;
  double *peak; /* the largest use of every chunk, at least 0; NULL: not wanted */
} jn_clock_use;

typedef struct jn_clock_passes {
  /* lambda += a dlambda; then everything at the current b. out: sum lambda z, sum w b^(-1/2) */
  void (*linearise)(const jn_clock_rows *x, double a, double out[2]);
  /* dlambda. out: the largest -dz/z and -dlambda/lambda, at least 0 */
  void (*steps)(const jn_clock_rows *x, double mu, double out[2]);
  /* out: the smallest slack; not positive where b is not */
  void (*slacks)(const jn_clock_rows *x, double given, double out[2]);
  /* lambda = mu/z */
  void (*start)(const jn_clock_rows *x, double mu, double out[2]);
  void (*use)(const jn_clock_use *u);
} jn_clock_passes;

#define JN_CLOCK_PASSES(isa)                                                          \
  void jn_clock_linearise_##isa(const jn_clock_rows *x, double given, double out[2]); \
  void jn_clock_steps_##isa(const jn_clock_rows *x, double given, double out[2]);     \
  void jn_clock_slacks_##isa(const jn_clock_rows *x, double given, double out[2]);    \
  void jn_clock_start_##isa(const jn_clock_rows *x, double given, double out[2]);     \
  void jn_clock_use_##isa(const jn_clock_use *u);
JN_CLOCK_PASSES(plain)
JN_CLOCK_PASSES(avx2)
JN_CLOCK_PASSES(avx512)

/* Those of the instruction set that the machine can run. */
const jn_clock_passes *jn_clock_passes_choose(void);

#endif
