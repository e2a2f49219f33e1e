/* mass_matrix.h: the mass matrix M, its inverse, and their derivatives by the configuration.
 *
 * Matrices are row-major; v is the velocity as the user holds it (settings->representation for free
 * joints). A failure leaves the outputs as they were: positions, inertias and their inverses beyond
 * 1e30 are refused with JN_ERR_NOT_FINITE where the numbers are too many to be held back. Time
 * derivatives of M: jn_equations_of_motion. */
#ifndef JOUNCE_MASS_MATRIX_H
#define JOUNCE_MASS_MATRIX_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The mass matrix alone, [nv x nv], by the composite-rigid-body algorithm, O(n depth). */
JN_API jn_status jn_mass_matrix(const jn_model *model, jn_data *data, const double *q, double *M);

/* Minv[nv x nv] = M(q)^-1 by the articulated inertias, without M (table 9): 1/2 n^2 link visits,
 * symmetric to the last bit; in the representation of the settings, like jn_mass_matrix. */
JN_API jn_status jn_inverse_mass(const jn_model *model, jn_data *data, const double *q,
                                 double *Minv);
/* out[nv x count] = M^-1 B, B[nv x count]; O(n count). out may be B. */
JN_API jn_status jn_inverse_mass_apply(const jn_model *model, jn_data *data, const double *q,
                                       int count, const double *B, double *out);

/* The derivatives take free joints in JN_BODY representation, else JN_ERR_ARGUMENT. d/dq_k is the
 * derivative by q for joints that are plain numbers, along C exp(t e_k) or R exp(t e_k) for free and
 * spherical joints. */

/* dM[i][j][k] = d M_ij / d q_k, [nv x nv x nv]: brackets of screws with composite inertias. O(n
 * d^2) for depth d, plus the writing of zeros. */
JN_API jn_status jn_mass_partials(const jn_model *model, jn_data *data, const double *q,
                                  double *dM);

/* Minv[nv x nv] = M^-1 and dMinv[i][j][k] = d (M^-1)_ij / d q_k = -(M^-1 dM_k M^-1)_ij; both are
 * needed. O(n^4). */
JN_API jn_status jn_inverse_mass_partials(const jn_model *model, jn_data *data, const double *q,
                                          double *Minv, double *dMinv);

#ifdef __cplusplus
}
#endif
#endif
