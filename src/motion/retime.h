/* retime.h (private): the state of a search for the fastest clock. */
#ifndef JOUNCE_SRC_RETIME_H
#define JOUNCE_SRC_RETIME_H

#include <jounce/batch.h>
#include <jounce/retime.h>

#include "base/pool.h"
#include "motion/clock_rows.h"
#include "motion/clock_solver.h"
#include "motion/limit_rows.h"

#define JN_NO_CAP 1e200     /* of b, where no velocity is limited */
#define JN_BEFORE 1e-12     /* of a time, relative: just before a break of the path */
#define JN_LEAST_LIMIT 1e-9 /* the scale of a limit of zero */

enum { JN_RETIME_STATES = 64 }; /* points of the path at a time */

/* One row of the problem: a quantity of row iv of the limits; iv < 0: the clock itself. */
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

/* A cell where a row is exceeded. */
typedef struct limit_excess {
  int row, cell;
  double ratio;
} limit_excess;

typedef struct retiming {
  const jn_model *model;
  jn_data *data;
  jn_batch *batch;
  const jn_trajectory *path, *given; /* what is run through; the caller's */
  jn_trajectory *own;                /* the path with ends at rest, if it needed them */
  const jn_limit_range *range;
  jn_retime_options options;
  jn_error *error;
  jn_allocator hooks;
  const jn_clock_passes *passes;
  jn_pool *pool;        /* of a grid and its solver */
  jn_allocator scratch; /* its hooks */
  jn_representation representation;
  int nv, nq, forces; /* forces: some force or rate is limited */
  int rows, rotors;   /* jn_limit_rows; rotors: 0 if none has a limit */
  double start;
  int uneven;  /* 1: the path was made more even */
  double lead; /* a motion with given speeds at its ends is slowed down by this factor, one with a
                   * given duration by so much at most */
  double rate[2];      /* of the path's own time at the ends by that of `path` */
  limit_breach breach; /* the worst */
  double steepest;     /* the largest r2 of a limit of rates; 0: there is none */
  double sharpest;     /* the largest s1 of a limit of accelerations and forces */
  double room; /* of a force at rest to its limit, relative to that: the least on the grid */
  double *numbers;
  double *q, *v, *w,
      *tau;       /* [STATES] points of the path; three motions and their forces for each */
  double *thrust; /* of the motions: [3 STATES x 2 rotors] */
  double *P;      /* [rotors x 6] */
  double *size, *damping;
  int *coordinate; /* [nv] index into q; -1: a rotation */
  double *breaks;  /* [2 breaks] both sides of every break of the path */
  int break_count; /* 2 breaks */

  int finest; /* cells of the grids that follow at most, if known: memory for all of them is taken once */

  /* a grid */
  int all;      /* points with rows: those of the problem, both sides of the breaks of the path, and
                  * the quarters of the cells around the breaks */
  int quarters; /* between the points of the problem; 0 on a coarse grid */
  int *exact;   /* [quarters] the point with the rows of a quarter; 0: they are interpolated */
  double *beyond; /* [all - points] u of the points beyond those of the problem */
  int all_exact;  /* 1: no quarter is interpolated */
  double doubt;   /* the largest error of an interpolated row that was seen, an estimate */
  limit_row *row;
  jn_clock_problem p;
  jn_clock_solution solution;
  unsigned char *active; /* of the problem */
  unsigned char *unsure; /* [cells] 1: what is used between the quarters may be above a limit */
  double *table;         /* holds the numbers of the problem and what follows */
  double *b, *b1, *b2;   /* [stride + quarters] of the motion */
  double *tight;         /* [rows x stride] the rows are multiplied by it */
  double *cap;           /* [stride + quarters] of the velocities; of quarters 0: not known yet */
  double *root;          /* [stride + quarters] b^(1/2) */
  double *use;           /* [stride] of a row */
  double *peak; /* [rows + 1 x chunks] the largest use of every row in every chunk of points */
  int chunks;   /* of all points */
  double
      peak_speed; /* the peaks are those of the motion at this speed, or larger; 0: of another motion */
  double *clock;        /* [cells+1 x 5] rows of the clock */
  double *cost;         /* [3 x 10 x stride] clock_cost.h; NULL: the objective is the duration */
  limit_excess *excess; /* [excess_room] */
  int excess_count, excess_room;
  double *fast; /* [cells+1] coefficients of the fastest clock, if there is a cost */
} retiming;

