/* target.h: a fuzz target is LLVMFuzzerTestOneInput, called by libFuzzer or replay.c. A failed
 * check ends the program. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

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

/* Writes the bytes to a temporary file, for functions that only read files; valid until the next
 * call. */
const char *file_of_bytes(const uint8_t *bytes, size_t size);

/* The path of a file in a temporary folder of this process; valid until the next call. */
const char *own_file(const char *name);

#endif
