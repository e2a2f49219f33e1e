/* test_second.c: second derivatives of the dynamics compared with differences of first derivatives,
 * and with differences of Newton's law in 113 bits. */
#include "helpers/spoil.h" /* before check.h, which defines a macro U */

#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/differences.h"
#include "helpers/load.h"
#include "oracle/twin.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE,        JN_JOINT_FIXED,     JN_JOINT_REVOLUTE,
                                      JN_JOINT_SPHERICAL,   JN_JOINT_PLANAR,    JN_JOINT_HELICAL,
                                      JN_JOINT_CYLINDRICAL, JN_JOINT_UNIVERSAL, JN_JOINT_PRISMATIC};

/* Differences of first derivatives give the second ones. */
typedef struct twice {
  robot *r;
  const jn_external *external;
  const double *tau; /* forward dynamics */
  int row, column;
  double *q, *v, *work;
} twice;

static void evaluate_twice(void *context, double s, double *out) {
  twice *t = context;
  robot *r = t->r;
  size_t nv = (size_t)r->nv, square = nv * nv;
  memcpy(t->q, r->q, sizeof *t->q * (size_t)r->nq);
  memcpy(t->v, r->v, sizeof *t->v * 2 * nv);
  if (t->row < 0)
    move_along(r->model, r->q, t->column, s, t->q);
  else
    t->v[(size_t)t->row * nv + (size_t)t->column] += s;
  if (t->tau)
    assert_ok(jn_forward_partials(r->model, r->data, 0, t->q, t->v, t->tau, t->external, out,
                                  out + square, out + 2 * square));
  else
    assert_ok(
        jn_inverse_partials(r->model, r->data, 0, t->q, t->v, t->external, out, out + square));
}

static void check_second(robot *r, const jn_external *external, const double *tau,
                         const char *name) {
  size_t nv = (size_t)r->nv, n2 = nv * nv, n3 = n2 * nv;
  double *x = doubles(4 * n3), *c = doubles(4 * n2), *w = doubles(nv), *want = doubles(3 * n2);
  double *sum = doubles(4 * n2), *first = doubles(3 * n2);
  rng g = rng_new(nv);
  for (size_t i = 0; i < nv; i++) w[i] = rng_range(&g, -1, 1);
  if (tau) {
    jn_second_forward o = {x, x + n3, x + 2 * n3, x + 3 * n3},
                      oc = {c, c + n2, c + 2 * n2, c + 3 * n2};
    robot_spoil(r);
    assert_ok(jn_forward_second(r->model, r->data, r->q, r->v, tau, external, NULL, first,
                                first + n2, first + 2 * n2, &o));
    robot_spoil(r);
    assert_ok(jn_forward_second(r->model, r->data, r->q, r->v, tau, external, w, first, first + n2,
                                first + 2 * n2, &oc));
  } else {
    jn_second o = {x, x + n3, x + 2 * n3, x + 3 * n3}, oc = {c, c + n2, c + 2 * n2, c + 3 * n2};
    robot_spoil(r);
    assert_ok(jn_inverse_second(r->model, r->data, r->q, r->v, external, NULL, &o));
    robot_spoil(r);
    assert_ok(jn_inverse_second(r->model, r->data, r->q, r->v, external, w, &oc));
  }
  for (int m = 0; m < 4; m++)
    for (size_t i = 0; i < nv; i++)
      for (size_t j = 0; j < n2; j++)
        sum[(size_t)m * n2 + j] += w[i] * x[(size_t)m * n3 + i * n2 + j];
  check_residual("second, contracted = tensor",
                 largest_difference(sum, c, 4 * n2) / largest(sum, 4 * n2), 1e-12);
  twice t = {r, external, tau, 0, 0, doubles((size_t)r->nq), doubles(2 * nv), NULL};
  double error = 0;
  for (size_t b = 0; b < nv; b++) {
    t.column = (int)b;
    t.row = -1;
    derivative(evaluate_twice, &t, 0.1, 3 * n2, want);
    for (size_t i = 0; i < nv; i++)
      for (size_t a = 0; a < nv; a++) {
        const double *slice = x + i * n2;
        size_t mixed = tau ? b * nv + a : a * nv + b;
        error = worse(error, fabs(slice[a * nv + b] - want[i * nv + a]));
        error = worse(error, fabs(slice[n3 + b * nv + a] - want[n2 + i * nv + a]));
        error = worse(error, fabs(slice[3 * n3 + mixed] - want[2 * n2 + i * nv + a]));
      }
    t.row = 0;
    derivative(evaluate_twice, &t, 0.5, 3 * n2, want);
    for (size_t i = 0; i < nv; i++)
      for (size_t a = 0; a < nv; a++) {
        error = worse(error, fabs(x[n3 + i * n2 + a * nv + b] - want[i * nv + a]));
        error = worse(error, fabs(x[2 * n3 + i * n2 + b * nv + a] - want[n2 + i * nv + a]));
      }
  }
  check_residual(name, error / largest(x, 4 * n3), 1e-8);
  free(x), free(c), free(w), free(want), free(sum), free(first), free(t.q), free(t.v);
}

