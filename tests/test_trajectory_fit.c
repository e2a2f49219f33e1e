/* test_trajectory_fit.c: smoothing splines: optimality, tolerance, noise, rotations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/motion.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

static jn_trajectory *fit(const jn_model *model, int count, const double *t, const double *q,
                          const jn_fit_options *o, const jn_fit_report *report) {
  jn_trajectory *T = NULL;
  jn_error error = {0};
  if (jn_trajectory_fit(model, count, t, q, o, report, NULL, &T, &error))
    fail_msg("%s", error.message);
  return T;
}

/* A polynomial of degree m - 1 has no penalty: it is reproduced for any lambda. */
static void polynomials_below_the_penalty_come_back(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  rng r = rng_new(1);
  for (int degree = 1; degree <= 9; degree++)
    for (int power = -8; power <= 0; power += 4) {
      double t[60], q[60], x, v[4], rms, lambda;
      jn_fit_options o = jn_fit_options_default();
      jn_fit_report report = {.rms = &rms, .max = NULL, .lambda = &lambda};
      int m = (degree + 1) / 2;
      o.degree = degree, o.lambda = pow(10, power);
      for (int i = 0; i < 60; i++) {
        t[i] = i ? t[i - 1] + rng_range(&r, 0.01, 0.1) : 2;
        q[i] = pow(t[i] - 3, m - 1) + 0.5;
      }
      jn_trajectory *T = fit(model, 60, t, q, &o, &report);
      check_residual("polynomial, rms", rms, 1e-8);
      assert_true(fabs(lambda / o.lambda - 1) < 1e-12);
      assert_ok(jn_trajectory_at(T, t[33], 2, JN_BODY, &x, v));
      check_residual("polynomial, value", fabs(x - q[33]), 1e-8);
      double want = m > 1 ? (m - 1) * pow(t[33] - 3, m - 2) : 0;
      check_residual("polynomial, slope", fabs(v[0] - want), 1e-7);
      jn_trajectory_free(T);
    }
  jn_model_free(model);
}

/* A fast motion that a given lambda, or too few pieces, smooth away; noise around the same motion that
 * they remove is no fault. */
static void a_lambda_that_smooths_the_motion_away_is_refused(void **state) {
  (void)state;
  enum { N = 1001 };
  jn_model *model = pendulum_model();
  rng r = rng_new(3);
  static double t[N], q[N], noisy[N];
  for (int i = 0; i < N; i++) {
    t[i] = 0.01 * i, q[i] = sin(40 * t[i]);
    noisy[i] = 0.3 * sin(t[i]) + 0.01 * rng_normal(&r);
  }
  jn_trajectory *T = NULL;
  for (int kind = 0; kind < 4; kind++) {
    static const double lambda[] = {1, 1e-12, 0, 1e9};
    jn_error error = {0};
    double rms;
    const jn_fit_report report = {.rms = &rms};
    jn_fit_options o = jn_fit_options_default();
    o.lambda = lambda[kind], o.pieces = kind == 2 ? 20 : 0;
    assert_status(jn_trajectory_fit(model, N, t, q, &o, NULL, NULL, &T, &error), JN_ERR_FIT);
    assert_null(T);
    if (!strstr(error.message, "does not follow the samples") || !strstr(error.message, "--force"))
      fail_msg("%s", error.message);
    o.force = 1;
    T = fit(model, N, t, q, &o, &report);
    assert_true(rms > 0.01);
    jn_trajectory_free(T);
    T = NULL;
  }
  jn_fit_options o = jn_fit_options_default();
  o.lambda = 1e-6;
  jn_trajectory_free(fit(model, N, t, noisy, &o, NULL));
  jn_model_free(model);
}

/* A sine of four samples a period and more, in few samples and in many: followed, or refused. */
static void a_lambda_follows_a_sine_or_is_refused(void **state) {
  (void)state;
  enum { N = 1001 };
  jn_model *model = pendulum_model();
  static double t[N], q[N];
  const int counts[] = {39, 40, 100, N};
  int refused = 0, followed = 0;
  for (int i = 0; i < N; i++) t[i] = 0.01 * i;
  for (size_t n = 0; n < COUNT(counts); n++)
    for (double w = 20; w < 157; w *= 1.03)
      for (double lambda = 1e-22; lambda < 1e10; lambda *= 1e4) {
        jn_trajectory *T = NULL;
        double rms = 0;
        jn_fit_options o = jn_fit_options_default();
        jn_fit_report report = {.rms = &rms};
        /* some periods */
        if (w * t[counts[n] - 1] < 12) continue;
        o.lambda = lambda;
        for (int i = 0; i < counts[n]; i++) q[i] = sin(w * t[i]);
        if (jn_trajectory_fit(model, counts[n], t, q, &o, &report, NULL, &T, NULL)) {
          refused++;
          continue;
        }
        check_residual("rms of a sine that was followed", rms, 0.05);
        followed++;
        jn_trajectory_free(T);
      }
  print_message("%d refused, %d followed\n", refused, followed);
  assert_true(refused > 100 && followed > 100);
  jn_model_free(model);
}

