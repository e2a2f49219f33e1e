/* mobility.c: the constraints at a state: residuals, Jacobian, rank. */
#include <jounce/constraints.h>
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "core/constraints/closure.h"
#include "core/constraints/forces.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Everything at order 0, then orders 1..order of screws, twists and wrenches. */
static jn_status place_motion(const jn_model *m, jn_data *data, int order, const double *q,
                              const double *v, const jn_constraints *constraints, closure *c) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (status) return status;
  if (order < 0) return JN_ERR_ARGUMENT;
  if (order > data->order + 1) return JN_ERR_ORDER;
  const int rows = v ? order + 1 : 0;
  status = jn_closure_begin(m, data, constraints, rows, c);
  if (!status) status = jn_load_state_about_joint(m, data, rows, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  data->kinematics = -2;
  if (!v && m->nv) memset(w->io, 0, sizeof(double) * (size_t)m->nv);
  boundary_motion_in(m, w, (int)data->settings.representation, 0, order);
  place_joints(m, w);
  place_poses(m, data);
  if (!jn_closure_place(c, data, constraints, rows)) return JN_ERR_NOT_FINITE;
  spatial_kinematics(m, w, order);
  for (int k = 0; k <= order; k++) rows_step(c, k);
  return JN_OK;
}

/* J of orders 0..order as derivatives in w->row_jacobian, columns in the user's representation. */
static void jacobian_out(const closure *c, jn_data *data, int order) {
  const jn_model *m = c->m;
  const int rep = (int)data->settings.representation;
  const size_t size = (size_t)m->nrow * (size_t)m->nv;
  if (rep == JN_SPATIAL) boundary_about_origin(m, c->w);
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    represent_screws(l, c->w, rep, order, S_of(c->w, l->iv));
  }
  double factorial = 1;
  for (int k = 0; k <= order; k++) {
    double *J = c->w->row_jacobian + (size_t)k * size;
    rows_jacobian(c, k, J);
    if (k) factorial *= k;
    for (size_t i = 0; i < size; i++) J[i] *= factorial;
  }
}

jn_status jn_constraint_closure(const jn_model *model, jn_data *data, int order, const double *q,
                                const double *v, const jn_constraints *constraints,
                                double *residual, double *rate, double *J) {
  closure c;
  if ((order > 0 || rate) && model && model->nv && !v) return JN_ERR_ARGUMENT;
  jn_status status = place_motion(model, data, order, q, v, constraints, &c);
  if (status) return status;
  const jn_work *w = &data->w;
  const size_t nrow = (size_t)model->nrow, n = ((size_t)order + 1) * nrow,
               nj = n * (size_t)model->nv;
  double *rest = row_scratch_of(w, 0), size[6];
  for (size_t r = 0; r < nrow; r++) rest[r] = 0;
  for (int i = 0; i < model->ncut; i++)
    if (cut_is_active(&c, i)) jn_closure_residual(&c, w->q, i, rest + model->cut[i].row, size);
  memset(w->lambda, 0, sizeof(double) * n);
  for (int k = 0; rate && k <= order; k++) rows_rate(&c, k, w->lambda + (size_t)k * nrow);
  jn_jet_to_derivatives(order, model->nrow, w->lambda);
  if (J) jacobian_out(&c, data, order);
  if (!jn_all_finite(rest, nrow) || !jn_all_finite(w->lambda, n) ||
      (J && !jn_all_finite(w->row_jacobian, nj)))
    return JN_ERR_NOT_FINITE;
  if (residual && nrow) memcpy(residual, rest, sizeof(double) * nrow);
  if (rate && n) memcpy(rate, w->lambda, sizeof(double) * n);
  if (J && nj) memcpy(J, w->row_jacobian, sizeof(double) * nj);
  return JN_OK;
}

/* Marks in `out` the pivots of the columns of J of a block: those in `first` (which are independent)
 * before the others; only columns of passive joints if `passive`. */
static void pivots(const closure *c, const forces *s, int passive, const unsigned char *first,
                   unsigned char *out) {
  const jn_work *w = c->w;
  qr f = {s->m, 0, 0, w->row_Q, dof_of(w, 0), s->b->spare, 0};
  int *column = s->b->spare + c->m->nv;
  double *scale = dof_of(w, 1);
  for (int j = 0; j < s->n; j++)
    if (!passive || is_equation(c->m, s->dof[j], NULL)) column[f.m++] = s->dof[j];
  for (int j = 0; j < f.m; j++) {
    double sum = 0;
    for (int r = 0; r < s->m; r++) {
      const double x =
          jacobian_at(c, 0, s->row[r], column[j]) / w->row_scale[s->b->first_row[s->i] + r];
      f.A[(size_t)r * (size_t)f.m + (size_t)j] = x;
      sum += x * x;
    }
    scale[j] = sum > 0 ? QR_SQRT(sum) : 1;
    if (first && first[column[j]]) scale[j] *= 0x1p-100;
  }
  qr_factor(&f, scale, c->rank_tolerance, dof_of(w, 2));
  for (int k = 0; k < f.rank; k++) out[column[f.perm[k]]] = 1;
}

jn_status jn_constraint_rank(const jn_model *model, jn_data *data, const double *q,
                             const jn_constraints *constraints, int *rank, unsigned char *redundant,
                             unsigned char *dependent) {
  closure c;
  jn_status status = place_motion(model, data, 0, q, NULL, constraints, &c);
  if (status) return status;
  c.proximal = 0;
  rows_jacobian(&c, 0, data->w.row_jacobian);
  if (!jn_all_finite(data->w.row_jacobian, (size_t)model->nrow * (size_t)model->nv))
    return JN_ERR_NOT_FINITE;
  blocks b = blocks_make(&c, 0);
  const int found = blocks_factor(&c, &b, 0);
  if (rank) *rank = found;
  if (redundant && model->nrow) memset(redundant, 0, (size_t)model->nrow);
  if (dependent && model->nv) memset(dependent, 0, (size_t)model->nv);
  unsigned char *first = (unsigned char *)(void *)data->w.out;
  if (model->nv) memset(first, 0, (size_t)model->nv);
  for (int i = 0; i < b.count; i++) {
    const forces s = forces_of(&c, &b, i);
    for (int k = s.rank; redundant && k < s.m; k++) redundant[s.row[s.f.first.perm[k]]] = 1;
    if (!dependent || !s.n) continue;
    pivots(&c, &s, 1, NULL, first);
    pivots(&c, &s, 0, first, dependent);
  }
  return JN_OK;
}
