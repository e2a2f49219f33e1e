/* test_linearise.c: linearisation on the group and the inverse mass matrix compared with the
 * nonlinear motion, with differences on the group, and with published values. */
#include "helpers/spoil.h" /* before check.h, which defines a macro U */

#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/load.h"
#include "helpers/published.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,      JN_JOINT_FIXED,  JN_JOINT_FREE,
                                      JN_JOINT_SPHERICAL, JN_JOINT_PLANAR, JN_JOINT_FREE,
                                      JN_JOINT_UNIVERSAL, JN_JOINT_HELICAL};

static robot random_robot(uint64_t seed, int bodies, int order) {
  robot r = robot_random(seed, bodies, bases[seed % COUNT(bases)], TYPES_ALL, order);
  robot_represent(&r, representations[seed / 2 % 4]);
  return r;
}

/* out[rows x columns] = A[rows x n] B[n x columns] */
static void product(size_t rows, size_t n, size_t columns, const double *A, const double *B,
                    double *out) {
  fill(out, rows * columns, 0);
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < columns; j++)
        out[i * columns + j] += A[i * n + k] * B[k * columns + j];
}

static double norm_inf(const double *A, size_t n) {
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    double s = 0;
    for (size_t j = 0; j < n; j++) s += fabs(A[i * n + j]);
    worst = worse(worst, s);
  }
  return worst;
}

/* ---- the inverse mass matrix ---- */

static void check_inverse_mass(robot *r, const char *name) {
  size_t nv = (size_t)r->nv, size = nv * nv;
  double *M = doubles(size), *Minv = doubles(size), *one = doubles(size), *x = doubles(size);
  assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
  assert_ok(jn_inverse_mass(r->model, r->data, r->q, Minv));
  product(nv, nv, nv, Minv, M, one);
  for (size_t i = 0; i < nv; i++) one[i * nv + i] -= 1;
  if (nv) check_residual(name, largest(one, size) / (norm_inf(M, nv) * norm_inf(Minv, nv)), 1e-12);
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < i; j++) assert_true(Minv[i * nv + j] == Minv[j * nv + i]);
  /* M^-1 M again, with M as right-hand sides, in place */
  memcpy(x, M, sizeof *x * size);
  assert_ok(jn_inverse_mass_apply(r->model, r->data, r->q, r->nv, x, x));
  for (size_t i = 0; i < nv; i++) x[i * nv + i] -= 1;
  if (nv)
    check_residual("M^-1 applied to M", largest(x, size) / (norm_inf(M, nv) * norm_inf(Minv, nv)),
                   1e-12);
  free(M), free(Minv), free(one), free(x);
}

static void inverse_mass_times_mass_is_one(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 48; seed++) {
    robot r = random_robot(seed, 1 + (int)(seed * seed % 37), 0);
    check_inverse_mass(&r, "M^-1 M - 1 over cond, up to 37 bodies");
    robot_free(&r);
  }
  for (uint64_t seed = 0; seed < 4; seed++) {
    robot r = robot_random(seed, 300, seed % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE,
                           TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 0);
    check_inverse_mass(&r, "M^-1 M - 1 over cond, 300 bodies");
    robot_free(&r);
  }
}

/* ---- A and B by differences: (25) of bos2022, D lambda - ad_lambda ---- */

typedef struct nearby {
  robot *r;
  const double *tau;
  const jn_external *external;
  int row, column; /* row 0: q, 1: v, 2: tau */
  double h;        /* length of a step; 0: the vector field */
  const double *q_next, *v_next;
} nearby;

/* the body velocities of all joints, from v as the settings hold it */
static void body_velocity(robot *r, const double *q, const double *v, double *out) {
  int rep = (int)jn_data_settings(r->data)->representation;
  memcpy(out, v, sizeof *v * (size_t)r->nv);
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (j->type != JN_JOINT_FREE || rep == JN_BODY) continue;
    const double *x = q + j->iq, *u = v + j->iv;
    jn_pose C = {jn_quat_to_m3(jn_quat_make(x[0], x[1], x[2], x[3])), {x[4], x[5], x[6]}};
    jn_twist V = {{u[0], u[1], u[2]}, {u[3], u[4], u[5]}}, b = jn_Ad_inv(C, V);
    if (rep != JN_SPATIAL) b.v = jn_m3_apply_t(C.R, V.v);
    if (rep == JN_MIXED) b.w = V.w;
    const double y[6] = {b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z};
    memcpy(out + j->iv, y, sizeof y);
  }
}

