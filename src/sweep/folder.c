/* folder.c: the folder of a sweep: its manifest, and shards with checksums. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/block.h"
#include "base/fail.h"
#include "io/file.h"
#include "io/tables/npy.h"
#include "sweep/sweep.h"

/* The manifest. */

static void hash_text(jn_sha256 *h, const char *text) { jn_sha256_add(h, text, strlen(text)); }

/* jansson 2.14 loses a key, without an error, when memory for it fails: the length shows it. */
char *jn_sweep_dump(const json_t *value, size_t flags) {
  flags |= JSON_REAL_PRECISION(17);
  char *text = json_dumps(value, flags);
  if (!text || strlen(text) == json_dumpb(value, NULL, 0, flags)) return text;
  jn_json_dump_free(text);
  return NULL;
}

/* a motion by the text that describes it exactly */
static jn_status hash_motion(const jn_sweep *s, const jn_trajectory *T, jn_sha256 *h) {
  char *text = NULL;
  jn_status status = jn_trajectory_to_json(T, s->model, &s->hooks, &text, NULL);
  if (!status) hash_text(h, text);
  jn_text_free(text, &s->hooks);
  return status;
}

static jn_status hash_job(const jn_sweep *s, const json_t *job, char text[SHA256_TEXT]) {
  jn_sha256 h;
  jn_status status = JN_OK;
  char *dump = jn_sweep_dump(job, JSON_COMPACT);
  if (!dump) return JN_ERR_MEMORY;
  jn_sha256_begin(&h);
  hash_text(&h, dump);
  jn_json_dump_free(dump);
  for (int i = 0; i < s->trajectories && !status; i++)
    status = hash_motion(s, s->trajectory[i], &h);
  jn_sha256_end(&h, text);
  return status;
}

static void hash_model(const jn_sweep *s, char text[SHA256_TEXT]) {
  char build[64];
  jn_sha256 h;
  jn_sha256_begin(&h);
  snprintf(build, sizeof build, "%d %d %d %d\n", (int)s->build.root, (int)s->build.inertia,
           s->build.lenient, s->build.mimic);
  hash_text(&h, build);
  jn_sha256_add(&h, s->model_text, s->model_size);
  jn_sha256_end(&h, text);
}

json_t *jn_sweep_append(json_t *list, json_t *element) {
  if (json_array_append_new(list, element) == 0) return list;
  json_decref(list);
  return NULL;
}

json_t *jn_sweep_member(json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) == 0) return object;
  json_decref(object);
  return NULL;
}

json_t *jn_sweep_numbers(const double *x, size_t n, size_t stride) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++) list = jn_sweep_append(list, json_real(x[i * stride]));
  return list;
}

static json_t *names(int count, const char *const *name) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) list = jn_sweep_append(list, json_string(name[i]));
  return list;
}

jn_status jn_sweep_manifest(jn_sweep *s, const json_t *job, jn_error *error) {
  const jn_sweep_info *f = &s->info;
  char of_job[SHA256_TEXT], of_model[SHA256_TEXT];
  jn_status status = hash_job(s, job, of_job);
  if (status) return jn_fail(error, status, NULL, 0, "%s", jn_status_text(status));
  hash_model(s, of_model);
  json_t *m = json_pack(
      "{s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:I, s:i, s:o, s:o, s:o, s:I}", "jounce", JN_VERSION,
      "run", f->run, "job", of_job, "model", of_model, "engine", f->engine, "samples",
      (json_int_t)f->samples, "shards", f->shards, "shard_rows", (json_int_t)f->shard_rows,
      "parameters", f->parameters, "columns", names(f->columns, f->names), "channels",
      names(f->channels, f->channel_names), "times",
      jn_sweep_numbers(f->times, (size_t)f->instants, 1), "band_every", (json_int_t)f->band_every);
  char *text = m ? jn_sweep_dump(m, JSON_INDENT(1)) : NULL;
  json_decref(m);
  if (text) s->manifest_text = jn_arena_copy(&s->arena, &s->hooks, text);
  jn_json_dump_free(text);
  if (!s->manifest_text) return jn_fail(error, JN_ERR_MEMORY, NULL, 0, "out of memory");
  jn_sha256 h;
  jn_sha256_begin(&h);
  hash_text(&h, s->manifest_text);
  jn_sha256_end(&h, s->manifest);
  return JN_OK;
}

/* Files. */

