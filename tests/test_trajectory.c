/* test_trajectory.c: trajectories: slopes, continuity, minimality, rotations, memory, refusals.
 * Closed forms: test_trajectory_forms.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

enum { TOP = 9 }; /* highest order asked for */

static jn_model *random_model(uint64_t seed) {
  check_seed(seed);
  const unsigned types = seed % 3 ? TYPES_ALL & ~TYPE(FIXED) : TYPE(SPHERICAL) | TYPE(PRISMATIC);
  jn_spec *spec = random_spec(seed, 6, seed % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, types);
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

/* Random configurations, each within `step` of the one before. */
static double *waypoints(const jn_model *model, uint64_t seed, int count, double step) {
  rng r = rng_new(seed);
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *q = doubles(nq * (size_t)count), *dq = doubles(nv);
  jn_model_home(model, q);
  for (int i = 0; i < count; i++) {
    for (size_t k = 0; k < nv; k++) dq[k] = rng_range(&r, -step, step);
    assert_ok(jn_integrate(model, q + (i ? (size_t)(i - 1) * nq : 0), dq, q + (size_t)i * nq));
  }
  free(dq);
  return q;
}

static double *rising(uint64_t seed, int count) {
  rng r = rng_new(seed);
  double *t = doubles((size_t)count);
  for (int i = 0; i < count; i++) t[i] = i ? t[i - 1] + rng_range(&r, 0.3, 1.5) : -0.7;
  return t;
}

/* All sources on one model. */
enum { POLYNOMIAL, FOURIER, HALF_COSINE, BSPLINE, MINIMUM, FIT, SOURCES };
static const char *const source_names[SOURCES] = {"polynomial", "Fourier", "half-cosine",
                                                  "B-spline",   "minimum", "fit"};

static jn_trajectory *source(const jn_model *model, int kind, uint64_t seed) {
  enum { COUNT_POINTS = 12 };
  jn_trajectory *T = NULL;
  jn_error error = {0};
  size_t nv = (size_t)jn_model_nv(model);
  rng r = rng_new(seed + 99);
  double *c = doubles(16 * nv), *q = waypoints(model, seed, COUNT_POINTS, 0.8),
         *t = rising(seed, COUNT_POINTS), knots[COUNT_POINTS + 8];
  for (size_t i = 0; i < 16 * nv; i++) c[i] = rng_range(&r, -1, 1);
  jn_status status = JN_ERR_ARGUMENT;
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = 0.05;
  o.degree = 5;
  if (kind == POLYNOMIAL)
    status = jn_trajectory_polynomial(model, 0.5, 1.5, 5, c, NULL, &T, &error);
  if (kind == FOURIER)
    status = jn_trajectory_fourier(model, 0, 4, 3, 1.3, c, c + 8 * nv, NULL, &T, &error);
  if (kind == HALF_COSINE)
    status = jn_trajectory_half_cosine(model, COUNT_POINTS, t, q, NULL, &T, &error);
  if (kind == BSPLINE) {
    assert_ok(jn_bspline_knots(0, 6, 6, COUNT_POINTS, knots));
    status = jn_trajectory_bspline(model, 6, COUNT_POINTS, knots, q, NULL, &T, &error);
  }
  if (kind == MINIMUM)
    status = jn_trajectory_minimum(model, 4, COUNT_POINTS, t, q, NULL, NULL, &T, &error);
  if (kind == FIT)
    status = jn_trajectory_fit(model, COUNT_POINTS, t, q, &o, NULL, NULL, &T, &error);
  if (status) fail_msg("%s: %s", source_names[kind], error.message);
  free(c);
  free(q);
  free(t);
  return T;
}

/* v(t + h) from the jet at t: halving h divides the error by 2^(K+1). And the pose: from the jet of
 * its twist. */
static void jets_predict_the_neighbourhood(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    jn_model *model = random_model(seed);
    size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
    double *q = doubles(nq), *v = doubles((TOP + 2) * nv), *x = doubles((TOP + 2) * nv),
           *want = doubles(2 * nv), *got = doubles(nv), *qh = doubles(nq);
    for (int kind = 0; kind < SOURCES; kind++) {
      jn_trajectory *T = source(model, kind, seed);
      double t = jn_trajectory_start(T) + 0.37 * (jn_trajectory_end(T) - jn_trajectory_start(T));
      double next = jn_trajectory_next_break(T, t), error[2];
      for (int K = 3; K <= TOP; K++) {
        double h = fmin(0.1, 0.5 * (next - t));
        for (int half = 0; half < 2; half++, h /= 2) {
          assert_ok(jn_trajectory_at(T, t, K - 1, JN_BODY, q, v));
          assert_ok(jn_trajectory_at(T, t + h, -1, JN_BODY, qh, want));
          memcpy(x, v, sizeof *x * (size_t)(K + 1) * nv);
          jn_jet_to_taylor(K, (int)nv, x);
          jn_jet_eval(K, (int)nv, x, h, got);
          error[half] = largest_difference(got, want, nv) / fmax(1, largest(v, nv));
        }
        /* near rounding the slope has no meaning */
        if (error[0] < 1e-11) continue;
        char name[64];
        snprintf(name, sizeof name, "slope of v, %s", source_names[kind]);
        check_residual(name, fabs(log2(error[0] / error[1]) - (K + 1)), 0.9);
      }
      jn_trajectory_free(T);
    }
    free(q), free(v), free(x), free(want), free(got), free(qh);
    jn_model_free(model);
  }
}

