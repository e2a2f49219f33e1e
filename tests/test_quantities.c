/* test_quantities.c: motion of a frame relative to another one, reactions in the joints, articulated
 * bodies, what dynamics leaves behind: against series of positions in 113 bits (tests/oracle), which
 * share nothing with the recursions. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"
#include "helpers/slope.h"
#include "helpers/tree.h"
#include "oracle/sample.h"
#include "oracle/twin.h"

enum { ORDER = 6, CASES = 24 };

static void relative_twists_are_those_of_the_poses(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    twin b = twin_new(seed, ORDER);
    double *V = doubles(6 * (ORDER + 1));
    assert_ok(jn_kinematics(b.r.model, b.r.data, ORDER, b.r.q, b.r.v));
    for (int n = 0; n < 12; n++) {
      const int frame = rng_below(&b.random, jn_model_frame_count(b.r.model));
      const jn_observer o = twin_observer(&b);
      const jn_representation rep = representations[n % 4];
      assert_ok(jn_relative_twist(b.r.model, b.r.data, frame, rep, &o, ORDER, V));
      newton_quantity(b.r.model, b.exact, ORDER, b.user, b.q, b.v, NEWTON_TWIST, frame, rep, &o,
                      b.want);
      check_residual("relative twist", twin_error(&b, ORDER, 6, V, b.want), 1e-12);
    }
    free(V);
    twin_free(&b);
  }
}

static void relative_jacobians_times_velocities_are_twists(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    twin b = twin_new(seed, ORDER);
    const size_t nv = (size_t)b.r.nv;
    double *J = doubles(6 * (ORDER + 1) * nv), *v = copy_of(b.r.v, (ORDER + 1) * nv),
           *sum = doubles(6 * (ORDER + 1));
    jn_jet_to_taylor(ORDER, b.r.nv, v);
    assert_ok(jn_kinematics(b.r.model, b.r.data, ORDER - 1, b.r.q, b.r.v));
    for (int n = 0; n < 8; n++) {
      const int frame = rng_below(&b.random, jn_model_frame_count(b.r.model));
      const jn_observer o = twin_observer(&b);
      const jn_representation rep = representations[n % 4];
      assert_ok(jn_relative_jacobian(b.r.model, b.r.data, frame, rep, &o, ORDER, J));
      newton_quantity(b.r.model, b.exact, ORDER, b.user, b.q, b.v, NEWTON_TWIST, frame, rep, &o,
                      b.want);
      jn_jet_to_taylor(ORDER, (int)(6 * nv), J);
      fill(sum, 6 * (ORDER + 1), 0);
      jet_apply(ORDER, 6, nv, J, v, sum);
      jn_jet_to_derivatives(ORDER, 6, sum);
      check_residual("relative J v", twin_error(&b, ORDER, 6, sum, b.want), 1e-12);
    }
    free(J), free(v), free(sum);
    twin_free(&b);
  }
}

/* The world as observer: the functions of absolute motion. */
static void without_an_observer_motion_is_absolute(void **state) {
  (void)state;
  for (uint64_t seed = 30; seed < 36; seed++) {
    twin b = twin_new(seed, ORDER);
    const size_t nv = (size_t)b.r.nv, n = 6 * (ORDER + 1);
    double *V = doubles(n), *W = doubles(n), *J = doubles(n * nv), *K = doubles(n * nv);
    quad *want = quads(n);
    assert_ok(jn_kinematics(b.r.model, b.r.data, ORDER, b.r.q, b.r.v));
    for (int f = 0; f < jn_model_frame_count(b.r.model); f++)
      for (int rep = 0; rep < 4; rep++) {
        jn_pose C, D;
        assert_ok(jn_frame_twist(b.r.model, b.r.data, f, representations[rep], ORDER, V));
        assert_ok(jn_relative_twist(b.r.model, b.r.data, f, representations[rep], NULL, ORDER, W));
        for (size_t i = 0; i < n; i++) want[i] = V[i];
        check_residual("absolute twist", twin_error(&b, ORDER, 6, W, want), 1e-12);
        assert_ok(jn_frame_jacobian(b.r.model, b.r.data, f, representations[rep], ORDER, J));
        assert_ok(
            jn_relative_jacobian(b.r.model, b.r.data, f, representations[rep], NULL, ORDER, K));
        for (size_t c = 0; c < nv; c++) {
          for (size_t i = 0; i < n; i++) want[i] = J[i * nv + c], W[i] = K[i * nv + c];
          check_residual("absolute J", twin_error(&b, ORDER, 6, W, want), 1e-12);
        }
        assert_ok(jn_frame_pose(b.r.model, b.r.data, f, &C));
        assert_ok(jn_relative_pose(b.r.model, b.r.data, f, JN_WORLD, &D));
        assert_true(same_bits(&C.R.m[0][0], &D.R.m[0][0], 9));
        assert_ok(jn_relative_pose(b.r.model, b.r.data, f, f, &D));
        check_residual("own pose", jn_v3_norm(D.p), 1e-15);
      }
    free(V), free(W), free(J), free(K), free(want);
    twin_free(&b);
  }
}

