/* test_lint.c: every kind of finding, each on a valid spec with one fault; and no finding on valid
 * specs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jounce/io.h>

/* base - elbow - arm - wrist - hand: sound */
static jn_spec *sound(void) {
  jn_spec *spec = NULL;
  jn_link_desc link = jn_link_default("base");
  assert_int_equal(jn_spec_new("sound", NULL, &spec), JN_OK);
  link.mass = 2;
  link.inertia = (jn_mat3){{{0.02, 0.001, 0}, {0.001, 0.02, 0}, {0, 0, 0.01}}};
  for (int i = 0; i < 3; i++) {
    static const char *const names[3] = {"base", "arm", "hand"};
    link.name = names[i];
    link.line = 10 + i;
    link.home.p.z = i;
    assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  }
  jn_joint_desc elbow = jn_joint_default("elbow", JN_JOINT_REVOLUTE, "base", "arm");
  elbow.line = 21;
  elbow.axis[0] = (jn_vec3){0, 1, 0};
  elbow.point.z = 1;
  assert_int_equal(jn_spec_add_joint(spec, &elbow), JN_OK);
  jn_joint_desc wrist = jn_joint_default("wrist", JN_JOINT_REVOLUTE, "arm", "hand");
  wrist.line = 22;
  wrist.placement = JN_BY_FRAME;
  wrist.origin.p.z = 1;
  assert_int_equal(jn_spec_add_joint(spec, &wrist), JN_OK);
  jn_frame_desc tip = {"tip", "hand", wrist.origin, 31};
  assert_int_equal(jn_spec_add_frame(spec, &tip), JN_OK);
  return spec;
}

static jn_link_desc *link_of(jn_spec *spec, const char *name) {
  return jn_spec_link(spec, jn_spec_find_link(spec, name));
}

/* one finding of that kind and nothing else; frees the spec */
static void assert_only(jn_spec *spec, jn_severity severity, int line, const char *words) {
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  int hits = 0;
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    if (f.severity == severity && f.line == line && strstr(f.text, words) != NULL)
      hits++;
    else
      print_error("unexpected: severity %d, line %d: %s\n", f.severity, f.line, f.text);
  }
  if (hits != 1 || jn_spec_finding_count(spec) != 1) fail_msg("'%s' found %d times", words, hits);
  jn_spec_free(spec);
}

/* at least that finding; frees the spec */
static void assert_among(jn_spec *spec, jn_severity severity, const char *words) {
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  int hits = 0;
  for (int i = 0; i < jn_spec_finding_count(spec); i++) {
    jn_finding f = jn_spec_finding(spec, i);
    hits += f.severity == severity && strstr(f.text, words) != NULL;
  }
  if (hits == 0) fail_msg("'%s' not found", words);
  jn_spec_free(spec);
}

static void sound_robots_have_no_findings(void **state) {
  (void)state;
  jn_spec *spec = sound();
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  jn_spec_free(spec);
  for (int i = 0; jn_builtin_name(i) != NULL; i++) {
    assert_int_equal(jn_spec_builtin(jn_builtin_name(i), NULL, &spec, NULL), JN_OK);
    assert_int_equal(jn_spec_lint(spec), JN_OK);
    if (jn_spec_finding_count(spec) != 0)
      fail_msg("%s: %s", jn_builtin_name(i), jn_spec_finding(spec, 0).text);
    jn_spec_free(spec);
  }
  assert_int_equal(jn_spec_lint(NULL), JN_ERR_ARGUMENT);
}

