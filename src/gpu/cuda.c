/* cuda.c: a CUDA device through NVIDIA's driver, loaded at run time. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "gpu/machine.h"

/* cuda.h: results are 0 on success; device addresses are 64-bit numbers */
typedef uint64_t address;
#define DRIVER(X)                                                                                  \
  X(init, "cuInit", (unsigned flags))                                                              \
  X(count, "cuDeviceGetCount", (int *count))                                                       \
  X(get, "cuDeviceGet", (int *device, int number))                                                 \
  X(name, "cuDeviceGetName", (char *name, int room, int device))                                   \
  X(attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                    \
  X(memory, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                                   \
  X(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                              \
  X(let_go, "cuDevicePrimaryCtxRelease_v2", (int device))                                          \
  X(push, "cuCtxPushCurrent_v2", (void *context))                                                  \
  X(pop, "cuCtxPopCurrent_v2", (void **context))                                                   \
  X(load, "cuModuleLoadData", (void **module, const void *image))                                  \
  X(unload, "cuModuleUnload", (void *module))                                                      \
  X(function, "cuModuleGetFunction", (void **function, void *module, const char *name))            \
  X(variable, "cuModuleGetGlobal_v2",                                                              \
    (address * at, size_t * bytes, void *module, const char *name))                                \
  X(launch, "cuLaunchKernel",                                                                      \
    (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
     unsigned shared, void *stream, void **arguments, void **extra))                               \
  X(allocate, "cuMemAlloc_v2", (address * block, size_t bytes))                                    \
  X(release, "cuMemFree_v2", (address block))                                                      \
  X(copy_in, "cuMemcpyHtoDAsync_v2", (address to, const void *from, size_t bytes, void *stream))   \
  X(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, address from, size_t bytes, void *stream))        \
  X(fill, "cuMemsetD8Async", (address block, unsigned char value, size_t bytes, void *stream))     \
  X(wait, "cuStreamSynchronize", (void *stream))                                                   \
  X(error_text, "cuGetErrorString", (int result, const char **text))

typedef struct cuda {
  void *library, *context;
  int device;
#define DRIVER_FIELD(field, symbol, arguments) \
  int(*field) arguments; /* NOLINT(bugprone-macro-parentheses): a declaration */
  DRIVER(DRIVER_FIELD)
#undef DRIVER_FIELD
} cuda;

enum { MULTIPROCESSORS = 16, MAJOR = 75, MINOR = 76, OUT_OF_MEMORY = 2 };

static cuda *cuda_of(const jn_machine *m) { return m->state; }

static jn_status explain(const cuda *c, int result, const char *what, jn_error *error) {
  const char *text = NULL;
  if (c->error_text(result, &text) || !text) text = "unknown error";
  if (result == OUT_OF_MEMORY)
    return jn_fail(error, JN_ERR_MEMORY, NULL, 0,
                   "gpu: %s: the device has not enough memory: compute fewer states in a call",
                   what);
  return jn_fail(error, JN_ERR_STATE, NULL, 0, "gpu: %s: %s (CUDA error %d)", what, text, result);
}

const char *jn_gpu_symbols(void *library, const jn_symbol *symbols, size_t count) {
  for (size_t i = 0; i < count; i++) {
    void *symbol = dlsym(library, symbols[i].name);
    if (!symbol) return symbols[i].name;
    memcpy(symbols[i].place, &symbol, sizeof symbol);
  }
  return NULL;
}

/* the driver's functions, and cuInit */
static jn_status open_driver(cuda *c, jn_error *error) {
  memset(c, 0, sizeof *c);
  c->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!c->library)
    return jn_fail(error, JN_ERR_FILE, NULL, 0,
                   "gpu: no NVIDIA driver (libcuda.so.1) on this machine: install it (Debian: "
                   "nvidia-driver), or use jn_batch on the processor");
  const jn_symbol names[] = {
#define DRIVER_NAME(field, symbol, arguments) {symbol, &c->field},
      DRIVER(DRIVER_NAME)
#undef DRIVER_NAME
  };
  const char *missing = jn_gpu_symbols(c->library, names, sizeof names / sizeof *names);
  if (missing) {
    dlclose(c->library);
    return jn_fail(error, JN_ERR_FILE, NULL, 0,
                   "gpu: the NVIDIA driver has no %s: install a newer one", missing);
  }
  const int result = c->init(0);
  if (!result) return JN_OK;
  const char *text = NULL;
  if (c->error_text(result, &text) || !text) text = "unknown error";
  jn_status status =
      jn_fail(error, JN_ERR_FILE, NULL, 0,
              "gpu: the NVIDIA driver does not start: %s (CUDA error %d); nvidia-smi "
              "shows whether a device is there",
              text, result);
  dlclose(c->library);
  return status;
}

int jn_gpu_count(jn_error *error) {
  cuda c;
  int count = 0;
  if (open_driver(&c, error)) return 0;
  if (c.count(&count)) count = 0;
  if (count == 0) jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: the driver finds no device");
  dlclose(c.library);
  return count;
}

static void enter(const cuda *c) { c->push(c->context); }
static void leave(const cuda *c) {
  void *context;
  c->pop(&context);
}

/* not the compiler's version: a kernel from the cache runs where there is no compiler */
static void cuda_describe(jn_machine *m, char *key, size_t room) {
  snprintf(key, room, "cuda sm_%d%d%s", m->info.major, m->info.minor, m->strict ? " strict" : "");
}

static jn_status cuda_compile(jn_machine *m, const char *text, void **binary, size_t *size,
                              jn_error *error) {
  char architecture[32];
  snprintf(architecture, sizeof architecture, "sm_%d%d", m->info.major, m->info.minor);
  return jn_nvrtc_compile(m, text, architecture, 0, binary, size, error);
}

static jn_status cuda_load(jn_machine *m, const void *binary, size_t size, const char *name,
                           jn_loaded *out, jn_error *error) {
  const cuda *c = cuda_of(m);
  (void)size;
  enter(c);
  int result = c->load(&out->module, binary);
  if (!result && (result = c->function(&out->function, out->module, name))) {
    c->unload(out->module);
    memset(out, 0, sizeof *out);
  }
  leave(c);
  return result ? explain(c, result, "a kernel cannot be loaded", error) : JN_OK;
}

static void cuda_unload(jn_machine *m, jn_loaded *loaded) {
  const cuda *c = cuda_of(m);
  enter(c);
  c->unload(loaded->module);
  leave(c);
  memset(loaded, 0, sizeof *loaded);
}

static jn_status cuda_variable(jn_machine *m, const jn_loaded *loaded, const char *name,
                               void **place, jn_error *error) {
  const cuda *c = cuda_of(m);
  address at = 0;
  size_t bytes;
  enter(c);
  const int result = c->variable(&at, &bytes, loaded->module, name);
  leave(c);
  if (result) return explain(c, result, "a kernel has no data", error);
  *place = (void *)(uintptr_t)at;
  return JN_OK;
}

static jn_status cuda_launch(jn_machine *m, const jn_loaded *kernel, void *stream, size_t blocks,
                             unsigned threads, void **arguments, jn_error *error) {
  const cuda *c = cuda_of(m);
  enter(c);
  const int result = c->launch(kernel->function, (unsigned)blocks, 1, 1, threads, 1, 1, 0, stream,
                               arguments, NULL);
  leave(c);
  return result ? explain(c, result, "a kernel cannot be started", error) : JN_OK;
}

static jn_status cuda_allocate(jn_machine *m, size_t bytes, void **block, jn_error *error) {
  const cuda *c = cuda_of(m);
  address at = 0;
  enter(c);
  const int result = c->allocate(&at, bytes);
  leave(c);
  if (result) return explain(c, result, "memory", error);
  *block = (void *)(uintptr_t)at;
  return JN_OK;
}

static void cuda_release(jn_machine *m, void *block) {
  const cuda *c = cuda_of(m);
  enter(c);
  c->release((address)(uintptr_t)block);
  leave(c);
}

static jn_status cuda_copy(jn_machine *m, void *to, const void *from, size_t bytes, int in,
                           void *stream, jn_error *error) {
  const cuda *c = cuda_of(m);
  enter(c);
  int result = in ? c->copy_in((address)(uintptr_t)to, from, bytes, stream)
                  : c->copy_out(to, (address)(uintptr_t)from, bytes, stream);
  if (!result) result = c->wait(stream);
  leave(c);
  return result ? explain(c, result, in ? "copy to the device" : "copy to the host", error) : JN_OK;
}

static jn_status cuda_clear(jn_machine *m, void *block, size_t bytes, void *stream,
                            jn_error *error) {
  const cuda *c = cuda_of(m);
  enter(c);
  const int result = c->fill((address)(uintptr_t)block, 0, bytes, stream);
  leave(c);
  return result ? explain(c, result, "memory", error) : JN_OK;
}

static jn_status cuda_wait(jn_machine *m, void *stream, jn_error *error) {
  const cuda *c = cuda_of(m);
  enter(c);
  const int result = c->wait(stream);
  leave(c);
  return result ? explain(c, result, "the work on the device failed", error) : JN_OK;
}

static void cuda_close(jn_machine *m) {
  cuda *c = cuda_of(m);
  c->let_go(c->device);
  /* the driver stays loaded: it keeps state of its own until the program ends */
  jn_block_free(&m->hooks, c);
}

static const jn_machine_kind cuda_kind = {cuda_describe, cuda_compile, cuda_load,     cuda_unload,
                                          cuda_variable, cuda_launch,  cuda_allocate, cuda_release,
                                          cuda_copy,     cuda_clear,   cuda_wait,     cuda_close};

static jn_status choose(cuda *c, int device, jn_gpu_info *info, jn_error *error) {
  int count = 0, result = c->count(&count);
  if (!result && device >= count)
    return jn_fail(error, JN_ERR_FILE, NULL, 0,
                   count ? "gpu: there is no device %d: the driver finds %d, counted from 0"
                         : "gpu: there is no device %d: the driver finds none (%d)",
                   device, count);
  if (!result) result = c->get(&c->device, device);
  if (!result) result = c->name(info->name, sizeof info->name, c->device);
  if (!result) result = c->attribute(&info->major, MAJOR, c->device);
  if (!result) result = c->attribute(&info->minor, MINOR, c->device);
  if (!result) result = c->attribute(&info->multiprocessors, MULTIPROCESSORS, c->device);
  if (!result) result = c->memory(&info->memory, c->device);
  if (!result) result = c->retain(&c->context, c->device);
  return result ? explain(c, result, "the device cannot be opened", error) : JN_OK;
}

jn_status jn_cuda_open(jn_machine *m, int device, jn_error *error) {
  cuda c;
  jn_status status = open_driver(&c, error);
  if (status) return status;
  status = choose(&c, device, &m->info, error);
  if (status) return status;
  cuda *kept = jn_block_new(&m->hooks, 1, sizeof *kept);
  if (!kept) {
    c.let_go(c.device);
    return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
  }
  *kept = c;
  m->state = kept;
  m->kind = &cuda_kind;
  m->loads_ptx = 1;
  return JN_OK;
}
