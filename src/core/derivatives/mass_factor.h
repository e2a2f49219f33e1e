/* mass_factor.h (core): M = L^T D L, L unit lower triangular (LTDL, Featherstone 2008, section 6.5),
 * and M^-1 times whole matrices, one column per lane.
 *
 * H [nv x nv] holds M, zero where neither dof is an ancestor of the other. The factorisation leaves
 * no other entries: L_ij, j an ancestor of i, replaces H_ij and H_ji, 1/D_i the diagonal.
 *   factor    H_kj -= sum of L_dk H_dj over descendants d of k,   L_kj = H_kj / D_k,   k = nv-1..0
 *   solve     y_i = x_i - sum of L_di y_d over descendants d,   x_i = y_i / D_i - sum of L_ij x_j
 * The dofs of a subtree are consecutive. */
#ifndef JOUNCE_CORE_DERIVATIVES_MASS_FACTOR_H
#define JOUNCE_CORE_DERIVATIVES_MASS_FACTOR_H

#include <string.h>

#include "scalar/pack.h"

#include "core/engine.h"
#include "core/work.h"

#if LANES > 1
typedef double columns_of __attribute__((vector_size(8 * LANES), aligned(8)));
#else
typedef double columns_of;
#endif

/* One past the last dof of the subtree of link i. */
static inline int dofs_end(const jn_model *m, int i) {
  const jn_link *l = &m->link[m->link[i].last];
  return l->iv + l->nv;
}

#if !defined(JN_BAKED) || defined(JN_FORWARD_PARTIALS)
/* G packs of row k, at columns at[] <= k: H_kj -= sum of L_dk H_dj, d = end-1..k+1 */
INLINE void factor_tile(double *H, size_t nv, int k, int end, const int *at, const int G) {
  columns_of s[4];
#define TILE(row, g) (*(columns_of *)(void *)(H + (size_t)(row)*nv + (size_t)at[g]))
  for (int g = 0; g < G; g++) s[g] = TILE(k, g);
  for (int d = end - 1; d > k; d--)
    for (int g = 0; g < G; g++) s[g] -= H[(size_t)k * nv + (size_t)d] * TILE(d, g);
  for (int g = 0; g < G; g++) TILE(k, g) = s[g];
#undef TILE
}
/* The same for the whole row. Its last pack ends at column k and may overlap its neighbour, which is
 * in the same tile. */
INLINE void factor_row(double *H, size_t nv, int k, int end) {
  const int last = k + 1 - LANES;
  if (last < 0) {
    double *row = H + (size_t)k * nv;
    for (int d = end - 1; d > k; d--)
      for (int j = 0; j <= k; j++) row[j] -= row[d] * H[(size_t)d * nv + (size_t)j];
    return;
  }
  for (int b = 0, left = (k + LANES) / LANES, G; left > 0; left -= G, b += G) {
    int at[4];
    G = left > 5 ? 4 : left == 5 ? 3 : left;
    for (int g = 0; g < 4; g++) at[g] = (b + g) * LANES < last ? (b + g) * LANES : last;
#define CASE(n)                        \
  case n:                              \
    factor_tile(H, nv, k, end, at, n); \
    break;
    switch (G) { CASE(1) CASE(2) CASE(3) CASE(4) }
#undef CASE
  }
}

/* Returns 0 when a pivot is not positive; the work is the same. */
ENTRY_FUNCTION int mass_factor(const jn_model *m, double *H) {
  const size_t nv = (size_t)m->nv;
  const int *parent = m->dof_parent;
  int positive = 1;
  for (int k = m->nv - 1; k >= 0; k--) {
    double *row = H + (size_t)k * nv;
    if (m->dof_end[k] > k + 1) factor_row(H, nv, k, m->dof_end[k]);
    positive &= row[k] > 0;
    const double inverse = 1.0 / row[k];
    row[k] = inverse;
    /* L_kj in column k; row k stays H_kj until all rows are done */
    for (int j = parent[k]; j >= 0; j = parent[j]) H[(size_t)j * nv + (size_t)k] = row[j] * inverse;
  }
  for (int k = 1; k < m->nv; k++) {
    double *row = H + (size_t)k * nv;
    const double inverse = row[k];
    for (int j = parent[k]; j >= 0; j = parent[j]) row[j] *= inverse;
  }
  return positive;
}

/* Columns of matrices with rows of nv numbers, which are zero but in rows first..stop-1 and those of
 * the ancestors of `first`. Rows 0..last of the result are wanted; the others are not written. */
typedef struct solve_range {
  int first, stop, last;
} solve_range;

/* G packs of columns at[], in place. Packs may overlap: both then hold the same numbers. Two rows at a
 * time where one is the parent of the other and, on the way back, its only child. */
