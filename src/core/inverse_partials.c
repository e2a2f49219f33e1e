/* inverse_partials.c: partial derivatives of inverse dynamics as matrices, every order. */
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/external.h"
#include "core/spatial.h"
#include "core/composite.h"
#include "core/partials.h"

/* Columns of a joint with several freedoms, for its velocity as the user holds it:
 *   B = B E_0 + M E',  M = M E_0,  Y = 2 P' E_0 + P E' */
static void fold_link(const varied *x, const jn_link *l) {
  int rows = x->rows, n = l->nv;
  const double *E = x->w->Ev + 6 * (size_t)l->iv * (size_t)rows;
  six held[18];
  for (int k = x->K; k >= 0; k--) {
    for (int d = 0; d < n; d++) {
      six B = six_zero(), M = B, Y = B;
      for (int c = 0; c < n; c++) {
        const pcol *col = column_of(x->w, rows, l->iv + c);
        double e = x->second ? c == d : E[6 * (size_t)d * (size_t)rows + (size_t)c];
        B = six_add(B, six_scale(e, col[k].B));
        M = six_add(M, six_scale(e, col[k].M));
        Y = six_add(Y, six_scale(2 * e, col[k].P1));
        for (int h = 0; h <= k; h++) {
          double g = E[6 * ((size_t)d * (size_t)rows + (size_t)(h + !x->second)) + (size_t)c];
          B = six_add(B, six_scale(g, col[k - h].M));
          Y = six_add(Y, six_scale(g, col[k - h].P));
        }
      }
      held[3 * d] = B, held[3 * d + 1] = M, held[3 * d + 2] = Y;
    }
    for (int d = 0; d < n; d++) {
      pcol *col = column_of(x->w, rows, l->iv + d) + k;
      col->B = held[3 * d], col->M = held[3 * d + 1], col->Y = held[3 * d + 2];
    }
  }
}

void jn_varied_fold(const varied *x) {
  for (int i = 0; i < x->m->nlink; i++)
    if (x->m->link[i].nv > 1) fold_link(x, &x->m->link[i]);
}

/* Row `row` and column `col`; the column's joint lies beyond the row's (above) or carries it
 * (below). */
typedef struct entry {
  double a, b, m;
} entry;

static inline entry entry_above(const varied *x, int k, int row, const pcol *c) {
  entry e;
  jets_above(k, screw_of(x->w, x->rows, row), c, &e.a, &e.b, &e.m);
  return e;
}
static inline entry entry_below(const varied *x, int k, const pcol *row, int col) {
  const pcol *c = column_of(x->w, x->rows, col);
  const six *S = screw_of(x->w, x->rows, col);
  entry e = {0, 0, 0};
  for (int h = 0; h <= k; h++) {
    const pcol *r = &row[h], *d = &c[k - h];
    e.a += six_dot(r->U, d->X) + six_dot(r->T, d->P1);
    if (x->moving) e.a += six_dot(r->Z, d->P);
    e.b += six_dot(r->U, d->Y) + six_dot(r->T, S[k - h]);
    e.m += six_dot(r->U, S[k - h]);
  }
  return e;
}

static inline double put_entry(const jn_blocks *o, size_t i, size_t j, entry e, int write) {
  if (write && o->dq.at) o->dq.at[i * o->dq.row + j * o->dq.column] = e.a;
  if (write && o->dv.at) o->dv.at[i * o->dv.row + j * o->dv.column] = e.b;
  if (write && o->M.at) o->M.at[i * o->M.row + j * o->M.column] = e.m;
  return 0.0 * e.a + 0.0 * e.b + 0.0 * e.m;
}

static inline int square_order(const varied *x, int k, const jn_blocks *out, int write) {
  const jn_model *m = x->m;
  double finite = 0;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int c = 0; c < l->nv; c++) {
      size_t col = (size_t)(l->iv + c);
      const pcol *held = column_of(x->w, x->rows, (int)col);
      for (int d = 0; d < l->nv; d++) {
        entry e = entry_below(x, k, held, l->iv + d);
        if (l->kind == JN_K_FREE && x->own)
          e.a += x->w->Ow[6 * (col * (size_t)x->rows + (size_t)k) + (size_t)d];
        if (c == d && k == 0) {
          e.m += l->armature;
          if (x->data->settings.damping) e.b += l->damping;
        }
        finite += put_entry(out, col, (size_t)(l->iv + d), e, write);
      }
      for (int a = l->parent; a >= 0; a = m->link[a].parent)
        for (int d = m->link[a].iv; d < m->link[a].iv + m->link[a].nv; d++) {
          entry up = entry_above(x, k, d, held), down = entry_below(x, k, held, d);
          finite += put_entry(out, (size_t)d, col, up, write);
          down.m = up.m;
          finite += put_entry(out, col, (size_t)d, down, write);
        }
    }
  }
  return finite == 0.0;
}

int jn_varied_square(const varied *x, int k, const jn_blocks *out, int write) {
  return k == 0 ? square_order(x, 0, out, write) : square_order(x, k, out, write);
}

/* ---- all orders ---- */

typedef struct target {
  double *dq, *dv;
  int write;
  double finite;
} target;

static void put(target *t, double *out, size_t at, double value) {
  t->finite += 0.0 * value;
  if (out && t->write) out[at] = value;
}

