/* test_cli_parameters.c: eom --christoffel, partials --regressor and --geometry. */
#include "helpers/check.h"

#include <math.h>
#include <string.h>

#include "helpers/program.h"

#define STATE \
  "echo '{\"joints\": {\"joint1\": [0.5, 1, -2, 0.3], \"joint2\": [0.2, -1, 1, 0.7]}}' > s.json\n"

/* tau^(k) = Y^(k) pi */
static void the_regressor_times_its_values_is_the_force(void **state) {
  (void)state;
  json_t *Y =
      run_json(STATE "jounce partials double_pendulum --regressor --order 1 --state s.json");
  json_t *id = run_json("jounce id double_pendulum --order 1 --state s.json");
  const json_t *pi = item(Y, "values", NULL), *rows = item(Y, "regressor", NULL);
  assert_int_equal(json_array_size(pi), 20);
  assert_string_equal(json_string_value(json_array_get(item(Y, "parameters", NULL), 11)),
                      "link2:hx");
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < 2; i++) {
      double sum = 0, want = at(item(id, "tau", i ? "joint2" : "joint1"), k);
      for (size_t c = 0; c < 20; c++)
        sum += at(json_array_get(json_array_get(rows, k), i), c) * at(pi, c);
      check_residual("Y pi = tau", fabs(sum - want) / (1 + fabs(want)), 1e-13);
    }
  json_decref(Y), json_decref(id);
}

/* Against differences: the second joint moved along x of its frame by h. */
static void geometry_is_the_derivative_by_a_placement(void **state) {
  (void)state;
  json_t *got = run_json(STATE "jounce partials double_pendulum --geometry --state s.json");
  json_t *model = run_json("jounce convert double_pendulum --output m.json && cat m.json");
  double tau[2][2];
  const double h = 1e-4;
  for (int side = 0; side < 2; side++) {
    /* link2 and its joint are displaced by +-h along x at home */
    json_t *copy = json_deep_copy(model);
    json_t *second = json_array_get(item(copy, "bodies", NULL), 1);
    json_t *p = item(second, "home", "p"), *point = item(second, "joint", "point");
    const double d = side ? h : -h;
    json_array_set_new(p, 0, json_real(at(p, 0) + d));
    json_array_set_new(point, 0, json_real(at(point, 0) + d));
    save_json("moved.json", copy);
    json_t *id = run_json("jounce id moved.json --state s.json");
    for (int i = 0; i < 2; i++) tau[side][i] = at(item(id, "tau", i ? "joint2" : "joint1"), 0);
    json_decref(id), json_decref(copy);
  }
  /* the frames of the links are parallel to the world at home: vx of joint2 is column 9 */
  const json_t *rows = json_array_get(item(got, "dtau_dplacement", NULL), 0);
  assert_string_equal(json_string_value(json_array_get(item(got, "parameters", NULL), 9)),
                      "joint2:vx");
  for (size_t i = 0; i < 2; i++) {
    const double want = (tau[1][i] - tau[0][i]) / (2 * h);
    check_residual("by differences", fabs(at(json_array_get(rows, i), 9) - want), 1e-9);
  }
  json_decref(got), json_decref(model);
}

/* sum of Gamma_ijk v_j v_k = (C v)_i = h - g */
static void christoffel_symbols_give_the_velocity_forces(void **state) {
  (void)state;
  json_t *eom = run_json(STATE "jounce eom double_pendulum --christoffel --state s.json");
  const double v[2] = {1, -1};
  for (size_t i = 0; i < 2; i++) {
    double sum = 0;
    for (size_t n = 0; n < 4; n++)
      sum += at(json_array_get(json_array_get(item(eom, "christoffel", NULL), i), n / 2), n % 2) *
             v[n / 2] * v[n % 2];
    check_residual("Gamma v v = h - g",
                   fabs(sum - at(item(eom, "h", NULL), i) + at(item(eom, "g", NULL), i)), 1e-13);
  }
  json_decref(eom);
  json_t *flying = run_json("jounce eom tilthex --christoffel");
  assert_int_equal(json_array_size(item(flying, "christoffel", NULL)), 12);
  json_decref(flying);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  assert_int_equal(run("jounce partials arm6 --geometry --layout mujoco"), 2);
  assert_int_equal(run("jounce eom arm6 --christoffel --layout mujoco"), 2);
  assert_clean(run("jounce partials arm6 --geometry --format csv"));
  assert_non_null(strstr(output, "dtau_dplacement,0,"));
  assert_clean(run("jounce partials pendulum --regressor --text"));
  assert_non_null(strstr(output, "link1:m"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_regressor_times_its_values_is_the_force),
      cmocka_unit_test(geometry_is_the_derivative_by_a_placement),
      cmocka_unit_test(christoffel_symbols_give_the_velocity_forces),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
