/* test_simulate_stiff.c: damping, friction and springs that are much faster than the motion,
 * against closed forms and numbers computed with 50 digits; and every limit of a simulation, with
 * its reason and remedy. */
#include "helpers/simulate.h"

#include "helpers/check.h"
#include "helpers/tree.h"

static const jn_scheme adaptive[] = {JN_TAYLOR, JN_RKMK54, JN_RADAU};

static jn_simulation *start(const jn_model *model, const jn_simulation_options *o, const double *q,
                            const double *v) {
  jn_simulation *s = new_simulation(model, o);
  assert_ok(jn_simulation_set_state(s, 0, q, v));
  return s;
}

static void run(jn_simulation *s, double t) {
  if (jn_simulation_run_to(s, t, NULL)) fail_msg("%s", jn_simulation_message(s));
}

/* M v' = tau - d v:
 *   v = u + (v0 - u) exp(-d t/M),  q = q0 + u t + (v0 - u) M/d (1 - exp(-d t/M)),  u = tau/d */
static void a_damped_joint_has_its_closed_form(void **state) {
  (void)state;
  const double m = 0.5, t = 2, tolerance = 1e-10;
  jn_model *model = sliders(1, &m);
  double worst = 0;
  long most = 0;
  for (int power = 0; power <= 9; power++)
    for (size_t k = 0; k < COUNT(adaptive); k++)
      for (int push = 0; push < 2; push++) {
        const double rate = pow(10, power), d = rate * m, tau = push * 0.3, u = tau / d;
        jn_simulation_options o = scheme_options(adaptive[k], 0, tolerance);
        double q = 0.1, v = 3;
        const double want_v = u + (v - u) * exp(-rate * t),
                     want_q = q + u * t - (v - u) / rate * expm1(-rate * t);
        o.forces.damping = &d;
        o.forces.tau = &tau;
        jn_simulation *s = start(model, &o, &q, &v);
        run(s, t);
        jn_simulation_state(s, NULL, &q, &v);
        worst = worse(worst, fmax(fabs(q - want_q), fabs(v - want_v)) / tolerance);
        const long steps = jn_simulation_statistics(s).steps;
        most = steps > most ? steps : most;
        jn_simulation_free(s);
      }
  assert_below("damping to 1e9/s: error over tolerance", worst, 1);
  assert_below("steps of any of them", (double)most, 1000);
  jn_model_free(model);
}

/* Two masses of 2 and 0.5 on springs and dampers: the matrix exponential, computed with 50
 * digits. */
static void stiff_and_slow_joints_together(void **state) {
  (void)state;
  static const struct {
    double d[2], K[2], want[4];
  } cases[] = {
      {{1e6, 3},
       {50, 20},
       {0.1249904033308577964, -0.014329612860184010333, -5.5535488094153717836e-6,
        -0.0058121897524743345479}},
      {{3, 1e6},
       {50, 20},
       {0.0098161032180273055505, -0.24999097700868918891, -0.24632543102346567368,
        4.510186208054283095e-6}},
      {{1e4, 1e7},
       {2000, 70},
       {0.08400845678683094117, -0.24999660918685382744, -0.016732528025604043726,
        1.7198089306595485041e-6}},
  };
  const double m[2] = {2, 0.5}, tau[2] = {0.7, -0.3};
  jn_model *model = sliders(2, m);
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-10);
      double x[4] = {0.125, -0.25, 1, -2};
      o.forces.tau = tau;
      o.forces.damping = cases[i].d;
      o.forces.stiffness = cases[i].K;
      jn_simulation *s = start(model, &o, x, x + 2);
      run(s, 2);
      jn_simulation_state(s, NULL, x, x + 2);
      char what[64];
      snprintf(what, sizeof what, "two masses, damping %g and %g, %s", cases[i].d[0], cases[i].d[1],
               jn_scheme_name(adaptive[k]));
      assert_below(what, largest_difference(x, cases[i].want, 4), 1e-10);
      assert_true(jn_simulation_statistics(s).steps < 3000);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

/* v' = f - F tanh(v/w): v settles at w artanh(f/F), q at v t + an integral computed with 50
 * digits. */
