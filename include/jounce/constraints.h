/* constraints.h: closed loops, contacts, couplings and inverse kinematics, with time derivatives of
 * any order (docs/constraints.md).
 *
 * The constraints of a model (jn_spec_add_constraint) vanish along every motion of these functions;
 * jn_inverse_dynamics and the others of dynamics.h are those of the open tree. With J v = (given
 * velocity of the world's sides) at velocity level,
 *   M v' + h - J^T lambda = tau,   J v' = -J' v + (given acceleration)
 * and the same matrix serves every derivative: it is factored once. lambda[(r+1) x rows] = lambda,
 * lambda', ..., lambda^(r), dual to the rows of jn_constraint_type, zero where a constraint is not
 * active. Where rows are redundant, J^T lambda is unique and lambda(t) is the function of least norm.
 *
 * q must satisfy the constraints to 1e-9 of the robot's size and v likewise, else JN_ERR_CLOSURE:
 * jn_assemble. JN_ERR_RANK: rows that depend on others contradict them, or the rank changes at this
 * configuration. After these and JN_ERR_ACTUATION, JN_ERR_ASSEMBLY: jn_data_constraint_fault says
 * where. No contact opens, no friction: constraints hold in both directions.
 *
 * Conventions of q, v, tau, external and representations as in dynamics.h. The formulation of the
 * settings is not used: constraints are computed in the spatial one. A failed call leaves its
 * outputs as they were. */
#ifndef JOUNCE_CONSTRAINTS_H
#define JOUNCE_CONSTRAINTS_H

#include <jounce/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The given motion of a constraint's side in the world. */
typedef struct jn_world_motion {
  int constraint;
  jn_pose pose;                     /* of that frame in the world, now; replaces the model's */
  jn_representation representation; /* of `twist` */
  const double *twist; /* [(r+2) x 6]: twist of the frame and its derivatives; NULL: at rest */
} jn_world_motion;

/* What all functions of this header take. NULL: all constraints are active, the world is at
 * rest. */
typedef struct jn_constraints {
  const unsigned char *active; /* [constraints]: 1 where it is active; NULL: all */
  int motion_count;
  const jn_world_motion *motions;
  const double *weights; /* [nv]: inverse dynamics with more actuators than needed minimises the sum
                            of (weight tau)^2; NULL: 1 / effort limit, 1 where there is none */
  double tolerance;      /* of q and v, relative to size and speed of the robot; 0: 1e-9;
                            infinite: any state is accepted */
  double rank_tolerance; /* a row is redundant if less than this fraction of it is independent of
                            the others; 0: 2^-26 */
  double proximal;       /* > 0: constraints yield, (J v)' = -mu lambda, mu = proximal times the
                            row's own inverse inertia; any rank is accepted. 0: rigid */
} jn_constraints;

/* Where a call failed. */
typedef struct jn_constraint_fault {
  int constraint; /* -1: none */
  int row;        /* among its rows */
  int order;      /* of the derivative: 0 position, 1 velocity, ... */
  int joint;      /* JN_ERR_ACTUATION: the passive joint; else -1 */
  double residual, allowed;
} jn_constraint_fault;
/* After JN_ERR_CLOSURE, JN_ERR_RANK, JN_ERR_ACTUATION, JN_ERR_ASSEMBLY. */
JN_API jn_constraint_fault jn_data_constraint_fault(const jn_data *data);

/* Inverse dynamics of a motion that satisfies the constraints:
 *   q[nq], v[(r+2) x nv]  ->  tau[(r+1) x nv], lambda[(r+1) x rows]
 * tau is zero at passive joints (jn_joint). With more actuators than needed tau(t) is the function
 * of least weighted norm. JN_ERR_ACTUATION: a passive joint would need a force. Outputs may be NULL
 * and may not alias inputs. O(n r^2 + rows nv (rows + r^2)). */
