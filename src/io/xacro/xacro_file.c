/* xacro_file.c: packages and files of xacro. Only regular files below the folders of
 * jn_load_options and of the model itself are opened. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/block.h"
#include "io/xacro/xacro.h"

static const char scheme[] = "package://";

void jn_xacro_folders(xacro *x, const jn_load_options *options, const char *path) {
  char folder[JN_FILE_PATH] = "", which[JN_FILE_PATH] = "";
  if (path != NULL) jn_file_folder(path, folder);
  const char *list = options != NULL ? options->package_path : NULL;
  const char *why = jn_file_folders(&x->tops, &x->tree.arena, &x->hooks, list,
                                    path != NULL ? folder : NULL, which);
  if (why == jn_file_no_memory)
    jn_xacro_fail(x, JN_ERR_MEMORY, "%s", why);
  else if (why != NULL)
    jn_xacro_fail(x, JN_ERR_FILE, "package path: '%.200s': %s", which, why);
}

static int is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

const char *jn_xacro_package(xacro *x, const char *name) {
  char path[JN_FILE_PATH];
  if (strchr(name, '/') != NULL || name[0] == '.') {
    jn_xacro_fail(x, JN_ERR_SYNTAX, "$(find %.100s): this is not the name of a package", name);
    return "";
  }
  for (int i = 0; i < x->tops.count; i++) {
    const char *top = x->tops.path[i]; /* a real path: there is a '/' */
    if (strcmp(strrchr(top, '/') + 1, name) == 0) return top;
    const size_t n = (size_t)snprintf(path, sizeof path, "%s/%s", top, name);
    if (n < sizeof path && is_folder(path)) return jn_xacro_copy(x, path, n);
  }
  snprintf(path, sizeof path, "%s%.1000s", scheme, name);
  return jn_xacro_copy(x, path, strlen(path));
}

const char *jn_xacro_path(xacro *x, const char *name) {
  char folder[JN_FILE_PATH];
  xacro_buffer b = {NULL, 0, 0};
  if (name[0] == '/' || strncmp(name, scheme, sizeof scheme - 1) == 0) return name;
  jn_file_folder(x->files[x->file].name, folder);
  if (strcmp(folder, ".") == 0) return name;
  jn_xacro_append(x, &b, folder, strlen(folder));
  jn_xacro_append(x, &b, "/", 1);
  jn_xacro_append(x, &b, name, strlen(name));
  return jn_xacro_text(x, &b);
}

int jn_xacro_open(xacro *x, const char *what, const char *name, int optional,
                  jn_named_file *found) {
  const char *path = jn_xacro_path(x, name);
  if (x->status != JN_OK) return 0;
  if (strncmp(path, scheme, sizeof scheme - 1) == 0) {
    const char *package = path + sizeof scheme - 1;
    if (!optional)
      jn_xacro_fail(x, JN_ERR_FILE,
                    "%s \"%.200s\": there is no package '%.*s': name the folder that holds it with "
                    "--package-path",
                    what, name, (int)strcspn(package, "/"), package);
    return 0;
  }
  if (x->tops.count == 0) {
    jn_xacro_fail(x, JN_ERR_FILE,
                  "%s \"%.200s\": a text in memory has no folder: load the model from its file, or "
                  "name folders with --package-path",
                  what, name);
    return 0;
  }
  const char *reason = jn_file_open_in(&x->tops, path, found);
  if (reason == NULL) return 1;
  if (!optional || reason != jn_file_absent)
    jn_xacro_fail(x, JN_ERR_FILE, "%s \"%.200s\": %s", what, name, reason);
  return 0;
}

/* The number of a file of this path, which may be new; -1 after a failure. */
static int number_of(xacro *x, const jn_named_file *found) {
  for (int i = 0; i < x->file_count; i++)
    if (x->files[i].device == found->device && x->files[i].inode == found->inode &&
        strcmp(x->files[i].name, found->path) == 0)
      return i;
  if (x->file_count > JN_MAX_INCLUDES) {
    jn_xacro_fail(x, JN_ERR_LIMIT, "more than %d files are included", JN_MAX_INCLUDES);
    return -1;
  }
  const char *name = jn_xacro_copy(x, found->path, strlen(found->path));
  if (x->status != JN_OK) return -1;
  x->files[x->file_count] = (xacro_file){name, found->device, found->inode, NULL};
  return x->file_count++;
}

int jn_xacro_read(xacro *x, jn_named_file *found, char **text, size_t *size) {
  const int file = number_of(x, found);
  *text = NULL;
  *size = 0;
  if (file >= 0 && x->files[file].root == NULL) {
    x->status = jn_stream_read(found->stream, x->files[file].name, &x->hooks, text, size, x->error);
    x->bytes += *size;
    if (x->bytes > jn_file_limit())
      jn_xacro_fail(x, JN_ERR_LIMIT, "the included files are larger than %d MiB together",
                    (int)(jn_file_limit() / (1024 * 1024)));
  }
  fclose(found->stream);
  if (x->status == JN_OK) return file;
  jn_block_free(&x->hooks, *text);
  *text = NULL;
  return -1;
}
