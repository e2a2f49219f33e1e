/* dynamics.h: inverse, forward and hybrid dynamics of any order, the equations of motion in closed
 * form, momentum and energy. */
#ifndef JOUNCE_DYNAMICS_H
#define JOUNCE_DYNAMICS_H

#include <jounce/kinematics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A wrench applied to the robot at a frame. representation:
 *   JN_BODY     in the frame, at its origin
 *   JN_SPATIAL  in world axes, about the world's origin
 *   JN_HYBRID   in world axes, at the frame's origin
 *   JN_MIXED    torque as JN_BODY, force as JN_HYBRID */
typedef struct jn_applied_wrench {
  int frame;
  jn_representation representation;
  const double *wrench; /* [(r+1) x 6]: torque, force and their component-wise derivatives */
} jn_applied_wrench;

/* External forces. A NULL pointer to this struct means none. */
typedef struct jn_external {
  int wrench_count;
  const jn_applied_wrench *wrenches;
  const double *tau; /* [(r+1) x nv]: generalised forces added to the actuators'; NULL: none */
} jn_external;

/* Inverse dynamics (RNEA):
 *   q[nq], v[(r+2) x nv] = v, v', ..., v^(r+1)  ->  tau[(r+1) x nv] = tau, tau', ..., tau^(r)
 * The base's rows hold the base wrench. `tau` may not alias `v`. O(n r^2). */
JN_API jn_status jn_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const jn_external *external,
                                     double *tau);

/* Forward dynamics (ABA):
 *   q[nq], v[nv], tau[(r+1) x nv] = tau, tau', ..., tau^(r)  ->  a[(r+1) x nv] = v', ..., v^(r+1)
 */
JN_API jn_status jn_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const double *tau,
                                     const jn_external *external, double *a);

/* Forward dynamics with an estimate of its error. Masses, lengths or forces that differ by many
 * orders of magnitude cost digits: a light body between heavy ones moves by the small difference of
 * large forces. error[(r+1)]: the largest change of v^(k+1) when every number of q, v and tau changes
 * by one unit in its last place (angles: by 2^-52), of three such changes, relative to the largest
 * |v^(k+1)| with and without tau and, where that leaves too few digits (a robot hangs at rest), under
 * gravity in three oblique directions (without gravity: by max |v|^2). On random robots, masses over
 * 12 and lengths over 18 orders of magnitude, the true error was below 3 times the estimate
 * (tests/test_digits.c). JN_ERR_DIGITS: an estimate exceeds 1e-2. `a` may be NULL. Costs five calls of
 * jn_forward_dynamics, at most eight; that function itself refuses only joints that move no mass. */
JN_API jn_status jn_forward_dynamics_error(const jn_model *model, jn_data *data, int order,
                                           const double *q, const double *v, const double *tau,
                                           const jn_external *external, double *a, double *error);

/* Hybrid dynamics. prescribed[nbody]: 1 where the motion of joint i is given, 0 where its force is.
 *   reads    q, row 0 of v, rows 1..r+1 of v of prescribed joints, rows 0..r of tau of the others
 *   writes   the other half of v[(r+2) x nv] and tau[(r+1) x nv] */
JN_API jn_status jn_hybrid_dynamics(const jn_model *model, jn_data *data, int order,
                                    const double *q, const unsigned char *prescribed, double *v,
                                    double *tau, const jn_external *external);

/* The same with a choice for each degree of freedom: prescribed[nv]. Those of a free joint are the
 * components of its twist and wrench in the representation of the settings. In JN_SPATIAL they are
 * about the world's origin: far from it they are nearly dependent.
 * The forces are refined until their residual is rounding, at most five times an order: the work
 * depends on the state.
 * JN_ERR_LIMIT: more than 256 degrees of freedom. O(n d + n r^3). */
JN_API jn_status jn_hybrid_dynamics_by_freedom(const jn_model *model, jn_data *data, int order,
                                               const double *q, const unsigned char *prescribed,
                                               double *v, double *tau, const jn_external *external);

