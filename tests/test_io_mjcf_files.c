/* test_io_mjcf_files.c: MJCF: what is reported, equalities, included files, limits. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/rng.h"

/* The spec of a <worldbody>, after `settings`. */
static jn_spec *world(const char *settings, const char *bodies) {
  char text[8000];
  snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody></mujoco>", settings, bodies);
  return parse_ok(jn_spec_parse_mjcf, text);
}

/* ---- findings */

static void what_is_not_used_is_reported(void **state) {
  (void)state;
  const char text[] =
      "<mujoco model='m'>\n"
      "<option density='1.2'/>\n"
      "<worldbody>\n"
      "<body name='a' gravcomp='1'><joint name='j' stiffness='4' springref='1'/>\n"
      "<joint name='k' springdamper='1 1' damping='1 2'/><geom size='0.1' contyp='1'/>\n"
      "<body name='b' mocap='true'><joint name='l' ref='10'/><geom size='0.1' "
      "colour='red'/></body>\n"
      "<plugin/></body></worldbody>\n"
      "<equality><connect body1='a' anchor='0 0 0'/>\n"
      "<weld name='w' body1='a' body2='b'/>\n"
      "<joint joint1='l' active='false'/>\n"
      "<joint name='bent' joint1='k' joint2='j' polycoef='0 1 1'/>\n"
      "<tendon tendon1='t'/></equality>\n"
      "<tendon><fixed name='t' stiffness='3'><joint joint='j' coef='1'/></fixed></tendon>\n"
      "<actuator><motor joint='j'/></actuator>\n"
      "<contact><exclude body1='a' body2='b'/></contact>\n"
      "<deformable><flex/></deformable>\n"
      "<wheels/>\n"
      "</mujoco>\n";
  static const struct {
    jn_severity severity;
    int line;
    const char *words;
  } want[] = {{JN_SERIOUS, 2, "fluid"},
              {JN_SERIOUS, 4, "gravcomp"},
              {JN_SERIOUS, 4, "joint 'j': a model has no springs: its force -4"},
              {JN_SERIOUS, 5, "springdamper"},
              {JN_SERIOUS, 5, "polynomial"},
              {JN_WARNING, 5, "did you mean 'contype'?"},
              {JN_WARNING, 6, "is a mocap body"},
              {JN_NOTE, 6, "'colour' is ignored"},
              {JN_SERIOUS, 7, "plugin"},
              {JN_NOTE, 8, "constraints are rigid here"},
              {JN_SERIOUS, 11, "joint 'bent' is not enforced"},
              {JN_SERIOUS, 12, "tendon is not enforced"},
              {JN_WARNING, 13, "tendons are not used"},
              {JN_SERIOUS, 13, "fixed 't': its stiffness"},
              {JN_NOTE, 14, "actuators are not used"},
              {JN_NOTE, 14, "2 of the joints have no actuator ('k', 'l')"},
              {JN_NOTE, 15, "contacts are not computed"},
              {JN_SERIOUS, 16, "deformable"},
              {JN_WARNING, 17, "<wheels>"}};
  jn_spec *spec = parse_ok(jn_spec_parse_mjcf, text);
  for (size_t i = 0; i < COUNT(want); i++)
    if (!has_finding(spec, want[i].severity, want[i].line, want[i].words))
      fail_msg("no finding in line %d: %s", want[i].line, want[i].words);
  assert_int_equal(jn_spec_finding_count(spec), COUNT(want));
  assert_int_equal(jn_spec_constraint_count(spec), 2);
  assert_ok(jn_spec_lint(spec));
  jn_spec_free(spec);

  spec = world("<option><flag gravity='disable' damper='disable'/></option>",
               "<body name='a'><joint name='j' damping='3'/><geom size='0.1'/></body>");
  assert_true(joint_named(spec, "j")->damping == 0 && jn_spec_gravity(spec).z == 0);
  jn_spec_free(spec);
}

