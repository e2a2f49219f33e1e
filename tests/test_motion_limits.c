/* test_motion_limits.c: peaks and time scales of motions in closed form; motors of elastic joints.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/rng.h"
#include "helpers/tree.h"

static jn_model *pendulum(jn_data **data) {
  jn_model *model;
  jn_error error = {0};
  assert_ok(jn_model_load("pendulum", NULL, NULL, &model, &error));
  assert_ok(jn_data_new(model, 1, NULL, data));
  return model;
}

/* q = A sin(w t): the peaks are A w^k, and the speed that keeps a limit is (limit / peak)^(1/k). */
static void peaks_and_scales_of_a_sine(void **state) {
  (void)state;
  jn_data *data;
  jn_model *model = pendulum(&data);
  const double A = 0.7, w = 3.1, a[2] = {0, 0}, b[2] = {0, A};
  jn_trajectory *T = NULL;
  jn_error error = {0};
  assert_ok(jn_trajectory_fourier(model, 0, 4, 2, w, a, b, NULL, &T, &error));
  jn_limit_range range[JN_LIMIT_KINDS];
  const double peak[4] = {A, A * w, A * w * w, A * w * w * w};
  for (int kind = 0; kind < 4; kind++) {
    const double share = 1.3 - 0.2 * kind;
    jn_limit_check *check = NULL;
    for (int k = 0; k < JN_LIMIT_KINDS; k++) range[k] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
    range[kind] = (jn_limit_range){-peak[kind] * share, peak[kind] * share};
    assert_ok(jn_limit_check_new(model, data, T, range, 100, NULL, &check, &error));
    const jn_limit_peak *p = jn_limit_check_peak(check, 0, (jn_limit_kind)kind);
    check_residual("peak of a sine", fabs(fabs(p->value) / peak[kind] - 1), 1e-12);
    check_residual("its share of the limit", fabs(p->used * share - 1), 1e-12);
    assert_int_equal(p->broken, share < 1);
    assert_int_equal(jn_limit_check_broken(check), share < 1);
    assert_int_equal(jn_limit_check_limited(check), 1);
    const double scale = jn_limit_check_scale(check);
    if (kind == 0)
      assert_true(scale == JN_LIMIT_FASTEST);
    else
      check_residual("time scale of a sine", fabs(scale * pow(share, 1.0 / kind) - 1), 1e-9);
    /* samples: in order of time, the use at half the speed */
    for (int n = 1; n < jn_limit_check_samples(check); n++)
      assert_true(jn_limit_check_time(check, n) >= jn_limit_check_time(check, n - 1));
    check_residual("use at another speed",
                   fabs(jn_limit_check_use(check, 3, 0, (jn_limit_kind)kind, 0.5) -
                        pow(0.5, kind) * jn_limit_check_use(check, 3, 0, (jn_limit_kind)kind, 1)),
                   1e-15);
    jn_limit_check_free(check);
  }
  jn_trajectory_free(T);
  jn_data_free(data);
  jn_model_free(model);
}

/* A limit on one side: values far on the other side use none of it. */
static void one_limit_is_not_two(void **state) {
  (void)state;
  jn_data *data;
  jn_model *model = pendulum(&data);
  const double times[2] = {0, 1}, q[2] = {0, -3};
  jn_trajectory *T = NULL;
  jn_error error = {0};
  assert_ok(jn_trajectory_minimum(model, 3, 2, times, q, NULL, NULL, &T, &error));
  for (int side = 0; side < 2; side++)
    for (int kind = JN_LIMIT_POSITION; kind <= JN_LIMIT_VELOCITY; kind++) {
      jn_limit_range range[JN_LIMIT_KINDS];
      jn_limit_check *check = NULL;
      for (int k = 0; k < JN_LIMIT_KINDS; k++) range[k] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
      *(side ? &range[kind].low : &range[kind].high) = side ? -1 : 1;
      assert_ok(jn_limit_check_new(model, data, T, range, 100, NULL, &check, &error));
      const jn_limit_peak *p = jn_limit_check_peak(check, 0, (jn_limit_kind)kind);
      const double peak = kind == JN_LIMIT_POSITION ? -3 : -3 * 30.0 / 16;
      assert_int_equal(p->broken, side);
      assert_int_equal(jn_limit_check_broken(check), side);
      if (side) check_residual("peak beyond one limit", fabs(p->value / peak - 1), 1e-12);
      if (!side) assert_true(p->used <= 1 && p->excess == 0);
      jn_limit_check_free(check);
    }
  jn_trajectory_free(T);
  jn_data_free(data);
  jn_model_free(model);
}

