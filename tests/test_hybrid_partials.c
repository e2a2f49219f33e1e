/* test_hybrid_partials.c: partial derivatives of hybrid dynamics, gradients of forward dynamics, and
 * accelerations by inertial parameters: against differences in 113 bits of Newton's law, against
 * directional derivatives of inverse dynamics (with loads and damping), and by slope tests. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"
#include "helpers/slope.h"
#include "helpers/tree.h"
#include "model/model.h"
#include "oracle/twin.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

typedef struct bench {
  robot r;
  load l;
  unsigned char given[64];
  unsigned char *dof; /* [nv]: motion given */
  double *v, *tau;    /* completed by hybrid dynamics */
  size_t nv, rows, size;
} bench;

static bench bench_new(uint64_t seed, int order) {
  check_seed(seed);
  bench b = {
      .r = robot_random(seed, 2 + (int)(seed % 6), bases[seed % COUNT(bases)], TYPES_ALL, order)};
  robot *r = &b.r;
  robot_represent(r, representations[seed / 2 % 4]);
  jn_data_settings(r->data)->damping = (int)(seed % 2);
  b.l = load_random(r, seed, 3);
  load_represent(r, &b.l, 4);
  b.nv = (size_t)r->nv, b.rows = (size_t)order + 1, b.size = b.nv * b.nv;
  b.dof = calloc(b.nv + 1, 1);
  assert_non_null(b.dof);
  rng g = rng_new(seed);
  for (int i = 0; i < r->nbody; i++) {
    const jn_joint *j = jn_model_joint(r->model, i);
    b.given[i] = rng_below(&g, 2) == 0;
    for (int c = 0; c < j->nv; c++) b.dof[j->iv + c] = b.given[i];
  }
  b.v = copy_of(r->v, r->n + b.nv);
  b.tau = robot_inverse(r, r->v, &b.l.external);
  return b;
}
static void bench_free(bench *b) {
  free(b->dof), free(b->v), free(b->tau);
  load_free(&b->l);
  robot_free(&b->r);
}

/* The size of the entries of row k of a matrix of derivatives: what errors are relative to. */
static double size_of(const double *x, size_t n) { return fmax(largest(x, n), 1e-3); }

/* Row k of `got` against `want`, relative to both, to the variation dv of the motion and the terms of
 * M dv^(k+1), which are solved for, to `least` at order 0, and to what frames that turn make of lower
 * rows. */
static void check_rows(const char *name, robot *r, const double *got, const double *want,
                       const double *dv, double least) {
  const size_t nv = (size_t)r->nv;
  double size = least, rate = 1, *M = doubles(nv * nv);
  assert_ok(jn_mass_matrix(r->model, r->data, r->q, M));
  for (int k = 0; k <= r->order; k++)
    rate = fmax(rate, pow(largest(r->v + (size_t)k * nv, nv), 1.0 / (k + 1)));
  for (size_t k = 0; k <= (size_t)r->order; k++) {
    const size_t at = k * nv;
    size = fmax(fmax((k ? 2 * rate : 1) * size, largest(dv + at, 2 * nv)),
                fmax(largest(got + at, nv), largest(want + at, nv)));
    for (size_t i = 0; i < nv * nv; i++) size = fmax(size, fabs(M[i] * dv[at + nv + i % nv]));
    check_residual(name, largest_difference(got + at, want + at, nv) / size, 1e-12);
  }
  free(M);
}

/* Column c of derivatives of y by an input, as a variation of the whole motion: inverse dynamics
 * must give the variation of all forces. u: order of the input (u < 0: q, v). */
