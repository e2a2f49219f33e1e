/* memory.h: memory that is released in one go. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>

typedef struct cli_memory {
  void **blocks;
  int count, room;
  int failed; /* something could not be had, and a message said so */
} cli_memory;

/* Zeros: `count` elements and one more; rows x columns x layers numbers. NULL after a message. */
void *cli_take(cli_memory *memory, size_t count, size_t size);
double *cli_take_numbers(cli_memory *memory, size_t rows, size_t columns, size_t layers);
/* At most 2047 bytes; "" without memory. */
const char *cli_take_text(cli_memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_release(cli_memory *memory);

/* Zeroed room for rows x columns x layers doubles, released with free; NULL after a message. */
double *cli_room(size_t rows, size_t columns, size_t layers);

/* Room for one more element behind `count` of a list; 0 without memory. */
int cli_grow(void **list, int count, int *room, size_t size);

#endif
