/* test_cli_partials.c: partials --link, --hybrid, --forward --regressor: against differences of what
 * fk, id and hybrid write, and against jacobian and eom. */
#include "helpers/check.h"

#include <math.h>
#include <string.h>

#include "helpers/program.h"

#define H 1e-5
/* the state, q of joint1 moved by h */
#define STATE                                                                                \
  "echo '{\"joints\": {\"joint1\": [%.17g, 1, -2, 0.3], \"joint2\": [0.2, -1, 1, 0.7]}}' > " \
  "s.json\n"

/* x[a][b]... of nested lists */
static const json_t *in(const json_t *x, size_t a) {
  x = json_array_get(x, a);
  assert_non_null(x);
  return x;
}

/* Six numbers that fk or id writes at q1 + h: what 0: twist of link2, 1: its rate, 2: reaction */
static void six_at(int what, double h, double *out) {
  json_t *got = what == 2 ? run_json(STATE
                                     "jounce id double_pendulum --reactions hybrid --state "
                                     "s.json",
                                     0.5 + h)
                          : run_json(STATE
                                     "jounce fk double_pendulum --link link2 --order 1 "
                                     "--representation hybrid --state s.json",
                                     0.5 + h);
  const json_t *rows = what == 2
                           ? item(item(got, "reactions", NULL), "joint2", NULL)
                           : item(item(item(got, "links", NULL), "link2", NULL), "twist", NULL);
  for (size_t i = 0; i < 6; i++) out[i] = at(in(rows, what == 1), i);
  json_decref(got);
}

/* Column 0 of d x / d q, x = what, against differences. */
static void check_column(const char *name, const json_t *matrix, int what) {
  double more[6], less[6];
  six_at(what, H, more), six_at(what, -H, less);
  for (size_t i = 0; i < 6; i++)
    check_residual(name, fabs(at(in(matrix, i), 0) - (more[i] - less[i]) / (2 * H)), 1e-8);
}

static void partials_of_a_link_are_differences(void **state) {
  (void)state;
  json_t *got = run_json(STATE
                         "jounce partials double_pendulum --link link2 --order 1 "
                         "--representation hybrid --state s.json",
                         0.5);
  json_t *J = run_json(
      "jounce jacobian double_pendulum --link link2 --representation hybrid "
      "--state s.json");
  const json_t *dq = item(got, "dtwist_dq", NULL), *dv = item(got, "dtwist_dv", NULL);
  assert_string_equal(json_string_value(item(got, "link", NULL)), "link2");
  check_column("d V / d q", in(dq, 0), 0);
  check_column("d V' / d q", in(dq, 1), 1);
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < 6; i++)
      for (size_t c = 0; c < 2; c++)
        check_residual(
            "d V^(k) / d v^(k) = J",
            fabs(at(in(in(in(dv, k), k), i), c) - at(in(in(item(J, "jacobian", NULL), 0), i), c)),
            1e-14);
  json_decref(got), json_decref(J);
  got = run_json(STATE
                 "jounce partials double_pendulum --link link2 --of reaction "
                 "--representation hybrid --state s.json",
                 0.5);
  assert_int_equal(json_array_size(in(item(got, "dreaction_dv", NULL), 0)), 2);
  check_column("d W / d q", in(item(got, "dreaction_dq", NULL), 0), 2);
  json_decref(got);
  static const char *const of[] = {"momentum", "force", "subtree-momentum", "subtree-force"};
  for (size_t i = 0; i < COUNT(of); i++) {
    assert_clean(run("jounce partials tilthex --link B4 --of %s --format csv", of[i]));
    assert_non_null(strstr(output, i % 2 ? "dforce_dv,0,1,fz," : "dmomentum_dq,0,0,nx,"));
  }
}

/* The placement of joint1 along its axis is q1. */
static void geometry_along_an_axis_is_motion(void **state) {
  (void)state;
  json_t *got = run_json(STATE
                         "jounce partials double_pendulum --link link2 --geometry --order 1 "
                         "--state s.json",
                         0.5);
  json_t *want = run_json("jounce partials double_pendulum --link link2 --order 1 --state s.json");
  assert_string_equal(json_string_value(json_array_get(item(got, "parameters", NULL), 1)),
                      "joint1:wy");
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < 6; i++) {
      const double x = at(in(in(item(got, "dtwist_dplacement", NULL), k), i), 1);
      check_residual("by placement = by q",
                     fabs(x - at(in(in(item(want, "dtwist_dq", NULL), k), i), 0)), 1e-14);
      /* V = J v, at order 0 */
      double sum = 0;
      for (size_t c = 0; c < 2; c++)
        sum +=
            at(in(in(in(item(got, "djacobian_dplacement", NULL), 0), i), c), 1) * (c ? -1.0 : 1.0);
      if (!k) check_residual("dJ v = dV", fabs(sum - x), 1e-14);
    }
  assert_int_equal(json_array_size(item(got, "dpose_dplacement", NULL)), 6);
  json_decref(got), json_decref(want);
}