JN_API jn_status jn_constrained_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                                 const double *q, const double *v,
                                                 const jn_external *external,
                                                 const jn_constraints *constraints, double *tau,
                                                 double *lambda);

/* Forward dynamics:
 *   q[nq], v[nv], tau[(r+1) x nv]  ->  a[(r+1) x nv] = v', ..., v^(r+1), lambda[(r+1) x rows]
 * tau of passive joints is used as given. lambda may be NULL. */
JN_API jn_status jn_constrained_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                                 const double *q, const double *v,
                                                 const double *tau, const jn_external *external,
                                                 const jn_constraints *constraints, double *a,
                                                 double *lambda);

/* The velocity jump when constraints are switched on, q unchanged:
 *   M (v_after - v) = J^T impulse,   J v_after = (given velocity of the world's sides)
 * v[nv] -> v_after[nv], impulse[rows] of least norm. Inelastic: v_after is the motion nearest to v in
 * kinetic energy. v_after may be v, impulse may be NULL. JN_ERR_CLOSURE: q does not satisfy the
 * constraints. O(n + rows^2 nv). */
JN_API jn_status jn_impact(const jn_model *model, jn_data *data, const double *q, const double *v,
                           const jn_constraints *constraints, double *v_after, double *impulse);

/* Assembly and inverse kinematics: the nearest motion that satisfies the constraints.
 *   q[nq]           in: a guess; out: satisfies the constraints to rounding
 *   v[rows x nv]    in: v, v', ..., v^(rows-1) as desired; out: those nearest to it at every order.
 *                   rows <= order of the data + 2; rows = 0: not used
 *   driven[nbody]   1: this joint keeps its position and motion as given; NULL: none
 * Newton's method on the configuration group with least-norm steps, damped where they do not help;
 * where it finds nothing, from displaced guesses, the nearest first. Joints with one degree of
 * freedom stay within their limits. Then J v_k = (known) for each order,
 * one factorisation. "Nearest" is the sum of squares of velocities (of a free joint: in body
 * representation). Inverse kinematics: a constraint between a link and the world, whose side is given
 * (jn_world_motion).
 * JN_ERR_ASSEMBLY: no configuration was found; jn_data_constraint_fault says which constraint is
 * farthest from being satisfied where the search ended. JN_ERR_RANK: the motion of the driven joints
 * contradicts the constraints. constraints->tolerance is not used. */
JN_API jn_status jn_assemble(const jn_model *model, jn_data *data, int rows,
                             const unsigned char *driven, const jn_constraints *constraints,
                             double *q, double *v);

/* What the constraints are at a state, satisfied or not. Outputs may be NULL.
 *   residual[rows]            of the positions, of the dimension of the rows: lengths, angles (weld,
 *                             revolute: of the rotation that is left), axis_a . axis_b,
 *                             (|d|^2 - length^2)/2, the coupling's sum; zero where not active
 *   rate[(order+1) x rows]    J v - (given), and its time derivatives
 *   J[(order+1) x rows x nv]  J, J', ..., J^(order), columns as v in the representation of the
 *                             settings
 * v[(order+1) x nv]; may be NULL if order = 0 and rate = NULL. */
JN_API jn_status jn_constraint_closure(const jn_model *model, jn_data *data, int order,
                                       const double *q, const double *v,
                                       const jn_constraints *constraints, double *residual,
                                       double *rate, double *J);

/* Rank of J at q: mobility = nv - rank. Outputs may be NULL.
 *   redundant[rows]   1: this row depends on others
 *   dependent[nv]     1: a set of `rank` degrees of freedom that the others determine, those of passive
 *                     joints first. With the other joints driven the mechanism is determinate. */
JN_API jn_status jn_constraint_rank(const jn_model *model, jn_data *data, const double *q,
                                    const jn_constraints *constraints, int *rank,
                                    unsigned char *redundant, unsigned char *dependent);

