/* directional.c: derivatives along a direction and their transpose, without matrices, and M^-1.
 *
 * With D_i = D_parent + P_i phi_i, as jets of D' and of X-like D'', and wrenches summed over what
 * lies beyond:
 *   tau_j = U_j.D'' + T_j.D' + Z_j.D + S_j.(sum over joints beyond of A phi + B phi' + M phi'') */
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
typedef double column_row;
#define GROUPS 1
#include "core/columns.h"
#include "core/external.h"
#include "core/spatial.h"
#include "core/composite.h"
#include "core/partials.h"

static six *block(double *x, int rows, int link) { return (six *)x + (size_t)link * (size_t)rows; }
static six six_plus(six a, double s, six b) { return six_add(a, six_scale(s, b)); }

void jn_varied_rate(const varied *x, int k, int first, const double *dv, double *rate) {
  size_t nv = (size_t)x->m->nv, rows = (size_t)x->rows;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    double *out = rate + (size_t)k * nv + (size_t)l->iv;
    if (l->nv == 1) {
      out[0] = first == 0 ? dv[(size_t)k * nv + (size_t)l->iv] : 0;
      continue;
    }
    memset(out, 0, sizeof(double) * (size_t)l->nv);
    for (int h = first; h <= k; h++)
      for (int d = 0; d < l->nv; d++) {
        const double *E = x->w->Ev + 6 * ((size_t)(l->iv + d) * rows + (size_t)h);
        double s = dv[(size_t)(k - h) * nv + (size_t)(l->iv + d)];
        for (int c = 0; c < l->nv; c++) out[c] += E[c] * s;
      }
  }
}

void jn_varied_rate_pull(const varied *x, const double *grate, double *gdv) {
  size_t nv = (size_t)x->m->nv, rows = (size_t)x->rows;
  int last = x->K + 1;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    for (int d = 0; d < l->nv; d++)
      for (int k = 0; k <= last; k++) {
        double s = l->nv == 1 ? grate[(size_t)k * nv + (size_t)l->iv] : 0;
        for (int h = 0; h <= last - k && l->nv > 1; h++)
          for (int c = 0; c < l->nv; c++)
            s += x->w->Ev[6 * ((size_t)(l->iv + d) * rows + (size_t)h) + (size_t)c] *
                 grate[(size_t)(k + h) * nv + (size_t)(l->iv + c)];
        gdv[(size_t)k * nv + (size_t)(l->iv + d)] = s;
      }
  }
}

/* What the columns of link i add at order k: to D, D', D'' and to the wrench. */
static void push_columns(const varied *x, int i, int k, const double *phi, const double *rate,
                         six *D0, six *D1, six *D2, six *F) {
  const jn_link *l = &x->m->link[i];
  int nv = x->m->nv;
  for (int j = l->iv; j < l->iv + l->nv; j++) {
    const pcol *c = column_of(x->w, x->rows, j);
    for (int h = 0; h <= k; h++) {
      int n = k - h;
      double p0 = phi0_at(nv, j, n, phi, rate), p1 = rate[(size_t)n * (size_t)nv + (size_t)j];
      double p2 = (n + 1) * rate[(size_t)(n + 1) * (size_t)nv + (size_t)j];
      *D2 = six_plus(six_plus(six_plus(*D2, p0, c[h].X), 2 * p1, c[h].P1), p2, c[h].P);
      *D1 = six_plus(six_plus(*D1, p0, c[h].P1), p1, c[h].P);
      *F = six_plus(six_plus(six_plus(*F, p0, c[h].A), p1, c[h].B), p2, c[h].M);
      if (x->moving) *D0 = six_plus(*D0, p0, c[h].P);
    }
  }
}

void jn_varied_push(const varied *x, int k, const double *phi, const double *rate, double *out) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  int rows = x->rows, nv = m->nv;
  six *b = (six *)w->b;
  for (int i = 0; i < m->nlink; i++) {
    int p = m->link[i].parent;
    six D0 = six_zero(), D1 = D0, D2 = D0, F = D0;
    if (p >= 0)
      D0 = block(w->V, rows, p)[k], D1 = block(w->H, rows, p)[k], D2 = block(w->U, rows, p)[k];
    push_columns(x, i, k, phi, rate, &D0, &D1, &D2, &F);
    block(w->V, rows, i)[k] = D0;
    block(w->H, rows, i)[k] = D1;
    block(w->U, rows, i)[k] = D2;
    block(w->F, rows, i)[k] = six_zero();
    b[i] = F;
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const six *D0 = block(w->V, rows, i), *D1 = block(w->H, rows, i), *D2 = block(w->U, rows, i);
    const six *G = block(w->F, rows, i);
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      const pcol *r = column_of(w, rows, j);
      const six *S = screw_of(w, rows, j);
      double s = 0;
      for (int h = 0; h <= k; h++) {
        s += six_dot(S[h], G[k - h]) + six_dot(r[h].U, D2[k - h]) + six_dot(r[h].T, D1[k - h]);
        if (x->moving) s += six_dot(r[h].Z, D0[k - h]);
        for (int c = 0; c < 6 && x->own && l->kind == JN_K_FREE; c++)
          s += w->Ow[6 * ((size_t)j * (size_t)rows + (size_t)h) + (size_t)c] *
               phi0_at(nv, l->iv + c, k - h, phi, rate);
      }
      out[j] = s;
    }
    if (l->parent < 0) continue;
    b[l->parent] = six_add(b[l->parent], b[i]);
    block(w->F, rows, l->parent)[k] = six_add(block(w->F, rows, l->parent)[k], b[i]);
  }
}

