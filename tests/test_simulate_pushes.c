/* test_simulate_pushes.c: forces and events that are short, late or flat at the start of a step: no
 * adaptive scheme takes a step over them, and no fixed step over a break; and what the user's functions are told. The truth is an
 * integrator of its own (helpers/reference.h) and closed forms. */
#include "helpers/simulate.h"

#include "helpers/check.h"
#include "helpers/reference.h"

/* ---- pushes with all their derivatives */

enum { GAUSS, BUMP, BOX, POWER, KINDS };
typedef struct push {
  int kind, nv, dof;
  double size, at, width;
  long calls;
} push;

/* The k-th derivative by x of exp(-x^2/2), (1 - x^2)^3 on (-1, 1), 1 on [-1, 1), x^16 */
static double shape(int kind, double x, int k) {
  double a = 1, b = 0;
  static const double cube[7] = {1, 0, -3, 0, 3, 0, -1};
  switch (kind) {
    case GAUSS: /* (-1)^k He_k(x) exp(-x^2/2), He_(k+1) = x He_k - k He_(k-1) */
      for (int i = 0; i < k; i++) {
        const double next = x * a - i * b;
        b = a;
        a = next;
      }
      return (k % 2 ? -a : a) * exp(-x * x / 2);
    case BUMP:
      if (!(fabs(x) < 1)) return 0;
      for (int i = 6; i >= k; i--) {
        double f = cube[i];
        for (int j = 0; j < k; j++) f *= i - j;
        b = b * x + f;
      }
      return b;
    case BOX:
      return k == 0 && x >= -1 && x < 1;
    default:
      for (int j = 0; j < k; j++) a *= 16 - j;
      return k > 16 ? 0 : a * pow(x, 16 - k);
  }
}

static jn_status push_time(void *context, double t, int order, double *tau) {
  push *p = context;
  double scale = p->size;
  p->calls++;
  for (int k = 0; k <= order; k++, scale /= p->width)
    tau[k * p->nv + p->dof] = scale * shape(p->kind, (t - p->at) / p->width, k);
  return JN_OK;
}
static double push_break(void *context, double t) {
  const push *p = context;
  return t < p->at - p->width   ? p->at - p->width
         : t < p->at + p->width ? p->at + p->width
                                : HUGE_VAL;
}
static long double push_value(const push *p, long double t) {
  const long double x = (t - p->at) / p->width;
  switch (p->kind) {
    case GAUSS:
      return p->size * expl(-x * x / 2);
    case BUMP:
      return fabsl(x) < 1 ? p->size * (1 - x * x) * (1 - x * x) * (1 - x * x) : 0;
    case BOX:
      return x >= -1 && x < 1 ? p->size : 0;
    default:
      return p->size * powl(x, 16);
  }
}

/* ---- the truth for a pendulum: M q'' = tau - m g l sin q - d q' */

typedef struct rod {
  push *p;
  double inertia, weight, damping;
  long double left, right; /* a box: the side of its edges */
} rod;
static void rod_rate(void *context, long double t, const long double *y, long double *dy) {
  const rod *r = context;
  long double tau = r->p ? push_value(r->p, t) : 0;
  if (r->p && r->p->kind == BOX) tau = r->left ? r->p->size : 0;
  dy[0] = y[1];
  dy[1] = (tau - r->weight * sinl(y[0]) - r->damping * y[1]) / r->inertia;
}

static rod rod_of(const jn_model *model) {
  rod r = {.weight = jn_model_mass(model) * 9.81 * 0.5};
  double home[1] = {0};
  jn_data *data;
  assert_ok(jn_data_new(model, 0, NULL, &data));
  assert_ok(jn_mass_matrix(model, data, home, &r.inertia));
  jn_data_free(data);
  return r;
}

