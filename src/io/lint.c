/* lint.c: finds everything suspicious in a spec. It accepts any spec: joints that do not form a
 * tree, missing names, NaN. No recursion; O(n log n). */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/names.h"
#include "base/numbers.h"
#include "io/number.h"
#include "io/text.h"
#include "model/build.h"
#include "model/spec.h"

/* bounds of what is plausible */
static const double unit_tolerance = 1e-3; /* of a squared length: axes have few digits */
static const double symmetry = 1e-12;      /* of an inertia, relative to its trace */
static const double parallel = 1e-6;       /* sine of the angle between two axes */
static const double no_inertia = 1e-12;    /* about an axis, relative to a link of the least size */
static const double longest_gyration = 10; /* m: radius of gyration of one link */
static const double shortest_gyration = 1e-4; /* m */
static const double longest_offset = 50;      /* m: joint to joint */
static const double farthest_com = 10;        /* m from the link's origin */
static const double largest_mass = 1e4;       /* kg, one link */
static const double largest_ratio = 1e4;      /* of masses of neighbours */
static const double largest_gravity = 100;    /* m/s^2 */

typedef struct work {
  jn_spec *spec;
  jn_status status;
  int links, joints;
  jn_mimic_policy mimic;
  jn_name *link_name, *joint_name; /* sorted */
  int *parent_joint;             /* of each link: the first joint that has it as child; -1: none */
  int *parent;                   /* link of that joint's parent; -1: world, unknown or none */
  int *first_child, *next_child; /* of links, through their parent joints */
  int *order;                    /* links reached from the roots, parents first */
  int reached;
  double *mass_below; /* mass of a link and all its descendants */
  double *rigid_mass; /* mass of a link and the descendants fixed to it */
  /* if the model can be built, its bodies are judged as a whole: */
  int judged;
  double length; /* size of the robot */
  int *reported; /* of each link: a finding on its body's inertia names it */
} work;

static void __attribute__((format(printf, 4, 5)))
note(work *w, jn_severity severity, int line, const char *format, ...) {
  va_list arguments;
  if (w->status != JN_OK) return;
  va_start(arguments, format);
  w->status = jn_note_list(w->spec, severity, line, format, arguments);
  va_end(arguments);
}

/* ---- names */

static const char *name_of(const char *name) { return name != NULL ? name : ""; }

static void lint_names(work *w, const jn_name *entries, int count, int is_link) {
  const char *what = is_link ? "link" : "joint";
  for (int i = 0; i < count; i++) {
    const char *name = entries[i].name;
    int index = entries[i].index;
    int line =
        is_link ? jn_spec_get_link(w->spec, index)->line : jn_spec_get_joint(w->spec, index)->line;
    if (i > 0 && strcmp(entries[i - 1].name, name) == 0)
      note(w, JN_SERIOUS, line, "%s '%s': the name is used twice: rename one", what, name);
    if (name[strcspn(name, " \t\r\n\v\f")] != '\0')
      note(w, JN_NOTE, line, "%s '%s': white space in the name", what, name);
  }
}

/* ---- the tree */

static void join(work *w) {
  for (int i = 0; i < w->links; i++) w->parent_joint[i] = w->parent[i] = w->first_child[i] = -1;
  for (int j = 0; j < w->joints; j++) {
    const jn_joint_desc *joint = jn_spec_get_joint(w->spec, j);
    int child = jn_names_find(w->link_name, w->links, joint->child);
    int parent = jn_names_find(w->link_name, w->links, joint->parent);
    if (child < 0)
      note(w, JN_SERIOUS, joint->line,
           "joint '%s': there is no child link '%s': define it or fix the name",
           name_of(joint->name), name_of(joint->child));
    if (joint->parent != NULL && parent < 0)
      note(w, JN_SERIOUS, joint->line,
           "joint '%s': there is no parent link '%s': define it or fix the name",
           name_of(joint->name), joint->parent);
    if (child < 0) continue;
    if (w->parent_joint[child] >= 0) {
      note(w, JN_SERIOUS, joint->line,
           "joint '%s': link '%s' is already the child of joint '%s': the joints must form a "
           "tree; make one of them a constraint (docs/constraints.md)",
           name_of(joint->name), joint->child,
           name_of(jn_spec_get_joint(w->spec, w->parent_joint[child])->name));
      continue;
    }
    w->parent_joint[child] = j;
    w->parent[child] = parent;
  }
  for (int i = w->links - 1; i >= 0; i--)
    if (w->parent[i] >= 0) {
      w->next_child[i] = w->first_child[w->parent[i]];
      w->first_child[w->parent[i]] = i;
    }
}

