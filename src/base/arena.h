/* arena.h (private): memory in growing blocks that are freed together. */
#ifndef JOUNCE_BASE_ARENA_H
#define JOUNCE_BASE_ARENA_H

#include <jounce/base.h>

typedef struct jn_arena_block jn_arena_block;
typedef struct jn_arena {
  jn_arena_block *block; /* NULL: empty */
} jn_arena;

/* `bytes` that are zero, aligned for pointers and numbers; NULL: out of memory. */
void *jn_arena_new(jn_arena *arena, const jn_allocator *hooks, size_t bytes);
/* A copy of `text`; NULL: out of memory. */
char *jn_arena_copy(jn_arena *arena, const jn_allocator *hooks, const char *text);
void jn_arena_free(jn_arena *arena, const jn_allocator *hooks);

#endif
