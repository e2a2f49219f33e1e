/* clock_solver.h (private): the fastest clock of a path whose limits are linear in b and its
 * derivatives.
 *
 * b(u) = (du/dt)^2 is a uniform cubic B-spline on N cells of width h, with coefficients c_0..c_N:
 *
 *   b_i = (c_(i-1) + 4 c_i + c_(i+1))/6,  b'_i = (c_(i+1) - c_(i-1))/2h,
 *   b''_i = (c_(i-1) - 2 c_i + c_(i+1))/h^2;   b'' is constant in the first and the last cell.
 *
 * minimise   sum_i w_i (time b_i^(-1/2) + cost_i)     the duration, and clock_cost.h
 * subject to b <= cap                                  velocity
 *            -low <= s1 b' + s0 b + sg + sd b^(1/2) <= high          acceleration, torque
 *            -low <= b^(1/2) (r2 b'' + r1 b' + r0 b + rg) + d1 b' + d0 b <= high    jerk, torque rate
 *
 *            sum_i w_i b_i^(-1/2) <= deadline
 *
 * at all points: the knots 0..N, JN_CLOCK_EXTRA more in the first and in the last cell, and the
 * middles of the other cells. */
#ifndef JOUNCE_SRC_CLOCK_SOLVER_H
#define JOUNCE_SRC_CLOCK_SOLVER_H

#include <jounce/base.h>

enum { JN_CLOCK_EXTRA = 3 };

typedef struct jn_clock_problem {
  int cells;          /* N, at least 4 */
  int points, stride; /* jn_clock_points, and the distance of rows */
  double h;
  int second, third;           /* numbers of rows without and with b'' */
  int damped;                  /* 1: sd, d0, d1 are not all zero */
  double *cap;                 /* [points] */
  double *s0, *s1, *sg, *sd;   /* [second x stride] */
  double *r0, *r1, *r2, *rg;   /* [third x stride] */
  double *d0, *d1;             /* [third x stride] */
  double *high, *low;          /* [second + third] */
  double uniform;              /* jn_clock_uniform, where a solve that is not warm starts */
  double time;                 /* weight of the duration */
  const double *cost;          /* [3 x 10 x stride] forms of clock_cost.h; NULL: none */
  double deadline;             /* HUGE_VAL: none */
  const unsigned char *active; /* [second + third x chunks] 0: the row is left out in this chunk of
                                * points; NULL: none is */
} jn_clock_problem;

int jn_clock_points(int cells);
int jn_clock_chunks(int points);
/* The index of the middle of a cell 1..N-2. */
int jn_clock_middle(const jn_clock_problem *p, int cell);
/* u of point i of a path from `start` to `start + N h`. */
double jn_clock_point(const jn_clock_problem *p, double start, int i);

struct solver; /* clock_solver.c */

typedef struct jn_clock_solution {
  double *c;           /* [N+1] in: the start if warm; out: the solution */
  struct solver *kept; /* multipliers of the last solve, if it was to keep them */
  double time;         /* sum w b^(-1/2) */
  double cost;         /* sum w cost */
  double gap;          /* duality gap relative to the objective */
  int iterations;
} jn_clock_solution;

typedef struct jn_clock_settings {
  double tolerance; /* relative duality gap */
  int warm;         /* 1: start from c, made strictly feasible by scaling it down; 2: from the kept
                     * multipliers too */
  int keep;         /* 1: keep the multipliers for another solve on the same grid */
  double barrier;   /* sum of lambda z at the start, relative to the duration */
  int most;         /* Newton steps */
  int (*progress)(void *context, int iteration, double time, double gap); /* may be NULL */
  void *context;
} jn_clock_settings;

/* The numbers of row k at all points: k0, k1, kg, then k2 (rows with b''), then e0, e1 (damping).
 * Returns how many. */
int jn_clock_row(const jn_clock_problem *p, int k, const double *column[6]);

/* b, b', b'' [points] of coefficients c */
void jn_clock_values(const jn_clock_problem *p, const double *c, double *b, double *b1, double *b2);

/* The coefficients of the same spline on cells of half the width; c[2 n - 1], n = cells + 1. */
void jn_clock_halve(double *c, int n);

/* The largest constant b that keeps all rows, to a few percent, at every n-th point; 0: there is
 * none. near: that of another grid, where the search begins; 0: not known. */
double jn_clock_uniform(const jn_clock_problem *p, int every, double near);

/* JN_ERR_SINGULAR: no convergence; JN_ERR_INFEASIBLE: no strictly feasible start; JN_ERR_ARGUMENT:
 * stopped by progress. */
jn_status jn_clock_solve(const jn_clock_problem *p, const jn_clock_settings *settings,
                         const jn_allocator *hooks, jn_clock_solution *x);
/* Releases the kept multipliers. */
void jn_clock_forget(jn_clock_solution *x);

#endif
