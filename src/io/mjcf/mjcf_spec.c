/* mjcf_spec.c: writes the bodies, joints and sites of MJCF into a spec.
 *
 * A body with joints S_1 ... S_n (in its own frame) at offset T in its parent is there at
 *   T exp(S_1 (q_1 - ref_1)) ... exp(S_n (q_n - ref_n)).
 * It becomes a chain of links, one a joint, whose frames are all the body's:
 *   T exp(-S_1 ref_1) . exp(S_1 q_1) . exp(-S_2 ref_2) . exp(S_2 q_2) ...
 * One body of the world is the root. Several are children of a link "world". */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "io/mjcf/mjcf.h"

/* ---- names */

/* `what` and the first number for which no table has the name */
static const char *new_name(mjcf *m, const char *what, int number) {
  char name[JN_MAX_NAME + 1];
  int used = snprintf(name, sizeof name, "%s%d", what, number);
  while (used < JN_MAX_NAME && (jn_names_find(m->body_names, m->body_count, name) >= 0 ||
                                jn_names_find(m->joint_names, m->joint_count, name) >= 0)) {
    name[used++] = '_';
    name[used] = '\0';
  }
  const char *copy = jn_arena_copy(&m->tree.arena, &m->hooks, name);
  if (copy == NULL) jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "names");
  return copy;
}

static const xml_node *node_of(const mjcf *m, int is_body, int i) {
  return is_body ? m->bodies[i].node : m->joints[i].node;
}

/* Sorts the names; those not given are empty and come first. Refuses a name that is used twice. */
static void sort_names(mjcf *m, jn_name *table, int count, int is_body) {
  for (int i = 0; i < count; i++) {
    const char *name = is_body ? m->bodies[i].name : m->joints[i].desc.name;
    table[i] = (jn_name){name != NULL ? name : "", i};
  }
  jn_names_sort(table, count);
  for (int i = 1; i < count; i++) {
    if (table[i].name[0] == '\0' || strcmp(table[i].name, table[i - 1].name) != 0) continue;
    const xml_node *first = node_of(m, is_body, table[i - 1].index),
                   *second = node_of(m, is_body, table[i].index);
    jn_mjcf_fail(m, JN_ERR_MODEL, second, "%s '%s' is defined twice (first in %s:%d): rename one",
                 is_body ? "body" : "joint", table[i].name, m->file[first->file].name, first->line);
  }
}

static void name_all(mjcf *m) {
  m->body_names = jn_block_new(&m->hooks, (size_t)m->body_count, sizeof *m->body_names);
  m->joint_names = jn_block_new(&m->hooks, (size_t)m->joint_count, sizeof *m->joint_names);
  if (m->body_names == NULL || m->joint_names == NULL) {
    jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "names");
    return;
  }
  sort_names(m, m->body_names, m->body_count, 1);
  sort_names(m, m->joint_names, m->joint_count, 0);
  for (int i = 1; i < m->body_count && m->status == JN_OK; i++)
    if (m->bodies[i].name == NULL) m->bodies[i].name = new_name(m, "body", i);
  for (int i = 0; i < m->joint_count && m->status == JN_OK; i++)
    if (m->joints[i].desc.name == NULL) m->joints[i].desc.name = new_name(m, "joint", i + 1);
  if (m->status != JN_OK) return;
  sort_names(m, m->body_names, m->body_count, 1);
  sort_names(m, m->joint_names, m->joint_count, 0);
  /* links between the joints of one body have the names of their joints, where these are free */
  for (int i = 0; i < m->joint_count && m->status == JN_OK; i++) {
    mjcf_joint *joint = &m->joints[i];
    if (joint->next < 0) continue;
    joint->link = joint->desc.name;
    if (jn_names_find(m->body_names, m->body_count, joint->link) >= 0)
      joint->link = new_name(m, "link", i + 1);
  }
}

/* ---- links and joints */

/* exp(-S ref) in the body's frame */
static jn_pose at_reference(const mjcf_joint *joint) {
  jn_pose C = jn_pose_identity();
  if (joint->ref == 0) return C;
  const jn_vec3 axis = jn_v3_unit(joint->axis);
  if (joint->desc.type == JN_JOINT_PRISMATIC) {
    C.p = jn_v3_scale(-joint->ref, axis);
  } else {
    C.R = jn_so3_exp(jn_v3_scale(-joint->ref, axis));
    C.p = jn_v3_sub(joint->pos, jn_m3_apply(C.R, joint->pos));
  }
  return C;
}

static void add_link(mjcf *m, const mjcf_body *body, const char *name, jn_pose home, int is_last) {
  jn_link_desc link = jn_link_default(name);
  link.home = home;
  link.line = jn_mjcf_line(m, body->node);
  if (is_last) {
    link.mass = body->given.m;
    link.com = body->given.c;
    link.inertia = body->given.J;
  }
  jn_mjcf_check(m, jn_spec_add_link(m->spec, &link), body->node, "links");
}

