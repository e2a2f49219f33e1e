/* test_newton_euler.c: one rigid body in every representation and frame, compared with each
 * other; and the formulas of mueller2018, sections 2 and 3, that do not hold as printed, with
 * their corrections. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/tree.h"

/* a formula that is wrong as printed must fail clearly */
static void check_wrong(const char *name, double value) {
  char text[96];
  snprintf(text, sizeof text, "1 / error as printed: %s", name);
  check_residual(text, 1 / value, 1e4);
}

static jn_twist twist_of(const double *x) {
  return jn_twist_make(jn_v3(x[0], x[1], x[2]), jn_v3(x[3], x[4], x[5]));
}
static jn_wrench wrench_of(const double *x) {
  return jn_wrench_make(jn_v3(x[0], x[1], x[2]), jn_v3(x[3], x[4], x[5]));
}
static void put_twist(jn_twist V, double *x) {
  const double y[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  memcpy(x, y, sizeof y);
}
static void put_wrench(jn_wrench W, double *x) { put_twist(jn_twist_make(W.n, W.f), x); }

static double apart(jn_wrench a, jn_wrench b) {
  double x[6], y[6];
  put_wrench(a, x), put_wrench(b, y);
  return largest_difference(x, y, 6) / (largest(y, 6) + 1);
}
static double apart_twist(jn_twist a, jn_twist b) {
  return apart(jn_wrench_make(a.w, a.v), jn_wrench_make(b.w, b.v));
}

static jn_twist rng_twist(rng *r, double size) {
  return jn_twist_make(rng_vec3(r, size), rng_vec3(r, size));
}
static jn_inertia rng_inertia(rng *r) {
  jn_mat3 J = {
      {{rng_range(r, 1, 2), 0, 0}, {0, rng_range(r, 1, 2), 0}, {0, 0, rng_range(r, 1, 2)}}};
  jn_mat3 R = rng_rotation(r);
  J = jn_m3_mul(jn_m3_mul(R, J), jn_m3_transpose(R));
  return jn_inertia_make(rng_range(r, 0.5, 3), rng_vec3(r, 1), J);
}

/* A body in motion: twist and momentum jets of order 1 in every representation, and the wrench. */
typedef struct moving {
  jn_inertia I;
  jn_pose C;
  jn_twist V[4], A[4];
  jn_wrench P[4], Pdot[4], W[4];
} moving;

static moving moving_random(rng *r) {
  moving b;
  double V[12], out[12], R[27], p[9], P[12], W[12] = {0};
  b.I = rng_inertia(r);
  b.C = rng_pose(r, 2);
  jn_twist v = rng_twist(r, 2), a = rng_twist(r, 3);
  put_twist(v, V), put_twist(a, V + 6);
  put_wrench(jn_inertia_apply(b.I, v), P);
  put_wrench(jn_inertia_apply(b.I, a), P + 6);
  /* the laws of motion are used only here, about the centre of mass: f = m c'', n = (J_c w)' */
  double m;
  jn_vec3 c;
  jn_mat3 Jc;
  jn_inertia_about_com(b.I, &m, &c, &Jc);
  jn_vec3 acc = jn_v3_add(a.v, jn_v3_cross(v.w, v.v));
  acc = jn_v3_add(acc, jn_v3_cross(a.w, c));
  acc = jn_v3_add(acc, jn_v3_cross(v.w, jn_v3_cross(v.w, c)));
  jn_vec3 f = jn_v3_scale(m, acc);
  jn_vec3 n = jn_v3_add(jn_m3_apply(Jc, a.w), jn_v3_cross(v.w, jn_m3_apply(Jc, v.w)));
  put_wrench(jn_wrench_make(jn_v3_add(n, jn_v3_cross(c, f)), f), W);
  for (int i = 0; i < 4; i++) {
    jn_jet_convert_twist(1, JN_BODY, representations[i], b.C, V, R, p, out);
    b.V[i] = twist_of(out), b.A[i] = twist_of(out + 6);
    jn_jet_convert_wrench(1, JN_BODY, representations[i], R, p, P, out);
    b.P[i] = wrench_of(out), b.Pdot[i] = wrench_of(out + 6);
    jn_jet_convert_wrench(0, JN_BODY, representations[i], R, p, W, out);
    b.W[i] = wrench_of(out);
  }
  return b;
}

static void every_representation_gives_newtons_and_eulers_wrench(void **state) {
  (void)state;
  const char *names[4] = {"spatial (38)", "body (41)", "hybrid (53)", "mixed (56), (57)"};
  const char *balance[4] = {"momentum, spatial (36)", "momentum, body (41)",
                            "momentum, hybrid, (52) with r' x p", "momentum, mixed"};
  rng r = rng_new(11);
  for (int n = 0; n < 500; n++) {
    moving b = moving_random(&r);
    for (int i = 0; i < 4; i++) {
      jn_wrench P = jn_body_momentum(representations[i], b.I, b.C, b.V[i]);
      check_residual(names[i],
                     apart(jn_newton_euler(representations[i], b.I, b.C, b.V[i], b.A[i]), b.W[i]),
                     128 * U);
      check_residual("momentum", apart(P, b.P[i]), 64 * U);
      check_residual(
          balance[i],
          apart(jn_momentum_balance(representations[i], b.C, b.V[i], P, b.Pdot[i]), b.W[i]),
          128 * U);
    }
  }
}

static void equation_52_as_printed_holds_at_the_centre_of_mass_only(void **state) {
  (void)state;
  rng r = rng_new(12);
  for (int n = 0; n < 20; n++) {
    moving b = moving_random(&r);
    check_wrong("(52)", apart(b.Pdot[2], b.W[2]));
    /* (76b) has M V in place of M (w, 0) in the gyroscopic term of (53) */
    jn_inertia M = jn_inertia_move(jn_pose_make(b.C.R, jn_v3(0, 0, 0)), b.I);
    jn_wrench W = jn_inertia_apply(M, b.A[2]), P = jn_inertia_apply(M, b.V[2]);
    jn_vec3 w = b.V[2].w;
    W = jn_wrench_add(W, jn_wrench_make(jn_v3_cross(w, P.n), jn_v3_cross(w, P.f)));
    check_wrong("(76b)", apart(W, b.W[2]));
  }
}

static void the_equations_hold_in_any_frame(void **state) {
  (void)state;
  rng r = rng_new(13);
  for (int n = 0; n < 500; n++) {
    moving b = moving_random(&r);
    /* any frame j with any motion; its twist in itself */
    jn_pose Cj = rng_pose(&r, 2), toj = jn_pose_mul(jn_pose_inv(Cj), b.C);
    jn_twist Vj = rng_twist(&r, 2), Vjs = jn_Ad(Cj, Vj);
    jn_inertia I = jn_inertia_move(toj, b.I);
    jn_twist V = jn_Ad_inv(Cj, b.V[0]);
    jn_twist A = jn_Ad_inv(Cj, jn_twist_sub(b.A[0], jn_ad(Vjs, b.V[0])));
    jn_wrench W = jn_Ad_t(Cj, b.W[0]);
    check_residual("any frame (60)", apart(jn_newton_euler_in_frame(I, Vj, V, A), W), 256 * U);
    check_residual("(60) in the body",
                   apart(jn_newton_euler_in_frame(b.I, b.V[1], b.V[1], b.A[1]), b.W[1]), 256 * U);
    /* resolved in frame k: R from k to j, wk in k */
    jn_pose R = jn_pose_make(rng_rotation(&r), jn_v3(0, 0, 0));
    jn_vec3 wk = rng_vec3(&r, 2), turn = jn_v3_sub(jn_m3_apply(R.R, wk), Vj.w);
    jn_twist drift = jn_twist_make(jn_v3_cross(turn, V.w), jn_v3_cross(turn, V.v));
    jn_twist kV = jn_Ad_inv(R, V), kA = jn_Ad_inv(R, jn_twist_sub(A, drift)),
             kVj = jn_Ad_inv(R, Vj);
    jn_inertia kI = jn_inertia_move(jn_pose_inv(R), I);
    jn_wrench kW = jn_Ad_t(R, W);
    check_residual("any axes (63)", apart(jn_newton_euler_resolved(kI, wk, kVj, kV, kA), kW),
                   256 * U);
    /* as printed: ad of V_i where V_j is meant */
    jn_vec3 rel = jn_v3_sub(wk, kVj.w);
    jn_twist B = jn_twist_make(jn_v3_cross(rel, kV.w), jn_v3_cross(rel, kV.v));
    B = jn_twist_add(jn_twist_add(kA, B), jn_ad(kV, kV));
    jn_wrench as_printed =
        jn_wrench_sub(jn_inertia_apply(kI, B), jn_ad_t(kV, jn_inertia_apply(kI, kV)));
    if (n < 20) check_wrong("(63)", apart(as_printed, kW));
    /* hybrid: j the body, k along the world */
    jn_pose turned = jn_pose_make(b.C.R, jn_v3(0, 0, 0));
    check_residual("(63) as hybrid form",
                   apart(jn_newton_euler_resolved(jn_inertia_move(turned, b.I), jn_v3(0, 0, 0),
                                                  b.V[2], b.V[2], b.A[2]),
                         b.W[2]),
                   256 * U);
  }
}

/* Section 2 on a chain: body i, joint j above it. */
typedef struct chain {
  robot r;
  int n;
  jn_twist V[8][3];    /* hybrid twists, V', V'' */
  jn_twist J[8][8][3]; /* hybrid columns J_ij, J', J'' */
  jn_twist X[8];       /* own columns, hybrid */
  jn_vec3 at[8][3];    /* origins, r', r'' */
  double dq[3][8];     /* q', q'', q''' */
} chain;

static chain chain_new(uint64_t seed) {
  chain c;
  c.n = 6;
  c.r = robot_random(seed * 4, c.n, JN_JOINT_REVOLUTE,
                     TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 3);
  robot *r = &c.r;
  size_t nv = (size_t)r->nv;
  double x[18], p[12], *J = doubles(18 * nv);
  assert_int_equal(r->nv, c.n);
  assert_ok(jn_kinematics(r->model, r->data, 3, r->q, r->v));
  for (int k = 0; k < 3; k++) memcpy(c.dq[k], r->v + (size_t)k * nv, nv * sizeof *r->v);
  for (int i = 0; i < c.n; i++) {
    int f = jn_model_body(r->model, i)->frame;
    assert_ok(jn_frame_twist(r->model, r->data, f, JN_HYBRID, 2, x));
    assert_ok(jn_point_motion(r->model, r->data, f, jn_v3(0, 0, 0), 2, p));
    assert_ok(jn_frame_jacobian(r->model, r->data, f, JN_HYBRID, 2, J));
    for (int k = 0; k < 3; k++) {
      c.V[i][k] = twist_of(x + 6 * k);
      c.at[i][k] = jn_v3(p[3 * k], p[3 * k + 1], p[3 * k + 2]);
      for (int j = 0; j < c.n; j++) {
        double y[6];
        for (int h = 0; h < 6; h++) y[h] = J[(size_t)(6 * k + h) * nv + (size_t)j];
        c.J[i][j][k] = twist_of(y);
      }
    }
    c.X[i] = c.J[i][i][0];
  }
  free(J);
  return c;
}

/* Ad_r, ad_r (translations), ad_w (rotations) */
static jn_twist shift_by(jn_vec3 r, jn_twist V) {
  return jn_twist_make(V.w, jn_v3_add(V.v, jn_v3_cross(r, V.w)));
}
static jn_twist slide(jn_vec3 r, jn_twist V) {
  return jn_twist_make(jn_v3(0, 0, 0), jn_v3_cross(r, V.w));
}
static jn_twist turn(jn_vec3 w, jn_twist V) {
  return jn_twist_make(jn_v3_cross(w, V.w), jn_v3_cross(w, V.v));
}

static void the_hybrid_acceleration_and_jerk_are_27_to_32_corrected(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain c = chain_new(seed);
    int i = c.n - 1;
    jn_twist A = jn_twist_zero(), jerk = A, a28 = A, k31 = A;
    for (int j = 0; j <= i; j++) {
      jn_vec3 r = jn_v3_sub(c.at[j][0], c.at[i][0]), r1 = jn_v3_sub(c.at[j][1], c.at[i][1]);
      jn_vec3 r2 = jn_v3_sub(c.at[j][2], c.at[i][2]);
      jn_twist X = c.X[j];
      jn_vec3 w = c.V[j][0].w, w1 = c.V[j][1].w;
      double q1 = c.dq[0][j], q2 = c.dq[1][j], q3 = c.dq[2][j];
      /* (27): J' = (ad_r' + Ad_r ad_w) X, r = r_ij throughout */
      jn_twist J1 = jn_twist_add(slide(r1, X), shift_by(r, turn(w, X)));
      check_residual("(27) with r_ij", apart_twist(J1, c.J[i][j][1]), 256 * U);
      jn_twist third = jn_twist_sub(jn_ad(c.V[j][0], X), slide(c.at[i][1], X));
      check_residual("(27) with V_j^h", apart_twist(shift_by(r, third), c.J[i][j][1]), 256 * U);
      if (j == 2) {
        jn_vec3 before = jn_v3_sub(c.at[j - 1][0], c.at[i][0]);
        double error =
            apart_twist(jn_twist_add(slide(r1, X), shift_by(before, turn(w, X))), c.J[i][j][1]);
        if (jn_v3_norm(jn_v3_cross(w, X.w)) > 0.1) check_wrong("(27), r_(i,j-1)", error);
      }
      /* (30) */
      jn_twist J2 = jn_twist_add(slide(r2, X), jn_twist_scale(2, slide(r1, turn(w, X))));
      jn_twist inner = jn_twist_add(turn(w1, X), turn(w, turn(w, X)));
      J2 = jn_twist_add(J2, shift_by(r, inner));
      check_residual("(30)", apart_twist(J2, c.J[i][j][2]), 256 * U);
      A = jn_twist_add(A, jn_twist_add(jn_twist_scale(q2, c.J[i][j][0]), jn_twist_scale(q1, J1)));
      jerk = jn_twist_add(jerk, jn_twist_scale(q3, c.J[i][j][0]));
      jerk = jn_twist_add(jerk, jn_twist_add(jn_twist_scale(2 * q2, J1), jn_twist_scale(q1, J2)));
      /* (28): brackets of whole columns, k from j on */
      a28 = jn_twist_add(a28, jn_twist_scale(q2, c.J[i][j][0]));
      for (int k = j; k <= i; k++)
        a28 = jn_twist_add(a28, jn_twist_scale(q1 * c.dq[0][k], jn_ad(c.J[i][j][0], c.J[i][k][0])));
      /* (31), (32): ad_w' + ad_w ad_w outside the bracket that q' multiplies */
      k31 = jn_twist_add(k31, jn_twist_add(jn_twist_scale(q3, c.J[i][j][0]),
                                           jn_twist_scale(2 * q2, slide(r1, X))));
      k31 = jn_twist_add(
          k31,
          jn_twist_scale(q1, jn_twist_add(slide(r2, X), jn_twist_scale(2, slide(r1, turn(w, X))))));
      jn_twist last = jn_twist_add(jn_twist_scale(2 * q2, turn(w, X)), inner);
      k31 = jn_twist_add(k31, jn_twist_scale(q1, shift_by(r, last)));
    }
    check_residual("(29)", apart_twist(A, c.V[i][1]), 256 * U);
    check_residual("(31), (32) with brackets set right", apart_twist(jerk, c.V[i][2]), 256 * U);
    check_wrong("(28)", apart_twist(a28, c.V[i][1]));
    check_wrong("(31), (32)", apart_twist(k31, c.V[i][2]));
    robot_free(&c.r);
  }
}

