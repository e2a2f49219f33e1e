/* forward.h (core): forward dynamics with constraints, one order at a time.
 *
 * Order k, in Taylor coefficients:
 *   (k+1) M v_(k+1) - J^T lambda_k = tau_k - bias_k + sum_(i=1..k) J_i^T lambda_(k-i)
 *   (k+1) psi_(k+1) = 0
 * The step of the open tree with lambda_k = 0 (the lower ones act as applied wrenches) gives a trial
 * v_(k+1) and psi_(k+1). Then
 *   Z^T Z lambda_k = -(k+1) psi_(k+1)
 * and the motion is corrected by M^-1 J^T lambda_k. psi is evaluated again and what is left is
 * solved for once more, until it is rounding. */
#ifndef JOUNCE_CORE_CONSTRAINTS_FORWARD_H
#define JOUNCE_CORE_CONSTRAINTS_FORWARD_H

#include "core/constraints/blocks.h"

/* delta: the least-norm solution of Z^T Z delta = -rhs, [nrow x columns] each, of all active rows; may
 * be rhs. x, y: scratch of that size */
static inline void closure_solve_columns(const closure *c, const blocks *b, int columns,
                                         const double *rhs, double *x, double *y, double *delta) {
  const size_t n = (size_t)columns;
  for (int i = 0; i < b->count; i++) {
    const cod f = block_cod(c, b, i);
    const int first = b->first_row[i], m = f.first.m;
    for (int r = 0; r < m; r++)
      for (size_t s = 0; s < n; s++) x[(size_t)r * n + s] = -rhs[(size_t)b->row[first + r] * n + s];
    cod_to_basis(&f, columns, x, y);
    cod_solve(&f, 0, columns, y);
    cod_solve(&f, 1, columns, y);
    for (size_t r = (size_t)b->rank[i] * n; r < (size_t)m * n; r++) y[r] = 0;
    cod_from_basis(&f, columns, y, x);
    for (int r = 0; r < m; r++)
      for (size_t s = 0; s < n; s++)
        delta[(size_t)b->row[first + r] * n + s] = x[(size_t)r * n + s];
  }
}

static inline void closure_solve(const closure *c, const blocks *b, const double *rhs,
                                 double *delta) {
  closure_solve_columns(c, b, 1, rhs, row_scratch_of(c->w, 0), row_scratch_of(c->w, 1), delta);
}

/* The response of the tree to the constraint forces delta[nrow], added to order k of the solution:
 * v_(k+1), V_(k+1), the wrenches through the joints W_k (those of the last order are of use to
 * prescribed joints alone), the forces of prescribed joints. k = -1: impulses, added to v_0 and V_0
 * alone. */
static inline void closure_correct(const closure *c, int k, const double *delta) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const size_t nv = (size_t)m->nv;
  const double inverse = k < 0 ? 1.0 : 1.0 / (k + 1);
  six *p = p_of(w, 0), *acc = b_of(w, 0);
  for (int i = 0; i < m->nlink; i++) p[i] = six_zero();
  for (size_t j = 0; j < nv; j++) w->e[j] = 0;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!cut_is_active(c, i)) continue;
    for (int t = 0; t < cut->term_count; t++)
      w->e[cut->dof[t]] += cut->coefficient[t] * delta[cut->row];
    if (cut_is_coupling(cut)) continue;
    six s = six_zero();
    for (int r = cut->row; r < cut->row + cut->rows; r++)
      s = six_add(s, six_scale(delta[r], *row_wrench_of(w, r)));
    if (cut->link[0] >= 0) p[cut->link[0]] = six_sub(p[cut->link[0]], s);
    if (cut->link[1] >= 0) p[cut->link[1]] = six_add(p[cut->link[1]], s);
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    double *e = e_of(w, l->iv), t[6];
    six pa = p[i];
    if (l->nv && !is_prescribed(c->prescribed, l)) {
      for (int j = 0; j < l->nv; j++) t[j] = e[j] -= six_dot(*S_of(w, l->iv + j), pa);
      joint_solve(l->nv, D_of(w, l->iv), t);
      for (int j = 0; j < l->nv; j++) pa = six_add(pa, six_scale(t[j], *UA_of(w, l->iv + j)));
    }
    if (l->parent >= 0) p[l->parent] = six_add(p[l->parent], pa);
  }
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    double *e = e_of(w, l->iv), *v = v_of(w, l->iv) + (size_t)(k + 1) * nv;
    const int given = is_prescribed(c->prescribed, l);
    six a = l->parent >= 0 ? acc[l->parent] : six_zero();
    if (!given && l->nv) {
      for (int j = 0; j < l->nv; j++) e[j] -= six_dot(*UA_of(w, l->iv + j), a);
      joint_solve(l->nv, D_of(w, l->iv), e);
      for (int j = 0; j < l->nv; j++) {
        a = six_add(a, six_scale(e[j], *S_of(w, l->iv + j)));
        v[j] += inverse * e[j];
      }
    }
    acc[i] = a;
    Vs_of(w, i)[k + 1] = six_add(Vs_of(w, i)[k + 1], six_times(inverse, a));
    if (k < 0 || (k == c->order && !c->prescribed)) continue;
    const six F = six_add(sym6_apply(IA_of(w, i), a), p[i]);
    Ws_of(w, i)[k] = six_add(Ws_of(w, i)[k], F);
    /* e of a prescribed joint is the torque of couplings on it */
    for (int j = 0; given && j < l->nv; j++)
      tau_of(w, l->iv)[(size_t)k * nv + (size_t)j] += six_dot(*S_of(w, l->iv + j), F) - e[j];
  }
}

