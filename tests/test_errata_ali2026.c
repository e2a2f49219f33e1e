/* test_errata_ali2026.c: formulas of ali2026 exactly as printed: by how much they fail, and the
 * corrected ones beside them (docs/errata.md). The other papers: test_errata. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"
#include "helpers/printed.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

/* ---- ali2026 (7), appendix B ---- */

typedef struct closed_form {
  size_t n, nv; /* 6 bodies, degrees of freedom */
  double Gp[N6 * N6], S[N6 * N6], Sdot[N6 * N6], M[N6 * N6], V[N6], G[N6];
  double ad[N6 * N6];   /* ad_V of every body on the diagonal */
  double W[N6], W1[N6]; /* applied wrenches, spatial, and Ad^T W'^b */
} closed_form;

/* S' x: ad_V S x as printed, or with S'_1 = 0 in the base's block (table 2) */
static void screw_rate(const closed_form *f, int printed, const double *ad, const double *x,
                       double *out) {
  times(f->S, f->n, f->nv, 0, x, out);
  times(ad, f->n, f->n, 0, out, out);
  if (!printed) memset(out, 0, 6 * sizeof *out);
}
/* S'^T w */
static void screw_rate_t(const closed_form *f, int printed, const double *w, double *out) {
  double y[N6];
  memcpy(y, w, f->n * sizeof *y);
  if (!printed) memset(y, 0, 6 * sizeof *y);
  times(f->ad, f->n, f->n, 1, y, y);
  times(f->S, f->n, f->nv, 1, y, out);
}
/* S^T Gc w */
static void project(const closed_form *f, const double *w, double *out) {
  double y[N6];
  times(f->Gp, f->n, f->n, 1, w, y);
  times(f->S, f->n, f->nv, 1, y, out);
}

/* (7): g' = -S'^T Gc M G + S^T Gc (M ad + ad^T M) G */
static void gravity_rate(const closed_form *f, int printed, double *out) {
  double MG[N6], GcMG[N6], a[N6], x[N6], y[N6];
  times(f->M, f->n, f->n, 0, f->G, MG);
  times(f->Gp, f->n, f->n, 1, MG, GcMG);
  screw_rate_t(f, printed, GcMG, out);
  for (size_t i = 0; i < f->nv; i++) out[i] = -out[i];
  times(f->ad, f->n, f->n, 0, f->G, a);
  times(f->M, f->n, f->n, 0, a, x);
  times(f->ad, f->n, f->n, 1, MG, y);
  add(1, y, f->n, x);
  project(f, x, y);
  add(1, y, f->nv, out);
}

/* (7): tau_ext' = S^T Gc ad^T Ad^T W^b - S'^T Gc Ad^T W^b - S^T Gc Ad^T W'^b */
static void external_rate(const closed_form *f, int printed, double *out) {
  double x[N6], y[N6];
  times(f->ad, f->n, f->n, 1, f->W, x);
  add(-1, f->W1, f->n, x);
  project(f, x, out);
  times(f->Gp, f->n, f->n, 1, f->W, x);
  screw_rate_t(f, printed, x, y);
  add(-1, y, f->nv, out);
}

/* (7) and appendix B: M v'' + h'-bar, with
 *   V' = Gp S v' + Gp S' v,  V'' = Gp S v'' + 2 Gp S' v' + Gp S'' v,
 *   Pi' = M V' - ad^T M V,   Pi'' = M (V'' - ad V') - 2 ad^T Pi' - (ad_V' + ad^2)^T M V */
