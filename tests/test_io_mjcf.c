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

#define PI 3.14159265358979323846

static const jn_link_desc *link_named(const jn_spec *spec, const char *name) {
  const int i = jn_spec_find_link(spec, name);
  if (i < 0) fail_msg("there is no link '%s'", name);
  return jn_spec_get_link(spec, i);
}

static const jn_joint_desc *joint_named(const jn_spec *spec, const char *name) {
  for (int i = 0; i < jn_spec_joint_count(spec); i++)
    if (strcmp(jn_spec_get_joint(spec, i)->name, name) == 0) return jn_spec_get_joint(spec, i);
  fail_msg("there is no joint '%s'", name);
  return NULL;
}

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

/* ---- findings */

static void what_is_not_used_is_reported(void **state) {
  (void)state;
  const char text[] =
      "<mujoco model='m'>\n"
      "<option density='1.2'/>\n"
      "<worldbody>\n"
      "<body name='a' gravcomp='1'><joint name='j' stiffness='4' springref='1'/>\n"
      "<joint name='k' springdamper='1 1' damping='1 2'/><geom size='0.1' contyp='1'/>\n"
      "<body name='b' mocap='true'><joint name='l' ref='10'/><geom size='0.1' "
      "colour='red'/></body>\n"
      "<plugin/></body></worldbody>\n"
      "<equality><connect body1='a' anchor='0 0 0'/>\n"
      "<weld name='w' body1='a' body2='b'/>\n"
      "<joint joint1='l' active='false'/>\n"
      "<joint name='bent' joint1='k' joint2='j' polycoef='0 1 1'/>\n"
      "<tendon tendon1='t'/></equality>\n"
      "<tendon><fixed name='t' stiffness='3'><joint joint='j' coef='1'/></fixed></tendon>\n"
      "<actuator><motor joint='j'/></actuator>\n"
      "<contact><exclude body1='a' body2='b'/></contact>\n"
      "<deformable><flex/></deformable>\n"
      "<wheels/>\n"
      "</mujoco>\n";
  static const struct {
    jn_severity severity;
    int line;
    const char *words;
  } want[] = {{JN_SERIOUS, 2, "fluid"},
              {JN_SERIOUS, 4, "gravcomp"},
              {JN_SERIOUS, 4, "joint 'j': a model has no springs: its force -4"},
              {JN_SERIOUS, 5, "springdamper"},
              {JN_SERIOUS, 5, "polynomial"},
              {JN_WARNING, 5, "did you mean 'contype'?"},
              {JN_WARNING, 6, "motion capture"},
              {JN_NOTE, 6, "'colour' is ignored"},
              {JN_SERIOUS, 7, "plugin"},
              {JN_NOTE, 8, "constraints are rigid here"},
              {JN_SERIOUS, 11, "joint 'bent' is not enforced"},
              {JN_SERIOUS, 12, "tendon is not enforced"},
              {JN_WARNING, 13, "tendons are not used"},
              {JN_SERIOUS, 13, "fixed 't': its stiffness"},
              {JN_NOTE, 14, "actuators are not used"},
              {JN_NOTE, 14, "2 of the joints have no actuator ('k', 'l')"},
              {JN_NOTE, 15, "contacts are not computed"},
              {JN_SERIOUS, 16, "deformable"},
              {JN_WARNING, 17, "<wheels>"}};
  jn_spec *spec = parse_ok(jn_spec_parse_mjcf, text);
  for (size_t i = 0; i < COUNT(want); i++)
    if (!has_finding(spec, want[i].severity, want[i].line, want[i].words))
      fail_msg("no finding in line %d: %s", want[i].line, want[i].words);
  assert_int_equal(jn_spec_finding_count(spec), COUNT(want));
  assert_int_equal(jn_spec_constraint_count(spec), 2);
  assert_ok(jn_spec_lint(spec));
  jn_spec_free(spec);

  spec = world("<option><flag gravity='disable' damper='disable'/></option>",
               "<body name='a'><joint name='j' damping='3'/><geom size='0.1'/></body>");
  assert_true(joint_named(spec, "j")->damping == 0 && jn_spec_gravity(spec).z == 0);
  jn_spec_free(spec);
}

