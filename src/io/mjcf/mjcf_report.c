/* mjcf_report.c: elements of MJCF that are reported and not used. */
#include <string.h>

#include "io/mjcf/mjcf.h"

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
