/* inverse_kinematics.h: joint motions of a tool's motion, with time derivatives of any order.
 *
 * A jn_ik is a model with one more constraint: a frame of the model (the tool) follows a given pose,
 * twist and derivatives of the twist. jn_assemble solves it, together with the constraints of the
 * model: positions by Newton's method within the joint limits, the nearest to the guess; then v, v',
 * ... order by order with one factorisation. */
#ifndef JOUNCE_INVERSE_KINEMATICS_H
#define JOUNCE_INVERSE_KINEMATICS_H

#include <jounce/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jn_ik jn_ik;

/* What of the frame follows its target:
 *   JN_CONSTRAINT_WELD            the pose (6)
 *   JN_CONSTRAINT_POINT           the position (3)
 *   JN_CONSTRAINT_REVOLUTE        the position and the direction of z (5)
 *   JN_CONSTRAINT_POINT_ON_LINE   the position but for its part along z of the target (2)
 *   JN_CONSTRAINT_POINT_ON_PLANE  the position along z of the target (1)
 * `frame`: as in jn_model_find_frame. `order`: of the dynamics that the motion is meant for: up to
 * order + 2 rows of v. One allocation and a jn_data; nothing allocates later. The model must outlive
 * it. JN_ERR_ARGUMENT: no such frame or type, or no joint moves the frame. */
JN_API jn_status jn_ik_new(const jn_model *model, int order, int frame, jn_constraint_type type,
                           const jn_allocator *allocator, jn_ik **out);
JN_API void jn_ik_free(jn_ik *ik);

/* representation: of v of free joints, in and out */
JN_API jn_settings *jn_ik_settings(jn_ik *ik);

/* q[nq] from this guess to the nearest configuration in which the frame is at its target, and
 * v[rows x nv] to the nearest motion, as jn_assemble; `target->constraint` is not used, target->twist
 * has `rows` rows, NULL: at rest. driven[nbody] (may be NULL): joints that keep their motion.
 * If joints are left over (jn_ik_null_space), every row of v is the nearest to the given one: a motion
 * at this instant. Rows of several instants are then not derivatives of one function of time
 * (jn_ik_least_norm).
 * JN_ERR_ASSEMBLY: out of reach (jn_ik_fault says how far it came). JN_ERR_RANK: the velocity cannot
 * be met at a singular configuration. A failed call changes nothing. */
JN_API jn_status jn_ik_solve(jn_ik *ik, int rows, const jn_world_motion *target,
                             const unsigned char *driven, double *q, double *v);

/* The same with the velocity of least norm as a function of time, v(t) = J(t)^T mu(t), and its
 * derivatives: v[rows x nv] is written, but for driven joints, whose motion is given. The configurations
 * of such a motion are those of q' = v(q, t): they depend on where it began, not on the target alone.
 * rows >= 1. With eliminated joints the norm is that of the coordinates that are left. JN_ERR_ARGUMENT:
 * a free joint is not driven and the representation is not JN_BODY. O(rows^2) times jn_ik_solve. */
JN_API jn_status jn_ik_least_norm(jn_ik *ik, int rows, const jn_world_motion *target,
                                  const unsigned char *driven, double *q, double *v);

/* The motions that keep the frame at the last target that was reached: *dimension, and an orthonormal
 * basis[dimension x nv] of the velocities (room for [nv x nv]; may be NULL): v + any meets it too. */
JN_API jn_status jn_ik_null_space(jn_ik *ik, const double *q, int *dimension, double *basis);

/* After JN_ERR_ASSEMBLY and JN_ERR_RANK. `constraint`: that of the model; the number of the model's
 * constraints for the target. */
JN_API jn_constraint_fault jn_ik_fault(const jn_ik *ik);

#ifdef __cplusplus
}
#endif
#endif
