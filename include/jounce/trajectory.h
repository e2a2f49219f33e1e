/* trajectory.h: motions as functions of time, with all derivatives.
 *
 * A jn_trajectory gives the state of a model, q and v, v', ..., at a time t. It is immutable, and
 * any number of threads may share it. Derivatives are exact to rounding at every order; no finite
 * differences are used.
 *
 * Every source below moves all joints at once, by arrays in the layout of q. Plain numbers (angles,
 * displacements, the position p of a free joint) follow the source itself. A rotation (spherical,
 * free) follows it on the group: with rotations R_i in place of the numbers x_i,
 *
 *   x(t) = x_0 + sum_i b_i(t) (x_i - x_(i-1))
 * becomes
 *   R(t) = R_0 prod_i exp(b_i(t) log(R_(i-1)^T R_i))
 *
 * with the same functions b_i. R is as smooth as x, meets the waypoints where x does, and does not
 * depend on the choice of axes. At most JN_MAX_ROTATIONS rotations. */
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
/* Number of even samples of the part from..to, without breaks inside, that show its extrema: `least` or more,
 * 16 for the shortest period of its harmonics, 8 times the degree of polynomials above 8. JN_MAX_SAMPLES + 1:
 * more than JN_MAX_SAMPLES. */
JN_API int jn_trajectory_places(const jn_trajectory *trajectory, double from, double to,
                                double least);

/* q[nq] and v[(order+2) x nv] = v, v', ..., v^(order+1) at t, as jn_inverse_dynamics of that order
 * reads them; order >= -1. Each output may be NULL. Twists of free joints are in `representation`.
 * Where a derivative jumps: its limit from the right, at the end from the left. No allocation;
 * stack use is 30 kB up to order 30, 500 kB above. O(nv (degree order + order^2)), twice that for
 * more than 1024 numbers.
 *   JN_ERR_ARGUMENT     t is not between start and end, within 4 units of rounding (2^-52) of the
 *                       larger of them: such a t is taken for the start or the end
 *   JN_ERR_NOT_FINITE   a derivative exceeds the range of double; the outputs are as they were */
JN_API jn_status jn_trajectory_at(const jn_trajectory *trajectory, double t, int order,
                                  jn_representation representation, double *q, double *v);

/* The same motion slowed down by `factor` > 0, from the same start time: v^(k) becomes
 * v^(k)/factor^(k+1). */
JN_API jn_status jn_trajectory_scaled(const jn_trajectory *trajectory, double factor,
                                      const jn_allocator *allocator, jn_trajectory **out);

/* The same path with another timing, a clock: q at time t is the trajectory's q at its time u(t).
 * clock[count x 5] has rows t, u, u', u'', u''' with increasing t and u, count >= 2; u is a polynomial
 * of degree 7 between rows and has three continuous derivatives. The motion runs from the first to
 * the last t. All derivatives of the motion follow from the chain rule, exactly. Clocks can be
 * composed. `allocator` and `error` may be NULL.
 *   JN_ERR_ARGUMENT     u decreases between two rows, or leaves the trajectory's time
 *   JN_ERR_NOT_FINITE   a number is not finite */
JN_API jn_status jn_trajectory_clocked(const jn_trajectory *trajectory, int count,
                                       const double *clock, const jn_allocator *allocator,
                                       jn_trajectory **out, jn_error *error);

/* The time of the path, u, u', ..., u^(order) at t: through all clocks and scalings. A trajectory
 * without them has u = t. Errors of jn_trajectory_at; order 0..JN_MAX_ORDER. */
JN_API jn_status jn_trajectory_clock(const jn_trajectory *trajectory, double t, int order,
                                     double *u);

/* Sources. The model is only read during the call. `allocator` and `error` may be NULL. On failure
 * nothing is created, and `error` says why. */

