/* derivatives.h: exact partial derivatives of inverse and forward dynamics, of every order.
 *
 * The state is q, v, v', ..., v^(r+1) (inverse dynamics) or q, v, tau, ..., tau^(r) (forward
 * dynamics), in the representation of the settings. A derivative by q has nv components: by q
 * itself for joints whose coordinates are plain numbers, by xi in R exp(xi) or C exp(xi) for
 * spherical and free joints (left-trivialised, angular first), whatever the representation of
 * twists. The velocities held fixed are those of that representation. Matrices are row-major
 * [nv x nv]: row = component of the result, column = variable.
 *
 * An applied wrench keeps its given components: JN_BODY turns with its body, JN_SPATIAL and
 * JN_HYBRID keep their world-frame components, JN_MIXED those of its force. external->tau is
 * constant. Results include armature, and damping where the settings say so. The derivatives are
 * analytic: no finite differences, no step size.
 *
 * A failure leaves the outputs as they were. Functions with large outputs therefore refuse
 * beforehand, with JN_ERR_NOT_FINITE, numbers that could overflow (positions, velocities,
 * accelerations, inertias or their inverses beyond 1e30). */
#ifndef JOUNCE_DERIVATIVES_H
#define JOUNCE_DERIVATIVES_H

#include <jounce/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inverse dynamics at q[nq], v[(r+2) x nv].
 *   dq  [(r+1) x nv x nv]          d tau^(k) / d q
 *   dv  [(r+1) x (r+2) x nv x nv]  d tau^(k) / d v^(j); M for j = k+1, zero for j > k+1
 * Either may be NULL. O(n d r^2) for depth d, plus writing. jn_extended_partials is the order-0
 * case in JN_BODY representation, with a choice of the twist held fixed; use this one. */
JN_API jn_status jn_inverse_partials(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const jn_external *external,
                                     double *dq, double *dv);

/* Forward dynamics at q[nq], v[nv], tau[(r+1) x nv].
 *   dq    [(r+1) x nv x nv]          d v^(k+1) / d q
 *   dv    [(r+1) x nv x nv]          d v^(k+1) / d v
 *   dtau  [(r+1) x (r+1) x nv x nv]  d v^(k+1) / d tau^(j); zero for j > k, M^-1 for j = k
 * Any may be NULL. O(n^2 d r^2) for depth d, with dtau O(n^2 d r^3); above 256 degrees of freedom
 * O(n r^2) per column. */
JN_API jn_status jn_forward_partials(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const double *tau,
                                     const jn_external *external, double *dq, double *dv,
                                     double *dtau);

/* Directional derivatives without matrices, O(n r^2), 8 (order 0) to 20 times inverse dynamics:
 *   jvp  out[(r+1) x nv] = partial derivatives times dq[nv], dv[(r+2) x nv]    NULL: zero
 *   vjp  dq[nv], dv[(r+2) x nv] = gradients of sum_k weight_k . tau^(k)        NULL: not wanted
 * weight [(r+1) x nv]. Outputs may not alias inputs. */
JN_API jn_status jn_inverse_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                                const double *v, const jn_external *external, const double *dq,
                                const double *dv, double *out);
JN_API jn_status jn_inverse_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                                const double *v, const jn_external *external, const double *weight,
                                double *dq, double *dv);
/* out[(r+1) x nv] = variation of v', ..., v^(r+1) for dq[nv], dv[nv], dtau[(r+1) x nv] (NULL:
 * zero). */
JN_API jn_status jn_forward_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                                const double *v, const double *tau, const jn_external *external,
                                const double *dq, const double *dv, const double *dtau,
                                double *out);

/* dq[nv], dv[nv], dtau[(r+1) x nv] = gradients of sum_k weight_k . v^(k+1), weight[(r+1) x nv] (NULL:
 * not wanted). O(n r^3). */
JN_API jn_status jn_forward_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                                const double *v, const double *tau, const jn_external *external,
                                const double *weight, double *dq, double *dv, double *dtau);

/* Hybrid dynamics (jn_hybrid_dynamics; v[(r+2) x nv] and tau[(r+1) x nv] are read only). y^(k) is what
 * it computes, u^(j) what it is given: of a prescribed joint y = tau^(k), u = v^(j+1), of the others
 * y = v^(k+1), u = tau^(j).
 *   dq  [(r+1) x nv x nv]          d y^(k) / d q
 *   dv  [(r+1) x nv x nv]          d y^(k) / d v
 *   du  [(r+1) x (r+1) x nv x nv]  d y^(k) / d u^(j); zero for j > k
 * Any may be NULL. With no joint prescribed these are jn_forward_partials, with all of them
 * jn_inverse_partials. O(n r^2) per column, several columns at a time. */
JN_API jn_status jn_hybrid_partials(const jn_model *model, jn_data *data, int order,
                                    const double *q, const unsigned char *prescribed,
                                    const double *v, const double *tau, const jn_external *external,
                                    double *dq, double *dv, double *du);

