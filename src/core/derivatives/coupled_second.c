/* coupled_second.c: second derivatives of models whose mimic joints are eliminated: core/coupled.h.
 *
 * With weights w of the forces tau_y = G^T tau, the tree's contracted with G w are folded:
 *   w . d2 tau_y/d y^2 = G^T (G w . d2 tau/d q^2) G      and so by y', and the derivatives of M_y
 * Unit weights give all rows, with the memory of matrices. Forward dynamics: with mu = M_y^-1 w let
 * T = mu . tau and D_cb = d (mu . M_y)_c / d q_b at a(q, v, tau). Then, with sums over c,
 *   w . d2 a / dq_a dq_b   = -(T_qa,qb + D_cb d a_c/d q_a + D_ca d a_c/d q_b)
 *   w . d2 a / dq_a dv_b   = -(T_qa,vb + D_ca d a_c/d v_b)
 *   w . d2 a / dv_a dv_b   = -T_va,vb
 *   w . d2 a / dq_a dtau_b = -D_ca d a_c/d tau_b */
#include <string.h>

#include "core/coupled.h"

enum { QQ, QV, VV, MQ, ALL }; /* of jn_second */

/* G w: weight of the tree in TREE_OTHER; weight = NULL: unit i */
static double *tree_weight(const jn_model *m, const jn_data *data, const double *weight, size_t i) {
  double *own = coupled_rows(data, OWN_OTHER), *tree = coupled_rows(data, TREE_OTHER);
  for (size_t k = 0; k < (size_t)m->nv; k++) own[k] = weight ? weight[k] : k == i;
  jn_tree_expand(m, NULL, 1, own, NULL, tree);
  return tree;
}

/* The wanted second derivatives at TREE_MOTION, contracted with a weight of the tree and folded: X
 * [nv x nv] each, one after another. */
static jn_status contracted(const jn_model *m, jn_data *data, const jn_external *external,
                            const double *weight, const int *wanted, double **X) {
  const jn_external wrenches = jn_coupled_wrenches(external);
  const size_t square = (size_t)m->tree->nv * (size_t)m->tree->nv;
  for (int i = 0; i < ALL; i++)
    X[i] = wanted[i] ? data->w.tree_matrices + (size_t)i * square : NULL;
  const jn_second out = {X[QQ], X[QV], X[VV], X[MQ]};
  jn_status status = jn_open_inverse_second(
      m->tree, data, data->w.tree_q, coupled_rows(data, TREE_MOTION), &wrenches, weight, &out);
  for (int i = 0; i < ALL && !status; i++)
    if (X[i]) jn_coupled_fold(m, data, 1, X[i]);
  return status;
}

jn_status jn_coupled_inverse_second(const jn_model *m, jn_data *data, const double *q,
                                    const double *v, const jn_external *external,
                                    const double *weight, const jn_second *out) {
  if (!out) return JN_ERR_ARGUMENT;
  jn_status status = jn_coupled_start(m, data, 0, external, 2, q, v);
  if (!status && !jn_coupled_room(m->tree, data->order)) status = JN_ERR_LIMIT;
  if (status) return status;
  const size_t nv = (size_t)m->nv, count = weight ? 1 : nv;
  double *const to[ALL] = {out->dqdq, out->dqdv, out->dvdv, out->dmdq}, *X[ALL];
  int wanted[ALL];
  for (int k = 0; k < ALL; k++) wanted[k] = to[k] != NULL;
  for (size_t i = 0; i < count; i++) {
    status = contracted(m, data, external, tree_weight(m, data, weight, i), wanted, X);
    if (status) return status; /* at the first row: limits are those of the state */
    for (int k = 0; k < ALL; k++)
      if (wanted[k] && nv) memcpy(to[k] + i * nv * nv, X[k], sizeof(double) * nv * nv);
  }
  return JN_OK;
}

