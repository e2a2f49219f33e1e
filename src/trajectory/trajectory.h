/* trajectory.h (private): the splines and motions that a trajectory consists of. */
#ifndef JOUNCE_SRC_TRAJECTORY_H
#define JOUNCE_SRC_TRAJECTORY_H

#include <jounce/trajectory.h>

#include "base/block.h"
#include "base/fail.h"
#include "base/numbers.h"

/* n functions of time on common pieces. In piece i:
 *
 *   x = sum_k c_k u^k + sum_m a_m cos(w_m s) + b_m sin(w_m s)
 *   u = (t - breaks[i])/(breaks[i+1] - breaks[i]),   s = t - origin[i]
 *
 * Of a B-spline the sum over k is that of its basis functions, which keeps the digits of every
 * degree and derivative: x = sum_j c_j N_j(t), with controls > 0; its pieces are the spans between
 * different knots.
 * Before the first and after the last piece x is constant. All arrays are in one block. */
typedef struct jn_spline {
  int pieces, degree, n, terms, controls;
  double *breaks; /* [pieces+1], increasing */
  double *c;      /* [pieces x (degree+1) x n], B-spline: [controls x n] */
  double *knots;  /* [controls+degree+1] of a B-spline */
  double *origin; /* [pieces] if terms > 0 */
  double *w;      /* [pieces x terms] */
  double *a, *b;  /* [pieces x terms x n] */
} jn_spline;

/* A rotation as a function of time. */
typedef enum jn_rotation_curve {
  JN_CURVE_NONE,
  JN_CURVE_PRODUCT,   /* R = R0 exp(x_0 axis_0) exp(x_1 axis_1) ... */
  JN_CURVE_QUATERNION /* quaternion x_0..3, normalised */
} jn_rotation_curve;

/* The motion of one joint: plain coordinates and a rotation. Splines are given by their index. */
typedef struct jn_motion {
  int spline, first; /* plain coordinates: functions first, first + 1, ... (free joint: position) */
  jn_rotation_curve rotation;
  int rotation_spline, rotation_first, factors;
  jn_quat R0;
  double *axes; /* [factors x 3] */
} jn_motion;

#define BAND 1.959963984540054 /* half width of a 95 % band in standard deviations */

/* What is known of the error of a number of q: x(t) = sum_a c[j+a] b_a(u) on equal cells
 * (uniform.h), Cov c = sigma2 V. */
typedef enum jn_variance_kind {
  JN_VARIANCE_ZERO,    /* exact: not from samples */
  JN_VARIANCE_KNOWN,   /* cells = 0: constant samples */
  JN_VARIANCE_UNKNOWN, /* lambda or a tolerance was given, or the fit was loaded from a file */
} jn_variance_kind;
typedef struct jn_variance {
  jn_variance_kind kind;
  int degree, cells;
  int shared; /* V belongs to the number before */
  double start, h, sigma2, rounding;
  double *V; /* [(cells + degree) x (degree + 1)], then the factors of the variance [cells] */
} jn_variance;
static inline size_t jn_variance_doubles(int degree, int cells) {
  return (size_t)(cells + degree) * (size_t)(degree + 1) + (size_t)cells;
}

/* A change of one number of q: its Taylor coefficients. */
typedef struct jn_shift {
  int iq;
  const double *x;
} jn_shift;

/* A clock u(t): rows t, u, u', u'', u''', polynomials of degree 7 between them. It increases. */
typedef struct jn_clock {
  int count;
  double *row; /* [count x 5] */
} jn_clock;

struct jn_trajectory {
  jn_allocator hooks;
  int nq, nv, joints;
  jn_joint *joint; /* copies of the model's joints, without names */
  jn_motion *motion;
  int splines, room;
  jn_spline *spline;
  jn_variance *variance; /* [nq] */
  double start, end;     /* spline time */
  int clocks;            /* spline time = clock_0(clock_1(... (clock time))) */
  jn_clock *clock;
  double scale; /* t = start + scale (clock time - start); without clocks: of the spline time */
  /* While it is made from a file: what is left of the memory, in bytes, and of the operations that
   * a file of its size may ask for. Without limit (SIZE_MAX, HUGE_VAL) for arrays of the caller. */
  size_t memory;
  double operations;
};

/* Takes memory for `count` elements of `size` bytes, and operations, from what is left: JN_OK, or
 * JN_ERR_LIMIT and nothing is taken. jn_repay gives memory back. */
jn_status jn_afford(jn_trajectory *T, size_t count, size_t size, double operations);
void jn_repay(jn_trajectory *T, size_t bytes);

