/* device.c: libjounce_gpu on a device (make test-gpu).
 *   gpu_device check [STATES [ROBOT]]   strict results against the library, bit for bit, of every
 *                                       built-in robot; others to 1e-13. Default 1e6 states
 *   gpu_device check STATES FILE        every kind of kernel of the robot in a file, as one with
 *                                       mimic joints, which there is none of among the built-in ones
 *   gpu_device streams                  several robots, devices and streams at a time
 *   gpu_device bench [MODE]             states a second, shares of bandwidth and FP64
 *   gpu_device scale                    states a second over the number of states in a call
 *   gpu_device devices                  names them
 *   gpu_device list                     the kernels of both: ROBOT KERNEL ORDER MODE
 *   gpu_device prepare ROBOT KERNEL ORDER MODE      compiles one: several can be at work
 * MODE: 0 fused, 1 strict, 2 for any robot
 * Exit status 77: there is no device. */
#include <jounce/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/check.h"
#include "gpu/operations.h"
#include "gpu/streams.h"

/* trees: code is not generated for models with constraints */
static const char *const robots[] = {"tilthex",   "pendulum", "double_pendulum", "arm6", "arm7",
                                     "quadruped", "humanoid", "chain",           NULL};

/* generic: 1: the kernels for any robot; 2: NVRTC is not found, they take its place */
static gpu_robot robot_new(const char *name, jn_representation representation, int strict,
                           int generic) {
  gpu_robot r = {.representation = representation};
  jn_model *model = NULL;
  jn_error error = {0};
  const jn_gpu_options o = {.strict = strict,
                            .representation = representation,
                            .generic = generic == 1,
                            .nvrtc = generic == 2 ? "/nonexistent" : NULL,
                            .cache = generic == 2 ? "" : NULL};
  if (jn_model_load(name, NULL, NULL, &model, &error) ||
      jn_gpu_new(model, &o, NULL, &r.gpu, &error)) {
    fprintf(stderr, "%s: %s\n", name, error.message);
    exit(2);
  }
  r.model = model;
  return r;
}
static void robot_free(gpu_robot *r) {
  jn_gpu_free(r->gpu);
  jn_model_free((jn_model *)(size_t)r->model);
}

/* ---- check */

static int report(const char *robot, const char *what, int order, size_t n, gpu_error e,
                  double bound) {
  const int good = !e.status && !e.without && (bound > 0 ? e.worst <= bound : !e.different);
  printf("%-16s %-10s %d  %8zu states  %s%zu numbers differ, worst %.1e", robot, what, order, n,
         e.status ? jn_status_text(e.status) : "", e.different, e.worst);
  if (e.without) printf(", %zu states have a result on one side only", (size_t)e.without);
  printf("%s\n", good ? "" : "  FAILED");
  fflush(stdout);
  return !good;
}

static int check_robot(const char *name, size_t n) {
  gpu_robot r = robot_new(name, JN_BODY, 1, 0);
  int failed = report(name, "ID", 0, n, gpu_check_inverse(&r, 0, n, 1), 0);
  failed |= report(name, "ID", 2, n, gpu_check_inverse(&r, 2, n, 2), 0);
  failed |= report(name, "FD", 0, n, gpu_check_forward(&r, 0, n, 3), 0);
  failed |= report(name, "hybrid", 0, n, gpu_check_hybrid(&r, 0, n, 12, 1), 0);
  robot_free(&r);
  r = robot_new(name, JN_BODY, 1, 1);
  failed |= report(name, "any ID", 1, n, gpu_check_inverse(&r, 1, n, 13), 0);
  failed |= report(name, "any FD", 0, n, gpu_check_forward(&r, 0, n, 14), 0);
  robot_free(&r);
  return failed;
}

