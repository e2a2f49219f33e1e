/* closure.c: the arguments of a call with constraints, and the residuals of a state. */
#include "core/constraints/closure.h"

#include <jounce/jet.h>
#include <math.h>
#include <string.h>

#define CLOSURE_TOLERANCE 1e-9
#define RANK_TOLERANCE 1.4901161193847656e-08 /* 2^-26 */

jn_constraint_fault jn_data_constraint_fault(const jn_data *data) { return data->fault; }

static int has_world_side(const jn_cut *cut) {
  return !cut_is_coupling(cut) && (cut->link[0] < 0 || cut->link[1] < 0);
}

static jn_status check_motion(const jn_model *m, const jn_world_motion *x, int rows) {
  if (x->constraint < 0 || x->constraint >= m->ncut || !has_world_side(&m->cut[x->constraint]) ||
      (unsigned)x->representation > JN_MIXED)
    return JN_ERR_ARGUMENT;
  const double p[3] = {x->pose.p.x, x->pose.p.y, x->pose.p.z};
  if (!jn_all_finite(p, 3) || !jn_all_finite(&x->pose.R.m[0][0], 9)) return JN_ERR_NOT_FINITE;
  if (x->twist && !jn_all_finite(x->twist, 6 * (size_t)rows)) return JN_ERR_NOT_FINITE;
  return jn_m3_rotation_error(x->pose.R) <= JN_ROTATION_TOLERANCE ? JN_OK : JN_ERR_POSE;
}

jn_status jn_closure_begin(const jn_model *model, jn_data *data, const jn_constraints *constraints,
                           int twist_rows, closure *c) {
  *c = (closure){.m = model,
                 .w = &data->w,
                 .rank_tolerance = RANK_TOLERANCE,
                 .whiten = data->engine->mass_whiten,
                 .decompose = data->engine->decompose};
  data->fault = (jn_constraint_fault){-1, 0, 0, -1, 0, 0};
  if (!constraints) return JN_OK;
  const jn_constraints *x = constraints;
  if (isnan(x->tolerance) || x->tolerance < 0 || !(x->rank_tolerance >= 0) ||
      !(x->rank_tolerance < 1) || !(x->proximal >= 0) || isinf(x->proximal))
    return JN_ERR_ARGUMENT;
  if (x->motion_count < 0 || (x->motion_count && !x->motions)) return JN_ERR_ARGUMENT;
  for (int i = 0; i < x->motion_count; i++) {
    jn_status status = check_motion(model, &x->motions[i], twist_rows);
    if (status) return status;
    c->moving |= x->motions[i].twist != NULL;
  }
  for (int j = 0; j < model->nv && x->weights; j++) {
    if (!isfinite(x->weights[j])) return JN_ERR_NOT_FINITE;
    if (!(x->weights[j] > 0)) return JN_ERR_ARGUMENT;
  }
  c->active = x->active;
  c->proximal = x->proximal;
  if (x->rank_tolerance > 0) c->rank_tolerance = x->rank_tolerance;
  return JN_OK;
}

/* A world frame with pose C, given relative to the base's position. */
static void put_frame(const closure *c, int i, jn_pose C, jn_vec3 base) {
  double *out = world_frame_of(c->w, i);
  memcpy(out, C.R.m, sizeof(double) * 9);
  const jn_vec3 p = jn_v3_sub(C.p, base);
  out[9] = p.x, out[10] = p.y, out[11] = p.z;
}

/* The given twist as a spatial jet about the base's position. */
static void put_twist(const closure *c, const jn_world_motion *x, jn_vec3 base, int rows) {
  const jn_work *w = c->w;
  double *V = w->frame, *R = V + 6 * (size_t)w->rows, *p = R + 9 * ((size_t)w->rows + 1);
  six *out = world_twist_of(w, x->constraint);
  const v3 b = v3_make(base.x, base.y, base.z);
  memcpy(V, x->twist, sizeof(double) * 6 * (size_t)rows);
  if (x->representation == JN_SPATIAL) /* from the world's origin: v + w x base */
    for (int k = 0; k < rows; k++)
      store_v3(V + 6 * k + 3, v3_add_cross_exact(load_v3(V + 6 * k + 3), load_v3(V + 6 * k), b));
  jn_jet_to_taylor(rows - 1, 6, V);
  const jn_pose C = {x->pose.R, jn_v3_sub(x->pose.p, base)};
  jn_jet_convert_twist(rows - 1, x->representation, JN_SPATIAL, C, V, R, p, &out->w.x);
}

