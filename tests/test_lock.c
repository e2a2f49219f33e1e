/* test_lock.c: joints of a spec that are locked: the model without them moves as the whole model does
 * while they rest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

enum { ORDER = 5 };

/* A configuration of the joint, and its numbers. */
static int random_q(rng *r, jn_joint_type type, double *q) {
  static const int nq[] = {0, 1, 1, 1, 2, 3, 2, 4, 7};
  for (int i = 0; i < nq[type]; i++) q[i] = rng_range(r, -1.5, 1.5);
  if (type == JN_JOINT_SPHERICAL) {
    const jn_quat u = jn_quat_from_m3(rng_rotation(r));
    q[0] = u.w, q[1] = u.x, q[2] = u.y, q[3] = u.z;
  }
  return nq[type];
}

/* Copies the numbers of each joint of `part` between arrays of the two models, row by row. */
static void pick(const jn_model *whole, const jn_model *part, int rows, const double *from,
                 double *to, int configuration) {
  const size_t n = (size_t)(configuration ? jn_model_nq(whole) : jn_model_nv(whole)),
               m = (size_t)(configuration ? jn_model_nq(part) : jn_model_nv(part));
  for (int i = 0; i < jn_model_body_count(part); i++) {
    const jn_joint *b = jn_model_joint(part, i);
    const int same = jn_model_find_joint(whole, b->name);
    assert_true(same >= 0);
    const jn_joint *a = jn_model_joint(whole, same);
    if (b->nv == 0) continue;
    assert_int_equal(a->nv, b->nv);
    for (int k = 0; k < rows; k++)
      for (int c = 0; c < (configuration ? b->nq : b->nv); c++)
        to[(size_t)k * m + (size_t)((configuration ? b->iq : b->iv) + c)] =
            from[(size_t)k * n + (size_t)((configuration ? a->iq : a->iv) + c)];
  }
}

/* Random trees, placed by screws and by frames, with welds: some joints are locked. Forces and
 * frames of the rest, to order 5, are those of the whole model with these joints at rest. */
static void a_locked_model_is_the_whole_with_joints_at_rest(void **state) {
  (void)state;
  int types = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    rng r = rng_new(900 + seed);
    const jn_joint_type base = seed % 3 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE;
    jn_spec *spec = random_spec(seed, 9, base, TYPES_ALL);
    robot whole = robot_new(random_spec(seed, 9, base, TYPES_ALL), ORDER, seed, 1);
    double *v = copy_of(whole.v, (size_t)(ORDER + 2) * (size_t)whole.nv);
    for (int i = 0; i < jn_spec_joint_count(spec); i++) {
      const jn_joint_desc *desc = jn_spec_get_joint(spec, i);
      double q[7];
      if (desc->type == JN_JOINT_FIXED || desc->type == JN_JOINT_FREE || rng_below(&r, 2)) continue;
      types |= 1 << desc->type;
      const jn_joint *j = jn_model_joint(whole.model, jn_model_find_joint(whole.model, desc->name));
      const int n = random_q(&r, desc->type, q);
      memcpy(whole.q + j->iq, q, (size_t)n * sizeof *q);
      for (int k = 0; k < ORDER + 2; k++)
        for (int c = 0; c < j->nv; c++) v[k * whole.nv + j->iv + c] = 0;
      assert_ok(jn_spec_lock(spec, desc->name, q));
      assert_int_equal(desc->type, JN_JOINT_FIXED);
    }
    jn_model *part = build(spec);
    jn_data *data = NULL;
    assert_ok(jn_data_new(part, ORDER, NULL, &data));
    jn_data_settings(data)->representation = JN_BODY;
    const size_t nv = (size_t)jn_model_nv(part);
    double *q = doubles((size_t)jn_model_nq(part) + 1), *u = doubles((ORDER + 2) * nv + 1),
           *want = doubles((ORDER + 1) * nv + 1), *tau = doubles((ORDER + 1) * nv + 1);
    pick(whole.model, part, 1, whole.q, q, 1);
    pick(whole.model, part, ORDER + 2, v, u, 0);
    double *all = robot_inverse(&whole, v, NULL), scale[ORDER + 1];
    pick(whole.model, part, ORDER + 1, all, want, 0);
    force_scale(&whole, v, all, scale);
    assert_ok(jn_inverse_dynamics(part, data, ORDER, q, u, NULL, tau));
    for (size_t k = 0; k <= ORDER; k++)
      check_residual("forces of the locked model",
                     largest_difference(tau + k * nv, want + k * nv, nv) / scale[k], 4000 * U);
    /* frames */
    assert_ok(jn_kinematics(part, data, -1, q, NULL));
    assert_ok(jn_kinematics(whole.model, whole.data, -1, whole.q, NULL));
    for (int f = 0; f < jn_model_frame_count(part); f++) {
      const char *name = jn_model_frame(part, f)->name;
      jn_pose a, b;
      assert_ok(jn_frame_pose(part, data, f, &a));
      assert_ok(jn_frame_pose(whole.model, whole.data, jn_model_find_frame(whole.model, name), &b));
      check_residual("frames of the locked model",
                     jn_v3_norm(jn_v3_sub(a.p, b.p)) + fabs(jn_m3_rotation_error(a.R)) +
                         largest_difference(&a.R.m[0][0], &b.R.m[0][0], 9),
                     400 * U);
    }
    free(all), free(q), free(u), free(want), free(tau), free(v);
    jn_data_free(data);
    jn_model_free(part);
    jn_spec_free(spec);
    robot_free(&whole);
  }
  assert_int_equal(types, TYPES_ALL & ~(TYPE(FIXED) | TYPE(FREE)));
}

