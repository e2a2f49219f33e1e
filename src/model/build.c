/* build.c: builds a model from a spec: checks names, tree and numbers; place.c does the rest. */
#include "model/build.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/spec.h"

#define SYMMETRY 1e-9 /* of an inertia, relative to its size */
#define PARALLEL 1e-6 /* sine of the angle between the axes of a universal joint */

jn_status jn_build_fail(jn_builder *b, int line, jn_status status, const char *format, ...) {
  const char *file = jn_spec_file(b->spec);
  va_list arguments;
  va_start(arguments, format);
  jn_fail_list(b->error, status, file[0] != '\0' ? file : jn_spec_name(b->spec), line, format,
               arguments);
  va_end(arguments);
  return status;
}

/* ---- names ---- */

static jn_status sort_names(jn_builder *b, jn_name *table, int n, const char *what,
                            int (*line)(jn_builder *, int)) {
  for (int i = 0; i < n; i++)
    if (!table[i].name || !*table[i].name)
      return jn_build_fail(b, line(b, i), JN_ERR_MODEL, "%s without a name: give it one", what);
  jn_names_sort(table, n);
  for (int i = 1; i < n; i++)
    if (!strcmp(table[i].name, table[i - 1].name))
      return jn_build_fail(b, line(b, table[i].index), JN_ERR_MODEL,
                           "%s '%s' is defined twice (first in line %d): rename one", what,
                           table[i].name, line(b, table[i - 1].index));
  return JN_OK;
}

static int link_line(jn_builder *b, int i) { return b->links[i]->line; }
static int joint_line(jn_builder *b, int i) { return b->joints[i]->line; }
static int frame_line(jn_builder *b, int i) { return b->frames[i]->line; }

static jn_status check_names(jn_builder *b) {
  int most = b->nlink > b->njoint ? b->nlink : b->njoint;
  if (b->nframe > most) most = b->nframe;
  jn_name *table = jn_block_new(&b->hooks, (size_t)most, sizeof *table);
  jn_name *links = jn_block_new(&b->hooks, (size_t)b->nlink, sizeof *links);
  jn_status status = table && links ? JN_OK : JN_ERR_MEMORY;
  if (!status) {
    for (int i = 0; i < b->nlink; i++) links[i] = (jn_name){b->links[i]->name, i};
    status = sort_names(b, links, b->nlink, "link", link_line);
  }
  if (!status) {
    for (int i = 0; i < b->njoint; i++) table[i] = (jn_name){b->joints[i]->name, i};
    status = sort_names(b, table, b->njoint, "joint", joint_line);
  }
  for (int i = 0; !status && i < b->njoint; i++) {
    const jn_joint_desc *j = b->joints[i];
    const char *ends[2] = {j->parent, j->child};
    int *at[2] = {&b->joint_parent[i], &b->joint_child[i]};
    for (int s = 0; s < 2 && !status; s++) {
      *at[s] = jn_names_find(links, b->nlink, ends[s]);
      if (s == 1 && !ends[s])
        status =
            jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': no child link given", j->name);
      else if (ends[s] && *at[s] < 0)
        status = jn_build_fail(b, j->line, JN_ERR_MODEL,
                               "joint '%s': unknown %s link '%s': define it or fix the name",
                               j->name, s ? "child" : "parent", ends[s]);
    }
  }
  if (!status) {
    for (int i = 0; i < b->nframe; i++) table[i] = (jn_name){b->frames[i]->name, i};
    status = sort_names(b, table, b->nframe, "frame", frame_line);
  }
  for (int i = 0; !status && i < b->nframe; i++) {
    const jn_frame_desc *f = b->frames[i];
    b->frame_link[i] = jn_names_find(links, b->nlink, f->link);
    if (b->frame_link[i] < 0)
      status = jn_build_fail(b, f->line, JN_ERR_MODEL, "frame '%s': unknown link '%s'", f->name,
                             f->link ? f->link : "");
    else if (jn_names_find(links, b->nlink, f->name) >= 0)
      status = jn_build_fail(b, f->line, JN_ERR_MODEL,
                             "frame '%s' has the name of a link: rename it", f->name);
  }
  jn_block_free(&b->hooks, table);
  jn_block_free(&b->hooks, links);
  return status;
}

