/* test_io_odd.c: odd descriptions in URDF and native files: names that XML must escape, what URDF
 * cannot hold, side files that are refused, and memory that fails while they are read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/tree.h"

/* a link 'a' at the root, and a link 'b' on a hinge 'j' */
static jn_spec *two_links(const char *a, const char *b, const char *joint) {
  jn_spec *spec = NULL;
  const jn_link_desc one = link_of(a, 1, jn_v3(0, 0, 0), 1, 1, 1),
                     two = link_of(b, 1, jn_v3(0, 0, 0), 1, 1, 1);
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FIXED, NULL, a);
  jn_joint_desc j = joint_of(joint, JN_JOINT_REVOLUTE, a, b, shift(0, 0, 1));
  assert_ok(jn_spec_new("robot", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &one));
  assert_ok(jn_spec_add_link(spec, &two));
  assert_ok(jn_spec_add_joint(spec, &base));
  assert_ok(jn_spec_add_joint(spec, &j));
  return spec;
}

static void assert_unsaved(const jn_spec *spec, const char *words) {
  jn_error e = {0};
  char path[600];
  snprintf(path, sizeof path, "%s", temporary("kept.urdf"));
  put("kept.urdf", "old");
  const jn_status status = jn_spec_save_urdf(spec, path, &e);
  if (status != JN_ERR_MODEL || !strstr(e.message, words))
    fail_msg("%s: '%s' lacks '%s'", jn_status_text(status), e.message, words);
  char *text = slurp(path, NULL);
  assert_string_equal(text, "old");
  free(text);
}

static jn_spec *saved_and_read(const jn_spec *spec) {
  jn_error e = {0};
  jn_spec *again = NULL;
  char path[600];
  snprintf(path, sizeof path, "%s", temporary("again.urdf"));
  if (jn_spec_save_urdf(spec, path, &e)) fail_msg("%s", e.message);
  if (jn_spec_load(path, NULL, &again, &e)) fail_msg("%s", e.message);
  return again;
}

/* ---- URDF */

static void names_are_escaped_in_xml(void **state) {
  (void)state;
  static const char odd[] = "a<b>&\"c\" 'd'\xc3\xa9", spaces[] = "a\tb\nc\rd";
  jn_spec *spec = two_links(odd, spaces, "&amp;"), *again = saved_and_read(spec);
  assert_string_equal(jn_spec_get_link(again, 0)->name, odd);
  assert_string_equal(jn_spec_get_link(again, 1)->name, spaces);
  assert_string_equal(jn_spec_get_joint(again, 0)->name, "&amp;");
  jn_spec_free(again), jn_spec_free(spec);
  spec = two_links("a", "bell\a", "j");
  assert_unsaved(spec, "it has a control character");
  jn_spec_free(spec);
  spec = two_links("a", "\xff", "j");
  assert_unsaved(spec, "it is not UTF-8");
  jn_spec_free(spec);
}

/* what is wrong with two_links after the edit of number i */
enum {
  TWICE,
  NO_CHILD,
  NO_PARENT,
  TWO_JOINTS,
  RING,
  BALL_LIMITS,
  G_X,
  G_Y,
  NAMES,
  LAST = NAMES + 5
};