/* couplings alone: mimic joints, as long as none follows itself */
static void couplings_alone_are_mimic_joints(void **state) {
  (void)state;
#define ARM(equalities)                                                                   \
  "<mujoco><worldbody><body name='a'><joint name='1' ref='0.5'/><geom size='0.1'/>"       \
  "<body name='b'><joint name='2' ref='0.3'/><geom size='0.1'/>"                          \
  "<body name='c'><joint name='3'/><geom size='0.1'/></body></body></body></worldbody>\n" \
  "<compiler angle='radian'/><equality>" equalities "</equality></mujoco>"
  static const struct {
    const char *text;
    int constraints, nv;
  } cases[] = {
      {ARM("<joint joint1='2' joint2='1' polycoef='1 2'/><joint joint1='3' joint2='2'/>"), 0, 1},
      {ARM("<joint joint1='2' polycoef='0.25'/>"), 0, 2},
      {ARM("<joint joint1='2' joint2='1'/><joint joint1='1' joint2='2'/>"), 2, 3},
      {ARM("<joint joint1='2' joint2='1'/><joint joint1='2' joint2='3'/>"), 2, 3},
      {ARM("<joint joint1='2' joint2='1'/><connect body1='c' body2='a' anchor='0 0 0'/>"), 2, 3}};
#undef ARM
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, cases[i].text);
    assert_int_equal(jn_spec_constraint_count(spec), cases[i].constraints);
    jn_model *model = NULL;
    assert_ok(jn_model_build(spec, NULL, NULL, &model, NULL));
    assert_int_equal(jn_model_nv(model), cases[i].nv);
    if (i == 0) { /* q2 - 0.3 = 1 + 2 (q1 - 0.5), q3 - 0 = q2 - 0.3 */
      const double y = 0.7;
      double q[3];
      jn_tree_expand(model, &y, 0, NULL, q, NULL);
      check_residual("coupled", fabs(q[1] - 1.7) + fabs(q[2] - 1.4), 8 * U);
    }
    jn_model_free(model);
    jn_spec_free(spec);
  }
}

/* joints without actuators are counted, unless an actuator acts elsewhere */
static void joints_without_actuators_are_reported(void **state) {
  (void)state;
#define ARM(actuators)                                                                    \
  "<mujoco><worldbody><body name='a'><joint name='1'/><geom size='0.1'/><site name='s'/>" \
  "<body name='b'><joint name='2'/><geom size='0.1'/>"                                    \
  "<body name='c'><joint name='3'/><geom size='0.1'/></body></body></body></worldbody>"   \
  "<tendon><fixed name='t'><joint joint='2' coef='1'/><joint joint='3' "                  \
  "coef='1'/></fixed></tendon>\n"                                                         \
  "<actuator>" actuators "</actuator></mujoco>"
  static const struct {
    const char *text, *words;
  } cases[] = {{ARM("<motor joint='1'/>"), "2 of the joints have no actuator ('2', '3')"},
               {ARM("<motor tendon='t'/>"), "1 of the joints have no actuator ('1')"},
               {ARM("<motor jointinparent='1'/><position tendon='t'/>"), NULL},
               {ARM("<motor joint='1'/><general site='s'/>"), NULL},
               {ARM(""), NULL}};
#undef ARM
  for (size_t i = 0; i < COUNT(cases); i++) {
    jn_spec *spec = parse_ok(jn_spec_parse_mjcf, cases[i].text);
    assert_int_equal(has_finding(spec, JN_NOTE, 2, "have no actuator"), cases[i].words != NULL);
    if (cases[i].words) assert_true(has_finding(spec, JN_NOTE, 2, cases[i].words));
    jn_spec_free(spec);
  }
}

