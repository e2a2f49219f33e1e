/* lock.c: fixes a joint of a spec at a configuration. */
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/names.h"
#include "base/numbers.h"
#include "model/build.h"
#include "model/spec.h"

/* Motion of a primitive joint along or about z. */
static jn_pose motion(jn_kind kind, double pitch, const double *q) {
  jn_pose M = jn_pose_identity();
  if (kind == JN_K_PRISMATIC) M.p.z = q[0];
  if (kind == JN_K_HELICAL) M.p.z = pitch * q[0];
  if (kind == JN_K_REVOLUTE || kind == JN_K_HELICAL) M.R = jn_so3_exp(jn_v3(0, 0, q[0]));
  if (kind == JN_K_SPHERICAL)
    M.R = jn_quat_to_m3(jn_quat_unit(jn_quat_make(q[0], q[1], q[2], q[3])));
  return M;
}

/* The child's frame in its own frame at zero: product of L M(q) L^-1 over the primitive joints. */
static jn_pose joint_pose(const jn_joint_desc *j, const jn_vec3 axis[2], jn_vec3 point,
                          const double *q) {
  jn_primitive chain[3];
  jn_pose C = jn_pose_identity();
  const int n = jn_joint_chain(j, axis, chain);
  for (int i = 0; i < n; i++) {
    const jn_pose L = {chain[i].R, point};
    C = jn_pose_mul(
        C, jn_pose_mul(jn_pose_mul(L, motion(chain[i].kind, j->pitch, q)), jn_pose_inv(L)));
    q += jn_kind_nq(chain[i].kind);
  }
  return C;
}

static jn_status check_q(const jn_joint_desc *j, const double *q) {
  static const int nq[] = {
#define NQ(code, name, nq, nv) nq,
      JN_JOINT_TYPES(NQ)
#undef NQ
  };
  if (q == NULL) return JN_OK;
  if (j->type == JN_JOINT_FREE) return JN_ERR_ARGUMENT;
  if (!jn_all_finite(q, (size_t)nq[j->type])) return JN_ERR_NOT_FINITE;
  if (j->type != JN_JOINT_SPHERICAL) return JN_OK;
  const double n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return fabs(n2 - 1) <= JN_ROTATION_TOLERANCE ? JN_OK : JN_ERR_POSE;
}

typedef struct tree {
  jn_spec *spec;
  int links, joints;
  int *parent_joint, *parent; /* of each link; -1: none */
  int *inside;                /* of each link: 1 below the joint, 0 not, -1 not known */
} tree;

/* The home pose of a link: its own, or, if its joint is placed by a frame, from those above it. */
static jn_pose home_of(const tree *t, int link) {
  jn_pose C = jn_pose_identity();
  for (int steps = 0; steps <= t->links; steps++) {
    const jn_joint_desc *j = jn_spec_get_joint(t->spec, t->parent_joint[link]);
    if (j == NULL || j->placement == JN_BY_SCREW)
      return jn_pose_mul(jn_spec_get_link(t->spec, link)->home, C);
    C = jn_pose_mul(j->origin, C);
    if (t->parent[link] < 0) return C;
    link = t->parent[link];
  }
  return C; /* a cycle: no model can be built from it */
}

/* Is the link at or below one that is marked 1? Marks all links on the way. */
static int is_inside(const tree *t, int link) {
  int at = link;
  for (int steps = 0; steps <= t->links && at >= 0 && t->inside[at] < 0; steps++)
    at = t->parent[at];
  const int found = at >= 0 && t->inside[at] > 0;
  for (; link >= 0 && t->inside[link] < 0; link = t->parent[link]) t->inside[link] = found;
  return found;
}

/* Moves what is given in the world and belongs to links below `child` by T. */
static void move_below(const tree *t, int child, int locked, jn_pose T) {
  for (int i = 0; i < t->links; i++) t->inside[i] = i == child ? 1 : -1;
  for (int i = 0; i < t->links; i++) {
    jn_joint_desc *j = jn_spec_joint(t->spec, t->parent_joint[i]);
    if (j == NULL || j->placement != JN_BY_SCREW || !is_inside(t, i)) continue;
    jn_link_desc *link = jn_spec_link(t->spec, i);
    link->home = jn_pose_mul(T, link->home);
    if (t->parent_joint[i] == locked) continue;
    for (int k = 0; k < 2; k++) j->axis[k] = jn_m3_apply(T.R, j->axis[k]);
    j->point = jn_pose_apply(T, j->point);
  }
}