/* random joints, some of them free; twists and wrenches in `rep`, or each wrench in another */
static void check_robot(uint64_t seed, jn_joint_type base, jn_representation rep) {
  robot r = robot_random(seed, 2 + (int)(seed % 4), base, TYPES_ALL, 0);
  jn_data_settings(r.data)->damping = seed % 2 == 0;
  load l = load_random(&r, seed, 3);
  const jn_external *e = seed % 3 ? &l.external : NULL;
  if (rep != JN_BODY) load_represent(&r, &l, seed % 2 ? (int)rep : 4);
  jn_data_settings(r.data)->representation = rep;
  double *tau = robot_inverse(&r, r.v, e);
  if (r.nv) check_second(&r, e, NULL, "second, inverse");
  if (r.nv) check_second(&r, e, tau, "second, forward");
  free(tau);
  load_free(&l);
  robot_free(&r);
}

static void second_derivatives_are_differences_of_first_ones(void **state) {
  (void)state;
  for (uint64_t seed = 900; seed < 924; seed++)
    check_robot(seed, bases[seed % COUNT(bases)], JN_BODY);
}

/* ... of twists and wrenches in every representation, free joints in the middle of the tree too */
static void second_derivatives_have_every_representation(void **state) {
  (void)state;
  for (uint64_t seed = 930; seed < 954; seed++)
    check_robot(seed, seed % 5 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, (jn_representation)(seed % 4));
}

/* ---- against Newton's law in 113 bits ---- */

/* A variable: degree of freedom c of q (row < 0), v or v'. */
typedef struct variable {
  int row, c;
} variable;

static void vary(const twin *b, variable x, quad h, quad *q, quad *v) {
  const size_t nq = (size_t)b->r.nq;
  if (x.row >= 0) {
    v[(size_t)x.row * (size_t)b->r.nv + (size_t)x.c] += h;
    return;
  }
  quad *from = quads(nq + 1);
  memcpy(from, q, nq * sizeof *q);
  quad_move(b->r.model, from, x.c, h, q);
  free(from);
}

/* want[nv] = d/dx d/dy tau, x varied first, by four points each */
static void newton_second(const twin *b, variable x, variable y, double *want) {
  const size_t nq = (size_t)b->r.nq, nv = (size_t)b->r.nv;
  const quad h = (quad)1 / 1048576, at[4] = {-2 * h, -h, h, 2 * h}, weight[4] = {1, -8, 8, -1};
  quad *q = quads(nq + 1), *v = quads(2 * nv), *tau = quads(nv), *sum = quads(nv);
  for (int i = 0; i < 16; i++) {
    memcpy(q, b->q, nq * sizeof *q);
    memcpy(v, b->v, 2 * nv * sizeof *v);
    vary(b, x, at[i / 4], q, v);
    vary(b, y, at[i % 4], q, v);
    newton_inverse(b->exact, 0, b->user, q, v, tau);
    for (size_t k = 0; k < nv; k++)
      sum[k] += weight[i / 4] * weight[i % 4] * tau[k] / (144 * h * h);
  }
  for (size_t k = 0; k < nv; k++) want[k] = (double)sum[k];
  free(q), free(v), free(tau), free(sum);
}

static void second_derivatives_are_differences_of_newtons_law(void **state) {
  (void)state;
  for (uint64_t seed = 960; seed < 1008; seed++) {
    twin b = twin_of(seed, 2 + (int)(seed % 3), 0);
    robot *r = &b.r;
    const size_t nv = (size_t)r->nv, n2 = nv * nv, n3 = n2 * nv;
    double *x = doubles(4 * n3 + 1), *want = doubles(nv), error = 0, scale = 0;
    jn_second o = {x, x + n3, x + 2 * n3, x + 3 * n3};
    assert_ok(jn_inverse_second(r->model, r->data, r->q, r->v, NULL, NULL, &o));
    scale = largest(x, 4 * n3);
    for (int n = 0; n < 12 && nv; n++) {
      const int a = rng_below(&b.random, (int)nv), c = rng_below(&b.random, (int)nv), m = n % 4;
      const variable q_a = {-1, a}, q_c = {-1, c}, v_a = {0, a}, v_c = {0, c}, acc_a = {1, a};
      newton_second(&b,
                    m == 1   ? q_a
                    : m == 2 ? v_a
                             : q_c,
                    m == 0   ? q_a
                    : m == 3 ? acc_a
                             : v_c,
                    want);
      for (size_t i = 0; i < nv; i++)
        error =
            worse(error, fabs(x[(size_t)m * n3 + i * n2 + (size_t)a * nv + (size_t)c] - want[i]));
    }
    if (scale > 0) check_residual("second, 113 bits", error / scale, 1e-12);
    free(x), free(want);
    twin_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_derivatives_are_differences_of_first_ones),
      cmocka_unit_test(second_derivatives_have_every_representation),
      cmocka_unit_test(second_derivatives_are_differences_of_newtons_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
