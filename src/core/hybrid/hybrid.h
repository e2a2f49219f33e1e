/* hybrid.h (core): the hybrid formulation, (75) and (76) of mueller2018 as jets, with joints of any
 * number of degrees of freedom; and the equations of the mixed formulation, (56) and (57), of
 * mixed.h.
 *
 * Twists and wrenches of link i are at its own origin. u: velocity of the origin in world axes; r:
 * from the parent's origin to the link's; s: velocity of the joint in the link frame.
 *
 * Hybrid: angular parts in world axes. a: an axis of the link; d: from its origin to its centre of
 * mass; J: inertia tensor about the centre of mass; all in world axes.
 *   k a_k = sum_(i<k) w_i x a_(k-1-i), the same for d
 *   k J_k = sum_(i<k) [w_i] J_(k-1-i) - J_(k-1-i) [w_i]
 *   r_k   = (u - uparent)_(k-1) / k
 *   w_k   = wparent_k + sum_i a_i s.w_(k-i)
 *   u_k   = uparent_k + sum_i wparent_i x r_(k-i) + sum_i a_i s.v_(k-i)
 *   f_k   = (k+1) m (u + d')_(k+1) - m g + children      g at order 0 only: constant in world axes
 *   n_k   = (k+1) sum_i J_i w_(k+1-i) + sum_i d_i x (own f)_(k-i)
 *           + children (n_k + sum_i r_i x f_(k-i))
 *
 * Mixed: angular parts in link axes. R: axes of the link; c: its centre of mass in it; p: origin of
 * the joint in the parent; e: displacement of the joint in link axes.
 *   w_k   = sum_i Q_i^T (T^T wparent)_(k-i) + s.w_k,   k R_k = sum_(i<k) R_i [w_(k-1-i)]
 *   u_k   = uparent_k + (k+1) (Rparent p + R e)_(k+1)
 *   k e_k = s.v_(k-1) - sum_(i<k) s.w_i x e_(k-1-i)
 *   f_k   = (k+1) m (u_(k+1) + (k+2) R_(k+2) c) - m g + children
 *   n_k   = (k+1) J w_(k+1) + sum_i w_i x J w_(k-i) + c x R^T (own f)
 *           + children (T Q (n + e x R^T f) + p x Rparent^T f) */
#ifndef JOUNCE_CORE_HYBRID_HYBRID_H
#define JOUNCE_CORE_HYBRID_HYBRID_H

#include "core/spatial/spatial.h"

/* axis_of(w, 3 * i + c): axis c of link i in the world, orders 0..rows; for a joint with one degree
 * of freedom the hybrid form keeps z only. reach_of(w, i): r (hybrid) or e (mixed) of link i. */

/* link axes first..2 that the joint moves about (turns) or along (slides) */
typedef struct freedom {
  int first, turns, slides;
} freedom;

static const freedom all_axes = {0, 1, 1};

static inline freedom freedom_of(const jn_link *l) {
  if (!l->nv) return (freedom){3, 0, 0};
  v3 a = joint_column(l, 0).w, b = joint_column(l, l->nv - 1).v;
  return (freedom){l->nv == 1 ? 2 : 0, v3_dot(a, a) > 0, v3_dot(b, b) > 0};
}

/* sum_(i=first..k) R_i x_(k-i) over those axes, and the same with R^T; x in rows of six reals */
static inline v3 axes_sum(const jn_work *w, int i, freedom f, int k, int first, const real *x) {
  v3 s = v3_zero();
  for (int c = f.first; c < 3; c++) {
    const v3 *a = axis_of(w, 3 * i + c);
    for (int h = first; h <= k; h++) s = v3_add(s, v3_scale(x[6 * (k - h) + c], a[h]));
  }
  return s;
}
static inline v3 axes_project(const jn_work *w, int i, freedom f, int k, int first, const real *x) {
  real t[3];
  store_v3(t, v3_zero()); /* not 0 * x: x may hold NaN from an earlier call */
  for (int c = f.first; c < 3; c++) {
    const v3 *a = axis_of(w, 3 * i + c);
    for (int h = first; h <= k; h++) t[c] += v3_dot(a[h], load_v3(x + 6 * (k - h)));
  }
  return load_v3(t);
}

/* sum_(i=first..k) a_i x b_(k-i), b in rows of six reals */
static inline v3 cross_sixes(int k, int first, const v3 *a, const real *b) {
  v3 s = v3_zero();
  for (int h = first; h <= k; h++) s = v3_add(s, v3_cross(a[h], load_v3(b + 6 * (k - h))));
  return s;
}

