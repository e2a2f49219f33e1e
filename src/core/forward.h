/* forward.h (core): hybrid dynamics of order r, body formulation (H-GHYB-FBS in body frames). With
 * no joint prescribed it is forward dynamics (H-GABI-FBS), with every joint prescribed inverse
 * dynamics.
 *
 * With a = (k+1) V_(k+1) and x = (k+1) v_(k+1) of order k:
 *   a = X_0 T a_parent + S x + b,   b = (k+1) sum_(i>=1) X_i u_(k+1-i)      u: parent's twist at
 * the joint F_k = IA a + p IA does not depend on k (Lemma 2) and is factored once. */
#ifndef JOUNCE_CORE_FORWARD_H
#define JOUNCE_CORE_FORWARD_H

#include <string.h>

/* symmetric six by six [A B; B^T C], each block by columns; T = B^T once the inertia is complete */
typedef struct sym6 {
  v3 A[3], B[3], C[3], T[3];
} sym6;

ALWAYS six sym6_apply(const sym6 *I, six a) {
  return (six){v3_add(v3_columns(I->A, a.w), v3_columns(I->B, a.v)),
               v3_add(v3_columns(I->T, a.w), v3_columns(I->C, a.v))};
}

/* rigid body: A = J - m [c][c], B = m [c], C = m */
ALWAYS sym6 sym6_rigid(const jn_link *l) {
  sym6 I;
  for (int j = 0; j < 3; j++) {
    I.A[j] = c_vector(l->I4 + 4 * j);
    I.B[j] = c_vector(l->I4 + 12 + 4 * j);
    I.C[j] = c_vector(l->I4 + 24 + 4 * j);
  }
  return I;
}

/* I -= s a a^T */
ALWAYS void sym6_downdate(sym6 *I, real s, six a) {
  const real w[3] = {s * v3_x(a.w), s * v3_y(a.w), s * v3_z(a.w)};
  const real v[3] = {s * v3_x(a.v), s * v3_y(a.v), s * v3_z(a.v)};
  for (int j = 0; j < 3; j++) {
    I->A[j] = v3_sub(I->A[j], v3_scale(w[j], a.w));
    I->B[j] = v3_sub(I->B[j], v3_scale(v[j], a.w));
    I->C[j] = v3_sub(I->C[j], v3_scale(v[j], a.v));
  }
}

/* M = E M E^T by columns; Et: rows of E */
ALWAYS void block_rotate(const v3 *E, const v3 *Et, const v3 *M, v3 *out) {
  v3 T[3];
  for (int j = 0; j < 3; j++) T[j] = v3_columns(E, M[j]);
  for (int j = 0; j < 3; j++) out[j] = v3_columns(T, Et[j]);
}

/* I += the child's inertia a, the child's frame at x = E x' + p:
 *   rotate all blocks, then B += [p] C,  A += [p] B_old^T - B_new [p] */
ALWAYS void sym6_add_moved(sym6 *I, const sym6 *a, const v3 *E, v3 p) {
  v3 A[3], B[3], C[3], Et[3], Bt[3];
  real x = v3_x(p), y = v3_y(p), z = v3_z(p);
  v3_transpose(E, Et);
  block_rotate(E, Et, a->A, A);
  block_rotate(E, Et, a->B, B);
  block_rotate(E, Et, a->C, C);
  v3_transpose(B, Bt);
  for (int j = 0; j < 3; j++) {
    A[j] = v3_add(A[j], v3_cross(p, Bt[j]));
    B[j] = v3_add(B[j], v3_cross(p, C[j]));
  }
  A[0] = v3_sub(A[0], v3_sub(v3_scale(z, B[1]), v3_scale(y, B[2])));
  A[1] = v3_sub(A[1], v3_sub(v3_scale(x, B[2]), v3_scale(z, B[0])));
  A[2] = v3_sub(A[2], v3_sub(v3_scale(y, B[0]), v3_scale(x, B[1])));
  for (int j = 0; j < 3; j++) {
    I->A[j] = v3_add(I->A[j], A[j]);
    I->B[j] = v3_add(I->B[j], B[j]);
    I->C[j] = v3_add(I->C[j], C[j]);
  }
}

/* LDL^T of the n x n matrix S (rows of 6, lower half): rows of L and 1/d on the diagonal, in D.
 * Returns whether every pivot is clearly positive against the inertia it was taken from. */