/* v is the derivative of q: the jet of the twist moves q(t) to q(t + h). */
static void configurations_follow_their_velocities(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    jn_model *model = random_model(seed);
    size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
    double *q = doubles(nq), *v = doubles((TOP + 2) * nv), *qh = doubles(nq), *dq = doubles(nv);
    for (int kind = 0; kind < SOURCES; kind++) {
      jn_trajectory *T = source(model, kind, seed);
      double t = jn_trajectory_start(T) + 0.61 * (jn_trajectory_end(T) - jn_trajectory_start(T));
      const double h = fmin(1e-2, 0.5 * (jn_trajectory_next_break(T, t) - t));
      assert_ok(jn_trajectory_at(T, t, TOP, JN_BODY, q, v));
      assert_ok(jn_trajectory_at(T, t + h, -1, JN_BODY, qh, NULL));
      double scale = fmax(1, largest(v, nv)), worst = 0;
      jn_jet_to_taylor(TOP + 1, (int)nv, v);
      for (int i = 0; i < jn_model_body_count(model); i++) {
        const jn_joint *j = jn_model_joint(model, i);
        if (j->nq == j->nv) {
          for (int c = 0; c < j->nv; c++) {
            double x = q[j->iq + c];
            for (int k = 0; k <= TOP + 1; k++)
              x += v[(size_t)k * nv + (size_t)(j->iv + c)] * pow(h, k + 1) / (k + 1);
            worst = worse(worst, fabs(x - qh[j->iq + c]));
          }
          continue;
        }
        double V[(TOP + 2) * 6] = {0}, R[(TOP + 3) * 9], p[(TOP + 3) * 3], Rh[9], ph[3];
        for (int k = 0; k <= TOP + 1; k++)
          memcpy(V + 6 * k, v + (size_t)k * nv + j->iv, sizeof *V * (size_t)j->nv);
        const double *a = q + j->iq, *b = qh + j->iq;
        jn_pose C = jn_pose_make(jn_quat_to_m3(jn_quat_make(a[0], a[1], a[2], a[3])),
                                 j->nv == 6 ? jn_v3(a[4], a[5], a[6]) : jn_v3(0, 0, 0));
        jn_jet_pose_from_twist(TOP + 1, JN_BODY, C, V, R, p);
        jn_jet_eval(TOP + 2, 9, R, h, Rh);
        jn_jet_eval(TOP + 2, 3, p, h, ph);
        jn_mat3 want = jn_quat_to_m3(jn_quat_make(b[0], b[1], b[2], b[3]));
        worst = worse(worst, largest_difference(Rh, &want.m[0][0], 9));
        if (j->nv == 6) worst = worse(worst, largest_difference(ph, b + 4, 3));
      }
      check_residual("q(t + h) from the jet of v", worst / scale, 1e-13);
      jn_trajectory_free(T);
    }
    free(q), free(v), free(qh), free(dq);
    jn_model_free(model);
  }
}

