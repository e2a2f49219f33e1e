/* judge.c: decides whether the inertias of the bodies that move are accepted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "model/build.h"

#define SAME_NUMBER 1e-15 /* relative change that is rounding */

/* The largest distance at home of a link or its centre of mass from the root. */
static double robot_length(const jn_builder *b) {
  const jn_vec3 root = b->link[b->root].home.p;
  double length = 0;
  for (int i = 0; i < b->nlink; i++) {
    const jn_link_desc *l = &b->link[i];
    length = fmax(length, jn_v3_norm(jn_v3_sub(l->home.p, root)));
    if (l->mass > 0)
      length = fmax(length, jn_v3_norm(jn_v3_sub(jn_pose_apply(l->home, l->com), root)));
  }
  return length;
}

/* How far moments are from physical ones: the larger of a negative moment and the excess of the
 * largest over the sum of the others. */
static double distance(const double e[3]) { return fmax(-e[0], e[2] - e[1] - e[0]); }

/* The link of each body that is farthest from a physical inertia; its own link if all are sound.
 * NULL: out of memory. */
static int *find_culprits(const jn_builder *b, int nbody) {
  int *culprit = jn_block_new(&b->hooks, (size_t)nbody, sizeof *culprit);
  double *worst = jn_block_new(&b->hooks, (size_t)nbody, sizeof *worst);
  for (int i = 0; i < nbody && culprit; i++) culprit[i] = -1;
  for (int s = 0; s < b->nlink && culprit && worst; s++) {
    int link = b->sequence[s], body = b->body_of[link];
    double e[3];
    if (body < 0) continue;
    jn_eigenvalues3(b->link[link].inertia, e, NULL);
    double far = fmax(0, distance(e));
    if (culprit[body] >= 0 && !(far > worst[body])) continue;
    culprit[body] = link;
    worst[body] = far;
  }
  if (!worst) {
    jn_block_free(&b->hooks, culprit);
    culprit = NULL;
  }
  jn_block_free(&b->hooks, worst);
  return culprit;
}

/* "ixx 1 -> 1.5, iyz 0.1 -> 0": the numbers that differ by more than rounding. */
static void write_changes(const jn_mat3 *J, const jn_mat3 *K, double size, char *out, size_t room) {
  static const char *const name[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  out[0] = '\0';
  for (int k = 0; k < 6; k++) {
    double a = J->m[row[k]][column[k]], c = K->m[row[k]][column[k]];
    size_t used = strlen(out);
    if (fabs(c - a) <= SAME_NUMBER * size) continue;
    jn_format(out + used, room - used, "%s%s %g -> %g", used ? ", " : "", name[k], a, c);
  }
}

typedef struct judgement {
  jn_physical verdict;
  int own, culprit; /* links: the body's own, and the one at fault */
  double e[3];
} judgement;

/* The remark on an accepted inertia, or the reason why it is refused. */
static void explain(const jn_builder *b, const judgement *g, const char *changes, char *out,
                    size_t room) {
  const char *name = b->link[g->culprit].name;
  char subject[2 * JN_MAX_NAME + 64], what[320];
  if (g->culprit == g->own)
    snprintf(subject, sizeof subject, "link '%s'", name);
  else
    snprintf(subject, sizeof subject, "link '%s' (welded to '%s')", name, b->link[g->own].name);
  if (g->verdict == JN_INDEFINITE)
    jn_format(what, sizeof what, "inertia is not positive definite: principal moments %g, %g, %g",
              g->e[0], g->e[1], g->e[2]);
  else
    jn_format(what, sizeof what,
              "no rigid body has this inertia: principal moment %g exceeds %g + %g (triangle "
              "inequality)",
              g->e[2], g->e[0], g->e[1]);
  if (b->options.inertia == JN_INERTIA_REPAIR)
    snprintf(out, room, "%s: %s; repaired: %s", subject, what, changes);
  else if (g->verdict == JN_INDEFINITE)
    snprintf(out, room, "%s: %s; check the signs of the products of inertia%s", subject, what,
             b->options.inertia == JN_INERTIA_PERMISSIVE
                 ? "; it is used as it is"
                 : ", or choose the inertia policy 'repair' (nearest physical inertia) or "
                   "'permissive' (as it is)");
  else
    snprintf(out, room, "%s: %s%s", subject, what,
             b->options.inertia == JN_INERTIA_STRICT
                 ? ": refused in strict mode; the inertia policy 'repair' takes the nearest one"
                 : "");
}

static jn_status remark(const jn_builder *b, int link, jn_severity severity, const char *text) {
  return b->observer ? b->observer->remark(b->observer->context, link, severity, text) : JN_OK;
}

static jn_status repair(jn_builder *b, judgement *g, mass_properties *sum) {
  char changes[400], text[2 * JN_MAX_MESSAGE];
  const jn_mat3 J = sum->J, K = jn_nearest_inertia(J);
  write_changes(&J, &K, fmax(fabs(g->e[0]), fabs(g->e[2])), changes, sizeof changes);
  explain(b, g, changes, text, sizeof text);
  sum->J = K;
  return remark(b, g->culprit, JN_WARNING, text);
}

static jn_status decide(jn_builder *b, judgement *g, mass_properties *sum) {
  const jn_inertia_policy policy = b->options.inertia;
  char text[2 * JN_MAX_MESSAGE];
  if (policy == JN_INERTIA_REPAIR) return repair(b, g, sum);
  explain(b, g, "", text, sizeof text);
  const int refused =
      policy == JN_INERTIA_STRICT || (policy == JN_INERTIA_DEFAULT && g->verdict == JN_INDEFINITE);
  if (refused && !b->observer)
    return jn_build_fail(b, b->link[g->culprit].line, JN_ERR_MODEL, "%s", text);
  const int serious = refused || g->verdict == JN_INDEFINITE;
  return remark(b, g->culprit, serious ? JN_SERIOUS : JN_WARNING, text);
}

static jn_status refuse_overflow(jn_builder *b, int link) {
  return jn_build_fail(
      b, b->link[link].line, JN_ERR_MODEL,
      "link '%s': its mass and inertia, with the links welded to it, are too large "
      "for a double: check the units",
      b->link[link].name);
}

jn_status jn_build_judge(jn_builder *b, const jn_model *m, mass_properties *sum) {
  const double length = robot_length(b);
  const int fixed = m->joint[0].type == JN_JOINT_FIXED; /* body 0 does not move */
  int *culprit = NULL;
  jn_status status = JN_OK;
  if (b->observer) b->observer->length = length;
  for (int i = fixed; i < m->nbody && !status; i++) {
    judgement g = {.own = b->sequence[m->body[i].frame]};
    const jn_mat3 *J = &sum[i].J;
    double total = sum[i].m + sum[i].c.x + sum[i].c.y + sum[i].c.z;
    for (int k = 0; k < 9; k++) total += fabs(J->m[k / 3][k % 3]);
    if (!isfinite(total)) {
      status = refuse_overflow(b, g.own);
      break;
    }
    jn_eigenvalues3(*J, g.e, NULL);
    g.verdict = jn_judge_moments(g.e, sum[i].m, length);
    if (g.verdict == JN_PHYSICAL) continue;
    if (!culprit) culprit = find_culprits(b, m->nbody);
    g.culprit = culprit ? culprit[i] : g.own;
    status = culprit ? decide(b, &g, &sum[i]) : JN_ERR_MEMORY;
  }
  jn_block_free(&b->hooks, culprit);
  return status;
}
