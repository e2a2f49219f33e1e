/* test_cli_constraints.c: the program on models with constraints: reference mechanisms through files,
 * refusals with their remedy. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>

#include <string.h>

#include "helpers/files.h"
#include "helpers/mechanism.h"
#include "helpers/program.h"

#define LOOPS TEST_DATA "/loops"

static void save_state_of_fd(const char *folder, const char *name) {
  json_t *state = load_json(folder, "state.json"), *want = load_json(folder, "expect.json"),
         *tau = json_object(), *joints = item(want, "tau", NULL);
  const char *key;
  json_t *value;
  /* forces of actuated joints only: the others are zero */
  json_object_foreach(joints, key, value) {
    double most = 0;
    for (size_t k = 0; k < json_array_size(value); k++) most = at(value, k) != 0 ? 1 : most;
    if (most > 0) json_object_set(tau, key, value);
  }
  json_object_set_new(state, "tau", tau);
  save_json(name, state);
  json_decref(state), json_decref(want);
}

static void reference_mechanisms_through_files(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    const char *name = reference_names[i];
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/%s", LOOPS, name);
    json_t *want = load_json(folder, "expect.json"), *moved = load_json(folder, "state.json"),
           *forces = json_object_get(want, "constraint_forces");
    json_t *got =
        run_json("jounce id %s/model.json --order 5 --state %s/state.json", folder, folder);
    residual tau = {0}, lambda = {0}, moves = {0};
    const char *key;
    json_t *value;
    json_object_foreach(item(want, "tau", NULL), key, value)
        compare(&tau, item(got, "tau", key), value);
    check_residual("id: tau", judge(name, &tau, 1e-12), 1e-12);
    json_object_foreach(forces, key, value)
        compare(&lambda, item(got, "constraint_forces", key), value);
    check_residual("id: constraint forces", judge(name, &lambda, 1e-12), 1e-12);
    json_decref(got);
    save_state_of_fd(folder, "fd.json");
    got = run_json("jounce fd %s/model.json --order 5 --state fd.json", folder);
    json_object_foreach(item(moved, "joints", NULL), key, value) {
      json_t *rest = json_deep_copy(value); /* q'' ... q^(7) */
      json_array_remove(rest, 0), json_array_remove(rest, 0);
      compare(&moves, item(got, "joints", key), rest);
      json_decref(rest);
    }
    check_residual("fd: motion", judge(name, &moves, 1e-9), 1e-9);
    json_decref(got);
    got = run_json("jounce loops %s/model.json --state %s/state.json", folder, folder);
    assert_true(json_number_value(item(got, "rank", NULL)) ==
                json_number_value(item(want, "rank", NULL)));
    assert_true(json_number_value(item(got, "mobility", NULL)) ==
                json_number_value(item(want, "mobility", NULL)));
    json_decref(got), json_decref(want), json_decref(moved);
  }
  assert_false(judged_badly);
}

static void assert_refused_with(const char *words) {
  if (!strstr(errors, words)) fail_msg("'%s' lacks '%s'", errors, words);
}

static void commands_without_constraints_refuse_them_by_name(void **state) {
  (void)state;
  static const char *const lines[] = {"eom fourbar", "eom fourbar --momentum"};
  for (size_t i = 0; i < COUNT(lines); i++) {
    assert_int_equal(run("jounce %s", lines[i]), 1);
    assert_refused_with("has 1 constraint ('pin')");
    assert_refused_with("--open");
    assert_int_equal(output[0], '\0');
  }
  assert_clean(run("jounce partials fourbar --open"));
  assert_clean(run("jounce check fourbar --open --states 2"));
  assert_null(strstr(output, "constraints"));
  /* kinematics and descriptions do not depend on them */
  assert_clean(
      run("jounce fk fourbar && jounce jacobian fourbar --link coupler && jounce info fourbar"));
  /* without them it is the open tree: the rocker's weight is no longer carried */
  assert_clean(run("jounce id fourbar --open --text"));
  assert_null(strstr(output, "constraint"));
}