static void representations_agree(void **state) {
  (void)state;
  jn_model *model = random_model(3);
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *q = doubles(nq), *v = doubles(6 * nv), *u = doubles(6 * nv);
  jn_trajectory *T = source(model, BSPLINE, 3);
  assert_int_equal(jn_model_joint(model, 0)->type, JN_JOINT_FREE);
  for (jn_representation rep = JN_SPATIAL; rep <= JN_MIXED; rep++) {
    double V[36], W[36], R[63], p[21];
    assert_ok(jn_trajectory_at(T, 1.1, 4, JN_BODY, q, v));
    assert_ok(jn_trajectory_at(T, 1.1, 4, rep, q, u));
    for (int k = 0; k < 6; k++) memcpy(V + 6 * k, v + (size_t)k * nv, sizeof *V * 6);
    jn_jet_to_taylor(5, 6, V);
    jn_pose C =
        jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
    jn_jet_convert_twist(5, JN_BODY, rep, C, V, R, p, W);
    jn_jet_to_derivatives(5, 6, W);
    for (int k = 0; k < 6; k++)
      check_residual(
          "twists of every representation",
          largest_difference(W + 6 * k, u + (size_t)k * nv, 6) / (1 + largest(W + 6 * k, 6)),
          1e-13);
  }
  jn_trajectory_free(T);
  free(q), free(v), free(u);
  jn_model_free(model);
}

/* The largest v^(k) of the motion. */
static double size_of(const jn_trajectory *T, size_t nv, int k) {
  double *v = doubles((size_t)(k + 1) * nv), size = 0, start = jn_trajectory_start(T);
  for (int i = 0; i <= 40; i++) {
    double t = start + (jn_trajectory_end(T) - start) * i / 40;
    assert_ok(jn_trajectory_at(T, t, k - 1, JN_BODY, NULL, v));
    size = fmax(size, largest(v + (size_t)k * nv, nv));
  }
  free(v);
  return size;
}

/* The jump of v^(k), relative to the largest. */
static double jump(const jn_trajectory *T, size_t nv, double t, int k) {
  double *left = doubles((size_t)(k + 1) * nv), *right = doubles((size_t)(k + 1) * nv);
  assert_ok(jn_trajectory_at(T, nextafter(t, -HUGE_VAL), k - 1, JN_BODY, NULL, left));
  assert_ok(jn_trajectory_at(T, t, k - 1, JN_BODY, NULL, right));
  double d = largest_difference(left + (size_t)k * nv, right + (size_t)k * nv, nv);
  free(left), free(right);
  return d / size_of(T, nv, k);
}

/* Minimum of the k-th derivative: 2k-2 derivatives of q are continuous, the next one jumps; a
 * B-spline of degree d has d-1. The same for rotations. */
static void derivatives_are_continuous_as_promised(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    jn_model *model = random_model(seed);
    size_t nv = (size_t)jn_model_nv(model);
    double *t = rising(seed, 7), *q = waypoints(model, seed, 7, 0.6), knots[20], *c;
    for (int k = 2; k <= 6; k++) {
      jn_trajectory *T;
      assert_ok(jn_trajectory_minimum(model, k, 7, t, q, NULL, NULL, &T, NULL));
      double most = 0;
      for (int i = 1; i < 6; i++) {
        assert_true(jn_trajectory_next_break(T, t[i - 1]) == t[i]);
        /* v^(m) = x^(m+1) */
        for (int m = 0; m + 1 <= 2 * k - 2; m++)
          check_residual("jump of a minimum's continuous derivatives", jump(T, nv, t[i], m), 2e-10);
        most = worse(most, jump(T, nv, t[i], 2 * k - 2));
      }
      assert_true(most > 1e-6);
      jn_trajectory_free(T);
    }
    for (int d = 2; d <= 8; d++) {
      jn_trajectory *T;
      c = waypoints(model, seed, 11, 0.5);
      assert_ok(jn_bspline_knots(0, 3, d, 11, knots));
      assert_ok(jn_trajectory_bspline(model, d, 11, knots, c, NULL, &T, NULL));
      double at = jn_trajectory_next_break(T, 0);
      for (int m = 0; m + 1 <= d - 1; m++)
        check_residual("jump of a B-spline's continuous derivatives", jump(T, nv, at, m), 1e-10);
      assert_true(jump(T, nv, at, d - 1) > 1e-6);
      jn_trajectory_free(T);
      free(c);
    }
    free(t), free(q);
    jn_model_free(model);
  }
}

