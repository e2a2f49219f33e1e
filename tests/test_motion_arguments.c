/* test_motion_arguments.c: what functions of motions, limits, clocks and simulations refuse: every
 * argument that is missing or out of range, with outputs unchanged. */
#include <math.h>
#include <string.h>

#include <jounce/batch.h>
#include <jounce/elastic.h>

#include "helpers/check.h"
#include "helpers/one_joint.h"
#include "helpers/retime.h"

static one x;
static int unused; /* outputs point here before a call */
#define UNTOUCHED ((void *)&unused)
#define REFUSED(call) assert_status((call), JN_ERR_ARGUMENT)

static void clocks_need_their_arguments(void **state) {
  (void)state;
  const jn_retime_options fine = jn_retime_options_default();
  const jn_tool_limit tools[] = {{-1, 1}, {jn_model_frame_count(x.model), 1}, {0, 0}};
  jn_trajectory *T = UNTOUCHED;
  for (int missing = 0; missing < 5; missing++)
    REFUSED(jn_retime(missing == 0 ? NULL : x.model, missing == 1 ? NULL : x.data,
                      missing == 2 ? NULL : x.path, missing == 3 ? NULL : x.range, NULL, NULL,
                      missing == 4 ? NULL : &T, NULL, NULL));
  for (int wrong = 0; wrong < 15; wrong++) {
    jn_retime_options o = fine;
    jn_error e = {0};
    if (wrong == 0) o.tolerance = 0;
    if (wrong == 1) o.tolerance = 1;
    if (wrong == 2) o.ends = (jn_retime_ends)-1;
    if (wrong == 3) o.ends = (jn_retime_ends)(JN_ENDS_GIVEN + 1);
    if (wrong == 4) o.tools = -1;
    if (wrong == 5) o.tools = 1;
    if (wrong >= 6 && wrong <= 8) o.tools = 1, o.tool = &tools[wrong - 6];
    if (wrong == 9) o.objective = (jn_retime_objective)-1;
    if (wrong == 10) o.objective = (jn_retime_objective)(JN_OBJECTIVE_MIXED + 1);
    if (wrong == 11) o.ends = JN_ENDS_FREE, o.speed[1] = 0;
    if (wrong == 12) o.ends = JN_ENDS_GIVEN, o.speed[0] = -1;
    if (wrong == 13) o.intervals = 1;
    if (wrong == 14) o.intervals = -1;
    const jn_status status = jn_retime(x.model, x.data, x.path, x.range, &o, NULL, &T, NULL, &e);
    if (status != JN_ERR_ARGUMENT || e.status != status || !e.message[0])
      fail_msg("option %d: %s, '%s'", wrong, jn_status_text(status), e.message);
  }
  jn_data *low = NULL;
  jn_error e = {0};
  assert_ok(jn_data_new(x.model, 0, NULL, &low));
  assert_status(jn_retime(x.model, low, x.path, x.range, NULL, NULL, &T, NULL, &e), JN_ERR_ORDER);
  assert_string_equal(e.message, "data of order 1 needed");
  jn_data_free(low);
  assert_true(T == UNTOUCHED);
}

static void limits_need_their_arguments(void **state) {
  (void)state;
  jn_limit_check *check = UNTOUCHED, *good = NULL;
  jn_limit_range range[JN_LIMIT_KINDS];
  char name[8];
  for (int missing = 0; missing < 6; missing++)
    REFUSED(jn_limit_check_new(missing == 0 ? NULL : x.model, missing == 1 ? NULL : x.data,
                               missing == 2 ? NULL : x.path, missing == 3 ? NULL : x.range,
                               missing == 4 ? 1 : 20, NULL, missing == 5 ? NULL : &check, NULL));
  assert_true((void *)check == UNTOUCHED);
  assert_ok(jn_limit_check_new(x.model, x.data, x.path, x.range, 20, NULL, &good, NULL));
  const int n = jn_limit_check_samples(good);
  assert_null(jn_limit_check_peak(NULL, 0, JN_LIMIT_JERK));
  assert_null(jn_limit_check_peak(good, -1, JN_LIMIT_JERK));
  assert_null(jn_limit_check_peak(good, 1, JN_LIMIT_JERK));
  assert_null(jn_limit_check_peak(good, 0, (jn_limit_kind)-1));
  assert_null(jn_limit_check_peak(good, 0, JN_LIMIT_KINDS));
  assert_non_null(jn_limit_check_peak(good, 0, JN_LIMIT_JERK));
  assert_true(jn_limit_check_time(good, n - 1) == 1 && jn_limit_check_time(good, n) == 0);
  assert_true(jn_limit_check_time(good, -1) == 0 && jn_limit_check_time(NULL, 0) == 0);
  /* the jerk 90 at the start, of 30; no limit of the power */
  assert_true(fabs(jn_limit_check_use(good, 0, 0, JN_LIMIT_JERK, 1) - 3) < 1e-9);
  assert_true(jn_limit_check_use(good, n, 0, JN_LIMIT_JERK, 1) == 0);
  assert_true(jn_limit_check_use(good, -1, 0, JN_LIMIT_JERK, 1) == 0);
  assert_true(jn_limit_check_use(good, 0, 1, JN_LIMIT_JERK, 1) == 0);
  assert_true(jn_limit_check_use(good, 0, 0, JN_LIMIT_POWER, 1) == 0);
  assert_int_equal(jn_limit_check_limited(NULL) + jn_limit_check_broken(NULL), 0);
  assert_true(jn_limit_check_scale(NULL) == 0 && jn_limit_check_samples(NULL) == 0);
  jn_limit_check_free(good);
  assert_int_equal(jn_limit_rows(NULL), 0);
  assert_null(jn_limit_kind_name((jn_limit_kind)-1));
  assert_null(jn_limit_kind_name(JN_LIMIT_KINDS));
  assert_string_equal(jn_limit_kind_name(JN_LIMIT_POWER), "power");
  assert_null(jn_limit_quantity(x.model, -1, JN_LIMIT_JERK));
  assert_null(jn_limit_quantity(x.model, 1, JN_LIMIT_JERK));
  assert_string_equal(jn_limit_quantity(x.model, 0, JN_LIMIT_JERK), "jerk");
  REFUSED(jn_limit_row_name(x.model, 0, NULL, 8));
  REFUSED(jn_limit_row_name(x.model, 0, name, 0));
  REFUSED(jn_limit_row_name(x.model, -1, name, 8));
  REFUSED(jn_limit_row_name(x.model, 1, name, 8));
  assert_ok(jn_limit_row_name(x.model, 0, name, 8));
  assert_string_equal(name, "joint1");
  REFUSED(jn_model_limits(NULL, range));
  REFUSED(jn_model_limits(x.model, NULL));
}

