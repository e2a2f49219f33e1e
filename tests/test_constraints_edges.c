/* test_constraints_edges.c: constraints in odd states: axes exactly opposite, prescribed joints
 * without an actuator, targets that cannot be reached by the joints that are left, constraints that
 * are switched off, and kinematics that are missing. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/inverse_kinematics.h>

#include "helpers/coupled.h"
#include "helpers/mechanism.h"

static const double half_turn = 3.14159265358979312;

/* One free body, its axis z or x held to that of the world; the sides are exactly opposite. */
static void opposite_axes_are_half_a_turn_apart(void **state) {
  (void)state;
  static const jn_mat3 along[2] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                   {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}}, /* z to x */
      flip = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
  for (int i = 0; i < 2; i++) {
    jn_spec *spec;
    assert_ok(jn_spec_new("axis", NULL, &spec));
    const jn_link_desc body = link_of("body", 1, jn_v3(0, 0, 0), 1, 1, 1);
    const jn_joint_desc joint = joint_of("free", JN_JOINT_FREE, NULL, "body", shift(0, 0, 0));
    assert_ok(jn_spec_add_link(spec, &body));
    assert_ok(jn_spec_add_joint(spec, &joint));
    jn_constraint_desc hinge = jn_constraint_default("hinge", JN_CONSTRAINT_REVOLUTE, "body", NULL);
    hinge.a.pose.R = along[i];
    hinge.b.pose.R = jn_m3_mul(along[i], flip);
    assert_ok(jn_spec_add_constraint(spec, &hinge));
    mechanism m = mechanism_of(build(spec), 0);
    double residual[5];
    jn_model_home(m.model, m.q);
    assert_ok(jn_constraint_closure(m.model, m.data, 0, m.q, NULL, NULL, residual, NULL, NULL));
    check_residual("opposite axes: position", largest(residual + 2, 3), 0);
    check_residual("opposite axes: half a turn", fabs(hypot(residual[0], residual[1]) - half_turn),
                   4 * U * half_turn);
    assert_status(
        jn_constrained_forward_dynamics(m.model, m.data, 0, m.q, m.v, m.tau, NULL, NULL, m.v, NULL),
        JN_ERR_CLOSURE);
    assert_int_equal(jn_data_constraint_fault(m.data).constraint, 0);
    mechanism_free(&m);
    jn_spec_free(spec);
  }
}

static void a_passive_joint_cannot_be_prescribed(void **state) {
  (void)state;
  int passive = 0;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    unsigned char *given = calloc((size_t)m->nbody + 1, 1);
    double *v = copy_of(m->v, m->n + (size_t)m->nv), *tau = copy_of(m->tau, m->n);
    for (int b = 0; b < m->nbody; b++) {
      const jn_joint *j = jn_model_joint(m->model, b);
      if (!j->passive || !j->nv) continue;
      given[b] = 1, passive++;
      assert_status(jn_constrained_hybrid_dynamics(m->model, m->data, 0, m->q, given, v, tau, NULL,
                                                   NULL, NULL),
                    JN_ERR_ACTUATION);
      assert_int_equal(jn_data_constraint_fault(m->data).joint, b);
      assert_true(same_bits(v, m->v, m->n + (size_t)m->nv) && same_bits(tau, m->tau, m->n));
      given[b] = 0;
    }
    free(given), free(v), free(tau);
    mechanism_free(m);
  }
  assert_true(passive > 3);
}

/* A constraint that is switched off does not matter: the model without it assembles the same. */
static void assembly_leaves_constraints_alone_that_are_off(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    mechanism m = mechanism_random(seed, 4, JN_JOINT_FREE, TYPE(REVOLUTE), 2, CUTS_ALL, 1);
    const int count = jn_model_constraint_count(m.model);
    unsigned char *active = calloc((size_t)count + 1, 1);
    const jn_constraints none = {.active = active};
    double *q = copy_of(m.q, (size_t)m.nq), *v = copy_of(m.v, (size_t)m.nv);
    for (int i = 0; i < m.nbody; i++) { /* away from the constraints */
      const jn_joint *j = jn_model_joint(m.model, i);
      if (j->nq == 1) q[j->iq] += 0.2;
    }
    double *start = copy_of(q, (size_t)m.nq);
    assert_ok(jn_assemble(m.model, m.data, 1, NULL, &none, q, v));
    check_residual("nothing is active: q", largest_difference(q, start, (size_t)m.nq), 4 * U);
    check_residual("nothing is active: v", largest_difference(v, m.v, (size_t)m.nv), 16 * U);
    free(active), free(q), free(v), free(start);
    mechanism_free(&m);
  }
}

