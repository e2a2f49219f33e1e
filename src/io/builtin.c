/* builtin.c: robots that need no file. `tilthex` has the parameters of the aerial manipulator of
 * the paper (table 3, larger trees as in table 4). All others are invented: plausible masses,
 * inertias of homogeneous boxes and rods, typical limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/rotors.h>

#include "io/text.h"

static const double pi = 3.14159265358979323846;

/* ---- building blocks: after the first failure they do nothing */

typedef struct maker {
  jn_spec *spec;
  jn_status status;
} maker;

static jn_mat3 diagonal(double x, double y, double z) {
  return (jn_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/* a box with edges a, b, c */
static jn_mat3 box_inertia(double m, double a, double b, double c) {
  return diagonal(m * (b * b + c * c) / 12, m * (c * c + a * a) / 12, m * (a * a + b * b) / 12);
}

/* a cylinder of radius r and length l along z */
static jn_mat3 rod_inertia(double m, double r, double l) {
  double across = m * (3 * r * r + l * l) / 12;
  return diagonal(across, across, m * r * r / 2);
}

static void add_link(maker *k, const char *name, double mass, jn_vec3 com, jn_mat3 inertia,
                     jn_vec3 home) {
  if (k->status != JN_OK) return;
  jn_link_desc link = jn_link_default(name);
  link.mass = mass;
  link.com = com;
  link.inertia = inertia;
  link.home.p = home;
  k->status = jn_spec_add_link(k->spec, &link);
}

static void add_joint(maker *k, const jn_joint_desc *joint) {
  if (k->status == JN_OK) k->status = jn_spec_add_joint(k->spec, joint);
}

/* a joint about or along an axis through a point, both in the world at home */
static jn_joint_desc screw(const char *name, jn_joint_type type, const char *parent,
                           const char *child, jn_vec3 axis, jn_vec3 point) {
  jn_joint_desc joint = jn_joint_default(name, type, parent, child);
  joint.axis[0] = axis;
  joint.point = point;
  return joint;
}

static void set_range(jn_joint_desc *joint, double lower, double upper, double velocity,
                      double effort) {
  joint->limits.lower = lower;
  joint->limits.upper = upper;
  joint->limits.velocity = velocity;
  joint->limits.effort = effort;
}

static const jn_vec3 axis_x = {1, 0, 0}, axis_y = {0, 1, 0}, axis_z = {0, 0, 1}, origin = {0, 0, 0};

/* ---- the aerial manipulator: `arms` chains of `bodies` links below a flying base */

static void make_tilthex(maker *k, int arms, int bodies) {
  const double b = 0.10, d = 0.06, c = 0.18;
  const jn_vec3 axes[3] = {axis_y, axis_x, axis_z};
  add_link(k, "B1", 2.5, origin, diagonal(0.03, 0.03, 0.05), origin);
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "B1");
  add_joint(k, &base);
  int number = 2;
  for (int arm = 0; arm < arms && k->status == JN_OK; arm++) {
    /* two arms at x = +c/2 and -c/2 exactly; any other count evenly on the circle through them */
    double cosine, sine;
    jn_sincos(2 * pi * arm / arms, &sine, &cosine);
    jn_vec3 p = arms == 2 ? (jn_vec3){arm == 0 ? c / 2 : -c / 2, 0, 0}
                          : (jn_vec3){c / 2 * cosine, c / 2 * sine, 0};
    if (arm == 0) p.y = 0;
    char parent[24] = "B1";
    for (int i = 0; i < bodies && k->status == JN_OK; i++, number++) {
      char link[24], joint[24];
      double z = -b - 2 * d * i; /* of the joint */
      snprintf(link, sizeof link, "B%d", number);
      snprintf(joint, sizeof joint, "q%d", number);
      add_link(k, link, 0.25, origin, diagonal(0.002, 0.002, 0.001), (jn_vec3){p.x, p.y, z - d});
      jn_joint_desc q =
          screw(joint, JN_JOINT_REVOLUTE, parent, link, axes[i % 3], (jn_vec3){p.x, p.y, z});
      add_joint(k, &q);
      memcpy(parent, link, sizeof parent);
    }
  }
}

/* Propellers as (28) with neighbours of opposite tilt and spin; the paper prints no numbers. Hover
 * needs 8.1 N of each. */
static void add_propellers(maker *k) {
  const jn_rotor_ring ring = jn_rotor_ring_actuated();
  const jn_rotor_limits limits = {150, 900, 18, 120};
  if (k->status == JN_OK) k->status = jn_spec_add_rotor_ring(k->spec, "B1", &ring, &limits);
}

/* ---- pendulums and chains: rods hanging down from the world */

static void make_rods(maker *k, int count, double mass, double length, double radius,
                      int alternate) {
  char parent[24] = "";
  for (int i = 0; i < count && k->status == JN_OK; i++) {
    char link[24], joint[24];
    snprintf(link, sizeof link, "link%d", i + 1);
    snprintf(joint, sizeof joint, "joint%d", i + 1);
    jn_vec3 p = {0, 0, -i * length};
    add_link(k, link, mass, (jn_vec3){0, 0, -length / 2}, rod_inertia(mass, radius, length), p);
    jn_joint_desc q = screw(joint, JN_JOINT_REVOLUTE, i == 0 ? NULL : parent, link,
                            alternate && i % 2 == 1 ? axis_x : axis_y, p);
    add_joint(k, &q);
    memcpy(parent, link, sizeof parent);
  }
}

/* ---- industrial arms: a column of cylinders along z at home, axes z and y in turn */

typedef struct segment {
  double length, radius, mass;
  char axis; /* of the joint at its lower end */
  double range, velocity, effort;
} segment;

static void make_arm(maker *k, const segment *segments, int count) {
  add_link(k, "base", 6.0, (jn_vec3){0, 0, 0.05}, rod_inertia(6.0, 0.10, 0.10), origin);
  jn_joint_desc mount = jn_joint_default("mount", JN_JOINT_FIXED, NULL, "base");
  add_joint(k, &mount);
  char parent[24] = "base";
  double z = 0.10;
  for (int i = 0; i < count; i++) {
    const segment *s = &segments[i];
    char link[24], joint[24];
    snprintf(link, sizeof link, "link%d", i + 1);
    snprintf(joint, sizeof joint, "joint%d", i + 1);
    add_link(k, link, s->mass, (jn_vec3){0, 0, s->length / 2},
             rod_inertia(s->mass, s->radius, s->length), (jn_vec3){0, 0, z});
    jn_joint_desc q = screw(joint, JN_JOINT_REVOLUTE, parent, link,
                            s->axis == 'z' ? axis_z : axis_y, (jn_vec3){0, 0, z});
    set_range(&q, -s->range, s->range, s->velocity, s->effort);
    add_joint(k, &q);
    z += s->length;
    memcpy(parent, link, sizeof parent);
  }
  jn_frame_desc tool = {"tool", parent, {jn_m3_identity(), {0, 0, segments[count - 1].length}}, 0};
  if (k->status == JN_OK) k->status = jn_spec_add_frame(k->spec, &tool);
}

static void make_arm6(maker *k) {
  static const segment segments[6] = {
      {0.12, 0.070, 4.5, 'z', 6.2, 3.1, 180}, {0.42, 0.065, 9.0, 'y', 6.2, 3.1, 180},
      {0.40, 0.055, 5.0, 'y', 2.8, 3.1, 120}, {0.10, 0.045, 1.6, 'y', 6.2, 6.2, 40},
      {0.09, 0.045, 1.5, 'z', 6.2, 6.2, 40},  {0.08, 0.040, 0.6, 'y', 6.2, 6.2, 40}};
  make_arm(k, segments, 6);
}

static void make_arm7(maker *k) {
  static const segment segments[7] = {
      {0.16, 0.075, 4.0, 'z', 2.9, 1.7, 300}, {0.20, 0.075, 4.0, 'y', 2.0, 1.7, 300},
      {0.20, 0.065, 3.0, 'z', 2.9, 1.7, 180}, {0.20, 0.065, 2.7, 'y', 2.0, 2.2, 180},
      {0.20, 0.055, 1.8, 'z', 2.9, 2.4, 100}, {0.10, 0.050, 1.6, 'y', 2.0, 3.1, 40},
      {0.09, 0.045, 0.5, 'z', 3.0, 3.1, 40}};
  make_arm(k, segments, 7);
}

/* ---- legged robots */

static void make_quadruped(maker *k) {
  static const struct {
    const char *name;
    double x, y;
  } legs[4] = {{"FL", 1, 1}, {"FR", 1, -1}, {"RL", -1, 1}, {"RR", -1, -1}};
  const double height = 0.42, thigh = 0.21;
  add_link(k, "trunk", 6.5, origin, box_inertia(6.5, 0.40, 0.20, 0.12), (jn_vec3){0, 0, height});
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "trunk");
  add_joint(k, &base);
  for (int i = 0; i < 4; i++) {
    char hip[16], upper[16], lower[16], foot[16], name[24];
    snprintf(hip, sizeof hip, "%s_hip", legs[i].name);
    snprintf(upper, sizeof upper, "%s_thigh", legs[i].name);
    snprintf(lower, sizeof lower, "%s_calf", legs[i].name);
    snprintf(foot, sizeof foot, "%s_foot", legs[i].name);
    double x = legs[i].x * 0.19, y = legs[i].y * 0.05, side = legs[i].y * 0.08;

    /* abduction, about the forward axis */
    jn_vec3 p = {x, y, height};
    add_link(k, hip, 0.70, (jn_vec3){0, side / 2, 0}, box_inertia(0.70, 0.08, 0.08, 0.08), p);
    snprintf(name, sizeof name, "%s_abduction", legs[i].name);
    jn_joint_desc q = screw(name, JN_JOINT_REVOLUTE, "trunk", hip, axis_x, p);
    set_range(&q, -0.8, 0.8, 20, 24);
    add_joint(k, &q);

    p.y += side;
    add_link(k, upper, 1.00, (jn_vec3){0, 0, -0.04}, rod_inertia(1.00, 0.03, thigh), p);
    snprintf(name, sizeof name, "%s_flexion", legs[i].name);
    q = screw(name, JN_JOINT_REVOLUTE, hip, upper, axis_y, p);
    set_range(&q, -1.6, 3.2, 20, 24);
    add_joint(k, &q);

    p.z -= thigh;
    add_link(k, lower, 0.20, (jn_vec3){0, 0, -0.10}, rod_inertia(0.20, 0.012, 0.21), p);
    snprintf(name, sizeof name, "%s_knee", legs[i].name);
    q = screw(name, JN_JOINT_REVOLUTE, upper, lower, axis_y, p);
    set_range(&q, -2.7, 2.7, 20, 30);
    add_joint(k, &q);

    jn_frame_desc tip = {foot, lower, {jn_m3_identity(), {0, 0, -0.21}}, 0};
    if (k->status == JN_OK) k->status = jn_spec_add_frame(k->spec, &tip);
  }
}

