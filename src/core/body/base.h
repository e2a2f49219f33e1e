/* base.h (core): twist and wrench of a free base between representations, as jets.
 *
 * R: orientation, d: displacement from the present position, (w, v): body twist, and
 *   s = R w,   u = R v = d'
 *   spatial twist (s, u + d x s)     wrench (R n + d x f, f)     f = R f_body
 *   hybrid        (s, u)                    (R n, f)
 *   mixed         (w, u)                    (n, f)
 * R is stored by rows, so that R^T x is a sum of rows and R x a row of products. With s given,
 *   R' = [s] R,      rows   x' = s_y z - s_z y,  y' = s_z x - s_x z,  z' = s_x y - s_y x
 * and with w given (mixed) R' = R [w], each row r' = r x w. Spatial twists and wrenches are about the
 * base's present position (boundary_shift). */
#ifndef JOUNCE_CORE_BODY_BASE_H
#define JOUNCE_CORE_BODY_BASE_H

#include "core/body/joint.h"

/* one order: rows of R; d, s, u (mixed: w in the place of s); force f and moment n - d x f in world
 * axes (mixed: moment in the body); twist (w, v) and wrench in the body */
typedef struct base_jet {
  v3 row[3], d, s, u, f, n, w, v, torque, force;
} base_jet;

#if !defined(JN_BAKED) || defined(JN_PARTIALS)
static_assert(sizeof(base_jet) <= JN_SIZE_base_jet * sizeof(real), "JN_SIZE_base_jet in data.h");

INLINE base_jet *base_of(const jn_work *w) { return (base_jet *)(void *)w->base; }
#endif

