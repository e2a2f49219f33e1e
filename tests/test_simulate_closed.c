/* test_simulate_closed.c: simulation with constraints: the four-bar against its own equation of one
 * degree of freedom, closure and energy of all schemes, momentum of floating loops, constraints
 * switched on and off, and what is refused. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"
#include "helpers/simulate.h"

static double energy_of(const mechanism *m, const double *q, const double *v) {
  double T, V;
  const jn_momentum out = {.kinetic = &T, .potential = &V};
  assert_ok(jn_momentum_energy(m->model, m->data, 0, q, v, &out));
  return T + V;
}

/* Residuals of positions and velocities, relative to the robot's size and speed. */
static double open_by(mechanism *m, const double *q, const double *v, const jn_constraints *c) {
  double *rest = doubles(2 * (size_t)m->rows + 2), *rate = rest + m->rows + 1;
  assert_ok(jn_constraint_closure(m->model, m->data, 0, q, v, c, rest, rate, NULL));
  const double L = 1 + jn_model_size(m->model),
               e = worse(largest(rest, (size_t)m->rows) / L,
                         largest(rate, (size_t)m->rows) / L / (1 + largest(v, (size_t)m->nv)));
  free(rest);
  return e;
}

/* ---- the four-bar: I(u) u'' + I'(u) u'^2/2 + V'(u) = 0, u the angle of the crank */

typedef long double real;
typedef struct four_bar {
  real mass[3], com[3], moment[3]; /* com: distance along the bar; moment about it */
  real crank, coupler, rocker, D, home[2];
} four_bar;

static four_bar four_bar_of(const jn_model *model) {
  four_bar f = {.crank = 0.25L, .D = 0.75L};
  f.coupler = sqrtl(0.625L * 0.625L + 0.25L * 0.25L);
  f.rocker = sqrtl(0.125L * 0.125L + 0.5L * 0.5L);
  for (int i = 0; i < 3; i++) {
    const jn_inertia I = jn_model_body(model, i + 1)->inertia;
    double m;
    jn_vec3 c;
    jn_mat3 J;
    jn_inertia_about_com(I, &m, &c, &J);
    f.mass[i] = m, f.com[i] = jn_v3_norm(c), f.moment[i] = J.m[1][1];
  }
  return f;
}

/* The inertia seen by the crank, and the slope of the potential. Planar vectors (x, z). */
static void four_bar_at(const four_bar *f, real u, real *inertia, real *slope) {
  const real B[2] = {f->crank * sinl(u), f->crank * cosl(u)}, b[2] = {B[1], -B[0]};
  /* C on the circles about B and D, to the left of the way from B to D */
  const real d[2] = {f->D - B[0], -B[1]}, n2 = d[0] * d[0] + d[1] * d[1], n = sqrtl(n2),
             a = (f->coupler * f->coupler - f->rocker * f->rocker + n2) / (2 * n),
             h = sqrtl(f->coupler * f->coupler - a * a);
  const real C[2] = {B[0] + (a * d[0] - h * d[1]) / n, B[1] + (a * d[1] + h * d[0]) / n};
  /* (C - B).(C' - B') = 0, (C - D).C' = 0 */
  const real p[2] = {C[0] - B[0], C[1] - B[1]}, q[2] = {C[0] - f->D, C[1]},
             det = p[0] * q[1] - p[1] * q[0], r = p[0] * b[0] + p[1] * b[1];
  const real c[2] = {r * q[1] / det, -r * q[0] / det};
  const real at[3][2] = {{f->com[0] / f->crank * b[0], f->com[0] / f->crank * b[1]},
                         {b[0] + f->com[1] / f->coupler * (c[0] - b[0]),
                          b[1] + f->com[1] / f->coupler * (c[1] - b[1])},
                         {f->com[2] / f->rocker * c[0], f->com[2] / f->rocker * c[1]}};
  const real turn[3] = {1,
                        (p[1] * (c[0] - b[0]) - p[0] * (c[1] - b[1])) / (f->coupler * f->coupler),
                        (q[1] * c[0] - q[0] * c[1]) / (f->rocker * f->rocker)};
  *inertia = *slope = 0;
  for (int i = 0; i < 3; i++) {
    *inertia +=
        f->mass[i] * (at[i][0] * at[i][0] + at[i][1] * at[i][1]) + f->moment[i] * turn[i] * turn[i];
    *slope += f->mass[i] * 9.81L * at[i][1];
  }
}

