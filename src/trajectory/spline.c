/* spline.c: B-splines and half-cosine motions as splines of the trajectory. */
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"

jn_status jn_spline_half_cosine(jn_trajectory *T, int count, const double *times, int n,
                                const double *x, int *index) {
  jn_status status = jn_spline_new(T, (jn_spline){.pieces = count - 1, .n = n, .terms = 1}, index);
  if (status) return status;
  jn_spline *s = &T->spline[*index];
  memcpy(s->breaks, times, (size_t)count * sizeof *times);
  for (int i = 0; i + 1 < count; i++) {
    const size_t at = (size_t)i * (size_t)n;
    s->origin[i] = times[i];
    s->w[i] = 3.141592653589793238463 / (times[i + 1] - times[i]);
    for (size_t c = at; c < at + (size_t)n; c++) {
      s->c[c] = 0.5 * (x[c] + x[c + (size_t)n]);
      s->a[c] = 0.5 * (x[c] - x[c + (size_t)n]);
    }
  }
  return JN_OK;
}

jn_status jn_bspline_knots(double start, double end, int degree, int count, double *knots) {
  if (!knots || degree < 1 || degree > JN_MAX_SPLINE || count <= degree || !(start < end) ||
      !isfinite(end - start))
    return JN_ERR_ARGUMENT;
  const int pieces = count - degree;
  for (int i = 0; i < count + degree + 1; i++) {
    int step = i <= degree ? 0 : i >= count ? pieces : i - degree;
    knots[i] = step == pieces ? end : start + (end - start) * step / pieces;
  }
  return JN_OK;
}

jn_status jn_spline_bspline(jn_trajectory *T, int degree, int count, const double *knots, int n,
                            const double *x, int *index) {
  jn_spline shape = {.degree = degree, .n = n, .controls = count};
  for (int i = degree; i < count; i++) shape.pieces += knots[i] < knots[i + 1];
  jn_status status = jn_spline_new(T, shape, index);
  if (status) return status;
  const jn_spline *s = &T->spline[*index];
  memcpy(s->knots, knots, ((size_t)count + (size_t)degree + 1) * sizeof *knots);
  memcpy(s->c, x, (size_t)count * (size_t)n * sizeof *x);
  int piece = 0;
  s->breaks[0] = knots[degree];
  for (int i = degree; i < count; i++)
    if (knots[i] < knots[i + 1]) s->breaks[++piece] = knots[i + 1];
  return JN_OK;
}

/* N[q (d+1) + j], q = 0..d, j = 0..q: the basis functions of degree q that are not zero in the span
 * k[0] <= t <= k[1] (Cox and de Boor) */
static void basis(int d, const double *k, double t, double *N) {
  N[0] = 1;
  for (int q = 1; q <= d; q++) {
    const double *lower = N + (q - 1) * (d + 1);
    double *row = N + q * (d + 1), rest = 0;
    for (int j = 0; j < q; j++) {
      const double part = lower[j] / (k[j + 1] - k[j + 1 - q]);
      row[j] = rest + (k[j + 1] - t) * part;
      rest = (t - k[j + 1 - q]) * part;
    }
    row[q] = rest;
  }
}

/* x^(m) = sum_j N_j y_j of degree d - m, and its derivative has the control values
 *   (d - m) (y_(j+1) - y_j)/(knot_(j+d-m+1) - knot_(j+1)) */
void jn_bspline_jets(const jn_spline *s, double t, int i, double scale, int channel, int width,
                     int count, int top, double *y, double *x) {
  double N[(JN_MAX_SPLINE + 1) * (JN_MAX_SPLINE + 1)], f = 1;
  const int d = s->degree, span = jn_last_at(s->knots, 1, d, s->controls, s->breaks[i]);
  const double *k = s->knots + span,
               *control = s->c + (size_t)(span - d) * (size_t)s->n + (size_t)channel;
  basis(d, k, t, N);
  for (int j = 0; j <= d; j++)
    for (int c = 0; c < width; c++)
      y[j * width + c] = c < count ? control[(size_t)j * (size_t)s->n + (size_t)c] : 0;
  for (int m = 0; m <= top && m <= d; m++) {
    const int p = d - m;
    double *row = x + m * width;
    for (int c = 0; c < width; c++) row[c] = 0;
    for (int j = 0; j <= p; j++)
      for (int c = 0; c < width; c++) row[c] += N[p * (d + 1) + j] * y[j * width + c];
    for (int c = 0; c < width; c++) row[c] *= f;
    for (int j = 0; j < p; j++) {
      const double rate = p / (k[j + 1] - k[j + 1 - p]);
      for (int c = 0; c < width; c++)
        y[j * width + c] = rate * (y[(j + 1) * width + c] - y[j * width + c]);
    }
    f /= (m + 1) * scale;
  }
}
