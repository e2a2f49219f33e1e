/* forward.h (core): hybrid dynamics of order r, body formulation (H-GHYB-FBS in body frames). With
 * no joint prescribed it is forward dynamics (H-GABI-FBS), with every joint prescribed inverse
 * dynamics.
 *
 * Of order k, with u the parent's twist at the joint:
 *   V_(k+1) = X_0 u_(k+1) + S v_(k+1) + b,   b = sum_(i>=1) X_i u_(k+1-i)
 *   F_k = (k+1) IA V_(k+1) + p
 * IA does not depend on k (Lemma 2) and is factored once. */
#ifndef JOUNCE_CORE_FORWARD_H
#define JOUNCE_CORE_FORWARD_H

#include <string.h>

/* LDL^T of the n x n matrix S (rows of 6, lower half): rows of L and 1/d on the diagonal, in D.
 * Returns whether every pivot is clearly positive against the inertia it was taken from. */
ALWAYS int factor(int n, real *restrict S, const real *scale, double armature, real *restrict D) {
  int good = 1;
  EACH(j, 0, n - 1) {
    const real d = 1.0 / S[7 * j];
    good &= real_greater(S[7 * j], 1e-13 * (scale[j] + armature));
    D[7 * j] = d;
    EACH(i, j + 1, n - 1) {
      const real l = S[6 * i + j] * d;
      EACH(h, j + 1, i) S[6 * i + h] -= l * S[6 * h + j];
      D[6 * i + j] = l;
    }
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
ALWAYS void solve_factored(int n, const real *D, real *out) {
  real y[6];
  EACH(j, 0, n - 1) y[j] = out[j];
  EACH(i, 0, n - 1) EACH(j, i + 1, n - 1) y[j] -= D[6 * j + i] * y[i];
  EACH(j, 0, n - 1) y[j] *= D[7 * j];
  EACH_DOWN(i, 0, n - 1) EACH(j, 0, i - 1) y[j] -= D[6 * i + j] * y[i];
  EACH(j, 0, n - 1) out[j] = y[j];
}

static inline void joint_solve(int n, const real *D, real *y) {
  if (n == 6)
    solve_factored(6, D, y);
  else if (n == 3)
    solve_factored(3, D, y);
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

/* Three or six degrees of freedom: the columns of IA S are columns of IA. */
ALWAYS int ball_factor(int n, const jn_link *l, const sym6 *I, real *D) {
  real S[36], tw = sym6_turning(I), tv = sym6_sliding(I), scale[6] = {tw, tw, tw, tv, tv, tv};
  EACH(j, 0, n - 1) {
    const six u = sym6_column(I, j);
    store_v3(S + 6 * j, u.w);
    if (n == 6) store_v3(S + 6 * j + 3, u.v);
    S[7 * j] += l->armature;
  }
  return factor(n, S, scale, l->armature, D);
}
ALWAYS int ball_eliminate_of(int n, const jn_link *l, sym6 *I, real *D, six *UA) {
  for (int j = 0; j < n; j++) UA[j] = sym6_column(I, j);
  int good = ball_factor(n, l, I, D);
  eliminate(n, D, UA, I);
  return good;
}
static __attribute__((noinline)) int ball_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  return l->nv == 6 ? ball_eliminate_of(6, l, I, D, UA) : ball_eliminate_of(3, l, I, D, UA);
}
/* Of a base nothing has to be taken out. */
static __attribute__((noinline)) int base_factor(const jn_link *l, const sym6 *I, real *D) {
  return ball_factor(6, l, I, D);
}

/* Articulated inertias IA of all links and the factors of their joints; p += IA b of order 0.
 * Returns the outermost joint whose inertia vanishes, or -1. */
static inline int articulate(const jn_model *m, const jn_work *w, int rows,
                             const unsigned char *prescribed) {
  sym6 *IA = (sym6 *)w->IA;
  int bad = -1;
  for (int i = 0; i < m->nlink; i++) sym6_rigid(&IA[i], m->link[i].I4);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    const int driven = l->nv && !(prescribed && prescribed[l->joint]);
    real *D = (real *)w->D + 6 * (size_t)l->iv;
    six *UA = (six *)w->UA + l->iv;
    sym6 a;
    int good = 1;
    if (l->last > i) sym6_complete(&IA[i]);
    if (l->parent < 0 && l->nv == 6) {
      if (driven) good = base_factor(l, &IA[i], D);
    } else {
      sym6_copy(&a, &IA[i]);
      if (driven && l->nv == 1) good = axis_eliminate(l, &a, D, UA);
      if (driven && l->nv > 1) good = ball_eliminate(l, &a, D, UA);
    }
    if (!good && bad < 0) bad = l->joint;
    if (l->parent < 0) continue;
    six *p = (six *)w->p + i;
    *p = six_add(*p, sym6_apply(&IA[i], ((const six *)w->b)[i]));
    joint_add_inertia(l, (const real *)w->q + l->iq, (const real *)w->X + (size_t)l->ix * rows,
                      way_of(l, w, i, 1), &a, &IA[l->parent]);
  }
  return bad;
}

/* F_k = (k+1) IA a + p, a: V_(k+1) without b, left in w->b by forward_solve */
ALWAYS six forward_wrench(const jn_work *w, int k, int i) {
  return six_add(six_times(k + 1, sym6_apply((const sym6 *)w->IA + i, ((const six *)w->b)[i])),
                 ((const six *)w->p)[i]);
}

/* Of order k what needs nothing of V_k, v_k, F_(k-1): the sums over all older terms. It can be had
 * while order k-1 is being solved, and fills the time one link waits for another then. */
typedef struct begun {
  products s;
  turn_pair b, F;
  real sine;
} begun;

ALWAYS void known_begin(const jn_model *m, const jn_work *w, int rows, int k, int i, begun *a) {
  const jn_link *l = &m->link[i];
  const size_t at = (size_t)i * rows;
  const six *V = (const six *)w->V + at, *H = (const six *)w->H + at;
  a->s = products_add(l, products_zero(), k, 1, k - 1, V, H);
  ((v3 *)w->Y)[at + k] = gravity_step(k, V, (const v3 *)w->Y + at);
  if (l->kind != JN_K_REVOLUTE || l->parent < 0) {
    const real zero = {0};
    if (!WAYS) a->b = a->F = turns_start(six_zero()), a->sine = zero;
    return;
  }
  const six *u = (const six *)w->U + at, *F = (const six *)w->F + at;
  real *X = (real *)w->X + (size_t)l->ix * rows;
  a->sine = angle_begin(k + 1, 2, (const real *)w->v + l->iv, m->nv, X);
  a->b = turns_add(turns_start(six_zero()), k + 1, 2, k, 2, X, u);
  a->F = turns_add(turns_start(six_zero()), k, 2, k, 2, X, F);
}

/* X_(k+1), b, and what the wrenches of lower orders pass on of one joint */
static __attribute__((noinline)) void known_joint_any(const jn_link *l, int k, const real *q,
                                                      const real *v, int nv, real *X, const six *u,
                                                      six *b, six *F) {
  joint_step(l, k + 1, q, v, nv, X);
  *b = joint_motion(l->kind, k + 1, 1, X, u);
  F[k] = joint_force(l->kind, k, 1, X, F);
}

/* The rest, H_k and F_(k-1) first; then all that is known of order k before it is solved is there:
 * X_(k+1), b, p = sum V x* h + m y - ext + (k+1) IA b, and in the place of F_k what F_0 .. F_(k-1)
 * pass to the parent. No link waits for another. (Of order 0, IA is not yet there.) */
ALWAYS void known_end(const jn_model *m, const jn_work *w, int rows, int k, int rep, int external,
                      int i, const begun *a) {
  const jn_link *l = &m->link[i];
  const size_t at = (size_t)i * rows;
  const real *q = (const real *)w->q + l->iq, *v = (const real *)w->v + l->iv;
  six *V = (six *)w->V + at, *u = (six *)w->U + at, *H = (six *)w->H + at, *F = (six *)w->F + at;
  six *b = (six *)w->b + i;
  real *X = (real *)w->X + (size_t)l->ix * rows;
  products s = k ? a->s : products_zero();
  if (k) {
    if (l->parent >= 0) F[k - 1] = forward_wrench(w, k - 1, i);
    H[k] = link_spin(l, V[k]);
    s = products_add(l, s, k, k, k, V, H);
  }
  s = products_add(l, s, k, 0, 0, V, H);
  six p = products_end(l, s, (six){v3_zero(), ((const v3 *)w->Y)[at + k]});
  if (external) p = six_sub(p, ((const six *)w->ext)[at + k]);
  if (l->parent < 0) {
    *b = six_zero();
    if (l->kind == JN_K_FREE && rep != JN_BODY) joint_step(l, k + 1, q, v, m->nv, X);
  } else {
    if (l->kind == JN_K_REVOLUTE) {
      const turn_pair none = turns_start(six_zero());
      angle_end(k + 1, 2, k ? a->sine : angle_begin(1, 2, v, m->nv, X), v, m->nv, X);
      const turn_pair c = turns_add(k ? a->b : none, k + 1, 1, 1, 2, X, u);
      *b = turns_end(k ? turns_add(c, k + 1, k + 1, k + 1, 2, X, u) : c, six_zero());
      F[k] = k ? turns_back_end(turns_add(a->F, k, 1, 1, 2, X, F), six_zero()) : six_zero();
    } else {
      known_joint_any(l, k, q, v, m->nv, X, u, b, F);
    }
    if (k) p = six_add(p, six_times(k + 1, sym6_apply((const sym6 *)w->IA + i, *b)));
  }
  ((six *)w->p)[i] = p;
}

/* Positions and first velocities, X_0, u_0, V_0, H_0, y_0, and what is known of order 0 but for the
 * wrenches from outside and IA b, which articulate adds. */
static inline void forward_start(const jn_model *m, const jn_work *w, int rows, int rep) {
  place_joints(m, w, rows);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *V = (six *)w->V + (size_t)i * rows;
    const six *Vp = l->parent < 0 ? NULL : (const six *)w->V + (size_t)l->parent * rows;
    v3 *y = (v3 *)w->Y, up = load_v3((const real *)w->up);
    real *X = (real *)w->X + (size_t)l->ix * rows;
    way *by = way_of(l, w, i, 1);
    if (by) way_make(l, (const real *)w->q + l->iq, X, by);
    link_motion(l, 0, (const real *)w->q + l->iq, (const real *)w->v + l->iv, m->nv, Vp, X, by,
                (six *)w->U + (size_t)i * rows, V);
    ((six *)w->H)[(size_t)i * rows] = link_spin(l, V[0]);
    y[(size_t)i * rows] =
        gravity_start(l, X, by, l->parent < 0 ? &up : &y[(size_t)l->parent * rows]);
    known_end(m, w, rows, 0, rep, 0, i, NULL);
  }
}

