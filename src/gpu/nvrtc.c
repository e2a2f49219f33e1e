/* nvrtc.c: NVIDIA's compiler of CUDA C++ at run time, loaded when it is needed. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"
#include "gpu/machine.h"

/* nvrtc.h: results are 0 on success */
typedef struct nvrtc {
  void *library;
  const char *(*error_text)(int result);
  int (*create)(void **program, const char *text, const char *name, int headers,
                const char *const *, const char *const *);
  int (*compile)(void *program, int count, const char *const *options);
  int (*log_size)(void *program, size_t *size);
  int (*log)(void *program, char *log);
  int (*cubin_size)(void *program, size_t *size);
  int (*cubin)(void *program, char *cubin);
  int (*ptx_size)(void *program, size_t *size);
  int (*ptx)(void *program, char *ptx);
  int (*destroy)(void **program);
} nvrtc;

static const char *const places[] = {"libnvrtc.so.13",
                                     "libnvrtc.so.12",
                                     "libnvrtc.so",
                                     "/usr/local/cuda/lib64/libnvrtc.so",
                                     "/usr/local/cuda/lib64/libnvrtc.so.13",
                                     "/usr/local/cuda/lib64/libnvrtc.so.12",
                                     NULL};

static jn_status open_library(jn_machine *m, nvrtc *n, jn_error *error) {
  memset(n, 0, sizeof *n);
  if (m->nvrtc[0])
    n->library = dlopen(m->nvrtc, RTLD_NOW | RTLD_LOCAL);
  else
    for (int i = 0; places[i] && !n->library; i++)
      n->library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
  m->no_compiler[0] = 0;
  if (!n->library) {
    const char *why = m->nvrtc[0] ? dlerror() : "libnvrtc.so";
    snprintf(m->no_compiler, sizeof m->no_compiler, "NVRTC (%s) is not found",
             why ? why : m->nvrtc);
    jn_fail(error, JN_ERR_FILE, NULL, 0,
            "gpu: %s, and the kernel is not in the cache: install the CUDA toolkit (Debian: "
            "nvidia-cuda-toolkit; pip: nvidia-cuda-nvrtc) or give its path in the option nvrtc",
            m->no_compiler);
    return JN_ERR_FILE;
  }
  const jn_symbol names[] = {{"nvrtcGetErrorString", &n->error_text},
                             {"nvrtcCreateProgram", &n->create},
                             {"nvrtcCompileProgram", &n->compile},
                             {"nvrtcGetProgramLogSize", &n->log_size},
                             {"nvrtcGetProgramLog", &n->log},
                             {"nvrtcGetCUBINSize", &n->cubin_size},
                             {"nvrtcGetCUBIN", &n->cubin},
                             {"nvrtcGetPTXSize", &n->ptx_size},
                             {"nvrtcGetPTX", &n->ptx},
                             {"nvrtcDestroyProgram", &n->destroy}};
  const char *missing = jn_gpu_symbols(n->library, names, sizeof names / sizeof *names);
  if (!missing) return JN_OK;
  dlclose(n->library);
  jn_fail(error, JN_ERR_FILE, NULL, 0,
          "gpu: the NVRTC found has no %s: CUDA 11.1 or later is needed", missing);
  return JN_ERR_FILE;
}

/* the first error of the compiler's log */
static jn_status explain(const nvrtc *n, void *program, int result, const jn_allocator *hooks,
                         jn_error *error) {
  size_t size = 0;
  char *log = NULL;
  if (!n->log_size(program, &size) && size > 1 && (log = jn_block_new(hooks, size + 1, 1)))
    n->log(program, log);
  const char *at = log ? strstr(log, "error") : NULL;
  jn_status status =
      jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: NVRTC: %s: %.600s", n->error_text(result),
              at    ? at
              : log ? log
                    : "");
  jn_block_free(hooks, log);
  return status;
}

jn_status jn_nvrtc_compile(jn_machine *m, const char *text, const char *architecture, int ptx,
                           void **binary, size_t *size, jn_error *error) {
  nvrtc n;
  void *program = NULL;
  char *out = NULL, target[64];
  jn_status status = open_library(m, &n, error);
  if (status) return status;
  snprintf(target, sizeof target, "--gpu-architecture=%s", architecture);
  const char *options[5] = {"-default-device", "-std=c++17", target};
  int count = 3;
  if (m->strict) options[count++] = "-fmad=false";
  if (!ptx && strstr(text, "#define JN_LARGE 1\n")) options[count++] = "--ptxas-options=-O1";
  int result = n.create(&program, text, "robot.cu", 0, NULL, NULL);
  if (result) status = jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: NVRTC: %s", n.error_text(result));
  if (!status && (result = n.compile(program, count, options)))
    status = explain(&n, program, result, &m->hooks, error);
  if (!status && (result = ptx ? n.ptx_size(program, size) : n.cubin_size(program, size)))
    status = jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: NVRTC: %s", n.error_text(result));
  if (!status && !(out = jn_block_new(&m->hooks, *size + 1, 1)))
    status = jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
  if (!status && (result = ptx ? n.ptx(program, out) : n.cubin(program, out)))
    status = jn_fail(error, JN_ERR_FILE, NULL, 0, "gpu: NVRTC: %s", n.error_text(result));
  if (program) n.destroy(&program);
  dlclose(n.library);
  if (status) {
    jn_block_free(&m->hooks, out);
    return status;
  }
  *binary = out;
  return JN_OK;
}
