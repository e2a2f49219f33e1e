/* quad_core.c: the source of src/core compiled for numbers of 113 bits. `double` is replaced as
 * well, so that the constants of the model have as many digits as the state. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "oracle/quad.h"
#include "base/sincos.h" /* in doubles; replaced below */

#undef U
#undef COUNT
#pragma GCC diagnostic ignored "-Wunused-function"
typedef double real_double;
#define double quad

typedef quad real;
static inline int real_greater(real a, real b) { return a > b; }
static inline real real_of(real x) { return x; }
#include "scalar/plain.h"

static inline void quad_sincos_many(int n, quad *x, quad *s, quad *c) {
  for (int i = 0; i < n; i++) quad_sincos(x[i], s + i, c + i);
}
#define sincos_many quad_sincos_many
#define QR_SQRT quad_sqrt
#define QR_ABS quad_abs
#define WHITEN_SQRT quad_sqrt
#define CLOSURE_ROUNDING ((quad)1e-32)
#include "core/body/aba.h"
#include "core/body/rnea.h"
#include "core/boundary.h"
#include "core/constraints/forces.h"
#include "core/constraints/forward.h"
#include "core/derivatives/mass_solve.h"

/* in the layout of src/model/place.c */
static void arrange_link(const quad_link *from, jn_link *l) {
  l->parent = from->parent, l->kind = (jn_kind)from->kind, l->joint = from->joint;
  l->iq = from->iq, l->iv = from->iv, l->nv = from->nv;
  l->m = from->m, l->pitch = from->pitch, l->armature = from->armature, l->damping = from->damping;
  memcpy(l->R, from->R, sizeof l->R);
  memcpy(l->p, from->p, sizeof l->p);
  memcpy(l->c, from->c, sizeof l->c);
  memcpy(l->J, from->J, sizeof l->J);
  l->rotation = JN_ROTATION_GENERAL;
  const quad *c = l->c, *J = l->J, mass = l->m, cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  const quad full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
  const quad hat[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  for (int a = 0; a < 3; a++) {
    l->p4[a] = l->p[a], l->c4[a] = c[a];
    l->pT4[a] = l->R[a] * l->p[0] + l->R[3 + a] * l->p[1] + l->R[6 + a] * l->p[2];
    for (int j = 0; j < 3; j++) {
      l->Rr[4 * j + a] = l->R[3 * j + a], l->Rc[4 * j + a] = l->R[3 * a + j];
      l->J4[4 * j + a] = full[3 * a + j];
      l->I4[4 * j + a] = full[3 * a + j] + mass * ((a == j ? cc : 0) - c[a] * c[j]);
      l->I4[12 + 4 * j + a] = mass * hat[3 * a + j];
      l->I4[24 + 4 * j + a] = a == j ? mass : 0;
    }
  }
}

/* constraints, joints that are passive, and the last link of every subtree */
static void arrange_constraints(const quad_robot *r, jn_model *m) {
  m->ncut = r->ncut, m->nrow = r->nrow, m->nbody = r->nbody;
  m->cut = calloc((size_t)r->ncut + 1, sizeof *m->cut);
  m->joint = calloc((size_t)r->nbody + 1, sizeof *m->joint);
  if (!m->cut || !m->joint) fail_msg("out of memory");
  for (int i = 0; i < r->nbody; i++) m->joint[i].passive = jn_model_joint(r->model, i)->passive;
  for (int i = m->nlink - 1; i >= 0; i--) {
    if (m->link[i].last < i) m->link[i].last = i;
    const int p = m->link[i].parent;
    if (p >= 0 && m->link[p].last < m->link[i].last) m->link[p].last = m->link[i].last;
  }
  for (int i = 0; i < r->ncut; i++) {
    const quad_cut *from = &r->cut[i];
    jn_cut *c = &m->cut[i];
    c->type = (jn_constraint_type)from->type, c->row = from->row, c->rows = from->rows;
    c->common = from->common, c->term_count = from->terms;
    c->dof = from->dof, c->iq = from->iq, c->coefficient = from->coefficient;
    memcpy(c->link, from->link, sizeof c->link);
    memcpy(c->R, from->R, sizeof c->R);
    memcpy(c->p, from->p, sizeof c->p);
    memcpy(c->axis, from->axis, sizeof c->axis);
  }
}

typedef struct instance {
  jn_model model;
  jn_work work;
  quad *block;
  int rows;
} instance;

static instance instance_new(const quad_robot *r, int order) {
  instance s;
  memset(&s, 0, sizeof s);
  jn_model *m = &s.model;
  s.rows = order + 2;
  m->nlink = r->nlink, m->nq = r->nq, m->nv = r->nv;
  m->link = calloc((size_t)r->nlink + 1, sizeof *m->link);
  m->angle_link = calloc(5 * (size_t)r->nlink + 1, sizeof *m->angle_link);
  if (!m->link || !m->angle_link) fail_msg("out of memory");
  m->free_link = m->angle_link + r->nlink, m->quat_link = m->free_link + r->nlink;
  m->other_link = m->quat_link + r->nlink, m->outward = m->other_link + r->nlink;
  for (int i = 0; i < r->nlink; i++) {
    jn_link *l = &m->link[i];
    arrange_link(&r->link[i], l);
    l->ix = m->nx;
    m->outward[i] = l->rank = i;
    m->nx += jn_kind_width(l->kind);
    if (l->kind == JN_K_REVOLUTE || l->kind == JN_K_HELICAL) m->angle_link[m->nangle++] = i;
    if (l->kind == JN_K_PRISMATIC || l->kind == JN_K_SPHERICAL) m->other_link[m->nother++] = i;
    if (l->kind == JN_K_FREE) m->free_link[m->nfree++] = i;
    if (l->kind == JN_K_FREE || l->kind == JN_K_SPHERICAL) m->quat_link[m->nquat++] = i;
  }
  arrange_constraints(r, m);
  const size_t rows = (size_t)s.rows, nq = (size_t)m->nq, nv = (size_t)m->nv, nx = (size_t)m->nx,
               nlink = (size_t)m->nlink, ncut = (size_t)m->ncut, nrow = (size_t)m->nrow,
               coupled = 0;
  size_t at = 0;
#define SIZE(name, element, stride, count) at += JN_SIZE_##element * (size_t)(count) + 8;
  JN_WORK_PACK(SIZE) JN_WORK_SINGLE(SIZE) s.block = quads(at);
  at = 0;
#define PLACE(name, element, stride, count) \
  s.work.name = s.block + at, at += JN_SIZE_##element * (size_t)(count) + 8;
  s.work.rows = s.rows, s.work.nv = m->nv, s.work.nrow = m->nrow;
  JN_WORK_PACK(PLACE) JN_WORK_SINGLE(PLACE) link_views_place(m, &s.work);
  return s;
}

static void instance_free(instance *s) {
  free(s->model.link), free(s->model.angle_link), free(s->block);
  free(s->model.cut), free(s->model.joint);
}

/* derivatives to Taylor coefficients, and back */
static void scale(quad *x, int order, int n, int to_taylor) {
  quad f = 1;
  for (int k = 2; k <= order; k++) {
    f *= k;
    for (int j = 0; j < n; j++) x[k * n + j] = to_taylor ? x[k * n + j] / f : x[k * n + j] * f;
  }
}

static void begin(const instance *s, const quad_robot *r, const quad *q, const quad *v, int v_rows,
                  jn_representation rep) {
  const jn_work *w = &s->work;
  memcpy(w->q, q, sizeof *q * (size_t)r->nq);
  memcpy(w->io, v, sizeof *v * (size_t)v_rows * (size_t)r->nv);
  store_v3(w->up, v3_make(-r->gravity[0], -r->gravity[1], -r->gravity[2]));
  boundary_about_joint(&s->model, w);
  if (rep == JN_SPATIAL) boundary_shift(&s->model, w, w->io, v_rows, -1, 0);
  scale(w->io, v_rows - 1, r->nv, 1);
}

void core_inverse(const quad_robot *r, int order, jn_representation rep, const quad *q,
                  const quad *v, quad *tau) {
  instance s = instance_new(r, order);
  const jn_model *m = &s.model;
  const jn_work *w = &s.work;
  begin(&s, r, q, v, order + 2, rep);
  boundary_motion(m, w, (int)rep, 0, order + 1, 0);
  rnea_outward(m, w, order + 1, 0, 1);
  rnea_inward(m, w, order, 0, 0);
  boundary_force_out(m, w, (int)rep, 0, order, 0);
  scale(w->io, order, r->nv, 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, order + 1, 1, 1);
  memcpy(tau, w->io, sizeof *tau * ((size_t)order + 1) * (size_t)r->nv);
  instance_free(&s);
}

int core_hybrid(const quad_robot *r, int order, jn_representation rep,
                const unsigned char *prescribed, const quad *q, quad *v, quad *tau) {
  instance s = instance_new(r, order);
  const jn_model *m = &s.model;
  const jn_work *w = &s.work;
  const int nv = r->nv, rows = prescribed ? order + 2 : 1;
  const size_t n = ((size_t)order + 1) * (size_t)nv;
  begin(&s, r, q, v, rows, rep);
  memcpy(w->force, tau, n * sizeof *tau);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->force, order + 1, -1, 1);
  scale(w->force, order, nv, 1);
  boundary_motion(m, w, (int)rep, 0, 0, 0);
  aba_start(m, w);
  int good = aba_inertias(m, w, prescribed) < 0;
  for (int k = 0; good && k <= order; k++) {
    boundary_drive(m, w, (int)rep, 0, k, prescribed, 0);
    aba_inward(m, w, k, prescribed, (int)rep, k < order);
    aba_outward(m, w, k, prescribed, 0, k < order, 0);
  }
  if (prescribed) {
    boundary_force_out(m, w, (int)rep, 0, order, 0);
    scale(w->io, order, nv, 0);
    if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, order + 1, 1, 1);
    for (int i = 0; i < m->nlink; i++)
      for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++)
        for (int k = 0; k <= order && prescribed[m->link[i].joint]; k++)
          tau[k * nv + j] = w->io[k * nv + j];
  }
  boundary_motion_out(m, w, (int)rep, 0, order + 1, 0);
  scale(w->io, order + 1, nv, 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, order + 2, 1, 0);
  memcpy(v + nv, w->io + nv, n * sizeof *v);
  instance_free(&s);
  return good;
}

