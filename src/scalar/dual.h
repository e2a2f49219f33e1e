/* dual.h (generated code, C++): the scalar concept for a number with its derivative along one
 * direction, x + d e with e^2 = 0. The core's text over it gives exact directional derivatives. */
#ifndef JOUNCE_SCALAR_DUAL_H
#define JOUNCE_SCALAR_DUAL_H

#ifdef __cplusplus

typedef struct real {
  double x, d;
} real;

static inline real real_make(double x, double d) {
  real a = {x, d};
  return a;
}
static inline real real_of(double x) { return real_make(x, 0); }
static inline int real_greater(real a, real b) { return a.x > b.x; }

static inline real operator+(real a, real b) { return real_make(a.x + b.x, a.d + b.d); }
static inline real operator-(real a, real b) { return real_make(a.x - b.x, a.d - b.d); }
static inline real operator*(real a, real b) { return real_make(a.x * b.x, a.d * b.x + a.x * b.d); }
static inline real operator/(real a, real b) {
  const double y = 1 / b.x, x = a.x * y;
  return real_make(x, (a.d - x * b.d) * y);
}
static inline real operator-(real a) { return real_make(-a.x, -a.d); }
static inline real operator+(double a, real b) { return real_make(a + b.x, b.d); }
static inline real operator+(real a, double b) { return real_make(a.x + b, a.d); }
static inline real operator-(double a, real b) { return real_make(a - b.x, -b.d); }
static inline real operator-(real a, double b) { return real_make(a.x - b, a.d); }
static inline real operator*(double a, real b) { return real_make(a * b.x, a * b.d); }
static inline real operator*(real a, double b) { return real_make(a.x * b, a.d * b); }
static inline real operator/(real a, double b) { return real_make(a.x / b, a.d / b); }
static inline real operator/(double a, real b) { return real_of(a) / b; }
static inline real &operator+=(real &a, real b) { return a = a + b; }
static inline real &operator+=(real &a, double b) { return a = a + b; }
static inline real &operator-=(real &a, double b) { return a = a - b; }
static inline real &operator-=(real &a, real b) { return a = a - b; }
static inline real &operator*=(real &a, real b) { return a = a * b; }
static inline real &operator*=(real &a, double b) { return a = a * b; }
static inline real &operator/=(real &a, double b) { return a = a / b; }

#include "scalar/plain.h"
#endif

#endif