/* one link of the humanoid, a box; its joint is at `point` */
typedef struct limb {
  const char *name, *parent, *joint;
  jn_joint_type type;
  char axis;
  jn_vec3 point; /* in the world at home */
  double mass;
  jn_vec3 com;    /* from the point */
  double a, b, c; /* edges of the box that has its inertia */
  double lower, upper, velocity, effort;
} limb;

static void make_humanoid(maker *k) {
#define FREE HUGE_VAL
  /* clang-format off */
  static const limb centre[] = {
      {"chest",     "pelvis",    "waist",    JN_JOINT_SPHERICAL, 'z',
       {0, 0, 1.05}, 22.0, {0, 0, 0.20}, 0.20, 0.32, 0.42, -FREE, FREE, 5, 150},
      {"head",      "chest",     "neck",     JN_JOINT_UNIVERSAL, 'z',
       {0, 0, 1.50}, 4.5, {0, 0, 0.12}, 0.18, 0.15, 0.22, -FREE, FREE, 8, 20}};
  static const limb side[] = {
      {"upper_arm", "chest",     "shoulder", JN_JOINT_SPHERICAL, 'z',
       {0, 0.22, 1.42}, 2.1, {0, 0, -0.14}, 0.08, 0.08, 0.30, -FREE, FREE, 8, 80},
      {"forearm",   "upper_arm", "elbow",    JN_JOINT_REVOLUTE,  'y',
       {0, 0.22, 1.12}, 1.2, {0, 0, -0.12}, 0.06, 0.06, 0.26, -2.5, 0.0, 10, 60},
      {"hand",      "forearm",   "wrist",    JN_JOINT_UNIVERSAL, 'z',
       {0, 0.22, 0.86}, 0.5, {0, 0, -0.07}, 0.03, 0.08, 0.17, -FREE, FREE, 10, 15},
      {"thigh",     "pelvis",    "hip",      JN_JOINT_SPHERICAL, 'z',
       {0, 0.09, 0.92}, 8.0, {0, 0, -0.19}, 0.14, 0.14, 0.42, -FREE, FREE, 8, 200},
      {"shank",     "thigh",     "knee",     JN_JOINT_REVOLUTE,  'y',
       {0, 0.09, 0.50}, 3.6, {0, 0, -0.18}, 0.09, 0.09, 0.40, 0.0, 2.4, 10, 200},
      {"foot",      "shank",     "ankle",    JN_JOINT_UNIVERSAL, 'y',
       {0, 0.09, 0.09}, 1.1, {0.05, 0, -0.05}, 0.24, 0.09, 0.07, -FREE, FREE, 10, 120}};
  /* clang-format on */
#undef FREE
  add_link(k, "pelvis", 11.0, (jn_vec3){0, 0, 0.03}, box_inertia(11.0, 0.18, 0.30, 0.18),
           (jn_vec3){0, 0, 0.95});
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "pelvis");
  add_joint(k, &base);
  int sides = sizeof side / sizeof side[0], centres = sizeof centre / sizeof centre[0];
  for (int i = 0; i < centres + 2 * sides; i++) {
    int is_side = i >= centres, is_left = i < centres + sides;
    const limb *x = is_side ? &side[(i - centres) % sides] : &centre[i];
    const char *prefix = !is_side ? "" : is_left ? "left_" : "right_";
    int parent_is_side =
        is_side && strcmp(x->parent, "chest") != 0 && strcmp(x->parent, "pelvis") != 0;
    char link[32], parent[32], joint[32];
    snprintf(link, sizeof link, "%s%s", prefix, x->name);
    snprintf(parent, sizeof parent, "%s%s", parent_is_side ? prefix : "", x->parent);
    snprintf(joint, sizeof joint, "%s%s", prefix, x->joint);
    jn_vec3 p = x->point;
    if (is_side && !is_left) p.y = -p.y;
    add_link(k, link, x->mass, x->com, box_inertia(x->mass, x->a, x->b, x->c), p);
    jn_joint_desc q = screw(joint, x->type, parent, link, x->axis == 'z' ? axis_z : axis_y, p);
    if (x->type == JN_JOINT_UNIVERSAL) {
      q.axis[0] = axis_y;
      q.axis[1] = strcmp(x->name, "head") == 0 ? axis_z : axis_x;
    }
    set_range(&q, x->lower, x->upper, x->velocity, x->effort);
    add_joint(k, &q);
  }
}

