/* comprehensive_jacobians.c: the validation of Samy, Ayusawa and Yoshida 2021 (generalized
 * comprehensive motion theory), section VII, on a human-like robot with 37 degrees of freedom.
 * Prints three tables with the published numbers, and the time of forward kinematics (figure 6).
 *
 * Table I: twists of all links from products of N-CMTMs (27), deconstructed by (17), against the
 * engine's recursions in body and spatial formulation, and against differences in time.
 *
 * Table II: CoRNEA (algorithm 1) and algorithm 2 against the engine's dynamics.
 *
 * Table III: comprehensive Jacobians times the motion against the quantities themselves.
 *
 * Checks: the relative residual of table III is at most 1e-11; the robot has 37 degrees of freedom
 * and 46 parameters.
 *
 * With a file name as argument: measures longer and writes the times as CSV (drawn in
 * docs/jacobians.md). */
#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOP = 5, ROWS = TOP + 1, QUANTITIES = 5, ORDERS = 12, SIZES = 8, ROUTES = 3, LOOKS = 7 };
#define STEP 1e-8      /* of the paper's differences */
#define WIDE_STEP 1e-3 /* of ours, fourth order */
#define LIMIT 1e-11 /* of the residual of a Jacobian times the motion, relative to the quantity */

/* as printed in the paper; -1: nothing */
static const double paper_fk[TOP][4] = {{5.18703e-16, 2.28878e-16, -1, -1},
                                        {1.75542e-15, 3.88578e-16, 1.08502e-7, -1},
                                        {-1, 1.50195e-15, 2.83273e-7, 15.6074},
                                        {-1, 2.27058e-15, 5.10762e-7, 54.8067},
                                        {-1, -1, 8.10141e-7, 150.261}};
static const double paper_id[5][2] = {
    {5.62864e-16, -1}, {4.33414e-15, -1}, {-1, 1.04706e-6}, {-1, 1.2258e-6}, {-1, 2.0509e-6}};
static const double paper_jacobian[TOP][QUANTITIES] = {
    {1.49629, 1.49629, 1.49629, 23.5579, 23.5579},
    {15.6296, 22.2720, 20.1281, 143.064, 99.2641},
    {87.0878, 87.6064, 76.7999, 148.885, 120.504},
    {193.816, 209.061, 163.068, 842.994, 944.174},
    {766.013, 547.351, 887.600, 2277.34, 3241.04}};

