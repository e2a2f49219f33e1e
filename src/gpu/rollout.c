/* rollout.c: roll-outs, and the reduction of their costs. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "gpu/gpu.h"
#include "integrate/rollout.h"

/* what a part of the samples sums up to; also in the text below */
typedef struct cost_record {
  double sum, least;
  unsigned long long at, failed;
} cost_record;

/* Thread j of m adds samples, or records, j, j + m, j + 2 m, ...: the order depends on n only. */
static const char reduce_text[] =
    "typedef struct cost_record {\n"
    "  double sum, least;\n"
    "  unsigned long long at, failed;\n"
    "} cost_record;\n"
    "extern \"C\" __global__ void reduce_kernel(size_t n, size_t m, const double *cost,\n"
    "    const int *without, const cost_record *in, cost_record *out) {\n"
    "  const size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (j >= m) return;\n"
    "  cost_record r = {0, 0, ~0ull, 0};\n"
    "  for (size_t i = j; i < n; i += m) {\n"
    "    cost_record x;\n"
    "    if (in)\n"
    "      x = in[i];\n"
    "    else if (without[i])\n"
    "      x.sum = 0, x.least = 0, x.at = ~0ull, x.failed = 1;\n"
    "    else\n"
    "      x.sum = x.least = cost[i], x.at = i, x.failed = 0;\n"
    "    r.sum += x.sum, r.failed += x.failed;\n"
    "    const int first = x.least < r.least || (x.least == r.least && x.at < r.at);\n"
    "    if (x.at != ~0ull && (r.at == ~0ull || first)) r.least = x.least, r.at = x.at;\n"
    "  }\n"
    "  out[j] = r;\n"
    "}\n"
    "#ifdef JN_GRID\nJN_GRID(reduce_kernel)\n#endif\n";

enum { REDUCTION = 256 };
static size_t reduced(size_t n) { return (n + REDUCTION - 1) / REDUCTION; }

static jn_status reduce(jn_gpu *gpu, size_t n, double *cost, int *without, const jn_gpu_call *call,
                        jn_rollout_summary *out, jn_error *error) {
  jn_machine *m = &gpu->machine;
  void *stream = call ? call->stream : NULL, *block = NULL;
  jn_status status = JN_OK;
  if (!gpu->reduce.module)
    status = jn_gpu_load(gpu, reduce_text, "reduce_kernel", &gpu->reduce, error);
  /* two halves: one is read, the other written, in turn */
  const size_t half = reduced(n);
  if (!status) status = m->kind->allocate(m, 2 * half * sizeof(cost_record), &block, error);
  if (status) return status;
  cost_record *from = NULL, *to = block, *other = to + half, result = {0, 0, 0, 0};
  for (size_t count = n; !status;) {
    size_t parts = reduced(count);
    void *arguments[] = {&count, &parts, &cost, &without, &from, &to};
    status = jn_gpu_launch(gpu, &gpu->reduce, call, parts, 1, arguments, error);
    if (parts == 1) break;
    from = to, to = other, other = from, count = parts;
  }
  if (!status) status = m->kind->copy(m, &result, to, sizeof result, 0, stream, error);
  m->kind->release(m, block);
  if (status) return status;
  const size_t good = n - (size_t)result.failed;
  *out = (jn_rollout_summary){.failed = (size_t)result.failed,
                              .best = good ? (size_t)result.at : n,
                              .best_cost = good ? result.least : HUGE_VAL,
                              .mean_cost = good ? result.sum / (double)good : 0};
  return JN_OK;
}

static jn_status refuse(jn_error *error, const char *text) {
  return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "gpu: roll-out: %s", text);
}

static jn_status check(const jn_gpu *gpu, const jn_rollout *r, const jn_rollout_summary *summary,
                       jn_error *error) {
  if (!gpu || !r) return refuse(error, "no device, or nothing to do");
  if (!r->q0 || !r->v0) return refuse(error, "q0 and v0 are needed");
  if (r->steps < 1 || !(r->step > 0) || !(r->step < HUGE_VAL))
    return refuse(error, "steps and step must be positive");
  if (r->every < 0) return refuse(error, "`every` must not be negative");
  if (!r->q_aim != !r->v_aim) return refuse(error, "q_aim and v_aim must be given together");
  if ((r->gain || r->weight || r->end_weight) && !r->q_aim)
    return refuse(error, "gains and weights need an aim: q_aim and v_aim");
  if ((r->cost || summary) && !r->weight && !r->end_weight)
    return refuse(error, "costs need weights");
  if (!r->q && !r->v && !r->q_path && !r->v_path && !r->cost && !summary)
    return refuse(error, "no result is asked for");
  return JN_OK;
}