INLINE void mass_factor_tile(const jn_model *m, const double *H, solve_range rows,
                             double *const *at, double sign, const int G) {
  const size_t nv = (size_t)m->nv;
  const int *parent = m->dof_parent, *end = m->dof_end, first = rows.first;
  columns_of s[4], t[4];
#define TILE(row, g) (*(columns_of *)(void *)(at[g] + (size_t)(row)*nv))
#define SUBTRACT(j)                           \
  for (int g = 0; g < G; g++) {               \
    const columns_of z = TILE(j, g);          \
    t[g] -= row[j] * z, s[g] -= other[j] * z; \
  }
  for (int i = rows.stop - 1, a; i >= 0; i = a > first ? a - 1 : parent[a]) {
    const int two = i > 0 && end[i - 1] == end[i], stop = end[i] < rows.stop ? end[i] : rows.stop;
    a = i - two;
    const double *row = H + (size_t)i * nv, *other = H + (size_t)a * nv;
    for (int g = 0; g < G; g++) t[g] = TILE(i, g), s[g] = TILE(a, g);
    for (int d = i + 1; d < stop; d++) {
      if (end[d] > first)
        SUBTRACT(d)
      else
        d = end[d] - 1; /* zero in this subtree */
    }
    for (int g = 0; g < G; g++) TILE(i, g) = t[g];
    for (int g = 0; g < G && two; g++) TILE(a, g) = s[g] - other[i] * t[g];
  }
  for (int i = 0, b; i <= rows.last; i = b + 1) {
    const int two = i < rows.last && parent[i + 1] == i;
    b = i + two;
    const double *row = H + (size_t)i * nv, *other = H + (size_t)b * nv, d = sign * row[i],
                 e = sign * other[b];
    for (int g = 0; g < G; g++) t[g] = d * TILE(i, g), s[g] = e * TILE(b, g);
    for (int j = parent[i]; j >= 0; j = parent[j]) SUBTRACT(j)
    for (int g = 0; g < G; g++) TILE(i, g) = t[g];
    for (int g = 0; g < G && two; g++) TILE(b, g) = s[g] - other[i] * t[g];
  }
#undef SUBTRACT
#undef TILE
}

/* The same for 1 to 4 packs. */
static inline void mass_factor_packs(const jn_model *m, const double *H, solve_range rows,
                                     double *const *at, int packs, double sign) {
#define CASE(G)                                \
  case G:                                      \
    mass_factor_tile(m, H, rows, at, sign, G); \
    break;
  switch (packs) { CASE(1) CASE(2) CASE(3) CASE(4) }
#undef CASE
}

/* Fewer columns than lanes: one by one. */
static inline void mass_factor_small(const jn_model *m, const double *H, double *X, double sign) {
  const int nv = m->nv;
  for (int c = 0; c < nv; c++) {
    for (int i = nv - 1; i >= 0; i--)
      for (int d = i + 1; d < nv; d++) X[i * nv + c] -= H[i * nv + d] * X[d * nv + c];
    for (int i = 0; i < nv; i++) {
      X[i * nv + c] *= sign * H[i * nv + i];
      for (int j = 0; j < i; j++) X[i * nv + c] -= H[i * nv + j] * X[j * nv + c];
    }
  }
}

/* First column of a pack. The last pack ends with the last column: it overlaps its neighbour, and
 * both are solved together. */
static inline int pack_column(int nv, int pack) {
  return (pack + 1) * LANES <= nv ? pack * LANES : nv - LANES;
}

/* The rows of packs from..to-1 of matrices with the zeros of M: those of a column are its ancestors
 * and its subtree. */
static inline solve_range related_rows(const jn_model *m, int from, int to) {
  const int nv = m->nv, first = pack_column(nv, from), last = pack_column(nv, to - 1) + LANES - 1;
  solve_range rows = {first, 0, nv - 1};
  for (int c = first; c <= last; c++)
    if (m->dof_end[c] > rows.stop) rows.stop = m->dof_end[c];
  return rows;
}

/* X := sign M^-1 X for a list of square matrices; related: they have the zeros of M. The same packs of
 * two matrices, or those of one, are solved together. */
ENTRY_FUNCTION void mass_factor_solve(const jn_model *m, const double *H, double *const *list,
                                      int count, double sign, int related) {
  const int nv = m->nv, packs = (nv + LANES - 1) / LANES;
  for (int n = 0; n < count && nv < LANES; n++) mass_factor_small(m, H, list[n], sign);
  for (int n = 0; n < count && nv >= LANES; n += 2) {
    const int two = n + 1 < count, most = two ? 2 : 4;
    for (int b = 0, next; b < packs; b = next) {
      double *at[4];
      int used = 0;
      next = b + ((packs - b) % most ? (packs - b) % most : most);
      for (int p = b; p < next; p++)
        for (int h = 0; h <= two; h++) at[used++] = list[n + h] + pack_column(nv, p);
      const solve_range all = {0, nv, nv - 1};
      mass_factor_packs(m, H, related ? related_rows(m, b, next) : all, at, used, sign);
    }
  }
}

/* Upper half of M^-1 in X, row by row; the rows of later dofs follow from symmetry. */
ENTRY_FUNCTION void mass_factor_inverse(const jn_model *m, const double *H, double *X) {
  const int nv = m->nv, packs = (nv + LANES - 1) / LANES, tiles = (packs + 3) / 4;
  for (int i = 0; i < nv * nv; i++) X[i] = 0;
  for (int i = 0; i < nv; i++) X[i * nv + i] = 1;
  if (nv < LANES) {
    mass_factor_small(m, H, X, 1);
    return;
  }
  for (int n = 0, b = 0; n < tiles; n++) {
    double *at[4];
    const int G = (packs - b + tiles - n - 1) / (tiles - n), first = pack_column(nv, b);
    for (int g = 0; g < G; g++) at[g] = X + pack_column(nv, b++);
    const int stop = pack_column(nv, b - 1) + LANES;
    mass_factor_packs(m, H, (solve_range){first, stop, stop - 1}, at, G, 1);
  }
}
#endif

#endif
