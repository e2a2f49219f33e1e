/* composite.h (core): sums over subtrees (composites) in the spatial formulation, for the equations
 * of motion and the partial derivatives. */
#ifndef JOUNCE_CORE_SPATIAL_COMPOSITE_H
#define JOUNCE_CORE_SPATIAL_COMPOSITE_H

#include <string.h>

#include "core/spatial/spatial.h"

/* Converts the six columns S (jets, `rows` apart) of a free joint to a velocity v in representation
 * `rep`:
 *   V = S v_body = S A v,   column c of A: constant v = e_c in body representation
 * The joint's transform is known to order K. Scratch: jets 0 and 1, frame. */
static inline void represent_screws(const jn_link *l, const jn_work *w, int rep, int K, six *S) {
  const size_t rows = (size_t)w->rows;
  double *unit = &jet_of(w, 0)->w.x, *A = &jet_of(w, 1)->w.x;
  six *out = (six *)(void *)frame_of(w, 0);
  if (rep == JN_BODY) return;
  for (int c = 0; c < 6; c++) {
    memset(unit, 0, sizeof(double) * 6 * ((size_t)K + 1));
    unit[c] = 1;
    for (int k = 0; k <= K; k++) {
      six s = six_zero();
      twist_to_body(rep, k, free_pose(l, w), free_position(l, w), unit, 6, A, 6);
      for (size_t j = 0; j < 6; j++)
        for (int h = 0; h <= k; h++)
          s = six_add(s, six_scale(A[6 * (size_t)(k - h) + j], S[j * rows + (size_t)h]));
      out[(size_t)c * rows + (size_t)k] = s;
    }
  }
  memcpy(S, out, sizeof(six) * 6 * rows);
}

#ifndef JN_BAKED
/* Order 0 without motion: poses, screws S for v in the user's representation, inertias Ms. */
static inline jn_status start_at_rest(const jn_model *m, jn_data *data, const double *q) {
  jn_status status = jn_load_state(m, data, 0, q, NULL);
  if (status) return status;
  const jn_work *w = &data->w;
  data->kinematics = -2;
  memset(w->io, 0, sizeof(double) * (size_t)m->nv);
  boundary_motion_in(m, w, JN_BODY, 0, 0);
  place_joints(m, w);
  place_poses(m, data);
  for (int i = 0; i < m->nlink; i++) {
    spatial_screws(m, w, i);
    const jn_link *l = &m->link[i];
    if (link_is_free(l))
      represent_screws(l, w, (int)data->settings.representation, 0, S_of(w, l->iv));
    *Ms_of(w, i) = spatial_inertia(m, w, i);
  }
  return JN_OK;
}

/* Along a motion v[(K+1) x nv]: poses, screws to order K+1 for v in the user's representation,
 * twists and inertias to order K. */
static inline jn_status start_in_motion(const jn_model *m, jn_data *data, int K, const double *q,
                                        const double *v) {
  jn_status status = jn_load_state(m, data, K + 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const int rep = (int)data->settings.representation;
  data->kinematics = -2;
  boundary_motion_in(m, w, rep, 0, K);
  place_joints(m, w);
  place_poses(m, data);
  spatial_kinematics(m, w, K);
  spatial_inertias(m, w, K);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    spatial_screw_step(l, w, K + 1, Vs_of(w, i));
    if (!link_is_free(l)) continue;
    joint_step(l, K + 1, q_of(w, l->iq), v_of(w, l->iv), m->nv, X_of(w, l->ix));
    represent_screws(l, w, rep, K + 1, S_of(w, l->iv));
  }
  return JN_OK;
}
#endif

/* Sums over subtrees, from the leaves to the root, of the first `used` numbers of each block. */
static inline void add_to_parents(const jn_model *m, double *x, size_t block, size_t used) {
  for (int i = m->nlink - 1; i > 0; i--) {
    const double *a = x + block * (size_t)i;
    double *p = x + block * (size_t)m->link[i].parent;
    for (size_t n = 0; n < used; n++) p[n] += a[n];
  }
}

/* copies the upper half of M[n x n] to the lower one, two rows at a time */
static inline void mirror_upper(size_t n, double *M) {
  for (size_t i = 1; i < n; i += 2) {
    const double *from = M + i;
    double *row = M + i * n, *next = row + n;
    if (i + 1 < n) {
      for (size_t j = 0; j < i; j++, from += n) row[j] = from[0], next[j] = from[1];
      next[i] = from[1];
    } else {
      for (size_t j = 0; j < i; j++, from += n) row[j] = from[0];
    }
  }
}

/* M, C [(K+1) x nv x nv] (either may be NULL), derivatives of orders 0..K, from the composites Ms
 * and, for C, Bs (equations_of_motion.c). One pass over all pairs of a link and an ancestor or
 * itself; other entries are not written. `write` = 0 only checks that all entries are finite. */
int jn_composite_matrices(const jn_model *m, const jn_work *w, int K, double *M, double *C,
                          int write);

/* a column of v and its link; last_of: last column of a link, before: next one towards the root */
typedef struct dof {
  int column, link;
} dof;

static inline dof last_of(const jn_model *m, int link) {
  while (link >= 0 && !m->link[link].nv) link = m->link[link].parent;
  return (dof){link < 0 ? -1 : m->link[link].iv + m->link[link].nv - 1, link};
}
static inline dof before(const jn_model *m, dof d) {
  if (d.column > m->link[d.link].iv) return (dof){d.column - 1, d.link};
  return last_of(m, m->link[d.link].parent);
}

#endif
