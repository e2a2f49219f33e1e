/* linearise_rates.c: time derivatives of A and B along the motion. */
#include <jounce/constraints.h>
#include <jounce/derivatives.h>
#include <string.h>

#include "core/derivatives/linearise.h"

/* W_k [2nv x 3nv]: z^(k) = W_k (z, d tau) for constant d tau. */
typedef struct rates {
  const jn_model *model;
  int order;
  size_t nv, n, wide;
  double *v; /* [(r+2) x nv] */
  double *dq, *dv, *dtau;
  double *W;       /* [(r+1) x 2nv x 3nv] */
  double *turning; /* for one joint */
  double *A;
} rates;

size_t jn_linearise_rates_size(const jn_model *model, int order) {
  if (!model || order < 0 || order > JN_MAX_ORDER) return 0;
  const size_t nv = (size_t)model->nv, r = (size_t)order + 1;
  return (r + 1) * nv + r * (2 + r) * nv * nv + r * (6 + 4) * nv * nv + r * TURNING;
}

static rates rates_at(const jn_model *model, int order, double *work) {
  const size_t nv = (size_t)model->nv, r = (size_t)order + 1, block = nv * nv;
  rates x = {.model = model, .order = order, .nv = nv, .n = 2 * nv, .wide = 3 * nv};
  x.v = work;
  x.dq = x.v + (r + 1) * nv;
  x.dv = x.dq + r * block;
  x.dtau = x.dv + r * block;
  x.W = x.dtau + r * r * block;
  x.A = x.W + r * 6 * block;
  x.turning = x.A + r * 4 * block;
  return x;
}

/* entry (i, c) of the lower half of W_k: v^(k), k > 0 */
static double lower_entry(const rates *x, int k, size_t i, size_t c) {
  const size_t block = x->nv * x->nv, at = i * x->nv + c % x->nv;
  if (c < x->nv) return x->dq[(size_t)(k - 1) * block + at];
  if (c < 2 * x->nv) return x->dv[(size_t)(k - 1) * block + at];
  return x->dtau[(size_t)(k - 1) * ((size_t)x->order + 1) * block + at];
}

/* Upper half of W_k from the upper rows of A:
 *   xi^(k) = sum_(i<k) binomial(k-1, i) (K, L)^(k-1-i) W_i */
static void grow(const rates *x, int k) {
  double *W = x->W + (size_t)k * x->n * x->wide;
  memset(W, 0, sizeof(double) * x->nv * x->wide);
  for (int i = 0; i < k; i++) {
    const double f = binomial(k - 1, i), *below = x->W + (size_t)i * x->n * x->wide;
    const double *A = x->A + (size_t)(k - 1 - i) * x->n * x->n;
    for (size_t r = 0; r < x->nv; r++)
      for (size_t s = 0; s < x->n; s++) {
        const double a = f * A[r * x->n + s];
        for (size_t c = 0; a != 0 && c < x->wide; c++)
          W[r * x->wide + c] += a * below[s * x->wide + c];
      }
  }
  for (size_t r = 0; r < x->nv; r++)
    for (size_t c = 0; c < x->wide; c++) W[(x->nv + r) * x->wide + c] = lower_entry(x, k, r, c);
}

/* Lower rows of A^(k) and B^(k); those of B in dtau of order k:
 *   [A B]^(k) = W_(k+1) - sum_(i>=1) binomial(k, i) A^(k-i) W_i */
static void subtract(const rates *x, int k) {
  const size_t nv = x->nv, size = x->n * x->n;
  double *A = x->A + (size_t)k * size;
  double *B = x->dtau + (size_t)k * ((size_t)x->order + 1) * nv * nv;
  for (size_t r = 0; r < nv; r++)
    for (size_t c = 0; c < x->n; c++) A[(nv + r) * x->n + c] = lower_entry(x, k + 1, r, c);
  for (int i = 1; i <= k; i++) {
    const double f = binomial(k, i), *W = x->W + (size_t)i * x->n * x->wide;
    const double *lower = x->A + (size_t)(k - i) * size + nv * x->n;
    for (size_t r = 0; r < nv; r++)
      for (size_t s = 0; s < x->n; s++) {
        const double a = f * lower[r * x->n + s], *from = W + s * x->wide;
        for (size_t c = 0; c < x->n; c++) A[(nv + r) * x->n + c] -= a * from[c];
        for (size_t c = 0; c < nv; c++) B[r * nv + c] -= a * from[x->n + c];
      }
  }
}

