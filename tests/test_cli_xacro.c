/* test_cli_xacro.c: xacro and URDF from the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"

static const char robot[] =
    "<robot name='r'>\n<xacro:arg name='n' default='1'/>\n"
    "<link name='base'/>\n<xacro:macro name='arm' params='i'>\n"
    "<link name='l${i}'><inertial><mass value='${i}'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    "</link>\n<joint name='j${i}' type='revolute'><parent link='base'/><child link='l${i}'/>"
    "<limit lower='-1' upper='${i}' effort='2' velocity='3'/></joint>\n</xacro:macro>\n"
    "<xacro:arm i='${$(arg n)}'/>\n</robot>\n";

static void arguments_are_given_as_ros_users_write_them(void **state) {
  (void)state;
  static const char *const ways[] = {
      "jounce expand r.xacro n:=4",
      "jounce expand n:=3 r.xacro n:=4",
      "jounce expand --arg n:=4 r.xacro",
      "jounce expand r.xacro --arg=n:=4",
      "jounce expand - n:=4 < r.xacro",
      "cat r.xacro | jounce expand --arg n:=4 -",
      "jounce expand r.xacro n:=4 --output made.urdf && cat made.urdf"};
  put("r.xacro", robot);
  for (size_t i = 0; i < COUNT(ways); i++) {
    assert_clean(run("%s", ways[i]));
    assert_non_null(strstr(output, "  <link name=\"l4\">\n"));
    assert_non_null(strstr(output, "<mass value=\"4\"/>"));
    assert_null(strstr(output, "xacro"));
  }
  /* every command takes it */
  assert_clean(run("jounce info r.xacro n:=2 --format csv"));
  assert_string_equal(output,
                      "joint,type,parent,child,nv,mass,lower,upper,velocity,effort,armature,mimic\n"
                      "base,fixed,,base,0,0,,,,,0,\nj2,revolute,base,l2,1,2,-1,2,3,2,0,\n");
  assert_clean(run("jounce id r.xacro --pad"));
  assert_clean(run("jounce check r.xacro n:=5"));
  assert_clean(run("jounce id - --pad < r.xacro"));
}

static void refusals_have_place_and_remedy(void **state) {
  (void)state;
  put("r.xacro", robot);
  assert_int_equal(run("jounce expand r.xacro n:=x"), 1);
  assert_non_null(strstr(errors, "jounce: r.xacro:8: ${x}: 'x' is not defined"));
  assert_int_equal(run("jounce info r.xacro n:=-1"), 1);
  assert_non_null(strstr(errors, "r.xacro:"));
  assert_int_equal(run("jounce expand none.xacro"), 1);
  assert_int_equal(run("jounce expand"), 2);
  assert_int_equal(run("jounce expand r.xacro --arg n"), 1);
  assert_non_null(strstr(errors, "argument 'n': NAME:=VALUE expected"));
  assert_int_equal(run("jounce expand r.xacro --output r.xacro"), 2);
  assert_int_equal(run("jounce models n:=1"), 2);
  assert_int_equal(run("jounce expand r.xacro --package-path /none/such"), 1);
  assert_non_null(strstr(errors, "package path: '/none/such': there is no such folder"));
  put("i.xacro", "<robot name='r'>\n<xacro:include filename='$(find p)/r.xacro'/></robot>");
  assert_int_equal(run("jounce expand i.xacro"), 1);
  assert_non_null(strstr(errors, "i.xacro:2: include"));
  assert_non_null(strstr(errors, "--package-path"));
  assert_clean(
      run("mkdir -p q/p && cp r.xacro q/p && jounce expand i.xacro --package-path x:q || "
          "jounce expand i.xacro --package-path :q:"));
  assert_non_null(strstr(output, "<link name=\"l1\">"));
  /* an old file survives a refusal */
  put("made.urdf", "old");
  assert_int_equal(run("jounce expand r.xacro n:=x --output made.urdf"), 1);
  assert_clean(run("cat made.urdf"));
  assert_string_equal(output, "old");
}

static void models_are_converted_to_urdf(void **state) {
  (void)state;
  static const char *const models[] = {"arm6", "pendulum", TEST_DATA "/odd/mjcf/cart.xml",
                                       TEST_DATA "/odd/xacro/arm.urdf.xacro"};
  for (size_t i = 0; i < COUNT(models); i++) {
    assert_clean(run("jounce convert '%s' -q --output made.urdf", models[i]));
    assert_string_equal(output, "");
    json_t *before = run_json("jounce id '%s' -q --order 2", models[i]);
    json_t *after = run_json("jounce id made.urdf -q --order 2");
    residual r = {0, 0};
    const char *name;
    json_t *tau;
    json_object_foreach(item(before, "tau", NULL), name, tau)
        compare(&r, tau, item(after, "tau", name));
    judge(models[i], &r, 1e-13);
    json_decref(before);
    json_decref(after);
  }
  assert_false(judged_badly);
  assert_int_equal(run("jounce convert fourbar --output made.urdf"), 1);
  assert_non_null(strstr(errors, "URDF cannot hold it"));
  assert_int_equal(run("jounce convert arm6 --output made.xml"), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_are_given_as_ros_users_write_them),
      cmocka_unit_test(refusals_have_place_and_remedy),
      cmocka_unit_test(models_are_converted_to_urdf),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
