#include "helpers/printed.h"

#include <string.h>

#include "helpers/check.h"

double relative(const double *x, const double *y, size_t n) {
  return largest_difference(x, y, n) / largest(y, n);
}

void times(const double *A, size_t rows, size_t columns, int transposed, const double *x,
           double *out) {
  double y[N6] = {0};
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      y[transposed ? j : i] += A[i * columns + j] * x[transposed ? i : j];
  memcpy(out, y, (transposed ? columns : rows) * sizeof *y);
}

void add(double f, const double *x, size_t n, double *out) {
  for (size_t i = 0; i < n; i++) out[i] += f * x[i];
}

void ad_blocks(const double *V, size_t n, double *ad) {
  memset(ad, 0, n * n * sizeof *ad);
  for (size_t b = 0; b < n; b += 6) {
    double B[6][6];
    jn_ad_matrix((jn_twist){{V[b], V[b + 1], V[b + 2]}, {V[b + 3], V[b + 4], V[b + 5]}}, B);
    for (size_t i = 0; i < 6; i++) memcpy(ad + (b + i) * n + b, B[i], sizeof B[i]);
  }
}
