/* test_rotors.c: propellers of a model: wrenches by hand, pseudo-inverse, thrusts and speeds
 * against 60 digits, the Taylor slope along a motion, and what is refused. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/rotor_reference.h"
#include "helpers/tree.h"

#define PI 3.14159265358979323846
enum { ORDER = 6, ROWS = ORDER + 1 };

static void assert_near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance))
    fail_msg("got %.17g, want %.17g, off by %.3g", got, want, fabs(got - want));
}

/* a free body, without rotors */
static jn_spec *body_spec(void) {
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("drone", NULL, &spec));
  jn_link_desc link = jn_link_default("B1");
  link.mass = 2;
  link.inertia = (jn_mat3){{{0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0.04}}};
  assert_ok(jn_spec_add_link(spec, &link));
  const jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "B1");
  assert_ok(jn_spec_add_joint(spec, &base));
  return spec;
}

static jn_model *made(jn_spec *spec) {
  jn_model *model = build(spec);
  jn_spec_free(spec);
  return model;
}

static jn_model *ring_model(jn_rotor_ring ring) {
  jn_spec *spec = body_spec();
  assert_ok(jn_spec_add_rotor_ring(spec, "B1", &ring, NULL));
  return made(spec);
}

/* Untilted propellers, c_f = 3, c_d = 0.5: one at a time is a thrust on a lever arm. */
static void a_thrust_on_a_lever_arm(void **state) {
  (void)state;
  const jn_rotor_ring ring = {6, 2.0, 0, 0, 3.0, 0.5, 0, 0};
  jn_model *m = ring_model(ring);
  double omega[6] = {0}, f[6], W[6];
  const struct {
    int rotor;
    double omega, W[6];
  } cases[] = {
      {1, 2, {0, -24, 2, 0, 0, 12}},             /* i = 2 is on the x axis: force 12 at (2, 0, 0) */
      {4, 1, {0, 6, 0.5, 0, 0, 3}},              /* i = 5 is opposite */
      {0, 1, {3 * sqrt(3.0), -3, 0.5, 0, 0, 3}}, /* i = 1 is at 60 degrees: p = (1, sqrt 3, 0) */
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    memset(omega, 0, sizeof omega);
    omega[cases[i].rotor] = cases[i].omega;
    assert_ok(jn_rotor_thrusts_at(m, 0, omega, f));
    assert_ok(jn_rotor_wrench(m, 0, f, W));
    for (int c = 0; c < 6; c++) assert_near(W[c], cases[i].W[c], 1e-14);
  }
  jn_model_free(m);
}

/* Rx(alpha) Ry(beta) z = (sin b, -sin a cos b, cos a cos b), by hand at 30 and -30 degrees. */
static void a_tilted_thrust_and_the_signs(void **state) {
  (void)state;
  jn_rotor_ring ring = {6, 1.0, PI / 6, -PI / 6, 1.0, 0.1, 0, 0};
  jn_model *plain = ring_model(ring), *spin, *tilt;
  ring.alternate = 1;
  spin = ring_model(ring);
  ring.alternate_tilt = 1;
  tilt = ring_model(ring);
  double G[36], H[36], K[36], s3 = sqrt(3.0);
  assert_ok(jn_rotor_allocation(plain, G, NULL, NULL));
  assert_ok(jn_rotor_allocation(spin, H, NULL, NULL));
  assert_ok(jn_rotor_allocation(tilt, K, NULL, NULL));
  /* i = 2, at (1, 0, 0): t = (-1/2, -sqrt3/4, 3/4), torque = x cross t + 0.1 t */
  const double t[3] = {-0.5, -s3 / 4, 0.75};
  const double want[6] = {0.1 * t[0], -t[2] + 0.1 * t[1], t[1] + 0.1 * t[2], t[0], t[1], t[2]};
  for (int c = 0; c < 6; c++) assert_near(G[c * 6 + 1], want[c], 1e-15);
  /* alternating signs change odd i only */
  for (int c = 0; c < 6; c++) assert_true(H[c * 6 + 1] == G[c * 6 + 1]);
  for (int c = 0; c < 6; c++) assert_true(K[c * 6 + 1] == G[c * 6 + 1]);
  assert_near(G[2 * 6] - H[2 * 6], 2 * 0.1 * 0.75, 1e-15);
  assert_near(K[5 * 6], G[5 * 6], 1e-15);
  assert_int_equal(jn_model_rotor(spin, 0)->spin, 1);
  assert_int_equal(jn_model_rotor(spin, 1)->spin, -1);
  const jn_pose C = jn_model_rotor(tilt, 2)->pose; /* i = 3 at -60 degrees, tilt -30 */
  assert_near(C.p.x, 0.5, 1e-15);
  assert_near(C.p.y, -s3 / 2, 1e-15);
  /* t before Rz: (-1/2, +sqrt3/4, 3/4) */
  assert_near(C.R.m[0][2], 0.5 * -0.5 + s3 / 2 * s3 / 4, 1e-15);
  assert_near(C.R.m[1][2], -s3 / 2 * -0.5 + 0.5 * s3 / 4, 1e-15);
  jn_model_free(plain);
  jn_model_free(spin);
  jn_model_free(tilt);
}

