/* test_partials.c: partial derivatives of the dynamics compared with differences on the group, the
 * chain rule in time, products that must be the identity, and published values of real robots of
 * order 0. */
#include "helpers/spoil.h" /* before check.h, which defines a macro U */

#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/load.h"
#include "helpers/published.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

typedef struct along {
  robot *r;
  const jn_external *external;
  const double *q, *v, *tau; /* the state; tau: forward dynamics */
  int row, column;           /* row -1: q; 0..: v^(row); -2 - j: tau^(j) */
  double *mq, *mv;           /* scratch */
} along;

static void evaluate(void *context, double s, double *out) {
  along *a = context;
  robot *r = a->r;
  size_t nv = (size_t)r->nv;
  memcpy(a->mq, a->q, sizeof *a->mq * (size_t)r->nq);
  memcpy(a->mv, a->v, sizeof *a->mv * (r->n + nv));
  double *tau = a->tau ? copy_of(a->tau, r->n) : NULL;
  if (a->row == -1)
    move_along(r->model, a->q, a->column, s, a->mq);
  else if (a->row >= 0)
    a->mv[(size_t)a->row * nv + (size_t)a->column] += s;
  else
    tau[(size_t)(-2 - a->row) * nv + (size_t)a->column] += s;
  if (tau)
    assert_ok(
        jn_forward_dynamics(r->model, r->data, r->order, a->mq, a->mv, tau, a->external, out));
  else
    assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, a->mq, a->mv, a->external, out));
  free(tau);
}

static along along_new(robot *r, const double *tau, const jn_external *external) {
  return (along){
      r, external, r->q, r->v, tau, 0, 0, doubles((size_t)r->nq), doubles(r->n + (size_t)r->nv)};
}
static void along_free(along *a) {
  free(a->mq);
  free(a->mv);
}

/* max over k of |got - want| of one column against the largest entry of that block, or a thousandth
 * of the largest of M: a block may vanish */
static double column_error(const robot *r, const double *want, const double *got, size_t stride,
                           int column, double floor) {
  size_t nv = (size_t)r->nv;
  double worst = 0;
  for (int k = 0; k <= r->order; k++) {
    const double *block = got + (size_t)k * stride;
    double size = fmax(largest(block, nv * nv), floor), error = 0;
    for (size_t i = 0; i < nv; i++)
      error = worse(error, fabs(block[i * nv + (size_t)column] - want[(size_t)k * nv + i]));
    if (size > 0) worst = worse(worst, error / size);
  }
  return worst;
}

static void check_inverse(robot *r, const jn_external *external, const char *name, double bound) {
  size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, square = nv * nv;
  double *dq = doubles(rows * square), *dv = doubles(rows * (rows + 1) * square),
         *want = doubles(r->n);
  along a = along_new(r, NULL, external);
  assert_ok(jn_inverse_partials(r->model, r->data, r->order, r->q, r->v, external, dq, dv));
  double floor = 1e-3 * largest(dv + square, square);
  for (int c = 0; c < r->nv; c++)
    for (int j = -1; j <= r->order + 1; j++) {
      a.row = j, a.column = c;
      derivative(evaluate, &a, 0.2, r->n, want);
      const double *got = j < 0 ? dq : dv + (size_t)j * square;
      check_residual(
          name, column_error(r, want, got, j < 0 ? square : (rows + 1) * square, c, floor), bound);
    }
  along_free(&a);
  free(dq), free(dv), free(want);
}

static void inverse_partials_are_differences_on_the_group(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 36; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 4), bases[seed % COUNT(bases)], TYPES_ALL,
                           (int)(seed % 5));
    robot_represent(&r, JN_BODY);
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    check_inverse(&r, NULL, "inverse, body", 1e-9);
    robot_represent(&r, representations[seed / 2 % 4]);
    check_inverse(&r, NULL, "inverse, all representations", 1e-9);
    robot_free(&r);
  }
}

