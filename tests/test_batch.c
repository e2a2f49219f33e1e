/* test_batch.c: batches compared with single calls, for every joint type, representation, order and
 * number of threads; bad states. */
#include "helpers/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/mechanism.h"
#include "helpers/tree.h"

enum { STATES = 29 }; /* not a multiple of any number of lanes */

typedef struct many {
  robot r;
  size_t nq, nv, V, T; /* numbers of one state: q, a row, v, tau */
  double *q, *v, *v0, *tau;
} many;

static many many_new(uint64_t seed, int bodies, int order, jn_representation representation) {
  static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_SPHERICAL,
                                        JN_JOINT_REVOLUTE};
  many x;
  x.r = robot_random(seed, bodies, bases[seed % 4], TYPES_ALL, order);
  robot_represent(&x.r, representation);
  jn_data_settings(x.r.data)->damping = seed % 3 == 1;
  x.nq = (size_t)x.r.nq, x.nv = (size_t)x.r.nv;
  x.V = x.nv * ((size_t)order + 2), x.T = x.nv * ((size_t)order + 1);
  x.q = doubles(STATES * x.nq), x.v = doubles(STATES * x.V), x.v0 = doubles(STATES * x.nv),
  x.tau = doubles(STATES * x.T);
  for (size_t s = 0; s < STATES; s++) {
    robot_at(&x.r, 0.1 * (double)s);
    memcpy(x.q + s * x.nq, x.r.q, sizeof(double) * x.nq);
    memcpy(x.v + s * x.V, x.r.v, sizeof(double) * x.V);
    memcpy(x.v0 + s * x.nv, x.r.v, sizeof(double) * x.nv);
    assert_ok(jn_inverse_dynamics(x.r.model, x.r.data, order, x.r.q, x.r.v, NULL, x.tau + s * x.T));
  }
  return x;
}

static void many_free(many *x) {
  free(x->q), free(x->v), free(x->v0), free(x->tau);
  robot_free(&x->r);
}

static jn_batch *batch_new(many *x, int threads) {
  jn_batch *b;
  assert_ok(jn_batch_new(x->r.model, x->r.order, threads, NULL, &b));
  *jn_batch_settings(b) = *jn_data_settings(x->r.data);
  jn_batch_settings(b)->formulation = JN_FORM_BODY;
  return b;
}

/* the largest error of any order relative to that order's largest number */
static double worst(const many *x, const double *got, const double *want, size_t rows) {
  double w = 0;
  for (size_t s = 0; s < STATES; s++)
    w = worse(w,
              row_error((int)rows, x->nv, got + s * rows * x->nv, want + s * rows * x->nv, NULL));
  return w;
}

static void inverse_dynamics_agrees_with_single_calls(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    int order = (int)(seed % 7);
    many x = many_new(seed, 2 + (int)(seed % 11), order, (jn_representation)(seed % 4));
    jn_batch *b = batch_new(&x, 1);
    double *tau = doubles(STATES * x.T);
    jn_status status[STATES];
    assert_ok(jn_batch_inverse_dynamics(x.r.model, b, order, STATES, x.q, x.v, tau, status));
    for (int s = 0; s < STATES; s++) assert_int_equal(status[s], JN_OK);
    check_residual("inverse: batch = single", worst(&x, tau, x.tau, (size_t)order + 1), 4096 * U);
    free(tau);
    jn_batch_free(b);
    many_free(&x);
  }
}

static void forward_dynamics_gives_back_the_force(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    int order = (int)(seed % 5);
    many x = many_new(seed, 2 + (int)(seed % 11), order, (jn_representation)(seed % 4));
    jn_batch *b = batch_new(&x, 1);
    double *a = doubles(STATES * x.T), *v = doubles(x.V), *tau = doubles(STATES * x.T);
    assert_ok(jn_batch_forward_dynamics(x.r.model, b, order, STATES, x.q, x.v0, x.tau, a, NULL));
    for (size_t s = 0; s < STATES; s++) {
      memcpy(v, x.v0 + s * x.nv, sizeof(double) * x.nv);
      memcpy(v + x.nv, a + s * x.T, sizeof(double) * x.T);
      assert_ok(
          jn_inverse_dynamics(x.r.model, x.r.data, order, x.q + s * x.nq, v, NULL, tau + s * x.T));
    }
    check_residual("forward: residual in force", worst(&x, tau, x.tau, (size_t)order + 1), 1e-12);
    free(a), free(v), free(tau);
    jn_batch_free(b);
    many_free(&x);
  }
}

