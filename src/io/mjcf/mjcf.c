/* mjcf.c: reads MJCF, MuJoCo's model format: files, settings, and the order of the steps.
 *
 * Read are the tree of bodies, its joints and its inertias (docs/files.md has a table of every
 * element). What acts on the tree otherwise is reported as a finding and not used.
 *
 * The file is not trusted (xml.h). Besides it only the files it includes are opened: regular files
 * in its own folder or below. */
#include "io/mjcf/mjcf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/decimal.h"
#include "io/file.h"
#include "io/load.h"

/* ---- messages */

const char *jn_mjcf_subject(const xml_node *at, char subject[MJCF_SUBJECT]) {
  const char *name = jn_mjcf_attribute(at, "name");
  if (name != NULL)
    snprintf(subject, MJCF_SUBJECT, "%.24s '%.*s'", at->name, JN_MAX_NAME, name);
  else
    snprintf(subject, MJCF_SUBJECT, "%.24s", at->name);
  return subject;
}

int jn_mjcf_line(const mjcf *m, const xml_node *at) {
  return at->file == 0 ? at->line : m->file[at->file].line;
}

void jn_mjcf_fail(mjcf *m, jn_status status, const xml_node *at, const char *format, ...) {
  va_list list;
  if (m->status != JN_OK) return;
  va_start(list, format);
  m->status = jn_fail_list(m->error, status, m->file[at->file].name, at->line, format, list);
  va_end(list);
}

void jn_mjcf_check(mjcf *m, jn_status status, const xml_node *at, const char *what) {
  if (status != JN_OK) jn_mjcf_fail(m, status, at, "%s: %s", what, jn_status_text(status));
}

/* A finding has the line in the main file; one in an included file names its place in the text. */
void jn_mjcf_note(mjcf *m, jn_severity severity, const xml_node *at, const char *format, ...) {
  char text[JN_MAX_MESSAGE];
  va_list list;
  if (m->status != JN_OK) return;
  va_start(list, format);
  jn_format_list(text, sizeof text, format, list);
  va_end(list);
  if (at->file == 0)
    jn_mjcf_check(m, jn_note(m->spec, severity, at->line, "%s", text), at, "findings");
  else
    jn_mjcf_check(m,
                  jn_note(m->spec, severity, jn_mjcf_line(m, at), "%s:%d: %s",
                          m->file[at->file].name, at->line, text),
                  at, "findings");
}

int jn_mjcf_is_first(mjcf *m, const char *where, const char *what) {
  uint64_t hash = jn_xml_hash(jn_xml_hash(jn_xml_hash(jn_xml_hash_start, where), " "), what);
  for (int i = 0; i < m->noted_count; i++)
    if (m->noted[i] == hash) return 0;
  if (m->noted_count < MJCF_MOST_NOTED) m->noted[m->noted_count++] = hash;
  return 1;
}

/* ---- files */

static int is_one_of(const char *word, const char *const *words) {
  for (; *words != NULL; words++)
    if (strcmp(word, *words) == 0) return 1;
  return 0;
}

/* Elements without influence on the dynamics are skipped. */
static int keep(const xml_node *parent, const char *element) {
  static const char *const skipped[] = {
      "asset",  "visual", "sensor",   "keyframe",    "custom", "statistic", "size", "extension",
      "camera", "light",  "material", "lengthrange", "skin",   "config",    NULL};
  static const char *const closed[] = {"contact", "spatial", "geom", "site",
                                       "plugin",  "flex",    NULL};
  return !is_one_of(element, skipped) && !is_one_of(parent->name, closed);
}

static int keep_with_assets(const xml_node *parent, const char *element) {
  if (strcmp(element, "asset") == 0 || strcmp(parent->name, "asset") == 0)
    return jn_mjcf_keeps_asset(parent, element);
  return keep(parent, element);
}

/* Replaces an element by the children of `root`, which may be none. Nothing is appended to the
 * parent later: its `last` is not kept. */
static void replace(xml_node *at, xml_node *root) {
  xml_node *parent = at->parent, **link = &parent->first;
  while (*link != at) link = &(*link)->next;
  for (xml_node *n = root->first; n != NULL; n = n->next) n->parent = parent;
  *link = root->first != NULL ? root->first : at->next;
  if (root->last != NULL) root->last->next = at->next;
}

/* Opens an included file: in the folder of the model, else in that of the file that includes it, else
 * in the folders of the package path. */
