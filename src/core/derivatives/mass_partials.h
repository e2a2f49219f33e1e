/* mass_partials.h (private): columns on the path to the root, and composite inertias, for
 * derivatives of the mass matrix. */
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

/* a column of v and its link; last_of: last column of a link, before: next one towards the root */
typedef struct dof {
  int column, link;
} dof;

static inline dof last_of(const jn_model *m, int link) {
  while (link >= 0 && !m->link[link].nv) link = m->link[link].parent;
  return (dof){link < 0 ? -1 : m->link[link].iv + m->link[link].nv - 1, link};
}
static inline dof before(const jn_model *m, dof d) {
  if (d.column > m->link[d.link].iv) return (dof){d.column - 1, d.link};
  return last_of(m, m->link[d.link].parent);
}

#endif
