/* inverse_partials.c: partial derivatives of inverse dynamics as matrices, of every order. */
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Columns of a joint with several degrees of freedom along a direction, P = S:
 *   B = B + M E',   Y = 2 P' + P E' */
static void fold_link(const variation *x, const jn_link *l) {
  for (int k = x->K; k >= 0; k--)
    for (int d = 0; d < l->nv; d++) {
      const double *E = Ev_of(x->w, l->iv + d);
      six B = part_of(x, l->iv + d, k, JN_B), Y = part_of(x, l->iv + d, k, JN_Y);
      for (int h = 0; h <= k; h++)
        for (int c = 0; c < l->nv; c++) {
          const double e = E[6 * h + c];
          if (e == 0) continue;
          B = six_add(B, six_scale(e, part_of(x, l->iv + c, k - h, JN_M)));
          Y = six_add(Y, six_scale(e, part_of(x, l->iv + c, k - h, JN_P)));
        }
      part_put(x, l->iv + d, k, JN_B, B);
      part_put(x, l->iv + d, k, JN_Y, Y);
    }
}

void jn_variation_fold(const variation *x) {
  for (int i = 0; i < x->m->nlink; i++)
    if (x->m->link[i].nv > 1) fold_link(x, &x->m->link[i]);
}

void jn_variation_square(const variation *x, int k, const jn_blocks *out) {
  x->data->engine->freedoms_order(x, k, out);
}

jn_status jn_open_inverse_partials(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, const jn_external *external, double *dq,
                                   double *dv) {
  variation x;
  jn_status status = jn_variation_all(model, data, order, q, v, external, &x);
  if (status) return status;
  if (!(jn_variation_bound(&x) < JN_BOUND_1) && !data->engine->freedoms_fill(&x, dq, dv, 0))
    return JN_ERR_NOT_FINITE;
  data->engine->freedoms_fill(&x, dq, dv, 1);
  return JN_OK;
}

jn_status jn_inverse_partials(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, double *dq,
                              double *dv) {
  return is_coupled(model, data)
             ? jn_coupled_inverse_partials(model, data, order, q, v, external, dq, dv)
             : jn_open_inverse_partials(model, data, order, q, v, external, dq, dv);
}
