/* test_simulate_edges.c: edge cases of simulation: forces that fail at any call, events that touch
 * zero, jump, coincide or are NaN, options at their limits. */
#include "helpers/simulate.h"

#include "integrate/simulation.h"

#include "helpers/check.h"
#include "helpers/tree.h"

/* A mass on a rail: q = t at v = 1, without gravity. */
static jn_model *rail(void) {
  jn_spec *spec;
  jn_link_desc base = link_of("base", 1, jn_v3(0, 0, 0), 1, 1, 1),
               car = link_of("car", 1, jn_v3(0, 0, 0), 1, 1, 1);
  jn_joint_desc held = jn_joint_default("held", JN_JOINT_FIXED, NULL, "base"),
                slide = joint_of("slide", JN_JOINT_PRISMATIC, "base", "car", shift(0, 0, 0));
  slide.friction = slide.damping = 0.25;
  assert_ok(jn_spec_new("rail", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &base));
  assert_ok(jn_spec_add_link(spec, &car));
  assert_ok(jn_spec_add_joint(spec, &held));
  assert_ok(jn_spec_add_joint(spec, &slide));
  assert_ok(jn_spec_set_gravity(spec, jn_v3(0, 0, 0)));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

/* A free body with another one on a hinge; frame 0 is that of the world. */
static jn_model *afloat(void) {
  jn_spec *spec;
  jn_link_desc world = jn_link_default("world"), body = link_of("body", 1, jn_v3(0, 0, 0), 1, 1, 1),
               arm = link_of("arm", 1, jn_v3(0.5, 0, 0), 1, 1, 1);
  jn_joint_desc base = joint_of("base", JN_JOINT_FREE, "world", "body", shift(0, 0, 0)),
                hinge = joint_of("hinge", JN_JOINT_REVOLUTE, "body", "arm", shift(1, 0, 0)),
                ball = joint_of("ball", JN_JOINT_SPHERICAL, "arm", "hand", shift(1, 0, 0));
  jn_link_desc hand = link_of("hand", 1, jn_v3(0, 0.5, 0), 1, 1, 1);
  ball.armature = 0.1;
  assert_ok(jn_spec_new("afloat", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &world));
  assert_ok(jn_spec_add_link(spec, &body));
  assert_ok(jn_spec_add_link(spec, &arm));
  assert_ok(jn_spec_add_link(spec, &hand));
  assert_ok(jn_spec_add_joint(spec, &base));
  assert_ok(jn_spec_add_joint(spec, &hinge));
  assert_ok(jn_spec_add_joint(spec, &ball));
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

/* ---- forces that fail at the n-th call */

static long left; /* calls that succeed before the failure */
static int nv;
static jn_status of_time(void *context, double t, int order, double *tau) {
  (void)context;
  if (left-- <= 0) return JN_ERR_STATE;
  for (int i = 0; i < (order + 1) * nv; i++) tau[i] = i < nv ? 0.1 + 0.01 * t : 0;
  return JN_OK;
}
static jn_status of_state(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context, (void)t, (void)q;
  if (left-- <= 0) return JN_ERR_STATE;
  for (int i = 0; i < nv; i++) tau[i] = -0.1 * v[i];
  return JN_OK;
}
static double somewhere(void *context, double t, const double *q, const double *v) {
  (void)q, (void)v;
  return t - *(const double *)context;
}

static void a_force_that_fails_leaves_the_state(void **state) {
  (void)state;
  jn_model *models[2] = {rail(), afloat()};
  static double at = 0.05, push[6] = {0, 0, 1, 0, 0, 1};
  const jn_applied_wrench wrenches[2] = {{0, JN_BODY, push}, {1, JN_HYBRID, push}};
  const jn_event event = {somewhere, &at, 0};
  for (int m = 0; m < 2; m++)
    for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
      for (int kind = 0; kind < 12; kind++) {
        const int fixed = kind % 2, events = kind / 2 % 2, which = kind / 4;
        jn_simulation_options o = scheme_options((jn_scheme)scheme, fixed ? 0.1 : 0, 1e-6);
        jn_simulation *s = NULL;
        double q[ROOM], v[ROOM], q1[ROOM], v1[ROOM], t;
        nv = jn_model_nv(models[m]);
        if (which != 1) o.forces.time = of_time;
        if (which != 0) o.forces.state = of_state;
        o.forces.wrench_count = 2, o.forces.wrenches = wrenches;
        o.event_count = events, o.events = &event;
        if (jn_simulation_new(models[m], &o, NULL, &s, NULL)) continue; /* invalid combination */
        some_state(models[m], q, v);
        /* makes every call of the first step fail in turn */
        int done = 0;
        for (long n = 0; !done; n++) {
          assert_true(n < 500);
          left = 1000000;
          assert_ok(jn_simulation_set_state(s, 0, q, v));
          left = n;
          jn_status status = jn_simulation_step(s, 0.1, NULL);
          assert_true(status == JN_OK || status == JN_ERR_STATE);
          jn_simulation_state(s, &t, q1, v1);
          if (status) assert_true(t == 0 && same_bits(q, q1, (size_t)jn_model_nq(models[m])));
          if (status) continue;
          assert_true(t > 0);
          /* dense output may call it again */
          const long used = n - left;
          status = jn_simulation_at(s, 0.5 * t, q1, v1);
          assert_true(status == JN_OK || status == JN_ERR_STATE);
          done = status == JN_OK && left > 0 && used <= n;
        }
        jn_simulation_free(s);
      }
  jn_model_free(models[0]), jn_model_free(models[1]);
}

/* A wrench on the world moves nothing; a wrench on a body moves it the same way wherever the base
 * is, with the centre of mass off its origin: in every scheme. */
static void run_afloat(const jn_model *m, int scheme, int frame, jn_representation rep, double away,
                       double *q, double *v) {
  static double push[6] = {0.3, -0.2, 0.5, 1, 2, -1};
  const jn_applied_wrench wrench = {frame, rep, push};
  jn_simulation_options o = scheme_options((jn_scheme)scheme, 0.01, 0);
  jn_simulation *s = NULL;
  o.forces.wrench_count = frame >= 0, o.forces.wrenches = &wrench;
  assert_ok(jn_simulation_new(m, &o, NULL, &s, NULL));
  some_state(m, q, v);
  q[4] += away, q[5] -= away, q[6] += 2 * away;
  assert_ok(jn_simulation_set_state(s, 0, q, v));
  for (int i = 0; i < 20; i++) assert_ok(jn_simulation_step(s, 1, NULL));
  assert_ok(jn_simulation_state(s, NULL, q, v));
  q[4] -= away, q[5] += away, q[6] -= 2 * away;
  jn_simulation_free(s);
}
static void wrenches_on_the_world_and_far_from_it(void **state) {
  (void)state;
  jn_model *m = afloat();
  const size_t nq = (size_t)jn_model_nq(m), count = (size_t)jn_model_nv(m);
  double q[ROOM], v[ROOM], q1[ROOM], v1[ROOM];
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++) {
    run_afloat(m, scheme, -1, JN_BODY, 0, q, v);
    for (int rep = 0; rep < 4; rep++) {
      run_afloat(m, scheme, 0, (jn_representation)rep, 0, q1, v1);
      assert_true(same_bits(q, q1, nq) && same_bits(v, v1, count));
    }
    for (int rep = 1; rep < 4; rep++) { /* a spatial wrench is about the world's origin */
      run_afloat(m, scheme, 2, (jn_representation)rep, 0, q, v);
      run_afloat(m, scheme, 2, (jn_representation)rep, 64, q1, v1);
      check_residual("wrench far from the origin, q", largest_difference(q, q1, nq), 1e-12);
      check_residual("wrench far from the origin, v", largest_difference(v, v1, count), 1e-12);
      run_afloat(m, JN_TAYLOR, 2, (jn_representation)rep, 0, q1, v1);
      check_residual("the schemes agree on a wrench", largest_difference(q, q1, nq), 1e-3);
      check_residual("the schemes agree on a wrench", largest_difference(v, v1, count), 1e-3);
    }
  }
  jn_model_free(m);
}

/* ---- events */

typedef struct wanted {
  double at, until;
  int kind;
} wanted;
enum { LINE, JUMP, NAN_AFTER, NAN_WITHIN, NAN_AT, TOUCH, FLAT, HUGE_JUMP };
static double event_g(void *context, double t, const double *q, const double *v) {
  const wanted *w = context;
  (void)v, (void)q;
  switch (w->kind) {
    case LINE:
      return t - w->at;
    case JUMP:
      return t < w->at ? -1 : 1;
    case NAN_AFTER:
      return t < w->at ? -1 : (double)NAN;
    case NAN_WITHIN:
      return t <= w->at ? -1 : t < w->until ? (double)NAN : 1;
    case NAN_AT:
      return fabs(t - w->at) < 1e-9 ? (double)NAN : 1;
    case TOUCH: /* zero from `at` to `until` */
      return t < w->at ? -1 : t <= w->until ? 0 : 1;
    case HUGE_JUMP:
      return t < w->at ? -1.7e308 : 1.7e308;
    default:
      return 0;
  }
}

static jn_status run_events(const jn_model *model, const jn_event *events, int count, double h,
                            double *t, int *found) {
  jn_simulation_options o = scheme_options(JN_RKMK4, h, 0);
  const double q = 0, v = 1;
  o.events = events, o.event_count = count;
  o.resolution = HUGE_VAL; /* four looks */
  jn_simulation *s = new_simulation(model, &o);
  assert_ok(jn_simulation_set_state(s, 0, &q, &v));
  jn_status status = jn_simulation_step(s, h, found);
  jn_simulation_state(s, t, NULL, NULL);
  jn_simulation_free(s);
  return status;
}

/* Roots of smooth functions need few evaluations: 5 to find the interval and a slope in each before
 * it, then the interpolation. */
typedef struct counted {
  int kind;
  double at, h;
  long calls;
} counted;
static double smooth_g(void *context, double t, const double *q, const double *v) {
  counted *c = context;
  const double x = q[0] / c->h - c->at;
  (void)v, (void)t;
  c->calls++;
  switch (c->kind) {
    case 0:
      return expm1(3 * x);
    case 1:
      return x * (1 + x * (2 + 5 * x));
    case 2:
      return atan(8 * x);
    case 4:
      return x < 0 ? -1 : 1;
    default:
      return -sin(2 * x);
  }
}
static void roots_of_smooth_functions_take_few_calls(void **state) {
  (void)state;
  jn_model *model = rail();
  long most = 0, all = 0;
  double worst = 0;
  for (int kind = 0; kind < 4; kind++)
    for (int n = 0; n < 25; n++) {
      counted c = {kind, 0.013 + 0.039 * n, ldexp(1, 10 * (n % 3 - 1)), 0};
      const jn_event event = {smooth_g, &c, 0};
      double t = -1;
      int found = -1;
      assert_ok(run_events(model, &event, 1, c.h, &t, &found));
      assert_int_equal(found, 0);
      worst = worse(worst, fabs(t / c.h - c.at));
      const long root = c.calls - 1 - 2 * (long)ceil(4 * c.at);
      most = root > most ? root : most;
      all += root;
    }
  print_message("           %ld calls for 100 roots, at most %ld for one\n", all, most);
  assert_below("roots of smooth functions", worst, 4e-16);
  for (int power = -30; power <= 30; power += 10) {
    counted c = {4, 0.3, ldexp(1, power), 0};
    const jn_event event = {smooth_g, &c, 0};
    double t = -1;
    int found = -1;
    assert_ok(run_events(model, &event, 1, c.h, &t, &found));
    assert_int_equal(found, 0);
    assert_below("a jump", fabs(t / c.h - c.at), 1e-15);
  }
  assert_true(most <= 8 && all <= 690);
  jn_model_free(model);
}

static void events_touch_jump_coincide_or_are_no_numbers(void **state) {
  (void)state;
  jn_model *model = rail();
  static const struct {
    wanted w[2];
    int direction[2], count;
    jn_status status;
    int found;
    double at;
  } cases[] = {
      {{{0.3, 0, LINE}}, {0}, 1, JN_OK, 0, 0.3},
      {{{0.3, 0, JUMP}}, {0}, 1, JN_OK, 0, 0.3},
      {{{0.3, 0, HUGE_JUMP}}, {0}, 1, JN_OK, 0, 0.3},
      {{{1, 0, JUMP}}, {0}, 1, JN_OK, 0, 1}, /* at the end of the step */
      {{{0.3, 0, JUMP}}, {-1}, 1, JN_OK, -1, 1},
      {{{0.5, 0, LINE}}, {0}, 1, JN_OK, 0, 0.5}, /* zero at a sample */
      {{{0, 0, LINE}}, {0}, 1, JN_OK, -1, 1},    /* zero at the start */
      {{{0, 0, FLAT}}, {0}, 1, JN_OK, -1, 1},
      {{{0.3, 0.4, TOUCH}}, {0}, 1, JN_OK, 0, 0.3}, /* zero from 0.3 to 0.4: found there */
      {{{0.3, 0.31, TOUCH}}, {0}, 1, JN_OK, 0, 0.3},
      {{{0.5, 0, NAN_AFTER}}, {0}, 1, JN_ERR_NOT_FINITE, -1, 0},
      {{{0, 0, NAN_AFTER}}, {0}, 1, JN_ERR_NOT_FINITE, -1, 0},
      {{{0.5, 0.625, NAN_WITHIN}}, {0}, 1, JN_ERR_NOT_FINITE, -1, 0},
      {{{0.3, 0, NAN_AT}, {0.3, 0, LINE}}, {0}, 2, JN_ERR_NOT_FINITE, -1, 0},
      {{{0.6, 0, LINE}, {0.3, 0, LINE}}, {0}, 2, JN_OK, 1, 0.3},
      {{{0.3, 0, LINE}, {0.6, 0, LINE}}, {0}, 2, JN_OK, 0, 0.3},
      {{{1, 0, JUMP}, {1, 0, JUMP}}, {0}, 2, JN_OK, 0, 1}, /* the first of two at once */
      {{{0.3, 0, JUMP}, {0.3, 1, TOUCH}}, {0, -1}, 2, JN_OK, 0, 0.3},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    wanted w[2] = {cases[i].w[0], cases[i].w[1]};
    const jn_event events[2] = {{event_g, &w[0], cases[i].direction[0]},
                                {event_g, &w[1], cases[i].direction[1]}};
    double t = -1;
    int found = 7;
    jn_status status = run_events(model, events, cases[i].count, 1, &t, &found);
    if (status != cases[i].status || found != cases[i].found || fabs(t - cases[i].at) > 1e-12)
      fail_msg("case %zu: %s, event %d at %.17g", i, jn_status_text(status), found, t);
  }
  /* a limit that is moved across the state: found at once */
  jn_event_coordinate limit = {0, 5};
  const jn_event event = {jn_event_coordinate_g, &limit, 0};
  jn_simulation_options o = scheme_options(JN_RKMK4, 1, 0);
  const double q = 0, v = 1;
  int found;
  double t;
  o.events = &event, o.event_count = 1;
  jn_simulation *s = new_simulation(model, &o);
  assert_ok(jn_simulation_set_state(s, 0, &q, &v));
  assert_ok(jn_simulation_run_to(s, 2, &found));
  assert_int_equal(found, -1);
  limit.value = 1;
  assert_ok(jn_simulation_run_to(s, 3, &found));
  jn_simulation_state(s, &t, NULL, NULL);
  assert_true(found == 0 && t == 2);
  assert_ok(jn_simulation_run_to(s, 3, &found)); /* and the simulation continues */
  assert_int_equal(found, -1);
  jn_simulation_free(s);
  jn_model_free(model);
}

/* A push of 1.5e308 N in the middle of the step: the car is at rest at its start, has 1e308 m/s at its
 * end, and the cubic in between is not a number. */
static jn_status enormous_push(void *context, double t, int order, double *tau) {
  (void)context, (void)order;
  tau[0] = t == 0.5 ? 1.5e308 : 0;
  return JN_OK;
}
static void a_step_without_numbers_inside_has_no_events(void **state) {
  (void)state;
  jn_model *model = rail();
  for (int events = 0; events < 2; events++) {
    wanted line = {0.3, 0, LINE};
    const jn_event event = {event_g, &line, 0};
    jn_simulation_options o = scheme_options(JN_RKMK4, 1, 0);
    const double q = 0, v = 0;
    double t, q1, v1;
    int found = 7;
    o.forces.time = enormous_push;
    o.events = &event, o.event_count = events;
    o.resolution = HUGE_VAL;
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, &q, &v));
    assert_status(jn_simulation_step(s, 1, &found), events ? JN_ERR_NOT_FINITE : JN_OK);
    assert_ok(jn_simulation_state(s, &t, &q1, &v1));
    if (events) { /* and the state is left as it was */
      assert_non_null(strstr(jn_simulation_message(s), "the state is not finite at t = 0"));
      assert_true(t == 0 && q1 == 0 && v1 == 0 && found == -1);
    } else { /* without looks inside, the step is a good one */
      assert_true(t == 1 && fabs(q1 / 5e307 - 1) < 1e-15 && fabs(v1 / 1e308 - 1) < 1e-15);
    }
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* ---- options */

static double creeping_break(void *context, double t) {
  (void)context;
  return t + 1e-9;
}
static double no_break(void *context, double t) { return *(const double *)context + 0 * t; }

static void options_at_their_edges(void **state) {
  (void)state;
  jn_model *model = rail();
  const jn_event nothing = {NULL, NULL, 0};
  static const double bad[] = {-1, (double)NAN, (double)INFINITY};
  jn_simulation *s = NULL;
  for (int i = 0; i < 12; i++) {
    jn_simulation_options o = scheme_options(JN_RKMK54, 0, 0);
    if (i < 3) o.max_step = bad[i];
    if (i >= 3 && i < 6) o.step = bad[i - 3];
    if (i == 6) o.order = -1;
    if (i == 7) o.order = 1;
    if (i == 8) o.event_count = -1;
    if (i == 9) o.event_count = 1;
    if (i == 10) o.event_count = 1, o.events = &nothing;
    if (i == 11) o.tolerance = 2;
    assert_status(jn_simulation_new(model, &o, NULL, &s, NULL), JN_ERR_ARGUMENT);
  }
  /* each kind of damping alone: v(1) = exp(-1/4), or a loss of 1/4 */
  for (int i = 0; i < 4; i++)
    for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++) {
      const double quarter = 0.25, q = 0, v = 1;
      double at[2];
      jn_simulation_options o =
          scheme_options((jn_scheme)scheme, scheme == JN_VARIATIONAL ? 1e-3 : 0, 1e-9);
      if (scheme == JN_RKMK4) o.step = 1e-2;
      if (i == 0) o.forces.damping = &quarter;
      if (i == 1) o.forces.model_damping = 1;
      if (i == 2) o.forces.friction = &quarter;
      if (i == 3) o.forces.model_friction = 1;
      o.max_step = i == 1 ? 0.01 : 0;
      if (scheme == JN_MOMENTUM) continue; /* the base is fixed */
      s = new_simulation(model, &o);
      assert_ok(jn_simulation_set_state(s, 0, &q, &v));
      assert_ok(jn_simulation_run_to(s, 1, NULL));
      jn_simulation_state(s, NULL, &at[0], &at[1]);
      assert_below("what damps slows", fabs(at[1] - (i < 2 ? exp(-0.25) : 0.75)), 1e-6);
      if (o.max_step > 0)
        assert_true(jn_simulation_statistics(s).last_step <= 0.0101 || o.step > 0);
      /* to the next number after t */
      assert_ok(jn_simulation_step(s, nextafter(1, 2), NULL));
      jn_simulation_state(s, &at[0], NULL, NULL);
      assert_true(at[0] == nextafter(1, 2));
      jn_simulation_free(s);
    }
  /* breaks that are in the past, within a step, and in the future; fixed steps end there too */
  static const double breaks[] = {-1, 0.3, 9};
  for (int i = 0; i < 6; i++) {
    double at = breaks[i % 3];
    const double q = 0, v = 1;
    jn_simulation_options o = scheme_options(JN_RKMK54, i < 3 ? 0 : 0.25, 0);
    o.forces.next_break = no_break, o.forces.time_context = &at;
    s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, &q, &v));
    int met = 0;
    for (double t = 0; t < 1;) {
      assert_ok(jn_simulation_step(s, 1, NULL));
      jn_simulation_state(s, &t, NULL, NULL);
      met += t == at;
    }
    assert_int_equal(met, i % 3 == 1);
    if (i >= 3) assert_int_equal(jn_simulation_statistics(s).steps, 4 + met);
    jn_simulation_free(s);
  }
  /* without end */
  for (int fixed = 0; fixed < 2; fixed++) {
    jn_simulation_options o = scheme_options(JN_RKMK54, fixed ? 0.25 : 0, 0);
    o.forces.next_break = creeping_break, o.max_steps = 100;
    s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_run_to(s, 1, NULL), JN_ERR_LIMIT);
    assert_non_null(strstr(jn_simulation_message(s), fixed ? "fewer breaks" : "tolerance"));
    assert_in_range(jn_simulation_statistics(s).steps, 100, 104);
    jn_simulation_free(s);
  }
  /* the option strict is passed on */
  for (int strict = 0; strict < 2; strict++) {
    jn_simulation_options o = scheme_options(JN_RKMK54, 0, 0);
    o.strict = strict;
    s = new_simulation(model, &o);
    jn_data *data;
    assert_ok(jn_data_new(model, 0, NULL, &data));
    assert_int_equal(jn_data_settings(s->data)->strict, strict | jn_data_settings(data)->strict);
    jn_data_free(data);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* After set_state a used simulation equals a new one: bits, time, steps and events. */
static void a_simulation_restarts_like_a_new_one(void **state) {
  (void)state;
  jn_model *model = afloat();
  const size_t n = (size_t)jn_model_nq(model), m = (size_t)jn_model_nv(model);
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++) {
    const int fixed = scheme == JN_RKMK4 || scheme == JN_VARIATIONAL;
    double q[16], v[16], q1[2][16], v1[2][16], t[2][3];
    long steps[2], before = 0;
    jn_event_coordinate limit = {7, 0.2};
    const jn_event event = {jn_event_coordinate_g, &limit, 0};
    jn_simulation_options o = scheme_options((jn_scheme)scheme, fixed ? 0.011 : 0, 1e-9);
    o.events = &event, o.event_count = 1;
    some_state(model, q, v);
    q[7] = 0.1, v[6] = 0.7;
    jn_simulation *used = new_simulation(model, &o), *fresh = new_simulation(model, &o);
    for (int i = 0; i < 2; i++) {
      jn_simulation *s = i ? fresh : used;
      if (!i) { /* 0.75 s of another motion, past the event */
        q[7] = 0.5;
        assert_ok(jn_simulation_set_state(s, 0.1, q, v));
        while (jn_simulation_state(s, &t[0][0], NULL, NULL) == JN_OK && t[0][0] < 0.85)
          assert_ok(jn_simulation_step(s, 9, NULL));
        q[7] = 0.1;
      }
      before = jn_simulation_statistics(s).steps;
      assert_ok(jn_simulation_set_state(s, 0, q, v));
      assert_ok(jn_simulation_step(s, 1, NULL));
      jn_simulation_state(s, &t[i][0], NULL, NULL);
      assert_ok(jn_simulation_run_to(s, 1, NULL));
      jn_simulation_state(s, &t[i][1], NULL, NULL);
      assert_ok(jn_simulation_run_to(s, 1, NULL));
      jn_simulation_state(s, &t[i][2], q1[i], v1[i]);
      steps[i] = jn_simulation_statistics(s).steps - before;
      assert_true(t[i][0] < 1 || t[i][1] < 1); /* at the event */
    }
    if (memcmp(t[0], t[1], sizeof t[0]) != 0 || steps[0] != steps[1] ||
        !same_bits(q1[0], q1[1], n) || !same_bits(v1[0], v1[1], m))
      fail_msg("%s: %.17g %.17g, %ld and %ld steps", jn_scheme_name((jn_scheme)scheme), t[0][1],
               t[1][1], steps[0], steps[1]);
    jn_simulation_free(used), jn_simulation_free(fresh);
  }
  jn_model_free(model);
}

