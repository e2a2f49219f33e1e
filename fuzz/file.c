#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"
#include "tests/helpers/temporary.h"

const char *file_of_bytes(const uint8_t *bytes, size_t size) {
  static int file = -1;
  static char path[64];
  if (file < 0) {
    file = memfd_create("input", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  PROMISE(file >= 0 && ftruncate(file, 0) == 0);
  PROMISE(pwrite(file, bytes, size, 0) == (ssize_t)size);
  return path;
}

const char *own_file(const char *name) {
  /* in memory where there is such a place: files are flushed to the disk */
  static char folder[400] = "/dev/shm/jounce-fuzz-XXXXXX", path[500];
  static int made;
  if (!made && !mkdtemp(folder)) {
    snprintf(folder, sizeof folder, "%.300s/jounce-fuzz-XXXXXX", temporary_folder());
    PROMISE(mkdtemp(folder) != NULL);
  }
  made = 1;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

void put_file(const char *path, const void *bytes, size_t size) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  PROMISE(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}
