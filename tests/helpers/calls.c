#include "helpers/calls.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"

enum { OUTPUTS = 400000, WORK = 400000 };

double *take(subject *s, size_t n) {
  double *x = s->out + s->used;
  s->used += n;
  if (s->used > OUTPUTS) fail_msg("more than %d numbers of output", OUTPUTS);
  return x;
}

double *give(subject *s, const double *x, size_t n) {
  double *out = take(s, n);
  memcpy(out, x, n * sizeof *x);
  memcpy(s->before + (out - s->out), x, n * sizeof *x);
  return out;
}

/* must succeed, unless the robot has numbers so large that results overflow */
static void good(const subject *s, jn_status status) {
  if (!s->large || (status != JN_ERR_NOT_FINITE && status != JN_ERR_DIGITS)) assert_ok(status);
}

static void make_simulations(subject *s, jn_representation representation) {
  for (int i = 0; i < SCHEMES; i++) {
    jn_simulation_options o = jn_simulation_options_default();
    o.scheme = (jn_scheme)i;
    o.representation = representation;
    o.step = 1e-3;
    o.order = i == JN_TAYLOR ? s->order + 2 : 0;
    s->simulation[i] = NULL;
    jn_status status = jn_simulation_new(s->r.model, &o, NULL, &s->simulation[i], NULL);
    if (status != JN_ERR_ARGUMENT)
      good(s, status); /* JN_ERR_ARGUMENT: the scheme needs another base */
  }
}

/* The same robot with a rod between its last link and the base (the world, if it is one body). */
static void make_closed(subject *s) {
  const robot *r = &s->r;
  const jn_body *last = jn_model_body(r->model, r->nbody - 1), *first = jn_model_body(r->model, 0);
  jn_constraint_desc c = jn_constraint_default("rod", JN_CONSTRAINT_DISTANCE,
                                               jn_model_frame(r->model, last->frame)->name, NULL);
  if (r->nbody > 1) c.b.link = jn_model_frame(r->model, first->frame)->name;
  jn_pose A, B = jn_pose_identity();
  c.b.pose.p.x = 0.3;
  if (jn_kinematics(r->model, r->data, -1, r->q, NULL)) return;
  assert_ok(jn_frame_pose(r->model, r->data, last->frame, &A));
  if (c.b.link) assert_ok(jn_frame_pose(r->model, r->data, first->frame, &B));
  c.length = jn_v3_norm(jn_v3_sub(A.p, jn_pose_apply(B, c.b.pose.p)));
  assert_ok(jn_spec_add_constraint(r->spec, &c));
  if (jn_model_build(r->spec, NULL, NULL, &s->closed, NULL)) return;
  good(s, jn_data_new(s->closed, s->order, NULL, &s->closed_data));
  good(s, jn_batch_new(s->closed, s->order, 1, NULL, &s->closed_batch));
}

