/* block.h (private): allocation through the user's hooks, with overflow-checked sizes. */
#ifndef JOUNCE_SRC_BLOCK_H
#define JOUNCE_SRC_BLOCK_H

#include <jounce/base.h>

/* The hooks, with malloc and free instead of NULL members; `allocator` may be NULL. */
jn_allocator jn_allocator_or_default(const jn_allocator *allocator);

/* Returns 0 if a * b overflows, else 1 and sets the product. */
int jn_size_multiply(size_t a, size_t b, size_t *product);

/* Allocates `count` elements of `size` bytes, set to zero; NULL if there is no memory or the
 * product overflows. `hooks` comes from jn_allocator_or_default. */
void *jn_block_new(const jn_allocator *hooks, size_t count, size_t size);
/* The same without zeros: for memory that is written before it is read. */
void *jn_block_raw(const jn_allocator *hooks, size_t count, size_t size);
void jn_block_free(const jn_allocator *hooks, void *block); /* block may be NULL */

#endif
