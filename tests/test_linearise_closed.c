/* test_linearise_closed.c: linearisation on the constraints, compared with the reduced equation of a
 * four-bar and with differences of assembled states. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/mechanism.h"

typedef struct linear {
  int p, *independent;
  double *A, *B, *P, *E, *A1, *B1;
} linear;

static linear linear_new(const mechanism *m) {
  const size_t n = 2 * (size_t)m->nv + 1, nn = n * n;
  linear x = {.independent = calloc(n, sizeof(int))};
  x.A = doubles(nn), x.B = doubles(nn), x.P = doubles(nn), x.E = doubles(nn);
  x.A1 = doubles(nn), x.B1 = doubles(nn);
  return x;
}
static void linear_free(linear *x) {
  free(x->independent), free(x->A), free(x->B), free(x->P), free(x->E), free(x->A1), free(x->B1);
}
static jn_status linear_at(const mechanism *m, linear *x) {
  const jn_linearise_closed out = {x->A, x->B, x->P, &x->p, x->independent, x->E, x->A1, x->B1};
  return jn_constrained_linearise(m->model, m->data, NULL, m->q, m->v, m->tau, NULL, NULL, &out);
}

/* The four-bar at crank angle s: inertia about the crank T = M s'^2 / 2, and potential V. */
static void energies(void *context, double s, double *out) {
  mechanism *m = context;
  const unsigned char driven[4] = {0, 1, 0, 0};
  double q[3] = {m->q[0] + s, m->q[1], m->q[2]}, v[6] = {1, 0, 0}, T[2], V[2];
  jn_momentum o = {.kinetic = T, .potential = V};
  assert_ok(jn_assemble(m->model, m->data, 1, driven, NULL, q, v));
  assert_ok(jn_momentum_energy(m->model, m->data, 0, q, v, &o));
  out[0] = 2 * T[0], out[1] = V[0];
}
static void energy_slopes(void *context, double s, double *out) {
  mechanism *m = context;
  m->q[0] += s;
  derivative(energies, m, 0.05, 2, out);
  m->q[0] -= s;
}

