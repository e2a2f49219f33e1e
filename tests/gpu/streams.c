/* streams.c: several robots, devices and streams at a time. */
#include "gpu/streams.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/check.h"

enum { QUEUES = 4, STATES = 100000 };

/* A robot on a device, a stream, and its arrays. */
typedef struct queue {
  int device, number;
  jn_model *model;
  jn_gpu *gpu;
  void *stream, *block[4]; /* q, v, tau, without */
  double *q, *v, *want, *got;
  int *mask;
  jn_error error;
  const char *failed; /* NULL: good */
} queue;

/* a stream of the device's primary context, by the driver itself */
static int new_stream(int device, void **stream) {
  static const char *const names[] = {"cuDeviceGet", "cuDevicePrimaryCtxRetain",
                                      "cuCtxPushCurrent_v2", "cuStreamCreate",
                                      "cuCtxPopCurrent_v2"};
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol[5], *context;
  int (*get)(int *, int), (*retain)(void **, int), (*push)(void *), (*create)(void **, unsigned),
      (*pop)(void **), handle;
  for (int i = 0; i < 5; i++)
    if (!library || !(symbol[i] = dlsym(library, names[i]))) return 0;
  memcpy(&get, &symbol[0], sizeof get), memcpy(&retain, &symbol[1], sizeof retain);
  memcpy(&push, &symbol[2], sizeof push), memcpy(&create, &symbol[3], sizeof create);
  memcpy(&pop, &symbol[4], sizeof pop);
  return !get(&handle, device) && !retain(&context, handle) && !push(context) &&
         !create(stream, 1) && !pop(&context);
}

static int start(queue *a) {
  static const char *const names[] = {"tilthex", "arm6"};
  const jn_gpu_options o = {.device = a->device, .strict = 1, .representation = JN_BODY};
  if (jn_model_load(names[a->number % 2], NULL, NULL, &a->model, &a->error) ||
      jn_gpu_new(a->model, &o, NULL, &a->gpu, &a->error))
    return 0;
  const size_t n = STATES, nq = (size_t)jn_model_nq(a->model), nv = (size_t)jn_model_nv(a->model),
               numbers[] = {nq, 2 * nv, nv};
  double *q = calloc(n * nq, sizeof *q), *v = calloc(n * 2 * nv, sizeof *v);
  a->q = calloc(n * nq, sizeof *q), a->v = calloc(n * 2 * nv, sizeof *v);
  a->want = calloc(n * nv, sizeof *q), a->got = calloc(n * nv, sizeof *q);
  a->mask = calloc(n, sizeof *a->mask);
  gpu_random(a->model, n, (unsigned)a->number + 1, q, v, 2 * nv);
  gpu_to_soa(n, nq, q, a->q), gpu_to_soa(n, 2 * nv, v, a->v);
  free(q), free(v);
  int good = new_stream(a->device, &a->stream) &&
             !jn_gpu_inverse_dynamics(a->gpu, 0, n, a->q, a->v, a->want, a->mask, NULL, &a->error);
  for (int i = 0; i < 4 && good; i++)
    good = !jn_gpu_allocate(a->gpu, i < 3 ? 8 * n * numbers[i] : sizeof(int) * n, &a->block[i],
                            &a->error);
  return good && !jn_gpu_upload(a->gpu, a->block[0], a->q, 8 * n * nq, a->stream, &a->error) &&
         !jn_gpu_upload(a->gpu, a->block[1], a->v, 16 * n * nv, a->stream, &a->error);
}
static int enqueue(queue *a) {
  const jn_gpu_call call = {.on_device = 1, .stream = a->stream};
  for (int i = 0; i < 20; i++)
    if (jn_gpu_inverse_dynamics(a->gpu, 0, STATES, a->block[0], a->block[1], a->block[2],
                                a->block[3], &call, &a->error))
      return 0;
  return 1;
}
static int compare(queue *a) {
  const size_t bytes = sizeof(double) * STATES * (size_t)jn_model_nv(a->model);
  memset(a->got, 0, bytes);
  return !jn_gpu_wait(a->gpu, a->stream, &a->error) &&
         !jn_gpu_download(a->gpu, a->got, a->block[2], bytes, a->stream, &a->error) &&
         memcmp(a->got, a->want, bytes) == 0;
}
static void end(queue *a) {
  for (int i = 0; i < 4; i++) jn_gpu_release(a->gpu, a->block[i]);
  jn_gpu_free(a->gpu);
  jn_model_free(a->model);
  free(a->q), free(a->v), free(a->want), free(a->got), free(a->mask);
}

/* a thread with a robot of its own */
static void *work(void *at) {
  queue *a = at;
  for (int i = 0; i < 10 && !a->failed; i++)
    if (!enqueue(a) || !compare(a)) a->failed = "in a thread";
  return NULL;
}

int gpu_check_streams(int devices) {
  queue all[QUEUES] = {{0}};
  int failed = 0;
  for (int i = 0; i < QUEUES; i++) {
    all[i].device = i % (devices > 1 ? 2 : 1), all[i].number = i;
    if (!start(&all[i])) all[i].failed = "at the start";
  }
  for (int i = 0; i < QUEUES; i++)
    if (!all[i].failed && !enqueue(&all[i])) all[i].failed = "in the queue";
  for (int i = 0; i < QUEUES; i++)
    if (!all[i].failed && !compare(&all[i])) all[i].failed = "other results";
  pthread_t thread[QUEUES];
  for (int i = 0; i < QUEUES; i++)
    if (pthread_create(&thread[i], NULL, work, &all[i])) abort();
  for (int i = 0; i < QUEUES; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < QUEUES; i++) {
    printf("device %d, stream %d, %s: %s %s\n", all[i].device, i,
           all[i].model ? jn_model_name(all[i].model) : "",
           all[i].failed ? all[i].failed : "equal bits", all[i].error.message);
    failed |= all[i].failed != NULL;
    end(&all[i]);
  }
  printf("%d devices, %d streams, then %d threads%s\n", devices, QUEUES, QUEUES,
         failed ? "  FAILED" : "");
  return failed;
}
