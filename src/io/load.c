/* load.c: loads a spec or a model from a file, or by the name of a built-in robot. */
#include <string.h>
#include <sys/stat.h>

#include "base/block.h"
#include "io/file.h"
#include "io/load.h"
#include "io/text.h"
#include "io/xml.h"

static int is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && (about.st_mode & S_IFMT) == S_IFDIR;
}

static jn_status refuse_directory(const char *path, jn_error *error) {
  return jn_fail(error, JN_ERR_FILE, path, 0, "is a directory: a model file expected");
}

/* The root element tells the format. */
static jn_status parse_xml(const char *text, size_t size, const char *path,
                           const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  char root[16];
  if (jn_xml_root_name(text, size, root, sizeof root) != JN_OK)
    return jn_fail(error, JN_ERR_MEMORY, path, 0, "out of memory");
  return strcmp(root, "mujoco") == 0 ? jn_mjcf_parse(text, size, path, path, allocator, out, error)
                                     : jn_spec_parse_urdf(text, size, path, allocator, out, error);
}

jn_status jn_spec_load(const char *path, const jn_allocator *allocator, jn_spec **out,
                       jn_error *error) {
  if (path != NULL && path[0] == '\0')
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "no model given: a file or the name of a built-in robot expected");
  if (path == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "path or out is NULL");
  const char *ending = jn_file_ending(path);
  if (ending == NULL && strchr(path, '/') == NULL) {
    jn_status found = jn_spec_builtin(path, allocator, out, error);
    return found != JN_OK && is_directory(path) ? refuse_directory(path, error) : found;
  }
  if (is_directory(path)) return refuse_directory(path, error);
  if (ending != NULL && jn_same_ending(ending, ".xacro"))
    return jn_fail(error, JN_ERR_FILE, path, 0,
                   "this is a xacro source: expand it first (xacro FILE > robot.urdf)");
  int is_xml =
      ending != NULL && (jn_same_ending(ending, ".urdf") || jn_same_ending(ending, ".xml") ||
                         jn_same_ending(ending, ".mjcf"));
  if (!is_xml && (ending == NULL || !jn_same_ending(ending, ".json")))
    return jn_fail(error, JN_ERR_FILE, path, 0,
                   "unknown ending: expected .urdf, .xml or .mjcf (URDF or MJCF), .json (native "
                   "model), or the "
                   "name of a built-in robot");

  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL;
  size_t size = 0;
  jn_status status = jn_file_read(path, &hooks, &text, &size, error);
  if (status != JN_OK) return status;
  status = is_xml ? parse_xml(text, size, path, allocator, out, error)
                  : jn_spec_parse_json(text, size, path, allocator, out, error);
  jn_block_free(&hooks, text);
  return status;
}

jn_status jn_model_load(const char *path, const jn_build_options *options,
                        const jn_allocator *allocator, jn_model **out, jn_error *error) {
  if (out == NULL) return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "out is NULL");
  jn_spec *spec = NULL;
  jn_status status = jn_spec_load(path, allocator, &spec, error);
  if (status == JN_OK) status = jn_model_build(spec, options, allocator, out, error);
  jn_spec_free(spec);
  return status;
}
