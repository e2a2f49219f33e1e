/* test_cli_ik.c: jounce ik and traj --tool: forward kinematics back, a straight line in closed form,
 * what is refused. */
#include "helpers/check.h"

#include <math.h>
#include <string.h>

#include "helpers/files.h"
#include "helpers/program.h"

static void assert_refused_with(const char *words) {
  if (!strstr(errors, words)) fail_msg("'%s' lacks '%s'", errors, words);
}

/* The state that ik writes is one of id and fk, and has the pose and the twist. */
static void forward_kinematics_gives_the_target_back(void **state) {
  (void)state;
  json_t *t = run_json(
      "jounce ik arm6 --link link6 --pose 0.4,0.2,0.5,0.6,0,0.8,0 --twist 0.1,0.2,0.3,0.4,0.5,0.6 "
      "--order 1 > s.json\n"
      "jounce fk arm6 --state s.json --order 1 --representation hybrid");
  const json_t *tool = item(t, "links", "link6");
  static const double p[3] = {0.4, 0.2, 0.5}, w[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  for (size_t i = 0; i < 3; i++)
    check_residual("position", fabs(at(item(tool, "p", NULL), i) - p[i]), 1e-14);
  /* R of the quaternion 0.6 + 0.8 j */
  const json_t *R = item(tool, "R", NULL);
  check_residual("orientation", fabs(at(json_array_get(R, 0), 0) + 0.28), 1e-14);
  check_residual("orientation", fabs(at(json_array_get(R, 0), 2) - 0.96), 1e-14);
  for (size_t i = 0; i < 6; i++) {
    const json_t *twist = item(tool, "twist", NULL);
    check_residual("twist", fabs(at(json_array_get(twist, 0), i) - w[i]), 1e-13);
    check_residual("its derivative", fabs(at(json_array_get(twist, 1), i)), 1e-13);
  }
  json_decref(t);
  assert_clean(run("jounce id arm6 --state s.json --order 1"));
  t = run_json("cat s.json");
  assert_int_equal(json_array_size(item(t, "null_space", NULL)), 0);
  json_decref(t);
  t = run_json("jounce ik arm6 --link link6 --pose 0.4,0.2,0.5");
  assert_int_equal(json_array_size(item(t, "null_space", NULL)), 3);
  json_decref(t);
  /* with all derivatives from a file: those of the state found before */
  assert_clean(
      run("echo '{\"base\": {\"p\": [0.4, 0.2, 0.5], \"quat\": [0.6, 0, 0.8, 0], "
          "\"representation\": \"hybrid\", \"twist\": [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]}}' "
          "> t.json\n"
          "jounce ik arm6 --link link6 --target t.json --order 1 > u.json; cmp s.json u.json"));
  assert_clean(run("jounce ik arm6 --link link6 --pose 0.4,0.2,0.5 --text"));
  assert_non_null(strstr(output, "null space: 3 motions"));
  /* without an orientation the file is followed in position, as --pose X,Y,Z is */
  assert_clean(
      run("echo '{\"base\": {\"p\": [0.4, 0.2, 0.5]}}' > p.json\n"
          "jounce ik arm6 --link link6 --target p.json --text"));
  assert_non_null(strstr(output, "null space: 3 motions"));
  assert_int_equal(run("jounce ik arm6 --link link6 --target p.json --follow axis"), 2);
  assert_non_null(strstr(errors, "needs an orientation: give \"quat\" or \"R\" in p.json"));
  assert_int_equal(run("jounce ik arm6 --link link6 --target t.json --representation hybrid"), 2);
  assert_non_null(strstr(errors, "--representation is that of --twist"));
  /* a floating robot: its base stays */
  t = run_json("jounce ik humanoid --link left_hand --pose 0.2,0.22,1");
  assert_true(at(item(t, "base", "p"), 0) == 0 && at(item(t, "base", "p"), 2) == 0.95);
  json_decref(t);
}

/* the value of a named column of a table {"columns", "rows"} */
static double cell(const json_t *t, const char *name, size_t row) {
  const json_t *names = item(t, "columns", NULL);
  for (size_t i = 0; i < json_array_size(names); i++)
    if (!strcmp(json_string_value(json_array_get(names, i)), name))
      return at(json_array_get(item(t, "rows", NULL), row), i);
  fail_msg("no column '%s'", name);
  return 0;
}

/* A straight line with the least jerk: x = a + (b - a) (10 s^3 - 15 s^4 + 6 s^5). The forces are those
 * of id at the same state. */
static void a_tool_follows_a_straight_line(void **state) {
  (void)state;
  static const char *const ends[] = {"", "'", "''", "^(3)"};
  put("line.json",
      "{\"kind\": \"minimum\", \"derivative\": 3, \"times\": [0, 2], \"base\": {\"values\":\n"
      "[[0.6, 0, 0.8, 0, 0.4, 0.2, 0.5], [0.6, 0, 0.8, 0, 0.3, 0.35, 0.6]]}}");
  json_t *t = run_json("jounce traj arm6 line.json --tool tool --link tool --order 1 --samples 9");
  const double a[3] = {0.4, 0.2, 0.5}, b[3] = {0.3, 0.35, 0.6};
  for (size_t row = 0; row < 9; row++) {
    const double s = (double)row / 8,
                 f[4] = {s * s * s * (10 - s * (15 - 6 * s)), 30 * s * s * (1 - s) * (1 - s) / 2,
                         60 * s * (1 - s * (3 - 2 * s)) / 4, 60 * (1 - 6 * s * (1 - s)) / 8};
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3; c++) {
        char name[16];
        /* derivative k of the position: s = t/2 */
        snprintf(name, sizeof name, "tool:%c%s", 'x' + c, ends[k]);
        if (k < 3)
          check_residual("straight line",
                         fabs(cell(t, name, row) - (k ? 0 : a[c]) - (b[c] - a[c]) * f[k]), 1e-12);
      }
  }
  json_t *s = json_object(), *all = json_object();
  json_object_set_new(s, "joints", all);
  for (int j = 1; j <= 6; j++) {
    json_t *list = json_array();
    char name[32], joint[8];
    snprintf(joint, sizeof joint, "joint%d", j);
    for (int k = 0; k <= 3; k++) {
      snprintf(name, sizeof name, "%s%s", joint, ends[k]);
      json_array_append_new(list, json_real(cell(t, name, 5)));
    }
    json_object_set_new(all, joint, list);
  }
  save_json("row.json", s);
  json_t *id = run_json("jounce id arm6 --order 1 --state row.json");
  check_residual("tau of traj --tool",
                 fabs(cell(t, "tau:joint2'", 5) - at(item(id, "tau", "joint2"), 1)), 1e-12);
  json_decref(t), json_decref(s), json_decref(id);
}