/* ---- by name */

/* ---- mechanisms, closed at home */

static void add_point(maker *k, const char *name, const char *a, jn_vec3 on_a, const char *b,
                      jn_vec3 on_b) {
  if (k->status != JN_OK) return;
  jn_constraint_desc c = jn_constraint_default(name, JN_CONSTRAINT_POINT, a, b);
  c.a.pose.p = on_a;
  c.b.pose.p = on_b;
  k->status = jn_spec_add_constraint(k->spec, &c);
}

/* In the x z plane: crank A B, coupler B C, rocker D C; the pin C is the constraint. */
static void make_fourbar(maker *k) {
  const jn_vec3 A = {0, 0, 0}, B = {0, 0, 0.25}, C = {0.625, 0, 0.5}, D = {0.75, 0, 0};
  const jn_vec3 crank = jn_v3_sub(B, A), coupler = jn_v3_sub(C, B), rocker = jn_v3_sub(C, D);
  add_link(k, "ground", 0, origin, diagonal(0, 0, 0), origin);
  add_link(k, "crank", 0.5, jn_v3_scale(0.5, crank), rod_inertia(0.5, 0.02, 0.25), A);
  add_link(k, "coupler", 1.2, jn_v3_scale(0.5, coupler), box_inertia(1.2, 0.67, 0.04, 0.04), B);
  add_link(k, "rocker", 0.9, jn_v3_scale(0.5, rocker), rod_inertia(0.9, 0.02, 0.5), D);
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FIXED, NULL, "ground"),
                one = screw("crank", JN_JOINT_REVOLUTE, "ground", "crank", axis_y, A),
                two = screw("coupler", JN_JOINT_REVOLUTE, "crank", "coupler", axis_y, B),
                three = screw("rocker", JN_JOINT_REVOLUTE, "ground", "rocker", axis_y, D);
  one.limits.effort = 20;
  two.passive = three.passive = 1;
  add_joint(k, &base), add_joint(k, &one), add_joint(k, &two), add_joint(k, &three);
  add_point(k, "pin", "coupler", coupler, "rocker", rocker);
}

