/* forward_partials.c: partial derivatives of forward dynamics.
 *
 * The motion comes from forward dynamics; there tau = ID(q, v, v', ...) is differentiated and
 * solved, order by order, for the variation of v^(k+1):
 *   M x = d tau_k - (A phi + B phi' + M phi'')_k without its newest term,   x = (k+1) dv_(k+1)
 * M^-1 is applied through the articulated inertias. */
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial.h"
#include "core/composite.h"
#include "core/partials.h"

jn_status jn_varied_forward(const jn_model *model, jn_data *data, int order, const double *q,
                            const double *v, const double *tau, const jn_external *external,
                            varied *x) {
  if (!model || !data) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)model->nv;
  double *motion = data->w.force;
  jn_status status =
      jn_forward_dynamics(model, data, order, q, v, tau, external, nv ? motion + nv : NULL);
  if (status) return status;
  if (nv) memcpy(motion, v, sizeof(double) * nv);
  status = jn_varied_start(model, data, order, q, motion, external, x);
  if (status) return status;
  data->singular = spatial_articulate(model, x->w, x->rows, NULL);
  return data->singular >= 0 ? JN_ERR_SINGULAR : JN_OK;
}

/* One direction: phi (w->y), dv_0 in w->force row 0, d tau in w->io; fills rows 1..order+1 of
 * w->force. */
static void direction(const varied *x, int first) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  size_t nv = (size_t)m->nv;
  double *step = w->force, *rate = w->tau, *y = w->xlane, *top = w->e;
  memset(rate, 0, sizeof(double) * (size_t)x->rows * nv);
  memset(step + nv, 0, sizeof(double) * (size_t)(x->K + 1) * nv);
  if (first == 0) jn_varied_rate(x, 0, 0, step, rate);
  for (int k = 0; k < first; k++) jn_varied_push(x, k, w->y, rate, y);
  for (int k = first; k <= x->K; k++) {
    jn_varied_rate(x, k + 1, 1, step, rate);
    jn_varied_push(x, k, w->y, rate, y);
    for (size_t j = 0; j < nv; j++) y[j] = w->io[(size_t)k * nv + j] - y[j];
    if (x->data->settings.damping)
      for (int i = 0; i < m->nlink; i++)
        for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
          y[j] -= m->link[i].damping * step[(size_t)k * nv + (size_t)j];
    jn_varied_solve(x, 1, y);
    for (size_t j = 0; j < nv; j++) step[(size_t)(k + 1) * nv + j] = y[j] / (k + 1);
    /* phi'_(k+1) and phi''_k grow by E_0 dv_(k+1) */
    for (int i = 0; i < m->nlink; i++) {
      const jn_link *l = &m->link[i];
      for (int c = 0; c < l->nv; c++) {
        double s = l->nv == 1 ? y[l->iv] : 0;
        for (int d = 0; d < l->nv && l->nv > 1; d++)
          s += w->Ev[6 * (size_t)(l->iv + d) * (size_t)x->rows + (size_t)c] * y[l->iv + d];
        top[l->iv + c] = s;
        rate[(size_t)(k + 1) * nv + (size_t)(l->iv + c)] += s / (k + 1);
      }
    }
    if (k < x->K) jn_varied_push_top(x, k, top);
  }
}

/* out[k][.][column] = (k+1)! / j! dv_(k+1), k = j..K; zero below j */
static void put_column(const varied *x, int j, size_t column, double *out, size_t stride) {
  size_t nv = (size_t)x->m->nv;
  double f = 1;
  for (int k = 0; k <= x->K; k++) {
    if (k >= j) f *= k + 1;
    for (size_t i = 0; i < nv; i++)
      out[(size_t)k * stride + i * nv + column] =
          k < j ? 0 : f * x->w->force[(size_t)(k + 1) * nv + i];
  }
}

static void columns(const varied *x, double *dq, double *dv, double *dtau) {
  const jn_work *w = x->w;
  size_t nv = (size_t)x->m->nv, rows = (size_t)x->rows, square_size = nv * nv, n = (size_t)x->K + 1;
  memset(w->y, 0, sizeof(double) * nv);
  memset(w->io, 0, sizeof(double) * rows * nv);
  memset(w->force, 0, sizeof(double) * rows * nv);
  for (size_t c = 0; c < nv && dq; c++) {
    w->y[c] = 1;
    direction(x, 0);
    put_column(x, 0, c, dq, square_size);
    w->y[c] = 0;
  }
  for (size_t c = 0; c < nv && dv; c++) {
    w->force[c] = 1;
    direction(x, 0);
    put_column(x, 0, c, dv, square_size);
    w->force[c] = 0;
  }
  for (int j = 0; j <= x->K && dtau; j++)
    for (size_t c = 0; c < nv; c++) {
      w->io[(size_t)j * nv + c] = 1;
      direction(x, j);
      /* a unit of tau^(j) is 1/j! of tau_j: put_column's factor starts there */
      put_column(x, j, c, dtau + (size_t)j * square_size, n * square_size);
      w->io[(size_t)j * nv + c] = 0;
    }
}

