/* edge.c: what goes in is checked once, here. */
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"

int jn_all_finite(const double *x, size_t n) {
  /* 0 * x is 0 for every finite x and NaN for the others */
  double s[8] = {0};
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (size_t j = 0; j < 8; j++) s[j] += 0.0 * x[i + j];
  for (; i < n; i++) s[0] += 0.0 * x[i];
  return (s[0] + s[1]) + (s[2] + s[3]) + (s[4] + s[5]) + (s[6] + s[7]) == 0.0;
}

static jn_status load(const jn_model *model, jn_data *data, int v_rows, const double *q,
                      const double *v, int near) {
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv;
  data->engine = data->settings.strict ? &jn_engine_plain : data->best;
  if ((model->nq && !q) || (v_rows > 0 && nv && !v)) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(q, (size_t)model->nq)) return JN_ERR_NOT_FINITE;
  if (v_rows > 0 && !jn_all_finite(v, v_rows * nv)) return JN_ERR_NOT_FINITE;
  const jn_vec3 g = data->settings.gravity;
  const double gravity[3] = {g.x, g.y, g.z};
  if (!jn_all_finite(gravity, 3)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nball; i++) {
    const double *c = q + model->link[model->ball_link[i]].iq;
    double n = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3];
    if (!(fabs(n - 1) <= JN_ROTATION_TOLERANCE)) return JN_ERR_POSE;
  }
  if (model->nq) memcpy(w->q, q, sizeof *q * (size_t)model->nq);
  if (near)
    edge_near(model, w);
  else
    edge_far(model, w);
  if (v_rows > 0 && nv) {
    memcpy(w->io, v, sizeof *v * v_rows * nv);
    if (near && data->settings.representation == JN_SPATIAL)
      edge_shift(model, w, w->io, v_rows, -1, 0);
    jn_jet_to_taylor(v_rows - 1, model->nv, w->io);
  }
  return JN_OK;
}

jn_status jn_load_state(const jn_model *model, jn_data *data, int v_rows, const double *q,
                        const double *v) {
  return load(model, data, v_rows, q, v, 0);
}

jn_status jn_load_near(const jn_model *model, jn_data *data, int v_rows, const double *q,
                       const double *v) {
  return load(model, data, v_rows, q, v, 1);
}

void jn_edge_far(const jn_model *model, jn_data *data) { edge_far(model, &data->w); }
