/* test_recordings_odd.c: recordings with coloured noise, of vibrations, and with times far from zero. */
#include <math.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/motion.h"
#include "helpers/rng.h"
#include "helpers/tree.h"
#include "base/block.h"
#include "trajectory/recording.h"

enum { MOST = 3000 };
static double t[MOST], y[MOST];

static jn_status fit(const jn_model *model, int count, const jn_fit_options *o, jn_fit_report *r,
                     jn_trajectory **T, jn_error *e) {
  *T = NULL;
  const jn_status status = jn_trajectory_fit(model, count, t, y, o, r, NULL, T, e);
  assert_true((status == JN_OK) == (*T != NULL));
  return status;
}
static void refused(const jn_model *model, int count, const jn_fit_options *o, const char *text) {
  jn_trajectory *T;
  jn_error e = {0};
  assert_status(fit(model, count, o, NULL, &T, &e), JN_ERR_FIT);
  if (!strstr(e.message, text)) fail_msg("'%s' expected, found '%s'", text, e.message);
}

/* Noise z_i = phi z_(i-1) + white: a little of it is allowed for, and bands of position, velocity and
 * acceleration contain the motion; more of it looks like a motion and is refused. */
static void a_little_colour_of_the_noise_is_allowed_for(void **state) {
  (void)state;
  const double w[2] = {1.5, 2.7}, a[2] = {1, 0.5};
  jn_model *model = pendulum_model();
  for (int k = 0; k < 6; k++) {
    const double phi = 0.1 + 0.08 * k, size = 0.01;
    rng r = rng_new((uint64_t)k + 1);
    double z = 0, noise = -1, correlation = -1, outside[3] = {0};
    jn_fit_report report = {.noise = &noise, .correlation = &correlation};
    jn_trajectory *T;
    jn_error e = {0};
    for (int i = 0; i < MOST; i++) {
      z = phi * z + rng_normal(&r);
      t[i] = 0.01 * i;
      y[i] = a[0] * sin(w[0] * t[i]) + a[1] * sin(w[1] * t[i]) + size * z;
    }
    if (phi > 0.4) {
      refused(model, MOST, NULL, "its residuals are correlated (first autocorrelation 0.");
      continue;
    }
    if (fit(model, MOST, NULL, &report, &T, &e)) fail_msg("%s", e.message);
    for (int i = 0; i < MOST; i++) {
      double q[3] = {0}, b[3] = {0};
      assert_ok(jn_trajectory_at(T, t[i], 0, JN_BODY, q, q + 1));
      assert_ok(jn_trajectory_band(T, t[i], 0, JN_BODY, b, b + 1));
      for (int d = 0; d < 3; d++) {
        double true_value = 0;
        for (int j = 0; j < 2; j++)
          true_value += a[j] * pow(w[j], d) * sin(w[j] * t[i] + d * 1.5707963267948966);
        outside[d] += !(fabs(q[d] - true_value) <= b[d]) / (double)MOST;
      }
    }
    print_message("phi %.2f: noise %.4f, correlation %.2f, outside %.3f %.3f %.3f\n", phi, noise,
                  correlation, outside[0], outside[1], outside[2]);
    assert_true(fabs(correlation - phi) < 0.1 && noise > 0.9 * size && noise < 2 * size);
    for (int d = 0; d < 3; d++) check_residual("share outside the band", outside[d], 0.1);
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Forty tones of 20 to 215 Hz are no motion of a joint. */
static void vibrations_are_refused(void **state) {
  (void)state;
  enum { TONES = 40, VALUES = 2000 };
  jn_model *model = pendulum_model();
  double w[TONES], phase[TONES];
  rng r = rng_new(3);
  for (int j = 0; j < TONES; j++)
    w[j] = 6.283185307179586 * (20 + 5 * j), phase[j] = rng_range(&r, 0, 6.28);
  for (int i = 0; i < VALUES; i++) {
    t[i] = i / (double)VALUES, y[i] = 0.01 * rng_normal(&r);
    for (int j = 0; j < TONES; j++) y[i] += 0.1 * sin(w[j] * t[i] + phase[j]);
  }
  refused(model, VALUES, NULL, " Hz: vibration or coloured noise");
  jn_model_free(model);
}

/* The rounding of a time of 1e8 s and more is too much for derivatives, whether the fit is wanted or not; the
 * same samples counted from the first are fitted. */
static void times_far_from_zero_are_refused(void **state) {
  (void)state;
  enum { SAMPLES = 200 };
  jn_model *model = pendulum_model();
  jn_fit_options o = jn_fit_options_default();
  rng r = rng_new(4);
  for (int i = 0; i < SAMPLES; i++) y[i] = sin(0.3 * 0.125 * i) + 1e-3 * rng_normal(&r);
  for (double start = 1e8; start < 1e13; start *= 100)
    for (o.force = 0; o.force < 2; o.force++) {
      for (int i = 0; i < SAMPLES; i++) t[i] = start + 0.125 * i;
      refused(model, SAMPLES, &o,
              "times far from zero lose the digits of the derivatives: subtract the first");
    }
  double q[2];
  jn_trajectory *T;
  jn_error e = {0};
  for (int i = 0; i < SAMPLES; i++) t[i] = 0.125 * i;
  assert_ok(fit(model, SAMPLES, NULL, NULL, &T, &e));
  assert_ok(jn_trajectory_at(T, 12, -1, JN_BODY, q, q + 1));
  check_residual("position", fabs(q[0] - sin(0.3 * 12)), 1e-3);
  check_residual("velocity", fabs(q[1] - 0.3 * cos(0.3 * 12)), 1e-3);
  jn_trajectory_free(T);
  jn_model_free(model);
}

/* A motion of 8 samples a period without noise, at times that are not even: what is noise cannot be told. */
static void as_many_freedoms_as_samples_are_refused(void **state) {
  (void)state;
  enum { SAMPLES = 120 };
  jn_model *model = pendulum_model();
  rng r = rng_new(5);
  for (int i = 0; i < SAMPLES; i++) {
    t[i] = 0.1 * (i + (i ? rng_range(&r, -0.2, 0.2) : 0));
    y[i] = sin(6.283185307179586 * t[i] / 0.8);
  }
  refused(model, SAMPLES, NULL, "samples: motion and noise cannot be told apart");
  jn_model_free(model);
}

/* Sines of few uneven samples a period: none is taken for noise around a constant. */
static void fast_sines_are_no_coloured_noise(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  for (int count = 120; count <= 480; count *= 2)
    for (int k = 0; k < 6; k++) {
      rng r = rng_new((uint64_t)k + 1);
      for (int i = 0; i < count; i++) {
        t[i] = 0.1 * (i + (i ? rng_range(&r, -0.2, 0.2) : 0));
        y[i] = sin(6.283185307179586 * t[i] / (0.1 * (5.2 + 0.1 * k)));
      }
      refused(model, count, NULL, "its residuals are correlated");
    }
  jn_model_free(model);
}

/* A jump by 1 from one sample to the next, noise of 1e-5: even the finest grid, of four cells a sample, has
 * to cut off higher than its cells allow. There is then no fit that `force` could accept. A ramp of the
 * same height over a third of the samples is followed. */
static void a_jump_between_two_samples_is_refused(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_trajectory *T;
  jn_error e = {0};
  for (int count = 60; count <= 240; count *= 2)
    for (int degree = 3; degree <= 5; degree += 2) {
      jn_fit_options o = jn_fit_options_default();
      rng r = rng_new(6);
      o.degree = degree;
      for (int i = 0; i < count; i++) t[i] = i, y[i] = (2 * i >= count) + 1e-5 * rng_normal(&r);
      for (o.force = 0; o.force < 2; o.force++) {
        refused(model, count, &o, "no spline follows them: the motion is too fast");
        assert_status(fit(model, count, &o, NULL, &T, &e), JN_ERR_FIT);
        assert_null(strstr(e.message, "force"));
      }
      /* what the message recommends */
      o.force = 0, o.tolerance = 0;
      assert_ok(fit(model, count, &o, NULL, &T, &e));
      jn_trajectory_free(T);
    }
  rng r = rng_new(6);
  double q[2];
  for (int i = 0; i < 240; i++) {
    const double u = fmax(-1, fmin(1, (i - 120) / 40.0));
    t[i] = i, y[i] = 0.5 + u * (15 - 10 * u * u + 3 * u * u * u * u) / 16 + 1e-5 * rng_normal(&r);
  }
  assert_ok(fit(model, 240, NULL, NULL, &T, &e));
  assert_ok(jn_trajectory_at(T, 120, -1, JN_BODY, q, q + 1));
  check_residual("ramp, position", fabs(q[0] - 0.5), 1e-4);
  check_residual("ramp, velocity", fabs(q[1] - 15.0 / 16 / 40), 1e-4);
  jn_trajectory_free(T);
  jn_model_free(model);
}

/* Files have a limit of memory: a fit within any limit is made, or refused and its memory given back. */
static void a_fit_keeps_a_limit_of_memory(void **state) {
  (void)state;
  enum { SAMPLES = 200 };
  const recording_options o = {0};
  rng g = rng_new(6);
  int refusals = 0;
  for (int i = 0; i < SAMPLES; i++) t[i] = 0.05 * i, y[i] = sin(t[i]) + 0.01 * rng_normal(&g);
  for (size_t limit = 1000, done = 0; !done; limit += limit / 4) {
    jn_trajectory T = {.hooks = jn_allocator_or_default(NULL), .memory = limit};
    fit_space space;
    recording r;
    T.operations = HUGE_VAL;
    jn_fit_space_init(&space, &T, 5);
    const jn_status status = jn_recording_fit(&space, SAMPLES, t, 1, y, &o, &r);
    done = status == JN_OK;
    if (status) assert_status(status, JN_ERR_LIMIT);
    refusals += status != JN_OK;
    jn_recording_free(&T, &r);
    jn_fit_space_free(&space);
    assert_true(T.memory == limit);
  }
  print_message("%d limits refused\n", refusals);
  assert_true(refusals > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_little_colour_of_the_noise_is_allowed_for),
      cmocka_unit_test(vibrations_are_refused),
      cmocka_unit_test(times_far_from_zero_are_refused),
      cmocka_unit_test(as_many_freedoms_as_samples_are_refused),
      cmocka_unit_test(fast_sines_are_no_coloured_noise),
      cmocka_unit_test(a_jump_between_two_samples_is_refused),
      cmocka_unit_test(a_fit_keeps_a_limit_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
