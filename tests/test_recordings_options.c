/* test_recordings_options.c: options of fits that contradict the motion or each other are refused,
 * and what a refusal recommends works. */
#include <math.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/motion.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

enum { MOST = 2000 };
static double t[MOST], y[MOST];

/* a sin(w t + phase) with noise */
static void sine(int count, double step, double w, double phase, double noise, uint64_t seed) {
  rng r = rng_new(seed);
  for (int i = 0; i < count; i++) {
    t[i] = step * i;
    y[i] = 0.5 * sin(w * t[i] + phase) + noise * rng_normal(&r);
  }
}

static jn_status fit(const jn_model *model, int count, const jn_fit_options *o, jn_trajectory **T,
                     jn_error *e) {
  *T = NULL;
  e->message[0] = '\0';
  const jn_status status = jn_trajectory_fit(model, count, t, y, o, NULL, NULL, T, e);
  assert_true((status == JN_OK) == (*T != NULL));
  return status;
}

/* A spline of degree d has d derivatives: there are no bands of those above, nor of forces that
 * need them. Failed calls write nothing. */
static void derivatives_above_the_degree_have_no_bands(void **state) {
  (void)state;
  enum { ORDERS = 9 };
  jn_model *model = pendulum_model();
  jn_data *data;
  jn_trajectory *T, *slow, *still;
  jn_error e;
  const double clock[] = {0, 0.5, 1, 0.3, 0, 2, 3, 1.5, 0, 0};
  assert_ok(jn_data_new(model, ORDERS, NULL, &data));
  sine(MOST, 0.005, 3, 0.1, 1e-4, 1);
  for (int degree = 2; degree <= ORDERS; degree++) {
    jn_fit_options o = jn_fit_options_default();
    o.degree = degree;
    o.force = degree < 3;
    if (fit(model, MOST, &o, &T, &e)) fail_msg("degree %d: %s", degree, e.message);
    assert_ok(jn_trajectory_clocked(T, 2, clock, NULL, &slow, NULL));
    for (int order = -1; order < ORDERS; order++) {
      const jn_status want = order >= 0 && order + 2 > degree ? JN_ERR_ORDER : JN_OK;
      double q, v[ORDERS + 2], tau[ORDERS + 1];
      q = v[0] = tau[0] = -7;
      assert_status(jn_trajectory_band(T, 1, order, JN_BODY, &q, v), want);
      assert_true(want ? q == -7 && v[0] == -7 : q > 0);
      for (int k = 0; k <= order + 1 && !want; k++) assert_true(v[k] > 0);
      assert_status(jn_trajectory_band(slow, 1, order, JN_BODY, NULL, v), want);
      assert_ok(jn_trajectory_band(T, 1, order, JN_BODY, &q, NULL));
      if (order < 0) continue;
      assert_status(jn_trajectory_force_band(model, data, T, 1, order, tau), want);
      assert_true(want ? tau[0] == -7 : tau[0] > 0);
    }
    jn_trajectory_free(slow);
    jn_trajectory_free(T);
  }
  /* a joint that stands still does so at every order */
  double q, v[ORDERS + 2];
  fill(y, MOST, 0.25);
  assert_ok(fit(model, MOST, NULL, &still, &e));
  assert_ok(jn_trajectory_band(still, 1, ORDERS, JN_BODY, &q, v));
  assert_true(q == 0 && v[ORDERS] == 0);
  jn_trajectory_free(still);
  jn_data_free(data);
  jn_model_free(model);
}

/* A motion that moves at its ends is refused if rest is asked for there; `force` accepts it. */
static void moving_ends_are_not_taken_for_rest(void **state) {
  (void)state;
  static const int counts[] = {150, 600, MOST};
  jn_model *model = pendulum_model();
  jn_trajectory *T;
  jn_error e;
  for (size_t c = 0; c < COUNT(counts); c++)
    for (double noise = 1e-5; noise < 0.02; noise *= 10) {
      jn_fit_options o = jn_fit_options_default();
      double q, v[2];
      sine(counts[c], 9.5 / counts[c], 3, 0.1, noise, c + 1);
      assert_ok(fit(model, counts[c], &o, &T, &e));
      jn_trajectory_free(T);
      for (o.ends = 1; o.ends < 4; o.ends++) {
        assert_status(fit(model, counts[c], &o, &T, &e), JN_ERR_FIT);
        assert_non_null(strstr(e.message, o.ends & JN_REST_AT_START
                                              ? "does not rest at its start: leave its ends free"
                                              : "does not rest at its end: leave its ends free"));
      }
      o.force = 1;
      o.ends = JN_REST_AT_START;
      assert_ok(fit(model, counts[c], &o, &T, &e));
      assert_ok(jn_trajectory_at(T, 0, 0, JN_BODY, &q, v));
      assert_true(fabs(v[0]) < 0.1);
      jn_trajectory_free(T);
    }
  /* an acceleration alone */
  for (int i = 0; i < MOST; i++) t[i] = 0.002 * i, y[i] = cos(3 * t[i]);
  jn_fit_options o = jn_fit_options_default();
  o.ends = JN_REST_AT_START;
  assert_status(fit(model, MOST, &o, &T, &e), JN_ERR_FIT);
  assert_non_null(strstr(e.message, "does not rest at its start"));
  jn_model_free(model);
}

