/* mjcf_body.c: bodies, frames and joints of MJCF. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/mjcf/mjcf.h"

enum { MOST_FREEDOMS = 6 }; /* of the joints of one body */
#define LEAST_AXIS 1e-12    /* shorter axes have no direction */

#define ORIENTATION "quat", "axisangle", "xyaxes", "zaxis", "euler"

static const char *const body_known[] = {"name",     "childclass", "pos",    ORIENTATION, "mocap",
                                         "gravcomp", "sleep",      "simple", "user",      NULL};
static const char *const frame_known[] = {"name", "childclass", "pos", ORIENTATION, NULL};
static const char *const joint_known[] = {"name",
                                          "class",
                                          "type",
                                          "group",
                                          "pos",
                                          "axis",
                                          "springdamper",
                                          "limited",
                                          "actuatorfrclimited",
                                          "solreflimit",
                                          "solimplimit",
                                          "solreffriction",
                                          "solimpfriction",
                                          "stiffness",
                                          "range",
                                          "actuatorfrcrange",
                                          "actuatorgravcomp",
                                          "margin",
                                          "ref",
                                          "springref",
                                          "armature",
                                          "damping",
                                          "frictionloss",
                                          "user",
                                          NULL};
static const char *const freejoint_known[] = {"name", "group", "align", NULL};
static const char *const geom_known[] = {
    "name",       "class",     "type",      "contype",  "conaffinity", "condim",     "group",
    "priority",   "size",      "material",  "friction", "mass",        "density",    "shellinertia",
    "solmix",     "solref",    "solimp",    "margin",   "gap",         "surfacevel", "adhesion",
    "fromto",     "pos",       ORIENTATION, "hfield",   "mesh",        "fitscale",   "rgba",
    "fluidshape", "fluidcoef", "user",      NULL};
static const char *const site_known[] = {"name",   "class",     "type",     "group",
                                         "pos",    ORIENTATION, "material", "size",
                                         "fromto", "rgba",      "user",     NULL};
static const char *const mesh_known[] = {
    "name",         "class",       "content_type", "file",     "vertex",  "normal",
    "texcoord",     "face",        "refpos",       "refquat",  "scale",   "builtin",
    "smoothnormal", "maxhullvert", "params",       "material", "inertia", NULL};
const char *const *const jn_mjcf_known[MJCF_KINDS] = {joint_known, geom_known, site_known,
                                                      mesh_known};

/* Where an element is: its body, the frame in it, and the class of elements without one. */
typedef struct level {
  int body;
  jn_pose frame; /* in the body's frame */
  int class;
} level;

/* The class of an element: its own, or that of the body or frame around it. */
static int class_of(mjcf *m, const xml_node *at, const char *attribute, int around) {
  const char *name = jn_mjcf_name(m, at, attribute);
  if (name == NULL) return around;
  const int class = jn_mjcf_find_class(m, at, name);
  return class >= 0 ? class : 0;
}

/* ---- joints */

/* Is a range in force? */
static int is_limited(mjcf *m, const mjcf_joint *joint, const mjcf_values *values, mjcf_key range,
                      mjcf_key limited) {
  char subject[MJCF_SUBJECT];
  const int word = jn_mjcf_value_word(m, values, limited, jn_mjcf_false_true_auto);
  const int has_range = values->value[range].text != NULL;
  if (word == 1 && !has_range)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, joint->node, "%s is limited but has no range",
                 jn_mjcf_subject(joint->node, subject));
  if (word == 0 || word == 1 || !has_range) return word == 1;
  if (!m->settings.autolimits)
    jn_mjcf_note(m, JN_WARNING, joint->node,
                 "%s has a range but not limited=\"true\", and autolimits is false: the range is "
                 "not used",
                 jn_mjcf_subject(joint->node, subject));
  return m->settings.autolimits;
}

