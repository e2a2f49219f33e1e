/* boundary.c: checks and loads the state of a call; bounds against overflow. */
#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "core/boundary.h"
#include "core/engine.h"

int jn_is_bounded(const jn_model *m, const jn_data *data, const double *v) {
  const jn_vec3 g = data->settings.gravity, p = data->base;
  const double vectors[6] = {p.x, p.y, p.z, g.x, g.y, g.z};
  int bounded =
      jn_all_below(vectors, 6, JN_BOUND) && jn_all_below(data->w.O, 3 * (size_t)m->nlink, JN_BOUND);
  if (v) bounded &= jn_all_below(v, (size_t)m->nv, JN_BOUND);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    bounded &= l->m < JN_BOUND && jn_all_below(l->c, 3, JN_BOUND) &&
               jn_all_below(l->J, 6, JN_BOUND) && fabs(l->pitch) < JN_BOUND &&
               l->armature < JN_BOUND && l->damping < JN_BOUND;
  }
  for (int i = 0; i < m->nbody; i++) {
    const jn_vec3 f = m->frame[m->body[i].frame].pose.p, c = m->body_pose[i].p;
    const double lever[6] = {f.x, f.y, f.z, c.x, c.y, c.z};
    bounded &= jn_all_below(lever, 6, JN_BOUND);
  }
  return bounded;
}

int jn_factors_are_bounded(const jn_model *m, const jn_data *data) {
  int bounded = 1;
  for (int i = 0; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nv; j++) /* row j of L and 1/d */
      bounded &= jn_all_below(D_of(&data->w, m->link[i].iv + j), (size_t)j + 1, JN_BOUND);
  return bounded;
}

/* Checks everything, copies q. */
static jn_status load(const jn_model *model, jn_data *data, int v_rows, const double *q,
                      const double *v) {
  const jn_work *w = &data->w;
  size_t nv = (size_t)model->nv;
  data->engine = data->settings.strict ? &jn_engines[JN_ISA_PLAIN] : data->best;
  if ((model->nq && !q) || (v_rows > 0 && nv && !v)) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(q, (size_t)model->nq)) return JN_ERR_NOT_FINITE;
  if (v_rows > 0 && !jn_all_finite(v, v_rows * nv)) return JN_ERR_NOT_FINITE;
  const jn_vec3 g = data->settings.gravity;
  const double gravity[3] = {g.x, g.y, g.z};
  if (!jn_all_finite(gravity, 3)) return JN_ERR_NOT_FINITE;
  for (int i = 0; i < model->nquat; i++)
    if (!quat_is_unit(q + model->link[model->quat_link[i]].iq)) return JN_ERR_POSE;
  data->kinematics = -2;
  if (model->nq) memcpy(w->q, q, sizeof *q * (size_t)model->nq);
  return JN_OK;
}
static void load_velocities(const jn_model *model, jn_data *data, int rows, const double *v) {
  if (rows <= 0 || !model->nv) return;
  memcpy(data->w.io, v, sizeof *v * (size_t)rows * (size_t)model->nv);
  jn_jet_to_taylor(rows - 1, model->nv, data->w.io);
}

jn_status jn_load_state(const jn_model *model, jn_data *data, int v_rows, const double *q,
                        const double *v) {
  const jn_status status = load(model, data, v_rows, q, v);
  if (status) return status;
  boundary_about_origin(model, &data->w);
  load_velocities(model, data, v_rows, v);
  return JN_OK;
}

jn_status jn_load_configuration(const jn_model *model, jn_data *data, int v_rows, const double *q,
                                const double *v) {
  const jn_status status = load(model, data, v_rows, q, v);
  if (!status) boundary_about_joint(model, &data->w);
  return status;
}

void jn_load_velocities_about_joint(const jn_model *model, jn_data *data, int rows,
                                    const double *v) {
  load_velocities(model, data, rows, v);
  if (rows > 0 && data->settings.representation == JN_SPATIAL)
    data->engine->boundary.rows_in(model, &data->w, v, data->w.io, rows, 0);
}

jn_status jn_load_state_about_joint(const jn_model *model, jn_data *data, int v_rows,
                                    const double *q, const double *v) {
  const jn_status status = jn_load_configuration(model, data, v_rows, q, v);
  if (!status) jn_load_velocities_about_joint(model, data, v_rows, v);
  return status;
}

void jn_boundary_about_origin(const jn_model *model, jn_data *data) {
  boundary_about_origin(model, &data->w);
}