/* x(t) = sum_k c_k (t - start)^k, c[(degree+1) x nv]. A rotation has the three numbers roll, pitch,
 * yaw, R = Rz(yaw) Ry(pitch) Rx(roll); a free joint has (roll, pitch, yaw, p). */
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
 * waypoint, where the acceleration jumps. times[count] increase, q[count x nq]. */
JN_API jn_status jn_trajectory_half_cosine(const jn_model *model, int count, const double *times,
                                           const double *q, const jn_allocator *allocator,
                                           jn_trajectory **out, jn_error *error);

/* B-spline with control configurations q[count x nq], count > degree. knots[count+degree+1] are
 * non-decreasing; the motion runs from knots[degree] to knots[count]. degree-1 derivatives are
 * continuous at simple knots. */
JN_API jn_status jn_trajectory_bspline(const jn_model *model, int degree, int count,
                                       const double *knots, const double *q,
                                       const jn_allocator *allocator, jn_trajectory **out,
                                       jn_error *error);
/* Clamped uniform knots: both ends degree+1 times, equal steps between. knots[count+degree+1]. */
JN_API jn_status jn_bspline_knots(double start, double end, int degree, int count, double *knots);

/* Times for a geometric path, whose waypoints q[count x nq] have none: times[count] from 0 to count - 1,
 * each step in proportion to |q_i - q_(i-1)|^(1/2) (jn_difference; the centripetal rule). The motion through
 * them has a shape; its speed means nothing before jn_retime. `allocator` may be NULL. times may not be q.
 *   JN_ERR_ARGUMENT   count < 2, an argument is NULL, or two waypoints in a row are the same
 *   others            of jn_difference; a failed call writes nothing */
JN_API jn_status jn_path_times(const jn_model *model, int count, const double *q,
                               const jn_allocator *allocator, double *times);

/* The motion through q[count x nq] at times[count] with the least integral of |x^(derivative)|^2,
 * derivative = 1 (straight lines), 2, 3 (minimum jerk), 4 (minimum snap), ..., 16: polynomials of
 * degree 2 derivative - 1, with 2 derivative - 2 continuous derivatives.
 * v[count x (derivative-1) x nv] prescribes v, v', ... at the waypoints, free joints in JN_MIXED;
 * NaN leaves an entry free. NULL: at rest at both ends, free in between. The derivatives of a
 * rotation are prescribed or free together, and are free in between.
 * Where derivative j is prescribed, derivative 2 derivative - 1 - j may jump.
 * The call is refused (JN_ERR_SINGULAR) if by an estimate of the rounding errors a waypoint would be
 * missed by more than about 1e-4 of the largest of the numbers given (waypoints, and derivatives of
 * order j times h^j/j!, h the shorter piece beside), or a continuous derivative jump by more than 1e-5
 * of its largest value in the piece before (worst found in 18000 motions with lengths of ratio up to
 * 1e15: 9e-5 and 8e-6). Pieces are stored in powers of time, which cannot hold more digits at high
 * degrees or very uneven times. Between evenly spaced waypoints the error of derivatives
 * 0 ... 2 derivative - 2 is about 1e-15 of their size for derivative 4, 1e-12 for 10, 2e-10 for 16.
 * Refused among these: 2 waypoints above derivative 10, and 3 above 14.
 * JN_ERR_SINGULAR too if fewer than `derivative` numbers are given.
 * Cost: about 4 us per waypoint and number for derivative 3, 13 us for 5. */
JN_API jn_status jn_trajectory_minimum(const jn_model *model, int derivative, int count,
                                       const double *times, const double *q, const double *v,
                                       const jn_allocator *allocator, jn_trajectory **out,
                                       jn_error *error);

