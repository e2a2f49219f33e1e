/* counter.h: an allocator that counts, and fails at the k-th request when told to. */
#ifndef TEST_COUNTER_H
#define TEST_COUNTER_H

#include <jounce/base.h>

typedef struct counter {
  long live, calls, fail_at; /* fail_at 0: never */
  int fail_once;             /* only that request, not all from it on */
  size_t bytes, peak;
} counter;

/* Sets *c to zero. Blocks are handed out filled with 0xa5. */
jn_allocator counting(counter *c);

#endif