/* the other kernels, of one robot */
static int check_kernels(const char *name, size_t n) {
  gpu_robot r = robot_new(name, JN_BODY, 1, 0);
  const size_t few = n < 1000 ? n : 1000, some = n < 100000 ? n : 100000;
  int failed = report(name, "ID", 5, n, gpu_check_inverse(&r, 5, n, 15), 0);
  failed |= report(name, "ID", 12, some, gpu_check_inverse(&r, 12, some, 16), 0);
  failed |= report(name, "FD", 2, n, gpu_check_forward(&r, 2, n, 17), 0);
  failed |= report(name, "FD", 6, some, gpu_check_forward(&r, 6, some, 18), 0);
  failed |= report(name, "hybrid", 2, n, gpu_check_hybrid(&r, 2, n, 19, 0), 0);
  failed |= report(name, "hybrid", 4, some, gpu_check_hybrid(&r, 4, some, 20, 1), 0);
  for (int order = 0; order <= 2; order++)
    failed |= report(name, "roll-out", order, few, gpu_check_rollout(&r, order, 20, few, 4), 0);
  failed |= report(name, "partials", 0, few, gpu_check_partials(&r, 0, few, 6), 1e-13);
  failed |= report(name, "FD partials", 0, few, gpu_check_partials(&r, 1, few, 7), 1e-13);
  robot_free(&r);
  r = robot_new(name, JN_MIXED, 1, 1);
  failed |= report(name, "any ID", 5, some, gpu_check_inverse(&r, 5, some, 21), 0);
  failed |= report(name, "any hybrid", 2, some, gpu_check_hybrid(&r, 2, some, 22, 0), 0);
  robot_free(&r);
  r = robot_new(name, JN_BODY, 1, 2);
  failed |= report(name, "no NVRTC", 0, some, gpu_check_inverse(&r, 0, some, 24), 0);
  failed |= gpu_check_partials(&r, 0, 1, 25).status != JN_ERR_FILE; /* has no such kernel */
  robot_free(&r);
  r = robot_new(name, JN_BODY, 0, 0);
  failed |= report(name, "ID fused", 2, n, gpu_check_inverse(&r, 2, n, 8), 1e-13);
  failed |= report(name, "FD fused", 0, n, gpu_check_forward(&r, 0, n, 9), 1e-13);
  failed |= report(name, "FD fused", 2, n, gpu_check_forward(&r, 2, n, 23), 1e-13);
  robot_free(&r);
  r = robot_new(name, JN_SPATIAL, 1, 0);
  failed |= report(name, "ID spatial", 0, n, gpu_check_inverse(&r, 0, n, 10), 0);
  robot_free(&r);
  return failed;
}

/* every kind of kernel, of a robot that kernels for any robot may not have */
static int check_file(const char *path, size_t n) {
  const char *folder = strrchr(path, '/'), *name = folder ? folder + 1 : path;
  gpu_robot r = robot_new(path, JN_BODY, 1, 0);
  const size_t few = n < 1000 ? n : 1000, some = n < 100000 ? n : 100000;
  int failed = 0;
  for (int order = 0; order <= 2; order += 2) {
    failed |= report(name, "ID", order, n, gpu_check_inverse(&r, order, n, 41), 0);
    failed |= report(name, "FD", order, n, gpu_check_forward(&r, order, n, 42), 0);
    failed |= report(name, "hybrid", order, n, gpu_check_hybrid(&r, order, n, 43, 1), 0);
    failed |= report(name, "roll-out", order, few, gpu_check_rollout(&r, order, 20, few, 44), 0);
  }
  failed |= report(name, "ID", 7, some, gpu_check_inverse(&r, 7, some, 45), 0);
  for (int order = 1; order <= 6; order++)
    failed |= report(name, "FD", order, some, gpu_check_forward(&r, order, some, 46), 0);
  failed |= report(name, "hybrid", 5, some, gpu_check_hybrid(&r, 5, some, 52, 1), 0);
  failed |= report(name, "hybrid", 3, some, gpu_check_hybrid(&r, 3, some, 47, 0), 0);
  failed |= report(name, "partials", 0, few, gpu_check_partials(&r, 0, few, 48), 1e-13);
  failed |= report(name, "FD partials", 0, few, gpu_check_partials(&r, 1, few, 49), 1e-13);
  robot_free(&r);
  r = robot_new(path, JN_SPATIAL, 0, 0);
  failed |= report(name, "ID fused", 1, n, gpu_check_inverse(&r, 1, n, 50), 1e-13);
  failed |= report(name, "FD fused", 1, n, gpu_check_forward(&r, 1, n, 51), 1e-12);
  robot_free(&r);
  return failed;
}

/* ---- bench */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const jn_error *error) {
  fprintf(stderr, "%s\n", error->message);
  exit(2);
}

/* a block of the device with n states of random numbers, the same ones again and again: structures
 * of arrays */
