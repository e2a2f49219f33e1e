/* linearise.h: the dynamics linearised on SE(3) x R^n without charts (bos2022).
 *
 * A state near (q, v) is (q exp(xi), v + dv). xi[nv] is left-trivialised as in derivatives.h, v is
 * in the representation of the settings; z = (xi, dv) has 2 nv numbers at every attitude. Then
 *   z' = A z + B du,   A = [ K  L ; d v'/d q  d v'/d v ],   B = [ 0 ; M^-1 map ]
 * K = 0, L = 1 for joints whose coordinates are plain numbers. For a spherical joint K = -[w],
 * L = 1. For a free joint with body twist V = (w, u) and pose C = (R, p):
 *   body     K = -ad_V             L = 1             (proposition 1)
 *   spatial  K = 0                 L = Ad_C^-1
 *   hybrid   K = diag(0, -[w])     L = diag(R^T, R^T)
 *   mixed    K = diag(-[w], -[w])  L = diag(1, R^T)
 * Matrices are row-major. Applied wrenches vary as in derivatives.h. external->tau and tau are
 * constant in their representation: forces fixed to the base belong in JN_BODY. */
#ifndef JOUNCE_LINEARISE_H
#define JOUNCE_LINEARISE_H

#include <jounce/constraints.h>
#include <jounce/derivatives.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Variation of spherical and free joints: C exp(xi), or exp(xi) C with xi in the axes and about the
 * origin of the joint's parent side (the world for the base). */
typedef enum jn_trivialisation { JN_LEFT, JN_RIGHT } jn_trivialisation;

/* Input u:
 *   JN_INPUT_FULL    all of tau
 *   JN_INPUT_JOINTS  tau without the six rows of a free base (all of tau without one)
 *   JN_INPUT_MAP     u with tau = map u, map[nv x map_columns] constant */
typedef enum jn_input { JN_INPUT_FULL, JN_INPUT_JOINTS, JN_INPUT_MAP } jn_input;

typedef struct jn_linearise_options {
  jn_trivialisation trivialisation;
  jn_input input;
  const double *map;
  int map_columns;
} jn_linearise_options;

/* JN_LEFT, JN_INPUT_FULL. */
JN_API jn_linearise_options jn_linearise_options_default(void);
/* m, the number of columns of B; -1: invalid options. NULL options: the default, here and below. */
JN_API int jn_linearise_inputs(const jn_model *model, const jn_linearise_options *options);

/* A[2nv x 2nv], B[2nv x m] at q[nq], v[nv], tau[nv]; B may be NULL. O(n^2) plus the map. A failure
 * leaves the outputs as they were, as in derivatives.h. */
JN_API jn_status jn_linearise(const jn_model *model, jn_data *data,
                              const jn_linearise_options *options, const double *q, const double *v,
                              const double *tau, const jn_external *external, double *A, double *B);

/* A and B with time derivatives along the motion driven by tau[(r+1) x nv] = tau, tau', ...,
 * tau^(r): A[(r+1) x 2nv x 2nv] = A, A', ..., A^(r), B[(r+1) x 2nv x m]; B may be NULL. Solved
 * exactly from
 *   z^(k+1) = sum_i binomial(k, i) A^(k-i) z^(i)
 * whose left side jn_forward_partials gives. work: jn_linearise_rates_size doubles. O(r^2 n^3).
 * Needs data of order r. */
JN_API size_t jn_linearise_rates_size(const jn_model *model, int order);
JN_API jn_status jn_linearise_rates(const jn_model *model, jn_data *data,
                                    const jn_linearise_options *options, int order, const double *q,
                                    const double *v, const double *tau, const jn_external *external,
                                    double *work, double *A, double *B);

/* With constraints: near a state that satisfies them, states (q exp(xi), v + dv) satisfy them to first
 * order if z = (xi, dv) has
 *   J xi = 0,   J dv + (d(J v)/d q) xi = 0
 * Minimal states (xi_i, dv_i) are those of p = nv - rank independent degrees of freedom i, the ones that
 * jn_constraint_rank does not mark as dependent (actuated joints, as far as they are independent); the
 * others follow:
 *   z = E y,   y = S z   (S selects),   S E = 1,   y' = S A E y + S B du
 * exactly, along any motion. A and B of all states are those of jn_linearise with v' of
 * jn_constrained_forward_dynamics and its partial derivatives; they govern z that satisfy the
 * constraints, and E S projects on these. Any pointer but A may be NULL. */
