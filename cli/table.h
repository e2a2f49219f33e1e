/* table.h: numbers that belong to degrees of freedom, in every format. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>
#include <jounce/model.h>

#include "message.h"
#include "output.h"

/* Name of a joint in the program's files; "base" for a free joint 0. */
const char *cli_joint_name(const jn_model *model, int joint);

/* For suggestions: joints that move, without a free base; links and frames. */
cli_words cli_joint_words(const jn_model *model);
cli_words cli_frame_words(const jn_model *model);

/* Whether a degree of freedom is a length (m, its force in N) or an angle (rad, N m). */
int cli_is_length(jn_joint_type type, int component);

/* "elbow", "base:wx": for a model's degree of freedom number iv + component of joint. */
void cli_dof_name(const jn_model *model, int joint, int component, char *out, size_t size);
/* Calls `write` with the name of every degree of freedom. */
void cli_each_dof(cli_output *out, const jn_model *model,
                  void (*write)(cli_output *out, const char *name));

/* The k-th derivative of a symbol: "q", "q'", "q''", "q^(3)", ... */
void cli_derivative_name(const char *symbol, int k, char *out, size_t size);

/* values[rows x nv]: row k the (first + k)-th derivative of `symbol`. */
typedef struct cli_jets {
  const jn_model *model;
  const double *values;
  int rows;
  const char *symbol;
  int first;
  const unsigned char *only; /* [bodies]: joints to show; NULL: all */
  unsigned char only_value;  /* shown where only[i] equals this */
} cli_jets;

/* {joint: ...} without a free base. `motion`: a spherical joint is {"omega": ...}, a free one
 * {"twist": ...}. */
void cli_jets_json(cli_output *out, const cli_jets *jets, int motion);
/* [[6], [6], ...] of the free base */
void cli_jets_json_base(cli_output *out, const cli_jets *jets);
int cli_jets_shows(const cli_jets *jets, int joint);

/* Lines "joint,component,[kind,]numbers"; `kind` NULL: no such column. The header is separate. */
void cli_jets_csv_header(cli_output *out, int rows, int with_kind);
void cli_jets_csv(cli_output *out, const cli_jets *jets, const char *kind);
void cli_jets_text(cli_output *out, const cli_jets *jets);

#endif
