/* second_derivatives.c: exact second derivatives of the dynamics of order 0.
 *
 * The matrices A = d tau / d q, B = d tau / d v and M are made of screws, twists, accelerations and
 * inertias (partials.h). Along a straight direction of states (q exp(s xi), v + s dv, v' + s da)
 * each of these is a jet in s. Order 1 follows from the displacement Y = sum of S xi:
 *   S_1 = ad_Y S,   M_1 = rate(M, Y),   V_1 = V_1,parent + S_1 v + S dv,   ...
 * (S of free joints in another representation than body: motion.h).
 * The products of jets give A_1, B_1, M_1, the derivatives along the direction. n directions give
 * all. */
#include <jounce/jet.h>
#include <string.h>

#include "core/coupled.h"
#include "core/derivatives/motion.h"
#include "core/engine.h"
#include "core/external.h"
#include "core/spatial/composite.h"

/* Whether all inputs are so small that second derivatives cannot overflow. */
static int is_bounded(const jn_model *m, const jn_data *data, const double *v,
                      const jn_external *external, const double *weight) {
  const size_t nv = (size_t)m->nv;
  int bounded = jn_is_bounded(m, data, v) && (!weight || jn_all_below(weight, nv, JN_BOUND)) &&
                jn_all_below(data->w.v, 2 * nv, JN_BOUND);
  for (int i = 0; external && i < external->wrench_count; i++)
    bounded &= jn_all_below(external->wrenches[i].wrench, 6, JN_BOUND);
  return bounded;
}

/* After jn_variation_start of order 0: jets along directions from here on. */
static void turn(variation *x) {
  x->K = 1;
  x->second = 1;
}

/* S_1 of a free joint in another representation than body, displaced by Y, its parent by Yp: the
 * displacements are in the places of velocities. */
static six displaced_screw(const variation *x, int i, six Yp, six Y, six S) {
  const v3 p = load_v3(O_of(x->w, i));
  six Yr = six_sub(Y, Yp);
  v3 r = v3_add(Yr.v, v3_cross(Yr.w, p)), position = p, turned;
  const free_motion f = {
      .rep = (int)x->data->settings.representation, .Vp = &Yp, .Vr = &Yr, .p = &position, .u = &r};
  return free_screw_rate(0, &f, &S, &turned);
}

/* order 1 of S' v of a free joint in another representation than body */
static six represented_bias(const variation *x, int i, const double *v, const double *dv) {
  const jn_link *l = &x->m->link[i];
  const free_motion f = free_motion_of(x, i, 1);
  column_jet *c = (column_jet *)(void *)x->w->pc;
  six sum = six_zero();
  for (int j = l->iv; j < l->iv + l->nv; j++) {
    v3 turned[2];
    c[0].S = S_of(x->w, j)[0], c[1].S = S_of(x->w, j)[1];
    const six rate = free_screw_rate(0, &f, &c->S, turned);
    sum = six_add(sum, six_scale(dv[j], rate));
    sum = six_add(sum, six_scale(v[j], free_screw_rate(1, &f, &c->S, turned)));
  }
  return sum;
}

/* Order 1 of the pose of a link displaced by Y. */
static void displaced_pose(const jn_work *w, int i, six Y) {
  m3 R = m3_zero();
  m3_add_hat_mul(Y.w, R_of(w, i), R.m);
  for (int j = 0; j < 9; j++) R_of(w, i)[9 + j] = R.m[j];
  store_v3(P_of(w, i) + 3, v3_add(Y.v, v3_cross(Y.w, load_v3(O_of(w, i)))));
}

