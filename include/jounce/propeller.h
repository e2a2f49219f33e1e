/* propeller.h: the wrench of tilted propellers on a base, with time derivatives of any order, and
 * its inverse (ali2026, (28)).
 *
 * Propeller i = 1..n has the pose C_i in the base frame B (n = 6: steps of pi/3) and, in its own
 * frame, the wrench (0, 0, c_d, 0, 0, c_f) u_i with u_i = omega_i^2:
 *   C_i = Rz((2 - i) 2 pi / n) Tx(a) Rx(alpha) Ry(beta)
 * In B, torque first:
 *   W       = sum_i Ad_{C_i^-1}^T (0, 0, c_d, 0, 0, c_f) u_i
 *   force_i = c_f t_i u_i,   torque_i = p_i x force_i + c_d t_i u_i,   t_i = R_i z
 * W is the base wrench in body representation (JN_BODY) when B is the base's link frame. */
#ifndef JOUNCE_PROPELLER_H
#define JOUNCE_PROPELLER_H

#include <jounce/base.h>
#include <jounce/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JN_MAX_ROTORS 32 /* propellers of one base */

typedef struct jn_hexarotor {
  int count;          /* propellers, 1..JN_MAX_ROTORS */
  double radius;      /* a: from the centre of B, m */
  double alpha, beta; /* tilt about the arm, then about the tilted y axis, rad */
  double thrust;      /* c_f, N s^2 */
  double drag;        /* c_d, N m s^2 */
  int alternate;      /* 1: odd propellers spin the other way, c_d (-1)^i */
  int alternate_tilt; /* 1: neighbours tilt in opposite directions, alpha (-1)^i */
} jn_hexarotor;

/* Equation (28) as printed: the same alpha, beta, c_d for all six. Forces and torques then depend
 * on u only through its mean and its first harmonic around the ring: G below has rank 3. The paper
 * prints no numbers; these fit a 4 kg vehicle. */
JN_API jn_hexarotor jn_hexarotor_default(void);
/* The same with neighbours of opposite spin and tilt: rank 6, fully actuated. */
JN_API jn_hexarotor jn_hexarotor_actuated(void);

/* Pose of propeller `index` = 0..count-1 (i = index + 1) in B. */
JN_API jn_status jn_propeller_pose(const jn_hexarotor *rotor, int index, jn_pose *out);

/* Allocation matrix G[6 x count], row-major: W = G u. */
JN_API jn_status jn_propeller_matrix(const jn_hexarotor *rotor, double *G);

/* W, W', ..., W^(r) [(r+1) x 6] from omega, omega', ..., omega^(r) [(r+1) x count]; O(r^2). Arrays
 * may not alias. JN_ERR_NOT_FINITE when an input or output is not finite. */
JN_API jn_status jn_propeller_wrench(const jn_hexarotor *rotor, int order, const double *omega,
                                     double *wrench);

/* The inverse for count = 6: omega, ..., omega^(r) [(r+1) x 6], all omega >= 0, from W, ..., W^(r).
 *   JN_ERR_SINGULAR   G is singular, or r > 0 and a propeller is at rest (sqrt is not smooth at 0)
 *   JN_ERR_ARGUMENT   count is not 6, or the wrench needs a negative thrust
 * omega may be wrench. O(r^2). */
JN_API jn_status jn_propeller_speeds(const jn_hexarotor *rotor, int order, const double *wrench,
                                     double *omega);

#ifdef __cplusplus
}
#endif
#endif
