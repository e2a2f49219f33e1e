/* partials.c: computes the jets of partials.h. */
#include <jounce/jet.h>
#include <string.h>

#include "core/derivatives/variation.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* order k of a link's position relative to the base's */
static v3 position_of(const variation *x, int link, int k) {
  if (k == 0) return load_v3(O_of(x->w, link));
  return load_v3(P_of(x->w, link) + 3 * k);
}

/* N of one applied wrench that does not turn with its body, dW = -ad_D^T W + N D, D = (w, v), x the
 * point of application:
 *   hybrid   (x x (f x w) + n x w, f x w)
 *   mixed    (x x (f x w), f x w)
 *   spatial  (n x w + f x v, f x w) = ad_D^T W */
static void moving_wrench(const variation *x, const jn_applied_wrench *a, double *jet) {
  const jn_frame *f = &x->m->frame[a->frame];
  if (f->body < 0 || a->representation == JN_BODY) return;
  int link = x->m->body_link[f->body], rep = (int)a->representation;
  jn_pose E = jn_pose_mul(x->m->body_pose[f->body], f->pose);
  v3 pE = v3_make(E.p.x, E.p.y, E.p.z), *point = (v3 *)(void *)(jet + 6 * (size_t)x->rows);
  memcpy(jet, a->wrench, sizeof(double) * 6 * ((size_t)x->K + 1));
  jn_jet_to_taylor(x->K, 6, jet);
  for (int k = 0; k <= x->K; k++)
    point[k] = v3_add(position_of(x, link, k), m3_apply(R_of(x->w, link) + 9 * k, pE));
  for (int k = 0; k <= x->K; k++) {
    six *N = Ns_of(x->w, link) + 6 * k;
    v3 n = load_v3(jet + 6 * k), force = load_v3(jet + 6 * k + 3);
    if (rep == JN_SPATIAL) n = v3_add_cross_exact(n, force, base_position(x->data));
    for (int c = 0; c < 3; c++) {
      v3 e = v3_make(c == 0, c == 1, c == 2), s = rep == JN_MIXED ? v3_zero() : v3_cross(n, e);
      for (int h = 0; h <= k && rep != JN_SPATIAL; h++)
        s = v3_add(s, v3_cross(point[h], v3_cross(load_v3(jet + 6 * (k - h) + 3), e)));
      N[c] = six_add(N[c], (six){s, v3_cross(force, e)});
      if (rep == JN_SPATIAL) N[c + 3].w = v3_add(N[c + 3].w, v3_cross(force, e));
    }
  }
}

static void load_wrenches(variation *x, const jn_external *external) {
  x->loaded = external && external->wrench_count > 0;
  if (!x->loaded) return;
  for (int k = 0; k <= x->K; k++) jn_external_spatial(x->m, x->data, external, k);
  for (int n = 0; n < external->wrench_count; n++)
    x->moving |= external->wrenches[n].representation != JN_BODY;
  if (!x->moving) return;
  memset(x->w->Ns, 0, sizeof(double) * 36 * (size_t)x->rows * (size_t)x->m->nlink);
  for (int n = 0; n < external->wrench_count; n++)
    moving_wrench(x, &external->wrenches[n], x->w->frame);
}

jn_status jn_variation_start(const jn_model *m, jn_data *data, int K, const double *q,
                             const double *v, const jn_external *external, variation *x) {
  jn_status status = jn_load_state(m, data, K + 2, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows, rep = data->settings.representation;
  *x = (variation){.m = m, .data = data, .w = w, .rows = rows, .K = K};
  x->width = data->engine->freedom_lanes;
  data->kinematics = -2;
  boundary_motion_in(m, w, rep, 0, K + 1);
  place_joints(m, w);
  place_poses(m, data);
  spatial_kinematics(m, w, K + 1);
  six G = {v3_zero(), settings_gravity(&data->settings)};
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *V = Vs_of(x->w, i);
    six *a = As_of(w, i);
    for (int k = 0; k <= K; k++) a[k] = six_times(k + 1, V[k + 1]);
    a[0] = six_sub(a[0], G);
    *Ms_of(w, i) = spatial_inertia(m, w, i);
    inertia10_jets(K, V, Ms_of(w, i), Md_of(w, i));
    for (int c = 0; c < l->nv; c++) part_put(x, l->iv + c, 0, JN_P, *S_of(w, l->iv + c));
    if (!link_is_free(l) || rep == JN_BODY) continue;
    x->own = 1;
    for (int k = 1; k <= K + 1; k++) spatial_pose_step(w, i, k);
    represent_screws(l, w, rep, K, S_of(w, l->iv));
  }
  load_wrenches(x, external);
  return JN_OK;
}