static void check_column(bench *b, const double *D, size_t stride, int u, int by_v, size_t c) {
  robot *r = &b->r;
  const int K = r->order;
  const size_t nv = b->nv;
  double *dq = doubles(nv), *dv = doubles(r->n + nv), *tau = doubles(r->n);
  if (u < 0) (by_v ? dv : dq)[c] = 1;
  if (u >= 0 && b->dof[c]) dv[((size_t)u + 1) * nv + c] = 1;
  for (size_t k = 0; k < b->rows; k++)
    for (size_t i = 0; i < nv; i++)
      if (!b->dof[i]) dv[(k + 1) * nv + i] = D[k * stride + i * nv + c];
  assert_ok(jn_inverse_jvp(r->model, r->data, K, r->q, b->v, &b->l.external, dq, dv, tau));
  for (size_t k = 0; k < b->rows; k++) {
    double error = 0, size = 1e-3;
    for (size_t j = 0; j <= k; j++) size = fmax(size, largest(tau + j * nv, nv));
    size = fmax(size, largest(dv + k * nv, 2 * nv));
    for (size_t i = 0; i < nv; i++) {
      const double want =
          b->dof[i] ? D[k * stride + i * nv + c] : (double)(u == (int)k && !b->dof[c] && i == c);
      size = fmax(size, fabs(want));
      error = worse(error, fabs(tau[k * nv + i] - want));
    }
    check_residual(u < 0 ? by_v ? "by v" : "by q" : "by what is given", error / size, 1e-12);
  }
  free(dq), free(dv), free(tau);
}

static void hybrid_partials_satisfy_the_equations_of_motion(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 28; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t n = b.rows * b.size;
    double *dq = doubles(n), *dv = doubles(n), *du = doubles(n * b.rows);
    fill(dq, n, (double)NAN), fill(dv, n, (double)NAN), fill(du, n * b.rows, (double)NAN);
    assert_ok(jn_hybrid_partials(r->model, r->data, K, r->q, b.given, b.v, b.tau, &b.l.external, dq,
                                 dv, du));
    for (size_t c = 0; c < b.nv; c++) {
      check_column(&b, dq, b.size, -1, 0, c);
      check_column(&b, dv, b.size, -1, 1, c);
      for (int j = 0; j <= K; j++) {
        check_column(&b, du + (size_t)j * b.size, b.rows * b.size, j, 0, c);
        for (int k = 0; k < j; k++)
          for (size_t i = 0; i < b.nv; i++)
            assert_true(du[((size_t)k * b.rows + (size_t)j) * b.size + i * b.nv + c] == 0);
      }
    }
    free(dq), free(dv), free(du);
    bench_free(&b);
  }
}

static void without_and_with_all_joints_given_it_is_forward_and_inverse(void **state) {
  (void)state;
  for (uint64_t seed = 40; seed < 61; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t n = b.rows * b.size;
    double *dq = doubles(n), *dv = doubles(n), *du = doubles(n * b.rows), *eq = doubles(n),
           *ev = doubles(n * (b.rows + 1)), *eu = doubles(n * b.rows);
    memset(b.given, 0, sizeof b.given);
    assert_ok(jn_hybrid_partials(r->model, r->data, K, r->q, b.given, b.v, b.tau, &b.l.external, dq,
                                 dv, du));
    assert_ok(
        jn_forward_partials(r->model, r->data, K, r->q, b.v, b.tau, &b.l.external, eq, ev, eu));
    for (size_t k = 0; k < b.rows; k++) {
      const size_t at = k * b.size;
      check_residual("forward: q",
                     largest_difference(dq + at, eq + at, b.size) / size_of(eq + at, b.size),
                     1e-12);
      check_residual("forward: v",
                     largest_difference(dv + at, ev + at, b.size) / size_of(ev + at, b.size),
                     1e-12);
      check_residual("forward: tau",
                     largest_difference(du + b.rows * at, eu + b.rows * at, b.rows * b.size) /
                         size_of(eu + b.rows * at, b.rows * b.size),
                     1e-12);
    }
    memset(b.given, 1, sizeof b.given);
    assert_ok(jn_hybrid_partials(r->model, r->data, K, r->q, b.given, b.v, b.tau, &b.l.external, dq,
                                 dv, du));
    assert_ok(jn_inverse_partials(r->model, r->data, K, r->q, b.v, &b.l.external, eq, ev));
    for (size_t k = 0; k < b.rows; k++) {
      const double *e = ev + k * (b.rows + 1) * b.size;
      const size_t at = k * b.size;
      check_residual("inverse: q",
                     largest_difference(dq + at, eq + at, b.size) / size_of(eq + at, b.size),
                     1e-12);
      check_residual("inverse: v", largest_difference(dv + at, e, b.size) / size_of(e, b.size),
                     1e-12);
      check_residual("inverse: v', ...",
                     largest_difference(du + b.rows * at, e + b.size, b.rows * b.size) /
                         size_of(e + b.size, b.rows * b.size),
                     1e-12);
    }
    free(dq), free(dv), free(du), free(eq), free(ev), free(eu);
    bench_free(&b);
  }
}