static void states_off_the_manifold_are_refused_unless_assembled(void **state) {
  (void)state;
  assert_int_equal(run("echo '{\"joints\": {\"crank\": [0.5, 2]}}' > s.json\n"
                       "jounce id fourbar --state s.json --pad"),
                   1);
  assert_refused_with("pin [0.16");
  assert_refused_with("--assemble");
  json_t *a = run_json("jounce id fourbar --state s.json --pad --assemble --order 2");
  json_t *b = run_json(
      "jounce assemble fourbar --state s.json --order 2 > t.json\n"
      "jounce id fourbar --state t.json --order 2");
  residual same = {0};
  compare(&same, item(a, "tau", "crank"), item(b, "tau", "crank"));
  check_residual("--assemble = jounce assemble", judge("assemble", &same, 1e-13), 1e-13);
  json_decref(a), json_decref(b);
  json_t *t = run_json("cat t.json");
  assert_true(at(item(t, "joints", "crank"), 0) == 0.5);
  assert_true(at(item(t, "joints", "crank"), 1) == 2);
  json_decref(t);
  /* a velocity that breaks the loop; a passive joint that is driven */
  assert_int_equal(run("echo '{\"joints\": {\"crank\": [0, 1]}, \"tau\": {\"crank\": [1]}}' |"
                       "jounce fd fourbar --pad --state -"),
                   1);
  assert_refused_with(
      "the velocity of the state does not satisfy the constraints: constraint 'pin'");
  t = run_json(
      "echo '{\"joints\": {\"rocker\": [0.1, 1]}}' |"
      "jounce assemble fourbar --state - --driven rocker");
  assert_true(at(item(t, "joints", "rocker"), 0) == 0.1);
  json_decref(t);
  assert_int_equal(run("jounce assemble fourbar --driven rockr"), 1);
  assert_refused_with("did you mean 'rocker'?");
  assert_int_equal(run("echo '{\"joints\": {\"crank\": [0.5], \"rocker\": [3]}}' |"
                       "jounce assemble fourbar --state - --driven crank,rocker"),
                   1);
  assert_refused_with("no configuration was found that satisfies the constraints: 'pin'");
  /* a state of few digits: off by 3e-8 */
  assert_int_equal(run("echo '{\"joints\": {\"crank\": [3e-8]}}' > s.json\n"
                       "jounce id fourbar --state s.json --pad"),
                   1);
  assert_refused_with("allowed: 1e-09 of the robot's size");
  a = run_json("jounce id fourbar --state s.json --pad --closure 1e-7");
  b = run_json("jounce id fourbar --pad");
  same = (residual){0};
  compare(&same, item(a, "tau", "crank"), item(b, "tau", "crank"));
  check_residual("--closure", judge("closure", &same, 1e-6), 1e-6);
  json_decref(a), json_decref(b);
  assert_int_equal(run("jounce id fourbar --pad --closure -1"), 2);
  assert_refused_with("a part of the robot's size expected");
}

static void hybrid_and_other_formats(void **state) {
  (void)state;
  json_t *id = run_json(
      "echo '{\"joints\": {\"crank\": [0.4, 1.5, 2]}}' |"
      "jounce assemble fourbar --state - > s.json; jounce id fourbar --state s.json");
  json_t *hybrid = run_json("jounce hybrid fourbar --state s.json");
  residual same = {0};
  compare(&same, item(hybrid, "tau", "crank"), item(id, "tau", "crank"));
  compare(&same, item(hybrid, "constraint_forces", "pin"), item(id, "constraint_forces", "pin"));
  check_residual("hybrid = id", judge("hybrid", &same, 1e-12), 1e-12);
  assert_non_null(json_object_get(item(hybrid, "joints", NULL), "rocker"));
  json_decref(id), json_decref(hybrid);
  assert_clean(run("jounce id fourbar --state s.json --format csv"));
  assert_non_null(strstr(output, "joint,component,kind,k0\n"));
  assert_non_null(strstr(output, "\npin,2,constraint,"));
  assert_clean(run("jounce loops stewart --format csv"));
  assert_non_null(strstr(output, "foot6,point,rod6,world,3,0,"));
  assert_clean(run("jounce loops arm6 --text"));
  assert_non_null(strstr(output, "0 constraint rows of rank 0: mobility 6"));
  assert_clean(run("jounce lint fourbar && jounce lint stewart"));
}

static void partials_of_a_loop(void **state) {
  (void)state;
  json_t *got = run_json(
      "echo '{\"joints\": {\"crank\": [0.4, 1.5, 2]}, \"tau\": {\"crank\": [0.3]}}' > s.json\n"
      "jounce partials fourbar --state s.json --pad --assemble --forward");
  const json_t *rows = item(got, "rows", NULL), *dtau = item(got, "dacc_dtau", NULL),
               *dlambda = item(got, "dlambda_dq", NULL);
  assert_string_equal(json_string_value(json_array_get(rows, 1)), "pin[1]");
  assert_true(json_array_size(json_array_get(dlambda, 0)) == 3);
  /* one degree of freedom: d v' / d tau has rank 1 and is symmetric */
  const json_t *A = json_array_get(json_array_get(dtau, 0), 0);
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      const double x = at(json_array_get(A, i), j), y = at(json_array_get(A, j), i);
      const double square = at(json_array_get(A, i), i) * at(json_array_get(A, j), j);
      check_residual("d v' / d tau", fmax(fabs(x - y), fabs(x * x - square)) / square, 1e-12);
    }
  json_decref(got);
  assert_int_equal(run("jounce partials fourbar --state s.json --pad"), 1);
  assert_refused_with("--assemble");
  assert_int_equal(run("jounce partials fourbar --state s.json --pad --layout mujoco"), 2);
  assert_refused_with("--open");
  assert_clean(run("jounce partials stewart --format csv"));
  assert_non_null(strstr(output, "\ndlambda_dv,0,1,17,"));
  assert_clean(run("jounce bench fourbar --orders 0 --seconds 0.001 --json"));
  assert_non_null(strstr(output, "constrained_forward"));
  assert_clean(run("jounce bench fourbar --open --orders 0 --seconds 0.001 --json"));
  assert_null(strstr(output, "constrained_forward"));
}

