/* test_coupled_model.c: models with eliminated mimic joints: what a description may say, every
 * public function on such a model, inverse kinematics. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/calls.h"
#include "helpers/coupled.h"

static double dot(size_t n, const double *x, const double *y) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

/* y of J J^T y = b, 3 x 3: by Cramer's rule */
static void solve3(const double A[9], const double *b, double *y) {
  const jn_vec3 x = jn_v3(A[0], A[3], A[6]), u = jn_v3(A[1], A[4], A[7]),
                w = jn_v3(A[2], A[5], A[8]), r = jn_v3(b[0], b[1], b[2]);
  const double d = jn_v3_dot(x, jn_v3_cross(u, w));
  y[0] = jn_v3_dot(r, jn_v3_cross(u, w)) / d;
  y[1] = jn_v3_dot(x, jn_v3_cross(r, w)) / d;
  y[2] = jn_v3_dot(x, jn_v3_cross(u, r)) / d;
}

/* v = J^T mu at all times, of the coordinates that are left: v^(k) = sum of C(k,i) J^(i)^T mu^(k-i),
 * with J of their own; and the tip moves as it should. */
static void velocities_of_least_norm_in_the_independent_joints(void **state) {
  (void)state;
  enum { ROWS = 5 };
  for (uint64_t seed = 7420; seed < 7432; seed += 4) {
    check_seed(seed);
    jn_spec *spec = random_spec(seed, 7, JN_JOINT_FIXED, TYPE(REVOLUTE));
    jn_joint_desc *last = jn_spec_joint(spec, jn_spec_find_joint(spec, "j6")),
                  *third = jn_spec_joint(spec, jn_spec_find_joint(spec, "j3"));
    last->mimic = third->mimic = "j1", last->mimic_multiplier = -0.5, third->mimic_multiplier = 1.7;
    robot r = robot_new(spec, ROWS, seed, 1);
    const size_t nv = (size_t)r.nv;
    const int frame = jn_model_find_frame(r.model, "l6");
    double twist[6 * ROWS], again[6 * ROWS], mu[ROWS][3],
        *q = copy_of(r.q, nv), *v = doubles(ROWS * nv), *J = doubles(6 * ROWS * nv),
        *left = doubles(nv);
    jn_pose target;
    jn_ik *ik;
    assert_ok(jn_kinematics(r.model, r.data, ROWS - 1, r.q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &target));
    assert_ok(jn_frame_twist(r.model, r.data, frame, JN_HYBRID, ROWS - 1, twist));
    assert_ok(jn_ik_new(r.model, ROWS, frame, JN_CONSTRAINT_POINT, NULL, &ik));
    const jn_world_motion wish = {.pose = target, .representation = JN_HYBRID, .twist = twist};
    assert_ok(jn_ik_least_norm(ik, ROWS, &wish, NULL, q, v));
    assert_ok(jn_kinematics(r.model, r.data, ROWS - 1, q, v));
    assert_ok(jn_frame_twist(r.model, r.data, frame, JN_HYBRID, ROWS - 1, again));
    assert_ok(jn_frame_jacobian(r.model, r.data, frame, JN_HYBRID, ROWS - 1, J));
    double JJ[9];
    for (size_t i = 0; i < 9; i++) JJ[i] = dot(nv, J + (3 + i / 3) * nv, J + (3 + i % 3) * nv);
    for (size_t k = 0; k < ROWS; k++) {
      double choose = 1, b[3];
      memcpy(left, v + k * nv, sizeof *left * nv);
      for (size_t i = 1; i <= k; i++) {
        choose *= (double)(k - i + 1) / (double)i;
        for (size_t a = 0; a < 3; a++)
          for (size_t j = 0; j < nv; j++)
            left[j] -= choose * J[(6 * i + 3 + a) * nv + j] * mu[k - i][a];
      }
      for (size_t a = 0; a < 3; a++) b[a] = dot(nv, J + (3 + a) * nv, left);
      solve3(JJ, b, mu[k]);
      for (size_t a = 0; a < 3; a++)
        for (size_t j = 0; j < nv; j++) left[j] -= J[(3 + a) * nv + j] * mu[k][a];
      const double size = 1 + largest(v + k * nv, nv);
      check_residual("ik: least norm", largest(left, nv) / size, 1e-10);
      check_residual("ik: least norm, motion",
                     largest_difference(again + 6 * k + 3, twist + 6 * k + 3, 3) / size, 1e-10);
    }
    jn_ik_free(ik);
    free(q), free(v), free(J), free(left);
    robot_free(&r);
  }
}

