/* comprehensive.c: the comprehensive equations and Jacobians of samy2021, (37)-(57), as jets in
 * world axes about the base's position, where
 *   link motion      zeta_i = zeta_parent + S psi          J = S
 *   link momentum    h_i = M_i zeta_i                      K = M_i S
 *   joint momentum   sum of h over the subtree             B = Mc S
 *   force            f_k = (k+1) h_(k+1)                   N, Q: block (k, h) = (k+1) block k+1-h
 *   torque           tau = S^T f                           R = S^T Q
 * Mc is the composite inertia of the joint's link or the column's link, whichever is the
 * descendant. The bracket with zeta in (29), (51) arises when the force is transformed to the
 * body's frame. */
#include <jounce/textbook/cmtm.h>
#include <string.h>

#include "core/coupled.h"
#include "core/jacobian.h"

static frame_motion body_motion(const jn_model *m, const jn_data *data, int body, int order) {
  return frame_motion_jet(data, m->body_link[body], &m->body_pose[body], order, data->w.frame);
}

/* Operators. */

void jn_comprehensive_shape(const jn_model *model, jn_operator op, int order, size_t *in,
                            size_t *out) {
  size_t bodies = 6 * ((size_t)order + 1) * (size_t)model->nbody,
         dofs = ((size_t)order + 1) * (size_t)model->nv;
  *in = op == JN_OP_G ? dofs : bodies;
  *out = op == JN_OP_DUAL_G ? dofs : bodies;
}

/* x (link frames) in the world, all bodies: w->Ws, [bodies x rows x 6] */
static six *carried_to_base(const jn_model *m, const jn_data *data, int order, const double *x,
                            int wrench) {
  size_t n = (size_t)order + 1;
  for (int i = 0; i < m->nbody; i++) {
    six *y = Ws_of(&data->w, i);
    frame_motion f = body_motion(m, data, i, order);
    memcpy(y, x + 6 * n * (size_t)i, sizeof(six) * n);
    if (wrench)
      wrench_to_base(order, &f, y);
    else
      twist_to_base(order, &f, y);
  }
  return Ws_of(&data->w, 0);
}

/* y := y minus the parent's (or the children's) part, or the inverse of that, in the world */
static void exchange(const jn_model *m, jn_operator op, size_t rows, int order, six *y) {
  int inverse = op == JN_OP_L_INVERSE || op == JN_OP_DUAL_L_INVERSE;
  int dual = op == JN_OP_DUAL_L || op == JN_OP_DUAL_L_INVERSE;
  /* L reads values not yet changed, its inverse values already complete */
  int rising = dual != inverse;
  for (int t = 0; t < m->nbody; t++) {
    int i = rising ? t : m->nbody - 1 - t, p = m->body[i].parent;
    if (p < 0) continue;
    six *to = y + (size_t)(dual ? p : i) * rows;
    const six *from = y + (size_t)(dual ? i : p) * rows;
    for (int k = 0; k <= order; k++)
      to[k] = inverse ? six_add(to[k], from[k]) : six_sub(to[k], from[k]);
  }
}

static void operator_L(const jn_model *m, const jn_data *data, jn_operator op, int order,
                       const double *in) {
  size_t rows = (size_t)data->rows;
  int dual = op == JN_OP_DUAL_L || op == JN_OP_DUAL_L_INVERSE;
  six *y = carried_to_base(m, data, order, in, dual), *z = jet_of(&data->w, 2);
  exchange(m, op, rows, order, y);
  for (int i = 0; i < m->nbody; i++) {
    frame_motion f = body_motion(m, data, i, order);
    six *at = y + (size_t)i * rows;
    memcpy(z, at, sizeof(six) * ((size_t)order + 1));
    represent_column(JN_BODY, order, &f, v3_zero(), dual, z, at);
  }
}

static void operator_M(const jn_model *m, const jn_data *data, int order, const double *in) {
  for (int i = 0; i < m->nbody; i++)
    for (int k = 0; k <= order; k++) {
      const double *x = in + 6 * ((size_t)i * ((size_t)order + 1) + (size_t)k);
      jn_twist V = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      jn_wrench W = jn_inertia_apply(m->body[i].inertia, V);
      const double y[6] = {W.n.x, W.n.y, W.n.z, W.f.x, W.f.y, W.f.z};
      memcpy(&Ws_of(&data->w, i)[k], y, sizeof y);
    }
}

