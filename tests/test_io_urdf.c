/* test_io_urdf.c: reading of URDF. */
#include <math.h>
#include <stdlib.h>
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

/* an error in an element without a name does not name the element before it */
static void errors_in_unnamed_elements_do_not_name_the_one_before(void **state) {
  (void)state;
  static const char *const texts[] = {
      "<robot><link name='a'/><joint type='fixed'/></robot>",
      "<robot><link name='a'/><link/></robot>",
      "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>"
      "<child link='b'/></joint><joint name='' type='fixed'/></robot>",
      "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>"
      "<child link='b'/></joint><link name=''/></robot>"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    jn_spec *spec = NULL;
    jn_error error = {0};
    assert_int_equal(jn_spec_parse_urdf(texts[i], strlen(texts[i]), "x", NULL, &spec, &error),
                     JN_ERR_SYNTAX);
    assert_null(spec);
    assert_non_null(strstr(error.message, "name"));
    assert_null(strstr(error.message, "link 'a'"));
    assert_null(strstr(error.message, "joint 'j'"));
  }
}

/* elements that do not matter for the dynamics are skipped without a finding */
static void visuals_and_collisions_are_skipped(void **state) {
  (void)state;
  static const char *const known[] = {"visual",  "collision",         "gazebo",
                                      "sensor",  "safety_controller", "material",
                                      "contact", "calibration",       "self_collision_checking"};
  for (size_t i = 0; i <= COUNT(known); i++) {
    growing_text t = {0};
    append(&t, "<robot><link name='a'><%s/></link></robot>", i < COUNT(known) ? known[i] : "else");
    jn_spec *spec = parse_ok(jn_spec_parse_urdf, t.text);
    assert_int_equal(jn_spec_finding_count(spec), i == COUNT(known));
    jn_spec_free(spec);
    free(t.text);
  }
}

/* an attribute that exporters write on every joint gives one finding */
static void findings_are_not_repeated(void **state) {
  (void)state;
  growing_text t = {0};
  append(&t, "<robot><link name='l0'/>\n");
  for (int i = 1; i <= 5; i++)
    append(&t,
           "<link name='l%d'><hull/></link><joint name='j%d' type='continuous'><parent "
           "link='l%d'/><child link='l%d'/><dynamics D='3' K='4'/></joint><transmission/>\n",
           i, i, i - 1, i);
  append(&t, "<joint name='k' type='continuous'><parent link='a'/><child link='b'/>\n");
  append(&t, "<dynamics K='3'/><hull/></joint><loop_joint name='c'/></robot>");
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, t.text);
  assert_true(has_finding(spec, JN_NOTE, 2, "link 'l1': unknown element <hull> in <link>"));
  assert_true(has_finding(spec, JN_NOTE, 2, "joint 'j1': <dynamics>: unknown attributes"));
  assert_true(has_finding(spec, JN_NOTE, 2, "<transmission> is ignored except"));
  assert_true(has_finding(spec, JN_NOTE, 8, "unknown attributes are ignored, here and below: 'K'"));
  assert_true(has_finding(spec, JN_NOTE, 8, "unknown element <hull> in <joint>"));
  assert_true(
      has_finding(spec, JN_SERIOUS, 8, "<loop_joint> is no element of URDF, and is ignored"));
  assert_int_equal(jn_spec_finding_count(spec), 6);
  jn_spec_free(spec);
  free(t.text);
}

/* a joint that mimics is kept; transmissions are reported once */
static void mimics_are_kept_and_transmissions_reported(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  assert_ok(jn_spec_load(TEST_DATA "/odd/mimic_and_transmission.urdf", NULL, &spec, NULL));
  assert_true(has_finding(spec, JN_NOTE, 17, "<transmission>"));
  assert_int_equal(jn_spec_finding_count(spec), 1);
  assert_string_equal(jn_spec_get_joint(spec, 1)->mimic, "jl");
  assert_true(jn_spec_get_joint(spec, 1)->mimic_multiplier == -1);
  jn_spec_free(spec);
}