/* Order 1 of one link along the direction; Yp, Y: displacements of its parent and of itself. */
static void direction_link(const variation *x, int i, six Yp, six Y, const double *dv,
                           const double *da) {
  const jn_work *w = x->w;
  const jn_link *l = &x->m->link[i];
  const int represented = x->own && link_is_free(l);
  const double *v = w->io, *acc = v + x->m->nv;
  six *V = Vs_of(w, i), *a = As_of(w, i), J0 = six_zero(), J1 = J0, A = J0;
  displaced_pose(w, i, Y);
  for (int j = l->iv; j < l->iv + l->nv; j++) {
    six *S = S_of(w, j);
    S[1] = represented ? displaced_screw(x, i, Yp, Y, S[0]) : six_ad(Y, S[0]);
    J0 = six_add(J0, six_scale(v[j], S[0]));
    J1 = six_add(J1, six_add(six_scale(v[j], S[1]), six_scale(dv[j], S[0])));
    A = six_add(A, six_add(six_scale(acc[j], S[1]), six_scale(da[j], S[0])));
  }
  V[1] = J1;
  a[1] = A;
  if (l->parent >= 0) {
    V[1] = six_add(V[1], Vs_of(w, l->parent)[1]);
    a[1] = six_add(a[1], As_of(w, l->parent)[1]);
  }
  /* S' v, S' = ad_V S in body representation */
  a[1] = six_add(a[1], represented ? represented_bias(x, i, v, dv)
                                   : six_add(six_ad(V[1], J0), six_ad(V[0], J1)));
  if (x->loaded) {
    six *ext = ext_of(w, i);
    ext[1] = six_times(-1.0, six_ad_t(Y, ext[0]));
  }
}

/* All jets of orders 0 and 1 along (xi, dv, da). */
static void along(const variation *x, const double *xi, const double *dv, const double *da) {
  six *Y = Yd_of(x->w, 0);
  for (int i = 0; i < x->m->nlink; i++) {
    const jn_link *l = &x->m->link[i];
    Y[i] = l->parent < 0 ? six_zero() : Y[l->parent];
    for (int j = 0; j < l->nv; j++)
      Y[i] = six_add(Y[i], six_scale(xi[l->iv + j], spatial_screw(x->m, x->w, i, j)));
    direction_link(x, i, l->parent < 0 ? six_zero() : Y[l->parent], Y[i], dv, da);
  }
  if (x->moving) jn_variation_moving(x);
  for (int i = 0; i < x->m->nlink && x->moving; i++) {
    six *ext = ext_of(x->w, i);
    ext[1] = six_add(ext[1], matrix_apply(Ns_of(x->w, i), Y[i]));
  }
  x->data->engine->freedoms_links(x);
  jn_variation_columns(x);
  jn_variation_carry(x);
}

/* out[nv] = M_1 y: d/ds of M(q(s)) y */
static void mass_rate(const variation *x, const double *y, double *out) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  six *D = D2_of(w, 0), *F = Df_of(w, 0); /* two orders per link */
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int k = 0; k < 2; k++) {
      D[2 * i + k] = l->parent < 0 ? six_zero() : D[2 * l->parent + k];
      F[2 * i + k] = six_zero();
      for (int j = l->iv; j < l->iv + l->nv; j++) {
        D[2 * i + k] = six_add(D[2 * i + k], six_scale(y[j], part_of(x, j, k, JN_S)));
      }
    }
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      const six *S = S_of(w, j);
      out[j] = six_dot(part_of(x, j, 0, JN_M), D[2 * i + 1]) +
               six_dot(part_of(x, j, 1, JN_M), D[2 * i]) + six_dot(S[0], F[2 * i + 1]) +
               six_dot(S[1], F[2 * i]);
    }
    for (int k = 0; k < 2; k++) {
      for (int j = l->iv; j < l->iv + l->nv; j++)
        F[2 * i + k] = six_add(F[2 * i + k], six_scale(y[j], part_of(x, j, k, JN_M)));
      if (l->parent >= 0) F[2 * l->parent + k] = six_add(F[2 * l->parent + k], F[2 * i + k]);
    }
  }
}