/* Inverse kinematics of a gripper's follower: the joints that are left cannot reach the target, or
 * the tool. A failed call changes nothing. */
static void driven_joints_may_leave_too_little(void **state) {
  (void)state;
  for (int mimic = 0; mimic < 2; mimic++) {
    jn_spec *spec = gripper_spec();
    if (!mimic) jn_spec_joint(spec, jn_spec_find_joint(spec, "right"))->mimic = NULL;
    robot r = robot_new(spec, 1, 5, 1);
    const int tip = jn_model_find_frame(r.model, "one");
    jn_ik *ik;
    jn_world_motion at = {.representation = JN_HYBRID}, far;
    assert_ok(jn_ik_new(r.model, 1, tip, JN_CONSTRAINT_POINT_ON_PLANE, NULL, &ik));
    assert_ok(jn_kinematics(r.model, r.data, 0, r.q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, tip, &at.pose));
    far = at, far.pose.p.z += 100;
    far.pose.R = at.pose.R = jn_m3_identity();
    double *q = copy_of(r.q, (size_t)r.nq), *v = copy_of(r.v, 2 * (size_t)r.nv);
    unsigned char all[8] = {1, 1, 1, 1, 1, 1, 1, 1}, wrist[8] = {0};
    const int turning = jn_model_find_joint(r.model, "wrist");
    wrist[turning] = 1;
    const size_t nv = (size_t)r.nv;
    assert_status(jn_ik_solve(ik, 1, &far, NULL, q, v), JN_ERR_ASSEMBLY);
    assert_status(jn_ik_solve(ik, 1, &far, all, q, v), JN_ERR_ASSEMBLY);
    assert_status(jn_ik_least_norm(ik, 1, &far, NULL, q, v), JN_ERR_ASSEMBLY);
    assert_true(same_bits(q, r.q, (size_t)r.nq) && same_bits(v, r.v, 2 * nv));
    /* the wrist moves as given, the finger makes up for it: the plane is at rest */
    assert_ok(jn_ik_least_norm(ik, 1, &at, wrist, q, v));
    const jn_joint *turn = jn_model_joint(r.model, turning);
    check_residual("a driven joint moves as given", fabs(v[turn->iv] - r.v[turn->iv]), 4 * U);
    double twist[6];
    assert_ok(jn_kinematics(r.model, r.data, 0, q, v));
    assert_ok(jn_frame_twist(r.model, r.data, tip, JN_HYBRID, 0, twist));
    check_residual("velocity across the plane", fabs(twist[5]), 1e-12);
    jn_ik_free(ik);
    free(q), free(v);
    robot_free(&r);
  }
}

static void poses_need_kinematics(void **state) {
  (void)state;
  robot r = robot_random(77, 3, JN_JOINT_FREE, TYPES_ALL, 0);
  jn_pose C;
  assert_status(jn_relative_pose(r.model, r.data, 0, JN_WORLD, &C), JN_ERR_STATE);
  assert_ok(jn_kinematics(r.model, r.data, -1, r.q, NULL));
  assert_ok(jn_relative_pose(r.model, r.data, 0, 0, &C));
  check_residual("a frame in itself", jn_v3_norm(C.p) + jn_m3_rotation_error(C.R), 8 * U);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opposite_axes_are_half_a_turn_apart),
      cmocka_unit_test(a_passive_joint_cannot_be_prescribed),
      cmocka_unit_test(assembly_leaves_constraints_alone_that_are_off),
      cmocka_unit_test(driven_joints_may_leave_too_little),
      cmocka_unit_test(poses_need_kinematics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
