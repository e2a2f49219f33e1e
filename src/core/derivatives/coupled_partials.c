/* coupled_partials.c: partial derivatives of models whose mimic joints are eliminated:
 * core/coupled.h.
 *
 * tau^(k) depends on q, v, ..., v^(k+1). Forward dynamics keeps tau^(k): with A_k = d tau^(k)/d q,
 * B_kj = d tau^(k)/d v^(j) and B_k(k+1) = M, the derivatives of v^(k+1) are
 *   F_k = d/dq        M F_k  = -A_k  - sum_(j<k) B_k(j+1) F_j
 *   H_k = d/dv        M H_k  = -B_k0 - sum_(j<k) B_k(j+1) H_j
 *   N_ki = d/dtau^(i) M N_ki = [k = i] - sum_(i<=j<k) B_k(j+1) N_ji */
#include <string.h>

#include "core/coupled.h"

/* A, B of the tree at TREE_MOTION, folded, one behind the other: [r+1] and [(r+1) x (r+2)] matrices
 * of the model. Those not wanted are left out. */
static jn_status folded_partials(const jn_model *m, jn_data *data, int order,
                                 const jn_external *external, int dq, int dv) {
  const size_t n = (size_t)order + 1, square = (size_t)m->tree->nv * (size_t)m->tree->nv;
  const jn_external wrenches = jn_coupled_wrenches(external);
  double *X = data->w.tree_matrices;
  if (!jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  jn_status status = jn_open_inverse_partials(m->tree, data, order, data->w.tree_q,
                                              coupled_rows(data, TREE_MOTION), &wrenches,
                                              dq ? X : NULL, dv ? X + (dq ? n * square : 0) : NULL);
  if (!status) jn_coupled_fold(m, data, (dq ? n : 0) + (dv ? n * (n + 1) : 0), X);
  return status;
}

jn_status jn_coupled_inverse_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                      const double *v, const jn_external *external, double *dq,
                                      double *dv) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 2, q, v);
  if (!status) status = folded_partials(m, data, order, external, dq != NULL, dv != NULL);
  if (status) return status;
  const size_t n = (size_t)order + 1, square = (size_t)m->nv * (size_t)m->nv,
               first = dq ? n * square : 0, second = dv ? n * (n + 1) * square : 0;
  const double *X = data->w.tree_matrices;
  if (!jn_all_finite(X, first + second)) return JN_ERR_NOT_FINITE;
  if (first) memcpy(dq, X, sizeof *dq * first);
  if (second) memcpy(dv, X + first, sizeof *dv * second);
  return JN_OK;
}

/* out += sign A B, [n x n] */
static void multiply(size_t n, double sign, const double *A, const double *B, double *out) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++) out[i * n + j] += sign * A[i * n + k] * B[k * n + j];
}

/* F in the place of A, H_k in that of B_k0, N behind B. */
typedef struct forward_matrices {
  size_t nv, n, square;
  double *A, *B, *N;
} forward_matrices;
static double *matrix_B(const forward_matrices *x, size_t k, size_t j) {
  return x->B + (k * (x->n + 1) + j) * x->square;
}

static void solve_order(const jn_model *m, const jn_data *data, const forward_matrices *x,
                        size_t k) {
  const size_t nv = x->nv, square = x->square;
  double *F = x->A + k * square, *H = matrix_B(x, k, 0);
  for (size_t i = 0; i < square; i++) F[i] = -F[i], H[i] = -H[i];
  for (size_t j = 0; j < k; j++) {
    multiply(nv, -1, matrix_B(x, k, j + 1), x->A + j * square, F);
    multiply(nv, -1, matrix_B(x, k, j + 1), matrix_B(x, j, 0), H);
  }
  jn_coupled_mass_solve(m, data, nv, F);
  jn_coupled_mass_solve(m, data, nv, H);
  for (size_t i = 0; i < x->n; i++) {
    double *N = x->N + (k * x->n + i) * square;
    for (size_t e = 0; e < square; e++) N[e] = k == i && e % (nv + 1) == 0;
    for (size_t j = i; j < k; j++)
      multiply(nv, -1, matrix_B(x, k, j + 1), x->N + (j * x->n + i) * square, N);
    if (i <= k) jn_coupled_mass_solve(m, data, nv, N);
  }
}

/* All matrices F, H, N of forward dynamics; finite. */
static jn_status forward_all(const jn_model *m, jn_data *data, int order, const double *q,
                             const double *v, const double *tau, const jn_external *external,
                             forward_matrices *x) {
  if (m->nv && (!v || !tau)) return JN_ERR_ARGUMENT;
  jn_status status = jn_coupled_solve(m, data, order, q, NULL, v, tau, external);
  if (!status) status = folded_partials(m, data, order, external, 1, 1);
  if (status) return status;
  const size_t n = (size_t)order + 1, nv = (size_t)m->nv, square = nv * nv;
  double *X = data->w.tree_matrices;
  *x = (forward_matrices){nv, n, square, X, X + n * square, X + n * (n + 2) * square};
  for (size_t k = 0; k < n; k++) solve_order(m, data, x, k);
  return jn_all_finite(X, 2 * n * (n + 1) * square) ? JN_OK : JN_ERR_NOT_FINITE;
}