/* ---- the tree ---- */

/* Reports a link on a cycle. `link` is not reachable from the root, so its ancestors lead into a
 * cycle: nlink steps up the tree end on the cycle itself. */
static jn_status report_cycle(jn_builder *b, int link) {
  for (int i = 0; i < b->nlink; i++) link = b->joint_parent[b->parent_joint[link]];
  const jn_joint_desc *j = b->joints[b->parent_joint[link]];
  return jn_build_fail(
      b, j->line, JN_ERR_MODEL,
      "joint '%s': link '%s' is its own ancestor (a cycle): the joints must form a tree", j->name,
      b->links[link]->name);
}

static jn_status find_root(jn_builder *b) {
  for (int i = 0; i < b->nlink; i++) b->parent_joint[i] = -1;
  for (int i = 0; i < b->njoint; i++) {
    int c = b->joint_child[i];
    if (b->joint_parent[i] == c)
      return jn_build_fail(b, b->joints[i]->line, JN_ERR_MODEL,
                           "joint '%s': link '%s' is its own parent (a cycle of one)",
                           b->joints[i]->name, b->links[c]->name);
    if (b->parent_joint[c] >= 0)
      return jn_build_fail(b, b->joints[i]->line, JN_ERR_MODEL,
                           "link '%s' has two parents: joint '%s' and joint '%s' (line %d): the "
                           "joints must form a tree; "
                           "make one of them a constraint (docs/constraints.md)",
                           b->links[c]->name, b->joints[i]->name,
                           b->joints[b->parent_joint[c]]->name,
                           b->joints[b->parent_joint[c]]->line);
    b->parent_joint[c] = i;
  }
  b->root = -1;
  for (int i = 0; i < b->nlink; i++) {
    int j = b->parent_joint[i];
    if (j >= 0 && b->joint_parent[j] >= 0) continue;
    if (b->root >= 0)
      return jn_build_fail(
          b, b->links[i]->line, JN_ERR_MODEL,
          "two root links, '%s' and '%s' (line %d): connect them by a joint or delete one",
          b->links[b->root]->name, b->links[i]->name, b->links[b->root]->line);
    b->root = i;
  }
  return b->root < 0 ? report_cycle(b, 0) : JN_OK;
}

/* Lists the links depth first, without recursion. The children of a link come in the order of
 * their joints in `joint` (NULL: the order of the spec). Returns how many links the root
 * reaches. */
static int walk_links(jn_builder *b, const jn_name *joint, int *sequence) {
  int *first = b->scratch, *next = b->scratch + b->nlink; /* children as lists of joints */
  for (int i = 0; i < b->nlink; i++) first[i] = -1;
  for (int s = b->njoint - 1; s >= 0; s--) {
    int i = joint ? joint[s].index : s, p = b->joint_parent[i];
    if (p < 0) continue;
    next[i] = first[p];
    first[p] = i;
  }
  int count = 0, at = b->root;
  sequence[count++] = at;
  while (1) {
    if (first[at] >= 0) { /* down to the next child */
      int j = first[at];
      first[at] = next[j];
      at = b->joint_child[j];
      sequence[count++] = at;
      continue;
    }
    if (at == b->root) return count;
    at = b->joint_parent[b->parent_joint[at]];
  }
}