/* Second derivatives of inverse dynamics of order 0, [nv x nv x nv] each, any may be NULL:
 *   dqdq[i][a][b]  d/dq_b of d tau_i / d q_a        dqdv[i][a][b]  d/dq_a of d tau_i / d v_b
 *   dvdv[i][a][b]  d2 tau_i / d v_a d v_b           dmdq[i][a][b]  d/dq_b of M_ia
 * With weight[nv] they are contracted: sum_i weight_i (...)[i], [nv x nv] each. dqdq is symmetric
 * except for the columns of one spherical or free joint, whose derivatives do not commute: the
 * direction b is applied first, C exp(s xi_b). Twists and applied wrenches in any representation.
 * Reads q, v[2 x nv]. O(n) directions of O(n d) each, contracted of O(n). */
typedef struct jn_second {
  double *dqdq, *dqdv, *dvdv, *dmdq;
} jn_second;
JN_API jn_status jn_inverse_second(const jn_model *model, jn_data *data, const double *q,
                                   const double *v, const jn_external *external,
                                   const double *weight, const jn_second *out);

/* Second derivatives of forward dynamics of order 0, a = v'. dq, dv, dtau [nv x nv] receive the
 * first derivatives and may not be NULL. out: as above with a in place of tau, and
 *   dqdtau[i][b][c]  d/dq_b of d a_i / d tau_c
 * in place of dmdq (the other derivatives by tau vanish). */
typedef struct jn_second_forward {
  double *dqdq, *dqdv, *dvdv, *dqdtau;
} jn_second_forward;
JN_API jn_status jn_forward_second(const jn_model *model, jn_data *data, const double *q,
                                   const double *v, const double *tau, const jn_external *external,
                                   const double *weight, double *dq, double *dv, double *dtau,
                                   const jn_second_forward *out);

/* Quantities of a frame, its body or the joint of its body:
 *   JN_LINK_MOTION     twist of the frame
 *   JN_LINK_MOMENTUM   momentum of the body
 *   JN_LINK_FORCE      net wrench on the body, without gravity: the rate of its momentum
 *   JN_JOINT_MOMENTUM  momentum of the subtree of the body
 *   JN_JOINT_FORCE     wrench through the joint of the body, without gravity
 *   JN_JOINT_TORQUE    generalised forces of the joint, with armature and, if set, damping
 *   JN_JOINT_REACTION  wrench through the joint, with gravity: jn_joint_reactions */
typedef enum jn_quantity {
  JN_LINK_MOTION,
  JN_LINK_MOMENTUM,
  JN_LINK_FORCE,
  JN_JOINT_MOMENTUM,
  JN_JOINT_FORCE,
  JN_JOINT_TORQUE,
  JN_JOINT_REACTION
} jn_quantity;

/* Partial derivatives of a quantity x (6 numbers) of a frame, in a representation of the frame: the
 * Jacobians of variation of samy2021 (44), (58). At q[nq] and v[rows x nv], rows = r+1 for motion and
 * momentum, r+2 for wrenches:
 *   dq  [(r+1) x 6 x nv]         d x^(k) / d q
 *   dv  [(r+1) x rows x 6 x nv]  d x^(k) / d v^(j)
 * Either may be NULL. The instantaneous Jacobians of the same quantities are
 * jn_comprehensive_jacobian; the partial derivatives of JN_JOINT_TORQUE (JN_ERR_ARGUMENT here) are
 * jn_inverse_partials. Applied wrenches are left out. O(d r^3 nv_i) for joints with nv_i degrees of
 * freedom, for wrenches through a joint also all joints beyond it. */
JN_API jn_status jn_frame_partials(const jn_model *model, jn_data *data, jn_quantity quantity,
                                   int frame, jn_representation representation, int order,
                                   const double *q, const double *v, double *dq, double *dv);

/* Regressor Y[(r+1) x nv x 10 nbody]:
 *   tau^(k) = Y^(k) pi + armature and damping terms - external forces
 * pi stacks m, h (3), xx xy xz yy yz zz of every body, as in jn_body.inertia. */
JN_API jn_status jn_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, double *Y);

/* Forward dynamics by the inertial parameters: out[(r+1) x nv x 10 nbody] = d v^(k+1) / d pi at
 * q[nq], v[nv], tau[(r+1) x nv]. O(n^2 r^2). */
JN_API jn_status jn_inertia_partials(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const double *tau,
                                     const jn_external *external, double *out);

/* out[(r+1) x nv x 6 nbody]: d tau^(k) by a displacement A exp(xi) of the placement of joint i, A
 * the pose of body i's link frame in its parent's with joint i at zero (sensitivity to the
 * geometry, mueller2018 6.2). The whole subtree of the joint is displaced. */
JN_API jn_status jn_geometry_partials(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const jn_external *external,
                                      double *out);
/* The same displacements xi of the joints' placements applied to a frame, for calibration. At q[nq],
 * v[(r+1) x nv]; each output may be NULL:
 *   pose   [6 x 6 nbody]                  eta in C exp(eta), C the frame's pose
 *   twist  [(r+1) x 6 x 6 nbody]          d V^(k), V in the representation
 *   J      [(r+1) x 6 x nv x 6 nbody]     d J^(k), J the frame's Jacobian in the representation */
JN_API jn_status jn_frame_geometry_partials(const jn_model *model, jn_data *data, int frame,
                                            jn_representation representation, int order,
                                            const double *q, const double *v, double *pose,
                                            double *twist, double *J);

#ifdef __cplusplus
}
#endif
#endif
