/* test_io_mjcf.c: reading of MJCF, against models worked out by hand. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/check.h"
#include "helpers/comma_locale.h"
#include "helpers/counter.h"
#include "helpers/files.h"
#include "helpers/parsing.h"
#include "helpers/rng.h"
#include "helpers/plain_numbers.h"

#define PI 3.14159265358979323846

/* The spec of a <worldbody>, after `settings`. */
static jn_spec *world(const char *settings, const char *bodies) {
  char text[8000];
  snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody></mujoco>", settings, bodies);
  return parse_ok(jn_spec_parse_mjcf, text);
}

static double difference(jn_mat3 A, jn_mat3 B) {
  return largest_difference(&A.m[0][0], &B.m[0][0], 9);
}
static jn_mat3 diagonal(double x, double y, double z) {
  return (jn_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/* ---- orientations */

/* R(y, 90 degrees): x -> -z, y -> y, z -> x */
static const jn_mat3 quarter_y = {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};

static void orientations_are_read_in_every_way(void **state) {
  (void)state;
  static const char *const ways[] = {"euler='0 90 0'",         "quat='1 0 1 0'",
                                     "quat='-0.5 0 -0.5 0'",   "axisangle='0 3 0 90'",
                                     "xyaxes='0 0 -2 0 5 -7'", "zaxis='0.1 0 0'"};
  for (size_t i = 0; i < COUNT(ways); i++) {
    char bodies[200];
    snprintf(bodies, sizeof bodies, "<body name='a' pos='1 2 3' %s/>", ways[i]);
    jn_spec *spec = world("", bodies);
    const jn_link_desc *a = link_named(spec, "a");
    check_residual("orientation", difference(a->home.R, quarter_y), 4 * U);
    assert_true(a->home.p.x == 1 && a->home.p.y == 2 && a->home.p.z == 3);
    jn_spec_free(spec);
  }
  /* radians; lower case turns about moving axes, upper case about fixed ones:
   * Rx(a) Ry(b) Rz(c) = xyz = ZYX with the angles reversed */
  jn_spec *moving = world("<compiler angle='radian'/>", "<body name='a' euler='0.3 -0.4 0.5'/>");
  jn_spec *fixed =
      world("<compiler angle='radian' eulerseq='ZYX'/>", "<body name='a' euler='0.5 -0.4 0.3'/>");
  const jn_mat3 x = jn_so3_exp(jn_v3(0.3, 0, 0)), y = jn_so3_exp(jn_v3(0, -0.4, 0)),
                z = jn_so3_exp(jn_v3(0, 0, 0.5)), R = jn_m3_mul(jn_m3_mul(x, y), z);
  check_residual("euler", difference(link_named(moving, "a")->home.R, R), 4 * U);
  check_residual("euler", difference(link_named(fixed, "a")->home.R, R), 4 * U);
  jn_spec_free(moving);
  jn_spec_free(fixed);
}

/* the shortest rotation of z to a: |R z - a| = 0 and the axis is z x a, also close to -z */
static void zaxis_is_the_shortest_rotation(void **state) {
  (void)state;
  rng r = rng_new(5);
  for (int i = 0; i < 200; i++) {
    jn_vec3 a = rng_direction(&r);
    if (i % 4 == 0) a = jn_v3_unit(jn_v3(1e-5 * a.x, 1e-5 * a.y, -1));
    char bodies[200];
    snprintf(bodies, sizeof bodies, "<body name='a' zaxis='%.17g %.17g %.17g'/>", a.x, a.y, a.z);
    jn_spec *spec = world("", bodies);
    const jn_mat3 R = link_named(spec, "a")->home.R;
    const jn_vec3 axis = jn_v3(-a.y, a.x, 0), turned = jn_m3_apply(R, axis);
    check_residual("R z = a", jn_v3_norm(jn_v3_sub(jn_m3_apply(R, jn_v3(0, 0, 1)), a)), 8 * U);
    check_residual("R (z x a) = z x a", jn_v3_norm(jn_v3_sub(turned, axis)), 8 * U);
    jn_spec_free(spec);
  }
}

static void frames_compose_poses_joints_and_classes(void **state) {
  (void)state;
  jn_spec *spec =
      world("<default><default class='d'><joint damping='3'/></default></default>",
            "<frame pos='1 0 0' euler='0 90 0'><frame pos='0 0 1' childclass='d'>"
            "  <body name='a' pos='0 2 0'><frame euler='0 90 0' pos='0 0 5'>"
            "    <joint name='j' axis='0 0 1' pos='1 0 0'/><site name='s' pos='0 0 1'/></frame>"
            "    <geom type='sphere' size='0.1'/></body></frame></frame>");
  const jn_link_desc *a = link_named(spec, "a");
  const jn_joint_desc *j = joint_named(spec, "j");
  /* a is at (1, 0, 0) + R (0, 2, 1) = (2, 2, 0); its frame turns z into x once more */
  check_residual("frame", jn_v3_norm(jn_v3_sub(a->home.p, jn_v3(2, 2, 0))), 8 * U);
  check_residual("frame", difference(a->home.R, quarter_y), 4 * U);
  /* axis R R z = R x = -z; point a + R ((0, 0, 5) + R (1, 0, 0)) = a + R (0, 0, 4) = a + (4, 0, 0) */
  assert_int_equal(j->placement, JN_BY_SCREW);
  check_residual("frame", jn_v3_norm(jn_v3_sub(j->axis[0], jn_v3(0, 0, -1))), 8 * U);
  check_residual("frame", jn_v3_norm(jn_v3_sub(j->point, jn_v3(6, 2, 0))), 32 * U);
  assert_true(j->damping == 3);
  assert_int_equal(jn_spec_frame_count(spec), 1);
  /* (0, 0, 5) + R z = (1, 0, 5) in the body's frame */
  check_residual("frame", jn_v3_norm(jn_v3_sub(jn_spec_get_frame(spec, 0)->pose.p, jn_v3(1, 0, 5))),
                 8 * U);
  jn_spec_free(spec);
}

/* ---- joints */

static void joints_are_read_as_written(void **state) {
  (void)state;
  jn_spec *spec = world(
      "<option gravity='0 1 -2'/>",
      "<body name='a'><joint name='h' axis='0 3 0' range='-90 180' armature='0.1' damping='0.2' "
      "frictionloss='0.3' actuatorfrcrange='-7 7'/><geom size='0.1'/>"
      "<body name='b'><joint name='s' type='slide' limited='true' range='-1 2'/>"
      "<geom size='0.1'/></body>"
      "<body name='c'><joint name='u' range='-1 1' limited='false'/><geom size='0.1'/></body>"
      "<body name='d'><joint name='t' type='ball' range='0 90'/><geom size='0.1'/></body></body>");
  assert_string_equal(jn_spec_name(spec), "robot");
  const jn_vec3 g = jn_spec_gravity(spec);
  assert_true(g.x == 0 && g.y == 1 && g.z == -2);
  const jn_joint_desc *h = joint_named(spec, "h"), *s = joint_named(spec, "s"),
                      *u = joint_named(spec, "u"), *t = joint_named(spec, "t");
  assert_int_equal(h->type, JN_JOINT_REVOLUTE);
  assert_null(h->parent);
  assert_true(h->axis[0].y == 3 && h->armature == 0.1 && h->damping == 0.2 && h->friction == 0.3);
  assert_true(fabs(h->limits.lower + PI / 2) < 1e-15 && fabs(h->limits.upper - PI) < 1e-15);
  assert_true(h->limits.effort == 7 && isinf(h->limits.velocity));
  assert_int_equal(s->type, JN_JOINT_PRISMATIC);
  assert_string_equal(s->parent, "a");
  assert_string_equal(s->child, "b");
  assert_true(s->limits.lower == -1 && s->limits.upper == 2 && s->axis[0].z == 1);
  assert_true(isinf(u->limits.lower) && isinf(u->limits.upper));
  assert_int_equal(t->type, JN_JOINT_SPHERICAL);
  assert_true(has_finding(spec, JN_NOTE, 1, "range of a ball joint"));
  jn_spec_free(spec);

  spec = world("<compiler autolimits='false'/>",
               "<body name='a'><joint name='h' range='-90 180'/><geom size='0.1'/></body>");
  assert_true(isinf(joint_named(spec, "h")->limits.upper));
  assert_true(has_finding(spec, JN_WARNING, 1, "autolimits"));
  jn_spec_free(spec);
}

/* The pose of a frame at q, by the model. */
static jn_pose pose_of(const jn_model *model, const char *name, const double *q) {
  jn_data *data = NULL;
  double *v = doubles((size_t)jn_model_nv(model));
  assert_ok(jn_data_new(model, 0, NULL, &data));
  assert_ok(jn_kinematics(model, data, 0, q, v));
  jn_pose C;
  assert_ok(jn_frame_pose(model, data, jn_model_find_frame(model, name), &C));
  jn_data_free(data);
  free(v);
  return C;
}

/* T exp(S1 (q1 - ref1)) exp(S2 (q2 - ref2)) exp(S3 (q3 - ref3)), screws in the body's frame */
static void several_joints_of_a_body_turn_in_order(void **state) {
  (void)state;
  jn_spec *spec = world("<compiler angle='radian'/>",
                        "<body name='base' pos='0.1 0.2 0.3'><geom size='0.1'/>"
                        "<body name='a' pos='1 2 3' quat='0.6 0 0.8 0'>"
                        "<joint name='x' axis='1 2 0' pos='0.3 0.4 0.5' ref='0.7'/>"
                        "<joint name='y' type='slide' axis='0 1 -1' ref='-0.2'/>"
                        "<joint name='a' axis='0 0 1' pos='-0.1 0 0' ref='0.3'/>"
                        "<geom size='0.1'/></body></body>");
  jn_model *model = NULL;
  jn_error error;
  if (jn_model_build(spec, NULL, NULL, &model, &error) != JN_OK) fail_msg("%s", error.message);
  assert_int_equal(jn_model_nv(model), 3);
  assert_int_equal(jn_spec_link_count(spec), 4);
  assert_true(jn_spec_find_link(spec, "x") >= 0 && jn_spec_find_link(spec, "y") >= 0);
  const double q[3] = {0.2, 0.5, -1.1}, ref[3] = {0.7, -0.2, 0.3};
  const jn_vec3 axis[3] = {jn_v3_unit(jn_v3(1, 2, 0)), jn_v3_unit(jn_v3(0, 1, -1)), {0, 0, 1}},
                point[3] = {{0.3, 0.4, 0.5}, {0, 0, 0}, {-0.1, 0, 0}};
  jn_pose C = {jn_quat_to_m3(jn_quat_make(0.6, 0, 0.8, 0)), {1.1, 2.2, 3.3}};
  for (int i = 0; i < 3; i++) {
    const jn_twist S = i == 1 ? jn_twist_make(jn_v3(0, 0, 0), axis[i])
                              : jn_twist_make(axis[i], jn_v3_cross(point[i], axis[i]));
    C = jn_pose_mul(C, jn_se3_exp(jn_twist_scale(q[i] - ref[i], S)));
  }
  const jn_pose got = pose_of(model, "a", q);
  check_residual("joints in a body", difference(got.R, C.R), 16 * U);
  check_residual("joints in a body", jn_v3_norm(jn_v3_sub(got.p, C.p)), 64 * U);
  jn_model_free(model);
  jn_spec_free(spec);
}

static void free_bodies_and_worlds(void **state) {
  (void)state;
  jn_model *model = NULL;
  jn_error error;
  /* one body of the world: the root, floating, with its home */
  jn_spec *spec = world("", "<body name='a' pos='1 2 3'><freejoint/><geom size='0.1'/></body>");
  assert_ok(jn_model_build(spec, NULL, NULL, &model, &error));
  double q[14];
  jn_model_home(model, q);
  assert_int_equal(jn_model_nv(model), 6);
  assert_true(q[0] == 1 && q[4] == 1 && q[5] == 2 && q[6] == 3);
  jn_model_free(model);
  jn_spec_free(spec);
  /* several: children of the world; a free one is where its configuration says */
  spec = world("",
               "<body name='a' pos='1 2 3'><joint type='free' name='f'/><geom size='0.1'/></body>"
               "<body pos='4 5 6'><geom size='0.1'/><site name='mark'/></body>");
  assert_ok(jn_model_build(spec, NULL, NULL, &model, &error));
  assert_int_equal(jn_model_nv(model), 6);
  assert_int_equal(jn_spec_link_count(spec), 3);
  assert_true(jn_spec_find_link(spec, "world") >= 0 && jn_spec_find_link(spec, "body2") >= 0);
  const double at[7] = {1, 0, 0, 0, 7, 8, 9};
  assert_true(pose_of(model, "a", at).p.y == 8 && pose_of(model, "mark", at).p.z == 6);
  jn_model_free(model);
  jn_spec_free(spec);
}

static void names_are_made_where_none_are_given(void **state) {
  (void)state;
  jn_spec *spec = world("",
                        "<body name='body2'><joint name='joint2'/><geom size='0.1'/>"
                        "<body><joint/><joint/><geom size='0.1'/>"
                        "<body><geom size='0.1'/></body></body></body>");
  jn_model *model = NULL;
  assert_true(jn_spec_find_link(spec, "body2_") >= 0 && jn_spec_find_link(spec, "body3") >= 0);
  joint_named(spec, "joint2_");
  joint_named(spec, "joint3");
  joint_named(spec, "fixed3");
  assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
  jn_model_free(model);
  jn_spec_free(spec);
}

/* ---- inertias */

/* mass and moments of one geom: the integrals of the shape */
static void geoms_have_the_inertia_of_their_shape(void **state) {
  (void)state;
  const double r = 0.3, h = 0.8, a = 0.2, b = 0.3, c = 0.5;
  const double core = PI * r * r * h, ball = 4 * PI / 3 * r * r * r;
  const double tube = 2 * PI * r * h, skin = 4 * PI * r * r, discs = 2 * PI * r * r;
  const double box = 8 * a * b * c, egg = 4 * PI / 3 * a * b * c;
  /* two hemispheres about their common centre, moved apart by h:  centre of mass d from the plane,
   * I = 2/5 m r^2 + m (h^2/4 + h d) */
  const struct {
    const char *geom;
    double m, x, y, z;
  } cases[] = {
      {"size='0.3'", ball, 0.4 * ball * r * r, 0.4 * ball * r * r, 0.4 * ball * r * r},
      {"type='cylinder' size='0.3 0.4'", core, core * (r * r / 4 + h * h / 12),
       core * (r * r / 4 + h * h / 12), core * r * r / 2},
      {"type='capsule' size='0.3 0.4'", core + ball,
       core * (r * r / 4 + h * h / 12) + ball * (0.4 * r * r + h * h / 4 + h * 3 * r / 8),
       core * (r * r / 4 + h * h / 12) + ball * (0.4 * r * r + h * h / 4 + h * 3 * r / 8),
       core * r * r / 2 + 0.4 * ball * r * r},
      {"type='box' size='0.2 0.3 0.5'", box, box / 3 * (b * b + c * c), box / 3 * (a * a + c * c),
       box / 3 * (a * a + b * b)},
      {"type='ellipsoid' size='0.2 0.3 0.5'", egg, egg / 5 * (b * b + c * c),
       egg / 5 * (a * a + c * c), egg / 5 * (a * a + b * b)},
      {"size='0.3' shellinertia='true'", skin, skin * r * r * 2 / 3, skin * r * r * 2 / 3,
       skin * r * r * 2 / 3},
      {"type='cylinder' size='0.3 0.4' shellinertia='true'", tube + discs,
       tube * (r * r / 2 + h * h / 12) + discs * (r * r / 4 + h * h / 4),
       tube * (r * r / 2 + h * h / 12) + discs * (r * r / 4 + h * h / 4),
       tube * r * r + discs * r * r / 2},
      {"type='capsule' size='0.3 0.4' shellinertia='true'", tube + skin,
       tube * (r * r / 2 + h * h / 12) + skin * (r * r * 2 / 3 + h * h / 4 + h * r / 2),
       tube * (r * r / 2 + h * h / 12) + skin * (r * r * 2 / 3 + h * h / 4 + h * r / 2),
       tube * r * r + skin * r * r * 2 / 3},
  };
  for (size_t i = 0; i < COUNT(cases); i++)
    for (int way = 0; way < 3; way++) { /* density 1000; given density; given mass */
      static const char *const ways[] = {"", "density='3'", "mass='5'"};
      const double density = way == 0 ? 1000 : way == 1 ? 3 : 5 / cases[i].m;
      char bodies[300];
      snprintf(bodies, sizeof bodies,
               "<body name='a'><geom pos='1 2 3' euler='0 90 0' %s %s/></body>", cases[i].geom,
               ways[way]);
      jn_spec *spec = world("", bodies);
      const jn_link_desc *link = link_named(spec, "a");
      const double size = density * (cases[i].x + cases[i].z);
      /* turned by 90 degrees about y: x and z change places */
      const jn_mat3 want = jn_m3_scale(density, diagonal(cases[i].z, cases[i].y, cases[i].x));
      check_residual("mass of a geom", fabs(link->mass / (density * cases[i].m) - 1), 8 * U);
      check_residual("inertia of a geom", difference(link->inertia, want) / size, 8 * U);
      check_residual("place of a geom", jn_v3_norm(jn_v3_sub(link->com, jn_v3(1, 2, 3))), 8 * U);
      jn_spec_free(spec);
    }
}

/* A shell of density 1 is the derivative of the solid whose surface moves outward by e:
 *   (8 (f(e) - f(-e)) - (f(2e) - f(-2e))) / (12 e) */
static void shells_are_derivatives_of_solids(void **state) {
  (void)state;
  static const struct {
    const char *type;
    double size[3];
    int grows[3]; /* sizes that grow with the surface */
  } shapes[] = {{"sphere", {0.3, 0, 0}, {1, 0, 0}},
                {"capsule", {0.3, 0.4, 0}, {1, 0, 0}},
                {"cylinder", {0.3, 0.4, 0}, {1, 1, 0}},
                {"box", {0.2, 0.3, 0.5}, {1, 1, 1}}};
  static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12},
                      step[4] = {-2, -1, 1, 2};
  const double e = 5e-4;
  for (size_t i = 0; i < COUNT(shapes); i++) {
    jn_mat3 J = diagonal(0, 0, 0);
    double m = 0;
    for (int k = 0; k <= 4; k++) { /* four solids and the shell */
      double x[3];
      char bodies[300];
      for (int n = 0; n < 3; n++)
        x[n] = shapes[i].size[n] + (k < 4 ? step[k] * e * shapes[i].grows[n] : 0);
      snprintf(bodies, sizeof bodies,
               "<body name='a'><geom type='%s' size='%.17g %.17g %.17g' density='1' "
               "shellinertia='%s'/></body>",
               shapes[i].type, x[0], x[1], x[2], k < 4 ? "false" : "true");
      jn_spec *spec = world("", bodies);
      const jn_link_desc *a = link_named(spec, "a");
      if (k < 4) {
        J = jn_m3_add(J, jn_m3_scale(weight[k] / e, a->inertia));
        m += weight[k] / e * a->mass;
      } else {
        check_residual("mass of a shell", fabs(a->mass - m) / m, 1e-11);
        check_residual("inertia of a shell", difference(a->inertia, J) / m, 1e-11);
      }
      jn_spec_free(spec);
    }
  }
}

static void geoms_are_summed_by_the_settings(void **state) {
  (void)state;
  /* two spheres of 1 kg at +-d along x:  2/5 m r^2 each, and m d^2 about y and z */
  static const char two[] =
      "<body name='a'><inertial mass='7' pos='9 9 9' diaginertia='1 1 1'/>"
      "<geom size='0.1' mass='1' pos='0.5 0 0'/><geom size='0.1' mass='1' pos='-0.5 0 0'/>"
      "<geom size='0.1' mass='3' pos='0 0 9' group='3'/><geom type='mesh' mesh='m' mass='0'/>"
      "<geom type='mesh' mesh='m' group='3'/></body>";
  jn_spec *given = world("", two),
          *summed = world("<compiler inertiafromgeom='true' inertiagrouprange='0 2'/>", two);
  const jn_link_desc *a = link_named(summed, "a");
  assert_true(link_named(given, "a")->mass == 7 && a->mass == 2);
  const double own = 0.4 * 2 * 0.01;
  check_residual("sum of geoms", difference(a->inertia, diagonal(own, own + 0.5, own + 0.5)),
                 8 * U);
  assert_true(a->com.x == 0 && a->com.y == 0 && a->com.z == 0);
  jn_spec_free(given);
  jn_spec_free(summed);
  /* a body that does not move needs no mesh */
  jn_spec *still = world("", "<body name='a'><geom type='mesh' mesh='m'/></body>");
  assert_true(link_named(still, "a")->mass == 0);
  assert_true(has_finding(still, JN_NOTE, 1, "body 'a' does not move"));
  jn_spec_free(still);
}

static void fromto_places_and_measures(void **state) {
  (void)state;
  /* along x from 1 to 2: length 1 */
  jn_spec *spec = world("",
                        "<body name='a'><geom type='cylinder' size='0.1' mass='12' "
                        "fromto='1 0 0 2 0 0'/></body>");
  const jn_link_desc *a = link_named(spec, "a");
  const double along = 12 * 0.01 / 2, across = 12 * (0.01 / 4 + 1.0 / 12);
  check_residual("fromto", difference(a->inertia, diagonal(along, across, across)), 8 * U);
  assert_true(a->com.x == 1.5 && a->com.y == 0 && a->com.z == 0);
  jn_spec_free(spec);
  /* a box: both other sizes are the first */
  spec = world("",
               "<body name='a'><geom type='box' size='0.1 0.7' density='1' "
               "fromto='0 0 -1 0 0 1'/></body>");
  check_residual("fromto", fabs(link_named(spec, "a")->mass - 8 * 0.1 * 0.1 * 1), 8 * U);
  jn_spec_free(spec);
}

static void inertials_and_their_bounds(void **state) {
  (void)state;
  const jn_mat3 R = jn_so3_exp(jn_v3(0.3, 0.4, -0.5));
  const jn_mat3 full = jn_m3_mul(jn_m3_mul(R, diagonal(1, 2, 2.5)), jn_m3_transpose(R));
  const jn_mat3 flat = jn_m3_mul(jn_m3_mul(R, diagonal(1, 2, 6)), jn_m3_transpose(R));
  const struct {
    const char *settings;
    const jn_mat3 *J;
    double x, y, z, mass;
  } cases[] = {{"", &full, 1, 2, 2.5, 0.5},
               {"<compiler boundinertia='1.5' boundmass='2'/>", &full, 1.5, 2, 2.5, 2},
               {"<compiler balanceinertia='true'/>", &full, 1, 2, 2.5, 0.5},
               {"<compiler balanceinertia='true'/>", &flat, 3, 3, 3, 0.5},
               {"<compiler settotalmass='4'/>", &full, 8, 16, 20, 4}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const jn_mat3 J = *cases[i].J;
    char bodies[500];
    snprintf(bodies, sizeof bodies,
             "<body name='a'><inertial mass='0.5' pos='1 2 3' fullinertia='%.17g %.17g %.17g %.17g "
             "%.17g %.17g'/></body>",
             J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]);
    jn_spec *spec = world(cases[i].settings, bodies);
    const jn_link_desc *a = link_named(spec, "a");
    const jn_mat3 want =
        jn_m3_mul(jn_m3_mul(R, diagonal(cases[i].x, cases[i].y, cases[i].z)), jn_m3_transpose(R));
    check_residual("inertial", difference(a->inertia, want) / cases[i].z, 8 * U);
    assert_true(a->mass == cases[i].mass && a->com.y == 2);
    jn_spec_free(spec);
  }
  /* welded bodies count for settotalmass; those welded to the world not with fusestatic */
  for (int fuse = 0; fuse < 2; fuse++) {
    jn_spec *total = world(
        fuse ? "<compiler settotalmass='6' fusestatic='true'/>" : "<compiler settotalmass='6'/>",
        "<body name='a'><geom size='0.1' mass='1'/>"
        "<body name='b'><joint/><geom size='0.1' mass='2'/>"
        "<body name='c'><geom size='0.1' mass='1'/></body></body></body>");
    check_residual("total mass", fabs(link_named(total, "b")->mass - (fuse ? 4 : 3)), 8 * U);
    check_residual("total mass", fabs(link_named(total, "c")->mass - (fuse ? 2 : 1.5)), 8 * U);
    jn_spec_free(total);
  }
  jn_spec *spec = world("",
                        "<body name='a'><inertial mass='2' pos='0 0 0' diaginertia='1 2 2.5' "
                        "euler='0 90 0'/></body>");
  check_residual("inertial", difference(link_named(spec, "a")->inertia, diagonal(2.5, 2, 1)),
                 8 * U);
  jn_spec_free(spec);
  spec = world("", "<body name='a'><inertial mass='2' pos='0 0 0'/></body>");
  assert_true(has_finding(spec, JN_WARNING, 1, "taken as a point"));
  jn_spec_free(spec);
}

