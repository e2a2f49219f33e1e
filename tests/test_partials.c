/* Partial derivatives of the dynamics: against differences on the group, the chain rule in time, products
 * that must be one, and published order-0 values of real robots. */
#include "model/data.h" /* before check.h, whose U it would meet */

#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

static const jn_representation all[4] = {JN_SPATIAL, JN_BODY, JN_HYBRID, JN_MIXED};
static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

/* q moved by exp(h e_c), c a column of v */
static void move(const jn_model *model, const double *q, int c, double h, double *out) {
  memcpy(out, q, sizeof *q * (size_t)jn_model_nq(model));
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    if (c < j->iv || c >= j->iv + j->nv) continue;
    int d = c - j->iv;
    double *x = out + j->iq, e[6] = {0};
    if (j->type != JN_JOINT_SPHERICAL && j->type != JN_JOINT_FREE) {
      x[d] += h;
      return;
    }
    e[d] = h;
    jn_quat a = {x[0], x[1], x[2], x[3]};
    jn_mat3 R = jn_quat_to_m3(a);
    jn_quat s = jn_quat_from_m3(jn_m3_mul(R, jn_so3_exp(jn_v3(e[0], e[1], e[2]))));
    x[0] = s.w, x[1] = s.x, x[2] = s.y, x[3] = s.z;
    if (j->type != JN_JOINT_FREE) return;
    jn_vec3 p = jn_m3_apply(R, jn_v3(e[3], e[4], e[5]));
    x[4] += p.x, x[5] += p.y, x[6] += p.z;
  }
}

/* f(s) -> out[n] */
typedef void (*curve_of)(void *context, double s, double *out);

#define LEVELS 5
/* df/ds at 0 by central differences and Richardson's extrapolation */
static void derivative(curve_of f, void *context, double h, size_t n, double *out) {
  double *table[LEVELS], *minus = doubles(n);
  for (int i = 0; i < LEVELS; i++, h /= 2) {
    table[i] = doubles(n);
    f(context, h, table[i]);
    f(context, -h, minus);
    for (size_t j = 0; j < n; j++) table[i][j] = (table[i][j] - minus[j]) / (2 * h);
  }
  double power = 4;
  for (int k = 1; k < LEVELS; k++, power *= 4)
    for (int i = 0; i < LEVELS - k; i++)
      for (size_t j = 0; j < n; j++)
        table[i][j] = (power * table[i + 1][j] - table[i][j]) / (power - 1);
  memcpy(out, table[0], n * sizeof *out);
  for (int i = 0; i < LEVELS; i++) free(table[i]);
  free(minus);
}

typedef struct along {
  robot *r;
  const jn_external *external;
  const double *q, *v, *tau; /* the state; tau: forward dynamics */
  int row, column;           /* row -1: q; 0..: v^(row); -2 - j: tau^(j) */
  double *mq, *mv;           /* room */
} along;

static void evaluate(void *context, double s, double *out) {
  along *a = context;
  robot *r = a->r;
  size_t nv = (size_t)r->nv;
  memcpy(a->mq, a->q, sizeof *a->mq * (size_t)r->nq);
  memcpy(a->mv, a->v, sizeof *a->mv * (r->n + nv));
  double *tau = a->tau ? copy_of(a->tau, r->n) : NULL;
  if (a->row == -1) move(r->model, a->q, a->column, s, a->mq);
  else if (a->row >= 0) a->mv[(size_t)a->row * nv + (size_t)a->column] += s;
  else tau[(size_t)(-2 - a->row) * nv + (size_t)a->column] += s;
  if (tau)
    assert_ok(jn_forward_dynamics(r->model, r->data, r->order, a->mq, a->mv, tau, a->external, out));
  else
    assert_ok(jn_inverse_dynamics(r->model, r->data, r->order, a->mq, a->mv, a->external, out));
  free(tau);
}

static along along_new(robot *r, const double *tau, const jn_external *external) {
  return (along){r, external, r->q, r->v, tau, 0, 0, doubles((size_t)r->nq), doubles(r->n + (size_t)r->nv)};
}
static void along_free(along *a) {
  free(a->mq);
  free(a->mv);
}

/* max over k of |got - want| of one column against the largest entry of that block, or a thousandth of the
 * largest of M: a block may vanish */
static double column_error(const robot *r, const double *want, const double *got, size_t stride, int column,
                           double floor) {
  size_t nv = (size_t)r->nv;
  double worst = 0;
  for (int k = 0; k <= r->order; k++) {
    const double *block = got + (size_t)k * stride;
    double size = fmax(largest(block, nv * nv), floor), error = 0;
    for (size_t i = 0; i < nv; i++)
      error = fmax(error, fabs(block[i * nv + (size_t)column] - want[(size_t)k * nv + i]));
    if (size > 0) worst = fmax(worst, error / size);
  }
  return worst;
}

