/* test_assemble.c: assembly and inverse kinematics: random mechanisms, limits, what cannot be
 * assembled; hybrid dynamics with constraints. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"

enum { K = 5 };

/* residuals of the positions in units of the robot's size */
static double position_residual(mechanism *m, const jn_constraints *c) {
  double *rest = doubles((size_t)m->rows + 1);
  assert_ok(jn_constraint_closure(m->model, m->data, 0, m->q, NULL, c, rest, NULL, NULL));
  const double e = largest(rest, (size_t)m->rows) / (1 + jn_model_size(m->model));
  free(rest);
  return e;
}

static void random_mechanisms_are_assembled_to_rounding(void **state) {
  (void)state;
  for (uint64_t seed = 9000; seed < 9200; seed++) {
    mechanism m =
        mechanism_random(seed, 7 + (int)(seed % 6), seed % 3 ? JN_JOINT_FIXED : JN_JOINT_FREE,
                         TYPES_ALL, 1 + (int)(seed % 2), CUTS_ALL, K);
    rng r = rng_new(seed);
    const size_t nv = (size_t)m.nv;
    double *dq = doubles(nv), *q = copy_of(m.q, (size_t)m.nq), *v = doubles(m.n + nv), e = 0;
    for (size_t i = 0; i < nv; i++) dq[i] = 0.1 * rng_range(&r, -1, 1);
    for (size_t i = 0; i < m.n + nv; i++) m.v[i] = v[i] = rng_range(&r, -1, 1);
    assert_ok(jn_integrate(m.model, q, dq, m.q));
    assert_ok(jn_assemble(m.model, m.data, K + 2, NULL, NULL, m.q, m.v));
    check_residual("assembled positions", position_residual(&m, NULL), 1e-12);
    double *rate = doubles((size_t)(K + 2) * (size_t)m.rows);
    assert_ok(jn_constraint_closure(m.model, m.data, K + 1, m.q, m.v, NULL, NULL, rate, NULL));
    for (size_t k = 0; k <= K + 1; k++)
      e = worse(
          e, largest(rate + k * (size_t)m.rows, (size_t)m.rows) / (1 + largest(m.v + k * nv, nv)));
    check_residual("assembled derivatives 0..6", e, 1e-12);
    /* again: nothing changes, as the motion is its own nearest one */
    memcpy(q, m.q, sizeof(double) * (size_t)m.nq);
    memcpy(v, m.v, sizeof(double) * (m.n + nv));
    assert_ok(jn_assemble(m.model, m.data, K + 2, NULL, NULL, q, v));
    check_residual("assembled twice: positions", largest_difference(q, m.q, (size_t)m.nq), 1e-11);
    check_residual("assembled twice: derivatives", row_error(K + 2, nv, v, m.v, NULL), 1e-11);
    free(dq), free(q), free(v), free(rate);
    mechanism_free(&m);
  }
}

/* The reference motions follow from their actuated joints. */
static void driven_joints_determine_the_reference_motions(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    unsigned char driven[64] = {0};
    double *q = copy_of(m->q, (size_t)m->nq), *v = copy_of(m->v, m->n + (size_t)m->nv);
    for (int b = 0; b < m->nbody; b++) {
      const jn_joint *j = jn_model_joint(m->model, b);
      driven[b] = j->nv == 1 && !j->passive;
      if (j->nv != 1 || driven[b]) continue;
      q[j->iq] += 0.02;
      for (int k = 0; k <= m->order + 1; k++) v[k * m->nv + j->iv] = 0;
    }
    if (jn_model_is_floating(m->model)) q[4] += 0.02, q[6] -= 0.01;
    for (int k = 0; k <= m->order + 1 && jn_model_is_floating(m->model); k++)
      fill(v + k * m->nv, 6, 0);
    assert_ok(jn_assemble(m->model, m->data, m->order + 2, driven, NULL, q, v));
    check_residual("positions of driven mechanisms", largest_difference(q, m->q, (size_t)m->nq),
                   1e-13);
    check_residual("derivatives of driven mechanisms",
                   row_error(m->order + 2, (size_t)m->nv, v, m->v, NULL), 1e-12);
    free(q), free(v);
    mechanism_free(m);
  }
}

