/* uncertainty.c: bands of a fitted motion and of its forces.
 *
 * The Taylor coefficients x_0 .. x_K of a fitted number at t have a covariance C = L L^T. Every
 * column of L is one standard deviation in an independent direction: for any function f of them,
 * to first order,
 *
 *   Var f = sum over columns l of ((f(x + l) - f(x - l))/2)^2 */
#include <jounce/dynamics.h>
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"
#include "trajectory/uniform.h"

/* Columns of L: L[column (K+1) + k], k up to the degree, above zero. Returns their number. */
static int deviations(const jn_trajectory *T, int iq, const jn_instant *at, int K, double *L) {
  const jn_variance *v = &T->variance[iq];
  const double t = at->t;
  const int d = v->degree, n = K < d ? K : d;
  double piece[WIDEST * WIDEST], b[WIDEST][WIDEST], C[WIDEST][WIDEST];
  if (!v->cells) return 0;
  int j = (int)floor((t - v->start) / v->h);
  j = j < 0 ? 0 : j < v->cells ? j : v->cells - 1;
  const double sigma2 = v->sigma2 * v->V[(size_t)(v->cells + d) * (size_t)(d + 1) + (size_t)j];
  /* in units of cells: all C of similar size */
  const uniform u = {.degree = d, .h = 1, .piece = piece};
  jn_uniform_pieces(d, piece);
  for (int k = 0; k <= n; k++) {
    jn_uniform_basis(&u, (t - v->start) / v->h - j, k, b[k]);
    for (int i = 0; i <= k; i++)
      C[k][i] = sigma2 * jn_uniform_block(d, v->V + (size_t)j * (size_t)(d + 1), b[k], b[i]);
  }
  /* the error of a rounded value adds to it, not to the derivatives */
  C[0][0] += v->rounding;
  memset(L, 0, (size_t)(K + 1) * (size_t)(n + 1) * sizeof *L);
  for (int c = 0; c <= n; c++) {
    double *column = L + c * (K + 1);
    const double pivot = C[c][c];
    for (int k = c; k <= n; k++) column[k] = pivot > 0 ? C[k][c] / sqrt(pivot) : 0;
    for (int k = c + 1; k <= n; k++)
      for (int i = c + 1; i <= k; i++) C[k][i] -= column[k] * column[i];
  }
  for (int c = 0; c <= n; c++) {
    double scale = 1;
    for (int k = 0; k <= n; k++) {
      L[c * (K + 1) + k] *= scale;
      scale /= (k + 1) * v->h * (at->clock ? 1 : T->scale);
    }
    if (at->clock) jn_jet_after(K, at->clock, at->work, L + c * (K + 1));
  }
  return n + 1;
}

/* May bands of derivatives up to `needed` be asked for? */
static jn_status check(const jn_trajectory *T, double t, int needed, double *at) {
  if (!T || !jn_trajectory_time(T, t, at)) return JN_ERR_ARGUMENT;
  for (int i = 0; i < T->nq; i++)
    if (T->variance[i].kind == JN_VARIANCE_UNKNOWN) return JN_ERR_STATE;
  for (int i = 0; i < T->nq; i++)
    if (T->variance[i].cells && T->variance[i].degree < needed) return JN_ERR_ORDER;
  return JN_OK;
}

/* Something computed from the motion at t: `size` numbers, into x. */
typedef struct quantity {
  const jn_trajectory *T;
  double t;
  int order;
  jn_representation representation;
  const jn_model *model; /* NULL: q and v, else forces */
  jn_data *data;
  double *q, *v;
} quantity;

static jn_status compute(const quantity *f, const jn_shift *shift, double *x) {
  const size_t nq = (size_t)f->T->nq;
  double *q = f->model ? f->q : x, *v = f->model ? f->v : x + nq;
  jn_status status = jn_trajectory_shifted(f->T, f->t, f->order, f->representation, shift, q, v);
  if (status || !f->model) return status;
  return jn_inverse_dynamics(f->model, f->data, f->order, q, v, NULL, x);
}

