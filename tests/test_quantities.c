/* test_quantities.c: motion of a frame relative to another one and reactions in the joints, against
 * series of positions in 113 bits (tests/oracle), which share nothing with the recursions. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"
#include "helpers/tree.h"
#include "model/model.h"
#include "oracle/quad.h"
#include "oracle/sample.h"

enum { ORDER = 6, CASES = 24 };
static const jn_representation all[] = {JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED};
static const jn_joint_type bases[] = {JN_JOINT_FREE,      JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL, JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC, JN_JOINT_CYLINDRICAL};

typedef struct bench {
  robot r;
  rng random;
  quad_robot *exact;
  quad *q, *v, *want;
  jn_representation user;
} bench;

static bench bench_new(uint64_t seed, int order) {
  bench b = {.random = rng_new(seed), .user = all[seed % 4]};
  check_seed(seed);
  b.r = robot_random(seed, 2 + (int)(seed % 7), bases[seed % COUNT(bases)], TYPES_ALL, order);
  robot_represent(&b.r, b.user);
  jn_data_settings(b.r.data)->formulation = (jn_formulation)(seed / 3 % 4);
  b.exact = quad_robot_new(b.r.model, jn_data_settings(b.r.data)->gravity);
  b.q = to_quads(b.r.q, (size_t)b.r.nq);
  b.v = to_quads(b.r.v, b.r.n + (size_t)b.r.nv);
  b.want = quads(6 * ((size_t)order + 1));
  return b;
}
static void bench_free(bench *b) {
  quad_robot_free(b->exact);
  free(b->q), free(b->v), free(b->want);
  robot_free(&b->r);
}

/* any frame of the model, or the world */
static int any_frame(bench *b) {
  return rng_below(&b->random, jn_model_frame_count(b->r.model) + 1) - 1;
}
static jn_observer any_observer(bench *b) {
  jn_observer o = {any_frame(b), any_frame(b), any_frame(b)};
  if (rng_below(&b->random, 3) == 0) o.point = o.axes = o.reference;
  return o;
}

/* the largest error of row k, relative to the largest entry, and v^(j), of rows up to k times
 * (2 rate)^(k-j): what a frame that turns makes of them */
static double quad_error(const bench *b, int order, size_t n, const double *got, const quad *want) {
  double worst = 0, size = 0, rate = 1;
  const size_t nv = (size_t)b->r.nv;
  for (int k = 0; k <= order; k++)
    rate = fmax(rate, pow(largest(b->r.v + (size_t)k * nv, nv), 1.0 / (k + 1)));
  for (int k = 0; k <= order; k++) {
    double error = 0;
    size = fmax(2 * rate * size, largest(b->r.v + (size_t)k * nv, nv));
    for (size_t i = (size_t)k * n; i < ((size_t)k + 1) * n; i++) {
      size = fmax(size, fabs((double)want[i]));
      error = worse(error, fabs((double)((quad)got[i] - want[i])));
    }
    worst = worse(worst, size > 0 ? error / size : error);
  }
  return worst;
}

static void relative_twists_are_those_of_the_poses(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    bench b = bench_new(seed, ORDER);
    double *V = doubles(6 * (ORDER + 1));
    assert_ok(jn_kinematics(b.r.model, b.r.data, ORDER, b.r.q, b.r.v));
    for (int n = 0; n < 12; n++) {
      const int frame = rng_below(&b.random, jn_model_frame_count(b.r.model));
      const jn_observer o = any_observer(&b);
      const jn_representation rep = all[n % 4];
      assert_ok(jn_relative_twist(b.r.model, b.r.data, frame, rep, &o, ORDER, V));
      newton_quantity(b.r.model, b.exact, ORDER, b.user, b.q, b.v, NEWTON_TWIST, frame, rep, &o,
                      b.want);
      check_residual("relative twist", quad_error(&b, ORDER, 6, V, b.want), 1e-12);
    }
    free(V);
    bench_free(&b);
  }
}

