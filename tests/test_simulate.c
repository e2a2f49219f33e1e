/* test_simulate.c: simulation: forces of every kind compared with each other and with closed forms;
 * representations; memory; refusals; the program. */
#include <stdlib.h>
#include <unistd.h>

#include "helpers/counter.h"
#include "helpers/simulate.h"

#define NOT_A_NUMBER ((double)NAN)

/* Two schemes, the same motion. */
static double schemes_differ(const jn_model *model, jn_simulation_options o, double t) {
  double q0[ROOM], v0[ROOM], q1[ROOM], v1[ROOM];
  o.scheme = JN_TAYLOR;
  o.step = 0;
  o.tolerance = 1e-15;
  run_scheme(model, &o, t, q0, v0);
  o.scheme = JN_RKMK54;
  o.tolerance = 1e-13;
  run_scheme(model, &o, t, q1, v1);
  return state_distance(model, q0, v0, q1, v1);
}

/* A mass on a spring along x, with damping. */
static jn_model *slider(double mass, double damping, double friction) {
  jn_spec *spec;
  jn_model *model;
  jn_link_desc link = jn_link_default("mass");
  link.mass = mass;
  link.inertia = (jn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  jn_joint_desc joint = jn_joint_default("rail", JN_JOINT_PRISMATIC, NULL, "mass");
  joint.axis[0] = (jn_vec3){1, 0, 0};
  joint.damping = damping;
  joint.friction = friction;
  assert_int_equal(jn_spec_new("slider", NULL, &spec), JN_OK);
  assert_int_equal(jn_spec_add_link(spec, &link), JN_OK);
  assert_int_equal(jn_spec_add_joint(spec, &joint), JN_OK);
  assert_int_equal(jn_model_build(spec, NULL, NULL, &model, NULL), JN_OK);
  jn_spec_free(spec);
  return model;
}

static void test_an_oscillator_in_closed_form(void **state) {
  (void)state;
  /* m x'' + d x' + k (x - r) = 0, half of d the model's */
  const double m = 2, d = 0.6, k = 5, r = 0.25, T = 7, x0 = 1.5;
  jn_model *model = slider(m, d / 2, 0);
  const double a = d / (2 * m), w = sqrt(k / m - a * a), damping = d / 2;
  const double want = r + exp(-a * T) * (x0 - r) * (cos(w * T) + a / w * sin(w * T));
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    if (i == JN_MOMENTUM) continue;
    jn_simulation_options o =
        scheme_options((jn_scheme)i, i == JN_TAYLOR || i == JN_RKMK54 ? 0 : 0.002, 1e-14);
    o.forces.stiffness = &k;
    o.forces.rest = &r;
    o.forces.damping = &damping;
    o.forces.model_damping = 1;
    jn_simulation *s = new_simulation(model, &o);
    double q[1] = {x0}, v[1] = {0};
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, T, NULL), JN_OK);
    jn_simulation_state(s, NULL, q, v);
    char what[64];
    snprintf(what, sizeof what, "damped oscillator, %s", jn_scheme_name(o.scheme));
    assert_below(what, fabs(q[0] - want),
                 i == JN_TAYLOR        ? 2e-15
                 : i == JN_VARIATIONAL ? 1e-5
                                       : 1e-11);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* Motor and mass on a spring: centre of mass and difference each in closed form. */
