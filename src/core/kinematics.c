/* kinematics.c: forward kinematics of any order, and the functions that read its result. */
#include <jounce/jet.h>
#include <jounce/kinematics.h>
#include <string.h>

#include "core/coupled.h"
#include "core/body/rnea.h"
#include "core/engine.h"
#include "core/hybrid/mixed.h"
#include "core/jacobian.h"

/* Order 0 of the joint transforms, and twists of orders 0..K in the body formulation. The loops over
 * the lowest orders unroll. */
static void body_twists(const jn_model *m, const jn_work *w, int K) {
  switch (K) {
    case 0:
      rnea_outward(m, w, 0, 0, 0);
      break;
    case 1:
      rnea_outward(m, w, 1, 0, 0);
      break;
    case 2:
      rnea_outward(m, w, 2, 0, 0);
      break;
    default:
      rnea_outward(m, w, K, 0, 0);
  }
}

/* Twists of orders 0..K. Hybrid twists are converted to spatial ones, mixed ones to body ones.
 * Returns the formulation of the result. */
static jn_formulation twists(const jn_model *m, const jn_work *w, jn_formulation form, int K) {
  if (form == JN_FORM_SPATIAL) spatial_kinematics(m, w, K);
  if (form == JN_FORM_HYBRID) {
    hybrid_kinematics(m, w, K);
    hybrid_to_spatial(m, w, K);
  }
  if (form == JN_FORM_MIXED) {
    mixed_kinematics(m, w, K);
    mixed_to_body(m, w, K);
  }
  return form == JN_FORM_BODY || form == JN_FORM_MIXED ? JN_FORM_BODY : JN_FORM_SPATIAL;
}

/* Twists and positions of the links without children: every component of a parent's enters those of
 * its children, and a sum with an infinite or undefined term is not finite. */
static int twists_are_finite(const jn_model *m, const jn_data *data, int K) {
  const jn_work *w = &data->w;
  for (int i = 0; i < m->nlink; i++) {
    if (m->link[i].last > i) continue;
    const six *V = data->formulation == JN_FORM_SPATIAL ? Vs_of(w, i) : V_of(w, i);
    if (!jn_all_finite(&V->w.x, 6 * ((size_t)K + 1)) || !jn_all_finite(O_of(w, i), 3)) return 0;
  }
  return 1;
}

void jn_keep_given(const jn_model *m, jn_data *data, int order, const double *v) {
  data->given = m->nfree && m->free_link[0] == 0 && data->settings.representation == JN_SPATIAL;
  if (!data->given) return;
  double *to = data->w.given, *end = to + 6 * (order + 1);
  for (const int nv = m->nv; to < end; to += 6, v += nv) memcpy(to, v, 6 * sizeof *v);
}