/* The state that motors and forces as functions of the state receive. */
static double told_v[16];
static jn_status told(void *context, double t, const double *q, const double *v, double *tau) {
  const double *want = context;
  (void)q, (void)tau;
  if (t == 0) memcpy(told_v, v, sizeof *v * (size_t)want[0]);
  return JN_OK;
}
static void forces_receive_the_state_that_was_set(void **state) {
  (void)state;
  jn_model *model = afloat();
  const int n = jn_model_nv(model);
  double q[16], v[16], theta[16], theta_dot[16], context = n;
  some_state(model, q, v);
  for (int i = 4; i < 7; i++)
    q[i] = 0.3 * i; /* away from the origin, where representations differ */
  for (int rep = 0; rep < 4; rep++) {
    jn_simulation_options o = scheme_options(JN_RKMK4, 1e-3, 0);
    o.representation = (jn_representation)rep;
    o.forces.state = told, o.forces.state_context = &context;
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, q, v));
    fill(told_v, 16, (double)NAN);
    assert_ok(jn_simulation_step(s, 1, NULL));
    assert_below("velocities as a force is told them", largest_difference(told_v, v, (size_t)n),
                 1e-14);
    jn_simulation_free(s);
  }
  /* motors start at the positions of the joints */
  double K[16] = {0}, B[16] = {0};
  jn_simulation_options o = scheme_options(JN_RKMK4, 1e-3, 0);
  K[6] = B[6] = 1;
  o.forces.motor_stiffness = K, o.forces.motor_inertia = B;
  jn_simulation *s = new_simulation(model, &o);
  assert_ok(jn_simulation_set_state(s, 0, q, v));
  assert_ok(jn_simulation_motor(s, theta, theta_dot));
  assert_true(theta[6] == q[7] && theta_dot[6] == v[6] && q[7] != 0 && v[6] != 0);
  jn_simulation_free(s);
  jn_model_free(model);
}