/* From y at t = 0 to t, in parts over which the push is smooth. */
static void rod_run(rod *r, double t, long double *y) {
  const push *p = r->p;
  const long double reach = p->kind == GAUSS ? 40.0L : 1.0L, from = p->at - reach * p->width,
                    to = p->at + reach * p->width;
  long double edges[4] = {0, from < 0 ? 0 : from > t ? t : from, to < 0 ? 0 : to > t ? t : to, t};
  if (p->kind == POWER) edges[1] = 0, edges[2] = t;
  for (int i = 0; i < 3; i++) {
    const long double step = i == 1 && p->kind != POWER && p->width < 0.1 ? p->width / 2 : 0.02L;
    r->left = i == 1;
    reference_run(rod_rate, r, 2, edges[i], edges[i + 1], step, y);
  }
}

static const jn_scheme adaptive[] = {JN_TAYLOR, JN_RKMK54, JN_RADAU};

/* Error of a pendulum pushed by p at time t, in units of the tolerance. */
static double rod_error(const jn_model *model, jn_scheme scheme, double tolerance, push *p,
                        int breaks, const double *start, double t, jn_statistics *n) {
  rod r = rod_of(model);
  jn_simulation_options o = scheme_options(scheme, 0, tolerance);
  double q[1] = {start[0]}, v[1] = {start[1]};
  long double y[2] = {start[0], start[1]};
  p->nv = 1, p->dof = 0, p->calls = 0;
  r.p = p;
  o.forces.time = push_time, o.forces.time_context = p;
  if (breaks) o.forces.next_break = push_break;
  if (p->width < 5e-3) o.resolution = 2 * p->width; /* the default is 1e-2 */
  jn_simulation *s = new_simulation(model, &o);
  assert_ok(jn_simulation_set_state(s, 0, q, v));
  jn_status status = jn_simulation_run_to(s, t, NULL);
  if (status) fail_msg("%s: %s", jn_scheme_name(scheme), jn_simulation_message(s));
  jn_simulation_state(s, NULL, q, v);
  *n = jn_simulation_statistics(s);
  jn_simulation_free(s);
  rod_run(&r, t, y);
  return fmax(fabs(q[0] - (double)y[0]), fabs(v[0] - (double)y[1])) / tolerance;
}

/* A sine that is zero at every stage of the first step of rkmk54, h = 45 periods long:
 *   I q'' = A sin w t,   q = A/(I w) (t - sin(w t)/w) */
