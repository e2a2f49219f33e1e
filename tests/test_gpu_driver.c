/* test_gpu_driver.c: libjounce_gpu on a driver that only pretends (gpu/fake_driver.c): what a device
 * is asked for, and with which numbers; every call of driver and compiler fails once, and is reported
 * without a leak. */
#include <dlfcn.h>
#include <jounce/gpu.h>
#include <jounce/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/fake_driver.h"
#include "gpu/fake_load.h"
#include "gpu/machine.h"
#include "helpers/check.h"
#include "helpers/counter.h"
#include "helpers/files.h"

static fake_driver *fake;

static jn_model *load_builtin(const char *name) {
  jn_model *model = NULL;
  jn_error error;
  assert_ok(jn_model_load(name, NULL, NULL, &model, &error));
  return model;
}

static int start(void **state) { return fake_driver_load(state, &fake); }
static int reset(void **state) {
  (void)state;
  memset(fake, 0, sizeof *fake);
  fake->devices = 2;
  return 0;
}
static void assert_nothing_is_kept(void) {
  assert_int_equal(fake->contexts, 0);
  assert_int_equal(fake->current, 0);
  assert_int_equal(fake->modules, 0);
  assert_int_equal(fake->blocks, 0);
  assert_int_equal(fake->programs, 0);
}

/* tau = q + 10 v + 100 v' of a pendulum; no result where q < 0 */
static void kernel(void **arguments) {
  const size_t n = *(size_t *)arguments[0];
  const double *q = *(double **)arguments[1], *v = *(double **)arguments[2];
  double *tau = *(double **)arguments[3];
  int *without = *(int **)arguments[4];
  for (size_t s = 0; s < n; s++) {
    tau[s] = q[s] + 10 * v[s] + 100 * v[n + s];
    without[s] = q[s] < 0;
  }
}

static const jn_gpu_options plain = {.device = 1, .cache = "", .nvrtc = TEST_FAKE_DRIVER};

static void devices_are_counted_and_described(void **state) {
  (void)state;
  jn_model *model = load_builtin("pendulum");
  jn_gpu *gpu;
  jn_gpu_info info;
  jn_error error;
  assert_int_equal(jn_gpu_count(&error), 2);
  assert_ok(jn_gpu_new(model, &plain, NULL, &gpu, &error));
  assert_ok(jn_gpu_describe(gpu, &info));
  assert_string_equal(info.name, "fake 41");
  assert_int_equal(info.major, 9);
  assert_int_equal(info.minor, 1);
  assert_int_equal(info.multiprocessors, 132);
  assert_true(info.memory == (size_t)41 << 20);
  jn_gpu_free(gpu);
  jn_gpu_options o = plain;
  o.device = 2;
  assert_status(jn_gpu_new(model, &o, NULL, &gpu, &error), JN_ERR_FILE);
  assert_non_null(
      strstr(error.message, "there is no device 2: the driver finds 2, counted from 0"));
  assert_null(gpu);
  fake->devices = 0;
  assert_status(jn_gpu_new(model, &o, NULL, &gpu, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "the driver finds none"));
  assert_int_equal(jn_gpu_count(&error), 0);
  assert_non_null(strstr(error.message, "the driver finds no device"));
  assert_nothing_is_kept();
  jn_model_free(model);
}

