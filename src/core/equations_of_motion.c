/* closed.c: the closed form M v' + C v + g + tau_ext = tau along a motion, momentum and energy, as
 * jets. Spatial formulation about the base's position: composites are plain sums there. Mc_i  = sum
 * over the subtree of i of M_b,        Bc_i = sum of ad(V_b)^T M_b M_ai  = S_a^T Mc_i S_i a: an
 * ancestor of i, or i C_ai  = S_a^T (Mc_i S_i' - Bc_i S_i),            C_ia = S_i^T (Mc_i S_a' -
 * Bc_i S_a)     (Lemma 1) g_i   = -S_i^T Mc_i G,                           tau_ext,i = -S_i^T (sum
 * of applied wrenches) */
#include <jounce/dynamics.h>
#include <jounce/jet.h>
#include <string.h>

#include "scalar/double.h"

#include "core/core.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/spatial.h"
#include "core/spatial/composite.h"

static int is_static(const jn_model *m, int link) {
  return link == 0 && m->link[0].kind == JN_K_FIXED;
}

/* State in, poses, screws to order K+1, twists to order K, inertias to order K. */
static jn_status start(const jn_model *m, jn_data *data, int K, const double *q, const double *v) {
  jn_status status = jn_load_state(m, data, K + 1, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows;
  data->kinematics = -2;
  boundary_motion_in(m, w, rows, data->settings.representation, 0, K);
  place_joints(m, w, rows);
  place_links(m, w, rows);
  v3 base = place_world(m, w, rows);
  data->base = (jn_vec3){base.x, base.y, base.z};
  spatial_kinematics(m, w, rows, K);
  spatial_inertias(m, w, rows, K);
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    spatial_screw_step(l, w, rows, K + 1, (const six *)w->Vs + (size_t)i * rows);
    if (l->kind != JN_K_FREE) continue;
    joint_step(l, K + 1, w->q + l->iq, w->v + l->iv, m->nv, w->X + (size_t)l->ix * rows);
    represent_screws(m, data, i, K + 1);
  }
  return JN_OK;
}

/* Bc: 36 numbers, column-major: column c = sum_i ad(V_i)^T (column c of M_(k-i)); then sums to the
 * base. */