static void inertial_rate(const closed_form *f, int printed, const double *v, double *out) {
  const size_t n = f->n, nv = f->nv;
  const double *v1 = v + nv, *v2 = v + 2 * nv;
  double V1[N6], V2[N6], MV[N6], P1[N6], P2[N6], x[N6], y[N6];
  static double ad1[N6 * N6];
  times(f->S, n, nv, 0, v1, x);
  screw_rate(f, printed, f->ad, v, y);
  add(1, y, n, x);
  times(f->Gp, n, n, 0, x, V1);
  ad_blocks(V1, n, ad1);
  /* S'' v = (ad_V' + ad^2) S v */
  times(f->S, n, nv, 0, v2, x);
  screw_rate(f, printed, f->ad, v1, y);
  add(2, y, n, x);
  screw_rate(f, printed, ad1, v, y);
  add(1, y, n, x);
  screw_rate(f, printed, f->ad, v, y);
  times(f->ad, n, n, 0, y, y);
  add(1, y, n, x);
  times(f->Gp, n, n, 0, x, V2);
  times(f->M, n, n, 0, f->V, MV);
  times(f->M, n, n, 0, V1, P1);
  times(f->ad, n, n, 1, MV, x);
  add(-1, x, n, P1);
  times(f->ad, n, n, 0, V1, x);
  add(-1, x, n, V2);
  times(f->M, n, n, 0, V2, P2);
  times(f->ad, n, n, 1, P1, x);
  add(-2, x, n, P2);
  times(ad1, n, n, 1, MV, x);
  add(-1, x, n, P2);
  times(f->ad, n, n, 1, MV, x);
  times(f->ad, n, n, 1, x, x);
  add(-1, x, n, P2);
  /* S'^T Gc Pi' + S^T Gc Pi'' */
  project(f, P2, out);
  times(f->Gp, n, n, 1, P1, x);
  screw_rate_t(f, printed, x, y);
  add(1, y, nv, out);
}

/* A robot of joints with one degree of freedom on a free base, its matrices, and wrenches on it. */
static robot closed_form_of(uint64_t seed, closed_form *f, load *l) {
  robot r = robot_random(seed, 3 + (int)(seed % 6), JN_JOINT_FREE,
                         TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 1);
  *l = load_random(&r, seed, 2);
  robot_represent(&r, JN_SPATIAL);
  memset(f, 0, sizeof *f);
  f->n = 6 * (size_t)r.nbody, f->nv = (size_t)r.nv;
  const jn_grouped out = {f->Gp, f->S, f->Sdot, f->M, f->V, f->G};
  assert_ok(jn_grouped_matrices(r.model, r.data, r.q, r.v, &out));
  ad_blocks(f->V, f->n, f->ad);
  return r;
}

/* Wrenches W^b, W'^b on every body, in its frame. */
static void apply_wrenches(robot *r, closed_form *f, double (*jets)[12], jn_applied_wrench *list) {
  rng g = rng_new(77);
  assert_ok(jn_kinematics(r->model, r->data, 0, r->q, r->v));
  for (int i = 0; i < r->nbody; i++) {
    const int frame = jn_model_body(r->model, i)->frame;
    jn_pose C;
    double A[6][6];
    for (int c = 0; c < 12; c++) jets[i][c] = rng_range(&g, -5, 5);
    list[i] = (jn_applied_wrench){frame, JN_BODY, jets[i]};
    assert_ok(jn_frame_pose(r->model, r->data, frame, &C));
    jn_Ad_matrix(jn_pose_inv(C), A);
    times(&A[0][0], 6, 6, 1, jets[i], f->W + 6 * i);
    times(&A[0][0], 6, 6, 1, jets[i] + 6, f->W1 + 6 * i);
  }
}

