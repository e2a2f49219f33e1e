/* fake_driver.c: a library with the names of NVIDIA's driver and of NVRTC, for machines without a GPU:
 * the device's memory is that of the host, a kernel is a function of the test (none: nothing is
 * computed), any call can be made to fail, and what is not given back is counted. test_gpu_driver.c
 * loads it; other programs find it by LD_LIBRARY_PATH, with one device. */
#include "gpu/fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fake_driver fake = {.devices = 1};

/* the next call, which fails if it is the one */
static int failing(int result) { return ++fake.calls == fake.fails_at ? result : 0; }

#define CALL(result)                    \
  do {                                  \
    const int failed = failing(result); \
    if (failed) return failed;          \
  } while (0)
enum { OUT_OF_MEMORY = 2, BROKEN = 999 };

int cuInit(unsigned flags) {
  CALL(BROKEN);
  return flags ? BROKEN : 0;
}
int cuDeviceGetCount(int *count) {
  CALL(BROKEN);
  *count = fake.devices;
  return 0;
}
int cuDeviceGet(int *device, int number) {
  CALL(BROKEN);
  *device = 40 + number;
  return 0;
}
int cuDeviceGetName(char *name, int room, int device) {
  CALL(BROKEN);
  snprintf(name, (size_t)room, "fake %d", device);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  CALL(BROKEN);
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : attribute == 76 ? device - 40 : -1;
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  CALL(BROKEN);
  *bytes = (size_t)device << 20;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  CALL(BROKEN);
  (void)device;
  *context = &fake;
  fake.contexts++;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  fake.contexts--;
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  fake.current += context == &fake ? 1 : 1000;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = &fake;
  fake.current--;
  return 0;
}
int cuModuleLoadData(void **module, const void *image) {
  CALL(BROKEN);
  if (fake.current != 1 || (strncmp(image, "binary of ", 10) != 0 && !strstr(image, ".entry")))
    return BROKEN;
  *module = strdup(image);
  fake.modules++;
  return *module ? 0 : OUT_OF_MEMORY;
}
/* PTX contains the names of its functions and variables; a binary of the fake compiler does not */
static int contains(const char *module, const char *name) {
  return strncmp(module, "binary of ", 10) == 0 || strstr(module, name);
}
int cuModuleUnload(void *module) {
  free(module);
  fake.modules--;
  return fake.current == 1 ? 0 : BROKEN;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  CALL(BROKEN);
  snprintf(fake.kernel_name, sizeof fake.kernel_name, "%s", name);
  *function = module;
  return contains(module, name) ? 0 : BROKEN;
}
/* the robot of kernels for any robot */
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name) {
  static char constants[65536];
  CALL(BROKEN);
  *address = (uint64_t)(uintptr_t)constants;
  *bytes = sizeof constants;
  return contains(module, name) ? 0 : BROKEN;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  CALL(BROKEN);
  if (!function || gy != 1 || gz != 1 || by != 1 || bz != 1 || shared || extra || fake.current != 1)
    return BROKEN;
  fake.threads = (size_t)gx * bx;
  fake.stream = stream;
  if (fake.kernel) fake.kernel(arguments);
  return 0;
}
int cuMemAlloc_v2(uint64_t *block, size_t bytes) {
  CALL(OUT_OF_MEMORY);
  void *made = malloc(bytes);
  if (!made || fake.current != 1) return OUT_OF_MEMORY;
  memset(made, 0xff, bytes);
  *block = (uint64_t)(uintptr_t)made;
  fake.blocks++;
  return 0;
}
int cuMemFree_v2(uint64_t block) {
  free((void *)(uintptr_t)block);
  fake.blocks--;
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  CALL(BROKEN);
  memcpy((void *)(uintptr_t)to, from, bytes);
  fake.pending++;
  fake.stream = stream;
  return fake.current == 1 ? 0 : BROKEN;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  CALL(BROKEN);
  memcpy(to, (void *)(uintptr_t)from, bytes);
  fake.pending++;
  fake.stream = stream;
  return fake.current == 1 ? 0 : BROKEN;
}
int cuMemsetD8Async(uint64_t block, unsigned char value, size_t bytes, void *stream) {
  CALL(BROKEN);
  memset((void *)(uintptr_t)block, value, bytes);
  fake.stream = stream;
  return fake.current == 1 ? 0 : BROKEN;
}
int cuStreamSynchronize(void *stream) {
  CALL(BROKEN);
  fake.pending = 0;
  return stream == fake.stream || !stream ? 0 : BROKEN;
}
int cuGetErrorString(int result, const char **text) {
  *text = result == BROKEN && !fake.mute ? "it is broken" : NULL;
  return result != BROKEN;
}

/* ---- NVRTC */
static char text_of_program[64];

const char *nvrtcGetErrorString(int result) { return result == 6 ? "does not compile" : "no"; }
int nvrtcCreateProgram(void **program, const char *text, const char *name, int headers,
                       const char *const *a, const char *const *b) {
  CALL(5);
  (void)a, (void)b;
  *program = text_of_program;
  fake.programs++;
  fake.text_size = strlen(text);
  return headers || strcmp(name, "robot.cu") != 0;
}
int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  CALL(6);
  fake.options[0] = '\0';
  for (int i = 0; i < count; i++)
    snprintf(fake.options + strlen(fake.options), sizeof fake.options - strlen(fake.options), "%s ",
             options[i]);
  return program != text_of_program;
}
static const char *compiler_log(void) {
  return fake.log ? fake.log : "robot.cu(7): warning: unused\nrobot.cu(9): error: no such name\n";
}
int nvrtcGetProgramLogSize(void *program, size_t *size) {
  (void)program;
  *size = strlen(compiler_log()) + 1;
  return fake.no_log;
}
int nvrtcGetProgramLog(void *program, char *log) {
  (void)program;
  memcpy(log, compiler_log(), strlen(compiler_log()) + 1);
  return 0;
}
int nvrtcGetCUBINSize(void *program, size_t *size) {
  CALL(7);
  (void)program;
  *size = sizeof "binary of robot";
  return 0;
}
int nvrtcGetCUBIN(void *program, char *cubin) {
  CALL(7);
  (void)program;
  memcpy(cubin, "binary of robot", sizeof "binary of robot");
  return 0;
}
int nvrtcGetPTXSize(void *program, size_t *size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(void *program, char *ptx) { return nvrtcGetCUBIN(program, ptx); }
int nvrtcDestroyProgram(void **program) {
  fake.programs--;
  *program = NULL;
  return 0;
}
