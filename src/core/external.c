/* external.c: checks the arguments of a call and converts applied wrenches. */
#include "core/external.h"

#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/hybrid/hybrid.h"
#include "core/spatial/spatial.h"

static jn_status check_external(const jn_model *model, const jn_external *external, int order) {
  if (!external) return JN_OK;
  if (external->wrench_count < 0 || (external->wrench_count && !external->wrenches))
    return JN_ERR_ARGUMENT;
  for (int i = 0; i < external->wrench_count; i++) {
    const jn_applied_wrench *a = &external->wrenches[i];
    if (a->frame < 0 || a->frame >= model->nframe || !a->wrench ||
        (unsigned)a->representation > JN_MIXED)
      return JN_ERR_ARGUMENT;
    if (!jn_all_finite(a->wrench, 6 * ((size_t)order + 1))) return JN_ERR_NOT_FINITE;
  }
  if (external->tau && !jn_all_finite(external->tau, ((size_t)order + 1) * (size_t)model->nv))
    return JN_ERR_NOT_FINITE;
  return JN_OK;
}

jn_status jn_check_state_call(const jn_model *model, const jn_data *data, int order,
                              const jn_external *external) {
  if (!model || !data || data->model != jn_model_tree(model) || order < 0) return JN_ERR_ARGUMENT;
  if ((unsigned)data->settings.representation > JN_MIXED ||
      (unsigned)data->settings.formulation > JN_FORM_CLASSICAL)
    return JN_ERR_ARGUMENT;
  if (order > data->order) return JN_ERR_ORDER;
  return check_external(model, external, order);
}

jn_status jn_check_call(const jn_model *model, const jn_data *data, int order,
                        const jn_external *external) {
  if (is_coupled(model, data)) return JN_ERR_COUPLED;
  return jn_check_state_call(model, data, order, external);
}

/* Order k of all wrenches in link frames, added into `body`. `poses`: R, P, G of the loaded links
 * are known to order k. */
static void in_link_frames(const jn_model *model, const jn_data *data, const jn_external *external,
                           int k, int poses, double *body, int stride, int linear) {
  const jn_work *w = &data->w;
  const int rows = w->rows;
  for (int i = 0; i < model->nlink; i++)
    memset(body + (size_t)stride * ((size_t)i * (size_t)rows + (size_t)k), 0,
           sizeof(double) * (size_t)stride);
  for (int n = 0; n < external->wrench_count; n++) {
    const jn_applied_wrench *a = &external->wrenches[n];
    const jn_frame *f = &model->frame[a->frame];
    if (f->body < 0) continue; /* a force on the world has no effect */
    int link = model->body_link[f->body];
    jn_pose E = jn_pose_mul(model->body_pose[f->body], f->pose);
    const double pE[4] = {E.p.x, E.p.y, E.p.z, 0};
    double RE[12] = {0};
    for (int j = 0; j < 9; j++) RE[4 * (j % 3) + j / 3] = E.R.m[j / 3][j % 3];
    v3 position = poses ? v3_add(base_position(data), load_v3(O_of(w, link))) : v3_zero();
    memcpy(w->frame, a->wrench, sizeof(double) * 6 * ((size_t)k + 1));
    jn_jet_to_taylor(k, 6, w->frame);
    six e = external_order((int)a->representation, w, link, k, RE, pE, position, w->frame);
    double *at = body + (size_t)stride * ((size_t)link * (size_t)rows + (size_t)k);
    store_v3(at, v3_add(load_v3(at), e.w));
    store_v3(at + linear, v3_add(load_v3(at + linear), e.v));
  }
}

static int loaded_link(const jn_model *model, const jn_external *external, int n) {
  int body = model->frame[external->wrenches[n].frame].body;
  return body < 0 ? -1 : model->body_link[body];
}

int jn_external_needs_poses(const jn_external *external) {
  for (int i = 0; external && i < external->wrench_count; i++)
    if (external->wrenches[i].representation != JN_BODY) return 1;
  return 0;
}

void jn_external_body(const jn_model *model, const jn_data *data, const jn_external *external,
                      int k) {
  const jn_engine *e = data->engine;
  const int poses = jn_external_needs_poses(external);
  for (int n = 0; poses && k && n < external->wrench_count; n++) {
    int link = loaded_link(model, external, n);
    if (link >= 0) link_pose_step(&data->w, link, k, e->six_stride, e->six_linear);
  }
  in_link_frames(model, data, external, k, poses, data->w.ext, e->six_stride, e->six_linear);
}

/* In world axes, in representation `rep` of the link. First order k of the poses, from the twists
 * of that formulation. */
static void in_world(const jn_model *model, const jn_data *data, const jn_external *external, int k,
                     int rep) {
  const jn_work *w = &data->w;
  double *body = &Wl_of(w, 0)->w.x;
  for (int n = 0; k && n < external->wrench_count; n++) {
    int link = loaded_link(model, external, n);
    if (link < 0) continue;
    if (rep == JN_SPATIAL)
      spatial_pose_step(w, link, k);
    else
      hybrid_pose_step(w, link, k, rep == JN_MIXED);
  }
  in_link_frames(model, data, external, k, 1, body, 6, 3);
  for (int i = 0; i < model->nlink; i++) ext_of(w, i)[k] = six_zero();
  for (int n = 0; n < external->wrench_count; n++) {
    int link = loaded_link(model, external, n);
    if (link < 0) continue;
    wrench_from_body(rep, k, link_pose(w, link), load_v3(O_of(w, link)), &Wl_of(w, link)->w.x, 6,
                     &ext_of(w, link)->w.x, 6);
  }
}

void jn_external_spatial(const jn_model *model, const jn_data *data, const jn_external *external,
                         int k) {
  in_world(model, data, external, k, JN_SPATIAL);
}

void jn_external_hybrid(const jn_model *model, const jn_data *data, const jn_external *external,
                        int k) {
  in_world(model, data, external, k, JN_HYBRID);
}

void jn_external_mixed(const jn_model *model, const jn_data *data, const jn_external *external,
                       int k) {
  in_world(model, data, external, k, JN_MIXED);
}