/* Two bars, the second locked at a right angle: mass properties by hand. */
static void a_locked_joint_merges_inertias(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("bars", NULL, &spec));
  jn_link_desc a = link_of("a", 2, jn_v3(0.5, 0, 0), 0, 0.2, 0.2), b = a;
  b.name = "b";
  jn_joint_desc hinge = joint_of("hinge", JN_JOINT_REVOLUTE, NULL, "a", shift(0, 0, 0)),
                elbow = joint_of("elbow", JN_JOINT_REVOLUTE, "a", "b", shift(1, 0, 0));
  elbow.armature = 7;
  assert_ok(jn_spec_add_link(spec, &a));
  assert_ok(jn_spec_add_link(spec, &b));
  assert_ok(jn_spec_add_joint(spec, &hinge));
  assert_ok(jn_spec_add_joint(spec, &elbow));
  const double right = 1.5707963267948966;
  assert_ok(jn_spec_lock(spec, "elbow", &right));
  jn_model *m = build(spec);
  assert_int_equal(jn_model_nv(m), 1);
  const jn_inertia I = jn_model_body(m, 0)->inertia;
  /* about the hinge: izz = 0.2 + 2 0.5^2 + 0.2 + 2 (1 + 0.5^2); ixx = 2 0.5^2 + 0.2 */
  check_residual("inertia by hand", fabs(I.m - 4) + fabs(I.h.x - 3) + fabs(I.h.y - 1), 8 * U);
  check_residual("inertia by hand", fabs(I.zz - 3.4) + fabs(I.xx - 0.7) + fabs(I.xy + 1), 16 * U);
  jn_model_free(m);
  jn_spec_free(spec);
}

static void what_cannot_be_locked_is_refused(void **state) {
  (void)state;
  counter c;
  jn_allocator hooks = counting(&c);
  jn_spec *spec = NULL;
  const double nothing[4] = {0, 0, 0, 0}, wrong[1] = {HUGE_VAL};
  assert_ok(jn_spec_new("x", &hooks, &spec));
  jn_link_desc l = jn_link_default("a");
  assert_ok(jn_spec_add_link(spec, &l));
  static const jn_joint_type types[3] = {JN_JOINT_FREE, JN_JOINT_SPHERICAL, JN_JOINT_REVOLUTE};
  static const char *const names[3] = {"free", "ball", "hinge"};
  for (int i = 0; i < 3; i++) {
    jn_joint_desc j = jn_joint_default(names[i], types[i], NULL, i == 2 ? "nobody" : "a");
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  assert_status(jn_spec_lock(NULL, "free", NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_lock(spec, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_lock(spec, "nobody", NULL), JN_ERR_ARGUMENT);
  assert_status(jn_spec_lock(spec, "free", nothing), JN_ERR_ARGUMENT);
  assert_status(jn_spec_lock(spec, "ball", nothing), JN_ERR_POSE);
  assert_status(jn_spec_lock(spec, "hinge", wrong), JN_ERR_NOT_FINITE);
  assert_status(jn_spec_lock(spec, "hinge", NULL), JN_ERR_MODEL);
  for (int n = 1; n <= 2; n++) {
    c.fail_at = c.calls + n;
    assert_status(jn_spec_lock(spec, "ball", NULL), JN_ERR_MEMORY);
  }
  for (int i = 0; i < 3; i++) assert_int_equal(jn_spec_get_joint(spec, i)->type, types[i]);
  c.fail_at = 0;
  assert_ok(jn_spec_lock(spec, "free", NULL));
  assert_ok(jn_spec_lock(spec, "ball", NULL));
  assert_ok(jn_spec_lock(spec, "ball", NULL)); /* fixed already */
  assert_int_equal(jn_spec_get_joint(spec, 0)->type, JN_JOINT_FIXED);
  assert_int_equal(jn_spec_find_joint(spec, "hinge"), 2);
  assert_int_equal(jn_spec_find_joint(spec, "nobody"), -1);
  assert_int_equal(jn_spec_find_joint(spec, NULL), -1);
  /* a cycle ends */
  jn_spec_joint(spec, 2)->parent = jn_spec_joint(spec, 2)->child = "a";
  assert_ok(jn_spec_lock(spec, "hinge", NULL));
  jn_spec_free(spec);
  assert_int_equal(c.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_locked_model_is_the_whole_with_joints_at_rest),
      cmocka_unit_test(a_locked_joint_merges_inertias),
      cmocka_unit_test(what_cannot_be_locked_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
