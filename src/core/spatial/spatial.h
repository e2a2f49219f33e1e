/* spatial.h (core): the spatial (right-invariant) formulation, algorithms 1 to 4 of ali2026 as
 * jets, with joints of any number of degrees of freedom.
 *
 * World axes; the origin is the present position of the base, a point fixed in the world, so that
 * no digits are lost far from the world's origin. V, S, M, W of link i and order k; S by columns of
 * v; G = (0, gravity):
 *   k S_k = sum_(i<k) ad(V_i) S_(k-1-i)
 *   V_k   = Vparent_k + sum_(i<=k) S_i v_(k-i)
 *   k M_k = -sum_(i<k) (M_(k-1-i) ad(V_i) + ad(V_i)^T M_(k-1-i))
 *   W_k   = (k+1) sum_(i<=k+1) M_i V_(k+1-i) - Wapp_k - M_k G + children
 *   tau_k = sum_(i<=k) S_i^T W_(k-i) + armature (k+1) v_(k+1) + damping v_k */
#ifndef JOUNCE_CORE_SPATIAL_SPATIAL_H
#define JOUNCE_CORE_SPATIAL_SPATIAL_H

#include "core/body/aba.h"
#include "core/poses.h"

/* Screw of column j of link i at this instant: S = Ad_C (column in the link frame). */
static inline six spatial_screw(const jn_model *m, const jn_work *w, int i, int j) {
  const real *R = R_of(w, i);
  const six s = joint_column(&m->link[i], j);
  const v3 a = m3_apply(R, s.w);
  return (six){a, v3_add(m3_apply(R, s.v), v3_cross(load_v3(O_of(w, i)), a))};
}
static inline void spatial_screws(const jn_model *m, const jn_work *w, int i) {
  const jn_link *l = &m->link[i];
  for (int j = 0; j < l->nv; j++) *S_of(w, l->iv + j) = spatial_screw(m, w, i, j);
}

/* Of a link whose first column of screws is S, columns `rows` apart:
 *   screw_step    k S_k = sum_(i<k) ad(V_i) S_(k-1-i)
 *   screw_twist   sum_(i=first..k) S_i v_(k-i), summed over the columns */
static inline void screw_step(const jn_link *l, six *S, int rows, int k, const six *V) {
  for (int j = 0; j < l->nv; j++, S += rows) {
    six s = six_zero();
    for (int i = 0; i < k; i++) s = six_add(s, six_ad(V[i], S[k - 1 - i]));
    S[k] = six_times(1.0 / k, s);
  }
}
static inline six screw_twist(const jn_link *l, const jn_work *w, const six *S, int nv, int k,
                              int first) {
  six s = six_zero();
  for (int j = 0; j < l->nv; j++, S += w->rows) {
    const real *v = v_of(w, l->iv) + j;
    for (int i = first; i <= k; i++) s = six_add(s, six_scale(v[(k - i) * nv], S[i]));
  }
  return s;
}
static inline void spatial_screw_step(const jn_link *l, const jn_work *w, int k, const six *V) {
  screw_step(l, S_of(w, l->iv), w->rows, k, V);
}
static inline six spatial_joint_twist(const jn_link *l, const jn_work *w, int nv, int k,
                                      int first) {
  return screw_twist(l, w, S_of(w, l->iv), nv, k, first);
}

/* Algorithm 1: screws and twists of orders from..to; those below are known. */
INLINE void spatial_link_kinematics(const jn_model *m, const jn_work *w, int i, int from, int to) {
  const jn_link *l = &m->link[i];
  six *V = Vs_of(w, i);
  const six *Vp = Vs_of(w, (l->parent < 0 ? 0 : l->parent));
  if (from == 0) spatial_screws(m, w, i);
  for (int k = from; k <= to; k++) {
    if (k) spatial_screw_step(l, w, k, V);
    V[k] = spatial_joint_twist(l, w, m->nv, k, 0);
    if (l->parent >= 0) V[k] = six_add(V[k], Vp[k]);
  }
}
static inline void spatial_kinematics_orders(const jn_model *m, const jn_work *w, int from,
                                             int to) {
  for (int i = 0; i < m->nlink; i++) spatial_link_kinematics(m, w, i, from, to);
}
static inline void spatial_kinematics(const jn_model *m, const jn_work *w, int K) {
  spatial_kinematics_orders(m, w, 0, K);
}

/* Inertia of a link with orientation R, about its centre of mass: m, R J R^T; in the place of the
 * first moment R c, from the link's origin to the centre of mass. */
INLINE inertia10 link_inertia(const jn_link *l, const real *R) {
  inertia10 M;
  real J[6];
  for (int j = 0; j < 6; j++) J[j] = l->J[j];
  sym3_rotate(R, J, M.J);
  M.m = l->m;
  M.h = m3_apply(R, v3_make(l->c[0], l->c[1], l->c[2]));
  return M;
}

