/* inverse.h (core): kinematics and inverse dynamics of order r, body formulation (CoRNEA;
 * H-GRNE-FBS in body frames). forward:   V_k = sum X_i (T V_parent)_(k-i) + S v_k        k = 0..r+1
 *              F_k = (k+1) h_(k+1) + sum V_i x* h_(k-i) + m y_k - ext_k  k = 0..r
 *   backward:  tau_k = S^T F_k + armature (k+1) v_(k+1) + damping v_k
 *              F_parent,k += T^T sum X_i^T F_(k-i) */
#ifndef JOUNCE_CORE_INVERSE_H
#define JOUNCE_CORE_INVERSE_H

/* fall: the world's acceleration is -g, which for order 0 is the same and costs nothing (link.h) */
ALWAYS void kinematics_pass(const jn_model *m, const jn_work *w, int rows, int K, int fall) {
  six *Vall = (six *)w->V, *Uall = (six *)w->U;
  place_joints(m, w, rows);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *Vp = l->parent < 0 ? NULL : Vall + (size_t)l->parent * rows;
    link_motion(l, K, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp,
                (real *)w->X + (size_t)l->ix * rows, Uall + (size_t)i * rows,
                Vall + (size_t)i * rows);
    if (fall && !Vp) {
      six *V = Vall + (size_t)i * rows + 1;
      V->v = v3_add(V->v, gravity_start(l, (const real *)w->X + (size_t)l->ix * rows,
                                        load_v3((const real *)w->up)));
    }
  }
}

ALWAYS void inverse_pass(const jn_model *m, const jn_work *w, int rows, int r, int damping,
                         int external, int fall) {
  int nv = m->nv;
  six *Fall = (six *)w->F, *restrict H = (six *)w->row;
  const six *ext = (const six *)w->ext;
  const v3 up = load_v3((const real *)w->up);
  v3 *Yall = (v3 *)w->Y;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const six *restrict V = (const six *)w->V + (size_t)i * rows;
    six *restrict F = Fall + (size_t)i * rows;
    v3 *restrict y = Yall + (size_t)i * rows;
    EACH(k, 0, r + 1) H[k] = link_spin(l, V[k]);
    y[0] = fall ? v3_zero()
                : gravity_start(l, (const real *)w->X + (size_t)l->ix * rows,
                                l->parent < 0 ? up : Yall[(size_t)l->parent * rows]);
    EACH(k, 1, r) y[k] = gravity_step(k, V, y);
    EACH(k, 0, r) F[k] = link_wrench(l, k, V, H, link_top(k, H[k + 1], y[k]));
    if (external)
      for (int k = 0; k <= r; k++) F[k] = six_sub(F[k], ext[(size_t)i * rows + k]);
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const six *F = Fall + (size_t)i * rows;
    six *Fp = l->parent < 0 ? NULL : Fall + (size_t)l->parent * rows;
    link_force(l, r, F, (const real *)w->X + (size_t)l->ix * rows, (const real *)w->v + l->iv,
               (real *)w->tau + l->iv, nv, damping, Fp);
  }
}

#endif