static void read_range(mjcf *m, mjcf_joint *joint, const mjcf_values *values) {
  char subject[MJCF_SUBJECT];
  double x[2];
  if (joint->desc.type == JN_JOINT_FREE) return;
  if (is_limited(m, joint, values, MJCF_range, MJCF_limited) &&
      jn_mjcf_value(m, values, MJCF_range, 2, 2, x)) {
    if (joint->desc.type == JN_JOINT_SPHERICAL) {
      jn_mjcf_note(m, JN_NOTE, joint->node, "%s: the range of a ball joint is not kept",
                   jn_mjcf_subject(joint->node, subject));
    } else if (x[0] < x[1]) {
      const int is_angle = joint->desc.type == JN_JOINT_REVOLUTE;
      joint->desc.limits.lower = is_angle ? jn_mjcf_angle(m, x[0]) : x[0];
      joint->desc.limits.upper = is_angle ? jn_mjcf_angle(m, x[1]) : x[1];
    } else if (x[0] != 0 || x[1] != 0) {
      jn_mjcf_fail(m, JN_ERR_SYNTAX, joint->node, "%s: the range begins above its end",
                   jn_mjcf_subject(joint->node, subject));
    }
  }
  if (joint->desc.type == JN_JOINT_SPHERICAL) return;
  if (is_limited(m, joint, values, MJCF_actuatorfrcrange, MJCF_actuatorfrclimited) &&
      jn_mjcf_value(m, values, MJCF_actuatorfrcrange, 2, 2, x)) {
    if (x[0] == -x[1] && x[1] > 0)
      joint->desc.limits.effort = x[1];
    else
      jn_mjcf_note(m, JN_NOTE, joint->node,
                   "%s: actuatorfrcrange is not symmetric: it is not kept as a limit",
                   jn_mjcf_subject(joint->node, subject));
  }
}

/* A number that must not be negative. Of a polynomial in the velocity only the first coefficient is
 * used. */
static double not_negative(mjcf *m, const mjcf_joint *joint, const mjcf_values *values,
                           mjcf_key key, const char *what) {
  char subject[MJCF_SUBJECT];
  double x[3] = {0, 0, 0};
  jn_mjcf_value(m, values, key, 1, key == MJCF_damping || key == MJCF_stiffness ? 3 : 1, x);
  if (x[0] < 0)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, values->value[key].from, "%s: %s must not be negative",
                 jn_mjcf_subject(joint->node, subject), what);
  if (key == MJCF_damping && (x[1] != 0 || x[2] != 0))
    jn_mjcf_note(m, JN_SERIOUS, joint->node,
                 "%s: damping is a polynomial: only its linear coefficient is used",
                 jn_mjcf_subject(joint->node, subject));
  return x[0];
}

static void note_springs(mjcf *m, const mjcf_joint *joint, const mjcf_values *values) {
  char subject[MJCF_SUBJECT];
  double x[3] = {0, 0, 0};
  if (not_negative(m, joint, values, MJCF_stiffness, "stiffness") > 0)
    jn_mjcf_note(m, JN_SERIOUS, joint->node,
                 "%s: a model has no springs: its force -%g (q - springref) is not computed",
                 jn_mjcf_subject(joint->node, subject),
                 (jn_mjcf_value(m, values, MJCF_stiffness, 1, 3, x), x[0]));
  if (jn_mjcf_value(m, values, MJCF_springdamper, 2, 2, x) && (x[0] != 0 || x[1] != 0))
    jn_mjcf_note(m, JN_SERIOUS, joint->node,
                 "%s: springdamper is not used: its stiffness and damping are missing",
                 jn_mjcf_subject(joint->node, subject));
}

static void read_dynamics(mjcf *m, mjcf_joint *joint, const mjcf_values *values) {
  char subject[MJCF_SUBJECT];
  jn_joint_desc *desc = &joint->desc;
  desc->armature = not_negative(m, joint, values, MJCF_armature, "armature");
  desc->damping = not_negative(m, joint, values, MJCF_damping, "damping");
  desc->friction = not_negative(m, joint, values, MJCF_frictionloss, "frictionloss");
  note_springs(m, joint, values);
  if (!m->settings.has_damping) desc->damping = 0;
  if (desc->type != JN_JOINT_FREE) return;
  if (desc->armature != 0 || desc->damping != 0 || desc->friction != 0)
    jn_mjcf_note(m, JN_SERIOUS, joint->node,
                 "%s: armature, damping and frictionloss of a free joint are not used",
                 jn_mjcf_subject(joint->node, subject));
  desc->armature = desc->damping = desc->friction = 0;
}