/* A torque limit below the static torque: no time scaling helps, and the peak says so. */
static void static_torques_are_hopeless(void **state) {
  (void)state;
  jn_data *data;
  jn_model *model = pendulum(&data);
  const double times[2] = {0, 1}, q[2] = {0, 1.5};
  jn_trajectory *T = NULL;
  jn_limit_check *check = NULL;
  jn_error error = {0};
  jn_limit_range range[JN_LIMIT_KINDS];
  assert_ok(jn_trajectory_minimum(model, 3, 2, times, q, NULL, NULL, &T, &error));
  assert_ok(jn_model_limits(model, range));
  range[JN_LIMIT_EFFORT] = (jn_limit_range){-1, 1};
  assert_ok(jn_limit_check_new(model, data, T, range, 200, NULL, &check, &error));
  const jn_limit_peak *p = jn_limit_check_peak(check, 0, JN_LIMIT_EFFORT);
  assert_true(p->hopeless && p->broken && fabs(p->resting) > 1);
  assert_true(jn_limit_check_scale(check) == 0);
  jn_limit_check_free(check);
  /* refusals leave nothing behind */
  check = NULL;
  range[JN_LIMIT_JERK] = (jn_limit_range){1, -1};
  assert_status(jn_limit_check_new(model, data, T, range, 200, NULL, &check, &error),
                JN_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "jerk of 'joint1'"));
  assert_status(jn_limit_check_new(model, data, NULL, range, 200, NULL, &check, &error),
                JN_ERR_ARGUMENT);
  range[JN_LIMIT_JERK] = (jn_limit_range){-1, 1};
  assert_status(jn_limit_check_new(model, data, T, range, 1, NULL, &check, &error),
                JN_ERR_ARGUMENT);
  jn_data *low;
  assert_ok(jn_data_new(model, 0, NULL, &low));
  assert_status(jn_limit_check_new(model, low, T, range, 9, NULL, &check, &error), JN_ERR_ORDER);
  assert_null(check);
  assert_null(jn_limit_check_peak(NULL, 0, JN_LIMIT_JERK));
  jn_data_free(low);
  jn_trajectory_free(T);
  jn_data_free(data);
  jn_model_free(model);
}

/* theta = q + tau/K and B theta'' = tau_m - tau at every order, against inverse dynamics of a
 * higher order; the slope test: the rows are derivatives of each other. */
