/* test_cmtm.c: N-CMTMs, the comprehensive equations and Jacobians of Samy et al. 2021, and the
 * errors of the printed paper. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/tree.h"

#define ORDER 8
static const jn_cmtm_form forms[] = {JN_CMTM_HOMOGENEOUS, JN_CMTM_SPATIAL, JN_CMTM_DUAL};
static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_SPHERICAL,
                                      JN_JOINT_REVOLUTE};
enum { WIDEST = 6 * (ORDER + 1), SQUARE = WIDEST * WIDEST };

/* a random N-CMTM with its zeta, Taylor coefficients */
typedef struct sample {
  int order;
  double memory[21 * (ORDER + 2)], zeta[6 * (ORDER + 2)];
  jn_cmtm C;
} sample;

static sample *sample_new(rng *r, int order) {
  sample *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->order = order;
  for (int i = 0; i < 6 * (order + 1); i++) s->zeta[i] = rng_range(r, -1, 1);
  s->C = jn_cmtm_at(order, s->memory);
  jn_cmtm_construct(s->C, rng_pose(r, 1), s->zeta);
  return s;
}

static int side_of(jn_cmtm_form form, int order) {
  return (form == JN_CMTM_HOMOGENEOUS ? 4 : 6) * (order + 1);
}
static void multiply(int n, int m, int l, const double *A, const double *B, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < l; j++) {
      double s = 0;
      for (int k = 0; k < m; k++) s += A[i * m + k] * B[k * l + j];
      out[i * l + j] = s;
    }
}
static void transpose(int n, const double *A, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i * n + j] = A[j * n + i];
}
static double relative(const double *x, const double *y, size_t n) {
  return largest_difference(x, y, n) / fmax(1e-300, largest(y, n));
}

/* (14), (15): the derivative's blocks (k+1) C_(k+1) are those of C [zeta x], in all three forms */
static void the_derivative_is_the_matrix_times_its_operator(void **state) {
  (void)state;
  static double C[SQUARE], Z[SQUARE], P[SQUARE], block[36];
  rng r = rng_new(1);
  for (int t = 0; t < 20; t++)
    for (size_t f = 0; f < COUNT(forms); f++) {
      sample *s = sample_new(&r, ORDER);
      jn_cmtm less = {ORDER - 1, s->C.R, s->C.p, s->C.D};
      int n = side_of(forms[f], ORDER - 1), w = n / ORDER;
      jn_cmtm_dense(less, forms[f], C);
      jn_cmtm_operator_dense(ORDER - 1, forms[f], s->zeta, Z);
      multiply(n, n, n, C, Z, P);
      for (int k = 0; k < ORDER; k++) {
        jn_cmtm_block(s->C, forms[f], k + 1, block);
        double off = 0, size = largest(block, (size_t)(w * w)) * (k + 1);
        for (int at = k; at < ORDER; at++)
          for (int i = 0; i < w * w; i++)
            off = worse(off,
                        fabs((k + 1) * block[i] - P[(at * w + i / w) * n + (at - k) * w + i % w]));
        check_residual("(14), (15) C' = C [zeta x]", off / size, 1e-13);
      }
      free(s);
    }
}

static void round_trip_to_order_8(void **state) {
  (void)state;
  rng r = rng_new(2);
  double back[6 * ORDER];
  for (int t = 0; t < 200; t++) {
    sample *s = sample_new(&r, ORDER);
    jn_cmtm_deconstruct(s->C, back);
    check_residual("(16), (17) round trip", largest_difference(back, s->zeta, 6 * ORDER), 1e-12);
    const jn_pose C = jn_cmtm_pose(s->C);
    const double p[3] = {C.p.x, C.p.y, C.p.z};
    assert_true(same_bits(&C.R.m[0][0], s->C.R, 9) && same_bits(p, s->C.p, 3));
    free(s);
  }
}

/* (17) as printed, with the bracket put back but 1/k! kept: right below p = 3, wrong there */
static void the_printed_deconstruction_is_wrong_from_order_3(void **state) {
  (void)state;
  rng r = rng_new(3);
  sample *s = sample_new(&r, 4);
  double factorial[5] = {1, 1, 2, 6, 24}, got[4][6];
  for (int p = 0; p < 4; p++) {
    double H[16], inverse[16], rest[16], Z[16], T[16];
    jn_cmtm_block(s->C, JN_CMTM_HOMOGENEOUS, p + 1, rest);
    for (int i = 0; i < 16; i++) rest[i] *= p + 1;
    for (int k = 0; k < p; k++) {
      jn_cmtm_block(s->C, JN_CMTM_HOMOGENEOUS, p - k, H);
      jn_cmtm_operator_dense(0, JN_CMTM_HOMOGENEOUS, s->zeta + 6 * k, Z);
      multiply(4, 4, 4, H, Z, T);
      for (int i = 0; i < 16; i++) rest[i] -= T[i] / factorial[k];
    }
    double memory[21];
    jn_cmtm one = jn_cmtm_at(0, memory);
    jn_cmtm_inverse((jn_cmtm){0, s->C.R, s->C.p, s->C.D}, one);
    jn_cmtm_block(one, JN_CMTM_HOMOGENEOUS, 0, inverse);
    multiply(4, 4, 4, inverse, rest, T);
    const double vee[6] = {T[9], T[2], T[4], T[3], T[7], T[11]};
    for (int i = 0; i < 6; i++) got[p][i] = vee[i];
    double off = largest_difference(got[p], s->zeta + 6 * p, 6);
    if (p < 3)
      assert_true(off < 1e-13);
    else
      check_printed("zeta_3 of samy2021 (17)", off / largest(s->zeta + 6 * p, 6));
  }
  free(s);
}

