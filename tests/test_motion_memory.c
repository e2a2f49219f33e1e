/* test_motion_memory.c: motions, fits, limits, clocks and simulations when memory requests fail, each
 * alone or all from it on: an error code, nothing lost, outputs unchanged, and the next call works. */
#include <math.h>
#include <string.h>

#include <jounce/elastic.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/one_joint.h"
#include "helpers/retime.h"
#include "helpers/rng.h"
#include "helpers/simulate.h"

enum { SAMPLES = 120 };

/* Made before memory runs out. */
static one x;
static jn_trajectory *line;               /* it moves at both ends */
static jn_trajectory *uneven;             /* its speed changes by a factor of ten */
static double times[SAMPLES], y[SAMPLES]; /* a recording with noise */
static retime_case arm;

static int unused; /* outputs point here before a call */
#define UNTOUCHED ((void *)&unused)

/* ---- functions that allocate; each makes something, frees it and returns the status; JN_ERR_STATE: an
 * output was changed by a call that failed, or a message is missing */

static jn_status trajectory_of(jn_status status, jn_trajectory *T, const jn_error *e) {
  if (status) return T == UNTOUCHED && e->status == status && e->message[0] ? status : JN_ERR_STATE;
  jn_trajectory_free(T);
  return JN_OK;
}