static void relative_jacobians_times_velocities_are_twists(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    bench b = bench_new(seed, ORDER);
    const size_t nv = (size_t)b.r.nv;
    double *J = doubles(6 * (ORDER + 1) * nv), *v = copy_of(b.r.v, (ORDER + 1) * nv),
           *sum = doubles(6 * (ORDER + 1));
    jn_jet_to_taylor(ORDER, b.r.nv, v);
    assert_ok(jn_kinematics(b.r.model, b.r.data, ORDER - 1, b.r.q, b.r.v));
    for (int n = 0; n < 8; n++) {
      const int frame = rng_below(&b.random, jn_model_frame_count(b.r.model));
      const jn_observer o = any_observer(&b);
      const jn_representation rep = all[n % 4];
      assert_ok(jn_relative_jacobian(b.r.model, b.r.data, frame, rep, &o, ORDER, J));
      newton_quantity(b.r.model, b.exact, ORDER, b.user, b.q, b.v, NEWTON_TWIST, frame, rep, &o,
                      b.want);
      jn_jet_to_taylor(ORDER, (int)(6 * nv), J);
      fill(sum, 6 * (ORDER + 1), 0);
      jet_apply(ORDER, 6, nv, J, v, sum);
      jn_jet_to_derivatives(ORDER, 6, sum);
      check_residual("relative J v", quad_error(&b, ORDER, 6, sum, b.want), 1e-12);
    }
    free(J), free(v), free(sum);
    bench_free(&b);
  }
}

/* The world as observer: the functions of absolute motion. */
static void without_an_observer_motion_is_absolute(void **state) {
  (void)state;
  for (uint64_t seed = 30; seed < 36; seed++) {
    bench b = bench_new(seed, ORDER);
    const size_t nv = (size_t)b.r.nv, n = 6 * (ORDER + 1);
    double *V = doubles(n), *W = doubles(n), *J = doubles(n * nv), *K = doubles(n * nv);
    quad *want = quads(n);
    assert_ok(jn_kinematics(b.r.model, b.r.data, ORDER, b.r.q, b.r.v));
    for (int f = 0; f < jn_model_frame_count(b.r.model); f++)
      for (int rep = 0; rep < 4; rep++) {
        jn_pose C, D;
        assert_ok(jn_frame_twist(b.r.model, b.r.data, f, all[rep], ORDER, V));
        assert_ok(jn_relative_twist(b.r.model, b.r.data, f, all[rep], NULL, ORDER, W));
        for (size_t i = 0; i < n; i++) want[i] = V[i];
        check_residual("absolute twist", quad_error(&b, ORDER, 6, W, want), 1e-12);
        assert_ok(jn_frame_jacobian(b.r.model, b.r.data, f, all[rep], ORDER, J));
        assert_ok(jn_relative_jacobian(b.r.model, b.r.data, f, all[rep], NULL, ORDER, K));
        for (size_t c = 0; c < nv; c++) {
          for (size_t i = 0; i < n; i++) want[i] = J[i * nv + c], W[i] = K[i * nv + c];
          check_residual("absolute J", quad_error(&b, ORDER, 6, W, want), 1e-12);
        }
        assert_ok(jn_frame_pose(b.r.model, b.r.data, f, &C));
        assert_ok(jn_relative_pose(b.r.model, b.r.data, f, JN_WORLD, &D));
        assert_true(same_bits(&C.R.m[0][0], &D.R.m[0][0], 9));
        assert_ok(jn_relative_pose(b.r.model, b.r.data, f, f, &D));
        check_residual("own pose", jn_v3_norm(D.p), 1e-15);
      }
    free(V), free(W), free(J), free(K), free(want);
    bench_free(&b);
  }
}

/* What carries both frames may move as it likes: not a bit changes. */
static void common_motion_cancels_to_the_bit(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    bench b = bench_new(seed, 3);
    if (b.r.nbody < 3) {
      bench_free(&b);
      continue;
    }
    const jn_joint *base = jn_model_joint(b.r.model, 0);
    double V[2][24];
    const int of = jn_model_body(b.r.model, b.r.nbody - 1)->frame,
              to = jn_model_body(b.r.model, 1)->frame;
    const jn_observer o = {to, to, to};
    for (int pass = 0; pass < 2; pass++) {
      for (int k = 0; k < 5 && pass; k++)
        for (int j = 0; j < base->nv; j++) b.r.v[k * b.r.nv + base->iv + j] *= 1e3;
      assert_ok(jn_kinematics(b.r.model, b.r.data, 3, b.r.q, b.r.v));
      assert_ok(jn_relative_twist(b.r.model, b.r.data, of, JN_SPATIAL, &o, 3, V[pass]));
    }
    assert_true(same_bits(V[0], V[1], 24));
    bench_free(&b);
  }
}

