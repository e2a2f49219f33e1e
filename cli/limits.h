/* limits.h: limits along a trajectory as polynomials in the speed. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "path.h"

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
  double low, high; /* infinite: no limit */
} limit_range;

/* Samples: c [samples x nv x kinds x 4]; the value at speed x is c_0 + c_1 x + c_2 x^2 + c_3 x^3.
 */
typedef struct limit_job {
  const cli_path *path;
  int nq, nv;
  limit_range *range; /* [nv x kinds] */
  int grid;           /* the first samples, ordered in time; extrema found later follow */
  int samples, room;
  double *t, *c;
  double *q, *v, *tau, *g; /* scratch */
} limit_job;

/* Returns an exit status. Call limit_job_free in any case. */
int limit_job_new(limit_job *job, cli_path *path);
void limit_job_free(limit_job *job);

/* Samples every piece of the trajectory, its ends included. */
jn_status limit_sample(limit_job *job);
/* A value at speed x relative to its limit: 1 and -1 at the limits (position: at the ends of the
 * range). */
double limit_use(const limit_job *job, int sample, int iv, int kind, double x);

/* The peak of a quantity. */
typedef struct limit_peak {
  int limited, broken, hopeless; /* hopeless: broken at every speed */
  int iv, kind;
  double value, limit, t;    /* the limit on the side of the value */
  double used, excess;       /* value / limit; distance beyond it, at least 0 */
  double resting, resting_t; /* the peak at rest, and its time */
} limit_peak;
/* peak[nv x kinds] at speed 1, with the extrema between samples. */
jn_status limit_peaks(limit_job *job, limit_peak *peak);

/* The smallest time scale that satisfies all limits; 0: none does; LIMIT_FASTEST: that or less. */
#define LIMIT_FASTEST 1e-6
jn_status limit_scale(limit_job *job, double *scale);

#endif
