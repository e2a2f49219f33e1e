/* batch.c: dynamics of many states: packs of states in SIMD lanes, on several threads. A pack with
 * an exceptional state (a number that is not finite, a quaternion that is not of unit length, a
 * singular or infinite result) is computed again state by state. */
#include <jounce/batch.h>
#include <jounce/dynamics.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

#include "base/block.h"
#include "base/cpu.h"
#include "core/engine.h"

typedef struct worker {
  jn_data *single;
  jn_work w;
  void *block;
} worker;

struct jn_batch {
  const jn_model *model;
  jn_allocator hooks;
  jn_settings settings;
  const jn_engine *engine;
  const jn_pack *pack; /* of the engine: pack_strict or pack */
  int order, threads;
  jn_batch_layout layout;
  worker *workers;
};

#ifdef _OPENMP
/* A child process has the memory of its parent but only the thread that called fork: it would wait
 * for ever for the team of that thread. So the team ends before each fork. The next batch starts a
 * new one, in the parent and in the child. */
static void end_team(void) { omp_pause_resource_all(omp_pause_soft); }
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(end_team, NULL, NULL); }
#endif

static jn_status worker_init(jn_batch *b, worker *k) {
  size_t lanes = (size_t)b->engine->lanes,
         size = jn_work_layout(b->model, b->order, lanes, 0, NULL, NULL);
  jn_status status = jn_data_new(b->model, b->order, &b->hooks, &k->single);
  if (status) return status;
  /* jn_work_layout returns 0 if the size overflows */
  k->block = size ? jn_block_new(&b->hooks, size + JN_WORK_ALIGN, 1) : NULL;
  if (!k->block) return JN_ERR_MEMORY;
  char *at = k->block;
  at += (JN_WORK_ALIGN - (uintptr_t)at % JN_WORK_ALIGN) % JN_WORK_ALIGN;
  jn_work_layout(b->model, b->order, lanes, 0, at, &k->w);
  jn_work_guard(b->model, b->order, lanes, &k->w);
  b->pack->place(b->model, &k->w);
  return JN_OK;
}

void jn_batch_free(jn_batch *b) {
  if (!b) return;
  jn_allocator hooks = b->hooks;
  for (int i = 0; b->workers && i < b->threads; i++) {
    jn_data_free(b->workers[i].single);
    jn_block_free(&hooks, b->workers[i].block);
  }
  jn_block_free(&hooks, b->workers);
  jn_block_free(&hooks, b);
}

jn_status jn_batch_new(const jn_model *model, int order, int threads, const jn_allocator *allocator,
                       jn_batch **out) {
  if (!model || !out || order < 0 || threads < 0) return JN_ERR_ARGUMENT;
  *out = NULL;
  if (order > JN_MAX_ORDER || threads > JN_MAX_THREADS) return JN_ERR_LIMIT;
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_num_procs();
#else
  threads = 1;
#endif
  jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_batch *b = jn_block_new(&hooks, 1, sizeof *b);
  if (!b) return JN_ERR_MEMORY;
  b->model = model;
  b->hooks = hooks;
  b->order = order;
  b->engine = jn_engine_choose();
  b->pack = &b->engine->pack;
  b->threads = threads;
  b->settings.gravity = jn_model_gravity(model);
  b->settings.strict = jn_strict_default();
  b->workers = jn_block_new(&hooks, (size_t)threads, sizeof *b->workers);
  jn_status status = b->workers ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; !status && i < threads; i++) status = worker_init(b, &b->workers[i]);
  if (status) {
    jn_batch_free(b);
    return status;
  }
  *out = b;
  return JN_OK;
}

jn_settings *jn_batch_settings(jn_batch *batch) { return &batch->settings; }
jn_status jn_batch_set_layout(jn_batch *batch, jn_batch_layout layout) {
  if (!batch || (unsigned)layout > JN_NUMBERS_FIRST) return JN_ERR_ARGUMENT;
  batch->layout = layout;
  return JN_OK;
}
int jn_batch_lanes(const jn_batch *batch) { return batch->engine->lanes; }
int jn_batch_threads(const jn_batch *batch) { return batch->threads; }

