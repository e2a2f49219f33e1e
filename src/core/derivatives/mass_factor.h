/* mass_factor.h (core): M = L^T D L, L unit lower triangular (LTDL, Featherstone 2008, section 6.5),
 * and M^-1 times whole matrices, one column per lane.
 *
 * H [nv x nv] holds M, zero where neither dof is an ancestor of the other. The factorisation leaves
 * no other entries: L_ij, j an ancestor of i, replaces H_ij and H_ji, 1/D_i the diagonal.
 *   factor    L_ki = H_ki / D_k,   H_ij -= L_ki H_kj       k = nv-1..0, i and j ancestors of k
 *   solve     y_i = x_i - sum of L_di y_d over descendants d,   x_i = y_i / D_i - sum of L_ij x_j
 * The dofs of a subtree are consecutive. */
#ifndef JOUNCE_CORE_DERIVATIVES_MASS_FACTOR_H
#define JOUNCE_CORE_DERIVATIVES_MASS_FACTOR_H

#include <string.h>

#include "scalar/pack.h"

#include "core/engine.h"
#include "core/work.h"

typedef double columns_of __attribute__((vector_size(8 * LANES), aligned(8)));

/* One past the last dof of the subtree of link i. */
static inline int dofs_end(const jn_model *m, int i) {
  const jn_link *l = &m->link[m->link[i].last];
  return l->iv + l->nv;
}

/* row -= a other, entries 0..n-1 */
static inline void row_subtract(double *restrict row, double a, const double *restrict other,
                                int n) {
  int j = 0;
  for (; j + LANES <= n; j += LANES)
    *(columns_of *)(void *)(row + j) -= a * *(const columns_of *)(const void *)(other + j);
  for (; j < n; j++) row[j] -= a * other[j];
}

/* Returns 0 when a pivot is not positive. */
ENTRY_FUNCTION int mass_factor(const jn_model *m, double *H) {
  const size_t nv = (size_t)m->nv;
  for (int n = m->nlink - 1; n >= 0; n--)
    for (int k = m->link[n].iv + m->link[n].nv - 1; k >= m->link[n].iv; k--) {
      double *row = H + (size_t)k * nv;
      if (!(row[k] > 0)) return 0;
      row[k] = 1.0 / row[k];
      for (int a = n, i = k - 1; a >= 0;) {
        for (; i >= m->link[a].iv; i--) {
          const double f = row[i] * row[k];
          row_subtract(H + (size_t)i * nv, f, row, i + 1);
          H[(size_t)i * nv + (size_t)k] = f;
        }
        a = m->link[a].parent;
        if (a >= 0) i = m->link[a].iv + m->link[a].nv - 1;
      }
      for (int i = 0; i < k; i++) row[i] *= row[k];
    }
  return 1;
}

/* G packs of columns of X [rows 0..last, `stride` apart], in place; zero rows after `last` are not
 * read, and not written. */
INLINE void mass_factor_tile(const jn_model *m, const double *H, int last, double *X, size_t stride,
                             double sign, const int G) {
  const size_t nv = (size_t)m->nv;
  columns_of t[8];
#define TILE(row, g) (*(columns_of *)(void *)(X + (size_t)(row)*stride + (size_t)(g)*LANES))
  for (int n = last; n >= 0; n--) {
    const jn_link *l = &m->link[n];
    const int own = m->link[last].iv + m->link[last].nv, all = dofs_end(m, n),
              end = all < own ? all : own;
    for (int i = l->iv + l->nv - 1; i >= l->iv; i--) {
      const double *row = H + (size_t)i * nv;
      for (int g = 0; g < G; g++) t[g] = TILE(i, g);
      for (int d = i + 1; d < end; d++)
        for (int g = 0; g < G; g++) t[g] -= row[d] * TILE(d, g);
      for (int g = 0; g < G; g++) TILE(i, g) = t[g];
    }
  }
  for (int n = 0; n <= last; n++) {
    const jn_link *l = &m->link[n];
    for (int i = l->iv; i < l->iv + l->nv; i++) {
      const double *row = H + (size_t)i * nv, d = sign * row[i];
      for (int g = 0; g < G; g++) t[g] = d * TILE(i, g);
      for (int a = n, j = i - 1; a >= 0;) {
        for (; j >= m->link[a].iv; j--)
          for (int g = 0; g < G; g++) t[g] -= row[j] * TILE(j, g);
        a = m->link[a].parent;
        if (a >= 0) j = m->link[a].iv + m->link[a].nv - 1;
      }
      for (int g = 0; g < G; g++) TILE(i, g) = t[g];
    }
  }
#undef TILE
}

/* The same for `width` <= 8 LANES columns, whole packs. */
static inline void mass_factor_columns(const jn_model *m, const double *H, int last, int width,
                                       double *X, size_t stride, double sign) {
#define CASE(G)                                       \
  case G:                                             \
    mass_factor_tile(m, H, last, X, stride, sign, G); \
    break;
  switch (width / LANES) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) }
#undef CASE
}

/* X := sign M^-1 X for a list of square matrices. Columns that do not fill a pack are collected in
 * y, 8 LANES at a time. */
ENTRY_FUNCTION void mass_factor_solve(const jn_model *m, const double *H, double *const *list,
                                      int count, double sign, double *y) {
  const int nv = m->nv, last = m->nlink - 1, room = 8 * LANES, rest = nv % (4 * LANES);
  double *from[8 * LANES];
  int used = 0;
  for (int n = 0; n < count; n++) {
    double *X = list[n];
    for (int c = 0, width; c < nv - rest; c += width) {
      width = nv - rest - c < room ? nv - rest - c : room;
      mass_factor_columns(m, H, last, width, X + c, (size_t)nv, sign);
    }
    for (int c = nv - rest; c < nv; c++) {
      from[used] = X + c;
      for (int i = 0; i < nv; i++) y[i * room + used] = X[i * nv + c];
      used++;
      if (used < room && (n < count - 1 || c < nv - 1)) continue;
      const int width = (used + LANES - 1) / LANES * LANES;
      for (int i = 0; i < nv; i++)
        for (int s = used; s < width; s++) y[i * room + s] = 0;
      mass_factor_columns(m, H, last, width, y, (size_t)room, sign);
      for (int s = 0; s < used; s++)
        for (int i = 0; i < nv; i++) from[s][i * nv] = y[i * room + s];
      used = 0;
    }
  }
}

#endif
