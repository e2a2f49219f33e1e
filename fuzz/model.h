/* model.h: parses a model text, lints, builds and saves it, and computes with it. */
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
  if (nv > 60) return;
  PROMISE(jn_data_new(model, 1, NULL, &data) == JN_OK);
  double *x = calloc(nq + 5 * nv + 1, sizeof *x), *v = x + nq, *tau = v + 3 * nv;
  PROMISE(x != NULL);
  jn_model_home(model, x);
  for (size_t i = 0; i < 3 * nv; i++) v[i] = 0.25;
  if (jn_inverse_dynamics(model, data, 1, x, v, NULL, tau) == JN_OK)
    for (size_t i = 0; i < 2 * nv; i++) PROMISE(isfinite(tau[i]));
  free(x);
  jn_data_free(data);
}

static void read_model(const uint8_t *bytes, size_t size,
                       jn_status (*parse)(const char *, size_t, const char *, const jn_allocator *,
                                          jn_spec **, jn_error *)) {
  jn_spec *spec = NULL;
  jn_model *model = NULL;
  jn_error error;
  memset(&error, 0, sizeof error);
  /* a block of exactly its size: reading past its end is detected */
  char *text = malloc(size + (size == 0));
  PROMISE(text != NULL);
  memcpy(text, bytes, size);
  jn_status status = parse(text, size, "input", NULL, &spec, &error);
  free(text);
  PROMISE((status == JN_OK) == (spec != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (status != JN_OK) return;
  PROMISE(jn_spec_lint(spec) == JN_OK);
  PROMISE(jn_spec_save_json(spec, "/dev/null", &error) == JN_OK);
  status = jn_spec_save_urdf(spec, "/dev/null", &error);
  PROMISE(status == JN_OK || status == JN_ERR_MODEL);
  jn_build_options options = {(jn_root)(size % 3), (jn_inertia_policy)(size / 3 % 4),
                              (int)(size / 12 % 2), (int)(size / 24 % 2)};
  PROMISE(jn_spec_lint_for(spec, &options) == JN_OK);
  status = jn_model_build(spec, &options, NULL, &model, &error);
  PROMISE((status == JN_OK) == (model != NULL));
  if (model) compute(model);
  jn_model_free(model);
  jn_spec_free(spec);
}

#endif