/* The sizes of (k+1) psi_(k+1) of the rows of constraint i without cancellation, and at rest. */
static inline void closure_size(const closure *c, int i, int k, double *size) {
  const jn_cut *cut = &c->m->cut[i];
  for (int r = 0; r < cut->rows; r++) size[r] = 0;
  for (int t = 0; t < cut->term_count; t++)
    size[0] += magnitude(cut->coefficient[t] *
                         v_of(c->w, cut->dof[t])[(size_t)(k + 1) * (size_t)c->m->nv]);
  for (int h = 0; h <= k + 1 && !cut_is_coupling(cut); h++) {
    double turn = 0, push = 0;
    for (int side = 0; side < 2; side++)
      if (cut->link[side] >= 0 || c->moving) {
        const six V = cut_twist(c, i, side)[k + 1 - h];
        turn += v3_sum_size(V.w), push += v3_sum_size(V.v);
      }
    for (int r = 0; r < cut->rows; r++) {
      const six w = row_wrench_of(c->w, cut->row + r)[h];
      size[r] += v3_sum_size(w.w) * turn + v3_sum_size(w.v) * push;
    }
  }
  for (int r = 0; r < cut->rows; r++) size[r] = (k + 1) * size[r] + row_rest(c, i, cut->row + r);
}

#ifndef CLOSURE_ROUNDING
#define CLOSURE_ROUNDING 2e-15 /* relative: no further correction */
#endif
#define CLOSURE_RANK 1e-6 /* relative: a row that is left open */
/* The worst of all rows in units of their sizes, and which. */
static inline double closure_worst(const closure *c, const double *rest, const double *size,
                                   int *worst) {
  double most = 0;
  *worst = -1;
  for (int i = 0; i < c->m->ncut; i++) {
    const jn_cut *cut = &c->m->cut[i];
    for (int r = cut->row; r < cut->row + cut->rows && cut_is_active(c, i); r++) {
      const double x = magnitude(rest[r]);
      if (!(x <= most * size[r])) most = size[r] > 0 ? x / size[r] : x, *worst = r;
    }
  }
  return most;
}

/* What is left of the closure of order k, in units of its size without cancellation: the worst of
 * all rows, and which. rest: [nrow] (k+1) psi_(k+1) + mu lambda_k. size: [nrow] the largest size of
 * this and the earlier passes (a motion may vanish); it is found again only if it matters. */
static inline double closure_rest(const closure *c, const blocks *b, int k, int pass,
                                  const double *lambda, double *rest, double *size, int *worst) {
  rows_rate(c, k + 1, rest);
  for (int i = 0; i < c->m->ncut; i++) {
    const jn_cut *cut = &c->m->cut[i];
    for (int r = cut->row; r < cut->row + cut->rows && cut_is_active(c, i); r++) rest[r] *= k + 1;
  }
  for (int n = 0; n < blocks_rows(b) && c->proximal > 0; n++)
    rest[b->row[n]] += row_proximal(c, n) * lambda[b->row[n]];
  if (pass) {
    const double most = closure_worst(c, rest, size, worst);
    if (!(most > CLOSURE_ROUNDING)) return most;
  }
  for (int i = 0; i < c->m->ncut; i++) {
    const jn_cut *cut = &c->m->cut[i];
    double now[6];
    if (!cut_is_active(c, i)) continue;
    closure_size(c, i, k, now);
    for (int r = 0; r < cut->rows; r++)
      if (now[r] > size[cut->row + r]) size[cut->row + r] = now[r];
  }
  return closure_worst(c, rest, size, worst);
}

enum { CLOSURE_PASSES = 3 };

/* Order k after the trial step: lambda_k [nrow] and the corrected motion. Returns the row that
 * cannot be closed, or -1; *left: by how much, relative. */
static inline int closure_order(const closure *c, const blocks *b, int k, double *lambda,
                                double *left) {
  double *rest = row_scratch_of(c->w, 2), *delta = row_scratch_of(c->w, 3),
         *size = row_scratch_of(c->w, 4), before = 0;
  int worst;
  for (int r = 0; r < c->m->nrow; r++) lambda[r] = size[r] = 0;
  rows_step(c, k + 1);
  for (int pass = 0;; pass++) {
    *left = closure_rest(c, b, k, pass, lambda, rest, size, &worst);
    if (!(*left > CLOSURE_ROUNDING) || pass == CLOSURE_PASSES ||
        (pass > 1 && !(*left < 0.25 * before)))
      break;
    before = *left;
    closure_solve(c, b, rest, delta);
    closure_correct(c, k, delta);
    for (int n = 0; n < blocks_rows(b); n++) lambda[b->row[n]] += delta[b->row[n]];
  }
  return *left > CLOSURE_RANK ? worst : -1;
}

#endif