static double *random_block(const gpu_robot *r, size_t n, size_t numbers, int configuration) {
  enum { DIFFERENT = 1 << 14 };
  const size_t nq = (size_t)jn_model_nq(r->model), width = configuration ? nq : numbers;
  double *q = calloc(DIFFERENT * nq, sizeof *q), *x = calloc(DIFFERENT * (numbers + 1), sizeof *x),
         *out = calloc(n * width, sizeof *out);
  const double *from = configuration ? q : x;
  void *block = NULL;
  jn_error error;
  gpu_random(r->model, DIFFERENT, 11, q, x, numbers);
  for (size_t i = 0; i < width; i++)
    for (size_t s = 0; s < n; s++) out[i * n + s] = from[s % DIFFERENT * width + i];
  if (jn_gpu_allocate(r->gpu, sizeof(double) * n * width, &block, &error) ||
      jn_gpu_upload(r->gpu, block, out, sizeof(double) * n * width, NULL, &error))
    stop(&error);
  free(q), free(x), free(out);
  return block;
}
static void *block_of(const gpu_robot *r, size_t bytes) {
  void *block = NULL;
  jn_error error;
  if (jn_gpu_allocate(r->gpu, bytes, &block, &error)) stop(&error);
  return block;
}

typedef struct arrays {
  double *q, *v, *tau, *out;
  int *without;
} arrays;

enum { STEPS = 100 };

/* every second joint of hybrid dynamics, as gpu_check_hybrid */
static void choose(const gpu_robot *r, int first, unsigned char *prescribed) {
  for (int i = 0; i < jn_model_body_count(r->model); i++) prescribed[i] = i % 2 == first;
}

static jn_status call(const gpu_robot *r, jn_kernel kernel, int order, size_t n, const arrays *a,
                      jn_error *error) {
  const jn_gpu_call on = {.on_device = 1};
  unsigned char prescribed[100];
  const size_t M = (size_t)(jn_model_nv(r->model) * jn_model_nv(r->model)) * n;
  const jn_rollout job = {.n = n,
                          .steps = STEPS,
                          .step = 1e-3,
                          .order = order,
                          .shared_tau = 1,
                          .q0 = a->q,
                          .v0 = a->v,
                          .tau = a->tau,
                          .q = a->out,
                          .without = a->without};
  switch (kernel) {
    case JN_KERNEL_INVERSE:
      return jn_gpu_inverse_dynamics(r->gpu, order, n, a->q, a->v, a->out, a->without, &on, error);
    case JN_KERNEL_FORWARD:
      return jn_gpu_forward_dynamics(r->gpu, order, n, a->q, a->v, a->tau, a->out, a->without, &on,
                                     error);
    case JN_KERNEL_INVERSE_PARTIALS:
      return jn_gpu_inverse_partials(r->gpu, n, a->q, a->v, a->out, a->out + M, NULL, a->without,
                                     &on, error);
    case JN_KERNEL_FORWARD_PARTIALS:
      return jn_gpu_forward_partials(r->gpu, n, a->q, a->v, a->tau, a->out, a->out + M, NULL,
                                     a->without, &on, error);
    case JN_KERNEL_HYBRID:
      choose(r, order == 2 ? 0 : 1, prescribed);
      return jn_gpu_hybrid_dynamics(r->gpu, order, n, a->q, prescribed, a->v, a->tau, a->without,
                                    &on, error);
    default:
      return jn_gpu_rollout(r->gpu, &job, NULL, &on, error);
  }
}

static void make_ready(const gpu_robot *r, jn_kernel kernel, int order) {
  jn_error error = {0};
  unsigned char prescribed[100];
  choose(r, order == 2 ? 0 : 1, prescribed);
  if (kernel == JN_KERNEL_HYBRID ? jn_gpu_hybrid_dynamics(r->gpu, order, 0, NULL, prescribed, NULL,
                                                          NULL, NULL, NULL, &error)
                                 : jn_gpu_prepare(r->gpu, kernel, order, &error))
    stop(&error);
}

/* numbers a state reads and writes, the mask not counted */
static size_t traffic(const gpu_robot *r, jn_kernel kernel, int order) {
  const size_t nq = (size_t)jn_model_nq(r->model), nv = (size_t)jn_model_nv(r->model),
               k = (size_t)order + 1;
  return kernel == JN_KERNEL_INVERSE            ? nq + (2 * k + 1) * nv
         : kernel == JN_KERNEL_HYBRID           ? nq + nv + 2 * k * nv
         : kernel == JN_KERNEL_FORWARD          ? nq + nv + 2 * k * nv
         : kernel == JN_KERNEL_INVERSE_PARTIALS ? nq + 2 * nv + 2 * nv * nv
         : kernel == JN_KERNEL_FORWARD_PARTIALS ? nq + 2 * nv + 2 * nv * nv
                                                : 2 * nq + nv;
}

