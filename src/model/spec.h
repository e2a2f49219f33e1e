/* spec.h (private): what the checks of a spec need beyond the public header. */
#ifndef JOUNCE_SRC_SPEC_H
#define JOUNCE_SRC_SPEC_H

#include <jounce/spec.h>

/* The hooks the spec takes its memory from, none of them NULL. */
const jn_allocator *jn_spec_hooks(const jn_spec *spec);

/* Findings in the order of their lines, those without a line first; equal lines stay in order. */
jn_status jn_spec_sort_findings(jn_spec *spec);

#endif
