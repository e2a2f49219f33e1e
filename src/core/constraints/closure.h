/* closure.h (private): one call with constraints: its arguments, the world's sides, the residuals
 * of a state. */
#ifndef JOUNCE_CORE_CONSTRAINTS_CLOSURE_H
#define JOUNCE_CORE_CONSTRAINTS_CLOSURE_H

#include <jounce/constraints.h>

#include "core/constraints/rows.h"

/* Checks the arguments. twist_rows: rows of the given twists that the call reads. */
jn_status jn_closure_begin(const jn_model *model, jn_data *data, const jn_constraints *constraints,
                           int twist_rows, closure *c);
/* After the poses are known: frames and twists (rows of them as Taylor coefficients) of the world's
 * sides, relative to the base's position. Returns whether all is finite. */
int jn_closure_place(const closure *c, jn_data *data, const jn_constraints *constraints,
                     int twist_rows);

/* Residuals of the positions of constraint i, after rows_step(c, 0): out[rows], of the dimension of
 * the rows (distance: (|d|^2 - length^2)/2), and the size of each: a length, 1 for an angle. */
void jn_closure_residual(const closure *c, const double *q, int i, double *out, double *size);

/* Refuses a state that does not satisfy the constraints. Needs rows_step(c, 0) and, if `velocity`,
 * twists of order 0. */
jn_status jn_closure_check(const closure *c, jn_data *data, const jn_constraints *constraints,
                           int velocity);
/* J as jets of orders 0..K in w->row_jacobian, after screws and wrenches. */
void jn_closure_jacobian(const closure *c, int K);
/* Weights of the joints' forces: the user's, else 1 / effort limit. Without constraints: nothing. */
void jn_closure_weights(const jn_model *m, const jn_constraints *constraints, double *weight);
/* JN_ERR_RANK (or another status) for row r, with its constraint. */
jn_status jn_closure_fail(jn_data *data, jn_status status, int row, int order, double residual,
                          double allowed);

#endif