static void evaluate(void *context, double s, double *out) {
  nearby *a = context;
  robot *r = a->r;
  size_t nv = (size_t)r->nv;
  double *q = copy_of(r->q, (size_t)r->nq), *v = copy_of(r->v, nv), *tau = copy_of(a->tau, nv);
  if (a->row == 0) move_along(r->model, r->q, a->column, s, q);
  if (a->row == 1) v[a->column] += s;
  if (a->row == 2) tau[a->column] += s;
  assert_ok(jn_forward_dynamics(r->model, r->data, 0, q, v, tau, a->external, out + nv));
  if (a->h == 0) {
    body_velocity(r, q, v, out);
  } else {
    for (size_t i = 0; i < nv; i++) v[i] += a->h * out[nv + i];
    for (size_t i = 0; i < nv; i++) out[nv + i] = v[i] - a->v_next[i], v[i] *= a->h;
    assert_ok(jn_integrate(r->model, q, v, q));
    assert_ok(jn_difference(r->model, a->q_next, q, out));
  }
  free(q), free(v), free(tau);
}

/* -ad of the body velocities into the upper left block of a column */
static void subtract_ad(robot *r, int column, double *out) {
  double *V = doubles((size_t)r->nv), x[6] = {0};
  body_velocity(r, r->q, r->v, V);
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    if (column < j->iv || column >= j->iv + j->nv || j->nq == j->nv) continue;
    double e[6] = {0};
    memcpy(x, V + j->iv, sizeof *x * (size_t)j->nv);
    e[column - j->iv] = 1;
    jn_twist y = jn_ad((jn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}},
                       (jn_twist){{e[0], e[1], e[2]}, {e[3], e[4], e[5]}});
    const double d[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
    for (int c = 0; c < j->nv; c++) out[j->iv + c] -= d[c];
  }
  free(V);
}

static void check_columns(nearby *a, const double *A, const double *B, const char *name) {
  size_t nv = (size_t)a->r->nv, n = 2 * nv;
  double *want = doubles(n), size = fmax(largest(A, n * n), largest(B, n * nv));
  for (a->row = 0; a->row < 3; a->row++)
    for (a->column = 0; a->column < (int)nv; a->column++) {
      derivative(evaluate, a, 0.1, n, want);
      if (a->row == 0 && a->h == 0) subtract_ad(a->r, a->column, want);
      double error = 0;
      for (size_t i = 0; i < n; i++) {
        size_t c = (size_t)a->column;
        double got = a->row == 2 ? B[i * nv + c] : A[i * n + (a->row ? nv : 0) + c];
        error = worse(error, fabs(got - want[i]));
      }
      check_residual(name, error / size, 1e-8);
    }
  free(want);
}

static void A_and_B_are_differences_on_the_group(void **state) {
  (void)state;
  for (uint64_t seed = 100; seed < 132; seed++) {
    robot r = random_robot(seed, 2 + (int)(seed % 4), 0);
    size_t nv = (size_t)r.nv, n = 2 * nv;
    check_seed(seed);
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    load l = load_random(&r, seed, 3);
    load_represent(&r, &l, 4);
    const jn_external *external = seed % 2 ? &l.external : NULL;
    double *A = doubles(n * n), *B = doubles(n * nv), *tau = robot_inverse(&r, r.v, external);
    nearby a = {&r, tau, external, 0, 0, 0, NULL, NULL};
    assert_ok(jn_linearise(r.model, r.data, NULL, r.q, r.v, tau, external, A, B));
    check_columns(&a, A, B, "A, B against differences on the group");
    /* one step of semi-implicit Euler */
    robot_represent(&r, JN_BODY);
    load_represent(&r, &l, JN_BODY);
    memcpy(tau, r.v, sizeof *tau * nv); /* any force */
    double *q = doubles((size_t)r.nq), *v = doubles(nv);
    assert_ok(jn_linearise_step(r.model, r.data, NULL, 0.01, r.q, r.v, tau, external, q, v, A, B));
    a.h = 0.01, a.q_next = q, a.v_next = v;
    check_columns(&a, A, B, "A, B of a step of Euler's scheme against differences");
    free(A), free(B), free(tau), free(q), free(v);
    load_free(&l);
    robot_free(&r);
  }
}