typedef struct jn_linearise_closed {
  double *A;         /* [2nv x 2nv] all states */
  double *B;         /* [2nv x m] */
  double *projector; /* [2nv x 2nv] E S */
  int *mobility;     /* p */
  int *independent;  /* [nv], p of them written: the degrees of freedom of the minimal states */
  double *basis;     /* [2nv x 2p] E */
  double *A_minimal; /* [2p x 2p] */
  double *B_minimal; /* [2p x m]; needs B */
} jn_linearise_closed;
/* At q[nq], v[nv], tau[nv] that satisfy the constraints. JN_ERR_ARGUMENT unless left-trivialised with
 * free joints in JN_BODY representation; other errors as of jn_constrained_forward_partials. O(n^2 +
 * rows nv (nv + rows)). */
JN_API jn_status jn_constrained_linearise(const jn_model *model, jn_data *data,
                                          const jn_linearise_options *options, const double *q,
                                          const double *v, const double *tau,
                                          const jn_external *external,
                                          const jn_constraints *constraints,
                                          const jn_linearise_closed *out);

/* The same with time derivatives along the motion driven by tau[(r+1) x nv]: every matrix of `out`
 * [(r+1) x ...], the matrix, then its derivatives of orders 1..r; p and the independent degrees of
 * freedom are those of the state. States that satisfy the constraints go on doing so, so that
 *   E' = A E - E A_minimal,   A_minimal = S A E
 * and these equations, differentiated, give every order. work:
 * jn_constrained_linearise_rates_size doubles. O(r^2 n^3). Needs data of order r. Failures as of
 * jn_constrained_linearise; outputs stay as they were. */
JN_API size_t jn_constrained_linearise_rates_size(const jn_model *model, int order);
JN_API jn_status jn_constrained_linearise_rates(const jn_model *model, jn_data *data,
                                                const jn_linearise_options *options, int order,
                                                const double *q, const double *v, const double *tau,
                                                const jn_external *external,
                                                const jn_constraints *constraints, double *work,
                                                const jn_linearise_closed *out);

/* Zero-order hold: a step of length h of x' = A x + B u with constant u, x of n and u of m numbers:
 *   Ad[n x n] = exp(A h),  Bd[n x m] = (int_0^h exp(A s) ds) B
 * Taylor series of a fraction of the step, then doubling F -> 2 F + F^2 with F = exp - 1, so that
 * short steps lose no digits. At an equilibrium it is exact to first order for every integrator
 * that solves the equations of motion; elsewhere A is frozen. B, Bd may be NULL; outputs may not
 * alias inputs. work: 4 n^2 doubles. */
JN_API jn_status jn_zero_order_hold(int n, int m, const double *A, const double *B, double h,
                                    double *work, double *Ad, double *Bd);

/* One step of semi-implicit Euler on the group and its exact differential, at any state:
 *   v+ = v + h v'(q, v, tau),   q+ = q exp(h v+),   z+ = Ad z + Bd du
 * q_next[nq], v_next[nv] may be q and v. JN_ERR_ARGUMENT unless left-trivialised with free joints
 * in JN_BODY representation. Bd may be NULL. */
JN_API jn_status jn_linearise_step(const jn_model *model, jn_data *data,
                                   const jn_linearise_options *options, double h, const double *q,
                                   const double *v, const double *tau, const jn_external *external,
                                   double *q_next, double *v_next, double *Ad, double *Bd);

/* Derivatives of the extended inverse dynamics of bos2022 (tables 5 to 8). The extended inverse
 * dynamics itself (table 4) is jn_inverse_dynamics with a free base in JN_BODY representation: the
 * base wrench is an output, whether or not the joints alone can produce the motion. The derivatives
 * are those of jn_inverse_partials of order 0 in that representation, whatever the settings say:
 *   dq[nv x nv], dv[2 x nv x nv]   by the configuration; by v and v'
 * `held` is the twist held fixed while the pose varies:
 *   JN_HELD_BODY     the body twist, as the linearisation needs
 *   JN_HELD_SPATIAL  the twist in the frame the pose is given in, as printed in table 5:
 *                    dq of the free joint += (d tau / d v) ad_V
 * v' and the wrench are the body's in both. dq may be NULL, dv too with JN_HELD_BODY. Use
 * jn_inverse_partials; this function exists to reproduce the paper's tables. */
typedef enum jn_held { JN_HELD_BODY, JN_HELD_SPATIAL } jn_held;
JN_API jn_status jn_extended_partials(const jn_model *model, jn_data *data, jn_held held,
                                      const double *q, const double *v, const jn_external *external,
                                      double *dq, double *dv);
/* Makes a motion consistent (definition 3.1): the six rows of v' of a free base in v[2 x nv] become
 * -M_11^-1 h_1, so that the base wrench is zero; tau[nv] receives the forces. In the representation
 * of the settings. JN_ERR_ARGUMENT without a free base. */
JN_API jn_status jn_consistent_motion(const jn_model *model, jn_data *data, const double *q,
                                      double *v, const jn_external *external, double *tau);

#ifdef __cplusplus
}
#endif
#endif
