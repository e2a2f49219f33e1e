/* json_constraints.h (private): the lists "constraints" and "passive" of native models and
 * side files. */
#ifndef JOUNCE_SRC_JSON_CONSTRAINTS_H
#define JOUNCE_SRC_JSON_CONSTRAINTS_H

#include <jounce/spec.h>

#include "io/json_reader.h"
#include "model/spec.h"

/* Adds the constraints of the model to the spec; failures are in the text's status. */
void jn_json_constraints(const jn_json *model, jn_spec *spec);
/* Of a side file, whose lines the spec does not keep: the links and joints that its frames and
 * constraints name exist, and nothing that it adds has the name of another. */
void jn_json_check_names(jn_json_text *text, jn_spec *spec, jn_spec_mark since);
/* "passive": [joints]. `set` 0: only looks at them. */
void jn_json_passive(const jn_json *top, jn_spec *spec, int set);

#endif
