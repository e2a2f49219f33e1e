/* algebra.h (core): three- and six-vectors and 3 x 3 matrices over the scalar. By value, no
 * branches on values. The three-vectors themselves come from the scalar header (src/scalar). */
#ifndef JOUNCE_CORE_ALGEBRA_ALGEBRA_H
#define JOUNCE_CORE_ALGEBRA_ALGEBRA_H

#include <assert.h>
#include <stddef.h>

#include "scalar/scalar.h"

/* for coverage of branches: one copy of a function instead of one per caller */
#ifdef INLINE /* by the text of one robot */
#elif defined(JN_COUNTED)
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif
/* code of the less common cases, kept out of the loops that call it */
#ifndef APART
#define APART static __attribute__((noinline))
#endif

/* loops over orders unroll where the order is a compile-time constant and the scalar allows it */
#ifdef EACH /* by the text of one robot */
#elif defined(__clang__) || !defined(JN_UNROLL) || defined(JN_SMALL)
#define EACH(k, from, to) for (int k = from; k <= to; k++)
#define EACH_DOWN(k, from, to) for (int k = to; k >= from; k--)
#else
#define EACH(k, from, to) _Pragma(JN_UNROLL) for (int k = from; k <= to; k++)
#define EACH_DOWN(k, from, to) _Pragma(JN_UNROLL) for (int k = to; k >= from; k--)
#endif

/* k = from..to within 0..n-1, where n is a constant and the bounds depend on another loop: in the text
 * of one robot a loop of constant length, so that every compiler unrolls both */
#ifndef EACH_WITHIN
#define EACH_WITHIN(k, from, to, n) EACH(k, from, to)
#endif

/* loops over all numbers of a state, in the text of one robot */
#ifndef UNROLL_ALL
#define UNROLL_ALL
#define NO_UNROLL
#endif
/* x / f, or x (1 / f) where rounding is free */
#ifndef QUOTIENT
#define QUOTIENT(x, f) ((x) / (f))
#endif

/* The same for orders of a recursion whose inner loops run over lower orders. Where `to` is not a
 * constant, the orders up to LOW_ORDERS still are if `one_kind`: short loops whose length the
 * processor mispredicts cost more than the work in them. Code for joints of every kind would not fit
 * the instruction cache. */
#if defined(JN_PADDED) && defined(JN_UNROLL) && !defined(__clang__) && !defined(JN_SMALL)
enum { LOW_ORDERS = 8 };
#define EACH_LOW_FIRST(one_kind, k, from, to, ...)                       \
  do {                                                                   \
    if ((one_kind) && !__builtin_constant_p(to) && (to) >= LOW_ORDERS) { \
      EACH(k, from, LOW_ORDERS) { __VA_ARGS__; }                         \
      for (int k = LOW_ORDERS + 1; k <= (to); k++) {                     \
        __VA_ARGS__;                                                     \
      }                                                                  \
    } else {                                                             \
      EACH(k, from, to) { __VA_ARGS__; }                                 \
    }                                                                    \
  } while (0)
/* Unrolled where `to` is a constant, and a loop where it is not: code that runs once in a call costs
 * its length, and every copy of a loop within a loop would be as long. */
#define EACH_COMPACT(k, from, to, ...)                              \
  do {                                                              \
    if (__builtin_constant_p(to)) {                                 \
      EACH(k, from, to) { __VA_ARGS__; }                            \
    } else {                                                        \
      NO_UNROLL for (int k = from; k <= (to); k++) { __VA_ARGS__; } \
    }                                                               \
  } while (0)
#else
#define EACH_LOW_FIRST(one_kind, k, from, to, ...) \
  EACH(k, from, to) { __VA_ARGS__; }
#define EACH_COMPACT(k, from, to, ...) \
  EACH(k, from, to) { __VA_ARGS__; }
#endif

/* entry points of the engine table: external where an instruction set is compiled (src/inst) */
#ifndef ENTRY_FUNCTION
#define ENTRY_FUNCTION static inline
#endif

typedef struct six {
  v3 w, v;
} six; /* twist (w, v) or wrench (torque in w, force in v) */
typedef struct m3 {
  real m[9];
} m3; /* row-major */

/* a six in memory, in reals: distance between sixes, and from the angular to the linear part */
enum { SIX_STRIDE = sizeof(six) / sizeof(real), SIX_LINEAR = sizeof(v3) / sizeof(real) };

