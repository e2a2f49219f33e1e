/* tree.h: a drawing of a model's tree. */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include <jounce/model.h>

#include "output/output.h"

/* Lines of text; returns an exit status. `spec`: what the model was built from. */
int cli_tree(cli_output *out, const jn_model *model, const jn_spec *spec);

/* Of each body: the joint of the spec that its joint mimics another by; NULL: it does not. To be
 * released with free; NULL after a message. */
const jn_joint_desc **cli_mimics(const jn_model *model, const jn_spec *spec);

#endif