/* What carries both frames may move as it likes: not a bit changes. */
static void common_motion_cancels_to_the_bit(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    twin b = twin_new(seed, 3);
    if (b.r.nbody < 3) {
      twin_free(&b);
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
    twin_free(&b);
  }
}

static void reactions_are_the_wrenches_of_the_bodies_beyond(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    twin b = twin_new(seed, ORDER);
    const size_t nb = (size_t)b.r.nbody, n = 6 * (ORDER + 1);
    double *W = doubles(n * nb), *one = doubles(n);
    for (int i = 0; i < 8; i++) {
      const jn_representation rep = representations[i % 4];
      const jn_observer o = twin_observer(&b), *seen = i % 3 ? &o : NULL;
      assert_ok(jn_joint_reactions(b.r.model, b.r.data, ORDER, b.r.q, b.r.v, NULL, rep, seen, W));
      for (size_t body = 0; body < nb; body++) {
        newton_quantity(b.r.model, b.exact, ORDER, b.user, b.q, b.v, NEWTON_REACTION,
                        jn_model_body(b.r.model, (int)body)->frame, rep, seen, b.want);
        for (size_t k = 0; k <= ORDER; k++)
          memcpy(one + 6 * k, W + 6 * (k * nb + body), 6 * sizeof *one);
        check_residual("reaction", twin_error(&b, ORDER, 6, one, b.want), 1e-12);
      }
    }
    free(W), free(one);
    twin_free(&b);
  }
}

/* S^T W = tau, with applied wrenches and every type of joint. */
static void reactions_project_to_joint_forces(void **state) {
  (void)state;
  for (uint64_t seed = 60; seed < 88; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_new(seed, K);
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
    check_residual("S^T W = tau", row_error(K + 1, nv, x, tau, scale), 1e-12);
    free(W), free(S), free(tau), free(x), free(scale);
    load_free(&l);
    twin_free(&b);
  }
}

/* Is body b beyond joint j? */
static int is_beyond(const jn_model *m, int j, int b) {
  while (b > j) b = jn_model_body(m, b)->parent;
  return b == j;
}

/* W = MA V^(k+1) + WA, V and W in 113 bits, for the motion itself, and for another v^(K+1) of all
 * joints that are not beyond joint j, while those beyond keep their forces. Relative to the terms, those
 * of order k-1 times 2 rate included, and to what WA owes to the forces (through the accelerations):
 * `moved` is WA of forces moved by `step`. */
