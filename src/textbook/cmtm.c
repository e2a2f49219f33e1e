/* cmtm.c: the N-CMTM of samy2021 as a view of a pose jet, and algorithms 1 (CoRNEA) and 2. */
#include <jounce/textbook/cmtm.h>
#include <jounce/mass_matrix.h>
#include <string.h>

#include "core/coupled.h"
#include "core/jacobian.h"

size_t jn_cmtm_size(int order) { return 21 * ((size_t)order + 1); }

jn_cmtm jn_cmtm_at(int order, double *memory) {
  size_t n = (size_t)order + 1;
  return (jn_cmtm){order, memory, memory + 9 * n, memory + 12 * n};
}

static pose_jet pose_of(jn_cmtm C) { return (pose_jet){C.R, C.p, 9, 3}; }

/* D = [p] R */
static void fill_moments(jn_cmtm C) {
  for (int k = 0; k <= C.order; k++) {
    m3 D = {{0}};
    for (int i = 0; i <= k; i++) m3_add_hat_mul(load_v3(C.p + 3 * i), C.R + 9 * (k - i), D.m);
    memcpy(C.D + 9 * k, D.m, sizeof D.m);
  }
}

void jn_cmtm_construct(jn_cmtm C, jn_pose C0, const double *zeta) {
  memcpy(C.R, C0.R.m, sizeof(double) * 9);
  store_v3(C.p, v3_make(C0.p.x, C0.p.y, C0.p.z));
  /* (k+1) C_(k+1) = sum_i C_(k-i) [zeta_i x], in which p_0 does not occur */
  for (int k = 1; k <= C.order; k++) pose_step(k, zeta, 6, pose_of(C));
  fill_moments(C);
}

void jn_cmtm_deconstruct(jn_cmtm C, double *zeta) {
  for (int k = 0; k < C.order; k++) {
    /* rest = (k+1) C_(k+1) - sum_(i<k) C_(k-i) [zeta_i x], R and p parts */
    double rest[9], omega[9];
    v3 d = v3_times(k + 1, load_v3(C.p + 3 * (k + 1)));
    for (int j = 0; j < 9; j++) rest[j] = (k + 1) * C.R[9 * (k + 1) + j];
    for (int i = 0; i < k; i++) {
      const double *R = C.R + 9 * (k - i);
      m3_add_mul_hat(R, v3_times(-1.0, load_v3(zeta + 6 * i)), rest);
      d = v3_sub(d, m3_apply(R, load_v3(zeta + 6 * i + 3)));
    }
    const double Rt[9] = {C.R[0], C.R[3], C.R[6], C.R[1], C.R[4], C.R[7], C.R[2], C.R[5], C.R[8]};
    m3_mul(Rt, rest, omega);
    store_six(zeta + 6 * k, (six){v3_make(0.5 * (omega[7] - omega[5]), 0.5 * (omega[2] - omega[6]),
                                          0.5 * (omega[3] - omega[1])),
                                  m3_apply_t(C.R, d)});
  }
}

jn_pose jn_cmtm_pose(jn_cmtm C) {
  jn_pose out;
  memcpy(out.R.m, C.R, sizeof out.R.m);
  out.p = jn_v3(C.p[0], C.p[1], C.p[2]);
  return out;
}

void jn_cmtm_product(jn_cmtm A, jn_cmtm B, jn_cmtm out) {
  jn_jet_compose(A.order, A.R, B.R, out.R);
  for (int k = 0; k <= A.order; k++)
    store_v3(out.p + 3 * k, v3_add(load_v3(A.p + 3 * k), rotate_order(k, pose_of(A), B.p, 3)));
  fill_moments(out);
}

void jn_cmtm_inverse(jn_cmtm A, jn_cmtm out) {
  /* R stays a rotation: the jet of R^-1 is that of R^T */
  for (int k = 0; k <= A.order; k++) {
    for (int j = 0; j < 9; j++) {
      out.R[9 * k + j] = A.R[9 * k + 3 * (j % 3) + j / 3];
      out.D[9 * k + j] = A.D[9 * k + 3 * (j % 3) + j / 3];
    }
    store_v3(out.p + 3 * k, v3_times(-1.0, unrotate_order(k, pose_of(A), A.p, 3)));
  }
}

