/* test_integrate.c: integration: the group, the order of every scheme, closed forms, conserved
 * quantities, dense output, events. JOUNCE_LONG=1 adds the long runs. */
#include "helpers/simulate.h"

/* The group. */

static void test_difference_is_the_inverse_of_integrate(void **state) {
  (void)state;
  static const char *const names[] = {"tilthex", "humanoid", "arm7"};
  double worst = 0, worst_near = 0;
  for (int n = 0; n < 3; n++) {
    jn_model *model = load_model(names[n]);
    int nv = jn_model_nv(model);
    double q[ROOM], q1[ROOM], v[ROOM], dq[ROOM], back[ROOM];
    some_state(model, q, v);
    for (int k = 0; k < 400; k++) {
      double size = k < 100 ? 1.7 : k < 200 ? 1e-3 : k < 300 ? 1e-9 : 1e-300;
      for (int i = 0; i < nv; i++) dq[i] = plain_uniform(size);
      assert_int_equal(jn_integrate(model, q, dq, q1), JN_OK);
      assert_int_equal(jn_difference(model, q, q1, back), JN_OK);
      for (int i = 0; i < nv; i++) worst = worse(worst, fabs(back[i] - dq[i]));
    }
    jn_model_free(model);
  }
  /* rotations by nearly pi, and by pi itself up to its sign */
  jn_model *model = one_body(1, 2, 2.5, (jn_vec3){0, 0, 0});
  for (int k = 0; k < 12; k++) {
    double q[7] = {1, 0, 0, 0, 0, 0, 0}, q1[7], back[6], q2[7];
    double angle = PI - (k ? pow(10, -k - 3) : 0), dq[6] = {angle * 0.6, 0, angle * 0.8, 1, 2, 3};
    assert_int_equal(jn_integrate(model, q, dq, q1), JN_OK);
    assert_int_equal(jn_difference(model, q, q1, back), JN_OK);
    assert_int_equal(jn_integrate(model, q, back, q2), JN_OK);
    double same = 0, other = 0;
    for (int i = 0; i < 4; i++) {
      same = worse(same, fabs(q1[i] - q2[i]));
      other = worse(other, fabs(q1[i] + q2[i]));
    }
    worst_near = worse(worst_near, fmin(same, other));
    for (int i = 4; i < 7; i++) worst_near = worse(worst_near, fabs(q1[i] - q2[i]));
  }
  jn_model_free(model);
  assert_below("log(exp(dq)) - dq", worst, 4e-15);
  assert_below("the same near a half turn, as poses", worst_near, 4e-15);
}

static void test_a_free_joint_moves_by_the_exponential_of_se3(void **state) {
  (void)state;
  jn_model *model = one_body(1, 2, 2.5, (jn_vec3){0, 0, 0});
  double q[7], v[6], dq[6], q1[7], worst = 0;
  some_state(model, q, v);
  for (int k = 0; k < 100; k++) {
    for (int i = 0; i < 6; i++) dq[i] = plain_uniform(2);
    jn_pose C =
        jn_pose_make(jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), jn_v3(q[4], q[5], q[6]));
    jn_twist x = jn_twist_make(jn_v3(dq[0], dq[1], dq[2]), jn_v3(dq[3], dq[4], dq[5]));
    jn_pose D = jn_pose_mul(C, jn_se3_exp(x));
    assert_int_equal(jn_integrate(model, q, dq, q1), JN_OK);
    jn_mat3 R = jn_quat_to_m3(jn_quat_make(q1[0], q1[1], q1[2], q1[3]));
    for (int i = 0; i < 9; i++) worst = worse(worst, fabs(R.m[i / 3][i % 3] - D.R.m[i / 3][i % 3]));
    worst = worse(worst, jn_v3_norm(jn_v3_sub(D.p, jn_v3(q1[4], q1[5], q1[6]))));
  }
  assert_below("q exp(dq) against C exp(x)", worst, 4e-15);
  jn_model_free(model);
}