static void check_articulated(twin *b, int K, int j, jn_representation rep, const double *MA,
                              const double *WA, const double *tau, const double *moved,
                              double step) {
  robot *r = &b->r;
  const size_t nv = (size_t)r->nv, nb = (size_t)r->nbody, n = 6 * ((size_t)K + 2);
  const int frame = jn_model_body(r->model, j)->frame;
  unsigned char given[64] = {0};
  double *v = copy_of(r->v, r->n + nv), *force = copy_of(tau, r->n), rate = 1;
  quad *V = quads(n), *W = quads(n);
  for (int i = 0; i < r->nbody; i++) given[i] = i == j || !is_beyond(r->model, j, i);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t c = 0; c < nv && pass; c++)
      v[(size_t)(K + 1) * nv + c] += rng_range(&b->random, -5, 5);
    if (pass) assert_ok(jn_hybrid_dynamics(r->model, r->data, K, r->q, given, v, force, NULL));
    for (int k = 0; k <= K + 1; k++)
      rate = fmax(rate, pow(largest(v + (size_t)k * nv, nv), 1.0 / (k + 1)));
    quad *exact = quads(r->n + 2 * nv); /* a row of zeros more, which twists do not depend on */
    for (size_t i = 0; i < r->n + nv; i++) exact[i] = v[i];
    newton_quantity(r->model, b->exact, K, b->user, b->q, exact, NEWTON_REACTION, frame, rep, NULL,
                    W);
    newton_quantity(r->model, b->exact, K + 1, b->user, b->q, exact, NEWTON_TWIST, frame, rep, NULL,
                    V);
    free(exact);
    double size = 0;
    for (size_t k = 0; k <= (size_t)K; k++) {
      double error = 0;
      size *= 2 * rate;
      for (size_t row = 0; row < 6; row++) {
        const size_t at = 6 * (k * nb + (size_t)j) + row;
        const double wa = WA[at];
        size = fmax(size, fabs(moved[at] - wa) / step);
        quad s = wa;
        for (size_t c = 0; c < 6; c++) {
          const quad x = MA[36 * (size_t)j + 6 * row + c] * V[6 * (k + 1) + c];
          s += x;
          size = fmax(size, fabs((double)x));
        }
        size = fmax(size, fmax(fabs(wa), fabs((double)W[6 * k + row])));
        error = worse(error, fabs((double)(s - W[6 * k + row])));
      }
      check_residual(pass ? "W = MA V' + WA, the parents moved otherwise" : "W = MA V' + WA",
                     error / size, 1e-12);
    }
  }
  free(v), free(force), free(V), free(W);
}

static void articulated_bodies_answer_whatever_the_parents_do(void **state) {
  (void)state;
  for (uint64_t seed = 100; seed < 128; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_new(seed, K);
    robot *r = &b.r;
    const size_t nb = (size_t)r->nbody, nv = (size_t)r->nv;
    const jn_representation rep = representations[seed / 2 % 4];
    double *tau = robot_inverse(r, r->v, NULL), *MA = doubles(36 * nb),
           *WA = doubles(6 * ((size_t)K + 1) * nb);
    assert_ok(
        jn_articulated_bodies(r->model, r->data, K, r->q, NULL, r->v, tau, NULL, rep, MA, WA));
    const double step = 1e-6;
    double *near = copy_of(tau, r->n), *moved = doubles(6 * ((size_t)K + 1) * nb);
    for (size_t i = 0; i < r->n; i++)
      near[i] += step * rng_range(&b.random, -1, 1) * largest(tau + i / nv * nv, nv);
    assert_ok(jn_articulated_bodies(r->model, r->data, K, r->q, NULL, r->v, near, NULL, rep, NULL,
                                    moved));
    for (int j = 0; j < r->nbody; j++) check_articulated(&b, K, j, rep, MA, WA, tau, moved, step);
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
    free(tau), free(MA), free(WA), free(Mc), free(near), free(moved);
    twin_free(&b);
  }
}

