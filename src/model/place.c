/* place.c: makes the model from the checked tree: bodies, links with their joint frames, frames. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <string.h>

#include "model/build.h"

enum { BASE_NAME = 24 }; /* size of the name generated for the base's joint */

/* A rotation that takes z to the unit vector a. For a_z >= 0 it is the shortest one; for a_z < 0 a
 * half turn about x and then the shortest one from -z to a. Exact if a is a coordinate axis. */
static jn_mat3 rotation_to(jn_vec3 a) {
  double side = a.z < 0 ? -1 : 1;
  jn_vec3 k = {-side * a.y, side * a.x, 0}; /* z x (side a) */
  const jn_mat3 K = jn_m3_hat(k), K2 = jn_m3_scale(1 / (1 + side * a.z), jn_m3_mul(K, K));
  jn_mat3 R = jn_m3_add(jn_m3_add(jn_m3_identity(), K), K2);
  if (side < 0)
    for (int i = 0; i < 3; i++) R.m[i][1] = -R.m[i][1], R.m[i][2] = -R.m[i][2];
  return jn_m3_orthonormalise(R);
}

static jn_vec3 column(jn_mat3 R, int j) { return jn_v3(R.m[0][j], R.m[1][j], R.m[2][j]); }

int jn_joint_chain(const jn_joint_desc *j, const jn_vec3 *axis, jn_primitive *out) {
  jn_mat3 one = jn_m3_identity();
  switch (j->type) {
    case JN_JOINT_FIXED:
      out[0] = (jn_primitive){JN_K_FIXED, one};
      return 1;
    case JN_JOINT_REVOLUTE:
      out[0] = (jn_primitive){JN_K_REVOLUTE, rotation_to(axis[0])};
      return 1;
    case JN_JOINT_PRISMATIC:
      out[0] = (jn_primitive){JN_K_PRISMATIC, rotation_to(axis[0])};
      return 1;
    case JN_JOINT_HELICAL:
      out[0] = (jn_primitive){JN_K_HELICAL, rotation_to(axis[0])};
      return 1;
    case JN_JOINT_SPHERICAL:
      out[0] = (jn_primitive){JN_K_SPHERICAL, one};
      return 1;
    case JN_JOINT_CYLINDRICAL:
      out[0] = (jn_primitive){JN_K_PRISMATIC, rotation_to(axis[0])};
      out[1] = (jn_primitive){JN_K_REVOLUTE, out[0].R};
      return 2;
    case JN_JOINT_UNIVERSAL:
      out[0] = (jn_primitive){JN_K_REVOLUTE, rotation_to(axis[0])};
      out[1] = (jn_primitive){JN_K_REVOLUTE, rotation_to(axis[1])};
      return 2;
    case JN_JOINT_PLANAR: {
      jn_mat3 N = rotation_to(axis[0]);
      out[0] = (jn_primitive){JN_K_PRISMATIC, rotation_to(column(N, 0))};
      out[1] = (jn_primitive){JN_K_PRISMATIC, rotation_to(column(N, 1))};
      out[2] = (jn_primitive){JN_K_REVOLUTE, N};
      return 3;
    }
    default: /* free */
      out[0] = (jn_primitive){JN_K_FREE, one};
      return 1;
  }
}
static_assert(JN_JOINT_TYPE_COUNT == 9, "a new type needs a case here and in primitive_count");

static int primitive_count(jn_joint_type type) {
  return type == JN_JOINT_PLANAR                                      ? 3
         : type == JN_JOINT_CYLINDRICAL || type == JN_JOINT_UNIVERSAL ? 2
                                                                      : 1;
}

/* Returns the pose of the child link's frame in the parent link's frame at zero. Gives the axes and
 * the point of the joint in the child's frame. */
static jn_pose place_joint(const jn_builder *b, int joint, jn_vec3 *axis, jn_vec3 *point) {
  const jn_joint_desc *j = &b->joint[joint];
  if (j->placement == JN_BY_FRAME) {
    axis[0] = j->axis[0], axis[1] = j->axis[1];
    *point = jn_v3(0, 0, 0);
    return j->origin;
  }
  int p = b->joint_parent[joint];
  jn_pose child = b->link[b->joint_child[joint]].home;
  for (int i = 0; i < 2; i++) axis[i] = jn_v3_unit(jn_m3_apply_t(child.R, j->axis[i]));
  *point = jn_pose_apply(jn_pose_inv(child), j->point);
  return p < 0 ? child : jn_pose_mul(jn_pose_inv(b->link[p].home), child);
}