static void masses_are_checked(void **state) {
  (void)state;
  jn_spec *spec = sound();
  link_of(spec, "hand")->mass = 0;
  link_of(spec, "hand")->inertia = (jn_mat3){{{0}}};
  assert_only(spec, JN_SERIOUS, 22, "moves no mass");

  /* the same for the joint of the first link */
  assert_int_equal(jn_spec_builtin("pendulum", NULL, &spec, NULL), JN_OK);
  jn_spec_link(spec, 0)->mass = 0;
  jn_spec_link(spec, 0)->inertia = (jn_mat3){{{0}}};
  assert_among(spec, JN_SERIOUS, "moves no mass");

  /* an armature is enough */
  spec = sound();
  link_of(spec, "hand")->mass = 0;
  link_of(spec, "hand")->inertia = (jn_mat3){{{0}}};
  jn_spec_joint(spec, 1)->armature = 0.1;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  jn_spec_free(spec);

  spec = sound();
  link_of(spec, "arm")->mass = 0;
  link_of(spec, "arm")->inertia = (jn_mat3){{{0}}};
  assert_only(spec, JN_NOTE, 11, "is massless");

  /* ... but massless fixed links are usual, and so is mass on a fixed link */
  spec = sound();
  link_of(spec, "hand")->mass = 0;
  link_of(spec, "hand")->inertia = (jn_mat3){{{0}}};
  jn_spec_joint(spec, 1)->type = JN_JOINT_FIXED;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  jn_spec_free(spec);

  spec = sound();
  link_of(spec, "arm")->mass = 0;
  link_of(spec, "arm")->inertia = (jn_mat3){{{0}}};
  jn_spec_joint(spec, 1)->type = JN_JOINT_FIXED;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  jn_spec_free(spec);

  spec = sound();
  link_of(spec, "hand")->mass = -1;
  assert_only(spec, JN_SERIOUS, 12, "is negative");
  spec = sound();
  for (int i = 0; i < 3; i++) jn_spec_link(spec, i)->mass = 0;
  assert_among(spec, JN_SERIOUS, "no link has mass");
  spec = sound();
  link_of(spec, "hand")->mass = 3e4;
  link_of(spec, "hand")->inertia = (jn_mat3){{{200, 0, 0}, {0, 200, 0}, {0, 0, 100}}};
  assert_among(spec, JN_WARNING, "mass is 30000 kg");
  spec = sound();
  link_of(spec, "hand")->mass = 1e-5;
  link_of(spec, "hand")->inertia = (jn_mat3){{{2e-8, 0, 0}, {0, 2e-8, 0}, {0, 0, 1e-8}}};
  assert_only(spec, JN_NOTE, 22, "connects masses");
}

static void inertias_are_checked(void **state) {
  (void)state;
  jn_spec *spec = sound();
  link_of(spec, "arm")->inertia.m[2][2] = -0.01;
  assert_only(spec, JN_SERIOUS, 11, "not positive definite");
  spec = sound();
  link_of(spec, "arm")->inertia.m[0][1] = link_of(spec, "arm")->inertia.m[1][0] = 0.03;
  assert_only(spec, JN_SERIOUS, 11, "not positive definite: principal moments -0.01, 0.01, 0.05");
  spec = sound();
  link_of(spec, "arm")->inertia.m[2][2] = 0.05;
  assert_only(spec, JN_WARNING, 11, "principal moment 0.05 exceeds 0.019 + 0.021");
  spec = sound();
  link_of(spec, "arm")->inertia.m[0][1] = 0.002;
  assert_only(spec, JN_SERIOUS, 11, "not symmetric");
  spec = sound();
  link_of(spec, "arm")->inertia = (jn_mat3){{{2e4, 0, 0}, {0, 2e4, 0}, {0, 0, 1e4}}};
  assert_only(spec, JN_WARNING, 11, "check the units");
  spec = sound();
  link_of(spec, "arm")->inertia = (jn_mat3){{{2e-9, 0, 0}, {0, 2e-9, 0}, {0, 0, 1e-9}}};
  assert_only(spec, JN_WARNING, 11, "check the units");
  spec = sound();
  link_of(spec, "arm")->inertia = (jn_mat3){{{0}}};
  assert_only(spec, JN_NOTE, 11, "a point mass");
  spec = sound();
  link_of(spec, "arm")->inertia = (jn_mat3){{{0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0}}};
  assert_only(spec, JN_NOTE, 11, "infinitely thin rod");
  spec = sound();
  link_of(spec, "arm")->com.x = 100;
  assert_only(spec, JN_WARNING, 11, "centre of mass is 100 m");
  spec = sound();
  jn_spec_link(spec, 0)->mass = 0;
  assert_only(spec, JN_WARNING, 10, "rotational inertia but no mass");

  /* a thin rod that turns about its own axis; about another axis it is valid */
  for (int off = 0; off < 2; off++) {
    spec = sound();
    link_of(spec, "hand")->inertia = (jn_mat3){{{0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0}}};
    link_of(spec, "hand")->com = (jn_vec3){0.1 * off, 0, 0.5};
    if (off)
      assert_only(spec, JN_NOTE, 12, "infinitely thin rod");
    else
      assert_among(spec, JN_SERIOUS, "no inertia about the axis");
  }
  spec = sound(); /* a little is enough */
  link_of(spec, "hand")->inertia = (jn_mat3){{{0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 1e-14}}};
  link_of(spec, "hand")->com = (jn_vec3){0, 0, 0.5};
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  for (int i = 0; i < jn_spec_finding_count(spec); i++)
    assert_true(jn_spec_finding(spec, i).severity != JN_SERIOUS);
  jn_spec_free(spec);
  spec = sound();
  jn_spec_joint(spec, 1)->placement = JN_BY_SCREW;
  jn_spec_joint(spec, 1)->point = (jn_vec3){0, 0, 2};
  link_of(spec, "hand")->inertia = (jn_mat3){{{0}}};
  assert_among(spec, JN_SERIOUS, "no inertia about the axis");
}

