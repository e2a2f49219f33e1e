/* partials.c: computes the jets of partials.h. */
#include <jounce/jet.h>
#include <string.h>

#include "core/derivatives/motion.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

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
  memset(jet, 0, sizeof(double) * 6 * ((size_t)x->K + 1));
  memcpy(jet, a->wrench, sizeof(double) * 6 * (x->second ? 1 : (size_t)x->K + 1));
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

void jn_variation_moving(const variation *x) {
  memset(x->w->Ns, 0, sizeof(double) * 36 * (size_t)x->rows * (size_t)x->m->nlink);
  for (int n = 0; n < x->external->wrench_count; n++)
    moving_wrench(x, &x->external->wrenches[n], x->w->frame);
}

static void load_wrenches(variation *x, const jn_external *external) {
  x->external = external;
  x->loaded = external && external->wrench_count > 0;
  if (!x->loaded) return;
  for (int k = 0; k <= x->K; k++) jn_external_spatial(x->m, x->data, external, k);
  for (int n = 0; n < external->wrench_count; n++)
    x->moving |= external->wrenches[n].representation != JN_BODY;
  if (x->moving) jn_variation_moving(x);
}

jn_status jn_variation_start(const jn_model *m, jn_data *data, int K, const double *q,
                             const double *v, const jn_external *external, variation *x) {
  jn_status status = jn_load_state(m, data, K + 2, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows, rep = data->settings.representation;
  *x = (variation){.m = m, .data = data, .w = w, .rows = rows, .K = K};
  x->width = data->engine->freedom_lanes;
  x->own = rep != JN_BODY && m->nfree > 0;
  data->kinematics = -2;
  data->engine->variation_motion(x);
  data->engine->freedoms_links(x);
  load_wrenches(x, external);
  return JN_OK;
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
  variation_wrench_by_phi(x->K, all, c);
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

void jn_variation_columns(const variation *x) {
  x->data->engine->freedoms_columns(x);
  x->data->engine->variation_columns(x);
}

void jn_variation_composites(const variation *x, int subtrees) {
  x->data->engine->variation_composites(x, subtrees);
}

void jn_variation_carry(const variation *x) {
  jn_variation_composites(x, 1);
  x->data->engine->freedoms_carry(x);
  if (needs_own_rows(x)) x->data->engine->variation_own_rows(x);
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

/* All entries are sums of products of the parts of columns with each other, E, and factors up to
 * (K+1)!. A sum over orders of the products of two parts is at most the sum of their squares; an
 * entry has three. */
double jn_variation_bound(const variation *x) {
  const jn_work *w = x->w;
  size_t n = (size_t)x->K + 1;
  double columns = 1 + 3 * x->data->engine->freedoms_magnitude(x), maps = 1,
         factor = 4.0 * (double)(n + 1) * (double)(n + 1);
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    for (int j = l->iv; l->nv > 1 && j < l->iv + l->nv; j++) {
      if (!x->second && n > 1) maps += jn_magnitude(Ev_of(w, j), 6 * (n - 1));
      if (link_is_free(l) && needs_own_rows(x)) columns += jn_magnitude(Ow_of(w, j), 6 * n);
    }
    columns += l->armature + l->damping;
  }
  for (int k = 2; k <= x->K + 1; k++) factor *= k;
  return factor * maps * columns;
}