static jn_status retime_of(const jn_allocator *a, const jn_trajectory *path, jn_retime_options o) {
  jn_trajectory *T = UNTOUCHED;
  jn_retime_report report = {.duration = -1};
  jn_error e = {0};
  const jn_status status = jn_retime(x.model, x.data, path, x.range, &o, a, &T, &report, &e);
  if ((status != JN_OK) != (report.duration < 0)) return JN_ERR_STATE;
  return trajectory_of(status, T, &e);
}
static jn_status fastest(const jn_allocator *a) {
  return retime_of(a, x.path, jn_retime_options_default());
}
static jn_status moving_ends(const jn_allocator *a) {
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64;
  return retime_of(a, line, o);
}
static jn_status uneven_path(const jn_allocator *a) {
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64;
  return retime_of(a, uneven, o);
}
static jn_status given_ends(const jn_allocator *a) {
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64, o.ends = JN_ENDS_GIVEN, o.speed[0] = 0.2, o.speed[1] = 0.1;
  return retime_of(a, line, o);
}
static jn_status least_effort(const jn_allocator *a) {
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64, o.objective = JN_OBJECTIVE_EFFORT, o.duration = 5;
  return retime_of(a, x.path, o);
}
static jn_status tool_speed(const jn_allocator *a) {
  const jn_tool_limit tool = {jn_model_frame_count(x.model) - 1, 0.3};
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64, o.tools = 1, o.tool = &tool, o.without_rates = 1;
  return retime_of(a, x.path, o);
}
static jn_status fastest_arm(const jn_allocator *a) {
  jn_trajectory *T = UNTOUCHED;
  jn_error e = {0};
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 32;
  const jn_status status = jn_retime(arm.model, arm.data, arm.path, arm.range, &o, a, &T, NULL, &e);
  return trajectory_of(status, T, &e);
}
/* the path does not keep its limits: what is broken is named, which takes memory too */
static jn_status infeasible(const jn_allocator *a) {
  one z = x;
  jn_trajectory *T = UNTOUCHED;
  jn_error e = {0};
  one_limit(&z, JN_LIMIT_EFFORT, 1);
  const jn_status status = jn_retime(z.model, z.data, z.path, z.range, NULL, a, &T, NULL, &e);
  if (status == JN_ERR_INFEASIBLE) return strstr(e.message, "joint1") ? JN_OK : JN_ERR_STATE;
  return trajectory_of(status, T, &e);
}
static jn_status forbidden(const jn_allocator *a) {
  one z = x;
  jn_trajectory *T = UNTOUCHED;
  jn_error e = {0};
  one_limit(&z, JN_LIMIT_JERK, 0);
  const jn_status status = jn_retime(z.model, z.data, z.path, z.range, NULL, a, &T, NULL, &e);
  if (status == JN_ERR_INFEASIBLE) return strstr(e.message, "joint1") ? JN_OK : JN_ERR_STATE;
  return trajectory_of(status, T, &e);
}
static jn_status limits(const jn_allocator *a) {
  jn_limit_check *check = UNTOUCHED;
  jn_error e = {0};
  const jn_status status =
      jn_limit_check_new(arm.model, arm.data, arm.path, arm.range, 40, a, &check, &e);
  if (status) return (void *)check == UNTOUCHED && e.status == status ? status : JN_ERR_STATE;
  jn_limit_check_free(check);
  return JN_OK;
}
/* limits that are broken at many speeds: the list of them grows */
static jn_status tight_limits(const jn_allocator *a) {
  jn_limit_range range[JN_LIMIT_KINDS];
  jn_limit_check *check = UNTOUCHED;
  no_limits(1, range);
  for (int kind = JN_LIMIT_VELOCITY; kind < JN_LIMIT_KINDS; kind++)
    range[kind] = (jn_limit_range){-0.1 * (kind + 1), 0.1 * (kind + 1)};
  range[JN_LIMIT_EFFORT] = (jn_limit_range){-4, 4.5};
  const jn_status status = jn_limit_check_new(x.model, x.data, x.path, range, 400, a, &check, NULL);
  if (status) return (void *)check == UNTOUCHED ? status : JN_ERR_STATE;
  const int broken = jn_limit_check_broken(check);
  jn_limit_check_free(check);
  return broken == 6 ? JN_OK : JN_ERR_STATE;
}
static jn_status tool(const jn_allocator *a) {
  double speed = -1, t = -1;
  const jn_status status = jn_tool_peak(x.model, x.data, x.path, 0, 20, a, &speed, &t);
  return (status != JN_OK) == (speed < 0) && (speed < 0) == (t < 0) ? status : JN_ERR_STATE;
}
static jn_status path_times(const jn_allocator *a) {
  const double q[3] = {0, 1, 5};
  double t[3] = {-1, -1, -1};
  const jn_status status = jn_path_times(x.model, 3, q, a, t);
  if (status) return all_equal_to(t, 3, -1) ? status : JN_ERR_STATE;
  return t[0] == 0 && fabs(t[1] - 2 / 3.0) < 1e-15 && t[2] == 2 ? JN_OK : JN_ERR_STATE;
}
static jn_status fit_of(const jn_allocator *a, jn_fit_options o, int count) {
  jn_trajectory *T = UNTOUCHED;
  jn_error e = {0};
  const jn_status status = jn_trajectory_fit(x.model, count, times, y, &o, NULL, a, &T, &e);
  return trajectory_of(status, T, &e);
}
static jn_status automatic(const jn_allocator *a) {
  return fit_of(a, jn_fit_options_default(), SAMPLES);
}
static jn_status at_rest(const jn_allocator *a) {
  jn_fit_options o = jn_fit_options_default();
  o.ends = JN_REST_AT_START | JN_REST_AT_END, o.keep_outliers = 1, o.force = 1;
  return fit_of(a, o, SAMPLES);
}
static jn_status within_tolerance(const jn_allocator *a) {
  jn_fit_options o = jn_fit_options_default();
  o.tolerance = 0.02, o.force = 1;
  return fit_of(a, o, 30);
}
static jn_status clocked(const jn_allocator *a) {
  const double clock[10] = {0, 0, 0.5, 0, 0, 2, 1, 0.5, 0, 0};
  jn_trajectory *T = UNTOUCHED, *again = UNTOUCHED;
  jn_error e = {0};
  jn_status status = jn_trajectory_clocked(x.path, 2, clock, a, &T, &e);
  if (status) return trajectory_of(status, T, &e);
  /* a copy has a clock of its own */
  status = jn_trajectory_scaled(T, 2, a, &again);
  jn_trajectory_free(T);
  if (status) return (void *)again == UNTOUCHED ? status : JN_ERR_STATE;
  jn_trajectory_free(again);
  return JN_OK;
}
static jn_status simulation(const jn_allocator *a) {
  jn_simulation *s = UNTOUCHED;
  jn_error e = {0};
  const jn_simulation_options o = jn_simulation_options_default();
  const jn_status status = jn_simulation_new(arm.model, &o, a, &s, &e);
  if (status) return s == NULL && e.message[0] ? status : JN_ERR_STATE;
  jn_simulation_free(s);
  return JN_OK;
}

