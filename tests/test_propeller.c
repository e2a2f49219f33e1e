/* test_propeller.c: propellers: hand-computed wrenches, rank, round trip with derivatives, the
 * Taylor slope. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <jounce/propeller.h>

#include "helpers/worse.h"

#define PI 3.14159265358979323846
#define ORDER 6

static void assert_near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance)) {
    print_error("got %.17g, want %.17g, off by %.3g\n", got, want, fabs(got - want));
    fail();
  }
}

/* Untilted propellers of unit coefficients: one at a time is a thrust on a lever arm. */
static void test_a_thrust_on_a_lever_arm(void **state) {
  (void)state;
  jn_hexarotor rotor = {6, 2.0, 0, 0, 3.0, 0.5, 0, 0};
  double omega[6] = {0}, W[6];

  /* i = 2 is on the x axis: force 3 * 4 up at (2, 0, 0), drag torque 0.5 * 4 */
  omega[1] = 2;
  assert_int_equal(jn_propeller_wrench(&rotor, 0, omega, W), JN_OK);
  const double at_x[6] = {0, -24, 2, 0, 0, 12};
  for (int c = 0; c < 6; c++) assert_near(W[c], at_x[c], 1e-14);

  /* i = 5 is opposite */
  omega[1] = 0;
  omega[4] = 1;
  assert_int_equal(jn_propeller_wrench(&rotor, 0, omega, W), JN_OK);
  const double opposite[6] = {0, 6, 0.5, 0, 0, 3};
  for (int c = 0; c < 6; c++) assert_near(W[c], opposite[c], 1e-14);

  /* i = 1 is at 60 degrees: p = (1, sqrt 3, 0) */
  omega[4] = 0;
  omega[0] = 1;
  assert_int_equal(jn_propeller_wrench(&rotor, 0, omega, W), JN_OK);
  const double turned[6] = {3 * sqrt(3.0), -3, 0.5, 0, 0, 3};
  for (int c = 0; c < 6; c++) assert_near(W[c], turned[c], 1e-14);

  /* four propellers: i = 1 on the y axis */
  rotor.count = 4;
  double four[4] = {1, 0, 0, 0};
  assert_int_equal(jn_propeller_wrench(&rotor, 0, four, W), JN_OK);
  const double on_y[6] = {6, 0, 0.5, 0, 0, 3};
  for (int c = 0; c < 6; c++) assert_near(W[c], on_y[c], 1e-14);
}

/* Rx(alpha) Ry(beta) z = (sin b, -sin a cos b, cos a cos b), by hand at 30 and -30 degrees. */
static void test_a_tilted_thrust_and_the_signs(void **state) {
  (void)state;
  jn_hexarotor rotor = {6, 1.0, PI / 6, -PI / 6, 1.0, 0.1, 0, 0};
  double G[36], s3 = sqrt(3.0);
  assert_int_equal(jn_propeller_matrix(&rotor, G), JN_OK);
  /* i = 2, at (1, 0, 0): t = (-1/2, -sqrt3/4, 3/4), torque = x cross t + 0.1 t */
  const double t[3] = {-0.5, -s3 / 4, 0.75};
  const double want[6] = {0.1 * t[0], -t[2] + 0.1 * t[1], t[1] + 0.1 * t[2], t[0], t[1], t[2]};
  for (int c = 0; c < 6; c++) assert_near(G[c * 6 + 1], want[c], 1e-15);

  /* alternating signs change odd i only */
  double H[36];
  rotor.alternate = 1;
  assert_int_equal(jn_propeller_matrix(&rotor, H), JN_OK);
  for (int c = 0; c < 6; c++) assert_true(H[c * 6 + 1] == G[c * 6 + 1]);
  assert_near(G[2 * 6] - H[2 * 6], 2 * 0.1 * 0.75, 1e-15);
  rotor.alternate_tilt = 1;
  assert_int_equal(jn_propeller_matrix(&rotor, H), JN_OK);
  for (int c = 0; c < 6; c++) assert_true(H[c * 6 + 1] == G[c * 6 + 1]);
  assert_near(H[5 * 6], G[5 * 6], 1e-15);
  jn_pose C;
  assert_int_equal(jn_propeller_pose(&rotor, 2, &C), JN_OK); /* i = 3 at -60 degrees, tilt -30 */
  assert_near(C.p.x, 0.5, 1e-15);
  assert_near(C.p.y, -s3 / 2, 1e-15);
  /* t before Rz: (-1/2, +sqrt3/4, 3/4) */
  assert_near(C.R.m[0][2], 0.5 * -0.5 + s3 / 2 * s3 / 4, 1e-15);
  assert_near(C.R.m[1][2], -s3 / 2 * -0.5 + 0.5 * s3 / 4, 1e-15);
}

