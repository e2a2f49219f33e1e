/* mixed.h (core): the mixed formulation, (56) and (57) of mueller2018 as jets: kinematics and
 * inverse dynamics. Angular parts in link axes, linear parts in world axes; equations in hybrid.h.
 *
 * R: axes of the link; c: its centre of mass in it; p: origin of the joint in the parent; e:
 * displacement of the joint in link axes; s: velocity of the joint in the link frame. */
#ifndef JOUNCE_CORE_HYBRID_MIXED_H
#define JOUNCE_CORE_HYBRID_MIXED_H

#include "core/hybrid/hybrid.h"

/* e of a joint that slides, orders 0..K+1 */
static inline void mixed_slide(const jn_link *l, const jn_work *w, int i, int K) {
  const six *s = Vj_of(w, i);
  v3 *e = reach_of(w, i), E[3], p;
  joint_place_in_parent(l->kind, l, q_of(w, l->iq), X_of(w, l->ix), E, &p);
  p = v3_sub(p, v3_make(l->p[0], l->p[1], l->p[2]));
  e[0] = v3_make(v3_dot(E[0], p), v3_dot(E[1], p), v3_dot(E[2], p));
  for (int k = 1; k <= K + 1; k++)
    e[k] = v3_times(1.0 / k, v3_add(s[k - 1].v, cross_sixes(k - 1, 0, e, &s[0].w.x)));
}

/* Angular velocity of link i, orders 0..K, and its axes, orders 0..K+1; s in Vj. up: room for K+1
 * twists. */
static inline void mixed_turn(const jn_model *m, const jn_work *w, int i, int K, six *up) {
  const jn_link *l = &m->link[i];
  six *V = Vs_of(w, i), *s = Vj_of(w, i);
  real *X = X_of(w, l->ix);
  const real *v = v_of(w, l->iv);
  v3 *x = axis_of(w, 3 * i + 0), *y = axis_of(w, 3 * i + 1), *z = axis_of(w, 3 * i + 2);
  place_axes(w, i, all_axes);
  for (int k = 0; k <= K; k++) {
    if (k && !link_is_free(l)) joint_step(l, k, q_of(w, l->iq), v, m->nv, X);
    s[k] = joint_add_velocity(l, six_zero(), v + k * m->nv);
    V[k].w = s[k].w;
    if (l->parent >= 0) {
      up[k] = six_zero();
      up[k].w = c_columns(l->Rr, Vs_of(w, l->parent)[k].w);
      up[k] = joint_apply_X0(l->kind, X, up[k]);
      V[k].w = v3_add(V[k].w, joint_motion_any(l, k, X, up).w);
    }
    /* x' = w_z y - w_y z, ... */
    v3 a = v3_zero(), b = a, c = a;
    for (int h = 0; h <= k; h++) {
      v3 t = V[k - h].w;
      a = v3_add(a, v3_sub(v3_scale(t.z, y[h]), v3_scale(t.y, z[h])));
      b = v3_add(b, v3_sub(v3_scale(t.x, z[h]), v3_scale(t.z, x[h])));
      c = v3_add(c, v3_sub(v3_scale(t.y, x[h]), v3_scale(t.x, y[h])));
    }
    double f = 1.0 / (k + 1);
    x[k + 1] = v3_times(f, a), y[k + 1] = v3_times(f, b), z[k + 1] = v3_times(f, c);
  }
}

/* R_k a of a constant a */
static inline v3 axes_apply(const jn_work *w, int i, int k, const double *a) {
  v3 s = v3_times(a[0], axis_of(w, 3 * i + 0)[k]);
  s = v3_add(s, v3_times(a[1], axis_of(w, 3 * i + 1)[k]));
  return v3_add(s, v3_times(a[2], axis_of(w, 3 * i + 2)[k]));
}