static void every_request_may_fail(void **state) {
  (void)state;
  static const struct {
    const char *name;
    jn_status (*run)(const jn_allocator *);
  } calls[] = {{"fastest", fastest},
               {"moving ends", moving_ends},
               {"uneven", uneven_path},
               {"given ends", given_ends},
               {"effort", least_effort},
               {"tool speed", tool_speed},
               {"arm", fastest_arm},
               {"infeasible", infeasible},
               {"forbidden", forbidden},
               {"limits", limits},
               {"tight limits", tight_limits},
               {"tool", tool},
               {"path times", path_times},
               {"automatic fit", automatic},
               {"fit at rest", at_rest},
               {"tolerance", within_tolerance},
               {"clock", clocked},
               {"simulation", simulation}};
  for (size_t i = 0; i < COUNT(calls); i++) {
    long failed = 0;
    for (int once = 0; once < 2; once++)
      for (long k = 1, more = 1; more; k++) {
        counter c;
        const jn_allocator hooks = counting(&c);
        c.fail_at = k, c.fail_once = once;
        const jn_status status = calls[i].run(&hooks);
        more = c.calls >= k;
        failed += status != JN_OK;
        /* a reserve that is refused does not matter, if what is needed is given */
        if (status ? status != JN_ERR_MEMORY || c.calls < k : !once && c.calls >= k)
          fail_msg("%s, request %ld of %ld: %s", calls[i].name, k, c.calls, jn_status_text(status));
        if (c.live) fail_msg("%s, request %ld: %ld blocks are lost", calls[i].name, k, c.live);
      }
    print_message("%s: %ld failures\n", calls[i].name, failed);
    assert_true(failed >= 2);
  }
}

/* Many motions: a failure before the first of them writes no output; one that is over when its motion is
 * tried again is none. */
static void batches_write_nothing_or_what_single_calls_write(void **state) {
  (void)state;
  const jn_trajectory *const path[2] = {x.path, x.path};
  const double K[1] = {10}, B[1] = {0.1}, t[2] = {0.25, 0.5};
  jn_retime_options o = jn_retime_options_default();
  o.intervals = 64;
  for (int kind = 0; kind < 3; kind++) {
    long k = 0, whole = 0, none = 0;
    for (int again = 1; again;) {
      counter c;
      jn_error e = {0};
      const jn_allocator hooks = counting(&c);
      jn_trajectory *T[2] = {UNTOUCHED, UNTOUCHED};
      jn_limit_check *check[2] = {UNTOUCHED, UNTOUCHED};
      double tau[6], want[3], v[4], q;
      fill(tau, 6, -77);
      c.fail_at = ++k, c.fail_once = 1;
      const jn_status status =
          kind == 0
              ? jn_retime_batch(x.model, NULL, 1, 2, path, x.range, &o, &hooks, T, NULL, NULL, &e)
          : kind == 1 ? jn_limit_check_batch(x.model, NULL, 1, 2, path, x.range, 20, &hooks, check,
                                             NULL, &e)
                      : jn_elastic_motors_batch(x.model, NULL, 1, 2, path, 1, t, 0, K, B, &hooks,
                                                tau, NULL, NULL, NULL, &e);
      again = c.calls >= k;
      if (status) {
        assert_status(status, JN_ERR_MEMORY);
        assert_true(e.status == status && e.message[0]);
        assert_true(T[0] == UNTOUCHED && T[1] == UNTOUCHED);
        assert_true((void *)check[0] == UNTOUCHED && (void *)check[1] == UNTOUCHED);
        assert_true(all_equal_to(tau, 6, -77));
        none++;
      } else {
        for (int i = 0; i < 2 && kind == 0; i++) {
          assert_true(jn_trajectory_end(T[i]) == jn_trajectory_end(T[0]));
          if (i) jn_trajectory_free(T[0]), jn_trajectory_free(T[1]);
        }
        for (int i = 0; i < 2 && kind == 1; i++) {
          assert_true(jn_limit_check_samples(check[i]) >= 20);
          jn_limit_check_free(check[i]);
        }
        if (kind == 2) {
          jn_data *data = NULL;
          assert_ok(jn_data_new(x.model, 2, NULL, &data));
          for (int i = 0; i < 2; i++) {
            assert_ok(
                jn_trajectory_at(x.path, t[i], 2, jn_data_settings(data)->representation, &q, v));
            assert_ok(jn_elastic_motors(x.model, data, 0, K, B, &q, v, want, NULL, NULL));
            assert_true(same_bits(want, tau + 3 * i, 3));
          }
          jn_data_free(data);
        }
        whole++;
      }
      assert_int_equal(c.live, 0);
    }
    assert_true(none >= 3 && whole >= 1);
  }
}

/* Memory that is short for both of two motions, and is there again when the first is tried anew: both are
 * delivered, or the call says that one is not. */