/* Hybrid dynamics: motion of the actuated joints given, forces of the others zero. */
static void hybrid_dynamics_of_the_reference_mechanisms(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(reference_names); i++) {
    reference x = reference_load(reference_names[i]);
    mechanism *m = &x.m;
    const size_t nv = (size_t)m->nv;
    unsigned char given[64] = {0};
    double *v = copy_of(m->v, m->n + nv), *tau = doubles(m->n), *lambda = doubles(m->nl);
    for (int b = 0; b < m->nbody; b++) {
      const jn_joint *j = jn_model_joint(m->model, b);
      given[b] = j->nv > 0 && !j->passive;
      for (int c = j->iv; c < j->iv + j->nv; c++)
        for (size_t k = 0; k <= (size_t)m->order; k++) {
          if (given[b])
            tau[k * nv + (size_t)c] = nan("");
          else
            v[(k + 1) * nv + (size_t)c] = nan("");
        }
    }
    assert_ok(jn_constrained_hybrid_dynamics(m->model, m->data, m->order, m->q, given, v, tau, NULL,
                                             NULL, lambda));
    check_residual("hybrid: forces", row_error(m->order + 1, nv, tau, m->tau, NULL), 1e-11);
    check_residual("hybrid: motion", row_error(m->order + 1, nv, v + nv, m->v + nv, NULL), 1e-11);
    if (x.forces)
      check_residual("hybrid: constraint forces",
                     row_error(m->order + 1, (size_t)m->rows, lambda, m->lambda, NULL), 1e-10);
    free(v), free(tau), free(lambda);
    mechanism_free(m);
  }
}

/* An arm that holds its tool at a given moving pose. */
static void inverse_kinematics_of_an_arm(void **state) {
  (void)state;
  for (uint64_t seed = 30; seed < 60; seed++) {
    robot r = robot_random(4 * seed, 8, JN_JOINT_FIXED, TYPE(REVOLUTE), K);
    const int tool = jn_model_find_frame(r.model, "l7");
    jn_pose C;
    double twist[6 * (K + 2)];
    jn_constraint_desc c = jn_constraint_default("tool", JN_CONSTRAINT_WELD, "l7", NULL);
    assert_ok(jn_kinematics(r.model, r.data, K + 1, r.q, r.v));
    assert_ok(jn_frame_pose(r.model, r.data, tool, &C));
    assert_ok(jn_frame_twist(r.model, r.data, tool, JN_HYBRID, K + 1, twist));
    assert_ok(jn_spec_add_constraint(r.spec, &c));
    mechanism m = mechanism_of(build(r.spec), K);
    const jn_world_motion given = {0, C, JN_HYBRID, twist};
    const jn_constraints at = {.motion_count = 1, .motions = &given};
    for (int i = 0; i < m.nq; i++) m.q[i] = r.q[i] + 0.1 * sin(i);
    assert_ok(jn_assemble(m.model, m.data, K + 2, NULL, &at, m.q, m.v));
    check_residual("inverse kinematics: pose", position_residual(&m, &at), 1e-12);
    double got[6 * (K + 2)], speed[K + 2];
    for (int k = 0; k < K + 2; k++) speed[k] = largest(m.v + k * m.nv, (size_t)m.nv);
    assert_ok(jn_kinematics(m.model, m.data, K + 1, m.q, m.v));
    assert_ok(
        jn_frame_twist(m.model, m.data, jn_model_find_frame(m.model, "l7"), JN_HYBRID, K + 1, got));
    check_residual("inverse kinematics: twist and derivatives",
                   row_error(K + 2, 6, got, twist, speed), 1e-12);
    mechanism_free(&m);
    robot_free(&r);
  }
}

/* Two arms of a planar chain, joined at the tips; the elbow may only bend one way. */
static void joints_stay_within_their_limits(void **state) {
  (void)state;
  for (int limited = 0; limited < 2; limited++) {
    jn_spec *spec;
    const char *names[3] = {"one", "two", "three"};
    jn_link_desc ground = jn_link_default("ground");
    assert_ok(jn_spec_new("limits", NULL, &spec));
    assert_ok(jn_spec_add_link(spec, &ground));
    for (int i = 0; i < 3; i++) {
      jn_link_desc l = link_of(names[i], 1, jn_v3(0, 0, 0), 0.1, 0.1, 0.1);
      jn_joint_desc j = joint_of(names[i], JN_JOINT_REVOLUTE, i ? names[i - 1] : "ground", names[i],
                                 shift(i ? 1 : 0, 0, 0));
      if (i == 1 && limited) j.limits.lower = 0.2, j.limits.upper = 3;
      assert_ok(jn_spec_add_link(spec, &l));
      assert_ok(jn_spec_add_joint(spec, &j));
    }
    jn_constraint_desc c = jn_constraint_default("tip", JN_CONSTRAINT_POINT, "three", NULL);
    c.a.pose = shift(1, 0, 0);
    c.b.pose = shift(1.2, 0.9, 0);
    assert_ok(jn_spec_add_constraint(spec, &c));
    mechanism m = mechanism_of(build(spec), 0);
    m.q[0] = 1.5, m.q[1] = -0.6, m.q[2] = -0.6;
    assert_ok(jn_assemble(m.model, m.data, 0, NULL, NULL, m.q, NULL));
    check_residual("assembled within limits", position_residual(&m, NULL), 1e-12);
    assert_true(limited ? m.q[1] >= 0.2 && m.q[1] <= 3 : m.q[1] < 0);
    mechanism_free(&m);
    jn_spec_free(spec);
  }
}

