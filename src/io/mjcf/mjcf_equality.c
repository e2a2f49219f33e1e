/* mjcf_equality.c: <equality> of MJCF as constraints of the model.
 *
 *   connect   point: anchor in body1; the point of body2 that is there in the reference configuration
 *   weld      weld: body1 relpose = body2, by default as in the reference configuration; rows at
 *             `anchor` of body2
 *   joint     coupling: q1 - ref1 = c0 + c1 (q2 - ref2); without joint2 q1 - ref1 = c0
 * connect and weld may name two sites instead. MuJoCo's constraints are soft, these are rigid. Other
 * equalities, and polynomials of higher degree, are reported and not used. */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/mjcf/mjcf.h"
#include "model/spec.h"

/* The joint of an attribute; NULL: absent, or refused. */
static const mjcf_joint *joint_of(mjcf *m, const xml_node *at, const char *attribute) {
  const char *name = jn_mjcf_name(m, at, attribute);
  if (name == NULL || m->status != JN_OK) return NULL;
  const int found = jn_names_find(m->joint_names, m->joint_count, name);
  if (found < 0) {
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><joint>: there is no joint '%s'", name);
    return NULL;
  }
  const mjcf_joint *joint = &m->joints[found];
  if (joint->desc.type == JN_JOINT_REVOLUTE || joint->desc.type == JN_JOINT_PRISMATIC) return joint;
  jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><joint>: joint '%s' is neither a hinge nor a slide",
               name);
  return NULL;
}

/* The body of an attribute: 0 if absent (the world), -1 refused. */
static int body_of(mjcf *m, const xml_node *at, const char *attribute) {
  const char *name = jn_mjcf_name(m, at, attribute);
  if (m->status != JN_OK) return -1;
  if (name == NULL || strcmp(name, "world") == 0) return 0;
  const int found = jn_names_find(m->body_names, m->body_count, name);
  if (found < 0)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><%s>: there is no body '%s'", at->name, name);
  return found;
}

static const mjcf_site *site_of(mjcf *m, const xml_node *at, const char *attribute) {
  const char *name = jn_mjcf_name(m, at, attribute);
  for (int i = 0; name != NULL && i < m->site_count && m->status == JN_OK; i++)
    if (strcmp(jn_mjcf_attribute(m->sites[i].node, "name"), name) == 0) return &m->sites[i];
  if (m->status == JN_OK)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at,
                 name ? "<equality><%s>: there is no site '%s'"
                      : "<equality><%s>: two sites are needed, %s is missing",
                 at->name, name ? name : attribute);
  return NULL;
}

/* The pose of a body in the world in the reference configuration. */
static jn_pose reference_pose(const mjcf *m, int body) {
  jn_pose C = jn_pose_identity();
  for (; body > 0; body = m->bodies[body].parent) C = jn_pose_mul(m->bodies[body].pose, C);
  return C;
}

/* The first body on the way to the world that has a joint; 0: none. */
static int moving_body(const mjcf *m, int body) {
  while (body > 0 && m->bodies[body].first_joint < 0) body = m->bodies[body].parent;
  return body;
}

static void set_side(const mjcf *m, jn_constraint_side *side, int body, jn_pose pose) {
  side->link = body > 0 ? m->bodies[body].name : NULL;
  side->pose = pose;
}

/* Bodies that do not move relative to each other need no constraint. */
static int is_rigid(mjcf *m, const xml_node *at, int one, int two) {
  char subject[MJCF_SUBJECT];
  if (moving_body(m, one) != moving_body(m, two)) return 0;
  jn_mjcf_note(m, JN_NOTE, at, "<equality>: %s joins two bodies that do not move: it is left out",
               jn_mjcf_subject(at, subject));
  return 1;
}

/* body1 relpose; quat 0 0 0 0: as in the reference configuration */
static jn_pose relative_pose(mjcf *m, const xml_node *at, int one, int two) {
  double x[7] = {0, 1, 0, 0, 0, 0, 0};
  const int given = jn_mjcf_numbers(m, at, "relpose", 7, x);
  const jn_quat q = jn_quat_make(x[3], x[4], x[5], x[6]);
  if (given && (q.w != 0 || q.x != 0 || q.y != 0 || q.z != 0))
    return jn_pose_make(jn_quat_to_m3(q), jn_v3(x[0], x[1], x[2]));
  return jn_pose_mul(jn_pose_inv(reference_pose(m, one)), reference_pose(m, two));
}