static void numbers_arrive_and_come_back(void **state) {
  (void)state;
  enum { N = 1000 };
  static double q[N], v[2 * N], tau[N], back[N];
  static int without[N];
  jn_model *model = load_builtin("pendulum");
  jn_gpu *gpu;
  jn_error error;
  void *block;
  for (int s = 0; s < N; s++) q[s] = 0.001 * s, v[s] = s, v[N + s] = -2 * s;
  fake->kernel = kernel;
  assert_ok(jn_gpu_new(model, &plain, NULL, &gpu, &error));
  assert_ok(jn_gpu_inverse_dynamics(gpu, 0, N, q, v, tau, NULL, NULL, &error));
  for (int s = 0; s < N; s++) assert_true(tau[s] == q[s] + 10 * v[s] + 100 * v[N + s]);
  assert_true(fake->threads >= N && fake->threads < N + 1024);
  assert_int_equal(fake->pending, 0);
  assert_int_equal(fake->blocks, 0); /* a call keeps none */
  assert_non_null(strstr(fake->options, "--gpu-architecture=sm_91 "));
  assert_null(strstr(fake->options, "-fmad=false"));
  assert_true(fake->text_size > 10000);
  /* a state without result: the call fails and writes nothing, or says which */
  q[7] = q[9] = -1;
  memset(tau, 0, sizeof tau);
  assert_status(jn_gpu_inverse_dynamics(gpu, 0, N, q, v, tau, NULL, NULL, &error),
                JN_ERR_NOT_FINITE);
  assert_non_null(strstr(error.message, "2 of 1000 states have no result, the first is 7"));
  for (int s = 0; s < N; s++) assert_true(tau[s] == 0);
  assert_ok(jn_gpu_inverse_dynamics(gpu, 0, N, q, v, tau, without, NULL, &error));
  for (int s = 0; s < N; s++) assert_int_equal(without[s], s == 7 || s == 9);
  assert_true(tau[999] == q[999] + 10 * v[999] + 100 * v[1999]);
  /* memory of the device, and a stream */
  int stream;
  assert_ok(jn_gpu_allocate(gpu, sizeof q, &block, &error));
  assert_int_equal(fake->blocks, 1);
  assert_ok(jn_gpu_upload(gpu, block, q, sizeof q, &stream, &error));
  assert_ptr_equal(fake->stream, &stream);
  assert_int_equal(fake->pending, 0);
  assert_ok(jn_gpu_download(gpu, back, block, sizeof q, &stream, &error));
  assert_memory_equal(back, q, sizeof q);
  assert_ok(jn_gpu_wait(gpu, &stream, &error));
  jn_gpu_release(gpu, block);
  /* arrays on the device are used where they are: no copies, and the work is on the stream */
  const jn_gpu_call there = {.on_device = 1, .stream = &stream};
  fake->pending = 0;
  assert_ok(jn_gpu_inverse_dynamics(gpu, 0, N, q, v, back, without, &there, &error));
  assert_memory_equal(back, tau, sizeof tau);
  assert_int_equal(fake->pending, 0);
  assert_ptr_equal(fake->stream, &stream);
  assert_int_equal(fake->blocks, 0);
  jn_gpu_free(gpu);
  assert_nothing_is_kept();
  jn_model_free(model);
}

static void strict_kernels_are_compiled_without_fused_operations(void **state) {
  (void)state;
  jn_model *model = load_builtin("pendulum");
  jn_gpu_options o = plain;
  jn_gpu *gpu;
  jn_error error;
  o.strict = 1;
  assert_ok(jn_gpu_new(model, &o, NULL, &gpu, &error));
  assert_ok(jn_gpu_prepare(gpu, JN_KERNEL_FORWARD, 1, &error));
  assert_non_null(strstr(fake->options, "-fmad=false"));
  jn_gpu_free(gpu);
  assert_nothing_is_kept();
  jn_model_free(model);
}

/* NVRTC at a path that does not exist: dynamics by the kernels for any robot, where this library was
 * built with them, and a note that says so. What has no such kernel fails, with the path. */
static void a_compiler_that_is_missing_is_named(void **state) {
  (void)state;
  static const char wrong[] = "/nowhere/libnvrtc.so";
  jn_model *model = load_builtin("double_pendulum");
  const int any = jn_generic_ptx(0, 0) != NULL;
  jn_gpu_options o = plain;
  jn_gpu *gpu;
  jn_gpu_info info;
  jn_error error;
  o.nvrtc = wrong;
  for (o.generic = 0; o.generic < 2; o.generic++) {
    assert_ok(jn_gpu_new(model, &o, NULL, &gpu, &error));
    assert_ok(jn_gpu_describe(gpu, &info));
    assert_string_equal(info.note, ""); /* nothing was compiled yet */
    assert_status(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 0, &error), any ? JN_OK : JN_ERR_FILE);
    assert_int_equal(fake->modules, any);
    assert_ok(jn_gpu_describe(gpu, &info));
    assert_int_equal(any && !o.generic, strstr(info.note, wrong) != NULL);
    assert_int_equal(any && !o.generic, strstr(info.note, "kernels for any robot") != NULL);
    if (!o.generic) {
      assert_status(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE_PARTIALS, 0, &error), JN_ERR_FILE);
      assert_non_null(strstr(error.message, "NVRTC (/nowhere/libnvrtc.so"));
      assert_non_null(strstr(error.message, "is not found"));
      assert_status(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 50, &error), JN_ERR_FILE);
      assert_non_null(strstr(error.message, wrong));
    }
    jn_gpu_free(gpu);
  }
  assert_nothing_is_kept();
  jn_model_free(model);
}