/* the world as a massless link: its floating joint is the base's, and its frame is kept */
/* What files in the wild contain and URDF does not allow: read with a finding. */
static void urdf_is_read_as_people_write_it(void **state) {
  (void)state;
  static const char text[] =
      "<!-- made by hand -->\n"
      "<?xml version=\"1.0\"?>\n"
      "<robot name=\"wild\" xmlns:drake=\"d\">\n"
      "<property name=\"width\" value=\"2\"/>\n"
      "<link name=\"a\"><inertial>\n"
      "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n"
      "<link name=\"b\"><inertial><mass value=\"2\"/><mass value=\"2\"/>\n"
      "</inertial><insert_block name=\"x\"/></link>\n"
      "<link name=\"c\"><inertial><origin xyz=\"0 0 1\"/><mass value=\"3\"/>"
      "<inertia ixx=\"1\" iyy=\"2\" izz=\"3\"/></inertial>\n"
      "<inertial><origin xyz=\"0 0 1.0\"/><mass value=\"3\"/>"
      "<inertia ixx=\"1\" iyy=\"2\" izz=\"3\"/></inertial></link>\n"
      "<joint name=\"ground\" type=\"fixed\"><parent link=\"world\"/><child link=\"a\"/>\n"
      "<axis/></joint>\n"
      "<joint name=\"ball\" type=\"spherical\"><parent link=\"a\"/><child link=\"b\"/>\n"
      "<dynamics armature=\"0.25\"/><dynamics armature=\"0.25\"/></joint>\n"
      "<transmission><joint name=\"hinge\"><x/></joint><actuator name=\"m\">"
      "<drake:gear_ratio value=\"30\"/><drake:rotor_inertia value=\"1e-4\"/></actuator>\n"
      "</transmission>\n"
      "<transmission><actuator><drake:rotor_inertia value=\"1\"/></actuator><joint "
      "name=\"ball\"/></transmission>\n"
      "<transmission><actuator><drake:rotor_inertia value=\"1\"/></actuator><joint "
      "name=\"nobody\"/></transmission>\n"
      "<joint name=\"hinge\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>"
      "</joint>\n"
      "</robot>\n";
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
  jn_model *model = NULL;
  static const struct {
    jn_severity severity;
    int line;
    const char *words;
  } want[] = {{JN_NOTE, 2, "<?xml ...?> is not at the start"},
              {JN_SERIOUS, 4, "<property> in <robot> is a tag of old xacro"},
              {JN_SERIOUS, 6, "link 'a': <inertial> has no <mass>: it is taken as 0"},
              {JN_NOTE, 6, "link 'a': <inertia>: absent and taken as 0: ixy ixz iyz"},
              {JN_NOTE, 7, "link 'b': a second <mass> equal to the first"},
              {JN_WARNING, 8, "link 'b': <inertial> has no <inertia>: it is taken as a point mass"},
              {JN_SERIOUS, 8, "link 'b': <insert_block> in <link> is a tag of old xacro"},
              {JN_NOTE, 10, "link 'c': a second <inertial> equal to the first"},
              {JN_NOTE, 11, "joint 'ground': its parent link 'world' is not declared"},
              {JN_NOTE, 12, "joint 'ground': <axis> without xyz is ignored"},
              {JN_NOTE, 13, "joint 'ball': URDF has no joint type 'spherical'"},
              {JN_NOTE, 14, "joint 'ball': a second <dynamics> equal to the first"},
              {JN_WARNING, 17, "joint 'ball' has an armature already"},
              {JN_WARNING, 18, "unknown joint"}};
  for (size_t i = 0; i < COUNT(want); i++)
    if (!has_finding(spec, want[i].severity, want[i].line, want[i].words))
      fail_msg("line %d: no finding '%s'", want[i].line, want[i].words);
  assert_true(jn_spec_link(spec, 0)->mass == 0 && jn_spec_link(spec, 0)->inertia.m[0][0] == 1);
  assert_true(jn_spec_link(spec, 1)->mass == 2 && jn_spec_link(spec, 1)->inertia.m[0][0] == 0);
  assert_true(jn_spec_link(spec, 2)->mass == 3 && jn_spec_link(spec, 2)->com.z == 1);
  assert_true(jn_spec_link(spec, 2)->inertia.m[2][2] == 3);
  assert_true(jn_spec_joint(spec, 1)->armature == 0.25);
  assert_true(fabs(jn_spec_joint(spec, 2)->armature - 900 * 1e-4) < 1e-16);
  assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
  assert_string_equal(jn_model_body(model, 0)->name, "world");
  assert_int_equal(jn_model_joint(model, 1)->type, JN_JOINT_SPHERICAL);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* The longest name of a joint is found. */
static void a_transmission_finds_a_joint_with_a_long_name(void **state) {
  (void)state;
  char name[JN_MAX_NAME + 1], text[2 * JN_MAX_NAME + 400];
  memset(name, 'j', JN_MAX_NAME), name[JN_MAX_NAME] = '\0';
  snprintf(text, sizeof text,
           "<robot><link name=\"a\"/><link name=\"b\"/><joint name=\"%s\" type=\"continuous\">"
           "<parent link=\"a\"/><child link=\"b\"/></joint><transmission><joint name=\"%s\"/>"
           "<actuator><drake:rotor_inertia value=\"0.5\"/></actuator></transmission></robot>",
           name, name);
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
  assert_true(jn_spec_joint(spec, 0)->armature == 0.5);
  jn_spec_free(spec);
}

/* Commas between numbers: read, but a model is built from them on request alone. */
static void commas_between_numbers_need_the_lenient_option(void **state) {
  (void)state;
  static const char text[] =
      "<robot><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/></inertial></link>\n"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n"
      "<origin xyz=\"0.5,-1e-3 , 2\"/>\n<axis xyz=\"0,0,1\"/></joint></robot>";
  const jn_build_options lenient = {.lenient = 1};
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
  jn_model *model = NULL;
  jn_error error = {0};
  assert_true(
      has_finding(spec, JN_WARNING, 3, "joint 'j': <origin xyz=\"0.5,-1e-3 , 2\">: commas"));
  assert_false(has_finding(spec, JN_WARNING, 4, "commas"));
  assert_status(jn_model_build(spec, NULL, NULL, &model, &error), JN_ERR_SYNTAX);
  assert_int_equal(error.line, 3);
  assert_non_null(strstr(error.message, "write spaces between numbers; the option 'lenient'"));
  assert_ok(jn_model_build(spec, &lenient, NULL, &model, NULL));
  const jn_vec3 p = jn_spec_joint(spec, 0)->origin.p;
  assert_true(p.x == 0.5 && p.y == -1e-3 && p.z == 2);
  assert_true(jn_model_joint(model, 1)->axis[0].z == 1);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* The content of a file tells its format. */
static void files_are_told_by_their_content(void **state) {
  (void)state;
  static const char urdf[] = "<robot name='x'><link name='a'/></robot>";
  static const char json[] = " {\"bodies\": [{\"name\": \"a\", \"mass\": 1}]}";
  static const char *const names[] = {"m.urdf", "m.xml", "m.json", "m.txt", "model"};
  for (size_t i = 0; i < 2 * COUNT(names); i++) {
    jn_spec *spec = NULL;
    put(names[i / 2], i % 2 ? urdf : json);
    assert_ok(jn_spec_load(temporary(names[i / 2]), NULL, &spec, NULL));
    assert_true(jn_spec_link(spec, 0)->mass == (i % 2 ? 0 : 1));
    jn_spec_free(spec);
  }
  jn_spec *spec = NULL;
  jn_error error = {0};
  assert_status(jn_spec_parse("\x1f\x8b\x08", 3, NULL, NULL, &spec, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "compressed"));
  assert_status(jn_spec_parse(NULL, 3, NULL, NULL, &spec, &error), JN_ERR_ARGUMENT);
  assert_status(jn_spec_parse(urdf, 3, NULL, NULL, NULL, &error), JN_ERR_ARGUMENT);
  assert_status(jn_spec_parse("", 0, "x.json", NULL, &spec, &error), JN_ERR_SYNTAX);
  assert_null(spec);
}

static void a_floating_joint_below_the_world_is_a_floating_base(void **state) {
  (void)state;
  jn_model *model = NULL;
  assert_ok(jn_model_load(TEST_DATA "/odd/world_link.urdf", NULL, NULL, &model, NULL));
  assert_true(jn_model_is_floating(model));
  assert_int_equal(jn_model_body_count(model), 1);
  assert_string_equal(jn_model_joint(model, 0)->name, "free");
  assert_int_equal(jn_model_frame(model, jn_model_find_frame(model, "world"))->body, -1);
  assert_int_equal(jn_model_frame(model, jn_model_find_frame(model, "body"))->body, 0);
  jn_model_free(model);
}

/* unitree's a1.urdf */
static void a_joint_with_an_empty_name_is_called_like_its_child(void **state) {
  (void)state;
  jn_spec *spec =
      parse_ok(jn_spec_parse_urdf,
               "<robot><link name='world'/><link name='trunk'/>\n<joint name='' "
               "type='floating'><parent link='world'/><child link='trunk'/></joint></robot>");
  assert_int_equal(jn_spec_find_joint(spec, "trunk"), 0);
  int found = 0;
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    const jn_finding f = jn_spec_finding(spec, i);
    found +=
        f.line == 2 && f.severity == JN_WARNING && strstr(f.text, "joint without a name") != NULL;
  }
  assert_int_equal(found, 1);
  jn_spec_free(spec);
  /* a name is needed once */
  jn_error error = {0};
  static const char twice[] =
      "<robot><link name='a'/><link name='b'/><link name='c'/><joint name='c' type='fixed'><parent "
      "link='a'/><child link='b'/></joint>\n<joint name='' type='fixed'><parent link='a'/><child "
      "link='c'/></joint></robot>";
  jn_model *model = NULL;
  spec = parse_ok(jn_spec_parse_urdf, twice);
  assert_status(jn_model_build(spec, NULL, NULL, &model, &error), JN_ERR_MODEL);
  assert_int_equal(error.line, 2);
  jn_spec_free(spec);
}

/* the joint generated for a root without one has a name that no other joint has */
static void the_base_joint_has_a_unique_name(void **state) {
  (void)state;
  static const struct {
    const char *taken[5], *made_up;
  } cases[] = {
      {{"a"}, "base"},
      {{"base_joint", "base_joint_2"}, "base"},
      {{"base"}, "base_joint"},
      {{"base", "base_joint"}, "base_joint_2"},
      {{"base_joint_3", "base", "base_joint_2", "base_joint"}, "base_joint_4"},
      {{"base_joint_02", "base", "base_joint_", "base_joint", "base_joint_2x"}, "base_joint_2"},
      {{"base", "base_joint", "base_joint_99999999999999999999"}, "base_joint_2"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int fixed = 0; fixed < 2; fixed++) {
      growing_text t = {0};
      int n = 0;
      append(&t, "<robot><link name='l0'/>");
      for (; n < 5 && cases[i].taken[n] != NULL; n++)
        append(&t,
               "<link name='l%d'/><joint name='%s' type='%s'><parent link='l%d'/><child "
               "link='l%d'/></joint>",
               n + 1, cases[i].taken[n], fixed ? "fixed" : "continuous", n, n + 1);
      append(&t, "</robot>");
      jn_spec *spec = parse_ok(jn_spec_parse_urdf, t.text);
      jn_model *model = NULL;
      assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
      assert_string_equal(jn_model_joint(model, 0)->name, cases[i].made_up);
      assert_int_equal(jn_model_find_joint(model, cases[i].made_up), 0);
      for (int k = 0; k < n; k++)
        assert_int_equal(jn_model_find_joint(model, cases[i].taken[k]), fixed ? -1 : k + 1);
      jn_model_free(model);
      jn_spec_free(spec);
      free(t.text);
    }
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
      cmocka_unit_test(errors_in_unnamed_elements_do_not_name_the_one_before),
      cmocka_unit_test(visuals_and_collisions_are_skipped),
      cmocka_unit_test(findings_are_not_repeated),
      cmocka_unit_test(mimics_are_kept_and_transmissions_reported),
      cmocka_unit_test(urdf_is_read_as_people_write_it),
      cmocka_unit_test(a_transmission_finds_a_joint_with_a_long_name),
      cmocka_unit_test(commas_between_numbers_need_the_lenient_option),
      cmocka_unit_test(files_are_told_by_their_content),
      cmocka_unit_test(a_floating_joint_below_the_world_is_a_floating_base),
      cmocka_unit_test(a_joint_with_an_empty_name_is_called_like_its_child),
      cmocka_unit_test(the_base_joint_has_a_unique_name),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
