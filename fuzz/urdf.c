/* urdf.c: fuzz target for URDF files. */
#include "model.h"
#include "mutate.h"

MUTATES_TEXTS(0);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  read_model(bytes, size, jn_spec_parse_urdf);
  return 0;
}
