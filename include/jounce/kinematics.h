/* kinematics.h: poses, twists, screws and points of a moving tree, with time derivatives of any
 * order. */
#ifndef JOUNCE_KINEMATICS_H
#define JOUNCE_KINEMATICS_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forward kinematics of order r: reads q[nq] and v[(r+1) x nv] = v, v', ..., v^(r); O(n r^2).
 * r = -1: positions only, v may be NULL. The functions below then read the result. r <= order of
 * data + 1. */
JN_API jn_status jn_kinematics(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v);

/* Pose of a frame (jn_model_frame) in the world. */
JN_API jn_status jn_frame_pose(const jn_model *model, const jn_data *data, int frame, jn_pose *out);

/* Twist of a frame and its component-wise derivatives: out[(r+1) x 6], k-th row the k-th
 * derivative. */
JN_API jn_status jn_frame_twist(const jn_model *model, jn_data *data, int frame,
                                jn_representation representation, int order, double *out);

/* Motion of a point given in a frame: out[(r+2) x 3] = position, velocity, classical acceleration,
 * jerk,
 * ... up to the (r+1)-st derivative, in the world. */
JN_API jn_status jn_point_motion(const jn_model *model, jn_data *data, int frame, jn_vec3 point,
                                 int order, double *out);

/* Instantaneous screws of joint i (columns of its motion subspace) and their derivatives:
 * out[(r+1) x nv_i x 6], in spatial representation: V_body = sum of screws times v (for a free
 * joint the velocity is its body twist). S' = ad_V S. */
JN_API jn_status jn_joint_screws(const jn_model *model, jn_data *data, int joint, int order,
                                 double *out);

#ifdef __cplusplus
}
#endif
#endif
