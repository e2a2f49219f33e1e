/* mjcf.c: fuzz target for MJCF files; in every second text the geometry is read, too. */
#include "io/load.h"
#include "model.h"
#include "mutate.h"

MUTATES_TEXTS(0);

static void look(void *context, const jn_geom *geom) {
  (void)context;
  PROMISE(geom->link[0] != '\0' && geom->type[0] != '\0');
}

static jn_status parse(const char *text, size_t size, const char *name,
                       const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (size % 2 == 0) return jn_spec_parse_mjcf(text, size, name, allocator, out, error);
  return jn_mjcf_watch(text, size, name, NULL, NULL, NULL, allocator, look, NULL, out, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  read_model(bytes, size, parse);
  return 0;
}