/* M(s) s'' + M'(s) s'^2 / 2 + V'(s) = tau */
static void a_fourbar_is_a_scalar_equation(void **state) {
  (void)state;
  jn_error error;
  jn_model *model;
  if (jn_model_load("fourbar", NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  mechanism m = mechanism_of(model, 1);
  const unsigned char driven[4] = {0, 1, 0, 0};
  linear x = linear_new(&m);
  double E[2], slope[2], bend[2];
  m.q[0] = 0.5, m.v[0] = 2, m.tau[0] = 0.3;
  assert_ok(jn_assemble(m.model, m.data, 1, driven, NULL, m.q, m.v));
  assert_ok(linear_at(&m, &x));
  assert_int_equal(x.p, 1);
  assert_int_equal(x.independent[0], 0);
  energies(&m, 0, E);
  derivative(energies, &m, 0.05, 2, slope);
  derivative(energy_slopes, &m, 0.05, 2, bend);
  const double v = m.v[0], a = (m.tau[0] - slope[0] * v * v / 2 - slope[1]) / E[0];
  const double by_q = (-bend[0] * v * v / 2 - bend[1] - slope[0] * a) / E[0],
               by_v = -slope[0] * v / E[0];
  assert_true(x.A1[0] == 0 && x.A1[1] == 1);
  check_residual("four-bar, d s'' / d s", fabs(x.A1[2] - by_q) / fabs(by_q), 1e-8);
  check_residual("four-bar, d s'' / d s'", fabs(x.A1[3] - by_v) / fabs(by_v), 1e-10);
  check_residual("four-bar, d s'' / d tau", fabs(x.B1[3] - 1 / E[0]) * E[0], 1e-13);
  linear_free(&x);
  mechanism_free(&m);
}

/* v' at the assembled state near (q exp(s xi), v + s dv), z = (xi, dv) */
typedef struct ray {
  mechanism *m;
  const double *z;
} ray;
static void along(void *context, double s, double *out) {
  const ray *r = context;
  mechanism *m = r->m;
  const size_t nv = (size_t)m->nv;
  double *q = doubles((size_t)m->nq), *xi = doubles(nv), *v = doubles(nv);
  for (size_t j = 0; j < nv; j++) xi[j] = s * r->z[j], v[j] = m->v[j] + s * r->z[nv + j];
  assert_ok(jn_integrate(m->model, m->q, xi, q));
  assert_ok(jn_assemble(m->model, m->data, 1, NULL, NULL, q, v));
  assert_ok(
      jn_constrained_forward_dynamics(m->model, m->data, 0, q, v, m->tau, NULL, NULL, out, NULL));
  free(q), free(xi), free(v);
}

/* J xi, and J v at the displaced state */
static void closure_along(void *context, double s, double *out) {
  const ray *r = context;
  mechanism *m = r->m;
  const size_t nv = (size_t)m->nv, rows = (size_t)m->rows;
  double *q = doubles((size_t)m->nq), *xi = doubles(nv), *v = doubles(nv);
  for (size_t j = 0; j < nv; j++) xi[j] = s * r->z[j], v[j] = m->v[j] + s * r->z[nv + j];
  assert_ok(jn_integrate(m->model, m->q, xi, q));
  assert_ok(jn_constraint_closure(m->model, m->data, 0, q, v, NULL, out, out + rows, NULL));
  free(q), free(xi), free(v);
}

static void columns_of_the_basis_stay_on_the_constraints(void **state) {
  (void)state;
  static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_SPHERICAL,
                                        JN_JOINT_PLANAR};
  int moved = 0;
  for (uint64_t seed = 500; seed < 530; seed++) {
    mechanism m =
        mechanism_random(seed, 6, bases[seed % 4], TYPES_ALL, 1 + (int)(seed % 2), CUTS_ALL, 1);
    const size_t nv = (size_t)m.nv, n = 2 * nv, rows = (size_t)m.rows;
    linear x = linear_new(&m);
    double *z = doubles(n), *got = doubles(n), *want = doubles(nv), *open = doubles(2 * rows + 1);
    rng r = rng_new(seed);
    check_seed(seed);
    assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
    for (size_t j = 0; j < nv; j++) m.tau[j] = rng_range(&r, -1, 1);
    assert_ok(linear_at(&m, &x));
    const size_t p = (size_t)x.p;
    for (size_t c = 0; c < 2 * p; c += 3) {
      const size_t i = (size_t)x.independent[c % p] + (c < p ? 0 : nv);
      for (size_t j = 0; j < n; j++) z[j] = x.E[j * 2 * p + c];
      const double size = 1 + largest(z, n);
      for (size_t j = 0; j < n; j++) assert_true(x.P[j * n + i] == z[j]);
      assert_true(z[i] == 1);
      ray a = {&m, z};
      derivative(closure_along, &a, 0.02 / size, 2 * rows, open);
      check_residual("d closure along the basis", largest(open, 2 * rows) / size, 1e-9);
      derivative(along, &a, 0.02 / size, nv, want);
      for (size_t k = 0; k < n; k++) {
        got[k] = 0;
        for (size_t j = 0; j < n; j++) got[k] += x.A[k * n + j] * z[j];
      }
      check_residual("A E = differences of assembled states",
                     largest_difference(got + nv, want, nv) / (size + largest(want, nv)), 1e-7);
      for (size_t k = 0; k < p; k++)
        check_residual("minimal A",
                       fabs(x.A1[(p + k) * 2 * p + c] - got[nv + (size_t)x.independent[k]]) /
                           (size + largest(got, n)),
                       1e-14);
      moved++;
    }
    free(z), free(got), free(want), free(open);
    linear_free(&x);
    mechanism_free(&m);
  }
  assert_true(moved > 60);
}

/* A, B, projector and the minimal matrices with their rates at t = MIDDLE + s of the motion under
 * constant forces, one after the other */
#define MIDDLE 0.05
enum { RATES = 3 };
typedef struct course {
  mechanism *m;
  int p, *independent, first[64]; /* first: at s = 0 */
  size_t sizes[5];                /* numbers of each per order */
} course;
static void rates_at(void *context, double s, double *out) {
  course *x = context;
  mechanism *m = x->m;
  const size_t nv = (size_t)m->nv, n = 2 * nv, r = RATES + 1;
  double *q = doubles((size_t)m->nq), *v = doubles(nv), *tau = doubles(r * nv),
         *work = doubles(jn_constrained_linearise_rates_size(m->model, RATES));
  jn_simulation_options o = jn_simulation_options_default();
  jn_simulation *simulation;
  const jn_constraints on = {0};
  o.scheme = JN_TAYLOR, o.representation = JN_BODY, o.forces.tau = m->tau, o.constraints = &on;
  assert_ok(jn_simulation_new(m->model, &o, NULL, &simulation, NULL));
  assert_ok(jn_simulation_set_state(simulation, 0, m->q, m->v));
  assert_ok(jn_simulation_run_to(simulation, MIDDLE + s, NULL));
  assert_ok(jn_simulation_state(simulation, NULL, q, v));
  jn_simulation_free(simulation);
  memcpy(tau, m->tau, nv * sizeof *tau);
  double *B = out + r * n * n, *P = B + r * n * nv, *A1 = P + r * n * n, *B1 = A1 + r * n * n;
  fill(P, r * n * n, 7); /* zeros are written too */
  const jn_linearise_closed o1 = {out, B, P, &x->p, x->independent, NULL, A1, B1};
  assert_ok(jn_constrained_linearise_rates(m->model, m->data, NULL, RATES, q, v, tau, NULL, NULL,
                                           work, &o1));
  const size_t p = 2 * (size_t)x->p, sizes[] = {n * n, n * nv, n * n, p * p, p * nv};
  memcpy(x->sizes, sizes, sizeof sizes);
  if (s == 0) memcpy(x->first, x->independent, sizeof(int) * (size_t)x->p);
  assert_memory_equal(x->first, x->independent, sizeof(int) * (size_t)x->p);
  free(q), free(v), free(tau), free(work);
}

static void rates_are_derivatives_along_the_motion(void **state) {
  (void)state;
  static const char *const names[] = {"A", "B", "projector", "A_minimal", "B_minimal"};
  int moved = 0;
  for (uint64_t seed = 600; seed < 606; seed++) {
    mechanism m = mechanism_random(seed, 5, seed % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, TYPES_ALL,
                                   1, CUTS_ALL, RATES);
    const size_t nv = (size_t)m.nv, n = 2 * nv, r = RATES + 1, room = r * (3 * n * n + 2 * n * nv);
    double *now = doubles(room), *slope = doubles(room);
    course x = {.m = &m, .independent = calloc(nv, sizeof(int))};
    rng random = rng_new(seed);
    check_seed(seed);
    assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
    for (size_t j = 0; j < nv; j++) m.tau[j] = rng_range(&random, -1, 1);
    rates_at(&x, 0, now);
    derivative(rates_at, &x, 0.01, room, slope);
    const size_t starts[] = {0, r * n * n, r * (n * n + n * nv), r * (2 * n * n + n * nv),
                             r * (3 * n * n + n * nv)};
    for (int which = 0; which < 5; which++)
      for (size_t k = 0; k < RATES; k++) {
        const size_t size = x.sizes[which];
        const double *want = slope + starts[which] + k * size,
                     *got = now + starts[which] + (k + 1) * size;
        check_residual(names[which],
                       largest_difference(got, want, size) /
                           (1 + largest(got, size) + largest(got - size, size)),
                       1e-7);
      }
    moved += x.p > 0;
    free(now), free(slope), free(x.independent);
    mechanism_free(&m);
  }
  assert_true(moved > 3);
}

/* A short pendulum that two gears turn 2^605 times as fast as a motor, at rest; it and the wheel
 * between them are passive:
 *   u'' = -k u,   k = g/2 l,   E = (N_1 N_2, N_1, 1)                 l: the pendulum's length
 * E is constant: its derivative is the difference of A E and E A_minimal, both of size N_1 N_2 k, which
 * overflows while E, A and A_minimal are far from it. */
static mechanism geared_pendulum(double N_1, double N_2, double l) {
  jn_spec *spec;
  const double mass = 0x1p91, J = mass * l * l;
  static const char *const names[3] = {"bob", "wheel", "motor"};
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("geared", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < 3; i++) {
    const jn_link_desc link = i ? link_of(names[i], 1, jn_v3(0, 0, 0), 1, 1, 1)
                                : link_of(names[i], mass, jn_v3(0, 0, -l), J, J, J);
    jn_joint_desc j = joint_of(names[i], JN_JOINT_REVOLUTE, "ground", names[i], shift(0, 0, 0));
    j.axis[0] = jn_v3(0, 1, 0);
    j.passive = i < 2;
    assert_ok(jn_spec_add_link(spec, &link));
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  for (int i = 0; i < 2; i++) {
    jn_constraint_desc gear =
        jn_constraint_default(i ? "first" : "second", JN_CONSTRAINT_COUPLING, NULL, NULL);
    const jn_coupling_term terms[2] = {{names[i], i ? -1 / N_1 : -1 / N_2}, {names[i + 1], 1}};
    gear.terms = terms, gear.term_count = 2;
    assert_ok(jn_spec_add_constraint(spec, &gear));
  }
  mechanism m = mechanism_of(build(spec), 1);
  jn_spec_free(spec);
  return m;
}
static void rates_of_the_basis_that_overflow_are_refused(void **state) {
  (void)state;
  const double N_1 = 0x1p95, N_2 = 0x1p510, l = 0x1p-95;
  const jn_constraints c = {.rank_tolerance =
                                0x1p-200}; /* the rows of the gears are nearly parallel */
  mechanism m = geared_pendulum(N_1, N_2, l);
  double *work = doubles(jn_constrained_linearise_rates_size(m.model, 1));
  for (int power = 300; power <= 325; power += 5) /* N_1 N_2 k = 2^(699 + power) */
    for (int order = 0; order < 2; order++) {
      const int overflows = order && power > 320;
      const double g = ldexp(1, power), k = g / (2 * l);
      double A[72], E[24], minimal[8];
      int mobility = -1, independent[3] = {-1, -1, -1};
      const jn_linearise_closed out = {.A = A,
                                       .basis = E,
                                       .A_minimal = minimal,
                                       .mobility = &mobility,
                                       .independent = independent};
      fill(A, 72, 7), fill(E, 24, 7), fill(minimal, 8, 7);
      jn_data_settings(m.data)->gravity = jn_v3(0, 0, -g);
      assert_status(jn_constrained_linearise_rates(m.model, m.data, NULL, order, m.q, m.v, m.tau,
                                                   NULL, &c, work, &out),
                    overflows ? JN_ERR_NOT_FINITE : JN_OK);
      if (overflows) { /* nothing is written */
        assert_true(A[0] == 7 && A[71] == 7 && E[0] == 7 && E[23] == 7 && minimal[0] == 7);
        assert_true(mobility == -1 && independent[0] == -1);
        continue;
      }
      assert_true(mobility == 1 && independent[0] == 2);
      check_residual("gears, basis", fabs(E[0] / N_1 / N_2 - 1) + fabs(E[2] / N_1 - 1), 1e-14);
      check_residual("gears, A_minimal", fabs(minimal[2] / k + 1) + fabs(minimal[1] - 1), 1e-14);
      if (order) check_residual("gears, basis'", largest(E + 12, 12) / (N_1 * N_2 * k), 1e-14);
    }
  free(work);
  mechanism_free(&m);
}

static void other_variations_are_refused(void **state) {
  (void)state;
  mechanism m = mechanism_random(3, 6, JN_JOINT_FREE, TYPES_ALL, 1, CUTS_ALL, 1);
  linear x = linear_new(&m);
  const jn_linearise_closed out = {.A = x.A}, none = {0};
  jn_linearise_options right = jn_linearise_options_default();
  right.trivialisation = JN_RIGHT;
  assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
  fill(x.A, 4, 7);
#define AT(options, o) \
  jn_constrained_linearise(m.model, m.data, options, m.q, m.v, m.tau, NULL, NULL, o)
  assert_status(AT(&right, &out), JN_ERR_ARGUMENT);
  assert_status(AT(NULL, &none), JN_ERR_ARGUMENT);
  jn_data_settings(m.data)->representation = JN_SPATIAL;
  assert_status(AT(NULL, &out), JN_ERR_ARGUMENT);
  jn_data_settings(m.data)->representation = JN_BODY;
  m.q[m.nq - 1] += 0.1;
  m.q[5] += 0.1;
  assert_true(AT(NULL, &out) != JN_OK || m.rows == 0);
  assert_true(x.A[0] == 7 && x.A[3] == 7);
#undef AT
  double *work = doubles(jn_constrained_linearise_rates_size(m.model, 1));
#define RATES_AT(options, memory, o)                                                               \
  jn_constrained_linearise_rates(m.model, m.data, options, 1, m.q, m.v, m.tau, NULL, NULL, memory, \
                                 o)
  assert_status(RATES_AT(&right, work, &out), JN_ERR_ARGUMENT);
  assert_status(RATES_AT(NULL, work, &none), JN_ERR_ARGUMENT);
  assert_status(RATES_AT(NULL, NULL, &out), JN_ERR_ARGUMENT);
  assert_true(RATES_AT(NULL, work, &out) != JN_OK || m.rows == 0);
  assert_true(x.A[0] == 7 && x.A[3] == 7);
  assert_int_equal(jn_constrained_linearise_rates_size(NULL, 1), 0);
#undef RATES_AT
  free(work);
  linear_free(&x);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fourbar_is_a_scalar_equation),
      cmocka_unit_test(columns_of_the_basis_stay_on_the_constraints),
      cmocka_unit_test(rates_are_derivatives_along_the_motion),
      cmocka_unit_test(rates_of_the_basis_that_overflow_are_refused),
      cmocka_unit_test(other_variations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