/* G into w->Ws, or its dual from the input into w->out */
static void operator_G(const jn_model *m, jn_data *data, int dual, int order, const double *in) {
  const jn_work *w = &data->w;
  size_t n = (size_t)order + 1, nv = (size_t)m->nv;
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i];
    six *y = Ws_of(w, i);
    jn_body_columns(m, data, m->body_link[i], &m->body_pose[i], (int)data->settings.representation,
                    order, i);
    if (dual)
      memcpy(y, in + 6 * n * (size_t)i, sizeof(six) * n);
    else
      memset(y, 0, sizeof(six) * n);
    for (int c = j->iv; c < j->iv + j->nv; c++) {
      const six *G = Jf_of(w, c);
      for (int k = 0; k <= order; k++) {
        double s = 0;
        for (int h = 0; h <= k; h++) {
          if (dual)
            s += six_dot(G[h], y[k - h]);
          else
            y[k] = six_add(y[k], six_scale(in[(size_t)(k - h) * nv + (size_t)c], G[h]));
        }
        if (dual) out_of(w, 0)[(size_t)k * nv + (size_t)c] = s;
      }
    }
  }
}

jn_status jn_comprehensive_apply(const jn_model *model, jn_data *data, jn_operator op, int order,
                                 const double *in, double *out) {
  const jn_model *tree = data && is_coupled(model, data) ? model->tree : model;
  jn_status status = jn_jets_check(tree, data, order);
  if (status) return status;
  size_t in_size, out_size, n = 6 * ((size_t)order + 1);
  if ((unsigned)op > JN_OP_M) return JN_ERR_ARGUMENT;
  jn_comprehensive_shape(model, op, order, &in_size, &out_size);
  if ((in_size && !in) || (out_size && !out)) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(in, in_size)) return JN_ERR_NOT_FINITE;
  jn_motion_jets(tree, data, -1, (int)data->settings.representation, order);
  /* with eliminated joints G of the tree is multiplied by the constant one of v = G y' */
  if (op == JN_OP_G && tree != model) {
    double *motion = coupled_rows(data, TREE_MOTION);
    jn_tree_expand(model, NULL, order + 1, in, NULL, motion);
    in = motion;
  }
  if (op == JN_OP_M)
    operator_M(tree, data, order, in);
  else if (op == JN_OP_G || op == JN_OP_DUAL_G)
    operator_G(tree, data, op == JN_OP_DUAL_G, order, in);
  else
    operator_L(tree, data, op, order, in);
  if (op == JN_OP_DUAL_G) {
    double *result = out_of(&data->w, 0);
    if (tree != model) {
      double *own = coupled_rows(data, OWN_OTHER);
      jn_tree_force(model, (size_t)order + 1, result, own);
      result = own;
    }
    return jn_deliver(result, out_size, out);
  }
  for (int i = 0; i < model->nbody; i++)
    if (!jn_all_finite(&Ws_of(&data->w, i)->w.x, n)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    memcpy(out + n * (size_t)i, Ws_of(&data->w, i), sizeof(double) * n);
  return JN_OK;
}

jn_status jn_comprehensive_matrix(const jn_model *model, jn_data *data, jn_operator op, int order,
                                  double *work, double *matrix) {
  if (!model || !work || !matrix || order < 0) return JN_ERR_ARGUMENT;
  size_t columns, rows;
  jn_comprehensive_shape(model, op, order, &columns, &rows);
  memset(work, 0, sizeof(double) * columns);
  for (size_t c = 0; c < columns; c++) {
    work[c] = 1;
    jn_status status = jn_comprehensive_apply(model, data, op, order, work, work + columns);
    if (status) return status;
    work[c] = 0;
    for (size_t r = 0; r < rows; r++) matrix[r * columns + c] = work[columns + r];
  }
  return JN_OK;
}

/* Jacobians. */