int jn_closure_place(const closure *c, jn_data *data, const jn_constraints *constraints,
                     int twist_rows) {
  const jn_model *m = c->m;
  int finite = 1;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    if (!has_world_side(cut)) continue;
    const jn_constraint *x = &m->constraint[i];
    put_frame(c, i, cut->link[0] < 0 ? x->a.pose : x->b.pose, data->base);
    if (c->moving) memset(world_twist_of(c->w, i), 0, sizeof(six) * (size_t)twist_rows);
  }
  for (int i = 0; constraints && i < constraints->motion_count; i++) {
    const jn_world_motion *x = &constraints->motions[i];
    jn_pose C = x->pose;
    C.R = jn_m3_orthonormalise(C.R);
    put_frame(c, x->constraint, C, data->base);
    if (!x->twist || !twist_rows) continue;
    put_twist(c, x, data->base, twist_rows);
    finite &= jn_all_finite(&world_twist_of(c->w, x->constraint)->w.x, 6 * (size_t)twist_rows);
  }
  return finite;
}

/* The rotation vector that takes the unit vector a to the unit vector b, the shortest one. */
static jn_vec3 turn_between(jn_vec3 a, jn_vec3 b) {
  const jn_vec3 s = jn_v3_cross(a, b);
  const double sine = jn_v3_norm(s), cosine = jn_v3_dot(a, b);
  if (sine > 0) return jn_v3_scale(jn_atan2(sine, cosine) / sine, s);
  if (cosine >= 0) return s;
  /* opposite: half a turn about any axis across */
  const jn_vec3 e = fabs(a.x) < 0.6 ? jn_v3(1, 0, 0) : jn_v3(0, 1, 0);
  return jn_v3_scale(3.14159265358979312, jn_v3_unit(jn_v3_cross(a, e)));
}

static jn_vec3 vec_of(v3 a) { return jn_v3(a.x, a.y, a.z); }

static void set(double *out, double *size, int at, double x, double of) {
  out[at] = x;
  size[at] = of;
}

static void coupling_residual(const closure *c, const double *q, const jn_cut *cut, double *out,
                              double *size) {
  double sum = -cut->offset, scale = fabs(cut->offset);
  for (int t = 0; t < cut->term_count; t++) {
    sum += cut->coefficient[t] * q[cut->iq[t]];
    scale += fabs(cut->coefficient[t]) * (1 + c->m->size);
  }
  set(out, size, 0, sum, scale);
}