static void stiff_friction_brakes_and_creeps(void **state) {
  (void)state;
  static const struct {
    double f, F, width, v0, creep, way;
  } cases[] = {{0.5, 1e6, 0.01, 1, 5.0000000000004166667e-9, 5.0008249170346494444e-7},
               {3, 1e3, 1e-3, 2, 3.0000090000486003124e-6, 0.0020060128585692199767},
               {0, 1e6, 0.01, 1, 0, 5.0008224670334241132e-7}};
  const double m = 1, t = 3;
  jn_model *model = sliders(1, &m);
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-11);
      double q = 0, v = cases[i].v0;
      o.forces.tau = &cases[i].f;
      o.forces.friction = &cases[i].F;
      o.forces.friction_width = cases[i].width;
      jn_simulation *s = start(model, &o, &q, &v);
      run(s, t);
      jn_simulation_state(s, NULL, &q, &v);
      char what[64];
      snprintf(what, sizeof what, "friction %g, width %g, %s", cases[i].F, cases[i].width,
               jn_scheme_name(adaptive[k]));
      assert_below(
          what, fmax(fabs(q - cases[i].way - t * cases[i].creep), fabs(v - cases[i].creep)), 1e-11);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

/* A robot in honey: d v = -(gravity torque), to the order of the decay time M/d. */
static void a_robot_with_huge_damping_creeps(void **state) {
  (void)state;
  static const char *const robots[] = {"arm6", "tilthex", "humanoid"};
  for (size_t i = 0; i < COUNT(robots); i++)
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      jn_model *model = load_model(robots[i]);
      const int nv = jn_model_nv(model);
      double q[ROOM], v[ROOM], d[ROOM], tau[ROOM], rest[2 * ROOM] = {0}, worst = 0, scale = 0;
      jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-9);
      for (int c = 0; c < nv; c++) d[c] = c % 2 ? 1e9 : 1e6;
      o.forces.damping = d;
      some_state(model, q, v);
      jn_simulation *s = start(model, &o, q, v);
      run(s, 10);
      jn_simulation_state(s, NULL, q, v);
      jn_data *data;
      assert_ok(jn_data_new(model, 0, NULL, &data));
      jn_data_settings(data)->representation = JN_BODY;
      assert_ok(jn_inverse_dynamics(model, data, 0, q, rest, NULL, tau));
      for (int c = 0; c < nv; c++) {
        worst = worse(worst, fabs(d[c] * v[c] + tau[c]));
        scale = fmax(scale, fabs(tau[c]));
      }
      char what[64];
      snprintf(what, sizeof what, "%s in honey, %s, %ld steps", robots[i],
               jn_scheme_name(adaptive[k]), jn_simulation_statistics(s).steps);
      assert_below(what, worst / scale, 1e-7);
      jn_data_free(data);
      jn_simulation_free(s);
      jn_model_free(model);
    }
}

/* A motor on a stiff spring that starts in equilibrium with its constant force: both move as one
 * mass, the joint behind the motor by s = m f/(K (m + B)). */
static void radau_follows_a_stiff_elastic_joint(void **state) {
  (void)state;
  const double m = 2, B = 0.5, K = 1e10, f = 0.8, t = 3, bend = m * f / (K * (m + B));
  jn_model *model = sliders(1, &m);
  jn_simulation_options o = scheme_options(JN_RADAU, 0, 1e-10);
  double q = 0.2, v = 0, theta = q + bend, rate = 0;
  o.forces.tau = &f;
  o.forces.motor_stiffness = &K;
  o.forces.motor_inertia = &B;
  jn_simulation *s = start(model, &o, &q, &v);
  assert_ok(jn_simulation_set_motor(s, &theta, &rate));
  run(s, t);
  jn_simulation_state(s, NULL, &q, &v);
  const double way = 0.5 * f / (m + B) * t * t;
  assert_below("a stiff elastic joint", fabs(q - 0.2 - way), 1e-10);
  assert_true(jn_simulation_statistics(s).steps < 100);
  jn_simulation_free(s);
  jn_model_free(model);
}

/* Halving the step divides the error of radau by 2^9. */
static void radau_has_order_nine(void **state) {
  (void)state;
  static const struct {
    const char *robot;
    double h;
  } cases[] = {{"pendulum", 0.24}, {"tilthex", 0.24}, {"double_pendulum", 0.06}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_model *model = load_model(cases[i].robot);
    double q0[ROOM], v0[ROOM], q[ROOM], v[ROOM], e[2];
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-16);
    run_scheme(model, &o, 0.96, q0, v0);
    for (int k = 0; k < 2; k++) {
      o = scheme_options(JN_RADAU, k ? cases[i].h / 2 : cases[i].h, 0);
      run_scheme(model, &o, 0.96, q, v);
      e[k] = state_distance(model, q0, v0, q, v);
    }
    const double order = log2(e[0] / e[1]);
    print_message("  %s: error %.2e, %.2e: order %.2f\n", cases[i].robot, e[0], e[1], order);
    assert_true(order > 8.7 && order < 9.3);
    jn_model_free(model);
  }
}