/* Recorded samples y_i at t_i as a function of time.
 *
 * Automatic, with neither lambda nor tolerance: a B-spline on equal cells with penalties on p-th
 * differences of its control values. Cells, p and penalties, which may change along the motion, are
 * those of largest restricted likelihood (docs/recordings.md). Quantised samples are recognised and
 * weighted, outliers left out. Every number has a variance; jn_trajectory_band has the bands. The
 * fit is refused with JN_ERR_FIT if its residuals do not look like noise (they are correlated, or
 * their variance changes), if the samples are too few for it, and below 40 samples. With `ends` it is
 * refused if (x', x'') of a fit with free ends is further from zero there than three times its
 * band. A number that is the same in all samples is constant.
 *
 * With lambda, or a tolerance: the minimum of
 *
 *   sum_i |y_i - x(t_i)|^2 + lambda integral |x^(m)|^2 dt,   m = (degree + 1)/2
 *
 * for each number separately; with a tolerance, lambda is such that the rms residual equals it (0:
 * through every sample, to 1e-8 of the values). JN_ERR_FIT: a tolerance not met; residuals of a given
 * lambda that hardly change from sample to sample; swings beyond 10 ranges of the samples. No bands.
 * `ends` are refused (JN_ERR_ARGUMENT).
 *
 * Jumps by a turn between neighbouring samples of a hinge are removed if it has no limits, or with
 * the option `unwrap`; of a hinge with limits they are refused. Angles that look like degrees (far
 * beyond the position or velocity limits as radians, within them as degrees; jumps by 360) are
 * refused without the option `degrees`. With a given lambda or tolerance, jumps that are no turns are
 * refused among turns. All with JN_ERR_FIT.
 *
 * A rotation is fitted by the four numbers of its quaternion, then normalised. Derivatives above
 * `degree` are zero, and the one of order `degree` is constant in every piece: forces of an order
 * need degree >= order + 2, and are continuous if degree >= order + 3. */
typedef enum jn_fit_ends { JN_FIT_ENDS_FREE, JN_REST_AT_START = 1, JN_REST_AT_END = 2 } jn_fit_ends;
typedef struct jn_fit_options {
  int degree;       /* 1..JN_MAX_SPLINE; default 7: smooth jerks */
  double lambda;    /* >= 0; negative: not given (default) */
  double tolerance; /* >= 0; negative: not given (default) */
  int pieces;       /* polynomials; 0: as many as the samples need */
  int hold;  /* files: joints without columns stay at home; default 0: such a file is refused */
  int force; /* accept what would be refused with JN_ERR_FIT; default 0 */
  int ends;  /* automatic: at rest (x', x'', x''' zero), JN_REST_AT_START | JN_REST_AT_END */
  int keep_outliers; /* automatic: use all samples; default 0. With lambda or a tolerance all
                      * samples are used, whatever it says */
  int unwrap; /* jumps by a turn are removed also of hinges with limits; default 0: only of others */
  int degrees; /* angles are in degrees; default 0: radians */
  double
      time_unit; /* files: seconds in a unit of the times; 0 (default): by the name of the column,
                     * or from the stamps */
} jn_fit_options;
JN_API jn_fit_options jn_fit_options_default(void);

/* Result of a fit for each number of q: arrays of nq, each may be NULL. */
typedef struct jn_fit_report {
  double *rms, *max; /* residuals, outliers aside */
  double *lambda;    /* automatic: the least penalty, on squared differences of control values */
  double *degree;    /* of the polynomials; 0: not fitted, or constant */
  /* automatic fits; 0 otherwise */
  double *noise;       /* standard deviation of a sample */
  double *correlation; /* first autocorrelation of the residuals */
  double *cutoff;      /* Hz: faster motion is taken for noise */
  double *step;        /* step of a quantised sensor; 0: none found */
  double *outliers;    /* samples left out */
  double *reliable;    /* the highest derivative that exceeds its band (rms over the motion) */
  double *turns;       /* all fits: jumps by a turn that were removed from the angle of a hinge */
} jn_fit_report;

/* times[count] increase, q[count x nq]; the signs of quaternions do not matter. `options` and
 * `report` may be NULL. O(count degree^2) per trial of cells or lambda. */
