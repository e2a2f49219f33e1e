/* cmtm.h: the N-order comprehensive motion transformation (N-CMTM), the comprehensive equations and
 * the comprehensive (instantaneous) Jacobians of samy2021 (Samy, Ayusawa, Yoshida).
 *
 * An N-CMTM is the jet of a pose, C_0 ... C_N, written as a block lower-triangular Toeplitz matrix.
 * Here it is a view of the jet itself, 21 numbers per order; the dense matrix is made only on
 * request. All quantities are Taylor coefficients (the paper's hat), as in jet.h. zeta is the jet
 * of a body twist. */
#ifndef JOUNCE_TEXTBOOK_CMTM_H
#define JOUNCE_TEXTBOOK_CMTM_H

#include <jounce/derivatives.h>
#include <jounce/jacobian.h>
#include <jounce/jet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* R[(N+1) x 9] row-major, p[(N+1) x 3], D[(N+1) x 9] with D = [p] R as jets. The memory belongs to
 * the caller. */
typedef struct jn_cmtm {
  int order; /* N */
  double *R, *p, *D;
} jn_cmtm;

/* Matrix forms; blocks of order k:
 *   homogeneous  [R_k  p_k; 0  1 (k = 0)]   4 x 4, points
 *   spatial      [R_k  0; D_k  R_k]         6 x 6, twists (Ad)
 *   dual         [R_k  D_k; 0  R_k]         6 x 6, wrenches: ((C^-1)_k)^T of the spatial form */
typedef enum jn_cmtm_form { JN_CMTM_HOMOGENEOUS, JN_CMTM_SPATIAL, JN_CMTM_DUAL } jn_cmtm_form;

/* Doubles of an N-CMTM, 21 (N+1), and a view of that many. */
JN_API size_t jn_cmtm_size(int order);
JN_API jn_cmtm jn_cmtm_at(int order, double *memory);

/* (16): construct from the pose and zeta[N x 6]. zeta may be NULL for N = 0.
 *   C_(k+1) = 1/(k+1) sum_(i<=k) C_(k-i) [zeta_i x] */
JN_API void jn_cmtm_construct(jn_cmtm C, jn_pose C0, const double *zeta);
/* (17), corrected: zeta[N x 6] from the blocks.
 *   [zeta_k x] = C_0^-1 ((k+1) C_(k+1) - sum_(i<k) C_(k-i) [zeta_i x]) */
JN_API void jn_cmtm_deconstruct(jn_cmtm C, double *zeta);
JN_API jn_pose jn_cmtm_pose(jn_cmtm C);

/* (26), (67), (68): out = A B and out = A^-1. Orders must be equal; out may not share memory with A
 * or B. */
JN_API void jn_cmtm_product(jn_cmtm A, jn_cmtm B, jn_cmtm out);
JN_API void jn_cmtm_inverse(jn_cmtm A, jn_cmtm out);

/* Jets x[(order+1) x 6] (points: x 3) of order <= N transformed from the inner to the outer frame,
 * and back, in O(order^2) without forming a matrix. out may not alias x. */
