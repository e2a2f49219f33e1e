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
  gpu->generic = options->generic;
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

void jn_gpu_unload(jn_gpu *gpu, jn_loaded *loaded) {
  jn_machine *m = &gpu->machine;
  if (loaded->module) m->kind->unload(m, loaded);
  memset(loaded, 0, sizeof *loaded);
}

void jn_gpu_free(jn_gpu *gpu) {
  if (!gpu) return;
  jn_machine *m = &gpu->machine;
  for (int i = 0; i < GPU_KERNELS; i++)
    for (int r = 0; r <= JN_MAX_KERNEL_ORDER; r++) jn_gpu_unload(gpu, &gpu->kernel[i][r]);
  jn_gpu_unload(gpu, &gpu->reduce);
  for (gpu_hybrid *h = gpu->hybrid, *next; h; h = next) {
    next = h->next;
    jn_gpu_unload(gpu, &h->loaded);
    jn_block_free(&gpu->hooks, h);
  }
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

/* A kernel for any robot: compiled ahead, or here, as its text. */
static jn_status load_generic(jn_gpu *gpu, jn_kernel kernel, int order,
                              const jn_generate_options *options, jn_loaded *out, jn_error *error) {
  jn_machine *m = &gpu->machine;
  jn_generate_options set = *options;
  jn_kernel_text text = {0};
  void *data = NULL;
  set.generic = 1;
  jn_status status = jn_generate_kernel(gpu->model, kernel, order, &set, &gpu->hooks, &text, error);
  if (status) return status;
  const char *ptx = m->loads_ptx ? jn_generic_ptx(kernel != JN_KERNEL_INVERSE, order) : NULL;
  status = ptx ? m->kind->load(m, ptx, strlen(ptx) + 1, text.name, out, error)
               : jn_gpu_load(gpu, text.source, text.name, out, error);
  if (!status) status = m->kind->variable(m, out, "generic_data", &data, error);
  if (!status) status = m->kind->copy(m, data, text.data, text.data_size, 1, NULL, error);
  out->generic = 1;
  if (status) jn_gpu_unload(gpu, out);
  jn_kernel_text_free(&text);
  return status;
}

/* A kernel of this robot; without a compiler one for any robot, where there is one. */
static jn_status load_kernel(jn_gpu *gpu, jn_kernel kernel, int order,
                             const jn_generate_options *options, jn_loaded *out, jn_error *error) {
  const int dynamics =
      kernel == JN_KERNEL_INVERSE || kernel == JN_KERNEL_FORWARD || kernel == JN_KERNEL_HYBRID;
  jn_machine *m = &gpu->machine;
  jn_kernel_text text = {0};
  if (gpu->generic && dynamics) return load_generic(gpu, kernel, order, options, out, error);
  jn_status status =
      jn_generate_kernel(gpu->model, kernel, order, options, &gpu->hooks, &text, error);
  if (!status) status = jn_gpu_load(gpu, text.source, text.name, out, error);
  jn_kernel_text_free(&text);
  if (status && m->no_compiler[0] && dynamics &&
      jn_generic_ptx(kernel != JN_KERNEL_INVERSE, order) &&
      !load_generic(gpu, kernel, order, options, out, NULL)) {
    snprintf(
        m->info.note, sizeof m->info.note,
        "%s: dynamics are computed by the kernels for any robot, which are several times slower; "
        "install NVRTC or give its path in the option nvrtc",
        m->no_compiler);
    return JN_OK;
  }
  return status;
}

jn_status jn_gpu_kernel(jn_gpu *gpu, jn_kernel kernel, int order, const jn_loaded **out,
                        jn_error *error) {
  const int valid = order >= 0 && order <= JN_MAX_KERNEL_ORDER;
  jn_loaded none = {0}, *loaded = valid ? &gpu->kernel[kernel][order] : &none;
  jn_status status = JN_OK;
  if (!loaded->module) status = load_kernel(gpu, kernel, order, &gpu->generate, loaded, error);
  if (out) *out = status ? NULL : loaded;
  return status;
}

jn_status jn_gpu_hybrid_kernel(jn_gpu *gpu, const unsigned char *prescribed, int order,
                               const jn_loaded **out, jn_error *error) {
  const size_t bodies = (size_t)jn_model_body_count(gpu->model);
  for (const gpu_hybrid *h = gpu->hybrid; h; h = h->next) {
    size_t same = 0;
    while (same < bodies && !h->prescribed[same] == !prescribed[same]) same++;
    if (h->order != order || same < bodies) continue;
    *out = &h->loaded;
    return JN_OK;
  }
  gpu_hybrid *h = jn_block_new(&gpu->hooks, 1, sizeof *h + bodies);
  if (!h) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "gpu: out of memory");
  h->order = order;
  memcpy(h->prescribed, prescribed, bodies);
  jn_generate_options options = gpu->generate;
  options.prescribed = h->prescribed;
  jn_status status = load_kernel(gpu, JN_KERNEL_HYBRID, order, &options, &h->loaded, error);
  if (status) {
    jn_block_free(&gpu->hooks, h);
    return status;
  }
  h->next = gpu->hybrid;
  gpu->hybrid = h;
  *out = &h->loaded;
  return JN_OK;
}

jn_status jn_gpu_prepare(jn_gpu *gpu, jn_kernel kernel, int order, jn_error *error) {
  if (!gpu) return refuse(error, "no device");
  if ((int)kernel < 0 || (int)kernel >= GPU_KERNELS)
    return refuse(error, "no such kernel to prepare");
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
