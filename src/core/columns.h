/* columns.h (core): M^-1 times one or eight right-hand sides at once, through the factors of the articulated
 * bodies in the spatial formulation (w->S order 0, w->UA, w->D). Plain doubles, one column a lane: compiled
 * for every instruction set.
 *   to the base:  e = y - S^T p,  p_parent += p + UA D^-1 e
 *   to the tips:  y = D^-1 (e - UA^T a_parent),  a = a_parent + S y */
#ifndef JOUNCE_CORE_COLUMNS_H
#define JOUNCE_CORE_COLUMNS_H

#include <string.h>

#include "core/engine.h"

#define EVERY_COLUMN for (int s = 0; s < lanes; s++)

/* (L D L^T)^-1 for n freedoms */
ALWAYS void columns_solve(int lanes, int n, const double *restrict D, double *restrict y) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) EVERY_COLUMN y[j * lanes + s] -= D[6 * j + i] * y[i * lanes + s];
  for (int j = 0; j < n; j++) EVERY_COLUMN y[j * lanes + s] *= D[6 * j + j];
  for (int j = n - 2; j >= 0; j--)
    for (int i = j + 1; i < n; i++) EVERY_COLUMN y[j * lanes + s] -= D[6 * i + j] * y[i * lanes + s];
}

/* y -= a^T p and p += a y for a six-vector a; p[6 x lanes] */
ALWAYS void columns_dot(int lanes, const double *restrict a, const double *restrict p, double *restrict y) {
  EVERY_COLUMN {
    double t = a[0] * p[s];
    for (int c = 1; c < 6; c++) t += a[c] * p[c * lanes + s];
    y[s] -= t;
  }
}
ALWAYS void columns_axpy(int lanes, const double *restrict a, const double *restrict y, double *restrict p) {
  for (int c = 0; c < 6; c++) EVERY_COLUMN p[c * lanes + s] += a[c] * y[s];
}

/* y[nv x lanes] in place, rows of links 0..last; those beyond must be zero and stay unknown. */
ALWAYS void columns_pass(int lanes, const jn_model *m, const jn_work *w, int rows, int last, double *rhs) {
  const size_t N = 6 * (size_t)lanes;
  double *all = w->lane, t[6 * COLUMNS];
  memset(all, 0, sizeof(double) * N * ((size_t)last + 1));
  for (int i = last; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    double *p = all + N * (size_t)i, *y = rhs + (size_t)l->iv * (size_t)lanes;
    for (int j = 0; j < l->nv; j++)
      columns_dot(lanes, w->S + 6 * (size_t)rows * (size_t)(l->iv + j), p, y + j * lanes);
    if (l->parent < 0) continue;
    double *up = all + N * (size_t)l->parent;
    memcpy(t, y, sizeof(double) * (size_t)(l->nv * lanes));
    columns_solve(lanes, l->nv, w->D + 6 * (size_t)l->iv, t);
    for (int j = 0; j < l->nv; j++) columns_axpy(lanes, w->UA + 6 * (size_t)(l->iv + j), t + j * lanes, p);
    for (size_t c = 0; c < N; c++) up[c] += p[c];
  }
  for (int i = 0; i <= last; i++) {
    const jn_link *l = &m->link[i];
    double *a = all + N * (size_t)i, *y = rhs + (size_t)l->iv * (size_t)lanes;
    if (l->parent < 0) memset(a, 0, sizeof(double) * N);
    else memcpy(a, all + N * (size_t)l->parent, sizeof(double) * N);
    for (int j = 0; j < l->nv; j++) columns_dot(lanes, w->UA + 6 * (size_t)(l->iv + j), a, y + j * lanes);
    columns_solve(lanes, l->nv, w->D + 6 * (size_t)l->iv, y);
    for (int j = 0; j < l->nv; j++)
      columns_axpy(lanes, w->S + 6 * (size_t)rows * (size_t)(l->iv + j), y + j * lanes, a);
  }
}

#endif