static void joints_with_several_freedoms_anywhere_in_the_tree(void **state) {
  (void)state;
  for (uint64_t seed = 50; seed < 74; seed++) {
    unsigned types = seed % 2 ? TYPE(FREE) | TYPE(SPHERICAL) : TYPE(FREE) | TYPE(REVOLUTE);
    robot r =
        robot_random(seed, 3, seed % 3 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, types, (int)(seed % 5));
    robot_represent(&r, representations[seed / 2 % 4]);
    static const char *const names[4] = {
        "inverse, free joints, spatial", "inverse, free joints, body",
        "inverse, free joints, hybrid", "inverse, free joints, mixed"};
    check_inverse(&r, NULL, names[seed / 2 % 4], 1e-9);
    robot_free(&r);
  }
}

static void applied_wrenches_vary_as_they_are_given(void **state) {
  (void)state;
  for (uint64_t seed = 100; seed < 124; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 4), bases[seed % COUNT(bases)], TYPES_ALL,
                           (int)(seed % 4));
    robot_represent(&r, representations[seed / 2 % 4]);
    load l = load_random(&r, seed, 4);
    check_inverse(&r, &l.external, "inverse, wrenches in the body", 1e-9);
    load_represent(&r, &l, 4);
    check_inverse(&r, &l.external, "inverse, wrenches in all representations", 1e-9);
    load_free(&l);
    robot_free(&r);
  }
}

static void check_forward(robot *r, const jn_external *external, const char *name, double bound) {
  size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, square = nv * nv;
  double *dq = doubles(rows * square), *dv = doubles(rows * square),
         *dtau = doubles(rows * rows * square);
  double *want = doubles(r->n), *tau = robot_inverse(r, r->v, external);
  along a = along_new(r, tau, external);
  assert_ok(
      jn_forward_partials(r->model, r->data, r->order, r->q, r->v, tau, external, dq, dv, dtau));
  double floor = 1e-3 * largest(dtau, square);
  for (int c = 0; c < r->nv; c++)
    for (int j = 0; j <= r->order + 2; j++) {
      a.row = j == 0 ? -1 : j == 1 ? 0 : -j, a.column = c;
      derivative(evaluate, &a, 0.1, r->n, want);
      const double *got = j == 0 ? dq : j == 1 ? dv : dtau + (size_t)(j - 2) * square;
      check_residual(name, column_error(r, want, got, j < 2 ? square : rows * square, c, floor),
                     bound);
    }
  along_free(&a);
  free(dq), free(dv), free(dtau), free(want), free(tau);
}

static void forward_partials_are_differences_on_the_group(void **state) {
  (void)state;
  for (uint64_t seed = 200; seed < 230; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 4), bases[seed % COUNT(bases)], TYPES_ALL,
                           (int)(seed % 4));
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    robot_represent(&r, representations[seed / 2 % 4]);
    check_forward(&r, NULL, "forward", 1e-8);
    load l = load_random(&r, seed, 4);
    load_represent(&r, &l, 4);
    check_forward(&r, &l.external, "forward, with wrenches", 1e-8);
    load_free(&l);
    robot_free(&r);
  }
}

/* x += A y, A [n x n] */
static void multiply(size_t n, const double *A, const double *y, double *x) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) x[i] += A[i * n + j] * y[j];
}

static void the_chain_rule_in_time_gives_the_next_order(void **state) {
  (void)state;
  for (uint64_t seed = 300; seed < 336; seed++) {
    int K = 1 + (int)(seed % 8);
    robot r = robot_random(seed, 3 + (int)(seed % 12), bases[seed % COUNT(bases)], TYPES_ALL, K);
    size_t nv = (size_t)r.nv, square = nv * nv, rows = (size_t)K;
    double *tau = robot_inverse(&r, r.v, NULL), *scale = doubles((size_t)K + 1);
    double *dq = doubles(rows * square), *dv = doubles(rows * (rows + 1) * square),
           *x = doubles(nv);
    force_scale(&r, r.v, tau, scale);
    assert_ok(jn_inverse_partials(r.model, r.data, K - 1, r.q, r.v, NULL, dq, dv));
    for (size_t k = 0; k < rows; k++) {
      fill(x, nv, 0);
      multiply(nv, dq + k * square, r.v, x);
      for (size_t j = 0; j <= k + 1; j++)
        multiply(nv, dv + (k * (rows + 1) + j) * square, r.v + (j + 1) * nv, x);
      check_residual("tau^(k+1) = sum of d tau^(k) / d v^(j) v^(j+1)",
                     largest_difference(x, tau + (k + 1) * nv, nv) / scale[k + 1], 1e-12);
    }
    free(tau), free(scale), free(dq), free(dv), free(x);
    robot_free(&r);
  }
}

