/* sweep.c: fuzz target for sweeps: a job, or the files of a folder that another process may have
 * left: the manifest, the description of a shard and its numbers. */
#include <jounce/sweep.h>
#include <math.h>
#include <string.h>

#include "mutate.h"
#include "robot.h"

MUTATES(1);

static jn_spec *robot_spec(int which) {
  static jn_spec *spec[2];
  const char *text = robot_texts[which];
  if (!spec[which])
    PROMISE(jn_spec_parse_json(text, strlen(text), "robot", NULL, &spec[which], NULL) == JN_OK);
  return spec[which];
}

static void evaluate(const jn_sweep *sweep) {
  const jn_sweep_info *about = jn_sweep_about(sweep);
  jn_sweep_worker *worker = NULL;
  jn_error error;
  PROMISE(about->columns > about->parameters && about->samples > 0 && about->shards > 0);
  /* motions and simulations may take long */
  if (strcmp(about->run, "id") != 0 && strcmp(about->run, "fd") != 0) return;
  if (jn_sweep_worker_new(sweep, arena(), &worker, &error) != JN_OK) return;
  double *row = arena()->allocate(sizeof *row * (size_t)about->columns, NULL);
  if (jn_sweep_evaluate(worker, about->samples - 1, 1, row, NULL, NULL, NULL) == JN_OK)
    for (int i = 0; row[about->columns - 1] == 0 && i < about->columns; i++)
      PROMISE(isfinite(row[i]));
  arena()->release(row, NULL);
  jn_sweep_worker_free(worker);
}

static void read_job(const uint8_t *bytes, size_t size, uint32_t hash) {
  char *text = arena()->allocate(size, NULL);
  jn_sweep *sweep = NULL;
  jn_error error;
  error.status = JN_OK, error.message[0] = '\0';
  memcpy(text, bytes + 1, size - 1);
  const jn_status status = jn_sweep_parse(text, size - 1, "/nowhere/job.json",
                                          robot_spec(bytes[0] & 1), NULL, arena(), &sweep, &error);
  arena()->release(text, NULL);
  PROMISE((status == JN_OK) == (sweep != NULL));
  PROMISE(status == JN_OK || (error.status == status && error.message[0] != '\0'));
  if (sweep && hash % 8 == 0) evaluate(sweep);
  jn_sweep_free(sweep);
}

/* A folder with one shard of three samples, in which one file is replaced by the bytes. */
static void read_folder(const uint8_t *bytes, size_t size) {
  static const char job[] =
      "{\"run\": \"id\", \"samples\": 3, \"vary\": {\"mass:B1\": {\"uniform\": [1, 2]}}}";
  static const char *const names[] = {"sweep.json", "shard-000000.json", "shard-000000.npy"};
  static jn_sweep *sweep;
  static char folder[80], path[3][128];
  static char *kept[3];
  static size_t length[3];
  jn_error error;
  if (!sweep) {
    jn_sweep_worker *worker = NULL;
    PROMISE(jn_sweep_parse(job, sizeof job - 1, "job.json", robot_spec(1), NULL, NULL, &sweep,
                           &error) == JN_OK);
    snprintf(folder, sizeof folder, "%s", own_file("folder"));
    PROMISE(jn_sweep_begin(sweep, folder, &error) == JN_OK);
    PROMISE(jn_sweep_worker_new(sweep, NULL, &worker, &error) == JN_OK);
    PROMISE(jn_sweep_shard(worker, folder, 0, NULL, NULL, &error) == JN_OK);
    jn_sweep_worker_free(worker);
    for (int i = 0; i < 3; i++) {
      snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
      FILE *file = fopen(path[i], "rb");
      kept[i] = malloc(4096);
      PROMISE(file && kept[i]);
      length[i] = fread(kept[i], 1, 4096, file);
      fclose(file);
    }
  }
  const int which = bytes[0] / 4 % 3;
  put_file(path[which], bytes + 1, size - 1);
  const jn_status begun = jn_sweep_begin(sweep, folder, &error);
  const int same = size - 1 == length[which] && memcmp(bytes + 1, kept[which], size - 1) == 0;
  PROMISE((begun == JN_OK) == (which != 0 || same));
  const int done = jn_sweep_is_done(sweep, folder, 0, 1);
  PROMISE(done == (which == 0 || same));
  put_file(path[which], kept[which], length[which]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 1) return 0;
  if (bytes[0] & 2)
    read_folder(bytes, size);
  else
    read_job(bytes, size, hash_of(bytes, size));
  input_end();
  return 0;
}
