/* operations.c: operations in the machine code of a kernel, by cuobjdump. */
#include "gpu/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/machine.h"
#include "helpers/temporary.h"

/* the binary of a kernel, from the cache; NULL: it is not there */
static void *binary_of(const gpu_robot *r, jn_kernel kernel, int order, int strict, size_t *size,
                       jn_allocator *hooks) {
  const jn_generate_options o = {.name = "robot", .representation = r->representation};
  jn_kernel_text text = {0};
  jn_gpu_info info;
  char key[64];
  void *binary = NULL;
  if (!jn_gpu_describe(r->gpu, &info) &&
      !jn_generate_kernel(r->model, kernel, order, &o, NULL, &text, NULL)) {
    snprintf(key, sizeof key, "cuda sm_%d%d%s", info.major, info.minor, strict ? " strict" : "");
    *hooks = text.allocator;
    binary = jn_cache_read(NULL, key, text.source, hooks, size);
  }
  jn_kernel_text_free(&text);
  return binary;
}

static double count(const char *path) {
  char command[600];
  double sum = 0;
  snprintf(command, sizeof command,
           "PATH=$PATH:/usr/local/cuda/bin; cuobjdump -sass '%s' 2>/dev/null | awk '"
           "/ DFMA/ {s += 2} / DMUL/ || / DADD/ {s += 1} END {print s + 0}'",
           path);
  FILE *f = popen(command, "r");
  if (!f) return 0;
  if (fscanf(f, "%lf", &sum) != 1) sum = 0;
  pclose(f);
  return sum;
}

double gpu_operations(const gpu_robot *r, jn_kernel kernel, int order, int strict, size_t columns) {
  char path[300];
  if (snprintf(path, sizeof path, "%s/jounce-cubin-XXXXXX", temporary_folder()) >= (int)sizeof path)
    return 0;
  jn_allocator hooks = {0};
  size_t size = 0;
  void *binary =
      kernel == JN_KERNEL_HYBRID ? NULL : binary_of(r, kernel, order, strict, &size, &hooks);
  if (!binary) return 0;
  const int file = mkstemp(path);
  double sum = 0;
  if (file >= 0 && write(file, binary, size) == (ssize_t)size) sum = count(path);
  if (file >= 0) close(file), unlink(path);
  hooks.release(binary, hooks.context);
  return sum * (double)columns;
}