/* band[size] = 1.96 sqrt(Var f) at clock time t; work [2 size + (K+1)(K+5)], K = order + 2 */
static jn_status sum_deviations(const quantity *f, double t, size_t size, double *band,
                                double *work) {
  const int K = f->order + 2;
  double *plus = work, *minus = plus + size, *L = minus + size, *back = L + (K + 1) * (K + 1),
         *clock = back + K + 1;
  jn_instant at = {t, NULL, clock + K + 1};
  if (f->T->clocks) {
    jn_clock_jet(f->T, t, K, at.work, clock);
    at.t = clock[0], at.clock = clock;
  }
  memset(band, 0, size * sizeof *band);
  for (int iq = 0; iq < f->T->nq; iq++) {
    const int columns = deviations(f->T, iq, &at, K, L);
    for (int c = 0; c < columns; c++) {
      for (int k = 0; k <= K; k++) back[k] = -L[c * (K + 1) + k];
      const jn_shift to = {iq, L + c * (K + 1)}, from = {iq, back};
      jn_status status = compute(f, &to, plus);
      if (!status) status = compute(f, &from, minus);
      if (status) return status;
      for (size_t i = 0; i < size; i++)
        band[i] += 0.25 * (plus[i] - minus[i]) * (plus[i] - minus[i]);
    }
  }
  for (size_t i = 0; i < size; i++) band[i] = BAND * sqrt(band[i]);
  return jn_all_finite(band, size) ? JN_OK : JN_ERR_NOT_FINITE;
}

static size_t work_size(int order, size_t size) {
  const size_t K = (size_t)order + 2;
  return 3 * size + (K + 1) * (K + 5);
}

jn_status jn_trajectory_band(const jn_trajectory *T, double t, int order,
                             jn_representation representation, double *q, double *v) {
  double at;
  if (order < -1 || order > JN_MAX_ORDER || (int)representation < 0 || representation > JN_MIXED)
    return JN_ERR_ARGUMENT;
  jn_status status = check(T, t, v ? order + 2 : 0, &at);
  if (status) return status;
  const size_t nq = (size_t)T->nq, nv = (size_t)(order + 2) * (size_t)T->nv;
  double *band = jn_block_new(&T->hooks, work_size(order, nq + nv), sizeof *band);
  if (!band) return JN_ERR_MEMORY;
  const quantity f = {.T = T, .t = t, .order = order, .representation = representation};
  status = sum_deviations(&f, at, nq + nv, band, band + nq + nv);
  if (!status && q) memcpy(q, band, nq * sizeof *q);
  if (!status && v) memcpy(v, band + nq, nv * sizeof *v);
  jn_block_free(&T->hooks, band);
  return status;
}

jn_status jn_trajectory_force_band(const jn_model *model, jn_data *data, const jn_trajectory *T,
                                   double t, int order, double *tau) {
  double at;
  if (!model || !data || !tau || order < 0 || order > JN_MAX_ORDER) return JN_ERR_ARGUMENT;
  jn_status status = check(T, t, order + 2, &at);
  if (status) return status;
  if (T->nq != jn_model_nq(model) || T->nv != jn_model_nv(model)) return JN_ERR_ARGUMENT;
  const size_t nq = (size_t)T->nq, nv = (size_t)T->nv, size = (size_t)(order + 1) * nv;
  double *q =
      jn_block_new(&T->hooks, nq + (size_t)(order + 2) * nv + work_size(order, size), sizeof *q);
  if (!q) return JN_ERR_MEMORY;
  double *v = q + nq, *band = v + (size_t)(order + 2) * nv;
  const quantity f = {T, t, order, jn_data_settings(data)->representation, model, data, q, v};
  status = sum_deviations(&f, at, size, band, band + size);
  if (!status) memcpy(tau, band, size * sizeof *tau);
  jn_block_free(&T->hooks, q);
  return status;
}