static void read_axis(mjcf *m, mjcf_joint *joint, const mjcf_values *values, jn_pose frame) {
  char subject[MJCF_SUBJECT];
  double x[3] = {0, 0, 1};
  jn_mjcf_value(m, values, MJCF_axis, 3, 3, x);
  joint->axis = jn_m3_apply(frame.R, jn_v3(x[0], x[1], x[2]));
  const int has_axis =
      joint->desc.type == JN_JOINT_REVOLUTE || joint->desc.type == JN_JOINT_PRISMATIC;
  if (has_axis && !(jn_v3_norm(joint->axis) > LEAST_AXIS))
    jn_mjcf_fail(m, JN_ERR_SYNTAX, values->value[MJCF_axis].from, "%s: axis has zero length",
                 jn_mjcf_subject(joint->node, subject));
  double p[3] = {0, 0, 0};
  jn_mjcf_value(m, values, MJCF_pos, 3, 3, p);
  joint->pos = jn_pose_apply(frame, jn_v3(p[0], p[1], p[2]));
  if (joint->desc.type == JN_JOINT_FREE) joint->pos = jn_v3(0, 0, 0);
}

/* Adds the joint to its body, after the others. */
static void append_joint(mjcf *m, mjcf_body *body, int joint) {
  char subject[MJCF_SUBJECT];
  const mjcf_joint *j = &m->joints[joint];
  const int is_free = j->desc.type == JN_JOINT_FREE;
  if (is_free && (body->parent != 0 || body->freedoms > 0))
    jn_mjcf_fail(m, JN_ERR_MODEL, j->node,
                 body->parent != 0 ? "%s is free: only a body of the world can have a free joint"
                                   : "%s is free: its body can have no other joint",
                 jn_mjcf_subject(j->node, subject));
  body->freedoms += is_free ? 6 : j->desc.type == JN_JOINT_SPHERICAL ? 3 : 1;
  if (body->freedoms > MOST_FREEDOMS)
    jn_mjcf_fail(m, JN_ERR_MODEL, j->node, "%s: the body has more than %d degrees of freedom",
                 jn_mjcf_subject(j->node, subject), MOST_FREEDOMS);
  int *link = &body->first_joint;
  while (*link >= 0) link = &m->joints[*link].next;
  *link = joint;
}

static void read_joint(mjcf *m, const xml_node *at, const level *l) {
  static const char *const types[] = {"hinge", "slide", "ball", "free", NULL};
  static const jn_joint_type type_of[] = {JN_JOINT_REVOLUTE, JN_JOINT_PRISMATIC, JN_JOINT_SPHERICAL,
                                          JN_JOINT_FREE};
  const int index = m->joint_count++;
  mjcf_joint *joint = &m->joints[index];
  mjcf_values values;
  joint->node = at;
  joint->next = -1;
  if (l->body == 0) {
    jn_mjcf_fail(m, JN_ERR_MODEL, at, "the world cannot have a <%s>: put it into a body", at->name);
    return;
  }
  const char *name = jn_mjcf_name(m, at, "name");
  joint->desc = jn_joint_default(name, JN_JOINT_REVOLUTE, NULL, NULL);
  joint->desc.line = jn_mjcf_line(m, at);
  if (strcmp(at->name, "freejoint") == 0) {
    jn_mjcf_collect(m, at, NULL, freejoint_known, &values);
    joint->desc.type = JN_JOINT_FREE;
    const int align = jn_mjcf_word(m, at, "align", jn_mjcf_false_true_auto);
    if (align == 1 || (m->settings.alignfree && align != 0))
      jn_mjcf_note(m, JN_WARNING, at, "the frame of a free body is not aligned with its inertia");
  } else {
    const int class = class_of(m, at, "class", l->class);
    jn_mjcf_collect(m, at, &m->classes[class].values[MJCF_JOINT], joint_known, &values);
    const int type = jn_mjcf_value_word(m, &values, MJCF_type, types);
    if (type >= 0) joint->desc.type = type_of[type];
    read_axis(m, joint, &values, l->frame);
    read_dynamics(m, joint, &values);
    read_range(m, joint, &values);
    jn_mjcf_value(m, &values, MJCF_ref, 1, 1, &joint->ref);
    if (joint->desc.type == JN_JOINT_REVOLUTE) joint->ref = jn_mjcf_angle(m, joint->ref);
    if (joint->desc.type == JN_JOINT_SPHERICAL || joint->desc.type == JN_JOINT_FREE) joint->ref = 0;
  }
  append_joint(m, &m->bodies[l->body], index);
}

