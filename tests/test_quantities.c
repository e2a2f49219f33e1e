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

static bench bench_of(uint64_t seed, int bodies, int order) {
  bench b = {.random = rng_new(seed), .user = all[seed % 4]};
  check_seed(seed);
  b.r = robot_random(seed, bodies, bases[seed % COUNT(bases)], TYPES_ALL, order);
  robot_represent(&b.r, b.user);
  jn_data_settings(b.r.data)->formulation = (jn_formulation)(seed / 3 % 4);
  b.exact = quad_robot_new(b.r.model, jn_data_settings(b.r.data)->gravity);
  b.q = to_quads(b.r.q, (size_t)b.r.nq);
  b.v = to_quads(b.r.v, b.r.n + (size_t)b.r.nv);
  b.want = quads(6 * ((size_t)order + 1));
  return b;
}
static bench bench_new(uint64_t seed, int order) {
  return bench_of(seed, 2 + (int)(seed % 7), order);
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

/* q displaced along degree of freedom c in 113 bits: q + h, or R exp(h e), C exp(h e). */
static void quad_move(const jn_model *m, const quad *q, int c, quad h, quad *out) {
  memcpy(out, q, (size_t)jn_model_nq(m) * sizeof *q);
  for (int i = 0; i < jn_model_body_count(m); i++) {
    const jn_joint *j = jn_model_joint(m, i);
    const int d = c - j->iv;
    if (d < 0 || d >= j->nv) continue;
    if (j->nq == j->nv) {
      out[j->iq + d] += h;
      return;
    }
    quad *a = out + j->iq, b[4] = {0}, length = 0, s, co;
    for (int n = 0; n < 4; n++) length += a[n] * a[n];
    for (int n = 0; n < 4; n++) a[n] /= quad_sqrt(length), b[n] = a[n];
    if (d < 3) { /* a (cos h/2, sin h/2 e) */
      quad_sincos(h / 2, &s, &co);
      const int e = 1 + d, f = 1 + (d + 1) % 3, g = 1 + (d + 2) % 3;
      a[0] = b[0] * co - b[e] * s, a[e] = b[e] * co + b[0] * s;
      a[f] = b[f] * co + b[g] * s, a[g] = b[g] * co - b[f] * s;
      return;
    }
    const quad w = b[0], x = b[1], y = b[2], z = b[3];
    const quad R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int n = 0; n < 3; n++) a[4 + n] += h * R[3 * n + d - 3];
  }
}

/* the quantity with one input displaced by h: component c of q (j < 0) or of v^(j) */
static void displaced_quantity(bench *b, newton_what what, int frame, jn_representation rep, int K,
                               int c, int j, quad h, quad *out) {
  const size_t nv = (size_t)b->r.nv;
  quad *q = quads((size_t)b->r.nq);
  memcpy(q, b->q, (size_t)b->r.nq * sizeof *q);
  if (j < 0)
    quad_move(b->r.model, b->q, c, h, q);
  else
    b->v[(size_t)j * nv + (size_t)c] += h;
  newton_quantity(b->r.model, b->exact, K, b->user, q, b->v, what, frame, rep, NULL, out);
  if (j >= 0) b->v[(size_t)j * nv + (size_t)c] -= h;
  free(q);
}

