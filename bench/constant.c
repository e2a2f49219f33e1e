/* constant.c: the cost of a call must not depend on the state. Two modes:
 *
 *   constant --stack            stack usage of every compute function at orders 0 to 8, by filling
 *                               the stack with a pattern
 *   constant STATES ORDER...    under callgrind: dumps the counts of each function and state
 *
 * tools/constant_work runs both and evaluates them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef HAVE_CALLGRIND
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(text) (void)(text)
#endif

#include "helpers/calls.h"
#include "helpers/check.h"

enum { STACK = 1 << 20, ORDERS = 9, PAINT = 0xa5 };

/* ---- stack */

typedef struct job {
  subject *s;
  const call *c;
  int status;
} job;

static void *work(void *context) {
  job *j = context;
  if (j->c) j->status = call_run(j->s, j->c);
  return NULL;
}

/* number of bytes of a new stack that the job has written */
static size_t touched(unsigned char *stack, job *j) {
  pthread_t thread;
  pthread_attr_t attributes;
  memset(stack, PAINT, STACK);
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stack, STACK) ||
      pthread_create(&thread, &attributes, work, j))
    return STACK;
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  size_t clean = 0;
  while (clean < STACK && stack[clean] == PAINT) clean++;
  return STACK - clean;
}

static int stacks(void) {
  unsigned char *stack =
      mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return 1;
  size_t most = 0;
  const char *name = "";
  for (int order = 0; order < ORDERS; order++)
    for (int form = 0; form < 4; form++) {
      subject s =
          subject_new(500, 4, JN_JOINT_FREE, TYPES_ALL, order, JN_BODY, (jn_formulation)form);
      job nothing = {&s, NULL, 0};
      const size_t base = touched(stack, &nothing);
      for (int c = 0; c < call_count; c++) {
        job j = {&s, &calls[c], 0};
        call_run(&s, j.c); /* the first call may make the loader resolve symbols */
        size_t bytes = touched(stack, &j) - base;
        if (j.status == JN_OK && bytes > most) most = bytes, name = calls[c].name;
        if (j.status == JN_OK && bytes > 16384)
          printf("%s, order %d: %zu bytes of stack\n", calls[c].name, order, bytes);
      }
      subject_free(&s);
    }
  printf("stack %zu %s\n", most, name);
  return 0;
}

/* ---- instructions */

/* functions of a control loop */
static const char *const measured[] = {
    "jn_inverse_dynamics",    "jn_forward_dynamics", "jn_hybrid_dynamics",  "jn_mass_matrix",
    "jn_equations_of_motion", "jn_momentum_energy",  "jn_kinematics",       "jn_frame_twist",
    "jn_frame_jacobian",      "jn_inverse_partials", "jn_forward_partials", "jn_inverse_mass",
    "jn_linearise",           "jn_integrate"};

static int is_measured(const call *c, int all) {
  /* not simulations: their steps iterate and choose their own length */
  if (all) return !(c->reads & READS_JET) && strncmp(c->name, "jn_simulation", 13) != 0;
  for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++)
    if (strcmp(c->name, measured[i]) == 0) return 1;
  return 0;
}

static void count(int order, int states, int all) {
  subject s = subject_new(500, 4, JN_JOINT_FREE, TYPES_ALL, order, JN_BODY, JN_FORM_BODY);
  rng g = rng_new(11);
  for (int k = -1; k < states; k++) { /* the first one is a warm-up, also of the dumps */
    robot_at(&s.r, rng_range(&g, -1000, 1000));
    memcpy(s.q, s.r.q, sizeof(double) * (size_t)s.r.nq);
    memcpy(s.v, s.r.v, sizeof(double) * (s.r.n + (size_t)s.r.nv));
    for (size_t i = 0; i < s.r.n; i++) s.tau[i] = rng_range(&g, -10, 10);
    for (size_t i = 0; i < (size_t)s.r.nv; i++) s.dq[i] = rng_range(&g, -2, 2);
    for (int c = 0; c < call_count; c++) {
      char text[100];
      if (!is_measured(&calls[c], all)) continue;
      snprintf(text, sizeof text, "%s order %d", calls[c].name, order);
      CALLGRIND_ZERO_STATS;
      int status = call_run(&s, &calls[c]);
      if (k < 0 || status != JN_OK) snprintf(text, sizeof text, "warm");
      CALLGRIND_DUMP_STATS_AT(text);
    }
  }
  subject_free(&s);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--stack") == 0) return stacks();
  if (argc < 3) return 2;
  count(atoi(argv[2]), atoi(argv[1]), argc > 3);
  return 0;
}