/* Moments (1, 2, 2.9) and (1, 2, 3.1) times 1e-2 in axes rotated by q: only the first is valid. */
static void inertias_are_checked_in_any_axes(void **state) {
  (void)state;
  for (int n = 0; n < 60; n++) {
    const jn_mat3 R = jn_quat_to_m3(
        jn_quat_unit(jn_quat_make(cos(n), sin(2.0 * n), cos(3.0 * n), sin(5.0 * n + 1))));
    const double e[3] = {0.01, 0.02, n % 2 ? 0.031 : 0.029};
    jn_mat3 I;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += R.m[i][k] * e[(k + n) % 3] * R.m[j][k];
        I.m[i][j] = I.m[j][i] = sum;
      }
    jn_spec *spec = sound();
    link_of(spec, "arm")->inertia = I;
    if (n % 2) {
      assert_only(spec, JN_WARNING, 11, "principal moment 0.031 exceeds 0.01 + 0.02");
      continue;
    }
    assert_int_equal(jn_spec_lint(spec), JN_OK);
    assert_int_equal(jn_spec_finding_count(spec), 0);
    jn_spec_free(spec);
  }
}

static void joints_are_checked(void **state) {
  (void)state;
  jn_spec *spec = sound();
  jn_spec_joint(spec, 0)->axis[0].y = 2;
  assert_only(spec, JN_NOTE, 21, "axis has length 2");
  spec = sound(); /* few digits are no finding */
  jn_spec_joint(spec, 0)->axis[0] = (jn_vec3){0.7071, 0.7071, 0};
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  jn_spec_free(spec);
  spec = sound();
  jn_spec_joint(spec, 0)->axis[0].y = 0;
  assert_only(spec, JN_SERIOUS, 21, "axis has zero length");
  spec = sound();
  jn_spec_joint(spec, 0)->type = JN_JOINT_UNIVERSAL;
  jn_spec_joint(spec, 0)->axis[1] = (jn_vec3){0, -1, 0};
  assert_only(spec, JN_SERIOUS, 21, "parallel");
  spec = sound();
  jn_spec_joint(spec, 0)->limits.lower = 1;
  jn_spec_joint(spec, 0)->limits.upper = -1;
  assert_only(spec, JN_SERIOUS, 21, "lower limit 1 is above upper limit -1");
  spec = sound();
  jn_spec_joint(spec, 0)->limits.lower = 0;
  jn_spec_joint(spec, 0)->limits.upper = 0;
  assert_only(spec, JN_WARNING, 21, "cannot move");
  spec = sound();
  jn_spec_joint(spec, 0)->limits = (jn_limits){0, 0, 0, 0, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  assert_only(spec, JN_WARNING, 21, "the limits are all 0");
  spec = sound();
  jn_spec_joint(spec, 0)->limits.velocity = 0;
  assert_only(spec, JN_WARNING, 21, "velocity limit is 0");
  spec = sound();
  jn_spec_joint(spec, 0)->limits.effort = -3;
  assert_only(spec, JN_WARNING, 21, "effort limit is -3");
  spec = sound();
  jn_spec_joint(spec, 0)->limits.jerk = nan("");
  assert_only(spec, JN_SERIOUS, 21, "a limit is not a number");
  spec = sound();
  jn_spec_joint(spec, 0)->type = JN_JOINT_HELICAL;
  assert_only(spec, JN_NOTE, 21, "pitch 0");
  spec = sound();
  jn_spec_joint(spec, 0)->damping = -1;
  assert_only(spec, JN_SERIOUS, 21, "cannot be negative");
  spec = sound();
  jn_spec_joint(spec, 0)->mimic = "nobody";
  assert_only(spec, JN_WARNING, 21, "no joint 'nobody' to mimic");
  spec = sound();
  jn_spec_joint(spec, 0)->mimic = "wrist";
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 0);
  const jn_build_options independent = {.mimic = JN_MIMIC_INDEPENDENT};
  assert_int_equal(jn_spec_lint_for(spec, &independent), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), 1);
  assert_non_null(strstr(jn_spec_finding(spec, 0).text, "not enforced"));
  jn_spec_free(spec);
  spec = sound();
  jn_spec_joint(spec, 1)->origin.p.z = 1000;
  assert_only(spec, JN_WARNING, 22, "1000 m from its parent's origin");
}

