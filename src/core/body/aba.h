/* aba.h (core): articulated-body algorithm (ABA) of order r, body formulation: hybrid dynamics
 * (H-GHYB-FBS of ali2026 in body frames). With no joint prescribed it is forward dynamics
 * (H-GABI-FBS), with all joints prescribed inverse dynamics.
 *
 * Order k, with u = T V_parent the parent's twist at the joint:
 *   V_(k+1) = X_0 u_(k+1) + S v_(k+1) + b,   b = sum_(i>=1) X_i u_(k+1-i)
 *   F_k     = (k+1) IA V_(k+1) + p
 * IA does not depend on k (Lemma 2) and is factored once. Each order is a backward pass (bias
 * wrenches) and a forward pass (solution). */
#ifndef JOUNCE_CORE_BODY_ABA_H
#define JOUNCE_CORE_BODY_ABA_H

#include <string.h>

#include "core/body/link_view.h"

/* A pivot below this fraction of the inertia it came from is rounding: the joint moves no mass. */
#ifndef SINGULAR_PIVOT
#define SINGULAR_PIVOT 1e-13
#endif

/* LDL^T of the n x n matrix S (rows of 6, lower half): rows of L, and 1/d on the diagonal, in D.
 * Returns whether every pivot is clearly positive relative to the inertia it came from. */
INLINE int factor(int n, real *restrict S, const real *scale, double armature, real *restrict D) {
  int good = ~0; /* every lane */
  EACH(j, 0, n - 1) {
    const real d = 1 / S[7 * j];
    good &= real_greater(S[7 * j], SINGULAR_PIVOT * (scale[j] + armature));
    D[7 * j] = d;
    EACH_WITHIN(i, j + 1, n - 1, n) {
      const real l = S[6 * i + j] * d;
      EACH_WITHIN(h, j + 1, i, n) S[6 * i + h] -= l * S[6 * h + j];
      D[6 * i + j] = l;
    }
  }
  return good;
}

/* I -= UA (L D L^T)^-1 UA^T: with c = L^-1 UA, I -= c c^T / d */
INLINE void eliminate(int n, const real *D, const six *UA, sym6 *I) {
  six c[6];
  for (int j = 0; j < n; j++) {
    c[j] = UA[j];
    for (int h = 0; h < j; h++) c[j] = six_sub(c[j], six_scale(D[6 * j + h], c[h]));
    sym6_downdate(I, D[7 * j], c[j]);
  }
}

/* For any columns S = column[n]: UA = I S, factors of S^T I S + armature, and I reduced by the
 * joint's degrees of freedom. */