/* products, inverses, (68), and the dual */
static void dense_matrices_multiply_as_the_jets_do(void **state) {
  (void)state;
  static double A[SQUARE], B[SQUARE], AB[SQUARE], P[SQUARE], one[SQUARE];
  rng r = rng_new(4);
  for (int t = 0; t < 20; t++)
    for (size_t f = 0; f < COUNT(forms); f++) {
      sample *a = sample_new(&r, ORDER), *b = sample_new(&r, ORDER);
      int n = side_of(forms[f], ORDER);
      double memory[21 * (ORDER + 1)];
      jn_cmtm out = jn_cmtm_at(ORDER, memory);
      jn_cmtm_dense(a->C, forms[f], A);
      jn_cmtm_dense(b->C, forms[f], B);
      jn_cmtm_product(a->C, b->C, out);
      jn_cmtm_dense(out, forms[f], AB);
      multiply(n, n, n, A, B, P);
      check_residual("dense(A B) = dense(A) dense(B)", relative(AB, P, (size_t)(n * n)), 1e-14);
      jn_cmtm_inverse(a->C, out);
      jn_cmtm_dense(out, forms[f], B);
      multiply(n, n, n, A, B, P);
      memset(one, 0, sizeof one);
      for (int i = 0; i < n; i++) one[i * n + i] = 1;
      check_residual("dense(A) dense(A^-1) = 1",
                     largest_difference(P, one, (size_t)(n * n)) / largest(A, (size_t)(n * n)),
                     1e-13);
      free(a);
      free(b);
    }
}

static void the_inverse_obeys_68_and_gives_the_dual(void **state) {
  (void)state;
  rng r = rng_new(5);
  double worst = HUGE_VAL;
  for (int t = 0; t < 20; t++) {
    sample *s = sample_new(&r, ORDER);
    double memory[21 * (ORDER + 1)], B[ORDER + 1][36], M[36], dual[36], T[36], sum[36];
    jn_cmtm inverse = jn_cmtm_at(ORDER, memory);
    jn_cmtm_inverse(s->C, inverse);
    jn_cmtm_block(inverse, JN_CMTM_SPATIAL, 0, B[0]);
    for (int i = 0; i <= ORDER; i++) {
      memset(sum, 0, sizeof sum);
      for (int k = 0; k < i; k++) {
        jn_cmtm_block(s->C, JN_CMTM_SPATIAL, i - k, M);
        multiply(6, 6, 6, M, B[k], T);
        for (int n = 0; n < 36; n++) sum[n] -= T[n];
      }
      if (i) multiply(6, 6, 6, B[0], sum, B[i]);
      jn_cmtm_block(inverse, JN_CMTM_SPATIAL, i, M);
      check_residual("(68) inverse", relative(M, B[i], 36), 1e-12);
      /* dual blocks are ((C^-1)_p)^T, and nothing like the -C_p^T of (15) */
      jn_cmtm_block(s->C, JN_CMTM_DUAL, i, dual);
      transpose(6, M, T);
      check_residual("dual block = ((C^-1)_p)^T", relative(dual, T, 36), 1e-14);
      jn_cmtm_block(s->C, JN_CMTM_SPATIAL, i, M);
      transpose(6, M, T);
      for (int n = 0; n < 36; n++) T[n] = -T[n];
      worst = fmin(worst, relative(dual, T, 36));
    }
    free(s);
  }
  check_printed("a block of the dual by samy2021 (15), at least", worst);
}

