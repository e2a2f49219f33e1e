/* test_jet.c: Taylor arithmetic compared with closed forms, with polynomials multiplied in
 * integers, and along curves of poses whose twist is known in closed form. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/motion.h"
#include "helpers/tree.h"

#define ORDER 20
#define ROWS (ORDER + 2)

/* exp(a t) scaled by s */
static void exponential(double s, double a, int order, double *x) {
  x[0] = s;
  for (int k = 1; k <= order; k++) x[k] = x[k - 1] * a / k;
}

/* |x_k - y_k| b^-k k! */
static double growth_error(int order, const double *x, const double *y, double b) {
  double worst = 0, scale = 1;
  for (int k = 0; k <= order; k++) {
    worst = worse(worst, fabs(x[k] - y[k]) / scale);
    scale *= b / (k + 1);
  }
  return worst;
}

static void derivatives_become_taylor_coefficients_and_back(void **state) {
  (void)state;
  double x[(ORDER + 1) * 3], y[(ORDER + 1) * 3], factorial = 1;
  for (int k = 0; k <= ORDER; k++) {
    if (k > 1) factorial *= k;
    for (int j = 0; j < 3; j++) x[3 * k + j] = (k % 2 ? -1.0 : 1.0) * (j + 1) * factorial;
  }
  memcpy(y, x, sizeof x);
  jn_jet_to_taylor(ORDER, 3, y);
  for (int k = 0; k <= ORDER; k++)
    for (int j = 0; j < 3; j++)
      check_residual("k! / k!", fabs(y[3 * k + j] - (k % 2 ? -1.0 : 1.0) * (j + 1)), 8 * U);
  jn_jet_to_derivatives(ORDER, 3, y);
  check_residual("derivative -> Taylor -> derivative", row_error(ORDER + 1, 3, y, x, NULL), 4 * U);
}

static void orders_beyond_the_largest_factorial_of_a_double_keep_their_value(void **state) {
  (void)state;
  enum { HIGH = 290 };
  double *x = doubles(HIGH + 1);
  for (int k = 0; k <= HIGH; k++) x[k] = 0x1p1000;
  jn_jet_to_taylor(HIGH, 1, x);
  for (int k = 0; k <= HIGH; k++) {
    long double want = 0x1p1000L / tgammal((long double)k + 1);
    check_residual("Taylor coefficients to order 290", (double)fabsl((long double)x[k] / want - 1),
                   64 * U);
  }
  for (int k = 0; k <= 200; k++) x[k] = 0x1p-700;
  jn_jet_to_derivatives(200, 1, x);
  for (int k = 0; k <= 200; k++) {
    long double want = 0x1p-700L * tgammal((long double)k + 1);
    check_residual("derivatives to order 200", (double)fabsl((long double)x[k] / want - 1), 64 * U);
  }
  free(x);
}

static void scalar_functions_agree_with_closed_forms(void **state) {
  (void)state;
  double x[ORDER + 1], y[ORDER + 1], z[ORDER + 1], s[ORDER + 1], c[ORDER + 1], want[ORDER + 1];
  /* exp(a t) exp(b t) = exp((a + b) t) */
  exponential(2, 0.7, ORDER, x);
  exponential(3, 0.6, ORDER, y);
  exponential(6, 1.3, ORDER, want);
  fill(z, ORDER + 1, (double)NAN); /* the old output is not read */
  jn_jet_mul(ORDER, x, y, z);
  check_residual("exp(at) exp(bt)", growth_error(ORDER, z, want, 1.3), 200 * U);
  fill(z, ORDER + 1, (double)NAN);
  jn_jet_div(ORDER, want, y, z);
  check_residual("exp((a+b)t) / exp(bt)", growth_error(ORDER, z, x, 1.9), 200 * U);
  exponential(4, 1.4, ORDER, z);
  fill(y, ORDER + 1, (double)NAN);
  jn_jet_sqrt(ORDER, z, y);
  check_residual("sqrt exp(2at)", growth_error(ORDER, y, x, 2.8), 200 * U);
  /* exp, sin and cos of a + b t */
  double a = 0.4, b = -1.7;
  memset(x, 0, sizeof x);
  x[0] = a, x[1] = b;
  for (int k = 0; k <= ORDER; k++) z[k] = s[k] = c[k] = (double)NAN;
  jn_jet_exp(ORDER, x, z);
  exponential(exp(a), b, ORDER, want);
  check_residual("exp(a + bt)", growth_error(ORDER, z, want, 1.7), 200 * U);
  jn_jet_sincos(ORDER, x, s, c);
  double f = 1;
  for (int k = 0; k <= ORDER; k++) {
    const double turn[4] = {sin(a), cos(a), -sin(a), -cos(a)};
    want[k] = f * turn[k % 4];
    y[k] = f * turn[(k + 1) % 4];
    f *= b / (k + 1);
  }
  check_residual("sin(a + bt)", growth_error(ORDER, s, want, 1.7), 100 * U);
  check_residual("cos(a + bt)", growth_error(ORDER, c, y, 1.7), 100 * U);
}