/* Energy and momentum of a tumbling robot, with the implicit scheme. */
static void radau_keeps_energy_and_momentum(void **state) {
  (void)state;
  jn_model *model = load_model("tilthex");
  const jn_vec3 none = {0, 0, 0};
  jn_simulation_options o = scheme_options(JN_RADAU, 0, 1e-13);
  double q[ROOM], v[ROOM];
  o.gravity = &none;
  some_state(model, q, v);
  const totals before = totals_of(model, &none, q, v);
  run_scheme(model, &o, 3, q, v);
  const totals after = totals_of(model, &none, q, v);
  assert_below("radau: energy", fabs(after.energy / before.energy - 1), 1e-11);
  assert_below("radau: momentum", momentum_change(&before, &after), 1e-11);
  jn_model_free(model);
}

/* 1000 exp(-u^2) with u = (t - 1)/width, and its derivatives: f^(k+1) = -2/width (u f^(k) + k/width f^(k-1)) */
static jn_status pulse(void *context, double t, int order, double *tau) {
  const double width = *(const double *)context, u = (t - 1) / width;
  tau[0] = 1e3 * exp(-u * u);
  for (int k = 0; k < order; k++)
    tau[k + 1] = -2 / width * (u * tau[k] + (k ? k / width * tau[k - 1] : 0));
  return JN_OK;
}

/* A pulse as fast as the decay is followed by the explicit scheme. After it the implicit one takes
 * over as soon as in a simulation that starts there. */
static void the_implicit_scheme_takes_over_again_after_a_pulse(void **state) {
  (void)state;
  const double m = 1, d = 1e4, after = 1.003;
  double width = 3e-4, q = 0, v = 1;
  jn_model *model = sliders(1, &m);
  for (size_t k = 0; k < COUNT(adaptive); k++) {
    jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-10);
    o.forces.damping = &d;
    o.forces.time = pulse, o.forces.time_context = &width;
    o.resolution = width;
    q = 0, v = 1;
    jn_simulation *s = start(model, &o, &q, &v);
    run(s, after);
    assert_ok(jn_simulation_state(s, NULL, &q, &v));
    jn_simulation *fresh = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(fresh, after, &q, &v));
    const long before = jn_simulation_statistics(s).steps;
    run(s, 2), run(fresh, 2);
    const long steps = jn_simulation_statistics(s).steps - before,
               want = jn_simulation_statistics(fresh).steps;
    print_message("  %s: %ld steps before, %ld after the pulse, %ld from there\n",
                  jn_scheme_name(adaptive[k]), before, steps, want);
    assert_true(steps <= want + 20);
    /* d q + m v = m v0 + the pulse, 1000 sqrt(pi) width */
    assert_ok(jn_simulation_state(s, NULL, &q, &v));
    assert_below("the way of a pulse", fabs(d * q + m * v - m - 1e3 * sqrt(M_PI) * width) / d,
                 1e-9);
    jn_simulation_free(s), jn_simulation_free(fresh);
  }
  jn_model_free(model);
}

/* ---- limits, reasons and remedies */

static void assert_stops(jn_simulation *s, double t, jn_status want, const char *reason,
                         const char *remedy) {
  double before, after;
  jn_simulation_state(s, &before, NULL, NULL);
  const jn_status status = jn_simulation_run_to(s, t, NULL);
  const char *message = jn_simulation_message(s);
  print_message("  %s\n", message);
  if (status != want || !strstr(message, reason) || !strstr(message, remedy))
    fail_msg("%s, '%s', want '%s' and '%s'", jn_status_text(status), message, reason, remedy);
  jn_simulation_state(s, &after, NULL, NULL);
  assert_true(after >= before && after < t);
  jn_simulation_free(s);
}

static jn_status stiff_force(void *context, double t, const double *q, const double *v,
                             double *tau) {
  (void)context, (void)t, (void)q;
  tau[0] = -1e9 * v[0];
  return JN_OK;
}
static jn_status bad_number(void *context, double t, int order, double *tau) {
  (void)context, (void)order;
  tau[0] = t > 0.5 ? (double)NAN : 0;
  return JN_OK;
}
static jn_status explodes(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context, (void)t, (void)q;
  tau[0] = v[0] * v[0];
  return JN_OK;
}
static jn_status chatters(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context, (void)t, (void)q;
  tau[0] = v[0] > 0.5 ? -10 : 10; /* slides along the jump */
  return JN_OK;
}

