/* dynamics.c: inverse, forward and hybrid dynamics of any order, in every formulation. */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/poses.h"

/* Conversions to and from the user's representation. The engine has those of a free base in the body
 * formulation; in body representation there is nothing to convert. */
static int converts_base(const jn_model *m, const jn_data *data, const jn_recursion *form) {
  return !form->world && m->nfree && data->settings.representation != JN_BODY;
}
/* the user's v of orders 0..K -> w->v */
static void motion_in(const jn_model *m, jn_data *data, const jn_recursion *form, int K,
                      const double *v) {
  const int rep = (int)data->settings.representation;
  data->w.turning = converts_base(m, data, form) && boundary_has_base(m);
  if (!form->world) {
    data->engine->boundary.motion(m, &data->w, rep, K, v);
  } else {
    jn_load_velocities_about_joint(m, data, K + 1, v);
    boundary_motion(m, &data->w, rep, 0, K, 1);
  }
}
static void drive(const jn_model *m, const jn_data *data, const jn_recursion *form, int k,
                  const unsigned char *prescribed) {
  if (converts_base(m, data, form))
    data->engine->boundary.drive(m, &data->w, &data->settings, k, prescribed);
  else
    boundary_drive(m, &data->w, (int)data->settings.representation, data->settings.damping, k,
                   prescribed, form->world);
}
/* Derivatives in w->io: orders 1..r + 1 of the motion, 0..r of the forces. */
static void motion_out(const jn_model *m, const jn_data *data, const jn_recursion *form, int r) {
  const int rep = (int)data->settings.representation;
  boundary_copy(m, data->w.io, data->w.v, 1, r + 1);
  jn_jet_to_derivatives(r + 1, m->nv, data->w.io);
  if (converts_base(m, data, form))
    data->engine->boundary.motion_out(m, &data->w, rep, r);
  else if (rep != JN_BODY)
    boundary_motion_rows(m, &data->w, rep, r, form->world);
}
static void force_out(const jn_model *m, const jn_data *data, const jn_recursion *form, int r) {
  const int rep = (int)data->settings.representation;
  boundary_copy(m, data->w.io, data->w.tau, 0, r);
  jn_jet_to_derivatives(r, m->nv, data->w.io);
  if (converts_base(m, data, form))
    data->engine->boundary.force_out(m, &data->w, rep, r);
  else if (rep != JN_BODY)
    boundary_force_rows(m, &data->w, rep, r, form->world);
}
static void shift(const jn_model *m, const jn_data *data, double *x, int rows, int moment) {
  if (data->settings.representation == JN_SPATIAL)
    data->engine->boundary.shift(m, &data->w, x, rows, moment);
}

/* The mixed formulation has no forward dynamics; the hybrid one is used. The classical one has
 * neither that nor the twists that wrenches in world axes need; the body one is used. */
static const jn_recursion *recursion_of(const jn_data *data, int forward,
                                        const jn_external *external) {
  jn_formulation f = data->settings.formulation;
  if (forward && f == JN_FORM_MIXED) f = JN_FORM_HYBRID;
  if (f == JN_FORM_CLASSICAL && (forward || jn_external_needs_poses(external))) f = JN_FORM_BODY;
  return &data->engine->recursion[f];
}

static void set_gravity(const jn_data *data) {
  const jn_vec3 g = data->settings.gravity;
  store_v3(data->w.up, v3_make(-g.x, -g.y, -g.z));
  data->w.up[3] = 0; /* a vector in lanes has four components */
}

/* In the spatial formulation, see farthest_link in core/data.c. */
static jn_status check_distance(const jn_model *m, const jn_data *data, const jn_recursion *form) {
  const double most = data->farthest;
  if (form != &data->engine->recursion[JN_FORM_SPATIAL] || most == HUGE_VAL) return JN_OK;
  int far = 0;
  for (int i = 0; i < 3 * m->nlink; i++) far |= fabs(data->w.O[i]) > most;
  return far ? JN_ERR_DIGITS : JN_OK;
}

/* After a call of order r: its twists, to order r + 1, are there for jn_kinematics_from_dynamics;
 * after a classical one there are none. */
static void leave_kinematics(jn_data *data, const jn_recursion *form, int order, int inverse) {
  data->formulation = (jn_formulation)(form - data->engine->recursion);
  data->given &= inverse;
  if (data->formulation == JN_FORM_CLASSICAL) return;
  data->falls = inverse && order == 0 && !form->world && data->engine->six_stride > 6;
  data->kinematics = JN_LEFT_BY_DYNAMICS(order + 1);
}

jn_status jn_inverse_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const jn_external *external, double *tau) {
  if (is_coupled(model, data))
    return jn_coupled_inverse_dynamics(model, data, order, q, v, external, tau);
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && !tau) return JN_ERR_ARGUMENT;
  status = jn_load_configuration(model, data, order + 2, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  const jn_recursion *form = recursion_of(data, 0, external);
  const int loaded = external && external->wrench_count > 0,
            poses = form->world || jn_external_needs_poses(external);
  data->kinematics = -2;
  set_gravity(data);
  motion_in(model, data, form, order + 1, v);
  if (form->world)
    place_joints(model, w);
  else
    form->motion(model, w, order + 1);
  if (poses) place_poses(model, data);
  status = check_distance(model, data, form);
  if (status) return status;
  if (form->world) form->motion(model, w, order + 1);
  jn_keep_given(model, data, order + 1, v); /* tau may be v */
  if (loaded)
    for (int k = 0; k <= order; k++) form->external(model, data, external, k);
  form->inverse(model, w, &data->settings, order, loaded);
  force_out(model, data, form, order);
  size_t n = ((size_t)order + 1) * (size_t)model->nv;
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) w->io[i] -= external->tau[i];
  status = jn_deliver(w->io, n, tau);
  if (!status) leave_kinematics(data, form, order, 1);
  return status;
}

