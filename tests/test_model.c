/* test_model.c: building a model from a spec: order, merging, frames, the root joint, limits.
 * Working memory and large models: test_data.c. */
#include "model/data.h"

#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/tree.h"

static jn_spec *new_spec(void) {
  jn_spec *spec;
  assert_ok(jn_spec_new("test", NULL, &spec));
  return spec;
}

static void add(jn_spec *spec, const char *name) {
  jn_link_desc l = link_of(name, 1, jn_v3(0.1, 0.2, 0.3), 0.1, 0.2, 0.25);
  assert_ok(jn_spec_add_link(spec, &l));
}

static void join(jn_spec *spec, const char *name, jn_joint_type type, const char *parent,
                 const char *child) {
  jn_joint_desc j = joint_of(name, type, parent, child, shift(0.3, 0.2, 0.1));
  assert_ok(jn_spec_add_joint(spec, &j));
}

static void bodies_come_depth_first_in_the_order_of_the_joints(void **state) {
  (void)state;
  jn_spec *spec = new_spec();
  const char *const links[] = {"f", "c", "a", "e", "base", "b", "d"};
  for (size_t i = 0; i < COUNT(links); i++) add(spec, links[i]);
  join(spec, "1", JN_JOINT_REVOLUTE, "b", "c");
  join(spec, "2", JN_JOINT_SPHERICAL, "base", "d");
  join(spec, "3", JN_JOINT_PLANAR, "base", "a");
  join(spec, "4", JN_JOINT_FREE, NULL, "base");
  join(spec, "5", JN_JOINT_REVOLUTE, "d", "e");
  join(spec, "6", JN_JOINT_PRISMATIC, "a", "b");
  join(spec, "7", JN_JOINT_UNIVERSAL, "a", "f");
  jn_model *m = build(spec);
  const char *const want[] = {"base", "d", "e", "a", "b", "c", "f"};
  const char *const joints[] = {"4", "2", "5", "3", "6", "1", "7"};
  const int parent[] = {-1, 0, 1, 0, 3, 4, 3}, iq[] = {0, 7, 11, 12, 15, 16, 17},
            iv[] = {0, 6, 9, 10, 13, 14, 15};
  assert_int_equal(jn_model_body_count(m), 7);
  assert_int_equal(jn_model_frame_count(m), 7);
  assert_int_equal(jn_model_nq(m), 19);
  assert_int_equal(jn_model_nv(m), 17);
  assert_true(jn_model_is_floating(m));
  assert_string_equal(jn_model_name(m), "test");
  for (int i = 0; i < 7; i++) {
    const jn_body *b = jn_model_body(m, i);
    const jn_joint *j = jn_model_joint(m, i);
    assert_string_equal(b->name, want[i]);
    assert_string_equal(j->name, joints[i]);
    assert_int_equal(b->parent, parent[i]);
    assert_true(j->iq == iq[i] && j->iv == iv[i]);
    assert_int_equal(jn_model_find_body(m, want[i]), i);
    assert_int_equal(jn_model_find_joint(m, joints[i]), i);
    assert_int_equal(jn_model_find_frame(m, want[i]), b->frame);
    assert_int_equal(jn_model_frame(m, b->frame)->body, i);
  }
  assert_null(jn_model_body(m, 7));
  assert_null(jn_model_body(m, -1));
  assert_null(jn_model_joint(m, 7));
  assert_null(jn_model_frame(m, 7));
  assert_null(jn_model_frame(m, -1));
  assert_int_equal(jn_model_find_body(m, "nobody"), -1);
  assert_int_equal(jn_model_find_joint(m, ""), -1);
  jn_model_free(m);
  jn_spec_free(spec);
}

