/* api.c: fuzz target for the C interface: calls in any order with any numbers.
 *
 * First byte below 128: it chooses a robot; then a record for each call of a public compute function
 * (tests/helpers/calls_list.h has all of them): which one, and up to two numbers of its inputs that
 * are replaced. A call that succeeds has finite outputs, one that fails leaves them as they were.
 *
 * Else: a spec built from the bytes, data of some order, settings, compute functions, outputs in
 * blocks of exactly their size. */
#include <jounce/jounce.h>
#include <math.h>
#include <string.h>

#include "helpers/calls.h"
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

/* ---- calls on robots that are made once */

enum { SUBJECTS = 8, MOST_CALLS = 4 };
typedef struct record {
  uint8_t call, flags; /* flags: 1, 2: the changes; 4: the earlier changes are undone first */
  uint8_t slot[2], index[2], value[2];
} record;
_Static_assert(sizeof(record) == 8, "a record is eight bytes");

static size_t outputs[SUBJECTS][256]; /* numbers that a call writes; 0: it does not apply */

static void fill_outputs(subject *s, size_t n) {
  for (size_t i = 0; i < n; i++) s->out[i] = s->before[i] = 0x1.23456789abcdep+300;
}

static subject *subject_number(int i) {
  static subject made[SUBJECTS];
  static const jn_joint_type base[4] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_REVOLUTE,
                                        JN_JOINT_SPHERICAL};
  if (made[i].in) return &made[i];
  made[i] = subject_new((uint64_t)i + 1, 1 + i % 4, base[i % 4], TYPES_ALL, i / 2 % 3,
                        (jn_representation)(i % 4), (jn_formulation)(i / 2 % 4));
  PROMISE(call_count <= 256);
  for (int c = 0; c < call_count; c++) {
    fill_outputs(&made[i], 1);
    const int status = call_run(&made[i], &calls[c]);
    outputs[i][c] = status == SKIPPED || status == JN_ERR_ARGUMENT ? 0 : made[i].used;
  }
  return &made[i];
}

static void change(const subject *s, const record *r, int k) {
  const struct slot *slot = &s->slot[r->slot[k] % SLOTS];
  source value = {&r->value[k], &r->value[k] + 1};
  if (slot->n) slot->x[r->index[k] % slot->n] = number(&value);
}

static void run_calls(int which, const uint8_t *bytes, size_t size) {
  subject *s = subject_number(which);
  record r;
  for (int done = 0; size >= sizeof r && done < MOST_CALLS; done++) {
    memcpy(&r, bytes, sizeof r);
    bytes += sizeof r, size -= sizeof r;
    const int c = r.call % call_count;
    const size_t n = outputs[which][c];
    if (r.flags & 4) memcpy(s->in, s->good, s->in_count * sizeof *s->in);
    if (r.flags & 1) change(s, &r, 0);
    if (r.flags & 2) change(s, &r, 1);
    if (n == 0) continue;
    fill_outputs(s, n);
    const int status = call_run(s, &calls[c]);
    if (status == SKIPPED || calls[c].reads & READS_JET)
      continue;           /* READS_JET: several functions */
    PROMISE(status >= 0); /* else the state has changed after a failure */
    if (status == JN_OK)
      for (size_t i = 0; i < s->used; i++) PROMISE(isfinite(s->out[i]));
    else
      PROMISE(memcmp(s->out, s->before, n * sizeof *s->out) == 0);
  }
  memcpy(s->in, s->good, s->in_count * sizeof *s->in);
}

/* ---- calls on a robot of the bytes */

typedef struct world {
  const jn_model *model;
  jn_data *data;
  size_t nq, nv, nb;
  double *q, *v, *tau; /* [nq], [(order+2) x nv], [(order+1) x nv] of the largest order */
  jn_external external;
  jn_applied_wrench wrench;
} world;

static double *room(size_t n) {
  double *x = arena()->allocate(n * sizeof *x, NULL);
  PROMISE(x != NULL);
  for (size_t i = 0; i < n; i++) x[i] = 0x1.23456789abcdep+300;
  return x;
}

