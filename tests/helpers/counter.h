/* counter.h: an allocator that counts requests and can fail at the k-th. */
#ifndef TEST_COUNTER_H
#define TEST_COUNTER_H

#include <jounce/base.h>

typedef struct counter {
  long live, calls, fail_at; /* fail_at 0: never */
  int fail_once;             /* only that request, not all from it on */
  size_t bytes, peak;
} counter;

/* Sets *c to zero. New blocks are filled with 0xa5. */
jn_allocator counting(counter *c);

#endif
