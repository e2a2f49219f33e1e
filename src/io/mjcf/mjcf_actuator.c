/* mjcf_actuator.c: <actuator> of MJCF. Actuators are not used; which joints have none is reported,
 * for dynamics with constraints, where such joints are passive. */
#include <stdio.h>
#include <string.h>

#include "base/block.h"
#include "base/names.h"
#include "io/mjcf/mjcf.h"

/* Joints that have an actuator, and the fixed tendons by name. */
typedef struct drives {
  mjcf *m;
  unsigned char *driven; /* [joints] */
  int tendons;
  jn_name *tendon_name;    /* sorted */
  const xml_node **tendon; /* NULL once its joints are marked */
} drives;

/* Marks the joint of this name; returns 0 if there is none. */
static int mark(const drives *d, const char *name) {
  const int at = name ? jn_names_find(d->m->joint_names, d->m->joint_count, name) : -1;
  if (at >= 0) d->driven[at] = 1;
  return at >= 0;
}

/* An actuator at one or more joints; 0: it acts elsewhere, as a tendon in space does. */
static int mark_actuator(const drives *d, const xml_node *e) {
  const char *joint = jn_mjcf_attribute(e, "joint"), *tendon = jn_mjcf_attribute(e, "tendon");
  if (joint == NULL) joint = jn_mjcf_attribute(e, "jointinparent");
  if (joint != NULL) return mark(d, joint);
  const int at = tendon ? jn_names_find(d->tendon_name, d->tendons, tendon) : -1;
  if (at < 0) return 0;
  int known = 1;
  for (const xml_node *j = d->tendon[at] ? d->tendon[at]->first : NULL; j != NULL; j = j->next)
    known &= mark(d, jn_mjcf_attribute(j, "joint"));
  d->tendon[at] = NULL;
  return known;
}

/* The next element after e (NULL: the first) in sections of this name. */
static const xml_node *next_in(const mjcf *m, const char *section, const xml_node *e,
                               const xml_node **at) {
  if (e != NULL && e->next != NULL) return e->next;
  for (*at = *at ? (*at)->next : m->root->first; *at != NULL; *at = (*at)->next)
    if (strcmp((*at)->name, section) == 0 && (*at)->first != NULL) return (*at)->first;
  return NULL;
}

static void find_tendons(drives *d) {
  const xml_node *at = NULL;
  for (const xml_node *e = NULL; (e = next_in(d->m, "tendon", e, &at)) != NULL;) {
    const char *name = jn_mjcf_attribute(e, "name");
    if (name == NULL || strcmp(e->name, "fixed") != 0) continue;
    if (d->tendon_name) d->tendon_name[d->tendons] = (jn_name){name, d->tendons};
    if (d->tendon_name) d->tendon[d->tendons] = e;
    d->tendons++;
  }
}

static void report(drives *d) {
  const mjcf *m = d->m;
  const xml_node *at = NULL, *first = NULL;
  int known = 1, without = 0;
  char names[160] = "";
  for (const xml_node *e = NULL; (e = next_in(m, "actuator", e, &at)) != NULL;) {
    if (first == NULL) first = at;
    known &= mark_actuator(d, e);
  }
  for (int i = 0; i < m->joint_count && first != NULL && known; i++) {
    const jn_joint_desc *j = &m->joints[i].desc;
    const size_t used = strlen(names);
    if (d->driven[i] || j->type == JN_JOINT_FREE) continue;
    if (without++ < 3 && used + strlen(j->name) + 8 < sizeof names)
      snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "", j->name);
  }
  if (without > 0)
    jn_mjcf_note(
        d->m, JN_NOTE, first,
        "<actuator>: %d of the joints have no actuator (%s%s): if constraints are to carry their "
        "forces, list them as 'passive' in a side file",
        without, names, without > 3 ? ", ..." : "");
}

void jn_mjcf_report_actuators(mjcf *m) {
  drives d = {.m = m};
  find_tendons(&d);
  const size_t tendons = (size_t)d.tendons + 1;
  d.driven = jn_block_new(&m->hooks, (size_t)m->joint_count + 1, 1);
  d.tendon_name = jn_block_new(&m->hooks, tendons, sizeof *d.tendon_name);
  d.tendon = jn_block_new(&m->hooks, tendons, sizeof(const xml_node *));
  if (d.driven && d.tendon_name && d.tendon) {
    d.tendons = 0;
    find_tendons(&d);
    jn_names_sort(d.tendon_name, d.tendons);
    report(&d);
  } else {
    jn_mjcf_check(m, JN_ERR_MEMORY, m->root, "actuators");
  }
  jn_block_free(&m->hooks, d.driven);
  jn_block_free(&m->hooks, d.tendon_name);
  jn_block_free(&m->hooks, (void *)d.tendon);
}
