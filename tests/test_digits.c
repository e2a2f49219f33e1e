/* test_digits.c: results that lost digits which the problem itself does not lose, against the same
 * dynamics in 113 bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "oracle/sample.h"
#include "helpers/plain_numbers.h"

enum { ORDER = 9 };

/* Largest |x_k - exact_k|, relative to the largest exact force of order k, over all orders. */
static double worst_of_orders(const quad *exact, const double *x, size_t nv) {
  double worst = 0;
  for (size_t k = 0; k <= ORDER; k++)
    worst = worse(worst, quad_distance(exact, x, k * nv, (k + 1) * nv) /
                             quad_largest(exact, k * nv, (k + 1) * nv));
  return worst;
}

/* x with every number changed by up to one unit in its last place */
static quad *nearby(rng *r, const double *x, size_t n) {
  quad *y = to_quads(x, n);
  for (size_t i = 0; i < n; i++) y[i] += (quad)(x[i] * rng_range(r, -1, 1) * 0x1p-52);
  return y;
}
/* How much the forces change when all inputs change in their last place: what any algorithm may
 * lose. Largest of a few changes, relative as above. */
static double sensitivity(const quad_robot *m, const robot *r, jn_representation rep,
                          const unsigned char *prescribed, const double *tau, const quad *exact) {
  rng random = rng_new(7);
  double worst = 0;
  for (int i = 0; i < 4; i++) {
    const size_t nv = (size_t)r->nv;
    quad *q = nearby(&random, r->q, (size_t)r->nq), *v = nearby(&random, r->v, r->n + nv),
         *T = nearby(&random, tau, r->n);
    core_hybrid(m, ORDER, rep, prescribed, q, v, T);
    for (size_t k = 0; k <= ORDER; k++)
      worst = worse(worst, quad_difference(T, exact, k * nv, (k + 1) * nv) /
                               quad_largest(exact, k * nv, (k + 1) * nv));
    free(q), free(v), free(T);
  }
  return worst;
}

/* A prescribed free base carries bodies on free joints that are driven by forces: the base's wrench
 * is that of the forces, whatever the bodies do. With forces that are small for the motion, digits
 * were lost where inertia times acceleration cancelled. The reference is the same algorithm in 113
 * bits; it is compared with Newton's law for the motion that it finds. */
static void wrench_of_a_base_behind_a_driven_free_joint(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 24; seed++)
    for (int rep = 0; rep < 4; rep++) {
      robot r = robot_random(seed, 2 + (int)(seed % 4), JN_JOINT_FREE,
                             TYPE(FREE) | (seed % 3 ? TYPE(REVOLUTE) : 0), ORDER);
      const size_t nv = (size_t)r.nv;
      robot_represent(&r, (jn_representation)rep);
      jn_data_settings(r.data)->damping = 0;
      unsigned char prescribed[8] = {1};
      double *tau = robot_inverse(&r, r.v, NULL), *v = doubles(r.n + nv), lost;
      memcpy(v, r.v, (r.n + nv) * sizeof *v);
      for (size_t i = 0; i < r.n; i++) tau[i] *= seed % 2 ? 1e-3 : 0;
      quad_robot *m = quad_robot_new(r.model, jn_data_settings(r.data)->gravity);
      quad *q = to_quads(r.q, (size_t)r.nq), *V = to_quads(v, r.n + nv), *T = to_quads(tau, r.n);
      quad *newton = quads(r.n);
      assert_true(core_hybrid(m, ORDER, (jn_representation)rep, prescribed, q, V, T));
      newton_inverse(m, ORDER, (jn_representation)rep, q, V, newton);
      for (size_t k = 0; k <= ORDER; k++)
        check_residual("hybrid dynamics in 113 bits, Newton's law",
                       quad_difference(newton, T, k * nv, (k + 1) * nv) /
                           quad_largest(T, k * nv, (k + 1) * nv),
                       1e-20);
      lost = sensitivity(m, &r, (jn_representation)rep, prescribed, tau, T);
      assert_ok(jn_hybrid_dynamics(r.model, r.data, ORDER, r.q, prescribed, v, tau, NULL));
      check_residual("wrench of a base behind a driven free joint, error/sensitivity",
                     worst_of_orders(T, tau, nv) / lost, 50);
      free(tau), free(v), free(q), free(V), free(T), free(newton);
      quad_robot_free(m);
      robot_free(&r);
    }
}

