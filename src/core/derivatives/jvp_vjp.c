/* jvp_vjp.c: directional derivatives of inverse dynamics (course.h) and their transpose, without
 * matrices; the transpose for forward dynamics; M^-1 times a vector. */
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/mass_solve.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

static six six_plus(six a, double s, six b) { return six_add(a, six_scale(s, b)); }

/* gdv += the gradients by phi'_0..phi'_(K-1), phi' = E dv */
static void pull_rates(const variation *x, const double *grate, double *gdv) {
  const size_t nv = (size_t)x->m->nv;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    for (int d = 0; d < l->nv; d++)
      for (int k = 0; k < x->K; k++) {
        double s = l->nv == 1 ? grate[(size_t)k * nv + (size_t)l->iv] : 0;
        for (int h = 0; h < x->K - k && l->nv > 1; h++)
          for (int c = 0; c < l->nv; c++)
            s += Ev_of(x->w, (l->iv + d))[6 * h + c] *
                 grate[(size_t)(k + h) * nv + (size_t)(l->iv + c)];
        gdv[(size_t)k * nv + (size_t)(l->iv + d)] += s;
      }
  }
}

/* Covectors of D, D', D'' (summed over subtrees) and of the wrenches (w->Df, not summed). */
static void pull_rows(const variation *x, const double *weight) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const int nv = m->nv, K = x->K;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int n = 0; n <= K; n++) {
      six D0 = six_zero(), D1 = D0, D2 = D0, G = D0;
      for (int j = l->iv; j < l->iv + l->nv; j++) {
        const six *S = S_of(w, j);
        for (int k = n; k <= K; k++) {
          double s = weight[(size_t)k * (size_t)nv + (size_t)j];
          G = six_plus(G, s, S[k - n]);
          D2 = six_plus(D2, s, part_of(x, j, k - n, JN_M));
          D1 = six_plus(D1, s, part_of(x, j, k - n, JN_T));
          if (x->moving) D0 = six_plus(D0, s, part_of(x, j, k - n, JN_Z));
        }
      }
      D0_of(w, i)[n] = D0;
      D1_of(w, i)[n] = D1;
      D2_of(w, i)[n] = D2;
      Df_of(w, i)[n] = G;
    }
  }
  size_t size = 6 * (size_t)w->rows, used = 6 * ((size_t)K + 1);
  if (x->moving) add_to_parents(m, w->D0, size, used);
  add_to_parents(m, w->D1, size, used);
  add_to_parents(m, w->D2, size, used);
}

/* gradients by phi_n, dv_n, dv'_n of column j of link i; L: covectors of the link's wrenches */
static void pull_column(const variation *x, int i, int j, int n, const double *weight, const six *L,
                        double *g) {
  const jn_work *w = x->w;
  const jn_link *l = &x->m->link[i];
  const six *D0 = D0_of(w, i), *D1 = D1_of(w, i), *D2 = D2_of(w, i);
  size_t nv = (size_t)x->m->nv;
  g[0] = g[1] = g[2] = 0;
  for (int k = n; k <= x->K; k++) {
    g[0] += six_dot(part_of(x, j, k - n, JN_X), D2[k]) +
            six_dot(part_of(x, j, k - n, JN_P1), D1[k]) + six_dot(part_of(x, j, k - n, JN_A), L[k]);
    if (x->moving) g[0] += six_dot(part_of(x, j, k - n, JN_P), D0[k]);
    g[1] += six_dot(part_of(x, j, k - n, JN_Y), D2[k]) +
            six_dot(part_of(x, j, k - n, JN_S), D1[k]) + six_dot(part_of(x, j, k - n, JN_B), L[k]);
    g[2] += six_dot(part_of(x, j, k - n, JN_S), D2[k]) + six_dot(part_of(x, j, k - n, JN_M), L[k]);
    for (int a = l->iv; a < l->iv + 6 && x->own && link_is_free(l); a++)
      g[0] += weight[(size_t)k * nv + (size_t)a] * Ow_of(w, a)[6 * (k - n) + (j - l->iv)];
  }
}

