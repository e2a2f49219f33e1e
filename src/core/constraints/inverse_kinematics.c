/* inverse_kinematics.c: a model with one more constraint, between a frame and the world. */
#include <jounce/inverse_kinematics.h>
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "core/constraints/qr.h"
#include "core/external.h"
#include "model/data.h"

/* The model is a copy that shares all arrays but those of the constraints. */
struct jn_ik {
  jn_allocator hooks;
  jn_model model;
  const jn_model
      *user; /* with eliminated joints: `model` is its tree, which has them as couplings */
  jn_data *data;
  jn_cut *cut;
  jn_constraint *constraint;
  double *J, *Q, *beta, *scratch; /* [nrow x nv], [nv x nrow], [nrow], [nrow + nv] */
  unsigned char *redundant;       /* [nrow] */
  /* least norm: J, J', ... [rows x nrow x nv], mu [rows x nrow], v [rows x nv], q [nq] */
  double *jets, *mu, *trial, *at;
  int *perm; /* [nrow] */
};

/* a frame of the tool: link and pose as jn_cut has them */
static void place_tool(const jn_model *m, int frame, jn_cut *cut, jn_constraint *c) {
  c->a.body = m->frame[frame].body;
  c->a.pose = m->frame[frame].pose;
  c->b.body = -1;
  c->b.pose = jn_pose_identity();
  const jn_pose E = jn_pose_mul(m->body_pose[c->a.body], c->a.pose), poses[2] = {E, c->b.pose};
  cut->link[0] = m->body_link[c->a.body];
  cut->link[1] = cut->common = -1;
  for (int s = 0; s < 2; s++) {
    memcpy(cut->R[s], poses[s].R.m, sizeof cut->R[s]);
    cut->p[s][0] = poses[s].p.x, cut->p[s][1] = poses[s].p.y, cut->p[s][2] = poses[s].p.z;
  }
}

static int is_moved(const jn_model *m, int frame) {
  const int body = m->frame[frame].body;
  for (int l = body < 0 ? -1 : m->body_link[body]; l >= 0; l = m->link[l].parent)
    if (m->link[l].nv > 0) return 1;
  return 0;
}

static int is_target(jn_constraint_type type) {
  return type == JN_CONSTRAINT_WELD || type == JN_CONSTRAINT_POINT ||
         type == JN_CONSTRAINT_REVOLUTE || type == JN_CONSTRAINT_POINT_ON_LINE ||
         type == JN_CONSTRAINT_POINT_ON_PLANE;
}

/* Arrays after the struct. */
static jn_status allocate(jn_ik *ik, const jn_model *m, int rows, int orders) {
  const size_t n = (size_t)m->ncut + 1, nrow = (size_t)(m->nrow + rows), nv = (size_t)m->nv;
  ik->cut = jn_block_new(&ik->hooks, n, sizeof *ik->cut);
  ik->constraint = jn_block_new(&ik->hooks, n, sizeof *ik->constraint);
  ik->J = jn_block_new(&ik->hooks, 2 * nrow * nv + 2 * nrow + nv, sizeof *ik->J);
  ik->redundant = jn_block_new(&ik->hooks, nrow, 1);
  const size_t k = (size_t)orders;
  ik->jets =
      jn_block_new(&ik->hooks, k * nrow * nv + k * nrow + k * nv + (size_t)m->nq, sizeof *ik->jets);
  ik->perm = jn_block_new(&ik->hooks, nrow, sizeof *ik->perm);
  if (!ik->cut || !ik->constraint || !ik->J || !ik->redundant || !ik->jets || !ik->perm)
    return JN_ERR_MEMORY;
  ik->mu = ik->jets + k * nrow * nv;
  ik->trial = ik->mu + k * nrow;
  ik->at = ik->trial + k * nv;
  ik->Q = ik->J + nrow * nv;
  ik->beta = ik->Q + nrow * nv;
  ik->scratch = ik->beta + nrow;
  return JN_OK;
}