static void test_a_million_steps_stay_on_the_group(void **state) {
  (void)state;
  jn_model *model = one_body(1, 2, 2.5, (jn_vec3){0, 0, 0});
  double q[7], v[6], dq[6] = {0.01, -0.02, 0.013, 1e-3, 2e-3, -1e-3}, length = 0;
  some_state(model, q, v);
  for (int k = 0; k < 1000000; k++) {
    if (k % 2)
      for (int i = 0; i < 6; i++) dq[i] = plain_uniform(0.05);
    if (jn_integrate(model, q, dq, q)) fail();
    length = worse(length, fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1));
  }
  jn_mat3 R = jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3]));
  assert_below("||quaternion| - 1|, largest of 10^6 steps", length, 1e-15);
  assert_below("|R^T R - 1| after them", jn_m3_rotation_error(R), 1e-15);

  /* the same small rotation repeated: the length does not drift, and a full turn in 10^6 parts
     closes */
  double q1[7] = {1, 0, 0, 0, 0, 0, 0}, turn[6] = {0, 0, 2 * PI / 1e6, 0, 0, 0};
  for (int k = 0; k < 1000000; k++)
    if (jn_integrate(model, q1, turn, q1)) fail();
  double norm = sqrt(q1[0] * q1[0] + q1[3] * q1[3]);
  assert_below("a full turn in 10^6 parts, length", fabs(norm - 1), 1e-15);
  assert_below("a full turn in 10^6 parts, angle", 2 * fabs(atan2(q1[3], -q1[0])), 1e-9);
  jn_model_free(model);
}

/* Order. */

static const struct {
  jn_scheme scheme;
  int order; /* the order in its name */
  double step;
} schemes[] = {{JN_RKMK4, 4, 0.05},         {JN_RKMK54, 5, 0.1},  {JN_MOMENTUM, 4, 0.05},
               {JN_VARIATIONAL, 2, 0.0125}, {JN_TAYLOR, 3, 0.05}, {JN_TAYLOR, 6, 0.025}};

/* States at 8 times on the way to t, one after the other: q, v. */
enum { LOOKS = 8 };
static void look(const jn_model *model, const jn_simulation_options *o, double t,
                 double (*states)[2][ROOM]) {
  jn_simulation *s = new_simulation(model, o);
  some_state(model, states[0][0], states[0][1]);
  for (int i = 0; i < jn_model_nv(model); i++) states[0][1][i] *= 3;
  assert_int_equal(jn_simulation_set_state(s, 0, states[0][0], states[0][1]), JN_OK);
  for (int k = 0; k < LOOKS; k++) {
    assert_int_equal(jn_simulation_run_to(s, t * (k + 1) / LOOKS, NULL), JN_OK);
    jn_simulation_state(s, NULL, states[k][0], states[k][1]);
  }
  jn_simulation_free(s);
}

/* Root mean square over all numbers and times: at a single time an error may change sign. */
static double error_along(const jn_model *model, double (*x)[2][ROOM], double (*y)[2][ROOM]) {
  double sum = 0, d[ROOM];
  int nv = jn_model_nv(model);
  for (int k = 0; k < LOOKS; k++) {
    assert_int_equal(jn_difference(model, x[k][0], y[k][0], d), JN_OK);
    for (int i = 0; i < nv; i++) {
      double e = x[k][1][i] - y[k][1][i];
      sum += d[i] * d[i] + e * e;
    }
  }
  return sqrt(sum / (2 * nv * LOOKS));
}

