/* text.c: writes the text of a kernel for any robot when libjounce_gpu is built.
 *   generic_text id2 FILE     inverse dynamics of order 2; fd1: forward and hybrid dynamics of order 1 */
#include <jounce/generate.h>
#include <jounce/io.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  jn_model *model = NULL;
  jn_kernel_text text = {0};
  jn_error error = {0};
  const jn_generate_options options = {.generic = 1};
  if (argc != 3 || strlen(argv[1]) != 3) return 2;
  const jn_kernel kernel = argv[1][0] == 'f' ? JN_KERNEL_FORWARD : JN_KERNEL_INVERSE;
  /* the text is the same for every robot */
  jn_status status = jn_model_load("pendulum", NULL, NULL, &model, &error);
  if (!status)
    status = jn_generate_kernel(model, kernel, argv[1][2] - '0', &options, NULL, &text, &error);
  FILE *f = status ? NULL : fopen(argv[2], "w");
  int good = f && fputs(text.source, f) >= 0;
  if (f) good &= fclose(f) == 0;
  if (!good) fprintf(stderr, "generic_text: %s\n", status ? error.message : "cannot write");
  jn_kernel_text_free(&text);
  jn_model_free(model);
  return !good;
}
