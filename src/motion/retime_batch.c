/* retime_batch.c: the fastest motions along many paths, on several threads. */
#include <jounce/retime.h>
#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/block.h"
#include "base/fail.h"

typedef struct many {
  const jn_model *model;
  jn_data **data; /* [threads] */
  const jn_trajectory *const *path;
  const jn_limit_range *range;
  const jn_retime_options *options;
  const jn_allocator *hooks;
  jn_trajectory **out;
  jn_retime_report *report;
  jn_status *status;
} many;

/* Path i; its message if it is the first that fails. */
static jn_status run_one(const many *x, int thread, int64_t i, jn_error *error) {
  jn_trajectory *motion = NULL;
  jn_retime_report report = {0};
  const jn_status status = x->path[i] ? jn_retime(x->model, x->data[thread], x->path[i], x->range,
                                                  x->options, x->hooks, &motion, &report, error)
                                      : jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "a path is NULL");
  x->out[i] = motion;
  if (x->report) x->report[i] = report;
  if (x->status) x->status[i] = status;
  return status;
}

static jn_status run_all(const many *x, int threads, int64_t count, jn_error *error) {
  int64_t failed = INT64_MAX;
  jn_status first = JN_OK;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
#endif
  for (int64_t i = 0; i < count; i++) {
    jn_error own = {0};
#ifdef _OPENMP
    const int thread = omp_get_thread_num();
#else
    const int thread = 0;
#endif
    const jn_status status = run_one(x, thread, i, &own);
    if (!status) continue;
#ifdef _OPENMP
#pragma omp critical(jn_retime_batch)
#endif
    if (i < failed) {
      failed = i, first = status;
      if (error) *error = own;
    }
  }
  (void)threads;
  return first;
}

jn_status jn_retime_batch(const jn_model *model, const jn_settings *settings, int threads,
                          size_t count, const jn_trajectory *const *path,
                          const jn_limit_range *range, const jn_retime_options *options,
                          const jn_allocator *allocator, jn_trajectory **out,
                          jn_retime_report *report, jn_status *status, jn_error *error) {
  if (!model || threads < 0 || count > INT32_MAX || (count && (!path || !range || !out)))
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
    made = jn_data_new(model, 1, &hooks, &data[i]);
    if (!made && settings) *jn_data_settings(data[i]) = *settings;
  }
  const many x = {model, data, path, range, options, &hooks, out, report, status};
  jn_status first = made ? jn_fail(error, made, NULL, 0, "%s", jn_status_text(made))
                         : run_all(&x, threads, (int64_t)count, error);
  for (int i = 0; data && i < threads; i++) jn_data_free(data[i]);
  jn_block_free(&hooks, data);
  return first;
}