typedef struct shortage {
  counter c;
  jn_allocator hooks;
  long from, to;
} shortage;
static void *short_allocate(size_t size, void *context) {
  shortage *s = context;
  const long k = s->c.calls + 1;
  if (k < s->from || k >= s->to) return s->hooks.allocate(size, &s->c);
  s->c.calls++;
  return NULL;
}
static void short_release(void *block, void *context) {
  shortage *s = context;
  s->hooks.release(block, &s->c);
}
static void a_shortage_that_is_over_hides_no_failure(void **state) {
  (void)state;
  const jn_trajectory *const path[3] = {x.path, x.path, x.path};
  int delivered = 0, failed = 0;
  for (long length = 1; length <= 4; length++)
    for (long from = 1; from <= 12; from++) {
      shortage s = {.from = from, .to = from + length};
      s.hooks = counting(&s.c);
      const jn_allocator hooks = {short_allocate, short_release, &s};
      jn_limit_check *check[3] = {0};
      jn_status each[3] = {0};
      const jn_status status =
          jn_limit_check_batch(x.model, NULL, 1, 3, path, x.range, 20, &hooks, check, each, NULL);
      for (int i = 0; i < 3; i++) {
        if (!status) assert_true(check[i] && each[i] == JN_OK);
        jn_limit_check_free(check[i]);
      }
      status ? failed++ : delivered++;
      assert_int_equal(s.c.live, 0);
    }
  assert_true(delivered > 3 && failed > 3);
}

/* Bands take memory from the allocator of their trajectory. */
static void bands_need_memory(void **state) {
  (void)state;
  counter c;
  const jn_allocator hooks = counting(&c);
  jn_trajectory *T = NULL;
  jn_error e = {0};
  double q = -1, v[3] = {-1, -1, -1}, tau[2] = {-1, -1};
  assert_ok(jn_trajectory_fit(x.model, SAMPLES, times, y, NULL, NULL, &hooks, &T, &e));
  const double t = times[SAMPLES / 2];
  c.fail_at = c.calls + 1, c.fail_once = 1;
  assert_status(jn_trajectory_band(T, t, 1, JN_BODY, &q, v), JN_ERR_MEMORY);
  c.fail_at = c.calls + 1;
  assert_status(jn_trajectory_force_band(x.model, x.data, T, t, 1, tau), JN_ERR_MEMORY);
  assert_true(q == -1 && all_equal_to(v, 3, -1) && all_equal_to(tau, 2, -1));
  assert_ok(jn_trajectory_band(T, t, 1, JN_BODY, &q, v));
  assert_ok(jn_trajectory_force_band(x.model, x.data, T, t, 1, tau));
  assert_true(q > 0 && v[0] > q && v[1] > v[0] && tau[0] > 0 && tau[1] > tau[0]);
  jn_trajectory_free(T);
  assert_int_equal(c.live, 0);
}

static int set_up(void **state) {
  (void)state;
  const double straight[2] = {0, 1}, t[4] = {0, 0.1, 2, 4}, q[4] = {0, 0.8, 1, 1.1};
  rng r = rng_new(11);
  jn_error e = {0};
  x = one_joint(3, 0, 1.5);
  one_limit(&x, JN_LIMIT_VELOCITY, 2);
  one_limit(&x, JN_LIMIT_JERK, 30);
  one_limit(&x, JN_LIMIT_EFFORT, 8);
  one_limit(&x, JN_LIMIT_EFFORT_RATE, 40);
  arm = retime_case_new("arm6", 1, 3, 0);
  jn_data_settings(arm.data)->damping = 1;
  for (int i = 0; i < SAMPLES; i++) {
    times[i] = 0.02 * i;
    y[i] = sin(3 * times[i]) + rng_range(&r, -0.01, 0.01);
  }
  return jn_trajectory_polynomial(x.model, 0, 1, 1, straight, NULL, &line, &e) ||
         jn_trajectory_minimum(x.model, 3, 4, t, q, NULL, NULL, &uneven, &e);
}

static int tear_down(void **state) {
  (void)state;
  jn_trajectory_free(line);
  jn_trajectory_free(uneven);
  retime_case_free(&arm);
  one_free(&x);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_may_fail),
      cmocka_unit_test(batches_write_nothing_or_what_single_calls_write),
      cmocka_unit_test(a_shortage_that_is_over_hides_no_failure),
      cmocka_unit_test(bands_need_memory),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
