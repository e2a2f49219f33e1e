/* test_cli_output.c: options of the program that all commands share, names of columns, limits of
 * files, progress. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"

#define REACH                                                         \
  "{\"kind\": \"minimum\", \"derivative\": 4, \"times\": [0, 1, 2], " \
  "\"joints\": {\"joint1\": [0, 1, 0.5], \"joint2\": [0, -0.5, 1]}}"

/* results are freed at the end */
static json_t *kept[200];
static size_t kept_count;
static json_t *keep(json_t *json) {
  assert_true(kept_count < sizeof kept / sizeof *kept);
  return kept[kept_count++] = json;
}
#undef run_json
#define run_json(...) (assert_clean(run(__VA_ARGS__)), keep(parse(output)))
static int tear_down(void **state) {
  while (kept_count > 0) json_decref(kept[--kept_count]);
  return program_tear_down(state);
}

static void test_json_and_text_are_options_of_every_command(void **state) {
  (void)state;
  static const char *const lines[] = {"models",
                                      "info arm6",
                                      "lint arm6",
                                      "fk arm6",
                                      "id arm6",
                                      "eom arm6",
                                      "jacobian arm6 --link link6",
                                      "partials arm6",
                                      "linearise arm6 --hold",
                                      "loops fourbar",
                                      "rotors tilthex",
                                      "traj double_pendulum reach.json --samples 3",
                                      "limits double_pendulum reach.json --velocity 9",
                                      "check pendulum",
                                      "bench pendulum --orders 0 --seconds 0.001"};
  put("reach.json", REACH);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    json_t *json = run_json("jounce %s --json", lines[i]);
    assert_true(json_is_object(json) || json_is_array(json));
    run("jounce %s --text", lines[i]);
    assert_true(output[0] && output[0] != '{');
  }
}

/* the largest number of digits of the numbers of a text */
static int most_digits(const char *text) {
  int most = 0;
  for (int n = 0, lead = 1; *text; text++) {
    const int digit = *text >= '0' && *text <= '9';
    if (*text == 'e' && n) { /* an exponent */
      text += 1 + strspn(text + 1, "+-0123456789");
      n = 0, lead = 1;
      if (!*text) break;
    } else if (!digit && *text != '.') {
      n = 0, lead = 1;
    } else if (digit && (!lead || *text != '0')) {
      lead = 0;
      if (++n > most) most = n;
    }
  }
  return most;
}

static void test_precision_is_the_number_of_digits(void **state) {
  (void)state;
  put("reach.json", REACH);
  put("s.json", "{\"joints\": {\"joint1\": [0.7, 0.3, -2]}}");
  static const char *const lines[] = {
      "jounce id pendulum --state s.json --json",
      "jounce id pendulum --state s.json --format csv",
      "jounce id pendulum --state s.json --text",
      "jounce traj double_pendulum reach.json --samples 4 --format csv",
      "jounce traj double_pendulum reach.json --samples 4 --json",
      "jounce traj double_pendulum reach.json --samples 4 --text",
      "jounce limits double_pendulum reach.json --samples 9 --velocity 1 --format csv"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    run("%s --precision 3", lines[i]);
    const int few = most_digits(output);
    run("%s --precision 15", lines[i]);
    const int many = most_digits(output);
    if (few > 6 || many < 14 || many > 15) print_error("%s: %d, %d digits\n", lines[i], few, many);
    assert_true(few <= 6 && many >= 14 && many <= 15); /* text has times with 4 to 6 digits */
  }
  json_t *short_one = run_json("jounce id pendulum --state s.json --precision 5");
  json_t *long_one = run_json("jounce id pendulum --state s.json --precision 17");
  json_t *usual = run_json("jounce id pendulum --state s.json");
  const double x = at(item(long_one, "tau", "joint1"), 0);
  assert_true(x == at(item(usual, "tau", "joint1"), 0));
  assert_true(x != at(item(short_one, "tau", "joint1"), 0));
  assert_true(fabs(x - at(item(short_one, "tau", "joint1"), 0)) < 1e-4 * fabs(x));
  assert_int_equal(run("jounce id pendulum --precision 5 --format npy --output x.npy"), 2);
  assert_non_null(strstr(errors, "npy holds every digit"));
  assert_int_equal(run("jounce id pendulum --precision 18"), 2);
}