/* ---- the linear motion against the nonlinear one ---- */

enum { STEPS = 20 };
#define SPAN 0.1

typedef struct flow {
  robot *r;
  jn_linearise_options options;
  const double *tau, *z0, *dtau;
  double *q, *v; /* [2 STEPS + 1] instants of the motion */
} flow;

static void simulate(const flow *f, double e, int instants, double *q, double *v) {
  robot *r = f->r;
  size_t nv = (size_t)r->nv, nq = (size_t)r->nq;
  double *tau = copy_of(f->tau, nv), *dq = doubles(nv), *v0 = copy_of(r->v, nv), *q0 = doubles(nq);
  for (size_t i = 0; i < nv; i++)
    tau[i] += e * f->dtau[i], dq[i] = e * f->z0[i], v0[i] += e * f->z0[nv + i];
  assert_ok(jn_integrate(r->model, r->q, dq, q0));
  jn_simulation_options o = jn_simulation_options_default();
  o.scheme = JN_RKMK54;
  o.tolerance = 1e-14;
  o.representation = jn_data_settings(r->data)->representation;
  o.forces.tau = tau;
  jn_simulation *s;
  assert_ok(jn_simulation_new(r->model, &o, NULL, &s, NULL));
  assert_ok(jn_simulation_set_state(s, 0, q0, v0));
  for (int i = 0; i <= instants; i++) {
    assert_ok(jn_simulation_run_to(s, SPAN * i / (instants ? instants : 1), NULL));
    if (!instants) assert_ok(jn_simulation_run_to(s, SPAN, NULL));
    assert_ok(jn_simulation_state(s, NULL, q + (size_t)i * nq, v + (size_t)i * nv));
  }
  jn_simulation_free(s);
  free(tau), free(dq), free(v0), free(q0);
}

/* Ad_C of spherical and free joints (or its inverse) on the first half of z */
static void turn(const jn_model *model, const double *q, int inverse, double *z) {
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->nq == j->nv) continue;
    const double *x = q + j->iq;
    jn_pose C = {jn_quat_to_m3(jn_quat_make(x[0], x[1], x[2], x[3])), {0, 0, 0}};
    double y[6] = {0};
    memcpy(y, z + j->iv, sizeof *y * (size_t)j->nv);
    if (j->nv == 6) C.p = jn_v3(x[4], x[5], x[6]);
    jn_twist t = {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
    t = inverse ? jn_Ad_inv(C, t) : jn_Ad(C, t);
    const double out[6] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
    memcpy(z + j->iv, out, sizeof *out * (size_t)j->nv);
  }
}

/* z(SPAN) of z' = A z + B dtau along the motion, classical Runge-Kutta */
static void linear_motion(flow *f, double *z) {
  robot *r = f->r;
  size_t nv = (size_t)r->nv, n = 2 * nv, nq = (size_t)r->nq;
  double *A = doubles(n * n), *B = doubles(n * nv), *k = doubles(4 * n), *y = doubles(n);
  const double h = SPAN / STEPS, ahead[4] = {0, 0.5, 0.5, 1};
  memcpy(z, f->z0, sizeof *z * n);
  if (f->options.trivialisation == JN_RIGHT) turn(r->model, r->q, 0, z);
  for (int s = 0; s < STEPS; s++) {
    for (int stage = 0; stage < 4; stage++) {
      size_t at = (size_t)(2 * s + (int)(2 * ahead[stage]));
      assert_ok(jn_linearise(r->model, r->data, &f->options, f->q + at * nq, f->v + at * nv, f->tau,
                             NULL, A, B));
      for (size_t i = 0; i < n; i++)
        y[i] = z[i] + (stage ? ahead[stage] * h * k[(size_t)(stage - 1) * n + i] : 0);
      double *out = k + (size_t)stage * n;
      product(n, n, 1, A, y, out);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nv; j++) out[i] += B[i * nv + j] * f->dtau[j];
    }
    for (size_t i = 0; i < n; i++)
      z[i] += h / 6 * (k[i] + 2 * k[n + i] + 2 * k[2 * n + i] + k[3 * n + i]);
  }
  if (f->options.trivialisation == JN_RIGHT) turn(r->model, f->q + 2 * STEPS * nq, 1, z);
  free(A), free(B), free(k), free(y);
}

