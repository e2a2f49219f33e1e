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

/* The kinematics of the motion that the last successful call with this data went through, if that was
 * jn_inverse_dynamics, jn_forward_dynamics or jn_hybrid_dynamics of order r: order r+1, without a
 * second pass over the tree (but for the hybrid and mixed formulations). The functions below then
 * read it. *order (may be NULL) = r+1. JN_ERR_STATE after other calls. */
JN_API jn_status jn_kinematics_from_dynamics(const jn_model *model, jn_data *data, int *order);

/* Pose of a frame (jn_model_frame) in the world. */
JN_API jn_status jn_frame_pose(const jn_model *model, const jn_data *data, int frame, jn_pose *out);

/* Twist of a frame and its component-wise derivatives: out[(r+1) x 6], row k is derivative k. */
JN_API jn_status jn_frame_twist(const jn_model *model, jn_data *data, int frame,
                                jn_representation representation, int order, double *out);

/* Where the motion of a frame, or a wrench at it, is observed. Members are frames (jn_model_frame),
 * or JN_WORLD. A NULL pointer to this struct means JN_WORLD for all three. The representation says
 * how much of it applies:
 *   JN_SPATIAL  all: the twist kVij of mueller2018 for body i, point j, axes k
 *   JN_HYBRID   the point is the frame's own origin
 *   JN_MIXED    ... and angular velocity or torque are in the frame's own axes
 *   JN_BODY     point and axes are the frame's own
 * With reference = point = axes these are the representations of the pose relative to that frame. */
#define JN_WORLD (-1)
typedef struct jn_observer {
  int reference; /* motion is relative to this frame; irrelevant for wrenches */
  int point;     /* linear velocity, or moment, of the point at this frame's origin */
  int axes;      /* components along this frame's axes */
} jn_observer;

/* Twist of a frame relative to another one, V - V_reference, and its component-wise derivatives:
 * out[(r+1) x 6]. Only joints between the frames involved enter: the result does not depend on how
 * their common ancestor moves, to the last bit. observer = NULL: as jn_frame_twist. */
JN_API jn_status jn_relative_twist(const jn_model *model, jn_data *data, int frame,
                                   jn_representation representation, const jn_observer *observer,
                                   int order, double *out);
/* Pose of a frame in another one. */
JN_API jn_status jn_relative_pose(const jn_model *model, const jn_data *data, int frame,
                                  int reference, jn_pose *out);

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