static void edited_descriptions_are_not_saved_as_urdf(void **state) {
  (void)state;
  static const char *const words[] = {
      [TWICE] = "link 'a': it is defined twice",
      [NO_CHILD] = "joint 'j': its parent or child does not exist",
      [NO_PARENT] = "joint 'j': its parent or child does not exist",
      [TWO_JOINTS] = "joint 'j': its child has another joint",
      [RING] = "it is its own ancestor",
      [BALL_LIMITS] = "joint 'j': limits of the position of such a joint",
      [G_X] = "a gravity that is not",
      [G_Y] = "a gravity that is not",
  };
  for (int i = 0; i <= LAST; i++) {
    jn_spec *spec = two_links("a", "b", "j");
    jn_joint_desc *base = jn_spec_joint(spec, 0), *j = jn_spec_joint(spec, 1);
    const jn_frame_desc f = {"f", "b", jn_pose_identity(), 0};
    assert_ok(jn_spec_add_frame(spec, &f));
    if (i == TWICE) jn_spec_link(spec, 1)->name = "a";
    if (i == NO_CHILD) j->child = "c";
    if (i == NO_PARENT) j->parent = "c";
    if (i == TWO_JOINTS) j->child = "a";
    if (i == RING) base->placement = JN_BY_FRAME, base->parent = "b";
    if (i == BALL_LIMITS) j->type = JN_JOINT_SPHERICAL, j->limits.lower = -1, j->limits.upper = 1;
    if (i == G_X) assert_ok(jn_spec_set_gravity(spec, jn_v3(1, 0, -9.81)));
    if (i == G_Y) assert_ok(jn_spec_set_gravity(spec, jn_v3(0, 1, -9.81)));
    if (i == NAMES) jn_spec_link(spec, 0)->name = NULL;
    if (i == NAMES + 1) j->name = NULL;
    if (i == NAMES + 2) j->child = NULL;
    if (i == NAMES + 3) jn_spec_frame(spec, 0)->name = NULL;
    if (i == NAMES + 4) jn_spec_frame(spec, 0)->link = NULL;
    if (i == NAMES + 5) j->name = base->name = NULL;
    assert_unsaved(spec, i < NAMES ? words[i] : "a link, joint or frame has no name");
    jn_spec_free(spec);
  }
  jn_spec *spec = two_links("a", "b", "j");
  jn_error e = {0};
  assert_status(jn_spec_save_urdf(NULL, "x.urdf", &e), JN_ERR_ARGUMENT);
  assert_status(jn_spec_save_urdf(spec, NULL, &e), JN_ERR_ARGUMENT);
  assert_status(jn_spec_save_urdf(spec, "", &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "the file name is missing, or spec is NULL"));
  jn_spec_free(spec);
}

static void native_files_need_names_too(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    jn_spec *spec = two_links("a", "b", "j");
    const jn_coupling_term terms[1] = {{"j", 1}};
    static jn_coupling_term none[1] = {{NULL, 1}};
    jn_constraint_desc c = jn_constraint_default("c", JN_CONSTRAINT_COUPLING, NULL, NULL);
    const jn_rotor_desc r = jn_rotor_default("r", "a");
    c.terms = terms, c.term_count = 1;
    assert_ok(jn_spec_add_constraint(spec, &c));
    assert_ok(jn_spec_add_rotor(spec, &r));
    if (i == 1) jn_spec_constraint(spec, 0)->name = NULL;
    if (i == 2) jn_spec_constraint(spec, 0)->terms = NULL;
    if (i == 3) jn_spec_constraint(spec, 0)->terms = none;
    if (i == 4) jn_spec_rotor(spec, 0)->name = NULL;
    if (i == 5) jn_spec_rotor(spec, 0)->link = NULL;
    jn_error e = {0};
    assert_status(jn_spec_save_json(spec, temporary("x.json"), &e), i ? JN_ERR_MODEL : JN_OK);
    if (i) assert_non_null(strstr(e.message, "has no name"));
    jn_spec_free(spec);
  }
}

/* Joint frames and welds need names of their own. */
static void names_that_urdf_needs_may_be_taken(void **state) {
  (void)state;
  for (int i = 0; i < 7; i++) {
    char longest[JN_MAX_NAME + 1];
    memset(longest, 'x', JN_MAX_NAME);
    longest[JN_MAX_NAME] = '\0';
    jn_spec *spec = two_links("a", "b", i == 1 ? longest : "j");
    jn_joint_desc *j = jn_spec_joint(spec, 1);
    j->placement = JN_BY_SCREW, j->point = jn_v3(1, 0, 0); /* apart from the origin of b */
    const char *const names[] = {"f", "f", "b_j", "b_j_weld", "b", "f", "f"};
    const jn_frame_desc f = {names[i], "b", jn_pose_identity(), 0}, g = {"g", "b", f.pose, 0};
    assert_ok(jn_spec_add_frame(spec, &f));
    assert_ok(jn_spec_add_frame(spec, &g));
    if (i == 5) jn_spec_link(spec, 0)->name = j->parent = jn_spec_joint(spec, 0)->child = "b_j";
    if (i == 6) jn_spec_joint(spec, 0)->name = "b_j", jn_spec_link(spec, 0)->home = shift(0, 0, 1);
    const char *const words[] = {NULL,
                                 "its name is too long",
                                 "'b_j': it is needed",
                                 "'b_j_weld': it",
                                 "frame 'b': a link has its name",
                                 "'b_j': it is needed",
                                 "'b_j': it is needed"};
    if (words[i]) {
      assert_unsaved(spec, words[i]);
    } else {
      jn_spec *again = saved_and_read(spec);
      assert_true(jn_spec_find_link(again, "b_j") >= 0);
      jn_spec_free(again);
    }
    jn_spec_free(spec);
  }
  /* frames whose names differ in the last of 200 letters keep joints of their own */
  jn_spec *spec = two_links("a", "b", "j");
  for (int i = 0; i < 2; i++) {
    char name[201];
    memset(name, 'f', 200);
    name[199] = (char)('0' + i), name[200] = '\0';
    const jn_frame_desc f = {name, "b", jn_pose_identity(), 0};
    assert_ok(jn_spec_add_frame(spec, &f));
  }
  jn_spec *again = saved_and_read(spec);
  jn_model_free(build(again));
  jn_spec_free(spec), jn_spec_free(again);
}