/* another library in the place of NVRTC */
static void a_compiler_of_another_kind_is_refused(void **state) {
  (void)state;
  jn_model *model = load_builtin("pendulum");
  jn_gpu_options o = plain;
  jn_gpu *gpu;
  jn_error error;
  o.nvrtc = "libm.so.6";
  assert_ok(jn_gpu_new(model, &o, NULL, &gpu, &error));
  assert_status(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 0, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "the NVRTC found has no nvrtcGetErrorString"));
  jn_gpu_free(gpu);
  assert_nothing_is_kept();
  jn_model_free(model);
}

/* Opens a device, computes and closes it: the status of the first call that fails. */
static jn_status everything(const jn_model *model, const jn_gpu_options *o, jn_error *error) {
  double q[3] = {0, 1, 2}, v[6] = {1, 2, 3, 4, 5, 6}, tau[3] = {7, 7, 7};
  void *block = NULL;
  jn_gpu *gpu = NULL;
  jn_status status = jn_gpu_new(model, o, NULL, &gpu, error);
  if (!status) status = jn_gpu_inverse_dynamics(gpu, 0, 3, q, v, tau, NULL, NULL, error);
  if (status && gpu) assert_true(tau[0] == 7 || fake->fails_at > 20);
  if (!status) status = jn_gpu_allocate(gpu, 24, &block, error);
  if (!status) status = jn_gpu_upload(gpu, block, q, 24, NULL, error);
  if (!status) status = jn_gpu_download(gpu, q, block, 24, NULL, error);
  if (!status) status = jn_gpu_wait(gpu, NULL, error);
  jn_gpu_release(gpu, block);
  jn_gpu_free(gpu);
  return status;
}

static void every_call_may_fail(const jn_gpu_options *o, int of_compiler) {
  static const char *const what[] = {"does not start",    "cannot be opened", "cannot be loaded",
                                     "cannot be started", "copy to the host", "not enough memory"};
  enum { WHAT = sizeof what / sizeof *what };
  jn_model *model = load_builtin("pendulum");
  jn_error error;
  reset(NULL);
  fake->kernel = kernel;
  assert_ok(everything(model, o, &error));
  assert_nothing_is_kept();
  const long all = fake->calls;
  assert_true(all > 20 + of_compiler);
  int memory = 0, compiler = 0, said[WHAT] = {0};
  for (long k = 1; k <= all; k++) {
    reset(NULL);
    fake->kernel = kernel;
    fake->fails_at = k;
    memset(&error, 0, sizeof error);
    const jn_status status = everything(model, o, &error);
    assert_true(status == JN_ERR_STATE || status == JN_ERR_FILE || status == JN_ERR_MEMORY);
    assert_true(strstr(error.message, "gpu: ") == error.message);
    assert_nothing_is_kept();
    for (int i = 0; i < WHAT; i++) said[i] += strstr(error.message, what[i]) != NULL;
    if (status == JN_ERR_MEMORY) {
      assert_non_null(strstr(error.message, "compute fewer states in a call"));
      memory++;
    } else if (strstr(error.message, "NVRTC")) {
      if (strstr(error.message, "does not compile"))
        assert_non_null(strstr(error.message, "error: no such name"));
      compiler++;
    } else {
      assert_non_null(strstr(error.message, "it is broken (CUDA error 999)"));
    }
  }
  assert_int_equal(memory, 2); /* of the call, of the user */
  assert_int_equal(compiler, of_compiler);
  for (int i = 0; i < WHAT; i++) assert_true(said[i] > 0);
  jn_model_free(model);
}
static void every_call_of_the_driver_may_fail(void **state) {
  (void)state;
  jn_gpu_options any_robot = plain;
  any_robot.generic = 1;
  every_call_may_fail(&plain, 4); /* program, compilation, size, binary */
  if (jn_generic_ptx(0, 0)) every_call_may_fail(&any_robot, 0);
}