/* A random robot with masses and lengths over 2 * mass and 2 * length orders of magnitude. */
static robot spread_robot(uint64_t seed, double mass, double length) {
  static const jn_joint_type bases[] = {JN_JOINT_FIXED, JN_JOINT_FREE, JN_JOINT_REVOLUTE,
                                        JN_JOINT_PLANAR};
  rng r = rng_new(seed ^ 0x5EED);
  const int bodies = 1 + rng_below(&r, 12);
  jn_spec *spec = random_spec(seed, bodies, bases[rng_below(&r, 4)], TYPES_ALL);
  for (int i = 0; i < jn_spec_link_count(spec); i++) {
    jn_link_desc *l = jn_spec_link(spec, i);
    const double f = pow(10, rng_range(&r, -mass, mass)),
                 g = pow(10, rng_range(&r, -length, length));
    l->mass *= f;
    l->com = jn_v3_scale(g, l->com);
    for (int j = 0; j < 9; j++) l->inertia.m[j / 3][j % 3] *= f * g * g;
  }
  for (int i = 0; i < jn_spec_joint_count(spec); i++) {
    jn_joint_desc *j = jn_spec_joint(spec, i);
    j->armature = 0;
    j->origin.p = jn_v3_scale(pow(10, rng_range(&r, -length, length)), j->origin.p);
  }
  return robot_new(spec, 2, seed, 3);
}

typedef struct tally {
  int accepted, refused, singular;
  double worst, good; /* of accepted: error over estimate, and error where the estimate is small */
} tally;

/* True error of every order, relative as in jn_forward_dynamics_error, over its estimate. */
static void count_digits(uint64_t seed, double mass, double length, tally *t) {
  robot r = spread_robot(seed, mass, length);
  const size_t nv = (size_t)r.nv;
  const jn_representation rep = (jn_representation)(seed % 4);
  if (!nv) {
    robot_free(&r);
    return;
  }
  robot_represent(&r, rep);
  quad_robot *m = quad_robot_new(r.model, jn_data_settings(r.data)->gravity);
  quad *q = to_quads(r.q, (size_t)r.nq), *v = to_quads(r.v, r.n + nv), *T = quads(r.n),
       *exact = quads(r.n), *fall = quads(r.n);
  core_inverse(m, r.order, rep, q, v, T);
  double *tau = doubles(r.n), *a = doubles(r.n), *plain = doubles(r.n), error[3] = {0};
  for (size_t i = 0; i < r.n; i++) tau[i] = (double)T[i], T[i] = tau[i];
  const jn_status status =
      jn_forward_dynamics_error(r.model, r.data, r.order, r.q, r.v, tau, NULL, a, error);
  if (status == JN_ERR_DIGITS) {
    t->refused++;
  } else if (status) {
    assert_int_equal(status, JN_ERR_SINGULAR);
    t->singular++;
  } else {
    assert_ok(jn_forward_dynamics(r.model, r.data, r.order, r.q, r.v, tau, NULL, plain));
    assert_memory_equal(a, plain, r.n * sizeof *a);
    assert_true(core_forward(m, r.order, rep, q, v, T, exact));
    memset(T, 0, r.n * sizeof *T);
    core_forward(m, r.order, rep, q, v, T, fall);
    for (size_t k = 0; k <= (size_t)r.order; k++) {
      const double size = fmax(quad_largest(exact, k * nv, (k + 1) * nv),
                               quad_largest(fall, k * nv, (k + 1) * nv)),
                   e = quad_distance(exact, a, k * nv, (k + 1) * nv) / size;
      t->worst = worse(t->worst, e / fmax(error[k], U));
      if (error[k] < 1e-12) t->good = worse(t->good, e);
    }
    t->accepted++;
  }
  free(q), free(v), free(T), free(exact), free(fall), free(tau), free(a), free(plain);
  quad_robot_free(m);
  robot_free(&r);
}