static void the_linear_system_of_a_loop(void **state) {
  (void)state;
  json_t *got = run_json("jounce linearise fourbar --hold --step 0.01"),
         *names = item(got, "minimal_states", NULL);
  assert_true(json_array_size(names) == 2);
  assert_string_equal(json_string_value(json_array_get(names, 0)), "d crank");
  const json_t *A = item(got, "A_minimal", NULL), *Ad = item(got, "Ad_minimal", NULL);
  assert_true(json_array_size(A) == 2 && json_array_size(item(got, "projector", NULL)) == 6);
  assert_true(at(json_array_get(A, 0), 1) == 1 && at(json_array_get(A, 0), 0) == 0);
  /* exp(A h) of a scalar equation s'' = c s: cosh(h sqrt(c)) or cos(h sqrt(-c)) */
  const double c = at(json_array_get(A, 1), 0), w = 0.01 * sqrt(fabs(c));
  check_residual("a step of the minimal system",
                 fabs(at(json_array_get(Ad, 0), 0) - (c > 0 ? cosh(w) : cos(w))), 1e-14);
  json_decref(got);
  assert_clean(run("jounce linearise stewart --hold --text"));
  assert_non_null(strstr(output, "minimal_states"));
  assert_clean(run("jounce linearise fourbar --open --right --order 1"));
  assert_int_equal(run("jounce linearise fourbar --right"), 2);
  assert_refused_with("--open");
  assert_int_equal(run("jounce linearise stewart --representation mixed"), 2);
  assert_refused_with("--representation body");
}

/* the value of a named column of a table {"columns", "rows"} */
static json_t *cell(const json_t *t, const char *name, size_t row) {
  const json_t *names = item(t, "columns", NULL);
  for (size_t i = 0; i < json_array_size(names); i++)
    if (!strcmp(json_string_value(json_array_get(names, i)), name))
      return json_array_get(json_array_get(item(t, "rows", NULL), row), i);
  fail_msg("no column '%s'", name);
  return NULL;
}

/* traj: dependent joints follow the crank; every row is a state of id */
static void trajectories_drive_the_actuated_joints(void **state) {
  (void)state;
  json_t *t = run_json(
      "echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 2],"
      "\"joints\": {\"crank\": [0, 3], \"coupler\": [0, 0], \"rocker\": [0, 0]}}'"
      " > turn.json\n"
      "jounce traj fourbar turn.json --order 1 --samples 21");
  static const char *const joints[] = {"crank", "coupler", "rocker"};
  json_t *s = json_object(), *all = json_object();
  json_object_set_new(s, "joints", all);
  const size_t row = 11;
  for (int j = 0; j < 3; j++) {
    json_t *list = json_array();
    for (int k = 0; k <= 3; k++) {
      char name[32];
      static const char *const ends[] = {"", "'", "''", "^(3)"};
      snprintf(name, sizeof name, "%s%s", joints[j], ends[k]);
      json_array_append(list, cell(t, name, row));
    }
    json_object_set_new(all, joints[j], list);
  }
  save_json("row.json", s);
  json_t *id = run_json("jounce id fourbar --order 1 --state row.json");
  residual same = {0};
  compare(&same, cell(t, "tau:crank", row), json_array_get(item(id, "tau", "crank"), 0));
  compare(&same, cell(t, "tau:crank'", row), json_array_get(item(id, "tau", "crank"), 1));
  compare(&same, cell(t, "lambda:pin:2", row),
          json_array_get(json_array_get(item(id, "constraint_forces", "pin"), 0), 2));
  check_residual("traj = id", judge("traj", &same, 1e-12), 1e-12);
  json_decref(t), json_decref(s), json_decref(id);
}