static void quit(const char *what, jn_status status) {
  fprintf(stderr, "%s: %s\n", what, jn_status_text(status));
  exit(1);
}
#define OK(call)                       \
  do {                                 \
    jn_status status_ = (call);        \
    if (status_) quit(#call, status_); \
  } while (0)

static double *room(size_t n) {
  double *x = calloc(n, sizeof *x);
  if (!x) quit("calloc", JN_ERR_MEMORY);
  return x;
}

static double uniform(uint64_t *seed, double low, double high) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* The robots. */

static void add_part(jn_spec *spec, const char *name, const char *parent, jn_joint_type type,
                     jn_vec3 at, jn_vec3 axis, double mass, jn_vec3 half) {
  jn_link_desc link = jn_link_default(name);
  char joint_name[64];
  link.mass = mass;
  link.com = half;
  /* a box around the centre of mass, as long as the part and 12 cm thick */
  double x = 0.06 + fabs(half.x), y = 0.06 + fabs(half.y), z = 0.06 + fabs(half.z), k = mass / 3;
  link.inertia.m[0][0] = k * (y * y + z * z);
  link.inertia.m[1][1] = k * (x * x + z * z);
  link.inertia.m[2][2] = k * (x * x + y * y);
  snprintf(joint_name, sizeof joint_name, "%s_joint", name);
  jn_joint_desc joint = jn_joint_default(joint_name, type, parent, name);
  joint.placement = JN_BY_FRAME;
  joint.origin = jn_pose_make(jn_m3_identity(), at);
  joint.axis[0] = axis;
  OK(jn_spec_add_link(spec, &link));
  OK(jn_spec_add_joint(spec, &joint));
}

/* Free pelvis; spherical shoulders, wrists, hips, ankles; abdomen, chest, head, elbows and knees
 * turn about an axis: 6 + 8 x 3 + 7 = 37 degrees of freedom, 7 + 8 x 4 + 7 = 46 parameters. */
static jn_spec *human(void) {
  const jn_vec3 y = {0, 1, 0}, z = {0, 0, 1}, zero = {0, 0, 0};
  const jn_joint_type ball = JN_JOINT_SPHERICAL, hinge = JN_JOINT_REVOLUTE;
  jn_spec *spec = NULL;
  OK(jn_spec_new("human", NULL, &spec));
  add_part(spec, "pelvis", NULL, JN_JOINT_FREE, zero, z, 10, jn_v3(0, 0, 0.03));
  add_part(spec, "abdomen", "pelvis", hinge, jn_v3(0, 0, 0.1), y, 9, jn_v3(0, 0, 0.08));
  add_part(spec, "chest", "abdomen", hinge, jn_v3(0, 0, 0.17), z, 16, jn_v3(0, 0, 0.13));
  add_part(spec, "head", "chest", hinge, jn_v3(0, 0, 0.33), z, 5, jn_v3(0.02, 0, 0.1));
  for (int side = 1; side >= -1; side -= 2) {
    static const char *const names[2][6] = {
        {"r_upper_arm", "r_forearm", "r_hand", "r_thigh", "r_shin", "r_foot"},
        {"l_upper_arm", "l_forearm", "l_hand", "l_thigh", "l_shin", "l_foot"}};
    const char *const *n = names[side > 0];
    add_part(spec, n[0], "chest", ball, jn_v3(0, 0.2 * side, 0.25), y, 2.1, jn_v3(0, 0, -0.14));
    add_part(spec, n[1], n[0], hinge, jn_v3(0, 0, -0.29), y, 1.2, jn_v3(0, 0, -0.12));
    add_part(spec, n[2], n[1], ball, jn_v3(0, 0, -0.26), y, 0.5, jn_v3(0, 0, -0.08));
    add_part(spec, n[3], "pelvis", ball, jn_v3(0, 0.09 * side, -0.08), y, 8.5, jn_v3(0, 0, -0.2));
    add_part(spec, n[4], n[3], hinge, jn_v3(0, 0, -0.42), y, 3.5, jn_v3(0, 0, -0.19));
    add_part(spec, n[5], n[4], ball, jn_v3(0, 0, -0.41), y, 1.1, jn_v3(0.06, 0, -0.04));
  }
  return spec;
}

/* A manipulator of revolute joints with axes x, y, z in turn. */
static jn_spec *chain(int joints) {
  jn_spec *spec = NULL;
  char names[2][24] = {"base", ""};
  jn_link_desc base = jn_link_default("base");
  OK(jn_spec_new("chain", NULL, &spec));
  OK(jn_spec_add_link(spec, &base));
  for (int i = 0; i < joints; i++) {
    snprintf(names[(i + 1) % 2], sizeof names[0], "link%d", i + 1);
    add_part(spec, names[(i + 1) % 2], names[i % 2], JN_JOINT_REVOLUTE, jn_v3(0.05, 0, 0.1),
             jn_v3(i % 3 == 0, i % 3 == 1, i % 3 == 2), 1, jn_v3(0, 0, 0.05));
  }
  return spec;
}

/* A robot that moves as psi = a sin(omega t + b), (65), in every degree of freedom. */
typedef struct mover {
  jn_model *model;
  jn_data *data;
  int nb, nq, nv;
  double *a, *omega, *b, *q0;
  double *q, *v; /* at the instant last asked for; v by rows of nv */
} mover;

/* Frees the spec. */
static mover mover_open(jn_spec *spec, int order) {
  mover m = {0};
  uint64_t seed = 2021;
  OK(jn_model_build(spec, NULL, NULL, &m.model, NULL));
  jn_spec_free(spec);
  OK(jn_data_new(m.model, order, NULL, &m.data));
  m.nb = jn_model_body_count(m.model), m.nq = jn_model_nq(m.model), m.nv = jn_model_nv(m.model);
  const size_t nv = (size_t)m.nv, nq = (size_t)m.nq;
  m.a = room(3 * nv), m.omega = m.a + nv, m.b = m.omega + nv;
  m.q0 = room(2 * nq), m.q = m.q0 + nq;
  m.v = room(nv * (ORDERS + 2));
  for (size_t i = 0; i < nv; i++) {
    m.a[i] = uniform(&seed, -1, 1);
    m.omega[i] = uniform(&seed, 0.5, 1.5);
    m.b[i] = uniform(&seed, -3, 3);
  }
  jn_model_home(m.model, m.q0);
  for (int i = 0; i < m.nb; i++) {
    const jn_joint *j = jn_model_joint(m.model, i);
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = uniform(&seed, -1, 1);
    if (j->type == JN_JOINT_REVOLUTE)
      m.q0[j->iq] = x[0];
    else
      jn_model_set_rotation(m.model, i, jn_so3_exp(jn_v3(x[0], x[1], x[2])), m.q0);
  }
  jn_data_settings(m.data)->representation = JN_BODY;
  return m;
}

static void mover_free(mover *m) {
  jn_data_free(m->data);
  jn_model_free(m->model);
  free(m->a), free(m->q0), free(m->v);
}

/* the k-th derivative of a velocity at time t */
static double wave(const mover *m, int dof, int k, double t) {
  const double pi = 3.14159265358979323846;
  return m->a[dof] * pow(m->omega[dof], k) *
         sin(m->omega[dof] * t + m->b[dof] + 0.5 * pi * (k % 4));
}

/* The rotation, and the position of a free joint, at time t, by the Taylor series of the pose. */
static void turn(const mover *m, int joint, double t) {
  enum { SERIES = 10 };
  const jn_joint *j = jn_model_joint(m->model, joint);
  const double *q0 = m->q0 + j->iq;
  double V[SERIES + 1][6] = {{0}}, R[SERIES + 2][9], p[SERIES + 2][3], moved[3];
  jn_pose C0 = {jn_quat_to_m3(jn_quat_make(q0[0], q0[1], q0[2], q0[3])), {0, 0, 0}};
  jn_mat3 Q;
  if (j->nv == 6) C0.p = jn_v3(q0[4], q0[5], q0[6]);
  for (int k = 0; k <= SERIES; k++)
    for (int c = 0; c < j->nv; c++) V[k][c] = wave(m, j->iv + c, k, 0);
  jn_jet_to_taylor(SERIES, 6, V[0]);
  jn_jet_pose_from_twist(SERIES, JN_BODY, C0, V[0], R[0], p[0]);
  jn_jet_eval(SERIES + 1, 9, R[0], t, Q.m[0]);
  jn_jet_eval(SERIES + 1, 3, p[0], t, moved);
  jn_model_set_rotation(m->model, joint, Q, m->q);
  for (int c = 0; c < 3 && j->nv == 6; c++) m->q[j->iq + 4 + c] = moved[c];
}

/* q, and v with its derivatives 0 ... rows - 1, at time t */
static void mover_at(mover *m, double t, int rows) {
  memcpy(m->q, m->q0, sizeof *m->q * (size_t)m->nq);
  for (int i = 0; i < m->nb; i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    if (j->type == JN_JOINT_REVOLUTE) {
      const double w = m->omega[j->iv], b = m->b[j->iv];
      m->q[j->iq] += m->a[j->iv] / w * 2 * sin(b + 0.5 * w * t) * sin(0.5 * w * t);
    } else if (j->nv && t != 0) {
      turn(m, i, t);
    }
  }
  for (int k = 0; k < rows; k++)
    for (int c = 0; c < m->nv; c++) m->v[k * m->nv + c] = wave(m, c, k, t);
}

/* Tables I and II. */

static double apart(size_t n, const double *x, const double *y) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* (27) and (17): derivatives 0 ... N-1 of every body's twist from products of N-CMTMs, [nb][N][6];
 * memory: nb + 1 N-CMTMs */
static void cmtm_twists(const mover *m, int N, double *memory, double *out) {
  const size_t size = jn_cmtm_size(N);
  double *joint = memory + (size_t)m->nb * size;
  OK(jn_kinematics(m->model, m->data, N - 1, m->q, m->v));
  for (int i = 0; i < m->nb; i++) {
    const int parent = jn_model_body(m->model, i)->parent;
    double *at = memory + (size_t)i * size, *twist = out + (size_t)(i * N) * 6;
    OK(jn_cmtm_joint(m->model, m->data, i, N, parent < 0 ? at : joint));
    jn_cmtm C = jn_cmtm_at(N, at);
    if (parent >= 0)
      jn_cmtm_product(jn_cmtm_at(N, memory + (size_t)parent * size), jn_cmtm_at(N, joint), C);
    jn_cmtm_deconstruct(C, twist);
    jn_jet_to_derivatives(N - 1, 6, twist);
  }
}

static void engine_twists(const mover *m, jn_formulation formulation, double *out) {
  jn_data_settings(m->data)->formulation = formulation;
  OK(jn_kinematics(m->model, m->data, TOP - 1, m->q, m->v));
  for (int i = 0; i < m->nb; i++)
    OK(jn_frame_twist(m->model, m->data, jn_model_body(m->model, i)->frame, JN_BODY, TOP - 1,
                      out + (size_t)(i * TOP) * 6));
  jn_data_settings(m->data)->formulation = JN_FORM_BODY;
}

/* The instants of the differences. */
static const double looks[LOOKS] = {0,          STEP,      2 * STEP,     -2 * WIDE_STEP,
                                    -WIDE_STEP, WIDE_STEP, 2 * WIDE_STEP};

/* x[look][at] by differences of the row below, or of the second row below: the paper's dv and ddv,
 * and the fourth-order formula */
static double difference(int kind, double *const x[], size_t at, size_t row) {
  if (kind == 0) return (x[1][at - row] - x[0][at - row]) / STEP;
  if (kind == 1) {
    double first = (x[1][at - 2 * row] - x[0][at - 2 * row]) / STEP;
    return ((x[2][at - 2 * row] - x[1][at - 2 * row]) / STEP - first) / STEP;
  }
  at -= row;
  return (8 * (x[5][at] - x[4][at]) - (x[6][at] - x[3][at])) / (12 * WIDE_STEP);
}

static void print_cell(double x) {
  if (x < 0)
    printf(" %9s", "/");
  else
    printf(x >= 1e-2 ? " %9.4g" : " %9.2e", x);
}

static void table_1(mover *m, double *memory, double *const x[LOOKS + 1]) {
  static const char *const names[TOP] = {"velocity", "acceleration", "jerk", "snap", "crackle"};
  double error[TOP][5] = {{0}}; /* against the engine, body and spatial; dv, ddv, fourth order */
  for (int l = 0; l < LOOKS; l++) {
    mover_at(m, looks[l], TOP);
    cmtm_twists(m, TOP, memory, x[l]);
  }
  mover_at(m, 0, TOP);
  for (int f = 0; f < 2; f++) {
    engine_twists(m, f ? JN_FORM_SPATIAL : JN_FORM_BODY, x[LOOKS]);
    for (int i = 0; i < m->nb * TOP; i++) {
      double *e = &error[i % TOP][f];
      *e = fmax(*e, apart(6, x[0] + (size_t)i * 6, x[LOOKS] + (size_t)i * 6));
    }
  }
  for (int kind = 0; kind < 3; kind++)
    for (int i = 0; i < m->nb * TOP * 6; i++) {
      const int k = i / 6 % TOP;
      double *e = &error[k][2 + kind];
      if (k > (kind == 1)) *e = fmax(*e, fabs(difference(kind, x, (size_t)i, 6) - x[0][i]));
    }
  printf("Table I: forward kinematics, largest error of a link's twist\n%-14s", "");
  printf(" %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "RBDyn", "AD", "engine", "spatial", "dv",
         "dv here", "ddv", "ddv here", "4th order");
  for (int k = 0; k < TOP; k++) {
    const double *p = paper_fk[k], *e = error[k];
    const double cells[] = {
        p[0], p[1], e[0], e[1], p[2], k ? e[2] : -1, p[3], k > 1 ? e[3] : -1, k ? e[4] : -1};
    printf("  %-12s", names[k]);
    for (int i = 0; i < 9; i++) print_cell(cells[i]);
    putchar('\n');
  }
}

/* Momentum of the whole robot about the world's origin: the comprehensive equations against the
 * engine. */
static double momentum_error(const mover *m, double *x, double *y) {
  double total[6];
  jn_momentum out = {.momentum = total};
  jn_pose C;
  OK(jn_kinematics(m->model, m->data, 0, m->q, m->v));
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_G, 0, m->v, x));
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_L_INVERSE, 0, x, y));
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_M, 0, y, x));
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_DUAL_L_INVERSE, 0, x, y));
  OK(jn_frame_pose(m->model, m->data, jn_model_body(m->model, 0)->frame, &C));
  OK(jn_momentum_energy(m->model, m->data, 0, m->q, m->v, &out));
  jn_wrench W = jn_Ad_inv_t(C, (jn_wrench){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}});
  const double base[6] = {W.n.x, W.n.y, W.n.z, W.f.x, W.f.y, W.f.z};
  return apart(6, base, total);
}