static void the_estimated_error_of_forward_dynamics_is_the_true_one(void **state) {
  (void)state;
  static const struct {
    double mass, length;
    int least; /* at least so many of 60 are accepted */
  } range[] = {{0.5, 0, 59}, {3, 0, 55}, {6, 0, 40}, {0.5, 3, 40}, {0.5, 9, 5}};
  for (size_t i = 0; i < COUNT(range); i++) {
    tally t = {0};
    char name[80];
    for (uint64_t seed = 1000; seed < 1060; seed++)
      count_digits(seed, range[i].mass, range[i].length, &t);
    snprintf(name, sizeof name, "masses 1e+-%g, lengths 1e+-%g: error / estimate", range[i].mass,
             range[i].length);
    check_residual(name, t.worst, 16);
    check_residual("... error where the estimate is below 1e-12", t.good, 32e-12);
    print_message("    %d accepted, %d refused, %d singular\n", t.accepted, t.refused, t.singular);
    assert_true(t.accepted >= range[i].least);
    if (i + 1 == COUNT(range)) assert_true(t.refused > 2 && t.refused + t.singular > 5);
  }
}

/* The spatial formulation with a prismatic joint extended by `far`: the largest error of inverse
 * dynamics, relative to the largest force of its order. */
static double spatial_error(uint64_t seed, double far, int form, jn_status want) {
  robot r = robot_random(seed, 6, JN_JOINT_FIXED, TYPE(REVOLUTE) | TYPE(PRISMATIC), 4);
  const size_t nv = (size_t)r.nv;
  int moved = 0;
  for (int i = 0; i < r.nbody && !moved; i++) {
    const jn_joint *j = jn_model_joint(r.model, i);
    if (j->type == JN_JOINT_PRISMATIC) r.q[j->iq] += far, moved = 1;
  }
  jn_data_settings(r.data)->formulation = (jn_formulation)form;
  double *tau = doubles(r.n), *a = doubles(r.n), *v = copy_of(r.v, r.n + nv), worst = 0;
  unsigned char prescribed[8] = {0, 1};
  quad_robot *m = quad_robot_new(r.model, jn_data_settings(r.data)->gravity);
  quad *q = to_quads(r.q, (size_t)r.nq), *V = to_quads(r.v, r.n + nv), *exact = quads(r.n);
  if (!moved) want = JN_OK;
  assert_status(jn_inverse_dynamics(r.model, r.data, 4, r.q, r.v, NULL, tau), want);
  if (want) {
    for (size_t i = 0; i < r.n; i++) assert_true(tau[i] == 0);
    assert_status(jn_forward_dynamics(r.model, r.data, 4, r.q, r.v, tau, NULL, a), want);
    assert_status(jn_hybrid_dynamics(r.model, r.data, 4, r.q, prescribed, v, tau, NULL), want);
    for (size_t i = 0; i < r.n; i++) assert_true(a[i] == 0 && tau[i] == 0);
    assert_memory_equal(v, r.v, (r.n + nv) * sizeof *v);
  } else {
    newton_inverse(m, 4, JN_BODY, q, V, exact);
    for (size_t k = 0; k <= 4; k++)
      worst = worse(worst, quad_distance(exact, tau, k * nv, (k + 1) * nv) /
                               quad_largest(exact, k * nv, (k + 1) * nv));
  }
  free(tau), free(a), free(v), free(q), free(V), free(exact);
  quad_robot_free(m);
  robot_free(&r);
  return worst;
}

static void the_spatial_formulation_refuses_links_far_from_the_base(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 520; seed++) {
    check_residual("spatial formulation, 1 m", spatial_error(seed, 1, JN_FORM_SPATIAL, JN_OK),
                   1e-13);
    check_residual("spatial formulation, 1 km", spatial_error(seed, 1e3, JN_FORM_SPATIAL, JN_OK),
                   1e-8);
    spatial_error(seed, 1e6, JN_FORM_SPATIAL, JN_ERR_DIGITS);
    spatial_error(seed, -1e9, JN_FORM_SPATIAL, JN_ERR_DIGITS);
    check_residual("body formulation, 1000 km", spatial_error(seed, 1e6, JN_FORM_BODY, JN_OK),
                   1e-13);
    check_residual("hybrid formulation, 1000 km", spatial_error(seed, 1e6, JN_FORM_HYBRID, JN_OK),
                   1e-9);
    check_residual("mixed formulation, 1000 km", spatial_error(seed, 1e6, JN_FORM_MIXED, JN_OK),
                   1e-9);
  }
}

