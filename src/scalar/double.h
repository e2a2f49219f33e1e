/* double.h: the scalar concept for one state in plain C: real is double. */
#ifndef JOUNCE_SCALAR_DOUBLE_H
#define JOUNCE_SCALAR_DOUBLE_H

#include <math.h>

typedef double real;

static inline int real_greater(real a, real b) { return a > b; }
static inline real real_of(double x) { return x; }

#include "scalar/plain.h"

#endif
