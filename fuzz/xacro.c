/* xacro.c: fuzz target for xacro files; every second text is expanded with arguments, too. */
#include "model.h"
#include "mutate.h"

MUTATES_TEXTS(0);

static jn_status parse(const char *text, size_t size, const char *name,
                       const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  static const char *const arguments[] = {"a:=5", "b:=\xff", NULL};
  const jn_load_options options = {NULL, arguments};
  char *urdf = NULL;
  if (size % 2 == 0) return jn_spec_parse_xacro(text, size, name, allocator, out, error);
  const jn_status status =
      jn_xacro_expand_text(text, size, name, &options, allocator, &urdf, error);
  jn_text_free(urdf, allocator);
  return status ? status
                : jn_spec_parse_with(text, size, "a.xacro", &options, allocator, out, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  read_model(bytes, size, parse);
  return 0;
}