static void the_newest_derivative_enters_by_the_mass_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 400; seed < 416; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 9), bases[seed % COUNT(bases)], TYPES_ALL, 4);
    robot_represent(&r, representations[seed % 4]);
    size_t nv = (size_t)r.nv, square = nv * nv;
    double *dv = doubles(30 * square), *M = doubles(square);
    assert_ok(jn_mass_matrix(r.model, r.data, r.q, M));
    assert_ok(jn_inverse_partials(r.model, r.data, 4, r.q, r.v, NULL, NULL, dv));
    for (size_t k = 0; k <= 4; k++) {
      assert_true(same_bits(dv + (6 * k + k + 1) * square, dv + square, square));
      check_residual("d tau^(k) / d v^(k+1) = M",
                     largest_difference(dv + (7 * k + 1) * square, M, square) / largest(M, square),
                     64 * U);
      for (size_t j = k + 2; j < 6; j++)
        assert_true(all_equal_to(dv + (6 * k + j) * square, square, 0));
    }
    /* order 0 by its own kernel */
    double *one = doubles(2 * square), *dq = doubles(square), *dq4 = doubles(5 * square);
    assert_ok(jn_inverse_partials(r.model, r.data, 0, r.q, r.v, NULL, dq, one));
    assert_ok(jn_inverse_partials(r.model, r.data, 4, r.q, r.v, NULL, dq4, NULL));
    check_residual("order 0 = first block of order 4",
                   largest_difference(dq, dq4, square) / largest(dq4, square), 64 * U);
    check_residual("order 0 = first block of order 4",
                   largest_difference(one, dv, 2 * square) / largest(dv, 2 * square), 64 * U);
    free(dv), free(M), free(one), free(dq), free(dq4);
    robot_free(&r);
  }
}

static void directions_and_gradients_agree_with_the_matrices(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 536; seed++) {
    int K = (int)(seed % 6);
    robot r = robot_random(seed, 2 + (int)(seed % 9), bases[seed % COUNT(bases)], TYPES_ALL, K);
    robot_represent(&r, representations[seed / 2 % 4]);
    jn_data_settings(r.data)->damping = seed % 2 == 0;
    load l = load_random(&r, seed, 3);
    load_represent(&r, &l, 4);
    size_t nv = (size_t)r.nv, square = nv * nv, rows = (size_t)K + 1;
    rng g = rng_new(seed);
    double *dq = doubles(rows * square), *dv = doubles(rows * (rows + 1) * square),
           *x = doubles(nv);
    double *yv = doubles(r.n + nv), *out = doubles(r.n), *want = doubles(r.n), *w = doubles(r.n);
    double *gq = doubles(nv), *gv = doubles(r.n + nv);
    for (size_t i = 0; i < nv; i++) x[i] = rng_range(&g, -1, 1);
    for (size_t i = 0; i < r.n + nv; i++) yv[i] = rng_range(&g, -1, 1);
    for (size_t i = 0; i < r.n; i++) w[i] = rng_range(&g, -1, 1);
    assert_ok(jn_inverse_partials(r.model, r.data, K, r.q, r.v, &l.external, dq, dv));
    assert_ok(jn_inverse_jvp(r.model, r.data, K, r.q, r.v, &l.external, x, yv, out));
    assert_ok(jn_inverse_vjp(r.model, r.data, K, r.q, r.v, &l.external, w, gq, gv));
    double left = 0, right = 0, size = 0;
    for (size_t k = 0; k < rows; k++) {
      multiply(nv, dq + k * square, x, want + k * nv);
      for (size_t j = 0; j <= rows; j++)
        multiply(nv, dv + (k * (rows + 1) + j) * square, yv + j * nv, want + k * nv);
    }
    check_residual("direction = matrices times vector", row_error(K + 1, nv, out, want, NULL),
                   1e-12);
    for (size_t i = 0; i < r.n; i++) left += w[i] * want[i], size += fabs(w[i] * want[i]);
    for (size_t i = 0; i < nv; i++) right += gq[i] * x[i], size += fabs(gq[i] * x[i]);
    for (size_t i = 0; i < r.n + nv; i++) right += gv[i] * yv[i], size += fabs(gv[i] * yv[i]);
    check_residual("gradient . direction = weight . result", fabs(left - right) / size, 1e-13);
    free(dq), free(dv), free(x), free(yv), free(out), free(want), free(w), free(gq), free(gv);
    load_free(&l);
    robot_free(&r);
  }
}

