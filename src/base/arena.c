/* arena.c: memory in growing blocks that are freed together. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/block.h"

enum { FIRST_BYTES = 2048, LARGEST_BYTES = 1 << 16, ALIGNMENT = 8 };

struct jn_arena_block {
  _Alignas(ALIGNMENT) jn_arena_block *next;
  size_t used, size; /* of the bytes after this header */
};
_Static_assert(sizeof(jn_arena_block) % ALIGNMENT == 0, "the bytes after a header are aligned");

/* `bytes` at a multiple of `alignment` */
static void *take(jn_arena *arena, const jn_allocator *hooks, size_t bytes, size_t alignment) {
  jn_arena_block *block = arena->block;
  size_t skip = block != NULL ? (alignment - block->used % alignment) % alignment : 0;
  if (block == NULL || block->size - block->used < skip ||
      block->size - block->used - skip < bytes) {
    size_t size = bytes > FIRST_BYTES ? bytes : FIRST_BYTES;
    if (block != NULL && block->size < LARGEST_BYTES && size < 2 * block->size)
      size = 2 * block->size;
    if (size > SIZE_MAX - sizeof *block) return NULL;
    block = jn_block_new(hooks, 1, sizeof *block + size);
    if (block == NULL) return NULL;
    block->size = size;
    block->next = arena->block;
    arena->block = block;
    skip = 0;
  }
  char *at = (char *)(block + 1) + block->used + skip;
  block->used += skip + bytes;
  return at;
}

void *jn_arena_new(jn_arena *arena, const jn_allocator *hooks, size_t bytes) {
  return take(arena, hooks, bytes, ALIGNMENT); /* jn_block_new gives zeros */
}

char *jn_arena_copy(jn_arena *arena, const jn_allocator *hooks, const char *text) {
  size_t length = strlen(text) + 1;
  char *copy = take(arena, hooks, length, 1);
  return copy != NULL ? memcpy(copy, text, length) : NULL;
}

void jn_arena_free(jn_arena *arena, const jn_allocator *hooks) {
  for (jn_arena_block *block = arena->block, *next; block != NULL; block = next) {
    next = block->next;
    jn_block_free(hooks, block);
  }
  arena->block = NULL;
}