/* base (free) - arm (revolute), the arm split in two or three by fixed joints */
static jn_spec *split_arm(int parts, jn_placement placement) {
  jn_spec *spec = new_spec();
  rng r = rng_new(17);
  add(spec, "base");
  join(spec, "root", JN_JOINT_FREE, NULL, "base");
  jn_pose home = shift(0.3, 0.2, 0.1); /* as join places the base */
  for (int i = 0; i < parts; i++) {
    char name[16], parent[16] = "base", joint[16];
    snprintf(name, sizeof name, "arm%d", i);
    snprintf(joint, sizeof joint, "joint%d", i);
    if (i) snprintf(parent, sizeof parent, "arm%d", i - 1);
    jn_link_desc l = link_of(name, i == 2 ? 0 : 1 + i, rng_vec3(&r, 0.2), 0.02, 0.03, 0.04);
    if (i == 2) memset(&l.inertia, 0, sizeof l.inertia);
    jn_joint_desc j =
        joint_of(joint, i ? JN_JOINT_FIXED : JN_JOINT_REVOLUTE, parent, name, rng_pose(&r, 0.3));
    home = jn_pose_mul(home, j.origin);
    l.home = home;
    j.placement = placement;
    if (placement == JN_BY_SCREW) {
      j.axis[0] = jn_m3_apply(home.R, j.axis[0]);
      j.point = home.p;
    }
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  jn_frame_desc f = {"tool", parts > 1 ? "arm1" : "arm0", rng_pose(&r, 0.1), 0};
  assert_ok(jn_spec_add_frame(spec, &f));
  return spec;
}

static void links_welded_together_move_as_one_body(void **state) {
  (void)state;
  /* one link with the inertia of the two */
  jn_spec *one = split_arm(1, JN_BY_FRAME);
  robot two = robot_new(split_arm(2, JN_BY_FRAME), 5, 3, 1.5);
  jn_link_desc *arm = jn_spec_link(one, jn_spec_find_link(one, "arm0"));
  const jn_link_desc *a = jn_spec_link(two.spec, 1), *b = jn_spec_link(two.spec, 2);
  jn_pose weld = jn_spec_joint(two.spec, 2)->origin;
  jn_inertia sum =
      jn_inertia_add(jn_inertia_make(a->mass, a->com, a->inertia),
                     jn_inertia_move(weld, jn_inertia_make(b->mass, b->com, b->inertia)));
  jn_inertia_about_com(sum, &arm->mass, &arm->com, &arm->inertia);
  check_residual("inertia of welded links",
                 largest_difference(&jn_model_body(two.model, 1)->inertia.m, &sum.m, 10) / sum.m,
                 16 * U);
  robot whole = robot_new(one, 5, 3, 1.5);
  robot screw = robot_new(split_arm(2, JN_BY_SCREW), 5, 3, 1.5);
  robot three = robot_new(split_arm(3, JN_BY_FRAME), 5, 3, 1.5);
  robot *other[] = {&whole, &screw, &three};
  double *want = robot_inverse(&two, two.v, NULL), scale[6];
  force_scale(&two, two.v, want, scale);
  assert_int_equal(two.nbody, 2);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(other[i]->nv, two.nv);
    double *tau = robot_inverse(other[i], two.v, NULL);
    check_residual("a link split by a weld", row_error(6, (size_t)two.nv, tau, want, scale),
                   64 * U);
    /* a link without mass changes no bit */
    if (i == 2) assert_true(same_bits(tau, want, two.n));
    free(tau);
  }
  free(want);
  for (size_t i = 0; i < 3; i++) robot_free(other[i]);
  robot_free(&two);
}

