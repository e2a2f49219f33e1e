/* motion_batch.c: many motions of one model on several threads: limits, the fastest clocks, motors of elastic
 * joints. */
#include <jounce/elastic.h>
#include <jounce/retime.h>
#include <stdint.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/block.h"
#include "base/fail.h"

/* What is done with each trajectory. */
typedef struct many {
  const jn_model *model;
  jn_data **data;  /* [threads] */
  int order;       /* of the data */
  double *numbers; /* [threads x room] */
  size_t room;
  const jn_trajectory *const *path;
  const jn_allocator *hooks;
  jn_status (*one)(const struct many *x, int thread, int64_t i, jn_error *error);
  jn_status *status;
  unsigned char *failed; /* [count] */
  /* limits, clocks */
  const jn_limit_range *range;
  const jn_retime_options *options;
  int samples;
  jn_trajectory **motion;
  jn_limit_check **check;
  jn_retime_report *report;
  /* elastic joints */
  const double *t, *K, *B;
  double *tau, *theta, *tau_m;
} many;

static jn_status retime_one(const many *x, int thread, int64_t i, jn_error *error) {
  jn_trajectory *motion = NULL;
  jn_retime_report report = {0};
  const jn_status status = x->path[i] ? jn_retime(x->model, x->data[thread], x->path[i], x->range,
                                                  x->options, x->hooks, &motion, &report, error)
                                      : jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "a path is NULL");
  x->motion[i] = motion;
  if (x->report) x->report[i] = report;
  return status;
}

static jn_status check_one(const many *x, int thread, int64_t i, jn_error *error) {
  jn_limit_check *check = NULL;
  const jn_status status = x->path[i]
                               ? jn_limit_check_new(x->model, x->data[thread], x->path[i], x->range,
                                                    x->samples, x->hooks, &check, error)
                               : jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "a trajectory is NULL");
  x->check[i] = check;
  return status;
}

/* Sizes of the outputs of one state: tau and theta, tau_m. */
static size_t spring_size(const many *x) {
  return (size_t)(x->order + 1) * (size_t)jn_model_nv(x->model);
}
static size_t motor_size(const many *x) {
  return (size_t)(x->order - 1) * (size_t)jn_model_nv(x->model);
}

static void give(double *to, const double *from, int64_t i, size_t size) {
  if (to) memcpy(to + (size_t)i * size, from, size * sizeof *to);
}

/* All samples in the thread's own numbers; they are given at the end. */
static jn_status motors_one(const many *x, int thread, int64_t i, jn_error *error) {
  const size_t n = (size_t)x->samples, spring = spring_size(x), motor = motor_size(x);
  double *tau = x->numbers + (size_t)thread * x->room, *theta = tau + n * spring,
         *tau_m = theta + n * spring, *v = tau_m + n * motor,
         *q = v + (size_t)(x->order + 2) * (size_t)jn_model_nv(x->model);
  jn_data *data = x->data[thread];
  if (!x->path[i]) return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "a trajectory is NULL");
  for (size_t k = 0; k < n; k++) {
    const double t = x->t[(size_t)i * n + k];
    jn_status status =
        jn_trajectory_at(x->path[i], t, x->order, jn_data_settings(data)->representation, q, v);
    if (!status)
      status = jn_elastic_motors(x->model, data, x->order - 2, x->K, x->B, q, v, tau + k * spring,
                                 theta + k * spring, tau_m + k * motor);
    if (status)
      return jn_fail(error, status, NULL, 0, "trajectory %lld at t = %.6g: %s", (long long)i, t,
                     jn_status_text(status));
  }
  give(x->tau, tau, i, n * spring);
  give(x->theta, theta, i, n * spring);
  give(x->tau_m, tau_m, i, n * motor);
  return JN_OK;
}

/* trajectory i on one thread; `error` may be NULL */
static jn_status run_one(const many *x, int thread, int64_t i, jn_error *error) {
  const jn_status status = x->one(x, thread, i, error);
  if (x->status) x->status[i] = status;
  return status;
}

/* The message of the first failure comes from running that trajectory again; one that succeeds then, because
 * there is memory again, is no failure. */
static jn_status run_all(const many *x, int threads, int64_t count, jn_error *error) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
  for (int64_t i = 0; i < count; i++)
    x->failed[i] = run_one(x, omp_get_thread_num(), i, NULL) != JN_OK;
