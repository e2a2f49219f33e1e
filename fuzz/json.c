/* json.c: a native model file. */
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  read_model(bytes, size, jn_spec_parse_json);
  return 0;
}
