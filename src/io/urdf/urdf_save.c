/* urdf_save.c: writes a spec as URDF. What URDF cannot hold is refused by name. Masses, inertias,
 * offsets, axes and limits read back as the same bits; a rotation becomes the roll, pitch and yaw
 * whose matrix has the same bits, where there are such angles close by, or else the closest ones.
 *
 * A joint given by a screw whose axis does not pass through the origin of its child gets a joint
 * frame on the axis: a link CHILD_JOINT without mass, to which the child is welded. Frames become
 * links without mass. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/block.h"
#include "base/names.h"
#include "io/file.h"
#include "io/number.h"
#include "io/text.h"
#include "model/spec.h"

typedef struct writer {
  FILE *file;
  const jn_spec *spec;
  const char *path;
  jn_error *error;
  jn_status status;
  jn_name *links;  /* by name */
  int *joint;      /* [links]: that moves the link; -1: none */
  jn_pose *home;   /* [links]: in the world at q = 0 */
  char *is_placed; /* [links] */
  int *chain;      /* [links]: scratch */
  jn_name *made;   /* names that the description does not have, at most [2 joints + frames] */
  int made_count;
  jn_arena arena; /* their texts */
} writer;

static void refuse(writer *w, const char *kind, const char *name, const char *what) {
  if (w->status == JN_OK)
    w->status =
        jn_fail(w->error, JN_ERR_MODEL, w->path, 0,
                "%s '%s': %s: URDF cannot hold it (a native model can: .json)", kind, name, what);
}

static void out_of_memory(writer *w) {
  if (w->status == JN_OK) w->status = jn_fail(w->error, JN_ERR_MEMORY, w->path, 0, "out of memory");
}

/* ---- numbers and texts */

static void text(writer *w, const char *s) { fputs(s, w->file); }

static void number(writer *w, double value) {
  char digits[NUMBER_TEXT];
  double back = 0;
  if (!isfinite(value)) refuse(w, "robot", jn_spec_name(w->spec), "a number that is not finite");
  const char *cursor = jn_write_number(value, 15, digits);
  if (jn_read_number(&cursor, &back) > NUMBER_UNDERFLOW || back != value)
    jn_write_number(value, 17, digits);
  text(w, digits);
}

static void numbers(writer *w, const char *name, const double *x, int n) {
  fprintf(w->file, " %s=\"", name);
  for (int i = 0; i < n; i++) {
    if (i > 0) text(w, " ");
    number(w, x[i]);
  }
  text(w, "\"");
}

static void attribute(writer *w, const char *name, const char *value) {
  if (!jn_is_utf8(value)) refuse(w, "the name", value, "it is not UTF-8");
  fprintf(w->file, " %s=\"", name);
  for (const char *t = value; *t != '\0'; t++) {
    if ((unsigned char)*t < 0x20 && *t != '\t' && *t != '\n' && *t != '\r')
      refuse(w, "the name", value, "it has a control character");
    switch (*t) {
      case '&':
        text(w, "&amp;");
        break;
      case '<':
        text(w, "&lt;");
        break;
      case '>':
        text(w, "&gt;");
        break;
      case '"':
        text(w, "&quot;");
        break;
      case '\t':
      case '\n':
      case '\r':
        fprintf(w->file, "&#%d;", *t);
        break;
      default:
        fputc(*t, w->file);
    }
  }
  text(w, "\"");
}

/* ---- rotations */

static double distance(const jn_mat3 *A, const jn_mat3 *B) {
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) worst = fmax(worst, fabs(A->m[i][j] - B->m[i][j]));
  return worst;
}