/* The end of a variational step with a force k v: v = p - (h/2) k v, by a fixed-point iteration
 * that converges by h k/2 per step. */
static double gain;
static jn_status drag(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context, (void)t, (void)q;
  tau[0] = -gain * v[0];
  return JN_OK;
}
static void a_drag_that_is_too_strong_is_refused(void **state) {
  (void)state;
  jn_model *model = rail();
  static const struct {
    double gain;
    jn_status status;
  } cases[] = {{0.2, JN_OK}, {1.3, JN_OK}, {2, JN_ERR_LIMIT}, {3, JN_ERR_LIMIT}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_simulation_options o = scheme_options(JN_VARIATIONAL, 1, 0);
    const double q = 0, v = 1;
    o.forces.state = drag;
    gain = cases[i].gain;
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, &q, &v));
    assert_status(jn_simulation_step(s, 1, NULL), cases[i].status);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* Springs and motors at joints that cannot have them. */
static void springs_need_joints_with_plain_coordinates(void **state) {
  (void)state;
  jn_model *model = afloat();
  const int n = jn_model_nv(model);
  double *x = doubles((size_t)n), *y = doubles((size_t)n), *none = doubles((size_t)n);
  for (int i = 0; i < n; i++)
    for (int kind = 0; kind < 4; kind++) {
      jn_simulation_options o = scheme_options(JN_RKMK4, 0.1, 0);
      jn_simulation *s = NULL;
      const int plain = i == 6; /* the hinge */
      fill(x, (size_t)n, 0), fill(y, (size_t)n, 1), x[i] = 1;
      if (kind == 0) o.forces.stiffness = x;
      if (kind > 0) o.forces.motor_stiffness = x;
      if (kind == 1) o.forces.motor_inertia = y;
      if (kind == 3) o.forces.motor_inertia = none;
      if (kind == 1) o.forces.stiffness = none;
      assert_status(jn_simulation_new(model, &o, NULL, &s, NULL),
                    plain && kind < 2 ? JN_OK : JN_ERR_ARGUMENT);
      jn_simulation_free(s);
    }
  free(x), free(y), free(none);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_force_that_fails_leaves_the_state),
      cmocka_unit_test(wrenches_on_the_world_and_far_from_it),
      cmocka_unit_test(roots_of_smooth_functions_take_few_calls),
      cmocka_unit_test(events_touch_jump_coincide_or_are_no_numbers),
      cmocka_unit_test(a_step_without_numbers_inside_has_no_events),
      cmocka_unit_test(options_at_their_edges),
      cmocka_unit_test(a_simulation_restarts_like_a_new_one),
      cmocka_unit_test(forces_receive_the_state_that_was_set),
      cmocka_unit_test(a_drag_that_is_too_strong_is_refused),
      cmocka_unit_test(springs_need_joints_with_plain_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