/* sum_i of block i times x_(k-i); back: with the blocks of the inverse */
static six motion_order(jn_cmtm C, int k, const double *x, int back) {
  six s = six_zero();
  for (int i = 0; i <= k; i++) {
    const double *R = C.R + 9 * i, *D = C.D + 9 * i;
    six y = load_six(x + 6 * (k - i));
    six z = back ? (six){m3_apply_t(R, y.w), v3_add(m3_apply_t(R, y.v), m3_apply_t(D, y.w))}
                 : (six){m3_apply(R, y.w), v3_add(m3_apply(R, y.v), m3_apply(D, y.w))};
    s = six_add(s, z);
  }
  return s;
}
static six force_order(jn_cmtm C, int k, const double *x, int back) {
  six s = six_zero();
  for (int i = 0; i <= k; i++) {
    const double *R = C.R + 9 * i, *D = C.D + 9 * i;
    six y = load_six(x + 6 * (k - i));
    six z = back ? (six){v3_add(m3_apply_t(R, y.w), m3_apply_t(D, y.v)), m3_apply_t(R, y.v)}
                 : (six){v3_add(m3_apply(R, y.w), m3_apply(D, y.v)), m3_apply(R, y.v)};
    s = six_add(s, z);
  }
  return s;
}

void jn_cmtm_motion(jn_cmtm C, int order, const double *x, double *out) {
  for (int k = 0; k <= order; k++) store_six(out + 6 * k, motion_order(C, k, x, 0));
}
void jn_cmtm_motion_back(jn_cmtm C, int order, const double *x, double *out) {
  for (int k = 0; k <= order; k++) store_six(out + 6 * k, motion_order(C, k, x, 1));
}
void jn_cmtm_force(jn_cmtm C, int order, const double *x, double *out) {
  for (int k = 0; k <= order; k++) store_six(out + 6 * k, force_order(C, k, x, 0));
}
void jn_cmtm_force_back(jn_cmtm C, int order, const double *x, double *out) {
  for (int k = 0; k <= order; k++) store_six(out + 6 * k, force_order(C, k, x, 1));
}
void jn_cmtm_point(jn_cmtm C, int order, const double *x, double *out) {
  for (int k = 0; k <= order; k++)
    store_v3(out + 3 * k, v3_add(load_v3(C.p + 3 * k), rotate_order(k, pose_of(C), x, 3)));
}

static int form_width(jn_cmtm_form form) { return form == JN_CMTM_HOMOGENEOUS ? 4 : 6; }

/* [A B; C A], 3 x 3 blocks */
static void put_blocks(const double *A, const double *B, const double *C, double *out) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      out[6 * r + c] = out[6 * (r + 3) + c + 3] = A[3 * r + c];
      out[6 * r + c + 3] = B ? B[3 * r + c] : 0;
      out[6 * (r + 3) + c] = C ? C[3 * r + c] : 0;
    }
}

/* [A b; 0 one] */
static void put_homogeneous(const double *A, const double *b, double one, double *out) {
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++)
      out[4 * r + c] = r == 3 ? (c == 3 ? one : 0) : c == 3 ? b[r] : A[3 * r + c];
}

void jn_cmtm_block(jn_cmtm C, jn_cmtm_form form, int k, double *out) {
  const double *R = C.R + 9 * k, *D = C.D + 9 * k;
  if (form == JN_CMTM_HOMOGENEOUS)
    put_homogeneous(R, C.p + 3 * k, k == 0, out);
  else
    put_blocks(R, form == JN_CMTM_DUAL ? D : NULL, form == JN_CMTM_DUAL ? NULL : D, out);
}

/* puts one block on the k-th block diagonal below the main one */
static void put_diagonal(int order, int width, int k, const double *block, double *out) {
  size_t side = (size_t)width * ((size_t)order + 1);
  for (int at = k; at <= order; at++)
    for (int r = 0; r < width; r++)
      for (int c = 0; c < width; c++)
        out[((size_t)(at * width) + (size_t)r) * side + (size_t)((at - k) * width + c)] =
            block[width * r + c];
}

