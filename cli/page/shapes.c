/* shapes.c: the elements <visual> of a URDF with the mesh files that they name, and geoms of MJCF. */
#include "page/shapes.h"

#include <jounce/limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "io/file.h"
#include "io/load.h"
#include "io/number.h"
#include "io/xml_tree.h"

const char *const cli_shape_names[] = {"box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh"};

enum {
  PAGE_BYTES = 20 << 20, /* of all meshes in a page, as base64 of floats */
  BYTES_A_TRIANGLE = 48  /* 9 floats in base64 */
};

/* one mesh file */
typedef struct named_mesh {
  unsigned long long device, inode;
} named_mesh;

typedef struct finder {
  cli_shapes *shapes;
  const cli_job *job;
  jn_allocator hooks;
  jn_arena arena;
  jn_folders tops; /* the package path, then the folder of the model */
  char folder[JN_FILE_PATH];
  const xml_node *robot;
  named_mesh *seen;              /* [shapes->meshes] */
  int failed;                    /* out of memory */
  const char *why[SHAPES_NOTES]; /* reasons of the notes, and how many files more have them */
  int same[SHAPES_NOTES];
} finder;

static void note(finder *f, const char *format, const char *a, const char *b) {
  cli_shapes *s = f->shapes;
  if (s->notes == SHAPES_NOTES) {
    s->more++;
    return;
  }
  snprintf(s->note[s->notes++], sizeof s->note[0], format, cli_clean(a).text, cli_clean(b).text);
}

/* A reason is given once, with the first file that has it; the others are counted. */
static void not_shown(finder *f, const char *name, const char *why) {
  const int n = f->shapes->notes;
  for (int i = 0; i < n; i++)
    if (f->why[i] && strcmp(f->why[i], why) == 0) {
      f->same[i]++;
      return;
    }
  if (n < SHAPES_NOTES) f->why[n] = why;
  note(f, "%s: not shown: %s", name, why);
}

static void count_same(finder *f) {
  for (int i = 0; i < f->shapes->notes; i++) {
    char *text = f->shapes->note[i];
    const size_t n = strlen(text);
    if (f->same[i])
      snprintf(text + n, sizeof f->shapes->note[0] - n, " (the same for %d more)", f->same[i]);
  }
}

/* Elements. */

static const xml_node *child(const xml_node *node, const char *name) {
  for (const xml_node *c = node ? node->first : NULL; c; c = c->next)
    if (c->name && strcmp(c->name, name) == 0) return c;
  return NULL;
}

static const char *attribute(const xml_node *node, const char *name) {
  return node && node->attributes ? jn_xml_attribute((const char *const *)node->attributes, name)
                                  : NULL;
}

static int numbers(const xml_node *node, const char *name, size_t n, double *out) {
  const char *text = attribute(node, name);
  if (!text || jn_read_numbers(text, n, out, NULL) > NUMBER_UNDERFLOW) return 0;
  for (size_t i = 0; i < n; i++)
    if (!isfinite(out[i])) return 0;
  return 1;
}

static jn_pose origin_of(const xml_node *visual) {
  const xml_node *o = child(visual, "origin");
  double x[4];
  jn_pose C = jn_pose_identity();
  if (numbers(o, "xyz", 3, x)) C.p = jn_v3(x[0], x[1], x[2]);
  if (numbers(o, "rpy", 3, x)) C.R = jn_m3_from_rpy(x[0], x[1], x[2]);
  if (numbers(o, "quat_xyzw", 4, x))
    C.R = jn_quat_to_m3(jn_quat_unit(jn_quat_make(x[3], x[0], x[1], x[2])));
  return C;
}

/* The colour of a visual: its own, or that of the material it names. */
static void colour_of(const finder *f, const xml_node *visual, cli_shape *shape) {
  const xml_node *m = child(visual, "material");
  const char *name = attribute(m, "name");
  if (numbers(child(m, "color"), "rgba", 4, shape->colour)) shape->coloured = 1;
  for (const xml_node *c = f->robot->first; c && name && !shape->coloured; c = c->next) {
    const char *other = c->name && strcmp(c->name, "material") == 0 ? attribute(c, "name") : NULL;
    if (other && strcmp(other, name) == 0)
      shape->coloured = numbers(child(c, "color"), "rgba", 4, shape->colour);
  }
  for (int i = 0; i < 4; i++) shape->colour[i] = fmin(fmax(shape->colour[i], 0), 1);
}

