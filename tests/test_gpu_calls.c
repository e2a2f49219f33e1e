/* test_gpu_calls.c: whole calls of libjounce_gpu on a driver that only pretends (gpu/fake_driver.c): which
 * kernels are compiled and which are not, and the arrays of roll-outs. */
#include <dlfcn.h>
#include <jounce/generate.h>
#include <jounce/gpu.h>
#include <jounce/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/fake_driver.h"
#include "gpu/fake_load.h"
#include "gpu/machine.h"
#include "helpers/check.h"
#include "helpers/files.h"
#include "helpers/program.h"
#include "integrate/rollout.h"

static fake_driver *fake;

static int start(void **state) { return fake_driver_load(state, &fake); }
static int reset(void **state) {
  (void)state;
  memset(fake, 0, sizeof *fake);
  fake->devices = 1;
  return 0;
}

static jn_gpu *open_pendulum(const jn_gpu_options *o, jn_model **model) {
  jn_gpu *gpu = NULL;
  jn_error error;
  assert_ok(jn_model_load("pendulum", NULL, NULL, model, &error));
  assert_ok(jn_gpu_new(*model, o, NULL, &gpu, &error));
  return gpu;
}

/* the folder of the user; a file of it that the device refuses is compiled again */
static void kernels_come_from_the_cache_of_the_user(void **state) {
  (void)state;
  char *old = getenv("XDG_CACHE_HOME") ? strdup(getenv("XDG_CACHE_HOME")) : NULL;
  const jn_gpu_options o = {.nvrtc = TEST_FAKE_DRIVER};
  jn_model *model;
  jn_error error;
  long compiled[4];
  setenv("XDG_CACHE_HOME", temporary("user"), 1);
  for (int i = 0; i < 4; i++) {
    jn_gpu *gpu = open_pendulum(&o, &model);
    const long before = fake->calls;
    fake->text_size = 0;
    fake->fails_at = i == 2 ? before + 1 : 0; /* the first call loads the file */
    assert_ok(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 0, &error));
    compiled[i] = fake->text_size > 0;
    assert_int_equal(fake->modules, 1);
    jn_gpu_free(gpu);
    jn_model_free(model);
    assert_int_equal(fake->modules, 0);
  }
  assert_true(compiled[0] && !compiled[1] && compiled[2] && !compiled[3]);
  if (old)
    setenv("XDG_CACHE_HOME", old, 1);
  else
    unsetenv("XDG_CACHE_HOME");
  free(old);
}

/* what has no kernel for any robot is compiled; without a compiler an order that is none is refused */
static void kernels_for_any_robot_are_of_dynamics(void **state) {
  (void)state;
  jn_gpu_options o = {.nvrtc = TEST_FAKE_DRIVER, .cache = "", .generic = 1};
  jn_model *model;
  jn_error error;
  jn_gpu *gpu = open_pendulum(&o, &model);
  assert_ok(jn_gpu_prepare(gpu, JN_KERNEL_FORWARD_PARTIALS, 0, &error));
  assert_true(fake->text_size > 10000);
  jn_gpu_free(gpu);
  jn_model_free(model);
  o.nvrtc = "/nowhere/libnvrtc.so", o.generic = 0;
  gpu = open_pendulum(&o, &model);
  assert_status(jn_gpu_prepare(gpu, JN_KERNEL_FORWARD, 0, &error),
                jn_generic_ptx(1, 0) ? JN_OK : JN_ERR_FILE);
  assert_status(jn_gpu_prepare(gpu, JN_KERNEL_FORWARD, -1, &error), JN_ERR_ARGUMENT);
  assert_status(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, JN_MAX_KERNEL_ORDER + 1, &error),
                JN_ERR_ARGUMENT);
  jn_gpu_free(gpu);
  jn_model_free(model);
  assert_int_equal(fake->modules, 0);
}

/* roll-outs that only pass on what they were given, and the reduction of their costs: all samples from
 * `failing_from` on have none. The first kernel of a call is the roll-out. */
static size_t failing_from;
static int launched;
static void rollout_kernel(void **arguments) {
  typedef struct record {
    double sum, least;
    unsigned long long at, failed;
  } record;
  if (launched++) {
    const size_t n = *(size_t *)arguments[0], m = *(size_t *)arguments[1];
    const double *cost = *(double **)arguments[2];
    const int *without = *(int **)arguments[3];
    const record *in = *(record **)arguments[4];
    record *out = *(record **)arguments[5];
    for (size_t j = 0; j < m; j++) {
      record r = {0, HUGE_VAL, 0, 0};
      for (size_t i = j; i < n; i += m) {
        const record x = in           ? in[i]
                         : without[i] ? (record){0, HUGE_VAL, 0, 1}
                                      : (record){cost[i], cost[i], i, 0};
        r.sum += x.sum, r.failed += x.failed;
        if (x.least < r.least) r.least = x.least, r.at = x.at;
      }
      out[j] = r;
    }
    return;
  }
  const rollout_arrays *a = arguments[0];
  const size_t count = (size_t)a->n;
  for (size_t s = 0; s < count; s++) {
    for (int k = 0; k < a->steps / a->every; k++) {
      if (a->q_path) a->q_path[(size_t)k * count + s] = 10 * k + (double)s;
      if (a->v_path) a->v_path[(size_t)k * count + s] = a->gain[2 * k];
    }
    if (a->v) a->v[s] = a->q_aim[a->varying_aim ? a->steps : 0];
    if (a->cost) a->cost[s] = 1000 - (double)s;
    a->without[s] = s >= failing_from;
  }
}