void jn_cmtm_dense(jn_cmtm C, jn_cmtm_form form, double *out) {
  int width = form_width(form);
  size_t side = (size_t)width * ((size_t)C.order + 1);
  double block[36];
  memset(out, 0, sizeof(double) * side * side);
  for (int k = 0; k <= C.order; k++) {
    jn_cmtm_block(C, form, k, block);
    put_diagonal(C.order, width, k, block, out);
  }
}

void jn_cmtm_operator_dense(int order, jn_cmtm_form form, const double *zeta, double *out) {
  int width = form_width(form);
  size_t side = (size_t)width * ((size_t)order + 1);
  double block[36];
  memset(out, 0, sizeof(double) * side * side);
  for (int k = 0; k <= order; k++) {
    m3 w = {{0}}, v = {{0}}, one = m3_identity();
    m3_add_hat_mul(load_v3(zeta + 6 * k), one.m, w.m);
    m3_add_hat_mul(load_v3(zeta + 6 * k + 3), one.m, v.m);
    if (form == JN_CMTM_HOMOGENEOUS)
      put_homogeneous(w.m, zeta + 6 * k + 3, 0, block);
    else
      put_blocks(w.m, form == JN_CMTM_DUAL ? v.m : NULL, form == JN_CMTM_DUAL ? NULL : v.m, block);
    put_diagonal(order, width, k, block, out);
  }
}

/* An N-CMTM needs poses and twists to order N-1. */
static jn_status check_cmtm(const jn_model *model, const jn_data *data, int order,
                            const void *memory) {
  if (!model || !data || data->model != jn_model_tree(model) || order < 0 || !memory)
    return JN_ERR_ARGUMENT;
  if (order > data->rows) return JN_ERR_ORDER;
  return data->kinematics < order - 1 ? JN_ERR_STATE : JN_OK;
}

jn_status jn_cmtm_forward_kinematics(const jn_model *model, jn_data *data, int order,
                                     double *memory) {
  jn_status status = check_cmtm(model, data, order, memory);
  if (status) return status;
  size_t size = jn_cmtm_size(order);
  model = jn_model_tree(model);
  double *zeta = &jet_of(&data->w, 2)->w.x;
  /* first in the working memory, so that a failure leaves the outputs as they were */
  for (int write = 0; write < 2; write++)
    for (int i = 0; i < model->nbody; i++) {
      int frame = model->body[i].frame;
      double *at = write ? memory + (size_t)i * size : data->w.frame;
      jn_pose C0;
      status = jn_frame_pose(model, data, frame, &C0);
      if (!status && order) status = jn_frame_twist(model, data, frame, JN_BODY, order - 1, zeta);
      if (status) return status;
      jn_jet_to_taylor(order - 1, 6, zeta);
      jn_cmtm_construct(jn_cmtm_at(order, at), C0, zeta);
      if (!jn_all_finite(at, size)) return JN_ERR_NOT_FINITE;
    }
  return JN_OK;
}

/* The columns of joint i in its body's frame (Jf), orders 0..order, for twists in representation
 * rep. */
static void joint_columns(const jn_model *m, jn_data *data, int joint, int rep, int order) {
  jn_body_columns(m, data, m->body_link[joint], &m->body_pose[joint], rep, order, joint);
}

