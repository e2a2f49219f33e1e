#include "helpers/mechanism.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/program.h"

const char *const reference_names[5] = {"fourbar", "geared", "rssr", "stewart", "welded"};

mechanism mechanism_of(jn_model *model, int order) {
  mechanism m = {.model = model, .order = order};
  assert_ok(jn_data_new(model, order, NULL, &m.data));
  jn_data_settings(m.data)->representation = JN_BODY;
  m.nbody = jn_model_body_count(model);
  m.nq = jn_model_nq(model);
  m.nv = jn_model_nv(model);
  m.rows = jn_model_constraint_rows(model);
  m.n = ((size_t)order + 1) * (size_t)m.nv;
  m.nl = ((size_t)order + 1) * (size_t)m.rows;
  m.q = doubles((size_t)m.nq + 1);
  m.v = doubles(m.n + (size_t)m.nv + 1);
  m.tau = doubles(m.n + 1);
  m.lambda = doubles(m.nl + 1);
  return m;
}

void mechanism_free(mechanism *m) {
  jn_data_free(m->data);
  jn_model_free(m->model);
  free(m->q), free(m->v), free(m->tau), free(m->lambda);
}

static void read_base(mechanism *m, const json_t *base) {
  const json_t *R = item(base, "R", NULL), *twist = item(base, "twist", NULL);
  jn_mat3 C;
  for (size_t i = 0; i < 9; i++) C.m[i / 3][i % 3] = at(json_array_get(R, i / 3), i % 3);
  const jn_quat u = jn_quat_from_m3(C);
  m->q[0] = u.w, m->q[1] = u.x, m->q[2] = u.y, m->q[3] = u.z;
  for (size_t i = 0; i < 3; i++) m->q[4 + i] = at(item(base, "p", NULL), i);
  for (size_t k = 0; k <= (size_t)m->order + 1; k++)
    for (size_t i = 0; i < 6; i++) m->v[k * (size_t)m->nv + i] = at(json_array_get(twist, k), i);
}

