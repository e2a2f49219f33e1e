/* equations_of_motion.c: the closed form M v' + C v + g + tau_ext = tau along a motion, as jets.
 *
 * Spatial formulation about the base's position, where composites are plain sums. a: an ancestor of
 * i, or i itself.
 *   Mc_i      = sum of M_b over the subtree of i
 *   Bc_i      = sum of ad(V_b)^T M_b over the subtree of i
 *   M_ai      = S_a^T Mc_i S_i
 *   C_ai      = S_a^T (Mc_i S_i' - Bc_i S_i)                        (Lemma 1 of ali2026)
 *   C_ia      = S_i^T (Mc_i S_a' - Bc_i S_a)
 *   g_i       = -S_i^T Mc_i G
 *   tau_ext,i = -S_i^T (sum of applied wrenches over the subtree) */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Bc: 36 numbers, column-major, then summed over subtrees:
 *   column c = sum_i ad(V_i)^T (column c of M_(k-i)) */
static void coriolis_composites(const jn_model *m, const jn_work *w, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const six *V = Vs_of(w, i);
    const inertia10 *M = Ms_of(w, i);
    six *B = Bs_of(w, i);
    for (int k = 0; k <= K; k++)
      for (int c = 0; c < 6; c++) {
        double e[6] = {0};
        e[c] = 1;
        six unit = {load_v3(e), load_v3(e + 3)}, s = six_zero();
        for (int j = 0; j <= k; j++)
          s = six_add(s, six_ad_t(V[j], inertia10_apply(&M[k - j], unit)));
        B[6 * k + c] = s;
      }
  }
  add_to_parents(m, w->Bs, 36 * (size_t)w->rows, 36 * ((size_t)K + 1));
}

/* For one column S of link i: F = Mc S, Z = Mc S' - Bc S, Y = Bc^T S; orders 0..K. */
typedef struct column_products {
  six *F, *Z, *Y;
} column_products;

static column_products multiply_column(const jn_work *w, int i, const six *S, int K, int coriolis) {
  const inertia10 *M = Ms_of(w, i);
  const six *B = Bs_of(w, i);
  const column_products x = {jet_of(w, 0), jet_of(w, 1), jet_of(w, 2)};
  for (int k = 0; k <= K; k++) {
    six F = six_zero(), Z = six_zero(), Y = six_zero();
    for (int j = 0; j <= k; j++) {
      F = six_add(F, inertia10_apply(&M[j], S[k - j]));
      if (!coriolis) continue;
      Z = six_add(Z, six_times(k - j + 1, inertia10_apply(&M[j], S[k - j + 1])));
      Z = six_sub(Z, matrix_apply(B + 6 * j, S[k - j]));
      Y = six_add(Y, matrix_apply_t(B + 6 * j, S[k - j]));
    }
    x.F[k] = F;
    x.Z[k] = Z;
    x.Y[k] = Y;
  }
  return x;
}

int jn_composite_matrices(const jn_model *m, const jn_work *w, int K, double *M, double *C,
                          int write) {
  size_t nv = (size_t)m->nv;
  double finite = 0;
  for (int i = 0; i < m->nlink; i++)
    for (int c = 0; c < m->link[i].nv; c++) {
      size_t col = (size_t)(m->link[i].iv + c);
      const column_products x = multiply_column(w, i, S_of(w, (int)col), K, C != NULL);
      for (int a = i; a >= 0; a = m->link[a].parent)
        for (int d = 0; d < m->link[a].nv; d++) {
          size_t row = (size_t)(m->link[a].iv + d);
          const six *S = S_of(w, (int)row);
          for (int k = 0; k <= K; k++) {
            size_t at = (size_t)k * nv * nv;
            double s = jn_jet_derivative(k, spatial_project(k, 0, S, x.F));
            if (k == 0 && row == col) s += m->link[i].armature;
            finite += 0.0 * s;
            if (M && write) M[at + row * nv + col] = M[at + col * nv + row] = s;
            if (!C) continue;
            s = jn_jet_derivative(k, spatial_project(k, 0, S, x.Z));
            double t = -spatial_project(k, 0, S, x.Y);
            for (int j = 0; j <= k; j++) t += (j + 1) * six_dot(S[j + 1], x.F[k - j]);
            t = jn_jet_derivative(k, t);
            finite += 0.0 * s + 0.0 * t;
            if (!write) continue;
            C[at + row * nv + col] = s;
            if (a != i) C[at + col * nv + row] = t;
          }
        }
    }
  return finite == 0.0;
}

/* S^T W, [(K+1) x nv], with a jet of composite wrenches for each link */
static void project_wrenches(const jn_model *m, const jn_work *w, int K, const six *W,
                             double *out) {
  for (int i = 0; i < m->nlink; i++, W += w->rows)
    for (int c = m->link[i].iv; c < m->link[i].iv + m->link[i].nv; c++)
      for (int k = 0; k <= K; k++)
        out[(size_t)k * (size_t)m->nv + (size_t)c] = spatial_project(k, 0, S_of(w, c), W);
}

