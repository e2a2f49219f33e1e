/* lanes.h: the scalar concept for one state with SIMD vectors. real is double; the three components
 * of a vector are lanes of one 256-bit register, the fourth is zero. */
#ifndef JOUNCE_SCALAR_LANES_H
#define JOUNCE_SCALAR_LANES_H

#include <immintrin.h>
#include <math.h>

#include "model/link.h"

typedef double real;
typedef double v3 __attribute__((vector_size(32)));
typedef double v3_unaligned __attribute__((vector_size(32), aligned(8)));

#define JN_PADDED 1
#define JN_UNROLL "GCC unroll 16"

/* the link's inertia is diagonal: a shorter path, worth a branch for one state only */
#define DIAGONAL(link) ((link)->diagonal)
/* combined transforms between link and parent are precomputed from order 1 on (core/body/link_view.h) */
#define LINK_TRANSFORMS LINK_TRANSFORMS_ALL
/* the sums of the next order are begun in the backward pass, to hide its latency (core/body/aba.h) */
#define OVERLAP 1

static inline int real_greater(real a, real b) { return a > b; }
static inline real real_of(double x) { return x; }

#define SHUFFLE(a, i, j, k, l) __builtin_shufflevector(a, a, i, j, k, l)

static inline v3 v3_make(real x, real y, real z) { return (v3){x, y, z, 0}; }
static inline v3 v3_zero(void) { return (v3){0, 0, 0, 0}; }
static inline real v3_x(v3 a) { return a[0]; }
static inline real v3_y(v3 a) { return a[1]; }
static inline real v3_z(v3 a) { return a[2]; }
static inline v3 v3_add(v3 a, v3 b) { return a + b; }
static inline v3 v3_sub(v3 a, v3 b) { return a - b; }
static inline v3 v3_scale(real s, v3 a) { return s * a; }
static inline v3 v3_mul(v3 a, v3 b) { return a * b; }
static inline v3 v3_times(double s, v3 a) { return s * a; }
static inline v3 v3_add_z(v3 a, real s) { return (v3)_mm256_blend_pd(a, a + s, 4); }
static inline v3 v3_z_cross(v3 a) { return (v3){-1, 1, 0, 0} * SHUFFLE(a, 1, 0, 3, 3); }
/* x and y of a, z of b */
static inline v3 v3_with_z(v3 a, v3 b) { return (v3)_mm256_blend_pd(a, b, 12); }
/* a b - p, p = a b rounded: exact */
static inline v3 v3_product_error(v3 a, v3 b, v3 p) { return (v3)_mm256_fmsub_pd(a, b, p); }
/* x / d, r = 1 / d: the remainder of x r corrects it to the quotient that a division rounds to */
#define REAL_QUOTIENT 1
static inline real real_quotient(real x, double d, double r) {
  const real q = x * r;
  return __builtin_fma(__builtin_fma(-q, d, x), r, q);
}
static inline v3 v3_quotient(v3 x, double d, double r) {
  const v3 q = x * r, R = {r, r, r, r}, D = {d, d, d, d};
  return (v3)_mm256_fmadd_pd(_mm256_fnmadd_pd(q, D, x), R, q);
}
/* s - a b, rounded once */
#define V3_FUSED 1
static inline v3 v3_minus_product(v3 s, v3 a, v3 b) { return (v3)_mm256_fnmadd_pd(a, b, s); }
static inline real v3_sum(v3 p) {
  v3 s = p + SHUFFLE(p, 2, 3, 0, 1);
  return s[0] + s[1];
}
static inline real v3_dot(v3 a, v3 b) { return v3_sum(a * b); }
static inline real v3_dot2(v3 a, v3 b, v3 c, v3 d) { return v3_sum(a * b + c * d); }

/* sums of cross products; the cyclic permutation of the result is applied once, at the end */
typedef struct cross_sum {
  v3 a, b;
} cross_sum;
static inline cross_sum cross_zero(void) { return (cross_sum){v3_zero(), v3_zero()}; }
static inline cross_sum cross_add(cross_sum s, v3 a, v3 b) {
  s.a += a * SHUFFLE(b, 1, 2, 0, 3);
  s.b += SHUFFLE(a, 1, 2, 0, 3) * b;
  return s;
}
static inline v3 cross_end(cross_sum s) { return SHUFFLE(s.a - s.b, 1, 2, 0, 3); }
static inline v3 v3_cross(v3 a, v3 b) {
  const v3 c = a * SHUFFLE(b, 1, 2, 0, 3) - SHUFFLE(a, 1, 2, 0, 3) * b;
  return SHUFFLE(c, 1, 2, 0, 3);
}

/* sums of (a_y b_z, a_z b_x, a_x b_y), permuted at the end as well */
typedef v3 pair_sum;
static inline pair_sum pair_zero(void) { return v3_zero(); }
static inline pair_sum pair_add(pair_sum s, v3 a, v3 b) { return s + a * SHUFFLE(b, 1, 2, 0, 3); }
static inline v3 pair_end(pair_sum s) { return SHUFFLE(s, 1, 2, 0, 3); }

