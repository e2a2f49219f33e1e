/* test_errata.c: formulas of samy2021 and mueller2018 exactly as printed: by how much they fail, and
 * the corrected ones beside them (docs/errata.md). Others are in test_errata_ali2026, test_cmtm,
 * test_jacobian, test_lagrange, test_linearise_tables, test_newton_euler and test_rotors. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/printed.h"
#include "helpers/tree.h"

/* ---- samy2021 (29), (51): right as printed ---- */

static void equations_29_and_51_hold_as_printed_and_28_does_not(void **state) {
  (void)state;
  enum { N = 6, Q = N - 1 };
  double worst = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    robot r = robot_random(seed, 1, JN_JOINT_FREE, 0, Q);
    robot_represent(&r, JN_BODY);
    jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
    double zeta[6 * (N + 1)], h[6 * (N + 1)], f[6 * N];
    memcpy(zeta, r.v, sizeof zeta);
    jn_jet_to_taylor(N, 6, zeta);
    for (int k = 0; k <= N; k++) {
      const double *z = zeta + 6 * k;
      const jn_wrench w = jn_inertia_apply(jn_model_body(r.model, 0)->inertia,
                                           (jn_twist){{z[0], z[1], z[2]}, {z[3], z[4], z[5]}});
      const double y[6] = {w.n.x, w.n.y, w.n.z, w.f.x, w.f.y, w.f.z};
      memcpy(h + 6 * k, y, sizeof y);
    }
    /* truth: the force on the body, Taylor coefficients */
    double *tau = robot_inverse(&r, r.v, NULL);
    jn_jet_to_taylor(Q, 6, tau);
    /* (51): D_N on the upper diagonal, [zeta x-bar] block lower triangular */
    static double D[6 * N][6 * (N + 1)];
    memset(D, 0, sizeof D);
    for (int k = 0; k < N; k++) {
      for (int c = 0; c < 6; c++) D[6 * k + c][6 * (k + 1) + c] = k + 1;
      for (int j = 0; j <= k; j++) {
        const double *z = zeta + 6 * (k - j);
        double B[6][6];
        jn_ad_matrix((jn_twist){{z[0], z[1], z[2]}, {z[3], z[4], z[5]}}, B);
        for (int a = 0; a < 6; a++)
          for (int c = 0; c < 6; c++) D[6 * k + a][6 * j + c] = -B[c][a];
      }
    }
    for (int i = 0; i < 6 * N; i++) {
      f[i] = 0;
      for (int j = 0; j < 6 * (N + 1); j++) f[i] += D[i][j] * h[j];
    }
    check_residual("samy2021 (51) as printed", row_error(N, 6, f, tau, NULL), 1e-13);
    /* (29): the same by convolution; without D_N it fails */
    double x[6 * (N + 1)];
    jn_jet_ad_t(N, zeta, h, x);
    for (int k = 0; k < N; k++)
      for (int c = 0; c < 6; c++) f[6 * k + c] = (k + 1) * h[6 * (k + 1) + c] - x[6 * k + c];
    check_residual("samy2021 (29) as printed", row_error(N, 6, f, tau, NULL), 1e-13);
    for (int k = 0; k < N; k++)
      for (int c = 0; c < 6; c++) f[6 * k + c] -= k * h[6 * (k + 1) + c];
    assert_true(row_error(N, 6, f, tau, NULL) > 1e-3);
    /* (28), without hats: derivatives in a matrix that lacks the binomials */
    jn_jet_to_derivatives(N, 6, zeta);
    jn_jet_to_derivatives(N, 6, h);
    jn_jet_to_derivatives(Q, 6, tau);
    jn_jet_ad_t(N, zeta, h, x);
    for (int k = 0; k < N; k++)
      for (int c = 0; c < 6; c++) f[6 * k + c] = h[6 * (k + 1) + c] - x[6 * k + c];
    check_residual("samy2021 (28), orders 0 and 1", row_error(2, 6, f, tau, NULL), 1e-13);
    worst = worse(worst, row_error(N, 6, f, tau, NULL));
    free(tau);
    robot_free(&r);
  }
  check_printed("f of samy2021 (28)", worst);
}