static void numbers_must_be_finite(void **state) {
  (void)state;
  double *places[16];
  for (int k = 0;; k++) {
    jn_spec *spec = sound();
    jn_link_desc *link = link_of(spec, "hand");
    jn_joint_desc *joint = jn_spec_joint(spec, 1);
    int n = 0;
    places[n++] = &link->mass;
    places[n++] = &link->com.y;
    places[n++] = &link->inertia.m[2][1];
    places[n++] = &link->home.R.m[1][1];
    places[n++] = &link->home.p.x;
    places[n++] = &joint->origin.R.m[0][2];
    places[n++] = &joint->origin.p.y;
    places[n++] = &joint->axis[0].z;
    places[n++] = &joint->axis[1].x;
    places[n++] = &joint->point.y;
    places[n++] = &joint->pitch;
    places[n++] = &joint->armature;
    places[n++] = &joint->mimic_offset;
    places[n++] = &jn_spec_frame(spec, 0)->pose.p.z;
    if (k >= 2 * n) {
      jn_spec_set_gravity(spec, (jn_vec3){0, 0, nan("")});
      assert_among(spec, JN_SERIOUS, "gravity is not finite");
      break;
    }
    *places[k / 2] = k % 2 ? nan("") : HUGE_VAL;
    assert_among(spec, JN_SERIOUS, "not finite");
  }
  jn_spec *spec = sound();
  jn_spec_set_gravity(spec, (jn_vec3){0, 0, -9810});
  assert_only(spec, JN_WARNING, 0, "gravity is 9810");
}

static void limits_and_friction_are_checked(void **state) {
  (void)state;
  for (int k = 0; k < 7; k++) {
    jn_spec *spec = sound();
    jn_limits *x = &jn_spec_joint(spec, 0)->limits;
    double *const places[7] = {&x->lower,        &x->upper, &x->velocity,   &x->effort,
                               &x->acceleration, &x->jerk,  &x->effort_rate};
    *places[k] = nan("");
    assert_only(spec, JN_SERIOUS, 21, "a limit is not a number");
  }
  /* all 0 but one */
  for (int k = 0; k < 4; k++) {
    jn_spec *spec = sound();
    jn_limits *x = &jn_spec_joint(spec, 0)->limits;
    *x = (jn_limits){k == 0 ? -1 : 0, k == 1, k == 2, k == 3, 1, 1, 1};
    assert_among(spec, JN_WARNING, k == 2 ? "effort limit is 0" : "velocity limit is 0");
  }
  jn_spec *spec = sound();
  jn_spec_joint(spec, 0)->friction = -1;
  assert_only(spec, JN_SERIOUS, 21, "cannot be negative");
  /* a free joint has no armature */
  spec = sound();
  jn_spec_joint(spec, 1)->type = JN_JOINT_FREE;
  jn_spec_joint(spec, 1)->armature = 1;
  link_of(spec, "hand")->mass = 0;
  link_of(spec, "hand")->inertia = (jn_mat3){{{0}}};
  assert_among(spec, JN_SERIOUS, "moves no mass");
}

