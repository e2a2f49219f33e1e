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

/* LDL^T of the n x n matrix S (rows of 6, lower half): rows of L and 1/d on the diagonal, in D.
 * Returns whether every pivot is clearly positive against the inertia it was taken from. */
ALWAYS int factor(int n, real *S, const real *scale, double armature, real *D) {
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
ALWAYS void eliminate(int n, const real *D, const six *UA, sym6 *I) {
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
    real most = a * sym6_turning(I) + b * sym6_sliding(I);
    UA[0] = sym6_apply(I, column[0]);
    real d = six_dot(column[0], UA[0]) + armature;
    D[0] = 1.0 / d;
    sym6_downdate(I, D[0], UA[0]);
    return real_greater(d, 1e-13 * (most + armature));
  }
  real S[36], scale[6];
  memset(S, 0, sizeof S);
  real tw = sym6_turning(I), tv = sym6_sliding(I);
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
ALWAYS void solve_factored(int n, const real *D, real *y) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) y[j] -= D[6 * j + i] * y[i];
  for (int j = 0; j < n; j++) y[j] *= D[7 * j];
  for (int j = n - 2; j >= 0; j--)
    for (int i = j + 1; i < n; i++) y[j] -= D[6 * i + j] * y[i];
}

static inline void joint_solve(int n, const real *D, real *y) {
  if (n == 6)
    solve_factored(6, D, y);
  else
    solve_factored(n, D, y);
}

/* One degree of freedom about or along z: the same without loops and multiplications by zero. */
ALWAYS int axis_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  six u = six_zero();
  real d[6] = {v3_x(u.w)}, scale = sym6_turning(I);
  if (l->kind == JN_K_HELICAL) u = sym6_apply(I, joint_column(l, 0));
  if (l->kind == JN_K_REVOLUTE) u = sym6_column(I, 2);
  if (l->kind == JN_K_PRISMATIC) {
    u = sym6_column(I, 5);
    scale = sym6_sliding(I);
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
ALWAYS int ball_eliminate_of(int n, const jn_link *l, sym6 *I, real *D, six *UA) {
  real S[36], tw = sym6_turning(I), tv = sym6_sliding(I), scale[6] = {tw, tw, tw, tv, tv, tv};
  for (int j = 0; j < n; j++) {
    UA[j] = sym6_column(I, j);
    store_v3(S + 6 * j, UA[j].w);
    if (n == 6) store_v3(S + 6 * j + 3, UA[j].v);
    S[7 * j] += l->armature;
  }
  int good = factor(n, S, scale, l->armature, D);
  if (l->parent >= 0) eliminate(n, D, UA, I);
  return good;
}
static __attribute__((noinline)) int ball_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  return l->nv == 6 ? ball_eliminate_of(6, l, I, D, UA) : ball_eliminate_of(3, l, I, D, UA);
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
    sym6_complete(&IA[i]);
    sym6 a;
    sym6_copy(&a, &IA[i]);
    if (l->nv && !(prescribed && prescribed[l->joint])) {
      int good = l->nv == 1 ? axis_eliminate(l, &a, D, UA) : ball_eliminate(l, &a, D, UA);
      if (!good && bad < 0) bad = l->joint;
    }
    if (l->parent >= 0)
      joint_add_inertia(l, (const real *)w->q + l->iq, (const real *)w->X + (size_t)l->ix * rows,
                        &a, &IA[l->parent]);
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
    v3 *y = (v3 *)w->Y, up = load_v3((const real *)w->up);
    link_motion(l, 0, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp,
                (real *)w->X + (size_t)l->ix * rows, (six *)w->U + (size_t)i * rows, V);
    ((six *)w->H)[(size_t)i * rows] = link_spin(l, V[0]);
    y[(size_t)i * rows] = gravity_start(l, (const real *)w->X + (size_t)l->ix * rows,
                                        l->parent < 0 ? &up : &y[(size_t)l->parent * rows]);
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
static __attribute__((noinline)) void pass_force_any(const jn_link *l, int k, const real *X,
                                                     const six *F, six *p) {
  offset_force(l, joint_force(l->kind, k, 0, X, F), p);
}
ALWAYS void pass_force(const jn_link *l, int k, const real *X, const six *F, six *p) {
  if (l->kind == JN_K_REVOLUTE)
    offset_force(l, joint_force(JN_K_REVOLUTE, k, 0, X, F), p);
  else
    pass_force_any(l, k, X, F, p);
}

/* What is left for the joint of a link, e -= S^T p, and p += IA S x where x is already known:
 * given, or D^-1 e. */
static __attribute__((noinline)) six bias_any(const jn_link *l, const jn_work *w, const sym6 *IA,
                                              six p, real *e, int given) {
  const six *UA = (const six *)w->UA + l->iv;
  real t[6];
  if (given) return six_add(p, sym6_apply(IA, joint_add_velocity(l, six_zero(), e)));
  joint_project(l, p, t);
  for (int j = 0; j < l->nv; j++) t[j] = e[j] = e[j] - t[j];
  if (l->parent < 0) return p;
  joint_solve(l->nv, (const real *)w->D + 6 * (size_t)l->iv, t);
  for (int j = 0; j < l->nv; j++) p = six_add(p, six_scale(t[j], UA[j]));
  return p;
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
    real *e = (real *)w->e + l->iv;
    int given = prescribed && prescribed[l->joint];
    six pa = six_add(p[i], sym6_apply(IA, ((const six *)w->b)[i]));
    if (l->kind == JN_K_REVOLUTE && !given) {
      e[0] -= v3_z(pa.w);
      pa = six_add(pa, six_scale(e[0] * ((const real *)w->D)[6 * (size_t)l->iv],
                                 ((const six *)w->UA)[l->iv]));
    } else {
      pa = bias_any(l, w, IA, pa, e, given);
    }
    F[k] = pa;
    if (l->parent >= 0)
      pass_force(l, k, (const real *)w->X + (size_t)l->ix * rows, F, &p[l->parent]);
  }
}