/* order 0 of axes, and of r */
static inline void place_axes(const jn_work *w, int i, freedom f) {
  const real *R = R_of(w, i);
  for (int c = f.first; c < 3; c++) axis_of(w, 3 * i + c)[0] = v3_make(R[c], R[3 + c], R[6 + c]);
}
static inline void hybrid_place(const jn_model *m, const jn_work *w, int i, freedom f) {
  const real *O = (const real *)w->O;
  int parent = m->link[i].parent;
  place_axes(w, i, f);
  if (parent >= 0)
    *reach_of(w, i) = v3_sub(load_v3(O + 3 * (size_t)i), load_v3(O + 3 * (size_t)parent));
}

/* Order k of axes and r from twists below order k. */
static inline void hybrid_step(const jn_model *m, const jn_work *w, int i, freedom f, int k) {
  const six *V = Vs_of(w, i);
  int parent = m->link[i].parent;
  for (int c = f.first; c < 3; c++) {
    v3 *a = axis_of(w, 3 * i + c), s = v3_zero();
    for (int h = 0; h < k; h++) s = v3_add(s, v3_cross(V[h].w, a[k - 1 - h]));
    a[k] = v3_times(1.0 / k, s);
  }
  if (parent < 0) return;
  const six *Vp = Vs_of(w, parent);
  reach_of(w, i)[k] = v3_times(1.0 / k, v3_sub(V[k - 1].v, Vp[k - 1].v));
}

/* Order k of the twist relative to the parent's, including wparent x r: terms with axes and r of
 * orders first..k. */
static inline six hybrid_joint_twist(const jn_model *m, const jn_work *w, int i, freedom f, int k,
                                     int first) {
  const six *s = Vj_of(w, i);
  int parent = m->link[i].parent;
  six V = six_zero();
  if (f.turns) V.w = axes_sum(w, i, f, k, first, &s[0].w.x);
  if (f.slides) V.v = axes_sum(w, i, f, k, first, &s[0].v.x);
  if (parent < 0) return V;
  const six *Vp = Vs_of(w, parent);
  V.v = v3_sub(V.v, cross_sixes(k, first, reach_of(w, i), &Vp[0].w.x));
  return V;
}

static inline void hybrid_kinematics(const jn_model *m, const jn_work *w, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = Vs_of(w, i), *s = Vj_of(w, i);
    freedom f = freedom_of(l);
    hybrid_place(m, w, i, f);
    for (int k = 0; k <= K; k++) {
      if (k) hybrid_step(m, w, i, f, k);
      s[k] = joint_add_velocity(l, six_zero(), v_of(w, l->iv) + k * m->nv);
      V[k] = hybrid_joint_twist(m, w, i, f, k, 0);
      if (l->parent >= 0) V[k] = six_add(V[k], Vs_of(w, l->parent)[k]);
    }
  }
}

static inline v3 lever_rate(int k, int last, const six *V, const inertia10 *M) {
  v3 s = v3_zero();
  for (int h = 0; h <= last; h++) s = v3_add(s, v3_cross(V[h].w, M[k - h].h));
  return s;
}
static inline void tensor_step(int k, const six *V, inertia10 *M) {
  real s[6] = {M[0].m * 0.0, M[0].m * 0.0, M[0].m * 0.0, M[0].m * 0.0, M[0].m * 0.0, M[0].m * 0.0};
  for (int h = 0; h < k; h++) {
    const real *J = M[k - 1 - h].J;
    v3 w = V[h].w;
    s[0] += w.y * J[2] - w.z * J[1];
    s[1] += (w.y * J[4] - w.z * J[3]) + (w.z * J[0] - w.x * J[2]);
    s[2] += (w.y * J[5] - w.z * J[4]) + (w.x * J[1] - w.y * J[0]);
    s[3] += w.z * J[1] - w.x * J[4];
    s[4] += (w.z * J[2] - w.x * J[5]) + (w.x * J[3] - w.y * J[1]);
    s[5] += w.x * J[4] - w.y * J[2];
  }
  double f = 1.0 / k;
  for (int j = 0; j < 6; j++) M[k].J[j] = (j == 0 || j == 3 || j == 5 ? 2 * f : f) * s[j];
}
/* sum_(i=first..k) J_i w_(k-i) */
static inline v3 hybrid_spin(int k, int first, const inertia10 *M, const six *V) {
  v3 s = v3_zero();
  for (int h = first; h <= k; h++) s = v3_add(s, sym3_apply(M[h].J, V[k - h].w));
  return s;
}
/* sum_(i=first..k) d_i x f_(k-i) */
static inline v3 lever_moment(int k, int first, const inertia10 *M, const v3 *f) {
  v3 s = v3_zero();
  for (int h = first; h <= k; h++) s = v3_add(s, v3_cross(M[h].h, f[k - h]));
  return s;
}

