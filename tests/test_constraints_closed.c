/* test_constraints_closed.c: each type of constraint, the moving world and impacts against closed
 * forms. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"

enum { K = 8 };
#define PI 3.14159265358979323846

static jn_spec *spec_new(void) {
  jn_spec *spec;
  const jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("closed", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  return spec;
}

/* A link with mass m and moment of inertia `moment` about all axes, on a joint along `axis`. */
static void add(jn_spec *spec, const char *name, jn_joint_type type, const char *parent,
                jn_vec3 axis, double m, double moment) {
  char joint[32] = "j_";
  strcat(joint, name);
  jn_link_desc l = link_of(name, m, jn_v3(0, 0, 0), moment, moment, moment);
  jn_joint_desc j = joint_of(joint, type, parent, name, shift(0, 0, 0));
  j.axis[0] = axis;
  assert_ok(jn_spec_add_link(spec, &l));
  assert_ok(jn_spec_add_joint(spec, &j));
}

static mechanism built(jn_spec *spec, const jn_constraint_desc *c) {
  if (c) assert_ok(jn_spec_add_constraint(spec, c));
  mechanism m = mechanism_of(build(spec), K);
  jn_spec_free(spec);
  return m;
}

/* the rotation that takes z to the direction u */
static jn_mat3 along(jn_vec3 u) {
  const jn_vec3 z = jn_v3_unit(u), x = jn_v3_unit(jn_v3_cross(jn_v3(0.3, -0.5, 0.7), z)),
                y = jn_v3_cross(z, x);
  return (jn_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

static void forward(mechanism *m, const jn_constraints *c) {
  assert_ok(jn_constrained_forward_dynamics(m->model, m->data, K, m->q, m->v, m->tau, NULL, c,
                                            m->v + m->nv, m->lambda));
}

/* Without constraints they are the functions of the tree, and touch no memory of constraints. */
static void a_tree_without_constraints(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    robot r = robot_random(seed, 1 + (int)seed, seed % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE,
                           TYPES_ALL, 3);
    double *tau = doubles(r.n), *other = doubles(r.n), *v = doubles((size_t)r.nv);
    unsigned char *dependent = calloc((size_t)r.nv + 1, 1);
    int rank = -1;
    assert_ok(jn_inverse_dynamics(r.model, r.data, 3, r.q, r.v, NULL, tau));
    assert_ok(
        jn_constrained_inverse_dynamics(r.model, r.data, 3, r.q, r.v, NULL, NULL, other, NULL));
    check_residual("inverse", row_error(4, (size_t)r.nv, other, tau, NULL), 1e-9);
    assert_ok(jn_constrained_forward_dynamics(r.model, r.data, 3, r.q, r.v, tau, NULL, NULL, other,
                                              NULL));
    check_residual("forward", row_error(4, (size_t)r.nv, other, r.v + r.nv, NULL), 1e-9);
    assert_ok(jn_impact(r.model, r.data, r.q, r.v, NULL, v, NULL));
    check_residual("impact", largest_difference(v, r.v, (size_t)r.nv), 1e-12);
    assert_ok(jn_constraint_rank(r.model, r.data, r.q, NULL, &rank, NULL, dependent));
    assert_int_equal(rank, 0);
    for (int i = 0; i < r.nv; i++) assert_int_equal(dependent[i], 0);
    free(tau), free(other), free(v), free(dependent);
    robot_free(&r);
  }
}

/* x = r cos(omega t) */
static void scotch_yoke_of_point_on_line(void **state) {
  (void)state;
  const double r = 0.3, omega = 1.7, angle = 0.6;
  jn_spec *spec = spec_new();
  add(spec, "crank", JN_JOINT_REVOLUTE, "ground", jn_v3(0, 0, 1), 1, 0.1);
  add(spec, "yoke", JN_JOINT_PRISMATIC, "ground", jn_v3(1, 0, 0), 2, 0.1);
  jn_constraint_desc c = jn_constraint_default("pin", JN_CONSTRAINT_POINT_ON_LINE, "crank", "yoke");
  c.a.pose = shift(r, 0, 0);
  c.b.pose.R = along(jn_v3(0, 1, 0));
  mechanism m = built(spec, &c);
  m.q[0] = angle, m.v[0] = omega;
  assert_ok(jn_assemble(m.model, m.data, K + 2, (unsigned char[]){0, 1, 0}, NULL, m.q, m.v));
  check_residual("scotch yoke: position", fabs(m.q[1] - r * cos(angle)), 4 * U);
  for (int k = 0; k <= K + 1; k++) {
    const double want = r * pow(omega, k + 1) * cos(angle + (k + 1) * PI / 2);
    check_residual("scotch yoke: derivatives", fabs(m.v[2 * k + 1] - want) / pow(omega, k + 1),
                   32 * U);
  }

  double tau[2 * (K + 1)], lambda[2 * (K + 1)];
  m.q[1] = r * cos(angle);
  assert_ok(jn_constrained_inverse_dynamics(m.model, m.data, K, m.q, m.v, NULL, NULL, tau, lambda));
  /* both joints are actuated: the least forces have J tau = 0, and the sum tau . v is the power */
  const double power = 2 * m.v[1] * m.v[2 + 1];
  check_residual("scotch yoke: power", fabs(tau[0] * m.v[0] + tau[1] * m.v[1] - power), 16 * U);
  mechanism_free(&m);
}

/* tan(theta_2) = tan(theta_1) / cos(beta) */
static void cardan_joint_of_universal(void **state) {
  (void)state;
  const double beta = 0.7, omega = 1.3;
  const jn_vec3 shaft = jn_v3(sin(beta), 0, cos(beta));
  for (int n = 0; n < 12; n++) {
    const double angle = -1.2 + 0.2 * n, cb = cos(beta), s2 = sin(beta) * sin(beta);
    jn_spec *spec = spec_new();
    add(spec, "in", JN_JOINT_REVOLUTE, "ground", jn_v3(0, 0, 1), 1, 0.1);
    add(spec, "out", JN_JOINT_REVOLUTE, "ground", shaft, 1, 0.2);
    jn_constraint_desc c = jn_constraint_default("cross", JN_CONSTRAINT_UNIVERSAL, "in", "out");
    c.a.axis = jn_v3(2, 0, 0), c.b.axis = jn_v3(0, 1, 0);
    mechanism m = built(spec, &c);
    int rank;
    m.q[0] = angle, m.q[1] = angle, m.v[0] = omega;
    assert_ok(jn_assemble(m.model, m.data, 3, (unsigned char[]){0, 1, 0}, NULL, m.q, m.v));
    const double w = 1 - s2 * cos(angle) * cos(angle), rate = omega * cb / w,
                 acceleration = -omega * omega * cb * 2 * s2 * cos(angle) * sin(angle) / (w * w);
    check_residual("Cardan joint: angle", fabs(m.q[1] - atan(tan(angle) / cb)), 8 * U);
    check_residual("Cardan joint: rate", fabs(m.v[1] - rate), 32 * U);
    check_residual("Cardan joint: acceleration", fabs(m.v[3] - acceleration), 64 * U);
    assert_ok(jn_constraint_rank(m.model, m.data, m.q, NULL, &rank, NULL, NULL));
    assert_int_equal(rank, 1);
    /* virtual work: a torque on the input shaft alone: I_1 a_1 + rho I_2 a_2 = tau_1 */
    m.tau[0] = 3;
    m.v[2] = m.v[3] = 0;
    forward(&m, NULL);
    const double rho = rate / omega, a = (3 - rho * 0.2 * acceleration) / (0.1 + rho * rho * 0.2);
    check_residual("Cardan joint: dynamics", fabs(m.v[2] - a) / 30, 64 * U);

    mechanism_free(&m);
  }
}

/* A mass point on a plane that moves along its normal n: lambda = m (s'' - g . n) */
static void moving_plane_of_point_on_plane(void **state) {
  (void)state;
  const double mass = 1.7;
  const jn_vec3 n = jn_v3_unit(jn_v3(0.3, -0.4, 0.8)), at = jn_v3(0.2, 0.1, -0.3);
  jn_spec *spec = spec_new();
  add(spec, "x", JN_JOINT_PRISMATIC, "ground", jn_v3(1, 0, 0), 0, 0);
  add(spec, "y", JN_JOINT_PRISMATIC, "x", jn_v3(0, 1, 0), 0, 0);
  add(spec, "ball", JN_JOINT_PRISMATIC, "y", jn_v3(0, 0, 1), mass, 0);
  jn_constraint_desc c = jn_constraint_default("floor", JN_CONSTRAINT_POINT_ON_PLANE, "ball", NULL);
  c.b.pose.R = along(n);
  mechanism m = built(spec, &c);
  double twist[6 * (K + 2)] = {0}, s[K + 2];
  for (int k = 0; k < K + 2; k++) {
    s[k] = cos(1.0 + k) * (1 + k);
    twist[6 * k + 3] = s[k] * n.x, twist[6 * k + 4] = s[k] * n.y, twist[6 * k + 5] = s[k] * n.z;
  }
  const jn_world_motion given = {0, {c.b.pose.R, at}, JN_SPATIAL, twist};
  const jn_constraints moving = {.motion_count = 1, .motions = &given};
  /* on the plane, with its velocity along n and one along the plane */
  const jn_vec3 t = jn_v3_cross(n, jn_v3(1, 0, 0)), g = jn_v3(0, 0, -9.81);
  m.q[0] = at.x + t.x, m.q[1] = at.y + t.y, m.q[2] = at.z + t.z;
  m.v[0] = s[0] * n.x + t.x, m.v[1] = s[0] * n.y + t.y, m.v[2] = s[0] * n.z + t.z;
  assert_status(jn_constrained_forward_dynamics(m.model, m.data, K, m.q, m.v, m.tau, NULL, NULL,
                                                m.v + 3, m.lambda),
                JN_ERR_CLOSURE);
  forward(&m, &moving);
  for (int k = 0; k <= K; k++) {
    const double normal = s[k + 1] - (k ? 0 : jn_v3_dot(g, n)),
                 want[3] = {normal * n.x + (k ? 0 : g.x), normal * n.y + (k ? 0 : g.y),
                            normal * n.z + (k ? 0 : g.z)};
    check_residual("moving plane: force", fabs(m.lambda[k] - mass * normal) / 20, 16 * U);
    check_residual("moving plane: motion", largest_difference(m.v + 3 * (k + 1), want, 3) / 20,
                   16 * U);
  }
  mechanism_free(&m);
}

/* A body welded to a moving pose follows it; the forces are those of inverse dynamics. */
static void weld_to_a_moving_pose(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 9; seed++) {
    robot r = robot_random(seed, 1, JN_JOINT_FREE, TYPE(REVOLUTE), K);
    jn_constraint_desc c = jn_constraint_default("hand", JN_CONSTRAINT_WELD, "l0", NULL);
    assert_ok(jn_spec_add_constraint(r.spec, &c));
    mechanism m = mechanism_of(build(r.spec), K);
    memcpy(m.q, r.q, sizeof(double) * 7);
    memcpy(m.v, r.v, sizeof(double) * 6);
    const jn_pose C = {jn_quat_to_m3((jn_quat){r.q[0], r.q[1], r.q[2], r.q[3]}),
                       {r.q[4], r.q[5], r.q[6]}};
    const jn_world_motion given = {0, C, JN_BODY, r.v};
    const jn_constraints moving = {.motion_count = 1, .motions = &given};
    forward(&m, &moving);
    check_residual("weld to a moving pose: motion", row_error(K + 1, 6, m.v + 6, r.v + 6, NULL),
                   1e-12);
    robot_represent(&r, JN_HYBRID);
    double *tau = robot_inverse(&r, r.v, NULL);
    check_residual("weld to a moving pose: force", row_error(K + 1, 6, m.lambda, tau, NULL), 1e-12);
    free(tau);
    mechanism_free(&m);
    robot_free(&r);
  }
}

