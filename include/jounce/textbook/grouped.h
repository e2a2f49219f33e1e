/* grouped.h: the block matrices of the grouped recursions (ali2026, table 2). */
#ifndef JOUNCE_TEXTBOOK_GROUPED_H
#define JOUNCE_TEXTBOOK_GROUPED_H

#include <jounce/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Dense, for small models: n bodies, spatial about the world's origin. Each output may be NULL.
 *   Gp       [6n x 6n]  identity blocks from every body to its ancestors and itself; Gc = Gp^T
 *   S, Sdot  [6n x nv]  screws and their rates. A free base has S = 1 and its spatial twist as
 *                       velocity, other free joints their body twist, whatever the settings say
 *   M        [6n x 6n]  inertias on the diagonal
 *   V        [6n]       twists
 *   G        [6n]       (0, gravity) for every body
 * With them
 *   V    = Gp S v
 *   M(q) = S^T Gc M Gp S
 *   C    = S^T Gc (M Gp Sdot - ad_V^T M Gp S)
 *   g    = -S^T Gc M G
 * `v` is read in the representation of the settings. The data must be made for order 0 or more.
 * jn_system_matrices gives the matrices of mueller2018, in any representation; this one keeps the
 * notation of ali2026. To compute M, C, g use jn_equations_of_motion. */
typedef struct jn_grouped {
  double *Gp, *S, *Sdot, *M, *V, *G;
} jn_grouped;
JN_API jn_status jn_grouped_matrices(const jn_model *model, jn_data *data, const double *q,
                                     const double *v, const jn_grouped *out);

#ifdef __cplusplus
}
#endif
#endif