static void harmonics_between_the_stages_are_not_stepped_over(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  const jn_vec3 none = {0, 0, 0};
  const double I = rod_of(model).inertia, pi = 3.141592653589793;
  static const struct {
    double h, tolerance;
  } cases[] = {{9, 1e-6}, {450, 1}}; /* w = 31.4 and 0.63 */
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      const double h = cases[i].h, w = 90 * pi / h, A = 1e3, zero[101] = {0};
      double b[101] = {0};
      b[100] = A; /* the hundredth harmonic */
      jn_force_fourier sine = {101, 1, w / 100, zero, b};
      jn_simulation_options o = scheme_options(adaptive[k], 0, cases[i].tolerance);
      double q = 0, v = 0;
      o.gravity = &none;
      o.forces.time = jn_force_fourier_time, o.forces.time_context = &sine;
      jn_simulation *s = new_simulation(model, &o);
      assert_ok(jn_simulation_set_state(s, 0, &q, &v));
      if (jn_simulation_run_to(s, h, NULL)) fail_msg("%s", jn_simulation_message(s));
      assert_ok(jn_simulation_state(s, NULL, &q, &v));
      assert_below("a sine between the stages, error/way", fabs(q / (A / (I * w) * h) - 1), 0.01);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

static void a_late_push_is_not_stepped_over(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  static const struct {
    push p;
    int breaks;
    double t;
    const char *name;
  } cases[] = {
      {{GAUSS, 1, 0, 5, 5, 0.25, 0}, 0, 10, "5 N m at 5 s, smooth"},
      {{BUMP, 1, 0, 5, 5, 0.25, 0}, 0, 10, "5 N m at 5 s, zero outside 0.5 s"},
      {{BOX, 1, 0, 5, 5, 0.25, 0}, 0, 10, "5 N m at 5 s, with jumps"},
      {{BOX, 1, 0, 5, 5, 0.25, 0}, 1, 10, "5 N m at 5 s, with jumps that are declared"},
      {{POWER, 1, 0, 1e-3, 0, 1, 0}, 0, 2, "t^16"},
      {{BUMP, 1, 0, 50, 7.77, 5e-3, 0}, 0, 10, "50 N m for 10 ms"},
      {{BUMP, 1, 0, 500, 7.77, 5e-4, 0}, 0, 10, "500 N m for 1 ms"},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      const double rest[2] = {0, 0};
      push p = cases[i].p;
      char what[100];
      jn_statistics n;
      const double e =
          rod_error(model, adaptive[k], 1e-10, &p, cases[i].breaks, rest, cases[i].t, &n);
      snprintf(what, sizeof what, "%s, %s", cases[i].name, jn_scheme_name(adaptive[k]));
      assert_below(what, e, 500); /* of the tolerance of one step */
    }
  jn_model_free(model);
}

/* Pushes at random times, 1 ms to 1 s wide, of three shapes, at rest or in motion. A jump that is
 * not declared leaves 4 (1 + |v|) tolerances, which the motion amplifies. */
static void random_pushes_are_within_a_multiple_of_the_tolerance(void **state) {
  (void)state;
  enum { PUSHES = 90 };
  jn_model *model = load_model("pendulum");
  double worst[COUNT(adaptive)] = {0};
  seed_uniform(5);
  for (int i = 0; i < PUSHES; i++) {
    const double width = pow(10, -1.5 + plain_uniform(1.5)),
                 tolerance = pow(10, -8.5 + plain_uniform(2.5));
    const int kind = i % 3, breaks = i % 6 == 5;
    push p = {kind, 1, 0, plain_uniform(1.5) / width, 1.5 + plain_uniform(1.4), 0, 0};
    p.width = kind == GAUSS ? width / 4 : width / 2;
    double start[2] = {0, 0};
    if (i % 2) start[0] = plain_uniform(1), start[1] = plain_uniform(1);
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      jn_statistics n;
      worst[k] =
          worse(worst[k], rod_error(model, adaptive[k], tolerance, &p, breaks, start, 3, &n));
    }
  }
  for (size_t k = 0; k < COUNT(adaptive); k++) {
    char what[100];
    snprintf(what, sizeof what, "%d pushes, %s, error over tolerance", PUSHES,
             jn_scheme_name(adaptive[k]));
    assert_below(what, worst[k], 500);
  }
  jn_model_free(model);
}

/* A free body that floats at rest, pushed along x for 0.2 s: v = impulse/m, from the closed form of
 * the impulse of (1 - x^2)^3, 32/35; in every representation, as the body does not turn. */
