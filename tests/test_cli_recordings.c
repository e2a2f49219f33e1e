/* test_cli_recordings.c: options of fits in the program: what contradicts itself is refused, and
 * the remedies that are named work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/program.h"

#define FIT \
  "{\"kind\": \"fit\", \"times\": [0, 1, 2, 3, 4, 5, 6], \"values\": [0, 1, 3, 4, 4, 2, 1], "

/* sine.csv: a sine that moves at its ends, with noise of about 1e-4 */
static void put_sine(void) {
  growing_text t = {0};
  append(&t, "t,joint1\n");
  for (int i = 0; i < 600; i++)
    append(&t, "%.17g,%.17g\n", 0.01 * i, 0.5 * sin(0.03 * i + 0.1) + 1e-4 * sin(7.3 * i * i));
  put("sine.csv", t.text);
  free(t.text);
}

/* The order of the forces raises the degree; where it does not, the message says what is
 * possible. */
static void every_order_that_is_offered_has_bands(void **state) {
  (void)state;
  put_sine();
  for (int order = 0; order <= 8; order++) {
    assert_clean(
        run("jounce traj pendulum sine.csv --order %d --bands --samples 3 --force --text", order));
    for (int degree = 2; degree <= order + 3; degree++) {
      const int code =
          run("jounce traj pendulum sine.csv --order %d --degree %d --bands --force "
              "--samples 3 --text",
              order, degree);
      char words[80];
      assert_int_equal(code, degree < order + 2);
      if (!code) continue;
      snprintf(words, sizeof words, "give --degree %d or more, or a lower --order", order + 2);
      if (!strstr(errors, words)) fail_msg("'%s' expected, found '%s'", words, errors);
    }
  }
  assert_int_equal(run("jounce traj pendulum sine.csv --order 30 --force"), 1);
  assert_non_null(strstr(errors, "degrees are up to 31: give --order 29 or lower"));
  assert_clean(run("jounce traj pendulum sine.csv --order 29 --force --samples 3 --text"));
}

/* Other commands have no --order; a description has its own degree. */
static void a_degree_that_is_too_low_is_named_where_it_is_given(void **state) {
  (void)state;
  put_sine();
  put("own.json", "{\"joints\": {\"joint1\": " FIT "\"degree\": 2, \"tolerance\": 0}}}");
  put("enough.json", "{\"joints\": {\"joint1\": " FIT "\"degree\": 3, \"tolerance\": 0}}}");
  static const struct {
    const char *words, *remedy;
    int degree;
  } cases[] = {
      {"limits pendulum sine.csv --effort 1e9", "give --degree 3 or more\n", 3},
      {"retime pendulum sine.csv --effort 1e9 --velocity 9", "give --degree 3 or more\n", 3},
      {"elastic pendulum sine.csv --stiffness 1000 --motor-inertia 0.1 --no-simulation",
       "give --degree 4 or more\n", 4}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    assert_int_equal(run("jounce %s --degree 2 --force", cases[i].words), 1);
    if (!strstr(errors, cases[i].remedy)) fail_msg("%s", errors);
    assert_int_equal(run("jounce %s --degree %d --force", cases[i].words, cases[i].degree), 0);
  }
  assert_int_equal(run("jounce traj pendulum own.json"), 1);
  assert_non_null(
      strstr(errors, "give the description a \"degree\" of 3 or more, or a lower --order"));
  assert_clean(run("jounce traj pendulum own.json --order 0 --text"));
  assert_clean(run("jounce traj pendulum enough.json --text"));
}

/* Rest and outliers are of fits that find the noise. */
static void rest_and_outliers_need_an_automatic_fit(void **state) {
  (void)state;
  put_sine();
  static const char *const given[] = {"--tolerance 2e-4", "--lambda 1e-12"};
  for (size_t i = 0; i < COUNT(given); i++) {
    assert_int_equal(run("jounce traj pendulum sine.csv %s --ends rest", given[i]), 2);
    assert_non_null(strstr(errors, "--ends rest cannot be combined with --tolerance or --lambda"));
    assert_int_equal(run("jounce traj pendulum sine.csv %s --outliers drop", given[i]), 2);
    assert_non_null(
        strstr(errors, "--outliers drop cannot be combined with --tolerance or --lambda"));
    assert_clean(
        run("jounce traj pendulum sine.csv %s --ends free --outliers keep --text", given[i]));
  }
  assert_int_equal(run("jounce traj pendulum sine.csv --ends rest"), 1);
  assert_non_null(strstr(errors, "the motion does not rest at its start: leave its ends free"));
  put("rest.json", "{\"joints\": {\"joint1\": " FIT "\"tolerance\": 0.1, \"ends\": \"rest\"}}}");
  put("drop.json", "{\"joints\": {\"joint1\": " FIT "\"degree\": 3, \"outliers\": \"drop\"}}}");
  put("table.json", "{\"samples\": \"sine.csv\", \"tolerance\": 2e-4, \"outliers\": \"drop\"}");
  assert_int_equal(run("jounce traj pendulum rest.json --degree 3"), 1);
  assert_non_null(strstr(errors, "ends at rest cannot be combined with lambda or a tolerance"));
  assert_int_equal(run("jounce traj pendulum drop.json --lambda 1e-3"), 1);
  assert_non_null(strstr(errors, "outliers are not left out with lambda or a tolerance"));
  assert_int_equal(run("jounce traj pendulum table.json"), 1);
  assert_non_null(strstr(errors, "outliers are not left out with lambda or a tolerance"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_that_is_offered_has_bands),
      cmocka_unit_test(a_degree_that_is_too_low_is_named_where_it_is_given),
      cmocka_unit_test(rest_and_outliers_need_an_automatic_fit),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