static inline six six_make(v3 w, v3 v) {
  six a = {w, v};
  return a;
}
static inline six six_zero(void) { return six_make(v3_zero(), v3_zero()); }
static inline six six_add(six a, six b) { return six_make(v3_add(a.w, b.w), v3_add(a.v, b.v)); }
static inline six six_sub(six a, six b) { return six_make(v3_sub(a.w, b.w), v3_sub(a.v, b.v)); }
static inline six six_scale(real s, six a) { return six_make(v3_scale(s, a.w), v3_scale(s, a.v)); }
/* times a plain double */
static inline six six_times(double s, six a) {
  return six_make(v3_times(s, a.w), v3_times(s, a.v));
}
static inline real six_dot(six a, six b) { return v3_dot2(a.w, b.w, a.v, b.v); }

/* the brackets ad_V U and ad_V^T W */
static inline six six_ad(six V, six U) {
  return six_make(v3_cross(V.w, U.w), v3_add(v3_cross(V.w, U.v), v3_cross(V.v, U.w)));
}
static inline six six_ad_t(six V, six W) {
  return six_make(v3_add(v3_cross(W.w, V.w), v3_cross(W.v, V.v)), v3_cross(W.v, V.w));
}

static inline six load_six(const real *x) { return six_make(load_v3(x), load_v3(x + 3)); }
static inline void store_six(real *x, six a) {
  store_v3(x, a.w);
  store_v3(x + 3, a.v);
}

static inline m3 m3_zero(void) {
  m3 a;
  real zero = {0};
  for (int i = 0; i < 9; i++) a.m[i] = zero;
  return a;
}
static inline m3 m3_identity(void) {
  m3 a = m3_zero();
  for (int i = 0; i < 9; i += 4) a.m[i] += 1.0;
  return a;
}
static inline v3 m3_apply(const real *R, v3 a) {
  real x = v3_x(a), y = v3_y(a), z = v3_z(a);
  return v3_make(R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z,
                 R[6] * x + R[7] * y + R[8] * z);
}
static inline v3 m3_apply_t(const real *R, v3 a) {
  real x = v3_x(a), y = v3_y(a), z = v3_z(a);
  return v3_make(R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z,
                 R[2] * x + R[5] * y + R[8] * z);
}
static inline void m3_mul(const real *restrict A, const real *restrict B, real *restrict out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
/* out += A [b]x */
static inline void m3_add_mul_hat(const real *A, v3 b, real *out) {
  real x = v3_x(b), y = v3_y(b), z = v3_z(b);
  for (int i = 0; i < 9; i += 3) {
    out[i] += A[i + 1] * z - A[i + 2] * y;
    out[i + 1] += A[i + 2] * x - A[i] * z;
    out[i + 2] += A[i] * y - A[i + 1] * x;
  }
}
/* out += [b]x A */
static inline void m3_add_hat_mul(v3 b, const real *A, real *out) {
  real x = v3_x(b), y = v3_y(b), z = v3_z(b);
  for (int j = 0; j < 3; j++) {
    out[j] += y * A[6 + j] - z * A[3 + j];
    out[3 + j] += z * A[j] - x * A[6 + j];
    out[6 + j] += x * A[3 + j] - y * A[j];
  }
}
/* out += [b]x S, S symmetric: xx xy xz yy yz zz */
static inline void m3_add_hat_sym(v3 b, const real *S, real *out) {
  const real A[9] = {S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]};
  m3_add_hat_mul(b, A, out);
}

#if !defined(JN_FOLDED) || defined(JN_PADDED)
/* model constants are doubles, padded to four: a x c and c x a */
static inline v3 v3_cross_c(v3 a, const double *c) { return v3_cross(a, c_vector(c)); }
static inline v3 c_cross_v3(const double *c, v3 a) { return v3_cross(c_vector(c), a); }
/* a matrix times a constant vector */
static inline v3 v3_columns_c(const v3 *M, const double *c) { return v3_columns(M, c_vector(c)); }
#endif

/* error-free sum and product (Knuth, Dekker): a + b = s + e, a b = s + e exactly; SPLITTER = 2^27 + 1
 * halves the 53 bits of a double */