static jn_status order_links(jn_builder *b) {
  int count = walk_links(b, NULL, b->sequence), *first = b->scratch;
  if (count == b->nlink) {
    jn_name *names = jn_block_new(&b->hooks, (size_t)b->njoint, sizeof *names);
    if (!names) return JN_ERR_MEMORY;
    for (int i = 0; i < b->njoint; i++) names[i] = (jn_name){b->joints[i]->name, i};
    jn_names_sort(names, b->njoint);
    walk_links(b, names, b->by_name);
    jn_block_free(&b->hooks, names);
    return JN_OK;
  }
  int lost = 0;
  for (int i = 0; i < count; i++) first[b->sequence[i]] = -2;
  while (first[lost] == -2) lost++;
  return report_cycle(b, lost);
}

/* ---- numbers ---- */

static int finite3(jn_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/* max |R^T R - 1| */
static double orthogonality_error(jn_mat3 R) {
  jn_mat3 E = jn_m3_sub(jn_m3_mul(jn_m3_transpose(R), R), jn_m3_identity());
  double worst = 0;
  for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(E.m[i / 3][i % 3]));
  return worst;
}

jn_status jn_build_check_pose(jn_builder *b, int line, const char *what, const char *name,
                              jn_pose *C) {
  for (int i = 0; i < 9; i++)
    if (!isfinite(C->R.m[i / 3][i % 3]))
      return jn_build_fail(b, line, JN_ERR_MODEL, "%s '%s': the rotation matrix is not finite",
                           what, name);
  if (!finite3(C->p))
    return jn_build_fail(b, line, JN_ERR_MODEL, "%s '%s': position is not finite", what, name);
  if (jn_m3_rotation_error(C->R) <= JN_ROTATION_TOLERANCE) {
    C->R = jn_m3_orthonormalise(C->R);
    return JN_OK;
  }
  if (jn_m3_rotation_error(jn_m3_scale(-1, C->R)) <= JN_ROTATION_TOLERANCE)
    return jn_build_fail(b, line, JN_ERR_POSE,
                         "%s '%s': the matrix is a reflection (det = -1), not a rotation: check "
                         "the signs and the order of its rows",
                         what, name);
  return jn_build_fail(
      b, line, JN_ERR_POSE,
      "%s '%s': the matrix is not a rotation (|R^T R - 1| = %g, det = %g; at most %g is "
      "accepted): give more digits or a quaternion",
      what, name, orthogonality_error(C->R), jn_m3_det(C->R), JN_ROTATION_TOLERANCE);
}

#define SHORTEST_AXIS 1e-12 /* a shorter axis is taken as zero */

static jn_status check_link(jn_builder *b, jn_link_desc *l) {
  if (!isfinite(l->mass))
    return jn_build_fail(b, l->line, JN_ERR_MODEL, "link '%s': mass is not finite", l->name);
  if (l->mass < 0)
    return jn_build_fail(b, l->line, JN_ERR_MODEL,
                         "link '%s': negative mass %g: must be zero or more", l->name, l->mass);
  if (!finite3(l->com))
    return jn_build_fail(b, l->line, JN_ERR_MODEL, "link '%s': centre of mass is not finite",
                         l->name);
  double size = 0;
  for (int i = 0; i < 9; i++) {
    double a = l->inertia.m[i / 3][i % 3];
    if (!isfinite(a))
      return jn_build_fail(b, l->line, JN_ERR_MODEL, "link '%s': inertia is not finite", l->name);
    if (fabs(a) > size) size = fabs(a);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) {
      double *u = &l->inertia.m[i][j], *w = &l->inertia.m[j][i];
      if (fabs(*u - *w) > SYMMETRY * size)
        return jn_build_fail(b, l->line, JN_ERR_MODEL,
                             "link '%s': inertia is not symmetric (%g and %g)", l->name, *w, *u);
      *u = *w = *u == *w ? *u : 0.5 * (*u + *w);
    }
  return jn_build_check_pose(b, l->line, "link", l->name, &l->home);
}

