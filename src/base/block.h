/* block.h: memory through the user's hooks; every size goes through one checked multiplication. */
#ifndef JOUNCE_SRC_BLOCK_H
#define JOUNCE_SRC_BLOCK_H

#include <jounce/base.h>

/* The hooks with malloc and free put in place of NULLs; `allocator` may be NULL. */
jn_allocator jn_allocator_or_default(const jn_allocator *allocator);

/* 0 when a * b does not fit, else 1 and the product. */
int jn_size_multiply(size_t a, size_t b, size_t *product);

/* `count` elements of `size` bytes, filled with zero bytes; NULL when there is no memory or the
 * product does not fit. `hooks` comes from jn_allocator_or_default. */
void *jn_block_new(const jn_allocator *hooks, size_t count, size_t size);
void jn_block_free(const jn_allocator *hooks, void *block); /* NULL: nothing happens */

#endif