jn_status jn_kinematics(const jn_model *model, jn_data *data, int order, const double *q,
                        const double *v) {
  if (is_coupled(model, data)) return jn_coupled_kinematics(model, data, order, q, v);
  if (!model || !data || data->model != model || order < -1) return JN_ERR_ARGUMENT;
  jn_formulation form = data->settings.formulation;
  if ((unsigned)form > JN_FORM_CLASSICAL) return JN_ERR_ARGUMENT;
  if (form == JN_FORM_CLASSICAL) form = JN_FORM_BODY;
  if (order + 1 > data->rows) return JN_ERR_ORDER;
  jn_status status = jn_load_state_about_joint(model, data, order + 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const int K = order < 0 ? 0 : order;
  data->kinematics = -2;
  if (order < 0 && model->nv) memset(w->io, 0, sizeof(double) * (size_t)model->nv);
  const int rep = (int)data->settings.representation;
  /* in body representation the transform of a free base is needed at order 0 only */
  boundary_motion(model, w, rep, 0, K, form != JN_FORM_BODY || rep != JN_BODY);
  jn_boundary_about_origin(model, data);
  if (form == JN_FORM_BODY)
    body_twists(model, w, K);
  else
    place_joints(model, w);
  place_poses(model, data);
  data->formulation = twists(model, w, form, K);
  if (!twists_are_finite(model, data, K)) return JN_ERR_NOT_FINITE;
  data->kinematics = order;
  jn_keep_given(model, data, order, v);
  return JN_OK;
}

/* V of the body formulation from the layout of the engine to that of plain C, in place, and without
 * gravity. */
static void unpack_twists(const jn_model *m, const jn_data *data) {
  const jn_work *w = &data->w;
  const size_t stride = (size_t)data->engine->six_stride, linear = (size_t)data->engine->six_linear,
               n = (size_t)m->nlink * (size_t)w->rows;
  for (size_t i = 0; i < n && stride > 6; i++) {
    memmove(w->V + 6 * i, w->V + stride * i, sizeof(double) * 3);
    memmove(w->V + 6 * i + 3, w->V + stride * i + linear, sizeof(double) * 3);
  }
  for (int i = 0; i < m->nlink && data->falls; i++) {
    six *V = V_of(w, i) + 1;
    V->v = v3_sub(V->v, m3_apply_t(R_of(w, i), load_v3(w->up)));
  }
}

jn_status jn_kinematics_from_dynamics(const jn_model *model, jn_data *data, int *order) {
  if (is_coupled(model, data)) model = model->tree;
  if (!model || !data || data->model != model) return JN_ERR_ARGUMENT;
  if (data->kinematics > JN_LEFT_BY_DYNAMICS(0)) return JN_ERR_STATE;
  const int K = JN_LEFT_BY_DYNAMICS(data->kinematics);
  const jn_work *w = &data->w;
  data->kinematics = -2;
  jn_boundary_about_origin(model, data);
  place_poses(model, data);
  if (data->formulation == JN_FORM_BODY) unpack_twists(model, data);
  if (data->formulation == JN_FORM_HYBRID || data->formulation == JN_FORM_MIXED) {
    spatial_kinematics(model, w, K);
    data->formulation = JN_FORM_SPATIAL;
  }
  if (!twists_are_finite(model, data, K)) return JN_ERR_NOT_FINITE;
  data->kinematics = K;
  if (order) *order = K;
  return JN_OK;
}

static jn_status check(const jn_model *model, const jn_data *data, int frame, int order,
                       const void *out) {
  if (!model || !data || data->model != model || !out || frame < 0 || frame >= model->nframe)
    return JN_ERR_ARGUMENT;
  return data->kinematics < order ? JN_ERR_STATE : JN_OK;
}

jn_status jn_frame_pose(const jn_model *model, const jn_data *data, int frame, jn_pose *out) {
  if (is_coupled(model, data)) model = model->tree;
  jn_status status = check(model, data, frame, -1, out);
  if (status) return status;
  jn_pose inner;
  int link = frame_in_link(model, frame, &inner);
  if (link >= 0) {
    inner = pose_now(data, link, inner);
    inner.p = jn_v3_add(data->base, inner.p);
  }
  const double p[3] = {inner.p.x, inner.p.y, inner.p.z};
  if (!jn_all_finite(p, 3)) return JN_ERR_NOT_FINITE;
  *out = inner;
  return JN_OK;
}

/* Taylor coefficients of a frame's twist in the formulation held: body twist of the frame, or
 * spatial about the base's position. */
static void frame_jet(const jn_data *data, int link, jn_pose inner, int order, double *V) {
  for (int k = 0; k <= order; k++) {
    const six x = (data->formulation == JN_FORM_SPATIAL ? Vs_of : V_of)(&data->w, link)[k];
    jn_twist t = {jn_v3(x.w.x, x.w.y, x.w.z), jn_v3(x.v.x, x.v.y, x.v.z)};
    if (data->formulation != JN_FORM_SPATIAL) t = jn_Ad_inv(inner, t);
    const double y[6] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
    memcpy(V + 6 * k, y, sizeof y);
  }
}

jn_status jn_frame_twist(const jn_model *model, jn_data *data, int frame,
                         jn_representation representation, int order, double *out) {
  if (is_coupled(model, data)) model = model->tree;
  jn_status status = check(model, data, frame, order, out);
  if (status) return status;
  if (order < 0 || (unsigned)representation > JN_MIXED) return JN_ERR_ARGUMENT;
  size_t n = 6 * ((size_t)order + 1);
  jn_pose inner;
  int link = frame_in_link(model, frame, &inner);
  if (link < 0) {
    memset(out, 0, sizeof(double) * n);
    return JN_OK;
  }
  /* the spatial twist of a body is the same for all its frames */
  if (link == 0 && data->given && representation == JN_SPATIAL) {
    memcpy(out, data->w.given, sizeof(double) * n);
    return JN_OK;
  }
  double *V = data->w.frame, *R = V + 6 * (size_t)data->rows, *p = R + 9 * ((size_t)data->rows + 1),
         *y = p + 3 * ((size_t)data->rows + 1);
  frame_jet(data, link, inner, order, V);
  jn_representation held = data->formulation == JN_FORM_SPATIAL ? JN_SPATIAL : JN_BODY;
  jn_jet_convert_twist(order, held, representation, pose_now(data, link, inner), V, R, p, y);
  if (representation == JN_SPATIAL) /* to the world's origin: v + base x w */
    for (int k = 0; k <= order; k++)
      store_v3(y + 6 * k + 3,
               v3_add_cross_exact(load_v3(y + 6 * k + 3), base_position(data), load_v3(y + 6 * k)));
  jn_jet_to_derivatives(order, 6, y);
  return jn_deliver(y, n, out);
}

jn_status jn_point_motion(const jn_model *model, jn_data *data, int frame, jn_vec3 point, int order,
                          double *out) {
  if (is_coupled(model, data)) model = model->tree;
  jn_status status = check(model, data, frame, order, out);
  if (status) return status;
  if (order < 0) return JN_ERR_ARGUMENT;
  const double at[3] = {point.x, point.y, point.z};
  if (!jn_all_finite(at, 3)) return JN_ERR_NOT_FINITE;
  size_t n = 3 * ((size_t)order + 2);
  jn_pose inner;
  int link = frame_in_link(model, frame, &inner);
  inner = jn_pose_mul(inner, (jn_pose){jn_m3_identity(), point});
  if (link < 0) {
    memset(out, 0, sizeof(double) * n);
    out[0] = inner.p.x, out[1] = inner.p.y, out[2] = inner.p.z;
    return JN_OK;
  }
  double *V = data->w.frame, *R = V + 6 * (size_t)data->rows, *p = R + 9 * ((size_t)data->rows + 1);
  frame_jet(data, link, inner, order, V);
  jn_representation held = data->formulation == JN_FORM_SPATIAL ? JN_SPATIAL : JN_BODY;
  jn_jet_pose_from_twist(order, held, pose_now(data, link, inner), V, R, p);
  store_v3(p, v3_add(load_v3(p), base_position(data)));
  jn_jet_to_derivatives(order + 1, 3, p);
  return jn_deliver(p, n, out);
}

/* Jet of column j of link i's screws about the world's origin: S = Ad_C (constant column). */
static void screw_jet(const jn_data *data, const jn_link *l, int i, int j, int order, double *S) {
  const jn_work *w = &data->w;
  size_t rows = (size_t)data->rows, n = (size_t)order + 1;
  if (data->formulation == JN_FORM_SPATIAL) {
    memcpy(S, S_of(w, l->iv + j), sizeof(double) * 6 * n);
  } else {
    double *constant = S + 6 * rows, *R = constant + 6 * rows, *p = R + 9 * rows;
    pose_jet c = {R, p, 9, 3};
    six s = joint_column(l, j);
    memset(constant, 0, sizeof(double) * 6 * n);
    store_v3(constant, s.w);
    store_v3(constant + 3, s.v);
    memcpy(R, R_of(w, i), sizeof(double) * 9);
    store_v3(p, v3_zero());
    for (int k = 0; k <= order; k++) {
      if (k) pose_step(k, &V_of(w, i)->w.x, 6, c);
      twist_from_body(JN_SPATIAL, k, c, load_v3(O_of(w, i)), constant, 6, S, 6);
    }
  }
  for (int k = 0; k <= order; k++)
    store_v3(S + 6 * k + 3,
             v3_add_cross_exact(load_v3(S + 6 * k + 3), base_position(data), load_v3(S + 6 * k)));
}

jn_status jn_joint_screws(const jn_model *model, jn_data *data, int joint, int order, double *out) {
  if (is_coupled(model, data)) {
    if (joint >= 0 && joint < model->nbody && model->joint[joint].leader >= 0) return JN_OK;
    model = model->tree;
  }
  if (!model || !data || data->model != model || !out || joint < 0 || joint >= model->nbody ||
      order < 0)
    return JN_ERR_ARGUMENT;
  if (data->kinematics < order) return JN_ERR_STATE;
  const int columns = model->joint[joint].nv;
  double *S = data->w.frame;
  /* all columns are checked before the first is written; a single column needs no extra pass */
  for (int write = columns == 1; write < 2; write++)
    for (int i = 0, column = 0; i < model->nlink; i++) {
      const jn_link *l = &model->link[i];
      if (l->joint != joint) continue;
      for (int j = 0; j < l->nv; j++, column++) {
        screw_jet(data, l, i, j, order, S);
        jn_jet_to_derivatives(order, 6, S);
        if (!jn_all_finite(S, 6 * ((size_t)order + 1))) return JN_ERR_NOT_FINITE;
        for (int k = 0; k <= order && write; k++)
          memcpy(out + 6 * ((size_t)k * columns + (size_t)column), S + 6 * k, sizeof(double) * 6);
      }
    }
  return JN_OK;
}
