/* inertia10.h (core): rigid-body inertia as ten numbers, its rate, its jets and its momentum. */
#ifndef JOUNCE_CORE_ALGEBRA_INERTIA10_H
#define JOUNCE_CORE_ALGEBRA_INERTIA10_H

#include "core/algebra/algebra.h"
#include "core/algebra/inertia.h"

/* mass, first moment, second moments xx xy xz yy yz zz */
typedef struct inertia10 {
  real m;
  v3 h;
  real J[6];
} inertia10;

/* Rate of an inertia that moves with twist V = (w, v), (E2) of ali2026 in ten numbers:
 *   m' = 0
 *   h' = w x h + m v
 *   J' = [w] J - J [w] + 2 (v.h) 1 - h v^T - v h^T */
static inline inertia10 inertia10_rate(const inertia10 *M, six V) {
  v3 w = V.w, v = V.v, h = M->h;
  const real *J = M->J;
  inertia10 r;
  r.m = M->m * 0.0;
  r.h = v3_add(v3_cross(w, h), v3_scale(M->m, v));
  real d = 2.0 * v3_dot(v, h);
  /* K = [w] J, then K + K^T */
  r.J[0] = 2.0 * (w.y * J[2] - w.z * J[1]) + d - 2.0 * h.x * v.x;
  r.J[1] = (w.y * J[4] - w.z * J[3]) + (w.z * J[0] - w.x * J[2]) - (h.x * v.y + h.y * v.x);
  r.J[2] = (w.y * J[5] - w.z * J[4]) + (w.x * J[1] - w.y * J[0]) - (h.x * v.z + h.z * v.x);
  r.J[3] = 2.0 * (w.z * J[1] - w.x * J[4]) + d - 2.0 * h.y * v.y;
  r.J[4] = (w.z * J[2] - w.x * J[5]) + (w.x * J[3] - w.y * J[1]) - (h.y * v.z + h.z * v.y);
  r.J[5] = 2.0 * (w.x * J[4] - w.y * J[2]) + d - 2.0 * h.z * v.z;
  return r;
}

/* from the centre of mass at c to the origin: h = m c, J -= m [c][c] */
INLINE void inertia10_about_origin(inertia10 *M, v3 c) {
  const v3 h = v3_scale(M->m, c);
  M->h = h;
  M->J[0] += h.y * c.y + h.z * c.z;
  M->J[1] -= h.x * c.y;
  M->J[2] -= h.x * c.z;
  M->J[3] += h.x * c.x + h.z * c.z;
  M->J[4] -= h.y * c.z;
  M->J[5] += h.x * c.x + h.y * c.y;
}

/* k M_k = M'_(k-1) = sum_(i<k) rate(M_(k-1-i), V_i), k >= 1. Mk or rate may be NULL. */
static inline void inertia10_order(int k, const six *V, const inertia10 *M, inertia10 *Mk,
                                   inertia10 *rate) {
  inertia10 s = inertia10_rate(&M[k - 1], V[0]);
  for (int i = 1; i < k; i++) {
    const inertia10 r = inertia10_rate(&M[k - 1 - i], V[i]);
    s.h = v3_add(s.h, r.h);
    for (int j = 0; j < 6; j++) s.J[j] += r.J[j];
  }
  if (rate) *rate = s;
  if (!Mk) return;
  const double f = 1.0 / k;
  Mk->m = s.m;
  Mk->h = v3_times(f, s.h);
  for (int j = 0; j < 6; j++) Mk->J[j] = f * s.J[j];
}
static inline void inertia10_step(int k, const six *V, inertia10 *M) {
  inertia10_order(k, V, M, &M[k], NULL);
}
/* M_0..M_K and M'_0..M'_K from M_0 */
static inline void inertia10_jets(int K, const six *V, inertia10 *M, inertia10 *rate) {
  for (int k = 0; k <= K; k++) inertia10_order(k + 1, V, M, k < K ? &M[k + 1] : NULL, &rate[k]);
}

static inline sym6 inertia10_matrix(const inertia10 *M) {
  const real *J = M->J, o = M->m - M->m, x = M->h.x, y = M->h.y, z = M->h.z;
  sym6 I = {{J[0], J[1], J[2], J[3], J[4], J[5]},
            {o, -z, y, z, o, -x, -y, x, o},
            {M->m, o, o, M->m, o, M->m}};
  return I;
}

/* M V = (J w + h x v, m v - h x w) */
static inline six inertia10_apply(const inertia10 *M, six V) {
  return (six){v3_add(sym3_apply(M->J, V.w), v3_cross(M->h, V.v)),
               v3_sub(v3_scale(M->m, V.v), v3_cross(M->h, V.w))};
}
/* M (0, g) = (h x g, m g) */
static inline six inertia10_weight(const inertia10 *M, v3 g) {
  return (six){v3_cross(M->h, g), v3_scale(M->m, g)};
}
/* B s and B^T s, B a 6 x 6 matrix by columns */
static inline six matrix_apply(const six *B, six s) {
  const real x[6] = {s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z};
  six r = six_zero();
  for (int c = 0; c < 6; c++) r = six_add(r, six_scale(x[c], B[c]));
  return r;
}
static inline six matrix_apply_t(const six *B, six s) {
  real x[6];
  for (int c = 0; c < 6; c++) x[c] = six_dot(B[c], s);
  return (six){load_v3(x), load_v3(x + 3)};
}

#endif
