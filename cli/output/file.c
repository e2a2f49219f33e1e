/* file.c: files that the program writes, and their removal when it is interrupted. */
#include "output/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/message.h"

enum { MOST_PENDING = 8 };
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* names of temporary files that exist now; only changed while the signals are blocked */
static char pending[MOST_PENDING][JN_FILE_PATH];

/* Removes the files, then ends as the signal does by default. */
static void interrupted(int number) {
  for (int i = 0; i < MOST_PENDING; i++)
    if (pending[i][0]) unlink(pending[i]);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch(void) {
  static int watched;
  struct sigaction action = {.sa_handler = interrupted}, old;
  if (watched++) return;
  sigfillset(&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++) /* a signal that is ignored stays so: nohup */
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(signals[i], &action, NULL);
  /* a file that grows too large is an error of its write */
  if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL) signal(SIGXFSZ, SIG_IGN);
}

void cli_signals_hold(sigset_t *before) {
  sigset_t all;
  watch();
  sigemptyset(&all);
  for (int i = 0; i < SIGNALS; i++) sigaddset(&all, signals[i]);
  sigprocmask(SIG_BLOCK, &all, before);
}

void cli_signals_release(const sigset_t *before) { sigprocmask(SIG_SETMASK, before, NULL); }

static void remember(const char *name) {
  for (int i = 0; i < MOST_PENDING; i++)
    if (!pending[i][0]) {
      strcpy(pending[i], name);
      return;
    }
}

static void forget(const char *name) {
  for (int i = 0; i < MOST_PENDING; i++)
    if (strcmp(pending[i], name) == 0) pending[i][0] = '\0';
}

FILE *cli_file_open(jn_file *f, const char *path) {
  jn_error error = {0};
  sigset_t before;
  cli_signals_hold(&before);
  jn_status status = jn_file_open(f, path, &error);
  if (!status) remember(f->temporary);
  cli_signals_release(&before);
  if (status) cli_error("%s", error.message);
  return f->stream;
}

int cli_file_commit(jn_file *f) {
  char name[JN_FILE_PATH];
  jn_error error = {0};
  sigset_t before;
  strcpy(name, f->temporary);
  cli_signals_hold(&before);
  jn_status status = jn_file_commit(f, &error);
  forget(name);
  cli_signals_release(&before);
  return status ? cli_bad_input("%s", error.message) : CLI_DONE;
}

void cli_file_discard(jn_file *f) {
  char name[JN_FILE_PATH];
  sigset_t before;
  strcpy(name, f->temporary);
  cli_signals_hold(&before);
  jn_file_discard(f);
  forget(name);
  cli_signals_release(&before);
}

int cli_file_check(const char *path) {
  struct stat about;
  jn_file f;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) /* opening a pipe would wait */
    return access(path, W_OK) == 0 ? CLI_DONE
                                   : cli_bad_input("%s: cannot write: %s", path, strerror(errno));
  if (!cli_file_open(&f, path)) return CLI_BAD_INPUT;
  cli_file_discard(&f);
  return CLI_DONE;
}