/* 2: the kernels for any robot */
static const char *const modes[] = {"fused", "strict", "any"};
static void bench(const char *name, jn_kernel kernel, int order, int strict, size_t n,
                  double bandwidth) {
  static const char *const kinds[] = {"ID",          "FD",       "ID partials",
                                      "FD partials", "roll-out", "hybrid"};
  gpu_robot r = robot_new(name, JN_BODY, strict == 1, strict == 2);
  const size_t nv = (size_t)jn_model_nv(r.model), k = (size_t)order + 1;
  const int rollout = kernel == JN_KERNEL_ROLLOUT, partials = kernel > 1 && !rollout;
  jn_error error = {0};
  const double begin = now();
  make_ready(&r, kernel, order);
  const double ready = now() - begin;
  const size_t out = partials ? 2 * nv * nv : rollout ? (size_t)jn_model_nq(r.model) : k * nv;
  const arrays a = {.q = random_block(&r, n, 0, 1),
                    .v = random_block(&r, n, (k + 1) * nv, 0),
                    .tau = random_block(&r, n, k * nv, 0), /* of a roll-out: STEPS x nv of them */
                    .out = block_of(&r, sizeof(double) * n * out),
                    .without = block_of(&r, sizeof(int) * n)};
  double best = HUGE_VAL;
  for (int repeat = 0; repeat < 6; repeat++) {
    const int calls = rollout ? 1 : 10;
    const double start = now();
    for (int i = 0; i < calls; i++)
      if (call(&r, kernel, order, n, &a, &error)) stop(&error);
    if (jn_gpu_wait(r.gpu, NULL, &error)) stop(&error);
    const double t = (now() - start) / calls;
    if (repeat && t < best) best = t;
  }
  const double rate = (double)n / best;
  printf("%-9s %-12s %d %-6s %10.3e %s a second", name, kinds[kernel], order, modes[strict],
         rollout ? rate * STEPS : rate, rollout ? "steps " : "states");
  if (!rollout)
    printf("   %4.1f %% of %.1f TB/s",
           100 * rate * 8 * (double)traffic(&r, kernel, order) / bandwidth, 1e-12 * bandwidth);
  /* of 34 TFLOP/s, a fused multiply-add counted as two */
  const double fp64 =
      rollout || strict == 2 ? 0 : gpu_operations(&r, kernel, order, strict, partials ? 2 * nv : 1);
  if (fp64 > 0) printf("   %4.1f %% of FP64 (%.0f a state)", 100 * rate * fp64 / 34e12, fp64);
  printf("   ready in %.1f s\n", ready);
  fflush(stdout);
  jn_gpu_release(r.gpu, a.q), jn_gpu_release(r.gpu, a.v), jn_gpu_release(r.gpu, a.tau);
  jn_gpu_release(r.gpu, a.out), jn_gpu_release(r.gpu, a.without);
  robot_free(&r);
}

typedef struct row {
  const char *robot;
  jn_kernel kernel;
  int order;
  size_t states;
} row;
static const row rows[] = {{"tilthex", JN_KERNEL_INVERSE, 0, 1 << 22},
                           {"tilthex", JN_KERNEL_INVERSE, 2, 1 << 22},
                           {"tilthex", JN_KERNEL_INVERSE, 5, 1 << 22},
                           {"tilthex", JN_KERNEL_FORWARD, 0, 1 << 22},
                           {"tilthex", JN_KERNEL_FORWARD, 2, 1 << 22},
                           {"tilthex", JN_KERNEL_HYBRID, 0, 1 << 22},
                           {"tilthex", JN_KERNEL_HYBRID, 2, 1 << 22},
                           {"tilthex", JN_KERNEL_INVERSE_PARTIALS, 0, 1 << 20},
                           {"tilthex", JN_KERNEL_FORWARD_PARTIALS, 0, 1 << 20},
                           {"tilthex", JN_KERNEL_ROLLOUT, 0, 1 << 19},
                           {"tilthex", JN_KERNEL_ROLLOUT, 1, 1 << 19},
                           {"tilthex", JN_KERNEL_ROLLOUT, 2, 1 << 19},
                           {"humanoid", JN_KERNEL_INVERSE, 0, 1 << 21},
                           {"humanoid", JN_KERNEL_INVERSE, 2, 1 << 21},
                           {"humanoid", JN_KERNEL_FORWARD, 0, 1 << 21}};

