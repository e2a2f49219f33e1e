/* mass_solve.h (core): M^-1 times several right-hand sides at once, through the factors of the
 * articulated inertias in the spatial formulation (w->S order 0, w->UA, w->D). One right-hand side
 * per lane; up to GROUPS packs (G) are interleaved to hide latency.
 *   backward   e = y - S^T p,                  p_parent += p + UA D^-1 e
 *   forward    y = D^-1 (e - UA^T a_parent),   a = a_parent + S y */
#ifndef JOUNCE_CORE_DERIVATIVES_MASS_SOLVE_H
#define JOUNCE_CORE_DERIVATIVES_MASS_SOLVE_H

#include <math.h>
#include <string.h>

#include "core/engine.h"
#include "core/work.h"

#ifndef GROUPS
#define GROUPS 1
#endif
#ifndef WHITEN_SQRT
#define WHITEN_SQRT sqrt
#endif
#if defined(LANES) && LANES > 1
typedef double solve_pack __attribute__((vector_size(8 * LANES), aligned(8)));
static_assert(6 * GROUPS * LANES <= 6 * JN_SOLVE_COLUMNS, "solve_link in data.h");
#else
typedef double solve_pack;
#endif

typedef struct solve_packs {
  solve_pack g[GROUPS];
} solve_packs;

/* y := (L D L^T)^-1 y, n degrees of freedom; rows of y are `stride` packs apart, here and below */
INLINE void mass_solve_joint(int n, const double *restrict D, solve_pack *restrict y, int stride,
                             const int G) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++)
      for (int g = 0; g < G; g++) y[j * stride + g] -= D[6 * j + i] * y[i * stride + g];
  for (int j = 0; j < n; j++)
    for (int g = 0; g < G; g++) y[j * stride + g] *= D[6 * j + j];
  for (int j = n - 2; j >= 0; j--)
    for (int i = j + 1; i < n; i++)
      for (int g = 0; g < G; g++) y[j * stride + g] -= D[6 * i + j] * y[i * stride + g];
}

/* y -= a^T p, and p += a y, for a six-vector a */
INLINE void mass_solve_dot(const double *restrict a, const solve_packs *restrict p,
                           solve_pack *restrict y, const int G) {
  for (int g = 0; g < G; g++)
    y[g] -= (a[0] * p[0].g[g] + a[1] * p[1].g[g] + a[2] * p[2].g[g]) +
            (a[3] * p[3].g[g] + a[4] * p[4].g[g] + a[5] * p[5].g[g]);
}
INLINE void mass_solve_axpy(const double *restrict a, const solve_pack *restrict y,
                            solve_packs *restrict p, const int G) {
  for (int c = 0; c < 6; c++)
    for (int g = 0; g < G; g++) p[c].g[g] += a[c] * y[g];
}

/* Whether link i has several children: p and a are then stored in memory, else in registers. */
static inline int mass_solve_fork(const jn_model *m, int i) {
  return m->link[i].last > i && m->link[i + 1].last < m->link[i].last;
}

/* The links of a backward pass: last..first, and the ancestors of `first`. */
static inline int mass_solve_next(const jn_model *m, int i, int first) {
  return i > first ? i - 1 : m->link[i].parent;
}

/* Backward pass: rhs := e = y - S^T p, the innovations, rows of links 0..last. The right-hand sides
 * are zero for links before `first` and after `last`. Links are in depth-first order, so that only
 * links first..last and the ancestors of `first` have nonzero p. Prescribed joints (NULL: none) are
 * not eliminated. Their rows become zero or, with `moving`, are accelerations: p += IA S y, with IA S
 * in w->UA. */
