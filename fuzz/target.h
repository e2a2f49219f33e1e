/* target.h: a fuzz target is LLVMFuzzerTestOneInput, called by libFuzzer or replay.c. A failed
 * check ends the program. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <jounce/base.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PROMISE(condition)                                                            \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                        \
    }                                                                                 \
  } while (0)

/* Memory for one input, which begins with the first call. Values of jansson are in it, too. */
const jn_allocator *arena(void);

/* Ends an input: every block of the arena must have been released. An input that took more than a
 * second of processor time ends the program. */
void input_end(void);

/* Of the input: 1 of 16 is computed with, say. */
uint32_t hash_of(const uint8_t *bytes, size_t size);

/* Writes the bytes to a temporary file, for functions that only read files; valid until the next
 * call. */
const char *file_of_bytes(const uint8_t *bytes, size_t size);

/* Replaces the content of a file. */
void put_file(const char *path, const void *bytes, size_t size);

/* The path of a file in a temporary folder of this process; valid until the next call. */
const char *own_file(const char *name);

#endif