/* simulate: the rows satisfy the constraints; the program and the library agree */
static void simulations_keep_the_constraints(void **state) {
  (void)state;
  assert_int_equal(run("echo '{\"joints\": {\"crank\": [0.5, 6]}}' > s.json\n"
                       "jounce simulate fourbar --time 1 --state s.json --pad"),
                   1);
  assert_refused_with("the state does not satisfy the constraints: pin [0.16");
  assert_refused_with("--assemble");
  json_t *t = run_json("jounce simulate fourbar --time 1 --state s.json --assemble --samples 11");
  const json_t *summary = item(t, "summary", NULL);
  check_residual("simulate: closure", json_number_value(item(summary, "closure", NULL)), 1e-14);
  check_residual("simulate: energy", json_number_value(item(summary, "energy_drift", NULL)), 1e-11);
  json_t *s = json_object(), *all = json_object();
  static const char *const joints[] = {"crank", "coupler", "rocker"};
  json_object_set_new(s, "joints", all);
  for (int j = 0; j < 3; j++) {
    char rate[16];
    snprintf(rate, sizeof rate, "%s'", joints[j]);
    json_object_set_new(all, joints[j],
                        json_pack("[O, O]", cell(t, joints[j], 10), cell(t, rate, 10)));
  }
  save_json("end.json", s);
  /* the last row is a state of fd; the open tree moves otherwise */
  assert_clean(run("jounce fd fourbar --state end.json --pad"));
  json_decref(t), json_decref(s);
  t = run_json("jounce simulate fourbar --time 1 --state s.json --pad --open --samples 2");
  assert_true(json_is_null(item(item(t, "summary", NULL), "closure", NULL)));
  json_decref(t);
  /* feet on the ground: the momentum is not kept, and nothing is said of it */
  t = run_json("jounce simulate stewart --time 0.1 --samples 2 --scheme rkmk54 --tolerance 1e-10");
  assert_true(json_is_null(item(item(t, "summary", NULL), "momentum_drift", NULL)));
  json_decref(t);
  assert_clean(run("jounce simulate fourbar --time 1 --text --drift"));
  assert_non_null(strstr(output, "constraints satisfied to "));
}

/* A URDF four-bar with its pin in a file of its own is the native model. */
/* A parallelogram closes in two ways. In the one that is meant wrist = -motor and upper = motor, at every time; the guess
 * is the trajectory's own start, or --state. From home alone the crossed one is nearer here. */
static void joints_that_follow_start_where_they_are_said_to(void **state) {
  (void)state;
  put("lift.json",
      "{\"name\": \"lift\", \"bodies\": [\n"
      " {\"name\": \"stand\", \"joint\": {\"name\": \"base\", \"type\": \"fixed\"}},\n"
      " {\"name\": \"lower\", \"parent\": \"stand\", \"joint\": {\"name\": \"motor\", \"type\": "
      "\"revolute\", \"axis\": [0, -1, 0], \"point\": [0, 0, 0]}, \"mass\": 1.2},\n"
      " {\"name\": \"head\", \"parent\": \"lower\", \"joint\": {\"name\": \"wrist\", \"type\": "
      "\"revolute\", \"axis\": [0, -1, 0], \"point\": [0.4, 0, 0], \"passive\": true}, \"home\": "
      "{\"p\": "
      "[0.4, 0, 0]}, \"mass\": 3},\n"
      " {\"name\": \"rod\", \"parent\": \"stand\", \"joint\": {\"name\": \"upper\", \"type\": "
      "\"revolute\", \"axis\": [0, -1, 0], \"point\": [0, 0, 0.1], \"passive\": true}, \"home\": "
      "{\"p\": "
      "[0, 0, 0.1]}, \"mass\": 0.8}],\n"
      " \"constraints\": [{\"name\": \"pin\", \"type\": \"point\", \"a\": {\"link\": \"head\", "
      "\"p\": [0, "
      "0, 0.1]}, \"b\": {\"link\": \"rod\", \"p\": [0.4, 0, 0]}}]}\n");
  put("motor.json",
      "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"motor\": [-0.8, 0.8]}}\n");
  put("all.json",
      "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"motor\": [-0.8, 0.8], \"wrist\": "
      "[0.7, "
      "0], \"upper\": [-0.7, 0]}}\n");
  put("guess.json", "{\"joints\": {\"motor\": [-0.8], \"wrist\": [0.7], \"upper\": [-0.7]}}\n");
  static const struct {
    const char *options;
    int meant;
  } calls[] = {{"all.json", 1}, {"motor.json --state guess.json", 1}, {"motor.json", 0}};
  for (size_t i = 0; i < COUNT(calls); i++) {
    assert_clean(
        run("jounce traj lift.json %s --samples 21 --format csv | awk -F, '"
            "NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }\n"
            "{ a = $at[\"wrist\"] + $at[\"motor\"]; b = $at[\"upper\"] - $at[\"motor\"]\n"
            "  a = a < 0 ? -a : a; b = b < 0 ? -b : b; m = a > m ? a : m; m = b > m ? b : m }\n"
            "END { printf \"%%.3e\", m }'",
            calls[i].options));
    const double off = atof(output);
    check_residual(calls[i].options, calls[i].meant ? off : 1 / off, calls[i].meant ? 1e-13 : 1);
  }
}

