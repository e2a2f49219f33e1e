/* test_inertia.c: inertias that no rigid body has: which are refused, used as they are or repaired,
 * and that a repair is the smallest one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/rng.h"
#include "model/inertia.h"

static jn_mat3 diagonal(double a, double b, double c) {
  return (jn_mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

static jn_mat3 rotated(jn_mat3 R, double a, double b, double c) {
  return jn_m3_mul(jn_m3_mul(R, diagonal(a, b, c)), jn_m3_transpose(R));
}

static double inner(jn_mat3 A, jn_mat3 B) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += A.m[i / 3][i % 3] * B.m[i / 3][i % 3];
  return sum;
}

static double norm(jn_mat3 A) { return sqrt(inner(A, A)); }

static void eigenvalues_and_vectors_rebuild_the_matrix(void **state) {
  (void)state;
  rng r = rng_new(11);
  for (int n = 0; n < 300; n++) {
    const double scale = n % 3 == 0 ? 1e-300 : n % 3 == 1 ? 1e150 : 1;
    const double a = rng_range(&r, -1, 1), b = n % 7 ? rng_range(&r, -1, 1) : a;
    const jn_mat3 J = rotated(rng_rotation(&r), a * scale, b * scale, 0.3 * scale);
    jn_mat3 Q, S = J;
    double e[3];
    for (int i = 0; i < 9; i++) S.m[i / 3][i % 3] = J.m[i % 3][i / 3];
    S = jn_m3_scale(0.5, jn_m3_add(S, J));
    jn_eigenvalues3(S, e, &Q);
    assert_true(e[0] <= e[1] && e[1] <= e[2]);
    const jn_mat3 back = jn_from_eigenvalues3(e, Q);
    check_residual("Q diag(e) Q^T = J", norm(jn_m3_scale(1 / scale, jn_m3_sub(back, S))), 32 * U);
    check_residual("Q^T Q = 1", norm(jn_m3_sub(jn_m3_mul(jn_m3_transpose(Q), Q), jn_m3_identity())),
                   32 * U);
  }
}

/* Projections onto the cone e_i <= e_j + e_k, computed by hand: onto a face, an edge, the apex. */
static void repairs_are_those_computed_by_hand(void **state) {
  (void)state;
  static const struct {
    double e[3], want[3];
  } cases[] = {
      {{1, 1, 3}, {4. / 3, 4. / 3, 8. / 3}},      /* face: excess 1, a third of it each */
      {{1, 2, 4}, {4. / 3, 7. / 3, 11. / 3}},     /* face */
      {{-0.001, 0.01, 0.01}, {0, 0.01, 0.01}},    /* edge: only the negative moment changes */
      {{-1, 1, 1.5}, {0, 1.25, 1.25}},            /* edge */
      {{-1, 10, 20}, {8. / 3, 41. / 3, 49. / 3}}, /* face: excess 11 */
      {{0, 1, 2}, {1. / 3, 4. / 3, 5. / 3}},      /* face */
      {{-3, -2, -1}, {0, 0, 0}},                  /* apex */
      {{-3, -2, 1}, {0, 0, 0}},                   /* apex */
      {{1, 2, 3}, {1, 2, 3}},                     /* a lamina: physical */
      {{1, 2, 2.5}, {1, 2, 2.5}},                 /* physical */
  };
  rng r = rng_new(12);
  for (size_t n = 0; n < COUNT(cases) * 20; n++) {
    const double *e = cases[n / 20].e, *w = cases[n / 20].want;
    const jn_mat3 R = n % 20 ? rng_rotation(&r) : jn_m3_identity();
    jn_mat3 J = rotated(R, e[0], e[1], e[2]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < i; j++) J.m[i][j] = J.m[j][i];
    const jn_mat3 K = jn_nearest_inertia(J), want = rotated(R, w[0], w[1], w[2]);
    check_residual("projection by hand",
                   norm(jn_m3_sub(K, want)) / norm(diagonal(e[0], e[1], e[2])), 64 * U);
  }
}

