/* test_simulate_rough.c: events and forces at which a simulation has to give up, or to take care: no numbers
 * at any call, forces without a bound, without a side or without a memory, and tables of forces. */
#include "helpers/simulate.h"

#include "helpers/check.h"

/* ---- an event that is no number at its k-th call */

typedef struct failing {
  int kind;
  long calls, fail_at;
} failing;
static double failing_g(void *context, double t, const double *q, const double *v) {
  failing *f = context;
  const double x = t - 0.37;
  (void)q, (void)v;
  if (++f->calls == f->fail_at) return (double)NAN;
  return f->kind == 0 ? x * x - 1e-4 : f->kind == 1 ? x * x + 1e-9 : expm1(5 * x);
}
static void events_are_no_numbers_at_any_call(void **state) {
  (void)state;
  const double root[3] = {0.36, (double)NAN, 0.37}, q = 0.3, v = 0;
  jn_model *model = load_model("pendulum");
  for (int kind = 0; kind < 3; kind++) {
    long failures = 0;
    for (long k = 1, more = 1; more; k++) {
      failing f = {kind, 0, k};
      const jn_event event = {failing_g, &f, 0};
      jn_simulation_options o = scheme_options(JN_RKMK4, 1, 0);
      double t = -1;
      int found = -1;
      o.events = &event, o.event_count = 1;
      o.resolution = HUGE_VAL; /* four looks: a dip lies within one */
      jn_simulation *s = new_simulation(model, &o);
      assert_ok(jn_simulation_set_state(s, 0, &q, &v));
      const jn_status status = jn_simulation_step(s, 1, &found);
      more = f.calls >= k;
      if (more) {
        assert_status(status, JN_ERR_NOT_FINITE);
        assert_non_null(strstr(jn_simulation_message(s), "event 0 is not finite at t = "));
        failures++;
      } else {
        assert_ok(status);
        jn_simulation_state(s, &t, NULL, NULL);
        assert_int_equal(found, isfinite(root[kind]) ? 0 : -1);
        assert_below("time of the event", fabs(t - (found ? 1 : root[kind])), 1e-13);
      }
      jn_simulation_free(s);
    }
    print_message("           %ld calls\n", failures);
    assert_true(failures > 8);
  }
  jn_model_free(model);
}

/* Below zero for 12 ms about t = 62, and near it for seconds. */
enum { DIP = 62, WIDE = 6 };
static const double deep = 1e-6;
static double dips(void *context, double t, const double *q, const double *v) {
  const double x = (t - DIP) / WIDE;
  (void)context, (void)q, (void)v;
  return 1 - (1 + deep) * exp(-x * x);
}
static void a_dip_is_found_in_a_step_of_minutes(void **state) {
  (void)state;
  const double want = DIP - WIDE * sqrt(log1p(deep)), zero = 0;
  const jn_event event = {dips, NULL, 0};
  jn_model *model = load_model("pendulum");
  jn_simulation_options o = scheme_options(JN_RKMK4, 100, 0);
  double t = -1;
  int found = -1;
  o.events = &event, o.event_count = 1;
  o.resolution = HUGE_VAL;
  jn_simulation *s = new_simulation(model, &o);
  assert_ok(jn_simulation_set_state(s, 0, &zero, &zero));
  assert_ok(jn_simulation_step(s, 100, &found));
  jn_simulation_state(s, &t, NULL, NULL);
  assert_int_equal(found, 0);
  assert_below("time of the event", fabs(t - want), 1e-9);
  jn_simulation_free(s);
  jn_model_free(model);
}

/* ---- forces */

typedef struct rough {
  double size, t;
  int passes;
} rough;
/* size/t: its integral from zero has no bound, and every step from zero misses as much of it */
static jn_status pole(void *context, double t, int order, double *tau) {
  const rough *r = context;
  (void)order;
  tau[0] = t > 0 ? r->size / t : 0;
  return JN_OK;
}
/* A run from q = 0.3 at rest over one second; it is given up without a step. */
static void given_up(const jn_model *model, const jn_simulation_options *o, double t,
                     jn_status want, const char *text) {
  const double q = 0.3, v = 0;
  double now, q_now, v_now;
  jn_simulation *s = new_simulation(model, o);
  assert_ok(jn_simulation_set_state(s, t, &q, &v));
  const jn_status status = jn_simulation_run_to(s, t + 1, NULL);
  if (status != want || !strstr(jn_simulation_message(s), text))
    fail_msg("'%s' expected, found %s '%s'", text, jn_status_text(status),
             jn_simulation_message(s));
  jn_simulation_state(s, &now, &q_now, &v_now);
  assert_true(now == t && q_now == q && v_now == v);
  jn_simulation_free(s);
}
static void a_force_without_a_bound_is_given_up(void **state) {
  (void)state;
  static const struct {
    jn_scheme scheme;
    double size;
    jn_status status;
    const char *text;
  } cases[] = {
      {JN_RKMK54, 1e-10, JN_ERR_LIMIT, "1000 trial steps from t = 0 were rejected"},
      {JN_RKMK54, 1e-6, JN_ERR_LIMIT, "the step is lost in the rounding of t = 0"},
      {JN_RKMK54, 1000, JN_ERR_LIMIT, "the step is lost in the rounding of t = 0"},
      {JN_RADAU, 1e-6, JN_ERR_NOT_FINITE, "a number overflows at t = 0"},
      {JN_RADAU, 1000, JN_ERR_NOT_FINITE, "a number overflows at t = 0"},
  };
  jn_model *model = load_model("pendulum");
  for (size_t i = 0; i < COUNT(cases); i++) {
    rough r = {cases[i].size, 0, 0};
    jn_simulation_options o = scheme_options(cases[i].scheme, 0, 0);
    o.forces.time = pole, o.forces.time_context = &r;
    given_up(model, &o, 0, cases[i].status, cases[i].text);
  }
  jn_model_free(model);
}

