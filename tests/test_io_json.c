/* test_io_json.c: reading of native models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/files.h"
#include "helpers/parsing.h"

static void json_is_read_as_written(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(
      jn_spec_parse_json,
      "{\"name\": \"sample\", \"gravity\": [1, 2, 3],\n"
      " \"bodies\": [\n"
      "  {\"name\": \"a\", \"joint\": {\"name\": \"base\", \"type\": \"free\"}, \"mass\": 2,\n"
      "   \"home\": {\"R\": [[0, -1, 0], [1, 0, 0], [0, 0, 1]], \"p\": [4, 5, 6]},\n"
      "   \"com\": [0.1, 0.2, 0.3], \"inertia\": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},\n"
      "  {\"name\": \"b\", \"parent\": \"a\",\n"
      "   \"joint\": {\"name\": \"q\", \"type\": \"universal\", \"point\": [7, 8, 9],\n"
      "             \"axes\": [[1, 0, 0], [0, 1, 0]]}},\n"
      "  {\"name\": \"c\", \"parent\": null,\n"
      "   \"joint\": {\"name\": \"r\", \"type\": \"continuous\", \"axis\": [0, 3, 0],\n"
      "             \"origin\": {\"quat\": [0.8, 0, 0, 0.6]}, \"armature\": 0.5, \"damping\": "
      "0.25,\n"
      "             \"friction\": 0.125, \"limits\": {\"lower\": -1, \"jerk\": 8}}},\n"
      "  {\"name\": \"d\", \"parent\": \"c\", \"comment\": 3,\n"
      "   \"joint\": {\"name\": \"s\", \"type\": \"helical\", \"axis\": [0, 0, 1], \"pitch\": "
      "-0.5}}\n"
      " ],\n"
      " \"frames\": [{\"name\": \"tip\", \"link\": \"b\", \"p\": [0, 0, 1]}]}\n");
  assert_true(jn_spec_gravity(spec).y == 2);
  assert_int_equal(jn_spec_link_count(spec), 4);
  const jn_link_desc *a = jn_spec_link(spec, 0);
  assert_int_equal(a->line, 3);
  assert_true(a->home.R.m[0][1] == -1 && a->home.R.m[1][0] == 1 && a->home.p.z == 6);
  assert_true(a->mass == 2 && a->com.y == 0.2 && a->inertia.m[1][0] == 4 &&
              a->inertia.m[0][2] == 3);
  const jn_joint_desc *q = jn_spec_joint(spec, 1), *r = jn_spec_joint(spec, 2),
                      *s = jn_spec_joint(spec, 3);
  assert_null(jn_spec_joint(spec, 0)->parent);
  assert_int_equal(jn_spec_joint(spec, 0)->type, JN_JOINT_FREE);
  assert_string_equal(q->parent, "a");
  assert_int_equal(q->line, 7);
  assert_int_equal(q->placement, JN_BY_SCREW);
  assert_true(q->axis[0].x == 1 && q->axis[1].y == 1 && q->point.y == 8);
  assert_null(r->parent);
  assert_int_equal(r->type, JN_JOINT_REVOLUTE);
  assert_int_equal(r->placement, JN_BY_FRAME);
  assert_true(r->axis[0].y == 3 && fabs(r->origin.R.m[1][0] - 0.96) < 1e-15);
  assert_true(r->armature == 0.5 && r->damping == 0.25 && r->friction == 0.125);
  assert_true(r->limits.lower == -1 && isinf(r->limits.upper) && r->limits.jerk == 8);
  assert_true(s->pitch == -0.5);
  const jn_frame_desc *tip = jn_spec_frame(spec, 0);
  assert_string_equal(tip->link, "b");
  assert_int_equal(tip->line, 16);
  assert_true(tip->pose.p.z == 1 && tip->pose.R.m[0][0] == 1);
  assert_true(
      has_finding(spec, JN_WARNING, 14, "joint 's': point: missing: the world's origin is used"));
  assert_int_equal(jn_spec_finding_count(spec), 1);
  jn_spec_free(spec);
}

/* with any white space at the start */
static void empty_texts_and_those_of_the_other_format_are_reported(void **state) {
  (void)state;
  static const char *const blank[] = {"", " ", "\n", "\r", "\t", " \r\n\t "};
  for (size_t i = 0; i < COUNT(blank); i++) {
    char text[16];
    size_t n = strlen(blank[i]);
    assert_refused(jn_spec_parse_json, blank[i], n, JN_ERR_SYNTAX, "text:1: the text is empty");
    assert_refused(jn_spec_parse_urdf, blank[i], n, JN_ERR_SYNTAX, "the file is empty");
    n = (size_t)snprintf(text, sizeof text, "%s<robot>", blank[i]);
    assert_refused(jn_spec_parse_json, text, n, JN_ERR_SYNTAX, "needs the ending .urdf");
    n = (size_t)snprintf(text, sizeof text, "%s{}", blank[i]);
    assert_refused(jn_spec_parse_urdf, text, n, JN_ERR_SYNTAX, "needs the ending .json");
  }
}

/* in every object of a model */
static void unknown_keys_are_refused(void **state) {
  (void)state;
  static const char *const objects[] = {
      "{'name': 'r', 'bodies': [], 'x_': 1}",
      "{'name': 'r', 'bodies': [{'name': 'a', 'x_': 1}]}",
      "{'name': 'r', 'bodies': [{'name': 'a', 'home': {'p': [0, 0, 0], 'x_': 1}}]}",
      "{'name': 'r', 'bodies': [{'name': 'a', 'joint': {'name': 'j', 'type': 'free', 'x_': 1}}]}",
      "{'name': 'r', 'bodies': [{'name': 'a', 'joint': {'name': 'j', 'type': 'revolute', 'axis': "
      "[0, 0, 1], 'limits': {'lower': 0, 'x_': 1}}}]}",
      "{'name': 'r', 'bodies': [{'name': 'a', 'joint': {'name': 'j', 'type': 'revolute', 'axis': "
      "[0, 0, 1], 'mimic': {'joint': 'k', 'x_': 1}}}]}",
      "{'name': 'r', 'bodies': [{'name': 'a'}], 'frames': [{'name': 'f', 'link': 'a', 'x_': 1}]}",
      "{'name': 'r', 'bodies': [{'name': 'a'}], 'constraints': [{'name': 'c', 'type': 'point', "
      "'a': {'link': 'a'}, 'x_': 1}]}",
      "{'name': 'r', 'bodies': [{'name': 'a'}], 'constraints': [{'name': 'c', 'type': 'point', "
      "'a': {'link': 'a', 'x_': 1}}]}",
      "{'name': 'r', 'bodies': [{'name': 'a'}], 'rotors': [{'name': 'p', 'link': 'a', 'x_': 1}]}"};
  for (size_t i = 0; i < COUNT(objects); i++) {
    char text[400];
    snprintf(text, sizeof text, "%s", objects[i]);
    for (char *c = text; *c; c++)
      if (*c == '\'') *c = '"';
    assert_refused(jn_spec_parse_json, text, strlen(text), JN_ERR_SYNTAX, "x_: unknown key");
  }
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static void (*const again[])(void **) = {json_is_read_as_written};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_is_read_as_written),
      cmocka_unit_test(empty_texts_and_those_of_the_other_format_are_reported),
      cmocka_unit_test(unknown_keys_are_refused),
      cmocka_unit_test(the_locale_does_not_matter),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