static void equalities_are_constraints(void **state) {
  (void)state;
  jn_spec *spec = parse_ok(
      jn_spec_parse_mjcf,
      "<mujoco><worldbody><site name='s' pos='1 2 3'/>\n"
      "<body name='a' pos='1 0 0'><joint name='1' type='slide' ref='0.5' axis='1 0 0'/>"
      "<geom size='0.1'/><site name='t' pos='0 0 1' quat='0 1 0 0'/>"
      "<body name='b' pos='0 1 0' quat='0 0 0 1'><joint name='2' type='slide' ref='0.3'/>"
      "<geom size='0.1'/></body></body></worldbody>\n"
      "<equality><joint joint1='2' joint2='1' polycoef='1 2'/>\n"
      "<joint name='held' joint1='1' polycoef='0.25'/>\n"
      "<connect name='pin' body1='b' body2='a' anchor='0.1 0.2 0.3'/>\n"
      "<weld name='fast' body1='a' body2='world' anchor='1 1 1' relpose='0 0 2 0 2 0 0'/>\n"
      "<weld name='there' body1='a' body2='b'/>\n"
      "<connect name='sites' site1='t' site2='s'/>\n"
      "<weld name='one' body1='b' body2='b'/></equality></mujoco>");
  assert_int_equal(jn_spec_constraint_count(spec), 6);
  assert_true(has_finding(spec, JN_NOTE, 9, "weld 'one' joins two bodies that do not move"));
  /* q2 - 0.3 = 1 + 2 (q1 - 0.5):  q2 - 2 q1 = 0.3 */
  const jn_constraint_desc *c = jn_spec_get_constraint(spec, 0);
  assert_string_equal(c->name, "equality1");
  assert_true(c->type == JN_CONSTRAINT_COUPLING && c->term_count == 2 && c->line == 3);
  assert_true(c->terms[0].coefficient == 1 && c->terms[1].coefficient == -2);
  check_residual("coupling", fabs(c->offset - 0.3), 4 * U);
  c = jn_spec_get_constraint(spec, 1);
  assert_true(c->term_count == 1 && c->offset == 0.75);
  /* b is turned by half a turn about z, at (0, 1, 0) in a, wherever the joints are */
  c = jn_spec_get_constraint(spec, 2);
  assert_true(c->type == JN_CONSTRAINT_POINT);
  assert_string_equal(c->a.link, "b");
  assert_string_equal(c->b.link, "a");
  check_residual("connect", jn_v3_norm(jn_v3_sub(c->b.pose.p, jn_v3(-0.1, 0.8, 0.3))), 4 * U);
  /* half a turn about x: the world's (1, 1, 1) is (1, -1, -1 + 2) in a */
  c = jn_spec_get_constraint(spec, 3);
  assert_true(c->type == JN_CONSTRAINT_WELD && c->b.link == NULL);
  check_residual("weld", jn_v3_norm(jn_v3_sub(c->a.pose.p, jn_v3(1, -1, 1))), 4 * U);
  check_residual("weld", jn_v3_norm(jn_v3_sub(c->b.pose.p, jn_v3(1, 1, 1))), 4 * U);
  c = jn_spec_get_constraint(spec, 4);
  check_residual("weld", jn_v3_norm(jn_v3_sub(c->a.pose.p, jn_v3(0, 1, 0))), 4 * U);
  check_residual("weld", fabs(c->a.pose.R.m[0][0] + 1), 4 * U);
  c = jn_spec_get_constraint(spec, 5);
  assert_true(c->a.pose.p.z == 1 && c->b.pose.p.z == 3 && c->b.link == NULL);
  jn_spec_free(spec);
}

/* ---- files */

