/* couple.c: mimic joints. Decides which are followed; makes the model without their coordinates;
 * maps states and forces between the model and its tree. */
#include <math.h>
#include <string.h>

#include "model/build.h"
#include "model/spec.h"

/* ---- which joints follow which ---- */

/* the type of a joint with the root as the options say */
static jn_joint_type type_of(const jn_builder *b, int joint) {
  if (joint != b->parent_joint[b->root] || b->options.root == JN_ROOT_AS_GIVEN)
    return b->joint[joint].type;
  return b->options.root == JN_ROOT_FIXED ? JN_JOINT_FIXED : JN_JOINT_FREE;
}

/* The joint that joint i follows, by the table of names; -1: none that can be followed. One that is
 * fixed is at zero. */
static int leader_of(jn_builder *b, const jn_name *names, int i) {
  jn_joint_desc *j = &b->joint[i];
  const int leader = j->mimic ? jn_names_find(names, b->njoint, j->mimic) : -1;
  if (leader < 0 || !jn_joint_is_single(type_of(b, i))) return -1;
  if (type_of(b, leader) == JN_JOINT_FIXED)
    j->mimic_multiplier = 0;
  else if (!jn_joint_is_single(type_of(b, leader)))
    return -1;
  return leader;
}

static jn_status check_chain(jn_builder *b, int i) {
  const jn_joint_desc *j = &b->joint[i];
  const double numbers[2] = {j->mimic_multiplier, j->mimic_offset};
  for (int n = 0; n < 2; n++)
    if (!isfinite(numbers[n]))
      return jn_build_fail(b, j->line, JN_ERR_MODEL, "joint '%s': mimic: %s is not finite", j->name,
                           n ? "offset" : "multiplier");
  double ratio = 1;
  for (int at = i, n = 0; at >= 0 && ratio != 0; at = b->mimic[at], n++) {
    if (n > b->njoint)
      return jn_build_fail(b, j->line, JN_ERR_MODEL,
                           "joint '%s': mimic: it follows itself through other joints; remove one "
                           "<mimic>, or make such joints independent",
                           j->name);
    if (n > JN_MAX_COUPLED) break; /* constraints, which need no ratio */
    if (b->mimic[at] >= 0) ratio *= b->joint[at].mimic_multiplier;
  }
  if (!(fabs(ratio) <= JN_MAX_RATIO))
    return jn_build_fail(b, j->line, JN_ERR_LIMIT,
                         "joint '%s': mimic: a ratio of %g is beyond the limit of %g", j->name,
                         ratio, JN_MAX_RATIO);
  return JN_OK;
}

static jn_status too_many(jn_builder *b, int count) {
  return jn_build_fail(
      b, 0, JN_ERR_LIMIT,
      "mimic joints are eliminated in models of up to %d degrees of freedom, this one has %d: "
      "make them constraints or independent",
      JN_MAX_COUPLED, count);
}

jn_status jn_build_mimics(jn_builder *b) {
  int mimics = 0, followers = 0;
  for (int i = 0; i < b->njoint; i++) mimics += b->joint[i].mimic != NULL;
  if (!mimics || b->options.mimic == JN_MIMIC_CONSTRAINT) return JN_OK;
  jn_name *names = jn_block_new(&b->hooks, (size_t)b->njoint, sizeof *names);
  b->mimic = jn_block_new(&b->hooks, (size_t)b->njoint, sizeof *b->mimic);
  if (!names || !b->mimic) {
    jn_block_free(&b->hooks, names);
    return JN_ERR_MEMORY;
  }
  for (int i = 0; i < b->njoint; i++) names[i] = (jn_name){b->joint[i].name, i};
  jn_names_sort(names, b->njoint);
  for (int i = 0; i < b->njoint; i++) {
    b->mimic[i] = b->options.mimic == JN_MIMIC_ELIMINATED ? leader_of(b, names, i) : -1;
    if (b->mimic[i] < 0)
      b->joint[i].mimic = NULL;
    else
      followers++;
  }
  jn_block_free(&b->hooks, names);
  b->coupled = followers > 0 && jn_spec_constraint_count(b->spec) == 0;
  jn_status status = b->coupled && followers > JN_MAX_COUPLED ? too_many(b, followers) : JN_OK;
  for (int i = 0; i < b->njoint && !status; i++)
    if (b->mimic[i] >= 0) status = check_chain(b, i);
  return status;
}

