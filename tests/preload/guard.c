/* guard.c: preloaded into a test: behind every block of memory lie at least 512 bytes of 1, so that a
 * program that reads one element too many does not find zeros there. One that writes there is ended when
 * it frees the block (tools/mutate.py). */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 512 };

/* the last bytes of a block */
typedef struct {
  size_t size; /* what was asked for */
  uint64_t mark;
} end;
#define MARK 0x9b1d7c3ea5f08642u

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void __libc_free(void *p);
extern size_t malloc_usable_size(void *p);

static char *end_of(char *p) { return p + malloc_usable_size(p) - sizeof(end); }

static void *end_with_ones(char *p, size_t n) {
  if (!p) return NULL;
  const end e = {n, MARK};
  char *last = end_of(p);
  memset(p + n, 1, (size_t)(last - p) - n);
  memcpy(last, &e, sizeof e);
  return p;
}

/* Ends the program if something was written behind the block. A block without a mark is not from here,
 * aligned_alloc for instance. */
static void check_ones(char *p) {
  end e;
  if (!p || malloc_usable_size(p) < BEHIND) return;
  char *last = end_of(p);
  memcpy(&e, last, sizeof e);
  if (e.mark != MARK || e.size > (size_t)(last - p)) return;
  for (char *at = p + e.size; at < last; at++)
    if (*at != 1) abort();
  memset(last, 0, sizeof e);
}

void *malloc(size_t n) {
  return n > (size_t)-1 - BEHIND ? NULL : end_with_ones(__libc_malloc(n + BEHIND), n);
}
void *calloc(size_t n, size_t size) {
  if (size && n > ((size_t)-1 - BEHIND) / size) return NULL;
  return end_with_ones(__libc_calloc(1, n * size + BEHIND), n * size);
}
void *realloc(void *p, size_t n) {
  if (n > (size_t)-1 - BEHIND) return NULL;
  check_ones(p);
  return end_with_ones(__libc_realloc(p, n + BEHIND), n);
}
void free(void *p) {
  check_ones(p);
  __libc_free(p);
}