/* The joint rates are derivatives of the joint positions: differences of many rows. */
static void joint_rates_are_derivatives_of_the_positions(void **state) {
  (void)state;
  json_t *t = run_json("jounce traj arm6 line.json --tool tool --order 1 --samples 2001");
  for (int j = 1; j <= 6; j++) {
    char q[16], v[16], a[16];
    snprintf(q, sizeof q, "joint%d", j);
    snprintf(v, sizeof v, "joint%d'", j);
    snprintf(a, sizeof a, "joint%d''", j);
    const double h = 1e-3;
    check_residual("rates", fabs((cell(t, q, 701) - cell(t, q, 699)) / (2 * h) - cell(t, v, 700)),
                   1e-5);
    check_residual("accelerations",
                   fabs((cell(t, v, 701) - cell(t, v, 699)) / (2 * h) - cell(t, a, 700)), 1e-5);
  }
  json_decref(t);
}

/* Slides along x and y carry a bar of length L that turns by u, and a hand that turns at its end. The
 * hand moves with the velocity V along x and does not turn. Velocities of least norm:
 *   u' = -c sin(u), c = L V/(L^2 + 2), thus tan(u/2) = tan(u_0/2) exp(-c t) */
static void a_redundant_arm_moves_with_velocities_of_least_norm(void **state) {
  (void)state;
  const double L = 0.8, V = 0.9, c = L * V / (L * L + 2), u0 = 1.1;
  put("spare.json",
      "{\"name\": \"spare\", \"bodies\": [\n"
      "{\"name\": \"ground\", \"joint\": {\"name\": \"base\", \"type\": \"fixed\"}, \"mass\": 1},\n"
      "{\"name\": \"a\", \"parent\": \"ground\", \"mass\": 1, \"joint\": {\"name\": \"x\", "
      "\"type\":"
      "\"prismatic\", \"axis\": [1,0,0]}},\n"
      "{\"name\": \"b\", \"parent\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"y\", \"type\":"
      "\"prismatic\", \"axis\": [0,1,0]}},\n"
      "{\"name\": \"bar\", \"parent\": \"b\", \"mass\": 1, \"joint\": {\"name\": \"u\", \"type\":"
      "\"revolute\", \"axis\": [0,0,1], \"point\": [0,0,0]}, \"inertia\":"
      "[[0.1,0,0],[0,0.1,0],[0,0,0.1]]},\n"
      "{\"name\": \"hand\", \"parent\": \"bar\", \"mass\": 1, \"joint\": {\"name\": \"w\", "
      "\"type\":"
      "\"revolute\", \"axis\": [0,0,1], \"point\": [0.8,0,0]}, \"home\": {\"R\":"
      "[[1,0,0],[0,1,0],[0,0,1]], \"p\": [0.8,0,0]}, \"inertia\":"
      "[[0.1,0,0],[0,0.1,0],[0,0,0.1]]}]}");
  put("along.json",
      "{\"base\": {\"kind\": \"polynomial\", \"start\": 0, \"end\": 2, \"coefficients\":"
      "[[0,0,0,0.3,0.2,0],[0,0,0,0.9,0,0]]}}");
  put("spare_state.json",
      "{\"joints\": {\"x\": [-0.062877, 0], \"y\": [-0.512966, 0], "
      "\"u\": [1.1, 0], \"w\": [-1.1, 0]}}");
  json_t *t = run_json(
      "jounce traj spare.json along.json --tool hand --state spare_state.json --order 2 --samples "
      "9");
  assert_int_equal(json_integer_value(item(t, "spare", NULL)), 1);
  /* the first row is the configuration nearest to the given one */
  const double first = cell(t, "u", 0);
  check_residual("starts at the state", fabs(first - u0), 1e-6);
  for (size_t n = 0; n < 9; n++) {
    const double time = 0.25 * (double)n, u = 2 * atan(tan(first / 2) * exp(-c * time)),
                 d1 = -c * sin(u), d2 = -c * cos(u) * d1,
                 d3 = -c * (cos(u) * d2 - sin(u) * d1 * d1);
    static const char *const names[4] = {"u", "u'", "u''", "u^(3)"};
    const double want[4] = {u, d1, d2, d3};
    for (int k = 0; k < 4; k++)
      check_residual("least-norm motion in closed form", fabs(cell(t, names[k], n) - want[k]),
                     1e-12);
    check_residual("the hand is on its path",
                   fabs(cell(t, "x", n) + L * cos(cell(t, "u", n)) - 0.3 - V * time), 1e-14);
  }
  json_decref(t);
  assert_clean(
      run("jounce traj spare.json along.json --tool hand --state spare_state.json --text"));
  assert_non_null(strstr(output, "1 degree of freedom left"));
  /* held: determined as before */
  t = run_json(
      "jounce traj spare.json along.json --tool hand --state spare_state.json --driven u --samples "
      "3");
  check_residual("held joint", fabs(cell(t, "u", 2) - u0), 1e-14);
  json_decref(t);
}