static void gradients_of_forward_dynamics_are_transposed_matrices(void **state) {
  (void)state;
  for (uint64_t seed = 61; seed < 82; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t n = b.rows * b.size, nv = b.nv;
    double *dq = doubles(n), *dv = doubles(n), *dtau = doubles(n * b.rows), *w = doubles(r->n),
           *gq = doubles(nv), *gv = doubles(nv), *gt = doubles(r->n), *want = doubles(r->n);
    rng g = rng_new(seed);
    for (size_t i = 0; i < r->n; i++) w[i] = rng_range(&g, -1, 1);
    assert_ok(
        jn_forward_partials(r->model, r->data, K, r->q, b.v, b.tau, &b.l.external, dq, dv, dtau));
    assert_ok(jn_forward_vjp(r->model, r->data, K, r->q, b.v, b.tau, &b.l.external, w, gq, gv, gt));
    const double *D[2] = {dq, dv};
    double *G[2] = {gq, gv};
    for (int side = 0; side < 2; side++) {
      double size = 1e-3, error = 0;
      for (size_t c = 0; c < nv; c++) {
        double s = 0;
        for (size_t k = 0; k < r->n; k++) {
          s += w[k] * D[side][k * nv + c];
          size = fmax(size, fabs(w[k] * D[side][k * nv + c]));
        }
        error = worse(error, fabs(s - G[side][c]));
      }
      check_residual(side ? "gradient: v" : "gradient: q", error / size, 1e-12);
    }
    for (size_t j = 0; j < b.rows; j++) {
      double size = 1e-3, error = 0;
      for (size_t c = 0; c < nv; c++) {
        double s = 0;
        for (size_t k = j; k < b.rows; k++)
          for (size_t i = 0; i < nv; i++) {
            const double x = w[k * nv + i] * dtau[((k * b.rows + j) * nv + i) * nv + c];
            s += x;
            size = fmax(size, fabs(x));
          }
        error = worse(error, fabs(s - gt[j * nv + c]));
      }
      check_residual("gradient: tau", error / size, 1e-12);
    }
    free(dq), free(dv), free(dtau), free(w), free(gq), free(gv), free(gt), free(want);
    bench_free(&b);
  }
}

/* At given forces 0 = Y dpi + (inverse dynamics along the variation of the accelerations). */
static void accelerations_by_inertial_parameters_balance_the_regressor(void **state) {
  (void)state;
  for (uint64_t seed = 82; seed < 103; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t nv = b.nv, width = 10 * (size_t)r->nbody;
    double *D = doubles(b.rows * nv * width), *Y = doubles(b.rows * nv * width),
           *dv = doubles(r->n + nv), *tau = doubles(r->n), *y = doubles(r->n);
    assert_ok(jn_inertia_partials(r->model, r->data, K, r->q, b.v, b.tau, &b.l.external, D));
    assert_ok(jn_regressor(r->model, r->data, K, r->q, b.v, Y));
    for (size_t p = 0; p < width; p++) {
      for (size_t i = 0; i < r->n; i++) dv[nv + i] = D[i * width + p];
      assert_ok(jn_inverse_jvp(r->model, r->data, K, r->q, b.v, &b.l.external, NULL, dv, tau));
      for (size_t i = 0; i < r->n; i++) y[i] = -Y[i * width + p];
      check_rows("Y dpi + d tau", r, tau, y, dv, largest(Y, nv * width));
    }
    free(D), free(Y), free(dv), free(tau), free(y);
    bench_free(&b);
  }
}

/* ---- against Newton's law in 113 bits ---- */

