/* test_elementary.c: elementary functions compared with libm in long double; and with strict
 * settings a batch equals single calls bit for bit, whatever the number of lanes. */
#include "helpers/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "helpers/tree.h"

/* |got - want| in units in the last place of want */
static double ulps(double got, long double want) {
  int e;
  (void)frexp((double)want, &e);
  long double unit = ldexpl(1, (e < -1021 ? -1021 : e) - 53);
  return (double)(fabsl((long double)got - want) / unit);
}

/* any exponent */
static double spread(rng *r, int low, int high) {
  double x = ldexp(rng_range(r, 1, 2), low + rng_below(r, high - low));
  return rng_below(r, 2) ? x : -x;
}

static void sine_and_cosine_of_any_angle(void **state) {
  (void)state;
  rng r = rng_new(1);
  double worst = 0, s, c;
  for (int i = 0; i < 200000; i++) {
    double x = i % 2 ? rng_range(&r, -7, 7) : spread(&r, -60, 40);
    jn_sincos(x, &s, &c);
    worst = worse(worst, fmax(ulps(s, sinl(x)), ulps(c, cosl(x))));
  }
  check_residual("sine, cosine (ulp)", worst, 1);
  /* near multiples of pi/2 the argument's bits cancel */
  worst = 0;
  for (int i = 0; i < 200000; i++) {
    double x = (double)((long double)(rng_bits(&r) >> (11 + i % 40)) * 1.5707963267948966192313L);
    jn_sincos(x, &s, &c);
    worst = worse(worst, fmax(ulps(s, sinl(x)), ulps(c, cosl(x))));
  }
  check_residual("sine, cosine near multiples of pi/2 (ulp)", worst, 1);
  /* the hardest double for reduction modulo pi/2, and the largest */
  const double hard = ldexp(6381956970095103.0, 797), most = DBL_MAX;
  jn_sincos(hard, &s, &c);
  check_residual("cosine nearest to zero (ulp)", ulps(c, -4.68716592425462761112e-19L), 1);
  assert_true(s == 1);
  jn_sincos(most, &s, &c);
  check_residual("sine of the largest double (ulp)", ulps(s, sinl(most)), 1);
  jn_sincos(-0.0, &s, &c);
  assert_true(s == 0 && signbit(s) && c == 1);
  jn_sincos(HUGE_VAL, &s, &c);
  assert_true(s != s && c != c);
  jn_sincos(NAN, &s, &c);
  assert_true(s != s && c != c);
}

static void angle_of_a_point(void **state) {
  (void)state;
  rng r = rng_new(2);
  double worst = 0;
  for (int i = 0; i < 200000; i++) {
    double y = i % 2 ? rng_range(&r, -1, 1) : spread(&r, -500, 500),
           x = i % 2 ? rng_range(&r, -1, 1) : spread(&r, -500, 500);
    worst = worse(worst, ulps(jn_atan2(y, x), atan2l(y, x)));
  }
  check_residual("atan2 (ulp)", worst, 2);
  const double zero[2] = {0.0, -0.0};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      assert_true(jn_atan2(zero[i], zero[j]) == atan2(zero[i], zero[j]));
      assert_true(jn_atan2(zero[i], 1) == atan2(zero[i], 1));
      assert_true(jn_atan2(zero[i], -1) == atan2(zero[i], -1));
      assert_true(jn_atan2(1, zero[i]) == atan2(1, zero[i]));
    }
  assert_true(isnan(jn_atan2(HUGE_VAL, 1)) && isnan(jn_atan2(1, NAN)));
  assert_true(isnan(jn_atan2(1, HUGE_VAL)) && isnan(jn_atan2(NAN, 1)));
}

static void exponential_logarithm_power_and_tanh(void **state) {
  (void)state;
  rng r = rng_new(3);
  double e = 0, l = 0, p = 0, t = 0;
  for (int i = 0; i < 200000; i++) {
    double x = i % 2 ? rng_range(&r, -700, 700) : spread(&r, -50, 2);
    e = worse(e, ulps(jn_exp(x), expl(x)));
    x = i % 2 ? rng_range(&r, 0.5, 2) : fabs(spread(&r, denormals_count() ? -1070 : -1020, 1020));
    l = worse(l, ulps(jn_log(x), logl(x)));
    double y = rng_range(&r, -3, 3), z = rng_range(&r, 1e-6, 1e3);
    t = worse(t, ulps(jn_tanh(i % 2 ? 10 * y : x), tanhl(i % 2 ? 10 * y : x)));
    p = worse(p, ulps(jn_pow(z, y), powl(z, y)) / (1 + fabs(y * log(z))));
  }
  check_residual("exp (ulp)", e, 2);
  check_residual("log (ulp)", l, 2);
  check_residual("power (ulp times |y log x| + 1)", p, 2);
  assert_true(jn_exp(0) == 1 && jn_exp(-800) == 0 && jn_exp(800) == HUGE_VAL && isnan(jn_exp(NAN)));
  assert_true(jn_exp(-740) > 0 || !denormals_count());
  check_residual("tanh (ulp)", t, 2);
  assert_true(jn_log(1) == 0);
  assert_true(jn_tanh(0) == 0 && jn_tanh(HUGE_VAL) == 1 && jn_tanh(-50) == -1 &&
              isnan(jn_tanh(NAN)));
}

