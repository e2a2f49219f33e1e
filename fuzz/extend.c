/* extend.c: fuzz target for side files: frames, constraints, rotors and passive joints of a robot. */
#include "model.h"
#include "mutate.h"

MUTATES_TEXTS(1);

/* the least that side files can refer to */
static const char *const robots[2] = {
    "{\"bodies\":[{\"name\":\"B1\",\"mass\":1,\"joint\":{\"name\":\"base\",\"type\":\"free\"}},"
    "{\"name\":\"B2\",\"parent\":\"B1\",\"joint\":{\"name\":\"q2\",\"type\":\"revolute\",\"axis\":"
    "[0,0,1]}}]}",
    "{\"bodies\":[{\"name\":\"B1\",\"joint\":{\"name\":\"q1\",\"type\":\"prismatic\",\"axis\":[0,0,"
    "1]}},"
    "{\"name\":\"B2\",\"parent\":\"B1\",\"joint\":{\"name\":\"q2\",\"type\":\"revolute\",\"axis\":"
    "[0,0,1]}}]}"};

static void extend(const char *robot, const uint8_t *bytes, size_t size) {
  jn_spec *spec = NULL;
  jn_error error;
  error.status = JN_OK, error.message[0] = '\0';
  PROMISE(jn_spec_parse_json(robot, strlen(robot), "robot", arena(), &spec, NULL) == JN_OK);
  char *text = arena()->allocate(size + (size == 0), NULL), *before = NULL, *after = NULL;
  memcpy(text, bytes, size);
  const uint32_t hash = hash_of(bytes, size);
  if (hash % 16 == 0) PROMISE(jn_spec_to_json(spec, arena(), &before, NULL) == JN_OK);
  const jn_status status = hash % 32 == 0 ? jn_spec_extend(spec, file_of_bytes(bytes, size), &error)
                                          : jn_spec_extend_json(spec, text, size, "input", &error);
  arena()->release(text, NULL);
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (status != JN_OK && before) { /* a failure leaves the spec as it was */
    PROMISE(jn_spec_to_json(spec, arena(), &after, NULL) == JN_OK && strcmp(before, after) == 0);
  }
  if (status == JN_OK) build_model(spec, hash / 16);
  jn_text_free(before, arena());
  jn_text_free(after, arena());
  jn_spec_free(spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  for (size_t at = 1; at <= size;) { /* form feeds separate texts */
    const uint8_t *end = at < size ? memchr(bytes + at, '\f', size - at) : NULL;
    const size_t length = end ? (size_t)(end - bytes) - at : size - at;
    extend(robots[bytes[0] & 1], bytes + at, length);
    at += length + 1;
    input_end(); /* each has a time of its own */
  }
  return 0;
}