static void equation_7_puts_a_rate_into_the_block_of_the_base(void **state) {
  (void)state;
  static closed_form f;
  double worst[3] = {0};
  for (uint64_t seed = 1; seed <= 24; seed++) {
    load l;
    robot r = closed_form_of(seed, &f, &l);
    const size_t nv = f.nv;
    double jets[MOST][12], part[N6], tau[N6];
    jn_applied_wrench list[MOST];
    apply_wrenches(&r, &f, jets, list);
    const jn_external external = {r.nbody, list, NULL};
    double *truth = robot_inverse(&r, r.v, &external), *eg = doubles(2 * nv);
    double *bare = robot_inverse(&r, r.v, NULL), ext[N6];
    assert_ok(
        jn_equations_of_motion(r.model, r.data, 1, r.q, r.v, NULL, NULL, NULL, eg, NULL, NULL));
    for (size_t i = 0; i < nv; i++) ext[i] = truth[nv + i] - bare[nv + i];
    for (int printed = 0; printed < 2; printed++) {
      inertial_rate(&f, printed, r.v, tau);
      for (int i = 1; i < r.nbody; i++) { /* armatures are not in the paper */
        const jn_joint *j = jn_model_joint(r.model, i);
        if (j->nv) tau[j->iv] += j->armature * r.v[2 * nv + (size_t)j->iv];
      }
      gravity_rate(&f, printed, part);
      const double g_error = relative(part, eg + nv, nv);
      add(1, part, nv, tau);
      external_rate(&f, printed, part);
      const double x_error = relative(part, ext, nv);
      add(1, part, nv, tau);
      const double error = relative(tau, truth + nv, nv);
      if (printed) {
        worst[0] = worse(worst[0], g_error);
        worst[1] = worse(worst[1], x_error);
        worst[2] = worse(worst[2], error);
        continue;
      }
      check_residual("g' by (7), S'_1 = 0", g_error, 1e-13);
      check_residual("tau_ext' by (7), S'_1 = 0", x_error, 1e-12);
      check_residual("tau' by (7), S'_1 = 0", error, 1e-12);
    }
    /* all of it is in the rows of the base */
    gravity_rate(&f, 1, part);
    check_residual("g' as printed, rows of the joints",
                   largest_difference(part + 6, eg + nv + 6, nv - 6) / largest(eg + nv, nv), 1e-13);
    free(truth), free(bare), free(eg);
    load_free(&l);
    robot_free(&r);
  }
  check_printed("g' of (7)", worst[0]);
  check_printed("tau_ext' of (7)", worst[1]);
  check_printed("tau' of (7) and appendix B", worst[2]);
}

/* ---- ali2026 appendix E, algorithm 1 ---- */

/* Pi' = M V' - ad_V Pi as printed; M V' - ad_V^T Pi. Truth: the force on a free body. */
static void appendix_E_lost_a_transpose(void **state) {
  (void)state;
  static closed_form f;
  double worst = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    robot r = robot_random(seed, 1, JN_JOINT_FREE, 0, 0);
    robot_represent(&r, JN_SPATIAL);
    memset(&f, 0, sizeof f);
    const jn_grouped out = {f.Gp, f.S, f.Sdot, f.M, f.V, f.G};
    assert_ok(jn_grouped_matrices(r.model, r.data, r.q, r.v, &out));
    ad_blocks(f.V, 6, f.ad);
    double *tau = robot_inverse(&r, r.v, NULL), rate[6], Pi[6], x[6], y[6];
    times(f.M, 6, 6, 0, f.G, rate);
    add(1, tau, 6, rate); /* Pi' = tau + M G */
    times(f.M, 6, 6, 0, f.V, Pi);
    for (int printed = 0; printed < 2; printed++) {
      times(f.M, 6, 6, 0, r.v + 6, x);
      times(f.ad, 6, 6, !printed, Pi, y);
      add(-1, y, 6, x);
      if (printed)
        worst = worse(worst, relative(x, rate, 6));
      else
        check_residual("Pi' = M V' - ad^T M V", relative(x, rate, 6), 1e-13);
    }
    free(tau);
    robot_free(&r);
  }
  check_printed("Pi' of appendix E", worst);
}