void jn_varied_push_top(const varied *x, int k, const double *y) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  int rows = x->rows;
  six *b = (six *)w->b, *a = (six *)w->p;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six D = l->parent < 0 ? six_zero() : a[l->parent], F = six_zero();
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      const pcol *c = column_of(w, rows, j);
      D = six_plus(D, y[j], c->P);
      F = six_plus(F, y[j], c->M);
    }
    block(w->U, rows, i)[k] = six_add(block(w->U, rows, i)[k], D);
    a[i] = D;
    b[i] = F;
  }
  for (int i = m->nlink - 1; i > 0; i--) {
    int p = m->link[i].parent;
    b[p] = six_add(b[p], b[i]);
    block(w->F, rows, p)[k] = six_add(block(w->F, rows, p)[k], b[i]);
  }
}

/* Covectors of D, D', D'' (summed from the tips) and of the wrenches (w->F, not yet summed). */
static void pull_rows(const varied *x, const double *weight) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  int rows = x->rows, nv = m->nv, K = x->K;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int n = 0; n <= K; n++) {
      six D0 = six_zero(), D1 = D0, D2 = D0, G = D0;
      for (int j = l->iv; j < l->iv + l->nv; j++) {
        const pcol *r = column_of(w, rows, j);
        const six *S = screw_of(w, rows, j);
        for (int k = n; k <= K; k++) {
          double s = weight[(size_t)k * (size_t)nv + (size_t)j];
          G = six_plus(G, s, S[k - n]);
          D2 = six_plus(D2, s, r[k - n].U);
          D1 = six_plus(D1, s, r[k - n].T);
          if (x->moving) D0 = six_plus(D0, s, r[k - n].Z);
        }
      }
      block(w->V, rows, i)[n] = D0;
      block(w->H, rows, i)[n] = D1;
      block(w->U, rows, i)[n] = D2;
      block(w->F, rows, i)[n] = G;
    }
  }
  size_t size = 6 * (size_t)rows, used = 6 * ((size_t)K + 1);
  if (x->moving) add_to_parents(m, w->V, size, used);
  add_to_parents(m, w->H, size, used);
  add_to_parents(m, w->U, size, used);
}

/* gradients by phi_n, phi'_n, phi''_n of column j of link i; L: covectors of the wrenches of link
 * i */
static void pull_column(const varied *x, int i, int j, int n, const double *weight, const six *L,
                        double *g) {
  const jn_work *w = x->w;
  const jn_link *l = &x->m->link[i];
  const pcol *c = column_of(w, x->rows, j);
  const six *D0 = block(w->V, x->rows, i), *D1 = block(w->H, x->rows, i),
            *D2 = block(w->U, x->rows, i);
  size_t nv = (size_t)x->m->nv;
  g[0] = g[1] = g[2] = 0;
  for (int k = n; k <= x->K; k++) {
    const pcol *d = &c[k - n];
    g[0] += six_dot(d->X, D2[k]) + six_dot(d->P1, D1[k]) + six_dot(d->A, L[k]);
    if (x->moving) g[0] += six_dot(d->P, D0[k]);
    g[1] += 2 * six_dot(d->P1, D2[k]) + six_dot(d->P, D1[k]) + six_dot(d->B, L[k]);
    g[2] += six_dot(d->P, D2[k]) + six_dot(d->M, L[k]);
    for (int a = l->iv; a < l->iv + 6 && x->own && l->kind == JN_K_FREE; a++)
      g[0] += weight[(size_t)k * nv + (size_t)a] *
              w->Ow[6 * ((size_t)a * (size_t)x->rows + (size_t)(k - n)) + (size_t)(j - l->iv)];
  }
}

