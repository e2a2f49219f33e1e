/* test_cli_bench.c: the rows of jounce bench, and its comparison of two runs. */
#include "helpers/check.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/files.h"
#include "helpers/program.h"

static const char *text_of(const json_t *row, const char *key) {
  return json_string_value(json_object_get(row, key));
}

static int count(const json_t *rows, const char *algorithm, const char *mode,
                 const char *representation) {
  int n = 0;
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    assert_true(json_number_value(json_object_get(row, "ns")) > 0);
    n += !strcmp(text_of(row, "algorithm"), algorithm) && !strcmp(text_of(row, "mode"), mode) &&
         !strcmp(text_of(row, "representation"), representation);
  }
  return n;
}

static void every_kind_of_row(void **state) {
  (void)state;
  json_t *rows = run_json("jounce bench tilthex --orders 0-1 --seconds 0.001 --json");
  /* five formulations at two orders in body representation, the default one in spatial */
  assert_int_equal(count(rows, "inverse", "single", "body"), 10);
  assert_int_equal(count(rows, "inverse", "single", "spatial"), 2);
  assert_int_equal(count(rows, "inverse", "batch", "spatial"), 2);
  assert_int_equal(count(rows, "inverse_partials", "single", "spatial"), 2);
  assert_int_equal(count(rows, "forward", "ad_taylor", "spatial"), 2);
  assert_int_equal(count(rows, "forward", "ad_dual", "spatial"), 2);
  assert_int_equal(count(rows, "step", "taylor", "body"), 1);
  assert_int_equal(count(rows, "step", "taylor", "spatial"), 1);
  assert_int_equal(count(rows, "load", "single", "body"), 1);
  assert_int_equal(count(rows, "fit", "10000", "body"), 1);
  assert_int_equal(count(rows, "retime", "200", "body"), 1);
  json_decref(rows);
  /* a fixed base has nothing to convert, and the baselines need a floating one */
  rows = run_json("jounce bench pendulum --orders 0 --seconds 0.001 --json");
  assert_int_equal(count(rows, "inverse", "single", "spatial"), 0);
  json_decref(rows);
}

static void one_algorithm_only(void **state) {
  (void)state;
  json_t *rows =
      run_json("jounce bench chain:2 chain:3 --orders 1 --seconds 0.001 --only retime --json");
  assert_int_equal(json_array_size(rows), 6);
  assert_int_equal(count(rows, "retime", "1000", "body"), 2);
  json_decref(rows);
  /* the growth by intervals and joints */
  assert_int_equal(
      run("jounce bench chain:2 --orders 1 --seconds 0.001 --only retime --format text"), 0);
  assert_non_null(strstr(output, "  chain:2            2 degrees of freedom,  200 intervals: "));
  assert_int_equal(run("jounce bench pendulum --only sort"), 2);
  assert_non_null(strstr(errors, "--only: no algorithm 'sort'"));
}

static void two_runs_compared(void **state) {
  (void)state;
  json_t *rows = run_json("jounce bench pendulum --orders 0 --seconds 0.001 --json");
  size_t i;
  json_t *row;
  /* 1e-3 ns and less, in no order: the ratios are far apart */
  json_array_foreach(rows, i, row) {
    json_object_set_new(row, "ns", json_real(pow(1e-3, (double)(1 + i * 7 % 11))));
  }
  /* a file of an earlier version has no representations */
  json_object_del(json_array_get(rows, 0), "representation");
  save_json("before.json", rows);
  const size_t n = json_array_size(rows);
  json_decref(rows);
  rows = run_json("jounce bench pendulum --orders 0 --seconds 0.001 --against before.json --json");
  assert_true(json_array_size(rows) == n);
  json_array_foreach(rows, i, row) {
    const double before = pow(1e-3, (double)(1 + i * 7 % 11));
    assert_true(json_number_value(json_object_get(row, "before_ns")) == before);
  }
  json_decref(rows);
  assert_clean(
      run("jounce bench pendulum --orders 0 --seconds 0.001 --against before.json --format text"));
  /* the slowest rows, the slowest first; the median is not above them */
  const char *line = strstr(output, "against before.json: median ratio ");
  assert_non_null(line);
  double median, last = HUGE_VAL, ratio = 0;
  unsigned of = 0, shown = 0;
  assert_int_equal(sscanf(line, "against before.json: median ratio %lf of %u rows", &median, &of),
                   2);
  assert_int_equal(of, n);
  while ((line = strchr(line, '\n')) && sscanf(++line, " %lf pendulum ", &ratio) == 1) {
    assert_true(ratio <= last);
    last = ratio;
    shown++;
  }
  assert_int_equal(shown, n < 8 ? n : 8);
  assert_true(n < 16 || median <= last);
  put("bad.json", "[{\"ns\": 1, \"order\": 0},\n{\"ns\": \"x\", \"order\": 0}]");
  assert_int_equal(run("jounce bench pendulum --orders 0 --seconds 0.001 --against bad.json"), 1);
  assert_non_null(strstr(errors, "bad.json:2: rows[1].ns: a number expected, found a string"));
  put("other.json", "[{\"model\": \"arm\", \"ns\": 1, \"order\": 0}]");
  assert_int_equal(run("jounce bench pendulum --orders 0 --seconds 0.001 --against other.json"), 1);
  assert_non_null(strstr(errors, "none of the rows measured"));
}

static void generated_code(void **state) {
  (void)state;
  if (system("cc --version > cc.txt 2>&1")) skip();
  json_t *rows = run_json("jounce bench pendulum --orders 0 --seconds 0.001 --generated --json");
  assert_int_equal(count(rows, "inverse", "generated", "body"), 1);
  assert_int_equal(count(rows, "forward", "lanes", "body"), 1);
  json_decref(rows);
  assert_int_equal(setenv("CC", "no-such-compiler", 1), 0);
  assert_int_equal(run("jounce bench pendulum --orders 0 --seconds 0.001 --generated"), 1);
  unsetenv("CC");
  assert_non_null(strstr(errors, "could not be compiled"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_row),
      cmocka_unit_test(one_algorithm_only),
      cmocka_unit_test(two_runs_compared),
      cmocka_unit_test(generated_code),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