/* ---- samy2021 algorithm 2 ---- */

/* With the index set right and an ABA that applies M^-1 only, aleph[i] comes out i times too large:
 * coefficient i-1 of the force is i M psi_i + bias. */
static void algorithm_2_lacks_a_factor(void **state) {
  (void)state;
  enum { K = 4 };
  double worst = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    robot r = robot_random(seed, 4, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(PRISMATIC), K);
    const size_t nv = (size_t)r.nv;
    double *work = doubles(jn_cmtm_work_size(r.model, K)), *tau = robot_inverse(&r, r.v, NULL);
    double *aleph = doubles((K + 2) * nv), *T = doubles((K + 1) * nv), *x = doubles(nv),
           *psi = copy_of(r.v, (K + 2) * nv);
    jn_jet_to_taylor(K + 1, r.nv, psi);
    for (int i = 2; i <= K; i++) {
      double factorial = 1;
      for (int k = 2; k < i; k++) factorial *= k; /* (i-1)! */
      memset(aleph, 0, (K + 2) * nv * sizeof *aleph);
      memcpy(aleph, r.v, (size_t)i * nv * sizeof *aleph); /* psi .. psi^(i-1) are known */
      assert_ok(jn_cmtm_inverse_dynamics(r.model, r.data, i - 1, r.q, aleph, work, T));
      for (size_t c = 0; c < nv; c++)
        x[c] = (tau[(size_t)(i - 1) * nv + c] - T[(size_t)(i - 1) * nv + c]) / factorial;
      assert_ok(jn_inverse_mass_apply(r.model, r.data, r.q, 1, x, x));
      const double *want = psi + (size_t)i * nv;
      worst = worse(worst, relative(x, want, nv));
      for (size_t c = 0; c < nv; c++) x[c] /= i;
      check_residual("algorithm 2 with 1/i", relative(x, want, nv), 1e-8);
    }
    free(work), free(tau), free(aleph), free(T), free(x), free(psi);
    robot_free(&r);
  }
  /* 2, 3, 4 times: off by 1, 2, 3 */
  check_printed("aleph[i] of samy2021 algorithm 2, i to 4", worst);
  if (!(fabs(worst - 3) < 1e-6)) fail_msg("off by %g, not by 3", worst);
}

/* ---- samy2021: J1, J2, J3 of section VI-B ---- */

/* J1 = J{3}, J2 = N{2,2}, J3 = R{3,0} are printed as maps of psi'' to v'', f'', tau''. What maps the
 * motion vector aleph (Taylor coefficients of psi) to x''/2! is the whole row 2. */
