/* hybrid_partials.c: partial derivatives of hybrid dynamics, one direction per lane (course.h). */
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* The variable of a set of directions: q, v, or what is given of order j. */
typedef enum varied_by { BY_Q, BY_V, BY_GIVEN } varied_by;

static jn_status start_hybrid(const jn_model *m, jn_data *data, int order, const double *q,
                              const unsigned char *prescribed, const double *v, const double *tau,
                              const jn_external *external, variation *x) {
  const size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv;
  const jn_work *w = &data->w;
  double *motion = out_of(w, 2), *force = out_of(w, 1);
  if (nv) memcpy(motion, v, sizeof(double) * (n + nv));
  if (nv) memcpy(force, tau, sizeof(double) * n);
  jn_status status = jn_hybrid_dynamics(m, data, order, q, prescribed, motion, force, external);
  if (!status) status = jn_variation_start(m, data, order, q, motion, external, x);
  if (status) return status;
  x->prescribed = prescribed;
  data->singular = spatial_articulated_inertias(m, w, prescribed);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  for (int i = 0; i < m->nlink; i++)
    for (int j = m->link[i].iv; prescribed[m->link[i].joint] && j < m->link[i].iv + m->link[i].nv;
         j++)
      *UA_of(w, j) = sym6_apply(IA_of(w, i), *S_of(w, j));
  jn_variation_columns(x);
  jn_variation_carry(x);
  if (!(jn_variation_bound(x) < JN_BOUND_1 / JN_BOUND_3)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nv && !prescribed[m->link[i].joint]; j++)
      if (!jn_all_below(D_of(w, m->link[i].iv + j), (size_t)j + 1, JN_BOUND))
        return JN_ERR_NOT_FINITE;
  return JN_OK;
}

/* Marks of the degrees of freedom whose motion is given, in scratch that the directions leave. */
static const double *given_dofs(const variation *x) {
  double *given = dof_of(x->w, 0);
  for (int i = 0; i < x->m->nlink; i++)
    for (int j = 0; j < x->m->link[i].nv; j++)
      given[x->m->link[i].iv + j] = x->prescribed[x->m->link[i].joint];
  return given;
}

/* out[k][.][c..]: as many unit directions as there are lanes, or columns left. */
static void columns_from(const variation *x, varied_by by, int j, size_t c, double *out,
                         size_t stride) {
  const jn_directions d = jn_variation_directions(x);
  const double *given = given_dofs(x);
  const size_t nv = (size_t)x->m->nv, width = (size_t)d.width, n = nv - c < width ? nv - c : width,
               rows = (size_t)x->K + 1;
  double factorial = 1;
  for (int k = 2; k <= j; k++) factorial *= k;
  memset(d.phi, 0, sizeof(double) * nv * width);
  memset(d.step, 0, sizeof(double) * nv * width * (rows + 1));
  memset(d.row, 0, sizeof(double) * nv * width * rows);
  for (size_t s = 0; s < n; s++) {
    const size_t at = (c + s) * width + s;
    if (by == BY_Q)
      d.phi[at] = 1;
    else if (by == BY_V)
      d.step[at] = 1;
    else if (given[c + s] > 0) /* v^(j+1) */
      d.step[((size_t)j + 1) * nv * width + at] = 1 / (factorial * (j + 1));
    else /* tau^(j) */
      d.row[(size_t)j * nv * width + at] = -1 / factorial;
  }
  x->data->engine->course_forward(x, j, by == BY_GIVEN);
  double f = 1;
  for (int k = 0; k <= x->K; k++) {
    const double *step = d.step + (size_t)(k + 1) * nv * width,
                 *row = d.row + (size_t)k * nv * width;
    if (k > 1) f *= k;
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) {
        const double y = given[i] > 0 ? f * row[i * width + s] : f * (k + 1) * step[i * width + s];
        out[(size_t)k * stride + i * nv + c + s] = k < j ? 0 : y;
      }
  }
}

jn_status jn_hybrid_partials(const jn_model *model, jn_data *data, int order, const double *q,
                             const unsigned char *prescribed, const double *v, const double *tau,
                             const jn_external *external, double *dq, double *dv, double *du) {
  variation x;
  if (is_coupled(model, data))
    return jn_coupled_hybrid_partials(model, data, order, q, prescribed, v, tau, external, dq, dv,
                                      du);
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (!prescribed || (model->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  status = start_hybrid(model, data, order, q, prescribed, v, tau, external, &x);
  if (status) return status;
  const size_t nv = (size_t)model->nv, size = nv * nv, n = (size_t)order + 1;
  for (size_t c = 0; c < nv; c += (size_t)data->engine->lanes) {
    if (dq) columns_from(&x, BY_Q, 0, c, dq, size);
    if (dv) columns_from(&x, BY_V, 0, c, dv, size);
    for (int j = 0; j <= order && du; j++)
      columns_from(&x, BY_GIVEN, j, c, du + (size_t)j * size, n * size);
  }
  int finite = jn_all_finite(dq, dq ? n * size : 0) & jn_all_finite(dv, dv ? n * size : 0);
  finite &= jn_all_finite(du, du ? n * n * size : 0);
  return finite ? JN_OK : JN_ERR_NOT_FINITE;
}