/* Opens a device and makes one call of every kind, while the host's memory may fail. */
static jn_status every_kind(const jn_model *model, const jn_allocator *hooks, jn_error *error) {
  static const unsigned char prescribed[1] = {1};
  double q[3] = {0, 1, 2}, v[6] = {1, 2, 3, 4, 5, 6}, tau[3], a[3], d[3], w[3] = {1, 1, 1};
  jn_gpu_options o = plain;
  jn_gpu *gpu = NULL;
  o.representation = JN_BODY;
  jn_rollout job = {
      .n = 3, .steps = 2, .step = 0.1, .q0 = q, .v0 = v, .q_aim = q, .v_aim = v, .weight = w};
  jn_rollout_summary summary;
  jn_status status = jn_gpu_new(model, &o, hooks, &gpu, error);
  if (!status) status = jn_gpu_inverse_dynamics(gpu, 0, 3, q, v, tau, (int[3]){0}, NULL, error);
  if (!status) status = jn_gpu_forward_dynamics(gpu, 0, 3, q, v, tau, a, (int[3]){0}, NULL, error);
  if (!status)
    status = jn_gpu_hybrid_dynamics(gpu, 0, 3, q, prescribed, v, tau, (int[3]){0}, NULL, error);
  if (!status)
    status = jn_gpu_inverse_partials(gpu, 3, q, v, d, NULL, NULL, (int[3]){0}, NULL, error);
  if (!status)
    status = jn_gpu_forward_partials(gpu, 3, q, v, tau, NULL, d, NULL, (int[3]){0}, NULL, error);
  if (!status) status = jn_gpu_rollout(gpu, &job, &summary, NULL, error);
  jn_gpu_free(gpu);
  return status;
}

static void every_request_for_host_memory_may_fail(void **state) {
  (void)state;
  jn_model *model = load_builtin("pendulum");
  jn_error error;
  counter c;
  const jn_allocator hooks = counting(&c);
  assert_ok(every_kind(model, &hooks, &error));
  assert_int_equal(c.live, 0);
  const long all = c.calls;
  assert_true(all > 10);
  for (long k = 1; k <= 2 * all; k++) {
    reset(NULL);
    counting(&c);
    c.fail_at = (k + 1) / 2, c.fail_once = k % 2 != 0;
    memset(&error, 0, sizeof error);
    assert_status(every_kind(model, &hooks, &error), JN_ERR_MEMORY);
    assert_non_null(strstr(error.message, "out of memory"));
    assert_int_equal(c.live, 0);
    assert_nothing_is_kept();
  }
  /* the driver's calls, those of partial derivatives and roll-outs as well */
  reset(NULL);
  assert_ok(every_kind(model, NULL, &error));
  const long calls = fake->calls;
  for (long k = 1; k <= calls; k++) {
    reset(NULL);
    fake->fails_at = k;
    memset(&error, 0, sizeof error);
    const jn_status status = every_kind(model, NULL, &error);
    assert_true(status == JN_ERR_STATE || status == JN_ERR_FILE || status == JN_ERR_MEMORY);
    assert_true(strstr(error.message, "gpu: ") == error.message);
    assert_nothing_is_kept();
  }
  jn_model_free(model);
}