static void sine_and_cosine_of_a_curve_satisfy_their_equations(void **state) {
  (void)state;
  rng r = rng_new(3);
  for (int n = 0; n < 50; n++) {
    wave w = wave_random(&r, 3, 1, 2);
    double x[ORDER + 1], s[ORDER + 1], c[ORDER + 1], ss[ORDER + 1], cc[ORDER + 1], now[2], far[2];
    for (int k = 0; k <= ORDER; k++) x[k] = wave_at(&w, k, 0.1);
    jn_jet_to_taylor(ORDER, 1, x);
    jn_jet_sincos(ORDER, x, s, c);
    jn_jet_mul(ORDER, s, s, ss);
    jn_jet_mul(ORDER, c, c, cc);
    for (int k = 0; k <= ORDER; k++)
      check_residual("sin^2 + cos^2 = 1 as jets",
                     fabs(ss[k] + cc[k] - (k == 0)) / fmax(largest(ss, ORDER + 1), 1), 50 * U);
    double h = 0.05;
    jn_jet_eval(ORDER, 1, s, h, now);
    jn_jet_eval(ORDER, 1, c, h, now + 1);
    far[0] = sin(wave_at(&w, 0, 0.1 + h)), far[1] = cos(wave_at(&w, 0, 0.1 + h));
    check_residual("sin, cos of a curve at t + h", largest_difference(now, far, 2), 16 * U);
  }
}

/* integer polynomials of degree 3: products of two or three are exact and within the order */
static void integers(rng *r, int n, double *x) {
  memset(x, 0, sizeof *x * (size_t)(n * ROWS));
  for (int i = 0; i < 4 * n; i++) x[i] = rng_below(r, 19) - 9;
}

static jn_vec3 vec(const double *x) { return jn_v3(x[0], x[1], x[2]); }
static jn_twist twist(const double *x) { return jn_twist_make(vec(x), vec(x + 3)); }
static jn_wrench wrench(const double *x) { return jn_wrench_make(vec(x), vec(x + 3)); }
static jn_mat3 matrix(const double *x) {
  jn_mat3 A;
  memcpy(A.m, x, sizeof A.m);
  return A;
}

static void vector_products_are_exact_on_polynomials_with_integer_coefficients(void **state) {
  (void)state;
  rng r = rng_new(4);
  double x[9 * ROWS], y[9 * ROWS], z[9 * ROWS], a[9], b[9], c[9];
  for (int n = 0; n < 100; n++)
    for (int h = -2; h <= 3; h++) {
      integers(&r, 3, x), integers(&r, 3, y);
      jn_jet_cross(6, x, y, z);
      jn_jet_eval(6, 3, x, h, a), jn_jet_eval(6, 3, y, h, b), jn_jet_eval(6, 3, z, h, c);
      jn_vec3 v = jn_v3_cross(vec(a), vec(b));
      assert_true(same_bits(&v.x, c, 3));
      integers(&r, 9, x);
      jn_jet_eval(6, 9, x, h, a);
      jn_jet_rotate(6, x, y, z);
      jn_jet_eval(6, 3, z, h, c);
      v = jn_m3_apply(matrix(a), vec(b));
      assert_true(same_bits(&v.x, c, 3));
      jn_jet_unrotate(6, x, y, z);
      jn_jet_eval(6, 3, z, h, c);
      v = jn_m3_apply_t(matrix(a), vec(b));
      assert_true(same_bits(&v.x, c, 3));
      integers(&r, 9, y);
      jn_jet_compose(6, x, y, z);
      jn_jet_eval(6, 9, y, h, b), jn_jet_eval(6, 9, z, h, c);
      jn_mat3 A = jn_m3_mul(matrix(a), matrix(b));
      assert_true(same_bits(&A.m[0][0], c, 9));
      integers(&r, 6, x), integers(&r, 6, y);
      jn_jet_eval(6, 6, x, h, a), jn_jet_eval(6, 6, y, h, b);
      jn_jet_ad(6, x, y, z);
      jn_jet_eval(6, 6, z, h, c);
      jn_twist t = jn_ad(twist(a), twist(b));
      assert_true(same_bits(&t.w.x, c, 6));
      jn_jet_ad_t(6, x, y, z);
      jn_jet_eval(6, 6, z, h, c);
      jn_wrench w = jn_ad_t(twist(a), wrench(b));
      assert_true(same_bits(&w.n.x, c, 6));
    }
}