/* Net wrench on link i minus gravity and applied wrenches, orders 0..r. */
static inline void hybrid_wrench(const jn_model *m, const jn_work *w, int i, int r, v3 g,
                                 int external) {
  const jn_link *l = &m->link[i];
  const six *V = Vs_of(w, i);
  inertia10 *M = Ms_of(w, i);
  six *W = Ws_of(w, i);
  v3 *own = own_of(w, i);
  M[0] = link_inertia(l, R_of(w, i));
  for (int k = 0;; k++) {
    v3 rate = lever_rate(k, k, V, M);
    if (k) own[k - 1] = v3_times(l->m * k, v3_add(V[k].v, rate));
    if (k > r) break;
    M[k + 1].h = v3_times(1.0 / (k + 1), rate);
    tensor_step(k + 1, V, M);
  }
  own[0] = v3_sub(own[0], v3_times(l->m, g));
  for (int k = 0; k <= r; k++) {
    v3 n = v3_times(k + 1, hybrid_spin(k + 1, 0, M, V));
    W[k] = (six){v3_add(n, lever_moment(k, 0, M, own)), own[k]};
    if (external) W[k] = six_sub(W[k], ext_of(w, i)[k]);
  }
}

/* Joint forces of order k for the wrench t through the joint, in link axes. */
static inline void put_force(const jn_model *m, const jn_work *w, int i, int k, six t,
                             int damping) {
  const jn_link *l = &m->link[i];
  const real *v = v_of(w, l->iv);
  real *tau = tau_of(w, l->iv) + k * m->nv;
  joint_project(l, t, tau);
  for (int j = 0; j < l->nv; j++) {
    tau[j] += (l->armature * (k + 1)) * v[(k + 1) * m->nv + j];
    if (damping) tau[j] += l->damping * v[k * m->nv + j];
  }
}

static inline six hybrid_project(const jn_work *w, int i, freedom f, int k, int first) {
  const six *W = Ws_of(w, i);
  return (six){f.turns ? axes_project(w, i, f, k, first, &W[0].w.x) : v3_zero(),
               f.slides ? axes_project(w, i, f, k, first, &W[0].v.x) : v3_zero()};
}

static inline void hybrid_inverse(const jn_model *m, const jn_work *w, const jn_settings *set,
                                  int r, int external) {
  const v3 g = settings_gravity(set);
  for (int i = 0; i < m->nlink; i++) hybrid_wrench(m, w, i, r, g, external);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const six *W = Ws_of(w, i);
    int parent = m->link[i].parent;
    freedom f = freedom_of(&m->link[i]);
    for (int k = 0; k <= r; k++) put_force(m, w, i, k, hybrid_project(w, i, f, k, 0), set->damping);
    if (parent < 0) continue;
    six *Wp = Ws_of(w, parent);
    for (int k = 0; k <= r; k++) {
      Wp[k] = six_add(Wp[k], W[k]);
      Wp[k].w = v3_add(Wp[k].w, cross_sixes(k, 0, reach_of(w, i), &W[0].v.x));
    }
  }
}

/* Forward dynamics, order by order as in spatial.h, with IA at the link's origin:
 *   a   = (aparent.w, aparent.v + aparent.w x r_0) + S x + b
 *   W_k = IA a + p
 * with a = (k+1) V_(k+1), x = (k+1) v_(k+1). */

/* column j of the joint, order 0, in world axes */
static inline six hybrid_column(const jn_work *w, const jn_link *l, int i, int j) {
  six s = joint_column(l, j);
  freedom f = freedom_of(l);
  return (six){axes_sum(w, i, f, 0, 0, &s.w.x), axes_sum(w, i, f, 0, 0, &s.v.x)};
}

/* Order 0 of twists and inertias, articulated inertias and factors. Returns a singular joint, or
 * -1. */