static int is_of_joint(jn_quantity x) { return x >= JN_JOINT_MOMENTUM; }
static int is_force(jn_quantity x) {
  return x == JN_LINK_FORCE || x == JN_JOINT_FORCE || x == JN_JOINT_TORQUE;
}

size_t jn_comprehensive_rows(const jn_model *model, jn_quantity quantity, int body, int order) {
  size_t n = (size_t)order + (is_force(quantity) ? 0 : 1);
  return n * (quantity == JN_JOINT_TORQUE ? (size_t)model->joint[body].nv : 6);
}

/* Twists in the world to order K-1 (w->Vs), inertias to order K (w->Ms), or their composites. */
static void inertia_jets(const jn_model *m, const jn_data *data, int K, int composite) {
  const jn_work *w = &data->w;
  size_t rows = (size_t)data->rows;
  for (int i = 0; i < m->nlink && data->formulation != JN_FORM_SPATIAL; i++)
    for (int k = 0; k < K; k++)
      twist_from_body(JN_SPATIAL, k, link_pose(w, i), load_v3(O_of(w, i)), &V_of(w, i)->w.x, 6,
                      &Vs_of(w, i)->w.x, 6);
  spatial_inertias(m, w, K);
  if (composite) add_to_parents(m, w->Ms, 10 * rows, 10 * ((size_t)K + 1));
}

/* Blocks 0..order in the world of one column, into w->Jf; 0: the column is zero. */
static int block_column(const jn_model *m, const jn_data *data, jn_quantity x, int body, int order,
                        int c) {
  const jn_work *w = &data->w;
  int link = m->body_link[body], own = link_of_column(m, c), inertia = link;
  const six *S = Su_of(w, c);
  six *out = Jf_of(w, c);
  if (!link_carries(m, own, link)) {
    if (!is_of_joint(x) || !link_carries(m, link, own)) return 0;
    inertia = own;
  }
  const inertia10 *M = Ms_of(w, inertia);
  for (int k = 0; k <= order; k++)
    out[k] = x == JN_LINK_MOTION ? S[k] : spatial_momentum(k, 0, M, S);
  return 1;
}

/* Response of the quantity to a unit of v_h, at all orders k, in representation `rep`: `out`. */
static void unit_response(const jn_data *data, jn_quantity x, int rep, const frame_motion *f,
                          int order, int h, const six *block, six *room, six *out) {
  int last = is_force(x) ? order - 1 : order;
  for (int k = 0; k <= last; k++) {
    int at = is_force(x) ? k + 1 - h : k - h;
    room[k] = at < 0 ? six_zero() : is_force(x) ? six_times(k + 1, block[at]) : block[at];
  }
  represent_column(rep, last, f, base_position(data), x != JN_LINK_MOTION, room, out);
}

static double torque_entry(const jn_model *m, const jn_data *data, int row, int column, int k,
                           int h, const six *f) {
  const six *S = Su_of(&data->w, row);
  const jn_joint *j = &m->joint[m->link[link_of_column(m, row)].joint];
  double s = spatial_project(k, 0, S, f);
  if (row == column && h == k + 1) s += j->armature * (k + 1);
  if (row == column && h == k && data->settings.damping) s += j->damping;
  return s;
}

/* One column (dof c, order h) of the matrix, from w->Jf; write = 0: only whether it is finite. m: the
 * tree; its column c is added to `to` of the model, which has nv; scale: of the rows. */
static int matrix_column(const jn_model *m, const jn_data *data, jn_quantity x, int body, int rep,
                         const frame_motion *f, int order, int h, int c, size_t nv,
                         coupled_column to, double scale, double *out, int write) {
  size_t width = ((size_t)order + 1) * nv, column = (size_t)h * nv + (size_t)to.column;
  const six *block = Jf_of(&data->w, c);
  six *room = jet_of(&data->w, 2), *y = jet_of(&data->w, 3);
  const jn_joint *j = &m->joint[body];
  int last = is_force(x) ? order - 1 : order, torque = x == JN_JOINT_TORQUE, n = torque ? j->nv : 6;
  double finite = 0;
  unit_response(data, x, rep, f, order, h, block, room, y);
  for (int k = 0; k <= last; k++)
    for (int r = 0; r < n; r++) {
      double s = torque ? torque_entry(m, data, j->iv + r, c, k, h, room) : (&y[k].w.x)[r];
      finite += 0.0 * s;
      if (write) out[((size_t)k * (size_t)n + (size_t)r) * width + column] += scale * to.ratio * s;
    }
  return finite == 0.0;
}