static jn_status check_axis(jn_builder *b, jn_joint_desc *j, int which) {
  jn_vec3 *a = &j->axis[which];
  if (!finite3(*a))
    return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': axis is not finite", j->name);
  double n = jn_v3_norm(*a);
  if (!(n > SHORTEST_AXIS))
    return jn_build_fail(b, j->line, JN_ERR_MODEL,
                         "joint '%s': axis has zero length: give a direction such as 0 0 1",
                         j->name);
  *a = jn_v3_unit(*a);
  return JN_OK;
}

static jn_status check_joint(jn_builder *b, jn_joint_desc *j) {
  if ((unsigned)j->type >= JN_JOINT_TYPE_COUNT)
    return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': unknown type", j->name);
  jn_status status = JN_OK;
  int axes =
      j->type == JN_JOINT_UNIVERSAL                                                            ? 2
      : j->type == JN_JOINT_FIXED || j->type == JN_JOINT_SPHERICAL || j->type == JN_JOINT_FREE ? 0
                                                                                               : 1;
  for (int i = 0; i < axes && !status; i++) status = check_axis(b, j, i);
  if (status) return status;
  if (axes == 2 && jn_v3_norm(jn_v3_cross(j->axis[0], j->axis[1])) < PARALLEL)
    return jn_build_fail(b, j->line, JN_ERR_MODEL,
                         "joint '%s': the two axes of a universal joint are parallel", j->name);
  if (!finite3(j->point))
    return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': point is not finite", j->name);
  if (!isfinite(j->pitch))
    return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': pitch is not finite", j->name);
  const double values[3] = {j->armature, j->damping, j->friction};
  static const char *const names[3] = {"armature", "damping", "friction"};
  for (int i = 0; i < 3; i++)
    if (!isfinite(values[i]) || values[i] < 0)
      return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': %s %g: must be zero or more",
                           j->name, names[i], values[i]);
  const jn_limits *m = &j->limits;
  const double limits[7] = {m->lower,        m->upper, m->velocity,   m->effort,
                            m->acceleration, m->jerk,  m->effort_rate};
  for (int i = 0; i < 7; i++)
    if (isnan(limits[i]))
      return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': a limit is not a number",
                           j->name);
  return jn_build_check_pose(b, j->line, "joint", j->name, &j->origin);
}

static jn_status check_numbers(jn_builder *b) {
  jn_status status = JN_OK;
  for (int i = 0; i < b->nlink && !status; i++) {
    b->link[i] = *b->links[i];
    status = check_link(b, &b->link[i]);
  }
  for (int i = 0; i < b->njoint && !status; i++) {
    b->joint[i] = *b->joints[i];
    status = check_joint(b, &b->joint[i]);
  }
  for (int i = 0; i < b->nframe && !status; i++) {
    b->frame[i] = *b->frames[i];
    status = jn_build_check_pose(b, b->frame[i].line, "frame", b->frame[i].name, &b->frame[i].pose);
  }
  jn_vec3 g = jn_spec_gravity(b->spec);
  if (!status && !finite3(g)) status = jn_build_fail(b, 0, JN_ERR_MODEL, "gravity is not finite");
  return status;
}

/* ---- set-up ---- */

static void builder_free(jn_builder *b) {
  void *blocks[] = {b->links,      b->joints,       b->frames,       b->link,
                    b->joint,      b->frame,        b->joint_parent, b->joint_child,
                    b->frame_link, b->parent_joint, b->sequence,     b->scratch,
                    b->body_of,    b->pose_in_body, b->by_name,      b->mimic};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn_block_free(&b->hooks, blocks[i]);
}