/* ---- the model without them ---- */

/* q_i = ratio q_leader + offset along the chain of joint i of the description */
static void follow(const jn_builder *b, const jn_model *tree, int i, jn_joint *out) {
  double ratio = 1, offset = 0;
  int at = i;
  for (; b->mimic[at] >= 0 && ratio != 0; at = b->mimic[at]) {
    offset += ratio * b->joint[at].mimic_offset;
    ratio *= b->joint[at].mimic_multiplier;
  }
  out->leader = jn_model_find_joint(tree, b->joint[ratio != 0 ? at : i].name);
  out->ratio = ratio;
  out->offset = offset;
}

static double least(double a, double b) { return a < b ? a : b; }

/* The leader has what moves with it: armature and damping by the square of the ratio, friction by
 * its size; limits of motion in the leader's coordinate. Limits that exclude each other stay the
 * leader's own. */
static void gather(jn_joint *leader, const jn_joint *j) {
  const double r = j->ratio, size = fabs(r);
  leader->armature += r * r * j->armature;
  leader->damping += r * r * j->damping;
  leader->friction += size * j->friction;
  const jn_limits *f = &j->limits;
  jn_limits *l = &leader->limits;
  const double one = (f->lower - j->offset) / r, two = (f->upper - j->offset) / r;
  const double lower = fmax(l->lower, least(one, two)), upper = least(l->upper, fmax(one, two));
  if (lower <= upper) l->lower = lower, l->upper = upper;
  l->velocity = least(l->velocity, f->velocity / size);
  l->acceleration = least(l->acceleration, f->acceleration / size);
  l->jerk = least(l->jerk, f->jerk / size);
}

/* Numbers the coordinates of the joints that are left, and those of their links. */
static void renumber(jn_model *m, const jn_model *tree) {
  m->nq = m->nv = 0;
  for (int i = 0; i < m->nbody; i++) {
    jn_joint *j = &m->joint[i];
    j->iq = m->nq, j->iv = m->nv;
    if (j->leader >= 0) j->nq = j->nv = 0;
    m->nq += j->nq, m->nv += j->nv;
  }
  for (int i = 0; i < m->nlink; i++) {
    jn_link *l = &m->link[i];
    const jn_joint *j = &m->joint[l->joint], *full = &tree->joint[l->joint];
    l->iq += j->iq - full->iq, l->iv += j->iv - full->iv;
    if (j->leader >= 0) l->kind = JN_K_FIXED, l->nv = 0;
  }
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i], *full = &tree->joint[i];
    if (j->leader < 0) continue;
    const jn_joint *lead = j->leader == i ? NULL : &m->joint[j->leader];
    m->follower[m->nfollower++] = (jn_follower){
        full->iq, full->iv, lead ? lead->iq : -1, lead ? lead->iv : -1, j->ratio, j->offset};
    if (lead) gather(&m->joint[j->leader], j);
  }
  for (int i = 0; i < m->nlink; i++) {
    const jn_joint *j = &m->joint[m->link[i].joint];
    if (j->leader < 0) m->link[i].armature = j->armature, m->link[i].damping = j->damping;
  }
}

