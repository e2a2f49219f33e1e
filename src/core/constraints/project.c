/* project.c: to the constraint manifold in the metric of M, and the velocity jump of an impact.
 *
 *   M (a - v) = J^T x,   J a = u + rate
 * a is the velocity nearest to v in kinetic energy. With v = 0, u = 0 and rate = -(residuals of the
 * positions) it is the step of Newton's method to the manifold. */
#include "core/constraints/project.h"

#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "core/constraints/closure.h"
#include "core/constraints/rates.h"
#include "core/external.h"
#include "core/group.h"

#define ROUNDING 1e-15 /* relative residual: no further step */
#define ON_MANIFOLD 1e-12
enum { MOST_STEPS = 12 };

/* Poses, rows and, if v is not NULL, the velocity at q. */
static jn_status place(const jn_model *m, jn_data *data, const double *q, const double *v,
                       const jn_constraints *constraints, closure *c) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (!status) status = jn_closure_begin(m, data, constraints, v ? 1 : 0, c);
  if (!status) status = jn_load_state_about_joint(m, data, v ? 1 : 0, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  c->proximal = 0;
  if (!v) c->moving = 0;
  data->kinematics = -2;
  if (!v && m->nv) memset(w->io, 0, sizeof(double) * (size_t)m->nv);
  boundary_motion_in(m, w, v ? (int)data->settings.representation : JN_BODY, 0, 0);
  place_joints(m, w);
  place_poses(m, data);
  if (!jn_closure_place(c, data, constraints, v ? 1 : 0)) return JN_ERR_NOT_FINITE;
  rows_step(c, 0);
  return JN_OK;
}

/* w->v := the velocity with J v = u + rate, sum[nrow] := x, after `place`. JN_ERR_RANK: not all rows
 * can be met; w->v meets those that can. */
static jn_status respond(closure *c, jn_data *data, const double *rate, double *sum) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  double *psi = row_scratch_of(w, 4), *x = row_scratch_of(w, 3), left = 0;
  int row = -1;
  data->singular = spatial_start(m, w, &data->settings, NULL);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  blocks b = blocks_make(c, 1);
  blocks_factor(c, &b, 1);
  for (int r = 0; r < m->nrow; r++) sum[r] = 0;
  for (int pass = 0; pass < RATE_PASSES; pass++) {
    rows_rate(c, 0, psi);
    for (int r = 0; rate && r < m->nrow; r++) psi[r] -= rate[r];
    left = worst_rate(c, 0, pass, psi, &row);
    if (left <= CLOSURE_ROUNDING || pass == RATE_PASSES - 1) break;
    closure_solve(c, &b, psi, x);
    closure_correct(c, -1, x);
    for (int n = 0; n < blocks_rows(&b); n++) sum[b.row[n]] += x[b.row[n]];
  }
  if (left > RATE_RANK) return jn_closure_fail(data, JN_ERR_RANK, row, 1, psi[row], RATE_RANK);
  return JN_OK;
}

/* The velocity w->v and the impulses sum[nrow] to the user. */
static jn_status velocity_out(const jn_model *m, jn_data *data, const double *sum, double *a,
                              double *x) {
  const jn_work *w = &data->w;
  const size_t nv = (size_t)m->nv, nrow = (size_t)m->nrow;
  const int rep = (int)data->settings.representation;
  boundary_motion_out(m, w, rep, 0, 0, 1);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, 1, 1, 0);
  if (!jn_all_finite(w->io, nv) || !jn_all_finite(sum, nrow)) return JN_ERR_NOT_FINITE;
  if (nv) memcpy(a, w->io, sizeof(double) * nv);
  if (x && nrow) memcpy(x, sum, sizeof(double) * nrow);
  return JN_OK;
}

jn_status jn_project_velocity(const jn_model *model, jn_data *data, const double *q,
                              const double *v, const double *rate,
                              const jn_constraints *constraints, double *a, double *x) {
  closure c;
  jn_status status = place(model, data, q, v, constraints, &c);
  if (status) return status;
  double *sum = row_scratch_of(&data->w, 5);
  status = respond(&c, data, rate, sum);
  return status ? status : velocity_out(model, data, sum, a, x);
}