static void motors_obey_their_equations(void **state) {
  (void)state;
  enum { ORDER = 3 };
  for (uint64_t seed = 1; seed <= 12; seed++) {
    check_seed(seed);
    robot r = robot_random(seed, 6, seed % 2 ? JN_JOINT_FREE : JN_JOINT_FIXED,
                           TYPES_ALL & ~TYPE(FIXED), ORDER + 3);
    const size_t nv = (size_t)r.nv;
    double *K = doubles(nv), *B = doubles(nv), *tau = doubles(7 * nv), *theta = doubles(7 * nv),
           *tau_m = doubles(5 * nv);
    for (size_t i = 0; i < nv; i++) K[i] = i % 3 ? 50.0 + (double)i : 0, B[i] = i % 3 ? 0.3 : 0;
    double *want = robot_inverse(&r, r.v, NULL);
    assert_ok(jn_elastic_motors(r.model, r.data, ORDER, K, B, r.q, r.v, tau, theta, tau_m));
    double size = 0;
    for (size_t i = 0; i < (ORDER + 3) * nv; i++) size = fmax(size, fabs(want[i]));
    check_residual("spring torques are inverse dynamics",
                   largest_difference(tau, want, (ORDER + 3) * nv) / size, 1e-12);
    for (size_t k = 0; k <= ORDER; k++)
      for (size_t i = 0; i < nv; i++) {
        const double spring = K[i] > 0 ? K[i] * (theta[(k + 2) * nv + i] - r.v[(k + 1) * nv + i])
                                       : tau[(k + 2) * nv + i];
        check_residual("K (theta - q)^(k+2) = tau^(k+2)",
                       fabs(spring - tau[(k + 2) * nv + i]) / size, 1e-11);
        check_residual(
            "B theta^(k+2) = tau_m^(k) - tau^(k)",
            fabs(B[i] * theta[(k + 2) * nv + i] - tau_m[k * nv + i] + tau[k * nv + i]) / size,
            1e-12);
      }
    assert_status(jn_elastic_motors(r.model, r.data, ORDER + 2, K, B, r.q, r.v, tau, NULL, NULL),
                  JN_ERR_ORDER);
    K[0] = -1;
    assert_status(jn_elastic_motors(r.model, r.data, 0, K, B, r.q, r.v, tau, NULL, NULL),
                  JN_ERR_ARGUMENT);
    K[0] = 1, B[0] = 0;
    assert_status(jn_elastic_motors(r.model, r.data, 0, K, B, r.q, r.v, tau, NULL, NULL),
                  JN_ERR_ARGUMENT);
    double *all[] = {K, B, tau, theta, tau_m, want};
    for (size_t i = 0; i < COUNT(all); i++) free(all[i]);
    robot_free(&r);
  }
}

/* Motors along many trajectories: the bits of single calls, whatever the threads; one that fails leaves its
 * outputs as they were, and the others are there. */
