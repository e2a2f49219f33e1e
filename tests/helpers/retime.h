/* retime.h: random paths with limits, and two independent solvers for the fastest clock. */
#ifndef TEST_RETIME_H
#define TEST_RETIME_H

#include <jounce/jounce.h>
#include <stdint.h>

#include "base/block.h"
#include "motion/retime.h"

#define RETIME_DAMPING 0.2 /* N m s/rad, of every hinge, if the settings ask for it */

/* A robot, a random path through five configurations, and limits that are all within reach. */
typedef struct retime_case {
  jn_model *model;
  jn_data *data;
  jn_trajectory *path;
  jn_limit_range *range;
} retime_case;

/* The path minimises `derivative`; by B-spline instead if `spline`. */
retime_case retime_case_new(const char *robot, uint64_t seed, int derivative, int spline);
void retime_case_free(retime_case *c);
void no_limits(int rows, jn_limit_range *range);

/* The rows of the problem, as jn_retime makes them. */
retiming retime_case_rows(const retime_case *c, int intervals, int without_rates);
retiming retime_case_rows_for(const retime_case *c, int intervals, int without_rates,
                              jn_retime_objective objective);
void retime_rows_free(retiming *x);

int broken_limits(const jn_model *model, jn_data *data, const jn_trajectory *motion,
                  const jn_limit_range *range);
/* the share of the time in which some limit is used by `least` or more; the number of broken ones */
double share_at_limits(const jn_model *model, jn_data *data, const jn_trajectory *motion,
                       const jn_limit_range *range, double least, int *broken);
/* the same configurations in the same order */
void assert_same_path(const jn_model *model, const jn_trajectory *path,
                      const jn_trajectory *motion);

/* The least duration by a dense barrier method; by TOPP-RA's forward and backward pass. */
double dense_duration(const jn_clock_problem *p);
/* The least of time T + the integral of squares, by the same dense method: forces[points x count x 4] over
 * (b, b', b'', 1), or the rates divided by b^(1/2). */
double dense_objective(const jn_clock_problem *p, const double *forces, int count, int rates,
                       double *duration);
double topp_ra_duration(const jn_clock_problem *p);

#endif