static void table_2(mover *m, double *work, double *const x[LOOKS + 1]) {
  static const char *const names[5] = {"0 (momentum)", "0 (torque)", "1", "2", "3"};
  const size_t nv = (size_t)m->nv;
  double error[5][3] = {{0}}; /* against the engine; dv, fourth order */
  for (int l = 0; l < LOOKS; l++) {
    mover_at(m, looks[l], 5);
    OK(jn_cmtm_inverse_dynamics(m->model, m->data, 3, m->q, m->v, work, x[l]));
  }
  mover_at(m, 0, 5);
  OK(jn_inverse_dynamics(m->model, m->data, 3, m->q, m->v, NULL, x[LOOKS]));
  for (size_t k = 0; k <= 3; k++) {
    double *e = error[k + 1];
    e[0] = apart(nv, x[0] + k * nv, x[LOOKS] + k * nv);
    for (size_t c = k * nv; c < (k + 1) * nv && k; c++) {
      e[1] = fmax(e[1], fabs(difference(0, x, c, nv) - x[0][c]));
      e[2] = fmax(e[2], fabs(difference(2, x, c, nv) - x[0][c]));
    }
  }
  OK(jn_cmtm_forward_dynamics(m->model, m->data, 3, m->q, m->v, x[0], work, x[1]));
  const double forward[2] = {apart(nv, x[1], m->v + nv), apart(4 * nv, x[1], m->v + nv)};
  error[0][0] = momentum_error(m, x[2], x[3]);
  printf("\nTable II: inverse dynamics, largest error\n%-14s %9s %9s %9s %9s %9s\n", "", "RBDyn",
         "engine", "dv", "dv here", "4th order");
  for (int k = 0; k < 5; k++) {
    const double cells[] = {paper_id[k][0], error[k][0], paper_id[k][1], k > 1 ? error[k][1] : -1,
                            k > 1 ? error[k][2] : -1};
    printf("  %-12s", names[k]);
    for (int i = 0; i < 5; i++) print_cell(cells[i]);
    putchar('\n');
  }
  printf(
      "algorithm 2 of algorithm 1's torques: accelerations to %.1e (paper: 6.9e-14), all\n"
      "derivatives to order 3 to %.1e\n",
      forward[0], forward[1]);
}

