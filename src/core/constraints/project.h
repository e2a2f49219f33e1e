/* project.h (private): to the constraint manifold in the metric of M, and the velocity jump of an
 * impact. */
#ifndef JOUNCE_CORE_CONSTRAINTS_PROJECT_H
#define JOUNCE_CORE_CONSTRAINTS_PROJECT_H

#include <jounce/constraints.h>

/* q need not satisfy the constraints.
 *   M (a - v) = J^T x, J a = (given velocity of the world's sides) + rate: v[nv] -> a[nv]
 * a may be v; rate[rows] may be NULL: 0; x[rows] of least norm may be NULL. */
jn_status jn_project_velocity(const jn_model *model, jn_data *data, const double *q,
                              const double *v, const double *rate,
                              const jn_constraints *constraints, double *a, double *x);

/* q[nq] := q exp(dq), M dq = J^T x, until the constraints are satisfied to rounding. `settled`: the
 * relative residual below which q is left as it is (0: rounding). JN_ERR_CLOSURE: Newton's method
 * does not reach 1e-12; q is unchanged. */
jn_status jn_project_configuration(const jn_model *model, jn_data *data,
                                   const jn_constraints *constraints, double settled, double *q);

/* JN_ERR_CLOSURE: q[nq] or v[nv] does not satisfy the constraints within their tolerance. */
jn_status jn_project_check(const jn_model *model, jn_data *data, const double *q, const double *v,
                           const jn_constraints *constraints);

/* One step of Newton's method to the manifold: M dq = J^T x, J dq = -(residuals at q). Rows that
 * depend on others need not be met. */
jn_status jn_project_step(const jn_model *model, jn_data *data, const double *q,
                          const jn_constraints *constraints, double *dq);

#endif