/* Inverse partials of the variation that forward partials give must return the variation of tau.
 * `row` as in along; the residual is relative to the sum of magnitudes. */
static double round_trip(robot *r, const double *dq, const double *dv, const double *a, int row,
                         int column) {
  size_t nv = (size_t)r->nv, square = nv * nv, rows = (size_t)r->order + 1;
  double worst = 0;
  for (size_t k = 0; k < rows; k++) {
    double error = 0, most = 0;
    for (size_t i = 0; i < nv; i++) {
      double s = row == -2 - (int)k && (int)i == column ? -1 : 0, size = fabs(s);
      if (row == -1) s += dq[k * square + i * nv + (size_t)column], size += fabs(s);
      for (size_t j = 0; j <= k + 1; j++)
        for (size_t c = 0; c < nv; c++) {
          double v = j ? a[(j - 1) * nv + c] : row == 0 && (int)c == column;
          double t = dv[(k * (rows + 1) + j) * square + i * nv + c] * v;
          s += t;
          size += fabs(t);
        }
      error = worse(error, fabs(s));
      most = fmax(most, size);
    }
    /* a variation without an effect leaves only rounding */
    worst = worse(worst, error / fmax(most, 1e-3));
  }
  return worst;
}

static void forward_partials_undo_the_inverse_ones(void **state) {
  (void)state;
  for (uint64_t seed = 600; seed < 630; seed++) {
    int K = (int)(seed % 5);
    robot r = robot_random(seed, 2 + (int)(seed % 8), bases[seed % COUNT(bases)], TYPES_ALL, K);
    robot_represent(&r, representations[seed / 2 % 4]);
    jn_data_settings(r.data)->damping = seed % 2 == 0;
    size_t nv = (size_t)r.nv, square = nv * nv, rows = (size_t)K + 1;
    double *dq = doubles(rows * square), *dv = doubles(rows * (rows + 1) * square),
           *x = doubles(r.n);
    double *fq = doubles(rows * square), *fv = doubles(rows * square),
           *ft = doubles(rows * rows * square);
    double *tau = robot_inverse(&r, r.v, NULL), *e = doubles(r.n), *y = doubles(r.n);
    assert_ok(jn_forward_partials(r.model, r.data, K, r.q, r.v, tau, NULL, fq, fv, ft));
    double *v = robot_forward(&r, tau, NULL);
    assert_ok(jn_inverse_partials(r.model, r.data, K, r.q, v, NULL, dq, dv));
    for (int c = 0; c < r.nv; c++)
      for (int row = -1 - K - 1; row <= 0; row++) {
        const double *from = row == -1 ? fq : row == 0 ? fv : ft + (size_t)(-2 - row) * square;
        for (size_t k = 0; k < rows; k++)
          for (size_t i = 0; i < nv; i++)
            x[k * nv + i] = from[k * (row >= -1 ? square : rows * square) + i * nv + (size_t)c];
        check_residual("inverse partials of forward partials", round_trip(&r, dq, dv, x, row, c),
                       1e-12);
        /* one direction alone */
        fill(e, r.n, 0);
        e[row < -1 ? (size_t)(-2 - row) * nv + (size_t)c : (size_t)c] = 1;
        assert_ok(jn_forward_jvp(r.model, r.data, K, r.q, r.v, tau, NULL, row == -1 ? e : NULL,
                                 row == 0 ? e : NULL, row < -1 ? e : NULL, y));
        /* another way to M^-1: compared as forces, where the conditioning of M has no part */
        check_residual("inverse partials of a forward direction", round_trip(&r, dq, dv, y, row, c),
                       1e-12);
      }
    free(dq), free(dv), free(x), free(fq), free(fv), free(ft), free(tau), free(v), free(e), free(y);
    robot_free(&r);
  }
}

