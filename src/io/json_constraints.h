/* json_constraints.h (private): the list "constraints" of a native model. */
#ifndef JOUNCE_SRC_JSON_CONSTRAINTS_H
#define JOUNCE_SRC_JSON_CONSTRAINTS_H

#include <jounce/spec.h>

#include "io/json_reader.h"

/* Adds the constraints of the model to the spec; failures are in the text's status. */
void jn_json_constraints(const jn_json *model, jn_spec *spec);

#endif
