/* cmtm.h: the N-order comprehensive motion transformation (N-CMTM) of Samy, Ayusawa and Yoshida
 * 2021, the comprehensive equations and the comprehensive (instantaneous) Jacobians.
 *
 * An N-CMTM is the jet of a pose, C_0 ... C_N, written as a block lower-triangular Toeplitz matrix.
 * Here it is a view of the jet itself, 21 numbers an order; the matrix is made only on request.
 * Everything here is in Taylor coefficients (the papers' hat), as in jet.h. zeta is the jet of a
 * body twist. */
#ifndef JOUNCE_TEXTBOOK_CMTM_H
#define JOUNCE_TEXTBOOK_CMTM_H

#include <jounce/jacobian.h>
#include <jounce/jet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* R[(N+1) x 9] row-major, p[(N+1) x 3], D[(N+1) x 9] with D = [p] R as jets. The memory is the
 * user's. */
typedef struct jn_cmtm {
  int order; /* N */
  double *R, *p, *D;
} jn_cmtm;

/* Which matrix is meant; blocks of order k:
 *   homogeneous  [R_k  p_k; 0  1 (k = 0)]   4 x 4, points
 *   spatial      [R_k  0; D_k  R_k]         6 x 6, twists (Ad)
 *   dual         [R_k  D_k; 0  R_k]         6 x 6, wrenches: ((C^-1)_k)^T of the spatial one */
typedef enum jn_cmtm_form { JN_CMTM_HOMOGENEOUS, JN_CMTM_SPATIAL, JN_CMTM_DUAL } jn_cmtm_form;

/* Numbers an N-CMTM needs, 21 (N+1), and a view of so many. */
JN_API size_t jn_cmtm_size(int order);
JN_API jn_cmtm jn_cmtm_at(int order, double *memory);

/* (16): from the pose and zeta[N x 6], C_(k+1) = 1/(k+1) sum_i C_(k-i) [zeta_i x]. zeta may be NULL
 * for N = 0. */
JN_API void jn_cmtm_construct(jn_cmtm C, jn_pose C0, const double *zeta);
/* (17), corrected: zeta[N x 6] back, [zeta_k x] = C_0^-1 ((k+1) C_(k+1) - sum_(i<k) C_(k-i) [zeta_i
 * x]). */
JN_API void jn_cmtm_deconstruct(jn_cmtm C, double *zeta);
JN_API jn_pose jn_cmtm_pose(jn_cmtm C);

/* (26), (67), (68): out = A B and out = A^-1. Orders equal; out may not share memory with A or B.
 */
JN_API void jn_cmtm_product(jn_cmtm A, jn_cmtm B, jn_cmtm out);
JN_API void jn_cmtm_inverse(jn_cmtm A, jn_cmtm out);

/* Jets x[(order+1) x 6] (or x 3: points) of order <= N carried from the inner to the outer frame,
 * and back, O(order^2) without any matrix. out may not alias x. */