/* couplings alone: mimic joints, as long as none follows itself */
static void couplings_alone_are_mimic_joints(void **state) {
  (void)state;
#define ARM(equalities)                                                                   \
  "<mujoco><worldbody><body name='a'><joint name='1' ref='0.5'/><geom size='0.1'/>"       \
  "<body name='b'><joint name='2' ref='0.3'/><geom size='0.1'/>"                          \
  "<body name='c'><joint name='3'/><geom size='0.1'/></body></body></body></worldbody>\n" \
  "<compiler angle='radian'/><equality>" equalities "</equality></mujoco>"
  static const struct {
    const char *text;
    int constraints, nv;
  } cases[] = {
      {ARM("<joint joint1='2' joint2='1' polycoef='1 2'/><joint joint1='3' joint2='2'/>"), 0, 1},
      {ARM("<joint joint1='2' polycoef='0.25'/>"), 0, 2},
      {ARM("<joint joint1='2' joint2='1'/><joint joint1='1' joint2='2'/>"), 2, 3},
      {ARM("<joint joint1='2' joint2='1'/><joint joint1='2' joint2='3'/>"), 2, 3},
      {ARM("<joint joint1='2' joint2='1'/><connect body1='c' body2='a' anchor='0 0 0'/>"), 2, 3}};
#undef ARM
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, cases[i].text);
    assert_int_equal(jn_spec_constraint_count(spec), cases[i].constraints);
    jn_model *model = NULL;
    assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
    assert_int_equal(jn_model_nv(model), cases[i].nv);
    if (i == 0) { /* q2 - 0.3 = 1 + 2 (q1 - 0.5), q3 - 0 = q2 - 0.3 */
      const double y = 0.7;
      double q[3];
      jn_tree_expand(model, &y, 0, NULL, q, NULL);
      check_residual("coupled", fabs(q[1] - 1.7) + fabs(q[2] - 1.4), 8 * U);
    }
    jn_model_free(model);
    jn_spec_free(spec);
  }
}

/* joints without actuators are counted, unless an actuator acts elsewhere */
static void joints_without_actuators_are_reported(void **state) {
  (void)state;
#define ARM(actuators)                                                                    \
  "<mujoco><worldbody><body name='a'><joint name='1'/><geom size='0.1'/><site name='s'/>" \
  "<body name='b'><joint name='2'/><geom size='0.1'/>"                                    \
  "<body name='c'><joint name='3'/><geom size='0.1'/></body></body></body></worldbody>"   \
  "<tendon><fixed name='t'><joint joint='2' coef='1'/><joint joint='3' "                  \
  "coef='1'/></fixed></tendon>\n"                                                         \
  "<actuator>" actuators "</actuator></mujoco>"
  static const struct {
    const char *text, *words;
  } cases[] = {{ARM("<motor joint='1'/>"), "2 of the joints have no actuator ('2', '3')"},
               {ARM("<motor tendon='t'/>"), "1 of the joints have no actuator ('1')"},
               {ARM("<motor jointinparent='1'/><position tendon='t'/>"), NULL},
               {ARM("<motor joint='1'/><general site='s'/>"), NULL},
               {ARM(""), NULL}};
#undef ARM
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, cases[i].text);
    assert_int_equal(has_finding(spec, JN_NOTE, 2, "have no actuator"), cases[i].words != NULL);
    if (cases[i].words) assert_true(has_finding(spec, JN_NOTE, 2, cases[i].words));
    jn_spec_free(spec);
  }
}

