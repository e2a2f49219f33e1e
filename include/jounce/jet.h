/* jet.h: Taylor arithmetic.
 *
 * A jet of order r is the list of Taylor coefficients x_k = x^(k)/k!, k = 0..r. Then
 *   (x y)_k = sum_i x_i y_(k-i),   (x')_k = (k+1) x_(k+1)
 * The order has no limit. Arrays are order-major: [(r+1) x n].
 *
 * These are pure functions without a status: NaN and infinities in a number give NaN or infinities
 * in what depends on it, and a product may leave the range of a double (k! does from k = 171 on). A
 * caller who takes numbers from outside checks them; every function of the library with a status
 * does. */
#ifndef JOUNCE_JET_H
#define JOUNCE_JET_H

#include <jounce/base.h>
#include <jounce/data.h>
#include <jounce/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In place: derivatives -> Taylor coefficients (row k divided by k!), and back. x[(r+1) x n]. */
JN_API void jn_jet_to_taylor(int order, int n, double *x);
JN_API void jn_jet_to_derivatives(int order, int n, double *x);
/* One number: x^(k) = k! x_k. */
JN_API double jn_jet_derivative(int k, double x);

/* Scalars. Outputs may not alias inputs. */
JN_API void jn_jet_mul(int order, const double *x, const double *y, double *out);
JN_API void jn_jet_div(int order, const double *x, const double *y, double *out); /* y_0 != 0 */
JN_API void jn_jet_sqrt(int order, const double *x, double *out);                 /* x_0 > 0 */
JN_API void jn_jet_exp(int order, const double *x, double *out);
/* s = sin x, c = cos x:  k s_k = sum_i i x_i c_(k-i),  k c_k = -sum_i i x_i s_(k-i) */
JN_API void jn_jet_sincos(int order, const double *x, double *s, double *c);
/* out[n] = x(t_0 + h) from the jets of n functions at t_0. */
JN_API void jn_jet_eval(int order, int n, const double *x, double h, double *out);

/* Three-vectors [(r+1) x 3], rotations [(r+1) x 9] row-major. Outputs may not alias inputs. */
JN_API void jn_jet_cross(int order, const double *x, const double *y, double *out);
JN_API void jn_jet_rotate(int order, const double *R, const double *x, double *out);   /* R x */
JN_API void jn_jet_unrotate(int order, const double *R, const double *x, double *out); /* R^T x */
JN_API void jn_jet_compose(int order, const double *A, const double *B, double *out); /* A B, 3x3 */

/* Twists and wrenches [(r+1) x 6]: brackets ad_V U and ad_V^T W. */
JN_API void jn_jet_ad(int order, const double *V, const double *U, double *out);
JN_API void jn_jet_ad_t(int order, const double *V, const double *W, double *out);

/* The jet of a pose from the jet of its twist, and back (C' = V C spatial, C' = C V body):
 *   V [(r+1) x 6]                  in the given representation; C0: the present pose
 *   R [(r+2) x 9], p [(r+2) x 3]   one order more than the twist */
JN_API void jn_jet_pose_from_twist(int order, jn_representation representation, jn_pose C0,
                                   const double *V, double *R, double *p);
JN_API void jn_jet_twist_from_pose(int order, jn_representation representation, const double *R,
                                   const double *p, double *V);

/* Change of representation of the jet of a twist at pose C0, and of the jet of a wrench at a moving
 * pose. The first also writes the jet of the pose, R[(r+2) x 9], p[(r+2) x 3]; the second reads it.
 * out[(r+1) x 6] may not alias the input. */
JN_API void jn_jet_convert_twist(int order, jn_representation from, jn_representation to,
                                 jn_pose C0, const double *V, double *R, double *p, double *out);
JN_API void jn_jet_convert_wrench(int order, jn_representation from, jn_representation to,
                                  const double *R, const double *p, const double *W, double *out);

#ifdef __cplusplus
}
#endif
#endif
