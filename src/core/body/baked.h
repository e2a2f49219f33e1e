/* baked.h (core): dynamics of one robot whose links, order and representation are constants.
 * src/generate writes the schedule: declarations and calls of these macros, link by link, over
 * arrays of their own for every link. In the text around them
 *   link3                  the constants of link 3
 *   NV, REP, DAMPING       length of v, representation of free joints, damping added to forces
 *   R, K                   order, K = R + 1
 *   q, v, tau, ...         arrays of the state, order-major
 *   B                      jets of a free base (base.h)
 *   Vworld, Fworld, Yworld the parent of a root
 * The sums have the order of the passes in rnea.h and aba.h. */
#ifndef JOUNCE_CORE_BODY_BAKED_H
#define JOUNCE_CORE_BODY_BAKED_H

#include "core/body/aba.h"
#include "core/body/checked.h"
#include "core/body/classical.h"
#include "core/body/crba.h"
#include "core/body/free_joint.h"
#include "core/body/rnea.h"

#ifdef JN_DUAL
#include "core/body/baked_dual.h"
#else
/* numbers of LANES states side by side, at any address */
#ifdef LANES
typedef double real_in_memory
    __attribute__((vector_size(sizeof(double) * LANES), aligned(sizeof(double)), may_alias));
#define CHECKED(sum, i) (sum)[i]
#else
typedef double real_in_memory;
#define LANES 1
#define CHECKED(sum, i) (sum)
#endif

/* What is not finite shows in a sum: that of finite numbers, times SMALL, is finite. */
INLINE void check_numbers(int n, const double *x, size_t stride, real *checked) {
  int i = 0;
#if LANES == 1 && SC_LANES > 1
  if (stride == 1 && n >= SC_LANES) {
    sc_real s = SMALL * *(const sc_real *)x;
    UNROLL_ALL for (i = SC_LANES; i + SC_LANES <= n; i += SC_LANES) s +=
        SMALL * *(const sc_real *)(x + i);
    for (int l = 0; l < SC_LANES; l++) *checked += s[l];
  }
#endif
  UNROLL_ALL for (; i < n; i++) *checked +=
      SMALL * *(const real_in_memory *)(x + (size_t)i * stride);
}
INLINE void check_real(real x, real *checked) { *checked += SMALL * x; }
/* n numbers, number i at x + i * stride */
INLINE void read_numbers(int n, const double *x, size_t stride, real *out, real *checked) {
  UNROLL_ALL for (int i = 0; i < n; i++) out[i] = *(const real_in_memory *)(x + (size_t)i * stride);
  check_numbers(n, x, stride, checked);
}
INLINE void write_numbers(int n, const real *x, double *out, size_t stride, real *checked) {
  real s[CHAINS];
  s[0] = *checked;
  for (int i = 1; i < CHAINS; i++) s[i] = real_of(0);
  UNROLL_ALL for (int i = 0; i < n; i++) {
    *(real_in_memory *)(out + (size_t)i * stride) = x[i];
    s[i % CHAINS] += SMALL * x[i];
  }
  *checked = s[0];
  for (int i = 1; i < CHAINS; i++) *checked += s[i];
}
/* Rows from..to of n numbers, row k at x + k nv stride: derivatives in memory, Taylor coefficients
 * here. For states with more numbers than registers: read where they are needed, written at once. */