/* ---- real robots, if the shared folder exists ---- */

static void check_robot(const published *p) {
  const size_t nv = p->nv, n2 = nv * nv;
  double *x = doubles(5 * n2);
#define CHECK(name, got, limit) \
  check_residual("robots, " name, published_error(p, name, got, nv), limit)
  assert_ok(jn_inverse_partials(p->model, p->data, 0, p->q, p->v, NULL, x, x + n2));
  CHECK("dtau_dq", x, 1e-11);
  CHECK("dtau_dv", x + n2, 1e-11);
  CHECK("M", x + 2 * n2, 1e-12);
  assert_ok(
      jn_forward_partials(p->model, p->data, 0, p->q, p->v, p->tau, NULL, x, x + n2, x + 2 * n2));
  CHECK("dacc_dq", x, 1e-9);
  CHECK("dacc_dv", x + n2, 1e-9);
  CHECK("Minv", x + 2 * n2, 1e-9);
#undef CHECK
  free(x);
}

static void real_robots_agree_with_published_values(void **state) {
  (void)state;
  each_published_robot(check_robot);
}

/* ---- independence of the scratch memory, and refusals ---- */

static void scratch_full_of_nan_changes_no_bit(void **state) {
  (void)state;
  for (uint64_t seed = 1000; seed < 1018; seed++) {
    int K = (int)(seed % 4);
    robot r = robot_random(seed, 1 + (int)(seed % 7), bases[seed % COUNT(bases)], TYPES_ALL, K);
    robot_represent(&r, representations[seed / 3 % 4]);
    load l = load_random(&r, seed, 3);
    load_represent(&r, &l, 4);
    size_t nv = (size_t)r.nv, n2 = nv * nv, rows = (size_t)K + 1, nb = (size_t)r.nbody;
    size_t n = rows * (2 * rows + 6) * n2 + rows * nv * 16 * nb + 8 * r.n + 100;
    double *x[2] = {doubles(n), doubles(n)}, *tau = robot_inverse(&r, r.v, &l.external);
    for (int i = 0; i < 2; i++) {
      double *o = x[i];
      const jn_external *e = &l.external;
#define CALL(size, call) (robot_spoil(&r), assert_ok(call), o += (size))
      CALL(rows * (rows + 2) * n2,
           jn_inverse_partials(r.model, r.data, K, r.q, r.v, e, o, o + rows * n2));
      CALL(rows * (rows + 2) * n2, jn_forward_partials(r.model, r.data, K, r.q, r.v, tau, e, o,
                                                       o + rows * n2, o + 2 * rows * n2));
      CALL(r.n, jn_inverse_jvp(r.model, r.data, K, r.q, r.v, e, r.v, r.v, o));
      CALL(r.n + 2 * nv, jn_inverse_vjp(r.model, r.data, K, r.q, r.v, e, tau, o, o + nv));
      CALL(r.n, jn_forward_jvp(r.model, r.data, K, r.q, r.v, tau, e, r.v, r.v, tau, o));
      CALL(rows * nv * 10 * nb, jn_regressor(r.model, r.data, K, r.q, r.v, o));
      CALL(rows * nv * 6 * nb, jn_geometry_partials(r.model, r.data, K, r.q, r.v, e, o));
      assert_true((size_t)(o - x[i]) <= n);
#undef CALL
    }
    assert_true(same_bits(x[0], x[1], n));
    free(x[0]), free(x[1]), free(tau);
    load_free(&l);
    robot_free(&r);
  }
}