/* Lists the links breadth first from the roots; a link that is not reached depends on a cycle. */
static void walk(work *w) {
  int roots = 0;
  for (int i = 0; i < w->links; i++)
    if (w->parent[i] < 0) {
      const jn_link_desc *link = jn_spec_get_link(w->spec, i);
      const jn_joint_desc *joint = jn_spec_get_joint(w->spec, w->parent_joint[i]);
      /* not counted as a root, as it has another finding: unknown parent link, or name used
       * twice */
      int is_lost = (joint != NULL && joint->parent != NULL) ||
                    jn_names_find(w->link_name, w->links, name_of(link->name)) != i;
      if (!is_lost && ++roots == 2)
        note(w, JN_SERIOUS, link->line,
             "link '%s' is a second root: connect it to the rest by a joint, or delete it",
             name_of(link->name));
      w->order[w->reached++] = i;
    }
  for (int k = 0; k < w->reached; k++)
    for (int c = w->first_child[w->order[k]]; c >= 0; c = w->next_child[c])
      w->order[w->reached++] = c;

  int others = w->links - w->reached - 1, i = 0;
  if (others < 0) return;
  for (int k = 0; k < w->links; k++) w->mass_below[k] = 0; /* used as a mark here */
  for (int k = 0; k < w->reached; k++) w->mass_below[w->order[k]] = 1;
  while (w->mass_below[i] != 0) i++;
  const jn_link_desc *link = jn_spec_get_link(w->spec, i);
  if (others == 0)
    note(w, JN_SERIOUS, link->line, "link '%s' is its own parent: the joints must form a tree",
         name_of(link->name));
  else
    note(w, JN_SERIOUS, link->line,
         "link '%s' and %d other%s are not reached from a root: their joints form a cycle",
         name_of(link->name), others, others == 1 ? "" : "s");
}

static void add_masses(work *w) {
  for (int i = 0; i < w->links; i++)
    w->mass_below[i] = w->rigid_mass[i] = jn_spec_get_link(w->spec, i)->mass;
  for (int k = w->reached - 1; k >= 0; k--) {
    int i = w->order[k], p = w->parent[i];
    if (p < 0) continue;
    w->mass_below[p] += w->mass_below[i];
    if (jn_spec_get_joint(w->spec, w->parent_joint[i])->type == JN_JOINT_FIXED)
      w->rigid_mass[p] += w->rigid_mass[i];
  }
}

/* ---- one link */

static int vector_is_finite(jn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }
static int pose_is_finite(const jn_pose *pose) {
  return jn_all_finite(&pose->R.m[0][0], 9) && vector_is_finite(pose->p);
}

/* An inertia that no body has, of a single link. Once the bodies are judged it is a note. Returns 1
 * if it is indefinite. */
