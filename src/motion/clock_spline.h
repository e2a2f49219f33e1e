/* clock_spline.h (private): the spline b(u) of a clock (clock_solver.h): its values at the points, and the
 * matrix of a quadratic form of them in its coefficients, with seven diagonals. */
#ifndef JOUNCE_SRC_CLOCK_SPLINE_H
#define JOUNCE_SRC_CLOCK_SPLINE_H

#include "motion/clock_solver.h"

enum { END = JN_CLOCK_EXTRA + 1 };

/* The last knot and the extra points of an end cell: rows of b, b', b'' over three coefficients. */
typedef struct end_point {
  int point, first;
  double S[3][3];
} end_point;

typedef struct jn_clock_spline {
  int cells, n; /* n = cells + 1 coefficients */
  double h;
  end_point end[2 * END];
  double *K0, *K1, *K2, *K3, *L1, *L2, *L3, *D; /* [n] K; K = L D^-1 L^T, L has a unit diagonal */
} jn_clock_spline;

/* Sets the points of the end cells. */
void jn_clock_ends(jn_clock_spline *x);
/* y, y', y'' at all points */
void jn_clock_spline_values(const jn_clock_spline *x, const double *c, double *restrict y,
                            double *restrict y1, double *restrict y2);
/* out = S^T y: the gradient in the coefficients from those in b, b', b'' */
void jn_clock_to_coefficients(const jn_clock_spline *x, double *const y[3], double *out);
/* K = S^T H S; H: entries 00, 01, 02, 11, 12, 22 of the matrix of (b, b', b'') at every point */
void jn_clock_assemble(jn_clock_spline *x, double *const H[6]);
/* 0 if a pivot is not positive */
int jn_clock_factor(jn_clock_spline *x);
/* K out = rhs */
void jn_clock_substitute(const jn_clock_spline *x, const double *rhs, double *out);

#endif
