/* test_io_builtin.c: the built-in robots, and unknown names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"

static void builtin_robots_build(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int bodies, nq, nv, floating;
    double mass;
  } want[] = {{"tilthex", 7, 13, 12, 1, 4.0},       {"tilthex:5x20", 101, 107, 106, 1, 27.5},
              {"tilthex:1x1", 2, 8, 7, 1, 2.75},    {"pendulum", 1, 1, 1, 0, 1.0},
              {"double_pendulum", 2, 2, 2, 0, 2.0}, {"arm6", 7, 6, 6, 0, 28.2},
              {"arm7", 8, 7, 7, 0, 23.6},           {"quadruped", 13, 19, 18, 1, 14.1},
              {"humanoid", 15, 41, 35, 1, 70.5},    {"chain", 10, 10, 10, 0, 5.0},
              {"chain:300", 300, 300, 300, 0, 150}, {"fourbar", 4, 3, 3, 0, 2.6},
              {"stewart", 13, 25, 24, 1, 12.2}};
  jn_build_options strict = {.inertia = JN_INERTIA_STRICT};
  for (size_t i = 0; i < COUNT(want); i++) {
    jn_model *model = NULL;
    jn_error error;
    counter c;
    jn_allocator hooks = counting(&c);
    if (jn_model_load(want[i].name, &strict, &hooks, &model, &error) != JN_OK)
      fail_msg("%s", error.message);
    assert_int_equal(jn_model_nq(model), want[i].nq);
    assert_int_equal(jn_model_nv(model), want[i].nv);
    assert_int_equal(jn_model_is_floating(model), want[i].floating);
    assert_true(fabs(jn_model_mass(model) - want[i].mass) < 1e-9);
    assert_int_equal(jn_model_body_count(model), want[i].bodies);
    jn_model_free(model);
    assert_int_equal(c.live, 0);
  }
  for (int i = 0; jn_builtin_name(i) != NULL; i++) {
    jn_spec *spec = NULL;
    assert_non_null(jn_builtin_about(i));
    assert_int_equal(jn_spec_builtin(jn_builtin_name(i), NULL, &spec, NULL), JN_OK);
    jn_spec_free(spec);
  }
  assert_null(jn_builtin_name(-1));
  assert_null(jn_builtin_about(100));
  assert_null(jn_builtin_about(-1));
}

/* a hash of every number of every robot: any change shows */
static void builtin_robots_have_not_changed(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint64_t hash;
  } want[] = {{"tilthex", 0x1295377c023863f6},  {"tilthex:2x3", 0xd59c9e03565a32c7},
              {"pendulum", 0xfd069146aaaad33a}, {"double_pendulum", 0xd90a25666f4a720a},
              {"arm6", 0x86d2b2b83393a3e2},     {"arm7", 0x6943064008a9b719},
              {"chain", 0x92f65e761c8bf1df},    {"quadruped", 0xc6932ca63c985d7d},
              {"humanoid", 0x717fc7b563932b75}};
  int wrong = 0;
  for (size_t i = 0; i < COUNT(want); i++) {
    jn_spec *spec = NULL;
    size_t size;
    uint64_t hash = 0;
    assert_ok(jn_spec_builtin(want[i].name, NULL, &spec, NULL));
    assert_ok(jn_spec_save_json(spec, temporary("robot.json"), NULL));
    char *text = slurp(temporary("robot.json"), &size);
    for (size_t k = 0; k < size; k++) hash = (hash ^ (unsigned char)text[k]) * 0x100000001b3;
    if (hash != want[i].hash)
      print_error("%s: 0x%llx\n", want[i].name, (unsigned long long)hash), wrong++;
    free(text);
    jn_spec_free(spec);
  }
  assert_int_equal(wrong, 0);
}

