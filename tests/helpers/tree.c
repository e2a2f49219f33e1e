#include "helpers/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"

const jn_representation representations[4] = {JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED};

jn_pose shift(double x, double y, double z) {
  return jn_pose_make(jn_m3_identity(), jn_v3(x, y, z));
}

jn_link_desc link_of(const char *name, double m, jn_vec3 com, double xx, double yy, double zz) {
  jn_link_desc l = jn_link_default(name);
  l.mass = m;
  l.com = com;
  l.inertia.m[0][0] = xx, l.inertia.m[1][1] = yy, l.inertia.m[2][2] = zz;
  return l;
}

jn_joint_desc joint_of(const char *name, jn_joint_type type, const char *parent, const char *child,
                       jn_pose origin) {
  jn_joint_desc j = jn_joint_default(name, type, parent, child);
  j.placement = JN_BY_FRAME;
  j.origin = origin;
  return j;
}

/* The inertia of a box with random sides, rotated at random. */
static jn_link_desc random_link(rng *r, const char *name) {
  double m = rng_range(r, 0.3, 3), s[3];
  for (int i = 0; i < 3; i++) s[i] = m * pow(rng_range(r, 0.03, 0.3), 2) / 3;
  jn_vec3 com = rng_vec3(r, 0.2);
  jn_link_desc l = link_of(name, m, com, s[1] + s[2], s[0] + s[2], s[0] + s[1]);
  jn_mat3 R = rng_rotation(r);
  l.inertia = jn_m3_mul(jn_m3_mul(R, l.inertia), jn_m3_transpose(R));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) l.inertia.m[i][j] = l.inertia.m[j][i];
  return l;
}

static jn_joint_type random_type(rng *r, unsigned types) {
  jn_joint_type t;
  types &= ~TYPE(FIXED);
  if (!types) types = TYPE(REVOLUTE);
  do t = (jn_joint_type)rng_below(r, JN_JOINT_TYPE_COUNT);
  while (!(types & 1u << t));
  return t;
}

/* parent of body i: chain, star of arms, comb, or random tree */
static int random_parent(rng *r, int shape, int i) {
  switch (shape) {
    case 0:
      return i - 1;
    case 1:
      return i <= 4 ? 0 : i - 4;
    case 2:
      return i % 3 == 0 && i > 2 ? i - 3 : i - 1;
    default:
      return rng_below(r, i);
  }
}

typedef struct place {
  char name[24]; /* link that the joints of the next bodies are attached to */
  jn_pose home;
} place;

static void add_link(rng *r, jn_spec *spec, const char *name, jn_pose home) {
  jn_link_desc l = random_link(r, name);
  char text[32];
  l.home = home;
  assert_ok(jn_spec_add_link(spec, &l));
  snprintf(text, sizeof text, "c_%s", name);
  jn_frame_desc f = {text, name, jn_pose_make(rng_rotation(r), l.com), 0};
  assert_ok(jn_spec_add_frame(spec, &f));
}

static void add_joint(rng *r, jn_spec *spec, const char *name, jn_joint_type type,
                      const place *parent, const char *child, jn_pose step) {
  jn_pose home = parent ? jn_pose_mul(parent->home, step) : step;
  jn_joint_desc j = jn_joint_default(name, type, parent ? parent->name : NULL, child);
  j.placement = rng_below(r, 2) ? JN_BY_SCREW : JN_BY_FRAME;
  j.origin = step;
  j.axis[0] = jn_v3_scale(rng_range(r, 0.5, 2), rng_direction(r));
  do j.axis[1] = rng_direction(r);
  while (jn_v3_norm(jn_v3_cross(jn_v3_unit(j.axis[0]), j.axis[1])) < 0.5);
  j.point = jn_v3_add(home.p, rng_vec3(r, 0.1));
  j.pitch = rng_range(r, -0.3, 0.3);
  if (type != JN_JOINT_FREE && type != JN_JOINT_FIXED && rng_below(r, 3) == 0) {
    j.armature = rng_range(r, 0.001, 0.1);
    j.damping = rng_range(r, 0.01, 1);
  }
  assert_ok(jn_spec_add_joint(spec, &j));
}

