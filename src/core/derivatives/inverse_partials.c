/* inverse_partials.c: partial derivatives of inverse dynamics as matrices, of every order. */
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

void jn_variation_square(const variation *x, int k, const jn_blocks *out) {
  x->data->engine->freedoms_order(x, k, out);
}

jn_status jn_open_inverse_partials(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, const jn_external *external, double *dq,
                                   double *dv) {
  variation x;
  jn_status status = jn_check_call(model, data, order, external);
  if (!status) status = jn_variation_start(model, data, order, q, v, external, &x);
  if (status) return status;
  x.matrices = 1;
  jn_variation_columns(&x);
  jn_variation_carry(&x);
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