static inline int joint_eliminate(int n, const six *column, double armature, sym6 *I, real *D,
                                  six *UA) {
  if (n == 1) {
    real a = v3_dot(column[0].w, column[0].w), b = v3_dot(column[0].v, column[0].v);
    real most = a * sym6_angular_trace(I) + b * sym6_linear_trace(I);
    UA[0] = sym6_apply(I, column[0]);
    real d = six_dot(column[0], UA[0]) + armature;
    D[0] = 1 / d;
    sym6_downdate(I, D[0], UA[0]);
    return real_greater(d, SINGULAR_PIVOT * (most + armature));
  }
  real S[36], scale[6];
  memset(S, 0, sizeof S);
  real tw = sym6_angular_trace(I), tv = sym6_linear_trace(I);
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
INLINE void solve_factored(int n, const real *D, real *out) {
  real y[6];
  EACH(j, 0, n - 1) y[j] = out[j];
  EACH(i, 0, n - 1) EACH_WITHIN(j, i + 1, n - 1, n) y[j] -= D[6 * j + i] * y[i];
  EACH(j, 0, n - 1) y[j] *= D[7 * j];
  EACH_DOWN(i, 0, n - 1) EACH_WITHIN(j, 0, i - 1, n) y[j] -= D[6 * i + j] * y[i];
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

/* One degree of freedom about or along z: the same without loops and products with zero. */
INLINE int axis_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  six u = six_zero();
  real d[6] = {v3_x(u.w)}, scale = sym6_angular_trace(I);
  if (l->kind == JN_K_HELICAL) u = sym6_apply(I, joint_column(l, 0));
  if (l->kind == JN_K_REVOLUTE) u = sym6_column(I, 2);
  if (l->kind == JN_K_PRISMATIC) {
    u = sym6_column(I, 5);
    scale = sym6_linear_trace(I);
  }
  joint_project(l, u, d);
  d[0] += l->armature;
  UA[0] = u;
  D[0] = 1 / d[0];
  sym6_downdate(I, D[0], u);
  /* I S - UA S^T I S / d = UA armature / d: the difference loses what is small against I S */
  if (l->kind != JN_K_HELICAL) sym6_set_z(I, D[0] * l->armature, u, l->kind == JN_K_PRISMATIC);
  return real_greater(d[0], SINGULAR_PIVOT * (scale + l->armature));
}

/* Three or six degrees of freedom: the columns of IA S are columns of IA. */
INLINE int ball_factor(int n, const jn_link *l, const sym6 *I, real *D) {
  real S[36], tw = sym6_angular_trace(I), tv = sym6_linear_trace(I),
              scale[6] = {tw, tw, tw, tv, tv, tv};
  EACH(j, 0, n - 1) {
    const six u = sym6_column(I, j);
    store_v3(S + 6 * j, u.w);
    if (n == 6) store_v3(S + 6 * j + 3, u.v);
    S[7 * j] += l->armature;
  }
  return factor(n, S, scale, l->armature, D);
}
INLINE int ball_eliminate_of(int n, const jn_link *l, sym6 *I, real *D, six *UA) {
  for (int j = 0; j < n; j++) UA[j] = sym6_column(I, j);
  int good = ball_factor(n, l, I, D);
  eliminate(n, D, UA, I);
  return good;
}
APART int ball_eliminate(const jn_link *l, sym6 *I, real *D, six *UA) {
  return l->nv == 6 ? ball_eliminate_of(6, l, I, D, UA) : ball_eliminate_of(3, l, I, D, UA);
}
/* A link that passes no inertia to a parent: factors only. */
APART int base_factor(const jn_link *l, const sym6 *I, real *D) { return ball_factor(6, l, I, D); }

/* IA without the joint's degrees of freedom to the parent's P; p += IA b of order 0 */
INLINE int inertia_axis(const link_view *at, int driven, sym6 *P) {
  const jn_link *l = at->link;
  sym6 a;
  int good = ~0;
  sym6_copy(&a, at->IA);
  if (driven) good = axis_eliminate(l, &a, at->D, at->UA);
  *at->p = six_add(*at->p, sym6_apply(at->IA, *at->b));
  joint_add_inertia(l, at->q, at->X, link_transform_of(at, 1), &a, P);
  return good;
}
/* the less common kinds share one copy */
APART int inertia_any(const link_view *at, int driven, sym6 *P) {
  const jn_link *l = at->link;
  sym6 a;
  int good = ~0;
  if (l->nv == 1) return inertia_axis(at, driven, P);
  sym6_copy(&a, at->IA);
  if (driven) good = ball_eliminate(l, &a, at->D, at->UA);
  *at->p = six_add(*at->p, sym6_apply(at->IA, *at->b));
  joint_add_inertia(l, at->q, at->X, NULL, &a, P);
  return good;
}
/* The base, which has no parent: factors only. */
APART int inertia_base(const link_view *at) {
  sym6 a;
  if (at->link->nv == 6) return base_factor(at->link, at->IA, at->D);
  sym6_copy(&a, at->IA);
  return at->link->nv == 1 ? axis_eliminate(at->link, &a, at->D, at->UA)
                           : ball_eliminate(at->link, &a, at->D, at->UA);
}

/* Articulated inertia of one link, after all its children, and the factors of its joint; p += IA b
 * of order 0. driven: by a force, if it moves at all. first: the base, which has no parent; P: IA of
 * the parent. Returns whether the joint moves mass. */
INLINE int inertia_link(const link_view *at, int driven, int first, sym6 *P) {
  driven = driven && at->link->nv;
  if (at->carries) sym6_complete(at->IA);
  if (first) return driven ? inertia_base(at) : ~0;
  return at->link->kind == JN_K_REVOLUTE ? inertia_axis(at, driven, P) : inertia_any(at, driven, P);
}

/* A link that floats:
 * in hybrid dynamics, a free joint beyond the base that is driven by a wrench. It transmits that
 * wrench and nothing else: no inertia and no bias of its subtree reach the parent, where they would
 * cancel, and V_(k+1) of its link does not depend on the parent's. */
INLINE int link_floats(const jn_link *l, const unsigned char *prescribed) {
  return prescribed && !prescribed[l->joint] && l->kind == JN_K_FREE && l->parent >= 0;
}

INLINE int inertia_floating(const link_view *at) {
  if (at->carries) sym6_complete(at->IA);
  return base_factor(at->link, at->IA, at->D);
}
#ifndef JN_BAKED
/* Articulated inertias IA of all links and the factors of their joints; p += IA b of order 0.
 * Returns the singular joint with the highest index in v, or -1. */
static inline int aba_inertias(const jn_model *m, const jn_work *w,
                               const unsigned char *prescribed) {
  int bad = -1, where = -1;
  for (int i = 0; i < m->nlink; i++)
    sym6_rigid(link_view_of(w, i)->IA, link_view_of(w, i)->link->I4);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const link_view *at = link_view_of(w, i);
    const jn_link *l = at->link;
    const int driven = l->nv && !(prescribed && prescribed[l->joint]);
    const int good =
        link_floats(l, prescribed)
            ? inertia_floating(at)
            : inertia_link(at, driven, i == 0, i ? link_view_of(w, at->parent)->IA : NULL);
    if (!good && l->iv > where) bad = l->joint, where = l->iv;
  }
  return bad;
}
#endif

