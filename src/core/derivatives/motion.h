/* motion.h (core): motion, inertias and composites of the links for the partial derivatives
 * (partials.h), and what is particular to joints with several degrees of freedom. */
#ifndef JOUNCE_CORE_DERIVATIVES_MOTION_H
#define JOUNCE_CORE_DERIVATIVES_MOTION_H

#include <string.h>

#include "core/derivatives/variation.h"
#include "core/spatial/composite.h"

/* order k of a link's position relative to the base's */
static inline v3 position_of(const variation *x, int link, int k) {
  if (k == 0) return load_v3(O_of(x->w, link));
  return load_v3(P_of(x->w, link) + 3 * k);
}

/* Poses, screws (of free joints for v in the user's representation), twists to order K+1,
 * accelerations minus gravity, inertias and their rates, P_0. */
INLINE void motion_of_order(const variation *x, const int K) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const int rep = (int)x->data->settings.representation;
  boundary_motion_in(m, w, rep, 0, K + 1);
  place_joints(m, w);
  place_poses(m, x->data);
  const six G = {v3_zero(), settings_gravity(&x->data->settings)};
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = Vs_of(w, i), *a = As_of(w, i);
    spatial_link_kinematics(m, w, i, 0, K + 1);
    EACH(k, 0, K) a[k] = six_times(k + 1, V[k + 1]);
    a[0] = six_sub(a[0], G);
    *Ms_of(w, i) = spatial_inertia(m, w, i);
    inertia10_jets(K, V, Ms_of(w, i), Md_of(w, i));
    for (int c = 0; c < l->nv; c++) part_put(x, l->iv + c, 0, JN_P, *S_of(w, l->iv + c));
    if (!link_is_free(l) || rep == JN_BODY) continue;
    for (int k = 1; k <= K + 1; k++) spatial_pose_step(w, i, k);
    represent_screws(l, w, rep, K, S_of(w, l->iv));
  }
}
ENTRY_FUNCTION void variation_motion(const variation *x) {
  WITH_ORDER(K, x->K, motion_of_order(x, K));
}

/* N e_c of a joint with several degrees of freedom, from one order of its given velocity u */
static inline six variation_rate(int freedoms, int rep, const double *u, int c) {
  double e[6] = {0};
  e[c] = 1;
  six s = {load_v3(e), load_v3(e + 3)};
  if (freedoms == 3) return (six){v3_cross(load_v3(u), s.w), v3_zero()};
  six V = {load_v3(u), load_v3(u + 3)};
  if (rep == JN_BODY) return six_ad(V, s);
  if (rep == JN_SPATIAL) return six_ad(s, V);
  return (six){v3_times(rep == JN_MIXED ? 1.0 : -1.0, v3_cross(V.w, s.w)), v3_zero()};
}

/* E of orders 0..last: E_0 = 1 (body), or the map from the user's representation to body;
 *   k E_k = sum_(i<k) E_i N_(k-1-i) */
static inline void variation_map(const variation *x, int i, int last) {
  const jn_work *w = x->w;
  const jn_link *l = &x->m->link[i];
  int rows = x->rows, n = l->nv,
      rep = link_is_free(l) ? (int)x->data->settings.representation : JN_BODY;
  double *E = Ev_of(w, l->iv);
  const double *u = (rep == JN_BODY ? w->v : w->io) + l->iv;
  for (int d = 0; d < n; d++) {
    double *column = E + 6 * (size_t)d * rows, unit[6] = {0};
    memset(column, 0, sizeof(double) * 6);
    unit[d] = 1;
    if (rep == JN_BODY)
      column[d] = 1;
    else
      twist_to_body(rep, 0, free_pose(l, w), free_position(l, w), unit, 6, column, 6);
  }
  for (int k = 1; k <= last; k++)
    for (int d = 0; d < n; d++) {
      double *out = E + 6 * ((size_t)d * rows + (size_t)k);
      memset(out, 0, sizeof(double) * 6);
      for (int h = 0; h < k; h++) {
        six s = variation_rate(l->nv, rep, u + (size_t)(k - 1 - h) * (size_t)x->m->nv, d);
        const double y[6] = {s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z};
        for (int c = 0; c < n; c++) {
          const double f = y[c] / k;
          if (h == 0 && rep == JN_BODY) out[c] += f;
          for (int b = 0; b < n && (h > 0 || rep != JN_BODY); b++)
            out[b] += f * E[6 * ((size_t)c * rows + (size_t)h) + (size_t)b];
        }
      }
    }
}

