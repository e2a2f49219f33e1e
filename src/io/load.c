/* load.c: a file or the name of a built-in robot -> spec -> model. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/block.h"
#include "io/text.h"

/* the bytes of a file in a block of their own; at most JN_MAX_FILE */
static jn_status read_all(FILE *file, const char *path, const jn_allocator *hooks, char **text,
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
    size_t got = fread(block + used, 1, capacity - used, file);
    used += got;
    if (ferror(file)) {
      jn_block_free(hooks, block);
      return jn_fail(error, JN_ERR_FILE, path, 0, "cannot read: %s", strerror(errno));
    }
    if (got == 0 && feof(file)) break;
  }
  *text = block;
  *size = used;
  return JN_OK;
}

/* the ending of the last part of a path, with its dot; NULL when there is none */
static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *last = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(last, '.');
  return dot != NULL && dot != last && dot[1] != '\0' ? dot : NULL;
}

static int same_ending(const char *ending, const char *wanted) {
  for (; *ending != '\0' && *wanted != '\0'; ending++, wanted++) {
    char c = *ending >= 'A' && *ending <= 'Z' ? (char)(*ending + ('a' - 'A')) : *ending;
    if (c != *wanted) return 0;
  }
  return *ending == *wanted;
}

static int is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && (about.st_mode & S_IFMT) == S_IFDIR;
}

static jn_status refuse_directory(const char *path, jn_error *error) {
  return jn_fail(error, JN_ERR_FILE, path, 0, "is a directory: a model file expected");
}

jn_status jn_spec_load(const char *path, const jn_allocator *allocator, jn_spec **out,
                       jn_error *error) {
  if (path != NULL && path[0] == '\0')
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "no model given: a file or the name of a built-in robot expected");
  if (path == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "no file name or no place for the result was given");
  const char *ending = ending_of(path);
  if (ending == NULL && strchr(path, '/') == NULL) {
    jn_status found = jn_spec_builtin(path, allocator, out, error);
    return found != JN_OK && is_directory(path) ? refuse_directory(path, error) : found;
  }
  if (is_directory(path)) return refuse_directory(path, error);
  if (ending != NULL && same_ending(ending, ".xacro"))
    return jn_fail(error, JN_ERR_FILE, path, 0,
                   "this is a xacro source: expand it first (xacro FILE > robot.urdf)");
  int is_urdf = ending != NULL && (same_ending(ending, ".urdf") || same_ending(ending, ".xml"));
  if (!is_urdf && (ending == NULL || !same_ending(ending, ".json")))
    return jn_fail(
        error, JN_ERR_FILE, path, 0,
        "unknown ending: expected .urdf or .xml (URDF), .json (native model), or the name of "
        "a built-in robot");

  errno = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return jn_fail(error, JN_ERR_FILE, path, 0, "cannot open: %s", strerror(errno));
  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL;
  size_t size = 0;
  jn_status status = read_all(file, path, &hooks, &text, &size, error);
  fclose(file);
  if (status != JN_OK) return status;
  status = is_urdf ? jn_spec_parse_urdf(text, size, path, allocator, out, error)
                   : jn_spec_parse_json(text, size, path, allocator, out, error);
  jn_block_free(&hooks, text);
  return status;
}

jn_status jn_model_load(const char *path, const jn_build_options *options,
                        const jn_allocator *allocator, jn_model **out, jn_error *error) {
  if (out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "no place for the result was given");
  jn_spec *spec = NULL;
  jn_status status = jn_spec_load(path, allocator, &spec, error);
  if (status == JN_OK) status = jn_model_build(spec, options, allocator, out, error);
  jn_spec_free(spec);
  return status;
}