/* V^(r) = V_parent^(r) + sum of binomial(r, k) S^(k) q^(r-k+1), k to r-1 in one copy, to r. */
static void algorithm_1_sums_to_r(void **state) {
  (void)state;
  enum { K = 4 };
  double worst = 0;
  for (uint64_t seed = 3; seed <= 12; seed++) {
    robot r = robot_random(seed, 5, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(PRISMATIC), K);
    assert_ok(jn_kinematics(r.model, r.data, K, r.q, r.v));
    for (int i = 1; i < r.nbody; i++) {
      const jn_body *b = jn_model_body(r.model, i);
      const size_t iv = (size_t)jn_model_joint(r.model, i)->iv;
      double S[6 * (K + 1)], V[6 * (K + 1)], P[6 * (K + 1)];
      assert_ok(jn_joint_screws(r.model, r.data, i, K, S));
      assert_ok(jn_frame_twist(r.model, r.data, b->frame, JN_SPATIAL, K, V));
      assert_ok(jn_frame_twist(r.model, r.data, jn_model_body(r.model, b->parent)->frame,
                               JN_SPATIAL, K, P));
      for (int k = 1; k <= K; k++) {
        double x[6], binomial = 1;
        memcpy(x, P + 6 * k, sizeof x);
        for (int j = 0; j <= k; j++) {
          if (j == k) worst = worse(worst, relative(x, V + 6 * k, 6));
          add(binomial * r.v[(size_t)(k - j) * (size_t)r.nv + iv], S + 6 * j, 6, x);
          binomial = binomial * (k - j) / (j + 1);
        }
        check_residual("V^(r), sum to r", relative(x, V + 6 * k, 6), 1e-12);
      }
    }
    robot_free(&r);
  }
  check_printed("V^(r) of algorithm 1, sum to r-1", worst);
}

/* ---- ali2026 table 2 ---- */

/* Table 2 has 0 (or tau_1, a torque of a base that has no joint) as the first entry of tau-bar. With
 * W_prop among the applied wrenches, as the text says, (4) holds with 0; with W_prop kept apart, as in
 * algorithms 2 to 4, the entry is W_prop. */
static void table_2_has_no_force_of_the_base(void **state) {
  (void)state;
  static closed_form f;
  double worst[2] = {0};
  for (uint64_t seed = 1; seed <= 12; seed++) {
    load l;
    robot r = closed_form_of(seed, &f, &l);
    const size_t n = f.n, nv = f.nv;
    double x[N6], y[N6], left[N6], right[N6], W[N6] = {0};
    double *tau = robot_inverse(&r, r.v, NULL); /* W_prop, tau_2, ..., by algorithm 2 */
    /* (5) without applied wrenches: S^T Gc (M (Gp (S v' + S' v) - G) - ad^T M V) */
    times(f.S, n, nv, 0, r.v + nv, x);
    times(f.Sdot, n, nv, 0, r.v, y);
    add(1, y, n, x);
    times(f.Gp, n, n, 0, x, x);
    add(-1, f.G, n, x);
    times(f.M, n, n, 0, x, x);
    times(f.M, n, n, 0, f.V, y);
    times(f.ad, n, n, 1, y, y);
    add(-1, y, n, x);
    project(&f, x, left);
    for (int i = 1; i < r.nbody; i++) { /* armatures are not in the paper */
      const jn_joint *j = jn_model_joint(r.model, i);
      if (j->nv) left[j->iv] += j->armature * r.v[nv + (size_t)j->iv];
    }
    const double size = largest(left, nv);
    check_residual("(4), first entry W_prop", largest_difference(left, tau, nv) / size, 1e-13);
    memcpy(right, tau, nv * sizeof *right);
    memset(right, 0, 6 * sizeof *right);
    worst[0] = worse(worst[0], relative(right, left, nv));
    /* W_prop in W_app,1: tau_ext = -S^T Gc W_app */
    memcpy(W, tau, 6 * sizeof *W);
    project(&f, W, x);
    add(-1, x, nv, left);
    check_residual("(4), first entry 0 and W_prop in W_app",
                   largest_difference(left, right, nv) / size, 1e-13);
    worst[1] = worse(worst[1], largest_difference(left, tau, nv) / size);
    free(tau);
    load_free(&l);
    robot_free(&r);
  }
  check_printed("table 2, 0 in tau-bar and W_prop not in W_app", worst[0]);
  check_printed("table 2, tau_1 = Q_1 of algorithm 2 and W_prop in W_app", worst[1]);
}