/* ---- bodies, frames and sites */

static void note_body(mjcf *m, const xml_node *at) {
  char subject[MJCF_SUBJECT];
  double gravcomp = 0;
  if (jn_mjcf_word(m, at, "mocap", jn_mjcf_false_true) == 1)
    jn_mjcf_note(m, JN_WARNING, at, "%s is a mocap body: it is fixed here",
                 jn_mjcf_subject(at, subject));
  if (jn_mjcf_numbers(m, at, "gravcomp", 1, &gravcomp) && gravcomp != 0)
    jn_mjcf_note(m, JN_SERIOUS, at, "%s: gravcomp is not used: gravity acts on it in full",
                 jn_mjcf_subject(at, subject));
}

/* Reads the start of a body; `inside` is where its elements are. */
static void start_body(mjcf *m, const xml_node *at, const level *l, level *inside) {
  const int index = m->body_count++;
  mjcf_body *body = &m->bodies[index];
  mjcf_values values;
  double length;
  body->node = at;
  body->name = jn_mjcf_name(m, at, "name");
  body->parent = l->body;
  body->first_joint = -1;
  if (body->name != NULL && strcmp(body->name, "world") == 0)
    jn_mjcf_fail(m, JN_ERR_MODEL, at, "a body cannot have the name 'world': rename it");
  jn_mjcf_collect(m, at, NULL, body_known, &values);
  body->pose = jn_pose_mul(l->frame, jn_mjcf_pose(m, at, &values, &length));
  note_body(m, at);
  *inside = (level){index, jn_pose_identity(), class_of(m, at, "childclass", l->class)};
}

static void start_frame(mjcf *m, const xml_node *at, const level *l, level *inside) {
  mjcf_values values;
  double length;
  jn_mjcf_collect(m, at, NULL, frame_known, &values);
  const jn_pose pose = jn_pose_mul(l->frame, jn_mjcf_pose(m, at, &values, &length));
  *inside = (level){l->body, pose, class_of(m, at, "childclass", l->class)};
}

static void read_site(mjcf *m, const xml_node *at, const level *l) {
  mjcf_values values;
  double length;
  mjcf_site *site = &m->sites[m->site_count];
  const int class = class_of(m, at, "class", l->class);
  jn_mjcf_collect(m, at, &m->classes[class].values[MJCF_SITE], site_known, &values);
  const jn_pose pose = jn_mjcf_pose(m, at, &values, &length);
  if (jn_mjcf_name(m, at, "name") == NULL) return; /* nothing can refer to it */
  *site = (mjcf_site){at, l->body, jn_pose_mul(l->frame, pose)};
  m->site_count++;
}

static void refuse_element(mjcf *m, const xml_node *at) {
  static const char *const makes_bodies[] = {"composite", "flexcomp", "replicate", "attach", NULL};
  for (int i = 0; makes_bodies[i] != NULL; i++)
    if (strcmp(at->name, makes_bodies[i]) == 0) {
      jn_mjcf_fail(
          m, JN_ERR_SYNTAX, at,
          "<%s> generates bodies and is not supported: load the model in MuJoCo and save it as "
          "plain MJCF (mj_saveLastXML)",
          at->name);
      return;
    }
  jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "unknown element <%.60s> in <%.60s>", at->name,
               at->parent->name);
}