/* Rotors on the x and y axes at distance l, spins 1 -1 1 -1, k = c_d / c_f:
 *   f = fz/4 + (-ty, tx, ty, -tx)/(2 l) + (-1, 1, -1, 1) tz/(4 k), and fx, fy remain */
static void a_symmetric_quadrotor_by_hand(void **state) {
  (void)state;
  const double l = 0.2, c_f = 2.5e-5, c_d = 4.8e-7, k = c_d / c_f;
  jn_spec *spec = body_spec();
  const double at[4][2] = {{l, 0}, {0, l}, {-l, 0}, {0, -l}};
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "r%d", i);
    jn_rotor_desc d = jn_rotor_default(name, "B1");
    d.pose.p = jn_v3(at[i][0], at[i][1], 0.03);
    d.c_f = c_f, d.c_d = c_d, d.spin = i % 2 ? -1 : 1;
    assert_ok(jn_spec_add_rotor(spec, &d));
  }
  jn_model *m = made(spec);
  const double W[12] = {0.3, -0.2, 0.05, 0, 0, 20, 1, 2, -0.01, 3, -4, 5};
  double f[8], rest[12];
  int rank = 0;
  assert_ok(jn_rotor_allocation(m, NULL, NULL, &rank));
  assert_int_equal(rank, 4);
  assert_ok(jn_rotor_thrusts(m, 1, W, f, rest));
  for (int r = 0; r < 2; r++) {
    const double *w = W + 6 * r;
    const double lever[4] = {-w[1], w[0], w[1], -w[0]};
    for (int i = 0; i < 4; i++)
      assert_near(f[4 * r + i], w[5] / 4 + lever[i] / (2 * l) + (i % 2 ? 1 : -1) * w[2] / (4 * k),
                  1e-13);
    for (int c = 0; c < 6; c++) assert_near(rest[6 * r + c], c == 3 || c == 4 ? w[c] : 0, 1e-14);
  }
  /* without `rest` the caller could not know */
  double untouched[8] = {7, 7, 7, 7, 7, 7, 7, 7};
  assert_status(jn_rotor_thrusts(m, 1, W, untouched, NULL), JN_ERR_ACTUATION);
  assert_true(all_equal_to(untouched, 8, 7));
  jn_model_free(m);
}

typedef struct reference {
  const char *name;
  int n, rank;
  const int (*rotor)[9];
  const double *A, *P, *W, *f, *omega;
} reference;
#define REFERENCE(x) \
  { #x, x##_count, x##_rank, x##_rotor, x##_A, x##_P, x##_W, x##_f, x##_omega }
static const reference references[] = {REFERENCE(quad), REFERENCE(six), REFERENCE(eight),
                                       REFERENCE(twelve)};

static jn_spec *reference_spec(const reference *r) {
  jn_spec *spec = body_spec();
  for (int i = 0; i < r->n; i++) {
    const int *x = r->rotor[i];
    char name[16];
    snprintf(name, sizeof name, "r%d", i);
    jn_rotor_desc d = jn_rotor_default(name, "B1");
    d.pose.R = jn_quat_to_m3(jn_quat_unit(jn_quat_make(x[0], x[1], x[2], x[3])));
    d.pose.p = jn_v3(x[4] / 100.0, x[5] / 100.0, x[6] / 100.0);
    d.c_f = x[7] * 1e-7;
    d.c_d = abs(x[8]) * 1e-9;
    d.spin = x[8] < 0 ? -1 : 1;
    assert_ok(jn_spec_add_rotor(spec, &d));
  }
  return spec;
}

static void allocation_thrusts_and_speeds_against_60_digits(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(references); i++) {
    const reference *r = &references[i];
    jn_model *m = made(reference_spec(r));
    const size_t n = (size_t)r->n;
    double *A = doubles(6 * n), *P = doubles(6 * n), *f = doubles(ROWS * n), rest[ROWS * 6];
    double W[ROWS * 6];
    int rank = 0;
    assert_ok(jn_rotor_allocation(m, A, P, &rank));
    assert_int_equal(rank, r->rank);
    check_residual("allocation matrix", largest_difference(A, r->A, 6 * n) / largest(r->A, 6 * n),
                   8 * U);
    check_residual("pseudo-inverse", largest_difference(P, r->P, 6 * n) / largest(r->P, 6 * n),
                   1e-13);
    assert_ok(jn_rotor_thrusts(m, ORDER, r->W, f, rest));
    check_residual("thrusts", row_error(ROWS, n, f, r->f, NULL), 1e-13);
    double scale = largest(r->W, sizeof W / sizeof *W);
    check_residual("rest", largest(rest, sizeof W / sizeof *W) / scale, 1e-13);
    assert_ok(jn_rotor_wrench(m, ORDER, f, W));
    check_residual("wrench", row_error(ROWS, 6, W, r->W, NULL), 1e-13);
    assert_ok(jn_rotor_speeds(m, ORDER, f, f));
    check_residual("speeds", row_error(ROWS, n, f, r->omega, NULL), 1e-12);
    jn_model_free(m);
    free(A);
    free(P);
    free(f);
  }
}

