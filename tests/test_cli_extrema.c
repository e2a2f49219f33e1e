/* test_cli_extrema.c: the text of traj shows the extrema of the motion, not those of its rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"

/* The row of a column in the text of the last run. */
static void extrema_in_text(const char *column, double *low, double *high) {
  char name[64];
  for (const char *line = output; line && *line;
       line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (sscanf(line, "%63s %lf %*s %lf", name, low, high) == 3 && !strcmp(name, column)) return;
  fail_msg("no column '%s'", column);
}

/* The text shows the extrema of the motion, not those of its 201 rows: a sine whose period divides
 * their distance is zero in all of them. */
static void extrema_are_those_of_the_motion(void **state) {
  (void)state;
  double low = 0, high = 0;
  put("sine.json",
      "{\"kind\": \"fourier\", \"start\": 0, \"end\": 300, \"w\": 4.1887902047863905,"
      " \"joints\": {\"joint1\": {\"b\": [0, 0.3]}}}");
  assert_clean(run("jounce traj pendulum sine.json --text"));
  extrema_in_text("joint1", &low, &high);
  check_residual("least value of a sine", fabs(low + 0.3), 1e-6);
  check_residual("largest value of a sine", fabs(high - 0.3), 1e-6);
}

/* v = 1 - 1000 (t - top)^2 is larger beside an end than there, and between the last two samples. */
static void extrema_beside_the_ends_are_found(void **state) {
  (void)state;
  for (int last = 0; last < 2; last++) {
    const double top = last ? 0.9997 : 0.0003;
    double low = 0, high = 0;
    char text[256];
    snprintf(text, sizeof text,
             "{\"kind\": \"polynomial\", \"start\": 0, \"end\": 1,"
             " \"joints\": {\"joint1\": [0, %.17g, %.17g, %.17g]}}",
             1 - 1000 * top * top, 1000 * top, -1000 / 3.0);
    put("beside.json", text);
    assert_clean(run("jounce traj pendulum beside.json --text"));
    extrema_in_text("joint1'", &low, &high);
    check_residual("a peak beside an end", fabs(high - 1), 1e-6);
  }
}

/* The same of a sum of sines through 300 periods, from three rows; a motion of 1.6e9 periods is refused. */
static void extrema_of_many_periods_are_found(void **state) {
  (void)state;
  double low = 0, high = 0;
  put("sum.json",
      "{\"kind\": \"fourier\", \"start\": 0, \"end\": 600, \"w\": 3.141592653589793, \"joints\":"
      " {\"joint1\": {\"a\": [0, 0.121, 0.034, -0.216, 0.179, -0.216, -0.172],"
      " \"b\": [0, 0.483, -0.12, -0.243, -0.227, 0.07, -0.151]}}}");
  assert_clean(run("jounce traj pendulum sum.json --samples 3 --text"));
  extrema_in_text("joint1''", &low, &high);
  check_residual("largest acceleration of a sum", fabs(high - 170.39459632162419), 1e-3);
  put("fast.json",
      "{\"kind\": \"fourier\", \"start\": 0, \"end\": 1e5, \"w\": 1e5,"
      " \"joints\": {\"joint1\": {\"b\": [0, 0.3]}}}");
  assert_int_equal(run("jounce traj pendulum fast.json --text"), 1);
  assert_non_null(strstr(errors, "need more than 10000000 samples"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extrema_are_those_of_the_motion),
      cmocka_unit_test(extrema_beside_the_ends_are_found),
      cmocka_unit_test(extrema_of_many_periods_are_found),
  };
  return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