/* Reads one element of a body. Returns 1 when its own elements are to be read next. */
static int read_element(mjcf *m, const xml_node *at, const level *l, level *inside) {
  mjcf_body *body = &m->bodies[l->body];
  if (strcmp(at->name, "body") == 0) {
    start_body(m, at, l, inside);
    return 1;
  }
  if (strcmp(at->name, "frame") == 0) {
    start_frame(m, at, l, inside);
    return 1;
  }
  if (strcmp(at->name, "joint") == 0 || strcmp(at->name, "freejoint") == 0) {
    read_joint(m, at, l);
  } else if (strcmp(at->name, "geom") == 0) {
    const int class = class_of(m, at, "class", l->class);
    if (l->body > 0) jn_mjcf_read_geom(m, body, at, l->frame, class);
  } else if (strcmp(at->name, "inertial") == 0) {
    jn_mjcf_read_inertial(m, body, at);
  } else if (strcmp(at->name, "site") == 0) {
    read_site(m, at, l);
  } else if (strcmp(at->name, "plugin") == 0) {
    jn_mjcf_note(m, JN_SERIOUS, at, "<plugin>: the forces of a plugin are not computed");
  } else {
    refuse_element(m, at);
  }
  return 0;
}

/* Document order, without recursion: `levels` is the stack. */
static void read_world(mjcf *m, const xml_node *world, level *levels) {
  int top = 0;
  levels[0] = (level){0, jn_pose_identity(), 0};
  if (world->attributes[0] != NULL)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, world, "<worldbody> has no attributes: remove '%.60s'",
                 world->attributes[0]);
  for (const xml_node *n = world->first; n != NULL && m->status == JN_OK;) {
    if (read_element(m, n, &levels[top], &levels[top + 1]) && n->first != NULL) {
      top++;
      n = n->first;
      continue;
    }
    for (; n->next == NULL && n->parent != world; top--) n = n->parent;
    n = n->next;
  }
}

void jn_mjcf_read_bodies(mjcf *m) {
  size_t bodies = 1, joints = 0, sites = 0, depth = 0;
  for (const xml_node *n = m->root; n != NULL; n = jn_xml_next(m->root, n)) {
    bodies += strcmp(n->name, "body") == 0;
    joints += strcmp(n->name, "joint") == 0 || strcmp(n->name, "freejoint") == 0;
    sites += strcmp(n->name, "site") == 0;
    if ((size_t)n->depth > depth) depth = (size_t)n->depth;
  }
  m->bodies = jn_block_new(&m->hooks, bodies, sizeof *m->bodies);
  m->joints = jn_block_new(&m->hooks, joints, sizeof *m->joints);
  m->sites = jn_block_new(&m->hooks, sites, sizeof *m->sites);
  level *levels = jn_block_new(&m->hooks, depth + 2, sizeof *levels);
  if (m->bodies == NULL || m->joints == NULL || m->sites == NULL || levels == NULL) {
    jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "bodies");
  } else {
    m->body_count = 1;
    m->bodies[0].node = m->root;
    m->bodies[0].name = "world";
    m->bodies[0].first_joint = -1;
    for (const xml_node *n = m->root->first; n != NULL; n = n->next)
      if (strcmp(n->name, "worldbody") == 0) read_world(m, n, levels);
    if (m->body_count == 1)
      jn_mjcf_fail(m, JN_ERR_MODEL, m->root, "there is no <body> in <worldbody>");
    for (int i = 1; i < m->body_count && m->status == JN_OK; i++) {
      mjcf_body *b = &m->bodies[i];
      b->moves = b->first_joint >= 0 || m->bodies[b->parent].moves;
    }
  }
  jn_block_free(&m->hooks, levels);
}
