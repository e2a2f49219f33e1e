/* forward_matrices.h (core): whole matrices of the partial derivatives of forward dynamics
 * (forward_partials.c), order by order. Generated code calls the functions themselves instead of those
 * of an engine. */
#ifndef JOUNCE_CORE_DERIVATIVES_FORWARD_MATRICES_H
#define JOUNCE_CORE_DERIVATIVES_FORWARD_MATRICES_H

#include <string.h>

#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/spatial/composite.h"

#ifdef JN_BAKED
#define OF_ENGINE(x, function) function
#else
#define OF_ENGINE(x, function) (x)->data->engine->function
#endif
#define JN_SOLVED_TOGETHER 16 /* matrices */

/* The matrices order by order (Z_j: columns of v^(j), T_kj: d tau^(k) / d v^(j)):
 *   Z_(k+1) = M^-1 (d tau^(k) - T_k - sum_(j=0..k) T_kj Z_j)
 * Returns 0 when M is not positive definite in rounding: the matrices are then without meaning. */
static inline int forward_matrices(const variation *x, const jn_forward_columns *out) {
  const size_t nv = (size_t)x->m->nv, size = nv * nv, n = (size_t)out->orders;
  int positive = 1;
  if (out->dtau && n > 1) memset(out->dtau, 0, sizeof(double) * n * n * size);
  for (size_t k = 0; k < n; k++) {
    variation part = *x;
    part.K = (int)k;
    OF_ENGINE(x, freedoms_forward)(&part, out);
    if (k == 0) positive = OF_ENGINE(x, mass_factor)(x->m, out->H);
    double *list[JN_SOLVED_TOGETHER];
    int count = 0;
    if (out->dq) list[count++] = out->dq + k * size;
    if (out->dv) list[count++] = out->dv + k * size;
    if (out->dtau && k == 0) {
      OF_ENGINE(x, mass_factor_inverse)(x->m, out->H, out->dtau);
      mirror_upper(nv, out->dtau);
    }
    for (size_t i = 0; i < k && out->dtau; i++) {
      list[count++] = out->dtau + (k * n + i) * size;
      if (count < JN_SOLVED_TOGETHER) continue;
      OF_ENGINE(x, mass_factor_solve)(x->m, out->H, list, count, -1, 0);
      count = 0;
    }
    if (count) OF_ENGINE(x, mass_factor_solve)(x->m, out->H, list, count, -1, k == 0);
    if (out->dtau && k) memcpy(out->dtau + (k * n + k) * size, out->dtau, sizeof(double) * size);
  }
  return positive;
}

#endif
