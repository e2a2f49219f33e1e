/* test_cli_rotors.c: jounce rotors, and rotors in info, convert and side files. */
#include "helpers/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/files.h"
#include "helpers/program.h"
#include "helpers/tree.h"

static json_t *numbers(const double *x, size_t n) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
  return list;
}

/* A state file of tilthex: `rows` rows of v in `representation`. */
static void save_state(const char *name, const motion *m, jn_representation representation,
                       int rows) {
  static const char *const words[] = {"spatial", "body", "hybrid", "mixed"};
  enum { NQ = 13, NV = 12 };
  double q[NQ], v[8 * NV];
  motion_state(m, 0.3, representation, rows, q, v);
  json_t *state = json_object(), *base = json_object(), *joints = json_object(),
         *twist = json_array();
  json_object_set_new(base, "quat", numbers(q, 4));
  json_object_set_new(base, "p", numbers(q + 4, 3));
  for (int k = 0; k < rows; k++) json_array_append_new(twist, numbers(v + k * NV, 6));
  json_object_set_new(base, "twist", twist);
  json_object_set_new(base, "representation", json_string(words[representation]));
  for (int i = 1; i < 7; i++) {
    json_t *row = numbers(q + 6 + i, 1);
    for (int k = 0; k < rows; k++) json_array_append_new(row, json_real(v[k * NV + 5 + i]));
    json_object_set_new(joints, jn_model_joint(m->model, i)->name, row);
  }
  json_object_set_new(state, "base", base);
  json_object_set_new(state, "joints", joints);
  save_json(name, state);
  json_decref(state);
}

static void thrusts_do_not_depend_on_the_representation_of_the_state(void **state) {
  (void)state;
  jn_model *model = NULL;
  assert_ok(jn_model_load("tilthex", NULL, NULL, &model, NULL));
  motion *m = motion_new(model, 5, 0.4);
  json_t *first = NULL, *id;
  for (int r = JN_SPATIAL; r <= JN_MIXED; r++) {
    save_state("s.json", m, (jn_representation)r, 5);
    run("jounce rotors tilthex --order 3 --state s.json");
    json_t *got = parse(output);
    residual same = {0, 0};
    if (!first) first = json_incref(got);
    compare(&same, item(got, "thrust", NULL), item(first, "thrust", NULL));
    check_residual("thrusts in four representations", judge("thrust", &same, 1e-11), 1e-11);
    json_decref(got);
    if (r != JN_BODY) continue;
    /* the wrench is that of inverse dynamics */
    residual wrench = {0, 0};
    id = run_json("jounce id tilthex --order 3 --state s.json");
    compare(&wrench, item(first, "wrench", NULL), item(id, "base_wrench", NULL));
    check_residual("wrench of inverse dynamics", judge("wrench", &wrench, 1e-11), 1e-11);
    json_decref(id);
  }
  json_decref(first);
  motion_free(m);
  jn_model_free(model);
}

static const char urdf[] =
    "<robot name='quad'><link name='body'><inertial><mass value='1'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
static const char side[] =
    "{\"rotors\": [\n"
    " {\"name\": \"e\", \"link\": \"body\", \"p\": [1, 0, 0], \"c_f\": 1, \"c_d\": 0.1, \"spin\": "
    "1},\n"
    " {\"name\": \"n\", \"link\": \"body\", \"p\": [0, 1, 0], \"c_f\": 1, \"c_d\": 0.1, \"spin\": "
    "-1},\n"
    " {\"name\": \"w\", \"link\": \"body\", \"p\": [-1, 0, 0], \"c_f\": 1, \"c_d\": 0.1, \"spin\": "
    "1},\n"
    " {\"name\": \"s\", \"link\": \"body\", \"p\": [0, -1, 0], \"c_f\": 1, \"c_d\": 0.1, \"spin\": "
    "-1,\n"
    "  \"limits\": {\"thrust\": 3, \"thrust_rate\": 2}}]}";

/* every rotor has its rows in the text and on the page */
static void limits_of_rotors_are_listed(void **state) {
  (void)state;
  put("up.json",
      "{\"kind\": \"minimum\", \"times\": [0, 1], \"base\": [[1, 0, 0, 0, 0, 0, 0], [1, 0, 0, "
      "0, 0, 0, 1]]}");
  assert_clean(
      run("jounce limits tilthex up.json --hold --text --report up.html && grep -o "
          "'scope=\"row\">p[1-6]<.th><td>[a-z_]*<.td>' up.html"));
  for (int i = 1; i <= 6; i++) {
    char text[40], page[40];
    snprintf(text, sizeof text, "\np%d ", i);
    snprintf(page, sizeof page, ">p%d</th><td>thrust_rate<", i);
    assert_non_null(strstr(output, text));
    assert_non_null(strstr(output, page));
  }
}

