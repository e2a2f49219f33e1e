/* block.c: allocation through the user's hooks. */
#include "base/block.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t size, void *context) {
  (void)context;
  return malloc(size);
}

static void default_release(void *block, void *context) {
  (void)context;
  free(block);
}

jn_allocator jn_allocator_or_default(const jn_allocator *allocator) {
  jn_allocator hooks = {default_allocate, default_release, NULL};
  if (allocator == NULL) return hooks;
  hooks.context = allocator->context;
  if (allocator->allocate != NULL) hooks.allocate = allocator->allocate;
  if (allocator->release != NULL) hooks.release = allocator->release;
  return hooks;
}

int jn_size_multiply(size_t a, size_t b, size_t *product) {
  if (b != 0 && a > SIZE_MAX / b) return 0;
  *product = a * b;
  return 1;
}

void *jn_block_raw(const jn_allocator *hooks, size_t count, size_t size) {
  size_t bytes;
  if (!jn_size_multiply(count, size, &bytes)) return NULL;
  return hooks->allocate(bytes ? bytes : 1, hooks->context);
}

void *jn_block_new(const jn_allocator *hooks, size_t count, size_t size) {
  void *block = jn_block_raw(hooks, count, size);
  if (block != NULL) memset(block, 0, count * size);
  return block;
}

void jn_block_free(const jn_allocator *hooks, void *block) {
  if (block != NULL) hooks->release(block, hooks->context);
}