static void constraints_beside_a_urdf(void **state) {
  (void)state;
  static const char urdf[] =
      "<robot name='fourbar'>\n"
      "<link name='ground'/>\n"
      "<link name='crank'><inertial><origin xyz='0 0 0.125'/><mass value='0.5'/><inertia ixx='0.1' "
      "iyy='0.2' izz='0.15' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
      "<link name='coupler'><inertial><mass value='1.2'/><inertia ixx='0.1' iyy='0.2' izz='0.15' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
      "<link name='rocker'><inertial><mass value='0.9'/><inertia ixx='0.1' iyy='0.2' izz='0.15' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
      "<joint name='one' type='continuous'><parent link='ground'/><child link='crank'/>"
      "<axis xyz='0 1 0'/></joint>\n"
      "<joint name='two' type='continuous'><parent link='crank'/><child link='coupler'/>"
      "<origin xyz='0 0 0.25'/><axis xyz='0 1 0'/></joint>\n"
      "<joint name='three' type='continuous'><parent link='ground'/><child link='rocker'/>"
      "<origin xyz='0.75 0 0'/><axis xyz='0 1 0'/></joint>\n"
      "</robot>\n";
  put("bar.urdf", urdf);
  put("pin.json",
      "{\"constraints\": [{\"name\": \"pin\", \"type\": \"point\",\n"
      "  \"a\": {\"link\": \"coupler\", \"p\": [0.625, 0, 0.25]},\n"
      "  \"b\": {\"link\": \"rocker\", \"p\": [-0.125, 0, 0.5]}}],\n"
      " \"passive\": [\"two\", \"three\"]}\n");
  json_t *t = run_json("jounce loops bar.urdf --with pin.json");
  assert_true(json_number_value(item(t, "mobility", NULL)) == 1);
  json_decref(t);
  assert_clean(run("jounce convert bar.urdf --with pin.json --output bar.json"));
  assert_clean(
      run("echo '{\"joints\": {\"one\": [0.4, 2, 1]}}' > s.json\n"
          "jounce id bar.urdf --with pin.json --state s.json --pad --assemble > a\n"
          "jounce id bar.json --state s.json --pad --assemble > b\n"
          "cmp a b && grep -q '\"two\": \\[0\\]' a"));
  /* what is wrong is said with the file and the line */
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"{\"constraints\": [\n{\"name\": \"pin\", \"type\": \"point\", \"a\": {\"link\": "
       "\"couple\"}, "
       "\"b\": {\"link\": \"rocker\"}}]}",
       "bad.json:2: constraint 'pin': the model has no link 'couple'"},
      {"{\"constraints\": [{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"four\": 1}}]}",
       "bad.json:1: constraint 'c': the model has no joint 'four'"},
      {"{\"constraints\": [{\"name\": \"c\", \"type\": \"coupling\", \"terms\": {\"thre\": 1}}]}",
       "the model has no joint 'thre'; did you mean 'three'?"},
      {"{\"constraints\": [{\"name\": \"pin\", \"type\": \"point\", \"a\": {\"link\": \"roker\"}, "
       "\"b\": {\"link\": \"rocker\"}}]}",
       "the model has no link 'roker'; did you mean 'rocker'?"},
      {"{\"passive\":\n [\"two\", \"four\"]}",
       "bad.json:2: passive[1]: the model has no joint 'four'"},
      {"{\"frames\": [\n{\"name\": \"f\", \"link\": \"croupler\"}]}",
       "bad.json:2: frame 'f': the model has no link 'croupler'; did you mean 'coupler'?"},
      {"{\"frames\": [\n{\"name\": \"rocker\", \"link\": \"crank\"}]}",
       "bad.json:2: frame 'rocker' has the name of a link"},
      {"{\"frames\": [{\"name\": \"f\", \"link\": \"crank\"},\n{\"name\": \"g\", \"link\": "
       "\"crank\"},\n{\"name\": \"f\", \"link\": \"rocker\"}]}",
       "bad.json:3: frame 'f' is defined twice (first in line 1): rename one"},
      {"{\"rotors\": [{\"name\": \"r\", \"link\": \"crank\", \"c_f\": 1, \"spin\": 1},\n{\"name\": "
       "\"r\", \"link\": \"crank\", \"c_f\": 1, \"spin\": 1}]}",
       "bad.json:2: rotor 'r' is defined twice (first in line 1): rename one"},
      {"{\"passiv\": []}", "passiv"},
      {"{\"constraints\": 3}", "bad.json:1: constraints: "},
      {"[]", "bad.json"}};
  for (size_t i = 0; i < COUNT(bad); i++) {
    put("bad.json", bad[i].text);
    assert_int_equal(run("jounce info bar.urdf --with bad.json"), 1);
    assert_refused_with(bad[i].words);
    assert_int_equal(output[0], '\0');
  }
  assert_int_equal(run("jounce info bar.urdf --with none.json"), 1);
  assert_refused_with("none.json");
}