static void J1_J2_and_J3_are_rows(void **state) {
  (void)state;
  enum { K = 4 };
  static const jn_quantity of[3] = {JN_LINK_MOTION, JN_LINK_FORCE, JN_JOINT_TORQUE};
  static const size_t row[3] = {3, 2, 3}, column[3] = {0, 2, 0}; /* the printed blocks */
  static const char *const name[3] = {"v'' = J1 psi'' of samy2021", "f'' = J2 psi'' of samy2021",
                                      "tau'' = J3 psi'' of samy2021"};
  double worst[3] = {0};
  for (uint64_t seed = 4; seed <= 32; seed += 4) { /* chains */
    robot r = robot_random(seed, 4, JN_JOINT_FREE, TYPE(REVOLUTE), K);
    robot_represent(&r, JN_BODY);
    jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
    const size_t nv = (size_t)r.nv, width = (K + 1) * nv;
    const int body = r.nbody - 1, iv = jn_model_joint(r.model, body)->iv;
    double *C = doubles(6 * (K + 1) * width), *aleph = copy_of(r.v, width),
           *tau = robot_inverse(&r, r.v, NULL), truth[3][6] = {{0}}, *W = doubles(6 * (K + 1) * 8);
    jn_jet_to_taylor(K, r.nv, aleph);
    assert_ok(jn_joint_reactions(r.model, r.data, K, r.q, r.v, NULL, JN_BODY, NULL, W));
    assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
    double V[6 * (K + 1)];
    assert_ok(jn_frame_twist(r.model, r.data, jn_model_body(r.model, body)->frame, JN_BODY, K, V));
    memcpy(truth[0], V + 12, sizeof truth[0]);
    memcpy(truth[1], W + 6 * (2 * (size_t)r.nbody + (size_t)body), sizeof truth[1]);
    truth[2][0] = tau[2 * nv + (size_t)iv];
    for (int i = 0; i < 3; i++) {
      const size_t n = i < 2 ? 6 : 1;
      double right[6] = {0}, printed[6] = {0};
      assert_ok(jn_comprehensive_jacobian(r.model, r.data, of[i], body, JN_BODY, K, C));
      for (size_t e = 0; e < n; e++) {
        for (size_t c = 0; c < width; c++) right[e] += 2 * C[(2 * n + e) * width + c] * aleph[c];
        for (size_t c = 0; c < nv; c++)
          printed[e] += C[(row[i] * n + e) * width + column[i] * nv + c] * r.v[2 * nv + c];
      }
      check_residual("row 2 of J, N, R times aleph", relative(right, truth[i], n), 1e-12);
      worst[i] = worse(worst[i], relative(printed, truth[i], n));
    }
    free(C), free(aleph), free(tau), free(W);
    robot_free(&r);
  }
  for (int i = 0; i < 3; i++) check_printed(name[i], worst[i]);
}

/* ---- mueller2018: lost and spurious dots, Y for J^s, loops from n-1 ---- */

/* (37), (38), (41) with ad_V' as printed, and with ad_V. Truth: the force on a free body. */
static void equations_37_38_41_have_spurious_dots(void **state) {
  (void)state;
  double worst[3] = {0};
  for (uint64_t seed = 1; seed <= 12; seed++)
    for (int body = 0; body < 2; body++) {
      robot r = robot_random(seed, 1, JN_JOINT_FREE, 0, 0);
      robot_represent(&r, body ? JN_BODY : JN_SPATIAL);
      jn_data_settings(r.data)->gravity = jn_v3(0, 0, 0);
      double *tau = robot_inverse(&r, r.v, NULL), M[36] = {0}, e[6], ad[36], MV[6], W[6], x[6];
      for (int c = 0; c < 6; c++) { /* columns of M */
        double a[12] = {0};
        a[6 + c] = 1;
        double *column = robot_inverse(&r, a, NULL);
        for (int i = 0; i < 6; i++) M[6 * i + c] = column[i];
        free(column);
      }
      times(M, 6, 6, 0, r.v, MV);
      times(M, 6, 6, 0, r.v + 6, e);
      for (int printed = 0; printed < 2; printed++) {
        ad_blocks(r.v + (printed ? 6 : 0), 6, ad);
        memcpy(W, e, sizeof W);
        times(ad, 6, 6, 1, MV, x);
        add(-1, x, 6, W);
        const double error = relative(W, tau, 6);
        if (printed)
          worst[1 + body] = worse(worst[1 + body], error);
        else
          check_residual(body ? "W = M V' - ad^T M V, body" : "W = M V' - ad^T M V, spatial", error,
                         1e-12);
        if (body) continue;
        /* (37) times V: M' V = Pi' - M V' */
        double rate[6], want[6];
        times(ad, 6, 6, 0, r.v, rate);
        times(M, 6, 6, 0, rate, rate);
        add(1, x, 6, rate);
        for (int c = 0; c < 6; c++) rate[c] = -rate[c], want[c] = tau[c] - e[c];
        if (printed)
          worst[0] = worse(worst[0], relative(rate, want, 6));
        else
          check_residual("M' V by (37)", relative(rate, want, 6), 1e-12);
      }
      free(tau);
      robot_free(&r);
    }
  check_printed("M' V of mueller2018 (37)", worst[0]);
  check_printed("W of mueller2018 (38)", worst[1]);
  check_printed("W of mueller2018 (41)", worst[2]);
}