static void missing_arguments_are_refused(void **state) {
  (void)state;
  static const unsigned char prescribed[1] = {0};
  jn_model *model = load_builtin("pendulum");
  jn_gpu *gpu = NULL;
  jn_error error;
  jn_gpu_info info;
  void *block = &info;
  double q[1] = {0}, v[2] = {0}, x[1] = {0};
  jn_gpu_options o = plain;
  char longest[JN_MAX_PATH + 2];
#define REFUSED(call, text)                                                             \
  do {                                                                                  \
    memset(&error, 0, sizeof error);                                                    \
    assert_status((call), JN_ERR_ARGUMENT);                                             \
    if (!strstr(error.message, text)) fail_msg("%s expected: %s", text, error.message); \
  } while (0)
  memset(longest, 'x', sizeof longest), longest[sizeof longest - 1] = '\0';
  REFUSED(jn_gpu_new(model, &o, NULL, NULL, &error), "no place for the result");
  REFUSED(jn_gpu_new(NULL, &o, NULL, &gpu, &error), "no model or no options");
  REFUSED(jn_gpu_new(model, NULL, NULL, &gpu, &error), "no model or no options");
  o.nvrtc = longest;
  REFUSED(jn_gpu_new(model, &o, NULL, &gpu, &error), "the path of NVRTC is too long");
  assert_null(gpu);
  o.nvrtc = plain.nvrtc, o.representation = JN_BODY;
  assert_ok(jn_gpu_new(model, &o, NULL, &gpu, &error));
  assert_status(jn_gpu_describe(NULL, &info), JN_ERR_ARGUMENT);
  assert_status(jn_gpu_describe(gpu, NULL), JN_ERR_ARGUMENT);
  REFUSED(jn_gpu_prepare(NULL, JN_KERNEL_INVERSE, 0, &error), "no device");
  REFUSED(jn_gpu_prepare(gpu, (jn_kernel)-1, 0, &error), "no such kernel");
  REFUSED(jn_gpu_allocate(NULL, 8, &block, &error), "nothing to allocate");
  REFUSED(jn_gpu_allocate(gpu, 0, &block, &error), "nothing to allocate");
  REFUSED(jn_gpu_allocate(gpu, 8, NULL, &error), "nothing to allocate");
  REFUSED(jn_gpu_upload(NULL, x, x, 8, NULL, &error), "nothing to copy");
  REFUSED(jn_gpu_upload(gpu, NULL, x, 8, NULL, &error), "nothing to copy");
  REFUSED(jn_gpu_download(gpu, x, NULL, 8, NULL, &error), "nothing to copy");
  assert_ok(jn_gpu_upload(gpu, NULL, NULL, 0, NULL, &error));
  REFUSED(jn_gpu_wait(NULL, NULL, &error), "no device");
  jn_gpu_release(gpu, NULL);
  /* each array of each call in turn; without states none is needed */
  for (int i = 0; i < 5; i++) {
    jn_gpu *g = i == 0 ? NULL : gpu;
    double *Q = i == 1 ? NULL : q, *V = i == 2 ? NULL : v, *T = i == 3 ? NULL : x,
           *A = i == 4 ? NULL : x;
    if (i < 4) REFUSED(jn_gpu_inverse_dynamics(g, 0, 1, Q, V, T, NULL, NULL, &error), "missing");
    REFUSED(jn_gpu_forward_dynamics(g, 0, 1, Q, V, T, A, NULL, NULL, &error), "missing");
    if (i < 4)
      REFUSED(jn_gpu_hybrid_dynamics(g, 0, 1, Q, prescribed, V, T, NULL, NULL, &error), "missing");
    if (i < 3) REFUSED(jn_gpu_inverse_partials(g, 1, Q, V, x, x, x, NULL, NULL, &error), "missing");
    if (i < 4)
      REFUSED(jn_gpu_forward_partials(g, 1, Q, V, T, x, x, x, NULL, NULL, &error), "missing");
  }
  REFUSED(jn_gpu_forward_partials(gpu, 1, q, v, x, NULL, NULL, NULL, NULL, NULL, &error),
          "no derivative is asked for");
  assert_ok(jn_gpu_inverse_dynamics(gpu, 0, 0, NULL, NULL, NULL, NULL, NULL, &error));
  assert_ok(jn_gpu_forward_dynamics(gpu, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, &error));
  assert_ok(jn_gpu_hybrid_dynamics(gpu, 0, 0, NULL, prescribed, NULL, NULL, NULL, NULL, &error));
  assert_ok(jn_gpu_inverse_partials(gpu, 0, NULL, NULL, x, x, x, NULL, NULL, &error));
  assert_ok(jn_gpu_forward_partials(gpu, 0, NULL, NULL, NULL, x, x, x, NULL, NULL, &error));
  /* more states than the device can be asked for: the arrays, their sum, the blocks of the grid */
  int *without = &(int){0};
  const jn_gpu_call there = {.on_device = 1};
  assert_status(jn_gpu_inverse_dynamics(gpu, 0, SIZE_MAX / 8, q, v, x, NULL, NULL, &error),
                JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "too many states in a call"));
  assert_status(jn_gpu_inverse_dynamics(gpu, 0, (size_t)1 << 57, q, v, x, NULL, NULL, &error),
                JN_ERR_LIMIT);
  assert_status(jn_gpu_inverse_dynamics(gpu, 0, (size_t)1 << 40, q, v, x, without, &there, &error),
                JN_ERR_LIMIT);
  assert_non_null(strstr(error.message, "too many states in a call"));
  jn_gpu_free(gpu);
  assert_nothing_is_kept();
  jn_model_free(model);
}

