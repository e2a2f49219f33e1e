/* test_hybrid_partials.c: partial derivatives of hybrid dynamics, gradients of forward dynamics, and
 * accelerations by inertial parameters, against directional derivatives of inverse dynamics. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"
#include "helpers/tree.h"

static const jn_representation all[4] = {JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED};
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
  robot_represent(r, all[seed / 2 % 4]);
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
  for (uint64_t seed = 1; seed <= 27; seed++) {
    const int K = (int)(seed % 4);
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
  for (uint64_t seed = 40; seed < 52; seed++) {
    const int K = (int)(seed % 4);
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
  for (uint64_t seed = 60; seed < 78; seed++) {
    const int K = (int)(seed % 5);
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
  for (uint64_t seed = 80; seed < 98; seed++) {
    const int K = (int)(seed % 5);
    bench b = bench_new(seed, K);
    robot *r = &b.r;
    const size_t nv = b.nv, width = 10 * (size_t)r->nbody;
    double *D = doubles(b.rows * nv * width), *Y = doubles(b.rows * nv * width),
           *dv = doubles(r->n + nv), *tau = doubles(r->n);
    assert_ok(jn_inertia_partials(r->model, r->data, K, r->q, b.v, b.tau, &b.l.external, D));
    assert_ok(jn_regressor(r->model, r->data, K, r->q, b.v, Y));
    for (size_t p = 0; p < width; p++) {
      for (size_t i = 0; i < r->n; i++) dv[nv + i] = D[i * width + p];
      assert_ok(jn_inverse_jvp(r->model, r->data, K, r->q, b.v, &b.l.external, NULL, dv, tau));
      for (size_t k = 0; k < b.rows; k++) {
        double error = 0, size = 1e-3;
        for (size_t i = k * nv; i < (k + 1) * nv; i++) {
          error = worse(error, fabs(tau[i] + Y[i * width + p]));
          size = fmax(size, fmax(fabs(tau[i]), fmax(fabs(dv[i]), fabs(dv[i + nv]))));
        }
        check_residual("Y dpi + d tau", error / size, 1e-12);
      }
    }
    free(D), free(Y), free(dv), free(tau);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hybrid_partials_satisfy_the_equations_of_motion),
      cmocka_unit_test(without_and_with_all_joints_given_it_is_forward_and_inverse),
      cmocka_unit_test(gradients_of_forward_dynamics_are_transposed_matrices),
      cmocka_unit_test(accelerations_by_inertial_parameters_balance_the_regressor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