static void drop(double *x) { arena()->release(x, NULL); }

static void finish(jn_status status, double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    PROMISE(status == JN_OK ? isfinite(x[i]) : x[i] == 0x1.23456789abcdep+300);
  drop(x);
}

static void call_one(source *s, world *w) {
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
      jn_rotor_load loads[JN_MAX_ROTORS];
      double *thrust = room(JN_MAX_ROTORS * ((size_t)order + 1)), W[30];
      for (int i = 0; i < 30; i++) W[i] = number(s);
      if (order <= 4 && jn_rotor_thrusts(m, order, W, thrust, NULL) == JN_OK &&
          jn_rotor_loads(m, order, thrust, loads) == JN_OK)
        jn_rotor_speeds(m, order, thrust, thrust);
      drop(thrust);
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

static void run_built(const uint8_t *bytes, size_t size) {
  source s = {bytes, bytes + size};
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error error;
  const int bodies = next(&s) % 5 + 1;
  PROMISE(jn_spec_new("made", arena(), &spec) == JN_OK);
  for (int i = 0; i < bodies; i++) add_body(&s, spec, i);
  jn_status status = jn_model_build(spec, NULL, arena(), &model, &error);
  PROMISE((status == JN_OK) == (model != NULL));
  jn_spec_free(spec);
  if (!model) return;
  world w = {.model = model};
  const int largest = next(&s) % 5;
  PROMISE(jn_data_new(model, largest, arena(), &w.data) == JN_OK);
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
  for (int i = 0; i < 12 && s.at < s.end; i++) call_one(&s, &w);
  drop(w.q), drop(w.v), drop(w.tau);
  jn_data_free(w.data);
  jn_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  if (bytes[0] < 128)
    run_calls(bytes[0] % SUBJECTS, bytes + 1, size - 1);
  else
    run_built(bytes + 1, size - 1);
  input_end();
  return 0;
}

#ifdef JOUNCE_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Calls are added, left out, repeated, exchanged; their numbers become others. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  const size_t count = size > 1 ? (size - 1) / sizeof(record) : 0,
               room = most > 1 ? (most - 1) / sizeof(record) : 0;
  uint32_t x = seed * 2654435761u + 1;
  uint8_t *at = data + 1, other[sizeof(record)], fresh[sizeof(record)];
  if (size < 1 || data[0] >= 128 || room == 0 || seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  for (size_t i = 0; i < sizeof fresh; i++)
    fresh[i] = (uint8_t)((x = x * 1664525u + 1013904223u) >> 24);
  const size_t i = count ? (x >> 8) % count : 0, k = count ? (x >> 16) % count : 0;
  uint8_t *a = at + i * sizeof(record), *b = at + k * sizeof(record);
  switch (seed / 16 % 8) {
    case 0: /* one more call */
    case 1:
      if (count == room || count == MOST_CALLS) break;
      memmove(a + sizeof fresh, a, (count - i) * sizeof fresh);
      memcpy(a, fresh, sizeof fresh);
      return 1 + (count + 1) * sizeof fresh;
    case 2: /* one fewer */
      if (count < 2) break;
      memmove(a, a + sizeof fresh, (count - i - 1) * sizeof fresh);
      return 1 + (count - 1) * sizeof fresh;
    case 3: /* exchanged */
      if (count < 2) break;
      memcpy(other, a, sizeof other);
      memcpy(a, b, sizeof other);
      memcpy(b, other, sizeof other);
      return size;
    case 4: /* another function on the same numbers */
      if (count) a[0] = fresh[0];
      return size;
    case 5: /* other numbers in the same function */
      if (count) memcpy(a + 1, fresh + 1, sizeof fresh - 1);
      return size;
    case 6: /* another robot */
      data[0] = fresh[0] & 127;
      return size;
    default:
      break;
  }
  return LLVMFuzzerMutate(data, size, most);
}
#endif
