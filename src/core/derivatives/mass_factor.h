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

/* The tree of dofs: parent of each (-1: none), and one past the last dof of its subtree. */
typedef struct dof_tree {
  int parent[JN_DENSE_DOFS], end[JN_DENSE_DOFS];
} dof_tree;

static inline void dof_tree_of(const jn_model *m, dof_tree *t) {
  for (int n = 0; n < m->nlink; n++) {
    const jn_link *l = &m->link[n];
    int a = l->parent;
    while (a >= 0 && m->link[a].nv == 0) a = m->link[a].parent;
    for (int i = l->iv; i < l->iv + l->nv; i++) {
      t->parent[i] = i > l->iv ? i - 1 : a < 0 ? -1 : m->link[a].iv + m->link[a].nv - 1;
      t->end[i] = dofs_end(m, n);
    }
  }
}

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

/* Returns 0 when a pivot is not positive. */
ENTRY_FUNCTION int mass_factor(const jn_model *m, double *H) {
  const size_t nv = (size_t)m->nv;
  dof_tree tree;
  dof_tree_of(m, &tree);
  for (int k = m->nv - 1; k >= 0; k--) {
    double *row = H + (size_t)k * nv;
    if (tree.end[k] > k + 1) factor_row(H, nv, k, tree.end[k]);
    if (!(row[k] > 0)) return 0;
    const double inverse = 1.0 / row[k];
    row[k] = inverse;
    /* L_kj in column k; row k stays H_kj until all rows are done */
    for (int j = tree.parent[k]; j >= 0; j = tree.parent[j])
      H[(size_t)j * nv + (size_t)k] = row[j] * inverse;
  }
  for (int k = 1; k < m->nv; k++) {
    double *row = H + (size_t)k * nv;
    const double inverse = row[k];
    for (int j = tree.parent[k]; j >= 0; j = tree.parent[j]) row[j] *= inverse;
  }
  return 1;
}

/* G packs of columns at[], rows 0..last of matrices with rows of nv numbers, in place; rows after
 * `last` are zero, not read and not written. Packs may overlap: both then hold the same numbers. Two
 * rows at a time where one is the parent of the other and, on the way back, its only child. */
INLINE void mass_factor_tile(const dof_tree *tree, size_t nv, const double *H, int last,
                             double *const *at, double sign, const int G) {
  columns_of s[4], t[4];
#define TILE(row, g) (*(columns_of *)(void *)(at[g] + (size_t)(row)*nv))
  for (int i = last; i >= 0; i--) {
    const int two = i > 0 && tree->end[i - 1] == tree->end[i], a = i - two,
              end = tree->end[i] <= last ? tree->end[i] : last + 1;
    const double *row = H + (size_t)i * nv, *up = H + (size_t)a * nv;
    for (int g = 0; g < G; g++) t[g] = TILE(i, g), s[g] = TILE(a, g);
    for (int d = i + 1; d < end; d++)
      for (int g = 0; g < G; g++) {
        const columns_of z = TILE(d, g);
        t[g] -= row[d] * z;
        s[g] -= up[d] * z;
      }
    for (int g = 0; g < G; g++) TILE(i, g) = t[g];
    if (!two) continue;
    for (int g = 0; g < G; g++) TILE(a, g) = s[g] - up[i] * t[g];
    i--;
  }
  for (int i = 0; i <= last; i++) {
    const int two = i < last && tree->parent[i + 1] == i, b = i + two;
    const double *row = H + (size_t)i * nv, *down = H + (size_t)b * nv, d = sign * row[i],
                 e = sign * down[b];
    for (int g = 0; g < G; g++) t[g] = d * TILE(i, g), s[g] = e * TILE(b, g);
    for (int j = tree->parent[i]; j >= 0; j = tree->parent[j])
      for (int g = 0; g < G; g++) {
        const columns_of z = TILE(j, g);
        t[g] -= row[j] * z;
        s[g] -= down[j] * z;
      }
    for (int g = 0; g < G; g++) TILE(i, g) = t[g];
    if (!two) continue;
    for (int g = 0; g < G; g++) TILE(b, g) = s[g] - down[i] * t[g];
    i++;
  }
#undef TILE
}

/* The same for 1 to 4 packs. */
static inline void mass_factor_packs(const dof_tree *tree, int nv, const double *H, int last,
                                     double *const *at, int packs, double sign) {
#define CASE(G)                                               \
  case G:                                                     \
    mass_factor_tile(tree, (size_t)nv, H, last, at, sign, G); \
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

/* The packs that a matrix with nv columns consists of; the last one overlaps its neighbour, and both
 * are solved together. */
static inline double *pack_at(double *X, int nv, int pack) {
  return X + ((pack + 1) * LANES <= nv ? pack * LANES : nv - LANES);
}

/* X := sign M^-1 X for a list of square matrices. */
ENTRY_FUNCTION void mass_factor_solve(const jn_model *m, const double *H, double *const *list,
                                      int count, double sign) {
  const int nv = m->nv, packs = (nv + LANES - 1) / LANES;
  dof_tree tree;
  double *at[4];
  int used = 0;
  dof_tree_of(m, &tree);
  for (int n = 0; n < count; n++) {
    if (nv < LANES) {
      mass_factor_small(m, H, list[n], sign);
      continue;
    }
    for (int b = 0; b < packs;) {
      const int pair = b == packs - 2 ? 2 : 1, full = used + pair > 4;
      if (!full) {
        for (int s = 0; s < pair; s++) at[used++] = pack_at(list[n], nv, b++);
        if (used < 4) continue;
      }
      mass_factor_packs(&tree, nv, H, nv - 1, at, used, sign);
      used = 0;
    }
  }
  if (used) mass_factor_packs(&tree, nv, H, nv - 1, at, used, sign);
}

/* Upper half of M^-1 in X, row by row; forces on later dofs are zero, and the rows of later dofs
 * follow from symmetry. */
ENTRY_FUNCTION void mass_factor_inverse(const jn_model *m, const double *H, double *X) {
  const int nv = m->nv, packs = (nv + LANES - 1) / LANES, tiles = (packs + 3) / 4;
  dof_tree tree;
  dof_tree_of(m, &tree);
  for (int i = 0; i < nv * nv; i++) X[i] = 0;
  for (int i = 0; i < nv; i++) X[i * nv + i] = 1;
  if (nv < LANES) {
    mass_factor_small(m, H, X, 1);
    return;
  }
  for (int n = 0, b = 0; n < tiles; n++) {
    double *at[4];
    const int G = (packs - b + tiles - n - 1) / (tiles - n), top = (b + G) * LANES;
    for (int g = 0; g < G; g++) at[g] = pack_at(X, nv, b++);
    mass_factor_packs(&tree, nv, H, (top < nv ? top : nv) - 1, at, G, 1);
  }
}

#endif
