/* test_dynamics_exact.c: dynamics whose result is known to the last bit. */
#include "model/data.h" /* before check.h, which defines a macro U */

#include "helpers/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/load.h"

static const jn_joint_type bases[] = {JN_JOINT_FREE, JN_JOINT_FIXED, JN_JOINT_SPHERICAL,
                                      JN_JOINT_PLANAR};

/* Calls every compute function once; the outputs are concatenated in `out`. */
enum { MAX_OUTPUT = 200000 };

static size_t compute_all(robot *r, jn_data *data, int K, const load *l, double *out) {
  const jn_model *m = r->model;
  const jn_external *e = l ? &l->external : NULL;
  size_t nv = (size_t)r->nv, rows = (size_t)K + 1, n = rows * nv, at = 0;
  double *tau = out;
  at += n;
  assert_ok(jn_inverse_dynamics(m, data, K, r->q, r->v, e, tau));
  assert_ok(jn_forward_dynamics(m, data, K, r->q, r->v, tau, e, out + at));
  at += n;
  unsigned char given[64] = {0};
  for (int i = 0; i < r->nbody; i++) given[i] = i % 2;
  memcpy(out + at, r->v, (n + nv) * sizeof *out);
  memcpy(out + at + n + nv, tau, n * sizeof *out);
  assert_ok(jn_hybrid_dynamics(m, data, K, r->q, given, out + at, out + at + n + nv, e));
  at += 2 * n + nv;
  double *M = out + at, *C = M + n * nv, *g = C + n * nv, *h = g + n, *x = h + n;
  assert_ok(jn_equations_of_motion(m, data, K, r->q, r->v, e, M, C, g, h, x));
  at += 2 * n * nv + 3 * n;
  assert_ok(jn_mass_matrix(m, data, r->q, out + at));
  at += nv * nv;
  jn_momentum o = {out + at,
                   out + at + 3 * rows,
                   out + at + 9 * rows,
                   out + at + 15 * rows,
                   out + at + 16 * rows,
                   out + at + 17 * rows,
                   NULL};
  assert_ok(jn_momentum_energy(m, data, K, r->q, r->v, &o));
  at += 17 * rows + 6 * n;
  assert_ok(jn_kinematics(m, data, K, r->q, r->v));
  for (int f = 0; f < jn_model_frame_count(m); f++) {
    assert_ok(jn_frame_twist(m, data, f, JN_SPATIAL, K, out + at));
    at += 6 * rows;
    assert_ok(jn_point_motion(m, data, f, jn_v3(1, 2, 3), K, out + at));
    at += 3 * (rows + 1);
  }
  for (int i = 0; i < r->nbody; i++) {
    assert_ok(jn_joint_screws(m, data, i, K, out + at));
    at += 6 * rows * (size_t)jn_model_joint(m, i)->nv;
  }
  assert_true(at < MAX_OUTPUT);
  return at;
}

static void results_do_not_depend_on_what_the_scratch_memory_holds(void **state) {
  (void)state;
  double *want = doubles(MAX_OUTPUT), *got = doubles(MAX_OUTPUT);
  for (uint64_t seed = 3000; seed < 3016; seed++) {
    robot r = robot_random(seed, 6, bases[seed / 4 % COUNT(bases)], TYPES_ALL, 4);
    load l = load_random(&r, seed, 4);
    robot_represent(&r, (jn_representation)(seed % 4));
    jn_data_settings(r.data)->formulation = seed % 2 ? JN_FORM_SPATIAL : JN_FORM_BODY;
    load_represent(&r, &l, 4);
    size_t size = jn_data_size(r.model, 4), n = 0;
    void *block = aligned_alloc(64, (size + 63) / 64 * 64);
    jn_data *data;
    assert_non_null(block);
    assert_ok(jn_data_place(r.model, 4, block, size, &data));
    *jn_data_settings(data) = *jn_data_settings(r.data);
    /* fresh, used, all NaN, all ones */
    for (int pass = 0; pass < 4; pass++) {
      char *arrays = (char *)data->w.q;
      size_t bytes = size - (size_t)(arrays - (char *)block);
      if (pass == 2) memset(arrays, 0xFF, bytes);
      if (pass == 3)
        for (size_t i = 0; i < bytes / sizeof(double); i++) data->w.q[i] = 1;
      n = compute_all(&r, data, 4, &l, pass ? got : want);
      if (pass) assert_true(same_bits(got, want, n));
    }
    free(block);
    load_free(&l);
    robot_free(&r);
  }
  free(want);
  free(got);
}