static void rollouts_that_make_no_sense_are_refused(void **state) {
  (void)state;
  jn_model *model = load_builtin("pendulum");
  jn_gpu *gpu = NULL;
  jn_error error;
  double q[1] = {0}, v[1] = {0}, w[3] = {1, 1, 1};
  jn_gpu_options o = plain;
  jn_rollout_summary summary = {7, 7, 7, 7};
  o.representation = JN_BODY;
  assert_ok(jn_gpu_new(model, &o, NULL, &gpu, &error));
  const jn_rollout good = {.n = 1, .steps = 2, .step = 0.1, .q0 = q, .v0 = v, .q = q};
  jn_rollout r = good;
  REFUSED(jn_gpu_rollout(NULL, &r, NULL, NULL, &error), "no device, or nothing to do");
  REFUSED(jn_gpu_rollout(gpu, NULL, NULL, NULL, &error), "no device, or nothing to do");
#define WITH(change, text)                                      \
  do {                                                          \
    r = good;                                                   \
    change;                                                     \
    REFUSED(jn_gpu_rollout(gpu, &r, NULL, NULL, &error), text); \
  } while (0)
  WITH(r.q0 = NULL, "q0 and v0 are needed");
  WITH(r.v0 = NULL, "q0 and v0 are needed");
  WITH(r.step = 0, "steps and step must be positive");
  WITH(r.step = HUGE_VAL, "steps and step must be positive");
  WITH(r.every = -1, "`every` must not be negative");
  WITH(r.q_aim = q, "q_aim and v_aim must be given together");
  WITH(r.gain = w, "need an aim");
  WITH(r.end_weight = w, "need an aim");
  WITH(r.q = NULL, "no result is asked for");
#undef WITH
  r = good;
  REFUSED(jn_gpu_rollout(gpu, &r, &summary, NULL, &error), "costs need weights");
  assert_true(summary.best == 7);
  /* no samples: nothing failed, there is no best */
  r.n = 0, r.q_aim = q, r.v_aim = v, r.end_weight = w;
  assert_ok(jn_gpu_rollout(gpu, &r, NULL, NULL, &error));
  assert_ok(jn_gpu_rollout(gpu, &r, &summary, NULL, &error));
  assert_true(summary.failed == 0 && summary.best == 0 && summary.best_cost == HUGE_VAL);
  jn_gpu_free(gpu);
  assert_nothing_is_kept();
  jn_model_free(model);
}

/* ---- the cache, by itself */

static const jn_allocator *no_hooks(void) {
  static jn_allocator hooks;
  static counter c;
  hooks = counting(&c);
  return &hooks;
}
/* what the cache has for key and text: 1 the binary "12345", 0 nothing */
static int in_cache(const char *folder, const char *key, const char *text) {
  const jn_allocator *hooks = no_hooks();
  size_t size = 0;
  char *binary = jn_cache_read(folder, key, text, hooks, &size);
  const int found = binary && size == 5 && memcmp(binary, "12345", 5) == 0;
  assert_true(found || !binary);
  if (binary) hooks->release(binary, hooks->context);
  assert_int_equal(((counter *)hooks->context)->live, 0);
  return found;
}
static char cached_path[600];
static void take_path(const char *path) { snprintf(cached_path, sizeof cached_path, "%s", path); }

