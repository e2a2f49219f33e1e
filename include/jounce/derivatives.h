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

/* Second derivatives of inverse dynamics of order 0, [nv x nv x nv] each, any may be NULL:
 *   dqdq[i][a][b]  d/dq_b of d tau_i / d q_a        dqdv[i][a][b]  d/dq_a of d tau_i / d v_b
 *   dvdv[i][a][b]  d2 tau_i / d v_a d v_b           dmdq[i][a][b]  d/dq_b of M_ia
 * With weight[nv] they are contracted: sum_i weight_i (...)[i], [nv x nv] each. dqdq is symmetric
 * except for the columns of one spherical or free joint, whose derivatives do not commute.
 * JN_ERR_ARGUMENT unless free joints are in JN_BODY representation and applied wrenches are
 * JN_BODY. Reads q, v[2 x nv]. O(n) directions of O(n d) each, contracted of O(n). */
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

/* Regressor Y[(r+1) x nv x 10 nbody]:
 *   tau^(k) = Y^(k) pi + armature and damping terms - external forces
 * pi stacks m, h (3), xx xy xz yy yz zz of every body, as in jn_body.inertia. */
JN_API jn_status jn_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, double *Y);

/* out[(r+1) x nv x 6 nbody]: d tau^(k) by a displacement A exp(xi) of the placement of joint i, A
 * the pose of body i's link frame in its parent's with joint i at zero (sensitivity to the
 * geometry, mueller2018 6.2). The whole subtree of the joint is displaced. */
JN_API jn_status jn_geometry_partials(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const jn_external *external,
                                      double *out);

#ifdef __cplusplus
}
#endif
#endif