#else
  (void)threads;
  for (int64_t i = 0; i < count; i++) x->failed[i] = run_one(x, 0, i, NULL) != JN_OK;
#endif
  for (int64_t i = 0; i < count; i++)
    if (x->failed[i]) {
      const jn_status status = run_one(x, 0, i, error);
      if (status) return status;
    }
  return JN_OK;
}

/* x without its data, numbers and hooks; `given`: its inputs and outputs are there */
static jn_status run(many *x, int given, const jn_settings *settings, int threads, size_t count,
                     const jn_allocator *allocator, jn_error *error) {
  if (!x->model || threads < 0 || count > INT32_MAX || (count && (!x->path || !given)))
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "an argument is NULL or out of range");
  if (threads > JN_MAX_THREADS)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "at most %d threads", JN_MAX_THREADS);
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_num_procs();
#else
  threads = 1;
#endif
  if ((size_t)threads > count) threads = count ? (int)count : 1;
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_data **data = jn_block_new(&hooks, (size_t)threads, sizeof *data);
  x->numbers = jn_block_new(&hooks, (size_t)threads * x->room + 1, sizeof *x->numbers);
  x->failed = jn_block_new(&hooks, count + 1, 1);
  jn_status made = data && x->numbers && x->failed ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; i < threads && !made; i++) {
    made = jn_data_new(x->model, x->order, &hooks, &data[i]);
    if (!made && settings) *jn_data_settings(data[i]) = *settings;
  }
  x->data = data, x->hooks = &hooks;
  jn_status first = made ? jn_fail(error, made, NULL, 0, "%s", jn_status_text(made))
                         : run_all(x, threads, (int64_t)count, error);
  for (int i = 0; data && i < threads; i++) jn_data_free(data[i]);
  jn_block_free(&hooks, data);
  jn_block_free(&hooks, x->numbers);
  jn_block_free(&hooks, x->failed);
  return first;
}

jn_status jn_retime_batch(const jn_model *model, const jn_settings *settings, int threads,
                          size_t count, const jn_trajectory *const *path,
                          const jn_limit_range *range, const jn_retime_options *options,
                          const jn_allocator *allocator, jn_trajectory **out,
                          jn_retime_report *report, jn_status *status, jn_error *error) {
  many x = {.model = model,
            .order = 1,
            .one = retime_one,
            .path = path,
            .range = range,
            .options = options,
            .motion = out,
            .report = report,
            .status = status};
  return run(&x, range && out, settings, threads, count, allocator, error);
}

jn_status jn_limit_check_batch(const jn_model *model, const jn_settings *settings, int threads,
                               size_t count, const jn_trajectory *const *trajectory,
                               const jn_limit_range *range, int samples,
                               const jn_allocator *allocator, jn_limit_check **out,
                               jn_status *status, jn_error *error) {
  many x = {.model = model,
            .order = 1,
            .one = check_one,
            .path = trajectory,
            .range = range,
            .samples = samples,
            .check = out,
            .status = status};
  return run(&x, range && out, settings, threads, count, allocator, error);
}

jn_status jn_elastic_motors_batch(const jn_model *model, const jn_settings *settings, int threads,
                                  size_t count, const jn_trajectory *const *trajectory, int samples,
                                  const double *t, int order, const double *K, const double *B,
                                  const jn_allocator *allocator, double *tau, double *theta,
                                  double *tau_m, jn_status *status, jn_error *error) {
  if (!model || samples < 0 || order < 0 || order > JN_MAX_ORDER - 2)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "an argument is NULL or out of range");
  if (samples > JN_MAX_SAMPLES)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "at most %d samples", JN_MAX_SAMPLES);
  many x = {.model = model,
            .order = order + 2,
            .one = motors_one,
            .path = trajectory,
            .samples = samples,
            .t = t,
            .K = K,
            .B = B,
            .tau = tau,
            .theta = theta,
            .tau_m = tau_m,
            .status = status};
  /* the outputs of all samples, then one state */
  x.room = (size_t)samples * (2 * spring_size(&x) + motor_size(&x)) +
           (size_t)(order + 4) * (size_t)jn_model_nv(model) + (size_t)jn_model_nq(model);
  return run(&x, K && B && tau && (t || !samples), settings, threads, count, allocator, error);
}