static int lint_moments(work *w, int i, const double e[3]) {
  const jn_link_desc *link = jn_spec_get_link(w->spec, i);
  const jn_physical verdict = jn_judge_moments(e, fmax(0, link->mass), w->length);
  if (verdict == JN_PHYSICAL) return 0;
  if (w->judged && w->reported[i]) return verdict == JN_INDEFINITE;
  const char *end = w->judged ? "; it does not matter: the link is welded to others" : "";
  if (verdict == JN_INDEFINITE)
    note(w, w->judged ? JN_NOTE : JN_SERIOUS, link->line,
         "link '%s': the inertia is not positive definite: principal moments %g, %g, %g%s",
         link->name, e[0], e[1], e[2], end);
  else
    note(w, w->judged ? JN_NOTE : JN_WARNING, link->line,
         "link '%s': no rigid body has this inertia: principal moment %g exceeds %g + %g (triangle "
         "inequality)%s",
         link->name, e[2], e[0], e[1], end);
  return verdict == JN_INDEFINITE;
}

static void lint_inertia(work *w, int i) {
  const jn_link_desc *link = jn_spec_get_link(w->spec, i);
  const double(*I)[3] = (const double(*)[3])link->inertia.m;
  double trace = fabs(I[0][0]) + fabs(I[1][1]) + fabs(I[2][2]);
  for (int r = 0; r < 3; r++)
    for (int s = 0; s < r; s++)
      if (fabs(I[r][s] - I[s][r]) > symmetry * trace)
        note(w, JN_SERIOUS, link->line, "link '%s': the inertia is not symmetric: %g and %g",
             link->name, I[s][r], I[r][s]);
  double e[3];
  jn_eigenvalues3(link->inertia, e, NULL);
  double zero = jn_moment_tolerance(e, fmax(0, link->mass), w->length);
  if (lint_moments(w, i, e)) return;
  if (e[2] <= zero) {
    if (link->mass > 0)
      note(w, JN_NOTE, link->line, "link '%s': mass %g without rotational inertia: a point mass",
           link->name, link->mass);
    return;
  }
  if (e[0] <= zero)
    note(w, JN_NOTE, link->line,
         "link '%s': a principal moment of inertia is zero: an infinitely thin rod", link->name);
  if (link->mass < 0) return;
  if (link->mass == 0) {
    note(w, JN_WARNING, link->line, "link '%s': rotational inertia but no mass", link->name);
    return;
  }
  double gyration = sqrt(e[2] / link->mass);
  if (gyration > longest_gyration || gyration < shortest_gyration)
    note(w, JN_WARNING, link->line,
         "link '%s': mass %g kg and this inertia imply a size of about %g m: check the units (kg, "
         "m)",
         link->name, link->mass, gyration);
}

static void lint_link(work *w, int i) {
  const jn_link_desc *link = jn_spec_get_link(w->spec, i);
  if (!isfinite(link->mass) || !vector_is_finite(link->com) ||
      !jn_all_finite(&link->inertia.m[0][0], 9) || !pose_is_finite(&link->home)) {
    note(w, JN_SERIOUS, link->line, "link '%s': a number is not finite", link->name);
    return;
  }
  if (link->mass < 0)
    note(w, JN_SERIOUS, link->line, "link '%s': the mass %g is negative: it must be zero or more",
         link->name, link->mass);
  else if (link->mass > largest_mass)
    note(w, JN_WARNING, link->line, "link '%s': the mass is %g kg: check the units", link->name,
         link->mass);
  double far = jn_v3_norm(link->com);
  if (far > farthest_com)
    note(w, JN_WARNING, link->line,
         "link '%s': the centre of mass is %g m from the link's origin: check the units",
         link->name, far);
  lint_inertia(w, i);
}

/* ---- one joint */