static void a_push_on_a_free_body_has_its_impulse(void **state) {
  (void)state;
  jn_model *model = one_body(0.1, 0.2, 0.3, jn_v3(0, 0, 0));
  for (int rep = 0; rep < 4; rep++)
    for (size_t k = 0; k < COUNT(adaptive); k++) {
      push p = {BUMP, 6, 3, 7, 4, 0.1, 0};
      jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-11);
      double q[7] = {1}, v[6] = {0};
      o.representation = (jn_representation)rep;
      o.forces.time = push_time, o.forces.time_context = &p;
      jn_simulation *s = new_simulation(model, &o);
      assert_ok(jn_simulation_set_state(s, 0, q, v));
      assert_ok(jn_simulation_run_to(s, 9, NULL));
      jn_simulation_state(s, NULL, q, v);
      const double want = 7 * 0.1 * 32 / 35 / 2;
      assert_below("a push on a free body: velocity", fabs(v[3] - want), 1e-10);
      assert_below("and position", fabs(q[4] - 5 * want), 5e-10);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

/* A push within one step: steps end at its edges. */
static void fixed_steps_end_at_breaks_too(void **state) {
  (void)state;
  jn_model *model = one_body(0.1, 0.2, 0.3, jn_v3(0, 0, 0));
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (int known = 0; known < 2; known++) {
      push p = {BOX, 6, 3, 5, 5.25, 0.0625, 0};
      jn_simulation_options o = scheme_options((jn_scheme)scheme, 0.5, 0);
      double q[7] = {1}, v[6] = {0};
      o.forces.time = push_time, o.forces.time_context = &p;
      if (known) o.forces.next_break = push_break;
      jn_simulation *s = new_simulation(model, &o);
      assert_ok(jn_simulation_set_state(s, 0, q, v));
      assert_ok(jn_simulation_run_to(s, 10, NULL));
      jn_simulation_state(s, NULL, q, v);
      const double want = 5 * 0.125 / 2, missed = fabs(v[3] - want) + fabs(q[4] - want * 4.75);
      if (known)
        assert_below("a push within a fixed step", missed, 1e-13);
      else
        assert_true(missed > 0.1); /* the force where the scheme looks */
      assert_int_equal(jn_simulation_statistics(s).steps, known ? 22 : 20);
      jn_simulation_free(s);
    }
  jn_model_free(model);
}

/* A function of time that jumps at each break is seen from the left before it: a staircase. */
static jn_status stairs(void *context, double t, int order, double *tau) {
  (void)context;
  tau[0] = floor(t);
  for (int k = 1; k <= order; k++) tau[k] = 0;
  return JN_OK;
}
static double next_stair(void *context, double t) {
  (void)context;
  return floor(t) + 1;
}
static void a_force_is_seen_from_the_left_before_its_break(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  const jn_vec3 none = {0, 0, 0};
  const double inertia = rod_of(model).inertia;
  for (size_t k = 0; k < COUNT(adaptive); k++) {
    jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-12);
    double q[1] = {0}, v[1] = {0};
    o.gravity = &none;
    o.forces.time = stairs, o.forces.next_break = next_stair;
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, -3, q, v));
    assert_ok(jn_simulation_run_to(s, 4, NULL)); /* -3 - 2 - 1 + 0 + 1 + 2 + 3 */
    jn_simulation_state(s, NULL, q, v);
    assert_int_equal(jn_simulation_statistics(s).rejected, 0);
    assert_below("impulse of a staircase", fabs(v[0] * inertia), 1e-12);
    /* q = sum over stairs of force times (4 - middle) */
    double want = 0;
    for (int n = -3; n < 4; n++) want += n * (3.5 - n);
    assert_below("and its moment", fabs(q[0] * inertia - want), 1e-11);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* ---- events */

/* Height of a thrown ball above `level`; one step of taylor is the whole flight. */
static double above(void *level, double t, const double *q, const double *v) {
  (void)t, (void)v;
  return q[6] - *(const double *)level;
}
static void the_event_of_a_thrown_ball_is_found(void **state) {
  (void)state;
  const double g = 9.81, speed = 5, top = speed * speed / (2 * g);
  jn_model *model = one_body(0.1, 0.2, 0.3, jn_v3(0, 0, -g));
  static const double below_top[] = {1, 0.1, 1e-3, 1e-6, 1e-9, -1e-9, -1e-3};
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (size_t i = 0; i < COUNT(below_top); i++)
      for (int direction = -1; direction <= 1; direction++) {
        const int fixed = scheme == JN_RKMK4 || scheme == JN_VARIATIONAL;
        double level = top - below_top[i], q[7] = {1}, v[6] = {0, 0, 0, 0, 0, speed}, t;
        const jn_event event = {above, &level, direction};
        int met = 7;
        jn_simulation_options o = scheme_options((jn_scheme)scheme, fixed ? 0.2 : 0, 1e-12);
        o.events = &event, o.event_count = 1;
        jn_simulation *s = new_simulation(model, &o);
        assert_ok(jn_simulation_set_state(s, 0, q, v));
        assert_ok(jn_simulation_run_to(s, 10, &met));
        jn_simulation_state(s, &t, NULL, NULL);
        const double half = below_top[i] > 0 ? sqrt(2 * below_top[i] / g) : 0,
                     want = below_top[i] < 0 ? 10 : speed / g + (direction < 0 ? half : -half);
        /* an error e of the height moves the root by e/(g half) */
        const double bound = half > 0 ? 1e-13 + 1e-14 / (g * half) : 0;
        if (met != (below_top[i] < 0 ? -1 : 0) || !(fabs(t - want) <= bound))
          fail_msg("%s, %g below the top, direction %d: event %d at %.17g, want %.17g",
                   jn_scheme_name((jn_scheme)scheme), below_top[i], direction, met, t, want);
        jn_simulation_free(s);
      }
  jn_model_free(model);
}