static const char *open_included(const mjcf *m, const mjcf_file *from, const char *name,
                                 jn_named_file *found) {
  char folder[JN_FILE_PATH], path[2 * JN_FILE_PATH];
  const char *reason = jn_file_absent;
  if (name[0] == '/') return "an absolute path is not accepted: name it relative to the model";
  for (int i = m->folder != NULL ? -2 : 0; i < m->tops.count && reason != NULL; i++) {
    if (i == -1) jn_file_folder(from->name, folder);
    const char *in = i == -2 ? m->folder : i == -1 ? folder : m->tops.path[i];
    if (i == -1 && from == &m->file[0]) continue;
    if (strcmp(in, ".") == 0)
      snprintf(path, sizeof path, "%s", name);
    else
      snprintf(path, sizeof path, "%s/%s", in, name);
    const char *why = jn_file_open_in(&m->tops, path, found);
    if (why == NULL || reason == jn_file_absent) reason = why;
  }
  return reason;
}

/* Reads the file of an <include> and puts its elements in the place of `at`. */
static void include(mjcf *m, xml_node *at) {
  const char *name = jn_mjcf_attribute(at, "file");
  const mjcf_file *from = &m->file[at->file];
  jn_named_file found;
  if (name == NULL || name[0] == '\0')
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<include> has no attribute 'file'");
  else if (at->first != NULL)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<include> cannot have elements");
  else if (m->tops.count == 0)
    jn_mjcf_fail(m, JN_ERR_FILE, at,
                 "<include file=\"%.200s\">: a text in memory has no folder: load the model from "
                 "its file",
                 name);
  else if (m->file_count > JN_MAX_INCLUDES)
    jn_mjcf_fail(m, JN_ERR_LIMIT, at, "more than %d files are included", JN_MAX_INCLUDES);
  else if (from->depth == JN_MAX_INCLUDE_DEPTH)
    jn_mjcf_fail(m, JN_ERR_LIMIT, at, "includes are nested deeper than %d", JN_MAX_INCLUDE_DEPTH);
  if (m->status != JN_OK) return;

  const char *reason = open_included(m, from, name, &found);
  if (reason != NULL) {
    jn_mjcf_fail(m, JN_ERR_FILE, at, "<include file=\"%.200s\">: %s", name, reason);
    return;
  }
  mjcf_file *file = &m->file[m->file_count];
  char *text = NULL;
  size_t size = 0;
  for (int i = 0; i < m->file_count; i++)
    if (m->file[i].device == found.device && m->file[i].inode == found.inode)
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at,
                   "<include file=\"%.200s\">: the file is already part of "
                   "this model",
                   name);
  *file = (mjcf_file){jn_arena_copy(&m->tree.arena, &m->hooks, found.path), jn_mjcf_line(m, at),
                      from->depth + 1, found.device, found.inode};
  if (file->name == NULL) jn_mjcf_check(m, JN_ERR_MEMORY, at, "files");
  if (m->status == JN_OK)
    m->status = jn_stream_read(found.stream, file->name, &m->hooks, &text, &size, m->error);
  fclose(found.stream);
  m->bytes += size;
  if (m->bytes > jn_file_limit())
    jn_mjcf_fail(m, JN_ERR_LIMIT, at, "the included files are larger than %d MiB together",
                 (int)(jn_file_limit() / (1024 * 1024)));
  if (m->status == JN_OK) {
    xml_node *root = NULL;
    m->status =
        jn_xml_tree_read(&m->tree, text, size, file->name, m->file_count++, at, &root, m->error);
    if (m->status == JN_OK) replace(at, root);
  }
  jn_block_free(&m->hooks, text);
}

static void read_includes(mjcf *m) {
  for (xml_node *n = m->root, *next; n != NULL; n = next) {
    if (strcmp(n->name, "include") != 0) {
      next = jn_xml_next(m->root, n);
      continue;
    }
    /* what comes next in the document: the first included element, or what follows `n` */
    xml_node *parent = n->parent, *before = NULL;
    for (xml_node *c = parent->first; c != n; c = c->next) before = c;
    include(m, n);
    if (m->status != JN_OK) return;
    xml_node *first = before != NULL ? before->next : parent->first;
    next = first;
    for (xml_node *up = parent; next == NULL && up != m->root; up = up->parent) next = up->next;
  }
}

/* ---- settings */

