/* joint_jet.h (private): Taylor coefficients of the configuration of one joint from those of its
 * velocity, in the coordinates of taylor.c. Part of generated roll-outs too. */
#ifndef JOUNCE_INTEGRATE_JOINT_JET_H
#define JOUNCE_INTEGRATE_JOINT_JET_H

#include "core/group_joint.h"

/* xi_1 ... xi_(K+1) from w_0 ... w_K; rows of both are `nv` apart. rows > K; bernoulli[rows/2 + 1],
 * scratch[8 rows], powers[(rows/2 + 1) rows] */
static inline void rotation_jet(int K, size_t rows, const double *bernoulli, double *scratch,
                                double *powers, size_t nv, const double *w, double *xi) {
  double *A = scratch, *B = A + 3 * rows, *t = B + 3 * rows, *d = t + rows, *P = powers;
  store_vec(xi, jn_v3(0, 0, 0));
  for (int k = 0; k <= K; k++) {
    /* A = xi x w, B = xi x A, t = |xi|^2 */
    jn_vec3 a = jn_v3(0, 0, 0), b = a, e = a;
    t[k] = 0;
    for (int i = 1; i <= k; i++) {
      const jn_vec3 x = load_vec(xi + (size_t)i * nv);
      a = jn_v3_add(a, jn_v3_cross(x, load_vec(w + (size_t)(k - i) * nv)));
      b = jn_v3_add(b, jn_v3_cross(x, load_vec(A + 3 * (k - i))));
      t[k] += jn_v3_dot(x, load_vec(xi + (size_t)(k - i) * nv));
    }
    store_vec(A + 3 * k, a);
    store_vec(B + 3 * k, b);
    /* d = sum c_m t^m; t^m starts at order 2 m */
    d[k] = k == 0 ? bernoulli[0] : 0.0;
    for (int m = 1; 2 * m <= k; m++) {
      double *p = P + (size_t)m * rows, *q = p - rows;
      p[k] = m == 1 ? t[k] : 0.0;
      for (int i = 2; m > 1 && i <= k - 2 * (m - 1); i++) p[k] += t[i] * q[k - i];
      d[k] += bernoulli[m] * p[k];
    }
    /* B starts at order 3 at the earliest: xi_1 x (xi_1 x w_0) = 0 */
    for (int i = 0; i + 3 <= k; i++) e = jn_v3_add(e, jn_v3_scale(d[i], load_vec(B + 3 * (k - i))));
    a = jn_v3_add(load_vec(w + (size_t)k * nv), jn_v3_add(jn_v3_scale(0.5, a), e));
    store_vec(xi + (size_t)(k + 1) * nv, jn_v3_scale(1.0 / (k + 1), a));
  }
}

/* (k+1) z_(k+1) = v_k - sum w_i x z_(k-i) */
static inline void position_jet(int K, size_t nv, const double *V, double *z) {
  store_vec(z, jn_v3(0, 0, 0));
  for (int k = 0; k <= K; k++) {
    jn_vec3 a = load_vec(V + (size_t)k * nv + 3);
    for (int i = 0; i < k; i++)
      a = jn_v3_sub(a,
                    jn_v3_cross(load_vec(V + (size_t)i * nv), load_vec(z + (size_t)(k - i) * nv)));
    store_vec(z + (size_t)(k + 1) * nv, jn_v3_scale(1.0 / (k + 1), a));
  }
}

/* The configuration with the coordinates d = (xi, z). */
static inline void chart_point(int kind, int n, const double *q, const double *d, double *out) {
  if (kind == GROUP_PLAIN) {
    for (int c = 0; c < n; c++) out[c] = q[c] + d[c];
    return;
  }
  const jn_quat r = quat_step(q, load_vec(d));
  store_quat(out, r);
  if (kind == GROUP_FREE)
    store_vec(out + 4, jn_v3_add(load_vec(q + 4), jn_m3_apply(jn_quat_to_m3(r), load_vec(d + 3))));
}

#endif
