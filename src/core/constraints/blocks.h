/* blocks.h (core): active rows in blocks that share no degree of freedom, each factored on its own.
 *
 * Forward dynamics: Z = L^-1 J^T, M = L L^T the factors of the articulated inertias. L^-1 couples a
 * row with all degrees of freedom between its links and the root. The decomposition of Z gives rank
 * and solution without forming J M^-1 J^T = Z^T Z, whose condition is squared.
 * Inverse dynamics and kinematics: J^T itself. */
#ifndef JOUNCE_CORE_CONSTRAINTS_BLOCKS_H
#define JOUNCE_CORE_CONSTRAINTS_BLOCKS_H

#include "core/constraints/rows.h"

typedef struct blocks {
  int count;
  int *first_row, *first_dof; /* [count + 1] places in `row` and `dof` */
  int *row, *dof;             /* rows and degrees of freedom, block by block, ascending in each */
  int *perm, *rank;           /* of the decompositions: by row, by block */
  int *owner;                 /* [nlink] scratch */
  int *root;                  /* [ncut] scratch */
  int *spare;                 /* [3 nv] scratch of the user */
  int *made;                  /* [ncut + nbody + 2] what they were made for: blocks_known */
} blocks;

static inline blocks blocks_at(const closure *c) {
  const jn_model *m = c->m;
  int *at = (int *)(void *)c->w->block_index;
  blocks b = {0};
  b.first_row = at, at += m->ncut + 1;
  b.first_dof = at, at += m->ncut + 1;
  b.rank = at, at += m->ncut;
  b.root = at, at += m->ncut;
  b.row = at, at += m->nrow;
  b.perm = at, at += m->nrow;
  b.dof = at, at += m->nv;
  b.spare = at, at += 3 * m->nv;
  b.owner = at, at += m->nlink;
  b.made = at;
  return b;
}

static inline int block_rows(const blocks *b, int i) {
  return b->first_row[i + 1] - b->first_row[i];
}
/* of all blocks */
static inline int blocks_rows(const blocks *b) { return b->count > 0 ? b->first_row[b->count] : 0; }
static inline int block_dofs(const blocks *b, int i) {
  return b->first_dof[i + 1] - b->first_dof[i];
}

static inline int blocks_find(const blocks *b, int i) {
  while (b->root[i] != i) i = b->root[i] = b->root[b->root[i]];
  return i;
}

/* Cut i moves with the links from `l` up to `end`. */
static inline void blocks_claim(const closure *c, blocks *b, int i, int l, int end) {
  for (; l != end && l >= 0; l = c->m->link[l].parent) {
    if (!c->m->link[l].nv || is_prescribed(c->prescribed, &c->m->link[l])) continue;
    if (b->owner[l] < 0) {
      b->owner[l] = i;
      continue;
    }
    const int other = blocks_find(b, b->owner[l]), own = blocks_find(b, i);
    if (other < own)
      b->root[own] = other;
    else
      b->root[other] = own;
  }
}