static jn_status prepare(const jn_model *m, jn_data *data, jn_quantity x, int body, int rep,
                         int order, const double *out) {
  jn_status status = jn_jets_check(m, data, order);
  if (status) return status;
  if ((unsigned)x > JN_JOINT_TORQUE || (unsigned)rep > JN_MIXED || body < 0 || body >= m->nbody ||
      !out)
    return JN_ERR_ARGUMENT;
  jn_motion_jets(m, data, -1, (int)data->settings.representation, order);
  if (x != JN_LINK_MOTION) inertia_jets(m, data, order, is_of_joint(x));
  return JN_OK;
}

/* How the rows of body b enter those of `body`: its own, and to a torque those of the joints that
 * follow. */
static double row_scale(const jn_model *m, jn_quantity x, int body, int b) {
  if (b == body) return 1;
  return x == JN_JOINT_TORQUE && m->joint[b].leader == body ? m->joint[b].ratio : 0;
}

jn_status jn_comprehensive_jacobian(const jn_model *model, jn_data *data, jn_quantity quantity,
                                    int body, jn_representation representation, int order,
                                    double *out) {
  const jn_model *tree = data && is_coupled(model, data) ? model->tree : model;
  jn_status status = prepare(tree, data, quantity, body, (int)representation, order, out);
  if (status) return status;
  int rep = (int)representation;
  size_t nv = (size_t)model->nv,
         n = jn_comprehensive_rows(model, quantity, body, order) * ((size_t)order + 1) * nv;
  for (int write = 0; write < 2; write++) {
    if (write && n) memset(out, 0, sizeof(double) * n);
    for (int b = 0; b < tree->nbody && n; b++) {
      const double scale = row_scale(model, quantity, body, b);
      if (scale == 0) continue;
      frame_motion f = body_motion(tree, data, b, order);
      for (int c = 0; c < tree->nv; c++) {
        const coupled_column to = own_column(model, tree->link[link_of_column(tree, c)].joint, c);
        if (to.column < 0 || !block_column(tree, data, quantity, b, order, c)) continue;
        for (int h = 0; h <= order; h++)
          if (!matrix_column(tree, data, quantity, b, rep, &f, order, h, c, nv, to, scale, out,
                             write))
            return JN_ERR_NOT_FINITE;
      }
    }
  }
  return JN_OK;
}

jn_status jn_comprehensive_blocks(const jn_model *model, jn_data *data, jn_quantity quantity,
                                  int body, jn_representation representation, int order,
                                  double *out) {
  if (is_force(quantity)) return JN_ERR_ARGUMENT;
  const jn_model *tree = data && is_coupled(model, data) ? model->tree : model;
  jn_status status = prepare(tree, data, quantity, body, (int)representation, order, out);
  if (status) return status;
  size_t nv = (size_t)model->nv, n = 6 * ((size_t)order + 1);
  int rep = (int)representation;
  frame_motion f = body_motion(tree, data, body, order);
  six *room = jet_of(&data->w, 2), *y = jet_of(&data->w, 3);
  for (int write = 0; write < 2; write++) {
    if (write && nv) memset(out, 0, sizeof(double) * n * nv);
    for (int c = 0; c < tree->nv; c++) {
      const coupled_column to = own_column(model, tree->link[link_of_column(tree, c)].joint, c);
      if (to.column < 0 || !block_column(tree, data, quantity, body, order, c)) continue;
      unit_response(data, quantity, rep, &f, order, 0, Jf_of(&data->w, c), room, y);
      if (!jn_all_finite(&y->w.x, n)) return JN_ERR_NOT_FINITE;
      for (size_t r = 0; write && r < n; r++)
        out[r * nv + (size_t)to.column] += to.ratio * (&y->w.x)[r];
    }
  }
  return JN_OK;
}