static jn_status builder_init(jn_builder *b) {
  size_t nl = (size_t)b->nlink, nj = (size_t)b->njoint, nf = (size_t)b->nframe;
  b->links = jn_block_new(&b->hooks, nl, sizeof(const jn_link_desc *));
  b->joints = jn_block_new(&b->hooks, nj, sizeof(const jn_joint_desc *));
  b->frames = jn_block_new(&b->hooks, nf, sizeof(const jn_frame_desc *));
  b->joint_parent = jn_block_new(&b->hooks, nj, sizeof *b->joint_parent);
  b->joint_child = jn_block_new(&b->hooks, nj, sizeof *b->joint_child);
  b->frame_link = jn_block_new(&b->hooks, nf, sizeof *b->frame_link);
  b->parent_joint = jn_block_new(&b->hooks, nl, sizeof *b->parent_joint);
  b->sequence = jn_block_new(&b->hooks, nl, sizeof *b->sequence);
  b->by_name = jn_block_new(&b->hooks, nl, sizeof *b->by_name);
  b->scratch = jn_block_new(&b->hooks, nl + nj + 1, sizeof *b->scratch);
  if (!b->links || !b->joints || !b->frames || !b->joint_parent || !b->joint_child ||
      !b->frame_link || !b->parent_joint || !b->sequence || !b->by_name || !b->scratch)
    return JN_ERR_MEMORY;
  for (int i = 0; i < b->nlink; i++) b->links[i] = jn_spec_get_link(b->spec, i);
  for (int i = 0; i < b->njoint; i++) b->joints[i] = jn_spec_get_joint(b->spec, i);
  for (int i = 0; i < b->nframe; i++) b->frames[i] = jn_spec_get_frame(b->spec, i);
  return JN_OK;
}

/* Allocates the copies that are checked and normalised; called once the tree is known to be
 * valid. */
static jn_status builder_copies(jn_builder *b) {
  size_t nl = (size_t)b->nlink, nj = (size_t)b->njoint, nf = (size_t)b->nframe;
  b->link = jn_block_new(&b->hooks, nl, sizeof *b->link);
  b->joint = jn_block_new(&b->hooks, nj, sizeof *b->joint);
  b->frame = jn_block_new(&b->hooks, nf, sizeof *b->frame);
  b->body_of = jn_block_new(&b->hooks, nl, sizeof *b->body_of);
  b->pose_in_body = jn_block_new(&b->hooks, nl, sizeof *b->pose_in_body);
  return b->link && b->joint && b->frame && b->body_of && b->pose_in_body ? JN_OK : JN_ERR_MEMORY;
}

jn_status jn_build(const jn_spec *spec, const jn_build_options *options,
                   const jn_allocator *allocator, jn_build_observer *observer, jn_model **out,
                   jn_error *error) {
  if (!spec || !out) return JN_ERR_ARGUMENT;
  jn_builder b = {0};
  b.spec = spec;
  b.observer = observer;
  b.error = error;
  if (options) b.options = *options;
  b.hooks = jn_allocator_or_default(allocator);
  b.nlink = jn_spec_link_count(spec);
  b.njoint = jn_spec_joint_count(spec);
  b.nframe = jn_spec_frame_count(spec);
  *out = NULL;
  if (b.nlink == 0)
    return jn_build_fail(&b, 0, JN_ERR_MODEL, "the model has no links: add at least one");
  const jn_commas commas = jn_spec_commas(spec);
  if (commas.line > 0 && !b.options.lenient)
    return jn_build_fail(&b, commas.line, JN_ERR_SYNTAX,
                         "%s: commas: write spaces between numbers; the option 'lenient' accepts "
                         "commas",
                         commas.text);
  jn_status status = builder_init(&b);
  if (!status) status = check_names(&b);
  if (!status) status = find_root(&b);
  if (!status) status = order_links(&b);
  if (!status) status = builder_copies(&b);
  if (!status) status = check_numbers(&b);
  if (!status) status = jn_build_mimics(&b);
  if (!status) status = jn_build_place(&b, out);
  if (!status && b.coupled) status = jn_build_reduced(&b, *out, out);
  if (status == JN_ERR_MEMORY)
    jn_build_fail(&b, 0, status, "out of memory while building the model");
  builder_free(&b);
  return status;
}

jn_status jn_model_build(const jn_spec *spec, const jn_build_options *options,
                         const jn_allocator *allocator, jn_model **out, jn_error *error) {
  return jn_build(spec, options, allocator, NULL, out, error);
}