/* White noise that a lambda removes is no fault, in few samples and in many. */
static void a_lambda_that_removes_noise_is_accepted(void **state) {
  (void)state;
  enum { N = 1001, SEEDS = 40 };
  jn_model *model = pendulum_model();
  static double t[N], q[N];
  const int counts[] = {8, 16, 24, 40, 100, N};
  for (int i = 0; i < N; i++) t[i] = 0.01 * i;
  for (size_t n = 0; n < COUNT(counts); n++)
    for (int seed = 0; seed < SEEDS; seed++)
      for (double size = 1e-4; size < 0.2; size *= 10) {
        rng r = rng_new((uint64_t)seed + 1);
        jn_fit_options o = jn_fit_options_default();
        o.lambda = 1e-4;
        for (int i = 0; i < counts[n]; i++) q[i] = 0.3 + 0.1 * t[i] + size * rng_normal(&r);
        jn_trajectory_free(fit(model, counts[n], t, q, &o, NULL));
      }
  jn_model_free(model);
}

/* Clusters of samples 1e-7 s apart, a second between them: the spline through all of them swings to a
 * thousand times their range. One of degree 3 does not. */
static void splines_that_swing_between_the_samples_are_refused(void **state) {
  (void)state;
  enum { N = 24 };
  jn_model *model = pendulum_model();
  double t[N], q[N];
  for (int i = 0; i < N; i++) t[i] = i / 4 + 1e-7 * (i % 4), q[i] = sin(t[i]);
  jn_fit_options o = jn_fit_options_default();
  jn_trajectory *T = NULL;
  jn_error error = {0};
  o.tolerance = 0;
  assert_status(jn_trajectory_fit(model, N, t, q, &o, NULL, NULL, &T, &error), JN_ERR_FIT);
  assert_null(T);
  if (!strstr(error.message, "the spline swings from") || !strstr(error.message, "lower degree"))
    fail_msg("%s", error.message);
  o.force = 1;
  jn_trajectory_free(fit(model, N, t, q, &o, NULL));
  o.force = 0, o.degree = 3;
  jn_trajectory_free(fit(model, N, t, q, &o, NULL));
  jn_model_free(model);
}

/* With all pieces and no penalty every sample is met. */
static void tolerance_zero_interpolates(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  rng r = rng_new(2);
  for (int degree = 1; degree <= 9; degree++) {
    double t[50], q[50], max;
    jn_fit_options o = jn_fit_options_default();
    jn_fit_report report = {.rms = NULL, .max = &max, .lambda = NULL};
    o.degree = degree, o.tolerance = 0;
    for (int i = 0; i < 50; i++) {
      t[i] = i ? t[i - 1] + rng_range(&r, 0.05, 0.1) : -1;
      q[i] = rng_range(&r, -1, 1);
    }
    jn_trajectory_free(fit(model, 50, t, q, &o, &report));
    check_residual("samples met", max, 1e-10);
  }
  jn_model_free(model);
}

typedef struct penalty {
  const jn_trajectory *a, *b;
  int m;
} penalty;

/* integral of a^(m) b^(m) over the pieces of a */
static double bending(const penalty *p) {
  static const double x[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                              0.9061798459386640};
  static const double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                              0.4786286704993665, 0.2369268850561891};
  double sum = 0, t = jn_trajectory_start(p->a);
  for (double next; (next = jn_trajectory_next_break(p->a, t)) < HUGE_VAL; t = next)
    for (int i = 0; i < 5; i++) {
      double u[8], v[8], at = 0.5 * (t + next) + 0.5 * (next - t) * x[i];
      assert_ok(jn_trajectory_at(p->a, at, p->m - 2, JN_BODY, NULL, u));
      assert_ok(jn_trajectory_at(p->b, at, p->m - 2, JN_BODY, NULL, v));
      sum += 0.5 * (next - t) * w[i] * u[p->m - 1] * v[p->m - 1];
    }
  return sum;
}

/* The minimum of sum (y - x)^2 + lambda integral x^(m)^2: the first variation in the direction of
 * any other spline of the same pieces is zero. The other is a fit of other numbers. */
