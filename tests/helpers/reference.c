/* reference.c: an integrator for tests. */
#include "helpers/reference.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 9 };

/* y(t + h) by the midpoint rule in n parts, smoothed: error h^2 (a + b/n^2 + ...) */
static void midpoint(reference_rate rate, void *context, int size, long double t, long double h,
                     int n, const long double *y, long double *out) {
  long double a[REFERENCE_ROOM], b[REFERENCE_ROOM], d[REFERENCE_ROOM], part = h / n;
  memcpy(a, y, sizeof a);
  rate(context, t, a, d);
  for (int i = 0; i < size; i++) b[i] = a[i] + part * d[i];
  for (int k = 1; k < n; k++) {
    rate(context, t + k * part, b, d);
    for (int i = 0; i < size; i++) {
      const long double next = a[i] + 2 * part * d[i];
      a[i] = b[i];
      b[i] = next;
    }
  }
  rate(context, t + h, b, d);
  for (int i = 0; i < size; i++) out[i] = (a[i] + b[i] + part * d[i]) / 2;
}

static void one_step(reference_rate rate, void *context, int size, long double t, long double h,
                     long double *y) {
  long double table[COLUMNS][REFERENCE_ROOM], start[REFERENCE_ROOM] = {0};
  for (int i = 0; i < size; i++) start[i] = y[i];
  for (int j = 0; j < COLUMNS; j++) {
    midpoint(rate, context, size, t, h, 2 * (j + 1), start, table[j]);
    for (int k = j - 1; k >= 0; k--) {
      const long double ratio = (long double)(j + 1) / (k + 1), f = 1 / (ratio * ratio - 1);
      for (int i = 0; i < size; i++)
        table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) * f;
    }
  }
  for (int i = 0; i < size; i++) y[i] = table[0][i];
}

void reference_run(reference_rate rate, void *context, int n, long double t0, long double t1,
                   long double step, long double *y) {
  const long steps = (long)ceill((t1 - t0) / step);
  for (long k = 0; k < steps; k++)
    one_step(rate, context, n, t0 + (t1 - t0) * k / steps, (t1 - t0) / steps, y);
}
