/* check.c: results of libjounce_gpu compared with the library's strict results. */
#include "gpu/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return 2 * ((double)(*seed >> 11) * (1.0 / 4503599627370496.0) - 1);
}

void gpu_random(const jn_model *model, size_t n, uint64_t seed, double *q, double *x,
                size_t count) {
  const size_t nq = (size_t)jn_model_nq(model);
  seed = seed * 2654435761u + 88172645463325252u;
  for (size_t i = 0; i < n * nq; i++) q[i] = number(&seed);
  for (size_t i = 0; i < n * count; i++) x[i] = number(&seed);
  for (int j = 0; j < jn_model_body_count(model); j++) {
    const jn_joint *joint = jn_model_joint(model, j);
    if (joint->type != JN_JOINT_FREE && joint->type != JN_JOINT_SPHERICAL) continue;
    for (size_t s = 0; s < n; s++) {
      double *a = q + s * nq + (size_t)joint->iq;
      const jn_quat u = jn_quat_unit(jn_quat_make(a[0], a[1], a[2], a[3]));
      a[0] = u.w, a[1] = u.x, a[2] = u.y, a[3] = u.z;
    }
  }
}

void gpu_to_soa(size_t n, size_t numbers, const double *x, double *out) {
  for (size_t i = 0; i < numbers; i++)
    for (size_t s = 0; s < n; s++) out[i * n + s] = x[s * numbers + i];
}
void gpu_from_soa(size_t n, size_t numbers, const double *x, double *out) {
  for (size_t s = 0; s < n; s++)
    for (size_t i = 0; i < numbers; i++) out[s * numbers + i] = x[i * n + s];
}

static double *doubles_of(size_t n) { return calloc(n ? n : 1, sizeof(double)); }

/* got: structures of arrays; want: one state after the other, rows of `width` numbers */
static gpu_error compare(size_t n, size_t rows, size_t width, const double *got, const double *want,
                         const int *without, const jn_status *status) {
  gpu_error e = {0};
  for (size_t k = 0; k < rows; k++) {
    double most = 0, error = 0;
    for (size_t s = 0; s < n; s++) {
      if (without[s] || (status && status[s])) {
        e.without += k == 0 && !without[s] != !(status && status[s]);
        continue;
      }
      for (size_t i = k * width; i < (k + 1) * width; i++) {
        const double x = got[i * n + s], y = want[s * rows * width + i];
        most = fmax(most, fabs(y));
        error = fmax(error, fabs(x - y));
        e.different += !(x == y);
        if (x != x) error = HUGE_VAL;
      }
    }
    if (error > 0) e.worst = fmax(e.worst, error / most);
  }
  return e;
}

static jn_settings strict_settings(const gpu_robot *r) {
  return (jn_settings){
      .representation = r->representation, .strict = 1, .gravity = jn_model_gravity(r->model)};
}

static gpu_error check_dynamics(const gpu_robot *r, int forward, int order, size_t n,
                                uint64_t seed) {
  const size_t nq = (size_t)jn_model_nq(r->model), nv = (size_t)jn_model_nv(r->model),
               rows = (size_t)order + 1, V = forward ? nv : (rows + 1) * nv, T = rows * nv;
  double *q = doubles_of(n * nq), *x = doubles_of(n * (V + T)), *v = x, *f = x + n * V,
         *out = doubles_of(n * T), *Q = doubles_of(n * nq), *W = doubles_of(n * V),
         *F = doubles_of(n * T), *got = doubles_of(n * T);
  int *without = calloc(n, sizeof *without);
  jn_status *status = calloc(n, sizeof *status);
  jn_batch *batch = NULL;
  gpu_error e = {.status = JN_ERR_MEMORY};
  gpu_random(r->model, n, seed, q, x, V + T);
  gpu_to_soa(n, nq, q, Q);
  gpu_to_soa(n, V, v, W);
  gpu_to_soa(n, T, f, F);
  if (jn_batch_new(r->model, order, r->threads, NULL, &batch) == JN_OK) {
    *jn_batch_settings(batch) = strict_settings(r);
    if (forward)
      jn_batch_forward_dynamics(r->model, batch, order, n, q, v, f, out, status);
    else
      jn_batch_inverse_dynamics(r->model, batch, order, n, q, v, out, status);
    e.status = forward
                   ? jn_gpu_forward_dynamics(r->gpu, order, n, Q, W, F, got, without, NULL, NULL)
                   : jn_gpu_inverse_dynamics(r->gpu, order, n, Q, W, got, without, NULL, NULL);
  }
  if (!e.status) e = compare(n, rows, nv, got, out, without, status);
  jn_batch_free(batch);
  free(q), free(x), free(out), free(Q), free(W), free(F), free(got), free(without), free(status);
  return e;
}

