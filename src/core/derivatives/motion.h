/* motion.h (core): motion of the links and sums over subtrees for the partial derivatives
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

/* Screws and twists of orders 0..last of a link with one degree of freedom, whose axis is z: algorithm
 * 1 (spatial.h), with low orders in registers. */
INLINE void axis_kinematics(const jn_model *m, const jn_work *w, int i, const int last) {
  enum { LOW = 4 };
  const jn_link *l = &m->link[i];
  const double *R = R_of(w, i), *v = v_of(w, l->iv);
  const six *Vp = l->parent < 0 ? NULL : Vs_of(w, l->parent), s = joint_column(l, 0);
  const v3 z = v3_make(R[2], R[5], R[8]), a = v3_scale(s.w.z, z);
  six low[2][LOW], *S = last < LOW ? low[0] : S_of(w, l->iv),
                   *V = last < LOW ? low[1] : Vs_of(w, i);
  S[0] = six_make(a, v3_add(v3_scale(s.v.z, z), v3_cross(load_v3(O_of(w, i)), a)));
  EACH(k, 0, last) {
    six t = k ? six_ad(V[0], S[k - 1]) : six_zero();
    EACH(h, 1, k - 1) t = six_add(t, six_ad(V[h], S[k - 1 - h]));
    if (k) S[k] = six_times(1.0 / k, t);
    t = six_scale(v[k * m->nv], S[0]);
    EACH(h, 1, k) t = six_add(t, six_scale(v[(k - h) * m->nv], S[h]));
    V[k] = Vp ? six_add(Vp[k], t) : t;
  }
  EACH(k, 0, last) if (last < LOW) S_of(w, l->iv)[k] = S[k], Vs_of(w, i)[k] = V[k];
}

/* Screws of a free base for a spatial twist v = (w, u) about the world's origin, p its position: the
 * twist (w, u + w x p) about p, in the axes of T. They do not move. */
static inline void space_screws(const variation *x, const jn_link *l, six *S) {
  const size_t rows = (size_t)x->rows;
  const v3 p = free_position(l, x->w);
  memset(S, 0, sizeof(six) * 6 * rows);
  for (int c = 0; c < 3; c++) {
    const v3 e = v3_make(c == 0, c == 1, c == 2), a = c_columns(l->Rc, e);
    S[(size_t)c * rows] = (six){a, c_columns(l->Rc, v3_cross(e, p))};
    S[(size_t)(c + 3) * rows] = (six){v3_zero(), a};
  }
}

/* Its twists of orders 0..last about p, V = (w, u + w x p). Far from the origin digits cancel. */
static inline void space_twists(const variation *x, const jn_link *l, six *V, int last) {
  const double *in = io_of(x->w, l->iv);
  const v3 p = free_position(l, x->w);
  EACH(k, 0, last) {
    const v3 w = load_v3(in + k * x->m->nv), u = load_v3(in + k * x->m->nv + 3);
    V[k] = (six){c_columns(l->Rc, w), c_columns(l->Rc, v3_add_cross_exact(u, w, p))};
  }
}
/* whether link l is such a base */
static inline int is_space_base(const jn_link *l, int rep) {
  return rep == JN_SPATIAL && l->parent < 0 && link_is_free(l);
}

/* w->v of orders 0..last in body representation; not of a base with a spatial twist, of which X_0 is
 * all that is needed. */
static inline void motion_in(const variation *x, int rep, int last) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  boundary_copy(m, v_of(w, 0), io_of(w, 0), 0, last);
  for (int i = 0; i < m->nfree; i++) {
    const jn_link *l = &m->link[m->free_link[i]];
    const int space = is_space_base(l, rep);
    free_motion_in(l, space ? JN_BODY : rep, 0, space ? 0 : last, m->nv, q_of(w, l->iq),
                   free_position(l, w), io_of(w, l->iv), v_of(w, l->iv), X_of(w, l->ix), NULL);
  }
}

/* Poses, screws (of free joints for v in the user's representation, and in w->Su the displacements
 * P_0), twists to order K+1, accelerations minus gravity. */
INLINE void motion_of_order(const variation *x, const int K) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  const int rep = (int)x->data->settings.representation;
  motion_in(x, rep, K + 1);
  place_joints(m, w);
  place_poses(m, x->data);
  const six G = {v3_zero(), settings_gravity(&x->data->settings)};
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = Vs_of(w, i), *a = As_of(w, i);
    if (l->nv == 1)
      axis_kinematics(m, w, i, K + 1);
    else if (is_space_base(l, rep))
      space_twists(x, l, V, K + 1);
    else
      spatial_link_kinematics(m, w, i, 0, K + 1);
    EACH(k, 0, K) a[k] = six_times(k + 1, V[k + 1]);
    a[0] = six_sub(a[0], G);
    if (!link_is_free(l) || rep == JN_BODY) continue;
    for (int k = 1; k <= K; k++) spatial_pose_step(w, i, k);
    for (int j = 0; j < l->nv; j++) *Su_of(w, l->iv + j) = spatial_screw(m, w, i, j); /* P_0 */
    if (is_space_base(l, rep))
      space_screws(x, l, S_of(w, l->iv));
    else
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
  if (last < 0) return;
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

