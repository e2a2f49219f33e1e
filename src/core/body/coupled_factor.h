/* coupled_factor.h (core): M = L D L^T of a model with eliminated mimic joints (core/coupled.h), in
 * place: L below the diagonal, 1/D on it. */
#ifndef JOUNCE_CORE_BODY_COUPLED_FACTOR_H
#define JOUNCE_CORE_BODY_COUPLED_FACTOR_H

#include "core/algebra/algebra.h"

/* Row i of L; the rows before it are done. Returns D_i, of which the caller stores 1/D_i:
 *   L_ik D_k = M_ik - sum_(c<k) L_ic D_c L_kc
 *   D_i      = M_ii - sum_(k<i) L_ik^2 D_k */
static inline real factor_coupled_row(int n, int i, real *M) {
  real *row = M + i * n;
  real d = row[i];
  for (int k = 0; k < i; k++) {
    real x = row[k];
    for (int c = 0; c < k; c++) x -= row[c] * M[k * n + c];
    row[k] = x; /* L_ik D_k */
  }
  for (int k = 0; k < i; k++) {
    const real x = row[k];
    row[k] = x * M[k * n + k];
    d -= x * row[k];
  }
  return d;
}
/* b = M^-1 b of `columns` columns, b [n x columns] */
static inline void solve_coupled(int n, size_t columns, const real *L, real *b) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      for (size_t c = 0; c < columns; c++)
        b[(size_t)i * columns + c] -= L[i * n + k] * b[(size_t)k * columns + c];
  for (int i = 0; i < n; i++)
    for (size_t c = 0; c < columns; c++) b[(size_t)i * columns + c] *= L[i * n + i];
  for (int i = n; i-- > 0;)
    for (int k = i + 1; k < n; k++)
      for (size_t c = 0; c < columns; c++)
        b[(size_t)i * columns + c] -= L[k * n + i] * b[(size_t)k * columns + c];
}

#endif