JN_API void jn_cmtm_motion(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_motion_back(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_force(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_force_back(jn_cmtm C, int order, const double *x, double *out);
JN_API void jn_cmtm_point(jn_cmtm C, int order, const double *x, double *out);

/* Block k, [4 x 4] or [6 x 6], and the whole matrix, [m x m] with m = 4 (N+1) or 6 (N+1);
 * row-major. */
JN_API void jn_cmtm_block(jn_cmtm C, jn_cmtm_form form, int k, double *out);
JN_API void jn_cmtm_dense(jn_cmtm C, jn_cmtm_form form, double *out);
/* The operator of (14), (15), C' = C [zeta x], as a matrix [m x m] from zeta[(N+1) x 6]. */
JN_API void jn_cmtm_operator_dense(int order, jn_cmtm_form form, const double *zeta, double *out);

/* (27), after jn_kinematics of order N-1 or more: N-CMTMs of all bodies' link frames in the world.
 * memory [bodies x jn_cmtm_size(N)]; body i is jn_cmtm_at(N, memory + i * jn_cmtm_size(N)). */
JN_API jn_status jn_cmtm_forward_kinematics(const jn_model *model, jn_data *data, int order,
                                            double *memory);
/* The N-CMTM of body i in its parent (or the world), from the motion of joint i alone. */
JN_API jn_status jn_cmtm_joint(const jn_model *model, jn_data *data, int joint, int order,
                               double *memory);

/* Algorithms 1 (CoRNEA) and 2 of the paper, step by step through N-CMTMs. The same numbers as
 * jn_inverse_dynamics and jn_forward_dynamics, which are several times faster: use those; these
 * exist to compare with the paper. q, v, tau, a as there. work: jn_cmtm_work_size doubles. */
JN_API size_t jn_cmtm_work_size(const jn_model *model, int order);
JN_API jn_status jn_cmtm_inverse_dynamics(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v, double *work,
                                          double *tau);
JN_API jn_status jn_cmtm_forward_dynamics(const jn_model *model, jn_data *data, int order,
                                          const double *q, const double *v, const double *tau,
                                          double *work, double *a);

/* The comprehensive equations (37)-(43), after jn_kinematics of order N-1 or more. Link and joint
 * jets are [bodies x (N+1) x 6] in the bodies' link frames. The motion vector aleph is the jet of
 * v, [(N+1) x nv].
 *   JN_OP_L               joint motion from link motion     zeta_i - iC_p zeta_p
 *   JN_OP_L_INVERSE       link motion from joint motion
 *   JN_OP_DUAL_L          link from joint momentum          h_i - sum of children iCdual_j h_j
 *   JN_OP_DUAL_L_INVERSE  joint from link momentum          what (43), (52) write as L^T
 *   JN_OP_G               joint motion from aleph           G_i = diag(S_i), or the jet of S_i
 *   JN_OP_DUAL_G          generalised from joint forces     G^T in the same sense
 *   JN_OP_M               link momentum from link motion
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

/* The comprehensive Jacobians (45)-(57): *instantaneous* maps that give the quantity (jn_quantity)
 * when multiplied by the motion vector at the present state. They are not partial derivatives
 * (section VI-B4); those are jn_frame_partials and jn_inverse_partials (docs/jacobians.md compares).
 *   JN_LINK_MOTION J, JN_LINK_MOMENTUM K, JN_JOINT_MOMENTUM B      orders 0..N
 *   JN_LINK_FORCE N, JN_JOINT_FORCE Q, JN_JOINT_TORQUE R           orders 0..N-1
 * JN_JOINT_REACTION is not linear in the motion: JN_ERR_ARGUMENT. Representation: JN_BODY in the
 * body's frame (46), JN_HYBRID in the inertia-aligned frame at its origin (47)-(49), JN_SPATIAL in
 * the world frame (49), or JN_MIXED. Irrelevant for the torque. */
/* Rows of a comprehensive Jacobian: 6 (N+1), 6 N, or nv_i N for the torque. With eliminated joints
 * (jn_model_tree) columns are those of the joints that lead, and so are the torques, which move those
 * that follow as well. */
JN_API size_t jn_comprehensive_rows(const jn_model *model, jn_quantity quantity, int body,
                                    int order);
/* The matrix [rows x (N+1) nv], to multiply aleph: row k * width + c, column h * nv + dof. */
JN_API jn_status jn_comprehensive_jacobian(const jn_model *model, jn_data *data,
                                           jn_quantity quantity, int body,
                                           jn_representation representation, int order,
                                           double *out);
/* J, K and B are Toeplitz. Their blocks alone, [(N+1) x 6 x nv]: block (k, h) of the matrix is
 * out[k-h]. */
JN_API jn_status jn_comprehensive_blocks(const jn_model *model, jn_data *data, jn_quantity quantity,
                                         int body, jn_representation representation, int order,
                                         double *out);

#ifdef __cplusplus
}
#endif
#endif