/* sums of rotations about z, (c x + n y, c y - n x, undefined); the sign is applied at the end */
typedef struct rotz_sum {
  v3 a, b;
} rotz_sum;
static inline rotz_sum rotz_start(v3 a) { return (rotz_sum){a, v3_zero()}; }
static inline rotz_sum rotz_of(real c, real n, v3 a) {
  return (rotz_sum){c * a, n * SHUFFLE(a, 1, 0, 3, 2)};
}
static inline rotz_sum rotz_add(rotz_sum s, real c, real n, v3 a) {
  s.a += c * a;
  s.b += n * SHUFFLE(a, 1, 0, 3, 2);
  return s;
}
/* c = 0 */
static inline rotz_sum rotz_add_sine(rotz_sum s, real n, v3 a) {
  s.b += n * SHUFFLE(a, 1, 0, 3, 2);
  return s;
}
static inline v3 rotz_end(rotz_sum s) { return s.a + (v3){1, -1, 0, 0} * s.b; }
/* (c x - n y, c y + n x, undefined) */
static inline v3 rotz_end_t(rotz_sum s) { return s.a + (v3){-1, 1, 0, 0} * s.b; }

static inline v3 v3_load4(const double *x) { return *(const v3_unaligned *)x; }
/* a_x col_0 + a_y col_1 + a_z col_2 of a constant matrix stored by columns of four */
static inline v3 c_columns(const double *M, v3 a) {
  return SHUFFLE(a, 0, 0, 0, 0) * v3_load4(M) + SHUFFLE(a, 1, 1, 1, 1) * v3_load4(M + 4) +
         SHUFFLE(a, 2, 2, 2, 2) * v3_load4(M + 8);
}
static inline v3 v3_columns(const v3 *M, v3 a) {
  return SHUFFLE(a, 0, 0, 0, 0) * M[0] + SHUFFLE(a, 1, 1, 1, 1) * M[1] +
         SHUFFLE(a, 2, 2, 2, 2) * M[2];
}
/* the same for a vector in memory */
static inline v3 v3_columns_at(const v3 *M, const v3 *a) {
  const double *x = (const double *)a;
  return x[0] * M[0] + x[1] * M[1] + x[2] * M[2];
}
/* sums of the four components of p, q, r */
static inline v3 v3_row_sums(v3 p, v3 q, v3 r) {
  v3 s = __builtin_shufflevector(p, q, 0, 4, 2, 6) + __builtin_shufflevector(p, q, 1, 5, 3, 7);
  v3 t = __builtin_shufflevector(r, v3_zero(), 0, 4, 2, 6) +
         __builtin_shufflevector(r, v3_zero(), 1, 5, 3, 7);
  return __builtin_shufflevector(s, t, 0, 1, 4, 5) + __builtin_shufflevector(s, t, 2, 3, 6, 7);
}
/* (m_0 . a, m_1 . a, m_2 . a) */
static inline v3 v3_rows(const v3 *M, v3 a) { return v3_row_sums(M[0] * a, M[1] * a, M[2] * a); }
static inline void v3_transpose(const v3 *M, v3 *T) {
  v3 a = __builtin_shufflevector(M[0], M[1], 0, 4, 2, 6),
     b = __builtin_shufflevector(M[0], M[1], 1, 5, 3, 7);
  v3 z = v3_zero();
  v3 c = __builtin_shufflevector(M[2], z, 0, 4, 2, 6),
     d = __builtin_shufflevector(M[2], z, 1, 5, 3, 7);
  T[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  T[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  T[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
}
/* R a and out += R^T a, R a signed permutation of axes */
static inline v3 v3_permute(v3 a, const int *lane) {
  return (v3)_mm256_permutevar8x32_ps((__m256)a, _mm256_loadu_si256((const __m256i *)lane));
}
static inline v3 v3_pick(const v3 *a, const jn_axes *R) {
  return v3_load4(R->sign) * v3_permute(*a, R->lane);
}
static inline void v3_add_pick(v3 *out, v3 a, const jn_axes *R) {
  *out += v3_permute(v3_load4(R->sign) * a, R->back);
}
static inline v3 c_vector(const double *c) { return v3_load4(c); }
static inline v3 load_v3(const real *x) { return (v3){x[0], x[1], x[2], 0}; }
static inline void store_v3(real *x, v3 a) { x[0] = a[0], x[1] = a[1], x[2] = a[2]; }
/* the two halves of six numbers in one load each; the fourth component is undefined */
static inline v3 load_first(const real *x) { return v3_load4(x); }
static inline v3 load_second(const real *x) { return SHUFFLE(v3_load4(x + 2), 1, 2, 3, 0); }

#endif
