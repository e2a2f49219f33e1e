/* jacobian.h: Jacobians of frames, points and the whole robot with time derivatives of any order,
 * and joint velocities from twists.
 *
 * v is in the representation of the settings (twists of free joints). A Jacobian of order r is
 * J, J', ..., J^(r), component-wise:
 *   V^(k) = sum_i binomial(k, i) J^(i) v^(k-i)
 * J^(k) depends on v^(0..k-1) only. Call jn_kinematics of order r-1 or more first (r = 0: order -1,
 * which needs no velocity), else JN_ERR_STATE. Outputs may not alias what jn_kinematics read.
 * Partial derivatives of the columns by q: jn_screw_partial. */
#ifndef JOUNCE_JACOBIAN_H
#define JOUNCE_JACOBIAN_H

#include <jounce/kinematics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* J [(r+1) x 6 x nv] of a frame (jn_model_frame) in a representation: V = J v.
 * O(depth r^2 + r nv). */
JN_API jn_status jn_frame_jacobian(const jn_model *model, jn_data *data, int frame,
                                   jn_representation representation, int order, double *J);

/* The same of the twist relative to another frame (jn_relative_twist). Columns of joints that move
 * both frames alike are zero. J^(k) depends on the joints between the frames involved alone. */
JN_API jn_status jn_relative_jacobian(const jn_model *model, jn_data *data, int frame,
                                      jn_representation representation, const jn_observer *observer,
                                      int order, double *J);

/* J [(r+1) x 3 x nv] of a point given in a frame, in world axes: p' = J v. */
JN_API jn_status jn_point_jacobian(const jn_model *model, jn_data *data, int frame, jn_vec3 point,
                                   int order, double *J);

/* J [(r+1) x 6 bodies x nv]: Jacobians of all bodies' link frames, stacked. For small models. */
JN_API jn_status jn_system_jacobian(const jn_model *model, jn_data *data,
                                    jn_representation representation, int order, double *J);

/* Inverse problem: v [(r+1) x nv] = v, v', ..., v^(r) from q and the twists [bodies x (r+1) x 6] of
 * all bodies' link frames and their derivatives, in a representation. Joint by joint and order by
 * order, the motion relative to the parent is projected on the joint's motion subspace:
 *   v_i = (S^T S)^-1 S^T (V_i - Ad V_parent)
 * `residual` [r+1] (may be NULL): for each order the largest component that no joint motion
 * explains; at rounding level when the twists are consistent. It holds the difference between the
 * rate of an eliminated mimic joint and the one of the joint it follows. Invalidates the result of
 * jn_kinematics. */
JN_API jn_status jn_joint_rates_from_twists(const jn_model *model, jn_data *data, int order,
                                            const double *q, jn_representation representation,
                                            const double *twists, double *v, double *residual);

#ifdef __cplusplus
}
#endif
#endif