jn_status jn_cmtm_joint(const jn_model *model, jn_data *data, int joint, int order,
                        double *memory) {
  jn_status status = check_cmtm(model, data, order, memory);
  if (status) return status;
  if (joint < 0 || joint >= model->nbody) return JN_ERR_ARGUMENT;
  model = jn_model_tree(model);
  const jn_work *w = &data->w;
  const jn_joint *j = &model->joint[joint];
  int parent = model->body[joint].parent;
  jn_pose C, P = jn_pose_identity();
  status = jn_frame_pose(model, data, model->body[joint].frame, &C);
  if (!status && parent >= 0) status = jn_frame_pose(model, data, model->body[parent].frame, &P);
  if (status) return status;
  if (order) joint_columns(model, data, joint, JN_BODY, order - 1);
  /* zeta = G psi */
  six *zeta = jet_of(w, 3);
  for (int k = 0; k < order; k++) {
    zeta[k] = six_zero();
    for (int c = j->iv; c < j->iv + j->nv; c++)
      for (int i = 0; i <= k; i++)
        zeta[k] = six_add(zeta[k], six_scale(w->v[(size_t)(k - i) * (size_t)model->nv + (size_t)c],
                                             Jf_of(w, c)[i]));
  }
  const size_t size = jn_cmtm_size(order);
  jn_cmtm_construct(jn_cmtm_at(order, w->frame), jn_pose_mul(jn_pose_inv(P), C), &zeta->w.x);
  return jn_deliver(w->frame, size, memory);
}

/* Work of algorithm 1: N-CMTMs of joints and links, forces, input and output jets; N = r + 2. */
static size_t inverse_size(const jn_model *m, int r) {
  size_t rows = (size_t)r + 2;
  return (size_t)m->nbody * (2 * jn_cmtm_size(r + 2) + 6 * rows) +
         2 * rows * (size_t)jn_model_tree(m)->nv;
}

/* Algorithm 2 also needs motion and bias. */
size_t jn_cmtm_work_size(const jn_model *model, int order) {
  return inverse_size(model, order) + 2 * ((size_t)order + 2) * (size_t)model->nv;
}

/* f_k = (k+1) h_(k+1) + sum_i [zeta_i x]* h_(k-i) - gravity_k; zeta, h: r + 2 rows */
static void cmtm_link_force(const jn_data *data, const jn_inertia *I, jn_cmtm C, int r,
                            const double *zeta, double *h, double *f) {
  const jn_vec3 g = data->settings.gravity;
  for (int k = 0; k <= r + 1; k++) {
    six z = load_six(zeta + 6 * k);
    jn_wrench W = jn_inertia_apply(*I, (jn_twist){{z.w.x, z.w.y, z.w.z}, {z.v.x, z.v.y, z.v.z}});
    store_six(h + 6 * k, (six){v3_make(W.n.x, W.n.y, W.n.z), v3_make(W.f.x, W.f.y, W.f.z)});
  }
  for (int k = 0; k <= r; k++) {
    six s = six_times(k + 1, load_six(h + 6 * (k + 1)));
    for (int i = 0; i <= k; i++)
      s = six_sub(s, six_ad_t(load_six(zeta + 6 * i), load_six(h + 6 * (k - i))));
    v3 a = m3_apply_t(C.R + 9 * k, v3_make(g.x, g.y, g.z)); /* gravity in body axes */
    jn_wrench W = jn_inertia_apply(*I, (jn_twist){{0, 0, 0}, {a.x, a.y, a.z}});
    store_six(f + 6 * k,
              six_sub(s, (six){v3_make(W.n.x, W.n.y, W.n.z), v3_make(W.f.x, W.f.y, W.f.z)}));
  }
}

/* tau_i = G_i^T f_i + armature v' + damping v, all orders */
static void joint_torque(const jn_model *m, jn_data *data, int joint, int r, const double *f,
                         const double *v, double *tau) {
  const jn_joint *j = &m->joint[joint];
  size_t nv = (size_t)m->nv;
  joint_columns(m, data, joint, (int)data->settings.representation, r);
  for (int c = j->iv; c < j->iv + j->nv; c++)
    for (int k = 0; k <= r; k++) {
      const six *G = Jf_of(&data->w, c);
      const double *x = v + (size_t)k * nv + (size_t)c;
      double s = j->armature * (k + 1) * x[nv];
      if (data->settings.damping) s += j->damping * x[0];
      for (int i = 0; i <= k; i++) s += six_dot(G[i], load_six(f + 6 * (k - i)));
      tau[(size_t)k * nv + (size_t)c] = s;
    }
}

