/* forward_partials.c: partial derivatives of forward dynamics.
 *
 * Along the motion of forward dynamics, tau = ID(q, v, v', ...) is differentiated and solved, order
 * by order, for the variation of v^(k+1). With x = (k+1) dv_(k+1):
 *   M x = d tau_k - (A phi + B phi' + M phi'')_k without its newest term
 * Whole matrices: by products of the matrices d tau^(k) / d v^(j) with those of lower orders, and
 * the factors of M (mass_factor.h). Single directions, and models with very many degrees of freedom:
 * by recursions along the tree (course.h), M^-1 through the articulated inertias. */
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/forward_matrices.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Forward dynamics, and jn_variation_start along its motion. */
static jn_status start_forward(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v, const double *tau, const jn_external *external,
                               variation *x) {
  if (!model || !data) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)model->nv;
  double *motion = out_of(&data->w, 2);
  jn_status status =
      jn_forward_dynamics(model, data, order, q, v, tau, external, nv ? motion + nv : NULL);
  if (status) return status;
  if (nv) memcpy(motion, v, sizeof(double) * nv);
  return jn_variation_start(model, data, order, q, motion, external, x);
}

jn_status jn_variation_forward(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v, const double *tau, const jn_external *external,
                               variation *x) {
  jn_status status = start_forward(model, data, order, q, v, tau, external, x);
  if (status) return status;
  data->singular = spatial_articulated_inertias(model, x->w, NULL);
  return data->singular >= 0 ? JN_ERR_SINGULAR : JN_OK;
}

/* The variable of a set of directions: q, v or tau_j. */
typedef enum varied_by { BY_Q, BY_V, BY_TAU } varied_by;

/* out[k][.][c..] = (k+1)! / j! dv_(k+1), k = j..K; zero below j. One unit direction per lane, at
 * most as many as there are columns left. */
static void columns_from(const variation *x, varied_by by, int j, size_t c, double *out,
                         size_t stride) {
  const jn_directions d = jn_variation_directions(x);
  size_t nv = (size_t)x->m->nv, width = (size_t)d.width, n = nv - c < width ? nv - c : width;
  memset(d.phi, 0, sizeof(double) * nv * width);
  memset(d.step, 0, sizeof(double) * nv * width);
  memset(d.row, 0, sizeof(double) * nv * width * ((size_t)x->K + 1));
  for (size_t s = 0; s < n; s++) {
    double *unit = by == BY_Q ? d.phi : by == BY_V ? d.step : d.row + (size_t)j * nv * width;
    unit[(c + s) * width + s] = by == BY_TAU ? -1 : 1;
  }
  x->data->engine->course_forward(x, j, by == BY_TAU);
  double f = 1;
  for (int k = 0; k <= x->K; k++) {
    const double *step = d.step + (size_t)(k + 1) * nv * width;
    double *o = out + (size_t)k * stride + c;
    if (k >= j) f *= k + 1;
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) o[i * nv + s] = k < j ? 0 : f * step[i * width + s];
  }
}

static void columns(const variation *x, double *dq, double *dv, double *dtau) {
  size_t nv = (size_t)x->m->nv, size = nv * nv, n = (size_t)x->K + 1,
         width = (size_t)x->data->engine->lanes;
  for (size_t c = 0; c < nv; c += width) {
    if (dq) columns_from(x, BY_Q, 0, c, dq, size);
    if (dv) columns_from(x, BY_V, 0, c, dv, size);
    /* a unit of tau^(j) is 1/j! of tau_j: the factorial starts at j */
    for (int j = 0; j < x->K && dtau; j++)
      columns_from(x, BY_TAU, j, c, dtau + (size_t)j * size, n * size);
  }
  /* by the highest derivative of tau: M^-1 again */
  for (size_t k = 0; k < n && dtau; k++) {
    double *last = dtau + (k * n + n - 1) * size;
    if (k + 1 < n)
      memset(last, 0, sizeof(double) * size);
    else
      memcpy(last, dtau, sizeof(double) * size);
  }
}

/* jn_variation_forward and all columns */
static jn_status forward_columns(const jn_model *model, jn_data *data, int order, const double *q,
                                 const double *v, const double *tau, const jn_external *external,
                                 variation *x) {
  jn_status status = jn_variation_forward(model, data, order, q, v, tau, external, x);
  if (status) return status;
  jn_variation_columns(x);
  jn_variation_carry(x);
  return JN_OK;
}

/* The same without factors of M, whole matrices: 0 when they have to be computed by columns. */
static int dense_matrices(const variation *x, int order, double *dq, double *dv, double *dtau) {
  const jn_forward_columns out = {order + 1, dq, dv, dtau, x->w->mass};
  return x->m->nv <= JN_DENSE_DOFS && forward_matrices(x, &out);
}

jn_status jn_forward_partials(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const double *tau, const jn_external *external,
                              double *dq, double *dv, double *dtau) {
  if (is_coupled(model, data))
    return jn_coupled_forward_partials(model, data, order, q, v, tau, external, dq, dv, dtau);
  variation x;
  jn_status status = start_forward(model, data, order, q, v, tau, external, &x);
  if (status) return status;
  x.matrices = 1;
  jn_variation_columns(&x);
  jn_variation_carry(&x);
  if (!(jn_variation_bound(&x) < JN_BOUND_1 / JN_BOUND_3) || !jn_factors_are_bounded(model, data))
    return JN_ERR_NOT_FINITE;
  size_t n = ((size_t)order + 1) * (size_t)model->nv * (size_t)model->nv;
  if (!dense_matrices(&x, order, dq, dv, dtau)) {
    /* long chains, or rounding: through the articulated inertias */
    status = forward_columns(model, data, order, q, v, tau, external, &x);
    if (status) return status;
    columns(&x, dq, dv, dtau);
  }
  int finite = jn_all_finite(dq, dq ? n : 0) & jn_all_finite(dv, dv ? n : 0);
  finite &= jn_all_finite(dtau, dtau ? n * ((size_t)order + 1) : 0);
  return finite ? JN_OK : JN_ERR_NOT_FINITE;
}

jn_status jn_forward_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const double *tau, const jn_external *external,
                         const double *dq, const double *dv, const double *dtau, double *out) {
  if (is_coupled(model, data))
    return jn_coupled_forward_jvp(model, data, order, q, v, tau, external, dq, dv, dtau, out);
  variation x;
  if (model && model->nv && !out) return JN_ERR_ARGUMENT;
  jn_status status = forward_columns(model, data, order, q, v, tau, external, &x);
  if (status) return status;
  const jn_directions d = jn_variation_directions(&x);
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (!jn_variation_take(&x, dq, 1, 1, d.phi) || !jn_variation_take(&x, dv, 1, 1, d.step) ||
      !jn_variation_take(&x, dtau, order + 1, -1, d.row))
    return JN_ERR_NOT_FINITE;
  data->engine->course_forward(&x, 0, 0);
  double *step = out_of(x.w, 0);
  for (size_t i = 0; i < n + nv; i++) step[i] = d.step[i * (size_t)d.width];
  jn_jet_to_derivatives(order + 1, model->nv, step);
  return jn_deliver(step + nv, n, out);
}
