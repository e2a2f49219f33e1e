/* mjcf_report.c: elements of MJCF that are reported and not used. */
#include <string.h>

#include "io/mjcf.h"

/* The joint of an attribute; NULL: absent, or unknown and a failure. */
static const mjcf_joint *joint_of(mjcf *m, const xml_node *at, const char *attribute) {
  const char *name = jn_mjcf_name(m, at, attribute);
  if (name == NULL || m->status != JN_OK) return NULL;
  const int found = jn_names_find(m->joint_names, m->joint_count, name);
  if (found >= 0) return &m->joints[found];
  jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><joint>: there is no joint '%s'", name);
  return NULL;
}

/* q1 - ref1 = c0 + c1 (q2 - ref2) is kept as mimic: q1 = c1 q2 + (c0 + ref1 - c1 ref2) */
static void report_coupling(mjcf *m, const xml_node *at) {
  double c[5] = {0, 1, 0, 0, 0};
  const mjcf_joint *first = joint_of(m, at, "joint1"), *second = joint_of(m, at, "joint2");
  jn_mjcf_some_numbers(m, at, "polycoef", 1, 5, c);
  if (first == NULL)
    jn_mjcf_fail(m, JN_ERR_SYNTAX, at, "<equality><joint> has no attribute 'joint1'");
  if (m->status != JN_OK) return;
  if (second == NULL) {
    jn_mjcf_note(m, JN_SERIOUS, at, "joint '%s' is held by an equality, which is not enforced",
                 first->desc.name);
    return;
  }
  jn_mjcf_note(m, JN_SERIOUS, at,
               "joint '%s' follows joint '%s' by an equality, which is not enforced",
               first->desc.name, second->desc.name);
  jn_joint_desc *joint = jn_spec_joint(m->spec, first->index);
  if (c[2] != 0 || c[3] != 0 || c[4] != 0 || joint->mimic != NULL || first == second) return;
  joint->mimic = jn_spec_get_joint(m->spec, second->index)->name;
  joint->mimic_multiplier = c[1];
  joint->mimic_offset = c[0] + first->ref - c[1] * second->ref;
}

static void report_equality(mjcf *m, const xml_node *at) {
  char subject[MJCF_SUBJECT];
  if (jn_mjcf_word(m, at, "active", jn_mjcf_false_true) == 0) return;
  if (strcmp(at->name, "joint") == 0)
    report_coupling(m, at);
  else
    jn_mjcf_note(m, JN_SERIOUS, at, "<equality>: %s is not enforced", jn_mjcf_subject(at, subject));
}

static void report_tendon(mjcf *m, const xml_node *at) {
  static const char *const forces[] = {"stiffness", "damping", "armature", "frictionloss"};
  char subject[MJCF_SUBJECT];
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    const char *text = jn_mjcf_attribute(at, forces[i]);
    double x[3] = {0};
    if (text == NULL || !jn_mjcf_some_numbers(m, at, forces[i], 1, 3, x)) continue;
    if (x[0] != 0 || x[1] != 0 || x[2] != 0)
      jn_mjcf_note(m, JN_SERIOUS, at, "tendon, %s: its %s is not used",
                   jn_mjcf_subject(at, subject), forces[i]);
  }
}

void jn_mjcf_report(mjcf *m) {
  for (const xml_node *n = m->root->first; n != NULL && m->status == JN_OK; n = n->next) {
    if (strcmp(n->name, "equality") == 0)
      for (const xml_node *e = n->first; e != NULL; e = e->next) report_equality(m, e);
    if (strcmp(n->name, "tendon") == 0) {
      if (n->first != NULL && jn_mjcf_is_first(m, "mujoco", n->name))
        jn_mjcf_note(m, JN_WARNING, n, "<tendon>: tendons are not used");
      for (const xml_node *e = n->first; e != NULL; e = e->next) report_tendon(m, e);
    }
    if (strcmp(n->name, "actuator") == 0 && jn_mjcf_is_first(m, "mujoco", n->name))
      jn_mjcf_note(m, JN_NOTE, n,
                   "<actuator>: actuators are not used: give forces at the joints instead");
    if (strcmp(n->name, "contact") == 0 && jn_mjcf_is_first(m, "mujoco", n->name))
      jn_mjcf_note(m, JN_NOTE, n, "<contact>: contacts are not computed");
    if (strcmp(n->name, "deformable") == 0)
      for (const xml_node *e = n->first; e != NULL; e = e->next)
        if (strcmp(e->name, "flex") == 0)
          jn_mjcf_note(m, JN_SERIOUS, e,
                       "<flex>: the forces of a deformable body are not computed");
  }
}
