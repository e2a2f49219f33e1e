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
#define double quad

typedef quad real;
static inline int real_greater(real a, real b) { return a > b; }
static inline real real_of(real x) { return x; }
#include "scalar/plain.h"

static inline void quad_sincos_many(int n, quad *x, quad *s, quad *c) {
  for (int i = 0; i < n; i++) quad_sincos(x[i], s + i, c + i);
}
#define sincos_many quad_sincos_many
#include "core/body/aba.h"
#include "core/body/rnea.h"
#include "core/boundary.h"

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
  const size_t rows = (size_t)s.rows, nq = (size_t)m->nq, nv = (size_t)m->nv, nx = (size_t)m->nx,
               nlink = (size_t)m->nlink, ncut = (size_t)m->ncut, nrow = (size_t)m->nrow;
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

int core_forward(const quad_robot *r, int order, jn_representation rep, const quad *q,
                 const quad *v, const quad *tau, quad *a) {
  instance s = instance_new(r, order);
  const jn_model *m = &s.model;
  const jn_work *w = &s.work;
  const size_t nv = (size_t)r->nv, n = ((size_t)order + 1) * nv;
  begin(&s, r, q, v, 1, rep);
  memcpy(w->force, tau, n * sizeof *tau);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->force, order + 1, -1, 1);
  scale(w->force, order, r->nv, 1);
  boundary_motion(m, w, (int)rep, 0, 0, 0);
  aba_start(m, w, (int)rep);
  int good = aba_inertias(m, w, NULL) < 0;
  for (int k = 0; good && k <= order; k++) {
    for (int i = 0; i < m->nlink; i++) {
      const jn_link *l = &m->link[i];
      boundary_force_in(l, w, r->nv, (int)rep, k, w->force + l->iv, w->tau + l->iv, 0);
      for (int j = 0; j < l->nv; j++)
        w->e[l->iv + j] = w->tau[(size_t)k * nv + (size_t)(l->iv + j)];
    }
    aba_inward(m, w, k, NULL, k < order);
    aba_outward(m, w, k, NULL, 0, k < order, (int)rep, 0);
  }
  boundary_motion_out(m, w, (int)rep, 0, order + 1, 0);
  scale(w->io, order + 1, r->nv, 0);
  if (rep == JN_SPATIAL) boundary_shift(m, w, w->io, order + 2, 1, 0);
  memcpy(a, w->io + nv, n * sizeof *a);
  instance_free(&s);
  return good;
}
