/* manifold.c: the dynamics linearised on the manifold of states that satisfy the constraints. */
#include <jounce/linearise.h>
#include <string.h>

#include "core/constraints/partials.h"
#include "core/derivatives/linearise.h"
#include "core/external.h"

/* The dependent components of a direction: x_dep = -J_dep^+ rest, J_dep = Q R. */
typedef struct tangent {
  const jn_model *m;
  const jn_work *w;
  qr dep;                         /* of the dependent columns of J */
  const double *J, *C;            /* [nrow x nv]: J and d(J v)/d q */
  const unsigned char *dependent; /* [nv] */
} tangent;

/* Completes x[nv], whose independent components are given: J x = -rest; rest[nrow] is changed. */
static void complete(const tangent *t, double *rest, double *x) {
  const size_t nv = (size_t)t->m->nv;
  for (int r = 0; r < t->m->nrow; r++)
    for (size_t j = 0; j < nv; j++)
      if (!t->dependent[j]) rest[r] += t->J[(size_t)r * nv + j] * x[j];
  qr_apply(&t->dep, 1, 1, rest);
  qr_solve(&t->dep, 0, 1, rest);
  for (size_t j = 0, n = 0; j < nv; j++)
    if (t->dependent[j]) x[j] = -rest[n++];
}

/* z[2nv] of the minimal state in which xi (or dv, if `rate`) of degree of freedom i is 1 */
static void basis_column(const tangent *t, size_t i, int rate, double *z) {
  const size_t nv = (size_t)t->m->nv, nrow = (size_t)t->m->nrow;
  double *rest = row_scratch_of(t->w, 0);
  memset(z, 0, sizeof(double) * 2 * nv);
  memset(rest, 0, sizeof(double) * nrow);
  z[rate ? nv + i : i] = 1;
  complete(t, rest, rate ? z + nv : z);
  if (rate) return;
  for (size_t r = 0; r < nrow; r++) {
    rest[r] = 0;
    for (size_t j = 0; j < nv; j++) rest[r] += t->C[r * nv + j] * z[j];
  }
  complete(t, rest, z + nv);
}

/* The dependent degrees of freedom, and J_dep = Q R. */
static jn_status choose_dependent(tangent *t, jn_data *data, const double *q,
                                  const jn_constraints *constraints, int *found) {
  const size_t nv = (size_t)t->m->nv;
  unsigned char *dependent = (unsigned char *)(void *)t->w->solve_rhs;
  jn_status status = jn_constraint_rank(t->m, data, q, constraints, found, NULL, dependent);
  if (status) return status;
  const int rank = *found;
  t->dependent = dependent;
  t->dep = (qr){t->m->nrow, rank, 0, t->w->row_Q, dof_of(t->w, 0), NULL, 0};
  for (int r = 0; r < t->m->nrow; r++)
    for (size_t j = 0, n = 0; j < nv; j++)
      if (t->dependent[j]) t->dep.A[(size_t)r * (size_t)rank + n++] = t->J[(size_t)r * nv + j];
  qr_factor(&t->dep, NULL, 0, dof_of(t->w, 1));
  return t->dep.rank == rank ? JN_OK : JN_ERR_RANK;
}

/* The part of the result that belongs to column c of p: basis, projector, A_minimal */
static void put_column(const jn_linearise_closed *out, const tangent *t, size_t p, size_t c,
                       size_t i, const double *z) {
  const size_t nv = (size_t)t->m->nv, n = 2 * nv;
  const int rate = c >= p;
  for (size_t r = 0; r < n; r++) {
    if (out->basis) out->basis[r * 2 * p + c] = z[r];
    if (out->projector) out->projector[r * n + i + (rate ? nv : 0)] = z[r];
  }
  for (size_t half = 0, row = 0; half < 2 && out->A_minimal; half++)
    for (size_t j = 0; j < nv; j++) {
      if (t->dependent[j]) continue;
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += out->A[(half * nv + j) * n + k] * z[k];
      out->A_minimal[row++ * 2 * p + c] = sum;
    }
}

