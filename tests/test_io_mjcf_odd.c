/* test_io_mjcf_odd.c: odd MJCF: what is drawn, what is refused and where, what is reported, names that
 * are taken, and memory that fails while it is read. */
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
#include "io/load.h"

#define ARM(joint, more) "<body name='a'><joint " joint "/><geom size='1'/>" more "</body>"
#define MODEL(settings, bodies, after) \
  "<mujoco>" settings "<worldbody>" bodies "</worldbody>\n" after "</mujoco>"
#define TWO                                                                             \
  "<body name='a'><joint name='1'/><geom size='1'/><site name='s'/>"                    \
  "<body name='b'><joint name='2'/><geom size='1'/><site name='t' pos='0 0 1'/></body>" \
  "</body><body name='c'/>"

static void what_is_wrong_is_refused_at_its_line(void **state) {
  (void)state;
  static const struct {
    jn_status status;
    int line;
    const char *words, *text;
  } cases[] = {
      {JN_ERR_SYNTAX, 1, "attribute 'model' is empty", "<mujoco model=''/>"},
      {JN_ERR_SYNTAX, 2, "<include> cannot have elements",
       "<mujoco>\n<include file='x.xml'><body/></include></mujoco>"},
      {JN_ERR_SYNTAX, 2, "attribute 'body1' is empty",
       MODEL("", TWO, "<equality><weld body1='' body2='b'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><weld>: there is no body 'x'",
       MODEL("", TWO, "<equality><weld body1='a' body2='x'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><connect>: there is no site 'x'",
       MODEL("", TWO, "<equality><connect site1='s' site2='x'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><weld>: there is no site 'x'",
       MODEL("", TWO, "<equality><weld site1='x' site2='s'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><connect>: two sites are needed, site2 is missing",
       MODEL("", TWO, "<equality><connect site1='s'/></equality>")},
      {JN_ERR_SYNTAX, 2, "attribute 'site1' is empty",
       MODEL("", TWO, "<equality><connect site1='' site2='t'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><connect> has no attribute 'body1'",
       MODEL("", TWO, "<equality><connect body2='b' anchor='0 0 0'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><connect> has no attribute 'anchor'",
       MODEL("", TWO, "<equality><connect body1='b'/></equality>")},
      {JN_ERR_SYNTAX, 2, "<equality><weld> has no attribute 'body1'",
       MODEL("", TWO, "<equality><weld body2='b'/></equality>")},
      {JN_ERR_MODEL, 1, "settotalmass: the sum of the masses is not finite",
       MODEL("<compiler settotalmass='1'/>",
             "<body><joint/><geom size='1' mass='1e308'/></body>"
             "<body><joint/><geom size='1' mass='1e308'/></body>",
             "")},
      {JN_ERR_MODEL, 1, "settotalmass: no body has mass",
       MODEL("<compiler settotalmass='1'/>", "<body><joint/></body>", "")},
      {JN_ERR_MODEL, 1, "its inertia needs a mesh",
       MODEL("<compiler settotalmass='1'/>", "<body name='a'><geom type='mesh' mesh='m'/></body>",
             "")},
      {JN_ERR_MODEL, 1, "its inertia needs a mesh",
       MODEL("", "<body name='a'><joint/><geom type='sdf'/></body>", "")},
      {JN_ERR_MODEL, 1, "its inertia needs a mesh",
       MODEL("", "<body name='a'><joint/><geom type='hfield' hfield='h'/></body>", "")},
      {JN_ERR_MODEL, 1, "its inertia needs a mesh", /* a box that is fitted to the mesh */
       MODEL("", "<body name='a'><joint/><geom type='box' mesh='m'/></body>", "")},
      {JN_ERR_SYNTAX, 1, "has both pos and fromto",
       MODEL("", "<body><geom type='capsule' size='1' pos='0 1 0' fromto='0 0 0 0 0 1'/></body>",
             "")},
      {JN_ERR_SYNTAX, 1, "has both pos and fromto",
       MODEL("", "<body><geom type='capsule' size='1' pos='0 0 1' fromto='0 0 0 0 0 1'/></body>",
             "")},
      {JN_ERR_SYNTAX, 2, "the outermost class is already named 'x'",
       MODEL("<default class='x'><default class='y'/></default>\n<default class='z'/>", "", "")},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = NULL;
    jn_error e = {0};
    assert_refused(jn_spec_parse_mjcf, cases[i].text, strlen(cases[i].text), cases[i].status,
                   cases[i].words);
    jn_spec_parse_mjcf(cases[i].text, strlen(cases[i].text), "text", NULL, &spec, &e);
    if (e.line != cases[i].line) fail_msg("line %d: %s", e.line, e.message);
  }
  jn_error e = {0};
  jn_spec *spec = NULL;
  assert_status(jn_spec_parse_mjcf(NULL, 0, "text", NULL, &spec, &e), JN_ERR_ARGUMENT);
  assert_status(jn_spec_parse_mjcf("<mujoco/>", 9, "text", NULL, NULL, &e), JN_ERR_ARGUMENT);
  assert_non_null(strstr(e.message, "text or out is NULL"));
}

#define LONG_NAME "a_joint_with_a_name_of_more_than_sixty_letters_is_not_often_found_"

static void what_is_not_used_is_said(void **state) {
  (void)state;
  static const struct {
    jn_severity severity;
    const char *words, *text; /* words NULL: nothing is found */
  } cases[] = {
      {JN_SERIOUS, "damping is a polynomial", MODEL("", ARM("damping='1 0 2'", ""), "")},
      {JN_SERIOUS, "damping is a polynomial", MODEL("", ARM("damping='1 2 0'", ""), "")},
      {JN_SERIOUS, "of a free joint are not used",
       MODEL("", ARM("type='free' armature='1'", ""), "")},
      {JN_SERIOUS, "of a free joint are not used",
       MODEL("", ARM("type='free' damping='1'", ""), "")},
      {JN_SERIOUS, "of a free joint are not used",
       MODEL("", ARM("type='free' frictionloss='1'", ""), "")},
      {JN_SERIOUS, NULL, MODEL("", ARM("type='free'", ""), "")},
      {JN_WARNING, "is not aligned with its inertia",
       MODEL("", "<body name='a'><freejoint align='true'/><geom size='1'/></body>", "")},
      {JN_WARNING, "is not aligned with its inertia",
       MODEL("<compiler alignfree='true'/>", "<body name='a'><freejoint/><geom size='1'/></body>",
             "")},
      {JN_WARNING, NULL,
       MODEL("<compiler alignfree='true'/>",
             "<body name='a'><freejoint align='false'/><geom size='1'/></body>", "")},
      {JN_WARNING, NULL,
       MODEL("", "<body name='a'><freejoint align='auto'/><geom size='1'/></body>", "")},
      {JN_SERIOUS, "tendon, fixed 'x': its stiffness is not used",
       MODEL("", TWO, "<tendon><fixed name='x' stiffness='0 0 1'/></tendon>")},
      {JN_SERIOUS, "tendon, fixed 'x': its damping is not used",
       MODEL("", TWO, "<tendon><fixed name='x' damping='0 1 0'/></tendon>")},
      {JN_SERIOUS, NULL, MODEL("", TWO, "<tendon><fixed name='x' damping='0 0 0'/></tendon>")},
      {JN_SERIOUS, "joint 'x' is not enforced",
       MODEL("", TWO, "<equality><joint name='x' joint1='1' joint2='1'/></equality>")},
      {JN_SERIOUS, "joint 'x' is not enforced",
       MODEL("", TWO,
             "<equality><joint name='x' joint1='1' joint2='2' polycoef='0 1 2'/></equality>")},
      {JN_SERIOUS, "joint 'x' is not enforced",
       MODEL("", TWO,
             "<equality><joint name='x' joint1='1' joint2='2' polycoef='0 1 0 2'/></equality>")},
      {JN_SERIOUS, "joint 'x' is not enforced",
       MODEL("", TWO,
             "<equality><joint name='x' joint1='1' joint2='2' polycoef='0 1 0 0 2'/></equality>")},
      {JN_NOTE, "weld 'x' joins two bodies that do not move",
       MODEL("", TWO "<site name='u'/><site name='w'/>",
             "<equality><weld name='x' site1='u' site2='w'/></equality>")},
      {JN_NOTE, "site 'a' has the name of a link: it is not kept",
       MODEL("", ARM("", "<site name='a'/>"), "")},
      {JN_NOTE, "the mass of its meshes is not known",
       MODEL("", "<body name='a'><geom type='mesh' mesh='m'/></body>", "")},
      /* a joint of a tendon that is not named, and one tendon of two actuators */
      {JN_NOTE, "2 of the joints have no actuator ('1', '2')",
       MODEL("", TWO,
             "<tendon><fixed name='x'/></tendon><actuator><motor tendon='x'/><motor tendon='x'/>"
             "</actuator>")},
      {JN_NOTE, "1 of the joints have no actuator ('2')",
       MODEL("", TWO,
             "<tendon><fixed name='x'><joint joint='1'/></fixed></tendon>"
             "<actuator><motor tendon='x'/><motor tendon='x'/></actuator>")},
      {JN_NOTE, "3 of the joints have no actuator ('" LONG_NAME "1', '" LONG_NAME "2')",
       MODEL("",
             "<body><joint name='" LONG_NAME "1'/><joint name='" LONG_NAME
             "2'/><joint name='" LONG_NAME
             "3'/><geom size='1'/></body><body><joint name='d'/><geom size='1'/></body>",
             "<actuator><motor joint='d'/></actuator>")},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, cases[i].text);
    int found = 0;
    for (int k = 0; k < jn_spec_finding_count(spec); k++) {
      const jn_finding f = jn_spec_finding(spec, k);
      if (f.severity != cases[i].severity) continue;
      found |= cases[i].words == NULL || strstr(f.text, cases[i].words) != NULL;
    }
    if (found != (cases[i].words != NULL)) fail_msg("%s", cases[i].text);
    jn_spec_free(spec);
  }
  /* an actuator at a joint of a tendon that has no name tells nothing */
  jn_spec *spec = parse_ok(jn_spec_parse_mjcf,
                           MODEL("", TWO,
                                 "<tendon><fixed name='x'><joint coef='1'/></fixed></tendon>"
                                 "<actuator><motor tendon='x'/></actuator>"));
  assert_false(has_finding(spec, JN_NOTE, 2, "have no actuator"));
  jn_spec_free(spec);
}

static void settings_hold_alone_and_together(void **state) {
  (void)state;
  /* MuJoCo: without `damper`, or without all passive forces, joints are not damped */
  static const char *const flags[] = {"damper='disable'", "passive='disable'", "passive='enable'"};
  for (size_t i = 0; i < COUNT(flags); i++) {
    char text[300];
    snprintf(text, sizeof text, MODEL("<option><flag %s/></option>", ARM("damping='2'", ""), ""),
             flags[i]);
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, text);
    assert_true(jn_spec_get_joint(spec, 0)->damping == (i < 2 ? 0 : 2));
    jn_spec_free(spec);
  }
  /* geoms are not asked for an inertia */
  jn_spec *spec =
      parse_ok(jn_spec_parse_mjcf, MODEL("<compiler inertiafromgeom='false'/>", ARM("", ""), ""));
  assert_true(link_named(spec, "a")->mass == 0);
  jn_spec_free(spec);
  /* orientations of classes: euler over quat of the class, quat of the element is weaker than euler
   * of its class */
  spec = parse_ok(jn_spec_parse_mjcf,
                  MODEL("<default><site quat='0 1 0 0'/><default class='e'><site euler='0 0 90'/>"
                        "</default></default>",
                        ARM("",
                            "<site name='s' euler='0 0 90'/><site name='t' class='e'/>"
                            "<site name='u' quat='0 0 0 1'/>"),
                        ""));
  for (int i = 0; i < 3; i++) {
    const jn_mat3 R = jn_spec_get_frame(spec, i)->pose.R;
    const double want = i < 2 ? 0 : -1; /* a quarter, a quarter, half a turn about z */
    check_residual("orientation of a class", fabs(R.m[0][0] - want), 4 * U);
    check_residual("orientation of a class", fabs(R.m[2][2] - 1), 4 * U);
  }
  jn_spec_free(spec);
  /* the outermost class has one name, however often it is said */
  spec = parse_ok(jn_spec_parse_mjcf,
                  MODEL("<default class='x'><default class='y'/></default>"
                        "<default class='x'><joint damping='3'/></default><default/>",
                        ARM("class='x'", ""), ""));
  assert_true(jn_spec_get_joint(spec, 0)->damping == 3);
  jn_spec_free(spec);
  /* a coupling without a coefficient holds its joint */
  spec = parse_ok(
      jn_spec_parse_mjcf,
      MODEL("", TWO, "<equality><joint joint1='1' joint2='2' polycoef='0.5 0'/></equality>"));
  assert_int_equal(jn_spec_constraint_count(spec), 0);
  const jn_joint_desc *j = joint_named(spec, "1");
  assert_string_equal(j->mimic, "1");
  assert_true(j->mimic_multiplier == 0 && j->mimic_offset == 0.5);
  jn_spec_free(spec);
}

/* Attributes that are unknown are reported once each; after 64 of them, every time. */
static void many_kinds_of_findings(void **state) {
  (void)state;
  growing_text t = {0};
  append(&t, "<mujoco><worldbody><body name='a'>");
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 80; i++) append(&t, "<site no_such_attribute_%d='1'/>", i);
  append(&t, "</body></worldbody></mujoco>");
  jn_spec *spec = parse_ok(jn_spec_parse_mjcf, t.text);
  assert_int_equal(jn_spec_finding_count(spec), 80 + 16);
  jn_spec_free(spec);
  free(t.text);
}

/* body1, body1_, ... are all taken: the name that is made is refused, and nothing is overrun */
static void names_that_cannot_be_made_are_refused(void **state) {
  (void)state;
  growing_text t = {0};
  char tail[JN_MAX_NAME + 1] = "";
  append(&t, "<mujoco><worldbody><body/>");
  for (int n = (int)strlen("body1"); n <= JN_MAX_NAME; n++) {
    append(&t, "<body name='body1%s'/>", tail);
    strcat(tail, "_");
  }
  append(&t, "</worldbody></mujoco>");
  assert_refused(jn_spec_parse_mjcf, t.text, t.used, JN_ERR_MODEL, "is defined twice");
  free(t.text);
  /* a joint has the name */
  jn_spec *spec =
      parse_ok(jn_spec_parse_mjcf,
               "<mujoco><worldbody><body><joint name='body1'/></body></worldbody></mujoco>");
  assert_int_equal(jn_spec_find_link(spec, "body1_"), 0);
  jn_spec_free(spec);
}

static void equalities_are_limited(void **state) {
  (void)state;
  for (int more = 0; more < 2; more++) {
    growing_text t = {0};
    append(&t, "<mujoco><worldbody>" TWO "</worldbody><equality>\n");
    for (int i = 0; i < JN_MAX_CONSTRAINTS + more; i++)
      append(&t, "<connect body1='a' body2='b' anchor='0 0 0'/>\n");
    append(&t, "</equality></mujoco>");
    jn_spec *spec = NULL;
    jn_error e = {0};
    assert_status(jn_spec_parse_mjcf(t.text, t.used, "text", NULL, &spec, &e),
                  more ? JN_ERR_LIMIT : JN_OK);
    if (more) {
      assert_non_null(strstr(e.message, "more than 10000 equalities"));
      assert_int_equal(e.line, JN_MAX_CONSTRAINTS + 2);
    }
    jn_spec_free(spec);
    free(t.text);
  }
}

/* ---- what is drawn */

typedef struct shown {
  int count;
  struct {
    char link[20], type[20], file[80];
    jn_pose pose;
    double size[3], rgba[4];
    int coloured;
  } geom[16];
} shown;

static void take(void *context, const jn_geom *g) {
  shown *s = context;
  assert_true(s->count < 16);
  snprintf(s->geom[s->count].link, 20, "%s", g->link);
  snprintf(s->geom[s->count].type, 20, "%s", g->type);
  snprintf(s->geom[s->count].file, 80, "%s", g->file ? g->file : "");
  s->geom[s->count].pose = g->pose;
  memcpy(s->geom[s->count].size, g->size, sizeof s->geom->size);
  s->geom[s->count].coloured = g->rgba != NULL;
  if (g->rgba) memcpy(s->geom[s->count].rgba, g->rgba, sizeof s->geom->rgba);
  s->count++;
}

static jn_status watch(const char *text, const jn_allocator *hooks, shown *s, jn_error *e) {
  jn_spec *spec = NULL;
  *s = (shown){0};
  const jn_status status =
      jn_mjcf_watch(text, strlen(text), "text", NULL, NULL, NULL, hooks, take, s, &spec, e);
  assert_true((status == JN_OK) == (spec != NULL));
  if (status) assert_int_equal(s->count, 0);
  jn_spec_free(spec);
  return status;
}

#define DRAWN(compiler, asset, geom)             \
  "<mujoco>" compiler "<asset>" asset            \
  "</asset><worldbody><body name='a'><inertial " \
  "mass='1' pos='0 0 0' diaginertia='1 1 1'/>" geom "</body></worldbody></mujoco>"

static void geoms_and_meshes_are_shown(void **state) {
  (void)state;
  static const struct {
    const char *text, *type, *file; /* type NULL: nothing is shown */
    double size[3], p[3];
    double red; /* below 0: no colour */
  } cases[] = {
      {DRAWN("", "", "<geom size='2' pos='1 2 3'/>"), "sphere", "", {2}, {1, 2, 3}, -1},
      {DRAWN("", "", "<geom size='2' rgba='0.5 0 0 1'/>"), "sphere", "", {2}, {0}, 0.5},
      {DRAWN("", "<material name='m' rgba='0.25 0 0 1'/>", "<geom size='2' material='m'/>"),
       "sphere",
       "",
       {2},
       {0},
       0.25},
      {DRAWN("", "<material name='m'/>", "<geom size='2' material='m'/>"),
       "sphere",
       "",
       {2},
       {0},
       -1},
      {DRAWN("", "<material rgba='1 1 1 1'/>", "<geom size='2' material='m'/>"),
       "sphere",
       "",
       {2},
       {0},
       -1},
      {DRAWN("", "", "<geom type='plane' size='1 1 1'/>"), NULL, "", {0}, {0}, -1},
      {DRAWN("", "", "<geom size='2' group='3'/>"), NULL, "", {0}, {0}, -1},
      {DRAWN("", "<mesh name='m' file='x/m.stl' scale='2 3 4'/>", "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "x/m.stl",
       {2, 3, 4},
       {0},
       -1},
      {DRAWN("", "<mesh file='x/m.v2.stl'/>", "<geom type='mesh' mesh='m.v2'/>"),
       "mesh",
       "x/m.v2.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("", "<mesh file='m'/>", "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "m",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<compiler meshdir='d' assetdir='e'/>", "<mesh name='m' file='x/m.stl'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "d/x/m.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<compiler assetdir='e/'/>", "<mesh name='m' file='x/m.stl'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "e/x/m.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<compiler assetdir='e' strippath='true'/>", "<mesh name='m' file='x/m.stl'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "e/m.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<compiler assetdir='e' strippath='true'/>", "<mesh name='m' file='m.stl'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "e/m.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<compiler meshdir=''/>", "<mesh name='m' file='m.stl'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "m.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<compiler meshdir='d'/>", "<mesh name='m' file='/m.stl'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "/m.stl",
       {1, 1, 1},
       {0},
       -1},
      {DRAWN("<default><default class='c'><mesh scale='5 5 5'/></default></default>",
             "<mesh name='m' class='c' file='m.stl'/>", "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "m.stl",
       {5, 5, 5},
       {0},
       -1},
      /* S (0 - refpos) */
      {DRAWN("", "<mesh name='m' file='m.stl' scale='2 2 2' refpos='1 2 3'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "m.stl",
       {2, 2, 2},
       {-2, -4, -6},
       -1},
      /* half a turn about z, before the scale */
      {DRAWN("", "<mesh name='m' file='m.stl' scale='2 2 2' refpos='1 2 3' refquat='0 0 0 2'/>",
             "<geom type='mesh' mesh='m'/>"),
       "mesh",
       "m.stl",
       {2, 2, 2},
       {2, 4, -6},
       -1},
      /* a turn and then a scale of its own for each axis is no pose */
      {DRAWN("", "<mesh name='m' file='m.stl' scale='1 2 2' refquat='0 0 0 2'/>",
             "<geom type='mesh' mesh='m'/>"),
       NULL,
       "",
       {0},
       {0},
       -1},
      {DRAWN("", "<mesh name='m' file='m.stl' scale='2 2 1' refquat='0 0 0 2'/>",
             "<geom type='mesh' mesh='m'/>"),
       NULL,
       "",
       {0},
       {0},
       -1},
      {DRAWN("", "<mesh name='m' file='m.stl' refquat='0 0 0 0'/>", "<geom type='mesh' mesh='m'/>"),
       NULL,
       "",
       {0},
       {0},
       -1},
      {DRAWN("", "<mesh name='m' vertex='0 0 0'/><mesh/>", "<geom type='mesh' mesh='m'/>"),
       NULL,
       "",
       {0},
       {0},
       -1},
      {DRAWN("", "<texture name='m' file='m.png'/><model><mesh name='m'/></model>",
             "<geom type='mesh' mesh='m'/>"),
       NULL,
       "",
       {0},
       {0},
       -1},
      {DRAWN("", "", "<geom type='mesh'/>"), NULL, "", {0}, {0}, -1},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    shown s;
    jn_error e = {0};
    if (watch(cases[i].text, NULL, &s, &e)) fail_msg("%s: %s", cases[i].text, e.message);
    if (s.count != (cases[i].type != NULL)) fail_msg("%d geoms of %s", s.count, cases[i].text);
    if (!s.count) continue;
    assert_string_equal(s.geom[0].link, "a");
    assert_string_equal(s.geom[0].type, cases[i].type);
    assert_string_equal(s.geom[0].file, cases[i].file);
    assert_true(same_bits(s.geom[0].size, cases[i].size, 3));
    check_residual("origin of a mesh", largest_difference(&s.geom[0].pose.p.x, cases[i].p, 3),
                   16 * U);
    assert_int_equal(s.geom[0].coloured, cases[i].red >= 0);
    if (cases[i].red >= 0) assert_true(s.geom[0].rgba[0] == cases[i].red);
  }
}

static void what_is_drawn_wrongly_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *words, *text;
  } cases[] = {
      {"there is no default class 'c'",
       DRAWN("", "<mesh name='m' class='c' file='m.stl'/>", "<geom type='mesh' mesh='m'/>")},
      {"a sphere needs 1 positive size", DRAWN("", "", "<geom size='2'/><geom size='-2'/>")},
      {"refpos=\"1\": expected 3 numbers",
       DRAWN("", "<mesh name='m' file='m.stl' refpos='1'/>", "<geom type='mesh' mesh='m'/>")},
      /* what comes later is refused: geoms before it are not shown */
      {"there is no joint 'x'",
       "<mujoco><worldbody><body><geom size='1'/></body></worldbody><equality>"
       "<joint joint1='x'/></equality></mujoco>"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    shown s;
    jn_error e = {0};
    assert_status(watch(cases[i].text, NULL, &s, &e), JN_ERR_SYNTAX);
    if (!strstr(e.message, cases[i].words)) fail_msg("%s", e.message);
  }
}

/* ---- included files */

static void included_files_are_found_from_every_place(void **state) {
  (void)state;
  static const char part[] = "<mujoco><worldbody><body name='part'/></worldbody></mujoco>",
                    whole[] = "<mujoco><include file='part.xml'/></mujoco>";
  char old[2000], folder[600], missing[700];
  jn_spec *spec = NULL;
  jn_error e = {0};
  snprintf(folder, sizeof folder, "%s", test_folder());
  put("part.xml", part);
  put("whole.xml", whole);
  /* in the current folder */
  assert_non_null(getcwd(old, sizeof old));
  assert_int_equal(chdir(folder), 0);
  const jn_status here = jn_spec_load("whole.xml", NULL, &spec, &e);
  assert_int_equal(chdir(old), 0);
  if (here) fail_msg("%s", e.message);
  assert_int_equal(jn_spec_find_link(spec, "part"), 0);
  jn_spec_free(spec);
  /* a text in memory, and a folder of the package path */
  const jn_load_options options = {.package_path = folder};
  spec = NULL;
  assert_ok(jn_mjcf_parse(whole, strlen(whole), NULL, NULL, &options, NULL, NULL, &spec, &e));
  assert_int_equal(jn_spec_find_link(spec, "part"), 0);
  jn_spec_free(spec);
  /* the file includes itself by way of the path: it is known by its identity */
  put("part.xml", "<mujoco><include file='part.xml'/></mujoco>");
  spec = NULL;
  assert_status(jn_mjcf_parse(whole, strlen(whole), NULL, NULL, &options, NULL, NULL, &spec, &e),
                JN_ERR_SYNTAX);
  assert_non_null(strstr(e.message, "already part of this model"));
  snprintf(missing, sizeof missing, "%s/none", folder);
  const jn_load_options wrong = {.package_path = missing};
  assert_status(jn_mjcf_parse(whole, strlen(whole), NULL, NULL, &wrong, NULL, NULL, &spec, &e),
                JN_ERR_FILE);
  assert_non_null(strstr(e.message, "package path: '"));
  assert_non_null(strstr(e.message, "there is no such folder"));
  assert_null(spec);
}

/* ---- memory */

/* Every request of memory for reading the text fails in turn; returns how many there are. */
static long fail_each(const char *text, const char *name, const char *path, int geoms) {
  counter c;
  const jn_allocator hooks = counting(&c);
  for (long k = 1;; k++) {
    jn_spec *spec = NULL;
    jn_error e = {0};
    shown s = {0};
    counting(&c);
    c.fail_at = k, c.fail_once = 1;
    const jn_status status =
        jn_mjcf_watch(text, strlen(text), name, path, NULL, NULL, &hooks, take, &s, &spec, &e);
    assert_true((status == JN_OK) == (spec != NULL));
    jn_spec_free(spec);
    assert_int_equal(c.live, 0);
    if (status == JN_OK) {
      assert_true(c.calls < k);
      assert_int_equal(s.count, geoms);
      return k - 1;
    }
    assert_true(s.count == 0 && e.status == status);
    assert_status(status, JN_ERR_MEMORY);
  }
}

/* `pad` bytes of an attribute shift what needs a new block of memory. */
static void memory_that_fails_while_reading(void **state) {
  (void)state;
  put("more.xml", "<mujoco><mesh file='p.stl'/></mujoco>");
  put("part.xml",
      "<mujoco><asset><mesh file='m.stl'/><mesh file='n.stl' name='n'/></asset></mujoco>");
  static const char text[] =
      "<mujoco><option p:d='%s'/><compiler meshdir='a/folder' alignfree='true'/>"
      "<include file='part.xml'/><asset><mesh file='x/o.stl'/><material name='y'/>"
      "<include file='more.xml'/></asset>"
      "<worldbody><body><joint name='j'/><joint name='q'/><joint/><geom size='1'/>"
      "<geom type='mesh' mesh='o' mass='0'/><site name='s'/><body name='j'/></body>"
      "<body><freejoint/></body></worldbody></mujoco>";
  char path[700], name[2100];
  snprintf(path, sizeof path, "%s/model.xml", test_folder());
  long failures = 0;
  for (size_t pad = 0; pad < 4400; pad += 8) {
    char spaces[4500], whole[6000];
    memset(spaces, 'd', pad);
    spaces[pad] = '\0';
    snprintf(whole, sizeof whole, text, spaces);
    failures += fail_each(whole, "text", path, 2);
  }
  /* the paths of meshes need more memory than all the rest */
  growing_text long_paths = {0};
  append(&long_paths, "<mujoco><compiler meshdir='");
  for (int i = 0; i < 4; i++) append(&long_paths, "%01000d", 0);
  append(&long_paths, "'/><asset><mesh file='x.stl'/></asset><worldbody><body>");
  for (int i = 0; i < 8; i++) append(&long_paths, "<geom type='mesh' mesh='x' mass='0'/>");
  append(&long_paths, "</body></worldbody></mujoco>");
  failures += fail_each(long_paths.text, "text", NULL, 8);
  free(long_paths.text);
  /* a name that leaves no room for that of the folder */
  memset(name, 'n', 2047);
  name[2047] = '\0';
  failures += fail_each(MODEL("", "<body/>", ""), name, path, 0);
  /* bodies of every number, without and with joints */
  for (int n = 1; n < 70; n++)
    for (int jointed = 0; jointed < 2; jointed++) {
      growing_text t = {0};
      append(&t, "<mujoco><worldbody>");
      for (int i = 0; i < n; i++)
        append(&t, "<body name='a_body_with_a_long_name_%d'>%s</body>", i,
               jointed ? "<joint/>" : "");
      append(&t, "</worldbody></mujoco>");
      failures += fail_each(t.text, "text", NULL, 0);
      free(t.text);
    }
  /* the links between the joints of a body need names of their own */
  for (int n = 1; n < 90; n++) {
    growing_text t = {0};
    append(&t, "<mujoco><worldbody>");
    for (int i = 0; i < 20; i++)
      append(&t, "<body name='b%d'><joint name='b%d'/><joint/></body>", i, i);
    for (int i = 0; i < n; i++) append(&t, "<body/>");
    append(&t, "</worldbody></mujoco>");
    failures += fail_each(t.text, "text", NULL, 0);
    free(t.text);
  }
  print_message("  %ld failed requests\n", failures);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_wrong_is_refused_at_its_line),
      cmocka_unit_test(what_is_not_used_is_said),
      cmocka_unit_test(settings_hold_alone_and_together),
      cmocka_unit_test(many_kinds_of_findings),
      cmocka_unit_test(names_that_cannot_be_made_are_refused),
      cmocka_unit_test(equalities_are_limited),
      cmocka_unit_test(geoms_and_meshes_are_shown),
      cmocka_unit_test(what_is_drawn_wrongly_is_refused),
      cmocka_unit_test(included_files_are_found_from_every_place),
      cmocka_unit_test(memory_that_fails_while_reading),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