static jn_status load(const char *name, jn_spec **spec, jn_error *error) {
  counter c;
  jn_allocator hooks = counting(&c);
  *spec = NULL;
  jn_status status = jn_spec_load(temporary(name), NULL, spec, error);
  /* and no memory is lost */
  jn_spec *again = NULL;
  assert_status(jn_spec_load(temporary(name), &hooks, &again, NULL), status);
  jn_spec_free(again);
  assert_int_equal(c.live, 0);
  return status;
}

static void included_files_take_the_place_of_their_element(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  assert_int_equal(mkdir(temporary("parts"), 0700), 0);
  put("main.xml",
      "<mujoco model='m'>\n<include file='parts/classes.xml'/>\n<worldbody>\n"
      "<body name='a'>\n<include file='parts/../parts/arm.xml'/>\n<geom size='0.1'/></body>\n"
      "<include file='empty.xml'/></worldbody></mujoco>");
  put("empty.xml", "<anything/>");
  put("parts/classes.xml",
      "<mujocoinclude>\n<default><joint damping='3'/></default><compiler angle='radian'/>"
      "</mujocoinclude>");
  /* the file in it is found beside it, and not in the folder of the model */
  put("parts/arm.xml",
      "<x>\n<joint name='j' range='-1 1'/>\n<include file='hand.xml'/>"
      "<site name='s'/></x>");
  put("parts/hand.xml", "<x><body name='hand' \n bogus='1'><geom size='0.1'/></body></x>");
  if (load("main.xml", &spec, &error) != JN_OK) fail_msg("%s", error.message);
  assert_true(joint_named(spec, "j")->damping == 3 && joint_named(spec, "j")->limits.upper == 1);
  assert_int_equal(link_named(spec, "hand")->line, 5); /* the include in the main file */
  assert_true(has_finding(spec, JN_NOTE, 5, "parts/hand.xml:1: body 'hand': unknown attribute"));
  assert_int_equal(jn_spec_frame_count(spec), 1);
  jn_spec_free(spec);
  /* an error has the place in the included file */
  put("parts/hand.xml", "<x><body name='hand'>\n<joint axis='1 2'/></body></x>");
  assert_status(load("main.xml", &spec, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.message, "/parts/hand.xml:2: joint: axis=\"1 2\": expected 3"));
  assert_int_equal(error.line, 2);
}