/* By the offset of a joint, without any that slides, and along the thread of a screw. */
static void constant_offsets_are_distances_too(void **state) {
  (void)state;
  static const struct {
    jn_joint_type type;
    double offset, q;
    jn_status want;
  } cases[] = {{JN_JOINT_REVOLUTE, 1, 0.3, JN_OK},
               {JN_JOINT_REVOLUTE, 3e3, 0.3, JN_OK},
               {JN_JOINT_REVOLUTE, 1e6, 0.3, JN_ERR_DIGITS},
               {JN_JOINT_REVOLUTE, -1e6, 0.3, JN_ERR_DIGITS},
               {JN_JOINT_HELICAL, 1, 0.3, JN_OK},
               {JN_JOINT_HELICAL, 1, 1e6, JN_ERR_DIGITS}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec;
    jn_data *data;
    double v[2] = {0.4, 0.2}, tau;
    const jn_link_desc ground = jn_link_default("ground"),
                       arm = link_of("arm", 1, jn_v3(1, 0, 0), 0.1, 0.1, 0.1);
    jn_joint_desc j =
        joint_of("joint", cases[i].type, "ground", "arm", shift(0, cases[i].offset, 0));
    j.axis[0] = jn_v3(0, 0, 1), j.pitch = 0.5;
    assert_ok(jn_spec_new("far", NULL, &spec));
    assert_ok(jn_spec_add_link(spec, &ground));
    assert_ok(jn_spec_add_link(spec, &arm));
    assert_ok(jn_spec_add_joint(spec, &j));
    jn_model *model = build(spec);
    assert_ok(jn_data_new(model, 0, NULL, &data));
    jn_data_settings(data)->formulation = JN_FORM_SPATIAL;
    assert_status(jn_inverse_dynamics(model, data, 0, &cases[i].q, v, NULL, &tau), cases[i].want);
    jn_data_free(data);
    jn_model_free(model);
    jn_spec_free(spec);
  }
}

/* A boom of 1000 km that turns about the base, with a short arm at its end: the joint at the base moves
 * what is far, and the largest force is its own. */
static void a_long_boom_is_not_far(void **state) {
  (void)state;
  jn_spec *spec;
  jn_link_desc boom = link_of("boom", 1, jn_v3(0, 0, 0.5), 1, 1, 1),
               arm = link_of("arm", 1, jn_v3(0, 0.5, 0), 1, 1, 1);
  jn_joint_desc first = joint_of("first", JN_JOINT_REVOLUTE, NULL, "boom", shift(0, 0, 0)),
                second = joint_of("second", JN_JOINT_REVOLUTE, "boom", "arm", shift(1e6, 0, 0));
  assert_ok(jn_spec_new("boom", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &boom));
  assert_ok(jn_spec_add_link(spec, &arm));
  assert_ok(jn_spec_add_joint(spec, &first));
  assert_ok(jn_spec_add_joint(spec, &second));
  robot r = robot_new(spec, 1, 3, 1);
  for (int form = 0; form < 4; form++) {
    double tau[4];
    jn_data_settings(r.data)->formulation = (jn_formulation)form;
    assert_ok(jn_inverse_dynamics(r.model, r.data, 1, r.q, r.v, NULL, tau));
  }
  robot_free(&r);
}

/* At an equilibrium the accelerations are zero, and at rest every other order is: no digits are lost
 * by that. */
static void an_equilibrium_has_its_digits(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 9; seed++) {
    robot r = robot_random(seed, 5, JN_JOINT_FIXED, TYPE(REVOLUTE) | TYPE(SPHERICAL), 4);
    double *v = doubles(r.n + (size_t)r.nv), *a = doubles(r.n), error[5];
    double *tau = robot_inverse(&r, v, NULL);
    for (size_t i = 0; i < (size_t)r.nv; i++) tau[i] *= 1 + 0x1p-50; /* as near as numbers go */
    assert_ok(jn_forward_dynamics_error(r.model, r.data, 4, r.q, v, tau, NULL, a, error));
    for (int k = 0; k <= 4; k++) check_residual("error at an equilibrium", error[k], 1e-11);
    memset(tau, 0, r.n * sizeof *tau);
    assert_ok(jn_forward_dynamics_error(r.model, r.data, 4, r.q, v, tau, NULL, NULL, error));
    for (int k = 0; k <= 4; k++) check_residual("error of a start from rest", error[k], 1e-11);
    free(v), free(a), free(tau);
    robot_free(&r);
  }
}