/* A chain of revolute and prismatic joints: screws now and at home, twists to the jerk. */
typedef struct chain {
  robot r;
  int n;
  double J[MOST][6], Y[MOST][6], V[MOST][18];
} chain;

static void chain_new(uint64_t seed, chain *c) {
  c->r = robot_random(4 * seed, 5, JN_JOINT_REVOLUTE, TYPE(REVOLUTE) | TYPE(PRISMATIC), 2);
  robot *r = &c->r;
  c->n = r->nbody;
  double *home = doubles((size_t)r->nq);
  jn_model_home(r->model, home);
  assert_ok(jn_kinematics(r->model, r->data, 0, home, r->v));
  for (int i = 0; i < c->n; i++) {
    assert_int_equal(jn_model_body(r->model, i)->parent, i - 1);
    assert_ok(jn_joint_screws(r->model, r->data, i, 0, c->Y[i]));
  }
  assert_ok(jn_kinematics(r->model, r->data, 2, r->q, r->v));
  for (int i = 0; i < c->n; i++) {
    assert_ok(jn_joint_screws(r->model, r->data, i, 0, c->J[i]));
    assert_ok(jn_frame_twist(r->model, r->data, jn_model_body(r->model, i)->frame, JN_SPATIAL, 2,
                             c->V[i]));
  }
  free(home);
}

static void bracket(const double *a, const double *b, double f, double *out) { /* out += f [a, b] */
  double ad[36], x[6];
  ad_blocks(a, 6, ad);
  times(ad, 6, 6, 0, b, x);
  add(f, x, 6, out);
}

/* (22), jerk of body i; as printed q^(3) is q'' */
static void jerk_22(const chain *c, int i, int printed, double *jerk) {
  const size_t nv = (size_t)c->r.nv;
  const double *v = c->r.v, *a = v + nv, *b = a + nv;
  memset(jerk, 0, 6 * sizeof *jerk);
  for (int j = 0; j <= i; j++) {
    double VJ[6] = {0}, sum[6] = {0}, inner[6] = {0};
    bracket(c->V[j], c->J[j], 1, VJ);
    add(printed ? a[j] : b[j], c->J[j], 6, jerk);
    add(1, c->V[i], 6, sum);
    add(-2, c->V[j], 6, sum);
    bracket(VJ, sum, v[j], jerk);
    for (int k = 0; k <= j; k++) add(a[k], c->J[k], 6, inner);
    add(v[j], VJ, 6, inner);
    bracket(inner, c->J[j], v[j], jerk);
    add(2 * a[j], VJ, 6, jerk);
  }
}

/* (21), jerk of body i; as printed q^(3) is q'' and q'' is q' */
static void jerk_21(const chain *c, int i, int printed, double *jerk) {
  const size_t nv = (size_t)c->r.nv;
  const double *v = c->r.v, *a = v + nv, *b = a + nv;
  memset(jerk, 0, 6 * sizeof *jerk);
  for (int j = 0; j <= i; j++) {
    double VJ[6] = {0}, sum[6] = {0};
    bracket(c->V[j], c->J[j], 1, VJ);
    add(printed ? a[j] : b[j], c->J[j], 6, jerk);
    add(2 * (printed ? v[j] : a[j]), VJ, 6, jerk);
    for (int k = 0; k <= j; k++) bracket(c->J[k], c->J[j], a[k] * v[j], jerk);
    if (j) add(1, c->V[j - 1], 6, sum);
    add(1, c->V[j], 6, sum);
    add(-1, c->V[i], 6, sum);
    bracket(sum, VJ, v[j], jerk);
  }
}