jn_status jn_ik_new(const jn_model *model, int order, int frame, jn_constraint_type type,
                    const jn_allocator *allocator, jn_ik **out) {
  if (out) *out = NULL;
  if (!model || !out || frame < 0 || frame >= model->nframe || !is_target(type) ||
      !is_moved(jn_model_tree(model), frame))
    return JN_ERR_ARGUMENT;
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_ik *ik = jn_block_new(&hooks, 1, sizeof *ik);
  if (!ik) return JN_ERR_MEMORY;
  const int rows = jn_constraint_type_rows(type);
  ik->hooks = hooks;
  if (model->tree) ik->user = model, model = model->tree;
  ik->model = *model;
  jn_status status = order < 0 || order > JN_MAX_ORDER ? JN_ERR_ORDER : JN_OK;
  if (!status) status = allocate(ik, model, rows, order + 2);
  if (!status) {
    const size_t n = (size_t)model->ncut;
    if (n) memcpy(ik->cut, model->cut, sizeof *ik->cut * n);
    if (n) memcpy(ik->constraint, model->constraint, sizeof *ik->constraint * n);
    jn_cut *cut = &ik->cut[n];
    jn_constraint *c = &ik->constraint[n];
    cut->type = c->type = type;
    cut->row = c->row = model->nrow;
    cut->rows = c->rows = rows;
    c->name = "target";
    place_tool(model, frame, cut, c);
    ik->model.cut = ik->cut;
    ik->model.constraint = ik->constraint;
    ik->model.ncut++;
    ik->model.nrow += rows;
    status = jn_data_new(&ik->model, order, allocator, &ik->data);
  }
  if (status) {
    jn_ik_free(ik);
    return status;
  }
  *out = ik;
  return JN_OK;
}

void jn_ik_free(jn_ik *ik) {
  if (!ik) return;
  const jn_allocator hooks = ik->hooks;
  jn_data_free(ik->data);
  jn_block_free(&hooks, ik->cut);
  jn_block_free(&hooks, ik->constraint);
  jn_block_free(&hooks, ik->J);
  jn_block_free(&hooks, ik->redundant);
  jn_block_free(&hooks, ik->jets);
  jn_block_free(&hooks, ik->perm);
  jn_block_free(&hooks, ik);
}

jn_settings *jn_ik_settings(jn_ik *ik) { return jn_data_settings(ik->data); }

jn_constraint_fault jn_ik_fault(const jn_ik *ik) { return jn_data_constraint_fault(ik->data); }

/* jn_ik_null_space is that of this target: of a line or plane, its axes. */
static void reached(jn_ik *ik, const jn_world_motion *target) {
  jn_constraint *c = &ik->constraint[ik->model.ncut - 1];
  c->b.pose = target->pose;
  c->b.pose.R = jn_m3_orthonormalise(c->b.pose.R);
}

jn_status jn_ik_solve(jn_ik *ik, int rows, const jn_world_motion *target,
                      const unsigned char *driven, double *q, double *v) {
  if (!ik || !target) return JN_ERR_ARGUMENT;
  jn_world_motion motion = *target;
  motion.constraint = ik->model.ncut - 1;
  const jn_constraints constraints = {.motion_count = 1, .motions = &motion};
  if (!ik->user) {
    const jn_status status = jn_assemble(&ik->model, ik->data, rows, driven, &constraints, q, v);
    if (!status) reached(ik, target);
    return status;
  }
  const jn_model *m = ik->user;
  double *tq = ik->data->w.tree_q, *tv = ik->data->w.tree_rows;
  if (rows < 0 || rows > ik->data->rows || (m->nq && !q) || (rows && m->nv && !v))
    return rows > ik->data->rows ? JN_ERR_ORDER : JN_ERR_ARGUMENT;
  jn_tree_expand(m, q, rows, v, tq, tv);
  jn_status status = jn_assemble(&ik->model, ik->data, rows, driven, &constraints, tq, tv);
  if (!status) jn_tree_reduce(m, tq, rows, tv, q, v);
  if (!status) reached(ik, target);
  return status;
}

/* Least norm: of the user's coordinates. With eliminated joints the rows of the target alone count, in
 * y: J G. */
static const jn_model *own_model(const jn_ik *ik) { return ik->user ? ik->user : &ik->model; }
static int own_rows(const jn_ik *ik) {
  return ik->user ? ik->cut[ik->model.ncut - 1].rows : ik->model.nrow;
}
/* J, ..., J^(order) of the tree become those of the target in y, in place: every row moves down, since
 * the couplings are rows before it */
static void fold_jets(const jn_ik *ik, int order) {
  const size_t nrow = (size_t)ik->model.nrow, rows = (size_t)own_rows(ik);
  const size_t all = (size_t)ik->model.nv, nv = (size_t)own_model(ik)->nv;
  for (size_t k = 0; ik->user && k <= (size_t)order; k++)
    for (size_t r = 0; r < rows; r++)
      jn_tree_force(ik->user, 1, ik->jets + ((k + 1) * nrow - rows + r) * all,
                    ik->jets + (k * rows + r) * nv);
}

