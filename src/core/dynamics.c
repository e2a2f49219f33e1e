/* dynamics.c: inverse, forward and hybrid dynamics of any order, in every formulation. */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/formulations.h"

/* The mixed form has no forward recursion of its own: the hybrid one's wrenches from outside go
 * with it. */
static const jn_form *form_of(const jn_data *data, int forward) {
  jn_formulation f = data->settings.formulation;
  return &jn_forms[forward && f == JN_FORM_MIXED ? JN_FORM_HYBRID : f];
}

static void set_gravity(const jn_data *data) {
  const jn_vec3 g = data->settings.gravity;
  store_v3(data->w.up, v3_make(-g.x, -g.y, -g.z));
  data->w.up[3] = 0; /* a vector in lanes has four */
}

/* Poses are needed where a wrench is given in the world, or has to be expressed there. */
static int needs_poses(const jn_form *form, const jn_external *external) {
  if (form->world) return 1;
  for (int i = 0; external && i < external->wrench_count; i++)
    if (external->wrenches[i].representation != JN_BODY) return 1;
  return 0;
}

static void place_poses(const jn_model *model, jn_data *data) {
  place_links(model, &data->w, data->rows);
  v3 base = place_world(model, &data->w, data->rows);
  data->base = (jn_vec3){base.x, base.y, base.z};
}