/* Computes the home poses of links that are placed by frames, from those of their parents. */
static void complete_homes(jn_builder *b) {
  for (int s = 0; s < b->nlink; s++) {
    int link = b->sequence[s], j = b->parent_joint[link];
    if (j < 0 || b->joint[j].placement != JN_BY_FRAME) continue;
    int p = b->joint_parent[j];
    b->link[link].home =
        p < 0 ? b->joint[j].origin : jn_pose_mul(b->link[p].home, b->joint[j].origin);
  }
}

/* The joint of the root link: the spec's, or a generated one. The build options may change its type
 * to fixed or free. */
static jn_joint_desc root_joint(jn_builder *b) {
  int j = b->parent_joint[b->root];
  jn_joint_desc made = jn_joint_default("base", JN_JOINT_FIXED, NULL, b->link[b->root].name);
  made.line = b->link[b->root].line;
  made.placement = JN_BY_FRAME;
  made.origin = b->link[b->root].home;
  if (j >= 0) made = b->joint[j];
  if (b->options.root == JN_ROOT_FIXED) made.type = JN_JOINT_FIXED;
  if (b->options.root == JN_ROOT_FLOATING) made.type = JN_JOINT_FREE;
  return made;
}

/* A massless root link whose only child joint is free ("world") is the world itself. */
static int is_world_link(const jn_builder *b) {
  if (b->parent_joint[b->root] >= 0 || b->options.root == JN_ROOT_FIXED) return 0;
  if (b->link[b->root].mass > 0 || b->nlink < 2) return 0;
  int children = 0, free_child = 0;
  for (int i = 0; i < b->njoint; i++)
    if (b->joint_parent[i] == b->root) children++, free_child |= b->joint[i].type == JN_JOINT_FREE;
  return children == 1 && free_child;
}

/* ---- the model's memory ---- */

static const char *keep(char **pool, const char *text) {
  size_t n = strlen(text) + 1;
  char *at = *pool;
  memcpy(at, text, n);
  *pool += n;
  return at;
}

void jn_model_free(jn_model *m) {
  if (!m) return;
  jn_allocator hooks = m->allocator;
  jn_model *tree = m->tree;
  if (tree) { /* all other arrays are those of the tree */
    jn_block_free(&hooks, m->link);
    jn_block_free(&hooks, m->joint);
    jn_block_free(&hooks, m->follower);
    jn_block_free(&hooks, m);
    m = tree;
  }
  void *blocks[] = {m->link,
                    m->body,
                    m->joint,
                    m->frame,
                    m->body_link,
                    m->body_pose,
                    m->frame_names,
                    m->joint_names,
                    m->names,
                    m->angle_link,
                    m->by_name,
                    m->cut,
                    m->constraint,
                    m->constraint_names,
                    m->term_dof,
                    m->term_iq,
                    m->term_coefficient,
                    m->constraint_text,
                    m->rotor,
                    m->rotor_matrix,
                    m->rotor_inverse,
                    m->rotor_text};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn_block_free(&hooks, blocks[i]);
  jn_block_free(&hooks, m);
}

static jn_model *model_new(jn_builder *b, int nlink, int nbody, int nframe, size_t text) {
  jn_model *m = jn_block_new(&b->hooks, 1, sizeof *m);
  if (!m) return NULL;
  m->allocator = b->hooks;
  m->link = jn_block_new(&b->hooks, (size_t)nlink, sizeof *m->link);
  m->body = jn_block_new(&b->hooks, (size_t)nbody, sizeof *m->body);
  m->joint = jn_block_new(&b->hooks, (size_t)nbody, sizeof *m->joint);
  m->frame = jn_block_new(&b->hooks, (size_t)nframe, sizeof *m->frame);
  m->body_link = jn_block_new(&b->hooks, (size_t)nbody, sizeof *m->body_link);
  m->body_pose = jn_block_new(&b->hooks, (size_t)nbody, sizeof *m->body_pose);
  m->frame_names = jn_block_new(&b->hooks, (size_t)nframe, sizeof *m->frame_names);
  m->joint_names = jn_block_new(&b->hooks, (size_t)nbody, sizeof *m->joint_names);
  m->by_name = jn_block_new(&b->hooks, (size_t)nbody, sizeof *m->by_name);
  m->names = jn_block_new(&b->hooks, text, 1);
  /* five lists of links, two of dofs */
  m->angle_link = jn_block_new(&b->hooks, (5 + 2 * 6) * (size_t)nlink, sizeof *m->angle_link);
  if (!m->link || !m->body || !m->joint || !m->frame || !m->body_link || !m->body_pose ||
      !m->frame_names || !m->joint_names || !m->by_name || !m->names || !m->angle_link) {
    jn_model_free(m);
    return NULL;
  }
  return m;
}

