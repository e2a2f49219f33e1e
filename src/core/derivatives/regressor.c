/* regressor.c: derivatives of the joint forces, and of the accelerations of forward dynamics, by the
 * inertial parameters of the bodies. */
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/partials.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Inertia about the base's position of a body at pose C with parameter p = 1, all others zero. c:
 * position of the frame, R h: its first moment rotated:
 *   h = R h + m c
 *   J = R J R^T + 2 (c.Rh) 1 - c Rh^T - Rh c^T + m (c.c 1 - c c^T) */
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

/* W_k = sum_i M_i (a - G)_(k-i) + M'_i V_(k-i) for an inertia M_0 fixed to link i. Scratch:
 * frame. */
static void inertia_wrench(const variation *x, int i, inertia10 M0, six *W) {
  const six *V = Vs_of(x->w, i), *a = As_of(x->w, i);
  inertia10 *M = (inertia10 *)(void *)x->w->frame, *Md = M + x->rows;
  M[0] = M0;
  inertia10_jets(x->K, V, M, Md);
  for (int k = 0; k <= x->K; k++) {
    W[k] = six_zero();
    for (int h = 0; h <= k; h++)
      W[k] = six_add(W[k],
                     six_add(inertia10_apply(&M[h], a[k - h]), inertia10_apply(&Md[h], V[k - h])));
  }
}

/* Y of all bodies; `write` = 0 only checks that all entries are finite. */
static int fill_regressor(const variation *x, double *Y, int write) {
  const jn_model *m = x->m;
  size_t nv = (size_t)m->nv, width = 10 * (size_t)m->nbody;
  six *W = jet_of(x->w, 0);
  double finite = 0;
  for (int b = 0; b < m->nbody; b++)
    for (int p = 0; p < 10; p++) {
      inertia_wrench(x, m->body_link[b],
                     unit_inertia(pose_now(x->data, m->body_link[b], m->body_pose[b]), p), W);
      for (int i = m->body_link[b]; i >= 0; i = m->link[i].parent)
        for (int j = m->link[i].iv; j < m->link[i].iv + m->link[i].nv; j++) {
          double f = 1;
          for (int k = 0; k <= x->K; k++) {
            if (k > 1) f *= k;
            double s = f * spatial_project(k, 0, S_of(x->w, j), W);
            finite += 0.0 * s;
            if (write) Y[((size_t)k * nv + (size_t)j) * width + (size_t)(10 * b + p)] = s;
          }
        }
    }
  return finite == 0.0;
}

/* Whether no entry can overflow: inertias grow by a factor of at most 8 |V| per order. */
static int regressor_is_safe(const variation *x) {
  size_t n = 6 * ((size_t)x->K + 1);
  double b = 1;
  for (int i = 0; i < x->m->nlink; i++) {
    b += jn_magnitude(&Vs_of(x->w, i)->w.x, n) + jn_magnitude(&As_of(x->w, i)->w.x, n);
    b += jn_magnitude(O_of(x->w, i), 3);
  }
  for (int i = 0; i < x->m->nbody; i++) b += jn_v3_norm(x->m->body_pose[i].p);
  for (int j = 0; j < x->m->nv; j++) b += jn_magnitude(&S_of(x->w, j)->w.x, n);
  double bound = 1e4 * jn_jet_derivative(x->K + 2, 1);
  for (int k = 0; k < x->K + 6; k++) bound *= 8 * b;
  return bound < JN_BOUND_1;
}

jn_status jn_open_regressor(const jn_model *model, jn_data *data, int order, const double *q,
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

jn_status jn_regressor(const jn_model *model, jn_data *data, int order, const double *q,
                       const double *v, double *Y) {
  return is_coupled(model, data) ? jn_coupled_regressor(model, data, order, q, v, Y)
                                 : jn_open_regressor(model, data, order, q, v, Y);
}

/* At given forces, 0 = Y dpi + d tau: the variation of v', v'', ... for d tau = -Y dpi. */
jn_status jn_inertia_partials(const jn_model *model, jn_data *data, int order, const double *q,
                              const double *v, const double *tau, const jn_external *external,
                              double *out) {
  variation x;
  if (is_coupled(model, data))
    return jn_coupled_inertia_partials(model, data, order, q, v, tau, external, out);
  if (model && model->nv && !out) return JN_ERR_ARGUMENT;
  jn_status status = jn_variation_forward(model, data, order, q, v, tau, external, &x);
  if (status) return status;
  const int safe = regressor_is_safe(&x);
  const size_t nv = (size_t)model->nv, columns = 10 * (size_t)model->nbody, n = (size_t)order + 1;
  if (!safe && !fill_regressor(&x, out, 0)) return JN_ERR_NOT_FINITE;
  jn_variation_columns(&x);
  jn_variation_carry(&x);
  if (!(jn_variation_bound(&x) < JN_BOUND_1 / JN_BOUND_3) || !jn_factors_are_bounded(model, data))
    return JN_ERR_NOT_FINITE;
  if (nv) memset(out, 0, sizeof(double) * n * nv * columns);
  fill_regressor(&x, out, 1);
  const jn_directions d = jn_variation_directions(&x);
  const size_t width = (size_t)d.width;
  for (size_t c = 0; c < columns && nv; c += width) {
    const size_t used = columns - c < width ? columns - c : width;
    memset(d.phi, 0, sizeof(double) * nv * width);
    memset(d.step, 0, sizeof(double) * nv * width);
    memset(d.row, 0, sizeof(double) * nv * width * n);
    double f = 1;
    for (size_t k = 0; k < n; k++, f *= (double)k)
      for (size_t i = 0; i < nv; i++)
        for (size_t s = 0; s < used; s++)
          d.row[(k * nv + i) * width + s] = out[(k * nv + i) * columns + c + s] / f;
    data->engine->course_forward(&x, 0, 1);
    f = 1;
    for (size_t k = 0; k < n; k++) {
      f *= (double)(k + 1);
      for (size_t i = 0; i < nv; i++)
        for (size_t s = 0; s < used; s++)
          out[(k * nv + i) * columns + c + s] = f * d.step[((k + 1) * nv + i) * width + s];
    }
  }
  return jn_all_finite(out, n * nv * columns) ? JN_OK : JN_ERR_NOT_FINITE;
}
