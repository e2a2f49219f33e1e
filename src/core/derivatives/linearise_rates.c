/* linearise_rates.c: time derivatives of A and B along the motion. */
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

jn_status jn_linearise_rates(const jn_model *model, jn_data *data,
                             const jn_linearise_options *options, int order, const double *q,
                             const double *v, const double *tau, const jn_external *external,
                             double *work, double *A, double *B) {
  size_t m;
  jn_status status = jn_linearise_check(model, data, order, external, options, A, &m);
  if (status) return status;
  const size_t nv = (size_t)model->nv, rows = (size_t)order + 1;
  if (nv && (!work || !v)) return JN_ERR_ARGUMENT;
  rates x = rates_at(model, order, work);
  status = jn_forward_dynamics(model, data, order, q, v, tau, external, nv ? x.v + nv : NULL);
  if (status || !nv) return status;
  memcpy(x.v, v, sizeof(double) * nv);
  status = jn_forward_partials(model, data, order, q, v, tau, external, x.dq, x.dv, x.dtau);
  if (status) return status;
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
  if (!finite) return JN_ERR_NOT_FINITE;
  memcpy(A, x.A, sizeof(double) * rows * x.n * x.n);
  for (int k = 0; k <= order && B; k++) {
    double *Bk = B + (size_t)k * x.n * m;
    memset(Bk, 0, sizeof(double) * nv * m);
    jn_linearise_input(model, options, x.dtau + (size_t)k * rows * nv * nv, nv, m, Bk + nv * m);
  }
  return JN_OK;
}