gpu_error gpu_check_inverse(const gpu_robot *r, int order, size_t n, uint64_t seed) {
  return check_dynamics(r, 0, order, n, seed);
}
gpu_error gpu_check_forward(const gpu_robot *r, int order, size_t n, uint64_t seed) {
  return check_dynamics(r, 1, order, n, seed);
}

/* Numbers that are to be written are NaN before: they must not be read. */
static void spoil(const jn_model *model, size_t n, size_t rows, const unsigned char *prescribed,
                  double *v, double *tau) {
  const size_t nv = (size_t)jn_model_nv(model);
  for (int i = 0; i < jn_model_body_count(model); i++) {
    const jn_joint *j = jn_model_joint(model, i);
    for (size_t k = 0; k < rows; k++)
      for (size_t c = (size_t)j->iv; c < (size_t)(j->iv + j->nv); c++)
        for (size_t s = 0; s < n; s++)
          (prescribed[i] ? tau + (k * nv + c) * n : v + ((k + 1) * nv + c) * n)[s] = NAN;
  }
}

gpu_error gpu_check_hybrid(const gpu_robot *r, int order, size_t n, uint64_t seed, int first) {
  const size_t nq = (size_t)jn_model_nq(r->model), nv = (size_t)jn_model_nv(r->model),
               rows = (size_t)order + 1, V = (rows + 1) * nv, T = rows * nv;
  double *q = doubles_of(n * nq), *x = doubles_of(n * (V + T)), *v = x, *f = x + n * V,
         *Q = doubles_of(n * nq), *W = doubles_of(n * V), *F = doubles_of(n * T);
  int *without = calloc(n, sizeof *without);
  unsigned char *prescribed = calloc((size_t)jn_model_body_count(r->model), 1);
  jn_status *status = calloc(n, sizeof *status);
  jn_batch *batch = NULL;
  gpu_error e = {.status = JN_ERR_MEMORY}, forces;
  for (int i = 0; i < jn_model_body_count(r->model); i++) prescribed[i] = i % 2 == first % 2;
  gpu_random(r->model, n, seed, q, x, V + T);
  gpu_to_soa(n, nq, q, Q);
  gpu_to_soa(n, V, v, W);
  gpu_to_soa(n, T, f, F);
  spoil(r->model, n, rows, prescribed, W, F);
  if (jn_batch_new(r->model, order, r->threads, NULL, &batch) == JN_OK) {
    *jn_batch_settings(batch) = strict_settings(r);
    jn_batch_hybrid_dynamics(r->model, batch, order, n, q, prescribed, v, f, status);
    e.status = jn_gpu_hybrid_dynamics(r->gpu, order, n, Q, prescribed, W, F, without, NULL, NULL);
  }
  if (!e.status) {
    e = compare(n, rows + 1, nv, W, v, without, status);
    forces = compare(n, rows, nv, F, f, without, status);
    e.different += forces.different, e.worst = fmax(e.worst, forces.worst);
  }
  jn_batch_free(batch);
  free(q), free(x), free(Q), free(W), free(F), free(without), free(prescribed), free(status);
  return e;
}