static inline int hybrid_start(const jn_model *m, const jn_work *w, const jn_settings *set,
                               const unsigned char *prescribed) {
  (void)set;
  sym6 *IA = IA_of(w, 0);
  int bad = -1;
  hybrid_kinematics(m, w, 0);
  for (int i = 0; i < m->nlink; i++) {
    inertia10 *M = Ms_of(w, i);
    M[0] = link_inertia(&m->link[i], R_of(w, i));
    inertia10 about = M[0];
    inertia10_about_origin(&about, M[0].h);
    IA[i] = inertia10_matrix(&about);
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    six S[6];
    sym6 a;
    for (int j = 0; j < l->nv; j++) S[j] = hybrid_column(w, l, i, j);
    if (!articulate_link(l, w, i, S, prescribed, &a) && bad < 0) bad = l->joint;
    if (l->parent < 0) continue;
    sym6_shift(&a, *reach_of(w, i));
    sym6_add(&IA[l->parent], &a);
  }
  return bad;
}

/* Bias terms of order k: axes, r, d, J of order k+1, b, p, and the own force without its term in
 * a. */
static inline void hybrid_bias_terms(const jn_model *m, const jn_work *w, const jn_settings *set,
                                     int k, int external) {
  const v3 g = settings_gravity(set);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *V = Vs_of(w, i);
    inertia10 *M = Ms_of(w, i);
    v3 *own = own_of(w, i);
    freedom f = freedom_of(l);
    Vj_of(w, i)[k] = joint_add_velocity(l, six_zero(), v_of(w, l->iv) + k * m->nv);
    hybrid_step(m, w, i, f, k + 1);
    M[k + 1].h = v3_times(1.0 / (k + 1), lever_rate(k, k, V, M));
    tensor_step(k + 1, V, M);
    *b_of(w, i) = six_times(k + 1, hybrid_joint_twist(m, w, i, f, k + 1, 1));
    own[k] = v3_times(l->m * (k + 1), lever_rate(k + 1, k, V, M));
    if (k == 0) own[0] = v3_sub(own[0], v3_times(l->m, g));
    six p = {v3_times(k + 1, hybrid_spin(k + 1, 1, M, V)), own[k]};
    p.w = v3_add(p.w, lever_moment(k, 0, M, own));
    if (external) p = six_sub(p, ext_of(w, i)[k]);
    *p_of(w, i) = p;
  }
}

/* Backward pass of order k; w->e as in aba_inward. */
static inline void hybrid_inward(const jn_model *m, const jn_work *w, int k,
                                 const unsigned char *prescribed) {
  six *p = p_of(w, 0);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const sym6 *IA = IA_of(w, i);
    const six *W = Ws_of(w, i), *UA = UA_of(w, l->iv);
    freedom f = freedom_of(l);
    real *e = e_of(w, l->iv), t[6];
    six pa = six_add(p[i], sym6_apply(IA, *b_of(w, i)));
    if (is_prescribed(prescribed, l)) {
      six x = joint_add_velocity(l, six_zero(), e);
      pa = six_add(pa, sym6_apply(IA, (six){axes_sum(w, i, f, 0, 0, &x.w.x),
                                            axes_sum(w, i, f, 0, 0, &x.v.x)}));
    } else if (l->nv) {
      /* S^T W of order k without the contribution of x */
      six s = hybrid_project(w, i, f, k, 1);
      s = six_add(
          s, (six){axes_project(w, i, f, 0, 0, &pa.w.x), axes_project(w, i, f, 0, 0, &pa.v.x)});
      joint_project(l, s, t);
      for (int j = 0; j < l->nv; j++) t[j] = e[j] = e[j] - t[j];
      joint_solve(l->nv, D_of(w, l->iv), t);
      for (int j = 0; j < l->nv; j++) pa = six_add(pa, six_scale(t[j], UA[j]));
    }
    if (l->parent < 0) continue;
    const v3 *r = reach_of(w, i);
    pa.w = v3_add(pa.w, v3_add(v3_cross(r[0], pa.v), cross_sixes(k, 1, r, &W[0].v.x)));
    p[l->parent] = six_add(p[l->parent], pa);
  }
}

