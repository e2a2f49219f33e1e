/* kinematics.h: forward kinematics of a tree: poses, twists, joint screws and points, with time
 * derivatives of any order. */
#ifndef JOUNCE_KINEMATICS_H
#define JOUNCE_KINEMATICS_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forward kinematics of order r from q[nq] and v[(r+1) x nv] = v, v', ..., v^(r); O(n r^2).
 * r = -1: positions only, v may be NULL. r <= order of data + 1. The functions below read the
 * result. */
JN_API jn_status jn_kinematics(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v);

/* Pose of a frame (jn_model_frame) in the world. */
JN_API jn_status jn_frame_pose(const jn_model *model, const jn_data *data, int frame, jn_pose *out);

/* Twist of a frame and its component-wise derivatives: out[(r+1) x 6], row k is derivative k. */
JN_API jn_status jn_frame_twist(const jn_model *model, jn_data *data, int frame,
                                jn_representation representation, int order, double *out);

/* Motion of a point given in a frame, in the world: out[(r+2) x 3] = position, velocity, classical
 * acceleration, jerk, ..., (r+1)-st derivative. */
JN_API jn_status jn_point_motion(const jn_model *model, jn_data *data, int frame, jn_vec3 point,
                                 int order, double *out);

/* Instantaneous screws of joint i (columns S_i of its motion subspace) and their derivatives,
 * out[(r+1) x nv_i x 6], in spatial representation:
 *   V_i = V_parent + S_i v_i,   S' = ad_V S
 * v_i of a free joint is its body twist here. */
JN_API jn_status jn_joint_screws(const jn_model *model, jn_data *data, int joint, int order,
                                 double *out);

#ifdef __cplusplus
}
#endif
#endif