#ifndef SPLITTER
#define SPLITTER 134217729.0
#endif
static inline real two_sum(real a, real b, real *e) {
  real s = a + b, t = s - a;
  *e = (a - (s - t)) + (b - t);
  return s;
}
static inline real two_product(real a, real b, real *e) {
  real ta = SPLITTER * a, tb = SPLITTER * b;
  real ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh, s = a * b;
  *e = ((ah * bh - s) + ah * bl + al * bh) + al * bl;
  return s;
}
/* a + b c - d e, compensated for the rounding errors of products and sums */
static inline real sum_of_products(real a, real b, real c, real d, real e) {
  real e1, e2, e3, e4;
  real bc = two_product(b, c, &e1), de = two_product(d, e, &e2);
  real s = two_sum(bc, -de, &e3);
  s = two_sum(a, s, &e4);
  return s + ((e1 - e2) + (e3 + e4));
}
/* a + b x c as if in twice the precision; far from the origin a and b x c cancel */
#ifdef JN_PADDED
static inline v3 v3_two_sum(v3 a, v3 b, v3 *e) {
  const v3 s = a + b, t = s - a;
  *e = (a - (s - t)) + (b - t);
  return s;
}
static inline v3 v3_add_cross_exact(v3 a, v3 b, v3 c) {
  const v3 by = SHUFFLE(b, 1, 2, 0, 3), bz = SHUFFLE(b, 2, 0, 1, 3), cy = SHUFFLE(c, 1, 2, 0, 3),
           cz = SHUFFLE(c, 2, 0, 1, 3);
#ifdef V3_FUSED
  /* a + b_y c_z = s + e + r exactly; then s - b_z c_y, as small as the result, is rounded once */
  v3 e;
  const v3 p = by * cz, r = v3_product_error(by, cz, p), s = v3_two_sum(a, p, &e);
  return v3_minus_product(s, bz, cy) + (e + r);
#else
  v3 p, q, r, t, e1, e2;
  p = by * cz, r = v3_product_error(by, cz, p);
  q = bz * cy, t = v3_product_error(bz, cy, q);
  v3 s = v3_two_sum(p, -q, &e1);
  s = v3_two_sum(a, s, &e2);
  return s + ((r - t) + (e1 + e2));
#endif
}
#else
static inline v3 v3_add_cross_exact(v3 a, v3 b, v3 c) {
  real bx = v3_x(b), by = v3_y(b), bz = v3_z(b), cx = v3_x(c), cy = v3_y(c), cz = v3_z(c);
  return v3_make(sum_of_products(v3_x(a), by, cz, bz, cy), sum_of_products(v3_y(a), bz, cx, bx, cz),
                 sum_of_products(v3_z(a), bx, cy, by, cx));
}
#endif

/* x / d, r = 1 / d */
#ifndef REAL_QUOTIENT
static inline real real_quotient(real x, double d, double r) {
  (void)r;
  return QUOTIENT(x, d);
}
#endif

#define LARGEST_FACTOR 1e280
/* k! x, or x / k! (to_taylor), with the factors of scale_rows */
static inline v3 v3_scale_order(int k, v3 x, int to_taylor) {
  for (int i = 2; i <= k;) {
    double f = 1;
    for (; i <= k && f < LARGEST_FACTOR; i++) f *= i;
#ifdef JN_PADDED
    x = to_taylor ? v3_quotient(x, f, 1 / f) : f * x;
#else
    if (to_taylor)
      x = v3_make(QUOTIENT(v3_x(x), f), QUOTIENT(v3_y(x), f), QUOTIENT(v3_z(x), f));
    else
      x = v3_times(f, x);
#endif
  }
  return x;
}

/* Multiplies rows k = from..to of n numbers by k!, or by 1/k! (to_taylor). k! overflows at k = 171,
 * so later rows are scaled by several factors in turn. */
static inline void scale_rows(int from, int to, int n, real *x, int to_taylor) {
  enum { WHOLE = 158 }; /* 158! > LARGEST_FACTOR */
  double f = 1;
  const int whole = to < WHOLE ? to : WHOLE;
  UNROLL_ALL for (int k = 2; k <= whole; k++) {
    f *= k;
    if (k < from) continue;
    real *row = x + (size_t)(k - from) * (size_t)n;
    const double r = 1 / f;
    UNROLL_ALL for (int j = 0; j < n; j++) {
      row[j] = to_taylor ? real_quotient(row[j], f, r) : row[j] * f;
    }
  }
  for (int k = from > WHOLE ? from : WHOLE + 1; k <= to; k++) {
    real *row = x + (size_t)(k - from) * (size_t)n;
    for (int i = 2; i <= k;) {
      for (f = 1; i <= k && f < LARGEST_FACTOR; i++) f *= i;
      for (int j = 0; j < n; j++) row[j] = to_taylor ? row[j] / f : row[j] * f;
    }
  }
}

#endif