/* Reaction wrenches along a motion q[nq], v[(r+2) x nv], out[(r+1) x nbody x 6]: W_i^(k), the wrench
 * (torque, force) that joint i transmits to body i from its parent, the actuator's part included:
 *   S_i^T W_i = tau_i - armature v_i' - damping v_i
 * W_0 of a free base is the wrench that must act on it. In a representation of the bodies' link
 * frames, or as observed (jn_observer): JN_BODY at the body's own frame; JN_SPATIAL with point and
 * axes at the frame of a force sensor gives what that sensor reads. Computed in JN_FORM_BODY.
 * O(n r^2), at frames of other bodies O(n d r^2). */
JN_API jn_status jn_joint_reactions(const jn_model *model, jn_data *data, int order,
                                    const double *q, const double *v, const jn_external *external,
                                    jn_representation representation, const jn_observer *observer,
                                    double *out);

/* Articulated inertias MA [nbody x 6 x 6] and bias wrenches WA [(r+1) x nbody x 6] (lemma 2 of
 * ali2026). Whatever the parents do, the wrench through joint i is
 *   W_i^(k) = MA_i V_i^(k+1) + WA_i^(k)
 * with V_i the twist of body i and both in `representation` of its link frame; MA is the same for
 * every order. Reads q, v[nv] and tau[(r+1) x nv]; with prescribed joints (NULL: none) v[(r+2) x nv]
 * and tau as jn_hybrid_dynamics does. MA or WA may be NULL. Computed in JN_FORM_SPATIAL. O(n r^2).
 * With eliminated joints (jn_model_tree) a body may share a coordinate with joints that it does not
 * carry. Its wrench then depends on that coordinate's acceleration beside its own, and no MA holds
 * whatever the rest of the robot does; such coordinates of a body count as prescribed, with the
 * motion that they have. O(n nv + nv^3 + n r^2). */
JN_API jn_status jn_articulated_bodies(const jn_model *model, jn_data *data, int order,
                                       const double *q, const unsigned char *prescribed,
                                       const double *v, const double *tau,
                                       const jn_external *external,
                                       jn_representation representation, double *MA, double *WA);

/* Closed form along a motion, with time derivatives to order r:
 *   M v' + C v + g + tau_ext = tau,   h = C v + g
 * tau_ext is minus the generalised external force. Reads q[nq] and v[(r+1) x nv]. M and g of order
 * r need v^(0..r-1) only, C needs v^(r). Each output may be NULL: M, C [(r+1) x nv x nv] row-major;
 * g, h, tau_ext [(r+1) x nv]. C is the admissible matrix of Lemma 1 of ali2026: M' - 2 C is skew.
 * jn_lagrange_matrices forms M and C from explicit Jacobians; it exists to study C in other
 * representations. */
JN_API jn_status jn_equations_of_motion(const jn_model *model, jn_data *data, int order,
                                        const double *q, const double *v,
                                        const jn_external *external, double *M, double *C,
                                        double *g, double *h, double *tau_ext);

/* Quantities of the whole robot along a motion and their derivatives to order r. Reads q and
 * v[(r+1) x nv]. Each output may be NULL:
 *   com                 [(r+1) x 3]       centre of mass
 *   momentum            [(r+1) x 6]       spatial, about the world's origin
 *   centroidal          [(r+1) x 6]       about the centre of mass, world axes
 *   kinetic, potential  [(r+1)]           energies; kinetic includes that of the armature:
 *                                         v^T M v / 2
 *   matrix              [(r+1) x 6 x nv]  centroidal momentum matrix: centroidal = matrix v
 *   armature            [(r+1)]           the armature's part of kinetic; the bodies alone have
 *                                         kinetic - armature. Momenta are those of the bodies. */
typedef struct jn_momentum {
  double *com, *momentum, *centroidal, *kinetic, *potential, *matrix, *armature;
} jn_momentum;
JN_API jn_status jn_momentum_energy(const jn_model *model, jn_data *data, int order,
                                    const double *q, const double *v, const jn_momentum *out);

#ifdef __cplusplus
}
#endif
#endif
