/* coupled_partials.c: partial derivatives of models whose mimic joints are eliminated:
 * core/coupled.h.
 *
 * tau^(k) depends on q, v, ..., v^(k+1): A_k = d tau^(k)/d q, B_kj = d tau^(k)/d v^(j), B_k(k+1) = M.
 * Hybrid dynamics has given motions (p) and given forces (f). Along a variation dq, dv, du^(i) of what
 * is given let w_j = d v^(j+1), whose p part is du^(j). Order by order
 *   Z = A_k dq + B_k0 dv + sum_(j<k) B_k(j+1) w_j + M_p du_p^(k)     d tau^(k) with (w_k)_f = 0
 *   M_ff (w_k)_f = du_f^(k) - Z_f
 *   d tau_p^(k)  = Z_p + M_pf (w_k)_f
 * Forward dynamics has no p. By inertial parameters A_k dq is Y_k dpi, with the regressor Y. */
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

/* Results of order k by q in the place of A_k, by v in that of B_k0, by u^(i) in N_ki behind B.
 * given[nv]: 1 for a given motion; it is in tree_jacobian, which no derivative uses. */
typedef struct forward_matrices {
  size_t nv, n, square;
  double *A, *B, *N, *given;
} forward_matrices;
static double *matrix_B(const forward_matrices *x, size_t k, size_t j) {
  return x->B + (k * (x->n + 1) + j) * x->square;
}

/* out += B_.f y_f, [nv x columns] */
static void add_free(const forward_matrices *x, const double *B, size_t columns, const double *y,
                     double *out) {
  for (size_t i = 0; i < x->nv; i++)
    for (size_t h = 0; h < x->nv; h++)
      for (size_t c = 0; c < columns && x->given[h] == 0; c++)
        out[i * columns + c] += B[i * x->nv + h] * y[h * columns + c];
}

/* Z becomes the result of order k; unit: the forces vary by one each, else not at all. */
static void finish_order(const jn_model *m, const jn_data *data, const forward_matrices *x,
                         size_t k, int unit, double *Z) {
  const size_t nv = x->nv;
  double *w = data->w.tree_mass;
  for (size_t i = 0; i < x->square; i++)
    w[i] = x->given[i / nv] > 0 ? 0 : (unit && i % (nv + 1) == 0) - Z[i];
  jn_coupled_mass_solve(m, data, nv, w);
  add_free(x, matrix_B(x, k, k + 1), nv, w, Z);
  for (size_t i = 0; i < x->square; i++)
    if (x->given[i / nv] == 0) Z[i] = w[i];
}

static void solve_order(const jn_model *m, const jn_data *data, const forward_matrices *x,
                        size_t k) {
  const size_t nv = x->nv, square = x->square;
  double *F = x->A + k * square, *H = matrix_B(x, k, 0);
  for (size_t j = 0; j < k; j++) {
    add_free(x, matrix_B(x, k, j + 1), nv, x->A + j * square, F);
    add_free(x, matrix_B(x, k, j + 1), nv, matrix_B(x, j, 0), H);
  }
  finish_order(m, data, x, k, 0, F);
  finish_order(m, data, x, k, 0, H);
  for (size_t i = 0; i < x->n; i++) {
    double *N = x->N + (k * x->n + i) * square;
    for (size_t e = 0; e < square; e++) /* w_i has a unit matrix in its p part */
      N[e] = i <= k && x->given[e % nv] > 0 ? matrix_B(x, k, i + 1)[e] : 0;
    for (size_t j = i; j < k; j++)
      add_free(x, matrix_B(x, k, j + 1), nv, x->N + (j * x->n + i) * square, N);
    if (i <= k) finish_order(m, data, x, k, k == i, N);
  }
}

static void mark_given(const jn_model *m, coupled_given given, double *marks) {
  for (int b = 0; b < m->nbody; b++)
    for (size_t i = (size_t)m->joint[b].iv; i < (size_t)(m->joint[b].iv + m->joint[b].nv); i++)
      marks[i] = is_given(given, b, i);
}