/* A free body with a ring of rotors. */
static void make_flyer(subject *s) {
  jn_spec *spec = NULL;
  jn_link_desc body = jn_link_default("body");
  const jn_joint_desc base = jn_joint_default("base", JN_JOINT_FREE, NULL, "body");
  jn_rotor_ring ring = jn_rotor_ring_actuated();
  body.mass = 1;
  body.inertia = (jn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  ring.count = ROTORS;
  assert_ok(jn_spec_new("flyer", NULL, &spec));
  assert_ok(jn_spec_add_link(spec, &body));
  assert_ok(jn_spec_add_joint(spec, &base));
  assert_ok(jn_spec_add_rotor_ring(spec, "body", &ring, NULL));
  assert_ok(jn_model_build(spec, NULL, NULL, &s->flyer, NULL));
  jn_spec_free(spec);
}

static void make_slots(subject *s) {
  const size_t nv = (size_t)s->r.nv, nq = (size_t)s->r.nq, n = s->r.n, rows = (size_t)s->order + 1;
  const struct {
    const char *name;
    unsigned reads;
    size_t n;
    double **x;
  } list[SLOTS] = {{"q", READS_Q, nq, &s->q},
                   {"v", READS_V, n + nv, &s->v},
                   {"tau", READS_TAU, n, &s->tau},
                   {"wrench", READS_WRENCH, 2 * 6 * rows, &s->wrench},
                   {"external tau", READS_WRENCH, n, &s->more},
                   {"gravity", READS_GRAVITY, 3, &s->gravity},
                   {"dq", READS_STEP, nv, &s->dq},
                   {"dv", READS_STEP, n + nv, &s->dv},
                   {"dtau", READS_STEP, n, &s->dtau},
                   {"q1", READS_Q1, nq, &s->q1},
                   {"twists", READS_TWISTS, 6 * rows * (size_t)s->r.nbody, &s->twists},
                   {"point", READS_POINT, 3, &s->point},
                   {"matrix", READS_MATRIX, nv * nv, &s->matrix},
                   {"pose", READS_POSE, 12, &s->pose},
                   {"omega", READS_ROTOR, ROTORS * rows, &s->omega}};
  s->in_count = 0;
  for (int i = 0; i < SLOTS; i++) s->in_count += list[i].n;
  const size_t jets = 100 * (rows + 2);
  s->in = doubles(s->in_count + jets);
  double *x = s->in;
  for (int i = 0; i < SLOTS; i++) {
    s->slot[i] = (struct slot){list[i].name, list[i].reads, x, list[i].n};
    *list[i].x = x;
    x += list[i].n;
  }
  s->jet = x; /* pure functions have no status: not for the tests of bad states */
  rng g = rng_new(99);
  for (size_t i = 0; i < jets; i++) s->jet[i] = rng_range(&g, 0.5, 1.5);
}

static void fill_inputs(subject *s) {
  robot *r = &s->r;
  const size_t nv = (size_t)r->nv, nq = (size_t)r->nq, rows = (size_t)s->order + 1;
  rng g = rng_new(7);
  good(s, jn_inverse_dynamics(r->model, r->data, s->order, r->q, r->v, NULL, s->tau));
  memcpy(s->q, r->q, nq * sizeof *s->q);
  memcpy(s->v, r->v, (r->n + nv) * sizeof *s->v);
  memcpy(s->wrench, s->l.jets, 12 * rows * sizeof *s->wrench);
  memcpy(s->more, s->l.tau, r->n * sizeof *s->more);
  for (int i = 0; i < s->l.count; i++) s->l.wrench[i].wrench = s->wrench + 6 * rows * (size_t)i;
  s->l.external.tau = s->more;
  const jn_vec3 gravity = jn_data_settings(r->data)->gravity;
  memcpy(s->gravity, &gravity, sizeof gravity);
  for (size_t i = 0; i < nv; i++) s->dq[i] = rng_range(&g, -0.5, 0.5);
  for (size_t i = 0; i < r->n + nv; i++) s->dv[i] = rng_range(&g, -1, 1);
  for (size_t i = 0; i < r->n; i++) s->dtau[i] = rng_range(&g, -1, 1);
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < nv; j++) s->matrix[i * nv + j] = rng_range(&g, -1, 1);
  for (int i = 0; i < 3; i++) s->point[i] = 0.1 * (i + 1);
  const jn_pose C = rng_pose(&g, 1);
  memcpy(s->pose, &C, sizeof C);
  for (size_t i = 0; i < ROTORS * rows; i++) s->omega[i] = i < ROTORS ? 400 + 10 * (double)i : 1;
  assert_ok(jn_integrate(r->model, s->q, s->dq, s->q1));
  const jn_status moves = jn_kinematics(r->model, r->data, s->order, r->q, r->v);
  good(s, moves);
  for (int i = 0; i < r->nbody && !moves; i++)
    good(s, jn_frame_twist(r->model, r->data, jn_model_body(r->model, i)->frame, JN_BODY, s->order,
                           s->twists + 6 * rows * (size_t)i));
  s->good = copy_of(s->in, s->in_count);
}

subject subject_new(uint64_t seed, int bodies, jn_joint_type base, unsigned types, int order,
                    jn_representation representation, jn_formulation formulation) {
  return subject_of(robot_random(seed, bodies, base, types, order), seed, representation,
                    formulation, 0);
}

subject subject_of(robot r, uint64_t seed, jn_representation representation,
                   jn_formulation formulation, int large) {
  subject s;
  memset(&s, 0, sizeof s);
  const int order = s.order = r.order;
  s.large = large;
  s.r = r;
  s.l = load_random(&s.r, seed, 2);
  robot_represent(&s.r, representation);
  jn_data_settings(s.r.data)->formulation = formulation;
  assert_ok(jn_batch_new(s.r.model, order, 1, NULL, &s.batch));
  jn_batch_settings(s.batch)->representation = representation;
  make_simulations(&s, representation);
  make_closed(&s);
  make_flyer(&s);
  double *c = doubles(3 * (size_t)s.r.nv);
  for (size_t i = 0; i < 3 * (size_t)s.r.nv; i++) c[i] = 0.1;
  assert_ok(jn_trajectory_polynomial(s.r.model, 0, 1, 2, c, NULL, &s.trajectory, NULL));
  assert_ok(jn_layout_new(s.r.model, JN_LAYOUT_MUJOCO, NULL, &s.layout, NULL));
  free(c);
  make_slots(&s);
  fill_inputs(&s);
  s.out = doubles(OUTPUTS);
  s.before = doubles(OUTPUTS);
  s.work = doubles(WORK);
  if (jn_cmtm_work_size(s.r.model, order) > WORK ||
      jn_constrained_linearise_rates_size(s.r.model, order) > WORK)
    fail_msg("more than %d numbers of work", WORK);
  return s;
}

void subject_free(subject *s) {
  for (int i = 0; i < SCHEMES; i++) jn_simulation_free(s->simulation[i]);
  jn_data_free(s->closed_data);
  jn_batch_free(s->closed_batch);
  jn_model_free(s->closed);
  jn_model_free(s->flyer);
  jn_batch_free(s->batch);
  jn_trajectory_free(s->trajectory);
  jn_layout_free(s->layout);
  load_free(&s->l);
  robot_free(&s->r);
  free(s->in), free(s->good), free(s->out), free(s->before), free(s->work);
}

int call_run(subject *s, const call *c) {
  memcpy(&jn_data_settings(s->r.data)->gravity, s->gravity, sizeof(jn_vec3));
  memcpy(&jn_batch_settings(s->batch)->gravity, s->gravity, sizeof(jn_vec3));
  s->used = 0;
  return c->run(s);
}
