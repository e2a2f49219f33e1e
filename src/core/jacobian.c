/* jacobian.c: Jacobians of any order.
 *
 * With the pose jets of the links, S = Ad_C (constant column s), about the base's position:
 *   w_k = R_k s.w
 *   v_k = R_k s.v + O x w_k + sum_(i>=1) P_i x w_(k-i)
 * then converted to the frame's representation. Body columns are computed from the motion between
 * joint and frame alone, from the frame to the root. With D = sum of J v over the links passed:
 *   k J_k = sum_(i<k) [J_i, D_(k-1-i)]
 * so that constant columns have derivatives that are exactly zero. */
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/jacobian.h"

jn_status jn_jets_check(const jn_model *model, const jn_data *data, int order) {
  if (is_coupled(model, data)) return JN_ERR_COUPLED;
  if (!model || !data || data->model != model || order < 0) return JN_ERR_ARGUMENT;
  if ((unsigned)data->settings.representation > JN_MIXED) return JN_ERR_ARGUMENT;
  if (order > data->rows - 1) return JN_ERR_ORDER;
  return data->kinematics < order - 1 ? JN_ERR_STATE : JN_OK;
}

static void link_jets(const jn_model *m, const jn_data *data, int i, int order) {
  const jn_work *w = &data->w;
  const jn_link *l = &m->link[i];
  pose_jet c = link_pose(w, i);
  v3 O = load_v3(O_of(w, i));
  for (int k = 1; k <= order; k++) {
    if (data->formulation == JN_FORM_SPATIAL)
      spatial_pose_step(w, i, k);
    else
      pose_step(k, &V_of(w, i)->w.x, 6, c);
  }
  for (int j = 0; j < l->nv; j++) {
    six s = joint_column(l, j), *S = Su_of(w, l->iv + j);
    for (int k = 0; k <= order; k++) {
      const real *R = c.R + 9 * k;
      S[k].w = m3_apply(R, s.w);
      S[k].v = v3_add(m3_apply(R, s.v), v3_cross(O, S[k].w));
      for (int h = 1; h <= k; h++)
        S[k].v = v3_add(S[k].v, v3_cross(load_v3(c.p + 3 * h), S[k - h].w));
    }
  }
}

void jn_represent_free(const jn_model *m, const jn_work *w, int i, int rep, int order, six *S) {
  const jn_link *l = &m->link[i];
  for (int k = 1; k <= order; k++)
    joint_step(l, k, q_of(w, l->iq), v_of(w, l->iv), m->nv, X_of(w, l->ix));
  represent_screws(l, w, rep, order, S);
}

/* Columns of a free base for its spatial twist about the world's origin: constant. */
static void spatial_columns(const jn_link *l, const jn_work *w, int order) {
  const v3 p = free_position(l, w);
  for (int j = 0; j < 6; j++) {
    six *S = Su_of(w, l->iv + j);
    for (int k = 0; k <= order; k++) S[k] = six_zero();
    const v3 e = v3_make(j % 3 == 0, j % 3 == 1, j % 3 == 2);
    S[0] = j < 3 ? (six){e, v3_cross(e, p)} : (six){v3_zero(), e};
  }
}

void jn_motion_jets(const jn_model *model, jn_data *data, int link, int rep, int order) {
  for (int i = link < 0 ? model->nlink - 1 : link; i >= 0;
       i = link < 0 ? i - 1 : model->link[i].parent) {
    link_jets(model, data, i, order);
    if (!link_is_free(&model->link[i]) || rep == JN_BODY) continue;
    if (rep == JN_SPATIAL && model->link[i].parent < 0)
      spatial_columns(&model->link[i], &data->w, order);
    else
      jn_represent_free(model, &data->w, i, rep, order, Su_of(&data->w, model->link[i].iv));
  }
}

/* column s of link i at this instant, in the frame at (R, x) */
static six column_now(const jn_work *w, int i, six s, const real *R, v3 x) {
  const real *Ri = R_of(w, i);
  v3 a = m3_apply(Ri, s.w), lever = v3_sub(load_v3(O_of(w, i)), x);
  return (six){m3_apply_t(R, a), m3_apply_t(R, v3_add(m3_apply(Ri, s.v), v3_cross(lever, a)))};
}