/* The transpose: weight[(K+1) x nv] -> gphi[nv], gdv[rows x nv]; grate[K x nv]: scratch */
static void pull(const variation *x, const double *weight, double *gphi, double *grate,
                 double *gdv) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  size_t nv = (size_t)m->nv;
  pull_rows(x, weight);
  memset(gdv, 0, sizeof(double) * ((size_t)x->K + 2) * nv);
  for (int i = 0; i < m->nlink; i++) {
    int p = m->link[i].parent;
    six *L = Ws_of(w, i);
    for (int k = 0; k <= x->K; k++)
      L[k] = p < 0 ? six_zero() : six_add(Ws_of(w, p)[k], Df_of(w, p)[k]);
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
      for (int n = 0; n <= x->K; n++) {
        double g[3];
        pull_column(x, i, j, n, weight, L, g);
        if (n == 0)
          gphi[j] = g[0];
        else
          grate[(size_t)(n - 1) * nv + (size_t)j] = g[0] / n;
        gdv[(size_t)n * nv + (size_t)j] += g[1];
        gdv[(size_t)(n + 1) * nv + (size_t)j] += (n + 1) * g[2];
      }
  }
  pull_rates(x, grate, gdv);
}

void jn_variation_solve(const variation *x, int lanes, double *rhs) {
  int last = x->m->nlink - 1;
  if (lanes == JN_SOLVE_COLUMNS)
    x->data->engine->mass_solve(x->m, x->w, 0, last, rhs);
  else
    mass_solve_pass(x->m, x->w, 0, last, NULL, rhs, 1, 1);
}

jn_directions jn_variation_directions(const variation *x) {
  const int width = x->data->engine->lanes;
  const size_t nv = (size_t)x->m->nv * (size_t)width, size = (size_t)x->rows * nv;
  double *phi = x->w->direction;
  return (jn_directions){width, phi, phi + nv, phi + nv + 2 * size};
}

int jn_variation_take(const variation *x, const double *in, int rows, int scale, double *out) {
  size_t n = (size_t)rows * (size_t)x->m->nv, width = (size_t)x->data->engine->lanes;
  double *t = out_of(x->w, 0);
  memset(out, 0, sizeof(double) * n * width);
  if (!in || !n) return 1;
  if (!jn_all_finite(in, n)) return 0;
  memcpy(t, in, sizeof(double) * n);
  jn_jet_to_taylor(rows - 1, x->m->nv, t);
  for (size_t i = 0; i < n; i++) out[i * width] = scale * t[i];
  return 1;
}

jn_status jn_open_inverse_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, const double *dq,
                              const double *dv, double *out) {
  variation x;
  if (model && model->nv && !out) return JN_ERR_ARGUMENT;
  jn_status status = jn_variation_all(model, data, order, q, v, external, &x);
  if (status) return status;
  const jn_work *w = x.w;
  const jn_directions d = jn_variation_directions(&x);
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv, width = (size_t)d.width;
  if (!jn_variation_take(&x, dq, 1, 1, d.phi) || !jn_variation_take(&x, dv, order + 2, 1, d.step))
    return JN_ERR_NOT_FINITE;
  data->engine->course_inverse(&x);
  double *tau = out_of(w, 1);
  for (int k = 0; k <= order; k++) {
    double *o = tau + (size_t)k * nv;
    for (size_t j = 0; j < nv; j++) o[j] = d.row[((size_t)k * nv + j) * width];
    for (int i = 0; i < model->nlink; i++)
      for (int j = model->link[i].iv; j < model->link[i].iv + model->link[i].nv; j++) {
        o[j] +=
            model->link[i].armature * (k + 1) * d.step[((size_t)(k + 1) * nv + (size_t)j) * width];
        if (data->settings.damping)
          o[j] += model->link[i].damping * d.step[((size_t)k * nv + (size_t)j) * width];
      }
  }
  jn_jet_to_derivatives(order, model->nv, tau);
  return jn_deliver(tau, n, out);
}

jn_status jn_inverse_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const jn_external *external, const double *dq,
                         const double *dv, double *out) {
  return is_coupled(model, data)
             ? jn_coupled_inverse_jvp(model, data, order, q, v, external, dq, dv, out)
             : jn_open_inverse_jvp(model, data, order, q, v, external, dq, dv, out);
}

/* The transpose with armature and damping: weight[(K+1) x nv] -> gphi[nv], gdv[rows x nv]. */
static void pull_all(const variation *x, const double *weight, double *gphi, double *grate,
                     double *gdv) {
  const jn_model *m = x->m;
  const size_t nv = (size_t)m->nv;
  pull(x, weight, gphi, grate, gdv);
  for (int i = 0; i < m->nlink; i++)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
      for (size_t k = 0; k <= (size_t)x->K; k++) {
        gdv[(k + 1) * nv + (size_t)j] +=
            m->link[i].armature * (double)(k + 1) * weight[k * nv + (size_t)j];
        if (x->data->settings.damping)
          gdv[k * nv + (size_t)j] += m->link[i].damping * weight[k * nv + (size_t)j];
      }
}