/* After dynamics: the kinematics of the same motion, in every formulation, padded or not. */
static void dynamics_leaves_its_kinematics(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 532; seed++) {
    const int K = (int)(seed % 7), strict = seed % 5 == 0;
    twin b = twin_new(seed, K);
    robot *r = &b.r;
    const size_t nv = (size_t)r->nv, n = 6 * ((size_t)K + 2);
    jn_data *other;
    double *tau = doubles(r->n), *a = doubles(r->n), *V = doubles(n), *want = doubles(n),
           *J = doubles(n * nv), *E = doubles(n * nv), *v = copy_of(r->v, r->n + nv),
           *moved = doubles(r->n + nv);
    quad *exact = quads(n);
    unsigned char given[64] = {0, 1, 1, 0, 1};
    jn_data_settings(r->data)->strict = strict;
    assert_ok(jn_data_new(r->model, K, NULL, &other));
    *jn_data_settings(other) = *jn_data_settings(r->data);
    assert_status(jn_kinematics_from_dynamics(r->model, r->data, NULL), JN_ERR_STATE);
    for (int call = 0; call < 3; call++) {
      int order = -5;
      assert_ok(jn_inverse_dynamics(r->model, r->data, K, r->q, r->v, NULL, tau));
      if (call == 1) assert_ok(jn_forward_dynamics(r->model, r->data, K, r->q, r->v, tau, NULL, a));
      if (call == 2) assert_ok(jn_hybrid_dynamics(r->model, r->data, K, r->q, given, v, tau, NULL));
      assert_status(jn_frame_twist(r->model, r->data, 0, JN_BODY, 0, V), JN_ERR_STATE);
      assert_ok(jn_kinematics_from_dynamics(r->model, r->data, &order));
      assert_int_equal(order, K + 1);
      /* what the call returned: forward dynamics has its own rounding in v' */
      memcpy(moved, r->v, (r->n + nv) * sizeof *moved);
      if (call == 1) memcpy(moved + nv, a, r->n * sizeof *moved);
      if (call == 2) memcpy(moved, v, (r->n + nv) * sizeof *moved);
      assert_ok(jn_kinematics(r->model, other, K + 1, r->q, moved));
      for (int f = 0; f < jn_model_frame_count(r->model); f++)
        for (int rep = 0; rep < 4; rep++) {
          jn_pose C, D;
          assert_ok(jn_frame_pose(r->model, r->data, f, &C));
          assert_ok(jn_frame_pose(r->model, other, f, &D));
          check_residual("pose of dynamics", jn_v3_norm(jn_v3_sub(C.p, D.p)), 1e-14);
          assert_ok(jn_frame_twist(r->model, r->data, f, representations[rep], K + 1, V));
          assert_ok(jn_frame_twist(r->model, other, f, representations[rep], K + 1, want));
          for (size_t i = 0; i < n; i++) exact[i] = want[i];
          check_residual(call ? "twist of forward dynamics" : "twist of inverse dynamics",
                         twin_error(&b, K + 1, 6, V, exact), 1e-12);
          assert_ok(jn_frame_jacobian(r->model, r->data, f, representations[rep], K + 1, J));
          assert_ok(jn_frame_jacobian(r->model, other, f, representations[rep], K + 1, E));
          for (size_t c = 0; c < nv; c++) {
            for (size_t i = 0; i < n; i++) exact[i] = E[i * nv + c], V[i] = J[i * nv + c];
            check_residual("J of dynamics", twin_error(&b, K + 1, 6, V, exact), 1e-12);
          }
        }
    }
    assert_ok(jn_inverse_dynamics(r->model, r->data, K, r->q, r->v, NULL, tau));
    double *M = doubles(nv * nv);
    assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
    assert_status(jn_kinematics_from_dynamics(r->model, r->data, NULL), JN_ERR_STATE);
    free(tau), free(a), free(V), free(want), free(J), free(E), free(v), free(exact), free(M),
        free(moved);
    jn_data_free(other);
    twin_free(&b);
  }
}