static void test_every_scheme_has_the_order_of_its_name(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double t;
  } models[] = {{"tilthex", 1.6}, {"double_pendulum", 0.8}, {"humanoid", 0.8}};
  static double exact[LOOKS][2][ROOM], got[LOOKS][2][ROOM];
  for (int m = 0; m < 3; m++) {
    jn_model *model = load_model(models[m].name);
    jn_simulation_options best = scheme_options(JN_TAYLOR, 0, 1e-17);
    look(model, &best, models[m].t, exact);
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
      if (schemes[i].scheme == JN_MOMENTUM && !jn_model_is_floating(model)) continue;
      jn_simulation_options o = scheme_options(schemes[i].scheme, schemes[i].step, 0);
      if (o.scheme == JN_TAYLOR) o.order = schemes[i].order;
      double old = 0, order = 0;
      /* halve the step until rounding shows */
      for (int k = 0; k < 8; k++, o.step /= 2) {
        look(model, &o, models[m].t, got);
        double e = error_along(model, exact, got);
        if (e < 1e-12) break;
        if (old > 0) order = log2(old / e);
        old = e;
      }
      print_message("  %-16s %-12s order %.3f of %d, error %.1e at a step of %.1e\n",
                    models[m].name, jn_scheme_name(o.scheme), order, schemes[i].order, old,
                    2 * o.step);
      if (!(fabs(order - schemes[i].order) < 0.1)) fail();
    }
    jn_model_free(model);
  }
}

/* Closed forms. */

static void test_a_symmetric_top_in_closed_form(void **state) {
  (void)state;
  const double A = 0.3, C = 0.5, T = 20;
  const jn_vec3 none = {0, 0, 0};
  jn_model *model = one_body(A, A, C, none);
  double q0[7], v0[6];
  some_state(model, q0, v0);
  v0[0] = 1.0, v0[1] = -0.7, v0[2] = 2.0;
  /* R = exp(L t/A) R0 exp(e3 (A-C)/A w3 t), w = R^T L/A + e3 (A-C)/A w3 */
  jn_mat3 R0 = jn_quat_to_m3(jn_quat_make(q0[0], q0[1], q0[2], q0[3]));
  jn_vec3 L = jn_m3_apply(R0, jn_v3(A * v0[0], A * v0[1], C * v0[2]));
  jn_mat3 R = jn_m3_mul(jn_m3_mul(jn_so3_exp(jn_v3_scale(T / A, L)), R0),
                        jn_so3_exp(jn_v3(0, 0, (A - C) / A * v0[2] * T)));
  jn_vec3 w = jn_v3_scale(1 / A, jn_m3_apply_t(R, L));
  w.z += (A - C) / A * v0[2];
  jn_vec3 p = jn_v3_add(jn_v3(q0[4], q0[5], q0[6]),
                        jn_v3_scale(T, jn_m3_apply(R0, jn_v3(v0[3], v0[4], v0[5]))));
  static const struct {
    jn_scheme scheme;
    double step, limit;
  } list[] = {{JN_TAYLOR, 0, 2e-13},
              {JN_RKMK54, 0, 1e-10},
              {JN_MOMENTUM, 0.002, 1e-9},
              {JN_VARIATIONAL, 0.002, 1e-4}};
  for (int i = 0; i < 4; i++) {
    double q[7], v[6];
    jn_simulation_options o = scheme_options(list[i].scheme, list[i].step, i ? 1e-12 : 1e-16);
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q0, v0), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, T, NULL), JN_OK);
    assert_int_equal(jn_simulation_state(s, NULL, q, v), JN_OK);
    jn_mat3 got = jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3]));
    double e = jn_v3_norm(jn_v3_sub(w, jn_v3(v[0], v[1], v[2])));
    e = worse(e, jn_v3_norm(jn_v3_sub(p, jn_v3(q[4], q[5], q[6]))));
    for (int k = 0; k < 9; k++) e = worse(e, fabs(R.m[k / 3][k % 3] - got.m[k / 3][k % 3]));
    char what[64];
    snprintf(what, sizeof what, "symmetric top, 20 s, %s", jn_scheme_name(o.scheme));
    assert_below(what, e, list[i].limit);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