/* ---- bodies ---- */

/* Assigns links to bodies: a link held by a fixed joint belongs to its parent's body. Counts bodies
 * and primitive joints. */
static void assign_bodies(jn_builder *b, int world, int *nbody, int *nprimitive) {
  jn_joint_desc root = root_joint(b);
  *nbody = *nprimitive = 0;
  for (int s = 0; s < b->nlink; s++) {
    int link = b->sequence[s], j = b->parent_joint[link];
    jn_joint_type type = link == b->root ? root.type : b->joint[j].type;
    if (link == b->root ? !world : type != JN_JOINT_FIXED) {
      b->body_of[link] = (*nbody)++;
      b->pose_in_body[link] = jn_pose_identity();
      *nprimitive += primitive_count(type);
    } else if (link == b->root) {
      b->body_of[link] = -1; /* the world itself */
      b->pose_in_body[link] = b->link[link].home;
    } else {
      int p = b->joint_parent[j];
      jn_vec3 axis[2], point;
      b->body_of[link] = b->body_of[p];
      b->pose_in_body[link] = jn_pose_mul(b->pose_in_body[p], place_joint(b, j, axis, &point));
    }
  }
}

static void fill_joint(jn_joint *o, const jn_joint_desc *j, const jn_vec3 *axis) {
  o->type = j->type;
  o->axis[0] = axis[0], o->axis[1] = axis[1];
  o->pitch = j->type == JN_JOINT_HELICAL ? j->pitch : 0;
  o->armature = j->type == JN_JOINT_FREE ? 0 : j->armature;
  o->damping = j->type == JN_JOINT_FREE ? 0 : j->damping;
  o->friction = j->friction;
  o->limits = j->limits;
  o->passive = j->passive != 0;
  o->leader = -1;
}

/* Appends the primitive links of one body's joint to the model. */
static void add_links(jn_model *m, int body, const jn_joint_desc *j, int parent, jn_pose A,
                      const jn_vec3 *axis, jn_vec3 point) {
  jn_primitive chain[3];
  int n = jn_joint_chain(j, axis, chain);
  jn_joint *joint = &m->joint[body];
  jn_vec3 origin = j->type == JN_JOINT_FREE || j->type == JN_JOINT_FIXED ? jn_v3(0, 0, 0) : point;
  jn_pose before = A;
  joint->iq = m->nq;
  joint->iv = m->nv;
  for (int i = 0; i < n; i++) {
    jn_pose L = {chain[i].R, origin}, T = jn_pose_mul(before, L);
    jn_link *l = &m->link[m->nlink];
    l->parent = i ? m->nlink - 1 : parent;
    l->kind = chain[i].kind;
    l->iq = m->nq;
    l->iv = m->nv;
    l->nv = jn_kind_nv(l->kind);
    l->ix = m->nx;
    l->joint = body;
    T.R = jn_m3_orthonormalise(T.R);
    memcpy(l->R, T.R.m, sizeof l->R);
    l->p[0] = T.p.x, l->p[1] = T.p.y, l->p[2] = T.p.z;
    l->pitch = joint->pitch;
    l->armature = joint->armature;
    l->damping = joint->damping;
    m->nq += jn_kind_nq(l->kind);
    m->nv += l->nv;
    m->nx += jn_kind_width(l->kind);
    m->nlink++;
    before = jn_pose_inv(L);
  }
  m->body_link[body] = m->nlink - 1;
  m->body_pose[body] = before;
  joint->nq = m->nq - joint->iq;
  joint->nv = m->nv - joint->iv;
}