static void equalities_are_constraints(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(
      jn_spec_parse_mjcf,
      "<mujoco><worldbody><site name='s' pos='1 2 3'/>\n"
      "<body name='a' pos='1 0 0'><joint name='1' type='slide' ref='0.5' axis='1 0 0'/>"
      "<geom size='0.1'/><site name='t' pos='0 0 1' quat='0 1 0 0'/>"
      "<body name='b' pos='0 1 0' quat='0 0 0 1'><joint name='2' type='slide' ref='0.3'/>"
      "<geom size='0.1'/></body></body></worldbody>\n"
      "<equality><joint joint1='2' joint2='1' polycoef='1 2'/>\n"
      "<joint name='held' joint1='1' polycoef='0.25'/>\n"
      "<connect name='pin' body1='b' body2='a' anchor='0.1 0.2 0.3'/>\n"
      "<weld name='fast' body1='a' body2='world' anchor='1 1 1' relpose='0 0 2 0 2 0 0'/>\n"
      "<weld name='there' body1='a' body2='b'/>\n"
      "<connect name='sites' site1='t' site2='s'/>\n"
      "<weld name='one' body1='b' body2='b'/>\n"
      "<weld name='x' body1='a' body2='b' relpose='1 2 3 0 3e-200 0 0'/>"
      "<weld name='y' body1='a' body2='b' relpose='1 2 3 0 0 3 0'/>"
      "<weld name='z' body1='a' body2='b' relpose='1 2 3 0 0 0 3e200'/>"
      "<weld name='w' body1='a' body2='b' relpose='1 2 3 3 0 0 0'/>"
      "<weld name='zero' body1='a' body2='b' relpose='1 2 3 0 0 0 0'/></equality></mujoco>");
  assert_int_equal(jn_spec_constraint_count(spec), 11);
  assert_true(has_finding(spec, JN_NOTE, 9, "weld 'one' joins two bodies that do not move"));
  /* q2 - 0.3 = 1 + 2 (q1 - 0.5):  q2 - 2 q1 = 0.3 */
  const jn_constraint_desc *c = jn_spec_get_constraint(spec, 0);
  assert_string_equal(c->name, "equality1");
  assert_true(c->type == JN_CONSTRAINT_COUPLING && c->term_count == 2 && c->line == 3);
  assert_true(c->terms[0].coefficient == 1 && c->terms[1].coefficient == -2);
  check_residual("coupling", fabs(c->offset - 0.3), 4 * U);
  c = jn_spec_get_constraint(spec, 1);
  assert_true(c->term_count == 1 && c->offset == 0.75);
  /* b is turned by half a turn about z, at (0, 1, 0) in a, wherever the joints are */
  c = jn_spec_get_constraint(spec, 2);
  assert_true(c->type == JN_CONSTRAINT_POINT);
  assert_string_equal(c->a.link, "b");
  assert_string_equal(c->b.link, "a");
  check_residual("connect", jn_v3_norm(jn_v3_sub(c->b.pose.p, jn_v3(-0.1, 0.8, 0.3))), 4 * U);
  /* half a turn about x: the world's (1, 1, 1) is (1, -1, -1 + 2) in a */
  c = jn_spec_get_constraint(spec, 3);
  assert_true(c->type == JN_CONSTRAINT_WELD && c->b.link == NULL);
  check_residual("weld", jn_v3_norm(jn_v3_sub(c->a.pose.p, jn_v3(1, -1, 1))), 4 * U);
  check_residual("weld", jn_v3_norm(jn_v3_sub(c->b.pose.p, jn_v3(1, 1, 1))), 4 * U);
  c = jn_spec_get_constraint(spec, 4);
  check_residual("weld", jn_v3_norm(jn_v3_sub(c->a.pose.p, jn_v3(0, 1, 0))), 4 * U);
  check_residual("weld", fabs(c->a.pose.R.m[0][0] + 1), 4 * U);
  c = jn_spec_get_constraint(spec, 5);
  assert_true(c->a.pose.p.z == 1 && c->b.pose.p.z == 3 && c->b.link == NULL);
  /* quaternions of any length: half a turn about x, y, z, none; length zero: as 'there' above */
  for (int i = 0; i < 5; i++) {
    c = jn_spec_get_constraint(spec, 6 + i);
    for (int k = 0; k < 3; k++) {
      const double want = i == 3 || k == (i < 3 ? i : 2) ? 1 : -1;
      check_residual("rotation of a weld", fabs(c->a.pose.R.m[k][k] - want), 4 * U);
    }
    const jn_vec3 at = i < 4 ? jn_v3(1, 2, 3) : jn_v3(0, 1, 0);
    check_residual("weld", jn_v3_norm(jn_v3_sub(c->a.pose.p, at)), 4 * U);
  }
  jn_spec_free(spec);
}