static void lint_limits(work *w, const jn_joint_desc *joint) {
  const jn_limits *x = &joint->limits;
  const double *value = &x->lower;
  for (int k = 0; k < JN_LIMIT_COUNT; k++)
    if (isnan(value[k])) {
      note(w, JN_SERIOUS, joint->line, "joint '%s': a limit is not a number", joint->name);
      return;
    }
  if (x->lower == 0 && x->upper == 0 && x->velocity == 0 && x->effort == 0) {
    note(w, JN_WARNING, joint->line,
         "joint '%s': the limits are all 0: it cannot move; leave them out if there are none",
         joint->name);
    return;
  }
  if (x->lower > x->upper)
    note(w, JN_SERIOUS, joint->line, "joint '%s': lower limit %g is above upper limit %g",
         joint->name, x->lower, x->upper);
  else if (x->lower == x->upper)
    note(w, JN_WARNING, joint->line,
         "joint '%s': lower and upper limit are both %g: it cannot move", joint->name, x->lower);
  for (int k = 2; k < JN_LIMIT_COUNT; k++)
    if (value[k] <= 0)
      note(w, JN_WARNING, joint->line, "joint '%s': %s limit is %g: %s", joint->name,
           jn_limit_keys[k], value[k],
           value[k] == 0 ? "leave it out if there is none" : "a limit cannot be negative");
}

static void lint_axis(work *w, const jn_joint_desc *joint) {
  const int axes = jn_joint_axis_count(joint->type);
  for (int k = 0; k < axes; k++) {
    double n = jn_v3_norm(joint->axis[k]);
    if (n == 0)
      note(w, JN_SERIOUS, joint->line,
           "joint '%s': axis has zero length: give a direction such as 0 0 1", joint->name);
    else if (fabs(n * n - 1) > unit_tolerance)
      note(w, JN_NOTE, joint->line, "joint '%s': axis has length %g; it is normalised", joint->name,
           n);
  }
  if (axes == 2) {
    jn_vec3 cross = jn_v3_cross(jn_v3_unit(joint->axis[0]), jn_v3_unit(joint->axis[1]));
    if (!(jn_v3_norm(cross) > parallel))
      note(w, JN_SERIOUS, joint->line, "joint '%s': the two axes are parallel", joint->name);
  }
}

/* Moment of inertia of one link about its joint's axis, at zero. */
static double axis_inertia(const jn_joint_desc *joint, const jn_link_desc *link) {
  jn_vec3 axis = joint->axis[0], point = {0, 0, 0};
  if (joint->placement == JN_BY_SCREW) {
    axis = jn_m3_apply_t(link->home.R, axis);
    point = jn_m3_apply_t(link->home.R, jn_v3_sub(joint->point, link->home.p));
  }
  axis = jn_v3_unit(axis);
  jn_vec3 lever = jn_v3_cross(axis, jn_v3_sub(link->com, point));
  return jn_v3_dot(axis, jn_m3_apply(link->inertia, axis)) + link->mass * jn_v3_dot(lever, lever);
}

/* Finds joints that move no mass or inertia, and joints between very different masses. */
static void lint_moved_mass(work *w, const jn_joint_desc *joint, int child) {
  const jn_link_desc *link = jn_spec_get_link(w->spec, child);
  if (joint->armature > 0 && joint->type != JN_JOINT_FREE) return;
  if (w->mass_below[child] < 0) return; /* a negative mass has another finding */
  if (!(w->mass_below[child] > 0)) {
    note(w, JN_SERIOUS, joint->line,
         "joint '%s' moves no mass (link '%s' and all below it are massless): the dynamics are "
         "singular",
         joint->name, link->name);
    return;
  }
  if (!(w->rigid_mass[child] > 0)) {
    note(w, JN_NOTE, link->line, "link '%s' is massless; only the links below it have mass",
         link->name);
    return;
  }
  int is_turned = joint->type == JN_JOINT_REVOLUTE || joint->type == JN_JOINT_CYLINDRICAL;
  if (w->first_child[child] < 0 && is_turned && jn_v3_norm(joint->axis[0]) > 0) {
    double I = axis_inertia(joint, link);
    if (I <= no_inertia * link->mass * shortest_gyration * shortest_gyration)
      note(w, JN_SERIOUS, joint->line,
           "joint '%s': link '%s' has %g kg but no inertia about the axis: the dynamics are "
           "singular; give the joint an armature",
           joint->name, link->name, link->mass);
  }
  int p = w->parent[child];
  if (p < 0 || !(w->rigid_mass[p] > 0)) return;
  double ratio = w->rigid_mass[child] / w->rigid_mass[p];
  if (ratio > largest_ratio || ratio < 1 / largest_ratio)
    note(w, JN_NOTE, joint->line,
         "joint '%s' connects masses of %g kg and %g kg: digits will be lost", joint->name,
         w->rigid_mass[p], w->rigid_mass[child]);
}