gpu_error gpu_check_partials(const gpu_robot *r, int forward, size_t n, uint64_t seed) {
  const size_t nq = (size_t)jn_model_nq(r->model), nv = (size_t)jn_model_nv(r->model),
               V = forward ? nv : 2 * nv, M = nv * nv;
  double *q = doubles_of(n * nq), *x = doubles_of(n * (V + nv)), *v = x, *f = x + n * V,
         *Q = doubles_of(n * nq), *W = doubles_of(n * V), *F = doubles_of(n * nv),
         *got = doubles_of(3 * n * M), *want = doubles_of(3 * n * M), *part = doubles_of(3 * M);
  int *without = calloc(n, sizeof *without);
  jn_data *data = NULL;
  gpu_error e = {.status = jn_data_new(r->model, 0, NULL, &data)};
  gpu_random(r->model, n, seed, q, x, V + nv);
  gpu_to_soa(n, nq, q, Q);
  gpu_to_soa(n, V, v, W);
  gpu_to_soa(n, nv, f, F);
  if (!e.status) *jn_data_settings(data) = strict_settings(r);
  for (size_t s = 0; s < n && !e.status; s++) {
    /* dq, then dv and what follows */
    e.status = forward ? jn_forward_partials(r->model, data, 0, q + s * nq, v + s * V, f + s * nv,
                                             NULL, part, part + M, part + 2 * M)
                       : jn_inverse_partials(r->model, data, 0, q + s * nq, v + s * V, NULL, part,
                                             part + M);
    for (size_t k = 0; k < 3; k++) memcpy(want + (k * n + s) * M, part + k * M, sizeof(double) * M);
  }
  if (!e.status)
    e.status = forward ? jn_gpu_forward_partials(r->gpu, n, Q, W, F, got, got + n * M,
                                                 got + 2 * n * M, without, NULL, NULL)
                       : jn_gpu_inverse_partials(r->gpu, n, Q, W, got, got + n * M, got + 2 * n * M,
                                                 without, NULL, NULL);
  for (size_t k = 0; k < 3 && !e.status; k++) {
    const gpu_error one = compare(n, 1, M, got + k * n * M, want + k * n * M, without, NULL);
    e.worst = fmax(e.worst, one.worst), e.different += one.different, e.without += one.without;
  }
  jn_data_free(data);
  free(q), free(x), free(Q), free(W), free(F), free(got), free(want), free(part), free(without);
  return e;
}

/* One sample by jn_simulation: forces held over each step, and the cost. */
typedef struct sample {
  const gpu_robot *r;
  const jn_rollout *job;
  size_t nq, nv;
} sample;

/* e = (log(q_aim^-1 q), v - v_aim) */
static void error_of(const sample *x, const double *q, const double *v, double *e) {
  jn_difference(x->r->model, x->job->q_aim, q, e);
  for (size_t i = 0; i < x->nv; i++) e[x->nv + i] = v[i] - x->job->v_aim[i];
}
static double square(size_t n, const double *w, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += w[i] * (x[i] * x[i]);
  return 0.5 * sum;
}

/* q, v: at the start, then at the end; tau: [steps x nv] of this sample */
static jn_status simulate(const sample *x, double *q, double *v, const double *given,
                          double *cost) {
  const jn_rollout *job = x->job;
  const size_t nv = x->nv;
  jn_simulation *sim = NULL;
  jn_simulation_options o = jn_simulation_options_default();
  double *e = doubles_of(2 * nv), *tau = doubles_of(nv);
  o.scheme = job->order ? JN_TAYLOR : JN_RKMK4;
  o.order = job->order ? job->order + 1 : 0;
  o.step = job->step, o.representation = JN_BODY, o.strict = 1;
  jn_status status = jn_simulation_new(x->r->model, &o, NULL, &sim, NULL);
  if (!status) status = jn_simulation_set_state(sim, 0, q, v);
  *cost = 0;
  for (int t = 0; t < job->steps && !status; t++) {
    error_of(x, q, v, e);
    for (size_t i = 0; i < nv; i++) {
      double sum = 0;
      for (size_t j = 0; j < 2 * nv; j++) sum += job->gain[i * 2 * nv + j] * e[j];
      tau[i] = given[(size_t)t * nv + i] - sum;
    }
    *cost += job->step * (square(2 * nv, job->weight, e) + square(nv, job->weight + 2 * nv, tau));
    status = jn_simulation_set_tau(sim, tau);
    if (!status) status = jn_simulation_step(sim, HUGE_VAL, NULL);
    if (!status) status = jn_simulation_state(sim, NULL, q, v);
  }
  error_of(x, q, v, e);
  *cost += square(2 * nv, job->end_weight, e);
  jn_simulation_free(sim);
  free(e), free(tau);
  return status;
}

