/* fault.c: linked with a text of the core in which a fault was planted (tests/CMakeLists.txt): the
 * kernels on the host's grid must show it. Exit status 0: they do. */
#include <jounce/io.h>
#include <stdio.h>

#include "gpu/check.h"

int main(void) {
  jn_model *model = NULL;
  jn_error error = {0};
  gpu_robot r = {.threads = 1};
  const jn_gpu_options options = {.device = JN_GPU_HOST, .strict = 1, .cache = ""};
  if (jn_model_load("double_pendulum", NULL, NULL, &model, &error) ||
      jn_gpu_new(model, &options, NULL, &r.gpu, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 2;
  }
  r.model = model;
  const gpu_error e = gpu_check_inverse(&r, 0, 20, 1);
  printf("%zu numbers differ, the worst by %.1e\n", e.different, e.worst);
  jn_gpu_free(r.gpu);
  jn_model_free(model);
  return !e.status && e.different > 0 && e.worst > 1e-5 && e.worst < 1e-2 ? 0 : 1;
}