/* Mesh files. */

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Opens `name`, as a URDF names it. Returns NULL, or the reason why not. */
static const char *open_mesh(const finder *f, const char *name, jn_named_file *file) {
  char path[JN_FILE_PATH];
  const char *why = jn_file_absent;
  if (strncmp(name, "file://", 7) == 0) name += 7;
  if (strstr(name, "://") && strncmp(name, "package://", 10) != 0 &&
      strncmp(name, "model://", 8) != 0)
    return "only files of this machine are opened";
  const int in_package = strstr(name, "://") != NULL;
  if (!in_package) {
    const int n = name[0] == '/' ? snprintf(path, sizeof path, "%s", name)
                                 : snprintf(path, sizeof path, "%s/%s", f->folder, name);
    return n >= (int)sizeof path ? "the path is too long" : jn_file_open_in(&f->tops, path, file);
  }
  name = strstr(name, "://") + 3;
  const size_t package = strcspn(name, "/");
  for (int i = 0; i < f->tops.count; i++) {
    const char *top = f->tops.path[i], *last = last_name(top);
    const int is_it = strlen(last) == package && strncmp(last, name, package) == 0;
    for (int inside = 0; inside < 2; inside++) {
      if (!inside && !is_it) continue;
      if (snprintf(path, sizeof path, "%s/%s", top, inside ? name : name + package) >=
          (int)sizeof path)
        return "the path is too long";
      const char *found = jn_file_open_in(&f->tops, path, file);
      if (!found) return NULL;
      if (found != jn_file_absent) why = found;
    }
  }
  return why == jn_file_absent ? "the package is not found: give --package-path FOLDER" : why;
}

/* Reads an open mesh file. Returns its number, or -1 after a note. */
static int read_mesh(finder *f, const char *name, jn_named_file *file) {
  cli_shapes *s = f->shapes;
  char *text = NULL;
  size_t size = 0;
  jn_error error = {0};
  for (int i = 0; i < s->meshes; i++)
    if (f->seen[i].device == file->device && f->seen[i].inode == file->inode) return i;
  if (s->meshes == SHAPES_MESHES) {
    not_shown(f, name, "there are more than 512 mesh files");
    return -1;
  }
  jn_status status = jn_stream_read(file->stream, name, &f->hooks, &text, &size, &error);
  const char *why = status ? "the file cannot be read, or is larger than 64 MiB" : NULL;
  if (!why) why = cli_mesh_read(&s->mesh[s->meshes], last_name(name), text, size);
  jn_block_free(&f->hooks, text);
  if (why) {
    not_shown(f, name, why);
    return -1;
  }
  f->seen[s->meshes] = (named_mesh){file->device, file->inode};
  return s->meshes++;
}

static int find_mesh(finder *f, const char *name, cli_shape *shape) {
  jn_named_file file;
  if (!name) return 0;
  unsigned char *lost = &f->shapes->lost[shape->body + 1], before = *lost;
  *lost = 1; /* until it is found */
  const char *why = open_mesh(f, name, &file);
  if (why) {
    not_shown(f, name, why);
    return 0;
  }
  shape->mesh = read_mesh(f, name, &file);
  fclose(file.stream);
  if (shape->mesh >= 0) *lost = before;
  return shape->mesh >= 0;
}

/* Visuals. */

static int read_geometry(finder *f, const xml_node *geometry, cli_shape *shape) {
  const xml_node *box = child(geometry, "box"), *cylinder = child(geometry, "cylinder"),
                 *sphere = child(geometry, "sphere"), *mesh = child(geometry, "mesh");
  shape->mesh = -1;
  if (box) {
    shape->kind = SHAPE_BOX;
    return numbers(box, "size", 3, shape->size);
  }
  if (cylinder) {
    shape->kind = SHAPE_CYLINDER;
    return numbers(cylinder, "radius", 1, &shape->size[0]) &&
           numbers(cylinder, "length", 1, &shape->size[1]);
  }
  if (sphere) {
    shape->kind = SHAPE_SPHERE;
    return numbers(sphere, "radius", 1, &shape->size[0]);
  }
  shape->kind = SHAPE_MESH;
  if (mesh && !numbers(mesh, "scale", 3, shape->size))
    shape->size[0] = shape->size[1] = shape->size[2] = 1;
  return mesh && find_mesh(f, attribute(mesh, "filename"), shape);
}