/* Both return 0 if there is nothing to constrain. */
static int read_sites(mjcf *m, const xml_node *at, jn_constraint_desc *c) {
  const mjcf_site *one = site_of(m, at, "site1"), *two = site_of(m, at, "site2");
  if (one == NULL || two == NULL || is_rigid(m, at, one->body, two->body)) return 0;
  set_side(m, &c->a, one->body, one->pose);
  set_side(m, &c->b, two->body, two->pose);
  return 1;
}

static int read_bodies(mjcf *m, const xml_node *at, jn_constraint_desc *c) {
  const int one = body_of(m, at, "body1"), two = body_of(m, at, "body2");
  const int is_weld = c->type == JN_CONSTRAINT_WELD;
  double x[3] = {0};
  const int has_anchor = jn_mjcf_numbers(m, at, "anchor", 3, x);
  if (jn_mjcf_attribute(at, "body1") == NULL || (!is_weld && !has_anchor))
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><%s> has no attribute '%s'", at->name,
                 has_anchor || is_weld ? "body1" : "anchor");
  if (m->status != JN_OK || is_rigid(m, at, one, two)) return 0;
  jn_pose anchor = jn_pose_identity();
  anchor.p = jn_v3(x[0], x[1], x[2]);
  if (is_weld) {
    set_side(m, &c->a, one, jn_pose_mul(relative_pose(m, at, one, two), anchor));
    set_side(m, &c->b, two, anchor);
  } else {
    const jn_vec3 there = jn_pose_apply(reference_pose(m, one), anchor.p);
    set_side(m, &c->a, one, anchor);
    set_side(m, &c->b, two, jn_pose_identity());
    c->b.pose.p = jn_pose_apply(jn_pose_inv(reference_pose(m, two)), there);
  }
  return 1;
}

/* q1 - c1 q2 = c0 + ref1 - c1 ref2. Returns 0 if it is no linear coupling. */
static int read_joints(mjcf *m, const xml_node *at, jn_coupling_term *terms,
                       jn_constraint_desc *c) {
  double x[5] = {0, 1, 0, 0, 0};
  const mjcf_joint *first = joint_of(m, at, "joint1"), *second = joint_of(m, at, "joint2");
  jn_mjcf_some_numbers(m, at, "polycoef", 1, 5, x);
  if (jn_mjcf_attribute(at, "joint1") == NULL)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><joint> has no attribute 'joint1'");
  if (first == NULL || m->status != JN_OK) return 0;
  if (second != NULL && (x[2] != 0 || x[3] != 0 || x[4] != 0 || first == second)) return 0;
  terms[0] = (jn_coupling_term){first->desc.name, 1};
  c->terms = terms;
  c->term_count = 1;
  c->offset = x[0] + first->ref;
  if (second == NULL || x[1] == 0) return 1;
  terms[c->term_count++] = (jn_coupling_term){second->desc.name, -x[1]};
  c->offset -= x[1] * second->ref;
  return 1;
}

static void read_one(mjcf *m, const xml_node *at, int number) {
  static const struct {
    const char *word;
    jn_constraint_type type;
  } types[] = {{"connect", JN_CONSTRAINT_POINT},
               {"weld", JN_CONSTRAINT_WELD},
               {"joint", JN_CONSTRAINT_COUPLING}};
  char subject[MJCF_SUBJECT], spare[32];
  jn_coupling_term terms[2];
  if (jn_mjcf_word(m, at, "active", jn_mjcf_false_true) == 0) return;
  const char *name = jn_mjcf_name(m, at, "name");
  snprintf(spare, sizeof spare, "equality%d", number);
  for (size_t i = 0; i < sizeof types / sizeof *types && m->status == JN_OK; i++) {
    if (strcmp(at->name, types[i].word) != 0) continue;
    jn_constraint_desc c = jn_constraint_default(name ? name : spare, types[i].type, NULL, NULL);
    c.line = jn_mjcf_line(m, at);
    if (c.type == JN_CONSTRAINT_COUPLING && !read_joints(m, at, terms, &c)) break;
    if (c.type != JN_CONSTRAINT_COUPLING &&
        !(jn_mjcf_attribute(at, "site1") ? read_sites(m, at, &c) : read_bodies(m, at, &c)))
      return;
    const jn_status status = jn_spec_add_constraint(m->spec, &c);
    if (status == JN_ERR_LIMIT)
      jn_mjcf_fail(m, status, at, "more than %d equalities", JN_MAX_CONSTRAINTS);
    else
      jn_mjcf_check(m, status, at, "equalities");
    if (jn_mjcf_is_first(m, "mujoco", "equality"))
      jn_mjcf_note(m, JN_NOTE, at, "<equality>: constraints are rigid here, soft in MuJoCo");
    return;
  }
  jn_mjcf_note(m, JN_SERIOUS, at, "<equality>: %s is not enforced", jn_mjcf_subject(at, subject));
}

