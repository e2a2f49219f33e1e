/* trajectory.h: motions as functions of time, with all derivatives. A jn_trajectory gives the state
 * of a model, q and v, v', ..., at a time t; it is immutable and any number of threads may share
 * it. Numbers are exact to rounding at every order: nothing is differenced.
 *
 * Every source below moves all joints at once, by arrays in the layout of q. Plain numbers (angles,
 * displacements, a free joint's position p) follow the source itself. A rotation (spherical, free)
 * follows it on the group: with rotations R_0, R_1, ... where a number has x_0, x_1, ...,
 *
 *   x(t) = x_0 + sum_i b_i(t) (x_i - x_(i-1))   becomes   R(t) = R_0 prod_i exp(b_i(t)
 * log(R_(i-1)^T R_i)),
 *
 * b_i the same functions of time: R is as smooth as x, meets the waypoints where x does, and does
 * not depend on the axes chosen. At most JN_MAX_ROTATIONS rotations. */
#ifndef JOUNCE_TRAJECTORY_H
#define JOUNCE_TRAJECTORY_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_trajectory jn_trajectory;
JN_API void jn_trajectory_free(jn_trajectory *trajectory);

/* First and last time. */
JN_API double jn_trajectory_start(const jn_trajectory *trajectory);
JN_API double jn_trajectory_end(const jn_trajectory *trajectory);
/* The first time after t at which a derivative of some order may jump; HUGE_VAL: none. */
JN_API double jn_trajectory_next_break(const jn_trajectory *trajectory, double t);

/* q[nq] and v[(order+2) x nv] = v, v', ..., v^(order+1) at t, what jn_inverse_dynamics of that
 * order reads; order >= -1. Each output may be NULL. Twists of free joints in `representation`. At
 * a time where a derivative jumps: from the right, at the end from the left. No allocation; on the
 * stack 20 kB up to order 30, 400 kB above. JN_ERR_ARGUMENT: t is not between start and end.
 * JN_ERR_NOT_FINITE: a derivative is too large for a double; the outputs mean nothing. O(nv
 * (degree order + order^2)). */
JN_API jn_status jn_trajectory_at(const jn_trajectory *trajectory, double t, int order,
                                  jn_representation representation, double *q, double *v);

/* The same motion `factor` > 0 times as slow: starts at the same time; v^(k) becomes
 * v^(k)/factor^(k+1). */
JN_API jn_status jn_trajectory_scaled(const jn_trajectory *trajectory, double factor,
                                      const jn_allocator *allocator, jn_trajectory **out);

/* Sources. The model is only read while they run. `allocator` and `error` may be NULL. On failure
 * nothing is made, and `error` says why. */

/* x(t) = sum_k c_k (t - start)^k, c[(degree+1) x nv]. A rotation has the three numbers roll, pitch,
 * yaw, R = Rz(yaw) Ry(pitch) Rx(roll); a free joint (roll, pitch, yaw, p). */
JN_API jn_status jn_trajectory_polynomial(const jn_model *model, double start, double end,
                                          int degree, const double *c,
                                          const jn_allocator *allocator, jn_trajectory **out,
                                          jn_error *error);

/* x(t) = sum_k a_k cos(k w t) + b_k sin(k w t), k = 0..terms-1; a, b [terms x nv], numbers as
 * above. */
JN_API jn_status jn_trajectory_fourier(const jn_model *model, double start, double end, int terms,
                                       double w, const double *a, const double *b,
                                       const jn_allocator *allocator, jn_trajectory **out,
                                       jn_error *error);

/* From q_i to q_(i+1) by (1 - cos(pi u))/2, u = (t - t_i)/(t_(i+1) - t_i): at rest at every
 * waypoint; the acceleration jumps there. times[count] rise, q[count x nq]. */
JN_API jn_status jn_trajectory_half_cosine(const jn_model *model, int count, const double *times,
                                           const double *q, const jn_allocator *allocator,
                                           jn_trajectory **out, jn_error *error);

/* B-spline with control configurations q[count x nq], count > degree. knots[count+degree+1] do not
 * fall; the motion runs from knots[degree] to knots[count]. degree-1 derivatives are continuous at
 * simple knots. */
JN_API jn_status jn_trajectory_bspline(const jn_model *model, int degree, int count,
                                       const double *knots, const double *q,
                                       const jn_allocator *allocator, jn_trajectory **out,
                                       jn_error *error);