/* A chain that turns, whose last joint follows the first: the tip goes where it was at another
 * configuration, with its velocity; the rest moves it nowhere. */
static void inverse_kinematics_in_the_independent_joints(void **state) {
  (void)state;
  for (uint64_t seed = 7400; seed < 7408; seed += 4) {
    jn_spec *spec = random_spec(seed, 7, JN_JOINT_FIXED, TYPE(REVOLUTE));
    jn_joint_desc *last = jn_spec_joint(spec, jn_spec_find_joint(spec, "j6"));
    last->mimic = "j1", last->mimic_multiplier = -0.5, last->mimic_offset = 0.1;
    robot r = robot_new(spec, 0, seed, 1);
    const size_t nv = (size_t)r.nv;
    const int frame = jn_model_find_frame(r.model, "l6");
    double twist[12], again[12], *q = copy_of(r.q, nv), *v = doubles(2 * nv),
                                 *rest = doubles(nv * nv), *J = doubles(6 * nv);
    jn_pose target, found;
    int left;
    assert_int_equal(nv, 5);
    assert_ok(jn_kinematics(r.model, r.data, 1, r.q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &target));
    assert_ok(jn_frame_twist(r.model, r.data, frame, JN_HYBRID, 1, twist));
    for (size_t i = 0; i < nv; i++) q[i] += 0.05;
    jn_ik *ik;
    assert_ok(jn_ik_new(r.model, 0, frame, JN_CONSTRAINT_POINT, NULL, &ik));
    const jn_world_motion wish = {.pose = target, .representation = JN_HYBRID, .twist = twist};
    assert_ok(jn_ik_solve(ik, 2, &wish, NULL, q, v));
    assert_ok(jn_kinematics(r.model, r.data, 1, q, v));
    assert_ok(jn_frame_pose(r.model, r.data, frame, &found));
    assert_ok(jn_frame_twist(r.model, r.data, frame, JN_HYBRID, 1, again));
    check_residual("ik: position", jn_v3_norm(jn_v3_sub(found.p, target.p)), 1e-12);
    check_residual("ik: velocity", largest_difference(again + 3, twist + 3, 3), 1e-11);
    check_residual("ik: acceleration", largest_difference(again + 9, twist + 9, 3), 1e-10);
    assert_ok(jn_ik_null_space(ik, q, &left, rest));
    assert_int_equal(left, 2);
    assert_ok(jn_frame_jacobian(r.model, r.data, frame, JN_HYBRID, 0, J));
    for (size_t i = 0; i < 2; i++) {
      for (size_t k = 3; k < 6; k++)
        check_residual("ik: null space", fabs(dot(nv, J + k * nv, rest + i * nv)), 1e-12);
      for (size_t k = 0; k < 2; k++)
        check_residual("ik: basis", fabs(dot(nv, rest + k * nv, rest + i * nv) - (i == k)), 1e-14);
    }
    jn_ik_free(ik);
    const int other = jn_model_find_frame(r.model, "l1");
    assert_ok(jn_ik_new(r.model, 0, other, JN_CONSTRAINT_POINT, NULL, &ik));
    jn_ik_free(ik);
    free(q), free(v), free(rest), free(J);
    robot_free(&r);
  }
}

