/* progress.c: progress of a long command on standard error, and the clock. */
#include "output/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

double cli_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct {
  int width;   /* characters on the current line */
  double last; /* time of the last line; 0: none yet */
} shown;

void cli_progress(double done, const char *format, ...) {
  const int terminal = isatty(STDERR_FILENO);
  const double now = cli_seconds();
  char what[160], line[200];
  if (shown.last == 0) shown.last = now;
  if (now - shown.last < (terminal ? 0.3 : 5)) return;
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  jn_clean_text(what, sizeof what);
  const int width = snprintf(line, sizeof line, "[%3d %%] %s", (int)(100 * done), what);
  if (terminal)
    fprintf(stderr, "\r%-*s", shown.width, line);
  else
    fprintf(stderr, "%s\n", line);
  fflush(stderr);
  shown.width = terminal ? width : 0;
  shown.last = now;
}

void cli_progress_end(void) {
  if (shown.width) fprintf(stderr, "\r%*s\r", shown.width, "");
  shown.width = 0;
}