static void coriolis_composites(const jn_model *m, const jn_work *w, int rows, int K) {
  for (int i = 0; i < m->nlink; i++) {
    const six *V = (const six *)w->Vs + (size_t)i * rows;
    const inertia10 *M = (const inertia10 *)w->Ms + (size_t)i * rows;
    six *B = (six *)w->Bs + 6 * (size_t)i * rows;
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
  for (int i = m->nlink - 1; i > 0; i--) {
    double *B = w->Bs + 36 * (size_t)i * rows, *P = w->Bs + 36 * (size_t)m->link[i].parent * rows;
    for (size_t n = 0; n < 36 * ((size_t)K + 1); n++) P[n] += B[n];
  }
}

/* For one column S of link i: F = Mc S, Z = Mc S' - Bc S, Y = Bc^T S; orders 0..K. */
typedef struct carried {
  six *F, *Z, *Y;
} carried;

static carried carry(const jn_work *w, int rows, int i, const six *S, int K, int coriolis) {
  const inertia10 *M = (const inertia10 *)w->Ms + (size_t)i * rows;
  const six *B = (const six *)w->Bs + 6 * (size_t)i * rows;
  carried x = {(six *)w->row, (six *)w->row + rows, (six *)w->row + 2 * rows};
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

/* One pass over all pairs (ancestor or self a, link i): derivatives. `write` = 0 only checks that
 * all is finite. */
static int fill_matrices(const jn_model *m, const jn_work *w, int rows, int K, double *M, double *C,
                         int write) {
  size_t nv = (size_t)m->nv;
  double finite = 0;
  for (int i = 0; i < m->nlink; i++)
    for (int c = 0; c < m->link[i].nv; c++) {
      size_t col = (size_t)(m->link[i].iv + c);
      carried x = carry(w, rows, i, screw_of(w, rows, (int)col), K, C != NULL);
      for (int a = i; a >= 0; a = m->link[a].parent)
        for (int d = 0; d < m->link[a].nv; d++) {
          size_t row = (size_t)(m->link[a].iv + d);
          const six *S = screw_of(w, rows, (int)row);
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

/* h = C v + g without forming C: for every link Mc, Bc are not needed, the recursion of order k is
 * enough; here C is applied through the bias wrench: W = Mv' part left out. */
static void bias_vector(const jn_model *m, const jn_work *w, int rows, int K, double *out) {
  size_t nv = (size_t)m->nv;
  /* twist bias a_i = a_parent + S' v, wrench M a + M' V, summed to the base (Ws), then projected */
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    six *a = (six *)w->U + (size_t)i * rows, *W = (six *)w->Ws + (size_t)i * rows;
    const inertia10 *M = (const inertia10 *)w->Ms + (size_t)i * rows;
    const six *V = (const six *)w->Vs + (size_t)i * rows;
    for (int k = 0; k <= K; k++) {
      six s =
          l->parent >= 0 ? ((const six *)w->U)[(size_t)l->parent * rows + (size_t)k] : six_zero();
      for (int c = 0; c < l->nv; c++) {
        const six *S = screw_of(w, rows, l->iv + c);
        for (int j = 0; j <= k; j++)
          s = six_add(
              s, six_scale((j + 1) * w->io[(size_t)(k - j) * nv + (size_t)(l->iv + c)], S[j + 1]));
      }
      a[k] = s;
      W[k] = six_zero();
      for (int j = 0; j <= k; j++) W[k] = six_add(W[k], inertia10_apply(&M[j], a[k - j]));
      /* M' V = M ad.. : rate of the ten numbers, order by order: -(ad_V^T M V) as jets */
      for (int j = 0; j <= k; j++)
        W[k] = six_sub(W[k], six_ad_t(V[j], spatial_momentum(k - j, 0, M, V)));
    }
  }
  add_to_parents(m, w->Ws, 6 * (size_t)rows, 6 * ((size_t)K + 1));
  for (int i = 0; i < m->nlink; i++)
    for (int c = 0; c < m->link[i].nv; c++)
      for (int k = 0; k <= K; k++)
        out[(size_t)k * nv + (size_t)(m->link[i].iv + c)] = spatial_project(
            k, 0, screw_of(w, rows, m->link[i].iv + c), (const six *)w->Ws + (size_t)i * rows);
}

/* -S^T Mc G and -S^T (applied wrenches), each [(K+1) x nv] */
static void gravity_vector(const jn_model *m, const jn_work *w, int rows, int K, v3 g,
                           double *out) {
  six G = {v3_zero(), g};
  for (int i = 0; i < m->nlink; i++) {
    const inertia10 *M = (const inertia10 *)w->Ms + (size_t)i * rows;
    for (int c = 0; c < m->link[i].nv; c++) {
      const six *S = screw_of(w, rows, m->link[i].iv + c);
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
  jn_status status = jn_check_call(m, data, order, external);
  if (status) return status;
  status = start(m, data, order, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows;
  size_t nv = (size_t)m->nv, n = ((size_t)order + 1) * nv, square = ((size_t)order + 1) * nv * nv;
  v3 gravity =
      v3_make(data->settings.gravity.x, data->settings.gravity.y, data->settings.gravity.z);
  /* vectors are collected in v, tau, force before anything is written */
  double *gv = w->tau, *hv = w->force, *ev = w->v;
  bias_vector(m, w, rows, order, hv);
  if (C) coriolis_composites(m, w, rows, order);
  add_to_parents(m, w->Ms, 10 * (size_t)rows, 10 * ((size_t)order + 1));
  gravity_vector(m, w, rows, order, gravity, gv);
  for (size_t i = 0; i < n; i++) hv[i] += gv[i];
  memset(ev, 0, sizeof(double) * n);
  if (external && external->wrench_count > 0 && tau_ext) {
    for (int k = 0; k <= order; k++) jn_external_spatial(m, data, external, k);
    add_to_parents(m, w->ext, 6 * (size_t)rows, 6 * ((size_t)order + 1));
    for (int i = 0; i < m->nlink; i++)
      for (int c = 0; c < m->link[i].nv; c++)
        for (int k = 0; k <= order; k++)
          ev[(size_t)k * nv + (size_t)(m->link[i].iv + c)] = -spatial_project(
              k, 0, screw_of(w, rows, m->link[i].iv + c), (const six *)w->ext + (size_t)i * rows);
  }
  jn_jet_to_derivatives(order, m->nv, gv);
  jn_jet_to_derivatives(order, m->nv, hv);
  jn_jet_to_derivatives(order, m->nv, ev);
  if (external && external->tau)
    for (size_t i = 0; i < n; i++) ev[i] -= external->tau[i];
  if ((M || C) && !fill_matrices(m, w, rows, order, M, C, 0)) return JN_ERR_NOT_FINITE;
  if (!jn_all_finite(gv, n) || !jn_all_finite(hv, n) || !jn_all_finite(ev, n))
    return JN_ERR_NOT_FINITE;
  if (M) memset(M, 0, sizeof(double) * square);
  if (C) memset(C, 0, sizeof(double) * square);
  if (M || C) fill_matrices(m, w, rows, order, M, C, 1);
  put_vector(m, order, gv, g);
  put_vector(m, order, hv, h);
  put_vector(m, order, ev, tau_ext);
  return JN_OK;
}

/* M (upper half) of free joints for the velocity as the user holds it: v_body = A v_user, so that
 * rows and columns become A^T M and M A. */
static void represent_mass(const jn_model *m, const jn_work *w, int rows, int rep, double *M) {
  const size_t nv = (size_t)m->nv;
  for (int f = 0; rep != JN_BODY && f < m->nfree; f++) {
    const jn_link *l = &m->link[m->free_link[f]];
    const size_t iv = (size_t)l->iv;
    double A[6][6], t[6];
    for (int c = 0; c < 6; c++) {
      double unit[6] = {0};
      unit[c] = 1;
      twist_to_body(rep, 0, free_pose(l, w, rows), free_position(l, w), unit, 6, A[c], 6);
    }
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < i; j++) M[(iv + i) * nv + iv + j] = M[(iv + j) * nv + iv + i];
    for (size_t r = 0; r < iv + 6; r++) {
      double *row = M + r * nv + iv;
      memcpy(t, row, sizeof t);
      for (int c = 0; c < 6; c++) {
        row[c] = 0;
        for (int k = 0; k < 6; k++) row[c] += t[k] * A[c][k];
      }
    }
    for (size_t c = iv; c < nv; c++) {
      double *column = M + iv * nv + c;
      for (size_t k = 0; k < 6; k++) t[k] = column[k * nv];
      for (size_t r = 0; r < 6; r++) {
        column[r * nv] = 0;
        for (int k = 0; k < 6; k++) column[r * nv] += A[r][k] * t[k];
      }
    }
  }
}

/* No number of a configuration so large that the mass matrix could overflow. */
static int moderate_state(const jn_model *m, const double *q) {
  int small = m->moderate;
  for (int i = 0; i < m->nq; i++) small &= fabs(q[i]) < JN_MODERATE;
  return small;
}

/* The lower half of M[n x n] from the upper one, two rows at a time. */
static void mirror(size_t n, double *M) {
  for (size_t i = 1; i < n; i += 2) {
    const double *from = M + i;
    double *row = M + i * n, *next = row + n;
    if (i + 1 < n) {
      for (size_t j = 0; j < i; j++, from += n) row[j] = from[0], next[j] = from[1];
      next[i] = from[1];
    } else {
      for (size_t j = 0; j < i; j++, from += n) row[j] = from[0];
    }
  }
}

jn_status jn_mass_matrix(const jn_model *m, jn_data *data, const double *q, double *M) {
  jn_status status = jn_check_call(m, data, 0, NULL);
  if (status) return status;
  if (m->nv && !M) return JN_ERR_ARGUMENT;
  const jn_work *w = &data->w;
  const size_t nv = (size_t)m->nv;
  int rows = data->rows;
  status = jn_load_state(m, data, 0, q, NULL);
  if (status) return status;
  if (moderate_state(m, w->q)) {
    data->kinematics = -2;
    memset(w->io, 0, sizeof(double) * nv);
    boundary_motion_in(m, w, rows, JN_BODY, 0, 0);
    for (size_t i = 0; i < nv * nv; i++) M[i] = 0;
    data->engine->mass(m, w, rows, M);
    represent_mass(m, w, rows, (int)data->settings.representation, M);
    mirror(nv, M);
    return JN_OK;
  }
  status = start_at_rest(m, data, q);
  if (status) return status;
  add_to_parents(m, w->Ms, 10 * (size_t)rows, 10);
  if (!fill_matrices(m, w, rows, 0, M, NULL, 0)) return JN_ERR_NOT_FINITE;
  memset(M, 0, sizeof(double) * nv * nv);
  fill_matrices(m, w, rows, 0, M, NULL, 1);
  return JN_OK;
}

/* Sums over the moving links: momentum and first moment (about the base's position), twice the
 * energy. */
static void totals(const jn_model *m, const jn_work *w, int rows, int K, six *P, v3 *first,
                   double *energy) {
  for (int k = 0; k <= K; k++) {
    P[k] = six_zero();
    first[k] = v3_zero();
    energy[k] = 0;
  }
  for (int i = 0; i < m->nlink; i++) {
    if (is_static(m, i)) continue;
    const jn_link *l = &m->link[i];
    const six *V = (const six *)w->Vs + (size_t)i * rows;
    const inertia10 *M = (const inertia10 *)w->Ms + (size_t)i * rows;
    six *p = (six *)w->Ws + (size_t)i * rows;
    for (int k = 0; k <= K; k++) {
      p[k] = spatial_momentum(k, 0, M, V);
      P[k] = six_add(P[k], p[k]);
      first[k] = v3_add(first[k], M[k].h);
      for (int j = 0; j <= k; j++) energy[k] += six_dot(V[j], p[k - j]);
      for (int c = 0; c < l->nv && l->armature > 0; c++)
        for (int j = 0; j <= k; j++)
          energy[k] += l->armature * w->v[(size_t)j * (size_t)m->nv + (size_t)(l->iv + c)] *
                       w->v[(size_t)(k - j) * (size_t)m->nv + (size_t)(l->iv + c)];
    }
  }
}

/* moment about the moving centre of mass: n - c x f, order k */
static v3 about_com(int k, const v3 *com, const six *P) {
  v3 n = P[k].w;
  for (int j = 0; j <= k; j++) n = v3_sub(n, v3_cross(com[j], P[k - j].v));
  return n;
}

/* The centroidal momentum matrix, [(K+1) x 6 x nv] derivatives: Mc S about the centre of mass. */
static void momentum_matrix(const jn_model *m, const jn_work *w, int rows, int K, const v3 *com,
                            six *F, double *out) {
  size_t nv = (size_t)m->nv;
  add_to_parents(m, w->Ms, 10 * (size_t)rows, 10 * ((size_t)K + 1));
  for (int i = 0; i < m->nlink; i++)
    for (int c = 0; c < m->link[i].nv; c++) {
      const inertia10 *M = (const inertia10 *)w->Ms + (size_t)i * rows;
      const six *S = screw_of(w, rows, m->link[i].iv + c);
      for (int k = 0; k <= K; k++) {
        F[k] = spatial_momentum(k, 0, M, S);
        v3 n = about_com(k, com, F), f = F[k].v;
        const double x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
        for (size_t r = 0; r < 6; r++)
          out[((size_t)k * 6 + r) * nv + (size_t)(m->link[i].iv + c)] = x[r];
      }
    }
  jn_jet_to_derivatives(K, 6 * m->nv, out);
}

static void put(double *out, const double *x, size_t n) {
  if (out && n) memcpy(out, x, sizeof(double) * n);
}

jn_status jn_momentum_energy(const jn_model *m, jn_data *data, int order, const double *q,
                             const double *v, const jn_momentum *out) {
  jn_status status = jn_check_call(m, data, order, NULL);
  if (status) return status;
  if (!out) return JN_ERR_ARGUMENT;
  if (!(m->moving_mass > 0)) {
    data->singular = 0;
    return JN_ERR_SINGULAR;
  }
  status = start(m, data, order, q, v);
  if (status) return status;
  const jn_work *w = &data->w;
  int rows = data->rows;
  size_t n = (size_t)order + 1, nm = out->matrix ? 6 * n * (size_t)m->nv : 0;
  six *P = (six *)w->F, *F = (six *)w->U; /* F, U, H and Bs are scratch here */
  v3 *first = (v3 *)w->H;
  double *com = w->Bs, *momentum = com + 3 * n, *centroidal = momentum + 6 * n,
         *kinetic = centroidal + 6 * n, *potential = kinetic + n, mass = m->moving_mass;
  v3 g = v3_make(data->settings.gravity.x, data->settings.gravity.y, data->settings.gravity.z);
  v3 base = v3_make(data->base.x, data->base.y, data->base.z);
  totals(m, w, rows, order, P, first, kinetic);
  for (int k = 0; k <= order; k++) first[k] = v3_times(1 / mass, first[k]);
  for (int k = 0; k <= order; k++) {
    v3 c = k ? first[k] : v3_add(base, first[0]);
    store_v3(com + 3 * k, c);
    store_v3(momentum + 6 * k, v3_add_cross_exact(P[k].w, base, P[k].v));
    store_v3(momentum + 6 * k + 3, P[k].v);
    store_v3(centroidal + 6 * k, about_com(k, first, P));
    store_v3(centroidal + 6 * k + 3, P[k].v);
    kinetic[k] *= 0.5;
    potential[k] = -mass * v3_dot(g, c);
  }
  jn_jet_to_derivatives(order, 3, com);
  jn_jet_to_derivatives(order, 6, momentum);
  jn_jet_to_derivatives(order, 6, centroidal);
  jn_jet_to_derivatives(order, 1, kinetic);
  jn_jet_to_derivatives(order, 1, potential);
  if (nm) momentum_matrix(m, w, rows, order, first, F, w->Jf);
  const int finite = jn_all_finite(w->Bs, 17 * n) & jn_all_finite(w->Jf, nm);
  if (!finite) return JN_ERR_NOT_FINITE;
  put(out->com, com, 3 * n);
  put(out->momentum, momentum, 6 * n);
  put(out->centroidal, centroidal, 6 * n);
  put(out->kinetic, kinetic, n);
  put(out->potential, potential, n);
  put(out->matrix, w->Jf, nm);
  return JN_OK;
}