/* The angle itself, with 15 digits, and its neighbours. */
enum { CANDIDATES = 6 };
static void candidates(double angle, double out[CANDIDATES]) {
  char digits[NUMBER_TEXT];
  const char *cursor = jn_write_number(angle, 15, digits);
  const double step = fabs(angle) * DBL_EPSILON / 2;
  out[0] = angle;
  if (jn_read_number(&cursor, &out[0]) > NUMBER_UNDERFLOW) out[0] = angle;
  for (int i = 1; i < CANDIDATES; i++) out[i] = angle + (i - 3) * step;
}

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
static void find_rpy(const jn_mat3 *R, double rpy[3]) {
  const double(*m)[3] = (const double(*)[3])R->m;
  double s, c, near[3][CANDIDATES], best = (double)INFINITY;
  const double roll = m[2][1] != 0 || m[2][2] != 0 ? jn_atan2(m[2][1], m[2][2]) : 0;
  jn_sincos(roll, &s, &c);
  candidates(roll, near[0]);
  candidates(jn_atan2(-m[2][0], sqrt(m[2][1] * m[2][1] + m[2][2] * m[2][2])), near[1]);
  /* accurate also where roll and yaw turn about one axis */
  candidates(jn_atan2(s * m[0][2] - c * m[0][1], c * m[1][1] - s * m[1][2]), near[2]);
  for (int i = 0; i < CANDIDATES && best > 0; i++)
    for (int j = 0; j < CANDIDATES && best > 0; j++)
      for (int k = 0; k < CANDIDATES && best > 0; k++) {
        const jn_mat3 made = jn_m3_from_rpy(near[0][i], near[1][j], near[2][k]);
        const double d = distance(&made, R);
        if (!(d < best)) continue;
        best = d;
        rpy[0] = near[0][i], rpy[1] = near[1][j], rpy[2] = near[2][k];
      }
}

static void origin(writer *w, const jn_pose *x) {
  static const jn_mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double p[3] = {x->p.x, x->p.y, x->p.z};
  double rpy[3] = {0, 0, 0};
  text(w, "    <origin");
  numbers(w, "xyz", p, 3);
  if (distance(&x->R, &one) != 0) {
    find_rpy(&x->R, rpy);
    numbers(w, "rpy", rpy, 3);
  }
  text(w, "/>\n");
}

/* ---- the tree */

static jn_pose relative(const jn_pose *a, const jn_pose *b) {
  return (jn_pose){jn_m3_mul(jn_m3_transpose(a->R), b->R),
                   jn_m3_apply(jn_m3_transpose(a->R), jn_v3_sub(b->p, a->p))};
}

static jn_pose compose(const jn_pose *a, const jn_pose *b) {
  return (jn_pose){jn_m3_mul(a->R, b->R), jn_v3_add(a->p, jn_m3_apply(a->R, b->p))};
}

static int link_named(const writer *w, const char *name) {
  return jn_names_find(w->links, jn_spec_link_count(w->spec), name);
}

/* home of the links: as given, or that of the parent times the origin of the joint */
static void place(writer *w) {
  const int n = jn_spec_link_count(w->spec);
  for (int i = 0; i < n && w->status == JN_OK; i++) {
    int depth = 0, at = i;
    while (at >= 0 && !w->is_placed[at] && depth < n) {
      const jn_joint_desc *j = jn_spec_get_joint(w->spec, w->joint[at]);
      w->chain[depth++] = at;
      at = j != NULL && j->placement == JN_BY_FRAME ? link_named(w, j->parent) : -1;
      if (depth == n && at >= 0)
        refuse(w, "link", jn_spec_get_link(w->spec, i)->name, "it is its own ancestor");
    }
    while (depth > 0) {
      const int k = w->chain[--depth];
      const jn_joint_desc *j = jn_spec_get_joint(w->spec, w->joint[k]);
      const jn_link_desc *link = jn_spec_get_link(w->spec, k);
      const int parent = j != NULL ? link_named(w, j->parent) : -1;
      w->home[k] = j == NULL || j->placement == JN_BY_SCREW ? link->home
                   : parent >= 0                            ? compose(&w->home[parent], &j->origin)
                                                            : j->origin;
      w->is_placed[k] = 1;
    }
  }
}

/* Finds the joint of each link, and refuses what is not a tree. */
static void connect(writer *w) {
  const int n = jn_spec_link_count(w->spec);
  for (int i = 0; i < n; i++) {
    w->links[i] = (jn_name){jn_spec_get_link(w->spec, i)->name, i};
    w->joint[i] = -1;
  }
  jn_names_sort(w->links, n);
  for (int i = 1; i < n; i++)
    if (strcmp(w->links[i].name, w->links[i - 1].name) == 0)
      refuse(w, "link", w->links[i].name, "it is defined twice");
  for (int i = 0; i < jn_spec_joint_count(w->spec); i++) {
    const jn_joint_desc *j = jn_spec_get_joint(w->spec, i);
    const int child = link_named(w, j->child), parent = link_named(w, j->parent);
    if (child < 0 || (j->parent != NULL && parent < 0))
      refuse(w, "joint", j->name, "its parent or child does not exist");
    else if (w->joint[child] >= 0)
      refuse(w, "joint", j->name, "its child has another joint");
    else
      w->joint[child] = i;
  }
}