jn_status jn_coupled_forward_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                      const double *v, const double *tau,
                                      const jn_external *external, double *dq, double *dv,
                                      double *dtau) {
  forward_matrices x;
  jn_status status = forward_all(m, data, order, q, v, tau, external, &x);
  if (status || !m->nv) return status;
  if (dq) memcpy(dq, x.A, sizeof *dq * x.n * x.square);
  for (size_t k = 0; dv && k < x.n; k++)
    memcpy(dv + k * x.square, matrix_B(&x, k, 0), sizeof *dv * x.square);
  if (dtau) memcpy(dtau, x.N, sizeof *dtau * x.n * x.n * x.square);
  return JN_OK;
}

/* out += A x, or A^T x */
static void apply(size_t n, const double *A, int transposed, const double *x, double *out) {
  for (size_t i = 0; x && i < n; i++)
    for (size_t j = 0; j < n; j++) out[transposed ? j : i] += A[i * n + j] * x[transposed ? i : j];
}

jn_status jn_coupled_forward_jvp(const jn_model *m, jn_data *data, int order, const double *q,
                                 const double *v, const double *tau, const jn_external *external,
                                 const double *dq, const double *dv, const double *dtau,
                                 double *out) {
  forward_matrices x;
  if (m->nv && !out) return JN_ERR_ARGUMENT;
  jn_status status = forward_all(m, data, order, q, v, tau, external, &x);
  if (status) return status;
  const size_t nv = x.nv, n = x.n * nv;
  double *y = coupled_rows(data, OWN_OTHER);
  if ((dq && !jn_all_finite(dq, nv)) || (dv && !jn_all_finite(dv, nv)) ||
      (dtau && !jn_all_finite(dtau, n)))
    return JN_ERR_NOT_FINITE;
  for (size_t i = 0; i < n; i++) y[i] = 0;
  for (size_t k = 0; k < x.n; k++) {
    apply(nv, x.A + k * x.square, 0, dq, y + k * nv);
    apply(nv, matrix_B(&x, k, 0), 0, dv, y + k * nv);
    for (size_t i = 0; i <= k && dtau; i++)
      apply(nv, x.N + (k * x.n + i) * x.square, 0, dtau + i * nv, y + k * nv);
  }
  return jn_deliver(y, n, out);
}

jn_status jn_coupled_forward_vjp(const jn_model *m, jn_data *data, int order, const double *q,
                                 const double *v, const double *tau, const jn_external *external,
                                 const double *weight, double *dq, double *dv, double *dtau) {
  forward_matrices x;
  if (m->nv && !weight) return JN_ERR_ARGUMENT;
  jn_status status = forward_all(m, data, order, q, v, tau, external, &x);
  if (status) return status;
  const size_t nv = x.nv, n = x.n * nv;
  double *gq = coupled_rows(data, OWN_OTHER), *gv = coupled_rows(data, TREE_OTHER),
         *gt = coupled_rows(data, OWN_FORCE);
  if (!jn_all_finite(weight, n)) return JN_ERR_NOT_FINITE;
  for (size_t i = 0; i < nv; i++) gq[i] = gv[i] = 0;
  for (size_t i = 0; i < n; i++) gt[i] = 0;
  for (size_t k = 0; k < x.n; k++) {
    apply(nv, x.A + k * x.square, 1, weight + k * nv, gq);
    apply(nv, matrix_B(&x, k, 0), 1, weight + k * nv, gv);
    for (size_t i = 0; i <= k; i++)
      apply(nv, x.N + (k * x.n + i) * x.square, 1, weight + k * nv, gt + i * nv);
  }
  if (!jn_all_finite(gq, nv) || !jn_all_finite(gv, nv) || !jn_all_finite(gt, n))
    return JN_ERR_NOT_FINITE;
  if (dq && nv) memcpy(dq, gq, sizeof *dq * nv);
  if (dv && nv) memcpy(dv, gv, sizeof *dv * nv);
  if (dtau && nv) memcpy(dtau, gt, sizeof *dtau * n);
  return JN_OK;
}

