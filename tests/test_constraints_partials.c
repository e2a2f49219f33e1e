/* test_constraints_partials.c: partial derivatives of dynamics with constraints, compared with
 * differences of the dynamics in 113 bits. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"
#include "helpers/tree.h"
#include "oracle/quad.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL, JN_JOINT_PLANAR};

/* A mechanism in motion with random forces. */
static mechanism moving(uint64_t seed, int bodies, int cuts, int order) {
  mechanism m =
      mechanism_random(seed, bodies, bases[seed % COUNT(bases)], TYPES_ALL, cuts, CUTS_ALL, order);
  rng r = rng_new(seed);
  jn_data_settings(m.data)->representation = representations[seed / 5 % 4];
  jn_data_settings(m.data)->damping = seed % 3 == 0;
  assert_ok(jn_assemble(m.model, m.data, 1, NULL, NULL, m.q, m.v));
  for (size_t i = 0; i < m.n; i++) m.tau[i] = rng_range(&r, -1, 1);
  return m;
}

/* The state in 113 bits, displaced along one variable: -1: q; 0..: v^(row); -2 - j: tau^(j). */
typedef struct place {
  quad *q, *v, *tau;
} place;

static place place_new(const mechanism *m) {
  const size_t n = m->n + (size_t)m->nv;
  place x = {quads((size_t)m->nq), quads(n), quads(m->n)};
  for (int i = 0; i < m->nq; i++) x.q[i] = m->q[i];
  for (size_t i = 0; i < n; i++) x.v[i] = m->v[i];
  for (size_t i = 0; i < m->n; i++) x.tau[i] = m->tau[i];
  return x;
}
static void place_free(place *x) { free(x->q), free(x->v), free(x->tau); }

/* C exp(h e_d), R exp(h e_d) or q + h */
static void displace(const mechanism *m, int c, quad h, quad *q) {
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    if (c < j->iv || c >= j->iv + j->nv) continue;
    const int d = c - j->iv;
    quad *x = q + j->iq, s, e, u[3] = {0}, t[3];
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) {
      x[d] += h;
      return;
    }
    const quad a = x[0], b[3] = {x[1], x[2], x[3]};
    u[d % 3] = 1;
    if (d < 3) {
      quad_sincos(h / 2, &s, &e);
      x[0] = e * a - s * b[d];
      for (int k = 0; k < 3; k++)
        x[1 + k] = e * b[k] + s * (a * u[k] + b[(k + 1) % 3] * u[(k + 2) % 3] -
                                   b[(k + 2) % 3] * u[(k + 1) % 3]);
      return;
    }
    /* p + R u h, R u = u + 2 a (b x u) + 2 b x (b x u) */
    for (int k = 0; k < 3; k++)
      t[k] = 2 * (b[(k + 1) % 3] * u[(k + 2) % 3] - b[(k + 2) % 3] * u[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
      x[4 + k] +=
          h * (u[k] + a * t[k] + b[(k + 1) % 3] * t[(k + 2) % 3] - b[(k + 2) % 3] * t[(k + 1) % 3]);
  }
}

/* weights of the forces for inverse dynamics */
static double *weights_new(const mechanism *m) {
  double *w = doubles((size_t)m->nv);
  rng r = rng_new((uint64_t)m->nv);
  for (int i = 0; i < m->nv; i++) w[i] = rng_range(&r, 0.5, 2);
  return w;
}

static void evaluate(const mechanism *m, const quad_robot *exact, const double *weight, int row,
                     int column, quad h, quad *out) {
  place x = place_new(m);
  const jn_settings *set = jn_data_settings(m->data);
  if (row == -1)
    displace(m, column, h, x.q);
  else
    (row >= 0 ? x.v + (size_t)row * (size_t)m->nv
              : x.tau + (size_t)(-2 - row) * (size_t)m->nv)[column] += h;
  if (weight)
    core_inverse_closed(exact, m->order, set->representation, set->damping, weight, x.q, x.v, out,
                        out + m->n);
  else
    core_forward_closed(exact, m->order, set->representation, set->damping, x.q, x.v, x.tau, out,
                        out + m->n);
  place_free(&x);
}