static inline void mixed_kinematics(const jn_model *m, const jn_work *w, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = Vs_of(w, i);
    const six *s = Vj_of(w, i);
    int slides = freedom_of(l).slides;
    mixed_turn(m, w, i, K, jet_of(w, 0));
    if (l->parent < 0) {
      /* the world does not rotate: u = R s at any distance */
      for (int k = 0; k <= K; k++)
        V[k].v = slides ? axes_sum(w, i, all_axes, k, 0, &s[0].v.x) : v3_zero();
      continue;
    }
    const six *Vp = Vs_of(w, l->parent);
    const v3 *e = reach_of(w, i);
    if (slides) mixed_slide(l, w, i, K);
    for (int k = 0; k <= K; k++) {
      v3 r = axes_apply(w, l->parent, k + 1, l->p);
      for (int c = 0; c < 3 && slides; c++) {
        const v3 *a = axis_of(w, 3 * i + c);
        for (int h = 0; h <= k + 1; h++)
          r = v3_add(r, v3_scale(((const real *)&e[k + 1 - h])[c], a[h]));
      }
      V[k].v = v3_add(Vp[k].v, v3_times(k + 1, r));
    }
  }
}

static inline void mixed_wrench(const jn_model *m, const jn_work *w, int i, int r, v3 g,
                                int external) {
  const jn_link *l = &m->link[i];
  const six *V = Vs_of(w, i);
  six *W = Ws_of(w, i);
  v3 *H = (v3 *)(void *)jet_of(w, 0);
  for (int k = 0; k <= r + 1; k++) H[k] = c_columns(l->J4, V[k].w);
  for (int k = 0; k <= r; k++)
    W[k].v = v3_times(l->m * (k + 1),
                      v3_add(V[k + 1].v, v3_times(k + 2, axes_apply(w, i, k + 2, l->c))));
  W[0].v = v3_sub(W[0].v, v3_times(l->m, g));
  for (int k = 0; k <= r; k++) {
    v3 n = v3_times(k + 1, H[k + 1]);
    for (int h = 0; h <= k; h++) n = v3_add(n, v3_cross(V[h].w, H[k - h]));
    W[k].w = v3_add(n, c_cross_v3(l->c4, axes_project(w, i, all_axes, k, 0, &W[0].v.x)));
  }
  for (int k = 0; k <= r && external; k++) W[k] = six_sub(W[k], ext_of(w, i)[k]);
}

static inline void mixed_inverse(const jn_model *m, const jn_work *w, const jn_settings *set, int r,
                                 int external) {
  const v3 g = settings_gravity(set);
  for (int i = 0; i < m->nlink; i++) mixed_wrench(m, w, i, r, g, external);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const six *W = Ws_of(w, i);
    const real *X = X_of(w, l->ix);
    six *F = jet_of(w, 0), *N = jet_of(w, 1); /* (0, R^T f), (n + e x R^T f, 0) */
    int slides = freedom_of(l).slides;
    for (int k = 0; k <= r; k++) {
      F[k] = six_zero(), N[k] = six_zero();
      if (slides) F[k].v = axes_project(w, i, all_axes, k, 0, &W[0].v.x);
      put_force(m, w, i, k, (six){W[k].w, F[k].v}, set->damping);
      N[k].w = W[k].w;
      if (slides) N[k].w = v3_add(N[k].w, cross_sixes(k, 0, reach_of(w, i), &F[0].v.x));
    }
    if (l->parent < 0) continue;
    six *Wp = Ws_of(w, l->parent);
    for (int k = 0; k <= r; k++) {
      const six n6 = joint_force_any(l, k, X, N);
      v3 n = joint_apply_X0_t(l->kind, X, n6).w;
      n = v3_add(c_columns(l->Rc, n),
                 c_cross_v3(l->p4, axes_project(w, l->parent, all_axes, k, 0, &W[0].v.x)));
      Wp[k] = six_add(Wp[k], (six){n, W[k].v});
    }
  }
}

/* Body twists from mixed ones, V = (w, R^T u), for functions that read twists. */
static inline void mixed_to_body(const jn_model *m, const jn_work *w, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const six *V = Vs_of(w, i);
    six *B = V_of(w, i);
    for (int k = 0; k <= K; k++)
      B[k] = (six){V[k].w, axes_project(w, i, all_axes, k, 0, &V[0].v.x)};
  }
}

#endif