static void test_joints_are_chosen_by_name_and_pattern(void **state) {
  (void)state;
  put("reach.json", REACH);
  json_t *two = run_json("jounce id arm6 --joints joint2,joint5");
  json_t *tau = json_object_get(two, "tau");
  assert_int_equal(json_object_size(tau), 2);
  json_t *all = run_json("jounce id arm6");
  assert_true(at(json_object_get(tau, "joint5"), 0) == at(item(all, "tau", "joint5"), 0));
  assert_int_equal(
      json_object_size(json_object_get(run_json("jounce id arm6 --joints '*'"), "tau")), 6);
  json_t *left = run_json("jounce id humanoid --joints 'left_*,base'");
  assert_non_null(json_object_get(left, "base_wrench"));
  const char *name;
  json_t *value;
  json_object_foreach(json_object_get(left, "tau"), name, value)
      assert_int_equal(strncmp(name, "left_", 5), 0);
  assert_null(json_object_get(run_json("jounce id humanoid --joints 'left_*'"), "base_wrench"));

  /* traj: the columns of the other joints are not there; the numbers are the same */
  run("jounce traj double_pendulum reach.json --samples 3 --format csv --joints joint2");
  assert_int_equal(
      strncmp(output, "t,joint2,joint2',joint2'',joint2^(3),tau:joint2,tau:joint2',power\n", 66),
      0);
  json_t *some = run_json("jounce traj double_pendulum reach.json --samples 3 --joints joint2");
  json_t *whole = run_json("jounce traj double_pendulum reach.json --samples 3");
  json_t *names = json_object_get(some, "columns"), *names_all = json_object_get(whole, "columns");
  for (size_t i = 0; i < json_array_size(names); i++)
    for (size_t k = 0; k < json_array_size(names_all); k++)
      if (json_equal(json_array_get(names, i), json_array_get(names_all, k)))
        for (int n = 0; n < 3; n++)
          assert_true(at(json_array_get(json_object_get(some, "rows"), (size_t)n), i) ==
                      at(json_array_get(json_object_get(whole, "rows"), (size_t)n), k));
  run("jounce traj double_pendulum reach.json --samples 3 --text --joints joint1");
  assert_non_null(strstr(output, "tau:joint1"));
  assert_null(strstr(output, "joint2"));
  for (int i = 0; i < 2; i++) {
    const char *format = i ? "npz" : "npy";
    assert_clean(
        run("jounce traj double_pendulum reach.json --samples 3 --joints joint1 "
            "--output x.%s",
            format));
    run("jounce traj double_pendulum reach.json --samples 3 --output all.%s", format);
    assert_clean(run("test $(wc -c < x.%s) -lt $(wc -c < all.%s)", format, format));
  }
  assert_int_equal(run("jounce id arm6 --joints jiont2"), 1);
  assert_non_null(strstr(errors, "did you mean 'joint2'"));
  assert_int_equal(run("jounce id arm6 --joints joint1 --format npy --output x.npy"), 2);
  assert_int_equal(run("jounce id arm6 --joints joint1 --layout mujoco"), 2);
}

/* a recording of two joints with other names of its columns */
static void put_recording(const char *time, double unit, const char *first, const char *second) {
  static char text[20000];
  int used = snprintf(text, sizeof text, "%s,%s,%s\n", time, first, second);
  for (int i = 0; i < 101; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%.9g,%.12g,%.12g\n", 0.02 * i / unit,
                     sin(0.04 * i), cos(0.03 * i));
  put("motion.csv", text);
}

