/* count.c: with the trap flag set, the processor traps after every instruction; the handler
 * counts the traps. */
#define _GNU_SOURCE
#include "bench/bench.h"

#if defined(__linux__) && defined(__x86_64__)
#include <signal.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100 };

static volatile sig_atomic_t stop;
static volatile long steps;

static void on_step(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  steps++;
  if (stop) ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static void nothing(void *argument) { (void)argument; }

/* sets the trap flag by pushf ... popf */
static void start_stepping(void) {
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::"i"(
          TRAP_FLAG)
      : "memory", "cc");
}

static long stepped(void (*f)(void *), void *argument) {
  stop = 0;
  steps = 0;
  start_stepping();
  f(argument);
  stop = 1;
  return steps;
}

long bench_count(void (*f)(void *), void *argument) {
  struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, before;
  sigemptyset(&step.sa_mask);
  if (sigaction(SIGTRAP, &step, &before)) return -1;
  void (*volatile empty)(void *) = nothing;
  long around = stepped(empty, argument), all = stepped(f, argument);
  sigaction(SIGTRAP, &before, NULL);
  return all - around;
}

#else
long bench_count(void (*f)(void *), void *argument) {
  (void)f, (void)argument;
  return -1;
}
#endif
