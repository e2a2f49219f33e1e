/* api.c: fuzz target for the C interface: calls in any order with any numbers: a spec built from
 * the bytes, data of some order, settings, compute functions, outputs in blocks of exactly their
 * size. */
#include <jounce/jounce.h>
#include <math.h>
#include <string.h>

#include "target.h"

typedef struct source {
  const uint8_t *at, *end;
} source;

static int next(source *s) { return s->at < s->end ? *s->at++ : 0; }

static double number(source *s) {
  static const double special[] = {0,      -0.0,  1,     -1,     1e308,  -1e308, 1e-308,
                                   5e-324, 1e155, 1e-20, 3.1416, 1.5708, 1e6,    1 / 3.0};
  int k = next(s);
  if (k < 4) return k == 0 ? 0 : k == 1 ? HUGE_VAL : k == 2 ? -HUGE_VAL : nan("");
  if (k < 32) return special[(size_t)k % (sizeof special / sizeof special[0])];
  return (k - 144) / 64.0;
}

static jn_vec3 vector(source *s) {
  double x = number(s), y = number(s);
  return jn_v3(x, y, number(s));
}

static jn_pose pose(source *s) {
  int k = next(s);
  jn_pose C = jn_pose_make(jn_so3_exp(jn_v3(0, 0, (k & 15) / 8.0)), jn_v3(0, 0, 0));
  if (k & 16) C.p = vector(s);
  if (k >= 240) C.R.m[k & 1][k >> 1 & 1] = number(s);
  return C;
}

static void add_body(source *s, jn_spec *spec, int i) {
  char name[16], parent[16], joint[16];
  int kind = next(s), above = i ? next(s) % i : 0;
  snprintf(name, sizeof name, "l%d", kind == 255 ? 0 : i);
  snprintf(parent, sizeof parent, "l%d", above);
  snprintf(joint, sizeof joint, "j%d", i);
  jn_link_desc l = jn_link_default(name);
  l.mass = fabs(number(s));
  l.com = vector(s);
  for (int k = 0; k < 3; k++) l.inertia.m[k][k] = 1 + fabs(number(s));
  if (kind > 200) l.inertia.m[0][1] = number(s);
  l.home = pose(s);
  jn_joint_desc j = jn_joint_default(joint, (jn_joint_type)(kind % (JN_JOINT_TYPE_COUNT + 1)),
                                     i ? parent : NULL, name);
  j.placement = (jn_placement)(next(s) % 2);
  j.origin = pose(s);
  j.axis[0] = vector(s);
  j.axis[1] = vector(s);
  j.point = vector(s);
  j.pitch = number(s);
  j.armature = fabs(number(s));
  j.damping = fabs(number(s));
  PROMISE(jn_spec_add_link(spec, &l) == JN_OK);
  const jn_status added = jn_spec_add_joint(spec, &j);
  PROMISE(added == JN_OK || (added == JN_ERR_ARGUMENT && j.type == JN_JOINT_TYPE_COUNT));
  if (i == 0 && kind % 3 == 0) {
    jn_rotor_ring ring = kind & 16 ? jn_rotor_ring_printed() : jn_rotor_ring_actuated();
    ring.radius = number(s), ring.alpha = number(s);
    PROMISE(jn_spec_add_rotor_ring(spec, name, &ring, NULL) == JN_OK || !isfinite(ring.radius) ||
            !isfinite(ring.alpha));
  }
  if (kind % 5) return;
  jn_frame_desc f = {joint, name, pose(s), 0};
  PROMISE(jn_spec_add_frame(spec, &f) == JN_OK);
}

typedef struct world {
  const jn_model *model;
  jn_data *data;
  size_t nq, nv, nb;
  double *q, *v, *tau; /* [nq], [(order+2) x nv], [(order+1) x nv] of the largest order */
  jn_external external;
  jn_applied_wrench wrench;
} world;

static double *room(size_t n) {
  double *x = malloc(n ? n * sizeof *x : 1);
  PROMISE(x != NULL);
  return x;
}

static void finish(jn_status status, double *x, size_t n) {
  for (size_t i = 0; status == JN_OK && i < n; i++) PROMISE(isfinite(x[i]));
  free(x);
}