/* central differences, want[m.n + m.nl] */
static void difference(const mechanism *m, const quad_robot *exact, const double *weight, int row,
                       int column, double *want) {
  const size_t n = m->n + m->nl;
  const quad h = (quad)1e-12;
  quad *plus = quads(n), *minus = quads(n);
  evaluate(m, exact, weight, row, column, h, plus);
  evaluate(m, exact, weight, row, column, -h, minus);
  for (size_t i = 0; i < n; i++) want[i] = (double)((plus[i] - minus[i]) / (2 * h));
  free(plus), free(minus);
}

/* largest error over k of one column [n] of matrices [n x nv], relative to the largest entry of its
 * matrix or `floor` */
static double column_error(const mechanism *m, size_t n, const double *want, const double *got,
                           size_t matrices, int column, double floor) {
  const size_t nv = (size_t)m->nv;
  double worst = 0;
  for (size_t k = 0; k <= (size_t)m->order; k++) {
    const double *block = got + k * matrices * n * nv;
    const double size = fmax(largest(block, n * nv), floor);
    double error = 0;
    for (size_t i = 0; i < n; i++)
      error = worse(error, fabs(block[i * nv + (size_t)column] - want[k * n + i]));
    if (size > 0) worst = worse(worst, error / size);
  }
  return worst;
}

static jn_forward_closed forward_new(const mechanism *m) {
  const size_t n = (size_t)m->order + 1, s = (size_t)m->nv * (size_t)m->nv,
               w = (size_t)m->rows * (size_t)m->nv + 1;
  return (jn_forward_closed){doubles(n * s), doubles(n * s), doubles(n * n * s),
                             doubles(n * w), doubles(n * w), doubles(n * n * w)};
}
static void forward_free(jn_forward_closed *x) {
  free(x->a_dq), free(x->a_dv), free(x->a_dtau);
  free(x->lambda_dq), free(x->lambda_dv), free(x->lambda_dtau);
}
static jn_inverse_closed inverse_new(const mechanism *m) {
  const size_t n = (size_t)m->order + 1, s = (size_t)m->nv * (size_t)m->nv,
               w = (size_t)m->rows * (size_t)m->nv + 1;
  return (jn_inverse_closed){doubles(n * s), doubles(n * (n + 1) * s), doubles(n * w),
                             doubles(n * (n + 1) * w)};
}
static void inverse_free(jn_inverse_closed *x) {
  free(x->tau_dq), free(x->tau_dv), free(x->lambda_dq), free(x->lambda_dv);
}

static const double *matrix(const double *dq, const double *dv, const double *dtau, int row,
                            size_t size) {
  return row == -1 ? dq : row == 0 ? dv : dtau + (size_t)(-2 - row) * size;
}

/* `every`: of so many columns one is compared */
static void check_forward(const mechanism *m, int every, double bound) {
  const size_t nv = (size_t)m->nv, rows = (size_t)m->rows, n = (size_t)m->order + 1;
  quad_robot *exact = quad_robot_new(m->model, jn_data_settings(m->data)->gravity);
  jn_forward_closed got = forward_new(m);
  double *want = doubles(m->n + m->nl);
  assert_ok(jn_constrained_forward_partials(m->model, m->data, m->order, m->q, m->v, m->tau, NULL,
                                            NULL, &got));
  static const char *const names[] = {"d v^(k+1) / d tau^(j)", "d v^(k+1) / d q",
                                      "d v^(k+1) / d v",       "d lambda^(k) / d tau^(j)",
                                      "d lambda^(k) / d q",    "d lambda^(k) / d v"};
  for (int c = m->nv % every; c < m->nv; c += every)
    for (int j = -1 - (int)n; j <= 0; j++) {
      const int name = j < -1 ? 0 : j + 2;
      const size_t matrices = j >= -1 ? 1 : n;
      difference(m, exact, NULL, j, c, want);
      check_residual(names[name],
                     column_error(m, nv, want, matrix(got.a_dq, got.a_dv, got.a_dtau, j, nv * nv),
                                  matrices, c, 1e-2),
                     bound);
      check_residual(
          names[3 + name],
          column_error(m, rows, want + m->n,
                       matrix(got.lambda_dq, got.lambda_dv, got.lambda_dtau, j, rows * nv),
                       matrices, c, 1e-2),
          bound);
    }
  forward_free(&got);
  quad_robot_free(exact);
  free(want);
}