/* Of all thrusts with the same wrench those of P W have the least norm: they are orthogonal to the
 * null space of A. */
static void thrusts_have_the_least_norm(void **state) {
  (void)state;
  const reference *r = &references[3];
  jn_model *m = made(reference_spec(r));
  double A[6 * twelve_count], P[6 * twelve_count], f[twelve_count], x[twelve_count], y[6];
  assert_ok(jn_rotor_allocation(m, A, P, NULL));
  assert_ok(jn_rotor_thrusts(m, 0, r->W, f, NULL));
  rng g = rng_new(4711);
  for (int trial = 0; trial < 100; trial++) {
    /* x: a random vector less its part in the range of A^T */
    double dot = 0, size = 0, base = 0;
    for (int i = 0; i < r->n; i++) x[i] = rng_range(&g, -1, 1);
    memset(y, 0, sizeof y);
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < r->n; i++) y[c] += A[c * r->n + i] * x[i];
    for (int i = 0; i < r->n; i++)
      for (int c = 0; c < 6; c++) x[i] -= P[6 * i + c] * y[c];
    for (int i = 0; i < r->n; i++) dot += x[i] * f[i], size += x[i] * x[i], base += f[i] * f[i];
    assert_true(size > 0.1);
    check_residual("thrusts along the null space", fabs(dot) / sqrt(size * base), 1e-13);
  }
  jn_model_free(m);
}

/* The rotors' own wrenches, applied in their frames, move the robot as A f does on the base: with
 * a base link that is turned and displaced at home, and rotors on links that are fixed to it. */
static void the_wrench_moves_the_robot_as_the_rotors_do(void **state) {
  (void)state;
  rng g = rng_new(812);
  jn_spec *spec = NULL;
  assert_ok(jn_spec_new("drone", NULL, &spec));
  const char *const names[] = {"body", "boom", "mast", "arm"};
  for (int i = 0; i < 4; i++) {
    jn_link_desc link = jn_link_default(names[i]);
    link.mass = 1 + i;
    link.com = jn_v3(0.1, -0.2, 0.05 * i);
    link.inertia = (jn_mat3){{{0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.4}}};
    link.home = rng_pose(&g, 1);
    assert_ok(jn_spec_add_link(spec, &link));
    jn_joint_desc j = jn_joint_default(names[i],
                                       i == 0   ? JN_JOINT_FREE
                                       : i == 3 ? JN_JOINT_REVOLUTE
                                                : JN_JOINT_FIXED,
                                       i ? names[i - 1] : NULL, names[i]);
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  enum { N = 5 };
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "r%d", i);
    jn_rotor_desc d = jn_rotor_default(name, names[i % 3]);
    d.pose = rng_pose(&g, 1);
    d.c_f = 0.5 + 0.1 * i, d.c_d = 0.05, d.spin = i % 2 ? 1 : -1;
    assert_ok(jn_spec_add_rotor(spec, &d));
    const jn_frame_desc frame = {name, names[i % 3], d.pose, 0};
    assert_ok(jn_spec_add_frame(spec, &frame));
  }
  jn_model *m = made(spec);
  jn_data *data = NULL;
  enum { K = 3, NV = 7 };
  assert_int_equal(jn_model_nv(m), NV);
  assert_ok(jn_data_new(m, K, NULL, &data));
  jn_data_settings(data)->representation = JN_BODY;
  double q[8], v[NV], f[(K + 1) * N], W[(K + 1) * 6], tau[(K + 1) * NV] = {0};
  double wrench[N][(K + 1) * 6], one[(K + 1) * NV], two[(K + 1) * NV], none[(K + 1) * NV] = {0};
  jn_applied_wrench applied[N];
  jn_model_home(m, q);
  q[7] = 0.7;
  for (int i = 0; i < NV; i++) v[i] = rng_range(&g, -1, 1);
  for (int i = 0; i < (K + 1) * N; i++) f[i] = rng_range(&g, -1, 1);
  assert_ok(jn_rotor_wrench(m, K, f, W));
  for (int k = 0; k <= K; k++) memcpy(tau + k * NV, W + 6 * k, 6 * sizeof *W);
  for (int i = 0; i < N; i++) {
    const jn_rotor *r = jn_model_rotor(m, i);
    for (int k = 0; k <= K; k++) {
      const double x = f[k * N + i], own[6] = {0, 0, -r->spin * r->c_d / r->c_f * x, 0, 0, x};
      memcpy(wrench[i] + 6 * k, own, sizeof own);
    }
    applied[i] = (jn_applied_wrench){jn_model_find_frame(m, r->name), JN_BODY, wrench[i]};
  }
  const jn_external external = {N, applied, NULL};
  assert_ok(jn_forward_dynamics(m, data, K, q, v, tau, NULL, one));
  assert_ok(jn_forward_dynamics(m, data, K, q, v, none, &external, two));
  check_residual("motion by A f and by the rotors", row_error(K + 1, NV, one, two, NULL), 1e-12);
  jn_data_free(data);
  jn_model_free(m);
}