/* A body that turns about z by 30 rad/s: polynomials of any length, and an event of every half
 * turn. The quaternion's w = cos(15 t) crosses zero at t = (k + 1/2) pi/15. */
static double turned(void *context, double t, const double *q, const double *v) {
  (void)context, (void)t, (void)v;
  return q[0];
}
static void every_event_of_a_long_step_is_found(void **state) {
  (void)state;
  jn_model *model = one_body(0.1, 0.2, 0.3, jn_v3(0, 0, 0));
  for (size_t k = 0; k < COUNT(adaptive); k++) {
    const jn_event event = {turned, NULL, 0};
    jn_simulation_options o = scheme_options(adaptive[k], 0, 1e-12);
    double q[7] = {1}, v[6] = {0, 0, 30}, t = 0, worst = 0;
    int met = 0, count = 0;
    o.events = &event, o.event_count = 1;
    jn_simulation *s = new_simulation(model, &o);
    assert_ok(jn_simulation_set_state(s, 0, q, v));
    for (; met >= 0; count += met >= 0) {
      assert_ok(jn_simulation_run_to(s, 5, &met));
      jn_simulation_state(s, &t, NULL, NULL);
      if (met >= 0) worst = worse(worst, fabs(t - (count + 0.5) * PI / 15));
    }
    assert_int_equal(count, 24); /* (24 - 1/2) pi/15 < 5 */
    assert_below("events of a turning body", worst, 1e-11);
    jn_simulation_free(s);
  }
  jn_model_free(model);
}

/* A body that turns about z by `rate`; the height sin(angle + phase) of its tip below 1 - depth. */
typedef struct turning_tip {
  double phase, depth;
} turning_tip;
static double below_level(void *context, double t, const double *q, const double *v) {
  const turning_tip *tip = context;
  (void)t, (void)v;
  return 1 - tip->depth -
         (2 * q[0] * q[3] * cos(tip->phase) + (q[0] * q[0] - q[3] * q[3]) * sin(tip->phase));
}
/* It passes the level at angle + phase = pi/2 - a, 1 - depth = cos a. */
static void the_event_of_a_turning_tip_is_found(void **state) {
  (void)state;
  enum { PHASES = 20 };
  static const double rates[] = {9, 27, 81, 130};
  jn_model *model = one_body(0.1, 0.2, 0.3, jn_v3(0, 0, 0));
  seed_uniform(7);
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (size_t k = 0; k < COUNT(rates); k++)
      for (int power = 3; power <= 9; power++) {
        const int fixed = scheme == JN_RKMK4 || scheme == JN_VARIATIONAL;
        const double rate = rates[k], depth = pow(10, -power), q[7] = {1}, v[6] = {0, 0, rate};
        turning_tip tip = {0, depth};
        const jn_event event = {below_level, &tip, -1};
        jn_simulation_options o = scheme_options((jn_scheme)scheme, fixed ? 3e-3 : 0, 1e-12);
        o.events = &event, o.event_count = 1;
        jn_simulation *s = new_simulation(model, &o);
        int missed = 0;
        for (int i = 0; i < PHASES; i++) {
          const double a = 2 * asin(sqrt(0.5 * depth));
          tip.phase = plain_uniform(PI);
          double want = remainder(PI / 2 - a - tip.phase, 2 * PI) / rate, t;
          if (want < 0) want += 2 * PI / rate;
          if (want * rate > 2 * PI - 2 * a) continue; /* it starts above the level */
          int met = -1;
          assert_ok(jn_simulation_set_state(s, 0, q, v));
          assert_ok(jn_simulation_run_to(s, 2 * PI / rate, &met));
          assert_ok(jn_simulation_state(s, &t, NULL, NULL));
          missed += met != 0 || !(fabs(t - want) < 1e-7 / rate);
        }
        if (missed)
          fail_msg("%s at %g rad/s, %g below the top: %d of %d missed",
                   jn_scheme_name((jn_scheme)scheme), rate, depth, missed, PHASES);
        jn_simulation_free(s);
      }
  jn_model_free(model);
}

