/* test_gpu.c: libjounce_gpu on the host: the text of the kernels runs as a grid on this processor
 * and has the library's strict bits; what it refuses; the cache; without a device it says so.
 * JOUNCE_GPU_DEVICE=0 in the environment: the same on a device (make test-gpu); JOUNCE_TEST_DATA: the
 * folder of model files. */
#include "helpers/check.h"

#include <dirent.h>
#include <jounce/gpu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/check.h"
#include "helpers/files.h"

static const char *cache;

static int start(void **state) {
  const int failed = make_folder(state);
  cache = test_folder();
  return failed;
}
/* the name of number i of the files in the cache; 0: there are not so many */
static int cached(int i, char *path, size_t room) {
  DIR *folder = opendir(cache);
  int found = 0;
  for (struct dirent *e; folder && !found && (e = readdir(folder));) {
    if (e->d_name[0] == '.') continue;
    if (i-- > 0) continue;
    snprintf(path, room, "%s/%s", cache, e->d_name);
    found = 1;
  }
  if (folder) closedir(folder);
  return found;
}
static int device(void) {
  const char *number = getenv("JOUNCE_GPU_DEVICE");
  return number ? atoi(number) : JN_GPU_HOST;
}

static jn_model *load(const char *name) {
  jn_model *m = NULL;
  char path[1000];
  const char *folder = getenv("JOUNCE_TEST_DATA");
  snprintf(path, sizeof path, "%s/%s", folder ? folder : TEST_DATA, name);
  assert_ok(jn_model_load(strchr(name, '.') ? path : name, NULL, NULL, &m, NULL));
  return m;
}

static gpu_robot robot_new(const char *name, jn_representation representation, const char *folder) {
  gpu_robot r = {load(name), NULL, representation, 1};
  jn_error error = {0};
  const jn_gpu_options o = {
      .device = device(), .strict = 1, .representation = representation, .cache = folder};
  const jn_status status = jn_gpu_new(r.model, &o, NULL, &r.gpu, &error);
  if (status) fail_msg("%s", error.message);
  return r;
}
static void robot_end(gpu_robot *r) {
  jn_gpu_free(r->gpu);
  jn_model_free((jn_model *)(size_t)r->model);
}

static void equal_bits(gpu_error e) {
  assert_ok(e.status);
  assert_int_equal(e.different, 0);
  assert_int_equal(e.without, 0);
}

/* 70 states: the second block is not full */
static void dynamics_have_the_strict_bits(void **state) {
  (void)state;
  gpu_robot r = robot_new("odd/all_joint_types.json", JN_SPATIAL, cache);
  equal_bits(gpu_check_inverse(&r, 1, 70, 1));
  equal_bits(gpu_check_forward(&r, 0, 70, 2));
  robot_end(&r);
  /* more numbers than registers: read and written link by link */
  r = robot_new("tilthex", JN_BODY, cache);
  equal_bits(gpu_check_inverse(&r, 5, 70, 8));
  robot_end(&r);
  r = robot_new("chain:19", JN_BODY, cache);
  equal_bits(gpu_check_forward(&r, 1, 20, 23));
  robot_end(&r);
}

/* every joint type, both halves of them prescribed; another representation */
static void hybrid_dynamics_have_the_strict_bits(void **state) {
  (void)state;
  gpu_robot r = robot_new("odd/all_joint_types.json", JN_SPATIAL, cache);
  equal_bits(gpu_check_hybrid(&r, 1, 70, 9, 0));
  equal_bits(gpu_check_hybrid(&r, 0, 70, 10, 1));
  equal_bits(gpu_check_hybrid(&r, 0, 70, 11, 1)); /* the kernel that is loaded */
  robot_end(&r);
  r = robot_new("tilthex", JN_HYBRID, cache);
  equal_bits(gpu_check_hybrid(&r, 0, 70, 12, 0));
  robot_end(&r);
}