/* Joints by name, and of each the joint it follows: -1 none, else `mark` while circles are looked for. */
typedef struct followers {
  jn_name *names;
  int *leader, *mark;
  int joints;
} followers;

/* 0: some joint follows itself, by way of others */
static int without_circles(const followers *f) {
  for (int i = 0; i < f->joints; i++) {
    int at = i;
    while (at >= 0 && f->mark[at] == 0) {
      f->mark[at] = i + 1;
      at = f->leader[at];
    }
    if (at >= 0 && f->mark[at] == i + 1) return 0;
  }
  return 1;
}

/* Makes joints follow others as the couplings say; 0: not each has a joint of its own to follow. */
static int follow(jn_spec *spec, const followers *f) {
  for (int i = 0; i < f->joints; i++) {
    f->names[i] = (jn_name){jn_spec_get_joint(spec, i)->name, i};
    f->leader[i] = -1;
    f->mark[i] = 0;
  }
  jn_names_sort(f->names, f->joints);
  for (int i = 0; i < jn_spec_constraint_count(spec); i++) {
    const jn_constraint_desc *c = jn_spec_get_constraint(spec, i);
    if (c->type != JN_CONSTRAINT_COUPLING) return 0;
    const int at = jn_names_find(f->names, f->joints, c->terms[0].joint);
    const int leader =
        c->term_count > 1 ? jn_names_find(f->names, f->joints, c->terms[1].joint) : -1;
    jn_joint_desc *j = jn_spec_joint(spec, at);
    if (j->mimic) return 0;
    j->mimic = jn_spec_get_joint(spec, leader < 0 ? at : leader)->name; /* itself: stays in place */
    j->mimic_multiplier = leader < 0 ? 0 : -c->terms[1].coefficient;
    j->mimic_offset = c->offset;
    f->leader[at] = j->mimic_multiplier != 0 ? leader : -1;
  }
  return without_circles(f);
}

/* Where couplings are the only constraints, and each has a joint of its own to follow, they are
 * mimic joints: q1 = c1 q2 + offset, which a model eliminates. */
static void couple_joints(mjcf *m) {
  jn_spec *spec = m->spec;
  const int joints = jn_spec_joint_count(spec);
  if (jn_spec_constraint_count(spec) == 0) return;
  followers f = {jn_block_new(&m->hooks, (size_t)joints + 1, sizeof *f.names),
                 jn_block_new(&m->hooks, 2 * (size_t)joints + 1, sizeof *f.leader), NULL, joints};
  if (f.names && f.leader) {
    jn_spec_mark none = jn_spec_here(spec);
    none.constraints = 0;
    f.mark = f.leader + joints;
    const int clear = follow(spec, &f);
    if (clear) jn_spec_rewind(spec, none);
    for (int i = 0; i < joints && !clear; i++) jn_spec_joint(spec, i)->mimic = NULL;
  } else {
    jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "joints");
  }
  jn_block_free(&m->hooks, f.names);
  jn_block_free(&m->hooks, f.leader);
}

void jn_mjcf_read_equalities(mjcf *m) {
  int number = 0;
  for (const xml_node *n = m->root->first; n != NULL && m->status == JN_OK; n = n->next)
    for (const xml_node *e = n->first; e != NULL && strcmp(n->name, "equality") == 0; e = e->next)
      read_one(m, e, ++number);
  if (m->status == JN_OK) couple_joints(m);
}