/* Batches that do not fill a pack, and packs in which a lane has an angle too large for the short
 * reduction of sines: as single calls, strict ones bit for bit. */
static void small_batches_and_large_angles_agree_with_single_calls(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    const int order = (int)(seed % 5), strict = (int)(seed % 2);
    const jn_joint_type base = seed % 3 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE;
    robot r = robot_random(seed, 1 + (int)(seed % 4), base, TYPES_ALL, order);
    robot_represent(&r, (jn_representation)(seed / 2 % 4));
    jn_data_settings(r.data)->strict = strict;
    const size_t nq = (size_t)r.nq, nv = (size_t)r.nv, V = nv * ((size_t)order + 2),
                 T = nv * ((size_t)order + 1);
    double *q = doubles(9 * nq), *v = doubles(9 * V), *want = doubles(9 * T), *tau = doubles(9 * T),
           *all = doubles(9 * T);
    for (size_t s = 0; s < 9; s++) {
      robot_at(&r, 0.1 * (double)s);
      memcpy(q + s * nq, r.q, sizeof(double) * nq);
      memcpy(v + s * V, r.v, sizeof(double) * V);
      for (int i = 0; i < r.nbody && s == 2; i++) {
        const jn_joint *j = jn_model_joint(r.model, i);
        if (j->type == JN_JOINT_REVOLUTE) q[s * nq + (size_t)j->iq] += 3e12;
      }
      assert_ok(
          jn_inverse_dynamics(r.model, r.data, order, q + s * nq, v + s * V, NULL, want + s * T));
    }
    jn_batch *b;
    assert_ok(jn_batch_new(r.model, order, 1, NULL, &b));
    *jn_batch_settings(b) = *jn_data_settings(r.data);
    assert_ok(jn_batch_inverse_dynamics(r.model, b, order, 9, q, v, all, NULL));
    for (size_t count = 1; count <= 9; count++) {
      fill(tau, 9 * T, 7);
      assert_ok(jn_batch_inverse_dynamics(r.model, b, order, count, q, v, tau, NULL));
      double worst_row = 0;
      for (size_t s = 0; s < count; s++)
        worst_row = worse(worst_row, row_error(order + 1, nv, tau + s * T, want + s * T, NULL));
      check_residual("small batch = single", worst_row, strict ? 0 : 4096 * U);
      assert_true(same_bits(tau, all, count * T)); /* whatever the size of the batch */
      assert_true(all_equal_to(tau + count * T, (9 - count) * T, 7));
    }
    free(q), free(v), free(want), free(tau), free(all);
    jn_batch_free(b);
    robot_free(&r);
  }
}

/* x[state][n] -> y[n][state] */
static double *numbers_first(const double *x, size_t n) {
  double *y = doubles(STATES * n);
  for (size_t s = 0; s < STATES; s++)
    for (size_t i = 0; i < n; i++) y[i * STATES + s] = x[s * n + i];
  return y;
}

/* A structure of arrays gives the bits of one state after another, also where a state is computed
 * alone (one with an infinite number fails, the others of its pack do not). */