static void place_bodies(jn_builder *b, jn_model *m) {
  for (int s = 0; s < b->nlink; s++) {
    int link = b->sequence[s], body = b->body_of[link], j = b->parent_joint[link];
    jn_joint_desc root = root_joint(b);
    const jn_joint_desc *joint = link == b->root ? &root : &b->joint[j];
    if (body < 0 || (link != b->root && joint->type == JN_JOINT_FIXED)) continue;
    jn_vec3 axis[2] = {root.axis[0], root.axis[1]}, point = {0, 0, 0};
    jn_pose A = root.origin;
    int parent_link = -1, parent = -1;
    if (j >= 0) A = place_joint(b, j, axis, &point);
    if (link != b->root) {
      int p = b->joint_parent[j];
      parent = b->body_of[p];
      A = jn_pose_mul(b->pose_in_body[p], A);
      if (parent >= 0) {
        parent_link = m->body_link[parent];
        A = jn_pose_mul(m->body_pose[parent], A);
      }
    }
    /* the configuration of a free base is its pose in the world: T is the identity */
    if (parent < 0 && joint->type == JN_JOINT_FREE) {
      m->base_home = A;
      A = jn_pose_identity();
    }
    m->body[body].parent = parent;
    fill_joint(&m->joint[body], joint, axis);
    add_links(m, body, joint, parent_link, A, axis, point);
  }
}

/* Sums the links of each body and judges the sums. */
static jn_status place_masses(jn_builder *b, jn_model *m, mass_properties *sum) {
  memset(sum, 0, sizeof *sum * (size_t)m->nbody);
  for (int s = 0; s < b->nlink; s++) {
    int link = b->sequence[s], body = b->body_of[link];
    const jn_link_desc *l = &b->link[link];
    mass_properties a =
        jn_mass_move(b->pose_in_body[link], (mass_properties){l->mass, l->com, l->inertia});
    m->mass += l->mass;
    if (body >= 0) sum[body] = jn_mass_add(sum[body], a);
  }
  m->moving_mass = m->mass;
  jn_status status = jn_build_judge(b, m, sum);
  for (int i = 0; i < m->nbody && !status; i++) {
    if (i == 0 && m->joint[0].type == JN_JOINT_FIXED) m->moving_mass -= sum[0].m;
    m->body[i].inertia = jn_inertia_make(sum[i].m, sum[i].c, sum[i].J);
    mass_properties a = jn_mass_move(m->body_pose[i], sum[i]);
    jn_link *l = &m->link[m->body_link[i]];
    l->m = a.m;
    l->c[0] = a.c.x, l->c[1] = a.c.y, l->c[2] = a.c.z;
    const double J[6] = {a.J.m[0][0], a.J.m[0][1], a.J.m[0][2],
                         a.J.m[1][1], a.J.m[1][2], a.J.m[2][2]};
    memcpy(l->J, J, sizeof J);
  }
  return status;
}

static void place_frames(jn_builder *b, jn_model *m, char **pool) {
  for (int s = 0; s < b->nlink; s++) {
    int link = b->sequence[s], body = b->body_of[link];
    m->frame[s] = (jn_frame){keep(pool, b->link[link].name), body, 1, b->pose_in_body[link],
                             b->link[link].mass};
    int own = link == b->root || b->joint[b->parent_joint[link]].type != JN_JOINT_FIXED;
    if (body >= 0 && own) {
      m->body[body].name = m->frame[s].name;
      m->body[body].frame = s;
    }
  }
  for (int i = 0; i < b->nframe; i++) {
    int link = b->frame_link[i];
    m->frame[b->nlink + i] = (jn_frame){keep(pool, b->frame[i].name), b->body_of[link], 0,
                                        jn_pose_mul(b->pose_in_body[link], b->frame[i].pose), 0};
  }
}

/* The generated joint of the base is named "base", "base_joint" or "base_joint_<k>", k = 2, 3, ...:
 * the first of these that no joint of the spec has. Returns the index of `name` in this list, or
 * `most` + 1 if it is not in 0 ... `most`. */
static int base_name_number(const char *name, int most) {
  static const char stem[] = "base_joint";
  if (!strcmp(name, "base")) return 0;
  if (strncmp(name, stem, sizeof stem - 1) != 0) return most + 1;
  name += sizeof stem - 1;
  if (*name == '\0') return 1;
  int k = 0;
  if (*name++ != '_' || *name < '1' || *name > '9') return most + 1;
  for (; *name >= '0' && *name <= '9' && k <= most; name++) k = 10 * k + (*name - '0');
  return *name == '\0' && k > 1 && k <= most ? k : most + 1;
}