int core_forward(const quad_robot *r, int order, jn_representation rep, const quad *q,
                 const quad *v, const quad *tau, quad *a) {
  const size_t nv = (size_t)r->nv, n = ((size_t)order + 1) * nv;
  quad *motion = quads(n + nv), *force = quads(n);
  memcpy(motion, v, nv * sizeof *v);
  memcpy(force, tau, n * sizeof *tau);
  int good = core_hybrid(r, order, rep, NULL, q, motion, force);
  memcpy(a, motion + nv, n * sizeof *a);
  free(motion), free(force);
  return good;
}

/* ---- with constraints, as src/core/constraints/constrained.c */

static jn_vec3 gravity_of(const quad_robot *r) {
  return jn_v3((real_double)r->gravity[0], (real_double)r->gravity[1], (real_double)r->gravity[2]);
}

static void whiten(const jn_model *m, const jn_work *w, int first, int last,
                   const unsigned char *prescribed, int columns, quad *y) {
  for (int s = 0; s < columns; s++)
    mass_whiten_pass(m, w, first, last, prescribed, y + s, JN_SOLVE_COLUMNS, 1);
}

/* poses, frames of the world's sides, screws and twists of order 0 */
static closure place_closed(const instance *s) {
  const jn_model *m = &s->model;
  const jn_work *w = &s->work;
  closure c = {
      .m = m, .w = w, .rank_tolerance = (quad)0x1p-26, .whiten = whiten, .decompose = cod_factor};
  quad base[3];
  place_joints(m, w);
  store_v3(base, place_world(m, w));
  for (int i = 0; i < m->ncut; i++)
    for (int side = 0; side < 2; side++) {
      const jn_cut *cut = &m->cut[i];
      if (cut->link[side] >= 0 || cut_is_coupling(cut)) continue;
      quad *out = world_frame_of(w, i);
      for (int j = 0; j < 9; j++) out[j] = cut->R[side][j];
      for (int j = 0; j < 3; j++) out[9 + j] = cut->p[side][j] - base[j];
    }
  return c;
}