static void links_merged_away_stay_as_frames(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    robot r = robot_new(split_arm(3, p ? JN_BY_SCREW : JN_BY_FRAME), 2, 3, 1.5);
    const jn_model *m = r.model;
    assert_int_equal(jn_model_frame_count(m), 5);
    int arm1 = jn_model_find_frame(m, "arm1"), tool = jn_model_find_frame(m, "tool");
    assert_int_equal(jn_model_find_body(m, "arm1"), -1);
    assert_int_equal(jn_model_find_body(m, "tool"), -1);
    assert_int_equal(jn_model_find_body(m, "arm0"), 1);
    assert_int_equal(jn_model_find_joint(m, "joint1"), -1);
    assert_int_equal(jn_model_frame(m, arm1)->body, 1);
    assert_int_equal(jn_model_frame(m, tool)->body, 1);
    assert_true(jn_model_frame(m, arm1)->is_link && !jn_model_frame(m, tool)->is_link);
    assert_true(jn_model_frame(m, arm1)->mass == 2 && jn_model_frame(m, tool)->mass == 0);
    assert_true(jn_model_mass(m) == 4 && jn_model_moving_mass(m) == 4);
    jn_pose C0, C1, T;
    assert_ok(jn_kinematics(m, r.data, -1, r.q, NULL));
    assert_ok(jn_frame_pose(m, r.data, jn_model_find_frame(m, "arm0"), &C0));
    assert_ok(jn_frame_pose(m, r.data, arm1, &C1));
    assert_ok(jn_frame_pose(m, r.data, tool, &T));
    jn_pose weld = jn_spec_joint(r.spec, 2)->origin;
    jn_pose want = jn_pose_mul(C0, weld), far = jn_pose_mul(want, jn_spec_frame(r.spec, 0)->pose);
    check_residual("pose of a welded link", largest_difference(&C1.R.m[0][0], &want.R.m[0][0], 12),
                   16 * U);
    check_residual("pose of a frame on it", largest_difference(&T.R.m[0][0], &far.R.m[0][0], 12),
                   16 * U);
    robot_free(&r);
  }
}

/* world (no mass) - robot (floating) - arm */
static jn_spec *in_a_world(double world_mass, jn_joint_type type) {
  jn_spec *spec = new_spec();
  jn_link_desc world = jn_link_default("world");
  world.mass = world_mass;
  world.home = shift(1, 2, 3);
  assert_ok(jn_spec_add_link(spec, &world));
  add(spec, "robot");
  add(spec, "arm");
  join(spec, "floating", type, "world", "robot");
  join(spec, "hinge", JN_JOINT_REVOLUTE, "robot", "arm");
  return spec;
}