/* weight^T A_1, weight^T B_1, weight^T M_1, [nv] each */
static void contract(const variation *x, const double *weight, double *gq, double *gv, double *gm) {
  const jn_model *m = x->m;
  const jn_work *w = x->w;
  six *D2 = D2_of(w, 0), *D1 = D1_of(w, 0), *D0 = D0_of(w, 0), *G = Df_of(w, 0),
      *L = Ws_of(w, 0); /* two orders per link */
  memset(D2, 0, sizeof(six) * 2 * (size_t)m->nlink);
  memset(D1, 0, sizeof(six) * 2 * (size_t)m->nlink);
  memset(D0, 0, sizeof(six) * 2 * (size_t)m->nlink);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const jn_link *l = &m->link[i];
    for (int k = 0; k < 2; k++) {
      six *d2 = &D2[2 * i + k], *d1 = &D1[2 * i + k], *d0 = &D0[2 * i + k];
      G[2 * i + k] = six_zero();
      for (int j = l->iv; j < l->iv + l->nv; j++) {
        *d2 = six_add(*d2, six_scale(weight[j], part_of(x, j, 1 - k, JN_M)));
        *d1 = six_add(*d1, six_scale(weight[j], part_of(x, j, 1 - k, JN_T)));
        if (x->moving) *d0 = six_add(*d0, six_scale(weight[j], part_of(x, j, 1 - k, JN_Z)));
        G[2 * i + k] = six_add(G[2 * i + k], six_scale(weight[j], S_of(w, j)[1 - k]));
      }
      if (l->parent < 0) continue;
      D2[2 * l->parent + k] = six_add(D2[2 * l->parent + k], *d2);
      D1[2 * l->parent + k] = six_add(D1[2 * l->parent + k], *d1);
      D0[2 * l->parent + k] = six_add(D0[2 * l->parent + k], *d0);
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    const jn_link *l = &m->link[i];
    for (int k = 0; k < 2; k++)
      L[2 * i + k] =
          l->parent < 0 ? six_zero() : six_add(L[2 * l->parent + k], G[2 * l->parent + k]);
    for (int j = l->iv; j < l->iv + l->nv; j++) {
      gq[j] = gv[j] = gm[j] = 0;
      for (int d = l->iv; d < l->iv + l->nv && x->own && link_is_free(l); d++)
        gq[j] += weight[d] * Ow_of(w, d)[6 + (j - l->iv)];
      for (int k = 0; k < 2; k++) {
        if (x->moving) gq[j] += six_dot(part_of(x, j, k, JN_P), D0[2 * i + k]);
        gq[j] += six_dot(part_of(x, j, k, JN_X), D2[2 * i + k]) +
                 six_dot(part_of(x, j, k, JN_P1), D1[2 * i + k]) +
                 six_dot(part_of(x, j, k, JN_A), L[2 * i + k]);
        gv[j] += six_dot(part_of(x, j, k, JN_Y), D2[2 * i + k]) +
                 six_dot(part_of(x, j, k, JN_S), D1[2 * i + k]) +
                 six_dot(part_of(x, j, k, JN_B), L[2 * i + k]);
        gm[j] += six_dot(part_of(x, j, k, JN_S), D2[2 * i + k]) +
                 six_dot(part_of(x, j, k, JN_M), L[2 * i + k]);
      }
    }
  }
}

static void clear(double *x, size_t n) {
  if (x) memset(x, 0, sizeof(double) * n);
}
/* column b of an [nv x nv] matrix, or row b */
static void put_column(double *out, size_t nv, size_t b, const double *x) {
  for (size_t i = 0; out && i < nv; i++) out[i * nv + b] = x[i];
}
static void put_row(double *out, size_t nv, size_t b, const double *x) {
  if (out) memcpy(out + b * nv, x, sizeof(double) * nv);
}

jn_status jn_open_inverse_second(const jn_model *model, jn_data *data, const double *q,
                                 const double *v, const jn_external *external, const double *weight,
                                 const jn_second *out) {
  variation x;
  if (!out) return JN_ERR_ARGUMENT;
  jn_status status = jn_check_call(model, data, 0, external);
  if (status) return status;
  size_t nv = (size_t)model->nv, n2 = nv * nv, n = weight ? n2 : n2 * nv;
  if (weight && !jn_all_finite(weight, nv)) return JN_ERR_NOT_FINITE;
  status = jn_variation_start(model, data, 0, q, v, external, &x);
  if (status) return status;
  if (!is_bounded(model, data, v, external, weight)) return JN_ERR_NOT_FINITE;
  turn(&x);
  clear(out->dqdq, n), clear(out->dqdv, n), clear(out->dvdv, n), clear(out->dmdq, n);
  double *zero = dof_of(x.w, 0), *unit = dof_of(x.w, 1), *g = dof_of(x.w, 2);
  memset(zero, 0, sizeof(double) * 2 * nv);
  for (size_t b = 0; b < nv; b++) {
    unit[b] = 1;
    if (out->dqdq || out->dqdv || out->dmdq) {
      along(&x, unit, zero, zero);
      if (weight) {
        contract(&x, weight, g, g + nv, g + 2 * nv);
        put_column(out->dqdq, nv, b, g), put_row(out->dqdv, nv, b, g + nv);
        put_column(out->dmdq, nv, b, g + 2 * nv);
      } else {
        jn_blocks o = {{out->dqdq ? out->dqdq + b : NULL, n2, nv},
                       {out->dqdv ? out->dqdv + b * nv : NULL, n2, 1},
                       {out->dmdq ? out->dmdq + b : NULL, n2, nv}};
        jn_variation_square(&x, 1, &o);
      }
    }
    if (out->dvdv) {
      along(&x, zero, unit, zero);
      jn_blocks o = {{NULL, 0, 0}, {out->dvdv + b * nv, n2, 1}, {NULL, 0, 0}};
      if (weight)
        contract(&x, weight, g, g + nv, g + 2 * nv), put_row(out->dvdv, nv, b, g + nv);
      else
        jn_variation_square(&x, 1, &o);
    }
    unit[b] = 0;
  }
  return JN_OK; /* finite, since all inputs are bounded */
}