/* the scratch is overwritten before every single function, not only before all of them */
static void each_function_alone_reads_nothing_left_by_another(void **state) {
  (void)state;
  double *want = doubles(MAX_OUTPUT), *got = doubles(MAX_OUTPUT);
  for (uint64_t seed = 3020; seed < 3028; seed++) {
    robot r = robot_random(seed, 6, bases[seed % COUNT(bases)], TYPES_ALL, 3);
    size_t size = jn_data_size(r.model, 3), nv = (size_t)r.nv, n = r.n;
    void *block = aligned_alloc(64, (size + 63) / 64 * 64);
    jn_data *data;
    assert_non_null(block);
    assert_ok(jn_data_place(r.model, 3, block, size, &data));
    *jn_data_settings(data) = *jn_data_settings(r.data);
    jn_data_settings(data)->formulation = seed % 2 ? JN_FORM_SPATIAL : JN_FORM_BODY;
    compute_all(&r, data, 3, NULL, want);
    for (int which = 0; which < 6; which++) {
      char *arrays = (char *)data->w.q;
      memset(arrays, 0xFF, size - (size_t)(arrays - (char *)block));
      fill(got, 8 * n + 4 * n * nv, 0);
      const double *expect = want;
      size_t count = n;
      jn_momentum o = {got, got + 12, got + 36, got + 60, got + 64, got + 68, NULL};
      unsigned char given[64] = {0};
      for (int i = 0; i < r.nbody; i++) given[i] = i % 2;
      switch (which) {
        case 0:
          assert_ok(jn_inverse_dynamics(r.model, data, 3, r.q, r.v, NULL, got));
          break;
        case 1:
          assert_ok(jn_forward_dynamics(r.model, data, 3, r.q, r.v, want, NULL, got));
          expect = want + n;
          break;
        case 2:
          memcpy(got, r.v, (n + nv) * sizeof *got);
          memcpy(got + n + nv, want, n * sizeof *got);
          assert_ok(jn_hybrid_dynamics(r.model, data, 3, r.q, given, got, got + n + nv, NULL));
          expect = want + 2 * n;
          count = 2 * n + nv;
          break;
        case 3:
          assert_ok(jn_equations_of_motion(r.model, data, 3, r.q, r.v, NULL, got, got + n * nv,
                                           got + 2 * n * nv, got + 2 * n * nv + n, NULL));
          expect = want + 4 * n + nv;
          count = 2 * n * nv + 2 * n;
          break;
        case 4:
          assert_ok(jn_mass_matrix(r.model, data, r.q, got));
          expect = want + 7 * n + nv + 2 * n * nv;
          count = nv * nv;
          break;
        default:
          assert_ok(jn_momentum_energy(r.model, data, 3, r.q, r.v, &o));
          expect = want + 7 * n + nv + 2 * n * nv + nv * nv;
          count = 68 + 6 * n;
      }
      assert_true(same_bits(got, expect, count));
    }
    free(block);
    robot_free(&r);
  }
  free(want);
  free(got);
}

/* Between these two calls jn_data_new chooses the engine without fused multiply-add, in which equal
 * terms give equal bits however the loops are unrolled. */
static char isa[32];
static void begin_plain(void) {
  const char *now = getenv("JOUNCE_ISA");
  snprintf(isa, sizeof isa, "%s", now ? now : "");
  assert_int_equal(setenv("JOUNCE_ISA", "plain", 1), 0);
}
static void end_plain(void) {
  assert_int_equal(isa[0] ? setenv("JOUNCE_ISA", isa, 1) : unsetenv("JOUNCE_ISA"), 0);
}

/* equal bits; with fused multiply-add equal to a few roundings of the row */
static void check_equal(int fused, const char *name, int rows, size_t n, const double *x,
                        const double *y, const double *scale) {
  if (fused)
    check_residual(name, row_error(rows, n, x, y, scale), 400 * U);
  else
    assert_true(same_bits(x, y, (size_t)rows * n));
}

