/* screw_partials.h: partial derivatives of any order of the columns of a Jacobian, in closed form
 * (mueller2018, section 2). */
#ifndef JOUNCE_TEXTBOOK_SCREW_PARTIALS_H
#define JOUNCE_TEXTBOOK_SCREW_PARTIALS_H

#include <jounce/kinematics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Partial derivative of order `count` of column j of a frame's Jacobian, columns = {a, b, ..., c}:
 *   out[6] = D_c ... D_b D_a J_j        count = 0: the column itself
 * D_c is the derivative along degree of freedom c: d/dq for joints whose coordinates are plain
 * numbers, along C exp(t e_c) for spherical and free joints, whose columns here belong to the body
 * twist whatever the settings say. Derivatives of different joints commute; those of one spherical
 * or free joint do not. Closed form by nested brackets (docs/jacobians.md), no recursion:
 * O(count^2). Reads positions only. With eliminated joints (jn_model_tree) a column moves several joints,
 * and the derivative is the sum over all choices of one on the path to the frame for each: that many
 * terms, of O(count^3) each. JN_ERR_LIMIT: more than 1048576 terms. */
JN_API jn_status jn_screw_partial(const jn_model *model, const jn_data *data, int frame,
                                  jn_representation representation, int column, int count,
                                  const int *columns, double *out);

#ifdef __cplusplus
}
#endif
#endif
