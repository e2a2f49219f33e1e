/* target.h: a fuzz target is LLVMFuzzerTestOneInput, for libFuzzer or for replay.c. A promise that
 * does not hold ends the program. */
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

/* The bytes in a file of this process, for what reads files only; valid until the next call. */
const char *file_of_bytes(const uint8_t *bytes, size_t size);

/* The path of a file in a folder of this process's own; valid until the next call. */
const char *own_file(const char *name);

#endif