INLINE void mass_solve_inward(const jn_model *m, const jn_work *w, int first, int last,
                              const unsigned char *prescribed, int moving, solve_pack *rhs,
                              int stride, const int G) {
  solve_packs *all = (solve_packs *)(void *)w->solve_link, p[6] = {0};
  const solve_packs zero[6] = {0};
  const size_t step = 6 * (size_t)w->rows;
  for (int i = last; i >= 0; i = mass_solve_next(m, i, first))
    if (mass_solve_fork(m, i)) memcpy(all + 6 * (size_t)i, zero, sizeof zero);
  for (int i = last, next; i >= 0; i = next) {
    const jn_link *l = &m->link[i];
    const double *S = w->S + step * (size_t)l->iv, *UA = w->UA + 6 * (size_t)l->iv;
    const int given = prescribed && prescribed[l->joint];
    solve_pack *y = rhs + l->iv * stride, t[6 * GROUPS];
    next = mass_solve_next(m, i, first);
    if (mass_solve_fork(m, i))
      for (int c = 0; c < 6; c++)
        for (int g = 0; g < G; g++) p[c].g[g] += all[6 * i + c].g[g];
    if (given) {
      for (int j = 0; j < l->nv; j++)
        for (int g = 0; g < G && !moving; g++) y[j * stride + g] *= 0.0;
      for (int j = 0; j < l->nv && moving; j++) mass_solve_axpy(UA + 6 * j, y + j * stride, p, G);
    } else {
      for (int j = 0; j < l->nv; j++) {
        mass_solve_dot(S + step * (size_t)j, p, y + j * stride, G);
        for (int g = 0; g < G; g++) t[j * GROUPS + g] = y[j * stride + g];
      }
    }
    if (l->parent < 0) continue;
    if (!given) {
      if (l->nv == 1)
        for (int g = 0; g < G; g++) t[g] *= w->D[6 * (size_t)l->iv];
      else
        mass_solve_joint(l->nv, w->D + 6 * (size_t)l->iv, t, GROUPS, G);
      for (int j = 0; j < l->nv; j++) mass_solve_axpy(UA + 6 * j, t + j * GROUPS, p, G);
    }
    if (next == l->parent) continue;
    for (int c = 0; c < 6; c++)
      for (int g = 0; g < G; g++) all[6 * l->parent + c].g[g] += p[c].g[g];
    for (int c = 0; c < 6; c++) p[c] = zero[c];
  }
}

/* M = L L^T: the backward pass and the square roots of the pivots, rhs := L^-1 rhs. Rows of links
 * that the pass does not visit are zero and stay so. */
INLINE void mass_whiten_pass(const jn_model *m, const jn_work *w, int first, int last,
                             const unsigned char *prescribed, solve_pack *rhs, int stride,
                             const int G) {
  mass_solve_inward(m, w, first, last, prescribed, 0, rhs, stride, G);
  for (int i = last; i >= 0; i = mass_solve_next(m, i, first)) {
    const jn_link *l = &m->link[i];
    const double *D = w->D + 6 * (size_t)l->iv;
    solve_pack *y = rhs + l->iv * stride;
    if (prescribed && prescribed[l->joint]) continue;
    for (int j = 1; j < l->nv; j++)
      for (int h = 0; h < j; h++)
        for (int g = 0; g < G; g++) y[j * stride + g] -= D[6 * j + h] * y[h * stride + g];
    for (int j = 0; j < l->nv; j++) {
      const double root = WHITEN_SQRT(D[7 * j]);
      for (int g = 0; g < G; g++) y[j * stride + g] *= root;
    }
  }
}

/* M^-1: y[nv] in place, rows of links 0..last; rows after `last` are not computed. Rows of prescribed
 * joints (NULL: none) are accelerations and stay as they are. */
INLINE void mass_solve_pass(const jn_model *m, const jn_work *w, int first, int last,
                            const unsigned char *prescribed, solve_pack *rhs, int stride,
                            const int G) {
  solve_packs *all = (solve_packs *)(void *)w->solve_link, a[6] = {0};
  const size_t step = 6 * (size_t)w->rows;
  mass_solve_inward(m, w, first, last, prescribed, 1, rhs, stride, G);
  for (int i = 0; i <= last; i++) {
    const jn_link *l = &m->link[i];
    const double *S = w->S + step * (size_t)l->iv, *UA = w->UA + 6 * (size_t)l->iv;
    solve_pack *y = rhs + l->iv * stride;
    if (l->parent != i - 1)
      for (int c = 0; c < 6; c++) a[c] = all[6 * l->parent + c];
    const int given = prescribed && prescribed[l->joint];
    if (l->parent >= 0 && !given)
      for (int j = 0; j < l->nv; j++) mass_solve_dot(UA + 6 * j, a, y + j * stride, G);
    if (l->nv == 1 && !given)
      for (int g = 0; g < G; g++) y[g] *= w->D[6 * (size_t)l->iv];
    else if (!given)
      mass_solve_joint(l->nv, w->D + 6 * (size_t)l->iv, y, stride, G);
    for (int j = 0; j < l->nv; j++) mass_solve_axpy(S + step * (size_t)j, y + j * stride, a, G);
    if (mass_solve_fork(m, i))
      for (int c = 0; c < 6; c++) all[6 * i + c] = a[c];
  }
}

#endif
