/* test_sweep_memory.c: a sweep from its job to its result, while each request for memory fails in turn,
 * those of the library and those of jansson, and while files change under it: a status, no block lost,
 * and what succeeds is what succeeds without failures. */
#include "helpers/check.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/counter.h"
#include "helpers/files.h"

#define MOTION                                                                   \
  "{\"kind\": \"minimum\", \"times\": [0, 1], \"joints\": {\"joint1\": [0, 1], " \
  "\"joint2\": [0, 1]}}"
#define MASS "\"samples\": 2, \"vary\": {\"mass:link1\": {\"uniform\": [1, 2]}}"
#define TURN                                                                    \
  "\"trajectory\": {\"kind\": \"minimum\", \"times\": [0, 1], \"hold\": true, " \
  "\"joints\": {\"crank\": [0, 0.3]}}, \"samples\": 2, "                        \
  "\"vary\": {\"gravity:x\": {\"uniform\": [0, 1]}}"

static const struct {
  const char *robot, *job;
} jobs[] = {
    {"double_pendulum",
     "{\"run\": \"id\", \"bins\": 2, \"samples\": 2, \"vary\": {\"q:joint1\": {\"choice\": [1, "
     "2]}}}"},
    {"double_pendulum", "{\"run\": \"traj\", \"bins\": 2, \"instants\": 2, \"trajectory\": [" MOTION
                        ", " MOTION "], \"set\": {\"trajectory\": 1}, \"samples\": 2, \"vary\": "
                        "{\"time_scale\": {\"uniform\": [1, "
                        "2]}}}"},
    {"double_pendulum",
     "{\"run\": \"limits\", \"instants\": 2, \"bins\": 2, \"trajectory\": " MOTION ", " MASS "}"},
    {"double_pendulum",
     "{\"run\": \"simulate\", \"instants\": 2, \"bins\": 2, \"scheme\": \"rkmk4\", \"step\": 0.5, "
     "\"control\": {\"kp\": 1}, \"trajectory\": " MOTION ", " MASS "}"},
    {"fourbar",
     "{\"run\": \"fd\", \"bins\": 2, \"samples\": 2, \"vary\": {\"gravity:x\": {\"uniform\": [0, "
     "1]}}}"},
    {"fourbar", "{\"run\": \"traj\", \"bins\": 2, \"instants\": 2, " TURN "}"},
    {"fourbar", "{\"run\": \"limits\", \"bins\": 2, \"instants\": 2, " TURN "}"},
};

static char folder[300];

static void empty_folder(const char *path) { remove(path); }

/* From the job to the result; what was said is in *error. */
static jn_status everything(const char *robot, const char *job, const jn_allocator *a,
                            jn_error *error) {
  jn_spec *spec = NULL;
  jn_sweep *s = NULL;
  jn_sweep_worker *w = NULL;
  jn_sweep_result *r = NULL;
  walk_folder(folder, empty_folder);
  assert_ok(jn_spec_builtin(robot, NULL, &spec, NULL));
  jn_status status = jn_sweep_parse(job, strlen(job), "job", spec, NULL, a, &s, error);
  assert_int_equal(status == JN_OK, s != NULL);
  if (!status) status = jn_sweep_worker_new(s, a, &w, error);
  assert_int_equal(status == JN_OK, w != NULL);
  for (int twice = 0; twice < 2; twice++)
    if (!status) status = jn_sweep_begin(s, folder, error);
  for (int i = 0; !status && i < jn_sweep_about(s)->shards; i++)
    status = jn_sweep_shard(w, folder, i, NULL, NULL, error);
  if (!status) status = jn_sweep_reduce(s, folder, a, &r, error);
  assert_int_equal(status == JN_OK, r != NULL);
  jn_sweep_result_free(r);
  jn_sweep_worker_free(w);
  jn_sweep_free(s);
  jn_spec_free(spec);
  return status;
}

static char *result_file(const char *name) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return slurp(path, NULL);
}

/* half of the time without a place for the message */
static void every_request_of_a_sweep_may_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(jobs); i++) {
    counter c;
    jn_error error = {0};
    const jn_allocator hooks = counting(&c);
    assert_ok(everything(jobs[i].robot, jobs[i].job, &hooks, &error));
    char *want = result_file("result.json");
    const long calls = c.calls;
    for (long k = 1; k <= calls; k++) {
      memset(&error, 0, sizeof error);
      counting(&c);
      c.fail_at = k, c.fail_once = k % 4 < 2;
      const jn_status status =
          everything(jobs[i].robot, jobs[i].job, &hooks, k % 2 ? &error : NULL);
      if (status != JN_ERR_MEMORY || c.live || (k % 2 && !error.message[0]))
        fail_msg("job %zu, request %ld of %ld: %s, %ld blocks lost: %s", i, k, calls,
                 jn_status_text(status), c.live, error.message);
    }
    counting(&c);
    assert_ok(everything(jobs[i].robot, jobs[i].job, &hooks, &error));
    char *got = result_file("result.json");
    assert_string_equal(got, want);
    free(got), free(want);
    print_message("           job %zu: %ld requests\n", i, calls);
  }
}

