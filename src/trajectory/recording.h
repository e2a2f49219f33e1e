/* recording.h (private): one recorded number, or the four of a quaternion, as a function of time
 * with its variance; or the reason why the samples do not determine it. */
#ifndef JOUNCE_SRC_RECORDING_H
#define JOUNCE_SRC_RECORDING_H

#include "trajectory/judge.h"
#include "trajectory/search.h"

enum { REASON = 192, MOST_NUMBERS = 4, FEWEST_SAMPLES = 40 };

typedef struct recording_options {
  int cells;   /* 0: chosen */
  int rest[2]; /* at rest at the start, at the end */
  int keep_outliers;
} recording_options;

typedef struct recording {
  /* the function: control values c of u plus mean; NULL: none was found */
  smoother *m;
  double mean[MOST_NUMBERS];
  double rounding;  /* variance of the values by quantisation, beside that of the fit */
  char why[REASON]; /* not to be trusted because ...; "": nothing found against it */
  /* what was found in the samples */
  double step, cutoff, noise; /* quantisation; Hz; sigma of a sample */
  int changes, outliers;      /* changes of the code; samples left out */
  int even;                   /* the noise is known from equally spaced samples */
  misfit z;
  /* private */
  samples s;
  fit_space own;    /* grids of these weights */
  double *block;    /* [doubles] */
  double *residual; /* [count], room */
  size_t doubles;
} recording;

/* y [numbers x count] at t[count], t[0] = 0. `shared`: grids of unit weights. Returns JN_OK also if
 * nothing was found; JN_ERR_MEMORY. Release `r` in any case. */
jn_status jn_recording_fit(fit_space *shared, int count, const double *t, int numbers,
                           const double *y, const recording_options *o, recording *r);
void jn_recording_free(jn_trajectory *T, recording *r);

#endif