/* ---- files */

static jn_status load(const char *name, jn_spec **spec, jn_error *error) {
  counter c;
  jn_allocator hooks = counting(&c);
  *spec = NULL;
  jn_status status = jn_spec_load(temporary(name), NULL, spec, error);
  /* and no memory is lost */
  jn_spec *again = NULL;
  assert_status(jn_spec_load(temporary(name), &hooks, &again, NULL), status);
  jn_spec_free(again);
  assert_int_equal(c.live, 0);
  return status;
}

static void included_files_take_the_place_of_their_element(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  assert_int_equal(mkdir(temporary("parts"), 0700), 0);
  put("main.xml",
      "<mujoco model='m'>\n<include file='parts/classes.xml'/>\n<worldbody>\n"
      "<body name='a'>\n<include file='parts/../parts/arm.xml'/>\n<geom size='0.1'/></body>\n"
      "<include file='empty.xml'/></worldbody></mujoco>");
  put("empty.xml", "<anything/>");
  put("parts/classes.xml",
      "<mujocoinclude>\n<default><joint damping='3'/></default><include file='angles.xml'/>"
      "</mujocoinclude>");
  put("parts/angles.xml", "<x><compiler angle='radian'/></x>");
  /* the file in it is found beside it, and not in the folder of the model */
  put("parts/arm.xml",
      "<x>\n<joint name='j' range='-1 1'/>\n<include file='hand.xml'/>"
      "<site name='s'/></x>");
  put("parts/hand.xml", "<x><body name='hand' \n bogus='1'><geom size='0.1'/></body></x>");
  if (load("main.xml", &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_true(joint_named(spec, "j")->damping == 3 && joint_named(spec, "j")->limits.upper == 1);
  assert_int_equal(link_named(spec, "hand")->line, 5); /* the include in the main file */
  assert_true(has_finding(spec, JN_NOTE, 5, "parts/hand.xml:1: body 'hand': unknown attribute"));
  assert_int_equal(jn_spec_frame_count(spec), 1);
  /* an error of the model names its file */
  jn_model *model;
  jn_spec_link(spec, jn_spec_find_link(spec, "hand"))->mass = -1;
  assert_status(jn_model_build(spec, NULL, NULL, &model, &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.message, "main.xml:"));
  jn_spec_free(spec);
  /* an error has the place in the included file */
  put("parts/hand.xml", "<x><body name='hand'>\n<joint axis='1 2'/></body></x>");
  assert_status(load("main.xml", &spec, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "/parts/hand.xml:2: joint: axis=\"1 2\": expected 3"));
  assert_int_equal(error.line, 2);
}

static void only_files_below_the_model_are_included(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char outside[600], target[600];
  mkdir(temporary("model"), 0700);
  mkdir(temporary("model/below"), 0700);
  put("outside.xml", "<x><body name='out'><geom size='0.1'/></body></x>");
  put("model/below/in.xml", "<x><body name='in'><geom size='0.1'/></body></x>");
  snprintf(outside, sizeof outside, "%s", temporary("outside.xml"));
  snprintf(target, sizeof target, "%s", temporary("model/link.xml"));
  assert_int_equal(symlink(outside, target), 0);
  snprintf(target, sizeof target, "%s", temporary("model/inner.xml"));
  assert_int_equal(symlink("below/in.xml", target), 0);
  assert_int_equal(mkfifo(temporary("model/pipe.xml"), 0600), 0);
  const struct {
    const char *name, *words;
  } cases[] = {{"below/in.xml", NULL},
               {"inner.xml", NULL},
               {"below/../below/in.xml", NULL},
               {"../outside.xml", "outside the folder"},
               {"below/../../outside.xml", "outside the folder"},
               {"link.xml", "outside the folder"},
               {outside, "absolute path"},
               {"/etc/passwd", "absolute path"},
               {"none.xml", "no such file"},
               {"below", "not a regular file"},
               {"pipe.xml", "not a regular file"},
               {"main.xml", "already part"},
               {"", "no attribute 'file'"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[1500];
    snprintf(text, sizeof text, "<mujoco>\n<worldbody><include file='%s'/></worldbody></mujoco>",
             cases[i].name);
    put("model/main.xml", text);
    const jn_status status = load("model/main.xml", &spec, &error);
    if ((status == JN_OK) != (cases[i].words == NULL)) fail_msg("%s: %d", cases[i].name, status);
    if (status == JN_OK) {
      assert_true(jn_spec_find_link(spec, "in") >= 0);
    } else {
      if (strstr(error.message, cases[i].words) == NULL) fail_msg("%s", error.message);
      assert_int_equal(error.line, 2);
    }
    jn_spec_free(spec);
  }
  /* in a folder of its own by a relative path, and from memory */
  assert_refused(jn_spec_parse_mjcf, "<mujoco><include file='a.xml'/></mujoco>", 40, JN_ERR_FILE,
                 "a text in memory has no folder");
}

static void the_root_element_tells_the_format(void **state) {
  (void)state;
  static const char *const names[] = {"a.xml", "a.mjcf", "a.urdf"};
  jn_model *model = NULL;
  jn_error error;
  for (size_t i = 0; i < COUNT(names); i++) {
    put(names[i],
        "<?xml version='1.0'?>\n<!-- <robot> --><mujoco><worldbody><body name='b'>"
        "<geom size='0.1'/></body></worldbody></mujoco>");
    assert_ok(jn_model_load(temporary(names[i]), NULL, NULL, &model, &error));
    jn_model_free(model);
    put(names[i], "<robot name='r'><link name='b'/></robot>");
    assert_ok(jn_model_load(temporary(names[i]), NULL, NULL, &model, &error));
    assert_string_equal(jn_model_name(model), "r");
    jn_model_free(model);
  }
  assert_refused(jn_spec_parse_mjcf, "<robot/>", 8, JN_ERR_SYNTAX, "not <mujoco>");
  assert_refused(jn_spec_parse_urdf, "<mujoco/>", 9, JN_ERR_SYNTAX, "this is MJCF");
}

/* ---- limits, on both sides */

static jn_status parse_repeated(const char *before, const char *part, const char *middle,
                                const char *end, const char *after, int n, jn_error *error) {
  growing_text t = {0};
  jn_spec *spec = NULL;
  append(&t, "%s", before);
  for (int i = 0; i < n; i++) append(&t, part, i, i);
  append(&t, "%s", middle);
  for (int i = 0; i < n; i++) append(&t, "%s", end);
  append(&t, "%s", after);
  const jn_status status = jn_spec_parse_mjcf(t.text, strlen(t.text), "text", NULL, &spec, error);
  jn_spec_free(spec);
  free(t.text);
  return status;
}

static void limits_hold_on_both_sides(void **state) {
  (void)state;
  const char *const head = "<mujoco><worldbody>", *const tail = "</worldbody></mujoco>";
  jn_error error;
  const int depth = JN_MAX_MJCF_DEPTH - 2;
  assert_ok(parse_repeated(head, "<body>", "", "</body>", tail, depth, &error));
  assert_status(parse_repeated(head, "<body>", "", "</body>", tail, depth + 1, &error),
                JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "text:1: elements are nested deeper than 1000"));
  const int elements = JN_MAX_XML_ELEMENTS - 3;
  const char *const one = "<mujoco><worldbody><body>", *const end = "</body></worldbody></mujoco>";
  assert_ok(parse_repeated(one, "<site/>\n", "", "", end, elements, &error));
  assert_status(parse_repeated(one, "<site/>\n", "", "", end, elements + 1, &error), JN_ERR_LIMIT);
  assert_int_equal(error.line, elements + 1);
  const int classes = JN_MAX_MJCF_CLASSES - 1;
  const char *const open = "<mujoco><default>\n",
                    *const close = "</default><worldbody><body/></worldbody></mujoco>";
  assert_ok(parse_repeated(open, "<default class='c%d'/>\n", "", "", close, classes, &error));
  assert_status(
      parse_repeated(open, "<default class='c%d'/>\n", "", "", close, classes + 1, &error),
      JN_ERR_LIMIT);
  assert_int_equal(error.line, JN_MAX_MJCF_CLASSES + 1);
  char name[JN_MAX_NAME + 2], text[400];
  memset(name, 'n', sizeof name);
  for (int n = JN_MAX_NAME; n <= JN_MAX_NAME + 1; n++) {
    jn_spec *spec = NULL;
    snprintf(text, sizeof text, "%s<body name='%.*s'/>%s", head, n, name, tail);
    assert_status(jn_spec_parse_mjcf(text, strlen(text), NULL, NULL, &spec, &error),
                  n == JN_MAX_NAME ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
}

static void includes_are_limited(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char name[64], text[200];
  mkdir(temporary("many"), 0700);
  for (int n = JN_MAX_INCLUDES; n <= JN_MAX_INCLUDES + 1; n++) {
    growing_text t = {0};
    append(&t, "<mujoco><worldbody><body/>");
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "many/%d.xml", i);
      put(name, "<x/>");
      append(&t, "\n<include file='%d.xml'/>", i);
    }
    append(&t, "</worldbody></mujoco>");
    put("many/main.xml", t.text);
    free(t.text);
    assert_status(load("many/main.xml", &spec, &error),
                  n == JN_MAX_INCLUDES ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
  assert_int_equal(error.line, JN_MAX_INCLUDES + 2);
  mkdir(temporary("deep"), 0700);
  put("deep/main.xml", "<mujoco><worldbody><body/><include file='0.xml'/></worldbody></mujoco>");
  for (int n = JN_MAX_INCLUDE_DEPTH; n <= JN_MAX_INCLUDE_DEPTH + 1; n++) {
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "deep/%d.xml", i);
      snprintf(text, sizeof text, "<x>\n<include file='%d.xml'/></x>", i + 1);
      put(name, i + 1 < n ? text : "<x/>");
    }
    assert_status(load("deep/main.xml", &spec, &error),
                  n == JN_MAX_INCLUDE_DEPTH ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
  assert_non_null(strstr(error.message, "/deep/15.xml:2: includes are nested deeper than 16"));
}

/* All files together have at most JN_MAX_FILE bytes. A file of zeros is no XML, but that is seen
 * only when it is read. */
static void bytes_of_included_files_are_limited(void **state) {
  (void)state;
  static const char text[] = "<mujoco>\n<include file='zeros.xml'/></mujoco>";
  jn_spec *spec = NULL;
  jn_error error;
  put("sum.xml", text);
  put("zeros.xml", "");
  for (int over = 0; over < 2; over++) {
    assert_int_equal(truncate(temporary("zeros.xml"), JN_MAX_FILE - (off_t)strlen(text) + over), 0);
    assert_status(jn_spec_load(temporary("sum.xml"), NULL, &spec, &error),
                  over ? JN_ERR_LIMIT : JN_ERR_SYNTAX);
  }
  assert_non_null(strstr(error.message, "/sum.xml:2: the included files are larger than 64 MiB"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_used_is_reported),
      cmocka_unit_test(equalities_are_constraints),
      cmocka_unit_test(joints_without_actuators_are_reported),
      cmocka_unit_test(couplings_alone_are_mimic_joints),
      cmocka_unit_test(included_files_take_the_place_of_their_element),
      cmocka_unit_test(only_files_below_the_model_are_included),
      cmocka_unit_test(the_root_element_tells_the_format),
      cmocka_unit_test(limits_hold_on_both_sides),
      cmocka_unit_test(includes_are_limited),
      cmocka_unit_test(bytes_of_included_files_are_limited),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
