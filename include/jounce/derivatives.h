/* derivatives.h: exact partial derivatives of the dynamics, of every order.
 *
 * The state is q, v, v', ..., v^(r+1) (inverse dynamics) or q, v, tau, ..., tau^(r) (forward
 * dynamics), the rows as the user holds them. A derivative by q has nv components: for a joint
 * with one freedom by its q, for a spherical or free joint by xi in R exp(xi) or C exp(xi)
 * (left-trivialised, angular first), whatever the representation of twists. The velocities held
 * fixed are those of that representation. Matrices are row-major [nv x nv]: row = component of
 * the result, column = what it is differentiated by. Wrenches from outside keep their given
 * components: one given as JN_BODY turns with its body, one given as JN_SPATIAL, JN_HYBRID or
 * JN_MIXED stands in the world as far as it says. external->tau is a constant. Results include
 * armature, and damping where the settings say so. Nothing is rounded but the arithmetic: no
 * differences, no step size. A failure leaves the outputs as they were: where these are too many
 * to be held back, numbers that could overflow on the way (positions, velocities, accelerations,
 * inertias or their inverses beyond 1e30) are refused beforehand with JN_ERR_NOT_FINITE. */
#ifndef JOUNCE_DERIVATIVES_H
#define JOUNCE_DERIVATIVES_H

#include <jounce/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inverse dynamics at q[nq], v[(r+2) x nv].
 *   dq [(r+1) x nv x nv]           d tau^(k) / d q
 *   dv [(r+1) x (r+2) x nv x nv]   d tau^(k) / d v^(j); the mass matrix for j = k+1, zero beyond
 * Either may be NULL. O(n d r^2) for depth d, plus the writing. */
JN_API jn_status jn_inverse_partials(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const jn_external *external,
                                     double *dq, double *dv);

/* Forward dynamics at q[nq], v[nv], tau[(r+1) x nv].
 *   dq [(r+1) x nv x nv]            d v^(k+1) / d q
 *   dv [(r+1) x nv x nv]            d v^(k+1) / d v
 *   dtau [(r+1) x (r+1) x nv x nv]  d v^(k+1) / d tau^(j); zero for j > k, M^-1 for j = k
 * Any may be NULL. O(n^2) at order 0; above it O(n r^2) a column, several at a time. */
JN_API jn_status jn_forward_partials(const jn_model *model, jn_data *data, int order,
                                     const double *q, const double *v, const double *tau,
                                     const jn_external *external, double *dq, double *dv,
                                     double *dtau);

/* Directional derivatives without matrices, O(n r^2), 8 (order 0) to 20 times inverse dynamics:
 *   jvp  out[(r+1) x nv] = partial derivatives times dq[nv], dv[(r+2) x nv]   (NULL: zero)
 *   vjp  dq[nv], dv[(r+2) x nv] = gradients of sum_k weight^(k) . tau^(k)     (NULL: not wanted)
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

/* Second derivatives of inverse dynamics of order 0, [nv x nv x nv] each, any NULL:
 *   dqdq[i][a][b]  d/dq_b of d tau_i / d q_a        dqdv[i][a][b]  d/dq_a of d tau_i / d v_b
 *   dvdv[i][a][b]  d2 tau_i / d v_a d v_b           dmdq[i][a][b]  d/dq_b of M_ia
 * With weight[nv] they are contracted: sum_i weight_i (...)[i], [nv x nv] each. dqdq is symmetric
 * but for the columns of one spherical or free joint, whose derivatives do not commute. Free
 * joints in JN_BODY representation and wrenches given as JN_BODY only, else JN_ERR_ARGUMENT.
 * Reads q, v[2 x nv]. O(n) directions of O(n d), contracted of O(n). */
typedef struct jn_second {
  double *dqdq, *dqdv, *dvdv, *dmdq;
} jn_second;
JN_API jn_status jn_inverse_second(const jn_model *model, jn_data *data, const double *q,
                                   const double *v, const jn_external *external,
                                   const double *weight, const jn_second *out);

/* Second derivatives of forward dynamics of order 0, a = v'. dq, dv, dtau [nv x nv] receive the
 * first derivatives and are needed. out: as above with a in place of tau; dqdtau[i][b][c] =
 * d/dq_b of d a_i / d tau_c in place of dmdq (the others with tau vanish). */
typedef struct jn_second_forward {
  double *dqdq, *dqdv, *dvdv, *dqdtau;
} jn_second_forward;
JN_API jn_status jn_forward_second(const jn_model *model, jn_data *data, const double *q,
                                   const double *v, const double *tau, const jn_external *external,
                                   const double *weight, double *dq, double *dv, double *dtau,
                                   const jn_second_forward *out);

/* Y[(r+1) x nv x 10 nbody]: tau^(k) = Y^(k) pi + armature and damping terms - forces from
 * outside, where pi stacks m, h (3), xx xy xz yy yz zz of every body, as jn_body.inertia holds
 * them. */
JN_API jn_status jn_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, double *Y);

/* out[(r+1) x nv x 6 nbody]: d tau^(k) by a displacement A exp(xi) of where joint i is placed, A
 * the pose of body i's link frame in its parent's when joint i is at zero (the sensitivity to the
 * geometry, mueller2018 6.2); all that the joint moves moves along. */
JN_API jn_status jn_geometry_partials(const jn_model *model, jn_data *data, int order,
                                      const double *q, const double *v, const jn_external *external,
                                      double *out);

#ifdef __cplusplus
}
#endif
#endif