/* Adds a joint with its frame at `origin` in the parent, or by its axis in the world at home. */
static void add_joint(mjcf *m, mjcf_joint *joint, jn_pose origin, jn_pose home) {
  jn_joint_desc *desc = &joint->desc;
  const int has_point = desc->type == JN_JOINT_REVOLUTE || desc->type == JN_JOINT_SPHERICAL;
  const int is_at_origin = joint->pos.x == 0 && joint->pos.y == 0 && joint->pos.z == 0;
  desc->placement = has_point && !is_at_origin ? JN_BY_SCREW : JN_BY_FRAME;
  desc->origin = origin;
  desc->axis[0] = joint->axis;
  if (desc->placement == JN_BY_SCREW) {
    desc->origin = jn_pose_identity();
    desc->axis[0] = jn_m3_apply(home.R, joint->axis);
    desc->point = jn_pose_apply(home, joint->pos);
  }
  joint->index = jn_spec_joint_count(m->spec);
  jn_mjcf_check(m, jn_spec_add_joint(m->spec, desc), joint->node, "joints");
}

static void write_fixed(mjcf *m, mjcf_body *body, const char *parent) {
  add_link(m, body, body->name, body->home, 1);
  if (parent == NULL || m->status != JN_OK) return; /* the root needs no joint */
  jn_joint_desc joint = jn_joint_default(NULL, JN_JOINT_FIXED, parent, body->name);
  joint.name = new_name(m, "fixed", (int)(body - m->bodies));
  joint.placement = JN_BY_FRAME;
  joint.origin = body->pose;
  joint.line = jn_mjcf_line(m, body->node);
  if (m->status == JN_OK)
    jn_mjcf_check(m, jn_spec_add_joint(m->spec, &joint), body->node, "joints");
}

/* `world`: the link of the world; NULL: the body is the root */
static void write_body(mjcf *m, mjcf_body *body, const char *world) {
  const char *parent = body->parent > 0 ? m->bodies[body->parent].name : world;
  jn_pose home = body->parent > 0 ? m->bodies[body->parent].home : jn_pose_identity();
  if (body->first_joint < 0) {
    body->home = jn_pose_mul(home, body->pose);
    write_fixed(m, body, parent);
    return;
  }
  for (int j = body->first_joint; j >= 0 && m->status == JN_OK; j = m->joints[j].next) {
    mjcf_joint *joint = &m->joints[j];
    const char *link = joint->next < 0 ? body->name : joint->link;
    /* the first joint is where the body is, the next ones at the link before */
    jn_pose origin = at_reference(joint);
    if (j == body->first_joint) origin = jn_pose_mul(body->pose, origin);
    /* the configuration of a free body is its pose in the world; only a root keeps a home */
    if (joint->desc.type == JN_JOINT_FREE && parent != NULL) origin = jn_pose_identity();
    home = jn_pose_mul(home, origin);
    joint->desc.parent = parent;
    joint->desc.child = link;
    add_link(m, body, link, home, joint->next < 0);
    if (m->status == JN_OK) add_joint(m, joint, origin, home);
    parent = link;
  }
  body->home = home;
}

/* ---- sites */

static void write_sites(mjcf *m, const char *world) {
  const int links = jn_spec_link_count(m->spec);
  jn_name *names = jn_block_new(&m->hooks, (size_t)links, sizeof *names);
  jn_name *sites = jn_block_new(&m->hooks, (size_t)m->site_count, sizeof *sites);
  if (names == NULL || sites == NULL) jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "sites");
  for (int i = 0; i < links && m->status == JN_OK; i++)
    names[i] = (jn_name){jn_spec_get_link(m->spec, i)->name, i};
  for (int i = 0; i < m->site_count && m->status == JN_OK; i++)
    sites[i] = (jn_name){jn_mjcf_attribute(m->sites[i].node, "name"), i};
  if (m->status == JN_OK) {
    jn_names_sort(names, links);
    jn_names_sort(sites, m->site_count);
  }
  for (int i = 1; i < m->site_count && m->status == JN_OK; i++)
    if (strcmp(sites[i].name, sites[i - 1].name) == 0)
      jn_mjcf_fail(m, JN_ERR_MODEL, m->sites[sites[i].index].node,
                   "site '%s' is defined twice: rename one", sites[i].name);
  for (int i = 0; i < m->site_count && m->status == JN_OK; i++) {
    const mjcf_site *site = &m->sites[i];
    jn_frame_desc frame = {.name = jn_mjcf_attribute(site->node, "name"),
                           .link = site->body > 0 ? m->bodies[site->body].name : world,
                           .pose = site->pose,
                           .line = jn_mjcf_line(m, site->node)};
    if (frame.link == NULL) continue; /* of the world, which is no link */
    if (jn_names_find(names, links, frame.name) >= 0)
      jn_mjcf_note(m, JN_NOTE, site->node, "site '%s' has the name of a link: it is not kept",
                   frame.name);
    else
      jn_mjcf_check(m, jn_spec_add_frame(m->spec, &frame), site->node, "frames");
  }
  jn_block_free(&m->hooks, names);
  jn_block_free(&m->hooks, sites);
}

void jn_mjcf_write_spec(mjcf *m) {
  int roots = 0;
  for (int i = 1; i < m->body_count; i++) roots += m->bodies[i].parent == 0;
  const char *world = roots > 1 ? "world" : NULL;
  name_all(m);
  if (world != NULL && m->status == JN_OK) {
    jn_link_desc link = jn_link_default(world);
    link.line = jn_mjcf_line(m, m->root);
    jn_mjcf_check(m, jn_spec_add_link(m->spec, &link), m->root, "links");
  }
  for (int i = 1; i < m->body_count && m->status == JN_OK; i++) write_body(m, &m->bodies[i], world);
  if (m->status == JN_OK) write_sites(m, world);
}