static void least_norm(const closure *c, const blocks *b, int order) {
  for (int i = 0; i < b->count; i++) {
    const forces f = forces_of(c, b, i);
    if (!forces_least_norm(&f, order, c->w->lambda)) fail_msg("the rank changes");
  }
}
static void jacobians(const closure *c, int order) {
  for (int k = 0; k <= order; k++)
    rows_jacobian(c, k, c->w->row_jacobian + (size_t)k * (size_t)(c->m->nrow * c->m->nv));
}

void core_forward_closed(const quad_robot *r, int order, jn_representation rep, int damping,
                         const quad *q, const quad *v, const quad *tau, quad *a, quad *lambda) {
  instance s = instance_new(r, order);
  const jn_model *m = &s.model;
  const jn_work *w = &s.work;
  const size_t nv = (size_t)r->nv, nrow = (size_t)r->nrow, n = ((size_t)order + 1) * nv;
  const jn_settings set = {.representation = rep, .damping = damping, .gravity = gravity_of(r)};
  quad left;
  begin(&s, r, q, v, 1, rep);
  memcpy(w->force, tau, n * sizeof *tau);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->force, order + 1, -1, 1);
  scale(w->force, order, r->nv, 1);
  boundary_motion_in(m, w, (int)rep, 0, 0);
  closure c = place_closed(&s);
  c.order = order;
  if (spatial_start(m, w, &set, NULL) >= 0) fail_msg("singular");
  rows_step(&c, 0);
  rows_rate(&c, 0, row_scratch_of(w, 0));
  blocks b = blocks_make(&c, 1);
  blocks_factor(&c, &b, 1);
  spatial_first_terms(m, w, &set, 0);
  for (int k = 0; k <= order; k++) {
    boundary_drive(m, w, (int)rep, damping, k, NULL, 1);
    spatial_inward(m, w, k, NULL);
    spatial_outward(m, w, k, NULL, damping);
    if (closure_order(&c, &b, k, w->lambda + (size_t)k * nrow, &left) >= 0) fail_msg("open row");
    if (k == order) break;
    for (int i = 0; i < m->nlink; i++) ext_of(w, i)[k + 1] = six_zero();
    rows_apply(&c, k + 1, 1, w->lambda);
    spatial_bias_terms(m, w, &set, k + 1, 1);
  }
  jacobians(&c, order);
  b = blocks_make(&c, 0);
  blocks_factor(&c, &b, 0);
  least_norm(&c, &b, order);
  boundary_motion_out(m, w, (int)rep, 0, order + 1, 1);
  scale(w->io, order + 1, r->nv, 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, order + 2, 1, 0);
  memcpy(a, w->io + nv, n * sizeof *a);
  scale(w->lambda, order, r->nrow, 0);
  memcpy(lambda, w->lambda, ((size_t)order + 1) * nrow * sizeof *lambda);
  instance_free(&s);
}