/* F_k = (k+1) IA a + p with a = V_(k+1) - b */
INLINE six aba_wrench(const link_view *at, int k, six a) {
  return six_add(six_times(k + 1, sym6_apply(at->IA, a)), *at->p);
}
/* the part of F_k to the parent that comes from lower orders */
INLINE six known_wrench(const link_view *at, int k) { return k ? at->F[k] : six_zero(); }

/* The sums of order k over terms that do not involve V_k, v_k, F_(k-1). With OVERLAP they
 * are computed during the backward pass of order k-1, to hide its latency. root: the base, the only
 * link without a parent. */
INLINE void bias_terms_begin(const link_view *at, int k, int nv, int root, next_order *out) {
  const jn_link *l = at->link;
  next_order a;
  a.s = products_add(l, products_zero(), k, 1, k - 1, at->V, at->H);
  at->Y[k] = gravity_step(k, at->V, at->Y);
  out->s = a.s;
  if (root || l->kind != JN_K_REVOLUTE) return;
  const six *u = TWISTS_OF(at, 1, k - 1), *F = at->F;
  real *X = at->X;
  out->sine = sincos_begin(k + 1, 2, at->v, nv, X);
  a.b = a.F = rotz_pair_start(six_zero());
  EACH_DOWN(i, 2, k) {
    a.b = rotz_pair_add(a.b, k + 1, i, i, 2, X, u);
    a.F = rotz_pair_add(a.F, k, i, i, 2, X, F);
  }
  out->b = a.b;
  out->F = a.F;
}

/* X_(k+1), b, and in F[k] the part of the wrench to the parent that comes from F_0..F_(k-1) */
APART six bias_terms_joint(const jn_link *l, int k, const real *q, const real *v, int nv, real *X,
                           const six *u, six *F) {
  joint_step(l, k + 1, q, v, nv, X);
  if (k) F[k] = joint_force(l->kind, k, 1, X, F);
  return joint_motion(l->kind, k + 1, 1, X, u);
}

/* Completes the bias terms of order k, after H_k and F_(k-1):
 *   X_(k+1), b
 *   p   = sum_i V_i x* h_(k-i) + I (0, y_k) - ext_k + (k+1) IA b
 *   F_k = sum_(i>=1) X_i^T F_(k-i), the known part of the wrench to the parent
 * Independent for each link. At order 0, aba_inertias adds IA b. Where a link floats, p is without
 * IA b, and F_(k-1) is the given wrench (pass_given). solved: a of order k-1. */