/* Pendulum on a cart, the rod a distance constraint. */
static void pendulum_on_a_rail_of_distance(void **state) {
  (void)state;
  const double M = 2, mass = 0.7, l = 0.9, g = 9.81, F = 1.5;
  for (int n = 0; n < 10; n++) {
    const double angle = -2.1 + 0.45 * n, speed = 1.3, s = sin(angle), c = cos(angle);
    jn_spec *spec = spec_new();
    add(spec, "cart", JN_JOINT_PRISMATIC, "ground", jn_v3(1, 0, 0), M, 0);
    add(spec, "x", JN_JOINT_PRISMATIC, "ground", jn_v3(1, 0, 0), 0, 0);
    add(spec, "bob", JN_JOINT_PRISMATIC, "x", jn_v3(0, 0, 1), mass, 0);
    jn_constraint_desc rod = jn_constraint_default("rod", JN_CONSTRAINT_DISTANCE, "bob", "cart");
    rod.length = l;
    mechanism m = built(spec, &rod);
    m.q[1] = l * s, m.q[2] = -l * c;
    m.v[0] = 0.4, m.v[1] = 0.4 + l * c * speed, m.v[2] = l * s * speed;
    m.tau[0] = F;
    forward(&m, NULL);
    const double w = M + mass * s * s, x = (F + mass * s * (l * speed * speed + g * c)) / w,
                 turn = (-F * c - mass * l * speed * speed * c * s - (M + mass) * g * s) / (l * w),
                 T = (M * x - F) / s,
                 want[3] = {x, x + l * (c * turn - s * speed * speed),
                            l * (s * turn + c * speed * speed)};
    check_residual("pendulum on a rail: motion", largest_difference(m.v + 3, want, 3) / 20, 64 * U);
    check_residual("pendulum on a rail: tension", fabs(m.lambda[0] + T / l) / 20, 1e-14);
    mechanism_free(&m);
  }
}

