/* settle.h (core): the variation of constraint forces that are functions of least norm.
 *
 * lambda(t) of least norm lies in the range of J(t): lambda = J x with a function x(t). Along a
 * variation, from any d lambda with the right J^T d lambda = g,
 *   J^T d lambda = g,   d lambda = J dx + dJ x
 * as jets, with one decomposition J_0 = U T Q^T (qr.h) and the null space N_0 of J_0^T:
 *   s_k = sum_(i>=1) J_i dx_(k-i) + (dJ x)_k
 *   d lambda_k = U T^-T Q^T (g_k - sum_(i>=1) J_i^T d lambda_(k-i)) + N_0 N_0^T s_k
 *   dx_k = Q T^-1 U^T (d lambda_k - s_k) */
#ifndef JOUNCE_CORE_CONSTRAINTS_SETTLE_H
#define JOUNCE_CORE_CONSTRAINTS_SETTLE_H

#include "core/constraints/forces.h"

/* x := Q T^-1 y at the degrees of freedom of the block; y[rank] is changed. Scratch: dof 0 */
static inline void settle_back(const forces *s, double *y, double *x) {
  double *g = dof_of(s->c->w, 0);
  cod_solve(&s->f, 0, 1, y);
  for (int j = 0; j < s->n; j++) g[j] = j < s->rank ? y[j] : 0.0;
  qr_apply(&s->f.first, 0, 1, g);
  for (int j = 0; j < s->n; j++) x[s->dof[j]] = g[j];
}

/* x of orders 0..K with J x = lambda, lambda of least norm; order-major [. x nv], [. x nrow] */
static inline void settle_field(const forces *s, int K, const double *lambda, double *x) {
  const jn_work *w = s->c->w;
  const size_t nv = (size_t)s->c->m->nv, nrow = (size_t)s->c->m->nrow;
  double *y = row_scratch_of(w, 0), *z = row_scratch_of(w, 1);
  for (int k = 0; k <= K; k++) {
    for (int r = 0; r < s->m; r++)
      y[r] = lambda[(size_t)k * nrow + (size_t)s->row[r]] - rows_push(s, k, 1, x, s->row[r]);
    cod_to_basis(&s->f, 1, y, z);
    settle_back(s, z, x + (size_t)k * nv);
  }
}

/* The variation of least norm of a block: from[(K+1) x nrow] -> to[(K+1) x nrow]. push: dJ x; dx:
 * scratch [(K+1) x nv] */
static inline void settle_block(const forces *s, int K, const double *from, const double *push,
                                double *dx, double *to) {
  const jn_work *w = s->c->w;
  const size_t nv = (size_t)s->c->m->nv, nrow = (size_t)s->c->m->nrow;
  double *y = row_scratch_of(w, 0), *z = row_scratch_of(w, 1), *g = dof_of(w, 0);
  for (int k = 0; k <= K; k++) {
    for (int r = 0; r < s->m; r++)
      y[r] = rows_push(s, k, 1, dx, s->row[r]) + push[(size_t)k * nrow + (size_t)s->row[r]];
    cod_to_basis(&s->f, 1, y, z);
    for (int j = 0; j < s->n; j++)
      g[j] = rows_pull(s, k, 0, from, s->dof[j]) - rows_pull(s, k, 1, to, s->dof[j]);
    qr_apply(&s->f.first, 1, 1, g);
    for (int r = 0; r < s->rank; r++) y[r] = g[r];
    cod_solve(&s->f, 1, 1, y);
    for (int r = 0; r < s->rank; r++) z[r] = y[r] - z[r];
    for (int r = s->rank; r < s->m; r++) y[r] = z[r];
    settle_back(s, z, dx + (size_t)k * nv);
    cod_from_basis(&s->f, 1, y, z);
    for (int r = 0; r < s->m; r++) to[(size_t)k * nrow + (size_t)s->row[r]] = z[r];
  }
}

#endif