static real four_bar_acceleration(const four_bar *f, real u, real rate) {
  static const real w[3] = {0.75L, -0.15L, 1.0L / 60};
  const real h = 2e-3L;
  real inertia, slope, change = 0, a, b, unused;
  for (int i = 0; i < 3; i++) {
    four_bar_at(f, u + (i + 1) * h, &a, &unused);
    four_bar_at(f, u - (i + 1) * h, &b, &unused);
    change += w[i] * (a - b) / h;
  }
  four_bar_at(f, u, &inertia, &slope);
  return -(0.5L * change * rate * rate + slope) / inertia;
}

/* Classical Runge-Kutta in long double. */
static void four_bar_run(const four_bar *f, real t, int steps, real *u, real *rate) {
  const real h = t / steps;
  for (int i = 0; i < steps; i++) {
    const real x = *u, v = *rate, a1 = four_bar_acceleration(f, x, v), v2 = v + h / 2 * a1,
               a2 = four_bar_acceleration(f, x + h / 2 * v, v2), v3 = v + h / 2 * a2,
               a3 = four_bar_acceleration(f, x + h / 2 * v2, v3), v4 = v + h * a3,
               a4 = four_bar_acceleration(f, x + h * v3, v4);
    *u += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    *rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

/* The built-in four-bar, assembled, the crank at rate 6. */
static mechanism four_bar_mechanism(void) {
  mechanism m = mechanism_of(load_model("fourbar"), 0);
  unsigned char driven[4] = {0, 1, 0, 0};
  m.v[0] = 6;
  assert_ok(jn_assemble(m.model, m.data, 1, driven, NULL, m.q, m.v));
  return m;
}

static void the_four_bar_follows_its_own_equation(void **state) {
  (void)state;
  static const struct {
    jn_scheme scheme;
    double step, tolerance, bound;
  } cases[] = {{JN_TAYLOR, 0, 1e-14, 2e-12}, {JN_TAYLOR, 2e-3, 0, 2e-12},
               {JN_RKMK54, 0, 1e-12, 1e-9},  {JN_RKMK4, 5e-4, 0, 1e-8},
               {JN_RADAU, 0, 1e-12, 1e-10},  {JN_VARIATIONAL, 5e-4, 0, 1e-3}};
  const double t = 1.5;
  mechanism m = four_bar_mechanism();
  const four_bar f = four_bar_of(m.model);
  real u = 0, rate = 6, inertia, slope;
  four_bar_at(&f, 0, &inertia, &slope);
  check_residual(
      "inertia seen by the crank",
      (double)fabsl(energy_of(&m, m.q, m.v) - energy_of(&m, m.q, (double[3]){0}) - 18 * inertia),
      1e-14);
  four_bar_run(&f, t, 30000, &u, &rate);
  for (size_t i = 0; i < COUNT(cases); i++) {
    char name[80];
    jn_simulation_options o = scheme_options(cases[i].scheme, cases[i].step, cases[i].tolerance);
    jn_simulation *s = new_simulation(m.model, &o);
    double q[3], v[3];
    assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
    run_simulation(s, t);
    assert_ok(jn_simulation_state(s, NULL, q, v));
    snprintf(name, sizeof name, "four-bar by %s%s", jn_scheme_name(cases[i].scheme),
             cases[i].step > 0 ? ", fixed step" : "");
    check_residual(name, worse(fabs(q[0] - (double)u), fabs(v[0] - (double)rate)), cases[i].bound);
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* A torque (1 - cos(2 pi (t - at)/width)) size/2 on the crank for `width`, at rest before it: the
 * first steps are long, and the stages of some are too far from the constraints. */
typedef struct crank_push {
  double at, width, size;
} crank_push;
static jn_status push_crank(void *context, double t, int order, double *tau) {
  const crank_push *p = context;
  const double w = 2 * PI / p->width, phase = w * (t - p->at);
  memset(tau, 0, sizeof *tau * 3 * ((size_t)order + 1));
  if (t < p->at || t >= p->at + p->width) return JN_OK;
  tau[0] = p->size / 2;
  for (int k = 0; k <= order; k++)
    tau[3 * (size_t)k] -= p->size / 2 * pow(w, k) * cos(phase + k * PI / 2);
  return JN_OK;
}
static void a_long_step_away_from_the_constraints_is_tried_again(void **state) {
  (void)state;
  static const jn_scheme schemes[] = {JN_TAYLOR, JN_RKMK54, JN_RADAU};
  static const crank_push pushes[] = {{4.75, 0.5, 5}, {4.975, 0.05, 5}};
  const jn_vec3 none = {0, 0, 0};
  mechanism m = four_bar_mechanism();
  const double rest[3] = {0};
  for (size_t i = 0; i < COUNT(pushes); i++) {
    double truth[3], q[3], v[3];
    for (size_t k = 0; k < COUNT(schemes); k++)
      for (double tolerance = k ? 1e-4 : 1e-14; tolerance > 1e-15; tolerance *= 1e-2) {
        char name[80];
        crank_push push = pushes[i];
        jn_simulation_options o = scheme_options(schemes[k], 0, tolerance);
        o.gravity = &none;
        o.forces.time = push_crank, o.forces.time_context = &push;
        jn_simulation *s = new_simulation(m.model, &o);
        assert_ok(jn_simulation_set_state(s, 0, m.q, rest));
        run_simulation(s, 6);
        assert_ok(jn_simulation_state(s, NULL, k ? q : truth, v));
        snprintf(name, sizeof name, "four-bar pushed for %g s, %s, %.0e", push.width,
                 jn_scheme_name(schemes[k]), tolerance);
        if (k) check_residual(name, fabs(q[0] - truth[0]), 200 * tolerance + 1e-9);
        jn_simulation_free(s);
      }
  }
  mechanism_free(&m);
}

/* A stage of a long step may also lie where a joint moves no mass. */
static void a_long_step_to_a_singular_place_is_tried_again(void **state) {
  (void)state;
  const jn_vec3 none = {0, 0, 0};
  mechanism m = mechanism_random(58, 6, JN_JOINT_FIXED, TYPES_ALL, 1, CUTS_ALL, 0);
  rng r = rng_new(58);
  for (int i = 0; i < m.nv; i++) m.v[i] = rng_range(&r, -1, 1);
  assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
  jn_simulation_options o = scheme_options(JN_RKMK54, 0, 1);
  o.gravity = &none;
  jn_simulation *s = new_simulation(m.model, &o);
  assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
  run_simulation(s, 2);
  jn_simulation_free(s);
  mechanism_free(&m);
}

/* Damping on the joints of the loop: its one motion decays by (v^T D v)/(v^T M v), slower than the
 * fastest motion of the open tree. RK4 is stable up to 2.785. */
static void a_fixed_step_is_bounded_by_the_decay_of_the_loop(void **state) {
  (void)state;
  mechanism m = four_bar_mechanism();
  const jn_vec3 none = {0, 0, 0};
  const double d[3] = {1, 40, 3}, rest[3] = {0};
  double resist = 0, v[3];
  for (int i = 0; i < 3; i++) {
    resist += d[i] * m.v[i] * m.v[i];
    v[i] = 1e-3 * m.v[i];
  }
  const double rate = resist / (2 * (energy_of(&m, m.q, m.v) - energy_of(&m, m.q, rest)));
  for (int side = -1; side <= 1; side += 2) {
    jn_simulation_options o = scheme_options(JN_RKMK4, 2.785 / rate * (1 + 0.01 * side), 0);
    o.gravity = &none;
    o.forces.damping = d;
    jn_simulation *s = new_simulation(m.model, &o);
    assert_ok(jn_simulation_set_state(s, 0, m.q, v));
    assert_status(jn_simulation_run_to(s, 200 / rate, NULL), side > 0 ? JN_ERR_LIMIT : JN_OK);
    assert_true((strstr(jn_simulation_message(s), "is unstable") != NULL) == (side > 0));
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* The variational scheme is of order 2. */
static void the_order_of_the_variational_scheme_is_two(void **state) {
  (void)state;
  mechanism m = four_bar_mechanism();
  double e[3], truth[3], q[3], v[3];
  for (int i = -1; i < 3; i++) {
    jn_simulation_options o = i < 0 ? scheme_options(JN_TAYLOR, 0, 1e-14)
                                    : scheme_options(JN_VARIATIONAL, 4e-3 / (double)(1 << i), 0);
    jn_simulation *s = new_simulation(m.model, &o);
    assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
    run_simulation(s, 0.4);
    assert_ok(jn_simulation_state(s, NULL, i < 0 ? truth : q, v));
    if (i >= 0) e[i] = fabs(q[0] - truth[0]);
    jn_simulation_free(s);
  }
  for (int i = 0; i < 2; i++) check_residual("ratio of errors, 4", fabs(e[i] / e[i + 1] - 4), 0.2);
  mechanism_free(&m);
}

/* ---- every scheme keeps the constraints */

/* Steps, and looks at the states in and at the end of each. Returns the worst closure; *drift: of
 * the energy, relative to the largest kinetic energy. */
static double follow(mechanism *m, const jn_simulation_options *o, int steps, double *drift) {
  jn_simulation *s = new_simulation(m->model, o);
  double *q = doubles((size_t)m->nq), *v = doubles((size_t)m->nv), *rest = doubles((size_t)m->nv),
         open = 0, most = 0, t0, t1;
  assert_ok(jn_simulation_set_state(s, 0, m->q, m->v));
  const double first = energy_of(m, m->q, m->v);
  *drift = 0;
  for (int i = 0; i < steps; i++) {
    assert_ok(jn_simulation_state(s, &t0, NULL, NULL));
    jn_status status = jn_simulation_step(s, HUGE_VAL, NULL);
    if (status) print_error("%s\n", jn_simulation_message(s));
    assert_ok(status);
    assert_ok(jn_simulation_state(s, &t1, q, v));
    open = worse(open, open_by(m, q, v, NULL));
    *drift = worse(*drift, fabs(energy_of(m, q, v) - first));
    most = worse(most, energy_of(m, q, v) - energy_of(m, q, rest));
    assert_ok(jn_simulation_at(s, t0 + 0.37 * (t1 - t0), q, v));
    open = worse(open, open_by(m, q, v, NULL));
  }
  *drift /= most;
  jn_simulation_free(s);
  free(q), free(v), free(rest);
  return open;
}

/* A random mechanism at rest positions, moving. */
static mechanism moving(uint64_t seed, int bodies, jn_joint_type base, int cuts) {
  mechanism m = mechanism_random(seed, bodies, base, TYPES_ALL, cuts, CUTS_ALL, 0);
  rng r = rng_new(seed);
  for (int i = 0; i < m.nv; i++) m.v[i] = 0.5 * rng_range(&r, -1, 1);
  assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
  return m;
}

static void every_scheme_keeps_the_constraints(void **state) {
  (void)state;
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++)
    for (uint64_t seed = 40; seed < 48; seed++) {
      mechanism m =
          seed == 40 && scheme != JN_MOMENTUM
              ? four_bar_mechanism()
              : moving(seed, 6, scheme == JN_MOMENTUM || seed % 2 ? JN_JOINT_FREE : JN_JOINT_FIXED,
                       1 + (int)(seed % 2));
      const jn_simulation_options o = scheme_options(
          (jn_scheme)scheme, scheme == JN_TAYLOR || scheme == JN_RKMK54 ? 0 : 2e-4, 1e-12);
      char name[80];
      double drift;
      check_seed(seed);
      const double open = follow(&m, &o, 60, &drift);
      snprintf(name, sizeof name, "constraints after steps of %s", jn_scheme_name(o.scheme));
      check_residual(name, open, 4e-15);
      snprintf(name, sizeof name, "energy, 60 steps of %s", jn_scheme_name(o.scheme));
      check_residual(name, drift, scheme == JN_VARIATIONAL ? 1e-7 : 4e-12);
      mechanism_free(&m);
    }
}

/* Energy over many short steps, compared with that of the open tree in the same steps. */
static void energy_is_kept_as_in_the_open_tree(void **state) {
  (void)state;
  for (int scheme = 0; scheme < 2; scheme++) {
    mechanism m = four_bar_mechanism();
    unsigned char none[1] = {0};
    const jn_constraints open = {.active = none};
    jn_simulation_options o =
        scheme ? scheme_options(JN_VARIATIONAL, 1e-3, 0) : scheme_options(JN_TAYLOR, 2e-3, 0);
    double closed_drift, open_drift;
    check_residual("constraints, 3000 steps", follow(&m, &o, 3000, &closed_drift), 4e-15);
    o.constraints = &open;
    follow(&m, &o, 3000, &open_drift);
    check_residual(scheme ? "energy, 3000 steps, variational" : "energy, 3000 steps, taylor",
                   closed_drift, scheme ? 1e-2 : 2e-13);
    check_residual("energy, relative to the open tree's", closed_drift, 10 * open_drift);
    mechanism_free(&m);
  }
}

/* ---- momentum of a loop that floats */

/* Relative error of a momentum p = m (x1 - x0) / h of rounded positions: each x is off by u |x| at
 * most, so p is off by 2 u m |x| / h. */
static double rounding_of_momentum(const jn_model *model, const double *x, double h,
                                   const double *p) {
  return 2 * 0x1p-53 * jn_model_mass(model) * largest(x, 3) / h / largest(p, 6);
}

static void a_floating_loop_keeps_its_momentum(void **state) {
  (void)state;
  static const struct {
    jn_scheme scheme;
    double step, bound;
  } cases[] = {{JN_MOMENTUM, 1e-3, 1e-15}, {JN_VARIATIONAL, 1e-3, 0}, {JN_TAYLOR, 0, 1e-13}};
  jn_spec *spec;
  jn_model *model;
  jn_error error;
  const jn_vec3 no_gravity = {0, 0, 0};
  const jn_build_options floating = {.root = JN_ROOT_FLOATING};
  assert_ok(jn_spec_load("fourbar", NULL, &spec, &error));
  *jn_spec_link(spec, 0) = link_of("ground", 2, jn_v3(0.1, 0, 0.2), 1, 1.2, 1.5);
  assert_ok(jn_model_build(spec, &floating, NULL, &model, &error));
  jn_spec_free(spec);
  mechanism m = mechanism_of(model, 0);
  const double v[9] = {0.3, -0.2, 0.5, 0.1, 0.4, -0.3, 6, 0, 0};
  unsigned char driven[4] = {1, 1, 0, 0};
  memcpy(m.v, v, sizeof v);
  m.q[0] = 1;
  assert_ok(jn_assemble(m.model, m.data, 1, driven, NULL, m.q, m.v));
  for (size_t i = 0; i < COUNT(cases); i++) {
    char name[64];
    double before[6], after[6], q[10], w[9];
    jn_simulation_options o = scheme_options(cases[i].scheme, cases[i].step, 1e-13);
    o.gravity = &no_gravity;
    jn_simulation *s = new_simulation(m.model, &o);
    jn_momentum out = {.momentum = before};
    assert_ok(jn_momentum_energy(m.model, m.data, 0, m.q, m.v, &out));
    assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
    run_simulation(s, 2);
    assert_ok(jn_simulation_state(s, NULL, q, w));
    out.momentum = after;
    assert_ok(jn_momentum_energy(m.model, m.data, 0, q, w, &out));
    snprintf(name, sizeof name, "momentum by %s", jn_scheme_name(cases[i].scheme));
    const double bound = cases[i].scheme == JN_VARIATIONAL
                             ? rounding_of_momentum(m.model, q + 4, cases[i].step, before)
                             : cases[i].bound;
    check_residual(name, largest_difference(before, after, 6) / largest(before, 6), bound);
    check_residual("floating loop is closed", open_by(&m, q, w, NULL), 4e-15);
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* ---- a loop whose rank is lower on the manifold than beside it */

static jn_pose twisted(double a, double alpha) {
  const double c = cos(alpha), s = sin(alpha);
  return jn_pose_make((jn_mat3){{{1, 0, 0}, {0, c, -s}, {0, s, c}}}, jn_v3(a, 0, 0));
}

/* Bennett's linkage: tan(u1/2) tan(u2/2) = const, four hinges that move though 5 rows hold 3. */
static void a_bennett_linkage_moves(void **state) {
  (void)state;
  const double a = 1, alpha = 0.6, beta = 1.1, b = a * sin(beta) / sin(alpha),
               k = sin((alpha + beta) / 2) / sin((beta - alpha) / 2);
  const jn_pose at[3] = {twisted(0, 0), twisted(a, alpha), twisted(b, beta)};
  jn_spec *spec;
  const char *parent = "ground", *names[3] = {"one", "two", "three"}, *joints[3] = {"a", "b", "c"};
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("bennett", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < 3; i++) {
    jn_link_desc l = link_of(names[i], 1, jn_v3(0.4, 0.1, -0.2), 0.2, 0.3, 0.25);
    jn_joint_desc j = joint_of(joints[i], JN_JOINT_REVOLUTE, parent, names[i], at[i]);
    j.axis[0] = jn_v3(0, 0, 1);
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
    parent = names[i];
  }
  jn_constraint_desc c = jn_constraint_default("last", JN_CONSTRAINT_REVOLUTE, "three", "world");
  c.a.pose = twisted(a, alpha);
  c.b.pose = twisted(0, -beta);
  c.b.pose.p = jn_v3(-b, 0, 0);
  assert_ok(jn_spec_add_constraint(spec, &c));
  mechanism m = mechanism_of(build(spec), 0);
  jn_spec_free(spec);
  const double u = 1.3, w = 2 * atan(k / tan(u / 2));
  int rank;
  m.q[0] = u, m.q[1] = w, m.q[2] = 2 * 3.14159265358979323846 - u;
  m.v[0] = 2;
  unsigned char driven[4] = {1, 1, 0, 0};
  assert_ok(jn_assemble(m.model, m.data, 1, driven, NULL, m.q, m.v));
  assert_ok(jn_constraint_rank(m.model, m.data, m.q, NULL, &rank, NULL, NULL));
  assert_int_equal(rank, 2);
  for (int scheme = 0; scheme < JN_SCHEME_COUNT; scheme++) {
    if (scheme == JN_MOMENTUM) continue;
    const int adaptive = scheme == JN_TAYLOR || scheme == JN_RKMK54;
    const jn_simulation_options o = scheme_options((jn_scheme)scheme, adaptive ? 0 : 2e-3, 1e-10);
    jn_simulation *s = new_simulation(m.model, &o);
    double q[3], v[3];
    assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
    run_simulation(s, 0.3);
    assert_ok(jn_simulation_state(s, NULL, q, v));
    assert_true(fabs(q[0] - u) > 0.1);
    check_residual("Bennett's relation", fabs(tan(q[0] / 2) * tan(q[1] / 2) - k), 1e-13);
    check_residual("Bennett's opposite angles", fabs(q[0] + q[2] - (m.q[0] + m.q[2])), 1e-13);
    check_residual("energy of Bennett's linkage",
                   fabs(energy_of(&m, q, v) - energy_of(&m, m.q, m.v)),
                   scheme == JN_VARIATIONAL ? 1e-3 : 1e-8);
    jn_simulation_free(s);
  }
  mechanism_free(&m);
}

/* ---- constraints switched on and off: a mass on a rope */

static double rope_is_taut(void *context, double t, const double *q, const double *v) {
  (void)context, (void)t, (void)v;
  return q[0] * q[0] + q[1] * q[1] - 1;
}

/* A point mass that moves in the x z plane, on a rope of length 1 from the origin. */
static mechanism mass_on_a_rope(void) {
  jn_spec *spec;
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("rope", NULL, &spec));
  jn_link_desc slide = link_of("slide", 0, jn_v3(0, 0, 0), 0, 0, 0),
               bob = link_of("bob", 3, jn_v3(0, 0, 0), 0.1, 0.1, 0.1);
  jn_joint_desc x = joint_of("x", JN_JOINT_PRISMATIC, "ground", "slide", shift(0, 0, 0)),
                z = joint_of("z", JN_JOINT_PRISMATIC, "slide", "bob", shift(0, 0, 0));
  x.axis[0] = jn_v3(1, 0, 0), z.axis[0] = jn_v3(0, 0, 1);
  jn_constraint_desc c = jn_constraint_default("rope", JN_CONSTRAINT_DISTANCE, "bob", "world");
  c.length = 1;
  assert_ok(jn_spec_add_link(spec, &ground));
  assert_ok(jn_spec_add_link(spec, &slide));
  assert_ok(jn_spec_add_link(spec, &bob));
  assert_ok(jn_spec_add_joint(spec, &x));
  assert_ok(jn_spec_add_joint(spec, &z));
  assert_ok(jn_spec_add_constraint(spec, &c));
  mechanism m = mechanism_of(build(spec), 0);
  jn_spec_free(spec);
  return m;
}

/* Swings, is let go, falls on a parabola, and is caught: the velocity along the rope vanishes. */
static void a_mass_on_a_rope_is_let_go_and_caught(void **state) {
  (void)state;
  const double g = 9.81;
  mechanism m = mass_on_a_rope();
  const jn_event taut = {rope_is_taut, NULL, 1};
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-14);
  o.events = &taut;
  o.event_count = 1;
  const unsigned char off[1] = {0}, on[1] = {1};
  double q[2], v[2], p[2], u[2], t0, t1, impulse, force;
  int event;
  m.q[0] = 0.6, m.q[1] = -0.8, m.v[0] = 4.8, m.v[1] = 3.6; /* 6 m/s along the circle */
  jn_simulation *s = new_simulation(m.model, &o);
  assert_status(jn_simulation_step(s, 1, NULL), JN_ERR_CLOSURE); /* home is off the rope */
  assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
  /* -|d|^2 lambda = m (v^2 - g d_z)/1 : the rope pulls */
  assert_ok(jn_simulation_constraint_forces(s, &force));
  check_residual("pull of the rope", fabs(force + 3 * (36 + g * 0.8)), 1e-12);
  run_simulation(s, 0.25);
  assert_ok(jn_simulation_state(s, &t0, q, v));
  check_residual("energy on the rope",
                 fabs(0.5 * (v[0] * v[0] + v[1] * v[1]) + g * q[1] - 18 + 0.8 * g), 1e-12);
  v[0] *= 0.3, v[1] *= 0.3;
  assert_ok(jn_simulation_set_state(s, t0, q, v));
  assert_ok(jn_simulation_set_active(s, off, &impulse));
  assert_true(impulse == 0);
  assert_ok(jn_simulation_constraint_forces(s, &force));
  assert_true(force == 0);
  /* a parabola, to the circle again */
  jn_simulation_step(s, t0 + 1e-4, &event);
  assert_ok(jn_simulation_run_to(s, 5, &event));
  assert_int_equal(event, 0);
  assert_ok(jn_simulation_state(s, &t1, p, u));
  const double t = t1 - t0;
  check_residual("parabola",
                 worse(fabs(p[0] - q[0] - v[0] * t), fabs(p[1] - q[1] - v[1] * t + g * t * t / 2)),
                 1e-12);
  check_residual("where the rope is taut", fabs(p[0] * p[0] + p[1] * p[1] - 1), 1e-14);
  /* caught: m dv = d impulse */
  const double radial = p[0] * u[0] + p[1] * u[1];
  assert_true(radial > 0.1);
  assert_ok(jn_simulation_set_active(s, on, &impulse));
  assert_ok(jn_simulation_state(s, NULL, q, v));
  check_residual("impulse of the rope", fabs(impulse + 3 * radial), 1e-12);
  check_residual("velocity after the catch",
                 worse(fabs(v[0] - u[0] + radial * p[0]), fabs(v[1] - u[1] + radial * p[1])),
                 1e-13);
  run_simulation(s, t1 + 0.1);
  /* a configuration off the rope cannot be caught; nothing changes */
  assert_ok(jn_simulation_set_active(s, off, NULL));
  q[0] = 0.3, q[1] = 0.2;
  assert_ok(jn_simulation_set_state(s, 0, q, v));
  assert_status(jn_simulation_set_active(s, on, NULL), JN_ERR_CLOSURE);
  assert_int_equal(jn_simulation_constraint_fault(s).constraint, 0);
  assert_ok(jn_simulation_state(s, NULL, p, u));
  assert_true(same_bits(p, q, 2) && same_bits(u, v, 2));
  run_simulation(s, 0.01);
  jn_simulation_free(s);
  mechanism_free(&m);
}

static void what_cannot_be_simulated_is_refused(void **state) {
  (void)state;
  mechanism m = mass_on_a_rope();
  jn_error error;
  jn_simulation *s;
  const jn_world_motion moved = {.constraint = 0, .pose = shift(0, 0, 0)};
  const jn_constraints bad[] = {{.motion_count = 1, .motions = &moved},
                                {.proximal = -1e-6},
                                {.tolerance = -1},
                                {.rank_tolerance = 2}};
  jn_simulation_options o = scheme_options(JN_TAYLOR, 0, 1e-12);
  for (size_t i = 0; i < COUNT(bad); i++) {
    o.constraints = &bad[i];
    assert_status(jn_simulation_new(m.model, &o, NULL, &s, &error), JN_ERR_ARGUMENT);
    assert_null(s);
    assert_non_null(strstr(error.message, "constraints: "));
  }
  o.constraints = NULL;
  s = new_simulation(m.model, &o);
  m.q[0] = 1 + 1e-6;
  assert_status(jn_simulation_set_state(s, 0, m.q, m.v), JN_ERR_CLOSURE);
  m.q[0] = 1, m.v[0] = 1e-3; /* along the rope */
  assert_status(jn_simulation_set_state(s, 0, m.q, m.v), JN_ERR_CLOSURE);
  m.v[0] = 0;
  assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
  assert_status(jn_simulation_constraint_forces(s, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_simulation_constraint_forces(NULL, m.q), JN_ERR_ARGUMENT);
  assert_status(jn_simulation_set_active(NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_int_equal(jn_simulation_constraint_fault(NULL).constraint, -1);
  assert_true(jn_simulation_constraint_fault(NULL).allowed == 0);
  jn_simulation_free(s);
  /* so long a step that the way back to the manifold is not found */
  o = scheme_options(JN_RKMK4, 3, 0);
  s = new_simulation(m.model, &o);
  assert_ok(jn_simulation_set_state(s, 0, m.q, m.v));
  jn_status status = jn_simulation_step(s, 10, NULL);
  if (status) {
    assert_status(status, JN_ERR_CLOSURE);
    assert_non_null(strstr(jn_simulation_message(s), "'rope'"));
  }
  jn_simulation_free(s);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_four_bar_follows_its_own_equation),
      cmocka_unit_test(a_long_step_away_from_the_constraints_is_tried_again),
      cmocka_unit_test(a_long_step_to_a_singular_place_is_tried_again),
      cmocka_unit_test(a_fixed_step_is_bounded_by_the_decay_of_the_loop),
      cmocka_unit_test(the_order_of_the_variational_scheme_is_two),
      cmocka_unit_test(every_scheme_keeps_the_constraints),
      cmocka_unit_test(energy_is_kept_as_in_the_open_tree),
      cmocka_unit_test(a_floating_loop_keeps_its_momentum),
      cmocka_unit_test(a_bennett_linkage_moves),
      cmocka_unit_test(a_mass_on_a_rope_is_let_go_and_caught),
      cmocka_unit_test(what_cannot_be_simulated_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