static void motions_need_their_arguments(void **state) {
  (void)state;
  const double K = 10, B = 0.1, path[2] = {0, 1};
  const unsigned char driven[2] = {1, 1};
  const jn_closed_motion no_joints = {NULL, &K, NULL}, no_start = {driven, NULL, NULL};
  double q = 7, v[4] = {7, 7, 7, 7}, tau[3] = {7, 7, 7}, speed = 7, t[2] = {7, 7};
  for (int missing = 0; missing < 7; missing++)
    REFUSED(jn_closed_motion_at(missing == 0 ? NULL : x.model, missing == 1 ? NULL : x.data,
                                missing == 2 ? NULL : x.path, missing == 6 ? &no_joints : NULL, 0,
                                missing == 3 ? -2 : 0, NULL, missing == 4 ? NULL : &q,
                                missing == 5 ? NULL : v));
  const jn_closed_motion all = {driven, &K, NULL};
  REFUSED(jn_closed_motion_at(x.model, x.data, x.path, &all, 0, 0, NULL, &q, v));
  for (int wrong = 0; wrong < 10; wrong++)
    REFUSED(jn_tool_peak_closed(wrong == 0 ? NULL : x.model, wrong == 1 ? NULL : x.data,
                                wrong == 2 ? NULL : x.path,
                                wrong == 7   ? &no_joints
                                : wrong == 8 ? &no_start
                                             : NULL,
                                wrong == 3   ? -1
                                : wrong == 4 ? jn_model_frame_count(x.model)
                                             : 0,
                                wrong == 5   ? 1
                                : wrong == 9 ? -1
                                             : 20,
                                NULL, wrong == 6 ? NULL : &speed, NULL));
  for (int wrong = 0; wrong < 8; wrong++)
    REFUSED(jn_elastic_motors(wrong == 0 ? NULL : x.model, wrong == 1 ? NULL : x.data,
                              wrong == 2   ? -1
                              : wrong == 3 ? JN_MAX_ORDER - 1
                                           : 0,
                              wrong == 4 ? NULL : &K, wrong == 5 ? NULL : &B, &q,
                              wrong == 6 ? NULL : v, wrong == 7 ? NULL : tau, NULL, NULL));
  for (int wrong = 0; wrong < 4; wrong++)
    REFUSED(jn_path_times(wrong == 0 ? NULL : x.model, wrong == 1 ? 1 : 2, wrong == 2 ? NULL : path,
                          NULL, wrong == 3 ? NULL : t));
  assert_true(q == 7 && speed == 7 && all_equal_to(v, 4, 7) && all_equal_to(tau, 3, 7) &&
              all_equal_to(t, 2, 7));
  jn_trajectory *T = UNTOUCHED;
  const double clock[10] = {0, 0, 0.5, 0, 0, 2, 1, 0.5, 0, 0};
  for (int missing = 0; missing < 3; missing++)
    REFUSED(jn_trajectory_clocked(missing == 0 ? NULL : x.path, 2, missing == 1 ? NULL : clock,
                                  NULL, missing == 2 ? NULL : &T, NULL));
  REFUSED(jn_trajectory_clocked(x.path, 1, clock, NULL, &T, NULL));
  assert_true(T == UNTOUCHED);
  double u = 7;
  REFUSED(jn_trajectory_clock(NULL, 0, 0, &u));
  REFUSED(jn_trajectory_clock(x.path, 0, 0, NULL));
  REFUSED(jn_trajectory_clock(x.path, 0, -1, &u));
  REFUSED(jn_trajectory_clock(x.path, 0, JN_MAX_ORDER + 1, &u));
  assert_true(u == 7);
}

