/* check.h: helpers of every test: cmocka, residuals, comparison of bits, arrays. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jounce/jounce.h>

#include "helpers/worse.h"

#define U 1.1102230246251565e-16 /* unit roundoff of double */
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Fails when value > bound or value is NaN. The worst value of every name is kept and printed when
 * the program ends, passed or not. */
void check_residual(const char *name, double value, double bound);

/* Prints the largest error of a formula of a paper as printed, relative to the right value (see
 * docs/errata.md), and fails unless it is clearly wrong. */
void check_printed(const char *name, double error);

/* The seed of the case under test; printed when a check fails. */
void check_seed(uint64_t seed);

/* Fails with the text of the status. */
void check_status(jn_status got, jn_status want, const char *file, int line);
#define assert_ok(call) check_status((call), JN_OK, __FILE__, __LINE__)
#define assert_status(call, want) check_status((call), (want), __FILE__, __LINE__)

/* n zeros; free with free(). */
double *doubles(size_t n);
double *copy_of(const double *x, size_t n);
void fill(double *x, size_t n, double value);

double largest(const double *x, size_t n);                             /* max |x_i| */
double largest_difference(const double *x, const double *y, size_t n); /* max |x_i - y_i| */
int same_bits(const double *x, const double *y, size_t n);
/* 0 if the processor is set to flush denormal numbers to zero */
int denormals_count(void);
int all_equal_to(const double *x, size_t n, double value);

/* max over rows k of max |x_k - y_k| / (max |y_k| + more_k): error relative to the size of that
 * order. `more` may be NULL. */
double row_error(int rows, size_t n, const double *x, const double *y, const double *more);

/* Taylor coefficients out_k = sum_j x_j . y_(k-j), and the sum of the magnitudes of the terms. */
void jet_dot(int order, size_t n, const double *x, const double *y, double *out, double *magnitude);
/* out_k = sum_j A_j x_(k-j), A [rows x columns] row-major; adds to out. */
void jet_apply(int order, size_t rows, size_t columns, const double *A, const double *x,
               double *out);

#endif
