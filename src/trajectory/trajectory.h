/* trajectory.h: what a trajectory is made of. */
#ifndef JOUNCE_SRC_TRAJECTORY_H
#define JOUNCE_SRC_TRAJECTORY_H

#include <jounce/trajectory.h>

#include "base/block.h"
#include "base/fail.h"

/* n functions of time on common pieces. In piece i, with h = breaks[i+1] - breaks[i], u = (t -
 * breaks[i])/h and s = t - origin[i]:
 *
 *   x = sum_k c_k u^k + sum_m a_m cos(w_m s) + b_m sin(w_m s)
 *
 * Before the first and after the last piece x is held. One block holds all. */
typedef struct jn_spline {
  int pieces, degree, n, terms;
  double *breaks; /* [pieces+1], rising */
  double *c;      /* [pieces x (degree+1) x n] */
  double *origin; /* [pieces] if terms > 0 */
  double *w;      /* [pieces x terms] */
  double *a, *b;  /* [pieces x terms x n] */
} jn_spline;

typedef enum jn_turning {
  JN_TURN_NONE,
  JN_TURN_PRODUCT,   /* R = R0 exp(x_0 axis_0) exp(x_1 axis_1) ... */
  JN_TURN_QUATERNION /* x_0..3 divided by their length */
} jn_turning;

/* How one joint moves: plain numbers, and a rotation. Numbers of splines are indices. */
typedef struct jn_motion {
  int spline, first; /* plain numbers: the functions first, first + 1, ... (position if free) */
  jn_turning turning;
  int turn_spline, turn_first, factors;
  jn_quat R0;
  double *axes; /* [factors x 3] */
} jn_motion;

struct jn_trajectory {
  jn_allocator hooks;
  int nq, nv, joints;
  jn_joint *joint; /* copies: type and place; the names are the model's and not used */
  jn_motion *motion;
  int splines, room;
  jn_spline *spline;
  double start, end; /* in the time of the splines */
  double scale;      /* t = start + scale (time of the splines - start) */
};

/* Building: begin; splines and motions; end (which finds start and end and checks all numbers). */
jn_status jn_trajectory_begin(const jn_model *model, const jn_allocator *allocator,
                              jn_trajectory **out, jn_error *error);
jn_status jn_trajectory_finish(jn_trajectory *T, jn_error *error);
/* Index of a new spline of zeros in *index. */
jn_status jn_spline_new(jn_trajectory *T, int pieces, int degree, int n, int terms, int *index);

/* Waypoints of the joints from..to-1, packed: rows of their numbers in q (or v) alone. */
typedef enum jn_way { JN_WAY_HALF_COSINE, JN_WAY_BSPLINE, JN_WAY_MINIMUM } jn_way;
typedef struct jn_waypoints {
  jn_way way;
  int degree; /* of a B-spline; the derivative of a minimum */
  int count;
  const double *times; /* a B-spline's knots */
  const double *q, *v;
} jn_waypoints;
jn_status jn_lead(jn_trajectory *T, int from, int to, const jn_waypoints *way, jn_error *error);

/* Numbers in v given directly, rotations by roll, pitch, yaw: c [(degree+1) x n], a, b [terms x n],
 * n numbers in v of the joints from..to-1. */
typedef struct jn_formula {
  double start, end;
  int degree; /* -1: none */
  const double *c;
  int terms;
  double w; /* of the first term; the others are its multiples; the term 0 is constant */
  const double *a, *b;
} jn_formula;
jn_status jn_follow(jn_trajectory *T, int from, int to, const jn_formula *f, jn_error *error);

jn_status jn_smooth(jn_trajectory *T, int from, int to, int count, const double *times,
                    const double *q, const jn_fit_options *options, const jn_fit_report *report,
                    jn_error *error);

/* Joint `joint` stays at q all the time. */
jn_status jn_hold(jn_trajectory *T, int joint, const double *q);

/* Columns of numbers along time: x [count x n] -> a spline of T; see jn_waypoints. d [count x
 * (derivative-1) x n], NaN: free. */
jn_status jn_spline_half_cosine(jn_trajectory *T, int count, const double *times, int n,
                                const double *x, int *index);
jn_status jn_spline_bspline(jn_trajectory *T, int degree, int count, const double *knots, int n,
                            const double *x, int *index);
jn_status jn_spline_minimum(jn_trajectory *T, int k, int count, const double *times, int n,
                            const double *x, const double *d, int *index);
/* A smoothing spline; rms, max, lambda [n]. `q` rows are `stride` apart. */
jn_status jn_spline_fit(jn_trajectory *T, int count, const double *times, int n, const double *x,
                        const jn_fit_options *options, const jn_fit_report *report, int *index);

/* Taylor coefficients 0..order of function `channel` at time t; `last`: the end of the trajectory,
 * where a spline that ends there is not yet held. Division by scale^k included. */
void jn_spline_jet(const jn_spline *s, double t, double last, double scale, int channel, int order,
                   double *x);

/* Of a rotation at time t: the quaternion, and Taylor coefficients 0..order of the body's angular
 * velocity, w[(order+1) x 3]. work: jn_turning_room(order) doubles. */
int jn_turning_room(int order);
void jn_turning_jet(const jn_trajectory *T, const jn_motion *m, double t, int order, double *work,
                    jn_quat *R, double *w);
/* Angles of exp(x e_x) exp(y e_y) exp(z e_z), Taylor coefficients 1..rows in angle[rows+1 x 3],
 * from the body's angular velocity w[rows x 3] at angle zero (also Taylor). work as above. */
void jn_turning_angles(int rows, const double *w, double *work, double *angle);

/* bernstein.c: polynomials sum_i b_i C(n,i) u^i (1-u)^(n-i) */
double jn_binomial(int n, int k);
/* b[n+1] -> powers of u, `stride` apart */
void jn_bernstein_powers(int n, const double *b, double *c, int stride);
void jn_bernstein_values(int n, double u, double *B); /* [n+1] */
/* Q[(n+1) x (n+1)]: integral of the m-th derivative squared = b^T Q b */
void jn_bernstein_energy(int n, int m, double *Q);
/* of the B-splines of one span, knots[span] < knots[span+1]: A[(d+1) x (d+1)], b = A x with x the
 * control numbers span-d..span */
void jn_bspline_span(int degree, const double *knots, int span, double *A);

/* band.c: symmetric positive definite, A[n x (w+1)]: row i holds A(i, i-w..i). Factor in place; 0
 * when it is not positive definite. */
int jn_band_factor(int n, int w, double *A);
void jn_band_solve(int n, int w, const double *L, double *x);
/* trace(A^-1 B) of a factored A and a B of the same band; work [(w+1) x (w+1) + n (w+1)] */
double jn_band_trace(int n, int w, const double *L, const double *B, double *work);

#endif