/* Ten parameters of a body displaced by h along parameter `at` of its frame (jn_regressor). Second
 * moments E = tr(J)/2 - J: with x = R y + p from the body's to the link's frame
 *   h = R h + m p,   E = R E R^T + R h p^T + p (R h)^T + m p p^T */
static void quad_weigh(const jn_model *m, quad_robot *r, int body, int at, quad h) {
  quad_link *l = &r->link[m->body_link[body]];
  const jn_pose *own = &m->body_pose[body];
  const quad p[3] = {own->p.x, own->p.y, own->p.z};
  quad R[9], d[10] = {0}, Rh[3], E[9], F[9], first[3], trace = 0;
  for (int n = 0; n < 9; n++) R[n] = own->R.m[n / 3][n % 3];
  quad_orthonormalise(R);
  d[at] = h;
  const quad J[9] = {d[4], d[5], d[6], d[5], d[7], d[8], d[6], d[8], d[9]};
  for (int n = 0; n < 9; n++) E[n] = (n % 4 ? 0 : (J[0] + J[4] + J[8]) / 2) - J[n];
  for (int i = 0; i < 3; i++) Rh[i] = R[3 * i] * d[1] + R[3 * i + 1] * d[2] + R[3 * i + 2] * d[3];
  /* the body's own second moments about the link's origin */
  const quad *c = l->c, *K = l->J, half = (K[0] + K[3] + K[5]) / 2;
  const quad full[9] = {K[0], K[1], K[2], K[1], K[3], K[4], K[2], K[4], K[5]};
  for (int n = 0; n < 9; n++) {
    const int i = n / 3, j = n % 3;
    quad x = (i == j ? half : 0) - full[n] + l->m * c[i] * c[j];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) x += R[3 * i + a] * E[3 * a + b] * R[3 * j + b];
    F[n] = x + Rh[i] * p[j] + p[i] * Rh[j] + d[0] * p[i] * p[j];
  }
  for (int i = 0; i < 3; i++) first[i] = l->m * c[i] + Rh[i] + d[0] * p[i];
  l->m += d[0];
  for (int i = 0; i < 3; i++) l->c[i] = first[i] / l->m;
  for (int n = 0; n < 9; n++) F[n] -= l->m * l->c[n / 3] * l->c[n % 3];
  trace = F[0] + F[4] + F[8];
  const quad out[6] = {trace - F[0], -F[1], -F[2], trace - F[4], -F[5], trace - F[8]};
  memcpy(l->J, out, sizeof out);
}

/* What varies: degree of freedom c of q, v along dv, parameter `at` of a body; -1: none */
typedef struct varied {
  int c, body, at;
  const double *dv;
} varied;