static void read_compiler(mjcf *m, const xml_node *at) {
  static const char *const known[] = {
      "autolimits",        "boundmass",    "boundinertia",     "settotalmass",
      "balanceinertia",    "strippath",    "coordinate",       "angle",
      "fitaabb",           "eulerseq",     "meshdir",          "texturedir",
      "discardvisual",     "usethread",    "fusestatic",       "inertiafromgeom",
      "inertiagrouprange", "saveinertial", "assetdir",         "alignfree",
      "conflict",          "convexhull",   "exactmeshinertia", NULL};
  static const char *const angles[] = {"radian", "degree", NULL};
  static const char *const coordinates[] = {"local", "global", NULL};
  mjcf_settings *s = &m->settings;
  mjcf_values unused;
  const struct {
    const char *name;
    const char *const *words;
    int *out;
  } words[] = {{"angle", angles, &s->is_degree},
               {"autolimits", jn_mjcf_false_true, &s->autolimits},
               {"balanceinertia", jn_mjcf_false_true, &s->balanceinertia},
               {"fusestatic", jn_mjcf_false_true, &s->fusestatic},
               {"alignfree", jn_mjcf_false_true, &s->alignfree}};
  jn_mjcf_collect(m, at, NULL, known, &unused);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const int word = jn_mjcf_word(m, at, words[i].name, words[i].words);
    if (word >= 0) *words[i].out = word;
  }
  const int from = jn_mjcf_word(m, at, "inertiafromgeom", jn_mjcf_false_true_auto);
  if (from >= 0) s->inertiafromgeom = (mjcf_from_geom)from;
  if (jn_mjcf_word(m, at, "coordinate", coordinates) == 1)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at,
                 "coordinate=\"global\" is not supported: convert the file with MuJoCo 2.3.3");
  const char *sequence = jn_mjcf_attribute(at, "eulerseq");
  if (sequence != NULL) {
    if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
      jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "eulerseq=\"%.60s\": expected three letters of xyzXYZ",
                   sequence);
    else
      memcpy(s->eulerseq, sequence, 4);
  }
  const char *meshes = jn_mjcf_attribute(at, "meshdir"), *all = jn_mjcf_attribute(at, "assetdir");
  if (meshes != NULL || all != NULL) s->meshdir = meshes != NULL ? meshes : all;
  const int strips = jn_mjcf_word(m, at, "strippath", jn_mjcf_false_true);
  if (strips >= 0) s->strippath = strips;
  jn_mjcf_numbers(m, at, "boundmass", 1, &s->boundmass);
  jn_mjcf_numbers(m, at, "boundinertia", 1, &s->boundinertia);
  jn_mjcf_numbers(m, at, "settotalmass", 1, &s->settotalmass);
  jn_mjcf_numbers(m, at, "inertiagrouprange", 2, s->group);
}

static void read_flags(mjcf *m, const xml_node *at) {
  static const char *const enables[] = {"disable", "enable", NULL};
  if (jn_mjcf_word(m, at, "gravity", enables) == 0)
    jn_mjcf_check(m, jn_spec_set_gravity(m->spec, jn_v3(0, 0, 0)), at, "options");
  if (jn_mjcf_word(m, at, "damper", enables) == 0 || jn_mjcf_word(m, at, "passive", enables) == 0)
    m->settings.has_damping = 0;
}

static void read_option(mjcf *m, const xml_node *at) {
  static const char *const media[] = {"density", "viscosity"};
  double x[3];
  if (jn_mjcf_numbers(m, at, "gravity", 3, x))
    jn_mjcf_check(m, jn_spec_set_gravity(m->spec, jn_v3(x[0], x[1], x[2])), at, "options");
  for (int i = 0; i < 2; i++)
    if (jn_mjcf_numbers(m, at, media[i], 1, x) && x[0] != 0)
      jn_mjcf_note(m, JN_SERIOUS, at, "<option %s>: the forces of a fluid are not computed",
                   media[i]);
}

/* Settings hold for the whole file, wherever they are. */
static void read_settings(mjcf *m) {
  static const char *const sections[] = {"compiler",   "option",   "default", "worldbody",
                                         "contact",    "equality", "tendon",  "actuator",
                                         "deformable", "asset",    NULL};
  m->settings = (mjcf_settings){.is_degree = 1,
                                .autolimits = 1,
                                .eulerseq = "xyz",
                                .inertiafromgeom = MJCF_AUTO,
                                .settotalmass = -1,
                                .group = {0, 5},
                                .has_damping = 1};
  for (const xml_node *n = m->root->first; n != NULL && m->status == JN_OK; n = n->next) {
    if (strcmp(n->name, "compiler") == 0)
      read_compiler(m, n);
    else if (strcmp(n->name, "option") == 0)
      read_option(m, n);
    else if (!is_one_of(n->name, sections))
      jn_mjcf_note(m, JN_WARNING, n, "unknown element <%.60s> in <mujoco> is ignored", n->name);
  }
  for (const xml_node *n = m->root->first; n != NULL && m->status == JN_OK; n = n->next)
    for (const xml_node *f = n->first; f != NULL && strcmp(n->name, "option") == 0; f = f->next)
      if (strcmp(f->name, "flag") == 0) read_flags(m, f);
}

/* ---- the whole */