/* (17): the sum of J q'' + [V_j, J_j] q', printed as V'', is V'. */
static void equations_17_21_and_22_lost_dots(void **state) {
  (void)state;
  double worst[3] = {0};
  static chain c;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain_new(seed, &c);
    const int i = c.n - 1;
    double rate[6] = {0}, jerk[6];
    for (int j = 0; j <= i; j++) {
      add(c.r.v[c.r.nv + j], c.J[j], 6, rate);
      bracket(c.V[j], c.J[j], c.r.v[j], rate);
    }
    check_residual("V' by (17)", relative(rate, c.V[i] + 6, 6), 1e-12);
    worst[0] = worse(worst[0], relative(rate, c.V[i] + 12, 6));
    jerk_21(&c, i, 0, jerk);
    check_residual("V'' by (21), dots put back", relative(jerk, c.V[i] + 12, 6), 1e-12);
    jerk_21(&c, i, 1, jerk);
    worst[1] = worse(worst[1], relative(jerk, c.V[i] + 12, 6));
    jerk_22(&c, i, 0, jerk);
    check_residual("V'' by (22), dot put back", relative(jerk, c.V[i] + 12, 6), 1e-12);
    jerk_22(&c, i, 1, jerk);
    worst[2] = worse(worst[2], relative(jerk, c.V[i] + 12, 6));
    robot_free(&c.r);
  }
  check_printed("V'' of mueller2018 (17)", worst[0]);
  check_printed("V'' of mueller2018 (21)", worst[1]);
  check_printed("V'' of mueller2018 (22)", worst[2]);
}

/* (C_j^-1 C_i)(q)^-1 (C_j^-1 C_i)(q + s e_k) as a twist */
typedef struct moved {
  chain *c;
  int i, j, k;
  double *q;
} moved;
static jn_pose relative_pose(const moved *x) {
  robot *r = &x->c->r;
  jn_pose A, B;
  assert_ok(jn_kinematics(r->model, r->data, -1, x->q, NULL));
  assert_ok(jn_frame_pose(r->model, r->data, jn_model_body(r->model, x->j)->frame, &A));
  assert_ok(jn_frame_pose(r->model, r->data, jn_model_body(r->model, x->i)->frame, &B));
  return jn_pose_mul(jn_pose_inv(A), B);
}
static void move(void *context, double s, double *out) {
  moved *x = context;
  memcpy(x->q, x->c->r.q, (size_t)x->c->r.nq * sizeof *x->q);
  const jn_pose D = relative_pose(x);
  x->q[x->k] += s;
  const jn_twist V = jn_se3_log(jn_pose_mul(jn_pose_inv(D), relative_pose(x)));
  const double all[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  memcpy(out, all, sizeof all);
}

/* (4): d/dq_k (C_j^-1 C_i) = C_j^-1 C_i J_ij as printed; it is J_ik. */
static void equation_4_has_the_wrong_column(void **state) {
  (void)state;
  double worst = 0;
  static chain c;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    chain_new(seed, &c);
    const size_t nv = (size_t)c.r.nv;
    double J[6 * MOST], *q = doubles((size_t)c.r.nq), want[6], x[6];
    moved m = {&c, c.n - 1, 1, 3, q};
    derivative(move, &m, 0.1, 6, want);
    assert_ok(jn_kinematics(c.r.model, c.r.data, 0, c.r.q, c.r.v));
    assert_ok(jn_frame_jacobian(c.r.model, c.r.data, jn_model_body(c.r.model, m.i)->frame, JN_BODY,
                                0, J));
    for (size_t k = 0; k < 6; k++) x[k] = J[k * nv + (size_t)m.k];
    check_residual("column k of (4), against differences", relative(x, want, 6), 1e-9);
    for (size_t k = 0; k < 6; k++) x[k] = J[k * nv + (size_t)m.j];
    worst = worse(worst, relative(x, want, 6));
    free(q);
    robot_free(&c.r);
  }
  check_printed("the column of mueller2018 (4)", worst);
}