/* from rest, each side pushes to the other one */
static jn_status two_sides(void *context, double t, const double *q, const double *v, double *tau) {
  const rough *r = context;
  (void)q, (void)t;
  tau[0] = v[0] > 0 ? -r->size : r->size;
  return JN_OK;
}
static void a_force_without_a_side_is_given_up(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  for (double t = 1; t < 1e7; t *= 1e6)
    for (double size = 1e3; size < 1e26; size *= 1e7) {
      rough r = {size, 0, 0};
      jn_simulation_options o = scheme_options(JN_RADAU, 0, 0);
      o.forces.state = two_sides, o.forces.state_context = &r;
      given_up(model, &o, t, JN_ERR_LIMIT,
               "the equations of the implicit step have no solution for any step size");
    }
  jn_model_free(model);
}

/* Looked at a second time, the force is another one: no place is found at which it began to deviate, and the
 * steps become so short that nothing is looked at. What is left is the motion by its derivatives, zero. */
static jn_status forgetful(void *context, double t, int order, double *tau) {
  rough *r = context;
  memset(tau, 0, sizeof *tau * (size_t)(order + 1));
  if (order) return JN_OK;
  r->passes += t <= r->t;
  r->t = t;
  if (r->passes % 2) tau[0] = r->size;
  return JN_OK;
}
static void a_force_without_a_memory_is_that_of_its_derivatives(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  double t[2], q[2], v[2];
  for (int with = 0; with < 2; with++) {
    rough r = {1000, -1, 0};
    const double q0 = 0.3, v0 = 0;
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 0);
    if (with) o.forces.time = forgetful, o.forces.time_context = &r;
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, &q0, &v0));
    assert_ok(jn_simulation_run_to(s, 1, NULL));
    jn_simulation_state(s, &t[with], &q[with], &v[with]);
    const long rejected = jn_simulation_statistics(s).rejected;
    assert_true(with ? r.passes > 10 && rejected > 10 : rejected == 0);
    jn_simulation_free(s);
  }
  assert_true(t[0] == 1 && t[1] == 1);
  assert_below("the motion", fmax(fabs(q[1] - q[0]), fabs(v[1] - v[0])), 1e-11);
  jn_model_free(model);
}

/* What a table is between its samples need not be told. */
static void a_table_of_forces_knows_its_breaks(void **state) {
  (void)state;
  const double times[4] = {0.1, 0.33, 0.34, 0.7}, samples[4] = {0, 3, -2, 1};
  jn_force_table table = {4, 1, times, samples};
  jn_model *model = load_model("pendulum");
  for (int scheme = 0; scheme < 3; scheme++) {
    double q[2], v[2];
    jn_statistics steps[2];
    for (int told = 0; told < 2; told++) {
      jn_simulation_options o = scheme_options(scheme == 0   ? JN_TAYLOR
                                               : scheme == 1 ? JN_RKMK54
                                                             : JN_RADAU,
                                               0, 0);
      o.forces.time = jn_force_table_time, o.forces.time_context = &table;
      o.forces.next_break = told ? jn_force_table_next_break : NULL;
      steps[told] = run_scheme(model, &o, 1, &q[told], &v[told]);
    }
    assert_true(same_bits(&q[0], &q[1], 1) && same_bits(&v[0], &v[1], 1));
    assert_true(steps[0].steps == steps[1].steps && steps[0].steps > 3);
  }
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_are_no_numbers_at_any_call),
      cmocka_unit_test(a_dip_is_found_in_a_step_of_minutes),
      cmocka_unit_test(a_force_without_a_bound_is_given_up),
      cmocka_unit_test(a_force_without_a_side_is_given_up),
      cmocka_unit_test(a_force_without_a_memory_is_that_of_its_derivatives),
      cmocka_unit_test(a_table_of_forces_knows_its_breaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