/* Wrenches from outside, of order 0. */
static inline void forward_external(const jn_model *m, const jn_work *w, int rows) {
  six *p = (six *)w->p;
  for (int i = 0; i < m->nlink; i++) p[i] = six_sub(p[i], ((const six *)w->ext)[(size_t)i * rows]);
}

/* a += T^T (X_0^T f + what is known) */
static __attribute__((noinline)) void pass_force_any(const jn_link *l, const real *X, six f,
                                                     six known, six *a) {
  to_parent(l->kind, l, X, NULL, six_add(joint_force(l->kind, 0, 0, X, &f), known), a);
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

/* Bias wrenches from the tips to the base. tau_k of force-driven joints and (k+1) v_(k+1) of
 * prescribed ones are read from w->e; what is left of the force for the joint stays there. more:
 * another order follows. */
ALWAYS void forward_bias(const jn_model *m, const jn_work *w, int rows, int k,
                         const unsigned char *prescribed, int more) {
  /* sum: for link `to`, not yet in p; links that wait for it would wait for memory as well */
  six *p = (six *)w->p, sum = six_zero();
  for (int i = m->nlink - 1, to = -1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    real *e = (real *)w->e + l->iv;
    int given = prescribed && prescribed[l->joint];
    six f = p[i];
    if (WAYS && to == i) {
      p[i] = f = six_add(f, sum);
      to = -1;
    }
    if (l->kind == JN_K_REVOLUTE && !given) {
      e[0] -= v3_z(f.w);
      f = six_add(f, six_scale(e[0] * ((const real *)w->D)[6 * (size_t)l->iv],
                               ((const six *)w->UA)[l->iv]));
    } else if (l->kind == JN_K_FREE && l->parent < 0 && !given) {
      store_v3(e, v3_sub(load_v3(e), f.w));
      store_v3(e + 3, v3_sub(load_v3(e + 3), f.v));
    } else {
      f = bias_any(l, w, (const sym6 *)w->IA + i, f, e, given);
    }
    if (l->parent >= 0) {
      const real *X = (const real *)w->X + (size_t)l->ix * rows;
      const six *known = (const six *)w->F + (size_t)i * rows + k;
      if (WAYS && to != l->parent) {
        if (to >= 0) p[to] = six_add(p[to], sum);
        sum = six_zero();
      }
      to = l->parent;
      if (l->kind == JN_K_REVOLUTE) {
        to_parent(JN_K_REVOLUTE, l, X, way_of(l, w, i, 1), six_add(f, *known),
                  WAYS ? &sum : &p[to]);
      } else {
        six a = WAYS ? sum : p[to];
        pass_force_any(l, X, f, *known, &a);
        *(WAYS ? &sum : &p[to]) = a;
      }
    }
    if (WAYS && more) known_begin(m, w, rows, k + 1, i, (begun *)w->begun + i);
  }
}

/* v_(k+1) of a joint from e, what is left of the force; a: V_(k+1) without it and b, returned with
 * it. */
ALWAYS six solve_joint(jn_kind kind, int n, const jn_link *l, const jn_work *w, int k, six a,
                       real *v, int given) {
  const six *UA = (const six *)w->UA + l->iv;
  const real *e = (const real *)w->e + l->iv;
  const double inverse = (double)1 / (k + 1);
  real y[6];
  for (int j = 0; j < n; j++) y[j] = inverse * e[j];
  if (!given) {
    if (l->parent >= 0)
      for (int j = 0; j < n; j++) y[j] -= six_dot(UA[j], a);
    solve_factored(n, (const real *)w->D + 6 * (size_t)l->iv, y);
    for (int j = 0; j < n; j++) v[j] = y[j];
  }
  return joint_add_velocity_of(kind, l, a, y);
}
static __attribute__((noinline)) six solve_any(const jn_link *l, const jn_work *w, int k, six a,
                                               real *v, int given) {
  if (l->nv == 6) return solve_joint(JN_K_FREE, 6, l, w, k, a, v, given);
  return solve_joint(l->kind, l->nv, l, w, k, a, v, given);
}
/* u and X_0 u */
static __attribute__((noinline)) six motion_any(const jn_link *l, const real *X, const six *V,
                                                six *u) {
  *u = from_parent(l->kind, l, X, NULL, V);
  return joint_motion(l->kind, 0, 0, X, u);
}
static __attribute__((noinline)) void given_force(const jn_link *l, int k, six F, const real *next,
                                                  const real *v, int damping, real *tau) {
  joint_project(l, F, tau);
  for (int j = 0; j < l->nv; j++) {
    tau[j] += (l->armature * (k + 1)) * next[j];
    if (damping) tau[j] += l->damping * v[j];
  }
}

/* From the base to the tips: v_(k+1), V_(k+1), the force of prescribed joints, and what is known of
 * the next order. */
ALWAYS void forward_solve(const jn_model *m, const jn_work *w, int rows, int k,
                          const unsigned char *prescribed, int damping, int more, int rep,
                          int external) {
  int nv = m->nv;
  double inverse = (double)1 / (k + 1);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    const size_t at = (size_t)i * rows + k + 1;
    six *V = (six *)w->V, *u = (six *)w->U + at, *b = (six *)w->b + i, a = six_zero();
    real *v = (real *)w->v + l->iv + (k + 1) * nv;
    const real *X = (const real *)w->X + (size_t)l->ix * rows;
    int given = prescribed && prescribed[l->joint], revolute = l->kind == JN_K_REVOLUTE;
    if (l->parent >= 0) {
      const six *Vp = V + (size_t)l->parent * rows + k + 1;
      a = revolute ? from_parent(JN_K_REVOLUTE, l, X, way_of(l, w, i, 1), Vp)
                   : motion_any(l, X, Vp, u);
      if (revolute) *u = a;
    }
    if (revolute && !given) {
      v[0] = (inverse * ((const real *)w->e)[l->iv] - six_dot(((const six *)w->UA)[l->iv], a)) *
             ((const real *)w->D)[6 * (size_t)l->iv];
      a = joint_add_velocity_of(JN_K_REVOLUTE, l, a, v);
    } else if (l->kind == JN_K_FREE && l->parent < 0 && !given) {
      a = solve_joint(JN_K_FREE, 6, l, w, k, a, v, 0);
    } else {
      a = solve_any(l, w, k, a, v, given);
    }
    V[at] = six_add(a, *b);
    *b = a;
    if (given)
      given_force(l, k, forward_wrench(w, k, i), v, v - nv, damping,
                  (real *)w->tau + l->iv + k * nv);
    if (!more) continue;
    begun own, *next = WAYS ? (begun *)w->begun + i : &own;
    if (!WAYS) known_begin(m, w, rows, k + 1, i, next);
    known_end(m, w, rows, k + 1, rep, external, i, next);
  }
}

#endif