static void test_free_fall_is_exact(void **state) {
  (void)state;
  jn_model *model = one_body(1, 2, 2.5, (jn_vec3){1, -2, -9.81});
  double q0[7], v0[6] = {0, 0, 0, 0.5, 0.25, 3};
  jn_model_home(model, q0);
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    double q[7], v[6];
    jn_simulation_options o = scheme_options((jn_scheme)i, i == JN_TAYLOR ? 0 : 0.25, 0);
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q0, v0), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 8, NULL), JN_OK);
    assert_int_equal(jn_simulation_state(s, NULL, q, v), JN_OK);
    const double g[3] = {1, -2, -9.81};
    double e = 0;
    for (int c = 0; c < 3; c++) {
      e = worse(e, fabs(q[4 + c] - (8 * v0[3 + c] + 32 * g[c])) / 300);
      e = worse(e, fabs(v[3 + c] - (v0[3 + c] + 8 * g[c])) / 80);
    }
    char what[64];
    snprintf(what, sizeof what, "free fall, %s, %ld steps", jn_scheme_name(o.scheme),
             jn_simulation_statistics(s).steps);
    assert_below(what, e, 4e-15);
    if (i == JN_TAYLOR) assert_int_equal(jn_simulation_statistics(s).steps, 1);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* complete elliptic integral K(k) by the arithmetic-geometric mean */
static double elliptic_K(double k) {
  double a = 1, b = sqrt(1 - k * k);
  for (int i = 0; i < 40 && a != b; i++) {
    double m = (a + b) / 2;
    b = sqrt(a * b);
    a = m;
  }
  return PI / (a + b);
}

static void test_a_pendulum_swings_by_the_elliptic_integral(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  jn_data *data;
  double M, worst = 0, home[1] = {0};
  assert_int_equal(jn_data_new(model, 0, NULL, &data), JN_OK);
  assert_int_equal(jn_mass_matrix(model, data, home, &M), JN_OK);
  double mgl = jn_model_mass(model) * 9.81 * 0.5;
  for (int i = 1; i < 12; i++) {
    /* from the turning point to the lowest one: a quarter of the period */
    double q0[1] = {0.25 * i}, v0[1] = {0}, t;
    jn_event_coordinate bottom = {0, 0.0};
    jn_event event = {jn_event_coordinate_g, &bottom, -1};
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-16);
    o.events = &event;
    o.event_count = 1;
    jn_simulation *s = new_simulation(model, &o);
    int met;
    assert_int_equal(jn_simulation_set_state(s, 0, q0, v0), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 100, &met), JN_OK);
    assert_int_equal(met, 0);
    jn_simulation_state(s, &t, NULL, NULL);
    double want = sqrt(M / mgl) * elliptic_K(sin(q0[0] / 2));
    worst = worse(worst, fabs(t - want) / want);
    jn_simulation_free(s);
  }
  assert_below("quarter period of a pendulum, 0.25 ... 2.75 rad", worst, 2e-14);

  double q[1], v[1], q1[1], v1[1];
  jn_simulation_options taylor = scheme_options(JN_TAYLOR, 0, 1e-15),
                        rk = scheme_options(JN_RKMK54, 0, 1e-13);
  run_scheme(model, &taylor, 10, q, v);
  run_scheme(model, &rk, 10, q1, v1);
  assert_below("taylor at 1e-15 against rkmk54 at 1e-13, 10 s", state_distance(model, q, v, q1, v1),
               1e-11);
  jn_data_free(data);
  jn_model_free(model);
}

/* Steps, rejected steps and calls of the dynamics: any change of the step control changes these.
 * Strict, so that they are the same on every machine. */