/* XDG_CACHE_HOME, then HOME, of which only absolute paths count; a path that is too long is none */
static void the_cache_is_in_the_folder_of_the_user(void **state) {
  (void)state;
  const char *const names[2] = {"XDG_CACHE_HOME", "HOME"};
  char *old[2], top[400], folder[600], longest[1200];
  for (int i = 0; i < 2; i++) old[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
  snprintf(top, sizeof top, "%s", temporary("user"));
  memset(longest, 'x', sizeof longest), longest[0] = '/', longest[sizeof longest - 1] = '\0';
  setenv("XDG_CACHE_HOME", top, 1);
  jn_cache_write(NULL, "key", "text", "12345", 5);
  snprintf(folder, sizeof folder, "%s/jounce", top);
  assert_int_equal(in_cache(NULL, "key", "text"), 1);
  assert_int_equal(in_cache(folder, "key", "text"), 1);
  setenv("HOME", top, 1);
  for (int i = 0; i < 2; i++) {
    if (i)
      setenv("XDG_CACHE_HOME", "relative", 1);
    else
      unsetenv("XDG_CACHE_HOME");
    assert_int_equal(in_cache(NULL, "key", "text"), i);
    jn_cache_write(NULL, "key", "text", "12345", 5);
    assert_int_equal(in_cache(NULL, "key", "text"), 1);
  }
  snprintf(folder, sizeof folder, "%s/.cache/jounce", top);
  assert_int_equal(in_cache(folder, "key", "text"), 1);
  for (int i = 0; i < 4; i++) {
    if (i == 0) setenv("HOME", "relative", 1);
    if (i == 1) unsetenv("HOME");
    if (i == 2) setenv("HOME", longest, 1);
    if (i == 3) longest[1010] = '\0', setenv("XDG_CACHE_HOME", longest, 1); /* with the name */
    jn_cache_write(NULL, "key", "text", "12345", 5);
    assert_int_equal(in_cache(NULL, "key", "text"), 0);
  }
  for (int i = 0; i < 2; i++) {
    if (old[i])
      setenv(names[i], old[i], 1);
    else
      unsetenv(names[i]);
    free(old[i]);
  }
}

/* Each number of the head, changed; a file of another kind; no memory for it. */
static void a_cached_file_that_is_not_whole_is_not_taken(void **state) {
  (void)state;
  char folder[400];
  size_t size = 0, n;
  snprintf(folder, sizeof folder, "%s", temporary("kernels"));
  jn_cache_write(folder, "key", "text", "12345", 5);
  assert_int_equal(walk_folder(folder, take_path), 1);
  char *bytes = slurp(cached_path, &n);
  assert_int_equal(n, 40 + 3 + 4 + 5);
  for (size_t k = 0; k <= n; k++) {
    FILE *f = fopen(cached_path, "wb");
    assert_non_null(f);
    if (k < n) bytes[k] ^= 1;
    fwrite(bytes, 1, n, f);
    if (k < n) bytes[k] ^= 1;
    fclose(f);
    assert_int_equal(in_cache(folder, "key", "text"), k == n);
  }
  static const uint64_t sizes[] = {0, (uint64_t)1 << 30, ~(uint64_t)0};
  for (size_t k = 0; k < COUNT(sizes); k++) {
    FILE *f = fopen(cached_path, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, 24, f), fwrite(&sizes[k], 8, 1, f), fwrite(bytes + 32, 1, n - 32, f);
    fclose(f);
    assert_int_equal(in_cache(folder, "key", "text"), 0);
  }
  for (size_t k = 0; k < n; k++) { /* a part of it */
    assert_int_equal(truncate(cached_path, (off_t)(n - 1 - k)), 0);
    assert_int_equal(in_cache(folder, "key", "text"), 0);
  }
  jn_cache_write(folder, "key", "text", "12345", 5);
  assert_int_equal(in_cache(folder, "key", "text"), 1);
  counter c;
  const jn_allocator hooks = counting(&c);
  c.fail_at = 1;
  assert_null(jn_cache_read(folder, "key", "text", &hooks, &size));
  /* of another user */
  if (geteuid() == 0) {
    assert_int_equal(chown(cached_path, 12345, 12345), 0);
    assert_int_equal(in_cache(folder, "key", "text"), 0);
  }
  /* a folder in its place, and nothing is left beside it when the file cannot be renamed */
  assert_int_equal(remove(cached_path), 0);
  assert_int_equal(mkdir(cached_path, 0700), 0);
  assert_int_equal(in_cache(folder, "key", "text"), 0);
  jn_cache_write(folder, "key", "text", "12345", 5);
  assert_int_equal(walk_folder(folder, take_path), 1);
  jn_cache_write("/proc/nowhere", "key", "text", "12345", 5);
  assert_int_equal(in_cache("/proc/nowhere", "key", "text"), 0);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(devices_are_counted_and_described, reset),
      cmocka_unit_test_setup(numbers_arrive_and_come_back, reset),
      cmocka_unit_test_setup(strict_kernels_are_compiled_without_fused_operations, reset),
      cmocka_unit_test_setup(a_compiler_that_is_missing_is_named, reset),
      cmocka_unit_test_setup(a_compiler_of_another_kind_is_refused, reset),
      cmocka_unit_test_setup(every_call_of_the_driver_may_fail, reset),
      cmocka_unit_test_setup(every_request_for_host_memory_may_fail, reset),
      cmocka_unit_test_setup(missing_arguments_are_refused, reset),
      cmocka_unit_test_setup(rollouts_that_make_no_sense_are_refused, reset),
      cmocka_unit_test(the_cache_is_in_the_folder_of_the_user),
      cmocka_unit_test(a_cached_file_that_is_not_whole_is_not_taken),
  };
  return cmocka_run_group_tests(tests, start, remove_folder);
}
