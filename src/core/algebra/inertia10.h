/* ten.h (core): the inertia of a body as ten numbers, and what it does. Include core/core.h
 * first. */
#ifndef JOUNCE_CORE_TEN_H
#define JOUNCE_CORE_TEN_H

/* ten numbers: mass, first moment, second moments xx xy xz yy yz zz */
typedef struct inertia10 {
  real m;
  v3 h;
  real J[6];
} inertia10;

/* (E2) in ten numbers:  h' = w x h + m v,  J' = [w] J - J [w] + 2 (v.h) 1 - h v^T - v h^T,  m' = 0
 */
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

/* M V = (J w + h x v, m v - h x w) */
static inline six inertia10_apply(const inertia10 *M, six V) {
  return (six){v3_add(sym3_apply(M->J, V.w), v3_cross(M->h, V.v)),
               v3_sub(v3_scale(M->m, V.v), v3_cross(M->h, V.w))};
}
/* six by six by columns: B s and B^T s */
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