static void test_the_step_control_has_not_changed(void **state) {
  (void)state;
  static const struct {
    const char *robot;
    jn_scheme scheme;
    double tolerance, max_step, stiffness;
    long steps, rejected, dynamics;
  } cases[] = {
      {"double_pendulum", JN_RKMK54, 1e-6, 0, 0, 58, 1, 355},
      {"double_pendulum", JN_RKMK54, 1e-10, 0.01, 0, 354, 0, 2125},
      {"double_pendulum", JN_RKMK54, 1e-7, 0, 400, 1666, 102, 10609},
      {"double_pendulum", JN_TAYLOR, 1e-8, 0, 0, 35, 0, 36},
      {"double_pendulum", JN_TAYLOR, 1e-12, 0.03, 400, 653, 0, 5225},
      {"tilthex", JN_RKMK54, 1e-8, 0, 0, 33, 0, 199},
      {"tilthex", JN_MOMENTUM, 1e-8, 0, 0, 30, 0, 181},
      {"tilthex", JN_TAYLOR, 1e-14, 0, 0, 9, 0, 10},
  };
  int wrong = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jn_model *model = load_model(cases[i].robot);
    double q[ROOM], v[ROOM], stiffness[ROOM];
    some_state(model, q, v);
    for (int k = 0; k < ROOM; k++) stiffness[k] = cases[i].stiffness;
    jn_simulation_options o = scheme_options(cases[i].scheme, 0, cases[i].tolerance);
    o.max_step = cases[i].max_step;
    o.strict = 1;
    if (cases[i].stiffness > 0) o.forces.stiffness = stiffness;
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 1.5, NULL), JN_OK);
    jn_statistics n = jn_simulation_statistics(s);
    if (n.steps != cases[i].steps || n.rejected != cases[i].rejected ||
        n.dynamics != cases[i].dynamics) {
      print_error("case %zu: %ld, %ld, %ld\n", i, n.steps, n.rejected, n.dynamics);
      wrong++;
    }
    jn_simulation_free(s);
    jn_model_free(model);
  }
  assert_int_equal(wrong, 0);
}

/* Conserved quantities. */

static void test_taylor_keeps_energy_and_momentum(void **state) {
  (void)state;
  const int is_long = getenv("JOUNCE_LONG") != NULL;
  const double T = is_long ? 1000 : 200;
  const jn_vec3 none = {0, 0, 0};
  jn_model *model = load_model("tilthex:4x5");
  double q[ROOM], v[ROOM], energy = 0, momentum = 0;
  some_state(model, q, v);
  totals first = totals_of(model, &none, q, v);
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-16);
  o.gravity = &none;
  jn_simulation *s = new_simulation(model, &o);
  assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
  for (int k = 1; k <= 50; k++) {
    assert_int_equal(jn_simulation_run_to(s, T * k / 50, NULL), JN_OK);
    jn_simulation_state(s, NULL, q, v);
    totals now = totals_of(model, &none, q, v);
    energy = worse(energy, fabs(now.energy - first.energy) / first.energy);
    momentum = worse(momentum, momentum_change(&first, &now));
  }
  print_message("  21 bodies tumbling for %g s: %ld steps of order %d\n", T,
                jn_simulation_statistics(s).steps, jn_simulation_statistics(s).order);
  assert_below("taylor: energy", energy, 1e-12);
  assert_below("taylor: momentum", momentum, 1e-12);
  jn_simulation_free(s);
  jn_model_free(model);
}

static void test_the_momentum_scheme_keeps_momentum_to_rounding(void **state) {
  (void)state;
  const int steps = getenv("JOUNCE_LONG") ? 100000 : 20000;
  const jn_vec3 none = {0, 0, 0};
  jn_model *model = load_model("tilthex:4x5");
  double q[ROOM], v[ROOM], worst = 0, line = 0, mass = jn_model_mass(model);
  some_state(model, q, v);
  totals first = totals_of(model, &none, q, v);
  jn_simulation_options o = scheme_options(JN_MOMENTUM, 0.01, 0);
  o.gravity = &none;
  jn_simulation *s = new_simulation(model, &o);
  assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
  for (int k = 1; k <= 20; k++) {
    assert_int_equal(jn_simulation_run_to(s, 0.01 * steps * k / 20, NULL), JN_OK);
    jn_simulation_state(s, NULL, q, v);
    totals now = totals_of(model, &none, q, v);
    worst = worse(worst, momentum_change(&first, &now));
    for (int i = 0; i < 3; i++) { /* c = c(0) + t P/m */
      const double c = first.com[i] + 0.01 * steps * k / 20 * first.momentum[3 + i] / mass;
      line = worse(line, fabs(now.com[i] - c) / (1 + fabs(c)));
    }
  }
  print_message("  %ld steps\n", jn_simulation_statistics(s).steps);
  assert_below("momentum scheme: spatial momentum", worst, 1e-12);
  assert_below("momentum scheme: centre of mass on a straight line", line, 1e-14);
  jn_simulation_free(s);
  jn_model_free(model);
}