static void forward_partials_are_differences_in_113_bits(void **state) {
  (void)state;
  for (uint64_t seed = 100; seed < 140; seed++) {
    mechanism m = moving(seed, 4 + (int)(seed % 3), 1 + (int)(seed % 2), (int)(seed % 6));
    check_seed(seed);
    check_forward(&m, 3, 1e-9);
    mechanism_free(&m);
  }
}

static void check_inverse(const mechanism *m, int every, double bound) {
  const size_t nv = (size_t)m->nv, rows = (size_t)m->rows, n = (size_t)m->order + 1;
  quad_robot *exact = quad_robot_new(m->model, jn_data_settings(m->data)->gravity);
  jn_inverse_closed got = inverse_new(m);
  double *want = doubles(m->n + m->nl), *weight = weights_new(m);
  const jn_constraints anywhere = {.tolerance = INFINITY, .weights = weight};
  assert_ok(jn_constrained_inverse_partials(m->model, m->data, m->order, m->q, m->v, NULL,
                                            &anywhere, &got));
  for (int c = m->nv % every; c < m->nv; c += every)
    for (int j = -1; j <= m->order + 1; j++) {
      const double *T = j < 0 ? got.tau_dq : got.tau_dv + (size_t)j * nv * nv,
                   *L = j < 0 ? got.lambda_dq : got.lambda_dv + (size_t)j * rows * nv;
      const size_t matrices = j < 0 ? 1 : n + 1;
      difference(m, exact, weight, j, c, want);
      check_residual(j < 0 ? "d tau^(k) / d q" : "d tau^(k) / d v^(j)",
                     column_error(m, nv, want, T, matrices, c, 1e-2), bound);
      check_residual(j < 0 ? "inverse, d lambda^(k) / d q" : "inverse, d lambda^(k) / d v^(j)",
                     column_error(m, rows, want + m->n, L, matrices, c, 1e-2), bound);
    }
  inverse_free(&got);
  quad_robot_free(exact);
  free(want), free(weight);
}

/* What inverse dynamics and their partial derivatives say of a motion. */
static jn_status status_of(const mechanism *m) {
  const jn_inverse_closed none = {0};
  return jn_constrained_inverse_partials(m->model, m->data, m->order, m->q, m->v, NULL, NULL,
                                         &none);
}

static void inverse_partials_are_differences_in_113_bits(void **state) {
  (void)state;
  int checked = 0, represented = 0;
  for (uint64_t seed = 300; seed < 340; seed++) {
    mechanism m = moving(seed, 4 + (int)(seed % 3), 1 + (int)(seed % 2), (int)(seed % 6));
    rng r = rng_new(seed);
    check_seed(seed);
    for (size_t i = (size_t)m.nv; i < m.n + (size_t)m.nv; i++) m.v[i] = rng_range(&r, -1, 1);
    assert_ok(jn_assemble(m.model, m.data, m.order + 2, NULL, NULL, m.q, m.v));
    jn_status status = status_of(&m);
    if (status == JN_ERR_ARGUMENT) {
      /* an actuated free joint among the forces of least norm */
      assert_true(jn_data_settings(m.data)->representation != JN_BODY);
      jn_data_settings(m.data)->representation = JN_BODY;
      assert_ok(jn_assemble(m.model, m.data, m.order + 2, NULL, NULL, m.q, m.v));
      status = status_of(&m);
    }
    /* a floating base that its constraints do not hold needs a force */
    if (status != JN_ERR_ACTUATION) {
      check_inverse(&m, 3, 1e-9);
      checked++;
      represented += jn_data_settings(m.data)->representation != JN_BODY && seed % 5 == 0;
    }
    mechanism_free(&m);
  }
  assert_true(checked > 30 && represented > 2);
}

/* Passive joints, redundant rows, a moving base: order 5, to 1e-9 of the largest entry. */
static void partials_of_the_reference_mechanisms(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    check_seed(i);
    check_forward(&x.m, 5, 1e-9);
    check_inverse(&x.m, 5, 1e-9);
    mechanism_free(&x.m);
  }
}

