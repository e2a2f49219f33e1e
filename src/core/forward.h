/* forward.h (core): hybrid dynamics of order r, body formulation (H-GHYB-FBS in body frames). With no joint
 * prescribed it is forward dynamics (H-GABI-FBS), with every joint prescribed inverse dynamics.
 *
 * With a = (k+1) V_(k+1) and x = (k+1) v_(k+1) of order k:
 *   a = X_0 T a_parent + S x + b,   b = (k+1) sum_(i>=1) X_i u_(k+1-i)      u: parent's twist at the joint
 *   F_k = IA a + p
 * IA does not depend on k (Lemma 2) and is factored once. */
#ifndef JOUNCE_CORE_FORWARD_H
#define JOUNCE_CORE_FORWARD_H

/* symmetric six by six [A B; B^T C]: A xx xy xz yy yz zz, B row-major, C as A */
typedef struct sym6 { real A[6], B[9], C[6]; } sym6;

static inline v3 sym3_apply(const real *J, v3 a) {
  return v3_make(J[0] * a.x + J[1] * a.y + J[2] * a.z, J[1] * a.x + J[3] * a.y + J[4] * a.z,
                 J[2] * a.x + J[4] * a.y + J[5] * a.z);
}
static inline six sym6_apply(const sym6 *I, six a) {
  return (six){v3_add(sym3_apply(I->A, a.w), m3_apply(I->B, a.v)),
               v3_add(m3_apply_t(I->B, a.w), sym3_apply(I->C, a.v))};
}

/* rigid body: A = J - m [c][c], B = m [c], C = m */
static inline sym6 sym6_rigid(const jn_link *l) {
  sym6 I = {{0}, {0}, {0}};
  const double m = l->m, *c = l->c, *J = l->J;
  I.A[0] += J[0] + m * (c[1] * c[1] + c[2] * c[2]);
  I.A[1] += J[1] - m * c[0] * c[1];
  I.A[2] += J[2] - m * c[0] * c[2];
  I.A[3] += J[3] + m * (c[0] * c[0] + c[2] * c[2]);
  I.A[4] += J[4] - m * c[1] * c[2];
  I.A[5] += J[5] + m * (c[0] * c[0] + c[1] * c[1]);
  I.B[1] += -m * c[2], I.B[2] += m * c[1];
  I.B[3] += m * c[2], I.B[5] += -m * c[0];
  I.B[6] += -m * c[1], I.B[7] += m * c[0];
  I.C[0] += m, I.C[3] += m, I.C[5] += m;
  return I;
}

/* I -= s a a^T */
static inline void sym6_downdate(sym6 *I, real s, six a) {
  v3 w = v3_scale(s, a.w), v = v3_scale(s, a.v);
  I->A[0] -= w.x * a.w.x, I->A[1] -= w.x * a.w.y, I->A[2] -= w.x * a.w.z;
  I->A[3] -= w.y * a.w.y, I->A[4] -= w.y * a.w.z, I->A[5] -= w.z * a.w.z;
  I->B[0] -= w.x * a.v.x, I->B[1] -= w.x * a.v.y, I->B[2] -= w.x * a.v.z;
  I->B[3] -= w.y * a.v.x, I->B[4] -= w.y * a.v.y, I->B[5] -= w.y * a.v.z;
  I->B[6] -= w.z * a.v.x, I->B[7] -= w.z * a.v.y, I->B[8] -= w.z * a.v.z;
  I->C[0] -= v.x * a.v.x, I->C[1] -= v.x * a.v.y, I->C[2] -= v.x * a.v.z;
  I->C[3] -= v.y * a.v.y, I->C[4] -= v.y * a.v.z, I->C[5] -= v.z * a.v.z;
}

/* out = R J R^T, symmetric */
static inline void sym3_rotate(const real *R, const real *J, real *out) {
  v3 r[3];
  for (int i = 0; i < 3; i++) r[i] = sym3_apply(J, load_v3(R + 3 * i));
  out[0] = v3_dot(load_v3(R), r[0]);
  out[1] = v3_dot(load_v3(R), r[1]);
  out[2] = v3_dot(load_v3(R), r[2]);
  out[3] = v3_dot(load_v3(R + 3), r[1]);
  out[4] = v3_dot(load_v3(R + 3), r[2]);
  out[5] = v3_dot(load_v3(R + 6), r[2]);
}

/* I += the child's inertia a, the child's frame at x = R x' + p:
 *   rotate all blocks, then B += [p] C,  A += [p] B_old^T - B_new [p] */