/* From rest to rest by polynomials of degree 5 or 7, in 1 to 3 moves, some with pauses; noise, or
 * an encoder. */
static void a_motion_from_rest(rng *r, int count) {
  const double dt = (double[]){0.002, 0.005, 0.02}[rng_below(r, 3)], T = dt * (count - 1);
  const int smooth = rng_below(r, 2), moves = 1 + rng_below(r, 3), encoder = rng_below(r, 3) == 0;
  const double pause = rng_below(r, 2) ? 0.15 : 0, noise = pow(10, rng_range(r, -6, -2)),
               step = pow(10, rng_range(r, -5, -2.5));
  double size[3];
  for (int k = 0; k < 3; k++) size[k] = rng_normal(r);
  for (int i = 0; i < count; i++) {
    t[i] = dt * i;
    y[i] = encoder ? 0.2 * step * rng_normal(r) : noise * rng_normal(r);
    for (int k = 0; k < moves; k++) {
      const double s = moves * t[i] / T - k, u = fmax(0, fmin(1, (s - pause) / (1 - 2 * pause)));
      y[i] += size[k] * u * u * u *
              (smooth ? u * (35 - 84 * u + 70 * u * u - 20 * u * u * u) : 10 - 15 * u + 6 * u * u);
    }
    if (encoder) y[i] = step * floor(y[i] / step + 0.5);
  }
}
static void motions_from_rest_to_rest_are_accepted(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  int made = 0;
  for (uint64_t seed = 1; made < 200; seed++) {
    const int count = (int[]){100, 300, 1000, MOST}[seed % 4];
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T;
    jn_error e;
    rng r = rng_new(seed);
    a_motion_from_rest(&r, count);
    o.ends = JN_REST_AT_START | JN_REST_AT_END;
    const jn_status status = fit(model, count, &o, &T, &e);
    jn_trajectory_free(T);
    if (strstr(e.message, "does not rest")) fail_msg("seed %d: %s", (int)seed, e.message);
    made += status == JN_OK;
  }
  jn_model_free(model);
}

/* A given lambda or tolerance leaves nothing to a prior of rest. */
static void given_residuals_leave_the_ends_free(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_trajectory *T;
  jn_error e;
  sine(200, 0.01, 3, 0.1, 1e-4, 1);
  for (int kind = 0; kind < 2; kind++) {
    jn_fit_options o = jn_fit_options_default();
    *(kind ? &o.lambda : &o.tolerance) = kind ? 1e-12 : 2e-4;
    for (o.ends = 1; o.ends < 4; o.ends++) {
      assert_status(fit(model, 200, &o, &T, &e), JN_ERR_ARGUMENT);
      assert_non_null(strstr(e.message, "ends at rest cannot be combined with lambda"));
    }
    o.ends = JN_FIT_ENDS_FREE;
    for (o.keep_outliers = 0; o.keep_outliers < 2; o.keep_outliers++) {
      if (fit(model, 200, &o, &T, &e)) fail_msg("%s", e.message);
      jn_trajectory_free(T);
    }
  }
  jn_model_free(model);
}

/* More pieces are recommended only where there are fewer than the samples allow; and they help. */
static void more_pieces_are_recommended_where_they_help(void **state) {
  (void)state;
  enum { SAMPLES = 60 };
  jn_model *model = pendulum_model();
  jn_trajectory *T;
  jn_error e;
  sine(SAMPLES, 0.05, 9, 0.1, 1e-4, 1);
  for (int kind = 0; kind < 2; kind++) {
    jn_fit_options o = jn_fit_options_default();
    *(kind ? &o.lambda : &o.tolerance) = kind ? 1e-14 : 1e-3;
    o.pieces = 3;
    assert_status(fit(model, SAMPLES, &o, &T, &e), JN_ERR_FIT);
    assert_non_null(strstr(e.message, "more pieces"));
    o.pieces = 0;
    if (fit(model, SAMPLES, &o, &T, &e)) fail_msg("%s", e.message);
    jn_trajectory_free(T);
    *(kind ? &o.lambda : &o.tolerance) = kind ? 1e3 : 1e-18;
    for (o.pieces = 0; o.pieces < SAMPLES; o.pieces += SAMPLES - o.degree) {
      const jn_status status = fit(model, SAMPLES, &o, &T, &e);
      assert_status(status, JN_ERR_FIT);
      if (strstr(e.message, "more pieces")) fail_msg("%s", e.message);
    }
  }
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_above_the_degree_have_no_bands),
      cmocka_unit_test(moving_ends_are_not_taken_for_rest),
      cmocka_unit_test(motions_from_rest_to_rest_are_accepted),
      cmocka_unit_test(given_residuals_leave_the_ends_free),
      cmocka_unit_test(more_pieces_are_recommended_where_they_help),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