/* The path, checked, and memory. */
jn_status jn_retime_begin(retiming *x);
/* Runs the path by another clock, rows as in jn_trajectory_clocked. */
jn_status jn_retime_reclock(retiming *x, int count, const double *rows);
jn_status jn_retime_list_breaks(retiming *x);
/* The time of the caller's path where x->path has the time u. */
double jn_retime_given_time(const retiming *x, double u);
/* A grid of `cells`: the rows of the problem; a fine one has the points beyond those of the problem. c: the
 * clock to start from, on a grid of `from` cells, halved to this one, and the peaks of its uses; NULL: none. */
jn_status jn_retime_grid(retiming *x, int cells, int fine, const double *c, int from);
/* Its parts: lists the rows; fills them, drops those without numbers, and limits the clock itself. */
void jn_retime_list_rows(retiming *x);
jn_status jn_retime_fill_rows(retiming *x, int with_peaks);
/* Names the force at rest that is nearest to its limit; or, if none is near, the excess between points. */
jn_status jn_retime_fail_at_rest(const retiming *x, double excess);
void jn_retime_release_grid(retiming *x);
void jn_retime_release(retiming *x);
/* u of point i of all, or of a quarter */
double jn_retime_point(const retiming *x, int i);
/* The point in a cell at its quarter `part`, 0 ... 4; stride + k is quarter k. */
static inline int jn_retime_in_cell(const retiming *x, int cell, int part) {
  const int N = x->p.cells;
  if (part == 0 || part == 4) return cell + part / 4;
  if (cell == 0) return N + part;
  if (cell == N - 1) return N + JN_CLOCK_EXTRA + 4 - part;
  return part == 2 ? N + 2 * JN_CLOCK_EXTRA + cell : x->p.stride + 2 * (cell - 1) + part / 2;
}
/* The largest b that the velocities of state n of x->q and x->v allow. */
jn_status jn_retime_velocity_cap(const retiming *x, int n, double *out);

/* The largest speed of the clock at an end, in the time of `path`; 0: at rest there. Given ones are a
 * little higher, because the motion is slowed down in the end: by this factor at least. */
double jn_retime_end_speed(const retiming *x, int side);
double jn_retime_least_slowing(const retiming *x);
void jn_retime_slow_more(retiming *x, double lead);
/* Changes the clock of the solution, and x->b, so that given speeds at the ends are met; or says that
 * they are too high. */
jn_status jn_retime_meet_ends(retiming *x);
/* A path whose |v_1| is more than three times its mean somewhere is run more evenly. The same where a cell
 * of the clock x->b takes more than four times the average: then *changed is 1. */
jn_status jn_retime_even_path(retiming *x);
jn_status jn_retime_even_clock(retiming *x, int *changed);
/* Between the points (retime_between.c). */

/* b, b', b'' of the motion by the rows x->clock, at the points and quarters. */
void jn_retime_motion(retiming *x);
/* x->root of x->b, for the uses of a motion */
void jn_retime_roots(retiming *x);
/* x->use: by how much the part of row k that depends on the speed is too large for the nearer limit, at
 * all points of the motion at `speed` times its own; the row after the last is the velocity. Sets the peaks of
 * the row, and returns the largest. */
double jn_retime_use(retiming *x, int k, double speed);
/* The same in chunks first ... last - 1. */
void jn_retime_use_part(retiming *x, int k, double speed, int first, int last);
/* Looks between the points of every cell; takes in rows that are exceeded where they were left out. If by
 * much, *more is 1; otherwise the others that are exceeded are tightened. *worst: the largest use. */
jn_status jn_retime_tighten(retiming *x, double *worst, int *more);
/* By how much the motion at `speed` must be slowed down so that nothing is exceeded between the points
 * either. *excess: the largest use - 1. */
jn_status jn_retime_slow_down(retiming *x, double speed, double *factor, double *excess);
/* 1 for a limit of the clock itself. */
int jn_retime_is_own(const retiming *x, int k);

/* Solves on grids from coarse to fine, looks between the grid points, tightens and solves again;
 * makes the motion. */
jn_status jn_retime_rounds(retiming *x, jn_trajectory **out, jn_retime_report *report);

#endif
