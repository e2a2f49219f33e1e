/* guard.c: preloaded into a test: behind every block of memory lie 512 bytes of 1, so that a program
 * that reads one element too many does not find zeros there (tools/mutate.py). */
#include <stddef.h>
#include <string.h>

enum { BEHIND = 512 };

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);

static void *end_with_ones(char *p, size_t n) {
  if (p) memset(p + n, 1, BEHIND);
  return p;
}

void *malloc(size_t n) {
  return n > (size_t)-1 - BEHIND ? NULL : end_with_ones(__libc_malloc(n + BEHIND), n);
}
void *calloc(size_t n, size_t size) {
  if (size && n > ((size_t)-1 - BEHIND) / size) return NULL;
  return end_with_ones(__libc_calloc(1, n * size + BEHIND), n * size);
}
void *realloc(void *p, size_t n) {
  return n > (size_t)-1 - BEHIND ? NULL : end_with_ones(__libc_realloc(p, n + BEHIND), n);
}