static void only_files_below_the_model_are_included(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char outside[600], target[600];
  mkdir(temporary("model"), 0700);
  mkdir(temporary("model/below"), 0700);
  put("outside.xml", "<x><body name='out'><geom size='0.1'/></body></x>");
  put("model/below/in.xml", "<x><body name='in'><geom size='0.1'/></body></x>");
  snprintf(outside, sizeof outside, "%s", temporary("outside.xml"));
  snprintf(target, sizeof target, "%s", temporary("model/link.xml"));
  assert_int_equal(symlink(outside, target), 0);
  snprintf(target, sizeof target, "%s", temporary("model/inner.xml"));
  assert_int_equal(symlink("below/in.xml", target), 0);
  assert_int_equal(mkfifo(temporary("model/pipe.xml"), 0600), 0);
  const struct {
    const char *name, *words;
  } cases[] = {{"below/in.xml", NULL},
               {"inner.xml", NULL},
               {"below/../below/in.xml", NULL},
               {"../outside.xml", "outside the folder"},
               {"below/../../outside.xml", "outside the folder"},
               {"link.xml", "outside the folder"},
               {outside, "absolute path"},
               {"/etc/passwd", "absolute path"},
               {"none.xml", "no such file"},
               {"below", "not a regular file"},
               {"pipe.xml", "not a regular file"},
               {"main.xml", "already part"},
               {"", "no attribute 'file'"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[1500];
    snprintf(text, sizeof text, "<mujoco>\n<worldbody><include file='%s'/></worldbody></mujoco>",
             cases[i].name);
    put("model/main.xml", text);
    const jn_status status = load("model/main.xml", &spec, &error);
    if ((status == JN_OK) != (cases[i].words == NULL)) fail_msg("%s: %d", cases[i].name, status);
    if (status == JN_OK) {
      assert_true(jn_spec_find_link(spec, "in") >= 0);
    } else {
      if (strstr(error.message, cases[i].words) == NULL) fail_msg("%s", error.message);
      assert_int_equal(error.line, 2);
    }
    jn_spec_free(spec);
  }
  /* in a folder of its own by a relative path, and from memory */
  assert_refused(jn_spec_parse_mjcf, "<mujoco><include file='a.xml'/></mujoco>", 40, JN_ERR_FILE,
                 "a text in memory has no folder");
}

static void the_root_element_tells_the_format(void **state) {
  (void)state;
  static const char *const names[] = {"a.xml", "a.mjcf", "a.urdf"};
  jn_model *model = NULL;
  jn_error error;
  for (size_t i = 0; i < COUNT(names); i++) {
    put(names[i],
        "<?xml version='1.0'?>\n<!-- <robot> --><mujoco><worldbody><body name='b'>"
        "<geom size='0.1'/></body></worldbody></mujoco>");
    assert_ok(jn_model_load(temporary(names[i]), NULL, NULL, &model, &error));
    jn_model_free(model);
    put(names[i], "<robot name='r'><link name='b'/></robot>");
    assert_ok(jn_model_load(temporary(names[i]), NULL, NULL, &model, &error));
    assert_string_equal(jn_model_name(model), "r");
    jn_model_free(model);
  }
  assert_refused(jn_spec_parse_mjcf, "<robot/>", 8, JN_ERR_SYNTAX, "not <mujoco>");
  assert_refused(jn_spec_parse_urdf, "<mujoco/>", 9, JN_ERR_SYNTAX, "this is MJCF");
}

/* ---- limits, on both sides */

static jn_status parse_repeated(const char *before, const char *part, const char *middle,
                                const char *end, const char *after, int n, jn_error *error) {
  growing_text t = {0};
  jn_spec *spec = NULL;
  append(&t, "%s", before);
  for (int i = 0; i < n; i++) append(&t, part, i, i);
  append(&t, "%s", middle);
  for (int i = 0; i < n; i++) append(&t, "%s", end);
  append(&t, "%s", after);
  const jn_status status = jn_spec_parse_mjcf(t.text, strlen(t.text), "text", NULL, &spec, error);
  jn_spec_free(spec);
  free(t.text);
  return status;
}

static void limits_hold_on_both_sides(void **state) {
  (void)state;
  const char *const head = "<mujoco><worldbody>", *const tail = "</worldbody></mujoco>";
  jn_error error;
  const int depth = JN_MAX_MJCF_DEPTH - 2;
  assert_ok(parse_repeated(head, "<body>", "", "</body>", tail, depth, &error));
  assert_status(parse_repeated(head, "<body>", "", "</body>", tail, depth + 1, &error),
                JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "text:1: elements are nested deeper than 1000"));
  const int elements = JN_MAX_XML_ELEMENTS - 3;
  const char *const one = "<mujoco><worldbody><body>", *const end = "</body></worldbody></mujoco>";
  assert_ok(parse_repeated(one, "<site/>\n", "", "", end, elements, &error));
  assert_status(parse_repeated(one, "<site/>\n", "", "", end, elements + 1, &error), JN_ERR_LIMIT);
  assert_int_equal(error.line, elements + 1);
  const int classes = JN_MAX_MJCF_CLASSES - 1;
  const char *const open = "<mujoco><default>\n",
                    *const close = "</default><worldbody><body/></worldbody></mujoco>";
  assert_ok(parse_repeated(open, "<default class='c%d'/>\n", "", "", close, classes, &error));
  assert_status(
      parse_repeated(open, "<default class='c%d'/>\n", "", "", close, classes + 1, &error),
      JN_ERR_LIMIT);
  assert_int_equal(error.line, JN_MAX_MJCF_CLASSES + 1);
  char name[JN_MAX_NAME + 2], text[400];
  memset(name, 'n', sizeof name);
  for (int n = JN_MAX_NAME; n <= JN_MAX_NAME + 1; n++) {
    jn_spec *spec = NULL;
    snprintf(text, sizeof text, "%s<body name='%.*s'/>%s", head, n, name, tail);
    assert_status(jn_spec_parse_mjcf(text, strlen(text), NULL, NULL, &spec, &error),
                  n == JN_MAX_NAME ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
}

static void includes_are_limited(void **state) {
  (void)state;
  jn_spec *spec = NULL;
  jn_error error;
  char name[64], text[200];
  mkdir(temporary("many"), 0700);
  for (int n = JN_MAX_INCLUDES; n <= JN_MAX_INCLUDES + 1; n++) {
    growing_text t = {0};
    append(&t, "<mujoco><worldbody><body/>");
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "many/%d.xml", i);
      put(name, "<x/>");
      append(&t, "\n<include file='%d.xml'/>", i);
    }
    append(&t, "</worldbody></mujoco>");
    put("many/main.xml", t.text);
    free(t.text);
    assert_status(load("many/main.xml", &spec, &error),
                  n == JN_MAX_INCLUDES ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
  assert_int_equal(error.line, JN_MAX_INCLUDES + 2);
  mkdir(temporary("deep"), 0700);
  put("deep/main.xml", "<mujoco><worldbody><body/><include file='0.xml'/></worldbody></mujoco>");
  for (int n = JN_MAX_INCLUDE_DEPTH; n <= JN_MAX_INCLUDE_DEPTH + 1; n++) {
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "deep/%d.xml", i);
      snprintf(text, sizeof text, "<x>\n<include file='%d.xml'/></x>", i + 1);
      put(name, i + 1 < n ? text : "<x/>");
    }
    assert_status(load("deep/main.xml", &spec, &error),
                  n == JN_MAX_INCLUDE_DEPTH ? JN_OK : JN_ERR_LIMIT);
    jn_spec_free(spec);
  }
  assert_non_null(strstr(error.message, "/deep/15.xml:2: includes are nested deeper than 16"));
}

