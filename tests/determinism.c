/* determinism.c: a hash of the bits of every kind of result, over many random robots and states.
 *
 *   determinism [--cases N] [--threads T] [--fast] [--parts]
 *
 * Strict settings unless --fast. The inputs come from integers, the library's own arithmetic and
 * constants, so that a difference between two machines is in the library. Batches must have the
 * bits of single calls (strict). Prints the hash; --parts also prints those of the parts, to
 * find where two machines differ. Needs only the library and helpers/rng.c. */
#include <jounce/jounce.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/rng.h"

enum { BODIES = 5, TOP = 6, ROOM = 40 * 40 * 60, STATES = 9 };

typedef enum part {
  MODEL,
  DYNAMICS,
  FORMS,
  MOTION,
  MATRICES,
  PARTIALS,
  GROUP,
  SIMULATION,
  PARTS
} part;
static const char *const names[PARTS] = {"models",   "dynamics", "formulations", "kinematics",
                                         "matrices", "partials", "group",        "simulation"};
static uint64_t hash[PARTS];
static int batches_differ;

static void stop(const char *what) {
  fprintf(stderr, "determinism: %s\n", what);
  exit(1);
}

/* FNV-1a over 64-bit words, independent of the byte order */
static void add_word(part p, uint64_t x) { hash[p] = (hash[p] ^ x) * 0x100000001b3u; }

static void add(part p, jn_status status, const double *x, size_t n) {
  add_word(p, (uint64_t)status);
  for (size_t i = 0; !status && i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    add_word(p, bits);
  }
}

static jn_model *random_model(rng *r) {
  jn_spec *spec;
  jn_model *model;
  if (jn_spec_new("random", NULL, &spec)) stop("out of memory");
  jn_spec_set_gravity(spec, rng_vec3(r, 12));
  const int bodies = 1 + rng_below(r, BODIES);
  char name[BODIES][16], joint[16];
  for (int i = 0; i < bodies; i++) {
    snprintf(name[i], sizeof name[i], "l%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    jn_link_desc l = jn_link_default(name[i]);
    l.mass = rng_range(r, 0.3, 3);
    l.com = rng_vec3(r, 0.2);
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = l.mass * rng_range(r, 0.001, 0.03);
    jn_mat3 D = {{{s[1] + s[2], 0, 0}, {0, s[0] + s[2], 0}, {0, 0, s[0] + s[1]}}};
    const jn_mat3 R = rng_rotation(r);
    D = jn_m3_mul(jn_m3_mul(R, D), jn_m3_transpose(R));
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < k; j++) D.m[k][j] = D.m[j][k];
    l.inertia = D;
    jn_joint_type type = i                 ? (jn_joint_type)rng_below(r, JN_JOINT_TYPE_COUNT)
                         : rng_below(r, 2) ? JN_JOINT_FREE
                                           : JN_JOINT_REVOLUTE;
    jn_joint_desc j = jn_joint_default(joint, type, i ? name[rng_below(r, i)] : NULL, name[i]);
    j.placement = JN_BY_FRAME;
    if (i) j.origin = rng_pose(r, 0.3);
    j.axis[0] = rng_direction(r);
    j.axis[1] = jn_v3_cross(j.axis[0], rng_direction(r));
    j.pitch = rng_range(r, -0.3, 0.3);
    if (type != JN_JOINT_FREE && type != JN_JOINT_FIXED) j.armature = rng_range(r, 0.001, 0.1);
    j.damping = type == JN_JOINT_FREE ? 0 : rng_range(r, 0, 1);
    if (jn_spec_add_link(spec, &l) || jn_spec_add_joint(spec, &j)) stop("spec refused");
  }
  jn_error error;
  if (jn_model_build(spec, NULL, NULL, &model, &error)) stop(error.message);
  jn_spec_free(spec);
  return model;
}

typedef struct bench {
  const jn_model *model;
  jn_data *data;
  int order, strict, threads;
  size_t nq, nv, n, m; /* n = (r+1) nv, m = (r+2) nv */
  double q[STATES * 64], v[STATES * 64 * (TOP + 2)], tau[STATES * 64 * (TOP + 2)];
  unsigned char given[BODIES * 2];
} bench;