static jn_status tree_init(tree *t, const jn_allocator *hooks, jn_name **names, int **ints) {
  const size_t n = (size_t)t->links;
  *names = jn_block_new(hooks, n, sizeof **names);
  *ints = jn_block_new(hooks, n, 3 * sizeof **ints);
  if (*names == NULL || *ints == NULL) return JN_ERR_MEMORY;
  t->parent_joint = *ints, t->parent = *ints + n, t->inside = *ints + 2 * n;
  for (int i = 0; i < t->links; i++) {
    (*names)[i] = (jn_name){jn_spec_get_link(t->spec, i)->name, i};
    t->parent_joint[i] = t->parent[i] = -1;
  }
  jn_names_sort(*names, t->links);
  for (int i = 0; i < t->joints; i++) {
    const jn_joint_desc *j = jn_spec_get_joint(t->spec, i);
    const int child = jn_names_find(*names, t->links, j->child);
    if (child < 0) continue;
    t->parent_joint[child] = i;
    t->parent[child] = jn_names_find(*names, t->links, j->parent);
  }
  return JN_OK;
}

jn_status jn_spec_lock(jn_spec *spec, const char *joint, const double *q) {
  static const double zero[4] = {0, 0, 0, 0}, no_turn[4] = {1, 0, 0, 0};
  const int index = spec != NULL ? jn_spec_find_joint(spec, joint) : -1;
  if (index < 0) return JN_ERR_ARGUMENT;
  jn_joint_desc *j = jn_spec_joint(spec, index);
  const int child = jn_spec_find_link(spec, j->child);
  jn_status status = check_q(j, q);
  if (status != JN_OK || j->type == JN_JOINT_FIXED) return status;
  if (child < 0) return JN_ERR_MODEL;
  if (q == NULL) q = j->type == JN_JOINT_SPHERICAL ? no_turn : zero;

  const jn_allocator *hooks = jn_spec_hooks(spec);
  tree t = {.spec = spec, .links = jn_spec_link_count(spec), .joints = jn_spec_joint_count(spec)};
  jn_name *names = NULL;
  int *ints = NULL;
  status = tree_init(&t, hooks, &names, &ints);
  if (status == JN_OK && j->type != JN_JOINT_FREE) {
    const jn_pose home = home_of(&t, child);
    jn_vec3 axis[2] = {j->axis[0], j->axis[1]}, point = {0, 0, 0};
    if (j->placement == JN_BY_SCREW) {
      for (int k = 0; k < 2; k++) axis[k] = jn_m3_apply_t(home.R, axis[k]);
      point = jn_pose_apply(jn_pose_inv(home), j->point);
    }
    for (int k = 0; k < 2; k++) axis[k] = jn_v3_unit(axis[k]);
    const jn_pose M = joint_pose(j, axis, point, q);
    if (j->placement == JN_BY_FRAME) j->origin = jn_pose_mul(j->origin, M);
    move_below(&t, child, index, jn_pose_mul(jn_pose_mul(home, M), jn_pose_inv(home)));
  }
  for (int i = 0; status == JN_OK && i < t.joints; i++) {
    jn_joint_desc *f = jn_spec_joint(spec, i);
    if (f->mimic == NULL || strcmp(f->mimic, joint) != 0 || !jn_joint_is_single(j->type)) continue;
    f->mimic_offset += f->mimic_multiplier * q[0]; /* it stays where this joint holds it */
    f->mimic_multiplier = 0;
  }
  if (status == JN_OK) {
    j->type = JN_JOINT_FIXED;
    j->mimic = NULL;
  }
  jn_block_free(hooks, names);
  jn_block_free(hooks, ints);
  return status;
}
