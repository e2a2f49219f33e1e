/* environment.c: preloaded into a test program (LD_PRELOAD), changes its environment:
 *
 *   JOUNCE_TEST_LOCALE=1   the locale that LC_ALL names
 *   JOUNCE_TEST_ROUND=up   rounding towards plus infinity
 *   JOUNCE_TEST_FLUSH=1    denormal numbers are flushed to zero (FTZ and DAZ), if the machine can
 *
 * Only programs test_* are changed, not the programs that they start. When the program ends, the
 * environment must still be as it was set; otherwise the exit status is 97. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#define FLUSH 0x8040u
#endif

static char wanted[256];

static int is(const char *name, const char *value) {
  const char *got = getenv(name), *program = program_invocation_short_name;
  if (strncmp(program, "test_", 5)) return 0;
  return got && !strcmp(got, value);
}

static void stop(const char *what) {
  fprintf(stderr, "test environment: %s\n", what);
  _exit(97);
}

__attribute__((constructor)) static void begin(void) {
  if (is("JOUNCE_TEST_LOCALE", "1")) {
    const char *name = setlocale(LC_ALL, "");
    if (!name) stop("no such locale");
    if (strcmp(localeconv()->decimal_point, ",")) stop("the decimal point is no comma here");
    snprintf(wanted, sizeof wanted, "%s", name);
  }
  if (is("JOUNCE_TEST_ROUND", "up")) fesetround(FE_UPWARD);
#ifdef FLUSH
  if (is("JOUNCE_TEST_FLUSH", "1")) _mm_setcsr(_mm_getcsr() | FLUSH);
#endif
}

__attribute__((destructor)) static void end(void) {
  if (wanted[0] && strcmp(setlocale(LC_ALL, NULL), wanted)) stop("the locale was changed");
  if (is("JOUNCE_TEST_ROUND", "up") && fegetround() != FE_UPWARD) stop("rounding was changed");
#ifdef FLUSH
  if (is("JOUNCE_TEST_FLUSH", "1") && (_mm_getcsr() & FLUSH) != FLUSH)
    stop("flushing of denormal numbers was changed");
#endif
}
