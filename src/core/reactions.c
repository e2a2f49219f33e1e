/* reactions.c: wrenches that the joints transmit, articulated inertias and bias wrenches. */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/relative.h"
#include "core/spatial/composite.h"

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

jn_status jn_joint_reactions(const jn_model *model, jn_data *data, int order, const double *q,
                             const double *v, const jn_external *external,
                             jn_representation representation, const jn_observer *observer,
                             double *out) {
  if (is_coupled(model, data))
    return jn_coupled_joint_reactions(model, data, order, q, v, external, representation, observer,
                                      out);
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

/* ---- articulated inertias with eliminated joints ----
 *
 * Y_i: the coordinates y all of whose joints are below body i. With F_y = sum of ratio Mc S over the
 * columns of the tree that move with y, Mc the composite inertias, the body with what it carries obeys
 *   W_i = Mc_i V_i' + F y'' + ...,   0 = F^T V_i' + M_y y'' + ...   (y in Y_i)
 *   MA_i = Mc_i - F M_y^-1 F^T = Mc_i - sum over Y_i of z z^T/D,   M_y = L D L^T,  F^T = L z
 * The coordinates are eliminated in the order of their closing links, the lowest link that carries all
 * their joints, from the last link to the first: those of Y_i then stand together, those before them
 * are of other branches, and one factorisation serves all bodies. */

/* a link that carries the joints of all columns of the tree that move with column c; -1: the world */
static int closing_link(const jn_model *m, int c) {
  const jn_link *link = m->tree->link;
  double ratio;
  int at = link[link_of_column(m->tree, moved_column(m, c, 0, &ratio))].parent;
  for (int n = 1, next; (next = moved_column(m, c, n, &ratio)) >= 0; n++) {
    int other = link[link_of_column(m->tree, next)].parent;
    while (at != other) *(at > other ? &at : &other) = link[at > other ? at : other].parent;
  }
  return at;
}

/* Eliminates y after y: M[ny x ny] becomes L, z[ny] = L^-1 F^T, D[ny]. */
static void eliminate_coordinates(size_t ny, double *M, six *z, double *D) {
  for (size_t y = 0; y < ny; y++) {
    D[y] = M[y * ny + y];
    for (size_t i = y + 1; i < ny; i++) {
      const double l = M[i * ny + y] / D[y];
      if (l == 0) continue;
      for (size_t k = y + 1; k <= i; k++) M[i * ny + k] -= l * M[k * ny + y];
      z[i] = six_sub(z[i], six_scale(l, z[y]));
    }
  }
}

/* M_y and F^T of the tree at this instant; rank[ny]: the place of a coordinate in the order above, ny
 * and more: its motion is given. */
static void coupled_system(const jn_model *m, const jn_work *w, const double *rank, double *M,
                           six *z) {
  const jn_model *tree = m->tree;
  const size_t ny = (size_t)m->nv;
  memset(M, 0, sizeof *M * ny * ny);
  for (size_t y = 0; y < ny; y++) z[y] = six_zero();
  for (int i = 0; i < tree->nlink; i++)
    for (int c = tree->link[i].iv; c < tree->link[i].iv + tree->link[i].nv; c++) {
      const coupled_column b = own_column(m, tree->link[i].joint, c);
      if (b.column < 0 || rank[b.column] >= (double)ny) continue;
      const six S = *S_of(w, c), F = six_scale(b.ratio, inertia10_apply(Ms_of(w, i), S));
      const size_t B = (size_t)rank[b.column];
      z[B] = six_add(z[B], F);
      M[B * ny + B] += b.ratio * (six_dot(S, F) + b.ratio * tree->link[i].armature);
      for (dof d = before(tree, (dof){c, i}); d.link >= 0; d = before(tree, d)) {
        const coupled_column a = own_column(m, tree->link[d.link].joint, d.column);
        if (a.column < 0 || rank[a.column] >= (double)ny) continue;
        const size_t A = (size_t)rank[a.column];
        const double x = a.ratio * six_dot(*S_of(w, d.column), F);
        M[A * ny + B] += x, M[B * ny + A] += x;
      }
    }
}

/* IA of all links after jn_coupled_solve in the spatial formulation */
static void coupled_inertias(const jn_model *m, const jn_data *data,
                             const unsigned char *prescribed) {
  const jn_work *w = &data->w;
  const size_t ny = (size_t)m->nv;
  double *M = w->own_mass, *close = dof_of(w, 0), *rank = dof_of(w, 1), *D = dof_of(w, 2);
  six *z = (six *)(void *)w->tree_jacobian;
  add_to_parents(m->tree, w->Ms, 10 * (size_t)w->rows, 10);
  for (int i = 0; i < m->nbody; i++)
    for (int c = m->joint[i].iv; c < m->joint[i].iv + m->joint[i].nv; c++) {
      close[c] = closing_link(m, c);
      rank[c] = prescribed && prescribed[i] ? (double)ny : 0;
    }
  size_t count = 0;
  for (int at = m->nlink - 1; at >= -1; at--)
    for (size_t c = 0; c < ny; c++)
      if (close[c] == at && rank[c] < (double)ny) rank[c] = (double)count++;
  coupled_system(m, w, rank, M, z);
  for (size_t y = count; y < ny; y++) M[y * ny + y] = 1;
  eliminate_coordinates(ny, M, z, D);
  for (int b = 0; b < m->nbody; b++) {
    const int i = m->body_link[b];
    sym6 I = inertia10_matrix(Ms_of(w, i));
    for (size_t c = 0; c < ny; c++) {
      if (rank[c] >= (double)ny || close[c] < i || close[c] > m->link[i].last) continue;
      const size_t y = (size_t)rank[c];
      sym6_downdate(&I, 1 / D[y], z[y]);
    }
    *IA_of(w, i) = I;
  }
}

jn_status jn_articulated_bodies(const jn_model *model, jn_data *data, int order, const double *q,
                                const unsigned char *prescribed, const double *v, const double *tau,
                                const jn_external *external, jn_representation representation,
                                double *MA, double *WA) {
  jn_status status = jn_check_state_call(model, data, order, external);
  if (status) return status;
  if ((unsigned)representation > JN_MIXED || (model->nv && (!v || !tau))) return JN_ERR_ARGUMENT;
  const size_t nv = (size_t)model->nv, n = ((size_t)order + 1) * nv;
  const jn_model *tree = data->model;
  double *motion = out_of(&data->w, 0), *force = out_of(&data->w, 1);
  jn_data spatial = *data;
  spatial.settings.formulation = JN_FORM_SPATIAL;
  if (nv) memcpy(motion, v, sizeof(double) * (prescribed ? n + nv : nv));
  if (nv) memcpy(force, tau, sizeof(double) * n);
  if (tree != model)
    status = jn_coupled_solve(model, &spatial, order, q, (coupled_given){.joints = prescribed},
                              motion, force, external);
  else if (prescribed)
    status = jn_hybrid_dynamics(model, &spatial, order, q, prescribed, motion, force, external);
  else
    status = jn_forward_dynamics(model, &spatial, order, q, motion, force, external, motion + nv);
  jn_data_adopt(data, &spatial);
  if (!status && tree != model) coupled_inertias(model, data, prescribed);
  for (int write = 0; write < 2; write++)
    for (int b = 0; b < model->nbody && !status; b++)
      if (!articulated_body(tree, data, b, (int)representation, order, MA, WA, write))
        status = JN_ERR_NOT_FINITE;
  return status;
}
