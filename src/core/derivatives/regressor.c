/* regressor.c: derivatives by the parameters of a model: inertias (the regressor) and geometry. */
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/external.h"
#include "core/spatial/spatial.h"
#include "core/spatial/composite.h"
#include "core/derivatives/partials.h"

static double factorial_of(int k) {
  double f = 1;
  for (int i = 2; i <= k; i++) f *= i;
  return f;
}
static double magnitude(const double *x, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += fabs(x[i]);
  return s;
}

/* pose of body b's link frame in the world's axes, counted from the base's position */
static jn_pose body_pose(const variation *x, int b) {
  int link = x->m->body_link[b];
  const double *R = x->w->R + 9 * (size_t)link * (size_t)x->rows, *O = x->w->O + 3 * (size_t)link;
  jn_pose C;
  for (int j = 0; j < 9; j++) C.R.m[j / 3][j % 3] = R[j];
  C.p = jn_v3(O[0], O[1], O[2]);
  return jn_pose_mul(C, x->m->body_pose[b]);
}

/* Parameter p = 1 of a body at pose C, all others zero: ten numbers about the base's position.
 *   h = R h + m c,   J = R J R^T + 2 (c.Rh) 1 - c Rh^T - Rh c^T + m (c.c 1 - c c^T) */
static inertia10 unit_inertia(jn_pose C, int p) {
  double body[10] = {0}, J[6];
  body[p] = 1;
  v3 c = v3_make(C.p.x, C.p.y, C.p.z), h = m3_apply(&C.R.m[0][0], load_v3(body + 1));
  inertia10 M;
  M.m = body[0];
  M.h = v3_add(h, v3_times(body[0], c));
  sym3_rotate(&C.R.m[0][0], body + 4, J);
  v3 g = v3_add(h, v3_times(0.5 * body[0], c));
  M.J[0] = J[0] + 2 * (c.y * g.y + c.z * g.z);
  M.J[1] = J[1] - (c.x * g.y + c.y * g.x);
  M.J[2] = J[2] - (c.x * g.z + c.z * g.x);
  M.J[3] = J[3] + 2 * (c.x * g.x + c.z * g.z);
  M.J[4] = J[4] - (c.y * g.z + c.z * g.y);
  M.J[5] = J[5] + 2 * (c.x * g.x + c.y * g.y);
  return M;
}

/* W_k = sum M_i (a - G)_(k-i) + M'_i V_(k-i) of an inertia M_0 fixed to link i; room for M, M' in
 * w->row */
static void inertia_wrench(const variation *x, int i, inertia10 M0, six *W) {
  const six *V = (const six *)x->w->Vs + (size_t)i * x->rows,
            *a = (const six *)x->w->U + (size_t)i * x->rows;
  inertia10 *M = (inertia10 *)x->w->row, *Md = M + x->rows;
  M[0] = M0;
  for (int k = 0;; k++) {
    Md[k] = inertia10_rate(&M[k], V[0]);
    for (int h = 1; h <= k; h++) {
      inertia10 r = inertia10_rate(&M[k - h], V[h]);
      Md[k].h = v3_add(Md[k].h, r.h);
      for (int j = 0; j < 6; j++) Md[k].J[j] += r.J[j];
    }
    W[k] = six_zero();
    for (int h = 0; h <= k; h++)
      W[k] = six_add(W[k],
                     six_add(inertia10_apply(&M[h], a[k - h]), inertia10_apply(&Md[h], V[k - h])));
    if (k == x->K) break;
    double f = 1.0 / (k + 1);
    M[k + 1] = (inertia10){0, v3_times(f, Md[k].h), {0}};
    for (int j = 0; j < 6; j++) M[k + 1].J[j] = f * Md[k].J[j];
  }
}

/* Y of all bodies; `write` = 0 only looks whether all is finite. */
static int fill_regressor(const variation *x, double *Y, int write) {
  const jn_model *m = x->m;
  size_t nv = (size_t)m->nv, width = 10 * (size_t)m->nbody;
  six *W = (six *)x->w->row + 4 * x->rows; /* behind M and M' */
  double finite = 0;
  for (int b = 0; b < m->nbody; b++)
    for (int p = 0; p < 10; p++) {
      inertia_wrench(x, m->body_link[b], unit_inertia(body_pose(x, b), p), W);
      for (int i = m->body_link[b]; i >= 0; i = m->link[i].parent)
        for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++) {
          double f = 1;
          for (int k = 0; k <= x->K; k++) {
            if (k > 1) f *= k;
            double s = f * spatial_project(k, 0, screw_of(x->w, x->rows, j), W);
            finite += 0.0 * s;
            if (write) Y[((size_t)k * nv + (size_t)j) * width + (size_t)(10 * b + p)] = s;
          }
        }
    }
  return finite == 0.0;
}

/* Whether no entry can overflow: inertias grow by a factor of at most 8 |V| an order. */
static int regressor_is_safe(const variation *x) {
  size_t rows = (size_t)x->rows, n = 6 * ((size_t)x->K + 1);
  double b = 1;
  for (int i = 0; i < x->m->nlink; i++) {
    b += magnitude(x->w->Vs + 6 * (size_t)i * rows, n) +
         magnitude(x->w->U + 6 * (size_t)i * rows, n);
    b += magnitude(x->w->O + 3 * (size_t)i, 3);
  }
  for (int i = 0; i < x->m->nbody; i++) b += jn_v3_norm(x->m->body_pose[i].p);
  for (int j = 0; j < x->m->nv; j++) b += magnitude(x->w->S + 6 * (size_t)j * rows, n);
  double bound = 1e4 * factorial_of(x->K + 2);
  for (int k = 0; k < x->K + 6; k++) bound *= 8 * b;
  return bound < 1e300;
}