/* A ball that turns in space, without gravity and forces, has no acceleration but rounding. */
static void a_ball_that_turns_in_space_has_its_digits(void **state) {
  (void)state;
  static const char urdf[] =
      "<robot name='ball'><link name='ball'><inertial><mass value='2'/>"
      "<inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link></robot>";
  jn_spec *spec;
  jn_model *model;
  jn_data *data;
  const jn_build_options o = {.root = JN_ROOT_FLOATING};
  assert_ok(jn_spec_parse_urdf(urdf, strlen(urdf), NULL, NULL, &spec, NULL));
  jn_spec_set_gravity(spec, (jn_vec3){0, 0, 0});
  assert_ok(jn_model_build(spec, &o, NULL, &model, NULL));
  assert_ok(jn_data_new(model, 0, NULL, &data));
  const double q[7] = {0.36, 0.48, -0.8, 0, 0.3, -0.2, 0.7}, v[6] = {0.3, 0.7, 1.1, 0.1, -0.4, 0.2},
               tau[6] = {0};
  double error = 1;
  assert_ok(jn_forward_dynamics_error(model, data, 0, q, v, tau, NULL, NULL, &error));
  check_residual("error of a ball in space", error, 1e-13);
  jn_data_free(data);
  jn_model_free(model);
  jn_spec_free(spec);
}

/* Links that hang straight down in frames which are turned by right angles: without forces the
 * accelerations are the rounding of these angles, as in the files of real robots. */
static void a_robot_that_hangs_has_its_digits(void **state) {
  (void)state;
  static const char urdf[] =
      "<robot name='legs'><link name='base'/>"
      "<joint name='hip' type='continuous'><parent link='base'/><child link='femur'/>"
      "<origin rpy='1.5707963267948966 0 0'/><axis xyz='0 0 1'/></joint>"
      "<link name='femur'><inertial><origin xyz='0 -0.2 0'/><mass value='0.7'/>"
      "<inertia ixx='2e-3' iyy='1e-3' izz='2e-3'/></inertial></link>"
      "<joint name='knee' type='continuous'><parent link='femur'/><child link='tibia'/>"
      "<origin xyz='0 -0.4 0' rpy='0 3.141592653589793 1.5707963267948966'/><axis xyz='0 0 1'/>"
      "</joint>"
      "<link name='tibia'><inertial><origin xyz='-0.1 0 0'/><mass value='0.4'/>"
      "<inertia ixx='1e-3' iyy='2e-3' izz='2e-3'/></inertial></link></robot>";
  jn_spec *spec = NULL;
  jn_model *m = NULL;
  jn_data *d = NULL;
  assert_ok(jn_spec_parse_urdf(urdf, sizeof urdf - 1, "legs", NULL, &spec, NULL));
  assert_ok(jn_model_build(spec, NULL, NULL, &m, NULL));
  assert_ok(jn_data_new(m, 2, NULL, &d));
  const double zero[6] = {0};
  double a[6], error[3];
  assert_ok(jn_forward_dynamics(m, d, 0, zero, zero, zero, NULL, a));
  assert_true(a[0] != 0 && fabs(a[0]) < 1e-13); /* it hangs, but for rounding */
  assert_ok(jn_forward_dynamics_error(m, d, 2, zero, zero, zero, NULL, a, error));
  for (int k = 0; k < 3; k++) check_residual("error of a robot that hangs", error[k], 1e-14);
  const jn_vec3 g = jn_data_settings(d)->gravity;
  assert_true(g.x == 0 && g.y == 0 && g.z == -9.81); /* the settings are the user's again */
  jn_data_free(d), jn_model_free(m), jn_spec_free(spec);
}