/* above the orders that are unrolled: the same text with loops */
static void high_orders_have_the_strict_bits(void **state) {
  (void)state;
  gpu_robot r = robot_new("odd/all_joint_types.json", JN_SPATIAL, cache);
  equal_bits(gpu_check_inverse(&r, 8, 20, 13));
  equal_bits(gpu_check_forward(&r, 4, 20, 14));
  equal_bits(gpu_check_hybrid(&r, 3, 20, 15, 1));
  robot_end(&r);
  r = robot_new("double_pendulum", JN_BODY, cache);
  equal_bits(gpu_check_inverse(&r, JN_MAX_KERNEL_ORDER, 5, 16));
  equal_bits(gpu_check_forward(&r, 30, 5, 17));
  robot_end(&r);
}

/* the kernels that are compiled ahead: the robot is data */
static void kernels_for_any_robot_have_the_strict_bits(void **state) {
  (void)state;
  jn_error error = {0};
  const char *const names[] = {"odd/all_joint_types.json", "tilthex", "humanoid"};
  for (int i = 0; i < 3; i++) {
    const jn_representation representation = i == 1 ? JN_BODY : i == 0 ? JN_SPATIAL : JN_MIXED;
    gpu_robot r = {load(names[i]), NULL, representation, 1};
    const jn_gpu_options o = {.device = device(),
                              .strict = 1,
                              .representation = representation,
                              .cache = cache,
                              .generic = 1};
    assert_ok(jn_gpu_new(r.model, &o, NULL, &r.gpu, &error));
    equal_bits(gpu_check_inverse(&r, i ? 0 : 2, 70, 18));
    equal_bits(gpu_check_forward(&r, 0, 70, 19)); /* of one chain at a time; of all links: */
    equal_bits(gpu_check_forward(&r, 1, 70, 20));
    equal_bits(gpu_check_hybrid(&r, i != 1, 70, 21, i));
    equal_bits(gpu_check_hybrid(&r, 0, 70, 22, i + 1));
    if (i == 0) /* no more orders than those compiled ahead */
      assert_status(jn_gpu_prepare(r.gpu, JN_KERNEL_FORWARD, 3, &error), JN_ERR_LIMIT);
    robot_end(&r);
  }
}

static void partials_are_those_of_the_library(void **state) {
  (void)state;
  gpu_robot r = robot_new("odd/all_joint_types.json", JN_HYBRID, cache);
  gpu_error e = gpu_check_partials(&r, 0, 70, 3);
  assert_ok(e.status);
  assert_int_equal(e.without, 0);
  check_residual("partial derivatives of inverse dynamics", e.worst, 1e-13);
  robot_end(&r);
  r = robot_new("tilthex", JN_BODY, cache);
  e = gpu_check_partials(&r, 1, 70, 4);
  assert_ok(e.status);
  check_residual("partial derivatives of forward dynamics", e.worst, 1e-13);
  robot_end(&r);
}

static void rollouts_are_simulations(void **state) {
  (void)state;
  gpu_robot r = robot_new("tilthex", JN_BODY, cache);
  gpu_error e = gpu_check_rollout(&r, 0, 6, 70, 5);
  equal_bits(e);
  check_residual("reduced costs", e.worst, 1e-15);
  e = gpu_check_rollout(&r, 2, 6, 70, 6);
  equal_bits(e);
  equal_bits(gpu_check_rollout(&r, 1, 6, 70, 21));
  robot_end(&r);
}

