/* test_linearise_tables.c: tables 4 to 9 of bos2022, implemented as printed (six-vectors angular
 * first), compared with the engine's extended inverse dynamics, its derivatives and M^-1, and with
 * differences on the group. */
#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/printed.h"
#include "helpers/tree.h"

typedef double m6[6][6];
typedef struct printed {
  int nb; /* joints: bodies 1..nb, 0 the base */
  int parent[MOST];
  m6 X[MOST], dX[MOST], I[MOST], Mc[MOST];
  double G[MOST][6], vJ[MOST][6], v[MOST][6], ar[MOST][6], avp[MOST][6], m[MOST][6], bc[MOST][6],
      bvp[MOST][6], a0[MOST][6], F0[MOST][6];
  double s1[MOST];      /* rates r */
  double r1[MOST];      /* r' */
  double tau[6 + MOST]; /* base first */
} printed;

static void apply6(m6 A, const double *x, double *out, int transpose, double f) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) out[i] += f * (transpose ? A[j][i] : A[i][j]) * x[j];
}
static void cross6(const double *v, const double *x, double f, double *out) { /* f v x x */
  jn_twist y = jn_ad((jn_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}},
                     (jn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  const double d[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
  for (int i = 0; i < 6; i++) out[i] += f * d[i];
}
static void dual6(const double *v, const double *x, double *out) { /* v xbar* x = -ad_v^T x */
  jn_wrench y = jn_ad_t((jn_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}},
                        (jn_wrench){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  const double d[6] = {y.n.x, y.n.y, y.n.z, y.f.x, y.f.y, y.f.z};
  for (int i = 0; i < 6; i++) out[i] -= d[i];
}
static double dot6(const double *x, const double *y) {
  double s = 0;
  for (int i = 0; i < 6; i++) s += x[i] * y[i];
  return s;
}
/* out += X^T A Y */
static void congruence(m6 X, m6 A, m6 Y, m6 out) {
  for (int c = 0; c < 6; c++) {
    double y[6], t[6] = {0}, u[6] = {0};
    for (int i = 0; i < 6; i++) y[i] = Y[i][c];
    apply6(A, y, t, 0, 1);
    apply6(X, t, u, 1, 1);
    for (int i = 0; i < 6; i++) out[i][c] += u[i];
  }
}

/* X_i, Gamma_i, M_i from the model: jcalc, and jcalcderiv: d X_i / d s_i = -Gamma x X_i */
static void read_model(robot *r, printed *p) {
  memset(p, 0, sizeof *p);
  p->nb = r->nbody - 1;
  assert_ok(jn_kinematics(r->model, r->data, 0, r->q, r->v));
  jn_pose C[MOST];
  for (int i = 0; i <= p->nb; i++) {
    const jn_body *b = jn_model_body(r->model, i);
    const jn_inertia *I = &b->inertia;
    assert_ok(jn_frame_pose(r->model, r->data, b->frame, &C[i]));
    p->parent[i] = b->parent;
    const double J[9] = {I->xx, I->xy, I->xz, I->xy, I->yy, I->yz, I->xz, I->yz, I->zz};
    const double h[9] = {0, -I->h.z, I->h.y, I->h.z, 0, -I->h.x, -I->h.y, I->h.x, 0};
    for (int a = 0; a < 9; a++) {
      p->I[i][a / 3][a % 3] = J[a];
      p->I[i][a / 3][a % 3 + 3] = p->I[i][a % 3 + 3][a / 3] = h[a];
      p->I[i][a / 3 + 3][a % 3 + 3] = a % 4 == 0 ? I->m : 0;
    }
    if (i == 0) continue;
    double S[6], g[6] = {0};
    m6 Y;
    assert_ok(jn_joint_screws(r->model, r->data, i, 0, S));
    jn_Ad_matrix(jn_pose_inv(C[i]), Y);
    apply6(Y, S, g, 0, 1);
    memcpy(p->G[i], g, sizeof g);
    jn_Ad_matrix(jn_pose_mul(jn_pose_inv(C[i]), C[b->parent]), p->X[i]);
    for (int c = 0; c < 6; c++) {
      double x[6], y[6] = {0};
      for (int a = 0; a < 6; a++) x[a] = p->X[i][a][c];
      cross6(g, x, -1, y);
      for (int a = 0; a < 6; a++) p->dX[i][a][c] = y[a];
    }
    p->s1[i] = r->v[5 + i];
    p->r1[i] = r->v[r->nv + 5 + i];
  }
}

/* Table 4. The state has the body twist, so lines 1 to 5 only rotate gravity. Line 6 adds a_grav, the
 * acceleration of gravity as table 3 explains it; `sign` -1 is right, 1 as printed. */
static void EIDAmb_with(robot *r, printed *p, double sign) {
  const jn_vec3 g = jn_data_settings(r->data)->gravity;
  jn_vec3 down = jn_m3_apply_t(jn_quat_to_m3(jn_quat_make(r->q[0], r->q[1], r->q[2], r->q[3])), g);
  memcpy(p->v[0], r->v, sizeof p->v[0]);
  p->ar[0][3] = sign * down.x, p->ar[0][4] = sign * down.y, p->ar[0][5] = sign * down.z;
  memcpy(p->avp[0], p->ar[0], sizeof p->ar[0]);
  memcpy(p->a0[0], r->v + r->nv, sizeof p->a0[0]);
  for (int i = 0; i <= p->nb; i++) {
    int l = p->parent[i];
    for (int c = 0; c < 6 && i; c++) p->vJ[i][c] = p->G[i][c] * p->s1[i];
    if (i) {
      apply6(p->X[i], p->v[l], p->v[i], 0, 1);
      for (int c = 0; c < 6; c++) p->v[i][c] += p->vJ[i][c], p->ar[i][c] = p->G[i][c] * p->r1[i];
      apply6(p->X[i], p->ar[l], p->ar[i], 0, 1);
      apply6(p->X[i], p->avp[l], p->avp[i], 0, 1);
      cross6(p->v[i], p->vJ[i], 1, p->ar[i]);
      cross6(p->v[i], p->vJ[i], 1, p->avp[i]);
      apply6(p->X[i], p->a0[l], p->a0[i], 0, 1);
    }
    memcpy(p->Mc[i], p->I[i], sizeof(m6));
    apply6(p->I[i], p->v[i], p->m[i], 0, 1);
    apply6(p->I[i], p->ar[i], p->bc[i], 0, 1);
    apply6(p->I[i], p->avp[i], p->bvp[i], 0, 1);
    dual6(p->v[i], p->m[i], p->bc[i]);
    dual6(p->v[i], p->m[i], p->bvp[i]);
  }
  for (int i = p->nb; i > 0; i--) {
    congruence(p->X[i], p->Mc[i], p->X[i], p->Mc[p->parent[i]]);
    apply6(p->X[i], p->bc[i], p->bc[p->parent[i]], 1, 1);
    apply6(p->X[i], p->bvp[i], p->bvp[p->parent[i]], 1, 1);
  }
  double base[6] = {0};
  apply6(p->Mc[0], p->a0[0], base, 0, 1);
  for (int i = 1; i <= p->nb; i++) {
    double f[6] = {0}, F[6] = {0};
    apply6(p->Mc[i], p->a0[i], f, 0, 1);
    p->tau[5 + i] = dot6(p->G[i], f) + dot6(p->G[i], p->bc[i]);
    apply6(p->Mc[i], p->G[i], F, 0, 1);
    for (int j = i; j > 0; j = p->parent[j]) {
      double up[6] = {0};
      apply6(p->X[j], F, up, 1, 1);
      memcpy(F, up, sizeof F);
    }
    for (int c = 0; c < 6; c++) base[c] += F[c] * p->r1[i];
  }
  for (int c = 0; c < 6; c++) p->tau[c] = base[c] + p->bvp[0][c];
}

static void EIDAmb(robot *r, printed *p) { EIDAmb_with(r, p, -1); }

/* Tables 5, 7 and 8, one column, for given d v_0, d a_0^r and varied rate (0: none). */
static void column_of_bias(const printed *q, const double *dv0, const double *da0, int rate,
                           double *out) {
  printed p = *q;
  double dv[MOST][6] = {{0}}, da[MOST][6] = {{0}}, db[MOST][6] = {{0}};
  memcpy(dv[0], dv0, sizeof dv[0]);
  memcpy(da[0], da0, sizeof da[0]);
  for (int i = 0; i <= p.nb; i++) {
    double dm[6] = {0};
    if (i) {
      apply6(p.X[i], dv[p.parent[i]], dv[i], 0, 1);
      for (int c = 0; c < 6 && i == rate; c++) dv[i][c] += p.G[i][c];
      apply6(p.X[i], da[p.parent[i]], da[i], 0, 1);
      cross6(dv[i], p.vJ[i], 1, da[i]);
      if (i == rate) cross6(p.v[i], p.G[i], 1, da[i]);
    }
    apply6(p.I[i], dv[i], dm, 0, 1);
    apply6(p.I[i], da[i], db[i], 0, 1);
    dual6(dv[i], p.m[i], db[i]);
    dual6(p.v[i], dm, db[i]);
  }
  for (int i = p.nb; i > 0; i--) {
    apply6(p.X[i], db[i], db[p.parent[i]], 1, 1);
    out[5 + i] = dot6(p.G[i], db[i]);
  }
  memcpy(out, db[0], sizeof db[0]);
}

/* Table 6, column k, with r'_i in line 47; moved[i]: d 0F_Bi / d s_k of line 46, may be NULL. */
static void column_of_position(const printed *q, int k, double *out, double (*moved)[6]) {
  printed p = *q;
  double dv[MOST][6] = {{0}}, da[MOST][6] = {{0}}, dp[MOST][6] = {{0}}, db[MOST][6] = {{0}},
         dbp[MOST][6] = {{0}}, d0[MOST][6] = {{0}};
  m6 dM[MOST];
  memset(dM, 0, sizeof dM);
  for (int i = 1; i <= p.nb; i++) {
    int l = p.parent[i];
    double dm[6] = {0};
    apply6(p.X[i], dv[l], dv[i], 0, 1);
    if (i == k) apply6(p.dX[i], p.v[l], dv[i], 0, 1);
    apply6(p.X[i], da[l], da[i], 0, 1);
    apply6(p.X[i], dp[l], dp[i], 0, 1);
    cross6(dv[i], p.vJ[i], 1, da[i]);
    cross6(dv[i], p.vJ[i], 1, dp[i]);
    if (i == k) apply6(p.dX[i], p.ar[l], da[i], 0, 1), apply6(p.dX[i], p.avp[l], dp[i], 0, 1);
    apply6(p.I[i], dv[i], dm, 0, 1);
    apply6(p.I[i], da[i], db[i], 0, 1), apply6(p.I[i], dp[i], dbp[i], 0, 1);
    dual6(dv[i], p.m[i], db[i]), dual6(dv[i], p.m[i], dbp[i]);
    dual6(p.v[i], dm, db[i]), dual6(p.v[i], dm, dbp[i]);
    apply6(p.X[i], d0[l], d0[i], 0, 1);
    if (i == k) apply6(p.dX[i], p.a0[l], d0[i], 0, 1);
  }
  for (int i = p.nb; i > 0; i--) {
    int l = p.parent[i];
    congruence(p.X[i], dM[i], p.X[i], dM[l]);
    apply6(p.X[i], db[i], db[l], 1, 1), apply6(p.X[i], dbp[i], dbp[l], 1, 1);
    if (i != k) continue;
    congruence(p.dX[i], p.Mc[i], p.X[i], dM[l]), congruence(p.X[i], p.Mc[i], p.dX[i], dM[l]);
    apply6(p.dX[i], p.bc[i], db[l], 1, 1), apply6(p.dX[i], p.bvp[i], dbp[l], 1, 1);
  }
  double base[6] = {0};
  apply6(dM[0], p.a0[0], base, 0, 1);
  for (int i = 1; i <= p.nb; i++) {
    double f[6] = {0}, F[6] = {0}, dF[6] = {0};
    apply6(dM[i], p.a0[i], f, 0, 1), apply6(p.Mc[i], d0[i], f, 0, 1);
    out[5 + i] = dot6(p.G[i], f) + dot6(p.G[i], db[i]);
    apply6(p.Mc[i], p.G[i], F, 0, 1), apply6(dM[i], p.G[i], dF, 0, 1);
    for (int j = i; j > 0; j = p.parent[j]) {
      double up[6] = {0}, dup[6] = {0};
      apply6(p.X[j], F, up, 1, 1), apply6(p.X[j], dF, dup, 1, 1);
      if (j == k) apply6(p.dX[j], F, dup, 1, 1);
      memcpy(F, up, sizeof F), memcpy(dF, dup, sizeof dF);
    }
    for (int c = 0; c < 6; c++) base[c] += dF[c] * p.r1[i];
    if (moved) memcpy(moved[i], dF, sizeof dF);
  }
  for (int c = 0; c < 6; c++) out[c] = base[c] + dbp[0][c];
}

/* (67): v and w in A, blocks R^T [w] R and R^T [v - o x w] R, the linear part first in print */
static void line_one(const double *q, const double *V, const double *e, double *out) {
  jn_pose C = {jn_quat_to_m3(jn_quat_make(q[0], q[1], q[2], q[3])), {q[4], q[5], q[6]}};
  jn_twist A = jn_Ad(C, (jn_twist){{V[0], V[1], V[2]}, {V[3], V[4], V[5]}});
  jn_vec3 ew = jn_m3_apply(C.R, jn_v3(e[0], e[1], e[2]));
  jn_vec3 ev = jn_m3_apply(C.R, jn_v3(e[3], e[4], e[5]));
  jn_vec3 moving = jn_v3_sub(A.v, jn_v3_cross(C.p, A.w));
  jn_vec3 linear = jn_v3_add(jn_v3_cross(A.w, ev), jn_v3_cross(moving, ew));
  linear = jn_m3_apply_t(C.R, linear);
  jn_vec3 angular = jn_m3_apply_t(C.R, jn_v3_cross(A.w, ew));
  out[0] = angular.x, out[1] = angular.y, out[2] = angular.z;
  out[3] = linear.x, out[4] = linear.y, out[5] = linear.z;
}

/* Tables 5 to 8: [nv x nv] by the pose and s, by v and r. held: line 1 as printed, (67), or zero.
 */
static void tables(robot *r, const printed *p, jn_held held, double *dq, double *dv) {
  size_t nv = (size_t)r->nv;
  double column[6 + MOST];
  const double zero[6] = {0}, *V = p->v[0], *g = p->ar[0];
  for (int c = 0; c < (int)nv; c++) {
    double e[6] = {0}, dv0[6] = {0}, da0[6] = {0};
    if (c < 6) {
      e[c] = 1;
      if (held == JN_HELD_SPATIAL) line_one(r->q, V, e, dv0);
      cross6(g, e, 1, da0);
      column_of_bias(p, dv0, da0, 0, column);
      for (size_t i = 0; i < nv; i++) dq[i * nv + (size_t)c] = column[i];
      column_of_bias(p, e, zero, 0, column);
    } else {
      column_of_position(p, c - 5, column, NULL);
      for (size_t i = 0; i < nv; i++) dq[i * nv + (size_t)c] = column[i];
      column_of_bias(p, zero, zero, c - 5, column);
    }
    for (size_t i = 0; i < nv; i++) dv[i * nv + (size_t)c] = column[i];
  }
}

/* X := M^-1 X, M positive definite, X[6 x n] */
static void solve6(m6 M, int n, double X[6][MOST]) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++) {
      const double f = i == k ? 0 : M[i][k] / M[k][k];
      for (int c = 0; c < 6; c++) M[i][c] -= f * M[k][c];
      for (int c = 0; c < n; c++) X[i][c] -= f * X[k][c];
    }
  for (int i = 0; i < 6; i++)
    for (int c = 0; c < n; c++) X[i][c] /= M[i][i];
}

/* Table 9; columns 0..nb-1 of F and P belong to the joints. Armatures are added to D in line 8. */
static void IMMAmb(robot *r, const printed *given, double *Minv) {
  printed p = *given;
  size_t nv = (size_t)r->nv;
  double F[MOST][6][MOST] = {{{0}}}, P[MOST][6][MOST] = {{{0}}}, UA[MOST][6] = {{0}}, D[MOST];
  m6 A[MOST];
  memcpy(A, p.I, sizeof A);
  fill(Minv, nv * nv, 0);
  for (int i = p.nb; i > 0; i--) {
    double *row = Minv + (size_t)(5 + i) * nv + 6;
    apply6(A[i], p.G[i], UA[i], 0, 1);
    D[i] = dot6(p.G[i], UA[i]) + jn_model_joint(r->model, i)->armature;
    row[i - 1] = 1 / D[i];
    for (int c = 0; c < p.nb; c++) { /* zero outside of the subtree */
      double f[6], up[6] = {0};
      for (int k = 0; k < 6; k++) f[k] = F[i][k][c];
      row[c] -= dot6(p.G[i], f) / D[i];
      for (int k = 0; k < 6; k++) f[k] += UA[i][k] * row[c];
      apply6(p.X[i], f, up, 1, 1);
      for (int k = 0; k < 6; k++) F[p.parent[i]][k][c] += up[k];
    }
    for (int k = 0; k < 36; k++) A[i][k / 6][k % 6] -= UA[i][k / 6] * UA[i][k % 6] / D[i];
    congruence(p.X[i], A[i], p.X[i], A[p.parent[i]]);
  }
  double one[6][MOST] = {{0}};
  m6 copy;
  memcpy(copy, A[0], sizeof copy);
  for (int k = 0; k < 6; k++) one[k][k] = 1;
  solve6(copy, 6, one);
  memcpy(P[0], F[0], sizeof P[0]);
  solve6(A[0], p.nb, P[0]);
  for (int k = 0; k < 6 * MOST; k++) P[0][k / MOST][k % MOST] *= -1;
  for (int i = 1; i <= p.nb; i++)
    for (int c = i - 1; c < p.nb; c++) {
      double *entry = Minv + (size_t)(5 + i) * nv + 6 + c, above[6], x[6] = {0};
      for (int k = 0; k < 6; k++) above[k] = P[p.parent[i]][k][c];
      apply6(p.X[i], above, x, 0, 1);
      *entry -= dot6(UA[i], x) / D[i];
      for (int k = 0; k < 6; k++) P[i][k][c] = p.G[i][k] * *entry + x[k];
    }
  for (size_t k = 0; k < 6; k++)
    for (size_t c = 0; c < nv; c++) Minv[k * nv + c] = c < 6 ? one[k][c] : P[0][k][c - 6];
  for (size_t i = 0; i < nv; i++)
    for (size_t j = 0; j < i; j++) Minv[i * nv + j] = Minv[j * nv + i];
}

typedef struct posed {
  robot *r;
  jn_held held;
  int column;
} posed;

/* the forces at C exp(s e), the body or the spatial twist held */
static void move_pose(void *context, double s, double *out) {
  posed *a = context;
  robot *r = a->r;
  double *q = doubles((size_t)r->nq), *v = copy_of(r->v, 2 * (size_t)r->nv), e[6] = {0};
  move_along(r->model, r->q, a->column, s, q);
  if (a->held == JN_HELD_SPATIAL) {
    e[a->column] = s;
    jn_pose D = jn_pose_make(jn_so3_exp(jn_v3(e[0], e[1], e[2])), jn_v3(e[3], e[4], e[5]));
    jn_twist V = jn_Ad_inv(D, (jn_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
    const double b[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
    memcpy(v, b, sizeof b);
  }
  assert_ok(jn_inverse_dynamics(r->model, r->data, 0, q, v, NULL, out));
  free(q), free(v);
}

static void check_tables(robot *r, jn_held held, int consistent) {
  size_t nv = (size_t)r->nv, size = nv * nv;
  double *x = doubles(3 * size), *y = doubles(2 * size), *tau = robot_inverse(r, r->v, NULL);
  double *want = doubles(nv);
  printed p;
  read_model(r, &p);
  EIDAmb(r, &p);
  for (int i = 1; i <= p.nb; i++) /* armatures are not in the paper */
    p.tau[5 + i] += jn_model_joint(r->model, i)->armature * p.r1[i];
  double scale;
  force_scale(r, r->v, tau, &scale);
  check_residual("table 4", largest_difference(p.tau, tau, nv) / scale, 1e-13);
  if (consistent) assert_true(largest(p.tau, 6) <= 1e-11 * largest(tau, nv) + 1e-11);
  tables(r, &p, held, y, y + size);
  jn_data_settings(r->data)->representation = JN_HYBRID; /* must have no effect */
  assert_ok(jn_extended_partials(r->model, r->data, held, r->q, r->v, NULL, x, x + size));
  assert_true(jn_data_settings(r->data)->representation == JN_HYBRID);
  jn_data_settings(r->data)->representation = JN_BODY;
  check_residual(
      held == JN_HELD_BODY ? "tables 5 and 6, body twist held" : "tables 5 and 6 as printed",
      largest_difference(x, y, size) / largest(y, size), 1e-13);
  check_residual("tables 7 and 8",
                 largest_difference(x + size, y + size, size) / largest(y + size, size), 1e-13);
  IMMAmb(r, &p, y + size);
  assert_ok(jn_inverse_mass(r->model, r->data, r->q, x + size));
  check_residual("table 9", largest_difference(x + size, y + size, size) / largest(y + size, size),
                 1e-12);
  posed a = {r, held, 0};
  for (a.column = 0; a.column < 6; a.column++) {
    derivative(move_pose, &a, 0.1, nv, want);
    for (size_t i = 0; i < nv; i++)
      check_residual(held == JN_HELD_BODY ? "table 5, body twist held, against differences"
                                          : "table 5 as printed against differences",
                     fabs(want[i] - y[i * nv + (size_t)a.column]) / largest(y, size), 1e-9);
  }
  free(x), free(y), free(tau), free(want);
}

static void the_tables_as_printed_agree(void **state) {
  (void)state;
  for (uint64_t seed = 400; seed < 424; seed++) {
    robot r = robot_random(seed, 3 + (int)(seed % 7), JN_JOINT_FREE,
                           TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 0);
    check_seed(seed);
    robot_represent(&r, JN_BODY);
    check_tables(&r, seed % 2 ? JN_HELD_SPATIAL : JN_HELD_BODY, 0);
    double *tau = doubles((size_t)r.nv), *want = doubles((size_t)r.nv);
    assert_ok(jn_consistent_motion(r.model, r.data, r.q, r.v, NULL, tau));
    assert_true(all_equal_to(tau, 6, 0));
    /* it needs those forces, and none on the base */
    assert_ok(jn_inverse_dynamics(r.model, r.data, 0, r.q, r.v, NULL, want));
    assert_true(same_bits(tau + 6, want + 6, (size_t)r.nv - 6));
    check_residual("force on the base of a consistent motion",
                   largest(want, 6) / largest(want, (size_t)r.nv), 1e-10);
    free(want);
    check_tables(&r, seed % 2 ? JN_HELD_BODY : JN_HELD_SPATIAL, 1);
    free(tau);
    robot_free(&r);
  }
}

/* Line 6 of table 4 with the sign as printed: off by twice the weight. The outputs [tau; tau_b] of
 * tables 4 and 5, compared with [tau_b; tau] of (32). Table 9 without the block M^inv[7:, 1:6], which
 * no line fills. Line 1 of table 5 where the body twist is held. */
static void what_the_tables_print_wrongly(void **state) {
  (void)state;
  double sign = 0, order = 0, block = 0, line = 0;
  for (uint64_t seed = 400; seed < 412; seed++) {
    robot r = robot_random(seed, 3 + (int)(seed % 7), JN_JOINT_FREE,
                           TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 0);
    robot_represent(&r, JN_BODY);
    const size_t nv = (size_t)r.nv;
    double *tau = robot_inverse(&r, r.v, NULL), *turned = doubles(nv), *Minv = doubles(nv * nv);
    double *M = doubles(nv * nv), *g = doubles(nv);
    printed p, wrong;
    read_model(&r, &p);
    wrong = p;
    EIDAmb(&r, &p);
    EIDAmb_with(&r, &wrong, 1);
    assert_ok(
        jn_equations_of_motion(r.model, r.data, 0, r.q, r.v, NULL, NULL, NULL, g, NULL, NULL));
    for (size_t i = 0; i < nv; i++) turned[i] = p.tau[i] - 2 * g[i];
    check_residual(
        "line 6 as printed is off by 2 g",
        largest_difference(wrong.tau, turned, nv) / (largest(turned, nv) + largest(g, nv)), 1e-13);
    sign = worse(sign, largest_difference(wrong.tau, p.tau, nv) / largest(p.tau, nv));
    double *dq = doubles(2 * nv * nv), *dv = doubles(nv * nv);
    tables(&r, &p, JN_HELD_SPATIAL, dq, dv);
    tables(&r, &p, JN_HELD_BODY, dq + nv * nv, dv);
    line = worse(line, relative(dq, dq + nv * nv, nv * nv));
    free(dq), free(dv);
    memcpy(turned, p.tau + 6, (nv - 6) * sizeof *turned);
    memcpy(turned + nv - 6, p.tau, 6 * sizeof *turned);
    order = worse(order, largest_difference(turned, p.tau, nv) / largest(p.tau, nv));
    /* M M^inv = 1, with the block filled and without it */
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    IMMAmb(&r, &p, Minv);
    for (int filled = 1; filled >= 0; filled--) {
      for (size_t i = 6; i < nv && !filled; i++) fill(Minv + i * nv, 6, 0);
      double worst = 0, size = 0;
      for (size_t i = 0; i < nv * nv; i++) {
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < nv; k++) {
          const double term = M[i / nv * nv + k] * Minv[k * nv + i % nv];
          sum += term, magnitude += fabs(term);
        }
        worst = worse(worst, fabs(sum - (i / nv == i % nv)));
        size = worse(size, magnitude);
      }
      if (filled)
        check_residual("M M^inv = 1, block filled by symmetry", worst / size, 1e-13);
      else
        block = worse(block, worst);
    }
    free(tau), free(turned), free(Minv), free(M), free(g);
    robot_free(&r);
  }
  printf(
      "  as printed: table 4, line 6 off by %.2g; [tau; tau_b] off by %.2g; table 9, M M^inv off "
      "by %.2g\n",
      sign, order, block);
  assert_true(sign > 0.1 && order > 0.1 && block > 0.1);
  check_printed("d tau / d H of bos2022 table 5, line 1, body twist held", line);
}

/* Line 47 of table 6 as printed: (d 0F_Bi / d s) r' with the vector r' is six numbers, where a matrix
 * [6 x n_B] is summed: they go to every column. With r'_i the table holds. Truth: differences. */
static void table_6_lost_an_index(void **state) {
  (void)state;
  double worst = 0;
  for (uint64_t seed = 400; seed < 412; seed++) {
    robot r = robot_random(seed, 3 + (int)(seed % 7), JN_JOINT_FREE,
                           TYPE(REVOLUTE) | TYPE(PRISMATIC) | TYPE(HELICAL), 0);
    robot_represent(&r, JN_BODY);
    const int nb = r.nbody - 1;
    double right[MOST][6 + MOST], moved[MOST][MOST][6], sum[6] = {0}, want[6 + MOST], error = 0,
                                                        size = 0;
    printed p;
    read_model(&r, &p);
    EIDAmb(&r, &p);
    for (int k = 1; k <= nb; k++) {
      posed a = {&r, JN_HELD_BODY, 5 + k};
      column_of_position(&p, k, right[k], moved[k]);
      derivative(move_pose, &a, 0.1, (size_t)r.nv, want);
      check_residual("table 6 with r'_i, against differences",
                     largest_difference(right[k], want, 6) / (largest(want, 6) + 1), 1e-8);
      for (int i = 1; i <= nb; i++)
        for (int c = 0; c < 6; c++) sum[c] += moved[k][i][c] * p.r1[k];
    }
    for (int k = 1; k <= nb; k++)
      for (int c = 0; c < 6; c++) {
        double as_printed = right[k][c] + sum[c];
        for (int i = 1; i <= nb; i++) as_printed -= moved[k][i][c] * p.r1[i];
        error = worse(error, fabs(as_printed - right[k][c]));
        size = fmax(size, fabs(right[k][c]));
      }
    worst = worse(worst, error / size);
    robot_free(&r);
  }
  check_printed("d tau_b / d s of bos2022 table 6, line 47", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tables_as_printed_agree),
      cmocka_unit_test(what_the_tables_print_wrongly),
      cmocka_unit_test(table_6_lost_an_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