static double out[ROOM], two[ROOM], three[ROOM], four[ROOM];

static void random_states(bench *b, rng *r) {
  double dq[64];
  for (size_t s = 0; s < STATES; s++) {
    double *q = b->q + s * b->nq;
    /* sometimes a very large angle, to test the argument reduction */
    const double reach = rng_below(r, 8) ? 3 : 1e9;
    jn_model_home(b->model, q);
    for (size_t i = 0; i < b->nv; i++) dq[i] = rng_range(r, -reach, reach);
    if (jn_integrate(b->model, q, dq, q)) stop("integrate");
    for (size_t i = 0; i < b->m; i++) b->v[s * b->m + i] = rng_range(r, -2, 2);
  }
  for (size_t i = 0; i < sizeof b->given; i++) b->given[i] = (unsigned char)rng_below(r, 2);
}

static void same(const double *x, const double *y, size_t n) {
  batches_differ |= memcmp(x, y, sizeof *x * n) != 0;
}

/* inverse, forward and hybrid dynamics of all states, one by one and as a batch */
static void run_dynamics(bench *b) {
  const jn_model *m = b->model;
  jn_batch *batch;
  if (jn_batch_new(m, b->order, b->threads, NULL, &batch)) stop("batch");
  *jn_batch_settings(batch) = *jn_data_settings(b->data);
  double *a = two, *v = three, *tau = four, first[STATES * 64];
  jn_status s = jn_batch_inverse_dynamics(m, batch, b->order, STATES, b->q, b->v, b->tau, NULL);
  add(DYNAMICS, s, b->tau, STATES * b->n);
  for (size_t i = 0; i < STATES && b->strict; i++) {
    jn_inverse_dynamics(m, b->data, b->order, b->q + i * b->nq, b->v + i * b->m, NULL, out);
    if (!s) same(out, b->tau + i * b->n, b->n);
  }
  for (size_t i = 0; i < STATES; i++)
    memcpy(first + i * b->nv, b->v + i * b->m, sizeof *first * b->nv);
  s = jn_batch_forward_dynamics(m, batch, b->order, STATES, b->q, first, b->tau, a, NULL);
  add(DYNAMICS, s, a, STATES * b->n);
  for (size_t i = 0; i < STATES && b->strict; i++) {
    jn_forward_dynamics(m, b->data, b->order, b->q + i * b->nq, first + i * b->nv,
                        b->tau + i * b->n, NULL, out);
    if (!s) same(out, a + i * b->n, b->n);
  }
  memcpy(v, b->v, sizeof *v * STATES * b->m);
  memcpy(tau, b->tau, sizeof *tau * STATES * b->n);
  s = jn_batch_hybrid_dynamics(m, batch, b->order, STATES, b->q, b->given, v, tau, NULL);
  add(DYNAMICS, s, v, STATES * b->m);
  add(DYNAMICS, s, tau, STATES * b->n);
  for (size_t i = 0; i < STATES && b->strict; i++) {
    memcpy(out, b->v + i * b->m, sizeof *out * b->m);
    memcpy(out + b->m, b->tau + i * b->n, sizeof *out * b->n);
    jn_hybrid_dynamics(m, b->data, b->order, b->q + i * b->nq, b->given, out, out + b->m, NULL);
    if (!s) same(out, v + i * b->m, b->m), same(out + b->m, tau + i * b->n, b->n);
  }
  jn_batch_free(batch);
}

