/* model.h: parses a model text, lints and builds it; some are saved, read again and computed with. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <jounce/jounce.h>
#include <jounce/io.h>
#include <math.h>
#include <string.h>

#include "target.h"

static void compute(const jn_model *model) {
  jn_data *data = NULL;
  const size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  if (nv > 30) return;
  PROMISE(jn_data_new(model, 1, arena(), &data) == JN_OK);
  double *x = calloc(nq + 5 * nv + 1, sizeof *x), *v = x + nq, *tau = v + 3 * nv;
  PROMISE(x != NULL);
  jn_model_home(model, x);
  for (size_t i = 0; i < 3 * nv; i++) v[i] = 0.25;
  if (jn_inverse_dynamics(model, data, 1, x, v, NULL, tau) == JN_OK)
    for (size_t i = 0; i < 2 * nv; i++) PROMISE(isfinite(tau[i]));
  free(x);
  jn_data_free(data);
}

/* What is written is read as the same robot: the texts are equal. A spec that can be built can be
 * written. */
static void save_and_read(const jn_spec *spec, int is_built) {
  jn_error error;
  jn_spec *again = NULL;
  char *text = NULL, *second = NULL;
  const jn_status written = jn_spec_to_json(spec, arena(), &text, &error);
  PROMISE(written == JN_OK || (written == JN_ERR_MODEL && !is_built));
  if (written != JN_OK) return;
  PROMISE(jn_spec_parse_json(text, strlen(text), "written", arena(), &again, &error) == JN_OK);
  PROMISE(jn_spec_to_json(again, arena(), &second, &error) == JN_OK);
  PROMISE(strcmp(text, second) == 0);
  jn_text_free(text, arena());
  jn_text_free(second, arena());
  jn_spec_free(again);
  const jn_status status = jn_spec_save_urdf(spec, "/dev/null", &error);
  PROMISE(status == JN_OK || status == JN_ERR_MODEL);
}

/* Builds the model of a spec with options that the hash of the input chooses. */
static void build_model(jn_spec *spec, uint32_t hash) {
  const jn_build_options options = {(jn_root)(hash % 3), (jn_inertia_policy)(hash / 3 % 4),
                                    (int)(hash / 12 % 2), (int)(hash / 24 % 2)};
  jn_model *model = NULL;
  jn_error error;
  const jn_status status = jn_model_build(spec, &options, arena(), &model, &error);
  PROMISE((status == JN_OK) == (model != NULL));
  PROMISE(status == JN_OK || error.message[0] != '\0');
  if (hash / 48 % 16 == 0) {
    if (model) compute(model);
    PROMISE(jn_spec_lint_for(spec, &options) == JN_OK);
    save_and_read(spec, model != NULL);
  }
  jn_model_free(model);
}

static inline void read_model(const uint8_t *bytes, size_t size,
                              jn_status (*parse)(const char *, size_t, const char *,
                                                 const jn_allocator *, jn_spec **, jn_error *)) {
  jn_spec *spec = NULL;
  jn_error error;
  error.status = JN_OK, error.message[0] = '\0';
  /* a block of exactly its size: reading past its end is detected */
  char *text = arena()->allocate(size + (size == 0), NULL);
  memcpy(text, bytes, size);
  const jn_status status = parse(text, size, "input", arena(), &spec, &error);
  arena()->release(text, NULL);
  PROMISE((status == JN_OK) == (spec != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (spec) build_model(spec, hash_of(bytes, size));
  jn_spec_free(spec);
  input_end();
}

#endif