/* jansson's memory */
static long requests, fails_at, kept;
static void *failing(size_t size) {
  if (++requests == fails_at) {
    errno = ENOMEM; /* as malloc */
    return NULL;
  }
  kept++;
  return malloc(size);
}
static void give_back(void *block) {
  if (block) kept--;
  free(block);
}

/* Either a status, or exactly the files that are written when nothing fails. */
static void every_request_of_the_json_library_may_fail(void **state) {
  (void)state;
  json_malloc_t old_malloc;
  json_free_t old_free;
  jn_error error = {0};
  json_get_alloc_funcs(&old_malloc, &old_free);
  json_set_alloc_funcs(failing, give_back);
  for (size_t i = 0; i < 2; i++) {
    requests = fails_at = kept = 0;
    assert_ok(everything(jobs[i].robot, jobs[i].job, NULL, &error));
    assert_int_equal(kept, 0);
    const long all = requests;
    long refusals = 0;
    char *manifest = result_file("sweep.json"), *result = result_file("result.json");
    for (long k = 1; k <= all; k++) {
      requests = 0, fails_at = k;
      const jn_status status = everything(jobs[i].robot, jobs[i].job, NULL, &error);
      fails_at = 0;
      assert_int_equal(kept, 0);
      if (status) {
        if (status != JN_ERR_MEMORY)
          fail_msg("request %ld of %ld: %s: %s", k, all, jn_status_text(status), error.message);
        refusals++;
        continue;
      }
      char *text = result_file("sweep.json");
      if (strcmp(text, manifest) != 0) fail_msg("request %ld of %ld: %s", k, all, text);
      free(text);
      text = result_file("result.json");
      if (strcmp(text, result) != 0) fail_msg("request %ld of %ld: %s", k, all, text);
      free(text);
    }
    assert_true(refusals > 100);
    print_message("           job %zu: %ld requests of jansson\n", i, all);
    free(manifest), free(result);
  }
  json_set_alloc_funcs(old_malloc, old_free);
}

/* ---- files that change after their checksums were read: when the k-th block is allocated */
typedef struct meddler {
  long calls, at;
  const char *path;
  int how; /* 0: removed, 1: without a header, 2: without its end, 3: longer */
} meddler;

static void *meddle(size_t size, void *context) {
  meddler *m = context;
  if (++m->calls == m->at) {
    if (m->how == 0) assert_int_equal(remove(m->path), 0);
    if (m->how == 1) assert_int_equal(truncate(m->path, 10), 0);
    if (m->how == 2) assert_int_equal(truncate(m->path, 130), 0);
    if (m->how == 3) assert_int_equal(truncate(m->path, 100000), 0);
  }
  return malloc(size);
}
static void release(void *block, void *context) {
  (void)context;
  free(block);
}

static void files_that_change_under_the_reduction_are_seen(void **state) {
  (void)state;
  static const char *const names[2] = {"shard-000001.npy", "bands-000001.npy"};
  jn_error error = {0};
  jn_spec *spec = NULL;
  long all = 0;
  assert_ok(jn_spec_builtin(jobs[1].robot, NULL, &spec, NULL));
  for (int n = 0; n < 2; n++)
    for (int how = 0; how < 4; how++)
      for (long k = 0; k == 0 || k <= all; k++) {
        char path[400];
        meddler m = {0, 0, path, how};
        const jn_allocator hooks = {meddle, release, &m};
        jn_sweep *s = NULL;
        jn_sweep_worker *w = NULL;
        jn_sweep_result *r = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, names[n]);
        walk_folder(folder, empty_folder);
        assert_ok(jn_sweep_parse(jobs[1].job, strlen(jobs[1].job), "job", spec, NULL, &hooks, &s,
                                 &error));
        assert_ok(jn_sweep_worker_new(s, NULL, &w, &error));
        for (int i = 0; i < 2; i++) assert_ok(jn_sweep_shard(w, folder, i, NULL, NULL, &error));
        m.calls = 0, m.at = k;
        memset(&error, 0, sizeof error);
        const jn_status status = jn_sweep_reduce(s, folder, &hooks, &r, k % 2 ? &error : NULL);
        if (k == 0) {
          assert_ok(status);
          all = m.calls;
        }
        if (status) {
          assert_status(status, JN_ERR_STATE);
          assert_null(r);
          if (k % 2) assert_non_null(strstr(error.message, "was changed after it was written"));
          if (k % 2) assert_non_null(strstr(error.message, names[n]));
        } else {
          /* changed when it was not needed any more: the last blocks are those of the bands */
          assert_true(k == 0 || n == 0);
          jn_sweep_result_free(r);
        }
        jn_sweep_worker_free(w);
        jn_sweep_free(s);
      }
  assert_true(all > 5);
  jn_spec_free(spec);
}

