/* test_trajectory_edges.c: edge cases of trajectories: nearly equal times, nearly infinite numbers,
 * partly given derivatives, times outside of the range by rounding. */
#include <float.h>
#include <jounce/trajectory.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/tree.h"

/* a spherical joint between two joints with plain coordinates */
static jn_model *with_a_ball(void) {
  jn_spec *spec = random_spec(91, 2, JN_JOINT_PRISMATIC, TYPE(SPHERICAL));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

static void nearly_equal_times_are_refused_with_a_message(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  jn_trajectory *T = NULL;
  jn_error error;
  /* a piece whose weight is negligible */
  static const double far[] = {0, 1e-200, 1}, q[600] = {0, 1, 2, 1, 3, 0, 1, 2};
  assert_status(jn_trajectory_minimum(model, 3, 3, far, q, NULL, NULL, &T, &error),
                JN_ERR_SINGULAR);
  assert_non_null(strstr(error.message, "take a lower derivative"));
  error.line = 7;
  assert_status(jn_trajectory_minimum(model, 3, 3, far, q, NULL, NULL, NULL, &error),
                JN_ERR_ARGUMENT);
  assert_int_equal(error.line, 0);
  /* knots between neighbouring doubles */
  double close[8];
  for (int i = 0; i < 8; i++) close[i] = i ? nextafter(close[i - 1], 2) : 1;
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = 0.1;
  for (o.degree = 1; o.degree <= 7; o.degree++) {
    jn_status status = jn_trajectory_fit(model, 8, close, q, &o, NULL, NULL, &T, &error);
    if (!status) jn_trajectory_free(T);
    if (status) assert_non_null(error.message[0] ? error.message : NULL);
    if (o.degree == 2) assert_status(status, JN_ERR_ARGUMENT);
    if (o.degree == 2) assert_non_null(strstr(error.message, "too close"));
  }
  /* three samples at nearly the same time: t^2 underflows */
  static const double cluster[] = {0, 1e-200, 2e-200, 1};
  o = jn_fit_options_default(), o.degree = 3, o.tolerance = 0;
  assert_status(jn_trajectory_fit(model, 4, cluster, q, &o, NULL, NULL, &T, &error),
                JN_ERR_SINGULAR);
  assert_non_null(strstr(error.message, "do not determine"));
  /* with any scale a fit is finite or refused */
  static const double scales[] = {1e-300, 1e-150, 1e-80, 1e-20, 1e100, 1e300};
  for (size_t s = 0; s < COUNT(scales); s++)
    for (int kind = 0; kind < 12; kind++) {
      double t[8], x, v[3];
      for (int i = 0; i < 8; i++) t[i] = kind < 6 ? scales[s] * i : i < 4 ? scales[s] * i : i;
      if (kind >= 6 && scales[s] > 1) continue;
      o = jn_fit_options_default(), o.degree = kind % 2 ? 7 : 3, o.pieces = kind % 2 ? 0 : 3;
      if (kind % 6 / 2 == 1) o.tolerance = 0.1;
      if (kind % 6 / 2 == 2) o.lambda = 1;
      T = NULL;
      if (jn_trajectory_fit(model, 8, t, q, &o, NULL, NULL, &T, NULL)) {
        assert_null(T);
        continue;
      }
      jn_status status = jn_trajectory_at(T, t[3], 1, JN_BODY, &x, v);
      assert_true(status == JN_OK ? isfinite(x) && isfinite(v[2]) : status == JN_ERR_NOT_FINITE);
      jn_trajectory_free(T);
    }
  jn_model_free(model);
}

/* the accuracy that trajectory.h states for jn_trajectory_minimum up to derivative 10; above that a
 * message is allowed */
static void waypoints_are_met_to_the_digits_that_are_stated(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  double t[40], q[40], x, v[2], worst[2] = {0};
  jn_error error;
  for (int i = 0; i < 40; i++) t[i] = i, q[i] = sin(1.3 * i);
  for (int k = 1; k <= 10; k++)
    for (int count = 2; count <= 40; count += count < 8 ? 1 : 16) {
      jn_trajectory *T = NULL;
      double missed = 0, range = 0;
      assert_ok(jn_trajectory_minimum(model, k, count, t, q, NULL, NULL, &T, NULL));
      for (int i = 20; i <= 20 * (count - 1); i++) {
        assert_ok(
            jn_trajectory_at(T, i % 20 ? 0.05 * i : nextafter(t[i / 20], 0), 0, JN_BODY, &x, v));
        range = fmax(range, fabs(x));
        if (i % 20 == 0) missed = worse(missed, fabs(x - q[i / 20]));
      }
      worst[k > 6] = worse(worst[k > 6], missed / range);
      jn_trajectory_free(T);
    }
  check_residual("waypoints missed, derivatives 1 to 6", worst[0], 1e-12);
  check_residual("waypoints missed, derivatives 7 to 10", worst[1], 1e-9);
  jn_trajectory *none = NULL;
  assert_status(jn_trajectory_minimum(model, 16, 2, t, q, NULL, NULL, &none, &error),
                JN_ERR_SINGULAR);
  assert_non_null(strstr(error.message, "take a lower derivative"));
  jn_model_free(model);
}

static void knots_are_evenly_spaced(void **state) {
  (void)state;
  for (int degree = 1; degree <= 7; degree++)
    for (int count = degree + 1; count < degree + 9; count++) {
      double knots[32];
      assert_ok(jn_bspline_knots(-1, 3, degree, count, knots));
      for (int i = 0; i < count + degree + 1; i++) {
        const double part = (double)(i - degree) / (count - degree);
        assert_true(fabs(knots[i] - (-1 + 4 * fmin(fmax(part, 0), 1))) <= 4e-16);
      }
    }
}

/* Derivatives that are free at an end: those of order k ... 2k-2 vanish there. */
static void free_ends_are_natural(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  static const double t[] = {0, 1, 2.5, 3, 4}, q[] = {0.3, 1, -0.5, 2, 0.25};
  for (int k = 2; k <= 4; k++) {
    double v[16], x, jet[8];
    jn_trajectory *T;
    fill(v, 16, (double)NAN);
    assert_ok(jn_trajectory_minimum(model, k, 5, t, q, v, NULL, &T, NULL));
    for (int end = 0; end < 2; end++) {
      assert_ok(jn_trajectory_at(T, end ? 4 : 0, 2 * k - 3, JN_BODY, &x, jet));
      for (int i = k; i <= 2 * k - 2; i++)
        check_residual("derivatives at a free end", fabs(jet[i - 1]) / largest(jet, (size_t)k - 1),
                       1e-10);
    }
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* The largest and smallest accepted values, and the next ones outside. */
static void limits_are_accepted_and_not_exceeded(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  double t[140], x[140], knots[140];
  for (int i = 0; i < 140; i++) t[i] = i, x[i] = sin(i);
  enum { POLYNOMIAL, FOURIER, COSINE, BSPLINE, MINIMUM, FIT, PIECES, LAMBDA };
  static const struct {
    int kind, size, count, good;
  } cases[] = {
      {POLYNOMIAL, 0, 0, 1},
      {POLYNOMIAL, -1, 0, 0},
      {POLYNOMIAL, JN_MAX_DEGREE, 0, 1},
      {POLYNOMIAL, JN_MAX_DEGREE + 1, 0, 0},
      {FOURIER, 0, 0, 0},
      {FOURIER, 1, 0, 1},
      {COSINE, 0, 1, 0},
      {COSINE, 0, 2, 1},
      {BSPLINE, 1, 2, 1},
      {BSPLINE, 1, 1, 0},
      {BSPLINE, 0, 2, 0},
      {BSPLINE, JN_MAX_SPLINE, JN_MAX_SPLINE + 1, 1},
      {BSPLINE, JN_MAX_SPLINE, JN_MAX_SPLINE, 0},
      {BSPLINE, JN_MAX_SPLINE + 1, JN_MAX_SPLINE + 2, 0},
      {MINIMUM, 1, 2, 1},
      {MINIMUM, 1, 1, 0},
      {MINIMUM, 0, 2, 0},
      {FIT, 1, 2, 1},
      {FIT, 1, 1, 0},
      {FIT, 0, 2, 0},
      {FIT, 5, 6, 1},
      {FIT, 5, 5, 0},
      {FIT, JN_MAX_SPLINE + 1, 40, 0},
      {PIECES, 7, 10, 1},
      {PIECES, 8, 10, 0},
      {PIECES, -1, 10, 0},
      {LAMBDA, -1, 10, 1},
      {LAMBDA, 0, 10, 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const int size = cases[i].size, count = cases[i].count;
    jn_trajectory *T = NULL;
    jn_error e = {.line = 7};
    jn_fit_options o = jn_fit_options_default();
    jn_status status = JN_OK;
    switch (cases[i].kind) {
      case POLYNOMIAL:
        status = jn_trajectory_polynomial(model, 0, 1, size, x, NULL, &T, &e);
        break;
      case FOURIER:
        status = jn_trajectory_fourier(model, 0, 1, size, 2, x, x, NULL, &T, &e);
        break;
      case COSINE:
        status = jn_trajectory_half_cosine(model, count, t, x, NULL, &T, &e);
        break;
      case BSPLINE:
        for (int k = 0; k < count + size + 1; k++) knots[k] = k <= size ? 0 : k < count ? k : 99;
        status = jn_trajectory_bspline(model, size, count, knots, x, NULL, &T, &e);
        break;
      case MINIMUM:
        status = jn_trajectory_minimum(model, size, count, t, x, NULL, NULL, &T, &e);
        break;
      case FIT:
        o.degree = size, o.tolerance = 0;
        status = jn_trajectory_fit(model, count, t, x, &o, NULL, NULL, &T, &e);
        break;
      case PIECES:
        o.degree = 3, o.pieces = size, o.lambda = 1e-3;
        status = jn_trajectory_fit(model, count, t, x, &o, NULL, NULL, &T, &e);
        break;
      default:
        o.degree = 3, o.lambda = size, o.tolerance = 0;
        status = jn_trajectory_fit(model, count, t, x, &o, NULL, NULL, &T, &e);
    }
    if (status != (cases[i].good ? JN_OK : JN_ERR_ARGUMENT))
      fail_msg("case %zu: %s", i, jn_status_text(status));
    if (status) assert_true(e.message[0] && e.line == 0 && !T);
    if (cases[i].kind == POLYNOMIAL && size > JN_MAX_DEGREE)
      assert_non_null(strstr(e.message, "a polynomial has at most"));
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Quaternions of either sign are samples of one rotation; two turns about a slanted axis. */
static void samples_of_a_rotation_may_change_sign(void **state) {
  (void)state;
  enum { SAMPLES = 81 };
  jn_model *model = with_a_ball();
  const int nq = jn_model_nq(model), n = jn_model_body_count(model);
  double *q = doubles((size_t)(SAMPLES * nq)), t[SAMPLES], x[16], v[16];
  int turning = 0;
  for (int i = 0; i < SAMPLES; i++) t[i] = i / 80.0;
  for (int j = 0; j < n; j++) {
    const jn_joint *joint = jn_model_joint(model, j);
    if (joint->type != JN_JOINT_SPHERICAL) continue;
    turning++;
    for (int i = 0; i < SAMPLES; i++) {
      const double half = 6.283185307179586 * t[i], s = i % 7 < 3 ? -sin(half) : sin(half);
      const double row[4] = {i % 7 < 3 ? -cos(half) : cos(half), 0.36 * s, 0.48 * s, 0.8 * s};
      memcpy(q + i * nq + joint->iq, row, sizeof row);
    }
  }
  assert_true(turning > 0 && nq <= 16 && jn_model_nv(model) <= 16);
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = 0;
  jn_trajectory *T;
  assert_ok(jn_trajectory_fit(model, SAMPLES, t, q, &o, NULL, NULL, &T, NULL));
  for (double at = 0.1; at < 0.9; at += 0.013) {
    assert_ok(jn_trajectory_at(T, at, -1, JN_BODY, x, v));
    for (int j = 0; j < n; j++) {
      const jn_joint *joint = jn_model_joint(model, j);
      if (joint->type != JN_JOINT_SPHERICAL) continue;
      const double *p = x + joint->iq, half = 6.283185307179586 * at;
      const double off = p[0] * cos(half) + sin(half) * (0.36 * p[1] + 0.48 * p[2] + 0.8 * p[3]);
      check_residual("a rotation between samples of either sign", fabs(fabs(off) - 1), 1e-9);
    }
  }
  /* the lower orders of a large order are those of a small one */
  double *few = doubles(3 * 16), *many = doubles(40 * 16);
  for (int order = 20; order < 36; order++) {
    const size_t rows = 3 * (size_t)jn_model_nv(model);
    assert_ok(jn_trajectory_at(T, 0.31, 1, JN_BODY, x, few));
    jn_status status = jn_trajectory_at(T, 0.31, order, JN_BODY, x, many);
    if (status) fail_msg("order %d: %s", order, jn_status_text(status));
    check_residual("lower orders of larger ones",
                   largest_difference(few, many, rows) / largest(few, rows), 1e-14);
  }
  free(few), free(many);
  jn_trajectory_free(T);
  /* a polynomial of degree 0 is a constant position */
  for (int i = 0; i < 16; i++) v[i] = 0.25;
  assert_ok(jn_trajectory_polynomial(model, 0, 1, 0, v, NULL, &T, NULL));
  jn_trajectory_free(T);
  assert_status(jn_trajectory_polynomial(model, 0, 1, -1, v, NULL, &T, NULL), JN_ERR_ARGUMENT);
  free(q);
  jn_model_free(model);
}

/* Times in other units give the same motion, bit for bit if the factor is a power of two. */
static void motions_do_not_depend_on_the_unit_of_time(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  static const double times[] = {0, 1, 1.5, 3.25, 4}, q[] = {0, 1, -0.5, 2, 0.25};
  for (int k = 1; k <= 5; k++)
    for (int power = -240; power <= 240; power += 60) {
      jn_trajectory *T[2];
      double scaled[5], x[2], v[2][2]; /* velocity and acceleration */
      for (int i = 0; i < 5; i++) scaled[i] = ldexp(times[i], power);
      assert_ok(jn_trajectory_minimum(model, k, 5, times, q, NULL, NULL, &T[0], NULL));
      assert_ok(jn_trajectory_minimum(model, k, 5, scaled, q, NULL, NULL, &T[1], NULL));
      for (double t = 0; t <= 4; t += 0.0625) {
        assert_ok(jn_trajectory_at(T[0], t, 0, JN_BODY, &x[0], v[0]));
        assert_ok(jn_trajectory_at(T[1], ldexp(t, power), 0, JN_BODY, &x[1], v[1]));
        assert_true(x[0] == x[1] && v[0][0] == ldexp(v[1][0], power));
        assert_true(v[0][1] == ldexp(v[1][1], 2 * power));
      }
      jn_trajectory_free(T[0]), jn_trajectory_free(T[1]);
    }
  jn_model_free(model);
}

static void pieces_follow_the_samples(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  double t[600], q[600], rms;
  for (int i = 0; i < 600; i++) t[i] = 0.01 * i, q[i] = sin(t[i]);
  for (int kind = 0; kind < 3; kind++) {
    jn_trajectory *T = NULL;
    const jn_fit_report report = {.rms = &rms, .max = NULL, .lambda = NULL};
    jn_fit_options o = jn_fit_options_default();
    o.degree = 3;
    if (kind == 0) o.tolerance = 0;
    if (kind == 1) o.lambda = 0;
    if (kind == 2) o.tolerance = 1e-3;
    assert_ok(jn_trajectory_fit(model, 600, t, q, &o, &report, NULL, &T, NULL));
    check_residual("600 samples, rms", rms, kind == 2 ? 1.001e-3 : 1e-9);
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* Derivatives of a rotation: all or none, only at the ends, independently at each end. */
static void derivatives_of_a_rotation_are_given_together(void **state) {
  (void)state;
  jn_model *model = with_a_ball();
  const int nq = jn_model_nq(model), nv = jn_model_nv(model);
  const jn_joint *ball = jn_model_joint(model, 1);
  assert_int_equal(ball->type, JN_JOINT_SPHERICAL);
  double *q = doubles(3 * (size_t)nq), *v = doubles(3 * 2 * (size_t)nv), w[3 * 8], p[8];
  static const double times[] = {0, 1, 2};
  for (int i = 0; i < 3; i++) jn_model_home(model, q + i * nq);
  for (int given = 0; given < 8; given++)
    for (int part = 0; part < 2; part++)
      for (int moving = 0; moving < 2; moving++) {
        jn_trajectory *T = NULL;
        fill(v, 3 * 2 * (size_t)nv, (double)NAN);
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < 2; k++)
            for (int c = 0; c < 3 - part; c++)
              if (given >> i & 1) v[(i * 2 + k) * nv + ball->iv + c] = moving && !k ? 0.5 : 0;
        const int good = !given || (!part && !(given & 2));
        assert_status(jn_trajectory_minimum(model, 3, 3, times, q, v, NULL, &T, NULL),
                      good ? JN_OK : JN_ERR_ARGUMENT);
        for (int i = 0; i < 3 && good; i += 2) {
          if (!(given >> i & 1)) continue;
          assert_ok(jn_trajectory_at(T, times[i], 0, JN_BODY, p, w));
          for (int c = 0; c < 3; c++)
            check_residual("prescribed turn", fabs(w[ball->iv + c] - (moving ? 0.5 : 0)), 1e-12);
        }
        jn_trajectory_free(T);
      }
  free(q), free(v);
  jn_model_free(model);
}

static void outputs_may_be_null_and_times_may_be_outside_by_rounding(void **state) {
  (void)state;
  jn_model *model = with_a_ball();
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *c = doubles(2 * nv), *q = doubles(nq), *v = doubles(3 * nv), *q1 = doubles(nq),
         *v1 = doubles(3 * nv);
  jn_trajectory *T = NULL, *slow = NULL;
  fill(c, 2 * nv, 0.3);
  assert_ok(jn_trajectory_polynomial(model, 1, 2, 1, c, NULL, &T, NULL));
  assert_ok(jn_trajectory_scaled(T, 3, NULL, &slow));
  assert_ok(jn_trajectory_at(T, 1, 1, JN_BODY, q, v));
  assert_ok(jn_trajectory_at(T, 1, 1, JN_BODY, q1, NULL));
  assert_ok(jn_trajectory_at(T, 1, 1, JN_BODY, NULL, v1));
  assert_true(same_bits(q, q1, nq) && same_bits(v, v1, 3 * nv));
  assert_ok(jn_trajectory_at(T, nextafter(1, 0), 1, JN_BODY, q1, v1));
  assert_true(same_bits(q, q1, nq) && same_bits(v, v1, 3 * nv));
  assert_ok(jn_trajectory_at(T, nextafter(2, 3), 1, JN_BODY, q1, v1));
  assert_status(jn_trajectory_at(T, 0.99, 1, JN_BODY, q1, v1), JN_ERR_ARGUMENT);
  assert_true(jn_trajectory_next_break(T, (double)NAN) == HUGE_VAL);
  assert_true(jn_trajectory_next_break(slow, 1) == 4 && jn_trajectory_end(slow) == 4);
  jn_trajectory_free(T), jn_trajectory_free(slow);
  /* finite in the file but not in the motion: a value, and a derivative only */
  jn_model *plain = pendulum_model();
  const double large[] = {1.7e308, 1.7e308}, steep[] = {0, 1.7e308, 1.7e308};
  assert_ok(jn_trajectory_polynomial(plain, 0, 1, 1, large, NULL, &T, NULL));
  assert_status(jn_trajectory_at(T, 1, 0, JN_BODY, q, NULL), JN_ERR_NOT_FINITE);
  assert_ok(jn_trajectory_at(T, 0, -1, JN_BODY, q, NULL));
  jn_trajectory_free(T);
  assert_ok(jn_trajectory_polynomial(plain, 0, 0.1, 2, steep, NULL, &T, NULL));
  assert_status(jn_trajectory_at(T, 0.1, 1, JN_BODY, q, v), JN_ERR_NOT_FINITE);
  assert_ok(jn_trajectory_at(T, 0.1, 1, JN_BODY, q, NULL));
  jn_trajectory_free(T);
  /* and not finite as coefficients of pieces */
  jn_error e = {0};
  assert_status(jn_trajectory_polynomial(plain, 0, 1e10, 2, steep, NULL, &T, &e),
                JN_ERR_NOT_FINITE);
  assert_int_equal(e.line, 0);
  free(c), free(q), free(v), free(q1), free(v1);
  jn_model_free(plain), jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearly_equal_times_are_refused_with_a_message),
      cmocka_unit_test(waypoints_are_met_to_the_digits_that_are_stated),
      cmocka_unit_test(knots_are_evenly_spaced),
      cmocka_unit_test(free_ends_are_natural),
      cmocka_unit_test(limits_are_accepted_and_not_exceeded),
      cmocka_unit_test(samples_of_a_rotation_may_change_sign),
      cmocka_unit_test(motions_do_not_depend_on_the_unit_of_time),
      cmocka_unit_test(pieces_follow_the_samples),
      cmocka_unit_test(derivatives_of_a_rotation_are_given_together),
      cmocka_unit_test(outputs_may_be_null_and_times_may_be_outside_by_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