/* the link of a degree of freedom */
static inline int link_of_dof(const jn_model *m, int j) {
  int low = 0, high = m->nlink - 1;
  while (low < high) {
    const int mid = (low + high) / 2;
    if (m->link[mid].iv + m->link[mid].nv > j)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

/* Numbers the blocks in the order of their first constraint (b->rank holds the numbers of the roots
 * meanwhile) and lists their rows and degrees of freedom: counts, sums, then entries. */
static inline void blocks_list(const closure *c, blocks *b) {
  const jn_model *m = c->m;
  for (int i = 0; i <= m->ncut; i++) b->first_row[i] = b->first_dof[i] = 0;
  for (int i = 0; i < m->ncut; i++) {
    if (!cut_is_active(c, i)) continue;
    if (b->root[i] == i) b->rank[i] = b->count++;
    b->first_row[b->rank[blocks_find(b, i)] + 1] += m->cut[i].rows;
  }
  for (int l = 0; l < m->nlink; l++)
    if (b->owner[l] >= 0) b->first_dof[b->rank[blocks_find(b, b->owner[l])] + 1] += m->link[l].nv;
  for (int i = 0; i < b->count; i++) {
    b->first_row[i + 1] += b->first_row[i];
    b->first_dof[i + 1] += b->first_dof[i];
  }
  for (int i = 0; i < m->ncut; i++)
    for (int r = 0; cut_is_active(c, i) && r < m->cut[i].rows; r++)
      b->row[b->first_row[b->rank[blocks_find(b, i)]]++] = m->cut[i].row + r;
  for (int l = 0; l < m->nlink; l++)
    for (int j = 0; b->owner[l] >= 0 && j < m->link[l].nv; j++)
      b->dof[b->first_dof[b->rank[blocks_find(b, b->owner[l])]]++] = m->link[l].iv + j;
  for (int i = b->count; i > 0; i--) {
    b->first_row[i] = b->first_row[i - 1];
    b->first_dof[i] = b->first_dof[i - 1];
  }
  b->first_row[0] = b->first_dof[0] = 0;
}

/* Whether the blocks in memory are those of these constraints and joints; if not, notes them. */
enum { BLOCKS_MADE = 0x51 };
static inline int blocks_known(const closure *c, const blocks *b, int to_root) {
  int *flag = b->made + 2, same = b->made[0] == BLOCKS_MADE + to_root;
  for (int i = 0; i < c->m->ncut; i++) {
    const int active = cut_is_active(c, i) != 0;
    same &= flag[i] == active;
    flag[i] = active;
  }
  flag += c->m->ncut;
  for (int i = 0; i < c->m->nbody; i++) {
    const int given = c->prescribed && c->prescribed[i];
    same &= flag[i] == given;
    flag[i] = given;
  }
  b->made[0] = BLOCKS_MADE + to_root;
  return same;
}

/* Blocks of the active constraints. `to_root`: rows move with all links up to the root, else only
 * with those that carry one side (the nonzero columns of J). */
static inline blocks blocks_make(const closure *c, int to_root) {
  const jn_model *m = c->m;
  if (m->ncut == 0) return (blocks){0}; /* the arrays are empty */
  blocks b = blocks_at(c);
  if (blocks_known(c, &b, to_root)) {
    b.count = b.made[1];
    return b;
  }
  for (int l = 0; l < m->nlink; l++) b.owner[l] = -1;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    b.root[i] = i;
    if (!cut_is_active(c, i)) continue;
    for (int s = 0; s < 2 && !cut_is_coupling(cut); s++)
      blocks_claim(c, &b, i, cut->link[s], to_root ? -1 : cut->common);
    for (int t = 0; t < cut->term_count; t++) {
      const int l = link_of_dof(m, cut->dof[t]);
      blocks_claim(c, &b, i, l, to_root ? -1 : m->link[l].parent);
    }
  }
  blocks_list(c, &b);
  b.made[1] = b.count;
  return b;
}

/* rows of the matrix of block i: its degrees of freedom, and with a proximal parameter sqrt(mu) of
 * each row below them */
static inline int block_height(const closure *c, const blocks *b, int i) {
  return block_dofs(b, i) + (c->proximal > 0 ? block_rows(b, i) : 0);
}

/* The decomposition of block i; `A` in w->row_factor. */
static inline cod block_cod(const closure *c, const blocks *b, int i) {
  double *A = c->w->row_factor, *U = c->w->row_basis, *beta = c->w->row_beta;
  for (int k = 0; k < i; k++) {
    const int wide = qr_padded(block_rows(b, k));
    A += (size_t)wide * (size_t)block_height(c, b, k);
    U += (size_t)wide * (size_t)block_rows(b, k);
  }
  const int n = block_height(c, b, i), m = block_rows(b, i), at = b->first_row[i],
            rank = b->rank[i];
  return (cod){{n, m, rank, A, beta + at, b->perm + at, qr_padded(m)},
               {m, rank, rank, U, beta + c->m->nrow + at, NULL, qr_padded(rank)}};
}

/* The rows of constraint i of J at order 0 as columns of y[nv x stride], degrees of freedom of joints
 * that are not prescribed. size[rows]: squares of their sizes without cancellation, each degree of
 * freedom weighted by 1/d of its joint (`whitened`) or 1. */
static inline void cut_columns(const closure *c, int i, int whitened, double *y, size_t stride,
                               double *size) {
  const jn_model *m = c->m;
  const jn_work *w = c->w;
  const jn_cut *cut = &m->cut[i];
  double turn[6], push[6];
  for (int r = 0; r < cut->rows; r++) {
    const six W = *row_wrench_of(w, cut->row + r);
    size[r] = 0, turn[r] = v3_sum_size(W.w), push[r] = v3_sum_size(W.v);
  }
  for (int t = 0; t < cut->term_count; t++) {
    const jn_link *l = &m->link[link_of_dof(m, cut->dof[t])];
    const double x = cut->coefficient[t];
    if (is_prescribed(c->prescribed, l)) continue;
    y[(size_t)cut->dof[t] * stride] = x;
    size[0] += x * x * (whitened ? D_of(w, l->iv)[7 * (cut->dof[t] - l->iv)] : 1.0);
  }
  for (int side = 0; side < 2 && !cut_is_coupling(cut); side++)
    for (int n = cut->link[side]; n != cut->common; n = m->link[n].parent) {
      const jn_link *l = &m->link[n];
      if (is_prescribed(c->prescribed, l)) continue;
      for (int k = 0; k < l->nv; k++) {
        const six S = *S_of(w, l->iv + k);
        const double weight = whitened ? D_of(w, l->iv)[7 * k] : 1.0, Sw = v3_sum_size(S.w),
                     Sv = v3_sum_size(S.v);
        double *at = y + (size_t)(l->iv + k) * stride;
        for (int r = 0; r < cut->rows; r++) {
          const double x = six_dot(*row_wrench_of(w, cut->row + r), S),
                       bound = turn[r] * Sw + push[r] * Sv;
          at[r] = side ? -x : x;
          size[r] += bound * bound * weight;
        }
      }
    }
}

/* The links that constraint i acts on: [*low, *high] grows to hold them. */
static inline void cut_range(const closure *c, int i, int *low, int *high) {
  const jn_cut *cut = &c->m->cut[i];
  for (int n = 0; n < (cut_is_coupling(cut) ? cut->term_count : 2); n++) {
    const int l = cut_is_coupling(cut) ? link_of_dof(c->m, cut->dof[n]) : cut->link[n];
    if (l < 0) continue;
    if (l < *low) *low = l;
    if (l > *high) *high = l;
  }
}

/* Constraints of one pass: at most 8 rows, or one constraint. */
enum { FILL_ROWS = 8 };

/* Fills A of block i with Z (whitened) or J^T, and the sizes of its columns in w->row_scale. */
static inline void block_fill(const closure *c, const blocks *b, int i, int whitened, double *A) {
  const jn_model *m = c->m;
  double *y = c->w->solve_rhs, *scale = c->w->row_scale + b->first_row[i];
  const int rows = block_rows(b, i), dofs = block_dofs(b, i), *row = b->row + b->first_row[i],
            *dof = b->dof + b->first_dof[i];
  const size_t wide = (size_t)qr_padded(rows);
  for (int r = 0; r < rows && !dofs; r++) scale[r] = 1;
  for (int from = 0, cut = 0, n; from < rows && dofs; from += n) {
    int low = m->nlink, high = -1;
    memset(y, 0, sizeof(double) * (size_t)m->nv * JN_SOLVE_COLUMNS);
    for (n = 0; from + n < rows; n += m->cut[cut].rows) {
      while (m->cut[cut].row < row[from + n]) cut++;
      if (n && n + m->cut[cut].rows > FILL_ROWS) break;
      cut_columns(c, cut, whitened, y + n, JN_SOLVE_COLUMNS, scale + from + n);
      cut_range(c, cut, &low, &high);
    }
    if (whitened) c->whiten(m, c->w, low, high, c->prescribed, n, y);
    for (int j = 0; j < dofs; j++)
      for (int s = 0; s < n; s++)
        A[(size_t)j * wide + (size_t)(from + s)] = y[(size_t)dof[j] * JN_SOLVE_COLUMNS + (size_t)s];
  }
  for (int r = 0; r < rows && dofs; r++) scale[r] = scale[r] > 0 ? QR_SQRT(scale[r]) : 1;
  for (int j = 0; j < dofs; j++)
    for (size_t r = (size_t)rows; r < wide; r++) A[(size_t)j * wide + r] = 0;
}

/* mu of a row, from the size of its column */
static inline double row_proximal(const closure *c, int at) {
  return c->proximal * c->w->row_scale[at] * c->w->row_scale[at];
}

/* Factors all blocks; returns the rank of J (of the joints that are not prescribed). */
static inline int blocks_factor(const closure *c, blocks *b, int whitened) {
  int rank = 0;
  for (int i = 0; i < b->count; i++) {
    b->rank[i] = 0;
    cod f = block_cod(c, b, i);
    double *scale = c->w->row_scale + b->first_row[i];
    block_fill(c, b, i, whitened, f.first.A);
    for (int r = 0; r < f.first.m && c->proximal > 0; r++)
      for (int j = 0; j < f.first.stride; j++)
        f.first.A[(size_t)(block_dofs(b, i) + r) * (size_t)f.first.stride + (size_t)j] =
            j == r ? QR_SQRT(row_proximal(c, b->first_row[i] + r)) : 0.0;
    for (int r = 0; r < f.first.m; r++) row_scratch_of(c->w, 0)[r] = scale[r];
    c->decompose(&f, row_scratch_of(c->w, 0), c->rank_tolerance, row_scratch_of(c->w, 1));
    b->rank[i] = f.first.rank;
    rank += f.first.rank;
  }
  return rank;
}

#endif