/* Table III. */

/* link motion, momentum, force; joint momentum, force: jets [nb][N+1][6] from N-CMTMs */
static void quantities(const mover *m, int N, double *memory, double *const x[QUANTITIES]) {
  const size_t row = 6 * ((size_t)N + 1);
  cmtm_twists(m, N + 1, memory, x[0]);
  for (int i = 0; i < m->nb; i++) jn_jet_to_taylor(N, 6, x[0] + (size_t)i * row);
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_M, N, x[0], x[1]));
  for (int i = 0; i < m->nb; i++) {
    const double *z = x[0] + (size_t)i * row, *h = x[1] + (size_t)i * row;
    double *f = x[2] + (size_t)i * row;
    jn_jet_ad_t(N, z, h, f);
    for (int n = 0; n < 6 * (N + 1); n++) f[n] = n < 6 * N ? (n / 6 + 1) * h[n + 6] - f[n] : 0;
  }
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_DUAL_L_INVERSE, N, x[1], x[3]));
  OK(jn_comprehensive_apply(m->model, m->data, JN_OP_DUAL_L_INVERSE, N, x[2], x[4]));
}

/* One order: residual and size of each quantity, the torque last. */
static void residuals(mover *m, int N, double *memory, double *matrix, double *const x[],
                      double left[], double size[]) {
  static const jn_quantity order[] = {JN_LINK_MOTION,    JN_LINK_MOMENTUM, JN_LINK_FORCE,
                                      JN_JOINT_MOMENTUM, JN_JOINT_FORCE,   JN_JOINT_TORQUE};
  const size_t nv = (size_t)m->nv, columns = ((size_t)N + 1) * nv;
  double *aleph = x[QUANTITIES], *tau = x[QUANTITIES + 1];
  jn_settings *settings = jn_data_settings(m->data);
  const jn_vec3 gravity = settings->gravity;
  mover_at(m, 0, N + 1);
  memcpy(aleph, m->v, sizeof *aleph * columns);
  jn_jet_to_taylor(N, m->nv, aleph);
  settings->gravity = jn_v3(0, 0, 0);
  OK(jn_inverse_dynamics(m->model, m->data, N - 1, m->q, m->v, NULL, tau));
  settings->gravity = gravity;
  jn_jet_to_taylor(N - 1, m->nv, tau);
  quantities(m, N, memory, x);
  for (int i = 0; i < m->nb; i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    for (int q = 0; q <= QUANTITIES; q++) {
      const size_t rows = jn_comprehensive_rows(m->model, order[q], i, N);
      OK(jn_comprehensive_jacobian(m->model, m->data, order[q], i, JN_BODY, N, matrix));
      for (size_t r = 0; r < rows; r++) {
        const size_t k = r / (size_t)(j->nv ? j->nv : 1), c = r % (size_t)(j->nv ? j->nv : 1);
        const double want =
            q < QUANTITIES ? x[q][(size_t)(i * (N + 1)) * 6 + r] : tau[k * nv + (size_t)j->iv + c];
        double got = 0;
        for (size_t n = 0; n < columns; n++) got += matrix[r * columns + n] * aleph[n];
        left[q] = fmax(left[q], fabs(got - want));
        size[q] = fmax(size[q], fabs(want));
      }
    }
  }
}

