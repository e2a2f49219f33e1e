/* penalty.h (private): a spline with penalties on the differences of its control values, chosen by
 * restricted likelihood.
 *
 *   y_i = x(t_i) + e_i, e_i ~ N(0, sigma^2/w_i),   (D c)_k ~ N(0, sigma^2/lambda_k)
 *   A = B^T W B + D^T diag(lambda) D,   c = A^-1 B^T W y,   Cov c = sigma^2 A^-1
 *
 * D: differences of order p. Minus twice the logarithm of the restricted likelihood is
 *
 *   nu ln sigma^2 + pen/sigma^2 + ln det A - sum ln lambda - sum ln w - C + p ln(sum w y^2)
 *   pen = sum w (y - x)^2 + sum lambda (D c)^2,   nu = samples - p,   sigma^2 = pen/nu if unknown
 *   C = sum_(j<p) ln W + 2 j ln(T/h) + 2 ln j! - 2 ln (2j)! - ln(2j+1),   W = sum w
 *
 * C makes it comparable between cell lengths h and orders p. Numbers that are fitted together have
 * common lambda and sigma; their likelihoods are multiplied. */
#ifndef JOUNCE_SRC_PENALTY_H
#define JOUNCE_SRC_PENALTY_H

#include "trajectory/uniform.h"
/* keeps divisors and the arguments of logarithms positive */
#define JN_ABOVE_ZERO 1e-300

enum { REST_ROWS = 6 }; /* x', x'', x''' = 0 at each end */

typedef struct smoother {
  jn_trajectory *T; /* whose limit of operations applies */
  size_t doubles;   /* of all arrays but V */
  const samples *s;
  const uniform *u;
  int p, rows;               /* order of the differences; controls - p */
  double difference[WIDEST]; /* (-1)^(p-a) C(p, a) */
  double *lambda;            /* [rows] */
  double *L, *V;        /* [controls x w] factor of A; band of A^-1, after jn_smoother_inverse */
  double *c;            /* [numbers x controls] */
  double *base, *right; /* [numbers x controls] control values whose residuals were formed from
                            * the samples, and B^T W of these residuals */
  double base_squares, correlation; /* of these residuals: sum of squares, first autocorrelation */
  double *change;                   /* [controls] */
  double *Dc2, *v;                  /* [rows] sum of (D c)^2 over the numbers; (D A^-1 D^T)_kk */
  int nodes;                        /* local penalties: ln lambda is linear between nodes */
  double *node, *room;              /* [nodes], [5 nodes] */
  double middle;
  int rest_rows;
  double rest[REST_ROWS][WIDEST], rest_weight[REST_ROWS];
  /* of the last evaluation */
  double squares, pen, sigma2, criterion, edf;
} smoother;

/* like: of the same samples and cells, not solved or rebased yet; NULL: none. */
jn_status jn_smoother_new(jn_trajectory *T, const samples *s, const uniform *u, int p,
                          const smoother *like, smoother **out);
void jn_smoother_free(jn_trajectory *T, smoother *m);

/* Control values, sigma^2 and criterion at the penalties m->lambda. Returns 0 if A is singular to
 * rounding. O(controls). */
int jn_smoother_evaluate(smoother *m);
/* The band of A^-1, v and edf = trace(A^-1 B^T W B) there. */
void jn_smoother_inverse(smoother *m);
/* a . (A^-1 b) of basis functions a, b in cell j. */
double jn_smoother_variance(const smoother *m, int j, const double *a, const double *b);
/* Factors of the variance in every cell, at least 1, after the band of A^-1. jumps: the order of
 * differences is the lowest of those compared. */
void jn_smoother_spread(smoother *m, int jumps);
/* Forms the residuals of the last evaluation from the samples. O(count). */
void jn_smoother_rebase(smoother *m);

/* The cut-off in radians per cell of penalties lambda, (W h/(T lambda))^(1/2p), and its inverse. */
double jn_smoother_cutoff(const smoother *m);
double jn_smoother_lambda(const smoother *m, double cutoff);

/* One lambda, the same everywhere: the least criterion of a few cut-offs, and of all of them.
 * `start`: a cut-off near it, or 0. Return 0 if every A is singular. */
int jn_smoother_coarse(smoother *m);
int jn_smoother_one(smoother *m, double start);
/* Local lambda, starting from one. At most `rounds` evaluations. */
int jn_smoother_local(smoother *m, int rounds);

#endif