/* Forward pass of order k. */
static inline void hybrid_outward(const jn_model *m, const jn_work *w, int k,
                                  const unsigned char *prescribed, int damping) {
  double inverse = 1.0 / (k + 1);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const inertia10 *M = Ms_of(w, i);
    freedom f = freedom_of(l);
    real *e = e_of(w, l->iv), *v = v_of(w, l->iv) + (k + 1) * m->nv;
    const int given = is_prescribed(prescribed, l);
    six a = six_zero();
    if (l->parent >= 0) {
      a = six_times(k + 1, Vs_of(w, l->parent)[k + 1]);
      a.v = v3_add(a.v, v3_cross(a.w, *reach_of(w, i)));
    }
    if (!given && l->nv) {
      for (int j = 0; j < l->nv; j++) e[j] -= six_dot(*UA_of(w, l->iv + j), a);
      joint_solve(l->nv, D_of(w, l->iv), e);
    }
    six x = joint_add_velocity(l, six_zero(), e);
    a = six_add(a, (six){axes_sum(w, i, f, 0, 0, &x.w.x), axes_sum(w, i, f, 0, 0, &x.v.x)});
    a = six_add(a, *b_of(w, i));
    Vs_of(w, i)[k + 1] = six_times(inverse, a);
    Ws_of(w, i)[k] = six_add(sym6_apply(IA_of(w, i), a), *p_of(w, i));
    own_of(w, i)[k] = v3_add(own_of(w, i)[k], v3_times(l->m, v3_add(a.v, v3_cross(a.w, M[0].h))));
    for (int j = 0; j < l->nv && !given; j++) v[j] = inverse * e[j];
    if (given) put_force(m, w, i, k, hybrid_project(w, i, f, k, 0), damping);
  }
}

/* Bias terms with order 0 as a constant. */
static inline void hybrid_first_terms(const jn_model *m, const jn_work *w, const jn_settings *set,
                                      int external) {
  hybrid_bias_terms(m, w, set, 0, external);
}

/* Solves order k; then, if `more`, the bias terms of order k+1. */
static inline void hybrid_solve(const jn_model *m, const jn_work *w, const jn_settings *set, int k,
                                const unsigned char *prescribed, int external, int more) {
  hybrid_inward(m, w, k, prescribed);
  hybrid_outward(m, w, k, prescribed, set->damping);
  if (more) hybrid_bias_terms(m, w, set, k + 1, external);
}

/* Pose of link i, order k >= 1, for applied wrenches: R, P with P' = u, and G = [P] R; from twists
 * below order k. */
static inline void hybrid_pose_step(const jn_work *w, int i, int k, int mixed) {
  pose_jet c = link_pose(w, i);
  const six *V = Vs_of(w, i);
  m3 r = m3_zero(), G = m3_zero();
  for (int h = 0; h < k && !mixed; h++) m3_add_hat_mul(V[k - 1 - h].w, c.R + 9 * h, r.m);
  for (int h = 0; h < k && mixed; h++) m3_add_mul_hat(c.R + 9 * h, V[k - 1 - h].w, r.m);
  for (int j = 0; j < 9; j++) c.R[9 * k + j] = (1.0 / k) * r.m[j];
  store_v3(c.p + 3 * k, v3_times(1.0 / k, V[k - 1].v));
  for (int h = 1; h <= k; h++) m3_add_hat_mul(load_v3(c.p + 3 * h), c.R + 9 * (k - h), G.m);
  for (int j = 0; j < 9; j++) G_of(w, i)[9 * k + j] = G.m[j];
}

/* After kinematics of order K: turns hybrid twists into spatial ones about the base's position and
 * fills in the screws, for functions that read them:
 *   V = (w, u + (O + P) x w) */
static inline void hybrid_to_spatial(const jn_model *m, const jn_work *w, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = Vs_of(w, i);
    v3 *P = (v3 *)(void *)P_of(w, i), O = load_v3(O_of(w, i));
    freedom f = freedom_of(l);
    P[0] = v3_zero();
    for (int k = 1; k <= K; k++) P[k] = v3_times(1.0 / k, V[k - 1].v);
    for (int j = 0; j < l->nv; j++) {
      six *S = S_of(w, l->iv + j), s = joint_column(l, j);
      for (int k = 0; k <= K; k++) {
        S[k] = six_zero();
        for (int c = f.first; c < 3; c++) {
          v3 a = axis_of(w, 3 * i + c)[k];
          S[k] = six_add(S[k], (six){v3_scale((&s.w.x)[c], a), v3_scale((&s.v.x)[c], a)});
        }
        S[k].v = v3_add(S[k].v, v3_add(v3_cross(O, S[k].w), cross_sixes(k, 1, P, &S[0].w.x)));
      }
    }
    for (int k = 0; k <= K; k++)
      V[k].v = v3_add(V[k].v, v3_add(v3_cross(O, V[k].w), cross_sixes(k, 1, P, &V[0].w.x)));
  }
}

#endif