/* |z_nonlinear - e z_linear| for a perturbation e z0, e dtau */
static double apart(const flow *f, double e, const double *z) {
  robot *r = f->r;
  size_t nv = (size_t)r->nv, nq = (size_t)r->nq;
  double *q = doubles(nq), *v = doubles(nv), *dq = doubles(nv), worst = 0;
  simulate(f, e, 0, q, v);
  assert_ok(jn_difference(r->model, f->q + 2 * STEPS * nq, q, dq));
  for (size_t i = 0; i < nv; i++) {
    worst = worse(worst, fabs(dq[i] - e * z[i]));
    worst = worse(worst, fabs(v[i] - f->v[2 * STEPS * nv + i] - e * z[nv + i]));
  }
  free(q), free(v), free(dq);
  return worst;
}

static void check_flow(uint64_t seed, jn_representation rep, jn_trivialisation side) {
  robot r = robot_random(seed, 3, JN_JOINT_FREE,
                         seed % 2 ? TYPE(SPHERICAL) | TYPE(REVOLUTE) : TYPES_ALL, 0);
  size_t nv = (size_t)r.nv;
  rng g = rng_new(seed);
  /* pitch 90 degrees, where Euler angles are singular */
  const double up[4] = {0.70710678118654752, 0, 0.70710678118654752, 0};
  robot_represent(&r, rep);
  memcpy(r.q, up, sizeof up);
  double *z0 = doubles(2 * nv), *dtau = doubles(nv), *z = doubles(2 * nv);
  double *q = doubles((2 * STEPS + 1) * (size_t)r.nq), *v = doubles((2 * STEPS + 1) * nv);
  double *tau = robot_inverse(&r, r.v, NULL);
  for (size_t i = 0; i < 2 * nv; i++) z0[i] = rng_range(&g, -1, 1);
  for (size_t i = 0; i < nv; i++) dtau[i] = rng_range(&g, -1, 1);
  flow f = {&r, jn_linearise_options_default(), tau, z0, dtau, q, v};
  f.options.trivialisation = side;
  simulate(&f, 0, 2 * STEPS, q, v);
  linear_motion(&f, z);
  double first = apart(&f, 2e-3, z), second = apart(&f, 1e-3, z);
  check_residual("linear motion: | error ratio / 4 - 1 |", fabs(first / second / 4 - 1), 0.1);
  free(z0), free(dtau), free(z), free(q), free(v), free(tau);
  robot_free(&r);
}

static void the_linear_motion_is_right_to_second_order(void **state) {
  (void)state;
  for (uint64_t seed = 200; seed < 208; seed++) {
    check_seed(seed);
    check_flow(seed, representations[seed % 4], JN_LEFT);
    check_flow(seed, representations[seed % 4], JN_RIGHT);
  }
}

/* ---- time derivatives ---- */

typedef struct in_time {
  robot *r;
  jn_linearise_options options;
  double t, *work;
} in_time;

static void evaluate_in_time(void *context, double s, double *out) {
  in_time *a = context;
  robot *r = a->r;
  size_t n = 2 * (size_t)r->nv, rows = (size_t)r->order + 1;
  robot_at(r, a->t + s);
  double *tau = robot_inverse(r, r->v, NULL);
  assert_ok(jn_linearise_rates(r->model, r->data, &a->options, r->order, r->q, r->v, tau, NULL,
                               a->work, out, out + rows * n * n));
  free(tau);
}

