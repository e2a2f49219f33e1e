/* partials.h (private): one call of partial derivatives with constraints. */
#ifndef JOUNCE_CORE_CONSTRAINTS_PARTIALS_H
#define JOUNCE_CORE_CONSTRAINTS_PARTIALS_H

#include "core/constraints/blocks.h"
#include "core/constraints/closed.h"
#include "core/constraints/forces.h"

typedef struct closed_call {
  variation x;
  closed_variation v;
  closure c;
  blocks b; /* of L^-1 J^T (forward) or J^T (inverse) */
  /* J^T in memory of its own, for the conditions of least norm */
  jn_work other_work;
  closure other;
  blocks other_b;
  int least_norm;  /* rows are redundant */
  forces factored; /* inverse dynamics: the block whose factors are in memory */
} closed_call;

/* Forward dynamics at q, v, tau and all that its directional derivatives (engine->closed_forward)
 * need. *s is not copied afterwards: it points into itself. */
jn_status jn_closed_forward(const jn_model *model, jn_data *data, int order, const double *q,
                            const double *v, const double *tau, const jn_external *external,
                            const jn_constraints *constraints, closed_call *s);
/* Columns c, c+1, ... of the partial derivatives by one variable (tau^(j) for BY_TAU), as many as there
 * are lanes. a, lambda: `matrices` per order; NULL: not wanted. By q also d(J v)/d q, [nrow x nv] in
 * w->row_equations. */
typedef enum varied_by { BY_Q, BY_V, BY_TAU } varied_by;
void jn_closed_columns(const closed_call *s, varied_by by, int j, size_t c, double *a,
                       double *lambda, size_t matrices);

#endif