JN_API jn_status jn_trajectory_fit(const jn_model *model, int count, const double *times,
                                   const double *q, const jn_fit_options *options,
                                   const jn_fit_report *report, const jn_allocator *allocator,
                                   jn_trajectory **out, jn_error *error);

/* Half widths of the 95 % bands of q[nq] and v[(order+2) x nv] at t: the true motion is within them
 * 95 % of the time, if the noise is as the fit found it. Zero for motions that are not fitted.
 * Either output may be NULL. Arguments and failures as jn_trajectory_at, and
 *   JN_ERR_STATE   fitted with lambda or a tolerance, or a saved fit: the noise is not known
 *   JN_ERR_ORDER   v is asked for, and the degree of a fit is below order + 2: the spline does not
 *                  have that derivative. Fit with a degree of order + 2 or more
 *   JN_ERR_MEMORY  working memory is allocated */
JN_API jn_status jn_trajectory_band(const jn_trajectory *trajectory, double t, int order,
                                    jn_representation representation, double *q, double *v);
/* The same of the forces tau[(order+1) x nv] of jn_inverse_dynamics along the trajectory; twists
 * and wrenches as `data` is set. To first order: tau at one standard deviation to either side in every
 * independent direction of the motion, 2 nq (order + 3) inverse dynamics. JN_ERR_ORDER also if `data`
 * was made for a lower order. */
JN_API jn_status jn_trajectory_force_band(const jn_model *model, jn_data *data,
                                          const jn_trajectory *trajectory, double t, int order,
                                          double *tau);

/* Files. These functions need the loaders. */

/* Format by file name extension:
 *   .json               a description (docs/trajectories.md)
 *   .csv, .npy, .npz    samples (table.h), which are fitted
 * Samples have a column of times and one column for each number of q, named by
 * jn_coordinate_name; other columns are ignored. Without names: t, then q in order. An npz may also
 * hold 't' and an array 'q'. Times are in a column 't', 'time', 'timestamp', 'stamp' or
 * 'header.stamp', in seconds, or in the unit after the name ('time_ms', 'time [us]', 't_ns'), or
 * in `time_unit`; stamps since 1970 and whole numbers are recognised as s, ms, us or ns by their
 * size and steps. Times far from zero are counted from the first. `options` and `report` are those of
 * jn_trajectory_fit; options in a description take precedence. */
JN_API jn_status jn_trajectory_load(const char *path, const jn_model *model,
                                    const jn_fit_options *options, const jn_fit_report *report,
                                    const jn_allocator *allocator, jn_trajectory **out,
                                    jn_error *error);
/* A description from memory. `name` stands for the file in messages; a table of samples
 * that it names is a regular file in its folder or below. A file may need memory and time in
 * proportion to its bytes (limits.h): JN_ERR_LIMIT. */
JN_API jn_status jn_trajectory_parse(const char *text, size_t size, const char *name,
                                     const jn_model *model, const jn_fit_options *options,
                                     const jn_fit_report *report, const jn_allocator *allocator,
                                     jn_trajectory **out, jn_error *error);
/* Writes a description that loads as the same trajectory, bit for bit. `model` is the one it was
 * made for. */
JN_API jn_status jn_trajectory_save(const jn_trajectory *trajectory, const jn_model *model,
                                    const char *path, jn_error *error);
/* The same as a text that ends with a zero byte; release it with jn_text_free (io.h) and the same
 * allocator. After a failure *out is as it was. */
JN_API jn_status jn_trajectory_to_json(const jn_trajectory *trajectory, const jn_model *model,
                                       const jn_allocator *allocator, char **out, jn_error *error);

/* Column name of number iq of q: "elbow", or for a joint with several numbers "base:qw" ...
 * "base:qz", "base:x", "slide:d". text[JN_MAX_NAME + 16]. */
JN_API jn_status jn_coordinate_name(const jn_model *model, int iq, char *text);

#ifdef __cplusplus
}
#endif
#endif