/* Speeds that vary: omega_i(t) = a + b sin(c t + d). */
static void speeds_at(double t, int order, double *omega) {
  for (int i = 0; i < 6; i++) {
    double b = 30 + 5 * i, c = 0.7 + 0.2 * i;
    for (int k = 0; k <= order; k++) {
      double wave = b * pow(c, k) * sin(c * t + 0.3 * i + k * PI / 2);
      omega[k * 6 + i] = k ? wave : 560 + wave;
    }
  }
}

static void test_speeds_come_back_to_order_6(void **state) {
  (void)state;
  jn_hexarotor rotor = jn_hexarotor_actuated();
  double omega[(ORDER + 1) * 6], W[(ORDER + 1) * 6], back[(ORDER + 1) * 6], worst = 0;
  speeds_at(0.4, ORDER, omega);
  assert_int_equal(jn_propeller_wrench(&rotor, ORDER, omega, W), JN_OK);
  assert_int_equal(jn_propeller_speeds(&rotor, ORDER, W, back), JN_OK);
  for (int k = 0; k <= ORDER; k++) {
    double scale = 0;
    for (int i = 0; i < 6; i++) scale = fmax(scale, fabs(omega[k * 6 + i]));
    for (int i = 0; i < 6; i++) {
      worst = worse(worst, fabs(back[k * 6 + i] - omega[k * 6 + i]) / scale);
    }
  }
  printf("  round trip to order %d: %.3g\n", ORDER, worst);
  assert_true(worst < 1e-12);

  /* in place gives the same bits */
  assert_int_equal(jn_propeller_speeds(&rotor, ORDER, W, W), JN_OK);
  assert_memory_equal(W, back, sizeof W);

  /* alternating drag alone is enough to invert, with a worse condition */
  rotor = jn_hexarotor_default();
  assert_near(rotor.alpha * 180 / PI, 35, 1e-13);
  assert_near(rotor.beta * 180 / PI, -10, 1e-13);
  assert_true(rotor.count == 6 && rotor.radius == 0.39);
  assert_true(rotor.thrust == 2.5e-5 && rotor.drag == 4.8e-7);
  assert_true(rotor.alternate == 0 && rotor.alternate_tilt == 0);
  rotor.alternate = 1;
  assert_int_equal(jn_propeller_wrench(&rotor, ORDER, omega, W), JN_OK);
  assert_int_equal(jn_propeller_speeds(&rotor, ORDER, W, back), JN_OK);
  for (int i = 0; i < 6; i++) assert_near(back[i], omega[i], 1e-8);
}

/* Predicting W(t + h) from its derivatives at t: halving h divides the error by 2^(K+1). */
static void test_taylor_slope_of_the_wrench(void **state) {
  (void)state;
  jn_hexarotor rotor = jn_hexarotor_actuated();
  double omega[(ORDER + 1) * 6], W[(ORDER + 1) * 6], later[6], error[2];
  for (int K = 1; K <= ORDER; K++) {
    for (int half = 0; half < 2; half++) {
      double h = half ? 0.25 : 0.5;
      speeds_at(0.4, K, omega);
      assert_int_equal(jn_propeller_wrench(&rotor, K, omega, W), JN_OK);
      speeds_at(0.4 + h, 0, omega);
      assert_int_equal(jn_propeller_wrench(&rotor, 0, omega, later), JN_OK);
      error[half] = 0;
      for (int c = 0; c < 6; c++) {
        double sum = 0, power = 1;
        for (int k = 0; k <= K; k++) {
          sum += W[k * 6 + c] * power;
          power *= h / (k + 1);
        }
        error[half] = worse(error[half], fabs(sum - later[c]));
      }
    }
    double slope = log2(error[0] / error[1]);
    printf("  order %d: error %.2e -> %.2e, slope %.2f\n", K, error[0], error[1], slope);
    assert_near(slope, K + 1, 0.4);
  }
}