static void motors_along_many_trajectories(void **state) {
  (void)state;
  enum { PATHS = 5, SAMPLES = 7, ORDER = 1 };
  robot r = robot_random(3, 6, JN_JOINT_FREE, TYPES_ALL & ~TYPE(FIXED), ORDER + 2);
  const size_t nv = (size_t)r.nv, nq = (size_t)r.nq, spring = (ORDER + 3) * nv,
               motor = (ORDER + 1) * nv, all = PATHS * SAMPLES;
  const double times[2] = {0, 1};
  jn_trajectory *path[PATHS];
  jn_error error = {0};
  double *ends = doubles(2 * nq), *dq = doubles(nv), *t = doubles(all), *K = doubles(nv),
         *B = doubles(nv), *q = doubles(nq), *v = doubles((ORDER + 4) * nv),
         *tau = doubles(all * spring), *theta = doubles(all * spring),
         *tau_m = doubles(all * motor),
         *one[3] = {doubles(spring), doubles(spring), doubles(motor)};
  jn_status status[PATHS];
  for (size_t i = 0; i < nv; i++) K[i] = i % 3 ? 50.0 + (double)i : 0, B[i] = i % 3 ? 0.3 : 0;
  for (size_t n = 0; n < PATHS; n++) {
    for (size_t i = 0; i < nv; i++) dq[i] = 0.3 * sin((double)(i + 3 * n + 1));
    memcpy(ends, r.q, nq * sizeof *ends);
    assert_ok(jn_integrate(r.model, r.q, dq, ends + nq));
    assert_ok(jn_trajectory_minimum(r.model, 5, 2, times, ends, NULL, NULL, &path[n], &error));
    for (size_t k = 0; k < SAMPLES; k++)
      t[n * SAMPLES + k] = (double)k / (SAMPLES - 1) * (1 - 0.1 * (double)n);
  }
  const jn_trajectory *given[PATHS];
  memcpy(given, path, sizeof given);
  jn_settings *settings = jn_data_settings(r.data);
  for (int threads = 0; threads <= 3; threads++) {
    fill(tau, all * spring, NAN), fill(theta, all * spring, NAN), fill(tau_m, all * motor, NAN);
    assert_ok(jn_elastic_motors_batch(r.model, settings, threads, PATHS, given, SAMPLES, t, ORDER,
                                      K, B, NULL, tau, theta, tau_m, status, &error));
    for (size_t n = 0; n < all; n++) {
      assert_ok(
          jn_trajectory_at(path[n / SAMPLES], t[n], ORDER + 2, settings->representation, q, v));
      assert_ok(jn_elastic_motors(r.model, r.data, ORDER, K, B, q, v, one[0], one[1], one[2]));
      assert_memory_equal(tau + n * spring, one[0], spring * sizeof(double));
      assert_memory_equal(theta + n * spring, one[1], spring * sizeof(double));
      assert_memory_equal(tau_m + n * motor, one[2], motor * sizeof(double));
      assert_int_equal(status[n / SAMPLES], JN_OK);
    }
  }
  /* trajectory 1 is missing, a time of trajectory 3 is not finite */
  double *before = doubles(all * spring);
  memcpy(before, tau, all * spring * sizeof *tau);
  fill(tau, all * spring, 7);
  given[1] = NULL, t[3 * SAMPLES + 4] = NAN;
  assert_status(jn_elastic_motors_batch(r.model, settings, 2, PATHS, given, SAMPLES, t, ORDER, K, B,
                                        NULL, tau, NULL, NULL, status, &error),
                JN_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "a trajectory is NULL"));
  for (size_t n = 0; n < PATHS; n++)
    for (size_t i = n * SAMPLES * spring; i < (n + 1) * SAMPLES * spring; i++)
      assert_true(tau[i] == (n == 1 || n == 3 ? 7 : before[i]));
  for (size_t n = 0; n < PATHS; n++) assert_int_equal(!status[n], n != 1 && n != 3);
  assert_true(jn_elastic_motors_batch(r.model, settings, 1, 1, given + 3, SAMPLES, t + 3 * SAMPLES,
                                      ORDER, K, B, NULL, tau, NULL, NULL, NULL,
                                      &error) == status[3]);
  assert_non_null(strstr(error.message, "trajectory 0 at t = "));
  /* of the whole call */
  assert_ok(jn_elastic_motors_batch(r.model, NULL, 1, 0, NULL, 0, NULL, ORDER, NULL, NULL, NULL,
                                    NULL, NULL, NULL, NULL, NULL));
  K[1] = -1;
  const struct {
    int threads, samples, order;
    double *tau;
    jn_status want;
  } wrong[] = {{-1, SAMPLES, ORDER, tau, JN_ERR_ARGUMENT},
               {JN_MAX_THREADS + 1, SAMPLES, ORDER, tau, JN_ERR_LIMIT},
               {1, -1, ORDER, tau, JN_ERR_ARGUMENT},
               {1, JN_MAX_SAMPLES + 1, ORDER, tau, JN_ERR_LIMIT},
               {1, SAMPLES, -1, tau, JN_ERR_ARGUMENT},
               {1, SAMPLES, JN_MAX_ORDER - 1, tau, JN_ERR_ARGUMENT},
               {1, SAMPLES, ORDER, NULL, JN_ERR_ARGUMENT},
               {1, SAMPLES, ORDER, tau, JN_ERR_ARGUMENT}}; /* K */
  for (size_t i = 0; i < COUNT(wrong); i++)
    assert_status(
        jn_elastic_motors_batch(r.model, settings, wrong[i].threads, 1, given, wrong[i].samples, t,
                                wrong[i].order, K, B, NULL, wrong[i].tau, NULL, NULL, NULL, &error),
        wrong[i].want);
  for (size_t n = 0; n < PATHS; n++) jn_trajectory_free(path[n]);
  double *const arrays[] = {ends, dq,    t,     K,      B,      q,      v,
                            tau,  theta, tau_m, one[0], one[1], one[2], before};
  for (size_t i = 0; i < COUNT(arrays); i++) free(arrays[i]);
  robot_free(&r);
}