/* Hybrid dynamics, prescribed[nbody] as in jn_hybrid_dynamics. The prescribed motions must agree
 * with the constraints (JN_ERR_RANK if not); where they alone determine a row, the forces of the
 * prescribed joints are those of least weighted norm. */
JN_API jn_status jn_constrained_hybrid_dynamics(const jn_model *model, jn_data *data, int order,
                                                const double *q, const unsigned char *prescribed,
                                                double *v, double *tau, const jn_external *external,
                                                const jn_constraints *constraints, double *lambda);

/* Partial derivatives, exact and of every order, by the variables of derivatives.h: q displaced as
 * there (nv components), v and its derivatives, tau and its derivatives, each with all others held
 * fixed. Matrices are row-major, row = component of the result, column = variable; [nv x nv] for
 * motions and forces, [rows x nv] for constraint forces. Given motions of the world's sides do not vary.
 *
 * The functions that are differentiated are those of this header, extended to states near q, v that
 * do not satisfy the constraints: forward dynamics keep J v constant, inverse dynamics take the
 * motion as it is. Along directions that satisfy the linearised constraints (jn_constrained_linearise
 * has a basis of them) the derivatives do not depend on that extension.
 * Redundant rows: the derivatives of motions, forces and J^T lambda along such directions are unique;
 * those of lambda are derivatives of the function of least norm. Along other directions the rank
 * changes, and the matrices are those of as many independent combinations of rows.
 *
 * Errors as of the dynamics, and JN_ERR_ARGUMENT with a proximal parameter. A failure leaves the
 * outputs as they were, as in derivatives.h. Any output may be NULL. */
typedef struct jn_forward_closed {
  double *a_dq;        /* [(r+1) x nv x nv]            d v^(k+1) / d q */
  double *a_dv;        /* [(r+1) x nv x nv]            d v^(k+1) / d v */
  double *a_dtau;      /* [(r+1) x (r+1) x nv x nv]    d v^(k+1) / d tau^(j); zero for j > k */
  double *lambda_dq;   /* [(r+1) x rows x nv]          d lambda^(k) / d q */
  double *lambda_dv;   /* [(r+1) x rows x nv]          d lambda^(k) / d v */
  double *lambda_dtau; /* [(r+1) x (r+1) x rows x nv]  d lambda^(k) / d tau^(j); zero for j > k */
} jn_forward_closed;
/* At q[nq], v[nv], tau[(r+1) x nv]. Every order from the decomposition of order 0; O(n r^2 + rows nv)
 * per column, several columns at a time. */
JN_API jn_status jn_constrained_forward_partials(const jn_model *model, jn_data *data, int order,
                                                 const double *q, const double *v,
                                                 const double *tau, const jn_external *external,
                                                 const jn_constraints *constraints,
                                                 const jn_forward_closed *out);

typedef struct jn_inverse_closed {
  double *tau_dq;    /* [(r+1) x nv x nv]            d tau^(k) / d q */
  double *tau_dv;    /* [(r+1) x (r+2) x nv x nv]    d tau^(k) / d v^(j); zero for j > k+1 */
  double *lambda_dq; /* [(r+1) x rows x nv]          d lambda^(k) / d q */
  double *lambda_dv; /* [(r+1) x (r+2) x rows x nv]  d lambda^(k) / d v^(j); zero for j > k+1 */
} jn_inverse_closed;
/* At q[nq], v[(r+2) x nv]; rows of passive joints are zero. With more actuators than needed they are
 * derivatives of the forces of least weighted norm; JN_ERR_ARGUMENT if an actuated free joint takes
 * part in that in another representation than JN_BODY. */
JN_API jn_status jn_constrained_inverse_partials(const jn_model *model, jn_data *data, int order,
                                                 const double *q, const double *v,
                                                 const jn_external *external,
                                                 const jn_constraints *constraints,
                                                 const jn_inverse_closed *out);

#ifdef __cplusplus
}
#endif
#endif
