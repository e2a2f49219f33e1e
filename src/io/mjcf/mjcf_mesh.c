/* mjcf_mesh.c: what is drawn of MJCF: geoms with their sizes, colours and mesh files. Only
 * jn_mjcf_watch asks for it; the dynamics do not depend on it. */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/mjcf/mjcf.h"

/* <asset> is kept for a watcher, with these elements. */
int jn_mjcf_keeps_asset(const xml_node *parent, const char *element) {
  if (strcmp(element, "asset") == 0) return strcmp(parent->name, "mujoco") == 0;
  return strcmp(element, "mesh") == 0 || strcmp(element, "material") == 0 ||
         strcmp(element, "include") == 0;
}

/* "visual/base.stl" has the name "base". */
static const char *asset_name(mjcf *m, const xml_node *at) {
  const char *name = jn_mjcf_attribute(at, "name"), *file = jn_mjcf_attribute(at, "file");
  if (name != NULL || file == NULL) return name;
  const char *slash = strrchr(file, '/');
  char *own = jn_arena_copy(&m->tree.arena, &m->hooks, slash != NULL ? slash + 1 : file);
  char *dot = own != NULL ? strrchr(own, '.') : NULL;
  if (own == NULL) jn_mjcf_check(m, JN_ERR_MEMORY, at, "meshes");
  if (dot != NULL) *dot = '\0';
  return own;
}

static int is_asset(const xml_node *at, const char *element) {
  return strcmp(at->name, element) == 0 && strcmp(at->parent->name, "asset") == 0;
}

void jn_mjcf_read_assets(mjcf *m) {
  static const char *const elements[] = {"mesh", "material"};
  for (int e = 0; e < 2 && m->status == JN_OK; e++) {
    mjcf_assets *a = e == 0 ? &m->meshes : &m->materials;
    int count = 0;
    for (const xml_node *n = m->root; n != NULL; n = jn_xml_next(m->root, n))
      count += n != m->root && is_asset(n, elements[e]);
    a->node = jn_block_new(&m->hooks, (size_t)count + 1, sizeof *a->node);
    a->names = jn_block_new(&m->hooks, (size_t)count + 1, sizeof *a->names);
    if (a->node == NULL || a->names == NULL) {
      jn_mjcf_check(m, JN_ERR_MEMORY, m->root, elements[e]);
      return;
    }
    for (const xml_node *n = m->root; n != NULL; n = jn_xml_next(m->root, n)) {
      const char *name = n != m->root && is_asset(n, elements[e]) ? asset_name(m, n) : NULL;
      if (name == NULL) continue;
      a->node[a->count] = n;
      a->names[a->count] = (jn_name){name, a->count};
      a->count++;
    }
    jn_names_sort(a->names, a->count);
  }
}

static const xml_node *find_asset(const mjcf_assets *a, const char *name) {
  const int i = jn_names_find(a->names, a->count, name);
  return i >= 0 ? a->node[i] : NULL;
}

/* Path of a mesh file, relative to the model: meshdir, or assetdir, and the file. */
static const char *mesh_path(mjcf *m, const xml_node *at) {
  const char *file = jn_mjcf_attribute(at, "file"), *folder = m->settings.meshdir;
  const char *slash = file != NULL ? strrchr(file, '/') : NULL;
  if (file == NULL) return NULL;
  if (m->settings.strippath && slash != NULL) file = slash + 1;
  if (folder == NULL || folder[0] == '\0' || file[0] == '/') return file;
  const size_t size = strlen(folder) + strlen(file) + 2;
  char *path = jn_arena_new(&m->tree.arena, &m->hooks, size);
  if (path == NULL)
    jn_mjcf_check(m, JN_ERR_MEMORY, at, "meshes");
  else
    snprintf(path, size, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", file);
  return path;
}

/* The mesh of a geom: vertex v of the file is at  G S R^T (v - p)  in the frame of the body, G the pose of
 * the geom, S the scale, (R, p) refquat and refpos. Returns 0 if it is not shown. */
static int take_mesh(mjcf *m, const mjcf_values *values, mjcf_geom *geom) {
  const xml_node *at = find_asset(&m->meshes, values->value[MJCF_mesh].text);
  const char *name = at != NULL ? jn_mjcf_attribute(at, "class") : NULL;
  const int class = name != NULL ? jn_mjcf_find_class(m, at, name) : 0;
  double *s = geom->size, p[3] = {0}, q[4] = {1, 0, 0, 0};
  mjcf_values own;
  geom->type = "mesh";
  geom->file = at != NULL ? mesh_path(m, at) : NULL;
  if (geom->file == NULL || class < 0) return 0;
  s[0] = s[1] = s[2] = 1;
  jn_mjcf_collect(m, at, &m->classes[class].values[MJCF_MESH], jn_mjcf_known[MJCF_MESH], &own);
  jn_mjcf_value(m, &own, MJCF_scale, 3, 3, s);
  jn_mjcf_numbers(m, at, "refpos", 3, p);
  const int turned = jn_mjcf_numbers(m, at, "refquat", 4, q);
  const jn_quat r = jn_quat_make(q[0], q[1], q[2], q[3]);
  if (turned && (s[0] != s[1] || s[1] != s[2])) return 0; /* no pose and scale are the same */
  if (turned && !(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0)) return 0;
  jn_pose ref = jn_pose_identity();
  if (turned) ref.R = jn_m3_transpose(jn_quat_to_m3(jn_quat_unit(r)));
  const jn_vec3 at_ref = jn_m3_apply(ref.R, jn_v3(-p[0], -p[1], -p[2]));
  ref.p = jn_v3(s[0] * at_ref.x, s[1] * at_ref.y, s[2] * at_ref.z);
  geom->pose = jn_pose_mul(geom->pose, ref);
  return 1;
}

/* rgba of the geom, or of its material. */
static void take_colour(mjcf *m, const mjcf_values *values, mjcf_geom *geom) {
  geom->coloured = jn_mjcf_value(m, values, MJCF_rgba, 4, 4, geom->rgba) > 0;
  const char *name = values->value[MJCF_material].text;
  const xml_node *material = !geom->coloured ? find_asset(&m->materials, name) : NULL;
  if (material != NULL) geom->coloured = jn_mjcf_numbers(m, material, "rgba", 4, geom->rgba) > 0;
}

void jn_mjcf_keep_geom(mjcf *m, const mjcf_body *body, const xml_node *at,
                       const mjcf_values *values, const char *type, const double size[3],
                       jn_pose pose) {
  mjcf_geom *geom = jn_arena_new(&m->tree.arena, &m->hooks, sizeof *geom);
  if (geom == NULL) {
    jn_mjcf_check(m, JN_ERR_MEMORY, at, "geoms");
    return;
  }
  *geom = (mjcf_geom){.body = (int)(body - m->bodies), .type = type, .pose = pose};
  memcpy(geom->size, size, sizeof geom->size);
  take_colour(m, values, geom);
  if (values->value[MJCF_mesh].text != NULL && !take_mesh(m, values, geom)) return;
  geom->next = m->geoms;
  m->geoms = geom;
}