/* The four-bar cut as a hinge moves as with the point, and has the same torque. */
static void revolute_cut_of_the_four_bar(void **state) {
  (void)state;
  jn_spec *spec;
  jn_error error;
  if (jn_spec_load(TEST_DATA "/loops/fourbar/model.json", NULL, &spec, &error))
    fail_msg("%s", error.message);
  for (int type = 0; type < 2; type++) {
    jn_constraint_desc *c = jn_spec_constraint(spec, 0);
    c->type = type ? JN_CONSTRAINT_UNIVERSAL : JN_CONSTRAINT_REVOLUTE;
    c->a.pose.R = c->b.pose.R = along(jn_v3(0, 1, 0));
    /* universal: the axis of the pin and one across it */
    c->a.axis = jn_v3(0, 0, 1), c->b.axis = jn_v3(1, 0, 0);
    mechanism m = mechanism_of(build(spec), 5);
    reference x = reference_load("fourbar");
    int rank;
    double *tau = doubles(m.n);
    memcpy(m.v, x.m.v, sizeof(double) * 3);
    assert_ok(jn_constraint_rank(m.model, m.data, x.m.q, NULL, &rank, NULL, NULL));
    assert_int_equal(rank, 2);
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, 5, x.m.q, m.v, x.m.tau, NULL, NULL,
                                              m.v + 3, m.lambda));
    check_residual("four-bar by other cuts: motion", row_error(6, 3, m.v + 3, x.m.v + 3, NULL),
                   1e-11);
    assert_ok(jn_constrained_inverse_dynamics(m.model, m.data, 5, x.m.q, x.m.v, NULL, NULL, tau,
                                              m.lambda));
    check_residual("four-bar by other cuts: torque", row_error(6, 3, tau, x.m.tau, NULL), 1e-12);
    free(tau);
    mechanism_free(&x.m);
    mechanism_free(&m);
  }
  jn_spec_free(spec);
}