jn_status jn_coupled_inverse_jvp(const jn_model *m, jn_data *data, int order, const double *q,
                                 const double *v, const jn_external *external, const double *dq,
                                 const double *dv, double *out) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 2, q, v);
  if (status) return status;
  if (m->nv && !out) return JN_ERR_ARGUMENT;
  const jn_external wrenches = jn_coupled_wrenches(external);
  double *tq = coupled_rows(data, OWN_FORCE), *tv = coupled_rows(data, TREE_OTHER),
         *force = coupled_rows(data, TREE_FORCE), *own = coupled_rows(data, OWN_OTHER);
  if (dq) jn_tree_expand(m, NULL, 1, dq, NULL, tq);
  if (dv) jn_tree_expand(m, NULL, order + 2, dv, NULL, tv);
  status =
      jn_open_inverse_jvp(m->tree, data, order, data->w.tree_q, coupled_rows(data, TREE_MOTION),
                          &wrenches, dq ? tq : NULL, dv ? tv : NULL, force);
  if (status) return status;
  jn_tree_force(m, (size_t)order + 1, force, own);
  return jn_deliver(own, ((size_t)order + 1) * (size_t)m->nv, out);
}

jn_status jn_coupled_inverse_vjp(const jn_model *m, jn_data *data, int order, const double *q,
                                 const double *v, const jn_external *external, const double *weight,
                                 double *dq, double *dv) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 2, q, v);
  if (status) return status;
  if (m->nv && !weight) return JN_ERR_ARGUMENT;
  const jn_external wrenches = jn_coupled_wrenches(external);
  const size_t rows = (size_t)order + 2, nv = (size_t)m->nv;
  double *tw = coupled_rows(data, TREE_OTHER), *tq = coupled_rows(data, OWN_FORCE),
         *tv = coupled_rows(data, TREE_FORCE), *gq = coupled_rows(data, OWN_MOTION),
         *gv = coupled_rows(data, OWN_OTHER);
  jn_tree_expand(m, NULL, order + 1, weight, NULL, tw);
  status = jn_open_inverse_vjp(m->tree, data, order, data->w.tree_q,
                               coupled_rows(data, TREE_MOTION), &wrenches, tw, tq, tv);
  if (status) return status;
  jn_tree_force(m, 1, tq, gq);
  jn_tree_force(m, rows, tv, gv);
  if (!jn_all_finite(gq, nv) || !jn_all_finite(gv, rows * nv)) return JN_ERR_NOT_FINITE;
  if (dq && nv) memcpy(dq, gq, sizeof *dq * nv);
  if (dv && nv) memcpy(dv, gv, sizeof *dv * rows * nv);
  return JN_OK;
}

/* Rows [rows x nv] of the tree, folded: the last axis. */
static void fold_rows(const jn_model *m, const double *X, size_t rows, double *out) {
  if (out) jn_tree_force(m, rows, X, out);
}

jn_status jn_coupled_frame_partials(const jn_model *m, jn_data *data, jn_quantity quantity,
                                    int frame, jn_representation representation, int order,
                                    const double *q, const double *v, double *dq, double *dv) {
  const int moves =
      quantity == JN_LINK_MOTION || quantity == JN_LINK_MOMENTUM || quantity == JN_JOINT_MOMENTUM;
  jn_status status = jn_coupled_start(m, data, order, NULL, order + (moves ? 1 : 2), q, v);
  if (status) return status;
  const size_t n = (size_t)order + 1, rows = n + (moves ? 0 : 1), nv = (size_t)m->tree->nv;
  double *X = data->w.tree_matrices, *Y = X + 6 * n * nv;
  if (6 * n * (rows + 1) * nv > jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  status =
      jn_open_frame_partials(m->tree, data, quantity, frame, representation, order, data->w.tree_q,
                             coupled_rows(data, TREE_MOTION), dq ? X : NULL, dv ? Y : NULL);
  if (status) return status;
  fold_rows(m, X, 6 * n, dq);
  fold_rows(m, Y, 6 * n * rows, dv);
  return JN_OK;
}

/* G^T Y, order by order */
jn_status jn_coupled_regressor(const jn_model *m, jn_data *data, int order, const double *q,
                               const double *v, double *Y) {
  jn_status status = jn_coupled_start(m, data, order, NULL, order + 2, q, v);
  if (status) return status;
  if (m->nv && !Y) return JN_ERR_ARGUMENT;
  const size_t n = (size_t)order + 1, columns = 10 * (size_t)m->nbody, nv = (size_t)m->nv,
               all = (size_t)m->tree->nv;
  double *X = data->w.tree_matrices;
  if (n * all * columns > jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  status =
      jn_open_regressor(m->tree, data, order, data->w.tree_q, coupled_rows(data, TREE_MOTION), X);
  for (size_t k = 0; k < n && !status; k++) {
    double *to = Y + k * nv * columns;
    const double *from = X + k * all * columns;
    for (int i = 0; i < m->nbody; i++)
      if (m->joint[i].nv)
        memcpy(to + (size_t)m->joint[i].iv * columns, from + (size_t)m->tree->joint[i].iv * columns,
               sizeof *to * columns * (size_t)m->joint[i].nv);
    for (int i = 0; i < m->nfollower; i++) {
      const jn_follower *f = &m->follower[i];
      for (size_t c = 0; c < columns && f->lead_v >= 0; c++)
        to[(size_t)f->lead_v * columns + c] += f->ratio * from[(size_t)f->iv * columns + c];
    }
  }
  return status;
}