/* A time as the functions of a trajectory need it: the spline time, and its Taylor coefficients in
 * t if the trajectory has clocks, else NULL; work: order + 2 doubles. */
typedef struct jn_instant {
  double t;
  const double *clock;
  double *work;
} jn_instant;

/* A trajectory is built by jn_trajectory_begin, then a motion for every joint, then
 * jn_trajectory_finish, which finds start and end and checks that all numbers are finite. */
jn_status jn_trajectory_begin(const jn_model *model, const jn_allocator *allocator,
                              jn_trajectory **out, jn_error *error);
jn_status jn_trajectory_finish(jn_trajectory *T, jn_error *error);
/* Adds a spline of zeros of the sizes of `shape`; gives its index. */
jn_status jn_spline_new(jn_trajectory *T, jn_spline shape, int *index);

/* Waypoints of the joints from..to-1. Rows of q and v hold the coordinates of these joints only. */
typedef enum jn_waypoint_kind {
  JN_WAYPOINTS_HALF_COSINE,
  JN_WAYPOINTS_BSPLINE,
  JN_WAYPOINTS_MINIMUM
} jn_waypoint_kind;
typedef struct jn_waypoints {
  jn_waypoint_kind kind;
  int degree; /* B-spline: degree; minimum: the derivative that is minimised */
  int count;
  const double *times; /* B-spline: knots */
  const double *q, *v;
} jn_waypoints;
jn_status jn_add_waypoints(jn_trajectory *T, int from, int to, const jn_waypoints *w,
                           jn_error *error);

/* Coordinates as polynomials and Fourier sums, rotations by roll, pitch, yaw. c [(degree+1) x n],
 * a, b [terms x n]; n is the number of velocities of the joints from..to-1. */
typedef struct jn_formula {
  double start, end;
  int degree; /* -1: none */
  const double *c;
  int terms;
  double w; /* base frequency: term m has frequency m w */
  const double *a, *b;
} jn_formula;
jn_status jn_add_formula(jn_trajectory *T, int from, int to, const jn_formula *f, jn_error *error);

/* Smoothing spline of the samples q [count x nq] of the joints from..to-1 at times[count]. */
jn_status jn_add_fit(jn_trajectory *T, int from, int to, int count, const double *times,
                     const double *q, const jn_fit_options *options, const jn_fit_report *report,
                     jn_error *error);

/* Converts degrees and removes jumps by a turn in x [count x nq], the numbers of the joints
 * from..to-1; refuses what looks like degrees, and jumps of hinges with limits. */
jn_status jn_prepare_angles(const jn_trajectory *T, int from, int to, int count, const double *t,
                            size_t nq, double *x, const jn_fit_options *o,
                            const jn_fit_report *report, jn_error *error);

/* A report as an array of its members, all of them arrays of nq numbers. */
enum { JN_REPORT_MEMBERS = sizeof(jn_fit_report) / sizeof(double *) };
/* A report of its own for T: zeros [JN_REPORT_MEMBERS x nq], NULL: no memory. jn_report_give copies
 * it to the caller's (may be NULL) if all its numbers are finite, and frees it. */
double *jn_report_new(const jn_trajectory *T, jn_fit_report *own);
jn_status jn_report_give(const jn_trajectory *T, double *numbers, const jn_fit_report *report,
                         jn_error *error);
/* The report of the numbers from iq on. */
jn_fit_report jn_report_from(const jn_fit_report *report, int iq);

/* The same with everything chosen from the samples; q [count x nq], quaternions of one sign. */
jn_status jn_add_recording(jn_trajectory *T, int from, int to, int count, const double *times,
                           const double *q, size_t nq, const jn_fit_options *o,
                           const jn_fit_report *report, jn_error *error);

/* Joint `joint` stays at q. */
jn_status jn_add_constant(jn_trajectory *T, int joint, const double *q);

/* Adds a spline through (B-spline: with the control points) x [count x n] to T; see jn_waypoints.
 * d [count x (derivative-1) x n]: prescribed derivatives, NaN: free; fills `error` if it is
 * JN_ERR_SINGULAR. */
jn_status jn_spline_half_cosine(jn_trajectory *T, int count, const double *times, int n,
                                const double *x, int *index);
jn_status jn_spline_bspline(jn_trajectory *T, int degree, int count, const double *knots, int n,
                            const double *x, int *index);
/* Taylor coefficients 0..top of count <= width functions of a B-spline at t in piece i, in the unit
 * of time `scale`: x[(top+1) x width]; y[(degree+1) x width] */
void jn_bspline_jets(const jn_spline *s, double t, int i, double scale, int channel, int width,
                     int count, int top, double *y, double *x);