/* Order by order. v is the user's velocity; w->io holds the given motion of higher orders, w->force
 * the given forces, as jets. */
static jn_status solve_orders(const jn_model *model, jn_data *data, int order, const double *v,
                              const unsigned char *prescribed, const jn_external *external) {
  const jn_work *w = &data->w;
  const jn_settings *set = &data->settings;
  const jn_recursion *form = recursion_of(data, 1, NULL);
  const int loaded = external && external->wrench_count > 0,
            poses = form->world || jn_external_needs_poses(external);
  data->kinematics = -2;
  set_gravity(data);
  motion_in(model, data, form, 0, v);
  if (form->world)
    place_joints(model, w);
  else
    data->singular = form->start(model, w, set, prescribed);
  if (poses) place_poses(model, data);
  const jn_status status = check_distance(model, data, form);
  if (status) return status;
  if (form->world) data->singular = form->start(model, w, set, prescribed);
  if (data->singular >= 0) return JN_ERR_SINGULAR;
  if (loaded) form->external(model, data, external, 0);
  form->first_terms(model, w, set, loaded);
  for (int k = 0; k <= order; k++) {
    const int more = k < order;
    drive(model, data, form, k, prescribed);
    if (loaded && more) form->external(model, data, external, k + 1);
    form->solve(model, w, set, k, prescribed, loaded, more);
  }
  return JN_OK;
}

jn_status jn_forward_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const double *tau, const jn_external *external,
                              double *a) {
  if (is_coupled(model, data))
    return jn_coupled_forward_dynamics(model, data, order, q, v, tau, external, a);
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (model->nv && (!tau || !a)) return JN_ERR_ARGUMENT;
  status = jn_load_configuration(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  const double *given = tau;
  if (external && external->tau) { /* their sum, in rows of w->io that are free until the end */
    for (size_t i = 0; i < n; i++) w->io[nv + i] = tau[i] + external->tau[i];
    given = w->io + nv;
  }
  if (!jn_all_finite(given, n)) return JN_ERR_NOT_FINITE;
  if (n) memcpy(w->force, given, sizeof(double) * n);
  jn_jet_to_taylor(order, model->nv, w->force);
  if (data->settings.representation == JN_SPATIAL)
    data->engine->boundary.rows_in(model, w, given, w->force, order + 1, 1);
  status = solve_orders(model, data, order, v, NULL, external);
  if (status) return status;
  motion_out(model, data, recursion_of(data, 1, NULL), order);
  status = jn_deliver(w->io + nv, n, a);
  if (!status) leave_kinematics(data, recursion_of(data, 1, NULL), order, 0);
  return status;
}

jn_status jn_hybrid_dynamics(const jn_model *model, jn_data *data, int order, const double *q,
                             const unsigned char *prescribed, double *v, double *tau,
                             const jn_external *external) {
  if (is_coupled(model, data))
    return jn_coupled_hybrid_dynamics(model, data, order, q, (coupled_given){.joints = prescribed},
                                      v, tau, external);
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if (!prescribed || (model->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  status = jn_load_configuration(model, data, 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv;
  const double *more = external ? external->tau : NULL;
  int some = 0; /* some joint is prescribed; otherwise forward dynamics */
  for (int i = 0; i < model->nbody; i++) some |= prescribed[i];
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; j < model->joint[i].iv + model->joint[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        w->io[(k + 1) * nv + (size_t)j] = prescribed[i] ? v[(k + 1) * nv + (size_t)j] : 0.0;
        w->force[k * nv + (size_t)j] =
            prescribed[i] ? 0.0 : tau[k * nv + (size_t)j] + (more ? more[k * nv + (size_t)j] : 0.0);
      }
  size_t n = ((size_t)order + 1) * nv;
  if (!jn_all_finite(w->io + nv, n) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  const jn_recursion *form = recursion_of(data, 1, NULL);
  shift(model, data, w->io + nv, order + 1, 0);
  shift(model, data, w->force, order + 1, 1);
  jn_jet_to_taylor(order + 1, model->nv, w->io);
  jn_jet_to_taylor(order, model->nv, w->force);
  status = solve_orders(model, data, order, v, some ? prescribed : NULL, external);
  if (status) return status;
  /* forces to w->force via w->io, then motion to w->io */
  if (some) {
    force_out(model, data, form, order);
    memcpy(w->force, w->io, sizeof(double) * n);
  }
  motion_out(model, data, form, order);
  if (!jn_all_finite(w->io + nv, n) || !jn_all_finite(w->force, n)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nbody; i++)
    for (int j = model->joint[i].iv; j < model->joint[i].iv + model->joint[i].nv; j++)
      for (size_t k = 0; k <= (size_t)order; k++) {
        size_t at = k * nv + (size_t)j;
        if (prescribed[i])
          tau[at] = w->force[at] - (more ? more[at] : 0.0);
        else
          v[at + nv] = w->io[at + nv];
      }
  leave_kinematics(data, recursion_of(data, 1, NULL), order, 0);
  return JN_OK;
}