/* The arguments of one call; its kind says which of v and tau are read and written. */
typedef enum call_kind { INVERSE, FORWARD, HYBRID, CLOSED_INVERSE, CLOSED_FORWARD } call_kind;
typedef struct call {
  call_kind kind;
  jn_pack_call pack;
  const double *q, *v_in, *tau_in;
  double *v_out, *tau_out, *lambda;
  const jn_constraints *constraints;
  size_t v_size, tau_size, a_size; /* per state: length of v, tau, and accelerations of FORWARD */
  size_t stride; /* from one number of a state to the next; 0: one state after another */
} call;

/* n numbers of the states from `first`, to lanes and back */
static int take_lanes(const jn_pack *e, const call *c, double *y, const double *x, size_t n,
                      size_t first, int used) {
  return c->stride ? e->load(y, x + first, n, c->stride, used)
                   : e->gather(y, x + first * n, n, used);
}
static void put_lanes(const jn_pack *e, const call *c, double *x, const double *y, size_t n,
                      size_t first, int used) {
  if (c->stride)
    e->store(x + first, y, n, c->stride, used);
  else
    e->scatter(x + first * n, y, n, used);
}
/* number i of state s, of n a state */
static size_t number_at(const call *c, size_t n, size_t s, size_t i) {
  return c->stride ? i * c->stride + s : s * n + i;
}

/* Sets what a hybrid call does not read to zero: forces of prescribed joints, accelerations of the
 * others. */
static void mask_given(const jn_model *m, const call *c, double *io, double *force, int lanes) {
  const size_t row = (size_t)m->nv * (size_t)lanes;
  for (int b = 0; b < m->nbody; b++) {
    const size_t at = (size_t)m->joint[b].iv * (size_t)lanes,
                 n = (size_t)m->joint[b].nv * (size_t)lanes;
    double *drop = (c->pack.prescribed[b] ? force : io + row) + at;
    for (int k = 0; k <= c->pack.order; k++, drop += row) memset(drop, 0, sizeof(double) * n);
  }
}

/* Writes the results of a hybrid call: forces of prescribed joints, accelerations of the others. */
static void scatter_missing(const jn_model *m, const call *c, const jn_work *w, size_t first,
                            int lanes, int used) {
  const size_t nv = (size_t)m->nv, L = (size_t)lanes, by_number = c->stride ? c->stride : 1;
  for (int b = 0; b < m->nbody; b++) {
    const int given = c->pack.prescribed[b];
    const size_t size = given ? c->tau_size : c->v_size, by_state = c->stride ? 1 : size,
                 iv = (size_t)m->joint[b].iv, n = (size_t)m->joint[b].nv;
    const double *in = given ? w->force : w->io + nv * L;
    double *out = (given ? c->tau_out : c->v_out + nv * by_number) + first * by_state;
    for (size_t k = 0; k <= (size_t)c->pack.order; k++)
      for (size_t i = k * nv + iv; i < k * nv + iv + n; i++)
        for (size_t l = 0; l < (size_t)used; l++) out[l * by_state + i * by_number] = in[i * L + l];
  }
}

/* Computes the pack of `used` states from `first`. Returns 0, and writes nothing, if a state in it
 * is exceptional. */
