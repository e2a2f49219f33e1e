/* lagrange.h: the equations of motion in closed form (mueller2018, sections 2 and 5): projection
 * equations, phase space, Lagrange's equations, Christoffel symbols, system matrices. Dense, for
 * analysis and small models; compute with the recursions of dynamics.h.
 *
 * v is in the representation of the settings (free joints), and with eliminated joints (jn_model_tree)
 * that of the joints that lead: v_tree = G v, and so J, X, M, C, Gamma. Arrays are the caller's, row-major;
 * outputs may not alias inputs. All but the pure functions invalidate the result of jn_kinematics.
 * A failure leaves the outputs as they were; functions with n^2 or n^3 outputs refuse positions,
 * velocities and inertias beyond 1e30 with JN_ERR_NOT_FINITE. */
#ifndef JOUNCE_TEXTBOOK_LAGRANGE_H
#define JOUNCE_TEXTBOOK_LAGRANGE_H

#include <jounce/dynamics.h>
#include <jounce/textbook/newton_euler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Projection (Euler-Jourdain) equations (78): tau[nv] from q, v[2 x nv] = v, v', with the bodies'
 * twists in any representation:
 *   tau = sum_i J_i^T (Newton-Euler of body i - gravity and applied wrenches)
 *         + armature v' (+ damping v) - external->tau
 * O(n nv). Spatial twists are taken about the base's position, so that no digits are lost far from
 * the world's origin. The same numbers as jn_inverse_dynamics of order 0, which is the one to use
 * (O(n), any order); this function and jn_cmtm_inverse_dynamics compute them by the papers' routes,
 * for comparison. */
JN_API jn_status jn_projection_equations(const jn_model *model, jn_data *data,
                                         jn_representation representation, const double *q,
                                         const double *v, const jn_external *external, double *tau);

/* Mass and Coriolis matrix as products with the system Jacobian (81), (84): q, v[nv], each output
 * [nv x nv] or NULL.
 *   M = J^T M J + armature,    C = J^T (M J' + N J)
 * N = -ad_V^T M for JN_SPATIAL and JN_BODY, else the gyroscopic terms of (53), (56), (57). C v is
 * the same vector in every representation; C is not: M' - 2 C is skew for JN_SPATIAL only, where C
 * equals that of jn_equations_of_motion. Spatial J are about the base's position, as above.
 * O(n nv^2). Use jn_equations_of_motion to compute; this function shows the product form and C in
 * the other representations. */
JN_API jn_status jn_lagrange_matrices(const jn_model *model, jn_data *data,
                                      jn_representation representation, const double *q,
                                      const double *v, double *M, double *C);

/* Phase space (79): p = M v, and with forces tau[nv]
 *   v  = M^-1 p
 *   p' = tau + S'^T P - g - tau_ext (- damping v)      P: momentum of the joint's subtree
 * S'^T P is dT/dq, plus the Euler-Poincare terms for spherical and free joints. O(n); no
 * acceleration is computed. jn_phase_rate: v (may be NULL) and p_rate from q[nq], p[nv]. */
JN_API jn_status jn_phase_momentum(const jn_model *model, jn_data *data, const double *q,
                                   const double *v, double *p);
JN_API jn_status jn_phase_velocity(const jn_model *model, jn_data *data, const double *q,
                                   const double *p, double *v);
JN_API jn_status jn_phase_rate(const jn_model *model, jn_data *data, const double *q,
                               const double *p, const double *tau, const jn_external *external,
                               double *v, double *p_rate);

/* The functions below need free joints in JN_BODY representation, else JN_ERR_ARGUMENT. d/dq_k is
 * the derivative along E_k: by q for joints whose coordinates are plain numbers, along C exp(t e_k)
 * or R exp(t e_k) for free and spherical joints. */

/* Christoffel symbols of the first kind, Gamma[i][j][k], [nv x nv x nv]:
 *   tau_i = sum_j M_ij v'_j + sum_jk Gamma_ijk v_j v_k + gravity
 * For joints whose coordinates are plain numbers
 *   Gamma_ijk = (d_k M_ij + d_j M_ik - d_i M_jk)/2 = Gamma_ikj
 * In general it is the connection of the kinetic energy in the frame E, by Koszul's formula:
 *   <nabla_(E_k) E_j, E_i> = the above + (<[E_k,E_j],E_i> - <[E_j,E_i],E_k> - <[E_k,E_i],E_j>)/2
 *   [E_j,E_k] = E_(ad_j k) within a spherical or free joint, zero otherwise (Boltzmann-Hamel terms)
 * which is not symmetric in j, k there. Always d_k M_ij = Gamma_ijk + Gamma_jik. Armature does not
 * enter.
 *   jn_christoffel        from the derivatives of M; use this one
 *   jn_christoffel_binet  Gamma_ijk = tr(S_i B (S_j S_k)^T), S 4 x 4, B the composite second
 *                         moments of mass (Binet's tensor, (87)), j the joint nearer to the root
 *                         (k before j within a joint); an independent route, for comparison
 * Same numbers to rounding, both O(n d^2) plus writing. */
JN_API jn_status jn_christoffel(const jn_model *model, jn_data *data, const double *q,
                                double *Gamma);
JN_API jn_status jn_christoffel_binet(const jn_model *model, jn_data *data, const double *q,
                                      double *Gamma);
/* C_ij = sum_k Gamma_ijk v_k, [n x n]: M' - 2 C is skew. Pure. */
JN_API void jn_christoffel_coriolis(int n, const double *Gamma, const double *v, double *C);

/* The matrices of section 2, N = 6 nbody, twists of the bodies' link frames; each may be NULL.
 *   V = J v,   J = A X,   V' = J v' + Jdot v
 *   A       [N x N]    from the twist of body j to that of the bodies in its subtree
 *   X       [N x nv]   the columns of each joint on its own body
 *   a, b    [N x N]    blocks ad(X_i v_i) and ad(V_i), (9), (19), (82); JN_BODY and JN_SPATIAL only
 *   M       [N x N]    blocks of inertia
 *   J, Jdot [N x nv]
 *   V       [N]
 *   body     Jdot = A (X' - a (J - X))      (8) for joints with one dof, where X' = 0, a X = 0
 *   spatial  Jdot = A (b X + Y)             (18)
 * X', and Y = X' seen from the world, vanish except for universal, cylindrical and planar joints
 * and for free joints in another representation than JN_BODY. jn_grouped_matrices gives the
 * matrices of ali2026 instead: spatial only, with Gc, Gp in place of A. */
typedef struct jn_system {
  double *A, *X, *a, *b, *M, *J, *Jdot, *V;
} jn_system;
JN_API jn_status jn_system_matrices(const jn_model *model, jn_data *data,
                                    jn_representation representation, const double *q,
                                    const double *v, const jn_system *out);

#ifdef __cplusplus
}
#endif
#endif