void jn_body_columns(const jn_model *model, jn_data *data, int link, const jn_pose *inner, int rep,
                     int order, int joint) {
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv;
  frame_motion f = frame_motion_jet(data, link, inner, 0, w->frame);
  six *D = jet_of(w, 2);
  double R[9];
  memcpy(R, f.c.R, sizeof R);
  memset(D, 0, sizeof(six) * ((size_t)order + 1));
  for (int i = link; i >= 0 && (joint < 0 || model->link[i].joint == joint);
       i = model->link[i].parent) {
    const jn_link *l = &model->link[i];
    for (int c = 0; c < l->nv; c++) {
      six *J = Jf_of(w, l->iv + c);
      J[0] = column_now(w, i, joint_column(l, c), R, f.O);
      for (int k = 1; k <= order; k++) {
        six s = six_zero();
        for (int h = 0; h < k; h++) s = six_add(s, six_ad(J[h], D[k - 1 - h]));
        J[k] = six_times(1.0 / k, s);
      }
    }
    for (int c = l->iv; c < l->iv + l->nv; c++)
      for (int k = 0; k < order; k++)
        for (int h = 0; h <= k; h++)
          D[k] = six_add(D[k], six_scale(w->v[(size_t)(k - h) * nv + (size_t)c], Jf_of(w, c)[h]));
    if (link_is_free(l) && rep != JN_BODY)
      jn_represent_free(model, w, i, rep, order, Jf_of(w, l->iv));
  }
}

/* Columns of the frame `inner` of a link, as derivatives, into w->Jf; returns whether all are
 * finite. */
static int frame_columns(const jn_model *m, jn_data *data, int link, const jn_pose *inner, int rep,
                         int order) {
  const jn_work *w = &data->w;
  int finite = 1, body = rep == JN_BODY || rep == JN_MIXED;
  if (body) jn_body_columns(m, data, link, inner, (int)data->settings.representation, order, -1);
  frame_motion f = frame_motion_jet(data, link, inner, rep == JN_BODY ? 0 : order, w->frame);
  for (int i = link; i >= 0; i = m->link[i].parent)
    for (int c = m->link[i].iv; c < m->link[i].iv + m->link[i].nv; c++) {
      six *out = Jf_of(w, c), *h = jet_of(w, 3);
      if (rep == JN_MIXED) { /* angular as body, linear as hybrid */
        represent_column(JN_HYBRID, order, &f, base_position(data), 0, Su_of(w, c), h);
        for (int k = 0; k <= order; k++) out[k].v = h[k].v;
      } else if (!body) {
        represent_column(rep, order, &f, base_position(data), 0, Su_of(w, c), out);
      }
      jn_jet_to_derivatives(order, 6, &out->w.x);
      finite &= jn_all_finite(&out->w.x, 6 * ((size_t)order + 1));
    }
  return finite;
}

/* rows first..5 of the columns in w->Jf into J; orders are `stride` rows apart */
static void put_columns(const jn_model *m, const jn_data *data, int link, int first, int order,
                        size_t stride, double *J) {
  size_t nv = (size_t)m->nv;
  for (int i = link; i >= 0; i = m->link[i].parent)
    for (int c = m->link[i].iv; c < m->link[i].iv + m->link[i].nv; c++) {
      const real *x = &Jf_of(&data->w, c)->w.x;
      for (int k = 0; k <= order; k++)
        for (int r = first; r < 6; r++)
          J[((size_t)k * stride + (size_t)(r - first)) * nv + (size_t)c] = x[6 * k + r];
    }
}

static jn_status jacobian_of(const jn_model *model, jn_data *data, int frame, const jn_vec3 *point,
                             int rep, int order, double *J) {
  jn_status status = jn_jets_check(model, data, order);
  if (status) return status;
  if (frame < 0 || frame >= model->nframe || (unsigned)rep > JN_MIXED || (model->nv && !J))
    return JN_ERR_ARGUMENT;
  int first = point ? 3 : 0;
  size_t n = ((size_t)order + 1) * (size_t)(6 - first) * (size_t)model->nv;
  jn_pose inner;
  int link = frame_in_link(model, frame, &inner);
  if (point) inner = jn_pose_mul(inner, (jn_pose){jn_m3_identity(), *point});
  if (link >= 0) {
    if (rep != JN_BODY)
      jn_motion_jets(model, data, link, (int)data->settings.representation, order);
    if (!frame_columns(model, data, link, &inner, rep, order)) return JN_ERR_NOT_FINITE;
  }
  if (n) memset(J, 0, sizeof(double) * n);
  put_columns(model, data, link, first, order, (size_t)(6 - first), J);
  return JN_OK;
}

