/* model.h: parses model texts, lints and builds them; some are saved, read again and computed with.
 *
 * Form feeds separate texts, each of which is read by itself. A text that begins with '=' is one of
 * files: each follows a line "=NAME" or "=pkg/NAME", and the first is loaded. Its line may go on with
 * the package path and arguments of xacro. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <jounce/jounce.h>
#include <jounce/io.h>
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  PROMISE(jn_spec_save_json(spec, "/dev/null", &error) == JN_OK);
  const jn_status status = jn_spec_save_urdf(spec, "/dev/null", &error);
  PROMISE(status == JN_OK || status == JN_ERR_MODEL);
}

/* Builds the model with a joint locked. */
static void lock_a_joint(jn_spec *spec, const jn_build_options *options, uint32_t which) {
  static const double q[4] = {0.6, 0.8, 0, 0};
  const int count = jn_spec_joint_count(spec);
  const jn_joint_desc *j =
      count ? jn_spec_get_joint(spec, (int)(which / 4 % (uint32_t)count)) : NULL;
  if (!j || !j->name) return;
  const jn_status status = jn_spec_lock(spec, j->name, which % 4 ? q : NULL);
  PROMISE(status == JN_OK || status == JN_ERR_MODEL || status == JN_ERR_ARGUMENT);
  jn_model *model = NULL;
  jn_error error;
  if (status == JN_OK) jn_model_build(spec, options, arena(), &model, &error);
  jn_model_free(model);
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
    lock_a_joint(spec, &options, hash / 768);
  }
  jn_model_free(model);
}

typedef jn_status parser(const char *, size_t, const char *, const jn_allocator *, jn_spec **,
                         jn_error *);

static void finish(jn_status status, jn_spec *spec, const jn_error *error, uint32_t hash) {
  PROMISE((status == JN_OK) == (spec != NULL));
  PROMISE(status == JN_OK || (error->status == status && error->message[0] != '\0'));
  if (spec) build_model(spec, hash);
  jn_spec_free(spec);
}

/* The path of a file in a folder of this process; 0: such a name is not used. */
static int path_of(const char *name, char path[600]) {
  static char folder[500];
  if (!folder[0]) {
    snprintf(folder, sizeof folder, "%s", own_file("model"));
    snprintf(path, 600, "%s/pkg", folder);
    PROMISE(mkdir(folder, 0700) == 0 && mkdir(path, 0700) == 0);
  }
  snprintf(path, 600, "%s/%s", folder, name);
  if (strcmp(name, "pkg") == 0 || strlen(name) > 40) return 0;
  if (strncmp(name, "pkg/", 4) == 0) name += 4;
  for (const char *at = name; *at; at++)
    if (!isalnum((unsigned char)*at) && (*at != '.' || at == name)) return 0;
  return name[0] != '\0';
}

/* Writes the files of a text, which is changed; loads and expands the first, removes them. */
static void read_files(char *text, uint32_t hash) {
  enum { FILES = 6, WORDS = 6 };
  char path[FILES][600], *words[WORDS] = {0};
  const char *packages = NULL;
  int files = 0, count = 0;
  for (char *at = text, *next; at && files < FILES; at = next) {
    char *content = strchr(at, '\n');
    if (!content) break;
    *content++ = '\0';
    char *end = strstr(content, "\n=");
    next = end ? end + 1 : NULL;
    for (char *word = strtok(at, " "); files == 0 && word && count + 1 < WORDS;
         word = strtok(NULL, " "))
      words[count++] = word;
    if (!path_of(at + 1, path[files])) break;
    put_file(path[files++], content, end ? (size_t)(end - content) : strlen(content));
  }
  if (count > 1 && strcmp(words[1], "pkg") == 0) packages = own_file("model/pkg");
  if (count > 1 && strspn(words[1], "none:") == strlen(words[1])) packages = words[1];
  if (files > 0) {
    const jn_load_options options = {packages, count > 2 ? (const char *const *)words + 2 : NULL};
    jn_spec *spec = NULL;
    jn_error error;
    char *urdf = NULL;
    error.status = JN_OK, error.message[0] = '\0';
    jn_status status = jn_spec_load_with(path[0], &options, arena(), &spec, &error);
    finish(status, spec, &error, hash);
    status = jn_xacro_expand(path[0], &options, arena(), &urdf, &error);
    PROMISE((status == JN_OK) == (urdf != NULL));
    jn_text_free(urdf, arena());
  }
  for (int i = 0; i < files; i++) unlink(path[i]);
}

static inline void read_model(const uint8_t *bytes, size_t size, parser *parse) {
  for (size_t at = 0, length; at <= size; at += length + 1) {
    const uint8_t *end = at < size ? memchr(bytes + at, '\f', size - at) : NULL;
    length = end ? (size_t)(end - bytes) - at : size - at;
    const uint32_t hash = hash_of(bytes + at, length);
    const int is_files = length > 0 && bytes[at] == '=';
    /* a block of exactly its size: reading past its end is detected */
    char *text = arena()->allocate(length + (length == 0 || is_files), NULL);
    memcpy(text, bytes + at, length);
    if (is_files) text[length] = '\0';
    if (is_files) read_files(text, hash);
    jn_spec *spec = NULL;
    jn_error error;
    error.status = JN_OK, error.message[0] = '\0';
    const jn_status status =
        is_files ? JN_OK : parse(text, length, "input", arena(), &spec, &error);
    arena()->release(text, NULL);
    if (!is_files) finish(status, spec, &error, hash);
    input_end(); /* each has a time of its own */
  }
}

#endif