/* ---- links and joints */

static void write_link(writer *w, const jn_link_desc *link) {
  static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  const double com[3] = {link->com.x, link->com.y, link->com.z};
  int is_empty = link->mass == 0 && com[0] == 0 && com[1] == 0 && com[2] == 0;
  for (int k = 0; k < 6; k++) is_empty = is_empty && link->inertia.m[row[k]][column[k]] == 0;
  text(w, "  <link");
  attribute(w, "name", link->name);
  if (is_empty) {
    text(w, "/>\n");
    return;
  }
  text(w, ">\n    <inertial>\n      <origin");
  numbers(w, "xyz", com, 3);
  text(w, "/>\n      <mass");
  numbers(w, "value", &link->mass, 1);
  text(w, "/>\n      <inertia");
  for (int k = 0; k < 6; k++) numbers(w, names[k], &link->inertia.m[row[k]][column[k]], 1);
  text(w, "/>\n    </inertial>\n  </link>\n");
}

static const char *urdf_type(writer *w, const jn_joint_desc *j) {
  const int is_free = isinf(j->limits.lower) && isinf(j->limits.upper);
  switch (j->type) {
    case JN_JOINT_FIXED:
      return "fixed";
    case JN_JOINT_REVOLUTE:
      return is_free ? "continuous" : "revolute";
    case JN_JOINT_PRISMATIC:
      return "prismatic";
    case JN_JOINT_PLANAR:
      if (j->placement == JN_BY_SCREW)
        refuse(w, "joint", j->name, "a planar joint that is given by a screw");
      return "planar";
    case JN_JOINT_SPHERICAL:
      return "spherical"; /* our reader and others know it */
    case JN_JOINT_FREE:
      return "floating";
    default:
      refuse(w, "joint", j->name, jn_joint_type_name(j->type));
      return "";
  }
}

static void write_limits(writer *w, const jn_joint_desc *j) {
  const double *value = &j->limits.lower;
  int count = 0;
  const int has_range = j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC;
  const int is_fixed = j->type == JN_JOINT_FIXED; /* a locked joint keeps limits without meaning */
  if (!is_fixed && isfinite(value[0]) != isfinite(value[1]))
    refuse(w, "joint", j->name, "its range is limited on one side");
  if (!is_fixed && !has_range && isfinite(value[0]))
    refuse(w, "joint", j->name, "limits of the position of such a joint");
  for (int k = is_fixed ? 2 : 0; k < JN_LIMIT_COUNT; k++) {
    if (isinf(value[k])) continue;
    if (count++ == 0) text(w, "    <limit");
    numbers(w, jn_limit_keys[k], &value[k], 1);
  }
  if (count > 0) text(w, "/>\n");
}

static void write_rest(writer *w, const jn_joint_desc *j) {
  write_limits(w, j);
  if (j->damping != 0 || j->friction != 0 || j->armature != 0) {
    text(w, "    <dynamics");
    if (j->damping != 0) numbers(w, "damping", &j->damping, 1);
    if (j->friction != 0) numbers(w, "friction", &j->friction, 1);
    if (j->armature != 0) numbers(w, "armature", &j->armature, 1);
    text(w, "/>\n");
  }
  if (j->mimic != NULL) {
    text(w, "    <mimic");
    attribute(w, "joint", j->mimic);
    numbers(w, "multiplier", &j->mimic_multiplier, 1);
    numbers(w, "offset", &j->mimic_offset, 1);
    text(w, "/>\n");
  }
  if (j->passive) refuse(w, "joint", j->name, "it is passive");
}

static void open_joint(writer *w, const char *name, const char *type, const char *parent,
                       const char *child, const jn_pose *pose) {
  text(w, "  <joint");
  attribute(w, "name", name);
  attribute(w, "type", type);
  text(w, ">\n    <parent");
  attribute(w, "link", parent);
  text(w, "/>\n    <child");
  attribute(w, "link", child);
  text(w, "/>\n");
  origin(w, pose);
}

static void weld(writer *w, const char *name, const char *parent, const char *child,
                 const jn_pose *pose) {
  open_joint(w, name, "fixed", parent, child, pose);
  text(w, "  </joint>\n");
}

