/* demo_jacobians.c: the validation of Samy, Ayusawa and Yoshida 2021, section VII: tables I to III
 * on a human-like robot of 37 degrees of freedom, and the two scaling figures. */
#include "demo_jacobians.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jounce/dynamics.h>

#include "job.h"
#include "message.h"

static double uniform(uint64_t *seed, double low, double high) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* ---- robots */

static jn_status add_part(jn_spec *spec, const char *name, const char *parent, jn_joint_type type,
                          jn_vec3 at, jn_vec3 axis, double mass, jn_vec3 half) {
  jn_link_desc link = jn_link_default(name);
  char joint_name[JN_MAX_NAME + 8];
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
  jn_status status = jn_spec_add_link(spec, &link);
  return status ? status : jn_spec_add_joint(spec, &joint);
}

/* One side: +1 left, -1 right. */
static jn_status add_limbs(jn_spec *spec, double side) {
  const char *const left[] = {"l_upper_arm", "l_forearm", "l_hand", "l_thigh", "l_shin", "l_foot"};
  const char *const right[] = {"r_upper_arm", "r_forearm", "r_hand", "r_thigh", "r_shin", "r_foot"};
  const char *const *n = side > 0 ? left : right;
  const jn_vec3 y = {0, 1, 0};
  const jn_joint_type ball = JN_JOINT_SPHERICAL, hinge = JN_JOINT_REVOLUTE;
  jn_status s =
      add_part(spec, n[0], "chest", ball, jn_v3(0, 0.2 * side, 0.25), y, 2.1, jn_v3(0, 0, -0.14));
  if (!s) s = add_part(spec, n[1], n[0], hinge, jn_v3(0, 0, -0.29), y, 1.2, jn_v3(0, 0, -0.12));
  if (!s) s = add_part(spec, n[2], n[1], ball, jn_v3(0, 0, -0.26), y, 0.5, jn_v3(0, 0, -0.08));
  if (!s)
    s = add_part(spec, n[3], "pelvis", ball, jn_v3(0, 0.09 * side, -0.08), y, 8.5,
                 jn_v3(0, 0, -0.2));
  if (!s) s = add_part(spec, n[4], n[3], hinge, jn_v3(0, 0, -0.42), y, 3.5, jn_v3(0, 0, -0.19));
  if (!s) s = add_part(spec, n[5], n[4], ball, jn_v3(0, 0, -0.41), y, 1.1, jn_v3(0.06, 0, -0.04));
  return s;
}

/* Free pelvis; spherical shoulders, wrists, hips, ankles; abdomen, chest, head, elbows and knees
 * turn about an axis: 6 + 8 x 3 + 7 = 37 degrees of freedom, 7 + 8 x 4 + 7 = 46 parameters. */
static jn_status human_spec(jn_spec **out) {
  jn_spec *spec = NULL;
  const jn_vec3 y = {0, 1, 0}, z = {0, 0, 1}, zero = {0, 0, 0};
  const jn_joint_type hinge = JN_JOINT_REVOLUTE;
  jn_status s = jn_spec_new("human", NULL, &spec);
  if (!s) s = add_part(spec, "pelvis", NULL, JN_JOINT_FREE, zero, z, 10, jn_v3(0, 0, 0.03));
  if (!s) s = add_part(spec, "abdomen", "pelvis", hinge, jn_v3(0, 0, 0.1), y, 9, jn_v3(0, 0, 0.08));
  if (!s)
    s = add_part(spec, "chest", "abdomen", hinge, jn_v3(0, 0, 0.17), z, 16, jn_v3(0, 0, 0.13));
  if (!s) s = add_part(spec, "head", "chest", hinge, jn_v3(0, 0, 0.33), z, 5, jn_v3(0.02, 0, 0.1));
  if (!s) s = add_limbs(spec, 1);
  if (!s) s = add_limbs(spec, -1);
  *out = spec;
  return s;
}

/* A manipulator of revolute joints, their axes x, y, z in turn. */
static jn_status chain_spec(int joints, jn_spec **out) {
  jn_spec *spec = NULL;
  char names[2][24] = {"base", ""};
  jn_link_desc base = jn_link_default("base");
  jn_status s = jn_spec_new("chain", NULL, &spec);
  if (!s) s = jn_spec_add_link(spec, &base);
  for (int i = 0; i < joints && !s; i++) {
    jn_vec3 axis = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
    snprintf(names[(i + 1) % 2], sizeof names[0], "link%d", i + 1);
    s = add_part(spec, names[(i + 1) % 2], names[i % 2], JN_JOINT_REVOLUTE, jn_v3(0.05, 0, 0.1),
                 axis, 1, jn_v3(0, 0, 0.05));
  }
  *out = spec;
  return s;
}