/* On a test bench, its root turned and displaced, and below a link that is the world, the vehicle has
 * the same allocation matrix. */
static void fixed_bases_and_a_world_link_change_nothing(void **state) {
  (void)state;
  rng g = rng_new(31);
  for (int world = 0; world < 2; world++) {
    jn_spec *spec = reference_spec(&references[1]);
    jn_spec_link(spec, 0)->home = rng_pose(&g, 1);
    const jn_link_desc ground = jn_link_default("ground");
    if (world) assert_ok(jn_spec_add_link(spec, &ground));
    if (world) jn_spec_joint(spec, 0)->parent = jn_spec_link(spec, 1)->name;
    const jn_build_options options = {.root = world ? JN_ROOT_AS_GIVEN : JN_ROOT_FIXED};
    jn_model *m = NULL;
    double A[36];
    assert_ok(jn_model_build(spec, &options, NULL, &m, NULL));
    assert_int_equal(jn_model_is_floating(m), world);
    assert_ok(jn_rotor_allocation(m, A, NULL, NULL));
    check_residual("allocation of a fixed base, below a world",
                   largest_difference(A, references[1].A, 36), 1e-14);
    jn_model_free(m);
    if (world) { /* the world itself has no rotors */
      jn_spec_rotor(spec, 0)->link = jn_spec_link(spec, 1)->name;
      assert_status(jn_model_build(spec, &options, NULL, &m, NULL), JN_ERR_MODEL);
    }
    jn_spec_free(spec);
  }
}

/* Thrusts and speeds of the built-in aerial manipulator along v(t) = v + v' t + ...: the jet at 0
 * predicts those at h; halving h divides the error by 2^(K+1). */