static void lint_mimic(work *w, const jn_joint_desc *joint) {
  const int at = jn_names_find(w->joint_name, w->joints, joint->mimic);
  const jn_joint_type type = at < 0 ? JN_JOINT_FIXED : jn_spec_get_joint(w->spec, at)->type;
  if (at < 0)
    note(w, JN_WARNING, joint->line,
         "joint '%s': there is no joint '%s' to mimic: it is independent", joint->name,
         joint->mimic);
  else if (!jn_joint_is_single(joint->type) ||
           (type != JN_JOINT_FIXED && !jn_joint_is_single(type)))
    note(w, JN_WARNING, joint->line,
         "joint '%s' cannot mimic '%s', both need one coordinate: it is independent", joint->name,
         joint->mimic);
  else if (w->mimic == JN_MIMIC_INDEPENDENT)
    note(w, JN_WARNING, joint->line,
         "joint '%s' mimics joint '%s': not enforced with independent mimic joints", joint->name,
         joint->mimic);
}

static void lint_joint(work *w, int j) {
  const jn_joint_desc *joint = jn_spec_get_joint(w->spec, j);
  const double numbers[] = {joint->pitch,    joint->armature,         joint->damping,
                            joint->friction, joint->mimic_multiplier, joint->mimic_offset};
  if (!pose_is_finite(&joint->origin) || !vector_is_finite(joint->axis[0]) ||
      !vector_is_finite(joint->axis[1]) || !vector_is_finite(joint->point) ||
      !jn_all_finite(numbers, 6)) {
    note(w, JN_SERIOUS, joint->line, "joint '%s': a number is not finite", joint->name);
    return;
  }
  if (joint->armature < 0 || joint->damping < 0 || joint->friction < 0)
    note(w, JN_SERIOUS, joint->line,
         "joint '%s': armature, damping and friction cannot be negative", joint->name);
  if (joint->type == JN_JOINT_FREE &&
      (joint->armature != 0 || joint->damping != 0 || joint->friction != 0))
    note(w, JN_SERIOUS, joint->line,
         "joint '%s': armature, damping and friction of a free joint are not used", joint->name);
  if (joint->type == JN_JOINT_HELICAL && joint->pitch == 0)
    note(w, JN_NOTE, joint->line, "joint '%s': a helical joint with pitch 0 is a revolute joint",
         joint->name);
  if (joint->mimic != NULL && joint->type != JN_JOINT_FIXED) lint_mimic(w, joint);
  if (joint->placement == JN_BY_FRAME && jn_v3_norm(joint->origin.p) > longest_offset)
    note(w, JN_WARNING, joint->line, "joint '%s' is %g m from its parent's origin: check the units",
         joint->name, jn_v3_norm(joint->origin.p));
  lint_axis(w, joint);
  if (joint->type == JN_JOINT_FIXED) return;
  lint_limits(w, joint);
  int child = jn_names_find(w->link_name, w->links, joint->child);
  if (child >= 0 && w->parent_joint[child] == j) lint_moved_mass(w, joint, child);
}

/* ---- the whole */

