/* retime.h: the fastest motion along a path that keeps every limit.
 *
 * The path q(u) is that of a trajectory; its own speed does not matter. The clock, the timing u(t) of
 * the path, is found as b(u) = (du/dt)^2, with which every quantity is an expression in b and its
 * derivatives by u:
 *
 *   velocity v_1 b^(1/2),  acceleration v_2 b + v_1 b'/2,
 *   jerk     b^(1/2) (v_3 b + 3/2 v_2 b' + v_1 b''/2)                  v_k: derivatives by u
 *   force    m b'/2 + c b + g  (+ d v_1 b^(1/2): damping)
 *   its rate b^(1/2) (m b''/2 + (m_u/2 + c) b' + c_u b + g_u)  (+ d times the acceleration)
 *   power    b^(1/2) v_1 times the force
 *   thrusts of rotors and their rates as forces, by the rows of P (jounce/rotors.h)
 *
 * b is a cubic spline; one interior-point solve finds the least duration (docs/theory.md). */
#ifndef JOUNCE_RETIME_H
#define JOUNCE_RETIME_H

#include <jounce/limits.h>
#include <jounce/motion_limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Speed of the path at its ends. */
typedef enum jn_retime_ends {
  JN_ENDS_REST, /* velocity and acceleration are zero at both ends; default */
  JN_ENDS_FREE, /* as fast as the limits allow, but at most at the speeds given */
  JN_ENDS_GIVEN /* at the speeds given; 0: at rest there, HUGE_VAL: as fast as the limits allow */
} jn_retime_ends;

/* What is minimised. Squares of forces are summed over all degrees of freedom; thrusts take the place of
 * the wrench of a floating base where rotors have limits. The integral of squared forces is a convex
 * function of b without damping, so that the minimum is global; that of squared rates is not: the
 * minimum found from the fastest clock is a local one. */
typedef enum jn_retime_objective {
  JN_OBJECTIVE_TIME,        /* the duration; default */
  JN_OBJECTIVE_EFFORT,      /* the integral of sum tau^2 dt within a given duration */
  JN_OBJECTIVE_EFFORT_RATE, /* the integral of sum tau'^2 dt within a given duration */
  JN_OBJECTIVE_MIXED        /* the duration + weight times the integral of sum tau^2 dt */
} jn_retime_objective;

typedef struct jn_retime_options {
  int intervals; /* cells of the clock, at least so many: 16..JN_MAX_INTERVALS. Default 0: as many
                  * as keep their average below 4 ms, 128 2^k; where some would take four times as
                  * long, cells are smaller. Below about 0.1 ms per cell, rounding errors of the third
                  * derivative, 1e-16 T/dt^3, make the motion slower again */
  int without_rates; /* 1: limits of jerk and force rate are not kept; default 0 */
  jn_retime_ends ends;
  double
      speed[2]; /* JN_ENDS_FREE, JN_ENDS_GIVEN: the speed du/dt of the path's own time at the start
                    * and at the end; default HUGE_VAL. Given speeds need JN_OBJECTIVE_TIME */
  int tools;    /* limits of the speed of frames; default 0 */
  const jn_tool_limit *tool; /* [tools] */
  double tolerance;          /* relative accuracy of the objective on its grid; default 1e-5 */
  jn_retime_objective objective;
  double weight;   /* JN_OBJECTIVE_MIXED: positive */
  double duration; /* the motion takes at most so long; 0 (default): any. JN_OBJECTIVE_EFFORT and
                    * JN_OBJECTIVE_EFFORT_RATE need it: 1 % more than the least, or more */
  /* Called after every step of the solver with the round, the step, the duration so far and the
   * worst use of a limit between grid points in the last round; 0 before. Returns 1 to stop, which
   * gives JN_ERR_STATE. NULL (default): not called. */
  int (*progress)(void *context, int round, int step, double duration, double worst);
  void *context;
} jn_retime_options;
JN_API jn_retime_options jn_retime_options_default(void);

typedef struct jn_retime_report {
  double duration; /* of the result */
  int rounds;      /* solves: limits are tightened where they are exceeded between grid points */
  int intervals;   /* cells of the clock */
  int steps;       /* Newton steps in all, those on coarse grids included */
  int longest;     /* Newton steps of the longest solve on one grid */
  int first_steps; /* Newton steps of the first round, coarse grids included; the others tighten */
  double excess;   /* of a limit between grid points after the last solve; the result is slowed down
                    * by a factor that removes it */
  double slowed;   /* that factor */
  double cost;     /* the integral of squared forces or rates of the result; 0: JN_OBJECTIVE_TIME */
} jn_retime_report;

/* The fastest motion along `path` within range[jn_limit_rows x JN_LIMIT_KINDS]: a trajectory with the same
 * configurations in the same order that starts at time 0. jn_limit_check_new finds no limit broken
 * in it. `data` has order 1 or more; its settings (gravity, damping, representation of free joints)
 * apply. `options`, `allocator`, `report` and `error` may be NULL. A path that moves at an end where
 * rest is asked for starts or stops smoothly there.
 * O(intervals nv) memory; time: 12 inverse dynamics of order 1 an interval in packs of states, and
 * about 20 Newton steps on the grid after as many on coarse ones.
 *   JN_ERR_ARGUMENT     an argument is out of range; velocity or acceleration of the path jumps; a
 *                       limit that rest breaks; no limit that bounds the speed; an objective without
 *                       its weight or duration
 *   JN_ERR_ACTUATION    limits of rotors that cannot apply every wrench, or of a fixed base
 *   JN_ERR_INFEASIBLE   no timing keeps the limits; `error` says which limit is broken, where, and by
 *                       how much: a position, a force at rest, a joint that may not move, a limit
 *                       of zero; or that the duration is too short, or a given speed at an end too
 *                       high
 *   JN_ERR_LIMIT        more than JN_MAX_INTERVALS intervals
 *   JN_ERR_ORDER        the order of data is less than 1
 *   JN_ERR_STATE        stopped by progress
 *   JN_ERR_SINGULAR     the solver did not converge, or the grid is too coarse for the path */
JN_API jn_status jn_retime(const jn_model *model, jn_data *data, const jn_trajectory *path,
                           const jn_limit_range *range, const jn_retime_options *options,
                           const jn_allocator *allocator, jn_trajectory **out,
                           jn_retime_report *report, jn_error *error);

/* jn_retime of many paths of one model within the same limits, on `threads` threads (0: one per
 * processor): path[count] -> out[count]. report[count] and status[count] may be NULL; `settings` (NULL:
 * the model's defaults) are those of every jn_data. A path that fails has out NULL; the first failure is
 * returned, its message is in `error`. The results do not depend on the threads. A function
 * `progress` and the hooks of `allocator` are called from all of them.
 *   JN_ERR_ARGUMENT, JN_ERR_LIMIT, JN_ERR_MEMORY for the whole call: no output is written */
JN_API jn_status jn_retime_batch(const jn_model *model, const jn_settings *settings, int threads,
                                 size_t count, const jn_trajectory *const *path,
                                 const jn_limit_range *range, const jn_retime_options *options,
                                 const jn_allocator *allocator, jn_trajectory **out,
                                 jn_retime_report *report, jn_status *status, jn_error *error);

#ifdef __cplusplus
}
#endif
#endif