/* Differences of four points in 113 bits: (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h */
static void quad_derivative(bench *b, newton_what what, int frame, jn_representation rep, int K,
                            int c, int j, quad *out) {
  const size_t n = 6 * ((size_t)K + 1);
  const quad h = (quad)1 / 1048576, at[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
  quad *x = quads(n);
  memset(out, 0, n * sizeof *out);
  for (int i = 0; i < 4; i++) {
    displaced_quantity(b, what, frame, rep, K, c, j, at[i], x);
    for (size_t k = 0; k < n; k++) out[k] += weight[i] * x[k] / (12 * h);
  }
  free(x);
}

static void partials_are_differences_in_113_bits(void **state) {
  (void)state;
  static const struct {
    jn_quantity of;
    newton_what what;
    const char *name;
  } list[] = {{JN_LINK_MOTION, NEWTON_TWIST, "d twist"},
              {JN_LINK_MOMENTUM, NEWTON_MOMENTUM, "d momentum"},
              {JN_LINK_FORCE, NEWTON_FORCE, "d force"},
              {JN_JOINT_MOMENTUM, NEWTON_JOINT_MOMENTUM, "d momentum of a subtree"},
              {JN_JOINT_FORCE, NEWTON_JOINT_FORCE, "d force through a joint"},
              {JN_JOINT_REACTION, NEWTON_REACTION, "d reaction"}};
  for (uint64_t seed = 200; seed < 218; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_of(seed, K > 3 ? 2 : 3, K);
    const size_t nv = (size_t)b.r.nv, n = (size_t)K + 1;
    double *dq = doubles(6 * n * nv), *dv = doubles(6 * n * (n + 1) * nv), *one = doubles(6 * n);
    for (size_t i = 0; i < COUNT(list); i++) {
      const int frame = rng_below(&b.random, jn_model_frame_count(b.r.model)),
                rows = K + 1 + (i == 2 || i > 3);
      const jn_representation rep = all[rng_below(&b.random, 4)];
      if (jn_model_frame(b.r.model, frame)->body < 0 && i) continue;
      fill(dq, 6 * n * nv, (double)NAN), fill(dv, 6 * n * (n + 1) * nv, (double)NAN);
      assert_ok(
          jn_frame_partials(b.r.model, b.r.data, list[i].of, frame, rep, K, b.r.q, b.r.v, dq, dv));
      for (int c = 0; c < b.r.nv; c++)
        for (int j = -1; j < rows; j += 1 + rng_below(&b.random, 2)) {
          quad_derivative(&b, list[i].what, frame, rep, K, c, j, b.want);
          for (size_t k = 0; k < n; k++)
            for (size_t e = 0; e < 6; e++)
              one[6 * k + e] = j < 0
                                   ? dq[(6 * k + e) * nv + (size_t)c]
                                   : dv[(6 * (k * (size_t)rows + (size_t)j) + e) * nv + (size_t)c];
          check_residual(list[i].name, quad_error(&b, K, 6, one, b.want), 1e-12);
        }
    }
    free(dq), free(dv), free(one);
    bench_free(&b);
  }
}

/* The placement of joint b displaced in 113 bits: its joint frame becomes A exp(h e) A^-1 of itself,
 * A the pose of the body's frame in its parent's with the joint at zero. */
static void quad_displace(const jn_model *m, quad_robot *r, int b, int d, quad h) {
  int first = m->body_link[b];
  while (first > 0 && m->link[first - 1].joint == m->link[first].joint) first--;
  quad A[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, E[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, s, c;
  for (int i = first; i <= m->body_link[b] + 1; i++) { /* the links, then the body's frame */
    const jn_pose *own = &m->body_pose[b];
    quad R[9], p[3] = {own->p.x, own->p.y, own->p.z}, T[12];
    for (int n = 0; n < 9; n++) R[n] = own->R.m[n / 3][n % 3];
    quad_orthonormalise(R);
    if (i <= m->body_link[b]) {
      memcpy(R, r->link[i].R, sizeof R);
      memcpy(p, r->link[i].p, sizeof p);
    }
    for (int n = 0; n < 9; n++)
      T[n] = A[n / 3 * 3] * R[n % 3] + A[n / 3 * 3 + 1] * R[3 + n % 3] +
             A[n / 3 * 3 + 2] * R[6 + n % 3];
    for (int n = 0; n < 3; n++)
      T[9 + n] = A[9 + n] + A[3 * n] * p[0] + A[3 * n + 1] * p[1] + A[3 * n + 2] * p[2];
    memcpy(A, T, sizeof A);
  }
  if (d < 3) {
    const int f = (d + 1) % 3, g = (d + 2) % 3;
    quad_sincos(h, &s, &c);
    E[4 * f] = E[4 * g] = c, E[3 * f + g] = -s, E[3 * g + f] = s;
  } else {
    E[9 + d - 3] = h;
  }
  /* x -> A (E A^T (x - a) + e) + a, applied to the joint's frame */
  quad_link *l = &r->link[first];
  for (int column = 0; column < 4; column++) {
    quad x[3], y[3], z[3];
    for (int n = 0; n < 3; n++) x[n] = column < 3 ? l->R[3 * n + column] : l->p[n] - A[9 + n];
    for (int n = 0; n < 3; n++) y[n] = A[n] * x[0] + A[3 + n] * x[1] + A[6 + n] * x[2];
    for (int n = 0; n < 3; n++)
      z[n] =
          E[3 * n] * y[0] + E[3 * n + 1] * y[1] + E[3 * n + 2] * y[2] + (column < 3 ? 0 : E[9 + n]);
    for (int n = 0; n < 3; n++) {
      const quad w = A[3 * n] * z[0] + A[3 * n + 1] * z[1] + A[3 * n + 2] * z[2];
      if (column < 3)
        l->R[3 * n + column] = w;
      else
        l->p[n] = w + A[9 + n];
    }
  }
}

/* twist, and the pose as a twist: R^T R', R^T p' of a curve of poses */
static void quad_geometry(bench *b, int frame, jn_representation rep, int K, int body, int d,
                          quad *twist, double *pose) {
  const size_t n = 6 * ((size_t)K + 1);
  const quad h = (quad)1 / 1048576, at[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
  quad *x = quads(n), C[12], rate[12] = {0}, now[12];
  memset(twist, 0, n * sizeof *twist);
  newton_pose(b->r.model, b->exact, b->q, frame, now);
  for (int i = 0; i < 4; i++) {
    quad_robot *moved = quad_robot_new(b->r.model, jn_data_settings(b->r.data)->gravity);
    quad_displace(b->r.model, moved, body, d, at[i]);
    newton_quantity(b->r.model, moved, K, b->user, b->q, b->v, NEWTON_TWIST, frame, rep, NULL, x);
    newton_pose(b->r.model, moved, b->q, frame, C);
    for (size_t k = 0; k < n; k++) twist[k] += weight[i] * x[k] / (12 * h);
    for (int k = 0; k < 12; k++) rate[k] += weight[i] * C[k] / (12 * h);
    quad_robot_free(moved);
  }
  for (int i = 0; i < 3; i++) {
    quad w = 0, v = 0;
    for (int k = 0; k < 3; k++) {
      w += now[3 * k + (i + 2) % 3] * rate[3 * k + (i + 1) % 3];
      v += now[3 * k + i] * rate[9 + k];
    }
    pose[i] = (double)w, pose[3 + i] = (double)v;
  }
  free(x);
}

static void geometry_of_frames_is_that_of_displaced_joints(void **state) {
  (void)state;
  for (uint64_t seed = 300; seed < 318; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_of(seed, K > 3 ? 2 : 4, K);
    const size_t nv = (size_t)b.r.nv, n = 6 * ((size_t)K + 1), width = 6 * (size_t)b.r.nbody;
    double *pose = doubles(6 * width), *twist = doubles(n * width), *J = doubles(n * nv * width),
           *one = doubles(n), *sum = doubles(n), eta[6];
    for (int i = 0; i < 2; i++) {
      const int frame = jn_model_body(b.r.model, b.r.nbody - 1 - i)->frame;
      const jn_representation rep = all[rng_below(&b.random, 4)];
      fill(J, n * nv * width, (double)NAN);
      assert_ok(jn_frame_geometry_partials(b.r.model, b.r.data, frame, rep, K, b.r.q, b.r.v, pose,
                                           twist, J));
      for (size_t at = 0; at < width; at++) {
        quad_geometry(&b, frame, rep, K, (int)at / 6, (int)at % 6, b.want, eta);
        for (size_t k = 0; k < n; k++) one[k] = twist[k * width + at];
        check_residual("geometry: twist", quad_error(&b, K, 6, one, b.want), 1e-12);
        for (size_t c = 0; c < 6; c++)
          check_residual("geometry: pose", fabs(pose[c * width + at] - eta[c]), 1e-13);
        /* d V^(k) = sum binomial dJ^(i) v^(k-i) */
        for (int k = 0; k <= K; k++)
          for (size_t c = 0; c < 6; c++) {
            double binomial = 1, s = 0;
            for (int h = 0; h <= k; h++) {
              for (size_t j = 0; j < nv; j++)
                s += binomial * J[((6 * (size_t)h + c) * nv + j) * width + at] *
                     b.r.v[(size_t)(k - h) * nv + j];
              binomial = binomial * (k - h) / (h + 1);
            }
            sum[6 * (size_t)k + c] = s;
          }
        check_residual("geometry: dJ v", quad_error(&b, K, 6, sum, b.want), 1e-11);
      }
    }
    free(pose), free(twist), free(J), free(one), free(sum);
    bench_free(&b);
  }
}

/* J1, J2, J3 of samy2021, section VI-B: instantaneous maps and derivatives. */
static void the_three_examples_of_samy2021(void **state) {
  (void)state;
  for (uint64_t seed = 400; seed < 406; seed++) {
    bench b = bench_of(seed, 4, 3);
    robot_represent(&b.r, JN_BODY);
    const jn_model *m = b.r.model;
    const int body = b.r.nbody - 1, frame = jn_model_body(m, body)->frame, K = 3;
    const size_t nv = (size_t)b.r.nv, width = 4 * nv;
    const jn_joint *j = jn_model_joint(m, body);
    jn_data_settings(b.r.data)->gravity = jn_v3(0, 0, 0);
    double *C = doubles(24 * width), *J = doubles(24 * nv), *dv = doubles(2 * 3 * 6 * nv * 3),
           *tau = doubles(12 * nv * nv), *v = copy_of(b.r.v, 4 * nv), *x = doubles(4 * nv);
    jn_jet_to_taylor(K, b.r.nv, v);
    /* J1: block (2, 1) of J times 2!/1! is 2 J' */
    assert_ok(jn_kinematics(m, b.r.data, K, b.r.q, b.r.v));
    assert_ok(jn_comprehensive_jacobian(m, b.r.data, JN_LINK_MOTION, body, JN_BODY, K, C));
    assert_ok(jn_frame_jacobian(m, b.r.data, frame, JN_BODY, K, J));
    for (size_t row = 0; row < 6; row++)
      for (size_t c = 0; c < nv; c++)
        check_residual("J1 = 2 J'",
                       fabs(2 * C[(12 + row) * width + nv + c] - 2 * J[(6 + row) * nv + c]) /
                           (1 + largest(J + 6 * nv, 6 * nv)),
                       1e-13);
    /* J3 and R: the maps of tau'' give tau'' without gravity, the derivatives do not */
    assert_ok(jn_comprehensive_jacobian(m, b.r.data, JN_JOINT_TORQUE, body, JN_BODY, K, C));
    double *force = robot_inverse(&b.r, b.r.v, NULL);
    for (int d = 0; d < j->nv; d++) {
      double s = 0, size = 0;
      for (size_t c = 0; c < width; c++) {
        const double term = 2 * C[(size_t)(2 * j->nv + d) * width + c] * v[c];
        s += term, size += fabs(term);
      }
      check_residual("tau'' by blocks (2, h)",
                     fabs(s - force[2 * nv + (size_t)(j->iv + d)]) / (size + 1e-30), 1e-13);
    }
    /* J2 and the derivative: for f' the two differ, or the motion is trivial */
    assert_ok(jn_kinematics(m, b.r.data, K, b.r.q, b.r.v));
    assert_ok(jn_comprehensive_jacobian(m, b.r.data, JN_LINK_FORCE, body, JN_BODY, 2, C));
    assert_ok(
        jn_frame_partials(m, b.r.data, JN_LINK_FORCE, frame, JN_BODY, 1, b.r.q, b.r.v, NULL, dv));
    double apart = 0, size = 0;
    for (size_t row = 0; row < 6; row++)
      for (size_t c = 0; c < nv; c++) {
        const double map = C[(6 + row) * 3 * nv + nv + c],
                     derivative = dv[((1 * 3 + 1) * 6 + row) * nv + c];
        apart = fmax(apart, fabs(map - derivative));
        size = fmax(size, fabs(derivative));
      }
    assert_true(apart > 1e-3 * size);
    free(C), free(J), free(dv), free(tau), free(v), free(x), free(force);
    bench_free(&b);
  }
}

/* After dynamics: the kinematics of the same motion, in every formulation, padded or not. */
static void dynamics_leaves_its_kinematics(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 532; seed++) {
    const int K = (int)(seed % 4), strict = seed % 5 == 0;
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t nv = (size_t)r->nv, n = 6 * ((size_t)K + 2);
    jn_data *other;
    double *tau = doubles(r->n), *a = doubles(r->n), *V = doubles(n), *want = doubles(n),
           *J = doubles(n * nv), *E = doubles(n * nv), *v = copy_of(r->v, r->n + nv);
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
      assert_ok(jn_kinematics(r->model, other, K + 1, r->q, r->v));
      for (int f = 0; f < jn_model_frame_count(r->model); f++)
        for (int rep = 0; rep < 4; rep++) {
          jn_pose C, D;
          assert_ok(jn_frame_pose(r->model, r->data, f, &C));
          assert_ok(jn_frame_pose(r->model, other, f, &D));
          check_residual("pose of dynamics", jn_v3_norm(jn_v3_sub(C.p, D.p)), 1e-14);
          assert_ok(jn_frame_twist(r->model, r->data, f, all[rep], K + 1, V));
          assert_ok(jn_frame_twist(r->model, other, f, all[rep], K + 1, want));
          for (size_t i = 0; i < n; i++) exact[i] = want[i];
          /* forward dynamics has its own rounding in v' */
          check_residual(call ? "twist of forward dynamics" : "twist of inverse dynamics",
                         quad_error(&b, K + 1, 6, V, exact), call ? 1e-9 : 1e-12);
          assert_ok(jn_frame_jacobian(r->model, r->data, f, all[rep], K + 1, J));
          assert_ok(jn_frame_jacobian(r->model, other, f, all[rep], K + 1, E));
          for (size_t c = 0; c < nv; c++) {
            for (size_t i = 0; i < n; i++) exact[i] = E[i * nv + c], V[i] = J[i * nv + c];
            check_residual("J of dynamics", quad_error(&b, K + 1, 6, V, exact), 1e-9);
          }
        }
    }
    assert_ok(jn_inverse_dynamics(r->model, r->data, K, r->q, r->v, NULL, tau));
    double *M = doubles(nv * nv);
    assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
    assert_status(jn_kinematics_from_dynamics(r->model, r->data, NULL), JN_ERR_STATE);
    free(tau), free(a), free(V), free(want), free(J), free(E), free(v), free(exact), free(M);
    jn_data_free(other);
    bench_free(&b);
  }
}

/* T with and without the rotors: T_armature^(k) = sum of armature binomial v^(i) v^(k-i) / 2 */
static void the_energy_of_the_armature_is_named(void **state) {
  (void)state;
  for (uint64_t seed = 540; seed < 550; seed++) {
    const int K = 4;
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    double got[5], kinetic[5], want[5] = {0}, size[5] = {0}, mass = 0;
    for (int i = 0; i < r->nbody; i++) mass += jn_model_body(r->model, i)->inertia.m;
    jn_momentum out = {.kinetic = kinetic, .armature = got};
    if (!r->nv || !(mass > 0)) {
      bench_free(&b);
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
    bench_free(&b);
  }
}

/* Slope test: jets at t predict the quantity at t + h up to h^(K+1). what: 0 twist, 1 reactions */
static void quantity_now(bench *b, int what, int frame, const jn_observer *o, int K, double *out) {
  robot *r = &b->r;
  if (what) {
    assert_ok(jn_joint_reactions(r->model, r->data, K, r->q, r->v, NULL, JN_SPATIAL, o, out));
    return;
  }
  assert_ok(jn_kinematics(r->model, r->data, K, r->q, r->v));
  assert_ok(jn_relative_twist(r->model, r->data, frame, JN_SPATIAL, o, K, out));
}
static void jets_predict_what_follows(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++)
    for (int what = 0; what < 2; what++) {
      const int K = 4;
      bench b = bench_new(seed, K);
      const size_t n = 6 * (what ? (size_t)b.r.nbody : 1);
      double *jet = doubles(n * (K + 1)), *now = doubles(n * (K + 1)), *at = doubles(n);
      const int frame = jn_model_body(b.r.model, b.r.nbody - 1)->frame;
      const jn_observer o = {any_frame(&b), any_frame(&b), any_frame(&b)};
      robot_at(&b.r, 0.3);
      quantity_now(&b, what, frame, &o, K, jet);
      jn_jet_to_taylor(K, (int)n, jet);
      double before = 0, slope = -1;
      for (int i = 4; i < 9; i++) {
        const double h = ldexp(1, -i);
        jn_jet_eval(K, (int)n, jet, h, at);
        robot_at(&b.r, 0.3 + h);
        quantity_now(&b, what, frame, &o, K, now);
        const double e = largest_difference(at, now, n);
        if (i > 5 && e > 1e5 * U * (largest(now, n) + 1e-3)) slope = fmax(slope, log2(before / e));
        before = e;
      }
      if (slope >= 0) check_residual("slope", fmax(0, K + 1 - slope), 0.9);
      free(jet), free(now), free(at);
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
  assert_status(
      jn_frame_partials(m, d, JN_JOINT_TORQUE, 0, JN_BODY, 0, b.r.q, b.r.v, out, out + 2000),
      JN_ERR_ARGUMENT);
  assert_status(jn_comprehensive_jacobian(m, d, JN_JOINT_REACTION, 0, JN_BODY, 1, out),
                JN_ERR_ARGUMENT);
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
      cmocka_unit_test(partials_are_differences_in_113_bits),
      cmocka_unit_test(geometry_of_frames_is_that_of_displaced_joints),
      cmocka_unit_test(the_three_examples_of_samy2021),
      cmocka_unit_test(jets_predict_what_follows),
      cmocka_unit_test(dynamics_leaves_its_kinematics),
      cmocka_unit_test(the_energy_of_the_armature_is_named),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