static jn_status roll(jn_gpu *gpu, const jn_rollout *r, jn_rollout_summary *summary) {
  jn_error error;
  launched = 0;
  return jn_gpu_rollout(gpu, r, summary, NULL, &error);
}

static void rollouts_have_paths_of_their_own_length(void **state) {
  (void)state;
  enum { N = 300, STEPS = 4 };
  static double q0[N], v0[N], q[2 * N], v[STEPS * N];
  static int without[N];
  double aim[STEPS + 1] = {1, 2, 3, 4, 5}, gain[2 * STEPS], w[3] = {1, 1, 1};
  const jn_gpu_options o = {.representation = JN_BODY, .nvrtc = TEST_FAKE_DRIVER, .cache = ""};
  jn_model *model;
  fake->kernel = rollout_kernel, failing_from = N;
  jn_gpu *gpu = open_pendulum(&o, &model);
  for (int i = 0; i < 2 * STEPS; i++) gain[i] = 7 + i;
  const jn_rollout all = {.n = N,
                          .steps = STEPS,
                          .step = 0.1,
                          .q0 = q0,
                          .v0 = v0,
                          .q_aim = aim,
                          .v_aim = aim,
                          .gain = gain,
                          .weight = w,
                          .varying_aim = 1,
                          .varying_gain = 1};
  jn_rollout r = all;
  r.v = v; /* one result is enough */
  assert_ok(roll(gpu, &r, NULL));
  for (int s = 0; s < N; s++) assert_true(v[s] == 5);
  r = all, r.q_path = q, r.every = 2;
  assert_ok(roll(gpu, &r, NULL));
  for (int s = 0; s < N; s++) assert_true(q[s] == s && q[N + s] == 10 + s);
  r = all, r.v_path = v;
  assert_ok(roll(gpu, &r, NULL));
  for (int i = 0; i < STEPS * N; i++) assert_true(v[i] == 7 + 2 * (i / N));
  /* nothing is kept: the paths stay as they are */
  r.every = STEPS + 1, r.q_path = q;
  q[0] = v[0] = -1;
  assert_ok(roll(gpu, &r, NULL));
  assert_true(q[0] == -1 && v[0] == -1);
  /* two rounds of the reduction; all samples fail but one, or all */
  jn_rollout_summary got;
  for (failing_from = 0; failing_from < 2; failing_from++) {
    r = all, r.without = without;
    assert_ok(roll(gpu, &r, &got));
    assert_int_equal(got.failed, N - failing_from);
    assert_int_equal(got.best, failing_from ? 0 : N);
    assert_true(got.best_cost == (failing_from ? 1000 : HUGE_VAL));
    assert_true(got.mean_cost == (failing_from ? 1000 : 0));
  }
  fake->calls = 0;
  assert_ok(roll(gpu, &r, &got));
  const long count = fake->calls;
  for (long k = 1; k <= count; k++) {
    got = (jn_rollout_summary){9, 9, 9, 9};
    fake->calls = 0, fake->fails_at = k;
    assert_true(roll(gpu, &r, &got) != JN_OK);
    assert_true(got.best == 9 && got.failed == 9 && fake->blocks == 0);
  }
  jn_gpu_free(gpu);
  jn_model_free(model);
  assert_int_equal(fake->modules, 0);
}

/* The program that writes the kernels when the library is built: the text is the one of every robot. */
static void the_build_writes_the_kernels_of_any_robot(void **state) {
  (void)state;
#ifndef TEST_GENERIC_TEXT
  skip();
#else
  static const char *const kernels[] = {"id0", "id5", "fd2"};
  const jn_generate_options o = {.generic = 1};
  jn_model *model = NULL;
  assert_ok(jn_model_load("arm6", NULL, NULL, &model, NULL));
  for (size_t i = 0; i < COUNT(kernels); i++) {
    jn_kernel_text want = {0};
    assert_ok(jn_generate_kernel(model,
                                 kernels[i][0] == 'f' ? JN_KERNEL_FORWARD : JN_KERNEL_INVERSE,
                                 kernels[i][2] - '0', &o, NULL, &want, NULL));
    assert_clean(run("'%s' %s kernel.cu", TEST_GENERIC_TEXT, kernels[i]));
    char *text = slurp(temporary("kernel.cu"), NULL);
    assert_string_equal(text, want.source);
    free(text);
    jn_kernel_text_free(&want);
  }
  jn_model_free(model);
  assert_int_equal(run("'%s' id0", TEST_GENERIC_TEXT), 2);
  assert_int_equal(run("'%s' id10 x.cu", TEST_GENERIC_TEXT), 2);
  assert_int_equal(run("'%s' fd9 x.cu", TEST_GENERIC_TEXT), 1); /* no such order */
  assert_true(strncmp(errors, "generic_text: ", 14) == 0 && !strstr(errors, "cannot write"));
  assert_int_equal(run("test -e x.cu"), 1);
  assert_int_equal(run("'%s' id0 none/x.cu", TEST_GENERIC_TEXT), 1);
  assert_string_equal(errors, "generic_text: cannot write\n");
  assert_int_equal(run("'%s' id0 /dev/full", TEST_GENERIC_TEXT), 1);
  assert_string_equal(errors, "generic_text: cannot write\n");
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(kernels_come_from_the_cache_of_the_user, reset),
      cmocka_unit_test_setup(kernels_for_any_robot_are_of_dynamics, reset),
      cmocka_unit_test_setup(rollouts_have_paths_of_their_own_length, reset),
      cmocka_unit_test(the_build_writes_the_kernels_of_any_robot),
  };
  return cmocka_run_group_tests(tests, start, program_tear_down);
}