void jn_varied_pull(const varied *x, const double *weight, double *gphi, double *grate) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  size_t nv = (size_t)m->nv;
  pull_rows(x, weight);
  memset(grate, 0, sizeof(double) * ((size_t)x->K + 2) * nv);
  for (int i = 0; i < m->nlink; i++) {
    int p = m->link[i].parent;
    six *L = block(w->Ws, x->rows, i);
    for (int k = 0; k <= x->K; k++)
      L[k] = p < 0 ? six_zero() : six_add(block(w->Ws, x->rows, p)[k], block(w->F, x->rows, p)[k]);
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
      for (int n = 0; n <= x->K; n++) {
        double g[3];
        pull_column(x, i, j, n, weight, L, g);
        if (n == 0)
          gphi[j] = g[0];
        else
          grate[(size_t)(n - 1) * nv + (size_t)j] += g[0] / n;
        grate[(size_t)n * nv + (size_t)j] += g[1];
        grate[(size_t)(n + 1) * nv + (size_t)j] += (n + 1) * g[2];
      }
  }
}

void jn_varied_solve(const varied *x, int lanes, double *rhs) {
  int last = x->m->nlink - 1;
  if (lanes == COLUMNS)
    x->data->engine->lanes->solve(x->m, x->w, x->rows, 0, last, rhs);
  else
    columns_pass(x->m, x->w, x->rows, 0, last, rhs, 1);
}

/* ---- public ---- */

/* derivatives in, Taylor coefficients out, zero for NULL; 0 when not finite */
static int take(const double *in, int rows, int nv, double *out) {
  size_t n = (size_t)rows * (size_t)nv;
  memset(out, 0, sizeof(double) * n);
  if (!in || !n) return 1;
  if (!jn_all_finite(in, n)) return 0;
  memcpy(out, in, sizeof(double) * n);
  jn_jet_to_taylor(rows - 1, nv, out);
  return 1;
}

jn_status jn_inverse_jvp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const jn_external *external, const double *dq,
                         const double *dv, double *out) {
  varied x;
  if (model && model->nv && !out) return JN_ERR_ARGUMENT;
  jn_status status = jn_varied_all(model, data, order, q, v, external, &x);
  if (status) return status;
  const jn_work *w = x.w;
  double *phi = w->y, *rate = w->tau, *step = w->force;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (!take(dq, 1, model->nv, phi) || !take(dv, order + 2, model->nv, step))
    return JN_ERR_NOT_FINITE;
  for (int k = 0; k <= order + 1; k++) jn_varied_rate(&x, k, 0, step, rate);
  for (int k = 0; k <= order; k++) {
    double *o = w->io + (size_t)k * nv;
    jn_varied_push(&x, k, phi, rate, o);
    for (int i = 0; i < model->nlink; i++)
      for (int j = model->link[i].iv; j < model->link[i].iv + model->link[i].nv; j++) {
        o[j] += model->link[i].armature * (k + 1) * step[(size_t)(k + 1) * nv + (size_t)j];
        if (data->settings.damping)
          o[j] += model->link[i].damping * step[(size_t)k * nv + (size_t)j];
      }
  }
  jn_jet_to_derivatives(order, model->nv, w->io);
  if (!jn_all_finite(w->io, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(out, w->io, sizeof(double) * n);
  return JN_OK;
}

jn_status jn_inverse_vjp(const jn_model *model, jn_data *data, int order, const double *q,
                         const double *v, const jn_external *external, const double *weight,
                         double *dq, double *dv) {
  varied x;
  if (model && model->nv && !weight) return JN_ERR_ARGUMENT;
  jn_status status = jn_varied_all(model, data, order, q, v, external, &x);
  if (status) return status;
  const jn_work *w = x.w;
  double *gphi = w->y, *grate = w->tau, *g = w->io, *t = w->force;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (!jn_all_finite(weight, n)) return JN_ERR_NOT_FINITE;
  /* weights of derivatives are k! times those of Taylor coefficients; gradients the other way
   * round */
  memset(t, 0, sizeof(double) * (n + nv));
  if (n) memcpy(t, weight, sizeof(double) * n);
  jn_jet_to_derivatives(order, model->nv, t);
  jn_varied_pull(&x, t, gphi, grate);
  jn_varied_rate_pull(&x, grate, g);
  for (int i = 0; i < model->nlink; i++)
    for (int j = model->link[i].iv; j < model->link[i].iv + model->link[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        g[(k + 1) * nv + (size_t)j] +=
            model->link[i].armature * (double)(k + 1) * t[k * nv + (size_t)j];
        if (data->settings.damping)
          g[k * nv + (size_t)j] += model->link[i].damping * t[k * nv + (size_t)j];
      }
  jn_jet_to_taylor(order + 1, model->nv, g);
  if (!jn_all_finite(gphi, nv) || !jn_all_finite(g, n + nv)) return JN_ERR_NOT_FINITE;
  if (dq && nv) memcpy(dq, gphi, sizeof(double) * nv);
  if (dv && nv) memcpy(dv, g, sizeof(double) * (n + nv));
  return JN_OK;
}
