/* columns.h (core): M^-1 times one or eight right-hand sides at once, through the factors of the
 * articulated bodies in the spatial formulation (w->S order 0, w->UA, w->D). Plain doubles, one
 * column_row a lane: compiled for every instruction set. to the base:  e = y - S^T p,  p_parent +=
 * p + UA D^-1 e to the tips:  y = D^-1 (e - UA^T a_parent),  a = a_parent + S y */
#ifndef JOUNCE_CORE_COLUMNS_H
#define JOUNCE_CORE_COLUMNS_H

#include <string.h>

#include "core/engine.h"

/* The includer says what a row of columns is: `typedef double column_row;` or a vector. */

/* (L D L^T)^-1 for n freedoms; rows of y are `stride` apart here and below */
static inline void columns_solve(int n, const double *restrict D, column_row *restrict y,
                                 int stride) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) y[j * stride] -= D[6 * j + i] * y[i * stride];
  for (int j = 0; j < n; j++) y[j * stride] *= D[6 * j + j];
  for (int j = n - 2; j >= 0; j--)
    for (int i = j + 1; i < n; i++) y[j * stride] -= D[6 * i + j] * y[i * stride];
}

/* a^T p, and p += a y, for a six-vector a */
static inline column_row columns_dot(const double *restrict a, const column_row *restrict p) {
  return (a[0] * p[0] + a[1] * p[1] + a[2] * p[2]) + (a[3] * p[3] + a[4] * p[4] + a[5] * p[5]);
}
static inline void columns_axpy(const double *restrict a, column_row y, column_row *restrict p) {
  for (int c = 0; c < 6; c++) p[c] += a[c] * y;
}

/* y[nv] in place, rows of links 0..last. The right-hand sides are zero for links before `first` and
 * beyond `last`; rows beyond `last` stay unknown. Links are in depth-first order, so that on the
 * way to the base only links first..last and the ancestors of `first` carry anything. */
static inline void columns_pass(const jn_model *m, const jn_work *w, int rows, int first, int last,
                                column_row *rhs, int stride) {
  column_row *all = (column_row *)w->lane;
  memset(all, 0, sizeof(column_row) * 6 * ((size_t)last + 1));
  for (int i = last; i >= 0; i = i > first ? i - 1 : m->link[i].parent) {
    const jn_link *l = &m->link[i];
    const double *S = w->S + 6 * (size_t)rows * (size_t)l->iv, *UA = w->UA + 6 * (size_t)l->iv;
    column_row *p = all + 6 * (size_t)i, *y = rhs + l->iv * stride, t[6];
    for (int j = 0; j < l->nv; j++)
      t[j] = y[j * stride] -= columns_dot(S + 6 * (size_t)rows * (size_t)j, p);
    if (l->parent < 0) continue;
    column_row *up = all + 6 * (size_t)l->parent;
    columns_solve(l->nv, w->D + 6 * (size_t)l->iv, t, 1);
    for (int j = 0; j < l->nv; j++) columns_axpy(UA + 6 * j, t[j], p);
    for (int c = 0; c < 6; c++) up[c] += p[c];
  }
  for (int i = 0; i <= last; i++) {
    const jn_link *l = &m->link[i];
    const double *S = w->S + 6 * (size_t)rows * (size_t)l->iv, *UA = w->UA + 6 * (size_t)l->iv;
    column_row *a = all + 6 * (size_t)i, *y = rhs + l->iv * stride;
    if (l->parent < 0)
      memset(a, 0, sizeof(column_row) * 6);
    else
      memcpy(a, all + 6 * (size_t)l->parent, sizeof(column_row) * 6);
    for (int j = 0; j < l->nv; j++) y[j * stride] -= columns_dot(UA + 6 * j, a);
    columns_solve(l->nv, w->D + 6 * (size_t)l->iv, y, stride);
    for (int j = 0; j < l->nv; j++)
      columns_axpy(S + 6 * (size_t)rows * (size_t)j, y[j * stride], a);
  }
}

#endif