static void test_times_and_columns_are_found_by_their_names(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double unit;
  } times[] = {
      {"t", 1}, {"timestamp", 1}, {"time_ms", 1e-3}, {"header.stamp", 1}, {"time_us", 1e-6}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    put_recording(times[i].name, times[i].unit, "joint1", "joint2");
    json_t *got = run_json("jounce traj double_pendulum motion.csv --samples 3 --tolerance 0");
    assert_true(fabs(json_number_value(json_object_get(got, "end")) - 2) < 1e-9);
  }
  put_recording("t", 1, "joint1", "jiont2");
  assert_int_equal(run("jounce traj double_pendulum motion.csv"), 1);
  assert_non_null(strstr(errors, "no column 'joint2'; did you mean 'jiont2'?"));
  /* a mistyped column is not taken for a joint to hold */
  assert_int_equal(run("jounce traj double_pendulum motion.csv --hold"), 1);
  assert_non_null(strstr(errors, "no column 'joint2', and 'jiont2' belongs to no joint"));
  /* one that is like none is ignored, and so is a joint that has none */
  put_recording("t", 1, "joint1", "temperature");
  assert_clean(run("jounce traj double_pendulum motion.csv --hold --samples 3 --tolerance 0"));
  /* a joint that is described beside the samples needs no column */
  put_recording("t", 1, "joint1", "joint3");
  put("both.json",
      "{\"samples\": \"motion.csv\", \"tolerance\": 0, \"joints\": {\"joint2\": "
      "{\"kind\": \"hold\", \"value\": 0.3}}}");
  assert_clean(run("jounce traj double_pendulum both.json --samples 3"));
}

static void test_the_limit_of_files_is_named_and_can_be_raised(void **state) {
  (void)state;
  put("reach.json", REACH);
  assert_clean(run("{ head -c 3145728 /dev/zero | tr '\\0' ' '; cat reach.json; } > large.json"));
  assert_clean(run("jounce traj double_pendulum large.json --samples 3"));
  assert_int_equal(run("JOUNCE_MAX_FILE=2 jounce traj double_pendulum large.json"), 1);
  assert_non_null(strstr(errors, "larger than 2 MiB; set JOUNCE_MAX_FILE=8 in the environment"));
  assert_clean(run("JOUNCE_MAX_FILE=8 jounce traj double_pendulum large.json --samples 3"));
  /* what is no number is not taken */
  assert_clean(run("JOUNCE_MAX_FILE=x jounce traj double_pendulum large.json --samples 3"));
}

static void test_long_work_shows_progress_on_a_terminal(void **state) {
  (void)state;
  put("reach.json", REACH);
  if (run("command -v script > /dev/null") != 0) skip();
  run("script -qec '" TEST_PROGRAM
      " traj double_pendulum reach.json --order 6 --samples 60000 "
      "--output x.csv' /dev/null | tr '\\r' '\\n' | grep -c '%%] t = '");
  assert_true(atoi(output) > 0);
  run("script -qec '" TEST_PROGRAM " traj double_pendulum reach.json --samples 3' /dev/null");
  assert_null(strstr(output, "%]"));
}

static void test_the_table_of_bench_names_a_file_once(void **state) {
  (void)state;
  assert_clean(
      run("mkdir -p robots/ur9 && jounce convert pendulum --output robots/ur9/model.json"));
  run("jounce bench robots/ur9/model.json --orders 0 --seconds 0.001");
  const char *once = strstr(output, "ur9: robots/ur9/model.json\n");
  assert_true(once == output);
  assert_null(strstr(once + 10, "robots/"));
  assert_non_null(strstr(output, "\nur9 "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_json_and_text_are_options_of_every_command),
      cmocka_unit_test(test_precision_is_the_number_of_digits),
      cmocka_unit_test(test_joints_are_chosen_by_name_and_pattern),
      cmocka_unit_test(test_times_and_columns_are_found_by_their_names),
      cmocka_unit_test(test_the_limit_of_files_is_named_and_can_be_raised),
      cmocka_unit_test(test_long_work_shows_progress_on_a_terminal),
      cmocka_unit_test(test_the_table_of_bench_names_a_file_once),
  };
  return cmocka_run_group_tests(tests, program_set_up, tear_down);
}
