/* load.c: loads a spec or a model from a file, or by the name of a built-in robot. */
#include <string.h>
#include <sys/stat.h>

#include "base/block.h"
#include "io/file.h"
#include "io/load.h"
#include "io/text.h"
#include "io/xml.h"
#include "model/spec.h"

static int is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && (about.st_mode & S_IFMT) == S_IFDIR;
}

static int exists(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

static jn_status refuse_directory(const char *path, jn_error *error) {
  return jn_fail(error, JN_ERR_FILE, path, 0, "is a directory: a model file expected");
}

static int starts_with(const char *text, size_t size, const char *bytes) {
  return size >= strlen(bytes) && memcmp(text, bytes, strlen(bytes)) == 0;
}

/* The first character after a byte order mark and white space; '<' for UTF-16, which is XML; 0:
 * none. */
static char first_character(const char *text, size_t size) {
  size_t i = starts_with(text, size, "\xEF\xBB\xBF") ? 3 : 0;
  if (starts_with(text, size, "\xFF\xFE") || starts_with(text, size, "\xFE\xFF")) return '<';
  while (i < size && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t')) i++;
  return i < size ? text[i] : '\0';
}

/* Is it xacro: by the ending of its name, or an element of the language? A call of a macro alone is
 * left over from an expansion. */
static int is_xacro(const char *text, size_t size, const char *name) {
  const char *ending = jn_file_ending(name);
  if (ending != NULL && jn_same_ending(ending, ".xacro")) return 1;
  for (const char *at = text, *end = text + size;
       (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
    char element[24] = "";
    const size_t left = (size_t)(end - at) - 1;
    memcpy(element, at + 1, left < sizeof element - 1 ? left : sizeof element - 1);
    element[strcspn(element, " \t\r\n/>")] = '\0';
    if (jn_is_xacro_element(element)) return 1;
  }
  return 0;
}

/* The root element tells the format. */
static jn_status parse_xml(const char *text, size_t size, const char *name, const char *path,
                           const jn_load_options *options, const jn_opened *opened,
                           const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  char root[16];
  if (jn_xml_root_name(text, size, root, sizeof root) != JN_OK)
    return jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
  if (strcmp(root, "mujoco") == 0)
    return jn_mjcf_parse(text, size, name, path, options, opened, allocator, out, error);
  return is_xacro(text, size, name)
             ? jn_xacro_parse(text, size, name, path, options, opened, allocator, out, error)
             : jn_spec_parse_urdf(text, size, name, allocator, out, error);
}

/* The content tells the format. `path`: the file that it comes from; NULL: a text in memory. */
static jn_status parse(const char *text, size_t size, const char *name, const char *path,
                       const jn_load_options *options, const jn_opened *opened,
                       const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (starts_with(text, size, "\x1F\x8B"))
    return jn_fail(error, JN_ERR_FILE, name, 0, "is compressed (gzip): unpack it first (gunzip)");
  const char first = first_character(text, size), *ending = jn_file_ending(name);
  const int is_json =
      first == '{' || first == '[' ||
      (first != '<' && ending != NULL && jn_same_ending(ending, ".json")); /* for the message */
  return is_json ? jn_spec_parse_json(text, size, name, allocator, out, error)
                 : parse_xml(text, size, name, path, options, opened, allocator, out, error);
}

static jn_status load_file(const char *path, const jn_load_options *options,
                           const jn_opened *opened, const jn_allocator *allocator, jn_spec **out,
                           jn_error *error) {
  jn_allocator hooks = jn_allocator_or_default(allocator);
  char *text = NULL;
  size_t size = 0;
  jn_status status = jn_file_read(path, &hooks, &text, &size, error);
  if (status != JN_OK) return status;
  status = parse(text, size, path, path, options, opened, allocator, out, error);
  jn_block_free(&hooks, text);
  return status;
}

jn_status jn_spec_load_from(const char *path, const char *text, size_t size,
                            const jn_load_options *options, const jn_opened *opened,
                            const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  if (text != NULL) return parse(text, size, path, NULL, options, opened, allocator, out, error);
  if (path != NULL && path[0] == '\0')
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0,
                   "no model given: a file or the name of a built-in robot expected");
  if (path == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, NULL, 0, "path or out is NULL");
  if (jn_file_ending(path) == NULL && strchr(path, '/') == NULL) {
    jn_status found = jn_spec_builtin(path, allocator, out, error);
    if (found == JN_OK || found == JN_ERR_MEMORY || !exists(path)) return found;
  }
  if (is_directory(path)) return refuse_directory(path, error);
  return load_file(path, options, opened, allocator, out, error);
}

jn_status jn_spec_parse_with(const char *text, size_t size, const char *name,
                             const jn_load_options *options, const jn_allocator *allocator,
                             jn_spec **out, jn_error *error) {
  if (name == NULL) name = "text";
  if (text == NULL || out == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, name, 0, "text or out is NULL");
  return parse(text, size, name, NULL, options, NULL, allocator, out, error);
}

jn_status jn_spec_parse(const char *text, size_t size, const char *name,
                        const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  return jn_spec_parse_with(text, size, name, NULL, allocator, out, error);
}

jn_status jn_spec_load_with(const char *path, const jn_load_options *options,
                            const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  return jn_spec_load_from(path, NULL, 0, options, NULL, allocator, out, error);
}

jn_status jn_spec_load(const char *path, const jn_allocator *allocator, jn_spec **out,
                       jn_error *error) {
  return jn_spec_load_with(path, NULL, allocator, out, error);
}

jn_status jn_spec_extend(jn_spec *spec, const char *path, jn_error *error) {
  char *text = NULL;
  size_t size = 0;
  if (spec == NULL || path == NULL)
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "spec or path is NULL");
  const jn_allocator *hooks = jn_spec_hooks(spec);
  jn_status status = jn_file_read(path, hooks, &text, &size, error);
  if (status != JN_OK) return status;
  status = jn_spec_extend_json(spec, text, size, path, error);
  jn_block_free(hooks, text);
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