static void add_shape(finder *f, const cli_shape *shape) {
  cli_shapes *s = f->shapes;
  if (s->count == SHAPES_MOST) return;
  if (!cli_grow((void **)&s->list, s->count, &s->room, sizeof *s->list))
    f->failed = 1;
  else
    s->list[s->count++] = *shape;
}

static void read_visual(finder *f, const jn_frame *frame, const xml_node *visual) {
  cli_shapes *s = f->shapes;
  cli_shape shape = {.body = frame->body};
  if (s->count == SHAPES_MOST || !read_geometry(f, child(visual, "geometry"), &shape)) return;
  shape.pose = jn_pose_mul(frame->pose, origin_of(visual));
  colour_of(f, visual, &shape);
  add_shape(f, &shape);
}

static void read_links(finder *f) {
  for (const xml_node *l = f->robot->first; l && !f->failed; l = l->next) {
    const char *name = l->name && strcmp(l->name, "link") == 0 ? attribute(l, "name") : NULL;
    const int frame = name ? jn_model_find_frame(f->job->model, name) : -1;
    for (const xml_node *v = l->first; v && frame >= 0 && !f->failed; v = v->next)
      if (v->name && strcmp(v->name, "visual") == 0)
        read_visual(f, jn_model_frame(f->job->model, frame), v);
  }
}

/* Only what is looked at is kept. */
static int keep(const xml_node *parent, const char *element) {
  static const char *const known[] = {"link", "visual",   "origin", "geometry", "material", "color",
                                      "box",  "cylinder", "sphere", "mesh",     NULL};
  if (!parent) return 1;
  for (int i = 0; known[i]; i++)
    if (strcmp(known[i], element) == 0) return 1;
  return 0;
}

/* Meshes share the room of the page: each of them is reduced by the same factor. */
static void reduce(finder *f) {
  cli_shapes *s = f->shapes;
  size_t total = 0, most = PAGE_BYTES / BYTES_A_TRIANGLE;
  for (int i = 0; i < s->meshes; i++) total += s->mesh[i].triangles;
  for (int i = 0; i < s->meshes && total > most; i++) {
    const double share = (double)s->mesh[i].triangles * (double)most / (double)total;
    if (!cli_mesh_reduce(&s->mesh[i], share < 12 ? 12 : (size_t)share)) f->failed = 1;
  }
}

static int has_word(const char *text, size_t size, const char *word) {
  const size_t n = strlen(word);
  for (const char *at = text, *end = text + size;
       (at = memchr(at, word[0], (size_t)(end - at))) != NULL; at++)
    if ((size_t)(end - at) >= n && memcmp(at, word, n) == 0) return 1;
  return 0;
}

/* Folders and tables for mesh files. */
static void prepare(finder *f) {
  char which[JN_FILE_PATH];
  jn_file_folder(f->job->model_path, f->folder);
  const char *why =
      jn_file_folders(&f->tops, &f->arena, &f->hooks, f->job->package_path, f->folder, which);
  f->seen = calloc(SHAPES_MESHES, sizeof *f->seen);
  f->shapes->mesh = calloc(SHAPES_MESHES, sizeof *f->shapes->mesh);
  f->shapes->lost = calloc((size_t)jn_model_body_count(f->job->model) + 1, 1);
  f->failed = !f->seen || !f->shapes->mesh || !f->shapes->lost || why == jn_file_no_memory;
  if (why) note(f, "%s: %s", which, why);
}

/* Geoms of MJCF, where sizes are half lengths. */
static void take_geom(void *context, const jn_geom *geom) {
  finder *f = context;
  const int frame = jn_model_find_frame(f->job->model, geom->link);
  if (frame < 0 || f->shapes->count == SHAPES_MOST || f->failed) return;
  const jn_frame *at = jn_model_frame(f->job->model, frame);
  cli_shape shape = {.body = at->body, .pose = jn_pose_mul(at->pose, geom->pose), .mesh = -1};
  for (int i = 0; i <= SHAPE_MESH; i++)
    if (strcmp(cli_shape_names[i], geom->type) == 0) shape.kind = (cli_shape_kind)i;
  const int is_long = shape.kind == SHAPE_CYLINDER || shape.kind == SHAPE_CAPSULE;
  for (int i = 0; i < 3; i++)
    shape.size[i] =
        shape.kind == SHAPE_BOX || (is_long && i == 1) ? 2 * geom->size[i] : geom->size[i];
  for (int i = 0; i < 4 && geom->rgba; i++)
    shape.colour[i] = fmin(fmax(geom->rgba[i], 0), 1), shape.coloured = 1;
  if (shape.kind == SHAPE_MESH && !find_mesh(f, geom->file, &shape)) return;
  add_shape(f, &shape);
}