static void rates_are_derivatives_in_time(void **state) {
  (void)state;
  for (uint64_t seed = 300; seed < 316; seed++) {
    robot r = random_robot(seed, 2 + (int)(seed % 3), 1 + (int)(seed % 4));
    check_seed(seed);
    size_t nv = (size_t)r.nv, n = 2 * nv, rows = (size_t)r.order + 1;
    in_time a = {&r, jn_linearise_options_default(), r.t, NULL};
    a.options.trivialisation = seed % 2 ? JN_RIGHT : JN_LEFT;
    a.options.input = seed % 3 ? JN_INPUT_FULL : JN_INPUT_JOINTS;
    size_t m = (size_t)jn_linearise_inputs(r.model, &a.options), size = n * n, sizeB = n * m;
    a.work = doubles(jn_linearise_rates_size(r.model, r.order));
    fill(a.work, jn_linearise_rates_size(r.model, r.order), (double)NAN);
    double *x = doubles(rows * (size + sizeB)), *want = doubles(rows * (size + sizeB));
    double *A = doubles(size), *B = doubles(sizeB);
    derivative(evaluate_in_time, &a, 0.05, rows * (size + sizeB), want);
    evaluate_in_time(&a, 0, x);
    for (size_t k = 1; k < rows; k++) {
      const double *dA = want + (k - 1) * size, *dB = want + rows * size + (k - 1) * sizeB;
      check_residual("A^(k) against differences of A^(k-1)",
                     largest_difference(x + k * size, dA, size) / fmax(largest(dA, size), 1), 1e-7);
      check_residual(
          "B^(k) against differences of B^(k-1)",
          largest_difference(x + rows * size + k * sizeB, dB, sizeB) / fmax(largest(dB, sizeB), 1),
          1e-7);
    }
    double *tau = robot_inverse(&r, r.v, NULL);
    assert_ok(jn_linearise(r.model, r.data, &a.options, r.q, r.v, tau, NULL, A, B));
    check_residual("order 0 of the rates is the linearisation",
                   fmax(largest_difference(A, x, size) / largest(A, size),
                        largest_difference(B, x + rows * size, sizeB) / fmax(largest(B, sizeB), 1)),
                   1e-11);
    free(a.work), free(x), free(want), free(A), free(B), free(tau);
    robot_free(&r);
  }
}

/* ---- discrete time, inputs, refusals ---- */