/* The largest |v^(k)| of a motion between two times, by brute force. */
static double brute_force(const jn_trajectory *T, int k, double from, double to) {
  enum { PLACES = 200000 };
  double most = 0, q, v[4];
  for (int i = 0; i <= PLACES; i++) {
    assert_ok(jn_trajectory_at(T, from + (to - from) * i / PLACES, k - 1, JN_BODY, &q, v));
    most = fmax(most, fabs(v[k - 1]));
  }
  return most;
}

static double peak_of(const jn_model *model, jn_data *data, const jn_trajectory *T, int kind) {
  jn_limit_range range[JN_LIMIT_KINDS];
  jn_limit_check *check = NULL;
  jn_error error = {0};
  for (int k = 0; k < JN_LIMIT_KINDS; k++) range[k] = (jn_limit_range){-HUGE_VAL, HUGE_VAL};
  range[kind] = (jn_limit_range){-1, 1};
  assert_ok(jn_limit_check_new(model, data, T, range, 2, NULL, &check, &error));
  const double value = fabs(jn_limit_check_peak(check, 0, (jn_limit_kind)kind)->value);
  jn_limit_check_free(check);
  return value;
}

/* A piece may hold hundreds of periods; samples follow the fastest harmonic that is there, by its clock, and
 * the degree of a polynomial. */
static void fast_harmonics_show_their_peaks(void **state) {
  (void)state;
  enum { TERMS = 7, END = 600 };
  jn_data *data;
  jn_model *model = pendulum(&data);
  jn_trajectory *T = NULL, *slow = NULL, *line = NULL;
  jn_error error = {0};
  const double w = 3.141592653589793, period = 2,
               a[TERMS + 1] = {0, 0.121, 0.034, -0.216, 0.179, -0.216, -0.172, 0},
               b[TERMS + 1] = {0, 0.483, -0.12, -0.243, -0.227, 0.07, -0.151, 0}, c[2] = {0, 1},
               clock[10] = {0, 0, 0.5, 0, 0, 1000, END, 0.7, 0, 0};
  assert_ok(jn_trajectory_fourier(model, 0, END, TERMS + 1, w, a, b, NULL, &T, &error));
  assert_ok(jn_trajectory_clocked(T, 2, clock, NULL, &slow, &error));
  for (int kind = JN_LIMIT_VELOCITY; kind <= JN_LIMIT_JERK; kind++) {
    const double truth = brute_force(T, kind, 0, period), last = brute_force(slow, kind, 990, 1000);
    check_residual("peak of many harmonics", fabs(peak_of(model, data, T, kind) / truth - 1), 1e-7);
    assert_true(peak_of(model, data, slow, kind) >= last * (1 - 1e-7));
  }
  assert_int_equal(jn_trajectory_places(T, 3, 3, 8), 1);
  assert_int_equal(jn_trajectory_places(NULL, 0, 1, 8), 1);
  assert_ok(jn_trajectory_polynomial(model, 0, 1, 1, c, NULL, &line, &error));
  assert_int_equal(jn_trajectory_places(line, 0, 1, 8), 8);
  assert_int_equal(jn_trajectory_places(T, 0, period, 8), 16 * (TERMS - 1));
  jn_trajectory_free(line);
  jn_trajectory_free(slow);
  jn_trajectory_free(T);
  jn_model_free(model);
  jn_data_free(data);
}

/* The speed of the second joint of a double pendulum: its arm times the rate of the first. */
static void fast_harmonics_show_the_speed_of_a_tool(void **state) {
  (void)state;
  enum { TERMS = 4, END = 1000 };
  jn_model *model;
  jn_data *data;
  jn_trajectory *T = NULL, *line = NULL;
  jn_error error = {0};
  const double w = 2, a[2 * TERMS] = {0, 0, 0.3, 0, -0.2, 0, 0.41, 0},
               b[2 * TERMS] = {0, 0, 0.1, 0, 0.35, 0, 0.27, 0}, c[4] = {0, 0, 1, 0};
  double arm, speed, most = 0, q[2], v[4];
  assert_ok(jn_model_load("double_pendulum", NULL, NULL, &model, &error));
  assert_ok(jn_data_new(model, 1, NULL, &data));
  assert_ok(jn_trajectory_polynomial(model, 0, 1, 1, c, NULL, &line, &error));
  assert_ok(jn_trajectory_fourier(model, 0, END, TERMS, w, a, b, NULL, &T, &error));
  for (int i = 0; i < 200000; i++) {
    assert_ok(jn_trajectory_at(T, 3.15 * i / 200000, 0, JN_BODY, q, v));
    most = fmax(most, fabs(v[0]));
  }
  assert_ok(jn_tool_peak(model, data, line, 1, 2, NULL, &arm, NULL));
  assert_ok(jn_tool_peak(model, data, T, 1, 2, NULL, &speed, NULL));
  assert_true(arm > 0.1);
  check_residual("speed of a tool", fabs(speed / (arm * most) - 1), 1e-8);
  jn_trajectory_free(line);
  jn_trajectory_free(T);
  jn_model_free(model);
  jn_data_free(data);
}

