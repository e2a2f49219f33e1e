/* spline.c: B-splines and half-cosine motions as splines of the trajectory. */
#include <math.h>
#include <string.h>

#include "trajectory/trajectory.h"

jn_status jn_spline_half_cosine(jn_trajectory *T, int count, const double *times, int n,
                                const double *x, int *index) {
  jn_status status = jn_spline_new(T, count - 1, 0, n, 1, index);
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
  double A[(JN_MAX_SPLINE + 1) * (JN_MAX_SPLINE + 1)], b[JN_MAX_SPLINE + 1];
  const int m = degree + 1;
  int pieces = 0, piece = 0;
  for (int i = degree; i < count; i++) pieces += knots[i] < knots[i + 1];
  jn_status status = jn_spline_new(T, pieces, degree, n, 0, index);
  if (status) return status;
  jn_spline *s = &T->spline[*index];
  s->breaks[0] = knots[degree];
  for (int span = degree; span < count; span++) {
    if (!(knots[span] < knots[span + 1])) continue;
    s->breaks[piece + 1] = knots[span + 1];
    jn_bspline_span(degree, knots, span, A);
    for (int c = 0; c < n; c++) {
      for (int i = 0; i < m; i++) {
        b[i] = 0;
        for (int j = 0; j < m; j++)
          b[i] += A[i * m + j] * x[(size_t)(span - degree + j) * (size_t)n + (size_t)c];
      }
      jn_bernstein_powers(degree, b, s->c + (size_t)piece * (size_t)m * (size_t)n + c, n);
    }
    piece++;
  }
  return JN_OK;
}
