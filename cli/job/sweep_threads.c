/* sweep_threads.c: threads that compute the shards of a sweep. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

#include "output/file.h"
#include "output/progress.h"
#include "job/sweep.h"

typedef struct crew {
  const sweep_command *x;
  const unsigned char *needed; /* [shards] */
  atomic_int next, stop, working;
  atomic_ullong done; /* samples */
  pthread_mutex_t lock;
  jn_status status; /* the first failure */
  jn_error error;
} crew;

static int count_samples(void *context, uint64_t samples) {
  crew *c = context;
  atomic_fetch_add(&c->done, samples);
  return atomic_load(&c->stop);
}

static void fail(crew *c, jn_status status, const jn_error *error) {
  pthread_mutex_lock(&c->lock);
  if (!c->status) c->status = status, c->error = *error;
  pthread_mutex_unlock(&c->lock);
  atomic_store(&c->stop, 1);
}

static void *work(void *context) {
  crew *c = context;
  const sweep_command *x = c->x;
  const int shards = jn_sweep_about(x->sweep)->shards;
  jn_error error = {0};
  jn_sweep_worker *worker = NULL;
  jn_status status = jn_sweep_worker_new(x->sweep, NULL, &worker, &error);
  while (!status && !atomic_load(&c->stop)) {
    const int n = atomic_fetch_add(&c->next, 1);
    if (n >= shards) break;
    if (c->needed[n]) status = jn_sweep_shard(worker, x->folder, n, count_samples, c, &error);
  }
  if (status && !(status == JN_ERR_STATE && atomic_load(&c->stop))) fail(c, status, &error);
  jn_sweep_worker_free(worker);
  atomic_fetch_sub(&c->working, 1);
  return NULL;
}

static int processors(void) {
  cpu_set_t set;
  const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n > 0 ? n : 1;
}

static void show(const crew *c, double all, double started) {
  const double done = (double)atomic_load(&c->done), seconds = cli_seconds() - started,
               rate = seconds > 0 ? done / seconds : 0;
  if (rate > 0)
    cli_progress(done / all, "%.0f of %.0f samples, %.3g a second, %.0f s to go", done, all, rate,
                 (all - done) / rate);
}

/* Waits until all threads are done. Returns a signal that asks to end, or 0. */
static int watch(crew *c, double all, double started) {
  const struct timespec tick = {0, 100000000};
  sigset_t blocked;
  int asked = 0;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  while (atomic_load(&c->working) > 0) {
    const int number = sigtimedwait(&blocked, NULL, &tick);
    if (number > 0) {
      asked = number;
      atomic_store(&c->stop, 1);
    }
    show(c, all, started);
  }
  cli_progress_end();
  return asked;
}

/* Starts threads, waits for them. Signals are blocked in all: files are completed. */
static int run(crew *c, int threads, double all) {
  pthread_t thread[JN_MAX_THREADS];
  const double started = cli_seconds();
  sigset_t before;
  int count = 0;
  cli_signals_hold(&before);
  for (; count < threads; count++) {
    atomic_fetch_add(&c->working, 1);
    if (pthread_create(&thread[count], NULL, work, c) == 0) continue;
    atomic_fetch_sub(&c->working, 1);
    break;
  }
  if (count == 0) {
    atomic_fetch_add(&c->working, 1);
    work(c);
  }
  const int asked = watch(c, all, started);
  for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
  if (asked) {
    cli_error("sweep: interrupted; finished shards are kept: continue with --resume");
    raise(asked);
  }
  cli_signals_release(&before);
  return count;
}

static int enough_room(const sweep_command *x, double bytes) {
  struct statvfs disk;
  if (statvfs(x->folder, &disk) != 0) return 1;
  const double room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (room >= bytes) return 1;
  cli_error(
      "sweep: %s: %.3g MB are needed for the missing shards, %.3g MB are free; make room, "
      "or choose another --folder",
      x->folder, bytes / 1e6, room / 1e6);
  return 0;
}

int sweep_compute(sweep_command *x) {
  const jn_sweep_info *f = jn_sweep_about(x->sweep);
  unsigned char *needed = cli_take(&x->job.result.memory, (size_t)f->shards, 1);
  double shards = 0, samples = 0;
  if (!needed) return CLI_BAD_INPUT;
  for (int i = 0; i < f->shards; i++) {
    if (i % x->parts != x->part || jn_sweep_is_done(x->sweep, x->folder, i, 1)) continue;
    const double left = (double)(f->samples - (uint64_t)i * f->shard_rows),
                 rows = (double)f->shard_rows;
    needed[i] = 1;
    shards++;
    samples += left < rows ? left : rows;
  }
  if (shards == 0) return CLI_DONE;
  if (!enough_room(x, (double)f->bytes * samples / (double)f->samples)) return CLI_BAD_INPUT;
  crew c = {.x = x, .needed = needed, .lock = PTHREAD_MUTEX_INITIALIZER};
  if (!x->threads) x->threads = processors();
  if (x->threads > shards) x->threads = (int)shards;
  const double started = cli_seconds();
  run(&c, x->threads, samples);
  x->seconds = cli_seconds() - started;
  if (!c.status) return CLI_DONE;
  int missing = 0;
  for (int i = 0; i < f->shards; i++)
    missing += needed[i] && !jn_sweep_is_done(x->sweep, x->folder, i, 0);
  return cli_bad_input("sweep: %s; %d of %.0f shards are missing in %s: continue with --resume",
                       c.error.message[0] ? c.error.message : jn_status_text(c.status), missing,
                       shards, x->folder);
}