static inline void sym6_add_moved(sym6 *I, const sym6 *a, const real *R, v3 p) {
  real A[6], B[9], C[6], t[9], full[9];
  sym3_rotate(R, a->A, A);
  sym3_rotate(R, a->C, C);
  m3_mul(R, a->B, t);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B[3 * i + j] = t[3 * i] * R[3 * j] + t[3 * i + 1] * R[3 * j + 1] + t[3 * i + 2] * R[3 * j + 2];
  real Cf[9] = {C[0], C[1], C[2], C[1], C[3], C[4], C[2], C[4], C[5]};
  real Bt[9] = {B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]};
  m3_add_hat_mul(p, Cf, B);
  m3 z = {{0}};
  for (int j = 0; j < 9; j++) full[j] = z.m[j];
  m3_add_hat_mul(p, Bt, full);
  m3_add_mul_hat(B, v3_times(-1.0, p), full);
  I->A[0] += A[0] + full[0], I->A[1] += A[1] + full[1], I->A[2] += A[2] + full[2];
  I->A[3] += A[3] + full[4], I->A[4] += A[4] + full[5], I->A[5] += A[5] + full[8];
  for (int j = 0; j < 9; j++) I->B[j] += B[j];
  for (int j = 0; j < 6; j++) I->C[j] += C[j];
}

/* LDL^T of the n x n matrix S^T IA S + armature, S = column[n]; D[n x 6] holds rows of L and 1/d on the
 * diagonal, UA = IA S. Returns whether every pivot is clearly positive against the inertia it was taken from. */
static inline int joint_factor(int n, const six *column, double armature, const sym6 *I, real *D, six *UA) {
  int good = 1;
  real tw = I->A[0] + I->A[3] + I->A[5], tv = I->C[0] + I->C[3] + I->C[5];
  real S[6][6];
  for (int j = 0; j < n; j++) {
    UA[j] = sym6_apply(I, column[j]);
    for (int i = 0; i <= j; i++) S[j][i] = six_dot(column[i], UA[j]);
    S[j][j] += armature;
  }
  for (int j = 0; j < n; j++) {
    six s = column[j];
    real scale = v3_dot(s.w, s.w) * tw + v3_dot(s.v, s.v) * tv + armature;
    real d = S[j][j];
    for (int i = 0; i < j; i++) {
      real t = S[j][i];
      for (int h = 0; h < i; h++) t -= D[6 * j + h] * D[6 * i + h] * S[h][h];
      D[6 * j + i] = t * D[6 * i + i];
      d -= D[6 * j + i] * D[6 * j + i] * S[i][i];
    }
    good &= real_greater(d, 1e-13 * scale);
    S[j][j] = d;
    D[6 * j + j] = 1.0 / d;
  }
  return good;
}

/* Factor, then take the joint's freedom out of the inertia: I -= UA (S^T IA S)^-1 UA^T. */
static inline int joint_eliminate(int n, const six *column, double armature, sym6 *I, real *D, six *UA) {
  six c[6];
  int good = joint_factor(n, column, armature, I, D, UA);
  for (int j = 0; j < n; j++) {
    /* c = L^-1 UA, I -= c c^T / d */
    c[j] = UA[j];
    for (int h = 0; h < j; h++) c[j] = six_sub(c[j], six_scale(D[6 * j + h], c[h]));
    sym6_downdate(I, D[6 * j + j], c[j]);
  }
  return good;
}

/* y = (L D L^T)^-1 y */
static inline void joint_solve(int n, const real *D, real *y) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) y[j] -= D[6 * j + i] * y[i];
  for (int j = 0; j < n; j++) y[j] *= D[6 * j + j];
  for (int j = n - 2; j >= 0; j--)
    for (int i = j + 1; i < n; i++) y[j] -= D[6 * i + j] * y[i];
}

/* Articulated inertias of all links and the factors of their joints. Returns the outermost joint whose
 * inertia vanishes, or -1. */
static inline int articulate(const jn_model *m, const jn_work *w, const unsigned char *prescribed) {
  sym6 *IA = (sym6 *)w->IA;
  int bad = -1;
  for (int i = 0; i < m->nlink; i++) IA[i] = sym6_rigid(&m->link[i]);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    int free_force = !(prescribed && prescribed[l->joint]);
    real *D = (real *)w->D + 6 * (size_t)l->iv;
    six *UA = (six *)w->UA + l->iv;
    sym6 a = IA[i];
    if (l->nv && free_force) {
      six S[6];
      for (int j = 0; j < l->nv; j++) S[j] = joint_column(l, j);
      if (!joint_eliminate(l->nv, S, l->armature, &a, D, UA) && bad < 0) bad = l->joint;
    }
    if (l->parent >= 0) {
      const real *E = (const real *)w->E + 12 * (size_t)i;
      sym6_add_moved(&IA[l->parent], &a, E, load_v3(E + 9));
    }
  }
  return bad;
}

