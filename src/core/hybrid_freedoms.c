/* hybrid_freedoms.c: hybrid dynamics with motion or force given for each degree of freedom.
 *
 * With f the freedoms whose forces are given, for k = 0, 1, ..., r
 *   M_ff v_f^(k+1) = tau_f^(k) - ID_f^(k)      ID: inverse dynamics with v_f^(k+1) = 0
 * and the same M_ff for every order. Rows and columns of the other freedoms are those of the unit
 * matrix, which keeps the sparsity of the tree. */
#include <jounce/dynamics.h>
#include <jounce/mass_matrix.h>
#include <math.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/work.h"

enum { PASSES = 5 };          /* of iterative refinement */
#define LARGEST_RESIDUAL 1e-8 /* relative to the largest force */

static jn_status factor(const jn_model *m, jn_data *data, const double *q,
                        const unsigned char *prescribed, double *H) {
  const size_t nv = (size_t)m->nv;
  jn_status status = jn_mass_matrix(m, data, q, H);
  if (status) return status;
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < nv; j++)
      if (prescribed[i] || prescribed[j]) H[i * nv + j] = i == j;
  for (int i = 0; i < m->nlink; i++) /* a joint that moves no mass is singular by itself */
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
      if (!(H[(size_t)j * nv + (size_t)j] > 0)) {
        data->singular = m->link[i].joint;
        return JN_ERR_SINGULAR;
      }
  if (data->engine->mass_factor(m, H)) return JN_OK;
  data->singular = m->link[0].joint;
  return JN_ERR_SINGULAR;
}

/* x := M_ff^-1 x by the factors of mass_factor.h; given freedoms have zeros */
static void solve(size_t nv, const double *H, double *x) {
  for (size_t i = nv; i-- > 0;)
    for (size_t j = 0; j < i; j++) x[j] -= H[i * nv + j] * x[i];
  for (size_t i = 0; i < nv; i++) {
    x[i] *= H[i * nv + i];
    for (size_t j = 0; j < i; j++) x[i] -= H[i * nv + j] * x[j];
  }
}

/* residual of order k in x; returns its largest entry */
static double residual(size_t nv, const unsigned char *prescribed, const double *force,
                       const double *got, double *x) {
  double worst = 0;
  for (size_t i = 0; i < nv; i++) {
    x[i] = prescribed[i] ? 0 : force[i] - got[i];
    worst = fmax(worst, fabs(x[i]));
  }
  return worst;
}

jn_status jn_hybrid_dynamics_by_freedom(const jn_model *model, jn_data *data, int order,
                                        const double *q, const unsigned char *prescribed, double *v,
                                        double *tau, const jn_external *external) {
  static const unsigned char none = 0; /* of a model that does not move */
  if (is_coupled(model, data))
    return jn_coupled_hybrid_dynamics(
        model, data, order, q,
        (coupled_given){.freedoms = model->nv || prescribed ? prescribed : &none}, v, tau,
        external);
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  const size_t nv = (size_t)model->nv, rows = (size_t)order + 1;
  if (nv && (!v || !tau || !prescribed)) return JN_ERR_ARGUMENT;
  if (nv > JN_DENSE_DOFS) return JN_ERR_LIMIT;
  const jn_work *w = &data->w;
  double *H = w->mass, *motion = out_of(w, 2), *force = out_of(w, 1), *x = w->solve_rhs;
  status = factor(model, data, q, prescribed, H);
  if (status) return status;
  for (size_t i = 0; i < rows * nv; i++)
    if (!prescribed[i % nv] && !isfinite(tau[i])) return JN_ERR_NOT_FINITE;
  for (size_t i = 0; i < (rows + 1) * nv; i++) motion[i] = i < nv || prescribed[i % nv] ? v[i] : 0;
  for (size_t k = 0; k < rows; k++) {
    double before = HUGE_VAL, size = 0;
    for (int pass = 0; pass < PASSES; pass++) {
      status = jn_inverse_dynamics(model, data, (int)k, q, motion, external, force);
      if (status) return status;
      const double left = residual(nv, prescribed, tau + k * nv, force + k * nv, x);
      for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(force[k * nv + i]));
      size = fmax(size, left);
      if (!(left < 0.25 * before) || pass == PASSES - 1) {
        if (left > LARGEST_RESIDUAL * size) return JN_ERR_SINGULAR;
        break;
      }
      before = left;
      solve(nv, H, x);
      for (size_t i = 0; i < nv; i++) motion[(k + 1) * nv + i] += x[i];
    }
  }
  for (size_t i = 0; i < rows * nv; i++)
    if (prescribed[i % nv])
      tau[i] = force[i];
    else
      v[nv + i] = motion[nv + i];
  return JN_OK;
}