/* v', ..., v^(r+1) and their partial derivatives, of the tree or on the constraints. */
static jn_status move(const rates *x, jn_data *data, const rates_call *c) {
  double *a = x->v + x->nv;
  const jn_model *m = x->model;
  if (!c->closed) {
    jn_status status = jn_forward_dynamics(m, data, c->order, c->q, c->v, c->tau, c->external, a);
    return status ? status
                  : jn_forward_partials(m, data, c->order, c->q, c->v, c->tau, c->external, x->dq,
                                        x->dv, x->dtau);
  }
  const jn_forward_closed out = {.a_dq = x->dq, .a_dv = x->dv, .a_dtau = x->dtau};
  jn_status status = jn_constrained_forward_dynamics(m, data, c->order, c->q, c->v, c->tau,
                                                     c->external, c->constraints, a, NULL);
  return status ? status
                : jn_constrained_forward_partials(m, data, c->order, c->q, c->v, c->tau,
                                                  c->external, c->constraints, &out);
}

jn_status jn_rates_compute(const jn_model *model, jn_data *data, const rates_call *c,
                           double *work) {
  const jn_linearise_options *options = c->options;
  const double *q = c->q;
  const int order = c->order;
  const size_t nv = (size_t)model->nv, rows = (size_t)order + 1;
  rates x = rates_at(model, order, work);
  jn_status status = move(&x, data, c);
  if (status) return status;
  memcpy(x.v, c->v, sizeof(double) * nv);
  memset(x.A, 0, sizeof(double) * rows * x.n * x.n);
  turning t = jn_turning_at(order, x.turning);
  for (int i = 0; i < model->nbody; i++) {
    const jn_joint *j = &model->joint[i];
    if (joint_has_quaternion(j)) jn_turning_fill(&t, data, j, order, q, x.v);
    for (int k = 0; k <= order; k++) jn_linearise_upper(&t, j, k, x.n, x.A + (size_t)k * x.n * x.n);
  }
  for (int k = 0; k <= order; k++) {
    if (k)
      grow(&x, k);
    else {
      memset(x.W, 0, sizeof(double) * x.n * x.wide);
      for (size_t i = 0; i < x.n; i++) x.W[i * x.wide + i] = 1;
    }
  }
  for (int k = 0; k <= order; k++) subtract(&x, k);
  for (int i = 0; i < model->nbody && is_right(options); i++) {
    const jn_joint *j = &model->joint[i];
    if (!joint_has_quaternion(j)) continue;
    jn_turning_fill(&t, data, j, order, q, x.v);
    jn_linearise_right(&t, j, order, x.n, x.A);
  }
  /* the map is below JN_BOUND */
  int finite = jn_all_finite(x.A, rows * x.n * x.n);
  finite &= jn_all_below(x.dtau, rows * rows * nv * nv, JN_BOUND_1 / JN_BOUND);
  return finite ? JN_OK : JN_ERR_NOT_FINITE;
}

const double *jn_rates_matrix(const jn_model *model, int order, double *work) {
  return rates_at(model, order, work).A;
}

void jn_rates_write(const jn_model *model, const rates_call *c, size_t inputs, double *work,
                    double *A, double *B) {
  const rates x = rates_at(model, c->order, work);
  const size_t nv = x.nv, rows = (size_t)c->order + 1, m = inputs;
  memcpy(A, x.A, sizeof(double) * rows * x.n * x.n);
  for (size_t k = 0; k < rows && B; k++) {
    double *Bk = B + k * x.n * m;
    memset(Bk, 0, sizeof(double) * nv * m);
    jn_linearise_input(model, c->options, x.dtau + k * rows * nv * nv, nv, m, Bk + nv * m);
  }
}

jn_status jn_linearise_rates(const jn_model *model, jn_data *data,
                             const jn_linearise_options *options, int order, const double *q,
                             const double *v, const double *tau, const jn_external *external,
                             double *work, double *A, double *B) {
  size_t m;
  jn_status status = jn_linearise_check(model, data, order, external, options, A, &m);
  if (status) return status;
  if (!model->nv) return jn_forward_dynamics(model, data, order, q, v, tau, external, NULL);
  if (!work || !v) return JN_ERR_ARGUMENT;
  const rates_call c = {
      .options = options, .order = order, .q = q, .v = v, .tau = tau, .external = external};
  status = jn_rates_compute(model, data, &c, work);
  if (!status) jn_rates_write(model, &c, m, work, A, B);
  return status;
}