static void predict(const double *x, size_t n, int K, double h, double *out) {
  for (size_t i = 0; i < n; i++) {
    double power = 1;
    out[i] = 0;
    for (int k = 0; k <= K; k++, power *= h / k) out[i] += x[(size_t)k * n + i] * power;
  }
}
static void thrusts_and_speeds_follow_a_motion(void **state) {
  (void)state;
  jn_model *m = NULL;
  jn_data *data = NULL;
  enum { K = 4, NV = 12, NQ = 13, MOST = 40 };
  assert_ok(jn_model_load("tilthex", NULL, NULL, &m, NULL));
  assert_int_equal(jn_model_nv(m), NV);
  assert_ok(jn_data_new(m, MOST, NULL, &data));
  jn_data_settings(data)->representation = JN_BODY;
  rng g = rng_new(99);
  double q[NQ], v[(MOST + 2) * NV] = {0}, at[NQ], dq[NV];
  jn_model_home(m, q);
  for (int i = 7; i < NQ; i++) q[i] = rng_range(&g, -1, 1);
  /* joints: v = v0 + v1 t + v2 t^2 / 2; base at a constant body twist */
  for (int i = 0; i < 3 * NV; i++)
    v[i] = i % NV < 6 ? (i < 6 ? 0.2 * rng_range(&g, -1, 1) : 0) : rng_range(&g, -1, 1);
  double tau[(K + 1) * NV], W[(K + 1) * 6], f[(K + 1) * 6], omega[(K + 1) * 6];
  double error[2][2] = {{0}}, now[6], speed[6], later[6];
  for (int half = -1; half < 2; half++) {
    const double h = half < 0 ? 0 : half ? 0.01 : 0.02;
    double rows[(K + 2) * NV] = {0};
    for (int i = 0; i < NV; i++) {
      rows[i] = v[i] + h * v[NV + i] + h * h / 2 * v[2 * NV + i];
      rows[NV + i] = v[NV + i] + h * v[2 * NV + i];
      rows[2 * NV + i] = v[2 * NV + i];
      dq[i] = h * v[i] + h * h / 2 * v[NV + i] + h * h * h / 6 * v[2 * NV + i];
    }
    assert_ok(jn_integrate(m, q, dq, at));
    assert_ok(jn_inverse_dynamics(m, data, K, at, rows, NULL, tau));
    for (int k = 0; k <= K; k++) memcpy(W + 6 * k, tau + k * NV, 6 * sizeof *W);
    double *to = half < 0 ? f : now, rest[6];
    if (half < 0) {
      assert_ok(jn_rotor_thrusts(m, K, W, f, NULL));
      assert_ok(jn_rotor_speeds(m, K, f, omega));
      continue;
    }
    assert_ok(jn_rotor_thrusts(m, 0, W, to, rest));
    assert_ok(jn_rotor_speeds(m, 0, now, speed));
    predict(f, 6, K, h, later);
    error[0][half] = largest_difference(later, now, 6);
    predict(omega, 6, K, h, later);
    error[1][half] = largest_difference(later, speed, 6);
  }
  for (int x = 0; x < 2; x++) {
    const double slope = log2(error[x][0] / error[x][1]);
    printf("  %s: error %.2e -> %.2e, slope %.2f\n", x ? "speeds" : "thrusts", error[x][0],
           error[x][1], slope);
    assert_near(slope, K + 1, 0.2);
  }
  jn_data_free(data);
  jn_model_free(m);
}

static void the_printed_ring_has_rank_three(void **state) {
  (void)state;
  jn_model *m = ring_model(jn_rotor_ring_printed());
  int rank = 0;
  double A[36];
  assert_ok(jn_rotor_allocation(m, A, NULL, &rank));
  assert_int_equal(rank, 3);
  /* f = (1, 0, -1, 1, 0, -1) has only a second harmonic: no wrench at all */
  const double f[6] = {1, 0, -1, 1, 0, -1};
  for (int c = 0; c < 6; c++) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += A[c * 6 + i] * f[i];
    assert_near(sum, 0, 1e-15);
  }
  jn_model_free(m);
  m = ring_model(jn_rotor_ring_actuated());
  assert_ok(jn_rotor_allocation(m, NULL, NULL, &rank));
  assert_int_equal(rank, 6);
  jn_model_free(m);
}

static void loads_tell_saturation(void **state) {
  (void)state;
  jn_spec *spec = body_spec();
  const jn_rotor_ring ring = {4, 1, 0, 0, 2.0, 0.1, 1, 0};
  const jn_rotor_limits limits = {1, 5, 40, 10}; /* 2 N at idle, 50 N at full speed, 40 N allowed */
  assert_ok(jn_spec_add_rotor_ring(spec, "B1", &ring, &limits));
  jn_model *m = made(spec);
  assert_true(jn_model_rotor(m, 0)->lower == 2 && jn_model_rotor(m, 0)->upper == 40);
  const double f[8] = {20, 41, 1.5, 2, -10, 9, 0, 11};
  jn_rotor_load load[4];
  assert_ok(jn_rotor_loads(m, 1, f, load));
  const int want[4] = {0, JN_ROTOR_TOO_STRONG, JN_ROTOR_TOO_SLOW, JN_ROTOR_TOO_FAST_A_CHANGE};
  for (int i = 0; i < 4; i++) assert_int_equal(load[i].saturated, want[i]);
  assert_true(load[0].thrust == 0.5 && load[0].rate == 1 && load[3].rate == 1.1);
  assert_ok(jn_rotor_loads(m, 0, f, load));
  assert_true(load[3].saturated == 0 && load[3].rate == 0);
  jn_model_free(m);
}

