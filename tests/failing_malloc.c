#include "failing_malloc.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

failing_malloc malloc_state;

#ifndef MALLOC_NOT_COUNTED
#pragma GCC visibility push(default) /* expat, jansson and stdio use these as well */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
void *__libc_memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);

static int fails(void) {
  const long k = ++malloc_state.calls;
  if (malloc_state.fail_at == 0 || k < malloc_state.fail_at ||
      (k > malloc_state.fail_at && !malloc_state.for_ever))
    return 0;
  errno = ENOMEM;
  return 1;
}

static void *counted(void *block) {
  if (!block) return NULL;
  malloc_state.live++;
  malloc_state.bytes += (long)malloc_usable_size(block);
  if (malloc_state.bytes > malloc_state.peak) malloc_state.peak = malloc_state.bytes;
  return block;
}

void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : counted(__libc_calloc(n, size)); }
void *realloc(void *block, size_t size) {
  if (fails()) return NULL;
  const long before = block ? (long)malloc_usable_size(block) : 0;
  void *larger = __libc_realloc(block, size);
  /* if realloc fails the old block remains */
  if (block && (larger || size == 0)) malloc_state.live--, malloc_state.bytes -= before;
  return counted(larger);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : counted(__libc_memalign(alignment, size));
}
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = aligned_alloc(alignment, size);
  return *block ? 0 : ENOMEM;
}
void free(void *block) {
  if (block) malloc_state.live--, malloc_state.bytes -= (long)malloc_usable_size(block);
  __libc_free(block);
}

#pragma GCC visibility pop

#ifdef PRELOADED
__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("JN_FAIL_AT");
  malloc_state.calls = malloc_state.live = 0;
  if (!text) return;
  malloc_state.fail_at = atol(text);
  malloc_state.for_ever = strchr(text, '+') != NULL;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("JN_FAIL_REPORT");
  char line[80];
  malloc_state.fail_at = 0;
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  int n = snprintf(line, sizeof line, "%ld %ld\n", malloc_state.calls, malloc_state.live);
  if (file >= 0 && write(file, line, (size_t)n) == n) close(file);
}
#endif
#endif
