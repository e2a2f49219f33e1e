/* test_demo.c: `jounce demo` runs, passes its own check, writes a page that needs no network, and
 * tables with the reference's numbers. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/files.h"
#include "helpers/program.h"
#include "helpers/worse.h"

enum { ORDERS = 6, FORCES = 12, CURVES = 10, COLUMNS = 1 + 8 * CURVES };

static char *written(const char *name) { return slurp(temporary(name), NULL); }

static void assert_says(const char *text, const char *words) {
  if (!strstr(text, words)) fail_msg("'%s' is not in\n%.2000s", words, text);
}

static void the_quick_study_passes_and_prints_tables(void **state) {
  (void)state;
  assert_clean(run("jounce demo --quick"));
  assert_says(output, "passed");
  assert_says(output, "exponent of r+1");
  assert_says(output, "(figure 4(c))");
  assert_says(output, "page: jounce-demo/index.html");
  /* columns of both algorithms, in groups */
  const char *table = strstr(output, "Time per call, 7 bodies, microseconds\n");
  assert_non_null(table);
  table = strchr(table, '\n') + 1;
  const char *heads = strchr(table, '\n'), *inverse = strstr(table, "- inverse dynamics -"),
             *forward = strstr(table, "- forward dynamics -");
  assert_true(inverse && forward && inverse < forward && forward < heads);
}

static void the_page_loads_nothing_from_elsewhere(void **state) {
  (void)state;
  static const char *const loads[] = {"src=\"http", "href=\"http", "url(http", "@import",
                                      "<script",    "<link",       "src=\"//", "href=\"//"};
  char *page = written("jounce-demo/index.html");
  assert_non_null(strstr(page, "</html>"));
  assert_null(strstr(page, "{{"));
  for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
    if (strstr(page, loads[i])) fail_msg("the page contains %s", loads[i]);
  }
  static const char *const files[] = {"motion", "forces",    "forward",
                                      "cost",   "roundtrip", "exponents"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s.csv", files[i]);
    assert_non_null(strstr(page, name));
    snprintf(name, sizeof name, "jounce-demo/data/%s.csv", files[i]);
    free(written(name));
  }
  if (strstr(page, "<svg")) {
    static const char *const drawn[] = {"motion.svg", "motion.gp", "forces.png",
                                        "cost.svg",   "cost.png",  "cost.gp"};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
      char name[64];
      snprintf(name, sizeof name, "jounce-demo/figures/%s", drawn[i]);
      free(written(name));
    }
  } else {
    assert_non_null(strstr(page, "No figures"));
  }
  free(page);
}

/* Reads the row at time t of a table. Returns the number of values. */
static int line_at(const char *name, double t, double *out) {
  char *text = written(name), *line = strchr(text, '\n');
  int found = 0;
  for (; line && !found; line = strchr(line, '\n')) {
    char *at = ++line;
    if (!*at || fabs(strtod(at, NULL) - t) > 1e-9) continue;
    while (*at && *at != '\n' && found < COLUMNS) {
      out[found++] = strtod(at, &at);
      at += *at == ',';
    }
  }
  free(text);
  return found;
}

static json_t *load(const char *name, const char *file) {
  char path[2048];
  json_error_t error;
  snprintf(path, sizeof path, "%s/vectors/%s/%s", TEST_SHARED, name, file);
  return json_load_file(path, 0, &error);
}

/* Largest difference, relative to the largest value of y. */
static double distance(int n, const double *x, const double *y) {
  const double d = largest_difference(x, y, (size_t)n), size = largest(y, (size_t)n);
  return size > 0 ? d / size : d;
}

/* joint1 ... joint6 of a list of derivatives, row k */
static void joints_of(const json_t *joints, int k, double *out) {
  for (int j = 0; j < 6; j++) {
    char name[16];
    snprintf(name, sizeof name, "joint%d", j + 1);
    out[j] = json_number_value(json_array_get(json_object_get(joints, name), (size_t)k));
  }
}