/* N e_c of a joint with several degrees of freedom, from one order of its given velocity u */
static six variation_rate(int freedoms, int rep, const double *u, int c) {
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
static void variation_map(const variation *x, int i, int last) {
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

static extra_transport extra_transport_of(const variation *x, int i) {
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
static six extra_transport_step(const variation *x, int i, const extra_transport *b, int k,
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
static six carried_by_parent(const variation *x, int parent, int k, const column_jet *c) {
  six s = six_zero();
  if (parent < 0) return s;
  const six *V = Vs_of(x->w, parent);
  for (int h = 0; h <= k; h++) s = six_add(s, six_ad(V[h], c[k - h].P));
  return s;
}

/* A free joint in another representation: X = P'' - ad_G P, with P'' from one more order of P'. */
static void represented_column(const variation *x, int i, const extra_transport *b, column_jet *c) {
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

void jn_variation_columns(const variation *x) {
  column_jet *c = (column_jet *)(void *)x->w->pc;
  x->data->engine->freedoms_columns(x);
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    if (l->nv > 1 && !x->second) variation_map(x, i, x->K + 1);
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

void jn_variation_column(const variation *x, int i, column_jet *c) {
  const jn_work *w = x->w;
  const int parent = x->m->link[i].parent;
  six *rest = jet_of(w, 0), *fall = jet_of(w, 1);
  memset(rest, 0, sizeof(six) * (size_t)x->rows);
  memset(fall, 0, sizeof(six) * (size_t)x->rows);
  fall->v = v3_times(-1.0, settings_gravity(&x->data->settings));
  variation_transport(x->K, 0, parent < 0 ? rest : Vs_of(x->w, parent),
                      parent < 0 ? fall : As_of(x->w, parent), c);
  const carried all = {Ms_of(w, i), Md_of(w, i), Ps_of(w, i), Ws_of(w, i),
                       x->moving ? Ns_of(w, i) : NULL};
  variation_wrenches(x->K, all, c);
}

void jn_variation_composites(const variation *x, int subtrees) {
  const jn_work *w = x->w;
  size_t rows = (size_t)x->rows, n = (size_t)x->K + 1;
  for (int i = 0; i < x->m->nlink; i++) {
    const six *V = Vs_of(x->w, i), *a = As_of(x->w, i);
    const inertia10 *M = Ms_of(w, i), *Md = Md_of(w, i);
    six *P = Ps_of(w, i), *W = Ws_of(w, i);
    for (int k = 0; k <= x->K; k++) {
      six p = six_zero(), f = six_zero();
      for (int h = 0; h <= k; h++) {
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

/* With w of P, p the position, r = P.v + w x p:
 *   spatial  dS = 0
 *   hybrid   dS = (0, r x S.w)
 *   mixed    dS = (w x S.w, r x S.w + p x (w x S.w)) */
void jn_variation_own_screw(const variation *x, int i, int d, int c, six *D) {
  const jn_link *l = &x->m->link[i];
  int K = x->K, rep = (int)x->data->settings.representation;
  const six *S = S_of(x->w, l->iv + d);
  six *P = jet_of(x->w, 1);
  v3 *r = (v3 *)(void *)jet_of(x->w, 2), *t = (v3 *)(void *)jet_of(x->w, 3);
  for (int k = 0; k <= K; k++) P[k] = part_of(x, l->iv + c, k, JN_P);
  for (int k = 0; k <= K; k++) {
    D[k] = six_zero();
    r[k] = P[k].v;
    t[k] = v3_zero();
    for (int h = 0; h <= k; h++) {
      D[k] = six_sub(D[k], six_ad(P[h], S[k - h]));
      r[k] = v3_add(r[k], v3_cross(P[k - h].w, position_of(x, i, h)));
      t[k] = v3_add(t[k], v3_cross(P[h].w, S[k - h].w));
    }
    if (rep == JN_SPATIAL) continue;
    for (int h = 0; h <= k; h++) D[k].v = v3_add(D[k].v, v3_cross(r[h], S[k - h].w));
    if (rep == JN_HYBRID) continue;
    D[k].w = v3_add(D[k].w, t[k]);
    for (int h = 0; h <= k; h++) D[k].v = v3_add(D[k].v, v3_cross(position_of(x, i, h), t[k - h]));
  }
}

/* The force of a free joint varies in addition by (dS - ad_P S)^T Wc, for the joint's own columns
 * P. */
static void own_row(const variation *x, int i, int d) {
  const jn_link *l = &x->m->link[i];
  const six *W = Ws_of(x->w, i);
  six *D = jet_of(x->w, 0);
  for (int c = 0; c < 6; c++) {
    jn_variation_own_screw(x, i, d, c, D);
    for (int k = 0; k <= x->K; k++)
      Ow_of(x->w, (l->iv + d))[6 * k + c] = spatial_project(k, 0, D, W);
  }
}

void jn_variation_carry(const variation *x) {
  jn_variation_composites(x, 1);
  x->data->engine->freedoms_carry(x);
  for (int i = 0; i < x->m->nlink && x->own; i++)
    for (int c = 0; c < 6 && link_is_free(&x->m->link[i]); c++) own_row(x, i, c);
}

jn_status jn_variation_all(const jn_model *m, jn_data *data, int K, const double *q,
                           const double *v, const jn_external *external, variation *x) {
  jn_status status = jn_check_call(m, data, K, external);
  if (!status) status = jn_variation_start(m, data, K, q, v, external, x);
  if (status) return status;
  jn_variation_columns(x);
  jn_variation_carry(x);
  return JN_OK;
}

/* All entries are sums of products of screws and covectors with columns, E, and factors up to
 * (K+1)!. */
double jn_variation_bound(const variation *x) {
  const jn_work *w = x->w;
  size_t n = (size_t)x->K + 1;
  double columns = 1, screws = 1, maps = 1, own = 0,
         factor = 4.0 * (double)(n + 1) * (double)(n + 1);
  for (int j = 0; j < x->m->nv; j += x->width)
    columns += jn_magnitude(column_at(x, j, 0), n * JN_SIZE_column_jet * (size_t)x->width);
  for (int j = 0; j < x->m->nv; j++) {
    screws += jn_magnitude(&S_of(w, j)->w.x, 6 * n);
  }
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    for (int j = l->iv; l->nv > 1 && j < l->iv + l->nv; j++) {
      if (!x->second) maps += jn_magnitude(Ev_of(w, j), 6 * (n + 1));
      if (link_is_free(l) && x->own) own += jn_magnitude(Ow_of(w, j), 6 * n);
    }
    columns += l->armature + l->damping;
  }
  for (int k = 2; k <= x->K + 1; k++) factor *= k;
  return factor * maps * (own + columns * (screws + columns));
}