static void call(source *s, world *w) {
  const int what = next(s), order = next(s) % 5;
  const size_t nv = w->nv, rows = (size_t)order + 1, n = rows * nv;
  const jn_model *m = w->model;
  jn_data *d = w->data;
  const jn_external *e = next(s) & 1 ? &w->external : NULL;
  const jn_representation rep = (jn_representation)(next(s) % 5);
  const int frame = next(s) % (jn_model_frame_count(m) + 2) - 1;
  unsigned char given[8] = {0};
  double *x;
  switch (what % 16) {
    case 0:
      x = room(n);
      finish(jn_inverse_dynamics(m, d, order, w->q, w->v, e, x), x, n);
      break;
    case 1:
      x = room(n);
      finish(jn_forward_dynamics(m, d, order, w->q, w->v, w->tau, e, x), x, n);
      break;
    case 2:
      for (int i = 0; i < 8; i++) given[i] = (unsigned char)(what >> i & 1);
      jn_hybrid_dynamics(m, d, order, w->q, given, w->v, w->tau, e);
      break;
    case 3:
      x = room(n * nv);
      finish(jn_equations_of_motion(m, d, order, w->q, w->v, e, x, NULL, NULL, NULL, NULL), x,
             n * nv);
      break;
    case 4:
      x = room(nv * nv);
      finish(jn_mass_matrix(m, d, w->q, x), x, nv * nv);
      break;
    case 5:
      jn_kinematics(m, d, order - 1, w->q, w->v);
      break;
    case 6:
      x = room(6 * rows);
      finish(jn_frame_twist(m, d, frame, rep, order, x), x, 6 * rows);
      break;
    case 7:
      x = room(6 * n);
      finish(jn_frame_jacobian(m, d, frame, rep, order, x), x, 6 * n);
      break;
    case 8:
      x = room(n * nv);
      finish(jn_inverse_partials(m, d, order, w->q, w->v, e, x, NULL), x, n * nv);
      break;
    case 9:
      x = room(n * nv);
      finish(jn_forward_partials(m, d, order, w->q, w->v, w->tau, e, x, NULL, NULL), x, n * nv);
      break;
    case 10:
      x = room(nv * nv);
      finish(jn_inverse_mass(m, d, w->q, x), x, nv * nv);
      break;
    case 11:
      x = room(4 * nv * nv);
      finish(jn_linearise(m, d, NULL, w->q, w->v, w->tau, e, x, NULL), x, 4 * nv * nv);
      break;
    case 12:
      x = room(w->nq);
      finish(jn_integrate(m, w->q, w->v, x), x, w->nq);
      break;
    case 13:
      x = room(10 * w->nb * n);
      finish(jn_regressor(m, d, order, w->q, w->v, x), x, 10 * w->nb * n);
      break;
    case 14: {
      jn_rotor_load load[JN_MAX_ROTORS];
      double *thrust = room(JN_MAX_ROTORS * ((size_t)order + 1)), W[30];
      for (int i = 0; i < 30; i++) W[i] = number(s);
      if (order <= 4 && jn_rotor_thrusts(m, order, W, thrust, NULL) == JN_OK &&
          jn_rotor_loads(m, order, thrust, load) == JN_OK)
        jn_rotor_speeds(m, order, thrust, thrust);
      free(thrust);
      x = room(n);
      finish(jn_inverse_vjp(m, d, order, w->q, w->v, e, w->tau, NULL, NULL), x, 0);
      break;
    }
    default: {
      jn_settings *settings = jn_data_settings(d);
      settings->representation = rep;
      settings->formulation = (jn_formulation)(what >> 4 & 7);
      settings->damping = frame & 1;
      if (what > 250) settings->gravity = vector(s);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  source s = {bytes, bytes + size};
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error error;
  const int bodies = next(&s) % 5 + 1;
  PROMISE(jn_spec_new("made", NULL, &spec) == JN_OK);
  for (int i = 0; i < bodies; i++) add_body(&s, spec, i);
  jn_status status = jn_model_build(spec, NULL, NULL, &model, &error);
  PROMISE((status == JN_OK) == (model != NULL));
  jn_spec_free(spec);
  if (!model) return 0;
  world w = {.model = model};
  const int largest = next(&s) % 5;
  PROMISE(jn_data_new(model, largest, NULL, &w.data) == JN_OK);
  w.nq = (size_t)jn_model_nq(model), w.nv = (size_t)jn_model_nv(model);
  w.nb = (size_t)jn_model_body_count(model);
  w.q = room(w.nq);
  w.v = room(6 * w.nv);
  w.tau = room(5 * w.nv);
  double wrench[30];
  jn_model_home(model, w.q);
  for (size_t i = 0; i < w.nq; i++)
    if (next(&s) & 64) w.q[i] += number(&s);
  for (size_t i = 0; i < 6 * w.nv; i++) w.v[i] = number(&s);
  for (size_t i = 0; i < 5 * w.nv; i++) w.tau[i] = number(&s);
  for (size_t i = 0; i < 30; i++) wrench[i] = number(&s);
  w.wrench = (jn_applied_wrench){next(&s) % 3, (jn_representation)(next(&s) % 4), wrench};
  w.external = (jn_external){1, &w.wrench, NULL};
  for (int i = 0; i < 12 && s.at < s.end; i++) call(&s, &w);
  free(w.q), free(w.v), free(w.tau);
  jn_data_free(w.data);
  jn_model_free(model);
  return 0;
}
