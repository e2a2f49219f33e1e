/* inverse_partials.c: partial derivatives of inverse dynamics as matrices, of every order. */
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Columns of a joint with several degrees of freedom, for its velocity in the user's
 * representation:
 *   B = B E_0 + M E',   M = M E_0,   Y = 2 P' E_0 + P E' */
static void fold_link(const variation *x, const jn_link *l) {
  int rows = x->rows, n = l->nv;
  const double *E = Ev_of(x->w, l->iv);
  six held[18];
  for (int k = x->K; k >= 0; k--) {
    for (int d = 0; d < n; d++) {
      six B = six_zero(), M = B, Y = B;
      for (int c = 0; c < n; c++) {
        const int j = l->iv + c;
        double e = x->second ? c == d : E[6 * (size_t)d * (size_t)rows + (size_t)c];
        if (e != 0) {
          B = six_add(B, six_scale(e, part_of(x, j, k, JN_B)));
          M = six_add(M, six_scale(e, part_of(x, j, k, JN_M)));
          Y = six_add(Y, six_scale(2 * e, part_of(x, j, k, JN_P1)));
        }
        for (int h = 0; h <= k; h++) {
          double g = E[6 * ((size_t)d * (size_t)rows + (size_t)(h + !x->second)) + (size_t)c];
          if (g == 0) continue;
          B = six_add(B, six_scale(g, part_of(x, j, k - h, JN_M)));
          Y = six_add(Y, six_scale(g, part_of(x, j, k - h, JN_P)));
        }
      }
      held[3 * d] = B, held[3 * d + 1] = M, held[3 * d + 2] = Y;
    }
    for (int d = 0; d < n; d++) {
      part_put(x, l->iv + d, k, JN_B, held[3 * d]);
      part_put(x, l->iv + d, k, JN_M, held[3 * d + 1]);
      part_put(x, l->iv + d, k, JN_Y, held[3 * d + 2]);
    }
  }
}

void jn_variation_fold(const variation *x) {
  for (int i = 0; i < x->m->nlink; i++)
    if (x->m->link[i].nv > 1) fold_link(x, &x->m->link[i]);
}

int jn_variation_square(const variation *x, int k, const jn_blocks *out, int write) {
  return x->data->engine->freedoms_order(x, k, out, write);
}

jn_status jn_open_inverse_partials(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, const jn_external *external, double *dq,
                                   double *dv) {
  variation x;
  jn_status status = jn_variation_all(model, data, order, q, v, external, &x);
  if (status) return status;
  size_t nv = (size_t)model->nv, size = nv * nv, n = (size_t)order + 1;
  if (order == 0) jn_variation_fold(&x);
  int safe = jn_variation_bound(&x) < JN_BOUND_1;
  jn_blocks o = {{dq, nv, 1}, {dv, nv, 1}, {dv ? dv + size : NULL, nv, 1}};
  if (!safe && order == 0 && !jn_variation_square(&x, 0, &o, 0)) return JN_ERR_NOT_FINITE;
  if (!safe && order > 0 && !data->engine->freedoms_fill(&x, dq, dv, 0)) return JN_ERR_NOT_FINITE;
  if (dq) memset(dq, 0, sizeof(double) * n * size);
  if (dv) memset(dv, 0, sizeof(double) * n * (n + 1) * size);
  if (order == 0)
    jn_variation_square(&x, 0, &o, 1);
  else
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