static void hash(uint64_t *h, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < 8; i++) *h = (*h ^ (bits >> 8 * i & 255)) * 0x100000001b3;
}

/* equal bits on every machine and with every compiler: any change of a digit changes these */
static void the_bits_have_not_changed(void **state) {
  (void)state;
  rng r = rng_new(4);
  uint64_t h[6] = {0};
  double s, c;
  for (int i = 0; i < 40000; i++) {
    const double unit = rng_range(&r, -1, 1), near = rng_range(&r, 0.5, 2),
                 wide = ldexp(unit, i % 2 ? 3 : rng_below(&r, 120) - 60);
    jn_sincos(wide, &s, &c);
    hash(h, s), hash(h + 1, c);
    hash(h + 2, jn_atan2(unit, rng_range(&r, -1, 1)));
    hash(h + 3, jn_exp(i % 2 ? 700 * unit : unit));
    hash(h + 4, jn_log(i % 2 ? near : ldexp(near, rng_below(&r, 2000) - 1000)));
    hash(h + 5, jn_pow(near, 3 * unit));
  }
  const uint64_t want[6] = {0x79c3d73fc698178,  0x5e8f4c120c357502, 0x799bdc82244e673b,
                            0x61d97f62cff156ea, 0x21d2ddea88ddd358, 0xb69a0ff20ec204b};
  for (int i = 0; i < 6; i++)
    if (h[i] != want[i]) print_error("function %d: 0x%llx\n", i, (unsigned long long)h[i]);
  assert_memory_equal(h, want, sizeof h);
}

/* v[(K+2) x nv] and tau[(K+1) x nv] of `count` states of a random robot */
typedef struct states {
  size_t count, nq, nv, r;
  double *q, *v, *tau, *a;
} states;

static states some_states(const jn_model *model, int order, size_t count, rng *r) {
  states s = {count, (size_t)jn_model_nq(model), (size_t)jn_model_nv(model), (size_t)order, 0, 0, 0,
              0};
  s.q = doubles(count * s.nq);
  s.v = doubles(count * (s.r + 2) * s.nv);
  s.tau = doubles(count * (s.r + 1) * s.nv);
  s.a = doubles(count * (s.r + 1) * s.nv);
  double dq[256];
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < s.nv; j++) dq[j] = rng_range(r, -3, 3);
    jn_model_home(model, s.q + i * s.nq);
    assert_ok(jn_integrate(model, s.q + i * s.nq, dq, s.q + i * s.nq));
  }
  for (size_t i = 0; i < count * (s.r + 2) * s.nv; i++) s.v[i] = rng_range(r, -2, 2);
  return s;
}

static void states_free(states *s) { free(s->q), free(s->v), free(s->tau), free(s->a); }