static void run_forms(bench *b, rng *r) {
  const jn_model *m = b->model;
  double wrench[6 * (TOP + 1)];
  for (int i = 0; i < 6 * (TOP + 1); i++) wrench[i] = rng_range(r, -1, 1);
  jn_applied_wrench w = {rng_below(r, jn_model_frame_count(m)), (jn_representation)rng_below(r, 4),
                         wrench};
  jn_external e = {0};
  e.wrench_count = 1;
  e.wrenches = &w;
  for (int f = 0; f < 4; f++) {
    jn_data_settings(b->data)->formulation = (jn_formulation)f;
    add(FORMS, jn_inverse_dynamics(m, b->data, b->order, b->q, b->v, &e, out), out, b->n);
    add(FORMS, jn_forward_dynamics(m, b->data, b->order, b->q, b->v, b->tau, &e, out), out, b->n);
  }
  jn_data_settings(b->data)->formulation = JN_FORM_BODY;
}

static void run_motion(bench *b, rng *r) {
  const jn_model *m = b->model;
  const int frame = rng_below(r, jn_model_frame_count(m)), K = b->order;
  const size_t rows = (size_t)K + 1;
  jn_pose C;
  if (jn_kinematics(m, b->data, K + 1, b->q, b->v) || jn_frame_pose(m, b->data, frame, &C)) {
    add_word(MOTION, 1);
    return;
  }
  add(MOTION, JN_OK, &C.R.m[0][0], 9);
  add(MOTION, JN_OK, &C.p.x, 3);
  for (int k = 0; k < 4; k++) {
    const jn_representation rep = (jn_representation)k;
    add(MOTION, jn_frame_twist(m, b->data, frame, rep, K, out), out, 6 * rows);
    add(MOTION, jn_frame_jacobian(m, b->data, frame, rep, K, out), out, 6 * rows * b->nv);
  }
  add(MOTION, jn_point_motion(m, b->data, frame, jn_v3(1, 2, 3), K, out), out, 3 * (rows + 1));
}

static void run_matrices(bench *b) {
  const jn_model *m = b->model;
  const size_t rows = (size_t)b->order + 1, n2 = b->nv * b->nv;
  double g[64 * (TOP + 1)], h[64 * (TOP + 1)], t[64 * (TOP + 1)];
  jn_status s = jn_equations_of_motion(m, b->data, b->order, b->q, b->v, NULL, out, two, g, h, t);
  add(MATRICES, s, out, rows * n2);
  add(MATRICES, s, two, rows * n2);
  add(MATRICES, s, g, rows * b->nv);
  add(MATRICES, s, h, rows * b->nv);
  add(MATRICES, jn_mass_matrix(m, b->data, b->q, out), out, n2);
  add(MATRICES, jn_inverse_mass(m, b->data, b->q, out), out, n2);
  double e[4][8 * (TOP + 1)];
  jn_momentum o = {0};
  memset(e, 0, sizeof e);
  o.kinetic = e[0], o.potential = e[1], o.com = e[2];
  s = jn_momentum_energy(m, b->data, b->order, b->q, b->v, &o);
  add(MATRICES, s, e[0], rows);
  add(MATRICES, s, e[1], rows);
  add(MATRICES, s, e[2], 3 * rows);
}

static void run_partials(bench *b) {
  const jn_model *m = b->model;
  const int K = b->order < 2 ? b->order : 2;
  const size_t rows = (size_t)K + 1, n2 = b->nv * b->nv;
  jn_status s = jn_inverse_partials(m, b->data, K, b->q, b->v, NULL, out, two);
  add(PARTIALS, s, out, rows * n2);
  add(PARTIALS, s, two, n2);
  s = jn_forward_partials(m, b->data, 0, b->q, b->v, b->tau, NULL, out, two, three);
  add(PARTIALS, s, out, n2);
  add(PARTIALS, s, two, n2);
  add(PARTIALS, s, three, n2);
  s = jn_linearise(m, b->data, NULL, b->q, b->v, b->tau, NULL, out, NULL);
  add(PARTIALS, s, out, 4 * n2);
}