/* x of a joint in e from what is left for it; a: (k+1) V_(k+1) without it, returned with it. */
static __attribute__((noinline)) six solve_any(const jn_link *l, const jn_work *w, six a, real *e,
                                               int given) {
  const six *UA = (const six *)w->UA + l->iv;
  if (!given && l->nv) {
    if (l->parent >= 0 || l->kind != JN_K_FREE)
      for (int j = 0; j < l->nv; j++) e[j] -= six_dot(UA[j], a);
    joint_solve(l->nv, (const real *)w->D + 6 * (size_t)l->iv, e);
  }
  return joint_add_velocity(l, a, e);
}
static __attribute__((noinline)) six motion_any(const jn_link *l, const real *X, const six *u) {
  return joint_motion(l->kind, 0, 0, X, u);
}
static __attribute__((noinline)) void given_force(const jn_link *l, six F, const real *e,
                                                  const real *v, int damping, real *tau) {
  joint_project(l, F, tau);
  for (int j = 0; j < l->nv; j++) {
    tau[j] += l->armature * e[j];
    if (damping) tau[j] += l->damping * v[j];
  }
}

/* From the base to the tips: x, V_(k+1), F_k, and the force of prescribed joints. */
static inline void forward_solve(const jn_model *m, const jn_work *w, int rows, int k,
                                 const unsigned char *prescribed, int damping, int last) {
  int nv = m->nv;
  double inverse = (double)1 / (k + 1);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows;
    six *V = (six *)w->V + at, *u = (six *)w->U + at, a = six_zero();
    real *e = (real *)w->e + l->iv, *v = (real *)w->v + l->iv, *tau = (real *)w->tau + l->iv;
    const real *X = (const real *)w->X + (size_t)l->ix * rows;
    int given = prescribed && prescribed[l->joint], revolute = l->kind == JN_K_REVOLUTE;
    if (l->parent >= 0) {
      u[k + 1] = offset_motion(l, (const six *)w->V + (size_t)l->parent * rows + k + 1);
      a = revolute ? joint_motion(JN_K_REVOLUTE, 0, 0, X, u + k + 1) : motion_any(l, X, u + k + 1);
      if (k) a = six_times(k + 1, a);
    }
    if (revolute && !given) {
      e[0] = (e[0] - six_dot(((const six *)w->UA)[l->iv], a)) *
             ((const real *)w->D)[6 * (size_t)l->iv];
      a = joint_add_velocity_of(JN_K_REVOLUTE, l, a, e);
      v[(k + 1) * nv] = inverse * e[0];
    } else {
      a = solve_any(l, w, a, e, given);
      for (int j = 0; j < l->nv && !given; j++) v[(k + 1) * nv + j] = inverse * e[j];
    }
    a = six_add(a, ((const six *)w->b)[i]);
    V[k + 1] = six_times(inverse, a);
    if (last && !given) continue; /* what follows is for higher orders */
    ((six *)w->H)[at + k + 1] = link_spin(l, V[k + 1]);
    six F = six_add(sym6_apply((const sym6 *)w->IA + i, a), ((const six *)w->p)[i]);
    ((six *)w->F)[at + k] = F;
    if (given) given_force(l, F, e, v + k * nv, damping, tau + k * nv);
  }
}

#endif
