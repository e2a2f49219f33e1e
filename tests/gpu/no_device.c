/* no_device.c: a library with the names of NVIDIA's driver and one device, so that cuda.c runs on a
 * machine without a GPU (gpu_driver). It copies memory and loads PTX, but computes nothing.
 * NO_DEVICE_FAIL=cuMemAlloc_v2 in the environment: this function returns "out of memory". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(name, ...)  \
  int name(__VA_ARGS__); \
  int name(__VA_ARGS__)
#define MAY_FAIL \
  if (fails(__func__)) return 2

static int fails(const char *name) {
  const char *which = getenv("NO_DEVICE_FAIL");
  return which && strcmp(which, name) == 0;
}
static char module_data[65536];

CALL(cuInit, unsigned flags) {
  MAY_FAIL;
  return (int)flags;
}
CALL(cuDeviceGetCount, int *count) {
  MAY_FAIL;
  *count = 1;
  return 0;
}
CALL(cuDeviceGet, int *device, int number) {
  *device = number;
  return 0;
}
CALL(cuDeviceGetName, char *name, int room, int device) {
  (void)device;
  snprintf(name, (size_t)room, "no device");
  return 0;
}
CALL(cuDeviceGetAttribute, int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1; /* sm_90 */
  return 0;
}
CALL(cuDeviceTotalMem_v2, size_t *bytes, int device) {
  (void)device;
  *bytes = 1 << 30;
  return 0;
}
CALL(cuDevicePrimaryCtxRetain, void **context, int device) {
  (void)device;
  MAY_FAIL;
  *context = module_data;
  return 0;
}
CALL(cuDevicePrimaryCtxRelease_v2, int device) {
  (void)device;
  return 0;
}
CALL(cuCtxPushCurrent_v2, void *context) {
  (void)context;
  return 0;
}
CALL(cuCtxPopCurrent_v2, void **context) {
  *context = module_data;
  return 0;
}
/* a module is a copy of its PTX */
CALL(cuModuleLoadData, void **module, const void *image) {
  MAY_FAIL;
  *module = strdup(image);
  return *module ? 0 : 2;
}
CALL(cuModuleUnload, void *module) {
  free(module);
  return 0;
}
CALL(cuModuleGetFunction, void **function, void *module, const char *name) {
  *function = strstr(module, name);
  return *function ? 0 : 500;
}
CALL(cuModuleGetGlobal_v2, uint64_t *at, size_t *bytes, void *module, const char *name) {
  *at = (uintptr_t)module_data, *bytes = sizeof module_data;
  return strstr(module, name) ? 0 : 500;
}
CALL(cuLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
     unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream;
  (void)arguments, (void)extra;
  MAY_FAIL;
  return !function;
}
CALL(cuMemAlloc_v2, uint64_t *block, size_t bytes) {
  MAY_FAIL;
  *block = (uintptr_t)calloc(1, bytes);
  return *block ? 0 : 2;
}
CALL(cuMemFree_v2, uint64_t block) {
  free((void *)(uintptr_t)block);
  return 0;
}
CALL(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, void *stream) {
  (void)stream;
  MAY_FAIL;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
CALL(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, void *stream) {
  (void)stream;
  MAY_FAIL;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return 0;
}
CALL(cuMemsetD8Async, uint64_t block, unsigned char value, size_t bytes, void *stream) {
  (void)stream;
  memset((void *)(uintptr_t)block, value, bytes);
  return 0;
}
CALL(cuStreamSynchronize, void *stream) {
  (void)stream;
  MAY_FAIL;
  return 0;
}
CALL(cuGetErrorString, int result, const char **text) {
  *text = result == 2 ? "out of memory" : "an error";
  return 0;
}