static void zero_order_hold_is_the_exponential(void **state) {
  (void)state;
  double work[64], Ad[16], Bd[8], half[16], twice[16];
  for (double h = 1e-6; h < 100; h *= 10) {
    /* an oscillator x'' = -9 x + u and a double integrator */
    const double A[16] = {0, 1, 0, 0, -9, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
                 B[8] = {0, 0, 1, 0, 0, 0, 0, 1};
    const double s = sin(3 * h), c = cos(3 * h), s2 = sin(1.5 * h);
    const double wantA[16] = {c, s / 3, 0, 0, -3 * s, c, 0, 0, 0, 0, 1, h, 0, 0, 0, 1};
    const double wantB[8] = {2 * s2 * s2 / 9, 0, s / 3, 0, 0, h * h / 2, 0, h};
    assert_ok(jn_zero_order_hold(4, 2, A, B, h, work, Ad, Bd));
    check_residual("exp(A h) in closed form", largest_difference(Ad, wantA, 16) / fmax(1, h),
                   1e-13);
    for (int i = 0; i < 8; i++)
      if (wantB[i] != 0)
        check_residual("held input in closed form, relative",
                       fabs(Bd[i] - wantB[i]) / fmax(1e-3, fabs(wantB[i])), 1e-12);
    assert_ok(jn_zero_order_hold(4, 0, A, NULL, h / 2, work, half, NULL));
    product(4, 4, 4, half, half, twice);
    check_residual("two half steps", largest_difference(Ad, twice, 16) / fmax(1, h), 1e-13);
  }
  assert_status(jn_zero_order_hold(2, 0, (const double[4]){0, NAN, 0, 0}, NULL, 1, work, Ad, NULL),
                JN_ERR_NOT_FINITE);
  assert_status(jn_zero_order_hold(-1, 0, NULL, NULL, 1, work, Ad, NULL), JN_ERR_ARGUMENT);
}

static void inputs_are_columns_of_the_full_matrix(void **state) {
  (void)state;
  robot r = robot_random(7, 4, JN_JOINT_FREE, TYPE(REVOLUTE), 0);
  size_t nv = (size_t)r.nv, n = 2 * nv;
  double *A = doubles(n * n), *B = doubles(n * nv), *J = doubles(n * nv), *H = doubles(n * 6);
  double *map = doubles(nv * 6), *tau = robot_inverse(&r, r.v, NULL), *want = doubles(n * 6);
  const jn_rotor_ring ring = jn_rotor_ring_actuated();
  jn_model *flyer = NULL;
  assert_ok(jn_spec_add_rotor_ring(r.spec, "l0", &ring, NULL));
  assert_ok(jn_model_build(r.spec, NULL, NULL, &flyer, NULL));
  assert_ok(jn_rotor_allocation(flyer, map, NULL, NULL));
  jn_model_free(flyer);
  jn_linearise_options joints = {JN_LEFT, JN_INPUT_JOINTS, NULL, 0},
                       rotors = {JN_LEFT, JN_INPUT_MAP, map, 6},
                       bad = {JN_LEFT, JN_INPUT_MAP, NULL, 6};
  assert_ok(jn_linearise(r.model, r.data, NULL, r.q, r.v, tau, NULL, A, B));
  assert_ok(jn_linearise(r.model, r.data, &joints, r.q, r.v, tau, NULL, A, J));
  assert_ok(jn_linearise(r.model, r.data, &rotors, r.q, r.v, tau, NULL, A, H));
  assert_int_equal(jn_linearise_inputs(r.model, &joints), r.nv - 6);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 6; c < nv; c++) assert_true(J[i * (nv - 6) + c - 6] == B[i * nv + c]);
  product(n, nv, 6, B, map, want);
  check_residual("B of propellers", largest_difference(H, want, n * 6) / largest(want, n * 6),
                 1e-13);
  assert_status(jn_linearise(r.model, r.data, &bad, r.q, r.v, tau, NULL, A, H), JN_ERR_ARGUMENT);
  robot_represent(&r, JN_SPATIAL);
  assert_status(jn_linearise_step(r.model, r.data, NULL, 0.1, r.q, r.v, tau, NULL, r.q, r.v, A, B),
                JN_ERR_ARGUMENT);
  free(A), free(B), free(J), free(H), free(map), free(tau), free(want);
  robot_free(&r);
}

/* ---- independence of the scratch memory, and refusals ---- */

/* all results, concatenated */
static size_t everything(robot *r, const double *tau, double *x) {
  size_t nv = (size_t)r->nv, n = 2 * nv, rows = (size_t)r->order + 1, at = 0;
  double *work = doubles(jn_linearise_rates_size(r->model, r->order)), *v = copy_of(r->v, 2 * nv);
  assert_ok(jn_linearise(r->model, r->data, NULL, r->q, r->v, tau, NULL, x, x + n * n));
  at += n * (n + nv);
  robot_spoil(r);
  assert_ok(jn_linearise_rates(r->model, r->data, NULL, r->order, r->q, r->v, tau, NULL, work,
                               x + at, x + at + rows * n * n));
  at += rows * n * (n + nv);
  robot_spoil(r);
  assert_ok(jn_linearise_step(r->model, r->data, NULL, 0.1, r->q, r->v, tau, NULL, x + at,
                              x + at + r->nq, x + at + 2 * n, x + at + 2 * n + n * n));
  at += 2 * n + n * (n + nv);
  robot_spoil(r);
  assert_ok(jn_inverse_mass(r->model, r->data, r->q, x + at));
  at += nv * nv;
  robot_spoil(r);
  assert_ok(jn_extended_partials(r->model, r->data, JN_HELD_SPATIAL, r->q, r->v, NULL, x + at,
                                 x + at + nv * nv));
  at += 3 * nv * nv;
  robot_spoil(r);
  if (jn_model_is_floating(r->model))
    assert_ok(jn_consistent_motion(r->model, r->data, r->q, v, NULL, x + at));
  at += nv;
  free(work), free(v);
  return at;
}