jn_status jn_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                       const double *v, double *Y) {
  variation x;
  jn_status status = jn_check_call(model, data, order, NULL);
  if (status) return status;
  if (model->nv && !Y) return JN_ERR_ARGUMENT;
  status = jn_variation_start(model, data, order, q, v, NULL, &x);
  if (status) return status;
  if (!regressor_is_safe(&x) && !fill_regressor(&x, Y, 0)) return JN_ERR_NOT_FINITE;
  size_t n = ((size_t)order + 1) * (size_t)model->nv * 10 * (size_t)model->nbody;
  if (n) memset(Y, 0, sizeof(double) * n);
  fill_regressor(&x, Y, 1);
  return JN_OK;
}

/* ---- geometry ---- */

/* Where joint b is placed: the frame of body b with the joint at zero, axes of the world, counted
 * from the base's position. first: the first link of the joint. */
static jn_pose placement(const variation *x, int b, int first) {
  const jn_model *m = x->m;
  int parent = m->link[first].parent;
  jn_pose C = {jn_m3_identity(), {-x->data->base.x, -x->data->base.y, -x->data->base.z}};
  if (parent >= 0) {
    const double *R = x->w->R + 9 * (size_t)parent * (size_t)x->rows,
                 *O = x->w->O + 3 * (size_t)parent;
    for (int j = 0; j < 9; j++) C.R.m[j / 3][j % 3] = R[j];
    C.p = jn_v3(O[0], O[1], O[2]);
  }
  for (int i = first; i <= m->body_link[b]; i++) {
    jn_pose T;
    for (int j = 0; j < 9; j++) T.R.m[j / 3][j % 3] = m->link[i].R[j];
    T.p = jn_v3(m->link[i].p[0], m->link[i].p[1], m->link[i].p[2]);
    C = jn_pose_mul(C, T);
  }
  return jn_pose_mul(C, m->body_pose[b]);
}

/* One column of the result, derivatives k = 0..K: rows beyond `first` and rows that carry it. */
static double geometry_column(const variation *x, int first, const column_jet *c, double *out,
                              size_t width, int write) {
  const jn_model *m = x->m;
  double finite = 0;
  int last = first;
  while (last + 1 < m->nlink && m->link[last + 1].parent >= first) last++;
  for (int i = last; i >= 0; i = i > first ? i - 1 : m->link[i].parent)
    for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++) {
      double f = 1, s;
      for (int k = 0; k <= x->K; k++) {
        if (k > 1) f *= k;
        s = 0;
        for (int h = 0; h <= k; h++) {
          const column_jet *d = &c[k - h];
          if (i < first) {
            s += six_dot(screw_of(x->w, x->rows, j)[h], d->A);
            continue;
          }
          s += six_dot(part_of(x, j, h, JN_U), d->X) + six_dot(part_of(x, j, h, JN_T), d->P1);
          if (x->moving) s += six_dot(part_of(x, j, h, JN_Z), d->P);
        }
        finite += 0.0 * (f * s);
        if (write) out[((size_t)k * (size_t)m->nv + (size_t)j) * width] = f * s;
      }
    }
  return finite;
}

static int fill_geometry(const variation *x, double *out, int write) {
  const jn_model *m = x->m;
  size_t width = 6 * (size_t)m->nbody;
  column_jet *c = (column_jet *)(void *)x->w->pc;
  double finite = 0;
  for (int b = 0; b < m->nbody; b++) {
    int first = m->body_link[b];
    while (!is_first_link(m, first)) first--;
    jn_pose A = placement(x, b, first);
    for (int d = 0; d < 6; d++) {
      double e[6] = {0};
      e[d] = 1;
      v3 p = v3_make(A.p.x, A.p.y, A.p.z), w = m3_apply(&A.R.m[0][0], load_v3(e));
      c->P = (six){w, v3_add(m3_apply(&A.R.m[0][0], load_v3(e + 3)), v3_cross(p, w))};
      jn_variation_column(x, first, c);
      finite += geometry_column(x, first, c, write ? out + 6 * (size_t)b + (size_t)d : NULL, width,
                                write);
    }
  }
  return finite == 0.0;
}

jn_status jn_geometry_partials(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v, const jn_external *external, double *out) {
  variation x;
  jn_status status = jn_variation_all(model, data, order, q, v, external, &x);
  if (status) return status;
  if (model->nv && !out) return JN_ERR_ARGUMENT;
  /* far below the range of double nothing can overflow */
  double reach = magnitude(x.w->O, 3 * (size_t)model->nlink) + fabs(data->base.x) +
                 fabs(data->base.y) + fabs(data->base.z);
  int safe = jn_variation_bound(&x) < 1e100 && reach < 1e50;
  if (!safe && !fill_geometry(&x, out, 0)) return JN_ERR_NOT_FINITE;
  size_t n = ((size_t)order + 1) * (size_t)model->nv * 6 * (size_t)model->nbody;
  if (n) memset(out, 0, sizeof(double) * n);
  fill_geometry(&x, out, 1);
  return JN_OK;
}