JN_API void jn_cmtm_motion(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_motion_back(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_force(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_force_back(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_point(jn_cmtm C, int order, const double *x, double *out);

/* Block k, [4 x 4] or [6 x 6], and the whole matrix, [m x m] with m = 4 (N+1) or 6 (N+1),
 * row-major. */
JN_API void jn_cmtm_block(jn_cmtm C, jn_cmtm_form form, int k, double *out);
JN_API void jn_cmtm_dense(jn_cmtm C, jn_cmtm_form form, double *out);
/* The differential operator of (14), (15), [m x m] from zeta[(N+1) x 6]: C' = C [zeta x]. */
JN_API void jn_cmtm_operator_dense(int order, jn_cmtm_form form, const double *zeta, double *out);

/* (27), after jn_kinematics of order N-1 or more: the N-CMTM of every body's link frame in the
 * world, memory [bodies x jn_cmtm_size(N)], read by jn_cmtm_at(N, memory + i * jn_cmtm_size(N)). */
JN_API jn_status jn_cmtm_forward_kinematics(const jn_model *model, jn_data *data, int order,
                                            double *memory);
/* The N-CMTM of joint i, of the body in its parent (the world), made from the joint's own motion.
 */
JN_API jn_status jn_cmtm_joint(const jn_model *model, jn_data *data, int joint, int order,
                               double *memory);

/* Algorithms 1 (CoRNEA) and 2, step by step as in the paper, through N-CMTMs: same numbers as
 * jn_inverse_dynamics and jn_forward_dynamics, which are several times faster. q, v, tau, a as
 * there. work: jn_cmtm_work_size doubles. */
JN_API size_t jn_cmtm_work_size(const jn_model *model, int order);
JN_API jn_status jn_cmtm_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v, double *work,
                                          double *tau);
JN_API jn_status jn_cmtm_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v, const double *tau,
                                          double *work, double *a);

/* The comprehensive equations (37)-(43), after jn_kinematics of order N-1 or more. Link and joint
 * jets are [bodies x (N+1) x 6] in the bodies' link frames, the motion vector aleph is the jet of
 * v, [(N+1) x nv]. JN_OP_L             joint motion from link motion     zeta_i - iC_p zeta_p
 *   JN_OP_L_INVERSE     link motion from joint motion
 *   JN_OP_DUAL_L        link from joint momentum          h_i - sum of children iCdual_j h_j
 *   JN_OP_DUAL_L_INVERSE  joint from link momentum: what (43), (52) write as a transpose of L
 *   JN_OP_G             joint motion from aleph           G_i = diag(S_i), or the jet of S_i
 *   JN_OP_DUAL_G        generalised forces from joint forces, G^T in the same sense
 *   JN_OP_M             link momentum from link motion
 * in, out: sizes by jn_comprehensive_shape. They may not alias. */
typedef enum jn_operator {
  JN_OP_L,
  JN_OP_L_INVERSE,
  JN_OP_DUAL_L,
  JN_OP_DUAL_L_INVERSE,
  JN_OP_G,
  JN_OP_DUAL_G,
  JN_OP_M
} jn_operator;
JN_API void jn_comprehensive_shape(const jn_model *model, jn_operator op, int order, size_t *in,
                                   size_t *out);
JN_API jn_status jn_comprehensive_apply(const jn_model *model, jn_data *data, jn_operator op,
                                        int order, const double *in, double *out);
/* The operator as a matrix [out x in], row-major; work: in + out doubles. For small models. */
JN_API jn_status jn_comprehensive_matrix(const jn_model *model, jn_data *data, jn_operator op,
                                         int order, double *work, double *matrix);

/* The comprehensive Jacobians (45)-(57): *instantaneous* maps that give the quantity when
 * multiplied by the motion vector at the present state. They are not partial derivatives (section
 * VI-B4). JN_LINK_MOTION    J    twist of the body                           orders 0..N
 *   JN_LINK_MOMENTUM  K    its momentum                                orders 0..N
 *   JN_LINK_FORCE     N    the force that moves it, without gravity    orders 0..N-1
 *   JN_JOINT_MOMENTUM B    momentum of the body and all it carries     orders 0..N
 *   JN_JOINT_FORCE    Q    force through the joint, without gravity    orders 0..N-1
 *   JN_JOINT_TORQUE   R    generalised forces of the joint, with armature and, if set, damping
 * Representation: JN_BODY in the body's frame (46), JN_HYBRID in the inertia-aligned frame at its
 * origin (47)-(49), JN_SPATIAL in the world frame (49), or JN_MIXED; of no meaning for the torque.
 */
typedef enum jn_quantity {
  JN_LINK_MOTION,
  JN_LINK_MOMENTUM,
  JN_LINK_FORCE,
  JN_JOINT_MOMENTUM,
  JN_JOINT_FORCE,
  JN_JOINT_TORQUE
} jn_quantity;
/* Rows of a comprehensive Jacobian: 6 (N+1), 6 N, or nv_i N for the torque. */
JN_API size_t jn_comprehensive_rows(const jn_model *model, jn_quantity quantity, int body,
                                    int order);
/* The matrix [rows x (N+1) nv]: row k * width + c, column h * nv + dof; times aleph. */
JN_API jn_status jn_comprehensive_jacobian(const jn_model *model, jn_data *data,
                                           jn_quantity quantity, int body,
                                           jn_representation representation, int order,
                                           double *out);
/* J, K and B are Toeplitz: their blocks alone, [(N+1) x 6 x nv]; block (k, h) of the matrix is
 * out[k-h]. */
JN_API jn_status jn_comprehensive_blocks(const jn_model *model, jn_data *data, jn_quantity quantity,
                                         int body, jn_representation representation, int order,
                                         double *out);

#ifdef __cplusplus
}
#endif
#endif