/* (26), (28) corrected: [J_ij, J^v_ik] for k after j, and the rotation by the joints before j */
static void the_hybrid_columns_turn_with_the_joints_before_them(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain c = chain_new(seed);
    int i = c.n - 1;
    for (int j = 0; j <= i; j++) {
      jn_twist J = c.J[i][j][0], s = jn_twist_zero(), printed = s;
      for (int k = 0; k <= i; k++) {
        jn_twist K = c.J[i][k][0], v = jn_twist_make(jn_v3(0, 0, 0), K.v);
        jn_twist d = k < j ? turn(K.w, J) : jn_ad(J, v);
        s = jn_twist_add(s, jn_twist_scale(c.dq[0][k], d));
        if (k <= j) printed = jn_twist_add(printed, jn_twist_scale(c.dq[0][k], jn_ad(J, v)));
      }
      check_residual("(25) beyond j, turning before", apart_twist(s, c.J[i][j][1]), 256 * U);
      if (j == 3) check_wrong("(26), sum over k <= j", apart_twist(printed, c.J[i][j][1]));
    }
    robot_free(&c.r);
  }
}

static void the_mixed_jerk_is_not_33(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain c = chain_new(seed);
    int i = c.n - 1, f = jn_model_body(c.r.model, i)->frame;
    double x[18];
    jn_pose C;
    assert_ok(jn_frame_pose(c.r.model, c.r.data, f, &C));
    assert_ok(jn_frame_twist(c.r.model, c.r.data, f, JN_MIXED, 2, x));
    for (int k = 0; k < 3; k++) {
      jn_twist m = jn_twist_make(jn_m3_apply_t(C.R, c.V[i][k].w), c.V[i][k].v);
      if (k < 2)
        check_residual("(33), twist and acceleration", apart_twist(m, twist_of(x + 6 * k)), 64 * U);
      else
        check_wrong("(33), jerk", apart_twist(m, twist_of(x + 6 * k)));
      /* w^b'' = R^T (w'' - w x w') */
      m.w = jn_m3_apply_t(C.R, jn_v3_sub(c.V[i][2].w, jn_v3_cross(c.V[i][0].w, c.V[i][1].w)));
      if (k == 2)
        check_residual("(33), jerk less w x w'", apart_twist(m, twist_of(x + 12)), 256 * U);
    }
    robot_free(&c.r);
  }
}