/* Every kind of bad input: what is wrong, where, and how far it came; no output. */
static void bad_constraints_are_refused_with_the_reason(void **state) {
  (void)state;
  static const struct {
    const char *line, *words;
  } bad[] = {
      /* a link that is missing */
      {"sed 's/\"coupler\", \"p\"/\"cupler\", \"p\"/' four.json > x.json; jounce loops x.json",
       "unknown link 'cupler'"},
      /* a loop that cannot be assembled, and how far it came */
      {"echo '{\"joints\": {\"crank\": [0.5], \"rocker\": [2]}}' |"
       "jounce assemble fourbar --state - --driven crank,rocker",
       "was still off by "},
      /* constraints that contradict each other: the rocker cannot be held while the crank turns */
      {"echo '{\"joints\": {\"crank\": [0, 2]}}' |"
       "jounce assemble fourbar --state - --driven crank,rocker",
       "contradicts other constraints or driven joints"},
      /* more motors than degrees of freedom, whose motions disagree */
      {"echo '{\"joints\": {\"crank\": [0, 0, 1], \"coupler\": [0, 0, 0], \"rocker\": [0, 0, 0]}}' "
       "> s.json; jounce hybrid strong.json --state s.json",
       "contradicts other constraints or driven joints"},
      /* a passive joint that would need a motor */
      {"echo '{\"joints\": {\"crank\": [0, 0], \"coupler\": [0, 0], \"rocker\": [0, 0]}}' > s.json;"
       "jounce id weak.json --state s.json --pad",
       "is passive, but this motion needs a force of "}};
  assert_clean(
      run("jounce convert fourbar --output four.json\n"
          "sed 's/\"passive\": true/\"passive\": false/' four.json > strong.json\n"
          "python3 -c \"import json; m = json.load(open('four.json'));"
          "[b['joint'].update(passive=True) for b in m['bodies'] if b['joint']['type'] != "
          "'fixed']; json.dump(m, open('weak.json', 'w'))\""));
  for (size_t i = 0; i < COUNT(bad); i++) {
    assert_int_equal(run("%s", bad[i].line), 1);
    assert_refused_with(bad[i].words);
    assert_int_equal(output[0], '\0');
  }
}

/* check: the identities of constrained dynamics hold on mechanisms of every kind */
static void check_takes_constraints(void **state) {
  (void)state;
  assert_clean(run("jounce check fourbar --text && jounce check stewart"));
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    json_t *t = run_json("jounce check %s/%s/model.json --states 5", LOOPS, reference_names[i]);
    assert_int_equal(json_array_size(t), 8);
    for (size_t k = 0; k < 8; k++)
      assert_true(json_is_true(json_object_get(json_array_get(t, k), "holds")));
    json_decref(t);
  }
}

/* limits: the worst torque of the crank is the largest of the rows of traj, or between two of them;
 * slowed down by the scale that it finds, the same motion breaks nothing */
static void limits_are_those_of_the_closed_motion(void **state) {
  (void)state;
  json_t *t = run_json(
      "echo '{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 1],"
      "\"joints\": {\"crank\": [0, 3], \"coupler\": [0, 0], \"rocker\": [0, 0]}}'"
      " > turn.json\n"
      "jounce traj fourbar turn.json --order 0 --samples 1001");
  json_t *l = run_json(
      "jounce limits fourbar turn.json --effort 4 --velocity 1e3 > limits.json\n"
      "test $? = 3 || exit 1\ncat limits.json");
  double most = 0, worst = 0;
  for (size_t n = 0; n < 1001; n++)
    most = fmax(most, fabs(json_number_value(cell(t, "tau:crank", n))));
  const json_t *list = json_object_get(l, "limits");
  for (size_t n = 0; n < json_array_size(list); n++) {
    const json_t *p = json_array_get(list, n);
    if (strcmp(json_string_value(json_object_get(p, "quantity")), "effort")) continue;
    const double x = fabs(json_number_value(json_object_get(p, "worst")));
    if (!strcmp(json_string_value(json_object_get(p, "joint")), "crank"))
      worst = x;
    else
      assert_true(x == 0); /* passive */
  }
  assert_true(worst >= most && most > 4);
  check_residual("limits = traj", worst / most - 1, 1e-5);
  json_decref(t), json_decref(l);
  assert_int_equal(run("jounce limits fourbar turn.json --effort 4 --apply slow.json"), 3);
  assert_clean(run("jounce limits fourbar slow.json --effort 4 --report page.html --text"));
  assert_int_equal(run("jounce limits fourbar turn.json --effort 4 --driven crank,rocker"), 1);
  assert_int_equal(run("jounce limits arm6 turn.json --effort 4 --state turn.json"), 1);
  /* commands that do not keep constraints name the way out */
  assert_int_equal(run("jounce retime fourbar turn.json --effort 4"), 1);
  assert_refused_with("--open");
  assert_int_equal(run("jounce elastic fourbar turn.json --stiffness 100 --motor-inertia 1"), 1);
  assert_refused_with("limits");
}

