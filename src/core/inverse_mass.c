/* inverse_mass.c: the inverse of the mass matrix through the articulated inertias (bos2022, table
 * 9, IMMAmb): unit forces, eight at a time. */
#include <jounce/linearise.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/external.h"
#include "core/spatial.h"
#include "core/composite.h"
#include "core/partials.h"

enum { LANES = 8 };

/* At rest: positions alone decide. */
static jn_status factor_mass(const jn_model *m, jn_data *data, const double *q, varied *x) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (status) return status;
  memset(data->w.force, 0, sizeof(double) * 2 * (size_t)m->nv);
  status = jn_varied_start(m, data, 0, q, data->w.force, NULL, x);
  if (status) return status;
  data->singular = spatial_articulate(m, x->w, x->rows, NULL);
  return data->singular >= 0 ? JN_ERR_SINGULAR : JN_OK;
}

/* y -= a^T p and p += a y for a six-vector a; p[6 x LANES] */
static inline void lane_dot(const double *restrict a, const double *restrict p,
                            double *restrict y) {
  for (int c = 0; c < 6; c++)
    for (int n = 0; n < LANES; n++) y[n] -= a[c] * p[c * LANES + n];
}
static inline void lane_axpy(const double *restrict a, const double *restrict y,
                             double *restrict p) {
  for (int c = 0; c < 6; c++)
    for (int n = 0; n < LANES; n++) p[c * LANES + n] += a[c] * y[n];
}

/* (L D L^T)^-1 of a joint's freedoms, lane by lane */
static inline void lane_solve(int freedoms, const double *D, double *y) {
  for (int j = 1; j < freedoms; j++)
    for (int i = 0; i < j; i++)
      for (int n = 0; n < LANES; n++) y[j * LANES + n] -= D[6 * j + i] * y[i * LANES + n];
  for (int j = 0; j < freedoms; j++)
    for (int n = 0; n < LANES; n++) y[j * LANES + n] *= D[6 * j + j];
  for (int j = freedoms - 2; j >= 0; j--)
    for (int i = j + 1; i < freedoms; i++)
      for (int n = 0; n < LANES; n++) y[j * LANES + n] -= D[6 * i + j] * y[i * LANES + n];
}

/* Rows of links 0..last of M^-1 y, y[nv x LANES] being zero beyond them: the forces on the links
 * that come later vanish, and their rows are known from symmetry. */
static void solve_to(const varied *x, int last, double *rhs) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const size_t n = 6 * LANES;
  double *all = w->lane, t[6 * LANES];
  memset(all, 0, sizeof(double) * n * ((size_t)last + 1));

  /* to the base: e = y - S^T p, p_parent += p + UA D^-1 e */
  for (int i = last; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    double *p = all + n * (size_t)i, *y = rhs + (size_t)l->iv * LANES;
    for (int j = 0; j < l->nv; j++)
      lane_dot((const double *)screw_of(w, x->rows, l->iv + j), p, y + j * LANES);
    if (l->parent < 0) continue;
    double *up = all + n * (size_t)l->parent;
    memcpy(t, y, sizeof(double) * (size_t)(l->nv * LANES));
    lane_solve(l->nv, w->D + 6 * (size_t)l->iv, t);
    for (int j = 0; j < l->nv; j++) lane_axpy(w->UA + 6 * (size_t)(l->iv + j), t + j * LANES, p);
    for (size_t c = 0; c < n; c++) up[c] += p[c];
  }

  /* to the tips: y = D^-1 (e - UA^T a_parent), a = a_parent + S y */
  for (int i = 0; i <= last; i++) {
    const jn_link *l = &m->link[i];
    double *a = all + n * (size_t)i, *y = rhs + (size_t)l->iv * LANES;
    if (l->parent < 0)
      memset(a, 0, sizeof(double) * n);
    else
      memcpy(a, all + n * (size_t)l->parent, sizeof(double) * n);
    for (int j = 0; j < l->nv; j++) lane_dot(w->UA + 6 * (size_t)(l->iv + j), a, y + j * LANES);
    lane_solve(l->nv, w->D + 6 * (size_t)l->iv, y);
    for (int j = 0; j < l->nv; j++)
      lane_axpy((const double *)screw_of(w, x->rows, l->iv + j), y + j * LANES, a);
  }
}

jn_status jn_inverse_mass(const jn_model *model, jn_data *data, const double *q, double *Minv) {
  varied x;
  if (model && model->nv && !Minv) return JN_ERR_ARGUMENT;
  jn_status status = factor_mass(model, data, q, &x);
  if (status) return status;
  size_t nv = (size_t)model->nv;
  double *y = x.w->xlane;
  int last = 0;
  for (size_t c = 0; c < nv; c += LANES) {
    size_t count = nv - c < LANES ? nv - c : LANES, top = c + count - 1;
    memset(y, 0, sizeof(double) * nv * LANES);
    for (size_t n = 0; n < count; n++) y[(c + n) * LANES + n] = 1;
    /* the link whose freedoms end behind the last column */
    while ((size_t)(model->link[last].iv + model->link[last].nv) <= top) last++;
    solve_to(&x, last, y);
    for (size_t n = 0; n < count; n++)
      for (size_t i = 0; i <= c + n; i++)
        Minv[i * nv + c + n] = Minv[(c + n) * nv + i] = y[i * LANES + n];
  }
  return jn_all_finite(Minv, nv * nv) ? JN_OK : JN_ERR_NOT_FINITE;
}

jn_status jn_inverse_mass_apply(const jn_model *model, jn_data *data, const double *q, int count,
                                const double *B, double *out) {
  varied x;
  if (!model || count < 0) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)model->nv, columns = (size_t)count;
  if (nv && columns && (!B || !out)) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(B, nv * columns)) return JN_ERR_NOT_FINITE;
  jn_status status = factor_mass(model, data, q, &x);
  if (status) return status;
  double *y = x.w->xlane;
  for (size_t c = 0; c < columns; c += LANES) {
    size_t n = columns - c < LANES ? columns - c : LANES;
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < LANES; s++) y[LANES * i + s] = s < n ? B[i * columns + c + s] : 0;
    jn_varied_solve(&x, LANES, y);
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) out[i * columns + c + s] = y[LANES * i + s];
  }
  return jn_all_finite(out, nv * columns) ? JN_OK : JN_ERR_NOT_FINITE;
}
