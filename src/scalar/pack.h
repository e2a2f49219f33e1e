/* pack.h: the scalar concept for several states at once. real is a vector of LANES doubles, one
 * state per lane. Every lane performs the operations of a single state, in the same order. */
#ifndef JOUNCE_SCALAR_PACK_H
#define JOUNCE_SCALAR_PACK_H

#include <math.h>
#if defined(__AVX__) && !defined(JN_BAKED)
#include <immintrin.h>
#endif

#ifndef LANES
#define LANES 2
#endif

typedef double real __attribute__((vector_size(sizeof(double) * LANES)));

/* base/sincos.h: the sines of a pack are computed in one register */
#ifndef JN_BAKED
#define SC_LANES LANES
#define SC_REAL 1
#endif

#ifdef JN_BAKED
/* the lanes with a > b, one bit each */
static inline int real_greater(real a, real b) {
  int lanes = 0;
  for (int i = 0; i < LANES; i++) lanes |= (a[i] > b[i]) << i;
  return lanes;
}
#else
/* a > b in every lane */
static inline int real_greater(real a, real b) {
#if LANES == 8 && defined(__AVX512F__)
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ) == 0xff;
#elif LANES == 4 && defined(__AVX__)
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GT_OQ)) == 0xf;
#else
  int all = 1;
  for (int i = 0; i < LANES; i++) all &= a[i] > b[i];
  return all;
#endif
}
/* the larger of a and b in every lane; b where a is not a number */
static inline real real_max(real a, real b) {
  typedef long long mask __attribute__((vector_size(8 * LANES)));
  const mask more = a > b;
  return (real)((more & (mask)a) | (~more & (mask)b));
}
#endif

/* Unroll short loops: a mispredicted loop exit costs more than the larger code. Results do not
 * depend on it; strict packs do without. */
#if defined(__FMA__) && !defined(STRICT)
#define JN_UNROLL "GCC unroll 8"
#endif

/* Packs compute inverse dynamics by core/body/classical.h, and with combined transforms where the
 * rotation between links is general (lanes.h); not those with the bits of one state. */
#if defined(__FMA__) && !defined(STRICT)
#define PACK_CLASSICAL 1
#ifndef JN_BAKED
#define LINK_TRANSFORMS LINK_TRANSFORMS_GENERAL
#endif
#else
#define PACK_CLASSICAL 0
#endif

/* x in every lane. The compiler removes a product with 1, but keeps a sum with 0. */
static inline real real_of(double x) {
  const real one = (real){0} + 1.0;
  return x * one;
}

/* x / d, r = 1 / d: the remainder of x r corrects it to the quotient that a division rounds to */
#if defined(__FMA__) && !defined(STRICT) && !defined(JN_BAKED)
#define REAL_QUOTIENT 1
static inline real real_quotient(real x, double d, double r) {
  const real q = x * r;
  return q + (x - q * d) * r;
}
#endif

#include "scalar/plain.h"

#endif