void mover_free(mover *m) {
  jn_data_free(m->data);
  jn_model_free(m->model);
  double *const rooms[] = {m->a, m->omega, m->b, m->q0, m->q, m->v};
  for (int i = 0; i < COUNT(rooms); i++) free(rooms[i]);
  memset(m, 0, sizeof *m);
}

/* Takes the spec over. */
static int mover_open(jn_spec *spec, jn_status status, int order, mover *m) {
  memset(m, 0, sizeof *m);
  if (!status) status = jn_model_build(spec, NULL, NULL, &m->model, NULL);
  jn_spec_free(spec);
  if (!status) status = jn_data_new(m->model, order, NULL, &m->data);
  if (status) {
    cli_error("demo: %s", jn_status_text(status));
    return CLI_BAD_INPUT;
  }
  m->nb = jn_model_body_count(m->model);
  m->nq = jn_model_nq(m->model);
  m->nv = jn_model_nv(m->model);
  const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
  m->a = cli_room(nv, 1, 1), m->omega = cli_room(nv, 1, 1), m->b = cli_room(nv, 1, 1);
  m->q0 = cli_room(nq, 1, 1), m->q = cli_room(nq, 1, 1), m->v = cli_room(nv, COST_ORDERS + 2, 1);
  if (!m->a || !m->omega || !m->b || !m->q0 || !m->q || !m->v) return CLI_BAD_INPUT;
  uint64_t seed = 2021;
  for (size_t i = 0; i < nv; i++) {
    m->a[i] = uniform(&seed, -1, 1);
    m->omega[i] = uniform(&seed, 0.5, 1.5);
    m->b[i] = uniform(&seed, -3, 3);
  }
  jn_model_home(m->model, m->q0);
  for (int i = 0; i < m->nb; i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    double *q = m->q0 + j->iq,
           x[3] = {uniform(&seed, -1, 1), uniform(&seed, -1, 1), uniform(&seed, -1, 1)};
    jn_mat3 R = jn_so3_exp(jn_v3(x[0], x[1], x[2]));
    if (j->type == JN_JOINT_REVOLUTE)
      q[0] = x[0];
    else
      jn_model_set_rotation(m->model, i, R, m->q0);
  }
  jn_data_settings(m->data)->representation = JN_BODY;
  return CLI_DONE;
}

int mover_human(mover *m) {
  jn_spec *spec = NULL;
  jn_status status = human_spec(&spec);
  return mover_open(spec, status, TOP, m);
}

int mover_chain(int joints, int order, mover *m) {
  jn_spec *spec = NULL;
  jn_status status = chain_spec(joints, &spec);
  return mover_open(spec, status, order, m);
}

static double wave(const mover *m, int dof, int k, double t) {
  const double pi = 3.14159265358979323846;
  return m->a[dof] * pow(m->omega[dof], k) *
         sin(m->omega[dof] * t + m->b[dof] + 0.5 * pi * (k % 4));
}

/* The pose part of q at time h after the instant of q0, by its Taylor series. */
static void drift(const mover *m, int joint, double h) {
  enum { SERIES = 10 };
  const jn_joint *j = jn_model_joint(m->model, joint);
  double V[SERIES + 1][6] = {{0}}, R[SERIES + 2][9], p[SERIES + 2][3], turned[9], moved[3];
  const double *q0 = m->q0 + j->iq;
  jn_pose C0 = {jn_quat_to_m3(jn_quat_make(q0[0], q0[1], q0[2], q0[3])), {0, 0, 0}};
  if (j->nv == 6) C0.p = jn_v3(q0[4], q0[5], q0[6]);
  for (int k = 0; k <= SERIES; k++) {
    for (int c = 0; c < j->nv; c++) V[k][c] = wave(m, j->iv + c, k, 0);
  }
  jn_jet_to_taylor(SERIES, 6, V[0]);
  jn_jet_pose_from_twist(SERIES, JN_BODY, C0, V[0], R[0], p[0]);
  jn_jet_eval(SERIES + 1, 9, R[0], h, turned);
  jn_jet_eval(SERIES + 1, 3, p[0], h, moved);
  jn_mat3 Q;
  memcpy(Q.m, turned, sizeof Q.m);
  jn_model_set_rotation(m->model, joint, Q, m->q);
  for (int c = 0; c < 3 && j->nv == 6; c++) m->q[j->iq + 4 + c] = moved[c];
}