static void test_an_elastic_joint_in_closed_form(void **state) {
  (void)state;
  const double m = 2, B = 0.5, K = 30, T = 3, force = 0.8;
  jn_model *model = slider(m, 0, 0);
  const double reduced = m * B / (m + B), w = sqrt(K / reduced), x0 = 0.2, theta0 = 0.5;
  /* B theta'' + K (theta - x) = f, m x'' = K (theta - x): s = theta - x, s'' = -w^2 s + f/B */
  const double rest = force / B / (w * w), s_end = rest + (theta0 - x0 - rest) * cos(w * T);
  const double c_end = (m * x0 + B * theta0) / (m + B) + 0.5 * force / (m + B) * T * T;
  const double want = c_end - B / (m + B) * s_end, want_theta = want + s_end;
  const jn_scheme list[3] = {JN_TAYLOR, JN_RKMK54, JN_RKMK4};
  for (int i = 0; i < 3; i++) {
    jn_simulation_options o = scheme_options(list[i], i == 2 ? 0.001 : 0, 1e-14);
    double q[1] = {x0}, v[1] = {0}, theta[1] = {theta0}, zero[1] = {0};
    o.forces.motor_stiffness = &K;
    o.forces.motor_inertia = &B;
    o.forces.tau = &force;
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    assert_int_equal(jn_simulation_set_motor(s, theta, zero), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, T, NULL), JN_OK);
    jn_simulation_state(s, NULL, q, v);
    jn_simulation_motor(s, theta, NULL);
    char what[64];
    snprintf(what, sizeof what, "elastic joint, %s", jn_scheme_name(o.scheme));
    assert_below(what, fmax(fabs(q[0] - want), fabs(theta[0] - want_theta)), i ? 1e-9 : 4e-14);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

static void test_springs_damping_and_friction_on_a_robot(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  double stiffness[ROOM] = {0}, rest[ROOM] = {0}, damping[ROOM] = {0}, friction[ROOM] = {0};
  for (int i = 6; i < jn_model_nv(model); i++) {
    stiffness[i] = 0.5 + 0.1 * i;
    rest[i] = 0.05 * i;
    damping[i] = 0.01 * i;
    friction[i] = 0.02;
  }
  damping[0] = damping[4] = 0.1; /* of the base's own twist */
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 0);
  o.forces.stiffness = stiffness;
  o.forces.rest = rest;
  assert_below("springs, taylor against rkmk54", schemes_differ(model, o, 1), 1e-11);
  o.forces.damping = damping;
  assert_below("and damping", schemes_differ(model, o, 1), 1e-11);
  o.forces.friction = friction;
  o.forces.friction_width = 0.2;
  assert_below("and friction", schemes_differ(model, o, 1), 1e-10);
  double K[ROOM] = {0}, B[ROOM] = {0};
  for (int i = 6; i < 10; i++) K[i] = 20, B[i] = 0.01;
  o.forces.motor_stiffness = K;
  o.forces.motor_inertia = B;
  assert_below("and elastic joints", schemes_differ(model, o, 0.5), 1e-10);
  jn_model_free(model);
}

static void test_forces_of_time(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  enum { NV = 12 };
  assert_int_equal(jn_model_nv(model), NV);
  double a[3 * NV], b[3 * NV], times[4] = {0.1, 0.33, 0.34, 0.7}, samples[4 * NV];
  seed_uniform(7);
  for (int i = 0; i < 3 * NV; i++) a[i] = plain_uniform(0.02), b[i] = plain_uniform(0.02);
  for (int i = 0; i < 4 * NV; i++) samples[i] = plain_uniform(0.02);
  jn_force_fourier fourier = {3, NV, 5.0, a, b};
  jn_force_polynomial polynomial = {2, NV, 0.2, a};
  jn_force_table table = {4, NV, times, samples};
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 0);
  o.forces.time = jn_force_fourier_time;
  o.forces.time_context = &fourier;
  for (int rep = JN_SPATIAL; rep <= JN_MIXED; rep++) { /* of the base's wrench */
    o.representation = (jn_representation)rep;
    assert_below("Fourier sum, taylor against rkmk54", schemes_differ(model, o, 1), 1e-11);
  }
  o.representation = JN_BODY;
  o.forces.time = jn_force_polynomial_time;
  o.forces.time_context = &polynomial;
  assert_below("polynomial", schemes_differ(model, o, 1), 1e-11);
  o.forces.time = jn_force_table_time;
  o.forces.next_break = jn_force_table_next_break;
  o.forces.time_context = &table;
  assert_below("table", schemes_differ(model, o, 1), 1e-11);

  /* derivatives compared with differences of the values, and the kinks of the table */
  double jet[5 * NV], ahead[5 * NV], behind[5 * NV], worst = 0, h = 1e-4;
  for (int f = 0; f < 2; f++) {
    jn_status (*time)(void *, double, int, double *) =
        f ? jn_force_fourier_time : jn_force_polynomial_time;
    void *context = f ? (void *)&fourier : (void *)&polynomial;
    assert_int_equal(time(context, 0.4, 4, jet), JN_OK);
    assert_int_equal(time(context, 0.4 + h, 4, ahead), JN_OK);
    assert_int_equal(time(context, 0.4 - h, 4, behind), JN_OK);
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < NV; i++) {
        double slope = (ahead[k * NV + i] - behind[k * NV + i]) / (2 * h);
        worst = worse(worst, fabs(slope - jet[(k + 1) * NV + i]) / pow(10, k));
      }
  }
  assert_below("derivatives of the functions against differences", worst, 1e-4);
  for (int i = 0; i < 3; i++) { /* linear between samples */
    const double half = 0.5 * (times[i] + times[i + 1]);
    assert_int_equal(jn_force_table_time(&table, half, 1, jet), JN_OK);
    for (int c = 0; c < NV; c++) {
      const double a0 = samples[i * NV + c], a1 = samples[(i + 1) * NV + c];
      assert_true(fabs(jet[c] - 0.5 * (a0 + a1)) < 1e-16);
      assert_true(fabs(jet[NV + c] * (times[i + 1] - times[i]) - (a1 - a0)) < 1e-16);
    }
  }
  assert_true(jn_force_table_next_break(&table, 0.2) == 0.33);
  assert_true(jn_force_table_next_break(&table, 0.7) == HUGE_VAL);
  assert_true(jn_force_table_next_break(&table, -1) == 0.1);
  jn_model_free(model);
}