/* Q_i = J_i . sum of W_k over k = i..last, W = M (V' - G) - ad^T M V */
static void backward_loop(chain *c, int last, double *Q) {
  static double M[N6 * N6], ad[N6 * N6];
  robot *r = &c->r;
  double V[N6], G[N6], W[N6], x[N6];
  const size_t n = 6 * (size_t)c->n;
  const jn_grouped out = {.M = M, .V = V, .G = G};
  assert_ok(jn_grouped_matrices(r->model, r->data, r->q, r->v, &out));
  for (int i = 0; i < c->n; i++) memcpy(x + 6 * i, c->V[i] + 6, 6 * sizeof *x);
  add(-1, G, n, x);
  times(M, n, n, 0, x, W);
  ad_blocks(V, n, ad);
  times(M, n, n, 0, V, x);
  times(ad, n, n, 1, x, x);
  add(-1, x, n, W);
  for (int i = 0; i < c->n; i++) {
    Q[i] = jn_model_joint(r->model, i)->armature * r->v[r->nv + i];
    for (int k = i; k <= last; k++)
      for (int a = 0; a < 6; a++) Q[i] += c->J[i][a] * W[6 * k + a];
  }
}

/* (75b), (107): 0X_i = Ad_-r Y_i and Y_j = Ad_r 0X_j hold with the screw J^s of the moment, not with
 * Y of the home configuration. (71), (76): the backward loop must start at n, not at n-1. */
static void equations_75_107_and_the_backward_loops(void **state) {
  (void)state;
  double worst[3] = {0};
  static chain c;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    chain_new(seed, &c);
    robot *r = &c.r;
    const size_t nv = (size_t)r->nv;
    for (int i = 0; i < c.n; i++) {
      double H[6 * MOST], X[6], x[6], A[6][6];
      jn_pose C;
      const int frame = jn_model_body(r->model, i)->frame;
      assert_ok(jn_frame_pose(r->model, r->data, frame, &C));
      assert_ok(jn_frame_jacobian(r->model, r->data, frame, JN_HYBRID, 0, H));
      for (size_t k = 0; k < 6; k++) X[k] = H[k * nv + (size_t)i];
      jn_Ad_matrix(jn_pose_make(jn_m3_identity(), jn_v3_scale(-1, C.p)), A);
      times(&A[0][0], 6, 6, 0, c.J[i], x);
      check_residual("0X = Ad_-r J^s", relative(x, X, 6), 1e-12);
      times(&A[0][0], 6, 6, 0, c.Y[i], x);
      worst[0] = worse(worst[0], relative(x, X, 6));
      jn_Ad_matrix(jn_pose_make(jn_m3_identity(), C.p), A);
      times(&A[0][0], 6, 6, 0, X, x);
      check_residual("J^s = Ad_r 0X", relative(x, c.J[i], 6), 1e-12);
      worst[1] = worse(worst[1], relative(x, c.Y[i], 6));
    }
    double *tau = robot_inverse(r, r->v, NULL), Q[MOST];
    backward_loop(&c, c.n - 1, Q);
    check_residual("Q of a loop from n", relative(Q, tau, nv), 1e-11);
    backward_loop(&c, c.n - 2, Q);
    worst[2] = worse(worst[2], relative(Q, tau, nv));
    free(tau);
    robot_free(r);
  }
  check_printed("0X of mueller2018 (75b)", worst[0]);
  check_printed("Y of mueller2018 (107)", worst[1]);
  check_printed("Q of mueller2018 (71), (76), loops from n-1", worst[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_29_and_51_hold_as_printed_and_28_does_not),
      cmocka_unit_test(algorithm_2_lacks_a_factor),
      cmocka_unit_test(J1_J2_and_J3_are_rows),
      cmocka_unit_test(equation_4_has_the_wrong_column),
      cmocka_unit_test(equations_37_38_41_have_spurious_dots),
      cmocka_unit_test(equations_17_21_and_22_lost_dots),
      cmocka_unit_test(equations_75_107_and_the_backward_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