static void run_group(bench *b, rng *r) {
  double dq[64];
  add(GROUP, jn_difference(b->model, b->q, b->q + b->nq, dq), dq, b->nv);
  add(GROUP, jn_integrate(b->model, b->q, dq, out), out, b->nq);
  const jn_vec3 x = rng_vec3(r, 4);
  const jn_mat3 R = jn_m3_from_rpy(x.x, x.y, x.z);
  const jn_vec3 y = jn_so3_log(R);
  add(GROUP, JN_OK, &R.m[0][0], 9);
  add(GROUP, JN_OK, &y.x, 3);
  double jet[8], s[8], c[8];
  for (int i = 0; i < 8; i++) jet[i] = rng_range(r, -2, 2);
  jn_jet_exp(7, jet, out);
  jn_jet_sincos(7, jet, s, c);
  add(GROUP, JN_OK, out, 8);
  add(GROUP, JN_OK, s, 8);
  add(GROUP, JN_OK, c, 8);
}

/* a few steps of an adaptive scheme; the step lengths depend on powers and logarithms */
static void run_simulation(bench *b, int scheme) {
  jn_simulation_options o = jn_simulation_options_default();
  jn_simulation *s;
  o.scheme = scheme ? JN_TAYLOR : JN_RKMK54;
  o.tolerance = 1e-8;
  o.strict = b->strict;
  if (jn_simulation_new(b->model, &o, NULL, &s, NULL)) {
    add_word(SIMULATION, 1);
    return;
  }
  jn_status status = jn_simulation_set_state(s, 0, b->q, b->v);
  for (int i = 0; i < 4 && !status; i++) status = jn_simulation_step(s, 1, NULL);
  double t = 0, q[64], v[64];
  if (!status) status = jn_simulation_state(s, &t, q, v);
  add(SIMULATION, status, &t, 1);
  add(SIMULATION, status, q, b->nq);
  add(SIMULATION, status, v, b->nv);
  jn_simulation_free(s);
}

static void run_case(uint64_t seed, int strict, int threads) {
  static bench b;
  rng r = rng_new(seed);
  jn_model *model = random_model(&r);
  b = (bench){0};
  b.model = model;
  b.order = rng_below(&r, TOP + 1);
  b.strict = strict, b.threads = threads;
  b.nq = (size_t)jn_model_nq(model), b.nv = (size_t)jn_model_nv(model);
  b.n = ((size_t)b.order + 1) * b.nv, b.m = b.n + b.nv;
  if (jn_data_new(model, b.order, NULL, &b.data)) stop("out of memory");
  jn_settings *settings = jn_data_settings(b.data);
  settings->strict = strict;
  settings->representation = (jn_representation)rng_below(&r, 4);
  settings->damping = rng_below(&r, 2);
  random_states(&b, &r);
  add(MODEL, JN_OK, b.q, STATES * b.nq);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_body *body = jn_model_body(model, i);
    add(MODEL, JN_OK, &body->inertia.m, 1);
  }
  run_dynamics(&b);
  switch (seed % 4) { /* each of the expensive parts on a quarter of the cases */
    case 0:
      run_forms(&b, &r);
      break;
    case 1:
      run_motion(&b, &r);
      run_group(&b, &r);
      break;
    case 2:
      run_matrices(&b);
      break;
    default:
      run_partials(&b);
      if (seed % 16 == 3) run_simulation(&b, (int)(seed / 16 % 2));
      break;
  }
  jn_data_free(b.data);
  jn_model_free(model);
}

int main(int argc, char **argv) {
  long cases = 10000;
  int threads = 1, strict = 1, parts = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--cases") && i + 1 < argc)
      cases = strtol(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
      threads = (int)strtol(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--fast"))
      strict = 0;
    else if (!strcmp(argv[i], "--parts"))
      parts = 1;
    else
      return fputs("usage: determinism [--cases N] [--threads T] [--fast] [--parts]\n", stderr), 2;
  }
  for (long i = 0; i < cases; i++) run_case((uint64_t)i, strict, threads);
  uint64_t all = 0;
  for (int p = 0; p < PARTS; p++) {
    if (parts) printf("%016llx %s\n", (unsigned long long)hash[p], names[p]);
    all = (all ^ hash[p]) * 0x100000001b3u;
  }
  if (strict && batches_differ) stop("a batch differs from its single calls");
  printf("%016llx\n", (unsigned long long)all);
  return 0;
}
