/* test_trajectory_forms.c: every source of a trajectory against its closed form. */
#include <jounce/trajectory.h>
#include <math.h>
#include <stdlib.h>

#include "helpers/check.h"
#include "helpers/rng.h"
#include "helpers/tree.h"
#include "oracle/quad.h"

enum { TOP = 9 }; /* highest order asked for */

static void closed_forms(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_trajectory *T;
  double q, v[TOP + 2];
  /* (t - 1)^9 on [1, 3] */
  double c[10] = {0}, t;
  c[9] = 1;
  assert_ok(jn_trajectory_polynomial(model, 1, 3, 9, c, NULL, &T, NULL));
  for (t = 1; t <= 3; t += 0.25) {
    double want = pow(t - 1, 9);
    assert_ok(jn_trajectory_at(T, t, TOP, JN_BODY, &q, v));
    check_residual("t^9", fabs(q - want), 1e-12 * 512);
    for (int k = 0; k <= TOP + 1; k++) {
      double f = 1;
      for (int i = 0; i <= k; i++) f *= 9 - i;
      want = f * (k < 9 ? pow(t - 1, 8 - k) : 0);
      check_residual("derivatives of t^9", fabs(v[k] - want) / (fabs(f) * 256 + 1), 1e-14);
    }
  }
  jn_trajectory_free(T);
  /* 0.5 + cos 2t + 3 sin 4t */
  const double a[3] = {0.5, 1, 0}, b[3] = {7, 0, 3}; /* b_0 multiplies sin 0 */
  assert_ok(jn_trajectory_fourier(model, -1, 5, 3, 2, a, b, NULL, &T, NULL));
  for (t = -1; t <= 5; t += 0.3) {
    assert_ok(jn_trajectory_at(T, t, TOP, JN_BODY, &q, v));
    check_residual("Fourier sum", fabs(q - (0.5 + cos(2 * t) + 3 * sin(4 * t))), 1e-14 * 4);
    for (int k = 1; k <= TOP + 2; k++) {
      double p = k * 1.5707963267948966;
      double want = pow(2, k) * cos(2 * t + p) + 3 * pow(4, k) * sin(4 * t + p);
      check_residual("its derivatives", fabs(v[k - 1] - want) / pow(4, k), 2e-14);
    }
  }
  jn_trajectory_free(T);
  /* half cosine from 1 to 4 in 2 s, then back in 1 s */
  const double times[3] = {0, 2, 3}, points[3] = {1, 4, 1};
  assert_ok(jn_trajectory_half_cosine(model, 3, times, points, NULL, &T, NULL));
  for (t = 0; t < 2; t += 0.13) {
    assert_ok(jn_trajectory_at(T, t, 2, JN_BODY, &q, v));
    double w = 1.5707963267948966;
    check_residual("half-cosine", fabs(q - (2.5 - 1.5 * cos(w * t))), 1e-14);
    check_residual("half-cosine, jerk", fabs(v[2] + 1.5 * w * w * w * sin(w * t)), 1e-13);
  }
  jn_trajectory_free(T);
  /* rest to rest: the textbook polynomials of minimum jerk and snap */
  static const double jerk[8] = {0, 0, 0, 10, -15, 6}, snap[8] = {0, 0, 0, 0, 35, -84, 70, -20};
  for (int k = 3; k <= 4; k++) {
    const double *s = k == 3 ? jerk : snap, two[2] = {-1, 2}, at[2] = {10, 15};
    assert_ok(jn_trajectory_minimum(model, k, 2, at, two, NULL, NULL, &T, NULL));
    for (double u = 0; u <= 1; u += 1.0 / 16) {
      double x = 0, d = 0;
      for (int i = 7; i >= 0; i--) d = d * u + x, x = x * u + s[i];
      assert_ok(jn_trajectory_at(T, 10 + 5 * u, 1, JN_BODY, &q, v));
      check_residual("minimum jerk and snap", fabs(q - (3 * x - 1)) + fabs(v[0] - 3 * d / 5),
                     1e-14);
    }
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* x = (a + b)/2 + (a - b)/2 cos(pi s) between two points, s from 0 to 1 */
static void half_cosines_go_from_point_to_point(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_trajectory *T;
  jn_error error;
  const double t[4] = {-0.7, 0.4, 2.1, 2.6}, x[4] = {0.3, -1.1, 0.8, 0.9}, pi = acos(-1);
  assert_ok(jn_trajectory_half_cosine(model, 4, t, x, NULL, &T, &error));
  for (int i = 0; i < 3; i++)
    for (int k = 0; k <= 8; k++) {
      const double s = k / 8.0, w = pi / (t[i + 1] - t[i]), half = 0.5 * (x[i] - x[i + 1]);
      double q, v[2];
      assert_ok(jn_trajectory_at(T, t[i] + s * (t[i + 1] - t[i]), 0, JN_BODY, &q, v));
      check_residual("half-cosine, q", fabs(q - (x[i] - half + half * cos(pi * s))), 8 * U);
      check_residual("half-cosine, v", fabs(v[0] + half * w * sin(pi * s)), 64 * U);
      if (k > 0 && k < 8)
        check_residual("half-cosine, a", fabs(v[1] + half * w * w * cos(pi * s)), 512 * U);
    }
  jn_trajectory_free(T);
  jn_model_free(model);
}

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
static void angles_turn_in_their_order(void **state) {
  (void)state;
  jn_model *model;
  jn_trajectory *T;
  jn_error error;
  assert_ok(jn_model_load("tilthex", NULL, NULL, &model, &error));
  const size_t nv = (size_t)jn_model_nv(model);
  double *c = doubles(2 * nv), *q = doubles((size_t)jn_model_nq(model));
  const double roll = 0.4, pitch = -0.9, yaw = 1.7, t = 0.6;
  c[0] = 0.1, c[1] = 0.3, c[2] = 0.5, c[3] = 2, c[4] = 3, c[5] = 5;
  c[nv] = (roll - c[0]) / t, c[nv + 1] = (pitch - c[1]) / t, c[nv + 2] = (yaw - c[2]) / t;
  assert_ok(jn_trajectory_polynomial(model, 0, 1, 1, c, NULL, &T, &error));
  assert_ok(jn_trajectory_at(T, t, -1, JN_BODY, q, NULL));
  jn_mat3 want = jn_m3_mul(jn_so3_exp(jn_v3(0, 0, yaw)), jn_m3_mul(jn_so3_exp(jn_v3(0, pitch, 0)),
                                                                   jn_so3_exp(jn_v3(roll, 0, 0))));
  jn_mat3 got = jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3]));
  check_residual("roll, pitch, yaw", largest_difference(&got.m[0][0], &want.m[0][0], 9), 8 * U);
  assert_true(q[4] == 2 && q[5] == 3 && q[6] == 5);
  jn_trajectory_free(T);
  jn_model_free(model);
  free(c), free(q);
}

