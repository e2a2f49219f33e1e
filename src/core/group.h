/* group.h (private): the configuration space as a Lie group. */
#ifndef JOUNCE_CORE_GROUP_H
#define JOUNCE_CORE_GROUP_H

#include <jounce/model.h>

/* jn_integrate without its checks; out may not be q */
void jn_group_step(const jn_model *model, const double *q, const double *dq, double *out);
/* xi' of q exp(xi) from the velocity: xi' = dexp_right(xi)^-1 v */
void jn_chart_rate(const jn_model *model, const double *xi, const double *v, double *rate);

#endif
