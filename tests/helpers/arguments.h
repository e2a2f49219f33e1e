/* arguments.h: calls whose arguments are made invalid one at a time. A call is written with its
 * arguments wrapped; it is made once as it is, and once for each wrapped argument made invalid. */
#ifndef TEST_ARGUMENTS_H
#define TEST_ARGUMENTS_H

#include <stdlib.h>
#include <string.h>

#include "helpers/check.h"

static int at, which; /* arguments counted so far; the invalid one, -1: none */
static jn_status want;
static int spoiled(jn_status status) {
  if (at++ != which) return 0;
  want = status;
  return 1;
}
static int freedoms; /* degrees of freedom of the robot */

#define BAD(good, bad, status) (spoiled(status) ? (bad) : (good))
#define NOT(good, bad) BAD(good, bad, JN_ERR_ARGUMENT)
#define MUST(x) NOT(x, NULL)
#define HAS(x) \
  BAD(x, NULL, freedoms ? JN_ERR_ARGUMENT : JN_OK) /* an array of length nv may be NULL if nv = 0 */
#define MAY(x) BAD(x, NULL, JN_OK)

#define RUN(name, call) \
  static jn_status run_##name(void) { return call; }
#define ROW(name, call) {#name, run_##name},
typedef struct asked {
  const char *name;
  jn_status (*run)(void);
} asked;

/* `renew` restores everything to the state before the first call, outputs x[size] too; `release`
 * frees what a call has made. Returns how many calls were made. */
static long spoil_each(const asked *list, size_t n, double *x, size_t size, void (*renew)(void),
                       void (*release)(void)) {
  long count = 0, wrong = 0;
  double *before = doubles(size);
  for (size_t i = 0; i < n; i++) {
    int arguments = 0;
    for (which = -1; which < arguments; which++, count++) {
      want = JN_OK, at = 0;
      fill(x, size, 0.3);
      renew();
      memcpy(before, x, size * sizeof *x);
      jn_status got = list[i].run();
      release();
      if (which < 0) arguments = at;
      if (got != want)
        print_error("%s, argument %d, %d freedoms: %s, want %s\n", list[i].name, which, freedoms,
                    jn_status_text(got), jn_status_text(want)),
            wrong++;
      if (got && !same_bits(x, before, size))
        print_error("%s, argument %d: refused, and an output was written\n", list[i].name, which),
            wrong++;
    }
    assert_true(arguments > 0);
  }
  free(before);
  assert_int_equal(wrong, 0);
  return count;
}

#endif