/* C v as jets, without forming C: the inverse dynamics for v' = 0 without gravity.
 *   a_i = a_parent + S' v
 *   W   = M a - ad_V^T M V, summed over the subtree
 *   C v = S^T W */
static void bias_vector(const jn_model *m, const jn_work *w, int K, double *out) {
  size_t nv = (size_t)m->nv;
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *a = Ab_of(w, i), *W = Ws_of(w, i);
    const inertia10 *M = Ms_of(w, i);
    const six *V = Vs_of(w, i);
    for (int k = 0; k <= K; k++) {
      six s = l->parent >= 0 ? Ab_of(w, l->parent)[k] : six_zero();
      for (int c = 0; c < l->nv; c++) {
        const six *S = S_of(w, l->iv + c);
        for (int j = 0; j <= k; j++)
          s = six_add(
              s, six_scale((j + 1) * w->io[(size_t)(k - j) * nv + (size_t)(l->iv + c)], S[j + 1]));
      }
      a[k] = s;
      W[k] = six_zero();
      for (int j = 0; j <= k; j++) W[k] = six_add(W[k], inertia10_apply(&M[j], a[k - j]));
      /* - ad_V^T M V */
      for (int j = 0; j <= k; j++)
        W[k] = six_sub(W[k], six_ad_t(V[j], spatial_momentum(k - j, 0, M, V)));
    }
  }
  add_to_parents(m, w->Ws, 6 * (size_t)w->rows, 6 * ((size_t)K + 1));
  project_wrenches(m, w, K, Ws_of(w, 0), out);
}

/* g = -S^T Mc G, [(K+1) x nv] */
static void gravity_vector(const jn_model *m, const jn_work *w, int K, v3 g, double *out) {
  six G = {v3_zero(), g};
  for (int i = 0; i < m->nlink; i++) {
    const inertia10 *M = Ms_of(w, i);
    for (int c = 0; c < m->link[i].nv; c++) {
      const six *S = S_of(w, m->link[i].iv + c);
      for (int k = 0; k <= K; k++) {
        double s = 0;
        for (int j = 0; j <= k; j++) s -= six_dot(S[j], inertia10_apply(&M[k - j], G));
        out[(size_t)k * (size_t)m->nv + (size_t)(m->link[i].iv + c)] = s;
      }
    }
  }
}

static void put_vector(const jn_model *m, int K, const double *x, double *out) {
  if (out && m->nv) memcpy(out, x, sizeof(double) * ((size_t)K + 1) * (size_t)m->nv);
}

jn_status jn_equations_of_motion(const jn_model *m, jn_data *data, int order, const double *q,
                                 const double *v, const jn_external *external, double *M, double *C,
                                 double *g, double *h, double *tau_ext) {
  if (is_coupled(m, data))
    return jn_coupled_equations_of_motion(m, data, order, q, v, external, M, C, g, h, tau_ext);
  jn_status status = jn_check_call(m, data, order, external);
  if (status) return status;
  status = start_in_motion(m, data, order, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv, square = ((size_t)order + 1) * nv * nv;
  const v3 gravity = settings_gravity(&data->settings);
  /* everything is computed before anything is written */
  double *gv = out_of(w, 0), *hv = out_of(w, 1), *ev = out_of(w, 2);
  bias_vector(m, w, order, hv);
  if (C) coriolis_composites(m, w, order);
  add_to_parents(m, w->Ms, 10 * (size_t)w->rows, 10 * ((size_t)order + 1));
  gravity_vector(m, w, order, gravity, gv);
  for (size_t i = 0; i < n; i++) hv[i] += gv[i];
  memset(ev, 0, sizeof(double) * n);
  if (external && external->wrench_count > 0 && tau_ext) {
    for (int k = 0; k <= order; k++) jn_external_spatial(m, data, external, k);
    add_to_parents(m, w->ext, 6 * (size_t)w->rows, 6 * ((size_t)order + 1));
    project_wrenches(m, w, order, ext_of(w, 0), ev);
    for (size_t i = 0; i < n; i++) ev[i] = -ev[i];
  }
  jn_jet_to_derivatives(order, m->nv, gv);
  jn_jet_to_derivatives(order, m->nv, hv);
  jn_jet_to_derivatives(order, m->nv, ev);
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) ev[i] -= external->tau[i];
  if ((M || C) && !jn_composite_matrices(m, w, order, M, C, 0)) return JN_ERR_NOT_FINITE;
  if (!jn_all_finite(gv, n) || !jn_all_finite(hv, n) || !jn_all_finite(ev, n))
    return JN_ERR_NOT_FINITE;
  if (M) memset(M, 0, sizeof(double) * square);
  if (C) memset(C, 0, sizeof(double) * square);
  if (M || C) jn_composite_matrices(m, w, order, M, C, 1);
  put_vector(m, order, gv, g);
  put_vector(m, order, hv, h);
  put_vector(m, order, ev, tau_ext);
  return JN_OK;
}
