/* rotors.h: the propellers of a model: the wrench of their thrusts on the base, and thrusts and
 * speeds from a wrench, with time derivatives of any order (ali2026 (28)).
 *
 * A model has n rotors, all fixed to the base (jn_rotor_desc, key `rotors` of a native model).
 * Rotor i has the pose (R_i, p_i) in the base's link frame B and the thrust f_i = c_f omega_i^2
 * along t_i = R_i z. In B, torque first:
 *   W = A f,   column i of A[6 x n] = (p_i x t_i - spin_i (c_d / c_f)_i t_i,  t_i)
 * W is the base wrench in body representation (JN_BODY): the first six rows of tau of a floating
 * model with that representation; jn_jet_convert_wrench converts the others.
 *   f = P W,   P[n x 6] = A^+: least |f| where n > rank, least |W - A f| where rank < 6
 * A and P are computed when the model is built; P by one-sided Jacobi rotations, singular values
 * below 1e-10 of the largest count as zero.
 *
 * Functions return JN_ERR_ARGUMENT if an argument is missing, the order negative or the model has no
 * rotors; JN_ERR_LIMIT above JN_MAX_ORDER; JN_ERR_NOT_FINITE if an input or a result is not finite.
 * A failed call leaves its outputs as they were. */
#ifndef JOUNCE_ROTORS_H
#define JOUNCE_ROTORS_H

#include <jounce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocation matrix A[6 x n] and its pseudo-inverse P[n x 6], row-major, and the rank of A. Each
 * may be NULL. */
JN_API jn_status jn_rotor_allocation(const jn_model *model, double *A, double *P, int *rank);

/* W = A f: W[(r+1) x 6] from f[(r+1) x n]. O(r n). W may not be f. */
JN_API jn_status jn_rotor_wrench(const jn_model *model, int order, const double *thrust,
                                 double *wrench);

/* f = P W: f[(r+1) x n] from W[(r+1) x 6], and rest[(r+1) x 6] = W - A f, what the rotors cannot
 * produce: rounding errors if the rank is 6. rest may be NULL only then; with a lower rank that is
 * JN_ERR_ACTUATION. f may be negative: see jn_rotor_loads. O(r n). Outputs may not be W. */
JN_API jn_status jn_rotor_thrusts(const jn_model *model, int order, const double *wrench,
                                  double *thrust, double *rest);

/* omega = sqrt(f / c_f), omega >= 0: omega[(r+1) x n] from f[(r+1) x n]. omega may be f. O(r^2 n).
 *   JN_ERR_INFEASIBLE  a thrust is negative (rounding errors of the largest thrust count as zero)
 *   JN_ERR_SINGULAR    r > 0 and a thrust is zero, where the root has no derivative */
JN_API jn_status jn_rotor_speeds(const jn_model *model, int order, const double *thrust,
                                 double *omega);
/* f = c_f omega^2: the inverse. f may not be omega. */
JN_API jn_status jn_rotor_thrusts_at(const jn_model *model, int order, const double *omega,
                                     double *thrust);

/* Limits that a rotor breaks. */
enum { JN_ROTOR_TOO_SLOW = 1, JN_ROTOR_TOO_STRONG = 2, JN_ROTOR_TOO_FAST_A_CHANGE = 4 };
typedef struct jn_rotor_load {
  int saturated; /* sum of the above: f < lower, f > upper, |f'| > thrust_rate; 0: none */
  double thrust; /* f / upper; 0 if there is no upper limit */
  double rate;   /* |f'| / thrust_rate; 0 if there is no limit, or at order 0 */
} jn_rotor_load;

/* load[n] from f, f' (order >= 1) or f alone (order 0); higher orders are not read. A limit broken
 * by less than 1e-12 of it is kept. */
JN_API jn_status jn_rotor_loads(const jn_model *model, int order, const double *thrust,
                                jn_rotor_load *load);

/* A ring of equal tilted propellers, ali2026 (28): propeller i = 1..count has the pose
 *   Rz((2 - i) 2 pi / count) Tx(radius) Rx(alpha) Ry(beta)
 * in the frame of its link. */
typedef struct jn_rotor_ring {
  int count;          /* 1..JN_MAX_ROTORS */
  double radius;      /* a, m */
  double alpha, beta; /* tilt about the arm, then about the tilted y axis, rad */
  double c_f, c_d;
  int alternate;      /* 1: odd propellers spin the other way (all others: spin -1, as printed) */
  int alternate_tilt; /* 1: neighbours tilt in opposite directions, alpha (-1)^i */
} jn_rotor_ring;

/* (28) as printed: six propellers, the same alpha, beta, c_d for all. Forces and torques then
 * depend on omega^2 only through its mean and its first harmonic around the ring: A has rank 3. The
 * paper prints no numbers; these fit a 4 kg vehicle. */
JN_API jn_rotor_ring jn_rotor_ring_printed(void);
/* The same with neighbours of opposite spin and tilt: rank 6, fully actuated. */
JN_API jn_rotor_ring jn_rotor_ring_actuated(void);
/* Adds rotors "p1", "p2", ... to a link of a description; `limits` may be NULL. JN_ERR_LIMIT: more
 * than JN_MAX_ROTORS in all; then none is added. */
JN_API jn_status jn_spec_add_rotor_ring(jn_spec *spec, const char *link, const jn_rotor_ring *ring,
                                        const jn_rotor_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
