/* arctangent.h (private): the angle of (x, y) by basic arithmetic, within two units in the last
 * place. */
#ifndef JOUNCE_BASE_ARCTANGENT_H
#define JOUNCE_BASE_ARCTANGENT_H

#include <float.h>
#include <math.h>

/* atan x for 0 <= x <= 1: atan c + atan t, c = 0, 1/8, ..., 1 nearest to x, t = (x - c)/(1 + c
 * x) */
static inline double arctangent(double x) {
  static const double high[9] = {0.0,
                                 0.12435499454676144,
                                 0.24497866312686414,
                                 0.35877067027057225,
                                 0.4636476090008061,
                                 0.5585993153435624,
                                 0.6435011087932844,
                                 0.7188299996216245,
                                 0.7853981633974483};
  static const double low[9] = {0.0,
                                -3.1253241424539383e-18,
                                1.0698755618734451e-17,
                                -2.4623815582638635e-17,
                                2.2698777452961687e-17,
                                -5.4556305485916264e-18,
                                1.5834785051444286e-17,
                                -2.1478388444456983e-17,
                                3.061616997868383e-17};
  const int k = (int)(8 * x + 0.5);
  const double c = 0.125 * k, t = (x - c) / (1 + c * x), z = t * t;
  double p = 1.0 / 15;
  for (int n = 13; n >= 3; n -= 2) p = 1.0 / n - z * p;
  return high[k] + (t - (t * z * p - low[k]));
}

/* the angle of (x, y) */
static inline double arctangent2(double y, double x) {
  const double a = fabs(y), b = fabs(x), pi = 0x1.921fb54442d18p+1, rest = 0x1.1a62633145c07p-53;
  if (!(a <= DBL_MAX && b <= DBL_MAX)) return y - y + (x - x);
  const int left = copysign(1.0, x) < 0;
  double angle = a == 0 && b == 0 ? 0 : a <= b ? arctangent(a / b) : arctangent(b / a);
  if (a > b)
    angle = left ? 0.5 * pi + (angle + 0.5 * rest) : 0.5 * pi - (angle - 0.5 * rest);
  else if (left)
    angle = pi - (angle - rest);
  return copysign(angle, y);
}

#endif