/* tau^(k) along it, k = 0..K, by four points */
static void newton_jvp(twin *b, const varied *x, double *out) {
  const jn_model *m = b->r.model;
  const int K = b->r.order;
  const size_t n = b->r.n, nv = (size_t)b->r.nv;
  const quad h = (quad)1 / 1048576, at[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
  quad *q = quads((size_t)b->r.nq + 1), *v = quads(n + nv), *tau = quads(n), *sum = quads(n);
  for (int i = 0; i < 4; i++) {
    quad_robot *r = b->exact;
    memcpy(q, b->q, (size_t)b->r.nq * sizeof *q);
    if (x->c >= 0) quad_move(m, b->q, x->c, at[i], q);
    for (size_t k = 0; k < n + nv; k++) v[k] = b->v[k] + at[i] * x->dv[k];
    if (x->body >= 0) {
      r = quad_robot_new(m, jn_data_settings(b->r.data)->gravity);
      quad_weigh(m, r, x->body, x->at, at[i]);
    }
    newton_inverse(r, K, b->user, q, v, tau);
    for (size_t k = 0; k < n; k++) sum[k] += weight[i] * tau[k] / (12 * h);
    if (r != b->exact) quad_robot_free(r);
  }
  for (size_t k = 0; k < n; k++) out[k] = (double)sum[k];
  free(q), free(v), free(tau), free(sum);
}

/* Column c of hybrid partials (u < 0: by q or v, else by u^(u)): the varied motion needs the varied
 * forces. */
static void check_newton_column(twin *b, const unsigned char *dof, const double *D, size_t stride,
                                int u, int by_v, size_t c) {
  robot *r = &b->r;
  const size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1;
  double *dv = doubles(r->n + nv), *want = doubles(r->n), *got = doubles(r->n);
  const varied x = {u < 0 && !by_v ? (int)c : -1, -1, 0, dv};
  if (u < 0 && by_v) dv[c] = 1;
  if (u >= 0) (dof[c] ? dv + nv : want)[(size_t)u * nv + c] = 1;
  for (size_t k = 0; k < rows; k++)
    for (size_t i = 0; i < nv; i++)
      (dof[i] ? want : dv + nv)[k * nv + i] += D[k * stride + i * nv + c];
  newton_jvp(b, &x, got);
  check_rows(u < 0 ? by_v ? "by v, 113 bits" : "by q, 113 bits" : "by what is given, 113 bits", r,
             got, want, dv, 1e-3);
  free(dv), free(want), free(got);
}

static void hybrid_partials_are_differences_of_newtons_law(void **state) {
  (void)state;
  for (uint64_t seed = 200; seed < 228; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_of(seed, K > 3 ? 2 : 3, K);
    robot *r = &b.r;
    const size_t nv = (size_t)r->nv, rows = (size_t)K + 1, size = nv * nv, n = rows * size;
    unsigned char given[64] = {0}, dof[256] = {0};
    for (int i = 0; i < r->nbody; i++) {
      const jn_joint *j = jn_model_joint(r->model, i);
      given[i] = (unsigned char)(seed % 3 ? rng_below(&b.random, 2) : 0); /* or forward dynamics */
      for (int c = 0; c < j->nv; c++) dof[j->iv + c] = given[i];
    }
    double *tau = robot_inverse(r, r->v, NULL), *dq = doubles(n), *dv = doubles(n),
           *du = doubles(n * rows);
    assert_ok(jn_hybrid_partials(r->model, r->data, K, r->q, given, r->v, tau, NULL, dq, dv, du));
    for (size_t c = 0; c < nv; c++) {
      check_newton_column(&b, dof, dq, size, -1, 0, c);
      check_newton_column(&b, dof, dv, size, -1, 1, c);
      for (int j = rng_below(&b.random, 2); j <= K; j += 2)
        check_newton_column(&b, dof, du + (size_t)j * size, rows * size, j, 0, c);
    }
    free(tau), free(dq), free(dv), free(du);
    twin_free(&b);
  }
}

/* With parameters and accelerations moved along a column the forces stay. */
static void inertia_partials_are_differences_of_newtons_law(void **state) {
  (void)state;
  for (uint64_t seed = 240; seed < 261; seed++) {
    const int K = (int)(seed % 7);
    twin b = twin_of(seed, K > 3 ? 2 : 3, K);
    robot *r = &b.r;
    const size_t nv = (size_t)r->nv, width = 10 * (size_t)r->nbody;
    double *tau = robot_inverse(r, r->v, NULL), *D = doubles(r->n * width + 1),
           *dv = doubles(r->n + nv), *zero = doubles(r->n + nv), *got = doubles(r->n),
           *Y = doubles(r->n);
    assert_ok(jn_inertia_partials(r->model, r->data, K, r->q, r->v, tau, NULL, D));
    for (size_t p = 0; p < width; p++) {
      const varied still = {-1, (int)(p / 10), (int)(p % 10), zero},
                   moved = {-1, (int)(p / 10), (int)(p % 10), dv};
      if (!(b.exact->link[r->model->body_link[p / 10]].m > 0)) continue;
      for (size_t i = 0; i < r->n; i++) dv[nv + i] = D[i * width + p];
      newton_jvp(&b, &still, Y);
      newton_jvp(&b, &moved, got); /* Y + what the accelerations add = 0 */
      for (size_t i = 0; i < r->n; i++) got[i] += Y[i];
      check_rows("by inertial parameters, 113 bits", r, got, Y, dv, 1e-3);
    }
    free(tau), free(D), free(dv), free(zero), free(got), free(Y);
    twin_free(&b);
  }
}

/* ---- slopes ---- */

typedef struct watched {
  robot *r;
  const unsigned char *dof;
  const double *weight, *tau; /* of v', ..., and the forces */
  int link;                   /* whose mass grows */
} watched;

/* y at t + h: forces where motion is given, accelerations elsewhere */
static void answer_at(void *context, double h, double *out) {
  watched *x = context;
  robot *r = x->r;
  robot_at(r, 0.3 + h);
  double *tau = robot_inverse(r, r->v, NULL);
  for (int i = 0; i < r->nv; i++) out[i] = x->dof[i] ? tau[i] : r->v[r->nv + i];
  free(tau);
}

/* The chain rule along a motion: y^(k+1) = dy^(k)/dq v + dy^(k)/dv v' + sum of dy^(k)/du^(j) u^(j+1).
 * What it gives predicts y(t + h). */
static void hybrid_partials_predict_what_follows(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 21; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K + 1);
    robot *r = &b.r;
    jn_data_settings(r->data)->damping = 0;
    robot_represent(r, JN_BODY); /* dq = v */
    const size_t nv = b.nv, size = b.size, rows = (size_t)K + 1, n = rows * size;
    watched w = {r, b.dof, NULL, NULL, 0};
    double *jet = doubles((rows + 1) * nv), *dq = doubles(n), *dv = doubles(n),
           *du = doubles(n * rows);
    answer_at(&w, 0, jet);
    double *tau = robot_inverse(r, r->v, NULL);
    assert_ok(jn_hybrid_partials(r->model, r->data, K, r->q, b.given, r->v, tau, NULL, dq, dv, du));
    for (size_t k = 0; k < rows; k++)
      for (size_t i = 0; i < nv; i++) {
        double y = 0;
        for (size_t c = 0; c < nv; c++) {
          y += dq[k * size + i * nv + c] * r->v[c] + dv[k * size + i * nv + c] * r->v[nv + c];
          for (size_t j = 0; j <= k; j++)
            y += du[((k * rows + j) * nv + i) * nv + c] *
                 (b.dof[c] ? r->v + 2 * nv : tau + nv)[j * nv + c];
        }
        jet[(k + 1) * nv + i] = y;
      }
    jn_jet_to_taylor(K + 1, r->nv, jet);
    const double slope = slope_of_jet(K + 1, nv, jet, answer_at, &w);
    if (slope >= 0) check_residual("K+2 - slope of hybrid", fmax(0, K + 2 - slope), 0.6);
    free(jet), free(dq), free(dv), free(du), free(tau);
    bench_free(&b);
  }
}

