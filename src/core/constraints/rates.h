/* rates.h (core): what is left of J v, relative to its size. */
#ifndef JOUNCE_CORE_CONSTRAINTS_RATES_H
#define JOUNCE_CORE_CONSTRAINTS_RATES_H

#include "core/constraints/forward.h"

#define RATE_RANK 1e-6 /* relative: a row of velocities that cannot be met */
enum { RATE_PASSES = 3 };

/* the size of row r of psi_k without cancellation */
static inline double rate_size(const closure *c, int i, int r, int k) {
  const jn_cut *cut = &c->m->cut[i];
  double s = 0;
  for (int t = 0; t < cut->term_count; t++)
    s += magnitude(cut->coefficient[t] * v_of(c->w, cut->dof[t])[(size_t)k * (size_t)c->m->nv]);
  for (int h = 0; h <= k && !cut_is_coupling(cut); h++)
    for (int side = 0; side < 2; side++)
      if (cut->link[side] >= 0 || c->moving)
        s += six_product_size(row_wrench_of(c->w, r)[h], cut_twist(c, i, side)[k - h]);
  return s;
}

/* The row of psi_k that is farthest from zero, relative to its size: the largest of all passes, as a
 * motion may vanish. */
static inline double worst_rate(const closure *c, int k, int pass, const double *psi, int *row) {
  double most = 0, *size = row_scratch_of(c->w, 6);
  *row = -1;
  for (int i = 0; i < c->m->ncut; i++)
    for (int r = c->m->cut[i].row; cut_is_active(c, i) && r < c->m->cut[i].row + c->m->cut[i].rows;
         r++) {
      const double now = rate_size(c, i, r, k) + row_rest(c, i, r), x = magnitude(psi[r]);
      if (!pass || now > size[r]) size[r] = now;
      if (!(x <= most * size[r])) most = size[r] > 0 ? x / size[r] : x, *row = r;
    }
  return most;
}

#endif