static void a_constant_twist_moves_along_the_exponential(void **state) {
  (void)state;
  rng r = rng_new(5);
  for (int n = 0; n < 100; n++) {
    jn_pose C0 = rng_pose(&r, 1);
    double V[6 * ROWS] = {0}, R[9 * ROWS + 1], p[3 * ROWS + 1], got[12], h = 0.25;
    double *behind[2] = {R + 9 * (ORDER + 2), p + 3 * (ORDER + 2)}; /* behind their ends */
    *behind[0] = *behind[1] = 7;
    for (int j = 0; j < 6; j++) V[j] = rng_range(&r, -1, 1);
    jn_pose step = jn_se3_exp(jn_twist_scale(h, twist(V)));
    for (int spatial = 0; spatial < 2; spatial++) {
      jn_pose want = spatial ? jn_pose_mul(step, C0) : jn_pose_mul(C0, step);
      jn_jet_pose_from_twist(ORDER, spatial ? JN_SPATIAL : JN_BODY, C0, V, R, p);
      assert_true(*behind[0] == 7 && *behind[1] == 7);
      jn_jet_eval(ORDER + 1, 9, R, h, got);
      jn_jet_eval(ORDER + 1, 3, p, h, got + 9);
      check_residual("constant twist: exp", largest_difference(got, &want.R.m[0][0], 12), 40 * U);
    }
  }
}

/* the size of R_k, from which p_k is computed */
static void sizes(const double *R, double *size) {
  for (int k = 0; k < ROWS - 1; k++) size[k] = largest(R + 9 * k, 9);
}

static void twists_of_a_curve_come_back_from_its_pose_in_every_representation(void **state) {
  (void)state;
  rng r = rng_new(6);
  for (int n = 0; n < 40; n++) {
    curve c = curve_random(&r, 1.5);
    double R[9 * ROWS] = {0}, p[3 * ROWS], V[6 * ROWS], R2[9 * ROWS], p2[3 * ROWS], V2[6 * ROWS];
    double size[ROWS];
    const int order = 12;
    curve_jet(&c, order + 1, 0.2, R, p);
    sizes(R, size);
    jn_pose C = curve_pose(&c, 0.2);
    check_residual("curve: jet of order 0",
                   fmax(largest_difference(R, &C.R.m[0][0], 9), largest_difference(p, &C.p.x, 3)),
                   8 * U);
    for (size_t i = 0; i < 4; i++) {
      jn_jet_twist_from_pose(order, representations[i], R, p, V);
      jn_twist want = curve_twist(&c, representations[i], 0.2);
      check_residual("twist from pose: closed form", largest_difference(V, &want.w.x, 6), 16 * U);
      jn_jet_pose_from_twist(order, representations[i], C, V, R2, p2);
      check_residual("pose -> twist -> pose, R", row_error(order + 2, 9, R2, R, NULL), 400 * U);
      check_residual("pose -> twist -> pose, p", row_error(order + 2, 3, p2, p, size), 400 * U);
      jn_jet_twist_from_pose(order, representations[i], R2, p2, V2);
      check_residual("twist -> pose -> twist", row_error(order + 1, 6, V2, V, size), 400 * U);
    }
  }
}

/* halving h must divide the error of the prediction by 2^power; the first h has a small error */
static double slope_of(const curve *c, jn_representation rep, int order, int twist_not_pose) {
  double R[9 * ROWS], p[3 * ROWS], V[6 * ROWS], t = 0.2, error[2], h = 0.4;
  curve_jet(c, order + 1, t, R, p);
  jn_jet_twist_from_pose(order, rep, R, p, V);
  jn_jet_pose_from_twist(order, rep, curve_pose(c, t), V, R, p);
  for (int pass = 0; pass < 2;) {
    double got[12], sum = 0;
    jn_pose C = curve_pose(c, t + h);
    jn_twist W = curve_twist(c, rep, t + h);
    const double *want = twist_not_pose ? &W.w.x : &C.R.m[0][0];
    if (twist_not_pose) {
      jn_jet_eval(order, 6, V, h, got);
    } else {
      jn_jet_eval(order + 1, 9, R, h, got);
      jn_jet_eval(order + 1, 3, p, h, got + 9);
    }
    for (int j = 0; j < (twist_not_pose ? 6 : 12); j++)
      sum += (got[j] - want[j]) * (got[j] - want[j]);
    error[pass] = sqrt(sum);
    if (pass || error[0] < 1e-9) pass++;
    h /= 2;
  }
  return log2(error[0] / error[1]);
}

