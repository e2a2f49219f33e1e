#include "helpers/slope.h"

#include <math.h>
#include <stdlib.h>

#include "helpers/check.h"

double slope_of_jet(int order, size_t n, const double *jet, value_at at, void *context) {
  double *guess = doubles(n), *now = doubles(n), before = 0, slope = -1;
  for (int i = 1; i < 10; i++) {
    const double h = ldexp(1, -i);
    jn_jet_eval(order, (int)n, jet, h, guess);
    at(context, h, now);
    const double e = largest_difference(guess, now, n);
    if (!(e > 1e4 * U * (largest(now, n) + largest(jet, n)))) break;
    if (before > 0) slope = log2(before / e);
    before = e;
  }
  free(guess), free(now);
  return slope;
}