/* Terms of P' in addition to ad(V_parent) P for other representations than body. Vr = V - V_parent,
 * p the link's position, w of P:
 *   spatial  ad(Vr) P
 *   hybrid   ad(Vr) Q,   Q = (w, p x w)
 *   mixed    (0, u x w), u = Vr.v + Vr.w x p
 * Q: jet of Q (P itself for spatial); Vr: jet of Vr (for mixed u in its v, w = 0). */
typedef struct extra_transport {
  int rep;
  six *Q, *Vr;
} extra_transport;

static inline extra_transport extra_transport_of(const variation *x, int i) {
  const jn_link *l = &x->m->link[i];
  extra_transport b = {(int)x->data->settings.representation, jet_of(x->w, 0), jet_of(x->w, 1)};
  for (int k = 0; k <= x->K + 1; k++) {
    b.Vr[k] = Vs_of(x->w, i)[k];
    if (l->parent >= 0) b.Vr[k] = six_sub(b.Vr[k], Vs_of(x->w, l->parent)[k]);
  }
  if (b.rep != JN_MIXED) return b;
  for (int k = x->K + 1; k >= 0; k--) {
    for (int h = 0; h <= k; h++)
      b.Vr[k].v = v3_add(b.Vr[k].v, v3_cross(b.Vr[k - h].w, position_of(x, i, h)));
  }
  for (int k = 0; k <= x->K + 1; k++) b.Vr[k].w = v3_zero();
  return b;
}

/* order k of the additional terms, from P up to order k */
static inline six extra_transport_step(const variation *x, int i, const extra_transport *b, int k,
                                       const column_jet *c) {
  six s = six_zero();
  b->Q[k] = c[k].P;
  if (b->rep != JN_SPATIAL) {
    b->Q[k].v = v3_zero();
    for (int h = 0; h <= k && b->rep == JN_HYBRID; h++)
      b->Q[k].v = v3_add(b->Q[k].v, v3_cross(position_of(x, i, h), c[k - h].P.w));
  }
  for (int h = 0; h <= k; h++) s = six_add(s, six_ad(b->Vr[h], b->Q[k - h]));
  return s;
}

/* order k of ad(V_parent) P */
static inline six carried_by_parent(const variation *x, int parent, int k, const column_jet *c) {
  six s = six_zero();
  if (parent < 0) return s;
  const six *V = Vs_of(x->w, parent);
  for (int h = 0; h <= k; h++) s = six_add(s, six_ad(V[h], c[k - h].P));
  return s;
}

/* A free joint in another representation: X = P'' - ad_G P, with P'' from one more order of P'. */
static inline void represented_column(const variation *x, int i, const extra_transport *b,
                                      column_jet *c) {
  int parent = x->m->link[i].parent, K = x->K;
  six G = {v3_zero(), settings_gravity(&x->data->settings)}, *more = jet_of(x->w, 2);
  for (int k = 0; k <= K; k++) {
    c[k].P1 = six_add(carried_by_parent(x, parent, k, c), extra_transport_step(x, i, b, k, c));
    if (k < K) c[k + 1].P = six_times(1.0 / (k + 1), c[k].P1);
    more[k] = c[k].P1;
  }
  /* order K+1 of P', whose P_(K+1) has no place in c */
  six P = six_times(1.0 / (K + 1), c[K].P1), s = six_zero();
  if (parent >= 0) {
    const six *V = Vs_of(x->w, parent);
    s = six_ad(V[0], P);
    for (int h = 1; h <= K + 1; h++) s = six_add(s, six_ad(V[h], c[K + 1 - h].P));
  }
  six *Q = &b->Q[K + 1];
  *Q = P;
  if (b->rep != JN_SPATIAL) Q->v = v3_zero();
  if (b->rep == JN_HYBRID) {
    Q->v = v3_cross(position_of(x, i, 0), P.w);
    for (int h = 1; h <= K + 1; h++)
      Q->v = v3_add(Q->v, v3_cross(position_of(x, i, h), c[K + 1 - h].P.w));
  }
  for (int h = 0; h <= K + 1; h++) s = six_add(s, six_ad(b->Vr[h], b->Q[K + 1 - h]));
  more[K + 1] = s;
  for (int k = 0; k <= K; k++) c[k].X = six_sub(six_times(k + 1, more[k + 1]), six_ad(G, c[k].P));
}

/* E of joints with several degrees of freedom; P, P', X of free joints in another representation than
 * body. */
