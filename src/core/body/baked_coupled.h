/* baked_coupled.h (core): generated code of a robot with eliminated mimic joints, by way of its tree
 * (core/coupled.h): q = G y + b, v = G y', tau_y = G^T tau, M_y = G^T M G. src/generate writes the
 * tables, and the calls of the functions of the tree between these. */
#ifndef JOUNCE_CORE_BODY_BAKED_COUPLED_H
#define JOUNCE_CORE_BODY_BAKED_COUPLED_H

#include "core/body/baked.h"
#include "core/body/coupled_factor.h"

/* number iq, iv of the tree follows a number of the model; lead < 0: it does not move */
typedef struct baked_follower {
  int iq, iv, lead_q, lead_v;
  double ratio, offset;
} baked_follower;

/* Numbers x[n] of the model and those that follow, in an array of the tree; at: places there. */
INLINE void expand_positions(int n, const int *at, int count, const baked_follower *f,
                             const real *x, double *out) {
  for (int i = 0; i < n; i++) put_real(out, at[i], x[i]);
  for (int i = 0; i < count; i++) {
    const real fixed = real_of(f[i].offset);
    put_real(out, f[i].iq,
             f[i].lead_q < 0 ? fixed : f[i].ratio * x[f[i].lead_q < 0 ? 0 : f[i].lead_q] + fixed);
  }
}
INLINE void expand_rates(int n, const int *at, int count, const baked_follower *f, const real *x,
                         double *out) {
  for (int i = 0; i < n; i++) put_real(out, at[i], x[i]);
  for (int i = 0; i < count; i++)
    put_real(out, f[i].iv,
             f[i].lead_v < 0 ? real_of(0) : f[i].ratio * x[f[i].lead_v < 0 ? 0 : f[i].lead_v]);
}
/* out = G^T force */
INLINE void fold_forces(int n, const int *at, int count, const baked_follower *f,
                        const double *force, real *out) {
  for (int i = 0; i < n; i++) out[i] = take_real(force, at[i]);
  for (int i = 0; i < count; i++)
    if (f[i].lead_v >= 0) out[f[i].lead_v] += f[i].ratio * take_real(force, f[i].iv);
}

/* out = G^T X of rows of n numbers */
INLINE void fold_rows(int n, const int *at, int count, const baked_follower *f, const real *X,
                      real *out) {
  for (int i = 0; i < n; i++)
    for (int b = 0; b < n; b++) out[i * n + b] = X[at[i] * n + b];
  for (int i = 0; i < count; i++)
    for (int b = 0; b < n && f[i].lead_v >= 0; b++)
      out[f[i].lead_v * n + b] += f[i].ratio * X[f[i].iv * n + b];
}
/* rows and columns of given motions: those of the identity */
INLINE void hold_given(int n, const int *given, real *M) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      if (given[i] || given[k]) M[i * n + k] = real_of(i == k);
}

/* M = L D L^T in place (coupled_factor.h). A pivot is zero below `part` of its diagonal plus `least`.
 * Returns the states whose matrix is positive, one bit each. */
INLINE int factor_coupled(int n, real *M, double part, const double *least) {
  int good = ~0;
  for (int i = 0; i < n; i++) {
    const real smallest = part * M[i * n + i] + real_of(least[i]);
    const real d = factor_coupled_row(n, i, M);
    good &= real_greater(d, smallest);
    M[i * n + i] = 1 / d;
  }
  return good;
}

#endif