jn_status jn_spline_minimum(jn_trajectory *T, int k, int count, const double *times, int n,
                            const double *x, const double *d, int *index, jn_error *error);
/* Adds a smoothing spline of the samples x [count x n]; the report's arrays are [n]. JN_ERR_FIT: it
 * does not follow them, and `error` says why; else `error` is left alone. */
jn_status jn_spline_fit(jn_trajectory *T, int count, const double *times, int n, const double *x,
                        const jn_fit_options *options, const jn_fit_report *report, int *index,
                        jn_error *error);

/* The piece of a spline at t; before the first the first, after the last the last. */
int jn_spline_piece(const jn_spline *s, double t);
/* Taylor coefficients 0..order of function `channel` of spline `index` in the trajectory's time. */
void jn_function_jet(const jn_trajectory *T, const jn_instant *at, int index, int channel,
                     int order, double *x);

/* Clocks. start and end; adds one outside the others; d: Taylor coefficients 0..order of the spline
 * time at clock time t, work[2 (order+1)]; clock time at which the spline time is u; first clock
 * time after t at which a clock has a row. */
double jn_clock_start(const jn_clock *c);
double jn_clock_end(const jn_clock *c);
jn_status jn_clock_add(jn_trajectory *T, int count, const double *row, jn_error *error);
void jn_clock_jet(const jn_trajectory *T, double t, int order, double *work, double *d);
double jn_clock_inverse(const jn_trajectory *T, double u);
/* The polynomial between two rows p, q: u - u_p = sum_k a_k s^k, s = (t - t_p)/h. Returns h. */
double jn_clock_powers(const double *p, const double *q, double a[8]);
double jn_clock_next_break(const jn_trajectory *T, double t);
/* the largest u' at the rows of the clocks */
double jn_clock_fastest(const jn_trajectory *T);
void jn_jet_after(int order, const double *d, double *work, double *x);

/* Taylor coefficients 0..order of function `channel` at time t, divided by scale^k. `last`: end of
 * the trajectory; a spline that ends there has its left-hand derivatives there, any other is
 * constant from its end on. */
void jn_spline_jet(const jn_spline *s, double t, double last, double scale, int channel, int order,
                   double *x);

/* x[order+1] += shift, if it is one of number iq. */
void jn_add_shift(const jn_shift *shift, int iq, int order, double *x);
/* jn_trajectory_at with one number changed; shift may be NULL. */
jn_status jn_trajectory_shifted(const jn_trajectory *T, double t, int order,
                                jn_representation representation, const jn_shift *shift, double *q,
                                double *v);
/* tolerance 0: every sample is met to this part of the largest */
#define JN_INTERPOLATION 1e-8
/* The clock time of t, limited to the trajectory; 0: outside. */
int jn_trajectory_time(const jn_trajectory *T, double t, double *at);

/* A rotation at time t: its quaternion, and Taylor coefficients 0..order of the angular velocity in
 * body axes, w[(order+1) x 3]. work: jn_rotation_work(order) doubles. */
int jn_rotation_work(int order);
void jn_rotation_jet(const jn_trajectory *T, int joint, const jn_instant *at, int order,
                     const jn_shift *shift, double *work, jn_quat *R, double *w);
/* Angles x, y, z of the rotation exp(x e_x) exp(y e_y) exp(z e_z) at zero angles: their Taylor
 * coefficients 1..rows, angle[(rows+1) x 3], from those of the angular velocity in body axes,
 * w[rows x 3]. work as above. */
void jn_rotation_angles(int rows, const double *w, double *work, double *angle);

/* bernstein.c: polynomials sum_i b_i C(n,i) u^i (1-u)^(n-i) */
double jn_binomial(int n, int k);
void jn_bernstein_values(int n, double u, double *B); /* [n+1] */
/* Q[(n+1) x (n+1)]: integral of the squared m-th derivative = b^T Q b */
void jn_bernstein_energy(int n, int m, double *Q);
/* Bernstein coefficients of a B-spline of degree d on one span, knots[span] < knots[span+1]: b =
 * A x, A[(d+1) x (d+1)], x the control values span-d..span */
void jn_bspline_span(int degree, const double *knots, int span, double *A);

/* band.c: symmetric band matrices, A[n x (w+1)]: row i holds A(i, i-w..i). The factor L of
 * A = L S L^T in place, S = diag(sign), +1 or -1, NULL: all +1 (Cholesky); returns 0 if a pivot has
 * the other sign. */
int jn_band_factor(int n, int w, double *A, const double *sign);
void jn_band_solve(int n, int w, const double *L, const double *sign, double *x);

#endif