INLINE void bias_terms_end(const link_view *at, int k, six solved, int nv, int floats, int external,
                           int root) {
  const jn_link *l = at->link;
  next_order sums = next_order_zero(), *a = OVERLAP ? at->next : &sums;
  if (!OVERLAP && k) bias_terms_begin(at, k, nv, root, a);
  const six *V = at->V, *u = TWISTS_OF(at, 0, k && !root ? 0 : -1);
  six *H = at->H, *F = at->F, b = six_zero();
  real *X = at->X;
  products s = k ? a->s : products_zero();
  if (k) {
    if (!root && !floats) F[k - 1] = aba_wrench(at, k - 1, solved);
    H[k] = link_spin(l, V[k]);
    s = products_add(l, s, k, k, k, V, H);
  }
  s = products_add(l, s, k, 0, 0, V, H);
  six p = products_end(l, s, six_make(v3_zero(), at->Y[k]));
  if (external) p = six_sub(p, at->ext[k]);
  if (!root) {
    if (l->kind == JN_K_REVOLUTE) {
      const rotz_pair none = rotz_pair_start(six_zero());
      sincos_end(k + 1, 2, k ? a->sine : sincos_begin(1, 2, at->v, nv, X), at->v, nv, X);
      const rotz_pair c = rotz_pair_add(k ? a->b : none, k + 1, 1, 1, 2, X, u);
      b = rotz_pair_end(k ? rotz_pair_add(c, k + 1, k + 1, k + 1, 2, X, u) : c, six_zero());
      if (k) F[k] = rotz_pair_end_t(rotz_pair_add(a->F, k, 1, 1, 2, X, F), six_zero());
    } else {
      b = bias_terms_joint(l, k, at->q, at->v, nv, X, u, F);
    }
    if (k && !floats) p = six_add(p, six_times(k + 1, sym6_apply(at->IA, b)));
  }
  *at->b = b;
  *at->p = p;
}

/* Order 0 of a link: X_0, u_0, V_0, H_0, y_0 and the bias terms, without applied wrenches and
 * without IA b, which aba_inertias adds. */
INLINE void start_link(const link_view *at, int nv, int root) {
  const jn_link *l = at->link;
  link_transform *XT = link_transform_of(at, 1);
  if (XT) link_transform_make(l, at->q, at->X, XT);
  link_motion(l, 0, at->q, at->v, nv, root ? NULL : at->Vp, at->X, XT, at->U, at->V);
  at->H[0] = link_spin(l, at->V[0]);
  at->Y[0] = gravity_start(l, at->X, XT, at->Yp);
  bias_terms_end(at, 0, six_zero(), nv, 0, 0, root);
}
#ifndef JN_BAKED
static inline void aba_start(const jn_model *m, const jn_work *w) {
  place_joints(m, w);
  if (OVERLAP) start_link(link_view_of(w, 0), m->nv, 1);
  for (int i = OVERLAP; i < m->nlink; i++)
    start_link(link_view_of(w, i), m->nv, !OVERLAP && i == 0);
}

/* Subtracts the applied wrenches of order 0. */
static inline void aba_external(const jn_model *m, const jn_work *w) {
  for (int i = 0; i < m->nlink; i++) {
    const link_view *at = link_view_of(w, i);
    *at->p = six_sub(*at->p, at->ext[0]);
  }
}
#endif

/* a += T^T (X_0^T f + known) */
APART void pass_force_any(const jn_link *l, const real *X, six f, six known, six *a) {
  wrench_to_parent(l->kind, l, X, NULL, six_add(joint_force(l->kind, 0, 0, X, &f), known), a);
}

/* Backward pass of one joint:
 *   force-driven   e -= S^T p,   p += UA D^-1 e
 *   prescribed     p += IA S e */
APART six bias_any(const link_view *at, six p, int given) {
  const jn_link *l = at->link;
  real t[6], *e = at->e;
  if (given) return six_add(p, sym6_apply(at->IA, joint_add_velocity(l, six_zero(), e)));
  joint_project(l, p, t);
  for (int j = 0; j < l->nv; j++) t[j] = e[j] = e[j] - t[j];
  if (l->parent < 0) return p;
  joint_solve(l->nv, at->D, t);
  for (int j = 0; j < l->nv; j++) p = six_add(p, six_scale(t[j], at->UA[j]));
  return p;
}

/* Backward pass of one link, after all its children, with its bias wrench f: e, and the wrench
 * added to the parent's sum. */
