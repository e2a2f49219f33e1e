/* motion_batch.c: many motions of one model on several threads: limits, the fastest clocks. */
#include <jounce/retime.h>
#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/block.h"
#include "base/fail.h"

/* What is done with one trajectory: `out` receives a motion or a check. */
typedef struct many {
  const jn_model *model;
  jn_data **data; /* [threads] */
  const jn_trajectory *const *path;
  const jn_limit_range *range;
  const jn_retime_options *options;
  int samples;
  const jn_allocator *hooks;
  jn_trajectory **motion; /* or */
  jn_limit_check **check;
  jn_retime_report *report;
  jn_status *status;
} many;

static jn_status retime_one(const many *x, jn_data *data, int64_t i, jn_error *error) {
  jn_trajectory *motion = NULL;
  jn_retime_report report = {0};
  const jn_status status = x->path[i] ? jn_retime(x->model, data, x->path[i], x->range, x->options,
                                                  x->hooks, &motion, &report, error)
                                      : jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "a path is NULL");
  x->motion[i] = motion;
  if (x->report) x->report[i] = report;
  return status;
}
static jn_status check_one(const many *x, jn_data *data, int64_t i, jn_error *error) {
  jn_limit_check *check = NULL;
  const jn_status status = x->path[i]
                               ? jn_limit_check_new(x->model, data, x->path[i], x->range,
                                                    x->samples, x->hooks, &check, error)
                               : jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "a trajectory is NULL");
  x->check[i] = check;
  return status;
}
/* trajectory i on one thread; `error` may be NULL */
static jn_status run_one(const many *x, int thread, int64_t i, jn_error *error) {
  const jn_status status = x->motion ? retime_one(x, x->data[thread], i, error)
                                     : check_one(x, x->data[thread], i, error);
  if (x->status) x->status[i] = status;
  return status;
}

/* The message of the first failure comes from running that trajectory again. */
static jn_status run_all(const many *x, int threads, int64_t count, jn_error *error) {
  int64_t failed = count;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1) \
    reduction(min                                                                \
              : failed)
  for (int64_t i = 0; i < count; i++)
    if (run_one(x, omp_get_thread_num(), i, NULL) && i < failed) failed = i;
#else
  (void)threads;
  for (int64_t i = 0; i < count; i++)
    if (run_one(x, 0, i, NULL) && i < failed) failed = i;
#endif
  return failed < count ? run_one(x, 0, failed, error) : JN_OK;
}

/* x without its data and hooks */
static jn_status run(many *x, const jn_settings *settings, int threads, size_t count,
                     const jn_allocator *allocator, jn_error *error) {
  if (!x->model || threads < 0 || count > INT32_MAX ||
      (count && (!x->path || !x->range || (!x->motion && !x->check))))
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
  jn_status made = data ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; i < threads && !made; i++) {
    made = jn_data_new(x->model, 1, &hooks, &data[i]);
    if (!made && settings) *jn_data_settings(data[i]) = *settings;
  }
  x->data = data, x->hooks = &hooks;
  jn_status first = made ? jn_fail(error, made, NULL, 0, "%s", jn_status_text(made))
                         : run_all(x, threads, (int64_t)count, error);
  for (int i = 0; data && i < threads; i++) jn_data_free(data[i]);
  jn_block_free(&hooks, data);
  return first;
}

jn_status jn_retime_batch(const jn_model *model, const jn_settings *settings, int threads,
                          size_t count, const jn_trajectory *const *path,
                          const jn_limit_range *range, const jn_retime_options *options,
                          const jn_allocator *allocator, jn_trajectory **out,
                          jn_retime_report *report, jn_status *status, jn_error *error) {
  many x = {.model = model,
            .path = path,
            .range = range,
            .options = options,
            .motion = out,
            .report = report,
            .status = status};
  return run(&x, settings, threads, count, allocator, error);
}

jn_status jn_limit_check_batch(const jn_model *model, const jn_settings *settings, int threads,
                               size_t count, const jn_trajectory *const *trajectory,
                               const jn_limit_range *range, int samples,
                               const jn_allocator *allocator, jn_limit_check **out,
                               jn_status *status, jn_error *error) {
  many x = {.model = model,
            .path = trajectory,
            .range = range,
            .samples = samples,
            .check = out,
            .status = status};
  return run(&x, settings, threads, count, allocator, error);
}