/* Positions and first velocities: X_0, u_0, V_0, H_0. */
static inline void forward_start(const jn_model *m, const jn_work *w, int rows) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = (six *)w->V + (size_t)i * rows;
    const six *Vp = l->parent < 0 ? (const six *)w->world : (const six *)w->V + (size_t)l->parent * rows;
    link_motion(l, 0, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp,
                (real *)w->X + (size_t)l->ix * rows, (six *)w->U + (size_t)i * rows, V);
    ((six *)w->H)[(size_t)i * rows] = link_spin(l, V[0]);
  }
}

/* What is known of order k before it is solved: X_(k+1), b, and p = sum V x* h - ext. */
static inline void forward_known(const jn_model *m, const jn_work *w, int rows, int k, int external) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows;
    const six *u = (const six *)w->U + at;
    real *X = (real *)w->X + (size_t)l->ix * rows;
    joint_step(l, k + 1, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, X);
    ((six *)w->b)[i] = six_times(k + 1, joint_motion(l->kind, k + 1, 1, X, u));
    six p = link_wrench(l, k, (const six *)w->V + at, (const six *)w->H + at, six_zero());
    if (external) p = six_sub(p, ((const six *)w->ext)[at + k]);
    ((six *)w->p)[i] = p;
  }
}

/* Bias wrenches from the tips to the base. tau_k of force-driven joints and x of prescribed ones are read
 * from w->e (x and tau share it, joint by joint). */
static inline void forward_bias(const jn_model *m, const jn_work *w, int rows, int k,
                                const unsigned char *prescribed) {
  six *p = (six *)w->p;
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const sym6 *IA = (const sym6 *)w->IA + i;
    six *F = (six *)w->F + (size_t)i * rows;
    real *e = (real *)w->e + l->iv, t[6];
    six pa = six_add(p[i], sym6_apply(IA, ((const six *)w->b)[i]));
    if (prescribed && prescribed[l->joint]) {
      pa = six_add(pa, sym6_apply(IA, joint_add_velocity(l, six_zero(), e)));
    } else if (l->nv) {
      const six *UA = (const six *)w->UA + l->iv;
      joint_project(l, pa, t);
      for (int j = 0; j < l->nv; j++) t[j] = e[j] = e[j] - t[j];
      joint_solve(l->nv, (const real *)w->D + 6 * (size_t)l->iv, t);
      for (int j = 0; j < l->nv; j++) pa = six_add(pa, six_scale(t[j], UA[j]));
    }
    F[k] = pa;
    if (l->parent >= 0) {
      const real *X = (const real *)w->X + (size_t)l->ix * rows;
      p[l->parent] = six_add(p[l->parent], offset_force(l, joint_force(l->kind, k, 0, X, F)));
    }
  }
}

/* From the base to the tips: x, V_(k+1), F_k, and the force of prescribed joints. */
static inline void forward_solve(const jn_model *m, const jn_work *w, int rows, int k,
                                 const unsigned char *prescribed, int damping) {
  int nv = m->nv;
  double inverse = 1.0 / (k + 1);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows;
    six *V = (six *)w->V + at, *u = (six *)w->U + at;
    real *e = (real *)w->e + l->iv, *v = (real *)w->v + l->iv, *tau = (real *)w->tau + l->iv;
    const real *X = (const real *)w->X + (size_t)l->ix * rows;
    six Vp = l->parent < 0 ? ((const six *)w->world)[k + 1] : ((const six *)w->V)[(size_t)l->parent * rows + k + 1];
    int given = prescribed && prescribed[l->joint];
    u[k + 1] = offset_motion(l, Vp);
    six a = six_times(k + 1, joint_motion(l->kind, 0, 0, X, u + k + 1));
    if (!given && l->nv) {
      const six *UA = (const six *)w->UA + l->iv;
      for (int j = 0; j < l->nv; j++) e[j] -= six_dot(UA[j], a);
      joint_solve(l->nv, (const real *)w->D + 6 * (size_t)l->iv, e);
    }
    a = six_add(joint_add_velocity(l, a, e), ((const six *)w->b)[i]);
    V[k + 1] = six_times(inverse, a);
    ((six *)w->H)[at + k + 1] = link_spin(l, V[k + 1]);
    six F = six_add(sym6_apply((const sym6 *)w->IA + i, a), ((const six *)w->p)[i]);
    ((six *)w->F)[at + k] = F;
    if (given) {
      joint_project(l, F, tau + k * nv);
      for (int j = 0; j < l->nv; j++) {
        tau[k * nv + j] += l->armature * e[j];
        if (damping) tau[k * nv + j] += l->damping * v[k * nv + j];
      }
    } else {
      for (int j = 0; j < l->nv; j++) v[(k + 1) * nv + j] = inverse * e[j];
    }
  }
}

#endif