/* ---- defaults */

static void defaults_nest_and_are_overridden(void **state) {
  (void)state;
  jn_spec *spec = world(
      "<default>"
      "  <joint armature='1'/>"
      "  <default class='a'>"
      "    <default class='b'><joint damping='5'/><geom size='0.2'/></default>"
      "    <joint damping='3' axis='1 0 0'/>" /* after the class in it, and yet inherited by it */
      "    <geom type='box' size='0.1 0.3 0.5' density='10'/>"
      "  </default>"
      "</default>"
      "<default><joint frictionloss='7'/></default>", /* a second section: main grows, a does not */
      "<body name='p' childclass='a'><joint name='1'/><joint name='2' class='b'/>"
      "<joint name='3' class='main'/><geom class='b'/>"
      "<body name='q'><joint name='4' damping='9'/><geom size='0.4'/></body>"
      "<body name='r' childclass='main'><joint name='5'/><geom size='0.1'/></body></body>");
  const struct {
    const char *name;
    double armature, damping, friction, x;
  } want[] = {{"1", 1, 3, 0, 1},
              {"2", 1, 5, 0, 1},
              {"3", 1, 0, 7, 0},
              {"4", 1, 9, 0, 1},
              {"5", 1, 0, 7, 0}};
  for (size_t i = 0; i < COUNT(want); i++) {
    const jn_joint_desc *j = joint_named(spec, want[i].name);
    assert_true(j->armature == want[i].armature && j->damping == want[i].damping);
    assert_true(j->friction == want[i].friction);
  }
  assert_true(joint_named(spec, "4")->axis[0].x == 1 && joint_named(spec, "5")->axis[0].z == 1);
  /* only the first size is replaced */
  check_residual("sizes of a class", fabs(link_named(spec, "p")->mass - 10 * 8 * 0.2 * 0.3 * 0.5),
                 8 * U);
  check_residual("sizes of a class", fabs(link_named(spec, "q")->mass - 10 * 8 * 0.4 * 0.3 * 0.5),
                 8 * U);
  jn_spec_free(spec);
}