#define GIVEN                                                                                    \
  "echo '{\"joints\": {\"joint1\": [%.17g, 1], \"joint2\": [0.2, 0, 3]}, \"tau\": {\"joint1\": " \
  "[2]}}' > h.json\n"

static void partials_of_hybrid_dynamics_are_differences(void **state) {
  (void)state;
  double y[2][2];
  json_t *got = run_json(GIVEN "jounce partials double_pendulum --hybrid --state h.json", 0.5);
  assert_string_equal(json_string_value(json_array_get(item(got, "given", NULL), 0)), "force");
  assert_string_equal(json_string_value(json_array_get(item(got, "given", NULL), 1)), "motion");
  for (int side = 0; side < 2; side++) {
    json_t *x =
        run_json(GIVEN "jounce hybrid double_pendulum --state h.json", 0.5 + (side ? H : -H));
    y[side][0] = at(item(item(x, "joints", NULL), "joint1", NULL), 0);
    y[side][1] = at(item(item(x, "tau", NULL), "joint2", NULL), 0);
    json_decref(x);
  }
  for (size_t i = 0; i < 2; i++)
    check_residual(
        "d y / d q",
        fabs(at(in(in(item(got, "dy_dq", NULL), 0), i), 0) - (y[1][i] - y[0][i]) / (2 * H)), 1e-7);
  json_decref(got);
}

/* M d v' / d pi = -Y at the acceleration of forward dynamics */
static void accelerations_by_parameters_solve_the_regressor(void **state) {
  (void)state;
  run(STATE, 0.5);
  json_t *got = run_json(
      "echo '{\"joints\": {\"joint1\": [0.5, 1], \"joint2\": [0.2, -1]}, \"tau\": {\"joint1\": "
      "[2], "
      "\"joint2\": [1]}}' > f.json\njounce partials double_pendulum --forward --regressor --state "
      "f.json");
  json_t *fd = run_json("jounce fd double_pendulum --state f.json");
  json_t *Y = run_json(
      "echo '{\"joints\": {\"joint1\": [0.5, 1, %.17g], \"joint2\": [0.2, -1, %.17g]}}' > a.json\n"
      "jounce partials double_pendulum --regressor --state a.json",
      at(item(item(fd, "joints", NULL), "joint1", NULL), 0),
      at(item(item(fd, "joints", NULL), "joint2", NULL), 0));
  json_t *eom = run_json("jounce eom double_pendulum --state f.json");
  for (size_t i = 0; i < 2; i++)
    for (size_t p = 0; p < 20; p++) {
      double sum = at(in(in(item(Y, "regressor", NULL), 0), i), p);
      for (size_t c = 0; c < 2; c++)
        sum += at(in(item(eom, "M", NULL), i), c) *
               at(in(in(item(got, "dacc_dparameters", NULL), 0), c), p);
      check_residual("M da + Y", fabs(sum), 1e-12);
    }
  json_decref(got), json_decref(fd), json_decref(Y), json_decref(eom);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *line, *says;
  } cases[] = {
      {"arm6 --link link6 --forward", "leave out --forward"},
      {"arm6 --of twist", "--link NAME"},
      {"arm6 --representation body", "--link NAME"},
      {"arm6 --link link6 --regressor", "leave out --regressor"},
      {"arm6 --link link6 --geometry --of twist", "leave out --of"},
      {"arm6 --link link6 --layout mujoco", "leave it out"},
      {"arm6 --hybrid", "needs --state"},
      {"arm6 --hybrid --geometry --state s.json", "leave out --hybrid"},
      {"arm6 --geometry --forward", "leave out --forward"},
      {"fourbar --link crank", "--open"},
      {"fourbar --hybrid --state s.json", "--open"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_int_equal(run("jounce partials %s", cases[i].line), 2);
    assert_non_null(strstr(errors, cases[i].says));
  }
  assert_int_equal(run("jounce partials arm6 --link nobody"), 1);
  assert_non_null(strstr(errors, "no link or frame"));
  assert_clean(run("jounce partials fourbar --open --link crank --text"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(partials_of_a_link_are_differences),
      cmocka_unit_test(geometry_along_an_axis_is_motion),
      cmocka_unit_test(partials_of_hybrid_dynamics_are_differences),
      cmocka_unit_test(accelerations_by_parameters_solve_the_regressor),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