jn_status jn_frame_jacobian(const jn_model *model, jn_data *data, int frame,
                            jn_representation representation, int order, double *J) {
  if (is_coupled(model, data))
    return jn_coupled_frame_jacobian(model, data, frame, representation, order, J);
  return jacobian_of(model, data, frame, NULL, (int)representation, order, J);
}

jn_status jn_point_jacobian(const jn_model *model, jn_data *data, int frame, jn_vec3 point,
                            int order, double *J) {
  if (is_coupled(model, data))
    return jn_coupled_point_jacobian(model, data, frame, point, order, J);
  const double p[3] = {point.x, point.y, point.z};
  if (!jn_all_finite(p, 3)) return JN_ERR_NOT_FINITE;
  return jacobian_of(model, data, frame, &point, JN_HYBRID, order, J);
}

jn_status jn_system_jacobian(const jn_model *model, jn_data *data, jn_representation representation,
                             int order, double *J) {
  if (is_coupled(model, data))
    return jn_coupled_system_jacobian(model, data, representation, order, J);
  jn_status status = jn_jets_check(model, data, order);
  if (status) return status;
  if ((unsigned)representation > JN_MIXED || (model->nv && !J)) return JN_ERR_ARGUMENT;
  size_t nv = (size_t)model->nv, height = 6 * (size_t)model->nbody,
         n = ((size_t)order + 1) * height * nv;
  int rep = (int)representation;
  if (rep != JN_BODY) jn_motion_jets(model, data, -1, (int)data->settings.representation, order);
  for (int b = 0; b < model->nbody; b++)
    if (!frame_columns(model, data, model->body_link[b], &model->body_pose[b], rep, order))
      return JN_ERR_NOT_FINITE;
  if (n) memset(J, 0, sizeof(double) * n);
  for (int b = 0; b < model->nbody; b++) {
    frame_columns(model, data, model->body_link[b], &model->body_pose[b], rep, order);
    put_columns(model, data, model->body_link[b], 0, order, height, J + 6 * (size_t)b * nv);
  }
  return JN_OK;
}

/* Given twists of the bodies, in any representation, as jets in link frames: w->V of the bodies'
 * links. */
static jn_status twists_in(const jn_model *m, jn_data *data, int rep, int order,
                           const double *twists) {
  const jn_work *w = &data->w;
  size_t rows = (size_t)data->rows, n = 6 * ((size_t)order + 1);
  double *in = w->frame, *R = in + 6 * rows, *p = R + 9 * (rows + 1), *out = p + 3 * (rows + 1);
  for (int b = 0; b < m->nbody; b++) {
    jn_pose C;
    jn_status status = jn_frame_pose(m, data, m->body[b].frame, &C);
    if (status) return status;
    memcpy(in, twists + (size_t)b * n, sizeof(double) * n);
    jn_jet_to_taylor(order, 6, in);
    jn_jet_convert_twist(order, (jn_representation)rep, JN_BODY, C, in, R, p, out);
    for (int k = 0; k <= order; k++) {
      const double *x = out + 6 * k;
      jn_twist t = {jn_v3(x[0], x[1], x[2]), jn_v3(x[3], x[4], x[5])};
      t = jn_Ad(m->body_pose[b], t);
      const double y[6] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
      memcpy(&V_of(w, m->body_link[b])[k], y, sizeof y);
    }
  }
  return JN_OK;
}

/* Solves S^T S x = S^T e, at most 6 x 6; 0: singular. */
static int least_squares(int n, const six *S, six e, double *x) {
  double A[36], D[36], scale[6];
  for (int i = 0; i < n; i++) {
    x[i] = six_dot(S[i], e);
    scale[i] = six_dot(S[i], S[i]);
    for (int j = 0; j <= i; j++) A[6 * i + j] = six_dot(S[i], S[j]);
  }
  if (!factor(n, A, scale, 0, D)) return 0;
  solve_factored(n, D, x);
  return 1;
}

/* Order k of the links first..last of a joint: V_k of the last from the parent's twist and the
 * present v_k. */