static void bands_need_their_arguments(void **state) {
  (void)state;
  double q = 7, v[2] = {7, 7}, tau = 7;
  REFUSED(jn_trajectory_band(NULL, 0, 0, JN_BODY, &q, v));
  REFUSED(jn_trajectory_band(x.path, 0, -2, JN_BODY, &q, v));
  REFUSED(jn_trajectory_band(x.path, 0, JN_MAX_ORDER + 1, JN_BODY, &q, v));
  REFUSED(jn_trajectory_band(x.path, 0, 0, (jn_representation)-1, &q, v));
  REFUSED(jn_trajectory_band(x.path, 0, 0, (jn_representation)(JN_MIXED + 1), &q, v));
  for (int wrong = 0; wrong < 6; wrong++)
    REFUSED(jn_trajectory_force_band(wrong == 0 ? NULL : x.model, wrong == 1 ? NULL : x.data,
                                     wrong == 2 ? NULL : x.path, 0,
                                     wrong == 3   ? -1
                                     : wrong == 4 ? JN_MAX_ORDER + 1
                                                  : 0,
                                     wrong == 5 ? NULL : &tau));
  jn_model *arm = NULL;
  jn_data *data = NULL;
  double forces[6];
  assert_ok(jn_model_load("arm6", NULL, NULL, &arm, NULL));
  assert_ok(jn_data_new(arm, 0, NULL, &data));
  REFUSED(jn_trajectory_force_band(arm, data, x.path, 0, 0, forces));
  jn_data_free(data);
  jn_model_free(arm);
  assert_true(q == 7 && all_equal_to(v, 2, 7) && tau == 7);
  /* a motion that is not fitted has bands of width zero; outputs may be NULL */
  assert_ok(jn_trajectory_band(x.path, 0.5, 0, JN_BODY, NULL, NULL));
  assert_ok(jn_trajectory_band(x.path, 0.5, 0, JN_BODY, &q, v));
  assert_true(q == 0 && all_equal_to(v, 2, 0));
}

static void batches_of_motions_need_their_arguments(void **state) {
  (void)state;
  const jn_trajectory *const path[1] = {x.path};
  const double K = 10, B = 0.1, t = 0.5;
  double tau[3] = {7, 7, 7};
  jn_trajectory *T = UNTOUCHED;
  jn_limit_check *check = UNTOUCHED;
  for (int wrong = 0; wrong < 6; wrong++) {
    const jn_model *model = wrong == 0 ? NULL : x.model;
    const int threads = wrong == 1 ? -1 : 1;
    const size_t count = wrong == 2 ? (size_t)INT32_MAX + 1 : 1;
    const jn_trajectory *const *given = wrong == 3 ? NULL : path;
    const jn_limit_range *range = wrong == 4 ? NULL : x.range;
    REFUSED(jn_retime_batch(model, NULL, threads, count, given, range, NULL, NULL,
                            wrong == 5 ? NULL : &T, NULL, NULL, NULL));
    REFUSED(jn_limit_check_batch(model, NULL, threads, count, given, range, 20, NULL,
                                 wrong == 5 ? NULL : &check, NULL, NULL));
  }
  for (int wrong = 0; wrong < 8; wrong++)
    REFUSED(jn_elastic_motors_batch(wrong == 0 ? NULL : x.model, NULL, 1, 1, path,
                                    wrong == 1 ? -1 : 1, wrong == 2 ? NULL : &t,
                                    wrong == 3   ? -1
                                    : wrong == 4 ? JN_MAX_ORDER - 1
                                                 : 0,
                                    wrong == 5 ? NULL : &K, wrong == 6 ? NULL : &B, NULL,
                                    wrong == 7 ? NULL : tau, NULL, NULL, NULL, NULL));
  assert_true(T == UNTOUCHED && (void *)check == UNTOUCHED && all_equal_to(tau, 3, 7));
  assert_ok(jn_elastic_motors_batch(x.model, NULL, 1, 1, path, 0, NULL, 0, &K, &B, NULL, tau, NULL,
                                    NULL, NULL, NULL));
  assert_true(all_equal_to(tau, 3, 7));
}

static int set_up(void **state) {
  (void)state;
  x = one_joint(3, 0, 1.5);
  one_limit(&x, JN_LIMIT_JERK, 30);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  one_free(&x);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clocks_need_their_arguments),
      cmocka_unit_test(limits_need_their_arguments),
      cmocka_unit_test(motions_need_their_arguments),
      cmocka_unit_test(bands_need_their_arguments),
      cmocka_unit_test(batches_of_motions_need_their_arguments),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
