/* retime.h (private): the state of a search for the fastest clock. */
#ifndef JOUNCE_SRC_RETIME_H
#define JOUNCE_SRC_RETIME_H

#include <jounce/retime.h>

#include "motion/clock_solver.h"

/* One row of the problem: a limited quantity; iv < 0: the clock itself. */
typedef struct limit_row {
  int iv;
  jn_limit_kind kind;
  double scale; /* the row is divided by it */
} limit_row;

/* A limit that is broken whatever the clock. */
typedef struct limit_breach {
  int iv;
  jn_limit_kind kind;
  double u, value, limit, size;
  const char *remedy; /* NULL: none found */
} limit_breach;

typedef struct retiming {
  const jn_model *model;
  jn_data *data;
  const jn_trajectory *path;
  jn_trajectory *own; /* the path with ends at rest, if it needed them */
  const jn_limit_range *range;
  jn_retime_options options;
  jn_error *error;
  jn_allocator hooks;
  jn_representation representation;
  int nv, nq, forces; /* forces: some force or rate is limited */
  double start;
  limit_breach breach; /* the worst */
  limit_row *row;
  int *coordinate; /* [nv] index into q; -1: a rotation */
  jn_clock_problem p;
  jn_clock_solution solution;
  double *clock; /* [cells+1 x 5] rows of the clock */
  double *table, *numbers;
  double *q, *v, *w, *tau, *force, *size, *damping;
} retiming;

/* Checks the path and fills the rows of the problem. */
jn_status jn_retime_rows(retiming *x);
void jn_retime_release(retiming *x);
/* Solves, looks between the grid points, tightens and solves again; makes the motion. */
jn_status jn_retime_rounds(retiming *x, jn_trajectory **out, jn_retime_report *report);

#endif