/* Motion of a free joint in another representation than body, as jets: its position p, velocity and
 * acceleration relative to the parent Vr = V - V_parent, Ar = V' - V_parent', u = Vr.v + Vr.w x p,
 * and the rates pd = p', ud = u'. With w of P or S,
 *            F(P) = P' - ad(V_parent) P         H(S) = S' - ad(V_parent) S
 *   spatial  ad(Vr) P                           0
 *   hybrid   ad(Vr) (w, p x w)                  (0, u x w)
 *   mixed    (0, u x w)                         (Vr.w x w, u x w + p x (Vr.w x w)) */
typedef struct free_motion {
  int rep;
  const six *Vp, *ap; /* of the parent: twist, acceleration minus gravity; NULL: the world */
  six *Vr, *Ar;
  v3 *p, *pd, *u, *ud;
} free_motion;

/* sum_h a_h x b_(k-h), of arrays with strides in v3 */
INLINE v3 cross_jets(int k, const v3 *a, int as, const v3 *b, int bs) {
  v3 s = v3_cross(a[0], b[k * bs]);
  EACH(h, 1, k) s = v3_add(s, v3_cross(a[h * as], b[(k - h) * bs]));
  return s;
}
enum { IN_SIX = sizeof(six) / sizeof(v3), IN_COLUMN = sizeof(column_jet) / sizeof(v3) };

/* orders 0..last of the velocity level; then, Ar known, of the rates. Jets 0 to 3. */
INLINE free_motion free_motion_of(const variation *x, int i, int last) {
  const jn_work *w = x->w;
  const int parent = x->m->link[i].parent;
  const six *V = Vs_of(w, i);
  free_motion f = {.rep = (int)x->data->settings.representation,
                   .Vp = parent < 0 ? NULL : Vs_of(w, parent),
                   .ap = parent < 0 ? NULL : As_of(w, parent),
                   .Vr = jet_of(w, 0),
                   .Ar = jet_of(w, 1),
                   .p = (v3 *)(void *)jet_of(w, 2),
                   .u = (v3 *)(void *)jet_of(w, 3)};
  f.pd = f.p + w->rows, f.ud = f.u + w->rows;
  EACH(k, 0, last) {
    f.p[k] = position_of(x, i, k);
    f.Vr[k] = parent < 0 ? V[k] : six_sub(V[k], f.Vp[k]);
    f.u[k] = v3_add(f.Vr[k].v, cross_jets(k, &f.Vr->w, IN_SIX, f.p, 1));
    f.pd[k] = v3_add(V[k].v, cross_jets(k, &V->w, IN_SIX, f.p, 1));
  }
  return f;
}
INLINE void free_motion_rates(const variation *x, int i, int last, const free_motion *f) {
  const six *a = As_of(x->w, i), fall = {v3_zero(), settings_gravity(&x->data->settings)};
  EACH(k, 0, last) {
    f->Ar[k] = f->ap ? six_sub(a[k], f->ap[k]) : a[k];
    if (!f->ap && k == 0) f->Ar[k] = six_add(a[k], fall);
    f->ud[k] = v3_add(f->Ar[k].v, v3_add(cross_jets(k, &f->Ar->w, IN_SIX, f->p, 1),
                                         cross_jets(k, &f->Vr->w, IN_SIX, f->pd, 1)));
  }
}

