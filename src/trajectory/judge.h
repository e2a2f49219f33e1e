/* judge.h (private): what is in the samples before a fit, and whether a fit may be trusted. */
#ifndef JOUNCE_SRC_JUDGE_H
#define JOUNCE_SRC_JUDGE_H

#include "trajectory/penalty.h"

/* The k-th smallest of n numbers; reorders them. */
double jn_select(double *x, int n, int k);

/* The quantisation step of y, 0: none. work[n]. */
double jn_find_step(int n, const double *y, double *work);
/* Weights of runs of equal codes; returns the number of code changes. *coarse: share of samples in
 * runs. */
int jn_run_weights(int n, const double *y, double step, double *w, double *coarse);
/* A standard deviation of white noise that explains the highest frequencies of y: about that of the
 * noise or, without noise, far below the motion. 0: not known, the samples are few or not equally
 * spaced. work[n] */
double jn_find_noise(int n, const double *t, const double *y, double *work);
/* Jumps by about a turn, from neighbour to neighbour, are removed by adding turns to y. A spike
 * that jumps out and back within three samples stays. Returns the number of jumps. */
int jn_unwrap(int n, double *y);
/* Marks spikes: keep[i] = 0. Returns their number, at most the share `most` of the samples, else 0.
 * work[3 n] */
int jn_find_spikes(int n, const double *y, double step, double most, unsigned char *keep,
                   double *work);

typedef struct misfit {
  double block, window, variance, lag; /* z scores */
  double ratio;                        /* largest variance of block sums relative to white noise */
  double white;                        /* variance of the white part of the residuals */
  double correlation;
} misfit;
/* residual[n] weighted by the roots of the weights, left-out samples removed; standard[n]: over
 * their standard deviations in units of sigma. per_cell: samples in a cell. */
misfit jn_judge_residuals(int n, const double *residual, const double *standard, double per_cell,
                          double edf);

#endif