static void read_root(mjcf *m, const jn_allocator *allocator) {
  if (strcmp(m->root->name, "mujoco") != 0) {
    jn_mjcf_fail(m, JN_ERR_SYNTAX, m->root, "the root element is <%.60s>, not <mujoco>",
                 m->root->name);
    return;
  }
  const char *name = jn_mjcf_name(m, m->root, "model");
  if (m->status != JN_OK) return;
  jn_status status = jn_spec_new(name, allocator, &m->spec);
  if (status == JN_OK) status = jn_spec_set_file(m->spec, m->file[0].name);
  jn_mjcf_check(m, status, m->root, "models");
}

static void free_all(mjcf *m) {
  void *blocks[] = {m->classes,      m->class_names,    m->bodies,         m->joints,
                    m->sites,        m->body_names,     m->joint_names,    m->meshes.node,
                    m->meshes.names, m->materials.node, m->materials.names};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn_block_free(&m->hooks, blocks[i]);
  jn_xml_tree_free(&m->tree);
}

jn_status jn_mjcf_parse(const char *text, size_t size, const char *name, const char *path,
                        const jn_load_options *options, const jn_opened *opened,
                        const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  return jn_mjcf_watch(text, size, name, path, options, opened, allocator, NULL, NULL, out, error);
}

jn_status jn_mjcf_watch(const char *text, size_t size, const char *name, const char *path,
                        const jn_load_options *options, const jn_opened *opened,
                        const jn_allocator *allocator, jn_geom_watcher *watch, void *context,
                        jn_spec **out, jn_error *error) {
  if (name == NULL) name = "MJCF";
  const jn_status refused = jn_text_check(text, size, out, name, error);
  if (refused) return refused;
  jn_allocator hooks = jn_allocator_or_default(allocator);
  mjcf *m = jn_block_new(&hooks, 1, sizeof *m);
  if (m == NULL) return jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory");
  char folder[JN_FILE_PATH], which[JN_FILE_PATH] = "";
  m->hooks = m->tree.hooks = hooks;
  m->tree.keep = watch != NULL ? keep_with_assets : keep;
  m->tree.most_depth = JN_MAX_MJCF_DEPTH;
  m->error = error;
  m->keeps_geoms = watch != NULL;
  m->bytes = size;
  m->file_count = 1;
  if (opened != NULL) m->tops.opened = *opened;
  m->file[0].name = jn_arena_copy(&m->tree.arena, &hooks, name);
  if (path != NULL) {
    jn_file_folder(path, folder);
    m->folder = folder;
    jn_file_identity(path, &m->file[0].device, &m->file[0].inode);
  }
  const char *why =
      jn_file_folders(&m->tops, &m->tree.arena, &hooks,
                      options != NULL ? options->package_path : NULL, m->folder, which);
  m->status = m->file[0].name == NULL || why == jn_file_no_memory
                  ? jn_fail(error, JN_ERR_MEMORY, name, 0, "out of memory")
              : why != NULL
                  ? jn_fail(error, JN_ERR_FILE, name, 0, "package path: '%.200s': %s", which, why)
                  : jn_xml_tree_read(&m->tree, text, size, name, 0, NULL, &m->root, error);
  if (m->status == JN_OK) read_root(m, allocator);
  if (m->status == JN_OK) read_includes(m);
  if (m->status == JN_OK) read_settings(m);
  if (m->status == JN_OK) jn_mjcf_read_classes(m);
  if (m->status == JN_OK && watch != NULL) jn_mjcf_read_assets(m);
  if (m->status == JN_OK) jn_mjcf_read_bodies(m);
  if (m->status == JN_OK) jn_mjcf_settle_inertias(m);
  if (m->status == JN_OK) jn_mjcf_write_spec(m);
  if (m->status == JN_OK) jn_mjcf_read_equalities(m);
  if (m->status == JN_OK) jn_mjcf_report(m);
  if (m->status == JN_OK) jn_mjcf_report_actuators(m);
  const jn_status status = m->status;
  for (const mjcf_geom *g = m->geoms; g != NULL && status == JN_OK; g = g->next)
    watch(context, &(jn_geom){m->bodies[g->body].name, g->type, g->file, g->pose, g->size,
                              g->coloured ? g->rgba : NULL});
  if (status == JN_OK)
    *out = m->spec;
  else
    jn_spec_free(m->spec);
  free_all(m);
  jn_block_free(&hooks, m);
  return status;
}

jn_status jn_spec_parse_mjcf(const char *text, size_t size, const char *name,
                             const jn_allocator *allocator, jn_spec **out, jn_error *error) {
  return jn_mjcf_parse(text, size, name, NULL, NULL, NULL, allocator, out, error);
}