static void numbers_first_gives_the_same_bits(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    const int order = (int)(seed % 6);
    many x = many_new(seed, 2 + (int)(seed % 7), order, (jn_representation)(seed % 4));
    jn_batch *b = batch_new(&x, 1 + (int)(seed % 2));
    unsigned char given[64] = {0};
    for (int i = 0; i < x.r.nbody; i++) given[i] = (seed >> (i % 5)) & 1;
    if (seed % 3 == 0 && x.nv) x.v[5 * x.V] = x.v0[5 * x.nv] = INFINITY;
    double *want[4] = {doubles(STATES * x.T), doubles(STATES * x.T), copy_of(x.v, STATES * x.V),
                       copy_of(x.tau, STATES * x.T)};
    double *q = numbers_first(x.q, x.nq), *v = numbers_first(x.v, x.V),
           *v0 = numbers_first(x.v0, x.nv), *tau = numbers_first(x.tau, x.T);
    double *got[4] = {doubles(STATES * x.T), doubles(STATES * x.T), copy_of(v, STATES * x.V),
                      copy_of(tau, STATES * x.T)};
    jn_status status[2][3][STATES];
    for (int i = 0; i < 2; i++) {
      double **out = i ? got : want;
      assert_ok(jn_batch_set_layout(b, i ? JN_NUMBERS_FIRST : JN_STATES_FIRST));
      jn_batch_inverse_dynamics(x.r.model, b, order, STATES, i ? q : x.q, i ? v : x.v, out[0],
                                status[i][0]);
      jn_batch_forward_dynamics(x.r.model, b, order, STATES, i ? q : x.q, i ? v0 : x.v0,
                                i ? tau : x.tau, out[1], status[i][1]);
      jn_batch_hybrid_dynamics(x.r.model, b, order, STATES, i ? q : x.q, given, out[2], out[3],
                               status[i][2]);
    }
    assert_memory_equal(status[0], status[1], sizeof status[0]);
    for (int i = 0; i < 4; i++) {
      double *turned = numbers_first(want[i], i == 2 ? x.V : x.T);
      assert_memory_equal(got[i], turned, STATES * (i == 2 ? x.V : x.T) * sizeof(double));
      free(turned), free(want[i]), free(got[i]);
    }
    assert_int_equal(jn_batch_set_layout(b, (jn_batch_layout)2), JN_ERR_ARGUMENT);
    assert_int_equal(jn_batch_set_layout(NULL, JN_STATES_FIRST), JN_ERR_ARGUMENT);
    free(q), free(v), free(v0), free(tau);
    jn_batch_free(b);
    many_free(&x);
  }
}

static void hybrid_dynamics_finds_the_missing_half(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 16; seed++) {
    int order = (int)(seed % 4);
    many x = many_new(seed, 3 + (int)(seed % 9), order, (jn_representation)(seed % 4));
    jn_batch *b = batch_new(&x, 1);
    unsigned char given[64] = {0};
    for (int i = 0; i < x.r.nbody; i++) given[i] = (seed >> (i % 5)) & 1;
    double *v = copy_of(x.v, STATES * x.V), *tau = copy_of(x.tau, STATES * x.T),
           *back = doubles(STATES * x.T);
    for (size_t s = 0; s < STATES; s++) /* values that are not read may be anything */
      for (int i = 0; i < x.r.nbody; i++) {
        const jn_joint *j = jn_model_joint(x.r.model, i);
        for (size_t c = (size_t)j->iv; c < (size_t)(j->iv + j->nv); c++)
          for (size_t k = 0; k <= (size_t)order; k++) {
            if (given[i])
              tau[s * x.T + k * x.nv + c] = NAN;
            else
              v[s * x.V + (k + 1) * x.nv + c] = NAN;
          }
      }
    assert_ok(jn_batch_hybrid_dynamics(x.r.model, b, order, STATES, x.q, given, v, tau, NULL));
    for (size_t s = 0; s < STATES; s++)
      assert_ok(jn_inverse_dynamics(x.r.model, x.r.data, order, x.q + s * x.nq, v + s * x.V, NULL,
                                    back + s * x.T));
    check_residual("hybrid: inverse of the result = force", worst(&x, back, tau, (size_t)order + 1),
                   1e-12);
    free(v), free(tau), free(back);
    jn_batch_free(b);
    many_free(&x);
  }
}

static void the_number_of_threads_changes_no_bit(void **state) {
  (void)state;
  many x = many_new(7, 9, 3, JN_SPATIAL);
  double *first = NULL;
  for (int threads = 1; threads <= 3; threads++) {
    jn_batch *b = batch_new(&x, threads);
    double *tau = doubles(2 * STATES * x.T);
    assert_ok(jn_batch_inverse_dynamics(x.r.model, b, 3, STATES, x.q, x.v, tau, NULL));
    assert_ok(jn_batch_forward_dynamics(x.r.model, b, 3, STATES, x.q, x.v0, x.tau,
                                        tau + STATES * x.T, NULL));
    if (first) assert_true(same_bits(first, tau, 2 * STATES * x.T));
    if (!first)
      first = tau;
    else
      free(tau);
    jn_batch_free(b);
  }
  free(first);
  many_free(&x);
}