/* A slide at its limit carries one that hardly moves the tip in the wanted direction: without holding
 * the first, each step would gain 1 % of the way. */
static void a_joint_at_its_limit_is_held(void **state) {
  (void)state;
  const double part = 0.1;
  jn_spec *spec;
  const char *names[2] = {"one", "two"};
  jn_link_desc ground = jn_link_default("ground");
  assert_ok(jn_spec_new("slides", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &ground));
  for (int i = 0; i < 2; i++) {
    jn_link_desc l = link_of(names[i], 1, jn_v3(0, 0, 0), 0.1, 0.1, 0.1);
    jn_joint_desc j =
        joint_of(names[i], JN_JOINT_PRISMATIC, i ? "one" : "ground", names[i], shift(0, 0, 0));
    j.axis[0] = i ? jn_v3(part, sqrt(1 - part * part), 0) : jn_v3(1, 0, 0);
    if (i == 0) j.limits.lower = -1, j.limits.upper = 1;
    assert_ok(jn_spec_add_link(spec, &l));
    assert_ok(jn_spec_add_joint(spec, &j));
  }
  jn_constraint_desc c = jn_constraint_default("wall", JN_CONSTRAINT_POINT_ON_PLANE, "two", NULL);
  c.b.pose.R = (jn_mat3){{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}; /* z of the frame is the world's x */
  c.b.pose.p = jn_v3(1.5, 0, 0);
  assert_ok(jn_spec_add_constraint(spec, &c));
  mechanism m = mechanism_of(build(spec), 0);
  m.q[0] = 0.9;
  assert_ok(jn_assemble(m.model, m.data, 0, NULL, NULL, m.q, NULL));
  assert_true(m.q[0] == 1);
  check_residual("the other joint goes the way", fabs(m.q[1] - 0.5 / part), 1e-14);
  mechanism_free(&m);
  jn_spec_free(spec);
}

/* From home the search for the four-bar ends, at some angles of the crank, in a minimum that is no
 * solution: it starts again beside it. */
static void the_four_bar_is_assembled_at_every_angle(void **state) {
  (void)state;
  jn_spec *spec;
  jn_error error;
  assert_ok(jn_spec_load("fourbar", NULL, &spec, &error));
  mechanism m = mechanism_of(build(spec), 0);
  const unsigned char driven[4] = {0, 1, 0, 0};
  for (int i = -31; i <= 31; i++) {
    m.q[0] = 0.1 * i, m.q[1] = m.q[2] = 0;
    assert_ok(jn_assemble(m.model, m.data, 0, driven, NULL, m.q, NULL));
    assert_true(m.q[0] == 0.1 * i);
    check_residual("four-bar at every angle", position_residual(&m, NULL), 1e-15);
  }
  mechanism_free(&m);
  jn_spec_free(spec);
}

static void what_cannot_be_assembled_is_refused_with_the_distance(void **state) {
  (void)state;
  jn_spec *spec;
  jn_error error;
  if (jn_spec_load(TEST_DATA "/loops/fourbar/model.json", NULL, &spec, &error))
    fail_msg("%s", error.message);
  jn_spec_constraint(spec, 0)->a.pose.p.x = 9; /* a coupler of 9 m */
  mechanism m = mechanism_of(build(spec), 1);
  reference x = reference_load("fourbar");
  double q[3];
  memcpy(q, x.m.q, sizeof q);
  assert_status(jn_assemble(m.model, m.data, 0, NULL, NULL, q, NULL), JN_ERR_ASSEMBLY);
  assert_true(same_bits(q, x.m.q, 3));
  const jn_constraint_fault f = jn_data_constraint_fault(m.data);
  assert_int_equal(f.constraint, 0);
  /* crank, ground and rocker reach 1.8 m at most */
  assert_true(fabs(f.residual) > 4 && fabs(f.residual) < 9);
  /* two driven joints that contradict each other */
  const unsigned char driven[4] = {0, 1, 1, 0};
  double v[3] = {1, 1, 0};
  memcpy(q, x.m.q, sizeof q);
  assert_status(jn_assemble(x.m.model, x.m.data, 1, driven, NULL, q, v), JN_ERR_RANK);
  assert_true(v[0] == 1 && v[1] == 1 && v[2] == 0);
  assert_int_equal(jn_data_constraint_fault(x.m.data).order, 1);
  /* at rest they agree; their accelerations do not */
  double a[6] = {0, 0, 0, 1, 1, 0};
  assert_status(jn_assemble(x.m.model, x.m.data, 2, driven, NULL, q, a), JN_ERR_RANK);
  assert_int_equal(jn_data_constraint_fault(x.m.data).order, 2);
  jn_spec_free(spec);
  mechanism_free(&x.m);
  mechanism_free(&m);
}

/* Two world sides that move apart: contradictory constraints. */
static void contradictory_constraints_are_refused_by_name(void **state) {
  (void)state;
  robot r = robot_random(3, 1, JN_JOINT_FREE, TYPE(REVOLUTE), 2);
  jn_constraint_desc c = jn_constraint_default("left", JN_CONSTRAINT_POINT, "l0", NULL);
  assert_ok(jn_spec_add_constraint(r.spec, &c));
  c.name = "right";
  assert_ok(jn_spec_add_constraint(r.spec, &c));
  mechanism m = mechanism_of(build(r.spec), 2);
  double still[6 * 4] = {0}, moves[6 * 4] = {0};
  moves[6 + 3] = 1; /* accelerates along x */
  const jn_world_motion given[2] = {{0, shift(0, 0, 0), JN_HYBRID, still},
                                    {1, shift(0, 0, 0), JN_HYBRID, moves}};
  const jn_constraints at = {.motion_count = 2, .motions = given};
  m.q[0] = 1;
  fill(m.lambda, m.nl, 5);
  assert_status(jn_constrained_forward_dynamics(m.model, m.data, 0, m.q, m.v, m.tau, NULL, &at,
                                                m.v + 6, m.lambda),
                JN_ERR_RANK);
  assert_int_equal(jn_data_constraint_fault(m.data).order, 2);
  assert_true(all_equal_to(m.lambda, m.nl, 5));
  /* with compliance they give way to each other: half of the acceleration each */
  const jn_constraints soft = {.motion_count = 2, .motions = given, .proximal = 1e-9};
  assert_ok(jn_constrained_forward_dynamics(m.model, m.data, 0, m.q, m.v, m.tau, NULL, &soft,
                                            m.v + 6, m.lambda));
  const double *a = m.v + 6;
  check_residual("compliant constraints meet in the middle", fabs(a[3] - 0.5), 1e-6);
  mechanism_free(&m);
  robot_free(&r);
}

/* The first link pinned to the world, named first or second: each side has its own point. */
static void the_side_of_the_world_has_its_own_frame(void **state) {
  (void)state;
  static const char *const sides[] = {"{\"link\": \"a\", \"p\": [1, 0, 0]}",
                                      "{\"link\": \"world\", \"p\": [0, 0, 2]}"};
  for (int first = 0; first < 2; first++) {
    char text[400];
    jn_spec *spec;
    jn_model *model;
    jn_data *data;
    jn_error error;
    double q[7] = {1, 0, 0, 0, -1, 0, 2}, rest[3];
    snprintf(
        text, sizeof text,
        "{\"name\": \"r\", \"bodies\": [{\"name\": \"a\", \"joint\": {\"name\": \"j\", \"type\": "
        "\"free\"}, \"mass\": 1, \"inertia\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}], "
        "\"constraints\": [{\"name\": \"pin\", \"type\": \"point\", \"a\": %s, \"b\": %s}]}",
        sides[first], sides[1 - first]);
    if (jn_spec_parse_json(text, strlen(text), NULL, NULL, &spec, &error))
      fail_msg("%s", error.message);
    assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
    assert_ok(jn_data_new(model, 0, NULL, &data));
    assert_ok(jn_constraint_closure(model, data, 0, q, NULL, NULL, rest, NULL, NULL));
    for (int i = 0; i < 3; i++) assert_true(rest[i] == 0);
    jn_data_free(data);
    jn_model_free(model);
    jn_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_mechanisms_are_assembled_to_rounding),
      cmocka_unit_test(driven_joints_determine_the_reference_motions),
      cmocka_unit_test(hybrid_dynamics_of_the_reference_mechanisms),
      cmocka_unit_test(inverse_kinematics_of_an_arm),
      cmocka_unit_test(joints_stay_within_their_limits),
      cmocka_unit_test(a_joint_at_its_limit_is_held),
      cmocka_unit_test(the_four_bar_is_assembled_at_every_angle),
      cmocka_unit_test(what_cannot_be_assembled_is_refused_with_the_distance),
      cmocka_unit_test(contradictory_constraints_are_refused_by_name),
      cmocka_unit_test(the_side_of_the_world_has_its_own_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