static void the_fit_is_the_minimum(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  rng r = rng_new(3);
  for (int degree = 3; degree <= 7; degree++)
    for (int power = -6; power <= 0; power += 2) {
      enum { N = 80 };
      double t[N], q[N], other[N], x, d, sum = 0, a = 0, b = 0, lambda = pow(10, power);
      jn_fit_options o = jn_fit_options_default();
      o.degree = degree, o.lambda = lambda, o.pieces = 20;
      o.force = 1; /* a large lambda smooths the motion away */
      for (int i = 0; i < N; i++) {
        t[i] = i ? t[i - 1] + rng_range(&r, 0.02, 0.06) : 0;
        q[i] = sin(2 * t[i]) + 0.1 * rng_normal(&r);
        other[i] = rng_range(&r, -1, 1);
      }
      penalty p = {fit(model, N, t, q, &o, NULL), NULL, (degree + 1) / 2};
      o.lambda = 1e-9;
      p.b = fit(model, N, t, other, &o, NULL);
      for (int i = 0; i < N; i++) {
        assert_ok(jn_trajectory_at(p.a, t[i], -1, JN_BODY, &x, NULL));
        assert_ok(jn_trajectory_at(p.b, t[i], -1, JN_BODY, &d, NULL));
        sum += (x - q[i]) * d, a += (x - q[i]) * (x - q[i]), b += d * d;
      }
      const penalty aa = {p.a, p.a, p.m}, bb = {p.b, p.b, p.m};
      double bend = lambda * bending(&p), scale = lambda * sqrt(bending(&aa) * bending(&bb));
      check_residual("first variation of the fit", fabs(sum + bend) / (scale + sqrt(a * b)), 1e-8);
      /* planted fault: without the penalty it is not zero */
      if (power == 0) assert_true(fabs(sum) / sqrt(a * b) > 1e-4);
      jn_trajectory_free((jn_trajectory *)p.a), jn_trajectory_free((jn_trajectory *)p.b);
    }
  jn_model_free(model);
}

/* The rms residual equals the tolerance, and the report equals the residuals. */
static void tolerance_is_met(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  rng r = rng_new(4);
  double t[300], q[300], rms, max, x;
  for (int i = 0; i < 300; i++) {
    t[i] = 0.01 * i;
    q[i] = cos(3 * t[i]) + 0.02 * rng_normal(&r);
  }
  for (double tolerance = 0.01; tolerance < 0.3; tolerance *= 2) {
    jn_fit_options o = jn_fit_options_default();
    jn_fit_report report = {.rms = &rms, .max = &max, .lambda = NULL};
    double sum = 0, most = 0;
    o.tolerance = tolerance;
    jn_trajectory *T = fit(model, 300, t, q, &o, &report);
    for (int i = 0; i < 300; i++) {
      assert_ok(jn_trajectory_at(T, t[i], -1, JN_BODY, &x, NULL));
      sum += (x - q[i]) * (x - q[i]), most = worse(most, fabs(x - q[i]));
    }
    check_residual("rms of the tolerance", fabs(rms / tolerance - 1), 1e-6);
    check_residual("rms reported", fabs(sqrt(sum / 300) / rms - 1), 1e-12);
    check_residual("max reported", fabs(most / max - 1), 1e-12);
    jn_trajectory_free(T);
  }
  jn_model_free(model);
}

/* The residuals reported are those of all samples, with a given lambda and without. */
static void residuals_count_every_sample(void **state) {
  (void)state;
  enum { N = 20000 };
  jn_model *model = pendulum_model();
  rng r = rng_new(6);
  double *t = doubles(N), *q = doubles(N), rms, max, x;
  for (int i = 0; i < N; i++) {
    t[i] = 0.005 * i;
    q[i] = cos(t[i]) + 1e-4 * rng_normal(&r);
  }
  for (int given = 0; given < 2; given++) {
    jn_fit_options o = jn_fit_options_default();
    jn_fit_report report = {.rms = &rms, .max = &max, .lambda = NULL};
    double sum = 0, most = 0;
    if (given) o.lambda = 1e-6;
    o.keep_outliers = 1;
    jn_trajectory *T = fit(model, N, t, q, &o, &report);
    for (int i = 0; i < N; i++) {
      assert_ok(jn_trajectory_at(T, t[i], -1, JN_BODY, &x, NULL));
      sum += (x - q[i]) * (x - q[i]), most = worse(most, fabs(x - q[i]));
    }
    check_residual("rms of many samples", fabs(sqrt(sum / N) / rms - 1), 1e-9);
    check_residual("max of many samples", fabs(most / max - 1), 1e-9);
    jn_trajectory_free(T);
  }
  free(t), free(q);
  jn_model_free(model);
}