INLINE void read_rows(int from, int to, int n, int nv, const double *x, size_t stride, real *out,
                      real *checked) {
  double f = 1;
  UNROLL_ALL for (int k = 0; k <= to; k++) {
    if (k > 1) f *= k;
    if (k >= from) {
      read_numbers(n, x + (size_t)(k * nv) * stride, stride, out + k * nv, checked);
      if (k > 1) UNROLL_ALL for (int j = 0; j < n; j++) out[k * nv + j] = out[k * nv + j] / f;
    }
  }
}
INLINE void write_rows(int from, int to, int n, int nv, const real *x, double *out, size_t stride,
                       real *checked) {
  double f = 1;
  UNROLL_ALL for (int k = 0; k <= to; k++) {
    if (k > 1) f *= k;
    if (k >= from) UNROLL_ALL for (int j = 0; j < n; j++) {
        const real y = k > 1 ? x[k * nv + j] * f : x[k * nv + j];
        write_numbers(1, &y, out + (size_t)(k * nv + j) * stride, stride, checked);
      }
  }
}
/* Rows from..to of n numbers as they are, for joints whose motion or force alone is given. */
INLINE void read_joint(int from, int to, int n, int nv, const double *x, size_t stride, real *out,
                       real *checked) {
  UNROLL_ALL for (int k = from; k <= to; k++)
      read_numbers(n, x + (size_t)(k * nv) * stride, stride, out + k * nv, checked);
}
INLINE void write_joint(int from, int to, int n, int nv, const real *x, double *out, size_t stride,
                        real *checked) {
  UNROLL_ALL for (int k = from; k <= to; k++)
      write_numbers(n, x + k * nv, out + (size_t)(k * nv) * stride, stride, checked);
}
INLINE void clear_joint(int from, int to, int n, int nv, real *x) {
  UNROLL_ALL for (int k = from; k <= to; k++) UNROLL_ALL for (int j = 0; j < n; j++) x[k * nv + j] =
      real_of(0);
}
/* number i of an array of reals that is read by lanes */
INLINE void put_real(double *x, int i, real a) { *(real_in_memory *)(x + i * LANES) = a; }
INLINE real take_real(const double *x, int i) { return *(const real_in_memory *)(x + i * LANES); }
/* sine and cosine of an angle from the arrays of all of them */
INLINE real sine_at(const double *sine, const double *cosine, int i, real angle) {
  (void)cosine, (void)angle;
  return take_real(sine, i);
}
INLINE real cosine_at(const double *sine, const double *cosine, int i, real angle) {
  (void)sine, (void)angle;
  return take_real(cosine, i);
}
#endif
INLINE void copy_reals(int n, const real *x, real *out) {
  UNROLL_ALL for (int i = 0; i < n; i++) out[i] = x[i];
}
/* Is a number not finite? By its bits, which holds where the compiler is told that all numbers are
 * finite: |x| plus the smallest exponent overflows into the sign. */
INLINE int not_finite(double x) {
  checked_bits bits;
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
  const volatile double seen = x;
  x = seen;
#endif
  memcpy(&bits, &x, sizeof bits);
  bits = (bits & ~SIGN_BIT) + EXPONENT_ONE;
  return (bits & SIGN_BIT) != 0;
}
/* Which of the LANES states have no result, one bit each. checked: the sum of what was checked. */
INLINE int states_without_result(int good, real checked) {
  int lanes = 0;
  for (int i = 0; i < LANES; i++) lanes |= not_finite(CHECKED(checked, i)) << i;
  return (~good | lanes) & ((1 << LANES) - 1);
}

/* the numbers of a state without result */
INLINE void write_nan(int n, double *out, size_t stride) {
  const int64_t bits = -1;
  double nan;
  memcpy(&nan, &bits, sizeof nan);
  for (int i = 0; i < n; i++) out[(size_t)i * stride] = nan;
}
INLINE void write_joint_nan(int from, int to, int n, int nv, double *out, size_t stride) {
  for (int k = from; k <= to; k++) write_nan(n, out + (size_t)(k * nv) * stride, stride);
}

/* inverse dynamics: arrays of a link and pointers to them; up: the parent, or `world` */
#define INVERSE_LINK(i, width) \
  six V##i[K + 1], F##i[K];    \
  v3 Y##i[K];                  \
  acceleration C##i[K + 1];    \
  link_transform XT##i;        \
  real X##i[(width) * (K + 1)];
