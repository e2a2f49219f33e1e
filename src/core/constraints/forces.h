/* forces.h (core): constraint forces as functions of time, lambda(t), from conditions on J^T lambda.
 *
 * In a block the degrees of freedom are equations E, where J^T lambda is known, or objectives O,
 * where the forces a - J^T lambda are to be small:
 *   J_E^T lambda = c                       inverse dynamics: passive joints, c their forces
 *   |W (a - J_O^T lambda)| -> min          among the solutions
 *   |lambda| -> min                        among those
 * at every time. As jets, order by order, with one decomposition J_0 = U T Q^T (qr.h):
 *   lambda_k = U T^-T x_k
 *   Q_E x = c                              c_k - sum_(i>=1) J_Ei^T lambda_(k-i)
 *   r + W Q_O x = W a                      W (a_k - sum_(i>=1) J_Oi^T lambda_(k-i))
 *   Q_O^T W r + Q_E^T mu = b               -T^-1 U^T sum_(i>=1) (J_Oi W r_(k-i) + J_Ei mu_(k-i))
 * Then lambda is projected on the functions of least norm: with the null space N(t) of J(t)^T,
 *   J_0^T N_k = -sum_(i>=1) J_i^T N_(k-i),   lambda + N c,   N^T N c = -N^T lambda. */
#ifndef JOUNCE_CORE_CONSTRAINTS_FORCES_H
#define JOUNCE_CORE_CONSTRAINTS_FORCES_H

#include "core/constraints/blocks.h"

/* The decomposition of a block, and what the equations need of it. */
typedef struct forces {
  const closure *c;
  const blocks *b;
  int i, m, n, rank; /* block, its rows, degrees of freedom, rank */
  const int *row, *dof;
  cod f;
  const double *weight; /* [nv] */
  double *Q;            /* [n x rank] */
  qr E;                 /* of Q_E^T [rank x equations] */
  qr G;                 /* of W Q_O N_B [objectives x (rank - rank of E)] */
  int ne, no, *e, *o;   /* equations and objectives: places in the block */
} forces;

/* order k of entry (row r, dof j) of J */
static inline double jacobian_at(const closure *c, int k, int r, int j) {
  return c->w
      ->row_jacobian[((size_t)k * (size_t)c->m->nrow + (size_t)r) * (size_t)c->m->nv + (size_t)j];
}

/* sum_(h=first..k) J_h^T x_(k-h) at degree of freedom j, x order-major [. x nrow] */
static inline double rows_pull(const forces *s, int k, int first, const double *x, int j) {
  double sum = 0;
  for (int h = first; h <= k; h++)
    for (int r = 0; r < s->m; r++)
      sum += jacobian_at(s->c, h, s->row[r], j) *
             x[(size_t)(k - h) * (size_t)s->c->m->nrow + (size_t)s->row[r]];
  return sum;
}
/* The same at all degrees of freedom, out[nv], row by row of J. x of orders below `from` is zero. */
static inline void rows_pull_all(const forces *s, int k, int first, int from, const double *x,
                                 double *out) {
  const size_t nv = (size_t)s->c->m->nv, nrow = (size_t)s->c->m->nrow;
  for (size_t j = 0; j < nv; j++) out[j] = 0;
  for (int h = first; h <= k - from; h++)
    for (int r = 0; r < s->m; r++) {
      const double *J = s->c->w->row_jacobian + ((size_t)h * nrow + (size_t)s->row[r]) * nv,
                   y = x[(size_t)(k - h) * nrow + (size_t)s->row[r]];
      for (size_t j = 0; j < nv; j++) out[j] += J[j] * y;
    }
}
/* sum_(h=first..k) J_h y_(k-h) of row r, over the block, y order-major [. x nv] */
static inline double rows_push(const forces *s, int k, int first, const double *y, int r) {
  double sum = 0;
  for (int h = first; h <= k; h++)
    for (int j = 0; j < s->n; j++)
      sum += jacobian_at(s->c, h, r, s->dof[j]) *
             y[(size_t)(k - h) * (size_t)s->c->m->nv + (size_t)s->dof[j]];
  return sum;
}

static inline forces forces_of(const closure *c, const blocks *b, int i) {
  forces s = {.c = c, .b = b, .i = i, .m = block_rows(b, i), .n = block_dofs(b, i)};
  s.rank = b->rank[i];
  s.row = b->row + b->first_row[i];
  s.dof = b->dof + b->first_dof[i];
  s.f = block_cod(c, b, i);
  return s;
}