/* Noise of 1 mrad at 200 Hz: cross validation finds its size, and the derivatives are accurate;
 * differences would give accelerations off by 80 rad/s^2. */
static void cross_validation_finds_the_noise(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  enum { N = 801 };
  double *t = doubles(N), *q = doubles(N), rms, v[4];
  for (uint64_t seed = 1; seed <= 4; seed++) {
    rng r = rng_new(seed);
    jn_fit_report report = {.rms = &rms, .max = NULL, .lambda = NULL};
    for (int i = 0; i < N; i++) {
      t[i] = 0.005 * i;
      q[i] = sin(2 * t[i]) + 0.3 * cos(5 * t[i]) + 1e-3 * rng_normal(&r);
    }
    jn_trajectory *T = fit(model, N, t, q, NULL, &report);
    check_residual("noise found", fabs(rms / 1e-3 - 1), 0.1);
    double worst[3] = {0};
    for (int i = 80; i < N - 80; i += 5) {
      double w = 2 * t[i], u = 5 * t[i];
      assert_ok(jn_trajectory_at(T, t[i], 1, JN_BODY, NULL, v));
      worst[0] = worse(worst[0], fabs(v[0] - (2 * cos(w) - 1.5 * sin(u))));
      worst[1] = worse(worst[1], fabs(v[1] - (-4 * sin(w) - 7.5 * cos(u))));
      worst[2] = worse(worst[2], fabs(v[2] - (-8 * cos(w) + 37.5 * sin(u))));
    }
    check_residual("velocity from noisy samples", worst[0], 0.02);
    check_residual("acceleration from noisy samples", worst[1], 0.4);
    check_residual("jerk from noisy samples", worst[2], 10);
    jn_trajectory_free(T);
  }
  free(t), free(q);
  jn_model_free(model);
}