static int run_pack(const jn_batch *b, const worker *k, const call *c, size_t first, int used) {
  const jn_model *m = b->model;
  const jn_work *w = &k->w;
  int lanes = b->engine->lanes;
  size_t L = (size_t)lanes;
  const jn_pack *e = b->pack;
  if (c->kind >= CLOSED_INVERSE || m->tree) return 0; /* state by state */
  if (!take_lanes(e, c, w->q, c->q, (size_t)m->nq, first, used)) return 0;
  if (c->kind == INVERSE) {
    if (!take_lanes(e, c, w->v, c->v_in, c->v_size, first, used)) return 0;
    if (!e->inverse(m, w, &c->pack)) return 0;
    put_lanes(e, c, c->tau_out, w->tau, c->tau_size, first, used);
    return 1;
  }
  int finite = take_lanes(e, c, w->io, c->v_in, c->v_size, first, used);
  finite &= take_lanes(e, c, w->force, c->tau_in, c->tau_size, first, used);
  if (c->kind == HYBRID) {
    mask_given(m, c, w->io, w->force, lanes);
    finite = e->finite(w->io, c->v_size) && e->finite(w->force, c->tau_size);
  }
  if (!finite) return 0;
  if (!e->hybrid(m, w, &c->pack)) return 0;
  if (!e->finite(w->io, ((size_t)c->pack.order + 2) * (size_t)m->nv)) return 0;
  if (c->kind == FORWARD) {
    put_lanes(e, c, c->v_out, w->io + (size_t)m->nv * L, c->a_size, first, used);
    return 1;
  }
  if (!e->finite(w->force, c->tau_size)) return 0;
  scatter_missing(m, c, w, first, lanes, used);
  return 1;
}

static jn_status run_single(const jn_batch *b, const worker *k, const call *c, size_t s) {
  const jn_model *m = b->model;
  const double *q = c->q + s * (size_t)m->nq, *v = c->v_in + s * c->v_size;
  double *lambda = c->lambda ? c->lambda + s * ((size_t)c->pack.order + 1) * (size_t)m->nrow : NULL;
  *jn_data_settings(k->single) = b->settings;
  if (c->kind == CLOSED_INVERSE)
    return jn_constrained_inverse_dynamics(m, k->single, c->pack.order, q, v, NULL, c->constraints,
                                           c->tau_out ? c->tau_out + s * c->tau_size : NULL,
                                           lambda);
  if (c->kind == CLOSED_FORWARD)
    return jn_constrained_forward_dynamics(m, k->single, c->pack.order, q, v,
                                           c->tau_in + s * c->tau_size, NULL, c->constraints,
                                           c->v_out + s * c->a_size, lambda);
  if (c->kind == INVERSE)
    return jn_inverse_dynamics(m, k->single, c->pack.order, q, v, NULL,
                               c->tau_out + s * c->tau_size);
  if (c->kind == FORWARD)
    return jn_forward_dynamics(m, k->single, c->pack.order, q, v, c->tau_in + s * c->tau_size, NULL,
                               c->v_out + s * c->a_size);
  return jn_hybrid_dynamics(m, k->single, c->pack.order, q, c->pack.prescribed,
                            c->v_out + s * c->v_size, c->tau_out + s * c->tau_size, NULL);
}

/* The same for numbers first: the state is copied to the memory of a pack and its results back. */
static jn_status run_single_strided(const jn_batch *b, const worker *k, const call *c, size_t s) {
  const jn_model *m = b->model;
  const jn_work *w = &k->w;
  call one = *c;
  for (size_t i = 0; i < (size_t)m->nq; i++) w->q[i] = c->q[number_at(c, 0, s, i)];
  for (size_t i = 0; i < c->v_size; i++) w->io[i] = c->v_in[number_at(c, 0, s, i)];
  for (size_t i = 0; i < c->tau_size && c->tau_in; i++)
    w->force[i] = c->tau_in[number_at(c, 0, s, i)];
  one.q = w->q, one.v_in = w->io, one.tau_in = w->force;
  one.v_out = c->kind == HYBRID ? w->io : w->tau;
  one.tau_out = w->force;
  one.stride = 0;
  /* state 0 of these arrays */
  const jn_status status = run_single(b, k, &one, 0);
  if (status) return status;
  for (size_t i = 0; i < c->v_size && c->kind == HYBRID; i++)
    c->v_out[number_at(c, 0, s, i)] = w->io[i];
  for (size_t i = 0; i < c->tau_size && c->kind != FORWARD; i++)
    c->tau_out[number_at(c, 0, s, i)] = w->force[i];
  for (size_t i = 0; i < c->a_size && c->kind == FORWARD; i++)
    c->v_out[number_at(c, 0, s, i)] = w->tau[i];
  return JN_OK;
}

