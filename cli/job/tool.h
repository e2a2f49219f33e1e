/* tool.h: the motion of a tool, described as that of the base of a robot that is one free body. */
#ifndef CLI_TOOL_H
#define CLI_TOOL_H

#include <jounce/constraints.h>

#include "memory.h"

typedef struct cli_tool {
  jn_model *model; /* one free body */
  jn_world_motion target;
  double *twist; /* [rows x 6], that of the target */
  int oriented;  /* cli_tool_read: the file has a rotation */
} cli_tool;

/* Each returns an exit status, after a message if it is not 0. Call cli_tool_free in any case. */
int cli_tool_new(cli_tool *tool, int rows, cli_memory *memory);
/* The target from a STATE file: {"base": {"p", "quat" or "R", "twist": [[6], ...]}}. */
int cli_tool_read(cli_tool *tool, const char *path, int rows);
/* The target from q[7] and v[rows x 6] of the body. */
void cli_tool_set(cli_tool *tool, jn_representation representation, const double *q,
                  const double *v, int rows);
void cli_tool_free(cli_tool *tool);
/* What a row of the target says in words: "position x", "rotation about z". */
const char *cli_tool_row(jn_constraint_type type, int row);

#endif
