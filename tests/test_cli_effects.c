/* test_cli_effects.c: what cannot be kept, and what has no effect, is refused with the remedy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"

/* Where a velocity or an acceleration jumps no speed keeps what follows from it. */
static void limits_at_jumps_are_refused(void **state) {
  (void)state;
  put("corner.json",
      "{\"kind\": \"bspline\", \"degree\": 1, \"knots\": [0, 0, 1, 2, 2],\n"
      " \"joints\": {\"joint1\": [0, 0, 1], \"joint2\": [0, 0, 0]}}");
  put("late.json",
      "{\"kind\": \"polynomial\", \"end\": 1, \"joints\": {\"joint1\": [0, 1],\n"
      " \"joint2\": {\"start\": 0.25, \"end\": 0.75, \"coefficients\": [0, 1]}}}");
  put("stops.json",
      "{\"kind\": \"half_cosine\", \"times\": [0, 1, 2],\n"
      " \"joints\": {\"joint1\": [0, 1, 3], \"joint2\": [0, 0, 0]}}");
  static const struct {
    const char *options, *words; /* NULL: nothing jumps that is limited */
  } cases[] = {{"corner.json --acceleration 0.1", "the velocity of 'joint1' jumps at t = 1: "},
               {"corner.json --effort 100", "the velocity of 'joint1' jumps at t = 1: "},
               {"corner.json --power 100", "the velocity of 'joint1' jumps at t = 1: "},
               {"corner.json --jerk 100", "the velocity of 'joint1' jumps at t = 1: "},
               {"corner.json --velocity 2", NULL},
               {"late.json --acceleration 1", "the velocity of 'joint2' jumps at t = 0.25: "},
               {"stops.json --jerk 1000", "the acceleration of 'joint1' jumps at t = 1: jerks and"},
               {"stops.json --effort-rate 1e4", "the acceleration of 'joint1' jumps at t = 1: "},
               {"stops.json --acceleration 100 --effort 100 --power 100", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char command[200];
    snprintf(command, sizeof command, "jounce limits double_pendulum %s", cases[i].options);
    assert_int_equal(run(command), cases[i].words ? 1 : 0);
    if (cases[i].words) assert_non_null(strstr(errors, cases[i].words));
  }
  /* nor does a force follow a jump of the velocity */
  assert_int_equal(run("jounce simulate double_pendulum --along corner.json --samples 3"), 1);
  assert_non_null(strstr(errors, "the velocity of 'joint1' jumps at t = 1, which no force does"));
  assert_clean(run("jounce simulate double_pendulum --along stops.json --samples 3 -q --json"));
}

/* Options about samples with a motion that has none, and options that would replace each other. */
static void options_without_effect_are_refused(void **state) {
  (void)state;
  put("curve.json", "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1]}}");
  put("points.json",
      "{\"kind\": \"fit\", \"times\": [0, 1, 2], \"degree\": 1, \"tolerance\": 0,\n"
      " \"joints\": {\"joint1\": [0, 1, 2]}}");
  static const char *const options[] = {
      "--degrees",     "--time-unit ms", "--unwrap",    "--force",
      "--pieces 2",    "--degree 9",     "--ends rest", "--outliers keep",
      "--tolerance 0", "--lambda 1e-3",  NULL};
  for (int i = 0; options[i]; i++) {
    char command[200];
    snprintf(command, sizeof command, "jounce limits double_pendulum curve.json --velocity 9 %s",
             options[i]);
    assert_int_equal(run(command), 2);
    assert_non_null(strstr(errors, "has no effect: it is about"));
  }
  assert_int_equal(run("jounce limits double_pendulum points.json --velocity 9 --time-unit ms"), 2);
  assert_non_null(strstr(errors, "--time-unit has no effect: it is about the times of a table"));
  assert_int_equal(run("jounce info arm7 --lock joint1=0.2 --lock joint2=0.1"), 2);
  assert_non_null(strstr(errors, "--lock is given twice: give it once, several values separated"));
  assert_int_equal(run("jounce limits double_pendulum curve.json --velocity 9 --velocity=3"), 2);
  assert_non_null(strstr(errors, "--velocity is given twice: give it once"));
}

/* Forces at other times than the run's would be held at their first or last value all along. */
static void forces_at_other_times_are_refused(void **state) {
  (void)state;
  put("late.csv", "t,joint1\n1700000000,4\n1700000001,0\n");
  put("early.csv", "t,joint1\n-2,4\n-1,0\n");
  put("part.csv", "t,joint1\n-1,4\n0.5,0\n");
  static const char *const names[] = {"late", "early", "part"};
  for (int i = 0; i < 3; i++) {
    char command[200];
    snprintf(command, sizeof command,
             "jounce simulate pendulum --time 2 --forces %s.csv --samples 2", names[i]);
    assert_int_equal(run(command), i < 2);
    if (i < 2) assert_non_null(strstr(errors, "have nothing in common with the run from 0 to 2 s"));
  }
}

/* The peak beyond a limit of zero is the largest value, not the first one that is not zero. */
static void the_peak_beyond_a_limit_of_zero_is_the_largest(void **state) {
  (void)state;
  put("move.json", "{\"kind\": \"minimum\", \"times\": [0, 2], \"joints\": {\"joint1\": [0, 1]}}");
  put("still.json", "{\"joint1\": {\"velocity\": 0}}");
  json_t *found = NULL;
  assert_int_equal(run("jounce limits double_pendulum move.json --limits still.json --json"), 3);
  found = json_loads(output, 0, NULL);
  const json_t *worst =
      json_object_get(json_array_get(json_object_get(found, "limits"), 0), "worst");
  /* 1.875 d/T */
  check_residual("peak of a move of least jerk", fabs(json_number_value(worst) - 0.9375), 1e-9);
  json_decref(found);
}

#define BALL                                                                                   \
  "{\"name\": \"ball\", \"bodies\": [{\"name\": \"B\", \"mass\": 1, \"inertia\": [[1, 0, 0], " \
  "[0, 1, 0], [0, 0, 1]],\n \"joint\": {\"name\": \"f\", \"type\": \"free\"%s}}]}"
#define ARM                                                                                       \
  "{\"name\": \"arm\", \"bodies\": [{\"name\": \"B\", \"mass\": 1, \"inertia\": [[1, 0, 0], [0, " \
  "1, "                                                                                           \
  "0], [0, 0, 1]],\n \"joint\": {\"name\": \"j\", \"type\": \"revolute\", \"axis\": [0, 1, 0], "  \
  "\"point\": [0, 0, 0]%s}}]}"

#define WELD                                                                                      \
  "{\"name\": \"arm\", \"bodies\": [{\"name\": \"B\", \"mass\": 1, \"inertia\": [[1, 0, 0], [0, " \
  "1, "                                                                                           \
  "0], [0, 0, 1]],\n \"joint\": {\"name\": \"j\", \"type\": \"fixed\", \"origin\": {\"p\": [0, "  \
  "0, 1]}, "                                                                                      \
  "\"point\": [0, 0, 0], \"pitch\": 2%s}}]}"

/* What a joint of this type or place does not have is said, or refused. */
static void numbers_that_a_joint_does_not_have_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *more, *words;
    int code;
  } cases[] = {{BALL, "", NULL, 0},
               {BALL, ", \"damping\": 2",
                "joint 'f': armature, damping and friction of a free joint are not", 0},
               {BALL, ", \"armature\": 2",
                "joint 'f': armature, damping and friction of a free joint are not", 0},
               {BALL, ", \"friction\": 2",
                "joint 'f': armature, damping and friction of a free joint are not", 0},
               {ARM, "", NULL, 0},
               {WELD, "", NULL, 0},
               {ARM, ", \"pitch\": 3", "pitch: only a helical joint has one: it is not used", 0},
               {ARM, ", \"origin\": {\"p\": [0, 0, 0.1]}",
                "point: 'origin' says where the joint is: it is not used", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text, cases[i].text, cases[i].more);
    put("made.json", text);
    assert_int_equal(run("jounce info made.json --json"), cases[i].code);
    if (cases[i].words)
      assert_non_null(strstr(errors, cases[i].words));
    else
      assert_string_equal(errors, "");
  }
}