/* A failure is state * 64 + status; the smallest is the first state that failed. */
static const uint64_t no_failure = UINT64_MAX;

/* Computes pack p of `count` states. Returns its first failure. */
static uint64_t run_states(const jn_batch *b, const worker *k, const call *c, size_t count,
                           int64_t p, jn_status *status) {
  const int lanes = b->engine->lanes;
  const size_t first = (size_t)p * (size_t)lanes;
  const int used = count - first < (size_t)lanes ? (int)(count - first) : lanes;
  uint64_t failed = no_failure;
  if (run_pack(b, k, c, first, used)) {
    for (int l = 0; status && l < used; l++) status[first + (size_t)l] = JN_OK;
    return failed;
  }
  for (int l = 0; l < used; l++) {
    size_t s = first + (size_t)l;
    jn_status one = c->stride ? run_single_strided(b, k, c, s) : run_single(b, k, c, s);
    if (status) status[s] = one;
    uint64_t key = (uint64_t)s * 64 + (uint64_t)one;
    if (one && key < failed) failed = key;
  }
  return failed;
}

#ifdef _OPENMP
/* Threads that pay: waking one costs as much as about so many products of orders. */
#define THREAD_WORK 20000
static int useful_threads(const jn_batch *b, const call *c, size_t count) {
  const double r = c->pack.order + 1.0,
               each = c->kind == INVERSE ? 1
                      : c->kind > HYBRID ? 20
                                         : 2,
               work = each * (double)count * b->model->nlink * r * (r + 1);
  return work < (double)THREAD_WORK * b->threads ? 1 + (int)(work / THREAD_WORK) : b->threads;
}
#endif

static jn_status run_all(jn_batch *b, call *c, size_t count, jn_status *status) {
  const int lanes = b->engine->lanes;
  c->stride = b->layout == JN_NUMBERS_FIRST ? count : 0;
  const int64_t packs = (int64_t)((count + (size_t)lanes - 1) / (size_t)lanes);
  uint64_t failed = no_failure;
#ifdef _OPENMP
  /* a plain branch, not the if() clause of OpenMP: even a team of one makes system calls */
  const int threads = packs > 1 ? useful_threads(b, c, count) : 1;
  if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : failed)
    for (int64_t p = 0; p < packs; p++) {
      uint64_t one = run_states(b, &b->workers[omp_get_thread_num()], c, count, p, status);
      if (one < failed) failed = one;
    }
    return failed == no_failure ? JN_OK : (jn_status)(failed % 64);
  }
#endif
  for (int64_t p = 0; p < packs; p++) {
    uint64_t one = run_states(b, &b->workers[0], c, count, p, status);
    if (one < failed) failed = one;
  }
  return failed == no_failure ? JN_OK : (jn_status)(failed % 64);
}

/* Refuses the whole call: every state gets the status. */
static jn_status refuse(jn_status s, size_t count, jn_status *status) {
  for (size_t i = 0; status && i < count; i++) status[i] = s;
  return s;
}

