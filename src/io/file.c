/* file.c: reads and writes whole files. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/block.h"
#include "base/fail.h"

const char *jn_file_ending(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *last = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(last, '.');
  return dot != NULL && dot != last && dot[1] != '\0' ? dot : NULL;
}

int jn_same_ending(const char *ending, const char *wanted) {
  for (; *ending != '\0' && *wanted != '\0'; ending++, wanted++) {
    const int c = *ending >= 'A' && *ending <= 'Z' ? *ending + ('a' - 'A') : *ending;
    if (c != *wanted) return 0;
  }
  return *ending == *wanted;
}

jn_status jn_stream_read(FILE *file, const char *path, const jn_allocator *hooks, char **text,
                         size_t *size, jn_error *error) {
  size_t capacity = 0, used = 0;
  char *block = NULL;
  for (;;) {
    if (used == capacity) {
      size_t larger = capacity == 0 ? 16384 : 2 * capacity;
      if (larger > (size_t)JN_MAX_FILE + 1) larger = (size_t)JN_MAX_FILE + 1;
      char *copy = larger > capacity ? jn_block_new(hooks, larger, 1) : NULL;
      if (copy == NULL) {
        jn_block_free(hooks, block);
        if (larger > capacity) return jn_fail(error, JN_ERR_MEMORY, path, 0, "out of memory");
        return jn_fail(error, JN_ERR_LIMIT, path, 0, "the file is larger than %d MiB",
                       JN_MAX_FILE / (1024 * 1024));
      }
      if (block != NULL) memcpy(copy, block, used);
      jn_block_free(hooks, block);
      block = copy;
      capacity = larger;
    }
    errno = 0;
    used += fread(block + used, 1, capacity - used, file);
    if (ferror(file) && errno == EINTR) {
      clearerr(file); /* interrupted by a signal */
      continue;
    }
    if (ferror(file)) {
      jn_block_free(hooks, block);
      return jn_fail(error, JN_ERR_FILE, path, 0, "cannot read: %s", strerror(errno));
    }
    if (feof(file)) break;
  }
  *text = block;
  *size = used;
  return JN_OK;
}

jn_status jn_file_read(const char *path, const jn_allocator *hooks, char **text, size_t *size,
                       jn_error *error) {
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return jn_fail(error, JN_ERR_FILE, path, 0, "cannot open: %s", strerror(errno));
  jn_status status = jn_stream_read(file, path, hooks, text, size, error);
  fclose(file);
  return status;
}

/* Writes the file and closes the descriptor. */
static jn_status write_and_close(int descriptor, const char *path, jn_file_writer write_text,
                                 void *context, jn_error *error) {
  FILE *file = fdopen(descriptor, "wb");
  if (file == NULL) {
    int reason = errno;
    close(descriptor);
    return jn_fail(error, JN_ERR_FILE, path, 0, "cannot write: %s", strerror(reason));
  }
  errno = 0;
  jn_status status = write_text(file, context);
  int bad = (fflush(file) | ferror(file)) != 0;
  if (!bad && fsync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    bad = 1;
  int reason = errno;
  if (fclose(file) != 0 && !bad) bad = 1, reason = errno;
  if (status == JN_OK && bad)
    status = jn_fail(error, JN_ERR_FILE, path, 0, "cannot write: %s", strerror(reason));
  return status;
}

/* Creates a temporary file in the folder of `target`. Returns its descriptor; `name` is its
 * name. */
static int create_beside(const char *target, char *name, size_t room, mode_t mode) {
  for (int i = 0; i < 100; i++) {
    int length = snprintf(name, room, "%s.%ld.%d.tmp", target, (long)getpid(), i);
    if ((size_t)length >= room) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

jn_status jn_file_write(const char *path, jn_file_writer write, void *context, jn_error *error) {
  /* Devices and pipes cannot be replaced: they are written to directly. A symbolic link is
   * followed: the file it points to is replaced. */
  struct stat old;
  int exists = stat(path, &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
      return jn_fail(error, JN_ERR_FILE, path, 0, "cannot write: %s", strerror(errno));
    return write_and_close(descriptor, path, write, context, error);
  }
  char *real = exists ? realpath(path, NULL) : NULL;
  const char *target = real != NULL ? real : path;
  char name[PATH_MAX];
  int descriptor = create_beside(target, name, sizeof name, exists ? old.st_mode & 0777 : 0666);
  jn_status status;
  if (descriptor < 0) {
    status = jn_fail(error, JN_ERR_FILE, path, 0, "cannot write: %s", strerror(errno));
  } else {
    status = write_and_close(descriptor, path, write, context, error);
    if (status == JN_OK && rename(name, target) != 0)
      status = jn_fail(error, JN_ERR_FILE, path, 0, "cannot write: %s", strerror(errno));
    if (status != JN_OK) unlink(name);
  }
  free(real);
  return status;
}