static void bad_calls_leave_the_results_alone(void **state) {
  (void)state;
  robot r = robot_random(7, 5, JN_JOINT_FREE, TYPE(REVOLUTE) | TYPE(SPHERICAL), 2);
  size_t nv = (size_t)r.nv, n2 = nv * nv;
  double *x = doubles(30 * n2), *v = copy_of(r.v, r.n + nv), *tau = robot_inverse(&r, r.v, NULL);
  fill(x, 30 * n2, 7);
  const jn_second_forward nothing = {0};
  assert_status(jn_inverse_partials(NULL, r.data, 0, r.q, v, NULL, x, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_partials(r.model, r.data, -1, r.q, v, NULL, x, x), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_partials(r.model, r.data, 3, r.q, v, NULL, x, x), JN_ERR_ORDER);
  assert_status(jn_inverse_partials(r.model, r.data, 2, NULL, v, NULL, x, x), JN_ERR_ARGUMENT);
  assert_status(jn_forward_partials(NULL, NULL, 2, r.q, v, tau, NULL, x, x, x), JN_ERR_ARGUMENT);
  assert_status(jn_forward_partials(r.model, r.data, 2, r.q, v, NULL, NULL, x, x, x),
                JN_ERR_ARGUMENT);
  assert_status(jn_inverse_jvp(r.model, r.data, 2, r.q, v, NULL, v, v, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_inverse_vjp(r.model, r.data, 2, r.q, v, NULL, NULL, x, x), JN_ERR_ARGUMENT);
  assert_status(jn_forward_jvp(r.model, r.data, 2, r.q, v, tau, NULL, v, v, v, NULL),
                JN_ERR_ARGUMENT);
  assert_status(jn_inverse_second(r.model, r.data, r.q, v, NULL, NULL, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_forward_second(r.model, r.data, r.q, v, tau, NULL, NULL, NULL, x, x, &nothing),
                JN_ERR_ARGUMENT);
  assert_status(jn_regressor(r.model, r.data, 0, r.q, v, NULL), JN_ERR_ARGUMENT);
  assert_status(jn_geometry_partials(r.model, r.data, 0, r.q, v, NULL, NULL), JN_ERR_ARGUMENT);
  /* NaN, and numbers whose results overflow */
  for (int big = 0; big < 2; big++) {
    v[0] = big ? 1e200 : (double)NAN;
    for (int K = 0; K <= 2; K++) {
      assert_status(jn_inverse_partials(r.model, r.data, K, r.q, v, NULL, x, x + 3 * n2),
                    JN_ERR_NOT_FINITE);
      assert_status(jn_regressor(r.model, r.data, K, r.q, v, x), JN_ERR_NOT_FINITE);
      assert_status(jn_geometry_partials(r.model, r.data, K, r.q, v, NULL, x), JN_ERR_NOT_FINITE);
      assert_status(jn_inverse_jvp(r.model, r.data, K, r.q, v, NULL, tau, NULL, x),
                    JN_ERR_NOT_FINITE);
      assert_status(jn_inverse_vjp(r.model, r.data, K, r.q, v, NULL, tau, x, x), JN_ERR_NOT_FINITE);
      assert_status(jn_forward_partials(r.model, r.data, K, r.q, v, tau, NULL, x, x, x),
                    JN_ERR_NOT_FINITE);
    }
  }
  v[0] = r.v[0];
  v[nv] = (double)NAN;
  assert_status(jn_inverse_jvp(r.model, r.data, 2, r.q, r.v, NULL, NULL, v, x), JN_ERR_NOT_FINITE);
  assert_status(jn_inverse_vjp(r.model, r.data, 2, r.q, r.v, NULL, v, x, x), JN_ERR_NOT_FINITE);
  assert_true(all_equal_to(x, 30 * n2, 7));
  /* large but representable */
  v[nv] = r.v[nv];
  v[0] = 1e100;
  assert_ok(jn_inverse_partials(r.model, r.data, 0, r.q, v, NULL, x, x + n2));
  assert_true(isfinite(largest(x, 3 * n2)));
  free(x), free(v), free(tau);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_partials_are_differences_on_the_group),
      cmocka_unit_test(joints_with_several_freedoms_anywhere_in_the_tree),
      cmocka_unit_test(applied_wrenches_vary_as_they_are_given),
      cmocka_unit_test(forward_partials_are_differences_on_the_group),
      cmocka_unit_test(the_chain_rule_in_time_gives_the_next_order),
      cmocka_unit_test(the_newest_derivative_enters_by_the_mass_matrix),
      cmocka_unit_test(directions_and_gradients_agree_with_the_matrices),
      cmocka_unit_test(forward_partials_undo_the_inverse_ones),
      cmocka_unit_test(real_robots_agree_with_published_values),
      cmocka_unit_test(scratch_full_of_nan_changes_no_bit),
      cmocka_unit_test(bad_calls_leave_the_results_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