/* row j of Q: out[rank] */
static inline const double *forces_Q(const forces *s, int j) {
  return s->Q + (size_t)j * (size_t)s->rank;
}

/* J^T lambda is known at joints that are passive or, in hybrid dynamics, not prescribed */
static inline int is_equation(const jn_model *m, int dof, const unsigned char *prescribed) {
  const int joint = m->link[link_of_dof(m, dof)].joint;
  return prescribed ? !prescribed[joint] : m->joint[joint].passive;
}

/* Q explicitly, Q_E^T = Q_B R and G = W Q_O N_B, N_B the null space of Q_E. */
static inline void forces_factor(forces *s, const unsigned char *prescribed, const double *weight) {
  const jn_work *w = s->c->w;
  const int nv = s->c->m->nv, rank = s->rank;
  double *x = row_scratch_of(w, 0), *column = dof_of(w, 0);
  s->weight = weight;
  s->Q = w->row_Q;
  s->e = s->b->spare, s->o = s->e + nv;
  for (int j = 0; j < s->n; j++) {
    if (is_equation(s->c->m, s->dof[j], prescribed))
      s->e[s->ne++] = j;
    else
      s->o[s->no++] = j;
  }
  for (int r = 0; r < rank; r++) {
    for (int j = 0; j < s->n; j++) column[j] = j == r;
    qr_apply(&s->f.first, 0, 1, column);
    for (int j = 0; j < s->n; j++) s->Q[(size_t)j * (size_t)rank + (size_t)r] = column[j];
  }
  s->E = (qr){rank, s->ne, 0, w->row_equations, dof_of(w, 1), s->o + nv, 0};
  for (int j = 0; j < s->ne; j++) {
    dof_of(w, 2)[j] = 1;
    for (int r = 0; r < rank; r++)
      s->E.A[(size_t)r * (size_t)s->ne + (size_t)j] = forces_Q(s, s->e[j])[r];
  }
  qr_factor(&s->E, dof_of(w, 2), s->c->rank_tolerance, dof_of(w, 3));
  const int left = rank - s->E.rank;
  s->G = (qr){s->no, left, 0, w->row_objective, row_scratch_of(w, 11), NULL, 0};
  for (int j = 0; j < s->no && left; j++) {
    for (int r = 0; r < rank; r++) x[r] = forces_Q(s, s->o[j])[r];
    qr_apply(&s->E, 1, 1, x);
    for (int r = 0; r < left; r++)
      s->G.A[(size_t)j * (size_t)left + (size_t)r] = weight[s->dof[s->o[j]]] * x[s->E.rank + r];
  }
  if (left) qr_factor(&s->G, NULL, 0, row_scratch_of(w, 0));
}

/* One order: x[rank], r and mu [nv] from the right-hand sides c_E, W a_O in `known`[nv] and
 * b[rank]. x may not be b. */
static inline void forces_order(const forces *s, const double *known, const double *b, double *x,
                                double *r, double *mu) {
  const jn_work *w = s->c->w;
  const int rank = s->rank, met = s->E.rank, left = rank - met;
  double *rest = dof_of(w, 2), *t = row_scratch_of(w, 6);
  /* x = Q_B (u, y), R^T u = c */
  for (int j = 0; j < met; j++) x[j] = known[s->dof[s->e[s->E.perm[j]]]];
  qr_solve(&s->E, 1, 1, x);
  for (int j = met; j < rank; j++) x[j] = 0;
  if (left) {
    for (int j = 0; j < rank; j++) t[j] = x[j];
    qr_apply(&s->E, 0, 1, t);
    /* G y = W (a - Q_O x), and the part of b: R_G y = Q_G^T (...) - R_G^-T N_B^T b */
    for (int j = 0; j < s->no; j++) {
      double sum = 0;
      for (int h = 0; h < rank; h++) sum += forces_Q(s, s->o[j])[h] * t[h];
      const int dof = s->dof[s->o[j]];
      rest[j] = known[dof] - s->weight[dof] * sum;
    }
    qr_apply(&s->G, 1, 1, rest);
    for (int j = 0; j < rank; j++) t[j] = b[j];
    qr_apply(&s->E, 1, 1, t);
    qr_solve(&s->G, 1, 1, t + met);
    for (int j = 0; j < left; j++) x[met + j] = rest[j] - t[met + j];
    qr_solve(&s->G, 0, 1, x + met);
  }
  qr_apply(&s->E, 0, 1, x);
  if (!left) return;
  for (int j = 0; j < rank; j++) t[j] = b[j];
  for (int j = 0; j < s->no; j++) {
    const int dof = s->dof[s->o[j]];
    const double *Q = forces_Q(s, s->o[j]);
    double sum = 0;
    for (int h = 0; h < rank; h++) sum += Q[h] * x[h];
    r[dof] = known[dof] - s->weight[dof] * sum;
    for (int h = 0; h < rank; h++) t[h] -= Q[h] * s->weight[dof] * r[dof];
  }
  /* R mu = Q_B^T (b - Q_O^T W r); equations that depend on others have mu = 0 */
  qr_apply(&s->E, 1, 1, t);
  qr_solve(&s->E, 0, 1, t);
  for (int j = 0; j < s->ne; j++) mu[s->dof[s->e[s->E.perm[j]]]] = j < met ? t[j] : 0.0;
}