static void what_cannot_be_done_says_why_and_what_helps(void **state) {
  (void)state;
  const double m = 1, zero = 0, one = 1;
  jn_model *model = sliders(1, &m);
  jn_simulation_options o = scheme_options(JN_RKMK54, 0, 1e-9);
  /* stiffness that no scheme is told of: an end after max_steps */
  o.forces.state = stiff_force;
  o.max_steps = 2000;
  assert_stops(start(model, &o, &zero, &one), 1e3, JN_ERR_LIMIT, "max_steps = 2000",
               "give stiff springs, damping and friction as such");
  /* radau does not know the derivatives of a function either, and is no remedy */
  o.scheme = JN_RADAU;
  assert_stops(start(model, &o, &zero, &one), 1e3, JN_ERR_LIMIT, "max_steps = 2000", "as such");
  o.scheme = JN_RKMK54;
  o.forces.state = chatters;
  assert_stops(start(model, &o, &zero, &zero), 10, JN_ERR_LIMIT, "max_steps = 2000", "tolerance");
  /* v' = v^2 is infinite at t = 1 */
  o = scheme_options(JN_RKMK54, 0, 1e-9);
  o.forces.state = explodes;
  assert_stops(start(model, &o, &zero, &one), 2, JN_ERR_LIMIT, "grows without bound", "t = 1");
  o = scheme_options(JN_RKMK4, 0.5, 0);
  assert_stops((o.forces.state = stiff_force, start(model, &o, &zero, &one)), 1e3,
               JN_ERR_NOT_FINITE, "forces.state is not finite", "shorten the step");
  o = scheme_options(JN_RKMK4, 1e-17, 0);
  jn_simulation *s = start(model, &o, &zero, &one);
  assert_ok(jn_simulation_set_state(s, 1, &zero, &one));
  assert_stops(s, 2, JN_ERR_LIMIT, "lost in the rounding of t = 1", "longer step");
  for (size_t k = 0; k < COUNT(adaptive); k++) {
    o = scheme_options(adaptive[k], 0, 1e-9);
    o.forces.time = bad_number;
    assert_stops(start(model, &o, &zero, &one), 2, JN_ERR_NOT_FINITE, "forces.time is not finite",
                 "t = 0.5");
  }
  jn_model_free(model);
  /* a body that turns by more than half a turn in a step */
  model = one_body(0.1, 0.2, 0.3, jn_v3(0, 0, 0));
  const double q[7] = {1}, v[6] = {30, 40, 50};
  o = scheme_options(JN_VARIATIONAL, 0.15, 0); /* |omega| h = 10.6 */
  assert_stops(start(model, &o, q, v), 1, JN_ERR_LIMIT, "step of 0.15 s", "shorten the step");
  jn_model_free(model);
}

/* ---- fixed steps of explicit schemes */

/* v' = -rate v: one step multiplies v by R(-h rate). The limits are the first x with |R(-x)| = 1,
 * computed with 50 digits; R is 1 + x + ... + x^N/N!, for the Dormand-Prince pair + x^6/600. */