static void reactions_are_the_wrenches_of_the_bodies_beyond(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    bench b = bench_new(seed, ORDER);
    const size_t nb = (size_t)b.r.nbody, n = 6 * (ORDER + 1);
    double *W = doubles(n * nb), *one = doubles(n);
    for (int i = 0; i < 8; i++) {
      const jn_representation rep = all[i % 4];
      const jn_observer o = any_observer(&b), *seen = i % 3 ? &o : NULL;
      assert_ok(jn_joint_reactions(b.r.model, b.r.data, ORDER, b.r.q, b.r.v, NULL, rep, seen, W));
      for (size_t body = 0; body < nb; body++) {
        newton_quantity(b.r.model, b.exact, ORDER, b.user, b.q, b.v, NEWTON_REACTION,
                        jn_model_body(b.r.model, (int)body)->frame, rep, seen, b.want);
        for (size_t k = 0; k <= ORDER; k++)
          memcpy(one + 6 * k, W + 6 * (k * nb + body), 6 * sizeof *one);
        check_residual("reaction", quad_error(&b, ORDER, 6, one, b.want), 1e-12);
      }
    }
    free(W), free(one);
    bench_free(&b);
  }
}

/* S^T W = tau, with applied wrenches and every type of joint. */
static void reactions_project_to_joint_forces(void **state) {
  (void)state;
  const int K = 3;
  for (uint64_t seed = 60; seed < 80; seed++) {
    bench b = bench_new(seed, K);
    robot_represent(&b.r, JN_BODY);
    const size_t nv = (size_t)b.r.nv, nb = (size_t)b.r.nbody;
    load l = load_random(&b.r, seed, K);
    double *W = doubles(6 * (size_t)(K + 1) * nb), *S = doubles(6 * 6 * (size_t)(K + 1)),
           *tau = robot_inverse(&b.r, b.r.v, &l.external), *x = doubles(b.r.n),
           *scale = doubles((size_t)K + 1);
    jn_external wrenches = l.external;
    wrenches.tau = NULL;
    assert_ok(
        jn_joint_reactions(b.r.model, b.r.data, K, b.r.q, b.r.v, &wrenches, JN_SPATIAL, NULL, W));
    assert_ok(jn_kinematics(b.r.model, b.r.data, K, b.r.q, b.r.v));
    for (int i = 0; i < b.r.nbody; i++) {
      const jn_joint *j = jn_model_joint(b.r.model, i);
      if (!j->nv) continue;
      assert_ok(jn_joint_screws(b.r.model, b.r.data, i, K, S));
      for (int k = 0; k <= K; k++)
        for (int c = 0; c < j->nv; c++) {
          const size_t at = (size_t)k * nv + (size_t)(j->iv + c);
          double binomial = 1;
          x[at] = j->armature * b.r.v[at + nv] - (l.external.tau ? l.external.tau[at] : 0);
          for (int h = 0; h <= k; h++) {
            for (int e = 0; e < 6; e++)
              x[at] += binomial * S[(h * j->nv + c) * 6 + e] *
                       W[6 * ((size_t)(k - h) * nb + (size_t)i) + (size_t)e];
            binomial = binomial * (k - h) / (h + 1);
          }
        }
    }
    force_scale(&b.r, b.r.v, tau, scale);
    check_residual("S^T W = tau", row_error(K + 1, nv, x, tau, scale), 1e-11);
    free(W), free(S), free(tau), free(x), free(scale);
    load_free(&l);
    bench_free(&b);
  }
}

/* Is body b beyond joint j? */
static int is_beyond(const jn_model *m, int j, int b) {
  while (b > j) b = jn_model_body(m, b)->parent;
  return b == j;
}

/* W = MA V^(k+1) + WA for the motion itself, and for another v^(K+1) of all joints that are not
 * beyond joint j, while those beyond keep their forces. */
static void check_articulated(bench *b, int K, int j, jn_representation rep, const double *MA,
                              const double *WA, const double *tau) {
  robot *r = &b->r;
  const size_t nv = (size_t)r->nv, nb = (size_t)r->nbody, n = 6 * ((size_t)K + 1);
  unsigned char given[64] = {0};
  double *v = copy_of(r->v, r->n + nv), *force = copy_of(tau, r->n), *V = doubles(n + 6),
         *W = doubles(n * nb);
  for (int i = 0; i < r->nbody; i++) given[i] = i == j || !is_beyond(r->model, j, i);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t c = 0; c < nv && pass; c++)
      v[(size_t)(K + 1) * nv + c] += rng_range(&b->random, -5, 5);
    assert_ok(jn_hybrid_dynamics(r->model, r->data, K, r->q, given, v, force, NULL));
    assert_ok(jn_joint_reactions(r->model, r->data, K, r->q, v, NULL, rep, NULL, W));
    assert_ok(jn_kinematics(r->model, r->data, K + 1, r->q, v));
    assert_ok(jn_frame_twist(r->model, r->data, jn_model_body(r->model, j)->frame, rep, K + 1, V));
    for (int k = 0; k <= K; k++) {
      double error = 0, size = largest(W + 6 * (size_t)k * nb, 6 * nb);
      for (size_t row = 0; row < 6; row++) {
        const size_t at = 6 * ((size_t)k * nb + (size_t)j) + row;
        double s = WA[at];
        for (size_t c = 0; c < 6; c++) {
          const double x = MA[36 * (size_t)j + 6 * row + c] * V[6 * ((size_t)k + 1) + c];
          s += x;
          size = fmax(size, fabs(x));
        }
        size = fmax(size, fabs(WA[at]));
        error = worse(error, fabs(s - W[at]));
      }
      check_residual("W = MA V' + WA", error / size, 1e-11);
    }
  }
  free(v), free(force), free(V), free(W);
}