/* x[nv] := the part of J^(i)^T y that is of joints that are not driven, times `factor`, added */
static void pull(const jn_ik *ik, int i, double factor, const unsigned char *driven,
                 const double *y, double *x) {
  const jn_model *m = own_model(ik);
  const size_t nv = (size_t)m->nv;
  const double *J = ik->jets + (size_t)i * (size_t)own_rows(ik) * nv;
  for (int b = 0; b < m->nbody; b++)
    for (size_t j = (size_t)m->joint[b].iv;
         j < (size_t)(m->joint[b].iv + m->joint[b].nv) && !(driven && driven[b]); j++)
      for (int r = 0; r < own_rows(ik); r++) x[j] += factor * J[(size_t)r * nv + j] * y[r];
}

/* The decomposition of J^T, rows of driven joints left out. */
static qr factor_rows(jn_ik *ik, const unsigned char *driven) {
  const jn_model *m = own_model(ik);
  const size_t nv = (size_t)m->nv, nrow = (size_t)own_rows(ik);
  double *scale = ik->J; /* [nrow] */
  for (size_t r = 0; r < nrow; r++) scale[r] = 0;
  memset(ik->Q, 0, sizeof(double) * nv * nrow);
  for (int b = 0; b < m->nbody; b++)
    for (size_t j = (size_t)m->joint[b].iv;
         j < (size_t)(m->joint[b].iv + m->joint[b].nv) && !(driven && driven[b]); j++)
      for (size_t r = 0; r < nrow; r++) {
        const double x = ik->Q[j * nrow + r] = ik->jets[r * nv + j];
        scale[r] += x * x;
      }
  for (size_t r = 0; r < nrow; r++) scale[r] = scale[r] > 0 ? sqrt(scale[r]) : 1;
  qr f = {m->nv, own_rows(ik), 0, ik->Q, ik->beta, ik->perm, 0};
  qr_factor(&f, scale, 0x1p-26, ik->scratch);
  return f;
}

/* mu^(k) from J^T mu^(k) = v^(k) - sum_(i=1..k) C(k,i) J^(i)^T mu^(k-i) =: x[nv], which is changed */
static void multipliers(const jn_ik *ik, const qr *f, double *x, double *mu) {
  for (int r = 0; r < own_rows(ik); r++) mu[r] = 0;
  qr_apply(f, 1, 1, x);
  qr_solve(f, 0, 1, x);
  for (int k = 0; k < f->rank; k++) mu[f->perm[k]] = x[k];
}

/* Order by order: the motion nearest to sum_(i=1..k) C(k,i) J^(i)^T mu^(k-i) differs from it by
 * J^T mu^(k). With eliminated joints jn_assemble gives the one nearest in the tree's velocities, from
 * which the nearest in y differs by what J leaves at rest. q: of the tree. */
static jn_status least_norm(jn_ik *ik, int rows, const unsigned char *driven,
                            const jn_constraints *constraints, double *q, double *v) {
  const jn_model *m = &ik->model, *own = own_model(ik);
  const size_t nv = (size_t)own->nv, nrow = (size_t)own_rows(ik);
  double *x = ik->scratch + m->nrow, *start = ik->J, *tree = ik->user ? ik->data->w.tree_rows : v;
  qr f = {0};
  if (ik->user) jn_tree_expand(own, NULL, rows, v, NULL, tree);
  for (int k = 0; k < rows; k++) {
    double *row = v + (size_t)k * nv, choose = 1;
    if (k == 0) {
      const jn_status status = jn_assemble(m, ik->data, 0, driven, constraints, q, NULL);
      if (status) return status;
    }
    /* J^(0..k) */
    jn_status status =
        jn_constraint_closure(m, ik->data, k, q, tree, constraints, NULL, NULL, ik->jets);
    if (status) return status;
    fold_jets(ik, k);
    if (k == 0) f = factor_rows(ik, driven);
    for (int i = 1; i <= k; i++) {
      choose *= (double)(k - i + 1) / i;
      pull(ik, i, choose, driven, ik->mu + (size_t)(k - i) * nrow, row);
    }
    memcpy(start, row, sizeof *row * nv);
    if (ik->user) jn_tree_expand(own, NULL, k + 1, v, NULL, tree);
    if ((status = jn_assemble(m, ik->data, k + 1, driven, constraints, q, tree))) return status;
    if (ik->user) jn_tree_reduce(own, NULL, 1, tree + (size_t)k * (size_t)m->nv, NULL, row);
    for (size_t j = 0; j < nv; j++) x[j] = row[j] - start[j];
    multipliers(ik, &f, x, ik->mu + (size_t)k * nrow);
    if (!ik->user) continue;
    memcpy(row, start, sizeof *row * nv);
    pull(ik, 0, 1, driven, ik->mu + (size_t)k * nrow, row);
    jn_tree_expand(own, NULL, k + 1, v, NULL, tree);
  }
  return JN_OK;
}