/* joints that are eliminated: q, v and tau are those of the joints that lead */
static void mimic_joints_have_the_strict_bits(void **state) {
  (void)state;
  gpu_robot r = robot_new("odd/mimic_tree.json", JN_SPATIAL, cache);
  assert_int_equal(jn_model_nv(r.model), 6 + 2 + 3);
  equal_bits(gpu_check_inverse(&r, 1, 70, 31));
  equal_bits(gpu_check_hybrid(&r, 1, 70, 32, 0));
  robot_end(&r);
  r = robot_new("odd/mimic_tree.json", JN_BODY, cache);
  gpu_error e = gpu_check_partials(&r, 1, 70, 33);
  assert_ok(e.status);
  assert_int_equal(e.without, 0);
  check_residual("partial derivatives of FD with mimic joints", e.worst, 1e-13);
  equal_bits(gpu_check_rollout(&r, 0, 6, 70, 34));
  robot_end(&r);
  r = robot_new("odd/mimic_arm.json", JN_BODY, cache);
  equal_bits(gpu_check_inverse(&r, 7, 10, 35)); /* loops over orders */
  equal_bits(gpu_check_forward(&r, 3, 10, 36));
  equal_bits(gpu_check_hybrid(&r, 3, 10, 37, 1));
  e = gpu_check_partials(&r, 0, 70, 38);
  assert_ok(e.status);
  check_residual("partial derivatives of ID with mimic joints", e.worst, 1e-13);
  robot_end(&r);
}

/* one bad state among good ones: the mask, the whole call without it */
static void states_without_result_are_named(void **state) {
  (void)state;
  gpu_robot r = robot_new("double_pendulum", JN_BODY, cache);
  enum { N = 300 };
  double q[2 * N], v[4 * N], tau[2 * N], same[2 * N];
  int without[N];
  jn_error error = {0};
  for (int i = 0; i < 2 * N; i++) q[i] = 0.01 * i, v[i] = v[2 * N + i] = 0.1, same[i] = tau[i] = 7;
  v[200] = NAN, q[100] = 2e6;
  assert_status(jn_gpu_inverse_dynamics(r.gpu, 0, N, q, v, tau, NULL, NULL, &error),
                JN_ERR_NOT_FINITE);
  assert_non_null(strstr(error.message, "2 of 300 states"));
  assert_non_null(strstr(error.message, "first is 100"));
  assert_true(same_bits(tau, same, 2 * N)); /* nothing is written */
  assert_ok(jn_gpu_inverse_dynamics(r.gpu, 0, N, q, v, tau, without, NULL, &error));
  for (int s = 0; s < N; s++) {
    const int bad = s == 100 || s == 200;
    assert_int_equal(without[s], bad);
    assert_int_equal(isnan(tau[s]) != 0, bad);
    assert_int_equal(isnan(tau[N + s]) != 0, bad);
  }
  /* arrays of the device */
  const jn_gpu_call call = {.on_device = 1};
  void *block[4];
  const size_t bytes[4] = {sizeof q, sizeof v, sizeof tau, sizeof without};
  for (int i = 0; i < 4; i++) assert_ok(jn_gpu_allocate(r.gpu, bytes[i], &block[i], NULL));
  assert_ok(jn_gpu_upload(r.gpu, block[0], q, sizeof q, NULL, NULL));
  assert_ok(jn_gpu_upload(r.gpu, block[1], v, sizeof v, NULL, NULL));
  assert_status(
      jn_gpu_inverse_dynamics(r.gpu, 0, N, block[0], block[1], block[2], NULL, &call, NULL),
      JN_ERR_ARGUMENT);
  assert_ok(
      jn_gpu_inverse_dynamics(r.gpu, 0, N, block[0], block[1], block[2], block[3], &call, NULL));
  assert_ok(jn_gpu_wait(r.gpu, NULL, NULL));
  double again[2 * N];
  int mask[N];
  assert_ok(jn_gpu_download(r.gpu, again, block[2], sizeof again, NULL, NULL));
  assert_ok(jn_gpu_download(r.gpu, mask, block[3], sizeof mask, NULL, NULL));
  assert_memory_equal(again, tau, sizeof tau);
  assert_memory_equal(mask, without, sizeof mask);
  for (int i = 0; i < 4; i++) jn_gpu_release(r.gpu, block[i]);
  robot_end(&r);
}

