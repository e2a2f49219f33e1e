/* uniform.h (private): B-splines on equal cells, the samples in them, and their band matrices.
 *
 *   x(t) = sum_a c[j+a] b_a(u),   a = 0..degree,   u = (t - start)/h - j in [0, 1) in cell j
 *
 * A symmetric band matrix is stored by columns: A[k w + l] = A(k+l, k), l = 0..degree,
 * w = degree + 1. */
#ifndef JOUNCE_SRC_UNIFORM_H
#define JOUNCE_SRC_UNIFORM_H

#include "trajectory/trajectory.h"

enum { WIDEST = JN_MAX_SPLINE + 1 };

/* Numbers that are fitted together, with the same weights and the same penalties. Time is counted
 * from the first sample; the means of y are subtracted. */
typedef struct samples {
  int count, numbers;
  const double *t;            /* [count], increasing from 0 */
  const double *y;            /* [numbers x count] */
  const double *w;            /* [count] weights, 0: left out; NULL: all 1 */
  const double *root;         /* [count] square roots of the weights; NULL: all 1 */
  int used;                   /* samples with a weight above 0 */
  double weight, log_weights; /* sum of w, sum of ln w */
  double log_size;            /* sum over the numbers of ln sum w y^2 */
  double least;               /* the least variance of a sample */
  double known;               /* variance of a sample of weight 1; 0: unknown */
  int rest[2];                /* at rest at the start, at the end */
} samples;

typedef struct uniform {
  int degree, cells, controls;
  double h;
  const double *piece; /* [w x w] b_a(u) = sum_m piece[m w + a] u^m */
  int *begin;          /* [cells+1] samples begin[j] .. begin[j+1]-1 are in cell j */
  double *gram;        /* [controls x w] B^T W B */
  int taken;           /* its memory, by jn_afford */
} uniform;

/* piece[(degree+1) x (degree+1)] */
void jn_uniform_pieces(int degree, double *piece);
/* Finds the cells of the samples and forms the Gram matrix. begin and gram are allocated. */
jn_status jn_uniform_new(jn_trajectory *T, const samples *s, int degree, const double *piece,
                         int cells, uniform *out);
void jn_uniform_free(jn_trajectory *T, uniform *u);

/* b_a^(k)(u)/h^k, a = 0..degree */
void jn_uniform_basis(const uniform *u, double at, int k, double *b);
/* residual = y - x, right += B^T W residual (both for one number); c[controls]. residual and right
 * may be NULL. Returns sum w residual^2; *product = sum of neighbours' products, weighted. */
double jn_uniform_residual(const uniform *u, const samples *s, const double *y, const double *c,
                           double *residual, double *right, double *product);

/* v[i] = b(t_i) . (V b(t_i)), V [controls x w]; interpolated in cells with many samples */
void jn_uniform_leverages(const uniform *u, const double *t, const double *V, double *v);

/* A = L D L^T in place: D on the diagonal, L below it. Returns 0 unless all D > 0, else 1 and
 * ln det A. */
int jn_uniform_factor(int n, int degree, double *A, double *log_det);
void jn_uniform_solve(int n, int degree, const double *L, double *x);
/* The band of A^-1 from the factors. */
void jn_uniform_inverse(int n, int degree, const double *L, double *V);
/* sum_ac x_a A(a, c) y_c over the degree + 1 rows and columns from the first of A on */
double jn_uniform_block(int degree, const double *A, const double *x, const double *y);
/* x . (A y) */
double jn_uniform_form(int n, int degree, const double *A, const double *x, const double *y);

#endif