void mover_at(mover *m, double t, int rows) {
  memcpy(m->q, m->q0, sizeof *m->q * (size_t)m->nq);
  for (int i = 0; i < m->nb; i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    if (j->type == JN_JOINT_REVOLUTE) {
      const double w = m->omega[j->iv], b = m->b[j->iv];
      m->q[j->iq] += m->a[j->iv] / w * 2 * sin(b + 0.5 * w * t) * sin(0.5 * w * t);
    } else if (j->nv && t != 0) {
      drift(m, i, t);
    }
  }
  for (int k = 0; k < rows; k++) {
    for (int c = 0; c < m->nv; c++) m->v[k * m->nv + c] = wave(m, c, k, t);
  }
}

/* ---- tables I and II */

static double apart(size_t n, const double *x, const double *y) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

jn_status cmtm_twists(const mover *m, int N, double *memory, double *out) {
  const size_t size = jn_cmtm_size(N);
  jn_status status = jn_kinematics(m->model, m->data, N - 1, m->q, m->v);
  double *joint = memory + (size_t)m->nb * size;
  for (int i = 0; i < m->nb && !status; i++) {
    int parent = jn_model_body(m->model, i)->parent;
    double *at = memory + (size_t)i * size;
    status = jn_cmtm_joint(m->model, m->data, i, N, parent < 0 ? at : joint);
    if (status) break;
    jn_cmtm C = jn_cmtm_at(N, at);
    if (parent >= 0)
      jn_cmtm_product(jn_cmtm_at(N, memory + (size_t)parent * size), jn_cmtm_at(N, joint), C);
    if (!out) continue;
    jn_cmtm_deconstruct(C, out + (size_t)(i * N) * 6);
    jn_jet_to_derivatives(N - 1, 6, out + (size_t)(i * N) * 6);
  }
  return status;
}

static jn_status engine_twists(const mover *m, jn_formulation formulation, double *out) {
  jn_data_settings(m->data)->formulation = formulation;
  jn_status status = jn_kinematics(m->model, m->data, TOP - 1, m->q, m->v);
  for (int i = 0; i < m->nb && !status; i++) {
    int frame = jn_model_body(m->model, i)->frame;
    status =
        jn_frame_twist(m->model, m->data, frame, JN_BODY, TOP - 1, out + (size_t)(i * TOP) * 6);
  }
  jn_data_settings(m->data)->formulation = JN_FORM_BODY;
  return status;
}

/* The instants at which the differences look. */
static const double looks[] = {0,          STEP,      2 * STEP,     -2 * WIDE_STEP,
                               -WIDE_STEP, WIDE_STEP, 2 * WIDE_STEP};
enum { LOOKS = 7 };

/* The k-th row of a quantity by differences of the rows below, at x[look]: dv, ddv, and ours. */
static double difference(int kind, double *const x[LOOKS], size_t at, size_t row) {
  if (kind == 0) return (x[1][at - row] - x[0][at - row]) / STEP;
  if (kind == 1) {
    double first = (x[1][at - 2 * row] - x[0][at - 2 * row]) / STEP;
    return ((x[2][at - 2 * row] - x[1][at - 2 * row]) / STEP - first) / STEP;
  }
  at -= row;
  return (8 * (x[5][at] - x[4][at]) - (x[6][at] - x[3][at])) / (12 * WIDE_STEP);
}

static jn_status fill_fk(jacobian_demo *d, double *memory, double *const x[LOOKS + 1]) {
  mover *m = &d->human;
  jn_status status = JN_OK;
  for (int l = 0; l < LOOKS && !status; l++) {
    mover_at(m, looks[l], TOP);
    status = cmtm_twists(m, TOP, memory, x[l]);
  }
  mover_at(m, 0, TOP);
  for (int f = 0; f < 2 && !status; f++) {
    status = engine_twists(m, f ? JN_FORM_SPATIAL : JN_FORM_BODY, x[LOOKS]);
    for (int i = 0; i < m->nb; i++) {
      for (int k = 0; k < TOP; k++) {
        const size_t at = (size_t)(i * TOP + k) * 6;
        d->fk[k][f] = fmax(d->fk[k][f], apart(6, x[0] + at, x[LOOKS] + at));
      }
    }
  }
  for (int kind = 0; kind < 3; kind++) {
    for (int k = kind == 1 ? 2 : 1; k < TOP; k++) {
      for (int i = 0; i < m->nb; i++) {
        for (size_t c = 0; c < 6; c++) {
          const size_t at = (size_t)(i * TOP + k) * 6 + c;
          d->fk[k][2 + kind] =
              fmax(d->fk[k][2 + kind], fabs(difference(kind, x, at, 6) - x[0][at]));
        }
      }
    }
  }
  return status;
}

