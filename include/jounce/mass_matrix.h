/* mass_matrix.h: the mass matrix M, its inverse, and their derivatives by the configuration.
 *
 * Matrices are row-major. v is in the representation of the settings (free joints). A failure
 * leaves the outputs as they were: functions that write directly into large outputs first refuse
 * positions, inertias and inverse inertias beyond 1e30 with JN_ERR_NOT_FINITE.
 * Time derivatives of M: jn_equations_of_motion. */
#ifndef JOUNCE_MASS_MATRIX_H
#define JOUNCE_MASS_MATRIX_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* M[nv x nv] by the composite-rigid-body algorithm (CRBA), O(n depth). */
JN_API jn_status jn_mass_matrix(const jn_model *model, jn_data *data, const double *q, double *M);

/* Minv[nv x nv] = M(q)^-1, exactly symmetric, in the representation of the settings like M. By the
 * factors M = L^T D L, O(n^2 d) for depth d; above 256 degrees of freedom, and for pivots close to
 * singular, through the articulated inertias (IMMAmb, bos2022 table 9), n^2/2 link visits. */
JN_API jn_status jn_inverse_mass(const jn_model *model, jn_data *data, const double *q,
                                 double *Minv);
/* out[nv x count] = M^-1 B, B[nv x count]; O(n count). out may be B. */
JN_API jn_status jn_inverse_mass_apply(const jn_model *model, jn_data *data, const double *q,
                                       int count, const double *B, double *out);

/* The derivatives need free joints in JN_BODY representation, else JN_ERR_ARGUMENT. d/dq_k is the
 * derivative by q for joints whose coordinates are plain numbers, and along C exp(t e_k) or
 * R exp(t e_k) for free and spherical joints. */

/* dM[i][j][k] = d M_ij / d q_k, [nv x nv x nv], from brackets of screws and composite inertias.
 * O(n d^2) for depth d, plus writing the zeros. */
JN_API jn_status jn_mass_partials(const jn_model *model, jn_data *data, const double *q,
                                  double *dM);

/* Minv[nv x nv] = M^-1 and dMinv[i][j][k] = d (M^-1)_ij / d q_k = -(M^-1 dM_k M^-1)_ij. Neither
 * output may be NULL. O(n^4). */
JN_API jn_status jn_inverse_mass_partials(const jn_model *model, jn_data *data, const double *q,
                                          double *Minv, double *dMinv);

#ifdef __cplusplus
}
#endif
#endif