static void check_inverse(robot *r, const jn_external *external, const char *name, double bound) {
  size_t nv = (size_t)r->nv, rows = (size_t)r->order + 1, square = nv * nv;
  double *dq = doubles(rows * square), *dv = doubles(rows * (rows + 1) * square), *want = doubles(r->n);
  along a = along_new(r, NULL, external);
  assert_ok(jn_inverse_partials(r->model, r->data, r->order, r->q, r->v, external, dq, dv));
  double floor = 1e-3 * largest(dv + square, square);
  for (int c = 0; c < r->nv; c++)
    for (int j = -1; j <= r->order + 1; j++) {
      a.row = j, a.column = c;
      derivative(evaluate, &a, 0.2, r->n, want);
      const double *got = j < 0 ? dq : dv + (size_t)j * square;
      check_residual(name, column_error(r, want, got, j < 0 ? square : (rows + 1) * square, c, floor), bound);
    }
  along_free(&a);
  free(dq), free(dv), free(want);
}

static void inverse_partials_are_differences_on_the_group(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 36; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 4), bases[seed % COUNT(bases)], TYPES_ALL, (int)(seed % 5));
    robot_represent(&r, JN_BODY);
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    check_inverse(&r, NULL, "inverse, body", 1e-9);
    robot_represent(&r, all[seed / 2 % 4]);
    check_inverse(&r, NULL, "inverse, all representations", 1e-9);
    robot_free(&r);
  }
}

static void joints_with_several_freedoms_anywhere_in_the_tree(void **state) {
  (void)state;
  for (uint64_t seed = 50; seed < 74; seed++) {
    unsigned types = seed % 2 ? TYPE(FREE) | TYPE(SPHERICAL) : TYPE(FREE) | TYPE(REVOLUTE);
    robot r = robot_random(seed, 3, seed % 3 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, types, (int)(seed % 5));
    robot_represent(&r, all[seed / 2 % 4]);
    static const char *const names[4] = {"inverse, free joints, spatial", "inverse, free joints, body",
                                         "inverse, free joints, hybrid", "inverse, free joints, mixed"};
    check_inverse(&r, NULL, names[seed / 2 % 4], 1e-9);
    robot_free(&r);
  }
}

static void wrenches_from_outside_vary_as_they_are_given(void **state) {
  (void)state;
  for (uint64_t seed = 100; seed < 124; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 4), bases[seed % COUNT(bases)], TYPES_ALL, (int)(seed % 4));
    robot_represent(&r, all[seed / 2 % 4]);
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
  double *dq = doubles(rows * square), *dv = doubles(rows * square), *dtau = doubles(rows * rows * square);
  double *want = doubles(r->n), *tau = robot_inverse(r, r->v, external);
  along a = along_new(r, tau, external);
  assert_ok(jn_forward_partials(r->model, r->data, r->order, r->q, r->v, tau, external, dq, dv, dtau));
  double floor = 1e-3 * largest(dtau, square);
  for (int c = 0; c < r->nv; c++)
    for (int j = 0; j <= r->order + 2; j++) {
      a.row = j == 0 ? -1 : j == 1 ? 0 : -j, a.column = c;
      derivative(evaluate, &a, 0.1, r->n, want);
      const double *got = j == 0 ? dq : j == 1 ? dv : dtau + (size_t)(j - 2) * square;
      check_residual(name, column_error(r, want, got, j < 2 ? square : rows * square, c, floor), bound);
    }
  along_free(&a);
  free(dq), free(dv), free(dtau), free(want), free(tau);
}

static void forward_partials_are_differences_on_the_group(void **state) {
  (void)state;
  for (uint64_t seed = 200; seed < 230; seed++) {
    robot r = robot_random(seed, 2 + (int)(seed % 4), bases[seed % COUNT(bases)], TYPES_ALL, (int)(seed % 4));
    jn_data_settings(r.data)->damping = seed % 3 == 0;
    robot_represent(&r, all[seed / 2 % 4]);
    check_forward(&r, NULL, "forward", 1e-8);
    load l = load_random(&r, seed, 4);
    load_represent(&r, &l, 4);
    check_forward(&r, &l.external, "forward, with wrenches", 1e-8);
    load_free(&l);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_partials_are_differences_on_the_group),
      cmocka_unit_test(joints_with_several_freedoms_anywhere_in_the_tree),
      cmocka_unit_test(wrenches_from_outside_vary_as_they_are_given),
      cmocka_unit_test(forward_partials_are_differences_on_the_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