static void bad_thrusts_and_arguments_are_refused(void **state) {
  (void)state;
  jn_model *m = ring_model(jn_rotor_ring_actuated()), *bare = made(body_spec());
  double W[12] = {0, 0, 0, 0, 0, 40}, f[12], x[12];
  fill(x, 12, 7);
  assert_ok(jn_rotor_thrusts(m, 1, W, f, NULL));
  /* a downward force: propellers would have to push backwards */
  W[5] = -40;
  assert_ok(jn_rotor_thrusts(m, 0, W, f, NULL));
  assert_status(jn_rotor_speeds(m, 0, f, x), JN_ERR_INFEASIBLE);
  /* zero is a valid speed, but sqrt has no derivative there */
  fill(f, 12, 0);
  assert_status(jn_rotor_speeds(m, 1, f, x), JN_ERR_SINGULAR);
  f[3] = NAN;
  assert_status(jn_rotor_speeds(m, 0, f, x), JN_ERR_NOT_FINITE);
  assert_status(jn_rotor_wrench(m, 0, f, x), JN_ERR_NOT_FINITE);
  assert_status(jn_rotor_thrusts_at(m, 0, f, x), JN_ERR_NOT_FINITE);
  fill(f, 12, 1e308);
  assert_status(jn_rotor_wrench(m, 0, f, x), JN_ERR_NOT_FINITE);
  assert_status(jn_rotor_thrusts_at(m, 0, f, x), JN_ERR_NOT_FINITE);
  W[0] = INFINITY;
  assert_status(jn_rotor_thrusts(m, 0, W, x, NULL), JN_ERR_NOT_FINITE);
  W[0] = 0;
  assert_status(jn_rotor_thrusts(m, -1, W, x, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_thrusts(m, JN_MAX_ORDER + 1, W, x, NULL), JN_ERR_LIMIT);
  assert_status(jn_rotor_thrusts(NULL, 0, W, x, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_thrusts(m, 0, NULL, x, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_thrusts(m, 0, W, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_thrusts(bare, 0, W, x, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_loads(m, 0, W, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_allocation(bare, x, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_rotor_allocation(NULL, x, NULL, NULL), JN_ERR_ARGUMENT);
  assert_true(all_equal_to(x, 12, 7));
  assert_null(jn_model_rotor(m, 6));
  assert_null(jn_model_rotor(m, -1));
  assert_int_equal(jn_model_find_rotor(m, "p3"), 2);
  assert_int_equal(jn_model_find_rotor(m, "p7"), -1);
  assert_int_equal(jn_model_rotor_count(bare), 0);
  jn_model_free(m);
  jn_model_free(bare);
}

#define TEXT(rotors)                                                                        \
  "{\"bodies\": [{\"name\": \"B1\", \"mass\": 1, \"inertia\": [[1,0,0],[0,1,0],[0,0,1]],\n" \
  "  \"joint\": {\"name\": \"base\", \"type\": \"free\"}},\n"                               \
  " {\"name\": \"arm\", \"parent\": \"B1\", \"mass\": 1, \"inertia\": "                     \
  "[[1,0,0],[0,1,0],[0,0,1]],\n"                                                            \
  "  \"joint\": {\"name\": \"q\", \"type\": \"revolute\", \"axis\": [0,0,1], \"point\": "   \
  "[0,0,0]}}],\n"                                                                           \
  " \"rotors\": [" rotors "]}"
#define ROTOR "{\"name\": \"r\", \"link\": \"B1\", \"c_f\": 1, \"spin\": 1"

static void broken_rotors_are_refused_with_line_and_reason(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } syntax[] = {
      {TEXT("7"), "rotors[0]"},
      {TEXT("{\"link\": \"B1\"}"), ":5: rotors[0].name: missing"},
      {TEXT("{\"name\": \"r\", \"link\": \"B1\", \"c_f\": 1}"), "rotor 'r': spin: missing"},
      {TEXT("{\"name\": \"r\", \"link\": \"B1\", \"spin\": 1}"), "rotor 'r': c_f: missing"},
      {TEXT(ROTOR ", \"c_t\": 1}"), "rotor 'r': c_t: unknown key"},
      {TEXT("{\"name\": \"r\", \"link\": \"B1\", \"c_f\": 1, \"spin\": 2}"), "rotor 'r': spin: "},
      {TEXT(ROTOR ", \"limits\": {\"rate\": 1}}"), "rotor 'r': limits.rate: unknown key"},
      {TEXT(ROTOR ", \"p\": [1, 2]}"), "rotor 'r': p: "},
  };
  for (size_t i = 0; i < COUNT(syntax); i++)
    assert_refused(jn_spec_parse_json, syntax[i].text, strlen(syntax[i].text), JN_ERR_SYNTAX,
                   syntax[i].words);
  static const struct {
    const char *text, *words;
  } model[] = {
      {TEXT("{\"name\": \"r\", \"link\": \"B1\", \"c_f\": 1, \"spin\": 0}"), "rotor 'r': spin 0"},
      {TEXT("{\"name\": \"r\", \"link\": \"B2\", \"c_f\": 1, \"spin\": 1}"),
       ":5: rotor 'r': unknown link 'B2'"},
      {TEXT("{\"name\": \"r\", \"link\": \"arm\", \"c_f\": 1, \"spin\": 1}"),
       "link 'arm' is not fixed to the base 'B1'"},
      {TEXT("{\"name\": \"r\", \"link\": \"B1\", \"c_f\": 0, \"spin\": 1}"), "c_f 0: "},
      {TEXT(ROTOR ", \"c_d\": -1}"), "c_d -1: "},
      {TEXT(ROTOR ", \"limits\": {\"idle\": -1}}"), "idle -1: "},
      {TEXT(ROTOR ", \"limits\": {\"idle\": 2, \"speed\": 1}}"), "speed 1: "},
      {TEXT(ROTOR ", \"limits\": {\"thrust\": 0}}"), "thrust 0: "},
      {TEXT(ROTOR ", \"limits\": {\"thrust_rate\": 0}}"), "thrust_rate 0: "},
      {TEXT(ROTOR ", \"limits\": {\"idle\": 2, \"thrust\": 3}}"), "thrust at idle, 4 N"},
      {TEXT(ROTOR "}, " ROTOR "}"), "rotor 'r' is defined twice"},
      {TEXT(ROTOR ", \"R\": [[1,0,0],[0,1,0],[0,0,2]]}"), "rotor 'r'"},
  };
  for (size_t i = 0; i < COUNT(model); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_json, model[i].text);
    jn_error error = {0};
    jn_model *m = NULL;
    counter c;
    const jn_allocator hooks = counting(&c);
    const jn_status status = jn_model_build(spec, NULL, &hooks, &m, &error);
    assert_true(status == JN_ERR_MODEL || status == JN_ERR_POSE);
    if (!strstr(error.message, model[i].words))
      fail_msg("'%s' lacks '%s'", error.message, model[i].words);
    assert_int_equal(c.live, 0);
    jn_spec_free(spec);
  }
  /* a locked joint fixes the link to the base */
  jn_spec *spec = parse_ok(jn_spec_parse_json, model[2].text);
  assert_ok(jn_spec_lock(spec, "q", NULL));
  jn_model_free(made(spec));
}

static void limits_of_a_description_are_kept(void **state) {
  (void)state;
  jn_spec *spec = body_spec();
  jn_rotor_desc d = jn_rotor_default("r", "B1");
  char name[16];
  for (int i = 0; i < JN_MAX_ROTORS; i++) {
    snprintf(name, sizeof name, "r%d", i);
    d.name = name;
    d.pose.p.x = i;
    assert_ok(jn_spec_add_rotor(spec, &d));
  }
  assert_status(jn_spec_add_rotor(spec, &d), JN_ERR_LIMIT);
  assert_status(jn_spec_add_rotor(spec, NULL), JN_ERR_ARGUMENT);
  d.link = NULL;
  assert_status(jn_spec_add_rotor(spec, &d), JN_ERR_ARGUMENT);
  jn_model *m = made(spec);
  assert_int_equal(jn_model_rotor_count(m), JN_MAX_ROTORS);
  jn_model_free(m);
  /* a ring that does not fit adds nothing */
  spec = body_spec();
  jn_rotor_ring ring = jn_rotor_ring_actuated();
  ring.count = 20;
  assert_ok(jn_spec_add_rotor_ring(spec, "B1", &ring, NULL));
  assert_status(jn_spec_add_rotor_ring(spec, "B1", &ring, NULL), JN_ERR_LIMIT);
  assert_int_equal(jn_spec_rotor_count(spec), 20);
  assert_string_equal(jn_spec_get_rotor(spec, 19)->name, "p20");
  ring.alpha = NAN;
  assert_status(jn_spec_add_rotor_ring(spec, "B1", &ring, NULL), JN_ERR_NOT_FINITE);
  ring.count = 0;
  assert_status(jn_spec_add_rotor_ring(spec, "B1", &ring, NULL), JN_ERR_ARGUMENT);
  ring.count = JN_MAX_ROTORS + 1;
  assert_status(jn_spec_add_rotor_ring(spec, "B1", &ring, NULL), JN_ERR_LIMIT);
  jn_spec_free(spec);
}

static void a_side_file_adds_rotors_to_any_description(void **state) {
  (void)state;
  static const char urdf[] =
      "<robot name='drone'><link name='B1'><inertial><mass value='1'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
  static const char side[] =
      "{\"frames\": [{\"name\": \"top\", \"link\": \"B1\", \"p\": [0, 0, 1]}],\n"
      " \"rotors\": [{\"name\": \"r\", \"link\": \"top\", \"p\": [1, 0, 0], \"c_f\": 2, "
      "\"c_d\": 0.5,\n  \"spin\": -1, \"limits\": {\"speed\": 3, \"thrust_rate\": 7}}]}";
  static const char bad[] = "{\"rotors\": [" ROTOR "},\n {\"name\": \"s\"}]}";
  jn_error error = {0};
  jn_spec *spec = parse_ok(jn_spec_parse_urdf, urdf);
  assert_status(jn_spec_extend_json(spec, bad, strlen(bad), "side.json", &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "side.json:2: rotor 's': link: missing"));
  assert_int_equal(jn_spec_rotor_count(spec), 0);
  assert_status(jn_spec_extend_json(spec, "{\"bodies\": []}", 14, NULL, &error), JN_ERR_SYNTAX);
  assert_status(jn_spec_extend_json(NULL, side, strlen(side), NULL, &error), JN_ERR_ARGUMENT);
  assert_status(jn_spec_extend(spec, temporary("none.json"), &error), JN_ERR_FILE);
  assert_status(jn_spec_extend(spec, NULL, &error), JN_ERR_ARGUMENT);
  put("side.json", side);
  assert_ok(jn_spec_extend(spec, temporary("side.json"), &error));
  assert_int_equal(jn_spec_get_rotor(spec, 0)->line, 0);

  /* saved and read again it is the same */
  char path[400];
  snprintf(path, sizeof path, "%s", temporary("whole.json"));
  assert_ok(jn_spec_save_json(spec, path, &error));
  jn_spec *again = NULL;
  assert_ok(jn_spec_load(path, NULL, &again, &error));
  const jn_rotor_desc *a = jn_spec_get_rotor(spec, 0), *b = jn_spec_get_rotor(again, 0);
  assert_true(a->c_f == b->c_f && a->c_d == b->c_d && a->spin == b->spin);
  assert_true(memcmp(&a->pose, &b->pose, sizeof a->pose) == 0);
  assert_true(memcmp(&a->limits, &b->limits, sizeof a->limits) == 0);
  assert_true(isinf(b->limits.thrust) && b->limits.idle == 0);
  jn_model *m = made(again);
  const jn_rotor *r = jn_model_rotor(m, 0);
  assert_true(r->pose.p.x == 1 && r->pose.p.z == 1 && r->upper == 18 && r->lower == 0);
  jn_model_free(m);
  jn_spec_free(spec);
}

static void failing_memory_leaves_nothing_behind(void **state) {
  (void)state;
  jn_spec *spec = reference_spec(&references[1]);
  int failures = 0;
  for (long at = 1; at < 100; at++) {
    counter c;
    const jn_allocator hooks = counting(&c);
    jn_model *m = NULL;
    c.fail_at = at;
    const jn_status status = jn_model_build(spec, NULL, &hooks, &m, NULL);
    if (!status) {
      jn_model_free(m);
      assert_int_equal(c.live, 0);
      break;
    }
    assert_status(status, JN_ERR_MEMORY);
    assert_int_equal(c.live, 0);
    failures++;
  }
  assert_true(failures > 10 && failures < 99);
  jn_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thrust_on_a_lever_arm),
      cmocka_unit_test(a_tilted_thrust_and_the_signs),
      cmocka_unit_test(a_symmetric_quadrotor_by_hand),
      cmocka_unit_test(allocation_thrusts_and_speeds_against_60_digits),
      cmocka_unit_test(thrusts_have_the_least_norm),
      cmocka_unit_test(the_wrench_moves_the_robot_as_the_rotors_do),
      cmocka_unit_test(fixed_bases_and_a_world_link_change_nothing),
      cmocka_unit_test(thrusts_and_speeds_follow_a_motion),
      cmocka_unit_test(the_printed_ring_has_rank_three),
      cmocka_unit_test(loads_tell_saturation),
      cmocka_unit_test(bad_thrusts_and_arguments_are_refused),
      cmocka_unit_test(broken_rotors_are_refused_with_line_and_reason),
      cmocka_unit_test(limits_of_a_description_are_kept),
      cmocka_unit_test(a_side_file_adds_rotors_to_any_description),
      cmocka_unit_test(failing_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
