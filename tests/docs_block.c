/* docs_block.c: test_docs.sh inserts the statements of a page here: a free base, home, at rest. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  jn_model *model;
  jn_data *data;
  jn_error error;
  if (jn_model_load("tilthex", NULL, NULL, &model, &error)) return puts(error.message), 1;
  if (jn_data_new(model, 5, NULL, &data)) return 1;
  enum { nq = 13, nv = 12 };
  double q[nq], v[7 * nv] = {0}, tau[6 * nv] = {0};
  if (jn_model_nq(model) != nq || jn_model_nv(model) != nv) return 1;
  jn_model_home(model, q);
  // clang-format off
  {
BLOCK
  }  // clang-format on
  jn_data_free(data);
  jn_model_free(model);
  return 0;
}
