/* pool.c: hooks that allocate from one large block. */
#include "base/pool.h"

#include <stdint.h>

#include "base/block.h"

enum { LINE = 64 };

static void *pool_allocate(size_t size, void *context) {
  jn_pool *a = context;
  if (size > SIZE_MAX - LINE) return NULL;
  const size_t whole = (size + LINE - 1) / LINE * LINE;
  if (!a->block || whole > a->size - a->used) return a->below.allocate(size, a->below.context);
  char *block = a->block + a->used;
  a->used += whole;
  a->live++;
  return block;
}

static void pool_release(void *block, void *context) {
  jn_pool *a = context;
  const uintptr_t at = (uintptr_t)block, start = (uintptr_t)a->block;
  if (!a->block || at < start || at - start >= a->size) {
    a->below.release(block, a->below.context);
    return;
  }
  if (--a->live == 0) a->used = 0;
}

void jn_pool_reserve(jn_pool *pool, size_t size) {
  if (size <= pool->size) return;
  jn_pool_free(pool);
  pool->block = jn_block_raw(&pool->below, size, 1);
  pool->size = pool->block ? size : 0;
}

void jn_pool_free(jn_pool *pool) {
  jn_block_free(&pool->below, pool->block);
  pool->block = NULL;
  pool->size = pool->used = 0;
}

jn_allocator jn_pool_hooks(jn_pool *pool) {
  return (jn_allocator){pool_allocate, pool_release, pool};
}