static void the_first_rows_do_not_depend_on_the_order(void **state) {
  (void)state;
  enum { HIGH = 9 };
  for (uint64_t seed = 3040; seed < 3080; seed++) {
    int fused = seed >= 3060;
    if (!fused) begin_plain();
    robot r = robot_random(seed, 9, bases[seed % COUNT(bases)], TYPES_ALL, HIGH);
    size_t nv = (size_t)r.nv;
    jn_data_settings(r.data)->formulation = seed % 2 ? JN_FORM_SPATIAL : JN_FORM_BODY;
    double *tau = robot_inverse(&r, r.v, NULL), *v = robot_forward(&r, tau, NULL), scale[HIGH + 1];
    double *M = doubles(r.n * nv), *C = doubles(r.n * nv), *M2 = doubles(r.n * nv),
           *C2 = doubles(r.n * nv);
    double E[HIGH + 1], E2[HIGH + 1], *got = doubles(r.n), *back = doubles(r.n + nv);
    jn_momentum o = {0};
    force_scale(&r, r.v, tau, scale);
    o.kinetic = E;
    assert_ok(
        jn_equations_of_motion(r.model, r.data, HIGH, r.q, r.v, NULL, M, C, NULL, NULL, NULL));
    assert_ok(jn_momentum_energy(r.model, r.data, HIGH, r.q, r.v, &o));
    o.kinetic = E2;
    for (int K = 0; K < HIGH; K += 2) {
      /* in the same data, and in one made for the lower order */
      jn_data *low;
      assert_ok(jn_data_new(r.model, K, NULL, &low));
      *jn_data_settings(low) = *jn_data_settings(r.data);
      for (int which = 0; which < 2; which++) {
        jn_data *d = which ? low : r.data;
        size_t n = ((size_t)K + 1) * nv;
        assert_ok(jn_inverse_dynamics(r.model, d, K, r.q, r.v, NULL, got));
        check_equal(fused, "order prefix, ID, fused", K + 1, nv, got, tau, scale);
        assert_ok(jn_forward_dynamics(r.model, d, K, r.q, r.v, tau, NULL, got));
        if (fused) { /* in force */
          memcpy(back, r.v, nv * sizeof *back);
          memcpy(back + nv, got, n * sizeof *back);
          assert_ok(jn_inverse_dynamics(r.model, d, K, r.q, back, NULL, got));
          check_residual("order prefix, FD in force, fused", row_error(K + 1, nv, got, tau, scale),
                         1e-12);
        } else {
          assert_true(same_bits(got, v + nv, n));
        }
        assert_ok(jn_equations_of_motion(r.model, d, K, r.q, r.v, NULL, M2, C2, NULL, NULL, NULL));
        assert_true(same_bits(M2, M, n * nv) && same_bits(C2, C, n * nv));
        assert_ok(jn_momentum_energy(r.model, d, K, r.q, r.v, &o));
        assert_true(same_bits(E2, E, (size_t)K + 1));
      }
      jn_data_free(low);
    }
    if (!fused) end_plain();
    free(tau), free(v), free(M), free(C), free(M2), free(C2), free(got), free(back);
    robot_free(&r);
  }
}

static void at_rest_all_derivatives_of_the_forces_vanish(void **state) {
  (void)state;
  for (uint64_t seed = 3070; seed < 3090; seed++) {
    robot r = robot_random(seed, 9, bases[seed % COUNT(bases)], TYPES_ALL, 7);
    size_t nv = (size_t)r.nv;
    robot_represent(&r, (jn_representation)(seed % 4));
    jn_data_settings(r.data)->formulation = seed % 2 ? JN_FORM_SPATIAL : JN_FORM_BODY;
    fill(r.v, r.n + nv, 0);
    double *tau = robot_inverse(&r, r.v, NULL);
    assert_true(largest(tau, nv) > 0);
    assert_true(all_equal_to(tau + nv, r.n - nv, 0));
    free(tau);
    robot_free(&r);
  }
}

/* Numbers of few bits: v + p x w is exact, and so is everything that depends on the base's
 * position. */
static void exactly_given_states_have_the_same_bits_far_away(void **state) {
  (void)state;
  enum { ORDER = 5 };
  jn_model *m;
  jn_data *d;
  assert_ok(jn_model_load("tilthex", NULL, NULL, &m, NULL));
  assert_ok(jn_data_new(m, ORDER, NULL, &d));
  for (int rep = JN_SPATIAL; rep <= JN_MIXED; rep++) {
    double tau[2][(ORDER + 1) * 12], a[2][(ORDER + 1) * 12];
    jn_data_settings(d)->representation = (jn_representation)rep;
    for (int far = 0; far < 2; far++) {
      rng r = rng_new(7);
      const double p[3] = {far ? 1048576 : 0, far ? -786432 : 0, far ? 262144 : 0};
      double q[13] = {0.5, -0.5, 0.5, 0.5, p[0], p[1], p[2]}, v[(ORDER + 2) * 12];
      for (int i = 7; i < 13; i++) q[i] = floor(64 * rng_range(&r, -1, 1)) / 64;
      for (int k = 0; k < ORDER + 2; k++) {
        double *x = v + 12 * k;
        for (int i = 0; i < 12; i++) x[i] = floor(64 * rng_range(&r, -1, 1)) / 64;
        if (rep != JN_SPATIAL) continue;
        x[3] += p[1] * x[2] - p[2] * x[1];
        x[4] += p[2] * x[0] - p[0] * x[2];
        x[5] += p[0] * x[1] - p[1] * x[0];
      }
      assert_ok(jn_inverse_dynamics(m, d, ORDER, q, v, NULL, tau[far]));
      if (rep != JN_SPATIAL)
        assert_ok(jn_forward_dynamics(m, d, ORDER, q, v, tau[0], NULL, a[far]));
    }
    for (size_t k = 0; k <= ORDER; k++)
      assert_true(same_bits(tau[0] + 12 * k + 6, tau[1] + 12 * k + 6, 6));
    if (rep != JN_SPATIAL) assert_true(same_bits(a[0], a[1], COUNT(a[0])));
  }
  jn_data_free(d);
  jn_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exactly_given_states_have_the_same_bits_far_away),
      cmocka_unit_test(results_do_not_depend_on_what_the_scratch_memory_holds),
      cmocka_unit_test(each_function_alone_reads_nothing_left_by_another),
      cmocka_unit_test(the_first_rows_do_not_depend_on_the_order),
      cmocka_unit_test(at_rest_all_derivatives_of_the_forces_vanish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