/* Integral of f over [a, b], 3-point Gauss quadrature on 200 parts. */
static double integral(double (*f)(void *, double), void *context, double a, double b) {
  static const double x[3] = {-0.7745966692414834, 0, 0.7745966692414834},
                      w[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  double sum = 0, h = (b - a) / 200;
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 3; j++) sum += 0.5 * h * w[j] * f(context, a + h * (i + 0.5 + 0.5 * x[j]));
  return sum;
}

typedef struct variation {
  const jn_trajectory *T;
  int k, roots;
  double root[64];
  int which; /* 0: x^(k) d^(k), 1: x^(k)^2, 2: d^(k)^2 */
} variation;

/* d = prod (t - root): its k-th derivative by jets */
static double product(void *context, double t) {
  const variation *w = context;
  double jet[20] = {1}, v[20];
  for (int i = 0; i < w->roots; i++)
    for (int k = 19; k >= 0; k--) jet[k] = jet[k] * (t - w->root[i]) + (k ? jet[k - 1] : 0);
  double d = jn_jet_derivative(w->k, jet[w->k]);
  if (w->which == 2) return d * d;
  assert_ok(jn_trajectory_at(w->T, t, w->k - 2, JN_BODY, NULL, v));
  return v[w->k - 1] * (w->which ? v[w->k - 1] : d);
}

/* No other curve through the waypoints has a lower cost: the cost of x + e d is that of x plus
 * e^2 times that of d, for every d that is zero at the waypoints and, with k-1 derivatives, at
 * the ends. */
static void minima_are_minima(void **state) {
  (void)state;
  jn_model *model = pendulum_model();
  for (int k = 1; k <= 6; k++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      double *t = rising(seed, 6), *x = doubles(6), v[6 * 5];
      rng r = rng_new(seed);
      variation w = {.k = k};
      for (int i = 0; i < 6; i++) x[i] = rng_range(&r, -1, 1);
      for (int i = 0; i < 30; i++) v[i] = NAN;
      for (int i = 0; i < k - 1; i++) {
        v[i] = rng_range(&r, -1, 1);
        v[5 * (k - 1) + i] = rng_range(&r, -1, 1);
      }
      jn_trajectory *T;
      assert_ok(jn_trajectory_minimum(model, k, 6, t, x, v, NULL, &T, NULL));
      w.T = T;
      for (int i = 0; i < 6; i++)
        for (int m = 0; m < (i == 0 || i == 5 ? k : 1); m++) w.root[w.roots++] = t[i];
      double cross = 0, cost = 0, other = 0;
      for (int i = 0; i < 5; i++) {
        w.which = 0, cross += integral(product, &w, t[i], t[i + 1]);
        w.which = 1, cost += integral(product, &w, t[i], t[i + 1]);
        w.which = 2, other += integral(product, &w, t[i], t[i + 1]);
      }
      check_residual("first variation of the cost", fabs(cross) / sqrt(cost * other), 1e-9);
      /* prescribed derivatives are met */
      double got[8];
      for (int end = 0; end < 2; end++) {
        assert_ok(jn_trajectory_at(T, t[end * 5], k, JN_BODY, NULL, got));
        for (int i = 0; i < k - 1; i++)
          check_residual("prescribed derivatives",
                         fabs(got[i] - v[end * 5 * (k - 1) + i]) / size_of(T, 1, i), 1e-11);
      }
      jn_trajectory_free(T);
      free(t), free(x);
    }
  jn_model_free(model);
}

/* A rotation passes through every waypoint; about one axis it equals the plain coordinate; rotated
 * waypoints give a rotated motion; prescribed twists at the ends are met. */