jn_status jn_inverse_second(const jn_model *model, jn_data *data, const double *q, const double *v,
                            const jn_external *external, const double *weight,
                            const jn_second *out) {
  return is_coupled(model, data)
             ? jn_coupled_inverse_second(model, data, q, v, external, weight, out)
             : jn_open_inverse_second(model, data, q, v, external, weight, out);
}

/* X := -M^-1 (X + M_1 F) for nv columns of X, at X + i n2 + c stride, and F [nv x nv]; F = NULL: no
 * such term */
static void solve_slice(const variation *x, double *X, size_t stride, const double *F) {
  size_t nv = (size_t)x->m->nv, n2 = nv * nv;
  double *lanes = x->w->solve_rhs, *f = dof_of(x->w, 2), *r = dof_of(x->w, 3);
  for (size_t c = 0; c < nv; c += JN_SOLVE_COLUMNS) {
    size_t n = nv - c < JN_SOLVE_COLUMNS ? nv - c : JN_SOLVE_COLUMNS;
    memset(lanes, 0, sizeof(double) * JN_SOLVE_COLUMNS * nv);
    for (size_t s = 0; s < n; s++) {
      for (size_t i = 0; i < nv; i++) f[i] = F ? F[i * nv + c + s] : 0, r[i] = 0;
      if (F) mass_rate(x, f, r);
      for (size_t i = 0; i < nv; i++)
        lanes[JN_SOLVE_COLUMNS * i + s] = -(X[i * n2 + (c + s) * stride] + r[i]);
    }
    jn_variation_solve(x, JN_SOLVE_COLUMNS, lanes);
    for (size_t i = 0; i < nv; i++)
      for (size_t s = 0; s < n; s++) X[i * n2 + (c + s) * stride] = lanes[JN_SOLVE_COLUMNS * i + s];
  }
}

/* g := -(g + F^T z) */
static void combine(size_t nv, double *g, const double *F, const double *z) {
  for (size_t j = 0; j < nv; j++) {
    double s = g[j];
    for (size_t i = 0; i < nv; i++) s += F[i * nv + j] * z[i];
    g[j] = -s;
  }
}

typedef struct first {
  const double *dq, *dv, *dtau;
} first;

/* Direction b of q: the slices of all results. */
static void forward_slice(const variation *x, size_t b, const first *f,
                          const jn_second_forward *out) {
  size_t nv = (size_t)x->m->nv, n2 = nv * nv;
  double *qq = out->dqdq ? out->dqdq + b : NULL, *qv = out->dqdv ? out->dqdv + b * nv : NULL;
  jn_blocks o = {{qq, n2, nv}, {qv, n2, 1}, {NULL, 0, 0}};
  jn_variation_square(x, 1, &o);
  if (qq) solve_slice(x, qq, nv, f->dq);
  if (qv) solve_slice(x, qv, 1, f->dv);
  if (out->dqdtau) solve_slice(x, out->dqdtau + b * nv, 1, f->dtau);
}