static void poses_and_twists_at_a_later_time_follow_with_the_right_slope(void **state) {
  (void)state;
  rng r = rng_new(7);
  for (int n = 0; n < 10; n++) {
    curve c = curve_random(&r, 1);
    for (int order = 2; order <= 8; order++)
      for (size_t i = 0; i < 4; i++) {
        double s = slope_of(&c, representations[i], order, 1),
               z = slope_of(&c, representations[i], order, 0);
        check_residual("slope of a predicted twist - (K+1)", fabs(s - (order + 1)), 0.3);
        check_residual("slope of a predicted pose - (K+2)", fabs(z - (order + 2)), 0.3);
      }
  }
}

static void conversions_between_all_representations_agree_with_the_curve(void **state) {
  (void)state;
  rng r = rng_new(8);
  const int order = 10;
  for (int n = 0; n < 20; n++) {
    curve c = curve_random(&r, 1.5);
    double R[9 * ROWS] = {0}, p[3 * ROWS], Rj[9 * ROWS], pj[3 * ROWS], V[4][6 * ROWS],
                 got[6 * ROWS];
    double size[ROWS];
    jn_pose C = curve_pose(&c, -0.4);
    curve_jet(&c, order + 1, -0.4, R, p);
    sizes(R, size);
    for (size_t i = 0; i < 4; i++) jn_jet_twist_from_pose(order, representations[i], R, p, V[i]);
    for (size_t i = 0; i < 4; i++)
      for (size_t j = 0; j < 4; j++) {
        jn_jet_convert_twist(order, representations[i], representations[j], C, V[i], Rj, pj, got);
        check_residual("convert a twist: 16 pairs", row_error(order + 1, 6, got, V[j], NULL),
                       400 * U);
        check_residual("convert a twist: pose, R", row_error(order + 2, 9, Rj, R, NULL), 400 * U);
        check_residual("convert a twist: pose, p", row_error(order + 2, 3, pj, p, size), 400 * U);
      }
  }
}

static void power_is_the_same_jet_in_every_representation(void **state) {
  (void)state;
  rng r = rng_new(9);
  const int order = 10;
  for (int n = 0; n < 20; n++) {
    curve c = curve_random(&r, 1.5);
    double R[9 * ROWS], p[3 * ROWS], V[4][6 * ROWS], W[6 * ROWS], X[6 * ROWS], Y[6 * ROWS];
    double want[ROWS], got[ROWS], a[ROWS], b[ROWS];
    curve_jet(&c, order + 1, 0, R, p);
    for (size_t i = 0; i < 4; i++) jn_jet_twist_from_pose(order, representations[i], R, p, V[i]);
    for (int k = 0; k < 6 * (order + 1); k++) W[k] = rng_range(&r, -1, 1) / (1 + k / 6);
    for (size_t i = 0; i < 4; i++) {
      jet_dot(order, 6, V[i], W, want, a);
      for (size_t j = 0; j < 4; j++) {
        jn_jet_convert_wrench(order, representations[i], representations[j], R, p, W, X);
        jet_dot(order, 6, V[j], X, got, b);
        for (int k = 0; k <= order; k++)
          check_residual("power in 16 pairs", fabs(got[k] - want[k]) / fmax(a[k], b[k]), 500 * U);
        jn_jet_convert_wrench(order, representations[j], representations[i], R, p, X, Y);
        check_residual("wrench there and back", row_error(order + 1, 6, Y, W, NULL), 400 * U);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_become_taylor_coefficients_and_back),
      cmocka_unit_test(orders_beyond_the_largest_factorial_of_a_double_keep_their_value),
      cmocka_unit_test(scalar_functions_agree_with_closed_forms),
      cmocka_unit_test(sine_and_cosine_of_a_curve_satisfy_their_equations),
      cmocka_unit_test(vector_products_are_exact_on_polynomials_with_integer_coefficients),
      cmocka_unit_test(a_constant_twist_moves_along_the_exponential),
      cmocka_unit_test(twists_of_a_curve_come_back_from_its_pose_in_every_representation),
      cmocka_unit_test(poses_and_twists_at_a_later_time_follow_with_the_right_slope),
      cmocka_unit_test(conversions_between_all_representations_agree_with_the_curve),
      cmocka_unit_test(power_is_the_same_jet_in_every_representation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