static void test_the_printed_ring_has_rank_three(void **state) {
  (void)state;
  jn_hexarotor rotor = jn_hexarotor_default();
  double W[12] = {0, 0, 0, 0, 0, 40}, omega[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, omega), JN_ERR_SINGULAR);
  for (int i = 0; i < 12; i++) assert_true(omega[i] == 7);

  /* u = (1, 0, -1, 1, 0, -1) has only a second harmonic: no wrench at all */
  double G[36];
  const double u[6] = {1, 0, -1, 1, 0, -1};
  assert_int_equal(jn_propeller_matrix(&rotor, G), JN_OK);
  for (int c = 0; c < 6; c++) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += G[c * 6 + i] * u[i];
    assert_near(sum, 0, 1e-19);
  }
}

static void test_refusals(void **state) {
  (void)state;
  jn_hexarotor rotor = jn_hexarotor_actuated();
  double W[12] = {0, 0, 0, 0, 0, 40}, omega[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, G[6 * 40];
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, omega), JN_OK);
  for (int i = 1; i < 6; i++) assert_near(omega[i], omega[0], 1e-9);

  /* downward force: propellers would have to push backwards */
  W[5] = -40;
  omega[0] = 7;
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, omega), JN_ERR_ARGUMENT);
  assert_true(omega[0] == 7);

  /* zero is a valid speed, but sqrt has no derivative there */
  W[5] = 0;
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, omega), JN_OK);
  for (int i = 0; i < 6; i++) assert_true(omega[i] == 0);
  assert_int_equal(jn_propeller_speeds(&rotor, 1, W, omega), JN_ERR_SINGULAR);

  W[0] = NAN;
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, omega), JN_ERR_NOT_FINITE);
  omega[3] = INFINITY;
  assert_int_equal(jn_propeller_wrench(&rotor, 0, omega, W), JN_ERR_NOT_FINITE);
  assert_int_equal(jn_propeller_wrench(&rotor, -1, omega, W), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_wrench(&rotor, JN_MAX_ORDER + 1, omega, W), JN_ERR_LIMIT);
  assert_int_equal(jn_propeller_wrench(NULL, 0, omega, W), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_matrix(&rotor, NULL), JN_ERR_ARGUMENT);
  jn_pose C;
  assert_int_equal(jn_propeller_pose(&rotor, 6, &C), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_pose(&rotor, -1, &C), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_pose(&rotor, 0, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_wrench(&rotor, 0, NULL, W), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_wrench(&rotor, 0, omega, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_speeds(&rotor, 0, NULL, omega), JN_ERR_ARGUMENT);
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, NULL), JN_ERR_ARGUMENT);
  rotor.count = 0;
  assert_int_equal(jn_propeller_matrix(&rotor, G), JN_ERR_ARGUMENT);
  rotor.count = JN_MAX_ROTORS;
  assert_int_equal(jn_propeller_matrix(&rotor, G), JN_OK);
  assert_int_equal(jn_propeller_speeds(&rotor, 0, W, omega), JN_ERR_ARGUMENT);
  rotor.count = JN_MAX_ROTORS + 1;
  assert_int_equal(jn_propeller_matrix(&rotor, G), JN_ERR_ARGUMENT);
  rotor = jn_hexarotor_actuated();
  rotor.thrust = NAN;
  assert_int_equal(jn_propeller_matrix(&rotor, G), JN_ERR_NOT_FINITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_thrust_on_a_lever_arm),
      cmocka_unit_test(test_a_tilted_thrust_and_the_signs),
      cmocka_unit_test(test_speeds_come_back_to_order_6),
      cmocka_unit_test(test_taylor_slope_of_the_wrench),
      cmocka_unit_test(test_the_printed_ring_has_rank_three),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