static void tilthex_is_the_papers(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_builtin("tilthex", NULL, &spec, NULL), JN_OK);
  static const double x[8] = {0, 0, 0.09, 0.09, 0.09, -0.09, -0.09, -0.09};
  static const double z[8] = {0, 0, -0.16, -0.28, -0.40, -0.16, -0.28, -0.40};
  static const char *const parent[8] = {0, 0, "B1", "B2", "B3", "B1", "B5", "B6"};
  for (int n = 1; n <= 7; n++) {
    const jn_link_desc *link = jn_spec_link(spec, n - 1);
    const jn_joint_desc *joint = jn_spec_joint(spec, n - 1);
    char name[8];
    snprintf(name, sizeof name, "B%d", n);
    assert_string_equal(link->name, name);
    assert_string_equal(joint->child, name);
    assert_true(link->com.x == 0 && link->com.y == 0 && link->com.z == 0);
    assert_true(fabs(link->home.p.x - x[n]) < 1e-15 && link->home.p.y == 0);
    assert_true(fabs(link->home.p.z - z[n]) < 1e-15);
    assert_true(link->mass == (n == 1 ? 2.5 : 0.25));
    assert_true(link->inertia.m[0][0] == (n == 1 ? 0.03 : 0.002) &&
                link->inertia.m[2][2] == (n == 1 ? 0.05 : 0.001));
    if (parent[n] == NULL)
      assert_null(joint->parent);
    else
      assert_string_equal(joint->parent, parent[n]);
    if (n == 1) {
      assert_string_equal(joint->name, "base");
      assert_int_equal(joint->type, JN_JOINT_FREE);
      continue;
    }
    snprintf(name, sizeof name, "q%d", n);
    assert_string_equal(joint->name, name);
    assert_int_equal(joint->type, JN_JOINT_REVOLUTE);
    int k = (n - 2) % 3;
    assert_true(joint->axis[0].y == (k == 0) && joint->axis[0].x == (k == 1) &&
                joint->axis[0].z == (k == 2));
    assert_true(fabs(joint->point.z - (z[n] + 0.06)) < 1e-15 && joint->point.x == link->home.p.x);
  }
  jn_spec_free(spec);
}

static void builtin_names_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *name;
    jn_status status;
    const char *words;
  } bad[] = {{"tilthex:0x3", JN_ERR_ARGUMENT, "at least 1 arm"},
             {"tilthex:3x0", JN_ERR_ARGUMENT, "at least 1 body"},
             {"tilthex:axb", JN_ERR_ARGUMENT, "tilthex:AxB"},
             {"tilthex:", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:3", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:3x", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:-1x3", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:2x3x4", JN_ERR_ARGUMENT, "AxB"},
             {"tilthex:1000x1000", JN_ERR_LIMIT, "more than 1000000"},
             {"tilthex:99999999999x1", JN_ERR_LIMIT, "more than"},
             {"chain:0", JN_ERR_ARGUMENT, "chain:N"},
             {"chain:1000001", JN_ERR_LIMIT, "more than 1000000"},
             {"chain:x", JN_ERR_ARGUMENT, "chain:N"},
             {"pendulum:2", JN_ERR_ARGUMENT, "has a fixed size"},
             {"tilthx", JN_ERR_FILE, "did you mean 'tilthex'"},
             {"tilthex:1x1000000", JN_ERR_LIMIT, "more than 1000000"},
             {"tilthex:999999999x999999999", JN_ERR_LIMIT, "more than 1000000"},
             {"robot.", JN_ERR_FILE, "neither a model file"},
             {"/nonexistent.URDF", JN_ERR_FILE, "cannot open"},
             {"robot9000", JN_ERR_FILE, "built-in robot"},
             {"", JN_ERR_ARGUMENT, "no model given"},
             {"x.sdf", JN_ERR_FILE, "cannot open"},
             {"x.urdf.xacro", JN_ERR_FILE, "cannot open"},
             {"./noending", JN_ERR_FILE, "cannot open"},
             {"/nonexistent.urdf", JN_ERR_FILE, "cannot open"},
             {"/nonexistent.json", JN_ERR_FILE, "cannot open"}};
  for (size_t i = 0; i < COUNT(bad); i++) {
    jn_spec *spec = NULL;
    jn_error error;
    assert_int_equal(jn_spec_load(bad[i].name, NULL, &spec, &error), bad[i].status);
    if (strstr(error.message, bad[i].words) == NULL) fail_msg("%s: %s", bad[i].name, error.message);
    assert_int_equal(error.line, 0);
    assert_null(spec);
  }
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_load(NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_load("pendulum", NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_builtin(NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_builtin("pendulum", NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_urdf("", 0, NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_json("", 0, NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_model_load("pendulum", NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_urdf(NULL, 0, NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_json(NULL, 0, NULL, NULL, &spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_parse_urdf("", 0, NULL, NULL, &spec, NULL), JN_ERR_SYNTAX);
  assert_int_equal(jn_spec_parse_json("", 0, NULL, NULL, &spec, NULL), JN_ERR_SYNTAX);
  assert_null(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builtin_robots_build),
      cmocka_unit_test(builtin_robots_have_not_changed),
      cmocka_unit_test(tilthex_is_the_papers),
      cmocka_unit_test(builtin_names_are_checked),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
