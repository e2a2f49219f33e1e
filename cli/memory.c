/* memory.c: lists of memory blocks. */
#include "memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/message.h"

int cli_grow(void **list, int count, int *room, size_t size) {
  if (count < *room) return 1;
  if (*room > INT32_MAX / 2) return 0;
  int more = *room ? 2 * *room : 16;
  void *larger = realloc(*list, (size_t)more * size);
  if (!larger) return 0;
  *list = larger;
  *room = more;
  return 1;
}

double *cli_room(size_t rows, size_t columns, size_t layers) {
  size_t most = SIZE_MAX / sizeof(double) / 4, count = rows;
  double *room = NULL;
  if ((columns == 0 || count <= most / columns) &&
      (layers == 0 || count * columns <= most / layers)) {
    count *= columns * layers;
    room = calloc(count + 1, sizeof *room);
  }
  if (!room) cli_error("out of memory for %zu x %zu x %zu numbers", rows, columns, layers);
  return room;
}

static void *keep(cli_memory *m, void *block) {
  void *blocks = m->blocks;
  int kept = block && cli_grow(&blocks, m->count, &m->room, sizeof block);
  m->blocks = blocks;
  if (kept) return m->blocks[m->count++] = block;
  if (block && !m->failed) cli_error("out of memory");
  free(block);
  m->failed = 1;
  return NULL;
}

void *cli_take(cli_memory *m, size_t count, size_t size) {
  void *block = calloc(count + 1, size);
  if (!block) cli_error("out of memory for %zu x %zu bytes", count, size);
  return keep(m, block);
}

double *cli_take_numbers(cli_memory *m, size_t rows, size_t columns, size_t layers) {
  return keep(m, cli_room(rows, columns, layers));
}

const char *cli_take_text(cli_memory *m, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char *copy = cli_take(m, strlen(text), 1);
  return copy ? strcpy(copy, text) : "";
}

void cli_release(cli_memory *m) {
  for (int i = 0; i < m->count; i++) free(m->blocks[i]);
  free(m->blocks);
  memset(m, 0, sizeof *m);
}