/* ---- what the user's functions are told */

static int told_not_finite;
static void look_at(double t, const double *q, const double *v) {
  if (!isfinite(t + 0 * q[0] + 0 * v[0]) || !isfinite(q[0]) || !isfinite(v[0])) told_not_finite = 1;
}
static jn_status grows(void *context, double t, const double *q, const double *v, double *tau) {
  const double gain = *(const double *)context;
  look_at(t, q, v);
  tau[0] = gain > 0 ? v[0] * gain : -gain;
  return JN_OK;
}
static double seen(void *context, double t, const double *q, const double *v) {
  (void)context;
  look_at(t, q, v);
  return -1;
}
/* v' = a v, or a huge constant, grows beyond every number within the step: the step fails with a
 * reason, and no function is told a number that is not finite. */
static void functions_are_told_finite_numbers_only(void **state) {
  (void)state;
  jn_model *model = load_model("pendulum");
  static const double gains[] = {1e5, 1e100, 1e200, 1e300, -1e307};
  const jn_event event = {seen, NULL, 0};
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (size_t i = 0; i < COUNT(gains); i++)
      for (int fixed = 0; fixed < 2; fixed++) {
        const int only_fixed = scheme == JN_RKMK4 || scheme == JN_VARIATIONAL;
        if (scheme == JN_MOMENTUM || scheme == JN_TAYLOR || (only_fixed && !fixed)) continue;
        double gain = gains[i], q = 0, v = 1, t;
        jn_simulation_options o =
            scheme_options((jn_scheme)scheme, fixed ? gain > 0 ? 0.5 : 50 : 0, 1e-9);
        o.forces.state = grows, o.forces.state_context = &gain;
        o.max_steps = 5000;
        o.events = &event, o.event_count = 1;
        jn_simulation *s = new_simulation(model, &o);
        assert_ok(jn_simulation_set_state(s, 0, &q, &v));
        told_not_finite = 0;
        jn_status status = jn_simulation_run_to(s, 100, NULL);
        assert_true(status == JN_ERR_NOT_FINITE || status == JN_ERR_LIMIT);
        assert_int_equal(told_not_finite, 0);
        assert_true(strlen(jn_simulation_message(s)) > 20);
        jn_simulation_state(s, &t, &q, &v);
        assert_true(isfinite(t) && isfinite(q) && isfinite(v));
        jn_simulation_free(s);
      }
  jn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(harmonics_between_the_stages_are_not_stepped_over),
      cmocka_unit_test(a_late_push_is_not_stepped_over),
      cmocka_unit_test(random_pushes_are_within_a_multiple_of_the_tolerance),
      cmocka_unit_test(a_push_on_a_free_body_has_its_impulse),
      cmocka_unit_test(fixed_steps_end_at_breaks_too),
      cmocka_unit_test(a_force_is_seen_from_the_left_before_its_break),
      cmocka_unit_test(the_event_of_a_thrown_ball_is_found),
      cmocka_unit_test(every_event_of_a_long_step_is_found),
      cmocka_unit_test(the_event_of_a_turning_tip_is_found),
      cmocka_unit_test(functions_are_told_finite_numbers_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