/* momentum of the whole about the world's origin, by the comprehensive equations and by the engine
 */
static jn_status fill_momentum(jacobian_demo *d, double *x, double *y) {
  mover *m = &d->human;
  double total[6];
  jn_momentum out = {.momentum = total};
  jn_pose C;
  jn_status status = jn_kinematics(m->model, m->data, 0, m->q, m->v);
  if (!status) status = jn_comprehensive_apply(m->model, m->data, JN_OP_G, 0, m->v, x);
  if (!status) status = jn_comprehensive_apply(m->model, m->data, JN_OP_L_INVERSE, 0, x, y);
  if (!status) status = jn_comprehensive_apply(m->model, m->data, JN_OP_M, 0, y, x);
  if (!status) status = jn_comprehensive_apply(m->model, m->data, JN_OP_DUAL_L_INVERSE, 0, x, y);
  if (!status) status = jn_frame_pose(m->model, m->data, jn_model_body(m->model, 0)->frame, &C);
  if (!status) status = jn_momentum_energy(m->model, m->data, 0, m->q, m->v, &out);
  if (status) return status;
  jn_wrench W = jn_Ad_inv_t(C, (jn_wrench){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}});
  const double base[6] = {W.n.x, W.n.y, W.n.z, W.f.x, W.f.y, W.f.z};
  d->id[0][0] = apart(6, base, total);
  return JN_OK;
}

static jn_status fill_id(jacobian_demo *d, double *work, double *const x[LOOKS + 1]) {
  mover *m = &d->human;
  const size_t nv = (size_t)m->nv;
  jn_status status = JN_OK;
  for (int l = 0; l < LOOKS && !status; l++) {
    mover_at(m, looks[l], 5);
    status = jn_cmtm_inverse_dynamics(m->model, m->data, 3, m->q, m->v, work, x[l]);
  }
  mover_at(m, 0, 5);
  if (!status) status = jn_inverse_dynamics(m->model, m->data, 3, m->q, m->v, NULL, x[LOOKS]);
  for (int k = 0; k <= 3 && !status; k++) {
    const size_t at = (size_t)k * nv;
    d->id[k + 1][0] = apart(nv, x[0] + at, x[LOOKS] + at);
    for (size_t c = at; c < at + nv && k; c++) {
      d->id[k + 1][1] = fmax(d->id[k + 1][1], fabs(difference(0, x, c, nv) - x[0][c]));
      d->id[k + 1][2] = fmax(d->id[k + 1][2], fabs(difference(2, x, c, nv) - x[0][c]));
    }
  }
  if (!status)
    status = jn_cmtm_forward_dynamics(m->model, m->data, 3, m->q, m->v, x[0], work, x[1]);
  if (!status)
    d->forward[0] = apart(nv, x[1], m->v + nv), d->forward[1] = apart(4 * nv, x[1], m->v + nv);
  return status ? status : fill_momentum(d, x[2], x[3]);
}

/* ---- table III */

static void times(size_t rows, size_t columns, const double *A, const double *x, double *out) {
  for (size_t r = 0; r < rows; r++) {
    out[r] = 0;
    for (size_t c = 0; c < columns; c++) out[r] += A[r * columns + c] * x[c];
  }
}

/* link motion, momentum, force; joint momentum, force: jets [nb][N+1][6] from N-CMTMs */
static jn_status quantities(const mover *m, int N, double *memory, double *const x[QUANTITIES]) {
  jn_status status = cmtm_twists(m, N + 1, memory, x[0]);
  const size_t row = 6 * ((size_t)N + 1);
  for (int i = 0; i < m->nb; i++) jn_jet_to_taylor(N, 6, x[0] + (size_t)i * row);
  if (!status) status = jn_comprehensive_apply(m->model, m->data, JN_OP_M, N, x[0], x[1]);
  for (int i = 0; i < m->nb && !status; i++) {
    const double *z = x[0] + (size_t)i * row, *h = x[1] + (size_t)i * row;
    double *f = x[2] + (size_t)i * row;
    jn_jet_ad_t(N, z, h, f);
    for (int n = 0; n < 6 * (N + 1); n++) f[n] = n < 6 * N ? (n / 6 + 1) * h[n + 6] - f[n] : 0;
  }
  if (!status)
    status = jn_comprehensive_apply(m->model, m->data, JN_OP_DUAL_L_INVERSE, N, x[1], x[3]);
  if (!status)
    status = jn_comprehensive_apply(m->model, m->data, JN_OP_DUAL_L_INVERSE, N, x[2], x[4]);
  return status;
}