jn_status jn_ik_least_norm(jn_ik *ik, int rows, const jn_world_motion *target,
                           const unsigned char *driven, double *q, double *v) {
  if (!ik || !target || rows < 1 || !q || !v) return JN_ERR_ARGUMENT;
  if (rows > ik->data->rows) return JN_ERR_ORDER;
  const jn_model *m = own_model(ik);
  const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
  jn_world_motion motion = *target;
  motion.constraint = ik->model.ncut - 1;
  const jn_constraints constraints = {.motion_count = 1, .motions = &motion};
  if (ik->user)
    jn_tree_expand(m, q, 0, NULL, ik->at, NULL);
  else
    memcpy(ik->at, q, sizeof *q * nq);
  for (int b = 0; b < m->nbody; b++) {
    const jn_joint *joint = &m->joint[b];
    const int given = driven && driven[b];
    if (joint->type == JN_JOINT_FREE && !given && ik->data->settings.representation != JN_BODY)
      return JN_ERR_ARGUMENT;
    for (size_t k = 0; k < (size_t)rows; k++)
      for (size_t j = (size_t)joint->iv; j < (size_t)(joint->iv + joint->nv); j++)
        ik->trial[k * nv + j] = given ? v[k * nv + j] : 0;
  }
  const jn_status status = least_norm(ik, rows, driven, &constraints, ik->at, ik->trial);
  if (status) return status;
  reached(ik, target);
  if (ik->user)
    jn_tree_reduce(m, ik->at, 0, NULL, q, NULL);
  else
    memcpy(q, ik->at, sizeof *q * nq);
  memcpy(v, ik->trial, sizeof *v * nv * (size_t)rows);
  return JN_OK;
}

/* Independent rows x[count x n] become orthonormal (Gram-Schmidt, twice). */
static void orthonormalise(size_t count, size_t n, double *x) {
  for (size_t i = 0; i < count; i++)
    for (int pass = 0; pass < 2; pass++) {
      double *a = x + i * n, size = 0;
      for (size_t k = 0; k < i; k++) {
        double s = 0;
        for (size_t c = 0; c < n; c++) s += x[k * n + c] * a[c];
        for (size_t c = 0; c < n; c++) a[c] -= s * x[k * n + c];
      }
      for (size_t c = 0; c < n; c++) size += a[c] * a[c];
      for (size_t c = 0; c < n; c++) a[c] /= sqrt(size);
    }
}

/* The last columns of Q of the rows of J that are independent: J^T = Q R. */
jn_status jn_ik_null_space(jn_ik *ik, const double *q, int *dimension, double *basis) {
  int rank;
  if (!ik || !dimension) return JN_ERR_ARGUMENT;
  if (ik->user) {
    if (ik->user->nq && !q) return JN_ERR_ARGUMENT;
    jn_tree_expand(ik->user, q, 0, NULL, ik->data->w.tree_q, NULL);
    q = ik->data->w.tree_q;
  }
  const jn_model *m = &ik->model;
  const size_t nv = (size_t)m->nv;
  jn_status status = jn_constraint_rank(m, ik->data, q, NULL, &rank, ik->redundant, NULL);
  if (!status) status = jn_constraint_closure(m, ik->data, 0, q, NULL, NULL, NULL, NULL, ik->J);
  if (status) return status;
  qr f = {m->nv, 0, 0, ik->Q, ik->beta, NULL, 0};
  for (int r = 0; r < m->nrow; r++) f.m += !ik->redundant[r];
  for (int r = 0, at = 0; r < m->nrow; r++) {
    if (ik->redundant[r]) continue;
    for (size_t j = 0; j < nv; j++) ik->Q[j * (size_t)f.m + (size_t)at] = ik->J[(size_t)r * nv + j];
    at++;
  }
  qr_factor(&f, NULL, 0, ik->scratch);
  double *x = ik->scratch + m->nrow;
  for (int k = f.rank; k < m->nv && basis; k++) {
    for (size_t j = 0; j < nv; j++) x[j] = j == (size_t)k;
    qr_apply(&f, 0, 1, x);
    if (ik->user)
      jn_tree_reduce(ik->user, NULL, 1, x, NULL,
                     basis + (size_t)(k - f.rank) * (size_t)ik->user->nv);
    else
      memcpy(basis + (size_t)(k - f.rank) * nv, x, sizeof *x * nv);
  }
  *dimension = m->nv - f.rank;
  if (ik->user && basis) orthonormalise((size_t)(m->nv - f.rank), (size_t)ik->user->nv, basis);
  return JN_OK;
}