static void fixed_steps_beyond_stability_are_refused(void **state) {
  (void)state;
  static const struct {
    jn_scheme scheme;
    int order;
    double limit;
  } cases[] = {{JN_RKMK4, 0, 2.7852935634052816},
               {JN_RKMK54, 0, 3.3065678926349465},
               {JN_TAYLOR, 2, 2},
               {JN_TAYLOR, 4, 2.7852935634052816},
               {JN_TAYLOR, 5, 3.2170478666401058},
               {JN_TAYLOR, 15, 6.9502831783602014},
               {JN_TAYLOR, 60, 23.688301345479331}};
  const double m = 0.5, h = 0.01;
  jn_model *model = sliders(1, &m);
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int side = -1; side <= 1; side += 2) {
      const double d = m / h * cases[i].limit * (1 + side * 1e-6);
      jn_simulation_options o = scheme_options(cases[i].scheme, h, 0);
      double q = 0, v = 1;
      o.order = cases[i].order;
      o.forces.damping = &d;
      jn_simulation *s = start(model, &o, &q, &v);
      if (side > 0) {
        assert_stops(s, 1, JN_ERR_LIMIT, "is unstable", "use a step of at most");
        continue;
      }
      run(s, 1);
      assert_ok(jn_simulation_state(s, NULL, &q, &v));
      assert_true(fabs(v) <= 1);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

/* Two masses one on the other; the rates are the eigenvalues of M^-1 D. */
static void the_fastest_decay_of_a_robot_bounds_the_step(void **state) {
  (void)state;
  const double m[2] = {1, 2}, d[2] = {30, 50}, q[2] = {0}, v[2] = {1, -1};
  /* M = (3 2; 2 2), M^-1 = (1 -1; -1 1.5): M^-1 D = (30 -50; -30 75) */
  const double rate = 0.5 * (105 + sqrt(105 * 105 - 4 * (30 * 75 - 30 * 50)));
  jn_model *model = sliders(2, m);
  for (int side = -1; side <= 1; side += 2) {
    jn_simulation_options o =
        scheme_options(JN_RKMK4, 2.7852935634052816 / rate * (1 + side * 0.01), 0);
    o.forces.damping = d;
    jn_simulation *s = start(model, &o, q, v);
    if (side > 0) {
      assert_stops(s, 5, JN_ERR_LIMIT, "is unstable", "scheme radau");
      continue;
    }
    run(s, 5);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* m q'' = -d q' - k q: with k > d^2/(4 m) nothing decays faster than d/(2 m), and the step may be
 * twice as long. Below, the faster decay is (d + sqrt(d^2 - 4 m k))/(2 m). */
static void a_spring_slows_the_decay(void **state) {
  (void)state;
  const double m = 1, d = 400, h = 0.01; /* h d/m = 4; critical: k = 40000, h rate = 2 */
  static const struct {
    double k;
    int stable;
  } cases[] = {{0, 0}, {3e4, 0}, {3.5e4, 1}, {4.1e4, 1}};
  jn_model *model = sliders(1, &m);
  for (int motor = 0; motor < 2; motor++)
    for (size_t i = 0; i < COUNT(cases); i++) {
      const double B = 1e6; /* a motor that stands still */
      jn_simulation_options o = scheme_options(JN_RKMK4, h, 0);
      double q = 0.1, v = 0;
      o.forces.damping = &d;
      if (motor)
        o.forces.motor_stiffness = &cases[i].k, o.forces.motor_inertia = &B;
      else
        o.forces.stiffness = &cases[i].k;
      jn_simulation *s = start(model, &o, &q, &v);
      if (motor) {
        const double zero = 0;
        if (cases[i].k > 0) assert_ok(jn_simulation_set_motor(s, &zero, &zero));
      }
      if (!cases[i].stable) {
        assert_stops(s, 2, JN_ERR_LIMIT, "is unstable", "use a step of at most");
        continue;
      }
      run(s, 2);
      assert_ok(jn_simulation_state(s, NULL, &q, &v));
      assert_true(fabs(q) < 1e-2);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

/* What a message advises helps: a stiff spring, with 2000 steps. */
static void the_remedy_for_a_stiff_spring_helps(void **state) {
  (void)state;
  static const struct {
    jn_scheme scheme;
    double tolerance;
    const char *remedy;
    jn_scheme better;
    int order;
    double looser;
  } cases[] = {
      {JN_TAYLOR, 1e-12, "give a higher order", JN_TAYLOR, 30, 1e-12},
      {JN_TAYLOR, 1e-12, "radau with a tolerance above the oscillation", JN_RADAU, 0, 1e-6},
      {JN_RKMK54, 1e-12, "loosen the tolerance", JN_RKMK54, 0, 1e-9},
      {JN_RKMK54, 1e-12, "radau with a tolerance above the oscillation", JN_RADAU, 0, 1e-6}};
  const double m = 1, K = 1e8, q = 1e-9, v = 0;
  jn_model *model = sliders(1, &m);
  for (size_t i = 0; i < COUNT(cases); i++) {
    double t[2];
    for (int k = 0; k < 2; k++) {
      jn_simulation_options o = scheme_options(k ? cases[i].better : cases[i].scheme, 0,
                                               k ? cases[i].looser : cases[i].tolerance);
      if (k) o.order = cases[i].order;
      o.forces.stiffness = &K;
      o.max_steps = 2000;
      jn_simulation *s = start(model, &o, &q, &v);
      const jn_status status = jn_simulation_run_to(s, 1e3, NULL);
      if (!k) assert_status(status, JN_ERR_LIMIT);
      if (!k) assert_non_null(strstr(jn_simulation_message(s), cases[i].remedy));
      assert_ok(jn_simulation_state(s, &t[k], NULL, NULL));
      jn_simulation_free(s);
    }
    print_message("  %s: t = %g, with the remedy %g\n", jn_scheme_name(cases[i].scheme), t[0],
                  t[1]);
    assert_true(t[1] > 1.5 * t[0]);
  }
  jn_model_free(model);
}

/* A fixed step that is too long for a spring, in a free body's momentum too. */
static void an_overflow_names_the_step(void **state) {
  (void)state;
  const double m = 1, K = 1e12, q = 1, v = 0;
  static const jn_scheme schemes[] = {JN_RKMK4, JN_RKMK54, JN_TAYLOR};
  jn_model *model = sliders(1, &m);
  for (size_t k = 0; k < COUNT(schemes); k++) {
    jn_simulation_options o = scheme_options(schemes[k], 0.05, 0);
    o.forces.stiffness = &K;
    assert_stops(start(model, &o, &q, &v), 10, JN_ERR_NOT_FINITE, "t = ", "shorten it");
  }
  jn_model_free(model);
}

static void a_message_ends_with_the_next_call(void **state) {
  (void)state;
  const double m = 1, zero = 0, one = 1;
  jn_model *model = sliders(1, &m);
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-9);
  jn_simulation *s = start(model, &o, &zero, &one);
  assert_string_equal(jn_simulation_message(s), "");
  assert_status(jn_simulation_run_to(s, -1, NULL), JN_ERR_ARGUMENT);
  assert_non_null(strstr(jn_simulation_message(s), "not before t = 0"));
  run(s, 1);
  assert_string_equal(jn_simulation_message(s), "");
  jn_simulation_free(s);
  jn_model_free(model);
}

static void options_are_checked(void **state) {
  (void)state;
  const double m = 1;
  jn_model *model = sliders(1, &m);
  jn_simulation *s;
  for (int i = 0; i < 3; i++) {
    jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 0);
    if (i == 0) o.resolution = -1;
    if (i == 1) o.resolution = (double)NAN;
    if (i == 2) o.max_steps = -1;
    assert_status(jn_simulation_new(model, &o, NULL, &s, NULL), JN_ERR_ARGUMENT);
  }
  jn_model_free(model);
  /* both sides of JN_MAX_IMPLICIT; the explicit schemes take what is larger, with damping too */
  for (int n = JN_MAX_IMPLICIT; n <= JN_MAX_IMPLICIT + 1; n++) {
    char name[32];
    jn_error error;
    snprintf(name, sizeof name, "chain:%d", n);
    assert_ok(jn_model_load(name, NULL, NULL, &model, &error));
    assert_int_equal(jn_model_nv(model), n);
    jn_simulation_options o = scheme_options(JN_RADAU, 0, 0);
    const jn_status want = n > JN_MAX_IMPLICIT ? JN_ERR_LIMIT : JN_OK;
    assert_status(jn_simulation_new(model, &o, NULL, &s, &error), want);
    if (want) assert_non_null(strstr(error.message, "at most 1000"));
    jn_simulation_free(s);
    o.scheme = JN_RKMK54;
    o.forces.model_damping = 1;
    assert_ok(jn_simulation_new(model, &o, NULL, &s, &error));
    jn_simulation_free(s);
    jn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_damped_joint_has_its_closed_form),
      cmocka_unit_test(stiff_and_slow_joints_together),
      cmocka_unit_test(stiff_friction_brakes_and_creeps),
      cmocka_unit_test(a_robot_with_huge_damping_creeps),
      cmocka_unit_test(radau_follows_a_stiff_elastic_joint),
      cmocka_unit_test(radau_has_order_nine),
      cmocka_unit_test(radau_keeps_energy_and_momentum),
      cmocka_unit_test(the_implicit_scheme_takes_over_again_after_a_pulse),
      cmocka_unit_test(what_cannot_be_done_says_why_and_what_helps),
      cmocka_unit_test(fixed_steps_beyond_stability_are_refused),
      cmocka_unit_test(the_fastest_decay_of_a_robot_bounds_the_step),
      cmocka_unit_test(a_spring_slows_the_decay),
      cmocka_unit_test(the_remedy_for_a_stiff_spring_helps),
      cmocka_unit_test(an_overflow_names_the_step),
      cmocka_unit_test(a_message_ends_with_the_next_call),
      cmocka_unit_test(options_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