static inline int factor(int n, real *S, const real *scale, double armature, real *D) {
  int good = 1;
  for (int j = 0; j < n; j++) {
    real d = S[7 * j];
    for (int i = 0; i < j; i++) {
      real t = S[6 * j + i];
      for (int h = 0; h < i; h++) t -= D[6 * j + h] * S[6 * i + h];
      S[6 * j + i] = t; /* L d */
      D[6 * j + i] = t * D[7 * i];
      d -= D[6 * j + i] * t;
    }
    good &= real_greater(d, 1e-13 * (scale[j] + armature));
    D[7 * j] = 1.0 / d;
  }
  return good;
}

/* I -= UA (L D L^T)^-1 UA^T: with c = L^-1 UA, I -= c c^T / d */
static inline void eliminate(int n, const real *D, const six *UA, sym6 *I) {
  six c[6];
  for (int j = 0; j < n; j++) {
    c[j] = UA[j];
    for (int h = 0; h < j; h++) c[j] = six_sub(c[j], six_scale(D[6 * j + h], c[h]));
    sym6_downdate(I, D[7 * j], c[j]);
  }
}

/* Any columns S = column[n]: factor S^T I S + armature, UA = I S, and take the freedom out of I. */
static inline int joint_eliminate(int n, const six *column, double armature, sym6 *I, real *D,
                                  six *UA) {
  if (n == 1) {
    real a = v3_dot(column[0].w, column[0].w), b = v3_dot(column[0].v, column[0].v);
    real most = a * (v3_x(I->A[0]) + v3_y(I->A[1]) + v3_z(I->A[2])) +
                b * (v3_x(I->C[0]) + v3_y(I->C[1]) + v3_z(I->C[2]));
    UA[0] = sym6_apply(I, column[0]);
    real d = six_dot(column[0], UA[0]) + armature;
    D[0] = 1.0 / d;
    sym6_downdate(I, D[0], UA[0]);
    return real_greater(d, 1e-13 * (most + armature));
  }
  real S[36], scale[6];
  memset(S, 0, sizeof S);
  real tw = v3_x(I->A[0]) + v3_y(I->A[1]) + v3_z(I->A[2]),
       tv = v3_x(I->C[0]) + v3_y(I->C[1]) + v3_z(I->C[2]);
  for (int j = 0; j < n; j++) {
    UA[j] = sym6_apply(I, column[j]);
    for (int i = 0; i <= j; i++) S[6 * j + i] = six_dot(column[i], UA[j]);
    S[7 * j] += armature;
    scale[j] = v3_dot(column[j].w, column[j].w) * tw + v3_dot(column[j].v, column[j].v) * tv;
  }
  int good = factor(n, S, scale, armature, D);
  eliminate(n, D, UA, I);
  return good;
}

/* y = (L D L^T)^-1 y */
static inline void joint_solve(int n, const real *D, real *y) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) y[j] -= D[6 * j + i] * y[i];
  for (int j = 0; j < n; j++) y[j] *= D[7 * j];
  for (int j = n - 2; j >= 0; j--)
    for (int i = j + 1; i < n; i++) y[j] -= D[6 * i + j] * y[i];
}

/* One degree of freedom about or along z: the same without loops and multiplications by zero. */
ALWAYS int axis_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  six u = six_zero();
  real d[6] = {v3_x(u.w)}, scale = v3_x(I->A[0]) + v3_y(I->A[1]) + v3_z(I->A[2]);
  if (l->kind == JN_K_HELICAL) u = sym6_apply(I, joint_column(l, 0));
  if (l->kind == JN_K_REVOLUTE) u = (six){I->A[2], I->T[2]};
  if (l->kind == JN_K_PRISMATIC) {
    u = (six){I->B[2], I->C[2]};
    scale = v3_x(I->C[0]) + v3_y(I->C[1]) + v3_z(I->C[2]);
  }
  joint_project(l, u, d);
  d[0] += l->armature;
  UA[0] = u;
  D[0] = 1.0 / d[0];
  sym6_downdate(I, D[0], u);
  return real_greater(d[0], 1e-13 * (scale + l->armature));
}

/* Three or six degrees of freedom: the columns of IA S are columns of IA. Nothing is left to take
 * out of a base. */
