/* names.h: names of joints, links and degrees of freedom in files and messages. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stddef.h>
#include <jounce/model.h>

#include "output/message.h"

/* Name of a joint; "base" for a free joint 0. */
const char *cli_joint_name(const jn_model *model, int joint);

/* For suggestions: joints that move, without a free base; links and frames. */
cli_words cli_joint_words(const jn_model *model);
cli_words cli_frame_words(const jn_model *model);
cli_words cli_spec_joint_words(const jn_spec *spec);

/* 1 if a degree of freedom is a length (m, force in N), 0 if it is an angle (rad, N m). */
int cli_is_length(jn_joint_type type, int component);

/* The joint of degree of freedom iv, and its component in it. */
int cli_dof_joint(const jn_model *model, int iv, int *component);
/* "elbow", "base:wx": the name of degree of freedom iv. */
typedef struct cli_dof {
  char text[JN_MAX_NAME + 16];
} cli_dof;
cli_dof cli_dof_name(const jn_model *model, int iv);

#endif
