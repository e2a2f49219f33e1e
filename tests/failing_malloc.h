/* failing_malloc.h: a malloc that counts requests and can fail at the k-th. Linked into a test, it
 * also serves expat, jansson and stdio. As a shared object it is preloaded into the program:
 * JN_FAIL_AT=12 fails the 12th request, JN_FAIL_AT=12+ all from the 12th on; JN_FAIL_REPORT names a
 * file to which the counts are written at the end. */
#ifndef TEST_FAILING_MALLOC_H
#define TEST_FAILING_MALLOC_H

#include <stdlib.h>

/* Sanitizers replace malloc: nothing is counted then. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define MALLOC_NOT_COUNTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define MALLOC_NOT_COUNTED 1
#endif
#endif

typedef struct failing_malloc {
  long calls, live; /* requests; blocks not released */
  long bytes, peak; /* bytes in those blocks; the peak */
  long fail_at;     /* 0: never */
  int for_ever;
} failing_malloc;

extern failing_malloc malloc_state;

#endif
