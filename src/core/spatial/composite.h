/* composite.h (core): sums over subtrees in the spatial formulation, shared by the closed form
 * and the partial derivatives. Include core/core.h and core/spatial/spatial.h first. */
#ifndef JOUNCE_CORE_COMPOSITE_H
#define JOUNCE_CORE_COMPOSITE_H

#include <string.h>

/* The screws of a free joint for the velocity as the user holds it: V = S v_user, S = Ad_C A, where
 * v_body = A v_user; column c of A is what a constant v_user = e_c becomes in body representation.
 * Bs and row are scratch. */
static inline void represent_screws(const jn_model *m, jn_data *data, int i, int K) {
  const jn_work *w = &data->w;
  const jn_link *l = &m->link[i];
  int rows = data->rows, rep = data->settings.representation;
  double *unit = w->Bs, *A = w->Bs + 6 * (size_t)rows, *out = w->row;
  if (rep == JN_BODY) return;
  for (int c = 0; c < 6; c++) {
    memset(unit, 0, sizeof(double) * 6 * ((size_t)K + 1));
    unit[c] = 1;
    for (int k = 0; k <= K; k++) {
      six s = six_zero();
      twist_to_body(rep, k, free_pose(l, w, rows), free_position(l, w), unit, 6, A, 6);
      for (int j = 0; j < 6; j++) {
        const six *S = screw_of(w, rows, l->iv + j);
        for (int h = 0; h <= k; h++) s = six_add(s, six_scale(A[6 * (k - h) + j], S[h]));
      }
      double *o = out + 6 * ((size_t)c * rows + (size_t)k);
      store_v3(o, s.w);
      store_v3(o + 3, s.v);
    }
  }
  memcpy(screw_of(w, rows, l->iv), out, sizeof(double) * 36 * (size_t)rows);
}

/* Positions alone: poses, screws S and inertias Ms of order 0, for v as the user holds it. */
static inline jn_status start_at_rest(const jn_model *m, jn_data *data, const double *q) {
  jn_status status = jn_load_state(m, data, 0, q, NULL);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows;
  data->kinematics = -2;
  memset(w->io, 0, sizeof(double) * (size_t)m->nv);
  boundary_motion_in(m, w, rows, JN_BODY, 0, 0);
  place_joints(m, w, rows);
  place_links(m, w, rows);
  v3 base = place_world(m, w, rows);
  data->base = (jn_vec3){base.x, base.y, base.z};
  for (int i = 0; i < m->nlink; i++) {
    spatial_screws(m, w, rows, i);
    if (m->link[i].kind == JN_K_FREE) represent_screws(m, data, i, 0);
    ((inertia10 *)w->Ms)[(size_t)i * (size_t)rows] = spatial_inertia(m, w, rows, i);
  }
  return JN_OK;
}

/* Every number of the screws and inertias of order 0 so small that no product of them overflows. */
static inline int moderate_at_rest(const jn_model *m, const jn_work *w, int rows) {
  int small = 1;
  for (int i = 0; i < m->nlink; i++) {
    const double *M = w->Ms + 10 * (size_t)i * (size_t)rows;
    for (int n = 0; n < 10; n++) small &= fabs(M[n]) < JN_MODERATE;
  }
  for (int c = 0; c < m->nv; c++) {
    const double *S = w->S + 6 * (size_t)c * (size_t)rows;
    for (int n = 0; n < 6; n++) small &= fabs(S[n]) < JN_MODERATE;
  }
  return small;
}

/* Sums over the subtrees: every link's block to its parent's, tips first; `used` numbers of each
 * block. */
static inline void add_to_parents(const jn_model *m, double *x, size_t block, size_t used) {
  for (int i = m->nlink - 1; i > 0; i--) {
    const double *a = x + block * (size_t)i;
    double *p = x + block * (size_t)m->link[i].parent;
    for (size_t n = 0; n < used; n++) p[n] += a[n];
  }
}

#endif