static void every_function_computes(void **state) {
  (void)state;
  jn_spec *spec = random_spec(7201, 9, JN_JOINT_FREE, TYPES_ALL);
  assert_true(couple(spec, 7203) > 1);
  subject s = subject_of(robot_new(spec, 2, 7201, 1.5), 7201, JN_BODY, JN_FORM_BODY, 0);
  int done = 0;
  for (int i = 0; i < call_count; i++) {
    const char *name = calls[i].name;
    /* the robot with constraints has couplings, and other coordinates */
    if (strstr(name, "constrain") || strstr(name, "impact") || strstr(name, "assemble")) continue;
    if (strcmp(name, "jn_christoffel_coriolis") == 0) continue; /* of numbers alone */
    const int status = call_run(&s, &calls[i]);
    if (status == SKIPPED) continue;
    if (status)
      print_error("%s: %s\n", name, status < 0 ? "broken" : jn_status_text((jn_status)status));
    assert_int_equal(status, JN_OK);
    done++;
  }
  assert_true(done > 90);
  subject_free(&s);
}

/* ---- what a description may say ---- */

static jn_status build_with(jn_spec *spec, jn_mimic_policy mimic, jn_model **model, jn_error *e) {
  const jn_build_options options = {.mimic = mimic};
  return jn_model_build(spec, &options, NULL, model, e);
}
static jn_joint_desc *joint_called(jn_spec *spec, const char *name) {
  return jn_spec_joint(spec, jn_spec_find_joint(spec, name));
}

static void chains_circles_and_strangers(void **state) {
  (void)state;
  jn_model *m;
  jn_error e;
  jn_spec *spec = gripper_spec();
  assert_ok(build_with(spec, JN_MIMIC_INDEPENDENT, &m, &e));
  assert_int_equal(jn_model_nv(m), 3);
  assert_ptr_equal(jn_model_tree(m), m);
  jn_model_free(m);
  /* right = -1.3 left + 0.05, left = 2 wrist - 0.1 */
  jn_joint_desc *left = joint_called(spec, "left"), *right = joint_called(spec, "right");
  left->mimic = "wrist", left->mimic_multiplier = 2, left->mimic_offset = -0.1;
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  assert_int_equal(jn_model_nv(m), 1);
  assert_int_equal(jn_model_nv(jn_model_tree(m)), 3);
  const double y = 0.3;
  double q[3];
  jn_tree_expand(m, &y, 0, NULL, q, NULL);
  const jn_model *tree = jn_model_tree(m);
  const double l = q[jn_model_joint(tree, jn_model_find_joint(tree, "left"))->iq],
               r = q[jn_model_joint(tree, jn_model_find_joint(tree, "right"))->iq];
  check_residual("a chain of mimics", fabs(l - 0.5) + fabs(r + 0.6), 4 * U);
  jn_model_free(m);
  /* a circle */
  joint_called(spec, "wrist")->mimic = "right";
  assert_status(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e), JN_ERR_MODEL);
  assert_non_null(strstr(e.message, "follows itself"));
  joint_called(spec, "wrist")->mimic = NULL;
  /* a stranger: independent */
  left->mimic = "nobody";
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  assert_int_equal(jn_model_nv(m), 2);
  jn_model_free(m);
  left->mimic = NULL;
  /* a locked leader holds its follower: B + A q */
  const double at = 0.04;
  assert_ok(jn_spec_lock(spec, "left", &at));
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  assert_int_equal(jn_model_nv(m), 1);
  jn_tree_expand(m, &y, 0, NULL, q, NULL);
  tree = jn_model_tree(m);
  check_residual("follower of a locked joint",
                 fabs(q[jn_model_joint(tree, jn_model_find_joint(tree, "right"))->iq] + 0.002), U);
  jn_model_free(m);
  /* numbers */
  right->mimic_multiplier = JN_MAX_RATIO * 1.001;
  right->mimic = "wrist";
  assert_status(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e), JN_ERR_LIMIT);
  right->mimic_multiplier = JN_MAX_RATIO;
  assert_ok(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e));
  jn_model_free(m);
  right->mimic_offset = NAN;
  assert_status(build_with(spec, JN_MIMIC_ELIMINATED, &m, &e), JN_ERR_MODEL);
  jn_spec_free(spec);
}