/* sum of weight_k . v^(k+1) at t + h */
static void weighed_at(void *context, double h, double *out) {
  watched *x = context;
  robot *r = x->r;
  robot_at(r, 0.3 + h);
  *out = 0;
  for (size_t i = 0; i < r->n - (size_t)r->nv; i++) *out += x->weight[i] * r->v[(size_t)r->nv + i];
}

/* dL/dt = gradient . (v, v', tau', tau'', ...) */
static void gradients_predict_what_follows(void **state) {
  (void)state;
  for (uint64_t seed = 22; seed <= 42; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K + 1);
    robot *r = &b.r;
    jn_data_settings(r->data)->damping = 0;
    robot_represent(r, JN_BODY);
    const size_t nv = b.nv, n = ((size_t)K + 1) * nv;
    double *weight = doubles(n), *gq = doubles(nv), *gv = doubles(nv), *gt = doubles(n), jet[2],
           scale = 1;
    rng g = rng_new(seed);
    for (size_t i = 0; i < n; i++) {
      if (i % nv == 0) scale = fmax(scale, largest(r->v + nv + i, nv));
      weight[i] = rng_range(&g, -1, 1) / scale;
    }
    watched w = {r, b.dof, weight, NULL, 0};
    weighed_at(&w, 0, jet);
    double *tau = robot_inverse(r, r->v, NULL);
    assert_ok(jn_forward_vjp(r->model, r->data, K, r->q, r->v, tau, NULL, weight, gq, gv, gt));
    double want = 0, size = 0;
    jet[1] = 0;
    for (size_t i = 0; i < nv; i++) {
      jet[1] += gq[i] * r->v[i] + gv[i] * r->v[nv + i];
      size += fabs(gq[i] * r->v[i]) + fabs(gv[i] * r->v[nv + i]);
    }
    for (size_t i = 0; i < n; i++) {
      jet[1] += gt[i] * tau[nv + i];
      size += fabs(gt[i] * tau[nv + i]);
      want += weight[i] * r->v[2 * nv + i];
    }
    check_residual("gradient along the motion", fabs(jet[1] - want) / size, 1e-12);
    const double slope = slope_of_jet(1, 1, jet, weighed_at, &w);
    if (slope >= 0) check_residual("2 - slope of gradients", fmax(0, 2 - slope), 0.3);
    free(weight), free(gq), free(gv), free(gt), free(tau);
    bench_free(&b);
  }
}