/* Options that take from each other what they are about. */
static void options_of_constraints_need_each_other(void **state) {
  (void)state;
  static const struct {
    const char *command, *words;
  } cases[] = {
      {"jounce loops fourbar --open", "--open leaves out the constraints, and nothing to report"},
      {"jounce assemble fourbar --open", "--open leaves out the constraints, and nothing to"},
      {"jounce id fourbar --pad --driven crank", "--driven says which joints --assemble keeps"},
      {"jounce fd fourbar --pad --open --assemble", "--assemble has no effect with --open"},
      {"jounce fd fourbar --pad --open --driven crank", "--driven has no effect with --open"},
      {"jounce fd fourbar --pad --open --world pin=x.json", "--world has no effect with --open"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(run(cases[i].command), 2);
    assert_non_null(strstr(errors, cases[i].words));
  }
}

/* A leader and its follower may both be locked, where the follower is. */
static void locked_followers_are_where_they_must_be(void **state) {
  (void)state;
#define LINK(name)    \
  "<link name='" name \
  "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define HINGE(name, a, b, more)                                                    \
  "<joint name='" name "' type='continuous'><parent link='" a "'/><child link='" b \
  "'/>"                                                                            \
  "<axis xyz='0 1 0'/>" more "</joint>"
  put("pair.urdf",
      "<robot name='r'>" LINK("a") LINK("b") LINK("c") HINGE("j1", "a", "b", "")
          HINGE("j2", "b", "c", "<mimic joint='j1' multiplier='2' offset='0.1'/>") "</robot>");
  static const struct {
    const char *lock;
    int good;
  } cases[] = {{"j1=0.2", 1},        {"j1=0.2,j2=0.5", 1}, {"j2=0.5,j1=0.2", 1}, {"j1,j2=0.1", 1},
               {"j1=0.2,j2=0.7", 0}, {"j2=0.7,j1=0.2", 0}, {"j1=0.2,j2", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char command[200];
    snprintf(command, sizeof command, "jounce fk pair.urdf --link c -q --lock %s", cases[i].lock);
    assert_int_equal(run(command), !cases[i].good);
    if (!cases[i].good)
      assert_non_null(strstr(errors, "it follows the joint 'j1', which is locked at 0.2: 0.5"));
    snprintf(command, sizeof command, "jounce fk pair.urdf --link c -q --independent --lock %s",
             cases[i].lock);
    assert_int_equal(run(command), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_at_jumps_are_refused),
      cmocka_unit_test(options_without_effect_are_refused),
      cmocka_unit_test(forces_at_other_times_are_refused),
      cmocka_unit_test(the_peak_beyond_a_limit_of_zero_is_the_largest),
      cmocka_unit_test(numbers_that_a_joint_does_not_have_are_named),
      cmocka_unit_test(options_of_constraints_need_each_other),
      cmocka_unit_test(locked_followers_are_where_they_must_be),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
