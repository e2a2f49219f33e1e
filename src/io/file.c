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

_Static_assert(JN_FILE_PATH >= PATH_MAX, "realpath has room");

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

size_t jn_file_limit(void) {
  const char *want = getenv("JOUNCE_MAX_FILE");
  char *end = NULL;
  const long mib = want ? strtol(want, &end, 10) : 0;
  if (mib < 1 || *end != '\0') return JN_MAX_FILE;
  return (size_t)(mib < JN_MAX_FILE_RAISED ? mib : JN_MAX_FILE_RAISED) * 1024 * 1024;
}

jn_status jn_file_too_large(jn_error *error, const char *path, const char *what) {
  const int mib = (int)(jn_file_limit() / (1024 * 1024));
  return jn_fail(error, JN_ERR_LIMIT, path, 0,
                 "%s larger than %d MiB; set JOUNCE_MAX_FILE=%d in the environment to raise the "
                 "limit (MiB, at most %d)",
                 what, mib, mib < JN_MAX_FILE_RAISED / 4 ? 4 * mib : JN_MAX_FILE_RAISED,
                 JN_MAX_FILE_RAISED);
}

jn_status jn_stream_read(FILE *file, const char *path, const jn_allocator *hooks, char **text,
                         size_t *size, jn_error *error) {
  const size_t limit = jn_file_limit();
  size_t capacity = 0, used = 0;
  char *block = NULL;
  for (;;) {
    if (used == capacity) {
      size_t larger = capacity == 0 ? 16384 : 2 * capacity;
      if (larger > limit + 1) larger = limit + 1;
      char *copy = larger > capacity ? jn_block_new(hooks, larger, 1) : NULL;
      if (copy == NULL) {
        jn_block_free(hooks, block);
        if (larger > capacity) return jn_fail(error, JN_ERR_MEMORY, path, 0, "out of memory");
        return jn_file_too_large(error, path, "the file is");
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

/* ---- files that a file names */

void jn_file_folder(const char *path, char folder[JN_FILE_PATH]) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    snprintf(folder, JN_FILE_PATH, ".");
  else
    snprintf(folder, JN_FILE_PATH, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

void jn_file_identity(const char *path, unsigned long long *device, unsigned long long *inode) {
  struct stat about;
  *device = *inode = 0;
  if (stat(path, &about) != 0) return;
  *device = (unsigned long long)about.st_dev;
  *inode = (unsigned long long)about.st_ino;
}

/* Is the real path `path` below the real path `top`? */
static int is_below(const char *top, const char *path) {
  const size_t n = strlen(top);
  if (strcmp(top, "/") == 0) return 1;
  return strncmp(path, top, n) == 0 && path[n] == '/';
}

const char jn_file_no_memory[] = "out of memory";
const char jn_file_absent[] = "cannot open: no such file";
static const char outside[] =
    "the file is outside the folder of the model and of --package-path: only files in them or "
    "below are read";

const char *jn_file_folders(jn_folders *folders, jn_arena *arena, const jn_allocator *hooks,
                            const char *list, const char *own, char which[JN_FILE_PATH]) {
  char real[PATH_MAX];
  while ((list != NULL && *list != '\0') || own != NULL) {
    const size_t n = list != NULL && *list != '\0' ? strcspn(list, ":") : 0;
    const char *folder = n > 0 || (list != NULL && *list != '\0') ? list : own;
    const size_t length = folder == list ? n : strlen(own);
    snprintf(which, JN_FILE_PATH, "%.*s", (int)length, folder);
    if (folder == list)
      list += n + (list[n] == ':');
    else
      own = NULL;
    if (length == 0) continue;
    if (length >= JN_FILE_PATH) return "the path is too long";
    if (folders->count == JN_MOST_FOLDERS) return "there are more than 63 folders";
    if (realpath(which, real) == NULL) return "there is no such folder";
    const char *copy = jn_arena_copy(arena, hooks, real);
    if (copy == NULL) return jn_file_no_memory;
    folders->path[folders->count++] = copy;
  }
  return NULL;
}

const char *jn_file_open_in(const jn_folders *tops, const char *path, jn_named_file *found) {
  char real_path[PATH_MAX];
  struct stat about;
  const size_t length = strlen(path);
  int is_inside = 0;
  if (length >= sizeof found->path) return "the path is too long";
  if (realpath(path, real_path) == NULL) return jn_file_absent;
  for (int i = 0; i < tops->count && !is_inside; i++)
    is_inside = is_below(tops->path[i], real_path);
  if (!is_inside) return outside;
  /* O_NONBLOCK: opening a pipe must not wait */
  const int descriptor = open(real_path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return "cannot open";
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    close(descriptor);
    return "not a regular file";
  }
  found->stream = fdopen(descriptor, "rb");
  if (found->stream == NULL) {
    close(descriptor);
    return "cannot open";
  }
  memcpy(found->path, path, length + 1);
  found->device = (unsigned long long)about.st_dev;
  found->inode = (unsigned long long)about.st_ino;
  if (tops->opened.visit != NULL) tops->opened.visit(tops->opened.context, path);
  return NULL;
}

const char *jn_file_open_below(const char *top, const char *folder, const char *name,
                               jn_named_file *found) {
  char joined[JN_FILE_PATH], real_top[PATH_MAX];
  if (name[0] == '/') return "an absolute path is not accepted: name it relative to the model";
  const int length = strcmp(folder, ".") == 0
                         ? snprintf(joined, sizeof joined, "%s", name)
                         : snprintf(joined, sizeof joined, "%s/%s", folder, name);
  if ((size_t)length >= sizeof joined) return "the path is too long";
  if (realpath(top, real_top) == NULL) return jn_file_absent;
  const jn_folders tops = {.path = {real_top}, .count = 1};
  return jn_file_open_in(&tops, joined, found);
}

/* Does the path have a component ".."? */
static int goes_up(const char *path) {
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/')) return 1;
  return 0;
}

int jn_file_below(const char *beside, const char *name, char *path, const char **why) {
  char folder[JN_FILE_PATH];
  jn_named_file found;
  *why = "only a file in the folder of the description, or below it, is read";
  if (name[0] == '\0' || name[0] == '/' || goes_up(name)) return 0;
  jn_file_folder(beside != NULL ? beside : "", folder);
  *why = jn_file_open_below(folder, folder, name, &found);
  if (*why == outside)
    *why = "the file is outside the folder of the description: only files in it or below are read";
  if (*why != NULL) return 0;
  fclose(found.stream);
  memcpy(path, found.path, sizeof found.path);
  return 1;
}

/* ---- writing */

/* `reason`: of errno; 0: unknown */
static jn_status cannot(const jn_file *f, int reason, jn_error *error) {
  return jn_fail(error, JN_ERR_FILE, f->path, 0, "cannot write: %s",
                 reason != 0 ? strerror(reason) : "a write failed; is the disk full?");
}

/* Creates NAME.PID.N.tmp. Returns its descriptor, or -1. */
static int create_beside(jn_file *f, mode_t mode) {
  for (int i = 0; i < 100; i++) {
    int length =
        snprintf(f->temporary, JN_FILE_PATH, "%s.%ld.%d.tmp", f->target, (long)getpid(), i);
    if (length >= JN_FILE_PATH) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int descriptor = open(f->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

/* The file keeps the mode and the owner of the one that it replaces. */
static int keep_mode(int descriptor, const struct stat *old) {
  if (fchown(descriptor, old->st_uid, old->st_gid) != 0) errno = 0; /* only where it is permitted */
  return fchmod(descriptor, old->st_mode & 0777) == 0;
}

jn_status jn_file_open(jn_file *f, const char *path, jn_error *error) {
  struct stat old;
  int descriptor;
  f->stream = NULL;
  f->path = path;
  f->target[0] = f->temporary[0] = '\0';
  const int exists = stat(path, &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    descriptor = open(path, O_WRONLY | O_CLOEXEC);
  } else {
    const mode_t mode = exists ? old.st_mode & 0777 & ~(mode_t)077 : 0666;
    if (exists ? realpath(path, f->target) == NULL
               : (size_t)snprintf(f->target, JN_FILE_PATH, "%s", path) >= JN_FILE_PATH) {
      if (!exists) errno = ENAMETOOLONG;
      return cannot(f, errno, error);
    }
    descriptor = create_beside(f, mode);
    if (descriptor < 0) f->temporary[0] = '\0';
  }
  if (descriptor < 0 && f->target[0] != '\0' && exists && access(path, W_OK) == 0)
    return jn_fail(error, JN_ERR_FILE, path, 0,
                   "cannot write: the new file cannot be created in its folder: %s",
                   strerror(errno));
  if (descriptor < 0) return cannot(f, errno, error);
  int bad = f->target[0] != '\0' && exists && !keep_mode(descriptor, &old);
  if (!bad) f->stream = fdopen(descriptor, f->target[0] != '\0' ? "r+b" : "wb");
  if (f->stream != NULL) return JN_OK;
  const int reason = errno;
  close(descriptor);
  jn_file_discard(f);
  return cannot(f, reason, error);
}

/* What cannot be flushed to a disk (pipes, some file systems) is not an error. */
static int flush(FILE *stream, int *reason) {
  const int failed = ferror(stream) != 0;
  *reason = 0;
  if (fflush(stream) == 0) {
    if (failed) return 0;
    if (fsync(fileno(stream)) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
      return 1;
  }
  *reason = errno;
  return 0;
}

jn_status jn_file_commit(jn_file *f, jn_error *error) {
  if (f->stream == NULL) return JN_ERR_STATE;
  int reason, bad = !flush(f->stream, &reason);
  if (fclose(f->stream) != 0 && !bad) bad = 1, reason = errno;
  f->stream = NULL;
  if (!bad && f->temporary[0] != '\0' && rename(f->temporary, f->target) != 0)
    bad = 1, reason = errno;
  if (!bad) f->temporary[0] = '\0';
  jn_file_discard(f);
  return bad ? cannot(f, reason, error) : JN_OK;
}

void jn_file_discard(jn_file *f) {
  if (f->stream != NULL) fclose(f->stream);
  if (f->temporary[0] != '\0') unlink(f->temporary);
  f->stream = NULL;
  f->temporary[0] = '\0';
}

jn_status jn_file_resume(jn_file *f, const char *path, jn_error *error) {
  struct stat about;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  f->stream = NULL;
  f->path = path;
  f->temporary[0] = '\0';
  if ((size_t)snprintf(f->target, JN_FILE_PATH, "%s", path) >= JN_FILE_PATH ||
      (size_t)snprintf(f->temporary, JN_FILE_PATH, "%s.part", path) >= JN_FILE_PATH) {
    f->temporary[0] = '\0';
    return cannot(f, ENAMETOOLONG, error);
  }
  /* not through a link, and not into a pipe */
  const int descriptor =
      open(f->temporary, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    f->temporary[0] = '\0';
    return cannot(f, errno, error);
  }
  const char *why =
      fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) ? "it is not a regular file"
      : fcntl(descriptor, F_SETLK, &lock) != 0 ? "another process is writing it: wait for it to end"
                                               : NULL;
  if (why == NULL) f->stream = fdopen(descriptor, "r+b");
  if (f->stream != NULL) return JN_OK;
  close(descriptor);
  const jn_status status = jn_fail(error, JN_ERR_FILE, f->temporary, 0, "cannot continue: %s",
                                   why != NULL ? why : "out of memory");
  f->temporary[0] = '\0';
  return status;
}

void jn_file_leave(jn_file *f) {
  if (f->stream != NULL) fclose(f->stream);
  f->stream = NULL;
  f->temporary[0] = '\0';
}

jn_status jn_file_write(const char *path, jn_file_writer write, void *context, jn_error *error) {
  jn_file f;
  jn_status status = jn_file_open(&f, path, error);
  if (status != JN_OK) return status;
  status = write(f.stream, context);
  if (status == JN_OK) return jn_file_commit(&f, error);
  jn_file_discard(&f);
  return status;
}

jn_status jn_text_write(jn_file_writer write, void *context, const jn_allocator *allocator,
                        char **out, jn_error *error) {
  const jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL, *copy = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  jn_status status = stream != NULL ? write(stream, context) : JN_ERR_MEMORY;
  int lost = stream == NULL || ferror(stream);
  if (stream != NULL && fclose(stream) != 0) lost = 1;
  /* glibc: text is NULL if the memory of the end is missing */
  if (!lost && text != NULL && status == JN_OK) copy = jn_block_new(&hooks, size + 1, 1);
  if (copy != NULL) memcpy(copy, text, size + 1); /* with the zero byte */
  free(text);
  if (status == JN_OK && copy == NULL) status = JN_ERR_MEMORY;
  if (status == JN_ERR_MEMORY) return jn_fail(error, status, NULL, 0, "out of memory");
  if (status == JN_OK) *out = copy;
  return status;
}
