/* yaml.c: fuzz target for the files of load_yaml in xacro. */
#include <string.h>

#include "io/xacro/xacro.h"
#include "mutate.h"
#include "target.h"

MUTATES(0);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  jn_error error;
  error.status = JN_OK, error.message[0] = '\0';
  xacro *x = arena()->allocate(sizeof *x, NULL);
  char *text = arena()->allocate(size + (size == 0), NULL);
  memset(x, 0, sizeof *x);
  memcpy(text, bytes, size);
  x->hooks = x->tree.hooks = *arena();
  x->error = &error;
  x->files[0].name = "input.yaml";
  x->file_count = 1;
  const xacro_value value = jn_xacro_yaml_text(x, 0, text, size);
  xacro_buffer b = {NULL, 0, 0};
  if (x->status == JN_OK) {
    jn_xacro_write(x, &b, value, 1); /* as text: every value is read */
    PROMISE(x->status == JN_OK || x->status == JN_ERR_LIMIT);
  } else {
    PROMISE(error.status == x->status && error.message[0] != '\0');
  }
  jn_xacro_free(x);
  arena()->release(text, NULL);
  arena()->release(x, NULL);
  input_end();
  return 0;
}
