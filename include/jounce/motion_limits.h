/* motion_limits.h: limits of position, velocity, acceleration, jerk, torque, torque rate and power, and
 * of the thrust of rotors and its rate, along a trajectory: the peaks of every quantity, and the time
 * scaling that satisfies all limits.
 *
 * At time scale s, with the speed x = 1/s, a sample of the motion has
 *
 *   position q,  velocity v x,  acceleration v' x^2,  jerk v'' x^3,
 *   force      g + d v x + (tau - g - d v) x^2            g: gravity alone, d: viscous damping
 *   force rate g' x + d v' x^2 + (tau' - g' - d v') x^3
 *   power      v x times the force
 *
 * Each limit is a polynomial inequality in x. Its roots separate the speeds that satisfy it from
 * those that break it. The largest x that all samples allow is found. The extrema of every curve at
 * that speed are added to the samples, until no limit is broken between them. */
#ifndef JOUNCE_MOTION_LIMITS_H
#define JOUNCE_MOTION_LIMITS_H

#include <jounce/constraints.h>
#include <jounce/trajectory.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jn_limit_kind {
  JN_LIMIT_POSITION,
  JN_LIMIT_VELOCITY,
  JN_LIMIT_ACCELERATION,
  JN_LIMIT_JERK,
  JN_LIMIT_EFFORT,
  JN_LIMIT_EFFORT_RATE,
  JN_LIMIT_POWER, /* force times velocity of the degree of freedom */
  JN_LIMIT_KINDS
} jn_limit_kind;
/* "position", "velocity", "acceleration", "jerk", "effort", "effort_rate", "power"; NULL: no
 * such kind. */
JN_API const char *jn_limit_kind_name(jn_limit_kind kind);

/* Limits come in rows: of the nv degrees of freedom, then of the rotors (jounce/rotors.h). A rotor has
 * two quantities: its thrust f = P W as effort, and f' as effort_rate, W the wrench of the base in its
 * own axes. Returns the number of rows; 0: no model. */
JN_API int jn_limit_rows(const jn_model *model);
/* The name of a row: "elbow", "base:wx", "p1"; it is cut to the size. JN_ERR_ARGUMENT: no such row, or
 * no room. */
JN_API jn_status jn_limit_row_name(const jn_model *model, int row, char *name, size_t size);
/* jn_limit_kind_name, but "thrust" and "thrust_rate" of a rotor. NULL: no such row, or a rotor has no
 * such quantity. */
JN_API const char *jn_limit_quantity(const jn_model *model, int row, jn_limit_kind kind);

/* Limits of one quantity of one row; infinite: no limit. */
typedef struct jn_limit_range {
  double low, high;
} jn_limit_range;
/* The limits of the model file (jn_limits, jn_rotor_limits in spec.h): range[rows x JN_LIMIT_KINDS],
 * jn_limit_rows. Joints with one degree of freedom have them, and rotors if they can apply every
 * wrench (rank 6): all others, and power, are unlimited. */
JN_API jn_status jn_model_limits(const jn_model *model, jn_limit_range *range);

/* The peak of one quantity: where it is nearest to its limit or farthest beyond it. */
typedef struct jn_limit_peak {
  int limited; /* 0: the quantity has no limit, and the rest is zero */
  int broken;
  int hopeless; /* broken even at rest: no time scaling helps */
  int iv;       /* row: degree of freedom, or nv and more: rotor */
  jn_limit_kind kind;
  double value, limit, t;    /* the limit on the side of the value */
  double used, excess;       /* value / limit; distance beyond it, at least 0 */
  double resting, resting_t; /* the peak at rest, and its time */
} jn_limit_peak;

/* The motion of a model with constraints (jounce/constraints.h): driven joints move as the trajectory
 * says, the others follow, from one instant to the next. */
typedef struct jn_closed_motion {
  const unsigned char *driven; /* [nbody]: 1: as the trajectory says */
  const double *q;             /* [nq]: where the others begin, a guess */
  const unsigned char *active; /* [constraints]: 1 where it is active; NULL: all */
} jn_closed_motion;
/* The closed motion at time t, as jn_trajectory_at has the open one: q[nq], v[(order+2) x nv], in the
 * representation of data. Joints that follow are found by jn_assemble from near[nq], the configuration
 * of an instant nearby, first closed->q; near and q must not alias. `closed` NULL: the open tree, near
 * is not used. The order of data is at least `order`, and 0. Errors of jn_trajectory_at and
 * jn_assemble; q and v are then undefined. */
JN_API jn_status jn_closed_motion_at(const jn_model *model, jn_data *data,
                                     const jn_trajectory *trajectory,
                                     const jn_closed_motion *closed, double t, int order,
                                     const double *near, double *q, double *v);

/* Limit of the speed |p'| of the origin of a frame (jn_model_frame), p in the world. */
typedef struct jn_tool_limit {
  int frame;
  double speed;
} jn_tool_limit;
/* The largest speed of the origin of a frame along a trajectory and its time: samples and extrema as
 * jn_limit_check_new has them. At time scale s it is speed / s. `data` has order 0 or more;
 * `allocator` and `t` may be NULL.
 *   JN_ERR_ARGUMENT   an argument is NULL, there is no such frame, or samples < 2
 *   JN_ERR_LIMIT      harmonics that need more than JN_MAX_SAMPLES samples
 *   others            of jn_trajectory_at and jn_kinematics */
