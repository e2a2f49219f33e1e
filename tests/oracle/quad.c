#include "oracle/quad.h"

#include <stdlib.h>

#include "helpers/check.h"
#include "model/model.h"

quad *quads(size_t n) {
  quad *x = calloc(n + 1, sizeof *x);
  if (!x) fail_msg("out of memory for %zu numbers", n);
  return x;
}

quad quad_abs(quad x) { return x < 0 ? -x : x; }

quad quad_sqrt(quad x) {
  if (!(x > 0)) return 0;
  quad y = (quad)__builtin_sqrt((double)x);
  for (int i = 0; i < 3; i++) y = (y + x / y) / 2;
  return y;
}

/* x = k pi/2 + r, then the series of r/8, doubled three times */
void quad_sincos(quad x, quad *s, quad *c) {
  const quad half_pi =
      (quad)0x1.921fb54442d18p+0 + (quad)0x1.1a62633145c07p-54 + (quad)-0x1.f1976b7ed8fbcp-110;
  const quad rest = (quad)0x1.4cf98e804177dp-164;
  double n = __builtin_round((double)(x / half_pi));
  quad r = ((x - (quad)n * half_pi) - (quad)n * rest) / 8, term = 1, sine = 0, versine = 0;
  for (int k = 1; k < 32; k++) {
    term = term * r / k;
    quad t = k % 4 < 2 ? term : -term;
    if (k % 2)
      sine += t;
    else
      versine += k % 4 ? term : -term; /* 1 - cos */
  }
  for (int i = 0; i < 3; i++) {
    sine = 2 * sine * (1 - versine);
    versine = 2 * versine * (2 - versine);
  }
  quad cosine = 1 - versine;
  switch ((long long)n & 3) {
    case 0:
      *s = sine, *c = cosine;
      break;
    case 1:
      *s = cosine, *c = -sine;
      break;
    case 2:
      *s = -sine, *c = -cosine;
      break;
    default:
      *s = -cosine, *c = sine;
      break;
  }
}

/* the nearest rotation: R = (R + R^-T) / 2 until it converges */
void quad_orthonormalise(quad *R) {
  for (int n = 0; n < 4; n++) {
    quad C[9], det = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        C[3 * i + j] = R[3 * a + c] * R[3 * b + d] - R[3 * a + d] * R[3 * b + c];
      }
    for (int j = 0; j < 3; j++) det += R[j] * C[j];
    for (int j = 0; j < 9; j++) R[j] = (R[j] + C[j] / det) / 2;
  }
}

static void arrange_cut(const jn_cut *c, quad_cut *o) {
  o->type = (int)c->type, o->row = c->row, o->rows = c->rows, o->common = c->common;
  o->terms = c->term_count, o->dof = c->dof, o->iq = c->iq;
  assert_true(c->term_count <= 8);
  for (int t = 0; t < c->term_count; t++) o->coefficient[t] = c->coefficient[t];
  for (int s = 0; s < 2; s++) {
    quad length = 0;
    o->link[s] = c->link[s];
    for (int j = 0; j < 9; j++) o->R[s][j] = c->R[s][j];
    for (int j = 0; j < 3; j++)
      o->p[s][j] = c->p[s][j], length += (quad)c->axis[s][j] * c->axis[s][j];
    for (int j = 0; j < 3 && length > 0; j++) o->axis[s][j] = c->axis[s][j] / quad_sqrt(length);
    if (c->type != JN_CONSTRAINT_COUPLING) quad_orthonormalise(o->R[s]);
  }
}

quad_robot *quad_robot_new(const jn_model *m, jn_vec3 gravity) {
  quad_robot *r = calloc(1, sizeof *r);
  if (!r) fail_msg("out of memory");
  r->link = calloc((size_t)m->nlink + 1, sizeof *r->link);
  if (!r->link) fail_msg("out of memory");
  r->cut = calloc((size_t)m->ncut + 1, sizeof *r->cut);
  if (!r->cut) fail_msg("out of memory");
  r->nlink = m->nlink, r->nq = m->nq, r->nv = m->nv, r->nbody = m->nbody;
  r->ncut = m->ncut, r->nrow = m->nrow, r->model = m;
  for (int i = 0; i < m->ncut; i++) arrange_cut(&m->cut[i], &r->cut[i]);
  r->gravity[0] = gravity.x, r->gravity[1] = gravity.y, r->gravity[2] = gravity.z;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    quad_link *o = &r->link[i];
    o->parent = l->parent, o->kind = (int)l->kind, o->joint = l->joint;
    o->iq = l->iq, o->iv = l->iv, o->nv = l->nv;
    o->m = l->m, o->pitch = l->pitch, o->armature = l->armature, o->damping = l->damping;
    for (int j = 0; j < 9; j++) o->R[j] = l->R[j];
    for (int j = 0; j < 3; j++) o->p[j] = l->p[j], o->c[j] = l->c[j];
    for (int j = 0; j < 6; j++) o->J[j] = l->J[j];
    quad_orthonormalise(o->R);
  }
  return r;
}

void quad_robot_free(quad_robot *r) {
  if (r) free(r->link), free(r->cut);
  free(r);
}