static jn_status fill_order(jacobian_demo *d, int N, double *memory, double *matrix,
                            double *const x[]) {
  static const jn_quantity order[] = {JN_LINK_MOTION,    JN_LINK_MOMENTUM, JN_LINK_FORCE,
                                      JN_JOINT_MOMENTUM, JN_JOINT_FORCE,   JN_JOINT_TORQUE};
  mover *m = &d->human;
  const size_t nv = (size_t)m->nv, columns = ((size_t)N + 1) * nv;
  double *aleph = x[QUANTITIES], *tau = x[QUANTITIES + 1], got[6 * ROWS];
  jn_vec3 gravity = jn_data_settings(m->data)->gravity;
  jn_status status;
  mover_at(m, 0, N + 1);
  memcpy(aleph, m->v, sizeof *aleph * columns);
  jn_jet_to_taylor(N, m->nv, aleph);
  jn_data_settings(m->data)->gravity = jn_v3(0, 0, 0);
  status = jn_inverse_dynamics(m->model, m->data, N - 1, m->q, m->v, NULL, tau);
  jn_data_settings(m->data)->gravity = gravity;
  jn_jet_to_taylor(N - 1, m->nv, tau);
  if (!status) status = quantities(m, N, memory, x);
  for (int i = 0; i < m->nb && !status; i++) {
    const jn_joint *j = jn_model_joint(m->model, i);
    for (int q = 0; q <= QUANTITIES && !status; q++) {
      const size_t rows = jn_comprehensive_rows(m->model, order[q], i, N);
      double want[6 * ROWS];
      status = jn_comprehensive_jacobian(m->model, m->data, order[q], i, JN_BODY, N, matrix);
      if (q < QUANTITIES)
        memcpy(want, x[q] + (size_t)(i * (N + 1)) * 6, sizeof *want * rows);
      else
        for (int k = 0; k < N * j->nv; k++)
          want[k] = tau[(size_t)(k / j->nv) * nv + (size_t)(j->iv + k % j->nv)];
      times(rows, columns, matrix, aleph, got);
      d->left[N - 1][q] = fmax(d->left[N - 1][q], apart(rows, got, want));
      for (size_t r = 0; r < rows; r++) d->size[N - 1][q] = fmax(d->size[N - 1][q], fabs(want[r]));
    }
  }
  for (int q = 0; q <= QUANTITIES; q++)
    d->worst = fmax(d->worst, d->left[N - 1][q] / d->size[N - 1][q]);
  return status;
}

static int validate(jacobian_demo *d) {
  int code = mover_human(&d->human);
  if (code) return code;
  const mover *m = &d->human;
  const size_t cells = (size_t)m->nb * 6 * ROWS + (size_t)m->nv * ROWS;
  double *memory = cli_room((size_t)m->nb + 1, jn_cmtm_size(TOP + 1), 1), *x[LOOKS + 1];
  double *work = cli_room(jn_cmtm_work_size(m->model, TOP), 1, 1);
  double *matrix = cli_room(6 * ROWS, ROWS, (size_t)m->nv);
  int ready = memory && work && matrix;
  for (int i = 0; i <= LOOKS; i++) ready &= (x[i] = cli_room(cells, 1, 1)) != NULL;
  jn_status status = ready ? fill_fk(d, memory, x) : JN_ERR_MEMORY;
  if (!status) status = fill_id(d, work, x);
  for (int N = 1; N <= TOP && !status; N++) status = fill_order(d, N, memory, matrix, x);
  if (status) cli_error("demo: %s", jn_status_text(status));
  for (int i = 0; i <= LOOKS; i++) free(x[i]);
  free(memory), free(work), free(matrix);
  return status ? CLI_BAD_INPUT : CLI_DONE;
}

int demo_jacobians(const demo_options *options) {
  jacobian_demo *d = calloc(1, sizeof *d);
  if (!d) {
    cli_error("%s", jn_status_text(JN_ERR_MEMORY));
    return CLI_BAD_INPUT;
  }
  d->options = *options;
  demo_progress(0, "tables");
  int code = validate(d);
  if (code == CLI_DONE) code = jacobians_scaling(d);
  demo_progress_end();
  if (code == CLI_DONE) code = jacobians_report(d);
  if (code == CLI_DONE && !(d->worst <= LIMIT)) code = CLI_CHECK_FAILED;
  mover_free(&d->human);
  free(d);
  return code;
}