/* a_k, b_k, m_k of column c at abm + 3 (K+1) c; index below zero: nothing */
static double jet_at(const double *x, int k) { return k < 0 ? 0 : x[k]; }

/* sum_m E_(m-j-1) (A_(k-m)/m + B_(k-m+1) + (m-1) M_(k-m+2)) over the columns of a link */
static double by_velocity(const varied *x, const jn_link *l, int d, const double *abm, int k,
                          int j) {
  int K = x->K;
  double s = 0;
  for (int m = j + 1; m <= k + 2; m++) {
    const double *E = x->w->Ev + 6 * ((size_t)(l->iv + d) * (size_t)x->rows + (size_t)(m - j - 1));
    if (l->nv == 1 && m > j + 1) break;
    for (int c = 0; c < l->nv; c++) {
      const double *a = abm + 3 * (K + 1) * c, *b = a + K + 1, *M = b + K + 1;
      double t = jet_at(a, k - m) / m + jet_at(b, k - m + 1);
      if (m > 1) t += (m - 1) * jet_at(M, k - m + 2);
      s += l->nv == 1 ? t : E[c] * t;
    }
  }
  return s;
}

/* One row against the columns of one link: Taylor coefficients to derivatives, k!/j! times. */
static void scatter(const varied *x, const jn_link *l, const double *abm, size_t row, target *t) {
  int K = x->K;
  size_t nv = (size_t)x->m->nv, size = nv * nv;
  for (int d = 0; d < l->nv; d++) {
    size_t col = (size_t)(l->iv + d), at = row * nv + col;
    double factorial = 1;
    for (int k = 0; k <= K; k++) {
      if (k > 1) factorial *= k;
      put(t, t->dq, (size_t)k * size + at, factorial * abm[3 * (K + 1) * d + k]);
      if (!t->dv) continue;
      /* j = k+1: the mass matrix */
      double top = abm[3 * (K + 1) * d + 2 * (K + 1)], f = 1;
      if (l->nv > 1) top = by_velocity(x, l, d, abm, 0, 1);
      if (row == col) top += l->armature;
      size_t block = (size_t)k * ((size_t)K + 2);
      put(t, t->dv, (block + (size_t)k + 1) * size + at, top);
      for (int j = k; j >= 0; j--) {
        double value = f * by_velocity(x, l, d, abm, k, j);
        if (row == col && j == k && x->data->settings.damping) value += l->damping;
        put(t, t->dv, (block + (size_t)j) * size + at, value);
        f *= j;
      }
    }
  }
}

static void fill_all(const varied *x, target *t) {
  const jn_model *m = x->m;
  int K = x->K, n = K + 1;
  double *abm = x->w->row;
  for (int i = 0; i < m->nlink; i++)
    for (int a = i; a >= 0; a = m->link[a].parent) {
      const jn_link *l = &m->link[i], *up = &m->link[a];
      for (int d = 0; d < up->nv && a != i; d++) {
        const six *S = screw_of(x->w, x->rows, up->iv + d);
        for (int c = 0; c < l->nv; c++) {
          double *o = abm + 3 * n * c;
          for (int k = 0; k <= K; k++)
            jets_above(k, S, column_of(x->w, x->rows, l->iv + c), o + k, o + n + k, o + 2 * n + k);
        }
        scatter(x, l, abm, (size_t)(up->iv + d), t);
      }
      for (int d = 0; d < l->nv; d++) {
        size_t row = (size_t)(l->iv + d);
        const pcol *r = column_of(x->w, x->rows, (int)row);
        for (int c = 0; c < up->nv; c++) {
          double *o = abm + 3 * n * c;
          for (int k = 0; k <= K; k++) {
            jets_below(k, r, column_of(x->w, x->rows, up->iv + c), x->moving, o + k, o + n + k,
                       o + 2 * n + k);
            if (a == i && l->kind == JN_K_FREE && x->own)
              o[k] += x->w->Ow[6 * (row * (size_t)x->rows + (size_t)k) + (size_t)c];
          }
        }
        scatter(x, up, abm, row, t);
      }
    }
}

jn_status jn_inverse_partials(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, double *dq,
                              double *dv) {
  varied x;
  jn_status status = jn_varied_all(model, data, order, q, v, external, &x);
  if (status) return status;
  size_t nv = (size_t)model->nv, size = nv * nv, n = (size_t)order + 1;
  if (order == 0) jn_varied_fold(&x);
  int safe = jn_varied_bound(&x) < 1e300;
  jn_blocks o = {{dq, nv, 1}, {dv, nv, 1}, {dv ? dv + size : NULL, nv, 1}};
  target t = {dq, dv, 0, 0};
  if (!safe && order == 0 && !jn_varied_square(&x, 0, &o, 0)) return JN_ERR_NOT_FINITE;
  if (!safe && order > 0) {
    fill_all(&x, &t);
    if (t.finite != 0.0) return JN_ERR_NOT_FINITE;
  }
  if (dq) memset(dq, 0, sizeof(double) * n * size);
  if (dv) memset(dv, 0, sizeof(double) * n * (n + 1) * size);
  t.write = 1;
  if (order == 0)
    jn_varied_square(&x, 0, &o, 1);
  else
    fill_all(&x, &t);
  return JN_OK;
}
