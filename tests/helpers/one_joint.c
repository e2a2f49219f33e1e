/* one_joint.c: see one_joint.h. */
#include "helpers/one_joint.h"

#include <string.h>

#include "helpers/check.h"
#include "helpers/retime.h"

one one_joint(int derivative, double from, double to) {
  one x;
  jn_error error = {0};
  const double times[2] = {0, 1}, q[2] = {from, to};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &x.model, &error));
  assert_ok(jn_data_new(x.model, 1, NULL, &x.data));
  assert_ok(jn_trajectory_minimum(x.model, derivative, 2, times, q, NULL, NULL, &x.path, &error));
  no_limits(1, x.range);
  return x;
}

void one_free(one *x) {
  jn_trajectory_free(x->path);
  jn_data_free(x->data);
  jn_model_free(x->model);
}

void one_limit(one *x, jn_limit_kind kind, double size) {
  x->range[kind] = (jn_limit_range){-size, size};
}

double one_time(const one *x, const jn_retime_options *o) {
  jn_trajectory *motion = NULL;
  jn_retime_report report = {0};
  jn_error error = {0};
  jn_status status =
      jn_retime(x->model, x->data, x->path, x->range, o, NULL, &motion, &report, &error);
  if (status) print_error("%s\n", error.message);
  assert_ok(status);
  assert_int_equal(broken_limits(x->model, x->data, motion, x->range), 0);
  assert_true(report.duration == jn_trajectory_end(motion));
  jn_trajectory_free(motion);
  return report.duration;
}

void one_refused(const one *x, const jn_retime_options *o, jn_status want, const char *text) {
  jn_trajectory *out = NULL;
  jn_error error = {0};
  jn_status got = jn_retime(x->model, x->data, x->path, x->range, o, NULL, &out, NULL, &error);
  if (got != want || !strstr(error.message, text))
    print_error("'%s' expected, found %d '%s'\n", text, (int)got, error.message);
  assert_status(got, want);
  assert_non_null(strstr(error.message, text));
  assert_null(out);
}
