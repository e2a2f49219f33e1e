/* mass_partials.c: derivatives of the mass matrix and of its inverse by the configuration. */
#include "core/derivatives/mass_partials.h"

#include <jounce/mass_matrix.h>
#include <string.h>

#include "core/coupled.h"
#include "core/external.h"

jn_status jn_mass_partials_check(const jn_model *m, const jn_data *data) {
  jn_status status = jn_check_state_call(m, data, 0, NULL);
  if (status) return status;
  return m->nfree && data->settings.representation != JN_BODY ? JN_ERR_ARGUMENT : JN_OK;
}

jn_status jn_mass_composites(const jn_model *m, jn_data *data, const double *q) {
  jn_status status = start_at_rest(m, data, q);
  if (status) return status;
  add_to_parents(m, data->w.Ms, 10 * (size_t)data->w.rows, 10);
  return jn_is_bounded(m, data, NULL) ? JN_OK : JN_ERR_NOT_FINITE;
}

/* Derivatives of M = S_a^T Mc_i S_i, for columns on one path from the root. F_i = Mc_i S_i; a: an
 * ancestor of i or on its link:
 *   c an ancestor of a or on its link      d_c M_ai = 0 (rigid motion of the subtree)
 *   c below a, an ancestor of i or on it   d_c M_ai = ad(S_a) S_c . F_i
 *   c below i                              d_c M_ai = -Mc_c S_a . ad(S_c) S_i
 *                                                     -ad(S_c) S_a . Mc_c S_i */

/* All d_c M_ai with c on `tip` and a, i ancestors, and with i on `tip` and c on it or an
 * ancestor. */
static void partials_of_tip(const jn_model *m, const jn_data *data, dof tip, double *dM) {
  const size_t nv = (size_t)m->nv, t = (size_t)tip.column;
  const inertia10 *Mc = composite(data, tip.link);
  six S = screw(data, tip.column), F = inertia10_apply(Mc, S);
  for (dof a = last_of(m, tip.link); a.link >= 0; a = before(m, a)) {
    six Sa = screw(data, a.column), Fa = inertia10_apply(Mc, Sa), ta = six_ad(S, Sa);
    for (dof b = last_of(m, tip.link); b.link >= 0; b = before(m, b)) {
      size_t x = (size_t)a.column, y = (size_t)b.column;
      six Sb = screw(data, b.column);
      /* derivative along tip, x and y ancestors */
      if (a.link < tip.link && b.link < tip.link)
        dM[(x * nv + y) * nv + t] =
            -(six_dot(Fa, six_ad(S, Sb)) + six_dot(ta, inertia10_apply(Mc, Sb)));
      /* derivative along b of tip's column, x an ancestor of b */
      if (a.link < b.link)
        dM[(x * nv + t) * nv + y] = dM[(t * nv + x) * nv + y] = six_dot(six_ad(Sa, Sb), F);
    }
  }
}

jn_status jn_mass_partials(const jn_model *m, jn_data *data, const double *q, double *dM) {
  jn_status status = jn_mass_partials_check(m, data);
  if (status) return status;
  if (m->nv && !dM) return JN_ERR_ARGUMENT;
  if (is_coupled(m, data)) return jn_coupled_mass_partials(m, data, q, dM);
  status = jn_mass_composites(m, data, q);
  if (status) return status;
  size_t n = (size_t)m->nv * (size_t)m->nv * (size_t)m->nv;
  if (n) memset(dM, 0, sizeof(double) * n);
  for (int i = 0; i < m->nlink; i++)
    for (int c = m->link[i].iv; c < m->link[i].iv + m->link[i].nv; c++)
      partials_of_tip(m, data, (dof){c, i}, dM);
  return JN_OK; /* finite, since the composites are bounded */
}

jn_status jn_inverse_mass_partials(const jn_model *m, jn_data *data, const double *q, double *Minv,
                                   double *dMinv) {
  jn_status status = jn_mass_partials_check(m, data);
  if (status) return status;
  size_t nv = (size_t)m->nv;
  double *t = dof_of(&data->w, 2);
  if (nv && (!Minv || !dMinv)) return JN_ERR_ARGUMENT;
  if (!is_coupled(m, data)) status = jn_mass_composites(m, data, q); /* before Minv is written */
  if (!status) status = jn_inverse_mass(m, data, q, Minv);
  if (!status) status = jn_mass_partials(m, data, q, dMinv);
  if (status) return status;
  for (size_t k = 0; k < nv; k++) {
    /* dM Minv row by row, then -Minv (dM Minv) column by column */
    for (size_t i = 0; i < nv; i++) {
      memset(t, 0, sizeof(double) * nv);
      for (size_t h = 0; h < nv; h++)
        for (size_t j = 0; j < nv; j++) t[j] += dMinv[(i * nv + h) * nv + k] * Minv[h * nv + j];
      for (size_t j = 0; j < nv; j++) dMinv[(i * nv + j) * nv + k] = t[j];
    }
    for (size_t j = 0; j < nv; j++) {
      memset(t, 0, sizeof(double) * nv);
      for (size_t i = 0; i < nv; i++)
        for (size_t h = 0; h < nv; h++) t[i] -= Minv[i * nv + h] * dMinv[(h * nv + j) * nv + k];
      for (size_t i = 0; i < nv; i++) dMinv[(i * nv + j) * nv + k] = t[i];
    }
  }
  return jn_all_finite(dMinv, nv * nv * nv) ? JN_OK : JN_ERR_NOT_FINITE;
}