static void without_constraints_they_are_those_of_the_open_tree(void **state) {
  (void)state;
  jn_error error;
  jn_model *model;
  if (jn_model_load("double_pendulum", NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  mechanism m = mechanism_of(model, 2);
  const size_t nv = (size_t)m.nv, s = nv * nv;
  jn_forward_closed f = forward_new(&m);
  jn_inverse_closed g = inverse_new(&m);
  double *dq = doubles(3 * s), *dv = doubles(12 * s), *dtau = doubles(9 * s);
  for (size_t i = 0; i < m.n; i++) m.v[i] = 0.3 * (double)i - 0.5, m.tau[i] = 0.2;
  assert_ok(jn_constrained_forward_partials(model, m.data, 2, m.q, m.v, m.tau, NULL, NULL, &f));
  assert_ok(jn_forward_partials(model, m.data, 2, m.q, m.v, m.tau, NULL, dq, dv, dtau));
  assert_true(same_bits(f.a_dq, dq, 3 * s) && same_bits(f.a_dtau, dtau, 9 * s));
  assert_ok(jn_constrained_inverse_partials(model, m.data, 2, m.q, m.v, NULL, NULL, &g));
  assert_ok(jn_inverse_partials(model, m.data, 2, m.q, m.v, NULL, dq, dv));
  assert_true(same_bits(g.tau_dq, dq, 3 * s) && same_bits(g.tau_dv, dv, 12 * s));
  free(dq), free(dv), free(dtau);
  forward_free(&f), inverse_free(&g);
  mechanism_free(&m);
}

static void a_proximal_parameter_is_refused(void **state) {
  (void)state;
  const jn_constraints yielding = {.proximal = 0.1};
  reference x = reference_load("fourbar");
  mechanism *m = &x.m;
  jn_forward_closed f = forward_new(m);
  const jn_inverse_closed g = {0};
  f.a_dq[0] = 7;
  assert_status(jn_constrained_forward_partials(m->model, m->data, 1, m->q, m->v, m->tau, NULL,
                                                &yielding, &f),
                JN_ERR_ARGUMENT);
  assert_status(
      jn_constrained_inverse_partials(m->model, m->data, 1, m->q, m->v, NULL, &yielding, &g),
      JN_ERR_ARGUMENT);
  m->q[0] += 1e-3;
  assert_status(
      jn_constrained_forward_partials(m->model, m->data, 1, m->q, m->v, m->tau, NULL, NULL, &f),
      JN_ERR_CLOSURE);
  assert_true(f.a_dq[0] == 7);
  forward_free(&f);
  mechanism_free(m);
}

/* A pendulum that hangs without an actuator in a lift, no constraint: tau' = m l z^(3) sin(q) + ...,
 * but rows of passive joints are zero in every order. */
static void rows_of_passive_joints_are_zero(void **state) {
  (void)state;
  static const char text[] =
      "{\"name\": \"r\", \"bodies\": [{\"name\": \"lift\", \"mass\": 1, \"joint\": {\"name\": "
      "\"z\", "
      "\"type\": \"prismatic\", \"axis\": [0, 0, 1]}}, {\"name\": \"bob\", \"parent\": \"lift\", "
      "\"mass\": 1, \"com\": [0, 0, -1], \"joint\": {\"name\": \"y\", \"type\": \"revolute\", "
      "\"axis\": [0, 1, 0], \"point\": [0, 0, 0], \"passive\": true}}]}";
  jn_spec *spec;
  jn_model *model;
  jn_data *data;
  const double q[2] = {0, 0}, v[6] = {0.3, 0, 0.5, 0, 7, 0};
  double dq[8], dv[24];
  const jn_inverse_closed out = {.tau_dq = dq, .tau_dv = dv};
  assert_ok(jn_spec_parse_json(text, sizeof text - 1, NULL, NULL, &spec, NULL));
  assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
  assert_ok(jn_data_new(model, 1, NULL, &data));
  assert_ok(jn_constrained_inverse_partials(model, data, 1, q, v, NULL, NULL, &out));
  for (int k = 0; k < 2; k++) assert_true(dq[4 * k + 2] == 0 && dq[4 * k + 3] == 0);
  for (int k = 0; k < 6; k++) assert_true(dv[4 * k + 2] == 0 && dv[4 * k + 3] == 0);
  assert_true(fabs(dv[4] - 2) < 1e-14); /* the mass of both by z'' */
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_partials_are_differences_in_113_bits),
      cmocka_unit_test(inverse_partials_are_differences_in_113_bits),
      cmocka_unit_test(partials_of_the_reference_mechanisms),
      cmocka_unit_test(without_constraints_they_are_those_of_the_open_tree),
      cmocka_unit_test(a_proximal_parameter_is_refused),
      cmocka_unit_test(rows_of_passive_joints_are_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
