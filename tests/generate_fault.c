/* generate_fault.c: writes generated code into a folder; linked with a text of the core in which a
 * fault was planted (tests/CMakeLists.txt).
 *   generate_fault FOLDER */
#include <jounce/generate.h>
#include <jounce/io.h>
#include <stdio.h>

static int write_text(const char *folder, const char *name, const char *text) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  return !f || fputs(text, f) < 0 || fclose(f) != 0;
}

int main(int argc, char **argv) {
  jn_model *model = NULL;
  jn_generated g = {0};
  const jn_generate_options options = {
      .name = "fault", .inverse = 1, .forward = 1, .partials = 1, .forward_partials = 1};
  if (argc < 2 || jn_model_load("double_pendulum", NULL, NULL, &model, NULL)) return 2;
  int failed =
      jn_generate(model, &options, NULL, &g, NULL) || write_text(argv[1], "fault.c", g.source) ||
      write_text(argv[1], "fault.h", g.header) || write_text(argv[1], "fault_test.c", g.test);
  jn_generated_free(&g);
  jn_model_free(model);
  return failed ? 2 : 0;
}