/* A platform on six legs: a universal joint at the platform, a slide, the foot pinned to the
 * ground. The platform floats: the feet hold it. */
static void make_stewart(maker *k) {
  const double height = 0.75, top = 0.25, bottom = 0.5;
  const jn_vec3 centre = {0, 0, height};
  add_link(k, "platform", 5, (jn_vec3){0, 0, 0.02}, box_inertia(5, 0.5, 0.5, 0.04), centre);
  jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "platform");
  base.passive = 1;
  add_joint(k, &base);
  for (int i = 0; i < 6 && k->status == JN_OK; i++) {
    /* corners of the platform in pairs opposite to the pairs of the feet */
    const int pair = i / 2;
    const double third = 2 * pi / 3 * pair, side = i % 2 ? 1 : -1;
    char leg[8], rod[8], hinge[8], slide[8], foot[8];
    double c, s;
    jn_sincos(third + side * pi / 12, &s, &c);
    const jn_vec3 F = {bottom * c, bottom * s, 0};
    jn_sincos(third + side * pi / 4, &s, &c);
    const jn_vec3 P = {top * c, top * s, height}, u = jn_v3_unit(jn_v3_sub(F, P)),
                  across = jn_v3_unit(jn_v3_cross(u, axis_z));
    snprintf(leg, sizeof leg, "leg%d", i + 1);
    snprintf(rod, sizeof rod, "rod%d", i + 1);
    snprintf(hinge, sizeof hinge, "hinge%d", i + 1);
    snprintf(slide, sizeof slide, "slide%d", i + 1);
    snprintf(foot, sizeof foot, "foot%d", i + 1);
    add_link(k, leg, 0.8, jn_v3_scale(0.2, u), diagonal(0.01, 0.01, 0.01), P);
    add_link(k, rod, 0.4, jn_v3_scale(-0.2, u), diagonal(0.005, 0.005, 0.005), F);
    jn_joint_desc h = screw(hinge, JN_JOINT_UNIVERSAL, "platform", leg, across, P),
                  d = screw(slide, JN_JOINT_PRISMATIC, leg, rod, u, P);
    h.axis[1] = jn_v3_cross(u, across);
    h.passive = 1;
    set_range(&d, -0.2, 0.2, 1, 500);
    add_joint(k, &h), add_joint(k, &d);
    add_point(k, foot, rod, origin, NULL, F);
  }
}

