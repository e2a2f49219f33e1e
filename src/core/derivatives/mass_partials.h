/* mass_partials.h (private): composite inertias for derivatives of the mass matrix. */
#ifndef JOUNCE_CORE_DERIVATIVES_MASS_PARTIALS_H
#define JOUNCE_CORE_DERIVATIVES_MASS_PARTIALS_H

#include "core/spatial/composite.h"

/* d/dq needs free joints in JN_BODY representation, else JN_ERR_ARGUMENT. */
jn_status jn_mass_partials_check(const jn_model *m, const jn_data *data);
/* Screws and composite inertias at q; JN_ERR_NOT_FINITE unless bounded. */
jn_status jn_mass_composites(const jn_model *m, jn_data *data, const double *q);

static inline six screw(const jn_data *data, int c) { return *S_of(&data->w, c); }
static inline const inertia10 *composite(const jn_data *data, int link) {
  return Ms_of(&data->w, link);
}

#endif