/* Cox-de Boor recursion. */
static double basis(int d, const double *k, int i, double t) {
  if (d == 0) return k[i] <= t && t < k[i + 1];
  double a = k[i + d] - k[i], b = k[i + d + 1] - k[i + 1];
  return (a > 0 ? (t - k[i]) / a * basis(d - 1, k, i, t) : 0) +
         (b > 0 ? (k[i + d + 1] - t) / b * basis(d - 1, k, i + 1, t) : 0);
}

static void bsplines_are_sums_of_basis_functions(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  rng r = rng_new(5);
  for (int d = 1; d <= 9; d++) {
    double knots[32], x[16], q;
    jn_trajectory *T;
    for (int i = 0; i < 15 + d + 1; i++)
      knots[i] = i && rng_below(&r, 4) ? knots[i - 1] + rng_range(&r, 0.2, 1)
                 : i                   ? knots[i - 1]
                                       : 0;
    for (int i = 0; i < 15; i++) x[i] = rng_range(&r, -1, 1);
    assert_ok(jn_trajectory_bspline(model, d, 15, knots, x, NULL, &T, NULL));
    assert_true(jn_trajectory_start(T) == knots[d] && jn_trajectory_end(T) == knots[15]);
    for (int i = 0; i < 50; i++) {
      double t = knots[d] + (knots[15] - knots[d]) * i / 50, want = 0;
      for (int j = 0; j < 15; j++) want += x[j] * basis(d, knots, j, t);
      assert_ok(jn_trajectory_at(T, t, -1, JN_BODY, &q, NULL));
      check_residual("B-spline by Cox and de Boor", fabs(q - want), 1e-13);
    }
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Control values of the next derivative, in c, of a spline of degree d; the largest of them. */
static quad differentiate(int d, int count, const double *knots, quad *c) {
  quad largest = 0;
  for (int i = 0; i + 1 < count; i++) {
    const quad width = (quad)knots[i + d + 1] - (quad)knots[i + 1];
    c[i] = width > 0 ? d * (c[i + 1] - c[i]) / width : 0;
    const quad size = c[i] < 0 ? -c[i] : c[i];
    if (size > largest) largest = size;
  }
  return largest;
}
/* de Boor's algorithm in the span knots[span] <= t < knots[span + 1] */
static quad de_boor(int d, const double *knots, const quad *c, int span, double t) {
  quad x[JN_MAX_SPLINE + 1];
  for (int i = 0; i <= d; i++) x[i] = c[span - d + i];
  for (int level = 1; level <= d; level++)
    for (int i = d; i >= level; i--) {
      const quad left = knots[span - d + i], right = knots[span + 1 + i - level],
                 s = ((quad)t - left) / (right - left);
      x[i] = (1 - s) * x[i - 1] + s * x[i];
    }
  return x[d];
}

/* One span between multiple knots (a Bezier curve), uniform knots, and random ones; in 113 bits. */
static void splines_of_every_degree_keep_their_digits(void **state) {
  (void)state;
  enum { COUNT_OF_VALUES = JN_MAX_SPLINE + 9, ORDERS = 10 };
  jn_model *model = pendulum_model();
  rng r = rng_new(6);
  for (int d = 1; d <= JN_MAX_SPLINE; d++)
    for (int kind = 0; kind < 3; kind++) {
      const int count = kind ? d + 8 : d + 1;
      double knots[COUNT_OF_VALUES + JN_MAX_SPLINE + 1], x[COUNT_OF_VALUES], v[ORDERS];
      quad c[ORDERS + 1][COUNT_OF_VALUES], scale[ORDERS + 1] = {40};
      jn_trajectory *T;
      assert_ok(jn_bspline_knots(2, 3 + kind, d, count, knots));
      for (int i = d + 1; kind == 2 && i < count; i++)
        knots[i] = knots[i - 1] + rng_range(&r, 0.05, 0.2);
      for (int i = 0; i < count; i++) c[0][i] = x[i] = rng_range(&r, -40, 40);
      for (int m = 0; m < ORDERS && m < d; m++) {
        for (int i = 0; i < count - m; i++) c[m + 1][i] = c[m][i];
        scale[m + 1] = differentiate(d - m, count - m, knots + m, c[m + 1]);
      }
      assert_ok(jn_trajectory_bspline(model, d, count, knots, x, NULL, &T, NULL));
      for (int i = 0; i < 200; i++) {
        const double t = 2 + (knots[count] - 2) * i / 200;
        int span = d;
        while (knots[span + 1] <= t) span++;
        double q;
        assert_ok(jn_trajectory_at(T, t, ORDERS - 2, JN_BODY, &q, v));
        for (int m = 0; m < ORDERS && m <= d; m++) {
          const quad want = de_boor(d - m, knots + m, c[m], span - m, t);
          const double got = m ? v[m - 1] : q;
          check_residual("B-spline in 113 bits", fabs((double)(got - want) / (double)scale[m]),
                         1e-13);
        }
      }
      jn_trajectory_free(T);
    }
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_of_every_degree_keep_their_digits),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(half_cosines_go_from_point_to_point),
      cmocka_unit_test(angles_turn_in_their_order),
      cmocka_unit_test(bsplines_are_sums_of_basis_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
