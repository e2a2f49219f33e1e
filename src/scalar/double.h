/* double.h: the scalar concept for one state: real is double. */
#ifndef JOUNCE_SCALAR_DOUBLE_H
#define JOUNCE_SCALAR_DOUBLE_H

#include <math.h>

typedef double real;

#define ENTRY(name) name##_double

static inline int real_greater(real a, real b) { return a > b; }
static inline void real_sincos(real x, real *s, real *c) {
  *s = sin(x);
  *c = cos(x);
}

#endif
