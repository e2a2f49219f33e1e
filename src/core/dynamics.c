/* dynamics.c: inverse, forward and hybrid dynamics of any order, in both formulations. */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial.h"

static int is_spatial(const jn_data *data) { return data->settings.formulation == JN_FORM_SPATIAL; }

static v3 gravity_of(const jn_data *data) {
  return v3_make(data->settings.gravity.x, data->settings.gravity.y, data->settings.gravity.z);
}

/* The world as seen from the falling frame; at rest for the spatial form, which keeps gravity as a force. */
static void start_world(const jn_data *data) {
  memset(data->w.world, 0, sizeof(double) * 8 * (size_t)data->rows);
  const jn_engine *e = data->engine;
  if (!is_spatial(data)) store_v3(data->w.world + e->stride + e->linear, v3_times(-1.0, gravity_of(data)));
}

/* Poses are needed where a wrench is given in the world, or has to be expressed there. */
static int needs_poses(const jn_data *data, const jn_external *external) {
  if (!external) return 0;
  for (int i = 0; i < external->wrench_count; i++)
    if (is_spatial(data) || external->wrenches[i].representation != JN_BODY) return 1;
  return 0;
}

static void external_step(const jn_model *model, const jn_data *data, const jn_external *external, int k,
                          int poses) {
  if (is_spatial(data)) jn_external_spatial(model, data, external, k);
  else jn_external_body(model, data, external, k, poses);
}

static void place_base(const jn_model *model, jn_data *data) {
  v3 base = place_world(model, &data->w, data->rows);
  data->base = (jn_vec3){base.x, base.y, base.z};
}

