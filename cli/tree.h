/* tree.h: a drawing of a model's tree. */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include <jounce/model.h>

#include "output.h"

/* Lines of text; returns an exit status. */
int cli_tree(cli_output *out, const jn_model *model);

#endif