static void vectors_are_transformed_without_the_matrix(void **state) {
  (void)state;
  static double A[SQUARE];
  rng r = rng_new(6);
  for (int t = 0; t < 50; t++) {
    sample *s = sample_new(&r, ORDER);
    double x[WIDEST], y[WIDEST], z[WIDEST], h[4 * (ORDER + 1)], hy[4 * (ORDER + 1)];
    for (int i = 0; i < WIDEST; i++) x[i] = rng_range(&r, -1, 1);
    jn_cmtm_dense(s->C, JN_CMTM_SPATIAL, A);
    multiply(WIDEST, WIDEST, 1, A, x, y);
    jn_cmtm_motion(s->C, ORDER, x, z);
    check_residual("motion = dense times vector", relative(z, y, WIDEST), 1e-14);
    jn_cmtm_motion_back(s->C, ORDER, z, y);
    check_residual("motion, back", largest_difference(y, x, WIDEST) / largest(z, WIDEST), 1e-13);
    jn_cmtm_dense(s->C, JN_CMTM_DUAL, A);
    multiply(WIDEST, WIDEST, 1, A, x, y);
    jn_cmtm_force(s->C, ORDER, x, z);
    check_residual("force = dual dense times vector", relative(z, y, WIDEST), 1e-14);
    jn_cmtm_force_back(s->C, ORDER, z, y);
    check_residual("force, back", largest_difference(y, x, WIDEST) / largest(z, WIDEST), 1e-13);
    for (int k = 0; k <= ORDER; k++)
      for (int i = 0; i < 4; i++) h[4 * k + i] = i < 3 ? x[3 * k + i] : k == 0;
    jn_cmtm_dense(s->C, JN_CMTM_HOMOGENEOUS, A);
    multiply(4 * (ORDER + 1), 4 * (ORDER + 1), 1, A, h, hy);
    jn_cmtm_point(s->C, ORDER, x, z);
    for (int k = 0; k <= ORDER; k++)
      check_residual("point = homogeneous dense times (x, 1)",
                     largest_difference(z + 3 * k, hy + 4 * k, 3), 1e-12);
    free(s);
  }
}

/* (27): products of the joints' N-CMTMs are the links'; deconstructed they are the engine's twists
 */
static void chains_of_joints_are_the_links(void **state) {
  (void)state;
  size_t size = jn_cmtm_size(ORDER + 1);
  for (uint64_t seed = 1; seed <= 12; seed++) {
    robot r = robot_random(seed, 7, bases[seed % 4], TYPES_ALL, ORDER);
    double *links = doubles((size_t)r.nbody * size), *joint = doubles(size),
           *chain = doubles((size_t)r.nbody * size);
    double zeta[6 * (ORDER + 1)], V[6 * (ORDER + 1)];
    for (int form = 0; form < 2; form++) {
      jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
      robot_represent(&r, (jn_representation)(seed % 4));
      assert_ok(jn_kinematics(r.model, r.data, ORDER, r.q, r.v));
      assert_ok(jn_cmtm_forward_kinematics(r.model, r.data, ORDER + 1, links));
      for (int i = 0; i < r.nbody; i++) {
        const jn_body *b = jn_model_body(r.model, i);
        jn_cmtm C = jn_cmtm_at(ORDER + 1, chain + (size_t)i * size);
        assert_ok(jn_cmtm_joint(r.model, r.data, i, ORDER + 1, joint));
        if (b->parent < 0)
          memcpy(C.R, joint, sizeof(double) * size);
        else
          jn_cmtm_product(jn_cmtm_at(ORDER + 1, chain + (size_t)b->parent * size),
                          jn_cmtm_at(ORDER + 1, joint), C);
        check_residual("(27) C_i = C_p pC_i", relative(C.R, links + (size_t)i * size, size), 1e-13);
        jn_cmtm_deconstruct(C, zeta);
        assert_ok(jn_frame_twist(r.model, r.data, b->frame, JN_BODY, ORDER, V));
        jn_jet_to_taylor(ORDER, 6, V);
        check_residual("(17) zeta = the engine's twist", relative(zeta, V, 6 * (ORDER + 1)), 1e-12);
      }
    }
    free(links), free(joint), free(chain);
    robot_free(&r);
  }
}

static void algorithms_1_and_2_give_the_engines_numbers(void **state) {
  (void)state;
  const int K = 6;
  for (uint64_t seed = 21; seed < 37; seed++) {
    robot r = robot_random(seed, 6, bases[seed % 4], TYPES_ALL, K);
    size_t nv = (size_t)r.nv;
    double *tau = doubles(r.n), *got = doubles(r.n), *work = doubles(jn_cmtm_work_size(r.model, K));
    double *scale = doubles((size_t)K + 1);
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    robot_represent(&r, (jn_representation)(seed / 2 % 4));
    assert_ok(jn_inverse_dynamics(r.model, r.data, K, r.q, r.v, NULL, tau));
    force_scale(&r, r.v, tau, scale);
    assert_ok(jn_cmtm_inverse_dynamics(r.model, r.data, K, r.q, r.v, work, got));
    check_residual("algorithm 1 = inverse dynamics", row_error(K + 1, nv, got, tau, scale), 1e-12);
    double *want = doubles(r.n);
    jn_status status = jn_forward_dynamics(r.model, r.data, K, r.q, r.v, tau, NULL, want);
    if (status == JN_OK) {
      assert_ok(jn_cmtm_forward_dynamics(r.model, r.data, K, r.q, r.v, tau, work, got));
      /* motions are as accurate as the mass matrix allows: the residual force is compared */
      double *again = doubles(r.n), *v = copy_of(r.v, r.n + nv);
      const double *found[2] = {got, want};
      for (int who = 0; who < 2; who++) {
        memcpy(v + nv, found[who], sizeof *v * r.n);
        assert_ok(jn_inverse_dynamics(r.model, r.data, K, r.q, v, NULL, again));
        force_scale(&r, v, tau, scale);
        check_residual(who ? "forward dynamics, force left" : "algorithm 2, force left",
                       row_error(K + 1, nv, again, tau, scale), 1e-12);
      }
      for (int k = 0; k <= K; k++) scale[k] = largest(r.v + (size_t)(k + 1) * nv, nv);
      check_residual("algorithm 2 = forward dynamics, orders 0, 1",
                     row_error(2, nv, got, want, scale), 1e-9);
      free(again), free(v);
      /* as printed, with an ABA that keeps its bias, the bias counts twice */
      double *first = doubles(nv), *rest = copy_of(r.v, 2 * nv);
      fill(rest + nv, nv, 0);
      assert_ok(jn_cmtm_inverse_dynamics(r.model, r.data, 0, r.q, rest, work, first));
      for (size_t i = 0; i < nv; i++) first[i] = tau[i] - first[i];
      assert_ok(jn_forward_dynamics(r.model, r.data, 0, r.q, r.v, first, NULL, got));
      assert_true(relative(got, want, nv) > 1e-3);
      free(first), free(rest);
    }
    free(tau), free(got), free(work), free(scale), free(want);
    robot_free(&r);
  }
}