/* The same contracted; mu = M^-1 weight. */
static void forward_contracted(const variation *x, size_t b, const first *f, const double *mu,
                               const jn_second_forward *out) {
  size_t nv = (size_t)x->m->nv;
  double *g = dof_of(x->w, 2), *z = x->w->solve_rhs;
  contract(x, mu, g, g + nv, g + 2 * nv);
  mass_rate(x, mu, z);
  memset(g + 2 * nv, 0, sizeof(double) * nv);
  if (out->dqdq) combine(nv, g, f->dq, z), put_column(out->dqdq, nv, b, g);
  if (out->dqdv) combine(nv, g + nv, f->dv, z), put_row(out->dqdv, nv, b, g + nv);
  if (out->dqdtau) combine(nv, g + 2 * nv, f->dtau, z), put_row(out->dqdtau, nv, b, g + 2 * nv);
}

/* Direction b of v: M is constant. */
static void forward_velocity(const variation *x, size_t b, const double *mu, double *dvdv) {
  size_t nv = (size_t)x->m->nv;
  double *g = dof_of(x->w, 2);
  jn_blocks o = {{NULL, 0, 0}, {dvdv + b * nv, nv * nv, 1}, {NULL, 0, 0}};
  if (mu) {
    contract(x, mu, g, g + nv, g + 2 * nv);
    for (size_t j = 0; j < nv; j++) dvdv[b * nv + j] = -g[nv + j];
  } else {
    jn_variation_square(x, 1, &o);
    solve_slice(x, dvdv + b * nv, 1, NULL);
  }
}

jn_status jn_forward_second(const jn_model *model, jn_data *data, const double *q, const double *v,
                            const double *tau, const jn_external *external, const double *weight,
                            double *dq, double *dv, double *dtau, const jn_second_forward *out) {
  variation x;
  if (!out || (model && model->nv && (!dq || !dv || !dtau))) return JN_ERR_ARGUMENT;
  if (is_coupled(model, data))
    return jn_coupled_forward_second(model, data, q, v, tau, external, weight, dq, dv, dtau, out);
  jn_status status = jn_check_call(model, data, 0, external);
  if (status) return status;
  size_t nv = (size_t)model->nv, n2 = nv * nv, n = weight ? n2 : n2 * nv;
  if (weight && !jn_all_finite(weight, nv)) return JN_ERR_NOT_FINITE;
  /* everything that can fail comes before the first output */
  status = jn_variation_forward(model, data, 0, q, v, tau, external, &x);
  if (!status &&
      !(is_bounded(model, data, v, external, weight) && jn_factors_are_bounded(model, data)))
    status = JN_ERR_NOT_FINITE;
  if (!status) status = jn_forward_partials(model, data, 0, q, v, tau, external, dq, dv, dtau);
  if (!status) status = jn_variation_forward(model, data, 0, q, v, tau, external, &x);
  if (status) return status;
  turn(&x);
  clear(out->dqdq, n), clear(out->dqdv, n), clear(out->dvdv, n), clear(out->dqdtau, n);
  double *mu = weight ? dof_of(x.w, 5) : NULL, *zero = dof_of(x.w, 0), *unit = dof_of(x.w, 1),
         *da = out_of(x.w, 0);
  const first f = {dq, dv, dtau};
  if (mu && nv) memcpy(mu, weight, sizeof(double) * nv);
  if (mu) jn_variation_solve(&x, 1, mu);
  memset(zero, 0, sizeof(double) * 2 * nv);
  for (size_t b = 0; b < nv; b++) {
    unit[b] = 1;
    for (size_t i = 0; i < nv; i++) da[i] = dq[i * nv + b];
    along(&x, unit, zero, da);
    if (mu)
      forward_contracted(&x, b, &f, mu, out);
    else
      forward_slice(&x, b, &f, out);
    for (size_t i = 0; i < nv && out->dvdv; i++) da[i] = dv[i * nv + b];
    if (out->dvdv) {
      along(&x, zero, unit, da);
      forward_velocity(&x, b, mu, out->dvdv);
    }
    unit[b] = 0;
  }
  double *const all[4] = {out->dqdq, out->dqdv, out->dvdv, out->dqdtau};
  int finite = 1;
  for (int i = 0; i < 4; i++) finite &= jn_all_finite(all[i], all[i] ? n : 0);
  return finite ? JN_OK : JN_ERR_NOT_FINITE;
}