/* inertia at the present pose about the base's position: c = R c + O, J = R J R^T - m [c][c] */
INLINE inertia10 spatial_inertia(const jn_model *m, const jn_work *w, int i) {
  const real *R = R_of(w, i);
  inertia10 M = link_inertia(&m->link[i], R);
  inertia10_about_origin(&M, v3_add(load_v3(O_of(w, i)), M.h));
  return M;
}

/* momentum of order k: sum_(i=first..k) M_i V_(k-i) */
static inline six spatial_momentum(int k, int first, const inertia10 *M, const six *V) {
  six s = six_zero();
  for (int i = first; i <= k; i++) s = six_add(s, inertia10_apply(&M[i], V[k - i]));
  return s;
}

/* sum_(i=first..k) S_i^T W_(k-i) */
static inline real spatial_project(int k, int first, const six *S, const six *W) {
  real s = W[0].w.x * 0.0;
  for (int i = first; i <= k; i++) s += six_dot(S[i], W[k - i]);
  return s;
}

/* Inertia jets 0..K of every link, from the twists. */
static inline void spatial_inertias(const jn_model *m, const jn_work *w, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const six *V = Vs_of(w, i);
    inertia10 *M = Ms_of(w, i);
    M[0] = spatial_inertia(m, w, i);
    for (int k = 1; k <= K; k++) inertia10_step(k, V, M);
  }
}

/* Algorithm 2 (inverse dynamics). w->ext: spatial wrenches. */
static inline void spatial_inverse(const jn_model *m, const jn_work *w, const jn_settings *set,
                                   int r, int external) {
  int nv = m->nv;
  const v3 g = settings_gravity(set);
  spatial_inertias(m, w, r + 1);
  for (int i = 0; i < m->nlink; i++) {
    const six *V = Vs_of(w, i);
    const inertia10 *M = Ms_of(w, i);
    six *W = Ws_of(w, i);
    for (int k = 0; k <= r; k++) {
      W[k] = six_times(k + 1, spatial_momentum(k + 1, 0, M, V));
      W[k] = six_sub(W[k], inertia10_weight(&M[k], g));
      if (external) W[k] = six_sub(W[k], ext_of(w, i)[k]);
    }
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const six *W = Ws_of(w, i);
    for (int j = 0; j < l->nv; j++) {
      const real *v = v_of(w, l->iv) + j;
      real *tau = tau_of(w, l->iv) + j;
      for (int k = 0; k <= r; k++) {
        tau[k * nv] = spatial_project(k, 0, S_of(w, l->iv + j), W) +
                      (l->armature * (k + 1)) * v[(k + 1) * nv];
        if (set->damping) tau[k * nv] += l->damping * v[k * nv];
      }
    }
    if (l->parent < 0) continue;
    six *Wp = Ws_of(w, l->parent);
    for (int k = 0; k <= r; k++) Wp[k] = six_add(Wp[k], W[k]);
  }
}

/* The inertia a that link i passes to its parent: IA, reduced by the degrees of freedom of its joint
 * with columns S unless it is prescribed. Returns 0 when the joint is singular. */
static inline int articulate_link(const jn_link *l, const jn_work *w, int i, const six *S,
                                  const unsigned char *prescribed, sym6 *a) {
  sym6 *IA = IA_of(w, i);
  sym6_complete(IA);
  *a = *IA;
  if (!l->nv || is_prescribed(prescribed, l)) return 1;
  return joint_eliminate(l->nv, S, l->armature, a, D_of(w, l->iv), UA_of(w, l->iv));
}

/* Articulated inertias of algorithms 3 and 4, once for all orders (Lemma 2). Returns a singular
 * joint, or -1. */
static inline int spatial_articulated_inertias(const jn_model *m, const jn_work *w,
                                               const unsigned char *prescribed) {
  sym6 *IA = IA_of(w, 0);
  int bad = -1;
  for (int i = 0; i < m->nlink; i++) IA[i] = inertia10_matrix(Ms_of(w, i));
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    six S[6];
    sym6 a;
    for (int j = 0; j < l->nv; j++) S[j] = *S_of(w, l->iv + j);
    if (!articulate_link(l, w, i, S, prescribed, &a) && bad < 0) bad = l->joint;
    if (l->parent >= 0) sym6_add(&IA[l->parent], &a);
  }
  return bad;
}

/* Bias terms of order k:
 *   S_(k+1), M_(k+1)
 *   b = (k+1) sum_(i>=1) S_i v_(k+1-i)
 *   p = (k+1) sum_(i>=1) M_i V_(k+1-i) - Wapp_k - M_k G */