/* sum_(i<=k) R_i^T x_(k-i), x a member of base_jet */
#define BASE_TO_BODY(out, b, k, x)               \
  v3 out = v3_columns_at((b)[0].row, &(b)[k].x); \
  EACH_COMPACT(i_##out, 1, k,                    \
               out = v3_add(out, v3_columns_at((b)[i_##out].row, &(b)[(k)-i_##out].x)))

/* order 0, from the rows of R; in registers: a load of what was just stored in parts would wait */
INLINE void base_place(base_jet *b, const v3 *row) {
  for (int j = 0; j < 3; j++) b->row[j] = row[j];
  b->d = v3_zero();
}

/* rows of R' += [s] R, mixed: R [w], one product of their jets */
INLINE void base_add_rate(int rep, const v3 *r, const v3 *w, v3 *rate) {
  const real *s = (const real *)(const void *)w; /* from memory: extracting would cost more */
  if (rep == JN_MIXED) {
    for (int j = 0; j < 3; j++) rate[j] = v3_add(rate[j], v3_cross(r[j], *w));
  } else {
    rate[0] = v3_sub(v3_add(rate[0], v3_scale(s[1], r[2])), v3_scale(s[2], r[1]));
    rate[1] = v3_sub(v3_add(rate[1], v3_scale(s[2], r[0])), v3_scale(s[0], r[2]));
    rate[2] = v3_sub(v3_add(rate[2], v3_scale(s[0], r[1])), v3_scale(s[1], r[0]));
  }
}
/* order k >= 1 of R and d, from s (mixed: w) and u of lower orders */
INLINE void base_step(int rep, int k, base_jet *b) {
  const double f = (double)1 / k;
  v3 rate[3] = {v3_zero(), v3_zero(), v3_zero()};
  EACH_COMPACT(i, 0, k - 1, base_add_rate(rep, b[i].row, &b[k - 1 - i].s, rate));
  for (int j = 0; j < 3; j++) b[k].row[j] = v3_times(f, rate[j]);
  b[k].d = v3_times(f, b[k - 1].u);
}

/* sum_(1<=i<=k) d_i x y_(k-i), y a member of base_jet */
#define BASE_ARM(out, b, k, y)                                                        \
  cross_sum sum_##out = cross_zero();                                                 \
  EACH_COMPACT(i_##out, 1, k,                                                         \
               sum_##out = cross_add(sum_##out, (b)[i_##out].d, (b)[(k)-i_##out].y)); \
  const v3 out = cross_end(sum_##out)

/* Order k of the body twist V from the spatial one, R and d known to order k-2:
 *   V' = Ad^-1 V_s',   so that order k needs R and d to order k-1 alone
 * n and f of order k-1 hold s' and u_s' - d x s', u of order k still u_s. */
INLINE six base_spatial_in(int k, base_jet *b) {
  const int j = k ? k - 1 : 0, rate = k ? k : 1;
  if (j) {
    BASE_ARM(arm, b, j - 1, s);
    b[j - 1].u = v3_sub(b[j - 1].u, arm);
    base_step(JN_SPATIAL, j, b);
  }
  b[j].n = v3_times(rate, b[k].s);
  BASE_ARM(arm, b, j, n);
  b[j].f = v3_sub(v3_times(rate, b[k].u), arm);
  BASE_TO_BODY(angular, b, j, n);
  BASE_TO_BODY(linear, b, j, f);
  return six_make(v3_times((double)1 / rate, angular), v3_times((double)1 / rate, linear));
}

/* the given twist of one order */
INLINE void base_give(base_jet *b, six in) {
  b->s = in.w;
  b->u = in.v;
}
/* order k of the body twist (w, v) from the given one, lower orders being known */
INLINE void base_twist_in(int rep, int k, base_jet *b) {
  six body;
  if (rep == JN_SPATIAL) {
    body = base_spatial_in(k, b);
  } else {
    if (k) base_step(rep, k, b);
    BASE_TO_BODY(linear, b, k, u);
    body = six_make(b[k].s, linear);
    if (rep != JN_MIXED) {
      BASE_TO_BODY(angular, b, k, s);
      body.w = angular;
    }
  }
  b[k].w = body.w;
  b[k].v = body.v;
}
/* Orders from..K, and the rows v. In two passes: while rows are stored, the compiler must take the
 * jets in memory for changed, and loads them again. */
INLINE void base_twists_in(int rep, int from, int K, int nv, base_jet *b, real *v) {
  EACH_COMPACT(k, from, K, base_twist_in(rep, k, b));
  EACH(k, from, K) store_six(v + k * nv, six_make(b[k].w, b[k].v));
}

/* order k of the body wrench tau from the given one */
INLINE void base_wrench_in(int rep, int k, base_jet *b, const real *in, real *tau) {
  b[k].n = load_v3(in);
  b[k].f = load_v3(in + 3);
  if (rep == JN_SPATIAL) {
    BASE_ARM(arm, b, k, f);
    b[k].n = v3_sub(b[k].n, arm);
  }
  BASE_TO_BODY(force, b, k, f);
  store_v3(tau + 3, force);
  if (rep == JN_MIXED) {
    store_v3(tau, b[k].n);
  } else {
    BASE_TO_BODY(moment, b, k, n);
    store_v3(tau, moment);
  }
}

/* sum_j += rows of R times x, which are summed at the end */
INLINE void base_add_rows(const v3 *row, v3 x, v3 *sum) {
  for (int j = 0; j < 3; j++) sum[j] = v3_add(sum[j], v3_mul(row[j], x));
}
/* sum_(i<=k) R_i x_(k-i), x a member of base_jet */
#define BASE_FROM_BODY(out, b, k, x)                                                           \
  v3 sum_##out[3];                                                                             \
  for (int j = 0; j < 3; j++) sum_##out[j] = v3_mul((b)[0].row[j], (b)[k].x);                  \
  EACH_COMPACT(i_##out, 1, k, base_add_rows((b)[i_##out].row, (b)[(k)-i_##out].x, sum_##out)); \
  const v3 out = v3_row_sums(sum_##out[0], sum_##out[1], sum_##out[2])

/* s and u of order k from the body twist v, R known to order k */
INLINE void base_follow(int rep, int k, base_jet *b, const real *v) {
  b[k].w = load_v3(v);
  b[k].v = load_v3(v + 3);
  BASE_FROM_BODY(u, b, k, v);
  b[k].u = u;
  if (rep == JN_MIXED) {
    b[k].s = b[k].w;
  } else {
    BASE_FROM_BODY(s, b, k, w);
    b[k].s = s;
  }
}

/* R and d of order k >= 1 from the body twist v; s and u of order 0 were given */
INLINE void base_advance(int rep, int k, int nv, base_jet *b, const real *v) {
  if (k > 1) base_follow(rep, k - 1, b, v + (k - 1) * nv);
  base_step(rep, k, b);
}

/* order k of the twist in `rep`, after base_follow */
INLINE six base_twist_out(int rep, int k, const base_jet *b) {
  if (rep != JN_SPATIAL) return six_make(b[k].s, b[k].u);
  BASE_ARM(arm, b, k, s);
  return six_make(b[k].s, v3_add(b[k].u, arm));
}

/* order k of the wrench (n, f) in `rep` from the body wrench (torque, force) */
INLINE void base_wrench_out(int rep, int k, base_jet *b) {
  BASE_FROM_BODY(f, b, k, force);
  b[k].f = f;
  b[k].n = b[k].torque;
  if (rep == JN_MIXED) return;
  BASE_FROM_BODY(n, b, k, torque);
  b[k].n = n;
  if (rep != JN_SPATIAL) return;
  BASE_ARM(arm, b, k, f);
  b[k].n = v3_add(n, arm);
}
/* Orders from..r, from the rows tau; the caller stores (n, f). Fourth components of the rows of R
 * are zero, so that those of the loads do not count. */
INLINE void base_wrenches_out(int rep, int from, int r, int nv, base_jet *b, const real *tau) {
  EACH(k, from, r) b[k].torque = load_first(tau + k * nv), b[k].force = load_second(tau + k * nv);
  EACH_COMPACT(k, from, r, base_wrench_out(rep, k, b));
}

#endif
