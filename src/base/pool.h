/* pool.h (private): hooks that allocate from one large block.
 *
 * Many blocks of a size that is known beforehand come from one allocation, so that the system's memory is
 * fetched once, and reused from call to call. What does not fit comes from the hooks below. */
#ifndef JOUNCE_SRC_POOL_H
#define JOUNCE_SRC_POOL_H

#include <jounce/base.h>

typedef struct jn_pool {
  jn_allocator below;
  char *block;
  size_t size, used;
  int live; /* blocks in use; with none, the pool is empty again */
} jn_pool;

/* Makes room for at least `size` bytes, if there is memory. No block may be in use. */
void jn_pool_reserve(jn_pool *pool, size_t size);
void jn_pool_free(jn_pool *pool);
/* Hooks whose context is the pool; it must not move. */
jn_allocator jn_pool_hooks(jn_pool *pool);

#endif