/* of processes that were killed: theirs are removed, others stay */
static void temporary_files_are_removed_at_the_end(void **state) {
  (void)state;
  static const char *const gone[] = {"shard-000001.npy.12.0.tmp", "bands-000000.npy.3.1.tmp"},
                           *const stay[] = {"notes.tmp", "shard-000001.txt", "a"};
  char path[700];
  jn_error error = {0};
  jn_spec *spec = NULL;
  jn_sweep *s = NULL;
  jn_sweep_worker *w = NULL;
  jn_sweep_result *r = NULL;
  walk_folder(folder, empty_folder);
  assert_ok(jn_spec_builtin(jobs[1].robot, NULL, &spec, NULL));
  assert_ok(jn_sweep_parse(jobs[1].job, strlen(jobs[1].job), "job", spec, NULL, NULL, &s, &error));
  assert_ok(jn_sweep_worker_new(s, NULL, &w, &error));
  for (int i = 0; i < 2; i++) assert_ok(jn_sweep_shard(w, folder, i, NULL, NULL, &error));
  for (size_t i = 0; i < 5; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, i < 2 ? gone[i] : stay[i - 2]);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
  }
  assert_ok(jn_sweep_reduce(s, folder, NULL, &r, &error));
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(readable(folder, i < 2 ? gone[i] : stay[i - 2]), i >= 2);
  jn_sweep_result_free(r), r = NULL;
  /* a folder in the place of the numbers, and none at all */
  snprintf(path, sizeof path, "%s/shard-000000.npy", folder);
  assert_int_equal(remove(path), 0);
  assert_int_equal(jn_sweep_is_done(s, folder, 0, 0), 1);
  assert_int_equal(jn_sweep_is_done(s, folder, 0, 1), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(jn_sweep_is_done(s, folder, 0, 1), 0);
  assert_status(jn_sweep_reduce(s, folder, NULL, &r, &error), JN_ERR_STATE);
  assert_status(jn_sweep_shard(w, folder, 0, NULL, NULL, &error), JN_ERR_FILE);
  assert_int_equal(rmdir(path), 0);
  assert_ok(jn_sweep_shard(w, folder, 0, NULL, NULL, &error));
  /* the result cannot be written */
  snprintf(path, sizeof path, "%s/result.json", folder);
  assert_int_equal(remove(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_status(jn_sweep_reduce(s, folder, NULL, &r, &error), JN_ERR_FILE);
  assert_null(r);
  jn_sweep_worker_free(w);
  jn_sweep_free(s);
  jn_spec_free(spec);
}

/* ---- small requests share blocks, which double from 2048 bytes on: only the larger ones fail, and the
 * length of the model's text decides which request needs the next block */
typedef struct block_counter {
  long calls, fail_at, live;
} block_counter;

static void *count_large(size_t size, void *context) {
  block_counter *c = context;
  if (size > 4096 && size < 4224 && ++c->calls == c->fail_at) return NULL;
  c->live++;
  return malloc(size);
}
static void release_large(void *block, void *context) {
  ((block_counter *)context)->live--;
  free(block);
}

static void every_small_request_may_be_the_one_that_fails(void **state) {
  (void)state;
  long failures = 0;
  for (size_t i = 0; i < COUNT(jobs); i++)
    for (int pad = 0; pad < 1500; pad += 24) {
      jn_spec *spec = NULL;
      char name[16 + 250];
      assert_ok(jn_spec_builtin(jobs[i].robot, NULL, &spec, NULL));
      for (int left = pad, k = 0; left > 0; left -= 250, k++) {
        const int length = snprintf(name, sizeof name, "f%d", k);
        memset(name + length, 'x', (size_t)(left < 250 ? left : 250));
        name[length + (left < 250 ? left : 250)] = '\0';
        const jn_frame_desc f = {name, jn_spec_get_link(spec, 0)->name, jn_pose_identity(), 0};
        assert_ok(jn_spec_add_frame(spec, &f));
      }
      long all = 1;
      for (long k = 0; k <= all; k++) {
        block_counter c = {0, k, 0};
        const jn_allocator hooks = {count_large, release_large, &c};
        jn_sweep *s = NULL;
        jn_error error = {0};
        const char *job = jobs[i].job;
        const jn_status status =
            jn_sweep_parse(job, strlen(job), "job", spec, NULL, &hooks, &s, &error);
        if (k == 0) all = c.calls;
        if (k == 0)
          assert_ok(status);
        else
          assert_status(status, JN_ERR_MEMORY);
        if (k) assert_non_null(strstr(error.message, "out of memory"));
        failures += k > 0;
        jn_sweep_free(s);
        assert_int_equal(c.live, 0);
      }
      jn_spec_free(spec);
    }
  assert_true(failures > 100);
}

static int start(void **state) {
  const int failed = make_folder(state);
  snprintf(folder, sizeof folder, "%s", temporary("sweep"));
  return failed || mkdir(folder, 0700) != 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_of_a_sweep_may_fail),
      cmocka_unit_test(every_request_of_the_json_library_may_fail),
      cmocka_unit_test(every_small_request_may_be_the_one_that_fails),
      cmocka_unit_test(files_that_change_under_the_reduction_are_seen),
      cmocka_unit_test(temporary_files_are_removed_at_the_end),
  };
  return cmocka_run_group_tests(tests, start, remove_folder);
}