/* a roll-out of which some samples fail: their cost is infinite, the summary is of the others */
static void costs_are_reduced_without_failed_samples(void **state) {
  (void)state;
  gpu_robot r = robot_new("double_pendulum", JN_BODY, cache);
  enum { N = 1000 };
  double *q = doubles(2 * N), *v = doubles(2 * N), *cost = doubles(N), aim[2] = {0}, w[6], sum = 0;
  for (int i = 0; i < 6; i++) w[i] = 1;
  for (int s = 0; s < N; s++) q[s] = 1 + 0.001 * ((s * 617) % N), v[s] = s % 10 == 3 ? NAN : 0;
  jn_rollout job = {.n = N,
                    .steps = 2,
                    .step = 0.01,
                    .q0 = q,
                    .v0 = v,
                    .q_aim = aim,
                    .v_aim = aim,
                    .weight = w,
                    .cost = cost};
  jn_rollout_summary got, again;
  assert_ok(jn_gpu_rollout(r.gpu, &job, &got, NULL, NULL));
  int best = -1;
  for (int s = 0; s < N; s++) {
    assert_int_equal(isinf(cost[s]) != 0, s % 10 == 3);
    if (s % 10 == 3) continue;
    sum += cost[s];
    if (best < 0 || cost[s] < cost[best]) best = s;
  }
  assert_int_equal(got.failed, N / 10);
  assert_int_equal(got.best, best);
  assert_true(got.best_cost == cost[best]);
  check_residual("mean cost", fabs(got.mean_cost - sum / (N - N / 10)) / got.mean_cost, 1e-14);
  job.cost = NULL; /* the same without the costs themselves */
  assert_ok(jn_gpu_rollout(r.gpu, &job, &again, NULL, NULL));
  assert_true(got.mean_cost == again.mean_cost && got.best == again.best);
  /* no summary and no mask: the call fails */
  job.cost = cost;
  assert_status(jn_gpu_rollout(r.gpu, &job, NULL, NULL, NULL), JN_ERR_NOT_FINITE);
  free(q), free(v), free(cost);
  robot_end(&r);
}

/* every byte of a kernel's file that is changed is seen, and the file is written anew */
static void a_damaged_cache_is_compiled_again(void **state) {
  (void)state;
  char path[512];
  while (cached(0, path, sizeof path)) unlink(path);
  gpu_robot r = robot_new("pendulum", JN_BODY, cache);
  assert_ok(jn_gpu_prepare(r.gpu, JN_KERNEL_INVERSE, 0, NULL));
  robot_end(&r);
  struct stat first, second;
  assert_true(cached(0, path, sizeof path));
  assert_int_equal(stat(path, &first), 0);
  for (int damage = 0; damage < 3; damage++) {
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    if (damage == 0) fseek(f, -100, SEEK_END), fputc(fgetc(f) ^ 1, f);
    if (damage == 1) fseek(f, 60, SEEK_SET), fputs("something else", f);
    if (damage == 2) assert_int_equal(ftruncate(fileno(f), first.st_size / 2), 0);
    fclose(f);
    r = robot_new("pendulum", JN_BODY, cache);
    equal_bits(gpu_check_inverse(&r, 0, 10, 7));
    robot_end(&r);
    assert_int_equal(stat(path, &second), 0);
    assert_int_equal(second.st_size, first.st_size);
  }
  assert_false(cached(1, path, sizeof path)); /* nothing else is left there */
  if (device() != JN_GPU_HOST) return;
  /* taken from the cache: no compiler is needed */
  setenv("CXX", "no-such-compiler", 1);
  r = robot_new("double_pendulum", JN_BODY, cache);
  jn_error error = {0};
  assert_status(jn_gpu_prepare(r.gpu, JN_KERNEL_INVERSE, 0, &error), JN_ERR_FILE);
  assert_non_null(strstr(error.message, "no-such-compiler"));
  robot_end(&r);
  unsetenv("CXX");
}

static void refused(jn_status got, const jn_error *error, const char *text) {
  assert_int_not_equal(got, JN_OK);
  if (!strstr(error->message, text)) fail_msg("'%s' expected in: %s", text, error->message);
}