static void test_the_variational_scheme_has_no_secular_drift(void **state) {
  (void)state;
  const int steps = getenv("JOUNCE_LONG") ? 100000 : 20000;
  const jn_vec3 none = {0, 0, 0};
  static const char *const names[] = {"tilthex", "double_pendulum"};
  for (int m = 0; m < 2; m++) {
    jn_model *model = load_model(names[m]);
    int floating = jn_model_is_floating(model);
    double q[ROOM], v[ROOM], worst[2] = {0, 0}, momentum = 0, mean[2] = {0, 0};
    some_state(model, q, v);
    jn_simulation_options o = scheme_options(JN_VARIATIONAL, 0.01, 0);
    if (floating) o.gravity = &none;
    totals first = totals_of(model, o.gravity, q, v);
    double scale = floating ? first.energy : 10;
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    for (int k = 0; k < steps; k++) {
      assert_int_equal(jn_simulation_step(s, HUGE_VAL, NULL), JN_OK);
      if (k % 5) continue;
      jn_simulation_state(s, NULL, q, v);
      totals now = totals_of(model, o.gravity, q, v);
      int half = 2 * k >= steps;
      worst[half] = worse(worst[half], fabs(now.energy - first.energy) / scale);
      mean[half] += (now.energy - first.energy) / scale / (0.1 * steps);
      if (floating) momentum = worse(momentum, momentum_change(&first, &now));
    }
    print_message(
        "  %s, %d steps: energy error %.2e in the first half, %.2e in the second; means %.2e, "
        "%.2e\n",
        names[m], steps, worst[0], worst[1], mean[0], mean[1]);
    assert_below("variational: energy in the second half against the first", worst[1] / worst[0],
                 2.0);
    assert_below("variational: change of the mean", fabs(mean[1] - mean[0]) / worst[0], 0.2);
    if (floating) assert_below("variational: spatial momentum", momentum, 1e-11);
    jn_simulation_free(s);
    jn_model_free(model);
  }
}

/* Under gravity the momentum of a free tree is known: P + m g t, and its moment. */
static void test_momentum_under_gravity_follows_the_parabola(void **state) {
  (void)state;
  jn_model *model = load_model("humanoid");
  double q[ROOM], v[ROOM], T = 2, worst = 0;
  jn_simulation_options o = scheme_options(JN_MOMENTUM, 0.01, 0);
  some_state(model, q, v);
  totals a = totals_of(model, NULL, q, v);
  run_scheme(model, &o, T, q, v);
  totals b = totals_of(model, NULL, q, v);
  jn_vec3 g = jn_model_gravity(model), P = jn_v3(a.momentum[3], a.momentum[4], a.momentum[5]);
  double m = jn_model_mass(model);
  jn_vec3 way =
      jn_v3_add(jn_v3_scale(T, jn_v3(a.com[0], a.com[1], a.com[2])), jn_v3_scale(T * T / 2 / m, P));
  jn_vec3 n = jn_v3_add(jn_v3(a.momentum[0], a.momentum[1], a.momentum[2]),
                        jn_v3_cross(way, jn_v3_scale(m, g)));
  jn_vec3 f = jn_v3_add(P, jn_v3_scale(m * T, g));
  worst = jn_v3_norm(jn_v3_sub(n, jn_v3(b.momentum[0], b.momentum[1], b.momentum[2])));
  worst =
      worse(worst, jn_v3_norm(jn_v3_sub(f, jn_v3(b.momentum[3], b.momentum[4], b.momentum[5]))));
  assert_below("momentum under gravity, against the parabola", worst / (m * 9.81 * T), 1e-13);
  jn_model_free(model);
}