/* All matrices of hybrid dynamics; finite. */
static jn_status hybrid_all(const jn_model *m, jn_data *data, int order, const double *q,
                            coupled_given given, const double *v, const double *tau,
                            const jn_external *external, forward_matrices *x) {
  if (m->nv && (!v || !tau)) return JN_ERR_ARGUMENT;
  jn_status status = jn_coupled_solve(m, data, order, q, given, v, tau, external);
  if (!status) status = folded_partials(m, data, order, external, 1, 1);
  if (status) return status;
  const size_t n = (size_t)order + 1, nv = (size_t)m->nv, square = nv * nv;
  double *X = data->w.tree_matrices;
  *x = (forward_matrices){
      nv, n, square, X, X + n * square, X + n * (n + 2) * square, data->w.tree_jacobian};
  mark_given(m, given, x->given);
  for (size_t k = 0; k < n; k++) solve_order(m, data, x, k);
  return jn_all_finite(X, 2 * n * (n + 1) * square) ? JN_OK : JN_ERR_NOT_FINITE;
}

static jn_status forward_all(const jn_model *m, jn_data *data, int order, const double *q,
                             const double *v, const double *tau, const jn_external *external,
                             forward_matrices *x) {
  return hybrid_all(m, data, order, q, (coupled_given){0}, v, tau, external, x);
}

static void put_matrices(const forward_matrices *x, double *dq, double *dv, double *du) {
  if (dq && x->nv) memcpy(dq, x->A, sizeof *dq * x->n * x->square);
  for (size_t k = 0; dv && x->nv && k < x->n; k++)
    memcpy(dv + k * x->square, matrix_B(x, k, 0), sizeof *dv * x->square);
  if (du && x->nv) memcpy(du, x->N, sizeof *du * x->n * x->n * x->square);
}

jn_status jn_coupled_forward_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                      const double *v, const double *tau,
                                      const jn_external *external, double *dq, double *dv,
                                      double *dtau) {
  forward_matrices x;
  jn_status status = forward_all(m, data, order, q, v, tau, external, &x);
  if (!status) put_matrices(&x, dq, dv, dtau);
  return status;
}