jn_status jn_inverse_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, double *tau) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && !tau) return JN_ERR_ARGUMENT;
  status = jn_load_state_about_joint(model, data, order + 2, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows, rep = data->settings.representation;
  const jn_form *form = form_of(data, 0);
  int loaded = external && external->wrench_count > 0, poses = needs_poses(form, external);
  data->kinematics = -2;
  set_gravity(data);
  boundary_motion(model, w, rows, rep, 0, order + 1, !form->world);
  if (form->world)
    place_joints(model, w, rows);
  else
    form->motion(model, data, order + 1);
  if (poses) place_poses(model, data);
  if (form->world) form->motion(model, data, order + 1);
  if (loaded)
    for (int k = 0; k <= order; k++) form->external(model, data, external, k, poses);
  form->inverse(model, data, order, loaded);
  boundary_force_out(model, w, rows, rep, 0, order);
  size_t n = ((size_t)order + 1) * (size_t)model->nv;
  jn_jet_to_derivatives(order, model->nv, w->io);
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, order + 1, 1, 1);
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) w->io[i] -= external->tau[i];
  if (!jn_all_finite(w->io, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(tau, w->io, sizeof(double) * n);
  return JN_OK;
}

/* What drives each joint at order k: e = (k+1) v_(k+1) where motion is given, else the force less
 * damping. w->tau, where it is not the force as it came in. */
static void drive(const jn_model *model, const jn_data *data, int k,
                  const unsigned char *prescribed) {
  const jn_work *w = &data->w;
  int rows = data->rows, nv = model->nv, rep = data->settings.representation,
      world = form_of(data, 1)->world;
  if (!prescribed && !world && !data->settings.damping && (rep == JN_BODY || !model->nfree)) {
    memcpy(w->e, w->force + (size_t)k * (size_t)nv, sizeof(double) * (size_t)nv);
    return;
  }
  for (int i = 0; i < model->nlink; i++) {
    const jn_link *l = &model->link[i];
    double *v = w->v + l->iv, *tau = w->tau + l->iv, *e = w->e + l->iv;
    if (world && l->kind == JN_K_FREE)
      joint_step(l, k + 1, w->q + l->iq, v, nv, w->X + (size_t)l->ix * rows);
    if (prescribed && prescribed[l->joint]) {
      if (l->kind == JN_K_FREE)
        twist_to_body(rep, k + 1, free_pose(l, w, rows), free_position(l, w), w->io + l->iv, nv, v,
                      nv);
      else
        for (int j = 0; j < l->nv; j++) v[(k + 1) * nv + j] = w->io[l->iv + (k + 1) * nv + j];
      for (int j = 0; j < l->nv; j++) e[j] = (k + 1) * v[(k + 1) * nv + j];
    } else {
      boundary_force_in(l, w, rows, nv, rep, k, w->force + l->iv, tau);
      for (int j = 0; j < l->nv; j++)
        e[j] = tau[k * nv + j] - (data->settings.damping ? l->damping * v[k * nv + j] : 0.0);
    }
  }
}

/* Order by order; w->io holds the given motion and w->force the given force, as jets. */
static jn_status run(const jn_model *model, jn_data *data, int order,
                     const unsigned char *prescribed, const jn_external *external) {
  const jn_work *w = &data->w;
  const jn_form *form = form_of(data, 1);
  int rows = data->rows, loaded = external && external->wrench_count > 0,
      poses = needs_poses(form, external);
  data->kinematics = -2;
  set_gravity(data);
  boundary_motion_in(model, w, rows, data->settings.representation, 0, 0);
  if (form->world)
    place_joints(model, w, rows);
  else
    data->singular = form->start(model, data, prescribed);
  if (poses) place_poses(model, data);
  if (form->world) data->singular = form->start(model, data, prescribed);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  if (loaded) form->external(model, data, external, 0, poses);
  form->known(model, data, loaded);
  for (int k = 0; k <= order; k++) {
    const int more = k < order;
    drive(model, data, k, prescribed);
    if (loaded && more) form->external(model, data, external, k + 1, poses);
    form->solve(model, data, k, prescribed, loaded, more);
  }
  return JN_OK;
}

jn_status jn_forward_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const double *tau, const jn_external *external,
                              double *a) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && (!tau || !a)) return JN_ERR_ARGUMENT;
  status = jn_load_state_about_joint(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  if (n) memcpy(w->force, tau, sizeof(double) * n);
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) w->force[i] += external->tau[i];
  if (!jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  int rep = data->settings.representation;
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->force, order + 1, -1, 1);
  jn_jet_to_taylor(order, model->nv, w->force);
  status = run(model, data, order, NULL, external);
  if (status) return status;
  boundary_motion_out(model, w, data->rows, rep, rep == JN_BODY, order + 1);
  jn_jet_to_derivatives(order + 1, model->nv, w->io);
  if (rep == JN_SPATIAL) boundary_shift(model, w, w->io, order + 2, 1, 0);
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
  status = jn_load_state_about_joint(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv;
  const double *more = external ? external->tau : NULL;
  int some = 0; /* is prescribed; else it is forward dynamics */
  for (int i = 0; i < model->nbody; i++) some |= prescribed[i];
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; j < model->joint[i].iv + model->joint[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        w->io[(k + 1) * nv + (size_t)j] = prescribed[i] ? v[(k + 1) * nv + (size_t)j] : 0.0;
        w->force[k * nv + (size_t)j] =
            prescribed[i] ? 0.0 : tau[k * nv + (size_t)j] + (more ? more[k * nv + (size_t)j] : 0.0);
      }
  size_t n = ((size_t)order + 1) * nv;
  if (!jn_all_finite(w->io, n + nv) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  int rows = data->rows, rep = data->settings.representation;
  if (rep == JN_SPATIAL) {
    boundary_shift(model, w, w->io + nv, order + 1, -1,
                   0); /* row 0 was shifted when it was loaded */
    boundary_shift(model, w, w->force, order + 1, -1, 1);
  }
  jn_jet_to_taylor(order + 1, model->nv, w->io);
  jn_jet_to_taylor(order, model->nv, w->force);
  status = run(model, data, order, some ? prescribed : NULL, external);
  if (status) return status;
  /* forces to w->force by way of w->io, then motion to w->io */
  if (some) {
    boundary_force_out(model, w, rows, rep, 0, order);
    memcpy(w->force, w->io, sizeof(double) * n);
  }
  boundary_motion_out(model, w, rows, rep, 0, order + 1);
  jn_jet_to_derivatives(order + 1, model->nv, w->io);
  jn_jet_to_derivatives(order, model->nv, w->force);
  if (rep == JN_SPATIAL) {
    boundary_shift(model, w, w->io, order + 2, 1, 0);
    boundary_shift(model, w, w->force, order + 1, 1, 1);
  }
  if (!jn_all_finite(w->io, n + nv) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; j < model->joint[i].iv + model->joint[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        size_t at = k * nv + (size_t)j;
        if (prescribed[i])
          tau[at] = w->force[at] - (more ? more[at] : 0.0);
        else
          v[at + nv] = w->io[at + nv];
      }
  return JN_OK;
}
