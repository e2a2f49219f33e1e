/* json_rotors.h (private): the list "rotors" of a native model. */
#ifndef JOUNCE_SRC_JSON_ROTORS_H
#define JOUNCE_SRC_JSON_ROTORS_H

#include <jounce/spec.h>

#include "io/json_reader.h"

/* Adds the rotors of the model to the spec; failures are in the text's status. */
void jn_json_rotors(const jn_json *model, jn_spec *spec);

#endif