static jn_status start_call(const jn_model *m, jn_batch *b, int order,
                            const unsigned char *prescribed, call *c) {
  if (!m || !b || b->model != m || order < 0) return JN_ERR_ARGUMENT;
  if (order > b->order) return JN_ERR_ORDER;
  const jn_settings *s = &b->settings;
  if ((unsigned)s->representation > JN_MIXED || s->formulation != JN_FORM_BODY)
    return JN_ERR_ARGUMENT;
  b->pack = s->strict ? &b->engine->pack_strict : &b->engine->pack;
  size_t nv = (size_t)m->nv, r = (size_t)order;
  *c = (call){0};
  c->pack = (jn_pack_call){order, s, prescribed};
  const double gravity[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
  if (!jn_all_finite(gravity, 3)) return JN_ERR_NOT_FINITE;
  c->v_size = (r + 2) * nv;
  c->tau_size = c->a_size = (r + 1) * nv;
  return JN_OK;
}

jn_status jn_batch_inverse_dynamics(const jn_model *model, jn_batch *batch, int order, size_t count,
                                    const double *q, const double *v, double *tau,
                                    jn_status *status) {
  call c;
  jn_status s = start_call(model, batch, order, NULL, &c);
  if (s) return refuse(s, count, status);
  if (count && ((model->nq && !q) || (model->nv && (!v || !tau))))
    return refuse(JN_ERR_ARGUMENT, count, status);
  c.kind = INVERSE;
  c.q = q, c.v_in = v, c.tau_out = tau;
  return run_all(batch, &c, count, status);
}

jn_status jn_batch_forward_dynamics(const jn_model *model, jn_batch *batch, int order, size_t count,
                                    const double *q, const double *v, const double *tau, double *a,
                                    jn_status *status) {
  call c;
  jn_status s = start_call(model, batch, order, NULL, &c);
  if (s) return refuse(s, count, status);
  if (count && ((model->nq && !q) || (model->nv && (!v || !tau || !a))))
    return refuse(JN_ERR_ARGUMENT, count, status);
  c.kind = FORWARD;
  c.q = q, c.v_in = v, c.tau_in = tau, c.v_out = a;
  c.v_size = (size_t)model->nv;
  return run_all(batch, &c, count, status);
}

jn_status jn_batch_hybrid_dynamics(const jn_model *model, jn_batch *batch, int order, size_t count,
                                   const double *q, const unsigned char *prescribed, double *v,
                                   double *tau, jn_status *status) {
  call c;
  jn_status s = start_call(model, batch, order, prescribed, &c);
  if (s) return refuse(s, count, status);
  if (!prescribed || (count && ((model->nq && !q) || (model->nv && (!v || !tau)))))
    return refuse(JN_ERR_ARGUMENT, count, status);
  c.kind = HYBRID;
  c.q = q, c.v_in = c.v_out = v, c.tau_in = c.tau_out = tau;
  return run_all(batch, &c, count, status);
}

jn_status jn_batch_constrained_inverse_dynamics(const jn_model *model, jn_batch *batch, int order,
                                                size_t count, const double *q, const double *v,
                                                const jn_constraints *constraints, double *tau,
                                                double *lambda, jn_status *status) {
  call c;
  jn_status s = start_call(model, batch, order, NULL, &c);
  if (s) return refuse(s, count, status);
  if (count && ((model->nq && !q) || (model->nv && !v)))
    return refuse(JN_ERR_ARGUMENT, count, status);
  if (batch->layout != JN_STATES_FIRST) return refuse(JN_ERR_ARGUMENT, count, status);
  c.kind = CLOSED_INVERSE;
  c.q = q, c.v_in = v, c.tau_out = tau, c.lambda = lambda, c.constraints = constraints;
  return run_all(batch, &c, count, status);
}

jn_status jn_batch_constrained_forward_dynamics(const jn_model *model, jn_batch *batch, int order,
                                                size_t count, const double *q, const double *v,
                                                const double *tau,
                                                const jn_constraints *constraints, double *a,
                                                double *lambda, jn_status *status) {
  call c;
  jn_status s = start_call(model, batch, order, NULL, &c);
  if (s) return refuse(s, count, status);
  if (count && ((model->nq && !q) || (model->nv && (!v || !tau || !a))))
    return refuse(JN_ERR_ARGUMENT, count, status);
  if (batch->layout != JN_STATES_FIRST) return refuse(JN_ERR_ARGUMENT, count, status);
  c.kind = CLOSED_FORWARD;
  c.q = q, c.v_in = v, c.tau_in = tau, c.v_out = a, c.lambda = lambda, c.constraints = constraints;
  c.v_size = (size_t)model->nv;
  return run_all(batch, &c, count, status);
}