JN_API jn_status jn_tool_peak(const jn_model *model, jn_data *data, const jn_trajectory *trajectory,
                              int frame, int samples, const jn_allocator *allocator, double *speed,
                              double *t);
/* The same along a closed motion; `closed` NULL: as jn_tool_peak. Also errors of jn_assemble. */
JN_API jn_status jn_tool_peak_closed(const jn_model *model, jn_data *data,
                                     const jn_trajectory *trajectory,
                                     const jn_closed_motion *closed, int frame, int samples,
                                     const jn_allocator *allocator, double *speed, double *t);

typedef struct jn_limit_check jn_limit_check;

/* Checks a trajectory against range[rows x JN_LIMIT_KINDS], jn_limit_rows. Every piece of the trajectory is sampled,
 * its ends included: `samples` times in all, at least jn_trajectory_places in a piece. Extrema between
 * samples are found by parabolas and golden-section search. A limit counts as broken above 1 + 1e-9 of its value.
 * `data` has order 1 or more; its settings (gravity, damping, representation of free joints) apply,
 * and it is only used during this call. `allocator` and `error` may be NULL.
 * O(samples) inverse dynamics of order 1, memory O(samples nv).
 *   JN_ERR_ARGUMENT    an argument is NULL, samples < 2, a lower limit is above the upper one, or a
 *                      rotor has a limit of another quantity than thrust and thrust rate
 *   JN_ERR_ACTUATION   limits of rotors that cannot apply every wrench, or of a fixed base
 *   JN_ERR_ORDER       the order of data is less than 1
 *   JN_ERR_LIMIT       harmonics that need more than JN_MAX_SAMPLES samples
 *   JN_ERR_INFEASIBLE  the velocity jumps at a break and accelerations or forces are limited, or the
 *                      acceleration jumps and jerks or rates of forces are: `error` says where
 *   others             of jn_trajectory_at and jn_inverse_dynamics */
JN_API jn_status jn_limit_check_new(const jn_model *model, jn_data *data,
                                    const jn_trajectory *trajectory, const jn_limit_range *range,
                                    int samples, const jn_allocator *allocator,
                                    jn_limit_check **out, jn_error *error);
/* The same with constraints: motions, forces and the time scale are those of the closed motion. The
 * forces are those of jn_constrained_inverse_dynamics: zero at passive joints, of least weighted norm
 * where there are more actuators than needed. They too are g + d x + c x^2 in the speed x, found from
 * the inverse dynamics at x = 1, 2 and, with damping, -1. The world is at rest. `closed` NULL: as
 * jn_limit_check_new, the open tree.
 *   JN_ERR_ACTUATION, JN_ERR_ASSEMBLY, JN_ERR_CLOSURE, JN_ERR_RANK
 *                      of jn_assemble and jn_constrained_inverse_dynamics;
 *                      jn_data_constraint_fault says where */
JN_API jn_status jn_limit_check_closed(const jn_model *model, jn_data *data,
                                       const jn_trajectory *trajectory,
                                       const jn_closed_motion *closed, const jn_limit_range *range,
                                       int samples, const jn_allocator *allocator,
                                       jn_limit_check **out, jn_error *error);
/* jn_limit_check_new of many trajectories of one model within the same limits, on `threads` threads (0:
 * one per processor): trajectory[count] -> out[count], each to be freed. `settings` (NULL: the model's
 * defaults) are those of every jn_data; status[count] may be NULL. A trajectory that fails has out
 * NULL; the first failure is returned, its message is in `error`. The results do not depend on the
 * threads. The hooks of `allocator` are called from all of them.
 *   JN_ERR_ARGUMENT, JN_ERR_LIMIT, JN_ERR_MEMORY for the whole call: no output is written */
JN_API jn_status jn_limit_check_batch(const jn_model *model, const jn_settings *settings,
                                      int threads, size_t count,
                                      const jn_trajectory *const *trajectory,
                                      const jn_limit_range *range, int samples,
                                      const jn_allocator *allocator, jn_limit_check **out,
                                      jn_status *status, jn_error *error);
JN_API void jn_limit_check_free(jn_limit_check *check);

/* The peak of a quantity at the motion's own speed; NULL: no such quantity. */
JN_API const jn_limit_peak *jn_limit_check_peak(const jn_limit_check *check, int iv,
                                                jn_limit_kind kind);
/* Number of quantities with a limit, and of those that break it. */
JN_API int jn_limit_check_limited(const jn_limit_check *check);
JN_API int jn_limit_check_broken(const jn_limit_check *check);
/* The smallest time scale that satisfies all limits (jn_trajectory_scaled); 0: none does;
 * JN_LIMIT_FASTEST: that or less, no limit depends on the speed. */
JN_API double jn_limit_check_scale(const jn_limit_check *check);
#define JN_LIMIT_FASTEST 1e-6

/* The samples, in order of time: their number and times, and a quantity of sample n at speed x
 * relative to its limit: 1 and -1 at the limits (position: at the ends of its range). 0: no such
 * sample, or no limit. */
JN_API int jn_limit_check_samples(const jn_limit_check *check);
JN_API double jn_limit_check_time(const jn_limit_check *check, int n);
JN_API double jn_limit_check_use(const jn_limit_check *check, int n, int iv, jn_limit_kind kind,
                                 double x);

#ifdef __cplusplus
}
#endif
#endif