ENTRY_FUNCTION void variation_columns(const variation *x) {
  column_jet *c = (column_jet *)(void *)x->w->pc;
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    if (l->nv > 1) variation_map(x, i, x->K + 1);
    if (!link_is_free(l) || !x->own) continue;
    const extra_transport b = extra_transport_of(x, i);
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      c->P = part_of(x, j, 0, JN_P);
      represented_column(x, i, &b, c);
      for (int k = 0; k <= x->K; k++) {
        part_put(x, j, k, JN_P, c[k].P);
        part_put(x, j, k, JN_P1, c[k].P1);
        part_put(x, j, k, JN_X, c[k].X);
      }
    }
  }
}

/* Momenta and wrenches of the links; `subtrees`: composites. */
INLINE void composites_of_order(const variation *x, const int K, int subtrees) {
  const jn_work *w = x->w;
  const size_t rows = (size_t)x->rows, n = (size_t)K + 1;
  for (int i = 0; i < x->m->nlink; i++) {
    const six *V = Vs_of(x->w, i), *a = As_of(x->w, i);
    const inertia10 *M = Ms_of(w, i), *Md = Md_of(w, i);
    six *P = Ps_of(w, i), *W = Ws_of(w, i);
    EACH(k, 0, K) {
      six p = six_zero(), f = six_zero();
      EACH(h, 0, k) {
        p = six_add(p, inertia10_apply(&M[h], V[k - h]));
        f = six_add(f,
                    six_add(inertia10_apply(&M[h], a[k - h]), inertia10_apply(&Md[h], V[k - h])));
      }
      P[k] = p;
      W[k] = x->loaded ? six_sub(f, ext_of(w, i)[k]) : f;
    }
  }
  if (!subtrees) return;
  add_to_parents(x->m, w->Ms, 10 * rows, 10 * n);
  add_to_parents(x->m, w->Md, 10 * rows, 10 * n);
  add_to_parents(x->m, w->Ps, 6 * rows, 6 * n);
  add_to_parents(x->m, w->Ws, 6 * rows, 6 * n);
  if (x->moving) add_to_parents(x->m, w->Ns, 36 * rows, 36 * n);
}
ENTRY_FUNCTION void variation_composites(const variation *x, int subtrees) {
  WITH_ORDER(K, x->K, composites_of_order(x, K, subtrees));
}

/* The force of a free joint varies in addition by (dS - ad_P S)^T Wc, for the joint's own columns P
 * (jn_variation_own_screw). With Wc = (n, f), w of P, r = P.v + w x p that is S.Q,
 *   spatial  Q = -ad_P^T Wc
 *   hybrid   Q = -ad_P^T Wc + (f x r, 0)
 *   mixed    Q = -ad_P^T Wc + (f x r + (n + f x p) x w, 0) */
INLINE void own_rows_of(const variation *x, int i, const int K) {
  const jn_work *w = x->w;
  const jn_link *l = &x->m->link[i];
  const int rep = (int)x->data->settings.representation;
  const six *W = Ws_of(w, i);
  six *P = jet_of(w, 0), *Q = jet_of(w, 1);
  v3 *r = (v3 *)(void *)jet_of(w, 2), *g = (v3 *)(void *)jet_of(w, 3);
  for (int k = 0; k <= K && rep == JN_MIXED; k++) {
    g[k] = W[k].w;
    for (int h = 0; h <= k; h++) g[k] = v3_add(g[k], v3_cross(W[k - h].v, position_of(x, i, h)));
  }
  for (int c = 0; c < 6; c++) {
    for (int k = 0; k <= K; k++) {
      P[k] = part_of(x, l->iv + c, k, JN_P);
      r[k] = P[k].v;
      for (int h = 0; h <= k && rep != JN_SPATIAL; h++)
        r[k] = v3_add(r[k], v3_cross(P[k - h].w, position_of(x, i, h)));
    }
    EACH(k, 0, K) {
      Q[k] = six_zero();
      EACH(h, 0, k) {
        Q[k] = six_sub(Q[k], six_ad_t(P[h], W[k - h]));
        if (rep != JN_SPATIAL) Q[k].w = v3_add(Q[k].w, v3_cross(W[k - h].v, r[h]));
        if (rep == JN_MIXED) Q[k].w = v3_add(Q[k].w, v3_cross(g[k - h], P[h].w));
      }
    }
    for (int d = 0; d < 6; d++)
      EACH(k, 0, K) Ow_of(w, l->iv + d)[6 * k + c] = spatial_project(k, 0, S_of(w, l->iv + d), Q);
  }
}
ENTRY_FUNCTION void variation_own_rows(const variation *x) {
  for (int i = 0; i < x->m->nlink; i++)
    if (link_is_free(&x->m->link[i])) {
      WITH_ORDER(K, x->K, own_rows_of(x, i, K));
    }
}

#endif