static void motion_and_forces_are_the_references(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double t;
  } cases[] = {{"tilthex-t0", 0}, {"tilthex-t7.3", 7.3}, {"tilthex-t21.9", 21.9}};
  double worst_motion = 0, worst_force = 0;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    json_t *motion = load(cases[c].name, "state.json"),
           *forces = load(cases[c].name, "expect.json");
    if (!motion || !forces) skip();
    double row[COLUMNS], expected[FORCES];
    assert_int_equal(line_at("jounce-demo/data/motion.csv", cases[c].t, row), COLUMNS);
    json_t *p = json_object_get(json_object_get(motion, "base"), "p");
    for (size_t i = 0; i < 3; i++) expected[i] = json_number_value(json_array_get(p, i));
    worst_motion = worse(worst_motion, distance(3, row + 1, expected));
    for (int k = 0; k < 8; k++) {
      joints_of(json_object_get(motion, "joints"), k, expected);
      worst_motion = worse(worst_motion, distance(6, row + 5 + k * CURVES, expected));
    }
    assert_int_equal(line_at("jounce-demo/data/forces.csv", cases[c].t, row), 1 + ORDERS * FORCES);
    for (int k = 0; k < ORDERS; k++) {
      json_t *wrench = json_array_get(json_object_get(forces, "base_wrench"), (size_t)k);
      for (size_t i = 0; i < 6; i++) expected[i] = json_number_value(json_array_get(wrench, i));
      joints_of(json_object_get(forces, "tau"), k, expected + 6);
      worst_force = worse(worst_force, distance(FORCES, row + 1 + k * FORCES, expected));
    }
    json_decref(motion);
    json_decref(forces);
  }
  print_message("worst relative difference: motion %.2g, forces %.2g\n", worst_motion, worst_force);
  assert_true(worst_motion < 1e-13);
  assert_true(worst_force < 1e-13);
}

static void the_summary_is_json_and_the_study_has_a_name(void **state) {
  (void)state;
  assert_int_equal(run("jounce demo study --quick --no-plots --format json --output a/b"), 0);
  json_t *root = parse(output);
  json_t *round = json_object_get(root, "round_trip"), *cost = json_object_get(root, "cost");
  assert_true(json_is_true(json_object_get(root, "passed")));
  assert_true(json_number_value(json_object_get(root, "worst_residual")) < 1e-13);
  assert_int_equal(json_array_size(round), 2 * 6);
  json_t *last = json_array_get(round, 11);
  assert_string_equal(json_string_value(json_object_get(last, "formulation")), "spatial");
  assert_int_equal(json_integer_value(json_object_get(last, "order")), 5);
  assert_true(json_number_value(json_object_get(last, "residual")) > 0);
  assert_int_equal(json_array_size(cost), 4 * (6 + 11 + 6 * 7));
  for (size_t i = 0; i < json_array_size(cost); i++)
    assert_true(json_number_value(json_object_get(json_array_get(cost, i), "minimum_us")) > 0);
  assert_int_equal(json_array_size(json_object_get(root, "exponents")), 4 * (6 + 2));
  /* automatic differentiation: orders 0..4, two algorithms, three columns, the engine's numbers */
  json_t *baseline = json_object_get(root, "baseline");
  assert_int_equal(json_array_size(baseline), 5 * 2 * 3);
  for (size_t i = 0; i < json_array_size(baseline); i++)
    assert_true(json_number_value(json_object_get(json_array_get(baseline, i), "minimum_us")) > 0);
  const double apart = json_number_value(json_object_get(root, "baselines_apart"));
  print_message("  automatic differentiation, relative difference of forces %.1e\n", apart);
  assert_true(apart > 0 && apart < 1e-10); /* the limit of the study */
  assert_true(json_is_false(json_object_get(root, "figures")));
  json_decref(root);
  free(written("a/b/index.html"));
}

static void without_gnuplot_the_page_says_how_to_get_figures(void **state) {
  (void)state;
  assert_int_equal(run("PATH=/nowhere jounce demo --quick --output plain"), 0);
  assert_says(output, "apt-get install gnuplot-nox");
  char *page = written("plain/index.html");
  assert_says(page, "apt-get install gnuplot-nox");
  free(page);
}

static void wrong_usage_is_refused_before_any_work(void **state) {
  (void)state;
  assert_int_equal(run("jounce demo studdy --output none"), 2);
  assert_says(errors, "did you mean 'study'");
  assert_int_equal(run("jounce demo --format npy --output none"), 2);
  assert_int_equal(run("jounce demo --output ''"), 2);
  assert_int_equal(run("test ! -e none"), 0);
  assert_int_equal(run("echo text >file && jounce demo --quick --output file/below"), 1);
  assert_says(errors, "cannot create");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_quick_study_passes_and_prints_tables),
      cmocka_unit_test(the_page_loads_nothing_from_elsewhere),
      cmocka_unit_test(motion_and_forces_are_the_references),
      cmocka_unit_test(the_summary_is_json_and_the_study_has_a_name),
      cmocka_unit_test(without_gnuplot_the_page_says_how_to_get_figures),
      cmocka_unit_test(wrong_usage_is_refused_before_any_work),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