/* an orientation replaces that of the class, but quat does not replace another one */
static void orientations_of_classes(void **state) {
  (void)state;
  jn_spec *spec = world("<default><site axisangle='0 0 1 30'/></default>",
                        "<body name='p'><site name='own' euler='0 90 0'/>"
                        "<site name='class'/><site name='both' quat='1 0 1 0'/></body>");
  const jn_mat3 turned = jn_so3_exp(jn_v3(0, 0, PI / 6));
  const jn_mat3 *const want[] = {&quarter_y, &turned, &turned};
  for (int i = 0; i < 3; i++)
    check_residual("orientation of a class",
                   difference(jn_spec_get_frame(spec, i)->pose.R, *want[i]), 4 * U);
  jn_spec_free(spec);
}

static void a_locale_changes_nothing(void **state) {
  (void)state;
  static void (*const again[])(void **) = {orientations_are_read_in_every_way,
                                           geoms_have_the_inertia_of_their_shape,
                                           joints_are_read_as_written};
  with_comma_locale(again, (int)COUNT(again));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orientations_are_read_in_every_way),
      cmocka_unit_test(zaxis_is_the_shortest_rotation),
      cmocka_unit_test(frames_compose_poses_joints_and_classes),
      cmocka_unit_test(joints_are_read_as_written),
      cmocka_unit_test(several_joints_of_a_body_turn_in_order),
      cmocka_unit_test(free_bodies_and_worlds),
      cmocka_unit_test(names_are_made_where_none_are_given),
      cmocka_unit_test(geoms_have_the_inertia_of_their_shape),
      cmocka_unit_test(shells_are_derivatives_of_solids),
      cmocka_unit_test(geoms_are_summed_by_the_settings),
      cmocka_unit_test(fromto_places_and_measures),
      cmocka_unit_test(inertials_and_their_bounds),
      cmocka_unit_test(defaults_nest_and_are_overridden),
      cmocka_unit_test(orientations_of_classes),
      cmocka_unit_test(a_locale_changes_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
