/* gpu.c: opens a device for a robot, and compiles its kernels when they are needed. */
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/fail.h"

static jn_status refuse(jn_error *error, const char *text) {
  return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "gpu: %s", text);
}

/* a model that cannot be generated is refused before a device is opened */
static jn_status check(const jn_gpu *gpu, jn_error *error) {
  jn_kernel_text text;
  jn_status status = jn_generate_kernel(gpu->model, JN_KERNEL_INVERSE, 0, &gpu->generate,
                                        &gpu->hooks, &text, error);
  jn_kernel_text_free(&text);
  return status;
}

static jn_status fill(jn_gpu *gpu, const jn_model *model, const jn_gpu_options *options,
                      jn_error *error) {
  gpu->model = model;
  gpu->nq = jn_model_nq(model);
  gpu->nv = jn_model_nv(model);
  gpu->generate = (jn_generate_options){
      .name = "robot", .representation = options->representation, .damping = options->damping};
  if (options->gravity) {
    memcpy(gpu->gravity, options->gravity, sizeof gpu->gravity);
    gpu->generate.gravity = gpu->gravity;
  }
  gpu->machine.hooks = gpu->hooks;
  gpu->machine.strict = options->strict;
  if (options->cache) {
    const size_t n = strlen(options->cache) + 1;
    gpu->cache = jn_block_new(&gpu->hooks, n, 1);
    if (!gpu->cache) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
    memcpy(gpu->cache, options->cache, n);
  }
  if (options->nvrtc && snprintf(gpu->machine.nvrtc, sizeof gpu->machine.nvrtc, "%s",
                                 options->nvrtc) >= (int)sizeof gpu->machine.nvrtc)
    return refuse(error, "the path of NVRTC is too long");
  jn_status status = check(gpu, error);
  if (status) return status;
  return options->device == JN_GPU_HOST ? jn_host_open(&gpu->machine, error)
                                        : jn_cuda_open(&gpu->machine, options->device, error);
}

jn_status jn_gpu_new(const jn_model *model, const jn_gpu_options *options,
                     const jn_allocator *allocator, jn_gpu **out, jn_error *error) {
  if (!out) return refuse(error, "no place for the result");
  *out = NULL;
  if (!model || !options) return refuse(error, "no model or no options");
  if (options->device < JN_GPU_HOST) return refuse(error, "no such device: 0, 1, ... expected");
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  jn_gpu *gpu = jn_block_new(&hooks, 1, sizeof *gpu);
  if (!gpu) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
  gpu->hooks = hooks;
  jn_status status = fill(gpu, model, options, error);
  if (status)
    jn_gpu_free(gpu);
  else
    *out = gpu;
  return status;
}

void jn_gpu_free(jn_gpu *gpu) {
  if (!gpu) return;
  jn_machine *m = &gpu->machine;
  for (int i = 0; i < GPU_KERNELS; i++)
    for (int r = 0; r <= JN_MAX_GENERATE_INVERSE; r++)
      if (gpu->kernel[i][r].module) m->kind->unload(m, &gpu->kernel[i][r]);
  if (gpu->reduce.module) m->kind->unload(m, &gpu->reduce);
  if (m->kind) m->kind->close(m);
  jn_block_free(&gpu->hooks, gpu->cache);
  const jn_allocator hooks = gpu->hooks;
  jn_block_free(&hooks, gpu);
}

jn_status jn_gpu_describe(const jn_gpu *gpu, jn_gpu_info *info) {
  if (!gpu || !info) return JN_ERR_ARGUMENT;
  *info = gpu->machine.info;
  return JN_OK;
}

jn_status jn_gpu_load(jn_gpu *gpu, const char *text, const char *name, jn_loaded *out,
                      jn_error *error) {
  jn_machine *m = &gpu->machine;
  char key[256];
  const int cached = !gpu->cache || gpu->cache[0];
  size_t size = 0;
  void *binary = NULL;
  m->kind->describe(m, key, sizeof key);
  if (cached) binary = jn_cache_read(gpu->cache, key, text, &gpu->hooks, &size);
  if (binary && !m->kind->load(m, binary, size, name, out, NULL)) {
    jn_block_free(&gpu->hooks, binary);
    return JN_OK;
  }
  jn_block_free(&gpu->hooks, binary);
  jn_status status = m->kind->compile(m, text, &binary, &size, error);
  if (status) return status;
  status = m->kind->load(m, binary, size, name, out, error);
  if (!status && cached) jn_cache_write(gpu->cache, key, text, binary, size);
  jn_block_free(&gpu->hooks, binary);
  return status;
}

jn_status jn_gpu_kernel(jn_gpu *gpu, jn_kernel kernel, int order, const jn_loaded **out,
                        jn_error *error) {
  jn_kernel_text text = {0};
  const int valid = (int)kernel >= 0 && (int)kernel < GPU_KERNELS && order >= 0 &&
                    order <= JN_MAX_GENERATE_INVERSE;
  jn_loaded *loaded = valid ? &gpu->kernel[kernel][order] : NULL;
  jn_status status = JN_OK;
  if (!loaded || !loaded->module) {
    status =
        jn_generate_kernel(gpu->model, kernel, order, &gpu->generate, &gpu->hooks, &text, error);
    if (!status) status = jn_gpu_load(gpu, text.source, text.name, loaded, error);
    jn_kernel_text_free(&text);
  }
  if (out) *out = status ? NULL : loaded;
  return status;
}

jn_status jn_gpu_prepare(jn_gpu *gpu, jn_kernel kernel, int order, jn_error *error) {
  if (!gpu) return refuse(error, "no device");
  return jn_gpu_kernel(gpu, kernel, order, NULL, error);
}

jn_status jn_gpu_allocate(jn_gpu *gpu, size_t bytes, void **block, jn_error *error) {
  if (!gpu || !block || !bytes) return refuse(error, "no device, or nothing to allocate");
  return gpu->machine.kind->allocate(&gpu->machine, bytes, block, error);
}

void jn_gpu_release(jn_gpu *gpu, void *block) {
  if (gpu && block) gpu->machine.kind->release(&gpu->machine, block);
}

static jn_status copy(jn_gpu *gpu, void *to, const void *from, size_t bytes, int in, void *stream,
                      jn_error *error) {
  if (!gpu || (bytes && (!to || !from))) return refuse(error, "no device, or nothing to copy");
  if (!bytes) return JN_OK;
  return gpu->machine.kind->copy(&gpu->machine, to, from, bytes, in, stream, error);
}
jn_status jn_gpu_upload(jn_gpu *gpu, void *device, const void *host, size_t bytes, void *stream,
                        jn_error *error) {
  return copy(gpu, device, host, bytes, 1, stream, error);
}
jn_status jn_gpu_download(jn_gpu *gpu, void *host, const void *device, size_t bytes, void *stream,
                          jn_error *error) {
  return copy(gpu, host, device, bytes, 0, stream, error);
}

jn_status jn_gpu_wait(jn_gpu *gpu, void *stream, jn_error *error) {
  if (!gpu) return refuse(error, "no device");
  return gpu->machine.kind->wait(&gpu->machine, stream, error);
}