static void read_mjcf(finder *f, const char *text, size_t size) {
  const char *path = f->job->model_path;
  const jn_load_options files = cli_job_files(f->job);
  jn_spec *spec = NULL;
  jn_error error = {0};
  prepare(f);
  if (!f->failed &&
      jn_mjcf_watch(text, size, path, path, &files, NULL, NULL, take_geom, f, &spec, &error))
    note(f, "no shapes: %s%s", error.message, "");
  if (!f->failed) reduce(f);
  jn_spec_free(spec);
}

/* The text of a URDF, or the URDF that a xacro expands to; NULL: neither, or unreadable. MJCF is read
 * at once. */
static char *read_model(finder *f, size_t *length) {
  const cli_job *job = f->job;
  const char *path = job->model_path, *ending = jn_file_ending(path);
  char *text = NULL, *expanded = NULL, root[16] = "";
  size_t size = 0;
  if (strcmp(path, "-") == 0 || (!ending && !strchr(path, '/'))) return NULL;
  if (jn_file_read(path, &f->hooks, &text, &size, NULL)) return NULL;
  const jn_load_options files = cli_job_files(job);
  const int is_robot =
      jn_xml_root_name(text, size, root, sizeof root) == JN_OK && strcmp(root, "robot") == 0;
  if (is_robot &&
      ((ending && jn_same_ending(ending, ".xacro")) || has_word(text, size, "<xacro:"))) {
    if (jn_xacro_expand(path, &files, &f->hooks, &expanded, NULL)) expanded = NULL;
    jn_block_free(&f->hooks, text);
    *length = expanded ? strlen(expanded) : 0;
    return expanded;
  }
  *length = size;
  if (is_robot) return text;
  if (strcmp(root, "mujoco") == 0) read_mjcf(f, text, size);
  jn_block_free(&f->hooks, text);
  return NULL;
}

static void read_robot(finder *f, const char *text, size_t size) {
  xml_tree *tree = calloc(1, sizeof *tree);
  xml_node *root = NULL;
  jn_error error = {0};
  prepare(f);
  f->failed |= !tree;
  if (!f->failed) {
    tree->hooks = f->hooks;
    tree->keep = keep;
    tree->most_depth = JN_MAX_XML_DEPTH;
    f->failed = jn_xml_tree_read(tree, text, size, f->job->model_path, 0, NULL, &root, &error) ==
                JN_ERR_MEMORY;
    f->robot = root;
    if (error.message[0])
      note(f, "no shapes: %s%s", error.message, "");
    else if (root && !f->failed)
      read_links(f), reduce(f);
    jn_xml_tree_free(tree);
  }
  free(tree);
}

int cli_shapes_find(cli_shapes *shapes, const cli_job *job) {
  finder f = {.shapes = shapes, .job = job, .hooks = jn_allocator_or_default(NULL)};
  cli_watch watch = {job, "a mesh of MODEL, which is read", 0};
  f.tops.opened = cli_watch_inputs(&watch);
  *shapes = (cli_shapes){0};
  size_t size = 0;
  char *text = read_model(&f, &size);
  if (text) read_robot(&f, text, size);
  jn_block_free(&f.hooks, text);
  free(f.seen);
  jn_arena_free(&f.arena, &f.hooks);
  count_same(&f);
  if (shapes->more)
    snprintf(shapes->note[SHAPES_NOTES - 1], sizeof shapes->note[0],
             "and %d more shapes that are not shown", shapes->more + 1);
  return f.failed ? cli_bad_input("out of memory for the shapes of %s", job->model_path)
                  : watch.code;
}

void cli_shapes_free(cli_shapes *shapes) {
  for (int i = 0; i < shapes->meshes; i++) cli_mesh_free(&shapes->mesh[i]);
  free(shapes->mesh);
  free(shapes->list);
  free(shapes->lost);
}
