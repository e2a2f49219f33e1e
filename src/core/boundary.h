/* edge.h (core): between what the user holds (derivatives, any representation) and what the
 * algorithms work on (Taylor coefficients, body representation), and wrenches from outside. */
#ifndef JOUNCE_CORE_EDGE_H
#define JOUNCE_CORE_EDGE_H

#include <string.h>

static inline pose_jet free_pose(const jn_link *l, const jn_work *w, int rows) {
  real *X = (real *)w->X + (size_t)l->ix * rows;
  return (pose_jet){X, X + 18, 21, 21};
}
/* about which point of the joint's parent side the user's spatial twists and wrenches are: see
 * boundary_about_joint */
static inline v3 free_position(const jn_link *l, const jn_work *w) {
  return load_v3((const real *)w->boundary + l->iv);
}
static inline void boundary_about_origin(const jn_model *m, const jn_work *w) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    store_v3((real *)w->boundary + l->iv, load_v3((const real *)w->q + l->iq + 4));
  }
}

/* Spatial twists and wrenches of free joints, order-major rows x of *derivatives*, from the origin
 * to the joint's position p (sign -1) or back (+1). A wrench's moment n goes with its force f as a
 * twist's v with w: v = v + sign p x w,   n = n + sign p x f Far from the origin these cancel
 * digits: they must see the numbers as the user gave them. */
static inline void boundary_shift(const jn_model *m, const jn_work *w, real *x, int rows_used,
                                  int sign, int moment) {
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    v3 p = load_v3((const real *)w->q + l->iq + 4);
    for (int k = 0; k < rows_used; k++) {
      real *row = x + (size_t)k * m->nv + l->iv, *moved = moment ? row : row + 3,
           *by = moment ? row + 3 : row;
      v3 a = load_v3(moved), b = load_v3(by);
      store_v3(moved, sign > 0 ? v3_add_cross_exact(a, p, b) : v3_add_cross_exact(a, b, p));
    }
  }
}
static inline void boundary_about_joint(const jn_model *m, const jn_work *w) {
  for (int i = 0; i < m->nfree; i++)
    store_v3((real *)w->boundary + m->link[m->free_link[i]].iv, v3_zero());
}

/* rows from..to of an order-major array of jets */
static inline void boundary_copy(const jn_model *m, real *to_rows, const real *x, int from,
                                 int to) {
  const size_t nv = (size_t)m->nv, at = (size_t)from * nv;
  memcpy(to_rows + at, x + at, sizeof(real) * nv * (size_t)(to - from + 1));
}

/* The velocity of orders from..to, w->io -> w->v, and the transforms of free joints, which it
 * needs. `lazy`: in body representation the body formulation can do without those of a free base
 * beyond order 0. */
static inline void boundary_motion(const jn_model *m, const jn_work *w, int rows, int rep, int from,
                                   int to, int lazy) {
  const int nv = m->nv;
  boundary_copy(m, (real *)w->v, (const real *)w->io, from, to);
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    const real *q = (const real *)w->q + l->iq, *in = (const real *)w->io + l->iv;
    real *v = (real *)w->v + l->iv, *X = (real *)w->X + (size_t)l->ix * rows;
    if (from == 0) joint_place(l, q, q[0], q[0], X);
    for (int k = from; k <= to; k++) {
      if (k && (!lazy || rep != JN_BODY || l->parent >= 0)) joint_step(l, k, q, v, nv, X);
      if (rep != JN_BODY)
        twist_to_body(rep, k, free_pose(l, w, rows), free_position(l, w), in, nv, v, nv);
    }
  }
}

static inline void boundary_motion_in(const jn_model *m, const jn_work *w, int rows, int rep,
                                      int from, int to) {
  boundary_motion(m, w, rows, rep, from, to, 0);
}

/* w->v -> w->io, w->tau -> w->io, and w->io -> w->tau */
static inline void boundary_motion_out(const jn_model *m, const jn_work *w, int rows, int rep,
                                       int from, int to) {
  boundary_copy(m, (real *)w->io, (const real *)w->v, from, to);
  for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    for (int k = from; k <= to; k++)
      twist_from_body(rep, k, free_pose(l, w, rows), free_position(l, w),
                      (const real *)w->v + l->iv, m->nv, (real *)w->io + l->iv, m->nv);
  }
}
static inline void boundary_force_out(const jn_model *m, const jn_work *w, int rows, int rep,
                                      int from, int to) {
  boundary_copy(m, (real *)w->io, (const real *)w->tau, from, to);
  for (int i = 0; rep != JN_BODY && i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    for (int k = from; k <= to; k++)
      wrench_from_body(rep, k, free_pose(l, w, rows), free_position(l, w),
                       (const real *)w->tau + l->iv, m->nv, (real *)w->io + l->iv, m->nv);
  }
}
static inline void boundary_force_in(const jn_link *l, const jn_work *w, int rows, int nv, int rep,
                                     int k, const real *in, real *tau) {
  if (l->kind == JN_K_FREE)
    wrench_to_body(rep, k, free_pose(l, w, rows), free_position(l, w), in, nv, tau, nv);
  else
    for (int j = 0; j < l->nv; j++) tau[k * nv + j] = in[k * nv + j];
}