/* Gears: q_2 = n q_1 + 0.2; (I_1 + n^2 I_2) q_1'' = tau_1 + n tau_2 */
static void gears_of_coupling_and_mimic(void **state) {
  (void)state;
  const double n = -3.5, I1 = 0.3, I2 = 0.04;
  for (int mimic = 0; mimic < 2; mimic++) {
    jn_spec *spec = spec_new();
    add(spec, "one", JN_JOINT_REVOLUTE, "ground", jn_v3(0, 0, 1), 1, I1);
    add(spec, "two", JN_JOINT_REVOLUTE, "ground", jn_v3(0, 1, 0), 1, I2);
    const jn_coupling_term terms[2] = {{"j_two", 1}, {"j_one", -n}};
    jn_constraint_desc c = jn_constraint_default("gear", JN_CONSTRAINT_COUPLING, NULL, NULL);
    c.terms = terms, c.term_count = 2, c.offset = 0.2;
    jn_joint_desc *two = jn_spec_joint(spec, 1);
    const jn_build_options options = {.mimic = mimic ? JN_MIMIC_CONSTRAINT : JN_MIMIC_ELIMINATED};
    jn_model *model;
    if (mimic)
      two->mimic = "j_one", two->mimic_multiplier = n, two->mimic_offset = 0.2;
    else
      assert_ok(jn_spec_add_constraint(spec, &c));
    assert_ok(jn_model_build(spec, &options, NULL, &model, NULL));
    mechanism m = mechanism_of(model, K);
    jn_spec_free(spec);
    assert_int_equal(jn_model_find_constraint(model, mimic ? "mimic:j_two" : "gear"), 0);
    assert_int_equal(jn_model_joint(model, 2)->passive, mimic);
    m.q[0] = 0.3, m.q[1] = n * 0.3 + 0.2, m.v[0] = 1, m.v[1] = n;
    for (int k = 0; k <= K; k++) m.tau[2 * k] = 1 + k, m.tau[2 * k + 1] = 2 - k;
    forward(&m, NULL);
    for (int k = 0; k <= K; k++) {
      const double a = (1 + k + n * (2 - k)) / (I1 + n * n * I2);
      check_residual("gears: motion", fabs(m.v[2 * (k + 1)] - a) + fabs(m.v[2 * k + 3] - n * a),
                     1e-12);
      check_residual("gears: force", fabs(m.lambda[k] - (I2 * n * a - (2 - k))), 1e-13);
    }
    mechanism_free(&m);
  }
}