/* T with and without the rotors: T_armature^(k) = sum of armature binomial v^(i) v^(k-i) / 2 */
static void the_energy_of_the_armature_is_named(void **state) {
  (void)state;
  for (uint64_t seed = 540; seed < 550; seed++) {
    const int K = 6;
    twin b = twin_new(seed, K);
    robot *r = &b.r;
    double got[7], kinetic[7], want[7] = {0}, size[7] = {0}, mass = 0;
    for (int i = 0; i < r->nbody; i++) mass += jn_model_body(r->model, i)->inertia.m;
    jn_momentum out = {.kinetic = kinetic, .armature = got};
    if (!r->nv || !(mass > 0)) {
      twin_free(&b);
      continue;
    }
    assert_ok(jn_momentum_energy(r->model, r->data, K, r->q, r->v, &out));
    for (int i = 0; i < r->nbody; i++) {
      const jn_joint *j = jn_model_joint(r->model, i);
      for (int c = j->iv; c < j->iv + j->nv && j->type != JN_JOINT_FREE; c++)
        for (int k = 0; k <= K; k++) {
          double binomial = 1;
          for (int h = 0; h <= k; h++) {
            const double x =
                0.5 * j->armature * binomial * r->v[h * r->nv + c] * r->v[(k - h) * r->nv + c];
            want[k] += x, size[k] += fabs(x);
            binomial = binomial * (k - h) / (h + 1);
          }
        }
    }
    for (int k = 0; k <= K; k++)
      check_residual("armature", fabs(got[k] - want[k]) / (size[k] + 1e-30), 1e-14);
    assert_true(got[0] >= 0 && kinetic[0] >= got[0]);
    twin_free(&b);
  }
}

/* Slope test. what: 0 twist, 1 reactions, 2 energy of the armature */
typedef struct watched {
  twin *b;
  int what, frame, order;
  jn_observer o;
} watched;
static void quantity_at(void *context, double h, double *out) {
  watched *x = context;
  robot *r = &x->b->r;
  jn_momentum m = {.armature = out};
  robot_at(r, 0.3 + h);
  if (x->what == 2) {
    assert_ok(jn_momentum_energy(r->model, r->data, x->order, r->q, r->v, &m));
  } else if (x->what == 1) {
    assert_ok(
        jn_joint_reactions(r->model, r->data, x->order, r->q, r->v, NULL, JN_SPATIAL, &x->o, out));
  } else {
    assert_ok(jn_kinematics(r->model, r->data, x->order, r->q, r->v));
    assert_ok(jn_relative_twist(r->model, r->data, x->frame, JN_SPATIAL, &x->o, x->order, out));
  }
}
static void jets_predict_what_follows(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 21; seed++)
    for (int what = 0; what < 3; what++) {
      const int K = (int)(seed % 7);
      twin b = twin_new(seed, K);
      const size_t n = what == 2 ? 1 : 6 * (what ? (size_t)b.r.nbody : 1);
      const int frame = jn_model_body(b.r.model, b.r.nbody - 1)->frame;
      watched w = {&b, what, frame, K, {twin_frame(&b), twin_frame(&b), twin_frame(&b)}};
      double *jet = doubles(n * ((size_t)K + 1));
      quantity_at(&w, 0, jet);
      jn_jet_to_taylor(K, (int)n, jet);
      w.order = 0;
      const double slope = slope_of_jet(K, n, jet, quantity_at, &w);
      if (slope >= 0) check_residual("K+1 - slope", fmax(0, K + 1 - slope), 0.6);
      free(jet);
      twin_free(&b);
    }
}

static void refusals(void **state) {
  (void)state;
  twin b = twin_new(4, 1);
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
  assert_status(
      jn_frame_partials(m, d, JN_JOINT_TORQUE, 0, JN_BODY, 0, b.r.q, b.r.v, out, out + 2000),
      JN_ERR_ARGUMENT);
  assert_status(jn_comprehensive_jacobian(m, d, JN_JOINT_REACTION, 0, JN_BODY, 1, out),
                JN_ERR_ARGUMENT);
  assert_status(jn_joint_reactions(m, d, 2, b.r.q, b.r.v, NULL, JN_BODY, NULL, out), JN_ERR_ORDER);
  twin_free(&b);
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
      cmocka_unit_test(jets_predict_what_follows),
      cmocka_unit_test(dynamics_leaves_its_kinematics),
      cmocka_unit_test(the_energy_of_the_armature_is_named),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