static six chain_motion(const jn_model *m, const jn_data *data, int first, int last, int k) {
  const jn_work *w = &data->w;
  size_t nv = (size_t)m->nv;
  six V = six_zero();
  for (int i = first; i <= last; i++) {
    const jn_link *l = &m->link[i];
    six *u = U_of(w, i);
    const real *X = X_of(w, l->ix);
    int still = l->parent < 0;
    six Vp = i > first ? V : still ? six_zero() : V_of(w, l->parent)[k];
    u[k] = twist_from_parent(l->kind, l, X, NULL, &Vp);
    V = still ? six_zero() : joint_motion(l->kind, k, 0, X, u);
    V = joint_add_velocity(l, V, w->v + (size_t)k * nv + (size_t)l->iv);
    if (i < last) V_of(w, i)[k] = V;
  }
  return V;
}

/* Order k of one joint: v_k, and the largest component of the residual. */
static int joint_rates(const jn_model *m, jn_data *data, int joint, int k, double *left) {
  const jn_work *w = &data->w;
  int last = m->body_link[joint], first = last, n = m->joint[joint].nv;
  double *v = w->v + (size_t)k * (size_t)m->nv + (size_t)m->joint[joint].iv, x[6];
  while (m->link[first].parent >= 0 && m->link[m->link[first].parent].joint == joint) first--;
  six S[6] = {{{0, 0, 0}, {0, 0, 0}}};
  for (int i = first, c = 0; i <= last; i++) {
    const jn_link *l = &m->link[i];
    real *X = X_of(w, l->ix);
    if (k) joint_step(l, k, w->q + l->iq, w->v + l->iv, m->nv, X);
    for (int j = 0; j < c; j++) {
      six u = twist_from_parent(l->kind, l, X, NULL, &S[j]);
      S[j] = joint_motion(l->kind, 0, 0, X, &u);
    }
    for (int j = 0; j < l->nv; j++) S[c++] = joint_column(l, j);
  }
  for (int j = 0; j < n; j++) v[j] = 0;
  six e = six_sub(V_of(w, last)[k], chain_motion(m, data, first, last, k));
  if (!least_squares(n, S, e, x)) return 0;
  for (int j = 0; j < n; j++) {
    v[j] = x[j];
    e = six_sub(e, six_scale(x[j], S[j]));
  }
  chain_motion(m, data, first, last, k);
  const double parts[6] = {e.w.x, e.w.y, e.w.z, e.v.x, e.v.y, e.v.z};
  for (int c = 0; c < 6; c++)
    if (fabs(parts[c]) > *left) *left = fabs(parts[c]);
  return 1;
}

jn_status jn_joint_rates_from_twists(const jn_model *model, jn_data *data, int order,
                                     const double *q, jn_representation representation,
                                     const double *twists, double *v, double *residual) {
  if (is_coupled(model, data))
    return jn_coupled_joint_rates_from_twists(model, data, order, q, representation, twists, v,
                                              residual);
  if (!model || !data || data->model != model || order < 0 || (unsigned)representation > JN_MIXED ||
      (model->nbody && !twists) || (model->nv && !v))
    return JN_ERR_ARGUMENT;
  if (order + 1 > data->rows) return JN_ERR_ORDER;
  size_t n = ((size_t)order + 1) * (size_t)model->nv;
  if (!jn_all_finite(twists, 6 * ((size_t)order + 1) * (size_t)model->nbody))
    return JN_ERR_NOT_FINITE;
  jn_status status = jn_kinematics(model, data, -1, q, NULL);
  if (!status) status = twists_in(model, data, (int)representation, order, twists);
  if (status) return status;
  const jn_work *w = &data->w;
  double *left = w->frame;
  data->kinematics = -2;
  memset(left, 0, sizeof(double) * ((size_t)order + 1));
  for (int k = 0; k <= order; k++) {
    for (int i = 0; i < model->nbody; i++)
      if (!joint_rates(model, data, i, k, &left[k])) {
        data->singular = i;
        return JN_ERR_SINGULAR;
      }
    boundary_motion_out(model, w, (int)data->settings.representation, k, k, 1);
  }
  jn_jet_to_derivatives(order, model->nv, w->io);
  jn_jet_to_derivatives(order, 1, left);
  if (!jn_all_finite(w->io, n) || !jn_all_finite(left, (size_t)order + 1)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(v, w->io, sizeof(double) * n);
  if (residual) memcpy(residual, left, sizeof(double) * ((size_t)order + 1));
  return JN_OK;
}