INLINE void bias_link(const link_view *at, int k, int given, six f, six *sum) {
  const jn_link *l = at->link;
  if (l->kind == JN_K_REVOLUTE && !given) {
    at->e[0] -= v3_z(f.w);
    f = six_add(f, six_scale(at->e[0] * at->D[0], at->UA[0]));
  } else {
    f = bias_any(at, f, given);
  }
  if (l->kind == JN_K_REVOLUTE) {
    wrench_to_parent(JN_K_REVOLUTE, l, at->X, link_transform_of(at, 1),
                     six_add(f, known_wrench(at, k)), sum);
  } else {
    six a = *sum;
    pass_force_any(l, at->X, f, known_wrench(at, k), &a);
    *sum = a;
  }
}
INLINE void bias_root(const link_view *at, int given, six f) {
  if (at->link->kind == JN_K_FREE && !given) {
    store_v3(at->e, v3_sub(load_v3(at->e), f.w));
    store_v3(at->e + 3, v3_sub(load_v3(at->e + 3), f.v));
  } else {
    bias_any(at, f, given);
  }
}

/* Backward pass of a link that floats:
 *   e = tau_k - p,   a += T^T X^T tau
 * force: jets of the wrench in representation `rep`, about the present position if spatial. In all
 * representations but JN_BODY its force is in the parent's axes already, and is not converted to the
 * link and back. */
APART void pass_given(const link_view *at, int k, int nv, int rep, const real *force, six p,
                      six *a) {
  const jn_link *l = at->link;
  const six tau = six_make(load_v3(at->tau + k * nv), load_v3(at->tau + k * nv + 3));
  if (rep == JN_BODY) {
    pass_force_any(l, at->X, tau, known_wrench(at, k), a);
  } else {
    const pose_jet c = pose_jet_make(at->X, at->X + 18, 21, 21);
    v3 n = load_v3(force + k * nv), f = load_v3(force + k * nv + 3);
    if (rep == JN_MIXED) n = rotate_order(k, c, force, nv);
    if (rep != JN_SPATIAL) n = v3_add(n, cross_order(k, c, force + 3, nv));
    n = v3_add(n, v3_cross(load_v3(at->q + 4), f));
    wrench_to_parent(JN_K_FREE, l, at->X, NULL, six_make(n, f), a);
  }
  at->F[k] = tau;
  store_v3(at->e, v3_sub(load_v3(at->e), p.w));
  store_v3(at->e + 3, v3_sub(load_v3(at->e + 3), p.v));
}
#ifndef JN_BAKED
/* Backward pass of order k: bias wrenches from the leaves to the root. w->e holds tau_k of
 * force-driven joints, which becomes tau_k - S^T p, and (k+1) v_(k+1) of prescribed ones. more:
 * another order follows. */
INLINE void aba_inward(const jn_model *m, const jn_work *w, int k, const unsigned char *prescribed,
                       int rep, int more) {
  /* children's wrenches for view `to` are summed in registers, stored when the parent changes */
  six sum = six_zero(), f;
  const link_view *at;
  const jn_link *l;
  int to = -1;
  for (int i = m->nlink - 1; i > 0; i--) {
    at = link_view_of(w, i);
    l = at->link;
    int given = prescribed && prescribed[l->joint];
    f = *at->p;
    if (OVERLAP && to == i) *at->p = f = six_add(f, sum);
    if (OVERLAP && to != at->parent) {
      if (to >= 0 && to != i) {
        six *p = link_view_of(w, to)->p;
        *p = six_add(*p, sum);
      }
      sum = six_zero();
    }
    to = at->parent;
    six *s = OVERLAP ? &sum : link_view_of(w, to)->p;
    if (link_floats(l, prescribed)) {
      six a = *s;
      pass_given(at, k, m->nv, rep, force_of(w, l->iv), f, &a);
      *s = a;
    } else {
      bias_link(at, k, given, f, s);
    }
    if (OVERLAP && more) bias_terms_begin(at, k + 1, m->nv, 0, at->next);
  }
  at = link_view_of(w, 0);
  l = at->link;
  f = *at->p;
  if (OVERLAP) *at->p = f = six_add(f, sum);
  bias_root(at, prescribed && prescribed[l->joint], f);
  if (OVERLAP && more) bias_terms_begin(at, k + 1, m->nv, 1, at->next);
}
#endif