/* linearise --time: A and B of minimal states along the motion are those at its states */
static void the_linear_system_along_a_motion(void **state) {
  (void)state;
  json_t *along = run_json(
      "echo '{\"joints\": {\"crank\": [0.5, 2]}}' > c.json\n"
      "jounce assemble fourbar --state c.json --order 0 > s.json\n"
      "jounce linearise fourbar --state s.json --pad --time 0.2 --samples 2 --step 0.01");
  json_t *there = run_json(
      "jounce simulate fourbar --state s.json --pad --time 0.1 --samples 2 --format csv "
      "2>/dev/null |"
      " awk -F, 'NR == 3 {printf \"{\\\"joints\\\": {\\\"crank\\\": [%%s, %%s],"
      "\\\"coupler\\\": [%%s, %%s], \\\"rocker\\\": [%%s, %%s]}}\", $2, $5, $3, $6, $4, $7}' > "
      "t.json\n"
      "jounce linearise fourbar --state t.json --pad --step 0.01");
  static const char *const keys[] = {"A",         "B",          "A_minimal", "B_minimal",
                                     "projector", "Ad_minimal", "Bd_minimal"};
  assert_int_equal(json_array_size(json_object_get(along, "A_minimal")), 3);
  for (size_t i = 0; i < COUNT(keys); i++) {
    residual same = {0};
    compare(&same, json_array_get(json_object_get(along, keys[i]), 1),
            json_object_get(there, keys[i]));
    check_residual("linearise --time = linearise there", judge(keys[i], &same, 1e-9), 1e-9);
  }
  json_decref(along), json_decref(there);
  assert_clean(
      run("echo '{\"run\": \"fd\", \"samples\": 20, \"vary\": {\"q:crank\":"
          "{\"uniform\": [0, 3]}}}' > job.json; rm -rf swept\n"
          "jounce sweep fourbar job.json --folder swept --text"));
  assert_non_null(strstr(output, "lambda:pin:0"));
  assert_int_equal(run("jounce sweep fourbar job.json --folder other --open"), 2);
}

/* A_minimal' of --order 1 is the slope of A_minimal of --time; every format has the matrices. */
static void rates_of_the_linear_system(void **state) {
  (void)state;
  static const char *const keys[] = {"A", "B", "projector", "A_minimal", "B_minimal"};
  assert_int_equal(run("echo '{\"joints\": {\"crank\": [0.5, 2]}, \"tau\": {\"crank\": [0.3]}}' > "
                       "s.json"),
                   0);
  json_t *rates = run_json("jounce linearise fourbar --state s.json --pad --assemble --order 2"),
         *along = run_json(
             "jounce linearise fourbar --state s.json --pad --assemble --time 0.002 --samples 2");
  for (int i = 0; i < 5; i++) {
    json_t *k = json_object_get(rates, keys[i]), *t = json_object_get(along, keys[i]);
    assert_int_equal(json_array_size(k), 3);
    /* three instants 1 ms apart: the slope at the first, -3/2, 2, -1/2 */
    for (size_t r = 0; r < json_array_size(json_array_get(k, 1)); r++)
      for (size_t c = 0; c < json_array_size(json_array_get(json_array_get(k, 1), r)); c++) {
        double x[3];
        for (size_t n = 0; n < 3; n++) x[n] = at(json_array_get(json_array_get(t, n), r), c);
        const double want = (-1.5 * x[0] + 2 * x[1] - 0.5 * x[2]) / 1e-3,
                     got = at(json_array_get(json_array_get(k, 1), r), c);
        check_residual("linearise --order against --time", fabs(got - want) / (1 + fabs(want)),
                       1e-3);
      }
  }
  json_decref(rates), json_decref(along);
  assert_clean(run("jounce linearise fourbar --state s.json --pad --assemble --order 1 --text"));
  assert_non_null(strstr(output, "A_minimal"));
  assert_clean(
      run("jounce linearise fourbar --state s.json --pad --assemble --order 1 --format csv"));
  assert_clean(
      run("jounce linearise fourbar --state s.json --pad --assemble --order 1 --output rates.npy"));
}

/* A pendulum whose pivot has the acceleration a along x hangs still at the angle atan(a/g), and the
 * force of the pivot is m (a, 0, g). --world in fd, id and simulate; --active none: free fall. */