static void a_bad_state_spoils_no_other(void **state) {
  (void)state;
  many x = many_new(8, 6, 2, JN_BODY);
  jn_batch *b = batch_new(&x, 1);
  double *tau = doubles(STATES * x.T), *good = doubles(STATES * x.T);
  jn_status status[STATES];
  assert_ok(jn_batch_inverse_dynamics(x.r.model, b, 2, STATES, x.q, x.v, good, NULL));
  x.v[5 * x.V + 1] = NAN;
  x.q[20 * x.nq] *= 3; /* the base's quaternion */
  x.v[28 * x.V] = INFINITY;
  fill(tau, STATES * x.T, 7);
  assert_status(jn_batch_inverse_dynamics(x.r.model, b, 2, STATES, x.q, x.v, tau, status),
                JN_ERR_NOT_FINITE);
  for (size_t s = 0; s < STATES; s++) {
    int bad = s == 5 || s == 20 || s == 28;
    assert_int_equal(status[s], s == 20 ? JN_ERR_POSE : bad ? JN_ERR_NOT_FINITE : JN_OK);
    if (bad)
      assert_true(all_equal_to(tau + s * x.T, x.T, 7));
    else
      check_residual("beside a bad state", row_error(3, x.nv, tau + s * x.T, good + s * x.T, NULL),
                     4096 * U);
  }
  free(tau), free(good);
  jn_batch_free(b);
  many_free(&x);
}

static void wrong_calls_are_refused(void **state) {
  (void)state;
  many x = many_new(3, 4, 1, JN_BODY);
  jn_batch *b = batch_new(&x, 1), *none;
  assert_status(jn_batch_new(x.r.model, -1, 1, NULL, &none), JN_ERR_ARGUMENT);
  assert_status(jn_batch_new(x.r.model, JN_MAX_ORDER + 1, 1, NULL, &none), JN_ERR_LIMIT);
  assert_status(jn_batch_new(x.r.model, 0, JN_MAX_THREADS + 1, NULL, &none), JN_ERR_LIMIT);
  assert_status(jn_batch_inverse_dynamics(x.r.model, b, 2, 1, x.q, x.v, x.tau, NULL), JN_ERR_ORDER);
  assert_status(jn_batch_inverse_dynamics(x.r.model, b, 1, 1, NULL, x.v, x.tau, NULL),
                JN_ERR_ARGUMENT);
  assert_ok(jn_batch_inverse_dynamics(x.r.model, b, 1, 0, NULL, NULL, NULL, NULL));
  jn_batch_settings(b)->formulation = JN_FORM_SPATIAL;
  assert_status(jn_batch_inverse_dynamics(x.r.model, b, 1, 1, x.q, x.v, x.tau, NULL),
                JN_ERR_ARGUMENT);
  jn_batch_free(b);
  jn_batch_free(NULL);
  many_free(&x);
}