static jn_status minimal_states(const jn_model *m, jn_data *data, const double *q,
                                const jn_constraints *constraints, size_t inputs,
                                const jn_linearise_closed *out) {
  const jn_work *w = &data->w;
  const size_t nv = (size_t)m->nv, n = 2 * nv;
  tangent t = {.m = m, .w = w, .J = w->row_response, .C = w->row_equations};
  int rank;
  jn_status status = choose_dependent(&t, data, q, constraints, &rank);
  if (status) return status;
  const size_t p = nv - (size_t)rank;
  double *z = out_of(w, 0);
  if (out->mobility) *out->mobility = (int)p;
  if (out->projector) memset(out->projector, 0, sizeof(double) * n * n);
  for (size_t j = 0, c = 0; j < nv; j++) {
    if (t.dependent[j]) continue;
    if (out->independent) out->independent[c] = (int)j;
    for (int rate = 0; rate < 2; rate++) {
      basis_column(&t, j, rate, z);
      put_column(out, &t, p, rate ? p + c : c, j, z);
    }
    for (size_t k = 0; k < inputs && out->B_minimal && out->B; k++) {
      out->B_minimal[c * inputs + k] = out->B[j * inputs + k];
      out->B_minimal[(p + c) * inputs + k] = out->B[(nv + j) * inputs + k];
    }
    c++;
  }
  return JN_OK;
}

jn_status jn_constrained_linearise(const jn_model *model, jn_data *data,
                                   const jn_linearise_options *options, const double *q,
                                   const double *v, const double *tau, const jn_external *external,
                                   const jn_constraints *constraints,
                                   const jn_linearise_closed *out) {
  size_t inputs;
  if (!out) return JN_ERR_ARGUMENT;
  jn_status status = jn_linearise_check(model, data, 0, external, options, out->A, &inputs);
  if (status) return status;
  if (is_right(options) || (model->nfree && data->settings.representation != JN_BODY))
    return JN_ERR_ARGUMENT;
  if (!model->nrow) {
    status = jn_linearise(model, data, options, q, v, tau, external, out->A, out->B);
    return status ? status : minimal_states(model, data, q, constraints, inputs, out);
  }
  const size_t nv = (size_t)model->nv, n = 2 * nv, block = nv * nv;
  const jn_work *w = &data->w;
  closed_call s;
  tangent first = {.m = model, .w = w, .J = w->row_jacobian};
  int rank;
  status = choose_dependent(&first, data, q, constraints, &rank);
  if (!status) status = jn_closed_forward(model, data, 0, q, v, tau, external, constraints, &s);
  if (status) return status;
  const size_t width = (size_t)data->engine->lanes;
  /* room for the partial derivatives, as in jn_linearise */
  double *A = out->A, *dq = A, *dv = A + block, *dtau = A + 2 * block;
  for (size_t c = 0; c < nv; c += width) {
    jn_closed_columns(&s, BY_Q, 0, c, dq, NULL, 1);
    jn_closed_columns(&s, BY_V, 0, c, dv, NULL, 1);
    if (out->B) jn_closed_columns(&s, BY_TAU, 0, c, dtau, NULL, 1);
  }
  if (out->B) {
    memset(out->B, 0, sizeof(double) * nv * inputs);
    jn_linearise_input(model, options, dtau, nv, inputs, out->B + nv * inputs);
  }
  jn_linearise_place(model, data, options, q, v, A);
  /* J survives jn_constraint_rank in the place of M^-1 J^T, which is no longer needed */
  memcpy(w->row_response, w->row_jacobian, sizeof(double) * (size_t)model->nrow * nv);
  if (!jn_all_finite(A, n * n)) return JN_ERR_NOT_FINITE;
  return minimal_states(model, data, q, constraints, inputs, out);
}

/* ---- time derivatives along the motion */

/* E, A_minimal and their derivatives, [2nv x 2p] and [2p x 2p] each. States on the constraints stay
 * there: (E y)' = A E y for every y with y' = A_minimal y, hence
 *   G^(k) = sum_i binomial(k, i) A^(k-i) E^(i),   A_minimal^(k) = S G^(k)
 *   E^(k+1) = G^(k) - sum_i binomial(k, i) E^(k-i) A_minimal^(i) */
typedef struct minimal_rates {
  size_t n, p2;        /* 2nv, 2p */
  const int *dof;      /* [p] independent degrees of freedom */
  const double *A;     /* [(r+1) x n x n] */
  double *E, *minimal; /* [(r+2) x n x p2], [(r+1) x p2 x p2] */
} minimal_rates;

/* out[rows x columns] += f a b, a[rows x inner], b[inner x columns] */
static void add_product(double f, const double *a, const double *b, size_t rows, size_t inner,
                        size_t columns, double *out) {
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < inner; k++) {
      const double x = f * a[i * inner + k];
      for (size_t j = 0; j < columns && x != 0; j++) out[i * columns + j] += x * b[k * columns + j];
    }
}