static void scratch_full_of_nan_changes_no_bit(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 510; seed++) {
    robot r = random_robot(seed, 1 + (int)(seed % 5), 2);
    robot_represent(&r, JN_BODY);
    size_t nv = (size_t)r.nv, size = 40 * (nv + 1) * (nv + 1);
    double *tau = robot_inverse(&r, r.v, NULL), *x = doubles(size), *y = doubles(size);
    size_t n = everything(&r, tau, x);
    assert_true(n <= size);
    robot_spoil(&r);
    everything(&r, tau, y);
    assert_true(same_bits(x, y, n));
    free(tau), free(x), free(y);
    robot_free(&r);
  }
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  robot r = robot_random(11, 3, JN_JOINT_FREE, TYPE(REVOLUTE), 0);
  size_t nv = (size_t)r.nv, n = 2 * nv;
  double *x = doubles(n * n), *tau = doubles(nv), *q = copy_of(r.q, (size_t)r.nq);
  assert_status(jn_inverse_mass(NULL, r.data, r.q, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_mass(r.model, r.data, r.q, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_mass(r.model, r.data, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_mass_apply(r.model, r.data, r.q, -1, x, x), JN_ERR_ARGUMENT);
  assert_status(jn_linearise(NULL, r.data, NULL, r.q, r.v, tau, NULL, x, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_linearise(r.model, r.data, NULL, r.q, r.v, tau, NULL, NULL, x), JN_ERR_ARGUMENT);
  assert_status(jn_linearise_rates(r.model, r.data, NULL, 5, r.q, r.v, tau, NULL, x, x, x),
                JN_ERR_ORDER);
  assert_status(jn_extended_partials(r.model, r.data, JN_HELD_SPATIAL, r.q, r.v, NULL, x, NULL),
                JN_ERR_ARGUMENT);
  q[0] = 2;
  assert_status(jn_inverse_mass(r.model, r.data, q, x), JN_ERR_POSE);
  assert_status(jn_linearise(r.model, r.data, NULL, q, r.v, tau, NULL, x, NULL), JN_ERR_POSE);
  tau[0] = NAN;
  assert_status(jn_linearise(r.model, r.data, NULL, r.q, r.v, tau, NULL, x, NULL),
                JN_ERR_NOT_FINITE);
  free(x), free(tau), free(q);
  robot_free(&r);
  /* no degrees of freedom: empty outputs */
  robot still = robot_random(0, 1, JN_JOINT_FIXED, TYPE(FIXED), 0);
  assert_int_equal(still.nv, 0);
  assert_ok(jn_inverse_mass(still.model, still.data, still.q, NULL));
  assert_ok(jn_linearise(still.model, still.data, NULL, still.q, still.v, NULL, NULL, NULL, NULL));
  assert_status(jn_consistent_motion(still.model, still.data, still.q, still.v, NULL, still.v),
                JN_ERR_ARGUMENT);
  robot_free(&still);
}

/* ---- published values of real robots, if the shared folder exists ---- */

static void check_robot(const published *p) {
  const size_t nv = p->nv, n = 2 * nv;
  robot r = {.model = p->model, .data = p->data, .q = p->q, .nv = (int)nv};
  double *A = doubles(n * n), *M = doubles(nv * nv);
  check_inverse_mass(&r, "robots, M^-1 M - 1 over cond");
  assert_ok(jn_inverse_mass(p->model, p->data, p->q, M));
  check_residual("robots, Minv", published_error(p, "Minv", M, nv), 1e-9);
  assert_ok(jn_linearise(p->model, p->data, NULL, p->q, p->v, p->tau, NULL, A, NULL));
  check_residual("robots, A by q", published_error(p, "dacc_dq", A + nv * n, n), 1e-9);
  check_residual("robots, A by v", published_error(p, "dacc_dv", A + nv * n + nv, n), 1e-9);
  free(A), free(M);
}

static void real_robots_agree_with_published_values(void **state) {
  (void)state;
  each_published_robot(check_robot);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_mass_times_mass_is_one),
      cmocka_unit_test(A_and_B_are_differences_on_the_group),
      cmocka_unit_test(the_linear_motion_is_right_to_second_order),
      cmocka_unit_test(rates_are_derivatives_in_time),
      cmocka_unit_test(zero_order_hold_is_the_exponential),
      cmocka_unit_test(inputs_are_columns_of_the_full_matrix),
      cmocka_unit_test(scratch_full_of_nan_changes_no_bit),
      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(real_robots_agree_with_published_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