static void the_world_moves_and_lets_go(void **state) {
  (void)state;
  assert_clean(run(
      "cat > pend.json <<'X'\n"
      "{\"name\": \"pend\", \"gravity\": [0, 0, -9.81], \"bodies\": [\n"
      "{\"name\": \"ground\", \"joint\": {\"name\": \"base\", \"type\": \"fixed\"}, \"mass\": 1,"
      "\"inertia\": [[1,0,0],[0,1,0],[0,0,1]]},\n"
      "{\"name\": \"a\", \"parent\": \"ground\", \"joint\": {\"name\": \"x\", \"type\": "
      "\"prismatic\","
      "\"axis\": [1,0,0]}, \"mass\": 0},\n"
      "{\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"name\": \"z\", \"type\": \"prismatic\","
      "\"axis\": [0,0,1]}, \"mass\": 0},\n"
      "{\"name\": \"bob\", \"parent\": \"b\", \"joint\": {\"name\": \"turn\", \"type\": "
      "\"revolute\","
      "\"axis\": [0,1,0], \"point\": [0,0,0]}, \"mass\": 1.3, \"com\": [0,0,-0.8],"
      "\"inertia\": [[0.21,0,0],[0,0.21,0],[0,0,0.21]]}],\n"
      "\"constraints\": [{\"name\": \"pivot\", \"type\": \"point\", \"a\": {\"link\": \"bob\"},"
      "\"b\": {\"link\": \"world\"}}]}\nX\n"
      "echo '{\"joints\": {\"x\": [0,0,3], \"z\": [0,0,0], \"turn\": [0.29677887308039663,0,0]}}' "
      "> "
      "s.json\n"
      "echo '{\"base\": {\"p\": [0,0,0], \"quat\": [1,0,0,0], \"representation\": \"hybrid\","
      "\"twist\": [[0,0,0,0,0,0],[0,0,0,3,0,0]]}}' > w.json\n"
      "echo '{\"base\": {\"kind\": \"polynomial\", \"start\": 0, \"end\": 1, \"coefficients\":"
      "[[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,1.5,0,0]]}}' > path.json"));
  static const char *const commands[] = {"fd", "id"};
  for (int i = 0; i < 2; i++) {
    json_t *r =
        run_json("jounce %s pend.json --pad --state s.json --world pivot=w.json", commands[i]);
    const json_t *f = json_array_get(item(r, "constraint_forces", "pivot"), 0);
    const double want[3] = {1.3 * 3, 0, 1.3 * 9.81};
    for (size_t c = 0; c < 3; c++)
      check_residual("force of a moving pivot",
                     fabs(json_number_value(json_array_get(f, c)) - want[c]), 1e-13);
    json_decref(r);
  }
  static const char *const schemes[] = {"taylor", "rkmk54", "variational --step 1e-3",
                                        "taylor --proximal 1e-9"};
  for (int i = 0; i < 4; i++) {
    json_t *r = run_json(
        "jounce simulate pend.json --state s.json --time 1 --world pivot=path.json --scheme %s "
        "--samples 5",
        schemes[i]);
    for (size_t n = 0; n < 5; n++) {
      const double t = n / 4.0;
      check_residual("simulation of a moving pivot: x",
                     fabs(json_number_value(cell(r, "x", n)) - 1.5 * t * t), 1e-14);
      check_residual("simulation of a moving pivot: angle",
                     fabs(json_number_value(cell(r, "turn", n)) - 0.29677887308039663),
                     i == 2 ? 1e-6 : 1e-8);
    }
    json_decref(r);
  }
  json_t *fall =
      run_json("jounce simulate pend.json --state s.json --time 1 --active none --samples 2");
  check_residual("free fall", fabs(json_number_value(cell(fall, "z", 1)) + 4.905), 1e-13);
  json_decref(fall);
  static const struct {
    const char *line, *words;
    int status;
  } bad[] = {
      {"fd pend.json --pad --state s.json --world foo=w.json", "there are 'pivot'", 1},
      {"fd pend.json --pad --state s.json --world pivot", "CONSTRAINT=FILE", 1},
      {"id pend.json --state s.json --active foo", "no constraint 'foo'", 1},
      {"loops fourbar --world pin=w.json", "none can be moved", 1},
      {"simulate pend.json --state s.json --time 1 --world pivot=w.json", "base.p", 1},
      {"simulate pend.json --state s.json --time 1 --world pivot=path.json --output path.json",
       "choose another name", 1},
      {"fd pend.json --pad --state s.json --proximal -1", "--proximal", 2},
      {"simulate pend.json --state s.json --time 1 --proximal 1 --scheme variational --step "
       "1e-3",
       "leave proximal out", 2}};
  for (size_t i = 0; i < COUNT(bad); i++) {
    const int status = run("jounce %s", bad[i].line);
    assert_int_equal(status, bad[i].status);
    assert_refused_with(bad[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_mechanisms_through_files),
      cmocka_unit_test(commands_without_constraints_refuse_them_by_name),
      cmocka_unit_test(states_off_the_manifold_are_refused_unless_assembled),
      cmocka_unit_test(hybrid_and_other_formats),
      cmocka_unit_test(partials_of_a_loop),
      cmocka_unit_test(the_linear_system_of_a_loop),
      cmocka_unit_test(trajectories_drive_the_actuated_joints),
      cmocka_unit_test(limits_are_those_of_the_closed_motion),
      cmocka_unit_test(the_world_moves_and_lets_go),
      cmocka_unit_test(the_linear_system_along_a_motion),
      cmocka_unit_test(rates_of_the_linear_system),
      cmocka_unit_test(simulations_keep_the_constraints),
      cmocka_unit_test(check_takes_constraints),
      cmocka_unit_test(joints_that_follow_start_where_they_are_said_to),
      cmocka_unit_test(constraints_beside_a_urdf),
      cmocka_unit_test(bad_constraints_are_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