/* order k of ad(V) P, P in a column */
INLINE six ad_column(int k, const six *V, const six *P) {
  const v3 *w = &P->w, *v = &P->v;
  if (!V) return six_zero();
  return (six){cross_jets(k, &V->w, IN_SIX, w, IN_COLUMN),
               v3_add(cross_jets(k, &V->w, IN_SIX, v, IN_COLUMN),
                      cross_jets(k, &V->v, IN_SIX, w, IN_COLUMN))};
}
/* order k of F(P) with V, u in the places of Vr, u; moment: jet of p x w (hybrid) */
INLINE six free_transport(int k, int rep, const six *V, const v3 *u, const six *P,
                          const v3 *moment) {
  const v3 *w = &P->w;
  if (rep == JN_SPATIAL) return ad_column(k, V, P);
  if (rep == JN_MIXED) return (six){v3_zero(), cross_jets(k, u, 1, w, IN_COLUMN)};
  return (six){
      cross_jets(k, &V->w, IN_SIX, w, IN_COLUMN),
      v3_add(cross_jets(k, &V->w, IN_SIX, moment, 1), cross_jets(k, &V->v, IN_SIX, w, IN_COLUMN))};
}
/* order k of S' = ad(V_parent) S + H(S); turn: jet of Vr.w x w (mixed), whose order k is set */
INLINE six free_screw_rate(int k, const free_motion *f, const six *S, v3 *turn) {
  six s = ad_column(k, f->Vp, S);
  if (f->rep == JN_SPATIAL) return s;
  s.v = v3_add(s.v, cross_jets(k, f->u, 1, &S->w, IN_COLUMN));
  if (f->rep == JN_HYBRID) return s;
  turn[k] = cross_jets(k, &f->Vr->w, IN_SIX, &S->w, IN_COLUMN);
  s.w = v3_add(s.w, turn[k]);
  s.v = v3_add(s.v, cross_jets(k, f->p, 1, turn, 1));
  return s;
}

/* One column c of a free joint in another representation, P_0 and S being known (along a direction
 * all orders of P):
 *   P' = ad(V_parent) P + F(P)
 *   X  = ad(a_parent) P + ad(V_parent) P' + F'(P) + F(P')
 *   Y  = ad(V_parent) S + F(S) + S'
 * Scratch: jets 4 and 5. */
INLINE void free_column(const variation *x, const free_motion *f, const int K, column_jet *c) {
  const int rows = x->w->rows, rep = f->rep;
  const v3 g = settings_gravity(&x->data->settings);
  v3 *m0 = (v3 *)(void *)jet_of(x->w, 4), *m1 = m0 + rows, *ms = (v3 *)(void *)jet_of(x->w, 5),
     *turn = ms + rows;
  EACH(k, 0, K) {
    if (rep == JN_HYBRID) {
      m0[k] = cross_jets(k, f->p, 1, &c->P.w, IN_COLUMN);
      ms[k] = cross_jets(k, f->p, 1, &c->S.w, IN_COLUMN);
    }
    c[k].P1 = six_add(ad_column(k, f->Vp, &c->P), free_transport(k, rep, f->Vr, f->u, &c->P, m0));
    if (rep == JN_HYBRID)
      m1[k] = v3_add(cross_jets(k, f->p, 1, &c->P1.w, IN_COLUMN),
                     cross_jets(k, f->pd, 1, &c->P.w, IN_COLUMN));
    six X = six_add(ad_column(k, f->ap, &c->P), ad_column(k, f->Vp, &c->P1));
    if (!f->ap) X.v = v3_sub(X.v, v3_cross(g, c[k].P.w));
    X = six_add(X, free_transport(k, rep, f->Ar, f->ud, &c->P, m0));
    c[k].X = six_add(X, free_transport(k, rep, f->Vr, f->u, &c->P1, m1));
    c[k].Y = six_add(six_add(ad_column(k, f->Vp, &c->S), free_screw_rate(k, f, &c->S, turn)),
                     free_transport(k, rep, f->Vr, f->u, &c->S, ms));
    if (k < K && !x->second) c[k + 1].P = six_times(1.0 / (k + 1), c[k].P1);
  }
}

INLINE void free_columns(const variation *x, int i, const int K) {
  const jn_link *l = &x->m->link[i];
  column_jet *c = (column_jet *)(void *)x->w->pc;
  const free_motion f = free_motion_of(x, i, K);
  free_motion_rates(x, i, K, &f);
  for (int j = 0; j < l->nv; j++) {
    c->P = spatial_screw(x->m, x->w, i, j);
    if (x->second) c[1].P = six_ad(*Yd_of(x->w, i), c->P);
    EACH(k, 0, K) c[k].S = S_of(x->w, l->iv + j)[k];
    free_column(x, &f, K, c);
    EACH(k, 0, K) {
      part_put(x, l->iv + j, k, JN_P, c[k].P);
      part_put(x, l->iv + j, k, JN_P1, c[k].P1);
      part_put(x, l->iv + j, k, JN_X, c[k].X);
      part_put(x, l->iv + j, k, JN_Y, c[k].Y);
    }
  }
}

/* E of joints with several degrees of freedom, orders 0..K-1; the columns of free joints in hybrid and
 * mixed representation, along a direction also in spatial. */
ENTRY_FUNCTION void variation_columns(const variation *x) {
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    if (l->nv > 1 && !x->second) variation_map(x, i, x->K - 1);
    if (link_is_free(l) && x->own && !held_in_space(x)) WITH_ORDER(K, x->K, free_columns(x, i, K));
  }
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