static __attribute__((noinline)) int ball_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  int n = l->nv;
  for (int j = 0; j < 3; j++) UA[j] = (six){I->A[j], I->T[j]};
  for (int j = 3; j < n; j++) UA[j] = (six){I->B[j - 3], I->C[j - 3]};
  real S[36];
  memset(S, 0, sizeof S);
  for (int j = 0; j < n; j++) {
    joint_project(l, UA[j], S + 6 * j);
    S[7 * j] += l->armature;
  }
  real tw = v3_x(I->A[0]) + v3_y(I->A[1]) + v3_z(I->A[2]),
       tv = v3_x(I->C[0]) + v3_y(I->C[1]) + v3_z(I->C[2]);
  real scale[6] = {tw, tw, tw, tv, tv, tv};
  int good = factor(n, S, scale, l->armature, D);
  if (l->parent >= 0) eliminate(n, D, UA, I);
  return good;
}

/* Articulated inertias of all links and the factors of their joints. Returns the outermost joint
 * whose inertia vanishes, or -1. */
static inline int articulate(const jn_model *m, const jn_work *w, int rows,
                             const unsigned char *prescribed) {
  sym6 *IA = (sym6 *)w->IA;
  int bad = -1;
  for (int i = 0; i < m->nlink; i++) IA[i] = sym6_rigid(&m->link[i]);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    real *D = (real *)w->D + 6 * (size_t)l->iv;
    six *UA = (six *)w->UA + l->iv;
    v3_transpose(IA[i].B, IA[i].T);
    sym6 a = IA[i];
    if (l->nv && !(prescribed && prescribed[l->joint])) {
      int good = l->nv == 1 ? axis_eliminate(l, &a, D, UA) : ball_eliminate(l, &a, D, UA);
      if (!good && bad < 0) bad = l->joint;
    }
    if (l->parent >= 0) {
      v3 E[3], p;
      joint_place_in_parent(l, (const real *)w->q + l->iq,
                            (const real *)w->X + (size_t)l->ix * rows, E, &p);
      sym6_add_moved(&IA[l->parent], &a, E, p);
    }
  }
  return bad;
}

/* Positions and first velocities: X_0, u_0, V_0, H_0, y_0. */
static inline void forward_start(const jn_model *m, const jn_work *w, int rows) {
  place_joints(m, w, rows);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = (six *)w->V + (size_t)i * rows;
    const six *Vp = l->parent < 0 ? NULL : (const six *)w->V + (size_t)l->parent * rows;
    v3 *y = (v3 *)w->Y;
    link_motion(l, 0, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp,
                (real *)w->X + (size_t)l->ix * rows, (six *)w->U + (size_t)i * rows, V);
    ((six *)w->H)[(size_t)i * rows] = link_spin(l, V[0]);
    y[(size_t)i * rows] =
        gravity_start(l, (const real *)w->X + (size_t)l->ix * rows,
                      l->parent < 0 ? load_v3((const real *)w->up) : y[(size_t)l->parent * rows]);
  }
}

/* X_(k+1) and b of one joint */
ALWAYS void known_bias_of(jn_kind kind, const jn_link *l, int k, const real *q, const real *v,
                          int nv, real *restrict X, const six *restrict u, six *restrict b) {
  joint_step_of(kind, l, k + 1, q, v, nv, X);
  *b = six_times(k + 1, joint_motion(kind, k + 1, 1, X, u));
}
static __attribute__((noinline)) void known_bias_any(const jn_link *l, int k, const real *q,
                                                     const real *v, int nv, real *X, const six *u,
                                                     six *b) {
  known_bias_of(l->kind, l, k, q, v, nv, X, u, b);
}
ALWAYS void known_bias(const jn_link *l, int k, const real *q, const real *v, int nv, real *X,
                       const six *u, six *b) {
  if (l->kind == JN_K_REVOLUTE)
    known_bias_of(JN_K_REVOLUTE, l, k, q, v, nv, X, u, b);
  else
    known_bias_any(l, k, q, v, nv, X, u, b);
}

/* What is known of order k before it is solved: X_(k+1), b, and p = sum V x* h + m y - ext. */
ALWAYS void forward_known(const jn_model *m, const jn_work *w, int rows, int k, int rep,
                          int external) {
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows;
    six *u = (six *)w->U + at;
    real *X = (real *)w->X + (size_t)l->ix * rows;
    v3 *y = (v3 *)w->Y + at;
    if (l->parent < 0) {
      ((six *)w->b)[i] = six_zero();
      if (l->kind == JN_K_FREE && rep != JN_BODY)
        joint_step(l, k + 1, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, X);
    } else {
      known_bias(l, k, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, X, u,
                 (six *)w->b + i);
    }
    if (k) y[k] = gravity_step(k, (const six *)w->V + at, y);
    six p =
        link_wrench(l, k, (const six *)w->V + at, (const six *)w->H + at, (six){v3_zero(), y[k]});
    if (external) p = six_sub(p, ((const six *)w->ext)[at + k]);
    ((six *)w->p)[i] = p;
  }
}