typedef enum builtin {
  TILTHEX,
  PENDULUM,
  DOUBLE_PENDULUM,
  ARM6,
  ARM7,
  QUADRUPED,
  HUMANOID,
  CHAIN,
  FOURBAR,
  STEWART
} builtin;

static const struct {
  const char *name, *about;
} builtins[] = {
    [TILTHEX] = {"tilthex",
                 "flying hexarotor with two arms of 3 revolute joints; tilthex:AxB has A arms "
                 "of B bodies"},
    [PENDULUM] = {"pendulum", "one rod on a fixed revolute joint"},
    [DOUBLE_PENDULUM] = {"double_pendulum", "two rods on parallel revolute joints"},
    [ARM6] = {"arm6", "industrial arm, 6 revolute joints, fixed base"},
    [ARM7] = {"arm7", "light arm, 7 revolute joints, fixed base"},
    [QUADRUPED] = {"quadruped", "floating trunk with four legs of 3 revolute joints"},
    [HUMANOID] = {"humanoid",
                  "floating, with spherical waist, shoulders and hips, universal neck, wrists "
                  "and ankles, revolute elbows and knees"},
    [CHAIN] = {"chain",
               "10 rods on revolute joints with axes y and x in turn, fixed base; chain:N has N"},
    [FOURBAR] = {"fourbar", "planar four-bar: crank, coupler and rocker, closed by a pin"},
    [STEWART] = {"stewart",
                 "Stewart platform: six legs with slides, their feet pinned to the world"}};
enum { BUILTINS = sizeof builtins / sizeof builtins[0] };

const char *jn_builtin_name(int index) {
  return index >= 0 && index < BUILTINS ? builtins[index].name : NULL;
}

const char *jn_builtin_about(int index) {
  return index >= 0 && index < BUILTINS ? builtins[index].about : NULL;
}