#define INVERSE_VIEW(i, up, iq, iv)                                                                \
  inverse_view(V##i, F##i, Y##i, C##i, &XT##i, X##i, q + (iq), v + (iv), tau + (iv), V##up, F##up, \
               Y##up, C##up)
INLINE link_view inverse_view(six *V, six *F, v3 *Y, acceleration *C, link_transform *XT, real *X,
                              real *q, real *v, real *tau, const six *Vp, six *Fp, const v3 *Yp,
                              const acceleration *Cp) {
  link_view at;
  memset(&at, 0, sizeof at);
  at.V = V, at.F = F, at.Y = Y, at.C = C, at.XT = XT, at.X = X, at.q = q, at.v = v, at.tau = tau;
  at.Vp = Vp, at.Fp = Fp, at.Yp = Yp, at.Cp = Cp;
  return at;
}
/* What the compiler has to know of a view: its constants, or what they have in common with those of
 * `like` where links share a function. */
INLINE link_view constant_view(const link_view *view, const jn_link *l, const jn_link *like) {
  link_view at = *view;
  at.link = l;
  if (l->kind != like->kind || l->rotation != like->rotation || l->nv != like->nv)
    __builtin_unreachable();
  if (like->parent < 0)
    at.Vp = NULL, at.Fp = NULL, at.Cp = NULL;
  else if (!at.Vp || !at.Fp || l->parent < 0)
    __builtin_unreachable();
  return at;
}
/* visit of a link of order r: V or C, and F of its own motion and weight */
INLINE void inverse_visit(const link_view *at, int nv, int r, six *H, v3 *u, v3 *e) {
#ifdef JN_CLASSICAL
  (void)H;
  classical_visit(at, nv, r + 1, u, u, e);
#else
  (void)u, (void)e;
  rnea_visit(at, nv, r + 1, 0, 0, NULL, 1, H);
#endif
}
/* the functions of link i, and of links like it, for order r */
#define INVERSE_PARTS(name, i, r)                                       \
  PART void name##_visit##i(const link_view *view, const jn_link *l) {  \
    const link_view at = constant_view(view, l, &link##i);              \
    six H[(r) + 2];                                                     \
    v3 u[(r) + 2], e[(r) + 3];                                          \
    inverse_visit(&at, NV, r, H, u, e);                                 \
  }                                                                     \
  PART void name##_finish##i(const link_view *view, const jn_link *l) { \
    const link_view at = constant_view(view, l, &link##i);              \
    rnea_finish(&at, NV, r, DAMPING, 0);                                \
  }

/* A prescribed joint of hybrid dynamics: its velocity of order k + 1, and e = (k+1) v_(k+1). */
INLINE void prescribe_joint(const jn_link *l, int rep, int k, int nv, v3 p0, const real *in,
                            real *X, base_jet *b, real *v, real *e) {
  joint_motion_in(l, rep, k + 1, nv, p0, in, X, b, v);
  for (int j = 0; j < l->nv; j++) e[j] = (double)(k + 1) * v[(k + 1) * nv + j];
}

/* forward dynamics: the same; n: degrees of freedom */
#define FORWARD_LINK(i, width, n)                                               \
  six V##i[R + 2], U##i[R + 2], H##i[R + 1], F##i[R + 1], UA##i[n], b##i, p##i; \
  v3 Y##i[R + 1];                                                               \
  link_transform XT##i;                                                         \
  real X##i[(width) * (R + 2)], D##i[6 * (n)];                                  \
  sym6 I##i;                                                                    \
  next_order next##i;
#define FORWARD_VIEW(i, up, iq, iv, carries)                                                 \
  forward_view(V##i, U##i, H##i, F##i, UA##i, &b##i, &p##i, Y##i, &XT##i, X##i, D##i, &I##i, \
               &next##i, q + (iq), v + (iv), tau + (iv), e + (iv), carries, V##up, F##up, Y##up)
INLINE link_view forward_view(six *V, six *U, six *H, six *F, six *UA, six *b, six *p, v3 *Y,
                              link_transform *XT, real *X, real *D, sym6 *IA, next_order *next,
                              real *q, real *v, real *tau, real *e, int carries, const six *Vp,
                              six *Fp, const v3 *Yp) {
  link_view at;
  memset(&at, 0, sizeof at);
  at.V = V, at.U = U, at.H = H, at.F = F, at.UA = UA, at.b = b, at.p = p, at.Y = Y, at.XT = XT,
  at.X = X;
  at.D = D, at.IA = IA, at.next = next, at.q = q, at.v = v, at.tau = tau, at.e = e;
  at.carries = carries;
  at.Vp = Vp, at.Fp = Fp, at.Yp = Yp;
  return at;
}
/* given: the joint's motion is prescribed, and its force a result; floats: see aba.h */
#define FORWARD_PARTS(name, i, given, floats)                                         \
  PART void name##_start##i(const link_view *view, const jn_link *l) {                \
    const link_view at = constant_view(view, l, &link##i);                            \
    sym6_rigid(at.IA, l->I4);                                                         \
    start_link(&at, NV, link##i.parent < 0);                                          \
  }                                                                                   \
  PART int name##_inertia##i(const link_view *view, const jn_link *l, sym6 *parent) { \
    const link_view at = constant_view(view, l, &link##i);                            \
    if (floats) return inertia_floating(&at);                                         \
    return inertia_link(&at, !(given), link##i.parent < 0, parent);                   \
  }
/* Order k, a constant that is part of the names: _2, with no more arguments; or ORDER_ARGUMENTS of
 * functions that are called for every order. */
#define ORDER_ARGUMENTS , int k, int more
#define FORWARD_ORDER(name, i, order, arguments, k, more, given, floats)                    \
  PART void name##_bias##i##order(const link_view *view, const jn_link *l, six *parent,     \
                                  const real *force arguments) {                            \
    const link_view at = constant_view(view, l, &link##i);                                  \
    (void)force;                                                                            \
    if (floats)                                                                             \
      pass_given(&at, k, NV, REP, force, *at.p, parent);                                    \
    else if (link##i.parent < 0)                                                            \
      bias_root(&at, given, *at.p);                                                         \
    else                                                                                    \
      bias_link(&at, k, given, *at.p, parent);                                              \
    if (OVERLAP && (more)) bias_terms_begin(&at, (k) + 1, NV, link##i.parent < 0, at.next); \
  }                                                                                         \
  PART void name##_solve##i##order(const link_view *view, const jn_link *l arguments) {     \
    const link_view at = constant_view(view, l, &link##i);                                  \
    solve_link(&at, NV, k, given, floats, DAMPING, more, 0, link##i.parent < 0);            \
  }

/* mass matrix: what link i adds to the rows of M and to its parent's composite (NULL: the world) */
#define MASS_LINK(i, width) \
  real X##i[width];         \
  composite_inertia Ic##i;  \
  composite_rigid(&link##i, &Ic##i);
#define MASS_PARTS(name, i)                                                                       \
  PART void name##_link##i(const jn_link *l, const real *q, const real *X, composite_inertia *Ic, \
                           composite_inertia *parent, int end, six *F, real *M) {                 \
    if (l->kind != link##i.kind || l->rotation != link##i.rotation || l->nv != link##i.nv)        \
      __builtin_unreachable();                                                                    \
    const v3 p = l->kind == JN_K_FREE ? load_v3(q + 4) : v3_zero();                               \
    crba_rows(l, X, p, REP, Ic, F, end, NV, M);                                                   \
    if (!parent) return;                                                                          \
    composite_add(l, q, X, Ic, parent);                                                           \
    crba_columns(l, X, F + l->iv, end - l->iv);                                                   \
  }
INLINE void mirror_rows(int nv, real *M) {
  NO_UNROLL for (int i = 0; i < nv; i++) for (int j = 0; j < i; j++) M[i * nv + j] = M[j * nv + i];
}

/* Kinematics: twists of links to order R, and their poses: rotation E, position O relative to the
 * base's. */
#define KINEMATICS_LINK(i, width) \
  six V##i[R + 1];                \
  link_transform XT##i;           \
  real X##i[(width) * (R + 1)];
#define KINEMATICS_VIEW(i, up, iq, iv)                                                             \
  inverse_view(V##i, NULL, NULL, NULL, &XT##i, X##i, q + (iq), v + (iv), NULL, V##up, V##up, NULL, \
               NULL)
#define KINEMATICS_PARTS(name, i, r)                                   \
  PART void name##_visit##i(const link_view *view, const jn_link *l) { \
    const link_view at = constant_view(view, l, &link##i);             \
    six H[(r) + 1];                                                    \
    rnea_visit(&at, NV, r, 0, 0, NULL, 0, H);                          \
  }
/* The pose (R row by row, p) of a frame C of a link, and its twists to order r, rows of `row` numbers,
 * in representation `rep`. given: the spatial twists themselves, where the user gave them. */
INLINE void place_frame(const double *C, const real *E, v3 O, v3 base, real *pose) {
  real inner[9], p[3];
  for (int j = 0; j < 9; j++) inner[j] = real_of(C[j]);
  for (int j = 0; j < 3; j++) p[j] = real_of(C[9 + j]);
  m3_mul(E, inner, pose);
  store_v3(pose + 9, v3_add(base, v3_add(m3_apply(E, load_v3(p)), O)));
}
INLINE void frame_twists(const double *C, int rep, int r, const six *V, const real *E, v3 O,
                         v3 base, real *room, real *twist, int row) {
  real inner[9], *R = room, *P = R + 9 * (r + 2), *W = P + 3 * (r + 2), *y = W + 6 * (r + 1);
  for (int j = 0; j < 9; j++) inner[j] = real_of(C[j]);
  const v3 p = v3_make(real_of(C[9]), real_of(C[10]), real_of(C[11]));
  const pose_jet c = pose_jet_make(R, P, 9, 3);
  const v3 p0 = v3_add(m3_apply(E, p), O);
  m3_mul(E, inner, R);
  store_v3(P, v3_zero());
  for (int k = 0; k <= r; k++) { /* Ad_C^-1 V */
    store_v3(W + 6 * k, m3_apply_t(inner, V[k].w));
    store_v3(W + 6 * k + 3, m3_apply_t(inner, v3_sub(V[k].v, v3_cross(p, V[k].w))));
  }
  for (int k = 0; k <= r; k++) {
    if (rep == JN_BODY)
      copy_reals(6, W + 6 * k, y + 6 * k);
    else
      twist_from_body(rep, k, c, p0, W, 6, y, 6);
    if (k < r) pose_step(k + 1, W, 6, c);
  }
  double f = 1;
  for (int k = 0; k <= r; k++) {
    if (k > 1) f *= k;
    real *x = y + 6 * k;
    if (rep == JN_SPATIAL) store_v3(x + 3, v3_add_cross_exact(load_v3(x + 3), base, load_v3(x)));
    for (int j = 0; j < 6; j++) twist[k * row + j] = k > 1 ? x[j] * f : x[j];
  }
}

#endif