/* A name that no link, joint or frame has. */
static void free_name(writer *w, char *out, const char *a, const char *b) {
  const size_t m = strlen(a), n = strlen(b);
  out[0] = '\0';
  if (m + n + 1 > JN_MAX_NAME) {
    refuse(w, "joint", b, "its name is too long");
    return;
  }
  memcpy(out, a, m);
  out[m] = '_';
  memcpy(out + m + 1, b, n + 1);
  int taken = link_named(w, out) >= 0 || jn_spec_find_joint(w->spec, out) >= 0;
  for (int i = 0; i < jn_spec_frame_count(w->spec); i++) /* frames become links */
    taken |= strcmp(jn_spec_get_frame(w->spec, i)->name, out) == 0;
  if (taken) refuse(w, "the name", out, "it is needed for a joint frame, and taken");
  const char *copy = jn_arena_copy(&w->arena, jn_spec_hooks(w->spec), out);
  if (copy)
    w->made[w->made_count++] = (jn_name){copy, 0};
  else
    out_of_memory(w);
}
/* nor has another of them: a_b and c, a and b_c both make a_b_c */
static void check_made(writer *w) {
  jn_names_sort(w->made, w->made_count);
  for (int i = 1; i < w->made_count; i++)
    if (strcmp(w->made[i].name, w->made[i - 1].name) == 0)
      refuse(w, "the name", w->made[i].name, "it is needed for two joint frames");
}

/* Does the joint's axis, or centre, miss the origin of the child? */
static int is_apart(const jn_joint_desc *j, const jn_pose *child) {
  const jn_vec3 d = jn_v3_sub(child->p, j->point);
  if (j->type == JN_JOINT_SPHERICAL) return jn_v3_norm(d) != 0;
  return j->type == JN_JOINT_REVOLUTE && jn_v3_norm(jn_v3_cross(j->axis[0], d)) != 0;
}

static void write_joint(writer *w, const jn_joint_desc *j) {
  static const jn_pose identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  const int c = link_named(w, j->child), p = link_named(w, j->parent);
  const jn_pose *above = p >= 0 ? &w->home[p] : &identity, *home = &w->home[c];
  const char *type = urdf_type(w, j), *parent = p >= 0 ? j->parent : "world";
  const int is_screw = j->placement == JN_BY_SCREW;
  jn_vec3 axis = j->axis[0];
  char frame[JN_MAX_NAME + 1], weld_name[JN_MAX_NAME + 1];
  if (w->status != JN_OK) return;
  if (p < 0 && j->type == JN_JOINT_FREE) home = &identity; /* q is the pose in the world */
  if (is_screw) axis = jn_m3_apply(jn_m3_transpose(home->R), axis);
  if (is_screw && is_apart(j, home)) {
    const jn_pose at = {home->R, j->point}, from = relative(above, &at), to = relative(&at, home);
    free_name(w, frame, j->child, j->name);
    free_name(w, weld_name, frame, "weld");
    text(w, "  <link");
    attribute(w, "name", frame);
    text(w, "/>\n");
    weld(w, weld_name, frame, j->child, &to);
    open_joint(w, j->name, type, parent, frame, &from);
  } else {
    const jn_pose from = is_screw ? relative(above, home) : j->origin;
    open_joint(w, j->name, type, parent, j->child, &from);
  }
  if (jn_joint_axis_count(j->type) == 1) {
    text(w, "    <axis");
    numbers(w, "xyz", (const double[]){axis.x, axis.y, axis.z}, 3);
    text(w, "/>\n");
  }
  write_rest(w, j);
  text(w, "  </joint>\n");
}

/* Is this the joint that holds the root at the origin of the world, which URDF does not write? */
static int is_base(const writer *w, const jn_joint_desc *j) {
  if (j->parent != NULL || j->type != JN_JOINT_FIXED) return 0;
  const jn_pose C = w->home[link_named(w, j->child)];
  int is_identity = C.p.x == 0 && C.p.y == 0 && C.p.z == 0;
  for (int i = 0; i < 9; i++) is_identity &= C.R.m[i / 3][i % 3] == (i % 4 == 0);
  return is_identity;
}

