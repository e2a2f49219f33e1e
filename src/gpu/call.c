/* call.c: calls of kernels over many states: arrays of the host are copied, those of the device are
 * used where they are. */
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "gpu/gpu.h"

#define MOST_BLOCKS 2147483647u

static int on_device(const gpu_job *job) { return job->call && job->call->on_device; }
static void *stream_of(const jn_gpu_call *call) { return call ? call->stream : NULL; }

/* bytes of an array, rounded so that the next one is aligned; 0: too many */
static size_t bytes_of(const gpu_job *job, const gpu_array *a) {
  size_t bytes = sizeof(double);
  if (a->numbers && !jn_size_multiply(bytes, a->numbers, &bytes)) return 0;
  if (!a->shared && !jn_size_multiply(bytes, job->n, &bytes)) return 0;
  return bytes < ((size_t)1 << 60) ? bytes : 0;
}
static size_t round_up(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* arrays of the user on the device; without is the mask */
static jn_status use_device(gpu_job *job, jn_error *error) {
  for (int i = 0; i < job->arrays; i++) {
    gpu_array *a = &job->array[i];
    a->device = a->out ? a->out : (void *)(size_t)a->in;
  }
  if (!job->without)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "gpu: arrays on the device need `without`: which states have no result");
  job->mask = job->without;
  return JN_OK;
}

/* one block of the device for all arrays, and the mask */
static jn_status use_block(jn_gpu *gpu, gpu_job *job, jn_error *error) {
  jn_machine *m = &gpu->machine;
  const size_t mask = round_up(sizeof(int) * job->n);
  size_t all = mask;
  for (int i = 0; i < job->arrays; i++) {
    const gpu_array *a = &job->array[i];
    if (!a->in && !a->out) continue;
    const size_t bytes = bytes_of(job, a);
    if (!bytes || all > ((size_t)1 << 60))
      return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "gpu: too many states in a call");
    all += round_up(bytes);
  }
  jn_status status = m->kind->allocate(m, all, &job->block, error);
  if (status) return status;
  char *at = job->block;
  job->mask = (int *)(void *)at;
  at += mask;
  for (int i = 0; i < job->arrays && !status; i++) {
    gpu_array *a = &job->array[i];
    if (!a->in && !a->out) continue;
    a->device = at;
    at += round_up(bytes_of(job, a));
    if (a->in) status = m->kind->copy(m, a->device, a->in, bytes_of(job, a), 1, NULL, error);
  }
  return status;
}

jn_status jn_gpu_begin(jn_gpu *gpu, gpu_job *job, jn_error *error) {
  jn_machine *m = &gpu->machine;
  jn_status status = on_device(job) ? use_device(job, error) : use_block(gpu, job, error);
  if (!status && job->marks)
    status = m->kind->clear(m, job->mask, sizeof(int) * job->n, stream_of(job->call), error);
  if (status && job->block) {
    m->kind->release(m, job->block);
    job->block = NULL;
  }
  return status;
}

/* fails if a state has no result, unless the caller asked which ones */
static jn_status check_mask(const gpu_job *job, const int *mask, jn_error *error) {
  size_t count = 0, first = 0;
  for (size_t s = 0; s < job->n; s++)
    if (mask[s] && !count++) first = s;
  if (!count || job->without || job->tolerant) return JN_OK;
  return jn_fail(error, JN_ERR_NOT_FINITE, NULL, 0,
                 "gpu: %zu of %zu states have no result, the first is %zu: a number is not finite, "
                 "an angle is beyond 1e6, or the dynamics are singular; ask for `without` to get "
                 "the others",
                 count, job->n, first);
}

static jn_status fetch(jn_gpu *gpu, gpu_job *job, jn_error *error) {
  jn_machine *m = &gpu->machine;
  const size_t bytes = sizeof(int) * job->n;
  int *mask = jn_block_new(&gpu->hooks, job->n, sizeof *mask);
  if (!mask) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
  jn_status status = m->kind->copy(m, mask, job->mask, bytes, 0, NULL, error);
  if (!status) status = check_mask(job, mask, error);
  for (int i = 0; i < job->arrays && !status; i++) {
    const gpu_array *a = &job->array[i];
    if (a->out) status = m->kind->copy(m, a->out, a->device, bytes_of(job, a), 0, NULL, error);
  }
  if (!status && job->without) memcpy(job->without, mask, bytes);
  jn_block_free(&gpu->hooks, mask);
  return status;
}

