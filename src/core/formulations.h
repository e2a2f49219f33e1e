/* formulations.h (private): the formulations in world axes as rows of the engine table. They are
 * compiled once. The mixed formulation has no forward dynamics; dynamics.c uses the hybrid one. */
#ifndef JOUNCE_CORE_FORMULATIONS_H
#define JOUNCE_CORE_FORMULATIONS_H

#include "core/external.h"
#include "core/hybrid/mixed.h"
#include "core/spatial/spatial.h"

/* clang-format off */
#define SPATIAL_RECURSION {1, spatial_kinematics, jn_external_spatial, spatial_inverse, \
                           spatial_start, spatial_first_terms, spatial_solve}
#define HYBRID_RECURSION  {1, hybrid_kinematics, jn_external_hybrid, hybrid_inverse, \
                           hybrid_start, hybrid_first_terms, hybrid_solve}
#define MIXED_RECURSION   {1, mixed_kinematics, jn_external_mixed, mixed_inverse, \
                           NULL, NULL, NULL}
/* clang-format on */

#endif