/* v_(k+1) of a joint from e, and V_(k+1) without b. a: X_0 u_(k+1), the parent's part. */
INLINE six solve_joint(jn_kind kind, int n, const link_view *at, int k, six a, real *v, int given,
                       int root) {
  const double inverse = (double)1 / (k + 1);
  real y[6];
  for (int j = 0; j < n; j++) y[j] = inverse * at->e[j];
  if (!given) {
    if (!root)
      for (int j = 0; j < n; j++) y[j] -= six_dot(at->UA[j], a);
    solve_factored(n, at->D, y);
    for (int j = 0; j < n; j++) v[j] = y[j];
  }
  return joint_add_velocity_of(kind, at->link, a, y);
}
APART six solve_any(const link_view *at, int k, six a, real *v, int given) {
  const jn_link *l = at->link;
  const int root = l->parent < 0;
  if (l->nv == 6) return solve_joint(JN_K_FREE, 6, at, k, a, v, given, root);
  return solve_joint(l->kind, l->nv, at, k, a, v, given, root);
}
/* A link that floats: V_(k+1) = D^-1 e / (k+1), and v_(k+1) what that leaves to the joint. a: the
 * parent's part. Returns V_(k+1) without b. */
APART six solve_floating(const link_view *at, int k, six a, real *v) {
  const double inverse = (double)1 / (k + 1);
  real y[6];
  for (int j = 0; j < 6; j++) y[j] = inverse * at->e[j];
  solve_factored(6, at->D, y);
  const six V = six_make(load_v3(y), load_v3(y + 3)), rest = six_sub(V, six_add(a, *at->b));
  store_v3(v, rest.w);
  store_v3(v + 3, rest.v);
  *at->b = six_zero();
  return V;
}
/* u and X_0 u */
APART six motion_any(const jn_link *l, const real *X, const six *V, six *u) {
  *u = twist_from_parent(l->kind, l, X, NULL, V);
  return joint_motion(l->kind, 0, 0, X, u);
}
APART void given_force(const jn_link *l, int k, six F, const real *next, const real *v, int damping,
                       real *tau) {
  joint_project(l, F, tau);
  for (int j = 0; j < l->nv; j++) {
    tau[j] += (l->armature * (k + 1)) * next[j];
    if (damping) tau[j] += l->damping * v[j];
  }
}

/* Forward pass of one link: v_(k+1), V_(k+1), the force of a prescribed joint, and the bias terms
 * of the next order. */
INLINE void solve_link(const link_view *at, int nv, int k, int given, int floats, int damping,
                       int more, int external, int root) {
  const jn_link *l = at->link;
  six *u = at->U + k + 1, a = six_zero();
  real *v = at->v + (k + 1) * nv;
  if (root && l->kind == JN_K_FREE && !given) {
    a = solve_joint(JN_K_FREE, 6, at, k, a, v, 0, 1);
  } else if (!root && l->kind == JN_K_REVOLUTE) {
    a = twist_from_parent(JN_K_REVOLUTE, l, at->X, link_transform_of(at, 1), at->Vp + k + 1);
    if (more) *u = a;
    a = given ? solve_any(at, k, a, v, 1) : solve_joint(JN_K_REVOLUTE, 1, at, k, a, v, 0, 0);
  } else {
    if (!root) a = motion_any(l, at->X, at->Vp + k + 1, u);
    a = floats ? solve_floating(at, k, a, v) : solve_any(at, k, a, v, given);
  }
  at->V[k + 1] = six_add(a, *at->b);
  if (given) given_force(l, k, aba_wrench(at, k, a), v, v - nv, damping, at->tau + k * nv);
  if (more) bias_terms_end(at, k + 1, a, nv, floats, external, root);
}
#ifndef JN_BAKED
/* Forward pass of order k, from the root to the leaves. */
INLINE void aba_outward(const jn_model *m, const jn_work *w, int k, const unsigned char *prescribed,
                        int damping, int more, int external) {
  if (OVERLAP) {
    const link_view *at = link_view_of(w, 0);
    solve_link(at, m->nv, k, prescribed && prescribed[at->link->joint], 0, damping, more, external,
               1);
  }
  for (int i = OVERLAP; i < m->nlink; i++) {
    const link_view *at = link_view_of(w, i);
    solve_link(at, m->nv, k, prescribed && prescribed[at->link->joint],
               link_floats(at->link, prescribed), damping, more, external, !OVERLAP && i == 0);
  }
}
#endif

#endif