/* ---- ali2026 algorithm 4 ---- */

/* Q_j^(r) = sum of binomial(r, k) S^(r-k)^T W^(k), W[(r+1) x nb x 6] */
static double joint_force(const double *S, const double *W, int j, size_t nb, int r) {
  double sum = 0, binomial = 1;
  for (int k = r; k >= 0; k--) {
    for (int e = 0; e < 6; e++)
      sum += binomial * S[6 * (r - k) + e] * W[6 * ((size_t)k * nb + (size_t)j) + (size_t)e];
    binomial = binomial * k / (r - k + 1);
  }
  return sum;
}

/* The last lines of algorithm 4 project a wrench W_j^0 that no line of it computes. Read as W_j^A, or
 * as the sum of algorithm 2 when the forward sweep is at joint j and has not been at its children, it
 * is wrong. W_j^(k) = M_j^A V_j^(k+1) + W_j^A(k) is right. */
static void algorithm_4_never_computes_the_wrench_it_projects(void **state) {
  (void)state;
  enum { K = 3 };
  double worst[2] = {0};
  for (uint64_t seed = 1; seed <= 16; seed++) {
    robot r = robot_random(seed, 4 + (int)(seed % 5), JN_JOINT_FREE,
                           TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), K);
    robot_represent(&r, JN_SPATIAL);
    const size_t nb = (size_t)r.nbody, nv = (size_t)r.nv, n = 6 * (K + 1) * nb;
    rng g = rng_new(seed);
    unsigned char given[64] = {0};
    for (int i = 0; i < r.nbody; i++) given[i] = (unsigned char)rng_below(&g, 2);
    double *tau = robot_inverse(&r, r.v, NULL), *MA = doubles(36 * nb), *WA = doubles(n),
           *W = doubles(n), *own = doubles(n), *right = doubles(n), V[6 * (K + 2)], S[6 * (K + 1)],
           scale[K + 1];
    int leaf[64];
    assert_ok(
        jn_articulated_bodies(r.model, r.data, K, r.q, given, r.v, tau, NULL, JN_SPATIAL, MA, WA));
    assert_ok(jn_joint_reactions(r.model, r.data, K, r.q, r.v, NULL, JN_SPATIAL, NULL, W));
    assert_ok(jn_kinematics(r.model, r.data, K + 1, r.q, r.v));
    memcpy(own, W, n * sizeof *own);
    memcpy(right, WA, n * sizeof *right);
    for (size_t i = 0; i < nb; i++) leaf[i] = 1;
    for (int j = r.nbody - 1; j >= 0; j--) {
      const jn_body *b = jn_model_body(r.model, j);
      const size_t at = 6 * (size_t)j;
      if (j) leaf[b->parent] = 0;
      assert_ok(jn_frame_twist(r.model, r.data, b->frame, JN_SPATIAL, K + 1, V));
      for (size_t k = 0; k <= K; k++) {
        double x[6];
        if (j) add(-1, W + 6 * k * nb + at, 6, own + 6 * (k * nb + (size_t)b->parent));
        times(MA + 36 * (size_t)j, 6, 6, 0, V + 6 * (k + 1), x);
        add(1, x, 6, right + 6 * k * nb + at);
      }
    }
    force_scale(&r, r.v, tau, scale);
    for (int j = 1; j < r.nbody; j++) {
      const jn_joint *joint = jn_model_joint(r.model, j);
      if (!joint->nv || !given[j]) continue;
      assert_ok(jn_joint_screws(r.model, r.data, j, K, S));
      for (int k = 0; k <= K; k++) {
        const size_t at = (size_t)k * nv + (size_t)joint->iv;
        const double want = tau[at] - joint->armature * r.v[at + nv];
        check_residual("algorithm 4 with W = M^A V' + W^A",
                       fabs(joint_force(S, right, j, nb, k) - want) / scale[k], 1e-12);
        worst[0] = worse(worst[0], fabs(joint_force(S, WA, j, nb, k) - want) / scale[k]);
        const double before = fabs(joint_force(S, own, j, nb, k) - want) / scale[k];
        worst[1] = worse(worst[1], before);
        if (leaf[j]) check_residual("algorithm 4 at the last joints", before, 1e-12);
      }
    }
    free(tau), free(MA), free(WA), free(W), free(own), free(right);
    robot_free(&r);
  }
  check_printed("tau of algorithm 4, W_j^A for W_j", worst[0]);
  check_printed("tau of algorithm 4, W_j before its children", worst[1]);
}