static void what_cannot_be_reached_is_refused(void **state) {
  (void)state;
  static const struct {
    int code;
    const char *line, *words;
  } bad[] = {{2, "ik arm6 --pose 1,2,3", "--link NAME is missing"},
             {2, "ik arm6 --link tool", "give --pose"},
             {2, "ik arm6 --link tool --pose 1,2", "3 or 7 numbers"},
             {2, "ik arm6 --link tool --pose 1,2,nan", "3 or 7 numbers"},
             {2, "ik arm6 --link tool --pose 1,2,3,2,0,0,0", "the quaternion has length 2"},
             {2, "ik arm6 --link tool --pose 1,2,3 --follow pose", "needs an orientation"},
             {2, "ik arm6 --link tool --pose 1,2,3 --twist 1", "6 numbers"},
             {1, "ik arm6 --link tol --pose 1,2,3", "did you mean 'tool'?"},
             {1, "ik arm6 --link base --pose 1,2,3", "no joint moves 'base'"},
             {1, "ik arm6 --link tool --pose 9,0,0",
              "does not reach its target: its position x was still off by -"},
             {1, "ik double_pendulum --link link2 --pose 0,0,-0.5 --twist 0,0,0,0,1,0",
              "the joints cannot give 'link2' this motion"},
             {1, "traj arm6 far.json --tool tool", "the pose at t = "},
             {1, "traj shoulder.json hand.json --tool hand", "hold joints where they are"},
             {2, "traj arm6 far.json --state s.json", "--state needs --tool or constraints"},
             {1, "traj arm6 joints.json --tool tool", "joint1"}};
  put("far.json",
      "{\"kind\": \"minimum\", \"derivative\": 3, \"times\": [0, 2], \"base\": {\"values\":\n"
      "[[0.6, 0, 0.8, 0, 0.4, 0.2, 0.5], [0.6, 0, 0.8, 0, 9, 0.35, 0.6]]}}");
  put("hand.json",
      "{\"kind\": \"minimum\", \"derivative\": 3, \"times\": [0, 2], \"base\": {\"values\":\n"
      "[[1, 0, 0, 0, 0.2, 0.22, 1], [1, 0, 0, 0, 0.3, 0.22, 1]]}}");
  /* a shoulder with a spherical joint and an elbow, on a slide: 7 numbers and more than enough */
  put("shoulder.json",
      "{\"name\": \"shoulder\", \"bodies\": [\n"
      "{\"name\": \"ground\", \"joint\": {\"name\": \"base\", \"type\": \"fixed\"}, \"mass\": 1},\n"
      "{\"name\": \"a\", \"parent\": \"ground\", \"mass\": 1, \"joint\": {\"name\": \"x\", "
      "\"type\":"
      "\"prismatic\", \"axis\": [1,0,0]}},\n"
      "{\"name\": \"b\", \"parent\": \"a\", \"mass\": 1, \"joint\": {\"name\": \"y\", \"type\":"
      "\"prismatic\", \"axis\": [0,1,0]}},\n"
      "{\"name\": \"c\", \"parent\": \"b\", \"mass\": 1, \"joint\": {\"name\": \"z\", \"type\":"
      "\"prismatic\", \"axis\": [0,0,1]}},\n"
      "{\"name\": \"d\", \"parent\": \"c\", \"mass\": 1, \"joint\": {\"name\": \"s\", \"type\":"
      "\"spherical\", \"point\": [0,0,0]}},\n"
      "{\"name\": \"hand\", \"parent\": \"d\", \"mass\": 1, \"joint\": {\"name\": \"r\", \"type\":"
      "\"revolute\", \"axis\": [0,0,1], \"point\": [0,0,0]}}]}");
  put("joints.json", "{\"kind\": \"hold\", \"joints\": {\"joint1\": 1}}");
  for (size_t i = 0; i < COUNT(bad); i++) {
    const int code = run("jounce %s", bad[i].line);
    if (code != bad[i].code) print_error("%s: %s\n", bad[i].line, errors);
    assert_int_equal(code, bad[i].code);
    assert_refused_with(bad[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_kinematics_gives_the_target_back),
      cmocka_unit_test(a_tool_follows_a_straight_line),
      cmocka_unit_test(joint_rates_are_derivatives_of_the_positions),
      cmocka_unit_test(a_redundant_arm_moves_with_velocities_of_least_norm),
      cmocka_unit_test(what_cannot_be_reached_is_refused),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
