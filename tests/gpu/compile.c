/* compile.c: kernels compile for a GPU where NVIDIA's compiler is installed; no device is needed.
 *   gpu_compile [MODEL KERNEL ORDER REPRESENTATION]    one kernel; its PTX to stdout
 * Without arguments: one kernel of each kind, whose PTX is assembled too where ptxas is, and some of
 * those for any robot, whose PTX clang has made (with `all` all of them). Exit status 77: there is
 * neither NVRTC nor clang's PTX. */
#include <jounce/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/machine.h"
#include "helpers/temporary.h"

static const char *const architecture = "sm_90";

static int assemble(const char *ptx) {
  char path[400], command[700];
  const int length = snprintf(path, sizeof path, "%s/jounce-ptx-XXXXXX", temporary_folder()),
            file = length < (int)sizeof path ? mkstemp(path) : -1;
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  if (!f) return 0;
  int good = fputs(ptx, f) >= 0;
  good &= fclose(f) == 0;
  snprintf(command, sizeof command,
           "PATH=$PATH:/usr/local/cuda/bin; command -v ptxas >/dev/null || exit 7; ptxas -O1 "
           "-arch=%s -o /dev/null '%s'",
           architecture, path);
  const int state = good ? system(command) : -1;
  unlink(path);
  if (WIFEXITED(state) && WEXITSTATUS(state) == 7) {
    puts("  ptxas is not installed: PTX is not assembled");
    return 1;
  }
  return state == 0;
}

/* 0: done, 1: failed, 77: no compiler */
static int compile(const char *name, jn_kernel kernel, int order, int representation, int print) {
  static const char *const kinds[] = {"inverse dynamics", "forward dynamics", "inverse partials",
                                      "forward partials", "roll-outs",        "hybrid dynamics"};
  jn_model *model = NULL;
  jn_error error = {0};
  jn_kernel_text text = {0};
  jn_machine m = {.strict = 1};
  char *binary = NULL;
  size_t size = 0;
  static const unsigned char prescribed[100] = {0, 1};
  const jn_generate_options o = {.name = "robot",
                                 .prescribed = prescribed,
                                 .representation = (jn_representation)representation};
  m.hooks = (jn_allocator){0};
  int code = 1;
  if (!jn_model_load(name, NULL, NULL, &model, &error) &&
      !jn_generate_kernel(model, kernel, order, &o, NULL, &text, &error)) {
    void *out = NULL;
    m.hooks = text.allocator;
    const jn_status status =
        jn_nvrtc_compile(&m, text.source, "compute_90", 1, &out, &size, &error);
    binary = out;
    code = !status ? 0 : strstr(error.message, "NVRTC (libnvrtc.so)") ? 77 : 1;
  }
  if (code == 0 && print) fputs(binary, stdout);
  if (code == 0 && !print) {
    code = !assemble(binary);
    const char *folder = strrchr(name, '/');
    printf("%-16s %-17s %d  %zu bytes of PTX%s\n", folder ? folder + 1 : name, kinds[kernel], order,
           size, code ? "  FAILED" : "");
  }
  if (code) fprintf(stderr, "%s\n", error.message);
  if (binary) m.hooks.release(binary, m.hooks.context);
  jn_kernel_text_free(&text);
  jn_model_free(model);
  return code;
}

/* PTX of the kernels for any robot; -1: the library was built without clang */
static int assemble_generic(int all) {
  int count = 0;
  for (int forward = 0; forward < 2; forward++)
    for (int order = 0; order <= (forward ? JN_MAX_KERNEL_FORWARD : JN_MAX_GENERATE_INVERSE);
         order++) {
      const char *ptx = jn_generic_ptx(forward, order);
      if (!ptx || (!all && order)) continue;
      const int good = strstr(ptx, ".entry generic_kernel") && assemble(ptx);
      printf("%-16s %-17s %d  %zu bytes of PTX%s\n", "any robot",
             forward ? "forward dynamics" : "inverse dynamics", order, strlen(ptx),
             good ? "" : "  FAILED");
      if (!good) return 1;
      count++;
    }
  return count ? 0 : -1;
}

int main(int argc, char **argv) {
  if (argc == 5) return compile(argv[1], (jn_kernel)atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), 1);
  const int any = assemble_generic(argc == 2 && strcmp(argv[1], "all") == 0);
  if (any == 1) return 1;
  if (any < 0) puts("clang with NVPTX was not there: no kernels for any robot");
  int code = compile("double_pendulum", JN_KERNEL_INVERSE, 2, JN_BODY, 0);
  if (!code) code = compile("double_pendulum", JN_KERNEL_INVERSE, 9, JN_BODY, 0);
  if (!code) code = compile("double_pendulum", JN_KERNEL_HYBRID, 0, JN_BODY, 0);
  if (!code) code = compile("pendulum", JN_KERNEL_FORWARD, 1, JN_BODY, 0);
  if (!code) code = compile("double_pendulum", JN_KERNEL_INVERSE_PARTIALS, 0, JN_BODY, 0);
  if (!code) code = compile("pendulum", JN_KERNEL_FORWARD_PARTIALS, 0, JN_BODY, 0);
  if (!code) code = compile("double_pendulum", JN_KERNEL_ROLLOUT, 0, JN_BODY, 0);
  if (!code) code = compile("pendulum", JN_KERNEL_ROLLOUT, 2, JN_BODY, 0);
  /* mimic joints: by way of the tree */
  static const char mimic[] = TEST_DATA "/odd/mimic_arm.json";
  if (!code) code = compile(mimic, JN_KERNEL_HYBRID, 3, JN_BODY, 0);
  if (!code) code = compile(mimic, JN_KERNEL_FORWARD_PARTIALS, 0, JN_BODY, 0);
  if (!code) code = compile(mimic, JN_KERNEL_INVERSE_PARTIALS, 0, JN_BODY, 0);
  if (!code) code = compile(mimic, JN_KERNEL_ROLLOUT, 0, JN_BODY, 0);
  return code == 77 && any == 0 ? 0 : code;
}
