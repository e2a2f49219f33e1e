/* geometry_partials.c: derivatives of the joint forces by the placement of the joints. */
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Placement of joint b: the frame of body b with the joint at zero, in world axes relative to the
 * base's position. first: the first link of the joint. */
static jn_pose placement(const variation *x, int b, int first) {
  const jn_model *m = x->m;
  int parent = m->link[first].parent;
  jn_pose C = {jn_m3_identity(), {-x->data->base.x, -x->data->base.y, -x->data->base.z}};
  if (parent >= 0) C = link_pose_now(x->data, parent);
  for (int i = first; i <= m->body_link[b]; i++) {
    jn_pose T;
    for (int j = 0; j < 9; j++) T.R.m[j / 3][j % 3] = m->link[i].R[j];
    T.p = jn_v3(m->link[i].p[0], m->link[i].p[1], m->link[i].p[2]);
    C = jn_pose_mul(C, T);
  }
  return jn_pose_mul(C, m->body_pose[b]);
}

int jn_geometry_column(const variation *x, int b, int d, column_jet *c) {
  int first = x->m->body_link[b];
  while (!is_first_link(x->m, first)) first--;
  const jn_pose A = placement(x, b, first);
  double e[6] = {0};
  e[d] = 1;
  v3 p = v3_make(A.p.x, A.p.y, A.p.z), w = m3_apply(&A.R.m[0][0], load_v3(e));
  c->P = (six){w, v3_add(m3_apply(&A.R.m[0][0], load_v3(e + 3)), v3_cross(p, w))};
  jn_variation_column(x, first, c);
  return first;
}

/* One column of the result, derivatives k = 0..K: rows of the subtree and ancestors of `first`. */
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
            s += six_dot(S_of(x->w, j)[h], d->A);
            continue;
          }
          s += six_dot(part_of(x, j, h, JN_M), d->X) + six_dot(part_of(x, j, h, JN_T), d->P1);
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
    for (int d = 0; d < 6; d++) {
      const int first = jn_geometry_column(x, b, d, c);
      finite += geometry_column(x, first, c, write ? out + 6 * (size_t)b + (size_t)d : NULL, width,
                                write);
    }
  }
  return finite == 0.0;
}

jn_status jn_open_geometry_partials(const jn_model *model, jn_data *data, int order,
                                    const double *q, const double *v, const jn_external *external,
                                    double *out) {
  variation x;
  jn_status status = jn_variation_all(model, data, order, q, v, external, &x);
  if (status) return status;
  if (model->nv && !out) return JN_ERR_ARGUMENT;
  /* far below the range of double nothing can overflow */
  double reach = jn_magnitude(x.w->O, 3 * (size_t)model->nlink) + fabs(data->base.x) +
                 fabs(data->base.y) + fabs(data->base.z);
  int safe = jn_variation_bound(&x) < JN_BOUND_3 && reach < JN_BOUND;
  if (!safe && !fill_geometry(&x, out, 0)) return JN_ERR_NOT_FINITE;
  size_t n = ((size_t)order + 1) * (size_t)model->nv * 6 * (size_t)model->nbody;
  if (n) memset(out, 0, sizeof(double) * n);
  fill_geometry(&x, out, 1);
  return JN_OK;
}

jn_status jn_geometry_partials(const jn_model *model, jn_data *data, int order, const double *q,
                               const double *v, const jn_external *external, double *out) {
  return is_coupled(model, data)
             ? jn_coupled_geometry_partials(model, data, order, q, v, external, out)
             : jn_open_geometry_partials(model, data, order, q, v, external, out);
}