jn_spec *random_spec(uint64_t seed, int bodies, jn_joint_type base, unsigned types) {
  rng r = rng_new(seed);
  jn_spec *spec;
  check_seed(seed);
  char name[24], joint[24];
  place *at = calloc((size_t)bodies, sizeof *at);
  assert_non_null(at);
  assert_ok(jn_spec_new("random", NULL, &spec));
  assert_ok(jn_spec_set_gravity(spec, rng_vec3(&r, 12)));
  for (int i = 0; i < bodies; i++) {
    const place *parent = i ? &at[random_parent(&r, (int)(seed % 4), i)] : NULL;
    jn_pose step = i || base != JN_JOINT_FREE ? rng_pose(&r, 0.3) : jn_pose_identity();
    jn_joint_type type = i ? random_type(&r, types) : base;
    snprintf(name, sizeof name, "l%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    memcpy(at[i].name, name, sizeof name);
    at[i].home = parent ? jn_pose_mul(parent->home, step) : step;
    add_link(&r, spec, name, at[i].home);
    add_joint(&r, spec, joint, type, parent, name, step);
    if (!(types & TYPE(FIXED)) || rng_below(&r, 3)) continue;
    /* a link on a fixed joint; half of the time it is the parent of the next links */
    step = rng_pose(&r, 0.2);
    snprintf(name, sizeof name, "w%d", i);
    snprintf(joint, sizeof joint, "weld%d", i);
    add_link(&r, spec, name, jn_pose_mul(at[i].home, step));
    add_joint(&r, spec, joint, JN_JOINT_FIXED, &at[i], name, step);
    if (rng_below(&r, 2)) continue;
    memcpy(at[i].name, name, sizeof name);
    at[i].home = jn_pose_mul(at[i].home, step);
  }
  free(at);
  return spec;
}

jn_model *build(const jn_spec *spec) {
  jn_model *model = NULL;
  static jn_error error;
  if (jn_model_build(spec, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  return model;
}

jn_model *pendulum_model(void) {
  jn_model *model;
  assert_ok(jn_model_load("pendulum", NULL, NULL, &model, NULL));
  return model;
}

robot robot_new(jn_spec *spec, int order, uint64_t seed, double omega) {
  robot r = {0};
  r.spec = spec;
  r.model = build(spec);
  assert_ok(jn_data_new(r.model, order, NULL, &r.data));
  r.motion = motion_new(r.model, seed, omega);
  r.order = order;
  r.nbody = jn_model_body_count(r.model);
  r.nq = jn_model_nq(r.model);
  r.nv = jn_model_nv(r.model);
  r.n = ((size_t)order + 1) * (size_t)r.nv;
  r.q = doubles((size_t)r.nq);
  r.v = doubles(r.n + (size_t)r.nv);
  r.t = 0.3;
  robot_represent(&r, JN_BODY);
  return r;
}

robot robot_in_world(int order) {
  jn_spec *spec;
  jn_link_desc world = jn_link_default("world"), body = link_of("body", 1, jn_v3(0, 0, 0), 1, 1, 1);
  jn_joint_desc joint = joint_of("j", JN_JOINT_FREE, "world", "body", shift(0, 0, 0));
  assert_ok(jn_spec_new("w", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &world));
  assert_ok(jn_spec_add_link(spec, &body));
  assert_ok(jn_spec_add_joint(spec, &joint));
  return robot_new(spec, order, 1, 1);
}

robot robot_random(uint64_t seed, int bodies, jn_joint_type base, unsigned types, int order) {
  return robot_new(random_spec(seed, bodies, base, types), order, seed, 1.5);
}

void robot_represent(robot *r, jn_representation representation) {
  jn_data_settings(r->data)->representation = representation;
  robot_at(r, r->t);
}

void robot_at(robot *r, double t) {
  r->t = t;
  motion_state(r->motion, t, jn_data_settings(r->data)->representation, r->order + 2, r->q, r->v);
}

void robot_free(robot *r) {
  jn_spec_free(r->spec);
  jn_data_free(r->data);
  jn_model_free(r->model);
  motion_free(r->motion);
  free(r->q);
  free(r->v);
}

double *robot_inverse(robot *r, const double *v, const jn_external *external) {
  double *tau = doubles(r->n);
  assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, r->q, v, external, tau));
  return tau;
}

double *robot_forward(robot *r, const double *tau, const jn_external *external) {
  size_t nv = (size_t)r->nv;
  double *v = doubles(r->n + nv);
  memcpy(v, r->v, nv * sizeof *v);
  assert_ok(jn_forward_dynamics(r->model, r->data, r->order, r->q, r->v, tau, external, v + nv));
  return v;
}

void force_scale(robot *r, const double *v, const double *tau, double *scale) {
  int K = r->order;
  double *x = doubles(3 * ((size_t)K + 3));
  jn_vec3 g = jn_data_settings(r->data)->gravity;
  assert_ok(jn_kinematics(r->model, r->data, K + 1, r->q, v));
  for (int k = 0; k <= K; k++)
    scale[k] = tau ? largest(tau + (size_t)(k * r->nv), (size_t)r->nv) : 0;
  for (int i = 0; i < r->nbody; i++) {
    const jn_body *b = jn_model_body(r->model, i);
    if (!(b->inertia.m > 0)) continue;
    jn_vec3 c = jn_v3_scale(1 / b->inertia.m, b->inertia.h);
    assert_ok(jn_point_motion(r->model, r->data, b->frame, c, K + 1, x));
    scale[0] = fmax(scale[0], b->inertia.m * jn_v3_norm(g));
    for (int k = 0; k <= K; k++)
      scale[k] = fmax(scale[k], b->inertia.m * largest(x + 3 * (k + 2), 3));
  }
  free(x);
}

void frame_jet(robot *r, int frame, int order, double *R, double *p, double *V) {
  jn_pose C;
  double *same = doubles(6 * ((size_t)order + 1));
  assert_ok(jn_frame_pose(r->model, r->data, frame, &C));
  assert_ok(jn_frame_twist(r->model, r->data, frame, JN_BODY, order, V));
  jn_jet_to_taylor(order, 6, V);
  jn_jet_convert_twist(order, JN_BODY, JN_BODY, C, V, R, p, same);
  free(same);
}

double force_residual(robot *r, const double *tau, const double *v, const jn_external *e) {
  double *back = robot_inverse(r, v, e), *scale = doubles((size_t)r->order + 1);
  force_scale(r, v, tau, scale);
  double worst = row_error(r->order + 1, (size_t)r->nv, back, tau, scale);
  free(back), free(scale);
  return worst;
}