/* A four-bar whose crank turns a wheel by a mimic joint, q_w = n q + 0.4: the same motion as with the
 * armature n^2 I at the crank. A mimic joint beside a loop is a constraint. */
static void a_mimic_joint_beside_a_loop(void **state) {
  (void)state;
  const double n = -2.5, I = 0.02;
  reference x = reference_load("fourbar");
  double rates[2][4 * 4], plain = 0;
  for (int wheel = 0; wheel < 3; wheel++) { /* 2: without either, which must differ */
    jn_spec *spec;
    jn_error error;
    if (jn_spec_load(TEST_DATA "/loops/fourbar/model.json", NULL, &spec, &error))
      fail_msg("%s", error.message);
    jn_joint_desc *crank = jn_spec_joint(spec, 1); /* 0: the base */
    jn_link_desc l = link_of("wheel", 1, jn_v3(0, 0, 0), I, I, I);
    jn_joint_desc j = joint_of("spin", JN_JOINT_REVOLUTE, "ground", "wheel", shift(0, 0, 0));
    j.axis[0] = jn_v3(1, 0, 0);
    j.mimic = crank->name, j.mimic_multiplier = n, j.mimic_offset = 0.4;
    if (wheel == 0) crank->armature += n * n * I;
    if (wheel == 1) assert_ok(jn_spec_add_link(spec, &l));
    if (wheel == 1) assert_ok(jn_spec_add_joint(spec, &j));
    mechanism m = mechanism_of(build(spec), 3);
    const int nv = wheel == 1 ? 4 : 3;
    assert_int_equal(m.nv, nv);
    memcpy(m.q, x.m.q, sizeof(double) * 3);
    memcpy(m.v, x.m.v, sizeof(double) * 3);
    if (wheel == 1) {
      assert_int_equal(jn_model_joint(m.model, 4)->iv, 3);
      m.q[3] = n * m.q[0] + 0.4, m.v[3] = n * m.v[0];
    }
    for (int k = 0; k <= 3; k++) m.tau[k * nv] = 1 + k;
    assert_ok(jn_constrained_forward_dynamics(m.model, m.data, 3, m.q, m.v, m.tau, NULL, NULL,
                                              m.v + nv, m.lambda));
    for (int k = 0; k <= 3; k++) {
      const double *a = m.v + (k + 1) * nv;
      if (wheel == 1)
        check_residual("wheel of a mimic joint", fabs(a[3] - n * a[0]) / (1 + fabs(a[3])), 1e-12);
      if (wheel < 2) memcpy(rates[wheel] + 3 * k, a, sizeof(double) * 3);
      if (wheel == 2) plain = fmax(plain, largest_difference(a, rates[0] + 3 * k, 3));
    }
    mechanism_free(&m);
    jn_spec_free(spec);
  }
  check_residual("mimic joint beside a loop", row_error(4, 3, rates[1], rates[0], NULL), 1e-11);
  assert_true(plain > 1e-2);
  mechanism_free(&x.m);
}