static void minimal_step(const minimal_rates *x, int k) {
  const size_t n = x->n, c = x->p2, p = c / 2, size = n * c;
  double *next = x->E + (size_t)(k + 1) * size, *minimal = x->minimal + (size_t)k * c * c;
  memset(next, 0, sizeof(double) * size);
  for (int i = 0; i <= k; i++)
    add_product(binomial(k, i), x->A + (size_t)(k - i) * n * n, x->E + (size_t)i * size, n, n, c,
                next);
  for (size_t r = 0; r < c; r++) {
    const size_t row = (size_t)x->dof[r % p] + (r < p ? 0 : n / 2);
    memcpy(minimal + r * c, next + row * c, sizeof(double) * c);
  }
  for (int i = 0; i <= k; i++)
    add_product(-binomial(k, i), x->E + (size_t)(k - i) * size, x->minimal + (size_t)i * c * c, n,
                c, c, next);
  /* S E = 1 at all times */
  for (size_t r = 0; r < c; r++)
    memset(next + ((size_t)x->dof[r % p] + (r < p ? 0 : n / 2)) * c, 0, sizeof(double) * c);
}

static void write_minimal(const minimal_rates *x, int order, size_t inputs,
                          const jn_linearise_closed *out) {
  const size_t n = x->n, c = x->p2, p = c / 2, rows = (size_t)order + 1;
  if (out->basis) memcpy(out->basis, x->E, sizeof(double) * rows * n * c);
  if (out->A_minimal) memcpy(out->A_minimal, x->minimal, sizeof(double) * rows * c * c);
  if (out->projector) memset(out->projector, 0, sizeof(double) * rows * n * n);
  for (size_t k = 0; k < rows; k++)
    for (size_t s = 0; s < c; s++) {
      const size_t at = (size_t)x->dof[s % p] + (s < p ? 0 : n / 2);
      for (size_t r = 0; r < n && out->projector; r++)
        out->projector[(k * n + r) * n + at] = x->E[(k * n + r) * c + s];
      if (out->B_minimal && out->B)
        memcpy(out->B_minimal + (k * c + s) * inputs, out->B + (k * n + at) * inputs,
               sizeof(double) * inputs);
    }
}

size_t jn_constrained_linearise_rates_size(const jn_model *model, int order) {
  const size_t own = jn_linearise_rates_size(model, order);
  if (!own) return 0;
  const size_t n = 2 * (size_t)model->nv, r = (size_t)order + 1;
  return own + (2 * r + 2) * n * n + n;
}

jn_status jn_constrained_linearise_rates(const jn_model *model, jn_data *data,
                                         const jn_linearise_options *options, int order,
                                         const double *q, const double *v, const double *tau,
                                         const jn_external *external,
                                         const jn_constraints *constraints, double *work,
                                         const jn_linearise_closed *out) {
  size_t inputs;
  if (!out) return JN_ERR_ARGUMENT;
  jn_status status = jn_linearise_check(model, data, order, external, options, out->A, &inputs);
  if (status) return status;
  if (!model->nv) /* matrices without numbers */
    return jn_constrained_linearise(model, data, options, q, v, tau, external, constraints, out);
  if (is_right(options) || (model->nfree && data->settings.representation != JN_BODY) || !work ||
      !v)
    return JN_ERR_ARGUMENT;
  const size_t n = 2 * (size_t)model->nv, r = (size_t)order + 1;
  double *E = work + jn_linearise_rates_size(model, order), *minimal = E + (r + 1) * n * n;
  int *dof = (int *)(void *)(minimal + r * n * n), mobility = 0;
  const rates_call c = {options, order, model->nrow > 0, q, v, tau, external, constraints};
  /* E and the degrees of freedom; A in the place of A_minimal, which comes later */
  const jn_linearise_closed now = {
      .A = minimal, .basis = E, .independent = dof, .mobility = &mobility};
  status = jn_constrained_linearise(model, data, options, q, v, tau, external, constraints, &now);
  if (!status) status = jn_rates_compute(model, data, &c, work);
  if (status) return status;
  const minimal_rates x = {.n = n,
                           .p2 = 2 * (size_t)mobility,
                           .dof = dof,
                           .A = jn_rates_matrix(model, order, work),
                           .E = E,
                           .minimal = minimal};
  for (int k = 0; k <= order && mobility; k++) minimal_step(&x, k);
  if (!jn_all_finite(E, r * n * x.p2) || !jn_all_finite(minimal, r * x.p2 * x.p2))
    return JN_ERR_NOT_FINITE;
  jn_rates_write(model, &c, inputs, work, out->A, out->B);
  if (out->mobility) *out->mobility = mobility;
  if (out->independent) memcpy(out->independent, dof, sizeof(int) * (size_t)mobility);
  write_minimal(&x, order, inputs, out);
  return JN_OK;
}