reference reference_load(const char *name) {
  char folder[1024];
  jn_error error;
  jn_model *model;
  snprintf(folder, sizeof folder, "%s/loops/%s/model.json", TEST_DATA, name);
  if (jn_model_load(folder, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  snprintf(folder, sizeof folder, "%s/loops/%s", TEST_DATA, name);
  json_t *state = load_json(folder, "state.json"), *want = load_json(folder, "expect.json"),
         *forces = json_object_get(want, "constraint_forces");
  reference x = {.m = mechanism_of(model, (int)json_integer_value(item(want, "order", NULL)))};
  mechanism *m = &x.m;
  const size_t nv = (size_t)m->nv;
  jn_data_settings(m->data)->representation = JN_SPATIAL;
  x.rank = (int)json_integer_value(item(want, "rank", NULL));
  x.mobility = (int)json_integer_value(item(want, "mobility", NULL));
  if (jn_model_is_floating(model)) read_base(m, item(state, "base", NULL));
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (j->nv != 1) continue;
    const json_t *moves = item(state, "joints", j->name), *tau = item(want, "tau", j->name);
    m->q[j->iq] = at(moves, 0);
    for (size_t k = 0; k <= (size_t)m->order + 1; k++)
      m->v[k * nv + (size_t)j->iv] = at(moves, k + 1);
    for (size_t k = 0; k <= (size_t)m->order; k++) m->tau[k * nv + (size_t)j->iv] = at(tau, k);
  }
  x.forces = forces != NULL;
  for (int i = 0; forces && i < jn_model_constraint_count(model); i++) {
    const jn_constraint *c = jn_model_constraint(model, i);
    for (size_t k = 0; k <= (size_t)m->order; k++)
      for (size_t r = 0; r < (size_t)c->rows; r++)
        m->lambda[k * (size_t)m->rows + (size_t)c->row + r] =
            at(json_array_get(item(forces, c->name, NULL), k), r);
  }
  json_decref(state), json_decref(want);
  return x;
}

/* ---- random mechanisms */

/* Frame B of a constraint in the world, such that it is satisfied with frame A. */
static jn_pose partner(rng *r, jn_constraint_desc *c, jn_pose A) {
  jn_pose B = {rng_rotation(r), A.p};
  jn_vec3 u;
  switch (c->type) {
    case JN_CONSTRAINT_WELD:
      return A;
    case JN_CONSTRAINT_REVOLUTE:
      return jn_pose_mul(A, (jn_pose){jn_so3_exp(jn_v3(0, 0, rng_range(r, -2, 2))), {0, 0, 0}});
    case JN_CONSTRAINT_UNIVERSAL: /* axis_b across axis_a, in the frame B */
      c->a.axis = rng_direction(r);
      u = jn_m3_apply(A.R, c->a.axis);
      c->b.axis = jn_m3_apply_t(B.R, jn_v3_cross(u, rng_direction(r)));
      return B;
    case JN_CONSTRAINT_POINT_ON_LINE:
      B.p = jn_v3_add(B.p, jn_m3_apply(B.R, jn_v3(0, 0, rng_range(r, -0.3, 0.3))));
      return B;
    case JN_CONSTRAINT_POINT_ON_PLANE:
      B.p = jn_v3_add(B.p, jn_m3_apply(B.R, jn_v3(rng_range(r, -0.3, 0.3), 0.2, 0)));
      return B;
    case JN_CONSTRAINT_DISTANCE:
      u = jn_v3_scale(rng_range(r, 0.1, 0.5), rng_direction(r));
      B.p = jn_v3_add(B.p, u);
      c->length = jn_v3_norm(u);
      return B;
    default:
      return B;
  }
}

static jn_pose pose_of(jn_model *open, jn_data *data, const char *link) {
  jn_pose C = jn_pose_identity();
  if (link) assert_ok(jn_frame_pose(open, data, jn_model_find_frame(open, link), &C));
  return C;
}

/* links that at least one joint moves relative to each other */
static void random_links(rng *r, int bodies, char *a, char *b, size_t size) {
  const int i = 1 + rng_below(r, bodies - 1), j = rng_below(r, i + 1);
  snprintf(a, size, "l%d", i);
  snprintf(b, size, j == i ? "world" : "l%d", j);
}

static void add_coupling(rng *r, jn_spec *spec, jn_model *open, const double *q, const char *name) {
  jn_coupling_term terms[3];
  jn_constraint_desc c = jn_constraint_default(name, JN_CONSTRAINT_COUPLING, NULL, NULL);
  const int n = jn_model_body_count(open), first = rng_below(r, n);
  c.terms = terms;
  for (int s = 0; s < n && c.term_count < 3; s++) {
    const jn_joint *j = jn_model_joint(open, (first + s) % n);
    if (j->nv != 1) continue;
    terms[c.term_count] = (jn_coupling_term){j->name, rng_range(r, 0.3, 1.5)};
    c.offset += terms[c.term_count++].coefficient * q[j->iq];
  }
  if (c.term_count) assert_ok(jn_spec_add_constraint(spec, &c));
}

static void add_cut(rng *r, jn_spec *spec, jn_model *open, jn_data *data, const double *q,
                    int bodies, jn_constraint_type type, const char *name) {
  char a[24], b[24];
  random_links(r, bodies, a, b, sizeof a);
  const char *other = strcmp(b, "world") ? b : NULL;
  if (type == JN_CONSTRAINT_COUPLING) {
    add_coupling(r, spec, open, q, name);
    return;
  }
  jn_constraint_desc c = jn_constraint_default(name, type, a, other);
  c.a.pose = rng_pose(r, 0.2);
  const jn_pose B = partner(r, &c, jn_pose_mul(pose_of(open, data, a), c.a.pose));
  c.b.pose = jn_pose_mul(jn_pose_inv(pose_of(open, data, other)), B);
  assert_ok(jn_spec_add_constraint(spec, &c));
}

mechanism mechanism_random(uint64_t seed, int bodies, jn_joint_type base, unsigned types, int cuts,
                           unsigned cut_types, int order) {
  robot open = robot_random(seed, bodies, base, types, 1);
  rng r = rng_new(seed + 77);
  assert_ok(jn_kinematics(open.model, open.data, 0, open.q, open.v));
  for (int i = 0; i < cuts; i++) {
    jn_constraint_type type;
    char name[24];
    snprintf(name, sizeof name, "cut%d", i);
    do type = (jn_constraint_type)rng_below(&r, JN_CONSTRAINT_TYPE_COUNT);
    while (!(cut_types & 1u << type));
    add_cut(&r, open.spec, open.model, open.data, open.q, bodies, type, name);
  }
  mechanism m = mechanism_of(build(open.spec), order);
  memcpy(m.q, open.q, sizeof(double) * (size_t)m.nq);
  memcpy(m.v, open.v, sizeof(double) * (size_t)m.nv);
  robot_free(&open);
  return m;
}