/* All files together have at most JN_MAX_FILE bytes. A file of zeros is no XML, but that is seen
 * only when it is read. */
static void bytes_of_included_files_are_limited(void **state) {
  (void)state;
  static const char text[] = "<mujoco>\n<include file='zeros.xml'/></mujoco>";
  jn_spec *spec = NULL;
  jn_error error;
  put("sum.xml", text);
  put("zeros.xml", "");
  for (int over = 0; over < 2; over++) {
    assert_int_equal(truncate(temporary("zeros.xml"), JN_MAX_FILE - (off_t)strlen(text) + over), 0);
    assert_status(jn_spec_load(temporary("sum.xml"), NULL, &spec, &error),
                  over ? JN_ERR_LIMIT : JN_ERR_SYNTAX);
  }
  assert_non_null(strstr(error.message, "/sum.xml:2: the included files are larger than 64 MiB"));
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
      cmocka_unit_test(what_is_not_used_is_reported),
      cmocka_unit_test(equalities_are_constraints),
      cmocka_unit_test(joints_without_actuators_are_reported),
      cmocka_unit_test(couplings_alone_are_mimic_joints),
      cmocka_unit_test(included_files_take_the_place_of_their_element),
      cmocka_unit_test(only_files_below_the_model_are_included),
      cmocka_unit_test(the_root_element_tells_the_format),
      cmocka_unit_test(limits_hold_on_both_sides),
      cmocka_unit_test(includes_are_limited),
      cmocka_unit_test(bytes_of_included_files_are_limited),
      cmocka_unit_test(a_locale_changes_nothing),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