jn_status jn_impact(const jn_model *model, jn_data *data, const double *q, const double *v,
                    const jn_constraints *constraints, double *v_after, double *impulse) {
  jn_status status = jn_check_call(model, data, 0, NULL);
  if (status) return status;
  if (model->nv && (!v || !v_after)) return JN_ERR_ARGUMENT;
  closure c;
  status = place(model, data, q, v, constraints, &c);
  if (!status) status = jn_closure_check(&c, data, constraints, 0);
  if (status) return status;
  double *sum = row_scratch_of(&data->w, 5);
  status = respond(&c, data, NULL, sum);
  return status ? status : velocity_out(model, data, sum, v_after, impulse);
}

/* Residuals after `place`: rest[nrow], zero where not active. Returns the largest relative one. */
static double residuals(const closure *c, double *rest, int *row) {
  const jn_model *m = c->m;
  double size[6], worst = 0;
  *row = 0;
  for (int r = 0; r < m->nrow; r++) rest[r] = 0;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_is_active(c, i)) continue;
    jn_closure_residual(c, c->w->q, i, rest + cut->row, size);
    for (int r = 0; r < cut->rows; r++) {
      const double part = fabs(rest[cut->row + r]) / size[r];
      if (!(part <= worst)) worst = part, *row = cut->row + r;
    }
  }
  return worst;
}

jn_status jn_project_check(const jn_model *model, jn_data *data, const double *q, const double *v,
                           const jn_constraints *constraints) {
  closure c;
  jn_status status = place(model, data, q, v, constraints, &c);
  if (status) return status;
  spatial_kinematics(model, &data->w, 0);
  return jn_closure_check(&c, data, constraints, 1);
}

jn_status jn_project_step(const jn_model *model, jn_data *data, const double *q,
                          const jn_constraints *constraints, double *dq) {
  const jn_work *w = &data->w;
  double *rest = row_scratch_of(w, 7);
  closure c;
  int row;
  jn_status status = place(model, data, q, NULL, constraints, &c);
  if (status) return status;
  residuals(&c, rest, &row);
  for (int r = 0; r < model->nrow; r++) rest[r] = -rest[r];
  status = respond(&c, data, rest, row_scratch_of(w, 5));
  if (status && status != JN_ERR_RANK) return status;
  boundary_motion_out(model, w, JN_BODY, 0, 0, 1);
  if (model->nv) memcpy(dq, w->io, sizeof *dq * (size_t)model->nv);
  return jn_all_finite(dq, (size_t)model->nv) ? JN_OK : JN_ERR_NOT_FINITE;
}

jn_status jn_project_configuration(const jn_model *model, jn_data *data,
                                   const jn_constraints *constraints, double settled, double *q) {
  const jn_work *w = &data->w;
  const size_t size = sizeof *q * (size_t)model->nq;
  double *now = w->out, *best = now + model->nq, *next = best + model->nq,
         *rest = row_scratch_of(w, 7), least = HUGE_VAL, far = 0;
  int row = 0;
  jn_status status = JN_OK;
  closure c;
  memcpy(now, q, size);
  for (int n = 0; n <= MOST_STEPS; n++) {
    status = place(model, data, now, NULL, constraints, &c);
    if (status) return status;
    const double worst = residuals(&c, rest, &row);
    if (!(worst < least)) break; /* rounding, or no convergence */
    memcpy(best, now, size);
    least = worst, far = rest[row];
    if (worst <= fmax(settled, ROUNDING) || n == MOST_STEPS) break;
    for (int r = 0; r < model->nrow; r++) rest[r] = -rest[r];
    /* rows that depend on others may contradict them beside the manifold */
    status = respond(&c, data, rest, row_scratch_of(w, 5));
    if (status && status != JN_ERR_RANK) return status;
    boundary_motion_out(model, w, JN_BODY, 0, 0, 1);
    jn_group_step(model, now, w->io, next);
    memcpy(now, next, size);
  }
  if (!(least <= ON_MANIFOLD))
    return jn_closure_fail(data, JN_ERR_CLOSURE, row, 0, far, ON_MANIFOLD);
  memcpy(q, best, size);
  return JN_OK;
}