gpu_error gpu_check_rollout(const gpu_robot *r, int order, int steps, size_t n, uint64_t seed) {
  const size_t nq = (size_t)jn_model_nq(r->model), nv = (size_t)jn_model_nv(r->model),
               T = (size_t)steps * nv, all = nq + nv + 1, path = (size_t)(steps / 2);
  double *q = doubles_of((n + 1) * nq), *x = doubles_of((n + 1) * (nv + T)), *v = x,
         *tau = x + (n + 1) * nv, *Q = doubles_of(n * nq), *W = doubles_of(n * nv),
         *F = doubles_of(n * T), *gain = doubles_of(nv * 2 * nv), *weight = doubles_of(5 * nv),
         *got = doubles_of(n * all), *want = doubles_of(n * all), *way = doubles_of(path * nq * n);
  int *without = calloc(n, sizeof *without);
  gpu_random(r->model, n + 1, seed, q, x, nv + T);
  for (size_t i = 0; i < nv * 2 * nv; i++) gain[i] = 0.01 * x[i % ((n + 1) * nv)];
  for (size_t i = 0; i < 5 * nv; i++) weight[i] = 0.1 + fabs(x[i % ((n + 1) * nv)]);
  gpu_to_soa(n, nq, q, Q);
  gpu_to_soa(n, nv, v, W);
  gpu_to_soa(n, T, tau, F);
  const jn_rollout job = {.n = n,
                          .steps = steps,
                          .step = 2e-3,
                          .order = order,
                          .every = 2,
                          .q0 = Q,
                          .v0 = W,
                          .tau = F,
                          .gain = gain,
                          .q_aim = q + n * nq,
                          .v_aim = v + n * nv,
                          .weight = weight,
                          .end_weight = weight + 3 * nv,
                          .q = got,
                          .v = got + n * nq,
                          .q_path = way,
                          .cost = got + n * (nq + nv),
                          .without = without};
  jn_rollout_summary sum;
  gpu_error e = {.status = jn_gpu_rollout(r->gpu, &job, &sum, NULL, NULL)};
  double mean = 0, best = HUGE_VAL;
  for (size_t s = 0; s < n && !e.status; s++) {
    const sample one = {r, &job, nq, nv};
    double *end = want + s * all;
    memcpy(end, q + s * nq, sizeof(double) * nq);
    memcpy(end + nq, v + s * nv, sizeof(double) * nv);
    e.status = simulate(&one, end, end + nq, tau + s * T, end + nq + nv);
    mean += end[nq + nv], best = fmin(best, end[nq + nv]);
  }
  if (!e.status) e = compare(n, 1, all, got, want, without, NULL);
  if (!e.status) {
    /* the last state on the way is the end, as steps is even; the summary is that of the costs */
    const double *end = way + (path - 1) * nq * n;
    for (size_t i = 0; i < n * nq; i++) e.different += !(end[i] == got[i]);
    const double error = fabs(sum.mean_cost - mean / (double)n) / mean,
                 least = fabs(sum.best_cost - best) / best;
    e.worst = fmax(e.worst, fmax(error, least));
    e.without += sum.failed;
    if (!(sum.best < n) || sum.best_cost != job.cost[sum.best]) e.different++;
  }
  free(q), free(x), free(Q), free(W), free(F), free(gain), free(weight), free(got), free(want);
  free(way), free(without);
  return e;
}