/* lambda of orders from..K of the block (order-major [. x nrow], zero below), without the projection on
 * least norm.
 * known: order-major [. x nv], c at equations and a at objectives. push: order-major [. x nrow], what
 * J_O W r + J_E mu shall be minus of; NULL: zero. Leaves r, and mu with W r at objectives, in
 * w->row_force. */
static inline void forces_solve(const forces *s, int from, int K, const double *known,
                                const double *push, double *lambda) {
  const jn_work *w = s->c->w;
  const size_t nv = (size_t)s->c->m->nv, nrow = (size_t)s->c->m->nrow;
  const int rank = s->rank, left = rank - s->E.rank;
  double *r = w->row_force, *mu = r + (size_t)w->rows * nv, *rhs = dof_of(w, 4),
         *b = row_scratch_of(w, 7), *x = row_scratch_of(w, 8), *y = row_scratch_of(w, 9),
         *weighted = dof_of(w, 5), *pulled = dof_of(w, 3);
  for (size_t i = 0; i < (size_t)from * nv && left; i++) r[i] = mu[i] = 0;
  for (int k = from; k <= K; k++) {
    rows_pull_all(s, k, 1, from, lambda, pulled);
    for (int j = 0; j < s->n; j++) {
      const int dof = s->dof[j];
      rhs[dof] = known[(size_t)k * nv + (size_t)dof] - pulled[dof];
    }
    for (int j = 0; j < s->no; j++) rhs[s->dof[s->o[j]]] *= s->weight[s->dof[s->o[j]]];
    /* b = -T^-1 U^T sum_(i>=1) (J_Oi W r_(k-i) + J_Ei mu_(k-i)) */
    for (int h = 0; h < s->m; h++) {
      y[h] = left ? -rows_push(s, k, 1, mu, s->row[h]) : 0.0;
      if (left && push) y[h] -= push[(size_t)k * nrow + (size_t)s->row[h]];
    }
    cod_to_basis(&s->f, 1, y, b);
    cod_solve(&s->f, 0, 1, b);
    forces_order(s, rhs, b, x, r + (size_t)k * nv, weighted);
    if (left) {
      /* mu and W r side by side, as rows_push reads them */
      double *next = mu + (size_t)k * nv;
      for (int j = 0; j < s->ne; j++) next[s->dof[s->e[j]]] = weighted[s->dof[s->e[j]]];
      for (int j = 0; j < s->no; j++) {
        const int dof = s->dof[s->o[j]];
        next[dof] = s->weight[dof] * r[(size_t)k * nv + (size_t)dof];
      }
    }
    /* lambda = U T^-T x */
    cod_solve(&s->f, 1, 1, x);
    for (int h = rank; h < s->m; h++) x[h] = 0;
    cod_from_basis(&s->f, 1, x, y);
    for (int h = 0; h < s->m; h++) lambda[(size_t)k * nrow + (size_t)s->row[h]] = y[h];
  }
}

#define NULL_SPACE_RANK 1e-6 /* relative: a null space that ends here */

/* N_0..N_K, [m x nulls] each, one after another in w->row_null. Returns 0 if the null space has no
 * derivative: the rank changes here. */