/* The same constant wrench of the base in every representation is another force; all schemes agree
 * on it. */
static void test_forces_in_every_representation(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  double tau[ROOM] = {0.02, -0.01, 0.03, 0.5, 0.1, 38},
         wrench[6] = {0.01, 5e-3, -0.01, 0.1, -0.2, 0.05};
  const int frame = jn_model_find_frame(model, "B4");
  assert_true(frame >= 0);
  for (int rep = 0; rep < 4; rep++) {
    double q[5][ROOM], v[5][ROOM];
    jn_applied_wrench applied = {frame, (jn_representation)rep, wrench};
    const jn_scheme list[5] = {JN_TAYLOR, JN_RKMK54, JN_MOMENTUM, JN_RKMK4, JN_VARIATIONAL};
    for (int i = 0; i < 5; i++) {
      jn_simulation_options o = scheme_options(list[i], i < 3 ? 0 : 5e-4, i ? 1e-14 : 1e-16);
      o.representation = (jn_representation)rep;
      o.forces.tau = tau;
      o.forces.wrenches = &applied;
      o.forces.wrench_count = 1;
      run_scheme(model, &o, 0.15, q[i], v[i]);
    }
    for (int i = 1; i < 5; i++) {
      char what[64];
      snprintf(what, sizeof what, "representation %d, taylor against %s", rep,
               jn_scheme_name(list[i]));
      assert_below(what, state_distance(model, q[0], v[0], q[i], v[i]),
                   i < 3   ? 1e-11
                   : i < 4 ? 1e-9
                           : 1e-4);
    }
  }
  jn_model_free(model);
}

static jn_status pull(void *context, double t, const double *q, const double *v, double *tau) {
  const int *n = context;
  for (int i = 0; i < *n; i++)
    tau[i] = 0.02 * sin(3 * t) * cos(q[i]) - 0.01 * v[i] - 1e-3 * v[i] * fabs(v[i]);
  return JN_OK;
}

static void test_a_force_of_the_state_serves_runge_kutta_and_is_refused_by_taylor(void **state) {
  (void)state;
  jn_model *model = load_model("arm6");
  int n = jn_model_nv(model);
  double q[4][ROOM], v[4][ROOM];
  for (int i = 0; i < 3; i++) {
    jn_simulation_options o = scheme_options(i == 2 ? JN_VARIATIONAL
                                             : i    ? JN_RKMK4
                                                    : JN_RKMK54,
                                             i ? 2e-4 : 0, 1e-13);
    o.forces.state = pull;
    o.forces.state_context = &n;
    run_scheme(model, &o, 0.2, q[i], v[i]);
  }
  assert_below("a force of the state, rkmk54 against rkmk4",
               state_distance(model, q[0], v[0], q[1], v[1]), 1e-9);
  assert_below("a force of the state, rkmk54 against variational",
               state_distance(model, q[0], v[0], q[2], v[2]), 2e-3);
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 0);
  jn_simulation *s;
  jn_error error;
  o.forces.state = pull;
  assert_int_equal(jn_simulation_new(model, &o, NULL, &s, &error), JN_ERR_ARGUMENT);
  assert_null(s);
  assert_non_null(strstr(error.message, "derivatives"));
  jn_model_free(model);
}