/* v', ..., v^(K+1) at the same forces, a link with a mass of (1 + h) times its own */
static void heavier(void *context, double h, double *out) {
  watched *x = context;
  robot *r = x->r;
  jn_data *data;
  jn_link_desc *link = jn_spec_link(r->spec, x->link);
  const double mass = link->mass;
  link->mass *= 1 + h;
  jn_model *model = build(r->spec);
  link->mass = mass;
  assert_ok(jn_data_new(model, r->order, NULL, &data));
  *jn_data_settings(data) = *jn_data_settings(r->data);
  assert_ok(jn_forward_dynamics(model, data, r->order, r->q, r->v, x->tau, NULL, out));
  jn_data_free(data);
  jn_model_free(model);
}
static void parameters_of(const jn_model *m, int body, double *pi) {
  const jn_inertia *I = &jn_model_body(m, body)->inertia;
  const double x[10] = {I->m, I->h.x, I->h.y, I->h.z, I->xx, I->xy, I->xz, I->yy, I->yz, I->zz};
  memcpy(pi, x, sizeof x);
}

/* A mass moves all parameters of its body in proportion: a'(h) = D pi'(h). */
static void inertia_partials_predict_a_heavier_link(void **state) {
  (void)state;
  for (uint64_t seed = 43; seed <= 63; seed++) {
    const int K = (int)(seed % 7);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    jn_data_settings(r->data)->damping = 0;
    const size_t n = r->n, width = 10 * (size_t)r->nbody;
    double *tau = robot_inverse(r, r->v, NULL), *D = doubles(n * width), *jet = doubles(2 * n);
    rng g = rng_new(seed);
    watched w = {r, b.dof, NULL, tau, rng_below(&g, jn_spec_link_count(r->spec))};
    heavier(&w, 0, jet);
    assert_ok(jn_inertia_partials(r->model, r->data, K, r->q, r->v, tau, NULL, D));
    jn_link_desc *link = jn_spec_link(r->spec, w.link);
    link->mass *= 2;
    jn_model *twice = build(r->spec);
    link->mass /= 2;
    for (int body = 0; body < r->nbody; body++) {
      double p[10], p2[10];
      parameters_of(r->model, body, p), parameters_of(twice, body, p2);
      for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 10; c++)
          jet[n + i] += D[i * width + 10 * (size_t)body + c] * (p2[c] - p[c]);
    }
    const double slope = slope_of_jet(1, n, jet, heavier, &w);
    if (slope >= 0) check_residual("2 - slope of a heavier link", fmax(0, 2 - slope), 0.3);
    free(tau), free(D), free(jet);
    jn_model_free(twice);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hybrid_partials_satisfy_the_equations_of_motion),
      cmocka_unit_test(without_and_with_all_joints_given_it_is_forward_and_inverse),
      cmocka_unit_test(gradients_of_forward_dynamics_are_transposed_matrices),
      cmocka_unit_test(accelerations_by_inertial_parameters_balance_the_regressor),
      cmocka_unit_test(hybrid_partials_are_differences_of_newtons_law),
      cmocka_unit_test(inertia_partials_are_differences_of_newtons_law),
      cmocka_unit_test(hybrid_partials_predict_what_follows),
      cmocka_unit_test(gradients_predict_what_follows),
      cmocka_unit_test(inertia_partials_predict_a_heavier_link),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