static const char *base_name(jn_builder *b, char text[BASE_NAME]) {
  int *taken = b->scratch, most = b->njoint, k = 0; /* njoint joints cannot take njoint + 1 names */
  memset(taken, 0, ((size_t)most + 2) * sizeof *taken);
  for (int i = 0; i < b->njoint; i++) taken[base_name_number(b->joint[i].name, most)] = 1;
  while (taken[k]) k++;
  if (k == 0) return "base";
  if (k == 1) return "base_joint";
  snprintf(text, BASE_NAME, "base_joint_%d", k);
  return text;
}

static void place_joint_names(jn_builder *b, jn_model *m, char **pool) {
  char made_up[BASE_NAME];
  for (int s = 0; s < b->nlink; s++) {
    int link = b->sequence[s], body = b->body_of[link], j = b->parent_joint[link];
    if (body < 0 || strcmp(m->body[body].name, b->link[link].name) != 0) continue;
    m->joint[body].name = keep(pool, j >= 0 ? b->joint[j].name : base_name(b, made_up));
  }
}

/* The bodies in the order of b->by_name. */
static void place_by_name(const jn_builder *b, jn_model *m) {
  int count = 0;
  for (int s = 0; s < b->nlink; s++) {
    int link = b->by_name[s], j = b->parent_joint[link], body = b->body_of[link];
    int own = link == b->root || b->joint[j].type != JN_JOINT_FIXED;
    if (body >= 0 && own) m->by_name[count++] = body;
  }
}

static void set_axis(jn_axes *a, int i, int from, double sign) {
  a->from[i] = from, a->sign[i] = sign;
  for (int h = 0; h < 2; h++) {
    a->lane[2 * i + h] = 2 * from + h;
    a->back[2 * from + h] = 2 * i + h;
    a->lane[6 + h] = a->back[6 + h] = 6 + h;
  }
}
/* Is R exactly the identity or a signed permutation of axes? Sets l->rotation and l->axes. */
static void classify_turn(jn_link *l) {
  int ones = 0, zeros = 0, same = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double x = l->R[3 * i + j];
      same &= x == (i == j);
      zeros += x == 0;
      if (x != 1 && x != -1) continue;
      ones++;
      set_axis(&l->axes, i, j, x);
      set_axis(&l->axes_t, j, i, x);
    }
  /* a rotation by nearly 90 degrees has ones as well, but not six zeros */
  l->rotation = same                      ? JN_ROTATION_IDENTITY
                : ones == 3 && zeros == 6 ? JN_ROTATION_AXES
                                          : JN_ROTATION_GENERAL;
}

static int moderate(const jn_link *l) {
  int small = (fabs(l->pitch) < JN_MODERATE) & (l->armature < JN_MODERATE);
  for (int n = 0; n < 3; n++) small &= fabs(l->p[n]) < JN_MODERATE;
  for (int n = 0; n < 36; n++) small &= fabs(l->I4[n]) < JN_MODERATE;
  return small;
}

/* Fills dof_parent and dof_end. */
static void arrange_dofs(jn_model *m) {
  for (int n = 0; n < m->nlink; n++) {
    const jn_link *l = &m->link[n], *last = &m->link[l->last];
    int a = l->parent;
    while (a >= 0 && m->link[a].nv == 0) a = m->link[a].parent;
    for (int i = l->iv; i < l->iv + l->nv; i++) {
      m->dof_parent[i] = i > l->iv ? i - 1 : a < 0 ? -1 : m->link[a].iv + m->link[a].nv - 1;
      m->dof_end[i] = last->iv + last->nv;
    }
  }
}