/* d M_ij/d y_k: the forces' second derivatives by y'' and y, at rest */
jn_status jn_coupled_mass_partials(const jn_model *m, jn_data *data, const double *q, double *dM) {
  const size_t nv = (size_t)m->nv;
  double *rest = coupled_rows(data, OWN_MOTION);
  memset(rest, 0, sizeof *rest * 2 * (size_t)m->tree->nv);
  return jn_coupled_inverse_second(m, data, q, rest, NULL, NULL,
                                   &(jn_second){.dmdq = nv ? dM : NULL});
}

/* out += sign sum_c D[c][a] F[c][b], [nv x nv] */
static void add_product(size_t nv, double sign, const double *D, const double *F, double *out) {
  for (size_t c = 0; c < nv; c++)
    for (size_t a = 0; a < nv; a++)
      for (size_t b = 0; b < nv; b++) out[a * nv + b] += sign * D[c * nv + a] * F[c * nv + b];
}
static void negate(const double *X, size_t n, double *out) {
  for (size_t i = 0; i < n; i++) out[i] = X ? -X[i] : 0;
}

/* mu = M_y^-1 w as a weight of the tree */
static double *adjoint(const jn_model *m, const jn_data *data, const double *weight, size_t i) {
  double *tree = tree_weight(m, data, weight, i), *own = coupled_rows(data, OWN_OTHER);
  jn_coupled_mass_solve(m, data, 1, own);
  jn_tree_expand(m, NULL, 1, own, NULL, tree);
  return tree;
}

/* Whatever can fail, without an output. */
static jn_status check_forward(const jn_model *m, jn_data *data, const double *q, const double *v,
                               const double *tau, const jn_external *external,
                               const double *weight) {
  const size_t nv = (size_t)m->nv, count = weight ? 1 : nv;
  static const int none[ALL] = {0};
  double *X[ALL];
  if (nv && (!v || !tau)) return JN_ERR_ARGUMENT;
  if (weight && !jn_all_finite(weight, nv)) return JN_ERR_NOT_FINITE;
  if (!jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  jn_status status = jn_coupled_solve(m, data, 0, q, (coupled_given){0}, v, tau, external);
  for (size_t i = 0; i < count && !status; i++)
    status = contracted(m, data, external, adjoint(m, data, weight, i), none, X);
  return status;
}

jn_status jn_coupled_forward_second(const jn_model *m, jn_data *data, const double *q,
                                    const double *v, const double *tau, const jn_external *external,
                                    const double *weight, double *dq, double *dv, double *dtau,
                                    const jn_second_forward *out) {
  jn_status status = check_forward(m, data, q, v, tau, external, weight);
  if (!status) status = jn_coupled_forward_partials(m, data, 0, q, v, tau, external, dq, dv, dtau);
  if (status) return status;
  const size_t nv = (size_t)m->nv, square = nv * nv, count = weight ? 1 : nv;
  const int wanted[ALL] = {out->dqdq != NULL, out->dqdv != NULL, out->dvdv != NULL,
                           out->dqdq || out->dqdv || out->dqdtau};
  double *X[ALL], *const to[ALL] = {out->dqdq, out->dqdv, out->dvdv, out->dqdtau};
  int finite = 1;
  for (size_t i = 0; i < count; i++) {
    status = contracted(m, data, external, adjoint(m, data, weight, i), wanted, X);
    if (status) return status;
    for (int k = 0; k < ALL; k++)
      if (to[k]) negate(k == MQ ? NULL : X[k], square, to[k] + i * square);
    if (out->dqdq) { /* by a and by b */
      double *x = out->dqdq + i * square;
      add_product(nv, -1, dq, X[MQ], x);
      add_product(nv, -1, X[MQ], dq, x);
    }
    if (out->dqdv) add_product(nv, -1, X[MQ], dv, out->dqdv + i * square);
    if (out->dqdtau) add_product(nv, -1, X[MQ], dtau, out->dqdtau + i * square);
    for (int k = 0; k < ALL; k++) finite &= !to[k] || jn_all_finite(to[k] + i * square, square);
  }
  return finite ? JN_OK : JN_ERR_NOT_FINITE;
}
