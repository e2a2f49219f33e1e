/* inverse.h (core): kinematics and inverse dynamics of order r, body formulation (CoRNEA;
 * H-GRNE-FBS in body frames). forward:   V_k = sum X_i (T V_parent)_(k-i) + S v_k        k = 0..r+1
 *              F_k = (k+1) h_(k+1) + sum V_i x* h_(k-i) + m y_k - ext_k  k = 0..r
 *   backward:  tau_k = S^T F_k + armature (k+1) v_(k+1) + damping v_k
 *              F_parent,k += T^T sum X_i^T F_(k-i) */
#ifndef JOUNCE_CORE_INVERSE_H
#define JOUNCE_CORE_INVERSE_H

/* V_0..V_K of every link and, if asked, F_0..F_(K-1) of its own motion and weight. What a link
 * needs of its parent's twists and momenta is scratch. fall: the world's acceleration is -g, which
 * for order 0 is the same and costs nothing (link.h) */
ALWAYS void motion_pass(const jn_model *m, const jn_work *w, int rows, int K, int fall,
                        int wrenches) {
  six *Vall = (six *)w->V, *Fall = (six *)w->F, *restrict H = (six *)w->row;
  const v3 up = load_v3((const real *)w->up);
  v3 *Yall = (v3 *)w->Y;
  place_joints(m, w, rows);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    way *by = way_of(l, w, i, K > 1);
    const six *Vp = l->parent < 0 ? NULL : Vall + (size_t)l->parent * rows;
    six *restrict V = Vall + (size_t)i * rows, *restrict F = Fall + (size_t)i * rows;
    v3 *restrict y = Yall + (size_t)i * rows;
    real *X = (real *)w->X + (size_t)l->ix * rows;
    if (by) way_make(l, (const real *)w->q + l->iq, X, by);
    link_motion(l, K, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp, X, by, H,
                V);
    if (fall && !Vp) V[1].v = v3_add(V[1].v, gravity_start(l, X, by, &up));
    if (!wrenches) continue;
    EACH(k, 0, K) H[k] = link_spin(l, V[k]);
    y[0] = fall ? v3_zero() : gravity_start(l, X, by, Vp ? &Yall[(size_t)l->parent * rows] : &up);
    EACH(k, 1, K - 1) y[k] = gravity_step(k, V, y);
    EACH(k, 0, K - 1) F[k] = link_wrench(l, k, V, H, link_top(k, H[k + 1], y[k]));
  }
}

ALWAYS void force_pass(const jn_model *m, const jn_work *w, int rows, int r, int damping,
                       int external) {
  six *Fall = (six *)w->F;
  const six *ext = (const six *)w->ext;
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    six *F = Fall + (size_t)i * rows, *Fp = l->parent < 0 ? NULL : Fall + (size_t)l->parent * rows;
    if (external)
      for (int k = 0; k <= r; k++) F[k] = six_sub(F[k], ext[(size_t)i * rows + k]);
    link_force(l, r, F, (const real *)w->X + (size_t)l->ix * rows, way_of(l, w, i, r > 0),
               (const real *)w->v + l->iv, (real *)w->tau + l->iv, m->nv, damping, Fp);
  }
}

#endif