static void a_strict_batch_equals_single_calls_to_the_bit(void **state) {
  (void)state;
  rng r = rng_new(4);
  for (int i = 0; i < 24; i++) {
    const int order = i == 0 ? 180 : i % 7, bodies = i == 0 ? 2 : 1 + rng_below(&r, 9);
    jn_spec *spec = random_spec((uint64_t)(100 + i), bodies,
                                i % 2 ? JN_JOINT_FREE : JN_JOINT_REVOLUTE, TYPES_ALL);
    jn_model *model = build(spec);
    jn_data *data;
    jn_batch *batch;
    assert_ok(jn_data_new(model, order, NULL, &data));
    assert_ok(jn_batch_new(model, order, 2, NULL, &batch));
    states s = some_states(model, order, 11, &r);
    if (i == 0) /* derivatives of a slow motion, so that nothing overflows */
      for (size_t k = 0; k < s.count * (s.r + 2) * s.nv; k++) s.v[k] *= 1e-3;
    jn_settings *a = jn_data_settings(data), *b = jn_batch_settings(batch);
    a->strict = b->strict = 1;
    a->representation = b->representation = (jn_representation)(i % 4);
    const size_t n = (s.r + 1) * s.nv, m = (s.r + 2) * s.nv;
    double *one = doubles(m), *two = doubles(m);
    unsigned char given[64];
    for (int k = 0; k < 64; k++) given[k] = (unsigned char)(k & 1);
    assert_ok(jn_batch_inverse_dynamics(model, batch, order, s.count, s.q, s.v, s.tau, NULL));
    for (size_t k = 0; k < s.count; k++) {
      assert_ok(jn_inverse_dynamics(model, data, order, s.q + k * s.nq, s.v + k * m, NULL, one));
      assert_true(same_bits(one, s.tau + k * n, n));
    }
    double *v0 = doubles(s.count * s.nv);
    for (size_t k = 0; k < s.count; k++) memcpy(v0 + k * s.nv, s.v + k * m, sizeof(double) * s.nv);
    if (i)
      assert_ok(jn_batch_forward_dynamics(model, batch, order, s.count, s.q, v0, s.tau, s.a, NULL));
    for (size_t k = 0; i && k < s.count; k++) {
      assert_ok(jn_forward_dynamics(model, data, order, s.q + k * s.nq, v0 + k * s.nv,
                                    s.tau + k * n, NULL, one));
      assert_true(same_bits(one, s.a + k * n, n));
    }
    double *v = copy_of(s.v, s.count * m), *tau = copy_of(s.tau, s.count * n);
    if (i)
      assert_ok(jn_batch_hybrid_dynamics(model, batch, order, s.count, s.q, given, v, tau, NULL));
    for (size_t k = 0; i && k < s.count; k++) {
      memcpy(one, s.v + k * m, sizeof(double) * m);
      memcpy(two, s.tau + k * n, sizeof(double) * n);
      assert_ok(jn_hybrid_dynamics(model, data, order, s.q + k * s.nq, given, one, two, NULL));
      assert_true(same_bits(one, v + k * m, m));
      assert_true(same_bits(two, tau + k * n, n));
    }
    free(one), free(two), free(v0), free(v), free(tau);
    states_free(&s);
    jn_batch_free(batch);
    jn_data_free(data);
    jn_model_free(model);
    jn_spec_free(spec);
  }
}

/* the setting applies to the next call; the results of the last one stay readable */
static void strict_may_change_between_calls(void **state) {
  (void)state;
  robot r = robot_random(5, 6, JN_JOINT_FREE, TYPES_ALL, 3);
  jn_data *fresh;
  assert_ok(jn_data_new(r.model, 3, NULL, &fresh));
  jn_data_settings(fresh)->representation = JN_BODY;
  jn_data_settings(fresh)->strict = 1;
  double *tau = doubles(r.n), *want = doubles(r.n), twist[2][24],
         *fast = robot_inverse(&r, r.v, NULL);
  assert_ok(jn_inverse_dynamics(r.model, fresh, 3, r.q, r.v, NULL, want));
  assert_ok(jn_kinematics(r.model, r.data, 3, r.q, r.v));
  assert_ok(jn_frame_twist(r.model, r.data, 2, JN_BODY, 3, twist[0]));
  jn_data_settings(r.data)->strict = 1;
  assert_ok(jn_frame_twist(r.model, r.data, 2, JN_BODY, 3, twist[1]));
  assert_true(same_bits(twist[0], twist[1], 24));
  assert_ok(jn_inverse_dynamics(r.model, r.data, 3, r.q, r.v, NULL, tau));
  assert_true(same_bits(tau, want, r.n));
  jn_data_settings(r.data)->strict = 0;
  assert_ok(jn_inverse_dynamics(r.model, r.data, 3, r.q, r.v, NULL, tau));
  assert_true(same_bits(tau, fast, r.n));
  /* by the environment */
  jn_data *other;
  assert_int_equal(setenv("JOUNCE_STRICT", "1", 1), 0);
  assert_ok(jn_data_new(r.model, 3, NULL, &other));
  assert_int_equal(jn_data_settings(other)->strict, 1);
  jn_data_free(other);
  jn_batch *batch;
  assert_ok(jn_batch_new(r.model, 3, 1, NULL, &batch));
  assert_int_equal(jn_batch_settings(batch)->strict, 1);
  jn_batch_free(batch);
  assert_int_equal(setenv("JOUNCE_STRICT", "0", 1), 0);
  assert_ok(jn_data_new(r.model, 3, NULL, &other));
  assert_int_equal(jn_data_settings(other)->strict, 0);
  jn_data_free(other);
  assert_ok(jn_batch_new(r.model, 3, 1, NULL, &batch));
  assert_int_equal(jn_batch_settings(batch)->strict, 0);
  jn_batch_free(batch);
  assert_int_equal(unsetenv("JOUNCE_STRICT"), 0);
  free(tau), free(want), free(fast);
  jn_data_free(fresh);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sine_and_cosine_of_any_angle),
      cmocka_unit_test(angle_of_a_point),
      cmocka_unit_test(exponential_logarithm_power_and_tanh),
      cmocka_unit_test(the_bits_have_not_changed),
      cmocka_unit_test(a_strict_batch_equals_single_calls_to_the_bit),
      cmocka_unit_test(strict_may_change_between_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