/* A zero-order hold: set_tau between steps equals a table with the same steps. */
static void test_a_held_force_can_be_changed(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    if (i == JN_MOMENTUM) continue;
    jn_simulation_options o =
        scheme_options((jn_scheme)i, i == JN_TAYLOR || i == JN_RKMK54 ? 0 : 0.001, 1e-13);
    double tau[2] = {1.0, -2.0}, q[1] = {0.3}, v[1] = {0}, end[2][2];
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    assert_int_equal(jn_simulation_set_tau(s, &tau[0]), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 1, NULL), JN_OK);
    assert_int_equal(jn_simulation_set_tau(s, &tau[1]), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 2, NULL), JN_OK);
    jn_simulation_state(s, NULL, &end[0][0], &end[0][1]);
    jn_simulation_free(s);
    /* two simulations, one after the other */
    for (int k = 0; k < 2; k++) {
      o.forces.tau = &tau[k];
      s = new_simulation(model, &o);
      assert_int_equal(jn_simulation_set_state(s, k, q, v), JN_OK);
      assert_int_equal(jn_simulation_run_to(s, k + 1, NULL), JN_OK);
      jn_simulation_state(s, NULL, q, v);
      jn_simulation_free(s);
    }
    end[1][0] = q[0], end[1][1] = v[0];
    assert_below("a changed force", fmax(fabs(end[0][0] - end[1][0]), fabs(end[0][1] - end[1][1])),
                 1e-11);
  }
  jn_model_free(model);
}

static void test_a_robot_far_away_moves_the_same(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  const jn_vec3 none = {0, 0, 0};
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    jn_simulation_options o =
        scheme_options((jn_scheme)i, i == JN_TAYLOR || i == JN_RKMK54 ? 0 : 0.01, 1e-13);
    o.gravity = &none;
    double q[2][ROOM], v[2][ROOM], far = 1e6;
    for (int k = 0; k < 2; k++) {
      jn_simulation *s = new_simulation(model, &o);
      some_state(model, q[k], v[k]);
      q[k][4] += k * far;
      assert_int_equal(jn_simulation_set_state(s, 0, q[k], v[k]), JN_OK);
      assert_int_equal(jn_simulation_run_to(s, 0.5, NULL), JN_OK);
      jn_simulation_state(s, NULL, q[k], v[k]);
      jn_simulation_free(s);
    }
    q[1][4] = q[0][4]; /* accurate to 1e-10 only */
    char what[64];
    snprintf(what, sizeof what, "1000 km away, %s", jn_scheme_name((jn_scheme)i));
    assert_below(what, state_distance(model, q[0], v[0], q[1], v[1]), 1e-11);
  }
  jn_model_free(model);
}

/* Memory. */

static void test_one_allocation_and_none_later(void **state) {
  (void)state;
  jn_model *model = load_model("humanoid");
  counter c;
  jn_allocator hooks;
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    jn_simulation *s;
    double q[ROOM], v[ROOM];
    jn_simulation_options o =
        scheme_options((jn_scheme)i, i == JN_TAYLOR || i == JN_RKMK54 ? 0 : 0.01, 0);
    hooks = counting(&c);
    assert_int_equal(jn_simulation_new(model, &o, &hooks, &s, NULL), JN_OK);
    some_state(model, q, v);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 0.1, NULL), JN_OK);
    assert_int_equal(c.calls, 1);
    jn_simulation_free(s);
    assert_int_equal(c.live, 0);
    c.fail_at = 1;
    assert_int_equal(jn_simulation_new(model, &o, &hooks, &s, NULL), JN_ERR_MEMORY);
    assert_null(s);
  }
  jn_simulation_free(NULL);
  jn_model_free(model);
}

/* Refusals. */