/* jets of a robot's state: aleph, and link motion, momentum, force by the engine's twists */
typedef struct jets {
  int N, nb;
  size_t row;                   /* 6 (N+1) */
  double *aleph, *zeta, *h, *f; /* f: without gravity, orders 0..N-1 */
} jets;

static void apply_inertia(const jn_inertia *I, const double *x, double *out) {
  jn_wrench W = jn_inertia_apply(*I, (jn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  const double y[6] = {W.n.x, W.n.y, W.n.z, W.f.x, W.f.y, W.f.z};
  memcpy(out, y, sizeof y);
}

static jets jets_new(robot *r, int N) {
  jets j = {N, r->nbody, 6 * ((size_t)N + 1), NULL, NULL, NULL, NULL};
  size_t n = (size_t)r->nbody * j.row;
  j.aleph = copy_of(r->v, ((size_t)N + 1) * (size_t)r->nv);
  j.zeta = doubles(n), j.h = doubles(n), j.f = doubles(n);
  jn_jet_to_taylor(N, r->nv, j.aleph);
  assert_ok(jn_kinematics(r->model, r->data, N, r->q, r->v));
  for (int i = 0; i < r->nbody; i++) {
    const jn_body *b = jn_model_body(r->model, i);
    double *z = j.zeta + (size_t)i * j.row, *h = j.h + (size_t)i * j.row,
           *f = j.f + (size_t)i * j.row;
    assert_ok(jn_frame_twist(r->model, r->data, b->frame, JN_BODY, N, z));
    jn_jet_to_taylor(N, 6, z);
    for (int k = 0; k <= N; k++) apply_inertia(&b->inertia, z + 6 * k, h + 6 * k);
    jn_jet_ad_t(N, z, h, f);
    for (int k = 0; k < N; k++)
      for (int c = 0; c < 6; c++) f[6 * k + c] = (k + 1) * h[6 * (k + 1) + c] - f[6 * k + c];
    for (int c = 0; c < 6; c++) f[6 * N + c] = 0;
  }
  return j;
}
static void jets_free(jets *j) { free(j->aleph), free(j->zeta), free(j->h), free(j->f); }

static void apply(robot *r, jn_operator op, int N, const double *in, double *out) {
  assert_ok(jn_comprehensive_apply(r->model, r->data, op, N, in, out));
}

/* (37)-(43) as operators */
static void the_comprehensive_equations_hold(void **state) {
  (void)state;
  const int N = 5;
  for (uint64_t seed = 41; seed < 53; seed++) {
    robot r = robot_random(seed, 7, bases[seed % 4], TYPES_ALL, N);
    robot_represent(&r, (jn_representation)(seed % 4));
    jets j = jets_new(&r, N);
    size_t n = (size_t)r.nbody * j.row, m = ((size_t)N + 1) * (size_t)r.nv;
    double *VJ = doubles(n), *VL = doubles(n), *H = doubles(n), *HJ = doubles(n), *x = doubles(n);
    apply(&r, JN_OP_G, N, j.aleph, VJ);
    apply(&r, JN_OP_L, N, j.zeta, x);
    check_residual("(38) L V_L = G aleph", largest_difference(x, VJ, n) / largest(j.zeta, n),
                   1e-13);
    apply(&r, JN_OP_L_INVERSE, N, VJ, VL);
    check_residual("(41) L^-1 G aleph = V_L", relative(VL, j.zeta, n), 1e-13);
    apply(&r, JN_OP_M, N, VL, H);
    check_residual("(42) M L^-1 G aleph = H_L", relative(H, j.h, n), 1e-13);
    apply(&r, JN_OP_DUAL_L_INVERSE, N, H, HJ);
    apply(&r, JN_OP_DUAL_L, N, HJ, x);
    check_residual("dual L undoes its inverse", largest_difference(x, H, n) / largest(HJ, n),
                   1e-13);
    /* the total momentum by another route */
    double total[6 * 6], W[6 * 6], R[9 * 7], p[3 * 7], same[6 * 6];
    jn_momentum out = {.momentum = total};
    jn_pose C;
    assert_ok(jn_frame_pose(r.model, r.data, jn_model_body(r.model, 0)->frame, &C));
    jn_jet_convert_twist(N, JN_BODY, JN_BODY, C, j.zeta, R, p, same);
    jn_jet_convert_wrench(N, JN_BODY, JN_SPATIAL, R, p, HJ, W);
    double *dofs = doubles(m), *tau = doubles(m);
    assert_ok(jn_momentum_energy(r.model, r.data, N, r.q, r.v, &out));
    jn_jet_to_taylor(N, 6, total);
    /* a fixed base has inertia but no momentum: its twist is zero */
    check_residual("(43) H_J of the base = momentum of all", relative(W, total, 6 * 6), 1e-13);
    /* generalised forces: G dual of the collected forces */
    jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
    assert_ok(jn_inverse_dynamics(r.model, r.data, N - 1, r.q, r.v, NULL, tau));
    jn_jet_to_taylor(N - 1, r.nv, tau);
    assert_ok(jn_kinematics(r.model, r.data, N, r.q, r.v));
    apply(&r, JN_OP_DUAL_L_INVERSE, N, j.f, x);
    apply(&r, JN_OP_DUAL_G, N, x, dofs);
    for (int i = 0; i < r.nbody; i++) {
      const jn_joint *q = jn_model_joint(r.model, i);
      for (int c = q->iv; c < q->iv + q->nv; c++)
        for (int k = 0; k < N; k++)
          dofs[k * r.nv + c] += q->armature * (k + 1) * j.aleph[(k + 1) * r.nv + c];
    }
    size_t used = (size_t)(N * r.nv);
    check_residual("(30), (21) G^T of the joint forces = tau", relative(dofs, tau, used), 1e-13);
    free(VJ), free(VL), free(H), free(HJ), free(x), free(dofs), free(tau);
    jets_free(&j);
    robot_free(&r);
  }
}

/* block (i, j) of a dense operator over bodies against a matrix */
static double block_error(const double *A, size_t width, int i, int j, int n, const double *want) {
  double off = 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++)
      off = worse(off, fabs(A[((size_t)(i * n) + (size_t)r) * width + (size_t)(j * n + c)] -
                            (want ? want[r * n + c] : 0)));
  return off;
}

/* iC_j as a dense matrix, from the links' N-CMTMs */
static void relative_dense(const double *links, size_t size, int N, int i, int j, jn_cmtm_form form,
                           double *out) {
  double *memory = doubles(2 * size), *copy = copy_of(links, 0);
  union {
    const double *in;
    double *out;
  } a = {links + (size_t)i * size}, b = {links + (size_t)j * size};
  jn_cmtm inverse = jn_cmtm_at(N, memory), C = jn_cmtm_at(N, memory + size);
  jn_cmtm_inverse(jn_cmtm_at(N, a.out), inverse);
  jn_cmtm_product(inverse, jn_cmtm_at(N, b.out), C);
  jn_cmtm_dense(C, form, out);
  free(memory), free(copy);
}

static int carries(const jn_model *m, int a, int b) {
  while (b > a) b = jn_model_body(m, b)->parent;
  return a == b;
}

/* (39), (40) block by block; L L^-1 = 1; (37) and (43) do not hold as printed */
static void dense_operators_have_the_papers_blocks(void **state) {
  (void)state;
  const int N = 3;
  robot r = robot_random(54, 5, JN_JOINT_FREE, TYPES_ALL, N);
  jets j = jets_new(&r, N);
  size_t n = (size_t)r.nbody * j.row, size = jn_cmtm_size(N);
  int side = (int)j.row, m = (int)n;
  double *L = doubles(n * n), *I = doubles(n * n), *D = doubles(n * n), *P = doubles(n * n),
         *work = doubles(2 * n);
  double *links = doubles((size_t)r.nbody * size), block[24 * 24], scale;
  assert_ok(jn_cmtm_forward_kinematics(r.model, r.data, N, links));
  assert_ok(jn_comprehensive_matrix(r.model, r.data, JN_OP_L, N, work, L));
  assert_ok(jn_comprehensive_matrix(r.model, r.data, JN_OP_L_INVERSE, N, work, I));
  assert_ok(jn_comprehensive_matrix(r.model, r.data, JN_OP_DUAL_L_INVERSE, N, work, D));
  for (int a = 0; a < r.nbody; a++)
    for (int b = 0; b < r.nbody; b++) {
      int parent = jn_model_body(r.model, a)->parent;
      relative_dense(links, size, N, a, b, JN_CMTM_SPATIAL, block);
      scale = largest(block, (size_t)(side * side));
      check_residual("(40) blocks of L^-1",
                     block_error(I, n, a, b, side, carries(r.model, b, a) ? block : NULL) / scale,
                     1e-13);
      relative_dense(links, size, N, a, b, JN_CMTM_DUAL, P);
      check_residual("dual blocks of L^-T",
                     block_error(D, n, a, b, side, carries(r.model, a, b) ? P : NULL) / scale,
                     1e-13);
      if (a != b)
        for (int i = 0; i < side * side; i++) block[i] = -block[i];
      check_residual("(39) blocks of L",
                     block_error(L, n, a, b, side, a == b || b == parent ? block : NULL) / scale,
                     1e-13);
    }
  multiply(m, m, m, L, I, P);
  for (int i = 0; i < m; i++) P[i * m + i] -= 1;
  check_residual("L L^-1 = 1", largest(P, n * n) / largest(I, n * n), 1e-13);
  /* (43) with a plain transpose, L^T or L^-T, is not the joint momentum */
  double *HJ = doubles(n), *x = doubles(n);
  apply(&r, JN_OP_DUAL_L_INVERSE, N, j.h, HJ);
  for (int which = 0; which < 2; which++) {
    transpose(m, which ? I : L, P);
    multiply(m, m, 1, P, j.h, x);
    check_printed(which ? "samy2021 (43), L^-T as a transpose" : "samy2021 (43), L^T",
                  relative(x, HJ, n));
  }
  /* (37) as printed has the joint's own motion in place of the parent's */
  apply(&r, JN_OP_L, N, j.zeta, x);
  double *y = copy_of(x, n);
  int last = r.nbody - 1, parent = jn_model_body(r.model, last)->parent;
  relative_dense(links, size, N, last, parent, JN_CMTM_SPATIAL, block);
  multiply(side, side, 1, block, x + (size_t)last * j.row, P);
  for (int i = 0; i < side; i++) y[(size_t)last * j.row + (size_t)i] += P[i];
  check_printed("zeta of samy2021 (37)",
                relative(y + (size_t)last * j.row, j.zeta + (size_t)last * j.row, j.row));
  multiply(side, side, 1, block, j.zeta + (size_t)parent * j.row, P);
  for (int i = 0; i < side; i++) P[i] += x[(size_t)last * j.row + (size_t)i];
  check_residual("(37) with the parent's motion", relative(P, j.zeta + (size_t)last * j.row, j.row),
                 1e-13);
  free(L), free(I), free(D), free(P), free(work), free(links), free(HJ), free(x), free(y);
  jets_free(&j);
  robot_free(&r);
}

/* a jet in the body's frame, converted to a representation */
static void represent(robot *r, const jets *j, int body, jn_representation rep, int wrench,
                      const double *x, double *out) {
  double R[9 * (ORDER + 2)], p[3 * (ORDER + 2)], same[6 * (ORDER + 1)];
  const double *zeta = j->zeta + (size_t)body * j->row;
  jn_pose C;
  assert_ok(jn_frame_pose(r->model, r->data, jn_model_body(r->model, body)->frame, &C));
  jn_jet_convert_twist(j->N, JN_BODY, rep, C, zeta, R, p, same);
  if (wrench)
    jn_jet_convert_wrench(j->N, JN_BODY, rep, R, p, x, out);
  else
    memcpy(out, same, sizeof(double) * j->row);
}

static void check_product(robot *r, const jets *j, jn_quantity quantity, int body,
                          jn_representation rep, const char *name, const double *want,
                          double scale) {
  size_t rows = jn_comprehensive_rows(r->model, quantity, body, j->N);
  size_t columns = ((size_t)j->N + 1) * (size_t)r->nv;
  double *A = doubles(rows * columns), *x = doubles(rows);
  assert_ok(jn_comprehensive_jacobian(r->model, r->data, quantity, body, rep, j->N, A));
  multiply((int)rows, (int)columns, 1, A, j->aleph, x);
  check_residual(name, largest_difference(x, want, rows) / fmax(scale, largest(want, rows)), 1e-13);
  free(A), free(x);
}

/* (45)-(57): times the motion vector they give the quantity, in every frame */
static void comprehensive_jacobians_reproduce_their_quantities(void **state) {
  (void)state;
  const int N = 5;
  for (uint64_t seed = 61; seed < 73; seed++) {
    robot r = robot_random(seed, 6, bases[seed % 4], TYPES_ALL, N);
    jn_data_settings(r.data)->formulation = seed % 3 ? JN_FORM_BODY : JN_FORM_SPATIAL;
    jn_data_settings(r.data)->damping = seed % 2 == 0;
    jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
    robot_represent(&r, (jn_representation)(seed / 3 % 4));
    size_t nv = (size_t)r.nv;
    double *tau = doubles(r.n), *part = doubles(r.n);
    assert_ok(jn_inverse_dynamics(r.model, r.data, N - 1, r.q, r.v, NULL, tau));
    jn_jet_to_taylor(N - 1, r.nv, tau);
    jets j = jets_new(&r, N);
    size_t n = (size_t)r.nbody * j.row;
    double *hj = doubles(n), *fj = doubles(n), out[6 * (ORDER + 1)];
    apply(&r, JN_OP_DUAL_L_INVERSE, N, j.h, hj);
    apply(&r, JN_OP_DUAL_L_INVERSE, N, j.f, fj);
    for (int i = 0; i < r.nbody; i++) {
      size_t at = (size_t)i * j.row;
      double z = largest(j.zeta, n), h = largest(j.h, n), f = largest(j.f, n);
      for (int rep = 0; rep < 4; rep++) {
        jn_representation p = (jn_representation)rep;
        represent(&r, &j, i, p, 0, j.zeta + at, out);
        check_product(&r, &j, JN_LINK_MOTION, i, p, "J aleph = twist", out, z);
        represent(&r, &j, i, p, 1, j.h + at, out);
        check_product(&r, &j, JN_LINK_MOMENTUM, i, p, "K aleph = link momentum", out, h);
        represent(&r, &j, i, p, 1, j.f + at, out);
        check_product(&r, &j, JN_LINK_FORCE, i, p, "N aleph = link force", out, f);
        represent(&r, &j, i, p, 1, hj + at, out);
        check_product(&r, &j, JN_JOINT_MOMENTUM, i, p, "B aleph = joint momentum", out, h);
        represent(&r, &j, i, p, 1, fj + at, out);
        check_product(&r, &j, JN_JOINT_FORCE, i, p, "Q aleph = joint force", out, f);
      }
      const jn_joint *q = jn_model_joint(r.model, i);
      for (int k = 0; k < N; k++)
        for (int c = 0; c < q->nv; c++)
          part[k * q->nv + c] = tau[(size_t)k * nv + (size_t)(q->iv + c)];
      if (q->nv)
        check_product(&r, &j, JN_JOINT_TORQUE, i, JN_BODY, "R aleph = tau of the engine", part, f);
    }
    free(tau), free(part), free(hj), free(fj);
    jets_free(&j);
    robot_free(&r);
  }
}

/* The structure: J is the Jacobian's jet (46), (49); J, K, B are Toeplitz; (51), (53) hold block by
 * block; R is not the partial derivative of tau. */
static void comprehensive_jacobians_have_the_papers_structure(void **state) {
  (void)state;
  const int N = 3;
  robot r = robot_random(74, 5, JN_JOINT_FREE, TYPES_ALL, N);
  jets j = jets_new(&r, N);
  size_t nv = (size_t)r.nv, width = 4 * nv, blocks = 4 * 6 * nv;
  double *J = doubles(blocks), *K = doubles(blocks), *A = doubles(24 * width),
         *F = doubles(18 * width);
  static const jn_quantity toeplitz[] = {JN_LINK_MOTION, JN_LINK_MOMENTUM, JN_JOINT_MOMENTUM};
  static const jn_quantity force[] = {JN_LINK_MOTION, JN_LINK_FORCE, JN_JOINT_FORCE};
  for (int i = 0; i < r.nbody; i++)
    for (int rep = 0; rep < 4; rep++)
      for (int t = 0; t < 3; t++) {
        jn_representation p = (jn_representation)rep;
        assert_ok(jn_comprehensive_blocks(r.model, r.data, toeplitz[t], i, p, N, K));
        assert_ok(jn_comprehensive_jacobian(r.model, r.data, toeplitz[t], i, p, N, A));
        double off = 0, scale = largest(K, blocks);
        for (int k = 0; k <= N; k++)
          for (int h = 0; h <= N; h++)
            for (int c = 0; c < 6; c++)
              for (size_t v = 0; v < nv; v++) {
                double want = k < h ? 0 : K[(size_t)((k - h) * 6 + c) * nv + v];
                off = worse(off, fabs(A[(size_t)(k * 6 + c) * width + (size_t)h * nv + v] - want));
              }
        check_residual("J, K, B are Toeplitz", off / scale, 1e-14);
        if (!t) {
          assert_ok(jn_frame_jacobian(r.model, r.data, jn_model_body(r.model, i)->frame, p, N, J));
          jn_jet_to_taylor(N, 6 * r.nv, J);
          check_residual("(46), (49) J = jet of the Jacobian", relative(K, J, blocks), 1e-13);
        } else if (p == JN_BODY) {
          /* (k+1) K_(k+1-h) - sum_a ad(zeta_a)^T K_(k-a-h) */
          assert_ok(jn_comprehensive_jacobian(r.model, r.data, force[t], i, p, N, F));
          const double *zeta = j.zeta + (size_t)i * j.row;
          off = 0;
          for (int k = 0; k < N; k++)
            for (int h = 0; h <= N; h++)
              for (size_t v = 0; v < nv; v++) {
                double want[6] = {0};
                for (int c = 0; c < 6 && k + 1 >= h; c++)
                  want[c] = (k + 1) * K[(size_t)((k + 1 - h) * 6 + c) * nv + v];
                for (int a = 0; a + h <= k; a++) {
                  double x[6], y[6];
                  for (int c = 0; c < 6; c++) x[c] = K[(size_t)((k - a - h) * 6 + c) * nv + v];
                  jn_jet_ad_t(0, zeta + 6 * a, x, y);
                  for (int c = 0; c < 6; c++) want[c] -= y[c];
                }
                for (int c = 0; c < 6; c++)
                  off = worse(off,
                              fabs(F[(size_t)(k * 6 + c) * width + (size_t)h * nv + v] - want[c]));
              }
          check_residual("(51), (53) N = D K, Q = D B", off / largest(F, 18 * width), 1e-13);
        }
      }
  free(J), free(K), free(A), free(F);
  jets_free(&j);
  robot_free(&r);
}

/* d tau / d v of a pendulum at rest is zero, and so is the block of R. In motion the block of R is
 * half of d tau / d v: tau = v^T A v has the derivative 2 A v, the instantaneous map is A v. */
static void instantaneous_is_not_partial(void **state) {
  (void)state;
  robot r = robot_random(75, 4, JN_JOINT_REVOLUTE, TYPE(REVOLUTE), 1);
  size_t nv = (size_t)r.nv;
  double *R = doubles(nv * 2 * nv), *up = doubles(nv), *down = doubles(nv),
         *v = copy_of(r.v, 2 * nv);
  jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
  const double e = 1e-4;
  v[0] += e;
  assert_ok(jn_inverse_dynamics(r.model, r.data, 0, r.q, v, NULL, up));
  v[0] -= 2 * e;
  assert_ok(jn_inverse_dynamics(r.model, r.data, 0, r.q, v, NULL, down));
  assert_ok(jn_kinematics(r.model, r.data, 1, r.q, r.v));
  double off = 0;
  for (int i = 0; i < r.nbody; i++) {
    assert_ok(jn_comprehensive_jacobian(r.model, r.data, JN_JOINT_TORQUE, i, JN_BODY, 1, R));
    off = worse(off, fabs(R[0] - (up[i] - down[i]) / (2 * e)));
  }
  assert_true(off > 1e-3);
  free(R), free(up), free(down), free(v);
  robot_free(&r);
}

static void refusals(void **state) {
  (void)state;
  robot r = robot_random(76, 4, JN_JOINT_FREE, TYPES_ALL, 2);
  double *x = doubles(100000), *y = doubles(100000);
  assert_status(jn_cmtm_forward_kinematics(r.model, r.data, 1, x), JN_ERR_STATE);
  assert_status(jn_comprehensive_jacobian(r.model, r.data, JN_LINK_MOTION, 0, JN_BODY, 1, x),
                JN_ERR_STATE);
  assert_ok(jn_kinematics(r.model, r.data, 3, r.q, r.v));
  assert_status(jn_cmtm_forward_kinematics(r.model, r.data, 5, x), JN_ERR_ORDER);
  assert_status(jn_cmtm_joint(r.model, r.data, r.nbody, 2, x), JN_ERR_ARGUMENT);
  assert_status(jn_comprehensive_blocks(r.model, r.data, JN_LINK_FORCE, 0, JN_BODY, 2, x),
                JN_ERR_ARGUMENT);
  assert_status(jn_comprehensive_jacobian(r.model, r.data, JN_LINK_MOTION, -1, JN_BODY, 2, x),
                JN_ERR_ARGUMENT);
  assert_status(jn_comprehensive_apply(r.model, r.data, JN_OP_L, 2, NULL, y), JN_ERR_ARGUMENT);
  x[0] = NAN;
  fill(y, 10, 7);
  assert_status(jn_comprehensive_apply(r.model, r.data, JN_OP_L, 2, x, y), JN_ERR_NOT_FINITE);
  assert_true(all_equal_to(y, 10, 7));
  assert_status(jn_cmtm_inverse_dynamics(r.model, r.data, 3, r.q, r.v, x, y), JN_ERR_ORDER);
  assert_status(jn_cmtm_inverse_dynamics(r.model, r.data, 1, r.q, r.v, NULL, y), JN_ERR_ARGUMENT);
  free(x), free(y);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_derivative_is_the_matrix_times_its_operator),
      cmocka_unit_test(round_trip_to_order_8),
      cmocka_unit_test(the_printed_deconstruction_is_wrong_from_order_3),
      cmocka_unit_test(dense_matrices_multiply_as_the_jets_do),
      cmocka_unit_test(the_inverse_obeys_68_and_gives_the_dual),
      cmocka_unit_test(vectors_are_transformed_without_the_matrix),
      cmocka_unit_test(chains_of_joints_are_the_links),
      cmocka_unit_test(algorithms_1_and_2_give_the_engines_numbers),
      cmocka_unit_test(the_comprehensive_equations_hold),
      cmocka_unit_test(dense_operators_have_the_papers_blocks),
      cmocka_unit_test(comprehensive_jacobians_reproduce_their_quantities),
      cmocka_unit_test(comprehensive_jacobians_have_the_papers_structure),
      cmocka_unit_test(instantaneous_is_not_partial),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