/* v: jets in the user's representation; tau: jets. */
static jn_status cornea(const jn_model *m, jn_data *data, int r, double *work, const double *v,
                        double *tau) {
  size_t size = jn_cmtm_size(r + 2), nb = (size_t)m->nbody, row = 6 * ((size_t)r + 2);
  double *joints = work, *links = work + nb * size, *forces = links + nb * size;
  double *zeta = &jet_of(&data->w, 4)->w.x, *h = &jet_of(&data->w, 5)->w.x;
  for (int i = 0; i < m->nbody; i++) {
    jn_cmtm J = jn_cmtm_at(r + 2, joints + (size_t)i * size),
            C = jn_cmtm_at(r + 2, links + (size_t)i * size);
    int p = m->body[i].parent;
    jn_status status = jn_cmtm_joint(m, data, i, r + 2, joints + (size_t)i * size);
    if (status) return status;
    if (p < 0)
      memcpy(links + (size_t)i * size, joints + (size_t)i * size, sizeof(double) * size);
    else
      jn_cmtm_product(jn_cmtm_at(r + 2, links + (size_t)p * size), J, C);
    jn_cmtm_deconstruct(C, zeta);
    cmtm_link_force(data, &m->body[i].inertia, C, r, zeta, h, forces + (size_t)i * row);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    double *f = forces + (size_t)i * row;
    int p = m->body[i].parent;
    joint_torque(m, data, i, r, f, v, tau);
    if (p < 0) continue;
    double *fp = forces + (size_t)p * row;
    jn_cmtm_force(jn_cmtm_at(r + 2, joints + (size_t)i * size), r, f, h);
    for (int n = 0; n < 6 * (r + 1); n++) fp[n] += h[n];
  }
  return JN_OK;
}

jn_status jn_cmtm_inverse_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, double *work, double *tau) {
  if (!model || !data || data->model != jn_model_tree(model) || order < 0 || !work ||
      (model->nq && !q) || (model->nv && (!v || !tau)))
    return JN_ERR_ARGUMENT;
  if (order > data->order) return JN_ERR_ORDER;
  const jn_model *tree = coupled_state(model, data, order + 2, &q, &v);
  jn_status status = jn_kinematics(tree, data, order + 1, q, v);
  if (status) return status;
  size_t nv = (size_t)tree->nv, n = ((size_t)order + 1) * nv;
  double *jets = work + inverse_size(model, order) - 2 * (n + nv), *out = jets + n + nv;
  if (nv) memcpy(jets, v, sizeof(double) * (n + nv));
  jn_jet_to_taylor(order + 1, tree->nv, jets);
  status = cornea(tree, data, order, work, jets, out);
  if (status) return status;
  jn_jet_to_derivatives(order, tree->nv, out);
  if (tree == model) return jn_deliver(out, n, tau);
  double *own = coupled_rows(data, OWN_OTHER);
  jn_tree_force(model, (size_t)order + 1, out, own);
  return jn_deliver(own, ((size_t)order + 1) * (size_t)model->nv, tau);
}

jn_status jn_cmtm_forward_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                                   const double *v, const double *tau, double *work, double *a) {
  if (!model || !data || data->model != jn_model_tree(model) || order < 0 || !work ||
      (model->nv && (!v || !tau || !a)))
    return JN_ERR_ARGUMENT;
  if (order > data->order) return JN_ERR_ORDER;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 2) * nv;
  double *aleph = work + inverse_size(model, order), *bias = aleph + n;
  if (!nv) return JN_OK;
  memset(aleph, 0, sizeof(double) * n);
  memcpy(aleph, v, sizeof(double) * nv);
  for (int k = 0; k <= order; k++) {
    /* order k of the forces for v^(k+1) = 0 is the bias; all rows are derivatives */
    double *at = aleph + ((size_t)k + 1) * nv, *b = bias + (size_t)k * nv;
    jn_status status = jn_cmtm_inverse_dynamics(model, data, k, q, aleph, work, bias);
    if (status) return status;
    for (size_t i = 0; i < nv; i++) b[i] = tau[(size_t)k * nv + i] - b[i];
    status = jn_inverse_mass_apply(model, data, q, 1, b, at);
    if (status) return status;
  }
  memcpy(a, aleph + nv, sizeof(double) * (n - nv));
  return JN_OK;
}