jn_status jn_gpu_end(jn_gpu *gpu, gpu_job *job, jn_status status, jn_error *error) {
  if (!job->block) return status;
  if (!status) status = fetch(gpu, job, error);
  gpu->machine.kind->release(&gpu->machine, job->block);
  job->block = NULL;
  return status;
}

jn_status jn_gpu_launch(jn_gpu *gpu, const jn_loaded *kernel, const jn_gpu_call *call,
                        size_t states, size_t columns, void **arguments, jn_error *error) {
  size_t blocks = (states + GPU_THREADS - 1) / GPU_THREADS;
  if (!jn_size_multiply(blocks, columns, &blocks) || blocks > MOST_BLOCKS)
    return jn_fail(error, JN_ERR_LIMIT, NULL, 0, "gpu: too many states in a call");
  return gpu->machine.kind->launch(&gpu->machine, kernel, stream_of(call), blocks, GPU_THREADS,
                                   arguments, error);
}

static jn_status refuse(jn_error *error, const char *text) {
  return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "gpu: %s", text);
}

/* kernel(n, arrays..., without); forward dynamics of any robot: (n, arrays..., a, force, without) */
static void list_arguments(const jn_gpu *gpu, const jn_loaded *loaded, gpu_job *job,
                           void **arguments) {
  int count = 0;
  arguments[count++] = &job->n;
  for (int i = 0; i < job->arrays; i++) arguments[count++] = &job->array[i].device;
  if (loaded->generic && job->array[1].out) { /* hybrid dynamics: v' and what follows, tau */
    job->more[0] = (double *)job->array[1].device + (size_t)gpu->nv * job->n;
    job->more[1] = job->array[2].device;
    arguments[count++] = &job->more[0];
  }
  if (loaded->generic && job->arrays + (job->array[1].out != NULL) == 4)
    arguments[count++] = &job->more[1];
  arguments[count] = &job->mask;
}
static jn_status run_loaded(jn_gpu *gpu, const jn_loaded *loaded, size_t columns, gpu_job *job,
                            jn_error *error) {
  void *arguments[12];
  if (job->n == 0) return JN_OK;
  jn_status status = jn_gpu_begin(gpu, job, error);
  if (status) return status;
  list_arguments(gpu, loaded, job, arguments);
  status = jn_gpu_launch(gpu, loaded, job->call, job->n, columns, arguments, error);
  return jn_gpu_end(gpu, job, status, error);
}
static jn_status run(jn_gpu *gpu, jn_kernel kernel, int order, size_t columns, gpu_job *job,
                     jn_error *error) {
  const jn_loaded *loaded;
  jn_status status = jn_gpu_kernel(gpu, kernel, order, &loaded, error);
  return status ? status : run_loaded(gpu, loaded, columns, job, error);
}

jn_status jn_gpu_inverse_dynamics(jn_gpu *gpu, int order, size_t n, const double *q,
                                  const double *v, double *tau, int *without,
                                  const jn_gpu_call *call, jn_error *error) {
  if (!gpu || (n && (!q || !v || !tau))) return refuse(error, "no device, or an array is missing");
  const size_t nv = (size_t)gpu->nv, r = order < 0 ? 0 : (size_t)order;
  gpu_array arrays[] = {{.numbers = (size_t)gpu->nq, .in = q},
                        {.numbers = (r + 2) * nv, .in = v},
                        {.numbers = (r + 1) * nv, .out = tau}};
  gpu_job job = {.n = n, .array = arrays, .arrays = 3, .without = without, .call = call};
  return run(gpu, JN_KERNEL_INVERSE, order, 1, &job, error);
}