static void the_tree_is_checked(void **state) {
  (void)state;
  jn_spec *spec = sound();
  jn_spec_joint(spec, 0)->parent = "nobody";
  assert_among(spec, JN_SERIOUS, "no parent link 'nobody'");
  spec = sound();
  jn_spec_joint(spec, 1)->child = "nobody";
  assert_among(spec, JN_SERIOUS, "no child link 'nobody'");
  spec = sound();
  jn_spec_joint(spec, 1)->child = "nobody";
  assert_among(spec, JN_SERIOUS, "link 'hand' is a second root");
  spec = sound();
  jn_spec_joint(spec, 1)->child = "arm";
  assert_among(spec, JN_SERIOUS, "is already the child of joint 'elbow'");
  spec = sound();
  link_of(spec, "hand")->name = "arm";
  assert_among(spec, JN_SERIOUS, "link 'arm': the name is used twice");
  spec = sound();
  jn_spec_joint(spec, 1)->name = "elbow";
  assert_among(spec, JN_SERIOUS, "joint 'elbow': the name is used twice");
  spec = sound();
  jn_spec_frame(spec, 0)->link = "nobody";
  assert_only(spec, JN_SERIOUS, 31, "no link 'nobody'");
  spec = sound();
  jn_spec_joint(spec, 1)->name = "the wrist";
  assert_only(spec, JN_NOTE, 22, "white space");

  /* cycles: of three, of one, and one beside a tree */
  spec = sound();
  jn_joint_desc back = jn_joint_default("back", JN_JOINT_REVOLUTE, "hand", "base");
  assert_int_equal(jn_spec_add_joint(spec, &back), JN_OK);
  assert_among(spec, JN_SERIOUS, "link 'base' and 2 others are not reached");
  spec = sound();
  jn_spec_joint(spec, 0)->parent = "arm";
  assert_among(spec, JN_SERIOUS, "form a cycle");
  spec = sound();
  jn_spec_joint(spec, 1)->parent = "hand";
  assert_among(spec, JN_SERIOUS, "link 'hand' is its own parent");
  spec = sound();
  jn_spec_joint(spec, 0)->parent = "hand";
  assert_among(spec, JN_SERIOUS, "link 'arm' and 1 other are not reached");

  /* nothing at all */
  assert_int_equal(jn_spec_new("empty", NULL, &spec), JN_OK);
  assert_only(spec, JN_SERIOUS, 0, "there are no links");

  /* names removed */
  spec = sound();
  link_of(spec, "hand")->name = NULL;
  jn_spec_joint(spec, 0)->name = NULL;
  jn_spec_joint(spec, 0)->child = NULL;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_true(jn_spec_finding_count(spec) > 0);
  jn_spec_free(spec);
}

static void findings_come_in_the_order_of_lines(void **state) {
  (void)state;
  static const int want[] = {0, 10, 11, 12, 12, 21, 22};
  jn_spec *spec = sound();
  assert_int_equal(jn_spec_add_finding(spec, JN_NOTE, 12, "noted by a loader"), JN_OK);
  jn_spec_set_gravity(spec, (jn_vec3){0, 0, -9810});
  for (int i = 0; i < 3; i++) jn_spec_link(spec, i)->com.x = 100;
  for (int j = 0; j < 2; j++) jn_spec_joint(spec, j)->axis[0].y = 3;
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), sizeof want / sizeof want[0]);
  for (int i = 0; i < jn_spec_finding_count(spec); i++)
    assert_int_equal(jn_spec_finding(spec, i).line, want[i]);
  assert_string_equal(jn_spec_finding(spec, 3).text, "noted by a loader");
  jn_spec_free(spec);
}

static void many_cycles_take_no_time(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  enum { LINKS = 100000 };
  assert_int_equal(jn_spec_new("tangle", NULL, &spec), JN_OK);
  for (int i = 0; i < LINKS; i++) {
    char name[16], other[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(other, sizeof other, "l%d", (int)(((long)i * 7919 + 13) % LINKS));
    jn_link_desc link = jn_link_default(name);
    jn_joint_desc joint = jn_joint_default(name, JN_JOINT_REVOLUTE, other, name);
    assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
    assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  }
  assert_int_equal(jn_spec_lint(spec), JN_OK);
  assert_int_equal(jn_spec_finding_count(spec), JN_MAX_FINDINGS);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_robots_have_no_findings),
      cmocka_unit_test(masses_are_checked),
      cmocka_unit_test(inertias_are_checked),
      cmocka_unit_test(inertias_are_checked_in_any_axes),
      cmocka_unit_test(joints_are_checked),
      cmocka_unit_test(numbers_must_be_finite),
      cmocka_unit_test(limits_and_friction_are_checked),
      cmocka_unit_test(the_tree_is_checked),
      cmocka_unit_test(findings_come_in_the_order_of_lines),
      cmocka_unit_test(many_cycles_take_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
