/* test_trajectory_minimum.c: motions of least integral of |x^(k)|^2 against values in 120 digits
 * (helpers/minimum_reference.h), what is promised where pieces meet, and what is refused. */
#include <jounce/trajectory.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/minimum_reference.h"
#include "helpers/tree.h"

enum { HIGHEST = 16, ROOM = 2 * HIGHEST + 1 }; /* q, and rows of v to order 2 k - 2 */

/* x and derivatives 1, k-1, k, 2k-2 of every case, each relative to its largest value */
static void values_agree_with_120_digits(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  for (size_t i = 0; i < COUNT(minimum_cases); i++) {
    const minimum_case *c = &minimum_cases[i];
    const int order[5] = {0, 1, c->k - 1, c->k, 2 * c->k - 2};
    double size[5] = {0}, error[5] = {0};
    jn_trajectory *T = NULL;
    assert_ok(jn_trajectory_minimum(model, c->k, c->count, c->times, c->q, c->v, NULL, &T, NULL));
    for (int p = 0; p < c->values; p++) {
      double x[ROOM];
      assert_ok(jn_trajectory_at(T, c->value[p].t, 2 * c->k - 3, JN_BODY, x, x + 1));
      for (int j = 0; j < 5; j++) {
        size[j] = fmax(size[j], fabs(c->value[p].x[j]));
        error[j] = worse(error[j], fabs(x[order[j]] - c->value[p].x[j]));
      }
    }
    for (int j = 0; j < 5; j++)
      check_residual(c->name, error[j] / size[j], c->k > 10 ? 1e-9 : 1e-11);
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Jumps of the derivatives 0..2k-2 at the waypoints, relative to their size in the piece before. */
static double jumps(const jn_trajectory *T, int k, int count, const double *t, const double *q) {
  double worst = 0;
  for (int i = 1; i + 1 < count; i++) {
    double left[ROOM], right[ROOM], x[ROOM], size[ROOM] = {0};
    assert_ok(jn_trajectory_at(T, nextafter(t[i], t[i - 1]), 2 * k - 2, JN_BODY, left, left + 1));
    assert_ok(jn_trajectory_at(T, t[i], 2 * k - 2, JN_BODY, right, right + 1));
    for (int part = 0; part < 8; part++) {
      const double at = t[i - 1] + 0.125 * part * (t[i] - t[i - 1]);
      assert_ok(jn_trajectory_at(T, at, 2 * k - 2, JN_BODY, x, x + 1));
      for (int j = 0; j < 2 * k - 1; j++) size[j] = fmax(size[j], fabs(x[j]));
    }
    assert_true(right[0] == q[i]);
    check_residual("uneven times: waypoints missed", fabs(left[0] - q[i]), 1e-4);
    for (int j = 1; j < 2 * k - 1; j++)
      worst = worse(worst, fabs(left[j] - right[j]) / fmax(size[j], fabs(right[j])));
  }
  return worst;
}

/* Random times with lengths from 1 to 10^power: the promise is kept or the motion is refused. */
static void uneven_times_are_met_or_refused(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  int made = 0, refused = 0;
  for (uint64_t seed = 1; seed <= 40; seed++)
    for (int k = 2; k <= HIGHEST; k += k < 6 ? 1 : 5)
      for (double power = 1; power <= 15; power += 2) {
        rng r = rng_new(seed);
        const int count = 3 + (int)(seed % 9);
        double t[12] = {0}, q[12];
        for (int i = 1; i < count; i++) t[i] = t[i - 1] + pow(10, rng_range(&r, 0, power));
        for (int i = 0; i < count; i++) q[i] = rng_range(&r, -1, 1);
        jn_trajectory *T = NULL;
        jn_error error;
        jn_status status = jn_trajectory_minimum(model, k, count, t, q, NULL, NULL, &T, &error);
        if (status) {
          assert_status(status, JN_ERR_SINGULAR);
          assert_null(T);
          assert_non_null(strstr(error.message, "take a lower derivative or more evenly spaced"));
          refused++;
          continue;
        }
        /* above, times before a waypoint are too far from it for their rounding */
        if (power <= 5) check_residual("uneven times: jumps", jumps(T, k, count, t, q), 1e-5);
        jn_trajectory_free(T);
        made++;
      }
  printf("uneven times: %d motions, %d refused\n", made, refused);
  assert_true(made > 700 && refused > 100);
  jn_model_free(model);
}

/* Conditions that do not determine the motion, or only to rounding. */
static void undetermined_motions_are_refused(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_trajectory *T = NULL;
  jn_error error;
  static const double t[] = {-1, 0, 1}, q[] = {0.5, 1, 2};
  double v[9];
  fill(v, 9, (double)NAN);
  /* three values for a polynomial of degree 3 without cost */
  assert_status(jn_trajectory_minimum(model, 4, 3, t, q, v, NULL, &T, &error), JN_ERR_SINGULAR);
  assert_non_null(strstr(error.message, "are 3 conditions, and derivative 4 needs 4"));
  /* t (t^2 - 1) is zero at all waypoints, and so is its acceleration at 0 */
  v[4] = 0;
  assert_status(jn_trajectory_minimum(model, 4, 3, t, q, v, NULL, &T, &error), JN_ERR_SINGULAR);
  /* (t - t_0) ... (t - t_3) is zero at all waypoints, and so is its jerk at their mean, 4/3, which is
   * rounded: the factors are rounding too, and refinement with them does not converge */
  static const double thirds[] = {0, 1, 4.0 / 3, 3}, up_and_down[] = {0.5, 1, 2, -1};
  double jerk[16];
  fill(jerk, 16, (double)NAN);
  jerk[2 * 4 + 2] = 0;
  assert_status(jn_trajectory_minimum(model, 5, 4, thirds, up_and_down, jerk, NULL, &T, &error),
                JN_ERR_SINGULAR);
  assert_null(T);
  assert_non_null(strstr(error.message, "more evenly spaced times"));
  /* the same at times without rounding: refinement converges, to one of many motions */
  for (int scale = 1; scale <= 9; scale += 2) {
    const double whole[] = {0, scale, 2 * scale, 5 * scale};
    assert_status(jn_trajectory_minimum(model, 5, 4, whole, up_and_down, jerk, NULL, &T, &error),
                  JN_ERR_SINGULAR);
  }
  /* a motion that swings to 1.7e12 between waypoints of size 1 */
  static const double uneven[] = {0, 1.0 / 4096, 1, 1.25, 2.5, 3.75},
                      far[] = {0, 1, -0.5, 0.75, 0.25, -1};
  assert_status(jn_trajectory_minimum(model, 5, 6, uneven, far, NULL, NULL, &T, &error),
                JN_ERR_SINGULAR);
  assert_non_null(strstr(error.message, "more evenly spaced times"));
  /* a jerk instead: a cubic, x''' = 6 */
  v[4] = NAN, v[5] = 6;
  assert_ok(jn_trajectory_minimum(model, 4, 3, t, q, v, NULL, &T, &error));
  double x[7], u = 0.75;
  assert_ok(jn_trajectory_at(T, u, 4, JN_BODY, x, x + 1));
  check_residual("cubic", fabs(x[0] - (1 + (0.75 - 1) * u + 0.25 * u * u + u * u * u)), 1e-15);
  check_residual("cubic", fabs(x[3] - 6) + fabs(x[4]), 1e-13);
  jn_trajectory_free(T);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_agree_with_120_digits),
      cmocka_unit_test(uneven_times_are_met_or_refused),
      cmocka_unit_test(undetermined_motions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
