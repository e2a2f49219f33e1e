/* counter.c: an allocator that counts requests and can fail at the k-th. */
#include "helpers/counter.h"

#include <stdlib.h>
#include <string.h>

static void *count_allocate(size_t size, void *context) {
  counter *c = context;
  c->calls++;
  if (c->fail_at != 0 && (c->fail_once ? c->calls == c->fail_at : c->calls >= c->fail_at))
    return NULL;
  size_t *block = malloc(size + 16);
  if (block == NULL) return NULL;
  block[0] = size;
  c->live++;
  c->bytes += size;
  if (c->bytes > c->peak) c->peak = c->bytes;
  memset((char *)block + 16, 0xa5, size < 4096 ? size : 4096);
  return (char *)block + 16;
}

static void count_release(void *block, void *context) {
  counter *c = context;
  size_t *start = (size_t *)(void *)((char *)block - 16);
  c->live--;
  c->bytes -= start[0];
  free(start);
}

jn_allocator counting(counter *c) {
  memset(c, 0, sizeof *c);
  return (jn_allocator){count_allocate, count_release, c};
}