static inline int forces_null_space(const forces *s, int K) {
  const jn_work *w = s->c->w;
  const int rank = s->rank, m = s->m, nulls = m - rank;
  const size_t size = (size_t)m * (size_t)nulls;
  double *N = w->row_null, *y = row_scratch_of(w, 0), *x = row_scratch_of(w, 1), *g = dof_of(w, 0);
  for (int k = 0; k <= K; k++)
    for (int a = 0; a < nulls; a++) {
      for (int h = 0; h < m; h++) y[h] = k == 0 && h == rank + a;
      double scale = 0, left = 0;
      for (int j = 0; j < s->n && k; j++) {
        g[j] = 0;
        for (int r = 0; r < m; r++)
          scale += ROW_REST * magnitude(jacobian_at(s->c, 0, s->row[r], s->dof[j]) *
                                        N[(size_t)r * (size_t)nulls + (size_t)a]);
        for (int h = 1; h <= k; h++)
          for (int r = 0; r < m; r++) {
            const double term = jacobian_at(s->c, h, s->row[r], s->dof[j]) *
                                N[(size_t)(k - h) * size + (size_t)r * (size_t)nulls + (size_t)a];
            g[j] -= term;
            scale += magnitude(term);
          }
      }
      if (k) {
        /* T^T y = Q^T g */
        qr_apply(&s->f.first, 1, 1, g);
        for (int h = 0; h < rank; h++) y[h] = g[h];
        for (int h = rank; h < s->n; h++) left += magnitude(g[h]);
        if (left > NULL_SPACE_RANK * scale) return 0;
        cod_solve(&s->f, 1, 1, y);
      }
      cod_from_basis(&s->f, 1, y, x);
      for (int r = 0; r < m; r++)
        N[(size_t)k * size + (size_t)r * (size_t)nulls + (size_t)a] = x[r];
    }
  return 1;
}

/* sum_r N_i[r][a] x[r], x by rows of the block */
static inline double null_dot(const forces *s, int i, int a, const double *x, size_t stride) {
  const int nulls = s->m - s->rank;
  const double *N = s->c->w->row_null + (size_t)i * (size_t)s->m * (size_t)nulls;
  double sum = 0;
  for (int r = 0; r < s->m; r++)
    sum += N[(size_t)r * (size_t)nulls + (size_t)a] * x[(size_t)r * stride];
  return sum;
}

/* Projects lambda of orders 0..K of the block on the function of least norm. Returns 0 if the rank
 * changes here. */
static inline int forces_least_norm(const forces *s, int K, double *lambda) {
  const jn_work *w = s->c->w;
  const int m = s->m, nulls = m - s->rank;
  const size_t nrow = (size_t)s->c->m->nrow, size = (size_t)m * (size_t)nulls;
  double *x = row_scratch_of(w, 2);
  /* coefficients c_0..c_K [nulls] after N */
  double *c = w->row_null + (size_t)w->rows * nrow * nrow;
  if (!nulls) return 1;
  if (!forces_null_space(s, K)) return 0;
  for (int k = 0; k <= K; k++)
    for (int a = 0; a < nulls; a++) {
      double sum = 0;
      for (int i = 0; i <= k; i++) {
        for (int r = 0; r < m; r++) x[r] = lambda[(size_t)(k - i) * nrow + (size_t)s->row[r]];
        sum -= null_dot(s, i, a, x, 1);
      }
      /* N^T N of order i >= 2, times c_(k-i) */
      for (int i = 2; i <= k; i++)
        for (int h = 1; h < i; h++)
          for (int d = 0; d < nulls; d++)
            sum -=
                null_dot(s, h, a, w->row_null + (size_t)(i - h) * size + (size_t)d, (size_t)nulls) *
                c[(size_t)(k - i) * (size_t)nulls + (size_t)d];
      c[(size_t)k * (size_t)nulls + (size_t)a] = sum;
    }
  for (int k = K; k >= 0; k--)
    for (int r = 0; r < m; r++)
      for (int i = 0; i <= k; i++)
        for (int a = 0; a < nulls; a++)
          lambda[(size_t)k * nrow + (size_t)s->row[r]] +=
              w->row_null[(size_t)i * size + (size_t)r * (size_t)nulls + (size_t)a] *
              c[(size_t)(k - i) * (size_t)nulls + (size_t)a];
  return 1;
}

#endif
