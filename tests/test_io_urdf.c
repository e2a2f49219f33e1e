/* test_io_urdf.c: URDF is read as it is meant. */
#include <math.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

static void urdf_is_read_as_written(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, urdf_sample);
  assert_string_equal(jn_spec_name(spec), "sample");
  assert_string_equal(jn_spec_file(spec), "text");
  assert_int_equal(jn_spec_link_count(spec), 4);
  assert_int_equal(jn_spec_joint_count(spec), 3);

  /* inertia turned by 90 degrees about z: x -> y, y -> -x */
  const jn_link_desc *arm = jn_spec_link(spec, 1);
  const double want[3][3] = {{2, -0.1, -0.3}, {-0.1, 1, 0.2}, {-0.3, 0.2, 2.5}};
  assert_int_equal(arm->line, 3);
  assert_true(arm->mass == 1.5 && arm->com.x == 1 && arm->com.y == 2 && arm->com.z == 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      assert_true(fabs(arm->inertia.m[i][j] - want[i][j]) < 1e-15);
      assert_true(arm->inertia.m[i][j] == arm->inertia.m[j][i]);
    }
  assert_true(jn_spec_link(spec, 0)->mass == 0);

  const jn_joint_desc *elbow = jn_spec_joint(spec, 0);
  assert_int_equal(elbow->line, 12);
  assert_int_equal(elbow->type, JN_JOINT_REVOLUTE);
  assert_int_equal(elbow->placement, JN_BY_FRAME);
  assert_string_equal(elbow->parent, "base");
  assert_string_equal(elbow->child, "arm");
  assert_true(elbow->origin.p.z == 0.5 && fabs(elbow->origin.R.m[0][2] - 1) < 1e-15);
  assert_true(elbow->axis[0].y == 1 && elbow->axis[0].x == 0);
  assert_true(elbow->damping == 0.1 && elbow->friction == 0.2 && elbow->armature == 0);
  assert_true(elbow->limits.lower == -1 && elbow->limits.upper == 2 && elbow->limits.velocity == 3);
  assert_true(elbow->limits.effort == 4 && elbow->limits.acceleration == 5 &&
              elbow->limits.jerk == 6);
  assert_string_equal(elbow->mimic, "other");
  assert_true(elbow->mimic_multiplier == 2 && elbow->mimic_offset == 0.5);

  /* x y z w: 0.6 is the z component; default axis x; a continuous joint has no range */
  const jn_joint_desc *wrist = jn_spec_joint(spec, 1);
  assert_true(fabs(wrist->origin.R.m[1][0] - 0.96) < 1e-15 &&
              fabs(wrist->origin.R.m[0][0] - 0.28) < 1e-15);
  assert_true(wrist->axis[0].x == 1 && wrist->axis[0].z == 0);
  assert_true(isinf(wrist->limits.lower) && isinf(wrist->limits.upper) &&
              wrist->limits.velocity == 3);
  assert_int_equal(jn_spec_joint(spec, 2)->type, JN_JOINT_FIXED);

  assert_true(has_finding(spec, JN_WARNING, 19, "independent"));
  assert_true(has_finding(spec, JN_NOTE, 33, "<transmission>"));
  assert_false(has_finding(spec, JN_NOTE, 34, "<transmission>"));
  assert_true(has_finding(spec, JN_NOTE, 35, "<wheel>"));
  jn_spec_free(spec);
}

static void urdf_misspelt_attributes_are_found(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(jn_spec_parse_urdf,
                           "<robot><link name='a'/><link name='b'/>\n"
                           "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>\n"
                           "<dynamics dampin='1' D='3' K='4' ros:x='1'/>\n"
                           "</joint></robot>");
  assert_true(has_finding(spec, JN_WARNING, 3, "did you mean 'damping'?"));
  assert_true(has_finding(spec, JN_NOTE, 3, "'D' 'K'"));
  assert_true(has_finding(spec, JN_NOTE, 2, "unlimited"));
  assert_int_equal(jn_spec_finding_count(spec), 3);
  jn_spec_free(spec);
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static void (*const again[])(void **) = {urdf_is_read_as_written};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(urdf_is_read_as_written),
      cmocka_unit_test(urdf_misspelt_attributes_are_found),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