jn_status jn_build_reduced(jn_builder *b, jn_model *tree, jn_model **out) {
  const size_t nbody = (size_t)tree->nbody, nlink = (size_t)tree->nlink;
  *out = NULL;
  if (tree->nv > JN_MAX_COUPLED) {
    jn_status status = too_many(b, tree->nv);
    jn_model_free(tree);
    return status;
  }
  jn_model *m = jn_block_new(&b->hooks, 1, sizeof *m);
  jn_link *link = jn_block_new(&b->hooks, nlink, sizeof *link);
  jn_joint *joint = jn_block_new(&b->hooks, nbody, sizeof *joint);
  jn_follower *follower = jn_block_new(&b->hooks, nbody, sizeof *follower);
  if (!m || !link || !joint || !follower) {
    void *blocks[] = {m, link, joint, follower};
    for (int i = 0; i < 4; i++) jn_block_free(&b->hooks, blocks[i]);
    jn_model_free(tree);
    return JN_ERR_MEMORY;
  }
  *m = *tree;
  m->tree = tree;
  tree->reduced = m;
  m->link = memcpy(link, tree->link, sizeof *link * nlink);
  m->joint = memcpy(joint, tree->joint, sizeof *joint * nbody);
  m->follower = follower;
  m->ncut = m->nrow = m->nterm = 0;
  for (int i = 0; i < b->njoint; i++) {
    const int at = b->mimic[i] < 0 ? -1 : jn_model_find_joint(tree, b->joint[i].name);
    if (at >= 0) follow(b, tree, i, &m->joint[at]);
  }
  renumber(m, tree);
  *out = m;
  return JN_OK;
}

/* ---- states and forces ---- */

const jn_model *jn_model_tree(const jn_model *model) { return model->tree ? model->tree : model; }

void jn_tree_expand(const jn_model *m, const double *q, int rows, const double *v, double *q_tree,
                    double *v_tree) {
  const jn_model *tree = jn_model_tree(m);
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i], *full = &tree->joint[i];
    if (q_tree && j->nq) memcpy(q_tree + full->iq, q + j->iq, sizeof *q * (size_t)j->nq);
    for (int k = 0; v_tree && j->nv && k < rows; k++)
      memcpy(v_tree + (size_t)k * (size_t)tree->nv + (size_t)full->iv,
             v + (size_t)k * (size_t)m->nv + (size_t)j->iv, sizeof *v * (size_t)j->nv);
  }
  for (int i = 0; i < m->nfollower; i++) {
    const jn_follower *f = &m->follower[i];
    const int moves = f->lead_v >= 0;
    if (q_tree) q_tree[f->iq] = moves ? f->ratio * q[f->lead_q] + f->offset : f->offset;
    for (int k = 0; v_tree && k < rows; k++)
      v_tree[(size_t)k * (size_t)tree->nv + (size_t)f->iv] =
          moves ? f->ratio * v[(size_t)k * (size_t)m->nv + (size_t)f->lead_v] : 0;
  }
}

void jn_tree_reduce(const jn_model *m, const double *q_tree, int rows, const double *v_tree,
                    double *q, double *v) {
  const jn_model *tree = jn_model_tree(m);
  for (int i = 0; i < m->nbody; i++) {
    const jn_joint *j = &m->joint[i], *full = &tree->joint[i];
    if (q && j->nq) memcpy(q + j->iq, q_tree + full->iq, sizeof *q * (size_t)j->nq);
    for (int k = 0; v && j->nv && k < rows; k++)
      memcpy(v + (size_t)k * (size_t)m->nv + (size_t)j->iv,
             v_tree + (size_t)k * (size_t)tree->nv + (size_t)full->iv, sizeof *v * (size_t)j->nv);
  }
}

void jn_tree_force(const jn_model *m, size_t rows, const double *tau_tree, double *tau) {
  const jn_model *tree = jn_model_tree(m);
  const size_t nv = (size_t)m->nv, all = (size_t)tree->nv;
  jn_tree_reduce(m, NULL, (int)rows, tau_tree, NULL, tau);
  for (size_t k = 0; k < rows; k++)
    for (int i = 0; i < m->nfollower; i++) {
      const jn_follower *f = &m->follower[i];
      if (f->lead_v >= 0)
        tau[k * nv + (size_t)f->lead_v] += f->ratio * tau_tree[k * all + (size_t)f->iv];
    }
}