void jn_closure_residual(const closure *c, const double *q, int i, double *out, double *size) {
  const jn_cut *cut = &c->m->cut[i];
  const double L = c->m->size;
  if (cut_is_coupling(cut)) {
    coupling_residual(c, q, cut, out, size);
    return;
  }
  double R[2][9];
  v3 p[2] = {v3_zero(), v3_zero()};
  for (int s = 0; s < 2; s++) cut_frame_now(c, i, s, R[s], &p[s]);
  const v3 d = v3_sub(p[0], p[1]), local = m3_apply_t(R[1], d);
  const double world[3] = {d.x, d.y, d.z}, along[3] = {local.x, local.y, local.z};
  jn_mat3 A, B;
  memcpy(A.m, R[0], sizeof A.m);
  memcpy(B.m, R[1], sizeof B.m);
  jn_vec3 turn;
  switch (cut->type) {
    case JN_CONSTRAINT_WELD:
      turn = jn_m3_apply(B, jn_so3_log(jn_m3_mul(jn_m3_transpose(B), A)));
      set(out, size, 0, turn.x, 1), set(out, size, 1, turn.y, 1), set(out, size, 2, turn.z, 1);
      for (int r = 0; r < 3; r++) set(out, size, 3 + r, world[r], L);
      break;
    case JN_CONSTRAINT_REVOLUTE:
      turn = turn_between(jn_v3(B.m[0][2], B.m[1][2], B.m[2][2]),
                          jn_v3(A.m[0][2], A.m[1][2], A.m[2][2]));
      turn = jn_m3_apply_t(B, turn);
      set(out, size, 0, turn.x, 1), set(out, size, 1, turn.y, 1);
      for (int r = 0; r < 3; r++) set(out, size, 2 + r, along[r], L);
      break;
    case JN_CONSTRAINT_UNIVERSAL:
      for (int r = 0; r < 3; r++) set(out, size, r, world[r], L);
      set(out, size, 3,
          jn_v3_dot(vec_of(cut_at(c->w, i, CUT_U, 0)), vec_of(cut_at(c->w, i, CUT_U + 1, 0))), 1);
      break;
    case JN_CONSTRAINT_POINT:
      for (int r = 0; r < 3; r++) set(out, size, r, world[r], L);
      break;
    case JN_CONSTRAINT_POINT_ON_LINE:
      for (int r = 0; r < 2; r++) set(out, size, r, along[r], L);
      break;
    case JN_CONSTRAINT_POINT_ON_PLANE:
      set(out, size, 0, along[2], L);
      break;
    default: { /* distance: (|d| - length) (|d| + length)/2 */
      const double n = jn_v3_norm(vec_of(d));
      set(out, size, 0, 0.5 * (n - cut->length) * (n + cut->length), cut->length * L);
    }
  }
}

jn_status jn_closure_fail(jn_data *data, jn_status status, int row, int order, double residual,
                          double allowed) {
  const jn_model *m = data->model;
  int i = 0;
  while (i + 1 < m->ncut && m->cut[i + 1].row <= row) i++;
  data->fault = (jn_constraint_fault){i, row - m->cut[i].row, order, -1, residual, allowed};
  return status;
}

jn_status jn_closure_check(const closure *c, jn_data *data, const jn_constraints *constraints,
                           int velocity) {
  const jn_model *m = c->m;
  const double given = constraints ? constraints->tolerance : 0,
               tolerance = given > 0 ? given : CLOSURE_TOLERANCE;
  double out[6], size[6], *psi = row_scratch_of(c->w, 0);
  for (int i = 0; i < m->ncut && !isinf(tolerance); i++) {
    if (!cut_is_active(c, i)) continue;
    jn_closure_residual(c, c->w->q, i, out, size);
    for (int r = 0; r < m->cut[i].rows; r++)
      if (fabs(out[r]) > tolerance * size[r])
        return jn_closure_fail(data, JN_ERR_CLOSURE, m->cut[i].row + r, 0, out[r],
                               tolerance * size[r]);
  }
  if (!velocity) return JN_OK;
  rows_rate(c, 0, psi); /* also V_a - V_b of order 0, which higher orders use */
  if (isinf(tolerance)) return JN_OK;
  for (int i = 0; i < m->ncut; i++) {
    const jn_cut *cut = &m->cut[i];
    for (int r = cut->row; r < cut->row + cut->rows && cut_is_active(c, i); r++) {
      double scale = row_rest(c, i, r);
      for (int t = 0; t < cut->term_count; t++)
        scale += fabs(cut->coefficient[t] * c->w->v[cut->dof[t]]);
      for (int s = 0; s < 2 && !cut_is_coupling(cut); s++)
        if (cut->link[s] >= 0 || c->moving)
          scale += six_product_size(*row_wrench_of(c->w, r), cut_twist(c, i, s)[0]);
      if (fabs(psi[r]) > tolerance * scale)
        return jn_closure_fail(data, JN_ERR_CLOSURE, r, 1, psi[r], tolerance * scale);
    }
  }
  return JN_OK;
}