/* Dense output, events. */

static void test_dense_output_is_the_motion(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  static const struct {
    jn_scheme scheme;
    double step, limit;
  } list[] = {{JN_TAYLOR, 0, 2e-11},
              {JN_RKMK54, 0, 1e-8},
              {JN_RKMK4, 0.01, 1e-6},
              {JN_MOMENTUM, 0.01, 1e-6},
              {JN_VARIATIONAL, 0.01, 1e-4}};
  for (int i = 0; i < 5; i++) {
    double q[ROOM], v[ROOM], exact_q[ROOM], exact_v[ROOM], worst = 0, before = 0, t = 0;
    jn_simulation_options o = scheme_options(list[i].scheme, list[i].step, 1e-12);
    jn_simulation_options best = scheme_options(JN_TAYLOR, 0, 1e-17);
    jn_simulation *s = new_simulation(model, &o), *exact = new_simulation(model, &best);
    some_state(model, q, v);
    assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
    assert_int_equal(jn_simulation_at(s, 0, q, v), JN_ERR_ARGUMENT);
    assert_int_equal(jn_simulation_set_state(exact, 0, q, v), JN_OK);
    for (int k = 0; k < 12; k++, before = t) {
      assert_int_equal(jn_simulation_step(s, HUGE_VAL, NULL), JN_OK);
      jn_simulation_state(s, &t, NULL, NULL);
      for (int part = 0; part <= 7; part++) {
        double at = part == 7 ? t : before + (t - before) * part / 7;
        assert_int_equal(jn_simulation_at(s, at, q, v), JN_OK);
        assert_int_equal(jn_simulation_run_to(exact, at, NULL), JN_OK);
        jn_simulation_state(exact, NULL, exact_q, exact_v);
        worst = worse(worst, state_distance(model, q, v, exact_q, exact_v));
      }
      assert_int_equal(jn_simulation_at(s, t + 1e-9, q, v), JN_ERR_ARGUMENT);
      assert_int_equal(jn_simulation_at(s, before - 1e-9, q, v), JN_ERR_ARGUMENT);
    }
    char what[64];
    snprintf(what, sizeof what, "dense output, %s", jn_scheme_name(o.scheme));
    assert_below(what, worst, list[i].limit);
    jn_simulation_free(s);
    jn_simulation_free(exact);
  }
  jn_model_free(model);
}

static double height(void *context, double t, const double *q, const double *v) {
  (void)t;
  (void)v;
  return q[6] - *(double *)context;
}

static void test_events_are_found_to_rounding(void **state) {
  (void)state;
  const double g = 9.81;
  jn_model *model = one_body(1, 2, 2.5, (jn_vec3){0, 0, -g});
  double level = 1, ground = 0, worst = 0;
  /* thrown up while tumbling: crosses the level twice, then reaches the ground */
  double q0[7] = {1, 0, 0, 0, 0, 0, 0}, v0[6] = {3, -2, 1, 0.2, 0, 6};
  const double root = sqrt(36 - 2 * g), want[3] = {(6 - root) / g, (6 + root) / g, 12 / g};
  for (int i = 0; i < JN_SCHEME_COUNT; i++) {
    jn_event events[2] = {{height, &level, 0}, {height, &ground, -1}};
    jn_simulation_options o =
        scheme_options((jn_scheme)i, i == JN_TAYLOR || i == JN_RKMK54 ? 0 : 0.01, 1e-14);
    o.events = events;
    o.event_count = 2;
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q0, v0), JN_OK);
    double bound = 0;
    for (int k = 0; k < 3; k++) {
      int met;
      double t, q[7];
      assert_int_equal(jn_simulation_run_to(s, 10, &met), JN_OK);
      assert_int_equal(met, k == 2);
      jn_simulation_state(s, &t, q, NULL);
      bound = worse(bound, fabs(t - want[k]));
    }
    char what[64];
    snprintf(what, sizeof what, "event times of a tumbling throw, %s", jn_scheme_name(o.scheme));
    assert_below(what, bound, i == JN_TAYLOR ? 1e-12 : i == JN_VARIATIONAL ? 1e-4 : 1e-7);
    if (i == JN_TAYLOR) worst = bound;
    jn_simulation_free(s);
  }
  assert_true(worst <= 1e-12);
  jn_model_free(model);
}