static double table_3(mover *m, double *memory, double *matrix, double *const x[]) {
  double worst = 0;
  printf(
      "\nTable III: a comprehensive Jacobian times the motion against the quantity, 1e-16:\n"
      "J link motion, K link momentum, N link force, B joint momentum, Q joint force, R torque\n"
      "order %39s %47s  relative\n",
      "paper: J, K, N, B, Q", "here: J, K, N, B, Q, R");
  for (int N = 1; N <= TOP; N++) {
    double left[QUANTITIES + 1] = {0}, size[QUANTITIES + 1] = {0}, relative = 0;
    residuals(m, N, memory, matrix, x, left, size);
    printf("%5d", N);
    for (int q = 0; q < QUANTITIES; q++) printf(" %7.5g", paper_jacobian[N - 1][q]);
    for (int q = 0; q <= QUANTITIES; q++) {
      printf(" %7.3g", 1e16 * left[q]);
      relative = fmax(relative, left[q] / size[q]);
    }
    printf(" %9.1e\n", relative);
    worst = fmax(worst, relative);
  }
  return worst;
}

/* The cost of forward kinematics: engine, N-CMTM, engine and Jacobian of the tip. */

static void call(mover *m, int route, int N, double *memory, double *J) {
  if (route == 1) {
    cmtm_twists(m, N, memory, J);
    return;
  }
  OK(jn_kinematics(m->model, m->data, N - 1, m->q, m->v));
  int frame = jn_model_body(m->model, m->nb - 1)->frame;
  if (route == 2) OK(jn_frame_jacobian(m->model, m->data, frame, JN_BODY, N, J));
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Microseconds per call, the minimum over rounds of about a millisecond. */
static void measure(mover *m, int N, int thorough, double us[ROUTES]) {
  double *memory = room(((size_t)m->nb + 1) * jn_cmtm_size(N));
  double *J = room(((size_t)N + 1) * 6 * (size_t)(m->nv > m->nb ? m->nv : m->nb));
  mover_at(m, 0, N);
  for (int route = 0; route < ROUTES; route++) {
    const double end = seconds() + (thorough ? 0.1 : 0.01);
    double least = HUGE_VAL;
    for (int calls = 1, rounds = 0; rounds < 12 || seconds() < end; rounds++) {
      const double start = seconds();
      for (int i = 0; i < calls; i++) call(m, route, N, memory, J);
      const double time = seconds() - start;
      if (time > 0) least = fmin(least, time / calls);
      if (time < 5e-4) calls *= 2;
    }
    us[route] = 1e6 * least;
  }
  free(memory);
  free(J);
}

/* slope of log us against log x, least squares */
static double exponent(int n, const int *x, double (*us)[ROUTES], int route) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    const double a = log(x[i]), b = log(us[i][route]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void scaling(FILE *csv) {
  static const int sizes[SIZES] = {5, 10, 20, 40, 70, 100, 140, 200};
  int orders[ORDERS];
  double by_order[ORDERS][ROUTES], by_size[SIZES][ROUTES];
  mover m = mover_open(chain(100), ORDERS);
  for (int N = 1; N <= ORDERS; N++) {
    orders[N - 1] = N;
    measure(&m, N, csv != NULL, by_order[N - 1]);
  }
  mover_free(&m);
  for (int i = 0; i < SIZES; i++) {
    m = mover_open(chain(sizes[i]), TOP);
    measure(&m, TOP, csv != NULL, by_size[i]);
    mover_free(&m);
  }
  printf("\nForward kinematics, microseconds per call\n%6s %8s %8s %8s %10s %8s %8s %8s\n", "order",
         "engine", "N-CMTM", "Jacobian", "joints", "engine", "N-CMTM", "Jacobian");
  for (int i = 0; i < ORDERS; i++) {
    printf("%6d", orders[i]);
    for (int r = 0; r < ROUTES; r++) printf(" %8.1f", by_order[i][r]);
    if (i < SIZES) printf(" %10d", sizes[i]);
    for (int r = 0; r < ROUTES && i < SIZES; r++) printf(" %8.1f", by_size[i][r]);
    putchar('\n');
  }
  printf("exponents: in the order, 4 to 12:");
  for (int r = 0; r < ROUTES; r++) printf(" %.2f", exponent(9, orders + 3, by_order + 3, r));
  printf("; in the joints, 20 to 200:");
  for (int r = 0; r < ROUTES; r++) printf(" %.2f", exponent(6, sizes + 2, by_size + 2, r));
  putchar('\n');
  if (csv) fputs("sweep,order,joints,engine_us,ncmtm_us,jacobian_us\n", csv);
  for (int i = 0; i < ORDERS + SIZES && csv; i++) {
    const double *us = i < ORDERS ? by_order[i] : by_size[i - ORDERS];
    fprintf(csv, "%s,%d,%d,%.6g,%.6g,%.6g\n", i < ORDERS ? "order" : "joints",
            i < ORDERS ? orders[i] : TOP, i < ORDERS ? 100 : sizes[i - ORDERS], us[0], us[1],
            us[2]);
  }
}

int main(int argc, char **argv) {
  mover m = mover_open(human(), TOP);
  const size_t nb = (size_t)m.nb, nv = (size_t)m.nv;
  double *memory = room((nb + 1) * jn_cmtm_size(TOP + 1)), *matrix = room(6 * ROWS * ROWS * nv);
  double *work = room(jn_cmtm_work_size(m.model, TOP)), *x[LOOKS + 1];
  for (int i = 0; i <= LOOKS; i++) x[i] = room((6 * nb + nv) * ROWS);
  printf("human-like robot: %d degrees of freedom, %d parameters, %d bodies\n\n", m.nv, m.nq, m.nb);
  if (m.nv != 37 || m.nq != 46) return 1;
  table_1(&m, memory, x);
  table_2(&m, work, x);
  const double worst = table_3(&m, memory, matrix, x);
  for (int i = 0; i <= LOOKS; i++) free(x[i]);
  free(memory), free(matrix), free(work);
  mover_free(&m);

  FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
  scaling(csv);
  if (csv && fclose(csv)) return 1;
  printf("worst residual of a Jacobian, relative: %.1e (limit %.0e)\n", worst, LIMIT);
  return worst <= LIMIT ? 0 : 1;
}