static inline void spatial_bias_terms(const jn_model *m, const jn_work *w, const jn_settings *set,
                                      int k, int external) {
  const v3 g = settings_gravity(set);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *V = Vs_of(w, i);
    inertia10 *M = Ms_of(w, i);
    spatial_screw_step(l, w, k + 1, V);
    inertia10_step(k + 1, V, M);
    *b_of(w, i) = six_times(k + 1, spatial_joint_twist(l, w, m->nv, k + 1, 1));
    six p = six_times(k + 1, spatial_momentum(k + 1, 1, M, V));
    p = six_sub(p, inertia10_weight(&M[k], g));
    if (external) p = six_sub(p, ext_of(w, i)[k]);
    *p_of(w, i) = p;
  }
}

/* Order 0 of twists and inertias, articulated inertias. Returns a singular joint, or -1. */
static inline int spatial_start(const jn_model *m, const jn_work *w, const jn_settings *set,
                                const unsigned char *prescribed) {
  (void)set;
  spatial_kinematics(m, w, 0);
  spatial_inertias(m, w, 0);
  return spatial_articulated_inertias(m, w, prescribed);
}

/* Backward pass of order k; w->e as in aba_inward. */
static inline void spatial_inward(const jn_model *m, const jn_work *w, int k,
                                  const unsigned char *prescribed) {
  six *p = p_of(w, 0);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const sym6 *IA = IA_of(w, i);
    const six *W = Ws_of(w, i);
    real *e = e_of(w, l->iv), t[6];
    six pa = six_add(p[i], sym6_apply(IA, *b_of(w, i)));
    if (is_prescribed(prescribed, l)) {
      six a = six_zero();
      for (int j = 0; j < l->nv; j++) a = six_add(a, six_scale(e[j], *S_of(w, l->iv + j)));
      pa = six_add(pa, sym6_apply(IA, a));
    } else if (l->nv) {
      const six *UA = UA_of(w, l->iv);
      for (int j = 0; j < l->nv; j++) {
        const six *S = S_of(w, l->iv + j);
        e[j] -= six_dot(S[0], pa);
        /* sum_(1<=i<=k) S_i^T W_(k-i) */
        for (int h = 1; h <= k; h++) e[j] -= six_dot(S[h], W[k - h]);
        t[j] = e[j];
      }
      joint_solve(l->nv, D_of(w, l->iv), t);
      for (int j = 0; j < l->nv; j++) pa = six_add(pa, six_scale(t[j], UA[j]));
    }
    if (l->parent >= 0) p[l->parent] = six_add(p[l->parent], pa);
  }
}

/* Forward pass of order k. */
static inline void spatial_outward(const jn_model *m, const jn_work *w, int k,
                                   const unsigned char *prescribed, int damping) {
  int nv = m->nv;
  double inverse = 1.0 / (k + 1);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = Vs_of(w, i), *W = Ws_of(w, i);
    real *e = e_of(w, l->iv), *v = v_of(w, l->iv), *tau = tau_of(w, l->iv);
    const int given = is_prescribed(prescribed, l);
    six a = six_zero();
    if (l->parent >= 0) a = six_times(k + 1, Vs_of(w, l->parent)[k + 1]);
    if (!given && l->nv) {
      for (int j = 0; j < l->nv; j++) e[j] -= six_dot(*UA_of(w, l->iv + j), a);
      joint_solve(l->nv, D_of(w, l->iv), e);
    }
    for (int j = 0; j < l->nv; j++) a = six_add(a, six_scale(e[j], *S_of(w, l->iv + j)));
    a = six_add(a, *b_of(w, i));
    V[k + 1] = six_times(inverse, a);
    W[k] = six_add(sym6_apply(IA_of(w, i), a), *p_of(w, i));
    for (int j = 0; j < l->nv; j++) {
      if (!given) {
        v[(k + 1) * nv + j] = inverse * e[j];
        continue;
      }
      tau[k * nv + j] = spatial_project(k, 0, S_of(w, l->iv + j), W) + l->armature * e[j];
      if (damping) tau[k * nv + j] += l->damping * v[k * nv + j];
    }
  }
}

/* Bias terms with order 0 as a constant. */
static inline void spatial_first_terms(const jn_model *m, const jn_work *w, const jn_settings *set,
                                       int external) {
  spatial_bias_terms(m, w, set, 0, external);
}

/* Solves order k; then, if `more`, the bias terms of order k+1. */
static inline void spatial_solve(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                                 const unsigned char *prescribed, int external, int more) {
  spatial_inward(m, w, k, prescribed);
  spatial_outward(m, w, k, prescribed, set->damping);
  if (more) spatial_bias_terms(m, w, set, k + 1, external);
}

#endif