static void articulated_bodies_answer_whatever_the_parents_do(void **state) {
  (void)state;
  for (uint64_t seed = 100; seed < 124; seed++) {
    const int K = (int)(seed % 5);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t nb = (size_t)r->nbody;
    const jn_representation rep = all[seed / 2 % 4];
    double *tau = robot_inverse(r, r->v, NULL), *MA = doubles(36 * nb),
           *WA = doubles(6 * ((size_t)K + 1) * nb);
    assert_ok(
        jn_articulated_bodies(r->model, r->data, K, r->q, NULL, r->v, tau, NULL, rep, MA, WA));
    for (int j = 0; j < r->nbody; j++) check_articulated(&b, K, j, rep, MA, WA, tau);
    /* all joints prescribed: the composite inertia of the subtree, no smaller than the articulated */
    unsigned char given[64];
    memset(given, 1, sizeof given);
    double *Mc = doubles(36 * nb);
    assert_ok(
        jn_articulated_bodies(r->model, r->data, K, r->q, given, r->v, tau, NULL, rep, Mc, NULL));
    for (size_t j = 0; j < nb; j++)
      for (size_t i = 0; i < 6; i++)
        check_residual("MA <= Mc", (MA[36 * j + 7 * i] - Mc[36 * j + 7 * i]) / Mc[36 * j + 7 * i],
                       1e-12);
    free(tau), free(MA), free(WA), free(Mc);
    bench_free(&b);
  }
}

static void refusals(void **state) {
  (void)state;
  bench b = bench_new(4, 1);
  const jn_model *m = b.r.model;
  jn_data *d = b.r.data;
  double out[4096];
  const int frames = jn_model_frame_count(m);
  const jn_observer bad[3] = {{frames, 0, 0}, {0, -2, 0}, {0, 0, frames}};
  assert_status(jn_relative_twist(m, d, 0, JN_BODY, NULL, 0, out), JN_ERR_STATE);
  assert_status(jn_relative_jacobian(m, d, 0, JN_BODY, NULL, 0, out), JN_ERR_STATE);
  assert_ok(jn_kinematics(m, d, 1, b.r.q, b.r.v));
  for (int i = 0; i < 3; i++) {
    assert_status(jn_relative_twist(m, d, 0, JN_SPATIAL, &bad[i], 0, out), JN_ERR_ARGUMENT);
    assert_status(jn_relative_jacobian(m, d, 0, JN_SPATIAL, &bad[i], 0, out), JN_ERR_ARGUMENT);
    assert_status(jn_joint_reactions(m, d, 0, b.r.q, b.r.v, NULL, JN_SPATIAL, &bad[i], out),
                  JN_ERR_ARGUMENT);
  }
  assert_status(jn_relative_twist(m, d, JN_WORLD, JN_BODY, NULL, 0, out), JN_ERR_ARGUMENT);
  assert_status(jn_relative_twist(m, d, 0, (jn_representation)7, NULL, 0, out), JN_ERR_ARGUMENT);
  assert_status(jn_relative_twist(m, d, 0, JN_BODY, NULL, 2, out), JN_ERR_STATE);
  assert_status(jn_joint_reactions(m, d, 2, b.r.q, b.r.v, NULL, JN_BODY, NULL, out), JN_ERR_ORDER);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relative_twists_are_those_of_the_poses),
      cmocka_unit_test(relative_jacobians_times_velocities_are_twists),
      cmocka_unit_test(without_an_observer_motion_is_absolute),
      cmocka_unit_test(common_motion_cancels_to_the_bit),
      cmocka_unit_test(reactions_are_the_wrenches_of_the_bodies_beyond),
      cmocka_unit_test(reactions_project_to_joint_forces),
      cmocka_unit_test(articulated_bodies_answer_whatever_the_parents_do),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