static void rotations_meet_their_waypoints(void **state) {
  (void)state;
  jn_spec *spec = random_spec(8, 1, JN_JOINT_FREE, TYPE(FREE));
  jn_model *model = build(spec), *plain = pendulum_model();
  jn_spec_free(spec);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    enum { N = 6, K = 4, ROWS = K - 1 };
    rng r = rng_new(seed);
    double *t = rising(seed, N), *q = waypoints(model, seed, N, 1.2), v[N * ROWS * 6], got[7],
           twist[(K + 1) * 6], turned[N * 7], angles[N], about[N * 7] = {0};
    jn_trajectory *T, *S;
    for (int i = 0; i < N * ROWS * 6; i++) v[i] = NAN;
    for (int i = 0; i < ROWS * 6; i++) {
      v[i] = rng_range(&r, -1, 1);
      v[(N - 1) * ROWS * 6 + i] = rng_range(&r, -1, 1);
    }
    assert_ok(jn_trajectory_minimum(model, K, N, t, q, v, NULL, &T, NULL));
    for (int i = 0; i < N; i++) {
      assert_ok(jn_trajectory_at(T, t[i], -1, JN_MIXED, got, NULL));
      double dot = 0, *w = q + 7 * i;
      for (int k = 0; k < 4; k++) dot += got[k] * w[k];
      for (int k = 0; k < 4; k++) got[k] *= dot < 0 ? -1 : 1;
      check_residual("waypoints on SE(3)", largest_difference(got, w, 7), 1e-12);
    }
    for (int end = 0; end < 2; end++) {
      assert_ok(jn_trajectory_at(T, t[end * (N - 1)], K - 1, JN_MIXED, NULL, twist));
      check_residual("prescribed twists",
                     largest_difference(twist, v + end * (N - 1) * ROWS * 6, ROWS * 6) /
                         (1 + largest(twist, (K + 1) * 6)),
                     1e-11);
    }
    /* from the left: A R_i; body velocities are unchanged */
    jn_mat3 A = rng_rotation(&r);
    jn_quat a = jn_quat_from_m3(A);
    memcpy(turned, q, sizeof turned);
    for (int i = 0; i < N; i++) {
      double *w = turned + 7 * i;
      jn_quat b = jn_quat_mul(a, jn_quat_make(w[0], w[1], w[2], w[3]));
      w[0] = b.w, w[1] = b.x, w[2] = b.y, w[3] = b.z;
    }
    assert_ok(jn_trajectory_minimum(model, K, N, t, turned, v, NULL, &S, NULL));
    for (int i = 0; i <= 20; i++) {
      double at = t[0] + (t[N - 1] - t[0]) * i / 20, other[(K + 1) * 6];
      assert_ok(jn_trajectory_at(T, at, K - 1, JN_MIXED, NULL, twist));
      assert_ok(jn_trajectory_at(S, at, K - 1, JN_MIXED, NULL, other));
      check_residual("turned waypoints", row_error(K + 1, 6, twist, other, NULL), 1e-10);
    }
    jn_trajectory_free(T), jn_trajectory_free(S);
    /* one axis: w = angle' axis */
    jn_vec3 e = rng_direction(&r);
    for (int i = 0; i < N; i++) {
      angles[i] = rng_range(&r, -1.5, 1.5);
      jn_quat b = jn_quat_mul(a, jn_quat_exp(jn_v3_scale(angles[i], e)));
      double *w = about + 7 * i;
      w[0] = b.w, w[1] = b.x, w[2] = b.y, w[3] = b.z;
    }
    assert_ok(jn_trajectory_minimum(model, K, N, t, about, NULL, NULL, &T, NULL));
    assert_ok(jn_trajectory_minimum(plain, K, N, t, angles, NULL, NULL, &S, NULL));
    for (int i = 0; i <= 20; i++) {
      double at = t[0] + (t[N - 1] - t[0]) * i / 20, rate[K + 1];
      assert_ok(jn_trajectory_at(T, at, K - 1, JN_MIXED, NULL, twist));
      assert_ok(jn_trajectory_at(S, at, K - 1, JN_MIXED, NULL, rate));
      for (int k = 0; k <= K; k++) {
        double want[3] = {rate[k] * e.x, rate[k] * e.y, rate[k] * e.z};
        check_residual("about one axis",
                       largest_difference(twist + 6 * k, want, 3) / (1 + largest(rate, K + 1)),
                       1e-12);
      }
    }
    jn_trajectory_free(T), jn_trajectory_free(S);
    free(t), free(q);
  }
  jn_model_free(model), jn_model_free(plain);
}