/* Two parallel axes at a distance l, the second link's centre of mass c away, in a plane that is level. With
 * absolute angles f1 = q1, f2 = q1 + q2 nothing cancels:
 *   A f1'' + B cos q2 f2'' - B sin q2 f2'^2 = tau1 - tau2      A = J1 + m l^2, B = m l c
 *   B cos q2 f1'' + C f2'' + B sin q2 f1'^2 = tau2             C = J2 + m c^2 */
static void parallel_axes_close_to_each_other_keep_their_digits(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    rng r = rng_new(seed);
    const double l = pow(10, rng_range(&r, -4, -1)), c = rng_range(&r, 0.2, 1.5),
                 m = rng_range(&r, 0.5, 5), J1 = 1e-6 * rng_range(&r, 1, 9),
                 J2 = m * c * c * rng_range(&r, 0.2, 0.5);
    char text[1200];
    snprintf(
        text, sizeof text,
        "{\"bodies\": [{\"name\": \"b0\", \"joint\": {\"name\": \"j0\", \"type\": \"fixed\"}},"
        "{\"name\": \"b1\", \"parent\": \"b0\", \"joint\": {\"name\": \"j1\", \"type\": "
        "\"revolute\","
        " \"axis\": [0,0,1], \"point\": [0,0,0]}, \"mass\": 0.01, \"com\": [0,0,0], \"inertia\":"
        " [[%.17g,0,0],[0,%.17g,0],[0,0,%.17g]]}, {\"name\": \"b2\", \"parent\": \"b1\", \"joint\":"
        " {\"name\": \"j2\", \"type\": \"revolute\", \"axis\": [0,0,1], \"point\": [%.17g,0,0]}, "
        "\"home\":"
        " {\"p\": [%.17g,0,0]}, \"mass\": %.17g, \"com\": [%.17g,0,0], \"inertia\": [[%.17g,0,0],"
        "[0,%.17g,0],[0,0,%.17g]]}]}",
        J1, J1, J1, l, l, m, c, J2, J2, J2);
    jn_spec *spec;
    jn_model *model;
    jn_data *data;
    jn_error e = {0};
    if (jn_spec_parse_json(text, strlen(text), NULL, NULL, &spec, &e)) fail_msg("%s", e.message);
    assert_ok(jn_model_build(spec, NULL, NULL, &model, &e));
    assert_ok(jn_data_new(model, 0, NULL, &data));
    double q[2], v[2], tau[2], a[2];
    for (int i = 0; i < 2; i++)
      q[i] = rng_range(&r, -3, 3), v[i] = rng_range(&r, -2, 2), tau[i] = rng_range(&r, -2, 2);
    assert_ok(jn_forward_dynamics(model, data, 0, q, v, tau, NULL, a));
    const long double A = J1 + (long double)m * l * l, B = (long double)m * l * c,
                      C = J2 + (long double)m * c * c, w1 = v[0], w2 = (long double)v[0] + v[1],
                      s = sinl(q[1]), k = cosl(q[1]),
                      f1 = (long double)tau[0] - tau[1] + B * s * w2 * w2,
                      f2 = tau[1] - B * s * w1 * w1, det = A * C - B * B * k * k,
                      x1 = (C * f1 - B * k * f2) / det, x2 = (A * f2 - B * k * f1) / det;
    const long double size = fmaxl(fabsl(x1), fabsl(x2 - x1));
    check_residual("forward dynamics of close parallel axes",
                   (double)(fmaxl(fabsl(a[0] - x1), fabsl(a[1] - (x2 - x1))) / size), 1e-12);
    jn_data_free(data);
    jn_model_free(model);
    jn_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrench_of_a_base_behind_a_driven_free_joint),
      cmocka_unit_test(the_estimated_error_of_forward_dynamics_is_the_true_one),
      cmocka_unit_test(the_spatial_formulation_refuses_links_far_from_the_base),
      cmocka_unit_test(constant_offsets_are_distances_too),
      cmocka_unit_test(a_long_boom_is_not_far),
      cmocka_unit_test(an_equilibrium_has_its_digits),
      cmocka_unit_test(a_robot_that_hangs_has_its_digits),
      cmocka_unit_test(a_ball_that_turns_in_space_has_its_digits),
      cmocka_unit_test(parallel_axes_close_to_each_other_keep_their_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