/* The usual knots: first and last degree+1 times, equal steps between. knots[count+degree+1] */
JN_API jn_status jn_bspline_knots(double start, double end, int degree, int count, double *knots);

/* The motion through q[count x nq] at times[count] with the least integral of |x^(derivative)|^2,
 * derivative = 1 (straight lines), 2, 3 (minimum jerk), 4 (minimum snap), ..., 16: polynomials of
 * degree 2 derivative - 1, 2 derivative - 2 derivatives continuous. v[count x (derivative-1) x nv]
 * prescribes v, v', ... at the waypoints, free joints in JN_MIXED; a NaN leaves it free. NULL: rest
 * at both ends, free between. A rotation's are prescribed or free together, and free between.
 * Rounding grows about eightfold with each derivative: evenly spaced waypoints are met to 1e-12 of
 * the motion up to 6, to 1e-7 up to 10. JN_ERR_SINGULAR: no digit would be left, as may be
 * beyond, or with uneven times earlier. */
JN_API jn_status jn_trajectory_minimum(const jn_model *model, int derivative, int count,
                                       const double *times, const double *q, const double *v,
                                       const jn_allocator *allocator, jn_trajectory **out,
                                       jn_error *error);

/* A smoothing spline x(t) of odd or even degree through samples y_i: the least of
 *
 *   sum_i |y_i - x(t_i)|^2 + lambda integral |x^(m)|^2 dt,   m = (degree + 1)/2,
 *
 * number by number; a rotation by its quaternion, whose four numbers are fitted and divided by
 * their length. lambda is given, or found so that the root mean square of the residuals is
 * `tolerance` (0: through every sample), or, with neither, by generalised cross validation. */
typedef struct jn_fit_options {
  int degree;       /* 1..JN_MAX_SPLINE; default 7: jerks are smooth */
  double lambda;    /* >= 0; negative: not given (default) */
  double tolerance; /* >= 0; negative: not given (default) */
  int pieces; /* polynomials; 0: one less than samples, at most 400 (tolerance 0: no such limit) */
  int hold;   /* files: joints without columns stay at home instead of being missed; default 0 */
} jn_fit_options;
JN_API jn_fit_options jn_fit_default(void);

/* What a fit did, for each number of q: arrays of nq, each may be NULL. */
typedef struct jn_fit_report {
  double *rms, *max; /* residuals */
  double *lambda;
} jn_fit_report;

/* times[count] rise, q[count x nq]; the signs of quaternions do not matter. `options` and `report`
 * may be NULL. O(count degree^2) a trial of lambda. */
JN_API jn_status jn_trajectory_fit(const jn_model *model, int count, const double *times,
                                   const double *q, const jn_fit_options *options,
                                   const jn_fit_report *report, const jn_allocator *allocator,
                                   jn_trajectory **out, jn_error *error);

/* Files; they need the loaders. */

/* By the ending: .json a description (docs/trajectories.md), .csv, .npy or .npz samples (table.h),
 * which are fitted: a column 't' or 'time', and one for each number of q by jn_coordinate_name,
 * others are passed over; without names, t and q in their order; npz also 't' and an array 'q'.
 * `options` and `report` are those of jn_trajectory_fit; a description's own come first. */
JN_API jn_status jn_trajectory_load(const char *path, const jn_model *model,
                                    const jn_fit_options *options, const jn_fit_report *report,
                                    const jn_allocator *allocator, jn_trajectory **out,
                                    jn_error *error);
/* A description from memory; `name` stands for the file in messages, and files it names lie beside
 * it. */
JN_API jn_status jn_trajectory_parse(const char *text, size_t size, const char *name,
                                     const jn_model *model, const jn_fit_options *options,
                                     const jn_fit_report *report, const jn_allocator *allocator,
                                     jn_trajectory **out, jn_error *error);
/* A description that loads as the same trajectory bit for bit. The model is the one it was made
 * for. */
JN_API jn_status jn_trajectory_save(const jn_trajectory *trajectory, const jn_model *model,
                                    const char *path, jn_error *error);

/* The name of number iq of q in tables: "elbow"; of joints with several "base:qw" ... "base:qz",
 * "base:x", "slide:d". text[JN_MAX_NAME + 16] */
JN_API jn_status jn_coordinate_name(const jn_model *model, int iq, char *text);

#ifdef __cplusplus
}
#endif
#endif