jn_status jn_gpu_forward_dynamics(jn_gpu *gpu, int order, size_t n, const double *q,
                                  const double *v, const double *tau, double *a, int *without,
                                  const jn_gpu_call *call, jn_error *error) {
  if (!gpu || (n && (!q || !v || !tau || !a)))
    return refuse(error, "no device, or an array is missing");
  const size_t nv = (size_t)gpu->nv, r = order < 0 ? 0 : (size_t)order;
  gpu_array arrays[] = {{.numbers = (size_t)gpu->nq, .in = q},
                        {.numbers = nv, .in = v},
                        {.numbers = (r + 1) * nv, .in = tau},
                        {.numbers = (r + 1) * nv, .out = a}};
  gpu_job job = {.n = n, .array = arrays, .arrays = 4, .without = without, .call = call};
  return run(gpu, JN_KERNEL_FORWARD, order, 1, &job, error);
}

jn_status jn_gpu_hybrid_dynamics(jn_gpu *gpu, int order, size_t n, const double *q,
                                 const unsigned char *prescribed, double *v, double *tau,
                                 int *without, const jn_gpu_call *call, jn_error *error) {
  if (!gpu || !prescribed || (n && (!q || !v || !tau)))
    return refuse(error, "no device, or an array is missing");
  const jn_loaded *loaded;
  jn_status status = jn_gpu_hybrid_kernel(gpu, prescribed, order, &loaded, error);
  if (status) return status;
  const size_t nv = (size_t)gpu->nv, r = (size_t)order;
  gpu_array arrays[] = {{.numbers = (size_t)gpu->nq, .in = q},
                        {.numbers = (r + 2) * nv, .in = v, .out = v},
                        {.numbers = (r + 1) * nv, .in = tau, .out = tau}};
  gpu_job job = {.n = n, .array = arrays, .arrays = 3, .without = without, .call = call};
  return run_loaded(gpu, loaded, 1, &job, error);
}

/* the columns of the outputs that are wanted; none: there is nothing to do */
static size_t columns_of(const jn_gpu *gpu, const double *a, const double *b, const double *c) {
  return (size_t)gpu->nv * (size_t)((a != NULL) + (b != NULL) + (c != NULL));
}

jn_status jn_gpu_inverse_partials(jn_gpu *gpu, size_t n, const double *q, const double *v,
                                  double *dq, double *dv, double *da, int *without,
                                  const jn_gpu_call *call, jn_error *error) {
  if (!gpu || (n && (!q || !v))) return refuse(error, "no device, or an array is missing");
  const size_t nv = (size_t)gpu->nv, columns = columns_of(gpu, dq, dv, da);
  if (!columns) return refuse(error, "no derivative is asked for");
  gpu_array arrays[] = {{.numbers = (size_t)gpu->nq, .in = q},
                        {.numbers = 2 * nv, .in = v},
                        {.numbers = nv * nv, .out = dq},
                        {.numbers = nv * nv, .out = dv},
                        {.numbers = nv * nv, .out = da}};
  gpu_job job = {
      .n = n, .array = arrays, .arrays = 5, .without = without, .call = call, .marks = 1};
  return run(gpu, JN_KERNEL_INVERSE_PARTIALS, 0, columns, &job, error);
}

jn_status jn_gpu_forward_partials(jn_gpu *gpu, size_t n, const double *q, const double *v,
                                  const double *tau, double *dq, double *dv, double *dtau,
                                  int *without, const jn_gpu_call *call, jn_error *error) {
  if (!gpu || (n && (!q || !v || !tau))) return refuse(error, "no device, or an array is missing");
  const size_t nv = (size_t)gpu->nv, columns = columns_of(gpu, dq, dv, dtau);
  if (!columns) return refuse(error, "no derivative is asked for");
  gpu_array arrays[] = {{.numbers = (size_t)gpu->nq, .in = q},
                        {.numbers = nv, .in = v},
                        {.numbers = nv, .in = tau},
                        {.numbers = nv * nv, .out = dq},
                        {.numbers = nv * nv, .out = dv},
                        {.numbers = nv * nv, .out = dtau}};
  gpu_job job = {
      .n = n, .array = arrays, .arrays = 6, .without = without, .call = call, .marks = 1};
  return run(gpu, JN_KERNEL_FORWARD_PARTIALS, 0, columns, &job, error);
}
