/* pack.h: the scalar concept for several states at once. real is a vector of LANES doubles, one
 * state per lane. Every lane performs the operations of a single state, in the same order. */
#ifndef JOUNCE_SCALAR_PACK_H
#define JOUNCE_SCALAR_PACK_H

#include <math.h>

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
  int all = 1;
  for (int i = 0; i < LANES; i++) all &= a[i] > b[i];
  return all;
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
#ifdef __FMA__
#define JN_UNROLL "GCC unroll 8"
#endif

/* Packs compute inverse dynamics from this order on by core/body/classical.h and with combined
 * transforms between links (lanes.h), order 0 with gravity as an acceleration of the world (link.h);
 * not those with the bits of one state. */
#ifdef __FMA__
#define PACK_CLASSICAL 2
#ifndef JN_BAKED
#define LINK_TRANSFORMS PACK_CLASSICAL
#endif
#else
#define PACK_CLASSICAL 0
#endif

/* x in every lane. The compiler removes a product with 1, but keeps a sum with 0. */
static inline real real_of(double x) {
  const real one = (real){0} + 1.0;
  return x * one;
}

#include "scalar/plain.h"

#endif