/* (17): the sum is V', regardless of the dots in print */
static void the_spatial_acceleration_is_17_with_one_dot(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain c = chain_new(seed);
    robot *r = &c.r;
    jn_twist A = jn_twist_zero();
    double x[18];
    for (int j = 0; j < c.n; j++) {
      double S[6];
      assert_ok(
          jn_frame_twist(r->model, r->data, jn_model_body(r->model, j)->frame, JN_SPATIAL, 2, x));
      assert_ok(jn_joint_screws(r->model, r->data, j, 0, S));
      A = jn_twist_add(A, jn_twist_scale(c.dq[1][j], twist_of(S)));
      A = jn_twist_add(A, jn_twist_scale(c.dq[0][j], jn_ad(twist_of(x), twist_of(S))));
    }
    check_residual("(17) as V'", apart_twist(A, twist_of(x + 6)), 256 * U);
    check_wrong("(17) as V''", apart_twist(A, twist_of(x + 12)));
    robot_free(r);
  }
}

/* (4): d/dq_k of C_j^-1 C_i = C_j^-1 C_i J_ik, not J_ij */
static void the_relative_pose_moves_with_the_column_of_the_joint_that_moves(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain c = chain_new(seed);
    robot *r = &c.r;
    int i = 5, j = 1, k = 3, fi = jn_model_body(r->model, i)->frame,
        fj = jn_model_body(r->model, j)->frame;
    size_t nv = (size_t)r->nv;
    double *J = doubles(6 * nv), x[2][6], h = 1e-5;
    jn_pose Ci, Cj, C[2];
    assert_ok(jn_kinematics(r->model, r->data, -1, r->q, NULL));
    assert_ok(jn_frame_jacobian(r->model, r->data, fi, JN_BODY, 0, J));
    for (int s = 0; s < 2; s++) {
      r->q[k] += s ? -h : h / 2;
      assert_ok(jn_kinematics(r->model, r->data, -1, r->q, NULL));
      assert_ok(jn_frame_pose(r->model, r->data, fi, &Ci));
      assert_ok(jn_frame_pose(r->model, r->data, fj, &Cj));
      C[s] = jn_pose_mul(jn_pose_inv(Cj), Ci);
    }
    jn_twist d = jn_twist_scale(1 / h, jn_se3_log(jn_pose_mul(jn_pose_inv(C[1]), C[0])));
    /* ... in the middle of the step: the logarithm is the constant twist of joint k as body i sees
     * it */
    for (int h6 = 0; h6 < 6; h6++)
      x[0][h6] = J[(size_t)h6 * nv + (size_t)k], x[1][h6] = J[(size_t)h6 * nv + (size_t)j];
    check_residual("(4) with J_ik, by differences", apart_twist(d, twist_of(x[0])), 1e-9);
    check_wrong("(4)", apart_twist(d, twist_of(x[1])));
    free(J);
    robot_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_representation_gives_newtons_and_eulers_wrench),
      cmocka_unit_test(equation_52_as_printed_holds_at_the_centre_of_mass_only),
      cmocka_unit_test(the_equations_hold_in_any_frame),
      cmocka_unit_test(the_hybrid_acceleration_and_jerk_are_27_to_32_corrected),
      cmocka_unit_test(the_hybrid_columns_turn_with_the_joints_before_them),
      cmocka_unit_test(the_mixed_jerk_is_not_33),
      cmocka_unit_test(the_spatial_acceleration_is_17_with_one_dot),
      cmocka_unit_test(the_relative_pose_moves_with_the_column_of_the_joint_that_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