/* Noise of 1e-3 in quaternions, a few of which are far off: they are left out, two at an end refused. */
static void outliers_of_a_rotation_are_left_out(void **state) {
  (void)state;
  enum { N = 500 };
  jn_spec *spec;
  jn_model *model;
  jn_link_desc link = jn_link_default("ball");
  jn_joint_desc joint = jn_joint_default("j", JN_JOINT_SPHERICAL, NULL, "ball");
  link.mass = 1, link.inertia = jn_m3_identity();
  assert_ok(jn_spec_new("r", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &link));
  assert_ok(jn_spec_add_joint(spec, &joint));
  assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
  const int nq = jn_model_nq(model), at = nq - 4;
  double *t = doubles(N), *q = doubles((size_t)(N * nq)), found[12] = {0}, x[12];
  for (int bad = 0; bad < 3; bad++) {
    rng r = rng_new(8);
    jn_trajectory *T = NULL;
    jn_fit_report report = {.outliers = found};
    jn_error error = {0};
    for (int i = 0; i < N; i++) {
      double *y = q + i * nq + at, size = 0;
      const double angle = 0.4 * sin(0.02 * i);
      const int off = bad == 1 ? i == 99 || i == 300 || i == 420 : bad == 2 && i >= N - 2;
      t[i] = 0.01 * i;
      for (int k = 0; k < 4; k++) {
        y[k] = (k == 0 ? cos(angle / 2) : k == 1 ? sin(angle / 2) : 0) + 1e-3 * rng_normal(&r);
        y[k] += off * (k % 2 ? -0.3 : 0.2);
        size += y[k] * y[k];
      }
      for (int k = 0; k < 4; k++) y[k] /= sqrt(size);
    }
    const jn_status status = jn_trajectory_fit(model, N, t, q, NULL, &report, NULL, &T, &error);
    assert_status(status, bad == 2 ? JN_ERR_FIT : JN_OK);
    if (bad == 2) continue;
    assert_true(found[at] == (bad ? 3 : 0));
    for (int i = 20; i < N - 20; i++) {
      assert_ok(jn_trajectory_at(T, t[i], -1, JN_BODY, x, NULL));
      check_residual("rotation with outliers", fabs(x[at + 1] - sin(0.2 * sin(0.02 * i))), 1e-3);
    }
    jn_trajectory_free(T);
  }
  free(t), free(q);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* Samples of a smooth motion of every kind of joint: the jets of the fit converge to those of the
 * motion as the samples become denser. */
static void fits_on_the_group_converge(void **state) {
  (void)state;
  jn_spec *spec = random_spec(3, 5, JN_JOINT_FREE, TYPES_ALL & ~TYPE(FIXED));
  jn_model *model = build(spec);
  motion *m = motion_new(model, 3, 1.5);
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double error[2][4];
  for (int dense = 0; dense < 2; dense++) {
    int count = dense ? 41 : 21;
    double *t = doubles((size_t)count), *q = doubles((size_t)count * nq), *v = doubles(5 * nv),
           *u = doubles(5 * nv), *p = doubles(nq);
    jn_fit_options o = jn_fit_options_default();
    o.degree = 9, o.tolerance = 0;
    for (int i = 0; i < count; i++) {
      t[i] = 3.0 * i / (count - 1);
      motion_state(m, t[i], JN_BODY, 1, q + (size_t)i * nq, v);
      /* a recording may change the sign of a quaternion */
      if (i % 3 == 0)
        for (int k = 0; k < 4; k++) q[(size_t)i * nq + (size_t)k] *= -1;
    }
    jn_trajectory *T = fit(model, count, t, q, &o, NULL);
    for (int k = 0; k < 4; k++) error[dense][k] = 0;
    for (int i = 0; i <= 50; i++) {
      double at = 0.5 + 2.0 * i / 50;
      motion_state(m, at, JN_SPATIAL, 5, p, v);
      assert_ok(jn_trajectory_at(T, at, 3, JN_SPATIAL, NULL, u));
      for (size_t k = 0; k < 4; k++)
        error[dense][k] = worse(error[dense][k], largest_difference(u + k * nv, v + k * nv, nv));
    }
    jn_trajectory_free(T);
    free(t), free(q), free(v), free(u), free(p);
  }
  static const char *const names[4] = {"v of a recorded motion", "v'", "v''", "v^(3)"};
  static const double bound[4] = {1e-6, 1e-5, 1e-4, 1e-2};
  for (int k = 0; k < 4; k++) {
    check_residual(names[k], error[1][k], bound[k]);
    /* x^(k+1) of degree 9: order 9 - k in the step */
    if (k > 0) assert_true(log2(error[0][k] / error[1][k]) > 7 - k);
  }
  motion_free(m);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* Units of time that are none; a report of which nothing is wanted. */
static void units_of_time_are_positive_and_reports_may_be_empty(void **state) {
  (void)state;
  const double bad[] = {-1, HUGE_VAL, (double)NAN};
  double t[40], q[40];
  jn_model *model = NULL;
  jn_error e = {0};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &model, &e));
  for (int i = 0; i < 40; i++) t[i] = 0.1 * i, q[i] = sin(t[i]);
  for (size_t i = 0; i < COUNT(bad); i++) {
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T = NULL;
    o.time_unit = bad[i];
    assert_status(jn_trajectory_fit(model, 40, t, q, &o, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
    assert_non_null(strstr(e.message, "time_unit"));
    assert_null(T);
  }
  const jn_fit_report none = {0};
  for (int kind = 0; kind < 3; kind++) {
    jn_fit_options o = jn_fit_options_default();
    jn_trajectory *T[2] = {NULL, NULL};
    double x[2];
    if (kind == 1) o.tolerance = 1e-3;
    if (kind == 2) o.lambda = 1e-9, o.degree = 5;
    o.force = 1;
    assert_ok(jn_trajectory_fit(model, 40, t, q, &o, &none, NULL, &T[0], &e));
    assert_ok(jn_trajectory_fit(model, 40, t, q, &o, NULL, NULL, &T[1], &e));
    for (int i = 0; i < 2; i++) {
      assert_ok(jn_trajectory_at(T[i], 1.23, -1, JN_BODY, &x[i], NULL));
      jn_trajectory_free(T[i]);
    }
    assert_true(x[0] == x[1]);
    check_residual("a sine from an empty report", fabs(x[0] - sin(1.23)), 2e-3);
  }
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_below_the_penalty_come_back),
      cmocka_unit_test(a_lambda_that_smooths_the_motion_away_is_refused),
      cmocka_unit_test(a_lambda_follows_a_sine_or_is_refused),
      cmocka_unit_test(a_lambda_that_removes_noise_is_accepted),
      cmocka_unit_test(splines_that_swing_between_the_samples_are_refused),
      cmocka_unit_test(tolerance_zero_interpolates),
      cmocka_unit_test(the_fit_is_the_minimum),
      cmocka_unit_test(tolerance_is_met),
      cmocka_unit_test(residuals_count_every_sample),
      cmocka_unit_test(cross_validation_finds_the_noise),
      cmocka_unit_test(outliers_of_a_rotation_are_left_out),
      cmocka_unit_test(fits_on_the_group_converge),
      cmocka_unit_test(units_of_time_are_positive_and_reports_may_be_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