/* Fills the lists of links by kind, and each link's constants in register layout. */
static void arrange(jn_model *m) {
  m->moderate = 1;
  m->free_link = m->angle_link + m->nlink;
  m->quat_link = m->free_link + m->nlink;
  m->other_link = m->quat_link + m->nlink;
  m->outward = m->other_link + m->nlink;
  m->dof_parent = m->outward + m->nlink;
  m->dof_end = m->dof_parent + m->nv;
  for (int i = m->nlink - 1; i >= 0; i--) {
    jn_link *l = &m->link[i];
    if (l->last < i) l->last = i;
    if (l->parent >= 0 && m->link[l->parent].last < l->last) m->link[l->parent].last = l->last;
  }
  arrange_dofs(m);
  /* breadth first from link 0, the base; the subtree of a link is contiguous */
  for (int at = 0, n = 1; at < n; at++) {
    const int i = m->outward[at];
    m->link[i].rank = at;
    for (int c = i + 1; c <= m->link[i].last; c = m->link[c].last + 1) m->outward[n++] = c;
  }
  for (int i = 0; i < m->nlink; i++) {
    jn_link *l = &m->link[i];
    if (l->kind == JN_K_REVOLUTE || l->kind == JN_K_HELICAL) m->angle_link[m->nangle++] = i;
    if (l->kind == JN_K_PRISMATIC || l->kind == JN_K_SPHERICAL) m->other_link[m->nother++] = i;
    if (l->kind == JN_K_FREE) m->free_link[m->nfree++] = i;
    if (l->kind == JN_K_FREE || l->kind == JN_K_SPHERICAL) m->quat_link[m->nquat++] = i;
    const double *c = l->c, *J = l->J, mass = l->m;
    const double full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
    const double hat[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0}; /* [c] row-major */
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    classify_turn(l);
    for (int a = 0; a < 3; a++) {
      l->p4[a] = l->p[a];
      for (int j = 0; j < 3; j++) l->pT4[a] += l->R[3 * j + a] * l->p[j];
      l->c4[a] = c[a];
      for (int j = 0; j < 3; j++) {
        l->Rr[4 * j + a] = l->R[3 * j + a];
        l->Rc[4 * j + a] = l->R[3 * a + j];
        l->J4[4 * j + a] = full[3 * a + j];
        l->I4[4 * j + a] = full[3 * a + j] + mass * ((a == j ? cc : 0) - c[a] * c[j]);
        l->I4[12 + 4 * j + a] = mass * hat[3 * a + j];
        l->I4[24 + 4 * j + a] = a == j ? mass : 0;
      }
    }
    l->diagonal = (J[1] == 0) & (J[2] == 0) & (J[4] == 0);
    for (int a = 0; a < 3; a++) {
      l->Jd4[a] = full[4 * a];
      l->Jd4[4 + a] = full[4 * ((a + 2) % 3)] - full[4 * ((a + 1) % 3)];
    }
    m->moderate &= moderate(l);
  }
}

static size_t text_size(const jn_builder *b) {
  size_t n = strlen(jn_spec_name(b->spec)) + 1 + BASE_NAME;
  for (int i = 0; i < b->nlink; i++) n += strlen(b->link[i].name) + 1;
  for (int i = 0; i < b->njoint; i++) n += strlen(b->joint[i].name) + 1;
  for (int i = 0; i < b->nframe; i++) n += strlen(b->frame[i].name) + 1;
  return n;
}

jn_status jn_build_place(jn_builder *b, jn_model **out) {
  int world = is_world_link(b), nbody, nprimitive;
  complete_homes(b);
  assign_bodies(b, world, &nbody, &nprimitive);
  int nframe = b->nlink + b->nframe;
  jn_model *m = model_new(b, nprimitive, nbody, nframe, text_size(b));
  mass_properties *sum = jn_block_new(&b->hooks, (size_t)nbody, sizeof *sum);
  if (!m || !sum) {
    jn_model_free(m);
    jn_block_free(&b->hooks, sum);
    return JN_ERR_MEMORY;
  }
  char *pool = m->names;
  m->name = keep(&pool, jn_spec_name(b->spec));
  m->gravity = jn_spec_gravity(b->spec);
  m->nbody = nbody;
  m->nframe = nframe;
  place_bodies(b, m);
  place_frames(b, m, &pool);
  place_joint_names(b, m, &pool);
  place_by_name(b, m);
  jn_status status = place_masses(b, m, sum);
  jn_block_free(&b->hooks, sum);
  if (status) {
    jn_model_free(m);
    return status;
  }
  arrange(m);
  jn_model_index(m);
  status = jn_build_constraints(b, m);
  if (!status) status = jn_build_rotors(b, m);
  if (status) {
    jn_model_free(m);
    return status;
  }
  *out = m;
  return JN_OK;
}
