/* limits.h: limits along a trajectory as polynomials of the speed. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "path.h"
#include "reader.h"

enum {
  LIMIT_POSITION,
  LIMIT_VELOCITY,
  LIMIT_ACCELERATION,
  LIMIT_JERK,
  LIMIT_EFFORT,
  LIMIT_EFFORT_RATE,
  LIMIT_KINDS
};

typedef struct limit_range {
  double low, high; /* infinite: none */
} limit_range;

/* Samples: c [samples x nv x kinds x 4], the value at speed x is c_0 + c_1 x + c_2 x^2 + c_3 x^3.
 */
typedef struct limit_job {
  const cli_path *path;
  int nq, nv;
  limit_range *range; /* [nv x kinds] */
  int grid;           /* samples in the order of time; extrema found later stand behind them */
  int samples, room;
  double *t, *c;
  double *q, *v, *tau, *g; /* scratch */
} limit_job;

/* An exit status. limit_job_free in any case. */
int limit_job_new(limit_job *job, cli_path *path);
void limit_job_free(limit_job *job);

/* The samples: every piece from both sides, and between. */
jn_status limit_sample(limit_job *job);
/* A value at speed x over its limit: 1 and -1 at the limits (position: at the ends of the range).
 */
double limit_use(const limit_job *job, int sample, int iv, int kind, double x);

/* The worst of a quantity. */
typedef struct limit_peak {
  int limited, broken, hopeless; /* hopeless: broken however slow */
  int iv, kind;
  double value, limit, t;    /* the limit on the value's side */
  double used, excess;       /* value over limit; value beyond it, at least 0 */
  double resting, resting_t; /* the worst at a standstill, and where */
} limit_peak;
/* At speed 1, extrema between samples found: peak[nv x kinds]. */
jn_status limit_peaks(limit_job *job, limit_peak *peak);

/* The smallest scale that keeps all limits; 0: none does; LIMIT_FASTEST: at least that small. */
#define LIMIT_FASTEST 1e-6
jn_status limit_scale(limit_job *job, double *scale);

#endif