/* Every joint is free but the last, which follows the first. */
static void the_largest_tree(void **state) {
  (void)state;
  for (int joints = JN_MAX_COUPLED; joints <= JN_MAX_COUPLED + 1; joints++) {
    jn_spec *spec;
    jn_model *m = NULL;
    assert_ok(jn_spec_new("star", NULL, &spec));
    jn_link_desc link = link_of("base", 1, jn_v3(0, 0, 0), 1, 1, 1);
    assert_ok(jn_spec_add_link(spec, &link));
    for (int i = 0; i < joints; i++) {
      char child[16], name[16];
      snprintf(child, sizeof child, "l%d", i), snprintf(name, sizeof name, "j%d", i);
      link.name = child;
      assert_ok(jn_spec_add_link(spec, &link));
      jn_joint_desc j = joint_of(name, JN_JOINT_REVOLUTE, "base", child, shift(0, 0, 0));
      if (i == joints - 1) j.mimic = "j0";
      assert_ok(jn_spec_add_joint(spec, &j));
    }
    assert_status(jn_model_build(spec, NULL, NULL, &m, NULL),
                  joints > JN_MAX_COUPLED ? JN_ERR_LIMIT : JN_OK);
    if (m) assert_int_equal(jn_model_nv(m), joints - 1);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

/* With constraints of its own a model keeps mimic joints as constraints. */
static void mimic_joints_beside_constraints(void **state) {
  (void)state;
  jn_model *m;
  jn_spec *spec = gripper_spec();
  jn_constraint_desc c = jn_constraint_default("rod", JN_CONSTRAINT_DISTANCE, "one", "two");
  c.length = 0.3;
  assert_ok(jn_spec_add_constraint(spec, &c));
  assert_ok(jn_model_build(spec, NULL, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), 3);
  assert_int_equal(jn_model_constraint_count(m), 2);
  assert_int_equal(jn_model_find_constraint(m, "mimic:right"), 1);
  jn_model_free(m);
  jn_spec_free(spec);
}

/* A massless finger that follows another one has a determined motion; without mass on either the
 * leader is named. */
static void a_follower_needs_no_mass(void **state) {
  (void)state;
  jn_spec *spec = gripper_spec();
  joint_called(spec, "right")->armature = 0;
  jn_link_desc *two = jn_spec_link(spec, jn_spec_find_link(spec, "two"));
  two->mass = 0, two->inertia = (jn_mat3){{{0}}};
  double a[2];
  const double q[2] = {0.1, 0.02}, v[2] = {0.3, 0.1}, tau[2] = {1, 2};
  for (int both = 0; both < 2; both++) {
    jn_link_desc *one = jn_spec_link(spec, jn_spec_find_link(spec, "one"));
    if (both) one->mass = 0, one->inertia = (jn_mat3){{{0}}};
    jn_model *m = build(spec);
    jn_data *data;
    assert_ok(jn_data_new(m, 0, NULL, &data));
    assert_status(jn_forward_dynamics(m, data, 0, q, v, tau, NULL, a),
                  both ? JN_ERR_SINGULAR : JN_OK);
    if (both) assert_int_equal(jn_data_singular_joint(data), jn_model_find_joint(m, "left"));
    jn_data_free(data);
    jn_model_free(m);
  }
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_kinematics_in_the_independent_joints),
      cmocka_unit_test(velocities_of_least_norm_in_the_independent_joints),
      cmocka_unit_test(every_function_computes),
      cmocka_unit_test(chains_circles_and_strangers),
      cmocka_unit_test(the_largest_tree),
      cmocka_unit_test(mimic_joints_beside_constraints),
      cmocka_unit_test(a_follower_needs_no_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
