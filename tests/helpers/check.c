#include "helpers/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct family {
  char name[96];
  double worst, bound;
  long count;
} family;

static family families[256];
static size_t family_count;

static uint64_t last_seed;

void check_printed(const char *name, double error) {
  printf("  as printed, %s: off by %.2g of the right value\n", name, error);
  if (!(error > 0.01)) fail_msg("%s as printed is off by %g: is it right?", name, error);
}

void check_seed(uint64_t seed) { last_seed = seed; }

static void print_families(void) {
  for (size_t i = 0; i < family_count; i++) {
    const family *f = &families[i];
    printf("worst %9.2e of %8.1e in %7ld  %s\n", f->worst, f->bound, f->count, f->name);
  }
  fflush(stdout);
}

void check_residual(const char *name, double value, double bound) {
  size_t i = 0;
  while (i < family_count && strcmp(families[i].name, name) != 0) i++;
  if (i == family_count) {
    if (i == 0) atexit(print_families);
    if (i == COUNT(families)) fail_msg("more than %zu names of residuals", i);
    snprintf(families[i].name, sizeof families[i].name, "%s", name);
    family_count++;
  }
  family *f = &families[i];
  f->count++;
  f->bound = fmax(f->bound, bound);
  f->worst = isnan(value) ? HUGE_VAL : fmax(f->worst, value);
  if (!(value <= bound))
    fail_msg("%s: %.3e, at most %.3e is accepted (last seed %llu)", name, value, bound,
             (unsigned long long)last_seed);
}

void check_status(jn_status got, jn_status want, const char *file, int line) {
  if (got == want) return;
  print_error("got '%s', want '%s' (last seed %llu)\n", jn_status_text(got), jn_status_text(want),
              (unsigned long long)last_seed);
  _fail(file, line);
}

double *doubles(size_t n) {
  double *x = calloc(n + 1, sizeof *x);
  if (!x) fail_msg("out of memory for %zu numbers", n);
  return x;
}

double *copy_of(const double *x, size_t n) {
  double *y = doubles(n);
  memcpy(y, x, n * sizeof *x);
  return y;
}

void fill(double *x, size_t n, double value) {
  for (size_t i = 0; i < n; i++) x[i] = value;
}

double largest(const double *x, size_t n) {
  double a = 0;
  for (size_t i = 0; i < n; i++) a = isnan(x[i]) ? HUGE_VAL : fmax(a, fabs(x[i]));
  return a;
}

double largest_difference(const double *x, const double *y, size_t n) {
  double a = 0;
  for (size_t i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    a = isnan(d) ? HUGE_VAL : fmax(a, d);
  }
  return a;
}

int same_bits(const double *x, const double *y, size_t n) {
  /* 0 and -0 count as equal */
  for (size_t i = 0; i < n; i++)
    if (!(x[i] == y[i])) return 0;
  return 1;
}

int all_equal_to(const double *x, size_t n, double value) {
  for (size_t i = 0; i < n; i++)
    if (x[i] != value) return 0;
  return 1;
}

double row_error(int rows, size_t n, const double *x, const double *y, const double *more) {
  double worst = 0;
  for (int k = 0; k < rows; k++) {
    const size_t at = (size_t)k * n;
    double error = largest_difference(x + at, y + at, n);
    double scale = fmax(largest(y + at, n), more ? more[k] : 0.0);
    if (error > 0) worst = fmax(worst, error / scale);
    if (isnan(worst)) return HUGE_VAL;
  }
  return worst;
}

void jet_dot(int order, size_t n, const double *x, const double *y, double *out,
             double *magnitude) {
  for (int k = 0; k <= order; k++) {
    double s = 0, a = 0;
    for (int j = 0; j <= k; j++)
      for (size_t i = 0; i < n; i++) {
        double p = x[(size_t)j * n + i] * y[(size_t)(k - j) * n + i];
        s += p;
        a += fabs(p);
      }
    out[k] = s;
    if (magnitude) magnitude[k] = a;
  }
}

void jet_apply(int order, size_t rows, size_t columns, const double *A, const double *x,
               double *out) {
  for (int k = 0; k <= order; k++)
    for (int j = 0; j <= k; j++)
      for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
          out[(size_t)k * rows + r] +=
              A[((size_t)j * rows + r) * columns + c] * x[(size_t)(k - j) * columns + c];
}

int denormals_count(void) {
  volatile double tiny = DBL_MIN;
  return tiny / 2 > 0;
}