/* The world is a link of the file where the root is not at its origin. */
static void roots_away_from_the_origin(void **state) {
  (void)state;
  const jn_pose poses[] = {shift(0, 0, 0), shift(1, 0, 0), shift(0, 1, 0), shift(0, 0, 1)};
  for (int named = 0; named < 2; named++)
    for (size_t i = 0; i < COUNT(poses); i++) {
      jn_spec *spec = two_links("a", named ? "world" : "b", "j");
      jn_spec_link(spec, 0)->home = poses[i];
      if (named && i > 0) {
        assert_unsaved(spec, "link 'world': it is not the world");
      } else {
        jn_spec *again = saved_and_read(spec);
        assert_int_equal(jn_spec_link_count(again), i > 0 ? 3 : 2);
        jn_spec_free(again);
      }
      jn_spec_free(spec);
    }
  /* a quarter turn about y: roll and yaw turn about one axis; links from the leaf to the root */
  jn_spec *spec = two_links("a", "b", "j");
  jn_spec_joint(spec, 1)->origin.R = (jn_mat3){{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};
  const jn_link_desc swap = *jn_spec_link(spec, 0);
  *jn_spec_link(spec, 0) = *jn_spec_link(spec, 1), *jn_spec_link(spec, 1) = swap;
  jn_spec *again = saved_and_read(spec);
  check_residual("a quarter turn",
                 largest_difference(&joint_named(again, "j")->origin.R.m[0][0],
                                    &jn_spec_joint(spec, 1)->origin.R.m[0][0], 9),
                 2 * U);
  jn_spec_free(spec), jn_spec_free(again);
}

#define INERTIAL(mass, xyz)                             \
  "<inertial><origin xyz='" xyz "'/><mass value='" mass \
  "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define JOINT                                                                            \
  "<link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/>" \
  "<child link='b'/><axis xyz='0 0 1'/></joint>"

static void a_second_inertial_is_the_same_or_refused(void **state) {
  (void)state;
  static const char *const second[] = {INERTIAL("1", "1 2 3"), INERTIAL("2", "1 2 3"),
                                       INERTIAL("1", "0 2 3"), INERTIAL("1", "1 0 3"),
                                       INERTIAL("1", "1 2 0"), INERTIAL("one", "1 2 3")};
  for (size_t i = 0; i < COUNT(second); i++) {
    char text[900];
    snprintf(text, sizeof text, "<robot name='r'><link name='a'>%s%s</link></robot>", second[0],
             second[i]);
    if (i == 0) {
      jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
      assert_true(has_finding(spec, JN_NOTE, 1, "a second <inertial> equal to the first"));
      assert_true(jn_spec_get_link(spec, 0)->com.z == 3);
      jn_spec_free(spec);
    } else {
      assert_refused(jn_spec_parse_urdf, text, strlen(text), JN_ERR_SYNTAX,
                     i < 5 ? "a second <inertial> that differs" : "this is not a number");
    }
  }
}

static void transmissions_need_one_known_joint(void **state) {
  (void)state;
  static char long_name[JN_MAX_NAME + 40];
  memset(long_name, 'n', JN_MAX_NAME + 20);
  const struct {
    const char *joints, *words; /* NULL: the armature is 2^2 3 */
  } cases[] = {{"<joint name='j'/>", NULL},
               {"<joint/><joint name='j'/>", NULL},
               {"<joint/>", "it needs one <joint name="},
               {"<joint name='j'/><joint name='j'/>", "it needs one <joint name="},
               {"<joint name='k'/>", "unknown joint"},
               {"<joint name='%s'/>", "unknown joint"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char joints[600], text[1200];
    snprintf(joints, sizeof joints, cases[i].joints, long_name);
    snprintf(text, sizeof text,
             "<robot name='r'>" JOINT
             "<transmission name='t'>%s<actuator name='m'>"
             "<drake:rotor_inertia value='3'/><drake:gear_ratio value='2'/></actuator>"
             "</transmission></robot>",
             joints);
    jn_spec *spec = parse_ok(jn_spec_parse_urdf, text);
    assert_true(jn_spec_get_joint(spec, 0)->armature == (cases[i].words ? 0 : 12));
    if (cases[i].words) assert_true(has_finding(spec, JN_WARNING, 1, cases[i].words));
    jn_spec_free(spec);
  }
  static const char *const twice[] = {"drake:rotor_inertia", "drake:gear_ratio"};
  for (int i = 0; i < 2; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "<robot name='r'>" JOINT
             "<transmission name='t'><joint name='j'/><actuator name='m'>"
             "<%s value='3'/><%s value='2'/></actuator></transmission></robot>",
             twice[i], twice[i]);
    assert_refused(jn_spec_parse_urdf, text, strlen(text), JN_ERR_SYNTAX, twice[i]);
  }
}

/* ---- side files */

#define SIDE(text) "{" text "}"
#define PIN(name) "{'name': '" name "', 'type': 'point', 'a': {'link': 'a'}, 'b': {'link': 'b'}}"
#define SPIN "'link': 'a', 'c_f': 1, 'spin': 1"

static void quoted(char *out, size_t room, const char *text) {
  snprintf(out, room, "%s", text);
  for (char *t = out; *t; t++)
    if (*t == '\'') *t = '"';
}

static void side_files_are_taken_whole_or_not_at_all(void **state) {
  (void)state;
  static const struct {
    jn_status status;
    const char *words, *text;
  } cases[] = {
      {JN_OK, "", SIDE("'constraints': [" PIN("p") "], 'passive': ['j']")},
      {JN_OK, "", SIDE("'constraints': [{'name': 'c', 'type': 'coupling', 'terms': {'w:a2': 1}}]")},
      {JN_OK, "", SIDE("'constraints': [" PIN("p") "], 'frames': [{'name': 'g', 'link': 'a'}]")},
      {JN_ERR_SYNTAX, "colour: unknown key", SIDE("'colour': 1, 'more': 2")},
      {JN_ERR_SYNTAX, "terms: an object {...} expected",
       SIDE("'constraints': [{'name': 'c', 'type': 'coupling', 'terms': 1}]")},
      {JN_ERR_SYNTAX, "axis_a: missing",
       SIDE("'constraints': [{'name': 'c', 'type': 'universal', 'a': {'link': 'a'}, 'b': {'link': "
            "'b'}, 'axis_b': [1, 0, 0]}]")},
      {JN_ERR_MODEL, "has no joint 'x:a1'",
       SIDE("'constraints': [{'name': 'c', 'type': 'coupling', 'terms': {'x:a1': 1, 'y': 2}}, " PIN(
           "p") "]")},
      {JN_ERR_MODEL, "has no joint 'x'",
       SIDE("'constraints': [{'name': 'c', 'type': 'coupling', 'terms': {'x': 1}}]")},
      {JN_ERR_MODEL, "has no link 'c'",
       SIDE("'constraints': [{'name': 'p', 'type': 'point', 'a': {'link': 'c'}, 'b': {'link': "
            "'d'}}, " PIN("q") "]")},
      {JN_ERR_MODEL, "constraint 'p' is defined twice (first in line 1)",
       SIDE("'constraints': [" PIN("p") ", " PIN("p") "]")},
      {JN_ERR_MODEL, "constraint 'taken' is defined twice (the model has one)",
       SIDE("'constraints': [" PIN("taken") "]")},
      {JN_ERR_MODEL, "frame 'f': the model has no link 'x'",
       SIDE("'frames': [{'name': 'f', 'link': 'x'}, {'name': 'g', 'link': 'a'}]")},
      {JN_ERR_MODEL, "frame 'a' has the name of a link",
       SIDE("'frames': [{'name': 'a', 'link': 'a'}]")},
      {JN_ERR_SYNTAX, "passive: a list expected", SIDE("'passive': 'j'")},
      {JN_ERR_SYNTAX, "passive[0]: a string expected", SIDE("'passive': [1, 'j']")},
      {JN_ERR_MODEL, "the model has no joint 'x'", SIDE("'passive': ['j', 'x']")},
      {JN_ERR_SYNTAX, "limits: an object",
       SIDE("'rotors': [{'name': 'r', " SPIN ", 'limits': 1}]")},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = two_links("a", "b", "j");
    jn_constraint_desc taken = jn_constraint_default("taken", JN_CONSTRAINT_POINT, "a", "b");
    const jn_frame_desc f = {"nameless", "a", jn_pose_identity(), 0};
    const jn_link_desc wrist = link_of("wrist", 1, jn_v3(0, 0, 0), 1, 1, 1);
    jn_joint_desc w = joint_of("w", JN_JOINT_UNIVERSAL, "b", "wrist", jn_pose_identity());
    w.axis[1] = jn_v3(1, 0, 0);
    assert_ok(jn_spec_add_link(spec, &wrist));
    assert_ok(jn_spec_add_joint(spec, &w));
    assert_ok(jn_spec_add_constraint(spec, &taken));
    assert_ok(jn_spec_add_frame(spec, &f));
    jn_spec_frame(spec, 0)->name = NULL; /* edited */
    char text[1000];
    jn_error e = {0};
    quoted(text, sizeof text, cases[i].text);
    const jn_status status = jn_spec_extend_json(spec, text, strlen(text), "side", &e);
    if (status != cases[i].status || (status && !strstr(e.message, cases[i].words)))
      fail_msg("%s: %s", cases[i].text, e.message);
    assert_int_equal(jn_spec_constraint_count(spec), status ? 1 : 2);
    assert_int_equal(jn_spec_frame_count(spec), !status && strstr(text, "frames") ? 2 : 1);
    assert_int_equal(jn_spec_get_joint(spec, 1)->passive, i == 0);
    jn_spec_free(spec);
  }
  jn_error e = {0};
  jn_spec *spec = two_links("a", "b", "j");
  assert_status(jn_spec_extend(NULL, "x.json", &e), JN_ERR_ARGUMENT);
  assert_status(jn_spec_extend(spec, NULL, &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "spec or path is NULL"));
  jn_spec_free(spec);
}

/* One constraint, term, rotor or frame more than there may be. */
static void numbers_of_elements_are_limited(void **state) {
  (void)state;
  static const char *const words[] = {"more than 100 terms", "too many constraints",
                                      "too many rotors", "too many frames: at most 1000000"};
  for (int kind = 0; kind < 4; kind++) {
    jn_spec *spec = two_links("a", "b", "j");
    const jn_constraint_desc pin = jn_constraint_default("pin", JN_CONSTRAINT_POINT, "a", "b");
    const jn_frame_desc f = {"f", "a", jn_pose_identity(), 0};
    const jn_rotor_desc r = jn_rotor_default("r", "a");
    growing_text t = {0};
    jn_error e = {0};
    if (kind == 0) {
      append(&t,
             "{\"constraints\": [{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"j\": 1");
      for (int i = 0; i < JN_MAX_TERMS; i++) append(&t, ", \"j%d\": 1", i);
      append(&t, "}}]}");
    }
    for (int i = 0; kind == 1 && i < JN_MAX_CONSTRAINTS; i++)
      assert_ok(jn_spec_add_constraint(spec, &pin));
    for (int i = 0; kind == 2 && i < JN_MAX_ROTORS; i++) assert_ok(jn_spec_add_rotor(spec, &r));
    for (int i = 0; kind == 3 && i < JN_MAX_FRAMES; i++) assert_ok(jn_spec_add_frame(spec, &f));
    if (kind > 0) {
      char one[300];
      quoted(one, sizeof one,
             kind == 1   ? SIDE("'constraints': [" PIN("p") "]")
             : kind == 2 ? SIDE("'rotors': [{'name': 'x', " SPIN "}]")
                         : SIDE("'frames': [{'name': 'g', 'link': 'a'}]"));
      append(&t, "%s", one);
    }
    assert_status(jn_spec_extend_json(spec, t.text, t.used, "side", &e), JN_ERR_LIMIT);
    if (!strstr(e.message, words[kind])) fail_msg("%s", e.message);
    free(t.text);
    jn_spec_free(spec);
  }
}

/* ---- memory */

static jn_status read_urdf(const jn_allocator *hooks, int n) {
  growing_text t = {0};
  append(&t, "<robot name='r'>");
  for (int i = 0; i < n; i++)
    append(&t,
           "<link name='a_link_with_a_long_name_%d'/><joint name='%d' type='fixed'><parent "
           "link='world'/><child link='a_link_with_a_long_name_%d'/></joint>",
           i, i, i);
  /* a finding longer than what one link adds: for some n it needs a new block of memory */
  append(&t, "<link name='twice%0240d'><inertial/><inertial/></link></robot>", 0);
  jn_spec *spec = NULL;
  const jn_status status = jn_spec_parse_urdf(t.text, t.used, "text", hooks, &spec, NULL);
  assert_true((status == JN_OK) == (spec != NULL));
  jn_spec_free(spec);
  free(t.text);
  return status;
}

static jn_status read_side(const jn_allocator *hooks, int n) {
  jn_spec *spec = NULL;
  growing_text t = {0};
  char one[300];
  append(&t, "{\"constraints\": [");
  for (int i = 0; i < n; i++) {
    quoted(one, sizeof one, PIN("a_constraint_with_a_long_name_%d"));
    append(&t, i ? ", " : " ");
    append(&t, one, i); /* of this file: one %d */
  }
  append(&t, "], \"rotors\": [");
  for (int i = 0; i < n && i < JN_MAX_ROTORS; i++) {
    quoted(one, sizeof one, "{'name': 'a_rotor_with_a_long_name_%d', " SPIN "}");
    append(&t, i ? ", " : " ");
    append(&t, one, i);
  }
  append(&t, "]}");
  jn_status status = jn_spec_new("robot", hooks, &spec);
  for (int i = 0; i < 2 && !status; i++) {
    const jn_link_desc link = jn_link_default(i ? "b" : "a");
    status = jn_spec_add_link(spec, &link);
  }
  if (!status) {
    status = jn_spec_extend_json(spec, t.text, t.used, "side", NULL);
    if (status) assert_int_equal(jn_spec_constraint_count(spec) + jn_spec_rotor_count(spec), 0);
  }
  jn_spec_free(spec);
  free(t.text);
  return status;
}

static jn_status read_builtin(const jn_allocator *hooks, int n) {
  jn_spec *spec = NULL;
  const jn_status status = jn_spec_builtin(n % 2 ? "stewart" : "fourbar", hooks, &spec, NULL);
  jn_spec_free(spec);
  return status;
}

static void every_request_may_fail(void **state) {
  (void)state;
  static jn_status (*const read[])(const jn_allocator *, int) = {read_urdf, read_side,
                                                                 read_builtin};
  for (int turn = 0; turn < 3; turn++)
    for (int n = 1; n < (turn < 2 ? 40 : 3); n++) {
      counter c;
      const jn_allocator hooks = counting(&c);
      jn_status status = JN_ERR_MEMORY;
      for (long k = 1; status; k++) {
        counting(&c);
        c.fail_at = k, c.fail_once = 1;
        status = read[turn](&hooks, n);
        assert_int_equal(c.live, 0);
        assert_status(status, c.calls >= k ? JN_ERR_MEMORY : JN_OK);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_escaped_in_xml),
      cmocka_unit_test(edited_descriptions_are_not_saved_as_urdf),
      cmocka_unit_test(native_files_need_names_too),
      cmocka_unit_test(names_that_urdf_needs_may_be_taken),
      cmocka_unit_test(roots_away_from_the_origin),
      cmocka_unit_test(a_second_inertial_is_the_same_or_refused),
      cmocka_unit_test(transmissions_need_one_known_joint),
      cmocka_unit_test(side_files_are_taken_whole_or_not_at_all),
      cmocka_unit_test(numbers_of_elements_are_limited),
      cmocka_unit_test(every_request_may_fail),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
