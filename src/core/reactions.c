/* reactions.c: wrenches that the joints transmit, articulated inertias and bias wrenches. */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/relative.h"

/* Wrench jet of the joint of body b after inverse dynamics in the body formulation, from the link's
 * frame into that of the body: n = R^T (n - p x f), f = R^T f. */
static void own_wrench(const jn_model *m, const jn_data *data, int b, int order, six *W) {
  const jn_engine *e = data->engine;
  const jn_pose *C = &m->body_pose[b];
  const size_t stride = (size_t)e->six_stride, linear = (size_t)e->six_linear;
  const double *F = data->w.F + stride * (size_t)m->body_link[b] * (size_t)data->rows;
  const v3 p = v3_make(C->p.x, C->p.y, C->p.z);
  for (int k = 0; k <= order; k++, F += stride) {
    const v3 n = load_v3(F), f = load_v3(F + linear);
    W[k].w = m3_apply_t(&C->R.m[0][0], v3_sub(n, v3_cross(p, f)));
    W[k].v = m3_apply_t(&C->R.m[0][0], f);
  }
}

jn_status jn_open_joint_reactions(const jn_model *model, jn_data *data, int order, const double *q,
                                  const double *v, const jn_external *external,
                                  jn_representation representation, const jn_observer *observer,
                                  double *out) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  relative x;
  const int rep = (int)representation;
  if (model->nbody && !out) return JN_ERR_ARGUMENT;
  if (model->nbody) status = jn_relative_find(model, model->body[0].frame, rep, observer, &x);
  if (status) return status;
  const jn_work *w = &data->w;
  const size_t n = (size_t)order + 1;
  jn_data body = *data;
  body.settings.formulation = JN_FORM_BODY;
  status = jn_inverse_dynamics(model, &body, order, q, v, external, out_of(w, 0));
  jn_data_adopt(data, &body);
  if (status) return status;
  place_poses(model, data);
  for (int b = 0; b < model->nbody; b++) {
    jn_observer o = {JN_WORLD, JN_WORLD, JN_WORLD};
    six *W = jet_of(w, 2), *y = Ws_of(w, b);
    if (observer) o = *observer;
    o.reference = model->body[b].frame;
    own_wrench(model, data, b, order, rep == JN_BODY ? y : W);
    if (rep != JN_BODY) {
      jn_relative_find(model, model->body[b].frame, rep, &o, &x);
      jn_relative_jets(model, data, &x, order, order - 1, -1);
      wrench_to_base(order, &x.motion[JN_OF], W);
      observe_jet(order, x.seen, base_position(data), 1, W, y);
    }
    jn_jet_to_derivatives(order, 6, &y->w.x);
    if (!jn_all_finite(&y->w.x, 6 * n)) return JN_ERR_NOT_FINITE;
  }
  for (size_t k = 0; k < n; k++)
    for (int b = 0; b < model->nbody; b++)
      memcpy(out + 6 * (k * (size_t)model->nbody + (size_t)b), &Ws_of(w, b)[k], sizeof(double) * 6);
  return JN_OK;
}

jn_status jn_joint_reactions(const jn_model *model, jn_data *data, int order, const double *q,
                             const double *v, const jn_external *external,
                             jn_representation representation, const jn_observer *observer,
                             double *out) {
  return is_coupled(model, data) ? jn_coupled_joint_reactions(model, data, order, q, v, external,
                                                              representation, observer, out)
                                 : jn_open_joint_reactions(model, data, order, q, v, external,
                                                           representation, observer, out);
}

/* T[c]: unit twist c in representation `rep` of the frame at f, in world axes about the base's
 * position. */
static void unit_twists(int rep, const frame_motion *f, v3 base, six T[6]) {
  for (int c = 0; c < 6; c++) {
    double e[6] = {0};
    e[c] = 1;
    v3 w = load_v3(e), v = load_v3(e + 3);
    if (rep == JN_BODY || rep == JN_MIXED) w = m3_apply(f->c.R, w);
    if (rep == JN_BODY) v = m3_apply(f->c.R, v);
    v = rep == JN_SPATIAL ? v3_sub(v, v3_cross(base, w)) : v3_add(v, v3_cross(f->O, w));
    T[c] = (six){w, v};
  }
}

/* MA and WA of one body, after forward dynamics in the spatial formulation. write = 0: only whether
 * all is finite. */
static int articulated_body(const jn_model *m, const jn_data *data, int b, int rep, int order,
                            double *MA, double *WA, int write) {
  const jn_work *w = &data->w;
  const int link = m->body_link[b];
  const v3 base = base_position(data);
  six T[6], *V = jet_of(w, 2), *W = jet_of(w, 3);
  double I[36], finite = 0;
  for (int k = 1; k <= order + 1; k++) spatial_pose_step(w, link, k);
  const frame_motion f = frame_motion_jet(data, link, &m->body_pose[b], order + 1, w->frame);
  unit_twists(rep, &f, base, T);
  for (int c = 0; c < 6; c++) {
    const six y = sym6_apply(IA_of(w, link), T[c]);
    for (int r = 0; r < 6; r++) I[6 * r + c] = six_dot(T[r], y);
  }
  for (int i = 0; i < 36; i++) finite += 0.0 * I[i];
  represent_column(rep, order + 1, &f, base, 0, Vs_of(w, link), V);
  represent_column(rep, order, &f, base, 1, Ws_of(w, link), W);
  double factorial = 1;
  for (int k = 0; k <= order; k++, factorial *= k)
    for (int r = 0; r < 6; r++) {
      double s = (&W[k].w.x)[r];
      for (int c = 0; c < 6; c++) s -= (k + 1) * I[6 * r + c] * (&V[k + 1].w.x)[c];
      finite += 0.0 * (factorial * s);
      if (write && WA)
        WA[6 * ((size_t)k * (size_t)m->nbody + (size_t)b) + (size_t)r] = factorial * s;
    }
  if (write && MA) memcpy(MA + 36 * (size_t)b, I, sizeof I);
  return finite == 0.0;
}

jn_status jn_articulated_bodies(const jn_model *model, jn_data *data, int order, const double *q,
                                const unsigned char *prescribed, const double *v, const double *tau,
                                const jn_external *external, jn_representation representation,
                                double *MA, double *WA) {
  jn_status status = jn_check_call(model, data, order, external);
  if (status) return status;
  if ((unsigned)representation > JN_MIXED || (model->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  const size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  double *motion = out_of(&data->w, 0), *force = out_of(&data->w, 1);
  jn_data spatial = *data;
  spatial.settings.formulation = JN_FORM_SPATIAL;
  if (nv) memcpy(motion, v, sizeof(double) * (prescribed ? n + nv : nv));
  if (nv) memcpy(force, tau, sizeof(double) * n);
  if (prescribed)
    status = jn_hybrid_dynamics(model, &spatial, order, q, prescribed, motion, force, external);
  else
    status = jn_forward_dynamics(model, &spatial, order, q, motion, force, external, motion + nv);
  jn_data_adopt(data, &spatial);
  for (int write = 0; write < 2; write++)
    for (int b = 0; b < model->nbody && !status; b++)
      if (!articulated_body(model, data, b, (int)representation, order, MA, WA, write))
        status = JN_ERR_NOT_FINITE;
  return status;
}
