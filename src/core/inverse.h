/* inverse.h (core): inverse dynamics of order r, body formulation (CoRNEA; H-GRNE-FBS in body frames).
 *   forward:   V_k = sum X_i (T V_parent)_(k-i) + S v_k        k = 0..r+1
 *              F_k = (k+1) h_(k+1) + sum V_i x* h_(k-i) - ext_k  k = 0..r
 *   backward:  tau_k = S^T F_k + armature (k+1) v_(k+1) + damping v_k
 *              F_parent,k += T^T sum X_i^T F_(k-i) */
#ifndef JOUNCE_CORE_INVERSE_H
#define JOUNCE_CORE_INVERSE_H

static inline void kinematics_pass(const jn_model *m, const jn_work *w, int rows, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *Vp = l->parent < 0 ? (const six *)w->world : (const six *)w->V + (size_t)l->parent * rows;
    link_motion(l, K, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp,
                (real *)w->X + (size_t)l->ix * rows, (six *)w->U + (size_t)i * rows,
                (six *)w->V + (size_t)i * rows);
  }
}

static inline void inverse_pass(const jn_model *m, const jn_work *w, int rows, int r, int damping, int external) {
  int nv = m->nv;
  six *Fall = (six *)w->F;
  const six *ext = (const six *)w->ext;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *V = (const six *)w->V + (size_t)i * rows;
    six *H = (six *)w->row, *F = Fall + (size_t)i * rows;
    for (int k = 0; k <= r + 1; k++) H[k] = link_spin(l, V[k]);
    for (int k = 0; k <= r; k++) F[k] = link_wrench(l, k, V, H, six_times(k + 1, H[k + 1]));
    if (external)
      for (int k = 0; k <= r; k++) F[k] = six_sub(F[k], ext[(size_t)i * rows + k]);
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const six *F = Fall + (size_t)i * rows;
    const real *v = (const real *)w->v + l->iv;
    real *tau = (real *)w->tau + l->iv;
    for (int k = 0; k <= r; k++) {
      joint_project(l, F[k], tau + k * nv);
      for (int j = 0; j < l->nv; j++) {
        tau[k * nv + j] += (l->armature * (k + 1)) * v[(k + 1) * nv + j];
        if (damping) tau[k * nv + j] += l->damping * v[k * nv + j];
      }
    }
    if (l->parent < 0) continue;
    six *Fp = Fall + (size_t)l->parent * rows;
    const real *X = (const real *)w->X + (size_t)l->ix * rows;
    for (int k = 0; k <= r; k++) Fp[k] = six_add(Fp[k], offset_force(l, joint_force(l->kind, k, 0, X, F)));
  }
}

#endif