/* the arrays of a call, in the order of `device` below */
enum { Q0, V0, TAU, GAIN, Q_AIM, V_AIM, WEIGHT, END_WEIGHT, Q, V, Q_PATH, V_PATH, COST, ARRAYS };
static void list_arrays(const jn_gpu *gpu, const jn_rollout *r, gpu_array *a) {
  const size_t nq = (size_t)gpu->nq, nv = (size_t)gpu->nv, T = (size_t)r->steps,
               kept = T / (r->every ? (size_t)r->every : 1), aims = r->varying_aim ? T + 1 : 1,
               gains = r->varying_gain ? T : 1;
  const gpu_array all[ARRAYS] = {
      [Q0] = {.numbers = nq, .shared = r->shared_state, .in = r->q0},
      [V0] = {.numbers = nv, .shared = r->shared_state, .in = r->v0},
      [TAU] = {.numbers = T * nv, .shared = r->shared_tau, .in = r->tau},
      [GAIN] = {.numbers = gains * nv * 2 * nv, .shared = 1, .in = r->gain},
      [Q_AIM] = {.numbers = aims * nq, .shared = 1, .in = r->q_aim},
      [V_AIM] = {.numbers = aims * nv, .shared = 1, .in = r->v_aim},
      [WEIGHT] = {.numbers = 3 * nv, .shared = 1, .in = r->weight},
      [END_WEIGHT] = {.numbers = 2 * nv, .shared = 1, .in = r->end_weight},
      [Q] = {.numbers = nq, .out = r->q},
      [V] = {.numbers = nv, .out = r->v},
      [Q_PATH] = {.numbers = kept * nq, .out = kept ? r->q_path : NULL},
      [V_PATH] = {.numbers = kept * nv, .out = kept ? r->v_path : NULL},
      [COST] = {.numbers = 1, .out = r->cost}};
  memcpy(a, all, sizeof all);
}

static jn_status run(jn_gpu *gpu, const jn_loaded *kernel, const jn_rollout *r, const gpu_job *job,
                     double *cost, jn_error *error) {
  const gpu_array *a = job->array;
  rollout_arrays arrays = {.n = r->n,
                           .steps = r->steps,
                           .every = r->every ? r->every : 1,
                           .shared_state = r->shared_state,
                           .shared_tau = r->shared_tau,
                           .varying_gain = r->varying_gain,
                           .varying_aim = r->varying_aim,
                           .h = r->step,
                           .q0 = a[Q0].device,
                           .v0 = a[V0].device,
                           .tau = a[TAU].device,
                           .gain = a[GAIN].device,
                           .q_aim = a[Q_AIM].device,
                           .v_aim = a[V_AIM].device,
                           .weight = a[WEIGHT].device,
                           .end_weight = a[END_WEIGHT].device,
                           .q = a[Q].device,
                           .v = a[V].device,
                           .q_path = a[Q_PATH].device,
                           .v_path = a[V_PATH].device,
                           .cost = cost,
                           .without = job->mask};
  void *arguments[] = {&arrays};
  return jn_gpu_launch(gpu, kernel, job->call, r->n, 1, arguments, error);
}

jn_status jn_gpu_rollout(jn_gpu *gpu, const jn_rollout *r, jn_rollout_summary *summary,
                         const jn_gpu_call *call, jn_error *error) {
  const jn_loaded *kernel;
  gpu_array arrays[ARRAYS];
  void *own = NULL;
  jn_rollout_summary result = {0, 0, HUGE_VAL, 0};
  jn_status status = check(gpu, r, summary, error);
  if (!status) status = jn_gpu_kernel(gpu, JN_KERNEL_ROLLOUT, r->order, &kernel, error);
  if (status) return status;
  if (r->n == 0) {
    if (summary) *summary = result;
    return JN_OK;
  }
  list_arrays(gpu, r, arrays);
  gpu_job job = {.n = r->n,
                 .array = arrays,
                 .arrays = ARRAYS,
                 .without = r->without,
                 .call = call,
                 .tolerant = summary != NULL};
  if ((status = jn_gpu_begin(gpu, &job, error))) return status;
  /* costs that only the summary needs */
  if (summary && !r->cost) status = jn_gpu_allocate(gpu, sizeof(double) * r->n, &own, error);
  double *cost = r->cost ? arrays[COST].device : own;
  if (!status) status = run(gpu, kernel, r, &job, cost, error);
  if (!status && summary) status = reduce(gpu, r->n, cost, job.mask, call, &result, error);
  status = jn_gpu_end(gpu, &job, status, error);
  jn_gpu_release(gpu, own);
  if (!status && summary) *summary = result;
  return status;
}
