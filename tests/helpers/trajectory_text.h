/* trajectory_text.h: models and descriptions of motions given as texts. */
#ifndef TEST_TRAJECTORY_TEXT_H
#define TEST_TRAJECTORY_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"
#include "helpers/files.h"

static inline jn_model *model_of(const char *name) {
  jn_model *model;
  jn_error error;
  if (jn_model_load(name, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
  return model;
}

static inline jn_model *model_of_text(const char *text) {
  put("model.json", text);
  return model_of(temporary("model.json"));
}

static inline jn_status parse(const jn_model *model, const char *text, jn_trajectory **T,
                              jn_error *error) {
  return jn_trajectory_parse(text, strlen(text), "x.json", model, NULL, NULL, NULL, T, error);
}

/* a text with ' in place of " */
static inline jn_status parse_quoted(const jn_model *model, const char *name, const char *text,
                                     jn_trajectory **T, jn_error *error) {
  char *copy = strdup(text);
  for (char *c = copy; *c; c++)
    if (*c == '\'') *c = '"';
  jn_status status =
      jn_trajectory_parse(copy, strlen(copy), name, model, NULL, NULL, NULL, T, error);
  free(copy);
  return status;
}

#endif
