/* posix.c: what WASI lacks of POSIX; see posix.h. */
#include "posix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Appends one part of a path to out[0 .. *used - 1]; ".." removes the last. */
static int append_part(char *out, size_t *used, const char *part, size_t n) {
  if (n == 0 || (n == 1 && part[0] == '.')) return 1;
  if (n == 2 && part[0] == '.' && part[1] == '.') {
    while (*used > 0 && out[--*used] != '/') continue;
    return 1;
  }
  if (*used + 1 + n >= PATH_MAX) return 0;
  out[(*used)++] = '/';
  memcpy(out + *used, part, n);
  *used += n;
  return 1;
}

char *realpath(const char *path, char *resolved) {
  char out[PATH_MAX];
  struct stat about;
  size_t used = 0;
  for (const char *at = path; *at;) {
    const size_t n = strcspn(at, "/");
    if (!append_part(out, &used, at, n)) {
      errno = ENAMETOOLONG;
      return NULL;
    }
    at += n + (at[n] == '/');
  }
  if (used == 0) out[used++] = '/';
  out[used] = '\0';
  if (stat(out, &about) != 0) return NULL;
  if (!resolved) resolved = malloc(PATH_MAX);
  return resolved ? strcpy(resolved, out) : NULL;
}

int fchown(int descriptor, uid_t owner, gid_t group) {
  (void)descriptor, (void)owner, (void)group;
  return 0;
}

int fchmod(int descriptor, mode_t mode) {
  (void)descriptor, (void)mode;
  return 0;
}

static int not_here(void) {
  errno = ENOSYS;
  return -1;
}
pid_t fork(void) { return not_here(); }
int dup2(int from, int to) { return (void)from, (void)to, not_here(); }
int execlp(const char *file, const char *argument, ...) {
  return (void)file, (void)argument, not_here();
}
pid_t waitpid(pid_t pid, int *status, int options) {
  return (void)pid, (void)status, (void)options, not_here();
}

FILE *jounce_tmpfile(void) {
  static int count;
  char path[32];
  snprintf(path, sizeof path, "/.tmp%d", count++);
  FILE *file = fopen(path, "w+b");
  if (file) unlink(path);
  return file;
}

void arc4random_buf(void *bytes, size_t size) {
  for (size_t i = 0; i < size; i += 256)
    getentropy((char *)bytes + i, size - i < 256 ? size - i : 256);
}
