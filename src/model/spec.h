/* spec.h (private): functions of a spec for the linter, beyond the public header. */
#ifndef JOUNCE_SRC_SPEC_H
#define JOUNCE_SRC_SPEC_H

#include <jounce/spec.h>

/* The limits of a joint by their names in files, in the order of jn_limits; NULL ends the list. */
enum { JN_LIMIT_COUNT = sizeof(jn_limits) / sizeof(double) };
extern const char *const jn_limit_keys[JN_LIMIT_COUNT + 1];

/* Number of axes that a joint of this type has in files: 0, 1, or 2 (universal). */
int jn_joint_axis_count(jn_joint_type type);

/* The allocator hooks of the spec; none of them is NULL. */
const jn_allocator *jn_spec_hooks(const jn_spec *spec);

/* Sorts the findings by line, those without a line first; the sort is stable. */
jn_status jn_spec_sort_findings(jn_spec *spec);

#endif