/* M (v_after - v) = J^T impulse, J v_after = 0 */
static void impacts_of_random_mechanisms(void **state) {
  (void)state;
  for (uint64_t seed = 600; seed < 660; seed++) {
    mechanism m = mechanism_random(seed, 8, seed % 2 ? JN_JOINT_FREE : JN_JOINT_FIXED, TYPES_ALL, 2,
                                   CUTS_ALL, 1);
    const size_t nv = (size_t)m.nv, rows = (size_t)m.rows;
    double *M = doubles(nv * nv), *J = doubles(nv * rows), *after = doubles(nv),
           *impulse = doubles(rows + 1), worst = 0, scale = 0, before = 0, energy = 0;
    assert_ok(jn_impact(m.model, m.data, m.q, m.v, NULL, after, impulse));
    assert_ok(jn_mass_matrix(m.model, m.data, m.q, M));
    assert_ok(jn_constraint_closure(m.model, m.data, 0, m.q, after, NULL, NULL, m.lambda, J));
    for (size_t i = 0; i < nv; i++) {
      double sum = 0, size = 0;
      for (size_t j = 0; j < nv; j++) {
        sum += M[i * nv + j] * (after[j] - m.v[j]);
        size += fabs(M[i * nv + j]) * (fabs(after[j]) + fabs(m.v[j]));
        before += 0.5 * m.v[i] * M[i * nv + j] * m.v[j];
        energy += 0.5 * after[i] * M[i * nv + j] * after[j];
      }
      for (size_t r = 0; r < rows; r++) {
        sum -= J[r * nv + i] * impulse[r];
        size += fabs(J[r * nv + i] * impulse[r]);
      }
      worst = fmax(worst, fabs(sum)), scale = fmax(scale, size);
    }
    check_residual("impact: M dv = J^T impulse", worst / scale, 1e-12);
    check_residual("impact: J v_after = 0", largest(m.lambda, rows) / largest(m.v, nv), 1e-12);
    check_residual("impact: gain of energy", (energy - before) / before, 1e-12);
    /* a second one changes nothing */
    double *again = doubles(nv);
    assert_ok(jn_impact(m.model, m.data, m.q, after, NULL, again, NULL));
    check_residual("impact: again", largest_difference(after, again, nv) / largest(m.v, nv), 1e-12);
    free(M), free(J), free(after), free(again), free(impulse);
    mechanism_free(&m);
  }
}

/* The humanoid with the feet of the mask held, as constraints of the model or as a mask of both. */
static mechanism humanoid(unsigned feet) {
  static const char *const links[2] = {"left_foot", "right_foot"}, *const names[2] = {"left",
                                                                                      "right"};
  jn_spec *spec;
  jn_error error;
  assert_ok(jn_spec_load("humanoid", NULL, &spec, &error));
  for (int i = 0; i < 2; i++) {
    if (!(feet >> i & 1)) continue;
    jn_constraint_desc c = jn_constraint_default(names[i], JN_CONSTRAINT_WELD, links[i], NULL);
    c.b.pose = shift(0, i ? -0.09 : 0.09, 0.09);
    assert_ok(jn_spec_add_constraint(spec, &c));
  }
  mechanism m = mechanism_of(build(spec), 3);
  jn_spec_free(spec);
  return m;
}