/* A := sign M^-1 A for the matrices of a list, as many columns at a time as go together */
typedef struct right_side {
  double *A, sign;
} right_side;

static void solve_in_place(const varied *x, const right_side *list, size_t count) {
  size_t nv = (size_t)x->m->nv, all = count * nv;
  double *y = x->w->xlane, *from[COLUMNS], sign[COLUMNS];
  for (size_t c = 0; c < all; c += COLUMNS) {
    size_t n = all - c < COLUMNS ? all - c : COLUMNS;
    for (size_t s = 0; s < COLUMNS; s++) {
      const right_side *r = &list[(s < n ? c + s : all - 1) / nv];
      from[s] = r->A + (s < n ? c + s : all - 1) % nv;
      sign[s] = r->sign;
    }
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < COLUMNS; s++) y[COLUMNS * i + s] = sign[s] * from[s][i * nv];
    jn_varied_solve(x, COLUMNS, y);
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) from[s][i * nv] = y[COLUMNS * i + s];
  }
}

static void order_zero(const varied *x, double *dq, double *dv, double *dtau) {
  size_t nv = (size_t)x->m->nv, n = 0;
  jn_blocks o = {{dq, nv, 1}, {dv, nv, 1}, {NULL, 0, 0}};
  right_side list[3];
  jn_varied_fold(x);
  if (dq) memset(dq, 0, sizeof(double) * nv * nv), list[n++] = (right_side){dq, -1};
  if (dv) memset(dv, 0, sizeof(double) * nv * nv), list[n++] = (right_side){dv, -1};
  if (dtau) memset(dtau, 0, sizeof(double) * nv * nv), list[n++] = (right_side){dtau, 1};
  if (dq || dv) jn_varied_square(x, 0, &o, 1);
  for (size_t i = 0; i < nv && dtau; i++) dtau[i * nv + i] = 1;
  solve_in_place(x, list, n);
}

jn_status jn_forward_partials(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const double *tau, const jn_external *external,
                              double *dq, double *dv, double *dtau) {
  varied x;
  jn_status status = jn_varied_forward(model, data, order, q, v, tau, external, &x);
  if (status) return status;
  jn_varied_columns(&x);
  jn_varied_carry(&x);
  if (!(jn_varied_bound(&x) < 1e300)) return JN_ERR_NOT_FINITE;
  size_t n = ((size_t)order + 1) * (size_t)model->nv * (size_t)model->nv;
  if (order == 0)
    order_zero(&x, dq, dv, dtau);
  else
    columns(&x, dq, dv, dtau);
  if ((dq && !jn_all_finite(dq, n)) || (dv && !jn_all_finite(dv, n)) ||
      (dtau && !jn_all_finite(dtau, n * ((size_t)order + 1))))
    return JN_ERR_NOT_FINITE;
  return JN_OK;
}

static int take(const double *in, size_t n, double *out) {
  if (!n) return 1;
  if (!in)
    memset(out, 0, sizeof(double) * n);
  else if (!jn_all_finite(in, n))
    return 0;
  else
    memcpy(out, in, sizeof(double) * n);
  return 1;
}

jn_status jn_forward_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const double *tau, const jn_external *external,
                         const double *dq, const double *dv, const double *dtau, double *out) {
  varied x;
  if (model && model->nv && !out) return JN_ERR_ARGUMENT;
  jn_status status = jn_varied_forward(model, data, order, q, v, tau, external, &x);
  if (status) return status;
  jn_varied_columns(&x);
  jn_varied_carry(&x);
  const jn_work *w = x.w;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (!take(dq, nv, w->y) || !take(dv, nv, w->force) || !take(dtau, n, w->io))
    return JN_ERR_NOT_FINITE;
  jn_jet_to_taylor(order, model->nv, w->io);
  direction(&x, 0);
  jn_jet_to_derivatives(order + 1, model->nv, w->force);
  if (!jn_all_finite(w->force + nv, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(out, w->force + nv, sizeof(double) * n);
  return JN_OK;
}