static void what_cannot_be_done_is_refused(void **state) {
  (void)state;
  jn_error error = {0};
  jn_gpu *gpu;
  jn_model *closed = load("fourbar"), *tree = load("tilthex");
  const jn_gpu_options host = {.device = JN_GPU_HOST, .cache = ""};
  refused(jn_gpu_new(closed, &host, NULL, &gpu, &error), &error, "constraints");
  refused(jn_gpu_new(tree, &(jn_gpu_options){.device = -2}, NULL, &gpu, &error), &error, "device");
  assert_null(gpu);
  assert_ok(jn_gpu_new(tree, &host, NULL, &gpu, &error));
  double q[100] = {1}, v[100] = {0};
  refused(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 101, &error), &error, "orders go from 0 to 100");
  refused(jn_gpu_prepare(gpu, JN_KERNEL_FORWARD, -1, &error), &error, "orders go from 0 to 100");
  refused(jn_gpu_prepare(gpu, JN_KERNEL_ROLLOUT, JN_MAX_KERNEL_FORWARD + 1, &error), &error,
          "orders go from 0 to 2");
  refused(jn_gpu_prepare(gpu, JN_KERNEL_HYBRID, 0, &error), &error, "no such kernel");
  refused(jn_gpu_hybrid_dynamics(gpu, 0, 1, q, NULL, v, v, NULL, NULL, &error), &error, "missing");
  refused(jn_gpu_prepare(gpu, (jn_kernel)9, 0, &error), &error, "no such kernel");
  refused(jn_gpu_inverse_dynamics(gpu, 0, 1, q, v, NULL, NULL, NULL, &error), &error, "missing");
  refused(jn_gpu_inverse_partials(gpu, 1, q, v, NULL, NULL, NULL, NULL, NULL, &error), &error,
          "no derivative");
  jn_rollout job = {.n = 1, .steps = 1, .step = 0.01, .q0 = q, .v0 = v, .q = q};
  refused(jn_gpu_rollout(gpu, &job, NULL, NULL, &error), &error, "body representation");
  job.cost = q;
  refused(jn_gpu_rollout(gpu, &job, NULL, NULL, &error), &error, "weights");
  job.weight = q;
  refused(jn_gpu_rollout(gpu, &job, NULL, NULL, &error), &error, "aim");
  job.steps = 0;
  refused(jn_gpu_rollout(gpu, &job, NULL, NULL, &error), &error, "steps");
  const jn_gpu_options any = {.device = JN_GPU_HOST, .cache = "", .generic = 1};
  jn_gpu *other;
  jn_model *mimic = load("odd/mimic_tree.json");
  assert_ok(jn_gpu_new(mimic, &any, NULL, &other, &error));
  refused(jn_gpu_prepare(other, JN_KERNEL_INVERSE, 0, &error), &error, "mimic");
  jn_gpu_free(other);
  jn_model_free(mimic);
  jn_gpu_info info;
  assert_ok(jn_gpu_describe(gpu, &info));
  assert_string_equal(info.name, "host");
  jn_gpu_free(gpu);
  jn_gpu_free(NULL);
  /* a machine without a device says so, and what helps */
  if (jn_gpu_count(&error) == 0) {
    assert_true(strlen(error.message) > 20);
    refused(jn_gpu_new(tree, &(jn_gpu_options){.device = 0}, NULL, &gpu, &error), &error, "gpu: ");
  }
  jn_model_free(closed);
  jn_model_free(tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dynamics_have_the_strict_bits),
      cmocka_unit_test(hybrid_dynamics_have_the_strict_bits),
      cmocka_unit_test(high_orders_have_the_strict_bits),
      cmocka_unit_test(kernels_for_any_robot_have_the_strict_bits),
      cmocka_unit_test(partials_are_those_of_the_library),
      cmocka_unit_test(rollouts_are_simulations),
      cmocka_unit_test(mimic_joints_have_the_strict_bits),
      cmocka_unit_test(states_without_result_are_named),
      cmocka_unit_test(costs_are_reduced_without_failed_samples),
      cmocka_unit_test(a_damaged_cache_is_compiled_again),
      cmocka_unit_test(what_cannot_be_done_is_refused),
  };
  return cmocka_run_group_tests(tests, start, remove_folder);
}
