/* test_environment.c: a program may round upwards or flush denormal numbers to zero. The library
 * still computes, leaves the settings of the floating-point unit unchanged, and loses no more
 * accuracy than they cost. Bounds in units of rounding hold for rounding to nearest only. */
#include "helpers/check.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/tree.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#define FLUSH 0x8040u
#endif

/* error of every order relative to the largest force, worst of many robots */
static double worst_change(void (*enter)(void), void (*leave)(void)) {
  double worst = 0;
  for (int i = 0; i < 40; i++) {
    robot r = robot_random((uint64_t)i, 1 + i % 12, i % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE,
                           TYPES_ALL, i % 6);
    double *plain = robot_inverse(&r, r.v, NULL);
    enter();
    double *changed = robot_inverse(&r, r.v, NULL);
    double *back = robot_forward(&r, changed, NULL);
    leave();
    assert_true(jn_model_nv(r.model) == 0 || largest(back, (size_t)r.nv) >= 0);
    double e = row_error(r.order + 1, (size_t)r.nv, changed, plain, NULL);
    worst = worse(worst, e);
    free(plain), free(changed), free(back);
    robot_free(&r);
  }
  return worst;
}

static void upward(void) { assert_int_equal(fesetround(FE_UPWARD), 0); }
static void nearest(void) {
  assert_int_equal(fegetround(), FE_UPWARD);
  assert_int_equal(fesetround(FE_TONEAREST), 0);
}

/* quadrants are then rounded upwards, and the polynomials of sine and cosine are used outside of
 * their best range: nine digits remain */
static void rounding_upwards_costs_digits_but_is_left_alone(void **state) {
  (void)state;
  check_residual("inverse dynamics, rounding upwards", worst_change(upward, nearest), 1e-8);
}

#ifdef FLUSH
static void flush(void) { _mm_setcsr(_mm_getcsr() | FLUSH); }
static void keep(void) {
  assert_int_equal(_mm_getcsr() & FLUSH, FLUSH);
  _mm_setcsr(_mm_getcsr() & ~FLUSH);
}

static void flushed_denormals_cost_nothing_and_are_left_alone(void **state) {
  (void)state;
  check_residual("inverse dynamics, denormals flushed", worst_change(flush, keep), 4 * U);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounding_upwards_costs_digits_but_is_left_alone),
#ifdef FLUSH
      cmocka_unit_test(flushed_denormals_cost_nothing_and_are_left_alone),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