static void slower_motions_have_derivatives_divided_by_powers(void **state) {
  (void)state;
  jn_model *model = random_model(5);
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double *q = doubles(nq), *v = doubles(8 * nv), *p = doubles(nq), *u = doubles(8 * nv);
  for (int kind = 0; kind < SOURCES; kind++) {
    const double s = 1.7;
    jn_trajectory *T = source(model, kind, 5), *S;
    assert_ok(jn_trajectory_scaled(T, s, NULL, &S));
    double start = jn_trajectory_start(T), range = jn_trajectory_end(T) - start;
    assert_true(jn_trajectory_start(S) == start);
    assert_true(fabs(jn_trajectory_end(S) - start - s * range) < 1e-14 * (1 + s * range));
    check_residual("breaks of a slower motion",
                   fabs((jn_trajectory_next_break(S, start) - start) -
                        s * (jn_trajectory_next_break(T, start) - start)),
                   1e-13);
    for (int i = 0; i <= 10; i++) {
      double x = range * (i + (i > 0 && i < 10 ? 0.123 : 0)) / 10;
      assert_ok(jn_trajectory_at(T, start + x, 6, JN_SPATIAL, q, v));
      assert_ok(jn_trajectory_at(S, start + s * x, 6, JN_SPATIAL, p, u));
      for (int k = 0; k < 8; k++)
        for (size_t j = 0; j < nv; j++) u[(size_t)k * nv + j] *= pow(s, k + 1);
      check_residual("q of a slower motion", largest_difference(p, q, nq), 1e-12);
      double more[8];
      for (int k = 0; k < 8; k++) more[k] = 1;
      check_residual("v of a slower motion", row_error(8, nv, u, v, more), 1e-9);
    }
    jn_trajectory_free(T), jn_trajectory_free(S);
  }
  free(q), free(v), free(p), free(u);
  jn_model_free(model);
}

/* Very high orders are finite, or refused. */
static void any_order(void **state) {
  (void)state;
  jn_model *model = random_model(1);
  size_t nv = (size_t)jn_model_nv(model);
  double *low = doubles(12 * nv), *high = doubles(1002 * nv);
  for (int kind = 0; kind < SOURCES; kind++) {
    jn_trajectory *T = source(model, kind, 1);
    double t = 0.7 * jn_trajectory_start(T) + 0.3 * jn_trajectory_end(T);
    assert_ok(jn_trajectory_at(T, t, 10, JN_SPATIAL, NULL, low));
    assert_ok(jn_trajectory_at(T, t, 60, JN_SPATIAL, NULL, high));
    assert_true(same_bits(low, high, 12 * nv));
    jn_status status = jn_trajectory_at(T, t, JN_MAX_ORDER, JN_SPATIAL, NULL, high);
    assert_true(status == JN_OK || status == JN_ERR_NOT_FINITE);
    assert_status(jn_trajectory_at(T, t, JN_MAX_ORDER + 1, JN_SPATIAL, NULL, high),
                  JN_ERR_ARGUMENT);
    jn_trajectory_free(T);
  }
  free(low), free(high);
  jn_model_free(model);
}

/* A failed request while building leaks nothing; evaluation allocates nothing. */
static void memory_is_returned(void **state) {
  (void)state;
  jn_model *model = random_model(7);
  double *t = rising(1, 9), *q = waypoints(model, 1, 9, 0.5);
  for (int kind = 0; kind < 3; kind++) {
    counter c;
    jn_allocator hooks = counting(&c);
    for (long fail = 1;; fail++) {
      jn_trajectory *T = NULL, *S = NULL;
      jn_error error;
      c.calls = 0, c.fail_at = fail;
      jn_fit_options o = jn_fit_options_default();
      if (kind == 1) o.lambda = 1e-6;
      if (kind == 2) o.force = 1;
      jn_status status = kind ? jn_trajectory_fit(model, 9, t, q, &o, NULL, &hooks, &T, &error)
                              : jn_trajectory_minimum(model, 3, 9, t, q, NULL, &hooks, &T, &error);
      if (!status) status = jn_trajectory_scaled(T, 2, &hooks, &S);
      if (status) {
        assert_status(status, JN_ERR_MEMORY);
        jn_trajectory_free(T);
        assert_int_equal(c.live, 0);
        continue;
      }
      long calls = c.calls;
      double *v = doubles((size_t)jn_model_nv(model) * 5);
      assert_ok(jn_trajectory_at(S, t[0], 3, JN_SPATIAL, NULL, v));
      assert_int_equal(c.calls, calls);
      free(v);
      jn_trajectory_free(T), jn_trajectory_free(S);
      assert_int_equal(c.live, 0);
      break;
    }
  }
  free(t), free(q);
  jn_model_free(model);
}

