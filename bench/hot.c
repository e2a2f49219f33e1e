/* hot.c: calls every compute function at orders 0 to 8 repeatedly, after one warm-up call, and
 * counts the allocations, system calls, page faults, locks and stdio calls. There must be none.
 *
 *   hot [--score] [CALLS]   total number of calls, default 20000
 *
 * System calls are detected by the kernel: a child process runs the same calls in a mode in
 * which any system call but exit ends it. Batches run on one thread here, because threads wait
 * for each other. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_malloc.h"
#include "helpers/calls.h"
#include "helpers/check.h"

enum { ORDERS = 9, REPEAT = 3 };

/* ---- locks and stdio, counted by replacing the functions */

static volatile long locks, outputs;
static volatile int watching;

#define REAL(name) (__typeof__(&name))dlsym(RTLD_NEXT, #name)
int pthread_mutex_lock(pthread_mutex_t *m) {
  if (watching) locks++;
  return (REAL(pthread_mutex_lock))(m);
}
int pthread_rwlock_rdlock(pthread_rwlock_t *m) {
  if (watching) locks++;
  return (REAL(pthread_rwlock_rdlock))(m);
}
size_t fwrite(const void *x, size_t size, size_t n, FILE *file) {
  if (watching) outputs++;
  return (REAL(fwrite))(x, size, n, file);
}
int vfprintf(FILE *file, const char *format, va_list list) {
  if (watching) outputs++;
  return (REAL(vfprintf))(file, format, list);
}
int fputs(const char *text, FILE *file) {
  if (watching) outputs++;
  return (REAL(fputs))(text, file);
}
FILE *fopen(const char *path, const char *mode) {
  if (watching) outputs++;
  return (REAL(fopen))(path, mode);
}

/* ---- the calls */

typedef struct tally {
  long calls, allocations, faults, locks, outputs;
} tally;

static long faults(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_minflt + r.ru_majflt;
}

/* `times` calls after one; returns 0 if the function does not apply to this robot */
static int repeat(subject *s, const call *c, long times) {
  if (call_run(s, c) != JN_OK) return 0;
  for (long i = 0; i < times; i++) call_run(s, c);
  return 1;
}

static int measure(subject *s, const call *c, long times, tally *t) {
  if (!repeat(s, c, 1)) return 0;
  long best = 0;
  /* the system may evict and reload pages for other reasons: the least of some counts */
  for (int k = 0; k < REPEAT; k++) {
    long before = malloc_state.calls, pages = faults();
    watching = 1;
    for (long i = 0; i < times; i++) call_run(s, c);
    watching = 0;
    pages = faults() - pages;
    t->allocations += malloc_state.calls - before;
    t->calls += times;
    if (k == 0 || pages < best) best = pages;
    if (pages == 0) break;
  }
  t->faults += best;
  t->locks += locks, t->outputs += outputs;
  if (malloc_state.calls && (best || locks || outputs))
    printf("%s, order %d: %ld page faults, %ld locks, %ld outputs\n", c->name, s->order, best,
           locks, outputs);
  locks = outputs = 0;
  return 1;
}

/* ---- system calls */

typedef struct progress {
  volatile int call, done;
} progress;

static int forbid_system_calls(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Returns how many functions made a system call on one robot; -1 if this cannot be detected
 * here. */
static int system_calls(subject *s, long times, progress *p) {
  int bad = 0;
  for (int start = 0; start < call_count; start = p->call + 1) {
    p->call = start, p->done = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
      for (int c = start; c < call_count; c++) repeat(s, &calls[c], 1);
      if (!forbid_system_calls()) _exit(2);
      for (; p->call < call_count; p->call++) repeat(s, &calls[p->call], times);
      p->done = 1;
      _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child) return -1;
    if (p->done) break;
    if (WIFEXITED(status)) return -1; /* the kernel does not offer it */
    printf("%s, order %d: a system call\n", calls[p->call].name, s->order);
    bad++;
  }
  return bad;
}

int main(int argc, char **argv) {
#ifdef MALLOC_NOT_COUNTED
  puts("not in this build: its malloc is not ours");
  return 0;
#endif
  long total = 20000;
  for (int i = 1; i < argc; i++)
    if (argv[i][0] != '-') total = atol(argv[i]);
  progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return 1;
  /* negative control: the counters work */
  watching = 1;
  void *volatile block = malloc(10);
  free(block);
  const char *volatile nothing = ""; /* volatile: the calls are not optimised away */
  fputs(nothing, stdout);
  watching = 0;
  if (malloc_state.calls == 0 || outputs != 1) return puts("the counters do not count"), 1;
  outputs = 0;
  tally t = {0};
  const long times = total / (ORDERS * call_count) + 1;
  int seen[256] = {0}, kernel = 0, told = 1;
  for (int order = 0; order < ORDERS; order++) {
    /* every function must apply to some of these settings */
    subject s = subject_new(500, 3, JN_JOINT_FREE, TYPE(SPHERICAL) | TYPE(REVOLUTE), order, JN_BODY,
                            (jn_formulation)(order % 4));
    for (int c = 0; c < call_count; c++) seen[c] |= measure(&s, &calls[c], times, &t);
    int bad = system_calls(&s, times, p);
    if (bad < 0) told = 0;
    kernel += bad > 0 ? bad : 0;
    subject_free(&s);
  }
  int never = 0;
  for (int c = 0; c < call_count; c++)
    if (!seen[c]) printf("%s was never called with success\n", calls[c].name), never++;
  const int pass = t.allocations + kernel + t.faults + t.locks + t.outputs + never == 0 && told;
  printf(
      "score {\"line\": 6, \"measured\": \"%ld / %s%d / %ld / %ld / %ld in %ld calls of %d "
      "functions\", \"target\": \"0 allocations / system calls / page faults / locks / output\", "
      "\"pass\": %s}\n",
      t.allocations, told ? "" : "not seen: ", kernel, t.faults, t.locks, t.outputs, t.calls,
      call_count, pass ? "true" : "false");
  return !pass;
}