void jn_sweep_path(const char *folder, const char *kind, int shard, const char *ending,
                   char path[SWEEP_PATH]) {
  if (shard < 0)
    snprintf(path, SWEEP_PATH, "%s/%s%s", folder, kind, ending);
  else
    snprintf(path, SWEEP_PATH, "%s/%s-%06d%s", folder, kind, shard, ending);
}

void jn_sweep_range(const jn_sweep *s, int shard, uint64_t *first, uint64_t *count) {
  const uint64_t rows = s->info.shard_rows;
  *first = (uint64_t)shard * rows;
  *count = s->info.samples - *first < rows ? s->info.samples - *first : rows;
}

uint64_t jn_sweep_bands_before(const jn_sweep *s, uint64_t sample) {
  return s->info.channels ? (sample + s->info.band_every - 1) / s->info.band_every : 0;
}

static jn_status write_text(FILE *file, void *context) {
  fputs(context, file);
  return JN_OK;
}

/* which key of the manifest in the folder is not ours; NULL: none */
static const char *difference(const jn_sweep *s, const char *text, char out[JN_MAX_MESSAGE]) {
  static const char *const keys[] = {"jounce", "run", "model", "job", "engine", NULL};
  static const char *const words[] = {"version of jounce", "run", "robot", "job",
                                      "instruction set",   NULL};
  json_t *a = json_loads(text, 0, NULL), *b = json_loads(s->manifest_text, 0, NULL);
  int i = 0;
  while (keys[i] && json_object_get(a, keys[i]) &&
         json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
    i++;
  const char *theirs = json_string_value(json_object_get(a, keys[i] ? keys[i] : "job")),
             *ours = json_string_value(json_object_get(b, keys[i] ? keys[i] : "job"));
  const int engine = keys[i] && strcmp(keys[i], "engine") == 0;
  snprintf(out, JN_MAX_MESSAGE, "another %s (%.12s, now %.12s)%s", keys[i] ? words[i] : "job",
           theirs ? theirs : "none", ours ? ours : "none",
           engine ? "; \"strict\": true in the job gives the same bits on every machine" : "");
  json_decref(a);
  json_decref(b);
  return out;
}

jn_status jn_sweep_begin(const jn_sweep *s, const char *folder, jn_error *error) {
  char path[SWEEP_PATH], why[JN_MAX_MESSAGE], *text = NULL;
  size_t size = 0;
  struct stat about;
  if (!s || !folder || !folder[0] || strlen(folder) > SWEEP_PATH - 64)
    return jn_fail(error, JN_ERR_ARGUMENT, folder, 0, "the sweep or the folder is missing");
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return jn_fail(error, JN_ERR_FILE, folder, 0, "cannot make the folder: %s", strerror(errno));
  jn_sweep_path(folder, "sweep", -1, ".json", path);
  if (stat(path, &about) != 0) return jn_file_write(path, write_text, s->manifest_text, error);
  jn_status status = jn_file_read(path, &s->hooks, &text, &size, error);
  if (status) return status;
  if (size != strlen(s->manifest_text) || memcmp(text, s->manifest_text, size) != 0)
    status = jn_fail(error, JN_ERR_STATE, path, 0,
                     "the folder belongs to %s; choose another folder, or remove this one",
                     difference(s, text, why));
  jn_block_free(&s->hooks, text);
  return status;
}

/* Shards. */

typedef struct array_file {
  const double *x;
  uint64_t rows;
  size_t columns;
  jn_sha256 hash;
} array_file;

static jn_status write_array(FILE *file, void *context) {
  array_file *a = context;
  unsigned char header[NPY_HEADER], b[4096];
  char shape[64];
  snprintf(shape, sizeof shape, "(%llu, %zu), ", (unsigned long long)a->rows, a->columns);
  jn_npy_header(header, shape);
  jn_sha256_begin(&a->hash);
  jn_sha256_add(&a->hash, header, sizeof header);
  fwrite(header, 1, sizeof header, file);
  const size_t count = (size_t)a->rows * a->columns, room = sizeof b / 8;
  for (size_t i = 0; i < count; i += room) {
    const size_t n = count - i < room ? count - i : room;
    for (size_t k = 0; k < n; k++) jn_npy_number(b + 8 * k, a->x[i + k]);
    jn_sha256_add(&a->hash, b, 8 * n);
    fwrite(b, 1, 8 * n, file);
  }
  return JN_OK;
}

static jn_status save_array(const char *folder, const char *kind, int shard, array_file *a,
                            char hash[SHA256_TEXT], jn_error *error) {
  char path[SWEEP_PATH];
  jn_sweep_path(folder, kind, shard, ".npy", path);
  jn_status status = jn_file_write(path, write_array, a, error);
  jn_sha256_end(&a->hash, hash);
  return status;
}

/* the checksums that a shard has, as one text */
static void describe(const jn_sweep *s, int shard, const char *rows, const char *bands, char *out,
                     size_t size) {
  uint64_t first, count;
  jn_sweep_range(s, shard, &first, &count);
  snprintf(out, size,
           "{\"shard\": %d, \"first\": %llu, \"samples\": %llu,\n \"sweep\": \"%s\",\n"
           " \"sha256\": \"%s\",\n \"bands_sha256\": \"%s\"}\n",
           shard, (unsigned long long)first, (unsigned long long)count, s->manifest, rows, bands);
}

jn_status jn_sweep_shard(jn_sweep_worker *w, const char *folder, int shard,
                         jn_sweep_progress *progress, void *context, jn_error *error) {
  if (!w || !folder || shard < 0 || shard >= w->sweep->info.shards)
    return jn_fail(error, JN_ERR_ARGUMENT, folder, 0, "worker or folder is NULL, or no such shard");
  const jn_sweep *s = w->sweep;
  const size_t columns = (size_t)s->info.columns,
               width = (size_t)s->info.channels * (size_t)s->info.instants;
  uint64_t first, count;
  char of_rows[SHA256_TEXT] = "", of_bands[SHA256_TEXT] = "", text[512], path[SWEEP_PATH];
  jn_sweep_range(s, shard, &first, &count);
  const uint64_t bands = jn_sweep_bands_before(s, first + count) - jn_sweep_bands_before(s, first);
  double *rows = jn_block_new(&w->hooks, (size_t)count, columns * sizeof *rows),
         *band = jn_block_new(&w->hooks, (size_t)bands * width + 1, sizeof *band);
  jn_status status = rows && band ? JN_OK : JN_ERR_MEMORY;
  if (!status) status = jn_sweep_evaluate(w, first, count, rows, band, progress, context);
  if (status) jn_fail(error, status, folder, 0, "shard %d: %s", shard, jn_status_text(status));
  array_file a = {.x = rows, .rows = count, .columns = columns},
             b = {.x = band, .rows = bands, .columns = width};
  if (!status) status = save_array(folder, "shard", shard, &a, of_rows, error);
  if (!status && bands) status = save_array(folder, "bands", shard, &b, of_bands, error);
  if (!status) {
    describe(s, shard, of_rows, of_bands, text, sizeof text);
    jn_sweep_path(folder, "shard", shard, ".json", path);
    status = jn_file_write(path, write_text, text, error);
  }
  jn_block_free(&w->hooks, rows);
  jn_block_free(&w->hooks, band);
  return status;
}

/* the SHA-256 of a file; "" if it cannot be read */
static void hash_file(const char *folder, const char *kind, int shard, char hash[SHA256_TEXT]) {
  char path[SWEEP_PATH];
  unsigned char b[8192];
  size_t n;
  jn_sha256 h;
  hash[0] = '\0';
  jn_sweep_path(folder, kind, shard, ".npy", path);
  FILE *file = fopen(path, "rb");
  if (!file) return;
  jn_sha256_begin(&h);
  while ((n = fread(b, 1, sizeof b, file)) > 0) jn_sha256_add(&h, b, n);
  if (!ferror(file)) jn_sha256_end(&h, hash);
  fclose(file);
}

int jn_sweep_is_done(const jn_sweep *s, const char *folder, int shard, int verify) {
  char path[SWEEP_PATH], rows[SHA256_TEXT], bands[SHA256_TEXT] = "", ours[512], theirs[513];
  uint64_t first, count;
  if (!s || !folder || shard < 0 || shard >= s->info.shards) return 0;
  jn_sweep_path(folder, "shard", shard, ".json", path);
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  const size_t size = fread(theirs, 1, sizeof theirs - 1, file);
  theirs[size] = '\0';
  fclose(file);
  if (!verify) return strstr(theirs, s->manifest) != NULL;
  jn_sweep_range(s, shard, &first, &count);
  hash_file(folder, "shard", shard, rows);
  if (jn_sweep_bands_before(s, first + count) > jn_sweep_bands_before(s, first))
    hash_file(folder, "bands", shard, bands);
  describe(s, shard, rows, bands, ours, sizeof ours);
  return rows[0] && strcmp(ours, theirs) == 0;
}