static void list_kernels(void) {
  for (size_t i = sizeof rows / sizeof *rows; i-- > 0;)
    for (int strict = 0; strict < 2; strict++)
      printf("%s %d %d %d\n", rows[i].robot, (int)rows[i].kernel, rows[i].order, strict);
  for (int i = 1; robots[i]; i++)
    if (strcmp(robots[i], "humanoid") != 0)
      printf("%s 0 0 1\n%s 0 2 1\n%s 1 0 1\n", robots[i], robots[i], robots[i]);
  for (int i = 1; robots[i]; i++) printf("%s 5 0 1\n", robots[i]);
  printf("tilthex 0 12 1\ntilthex 1 6 1\ntilthex 5 4 1\n");
  for (int order = 0; order <= 5; order++) printf("tilthex 0 %d 2\n", order);
  for (int order = 0; order <= 2; order++) printf("tilthex 1 %d 2\n", order);
}

static int prepare(char **argv) {
  const double begin = now();
  const int mode = atoi(argv[3]);
  gpu_robot r = robot_new(argv[0], JN_BODY, mode == 1, mode == 2);
  make_ready(&r, (jn_kernel)atoi(argv[1]), atoi(argv[2]));
  printf("%s %s %s %s: %.1f s\n", argv[0], argv[1], argv[2], argv[3], now() - begin);
  robot_free(&r);
  return 0;
}

int main(int argc, char **argv) {
  jn_error error = {0};
  const char *what = argc > 1 ? argv[1] : "check";
  if (strcmp(what, "list") == 0) {
    list_kernels();
    return 0;
  }
  if (jn_gpu_count(&error) == 0) {
    printf("skipped: %s\n", error.message);
    return 77;
  }
  if (strcmp(what, "prepare") == 0 && argc == 6) return prepare(argv + 2);
  gpu_robot any = robot_new("pendulum", JN_BODY, 0, 0);
  jn_gpu_info info;
  jn_gpu_describe(any.gpu, &info);
  robot_free(&any);
  printf("%s, compute capability %d.%d, %d multiprocessors, %.0f GB\n", info.name, info.major,
         info.minor, info.multiprocessors, 1e-9 * (double)info.memory);
  if (strcmp(what, "devices") == 0) return 0;
  if (strcmp(what, "streams") == 0) return gpu_check_streams(jn_gpu_count(NULL));
  if (strcmp(what, "scale") == 0) {
    for (size_t n = 1 << 8; n <= 1 << 24; n *= 4) {
      printf("%9zu  ", n);
      bench("tilthex", JN_KERNEL_INVERSE, 0, 0, n, 4.8e12);
      printf("%9zu  ", n);
      bench("tilthex", JN_KERNEL_FORWARD, 0, 0, n, 4.8e12);
    }
    return 0;
  }
  if (strcmp(what, "bench") == 0) {
    const int only = argc > 2 ? atoi(argv[2]) : -1;
    for (int strict = 0; strict < 2; strict++)
      for (size_t i = 0; i < sizeof rows / sizeof *rows && (only < 0 || only == strict); i++)
        bench(rows[i].robot, rows[i].kernel, rows[i].order, strict, rows[i].states, 4.8e12);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && (only < 0 || only == 2); i++)
      if (rows[i].kernel == JN_KERNEL_INVERSE || rows[i].kernel == JN_KERNEL_FORWARD)
        bench(rows[i].robot, rows[i].kernel, rows[i].order, 2, rows[i].states / 4, 4.8e12);
    return 0;
  }
  const size_t n = argc > 2 ? (size_t)atof(argv[2]) : 1000000;
  int failed = 0;
  if (argc > 3 && strchr(argv[3], '.')) return check_file(argv[3], n);
  for (int i = 0; robots[i]; i++)
    if (argc < 4 || strcmp(argv[3], robots[i]) == 0) {
      failed |= check_robot(robots[i], n);
      if (i == 0) failed |= check_kernels(robots[i], n);
    }
  return failed;
}