/* P is the point of a convex set C nearest to J if and only if (J - P) . (X - P) <= 0 for all X in
 * C: no physical inertia is nearer. */
static void no_physical_inertia_is_nearer_than_the_repaired_one(void **state) {
  (void)state;
  rng r = rng_new(13);
  for (int n = 0; n < 2000; n++) {
    jn_mat3 J =
        rotated(rng_rotation(&r), rng_range(&r, -1, 1), rng_range(&r, -1, 1), rng_range(&r, -1, 2));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < i; j++) J.m[i][j] = J.m[j][i];
    const jn_mat3 P = jn_nearest_inertia(J);
    double e[3];
    jn_eigenvalues3(P, e, NULL);
    check_residual("a repaired inertia is physical", fmax(-e[0], e[2] - e[0] - e[1]), 64 * U);
    for (int k = 0; k < 20; k++) {
      /* trace(S)/2 1 - S, S positive semi-definite: every physical inertia, and no other */
      const double a = rng_range(&r, 0, 1), b = rng_range(&r, 0, 1), c = k % 4 ? 0 : 0.5;
      const jn_mat3 X = rotated(rng_rotation(&r), b + c, a + c, a + b);
      check_residual("no physical inertia is nearer", inner(jn_m3_sub(J, P), jn_m3_sub(X, P)),
                     64 * U);
    }
  }
}

/* ---- models: ground - elbow - arm - tip (welded), and a far link */

typedef struct robot {
  jn_mat3 arm, tip, ground;
  double arm_mass, tip_mass, reach; /* reach: distance of the last link */
} robot;

static jn_spec *spec_of(robot r) {
  static const char *const names[4] = {"ground", "arm", "tip", "far"};
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("imperfect", NULL, &spec));
  for (int i = 0; i < 4; i++) {
    jn_link_desc l = jn_link_default(names[i]);
    l.line = 10 + i;
    l.mass = i == 1 ? r.arm_mass : i == 2 ? r.tip_mass : 1;
    l.inertia = i == 0 ? r.ground : i == 1 ? r.arm : i == 2 ? r.tip : diagonal(1, 1, 1);
    assert_ok(jn_spec_add_link(spec, &l));
  }
  static const char *const joints[3] = {"elbow", "weld", "reach"};
  for (int i = 0; i < 3; i++) {
    jn_joint_desc j = jn_joint_default(joints[i], i == 1 ? JN_JOINT_FIXED : JN_JOINT_REVOLUTE,
                                       names[i], names[i + 1]);
    j.placement = JN_BY_FRAME;
    if (i == 2) j.origin.p.x = r.reach;
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  return spec;
}

static robot sound(void) {
  return (robot){diagonal(0.01, 0.01, 0.01), diagonal(0, 0, 0), diagonal(1, 1, 1), 1, 0, 1};
}

