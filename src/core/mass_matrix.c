/* inverse_mass.c: the inverse of the mass matrix through the articulated inertias (bos2022, table
 * 9, IMMAmb): unit forces, many at a time. */
#include <jounce/linearise.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/spatial.h"
#include "core/spatial/composite.h"

enum { LANES = COLUMNS };

static jn_status factor_mass(const jn_model *m, jn_data *data, const double *q) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (!status) status = start_at_rest(m, data, q);
  if (status) return status;
  data->singular = spatial_articulated_inertias(m, &data->w, data->rows, NULL);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  return jn_is_bounded(m, data, NULL) && jn_factors_are_bounded(m, data) ? JN_OK
                                                                         : JN_ERR_NOT_FINITE;
}

jn_status jn_inverse_mass(const jn_model *model, jn_data *data, const double *q, double *Minv) {
  if (model && model->nv && !Minv) return JN_ERR_ARGUMENT;
  jn_status status = factor_mass(model, data, q);
  if (status) return status;
  size_t nv = (size_t)model->nv;
  double *y = data->w.xlane;
  int last = 0;
  for (size_t c = 0; c < nv; c += LANES) {
    size_t count = nv - c < LANES ? nv - c : LANES, top = c + count - 1;
    memset(y, 0, sizeof(double) * nv * LANES);
    for (size_t n = 0; n < count; n++) y[(c + n) * LANES + n] = 1;
    /* the links of the first and of the last column */
    int first = last;
    while ((size_t)(model->link[first].iv + model->link[first].nv) <= c) first++;
    while ((size_t)(model->link[last].iv + model->link[last].nv) <= top) last++;
    /* forces on the links that come later vanish, and their rows are known from symmetry */
    data->engine->lanes->solve(model, &data->w, data->rows, first, last, y);
    for (size_t i = 0; i <= top; i++)
      memcpy(Minv + i * nv + c, y + i * LANES, sizeof(double) * count);
  }
  double finite = 0;
  for (size_t i = 0; i < nv; i++)
    for (size_t j = i; j < nv; j++) {
      finite += 0.0 * Minv[i * nv + j];
      Minv[j * nv + i] = Minv[i * nv + j];
    }
  return finite == 0.0 ? JN_OK : JN_ERR_NOT_FINITE;
}

jn_status jn_inverse_mass_apply(const jn_model *model, jn_data *data, const double *q, int count,
                                const double *B, double *out) {
  if (!model || count < 0) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)model->nv, columns = (size_t)count;
  if (nv && columns && (!B || !out)) return JN_ERR_ARGUMENT;
  if (!jn_all_below(B, nv * columns, 1e150)) return JN_ERR_NOT_FINITE;
  jn_status status = factor_mass(model, data, q);
  if (status) return status;
  double *y = data->w.xlane;
  for (size_t c = 0; c < columns; c += LANES) {
    size_t n = columns - c < LANES ? columns - c : LANES;
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < LANES; s++) y[LANES * i + s] = s < n ? B[i * columns + c + s] : 0;
    data->engine->lanes->solve(model, &data->w, data->rows, 0, model->nlink - 1, y);
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) out[i * columns + c + s] = y[LANES * i + s];
  }
  return jn_all_finite(out, nv * columns) ? JN_OK : JN_ERR_NOT_FINITE;
}
