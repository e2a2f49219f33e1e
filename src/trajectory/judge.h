/* judge.h (private): what is in the samples before a fit, and whether a fit may be trusted. */
#ifndef JOUNCE_SRC_JUDGE_H
#define JOUNCE_SRC_JUDGE_H

#include "trajectory/penalty.h"

/* Samples at either end that are judged by those on one side. */
enum { JN_ENDS = 3 };
int jn_is_end(int i, int n);

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
/* Marks spikes of the numbers y at times t: keep[i] = 0. Returns their number, about the share
 * `most` of the samples at the most, else 0. work[3 n] */
int jn_find_spikes(int n, const double *t, const double *y, double step, double most,
                   unsigned char *keep, double *work);
/* Judges the first and the last three samples by those inside that are kept: the fewest of them are
 * not kept without which the fourth differences there are as small as the noise or the motion inside
 * explain. Returns their number. pairs[2]: neighbours are among them at the start, at the end; that
 * may be a motion that begins there. work[2 n] */
int jn_judge_ends(int n, const double *t, const double *y, double step, unsigned char *keep,
                  double *work, int pairs[2]);

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