/* E: pose of every link in its parent, rotation row-major, from X_0. */
static inline void place_links(const jn_model *m, const jn_work *w, int rows) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    real *E = (real *)w->E + 12 * (size_t)i;
    v3 c[3], p;
    joint_place_in_parent(l, (const real *)w->q + l->iq, (const real *)w->X + (size_t)l->ix * rows,
                          c, &p);
    for (int j = 0; j < 3; j++) E[j] = v3_x(c[j]), E[3 + j] = v3_y(c[j]), E[6 + j] = v3_z(c[j]);
    store_v3(E + 9, p);
  }
}

/* R_0, P_0 = 0 and O of every link in the world, O counted from the base; returns the base's
 * position. */
static inline v3 place_world(const jn_model *m, const jn_work *w, int rows) {
  v3 base = load_v3((const real *)w->E + 9);
  for (int i = 0; i < m->nlink; i++) {
    int parent = m->link[i].parent;
    const real *E = (const real *)w->E + 12 * (size_t)i;
    real *R = (real *)w->R + 9 * (size_t)i * rows, *O = (real *)w->O + 3 * (size_t)i;
    store_v3((real *)w->P + 3 * (size_t)i * rows, v3_zero());
    if (parent < 0) {
      for (int j = 0; j < 9; j++) R[j] = E[j];
      store_v3(O, v3_zero());
      continue;
    }
    const real *Rp = (const real *)w->R + 9 * (size_t)parent * rows;
    m3_mul(Rp, E, R);
    store_v3(
        O, v3_add(load_v3((const real *)w->O + 3 * (size_t)parent), m3_apply(Rp, load_v3(E + 9))));
  }
  return base;
}

static inline pose_jet link_pose(const jn_work *w, int rows, int i) {
  const size_t at = (size_t)i * (size_t)rows;
  return (pose_jet){(real *)w->R + 9 * at, (real *)w->P + 3 * at, 9, 3};
}

/* World pose jet of link i at order k >= 1, and G_k = sum [P_i] R_(k-i). `stride`, `linear`: how
 * the engine that made V lays out a six. */
static inline void link_pose_step(const jn_work *w, int rows, int i, int k, int stride,
                                  int linear) {
  pose_jet c = link_pose(w, rows, i);
  pose_step_at(k, (const real *)w->V + (size_t)stride * (size_t)i * rows, stride, linear, c);
  m3 G = m3_zero();
  for (int j = 1; j <= k; j++) m3_add_hat_mul(load_v3(c.p + 3 * j), c.R + 9 * (k - j), G.m);
  real *g = (real *)w->G + 9 * ((size_t)i * rows + k);
  for (int j = 0; j < 9; j++) g[j] = G.m[j];
}

/* The same in the spatial formulation, whose twists are the true ones: R' = [w] R, P' = v + w x (O
 * + P). */
static inline void spatial_pose_step(const jn_work *w, int rows, int i, int k) {
  pose_jet c = link_pose(w, rows, i);
  const six *V = (const six *)w->Vs + (size_t)i * rows;
  v3 d = v3_add(V[k - 1].v, v3_cross(V[k - 1].w, load_v3((const real *)w->O + 3 * (size_t)i)));
  m3 r = m3_zero(), G = m3_zero();
  for (int j = 0; j < k; j++) {
    m3_add_hat_mul(V[k - 1 - j].w, c.R + 9 * j, r.m);
    if (j) d = v3_add(d, v3_cross(V[k - 1 - j].w, load_v3(c.p + 3 * j)));
  }
  double f = (double)1 / k;
  for (int j = 0; j < 9; j++) c.R[9 * k + j] = f * r.m[j];
  store_v3(c.p + 3 * k, v3_times(f, d));
  for (int j = 1; j <= k; j++) m3_add_hat_mul(load_v3(c.p + 3 * j), c.R + 9 * (k - j), G.m);
  real *g = (real *)w->G + 9 * ((size_t)i * rows + k);
  for (int j = 0; j < 9; j++) g[j] = G.m[j];
}

/* Order k of one wrench from outside (Taylor coefficients in[k x 6]) in the frame of link i.
 * (RE, pE): the frame it is given at, in the link's frame, by columns of four. position: the link's
 * in the world. body     n = RE n + pE x f, f = RE f          hybrid  n = R^T n + pE x f, f = R^T f
 *   mixed    n = RE n + pE x f, f = R^T f         spatial n = R^T (n - p x f), f = R^T f */
static inline six external_order(int rep, const jn_work *w, int rows, int i, int k,
                                 const double *RE, const double *pE, v3 position, const real *in) {
  pose_jet c = link_pose(w, rows, i);
  v3 n,
      f = rep == JN_BODY ? c_columns(RE, load_v3(in + 6 * k + 3)) : unrotate_order(k, c, in + 3, 6);
  if (rep == JN_BODY || rep == JN_MIXED) {
    n = c_columns(RE, load_v3(in + 6 * k));
  } else if (rep == JN_HYBRID) {
    n = unrotate_order(k, c, in, 6);
  } else {
    const real *G = (const real *)w->G + 9 * (size_t)i * rows;
    n = v3_zero();
    for (int j = 0; j <= k; j++) {
      v3 nj = load_v3(in + 6 * (k - j)), fj = load_v3(in + 6 * (k - j) + 3);
      n = v3_add(n, m3_apply_t(c.R + 9 * j, v3_add_cross_exact(nj, fj, position)));
      /* R^T (f x P) = ([P] R)^T f */
      if (j) n = v3_add(n, m3_apply_t(G + 9 * j, fj));
    }
    return (six){n, f};
  }
  return (six){v3_add(n, c_cross_v3(pE, f)), f};
}

#endif
