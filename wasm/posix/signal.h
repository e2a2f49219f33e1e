/* signal.h: signals never arrive in WebAssembly. */
#ifndef JOUNCE_WASM_SIGNAL_H
#define JOUNCE_WASM_SIGNAL_H

#include <sys/types.h> /* sigset_t */
typedef int sig_atomic_t;
struct sigaction {
  void (*sa_handler)(int);
  sigset_t sa_mask;
  int sa_flags;
};

enum { SIGHUP = 1, SIGINT, SIGQUIT, SIGPIPE = 13, SIGTERM = 15, SIGXCPU = 24, SIGXFSZ };
enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)

static inline int sigemptyset(sigset_t *set) { return *set = 0, 0; }
static inline int sigfillset(sigset_t *set) { return *set = (sigset_t)~0u, 0; }
static inline int sigaddset(sigset_t *set, int number) { return (void)set, (void)number, 0; }
static inline int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  (void)how, (void)set;
  if (old) *old = 0;
  return 0;
}
static inline int sigaction(int number, const struct sigaction *new, struct sigaction *old) {
  (void)number, (void)new;
  if (old) *old = (struct sigaction){0};
  return 0;
}
static inline void (*signal(int number, void (*handler)(int)))(int) {
  (void)number, (void)handler;
  return SIG_DFL;
}
struct timespec;
static inline int sigtimedwait(const sigset_t *set, void *info, const struct timespec *wait) {
  return (void)set, (void)info, (void)wait, -1;
}
static inline int raise(int number) { return (void)number, -1; }

#endif