static void bad_sources_are_refused(void **state) {
  (void)state;
  jn_model *model = random_model(1), *plain = pendulum_model();
  jn_error e;
  jn_trajectory *T = NULL;
  double *q = waypoints(model, 1, 4, 0.5), t[4] = {0, 1, 1, 2}, x[4] = {0, 1, 2, 3};
  assert_status(jn_trajectory_minimum(plain, 3, 4, t, x, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "times must increase"));
  t[2] = 1.5;
  assert_status(jn_trajectory_minimum(plain, 0, 4, t, x, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  if (jn_trajectory_minimum(plain, 16, 4, x, x, NULL, NULL, &T, &e)) fail_msg("%s", e.message);
  jn_trajectory_free(T);
  T = NULL;
  assert_status(jn_trajectory_minimum(plain, 17, 4, t, x, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "from 1 to 16"));
  assert_status(jn_trajectory_minimum(plain, 3, 1, t, x, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_minimum(plain, 3, 4, NULL, x, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_minimum(NULL, 3, 4, t, x, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_bspline(plain, 4, 4, t, x, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_bspline(plain, 0, 4, t, x, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "from 1 to 31"));
  assert_status(jn_trajectory_fit(plain, 4, t, x, NULL, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "at least 8 samples"));
  jn_fit_options o = jn_fit_options_default();
  o.degree = 2, o.lambda = 1, o.tolerance = 1;
  assert_status(jn_trajectory_fit(plain, 4, t, x, &o, NULL, NULL, &T, &e), JN_ERR_ARGUMENT);
  o.lambda = NAN;
  assert_status(jn_trajectory_fit(plain, 4, t, x, &o, NULL, NULL, &T, &e), JN_ERR_NOT_FINITE);
  x[2] = HUGE_VAL;
  assert_status(jn_trajectory_half_cosine(plain, 4, t, x, NULL, &T, &e), JN_ERR_NOT_FINITE);
  assert_status(jn_trajectory_polynomial(plain, 0, 1, 3, x, NULL, &T, &e), JN_ERR_NOT_FINITE);
  x[2] = 2;
  assert_status(jn_trajectory_polynomial(plain, 1, 1, 3, x, NULL, &T, &e), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_polynomial(plain, 0, NAN, 3, x, NULL, &T, &e), JN_ERR_ARGUMENT);
  q[1] += 0.01;
  assert_status(jn_trajectory_minimum(model, 3, 4, t, q, NULL, NULL, &T, &e), JN_ERR_POSE);
  assert_null(T);
  assert_ok(jn_trajectory_minimum(plain, 3, 4, t, x, NULL, NULL, &T, &e));
  double v[4], c;
  assert_status(jn_trajectory_at(T, -0.1, 1, JN_BODY, &c, v), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_at(T, 2.1, 1, JN_BODY, &c, v), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_at(T, NAN, 1, JN_BODY, &c, v), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_at(T, 1, -2, JN_BODY, &c, v), JN_ERR_ARGUMENT);
  assert_ok(jn_trajectory_at(T, 2, 1, JN_BODY, NULL, NULL));
  jn_trajectory *S = NULL;
  assert_status(jn_trajectory_scaled(T, 0, NULL, &S), JN_ERR_ARGUMENT);
  assert_status(jn_trajectory_scaled(T, NAN, NULL, &S), JN_ERR_ARGUMENT);
  jn_trajectory_free(T);
  jn_trajectory_free(NULL);
  free(q);
  jn_model_free(model), jn_model_free(plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jets_predict_the_neighbourhood),
      cmocka_unit_test(configurations_follow_their_velocities),
      cmocka_unit_test(representations_agree),
      cmocka_unit_test(derivatives_are_continuous_as_promised),
      cmocka_unit_test(minima_are_minima),
      cmocka_unit_test(rotations_meet_their_waypoints),
      cmocka_unit_test(slower_motions_have_derivatives_divided_by_powers),
      cmocka_unit_test(any_order),
      cmocka_unit_test(memory_is_returned),
      cmocka_unit_test(bad_sources_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
