/* pack.h: the scalar concept for several states at once: real is a vector of LANES doubles, one
 * state a lane. Every lane does the operations of a single state, in the same order. */
#ifndef JOUNCE_SCALAR_PACK_H
#define JOUNCE_SCALAR_PACK_H

#include <math.h>

typedef double real __attribute__((vector_size(8 * LANES)));

/* in every lane */
static inline int real_greater(real a, real b) {
  int all = 1;
  for (int i = 0; i < LANES; i++) all &= a[i] > b[i];
  return all;
}

#include "scalar/plain.h"

#endif