/* Every call with a mask is that of a model built so: both feet, one foot, none. */
static void a_humanoid_on_both_feet_one_foot_and_none(void **state) {
  (void)state;
  enum { R = 3 };
  mechanism both = humanoid(3);
  const size_t nv = (size_t)both.nv, nq = (size_t)both.nq, n = (R + 1) * nv;
  unsigned char legs[64] = {0};
  double *tau = doubles(n), *lambda = doubles((R + 1) * 12), *mine = doubles((R + 1) * 12),
         *a = doubles(n), *b = doubles(n), *v = doubles(n + nv);
  rng r = rng_new(5);
  /* bent knees, a turned trunk, everything moves; legs follow the pelvis */
  for (int i = 0; i < both.nbody; i++) {
    const jn_joint *j = jn_model_joint(both.model, i);
    legs[i] = strstr(j->name, "hip") || strstr(j->name, "knee") || strstr(j->name, "ankle");
    if (strstr(j->name, "knee")) both.q[j->iq] = 0.5;
    legs[i] = !legs[i];
  }
  jn_model_home(both.model, a);
  for (size_t i = 0; i < nq; i++)
    if (both.q[i] == 0) both.q[i] = a[i];
  both.q[6] = 0.88;
  for (size_t i = 0; i < n + nv; i++) v[i] = rng_range(&r, -0.3, 0.3);
  memcpy(both.v, v, sizeof *v * (n + nv));
  for (size_t i = 0; i < n; i++) tau[i] = rng_range(&r, -20, 20);
  assert_ok(jn_assemble(both.model, both.data, R + 2, legs, NULL, both.q, both.v));
  for (unsigned feet = 0; feet < 4; feet++) {
    const unsigned char active[2] = {feet & 1, feet >> 1 & 1};
    const jn_constraints mask = {.active = active};
    mechanism own = humanoid(feet);
    const size_t rows = (size_t)own.rows;
    assert_ok(jn_constrained_forward_dynamics(both.model, both.data, R, both.q, both.v, tau, NULL,
                                              &mask, a, lambda));
    if (feet)
      assert_ok(jn_constrained_forward_dynamics(own.model, own.data, R, both.q, both.v, tau, NULL,
                                                NULL, b, mine));
    else
      assert_ok(jn_forward_dynamics(own.model, own.data, R, both.q, both.v, tau, NULL, b));
    check_residual("humanoid: motion with a mask", row_error(R + 1, nv, a, b, NULL), 1e-11);
    for (size_t k = 0; k <= R; k++)
      for (size_t i = 0, at = 0; i < 12; i++) {
        const double x = lambda[12 * k + i];
        if (active[i / 6])
          check_residual("humanoid: forces with a mask",
                         fabs(x - mine[rows * k + at++]) / (1 + largest(mine + rows * k, rows)),
                         1e-11);
        else
          assert_true(x == 0);
      }
    /* inverse dynamics: the base has no motor, so that on none it cannot be at rest */
    const jn_status got = jn_constrained_inverse_dynamics(both.model, both.data, R, both.q, both.v,
                                                          NULL, &mask, a, lambda);
    if (feet) {
      assert_ok(got);
      assert_ok(jn_constrained_inverse_dynamics(own.model, own.data, R, both.q, both.v, NULL, NULL,
                                                b, mine));
      check_residual("humanoid: torques with a mask", row_error(R + 1, nv, a, b, NULL), 1e-10);
      assert_true(all_equal_to(a, 6, 0));
    } else {
      assert_status(got, JN_ERR_ACTUATION);
    }
    /* impact of the feet that land */
    double *after = doubles(nv), *hit = doubles(nv);
    assert_ok(jn_impact(both.model, both.data, both.q, v, &mask, after, NULL));
    assert_ok(jn_impact(own.model, own.data, both.q, v, NULL, hit, NULL));
    check_residual("humanoid: impact with a mask", row_error(1, nv, after, hit, NULL), 1e-11);
    int rank, other;
    assert_ok(jn_constraint_rank(both.model, both.data, both.q, &mask, &rank, NULL, NULL));
    assert_ok(jn_constraint_rank(own.model, own.data, both.q, NULL, &other, NULL, NULL));
    assert_true(rank == other && rank == (int)rows);
    free(after), free(hit);
    mechanism_free(&own);
  }
  free(tau), free(lambda), free(mine), free(a), free(b), free(v);
  mechanism_free(&both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tree_without_constraints),
      cmocka_unit_test(scotch_yoke_of_point_on_line),
      cmocka_unit_test(cardan_joint_of_universal),
      cmocka_unit_test(moving_plane_of_point_on_plane),
      cmocka_unit_test(weld_to_a_moving_pose),
      cmocka_unit_test(pendulum_on_a_rail_of_distance),
      cmocka_unit_test(revolute_cut_of_the_four_bar),
      cmocka_unit_test(gears_of_coupling_and_mimic),
      cmocka_unit_test(a_mimic_joint_beside_a_loop),
      cmocka_unit_test(impacts_of_random_mechanisms),
      cmocka_unit_test(a_humanoid_on_both_feet_one_foot_and_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
