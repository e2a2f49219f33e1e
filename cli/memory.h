/* memory.h: memory blocks that are released together. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

typedef struct cli_memory {
  void **blocks;
  int count, room;
  int failed; /* 1: an allocation failed, after a message */
} cli_memory;

/* Zeroed memory for count + 1 elements; for rows x columns x layers numbers. NULL after a message.
 */
void *cli_take(cli_memory *memory, size_t count, size_t size);
double *cli_take_numbers(cli_memory *memory, size_t rows, size_t columns, size_t layers);
/* A formatted text of at most 2047 bytes; "" when out of memory. */
const char *cli_take_text(cli_memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_release(cli_memory *memory);

/* rows x columns x layers zeros, to be released with free; NULL after a message. */
double *cli_room(size_t rows, size_t columns, size_t layers);

/* Makes room for one more element in a list of `count`; returns 0 when out of memory. */
int cli_grow(void **list, int count, int *room, size_t size);

#endif