jn_status jn_inverse_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, double *tau) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && !tau) return JN_ERR_ARGUMENT;
  status = jn_load_state(model, data, order + 2, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows, rep = data->settings.representation, damping = data->settings.damping;
  int spatial = is_spatial(data), loaded = external && external->wrench_count > 0;
  int poses = needs_poses(data, external);
  data->kinematics = -2;
  start_world(data);
  for (int k = 0; k <= order + 1; k++) edge_motion(model, w, rows, rep, k, !spatial);
  if (spatial) place_joints(model, w, rows);
  else data->engine->motion(model, w, rows, order + 1);
  if (spatial || poses) {
    place_links(model, w, rows);
    place_base(model, data);
  }
  if (spatial) spatial_kinematics(model, w, rows, order + 1);
  if (loaded)
    for (int k = 0; k <= order; k++) external_step(model, data, external, k, poses);
  if (spatial) spatial_inverse(model, w, rows, order, gravity_of(data), damping, loaded);
  else data->engine->inverse(model, w, rows, order, damping, loaded);
  for (int k = 0; k <= order; k++) edge_force_out(model, w, rows, rep, k);
  size_t n = ((size_t)order + 1) * (size_t)model->nv;
  jn_jet_to_derivatives(order, model->nv, w->io);
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) w->io[i] -= external->tau[i];
  if (!jn_all_finite(w->io, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(tau, w->io, sizeof(double) * n);
  return JN_OK;
}

/* What drives each joint at order k: e = (k+1) v_(k+1) where motion is given, else the force less damping. */
static void drive(const jn_model *model, const jn_data *data, int k, const unsigned char *prescribed) {
  const jn_work *w = &data->w;
  int rows = data->rows, nv = model->nv, rep = data->settings.representation;
  if (!prescribed && !is_spatial(data) && !data->settings.damping && (rep == JN_BODY || !model->nfree)) {
    memcpy(w->tau + (size_t)k * (size_t)nv, w->force + (size_t)k * (size_t)nv, sizeof(double) * (size_t)nv);
    memcpy(w->e, w->force + (size_t)k * (size_t)nv, sizeof(double) * (size_t)nv);
    return;
  }
  for (int i = 0; i < model->nlink; i++) {
    const jn_link *l = &model->link[i];
    double *v = w->v + l->iv, *tau = w->tau + l->iv, *e = w->e + l->iv;
    if (is_spatial(data) && l->kind == JN_K_FREE)
      joint_step(l, k + 1, w->q + l->iq, v, nv, w->X + (size_t)l->ix * rows);
    if (prescribed && prescribed[l->joint]) {
      if (l->kind == JN_K_FREE)
        twist_to_body(rep, k + 1, free_pose(l, w, rows), free_position(l, w), w->io + l->iv, nv, v, nv);
      else
        for (int j = 0; j < l->nv; j++) v[(k + 1) * nv + j] = w->io[l->iv + (k + 1) * nv + j];
      for (int j = 0; j < l->nv; j++) e[j] = (k + 1) * v[(k + 1) * nv + j];
    } else {
      edge_force_in(l, w, rows, nv, rep, k, w->force + l->iv, tau);
      for (int j = 0; j < l->nv; j++)
        e[j] = tau[k * nv + j] - (data->settings.damping ? l->damping * v[k * nv + j] : 0.0);
    }
  }
}

/* Order by order; w->io holds the given motion and w->force the given force, as jets. */
static jn_status run(const jn_model *model, jn_data *data, int order, const unsigned char *prescribed,
                     const jn_external *external) {
  const jn_work *w = &data->w;
  int rows = data->rows, damping = data->settings.damping, spatial = is_spatial(data);
  int loaded = external && external->wrench_count > 0, poses = needs_poses(data, external);
  v3 g = gravity_of(data);
  data->kinematics = -2;
  start_world(data);
  edge_motion_in(model, w, rows, data->settings.representation, 0);
  if (spatial) place_joints(model, w, rows);
  else data->singular = data->engine->start(model, w, rows, prescribed);
  if (spatial || poses) {
    place_links(model, w, rows);
    place_base(model, data);
  }
  if (spatial) {
    spatial_kinematics(model, w, rows, 0);
    spatial_inertias(model, w, rows, 0);
    data->singular = spatial_articulate(model, w, rows, prescribed);
  }
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  for (int k = 0; k <= order; k++) {
    if (loaded) external_step(model, data, external, k, poses);
    if (spatial) spatial_known(model, w, rows, k, g, loaded);
    else data->engine->known(model, w, rows, k, (int)data->settings.representation, loaded);
    drive(model, data, k, prescribed);
    if (spatial) {
      spatial_bias(model, w, rows, k, prescribed);
      spatial_solve(model, w, rows, k, prescribed, damping);
    } else {
      data->engine->solve(model, w, rows, k, prescribed, damping, k == order);
    }
  }
  return JN_OK;
}

jn_status jn_forward_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const double *tau, const jn_external *external, double *a) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && (!tau || !a)) return JN_ERR_ARGUMENT;
  status = jn_load_state(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  for (size_t i = 0; i < n; i++) w->force[i] = tau[i] + (external && external->tau ? external->tau[i] : 0.0);
  if (!jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  jn_jet_to_taylor(order, model->nv, w->force);
  status = run(model, data, order, NULL, external);
  if (status) return status;
  for (int k = 0; k <= order + 1; k++) edge_motion_out(model, w, data->rows, data->settings.representation, k);
  jn_jet_to_derivatives(order + 1, model->nv, w->io);
  if (!jn_all_finite(w->io + nv, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(a, w->io + nv, sizeof(double) * n);
  return JN_OK;
}

jn_status jn_hybrid_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                             const unsigned char *prescribed, double *v, double *tau,
                             const jn_external *external) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (!prescribed || (model->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  status = jn_load_state(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv;
  const double *more = external ? external->tau : NULL;
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; j < model->joint[i].iv + model->joint[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        w->io[(k + 1) * nv + (size_t)j] = prescribed[i] ? v[(k + 1) * nv + (size_t)j] : 0.0;
        w->force[k * nv + (size_t)j] =
            prescribed[i] ? 0.0 : tau[k * nv + (size_t)j] + (more ? more[k * nv + (size_t)j] : 0.0);
      }
  size_t n = ((size_t)order + 1) * nv;
  if (!jn_all_finite(w->io, n + nv) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  jn_jet_to_taylor(order + 1, model->nv, w->io);
  jn_jet_to_taylor(order, model->nv, w->force);
  status = run(model, data, order, prescribed, external);
  if (status) return status;
  /* forces to w->force by way of w->io, then motion to w->io */
  int rows = data->rows, rep = data->settings.representation;
  for (int k = 0; k <= order; k++) edge_force_out(model, w, rows, rep, k);
  memcpy(w->force, w->io, sizeof(double) * n);
  for (int k = 0; k <= order + 1; k++) edge_motion_out(model, w, rows, rep, k);
  jn_jet_to_derivatives(order + 1, model->nv, w->io);
  jn_jet_to_derivatives(order, model->nv, w->force);
  if (!jn_all_finite(w->io, n + nv) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; j < model->joint[i].iv + model->joint[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        size_t at = k * nv + (size_t)j;
        if (prescribed[i]) tau[at] = w->force[at] - (more ? more[at] : 0.0);
        else v[at + nv] = w->io[at + nv];
      }
  return JN_OK;
}