/* Builds; checks the status and words of the message; gives the inertia of the arm's body. */
static void expect(robot r, jn_inertia_policy policy, const char *words, jn_mat3 *found) {
  const jn_build_options options = {.inertia = policy};
  jn_spec *spec = spec_of(r);
  jn_model *model = NULL;
  jn_error error = {0};
  jn_status status = jn_model_build(spec, &options, NULL, &model, &error);
  assert_status(status, words ? JN_ERR_MODEL : JN_OK);
  if (words && (!strstr(error.message, words) || error.line != 11))
    fail_msg("line %d: '%s' does not say '%s'", error.line, error.message, words);
  if (found) {
    const jn_inertia I = jn_model_body(model, 1)->inertia; /* its centre of mass is the origin */
    *found = (jn_mat3){{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
  }
  jn_model_free(model);
  jn_spec_free(spec);
}

/* Has the spec, built with the policy, a finding of this severity and line with the words? */
static int finds(robot r, jn_inertia_policy policy, jn_severity severity, int line,
                 const char *words) {
  const jn_build_options options = {.inertia = policy};
  jn_spec *spec = spec_of(r);
  int hits = 0;
  assert_ok(jn_spec_lint_for(spec, &options));
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    hits += f.severity == severity && f.line == line && strstr(f.text, words) != NULL;
  }
  jn_spec_free(spec);
  return hits;
}

static void a_moment_within_rounding_of_zero_is_accepted(void **state) {
  (void)state;
  robot r = sound();
  r.arm = diagonal(-2e-35, 1e-35, 1e-35); /* iCub */
  for (int policy = JN_INERTIA_DEFAULT; policy <= JN_INERTIA_REPAIR; policy++) {
    jn_mat3 J;
    expect(r, (jn_inertia_policy)policy, NULL, &J);
    assert_true(J.m[0][0] == -2e-35 && J.m[1][1] == 1e-35);
  }
  /* 1e-12 of mass x (size of the robot)^2, on both sides */
  static const double reach[3] = {0.1, 1, 30}, mass[3] = {1e-3, 1, 50};
  for (int n = 0; n < 9; n++) {
    r.reach = reach[n % 3], r.arm_mass = mass[n / 3];
    const double zero = 1e-12 * r.arm_mass * r.reach * r.reach;
    r.arm = diagonal(-0.9 * zero, 0.1 * zero, 0.1 * zero);
    expect(r, JN_INERTIA_DEFAULT, NULL, NULL);
    r.arm = diagonal(-1.1 * zero, 0.1 * zero, 0.1 * zero);
    expect(r, JN_INERTIA_DEFAULT, "link 'arm': inertia is not positive definite", NULL);
  }
}

static void an_indefinite_inertia_is_refused_used_or_repaired(void **state) {
  (void)state;
  robot r = sound();
  jn_mat3 J;
  r.arm = diagonal(-1e-3, 0.01, 0.01);
  expect(r, JN_INERTIA_DEFAULT, "principal moments -0.001, 0.01, 0.01", NULL);
  expect(r, JN_INERTIA_DEFAULT, "choose the inertia policy 'repair'", NULL);
  expect(r, JN_INERTIA_STRICT, "link 'arm': inertia is not positive definite", NULL);
  expect(r, JN_INERTIA_PERMISSIVE, NULL, &J);
  assert_true(J.m[0][0] == -1e-3 && J.m[1][1] == 0.01 && J.m[2][2] == 0.01);
  expect(r, JN_INERTIA_REPAIR, NULL, &J);
  check_residual("repaired by the smallest amount", norm(jn_m3_sub(J, diagonal(0, 0.01, 0.01))), U);
  assert_int_equal(
      finds(r, JN_INERTIA_DEFAULT, JN_SERIOUS, 11, "'arm': inertia is not positive definite"), 1);
  assert_int_equal(finds(r, JN_INERTIA_PERMISSIVE, JN_SERIOUS, 11, "it is used as it is"), 1);
  assert_int_equal(finds(r, JN_INERTIA_REPAIR, JN_WARNING, 11, "repaired: ixx -0.001 -> 0"), 1);
}

static void a_violated_triangle_inequality_is_refused_in_strict_mode_alone(void **state) {
  (void)state;
  robot r = sound();
  jn_mat3 J;
  r.arm = diagonal(1, 1, 3);
  expect(r, JN_INERTIA_STRICT, "principal moment 3 exceeds 1 + 1 (triangle inequality)", NULL);
  expect(r, JN_INERTIA_DEFAULT, NULL, &J);
  assert_true(J.m[2][2] == 3);
  expect(r, JN_INERTIA_PERMISSIVE, NULL, &J);
  assert_true(J.m[2][2] == 3);
  expect(r, JN_INERTIA_REPAIR, NULL, &J);
  check_residual("repaired by the smallest amount",
                 norm(jn_m3_sub(J, diagonal(4. / 3, 4. / 3, 8. / 3))), 8 * U);
  assert_int_equal(finds(r, JN_INERTIA_DEFAULT, JN_WARNING, 11, "triangle"), 1);
  assert_int_equal(finds(r, JN_INERTIA_STRICT, JN_SERIOUS, 11, "triangle"), 1);
  assert_int_equal(finds(r, JN_INERTIA_REPAIR, JN_WARNING, 11, "ixx 1 -> 1.3333"), 1);
  assert_int_equal(finds(r, JN_INERTIA_REPAIR, JN_WARNING, 11, "izz 3 -> 2.6666"), 1);
  /* sound inertias are not touched, and there is nothing to say */
  r.arm = diagonal(1, 2, 3);
  expect(r, JN_INERTIA_REPAIR, NULL, &J);
  assert_true(J.m[0][0] == 1 && J.m[1][1] == 2 && J.m[2][2] == 3);
  expect(r, JN_INERTIA_STRICT, NULL, NULL);
  assert_int_equal(finds(r, JN_INERTIA_STRICT, JN_SERIOUS, 11, ""), 0);
  assert_int_equal(finds(r, JN_INERTIA_REPAIR, JN_WARNING, 11, ""), 0);
}

static void bodies_that_move_are_judged_with_all_that_is_welded_to_them(void **state) {
  (void)state;
  robot r = sound();
  /* what does not move does not matter */
  r.ground = diagonal(-1, 1, 1);
  expect(r, JN_INERTIA_STRICT, NULL, NULL);
  assert_int_equal(finds(r, JN_INERTIA_STRICT, JN_NOTE, 10, "it does not matter"), 1);
  assert_int_equal(finds(r, JN_INERTIA_STRICT, JN_SERIOUS, 10, ""), 0);
  /* an antenna of a milligram on a sound arm */
  r = sound();
  r.tip = diagonal(-1e-9, 1e-9, 1e-9), r.tip_mass = 1e-6;
  expect(r, JN_INERTIA_STRICT, NULL, NULL);
  assert_int_equal(finds(r, JN_INERTIA_DEFAULT, JN_NOTE, 12, "it does not matter"), 1);
  /* together they are indefinite: the worst link is named */
  r.tip = diagonal(-0.02, 0.01, 0.01);
  const jn_build_options options = {.inertia = JN_INERTIA_DEFAULT};
  jn_spec *spec = spec_of(r);
  jn_model *model = NULL;
  jn_error error = {0};
  assert_status(jn_model_build(spec, &options, NULL, &model, &error), JN_ERR_MODEL);
  assert_int_equal(error.line, 12);
  assert_non_null(
      strstr(error.message, "link 'tip' (welded to 'arm'): inertia is not positive definite"));
  jn_spec_free(spec);
}

/* A joint about the z axis through the centre of mass: tau = izz a, whatever the inertia. */
static void an_inertia_is_used_as_it_is(void **state) {
  (void)state;
  robot r = sound();
  r.arm = rotated(rng_rotation(&(rng){5}), -1e-3, 0.01, 0.03);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) r.arm.m[i][j] = r.arm.m[j][i];
  const jn_build_options options = {.inertia = JN_INERTIA_PERMISSIVE};
  jn_spec *spec = spec_of(r);
  jn_model *model = NULL;
  jn_data *data = NULL;
  jn_spec_joint(spec, 2)->type = JN_JOINT_FIXED; /* the far link, at distance 1: izz = 1 + 1 */
  assert_ok(jn_model_build(spec, &options, NULL, &model, NULL));
  assert_ok(jn_data_new(model, 0, NULL, &data));
  const double q[1] = {0.4}, v[2] = {0.7, 1.3};
  double tau[1];
  assert_ok(jn_inverse_dynamics(model, data, 0, q, v, NULL, tau));
  check_residual("tau = izz a", fabs(tau[0] / ((r.arm.m[2][2] + 2) * 1.3) - 1), 8 * U);
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues_and_vectors_rebuild_the_matrix),
      cmocka_unit_test(repairs_are_those_computed_by_hand),
      cmocka_unit_test(no_physical_inertia_is_nearer_than_the_repaired_one),
      cmocka_unit_test(a_moment_within_rounding_of_zero_is_accepted),
      cmocka_unit_test(an_indefinite_inertia_is_refused_used_or_repaired),
      cmocka_unit_test(a_violated_triangle_inequality_is_refused_in_strict_mode_alone),
      cmocka_unit_test(bodies_that_move_are_judged_with_all_that_is_welded_to_them),
      cmocka_unit_test(an_inertia_is_used_as_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
