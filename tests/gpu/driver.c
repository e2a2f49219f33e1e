/* driver.c: libjounce_gpu over a driver that computes nothing (no_device.c): what it says where NVRTC
 * is not found, and where the driver fails. Exit status 77: the driver is another one. */
#include <jounce/gpu.h>
#include <jounce/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/machine.h"

static int failed;
static void expect(int good, const char *what, const char *got) {
  printf("%s: %s%s%s\n", what, good ? "good" : "FAILED", got[0] ? ": " : "", got);
  failed |= !good;
}

static const char wrong[] = "/nonexistent/libnvrtc.so";

/* a path that does not exist: dynamics by the kernels for any robot, and it is said */
static void no_compiler(const jn_model *model) {
  const jn_gpu_options o = {.nvrtc = wrong, .cache = "", .representation = JN_BODY};
  jn_gpu *gpu = NULL;
  jn_gpu_info info;
  jn_error error = {0};
  if (jn_gpu_new(model, &o, NULL, &gpu, &error)) {
    expect(0, "open", error.message);
    return;
  }
  jn_gpu_describe(gpu, &info);
  expect(!info.note[0], "nothing to say at first", info.note);
  if (jn_generic_ptx(0, 0)) {
    expect(!jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 0, &error), "kernel for any robot", "");
    jn_gpu_describe(gpu, &info);
    expect(strstr(info.note, wrong) && strstr(info.note, "kernels for any robot"), "note",
           info.note);
    double q[100] = {0}, v[100] = {0}, tau[100];
    expect(!jn_gpu_inverse_dynamics(gpu, 0, 1, q, v, tau, NULL, NULL, &error), "a call", "");
  }
  /* what has no such kernel fails, with the path */
  expect(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE_PARTIALS, 0, &error) == JN_ERR_FILE &&
             strstr(error.message, wrong),
         "partial derivatives", error.message);
  expect(jn_gpu_prepare(gpu, JN_KERNEL_INVERSE, 50, &error) == JN_ERR_FILE &&
             strstr(error.message, wrong),
         "a high order", error.message);
  jn_gpu_free(gpu);
}

/* a function of the driver that fails is named in words */
static void driver_fails(const jn_model *model, const char *name, int opens, const char *text) {
  const jn_gpu_options o = {.generic = 1, .cache = "", .representation = JN_BODY};
  jn_gpu *gpu = NULL;
  jn_error error = {0};
  double q[100] = {0}, v[100] = {0}, tau[100] = {7};
  setenv("NO_DEVICE_FAIL", name, 1);
  jn_status status = jn_gpu_new(model, &o, NULL, &gpu, &error);
  expect((status == JN_OK) == opens, name, status ? "does not open" : "opens");
  if (!status) status = jn_gpu_inverse_dynamics(gpu, 0, 1, q, v, tau, NULL, NULL, &error);
  expect(status && strstr(error.message, text) && tau[0] == 7, name, error.message);
  unsetenv("NO_DEVICE_FAIL");
  jn_gpu_free(gpu);
}

int main(void) {
  jn_model *model = NULL;
  jn_gpu *gpu = NULL;
  jn_gpu_info info = {.major = 0};
  jn_error error = {0};
  if (jn_model_load("double_pendulum", NULL, NULL, &model, &error)) return 1;
  if (jn_gpu_new(model, &(jn_gpu_options){.cache = ""}, NULL, &gpu, &error) == JN_OK)
    jn_gpu_describe(gpu, &info);
  jn_gpu_free(gpu);
  if (strcmp(info.name, "no device") != 0) {
    printf("skipped: the driver is not the one of this test (LD_LIBRARY_PATH): %s\n",
           error.message);
    jn_model_free(model);
    return 77;
  }
  no_compiler(model);
  driver_fails(model, "cuInit", 0, "does not start");
  driver_fails(model, "cuDevicePrimaryCtxRetain", 0, "cannot be opened");
  if (jn_generic_ptx(0, 0)) {
    driver_fails(model, "cuModuleLoadData", 1, "cannot be loaded");
    driver_fails(model, "cuMemAlloc_v2", 1, "not enough memory");
    driver_fails(model, "cuLaunchKernel", 1, "cannot be started");
    driver_fails(model, "cuMemcpyDtoHAsync_v2", 1, "copy to the host");
  }
  jn_model_free(model);
  return failed;
}