/* The wiggles of a polynomial of degree 15 between even control points. */
static void a_high_degree_shows_its_peaks(void **state) {
  (void)state;
  enum { DEGREE = 15, COUNT_OF = DEGREE + 1 };
  jn_data *data;
  jn_model *model = pendulum(&data);
  jn_trajectory *T = NULL;
  jn_error error = {0};
  double knots[COUNT_OF + DEGREE + 1], q[COUNT_OF];
  rng r = rng_new(31);
  for (int i = 0; i < COUNT_OF; i++) q[i] = rng_range(&r, -1, 1) * (i % 2 ? 40 : -40);
  assert_ok(jn_bspline_knots(0, 1, DEGREE, COUNT_OF, knots));
  assert_ok(jn_trajectory_bspline(model, DEGREE, COUNT_OF, knots, q, NULL, &T, &error));
  assert_int_equal(jn_trajectory_places(T, 0, 1, 8), 8 * (DEGREE + 1));
  for (int kind = JN_LIMIT_VELOCITY; kind <= JN_LIMIT_JERK; kind++)
    check_residual("peak of a high degree",
                   fabs(peak_of(model, data, T, kind) / brute_force(T, kind, 0, 1) - 1), 1e-7);
  jn_trajectory_free(T);
  jn_model_free(model);
  jn_data_free(data);
}

/* 1.6e9 periods: an error that says so. */
static void too_many_periods_are_refused(void **state) {
  (void)state;
  jn_data *data;
  jn_model *model = pendulum(&data);
  jn_trajectory *T = NULL;
  jn_limit_check *check = NULL;
  jn_limit_range range[JN_LIMIT_KINDS];
  jn_error error = {0};
  const double a[2] = {0, 1}, b[2] = {0, 0};
  double speed = 3;
  for (int k = 0; k < JN_LIMIT_KINDS; k++) range[k] = (jn_limit_range){-1, 1};
  assert_ok(jn_trajectory_fourier(model, 0, 1e5, 2, 1e5, a, b, NULL, &T, &error));
  assert_int_equal(jn_trajectory_places(T, 0, 1e5, 8), JN_MAX_SAMPLES + 1);
  assert_status(jn_limit_check_new(model, data, T, range, 10, NULL, &check, &error), JN_ERR_LIMIT);
  assert_string_equal(
      error.message,
      "the harmonics of the motion need more than 10000000 samples: check parts of it");
  assert_status(jn_tool_peak(model, data, T, 0, 10, NULL, &speed, NULL), JN_ERR_LIMIT);
  assert_true(check == NULL && speed == 3);
  jn_trajectory_free(T);
  jn_model_free(model);
  jn_data_free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(peaks_and_scales_of_a_sine),
      cmocka_unit_test(one_limit_is_not_two),
      cmocka_unit_test(static_torques_are_hopeless),
      cmocka_unit_test(motors_obey_their_equations),
      cmocka_unit_test(motors_along_many_trajectories),
      cmocka_unit_test(fast_harmonics_show_their_peaks),
      cmocka_unit_test(fast_harmonics_show_the_speed_of_a_tool),
      cmocka_unit_test(a_high_degree_shows_its_peaks),
      cmocka_unit_test(too_many_periods_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