jn_status jn_coupled_hybrid_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                     const unsigned char *prescribed, const double *v,
                                     const double *tau, const jn_external *external, double *dq,
                                     double *dv, double *du) {
  forward_matrices x;
  if (!prescribed) return JN_ERR_ARGUMENT;
  jn_status status =
      hybrid_all(m, data, order, q, (coupled_given){.joints = prescribed}, v, tau, external, &x);
  if (!status) put_matrices(&x, dq, dv, du);
  return status;
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

/* G^T X in place: blocks [nv x columns] of the tree, one after another. */
static void fold_left(const jn_model *m, const jn_data *data, size_t blocks, size_t columns,
                      double *X) {
  const size_t nv = (size_t)m->nv, all = (size_t)m->tree->nv;
  double *from = coupled_rows(data, TREE_OTHER), *to = coupled_rows(data, OWN_OTHER);
  for (size_t b = 0; b < blocks; b++)
    for (size_t c = 0; c < columns; c++) {
      for (size_t i = 0; i < all; i++) from[i] = X[(b * all + i) * columns + c];
      jn_tree_force(m, 1, from, to);
      for (size_t i = 0; i < nv; i++) X[(b * nv + i) * columns + c] = to[i];
    }
}

jn_status jn_coupled_regressor(const jn_model *m, jn_data *data, int order, const double *q,
                               const double *v, double *Y) {
  jn_status status = jn_coupled_start(m, data, order, NULL, order + 2, q, v);
  if (status) return status;
  if (m->nv && !Y) return JN_ERR_ARGUMENT;
  const size_t n = (size_t)order + 1, columns = 10 * (size_t)m->nbody;
  double *X = data->w.tree_matrices;
  if (!jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  status =
      jn_open_regressor(m->tree, data, order, data->w.tree_q, coupled_rows(data, TREE_MOTION), X);
  if (status) return status;
  fold_left(m, data, n, columns, X);
  return jn_deliver(X, n * (size_t)m->nv * columns, Y);
}

/* M out_k = -(Y_k + sum_(j<k) B_k(j+1) out_j) */
jn_status jn_coupled_inertia_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                      const double *v, const double *tau,
                                      const jn_external *external, double *out) {
  if (m->nv && (!v || !tau || !out)) return JN_ERR_ARGUMENT;
  jn_status status = jn_coupled_solve(m, data, order, q, (coupled_given){0}, v, tau, external);
  if (!status) status = folded_partials(m, data, order, external, 0, 1);
  if (status) return status;
  const size_t n = (size_t)order + 1, nv = (size_t)m->nv, all = (size_t)m->tree->nv,
               columns = 10 * (size_t)m->nbody, block = nv * columns;
  double *B = data->w.tree_matrices, *Y = B + n * (n + 1) * all * all;
  const forward_matrices x = {nv, n, nv * nv, NULL, B, NULL, data->w.tree_jacobian};
  mark_given(m, (coupled_given){0}, x.given);
  status =
      jn_open_regressor(m->tree, data, order, data->w.tree_q, coupled_rows(data, TREE_MOTION), Y);
  if (status) return status;
  fold_left(m, data, n, columns, Y);
  for (size_t k = 0; k < n; k++) {
    double *y = Y + k * block;
    for (size_t j = 0; j < k; j++) add_free(&x, matrix_B(&x, k, j + 1), columns, Y + j * block, y);
    for (size_t i = 0; i < block; i++) y[i] = -y[i];
    jn_coupled_mass_solve(m, data, columns, y);
  }
  return jn_deliver(Y, n * block, out);
}

jn_status jn_coupled_geometry_partials(const jn_model *m, jn_data *data, int order, const double *q,
                                       const double *v, const jn_external *external, double *out) {
  jn_status status = jn_coupled_start(m, data, order, external, order + 2, q, v);
  if (status) return status;
  if (m->nv && !out) return JN_ERR_ARGUMENT;
  const size_t n = (size_t)order + 1, columns = 6 * (size_t)m->nbody;
  const jn_external wrenches = jn_coupled_wrenches(external);
  double *X = data->w.tree_matrices;
  if (!jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  status = jn_open_geometry_partials(m->tree, data, order, data->w.tree_q,
                                     coupled_rows(data, TREE_MOTION), &wrenches, X);
  if (status) return status;
  fold_left(m, data, n, columns, X);
  return jn_deliver(X, n * (size_t)m->nv * columns, out);
}

/* Placements are those of the joints of the tree: pose and twist are its own, d J is folded. */
jn_status jn_coupled_frame_geometry_partials(const jn_model *m, jn_data *data, int frame,
                                             jn_representation representation, int order,
                                             const double *q, const double *v, double *pose,
                                             double *twist, double *J) {
  jn_status status = jn_coupled_start(m, data, order, NULL, order + 1, q, v);
  if (status) return status;
  const size_t blocks = 6 * ((size_t)order + 1), columns = 6 * (size_t)m->nbody,
               n = blocks * (size_t)m->nv * columns;
  const double *tq = data->w.tree_q, *tv = coupled_rows(data, TREE_MOTION);
  double *X = data->w.tree_matrices;
  if (J && !jn_coupled_room(m->tree, data->order)) return JN_ERR_LIMIT;
  if (J) {
    status = jn_open_frame_geometry_partials(m->tree, data, frame, representation, order, tq, tv,
                                             NULL, NULL, X);
    if (status) return status;
    fold_left(m, data, blocks, columns, X);
    if (!jn_all_finite(X, n)) return JN_ERR_NOT_FINITE;
  }
  status = jn_open_frame_geometry_partials(m->tree, data, frame, representation, order, tq, tv,
                                           pose, twist, NULL);
  if (!status && J && n) memcpy(J, X, sizeof *J * n);
  return status;
}
