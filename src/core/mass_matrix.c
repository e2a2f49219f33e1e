/* mass_matrix.c: the mass matrix by the composite-rigid-body algorithm (CRBA), and its inverse
 * through the articulated inertias (IMMAmb, bos2022 table 9): M^-1 times unit forces, many at a
 * time. */
#include <jounce/mass_matrix.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* A^T x of a free joint, v_body = A v_user: the wrench x = (n, f) of the body,
 * (R n + p x R f, R f) spatial, (R n, R f) hybrid, (n, R f) mixed */
static void represent_wrench(int rep, const real *R, v3 p, real *x) {
  const v3 f = m3_apply(R, load_v3(x + 3));
  store_v3(x + 3, f);
  if (rep == JN_MIXED) return;
  const v3 n = m3_apply(R, load_v3(x));
  store_v3(x, rep == JN_SPATIAL ? v3_add(n, v3_cross(p, f)) : n);
}

/* M (upper half) for velocities of free joints in the user's representation: rows M A and columns
 * A^T M */
static void represent_mass(const jn_model *m, const jn_work *w, int rep, double *M) {
  const size_t nv = (size_t)m->nv;
  for (int f = 0; rep != JN_BODY && f < m->nfree; f++) {
    const jn_link *l = &m->link[m->free_link[f]];
    const size_t iv = (size_t)l->iv;
    const real *R = X_of(w, l->ix);
    const v3 p = free_position(l, w);
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < i; j++) M[(iv + i) * nv + iv + j] = M[(iv + j) * nv + iv + i];
    for (size_t r = 0; r < iv + 6; r++) represent_wrench(rep, R, p, M + r * nv + iv);
    for (size_t c = iv; c < nv; c++) {
      double *column = M + iv * nv + c, t[6];
      for (size_t k = 0; k < 6; k++) t[k] = column[k * nv];
      represent_wrench(rep, R, p, t);
      for (size_t k = 0; k < 6; k++) column[k * nv] = t[k];
    }
  }
}

/* whether no number of q is so large that the mass matrix could overflow */
static int moderate_state(const jn_model *m, const double *q) {
  int small = m->moderate;
  for (int i = 0; i < m->nq; i++) small &= fabs(q[i]) < JN_MODERATE;
  return small;
}

/* copies the upper half of M[n x n] to the lower one, two rows at a time */
static void mirror(size_t n, double *M) {
  for (size_t i = 1; i < n; i += 2) {
    const double *from = M + i;
    double *row = M + i * n, *next = row + n;
    if (i + 1 < n) {
      for (size_t j = 0; j < i; j++, from += n) row[j] = from[0], next[j] = from[1];
      next[i] = from[1];
    } else {
      for (size_t j = 0; j < i; j++, from += n) row[j] = from[0];
    }
  }
}

jn_status jn_open_mass_matrix(const jn_model *m, jn_data *data, const double *q, double *M) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (status) return status;
  if (m->nv && !M) return JN_ERR_ARGUMENT;
  const jn_work *w = &data->w;
  const size_t nv = (size_t)m->nv;
  status = jn_load_state(m, data, 0, q, NULL);
  if (status) return status;
  if (moderate_state(m, w->q)) {
    data->kinematics = -2;
    memset(w->io, 0, sizeof(double) * nv);
    boundary_motion_in(m, w, JN_BODY, 0, 0);
    for (size_t i = 0; i < nv * nv; i++) M[i] = 0;
    data->engine->mass(m, w, M);
    represent_mass(m, w, (int)data->settings.representation, M);
    mirror(nv, M);
    return JN_OK;
  }
  status = start_at_rest(m, data, q);
  if (status) return status;
  add_to_parents(m, w->Ms, 10 * (size_t)w->rows, 10);
  if (!jn_composite_matrices(m, w, 0, M, NULL, 0)) return JN_ERR_NOT_FINITE;
  memset(M, 0, sizeof(double) * nv * nv);
  jn_composite_matrices(m, w, 0, M, NULL, 1);
  return JN_OK;
}

jn_status jn_mass_matrix(const jn_model *m, jn_data *data, const double *q, double *M) {
  return is_coupled(m, data) ? jn_coupled_mass_matrix(m, data, q, M)
                             : jn_open_mass_matrix(m, data, q, M);
}

static jn_status factor_mass(const jn_model *m, jn_data *data, const double *q) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (!status) status = start_at_rest(m, data, q);
  if (status) return status;
  data->singular = spatial_articulated_inertias(m, &data->w, NULL);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  return jn_is_bounded(m, data, NULL) && jn_factors_are_bounded(m, data) ? JN_OK
                                                                         : JN_ERR_NOT_FINITE;
}

jn_status jn_inverse_mass(const jn_model *model, jn_data *data, const double *q, double *Minv) {
  if (is_coupled(model, data)) return jn_coupled_inverse_mass(model, data, q, Minv);
  if (model && model->nv && !Minv) return JN_ERR_ARGUMENT;
  jn_status status = factor_mass(model, data, q);
  if (status) return status;
  size_t nv = (size_t)model->nv;
  double *y = data->w.solve_rhs;
  int last = 0;
  for (size_t c = 0; c < nv; c += JN_SOLVE_COLUMNS) {
    size_t count = nv - c < JN_SOLVE_COLUMNS ? nv - c : JN_SOLVE_COLUMNS, top = c + count - 1;
    memset(y, 0, sizeof(double) * nv * JN_SOLVE_COLUMNS);
    for (size_t n = 0; n < count; n++) y[(c + n) * JN_SOLVE_COLUMNS + n] = 1;
    /* the links of the first and of the last column */
    int first = last;
    while ((size_t)(model->link[first].iv + model->link[first].nv) <= c) first++;
    while ((size_t)(model->link[last].iv + model->link[last].nv) <= top) last++;
    /* forces on later links are zero, and the rows of later links follow from symmetry */
    data->engine->mass_solve(model, &data->w, first, last, y);
    for (size_t i = 0; i <= top; i++)
      memcpy(Minv + i * nv + c, y + i * JN_SOLVE_COLUMNS, sizeof(double) * count);
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
  if (is_coupled(model, data)) return jn_coupled_inverse_mass_apply(model, data, q, count, B, out);
  if (!model || count < 0) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)model->nv, columns = (size_t)count;
  if (nv && columns && (!B || !out)) return JN_ERR_ARGUMENT;
  if (!jn_all_below(B, nv * columns, JN_BOUND_2)) return JN_ERR_NOT_FINITE;
  jn_status status = factor_mass(model, data, q);
  if (status) return status;
  double *y = data->w.solve_rhs;
  for (size_t c = 0; c < columns; c += JN_SOLVE_COLUMNS) {
    size_t n = columns - c < JN_SOLVE_COLUMNS ? columns - c : JN_SOLVE_COLUMNS;
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < JN_SOLVE_COLUMNS; s++)
        y[JN_SOLVE_COLUMNS * i + s] = s < n ? B[i * columns + c + s] : 0;
    data->engine->mass_solve(model, &data->w, 0, model->nlink - 1, y);
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) out[i * columns + c + s] = y[JN_SOLVE_COLUMNS * i + s];
  }
  return jn_all_finite(out, nv * columns) ? JN_OK : JN_ERR_NOT_FINITE;
}