/* ---- ali2026 (28) ---- */

/* One copy moves the wrench of a propeller by Ad of C from B to B, which is 1; the other copy has one
 * c_f and c_d for all. Truth: a force on a lever arm, and the drag about its axis. */
static void equation_28_moves_nothing_and_has_one_coefficient(void **state) {
  (void)state;
  jn_spec *spec = random_spec(1, 2, JN_JOINT_FREE, TYPE(REVOLUTE));
  jn_rotor_ring ring = jn_rotor_ring_actuated();
  assert_ok(jn_spec_add_rotor_ring(spec, "l0", &ring, NULL));
  rng g = rng_new(28);
  for (int i = 0; i < ring.count; i++) {
    jn_spec_rotor(spec, i)->c_f *= rng_range(&g, 0.7, 1.4);
    jn_spec_rotor(spec, i)->c_d *= rng_range(&g, 0.7, 1.4);
  }
  jn_model *m = build(spec);
  double omega[JN_MAX_ROTORS], thrust[JN_MAX_ROTORS], W[6], truth[6] = {0}, printed[6] = {0},
                                                            one[6] = {0};
  for (int i = 0; i < ring.count; i++) {
    const jn_rotor *p = jn_model_rotor(m, i), *first = jn_model_rotor(m, 0);
    omega[i] = rng_range(&g, 200, 600);
    const double s = omega[i] * omega[i];
    const jn_vec3 t = jn_m3_apply(p->pose.R, jn_v3(0, 0, 1)), arm = jn_v3_cross(p->pose.p, t);
    const double a[6] = {arm.x, arm.y, arm.z, t.x, t.y, t.z}, d[6] = {t.x, t.y, t.z, 0, 0, 0};
    add(p->c_f * s, a, 6, truth);
    add(-p->spin * p->c_d * s, d, 6, truth);
    add(first->c_f * s, a, 6, one);
    add(-p->spin * first->c_d * s, d, 6, one);
    printed[2] += -p->spin * p->c_d * s;
    printed[5] += p->c_f * s;
  }
  assert_ok(jn_rotor_thrusts_at(m, 0, omega, thrust));
  assert_ok(jn_rotor_wrench(m, 0, thrust, W));
  check_residual("(28) with C of p in B", relative(W, truth, 6), 1e-14);
  check_printed("W of (28), C from B to B", relative(printed, truth, 6));
  check_printed("W of (28), one c_f and c_d", relative(one, truth, 6));
  jn_model_free(m);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equation_7_puts_a_rate_into_the_block_of_the_base),
      cmocka_unit_test(appendix_E_lost_a_transpose),
      cmocka_unit_test(algorithm_1_sums_to_r),
      cmocka_unit_test(table_2_has_no_force_of_the_base),
      cmocka_unit_test(algorithm_4_never_computes_the_wrench_it_projects),
      cmocka_unit_test(equation_28_moves_nothing_and_has_one_coefficient),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