jn_status jn_open_inverse_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, const double *weight,
                              double *dq, double *dv) {
  variation x;
  if (model && model->nv && !weight) return JN_ERR_ARGUMENT;
  jn_status status = jn_variation_all(model, data, order, q, v, external, &x);
  if (status) return status;
  const jn_work *w = x.w;
  double *gphi = dof_of(w, 0), *grate = out_of(w, 0), *g = out_of(w, 1), *t = out_of(w, 2);
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (!jn_all_finite(weight, n)) return JN_ERR_NOT_FINITE;
  /* weights of derivatives are k! times those of Taylor coefficients; gradients are the reverse */
  if (n) memcpy(t, weight, sizeof(double) * n);
  jn_jet_to_derivatives(order, model->nv, t);
  pull_all(&x, t, gphi, grate, g);
  jn_jet_to_taylor(order + 1, model->nv, g);
  if (!jn_all_finite(gphi, nv) || !jn_all_finite(g, n + nv)) return JN_ERR_NOT_FINITE;
  if (dq && nv) memcpy(dq, gphi, sizeof(double) * nv);
  if (dv && nv) memcpy(dv, g, sizeof(double) * (n + nv));
  return JN_OK;
}

jn_status jn_inverse_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const jn_external *external, const double *weight,
                         double *dq, double *dv) {
  return is_coupled(model, data)
             ? jn_coupled_inverse_vjp(model, data, order, q, v, external, weight, dq, dv)
             : jn_open_inverse_vjp(model, data, order, q, v, external, weight, dq, dv);
}

/* With d tau_k = A_k dq + sum_j B_kj dv_j, B_k(k+1) = (k+1) M, the multipliers of tau_k follow from the
 * highest order down:
 *   (k+1) M lambda_k = omega_(k+1) - sum_(i>k) B_i(k+1)^T lambda_i
 * omega: weights of the Taylor coefficients v_(k+1). Then dtau = lambda, dq = -A^T lambda,
 * dv = -B_0^T lambda. */
jn_status jn_forward_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const double *tau, const jn_external *external,
                         const double *weight, double *dq, double *dv, double *dtau) {
  if (is_coupled(model, data))
    return jn_coupled_forward_vjp(model, data, order, q, v, tau, external, weight, dq, dv, dtau);
  variation x;
  if (model && model->nv && !weight) return JN_ERR_ARGUMENT;
  jn_status status = jn_variation_forward(model, data, order, q, v, tau, external, &x);
  if (status) return status;
  jn_variation_columns(&x);
  jn_variation_carry(&x);
  const jn_work *w = x.w;
  double *gphi = dof_of(w, 0), *y = dof_of(w, 1), *grate = out_of(w, 0), *g = out_of(w, 1),
         *lambda = out_of(w, 2);
  const size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (!jn_all_finite(weight, n)) return JN_ERR_NOT_FINITE;
  memset(lambda, 0, sizeof(double) * n);
  for (int k = order; k >= 0; k--) {
    const double f = jn_jet_derivative(k + 1, 1);
    pull_all(&x, lambda, gphi, grate, g);
    for (size_t j = 0; j < nv; j++)
      y[j] = f * weight[(size_t)k * nv + j] - g[((size_t)k + 1) * nv + j];
    jn_variation_solve(&x, 1, y);
    for (size_t j = 0; j < nv; j++) lambda[(size_t)k * nv + j] = y[j] / (k + 1);
  }
  pull_all(&x, lambda, gphi, grate, g);
  jn_jet_to_taylor(order, model->nv, lambda); /* a unit of tau^(j) is 1/j! of tau_j */
  if (!jn_all_finite(gphi, nv) || !jn_all_finite(g, nv) || !jn_all_finite(lambda, n))
    return JN_ERR_NOT_FINITE;
  for (size_t j = 0; j < nv && dq; j++) dq[j] = -gphi[j];
  for (size_t j = 0; j < nv && dv; j++) dv[j] = -g[j];
  if (dtau && n) memcpy(dtau, lambda, sizeof(double) * n);
  return JN_OK;
}
