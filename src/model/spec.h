/* spec.h (private): functions of a spec for the linter, beyond the public header. */
#ifndef JOUNCE_SRC_SPEC_H
#define JOUNCE_SRC_SPEC_H

#include <jounce/spec.h>

/* The limits of a joint by their names in files, in the order of jn_limits; NULL ends the list. */
enum { JN_LIMIT_COUNT = sizeof(jn_limits) / sizeof(double) };
extern const char *const jn_limit_keys[JN_LIMIT_COUNT + 1];

/* The same for rotors, in the order of jn_rotor_limits. */
enum { JN_ROTOR_LIMIT_COUNT = sizeof(jn_rotor_limits) / sizeof(double) };
extern const char *const jn_rotor_limit_keys[JN_ROTOR_LIMIT_COUNT + 1];

/* How many frames, constraints and rotors a spec has; rewinding forgets those added since. */
typedef struct jn_spec_mark {
  int frames, constraints, rotors;
} jn_spec_mark;
jn_spec_mark jn_spec_here(const jn_spec *spec);
void jn_spec_rewind(jn_spec *spec, jn_spec_mark mark);

/* Number of axes that a joint of this type has in files: 0, 1, or 2 (universal). */
int jn_joint_axis_count(jn_joint_type type);

/* Whether a joint of this type has one coordinate. */
static inline int jn_joint_is_single(jn_joint_type type) {
  return type == JN_JOINT_REVOLUTE || type == JN_JOINT_PRISMATIC || type == JN_JOINT_HELICAL;
}

/* The allocator hooks of the spec; none of them is NULL. */
const jn_allocator *jn_spec_hooks(const jn_spec *spec);

/* Numbers that the file separates by commas: where the first are (line 0: none). A model is built
 * from them only if the build options are lenient. The first call counts. */
typedef struct jn_commas {
  int line;
  const char *text;
} jn_commas;
jn_status jn_spec_set_commas(jn_spec *spec, int line, const char *text);
jn_commas jn_spec_commas(const jn_spec *spec);

/* Replaces every line of the description and of its findings by map(context, line, prefix, room).
 * What it writes to `prefix` is put in front of the text of the finding. */
typedef int (*jn_line_map)(void *context, int line, char *prefix, size_t room);
jn_status jn_spec_map_lines(jn_spec *spec, jn_line_map map, void *context);

/* Do all elements have their names? A spec may have been edited in place. */
int jn_spec_has_names(const jn_spec *spec);

/* Sorts the findings by line, those without a line first; the sort is stable. */
jn_status jn_spec_sort_findings(jn_spec *spec);

#endif