static void write_robot(writer *w) {
  int has_world = 0;
  text(w, "<?xml version=\"1.0\"?>\n<robot");
  attribute(w, "name", jn_spec_name(w->spec));
  text(w, ">\n");
  for (int i = 0; i < jn_spec_joint_count(w->spec); i++) {
    const jn_joint_desc *j = jn_spec_get_joint(w->spec, i);
    has_world = has_world || (j->parent == NULL && !is_base(w, j));
  }
  if (has_world && link_named(w, "world") >= 0) refuse(w, "link", "world", "it is not the world");
  if (has_world) text(w, "  <link name=\"world\"/>\n");
  for (int i = 0; i < jn_spec_link_count(w->spec); i++) write_link(w, jn_spec_get_link(w->spec, i));
  for (int i = 0; i < jn_spec_joint_count(w->spec) && w->status == JN_OK; i++)
    if (!is_base(w, jn_spec_get_joint(w->spec, i))) write_joint(w, jn_spec_get_joint(w->spec, i));
  for (int i = 0; i < jn_spec_frame_count(w->spec) && w->status == JN_OK; i++) {
    const jn_frame_desc *f = jn_spec_get_frame(w->spec, i);
    char name[JN_MAX_NAME + 1];
    if (link_named(w, f->name) >= 0) refuse(w, "frame", f->name, "a link has its name");
    free_name(w, name, f->name, "weld");
    text(w, "  <link");
    attribute(w, "name", f->name);
    text(w, "/>\n");
    weld(w, name, f->link, f->name, &f->pose);
  }
  text(w, "</robot>\n");
}

/* ---- the file */

/* What the whole description must not have. */
static void check_spec(writer *w) {
  const jn_vec3 g = jn_spec_gravity(w->spec);
  if (jn_spec_constraint_count(w->spec) > 0)
    refuse(w, "constraint", jn_spec_get_constraint(w->spec, 0)->name, "a constraint");
  if (jn_spec_rotor_count(w->spec) > 0)
    refuse(w, "rotor", jn_spec_get_rotor(w->spec, 0)->name, "a rotor");
  if (g.x != 0 || g.y != 0 || g.z != -9.81)
    refuse(w, "robot", jn_spec_name(w->spec), "a gravity that is not (0, 0, -9.81)");
  for (int i = 0; i < jn_spec_link_count(w->spec); i++) {
    const jn_link_desc *link = jn_spec_get_link(w->spec, i);
    const double *x = &link->inertia.m[0][0];
    int is_finite = isfinite(link->mass) && isfinite(link->com.x) && isfinite(link->com.y) &&
                    isfinite(link->com.z);
    for (int k = 0; k < 9; k++) is_finite = is_finite && isfinite(x[k]);
    if (!is_finite) refuse(w, "link", link->name, "a number that is not finite");
    if (x[1] != x[3] || x[2] != x[6] || x[5] != x[7])
      refuse(w, "link", link->name, "an inertia that is not symmetric");
  }
}

static jn_status save(FILE *file, void *context) {
  writer *w = context;
  w->file = file;
  connect(w);
  if (w->status == JN_OK) place(w);
  if (w->status == JN_OK) write_robot(w);
  check_made(w);
  return w->status;
}

jn_status jn_spec_save_urdf(const jn_spec *spec, const char *path, jn_error *error) {
  if (spec == NULL || path == NULL || path[0] == '\0')
    return jn_fail(error, JN_ERR_ARGUMENT, path, 0, "the file name is missing, or spec is NULL");
  if (!jn_spec_has_names(spec))
    return jn_fail(error, JN_ERR_MODEL, path, 0, "a link, joint or frame has no name");
  const jn_allocator *hooks = jn_spec_hooks(spec);
  const size_t n = (size_t)jn_spec_link_count(spec) + 1,
               made = 2 * (size_t)jn_spec_joint_count(spec) + (size_t)jn_spec_frame_count(spec) + 1;
  writer w = {.spec = spec, .path = path, .error = error};
  check_spec(&w);
  w.links = jn_block_new(hooks, n, sizeof *w.links);
  w.joint = jn_block_new(hooks, n, sizeof *w.joint);
  w.home = jn_block_new(hooks, n, sizeof *w.home);
  w.is_placed = jn_block_new(hooks, n, 1);
  w.chain = jn_block_new(hooks, n, sizeof *w.chain);
  w.made = jn_block_new(hooks, made, sizeof *w.made);
  if (!w.links || !w.joint || !w.home || !w.is_placed || !w.chain || !w.made) out_of_memory(&w);
  const jn_status status = w.status == JN_OK ? jn_file_write(path, save, &w, error) : w.status;
  jn_arena_free(&w.arena, hooks);
  void *blocks[] = {w.links, w.joint, w.home, w.is_placed, w.chain, w.made};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn_block_free(hooks, blocks[i]);
  return status;
}