static void a_quadrotor_from_urdf_and_a_side_file(void **state) {
  (void)state;
  put("quad.urdf", urdf);
  put("side.json", side);
  json_t *got = run_json("jounce rotors quad.urdf --floating --with side.json");
  assert_true(json_number_value(item(got, "rank", NULL)) == 4);
  for (size_t i = 0; i < 4; i++)
    check_residual("hover", fabs(at(json_array_get(item(got, "thrust", NULL), 0), i) - 9.81 / 4),
                   1e-14);
  assert_non_null(json_object_get(got, "rest"));
  json_decref(got);
  /* converted it needs no side file */
  assert_clean(run("jounce convert quad.urdf --with side.json --output quad.json"));
  assert_clean(run("jounce rotors quad.json --floating --text"));
  assert_non_null(strstr(output, "4 rotors of quad, rank 4: thrusts at home and at rest"));
  /* a fixed base has no thrusts */
  got = run_json("jounce rotors quad.json");
  assert_null(json_object_get(got, "thrust"));
  json_decref(got);
  got = run_json("jounce info quad.json");
  assert_string_equal(
      json_string_value(item(json_array_get(item(got, "rotors", NULL), 3), "name", NULL)), "s");
  json_decref(got);
  assert_clean(run("jounce info quad.json --text"));
  assert_non_null(strstr(output, "4 rotors of rank 4: e n w s"));
  assert_clean(run("jounce rotors quad.json --floating --format csv"));
  assert_non_null(strstr(output, "thrust,0,"));
}

static void saturation_and_what_rotors_cannot_do_have_exit_status_3(void **state) {
  (void)state;
  put("quad.urdf", urdf);
  put("side.json", side);
#define QUAD "jounce rotors quad.urdf --floating --with side.json --pad --state m.json "
  put("m.json", "{\"base\": {\"twist\": [[0,0,0,0,0,0], [0,0,0,0,0,5]]}}");
  assert_int_equal(run(QUAD "--text"), 3);
  assert_non_null(strstr(output, "saturated: s (thrust above its limit)"));
  put("m.json", "{\"base\": {\"twist\": [[0,0,0,0,0,0], [0,0,0,0,0,0], [0,0,0,0,0,9]]}}");
  assert_int_equal(run(QUAD "--order 1 --text"), 3);
  assert_non_null(strstr(output, "saturated: s (thrust rate above its limit)"));
  put("m.json", "{\"base\": {\"twist\": [[0,0,0,0,0,0], [0,0,0,1,0,0]]}}");
  assert_int_equal(run(QUAD), 3);
  json_t *got = parse(output);
  check_residual("rest", fabs(at(json_array_get(item(got, "rest", NULL), 0), 3) - 1), 1e-14);
  json_decref(got);
  put("m.json", "{\"base\": {\"twist\": [[0,0,0,0,0,0], [0,0,0,0,0,-20]]}}");
  assert_int_equal(run(QUAD "--text"), 3);
  assert_non_null(strstr(output, "a thrust is negative"));
  assert_int_equal(run(QUAD "--format json"), 3);
  got = parse(output);
  assert_null(json_object_get(got, "speed"));
  json_decref(got);
}

static void what_is_missing_is_said(void **state) {
  (void)state;
  put("quad.urdf", urdf);
  put("bad.json", "{\"rotors\": [{\"name\": \"e\", \"link\": \"wing\", \"c_f\": 1, \"spin\": 1}]}");
  put("worse.json", "{\"rotor\": []}");
  assert_int_equal(run("jounce rotors arm6"), 1);
  assert_non_null(strstr(errors, "arm6 has no rotors"));
  assert_int_equal(run("jounce rotors quad.urdf --with none.json"), 1);
  assert_non_null(strstr(errors, "none.json"));
  assert_int_equal(run("jounce rotors quad.urdf --with bad.json"), 1);
  assert_non_null(strstr(errors, "rotor 'e': unknown link 'wing'"));
  assert_int_equal(run("jounce id quad.urdf --with worse.json"), 1);
  assert_non_null(strstr(errors, "worse.json:1: rotor: unknown key; did you mean 'rotors'?"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thrusts_do_not_depend_on_the_representation_of_the_state),
      cmocka_unit_test(limits_of_rotors_are_listed),
      cmocka_unit_test(a_quadrotor_from_urdf_and_a_side_file),
      cmocka_unit_test(saturation_and_what_rotors_cannot_do_have_exit_status_3),
      cmocka_unit_test(what_is_missing_is_said),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