/* The decimal number up to `stop`; -1 if there is anything but digits, 10^9 if it is longer. */
static long read_count(const char *text, const char *stop) {
  long value = 0;
  if (text == stop || stop - text > 9) return text == stop ? -1 : 1000000000L;
  for (; text < stop; text++) {
    if (*text < '0' || *text > '9') return -1;
    value = 10 * value + (*text - '0');
  }
  return value;
}

typedef struct request {
  builtin which;
  long a, b; /* arms and bodies; or the chain's length in a */
} request;

static jn_status understand(const char *name, request *out, jn_error *error) {
  const char *colon = strchr(name, ':');
  size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);
  int which = 0;
  while (which < BUILTINS && (strlen(builtins[which].name) != length ||
                              strncmp(builtins[which].name, name, length) != 0))
    which++;
  if (which == BUILTINS) {
    const char *names[BUILTINS + 1] = {NULL};
    for (int i = 0; i < BUILTINS; i++) names[i] = builtins[i].name;
    const char *nearest = jn_nearest_word(name, names);
    return jn_fail(
        error, JN_ERR_FILE, NULL, 0,
        "'%.200s' is neither a model file (.urdf, .xml, .json) nor a built-in robot%s%s%s", name,
        nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "",
        nearest != NULL ? "'?"
                        : " (tilthex, pendulum, double_pendulum, arm6, arm7, quadruped, "
                          "humanoid, chain, fourbar, stewart)");
  }
  *out = (request){(builtin)which, 2, 3};
  if (which == CHAIN) out->a = 10;
  if (colon == NULL) return JN_OK;

  const char *text = colon + 1, *end = text + strlen(text);
  if (which == TILTHEX) {
    const char *times = strchr(text, 'x');
    out->a = times != NULL ? read_count(text, times) : -1;
    out->b = times != NULL ? read_count(times + 1, end) : -1;
    if (out->a < 1 || out->b < 1)
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "'%.200s': expected tilthex:AxB with at least 1 arm of at least 1 body, as in "
                     "tilthex:5x20",
                     name);
    if (out->b > (JN_MAX_BODIES - 1) / out->a)
      return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "'%.200s' has more than %d bodies", name,
                     JN_MAX_BODIES);
  } else if (which == CHAIN) {
    out->a = read_count(text, end);
    if (out->a < 1)
      return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                     "'%.200s': expected chain:N with N of at least 1", name);
    if (out->a > JN_MAX_BODIES)
      return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "'%.200s' has more than %d bodies", name,
                     JN_MAX_BODIES);
  } else {
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "'%.200s': '%s' has a fixed size", name,
                   builtins[which].name);
  }
  return JN_OK;
}

jn_status jn_spec_builtin(const char *name, const jn_allocator *allocator, jn_spec **out,
                          jn_error *error) {
  if (name == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "name or out is NULL");
  request want = {TILTHEX, 2, 3};
  jn_status status = understand(name, &want, error);
  if (status != JN_OK) return status;
  maker k = {NULL, JN_OK};
  k.status = jn_spec_new(name, allocator, &k.spec); /* the name is short: nine digits a number */
  if (k.status == JN_OK) {
    switch (want.which) {
      case TILTHEX:
        make_tilthex(&k, (int)want.a, (int)want.b);
        add_propellers(&k);
        break;
      case PENDULUM:
        make_rods(&k, 1, 1.0, 1.0, 0.02, 0);
        break;
      case DOUBLE_PENDULUM:
        make_rods(&k, 2, 1.0, 0.5, 0.02, 0);
        break;
      case ARM6:
        make_arm6(&k);
        break;
      case ARM7:
        make_arm7(&k);
        break;
      case QUADRUPED:
        make_quadruped(&k);
        break;
      case HUMANOID:
        make_humanoid(&k);
        break;
      case CHAIN:
        make_rods(&k, (int)want.a, 0.5, 0.25, 0.02, 1);
        break;
      case FOURBAR:
        make_fourbar(&k);
        break;
      default: /* STEWART */
        make_stewart(&k);
        break;
    }
  }
  if (k.status != JN_OK) {
    jn_spec_free(k.spec);
    return jn_fail(error, k.status, NULL, 0, "'%.200s': %s", name, jn_status_text(k.status));
  }
  *out = k.spec;
  return JN_OK;
}
