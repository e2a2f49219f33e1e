/* test_spec.c: the editable spec. */
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"

static void a_spec_keeps_what_it_is_given(void **state) {
  (void)state;
  counter c;
  jn_allocator hooks = counting(&c);
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new(NULL, &hooks, &spec), JN_OK);
  assert_string_equal(jn_spec_name(spec), "robot");
  assert_true(jn_spec_gravity(spec).z == -9.81);
  enum { COUNT = 5000 };
  for (int i = 0; i < COUNT; i++) {
    char name[16], child[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(child, sizeof child, "l%d", i + 1);
    jn_link_desc link = jn_link_default(name);
    link.mass = i;
    assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
    jn_joint_desc joint = jn_joint_default(name, JN_JOINT_HELICAL, i % 2 ? name : NULL, child);
    joint.pitch = i;
    assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
    jn_frame_desc frame = {child, name, joint.origin, i};
    assert_int_equal(jn_spec_add_frame(spec, &frame), JN_OK);
  }
  jn_link_desc *first = jn_spec_link(spec, 0);
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "l%d", i);
    assert_string_equal(jn_spec_link(spec, i)->name, name);
    assert_true(jn_spec_link(spec, i)->mass == i && jn_spec_joint(spec, i)->pitch == i);
    assert_int_equal(jn_spec_frame(spec, i)->line, i);
    assert_true((jn_spec_joint(spec, i)->parent == NULL) == (i % 2 == 0));
  }
  assert_ptr_equal(first, jn_spec_link(spec, 0));
  const jn_spec *frozen = spec;
  assert_ptr_equal(jn_spec_get_link(frozen, 7), jn_spec_link(spec, 7));
  assert_ptr_equal(jn_spec_get_joint(frozen, 7), jn_spec_joint(spec, 7));
  assert_ptr_equal(jn_spec_get_frame(frozen, 7), jn_spec_frame(spec, 7));
  assert_null(jn_spec_get_link(frozen, -1));
  assert_null(jn_spec_get_joint(frozen, COUNT));
  assert_null(jn_spec_get_frame(frozen, COUNT));
  assert_int_equal(jn_spec_find_link(spec, "l4999"), 4999);
  assert_int_equal(jn_spec_find_link(spec, "l5000"), -1);
  assert_int_equal(jn_spec_find_link(spec, NULL), -1);
  assert_null(jn_spec_link(spec, -1));
  assert_null(jn_spec_link(spec, COUNT));
  assert_null(jn_spec_joint(spec, COUNT));
  assert_null(jn_spec_frame(spec, COUNT));
  assert_string_equal(jn_spec_file(spec), "");
  assert_int_equal(jn_spec_set_file(spec, "a.urdf"), JN_OK);
  assert_string_equal(jn_spec_file(spec), "a.urdf");
  assert_int_equal(jn_spec_set_gravity(spec, (jn_vec3){1, 2, 3}), JN_OK);
  assert_true(jn_spec_gravity(spec).x == 1);
  jn_spec_free(spec);
  jn_spec_free(NULL);
  assert_int_equal(c.live, 0);
}

static void a_spec_refuses_bad_arguments(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  char name[JN_MAX_NAME + 2];
  memset(name, 'n', sizeof name);
  name[JN_MAX_NAME + 1] = '\0';
  assert_int_equal(jn_spec_new("r", NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_new(name, NULL, &spec), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_new(name + 1, NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default(name);
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_LIMIT);
  link.name = name + 1;
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  link.name = "";
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_ARGUMENT);
  link.name = NULL;
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_link(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_link(NULL, &link), JN_ERR_ARGUMENT);
  jn_joint_desc joint = jn_joint_default("j", JN_JOINT_TYPE_COUNT, "a", "b");
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  joint.type = JN_JOINT_FREE;
  joint.child = NULL;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  joint.child = name;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_LIMIT);
  joint.child = "b";
  joint.mimic = name;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_LIMIT);
  joint.mimic = NULL;
  joint.placement = (jn_placement)7;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  joint.placement = JN_BY_SCREW;
  joint.name = "";
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  joint.name = "j";
  joint.type = (jn_joint_type)-1;
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_joint(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_joint(NULL, &joint), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_joint_count(spec), 0);
  jn_frame_desc frame = {"f", NULL, joint.origin, 0};
  assert_int_equal(jn_spec_add_frame(NULL, &frame), JN_ERR_ARGUMENT);
  frame.name = NULL;
  assert_int_equal(jn_spec_add_frame(spec, &frame), JN_ERR_ARGUMENT);
  frame.name = "f";
  assert_int_equal(jn_spec_add_frame(spec, &frame), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_frame(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_set_file(spec, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_set_file(NULL, "f"), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_finding(NULL, JN_NOTE, 0, "x"), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_finding(spec, (jn_severity)-1, 0, "x"), JN_ERR_ARGUMENT);
  assert_string_equal(jn_joint_type_name((jn_joint_type)99), "unknown");
  assert_int_equal(jn_spec_set_gravity(NULL, joint.point), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_finding(spec, JN_NOTE, 0, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_spec_add_finding(spec, (jn_severity)9, 0, "x"), JN_ERR_ARGUMENT);
  assert_string_equal(jn_spec_finding(spec, 3).text, "");
  assert_string_equal(jn_joint_type_name(JN_JOINT_TYPE_COUNT), "unknown");
  jn_spec_free(spec);
}

static void findings_are_limited_and_keep_the_worst(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new("r", NULL, &spec), JN_OK);
  for (int i = 0; i < JN_MAX_FINDINGS - 1; i++)
    assert_int_equal(jn_spec_add_finding(spec, JN_NOTE, i, "note"), JN_OK);
  assert_int_equal(jn_spec_add_finding(spec, JN_WARNING, 1, "one more"), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_add_finding(spec, JN_SERIOUS, 1, "two more"), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_finding_count(spec), JN_MAX_FINDINGS);
  assert_int_equal(jn_spec_finding(spec, JN_MAX_FINDINGS - 1).severity, JN_SERIOUS);
  jn_spec_free(spec);
}

static void the_number_of_bodies_is_limited(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_int_equal(jn_spec_new("r", NULL, &spec), JN_OK);
  jn_link_desc link = jn_link_default("l");
  for (int i = 0; i < JN_MAX_BODIES; i++)
    if (jn_spec_add_link(spec, &link) != JN_OK) fail_msg("link %d was refused", i);
  assert_int_equal(jn_spec_add_link(spec, &link), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_link_count(spec), JN_MAX_BODIES);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spec_keeps_what_it_is_given),
      cmocka_unit_test(a_spec_refuses_bad_arguments),
      cmocka_unit_test(findings_are_limited_and_keep_the_worst),
      cmocka_unit_test(the_number_of_bodies_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