static void a_root_without_mass_that_carries_a_free_joint_is_the_world(void **state) {
  (void)state;
  jn_spec *spec = in_a_world(0, JN_JOINT_FREE);
  robot r = robot_new(spec, 1, 1, 1);
  int world = jn_model_find_frame(r.model, "world");
  jn_pose C, W;
  assert_int_equal(r.nbody, 2);
  assert_int_equal(r.nv, 7);
  assert_true(jn_model_is_floating(r.model));
  assert_int_equal(jn_model_find_body(r.model, "world"), -1);
  assert_int_equal(jn_model_find_body(r.model, "robot"), 0);
  assert_int_equal(jn_model_frame(r.model, world)->body, -1);
  /* the placement of the joint is used */
  jn_model_home(r.model, r.q);
  assert_ok(jn_kinematics(r.model, r.data, -1, r.q, NULL));
  assert_ok(jn_frame_pose(r.model, r.data, jn_model_body(r.model, 0)->frame, &C));
  assert_ok(jn_frame_pose(r.model, r.data, world, &W));
  assert_true(W.p.x == 1 && W.p.y == 2 && W.p.z == 3);
  check_residual("home in a world", fabs(C.p.x - 1.3) + fabs(C.p.y - 2.2) + fabs(C.p.z - 3.1),
                 8 * U);
  robot_free(&r);
  /* with mass, or with another joint, it is a body fixed to the world */
  for (int i = 0; i < 2; i++) {
    spec = in_a_world(i ? 0 : 1, i ? JN_JOINT_REVOLUTE : JN_JOINT_FREE);
    jn_model *m = build(spec);
    assert_int_equal(jn_model_body_count(m), 3);
    assert_int_equal(jn_model_find_body(m, "world"), 0);
    assert_int_equal(jn_model_joint(m, 0)->type, JN_JOINT_FIXED);
    assert_string_equal(jn_model_joint(m, 0)->name, "base");
    assert_true(jn_model_mass(m) == (i ? 2 : 3) && jn_model_moving_mass(m) == 2);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void the_root_is_held_as_the_options_say(void **state) {
  (void)state;
  const struct {
    int given;
    jn_joint_type type;
    jn_root root;
    jn_joint_type want;
  } cases[] = {
      {0, JN_JOINT_FIXED, JN_ROOT_AS_GIVEN, JN_JOINT_FIXED},
      {0, JN_JOINT_FIXED, JN_ROOT_FLOATING, JN_JOINT_FREE},
      {0, JN_JOINT_FIXED, JN_ROOT_FIXED, JN_JOINT_FIXED},
      {1, JN_JOINT_REVOLUTE, JN_ROOT_AS_GIVEN, JN_JOINT_REVOLUTE},
      {1, JN_JOINT_REVOLUTE, JN_ROOT_FIXED, JN_JOINT_FIXED},
      {1, JN_JOINT_REVOLUTE, JN_ROOT_FLOATING, JN_JOINT_FREE},
      {1, JN_JOINT_FREE, JN_ROOT_FIXED, JN_JOINT_FIXED},
      {1, JN_JOINT_FIXED, JN_ROOT_FLOATING, JN_JOINT_FREE},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = new_spec();
    jn_model *m;
    jn_data *d;
    jn_pose C;
    double q[16];
    const jn_build_options options = {.root = cases[i].root};
    add(spec, "root");
    add(spec, "arm");
    jn_spec_link(spec, 0)->home = shift(0.3, 0.2, 0.1);
    if (cases[i].given) join(spec, "held", cases[i].type, NULL, "root");
    join(spec, "hinge", JN_JOINT_REVOLUTE, "root", "arm");
    assert_ok(jn_model_build(spec, &options, NULL, &m, NULL));
    assert_int_equal(jn_model_joint(m, 0)->type, cases[i].want);
    assert_string_equal(jn_model_joint(m, 0)->name, cases[i].given ? "held" : "base");
    assert_int_equal(jn_model_is_floating(m), cases[i].want == JN_JOINT_FREE);
    assert_ok(jn_data_new(m, 0, NULL, &d));
    jn_model_home(m, q);
    assert_ok(jn_kinematics(m, d, -1, q, NULL));
    assert_ok(jn_frame_pose(m, d, 0, &C));
    /* the configuration of a free base is its pose; the others are at their placement */
    assert_true(C.p.x == 0.3);
    jn_data_free(d);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void robots_of_one_body_work_on_every_base(void **state) {
  (void)state;
  for (jn_joint_type type = JN_JOINT_FIXED; type < JN_JOINT_TYPE_COUNT; type++) {
    jn_spec *spec = new_spec();
    add(spec, "body");
    join(spec, "joint", type, NULL, "body");
    robot r = robot_new(spec, 4, 5, 1.5);
    size_t nv = (size_t)r.nv;
    double scale[5], M[36], E[5];
    jn_momentum out = {0};
    out.kinetic = E;
    for (int form = 0; form < 2; form++) {
      jn_data_settings(r.data)->formulation = form ? JN_FORM_SPATIAL : JN_FORM_BODY;
      double *tau = robot_inverse(&r, r.v, NULL), *v = robot_forward(&r, tau, NULL);
      double *back = robot_inverse(&r, v, NULL);
      force_scale(&r, v, tau, scale);
      check_residual("one body: ID(FD(tau)) = tau", row_error(5, nv, back, tau, scale), 1e-13);
      assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
      assert_status(jn_momentum_energy(r.model, r.data, 4, r.q, r.v, &out),
                    nv ? JN_OK : JN_ERR_SINGULAR);
      free(tau), free(v), free(back);
    }
    if (type == JN_JOINT_FREE) { /* f = m (a - g) at rest, as a body wrench at the com */
      robot_represent(&r, JN_HYBRID);
      fill(r.v, r.n + nv, 0);
      double *tau = robot_inverse(&r, r.v, NULL);
      check_residual("one body: weight", fabs(tau[5] - 9.81), 8 * U * 9.81);
      free(tau);
    }
    robot_free(&r);
  }
}

static void only_valid_rotations_and_poses_are_written(void **state) {
  (void)state;
  robot r = robot_random(5002, 4, JN_JOINT_FREE, TYPE(SPHERICAL), 0);
  double *before = copy_of(r.q, (size_t)r.nq);
  rng g = rng_new(1);
  jn_mat3 bad = jn_m3_scale(1 + 1e-6, jn_m3_identity()), mirror = jn_m3_identity();
  mirror.m[2][2] = -1;
  jn_mat3 broken = jn_m3_identity();
  broken.m[0][1] = nan("");
  assert_status(jn_model_set_rotation(r.model, 0, bad, r.q), JN_ERR_POSE);
  assert_status(jn_model_set_rotation(r.model, 1, mirror, r.q), JN_ERR_POSE);
  assert_status(jn_model_set_rotation(r.model, 1, broken, r.q), JN_ERR_POSE);
  assert_status(jn_model_set_pose(r.model, 0, jn_pose_make(bad, jn_v3(0, 0, 0)), r.q), JN_ERR_POSE);
  assert_status(jn_model_set_pose(r.model, 0, shift(0, HUGE_VAL, 0), r.q), JN_ERR_NOT_FINITE);
  assert_status(jn_model_set_pose(r.model, 1, shift(0, 0, 0), r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_rotation(r.model, 4, jn_m3_identity(), r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_rotation(r.model, -1, jn_m3_identity(), r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_rotation(r.model, 0, jn_m3_identity(), NULL), JN_ERR_ARGUMENT);
  assert_true(same_bits(r.q, before, (size_t)r.nq));
  for (int i = 0; i < 100; i++) {
    jn_pose C = rng_pose(&g, 3), D;
    assert_ok(jn_model_set_pose(r.model, 0, C, r.q));
    assert_ok(jn_kinematics(r.model, r.data, -1, r.q, NULL));
    assert_ok(jn_frame_pose(r.model, r.data, jn_model_body(r.model, 0)->frame, &D));
    check_residual("pose -> q -> pose", largest_difference(&C.R.m[0][0], &D.R.m[0][0], 12), 16 * U);
  }
  free(before);
  robot_free(&r);
}

static void unknown_names_are_not_found(void **state) {
  (void)state;
  robot r = robot_random(5004, 3, JN_JOINT_FREE, TYPE(REVOLUTE), 0);
  const jn_mat3 R = jn_m3_identity();
  const jn_pose C = jn_pose_identity();
  jn_data *d = NULL;
  char block[64];
  assert_null(jn_model_body(r.model, -1));
  assert_null(jn_model_joint(r.model, -1));
  assert_null(jn_model_joint(r.model, 3));
  assert_null(jn_model_frame(r.model, -1));
  assert_int_equal(jn_model_find_frame(r.model, NULL), -1);
  assert_int_equal(jn_model_find_joint(r.model, NULL), -1);
  assert_status(jn_model_set_rotation(NULL, 0, R, r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_rotation(r.model, 1, R, r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_pose(NULL, 0, C, r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_pose(r.model, 0, C, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_pose(r.model, -1, C, r.q), JN_ERR_ARGUMENT);
  assert_status(jn_model_set_pose(r.model, 3, C, r.q), JN_ERR_ARGUMENT);
  assert_string_equal(jn_joint_component(JN_JOINT_FREE, 5), "vz");
  assert_string_equal(jn_joint_component(JN_JOINT_FREE, 6), "");
  assert_string_equal(jn_joint_component(JN_JOINT_FREE, -1), "");
  assert_string_equal(jn_joint_component((jn_joint_type)-1, 0), "");
  assert_string_equal(jn_joint_component(JN_JOINT_TYPE_COUNT, 0), "");
  assert_true(jn_data_size(NULL, 0) == 0 && jn_data_size(r.model, -1) == 0);
  assert_status(jn_data_place(NULL, 0, block, 64, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_place(r.model, 0, block, 64, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_data_place(r.model, -1, block, 64, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_new(NULL, 0, NULL, &d), JN_ERR_ARGUMENT);
  assert_status(jn_data_new(r.model, 0, NULL, NULL), JN_ERR_ARGUMENT);
  assert_null(d);
  jn_data_free(NULL);
  /* working memory for so many states that its size overflows */
  const size_t numbers = (size_t)r.model->nx + 8, least = 3 * 96 * 64 * 8 * numbers;
  assert_true(r.model->nx > r.model->nv && r.model->nx > r.model->nlink);
  assert_true(jn_work_layout(r.model, 1, 1, 0, NULL, NULL) > 0);
  assert_true(jn_work_layout(r.model, 1, SIZE_MAX / 2 / least, 0, NULL, NULL) > 0);
  assert_true(jn_work_layout(r.model, 1, SIZE_MAX / least, 0, NULL, NULL) == 0);
  assert_true(jn_work_layout(r.model, 1, SIZE_MAX / least * 2, 0, NULL, NULL) == 0);
  robot_free(&r);
}

/* "base", "base_joint", "base_joint_2", ...: the first that no joint of the spec has */
static void the_joint_generated_for_the_base_has_a_unique_name(void **state) {
  (void)state;
  static const struct {
    const char *names[3], *made;
  } cases[] = {{{"a", "b", "c"}, "base"},
               {{"base", "b", "c"}, "base_joint"},
               {{"base", "base_joints", "base_joint_"}, "base_joint"},
               {{"base", "base_joint", "c"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_1"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_0"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_:"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_2x"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_4"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_40000000000"}, "base_joint_2"},
               {{"base", "base_joint", "base_joint_2"}, "base_joint_3"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = new_spec();
    add(spec, "root");
    for (int k = 0; k < 3; k++) {
      char link[2] = {(char)('a' + k), '\0'};
      add(spec, link);
      join(spec, cases[i].names[k], JN_JOINT_REVOLUTE, "root", link);
    }
    jn_model *m = build(spec);
    assert_string_equal(jn_model_joint(m, 0)->name, cases[i].made);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

static void expect_refusal(jn_spec *spec, jn_build_options options, jn_status want,
                           const char *word) {
  jn_error error;
  jn_model *m = (jn_model *)&error;
  memset(&error, 0, sizeof error);
  assert_status(jn_model_build(spec, &options, NULL, &m, &error), want);
  assert_null(m);
  assert_int_equal(error.status, want);
  if (!strstr(error.message, word)) fail_msg("'%s' does not say '%s'", error.message, word);
  assert_status(jn_model_build(spec, &options, NULL, &m, NULL), want);
  jn_spec_free(spec);
}

static void descriptions_that_are_no_robot_are_refused_with_the_name_of_the_culprit(void **state) {
  (void)state;
  expect_refusal(new_spec(), (jn_build_options){0}, JN_ERR_MODEL, "no links");
  for (int which = 0; which < 19; which++) {
    jn_spec *spec = new_spec();
    jn_status want = JN_ERR_MODEL;
    const char *word = "'elbow'";
    add(spec, "base");
    add(spec, "arm");
    join(spec, "elbow", which == 6 ? JN_JOINT_UNIVERSAL : JN_JOINT_HELICAL, "base", "arm");
    jn_link_desc *l = jn_spec_link(spec, 1);
    jn_joint_desc *j = jn_spec_joint(spec, 0);
    switch (which) {
      case 0:
        add(spec, "arm"), word = "'arm'";
        break;
      case 1:
        join(spec, "elbow", JN_JOINT_FIXED, "arm", "base");
        break;
      case 2:
        j->parent = "nobody", word = "'nobody'";
        break;
      case 3:
        add(spec, "loose"), word = "'loose'";
        break;
      case 4:
        join(spec, "back", JN_JOINT_FIXED, "arm", "base"), word = "cycle";
        break;
      case 5:
        j->axis[0] = jn_v3(0, 0, 0);
        break;
      case 6:
        j->axis[1] = jn_v3(0, 0, 2);
        break;
      case 7:
        j->axis[0].x = nan("");
        break;
      case 8:
        j->pitch = HUGE_VAL;
        break;
      case 9:
        j->armature = -1;
        break;
      case 10:
        j->origin.R.m[0][0] = 1.1, want = JN_ERR_POSE;
        break;
      case 11:
        j->origin.p.z = nan("");
        break;
      case 12:
        j->limits.upper = nan("");
        break;
      case 13:
        l->mass = -1, word = "'arm'";
        break;
      case 14:
        l->mass = nan(""), word = "'arm'";
        break;
      case 15:
        l->inertia.m[0][1] = 0.1, word = "symmetric";
        break;
      case 16:
        l->inertia.m[1][1] = -0.1, word = "'arm'";
        break;
      case 17:
        join(spec, "second", JN_JOINT_FIXED, "base", "arm"), word = "two parents";
        break;
      default:
        assert_ok(jn_spec_set_gravity(spec, jn_v3(0, nan(""), 0))), word = "gravity";
    }
    expect_refusal(spec, (jn_build_options){0}, want, word);
  }
  /* the triangle inequality is only checked in strict mode */
  const jn_build_options strict = {.root = JN_ROOT_FLOATING, .inertia = JN_INERTIA_STRICT};
  jn_spec *spec = new_spec();
  jn_link_desc l = link_of("thin", 1, jn_v3(0, 0, 0), 1, 1, 3);
  assert_ok(jn_spec_add_link(spec, &l));
  jn_model_free(build(spec));
  expect_refusal(spec, strict, JN_ERR_MODEL, "'thin'");
}

static void names_and_counts_have_limits(void **state) {
  (void)state;
  char name[JN_MAX_NAME + 2];
  jn_spec *spec = new_spec();
  memset(name, 'n', sizeof name);
  name[JN_MAX_NAME] = 0;
  jn_link_desc l = jn_link_default(name);
  assert_ok(jn_spec_add_link(spec, &l));
  name[JN_MAX_NAME] = 'n', name[JN_MAX_NAME + 1] = 0;
  assert_status(jn_spec_add_link(spec, &l), JN_ERR_LIMIT);
  l.name = "", assert_status(jn_spec_add_link(spec, &l), JN_ERR_ARGUMENT);
  l.name = NULL, assert_status(jn_spec_add_link(spec, &l), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_link_count(spec), 1);
  l.name = "x";
  for (int i = 1; i < JN_MAX_BODIES; i++)
    if (jn_spec_add_link(spec, &l)) fail_msg("link %d is refused", i);
  assert_status(jn_spec_add_link(spec, &l), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_link_count(spec), JN_MAX_BODIES);
  jn_spec_free(spec);
}

/* The rotation of a joint frame: identity, signed permutation of axes, or general. */
static void rotations_of_joint_frames_are_classified(void **state) {
  (void)state;
  static const double tiny = 1e-9; /* its cosine is 1 */
  const struct {
    jn_mat3 R;
    int rotation;
  } cases[] = {
      {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, JN_ROTATION_IDENTITY},
      {{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, JN_ROTATION_AXES},
      {{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}, JN_ROTATION_AXES},
      {{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, JN_ROTATION_AXES},
      {{{{1, 0, 0}, {0, 1, -tiny}, {0, tiny, 1}}}, JN_ROTATION_GENERAL},
      {{{{1, -tiny, 0}, {tiny, 1, 0}, {0, 0, 1}}}, JN_ROTATION_GENERAL},
      {{{{-tiny, -1, 0}, {1, -tiny, 0}, {0, 0, 1}}}, JN_ROTATION_GENERAL},
      {{{{1, 0, 0}, {0, 0.6, -0.8}, {0, 0.8, 0.6}}}, JN_ROTATION_GENERAL},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = new_spec();
    add(spec, "a"), add(spec, "b");
    jn_joint_desc j = joint_of("j", JN_JOINT_SPHERICAL, "a", "b", shift(0.3, 0.2, 0.1));
    j.origin.R = cases[i].R;
    assert_ok(jn_spec_add_joint(spec, &j));
    jn_model *m = build(spec);
    assert_int_equal(m->link[m->nlink - 1].rotation, cases[i].rotation);
    jn_model_free(m);
    jn_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rotations_of_joint_frames_are_classified),
      cmocka_unit_test(bodies_come_depth_first_in_the_order_of_the_joints),
      cmocka_unit_test(links_welded_together_move_as_one_body),
      cmocka_unit_test(links_merged_away_stay_as_frames),
      cmocka_unit_test(a_root_without_mass_that_carries_a_free_joint_is_the_world),
      cmocka_unit_test(the_root_is_held_as_the_options_say),
      cmocka_unit_test(robots_of_one_body_work_on_every_base),
      cmocka_unit_test(only_valid_rotations_and_poses_are_written),
      cmocka_unit_test(unknown_names_are_not_found),
      cmocka_unit_test(the_joint_generated_for_the_base_has_a_unique_name),
      cmocka_unit_test(descriptions_that_are_no_robot_are_refused_with_the_name_of_the_culprit),
      cmocka_unit_test(names_and_counts_have_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