void core_inverse_closed(const quad_robot *r, int order, jn_representation rep, int damping,
                         const real_double *weight, const quad *q, const quad *v, quad *tau,
                         quad *lambda) {
  instance s = instance_new(r, order);
  const jn_model *m = &s.model;
  const jn_work *w = &s.work;
  const size_t nv = (size_t)r->nv, nrow = (size_t)r->nrow, n = ((size_t)order + 1) * nv;
  const jn_settings set = {.representation = rep, .damping = damping, .gravity = gravity_of(r)};
  begin(&s, r, q, v, order + 2, rep);
  boundary_motion(m, w, (int)rep, 0, order + 1, 1);
  const closure c = place_closed(&s);
  spatial_kinematics(m, w, order + 1);
  for (int k = 0; k <= order + 1; k++) rows_step(&c, k);
  spatial_inverse(m, w, &set, order, 0);
  memcpy(w->force, w->tau, n * sizeof *tau);
  for (size_t j = 0; j < nv; j++) w->row_weight[j] = weight[j];
  jacobians(&c, order);
  blocks b = blocks_make(&c, 0);
  blocks_factor(&c, &b, 0);
  for (int i = 0; i < b.count; i++) {
    forces f = forces_of(&c, &b, i);
    forces_factor(&f, NULL, w->row_weight);
    forces_solve(&f, 0, order, w->force, NULL, w->lambda);
    for (int k = 0; k <= order; k++)
      for (int j = 0; j < f.n; j++)
        w->tau[(size_t)k * nv + (size_t)f.dof[j]] -= rows_pull(&f, k, 0, w->lambda, f.dof[j]);
  }
  least_norm(&c, &b, order);
  for (size_t i = 0; i < n; i++)
    if (m->joint[m->link[link_of_dof(m, (int)(i % nv))].joint].passive) w->tau[i] = 0;
  boundary_force_out(m, w, (int)rep, 0, order, 1);
  scale(w->io, order, r->nv, 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, order + 1, 1, 1);
  memcpy(tau, w->io, n * sizeof *tau);
  scale(w->lambda, order, r->nrow, 0);
  memcpy(lambda, w->lambda, ((size_t)order + 1) * nrow * sizeof *lambda);
  instance_free(&s);
}
