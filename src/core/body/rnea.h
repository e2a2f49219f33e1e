/* rnea.h (core): recursive Newton-Euler algorithm (RNEA) of order r, body formulation: kinematics
 * and inverse dynamics (CoRNEA of samy2021; H-GRNE-FBS of ali2026 in body frames).
 *
 *   forward    V_k   = sum_i X_i (T V_parent)_(k-i) + S v_k                           k = 0..r+1
 *              F_k   = (k+1) h_(k+1) + sum_i V_i x* h_(k-i) + I (0, y_k) - ext_k      k = 0..r
 *   backward   tau_k = S^T F_k + armature (k+1) v_(k+1) + damping v_k
 *              F_parent,k += T^T sum_i X_i^T F_(k-i)
 *
 * h = I V; T and X transform twists from parent to child, T^T and X^T wrenches back. */
#ifndef JOUNCE_CORE_BODY_RNEA_H
#define JOUNCE_CORE_BODY_RNEA_H

#include "core/body/base.h"
#include "core/body/link_view.h"

/* Visit of one link, after its parent: V_0..V_K and, if `wrenches`, F_0..F_(K-1) of its own motion
 * and weight. H: room for K+1 twists; it holds the parent's twist u, then (J w, velocity of the
 * centre of mass). fall: the world accelerates by -g, which costs nothing and is exact for order 0
 * (link.h). first: the base, where it starts; turning: the jets R of its rotation, or NULL. */
INLINE void rnea_visit(const link_view *at, int nv, int K, int fall, int first,
                       const base_jet *turning, int wrenches, six *restrict H) {
  const jn_link *l = at->link;
  link_transform *XT = link_transform_of(at, K - 1);
  six *restrict V = at->V, *restrict F = at->F;
  v3 *restrict y = at->Y;
  if (XT) link_transform_make(l, at->q, at->X, XT);
  link_motion(l, K, at->q, at->v, nv, at->Vp, at->X, XT, H, V);
  if (fall && first) V[1].v = v3_add(V[1].v, gravity_start(l, at->X, XT, at->Yp));
  if (!wrenches) return;
  EACH(k, 0, K) H[k] = link_spin(l, V[k]);
  y[0] = fall ? v3_zero() : gravity_start(l, at->X, XT, at->Yp);
  if (turning) {
    EACH_COMPACT(k, 1, K - 1, y[k] = v3_columns_at(turning[k].row, at->Yp)); /* R_k^T y */
  } else {
    EACH_LOW_FIRST(1, k, 1, K - 1, y[k] = gravity_step(k, V, y));
  }
  EACH_LOW_FIRST(1, k, 0, K - 1, F[k] = link_wrench(l, k, V, H, link_top(k, H[k + 1], y[k])));
}

/* End of one link, after all its children, the last child first: tau_0..tau_r, and F to the
 * parent. */
INLINE void rnea_finish(const link_view *at, int nv, int r, int damping, int external) {
  six *F = at->F;
  if (external)
    for (int k = 0; k <= r; k++) F[k] = six_sub(F[k], at->ext[k]);
  link_force(at->link, r, F, at->X, link_transform_of(at, r), at->v, at->tau, nv, damping, at->Fp);
}

#ifndef JN_BAKED
/* All links of a model, in the working memory. */
INLINE void rnea_outward(const jn_model *m, const jn_work *w, int K, int fall, int wrenches) {
  six *restrict H = jet_of(w, 0);
  const base_jet *turning = NULL;
#ifdef JN_PADDED /* strict results are those of generated code, which has no jets of a base */
  if (w->turning) turning = base_of(w);
#endif
  place_joints(m, w);
  for (int i = 0; i < m->nlink; i++)
    rnea_visit(link_view_of(w, i), m->nv, K, fall, i == 0, i == 0 ? turning : NULL, wrenches, H);
}

INLINE void rnea_inward(const jn_model *m, const jn_work *w, int r, int damping, int external) {
  for (int i = m->nlink - 1; i >= 0; i--)
    rnea_finish(link_view_of(w, i), m->nv, r, damping, external);
}
#endif

#endif
