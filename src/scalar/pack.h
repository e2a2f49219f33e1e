/* pack.h: the scalar concept for several states at once: real is a vector of LANES doubles, one
 * state a lane. Every lane does the operations of a single state, in the same order. */
#ifndef JOUNCE_SCALAR_PACK_H
#define JOUNCE_SCALAR_PACK_H

#include <math.h>

#ifndef LANES
#define LANES 2
#endif

typedef double real __attribute__((vector_size(8 * LANES)));

/* in every lane */
static inline int real_greater(real a, real b) {
  int all = 1;
  for (int i = 0; i < LANES; i++) all &= a[i] > b[i];
  return all;
}

/* a short loop that is left at another count each time costs more than the room of its copies; what
 * strict packs compute does not depend on it */
#ifdef __FMA__
#define JN_UNROLL "GCC unroll 8"
#endif

/* a plain number in every lane; the compiler drops the product, a sum with zero it would keep */
static inline real real_of(double x) {
  const real one = (real){0} + 1.0;
  return x * one;
}

#include "scalar/plain.h"

#endif
