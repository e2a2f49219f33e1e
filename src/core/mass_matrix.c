/* mass_matrix.c: the mass matrix by the composite-rigid-body algorithm (CRBA), and its inverse
 * through its factors L^T D L, or through the articulated inertias (IMMAmb, bos2022 table 9): M^-1
 * times unit forces, many at a time. */
#include <jounce/mass_matrix.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* A^-1 x of a free joint, v_body = A v_user, for the twist x = (w, v) of the body:
 * (R w, R v + p x R w) spatial, (R w, R v) hybrid, (w, R v) mixed; numbers `step` apart */
static void represent_twist(int rep, const real *R, v3 p, double *x, size_t step) {
  v3 w = v3_make(x[0], x[step], x[2 * step]),
     v = m3_apply(R, v3_make(x[3 * step], x[4 * step], x[5 * step]));
  if (rep != JN_MIXED) w = m3_apply(R, w);
  if (rep == JN_SPATIAL) v = v3_add(v, v3_cross(p, w));
  x[0] = w.x, x[step] = w.y, x[2 * step] = w.z;
  x[3 * step] = v.x, x[4 * step] = v.y, x[5 * step] = v.z;
}

/* M^-1 (upper half) for velocities of free joints in the user's representation: A^-1 M^-1 A^-T */
static void represent_inverse(const jn_model *m, const jn_work *w, int rep, double *Minv) {
  const size_t nv = (size_t)m->nv;
  for (int f = 0; rep != JN_BODY && f < m->nfree; f++) {
    const jn_link *l = &m->link[m->free_link[f]];
    const size_t iv = (size_t)l->iv;
    const real *R = X_of(w, l->ix);
    const v3 p = free_position(l, w);
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < i; j++) Minv[(iv + i) * nv + iv + j] = Minv[(iv + j) * nv + iv + i];
    for (size_t r = 0; r < iv + 6; r++) represent_twist(rep, R, p, Minv + r * nv + iv, 1);
    for (size_t c = iv; c < nv; c++) represent_twist(rep, R, p, Minv + iv * nv + c, nv);
  }
}

/* whether no number of q is so large that the mass matrix could overflow */
static int moderate_state(const jn_model *m, const double *q) {
  int small = m->moderate;
  for (int i = 0; i < m->nq; i++) small &= fabs(q[i]) < JN_MODERATE;
  return small;
}

jn_status jn_mass_matrix(const jn_model *m, jn_data *data, const double *q, double *M) {
  if (is_coupled(m, data)) return jn_coupled_mass_matrix(m, data, q, M);
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
    data->engine->mass(m, w, (int)data->settings.representation, M, NULL);
    mirror_upper(nv, M);
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

static jn_status factor_mass(const jn_model *m, jn_data *data, const double *q) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (!status) status = start_at_rest(m, data, q);
  if (status) return status;
  data->singular = spatial_articulated_inertias(m, &data->w, NULL);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  return jn_is_bounded(m, data, NULL) && jn_factors_are_bounded(m, data) ? JN_OK
                                                                         : JN_ERR_NOT_FINITE;
}

/* Pivots of M below this part of the inertias they came from: the articulated inertias decide. */
#define SMALL_PIVOT 1e-10

/* M^-1 from the factors of M in body representation (mass_factor.h). Returns 0 where the call must go
 * another way: many degrees of freedom, large numbers, small pivots. */
static int inverse_by_factors(const jn_model *m, jn_data *data, double *Minv) {
  const jn_work *w = &data->w;
  const size_t nv = (size_t)m->nv;
  double *H = w->mass, *scale = dof_of(w, 0);
  if (m->nv > JN_DENSE_DOFS || !moderate_state(m, w->q)) return 0;
  memset(w->io, 0, sizeof(double) * nv);
  boundary_motion_in(m, w, JN_BODY, 0, 0);
  memset(H, 0, sizeof(double) * nv * nv);
  data->engine->mass(m, w, JN_BODY, H, scale);
  mirror_upper(nv, H);
  if (!data->engine->mass_factor(m, H)) return 0;
  int good = jn_all_below(H, nv * nv, JN_BOUND);
  for (size_t i = 0; i < nv; i++) good &= H[i * (nv + 1)] * scale[i] * SMALL_PIVOT < 1;
  if (!good) return 0;
  data->engine->mass_factor_inverse(m, H, Minv);
  represent_inverse(m, w, (int)data->settings.representation, Minv);
  mirror_upper(nv, Minv);
  return 1;
}

jn_status jn_inverse_mass(const jn_model *model, jn_data *data, const double *q, double *Minv) {
  if (is_coupled(model, data)) return jn_coupled_inverse_mass(model, data, q, Minv);
  if (model && model->nv && !Minv) return JN_ERR_ARGUMENT;
  jn_status status = jn_check_call(model, data, 0, NULL);
  if (!status) status = jn_load_state(model, data, 0, q, NULL);
  if (status) return status;
  data->singular = -1;
  if (inverse_by_factors(model, data, Minv)) return JN_OK;
  status = factor_mass(model, data, q);
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