static void refused(const jn_model *model, jn_simulation_options o, const char *word) {
  jn_simulation *s = (jn_simulation *)&o;
  jn_error error;
  memset(&error, 'x', sizeof error); /* the old content must be overwritten */
  jn_status status = jn_simulation_new(model, &o, NULL, &s, &error);
  assert_int_not_equal(status, JN_OK);
  assert_int_equal(error.status, status);
  assert_null(s);
  if (!strstr(error.message, word)) fail_msg("'%s' lacks '%s'", error.message, word);
  assert_true(error.line == 0 && error.file[0] == '\0');
}

static void test_options_that_make_no_sense_are_refused(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum"), *ball = load_model("humanoid");
  jn_simulation_options o = scheme_options(JN_RKMK4, 0, 0);
  double one[ROOM], minus[ROOM], bad[ROOM];
  for (int i = 0; i < ROOM; i++) one[i] = 1, minus[i] = -1, bad[i] = NOT_A_NUMBER;
  refused(model, o, "step");
  refused(model, scheme_options(JN_VARIATIONAL, 0, 0), "step");
  refused(model, scheme_options(JN_TAYLOR, -1, 0), "step");
  refused(model, scheme_options(JN_TAYLOR, HUGE_VAL, 0), "step");
  refused(model, scheme_options(JN_TAYLOR, 0, 1e-30), "tolerance");
  refused(model, scheme_options(JN_MOMENTUM, 0.1, 0), "floating");
  refused(model, scheme_options((jn_scheme)77, 0.1, 0), "scheme");
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.order = 1;
  refused(model, o, "order");
  o.order = JN_MAX_ORDER + 1;
  refused(model, o, "order");
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.forces.tau = bad;
  refused(model, o, "tau");
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.forces.friction = minus;
  refused(model, o, "friction");
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.forces.stiffness = one;
  refused(ball, o, "spring");
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.forces.motor_stiffness = one;
  refused(model, o, "inertia");
  o.forces.motor_inertia = one;
  o.scheme = JN_VARIATIONAL;
  o.step = 0.1;
  refused(model, o, "elastic");
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.event_count = 1;
  refused(model, o, "event");
  jn_vec3 gravity = {NOT_A_NUMBER, 0, 0};
  o = scheme_options(JN_TAYLOR, 0, 0);
  o.gravity = &gravity;
  refused(model, o, "gravity");
  jn_simulation *s;
  assert_int_equal(jn_simulation_new(NULL, &o, NULL, &s, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_simulation_new(model, NULL, NULL, &s, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_simulation_new(model, &o, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  jn_model_free(model);
  jn_model_free(ball);
}

static jn_status broken(void *context, double t, int order, double *tau) {
  (void)context;
  (void)order;
  tau[0] = t > 0.5 ? NOT_A_NUMBER : 0;
  return JN_OK;
}

static void test_states_and_times_that_make_no_sense_are_refused(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  int nv = jn_model_nv(model);
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    double q[ROOM], v[ROOM], q1[ROOM], v1[ROOM], t;
    jn_simulation_options o =
        scheme_options((jn_scheme)i, i == JN_TAYLOR || i == JN_RKMK54 ? 0 : 0.1, 0);
    o.forces.time = broken;
    jn_simulation *s = new_simulation(model, &o);
    some_state(model, q, v);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    q[0] += 0.1;
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_ERR_POSE);
    q[0] -= 0.1;
    v[nv - 1] = HUGE_VAL;
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_ERR_NOT_FINITE);
    v[nv - 1] = 0;
    assert_int_equal(jn_simulation_set_state(s, NOT_A_NUMBER, q, v), JN_ERR_NOT_FINITE);
    assert_int_equal(jn_simulation_set_state(s, 0, NULL, v), JN_ERR_ARGUMENT);
    assert_int_equal(jn_simulation_run_to(s, -1, NULL), JN_ERR_ARGUMENT);
    assert_int_equal(jn_simulation_run_to(s, NOT_A_NUMBER, NULL), JN_ERR_ARGUMENT);
    assert_int_equal(jn_simulation_run_to(s, HUGE_VAL, NULL), JN_ERR_ARGUMENT);
    assert_int_equal(jn_simulation_motor(s, q1, v1), JN_ERR_ARGUMENT);
    /* a force that fails: the state is that of the last good step */
    jn_status status = jn_simulation_run_to(s, 2, NULL);
    assert_true(status == JN_ERR_NOT_FINITE || status == JN_ERR_LIMIT);
    jn_simulation_state(s, &t, q1, v1);
    assert_true(t > 0.3 && t < 2);
    for (int k = 0; k < nv; k++) assert_true(isfinite(q1[k]) && isfinite(v1[k]));
    jn_simulation_free(s);
  }
  assert_int_equal(jn_integrate(NULL, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  double q[ROOM], v[ROOM], bad[ROOM] = {NOT_A_NUMBER}, out[ROOM] = {42};
  some_state(model, q, v);
  assert_int_equal(jn_integrate(model, q, bad, out), JN_ERR_NOT_FINITE);
  assert_true(out[0] == 42);
  q[1] = 3;
  assert_int_equal(jn_integrate(model, q, v, out), JN_ERR_POSE);
  assert_int_equal(jn_difference(model, q, q, out), JN_ERR_POSE);
  assert_true(out[0] == 42);
  jn_model_free(model);
}

/* The program. */

static int program(const char *arguments, char *out, size_t size) {
  char line[1024];
  snprintf(line, sizeof line, "%s simulate %s 2>&1", TEST_PROGRAM, arguments);
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  size_t n = fread(out, 1, size - 1, pipe);
  out[n] = '\0';
  while (fgetc(pipe) != EOF) continue;
  int status = pclose(pipe);
  return status / 256;
}

static void test_the_program(void **state) {
  (void)state;
  char out[20000];
  assert_int_equal(program("tilthex --time 1 --drift --text", out, sizeof out), 0);
  assert_non_null(strstr(out, "momentum conserved"));
  assert_int_equal(program("double_pendulum --time 1 --format csv --samples 3", out, sizeof out),
                   0);
  assert_non_null(strstr(out, "t,joint1,joint2,joint1',joint2',energy\n"));
  assert_int_equal(
      program("arm6 --time 0.1 --scheme variational --step 0.01 --samples 2", out, sizeof out), 0);
  assert_non_null(strstr(out, "\"energy_drift\""));
  assert_int_equal(program("pendulum", out, sizeof out), 2);
  assert_non_null(strstr(out, "--time"));
  assert_int_equal(program("pendulum --time 1 --scheme rkmk4", out, sizeof out), 2);
  assert_non_null(strstr(out, "step"));
  assert_int_equal(program("pendulum --time 1 --step 0.1 --tolerance 1e-3", out, sizeof out), 2);
  assert_int_equal(program("pendulum --time 1 --scheme momentum", out, sizeof out), 2);
  assert_int_equal(program("pendulum --time 1 --forces /nowhere.csv", out, sizeof out), 1);
  assert_int_equal(program("pendulum --time 1 --plot '|x'", out, sizeof out), 2);
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* Forces from a file, and the message of the program. */
static void assert_forces_refused(const char *text, const char *reason) {
  char out[4096], path[] = "test_simulate_XXXXXX", line[128];
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  write_file(path, text);
  snprintf(line, sizeof line, "double_pendulum --time 1 --forces %s", path);
  int code = program(line, out, sizeof out);
  remove(path);
  assert_int_equal(code, 1);
  assert_non_null(strstr(out, reason));
}

static void test_the_program_refuses_force_files_with_a_reason(void **state) {
  (void)state;
  char out[4096];
  assert_forces_refused("", ":1: the file has no line of numbers");
  assert_forces_refused("t,joint1,joint1\n0,1,2\n", "'joint1' is named twice");
  assert_forces_refused("t,joint3\n0,1\n", "did you mean 'joint1' or 'joint2'?");
  assert_forces_refused("t,joint1\n", "no line of numbers");
  assert_forces_refused("joint1,t\n0,1\n", "the first column must be 't'");
  assert_forces_refused("t,joint1\n0,x\n", "'x': this is not a number");
  assert_forces_refused("t,joint1\n0,nan\n", "numbers must be finite");
  assert_forces_refused("t,joint1\n0\n", "2 numbers expected");
  assert_forces_refused("t,joint1\n1,0\n0,1\n", "times must increase");
  assert_int_equal(program("pendulum --time 1 --forces .", out, sizeof out), 1);
  assert_non_null(strstr(out, ".: cannot read: "));
}

/* Steps that do not end: the limit and the remedy are named. */
static void test_the_program_names_limit_and_remedy(void **state) {
  (void)state;
  static const struct {
    const char *line, *words;
    int code;
  } cases[] = {
      {"tilthex --time 9 --scheme rkmk54 --max-steps 5", "5 steps", 1},
      {"tilthex --time 9 --scheme rkmk54 --max-steps 5", "raise --max-steps, or loosen", 1},
      {"double_pendulum --state PATH --time 9 --max-steps 2",
       "raise --max-steps, or give a higher --order", 1},
      {"double_pendulum --state PATH --time 9 --max-steps 2 --order 9",
       "raise --max-steps, or loosen", 1},
      {"double_pendulum --time 9 --scheme radau --drift --text", "radau: 9 s in", 0},
      {"double_pendulum --state PATH --time 1 --scheme variational --step 0.2",
       "0.2 s from t = 0 is too long", 1},
      {"double_pendulum --time 1 --scheme rkmk4 --step 0.5 --max-steps 1", "rows", 0},
  };
  char out[20000], line[200], path[] = "test_simulate_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  write_file(path, "{\"joints\": {\"joint1\": [1.5, 40], \"joint2\": [0.2, 0]}}");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(line, sizeof line, "%s", cases[i].line);
    const char *at = strstr(line, "PATH");
    if (at)
      snprintf(line, sizeof line, "%.*s%s%s", (int)(at - line), cases[i].line, path,
               cases[i].line + (at - line) + 4);
    const int code = program(line, out, sizeof out);
    if (code != cases[i].code || !strstr(out, cases[i].words) || (code && strstr(out, "limits.h")))
      fail_msg("%s: %d\n%s", line, code, out);
  }
  remove(path);
}

static void test_the_program_refuses_what_it_could_not_finish(void **state) {
  (void)state;
  char out[4096];
  assert_int_equal(program("pendulum --time 1 --step 1e-17", out, sizeof out), 2);
  assert_non_null(strstr(out, "would take 1e+17 steps; at most 1e9"));
  assert_int_equal(program("pendulum --time 1 --plot x.bmp", out, sizeof out), 2);
  assert_non_null(strstr(out, ".svg or .png"));
  assert_int_equal(program("pendulum --time 1 --plot /nowhere/x.png", out, sizeof out), 1);
  assert_non_null(strstr(out, "cannot write: "));
  assert_null(strstr(out, "rows"));
  assert_int_equal(program("pendulum --time 1 --order 0", out, sizeof out), 2);
}

static void test_a_step_below_the_resolution_of_time_is_refused(void **state) {
  (void)state;
  jn_model *model = slider(1, 0, 0);
  const double q[1] = {0}, v[1] = {1};
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    if (i == JN_MOMENTUM) continue;
    jn_simulation_options o = scheme_options((jn_scheme)i, 1e-17, 1e-12);
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 1, q, v), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 2, NULL), JN_ERR_LIMIT);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_oscillator_in_closed_form),
      cmocka_unit_test(test_an_elastic_joint_in_closed_form),
      cmocka_unit_test(test_springs_damping_and_friction_on_a_robot),
      cmocka_unit_test(test_forces_of_time),
      cmocka_unit_test(test_forces_in_every_representation),
      cmocka_unit_test(test_a_force_of_the_state_serves_runge_kutta_and_is_refused_by_taylor),
      cmocka_unit_test(test_a_held_force_can_be_changed),
      cmocka_unit_test(test_a_robot_far_away_moves_the_same),
      cmocka_unit_test(test_one_allocation_and_none_later),
      cmocka_unit_test(test_options_that_make_no_sense_are_refused),
      cmocka_unit_test(test_states_and_times_that_make_no_sense_are_refused),
      cmocka_unit_test(test_a_step_below_the_resolution_of_time_is_refused),
      cmocka_unit_test(test_the_program),
      cmocka_unit_test(test_the_program_refuses_force_files_with_a_reason),
      cmocka_unit_test(test_the_program_refuses_what_it_could_not_finish),
      cmocka_unit_test(test_the_program_names_limit_and_remedy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