/* p of the parent += T^T sum X_i^T F_(k-i) */
static __attribute__((noinline)) six pass_force_any(const jn_link *l, int k, const real *X,
                                                    const six *F) {
  return offset_force(l, joint_force(l->kind, k, 0, X, F));
}
ALWAYS six pass_force(const jn_link *l, int k, const real *X, const six *F) {
  if (l->kind == JN_K_REVOLUTE) return offset_force(l, joint_force(JN_K_REVOLUTE, k, 0, X, F));
  return pass_force_any(l, k, X, F);
}

/* Bias wrenches from the tips to the base. tau_k of force-driven joints and x of prescribed ones
 * are read from w->e (x and tau share it, joint by joint). */
ALWAYS void forward_bias(const jn_model *m, const jn_work *w, int rows, int k,
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
    } else if (l->kind == JN_K_REVOLUTE) {
      e[0] -= v3_z(pa.w);
      pa = six_add(pa, six_scale(e[0] * ((const real *)w->D)[6 * (size_t)l->iv],
                                 ((const six *)w->UA)[l->iv]));
    } else if (l->nv) {
      const six *UA = (const six *)w->UA + l->iv;
      joint_project(l, pa, t);
      for (int j = 0; j < l->nv; j++) t[j] = e[j] = e[j] - t[j];
      if (l->parent >= 0) {
        joint_solve(l->nv, (const real *)w->D + 6 * (size_t)l->iv, t);
        for (int j = 0; j < l->nv; j++) pa = six_add(pa, six_scale(t[j], UA[j]));
      }
    }
    F[k] = pa;
    if (l->parent >= 0)
      p[l->parent] =
          six_add(p[l->parent], pass_force(l, k, (const real *)w->X + (size_t)l->ix * rows, F));
  }
}

/* From the base to the tips: x, V_(k+1), F_k, and the force of prescribed joints. */
ALWAYS void forward_solve(const jn_model *m, const jn_work *w, int rows, int k,
                          const unsigned char *prescribed, int damping, int last) {
  int nv = m->nv;
  double inverse = (double)1 / (k + 1);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows;
    six *V = (six *)w->V + at, *u = (six *)w->U + at, a;
    real *e = (real *)w->e + l->iv, *v = (real *)w->v + l->iv, *tau = (real *)w->tau + l->iv;
    const real *X = (const real *)w->X + (size_t)l->ix * rows,
               *D = (const real *)w->D + 6 * (size_t)l->iv;
    const six *UA = (const six *)w->UA + l->iv;
    int given = prescribed && prescribed[l->joint];
    if (l->parent < 0) {
      a = six_zero();
      if (!given) joint_solve(l->nv, D, e);
    } else {
      u[k + 1] = offset_motion(l, ((const six *)w->V)[(size_t)l->parent * rows + k + 1]);
      if (l->kind == JN_K_REVOLUTE)
        a = joint_motion(JN_K_REVOLUTE, 0, 0, X, u + k + 1);
      else
        a = joint_motion(l->kind, 0, 0, X, u + k + 1);
      if (k) a = six_times(k + 1, a);
      if (!given && l->nv == 1) {
        e[0] = (e[0] - six_dot(UA[0], a)) * D[0];
      } else if (!given && l->nv) {
        for (int j = 0; j < l->nv; j++) e[j] -= six_dot(UA[j], a);
        joint_solve(l->nv, D, e);
      }
    }
    a = six_add(l->kind == JN_K_REVOLUTE ? joint_add_velocity_of(JN_K_REVOLUTE, l, a, e)
                                         : joint_add_velocity(l, a, e),
                ((const six *)w->b)[i]);
    V[k + 1] = six_times(inverse, a);
    if (!given)
      for (int j = 0; j < l->nv; j++) v[(k + 1) * nv + j] = inverse * e[j];
    if (last && !given) continue; /* what follows is for higher orders */
    ((six *)w->H)[at + k + 1] = link_spin(l, V[k + 1]);
    six F = six_add(sym6_apply((const sym6 *)w->IA + i, a), ((const six *)w->p)[i]);
    ((six *)w->F)[at + k] = F;
    if (given) {
      joint_project(l, F, tau + k * nv);
      for (int j = 0; j < l->nv; j++) {
        tau[k * nv + j] += l->armature * e[j];
        if (damping) tau[k * nv + j] += l->damping * v[k * nv + j];
      }
    }
  }
}

#endif