/* a joint limit as an event, from one side only, reached repeatedly */
static void test_a_joint_meets_its_limit_each_time_round(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  jn_event_coordinate limit = {0, 0.4};
  jn_event event = {jn_event_coordinate_g, &limit, 1};
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-15);
  o.events = &event;
  o.event_count = 1;
  jn_simulation *s = new_simulation(model, &o);
  double q[1] = {1.0}, v[1] = {0}, times[4];
  assert_int_equal(jn_simulation_set_state(s, 0, q, v), JN_OK);
  for (int k = 0; k < 4; k++) {
    int met;
    assert_int_equal(jn_simulation_run_to(s, 100, &met), JN_OK);
    assert_int_equal(met, 0);
    jn_simulation_state(s, &times[k], q, v);
    assert_true(v[0] > 0 && q[0] >= 0.4 && q[0] < 0.4 + 1e-14);
  }
  assert_below("one period between meetings, as the next",
               fabs(times[1] - times[0] - (times[3] - times[2])), 1e-13);
  jn_simulation_free(s);
  jn_model_free(model);
}

static void test_a_base_at_90_degrees_pitch_is_no_special_case(void **state) {
  (void)state;
  /* pitch passes 90 degrees repeatedly: exactly about y, and nearly */
  jn_model *model = load_model("tilthex");
  const jn_vec3 none = {0, 0, 0};
  double worst = 0;
  for (int i = 0; i < 2; i++) {
    double q[ROOM], v[ROOM] = {0}, q0[ROOM];
    jn_model_home(model, q0);
    v[1] = 4;
    v[0] = v[2] = i * 1e-7;
    totals a = totals_of(model, &none, q0, v);
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-15);
    o.gravity = &none;
    jn_simulation *s = new_simulation(model, &o);
    assert_int_equal(jn_simulation_set_state(s, 0, q0, v), JN_OK);
    assert_int_equal(jn_simulation_run_to(s, 10, NULL), JN_OK);
    jn_simulation_state(s, NULL, q, v);
    totals b = totals_of(model, &none, q, v);
    worst = worse(worst, fabs(b.energy - a.energy) / a.energy);
    worst = worse(worst, fabs(b.momentum[1] - a.momentum[1]) / a.momentum[1]);
    jn_simulation_free(s);
  }
  assert_below("energy and momentum through six flips", worst, 1e-13);
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_difference_is_the_inverse_of_integrate),
      cmocka_unit_test(test_a_free_joint_moves_by_the_exponential_of_se3),
      cmocka_unit_test(test_a_million_steps_stay_on_the_group),
      cmocka_unit_test(test_every_scheme_has_the_order_of_its_name),
      cmocka_unit_test(test_a_symmetric_top_in_closed_form),
      cmocka_unit_test(test_free_fall_is_exact),
      cmocka_unit_test(test_a_pendulum_swings_by_the_elliptic_integral),
      cmocka_unit_test(test_the_step_control_has_not_changed),
      cmocka_unit_test(test_taylor_keeps_energy_and_momentum),
      cmocka_unit_test(test_the_momentum_scheme_keeps_momentum_to_rounding),
      cmocka_unit_test(test_the_variational_scheme_has_no_secular_drift),
      cmocka_unit_test(test_momentum_under_gravity_follows_the_parabola),
      cmocka_unit_test(test_dense_output_is_the_motion),
      cmocka_unit_test(test_events_are_found_to_rounding),
      cmocka_unit_test(test_a_joint_meets_its_limit_each_time_round),
      cmocka_unit_test(test_a_base_at_90_degrees_pitch_is_no_special_case),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