/* Each state as alone, and errors per state. */
static void states_with_constraints_are_computed_as_alone(void **state) {
  (void)state;
  enum { COUNT_OF = 7, ORDER = 2 };
  reference x = reference_load("stewart");
  mechanism *m = &x.m;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)m->rows, T = 3 * nv,
               V = 4 * nv, L = 3 * rows;
  double *q = doubles(COUNT_OF * nq), *v = doubles(COUNT_OF * V), *v0 = doubles(COUNT_OF * nv),
         *tau = doubles(COUNT_OF * T), *a = doubles(COUNT_OF * T), *lambda = doubles(COUNT_OF * L),
         *again = doubles(COUNT_OF * L), *one = doubles(T), *force = doubles(L);
  jn_status status[COUNT_OF];
  jn_batch *b;
  assert_ok(jn_batch_new(m->model, ORDER, 3, NULL, &b));
  *jn_batch_settings(b) = *jn_data_settings(m->data);
  for (size_t i = 0; i < COUNT_OF; i++) {
    memcpy(q + i * nq, m->q, sizeof(double) * nq);
    memcpy(v + i * V, m->v, sizeof(double) * V);
    for (size_t j = 0; j < nv; j++) v[i * V + j] *= 1 + 0.1 * (double)i;
    assert_ok(jn_assemble(m->model, m->data, ORDER + 2, NULL, NULL, q + i * nq, v + i * V));
    memcpy(v0 + i * nv, v + i * V, sizeof(double) * nv);
  }
  q[3 * nq + nq - 1] += 0.1; /* a leg that is too long */
  fill(tau, COUNT_OF * T, 7);
  assert_status(jn_batch_constrained_inverse_dynamics(m->model, b, ORDER, COUNT_OF, q, v, NULL, tau,
                                                      lambda, status),
                JN_ERR_CLOSURE);
  for (size_t i = 0; i < COUNT_OF; i++) {
    assert_status(status[i], i == 3 ? JN_ERR_CLOSURE : JN_OK);
    if (i == 3) assert_true(all_equal_to(tau + i * T, T, 7));
    if (i == 3) continue;
    assert_ok(jn_constrained_inverse_dynamics(m->model, m->data, ORDER, q + i * nq, v + i * V, NULL,
                                              NULL, one, force));
    assert_true(same_bits(one, tau + i * T, T) && same_bits(force, lambda + i * L, L));
  }
  assert_status(jn_batch_constrained_forward_dynamics(m->model, b, ORDER, COUNT_OF, q, v0, tau,
                                                      NULL, a, again, status),
                JN_ERR_CLOSURE);
  for (size_t i = 0; i < COUNT_OF; i++) {
    assert_status(status[i], i == 3 ? JN_ERR_CLOSURE : JN_OK);
    if (i != 3)
      check_residual("batch with constraints, there and back",
                     row_error(ORDER + 1, nv, a + i * T, v + i * V + nv, NULL), 1e-9);
  }
  assert_status(jn_batch_constrained_forward_dynamics(m->model, b, ORDER + 1, 1, q, v0, tau, NULL,
                                                      a, NULL, NULL),
                JN_ERR_ORDER);
  assert_status(jn_batch_constrained_forward_dynamics(m->model, b, ORDER, 1, q, v0, NULL, NULL, a,
                                                      NULL, NULL),
                JN_ERR_ARGUMENT);
  assert_status(
      jn_batch_constrained_inverse_dynamics(m->model, b, ORDER, 1, q, NULL, NULL, tau, NULL, NULL),
      JN_ERR_ARGUMENT);
  for (int missing = 0; missing < 5; missing++) { /* 4: another layout */
    if (missing == 4) assert_ok(jn_batch_set_layout(b, JN_NUMBERS_FIRST));
    if (missing == 0 || missing == 4)
      assert_status(jn_batch_constrained_inverse_dynamics(m->model, b, ORDER, 1, missing ? q : NULL,
                                                          v, NULL, tau, NULL, NULL),
                    JN_ERR_ARGUMENT);
    assert_status(jn_batch_constrained_forward_dynamics(
                      m->model, b, ORDER, 1, missing == 0 ? NULL : q, missing == 1 ? NULL : v0,
                      missing == 2 ? NULL : tau, NULL, missing == 3 ? NULL : a, NULL, NULL),
                  JN_ERR_ARGUMENT);
  }
  assert_ok(jn_batch_set_layout(b, JN_STATES_FIRST));
  free(q), free(v), free(v0), free(tau), free(a), free(lambda), free(again), free(one), free(force);
  jn_batch_free(b);
  mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_agrees_with_single_calls),
      cmocka_unit_test(small_batches_and_large_angles_agree_with_single_calls),
      cmocka_unit_test(forward_dynamics_gives_back_the_force),
      cmocka_unit_test(numbers_first_gives_the_same_bits),
      cmocka_unit_test(hybrid_dynamics_finds_the_missing_half),
      cmocka_unit_test(the_number_of_threads_changes_no_bit),
      cmocka_unit_test(a_bad_state_spoils_no_other),
      cmocka_unit_test(states_with_constraints_are_computed_as_alone),
      cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