static void lint_whole(work *w) {
  double mass = 0;
  for (int i = 0; i < w->links; i++) mass += jn_spec_get_link(w->spec, i)->mass;
  if (w->links == 0)
    note(w, JN_SERIOUS, 0, "there are no links");
  else if (mass == 0)
    note(w, JN_SERIOUS, 0, "no link has mass: the dynamics are singular");
  double g = jn_v3_norm(jn_spec_gravity(w->spec));
  if (!vector_is_finite(jn_spec_gravity(w->spec)))
    note(w, JN_SERIOUS, 0, "gravity is not finite");
  else if (g > largest_gravity)
    note(w, JN_WARNING, 0, "gravity is %g m/s^2: check the units", g);
  int frames = jn_spec_frame_count(w->spec);
  for (int i = 0; i < frames; i++) {
    const jn_frame_desc *frame = jn_spec_get_frame(w->spec, i);
    if (!pose_is_finite(&frame->pose))
      note(w, JN_SERIOUS, frame->line, "frame '%s': a number is not finite", frame->name);
    if (jn_names_find(w->link_name, w->links, frame->link) < 0)
      note(w, JN_SERIOUS, frame->line, "frame '%s': there is no link '%s'", frame->name,
           frame->link);
  }
}

static jn_status on_remark(void *context, int link, jn_severity severity, const char *text) {
  work *w = context;
  w->reported[link] = 1;
  note(w, severity, jn_spec_get_link(w->spec, link)->line, "%s", text);
  return w->status;
}

/* Builds the model to judge the inertias of its bodies; a spec that cannot be built is judged link
 * by link. */
static void judge(work *w, const jn_build_options *options) {
  jn_build_observer observer = {.remark = on_remark, .context = w};
  jn_model *model = NULL;
  jn_status status = jn_build(w->spec, options, jn_spec_hooks(w->spec), &observer, &model, NULL);
  if (status == JN_ERR_MEMORY) w->status = status;
  w->judged = status == JN_OK;
  w->length = observer.length;
  jn_model_free(model);
}

jn_status jn_spec_lint(jn_spec *spec) { return jn_spec_lint_for(spec, NULL); }

jn_status jn_spec_lint_for(jn_spec *spec, const jn_build_options *options) {
  if (spec == NULL) return JN_ERR_ARGUMENT;
  const jn_allocator *hooks = jn_spec_hooks(spec);
  int n = jn_spec_link_count(spec), m = jn_spec_joint_count(spec);
  size_t links = (size_t)n, joints = (size_t)m;
  work w = {.spec = spec, .status = JN_OK, .links = n, .joints = m};
  w.link_name = jn_block_new(hooks, links, sizeof(jn_name));
  w.joint_name = jn_block_new(hooks, joints, sizeof(jn_name));
  int *ints = jn_block_new(hooks, links, 6 * sizeof(int));
  double *doubles = jn_block_new(hooks, links, 2 * sizeof(double));
  if (w.link_name == NULL || w.joint_name == NULL || ints == NULL || doubles == NULL) {
    w.status = JN_ERR_MEMORY;
  } else {
    w.parent_joint = ints;
    w.parent = ints + links;
    w.first_child = ints + 2 * links;
    w.next_child = ints + 3 * links;
    w.order = ints + 4 * links;
    w.reported = ints + 5 * links;
    w.mass_below = doubles;
    w.rigid_mass = doubles + links;
    for (int i = 0; i < n; i++)
      w.link_name[i] = (jn_name){name_of(jn_spec_get_link(spec, i)->name), i};
    for (int j = 0; j < m; j++)
      w.joint_name[j] = (jn_name){name_of(jn_spec_get_joint(spec, j)->name), j};
    jn_names_sort(w.link_name, w.links);
    jn_names_sort(w.joint_name, w.joints);

    lint_whole(&w);
    lint_names(&w, w.link_name, n, 1);
    lint_names(&w, w.joint_name, m, 0);
    join(&w);
    walk(&w);
    add_masses(&w);
    judge(&w, options);
    if (options != NULL) w.mimic = options->mimic;
    for (int i = 0; i < n; i++) lint_link(&w, i);
    for (int j = 0; j < m; j++) lint_joint(&w, j);
  }
  jn_block_free(hooks, w.link_name);
  jn_block_free(hooks, w.joint_name);
  jn_block_free(hooks, ints);
  jn_block_free(hooks, doubles);
  return w.status == JN_OK ? jn_spec_sort_findings(spec) : w.status;
}
